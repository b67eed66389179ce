//! The two stages of a search, over any [`Source`].

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::CANDIDATES;
use super::judge::{Found, Hit, Worth, centred, judge, prefer_newer};
use super::query::Query;
use super::source::Source;
use super::text::{Counts, FIELDS};
use crate::weights::Weights;
use crate::words::Term;

/// The best `k` documents for a query and those that are `called` anyway, best first; ties go by place.
pub fn search<S: Source>(
    source: &S,
    query: &Query,
    k: usize,
    called: &[u32],
    w: &Weights,
) -> Result<Vec<Hit>, S::Trouble> {
    let lists = Lists { source, read: RefCell::default(), trouble: RefCell::new(None) };
    let worth = Worth::of(query, source.statistics(), |term| lists.holders(term), w);
    let words = lists.words(&worth, w)?;
    let called: HashSet<u32> = called.iter().copied().collect();
    let candidates = candidates(source, query, &words, &called, &worth, w)?;
    let mut hits = Vec::with_capacity(candidates.len());
    let mut times = HashMap::with_capacity(candidates.len());
    for found in &candidates {
        hits.push(judge(found, &*source.document(found.doc)?, query, &worth, w));
        times.insert(found.doc, source.time(found.doc)?);
    }
    prefer_newer(&mut hits, query, |doc| times.get(&doc).copied().flatten(), w);
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| source.place(a.doc).cmp(&source.place(b.doc)))
    });
    let mut rank = 0..;
    hits.retain(|hit| rank.next().is_some_and(|rank| rank < k) || called.contains(&hit.doc));
    Ok(hits)
}

/// The cheap stage: every document by its words and its passages' vectors; the best and the called are kept.
fn candidates<S: Source>(
    source: &S,
    query: &Query,
    words: &[f32],
    called: &HashSet<u32>,
    worth: &Worth,
    w: &Weights,
) -> Result<Vec<Found>, S::Trouble> {
    let (mut docs, mut meaning) = (Vec::new(), Vec::new());
    source.likeness(&query.vector, |doc, likeness| {
        docs.push(doc);
        meaning.push(likeness);
    })?;
    centred(&mut meaning, w);
    let found = |(doc, meaning): (u32, f32)| Found { doc, words: words[doc as usize], meaning };
    let mut found: Vec<Found> = docs.into_iter().zip(meaning).map(found).collect();
    if found.len() > CANDIDATES {
        let rough: Vec<f32> = found.iter().map(|found| found.rough(worth, w)).collect();
        let place = |at: usize| source.place(found[at].doc);
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.select_nth_unstable_by(CANDIDATES, |&a, &b| {
            rough[b].total_cmp(&rough[a]).then_with(|| place(a).cmp(&place(b)))
        });
        let (best, rest) = order.split_at(CANDIDATES);
        let called = rest.iter().filter(|at| called.contains(&found[**at].doc));
        found = best.iter().chain(called).map(|at| found[*at]).collect();
    }
    Ok(found)
}

/// The postings of one term.
type List = Vec<(u32, Counts, [u32; FIELDS])>;

/// The postings of a query's words, each read once.
struct Lists<'a, S: Source> {
    source: &'a S,
    read: RefCell<HashMap<Term, List>>,
    trouble: RefCell<Option<S::Trouble>>,
}

impl<S: Source> Lists<'_, S> {
    /// How many documents have a term.
    fn holders(&self, term: Term) -> u32 {
        if let Some(list) = self.read.borrow().get(&term) {
            return list.len() as u32;
        }
        let mut list = List::new();
        let read = self.source.postings(term, |doc, counts, lengths| list.push((doc, *counts, *lengths)));
        if let Err(trouble) = read {
            *self.trouble.borrow_mut() = Some(trouble);
        }
        let count = list.len() as u32;
        self.read.borrow_mut().insert(term, list);
        count
    }

    /// Every number's share of the query by words.
    fn words(self, worth: &Worth, w: &Weights) -> Result<Vec<f32>, S::Trouble> {
        if let Some(trouble) = self.trouble.into_inner() {
            return Err(trouble);
        }
        let lists = self.read.into_inner();
        let mut sums = vec![0.0f32; self.source.slots()];
        let mut best = vec![0.0f32; self.source.slots()];
        let mut touched: Vec<u32> = Vec::new();
        for stand in worth.stand() {
            for (term, worth_of) in stand {
                for (doc, counts, lengths) in lists.get(term).into_iter().flatten() {
                    let score = worth_of * worth.saturated(counts, lengths, w);
                    let best = &mut best[*doc as usize];
                    if *best == 0.0 {
                        touched.push(*doc);
                    }
                    *best = best.max(score);
                }
            }
            for doc in touched.drain(..) {
                sums[doc as usize] += std::mem::take(&mut best[doc as usize]);
            }
        }
        Ok(sums.into_iter().map(|sum| worth.share(sum)).collect())
    }
}
