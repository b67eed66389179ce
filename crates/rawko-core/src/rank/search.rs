//! The two stages of a search, over any [`Source`].

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::CANDIDATES;
use super::judge::{Centre, Found, Hit, Part, Worth, judge, prefer_newer};
use super::query::Query;
use super::source::{NOBODY, Source};
use crate::weights::Weights;
use crate::words::Term;

/// So many times as many documents as are wanted have their vectors read where likenesses are estimated first.
const REFINED: usize = 6;
/// Runs of documents that tell how likenesses lie, and documents in a run.
const RUNS: usize = 16;
const RUN: usize = 32;
/// Documents whose single words are looked at, and the least room that is taken to lie between their average and the same text.
const WORDED: usize = 50;
const ROOM: f32 = 0.1;
/// So many documents of a usual likeness count beside them, so that one which is alone is not its own average. The best
/// fifty of other projects' questions have 0.29 to 0.33.
const BESIDE: f32 = 4.0;
const USUAL: f32 = 0.3;

/// The part of a score that is told by what single words mean where they stand.
pub const WORDING: &str = "wording";

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
    let is_worded = add_wording(source, &mut hits, (query, &worth), wanted, w);
    let by = if is_worded { w.newer_worded } else { 1.0 };
    prefer_newer(&mut hits, query, |doc| times.get(&doc).copied().flatten(), by, w);
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

/// Adds to the best so far what an encoder knows of their words: each of the query's by the nearest of the best passage.
///
/// Any question is a little like any text, so only what is above the average of these counts; what has not been read gets
/// what those get that were, on average. Whether any of their words were known.
fn add_wording<S: Source>(
    source: &S,
    hits: &mut [Hit],
    (query, worth): (&Query, &Worth),
    wanted: &Wanted<'_>,
    w: &Weights,
) -> bool {
    let weights: Vec<f32> = source.asked().iter().map(|same| worth.of_word(same, query)).collect();
    let all = weights.iter().sum::<f32>();
    if all <= 0.0 || w.wording <= 0.0 {
        return false;
    }
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| source.place(a.doc).cmp(&source.place(b.doc)))
    });
    let share = |nearest: Vec<f32>| nearest.iter().zip(&weights).map(|(near, w)| near * w).sum::<f32>() / all;
    let alike = |hit: &Hit| source.nearest(hit.doc)?.into_iter().map(share).reduce(f32::max);
    let mut best: Vec<&mut Hit> =
        hits.iter_mut().filter(|hit| (wanted.counts)(hit.doc)).take(WORDED).collect();
    let alike: Vec<Option<f32>> = best.iter().map(|hit| alike(hit)).collect();
    let read: Vec<f32> = alike.iter().flatten().copied().collect();
    if read.is_empty() {
        return false;
    }
    let average = (BESIDE * USUAL + read.iter().sum::<f32>()) / (BESIDE + read.len() as f32);
    let points = |alike: f32| w.wording * ((alike - average) / (1.0 - average).max(ROOM)).max(0.0);
    let unread = read.iter().map(|alike| points(*alike)).sum::<f32>() / read.len() as f32;
    for (hit, alike) in best.iter_mut().zip(alike) {
        let points = alike.map_or(unread, points);
        hit.score += points;
        hit.parts.push(Part { name: WORDING, points });
    }
    true
}

/// The documents that are wanted of a query by the cheap stage alone, best first; ties go by place.
///
/// Scores are made of two parts, the words and the meaning that a document shares with the query, which are
/// those of [`search`]. No document is read but those that are far longer than the others.
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
    let (words, long) = lists.words(&worth, w)?;
    let pick = Pick { source, called, counts: wanted.counts, worth: &worth, w };
    let mut candidates = candidates(&pick, query, &words, count)?;
    for found in candidates.iter_mut().filter(|found| long.contains(&found.doc)) {
        found.words = worth.by_best_passage(&*source.document(found.doc)?, w);
    }
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
    let Some(meaning) = source.estimates(&query.vector)? else {
        let mut meaning = vec![NOBODY; source.slots()];
        source.likeness(&query.vector, |doc, likeness| meaning[doc as usize] = likeness)?;
        let centre = Centre::of(meaning.iter().copied().filter(|one| !one.is_nan()), source.beside(), w);
        return Ok(pick.best(&All { words, meaning: &meaning, centre, shift: 0.0 }, count));
    };
    let (centre, shift) = sampled(source, query, &meaning, w)?;
    let all = All { words, meaning: &meaning, centre, shift };
    let depth = REFINED * count.max(1);
    let refined = |mut near: Vec<Found>| {
        pick.add_called(&all, &mut near);
        let docs: Vec<u32> = near.iter().map(|found| found.doc).collect();
        for (found, likeness) in near.iter_mut().zip(source.likeness_of(&query.vector, &docs)?) {
            found.meaning = centre.move_to(likeness);
        }
        near.sort_unstable_by(|a, b| pick.order(a, b));
        Ok(near)
    };
    let near = pick.top(&all, depth, |_| true);
    let is_all = near.len() < depth;
    let near = refined(near)?;
    let (kept, enough) = pick.keep(&near, count);
    if is_all || enough.is_some_and(|enough| enough <= depth / 2) {
        return Ok(kept);
    }
    // Those that count are rare: they are looked for by themselves.
    Ok(pick.keep(&refined(pick.of_both(&all, depth))?, count).0)
}

/// What is known of every document.
struct All<'a> {
    words: &'a [f32],
    /// Likenesses or estimates of them; [`NOBODY`] where there is no document.
    meaning: &'a [f32],
    centre: Centre,
    /// How far estimates are off.
    shift: f32,
}

impl All<'_> {
    /// What is known of the document of a number; [`NOBODY`] is its meaning where there is none.
    fn found(&self, (doc, (likeness, words)): (u32, (&f32, &f32))) -> Found {
        Found { doc, words: *words, meaning: self.centre.move_to(likeness + self.shift) }
    }

    fn get(&self, doc: u32) -> Option<Found> {
        let at = doc as usize;
        Some(self.found((doc, (self.meaning.get(at)?, self.words.get(at)?)))).filter(|f| !f.meaning.is_nan())
    }

    /// Every number's document, and those that no document has, which are worth nothing that could be compared.
    fn iter(&self) -> impl Iterator<Item = Found> {
        (0..).zip(self.meaning.iter().zip(self.words)).map(|one| self.found(one))
    }
}

/// What the average document reaches, and how far estimates are off on average, from a few runs of documents.
fn sampled<S: Source>(
    source: &S,
    query: &Query,
    estimates: &[f32],
    w: &Weights,
) -> Result<(Centre, f32), S::Trouble> {
    let all = estimates.len();
    let places = (0..all).step_by((all / RUNS).max(RUN)).flat_map(|start| start..(start + RUN).min(all));
    let sample: Vec<u32> = places.filter(|&doc| !estimates[doc].is_nan()).map(|doc| doc as u32).collect();
    let exact = source.likeness_of(&query.vector, &sample)?;
    let off: f64 =
        sample.iter().zip(&exact).map(|(doc, exact)| f64::from(exact - estimates[*doc as usize])).sum();
    Ok((Centre::of(exact.iter().copied(), (0.0, 0.0), w), (off / sample.len().max(1) as f64) as f32))
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
    /// The better goes first; ties go by place.
    fn order(&self, a: &Found, b: &Found) -> Ordering {
        let rough = |found: &Found| found.rough(self.worth, self.w);
        rough(b).total_cmp(&rough(a)).then_with(|| self.source.place(a.doc).cmp(&self.source.place(b.doc)))
    }

    /// The best so many that count, those of the others that are as good, and the called.
    fn best(&self, all: &All<'_>, count: usize) -> Vec<Found> {
        let top = self.top(all, count, |_| true);
        let (mut kept, enough) = self.keep(&top, count);
        // What does not count leaves places open.
        if enough.is_none() && top.len() == count {
            kept = self.keep(&self.of_both(all, count), count).0;
        }
        self.add_called(all, &mut kept);
        kept
    }

    /// The best so many that count and the best so many that do not, in order.
    fn of_both(&self, all: &All<'_>, count: usize) -> Vec<Found> {
        let mut both = self.top(all, count, self.counts);
        both.extend(self.top(all, count, |doc| !(self.counts)(doc)));
        both.sort_unstable_by(|a, b| self.order(a, b));
        both
    }

    /// The best so many of those that are `wanted`, in order.
    fn top(&self, all: &All<'_>, count: usize, wanted: impl Fn(u32) -> bool) -> Vec<Found> {
        let order = |a: &Found, b: &Found| self.order(a, b);
        let mut top: Vec<Found> = Vec::with_capacity(2 * count);
        let mut bar = f32::NEG_INFINITY;
        for found in all.iter() {
            let reaches = found.rough(self.worth, self.w) >= bar;
            if !reaches || !wanted(found.doc) {
                continue;
            }
            top.push(found);
            if top.len() == 2 * count {
                // Half of them are too many: the last of the others is what the next must reach.
                let (_, last, _) = top.select_nth_unstable_by(count - 1, order);
                bar = last.rough(self.worth, self.w);
                top.truncate(count);
            }
        }
        top.sort_unstable_by(order);
        top.truncate(count);
        top
    }

    /// Of some in order, the first so many that count, those of the others before them, and the called; and,
    /// where so many count, how many had to be looked at.
    fn keep(&self, found: &[Found], count: usize) -> (Vec<Found>, Option<usize>) {
        let (mut kept, mut counted, mut beside, mut enough) = (Vec::new(), 0, 0, None);
        for (place, found) in found.iter().enumerate() {
            let fits = counted < count
                && match (self.counts)(found.doc) {
                    true => next(&mut counted) < count,
                    false => next(&mut beside) < count,
                };
            if counted == count && enough.is_none() {
                enough = Some(place + 1);
            }
            if fits || self.called.contains(&found.doc) {
                kept.push(*found);
            }
        }
        (kept, enough)
    }

    fn add_called(&self, all: &All<'_>, found: &mut Vec<Found>) {
        let known: HashSet<u32> = found.iter().map(|found| found.doc).collect();
        let called = self.called.iter().filter(|doc| !known.contains(doc));
        found.extend(called.filter_map(|doc| all.get(*doc)));
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

    /// Every number's share of the query by words, and the documents that are too long for that to tell.
    fn words(self, worth: &Worth, w: &Weights) -> Result<(Vec<f32>, HashSet<u32>), S::Trouble> {
        if let Some(trouble) = self.trouble.into_inner() {
            return Err(trouble);
        }
        let mut sums = vec![0.0f32; self.source.slots()];
        let mut best: Vec<f32> = Vec::new();
        let mut touched: Vec<u32> = Vec::new();
        let mut long = HashSet::new();
        for stand in worth.stand() {
            // A word that nothing else stands for is added where it is met.
            if let [(term, worth_of)] = &stand[..] {
                self.source.postings(*term, |doc, counts, lengths| {
                    sums[doc as usize] += worth_of * worth.saturated(counts, lengths, w);
                    if worth.is_long(lengths) {
                        long.insert(doc);
                    }
                })?;
                continue;
            }
            best.resize(sums.len(), 0.0);
            for (term, worth_of) in stand {
                self.source.postings(*term, |doc, counts, lengths| {
                    let score = worth_of * worth.saturated(counts, lengths, w);
                    let best = &mut best[doc as usize];
                    if *best == 0.0 {
                        touched.push(doc);
                        if worth.is_long(lengths) {
                            long.insert(doc);
                        }
                    }
                    *best = best.max(score);
                })?;
            }
            for doc in touched.drain(..) {
                sums[doc as usize] += std::mem::take(&mut best[doc as usize]);
            }
        }
        sums.iter_mut().filter(|sum| **sum != 0.0).for_each(|sum| *sum = worth.share(*sum));
        Ok((sums, long))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::convert::Infallible;

    use super::super::corpus::Corpus;
    use super::super::judge::Statistics;
    use super::super::text::{Analysed, Counts, Document, Lengths};
    use super::*;
    use crate::embed::{Embedder, Vector};

    /// A collection whose likenesses are estimated first, and a little off.
    struct Estimated<'a>(&'a Corpus<Analysed>);

    impl Source for Estimated<'_> {
        type Trouble = Infallible;

        fn slots(&self) -> usize {
            self.0.slots()
        }

        fn statistics(&self) -> Statistics {
            self.0.statistics()
        }

        fn postings(&self, term: Term, each: impl FnMut(u32, &Counts, &Lengths)) -> Result<(), Infallible> {
            self.0.postings(term, each)
        }

        fn likeness(&self, to: &Vector, each: impl FnMut(u32, f32)) -> Result<(), Infallible> {
            self.0.likeness(to, each)
        }

        fn estimates(&self, to: &Vector) -> Result<Option<Vec<f32>>, Infallible> {
            let mut found = Vec::new();
            self.likeness(to, |doc, likeness| found.push(likeness * 0.9 + (doc % 3) as f32 * 1e-3))?;
            Ok(Some(found))
        }

        fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, Infallible> {
            self.0.document(doc)
        }

        fn time(&self, doc: u32) -> Result<Option<i64>, Infallible> {
            self.0.time(doc)
        }
    }

    /// As many documents as are sampled whole, so that both ways know the same average; the rare ones say less.
    const DOCS: u32 = (RUNS * RUN) as u32;

    fn is_rare(doc: u32) -> bool {
        doc % 100 == 50
    }

    fn corpus(embedder: &Embedder<'_>) -> Corpus<Analysed> {
        const AREAS: [&str; 7] = ["billing", "checkout", "login", "search", "upload", "export", "chat"];
        const FAULTS: [&str; 5] =
            ["deadlocks", "returns stale data", "panics", "is slow", "rounds cents wrongly"];
        let mut corpus = Corpus::new();
        for n in 0..DOCS as usize {
            let (area, fault) = (AREAS[n % 7], FAULTS[n / 7 % 5]);
            let body = match is_rare(n as u32) {
                true => format!("A deploy of {area} {fault}, case {n}."),
                false => format!("The deploy of the {area} worker {fault} and writes rows twice, case {n}."),
            };
            corpus.add(Analysed::of(&Document { body: &body, ..Document::default() }, embedder), None);
        }
        corpus
    }

    #[test]
    fn where_few_count_estimates_find_what_all_likenesses_find() {
        let embedder = Embedder::built_in();
        let corpus = corpus(&embedder);
        let query = Query::of("the checkout worker writes rows twice after a deploy", &embedder);
        let asked = |source: &dyn Fn(&Wanted<'_>) -> Vec<Hit>, k: usize, counts: &dyn Fn(u32) -> bool| {
            source(&Wanted { k, called: &[], counts }).iter().map(|hit| hit.doc).collect::<Vec<_>>()
        };
        let exact = |wanted: &Wanted<'_>| {
            let Ok(hits) = skim(&corpus, &query, wanted, &Weights::TUNED);
            hits
        };
        let estimated = |wanted: &Wanted<'_>| {
            let Ok(hits) = skim(&Estimated(&corpus), &query, wanted, &Weights::TUNED);
            hits
        };
        let order = asked(&exact, DOCS as usize, &|_| true);
        assert_eq!(order.len(), DOCS as usize);
        for k in 1..=4 {
            assert!(!order[..REFINED * k].iter().any(|doc| is_rare(*doc)), "the rare ones lie far behind");
            // The best so many of either kind: all of these others come before the first that counts.
            let best = |rare: bool| order.iter().copied().filter(move |doc| is_rare(*doc) == rare).take(k);
            let expected: Vec<u32> = best(false).chain(best(true)).collect();
            assert_eq!(asked(&exact, k, &is_rare), expected, "{k} by all likenesses");
            assert_eq!(asked(&estimated, k, &is_rare), expected, "{k} by estimates");
        }
    }
}
