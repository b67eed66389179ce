//! One memory as choosing sees it: what an index on disk or a collection in memory can give.

use std::cell::OnceCell;

use jiff::Timestamp;

use crate::embed::{Embedder, Vector};
use crate::entry::{Importance, Kind, Status, Trigger};
use crate::evidence::Verdict;
use crate::memory::{Fold, Memory};
use crate::rank::{Analysed, Document, Hit};
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
    /// What the sentence encoder tells, where it has read the memory: then the token table has no say.
    pub alike: Option<Alike>,
    /// What a search for the task itself found.
    pub hit: Option<Hit>,
    /// What a search for the rest of the context ([`rest_of`]) found.
    pub context: Option<Hit>,
    /// What it is about, to tell near-duplicates.
    pub gist: Gist<'a>,
    /// What became of what it rests on, where that was looked at.
    pub staleness: Option<Verdict>,
    /// What use has taught, from -1 to 1; 0 where nothing is known.
    pub usefulness: f32,
}

/// What the sentence encoder tells of a task and a memory that it has read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// How alike the task and the nearest of what the memory says are, from -1 to 1.
    pub said: f32,
    /// The same of the task in which the memory was found, where that is known.
    pub found_in: Option<f32>,
    /// How far the task asks for what was found out earlier, whatever that is: see [`crate::asks`].
    pub asks: f32,
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
            corrects: fold.corrects.unwrap_or_else(|| {
                super::replace::says_correction(fold.title, fold.bodies.first().map_or("", |body| &body.text))
            }),
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
///
/// Made where a choice depends on it, each half by itself: reading a memory
/// closely costs more than all else, and few choices depend on it.
#[derive(Clone, Default)]
pub struct Gist<'a> {
    /// Identities of its neighbouring words, sorted, each once.
    pairs: OnceCell<Vec<Term>>,
    /// What its passages are about, the title first.
    passages: OnceCell<Vec<Vector>>,
    of: Option<(Told<'a>, Embedder<'a>)>,
}

/// Whose words a gist is made of.
#[derive(Clone, Copy)]
enum Told<'a> {
    Now(&'a Fold<'a>),
    Later(&'a dyn Whole),
}

/// A memory that is read when its words are asked for.
pub trait Whole {
    /// The memory with its bodies; `None` where it is not there any more.
    fn whole(&self) -> Option<&Memory>;

    /// Identities of its neighbouring words, sorted, each once, where they are known without reading it.
    fn pairs(&self) -> Option<Vec<Term>> {
        None
    }
}

impl std::fmt::Debug for Gist<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gist").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}

impl<'a> Gist<'a> {
    /// The gist of what a memory says.
    pub fn of(fold: &'a Fold<'a>, embedder: Embedder<'a>) -> Self {
        Self { of: Some((Told::Now(fold), embedder)), ..Self::default() }
    }

    /// The gist of a memory whose bodies have not been read.
    pub fn later(whole: &'a dyn Whole, embedder: Embedder<'a>) -> Self {
        Self { of: Some((Told::Later(whole), embedder)), ..Self::default() }
    }

    /// The gist of a document that has been read.
    pub fn read(read: &Analysed) -> Self {
        let passages: Vec<Vector> = read.passages.iter().map(|p| p.vector).collect();
        Self { pairs: read.pairs().into(), passages: OnceCell::from(passages), of: None }
    }

    /// What is known already.
    pub fn known(self) -> Gist<'static> {
        Gist { pairs: self.pairs, passages: self.passages, of: None }
    }

    /// Whether nothing of it is known, and nothing can be found out.
    pub fn is_unknown(&self) -> bool {
        self.of.is_none() && self.pairs.get().is_none() && self.passages.get().is_none()
    }

    fn pairs(&self) -> &[Term] {
        let known = || match self.of {
            Some((Told::Later(memory), _)) => memory.pairs(),
            _ => None,
        };
        self.pairs.get_or_init(|| known().unwrap_or_else(|| self.told(|document, _| document.pairs())))
    }

    fn passages(&self) -> &[Vector] {
        self.passages.get_or_init(|| self.told(|document, embedder| document.vectors(embedder)))
    }

    fn told<T>(&self, read: impl FnOnce(&Document<'_>, &Embedder<'_>) -> Vec<T>) -> Vec<T> {
        match &self.of {
            Some((Told::Now(fold), embedder)) => as_document(fold, |document| read(document, embedder)),
            Some((Told::Later(memory), embedder)) => {
                let fold = memory.whole().and_then(|memory| memory.for_agents().or_else(|| memory.now()));
                fold.map_or(Vec::new(), |fold| as_document(&fold, |document| read(document, embedder)))
            }
            None => Vec::new(),
        }
    }

    /// The share of neighbouring words that two texts have in common, from 0 to 1.
    pub(crate) fn shared(&self, other: &Self) -> f32 {
        let (one, two) = (self.pairs(), other.pairs());
        let both = one.iter().filter(|pair| two.binary_search(pair).is_ok()).count();
        let all = one.len() + two.len() - both;
        if all == 0 { 0.0 } else { both as f32 / all as f32 }
    }

    /// How near two memories are by the meaning of their nearest passages.
    pub(crate) fn near(&self, other: &Self) -> f32 {
        let nearest = |one: &Vector| other.passages().iter().map(|two| one.dot(two)).fold(0.0, f32::max);
        self.passages().iter().map(nearest).fold(0.0, f32::max)
    }
}

/// What a fold says, as a search reads it.
pub(super) fn as_document<T>(fold: &Fold<'_>, read: impl FnOnce(&Document<'_>) -> T) -> T {
    let triggers = fold.when_to_use.iter().map(|trigger| trigger.text());
    // What was found in a task is wanted again in one like it: that task says when, as a trigger does.
    let triggers: Vec<&str> = triggers.chain(fold.discovered_in).collect();
    let (triggers, tags, body) = (triggers.join("\n"), fold.tags.join(" "), fold.text());
    read(&Document { title: fold.title, triggers: &triggers, tags: &tags, body: &body })
}

/// What is known besides the task, as one text to search with: plan, history, files, command, error.
pub fn rest_of(task: &TaskContext) -> String {
    let files = task.files.join("\n");
    let texts = [&task.error, &task.command, &task.plan, &task.history, &files];
    texts.into_iter().filter(|text| !text.trim().is_empty()).cloned().collect::<Vec<_>>().join("\n")
}
