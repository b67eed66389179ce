//! A set of memories in memory, asked for the candidates of a task.
//!
//! For small stores, for what is newer than an index on disk, and for
//! measuring. An index on disk gives the same [`Candidate`]s from its own
//! postings; nothing behind them knows the difference.

use std::collections::HashMap;

use super::background::{ENOUGH, SENTENCES};
use super::candidate::{Called, Candidate, Facts, Gist, as_document, rest_of};
use crate::embed::{Embedder, Vector};
use crate::memory::{Fold, Memory};
use crate::rank::{Analysed, Corpus, Document, Hit, Query};
use crate::slug::Slug;
use crate::task::TaskContext;
use crate::trigger::{Rarity, TaskText, Work, compile_within};
use crate::weights::Weights;
use crate::words::Term;

/// Memories, read once, asked as often as wanted.
#[derive(Debug)]
pub struct Shelf<'a> {
    books: Vec<Book<'a>>,
    /// The memories, and behind them sentences of the background where they are few.
    corpus: Corpus<Analysed>,
    holders: HashMap<Term, u32>,
    embedder: Embedder<'a>,
}

/// One memory on the shelf; its number is that in the corpus.
#[derive(Debug)]
struct Book<'a> {
    slug: &'a Slug,
    facts: Facts<'a>,
    gist: Gist<'static>,
    /// Triggers that read as language, by meaning.
    meant: Vec<Vector>,
}

impl<'a> Shelf<'a> {
    /// Memories from which a store's own words tell how much a word tells.
    pub const ENOUGH: usize = ENOUGH;

    /// Reads memories: each by what it may say to an agent, or by what it says where that is nothing.
    pub fn new(memories: impl IntoIterator<Item = &'a Memory>, embedder: Embedder<'a>) -> Self {
        let mut shelf = Self { books: Vec::new(), corpus: Corpus::new(), holders: HashMap::new(), embedder };
        for memory in memories {
            if let Some(fold) = memory.for_agents().or_else(|| memory.now()) {
                shelf.add(&memory.slug, &fold);
            }
        }
        for sentence in SENTENCES.iter().skip(shelf.books.len()) {
            let document = Document { body: sentence, ..Document::default() };
            shelf.corpus.add(Analysed::of(&document, &shelf.embedder), None);
        }
        shelf
    }

    fn add(&mut self, slug: &'a Slug, fold: &Fold<'a>) {
        let read = as_document(fold, |document| Analysed::of(document, &self.embedder));
        for (term, _) in &read.terms {
            *self.holders.entry(*term).or_default() += 1;
        }
        let mut work = Work::default();
        let compiled = fold.when_to_use.iter().map(|trigger| compile_within(trigger, &mut work));
        let meant = compiled.filter_map(|c| c.natural().map(|text| self.embedder.embed(text))).collect();
        self.books.push(Book { slug, facts: Facts::of(fold), gist: Gist::read(&read), meant });
        self.corpus.add(read, Some(fold.discovered_at.as_second()));
    }

    /// Every memory as a candidate for `task`, in the order they were given.
    pub fn candidates(&self, task: &TaskContext, weights: &Weights) -> Vec<Candidate<'_>> {
        let mut hits = self.search(&task.task, weights);
        let mut context = self.search(&rest_of(task), weights);
        let text = TaskText::new(task);
        let asked = self.embedder.embed(&task.task);
        let mut work = Work::default();
        let mut candidates = Vec::with_capacity(self.books.len());
        for (number, book) in (0..).zip(&self.books) {
            candidates.push(Candidate {
                slug: book.slug,
                facts: book.facts.clone(),
                called: self.called(&book.facts, &text, &mut work),
                alike: None,
                near_trigger: book.meant.iter().map(|meant| meant.dot(&asked)).fold(0.0, f32::max),
                hit: hits.remove(&number),
                context: context.remove(&number),
                gist: book.gist.clone(),
                staleness: None,
                usefulness: 0.0,
            });
        }
        candidates
    }

    fn search(&self, text: &str, weights: &Weights) -> HashMap<u32, Hit> {
        if text.trim().is_empty() {
            return HashMap::new();
        }
        let query = Query::of(text, &self.embedder);
        let hits = self.corpus.search(&query, self.books.len().max(ENOUGH), weights);
        hits.into_iter().map(|hit| (hit.doc, hit)).collect()
    }

    /// The loudest trigger of a memory.
    ///
    /// A word says little where it is common in programming or common here, so
    /// a match is as loud as the quieter of the two counts has it.
    fn called(&self, facts: &Facts<'_>, text: &TaskText, work: &mut Work) -> Option<Called> {
        let rare = |stem: &str| self.rarity(stem);
        let rarity: Option<Rarity<'_>> = if self.books.len() < ENOUGH { None } else { Some(&rare) };
        let mut loudest: Option<Called> = None;
        for trigger in &facts.when_to_use {
            let compiled = compile_within(trigger, work);
            let Some(mut how) = compiled.matches_text(text, None, work) else { continue };
            if rarity.is_some() {
                let here = compiled.matches_text(text, rarity, work);
                how.strength = how.strength.min(here.map_or(0.0, |how| how.strength));
            }
            if loudest.as_ref().is_none_or(|called| how.strength > called.how.strength) {
                loudest = Some(Called { trigger: trigger.text().to_owned(), how });
            }
        }
        loudest
    }

    /// 1 for a stem that one memory has, 0 for one that all have.
    fn rarity(&self, stem: &str) -> f32 {
        let holders = self.holders.get(&Term::of(stem)).copied().unwrap_or(0).max(1) as f32;
        let all = self.books.len() as f32;
        (all / holders).ln() / all.ln()
    }
}
