//! What a search asks of a collection, wherever its documents live.
//!
//! The whole collection in memory and an index on disk with an overlay answer
//! the same few questions, so there is one search and the two cannot drift
//! apart.

use std::borrow::Cow;

use super::judge::Statistics;
use super::text::{Analysed, Counts, Lengths};
use crate::embed::Vector;
use crate::words::Term;

/// Stands for the likeness of a number that has no document: it compares with nothing, and so is never among the best.
pub const NOBODY: f32 = f32::NAN;

/// A collection that can be searched.
pub trait Source {
    /// Why a document could not be read; nothing, in memory.
    type Trouble;

    /// Documents have numbers below this; not every number has a document.
    fn slots(&self) -> usize;

    /// What is counted over all documents.
    fn statistics(&self) -> Statistics;

    /// How many documents have `term`.
    fn holders(&self, term: Term) -> Result<u32, Self::Trouble> {
        let mut holders = 0;
        self.postings(term, |_, _, _| holders += 1)?;
        Ok(holders)
    }

    /// Gives every document that has `term`: its number, the term's counts and the document's lengths.
    fn postings(&self, term: Term, each: impl FnMut(u32, &Counts, &Lengths)) -> Result<(), Self::Trouble>;

    /// Gives every document with the likeness of its best passage.
    fn likeness(&self, to: &Vector, each: impl FnMut(u32, f32)) -> Result<(), Self::Trouble>;

    /// As [`Self::likeness`], by number and [`NOBODY`] where no document has it, but estimated from less
    /// than the vectors; nothing where the collection is so small that the vectors themselves are read soon enough.
    fn estimates(&self, _to: &Vector) -> Result<Option<Vec<f32>>, Self::Trouble> {
        Ok(None)
    }

    /// The likeness of the best passage of some documents, in their order.
    fn likeness_of(&self, to: &Vector, docs: &[u32]) -> Result<Vec<f32>, Self::Trouble> {
        let mut found = vec![0.0; docs.len()];
        let places: std::collections::HashMap<u32, usize> =
            docs.iter().enumerate().map(|(place, doc)| (*doc, place)).collect();
        self.likeness(to, |doc, likeness| {
            if let Some(place) = places.get(&doc) {
                found[*place] = likeness;
            }
        })?;
        Ok(found)
    }

    /// So many documents count beside those that there are, and how alike to a query they usually are: one document
    /// alone would be its own average.
    fn beside(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    /// The words of the query as an encoder knows them, each with what counts as the same word; none where no encoder
    /// was asked.
    fn asked(&self) -> &[Vec<Term>] {
        &[]
    }

    /// For each passage of a document, how alike the nearest of its words is to each that is [`asked`](Self::asked);
    /// nothing where the encoder has not read it.
    fn nearest(&self, _doc: u32) -> Option<Vec<Vec<f32>>> {
        None
    }

    /// One document's counts, passages and sentences; the vectors of the passages may be left out.
    fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, Self::Trouble>;

    /// A document's place in time, where it is known.
    fn time(&self, doc: u32) -> Result<Option<i64>, Self::Trouble>;

    /// A document's place among its equals: the lower goes first.
    fn place(&self, doc: u32) -> u64 {
        u64::from(doc)
    }
}
