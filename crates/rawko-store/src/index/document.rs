//! What the index keeps of a memory: a function of its file's text alone.
//!
//! Who wrote an entry, and what it is worth, is not here: approvals change
//! without any file changing, and an index must not vouch for anybody. So
//! every entry counts, whoever wrote it. What is found is read again from its
//! file, and judged by its trust, before it is used.

use std::path::Path;

use rawko_core::rank::{Analysed, Document};
use rawko_core::{Embedder, Importance, Kind, Memory, Slug, Standing, Status, Trigger, Trust};

use super::bytes::put_varint;
use super::bytes::{Cursor, Damage, put_text};
use crate::plain;

/// What a memory's file says of it, whoever wrote that: hints, to be checked before use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The highest importance that an entry gives.
    pub importance: Importance,
    /// What the newest entry that gives a status says.
    pub status: Status,
    /// What the newest entry that gives a kind says.
    pub kind: Kind,
    /// When the newest entry was found, in seconds since 1970.
    pub discovered_at: i64,
    /// Slugs that an entry says it replaces.
    pub supersedes: Vec<String>,
}

/// A memory as the index keeps it.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) slug: Slug,
    pub(super) facts: Facts,
    pub(super) triggers: Vec<Trigger>,
    pub(super) read: Analysed,
}

/// Reads a memory's file; `None` if no good entry is in it.
pub(super) fn from_file(slug: &Slug, path: &Path, embedder: &Embedder<'_>) -> Option<Indexed> {
    let text = String::from_utf8(plain::read(path, plain::MAX_FILE).ok()??).ok()?;
    let thread = rawko_core::parse(&text);
    let memory = Memory::new(slug.clone(), thread, |_| Standing::Unknown, Trust::Imported);
    Indexed::of(&memory, embedder)
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
        let facts = Facts {
            importance: fronts().map(|front| front.importance).max().unwrap_or(newest.importance),
            status: fronts().rev().find_map(|front| front.status).unwrap_or_default(),
            kind: fronts().rev().find_map(|front| front.kind).unwrap_or_default(),
            discovered_at: newest.discovered_at.as_second(),
            supersedes,
        };
        let bodies: Vec<&str> = memory.entries.iter().rev().map(|known| known.entry.body.as_str()).collect();
        let lines: Vec<&str> = triggers.iter().map(words).collect();
        let document = Document {
            title: &newest.title,
            triggers: &lines.join("\n"),
            tags: &tags.join(" "),
            body: &bodies.join("\n\n"),
        };
        let read = Analysed::of(&document, embedder);
        Some(Self { slug: memory.slug.clone(), facts, triggers, read })
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

const IMPORTANCE: [Importance; 4] =
    [Importance::Low, Importance::Medium, Importance::High, Importance::Critical];
const STATUS: [Status; 5] =
    [Status::Active, Status::Pending, Status::Deprecated, Status::Superseded, Status::Rejected];
const KIND: [Kind; 2] = [Kind::Knowledge, Kind::Procedure];

impl Facts {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(code(&IMPORTANCE, &self.importance));
        out.push(code(&STATUS, &self.status));
        out.push(code(&KIND, &self.kind));
        out.extend(self.discovered_at.to_le_bytes());
        put_varint(out, self.supersedes.len() as u64);
        self.supersedes.iter().for_each(|slug| put_text(out, slug));
    }

    pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(Self {
            importance: decode(&IMPORTANCE, cursor.u8()?)?,
            status: decode(&STATUS, cursor.u8()?)?,
            kind: decode(&KIND, cursor.u8()?)?,
            discovered_at: cursor.i64()?,
            supersedes: (0..cursor.count()?)
                .map(|_| cursor.text().map(str::to_owned))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn code<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|known| known == one).map_or(0, |at| at as u8)
}

fn decode<T: Copy>(all: &[T], code: u8) -> Result<T, Damage> {
    all.get(usize::from(code)).copied().ok_or(Damage("a code is unknown"))
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
