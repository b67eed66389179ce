//! The term dictionary and its postings.
//!
//! Terms are 64-bit hashes, so the dictionary is a sorted list of numbers; a
//! list of every hundredth or so leads to the right group without a search
//! over the file. A posting is the step from the last document and the counts
//! per field: two bytes for most.

use std::collections::HashMap;

use rawko_core::Term;
use rawko_core::rank::{Analysed, Counts};

use super::bytes::{Cursor, Damage, put_varint};
use super::forward::{put_counts, take_counts};
use super::pages::{Pages, Section, Writer};

/// Terms between two fences.
const GROUP: usize = 128;
/// Bytes of a term's record: the term, where its postings begin, how many bytes they have.
const RECORD: usize = 20;

/// Postings that are being collected.
#[derive(Default)]
pub(super) struct Collected {
    lists: HashMap<Term, List>,
}

#[derive(Default)]
struct List {
    last: u32,
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
        }
    }

    /// Writes fences, terms and postings.
    pub(super) fn write(self, writer: &mut Writer) -> std::io::Result<()> {
        let mut lists: Vec<(Term, Vec<u8>)> =
            self.lists.into_iter().map(|(term, list)| (term, list.bytes)).collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        for (term, _) in lists.iter().step_by(GROUP) {
            writer.put(&term.0.to_le_bytes())?;
        }
        writer.end(Section::Fences)?;
        let mut at = 0_u64;
        for (term, bytes) in &lists {
            writer.put(&term.0.to_le_bytes())?;
            writer.put(&at.to_le_bytes())?;
            writer.put(&(bytes.len() as u32).to_le_bytes())?;
            at += bytes.len() as u64;
        }
        writer.end(Section::Terms)?;
        for (_, bytes) in &lists {
            writer.put(bytes)?;
        }
        writer.end(Section::Postings)
    }
}

/// The fences of a dictionary.
pub(super) fn fences(pages: &Pages) -> Result<Vec<u64>, Damage> {
    let bytes = pages.whole(Section::Fences)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|fence| u64::from_le_bytes(*fence)).collect())
}

/// Gives every document that has a term, with its counts.
pub(super) fn postings(
    pages: &Pages,
    fences: &[u64],
    term: Term,
    mut each: impl FnMut(u32, &Counts),
) -> Result<(), Damage> {
    let Some(group) = fences.partition_point(|&fence| fence <= term.0).checked_sub(1) else { return Ok(()) };
    let size = (GROUP * RECORD) as u64;
    let start = group as u64 * size;
    let records = pages.read(Section::Terms, start..(start + size).min(pages.length(Section::Terms)))?;
    let (records, _) = records.as_chunks::<RECORD>();
    let term_of = |record: &[u8; RECORD]| Cursor::new(record).u64().unwrap_or(0);
    let Ok(found) = records.binary_search_by_key(&term.0, term_of) else { return Ok(()) };
    let mut record = Cursor::new(&records[found]);
    let (_, at, length) = (record.u64()?, record.u64()?, record.u32()?);
    let end = at.checked_add(u64::from(length)).ok_or(Damage("a list of postings has no end"))?;
    let list = pages.read(Section::Postings, at..end)?;
    let mut cursor = Cursor::new(&list);
    let mut doc = 0_u64;
    while !cursor.is_empty() {
        doc += cursor.varint()?;
        let counts = take_counts(&mut cursor)?;
        each(u32::try_from(doc).map_err(|_| Damage("a posting names no document"))?, &counts);
    }
    Ok(())
}
