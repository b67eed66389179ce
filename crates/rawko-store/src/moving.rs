//! Moves entries from the spool into their memories' files, under the lock.
//!
//! A new memory is linked whole under a free name. An append is saved in the
//! spool, and moved on by whoever holds the lock: the place is decided and
//! saved, the bytes are appended and synced, and only then do the records go,
//! so at every moment an entry is whole in the spool, or in its file, or both.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rawko_core::{EntryId, SEPARATOR, Slug};

use crate::Place;
use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::files::FileStore;
use crate::index::Note;
use crate::lock::Lock;
use crate::plain::{self, MAX_FILE};
use crate::spool::{self, Base, Part, Progress, Record};

/// How long one process works for others before it lets the next one have the lock.
const DRAIN_FOR: Duration = Duration::from_millis(50);
/// How many records are moved together, and how many bytes: the record of their places must be read again.
const BATCH: usize = 256;
const BATCH_BYTES: usize = plain::MAX_KEPT as usize;
/// After how long a temporary file is looked at by the way.
const OLD: Duration = Duration::from_secs(3600);

/// Who began to carry a decided record out.
#[derive(Clone, Copy)]
enum Begun {
    /// We did, with the lock still held.
    Now,
    /// Somebody else, who cannot be asked whether a sync failed, and may have been unable to mark that.
    Before,
}

/// What a memory's file holds and where it ends, while places are given out.
struct Tail {
    slug: Slug,
    /// What has been given a place since the file was read.
    placed: HashSet<EntryId>,
    file: Vec<u8>,
    is_there: bool,
    /// Where the next part begins, once one has been placed.
    next: Option<u64>,
}

impl Tail {
    fn of(path: &Path, slug: &Slug) -> Result<Self, StoreError> {
        let file = plain::read(path, MAX_FILE)?;
        let is_there = file.is_some();
        let (slug, file) = (slug.clone(), file.unwrap_or_default());
        Ok(Self { slug, placed: HashSet::new(), file, is_there, next: None })
    }

    /// Whether an entry of this text is there, or will be.
    fn holds(&self, part: &Part) -> bool {
        self.placed.contains(&part.id()) || spool::holds(&self.slug, &self.file, &part.text)
    }

    /// Where `text` begins if it is appended now; `None` if it would not be read as an entry there.
    fn base(&self, text: &str) -> Option<Base> {
        if let Some(length) = self.next {
            // What stands there by then was written by rawko, so it ends cleanly.
            return spool::has_room(length, text).then(|| Base { length, prefix: SEPARATOR.to_owned() });
        }
        if !spool::has_room(self.file.len() as u64, text) {
            return None;
        }
        let prefix = if self.is_there { spool::prefix(&self.file, text)? } else { String::new() };
        Some(Base { length: self.file.len() as u64, prefix })
    }
}

impl FileStore {
    /// Creates a memory's file if its name is free.
    pub(crate) fn create(&self, slug: &Slug, text: &str) -> Result<bool, StoreError> {
        let path = self.layout().memory(slug);
        self.layout().check_folders(slug)?;
        self.make_parent(&path)?;
        let note = Note::before(self.layout(), slug);
        let created = match atomic::create(&self.layout().spool(), text.as_bytes(), &path) {
            Err(StoreError::Io { source, action: "create", .. }) if cannot_link(&source) => {
                self.create_by_rename(&path, text)
            }
            linked => linked,
        }?;
        if created {
            note.written();
        }
        Ok(created)
    }

    /// Creates the files of new memories whose names are free, and tells which were.
    pub(crate) fn create_together(&self, new: &[(Slug, String)]) -> Result<Vec<bool>, StoreError> {
        let paths: Vec<_> = new.iter().map(|(slug, _)| self.layout().memory(slug)).collect();
        for ((slug, _), path) in new.iter().zip(&paths) {
            self.layout().check_folders(slug)?;
            self.make_parent(path)?;
        }
        let notes: Vec<Note> = new.iter().map(|(slug, _)| Note::before(self.layout(), slug)).collect();
        let files = paths.iter().zip(new).map(|(path, (_, text))| (path.as_path(), text.as_bytes()));
        let created = match atomic::create_all(&self.layout().spool(), &files.collect::<Vec<_>>()) {
            Err(StoreError::Io { source, action: "create", .. }) if cannot_link(&source) => {
                return new.iter().map(|(slug, text)| self.create(slug, text)).collect();
            }
            created => created?,
        };
        notes.into_iter().zip(&created).filter(|(_, created)| **created).for_each(|(note, _)| note.written());
        Ok(created)
    }

    /// For file systems without hard links: under the lock, so that no two writers see the name free.
    fn create_by_rename(&self, path: &Path, text: &str) -> Result<bool, StoreError> {
        let _lock = Lock::take(&self.layout().lock(), Duration::from_secs(5))?;
        if path.symlink_metadata().is_ok() {
            return Ok(false);
        }
        Temporary::write(&self.layout().spool(), text.as_bytes())?.rename(path).map(|()| true)
    }

    fn make_parent(&self, path: &Path) -> Result<(), StoreError> {
        atomic::make_folder(self.layout().root(), path.parent().unwrap_or(self.layout().root()))
    }

    /// Makes sure that an entry which is there already is there to stay: its writer may have died
    /// before it synced.
    pub(crate) fn make_last(&self, slug: &Slug) -> Result<(), StoreError> {
        let path = self.layout().memory(slug);
        match plain::open(&path, OpenOptions::new().read(true)) {
            Ok(file) => file.sync_all().at("sync", &path).and_then(|()| atomic::sync_parent(&path))?,
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        atomic::sync_folder(&self.layout().spool())
    }

    /// Appends to an existing memory: into the spool, and on into the file where the lock is free.
    pub(crate) fn append_to(&self, slug: &Slug, text: &str) -> Result<Place, StoreError> {
        let part = Part::loose(slug, text);
        // A lock that cannot be had, for whatever reason, costs nothing but time.
        if let Ok(Some(lock)) = Lock::try_take(&self.layout().lock())
            && let Some(place) = self.append_now(&lock, part.clone())?
        {
            return Ok(place);
        }
        self.spool_and_go_on(part)
    }

    /// Saves a part in the spool; it is moved on by whoever holds the lock, and that is us if nobody does.
    pub(crate) fn spool_and_go_on(&self, part: Part) -> Result<Place, StoreError> {
        let saved = spool::save(&self.layout().spool(), &[part])?;
        // The holder may have looked before this entry came: whoever finds the lock free goes on.
        let Ok(Some(lock)) = Lock::try_take(&self.layout().lock()) else { return Ok(Place::Spool) };
        let _ = self.drain(&lock, DRAIN_FOR);
        Ok(if saved.exists() { Place::Spool } else { Place::File })
    }

    /// Appends with the lock held; `None` if the file cannot take an entry right now.
    fn append_now(&self, lock: &Lock, mut part: Part) -> Result<Option<Place>, StoreError> {
        if self.drain(lock, DRAIN_FOR).map_or(true, |stuck| stuck.contains(&part.slug)) {
            return Ok(None);
        }
        let tail = self.tail(&part.slug)?;
        if tail.holds(&part) {
            // Written by somebody else since we looked.
            return self.make_last(&part.slug).map(|()| Some(Place::Already));
        }
        // A damaged file takes nothing, and neither does one that an editor is just saving in place.
        let Some(base) = tail.base(&part.text) else { return Ok(None) };
        part.base = Some(base);
        let path = spool::save(&self.layout().spool(), std::slice::from_ref(&part))?;
        // From here on the entry is saved: what fails now is finished later.
        let moved = self.finish(&Record { path, parts: vec![part] }, Begun::Now).unwrap_or(false);
        Ok(Some(if moved { Place::File } else { Place::Spool }))
    }

    /// Moves spooled parts into their files, for at most `budget`, with the lock held.
    ///
    /// Gives the memories whose files may end in an unfinished part: nothing may be appended to them.
    pub(crate) fn drain(&self, _held: &Lock, budget: Duration) -> Result<HashSet<Slug>, StoreError> {
        let start = Instant::now();
        let mut seen = HashSet::new();
        let mut stuck = HashSet::new();
        loop {
            let mut spool = spool::list(&self.layout().spool())?;
            // What is still here after a pass cannot be moved now: a damaged file, a failing disk.
            spool.records.retain(|record| seen.insert(record.path.clone()));
            if spool.records.is_empty() {
                atomic::sweep(&self.layout().spool(), OLD);
                return Ok(stuck);
            }
            let (based, loose): (Vec<Record>, Vec<Record>) =
                spool.records.into_iter().partition(|record| record.parts.iter().all(|p| p.base.is_some()));
            if !based.is_empty() {
                // Whoever made them may have died before it synced their names, and without its record
                // a half-written part could not be told from a whole one.
                atomic::sync_folder(&self.layout().spool())?;
            }
            let mut based = based.into_iter();
            while let Some(record) = based.next() {
                if self.finish(&record, Begun::Before).is_err() {
                    stuck.extend(record.parts.into_iter().map(|part| part.slug));
                }
                if start.elapsed() >= budget {
                    // What nobody came to is as unfinished as what failed.
                    stuck.extend(based.flat_map(|record| record.parts).map(|part| part.slug));
                    return Ok(stuck);
                }
            }
            for batch in batches(&loose) {
                self.move_together(batch, &mut stuck)?;
                if start.elapsed() >= budget {
                    return Ok(stuck);
                }
            }
        }
    }

    /// Decides the places of loose parts, saves that decision once, and carries it out.
    fn move_together(&self, records: &[Record], stuck: &mut HashSet<Slug>) -> Result<(), StoreError> {
        let mut tails: HashMap<Slug, Tail> = HashMap::new();
        let mut decided = Vec::new();
        let mut taken = Vec::new();
        for record in records {
            let able = record.parts.iter().all(|part| self.can_take(part, &mut tails, stuck));
            // A damaged file takes nothing: its entries wait in the spool, and are read from there.
            if !able {
                continue;
            }
            for part in &record.parts {
                let Some(tail) = tails.get_mut(&part.slug) else { continue };
                if tail.holds(part) && !part.again {
                    continue;
                }
                tail.placed.insert(part.id());
                let placed = Part { base: tail.base(&part.text), ..part.clone() };
                tail.next = placed.base.as_ref().map(|base| base.length + placed.bytes().len() as u64);
                decided.push(placed);
            }
            taken.push(&record.path);
        }
        if !decided.is_empty() {
            let path = spool::save(&self.layout().spool(), &decided)?;
            let record = Record { path, parts: decided };
            if self.finish(&record, Begun::Now).is_err() {
                stuck.extend(record.parts.into_iter().map(|part| part.slug));
            }
        }
        // Last: until its part is in its file, or in a record of what could not be moved, a reader
        // finds every entry under the name that it listed.
        taken.into_iter().for_each(|path| remove(path));
        Ok(())
    }

    fn tail(&self, slug: &Slug) -> Result<Tail, StoreError> {
        self.layout().check_folders(slug)?;
        Tail::of(&self.layout().memory(slug), slug)
    }

    fn can_take(&self, part: &Part, tails: &mut HashMap<Slug, Tail>, stuck: &HashSet<Slug>) -> bool {
        if stuck.contains(&part.slug) {
            return false;
        }
        if !tails.contains_key(&part.slug)
            && let Ok(tail) = self.tail(&part.slug)
        {
            tails.insert(part.slug.clone(), tail);
        }
        tails.get(&part.slug).is_some_and(|tail| tail.base(&part.text).is_some())
    }

    /// Carries a decided record out, and removes it once its parts are safe; whether all are in their files.
    fn finish(&self, record: &Record, begun: Begun) -> Result<bool, StoreError> {
        let mut by_slug: BTreeMap<&Slug, Vec<&Part>> = BTreeMap::new();
        record.parts.iter().for_each(|part| by_slug.entry(&part.slug).or_default().push(part));
        let mut left: Vec<Part> = Vec::new();
        for (slug, parts) in by_slug {
            let asked = match begun {
                Begun::Now => Ok(()),
                Begun::Before => self.forget_cached(slug),
            };
            match asked.and_then(|()| self.write_parts(slug, &parts)) {
                Ok(displaced) => left.extend(displaced),
                // A failed sync says nothing about what is on disk, and a second one even less.
                Err(StoreError::Io { action: "sync", .. }) => {
                    return spool::mark_again(&record.path).map(|()| false);
                }
                Err(error) => return Err(error),
            }
        }
        if !left.is_empty() {
            spool::save(&self.layout().spool(), &left)?;
        }
        remove(&record.path);
        Ok(left.is_empty())
    }

    /// Asks the system to forget what it holds of a memory's file: the next reading then tells what is on disk, as
    /// far as the system lets go of it.
    ///
    /// After a failed sync it takes what was lost for written, and another sync of it says yes and writes nothing.
    #[cfg(target_os = "linux")]
    fn forget_cached(&self, slug: &Slug) -> Result<(), StoreError> {
        let path = self.layout().memory(slug);
        self.layout().check_folders(slug)?;
        let file = match plain::open(&path, OpenOptions::new().read(true)) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        // What waits to be written stays in memory until it is.
        file.sync_all().at("sync", &path)?;
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        Ok(())
    }

    /// Does nothing: elsewhere no file's cache can be asked to go.
    #[cfg(not(target_os = "linux"))]
    fn forget_cached(&self, _slug: &Slug) -> Result<(), StoreError> {
        Ok(())
    }

    /// Appends what is missing of `parts` to a memory's file; gives back those whose place is gone.
    fn write_parts(&self, slug: &Slug, parts: &[&Part]) -> Result<Vec<Part>, StoreError> {
        let path = self.layout().memory(slug);
        self.layout().check_folders(slug)?;
        self.make_parent(&path)?;
        let note = Note::before(self.layout(), slug);
        let before = plain::read(&path, u64::MAX)?;
        let is_there = before.is_some();
        let before = before.unwrap_or_default();
        let completion = spool::completion(&before, parts);
        // The parts below the first stand on what rawko wrote.
        let fits = |file: &[u8]| parts.first().is_none_or(|first| first.fits(file));
        if !is_there && completion.is_none() || !fits(&before) {
            return Ok(parts.iter().map(|part| Part { base: None, ..(*part).clone() }).collect());
        }
        let file = plain::open(&path, OpenOptions::new().append(true).create(true))?;
        if let Some((start, bytes)) = completion
            && file.metadata().at("look at", &path)?.len() == before.len() as u64
        {
            match start == before.len() {
                true => (&file).write_all(&bytes).at("write", &path)?,
                false => mend(&path, start, &bytes)?,
            }
        }
        file.sync_all().at("sync", &path)?;
        // Also where the file was there before: whoever made it may have died before it synced the name.
        atomic::sync_parent(&path)?;
        note.written();
        // An editor may have put another file or other text in its place meanwhile: only what is
        // there under this name counts as moved.
        let named = path.symlink_metadata().ok();
        let ours = file.metadata().at("look at", &path)?;
        let kept = named.is_some_and(|named| plain::same_file(&named, &ours));
        let now = if kept { plain::read(&path, u64::MAX)?.unwrap_or_default() } else { Vec::new() };
        let is_moved = |part: &Part| part.progress(&now) == Progress::Done;
        let is_read = fits(&now);
        let missing = parts.iter().filter(|part| !is_read || !is_moved(part));
        Ok(missing.map(|part| Part { base: None, ..(*part).clone() }).collect())
    }
}

/// Records in the portions in which they are moved.
fn batches(mut records: &[Record]) -> Vec<&[Record]> {
    let mut batches = Vec::new();
    while !records.is_empty() {
        let mut bytes = 0;
        let fits = |record: &&Record| {
            bytes += record.parts.iter().map(|part| part.text.len()).sum::<usize>();
            bytes <= BATCH_BYTES
        };
        let count = records.iter().take(BATCH).take_while(fits).count().max(1);
        let (batch, rest) = records.split_at(count);
        batches.push(batch);
        records = rest;
    }
    batches
}

/// Puts a part's bytes where a power cut left zeros.
fn mend(path: &Path, start: usize, bytes: &[u8]) -> Result<(), StoreError> {
    use std::io::{Seek, SeekFrom};
    let mut file: File = plain::open(path, OpenOptions::new().write(true))?;
    file.seek(SeekFrom::Start(start as u64)).and_then(|_| file.write_all(bytes)).at("write", path)?;
    file.sync_all().at("sync", path)
}

fn remove(path: &Path) {
    // If this fails the record stays, and whoever reads it next sees that its parts are in their files.
    let _ = fs::remove_file(path);
}

fn cannot_link(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), Unsupported | PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_left_over_record_that_there_is_no_time_for_holds_its_memory_back() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = crate::Layout::at(folder.path().join(".rawko"));
        let store = FileStore::project(layout, None, jiff::Timestamp::UNIX_EPOCH).expect("it opens");
        store.layout().create().expect("folders");
        let slugs = ["a", "b", "c"].map(Slug::from_title);
        let text = "---\ntitle: \"T\"\nwhenToUse: [\"x\"]\ntags: []\nimportance: low\n\
                    discoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: tester\n---\n\nBody.\n";
        for slug in &slugs {
            let base = Some(Base { length: 0, prefix: String::new() });
            let part = Part { base, ..Part::loose(slug, text) };
            spool::save(&store.layout().spool(), &[part]).expect("a record");
        }
        let is_moved = |slug: &&Slug| store.layout().memory(slug).exists();
        for moved in 1..=slugs.len() {
            let lock = Lock::try_take(&store.layout().lock()).expect("a lock").expect("it is free");
            let stuck = store.drain(&lock, Duration::ZERO).expect("drained");
            assert_eq!(slugs.iter().filter(is_moved).count(), moved, "one at a time");
            assert!(slugs.iter().all(|slug| stuck.contains(slug) != is_moved(&slug)), "{stuck:?}");
        }
    }

    #[test]
    fn what_is_moved_together_is_few_records_and_few_bytes() {
        let record = |bytes: usize| {
            let part = Part::loose(&Slug::from_title("a"), &"x".repeat(bytes));
            Record { path: Path::new("r").to_owned(), parts: vec![part] }
        };
        let sizes = |records: &[Record]| batches(records).iter().map(|batch| batch.len()).collect::<Vec<_>>();
        assert!(sizes(&[]).is_empty());
        assert_eq!(sizes(&(0..600).map(|_| record(1)).collect::<Vec<_>>()), [256, 256, 88]);
        let half = BATCH_BYTES / 2;
        assert_eq!(sizes(&[half, half, 1, BATCH_BYTES + 1, 1].map(record)), [2, 1, 1, 1]);
    }
}
