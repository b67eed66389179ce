//! A store in plain files: finding, reading, and which memory an entry belongs to.
//!
//! Writing has two ways. A new memory is a new file: written under a temporary
//! name in `spool/`, synced, and linked to its own name, which either is free
//! or is not; no lock, no half file. An append to an existing memory goes
//! through the spool (see `spool.rs`), and into its file under the lock (see
//! `moving.rs`). No path here deletes, truncates or replaces a file below
//! `memories/`. Readers take no lock: they read file and spool as one.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rawko_core::{Channel, Entry, EntryId, Memory, Problem, Sketch, Slug, Standing, Thread, Trust};

use crate::approvals::Approvals;
use crate::error::StoreError;
use crate::index::Key;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::plain::{self, MAX_FILE};
use crate::spool::{self, Part, Waiting};
use crate::vectors::TextKey;
use crate::walk::{self, Seen};
use crate::{FileProblem, Place, Reading, Saved, Store, Target};

/// How many bytes of a file are read to find its first title.
const HEAD: u64 = 16 * 1024;
/// The last number that a name is given to tell it from others.
const LAST_NUMBER: u32 = 9_999;
/// How many new memories wait for the disk together: as many files are open.
const TOGETHER: usize = 256;
/// How often a reader starts over while others write, before it takes what it has.
const TRIES: usize = 100;

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

    /// What is known of the entries of the store that was, or is, at another place.
    pub fn approvals_at(&self, root: &Path) -> Result<Approvals, StoreError> {
        self.home.as_ref().map_or_else(|| Ok(Approvals::none()), |home| Approvals::open(home, root))
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
        if spool::list(&self.layout.spool())?.records.is_empty() {
            return Ok(());
        }
        let lock = Lock::take(&self.layout.lock(), wait)?;
        self.drain(&lock, Duration::MAX).map(drop)
    }

    /// Several memories, read as they are now; those that are not there or cannot be read are left out.
    ///
    /// The spool is listed once for all of them: before a prompt, that is most of what reading costs.
    pub fn read_some(&self, slugs: &[Slug]) -> Result<Vec<Memory>, StoreError> {
        if slugs.is_empty() {
            return Ok(Vec::new());
        }
        let read: Vec<_> = slugs.iter().map(|slug| self.file(slug, MAX_FILE)).collect();
        let spooled = self.spooled()?;
        let mut memories = Vec::with_capacity(slugs.len());
        for (slug, file) in slugs.iter().zip(read) {
            let parts = spooled.get(slug).map_or(&[][..], Vec::as_slice);
            let now = length(&self.layout.memory(slug));
            let memory = match file {
                Ok(None) if parts.is_empty() => None,
                // As in `look`: a file that did not change around a look at the spool is whole with it.
                Ok(file) if now == file.as_ref().map(|file| file.len() as u64) => {
                    Some(self.memory(slug, file.unwrap_or_default(), parts).0)
                }
                Ok(_) => self.look(slug)?.map(|(memory, _)| memory),
                // One bad file must not hide the good ones.
                Err(StoreError::NotPlain { .. } | StoreError::Io { .. }) => None,
                Err(error) => return Err(error),
            };
            memories.extend(memory);
        }
        Ok(memories)
    }

    /// A memory as its file alone has it, without what is still on its way into it; `None` if there is none.
    pub fn read_file(&self, slug: &Slug) -> Result<Option<Memory>, StoreError> {
        Ok(self.file(slug, MAX_FILE)?.map(|file| self.memory(slug, file, &[]).0))
    }

    /// A memory of which an index kept a sketch.
    pub(crate) fn sketched(&self, slug: Slug, sketch: Sketch) -> Memory {
        Memory::sketched(slug, sketch, |id| self.approvals.standing(id), self.unknown)
    }

    /// Whether an entry's standing lets it enter a prompt; what the entry itself says may still forbid it.
    pub(crate) fn may_speak(&self, id: &EntryId) -> bool {
        self.approvals.standing(id).trust(None, self.unknown).may_be_injected()
    }

    /// The key of what a memory may say, as [`Index::speaking`](crate::Index::speaking) gives it.
    pub fn speech_key(&self, memory: &Memory) -> TextKey {
        TextKey::of_entries(memory.entries.iter().map(|known| (known.id, self.say(&known.id))))
    }

    /// What an entry's standing gives it to say in its memory; 0 where it may say nothing.
    ///
    /// A person's word makes what waited speak, and decides whose title, task and text count.
    pub(crate) fn say(&self, id: &EntryId) -> u8 {
        let standing = self.approvals.standing(id);
        match standing.trust(None, self.unknown) {
            trust if !trust.may_be_injected() => 0,
            _ if standing == Standing::Approved => 3,
            Trust::Human => 2,
            _ => 1,
        }
    }

    /// Whether what this person signs can be known again by another process.
    pub fn can_sign(&self) -> bool {
        Key::is_kept(self.home())
    }

    /// The entries of which anything is recorded; `None` where those are more than `most`, or others may speak too.
    pub(crate) fn recorded_at_most(&self, most: usize) -> Option<Vec<EntryId>> {
        if self.unknown.may_be_injected() { None } else { self.approvals.at_most(most) }
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
        let lines: Vec<_> = ids.iter().map(|&id| (id, Standing::Approved)).collect();
        self.approvals.record_for_good(&lines, self.layout.root(), self.now)
    }

    /// Forgets what was known of these texts.
    pub fn revoke(&self, ids: &[EntryId]) -> Result<(), StoreError> {
        let lines: Vec<_> = ids.iter().map(|&id| (id, Standing::Unknown)).collect();
        self.approvals.record_for_good(&lines, self.layout.root(), self.now)
    }

    /// Sets how texts stand: as they stood before an action that is taken back.
    pub fn restore(&self, lines: &[(EntryId, Standing)]) -> Result<(), StoreError> {
        self.approvals.record_for_good(lines, self.layout.root(), self.now)
    }

    fn record(&self, ids: &[EntryId], standing: Standing) -> Result<(), StoreError> {
        let lines: Vec<_> = ids.iter().map(|&id| (id, standing)).collect();
        self.approvals.record(&lines, self.layout.root(), self.now)
    }

    /// A memory as it is now; `None` if there is none of this name.
    fn look(&self, slug: &Slug) -> Result<Option<(Memory, Vec<Problem>)>, StoreError> {
        // An entry is whole in the spool until it is whole in its file. So a file that did not change
        // around a look at the spool makes, with what was seen there, the memory at that moment.
        let path = self.layout.memory(slug);
        let mut tries = 0;
        loop {
            let file = self.file(slug, MAX_FILE)?;
            let Waiting { parts, is_old } = spool::waiting(&spool::names(&self.layout.spool())?, slug, None)?;
            tries += 1;
            if tries < TRIES && (is_old || length(&path) != file.as_ref().map(|file| file.len() as u64)) {
                continue;
            }
            if file.is_none() && parts.is_empty() {
                return Ok(None);
            }
            return Ok(Some(self.memory(slug, file.unwrap_or_default(), &parts)));
        }
    }

    fn spooled(&self) -> Result<Spooled, StoreError> {
        let mut by_slug = Spooled::new();
        for part in spool::list(&self.layout.spool())?.records.into_iter().flat_map(|record| record.parts) {
            by_slug.entry(part.slug.clone()).or_default().push(part);
        }
        Ok(by_slug)
    }

    /// A memory made of a file's bytes and what is on its way into it, with what is wrong in them.
    fn memory(&self, slug: &Slug, file: Vec<u8>, parts: &[Part]) -> (Memory, Vec<Problem>) {
        let mut thread = match String::from_utf8(spool::without_halves(file, parts.iter())) {
            Ok(text) if text.is_empty() && !parts.is_empty() => Thread::default(),
            Ok(text) => rawko_core::parse(&text),
            Err(error) => Thread { entries: Vec::new(), problems: vec![walk::not_utf8(error.as_bytes())] },
        };
        // A text that is in the file as well counts once; one on its way stands below all that is there.
        for part in parts {
            let last = thread.entries.last().map_or(0, |found| found.line);
            let coming = rawko_core::parse(&part.text).entries.into_iter();
            thread.entries.extend(coming.map(|found| rawko_core::Found { line: last + found.line, ..found }));
        }
        let problems = std::mem::take(&mut thread.problems);
        (Memory::new(slug.clone(), thread, |id| self.approvals.standing(id), self.unknown), problems)
    }

    /// The memory that an entry of this title would join.
    pub fn titled(&self, title: &str) -> Result<Option<Memory>, StoreError> {
        let is_of =
            |memory: &Memory| memory.entries.iter().any(|known| known.entry.frontmatter.title == title);
        // Nearly always it has the name that its title makes.
        if let Ok(Some((memory, _))) = self.look(&Slug::from_title(title))
            && is_of(&memory)
        {
            return Ok(Some(memory));
        }
        let slug = match self.locate(title, "")? {
            Located::Existing { slug, .. } | Located::Free(slug) => slug,
        };
        // Behind a free name, entries may wait for their file.
        Ok(self.look(&slug)?.map(|(memory, _)| memory).filter(is_of))
    }

    /// Where an entry goes: to the memory that has its title, or to a free name.
    fn locate(&self, title: &str, text: &str) -> Result<Located, StoreError> {
        let first = Slug::from_title(title);
        for n in 1..=LAST_NUMBER {
            let slug = if n == 1 { first.clone() } else { first.numbered(n) };
            match self.existing(&slug, title, text) {
                Ok(Named::Free) => {
                    let filed = walk::elsewhere(&self.layout.memories(), &slug).filter(|_| n == 1);
                    let existing = filed.map(|filed| self.existing(&filed, title, text)).transpose()?;
                    return Ok(match existing {
                        Some(Named::Ours(located)) => located,
                        _ => Located::Free(slug),
                    });
                }
                Ok(Named::Ours(located)) => return Ok(located),
                Ok(Named::Taken) => {}
                // A link, a pipe, a huge file: none of ours, try the next name.
                Err(StoreError::NotPlain { .. }) => {}
                Err(error) if plain::is_too_large(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::NoName { last: first.numbered(LAST_NUMBER), first })
    }

    /// What a name stands for: ours if it has this title and an appended entry would be read as one.
    fn existing(&self, slug: &Slug, title: &str, text: &str) -> Result<Named, StoreError> {
        self.layout.check_folders(slug)?;
        // What still waits for a file that somebody removed joins the one that is made now.
        if plain::is_free(&self.layout.memory(slug)) {
            return Ok(Named::Free);
        }
        // The spool first: what is moved between the two looks is then seen twice, not never.
        let names = spool::names(&self.layout.spool())?;
        let Some(file) = self.file(slug, MAX_FILE)? else { return Ok(Named::Free) };
        let first = std::str::from_utf8(&file).ok().and_then(rawko_core::glance);
        let is_ours = match first {
            Some(first) if first.entry.frontmatter.title == title => true,
            _ => {
                let joins = spool::prefix(&file, spool::PROBE).is_some();
                let (memory, _) = self.memory(slug, file.clone(), &spool::waiting(&names, slug, None)?.parts);
                joins && memory.entries.iter().any(|known| known.entry.frontmatter.title == title)
            }
        };
        if !is_ours {
            return Ok(Named::Taken);
        }
        let waits = !spool::waiting(&names, slug, Some(text))?.parts.is_empty();
        let has_it = waits || spool::holds(slug, &file, text);
        if !has_it && !spool::has_room(file.len() as u64, text) {
            return Ok(Named::Taken);
        }
        Ok(Named::Ours(Located::Existing { slug: slug.clone(), has_it }))
    }

    /// Saves an entry in the spool alone where somebody else is writing: nobody waits, nobody looks twice.
    ///
    /// Whether its memory has the text already is asked by whoever moves it, and by every reader.
    fn leave_to_others(
        &self,
        title: &str,
        text: &str,
        channel: Channel,
    ) -> Result<Option<Saved>, StoreError> {
        let slug = Slug::from_title(title);
        let begins =
            || plain::head(&self.layout.memory(&slug), HEAD).and_then(|head| rawko_core::first_title(&head));
        self.layout.check_folders(&slug)?;
        let has_room = || spool::has_room(length(&self.layout.memory(&slug)).unwrap_or(0), text);
        if !matches!(Lock::try_take(&self.layout.lock()), Ok(None))
            || begins().is_none_or(|first| first != title)
            || !has_room()
        {
            return Ok(None);
        }
        let id = EntryId::of(&slug, text);
        self.record(&[id], Standing::Wrote(channel))?;
        let place = self.spool_and_go_on(Part::loose(&slug, text))?;
        Ok(Some(Saved { slug, id, place, is_new: false }))
    }

    /// Makes new memories of entries, as [`Store::append`] makes each, and waits for the disk once for many.
    ///
    /// `None` for an entry whose name is not free, or was not any more: what becomes of it is for `append` to say.
    pub fn create_all(&self, entries: &[Entry], channel: Channel) -> Result<Vec<Option<Saved>>, StoreError> {
        self.layout.create()?;
        let mut saved = Vec::with_capacity(entries.len());
        for entries in entries.chunks(TOGETHER) {
            saved.extend(self.create_some(entries, channel)?);
        }
        Ok(saved)
    }

    fn create_some(&self, entries: &[Entry], channel: Channel) -> Result<Vec<Option<Saved>>, StoreError> {
        let mut saved: Vec<Option<Saved>> = entries.iter().map(|_| None).collect();
        let (mut places, mut new) = (HashMap::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate() {
            let text = entry.to_text();
            if let Located::Free(slug) = self.locate(&entry.frontmatter.title, &text)?
                && !places.contains_key(&slug)
            {
                places.insert(slug.clone(), at);
                new.push((slug, text));
            }
        }
        let ids: Vec<EntryId> = new.iter().map(|(slug, text)| EntryId::of(slug, text)).collect();
        self.record(&ids, Standing::Wrote(channel))?;
        let created = self.create_together(&new)?;
        for ((slug, _), id) in
            new.into_iter().zip(ids).zip(created).filter_map(|(new, created)| created.then_some(new))
        {
            let at = places[&slug];
            saved[at] = Some(Saved { slug, id, place: Place::File, is_new: true });
        }
        Ok(saved)
    }

    /// The memory of this name, which must exist.
    fn named(&self, slug: &Slug, text: &str) -> Result<Located, StoreError> {
        let names = spool::names(&self.layout.spool())?;
        let waits = !spool::waiting(&names, slug, Some(text))?.parts.is_empty();
        let has_it = match self.file(slug, MAX_FILE)? {
            Some(file) => waits || spool::holds(slug, &file, text),
            None if waits || !spool::waiting(&names, slug, None)?.parts.is_empty() => waits,
            None => return Err(StoreError::Missing(slug.clone())),
        };
        Ok(Located::Existing { slug: slug.clone(), has_it })
    }
}

type Spooled = HashMap<Slug, Vec<Part>>;

/// Where an entry goes.
enum Located {
    /// To a memory that is there, and may have it already.
    Existing {
        slug: Slug,
        has_it: bool,
    },
    Free(Slug),
}

/// What a name stands for.
enum Named {
    Free,
    Ours(Located),
    Taken,
}

impl Store for FileStore {
    fn append(&self, entry: &Entry, target: &Target, channel: Channel) -> Result<Saved, StoreError> {
        self.layout.create()?;
        let text = entry.to_text();
        if !spool::has_room(0, &text) {
            let path = self.layout.memory(&Slug::from_title(&entry.frontmatter.title));
            return Err(StoreError::TooLong { path, bytes: text.len(), most: MAX_FILE as usize });
        }
        if *target == Target::Title
            && let Some(saved) = self.leave_to_others(&entry.frontmatter.title, &text, channel)?
        {
            return Ok(saved);
        }
        for _ in 0..100 {
            let located = match target {
                Target::Title => self.locate(&entry.frontmatter.title, &text)?,
                Target::Memory(slug) => self.named(slug, &text)?,
                Target::Name(slug) => match self.named(slug, &text) {
                    Err(StoreError::Missing(slug)) => Located::Free(slug),
                    located => located?,
                },
            };
            let (slug, has_it, is_new) = match located {
                Located::Existing { slug, has_it } => (slug, has_it, false),
                Located::Free(slug) => (slug, false, true),
            };
            let id = EntryId::of(&slug, &text);
            if has_it {
                self.make_last(&slug)?;
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
        let changed = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
        let last_move = changed(&self.layout.spool());
        let before = self.spooled()?;
        let Seen { mut files, mut problems, .. } = walk::memories(&self.layout.memories())?;
        let known: HashSet<&Slug> = files.iter().map(|(slug, _)| slug).collect();
        let spooled_only: Vec<_> = before.keys().filter(|slug| !known.contains(slug)).cloned().collect();
        files.extend(spooled_only.into_iter().map(|slug| (slug.clone(), self.layout.memory(&slug))));
        files.sort();
        let (lengths, mut read): (Vec<_>, Vec<_>) = walk::in_parallel(&files, |(slug, path)| {
            let parts = before.get(slug).map_or(&[][..], Vec::as_slice);
            match plain::read(path, MAX_FILE) {
                Ok(file) => {
                    let length = file.as_ref().map(|file| file.len() as u64);
                    (length, Ok(self.memory(slug, file.unwrap_or_default(), parts)))
                }
                Err(error) => (length(path), Err(error)),
            }
        })
        .into_iter()
        .unzip();
        // If anything was moved while we read, the files that grew since are looked at again. Their times would
        // not tell: a clock may be set back.
        let after = self.spooled()?;
        let moved = changed(&self.layout.spool()) != last_move;
        for (n, (slug, path)) in files.iter().enumerate() {
            if (after.contains_key(slug) || moved && length(path) != lengths[n])
                && let Some(again) = self.look(slug).transpose()
            {
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

/// How long a file is; `None` if there is none.
fn length(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|meta| meta.len())
}

/// A path for messages, relative to the project where that is possible.
pub fn shown(path: &Path, project: &Path) -> PathBuf {
    path.strip_prefix(project).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_title_whose_names_are_all_taken_is_told_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let first = Slug::from_title("Deploy");
        for slug in std::iter::once(first.clone()).chain((2..10_000).map(|n| first.numbered(n))) {
            std::os::unix::fs::symlink("nowhere", layout.memory(&slug)).expect("a name is taken");
        }
        let store = FileStore::project(layout, None, jiff::Timestamp::UNIX_EPOCH).expect("it opens");
        let error = store.locate("Deploy", "").map(drop).expect_err("no name is free");
        assert_eq!(error.to_string(), "every name for this title is taken, from `deploy` to `deploy-9999`");
    }
}
