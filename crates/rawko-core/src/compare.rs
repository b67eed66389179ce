//! How something proposed stands to what is known: the same, an update, a contradiction, or new.
//!
//! The proposal is put beside the memory that is nearest to it. Then a handful of
//! measures are taken (`likeness`): how much of the wording, the meaning and the
//! names they share, what only the proposal has, and whether a value that the
//! memory gives is another now (`stated`). A linear model over these measures
//! (`model`) chooses; its weights come from labelled proposals.

mod likeness;
mod model;
mod stated;

pub(crate) use self::likeness::KnownRead;
use self::likeness::{Likeness, Rarity};
use crate::admission::read::Read;
use crate::embed::Embedder;
use crate::memory::Memory;
use crate::slug::Slug;

/// How a proposal stands to what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Nothing known speaks of it.
    New,
    /// It is known already.
    Same(Slug),
    /// It adds to a memory.
    Updates(Slug),
    /// A memory says otherwise.
    Contradicts(Slug),
}

/// How one memory stands to another.
pub fn between(one: &Memory, other: &Memory) -> Relation {
    let (Some(a), Some(b)) = (one.now(), other.now()) else { return Relation::New };
    let embedder = Embedder::built_in();
    let known = KnownRead::of(other.slug.clone(), b.title, &b.text(), &embedder);
    let text = a.text();
    compare(a.title, &text, &Read::of(&text, &embedder), &[known], None)
}

/// Compares a proposal with the memories that are nearest to it; `meant` is the one that the proposer says it is about.
pub(crate) fn compare(
    title: &str,
    text: &str,
    body: &Read,
    known: &[KnownRead],
    meant: Option<&Slug>,
) -> Relation {
    let rarity = Rarity::among(known);
    let likeness = |known: &KnownRead| Likeness::of(title, body, known, &rarity, meant == Some(&known.slug));
    let all = known.iter().map(|known| (known, likeness(known)));
    let nearest = all.max_by(|(_, a), (_, b)| a.nearness().total_cmp(&b.nearness()));
    let Some((known, mut like)) = nearest else { return Relation::New };
    like.stand = stated::Stand::of(&stated::clauses(&format!("{title}. {text}")), &known.clauses());
    let slug = known.slug.clone();
    match model::choose(&like) {
        model::Kind::New => Relation::New,
        model::Kind::Same => Relation::Same(slug),
        model::Kind::Update => Relation::Updates(slug),
        model::Kind::Contradiction => Relation::Contradicts(slug),
    }
}
