//! A project's store and the person's own, read together, the project first.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko_core::{Channel, Entry, EntryId, Importance, Memory, Slug, Status, entry_without_secrets};
use rawko_store::{FileProblem, FileStore, Layout, Saved, Store, StoreError, Target};

use crate::config::Config;
use crate::draft::stamp_after;

/// The time that everything in one run agrees on.
#[derive(Clone, Copy, Debug)]
pub struct Now(Timestamp);

impl Now {
    /// This very moment, as the caller's clock has it.
    pub fn at(time: Timestamp) -> Self {
        Self(time)
    }
}

/// Whose store a memory is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// The project's: `.rawko` in the project.
    Project,
    /// The person's own: `$RAWKO_HOME`.
    Person,
}

impl Whose {
    /// The word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Person => "person",
        }
    }
}

/// The stores that are in reach, with their settings.
#[derive(Debug)]
pub struct Engine {
    project: Option<FileStore>,
    person: Option<FileStore>,
    config: Config,
    now: Timestamp,
    /// Where it was opened from.
    start: PathBuf,
}

/// A memory, and whose it is.
#[derive(Clone, Debug)]
pub struct Found {
    /// Whose store it is in.
    pub whose: Whose,
    /// The memory.
    pub memory: Memory,
}

/// What reading all stores gives.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The memories, the project's first, by slug.
    pub memories: Vec<Found>,
    /// What is wrong with files.
    pub problems: Vec<FileProblem>,
}

/// Which memories to list: every condition that is set must hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Has all of these tags.
    pub tags: Vec<String>,
    /// Matters this much.
    pub importance: Option<Importance>,
    /// Stands here in its life.
    pub status: Option<Status>,
    /// Was found by this agent.
    pub agent: Option<String>,
    /// Has this text in its slug, title, triggers, tags or body, in any case.
    pub text: Option<String>,
}

impl Engine {
    /// Opens the project's store above `start`, where there is one, and the person's, where there is one.
    pub fn open(start: &Path, home: Option<&Path>, now: Now) -> Result<Self, StoreError> {
        match Layout::find(start, home) {
            Ok(layout) => Self::with(Some(layout), start, home, now),
            Err(StoreError::NoStore(_)) => Self::with(None, start, home, now),
            Err(error) => Err(error),
        }
    }

    /// Creates a project's store in `folder`, or opens the one that is there.
    pub fn create(folder: &Path, home: Option<&Path>, now: Now) -> Result<Self, StoreError> {
        let layout = Layout::at(folder.join(rawko_store::FOLDER));
        layout.create()?;
        Self::with(Some(layout), folder, home, now)
    }

    fn with(
        project: Option<Layout>,
        start: &Path,
        home: Option<&Path>,
        Now(now): Now,
    ) -> Result<Self, StoreError> {
        let project = project.map(|layout| FileStore::project(layout, home, now)).transpose()?;
        let person = home.map(|home| FileStore::personal(Layout::at(home), now)).transpose()?;
        let config = Config::of(person.as_ref(), project.as_ref())?;
        Ok(Self { project, person, config, now, start: start.to_owned() })
    }

    /// The folder that it was opened from.
    pub fn start(&self) -> &Path {
        &self.start
    }

    /// The time that this run agrees on.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The settings in force, and what was ignored.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// One of the stores, where it is in reach.
    pub fn store(&self, whose: Whose) -> Option<&FileStore> {
        match whose {
            Whose::Project => self.project.as_ref(),
            Whose::Person => self.person.as_ref(),
        }
    }

    /// The stores in reach, the project's first.
    pub fn stores(&self) -> impl Iterator<Item = (Whose, &FileStore)> {
        [Whose::Project, Whose::Person]
            .into_iter()
            .filter_map(|whose| self.store(whose).map(|store| (whose, store)))
    }

    /// Whose store takes what is new: the project's, where there is one.
    pub(crate) fn home(&self) -> Whose {
        self.stores().next().map_or(Whose::Person, |(whose, _)| whose)
    }

    /// The store that takes what is new.
    pub(crate) fn home_store(&self) -> Option<&FileStore> {
        self.store(self.home())
    }

    fn need(&self, whose: Whose) -> Result<&FileStore, StoreError> {
        self.store(whose).ok_or_else(|| StoreError::NoStore(Path::new(".").to_owned()))
    }

    /// Adds many entries, each as [`Engine::add`] does; those that make new memories wait for the disk together.
    pub fn add_all(
        &self,
        entries: &[Entry],
        whose: Whose,
        channel: Channel,
    ) -> Result<Vec<Saved>, StoreError> {
        let store = self.need(whose)?;
        let _ = store.layout().tell_git();
        let clean: Vec<Entry> = entries.iter().map(|entry| entry_without_secrets(entry).0).collect();
        let created = store.create_all(&clean, channel)?;
        let add = |(saved, entry): (Option<Saved>, &Entry)| match saved {
            Some(saved) if entry.frontmatter.supersedes.is_empty() => Ok(saved),
            _ => self.add(entry, whose, channel),
        };
        created.into_iter().zip(entries).map(add).collect()
    }

    /// Saves an entry to the memory that has its title, or as a new one.
    ///
    /// What it supersedes is told so, in an entry of its own, unless the new one is not in use itself yet. Secrets
    /// stay out of every field, whoever writes.
    pub fn add(&self, entry: &Entry, whose: Whose, channel: Channel) -> Result<Saved, StoreError> {
        let store = self.need(whose)?;
        let (mut entry, _) = entry_without_secrets(entry);
        if let Some(known) = store.titled(&entry.frontmatter.title)? {
            revive(&mut entry, &known);
        }
        let entry = &entry;
        // A clone does not bring this along, and a merge without it could weave entries together.
        let _ = store.layout().tell_git();
        let saved = store.append(entry, &Target::Title, channel)?;
        let replaced = entry.frontmatter.supersedes.iter().filter_map(|name| Slug::parse(name).ok());
        let replaced: Vec<Slug> = replaced.collect();
        if replaced.is_empty() || !is_in_use(&store.read(&saved.slug)?, &saved) {
            return Ok(saved);
        }
        for slug in replaced {
            match store.read(&slug) {
                Ok(memory) if slug != saved.slug => {
                    self.retire(&memory, &saved.slug, entry, whose, channel)?
                }
                Ok(_) | Err(StoreError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(saved)
    }

    /// Appends the word that a memory is replaced.
    fn retire(
        &self,
        old: &Memory,
        by: &Slug,
        entry: &Entry,
        whose: Whose,
        channel: Channel,
    ) -> Result<(), StoreError> {
        let Some(fold) = old.now().filter(|fold| fold.status != Status::Superseded) else { return Ok(()) };
        let mut front = entry.frontmatter.clone();
        front.title = fold.title.to_owned();
        front.when_to_use = fold.when_to_use.iter().map(|&trigger| trigger.clone()).collect();
        front.importance = fold.importance;
        front.status = Some(Status::Superseded);
        (front.tags, front.supersedes, front.evidence) = (Vec::new(), Vec::new(), serde_json::Value::Null);
        (front.related_memories, front.kind) = (vec![by.to_string()], None);
        // What the new memory's triggers must do, and what else it says of itself, is not the old one's.
        (front.should_fire, front.should_not_fire, front.extra) = Default::default();
        let word = Entry { frontmatter: front, body: String::new() };
        self.append(word, whose, &old.slug, channel).map(drop)
    }

    /// Saves an entry to an existing memory.
    ///
    /// A clock that jumped back must not make the new entry the older one, nor the same as one that said these words
    /// before: its time is after the memory's newest, unless it is that very entry.
    pub fn append(
        &self,
        entry: Entry,
        whose: Whose,
        slug: &Slug,
        channel: Channel,
    ) -> Result<Saved, StoreError> {
        let store = self.need(whose)?;
        let memory = store.read(slug)?;
        let (mut entry, _) = entry_without_secrets(&entry);
        revive(&mut entry, &memory);
        if let Some(last) = memory.entries.last() {
            let (newest, now) = (last.entry.frontmatter.discovered_at, entry.frontmatter.discovered_at);
            entry.frontmatter.discovered_at = newest.max(now);
            if EntryId::of(slug, &entry.to_text()) != last.id {
                entry.frontmatter.discovered_at = stamp_after(newest, now);
            }
        }
        store.append(&entry, &Target::Memory(slug.clone()), channel)
    }

    /// Finds a memory by name, the project's first.
    pub fn show(&self, slug: &Slug) -> Result<Found, StoreError> {
        for (whose, store) in self.stores() {
            match store.read(slug) {
                Ok(memory) => return Ok(Found { whose, memory }),
                Err(StoreError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Missing(slug.clone()))
    }

    /// Reads all memories that pass the filter.
    pub fn list(&self, filter: &Filter) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for (whose, store) in self.stores() {
            let reading = store.read_all()?;
            let passing = reading.memories.into_iter().filter(|memory| filter.takes(memory));
            listing.memories.extend(passing.map(|memory| Found { whose, memory }));
            listing.problems.extend(reading.problems);
        }
        Ok(listing)
    }
}

/// Whether a memory was taken out of use: cleared, deprecated or rejected.
pub(crate) fn is_retired(memory: &Memory) -> bool {
    memory.now().is_some_and(|fold| matches!(fold.status, Status::Deprecated | Status::Rejected))
}

/// A new text brings a memory back into use, as far as its writer's trust reaches: the fold sees to that.
fn revive(entry: &mut Entry, memory: &Memory) {
    let status = &mut entry.frontmatter.status;
    let is_out = is_retired(memory) || memory.is_doubted();
    if status.is_none() && !entry.body.trim().is_empty() && is_out {
        *status = Some(Status::Active);
    }
}

/// Whether what was saved speaks for itself, and does not wait for a person.
fn is_in_use(memory: &Memory, saved: &Saved) -> bool {
    memory.entries.iter().filter(|known| known.id == saved.id).any(|known| {
        known.waits().is_none() && known.entry.frontmatter.status.unwrap_or_default() == Status::Active
    })
}

impl Filter {
    /// Whether a memory fits.
    pub fn takes(&self, memory: &Memory) -> bool {
        let Some(fold) = memory.now() else { return false };
        let has = |text: &str, part: &str| text.to_lowercase().contains(part);
        self.tags.iter().all(|tag| fold.tags.iter().any(|known| known.eq_ignore_ascii_case(tag)))
            && self.importance.is_none_or(|importance| importance == fold.importance)
            && self.status.is_none_or(|status| status == fold.status)
            && self.agent.as_ref().is_none_or(|agent| fold.discovered_by.eq_ignore_ascii_case(agent))
            && self.text.as_ref().map(|text| text.to_lowercase()).is_none_or(|text| {
                has(memory.slug.as_str(), &text)
                    || has(fold.title, &text)
                    || fold.tags.iter().any(|tag| has(tag, &text))
                    || fold.when_to_use.iter().any(|trigger| has(trigger.text(), &text))
                    || fold.bodies.iter().any(|body| has(&body.text, &text))
            })
    }
}
