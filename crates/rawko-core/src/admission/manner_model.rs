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
const BIAS: [f32; 4] = [-3.17, -1.74, 4.08, -4.61];

#[rustfmt::skip]
const WEIGHTS: &[Row<4>] = &[
    ("report",     [ 6.50,  0.77,  0.39,  1.03]),
    ("moment",     [ 5.68,  0.42,  1.09,  0.24]),
    ("deeds",      [ 2.85,  0.27,  0.38,  0.59]),
    ("past",       [ 1.76, -0.71, -1.90, -1.61]),
    ("calendar",   [ 2.56, -0.10,  1.19,  0.29]),
    ("office",     [ 3.35,  2.01, -0.35,  0.63]),
    ("lasting",    [-4.04,  0.75,  1.40,  0.07]),
    ("insight",    [-1.78, -3.84, -4.01, -4.20]),
    ("plain",      [ 1.23,  0.35, -0.15,  2.56]),
    ("orders",     [ 1.17,  3.97, -0.81, -0.61]),
    ("praise",     [ 1.34,  5.58,  0.84,  0.10]),
    ("here",       [-1.99, -3.39, -3.46, -1.38]),
    ("hedged",     [-0.65,  0.41,  0.80, -0.14]),
    ("code",       [ 0.12, -0.97, -2.14,  1.37]),
    ("bare",       [ 2.27,  3.20,  0.46,  0.50]),
    ("particular", [-1.57, -1.39, -0.74,  0.66]),
    ("numbers",    [ 2.00, -3.92, -0.32, -1.43]),
    ("names",      [-0.41, -0.54,  0.27, -0.16]),
    ("anchorless", [ 2.06,  1.01, -0.92,  0.05]),
    ("own",        [ 0.39, -0.44, -0.73,  0.12]),
    ("strange",    [ 1.39,  0.90, -1.26, -1.21]),
    ("retold",     [-0.64, -0.25, -2.23,  4.28]),
    ("lists",      [ 2.22,  3.23, -1.38,  4.90]),
    ("short",      [ 0.14, -3.78, -3.46, -1.80]),
    ("long",       [-5.35, -1.90, -5.55, -4.04]),
    ("related",    [-1.67, -3.44, -1.69, -2.13]),
    ("doubted",    [-1.72, -1.19,  1.70, -1.66]),
    ("asserted",   [-0.93, -1.16, -4.93, -0.50]),
    ("refuted",    [-0.39, -1.14, -0.57,  0.05]),
    ("refutes",    [ 1.24,  0.60,  3.29,  1.21]),
    ("denied",     [-1.11,  0.85,  1.45, -0.66]),
    ("planned",    [-0.28, -0.85,  2.27,  0.59]),
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
