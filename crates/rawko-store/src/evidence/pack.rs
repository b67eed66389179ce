//! One pack of git objects and its index (version 2).
//!
//! The index may be as large as the repository's history, so it is searched
//! with small reads and never loaded.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use super::index::variable;
use super::objects::{Format, Id, Kind, LARGEST_OBJECT, Object};

/// Longest chain of deltas that is followed; git itself makes 50, at most 4095.
const MOST_DELTAS: usize = 4_096;
const FANOUT: u64 = 8;
const NAMES: u64 = FANOUT + 4 * 256;

/// A pack and its index, opened when they are asked.
pub(super) struct Pack {
    index: PathBuf,
    pack: PathBuf,
    format: Format,
}

impl Pack {
    /// The packs of a folder, in the order of their names.
    pub(super) fn all(folder: &Path, format: Format) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut indexes: Vec<PathBuf> = plain
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "idx"))
            .collect();
        indexes.sort();
        let pack = |index: PathBuf| Self { pack: index.with_extension("pack"), index, format };
        let is_plain = |pack: &Self| fs::symlink_metadata(&pack.pack).is_ok_and(|m| m.is_file());
        indexes.into_iter().map(pack).filter(is_plain).collect()
    }

    /// Where an object begins in the pack.
    pub(super) fn offset(&self, id: Id) -> Option<u64> {
        let mut index = File::open(&self.index).ok()?;
        if read_at::<8>(&mut index, 0)? != *b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let first = u64::from(id.as_bytes()[0]);
        let mut number = |at: u64| read_at::<4>(&mut index, at).map(|b| u64::from(u32::from_be_bytes(b)));
        let total = number(FANOUT + 4 * 255)?;
        let mut low = if first == 0 { 0 } else { number(FANOUT + 4 * (first - 1))? };
        let mut high = number(FANOUT + 4 * first)?.min(total);
        while low < high {
            let middle = low.midpoint(high);
            match self.name_at(&mut index, middle)?.cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset_at(&mut index, middle, total),
            }
        }
        None
    }

    /// The first object whose name starts with these hexadecimal digits, at least two.
    pub(super) fn starting(&self, digits: &str) -> Option<Id> {
        let mut index = File::open(&self.index).ok()?;
        if read_at::<8>(&mut index, 0)? != *b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let first = u64::from(u8::from_str_radix(digits.get(..2)?, 16).ok()?);
        let mut number = |at: u64| read_at::<4>(&mut index, at).map(|b| u64::from(u32::from_be_bytes(b)));
        let mut low = if first == 0 { 0 } else { number(FANOUT + 4 * (first - 1))? };
        let mut high = number(FANOUT + 4 * first)?;
        let end = high;
        while low < high {
            let middle = low.midpoint(high);
            let name = self.name_at(&mut index, middle)?;
            if name.to_string().as_str() < digits { low = middle + 1 } else { high = middle }
        }
        let name = (low < end).then(|| self.name_at(&mut index, low)).flatten()?;
        name.to_string().starts_with(digits).then_some(name)
    }

    /// The name with this place in the index.
    fn name_at(&self, index: &mut File, place: u64) -> Option<Id> {
        self.id_at(index, NAMES + self.format.bytes() as u64 * place)
    }

    fn id_at(&self, file: &mut File, at: u64) -> Option<Id> {
        match self.format {
            Format::Sha1 => read_at::<20>(file, at).map(|name| Id::new(&name)),
            Format::Sha256 => read_at::<32>(file, at).map(|name| Id::new(&name)),
        }
    }

    /// Looks up the offset of the object with this place in the index.
    fn offset_at(&self, index: &mut File, place: u64, total: u64) -> Option<u64> {
        // Behind the names, four bytes each, stand their checksums.
        let offsets = NAMES + (self.format.bytes() as u64 + 4) * total;
        let offset = u32::from_be_bytes(read_at::<4>(index, offsets + 4 * place)?);
        if offset & 0x8000_0000 == 0 {
            return Some(u64::from(offset));
        }
        let large = offsets + 4 * total + 8 * u64::from(offset & 0x7fff_ffff);
        read_at::<8>(index, large).map(u64::from_be_bytes)
    }

    /// The object at `offset`; `base` gives those that it names as its base.
    pub(super) fn object(
        &self,
        offset: u64,
        depth: usize,
        base: &dyn Fn(Id, usize) -> Option<Object>,
    ) -> Option<Object> {
        let mut pack = File::open(&self.pack).ok()?;
        let mut deltas: Vec<Vec<u8>> = Vec::new();
        let mut at = offset;
        let (kind, mut bytes) = loop {
            if depth + deltas.len() > MOST_DELTAS {
                return None;
            }
            let head = Head::read(&mut pack, at)?;
            let from = at + head.length as u64;
            match head.kind {
                1 => break (Kind::Commit, inflate(&mut pack, from, head.size)?),
                2 => break (Kind::Tree, inflate(&mut pack, from, head.size)?),
                3 => break (Kind::Blob, inflate(&mut pack, from, head.size)?),
                4 => break (Kind::Tag, inflate(&mut pack, from, head.size)?),
                6 => {
                    let (back, end) = variable(&head.bytes, head.length)?;
                    deltas.push(inflate(&mut pack, at + end as u64, head.size)?);
                    at = at.checked_sub(back as u64).filter(|base| back > 0 && *base >= 12)?;
                }
                7 => {
                    let id = self.id_at(&mut pack, from)?;
                    deltas.push(inflate(&mut pack, from + self.format.bytes() as u64, head.size)?);
                    // Each named base costs a fresh look, so a circle of them ends soon.
                    break base(id, depth + deltas.len() + MOST_DELTAS / 64)?;
                }
                _ => return None,
            }
        };
        for delta in deltas.iter().rev() {
            bytes = apply(&bytes, delta)?;
        }
        Some((kind, bytes))
    }
}

/// The first bytes of a packed object.
struct Head {
    kind: u8,
    size: usize,
    /// How many bytes kind and size take.
    length: usize,
    bytes: Vec<u8>,
}

impl Head {
    fn read(pack: &mut File, at: u64) -> Option<Self> {
        pack.seek(SeekFrom::Start(at)).ok()?;
        let mut bytes = Vec::with_capacity(32);
        pack.take(32).read_to_end(&mut bytes).ok()?;
        let first = *bytes.first()?;
        let (size, length) = if first & 0x80 == 0 { (0, 1) } else { little(&bytes, 1)? };
        let size = size.checked_mul(16)? | usize::from(first & 15);
        (size <= LARGEST_OBJECT).then_some(Self { kind: first >> 4 & 7, size, length, bytes })
    }
}

/// A number, seven bits a byte, lowest first; and where it ends.
fn little(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let (mut value, mut shift) = (0_usize, 0);
    loop {
        let byte = *bytes.get(at)?;
        value |= usize::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 42)?;
        at += 1;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
}

fn inflate(pack: &mut File, at: u64, size: usize) -> Option<Vec<u8>> {
    pack.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::with_capacity(size);
    ZlibDecoder::new(pack).take(size as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() == size).then_some(bytes)
}

/// The text that `delta` makes of `base`: copies from it, and new bytes.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let (from, at) = little(delta, 0)?;
    let (to, mut at) = little(delta, at)?;
    if from != base.len() || to > LARGEST_OBJECT {
        return None;
    }
    let mut made = Vec::with_capacity(to);
    while let Some(&order) = delta.get(at) {
        at += 1;
        if order & 0x80 == 0 {
            made.extend_from_slice(delta.get(at..at + usize::from(order)).filter(|new| !new.is_empty())?);
            at += usize::from(order);
        } else {
            let mut part = |bits: std::ops::Range<u8>| {
                let mut value = 0_usize;
                for (byte, bit) in bits.enumerate() {
                    if order & (1 << bit) != 0 {
                        value |= usize::from(*delta.get(at)?) << (8 * byte);
                        at += 1;
                    }
                }
                Some(value)
            };
            let start = part(0..4)?;
            let length = part(4..7).map(|length| if length == 0 { 0x1_0000 } else { length })?;
            made.extend_from_slice(base.get(start..start.checked_add(length)?)?);
        }
        if made.len() > to {
            return None;
        }
    }
    (made.len() == to).then_some(made)
}

fn read_at<const N: usize>(file: &mut File, at: u64) -> Option<[u8; N]> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
