//! Builds the index anew, for whoever comes next.
//!
//! One process builds, nobody waits for it, and readers keep the file that
//! they have open. Files are read in lots, so that no more than a lot of
//! parsed memories is in memory at a time. What changes meanwhile is noted in
//! the log or shows in file times: building starts by looking at both.

use std::path::PathBuf;
use std::time::Duration;

use rawko_core::rank::Statistics;
use rawko_core::{Embedder, Literals, Slug, Term};

use super::base::{Record, head_of, key_of};
use super::bytes::put_text;
use super::document::{self, Indexed};
use super::key::Key;
use super::pages::{About, Section, Writer};
use super::stamp::{self, Stamp};
use super::{card, forward, literals, notes, table, terms};
use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::lock::Lock;
use crate::walk;
use crate::{FileStore, Layout};

/// How many files are read together.
const LOT: usize = 1024;

/// Memories beyond which a store is large.
const LARGE: usize = 16 * 1024;

/// Bits of the numbers of sentences' vectors that a large store does without: 100,000 memories fit 256 MB.
const DROPPED: u32 = 2;

/// What became of a wish to rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// A new index of so many memories is in place.
    Done(usize),
    /// Another process is at it.
    Busy,
}

pub(super) fn index_path(layout: &Layout) -> PathBuf {
    layout.cache().join("index")
}

/// Builds the index of a store.
pub(super) fn rebuild(
    store: &FileStore,
    key: &Key,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Rebuilt, StoreError> {
    let layout = store.layout();
    let cache = layout.cache();
    layout.create()?;
    atomic::make_folder(layout.root(), &cache)?;
    let Some(_lock) = Lock::try_take(&cache.join("lock"))? else { return Ok(Rebuilt::Busy) };
    atomic::sweep(&cache, Duration::ZERO);
    let (log, log_offset) = notes::begin(&cache)?;
    let built = stamp::now();
    let mut seen = walk::memories(&layout.memories())?;
    seen.files.sort();
    let path = index_path(layout);
    let temporary = Temporary::new(&cache)?;
    let embedder = Embedder::built_in();
    let mut building = Building::new(Writer::new(temporary.handle()?, key).at("write", &path)?);
    let total = seen.files.len();
    let dropped = if total > LARGE { DROPPED } else { 0 };
    for (lot, files) in seen.files.chunks(LOT).enumerate() {
        progress(lot * LOT, total);
        for read in walk::in_parallel(files, |(slug, path)| Read::of(slug, path, &embedder, dropped)) {
            building.add(read).at("write", &path)?;
        }
    }
    let about = About { model: embedder.model_id(), built, log, log_offset, ..About::default() };
    let memories = building.finish(about, &seen.folders, key).at("write", &path)?;
    temporary.rename(&path)?;
    progress(total, total);
    Ok(Rebuilt::Done(memories))
}

/// A file, read by one of several threads.
struct Read {
    slug: Slug,
    stamp: Stamp,
    /// `None`: it has no good entry.
    found: Option<(Indexed, Vec<u8>, Vec<Literals>)>,
}

impl Read {
    fn of(slug: &Slug, path: &std::path::Path, embedder: &Embedder<'_>, dropped: u32) -> Self {
        // The stamp is older than the text: a change in between shows as a change.
        let stamp = Stamp::of(path);
        let found = document::from_file(slug, path, embedder).map(|indexed| {
            let record = forward::encode(&indexed, dropped);
            let asked = literals::asked(&indexed.triggers);
            (indexed, record, asked)
        });
        Self { slug: slug.clone(), stamp, found }
    }
}

/// An index under way: records go straight to disk, tables wait in memory.
struct Building {
    writer: Writer,
    statistics: Statistics,
    forward_at: u64,
    docs: Vec<u8>,
    count: u32,
    slugs: Vec<u8>,
    heads: Vec<u8>,
    starts: Vec<u8>,
    passages: u32,
    signs: Vec<u8>,
    vectors: Vec<u8>,
    cards: Vec<u8>,
    places: Vec<u8>,
    ids: Vec<(u64, u64)>,
    replaced: Vec<(u64, u64)>,
    critical: Vec<u8>,
    terms: terms::Collected,
    literals: literals::Collected,
}

impl Building {
    fn new(writer: Writer) -> Self {
        Self {
            writer,
            statistics: Statistics::default(),
            forward_at: 0,
            docs: Vec::new(),
            count: 0,
            slugs: Vec::new(),
            heads: Vec::new(),
            starts: Vec::new(),
            passages: 0,
            signs: Vec::new(),
            vectors: Vec::new(),
            cards: Vec::new(),
            places: Vec::new(),
            ids: Vec::new(),
            replaced: Vec::new(),
            critical: Vec::new(),
            terms: terms::Collected::default(),
            literals: literals::Collected::default(),
        }
    }

    fn add(&mut self, file: Read) -> std::io::Result<()> {
        let doc = self.count;
        let mut record = Record {
            slug_at: self.slugs.len() as u32,
            slug_length: file.slug.as_str().len() as u32,
            forward_at: self.forward_at,
            forward_length: 0,
            stamp: file.stamp,
        };
        let mut lengths = None;
        self.slugs.extend(file.slug.as_str().as_bytes());
        self.starts.extend(self.passages.to_le_bytes());
        self.put_place()?;
        if let Some((indexed, forward, asked)) = file.found {
            record.forward_length = forward.len() as u32;
            self.forward_at += forward.len() as u64;
            self.writer.put(&forward)?;
            lengths = Some(indexed.read.lengths);
            for passage in &indexed.read.passages {
                self.signs.extend(passage.vector.signs().iter().flat_map(|bits| bits.to_le_bytes()));
                self.vectors.extend(passage.vector.as_array().iter().map(|&number| number as u8));
                self.passages += 1;
            }
            let sketch = indexed.sketch.as_ref();
            self.cards.extend(card::encode(file.stamp, indexed.time, &file.slug, &indexed.entries, sketch));
            self.ids.extend(indexed.entries.iter().map(|id| (key_of(*id), u64::from(doc))));
            let replaced = indexed.supersedes.iter().map(|slug| (Term::of(slug).0, u64::from(doc)));
            self.replaced.extend(replaced);
            if indexed.is_critical {
                self.critical.extend(doc.to_le_bytes());
            }
            self.statistics.add(&indexed.read);
            self.terms.add(doc, &indexed.read);
            self.literals.add(doc, indexed.triggers, asked);
        }
        self.docs.extend(record.to_bytes());
        self.heads.extend(head_of(lengths));
        self.count += 1;
        Ok(())
    }

    /// Notes where the next card begins.
    fn put_place(&mut self) -> std::io::Result<()> {
        let at = u32::try_from(self.cards.len()).map_err(std::io::Error::other)?;
        self.places.extend(at.to_le_bytes());
        Ok(())
    }

    fn finish(mut self, about: About, folders: &[(String, i64)], key: &Key) -> std::io::Result<usize> {
        self.starts.extend(self.passages.to_le_bytes());
        self.put_place()?;
        self.replaced.sort_unstable();
        let mut writer = self.writer;
        writer.end(Section::Forward)?;
        let tables = [
            (Section::Docs, self.docs),
            (Section::Slugs, self.slugs),
            (Section::Heads, self.heads),
            (Section::Starts, self.starts),
            (Section::Signs, self.signs),
            (Section::Vectors, self.vectors),
        ];
        for (section, bytes) in tables {
            writer.put(&bytes)?;
            writer.end(section)?;
        }
        self.terms.write(&mut writer)?;
        self.literals.write(&mut writer)?;
        writer.put(&self.cards)?;
        writer.end(Section::Cards)?;
        writer.put(&self.places)?;
        writer.end(Section::Places)?;
        self.ids.sort_unstable();
        table::write(&mut writer, Section::Ids, &self.ids)?;
        table::write(&mut writer, Section::Replaced, &self.replaced)?;
        writer.put(&self.critical)?;
        writer.end(Section::Critical)?;
        let mut listed = Vec::new();
        for (folder, time) in folders {
            put_text(&mut listed, folder);
            listed.extend(time.to_le_bytes());
        }
        writer.put(&listed)?;
        writer.end(Section::Folders)?;
        writer.finish(&About { docs: self.count, statistics: self.statistics, ..about }, key)?;
        Ok(self.statistics.documents as usize)
    }
}
