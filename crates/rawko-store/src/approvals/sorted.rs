//! A long record, sorted, so that what is known of a text is found without reading all.
//!
//! The record itself is a text that only grows. Beside it lies this table,
//! which says how the record stood when it was made: where it still stands so,
//! one look-up reads one small stretch; where it has only grown, what is new is
//! read from the record; where it is another text, the table is worth nothing.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use rawko_core::{EntryId, Standing};
use xxhash_rust::xxh3::xxh3_64;

use super::{Table, WORDS};
use crate::atomic::Temporary;
use crate::plain;

const MAGIC: &[u8; 8] = b"rawkoap1";
/// Bits of an id that lead to its stretch.
const BITS: u32 = 12;
const STRETCHES: usize = 1 << BITS;
/// Bytes of a line: an id, and the place of its word.
const LINE: usize = 17;
const HEAD: usize = 8 + 4 * 8;
const TABLE: usize = HEAD + (STRETCHES + 1) * 4;
/// Lines up to which all are read at once: a prompt asks for hundreds, and a call costs more than a page.
const FEW: usize = 32 * 1024;
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
    file: File,
    pub(super) stood: Stood,
    sum: u64,
    starts: Vec<u8>,
    /// All lines, where they are few.
    all: OnceLock<Option<Vec<u8>>>,
}

impl Sorted {
    /// The table beside a record, where there is one that can be read.
    pub(super) fn open(record: &Path) -> Option<Self> {
        let file = plain::open(&place(record), OpenOptions::new().read(true)).ok()?;
        let mut table = vec![0; TABLE];
        read_at(&file, &mut table, 0)?;
        let starts = table.split_off(HEAD);
        let number = |at: usize| table[8 + 8 * at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let stood = Stood { size: number(0)?, changed: number(1)?.cast_signed(), inode: number(2)? };
        let sum = number(3)?;
        table.starts_with(MAGIC).then_some(Self { file, stood, sum, starts, all: OnceLock::new() })
    }

    /// Whether this was made of a text that begins a record.
    pub(super) fn begins(&self, record: &[u8]) -> bool {
        record.get(..self.stood.size as usize).is_some_and(|begin| xxh3_64(begin) == self.sum)
    }

    /// What the record says of a text.
    pub(super) fn find(&self, id: &EntryId) -> Option<Standing> {
        let id = id.to_bytes();
        let stretch = stretch(&id);
        let (from, to) = (self.start(stretch)?, self.start(stretch + 1)?);
        let of = |lines: &[u8]| {
            let line = lines.as_chunks::<LINE>().0.iter().find(|line| line[..16] == id)?;
            WORDS.get(usize::from(line[16])).map(|(standing, _)| *standing)
        };
        match self.all.get_or_init(|| {
            self.start(STRETCHES).filter(|&all| all <= FEW).and_then(|all| self.lines(0, all))
        }) {
            Some(all) => of(all.get(from * LINE..to * LINE)?),
            None => of(&self.lines(from, to)?),
        }
    }

    /// The first line of a stretch.
    fn start(&self, stretch: usize) -> Option<usize> {
        self.starts.as_chunks().0.get(stretch).map(|start| u32::from_le_bytes(*start) as usize)
    }

    fn lines(&self, from: usize, to: usize) -> Option<Vec<u8>> {
        let mut lines = vec![0; to.checked_sub(from)? * LINE];
        read_at(&self.file, &mut lines, (TABLE + from * LINE) as u64)?;
        Some(lines)
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
        line[16] = WORDS.iter().position(|(word, _)| word == standing)? as u8;
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
    let temporary = Temporary::new(record.parent()?).ok()?;
    let mut file = BufWriter::new(temporary.handle().ok()?);
    file.write_all(&head).ok()?;
    file.write_all(lines.as_flattened()).ok()?;
    file.flush().ok()?;
    drop(file);
    temporary.rename(&place(record)).ok()
}

/// The stretch in which an id lies.
fn stretch(id: &[u8]) -> usize {
    usize::from(id[0]) << 4 | usize::from(id[1]) >> 4
}

fn place(record: &Path) -> PathBuf {
    record.with_extension("sorted")
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Option<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at).ok()
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> Option<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at) {
            Ok(0) | Err(_) => return None,
            Ok(read) => (bytes, at) = (&mut bytes[read..], at + read as u64),
        }
    }
    Some(())
}
