//! A long record, sorted, so that what is known of a text is found without reading all.
//!
//! The record itself is a text that only grows. Beside it lies this table,
//! which says how the record stood when it was made: where it still stands so,
//! one look-up reads one small stretch; where it has only grown, what is new is
//! read from the record; where it is another text, the table is worth nothing.
//! Its beginning and every stretch have a checksum: what a power cut or a bad
//! disk changed is noticed when it is read, and the record is read instead.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rawko_core::{EntryId, Standing};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Table, WORDS};
use crate::atomic::Temporary;
use crate::plain;

const MAGIC: &[u8; 8] = b"rawkoap3";
/// Bytes of an id.
const ID: usize = 16;
/// Bytes of a line: an id, and the place of its word, counted from 1.
const LINE: usize = ID + 1;
/// Lines of a stretch: with their checksum they have about a page.
const LINES: usize = 240;
/// Bytes of a checksum.
const SUM: usize = 8;
/// The magic, how the record stood, its checksum, and how many lines there are.
const HEAD: usize = 8 + 5 * 8;
/// Most lines of a table that is read.
const MOST: u64 = 1 << 26;
/// A record whose time is so near may have changed without its time.
const TICK: i64 = 2_000_000_000;

/// How a record stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stood {
    size: u64,
    changed: i64,
    inode: u64,
}

impl Stood {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        let since = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let changed = i64::try_from(since.as_nanos()).ok()?;
        let inode = std::os::unix::fs::MetadataExt::ino(&meta);
        Some(Self { size: meta.len(), changed, inode })
    }

    /// Whether the record may have changed since without its time showing it.
    fn is_recent(self) -> bool {
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        i128::from(self.changed) + i128::from(TICK) >= now as i128
    }

    pub(super) fn size(self) -> u64 {
        self.size
    }
}

/// A stretch is not what was written.
#[derive(Debug)]
pub(super) struct Damaged;

/// A sorted record.
#[derive(Debug)]
pub(super) struct Sorted {
    file: File,
    /// The first id of every stretch.
    fences: Vec<[u8; ID]>,
    lines: usize,
    pub(super) stood: Stood,
    sum: u64,
    /// Stretches that were read.
    read: Mutex<HashMap<usize, Vec<u8>>>,
}

impl Sorted {
    /// The table beside a record, where there is one whose beginning is whole.
    pub(super) fn open(record: &Path) -> Option<Self> {
        let file = plain::open(&place(record), OpenOptions::new().read(true)).ok()?;
        let mut begin = vec![0; HEAD];
        plain::read_at(&file, &mut begin, 0).ok()?;
        let number = |at: usize| begin[8 + 8 * at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let stood = Stood { size: number(0)?, changed: number(1)?.cast_signed(), inode: number(2)? };
        let (sum, lines) = (number(3)?, number(4)?);
        if !begin.starts_with(MAGIC) || lines > MOST {
            return None;
        }
        let lines = lines as usize;
        let stretches = lines.div_ceil(LINES);
        if file.metadata().ok()?.len() != (start(stretches, 0) + lines * LINE + stretches * SUM) as u64 {
            return None;
        }
        begin.resize(start(stretches, 0), 0);
        plain::read_at(&file, &mut begin[HEAD..], HEAD as u64).ok()?;
        let fences = whole(&begin, 0)?[HEAD..].as_chunks().0.to_vec();
        Some(Self { file, fences, lines, stood, sum, read: Mutex::default() })
    }

    /// Whether this was made of a text that begins a record.
    pub(super) fn begins(&self, record: &[u8]) -> bool {
        record.get(..self.stood.size as usize).is_some_and(|begin| xxh3_64(begin) == self.sum)
    }

    /// What the record says of a text.
    pub(super) fn find(&self, id: &EntryId) -> Result<Option<Standing>, Damaged> {
        let id = id.to_bytes();
        let Some(stretch) = self.fences.partition_point(|fence| *fence <= id).checked_sub(1) else {
            return Ok(None);
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let std::collections::hash_map::Entry::Vacant(place) = read.entry(stretch) {
            place.insert(self.stretch(stretch).ok_or(Damaged)?);
        }
        let lines = read[&stretch].as_chunks::<LINE>().0;
        let Ok(found) = lines.binary_search_by(|line| line[..ID].cmp(&id)) else { return Ok(None) };
        let word = usize::from(lines[found][ID]).checked_sub(1);
        word.and_then(|word| WORDS.get(word)).map(|(standing, _)| Some(*standing)).ok_or(Damaged)
    }

    /// How many texts it knows.
    pub(super) fn len(&self) -> usize {
        self.lines
    }

    /// All that it knows; `None` where any of it is not what was written.
    pub(super) fn ids(&self) -> Option<Vec<EntryId>> {
        let mut ids = Vec::with_capacity(self.lines);
        for stretch in 0..self.fences.len() {
            let bytes = self.stretch(stretch)?;
            let lines = bytes.as_chunks::<LINE>().0.iter();
            ids.extend(lines.filter_map(|line| line.first_chunk()).map(|id| EntryId::from_bytes(*id)));
        }
        Some(ids)
    }

    fn stretch(&self, stretch: usize) -> Option<Vec<u8>> {
        let lines = LINES.min(self.lines - stretch * LINES);
        let mut bytes = vec![0; lines * LINE + SUM];
        plain::read_at(&self.file, &mut bytes, start(self.fences.len(), stretch) as u64).ok()?;
        let length = whole(&bytes, stretch as u64 + 1)?.len();
        bytes.truncate(length);
        Some(bytes)
    }

    /// Keeps a record sorted for whoever comes next; what cannot be kept is not.
    pub(super) fn keep(record: &Path, text: &[u8], stood: Option<Stood>, known: &Table) {
        let Some(stood) = stood.filter(|stood| stood.size == text.len() as u64 && !stood.is_recent()) else {
            return;
        };
        let _ = write(record, xxh3_64(text), stood, known);
    }

    /// Removes the table beside a record: it is damaged.
    pub(super) fn remove(record: &Path) {
        let _ = std::fs::remove_file(place(record));
    }
}

/// Where a stretch begins.
fn start(stretches: usize, stretch: usize) -> usize {
    HEAD + stretches * ID + SUM + stretch * (LINES * LINE + SUM)
}

/// What stands before the checksum, where that fits.
fn whole(bytes: &[u8], seed: u64) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_last_chunk::<SUM>()?;
    (xxh3_64_with_seed(bytes, seed).to_le_bytes() == *sum).then_some(bytes)
}

fn write(record: &Path, sum: u64, stood: Stood, known: &Table) -> Option<()> {
    let mut lines: Vec<[u8; LINE]> = Vec::with_capacity(known.len());
    for (id, standing) in known {
        let mut line = [0; LINE];
        line[..ID].copy_from_slice(&id.to_bytes());
        line[ID] = WORDS.iter().position(|(word, _)| word == standing)? as u8 + 1;
        lines.push(line);
    }
    lines.sort_unstable();
    let mut out = MAGIC.to_vec();
    for number in [stood.size, stood.changed.cast_unsigned(), stood.inode, sum, lines.len() as u64] {
        out.extend(number.to_le_bytes());
    }
    lines.iter().step_by(LINES).for_each(|line| out.extend_from_slice(&line[..ID]));
    out.extend(xxh3_64_with_seed(&out, 0).to_le_bytes());
    for (lines, number) in lines.chunks(LINES).zip(1..) {
        out.extend_from_slice(lines.as_flattened());
        out.extend(xxh3_64_with_seed(lines.as_flattened(), number).to_le_bytes());
    }
    Temporary::write(record.parent()?, &out).ok()?.rename(&place(record)).ok()
}

fn place(record: &Path) -> PathBuf {
    record.with_extension("sorted")
}
