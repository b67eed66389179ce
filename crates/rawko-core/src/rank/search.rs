//! The two stages of a search, over any [`Source`].

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::CANDIDATES;
use super::judge::{Centre, Found, Hit, Worth, centred, judge, prefer_newer};
use super::query::Query;
use super::source::Source;
use crate::weights::Weights;
use crate::words::Term;

/// How many documents have their vectors read where likenesses are estimated first.
const REFINED: usize = 512;
/// Runs of documents that tell how likenesses lie, and documents in a run.
const RUNS: usize = 16;
const RUN: usize = 64;

/// What is wanted of a search besides what is asked.
pub struct Wanted<'a> {
    /// So many documents.
    pub k: usize,
    /// Documents that are called anyway.
    pub called: &'a [u32],
    /// Whether a document counts among the `k`. Those that do not come beside them, `k` at most, and take no
    /// place from any that does.
    pub counts: &'a dyn Fn(u32) -> bool,
}

/// The documents that are wanted of a query, best first; ties go by place.
pub fn search<S: Source>(
    source: &S,
    query: &Query,
    wanted: &Wanted<'_>,
    w: &Weights,
) -> Result<Vec<Hit>, S::Trouble> {
    let called: HashSet<u32> = wanted.called.iter().copied().collect();
    let (candidates, worth) = first_stage(source, query, wanted, &called, CANDIDATES, w)?;
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
    let (mut counted, mut beside) = (0, 0);
    hits.retain(|hit| {
        let fits = match (wanted.counts)(hit.doc) {
            true => next(&mut counted) < wanted.k,
            // What comes behind the last that counts would be behind the end.
            false => counted < wanted.k && next(&mut beside) < wanted.k,
        };
        fits || called.contains(&hit.doc)
    });
    Ok(hits)
}

/// The documents that are wanted of a query by the cheap stage alone, best first; ties go by place.
///
/// Scores are made of two parts, the words and the meaning that a document shares with the query, which are
/// those of [`search`]. No document is read.
pub fn skim<S: Source>(
    source: &S,
    query: &Query,
    wanted: &Wanted<'_>,
    w: &Weights,
) -> Result<Vec<Hit>, S::Trouble> {
    let called: HashSet<u32> = wanted.called.iter().copied().collect();
    let (mut found, worth) = first_stage(source, query, wanted, &called, wanted.k, w)?;
    let rough = |found: &Found| found.rough(&worth, w);
    found.sort_by(|a, b| {
        rough(b).total_cmp(&rough(a)).then_with(|| source.place(a.doc).cmp(&source.place(b.doc)))
    });
    Ok(found.iter().map(|found| found.hit(&worth, w)).collect())
}

/// The cheap stage: the best so many documents, and what the query's terms are worth.
fn first_stage<S: Source>(
    source: &S,
    query: &Query,
    wanted: &Wanted<'_>,
    called: &HashSet<u32>,
    count: usize,
    w: &Weights,
) -> Result<(Vec<Found>, Worth), S::Trouble> {
    let lists = Lists { source, known: RefCell::default(), trouble: RefCell::new(None) };
    let worth = Worth::of(query, source.statistics(), |term| lists.holders(term), w);
    let words = lists.words(&worth, w)?;
    let pick = Pick { source, called, counts: wanted.counts, worth: &worth, w };
    let candidates = candidates(&pick, query, &words, count)?;
    Ok((candidates, worth))
}

fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}

/// Every document by its words and its passages' vectors; the best and the called are kept.
fn candidates<S: Source>(
    pick: &Pick<'_, S>,
    query: &Query,
    words: &[f32],
    count: usize,
) -> Result<Vec<Found>, S::Trouble> {
    let Pick { source, w, .. } = *pick;
    let (mut docs, mut meaning) = (Vec::new(), Vec::new());
    let estimated = source.estimates(&query.vector, |doc, likeness| {
        docs.push(doc);
        meaning.push(likeness);
    })?;
    let found = |(doc, meaning): (u32, f32)| Found { doc, words: words[doc as usize], meaning };
    if !estimated {
        source.likeness(&query.vector, |doc, likeness| {
            docs.push(doc);
            meaning.push(likeness);
        })?;
        centred(&mut meaning, w);
        return Ok(pick.best(docs.into_iter().zip(meaning).map(found).collect(), count));
    }
    let (centre, shift) = sampled(source, query, &docs, &meaning, w)?;
    let moved = docs.iter().zip(&meaning).map(|(doc, likeness)| (*doc, centre.move_to(likeness + shift)));
    let mut near = pick.best(moved.map(found).collect(), REFINED);
    let docs: Vec<u32> = near.iter().map(|found| found.doc).collect();
    for (found, likeness) in near.iter_mut().zip(source.likeness_of(&query.vector, &docs)?) {
        found.meaning = centre.move_to(likeness);
    }
    Ok(pick.best(near, count))
}

/// What the average document reaches, and how far estimates are off on average, from a few runs of documents.
fn sampled<S: Source>(
    source: &S,
    query: &Query,
    docs: &[u32],
    estimates: &[f32],
    w: &Weights,
) -> Result<(Centre, f32), S::Trouble> {
    let step = (docs.len() / RUNS).max(RUN);
    let places: Vec<usize> =
        (0..docs.len()).step_by(step).flat_map(|start| start..(start + RUN).min(docs.len())).collect();
    let sample: Vec<u32> = places.iter().map(|place| docs[*place]).collect();
    let exact = source.likeness_of(&query.vector, &sample)?;
    let mean = |sum: f64| (sum / places.len().max(1) as f64) as f32;
    let off = places.iter().zip(&exact).map(|(place, exact)| f64::from(exact - estimates[*place])).sum();
    Ok((Centre::of(exact.iter().copied(), w), mean(off)))
}

/// How the cheap stage picks.
struct Pick<'a, S: Source> {
    source: &'a S,
    called: &'a HashSet<u32>,
    counts: &'a dyn Fn(u32) -> bool,
    worth: &'a Worth,
    w: &'a Weights,
}

impl<S: Source> Pick<'_, S> {
    /// The best so many that count, those of the others that are as good, and the called.
    fn best(&self, found: Vec<Found>, count: usize) -> Vec<Found> {
        if found.len() <= count {
            return found;
        }
        let rough: Vec<f32> = found.iter().map(|found| found.rough(self.worth, self.w)).collect();
        let place = |at: u32| self.source.place(found[at as usize].doc);
        let better = |a: &u32, b: &u32| {
            rough[*b as usize].total_cmp(&rough[*a as usize]).then_with(|| place(*a).cmp(&place(*b)))
        };
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        let (mut kept, mut counted, mut beside, mut done) = (Vec::new(), 0, 0, 0);
        while counted < count && done < order.len() {
            // What does not count leaves places open: twice as many are looked at each time.
            let lot = done.max(count).min(order.len() - done);
            let rest = &mut order[done..];
            if lot < rest.len() {
                rest.select_nth_unstable_by(lot, better);
            }
            rest[..lot].sort_unstable_by(better);
            for &at in &rest[..lot] {
                let fits = match (self.counts)(found[at as usize].doc) {
                    true => next(&mut counted) < count,
                    false => counted < count && next(&mut beside) < count,
                };
                if fits || self.called.contains(&found[at as usize].doc) {
                    kept.push(found[at as usize]);
                }
            }
            done += lot;
        }
        let called = order[done..].iter().filter(|at| self.called.contains(&found[**at as usize].doc));
        kept.extend(called.map(|at| found[*at as usize]));
        kept
    }
}

/// How many documents have each of a query's words, and their shares by words.
struct Lists<'a, S: Source> {
    source: &'a S,
    known: RefCell<HashMap<Term, u32>>,
    trouble: RefCell<Option<S::Trouble>>,
}

impl<S: Source> Lists<'_, S> {
    /// How many documents have a term.
    fn holders(&self, term: Term) -> u32 {
        if let Some(known) = self.known.borrow().get(&term) {
            return *known;
        }
        let holders = self.source.holders(term).unwrap_or_else(|trouble| {
            *self.trouble.borrow_mut() = Some(trouble);
            0
        });
        self.known.borrow_mut().insert(term, holders);
        holders
    }

    /// Every number's share of the query by words.
    fn words(self, worth: &Worth, w: &Weights) -> Result<Vec<f32>, S::Trouble> {
        if let Some(trouble) = self.trouble.into_inner() {
            return Err(trouble);
        }
        let mut sums = vec![0.0f32; self.source.slots()];
        let mut best = vec![0.0f32; self.source.slots()];
        let mut touched: Vec<u32> = Vec::new();
        for stand in worth.stand() {
            for (term, worth_of) in stand {
                self.source.postings(*term, |doc, counts, lengths| {
                    let score = worth_of * worth.saturated(counts, lengths, w);
                    let best = &mut best[doc as usize];
                    if *best == 0.0 {
                        touched.push(doc);
                    }
                    *best = best.max(score);
                })?;
            }
            for doc in touched.drain(..) {
                sums[doc as usize] += std::mem::take(&mut best[doc as usize]);
            }
        }
        Ok(sums.into_iter().map(|sum| worth.share(sum)).collect())
    }
}
