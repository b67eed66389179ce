//! Invalidation of the index: what is newer than it, without looking at every file.
//!
//! New, removed and renamed files change their folder's time; rawko's own
//! writes are noted in the log; entries on their way are in the spool; and a
//! few files, other ones each time, are looked at for edits in place. Where a
//! folder's time is one that nobody accounts for, or the log cannot be relied
//! on, or the caller wants it, every file is looked at, and what comes out is
//! noted for the next one.

use std::collections::{BTreeSet, HashMap, HashSet};

use rawko_core::Slug;

use super::base::Base;
use super::bytes::Damage;
use super::notes::{self, Notes};
use super::stamp::{self, Stamp};
use crate::error::StoreError;
use crate::walk;
use crate::{FileStore, Layout};

/// How many files are looked at for edits in place.
const SLICE: usize = 64;
/// More changes than this are not noted: a rebuild is due.
const MOST_NOTED: usize = 4096;

/// How far to look for what is newer than the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Folder times, the log, the spool and a few files: before a prompt.
    Quick,
    /// Every file's size and time: when a session starts, and in long-lived processes.
    All,
}

/// The memories that are to be read from their files, if they are still there.
pub(super) fn changed(
    store: &FileStore,
    base: &Base,
    check: Check,
) -> Result<Result<BTreeSet<Slug>, Damage>, StoreError> {
    // The spool comes first: an entry that leaves it later is in the log by then.
    let spooled = store.spooled_slugs()?;
    let layout = store.layout();
    let notes = notes::read(&layout.cache(), log(base));
    let known = match known_times(base, notes.as_ref()) {
        Ok(known) => known,
        Err(damage) => return Ok(Err(damage)),
    };
    let accounted = |(folder, times): (&String, &HashSet<i64>)| times.contains(&time_of(layout, folder));
    let all = check == Check::All || notes.is_none() || !known.iter().all(accounted);
    let found = match all {
        true => look_at_all(layout, base, notes.as_ref(), &known)?,
        false => look_at_some(layout, base, notes.as_ref()),
    };
    let notes = notes.unwrap_or_default();
    Ok(found.map(|mut slugs| {
        slugs.extend(spooled);
        slugs.extend(notes.slugs);
        slugs
    }))
}

type Times = HashMap<String, HashSet<i64>>;

/// For each folder the times at which all that is new in it is known.
fn known_times(base: &Base, notes: Option<&Notes>) -> Result<Times, Damage> {
    let built = base.pages.about.built;
    let sure = |time: i64| (!stamp::is_recent(time, built)).then_some(time);
    let mut known: Times = base
        .folders()?
        .into_iter()
        .map(|(folder, time)| (folder, sure(time).into_iter().collect()))
        .collect();
    known.entry(String::new()).or_default();
    if let Some(notes) = notes {
        notes.follow(&mut known);
    }
    Ok(known)
}

fn time_of(layout: &Layout, folder: &str) -> i64 {
    notes::folder_time(&layout.memories().join(folder))
}

/// Looks at every file, and notes what came out.
fn look_at_all(
    layout: &Layout,
    base: &Base,
    notes: Option<&Notes>,
    known: &Times,
) -> Result<Result<BTreeSet<Slug>, Damage>, StoreError> {
    let looked = stamp::now();
    let mut seen = walk::memories(&layout.memories())?;
    seen.files.sort();
    let stamps = walk::in_parallel(&seen.files, |(_, path)| Stamp::of(path));
    let found = match compare(base, seen.files.iter().map(|(slug, _)| slug).zip(stamps)) {
        Ok(found) => found,
        Err(damage) => return Ok(Err(damage)),
    };
    let there: HashSet<&str> = seen.folders.iter().map(|(folder, _)| folder.as_str()).collect();
    let gone = known.keys().map(|folder| (folder.as_str(), 0)).filter(|(folder, _)| !there.contains(folder));
    let sure: Vec<(&str, i64)> = seen
        .folders
        .iter()
        .map(|(folder, time)| (folder.as_str(), *time))
        .filter(|(_, time)| !stamp::is_recent(*time, looked))
        .chain(gone)
        .filter(|(folder, time)| known.get(*folder).is_none_or(|times| !times.contains(time)))
        .collect();
    let news = news(&found, notes);
    if news.len() <= MOST_NOTED {
        notes::add(&layout.cache(), log(base), &news, &sure, notes.is_none());
    }
    Ok(Ok(found))
}

/// Which log is the index's, and where it stood then.
fn log(base: &Base) -> (u64, u64) {
    (base.pages.about.log, base.pages.about.log_offset)
}

/// What of it nobody has noted.
fn news<'f>(found: &'f BTreeSet<Slug>, notes: Option<&Notes>) -> Vec<&'f Slug> {
    let is_noted = |slug: &Slug| notes.is_some_and(|notes| notes.slugs.contains(slug));
    found.iter().filter(|slug| !is_noted(slug)).collect()
}

/// The slugs whose files are new, gone or changed; both sides in order.
fn compare<'a>(
    base: &Base,
    files: impl Iterator<Item = (&'a Slug, Stamp)>,
) -> Result<BTreeSet<Slug>, Damage> {
    let records = base.records(0, base.docs() as usize)?;
    let built = base.pages.about.built;
    let mut indexed = base.names()?.iter().zip(&records).peekable();
    let mut found = BTreeSet::new();
    for (slug, stamp) in files {
        while let Some((gone, _)) = indexed.next_if(|(name, _)| *name < slug) {
            found.insert(gone.clone());
        }
        let same =
            indexed.next_if(|(name, _)| *name == slug).is_some_and(|(_, record)| record.stamp == stamp);
        if !same || stamp.is_recent(built) {
            found.insert(slug.clone());
        }
    }
    found.extend(indexed.map(|(gone, _)| gone.clone()));
    Ok(found)
}

/// Looks at a few files, other ones each time, for edits in place.
fn look_at_some(layout: &Layout, base: &Base, notes: Option<&Notes>) -> Result<BTreeSet<Slug>, Damage> {
    let docs = base.docs() as usize;
    let count = docs.min(SLICE);
    let slices = docs.div_ceil(SLICE).max(1) as u64;
    let turn = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), stamp::now()) % slices;
    let first = (turn as usize * SLICE).min(docs - count);
    let records = base.records(first, count)?;
    let slugs = base.slugs(first, count)?;
    let built = base.pages.about.built;
    let changed = |slug: &Slug, record: &super::base::Record| {
        record.stamp != Stamp::of(&layout.memory(slug)) || record.stamp.is_recent(built)
    };
    let found: BTreeSet<Slug> = slugs
        .into_iter()
        .zip(&records)
        .filter(|(slug, record)| changed(slug, record))
        .map(|(slug, _)| slug)
        .collect();
    notes::add(&layout.cache(), log(base), &news(&found, notes), &[], false);
    Ok(found)
}
