//! What must stand in a text before a trigger can match, for the index.
//!
//! Ten thousand patterns are not compiled before a prompt. At index time each
//! gives up a few literals of which at least one is in every text it matches;
//! [`TaskText::may_match`](crate::trigger::TaskText::may_match) then leaves
//! the few candidates to compile. A trigger without a usable literal is
//! [`Literals::Always`]: guessing there would lose matches.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::entry::Trigger;
use crate::trigger::path;
use crate::trigger::pattern::{self, Unit};
use crate::trigger::text::fold;
use crate::trigger::words::worth;

/// Fewest bytes of a literal that an index looks up.
const LEAST: usize = 3;
/// Shares of a sentence's words, present together, from which it may match; a little less than matching asks for.
pub const ENOUGH_SHARE: f32 = 0.499;
/// Most literals of one trigger; more would cost as much as verifying.
const MOST: usize = 64;

/// Most texts by which an expression is known exactly.
const MOST_EXACT: usize = 16;

/// What must stand in a text before a trigger can match.
#[derive(Clone, Debug, PartialEq)]
pub enum Literals {
    /// Nothing is known: verify every time.
    Always,
    /// At least one of these is there.
    AnyOf {
        /// Folded (lower-case) pieces of at least three bytes, found anywhere.
        substrings: Vec<String>,
        /// Stems of whole words, each with its share of what is needed: of those present, the shares must
        /// add up to [`ENOUGH_SHARE`].
        words: Vec<(String, f32)>,
    },
}

/// The literals of which one must be present for `trigger` to match.
pub fn literals(trigger: &Trigger) -> Literals {
    let required = match trigger {
        Trigger::Path(glob) => required(&path::to_regex(glob)).map(|found| (found, Vec::new())),
        Trigger::Text(text) | Trigger::Pattern(text) | Trigger::Command(text) | Trigger::Error(text) => {
            of_units(&pattern::units(text))
        }
    };
    match required {
        Some((substrings, words)) if substrings.len() + words.len() <= MOST => {
            Literals::AnyOf { substrings: without_longer(substrings), words }
        }
        _ => Literals::Always,
    }
}

/// Leaves out literals that hold another one: where they are, that one is.
fn without_longer(mut found: Vec<String>) -> Vec<String> {
    found.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<String> = Vec::new();
    for literal in found {
        if !kept.iter().any(|shorter| literal.contains(shorter.as_str())) {
            kept.push(literal);
        }
    }
    kept
}

/// The words of which enough must be there: a sentence's by their worth, the most telling one of an
/// alternative, which needs all of its own.
fn words_of(unit: &Unit, alone: bool) -> Vec<(String, f32)> {
    let worth = |stem: &String| worth(stem, None);
    if alone {
        let all: f32 = unit.words.iter().map(worth).sum();
        return unit.words.iter().map(|stem| (stem.clone(), worth(stem) / all)).collect();
    }
    let telling = unit.words.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)));
    telling.map(|stem| (stem.clone(), 1.0)).into_iter().collect()
}

type Required = (Vec<String>, Vec<(String, f32)>);

fn of_units(units: &[Unit]) -> Option<Required> {
    let (mut substrings, mut words) = (Vec::new(), Vec::new());
    for unit in units {
        let mut of_unit = Vec::new();
        for expression in [unit.expressions.regex(), unit.expressions.glob()].into_iter().flatten() {
            of_unit.extend(required(expression.regex.as_str())?);
        }
        if !of_unit.iter().any(|literal| unit.literal.contains(literal.as_str())) {
            of_unit.push(Some(unit.literal.clone()).filter(|literal| literal.len() >= LEAST)?);
        }
        substrings.extend(of_unit);
        words.extend(words_of(unit, units.len() == 1));
    }
    Some((substrings, words))
}

/// The folded literals of which one is in every match of a `regex-lite` pattern, each of three bytes or more.
pub(crate) fn required(pattern: &str) -> Option<Vec<String>> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).nest_limit(60).build();
    facts(&parser.parse(pattern).ok()?).into_usable()
}

/// What is known of every match of an expression.
enum Facts {
    /// It is one of these texts.
    Exactly(Vec<String>),
    /// It contains one of these.
    OneOf(Vec<String>),
    Nothing,
}

impl Facts {
    fn into_usable(self) -> Option<Vec<String>> {
        match self {
            Self::Exactly(texts) => usable(texts),
            Self::OneOf(found) => Some(found),
            Self::Nothing => None,
        }
    }
}

fn facts(hir: &Hir) -> Facts {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Facts::Exactly(vec![String::new()]),
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).map_or(Facts::Nothing, |text| Facts::Exactly(vec![fold(text)]))
        }
        HirKind::Class(class) => one_letter(class).map_or(Facts::Nothing, |c| Facts::Exactly(vec![c.into()])),
        HirKind::Capture(capture) => facts(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min == 0 => Facts::Nothing,
        HirKind::Repetition(repetition) => some_of(facts(&repetition.sub).into_usable()),
        HirKind::Concat(parts) => of_sequence(parts),
        HirKind::Alternation(parts) => of_alternatives(parts.iter().map(facts).collect()),
    }
}

fn of_alternatives(parts: Vec<Facts>) -> Facts {
    if parts.len() <= MOST_EXACT && parts.iter().all(|part| matches!(part, Facts::Exactly(_))) {
        let texts = parts.into_iter().flat_map(|part| match part {
            Facts::Exactly(texts) => texts,
            Facts::OneOf(_) | Facts::Nothing => Vec::new(),
        });
        return Facts::Exactly(texts.collect());
    }
    let found: Option<Vec<Vec<String>>> = parts.into_iter().map(Facts::into_usable).collect();
    some_of(found.map(|found| found.concat()))
}

/// The most telling literals of a sequence, joined where neighbours are known exactly.
fn of_sequence(parts: &[Hir]) -> Facts {
    let mut best: Option<Vec<String>> = None;
    let mut run = vec![String::new()];
    let mut exact = true;
    for part in parts {
        match facts(part) {
            Facts::Exactly(texts) if run.len() * texts.len() <= MOST_EXACT => run = joined(&run, &texts),
            other => {
                exact = false;
                best = better(best, usable(std::mem::replace(&mut run, vec![String::new()])));
                best = better(best, other.into_usable());
            }
        }
    }
    if exact { Facts::Exactly(run) } else { some_of(better(best, usable(run))) }
}

fn joined(starts: &[String], ends: &[String]) -> Vec<String> {
    starts.iter().flat_map(|start| ends.iter().map(move |end| format!("{start}{end}"))).collect()
}

/// Prefers long literals, then few of them.
fn better(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    let rank = |found: &Vec<String>| {
        (found.iter().map(String::len).min().unwrap_or(0).min(8), usize::MAX - found.len())
    };
    match (one, other) {
        (Some(one), Some(other)) => Some(if rank(&other) > rank(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

fn usable(found: Vec<String>) -> Option<Vec<String>> {
    (found.len() <= MOST && found.iter().all(|literal| literal.len() >= LEAST)).then_some(found)
}

fn some_of(found: Option<Vec<String>>) -> Facts {
    found.map_or(Facts::Nothing, Facts::OneOf)
}

/// The letter of a class that holds only its two cases.
fn one_letter(class: &Class) -> Option<char> {
    let Class::Bytes(bytes) = class else { return None };
    let mut letters = bytes.ranges().iter().flat_map(|range| range.start()..=range.end());
    let first = letters.next().filter(u8::is_ascii)?.to_ascii_lowercase();
    letters.all(|letter| letter.to_ascii_lowercase() == first).then_some(first.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, expected: &[&str]) {
        match literals(&Trigger::Pattern(pattern.to_owned())) {
            Literals::Always => assert_eq!(expected, ["always"], "{pattern}"),
            Literals::AnyOf { substrings, .. } => assert_eq!(substrings, expected, "{pattern}"),
        }
    }

    #[test]
    fn patterns_give_up_their_longest_necessary_literals() {
        check("implement.*auth", &["implement"]);
        check("auth|login", &["auth", "login"]);
        check("Big.?Endian", &["endian"]);
        check("(link|static) build", &["(link", "link build", "static build", "static) build"]);
        check(r"\.gz", &[".gz"]);
        check("(?i)Foo+bar", &["bar"]);
    }

    #[test]
    fn patterns_without_a_usable_literal_are_always_verified() {
        for pattern in [".*", "ci", "", "a|jemalloc", r"\d+", "x?y?", "(?=a)", "auth|"] {
            check(pattern, &["always"]);
        }
    }

    #[test]
    fn paths_and_language_have_literals_too() {
        let path = literals(&Trigger::Path("src/**/*.{js,ts}".into()));
        assert_eq!(path, Literals::AnyOf { substrings: vec!["src/".into()], words: vec![] });
        let Literals::AnyOf { words, .. } =
            literals(&Trigger::Text("When implementing authentication".into()))
        else {
            panic!("words are known");
        };
        let stems: Vec<&str> = words.iter().map(|(stem, _)| stem.as_str()).collect();
        assert_eq!(stems, ["implement", "authent"]);
        assert!((words.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-3, "{words:?}");
    }
}
