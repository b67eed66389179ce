//! JavaScript regular expressions in the words of `regex-lite`.
//!
//! The origin's triggers are JavaScript patterns: there a lone `{` or `]` is a
//! letter, `\e` is `e`, `[^]` is anything and `\s` knows all of Unicode's
//! spaces. What linear time cannot do is left out so that the rest matches at
//! least as much: a lookaround becomes nothing, a backreference anything. Such
//! a pattern is `approximate`, and its matches count little. Letters come out in
//! lower case, for texts that are folded: the engine is slower when it has to
//! look for both cases itself.

use crate::trigger::text::{fold, fold_char};

/// Spaces that JavaScript's `\s` knows besides those of ASCII.
const SPACES: &str = "\u{a0}\u{feff}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// A pattern in the words of `regex-lite`.
pub(crate) struct Translated {
    pub(crate) pattern: String,
    /// Runs of plain letters that the pattern names, folded, at least two bytes long.
    pub(crate) runs: Vec<String>,
    /// Whether something was left out.
    pub(crate) approximate: bool,
    /// Whether the pattern speaks of the end of the text.
    pub(crate) anchored_at_end: bool,
}

/// Translates a JavaScript pattern; `None` where it cannot be one.
pub(crate) fn translate(source: &str) -> Option<Translated> {
    let mut translator = Translator { rest: source, ..Translator::default() };
    while let Some(c) = translator.next() {
        translator.token(c)?;
    }
    translator.end_run();
    let Translator { out, runs, approximate, anchored_at_end, .. } = translator;
    Some(Translated { pattern: out, runs, approximate, anchored_at_end })
}

#[derive(Default)]
struct Translator<'a> {
    rest: &'a str,
    out: String,
    run: String,
    runs: Vec<String>,
    approximate: bool,
    anchored_at_end: bool,
}

impl<'a> Translator<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn end_run(&mut self) {
        let run = fold(&std::mem::take(&mut self.run));
        if run.len() >= 2 && !self.runs.contains(&run) {
            self.runs.push(run);
        }
    }

    fn literal(&mut self, c: char) {
        let c = fold_char(c.to_ascii_lowercase());
        self.run.push(c);
        push_escaped(&mut self.out, c);
    }

    fn syntax(&mut self, text: &str) {
        self.end_run();
        self.out.push_str(text);
    }

    fn token(&mut self, c: char) -> Option<()> {
        match c {
            '\\' => self.escape(),
            '[' => self.class(),
            '(' => self.group(),
            '{' => {
                self.braces();
                Some(())
            }
            '*' | '?' => {
                // The letter before may be absent, so the run ends without it.
                self.run.pop();
                self.syntax(c.encode_utf8(&mut [0; 4]));
                Some(())
            }
            '.' | '+' | '^' | '$' | '|' | ')' => {
                self.anchored_at_end |= c == '$';
                self.syntax(c.encode_utf8(&mut [0; 4]));
                Some(())
            }
            _ => {
                self.literal(c);
                Some(())
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let c = self.next()?;
        match c {
            'd' | 'D' | 'w' | 'W' | 'b' | 'B' => self.syntax(&format!("\\{c}")),
            't' | 'n' | 'r' | 'f' | 'v' => self.syntax(&format!("\\{c}")),
            's' => self.syntax(&format!("[\\s{SPACES}]")),
            'S' => self.syntax(&format!("[^\\s{SPACES}]")),
            '0' => self.syntax("\\x00"),
            '1'..='9' => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
                self.anything();
            }
            'k' if self.rest.starts_with('<') => {
                self.rest = &self.rest[self.rest.find('>')? + 1..];
                self.anything();
            }
            _ => {
                let c = self.code_point(c).unwrap_or(c);
                self.literal(c);
            }
        }
        Some(())
    }

    /// A backreference's stand-in.
    fn anything(&mut self) {
        self.approximate = true;
        self.syntax("(?s:.*)");
    }

    /// The character of `\xHH` or `\uHHHH`, after its `x` or `u`.
    fn code_point(&mut self, kind: char) -> Option<char> {
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            _ => return None,
        };
        let hex = self.rest.get(..digits).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
        self.rest = &self.rest[digits..];
        Some(c)
    }

    /// `{2}`, `{2,}` and `{2,5}` repeat; any other brace is a letter.
    fn braces(&mut self) {
        let counts = self.rest.split_once('}').map(|(counts, _)| counts).filter(|counts| is_count(counts));
        let Some(counts) = counts else {
            self.literal('{');
            return;
        };
        self.run.pop();
        self.syntax(&format!("{{{counts}}}"));
        self.rest = &self.rest[counts.len() + 1..];
    }

    fn group(&mut self) -> Option<()> {
        let looks = ["?=", "?!", "?<=", "?<!"].iter().find(|look| self.rest.starts_with(**look));
        if let Some(look) = looks {
            self.rest = after_group(&self.rest[look.len()..])?;
            self.approximate = true;
            self.syntax("(?:)");
            return Some(());
        }
        self.syntax("(");
        if self.rest.starts_with('?') {
            let head = self.rest.find([':', ')', '>'])?;
            self.out.push_str(&self.rest[..head]);
            self.rest = &self.rest[head..];
            if !self.rest.starts_with(')') {
                let c = self.next()?;
                self.out.push(c);
            }
        }
        Some(())
    }

    fn class(&mut self) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix("^]") {
            self.rest = rest;
            self.syntax("(?s:.)");
            return Some(());
        }
        self.end_run();
        let start = self.out.len();
        self.out.push('[');
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.rest = rest;
            self.out.push('^');
        }
        let mut after_set = false;
        loop {
            match self.next()? {
                ']' => break,
                '\\' => after_set = self.class_escape()?,
                '-' if after_set || self.rest.starts_with(']') => {
                    self.out.push_str("\\-");
                    after_set = false;
                }
                '-' if !self.out.ends_with('[') && !self.out.ends_with("[^") => {
                    self.out.push('-');
                    after_set = false;
                }
                c => {
                    push_escaped(&mut self.out, fold_char(c));
                    after_set = false;
                }
            }
        }
        self.out.push(']');
        if self.out[start..].contains(|c: char| c.is_ascii_uppercase()) {
            self.out.insert_str(start, "(?i:");
            self.out.push(')');
        }
        Some(())
    }

    /// Returns whether the escape stands for a set, after which `-` is a letter.
    fn class_escape(&mut self) -> Option<bool> {
        let c = self.next()?;
        match c {
            'd' | 'D' | 'w' | 'W' | 'S' => self.out.extend(['\\', c]),
            's' => self.out.push_str(&format!("\\s{SPACES}")),
            't' | 'n' | 'r' | 'f' | 'v' => {
                self.out.extend(['\\', c]);
                return Some(false);
            }
            _ => {
                let c = match c {
                    'b' => '\u{8}',
                    '0' => '\0',
                    _ => self.code_point(c).unwrap_or(c),
                };
                push_escaped(&mut self.out, fold_char(c));
                return Some(false);
            }
        }
        Some(true)
    }
}

fn is_count(counts: &str) -> bool {
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    match counts.split_once(',') {
        Some((least, most)) => !least.is_empty() && number(least) && number(most),
        None => !counts.is_empty() && number(counts),
    }
}

/// What follows the group whose inside starts `text`.
fn after_group(text: &str) -> Option<&str> {
    let (mut depth, mut escaped, mut in_class) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' if depth == 0 => return Some(&text[at + 1..]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn push_escaped(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>' | '_') {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    use super::translate;

    /// Whether the translated pattern is a valid one that matches `text`.
    fn matches(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern).unwrap_or_else(|| panic!("{pattern} is a pattern"));
        regex_lite::Regex::new(&translated.pattern).unwrap().is_match(text)
    }

    #[test]
    fn what_only_javascript_reads_keeps_its_meaning() {
        for (pattern, text) in [
            ("a{b", "a{b"),
            ("x]", "x]"),
            (r"\e\/", "e/"),
            ("[^]z", "\nz"),
            (r"a\sb", "a\u{a0}b"),
            (r"[\w-]+x", "a-x"),
            ("[[a]x", "[x"),
            (r"\u0041\x42", "ab"),
            ("[A-C]z", "bz"),
            ("[a-c-]z", "-z"),
            ("[-a]z", "-z"),
            (r"\p{L}", "p{l}"),
        ] {
            assert!(matches(pattern, text), "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_linear_time_cannot_do_matches_more_not_less() {
        for (pattern, text) in
            [(r"a(?!b)c", "ac"), ("x(?=y(z))?", "x"), (r"(\d+)-\1", "12-12"), ("(?<!a)b", "b")]
        {
            assert!(translate(pattern).unwrap().approximate, "{pattern}");
            assert!(matches(pattern, text), "{pattern} on {text:?}");
        }
    }

    #[test]
    fn runs_are_the_letters_that_a_pattern_names() {
        let runs = |pattern: &str| translate(pattern).unwrap().runs;
        assert_eq!(runs(r"big.?Endian|rg\.1"), ["big", "endian", "rg.1"]);
        assert_eq!(runs("colou?r"), ["colo"]);
        assert_eq!(runs(".*"), [""; 0]);
    }

    #[test]
    fn an_unfinished_pattern_is_none() {
        for pattern in ["a\\", "[abc", "(?=a", "(?<name"] {
            assert!(translate(pattern).is_none(), "{pattern}");
        }
    }
}
