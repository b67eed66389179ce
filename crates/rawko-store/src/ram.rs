//! The in-memory twin, for tests and for stores that need not last.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rawko_core::{Channel, Entry, EntryId, Memory, SEPARATOR, Slug, Standing, Trust};

use crate::{Place, Reading, Saved, Store, StoreError, Target};

/// Memories in memory.
#[derive(Debug, Default)]
pub struct RamStore {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    files: BTreeMap<Slug, String>,
    standings: BTreeMap<EntryId, Standing>,
}

impl RamStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    fn memory(&self, slug: &Slug) -> Option<Memory> {
        let thread = rawko_core::parse(self.files.get(slug)?);
        let standing = |id: &EntryId| self.standings.get(id).copied().unwrap_or(Standing::Unknown);
        Some(Memory::new(slug.clone(), thread, standing, Trust::Imported))
    }

    /// The memory with this title, or the first free name.
    fn locate(&self, title: &str) -> Slug {
        let first = Slug::from_title(title);
        let names = std::iter::once(first.clone()).chain((2..).map(|n| first.numbered(n)));
        let has_title =
            |memory: &Memory| memory.entries.iter().any(|known| known.entry.frontmatter.title == title);
        names
            .into_iter()
            .find(|slug| self.memory(slug).is_none_or(|memory| has_title(&memory)))
            .unwrap_or(first)
    }
}

impl Store for RamStore {
    fn append(&self, entry: &Entry, target: &Target, channel: Channel) -> Result<Saved, StoreError> {
        self.with(|inner| {
            let slug = match target {
                Target::Title => inner.locate(&entry.frontmatter.title),
                Target::Memory(slug) if inner.files.contains_key(slug) => slug.clone(),
                Target::Name(slug) => slug.clone(),
                Target::Memory(slug) => return Err(StoreError::Missing(slug.clone())),
            };
            let text = entry.to_text();
            let id = EntryId::of(&slug, &text);
            let is_new = !inner.files.contains_key(&slug);
            if inner.memory(&slug).is_some_and(|memory| memory.entries.iter().any(|known| known.id == id)) {
                return Ok(Saved { slug, id, place: Place::Already, is_new });
            }
            let file = inner.files.entry(slug.clone()).or_default();
            if !file.is_empty() {
                file.push_str(SEPARATOR);
            }
            file.push_str(&text);
            inner.standings.insert(id, Standing::Wrote(channel));
            Ok(Saved { slug, id, place: Place::File, is_new })
        })
    }

    fn read(&self, slug: &Slug) -> Result<Memory, StoreError> {
        self.with(|inner| inner.memory(slug)).ok_or_else(|| StoreError::Missing(slug.clone()))
    }

    fn read_all(&self) -> Result<Reading, StoreError> {
        let memories = self.with(|inner| inner.files.keys().filter_map(|slug| inner.memory(slug)).collect());
        Ok(Reading { memories, problems: Vec::new() })
    }
}
