//! What a text states, clause by clause: which values, of what, and which values no more.
//!
//! Two texts that speak of the same thing disagree where the same unit or the
//! same name has another number, or where one puts behind a "not", "was" or
//! "than" what the other states. The only words that are known here are
//! numbers, units, months and those little words.

use std::collections::HashSet;

use crate::admission::prose::denies;
use crate::admission::read::{bare, is_particular};
use crate::rank::kin::Kin;
use crate::words::{Term, terms};

/// Most clauses of a text that are looked at.
const MOST: usize = 60;

/// One clause.
pub(super) struct Clause {
    terms: Vec<Term>,
    numbers: Vec<Number>,
    /// Names of code, and what is written with a capital letter inside the clause.
    names: Vec<String>,
    /// Particular things that it says to be so no more, or not.
    denied: Vec<String>,
    /// Whether it says no.
    denies: bool,
}

/// A number and what it counts.
#[derive(Clone, Debug, PartialEq)]
struct Number {
    value: String,
    /// The unit or noun behind it.
    unit: String,
    /// The name before it.
    name: String,
}

/// Cuts a text into what it states.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let text = text.replace(['\n', '\r'], " ");
    let mut cut: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let lower = word.to_lowercase();
        if JOINTS.contains(&lower.trim_matches(|c: char| !c.is_alphanumeric())) || word.starts_with('(') {
            cut.push(String::new());
        }
        let last = cut.last_mut().expect("there is a first clause");
        last.push_str(word);
        last.push(' ');
        if word.ends_with(['.', ';', ':', ',', ')', '!', '?']) {
            cut.push(String::new());
        }
    }
    cut.iter()
        .filter(|clause| clause.contains(char::is_alphanumeric))
        .take(MOST)
        .map(|c| Clause::of(c))
        .collect()
}

/// Words that begin another clause.
const JOINTS: &[&str] = &[
    "but",
    "because",
    "since",
    "so",
    "otherwise",
    "unless",
    "while",
    "whereas",
    "which",
    "although",
    "aber",
    "weil",
    "pero",
    "porque",
    "mais",
    "car",
];

/// Words behind which stands what was, or what is not.
#[rustfmt::skip]
const BEHIND: &[&str] = &["not", "than", "was", "were", "instead", "previously", "formerly", "from", "replaces", "replaced", "nicht", "statt", "war", "antes", "era", "auparavant"];

impl Clause {
    fn of(text: &str) -> Self {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "`\"'()[]{},;=:<>|".contains(c))
            .map(|word| bare(word).trim_start_matches("./"))
            .filter(|word| word.contains(char::is_alphanumeric))
            .collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let (mut numbers, mut names, mut denied) = (Vec::new(), Vec::new(), Vec::new());
        for (at, word) in lower.iter().enumerate() {
            let after = lower[..at].iter().rev().take(3).any(|word| BEHIND.contains(&word.as_str()));
            if MONTHS.contains(&word.as_str()) {
                numbers.push(Number { value: word.clone(), unit: "month".to_owned(), name: String::new() });
            } else if let Some((value, unit)) = number(word) {
                let next = lower.get(at + 1).map_or("", String::as_str);
                let unit = if unit.is_empty() { singular(next) } else { unit };
                let before = at.checked_sub(1).map_or("", |at| lower[at].as_str());
                let name = if before.len() > 2 && number(before).is_none() { before } else { "" };
                if after {
                    denied.push(value.clone());
                }
                numbers.push(Number { value, unit: unit_of(&unit), name: name.to_owned() });
            } else if is_particular(words[at])
                || (at > 0 && words[at].len() > 2 && words[at].starts_with(char::is_uppercase))
            {
                if after {
                    denied.push(word.clone());
                }
                names.push(word.clone());
            }
        }
        let denies = denies(&text.to_lowercase());
        Self { terms: terms(text), numbers, names, denied, denies }
    }

    /// Whether it says no.
    pub(super) fn is_denial(&self) -> bool {
        self.denies
    }

    /// What it names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Its numbers.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.numbers.iter().map(|number| number.value.as_str())
    }

    /// How far two clauses say the same of the same.
    pub(super) fn alike(&self, other: &Self) -> f32 {
        let shared = self.terms.iter().filter(|term| other.terms.contains(term)).count();
        if shared < 2 {
            return 0.0;
        }
        (share(&self.terms, &other.terms) + share(&other.terms, &self.terms)) / 2.0
    }
}

/// The share of some terms that others have, or nearly have.
fn share(of: &[Term], among: &[Term]) -> f32 {
    let kin = Kin::built_in();
    let has = |term: &Term| {
        if among.contains(term) {
            return 1.0;
        }
        kin.of(*term).filter(|(other, _)| among.contains(other)).map(|(_, alike)| alike).fold(0.0, f32::max)
    };
    of.iter().map(has).sum::<f32>() / of.len().max(1) as f32
}

/// How what one text states stands to what another states.
#[derive(Clone, Debug, Default)]
pub(super) struct Stand {
    /// How alike the nearest two clauses are that give another number for the same.
    pub(super) number: f32,
    /// Whether something that the other states is said to be past.
    pub(super) replaced: bool,
    /// Numbers that both have.
    pub(super) agreed: usize,
    /// Numbers that only the first has.
    pub(super) fresh: usize,
}

impl Stand {
    pub(super) fn of(text: &[Clause], known: &[Clause]) -> Self {
        let values = |clauses: &[Clause]| -> HashSet<String> {
            clauses
                .iter()
                .flat_map(|clause| clause.numbers.iter().map(|number| number.value.clone()))
                .collect()
        };
        let names = |clauses: &[Clause]| -> HashSet<String> {
            clauses.iter().flat_map(|clause| clause.names.iter().cloned()).collect()
        };
        let (own, theirs) = (values(text), values(known));
        let their_names = names(known);
        let denied: HashSet<&String> = text.iter().flat_map(|clause| &clause.denied).collect();
        let also: HashSet<&String> = known.iter().flat_map(|clause| &clause.denied).collect();
        let mut stand = Self {
            replaced: denied
                .iter()
                .any(|word| (theirs.contains(*word) || their_names.contains(*word)) && !also.contains(*word)),
            agreed: own.intersection(&theirs).count(),
            fresh: own.difference(&theirs).count(),
            ..Self::default()
        };
        for one in text {
            for other in known {
                let alike = one.alike(other);
                let new = |number: &&Number| !theirs.contains(&number.value);
                let old = |number: &&Number| !own.contains(&number.value) || denied.contains(&number.value);
                // The same name with another number says it plainly; the same unit only where the clauses are alike.
                let weight = |a: &Number, b: &Number| {
                    if !a.name.is_empty() && a.name == b.name {
                        0.6
                    } else if !a.unit.is_empty() && a.unit == b.unit {
                        0.3
                    } else {
                        0.0
                    }
                };
                let olds: Vec<&Number> = other.numbers.iter().filter(old).collect();
                let pairs =
                    one.numbers.iter().filter(new).flat_map(|a| olds.iter().map(move |b| weight(a, b)));
                let weight = pairs.fold(0.0, f32::max);
                if weight > 0.0 {
                    stand.number = stand.number.max(weight + alike);
                }
            }
        }
        stand
    }
}

/// A number as it is compared, and the unit that clings to it.
fn number(word: &str) -> Option<(String, String)> {
    if let Some(value) = WORDS.iter().position(|known| *known == word) {
        return Some((value.to_string(), String::new()));
    }
    if let Some((_, value)) = TENS.iter().find(|(known, _)| *known == word) {
        return Some(((*value).to_owned(), String::new()));
    }
    let plain = without_marks(word);
    let unit = plain.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let value = plain[..plain.len() - unit.len()].trim_end_matches('.');
    let numeric = plain.starts_with(|c: char| c.is_ascii_digit())
        && unit.len() <= 3
        && unit.chars().all(char::is_alphabetic);
    let unit = if matches!(unit, "st" | "nd" | "rd" | "th") { "" } else { unit };
    numeric.then(|| (value.to_owned(), unit.to_owned()))
}

/// A number without what only groups its digits: `3_000`, `3,000`; many write `3,5` for 3.5.
fn without_marks(word: &str) -> String {
    let is_decimal = |(before, behind): &(&str, &str)| {
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (1..=2).contains(&digits) && !before.contains(',') && before.bytes().all(|byte| byte.is_ascii_digit())
    };
    match word.split_once(',').filter(is_decimal) {
        Some((whole, part)) => format!("{whole}.{part}"),
        None => word.replace(['_', ','], ""),
    }
}

/// Those that stand for tens, and one that stands for twelve.
#[rustfmt::skip]
const TENS: &[(&str, &str)] = &[
    ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"), ("seventy", "70"), ("eighty", "80"), ("ninety", "90"), ("dozen", "12"),
];

/// Numbers in words; "one" is too often no number.
const WORDS: &[&str] = &[
    "zero",
    "",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn singular(word: &str) -> String {
    let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
    plain.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(plain).to_owned()
}

/// One spelling for the units that have several.
fn unit_of(unit: &str) -> String {
    let unit = match unit {
        "s" | "sec" | "second" => "s",
        "min" | "minute" => "min",
        "h" | "hour" | "hr" => "h",
        "ms" | "millisecond" => "ms",
        "kb" | "kib" | "kilobyte" => "kb",
        "mb" | "mib" | "megabyte" => "mb",
        "gb" | "gib" | "gigabyte" => "gb",
        "of" | "the" | "and" | "or" | "to" | "in" | "a" | "is" | "for" | "at" | "with" | "by" | "on"
        | "are" => "",
        other => other,
    };
    unit.to_owned()
}
