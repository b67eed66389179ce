//! The model that tells in what manner a proposal is said.
//!
//! Multinomial logistic regression over the measures of `manner`, the common words and what the sentence encoder hears, fitted on labelled proposals by
//! `rawko-eval fit`. Weights are changed by fitting again, never by hand.

use crate::linear::{Measures, Weighed};

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

/// How far "knowledge" must lead: little is stored, and what is refused is said. The encoder makes the answers surer: with
/// it more can be asked for, and more is kept.
const DEMAND: f32 = 0.4;
const DEMAND_HEARD: f32 = 0.8;

/// The weights: for status, generic, guess, trivia.
const MODEL: Weighed = Weighed {
    plain: include_str!("../../model/manner.txt"),
    encoded: include_str!("../../model/manner-encoded.txt"),
};

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
    let scores: [f32; 4] = MODEL.scores(measures);
    let scored = kinds.into_iter().zip(scores).filter(|(kind, _)| possible(kind));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let demand = if measures.encoded.is_some() { DEMAND_HEARD } else { DEMAND };
    best.filter(|(_, score)| *score > -demand).map_or(Kind::Knowledge, |(kind, _)| kind)
}
