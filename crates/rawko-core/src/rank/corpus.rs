//! A searchable collection in memory.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::convert::Infallible;

use super::judge::{Hit, Statistics};
use super::query::Query;
use super::search::{Wanted, search};
use super::source::Source;
use super::text::{Analysed, Counts, Lengths};
use crate::embed::Vector;
use crate::weights::Weights;
use crate::words::Term;

/// Documents with their postings.
#[derive(Clone, Debug)]
pub struct Corpus<D> {
    docs: Vec<(D, Option<i64>)>,
    postings: HashMap<Term, Vec<(u32, Counts)>>,
    statistics: Statistics,
}

impl<D> Default for Corpus<D> {
    fn default() -> Self {
        Self { docs: Vec::new(), postings: HashMap::new(), statistics: Statistics::default() }
    }
}

impl<D: Borrow<Analysed>> Corpus<D> {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document and, where it is known, its place in time; gives its number.
    pub fn add(&mut self, doc: D, time: Option<i64>) -> u32 {
        let number = self.statistics.documents;
        let read = doc.borrow();
        for (term, counts) in &read.terms {
            self.postings.entry(*term).or_default().push((number, *counts));
        }
        self.statistics.add(read);
        self.docs.push((doc, time));
        number
    }

    /// The best `k` documents for a query, best first; ties go to the earlier one.
    pub fn search(&self, query: &Query, k: usize, w: &Weights) -> Vec<Hit> {
        let Ok(hits) = search(self, query, &Wanted { k, called: &[], counts: &|_| true }, w);
        hits
    }

    /// One document.
    pub fn get(&self, doc: u32) -> &D {
        &self.docs[doc as usize].0
    }
}

impl<D: Borrow<Analysed>> Source for Corpus<D> {
    type Trouble = Infallible;

    fn slots(&self) -> usize {
        self.docs.len()
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn holders(&self, term: Term) -> Result<u32, Infallible> {
        Ok(self.postings.get(&term).map_or(0, |list| list.len() as u32))
    }

    fn postings(&self, term: Term, mut each: impl FnMut(u32, &Counts, &Lengths)) -> Result<(), Infallible> {
        for (doc, counts) in self.postings.get(&term).into_iter().flatten() {
            each(*doc, counts, &self.get(*doc).borrow().lengths);
        }
        Ok(())
    }

    fn likeness(&self, to: &Vector, mut each: impl FnMut(u32, f32)) -> Result<(), Infallible> {
        for (number, (doc, _)) in (0..).zip(&self.docs) {
            each(number, doc.borrow().passages.iter().map(|p| p.vector.dot(to)).fold(0.0, f32::max));
        }
        Ok(())
    }

    fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, Infallible> {
        Ok(Cow::Borrowed(self.get(doc).borrow()))
    }

    fn time(&self, doc: u32) -> Result<Option<i64>, Infallible> {
        Ok(self.docs[doc as usize].1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::Document;
    use super::*;
    use crate::embed::Embedder;

    /// Searches bodies given oldest first and returns their places, best first.
    fn search(question: &str, bodies: &[&str]) -> Vec<Hit> {
        let embedder = Embedder::built_in();
        let mut corpus = Corpus::new();
        for (time, body) in (0..).zip(bodies) {
            corpus.add(Analysed::of(&Document { body, ..Document::default() }, &embedder), Some(time));
        }
        corpus.search(&Query::of(question, &embedder), 10, &Weights::TUNED)
    }

    fn order(question: &str, bodies: &[&str]) -> Vec<u32> {
        search(question, bodies).iter().map(|hit| hit.doc).collect()
    }

    #[test]
    fn a_score_is_the_sum_of_its_parts() {
        for hit in search("where do migrations run", &["Migrations run before the service.", "Tea at four."])
        {
            let sum: f32 = hit.parts.iter().map(|p| p.points).sum();
            assert!((sum - hit.score).abs() < 1e-3, "{hit:?}");
        }
    }

    #[test]
    fn the_document_with_the_rarer_word_comes_first() {
        let bodies = ["The service logs to a file.", "The service uses Kafka.", "The service has a file."];
        assert_eq!(order("service kafka", &bodies)[0], 1);
    }

    #[test]
    fn a_kin_word_finds_what_no_shared_word_would() {
        let bodies =
            ["The invoice job runs at noon.", "Our dog sleeps under the desk.", "Logs rotate weekly."];
        assert_eq!(order("puppy", &bodies)[0], 1);
    }

    #[test]
    fn where_the_query_asks_for_now_the_newer_of_two_equals_wins() {
        let bodies = [
            "Method names end with _a from now on.",
            "Lunch is at noon.",
            "Method names end with _b from now on.",
        ];
        assert_eq!(order("What is our current rule for method names?", &bodies)[0], 2);
    }

    #[test]
    fn a_newer_document_about_something_else_stays_behind() {
        let bodies = ["Method names end with _a.", "Lunch is at noon today."];
        assert_eq!(order("What is our current rule for method names?", &bodies)[0], 0);
    }

    #[test]
    fn an_empty_question_or_collection_is_no_error() {
        assert!(search("anything", &[]).is_empty());
        assert_eq!(order("", &["One.", "Two."]).len(), 2);
    }
}
