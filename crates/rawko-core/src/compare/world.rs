//! What the repository and the run itself say to a proposal and a memory that speak of the same thing.
//!
//! Where the two disagree, the files they speak of know who is right: what
//! only the memory names is gone from there, and what only the proposal names stands there.

use std::collections::BTreeSet;

use super::stated::Clause;
use crate::admission::Ground;
use crate::admission::read::{Read, has_word};
use crate::linear::flag;

/// Most files that are looked at, and the most names that are looked up in them.
const FILES: usize = 6;
const NAMES: usize = 24;

/// On whose side the repository and the run are.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    /// How much of what only the memory names has gone from the files.
    pub(super) gone: usize,
    /// How much of it still stands there.
    pub(super) stays: usize,
    /// How much of what only the proposal names stands there.
    pub(super) shown: usize,
    /// Whether a number that only the proposal gives stands there, and one that only the memory gives does not.
    pub(super) value: f32,
    /// Words by which the run says that something was changed.
    pub(super) turned: usize,
}

/// Words by which somebody tells of a change.
#[rustfmt::skip]
const CHANGED: &[&str] = &[
    "changed", "change", "replaced", "replace", "moved", "move", "switched", "switch", "raised", "raise", "lowered", "lower", "renamed", "rename", "bumped", "bump", "upgraded",
    "upgrade", "removed", "remove", "dropped", "drop", "migrated", "migrate", "migration", "no longer", "now", "instead", "outdated", "stale", "previously", "used to", "not anymore",
    "increase", "increased", "reduce", "reduced", "new", "old", "corrected", "correct", "wrong",
];

impl World {
    pub(super) fn of(
        (text, clauses): (&Read, &[Clause]),
        (known, known_clauses): (&Read, &[Clause]),
        ground: Option<&Ground<'_>>,
        said: &str,
    ) -> Self {
        let mut world =
            Self { turned: CHANGED.iter().filter(|word| has_word(said, word)).count(), ..Self::default() };
        let Some(ground) = ground else { return world };
        let files = files_of(&[text, known], ground);
        let found = |word: &str| match files.is_empty() {
            true => ground.says_word(word),
            false => Some(files.iter().any(|file| has_word(file, word))),
        };
        // Where not all files could be read, nothing is gone and nothing is shown.
        let has = |word: &str| found(word) == Some(true);
        let lacks = |word: &str| found(word) == Some(false);
        let only = |clauses: &[Clause], other: &Read| -> BTreeSet<String> {
            let names = clauses.iter().flat_map(|clause| clause.names().iter().cloned());
            names.filter(|name| !other.has_anchor(name)).take(NAMES).collect()
        };
        let (fresh, past) = (only(clauses, known), only(known_clauses, text));
        world.gone = past.iter().filter(|name| lacks(name)).count();
        world.stays = past.len() - world.gone;
        world.shown = fresh.iter().filter(|name| has(name)).count();
        let values = |clauses: &[Clause]| -> BTreeSet<String> {
            clauses.iter().flat_map(Clause::values).take(NAMES).map(str::to_owned).collect()
        };
        let (own, theirs) = (values(clauses), values(known_clauses));
        let new = own.difference(&theirs).any(|value| has(value));
        let old = theirs.difference(&own).any(|value| lacks(value));
        world.value = flag(new && old);
        world
    }
}

/// What the files hold that some texts name, lower case.
fn files_of(texts: &[&Read], ground: &Ground<'_>) -> Vec<String> {
    let anchors = texts.iter().flat_map(|text| &text.anchors).filter(|anchor| anchor.contains('.'));
    let is_named = |path: &&String| {
        let lower = path.to_lowercase();
        anchors.clone().any(|anchor| {
            lower
                .strip_suffix(anchor.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    let paths = ground.files().iter().filter(is_named).take(FILES);
    paths.filter_map(|path| ground.lower(path)).collect()
}
