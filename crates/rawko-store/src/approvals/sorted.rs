//! A long record, sorted, so that what is known of a text is found without reading all.
//!
//! The record itself is a text that only grows. Beside it lies this table,
//! which says how the record stood when it was made: where it still stands so,
//! one look-up reads one small stretch; where it has only grown, what is new is
//! read from the record; where it is another text, the table is worth nothing.
//! It ends with a checksum over all of it: a table that a power cut or a bad
//! disk changed is no table, and the record is read instead.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rawko_core::{EntryId, Standing};
use xxhash_rust::xxh3::xxh3_64;

use super::{Table, WORDS};
use crate::atomic::Temporary;
use crate::plain;

const MAGIC: &[u8; 8] = b"rawkoap2";
/// Bits of an id that lead to its stretch.
const BITS: u32 = 12;
const STRETCHES: usize = 1 << BITS;
/// Bytes of a line: an id, and the place of its word, counted from 1.
const LINE: usize = 17;
const HEAD: usize = 8 + 4 * 8;
const TABLE: usize = HEAD + (STRETCHES + 1) * 4;
/// Bytes of the checksum at the end.
const SUM: usize = 8;
/// Largest table that is read, in bytes.
const MOST: u64 = 1 << 30;
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
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let inode = 0;
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

/// A sorted record.
#[derive(Debug)]
pub(super) struct Sorted {
    bytes: Vec<u8>,
    pub(super) stood: Stood,
    sum: u64,
}

impl Sorted {
    /// The table beside a record, where there is one that is whole.
    pub(super) fn open(record: &Path) -> Option<Self> {
        let mut bytes = plain::read(&place(record), MOST).ok()??;
        let sum = bytes.split_off(bytes.len().checked_sub(SUM)?);
        let is_whole = bytes.starts_with(MAGIC)
            && bytes.len() >= TABLE
            && (bytes.len() - TABLE).is_multiple_of(LINE)
            && xxh3_64(&bytes).to_le_bytes() == sum[..];
        let number = |at: usize| bytes[8 + 8 * at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        if !is_whole {
            return None;
        }
        let stood = Stood { size: number(0)?, changed: number(1)?.cast_signed(), inode: number(2)? };
        Some(Self { sum: number(3)?, stood, bytes })
    }

    /// Whether this was made of a text that begins a record.
    pub(super) fn begins(&self, record: &[u8]) -> bool {
        record.get(..self.stood.size as usize).is_some_and(|begin| xxh3_64(begin) == self.sum)
    }

    /// What the record says of a text.
    pub(super) fn find(&self, id: &EntryId) -> Option<Standing> {
        let id = id.to_bytes();
        let starts = self.bytes.get(HEAD..TABLE)?.as_chunks().0;
        let start = |at: usize| starts.get(at).map(|bytes| u32::from_le_bytes(*bytes) as usize);
        let stretch = stretch(&id);
        let lines = self.bytes.get(TABLE..)?.as_chunks::<LINE>().0;
        let line = lines.get(start(stretch)?..start(stretch + 1)?)?.iter().find(|line| line[..16] == id)?;
        // A zero says nothing: it is what a lost block holds.
        let word = usize::from(line[16]).checked_sub(1)?;
        WORDS.get(word).map(|(standing, _)| *standing)
    }

    /// Keeps a record sorted for whoever comes next; what cannot be kept is not.
    pub(super) fn keep(record: &Path, text: &[u8], stood: Option<Stood>, known: &Table) {
        let Some(stood) = stood.filter(|stood| stood.size == text.len() as u64 && !stood.is_recent()) else {
            return;
        };
        let _ = write(record, xxh3_64(text), stood, known);
    }
}

fn write(record: &Path, sum: u64, stood: Stood, known: &Table) -> Option<()> {
    let mut lines: Vec<[u8; LINE]> = Vec::with_capacity(known.len());
    for (id, standing) in known {
        let mut line = [0; LINE];
        line[..16].copy_from_slice(&id.to_bytes());
        line[16] = WORDS.iter().position(|(word, _)| word == standing)? as u8 + 1;
        lines.push(line);
    }
    lines.sort_unstable();
    let mut head = MAGIC.to_vec();
    for number in [stood.size, stood.changed.cast_unsigned(), stood.inode, sum] {
        head.extend(number.to_le_bytes());
    }
    for at in 0..=STRETCHES {
        let start = lines.partition_point(|line| stretch(line) < at);
        head.extend(u32::try_from(start).ok()?.to_le_bytes());
    }
    head.extend_from_slice(lines.as_flattened());
    head.extend(xxh3_64(&head).to_le_bytes());
    Temporary::write(record.parent()?, &head).ok()?.rename(&place(record)).ok()
}

/// The stretch in which an id lies.
fn stretch(id: &[u8]) -> usize {
    usize::from(id[0]) << 4 | usize::from(id[1]) >> 4
}

fn place(record: &Path) -> PathBuf {
    record.with_extension("sorted")
}
