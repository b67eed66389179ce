//! The model that chooses how a proposal stands to the memory nearest to it.
//!
//! Multinomial logistic regression over the measures of [`Likeness`], fitted on labelled
//! proposals by `rawko-eval fit`, which also judges each author's by all others'. "New" has weight 0 throughout: a weight says how far a measure
//! speaks for the other answer. Change them by fitting again, never by hand.

use super::Measures;
use super::likeness::Likeness;
use crate::linear::{Row, capped, flag, scores};

/// How a proposal stands to the memory nearest to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    New,
    Same,
    Update,
    Contradiction,
}

/// What the relation is judged by, brought to about 0 to 1.
pub(super) fn measures(like: &Likeness) -> Measures {
    let (lines, world) = (&like.lines, &like.world);
    vec![
        ("covered", like.covered),
        ("covers", like.covers),
        ("meaning", like.meaning),
        ("rarely", like.rarely),
        ("subject", like.subject),
        ("anchored", like.anchored),
        ("rare", capped(like.rare, 3)),
        ("meant", flag(like.meant)),
        ("novel", like.novel.min(20.0) / 10.0),
        ("fresh", capped(like.fresh, 4)),
        ("numbers", capped(like.stand.fresh, 3)),
        ("number", like.stand.number),
        ("replaced", flag(like.stand.replaced)),
        ("turns", capped(like.turns, 2)),
        ("adds", capped(like.adds, 2)),
        ("agreed", capped(like.stand.agreed, 3)),
        ("said", lines.said),
        ("heard", lines.heard),
        ("titles", lines.titles),
        ("denial", lines.denial),
        ("gone", capped(world.gone, 3)),
        ("stays", capped(world.stays, 3)),
        ("shown", capped(world.shown, 3)),
        ("value", world.value),
        ("turned", capped(world.turned, 4)),
        ("ahead", like.ahead),
    ]
}

/// The weights where nothing is measured: for the same, an update, a contradiction.
const BIAS: [f32; 3] = [-4.67, -2.98, -2.29];

#[rustfmt::skip]
const WEIGHTS: &[Row<3>] = &[
    ("covered",    [ 2.92,  1.58,  1.83]),
    ("covers",     [ 1.25,  1.41,  0.98]),
    ("meaning",    [ 0.87,  2.08,  1.95]),
    ("rarely",     [ 3.04,  1.86,  1.53]),
    ("subject",    [-0.14,  0.33,  0.13]),
    ("anchored",   [-0.38,  0.11, -0.22]),
    ("rare",       [ 0.15,  0.05,  0.32]),
    ("meant",      [ 0.95,  2.46,  1.00]),
    ("novel",      [ 0.44, -0.39, -1.83]),
    ("fresh",      [-7.33, -1.86, -1.40]),
    ("numbers",    [-2.85, -0.48, -0.23]),
    ("number",     [-0.01, -0.41,  2.23]),
    ("replaced",   [-1.05, -0.77, -0.77]),
    ("turns",      [-0.71, -1.40,  2.44]),
    ("adds",       [-1.02,  2.21,  0.34]),
    ("agreed",     [ 3.00,  1.90,  1.24]),
    ("said",       [ 3.00,  0.05,  1.74]),
    ("heard",      [ 0.53,  0.28, -0.65]),
    ("titles",     [ 0.84,  2.05,  2.62]),
    ("denial",     [-0.26,  0.51,  0.56]),
    ("gone",       [ 0.65,  0.62,  0.60]),
    ("stays",      [ 0.16, -0.35, -1.34]),
    ("shown",      [-0.13,  0.19,  0.64]),
    ("value",      [-0.42,  0.04,  1.01]),
    ("turned",     [-2.22, -1.10, -0.43]),
    ("ahead",      [ 5.98,  3.62,  4.00]),
];

/// How far another answer must lead before "new": what is new and taken for an update gets no memory of its own.
const CAUTION: f32 = 0.3;

/// The likeliest answer.
pub(super) fn choose(like: &Likeness) -> Kind {
    let scores = scores(&measures(like), BIAS, WEIGHTS);
    let kinds = [Kind::Same, Kind::Update, Kind::Contradiction];
    let possible = |kind: &Kind| *kind != Kind::Same || may_be_same(like);
    let scored = kinds.into_iter().zip(scores).filter(|(kind, _)| possible(kind));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, score)| *score > CAUTION).map_or(Kind::New, |(kind, _)| kind)
}

/// Nothing is lost by refusing what is known; so what names or counts something else, or has half its words from
/// elsewhere, is never taken for it.
fn may_be_same(like: &Likeness) -> bool {
    let named = like.fresh == 0 || (like.fresh == 1 && like.meaning >= 0.85);
    named && like.stand.fresh == 0 && like.covered >= 0.5 && like.meaning >= 0.5
}
