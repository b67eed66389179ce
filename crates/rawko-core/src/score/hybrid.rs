//! Relevance first: what the task and the memory have in common, then who wrote it, when, and what use taught.

use jiff::Timestamp;

use super::candidate::Candidate;
use super::{Part, Score, Settings, classic};
use crate::entry::Importance;
use crate::evidence::Verdict;
use crate::rank::Hit;
use crate::task::TaskContext;
use crate::weights::{Inject, Weights};

/// A candidate's relevance, by parts.
#[derive(Clone, Debug)]
pub(super) struct Relevance {
    parts: Vec<Part>,
    /// Whether its own trigger called it, loudly enough to need no query.
    called: bool,
}

impl Relevance {
    /// The sum of the parts.
    pub(super) fn points(&self) -> f32 {
        self.parts.iter().map(|part| part.points).sum()
    }
}

/// How relevant a candidate is to the task.
pub(super) fn relevance(candidate: &Candidate<'_>, w: &Inject) -> Relevance {
    let strength = candidate.called.as_ref().map_or(0.0, |called| called.how.strength);
    let task = |leg: Leg| share(candidate.hit.as_ref(), leg);
    let parts = vec![
        Part { name: "trigger", points: w.trigger * strength },
        Part { name: "words", points: w.words * task(WORDS) },
        Part { name: "meaning", points: w.meaning * task(MEANING) },
        Part { name: "context", points: w.context * share(candidate.context.as_ref(), WORDS) },
    ];
    Relevance { parts, called: strength >= w.loud }
}

/// A leg of a search: the part's name and what it is worth at most.
type Leg = (&'static str, f32);
const WORDS: Leg = ("words", Weights::TUNED.words);
const MEANING: Leg = ("meaning", Weights::TUNED.meaning);

/// A leg's share of the most that it can give.
fn share(hit: Option<&Hit>, (name, most): Leg) -> f32 {
    let part = hit.and_then(|hit| hit.parts.iter().find(|part| part.name == name));
    part.map_or(0.0, |part| part.points / most)
}

/// How much relevance a memory of this importance needs.
pub(super) fn needed(importance: Importance, w: &Inject) -> f32 {
    match importance {
        Importance::Critical => w.needed_critical,
        Importance::High => w.needed_high,
        Importance::Medium => w.needed_medium,
        Importance::Low => w.needed_low,
    }
}

/// The whole score: relevance, the origin's parts as a small prior, usefulness, staleness.
pub(super) fn score(
    candidate: &Candidate<'_>,
    relevance: &Relevance,
    task: &TaskContext,
    settings: &Settings,
    now: Timestamp,
    w: &Inject,
) -> Score {
    let facts = &candidate.facts;
    // What a trigger called is wanted for what it says, however old.
    let recency = if relevance.called { 0.0 } else { classic::recency(facts.discovered_at, now) };
    let prior = [
        ("importance", classic::importance(facts.importance)),
        ("recency", recency),
        ("title words", classic::title_words(facts.title, &task.task)),
        ("agent tags", classic::agent_tags(facts, task, settings)),
        ("same agent", classic::same_agent(facts, task)),
    ];
    let prior = prior.map(|(name, points)| Part { name, points: w.prior * points });
    let learned = [
        Part { name: "usefulness", points: w.usefulness * candidate.usefulness.clamp(-1.0, 1.0) },
        Part { name: "staleness", points: -staleness(candidate.staleness.as_ref(), w) },
        Part { name: "bonus", points: settings.score_bonus },
    ];
    Score::of(relevance.parts.iter().copied().chain(prior).chain(learned))
}

fn staleness(verdict: Option<&Verdict>, w: &Inject) -> f32 {
    match verdict {
        None | Some(Verdict::Fresh | Verdict::Moved { .. }) => 0.0,
        Some(Verdict::Changed) => w.changed,
        Some(Verdict::Gone) => w.gone,
    }
}
