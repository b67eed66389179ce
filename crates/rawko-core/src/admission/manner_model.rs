//! The model that tells in what manner a proposal is said.
//!
//! Multinomial logistic regression over the measures of `manner`, fitted on labelled proposals by
//! `rawko-eval fit`. "Knowledge" has weight 0 throughout: a weight says how far a measure
//! speaks for the other answer. Change them by fitting again, never by hand.

use crate::compare::Measures;
use crate::linear::{Row, scores};

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
const DEMAND: f32 = 1.0;

/// The weights where nothing is measured: for status, generic, guess, trivia.
const BIAS: [f32; 4] = [-4.97, -4.79, 4.25, -5.52];

#[rustfmt::skip]
const WEIGHTS: &[Row<4>] = &[
    ("report",     [ 6.06,  2.08,  1.13,  2.15]),
    ("moment",     [ 5.09,  0.72,  1.18,  0.45]),
    ("deeds",      [ 3.40,  0.48,  0.53,  0.97]),
    ("past",       [ 0.56, -1.57, -2.19, -1.57]),
    ("calendar",   [ 3.05,  0.05,  0.18,  0.27]),
    ("office",     [ 3.13,  0.84, -0.56,  0.59]),
    ("lasting",    [-3.88,  0.38,  1.45, -0.87]),
    ("insight",    [-1.96, -3.15, -3.84, -3.64]),
    ("plain",      [ 1.24,  0.06, -0.22,  2.41]),
    ("orders",     [ 1.35,  3.34, -0.42, -0.58]),
    ("praise",     [ 0.91,  3.25,  0.66,  0.89]),
    ("here",       [-1.44, -2.58, -2.70, -2.10]),
    ("hedged",     [-0.83,  0.69, -1.59, -0.18]),
    ("code",       [ 0.69, -0.88, -1.62,  1.65]),
    ("bare",       [ 2.28,  4.33,  0.11,  0.60]),
    ("particular", [-0.69,  0.41, -0.31,  1.20]),
    ("numbers",    [ 1.41, -4.01, -0.11, -1.86]),
    ("names",      [-0.41, -1.13, -0.01, -0.17]),
    ("anchorless", [ 1.70,  1.51, -0.34,  0.30]),
    ("own",        [-0.61,  0.06, -1.40,  0.30]),
    ("strange",    [ 1.96,  1.15, -1.24, -1.93]),
    ("retold",     [-0.07, -0.36, -0.62,  4.84]),
    ("lists",      [ 3.34,  4.04, -0.21,  4.98]),
    ("short",      [ 0.98, -2.98, -2.16, -0.71]),
    ("long",       [-4.60, -3.17, -4.90, -3.16]),
    ("related",    [-1.95, -2.96, -2.14, -2.04]),
    ("doubted",    [-0.39, -0.07,  1.08, -0.37]),
    ("asserted",   [ 0.66,  0.72, -5.00, -0.18]),
    ("refuted",    [-0.95, -0.49, -0.46,  0.25]),
    ("refutes",    [ 1.01,  1.69,  2.99,  1.72]),
    ("denied",     [ 0.29,  1.27,  1.47,  0.18]),
    ("planned",    [ 0.33, -0.10,  2.16,  0.83]),
];

/// The likeliest manner, of those that are possible: what nobody doubts is no guess, what names several things of the
/// repository is no advice for every project, and what gives a rule with its reason retells no code.
pub(super) fn choose(measures: &Measures) -> Kind {
    let kinds = [Kind::Status, Kind::Generic, Kind::Guess, Kind::Trivia];
    let possible = |kind: &Kind| match kind {
        Kind::Guess => at_least(measures, &["doubted", "planned", "refuted", "denied"], 0.2),
        Kind::Generic => !at_least(measures, &["own"], 0.5),
        Kind::Trivia => !at_least(measures, &["lasting"], 0.75),
        Kind::Status | Kind::Knowledge => true,
    };
    let scored = kinds.into_iter().zip(scores(measures, BIAS, WEIGHTS)).filter(|(kind, _)| possible(kind));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, score)| *score > -DEMAND).map_or(Kind::Knowledge, |(kind, _)| kind)
}

/// Whether one of some measures reaches a value.
fn at_least(measures: &Measures, names: &[&str], least: f32) -> bool {
    measures.iter().any(|(name, value)| names.contains(name) && *value >= least)
}
