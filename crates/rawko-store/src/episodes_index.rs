//! Which piece of an episodes' file may hold a word: derived, small, and never believed beyond its file.
//!
//! A file only grows, so a piece that is full stays as it is: its words are
//! put into a filter once, and what is behind the last full piece is read as
//! it is. Whoever puts another file in the place of one gives it another
//! identity, and the index starts anew. Deleted or damaged, it is made again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rawko_core::{Term, read_episode, terms};
use xxhash_rust::xxh3::xxh3_64;

use crate::atomic::{self, Temporary};
use crate::episodes::{each_piece, size};
use crate::error::StoreError;
use crate::layout::Layout;
use crate::plain;

/// Bytes of a full piece, about.
pub(crate) const PIECE: u64 = 256 * 1024;
/// Bytes of a piece's filter, and how many of its bits a word sets.
const FILTER: usize = 16 * 1024;
const BITS: u32 = 3;
/// Start, end, count, filter, and a sum over them.
const RECORD: usize = 8 + 8 + 4 + FILTER + 8;
const HEAD: usize = 8 + 8;
const MAGIC: &[u8; 8] = b"rkepis01";
/// Words whose terms are remembered.
const MOST_MET: usize = 100_000;
/// Largest index that is read: of 8 GiB of episodes.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// A part of a file that ends with a line.
pub(crate) struct Piece {
    pub(crate) path: PathBuf,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Lines in it.
    pub(crate) count: u32,
    /// Bits that its words set; empty where it is not known yet, and may hold anything.
    filter: Vec<u8>,
}

impl Piece {
    pub(crate) fn may_hold(&self, term: Term) -> bool {
        self.filter.is_empty() || bits(term).all(|bit| self.filter[bit / 8] & (1 << (bit % 8)) != 0)
    }

    fn of(path: &Path, start: u64, bytes: &[u8], met: &mut Met) -> Self {
        let mut filter = vec![0; FILTER];
        let mut count = 0;
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            count += 1;
            let Some(entry) = read_episode(line) else { continue };
            met.each_term(&entry.searched(), |term| {
                bits(term).for_each(|bit| filter[bit / 8] |= 1 << (bit % 8));
            });
        }
        Self { path: path.to_owned(), start, end: start + bytes.len() as u64, count, filter }
    }

    fn record(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(RECORD);
        bytes.extend(self.start.to_le_bytes());
        bytes.extend(self.end.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(&self.filter);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn read(path: &Path, record: &[u8]) -> Option<Self> {
        let (body, sum) = record.split_at_checked(RECORD - 8)?;
        let number = |at: usize| u64::from_le_bytes(body[at..at + 8].try_into().expect("eight bytes"));
        let count = u32::from_le_bytes(body[16..20].try_into().expect("four bytes"));
        let fits = xxh3_64(body).to_le_bytes() == *sum && number(0) < number(8);
        fits.then(|| Self {
            path: path.to_owned(),
            start: number(0),
            end: number(8),
            count,
            filter: body[20..].to_vec(),
        })
    }
}

/// The terms of words that were met before: finding a word's stem takes most of the time, and few words are new.
#[derive(Default)]
struct Met(HashMap<u64, Vec<Term>>);

impl Met {
    /// Hands over every term of a text, some of them often; none reaches across a blank.
    fn each_term(&mut self, text: &str, mut take: impl FnMut(Term)) {
        if self.0.len() > MOST_MET {
            self.0.clear();
        }
        for word in text.split_whitespace() {
            let known = self.0.entry(xxh3_64(word.as_bytes())).or_insert_with(|| terms(word));
            known.iter().copied().for_each(&mut take);
        }
    }
}

fn bits(term: Term) -> impl Iterator<Item = usize> {
    let hash = xxh3_64(&term.0.to_le_bytes());
    (0..BITS).map(move |n| (hash >> (n * 20)) as usize % (FILTER * 8))
}

/// The pieces of a file, oldest first: full ones by the index, which is brought up to date, and what is behind.
pub(crate) fn pieces(layout: &Layout, path: &Path) -> Result<Vec<Piece>, StoreError> {
    let length = size(path);
    let mut known = read(layout, path).unwrap_or_default();
    if known.last().is_some_and(|last| last.end > length) {
        known.clear();
    }
    let before = known.len();
    let start = known.last().map_or(0, |last| last.end);
    let (mut rest, mut met): (Option<Piece>, Met) = (None, Met::default());
    each_piece(path, (start, length), |at, bytes| {
        if rest.is_none() && bytes.ends_with(b"\n") && at + PIECE <= length {
            known.push(Piece::of(path, at, bytes, &mut met));
        } else {
            let count = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count() as u32;
            let end = at + bytes.len() as u64;
            match &mut rest {
                Some(rest) => (rest.end, rest.count) = (end, rest.count + count),
                None => {
                    rest = Some(Piece { path: path.to_owned(), start: at, end, count, filter: Vec::new() });
                }
            }
        }
        Ok(())
    })?;
    if known.len() > before {
        // Without it the next search is slower, and no answer changes.
        let _ = write(layout, path, &known);
    }
    known.extend(rest);
    Ok(known)
}

fn name(layout: &Layout, path: &Path) -> Option<PathBuf> {
    Some(layout.cache().join(path.file_stem()?))
}

fn read(layout: &Layout, path: &Path) -> Option<Vec<Piece>> {
    let bytes = plain::read(&name(layout, path)?, MOST_BYTES).ok()??;
    let (head, records) = bytes.split_at_checked(HEAD)?;
    if head[..8] != MAGIC[..] || head[8..] != identity(path)?.to_le_bytes() {
        return None;
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for record in records.chunks_exact(RECORD) {
        let piece = Piece::read(path, record)?;
        if piece.start != pieces.last().map_or(0, |last| last.end) {
            return None;
        }
        pieces.push(piece);
    }
    Some(pieces)
}

fn write(layout: &Layout, path: &Path, pieces: &[Piece]) -> Result<(), StoreError> {
    let (Some(to), Some(identity)) = (name(layout, path), identity(path)) else { return Ok(()) };
    let mut bytes = MAGIC.to_vec();
    bytes.extend(identity.to_le_bytes());
    pieces.iter().for_each(|piece| bytes.extend(piece.record()));
    atomic::make_folder(layout.root(), &layout.cache())?;
    Temporary::write(&layout.cache(), &bytes)?.rename(&to)
}

/// Tells a file from another that took its name.
fn identity(path: &Path) -> Option<u64> {
    let meta = path.symlink_metadata().ok().filter(|meta| meta.is_file())?;
    let made = meta.created().ok().and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    let mut text = made.map_or(0, |since| since.as_nanos()).to_le_bytes().to_vec();
    #[cfg(unix)]
    text.extend(std::os::unix::fs::MetadataExt::ino(&meta).to_le_bytes());
    // The first line stays the first line as long as the file only grows.
    text.extend(plain::head(path, 256).unwrap_or_default().split('\n').next()?.as_bytes());
    Some(xxh3_64(&text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn word_by_word_a_text_has_the_same_terms() {
        let text = "Tried `retryQueue` in src/auth/mod.rs:12, C++ and C# \u{a0}builds\tfailed; it's retry_queue\n                    \u{914d}\u{7f6e}\u{6587} caf\u{e9} {\"kind\":\"note\",\"agent\":\"mara b\"} 10.4.1 \u{3000}end";
        let mut met = Met::default();
        for _ in 0..2 {
            let mut found = BTreeSet::new();
            met.each_term(text, |term| {
                found.insert(term);
            });
            assert_eq!(found, terms(text).into_iter().collect());
        }
    }
}
