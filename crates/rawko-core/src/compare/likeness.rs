//! How alike a proposal and a memory are, measure by measure.

use std::collections::HashMap;

use super::aligned::Aligned;
use super::alone::Alone;
use super::lines::Lines;
use super::stated::{Clause, Stand, clauses};
use super::world::World;
use crate::admission::read::{Read, has_word};
use crate::embed::Embedder;
use crate::linear::Encoded;
use crate::slug::Slug;
use crate::words::{Term, terms};

/// A known memory, read.
pub(crate) struct KnownRead {
    pub(crate) slug: Slug,
    pub(super) title: String,
    pub(super) text: String,
    /// Title and text.
    pub(super) body: Read,
}

impl KnownRead {
    pub(crate) fn of(slug: Slug, title: &str, text: &str, embedder: &Embedder<'_>) -> Self {
        let body = Read::of(&format!("{title}.\n{text}"), embedder);
        Self { slug, title: title.to_owned(), text: text.to_owned(), body }
    }

    /// What it states.
    pub(super) fn clauses(&self) -> Vec<Clause> {
        clauses(&format!("{}. {}", self.title, self.text))
    }
}

/// How rare each word is among the memories that a proposal is compared with: what only one says tells it apart.
pub(super) struct Rarity<'k> {
    known: &'k [KnownRead],
    holders: HashMap<Term, usize>,
}

impl<'k> Rarity<'k> {
    pub(super) fn among(known: &'k [KnownRead]) -> Self {
        let mut holders = HashMap::new();
        for term in known.iter().flat_map(|known| &known.body.terms) {
            *holders.entry(*term).or_default() += 1;
        }
        Self { known, holders }
    }

    /// How many memories have a word.
    pub(super) fn holders(&self, term: &Term) -> usize {
        self.holders.get(term).copied().unwrap_or(0)
    }

    fn of(&self, term: &Term) -> f32 {
        let holders = self.holders.get(term).copied().unwrap_or(1);
        (1.0 + self.known.len() as f32 / holders as f32).ln()
    }

    /// The share of a text's words that another has, the rarer the more.
    fn covered(&self, text: &Read, by: &Read) -> f32 {
        // The terms come in any order; so added up, they give the same every time.
        let weigh = |term: &Term| f64::from(self.of(term));
        let all: f64 = text.terms.iter().map(weigh).sum();
        let shared: f64 = text.terms.iter().filter(|term| by.terms.contains(term)).map(weigh).sum();
        (shared / all.max(0.1)) as f32
    }

    /// Whether one memory alone names something.
    fn is_only(&self, anchor: &str) -> bool {
        self.known.iter().filter(|known| known.body.has_anchor(anchor)).count() == 1
    }
}

/// How alike a proposal and one memory are.
#[derive(Clone, Debug)]
pub(super) struct Likeness {
    /// The share of the proposal's words that the memory has.
    pub(super) covered: f32,
    /// The share of the memory's words that the proposal has.
    pub(super) covers: f32,
    /// How near their meanings are.
    pub(super) meaning: f32,
    /// As `covered`, rare words counting more.
    pub(super) rarely: f32,
    /// The share of the shorter title's words that the other has: what both are about.
    pub(super) subject: f32,
    /// The share of the proposal's anchors that the memory has.
    pub(super) anchored: f32,
    /// How many anchors they share.
    pub(super) shared: usize,
    /// How many of these no other memory has.
    pub(super) rare: usize,
    /// Whether the proposer says that it is about this memory.
    pub(super) meant: bool,
    /// How many of the proposal's words the memory lacks.
    pub(super) novel: f32,
    /// Anchors that only the proposal has.
    pub(super) fresh: usize,
    /// Words by which a text says that something is so now and was not before.
    pub(super) turns: usize,
    /// Words by which a text says that it adds to something.
    pub(super) adds: usize,
    /// How their values stand to each other; taken for the nearest memory only.
    pub(super) stand: Stand,
    /// What the repository and the run say to both; taken for the nearest memory only.
    pub(super) world: World,
    /// How their sentences stand to each other; taken for the nearest memory only.
    pub(super) lines: Lines,
    /// How their words stand to each other; taken for the nearest memory only.
    pub(super) aligned: Aligned,
    /// What they have in common and no other memory has; taken for the nearest memory only.
    pub(super) alone: Alone,
    /// How much nearer this memory is than the next.
    pub(super) ahead: f32,
    /// The words of the proposal's prose; taken for the nearest memory only.
    pub(super) words: Vec<String>,
    /// What the sentence encoder heard of both, where it was asked; taken for the nearest memory only.
    pub(super) encoded: Option<Encoded>,
}

/// Words by which a text takes back what held before.
#[rustfmt::skip]
const TURNS: &[&str] = &[
    "no longer", "anymore", "any more", "now", "nowadays", "these days", "meanwhile", "by now", "formerly", "previously", "used to", "wrong", "correction",
    "outdated", "obsolete", "instead", "rather than", "nicht mehr", "inzwischen", "mittlerweile", "ya no", "ne plus", "désormais", "ahora",
];

/// Words by which a text adds to what is known.
#[rustfmt::skip]
const ADDS: &[&str] = &[
    "also", "besides", "in addition", "another", "too", "as well", "either", "even", "moreover", "more", "next to", "additionally", "further",
    "außerdem", "auch", "también", "aussi",
];

impl Likeness {
    pub(super) fn of(title: &str, body: &Read, known: &KnownRead, rarity: &Rarity<'_>, meant: bool) -> Self {
        let all = body.anchors.len();
        let has = |anchor: &&String| known.body.has_anchor(anchor);
        let shared = body.anchors.iter().filter(has).count();
        let rare = body.anchors.iter().filter(has).filter(|anchor| rarity.is_only(anchor)).count();
        let lacks = |sentence: &crate::admission::read::Sentence| {
            (1.0 - known.body.covers(sentence)) * sentence.terms.len() as f32
        };
        let said = |words: &[&str]| words.iter().filter(|word| has_word(&body.lower, word)).count();
        Self {
            covered: known.body.covers_all(body),
            covers: body.covers_all(&known.body),
            meaning: body.vector.dot(&known.body.vector),
            rarely: rarity.covered(body, &known.body),
            subject: subject(title, &known.title),
            anchored: if all == 0 { 0.0 } else { shared as f32 / all as f32 },
            shared,
            rare,
            meant,
            novel: body.sentences.iter().map(lacks).sum(),
            fresh: all - shared,
            turns: said(TURNS),
            adds: said(ADDS),
            stand: Stand::default(),
            world: World::default(),
            lines: Lines::default(),
            aligned: Aligned::default(),
            alone: Alone::default(),
            ahead: 0.0,
            words: Vec::new(),
            encoded: None,
        }
    }

    /// Whether most of the words and of the meaning are the same.
    pub(super) fn is_plain(&self) -> bool {
        self.covered >= 0.5 && self.meaning >= 0.5
    }

    /// One number for "these are about the same thing".
    pub(super) fn nearness(&self) -> f32 {
        let anchors = (self.shared.min(4) as f32) / 4.0;
        0.35 * self.covered
            + 0.2 * self.covers
            + 0.45 * self.meaning
            + 0.4 * self.rarely
            + 0.25 * anchors * self.anchored
            + 0.3 * self.subject
            + if self.meant { 0.5 } else { 0.0 }
    }
}

/// How far two titles name the same subject.
fn subject(a: &str, b: &str) -> f32 {
    let plain = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if plain(a) == plain(b) {
        return 1.0;
    }
    let (a, b) = (terms(a), terms(b));
    let shared = a.iter().filter(|term| b.contains(term)).count();
    if shared < 2 { 0.0 } else { shared as f32 / a.len().min(b.len()) as f32 }
}
