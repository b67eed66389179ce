//! One document, read: the counts that every leg needs, independent of the others.

use crate::embed::{Embedder, Vector, passages};
use crate::words::{Term, analyse};

/// The fields of a memory, in the order of [`Counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The title.
    Title,
    /// `whenToUse`, as text.
    Triggers,
    /// Tags.
    Tags,
    /// What an agent would be shown.
    Body,
}

/// How many fields there are.
pub const FIELDS: usize = 4;

/// Occurrences of a term per field.
pub type Counts = [u16; FIELDS];

/// Terms per field.
pub type Lengths = [u16; FIELDS];

/// More terms than this in a field are not told apart.
pub const LONGEST: u16 = u16::MAX - 1;

/// A memory as ranking sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'t> {
    /// Its title; may be empty.
    pub title: &'t str,
    /// Its triggers, one per line.
    pub triggers: &'t str,
    /// Its tags, separated by spaces.
    pub tags: &'t str,
    /// Its body.
    pub body: &'t str,
}

/// A document's counts and passages.
#[derive(Clone, Debug, Default)]
pub struct Analysed {
    /// Distinct terms, sorted, with their occurrences per field.
    pub terms: Vec<(Term, Counts)>,
    /// Terms per field, repetitions counted, [`LONGEST`] at most.
    pub lengths: Lengths,
    /// The passages: title first where there is one, then the body's.
    pub passages: Vec<Passage>,
    /// What each sentence is about, the title first; one that the opening said already is left out.
    pub sentences: Vec<Vector>,
}

/// A stretch of a document that is matched as one.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Distinct terms, sorted, with their occurrences.
    pub terms: Vec<(Term, u16)>,
    /// Identities of neighbouring terms, sorted.
    pub pairs: Vec<Term>,
    /// Terms, repetitions counted.
    pub length: u32,
    /// What it is about.
    pub vector: Vector,
}

impl Analysed {
    /// Reads a document.
    pub fn of(document: &Document<'_>, embedder: &Embedder<'_>) -> Self {
        let mut all: Vec<(Term, usize)> = Vec::new();
        let fields = [document.head(), document.triggers, document.tags, document.first(READ)];
        for (field, text) in fields.iter().enumerate() {
            analyse(text, |term, _| all.push((Term::of(term), field)));
        }
        all.sort_unstable();
        let mut read = Self::default();
        for (term, field) in all {
            read.lengths[field] = (read.lengths[field] + 1).min(LONGEST);
            match read.terms.last_mut() {
                Some((last, counts)) if *last == term => counts[field] = counts[field].saturating_add(1),
                _ => {
                    let mut counts = Counts::default();
                    counts[field] = 1;
                    read.terms.push((term, counts));
                }
            }
        }
        let told = sentences(document.title).chain(sentences(document.first(MEANT)));
        for text in told {
            let vector = embedder.embed(text);
            // A heading often says the title again.
            if !read.sentences.iter().take(OPENING).any(|known| *known == vector) {
                read.sentences.push(vector);
            }
        }
        read.passages = document.passages().map(|text| Passage::of(text, embedder)).collect();
        read
    }

    /// Identities of the neighbouring terms of all passages, sorted, each once.
    pub fn pairs(&self) -> Vec<Term> {
        each_once(self.passages.iter().flat_map(|p| p.pairs.iter().copied()).collect())
    }
}

impl<'t> Document<'t> {
    /// The title or, of a text that has none, its opening: what a text is about stands there.
    fn head(&self) -> &'t str {
        if self.title.is_empty() { self.first(HEAD) } else { self.title }
    }

    /// The beginning of the body, whole characters.
    fn first(&self, bytes: usize) -> &'t str {
        &self.body[..self.body.floor_char_boundary(bytes)]
    }

    /// The title, where there is one, and the body's passages: what each vector stands for.
    pub fn passages(&self) -> impl Iterator<Item = &'t str> {
        let body = self.first(MEANT);
        let title = std::iter::once(self.title).filter(|t| !t.trim().is_empty());
        title.chain(passages(body).into_iter().map(move |range| &body[range]))
    }

    /// Identities of the neighbouring terms of all passages, sorted, each once.
    pub fn pairs(&self) -> Vec<Term> {
        each_once(self.passages().flat_map(|text| neighbours(text).1).collect())
    }

    /// What the passages are about.
    pub(crate) fn vectors(&self, embedder: &Embedder<'_>) -> Vec<Vector> {
        self.passages().map(|text| embedder.embed(text)).collect()
    }
}

/// Sorted, each once.
fn each_once(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// A text's terms, and the identities of those that stand side by side.
fn neighbours(text: &str) -> (Vec<Term>, Vec<Term>) {
    let (mut terms, mut pairs) = (Vec::new(), Vec::new());
    let mut last: Option<(Term, u32)> = None;
    analyse(text, |term, at| {
        let term = Term::of(term);
        if let Some((before, was)) = last
            && at.wrapping_sub(was) <= 2
        {
            pairs.push(before.pair(term));
        }
        last = Some((term, at));
        terms.push(term);
    });
    (terms, pairs)
}

impl Passage {
    fn of(text: &str, embedder: &Embedder<'_>) -> Self {
        let (mut terms, pairs) = neighbours(text);
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        terms.sort_unstable();
        let mut counted: Vec<(Term, u16)> = Vec::new();
        for term in terms {
            match counted.last_mut() {
                Some((last, n)) if *last == term => *n = n.saturating_add(1),
                _ => counted.push((term, 1)),
            }
        }
        Self { terms: counted, pairs: each_once(pairs), length, vector: embedder.embed(text) }
    }
}

/// Looks a term up in a sorted list.
pub(crate) fn find<T: Copy>(sorted: &[(Term, T)], term: Term) -> Option<T> {
    sorted.binary_search_by_key(&term, |(t, _)| *t).ok().map(|at| sorted[at].1)
}

/// Sentences of a memory's opening that are not kept twice.
const OPENING: usize = 4;

/// How much of a text without a title stands for one, in bytes.
const HEAD: usize = 120;

/// How much of a body is searched by its words, in bytes. An agent is never shown as much, and a file
/// that somebody filled with anything must not hold up the rest.
const READ: usize = 256 * 1024;

/// How much of a body is asked what it is about, in bytes: that costs ten times as much as its words.
const MEANT: usize = 64 * 1024;

/// Fewer words than this are no clause of their own.
const CLAUSE_WORDS: usize = 3;

/// A text's sentences, without those that say nothing.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    split(text, |c| matches!(c, '.' | '!' | '?' | ';'))
}

/// A question's clauses: its sentences, cut at commas and colons too.
pub(crate) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    split(text, |c| matches!(c, '.' | '!' | '?' | ';' | ',' | ':'))
}

/// Cuts behind every mark that a space follows, and at every line.
fn split(text: &str, is_mark: impl Fn(char) -> bool + Copy) -> impl Iterator<Item = &str> {
    text.lines().flat_map(move |line| {
        let mut start = 0;
        let mut after_mark = false;
        let mut cuts = Vec::new();
        for (at, c) in line.char_indices() {
            if c.is_whitespace() && after_mark && line[start..at].split_whitespace().count() >= CLAUSE_WORDS {
                cuts.push(&line[start..at]);
                start = at;
            }
            after_mark = is_mark(c);
        }
        cuts.push(&line[start..]);
        cuts.into_iter().filter(|cut| cut.contains(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Analysed {
        Analysed::of(&Document { body, ..Document::default() }, &Embedder::built_in())
    }

    #[test]
    fn a_body_without_end_costs_what_its_beginning_costs() {
        let read = read(&format!("{}{}", "---\n".repeat(MEANT / 4), "word \n".repeat(1 << 20)));
        // A passage has at most 120 words, and here none is cut off early.
        assert_eq!(read.passages.len(), (MEANT / 4).div_ceil(120));
        assert!(read.sentences.is_empty());
        assert_eq!(read.lengths, [0, 0, 0, ((READ - MEANT) / 6) as u16]);
    }

    #[test]
    fn the_opening_of_a_text_without_a_title_stands_for_one() {
        let body = format!("Parse dates. {}", "Then it goes on. ".repeat(20));
        let titles = |title: &str| {
            let read =
                Analysed::of(&Document { title, body: &body, ..Document::default() }, &Embedder::built_in());
            find(&read.terms, Term::of("pars")).map(|counts| counts[Field::Title as usize])
        };
        assert_eq!(titles(""), Some(1));
        assert_eq!(titles("Of time"), Some(0));
    }

    #[test]
    fn words_behind_what_is_read_for_its_meaning_are_found() {
        let read = read(&format!("{}the last word", "---\n".repeat(MEANT / 4)));
        assert!(find(&read.terms, Term::of("last")).is_some());
        assert!(read.sentences.is_empty());
    }

    #[test]
    fn a_body_is_never_cut_within_a_character() {
        // Three bytes each, so both limits fall into the middle of one.
        const { assert!(!READ.is_multiple_of(3) && !MEANT.is_multiple_of(3)) };
        assert_eq!(read(&"☃".repeat(READ)).lengths, [0; FIELDS]);
    }
}
