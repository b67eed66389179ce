//! How something proposed stands to what is known: the same, an update, a contradiction, or new.
//!
//! The proposal is put beside the memory that is nearest to it and not of another subject (`shape`). Then some forty
//! measures are taken: how much of the wording, the meaning and the names they
//! share (`likeness`) and no other memory has (`alone`), sentence by sentence (`lines`) and word by word (`aligned`), whether a value that the
//! memory gives is another now (`stated`), and on whose side the repository and the
//! run are (`world`), and the sentence encoder is asked how near they are. A linear model over these measures and the proposal's common words (`model`) chooses; its
//! weights come from labelled proposals.

mod aligned;
mod alone;
mod likeness;
mod lines;
mod model;
mod shape;
mod stated;
mod world;

use self::aligned::Aligned;
use self::alone::Alone;
pub(crate) use self::likeness::KnownRead;
use self::likeness::{Likeness, Rarity};
use self::lines::Lines;
use self::stated::{Stand, clauses};
use self::world::World;
use crate::admission::read::{Read, prose_words};
use crate::admission::{Ground, Voice};
use crate::embed::Embedder;
use crate::linear::Measures;
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

/// How far ahead a memory counts that no other is compared with: between what new and known things have.
const ALONE: f32 = 0.3;

/// What is compared with what is known.
pub(crate) struct Proposed<'p> {
    pub(crate) title: &'p str,
    pub(crate) text: &'p str,
    pub(crate) body: &'p Read,
    /// The memory that the proposer says it is about.
    pub(crate) meant: Option<&'p Slug>,
    /// What the run said and was asked, lower case.
    pub(crate) said: String,
    pub(crate) ground: Option<&'p Ground<'p>>,
    pub(crate) embedder: &'p Embedder<'p>,
    /// It as the sentence encoder hears it, where there is time for that.
    pub(crate) voice: Option<&'p Voice<'p>>,
}

/// How one memory stands to another.
pub fn between(one: &Memory, other: &Memory) -> Relation {
    let (Some(a), Some(b)) = (one.now(), other.now()) else { return Relation::New };
    let embedder = Embedder::built_in();
    let known = KnownRead::of(other.slug.clone(), b.title, &b.text(), &embedder);
    let text = a.text();
    let proposed = Proposed {
        title: a.title,
        text: &text,
        body: &Read::of(&text, &embedder),
        meant: None,
        said: String::new(),
        ground: None,
        embedder: &embedder,
        voice: None,
    };
    // Nobody proposes here that the one is about the other, so what is the same must be so plainly.
    match nearest(&proposed, &[known]) {
        Some((slug, like)) if like.is_plain() || model::choose(&like) != model::Kind::Same => {
            relation(slug, &like)
        }
        _ => Relation::New,
    }
}

/// Compares a proposal with the memories that are nearest to it; with the measures by which it was judged.
pub(crate) fn compare(proposed: &Proposed<'_>, known: &[KnownRead]) -> (Relation, Measures) {
    match nearest(proposed, known) {
        Some((slug, like)) => (relation(slug, &like), model::measures(&like)),
        None => (Relation::New, Measures::default()),
    }
}

fn relation(slug: Slug, like: &Likeness) -> Relation {
    match model::choose(like) {
        model::Kind::New => Relation::New,
        model::Kind::Same => Relation::Same(slug),
        model::Kind::Update => Relation::Updates(slug),
        model::Kind::Contradiction => Relation::Contradicts(slug),
    }
}

/// The nearest memory and how a proposal stands to it, measure by measure.
pub(crate) fn measures(proposed: &Proposed<'_>, known: &[KnownRead]) -> Option<(Slug, Measures)> {
    let (slug, like) = nearest(proposed, known)?;
    Some((slug, model::measures(&like)))
}

/// The memory that is nearest to a proposal, with everything that the two are judged by.
fn nearest(proposed: &Proposed<'_>, known: &[KnownRead]) -> Option<(Slug, Likeness)> {
    let rarity = Rarity::among(known);
    let (title, body) = (proposed.title, proposed.body);
    let likeness =
        |known: &KnownRead| Likeness::of(title, body, known, &rarity, proposed.meant == Some(&known.slug));
    // What says the same of something else is near in words alone.
    let is_neighbour = |known: &&KnownRead| {
        proposed.meant == Some(&known.slug)
            || !shape::is_of_another((title, body), (&known.title, &known.body))
    };
    let mut all: Vec<(&KnownRead, Likeness)> =
        known.iter().filter(is_neighbour).map(|known| (known, likeness(known))).collect();
    all.sort_by(|(_, a), (_, b)| b.nearness().total_cmp(&a.nearness()));
    let next = all.get(1).map(|(_, like)| like.nearness());
    let (known, mut like) = all.into_iter().next()?;
    let whole = format!("{title}. {}", proposed.text);
    let (own, theirs) = (clauses(&whole), known.clauses());
    like.words = prose_words(&whole);
    like.ahead = next.map_or(ALONE, |next| like.nearness() - next);
    like.stand = Stand::of(&own, &theirs);
    like.lines = Lines::of((title, body, &own), (&known.title, &known.body, &theirs), proposed.embedder);
    like.aligned = Aligned::of((title, body), &known.body, proposed.embedder);
    like.alone = Alone::of((title, body), known, &rarity, proposed.embedder);
    like.world = World::of((body, &own), (&known.body, &theirs), proposed.ground, &proposed.said);
    like.encoded = proposed.voice.and_then(|voice| voice.beside(&known.title, &known.text));
    Some((known.slug.clone(), like))
}
