//! From candidates to a verdict on each: gates first, then the best of what is left.

use std::cmp::Ordering;

use jiff::Timestamp;

use super::candidate::Candidate;
use super::hybrid::Asked;
use super::related::lent;
use super::replace::{corrected, is_duplicate, superseded};
use super::{Gate, Judged, Outcome, Profile, Score, Settings, classic, hybrid};
use crate::entry::Status;
use crate::task::TaskContext;
use crate::weights::Inject;

/// Judges every candidate: chosen ones first, best first, then the others by score.
///
/// The same candidates give the same answer in whatever order they come.
pub fn choose(
    candidates: &[Candidate<'_>],
    task: &TaskContext,
    settings: &Settings,
    now: Timestamp,
) -> Vec<Judged> {
    choose_by(candidates, task, settings, now, &Inject::TUNED)
}

/// Like [`choose`], by other weights: for tuning.
pub fn choose_by(
    candidates: &[Candidate<'_>],
    task: &TaskContext,
    settings: &Settings,
    now: Timestamp,
    w: &Inject,
) -> Vec<Judged> {
    let choice = Choice { candidates, task, settings, now, w };
    let mut judged = match settings.profile {
        Profile::Classic => choice.classic(),
        Profile::Hybrid => choice.hybrid(),
    };
    let is_out = |one: &Judged| !one.outcome.is_chosen();
    judged.sort_by(|a, b| is_out(a).cmp(&is_out(b)).then_with(|| better(a, b)));
    for (place, one) in (1..).zip(&mut judged) {
        if let Outcome::Chosen { rank } = &mut one.outcome {
            *rank = place;
        }
    }
    judged
}

/// Higher scores first; ties go by name.
fn better(a: &Judged, b: &Judged) -> Ordering {
    b.score.total().total_cmp(&a.score.total()).then_with(|| a.slug.as_str().cmp(b.slug.as_str()))
}

/// One choice under way.
struct Choice<'a, 'c> {
    candidates: &'a [Candidate<'c>],
    task: &'a TaskContext,
    settings: &'a Settings,
    now: Timestamp,
    w: &'a Inject,
}

/// A candidate with its score, before places are given.
struct Scored {
    score: Score,
    /// Whether it gets a place before all that are not.
    goes_first: bool,
    relevance: f32,
    gate: Option<Gate>,
}

impl Choice<'_, '_> {
    fn classic(&self) -> Vec<Judged> {
        let superseded = superseded(self.candidates);
        let scored = self.candidates.iter().zip(superseded).map(|(candidate, by)| {
            let score = classic::score(&candidate.facts, self.task, self.settings, self.now);
            let silent = || (!classic::matches(&candidate.facts, self.task)).then_some(Gate::Trigger);
            let gate = self.standing(candidate, by).or_else(silent);
            Scored { goes_first: false, relevance: score.total(), score, gate }
        });
        self.give_places(scored.collect(), |_, _| None)
    }

    fn hybrid(&self) -> Vec<Judged> {
        let w = self.w;
        let superseded = superseded(self.candidates);
        let corrected = corrected(self.candidates, w);
        let asked = Asked::of(self.task, self.candidates);
        let mut relevances: Vec<_> =
            self.candidates.iter().map(|c| hybrid::relevance(c, self.task, asked, w)).collect();
        for (older, by) in corrected.iter().enumerate() {
            if let Some(by) = by {
                let points = relevances[older].points();
                relevances[*by].lift(points);
            }
        }
        let gates: Vec<Option<Gate>> = (0..self.candidates.len())
            .map(|n| {
                let corrected = || corrected[n].map(|by| Gate::Corrected { by: self.slug(by) });
                self.standing(&self.candidates[n], superseded[n]).or_else(corrected)
            })
            .collect();
        // Only what may enter speaks for another.
        let own =
            relevances.iter().zip(&gates).map(|(one, gate)| if gate.is_none() { one.points() } else { 0.0 });
        let lent = lent(self.candidates, &own.collect::<Vec<_>>());
        relevances.iter_mut().zip(lent).for_each(|(one, lent)| one.support(w.related * lent));
        let handicap = |n: usize| hybrid::handicap(self.candidates[n].facts.importance, w);
        let first = |n: usize| hybrid::first(&self.candidates[n], &asked, w);
        let merits = (0..self.candidates.len()).filter(|n| gates[*n].is_none());
        let merits: Vec<(usize, f32)> = merits.map(|n| (n, relevances[n].points() - handicap(n))).collect();
        let best = merits.iter().map(|(_, merit)| *merit).fold(0.0, f32::max);
        let is_spoken = merits.iter().any(|(n, merit)| *merit >= first(*n));
        let scored = gates.into_iter().enumerate().map(|(n, gate)| {
            let (candidate, relevance) = (&self.candidates[n], &relevances[n]);
            let score = hybrid::score(candidate, relevance, self.task, self.settings, self.now, w);
            let beside = hybrid::needed(best, is_spoken, first(n), w);
            let needed = hybrid::needed_by(candidate, relevance, beside, first(n), w) + handicap(n);
            let had = relevance.points();
            let plain = first(n) - hybrid::errand(candidate, w);
            let beside = hybrid::needed(best, is_spoken, plain, w);
            let errand = needed - hybrid::needed_by(candidate, relevance, beside, plain, w) - handicap(n);
            let gate = gate.or_else(|| (had < needed).then_some(Gate::Relevance { needed, had, errand }));
            Scored { goes_first: hybrid::is_meant(candidate, w), score, relevance: had, gate }
        });
        self.give_places(scored.collect(), |n, chosen| {
            let same = |of: &&usize| is_duplicate(&self.candidates[n], &self.candidates[**of], w);
            chosen.iter().find(same).map(|of| Gate::Duplicate { of: self.slug(*of) })
        })
    }

    /// The gates that hold whatever the task is.
    fn standing(&self, candidate: &Candidate<'_>, superseded: Option<usize>) -> Option<Gate> {
        let facts = &candidate.facts;
        let (needed, had) = (self.settings.min_importance, facts.importance);
        if !facts.trust.may_be_injected() {
            Some(Gate::Trust(facts.trust))
        } else if facts.status != Status::Active {
            Some(Gate::Status(facts.status))
        } else if let Some(by) = superseded {
            Some(Gate::Superseded { by: self.slug(by) })
        } else {
            (had < needed).then_some(Gate::MinImportance { needed, had })
        }
    }

    /// Gives the places: to those that go first, then to the others, best first; `repeats` may send one away
    /// because of those already chosen.
    fn give_places(
        &self,
        scored: Vec<Scored>,
        repeats: impl Fn(usize, &[usize]) -> Option<Gate>,
    ) -> Vec<Judged> {
        let max = self.settings.max;
        let mut judged: Vec<(usize, bool, Judged, Option<Gate>)> = Vec::with_capacity(scored.len());
        for (n, Scored { score, goes_first, relevance, gate }) in scored.into_iter().enumerate() {
            let outcome = Outcome::Out { gate: Gate::Full { max } };
            judged.push((n, goes_first, Judged { slug: self.slug(n), score, relevance, outcome }, gate));
        }
        judged.sort_by(|(_, one, a, _), (_, other, b, _)| other.cmp(one).then_with(|| better(a, b)));
        let mut chosen = Vec::new();
        for (n, _, judged, gate) in &mut judged {
            // Telling whether one repeats another reads both closely: not for a place that is not there.
            let is_full = chosen.len() == max;
            let repeats = || if is_full { None } else { repeats(*n, &chosen) };
            if let Some(gate) = gate.take().or_else(repeats) {
                judged.outcome = Outcome::Out { gate };
            } else if !is_full {
                chosen.push(*n);
                judged.outcome = Outcome::Chosen { rank: chosen.len() };
            }
        }
        judged.into_iter().map(|(_, _, judged, _)| judged).collect()
    }

    fn slug(&self, n: usize) -> crate::slug::Slug {
        self.candidates[n].slug.clone()
    }
}
