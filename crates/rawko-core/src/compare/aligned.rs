//! How the words of two texts stand to each other: which the other has in meaning, and which stand in the place of which.
//!
//! Every word of the one is held against every word of the other by the token table.
//! A text that says the same has a near word for each of its own; one that adds has a sentence without;
//! one that disagrees is near sentence by sentence, and there names something else or says no.

use std::collections::HashSet;
use std::iter::once;
use std::ops::Range;

use crate::admission::prose::denies;
use crate::admission::read::{Read, anchors, prose_words, told};
use crate::embed::{Embedder, Vector};
use crate::linear::{capped, flag};
use crate::words::terms;

/// Most words of a text that are held against the other's.
const MOST: usize = 240;
/// Words less alike than this say something else.
const ALIKE: f32 = 0.5;

/// How the words of a proposal stand to those of a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Aligned {
    /// How far the memory has the proposal's words, title left out, in these or near ones.
    pub(super) has: f32,
    /// How far the proposal has the memory's.
    pub(super) had: f32,
    /// How far the memory has the words of the proposal's title.
    pub(super) headed: f32,
    /// How far the proposal has those of the memory's.
    pub(super) heads: f32,
    /// How far the memory has the proposal's first sentence, and the one it has least of.
    pub(super) first: f32,
    pub(super) least: f32,
    /// How far the proposal has the memory's sentence that it has most of, and least of.
    pub(super) touched: f32,
    pub(super) untouched: f32,
    /// How alike the nearest two sentences are of which one says no.
    pub(super) flipped: f32,
    /// How alike the nearest two sentences are that each name something that the other text does not.
    pub(super) swapped: f32,
    /// In the nearest two sentences: what the words weigh that only the proposal's has.
    pub(super) new: f32,
    /// There, too: the names that the memory does not have.
    pub(super) named: f32,
    /// Whether the proposal says no anywhere, and whether the memory does.
    pub(super) no: f32,
    pub(super) noes: f32,
    /// How much longer the proposal is than the memory.
    pub(super) longer: f32,
    /// How long it is.
    pub(super) length: f32,
    /// Words of the proposal that the table does not know and the memory, in the same language, does not have: nothing
    /// tells what they mean, so they name something.
    pub(super) unknown: usize,
    /// How far the memory has what the proposal says beside the names of files and code.
    pub(super) beside_names: f32,
}

impl Aligned {
    pub(super) fn of((title, text): (&str, &Read), known: &Read, embedder: &Embedder<'_>) -> Self {
        let sentences = |read: &'_ Read| read.sentences.iter().map(|s| s.text.clone()).collect::<Vec<_>>();
        let own = Side::of(once(title.to_owned()).chain(sentences(text)), known, embedder);
        let theirs = Side::of(sentences(known).into_iter(), text, embedder);
        let grid = Grid::of(&own, &theirs);
        let back = grid.turned(theirs.words.len());
        let (all, known_all) = (0..own.words.len(), 0..theirs.words.len());
        let (head, known_head) = (own.head(), theirs.head());
        let body = head.end..all.end;
        let found = |of: &Range<usize>| grid.found(&own, of, &known_all);
        let kept = |of: &Range<usize>| back.found(&theirs, of, &all);
        let told: Vec<f32> =
            own.told().filter(|p| p.words.start >= body.start).map(|p| found(&p.words)).collect();
        let heard: Vec<f32> = theirs.told().map(|p| kept(&p.words)).collect();
        let pairs = pairs(&own, &theirs, &grid, &back);
        let best = |is: &dyn Fn(&Pair<'_>) -> bool| most(pairs.iter().filter(|p| is(p)).map(|p| p.alike));
        let mut aligned = Self {
            has: found(&body),
            had: kept(&known_all),
            headed: found(&head),
            heads: back.found(&theirs, &known_head, &body),
            first: told.first().copied().unwrap_or_default(),
            least: told.iter().copied().reduce(f32::min).unwrap_or_default(),
            touched: most(heard.iter().copied()),
            untouched: heard.iter().copied().reduce(f32::min).unwrap_or_default(),
            flipped: best(&|pair| pair.one.denies != pair.other.denies),
            swapped: best(&|pair| pair.one.named > 0 && pair.other.named > 0),
            no: flag(own.phrases.iter().any(|phrase| phrase.denies)),
            noes: flag(theirs.phrases.iter().any(|phrase| phrase.denies)),
            longer: ((text.lower.len() + 20) as f32 / (known.lower.len() + 20) as f32).ln(),
            length: capped(text.lower.len(), 600),
            unknown: unknown(text, known, embedder),
            beside_names: beside_names(text, known, embedder),
            ..Self::default()
        };
        if let Some(pair) = pairs.iter().max_by(|a, b| a.alike.total_cmp(&b.alike)) {
            aligned.new = grid.strange(&own, &pair.one.words, &pair.other.words) / 10.0;
            aligned.named = capped(pair.one.named, 3);
        }
        aligned
    }
}

/// How many words of a text neither the table nor the other text has; none where the two have no words in common: a text
/// in another language is all unknown words.
fn unknown(text: &Read, known: &Read, embedder: &Embedder<'_>) -> usize {
    let theirs = prose_words(&known.lower);
    let in_common =
        prose_words(&text.lower).iter().filter(|word| word.len() > 2 && theirs.contains(word)).count();
    let is_unknown = |word: &&str| {
        !embedder.knows(word)
            && !known.lower.contains(&word.to_lowercase())
            && !terms(word).iter().any(|term| known.terms.contains(term))
    };
    if in_common < 2 { 0 } else { words(&text.lower).filter(is_unknown).collect::<HashSet<_>>().len() }
}

/// How far a text has a near word for each word of another, where both are read without their names.
fn beside_names(text: &Read, known: &Read, embedder: &Embedder<'_>) -> f32 {
    let side = |read: &Read, other: &Read| {
        let prose = |word: &&str| {
            !word.trim_matches(|c: char| !c.is_alphanumeric()).contains(['/', '.', '_', ':', '`'])
        };
        let plain = |sentence: &str| sentence.split_whitespace().filter(prose).collect::<Vec<_>>().join(" ");
        Side::of(read.sentences.iter().map(|sentence| plain(&sentence.text)), other, embedder)
    };
    let (own, theirs) = (side(text, known), side(known, text));
    Grid::of(&own, &theirs).found(&own, &(0..own.words.len()), &(0..theirs.words.len()))
}

fn most(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.fold(0.0, f32::max)
}

/// A text as its words, with what each of them weighs.
struct Side {
    words: Vec<(Vector, f32)>,
    phrases: Vec<Phrase>,
}

/// A sentence or a title.
struct Phrase {
    /// Where its words stand.
    words: Range<usize>,
    /// How many things it names that the other text does not.
    named: usize,
    denies: bool,
}

impl Side {
    /// The first sentence counts as the title.
    fn of(sentences: impl Iterator<Item = String>, other: &Read, embedder: &Embedder<'_>) -> Self {
        let mut side = Self { words: Vec::new(), phrases: Vec::new() };
        for sentence in sentences {
            let from = side.words.len();
            if from == MOST {
                break;
            }
            let known = words(&sentence).map(|word| embedder.weigh(word)).filter(|(_, weight)| *weight > 0.0);
            side.words.extend(known.take(MOST - from));
            side.phrases.push(Phrase {
                words: from..side.words.len(),
                named: anchors(&sentence).iter().filter(|anchor| !other.has_anchor(anchor)).count(),
                denies: denies(&told(&sentence)),
            });
        }
        side
    }

    fn head(&self) -> Range<usize> {
        self.phrases.first().map_or(0..0, |phrase| phrase.words.clone())
    }

    /// The phrases that say something.
    fn told(&self) -> impl Iterator<Item = &Phrase> {
        self.phrases.iter().filter(|phrase| phrase.words.len() > 1)
    }
}

/// The words of a text, names of code in their parts.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let starts = text.char_indices().filter(move |(_, c)| {
        let was = std::mem::replace(&mut before, *c);
        let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
        kind(was) != kind(*c) || (was.is_lowercase() && c.is_uppercase())
    });
    let starts: Vec<usize> = starts.map(|(at, _)| at).chain(once(text.len())).collect();
    let cut: Vec<&str> = starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
    cut.into_iter().filter(|word| word.starts_with(char::is_alphanumeric))
}

/// How alike each word of one text is to each of another.
struct Grid(Vec<Vec<f32>>);

impl Grid {
    fn of(one: &Side, other: &Side) -> Self {
        let row = |(word, _): &(Vector, f32)| {
            let word = word.wide();
            other.words.iter().map(|(other, _)| word.dot(other.as_array())).collect()
        };
        Self(one.words.iter().map(row).collect())
    }

    /// The same from the other text's side, which has so many words.
    fn turned(&self, width: usize) -> Self {
        Self((0..width).map(|at| self.0.iter().map(|row| row[at]).collect()).collect())
    }

    /// How near the nearest of some words is to a word.
    fn nearest(&self, word: usize, among: &Range<usize>) -> f32 {
        most(self.0[word][among.clone()].iter().copied())
    }

    /// How far some words have a near one among others.
    fn found(&self, side: &Side, of: &Range<usize>, among: &Range<usize>) -> f32 {
        let weight = |at: usize| side.words[at].1;
        let all: f32 = of.clone().map(weight).sum();
        let near: f32 = of.clone().map(|at| weight(at) * self.nearest(at, among)).sum();
        if all > 0.0 { near / all } else { 0.0 }
    }

    /// What those of some words weigh that have no near one among others.
    fn strange(&self, side: &Side, of: &Range<usize>, among: &Range<usize>) -> f32 {
        of.clone().filter(|at| self.nearest(*at, among) < ALIKE).map(|at| side.words[at].1).sum()
    }
}

/// A sentence of each text.
struct Pair<'s> {
    one: &'s Phrase,
    other: &'s Phrase,
    alike: f32,
}

fn pairs<'s>(own: &'s Side, theirs: &'s Side, grid: &Grid, back: &Grid) -> Vec<Pair<'s>> {
    let all = own.told().flat_map(|one| theirs.told().map(move |other| (one, other)));
    let pair = |(one, other): (&'s Phrase, &'s Phrase)| {
        let found = grid.found(own, &one.words, &other.words);
        let kept = back.found(theirs, &other.words, &one.words);
        Pair { one, other, alike: (found + kept) / 2.0 }
    };
    all.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str =
        "Where builds are cached.\nBuild results are cached in `/var/cache/kiln` on the runner.";

    fn aligned(title: &str, text: &str) -> Aligned {
        let embedder = Embedder::built_in();
        Aligned::of((title, &Read::of(text, &embedder)), &Read::of(KNOWN, &embedder), &embedder)
    }

    #[test]
    fn other_words_for_the_same_are_found() {
        let same = aligned("Cache of builds", "The runner stores compilation output in `/var/cache/kiln`.");
        let other = aligned("Invoices", "Invoices are printed twice on Mondays for the tax office.");
        assert!(same.has > other.has + 0.15, "{same:?} {other:?}");
        assert!(same.headed > other.headed + 0.3, "{same:?} {other:?}");
    }

    #[test]
    fn a_sentence_that_adds_is_the_least_known() {
        let added =
            aligned("Cache", "Build results are cached on the runner. Invoices are printed on Mondays.");
        assert!(added.first > added.least + 0.3, "{added:?}");
    }

    #[test]
    fn another_name_in_the_same_place_is_a_swap() {
        let swapped = aligned("Cache", "Build results are cached in `/srv/kiln-store` on the runner.");
        let kept = aligned("Cache", "Build results are cached in `/var/cache/kiln` on the runner.");
        assert!(swapped.swapped > 0.7 && kept.swapped == 0.0, "{swapped:?} {kept:?}");
    }

    #[test]
    fn a_no_beside_a_yes_is_seen() {
        let denied = aligned("Cache", "Build results are not cached on the runner.");
        assert!(denied.flipped > 0.7, "{denied:?}");
        assert_eq!(aligned("Cache", "Build results are cached on the runner.").flipped, 0.0);
    }

    #[test]
    fn names_of_code_are_read_in_their_parts() {
        let parts: Vec<&str> = words("`maxRetries` is 3s, see http_client.rs").collect();
        assert_eq!(parts, ["max", "Retries", "is", "3", "s", "see", "http", "client", "rs"]);
    }

    #[test]
    fn texts_without_words_are_like_nothing() {
        let none = aligned("", "!?");
        assert!(none.has == 0.0 && none.least == 0.0 && none.swapped == 0.0, "{none:?}");
    }
}
