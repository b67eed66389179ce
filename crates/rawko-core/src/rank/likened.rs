//! A collection some of whose documents were compared with the query by an encoder that reads sentences.
//!
//! Models differ in how alike they find two texts that have nothing in common,
//! so a likeness is measured from what the average document reaches by the
//! same model, and then put on the scale of the source's own: 0 stays the
//! average, 1 the same text. A sentence has points of its own, and a long one
//! says as much as a short one; that is told by how far a likeness is moved from the average, so
//! that documents which the encoder has not seen stand beside those it has, with what they have without it.

use std::borrow::Cow;

use super::judge::{Statistics, trust};
use super::query::Query;
use super::source::Source;
use super::text::{Analysed, Counts, Lengths};
use crate::embed::Vector;
use crate::weights::Weights;
use crate::words::Term;

/// Another model is not trusted to leave less room than this between the average and the same text.
const ROOM: f64 = 0.1;

/// Between the likeness of a task and a memory of one project (0.18 on average over eight projects by the encoder in the
/// program, 0.17 by the token table) and of different projects (0.10, 0.11). So many documents of it count beside those
/// that there are.
pub(crate) const USUAL: f64 = 0.15;
const BESIDE: f64 = 4.0;

/// A source, with another model's likenesses in place of its own where there are any.
pub struct Likened<'a, S> {
    source: &'a S,
    /// Per number of a document; nothing where the other model has not seen it.
    likenesses: Vec<Option<f32>>,
    /// So many documents of usual likeness count beside those that there are, where the encoder's usual is known.
    beside: f64,
    /// How much further from the average a likeness counts than one of the source's own.
    reach: f64,
    words: Option<NearWords<'a>>,
}

/// The words of a query as an encoder knows them, and how to hold documents against them.
#[derive(Clone, Copy)]
pub struct NearWords<'a> {
    /// Per word, what counts as the same.
    pub asked: &'a [Vec<Term>],
    /// Per passage of the document of a number, how alike the nearest of its words is to each of these.
    pub nearest: &'a dyn Fn(u32) -> Option<Vec<Vec<f32>>>,
}

impl<'a, S: Source> Likened<'a, S> {
    /// With the likeness to the query that the encoder in the program gives to the best passage of a document, by number.
    pub fn new(source: &'a S, likenesses: Vec<Option<f32>>, query: &Query, w: &Weights) -> Self {
        // Where it has seen nothing, all is as without it.
        let beside = if likenesses.iter().any(Option::is_some) { BESIDE } else { 0.0 };
        Self { beside, ..Self::of_any(source, likenesses, query, w) }
    }

    /// The same of any encoder: what it finds usual is told by these documents alone.
    pub fn of_any(source: &'a S, likenesses: Vec<Option<f32>>, query: &Query, w: &Weights) -> Self {
        let own = w.meaning * trust(query, w);
        let reach = if own > 0.0 { f64::from(w.sentences / own) } else { 0.0 };
        Self { source, likenesses, beside: 0.0, reach, words: None }
    }

    /// With what the encoder knows of single words beside it.
    pub fn with_words(self, words: Option<NearWords<'a>>) -> Self {
        Self { words, ..self }
    }

    fn of(&self, doc: u32) -> Option<f32> {
        self.likenesses.get(doc as usize).copied().flatten()
    }
}

impl<S: Source> Source for Likened<'_, S> {
    type Trouble = S::Trouble;

    fn slots(&self) -> usize {
        self.source.slots()
    }

    fn statistics(&self) -> Statistics {
        self.source.statistics()
    }

    fn holders(&self, term: Term) -> Result<u32, S::Trouble> {
        self.source.holders(term)
    }

    fn postings(&self, term: Term, each: impl FnMut(u32, &Counts, &Lengths)) -> Result<(), S::Trouble> {
        self.source.postings(term, each)
    }

    fn likeness(&self, to: &Vector, mut each: impl FnMut(u32, f32)) -> Result<(), S::Trouble> {
        let mut own: Vec<(u32, f32)> = Vec::with_capacity(self.slots());
        self.source.likeness(to, |doc, likeness| own.push((doc, likeness)))?;
        let usual = self.beside * USUAL;
        let (mut ours, mut theirs, mut count) = (usual, usual, self.beside);
        for (doc, likeness) in &own {
            if let Some(other) = self.of(*doc) {
                (ours, theirs, count) = (ours + f64::from(*likeness), theirs + f64::from(other), count + 1.0);
            }
        }
        let (ours, theirs) = (ours / count.max(1.0), theirs / count.max(1.0));
        let scale = (1.0 - ours) / (1.0 - theirs).max(ROOM);
        for (doc, likeness) in own {
            let on_our_scale = |other: f32| (ours + (f64::from(other) - theirs) * scale).clamp(0.0, 1.0);
            let moved = |other: f32| (ours + self.reach * (on_our_scale(other) - ours)) as f32;
            each(doc, self.of(doc).map_or(likeness, moved));
        }
        Ok(())
    }

    fn beside(&self) -> (f64, f64) {
        (self.beside, USUAL)
    }

    fn asked(&self) -> &[Vec<Term>] {
        self.words.map_or(&[], |words| words.asked)
    }

    fn nearest(&self, doc: u32) -> Option<Vec<Vec<f32>>> {
        self.words.and_then(|words| (words.nearest)(doc))
    }

    fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, S::Trouble> {
        self.source.document(doc)
    }

    fn time(&self, doc: u32) -> Result<Option<i64>, S::Trouble> {
        self.source.time(doc)
    }

    fn place(&self, doc: u32) -> u64 {
        self.source.place(doc)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Corpus, Document, Query, WORDING, Wanted, search};
    use super::*;
    use crate::embed::Embedder;
    use crate::weights::Weights;

    const BODIES: [&str; 3] =
        ["Invoices go out on Fridays.", "The lamp in the hall is broken.", "Rivers flow to the sea."];

    fn corpus() -> Corpus<Analysed> {
        let mut corpus = Corpus::new();
        for body in BODIES {
            let document = Document { body, ..Document::default() };
            corpus.add(Analysed::of(&document, &Embedder::built_in()), None);
        }
        corpus
    }

    /// The order and the points for meaning that a question gets with these likenesses.
    fn found(question: &str, likenesses: Vec<Option<f32>>) -> Vec<(u32, f32)> {
        let corpus = corpus();
        let query = Query::of(question, &Embedder::built_in());
        let wanted = Wanted { k: 3, called: &[], counts: &|_| true };
        let Ok(hits) = search(
            &Likened::of_any(&corpus, likenesses, &query, &Weights::TUNED),
            &query,
            &wanted,
            &Weights::TUNED,
        );
        let meaning =
            |hit: &super::super::Hit| hit.parts.iter().find(|part| part.name == "meaning").map(|p| p.points);
        hits.iter().map(|hit| (hit.doc, meaning(hit).unwrap_or_default())).collect()
    }

    #[test]
    fn another_models_likeness_takes_the_place_of_the_built_in_one() {
        assert_eq!(found("zzyzx", vec![Some(0.1), Some(0.7), Some(0.2)])[0].0, 1);
        assert_eq!(found("zzyzx", vec![Some(0.1), Some(0.2), Some(0.7)])[0].0, 2);
    }

    /// The order and the points for wording of a question of one word, by how near each document's nearest is.
    fn worded(nearest: [Option<f32>; 3]) -> Vec<(u32, Option<f32>)> {
        worded_among(nearest, &|_| true)
    }

    /// The same where not all count.
    fn worded_among(nearest: [Option<f32>; 3], counts: &dyn Fn(u32) -> bool) -> Vec<(u32, Option<f32>)> {
        let (corpus, query) = (corpus(), Query::of("zzyzx", &Embedder::built_in()));
        let wanted = Wanted { k: 3, called: &[], counts };
        let of = |doc: u32| nearest[doc as usize].map(|near| vec![vec![near], vec![near - 0.2]]);
        let words = NearWords { asked: &[Vec::new()], nearest: &of };
        let likened =
            Likened::new(&corpus, vec![Some(0.2); 3], &query, &Weights::TUNED).with_words(Some(words));
        let Ok(hits) = search(&likened, &query, &wanted, &Weights::TUNED);
        let points = |hit: &super::super::Hit| hit.parts.iter().find(|p| p.name == WORDING).map(|p| p.points);
        hits.iter().map(|hit| (hit.doc, points(hit))).collect()
    }

    #[test]
    fn the_document_whose_best_passage_has_the_nearest_words_comes_first() {
        for nearest in [1, 2] {
            let mut near = [Some(0.4); 3];
            near[nearest] = Some(0.7);
            let found = worded(near);
            assert_eq!(found[0].0 as usize, nearest);
            assert!(
                found[0].1 > Some(10.0) && found[1].1 < Some(2.0),
                "above the average counts alone: {found:?}"
            );
        }
    }

    #[test]
    fn what_the_encoder_has_not_read_stands_between_those_that_it_has() {
        let unread = worded([None; 3]);
        assert!(unread.iter().all(|(_, points)| points.is_none()), "{unread:?}");
        for near in [1, 2] {
            let mut nearest = [None, Some(0.2), Some(0.2)];
            nearest[near] = Some(0.9);
            let found = worded(nearest);
            assert_eq!([found[0].0, found[1].0], [near as u32, 0], "{found:?}");
            assert!(found[0].1 > found[1].1 && found[1].1 > found[2].1, "{found:?}");
        }
    }

    #[test]
    fn the_words_of_a_document_that_is_alone_are_not_their_own_average() {
        let points = |near: f32| worded([Some(near), None, None])[0].1.expect("it was read");
        assert!(points(0.8) > 5.0 && points(0.2) == 0.0, "{} {}", points(0.8), points(0.2));
    }

    #[test]
    fn what_does_not_count_has_no_part_in_the_average() {
        let nearest = [Some(0.9), Some(0.5), Some(0.4)];
        let of = |found: &[(u32, Option<f32>)], doc: u32| found.iter().find(|(one, _)| *one == doc)?.1;
        let (all, some) = (worded(nearest), worded_among(nearest, &|doc| doc > 0));
        assert!(of(&some, 1) > of(&all, 1) && of(&some, 0).is_none(), "{all:?} {some:?}");
    }

    #[test]
    fn what_a_hit_has_without_single_words_is_told_of_all_whether_theirs_were_looked_at_or_not() {
        let mut corpus = Corpus::new();
        for (time, day) in (1..).zip(["Mondays", "Tuesdays", "Fridays"]) {
            let body = format!("Invoices go out on {day}.");
            let document = Document { body: &body, ..Document::default() };
            corpus.add(Analysed::of(&document, &Embedder::built_in()), Some(time));
        }
        let query = Query::of("when do invoices go out", &Embedder::built_in());
        // The words of the last one are not looked at.
        let wanted = Wanted { k: 3, called: &[], counts: &|doc| doc < 2 };
        let hits = |words| {
            let likened =
                Likened::new(&corpus, vec![Some(0.2); 3], &query, &Weights::TUNED).with_words(words);
            let Ok(mut hits) = search(&likened, &query, &wanted, &Weights::TUNED);
            hits.sort_by_key(|hit| hit.doc);
            hits
        };
        let nearest = |doc: u32| Some(vec![vec![0.4 + 0.3 * doc as f32]]);
        let (without, with) = (hits(None), hits(Some(NearWords { asked: &[Vec::new()], nearest: &nearest })));
        assert_eq!((without.len(), with.len()), (3, 3));
        for (without, with) in without.iter().zip(&with) {
            assert_eq!(without.plain, without.score);
            assert!((with.plain - without.plain).abs() < 1e-3 && with.score >= without.score, "{with:?}");
        }
        assert!(with[2].score > with[2].plain, "newer counts more beside words: {with:?}");
    }

    #[test]
    fn a_memory_that_is_alone_is_not_its_own_average() {
        let mut alone = Corpus::new();
        let document = Document { body: BODIES[0], ..Document::default() };
        alone.add(Analysed::of(&document, &Embedder::built_in()), None);
        let query = Query::of("zzyzx", &Embedder::built_in());
        let wanted = Wanted { k: 1, called: &[], counts: &|_| true };
        let score = |likeness: f32| {
            let likened = Likened::new(&alone, vec![Some(likeness)], &query, &Weights::TUNED);
            let Ok(hits) = search(&likened, &query, &wanted, &Weights::TUNED);
            hits[0].score
        };
        assert!(score(0.5) > 8.0 && score(0.1) < 2.0, "{} {}", score(0.5), score(0.1));
    }

    #[test]
    fn a_model_that_finds_everything_alike_says_no_more_than_one_that_does_not() {
        let wide = found("zzyzx", vec![Some(0.0), Some(0.5), Some(0.1)]);
        let narrow = found("zzyzx", vec![Some(0.8), Some(0.9), Some(0.82)]);
        for (wide, narrow) in wide.iter().zip(&narrow) {
            assert_eq!(wide.0, narrow.0);
            assert!((wide.1 - narrow.1).abs() < 0.1, "{wide:?} {narrow:?}");
        }
    }

    #[test]
    fn where_the_other_model_has_seen_nothing_all_is_as_without_it() {
        let question =
            "Please tell me in a few words on which day of the week our invoices go out to everybody";
        let (corpus, query) = (corpus(), Query::of(question, &Embedder::built_in()));
        let plain = corpus.search(&query, 3, &Weights::TUNED);
        let meaning = |hit: &super::super::Hit| (hit.doc, hit.parts[4].points);
        assert_eq!(found(question, vec![None; 3]), plain.iter().map(meaning).collect::<Vec<_>>());
    }

    #[test]
    fn of_a_long_question_what_the_encoder_has_not_seen_gets_no_more_than_without_it() {
        let question =
            "Please tell me in a few words on which day of the week our invoices go out to everybody";
        let of = |all: &[(u32, f32)], doc: u32| all.iter().find(|(one, _)| *one == doc).expect("found").1;
        let (plain, mixed) =
            (found(question, vec![None; 3]), found(question, vec![None, Some(0.1), Some(0.15)]));
        assert!((of(&plain, 0) - of(&mixed, 0)).abs() < 1.0, "{plain:?} {mixed:?}");
        let seen = found(question, vec![Some(0.9), Some(0.1), Some(0.15)]);
        assert!(of(&seen, 0) > 2.0 * of(&plain, 0), "an encoder reads long sentences: {plain:?} {seen:?}");
    }

    #[test]
    fn a_document_the_other_model_has_not_seen_keeps_its_place() {
        let question = "When do invoices go out?";
        // High likenesses of a model that gives such to everything are no nearer than the table's own.
        let mixed = found(question, vec![None, Some(0.85), Some(0.86)]);
        assert_eq!(mixed[0].0, 0);
        assert!(mixed[0].1 > mixed[1].1 && mixed[0].1 > mixed[2].1, "{mixed:?}");
    }
}
