//! A trigger's text taken apart: every way in which it could match, decided once.
//!
//! A pattern is a list of *units*, its `|` alternatives. Each unit is tried as
//! a literal, as a regular expression, as a glob and by its words, whichever it
//! can be. Alternatives are taken apart rather than compiled as one expression
//! because they are worth different amounts: `fix|jemalloc` is weak on a fix
//! and strong on jemalloc. Origin `003` also splits at a `|` inside a group;
//! those *fragments* match too, and count little.

use std::cell::OnceCell;

use regex_lite::{Regex, RegexBuilder};

use crate::trigger::script::{self, Translated};
use crate::trigger::text::fold;
use crate::trigger::words::content_stems;

/// Bytes of one alternative beyond which it is plain text, not an expression.
const MOST_SOURCE: usize = 2048;
/// Alternatives of one trigger that are looked at.
const MOST_UNITS: usize = 512;
/// Alternatives of one trigger that are compiled as expressions.
const MOST_EXPRESSIONS: usize = 32;

/// Compiled sizes that are allowed, with what a byte of text then costs and how much text is read.
///
/// The engine's worst case is states times bytes. An expression of some hundred letters reads more than
/// nearly every task has; a larger one reads less, so that neither can take long.
const SIZES: [(usize, u64, usize); 2] = [(4 << 10, 24, 16 << 10), (16 << 10, 240, 4 << 10)];

/// One expression, ready to run.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) regex: Regex,
    /// Literal runs the pattern names, folded.
    pub(crate) runs: Vec<String>,
    /// Whether something that linear time cannot do was left out.
    pub(crate) approximate: bool,
    pub(crate) anchored_at_end: bool,
    /// What a byte of text costs, in units of [`Work`](crate::trigger::Work).
    pub(crate) cost: u64,
    /// Bytes of a text that are read.
    pub(crate) reads: usize,
}

/// The expressions of one alternative, compiled when they are asked for: most are not.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    /// As written; `None` where it is no expression, or one too many.
    source: Option<String>,
    one_of_many: bool,
    /// Texts that stand in every match, in this order: looking for them costs less than the expressions.
    needs: Vec<String>,
    built: OnceCell<(Option<Expression>, Option<Expression>)>,
}

impl Expressions {
    fn of(source: &str, one_of_many: bool) -> Self {
        if !has_regex_syntax(source) {
            return Self::default();
        }
        Self {
            source: Some(source.to_owned()),
            one_of_many,
            needs: pieces(trim(source)),
            built: OnceCell::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.source.is_none()
    }

    /// Whether a text has what every match needs; where it has not, there is no match.
    pub(crate) fn may_match(&self, text: &str) -> bool {
        let mut rest = text;
        self.needs.iter().all(|need| match rest.find(need.as_str()) {
            Some(at) => {
                rest = &rest[at + need.len()..];
                true
            }
            None => false,
        })
    }

    /// The alternative as a regular expression.
    pub(crate) fn regex(&self) -> Option<&Expression> {
        self.built().0.as_ref()
    }

    /// The alternative as origin `003`'s glob.
    pub(crate) fn glob(&self) -> Option<&Expression> {
        self.built().1.as_ref()
    }

    fn built(&self) -> &(Option<Expression>, Option<Expression>) {
        let source = self.source.as_deref();
        self.built.get_or_init(|| source.map_or((None, None), |source| expressions(source, self.one_of_many)))
    }
}

/// One alternative and the ways in which it can match.
#[derive(Debug)]
pub(crate) struct Unit {
    /// As written, trimmed.
    pub(crate) source: String,
    /// The same, folded, found as a substring.
    pub(crate) literal: String,
    pub(crate) expressions: Expressions,
    /// Stems of its content words, where it reads as language.
    pub(crate) words: Vec<String>,
    /// A piece of a group, which only origin `003` takes for an alternative.
    pub(crate) fragment: bool,
}

/// Why a text that looks like an expression is not used as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not parse.
    Invalid,
    /// It would take too much to compile or run.
    TooLarge,
}

/// Takes a pattern apart into its units.
pub(crate) fn units(pattern: &str) -> Vec<Unit> {
    units_with(pattern, MOST_EXPRESSIONS)
}

/// The same with at most so many units compiled as expressions.
pub(crate) fn units_with(pattern: &str, expressions: usize) -> Vec<Unit> {
    let split = alternatives(pattern);
    let mut units: Vec<Unit> = Vec::new();
    for source in dedup(&split) {
        let may_compile = units.len() < expressions;
        units.push(Unit::new(source, split.len() > 1, may_compile));
    }
    let pieces: Vec<&str> = pattern.split('|').collect();
    if pieces.len() != split.len() {
        let taken = units.len();
        for piece in dedup(&pieces) {
            let literal = fold(trim(piece));
            if !units[..taken].iter().any(|unit| unit.literal == literal) {
                units.push(Unit::fragment(piece, literal));
            }
        }
    }
    units.truncate(MOST_UNITS);
    units
}

impl Unit {
    fn new(source: &str, one_of_many: bool, may_compile: bool) -> Self {
        let trimmed = trim(source);
        Self {
            source: trimmed.to_owned(),
            literal: fold(trimmed),
            expressions: if may_compile {
                Expressions::of(source, one_of_many)
            } else {
                Expressions::default()
            },
            words: if is_language(trimmed) { content_stems(trimmed) } else { Vec::new() },
            fragment: false,
        }
    }

    fn fragment(source: &str, literal: String) -> Self {
        let source = trim(source).to_owned();
        Self { source, literal, expressions: Expressions::default(), words: Vec::new(), fragment: true }
    }
}

/// The unit as a regular expression and as origin `003`'s glob.
fn expressions(source: &str, one_of_many: bool) -> (Option<Expression>, Option<Expression>) {
    let lower = fold(trim(source));
    let regex = regex_sources(source).into_iter().find_map(|source| expression(&source).ok());
    let globs = if regex.is_some() && is_regex_of_dots(source) { Vec::new() } else { glob_sources(&lower) };
    let glob = globs.into_iter().find_map(|source| expression(&source).ok());
    // Origin 003 lowers the pattern, so that `\S` becomes `\s` and `İ` two letters; what it finds that way we find as well.
    let lowered = !one_of_many && glob.is_none() && lower.contains('.') && lower.contains('{');
    let is_other = source.contains(['S', 'W', 'D', 'B']) && source.contains('\\') || source.contains('İ');
    let lowered = lowered && is_other;
    let glob = if lowered { expression(&lower).ok() } else { glob };
    (regex, glob)
}

/// The texts by which a unit is tried as a regular expression, best first; none without regex syntax.
fn regex_sources(source: &str) -> Vec<String> {
    if !has_regex_syntax(source) {
        return Vec::new();
    }
    // A space that is repeated or escaped belongs to the expression.
    let front = source.trim_start_matches(is_space);
    let front = if front.starts_with(['*', '+', '?', '{']) { source } else { front };
    let back = front.trim_end_matches(is_space);
    let back = if back.ends_with('\\') { front } else { back };
    if back == source { vec![source.to_owned()] } else { vec![back.to_owned(), source.to_owned()] }
}

/// Whether each `*` follows a `.`: read as a glob, such a pattern takes nothing that its expression does not.
fn is_regex_of_dots(source: &str) -> bool {
    source.is_ascii() && !source.contains(['\\', '?', '[']) && !source.replace(".*", "").contains('*')
}

/// The texts by which a folded unit is tried as a glob: origin `003`'s reading, then one with all else literal.
fn glob_sources(lower: &str) -> Vec<String> {
    if !lower.contains(['*', '?']) {
        return Vec::new();
    }
    let wild = |text: &str| text.replace('*', ".*").replace('?', ".");
    let mut literal = String::new();
    for c in lower.chars() {
        if c.is_ascii_punctuation() && c != '*' && c != '?' {
            literal.push('\\');
        }
        literal.push(c);
    }
    vec![wild(lower), wild(&literal)]
}

/// Compiles one JavaScript expression within the limits.
pub(crate) fn expression(source: &str) -> Result<Expression, Refusal> {
    if source.len() > MOST_SOURCE {
        return Err(Refusal::TooLarge);
    }
    let Translated { pattern, runs, approximate, anchored_at_end } =
        script::translate(source).ok_or(Refusal::Invalid)?;
    let (regex, cost, reads) = build(&pattern)?;
    Ok(Expression { regex, runs, approximate, anchored_at_end, cost, reads })
}

/// The pieces of `one.*two`, the commonest pattern; nothing where there is any other syntax.
fn pieces(source: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | ':');
    let pieces: Vec<&str> = source.split(".*").collect();
    if !pieces.iter().all(|piece| piece.chars().all(plain)) {
        return Vec::new();
    }
    pieces.into_iter().filter(|piece| !piece.is_empty()).map(fold).collect()
}

/// Builds a pattern in the smallest size class that holds it.
pub(crate) fn build(pattern: &str) -> Result<(Regex, u64, usize), Refusal> {
    let mut refusal = Refusal::Invalid;
    for (size, cost, reads) in SIZES {
        match RegexBuilder::new(pattern).size_limit(size).build() {
            Ok(regex) => return Ok((regex, cost, reads)),
            Err(error) if error.to_string().contains("size limit") => refusal = Refusal::TooLarge,
            Err(_) => return Err(Refusal::Invalid),
        }
    }
    Err(refusal)
}

/// The `|` alternatives outside groups, classes and escapes.
fn alternatives(pattern: &str) -> Vec<&str> {
    let (mut depth, mut escaped, mut in_class, mut start) = (0_i32, false, false, 0);
    let mut found = Vec::new();
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => {
                found.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth != 0 || in_class || escaped {
        // Not an expression as a whole, so its parts may still be.
        return pattern.split('|').collect();
    }
    found.push(&pattern[start..]);
    found
}

fn dedup<'a>(sources: &[&'a str]) -> Vec<&'a str> {
    if let [one] = sources {
        return vec![one];
    }
    let mut seen = std::collections::HashSet::new();
    sources.iter().copied().filter(|source| seen.insert(trim(source))).take(MOST_UNITS).collect()
}

/// Trims as JavaScript does.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// JavaScript counts the byte order mark among the spaces.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Whether a text could mean something else as a regular expression than letter by letter.
pub(crate) fn has_regex_syntax(text: &str) -> bool {
    text.contains(['\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '^', '$', '|'])
}

/// Whether a text reads as language: words and punctuation, nothing that only a pattern would have.
pub(crate) fn is_language(text: &str) -> bool {
    let pattern_marks = ['\\', '|', '*', '+', '^', '$', '[', ']', '{', '}'];
    if text.contains(pattern_marks) || text.contains(".?") || text.contains(")?") || text.starts_with('-') {
        return false;
    }
    // A question mark or a full stop ends a word in language, and stands within one in a pattern.
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '?' && chars.peek().is_some_and(|next| next.is_alphanumeric()) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(pattern: &str) -> Vec<String> {
        units(pattern)
            .into_iter()
            .map(|u| format!("{}{}", if u.fragment { "~" } else { "" }, u.source))
            .collect()
    }

    #[test]
    fn alternatives_are_split_outside_groups_and_fragments_follow() {
        assert_eq!(sources("auth | login"), ["auth", "login"]);
        assert_eq!(sources("a[|]b"), ["a[|]b", "~a[", "~]b"]);
        assert_eq!(sources("x (key|value)"), ["x (key|value)", "~x (key", "~value)"]);
        assert_eq!(sources("c++|rust(|go"), ["c++", "rust(", "go"]);
    }

    #[test]
    fn repeated_alternatives_count_once() {
        assert_eq!(sources(&"a|".repeat(5000)), ["a", ""]);
    }

    #[test]
    fn language_is_told_from_patterns() {
        for text in
            ["When implementing authentication", "How are NUL bytes treated?", "see flags/defs.rs (or so)"]
        {
            assert!(is_language(text), "{text}");
        }
        for text in ["implement.*auth", "colou?r", "a|b", r"rg\.1", "config(uration)? key", "big.?endian"] {
            assert!(!is_language(text), "{text}");
        }
    }

    #[test]
    fn a_text_without_a_pattern_s_pieces_is_not_searched() {
        let pattern = Expressions::of("Cache.*proxy", false);
        assert_eq!(pattern.needs, ["cache", "proxy"]);
        assert!(pattern.may_match("the cache of the proxy"));
        assert!(!pattern.may_match("the proxy of the cache") && !pattern.may_match("a cache"));
        for pattern in ["colou?r", "(a|b).*c", "a+.*b", "x{2}", r"rg\.1"] {
            assert_eq!(Expressions::of(pattern, false).needs, [""; 0], "{pattern}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert_eq!(expression("a{1000}{1000}").unwrap_err(), Refusal::TooLarge);
        assert_eq!(expression("(a").unwrap_err(), Refusal::Invalid);
        assert!(expression("(add|new|implement).*(flag|option|switch)").is_ok());
    }
}
