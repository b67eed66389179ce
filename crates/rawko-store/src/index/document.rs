//! What the index keeps of a memory: a function of its file's text alone.
//!
//! Who wrote an entry, and what it is worth, is not here: approvals change
//! without any file changing, and an index must not vouch for anybody. So
//! every entry counts, whoever wrote it; by the ids of a document's entries it
//! is looked up, at each search, whether any may speak. What an agent is shown
//! is read again from its file, and judged by its trust, before it is used.

use std::path::Path;

use rawko_core::rank::{Analysed, Document};
use rawko_core::{Embedder, EntryId, Importance, Memory, Sketch, Slug, Standing, Status, Trigger, Trust};

use super::bytes::put_varint;
use super::bytes::{Cursor, Damage, put_text};
use crate::plain;

/// A memory as the index keeps it.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) slug: Slug,
    /// When the newest entry was found, in seconds since 1970.
    pub(super) time: i64,
    /// Whether it waits for a review or is out of use, by the newest word on that.
    pub(super) is_set_aside: bool,
    /// Whether an entry says that it is critical.
    pub(super) is_critical: bool,
    /// Slugs that an entry says it replaces.
    pub(super) supersedes: Vec<String>,
    pub(super) triggers: Vec<Trigger>,
    /// The ids of its entries: by these it is looked up who may be believed.
    pub(super) entries: Vec<EntryId>,
    /// What decides about its one entry, where it was read for an index and has but one.
    pub(super) sketch: Option<Sketch>,
    pub(super) read: Analysed,
}

/// Reads a memory's file; `None` if no good entry is in it.
pub(super) fn from_file(slug: &Slug, path: &Path, embedder: &Embedder<'_>) -> Option<Indexed> {
    let text = String::from_utf8(plain::read(path, plain::MAX_FILE).ok()??).ok()?;
    let thread = rawko_core::parse(&text);
    let sketch = match &thread.entries[..] {
        [only] => Some(Sketch::of(slug, only)),
        _ => None,
    };
    let memory = Memory::new(slug.clone(), thread, |_| Standing::Unknown, Trust::Imported);
    Some(Indexed { sketch, ..Indexed::of(&memory, embedder)? })
}

impl Indexed {
    /// Reads a memory; `None` if it has no entry.
    pub(super) fn of(memory: &Memory, embedder: &Embedder<'_>) -> Option<Self> {
        let fronts = || memory.entries.iter().map(|known| &known.entry.frontmatter);
        let newest = fronts().next_back()?;
        let mut triggers: Vec<Trigger> = Vec::new();
        let mut tags: Vec<&str> = Vec::new();
        let mut supersedes: Vec<String> = Vec::new();
        for front in fronts() {
            unite(&mut triggers, front.when_to_use.iter().cloned());
            unite(&mut tags, front.tags.iter().map(String::as_str));
            unite(&mut supersedes, front.supersedes.iter().cloned());
        }
        let time = newest.discovered_at.as_second();
        let is_critical = fronts().any(|front| front.importance == Importance::Critical);
        let is_set_aside =
            fronts().rev().find_map(|front| front.status).is_some_and(|now| now != Status::Active);
        let bodies: Vec<&str> = memory.entries.iter().rev().map(|known| known.entry.body.as_str()).collect();
        let found_in = fronts().rev().find_map(|front| front.discovered_in.as_deref());
        let lines: Vec<&str> = triggers.iter().map(words).chain(found_in).collect();
        let document = Document {
            title: &newest.title,
            triggers: &lines.join("\n"),
            tags: &tags.join(" "),
            body: &bodies.join("\n\n"),
        };
        let read = Analysed::of(&document, embedder);
        let entries = memory.entries.iter().map(|known| known.id).collect();
        let (slug, sketch) = (memory.slug.clone(), None);
        Some(Self { slug, time, is_set_aside, is_critical, supersedes, triggers, entries, sketch, read })
    }
}

fn unite<T: PartialEq>(all: &mut Vec<T>, more: impl Iterator<Item = T>) {
    for item in more {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

fn words(trigger: &Trigger) -> &str {
    match trigger {
        Trigger::Text(text)
        | Trigger::Pattern(text)
        | Trigger::Path(text)
        | Trigger::Command(text)
        | Trigger::Error(text) => text,
    }
}

/// A trigger's text and the code of its kind: an order for triggers that are otherwise equal.
pub(super) fn sort_key(trigger: &Trigger) -> (&str, u8) {
    let kind = match trigger {
        Trigger::Text(_) => 0,
        Trigger::Pattern(_) => 1,
        Trigger::Path(_) => 2,
        Trigger::Command(_) => 3,
        Trigger::Error(_) => 4,
    };
    (words(trigger), kind)
}

pub(super) fn put_triggers(out: &mut Vec<u8>, triggers: &[Trigger]) {
    put_varint(out, triggers.len() as u64);
    for trigger in triggers {
        let (text, kind) = sort_key(trigger);
        out.push(kind);
        put_text(out, text);
    }
}

pub(super) fn take_triggers(cursor: &mut Cursor<'_>) -> Result<Vec<Trigger>, Damage> {
    let count = cursor.count()?;
    (0..count)
        .map(|_| {
            let kind = cursor.u8()?;
            let text = cursor.text()?.to_owned();
            match kind {
                0 => Ok(Trigger::Text(text)),
                1 => Ok(Trigger::Pattern(text)),
                2 => Ok(Trigger::Path(text)),
                3 => Ok(Trigger::Command(text)),
                4 => Ok(Trigger::Error(text)),
                _ => Err(Damage("a code is unknown")),
            }
        })
        .collect()
}
