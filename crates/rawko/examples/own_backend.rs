//! A backend of your own: keep the promises of [`Store`], and check them with the contract.
//!
//! Run it with `cargo run -p rawko --example own_backend`.

use std::sync::{Mutex, PoisonError};

use rawko::store::{Reading, contract};
use rawko::{
    Channel, Entry, EntryId, Memory, Place, Saved, Slug, Standing, Store, StoreError, Target, Trust,
};

/// Entries in one list, in the order in which they came. A memory is what has its name.
#[derive(Default)]
struct OneList(Mutex<Vec<(Slug, String, Channel)>>);

impl OneList {
    /// The memory of this name: its texts, read as one file, with what each is worth.
    fn memory(list: &[(Slug, String, Channel)], slug: &Slug) -> Option<Memory> {
        let own: Vec<_> = list.iter().filter(|(name, ..)| name == slug).collect();
        let mut thread = rawko::core::Thread::default();
        own.iter().for_each(|(_, text, _)| thread.entries.extend(rawko::core::parse(text).entries));
        let standing = |id: &EntryId| {
            let wrote = own.iter().find(|(name, text, _)| EntryId::of(name, text) == *id);
            wrote.map_or(Standing::Unknown, |(.., channel)| Standing::Wrote(*channel))
        };
        (!own.is_empty()).then(|| Memory::new(slug.clone(), thread, standing, Trust::Imported))
    }

    /// Where an entry goes: to the memory that has its title, or to the first free name.
    fn place(list: &[(Slug, String, Channel)], title: &str) -> Slug {
        let first = Slug::from_title(title);
        let mut names = std::iter::once(first.clone()).chain((2..).map(|n| first.numbered(n)));
        let fits = |slug: &Slug| {
            let memory = Self::memory(list, slug);
            memory.is_none_or(|memory| {
                memory.entries.iter().any(|known| known.entry.frontmatter.title == title)
            })
        };
        names.find(fits).unwrap_or(first)
    }
}

impl Store for OneList {
    fn append(&self, entry: &Entry, target: &Target, channel: Channel) -> Result<Saved, StoreError> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slug = match target {
            Target::Title => Self::place(&list, &entry.frontmatter.title),
            Target::Memory(slug) | Target::Name(slug) => slug.clone(),
        };
        let is_new = Self::memory(&list, &slug).is_none();
        if is_new && matches!(target, Target::Memory(_)) {
            return Err(StoreError::Missing(slug));
        }
        let text = entry.to_text();
        let id = EntryId::of(&slug, &text);
        // The same text for the same memory twice is one entry.
        if list.iter().any(|(name, text, _)| EntryId::of(name, text) == id) {
            return Ok(Saved { slug, id, place: Place::Already, is_new });
        }
        list.push((slug.clone(), text, channel));
        Ok(Saved { slug, id, place: Place::File, is_new })
    }

    fn read(&self, slug: &Slug) -> Result<Memory, StoreError> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self::memory(&list, slug).ok_or_else(|| StoreError::Missing(slug.clone()))
    }

    fn read_all(&self) -> Result<Reading, StoreError> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<&Slug> = list.iter().map(|(slug, ..)| slug).collect();
        names.sort();
        names.dedup();
        let memories = names.into_iter().filter_map(|slug| Self::memory(&list, slug)).collect();
        Ok(Reading { memories, problems: Vec::new() })
    }
}

fn main() {
    contract::keeps_the_contract(OneList::default);
    println!("The list keeps every promise of a store.");
}

#[test]
fn the_list_keeps_the_contract() {
    main();
}
