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
const BIAS: [f32; 3] = [-4.51, -2.68, -1.71];

#[rustfmt::skip]
const WEIGHTS: &[Row<3>] = &[
    ("covered",    [ 2.92,  1.68,  1.45]),
    ("covers",     [ 1.69,  1.07,  0.94]),
    ("meaning",    [ 1.54,  2.08,  1.80]),
    ("rarely",     [ 2.90,  1.99,  1.68]),
    ("subject",    [-0.02,  0.54,  0.28]),
    ("anchored",   [ 0.06,  0.13,  0.09]),
    ("rare",       [-0.12, -0.21,  0.25]),
    ("meant",      [ 0.43,  2.42,  0.87]),
    ("novel",      [-0.26, -0.53, -2.12]),
    ("fresh",      [-6.90, -1.91, -1.60]),
    ("numbers",    [-2.65, -0.41,  0.10]),
    ("number",     [-0.27, -0.41,  2.05]),
    ("replaced",   [-0.99, -0.71, -1.05]),
    ("turns",      [-0.84, -1.37,  2.32]),
    ("adds",       [-1.62,  1.87,  0.05]),
    ("agreed",     [ 2.72,  1.67,  1.04]),
    ("said",       [ 2.79,  0.40,  2.10]),
    ("heard",      [ 0.92,  0.84, -0.52]),
    ("titles",     [ 0.77,  1.73,  2.34]),
    ("denial",     [-0.17,  0.45,  0.68]),
    ("gone",       [ 0.88,  0.64,  0.63]),
    ("stays",      [ 0.55, -0.39, -1.21]),
    ("shown",      [ 0.27,  0.26,  0.87]),
    ("value",      [-0.69,  0.11,  0.94]),
    ("turned",     [-1.78, -0.89, -0.06]),
    ("ahead",      [ 5.04,  2.99,  3.26]),
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
