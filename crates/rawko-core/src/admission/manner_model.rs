//! The model that tells in what manner a proposal is said.
//!
//! Multinomial logistic regression over the measures of `manner` and the common words, fitted on labelled proposals by
//! `rawko-eval fit`. Weights are changed by fitting again, never by hand.

use crate::linear::{Measures, scores};

/// In what manner something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As something that lasts.
    Knowledge,
    /// As a report of one run or one day.
    Status,
    /// As advice that holds everywhere.
    Generic,
    /// As what the run only supposed, or found wrong.
    Guess,
    /// As a retelling of code.
    Trivia,
}

/// How far "knowledge" must lead: little is stored, and what is refused is said.
const DEMAND: f32 = 0.4;

/// The weights: for status, generic, guess, trivia.
const MODEL: &str = include_str!("../../model/manner.txt");

/// The likeliest manner, of those that are possible: what nobody doubts is no guess, what names several things of the
/// repository is no advice for every project, and what gives a rule with its reason retells no code.
pub(super) fn choose(measures: &Measures) -> Kind {
    let kinds = [Kind::Status, Kind::Generic, Kind::Guess, Kind::Trivia];
    let possible = |kind: &Kind| match kind {
        Kind::Guess => {
            ["doubted", "planned", "refuted", "denied"].iter().any(|name| measures.get(name) >= 0.2)
        }
        Kind::Generic => measures.get("own") < 0.5,
        Kind::Trivia => measures.get("lasting") < 0.75,
        Kind::Status | Kind::Knowledge => true,
    };
    let scores: [f32; 4] = scores(MODEL, measures);
    let scored = kinds.into_iter().zip(scores).filter(|(kind, _)| possible(kind));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, score)| *score > -DEMAND).map_or(Kind::Knowledge, |(kind, _)| kind)
}
