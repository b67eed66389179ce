//! How something proposed stands to what is known: the same, an update, a contradiction, or new.
//!
//! Wording, meaning and anchors are looked at together. What both name ties
//! them; what only the proposal names is news; a value of the same thing that
//! is another now, or a plain "no longer", contradicts.

use crate::admission::read::{Read, has_word};
use crate::slug::Slug;

/// How a proposal stands to what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Nothing known speaks of it.
    New,
    /// It is known already.
    Same(Slug),
    /// It adds to a memory.
    Updates(Slug),
    /// A memory says otherwise.
    Contradicts(Slug),
}

/// A known memory, read.
pub(crate) struct KnownRead {
    pub(crate) slug: Slug,
    pub(crate) title: String,
    pub(crate) body: Read,
}

/// How alike a proposal and one memory are.
#[derive(Clone, Debug)]
pub(crate) struct Likeness {
    /// The share of the proposal's words that the memory has.
    pub(crate) covered: f32,
    /// The share of the memory's words that the proposal has.
    pub(crate) covers: f32,
    /// How near their meanings are.
    pub(crate) meaning: f32,
    /// The share of the proposal's anchors that the memory has.
    pub(crate) anchored: f32,
    /// How many anchors they share.
    pub(crate) shared: usize,
    /// Anchors that only the proposal has.
    pub(crate) fresh: Vec<String>,
    /// Whether the titles are the same but for case and marks.
    pub(crate) titled: bool,
}

impl Likeness {
    pub(crate) fn of(title: &str, body: &Read, known: &KnownRead) -> Self {
        let fresh: Vec<String> = known.body.lacks(body).into_iter().map(str::to_owned).collect();
        let all = body.anchors.len();
        let shared = all - fresh.len();
        Self {
            covered: known.body.covers_all(body),
            covers: body.covers_all(&known.body),
            meaning: body.vector.dot(&known.body.vector),
            anchored: if all == 0 { 0.0 } else { shared as f32 / all as f32 },
            shared,
            fresh,
            titled: same_title(title, &known.title),
        }
    }

    /// One number for "these are about the same thing".
    pub(crate) fn nearness(&self) -> f32 {
        let anchors = (self.shared.min(4) as f32) / 4.0;
        let title = if self.titled { 0.4 } else { 0.0 };
        0.35 * self.covered + 0.2 * self.covers + 0.45 * self.meaning + 0.25 * anchors * self.anchored + title
    }
}

fn same_title(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    plain(a) == plain(b)
}

/// Compares a proposal with the memories that are nearest to it.
pub(crate) fn compare(title: &str, body: &Read, known: &[KnownRead], meant: Option<&Slug>) -> Relation {
    let all = known.iter().map(|known| (known, Likeness::of(title, body, known)));
    let meant_first = |known: &KnownRead| meant.is_some_and(|slug| *slug == known.slug);
    let best = all.max_by(|(a, x), (b, y)| {
        let rank = |known: &KnownRead, like: &Likeness| like.nearness() + if meant_first(known) { 0.5 } else { 0.0 };
        rank(a, x).total_cmp(&rank(b, y))
    });
    let Some((known, like)) = best else { return Relation::New };
    relation(body, known, &like, meant_first(known))
}

fn relation(body: &Read, known: &KnownRead, like: &Likeness, meant: bool) -> Relation {
    let slug = known.slug.clone();
    let near = like.nearness();
    let about_it = near >= 0.62 || like.titled || meant || (like.shared >= 3 && near >= 0.5);
    if about_it && contradicts(body, known) {
        return Relation::Contradicts(slug);
    }
    if is_same(like) {
        return Relation::Same(slug);
    }
    if about_it { Relation::Updates(slug) } else { Relation::New }
}

/// Nothing in it that the memory does not say.
fn is_same(like: &Likeness) -> bool {
    let few = like.fresh.len() <= 1;
    (like.covered >= 0.85 && like.fresh.is_empty())
        || (few && like.meaning >= 0.8 && like.covered >= 0.6)
        || (like.fresh.is_empty() && like.shared >= 5)
        || (few && like.meaning >= 0.7 && like.covered >= 0.7)
}

/// Words that take back what was said before.
#[rustfmt::skip]
const TAKES_BACK: &[&str] = &[
    "no longer", "not anymore", "any more", "anymore", "correction", "outdated", "obsolete", "replaced", "was wrong", "is wrong", "superseded", "changed from",
    "now", "instead of", "used to", "raised", "lowered", "switched", "moved to", "dropped", "contrary", "nicht mehr", "ya no", "ne plus", "plus maintenant", "mittlerweile",
];

/// Whether a proposal gives another value for what a memory says, or takes it back.
fn contradicts(body: &Read, known: &KnownRead) -> bool {
    TAKES_BACK.iter().any(|word| has_word(&body.lower, word)) || denies(body, known) || !other_values(&body.lower, &known.body.lower).is_empty()
}

/// "not 20", where the memory says 20.
fn denies(body: &Read, known: &KnownRead) -> bool {
    known.body.anchors.iter().any(|anchor| {
        ["not ", "not `", "never ", "nicht ", "statt "].iter().any(|no| has_word(&body.lower, &format!("{no}{anchor}")))
    })
}

/// Values that differ for the same name: `max: 12` against `max: 20`.
fn other_values(a: &str, b: &str) -> Vec<String> {
    let (a, b) = (values(a), values(b));
    let differs = |(name, value): &&(String, String)| {
        let others: Vec<&String> = b.iter().filter(|(other, _)| other == name).map(|(_, value)| value).collect();
        !others.is_empty() && !others.contains(&value) && a.iter().all(|(other, own)| other != name || !others.contains(&own))
    };
    a.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Names with the numbers that are given to them: `max: 20`, `attempts = 5`, `--jobs 2`, "20 connections".
fn values(lower: &str) -> Vec<(String, String)> {
    let is_mark = |c: char| c.is_whitespace() || "`\"'(),;=:{}[]".contains(c);
    let words: Vec<&str> = lower.split(is_mark).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect();
    let number = |word: &str| {
        let plain = word.replace('_', "");
        plain.parse::<f64>().is_ok().then_some(plain)
    };
    let name = |word: &str| word.len() > 2 && word.chars().any(char::is_alphabetic) && !STOP.contains(&word);
    let mut found = Vec::new();
    for pair in words.windows(2) {
        if let (true, Some(value)) = (name(pair[0]), number(pair[1])) {
            found.push((pair[0].to_owned(), value));
        }
        if let (Some(value), true) = (number(pair[0]), name(pair[1])) {
            found.push((pair[1].to_owned(), value));
        }
    }
    found
}

const STOP: &[&str] = &["the", "and", "for", "with", "than", "from", "over", "are", "was", "has", "into", "about", "only", "not", "per", "after", "under", "least", "most", "until", "of", "to", "at", "or"];
