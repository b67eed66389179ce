//! A question, read once: what every leg of a search asks for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::aside::asides;
use super::text::clauses;
use crate::embed::{Embedder, Vector};
use crate::stem::stem;
use crate::trigger::head_and_tail;
use crate::words::{Term, analyse, terms};

/// Bytes of a question that are read: what stands between its beginning and its end is story, and every distinct word
/// costs lookups.
const MOST: usize = 16 * 1024;

/// The part of a question that is read.
pub(crate) fn heard(text: &str) -> Cow<'_, str> {
    head_and_tail(text, MOST)
}

/// A question, read once.
#[derive(Clone, Debug)]
pub struct Query {
    /// Distinct terms in order of appearance.
    pub terms: Vec<Term>,
    /// Neighbouring terms, as (first, second) places in `terms`.
    pub pairs: Vec<(usize, usize)>,
    /// Terms of `terms` that only say when: the words by which a query asks for how things stand now.
    pub when: Vec<Term>,
    /// Terms of `terms` that stand beside what is asked about: that it is asked for, and when it was.
    pub aside: Vec<Term>,
    /// What it is about.
    pub vector: Vector,
    /// What each clause is about, with its terms.
    pub clauses: Vec<(Vector, Vec<Term>)>,
}

impl Query {
    /// Reads a question: of a very long one, its beginning and its end.
    pub fn of(text: &str, embedder: &Embedder<'_>) -> Self {
        let text = &*heard(text);
        let beside = asides(text);
        let about = without(text, &beside);
        let mut query = Self {
            when: when(text),
            aside: beside.iter().flat_map(|range| terms(&text[range.clone()])).collect(),
            vector: embedder.embed(&about),
            clauses: clauses(&about).map(|c| (embedder.embed(c), terms(c))).collect(),
            terms: Vec::new(),
            pairs: Vec::new(),
        };
        let mut places: HashMap<Term, usize> = HashMap::new();
        let mut last: Option<(usize, u32)> = None;
        analyse(text, |term, at| {
            let term = Term::of(term);
            let place = *places.entry(term).or_insert_with(|| {
                query.terms.push(term);
                query.terms.len() - 1
            });
            if let Some((before, was)) = last
                && at.wrapping_sub(was) <= 2
                && before != place
            {
                query.pairs.push((before, place));
            }
            last = Some((place, at));
        });
        query
    }
}

/// A question without its asides, or whole where it has nothing else.
fn without<'t>(text: &'t str, beside: &[Range<usize>]) -> Cow<'t, str> {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for range in beside {
        rest.push_str(&text[from..range.start]);
        from = range.end;
    }
    rest.push_str(&text[from..]);
    if beside.is_empty() || terms(&rest).is_empty() { text.into() } else { rest.into() }
}

/// Words that ask for the newest state of a thing.
#[rustfmt::skip]
const NOW: [&str; 12] = [
    "anymore", "current", "currently", "latest", "longer", "newest",
    "now", "nowadays", "recent", "recently", "still", "today",
];

/// The words of a query that ask for the newest state, as terms.
fn when(text: &str) -> Vec<Term> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let asks = |word: &&str| NOW.iter().any(|now| word.eq_ignore_ascii_case(now));
    words.filter(asks).map(|word| Term::of(&stem(&word.to_ascii_lowercase()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Query {
        Query::of(text, &Embedder::built_in())
    }

    #[test]
    fn a_term_said_twice_counts_once() {
        assert_eq!(read("deploys, deploying").terms.len(), 1);
    }

    #[test]
    fn words_that_ask_for_now_are_told_apart_from_what_is_asked() {
        assert_eq!(read("What is our current convention?").when, [Term::of(&stem("current"))]);
        assert!(read("What was the first convention?").when.is_empty());
    }

    #[test]
    fn what_is_beside_the_point_is_told_apart_and_does_not_colour_the_meaning() {
        let (asked, plain) = (read("Can you recommend a film?"), read("Can you a film?"));
        assert_eq!(asked.aside, [Term::of(&stem("recommend"))]);
        assert_eq!(asked.vector, plain.vector);
        assert_ne!(read("Can you recommend?").vector, Vector::ZERO);
    }

    #[test]
    fn of_a_very_long_question_the_beginning_and_the_end_are_read() {
        let long = (0..200_000).map(|n| format!("é{n} ")).collect::<String>();
        let terms = read(&format!("first {long} last")).terms;
        assert!(terms.contains(&Term::of("first")) && terms.contains(&Term::of("last")));
        assert!(terms.len() < MOST / 4, "{}", terms.len());
    }

    #[test]
    fn each_clause_has_its_own_vector() {
        assert_eq!(read("Refactor the worker loop. Last time the queue was lost, I think.").clauses.len(), 3);
    }
}
