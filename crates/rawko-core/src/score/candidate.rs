//! One memory as choosing sees it: what an index on disk or a collection in memory can give.

use jiff::Timestamp;

use crate::embed::Vector;
use crate::entry::{Importance, Kind, Status, Trigger};
use crate::evidence::Verdict;
use crate::memory::Fold;
use crate::rank::{Analysed, Hit};
use crate::slug::Slug;
use crate::task::TaskContext;
use crate::trigger::Match;
use crate::trust::Trust;
use crate::words::Term;

/// A memory that might enter, with all that is known of it for one task.
///
/// Whoever supplies candidates gives those that a search found or a trigger
/// called, and beside them every memory that supersedes one of them or names it
/// as related: who replaces whom is decided among candidates.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub slug: &'a Slug,
    /// What the memory says of itself.
    pub facts: Facts<'a>,
    /// The trigger that matches loudest.
    pub called: Option<Called>,
    /// How near in meaning the task is to the nearest trigger that reads as language, from 0 to 1.
    pub near_trigger: f32,
    /// What a search for the task itself found.
    pub hit: Option<Hit>,
    /// What a search for the rest of the context ([`rest_of`]) found.
    pub context: Option<Hit>,
    /// What it is about, to tell near-duplicates.
    pub gist: Gist,
    /// What became of what it rests on, where that was looked at.
    pub staleness: Option<Verdict>,
    /// What use has taught, from -1 to 1; 0 where nothing is known.
    pub usefulness: f32,
}

/// What a memory says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its triggers.
    pub when_to_use: Vec<&'a Trigger>,
    /// How much it matters.
    pub importance: Importance,
    /// Knowledge or procedure.
    pub kind: Kind,
    /// Where it stands in its life.
    pub status: Status,
    /// What its words are worth.
    pub trust: Trust,
    /// When its newest entry was found.
    pub discovered_at: Timestamp,
    /// Who found it.
    pub discovered_by: &'a str,
    /// Its tags.
    pub tags: Vec<&'a str>,
    /// Slugs that it replaces.
    pub supersedes: Vec<&'a str>,
    /// Slugs of related memories.
    pub related: Vec<&'a str>,
    /// Whether its own words say that it puts something right: see [`Facts::of`].
    pub corrects: bool,
}

impl<'a> Facts<'a> {
    /// The facts of a fold.
    pub fn of(fold: &Fold<'a>) -> Self {
        Self {
            title: fold.title,
            when_to_use: fold.when_to_use.clone(),
            importance: fold.importance,
            kind: fold.kind,
            status: fold.status,
            trust: fold.trust,
            discovered_at: fold.discovered_at,
            discovered_by: fold.discovered_by,
            tags: fold.tags.clone(),
            supersedes: fold.supersedes.clone(),
            related: fold.related_memories.clone(),
            corrects: super::replace::says_correction(
                fold.title,
                fold.bodies.first().copied().unwrap_or_default(),
            ),
        }
    }

    /// Whether the memory may enter a prompt at all.
    pub fn may_be_injected(&self) -> bool {
        self.status == Status::Active && self.trust.may_be_injected()
    }
}

/// A trigger that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The trigger as written.
    pub trigger: String,
    /// How it matched.
    pub how: Match,
}

/// What a memory is about, small enough to compare every two of a hundred.
#[derive(Clone, Debug, Default)]
pub struct Gist {
    /// Identities of its neighbouring words, sorted, each once.
    pub pairs: Vec<Term>,
    /// What its passages are about, the title first.
    pub passages: Vec<Vector>,
}

impl Gist {
    /// The gist of a document that has been read.
    pub fn of(read: &Analysed) -> Self {
        let mut pairs: Vec<Term> = read.passages.iter().flat_map(|p| p.pairs.iter().copied()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs, passages: read.passages.iter().map(|p| p.vector).collect() }
    }

    /// The share of neighbouring words that two texts have in common, from 0 to 1.
    pub(crate) fn shared(&self, other: &Self) -> f32 {
        let both = self.pairs.iter().filter(|pair| other.pairs.binary_search(pair).is_ok()).count();
        let all = self.pairs.len() + other.pairs.len() - both;
        if all == 0 { 0.0 } else { both as f32 / all as f32 }
    }

    /// How near two memories are by the meaning of their nearest passages.
    pub(crate) fn near(&self, other: &Self) -> f32 {
        let nearest = |one: &Vector| other.passages.iter().map(|two| one.dot(two)).fold(0.0, f32::max);
        self.passages.iter().map(nearest).fold(0.0, f32::max)
    }
}

/// What is known besides the task, as one text to search with: plan, history, files, command, error.
pub fn rest_of(task: &TaskContext) -> String {
    let files = task.files.join("\n");
    let texts = [&task.error, &task.command, &task.plan, &task.history, &files];
    texts.into_iter().filter(|text| !text.trim().is_empty()).cloned().collect::<Vec<_>>().join("\n")
}
