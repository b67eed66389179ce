//! Relevance first: what the task and the memory have in common, then how much it matters, and what use taught.
//!
//! Relevance has an absolute scale, so that "nothing is relevant" can be said.
//! A search only orders: its shares are brought onto that scale here.

use jiff::Timestamp;

use super::candidate::{Alike, Candidate, rest_of};
use super::{Part, Score, Settings, classic, everyday};
use crate::entry::{Importance, Kind, Status};
use crate::evidence::Verdict;
use crate::rank::{Hit, USUAL, heard};
use crate::task::TaskContext;
use crate::trigger::{Form, Place};
use crate::weights::{Inject, Weights};
use crate::words::terms;

/// A candidate's relevance, by parts.
#[derive(Clone, Debug)]
pub(super) struct Relevance {
    parts: Vec<Part>,
    called: bool,
}

impl Relevance {
    /// The sum of the parts.
    pub(super) fn points(&self) -> f32 {
        self.parts.iter().map(|part| part.points).sum()
    }

    /// Whether its own trigger called it, loudly enough to need no query.
    pub(super) fn called(&self) -> bool {
        self.called
    }

    /// Adds what a related memory lends.
    pub(super) fn support(&mut self, points: f32) {
        self.parts.push(Part { name: "related", points });
    }

    /// What calls a memory calls the one that corrects it: makes up what is missing to `points`.
    pub(super) fn lift(&mut self, points: f32) {
        let missing = points - self.points();
        if missing > 0.0 {
            self.parts.push(Part { name: "corrects", points: missing });
        }
    }
}

/// What a search was asked, and what chance gives it: what its shares are measured by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    task: Scale,
    context: Scale,
    /// What the nearest candidates reach on average by the sentence encoder; nothing where it has read none.
    alike: Option<Usually>,
    /// How many candidates may speak, as a share of what is enough to tell a rare word by.
    known: f32,
}

/// What chance gives by the sentence encoder.
#[derive(Clone, Copy, Debug)]
struct Usually {
    said: f32,
    found_in: f32,
}

/// One text that was searched for.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Its distinct terms.
    terms: f32,
    /// Points for words that the nearest candidates reach on average.
    words: f32,
    /// Points for meaning that they reach.
    meaning: f32,
    /// Whether the encoder could read it: where it could not, nothing is near to it or far from it.
    is_read: bool,
    /// Whether it names anything: what has a word in common with "run it" is found by chance.
    names_a_thing: bool,
}

/// Terms of a task up to which a trigger that it matches is all that it says.
const SAYS_NO_MORE: f32 = 1.0;

/// How many candidates tell what chance gives: as many as there were where the weights were fitted.
const NEAREST: usize = 40;

impl Asked {
    /// Measures a task's texts and the candidates that they found.
    ///
    /// Text that may not enter tells nothing here: a repository full of it would make all else look like chance.
    pub(super) fn of(task: &TaskContext, candidates: &[Candidate<'_>]) -> Self {
        let trusted = candidates.iter().filter(|c| c.facts.trust.may_be_injected());
        let speaking = trusted.clone().filter(|c| c.facts.status == Status::Active);
        Self {
            task: Scale::of(&task.task, trusted.clone().filter_map(|c| c.hit.as_ref())),
            context: Scale::of(&rest_of(task), trusted.clone().filter_map(|c| c.context.as_ref())),
            alike: Usually::of(trusted.filter_map(|c| c.alike)),
            known: (speaking.count() as f32 / NEAREST as f32).min(1.0),
        }
    }

    /// What the words of a memory that the encoder has read are worth: in a store of few, each is rare.
    fn worth_of_words(&self, w: &Inject) -> f32 {
        self.known.max(w.few)
    }
}

/// What a medium memory needs to be the first to speak: its points have another scale where the encoder has read it, and
/// an errand needs more than what asks for experience.
pub(super) fn first(candidate: &Candidate<'_>, asked: &Asked, w: &Inject) -> f32 {
    if candidate.alike.is_none() {
        return w.needed;
    }
    let less = if is_bound(candidate) { 0.0 } else { w.needed_less * (1.0 - asked.worth_of_words(w)) };
    w.needed_read - less + errand(candidate, w)
}

/// How much more that is because of the task itself: less where it asks for experience. Whoever binds a trigger means it,
/// whatever the task is.
pub(super) fn errand(candidate: &Candidate<'_>, w: &Inject) -> f32 {
    let more = -w.errand * candidate.alike.map_or(0.0, |alike| alike.asks);
    match is_bound(candidate) {
        true => 0.0,
        // Nobody writes these very words by chance, in an errand or not.
        false if loudness(candidate, w) >= w.loud && is_phrase(candidate) => more.min(0.0),
        false => more,
    }
}

impl Usually {
    /// Of the nearest; where there are few, with as many beside them that are as is usual.
    fn of(all: impl Iterator<Item = Alike> + Clone) -> Option<Self> {
        let average = |mut reached: Vec<f32>| {
            reached.sort_by(|a, b| b.total_cmp(a));
            reached.resize(NEAREST, USUAL as f32);
            reached.iter().sum::<f32>() / NEAREST as f32
        };
        let said: Vec<f32> = all.clone().map(|alike| alike.said).collect();
        let found_in = all.filter_map(|alike| alike.found_in).collect();
        (!said.is_empty()).then(|| Self { said: average(said), found_in: average(found_in) })
    }
}

impl Scale {
    fn of<'h>(text: &str, hits: impl Iterator<Item = &'h Hit> + Clone) -> Self {
        let chance = |name: &str| {
            let mut reached: Vec<f32> = hits.clone().map(|hit| part(Some(hit), name)).collect();
            reached.sort_by(|a, b| b.total_cmp(a));
            reached.truncate(NEAREST);
            (reached.iter().sum::<f32>() / NEAREST as f32).max(0.0)
        };
        Self {
            terms: terms(&heard(text)).len().max(1) as f32,
            words: chance("words"),
            meaning: chance("meaning"),
            is_read: hits.clone().any(|hit| part(Some(hit), "meaning") != 0.0),
            names_a_thing: everyday::names_a_thing(&heard(text)),
        }
    }
}

/// How relevant a candidate is to the task.
pub(super) fn relevance(
    candidate: &Candidate<'_>,
    task: &TaskContext,
    asked: Asked,
    w: &Inject,
) -> Relevance {
    let loudness = loudness(candidate, w);
    let called = loudness >= w.loud;
    let near = (candidate.near_trigger - w.near_floor).max(0.0);
    let says = (candidate.near_trigger - w.says_floor).max(0.0);
    // That its text has less than chance in common with the task says nothing against a memory that its own
    // trigger called.
    let least = if called { 0.0 } else { f32::NEG_INFINITY };
    let by_task = Found::of(candidate.hit.as_ref(), asked.task, w).at_least(least);
    let by_context = Found::of(candidate.context.as_ref(), asked.context, w).at_least(least);
    let heard = candidate.alike.zip(asked.alike).filter(|_| asked.task.names_a_thing);
    let heard = heard.map(|(alike, usually)| Heard::of(alike, usually));
    let (meaning, found_in) = match &heard {
        Some(heard) => (w.sentences * heard.said.max(least), w.found_in * heard.found_in),
        None => (w.meaning * by_task.meaning, 0.0),
    };
    // "Ship it": a task of a word or two says nothing but its trigger, and the encoder hears little in it.
    let says_no_more = asked.task.terms <= SAYS_NO_MORE;
    let sure = match &heard {
        Some(heard) if !is_bound(candidate) && !is_phrase(candidate) && !says_no_more => {
            (heard.said / w.sure).clamp(0.0, 1.0)
        }
        _ => 1.0,
    };
    let worth = if heard.is_some() { asked.worth_of_words(w) } else { 1.0 };
    let trigger_worth = if is_bound(candidate) { 1.0 } else { (1.0 + worth) / 2.0 };
    let agent = if candidate.facts.discovered_by == task.agent { w.agent } else { 0.0 };
    let parts = vec![
        Part { name: "called", points: if called { w.called * sure } else { 0.0 } },
        Part { name: "trigger", points: trigger_worth * (w.trigger * loudness.max(near) + w.says * says) },
        Part { name: "words", points: worth * w.words * by_task.words },
        Part { name: "meaning", points: meaning },
        Part { name: "found in", points: found_in },
        Part { name: "context words", points: w.context * w.words * by_context.words },
        Part { name: "context meaning", points: w.context * w.meaning * by_context.meaning },
        Part { name: "same agent", points: agent },
    ];
    Relevance { parts, called }
}

/// What the sentence encoder heard, beyond what is usual.
struct Heard {
    said: f32,
    found_in: f32,
}

impl Heard {
    fn of(alike: Alike, usually: Usually) -> Self {
        Self {
            said: alike.said - usually.said,
            found_in: alike.found_in.map_or(0.0, |found_in| (found_in - usually.found_in).max(0.0)),
        }
    }
}

/// How loudly the best trigger calls, from 0 to 1.
///
/// A trigger that is bound to a path, a command or an error, and the condition
/// of a procedure, are meant to be enough: where they match at all well, they
/// are as loud as can be.
fn loudness(candidate: &Candidate<'_>, w: &Inject) -> f32 {
    let Some(called) = &candidate.called else { return 0.0 };
    if is_bound(candidate) && called.how.strength >= w.bound { 1.0 } else { called.how.strength }
}

/// Whether a trigger calls that is meant to be enough, whatever else is known.
fn is_bound(candidate: &Candidate<'_>) -> bool {
    let is_procedure = candidate.facts.kind == Kind::Procedure;
    let form = candidate.called.as_ref().map(|called| called.how.form);
    form.is_some_and(|form| is_procedure || matches!(form, Form::Path | Form::Command | Form::Error))
}

/// Whether what calls it is words that stand side by side in the task: rarer than any of them, and hardly meant otherwise.
fn is_phrase(candidate: &Candidate<'_>) -> bool {
    let by = candidate.called.as_ref().map(|called| &called.how);
    let by =
        by.filter(|how| matches!(how.form, Form::Substring | Form::Alternative) && how.place == Place::Task);
    by.is_some_and(|how| {
        how.by.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).count() > 1
    })
}

/// What a search found of a candidate, on a scale that depends neither on the query's length nor on the store's size.
#[derive(Default)]
struct Found {
    words: f32,
    meaning: f32,
}

impl Found {
    /// Measures a hit against what was asked.
    ///
    /// A search gives shares of the query. The longer a task is told, the more
    /// of it is story, so the share that a relevant memory reaches shrinks, about
    /// as the root of the length; the same for chance hits, so that one
    /// threshold does for all. A vector is discounted by length in a ranking,
    /// where words compete with it; here the whole likeness counts. What the
    /// nearest candidates reach on average is no sign of relevance: it grows
    /// with the store and with how much the task sounds like everything in it.
    fn of(hit: Option<&Hit>, asked: Scale, w: &Inject) -> Self {
        if hit.is_none() || !asked.names_a_thing {
            return Self::default();
        }
        let weights = &Weights::TUNED;
        let trusted = (weights.short / asked.terms).min(1.0);
        let words = (part(hit, "words") - w.chance_words * asked.words) / weights.words * asked.terms.sqrt();
        Self {
            words: if asked.is_read { words } else { w.unread * words },
            meaning: (part(hit, "meaning") - asked.meaning) / weights.meaning / trusted,
        }
    }

    fn at_least(self, least: f32) -> Self {
        Self { words: self.words.max(least), meaning: self.meaning.max(least) }
    }
}

/// A part of a search's score.
fn part(hit: Option<&Hit>, name: &str) -> f32 {
    hit.and_then(|hit| hit.parts.iter().find(|part| part.name == name)).map_or(0.0, |part| part.points)
}

/// How much more or less relevance than a medium memory one of this importance needs.
pub(super) fn handicap(importance: Importance, w: &Inject) -> f32 {
    match importance {
        Importance::Critical => w.critical,
        Importance::High => w.high,
        Importance::Medium => 0.0,
        Importance::Low => w.low,
    }
}

/// How much relevance a medium memory needs beside the best one of a task; `first` is what it needs where none speaks
/// yet (`is_spoken`).
///
/// The best decides whether to speak at all: it must be relevant by itself. Where it is, the task is about
/// what is known here, and the others are measured by the best: a strong one makes a weak one beside it
/// chance, and beside a best that just passes, one a little weaker is as likely the right one.
pub(super) fn needed(best: f32, is_spoken: bool, first: f32, w: &Inject) -> f32 {
    if is_spoken { w.share * best } else { first }
}

/// Whether a memory is critical and its own trigger matches: that much is enough to be heard.
pub(super) fn is_meant(candidate: &Candidate<'_>, w: &Inject) -> bool {
    candidate.facts.importance == Importance::Critical && loudness(candidate, w) >= w.bound
}

/// The same for one candidate, before its handicap.
pub(super) fn needed_by(
    candidate: &Candidate<'_>,
    relevance: &Relevance,
    beside: f32,
    first: f32,
    w: &Inject,
) -> f32 {
    match candidate.facts.importance {
        _ if is_meant(candidate, w) => beside.min(w.slight),
        // Being far behind the best is no reason against a memory that its own trigger called.
        _ if relevance.called() => beside.min(first),
        // Not by a better one's company: only by what it has itself in common with the task.
        Importance::Low => beside.max(first),
        _ => beside,
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
        ("title words", classic::title_words(facts.title, &heard(&task.task))),
        ("agent tags", classic::agent_tags(facts, task, settings)),
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
