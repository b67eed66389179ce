//! The exact stage: a candidate's score as the sum of named parts.
//!
//! Pure arithmetic over one document's counts and the collection's
//! [`Statistics`], so that an index on disk and a collection in memory give
//! the same scores. Every leg is a share of what the query asks for; a leg that
//! finds little adds little, whatever the others say.

use super::kin::Kin;
use super::query::Query;
use super::text::{Analysed, Counts, FIELDS, Field, Lengths, Passage, find};
use crate::embed::Wide;
use crate::weights::Weights;
use crate::words::Term;

/// One named addend of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it is for.
    pub name: &'static str,
    /// Points.
    pub points: f32,
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its number in the collection.
    pub doc: u32,
    /// The sum of its parts.
    pub score: f32,
    /// What it would be if no single words were known: without [`super::WORDING`], and newer counting as usual.
    pub plain: f32,
    /// What the score is made of.
    pub parts: Vec<Part>,
    /// How much of the query one passage speaks of, from 0 to 1, however often.
    pub topic: f32,
}

impl Hit {
    fn of(doc: u32, parts: Vec<Part>, topic: f32) -> Self {
        let score = parts.iter().map(|part| part.points).sum();
        Self { doc, score, plain: score, parts, topic }
    }
}

/// What the cheap stage knows of a document.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its number in the collection.
    pub doc: u32,
    /// Its words' share of the query, from the words it shares with it.
    pub words: f32,
    /// Its best passage by meaning: 0 is what the average document reaches, and 1 is the same text.
    pub meaning: f32,
}

impl Found {
    /// What the cheap stage orders by.
    #[inline]
    pub fn rough(&self, worth: &Worth, w: &Weights) -> f32 {
        (w.words + w.passage) * self.words + w.meaning * worth.trust * self.meaning
    }

    /// What the cheap stage knows, as a score: two parts of the whole one.
    pub(super) fn hit(&self, worth: &Worth, w: &Weights) -> Hit {
        let parts = vec![self.words_part(w), self.meaning_part(worth, w)];
        Hit::of(self.doc, parts, 0.0)
    }

    fn words_part(&self, w: &Weights) -> Part {
        Part { name: "words", points: w.words * self.words }
    }

    fn meaning_part(&self, worth: &Worth, w: &Weights) -> Part {
        Part { name: "meaning", points: w.meaning * worth.trust * self.meaning }
    }
}

/// What must be known of the whole collection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// How many documents there are.
    pub documents: u32,
    /// Terms per field, over all documents.
    pub terms: [u64; FIELDS],
    /// How many passages there are.
    pub passages: u64,
    /// Terms in all passages.
    pub passage_terms: u64,
}

impl Statistics {
    /// Counts a document in.
    pub fn add(&mut self, read: &Analysed) {
        self.documents += 1;
        for (total, length) in self.terms.iter_mut().zip(read.lengths) {
            *total += u64::from(length);
        }
        self.passages += read.passages.len() as u64;
        self.passage_terms += read.passages.iter().map(|p| u64::from(p.length)).sum::<u64>();
    }

    /// Counts another collection in.
    pub fn join(&mut self, other: &Self) {
        self.documents += other.documents;
        self.terms.iter_mut().zip(other.terms).for_each(|(total, more)| *total += more);
        self.passages += other.passages;
        self.passage_terms += other.passage_terms;
    }

    /// Takes documents out that were counted in.
    pub fn part(&mut self, other: &Self) {
        self.documents = self.documents.saturating_sub(other.documents);
        self.terms.iter_mut().zip(other.terms).for_each(|(total, less)| *total = total.saturating_sub(less));
        self.passages = self.passages.saturating_sub(other.passages);
        self.passage_terms = self.passage_terms.saturating_sub(other.passage_terms);
    }

    /// How much a term tells, by the number of documents that have it.
    fn idf(&self, holders: u32) -> f32 {
        let (n, df) = (self.documents as f32, holders as f32);
        (1.0 + (n - df + 0.5).max(0.5) / (df + 0.5)).ln()
    }
}

/// So many times as long as usual, length is held against a word no further: a text that speaks of many things is
/// weighed by its best passage instead.
const LONG: f32 = 4.0;

/// What a word is worth that is no term of the query, where the nearest of its kind is looked for.
const SLIGHT: f32 = 0.7;

/// Lengths of fields below which what an occurrence is worth is worked out beforehand.
const USUAL: usize = 256;

/// What a query's terms are worth in a collection.
#[derive(Clone, Debug)]
pub struct Worth {
    statistics: Statistics,
    /// Terms that a document has in a field on average, at least 1.
    average: [f32; FIELDS],
    /// What one occurrence in a field is worth, by the field's length: dividing for every posting takes longer.
    occurrence: [[f32; USUAL]; FIELDS],
    /// Per term of the query.
    idf: Vec<f32>,
    /// Per term of the query, the words that stand for it: itself, then kin that occur, each with its worth.
    stand: Vec<Vec<(Term, f32)>>,
    /// The sum of `idf`.
    all: f32,
    /// Per clause of the query, the sum of its terms' `idf`.
    clauses: Vec<f32>,
    /// How far vectors can be trusted with this query.
    trust: f32,
}

/// How far the token table's vectors can be trusted with a query: an average of many words says little.
pub(super) fn trust(query: &Query, w: &Weights) -> f32 {
    (w.short / query.terms.len().max(1) as f32).min(1.0)
}

impl Worth {
    /// Weighs a query's terms; `holders` tells how many documents have a term.
    pub fn of(query: &Query, statistics: Statistics, holders: impl Fn(Term) -> u32, w: &Weights) -> Self {
        let idf = |term: &Term| statistics.idf(holders(*term));
        let when = |term: &Term| if query.when.contains(term) { w.when } else { 1.0 };
        let beside = |term: &Term| if query.aside.contains(term) { w.aside } else { 1.0 };
        let own: Vec<f32> = query.terms.iter().map(|t| idf(t) * when(t).min(beside(t))).collect();
        let table = Kin::built_in();
        let stand = |(term, own): (&Term, &f32)| {
            let worth = |(kin, alike): (Term, f32)| {
                let near = ((alike - w.kin_floor) / (1.0 - w.kin_floor)).max(0.0);
                (kin, w.kin * near * own.min(idf(&kin)))
            };
            let occurs = |(kin, _): &(Term, f32)| !query.terms.contains(kin) && holders(*kin) > 0;
            let kin = table.of(*term).filter(occurs).map(worth).filter(|(_, worth)| *worth > 0.0);
            std::iter::once((*term, *own)).chain(kin).collect()
        };
        let of = |t: &Term| query.terms.iter().position(|q| q == t).map_or(0.0, |n| own[n]);
        let documents = statistics.documents as f32;
        let average = statistics.terms.map(|terms| (terms as f32 / documents).max(1.0));
        let occurrence = |field| std::array::from_fn(|length| occurrence(field, length, &average, w));
        Self {
            statistics,
            average,
            occurrence: std::array::from_fn(occurrence),
            stand: query.terms.iter().zip(&own).map(stand).collect(),
            all: own.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            clauses: query.clauses.iter().map(|(_, terms)| terms.iter().map(of).sum()).collect(),
            trust: trust(query, w),
            idf: own,
        }
    }

    /// Per term of the query, the words whose postings the cheap stage reads, each with its worth.
    pub fn stand(&self) -> &[Vec<(Term, f32)>] {
        &self.stand
    }

    /// What a word of the query is worth that counts as the same as these terms.
    pub(super) fn of_word(&self, same: &[Term], query: &Query) -> f32 {
        let worth = |term: &Term| query.terms.iter().position(|one| one == term).map(|at| self.idf[at]);
        same.iter().filter_map(worth).reduce(f32::max).unwrap_or(SLIGHT)
    }

    /// A document's share of the query by words: the sum over terms of their best stand-in's worth, saturated.
    pub fn share(&self, sum: f32) -> f32 {
        sum / self.all
    }

    /// BM25F: fields are weighed and length-normalised, then saturate together.
    #[inline]
    pub fn saturated(&self, counts: &Counts, lengths: &Lengths, w: &Weights) -> f32 {
        let mut tf = 0.0;
        for field in 0..FIELDS {
            if counts[field] > 0 {
                let length = usize::from(lengths[field]);
                let worth = match self.occurrence[field].get(length) {
                    Some(known) => *known,
                    None => occurrence(field, length, &self.average, w),
                };
                tf += f32::from(counts[field]) * worth;
            }
        }
        tf * (w.k1 + 1.0) / (tf + w.k1)
    }

    /// Whether a document is so long that its words stand far apart.
    #[inline]
    pub(super) fn is_long(&self, lengths: &Lengths) -> bool {
        f32::from(lengths[Field::Body as usize]) > LONG * self.average[Field::Body as usize]
    }

    /// The share of the query that a long document has by words, with its best passage for its body.
    pub(super) fn by_best_passage(&self, read: &Analysed, w: &Weights) -> f32 {
        let share = |passage: &Passage| {
            let mut lengths = read.lengths;
            lengths[Field::Body as usize] = u16::try_from(passage.length).unwrap_or(u16::MAX);
            self.sum(|(term, worth)| {
                let mut counts = find(&read.terms, *term).unwrap_or_default();
                counts[Field::Body as usize] = find(&passage.terms, *term).unwrap_or(0);
                worth * self.saturated(&counts, &lengths, w)
            })
        };
        read.passages.iter().map(share).fold(0.0, f32::max)
    }

    /// The sum over the query's terms of the best that stands for each.
    fn sum(&self, of: impl Fn(&(Term, f32)) -> f32) -> f32 {
        let best = |stand: &Vec<(Term, f32)>| stand.iter().map(&of).fold(0.0, f32::max);
        self.share(self.stand.iter().map(best).sum())
    }

    fn passage(&self, passage: &Passage, w: &Weights) -> f32 {
        let average =
            (self.statistics.passage_terms as f32 / self.statistics.passages.max(1) as f32).max(1.0);
        let norm = w.k1_passage * (1.0 - w.b_passage + w.b_passage * passage.length as f32 / average);
        self.sum(|(term, worth)| {
            let tf = f32::from(find(&passage.terms, *term).unwrap_or(0));
            worth * tf * (w.k1_passage + 1.0) / (tf + norm)
        })
    }

    /// The share of the query's neighbouring terms that are neighbours in a passage.
    fn neighbours(&self, passage: &Passage, query: &Query) -> f32 {
        let worth_of = |(a, b): &(usize, usize)| self.idf[*a] + self.idf[*b];
        let all: f32 = query.pairs.iter().map(worth_of).sum();
        let stands = |(a, b): &&(usize, usize)| {
            passage.pairs.binary_search(&query.terms[*a].pair(query.terms[*b])).is_ok()
        };
        query.pairs.iter().filter(stands).map(worth_of).sum::<f32>() / all.max(f32::MIN_POSITIVE)
    }

    /// How well a document's sentences say what the query's clauses say, each by its best.
    fn said(&self, read: &Analysed, query: &Query) -> f32 {
        let clauses: Vec<Wide> = query.clauses.iter().map(|(clause, _)| clause.wide()).collect();
        let best =
            |clause: &Wide| read.sentences.iter().map(|s| clause.dot(s.as_array())).fold(0.0, f32::max);
        let said: f32 = clauses.iter().zip(&self.clauses).map(|(clause, worth)| worth * best(clause)).sum();
        said / self.clauses.iter().sum::<f32>().max(f32::MIN_POSITIVE)
    }
}

/// What one occurrence in a field of some length is worth, where fields have these lengths on average.
fn occurrence(field: usize, length: usize, average: &[f32; FIELDS], w: &Weights) -> f32 {
    let boost = [w.field_title, w.field_triggers, w.field_tags, 1.0];
    let b = if field == Field::Body as usize { w.b_body } else { w.b_head };
    boost[field] / (1.0 - b + b * (length as f32 / average[field]).min(LONG))
}

/// What the average document reaches.
///
/// A query that is a little like everything says nothing by being like something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    at: f32,
    /// What is left from there to the same text.
    room: f32,
}

impl Centre {
    /// Of these likenesses, and of so many besides that are as is usual.
    pub(super) fn of(all: impl Iterator<Item = f32>, (beside, usual): (f64, f64), w: &Weights) -> Self {
        // Summed in double precision, so that the order of documents does not show in the sum.
        let begin = (beside * usual, beside);
        let (sum, count) = all.fold(begin, |(sum, count), one| (sum + f64::from(one), count + 1.0));
        let at = w.centre * (sum / count.max(1.0)) as f32;
        Self { at, room: (1.0 - at).max(0.1) }
    }

    #[inline]
    pub(super) fn move_to(self, one: f32) -> f32 {
        (one - self.at) / self.room
    }
}

/// Scores one candidate.
pub fn judge(found: &Found, read: &Analysed, query: &Query, worth: &Worth, w: &Weights) -> Hit {
    let best = |of: &dyn Fn(&Passage) -> f32| read.passages.iter().map(of).fold(0.0, f32::max);
    let passage = best(&|p| worth.passage(p, w));
    let pairs = best(&|p| worth.neighbours(p, query));
    let has = |terms: &[(Term, u16)], term: Term| find(terms, term).is_some();
    let topic = best(&|p| {
        let words = query.terms.iter().zip(&worth.idf).filter(|(term, _)| has(&p.terms, **term));
        let words = worth.share(words.map(|(_, idf)| idf).sum());
        (1.0 - w.newer_pairs) * words + w.newer_pairs * worth.neighbours(p, query)
    });
    let coverage = worth.sum(|(term, worth)| find(&read.terms, *term).map_or(0.0, |_| *worth));
    let parts = vec![
        found.words_part(w),
        Part { name: "passage", points: w.passage * passage },
        Part { name: "coverage", points: w.coverage * coverage },
        Part { name: "pairs", points: w.pairs * pairs },
        found.meaning_part(worth, w),
        Part { name: "clauses", points: w.clauses * worth.trust * worth.said(read, query) },
    ];
    Hit::of(found.doc, parts, topic)
}

/// Among documents that speak of the same thing, the newer one counts more; most where the query asks for now.
///
/// Who speaks of the same thing is read from [`Hit::topic`], not from the
/// score: saying it more often, or at greater length, does not make it newer. `by` is how much more than usual it counts.
pub(super) fn prefer_newer(
    hits: &mut [Hit],
    query: &Query,
    time: impl Fn(u32) -> Option<i64>,
    by: f32,
    w: &Weights,
) {
    let top = hits.iter().map(|h| h.topic).fold(f32::MIN_POSITIVE, f32::max);
    let near = |hit: &Hit| ((hit.topic / top - w.newer_gate) / (1.0 - w.newer_gate)).clamp(0.0, 1.0);
    let mut times: Vec<i64> = hits.iter().filter(|h| near(h) > 0.0).filter_map(|h| time(h.doc)).collect();
    if times.len() < 2 {
        return;
    }
    times.sort_unstable();
    let most = if query.when.is_empty() { w.newer } else { w.newer_now };
    for hit in hits.iter_mut().filter(|hit| near(hit) > 0.0) {
        if let Some(time) = time(hit.doc) {
            let older = times.partition_point(|t| *t < time) as f32 / (times.len() - 1) as f32;
            let plain = most * near(hit) * older;
            hit.plain += plain;
            hit.score += by * plain;
            hit.parts.push(Part { name: "newer", points: by * plain });
        }
    }
}
