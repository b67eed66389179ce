//! The model that chooses how a proposal stands to the memory nearest to it.
//!
//! Multinomial logistic regression over the measures of [`Likeness`], the common words of the proposal and what the sentence encoder hears in it, fitted on labelled
//! proposals by `rawko-eval fit`, which also judges each author's by all others'. Weights are
//! changed by fitting again, never by hand.

use super::likeness::Likeness;
use crate::linear::{Measures, Weighed, capped, flag};

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
    let (lines, world, aligned, alone) = (&like.lines, &like.world, &like.aligned, &like.alone);
    let values = vec![
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
        ("has", aligned.has),
        ("had", aligned.had),
        ("headed", aligned.headed),
        ("heads", aligned.heads),
        ("first", aligned.first),
        ("least", aligned.least),
        ("touched", aligned.touched),
        ("untouched", aligned.untouched),
        ("flipped", aligned.flipped),
        ("swapped", aligned.swapped),
        ("new", aligned.new),
        ("named", aligned.named),
        ("no", aligned.no),
        ("noes", aligned.noes),
        ("longer", aligned.longer),
        ("length", aligned.length),
        ("alone", alone.words.min(40.0) / 20.0),
        ("most", alone.most / 12.0),
        ("title", alone.title),
        ("entitled", alone.named),
    ];
    Measures { values, words: like.words.clone(), encoded: like.encoded.clone() }
}

/// The weights: for the same, an update, a contradiction.
const MODEL: Weighed = Weighed {
    plain: include_str!("../../model/relation.txt"),
    encoded: include_str!("../../model/relation-encoded.txt"),
};

/// The likeliest answer.
pub(super) fn choose(like: &Likeness) -> Kind {
    let scores: [f32; 3] = MODEL.scores(&measures(like));
    let kinds = [Kind::Same, Kind::Update, Kind::Contradiction];
    let scored = kinds.into_iter().zip(scores).filter(|(kind, _)| may_be(*kind, like));
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, score)| *score > 0.0).map_or(Kind::New, |(kind, _)| kind)
}

/// What the measures rule out, whatever the model says: what is taken for known is lost where it was not, and what is
/// taken for a contradiction silences a memory. Two facts about one file are two facts.
fn may_be(kind: Kind, like: &Likeness) -> bool {
    let speaks_of_it = like.aligned.beside_names >= BESIDE_NAMES;
    match kind {
        Kind::New => true,
        Kind::Update | Kind::Contradiction => speaks_of_it,
        // Nor is it known where it counts something else, names more than one thing besides, or has more than a few
        // words of which nobody knows what they mean.
        Kind::Same => speaks_of_it && like.fresh <= 1 && like.stand.fresh == 0 && like.aligned.unknown <= 3,
    }
}

/// What two texts must have in common beside names to speak of the same thing. Of 95 duplicates by seven authors four have less,
/// in quite other words or another language; of ten different facts about the same file none has more than 0.31.
const BESIDE_NAMES: f32 = 0.33;
