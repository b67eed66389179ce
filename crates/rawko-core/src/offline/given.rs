//! Which of the memories that a session was given a person means who does not name it: "it's 50 now", "that rule is gone".
//!
//! The agent was told something before the turn, and what it says before or after the person's words mostly shows that it
//! is what they are about. Where it does not, a memory is meant only if nothing else can be. Of two that may be meant, neither is.

use std::collections::HashSet;

use super::anchors::{Sort, anchors};
use super::denied::{Denial, Reply, STORED, is_order};
use super::occasions::may_name_a_program;
use super::pointing::{Pointing, Points, Value, is_coded, number, unnamed};
use super::talk::is_request;
use super::wishes::capital;
use super::{set, share_of};
use crate::rank::sentences;
use crate::run_record::head;
use crate::stem::stem;
use crate::words::{Term, terms};

/// Share of a memory's words, or so many of them, from which a sentence of the agent's speaks of it.
const SPOKEN_OF: f32 = 0.3;
const WORDS: usize = 3;
/// So few touch on it; share of a sentence's own words from which they are enough.
const TOUCHED: usize = 2;
const MOSTLY: f32 = 0.5;
/// So many sentences before and after the message are asked.
const NEAR: usize = 4;
/// How much nearer one must be than the next.
const AHEAD: f32 = 1.3;
/// Fewest words that tell something.
const LEAST: usize = 3;
/// Most bytes of a memory's title that a correction repeats.
const TITLE: usize = 90;

/// A memory that the session was given before a message.
#[derive(Clone, Copy, Debug)]
pub struct Given<'t> {
    /// What it is called.
    pub title: &'t str,
    /// What it says.
    pub text: &'t str,
    /// Whether it was given since the person's message before.
    pub is_latest: bool,
}

impl Reply<'_> {
    /// Whether the message may mean something that it does not name: then it matters what the session was given.
    pub fn names_nothing(&self) -> bool {
        unnamed(self.sentences()).is_some() || Pointing::of(self.message(), self.sentences()).is_some()
    }

    /// The one of these that the message speaks against without naming it, by its place, and what is said instead.
    pub fn against_given(&self, given: &[Given<'_>]) -> Option<(usize, Denial)> {
        let pointing = Pointing::of(self.message(), self.sentences())?;
        let latest = given.iter().filter(|one| one.is_latest).count();
        let near = |one: &Given<'_>| {
            let memory = Read::of(one);
            let can_be = memory.fits(&pointing.points) && memory.is_spoken_of_in(&pointing.before);
            let said = self.said_near().map(|said| memory.nearness(said)).fold(0.0, f32::max);
            let alone = one.is_latest && latest == 1 && self.leaves_open(&pointing, &memory);
            (can_be && (said > 0.0 || alone)).then_some(said)
        };
        let near: Vec<Option<f32>> = given.iter().map(near).collect();
        let n = meant(given, &near)?;
        self.is_about_no_other(&given[n]).then(|| (n, self.denial(&pointing, &given[n])))
    }

    /// What the agent said near the message, sentence by sentence.
    fn said_near(&self) -> impl Iterator<Item = &str> {
        let before: Vec<&str> = sentences(self.answered()).collect();
        let after = sentences(self.answer().unwrap_or_default()).take(NEAR);
        before.into_iter().rev().take(NEAR).chain(after)
    }

    /// Whether nothing that was said could be meant besides: a rule is named, or a number where there is no other.
    fn leaves_open(&self, pointing: &Pointing, memory: &Read) -> bool {
        match &pointing.points {
            Points::Over { named } => named.is_some(),
            Points::Now(Value::Number(own, _)) => {
                let others = [self.answered(), self.answer().unwrap_or_default(), self.asked()];
                let is_other =
                    |text: &str| numbers(text).iter().any(|n| n != own && !memory.numbers.contains(n));
                pointing.is_all && !others.iter().any(|text| is_other(text))
            }
            Points::Now(_) => false,
        }
    }

    /// Whether the message denies nothing else that the agent said.
    fn is_about_no_other(&self, one: &Given<'_>) -> bool {
        let memory = Read::of(one);
        self.denied_claims().iter().all(|(claim, _)| memory.shared(&terms(claim)) >= TOUCHED)
    }

    fn denial(&self, pointing: &Pointing, one: &Given<'_>) -> Denial {
        let told: Vec<&str> = pointing.told.iter().map(String::as_str).filter(|told| tells(told)).collect();
        let told: Vec<&str> = match (&pointing.points, told.is_empty()) {
            (Points::Now(_), true) => pointing.told.iter().take(1).map(String::as_str).collect(),
            _ => told,
        };
        let told = told.join(", ").trim_end_matches(['.', '!', ' ']).to_owned();
        let old = head(one.title.trim_end_matches([' ', '…', '.']), TITLE);
        let (title, text) = match told.is_empty() {
            true => (String::new(), String::new()),
            false => (capital(format!("{told} ({old})")), format!("“{old}” does not hold any more: {told}.")),
        };
        Denial { sure: STORED, said: self.message().to_owned(), title, text }
    }
}

/// The one that is meant: of those that were given last, or of all that the agent speaks of; clearly nearer than others.
fn meant(given: &[Given<'_>], near: &[Option<f32>]) -> Option<usize> {
    let latest = |n: &usize| given[*n].is_latest;
    let all: Vec<usize> = (0..given.len()).filter(|n| near[*n].is_some()).collect();
    let mut of: Vec<usize> = all.iter().copied().filter(latest).collect();
    if of.is_empty() {
        of = all;
    }
    of.sort_by(|a, b| near[*b].unwrap_or(0.0).total_cmp(&near[*a].unwrap_or(0.0)));
    match of.as_slice() {
        [] => None,
        [one] => Some(*one),
        [one, next, ..] => {
            let nearness = |n: &usize| near[*n].unwrap_or(0.0);
            (nearness(one) > AHEAD * nearness(next)).then_some(*one)
        }
    }
}

/// A clause that says how it is, and not what is to be done.
fn tells(clause: &str) -> bool {
    clause.split_whitespace().count() >= LEAST && !is_request(clause) && !is_order(clause)
}

/// The numbers of a text, as digits.
fn numbers(text: &str) -> Vec<String> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '`' | '"' | ':' | ';' | '='));
    words
        .filter_map(|word| number(&word.trim_matches(['.', ',', '!', '?']).to_lowercase()))
        .map(|(n, _)| n)
        .collect()
}

/// What a number looks like: no size becomes a year, a release or an answer of a server.
#[derive(PartialEq)]
enum Figure {
    Year,
    Release,
    Answer,
    Size,
}

impl Figure {
    fn of(number: &str) -> Self {
        const ANSWERS: [&str; 12] =
            ["400", "401", "403", "404", "405", "409", "410", "422", "429", "502", "503", "504"];
        let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        match () {
            () if is_year => Self::Year,
            () if number.matches('.').count() > 1 => Self::Release,
            () if ANSWERS.contains(&number) => Self::Answer,
            () => Self::Size,
        }
    }
}

/// A memory, read once.
struct Read {
    words: Vec<Term>,
    set: HashSet<Term>,
    /// Its words in lower case, without marks.
    bare: Vec<String>,
    numbers: Vec<String>,
    names: Vec<String>,
}

impl Read {
    fn of(one: &Given<'_>) -> Self {
        let whole = format!("{}. {}", one.title, one.text);
        let words = terms(&whole);
        let marks = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '`' | '"' | ':');
        let bare = whole.to_lowercase();
        let bare = bare.split(marks).map(|word| word.trim_end_matches('.').to_owned());
        let is_name =
            |sort: Sort| matches!(sort, Sort::Name | Sort::Path | Sort::Code | Sort::Flag | Sort::Command);
        let names = anchors(&whole)
            .into_iter()
            .filter(|name| is_name(name.sort))
            .map(|name| name.text.to_lowercase());
        Self {
            set: set(&words),
            words,
            bare: bare.filter(|word| !word.is_empty()).collect(),
            numbers: numbers(&whole),
            names: names.collect(),
        }
    }

    /// Whether it says something that could be over, or has another value of the same kind.
    fn fits(&self, points: &Points) -> bool {
        let has = |word: &String| self.bare.contains(word);
        match points {
            Points::Over { named } => named.iter().flatten().all(|word| self.says(word)),
            Points::Now(Value::Number(own, unit)) => {
                let alike = |number: &String| Figure::of(number) == Figure::of(own);
                self.numbers.iter().any(alike)
                    && !self.numbers.contains(own)
                    && unit.as_ref().is_none_or(|unit| self.counts(unit))
            }
            Points::Now(Value::Program(own)) => {
                !has(own) && self.bare.iter().any(|word| may_name_a_program(word))
            }
            Points::Now(Value::Coded(own)) => {
                let alike = |word: &&String| word.contains('/') == own.contains('/') && is_coded(word);
                !has(own) && self.bare.iter().any(|word| alike(&word))
            }
        }
    }

    /// Whether a word, unless it says nothing, is one of the memory's.
    fn says(&self, word: &str) -> bool {
        terms(word).iter().all(|term| self.set.contains(term))
            || matches!(word, "old" | "whole" | "same" | "other")
    }

    /// Whether something is counted in this unit.
    fn counts(&self, unit: &str) -> bool {
        const SHORT: [(&str, &str); 6] = [
            ("s", "second"),
            ("sec", "second"),
            ("min", "minut"),
            ("h", "hour"),
            ("d", "dai"),
            ("k", "thousand"),
        ];
        let full = |unit: &str| {
            let short = SHORT.iter().find(|(short, _)| *short == unit);
            short.map_or_else(|| stem(unit).into_owned(), |(_, full)| (*full).to_owned())
        };
        let own = full(unit);
        let suffix = |word: &str| number(word).and_then(|(_, suffix)| suffix);
        self.bare
            .iter()
            .any(|word| full(word) == own || suffix(word).is_some_and(|suffix| full(&suffix) == own))
    }

    /// Whether what was said before the words that point back is of it, or nothing was.
    fn is_spoken_of_in(&self, before: &str) -> bool {
        let words = terms(before);
        words.is_empty() || words.iter().any(|word| self.set.contains(word))
    }

    /// How many of these words are the memory's.
    fn shared(&self, words: &[Term]) -> usize {
        words.iter().filter(|word| self.set.contains(word)).count()
    }

    /// How far a sentence speaks of it; 0 where it does not.
    fn nearness(&self, sentence: &str) -> f32 {
        let said = terms(sentence);
        let own = set(&said);
        let share = share_of(&self.words, &own);
        let its_number = numbers(sentence).iter().any(|number| self.numbers.contains(number));
        let count = self.shared(&said);
        let lower = sentence.to_lowercase();
        let named = its_number || self.names.iter().any(|name| lower.contains(name.as_str()));
        let little_else = share_of(&said, &self.set) >= MOSTLY;
        if share >= SPOKEN_OF || count >= WORDS || count >= TOUCHED && (named || little_else) {
            share
        } else {
            0.0
        }
    }
}
