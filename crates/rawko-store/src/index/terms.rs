//! The term dictionary and its postings.
//!
//! Terms are 64-bit hashes, so the dictionary is a sorted list of numbers, in
//! groups of a block; a list of every group's first leads to the right block
//! without a search over the file. A posting is the step from the last document
//! and the counts per field: two bytes for most.

use std::collections::HashMap;
use std::ops::Range;

use rawko_core::Term;
use rawko_core::rank::{Analysed, Counts};

use super::bytes::{Cursor, Damage, put_varint};
use super::forward::{put_counts, take_counts};
use super::pages::{BLOCK, Pages, Section, Writer};

/// Terms between two fences: as many as a block holds.
const GROUP: usize = BLOCK / RECORD;
/// Bytes of a term's record: the term, where its postings begin, how many bytes and documents they have.
const RECORD: usize = 24;

/// Postings that are being collected.
#[derive(Default)]
pub(super) struct Collected {
    lists: HashMap<Term, List>,
}

#[derive(Default)]
struct List {
    last: u32,
    count: u32,
    bytes: Vec<u8>,
}

impl Collected {
    /// Adds a document; numbers only grow.
    pub(super) fn add(&mut self, doc: u32, read: &Analysed) {
        for (term, counts) in &read.terms {
            let list = self.lists.entry(*term).or_default();
            put_varint(&mut list.bytes, u64::from(doc - list.last));
            put_counts(&mut list.bytes, counts);
            list.last = doc;
            list.count += 1;
        }
    }

    /// Writes fences, terms and postings.
    pub(super) fn write(self, writer: &mut Writer) -> std::io::Result<()> {
        let mut lists: Vec<(Term, List)> = self.lists.into_iter().collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        for (term, _) in lists.iter().step_by(GROUP) {
            writer.put(&term.0.to_le_bytes())?;
        }
        writer.end(Section::Fences)?;
        let mut at = 0_u64;
        for group in lists.chunks(GROUP) {
            for (term, list) in group {
                writer.put(&term.0.to_le_bytes())?;
                writer.put(&at.to_le_bytes())?;
                writer.put(&(list.bytes.len() as u32).to_le_bytes())?;
                writer.put(&list.count.to_le_bytes())?;
                at += list.bytes.len() as u64;
            }
            if group.len() == GROUP {
                writer.put(&[0; BLOCK - GROUP * RECORD])?;
            }
        }
        writer.end(Section::Terms)?;
        for (_, list) in &lists {
            writer.put(&list.bytes)?;
        }
        writer.end(Section::Postings)
    }
}

/// The fences of a dictionary.
pub(super) fn fences(pages: &Pages) -> Result<Vec<u64>, Damage> {
    let bytes = pages.whole(Section::Fences)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|fence| u64::from_le_bytes(*fence)).collect())
}

/// Where a term's postings are, and how many documents they name.
fn find(pages: &Pages, fences: &[u64], term: Term) -> Result<Option<(Range<u64>, u32)>, Damage> {
    let Some(group) = fences.partition_point(|&fence| fence <= term.0).checked_sub(1) else {
        return Ok(None);
    };
    let start = (group * BLOCK) as u64;
    let end = (start + (GROUP * RECORD) as u64).min(pages.length(Section::Terms));
    let records = pages.read(Section::Terms, start..end)?;
    let (records, _) = records.as_chunks::<RECORD>();
    let term_of = |record: &[u8; RECORD]| Cursor::new(record).u64().unwrap_or(0);
    let Ok(found) = records.binary_search_by_key(&term.0, term_of) else { return Ok(None) };
    let mut record = Cursor::new(&records[found]);
    let (_, at, length, count) = (record.u64()?, record.u64()?, record.u32()?, record.u32()?);
    let end = at.checked_add(u64::from(length)).ok_or(Damage("a list of postings has no end"))?;
    Ok(Some((at..end, count)))
}

/// How many documents have a term.
pub(super) fn holders(pages: &Pages, fences: &[u64], term: Term) -> Result<u32, Damage> {
    Ok(find(pages, fences, term)?.map_or(0, |(_, count)| count))
}

/// Gives every document that has a term, with its counts.
pub(super) fn postings(
    pages: &Pages,
    fences: &[u64],
    term: Term,
    mut each: impl FnMut(u32, &Counts),
) -> Result<(), Damage> {
    let Some((place, _)) = find(pages, fences, term)? else { return Ok(()) };
    let list = pages.read(Section::Postings, place)?;
    let mut cursor = Cursor::new(&list);
    let mut doc = 0_u64;
    while !cursor.is_empty() {
        doc += cursor.varint()?;
        let counts = take_counts(&mut cursor)?;
        each(u32::try_from(doc).map_err(|_| Damage("a posting names no document"))?, &counts);
    }
    Ok(())
}
