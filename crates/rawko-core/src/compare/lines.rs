//! How the sentences of two texts stand to each other: which say the same, and where one says no and the other yes.

use super::stated::Clause;
use crate::admission::read::Read;
use crate::embed::{Embedder, Vector};
use crate::linear::flag;

/// Most sentences of a text that are held against the other's.
const MOST: usize = 24;
/// Clauses less alike than this do not speak of the same thing.
const ALIKE: f32 = 0.3;

/// How the sentences of a proposal stand to those of a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// How near the proposal's sentences are to the memory's, on average, each to its nearest.
    pub(super) said: f32,
    /// The same for the memory's sentences.
    pub(super) heard: f32,
    /// How near the two titles are.
    pub(super) titles: f32,
    /// Whether, of the two clauses that are most alike, one says no and the other does not.
    pub(super) denial: f32,
}

impl Lines {
    pub(super) fn of(
        (title, text, clauses): (&str, &Read, &[Clause]),
        (known_title, known, known_clauses): (&str, &Read, &[Clause]),
        embedder: &Embedder<'_>,
    ) -> Self {
        let embed = |read: &Read| -> Vec<Vector> {
            read.sentences.iter().take(MOST).map(|sentence| embedder.embed(&sentence.text)).collect()
        };
        let (own, theirs) = (embed(text), embed(known));
        let best =
            |one: &Vector, among: &[Vector]| among.iter().map(|other| one.dot(other)).fold(0.0_f32, f32::max);
        let mean = |of: &[Vector], among: &[Vector]| {
            of.iter().map(|one| best(one, among)).sum::<f32>() / of.len().max(1) as f32
        };
        let mut lines = Self {
            said: mean(&own, &theirs),
            heard: mean(&theirs, &own),
            titles: embedder.embed(title).dot(&embedder.embed(known_title)),
            ..Self::default()
        };
        let pairs = clauses.iter().flat_map(|one| known_clauses.iter().map(move |other| (one, other)));
        let alike = pairs.map(|(one, other)| (one.alike(other), one, other));
        let nearest = alike.max_by(|(a, ..), (b, ..)| a.total_cmp(b)).filter(|(alike, ..)| *alike >= ALIKE);
        if let Some((_, one, other)) = nearest {
            lines.denial = flag(one.is_denial() != other.is_denial());
        }
        lines
    }
}
