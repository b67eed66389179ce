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
const BIAS: [f32; 4] = [-2.38, -0.78, 5.05, -3.04];

#[rustfmt::skip]
const WEIGHTS: &[Row<4>] = &[
    ("report",     [ 7.05,  0.97, -0.27,  0.41]),
    ("moment",     [ 6.41,  2.15,  0.89,  0.24]),
    ("deeds",      [ 2.52,  0.06,  0.21,  0.05]),
    ("past",       [ 1.64, -0.60, -1.92, -1.23]),
    ("calendar",   [ 1.88, -0.97,  0.01, -0.39]),
    ("office",     [ 3.43,  1.54, -0.04,  0.23]),
    ("lasting",    [-4.51,  1.02,  1.23,  0.24]),
    ("insight",    [-1.65, -3.65, -3.42, -4.37]),
    ("plain",      [ 1.09,  0.21, -0.30,  1.65]),
    ("orders",     [ 0.48,  4.25, -0.78, -1.22]),
    ("praise",     [ 1.65,  6.70,  1.24,  0.55]),
    ("here",       [-1.13, -2.35, -3.54, -1.30]),
    ("hedged",     [-0.91,  0.33,  1.12, -0.55]),
    ("code",       [-0.55, -1.80, -2.76,  1.32]),
    ("bare",       [ 2.07,  2.64,  0.15,  0.39]),
    ("particular", [-1.96, -1.50, -0.74,  0.35]),
    ("numbers",    [ 2.12, -3.54, -0.76, -0.75]),
    ("names",      [-0.45,  0.12, -0.04, -0.40]),
    ("anchorless", [ 1.93,  1.04, -0.26,  0.12]),
    ("own",        [ 0.43, -0.37, -0.43,  0.21]),
    ("strange",    [ 1.51,  0.99, -1.07, -1.20]),
    ("retold",     [ 0.39,  0.14, -1.61,  4.72]),
    ("lists",      [ 2.56,  3.73, -2.08,  4.60]),
    ("short",      [-0.12, -4.08, -4.63, -2.63]),
    ("long",       [-7.73, -3.43, -7.20, -5.41]),
    ("related",    [-1.57, -3.37, -1.62, -2.24]),
    ("doubted",    [-0.16, -0.06,  1.85, -1.67]),
    ("asserted",   [-0.84, -1.86, -5.42, -0.87]),
    ("refuted",    [ 0.13, -0.66, -0.36,  0.66]),
    ("refutes",    [ 0.12,  0.32,  1.95,  0.90]),
    ("denied",     [-0.32,  0.22,  0.60, -2.30]),
    ("planned",    [ 0.32, -1.03,  1.89,  0.16]),
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
