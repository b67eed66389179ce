//! The whole store in numbers: how it grew, how it is used, how it stands.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rawko_core::{Kind, Waiting};
use rawko_store::{Episodes, StoreError, UsageLog};
use serde::Serialize;
use serde_json::Value;

use crate::engine::{Engine, Filter, Whose};

/// Weeks that are shown.
const WEEKS: usize = 12;
/// Most lines of the usage log that are looked at, a store.
const LINES: usize = 50_000;

/// A number for each of the last twelve weeks, oldest first.
pub type Weeks = [usize; WEEKS];

/// Everything that is counted.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Memories.
    pub memories: usize,
    /// Entries in them.
    pub entries: usize,
    /// Memories by status.
    pub by_status: BTreeMap<&'static str, usize>,
    /// Memories by importance.
    pub by_importance: BTreeMap<&'static str, usize>,
    /// Memories that are rules.
    pub rules: usize,
    /// Episodes.
    pub episodes: usize,
    /// Entries that were added, by week.
    pub added: Weeks,
    /// Episodes, by week; of a very long log, the newest.
    pub happened: Weeks,
    /// Injections that brought something, by week.
    pub injected: Weeks,
    /// Memories that were brought, in all these weeks.
    pub brought: usize,
    /// Injections that brought nothing, in all these weeks.
    pub silent: usize,
    /// Times that memories turned out to be used or were said to help, and times that they did not.
    pub used: u32,
    /// See `used`.
    pub unused: u32,
    /// Files with problems.
    pub problems: usize,
    /// Memories that wait for a reviewer.
    pub waiting: usize,
    /// Memories with entries that nobody has approved: they came with the files, or were changed by hand.
    pub unapproved: usize,
    /// Failures that still warn.
    pub failures: usize,
    /// Bytes of memories, logs and derived files.
    pub bytes: Bytes,
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Bytes {
    /// `memories/`
    pub memories: u64,
    /// `log/`
    pub log: u64,
    /// `cache/`
    pub cache: u64,
}

impl Engine {
    /// Counts everything in the stores in reach.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        let mut stats = Stats::default();
        self.count_memories(&mut stats)?;
        for (whose, store) in self.stores() {
            self.count_use(&mut stats, &UsageLog::of(store.layout()), whose)?;
            let episodes = Episodes::of(store.layout());
            stats.episodes += episodes.size()?.0;
            for entry in episodes.newest(LINES, |_| true)?.entries {
                self.in_week(entry.time(), &mut stats.happened);
            }
            let layout = store.layout();
            stats.bytes.memories += below(&layout.memories(), 0);
            stats.bytes.log += below(&layout.log(), 0);
            stats.bytes.cache += below(&layout.cache(), 0);
        }
        for (_, tally) in self.tallies() {
            stats.used += tally.used + tally.helped;
            stats.unused += tally.unused + tally.useless;
        }
        let live = |told: &&rawko_store::Told| told.cleared.is_none() && self.still_holds(&told.failure);
        stats.failures = self.failures()?.iter().filter(live).count();
        Ok(stats)
    }

    fn count_memories(&self, stats: &mut Stats) -> Result<(), StoreError> {
        let listing = self.list(&Filter::default())?;
        stats.problems = listing.problems.len();
        let waiting = Waiting::among(listing.memories.iter().map(|found| &found.memory));
        (stats.waiting, stats.unapproved) = (waiting.review, waiting.approval);
        for found in &listing.memories {
            let Some(fold) = found.memory.now() else { continue };
            stats.memories += 1;
            stats.entries += found.memory.entries.len();
            *stats.by_status.entry(fold.status.as_str()).or_default() += 1;
            *stats.by_importance.entry(fold.importance.as_str()).or_default() += 1;
            stats.rules += usize::from(fold.kind == Kind::Procedure);
            for known in &found.memory.entries {
                self.in_week(Some(known.entry.frontmatter.discovered_at), &mut stats.added);
            }
        }
        Ok(())
    }

    fn count_use(&self, stats: &mut Stats, log: &UsageLog, whose: Whose) -> Result<(), StoreError> {
        let since = self.now() - SignedDuration::from_hours(24 * 7 * WEEKS as i64);
        let time = |line: &Value| line["at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
        let wanted = |line: &Value| time(line).is_some_and(|at| at > since);
        // What was held back to measure was brought to nobody.
        let heard = log.newest("injection", LINES, wanted)?;
        for line in heard.into_iter().filter(|line| line["heldOut"] != true) {
            let chosen = line["chosen"].as_array().into_iter().flatten();
            let shown = chosen.filter(|memory| memory["reason"].is_null()).count();
            stats.brought += shown;
            if shown > 0 {
                self.in_week(time(&line), &mut stats.injected);
            } else if whose == Whose::Project || self.store(Whose::Project).is_none() {
                stats.silent += 1;
            }
        }
        Ok(())
    }

    fn in_week(&self, at: Option<Timestamp>, weeks: &mut Weeks) {
        let Some(age) = at.map(|at| self.now().as_second() - at.as_second()) else { return };
        let week = (age.max(0) / (7 * 24 * 3600)) as usize;
        if let Some(at) = WEEKS.checked_sub(week + 1) {
            weeks[at] += 1;
        }
    }
}

/// Bytes of the plain files below a folder, links passed over.
fn below(folder: &Path, depth: usize) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
        Ok(kind) if kind.is_dir() && depth < 32 => below(&entry.path(), depth + 1),
        _ => 0,
    };
    entries.map(size).sum()
}
