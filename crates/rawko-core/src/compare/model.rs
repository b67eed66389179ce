//! The model that chooses how a proposal stands to the memory nearest to it.
//!
//! Multinomial logistic regression over the measures of [`Likeness`], fitted on
//! labelled proposals of fifteen invented projects and checked by leaving whole
//! sets of them out. "New" has weight 0 throughout: a weight says how far a measure
//! speaks for the other answer. Change them by fitting again, never by hand.

use super::likeness::Likeness;

/// How a proposal stands to the memory nearest to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    New,
    Same,
    Update,
    Contradiction,
}

/// One measure's weights for the same, an update and a contradiction.
type Weights = [f32; 3];

/// The weights where nothing is measured.
const BIAS: Weights = [-0.99, -0.59, -0.07];

/// Each measure, brought to about 0 to 1, with its weights.
#[rustfmt::skip]
fn measures(like: &Likeness) -> [(f32, Weights); 16] {
    let capped = |count: usize, most: usize| count.min(most) as f32 / most as f32;
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    [
        (like.covered,                   [ 2.20,  0.49,  1.23]),
        (like.covers,                    [ 2.42,  1.34,  1.00]),
        (like.meaning,                   [ 1.60,  1.42,  1.76]),
        (like.rarely,                    [ 2.50,  0.91,  1.51]),
        (like.subject,                   [ 1.63,  3.22,  2.75]),
        (like.anchored,                  [ 1.67,  0.63,  1.02]),
        (capped(like.rare, 3),           [ 2.15,  1.14,  1.57]),
        (flag(like.meant),               [ 0.45,  2.10, -0.60]),
        (like.novel.min(20.0) / 10.0,    [-3.84, -1.23, -3.90]),
        (capped(like.fresh, 4),          [-3.23, -1.92, -1.01]),
        (capped(like.stand.fresh, 3),    [-2.53, -1.16,  0.72]),
        (like.stand.number,              [-0.37, -0.61,  1.79]),
        (flag(like.stand.replaced),      [-0.22, -1.08,  0.34]),
        (capped(like.turns, 2),          [-0.13, -0.89,  3.03]),
        (capped(like.adds, 2),           [-0.81,  2.06,  0.81]),
        (capped(like.stand.agreed, 3),   [ 1.91,  1.07,  1.31]),
    ]
}

/// The likeliest answer.
pub(super) fn choose(like: &Likeness) -> Kind {
    let mut scores = BIAS;
    for (value, weights) in measures(like) {
        for (score, weight) in scores.iter_mut().zip(weights) {
            *score += value * weight;
        }
    }
    let kinds = [Kind::Same, Kind::Update, Kind::Contradiction];
    let possible = |kind: &Kind| *kind != Kind::Same || may_be_same(like);
    let scored = kinds.into_iter().zip(scores).filter(|(kind, _)| possible(kind));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, score)| *score > 0.0).map_or(Kind::New, |(kind, _)| kind)
}

/// Nothing is lost by refusing what is known; so what names or counts something else, or has half its words from
/// elsewhere, is never taken for it.
fn may_be_same(like: &Likeness) -> bool {
    let named = like.fresh == 0 || (like.fresh == 1 && like.meaning >= 0.85);
    named && like.stand.fresh == 0 && like.covered >= 0.5 && like.meaning >= 0.5
}
