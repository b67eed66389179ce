//! A store in plain files: append, recover, hand edits.
//!
//! Writing has two ways. A new memory is a new file: written under a temporary
//! name in `spool/`, synced, and linked to its own name, which either is free
//! or is not; no lock, no half file. An append to an existing memory goes
//! through the spool (see `spool.rs`), and into its file under the lock. No
//! path here deletes, truncates or replaces a file below `memories/`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rawko_core::{Channel, Entry, EntryId, Memory, Problem, SEPARATOR, Slug, Standing, Thread, Trust};

use crate::approvals::Approvals;
use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::index::Note;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::plain::{self, MAX_FILE};
use crate::spool::{self, Base, Part, Progress, Record};
use crate::walk::{self, Seen};
use crate::{FileProblem, Place, Reading, Saved, Store, Target};

/// How long one process works for others before it lets the next one have the lock.
const DRAIN_FOR: Duration = Duration::from_millis(50);
/// How many parts are moved together.
const BATCH: usize = 256;

/// A store in plain files.
#[derive(Debug)]
pub struct FileStore {
    layout: Layout,
    approvals: Approvals,
    home: Option<PathBuf>,
    unknown: Trust,
    now: Timestamp,
}

impl FileStore {
    /// Opens a project's store. Entries of unknown origin count as imported.
    ///
    /// `home` is the person's own folder, where approvals are kept.
    pub fn project(layout: Layout, home: Option<&Path>, now: Timestamp) -> Result<Self, StoreError> {
        Self::open(layout, home, Trust::Imported, now)
    }

    /// Opens the person's own store: its files are vouched for by being there.
    pub fn personal(layout: Layout, now: Timestamp) -> Result<Self, StoreError> {
        let home = layout.root().to_owned();
        Self::open(layout, Some(&home), Trust::Human, now)
    }

    fn open(layout: Layout, home: Option<&Path>, unknown: Trust, now: Timestamp) -> Result<Self, StoreError> {
        layout.check_format()?;
        let approvals = match home {
            Some(home) => Approvals::open(home, layout.root())?,
            None => Approvals::none(),
        };
        Ok(Self { layout, approvals, home: home.map(Path::to_owned), unknown, now })
    }

    /// Where things are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What is known of how its entries came to be.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// The person's own folder, if there is one.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The memories that have entries on their way.
    pub(crate) fn spooled_slugs(&self) -> Result<Vec<Slug>, StoreError> {
        Ok(self.spooled()?.into_keys().collect())
    }

    /// Moves what is spooled into its files, waiting for the lock up to `wait`.
    pub fn settle(&self, wait: Duration) -> Result<(), StoreError> {
        if spool::list(&self.layout.spool())?.0.is_empty() {
            return Ok(());
        }
        let lock = Lock::take(&self.layout.lock(), wait)?;
        self.drain(&lock, Duration::MAX)
    }

    /// Several memories, read as they are now; those that are not there are left out.
    pub fn read_some(&self, slugs: &[Slug]) -> Result<Vec<Memory>, StoreError> {
        let mut memories = Vec::with_capacity(slugs.len());
        for slug in slugs {
            match self.read(slug) {
                Ok(memory) => memories.push(memory),
                Err(StoreError::Missing(_) | StoreError::NotPlain { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(memories)
    }

    /// A memory's file as it is, byte for byte, without what is still on its way into it.
    pub fn raw(&self, slug: &Slug) -> Result<Option<Vec<u8>>, StoreError> {
        self.file(slug, u64::MAX)
    }

    fn file(&self, slug: &Slug, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.layout.check_folders(slug)?;
        plain::read(&self.layout.memory(slug), limit)
    }

    /// A settings or agent file, by its path below the store; `None` if there is none.
    pub fn small_file(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        plain::read(&self.layout.root().join(name), 1024 * 1024)
    }

    /// The paths of the agent files below the store, in order.
    pub fn agent_files(&self) -> Result<Vec<String>, StoreError> {
        let seen = walk::memories(&self.layout.agents())?;
        let mut names: Vec<String> =
            seen.files.into_iter().map(|(slug, _)| format!("agents/{slug}.md")).collect();
        names.sort();
        Ok(names)
    }

    /// Records that this person approves exactly these texts.
    pub fn approve(&self, ids: &[EntryId]) -> Result<(), StoreError> {
        self.record(ids, Standing::Approved)
    }

    /// Forgets what was known of these texts.
    pub fn revoke(&self, ids: &[EntryId]) -> Result<(), StoreError> {
        self.record(ids, Standing::Unknown)
    }

    fn record(&self, ids: &[EntryId], standing: Standing) -> Result<(), StoreError> {
        let lines: Vec<_> = ids.iter().map(|&id| (id, standing)).collect();
        self.approvals.record(&lines, self.layout.root(), self.now)
    }

    /// A memory as it is now; `None` if there is none of this name.
    fn look(&self, slug: &Slug) -> Result<Option<(Memory, Vec<Problem>)>, StoreError> {
        // The spool is read on both sides of the file: an entry is in one of them at every moment,
        // and a half-written one is in the spool as long as it is half-written.
        let before = self.spooled()?;
        let file = self.file(slug, MAX_FILE)?;
        let after = self.spooled()?;
        let parts: Vec<&Part> = before.get(slug).into_iter().chain(after.get(slug)).flatten().collect();
        if file.is_none() && parts.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.memory(slug, file.unwrap_or_default(), parts.into_iter())))
    }

    fn spooled(&self) -> Result<Spooled, StoreError> {
        let mut by_slug = Spooled::new();
        for part in spool::list(&self.layout.spool())?.0.into_iter().flat_map(|record| record.parts) {
            by_slug.entry(part.slug.clone()).or_default().push(part);
        }
        Ok(by_slug)
    }

    /// A memory made of a file's bytes and what is on its way into it, with what is wrong in them.
    fn memory<'a>(
        &self,
        slug: &Slug,
        file: Vec<u8>,
        parts: impl Iterator<Item = &'a Part>,
    ) -> (Memory, Vec<Problem>) {
        let (file, coming) = spool::overlay(file, parts);
        let mut thread = match String::from_utf8(file) {
            Ok(text) if text.is_empty() && !coming.is_empty() => Thread::default(),
            Ok(text) => rawko_core::parse(&text),
            Err(error) => Thread { entries: Vec::new(), problems: vec![walk::not_utf8(error.as_bytes())] },
        };
        coming.iter().for_each(|text| thread.entries.extend(rawko_core::parse(text).entries));
        let problems = std::mem::take(&mut thread.problems);
        (Memory::new(slug.clone(), thread, |id| self.approvals.standing(id), self.unknown), problems)
    }

    /// Creates a memory's file if its name is free.
    fn create(&self, slug: &Slug, text: &str) -> Result<bool, StoreError> {
        let path = self.layout.memory(slug);
        self.layout.check_folders(slug)?;
        atomic::make_folder(self.layout.root(), path.parent().unwrap_or(self.layout.root()))?;
        let temporary = Temporary::write(&self.layout.spool(), text.as_bytes())?;
        let note = Note::before(&self.layout, slug);
        let created = match temporary.link(&path) {
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

    /// For file systems without hard links: under the lock, so that no two writers see the name free.
    fn create_by_rename(&self, path: &Path, text: &str) -> Result<bool, StoreError> {
        let _lock = Lock::take(&self.layout.lock(), Duration::from_secs(5))?;
        if path.symlink_metadata().is_ok() {
            return Ok(false);
        }
        Temporary::write(&self.layout.spool(), text.as_bytes())?.rename(path).map(|()| true)
    }

    /// Appends to an existing memory: into the spool, and on into the file where the lock is free.
    fn append_to(&self, slug: &Slug, text: &str) -> Result<Place, StoreError> {
        let spool_folder = self.layout.spool();
        let Some(lock) = Lock::try_take(&self.layout.lock())? else {
            let saved = spool::save(&spool_folder, &[Part::loose(slug, text)])?;
            // The holder may have looked before this entry came: whoever finds the lock free goes on.
            if let Some(lock) = Lock::try_take(&self.layout.lock())? {
                let _ = self.drain(&lock, DRAIN_FOR);
            }
            return Ok(if saved.exists() { Place::Spool } else { Place::File });
        };
        self.drain(&lock, DRAIN_FOR)?;
        let mut part = Part::loose(slug, text);
        part.base =
            Some(self.end_of(slug, text)?.ok_or_else(|| StoreError::Damaged(self.layout.memory(slug)))?);
        let path = spool::save(&spool_folder, std::slice::from_ref(&part))?;
        // From here on the entry is saved: what fails now is finished later.
        let moved = self.finish(&Record { path, parts: vec![part] });
        Ok(if moved.unwrap_or(false) { Place::File } else { Place::Spool })
    }

    /// Moves spooled parts into their files, for at most `budget`. The lock is held by the caller.
    fn drain(&self, _held: &Lock, budget: Duration) -> Result<(), StoreError> {
        let start = Instant::now();
        let spool_folder = self.layout.spool();
        let mut seen = HashSet::new();
        loop {
            let (mut records, _) = spool::list(&spool_folder)?;
            // What is still here after a pass cannot be moved now: a damaged file, a failing disk.
            records.retain(|record| seen.insert(record.path.clone()));
            if records.is_empty() {
                return spool::sweep(&spool_folder);
            }
            let (based, loose): (Vec<Record>, Vec<Record>) =
                records.into_iter().partition(|record| record.parts.iter().all(|part| part.base.is_some()));
            based.iter().try_for_each(|record| self.finish(record).map(drop))?;
            for batch in loose.chunks(BATCH) {
                self.move_together(batch)?;
                if start.elapsed() >= budget {
                    return Ok(());
                }
            }
        }
    }

    /// Decides the places of loose parts, saves that decision once, and carries it out.
    fn move_together(&self, records: &[Record]) -> Result<(), StoreError> {
        let mut ends: HashMap<&Slug, u64> = HashMap::new();
        let mut decided = Vec::new();
        let mut taken = Vec::new();
        for record in records {
            let mut parts = Vec::new();
            for part in &record.parts {
                let file = self.file(&part.slug, MAX_FILE)?.unwrap_or_default();
                if part.progress(&file) == Progress::Done {
                    continue;
                }
                let base = match ends.get(&part.slug) {
                    // What stands there by then was written by rawko, so it ends cleanly.
                    Some(&length) => Some(Base { length, prefix: SEPARATOR.to_owned() }),
                    None => self.end_of(&part.slug, &part.text)?,
                };
                parts.push(Part { base, ..part.clone() });
                if let Some(part) = parts.last()
                    && let Some(base) = &part.base
                {
                    ends.insert(&record.parts[parts.len() - 1].slug, base.length + part.bytes().len() as u64);
                }
            }
            // A damaged file takes nothing: its entries wait in the spool, and are read from there.
            if parts.iter().all(|part| part.base.is_some()) {
                taken.push(&record.path);
                decided.extend(parts);
            }
        }
        let batch =
            if decided.is_empty() { None } else { Some(spool::save(&self.layout.spool(), &decided)?) };
        taken.into_iter().for_each(|path| remove(path));
        batch.map_or(Ok(()), |path| self.finish(&Record { path, parts: decided }).map(drop))
    }

    /// Where an entry appended now begins; `None` if the file is damaged so that it would not be read.
    fn end_of(&self, slug: &Slug, text: &str) -> Result<Option<Base>, StoreError> {
        let file = self.file(slug, MAX_FILE)?.unwrap_or_default();
        Ok(spool::prefix(&file, text).map(|prefix| Base { length: file.len() as u64, prefix }))
    }

    /// Carries a decided record out, and removes it once its parts are safe; whether all are in their files.
    fn finish(&self, record: &Record) -> Result<bool, StoreError> {
        let mut by_slug: BTreeMap<&Slug, Vec<&Part>> = BTreeMap::new();
        record.parts.iter().for_each(|part| by_slug.entry(&part.slug).or_default().push(part));
        let mut left: Vec<Part> = Vec::new();
        for (slug, parts) in by_slug {
            match self.write_parts(slug, &parts) {
                Ok(displaced) => left.extend(displaced),
                // A failed sync says nothing about what is on disk: write it once more, further down.
                Err(StoreError::Io { action: "sync", .. }) => {
                    left.extend(parts.into_iter().map(|part| Part {
                        base: None,
                        again: true,
                        ..part.clone()
                    }));
                }
                Err(error) => return Err(error),
            }
        }
        if !left.is_empty() {
            spool::save(&self.layout.spool(), &left)?;
        }
        remove(&record.path);
        Ok(left.is_empty())
    }

    /// Appends what is missing of `parts` to a memory's file; gives back those whose place is gone.
    fn write_parts(&self, slug: &Slug, parts: &[&Part]) -> Result<Vec<Part>, StoreError> {
        let path = self.layout.memory(slug);
        self.layout.check_folders(slug)?;
        atomic::make_folder(self.layout.root(), path.parent().unwrap_or(self.layout.root()))?;
        let note = Note::before(&self.layout, slug);
        let before = plain::read(&path, u64::MAX)?;
        let is_new = before.is_none();
        let mut file = before.unwrap_or_default();
        let start = file.len();
        for part in parts {
            if let Progress::Begun(begun) = part.progress(&file) {
                file.extend(&part.bytes()[begun..]);
            }
        }
        let mut open = plain::open(&path, OpenOptions::new().append(true).create(true))?;
        if file.len() > start && open.metadata().at("look at", &path)?.len() == start as u64 {
            open.write_all(&file[start..]).at("write", &path)?;
        }
        open.sync_all().at("sync", &path)?;
        if is_new {
            atomic::sync_parent(&path)?;
        }
        note.written();
        // An editor may have put another file or other text in its place meanwhile: only what is
        // there under this name counts as moved.
        let named = path.symlink_metadata().ok();
        let ours = open.metadata().at("look at", &path)?;
        let kept = named.is_some_and(|named| plain::same_file(&named, &ours));
        let now = if kept { plain::read(&path, u64::MAX)?.unwrap_or_default() } else { Vec::new() };
        let missing = parts.iter().filter(|part| part.progress(&now) != Progress::Done);
        Ok(missing.map(|part| Part { base: None, ..(*part).clone() }).collect())
    }

    /// Where an entry with this title goes: to the memory that has the title, or to a free name.
    fn locate(&self, title: &str) -> Result<Located, StoreError> {
        let spooled = self.spooled()?;
        let first = Slug::from_title(title);
        for n in 1..10_000 {
            let slug = if n == 1 { first.clone() } else { first.numbered(n) };
            match self.file(&slug, MAX_FILE) {
                Ok(None) if !spooled.contains_key(&slug) => {
                    let filed = walk::elsewhere(&self.layout.memories(), &slug).filter(|_| n == 1);
                    let existing =
                        filed.map(|slug| self.existing(slug, title, &spooled)).transpose()?.flatten();
                    return Ok(existing.unwrap_or(Located::Free(slug)));
                }
                Ok(_) => {
                    if let Some(existing) = self.existing(slug, title, &spooled)? {
                        return Ok(existing);
                    }
                }
                // A link, a pipe, a huge file: none of ours, try the next name.
                Err(StoreError::NotPlain { .. }) => {}
                Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::FileTooLarge => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Missing(first))
    }

    /// The memory of this name, if it has this title and an appended entry would be read as one.
    fn existing(&self, slug: Slug, title: &str, spooled: &Spooled) -> Result<Option<Located>, StoreError> {
        let file = self.file(&slug, MAX_FILE)?.unwrap_or_default();
        let joins = spool::prefix(&file, PROBE).is_some();
        let (memory, _) = self.memory(&slug, file, spooled.get(&slug).into_iter().flatten());
        let titled = memory.entries.iter().any(|known| known.entry.frontmatter.title == title);
        let ids = memory.entries.iter().map(|known| known.id).collect();
        Ok((titled && joins).then_some(Located::Existing(slug, ids)))
    }
}

type Spooled = HashMap<Slug, Vec<Part>>;

const PROBE: &str = "---\ntitle: probe\nwhenToUse: probe\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: probe\n---\n\nprobe\n";

enum Located {
    /// A memory with the ids of its entries.
    Existing(Slug, Vec<EntryId>),
    Free(Slug),
}

impl Store for FileStore {
    fn append(&self, entry: &Entry, target: &Target, channel: Channel) -> Result<Saved, StoreError> {
        self.layout.create()?;
        let text = entry.to_text();
        for _ in 0..100 {
            let located = match target {
                Target::Title => self.locate(&entry.frontmatter.title)?,
                Target::Memory(slug) => {
                    let memory = self.read(slug)?;
                    Located::Existing(slug.clone(), memory.entries.iter().map(|known| known.id).collect())
                }
            };
            let (slug, ids, is_new) = match located {
                Located::Existing(slug, ids) => (slug, ids, false),
                Located::Free(slug) => (slug, Vec::new(), true),
            };
            let id = EntryId::of(&slug, &text);
            if ids.contains(&id) {
                return Ok(Saved { slug, id, place: Place::Already, is_new });
            }
            self.record(&[id], Standing::Wrote(channel))?;
            let place = match is_new {
                true if self.create(&slug, &text)? => Place::File,
                // Somebody else took the name since we looked.
                true => continue,
                false => self.append_to(&slug, &text)?,
            };
            return Ok(Saved { slug, id, place, is_new });
        }
        Err(StoreError::Busy { lock: self.layout.memories(), milliseconds: 0 })
    }

    fn read(&self, slug: &Slug) -> Result<Memory, StoreError> {
        self.look(slug)?.map(|(memory, _)| memory).ok_or_else(|| StoreError::Missing(slug.clone()))
    }

    fn read_all(&self) -> Result<Reading, StoreError> {
        let before = self.spooled()?;
        let Seen { mut files, mut problems, .. } = walk::memories(&self.layout.memories())?;
        let known: HashSet<&Slug> = files.iter().map(|(slug, _)| slug).collect();
        let spooled_only: Vec<_> = before.keys().filter(|slug| !known.contains(slug)).cloned().collect();
        files.extend(spooled_only.into_iter().map(|slug| (slug.clone(), self.layout.memory(&slug))));
        files.sort();
        let mut read = walk::in_parallel(&files, |(slug, path)| {
            let bytes = plain::read(path, MAX_FILE)?.unwrap_or_default();
            Ok(self.memory(slug, bytes, before.get(slug).into_iter().flatten()))
        });
        // A memory that was being written while we read is looked at again.
        let after = self.spooled()?;
        for (n, (slug, _)) in files.iter().enumerate().filter(|(_, (slug, _))| after.contains_key(slug)) {
            if let Some(again) = self.look(slug).transpose() {
                read[n] = again;
            }
        }
        let mut memories = Vec::with_capacity(read.len());
        for ((slug, path), result) in files.into_iter().zip(read) {
            let found = match result {
                Ok((memory, found)) => {
                    memories.push(memory);
                    found
                }
                Err(error) => vec![walk::unreadable(&error)],
            };
            let of_file = |problem| FileProblem { slug: Some(slug.clone()), path: path.clone(), problem };
            problems.extend(found.into_iter().map(of_file));
        }
        memories.retain(|memory| !memory.entries.is_empty());
        Ok(Reading { memories, problems })
    }
}

fn remove(path: &Path) {
    // If this fails the record stays, and whoever reads it next sees that its parts are in their files.
    let _ = fs::remove_file(path);
}

fn cannot_link(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), Unsupported | PermissionDenied)
}

/// A path for messages, relative to the project where that is possible.
pub fn shown(path: &Path, project: &Path) -> PathBuf {
    path.strip_prefix(project).unwrap_or(path).to_owned()
}
