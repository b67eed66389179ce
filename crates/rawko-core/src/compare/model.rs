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
const BIAS: [f32; 3] = [-4.87, -2.39, -1.59];

#[rustfmt::skip]
const WEIGHTS: &[Row<3>] = &[
    ("covered",    [ 2.72,  1.10,  0.82]),
    ("covers",     [ 1.98,  1.35,  0.86]),
    ("meaning",    [ 2.21,  1.84,  1.91]),
    ("rarely",     [ 3.16,  2.16,  1.90]),
    ("subject",    [ 0.17,  0.62,  0.89]),
    ("anchored",   [ 0.15, -0.14,  0.30]),
    ("rare",       [-0.25, -0.16, -0.16]),
    ("meant",      [ 0.51,  2.52,  0.83]),
    ("novel",      [-1.09, -0.45, -2.48]),
    ("fresh",      [-5.77, -2.19, -1.47]),
    ("numbers",    [-2.09, -0.45,  0.57]),
    ("number",     [-0.31, -0.54,  2.04]),
    ("replaced",   [-0.60, -0.45, -0.34]),
    ("turns",      [-1.00, -1.30,  2.22]),
    ("adds",       [-0.88,  1.93,  0.62]),
    ("agreed",     [ 2.41,  1.89,  0.62]),
    ("said",       [ 2.52,  0.18,  1.91]),
    ("heard",      [ 0.88,  0.30, -0.58]),
    ("titles",     [ 1.29,  2.61,  2.28]),
    ("denial",     [-0.05,  0.45,  0.51]),
    ("gone",       [ 1.06,  0.72,  0.70]),
    ("stays",      [ 0.49, -0.79, -0.89]),
    ("shown",      [ 0.21, -0.05,  0.82]),
    ("value",      [-0.41,  0.23,  1.19]),
    ("turned",     [-1.56, -1.06,  0.15]),
    ("ahead",      [ 4.29,  2.43,  2.83]),
];

/// How far another answer must lead before "new": what is new and taken for an update gets no memory of its own.
const CAUTION: f32 = 0.6;

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
