//! What a proposal and one memory alone have in common: words that no other memory has tell that both speak of one thing.

use std::collections::HashSet;

use super::aligned::words;
use super::likeness::{KnownRead, Rarity};
use crate::admission::read::Read;
use crate::embed::Embedder;
use crate::words::{Term, terms};

/// What a proposal shares with one memory and with no other of those that it is compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Alone {
    /// What the words weigh that both have.
    pub(super) words: f32,
    /// The three of them that weigh most.
    pub(super) most: f32,
    /// The share of the proposal's title that only this memory has.
    pub(super) title: f32,
    /// The share of the memory's title that the proposal has.
    pub(super) named: f32,
}

impl Alone {
    pub(super) fn of(
        (title, text): (&str, &Read),
        known: &KnownRead,
        rarity: &Rarity<'_>,
        embedder: &Embedder<'_>,
    ) -> Self {
        let said = std::iter::once(title).chain(text.sentences.iter().map(|sentence| sentence.text.as_str()));
        let whole = weighed(&said.collect::<Vec<_>>().join(" "), embedder);
        let is_alone = |term: &Term| known.body.terms.contains(term) && rarity.holders(term) == 1;
        let mut shared: Vec<f32> =
            whole.iter().filter(|(term, _)| is_alone(term)).map(|(_, weight)| *weight).collect();
        shared.sort_by(|a, b| b.total_cmp(a));
        let said: HashSet<Term> = whole.iter().map(|(term, _)| *term).collect();
        Self {
            words: shared.iter().sum(),
            most: shared.iter().take(3).sum(),
            title: share(&weighed(title, embedder), is_alone),
            named: share(&weighed(&known.title, embedder), |term| said.contains(term)),
        }
    }
}

/// The words of a text that say something, each once, with what it weighs; one that the table does not know is a name.
fn weighed(text: &str, embedder: &Embedder<'_>) -> Vec<(Term, f32)> {
    const SHORTEST: usize = 3;
    const NAME: f32 = 4.0;
    let mut seen = HashSet::new();
    let said = words(text).filter(|word| word.len() >= SHORTEST && word.starts_with(char::is_alphabetic));
    let told =
        said.filter_map(|word| Some((*terms(word).first()?, word))).filter(|(term, _)| seen.insert(*term));
    let weigh = |word: &str| if embedder.knows(word) { embedder.weigh(word).1 } else { NAME };
    told.map(|(term, word)| (term, weigh(word))).collect()
}

/// The share of some words' weight that some of them have.
fn share(words: &[(Term, f32)], has: impl Fn(&Term) -> bool) -> f32 {
    let all: f32 = words.iter().map(|(_, weight)| weight).sum();
    let some: f32 = words.iter().filter(|(term, _)| has(term)).map(|(_, weight)| weight).sum();
    if all > 0.0 { some / all } else { 0.0 }
}
