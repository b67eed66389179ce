//! The token table as it lies in the file: read in place, nothing is built.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic `rawkoemb` |
//! | u32 | format version, 1 |
//! | u32 | longest token name in bytes |
//! | u64 | model id: FNV-1a over everything that follows it |
//! | u32 × 4 | tokens *n*, dimensions (256), slots *s* (a power of two above *n*), bytes of names *b* |
//! | u16 × *s* | open-addressing hash over the names: row + 1, or 0 for empty |
//! | u16 × *n* | each row's scale: the upper half of an `f32` |
//! | u32 × (*n* + 1) | where each name starts |
//! | *b* | the names; a piece inside a word starts with `##` |
//! | i8 × 256 × *n* | the rows |
//!
//! A name's slot is the folded FNV-1a of its bytes, then linear probing.
//! FNV runs left to right, so the hashes of all beginnings of a word come
//! from one pass: that is what longest-match-first needs.

use super::DIMS;

const MAGIC: &[u8] = b"rawkoemb";
const VERSION: u32 = 1;

/// Why bytes are no token table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The bytes do not start like a table.
    #[error("this is no token table")]
    NotATable,
    /// Another format, or other dimensions.
    #[error(
        "the token table has format {version} with {dims} dimensions; this rawko reads {VERSION} with {DIMS}"
    )]
    Unknown {
        /// Format version in the file.
        version: u32,
        /// Dimensions in the file.
        dims: u32,
    },
    /// The parts do not add up to the length.
    #[error("the token table is cut off or has numbers that do not fit together")]
    Torn,
}

/// A token table over borrowed bytes. Copies are cheap.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    id: u64,
    longest: usize,
    slots: &'a [[u8; 2]],
    scales: &'a [[u8; 2]],
    starts: &'a [[u8; 4]],
    names: &'a [u8],
    rows: &'a [[u8; DIMS]],
}

impl<'a> Table<'a> {
    /// Checks the head and the lengths; costs the same for any size of table.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, TableError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(TableError::NotATable)?;
        let version = number(&mut rest)?;
        let longest = number(&mut rest)? as usize;
        let id = u64::from_le_bytes(*take(&mut rest, 1)?.first().ok_or(TableError::Torn)?);
        let [count, dims, slots, names] =
            [number(&mut rest)?, number(&mut rest)?, number(&mut rest)?, number(&mut rest)?];
        if version != VERSION || dims as usize != DIMS {
            return Err(TableError::Unknown { version, dims });
        }
        let (count, slots) = (count as usize, slots as usize);
        if !slots.is_power_of_two() || slots <= count {
            return Err(TableError::Torn);
        }
        let table = Self {
            id,
            longest,
            slots: take(&mut rest, slots)?,
            scales: take(&mut rest, count)?,
            starts: take(&mut rest, count + 1)?,
            names: take::<1>(&mut rest, names as usize)?.as_flattened(),
            rows: take(&mut rest, count)?,
        };
        if rest.is_empty() { Ok(table) } else { Err(TableError::Torn) }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.scales.len()
    }

    /// Length in bytes of the longest name, `##` included.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The row of the token whose name is `prefix` and then `piece`; `hash` is [`Hash`] over both.
    pub(super) fn find(&self, hash: Hash, prefix: &[u8], piece: &[u8]) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = hash.folded() & mask;
        for _ in 0..self.slots.len() {
            let row = u16::from_le_bytes(self.slots[at]).checked_sub(1)?;
            if self.name(row)?.strip_prefix(prefix) == Some(piece) {
                return Some(row);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn name(&self, row: u16) -> Option<&'a [u8]> {
        let start = |row: usize| self.starts.get(row).map(|start| u32::from_le_bytes(*start) as usize);
        self.names.get(start(row.into())?..start(usize::from(row) + 1)?)
    }

    /// Adds a token's row to `sum`; a row that is not there adds nothing.
    pub(super) fn add(&self, row: u16, sum: &mut [f32; DIMS]) {
        let row = usize::from(row);
        let (Some(values), Some(scale)) = (self.rows.get(row), self.scales.get(row)) else { return };
        let scale = f32::from_bits(u32::from(u16::from_le_bytes(*scale)) << 16);
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += scale * f32::from(value.cast_signed());
        }
    }

    /// Every token's name, in the order of the rows.
    #[cfg(test)]
    pub(super) fn all_names(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        (0..self.scales.len()).map(|row| self.name(u16::try_from(row).unwrap()).unwrap())
    }
}

/// FNV-1a, 32 bits, fed piece by piece.
#[derive(Clone, Copy)]
pub(super) struct Hash(u32);

impl Hash {
    /// The hash of `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(0x811c_9dc5).then(bytes)
    }

    /// The hash of what was hashed so far and then `bytes`.
    pub(super) fn then(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
    }

    fn folded(self) -> usize {
        (self.0 ^ (self.0 >> 15)) as usize
    }
}

/// Takes `count` items of `N` bytes from the front.
fn take<'a, const N: usize>(rest: &mut &'a [u8], count: usize) -> Result<&'a [[u8; N]], TableError> {
    let length = count.checked_mul(N).ok_or(TableError::Torn)?;
    let (front, behind) = rest.split_at_checked(length).ok_or(TableError::Torn)?;
    *rest = behind;
    Ok(front.as_chunks().0)
}

fn number(rest: &mut &[u8]) -> Result<u32, TableError> {
    take(rest, 1)?.first().map(|bytes| u32::from_le_bytes(*bytes)).ok_or(TableError::Torn)
}

#[cfg(test)]
mod tests {
    use super::super::BUILT_IN;
    use super::*;

    fn fnv64(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    #[test]
    fn the_model_id_is_the_hash_of_the_contents() {
        assert_eq!(Table::read(BUILT_IN).unwrap().id(), fnv64(&BUILT_IN[24..]));
    }

    #[test]
    fn every_name_is_found_at_its_own_row() {
        let table = Table::read(BUILT_IN).unwrap();
        for (row, name) in table.all_names().enumerate() {
            assert_eq!(table.find(Hash::of(name), b"", name).map(usize::from), Some(row));
            assert!(name.len() <= table.longest());
        }
    }

    #[test]
    fn a_table_cut_short_anywhere_is_refused() {
        for length in (0..200).chain([BUILT_IN.len() / 2, BUILT_IN.len() - 1]) {
            assert!(Table::read(&BUILT_IN[..length]).is_err(), "{length} bytes");
        }
        assert!(Table::read(&[BUILT_IN, b"x"].concat()).is_err());
    }

    #[test]
    fn a_table_of_another_format_says_so() {
        let mut bytes = BUILT_IN.to_vec();
        bytes[8] = 9;
        assert_eq!(Table::read(&bytes).err(), Some(TableError::Unknown { version: 9, dims: 256 }));
    }
}
