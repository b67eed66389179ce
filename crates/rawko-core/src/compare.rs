//! How something proposed stands to what is known: the same, an update, a contradiction, or new.
//!
//! Wording, meaning and anchors are looked at together. What both name ties
//! them; what only the proposal names is news; a value of the same thing that
//! is another now, or a plain "no longer", contradicts.

use crate::admission::read::{Read, has_word};
use crate::embed::Embedder;
use crate::memory::Memory;
use crate::slug::Slug;
use crate::words::terms;

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
    /// The share of the shorter title's words that the other has: what both are about.
    pub(crate) subject: f32,
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
            subject: subject(title, &known.title),
        }
    }

    /// One number for "these are about the same thing".
    pub(crate) fn nearness(&self) -> f32 {
        let anchors = (self.shared.min(4) as f32) / 4.0;
        let title = if self.titled { 0.4 } else { 0.0 };
        0.35 * self.covered
            + 0.2 * self.covers
            + 0.45 * self.meaning
            + 0.25 * anchors * self.anchored
            + 0.3 * self.subject
            + title
    }
}

fn same_title(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    plain(a) == plain(b)
}

fn subject(a: &str, b: &str) -> f32 {
    let (a, b) = (terms(a), terms(b));
    let shared = a.iter().filter(|term| b.contains(term)).count();
    if shared < 2 { 0.0 } else { shared as f32 / a.len().min(b.len()) as f32 }
}

/// How one memory stands to another.
pub fn between(one: &Memory, other: &Memory) -> Relation {
    let (Some(a), Some(b)) = (one.now(), other.now()) else { return Relation::New };
    let embedder = Embedder::built_in();
    let known = Read::of(&format!("{}.\n{}", b.title, b.text()), &embedder);
    let known = KnownRead { slug: other.slug.clone(), title: b.title.to_owned(), body: known };
    compare(a.title, &Read::of(&a.text(), &embedder), &[known], None)
}

/// Compares a proposal with the memories that are nearest to it.
pub(crate) fn compare(title: &str, body: &Read, known: &[KnownRead], meant: Option<&Slug>) -> Relation {
    let all = known.iter().map(|known| (known, Likeness::of(title, body, known)));
    let meant_first = |known: &KnownRead| meant.is_some_and(|slug| *slug == known.slug);
    let best = all.max_by(|(a, x), (b, y)| {
        let rank =
            |known: &KnownRead, like: &Likeness| like.nearness() + if meant_first(known) { 0.5 } else { 0.0 };
        rank(a, x).total_cmp(&rank(b, y))
    });
    let Some((known, like)) = best else { return Relation::New };
    relation(body, known, &like, meant_first(known))
}

fn relation(body: &Read, known: &KnownRead, like: &Likeness, meant: bool) -> Relation {
    let slug = known.slug.clone();
    let near = like.nearness();
    let about_it = near >= 0.62
        || like.titled
        || meant
        || (like.shared >= 4 && near >= 0.55)
        || (like.shared >= 2 && like.fresh.is_empty() && near >= 0.5);
    if like.shared >= 2 && near >= 0.4 && (denies(body, known) || passes_on(body, known)) {
        return Relation::Contradicts(slug);
    }
    if takes_back(body) && (about_it || (near >= 0.4 && like.shared > 0)) {
        return Relation::Contradicts(slug);
    }
    if is_same(like) {
        return Relation::Same(slug);
    }
    if about_it && contradicts(body, known, like) {
        return Relation::Contradicts(slug);
    }
    if about_it { Relation::Updates(slug) } else { Relation::New }
}

/// Nothing in it that the memory does not say: a number that only one of them has is news.
fn is_same(like: &Likeness) -> bool {
    let number = like.fresh.iter().any(|anchor| anchor.contains(|c: char| c.is_ascii_digit()));
    let worded = like.covered >= 0.62 && like.fresh.is_empty();
    let meant = like.fresh.len() <= 1 && like.meaning >= 0.75 && like.covered >= 0.6;
    let anchored = like.fresh.is_empty() && like.shared >= 5;
    !number && (worded || meant || anchored)
}

/// Words that take back what was said before.
#[rustfmt::skip]
const TAKES_BACK: &[&str] = &[
    "no longer", "not anymore", "any more", "anymore", "correction", "outdated", "obsolete", "was wrong", "is wrong:", "not true", "superseded", "changed from", "used to be",
    "has been replaced", "was replaced", "were replaced", "is gone", "nicht mehr", "ya no", "ne plus", "mittlerweile", "contrary to",
];

/// Whether a proposal takes back what a memory says, in so many words.
fn takes_back(body: &Read) -> bool {
    TAKES_BACK.iter().any(|word| has_word(&body.lower, word))
}

/// Whether a proposal gives another value for what a memory says.
fn contradicts(body: &Read, known: &KnownRead, like: &Likeness) -> bool {
    let number = like.fresh.iter().any(|anchor| anchor.contains(|c: char| c.is_ascii_digit()));
    denies(body, known)
        || (number && !other_values(&body.lower, &known.body.lower).is_empty())
        || (number && is_new_today(&body.lower) && !other_values_of_names(body, known).is_empty())
}

/// Words that may stand between a "not" and what is denied.
const BETWEEN: &[&str] =
    &["after", "the", "at", "by", "in", "for", "with", "from", "on", "to", "nach", "mehr"];

/// "not 20", "not after 30", where the memory says so and does not deny it itself.
fn denies(body: &Read, known: &KnownRead) -> bool {
    let denied = denials(&body.lower);
    let own = denials(&known.body.lower);
    let said = |word: &&str| known.body.anchors.iter().any(|anchor| anchor == word);
    denied.iter().any(|word| said(word) && !own.contains(word))
}

/// What a text denies: the word behind each "not".
fn denials(lower: &str) -> Vec<&str> {
    let words: Vec<&str> = marked(lower);
    let behind = |at: usize| words[at + 1..].iter().take(3).copied().find(|word| !BETWEEN.contains(word));
    let nots = words.iter().enumerate().filter(|(_, word)| ["not", "nicht", "statt"].contains(word));
    nots.filter_map(|(at, _)| behind(at)).collect()
}

/// "from 14 to 35", where the memory says 14 and not 35.
fn passes_on(body: &Read, known: &KnownRead) -> bool {
    let words = marked(&body.lower);
    let said = |word: &str| known.body.anchors.iter().any(|anchor| anchor == word);
    words.windows(4).any(|four| {
        let [from, old, to, new] = four else { return false };
        let values = number(old).is_some() && number(new).is_some();
        values
            && ["from", "von", "de"].contains(from)
            && ["to", "auf", "a"].contains(to)
            && said(old)
            && !said(new)
    })
}

/// Whether a text says that something is so now, and was not before.
fn is_new_today(lower: &str) -> bool {
    ["now", "since", "raised", "lowered", "increased", "reduced", "changed", "jetzt", "seit"]
        .iter()
        .any(|word| has_word(lower, word))
}

/// Names of code for which both texts give numbers, and no number is the same.
fn other_values_of_names(body: &Read, known: &KnownRead) -> Vec<String> {
    let shared =
        body.anchors.iter().filter(|name| number(name).is_none() && known.body.anchors.contains(name));
    let differs = |name: &&String| {
        let (a, b) = (numbers_behind(&body.lower, name), numbers_behind(&known.body.lower, name));
        !a.is_empty() && !b.is_empty() && !a.iter().any(|value| b.contains(value))
    };
    shared.filter(differs).cloned().collect()
}

/// The first number that follows each mention of a name, at most six words behind it.
fn numbers_behind(lower: &str, name: &str) -> Vec<String> {
    let words = marked(lower);
    let mentions = words.iter().enumerate().filter(|(_, word)| **word == name);
    mentions.filter_map(|(at, _)| words[at + 1..].iter().take(6).find_map(|word| number(word))).collect()
}

/// The words of a text without its marks.
fn marked(lower: &str) -> Vec<&str> {
    let is_mark = |c: char| c.is_whitespace() || "`\"'(),;=:{}[]".contains(c);
    lower.split(is_mark).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect()
}

/// Values that differ for the same name: `max: 12` against `max: 20`.
fn other_values(a: &str, b: &str) -> Vec<String> {
    let (a, b) = (values(a), values(b));
    let differs = |(name, value): &&(String, String)| {
        let others: Vec<&String> =
            b.iter().filter(|(other, _)| other == name).map(|(_, value)| value).collect();
        !others.is_empty()
            && !others.contains(&value)
            && a.iter().all(|(other, own)| other != name || !others.contains(&own))
    };
    a.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Names with the numbers that are given to them: `max: 20`, `attempts = 5`, `--jobs 2`.
fn values(lower: &str) -> Vec<(String, String)> {
    let words = marked(lower);
    let name = |word: &str| word.len() > 2 && word.starts_with(char::is_alphabetic) && !STOP.contains(&word);
    let pairs = words.windows(2).filter(|pair| name(pair[0]));
    pairs.filter_map(|pair| Some((pair[0].to_owned(), number(pair[1])?))).collect()
}

/// A number as it is compared: without grouping, with a unit that clings to it.
fn number(word: &str) -> Option<String> {
    let plain = word.replace('_', "");
    let unit = plain.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let numeric = plain.starts_with(|c: char| c.is_ascii_digit())
        && unit.len() <= 3
        && unit.chars().all(char::is_alphabetic);
    numeric.then_some(plain)
}

const STOP: &[&str] = &[
    "the", "and", "for", "with", "than", "from", "over", "are", "was", "has", "into", "about", "only", "not",
    "per", "after", "under", "least", "most", "until", "of", "to", "at", "or",
];
