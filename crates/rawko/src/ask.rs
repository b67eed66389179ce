//! What an agent gets when it asks: lines to choose from, then texts.
//!
//! An agent that asks is told no more than one that is told unasked. A memory
//! that waits for a person shows its name and that it waits, and none of its
//! text; what is told stands in the same marked block as an injection, with the
//! same notes on what to check first.

use std::path::Path;

use rawko_core::rank::Query;
use rawko_core::{
    Budget, Embedder, Fold, Lint, Memory, Score, Shown, Slug, Status, hidden, in_a_line, render,
};
use rawko_store::{Check, Index, Store, StoreError};

use crate::engine::{Engine, Filter, Whose};
use crate::hook::tool::warned;
use crate::inject::notes;
use crate::provider::{Encoder, ProviderError};
use crate::search::{SearchHit, snippet};

/// Longest title and longest passage in a line, in characters.
const TITLE: usize = 90;
const PASSAGE: usize = 110;
/// Most memories that are told at once.
pub const MOST_TOLD: usize = 8;
/// Most failures that are told at once, and the token budget they share.
const FAILURES: usize = 10;
const FAILURE_TOKENS: usize = 900;

/// A memory in a list to choose from.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub slug: Slug,
    /// Whose store it is in.
    pub whose: Whose,
    /// What it is about, in a line; empty where it waits for a person.
    pub line: String,
    /// How well it answers.
    pub score: f32,
    /// The parts that made most of the score.
    pub why: String,
    /// Whether it waits for a person, so that its text is not told.
    pub waits: bool,
}

/// What a question found.
#[derive(Debug, Default)]
pub struct Asked {
    /// The memories, best first.
    pub lines: Vec<Line>,
    /// How many are left out because even their names read like orders.
    pub withheld: usize,
    /// What went wrong with the chosen embedding model: the token table answered instead.
    pub trouble: Option<ProviderError>,
    /// Whether [`Engine::embed_unasked`] would encode anything that was met.
    pub wants_reading: bool,
}

/// Why a memory is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// There is none of this name.
    Missing,
    /// It waits for a person.
    Waits,
    /// It no longer holds.
    Retired(Status),
    /// The others left no room for it.
    NoRoom,
}

/// Memories that were asked for by name.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// The marked block; empty where nothing may be told.
    pub block: String,
    /// Those in the block, in order.
    pub told: Vec<Slug>,
    /// The others, and why.
    pub untold: Vec<(Slug, Untold)>,
}

impl Engine {
    /// Finds memories for an agent, best first: names and lines, no texts.
    pub fn look_up(
        &self,
        encoder: Option<&Encoder>,
        question: &str,
        most: usize,
    ) -> Result<Asked, StoreError> {
        let embedder = Embedder::built_in();
        let query = Query::of(question, &embedder);
        let lint = Lint::default();
        let (twice, is_told) = (most.saturating_mul(2), |memory: &Memory| !is_retired(memory));
        let found = self.search_by(encoder, question, twice, is_told)?;
        let (trouble, wants_reading) = (found.trouble, found.wants_reading);
        let mut asked = Asked { trouble, wants_reading, ..Asked::default() };
        for hit in found.hits {
            let speaks = speaking(&hit.memory);
            // A name stands for one memory: the first that may say anything.
            if let Some(known) = asked.lines.iter().position(|line| line.slug == hit.memory.slug) {
                if speaks.is_none() || !asked.lines[known].waits {
                    continue;
                }
                asked.lines.remove(known);
            }
            let line = match &speaks {
                Some(fold) => line(fold, &snippet(fold, &query, &embedder)),
                None if reads_like_orders(&lint, &hit.memory.slug) => {
                    asked.withheld += 1;
                    continue;
                }
                None => String::new(),
            };
            let SearchHit { whose, score, .. } = hit;
            let waits = speaks.is_none();
            let (slug, why) = (hit.memory.slug.clone(), main_parts(&score));
            asked.lines.push(Line { slug, whose, line, score: score.total(), why, waits });
        }
        asked.lines.truncate(most);
        Ok(asked)
    }

    /// Tells memories by name, within a budget, in the marked block of an injection.
    pub fn tell(&self, slugs: &[Slug], tokens: usize) -> Result<Telling, StoreError> {
        let (mut telling, mut memories): (Telling, Vec<(Whose, Memory)>) = Default::default();
        for slug in slugs {
            if memories.iter().any(|(_, memory)| memory.slug == *slug) {
                continue;
            }
            match self.first_speaking(slug)? {
                Ok(_) if memories.len() == MOST_TOLD => telling.untold.push((slug.clone(), Untold::NoRoom)),
                Ok(found) => memories.push(found),
                Err(why) => telling.untold.push((slug.clone(), why)),
            }
        }
        let folds: Vec<(Whose, Slug, Fold<'_>)> = memories
            .iter()
            .filter_map(|(whose, memory)| Some((*whose, memory.slug.clone(), memory.for_agents()?)))
            .collect();
        let rests: Vec<(Slug, &Fold<'_>)> = folds
            .iter()
            .filter(|(whose, _, fold)| *whose == Whose::Project && !fold.evidence.is_null())
            .map(|(_, slug, fold)| (slug.clone(), fold))
            .collect();
        let stale = self.no_longer_holds(&rests);
        let shown: Vec<Shown<'_>> = folds
            .iter()
            .map(|(_, slug, fold)| {
                Shown::of(fold, notes(fold, stale.get(slug).map(|(_, reason)| reason.as_str())))
            })
            .collect();
        let (block, fitted) = render(&shown, Budget { tokens, characters: Budget::MOST_CHARACTERS });
        telling.block = block;
        telling.told = folds.iter().take(fitted).map(|(_, slug, _)| slug.clone()).collect();
        let rest = folds.iter().skip(fitted).map(|(_, slug, _)| (slug.clone(), Untold::NoRoom));
        telling.untold.extend(rest);
        Ok(telling)
    }

    /// The memory of a name that may say something, the project's first; or why none may.
    fn first_speaking(&self, slug: &Slug) -> Result<Result<(Whose, Memory), Untold>, StoreError> {
        let mut why = Untold::Missing;
        for (whose, store) in self.stores() {
            match store.read(slug) {
                Ok(memory) if speaking(&memory).is_some() => return Ok(Ok((whose, memory))),
                Ok(memory) if is_retired(&memory) => {
                    let status = memory.now().map_or(Status::Deprecated, |fold| fold.status);
                    why = Untold::Retired(status);
                }
                Ok(_) => why = Untold::Waits,
                Err(StoreError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Err(why))
    }

    /// Every memory that may be told, by name, with its title in a line.
    pub fn tellable(&self) -> Result<Vec<(Slug, String)>, StoreError> {
        let all = self.list(&Filter::default())?.memories;
        let mut found: Vec<(Slug, String)> = all
            .iter()
            .filter_map(|found| {
                let fold = speaking(&found.memory)?;
                Some((found.memory.slug.clone(), in_a_line(fold.title, TITLE)))
            })
            .collect();
        found.sort();
        found.dedup_by(|a, b| a.0 == b.0);
        Ok(found)
    }

    /// The stores whose index has fallen behind.
    pub fn wants_rebuild(&self) -> Result<Vec<Whose>, StoreError> {
        let mut wanted = Vec::new();
        for (whose, store) in self.stores() {
            if Index::open(store, Check::Quick)?.wants_rebuild() {
                wanted.push(whose);
            }
        }
        Ok(wanted)
    }

    /// What failed before and would fail again: a command that is about to be run, or all that is known.
    pub fn tell_failures(&self, command: Option<&str>, cwd: &Path) -> Result<String, StoreError> {
        let (title, text) = match command {
            Some(command) => match self.before(&self.command(command, cwd), None)? {
                Some(warning) => ("This was tried before and failed", warning.text()),
                None => return Ok(String::new()),
            },
            None => {
                ("These were tried before, failed, and would fail again", self.known_failures(FAILURES).0)
            }
        };
        Ok(if text.is_empty() { text } else { warned(title, text, FAILURE_TOKENS) })
    }
}

/// What a memory may say to an agent now; `None` where it may say nothing.
fn speaking(memory: &Memory) -> Option<Fold<'_>> {
    memory.for_agents().filter(Fold::may_be_injected)
}

fn is_retired(memory: &Memory) -> bool {
    let status = memory.for_agents().or_else(|| memory.now()).map(|fold| fold.status);
    matches!(status, Some(Status::Deprecated | Status::Superseded | Status::Rejected))
}

/// Names are made of titles, so a name can say what a title says.
fn reads_like_orders(lint: &Lint, slug: &Slug) -> bool {
    let words = slug.as_str().replace(['-', '/'], " ");
    hidden(&words).is_some() || lint.look(&words).is_some()
}

fn line(fold: &Fold<'_>, passage: &str) -> String {
    let title = in_a_line(fold.title, TITLE);
    // A body mostly begins with its title as a heading.
    let passage = passage.trim_start_matches(['#', ' ', '\n']).trim_start_matches(fold.title).trim();
    match in_a_line(passage, PASSAGE) {
        passage if passage.is_empty() => title,
        passage => format!("{title}: {passage}"),
    }
}

fn main_parts(score: &Score) -> String {
    let mut parts: Vec<_> = score.parts().iter().filter(|part| part.points >= 0.5).collect();
    parts.sort_by(|a, b| b.points.total_cmp(&a.points));
    let told = parts.iter().take(2).map(|part| format!("{} {:.0}", part.name, part.points));
    told.collect::<Vec<_>>().join(", ")
}
