//! The index on disk, as tables of documents.
//!
//! A document's number is its place by slug. Nothing is loaded before it is
//! asked for; what every search needs is kept once it was read.

use std::sync::OnceLock;

use rawko_core::rank::{Analysed, Counts, FIELDS};
use rawko_core::{DIMS, Slug, Term, Trigger, Vector};

use super::bytes::{Cursor, Damage};
use super::document::Facts;
use super::pages::{Pages, Section};
use super::stamp::Stamp;
use super::{forward, terms};

/// Bytes of a document's record in `Docs`.
const RECORD: usize = 48;
/// Bytes of a document's record in `Heads`.
const HEAD: usize = 4 * FIELDS + 8;
/// The time of a document that has no good entry, and so is never found.
const SILENT: i64 = i64::MIN;

/// Where a document's parts are, and how its file stood.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub(super) slug_at: u32,
    pub(super) slug_length: u32,
    pub(super) forward_at: u64,
    pub(super) forward_length: u32,
    pub(super) stamp: Stamp,
}

impl Record {
    pub(super) fn to_bytes(self) -> [u8; RECORD] {
        let mut out = Vec::with_capacity(RECORD);
        out.extend(self.slug_at.to_le_bytes());
        out.extend(self.slug_length.to_le_bytes());
        out.extend(self.forward_at.to_le_bytes());
        out.extend(u64::from(self.forward_length).to_le_bytes());
        out.extend(self.stamp.size.to_le_bytes());
        out.extend(self.stamp.changed.to_le_bytes());
        out.extend(self.stamp.inode.to_le_bytes());
        out.try_into().expect("the fields make up a record")
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(Self {
            slug_at: cursor.u32()?,
            slug_length: cursor.u32()?,
            forward_at: cursor.u64()?,
            forward_length: cursor.u64()? as u32,
            stamp: Stamp { size: cursor.u64()?, changed: cursor.i64()?, inode: cursor.u64()? },
        })
    }
}

/// A document's lengths and place in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) lengths: [u32; FIELDS],
    /// `None`: its file has no good entry.
    pub(super) time: Option<i64>,
}

impl Head {
    pub(super) fn to_bytes(self) -> [u8; HEAD] {
        let mut out: Vec<u8> = self.lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
        out.extend(self.time.unwrap_or(SILENT).to_le_bytes());
        out.try_into().expect("the fields make up a head")
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        let mut lengths = [0; FIELDS];
        for length in &mut lengths {
            *length = cursor.u32()?;
        }
        Ok(Self { lengths, time: Some(cursor.i64()?).filter(|&time| time != SILENT) })
    }
}

/// The tables of one index file.
pub(super) struct Base {
    pub(super) pages: Pages,
    heads: OnceLock<Vec<Head>>,
    fences: OnceLock<Vec<u64>>,
    starts: OnceLock<Vec<u32>>,
    names: OnceLock<Vec<Slug>>,
}

impl Base {
    pub(super) fn new(pages: Pages) -> Self {
        let (heads, fences, starts, names) = Default::default();
        Self { pages, heads, fences, starts, names }
    }

    /// How many documents there are, those without a good entry included.
    pub(super) fn docs(&self) -> u32 {
        self.pages.about.docs
    }

    fn count(&self) -> usize {
        self.docs() as usize
    }

    pub(super) fn heads(&self) -> Result<&[Head], Damage> {
        let load = || many(&self.pages.whole(Section::Heads)?, self.count(), Head::take);
        Ok(kept(&self.heads, load)?)
    }

    fn starts(&self) -> Result<&[u32], Damage> {
        let load = || many(&self.pages.whole(Section::Starts)?, self.count() + 1, |cursor| cursor.u32());
        Ok(kept(&self.starts, load)?)
    }

    /// All slugs, in order.
    pub(super) fn names(&self) -> Result<&[Slug], Damage> {
        Ok(kept(&self.names, || self.slugs(0, self.count()))?)
    }

    /// The slugs of `count` documents from `first` on.
    pub(super) fn slugs(&self, first: usize, count: usize) -> Result<Vec<Slug>, Damage> {
        let records = self.records(first, count)?;
        let (Some(start), Some(last)) = (records.first(), records.last()) else { return Ok(Vec::new()) };
        let start = u64::from(start.slug_at);
        let text =
            self.pages.read(Section::Slugs, start..u64::from(last.slug_at) + u64::from(last.slug_length))?;
        let slug = |record: &Record| {
            let at = (u64::from(record.slug_at)).checked_sub(start)? as usize;
            let bytes = text.get(at..at + record.slug_length as usize)?;
            Slug::parse(std::str::from_utf8(bytes).ok()?).ok()
        };
        records.iter().map(|record| slug(record).ok_or(Damage("a slug is none"))).collect()
    }

    /// The records of `count` documents from `first` on.
    pub(super) fn records(&self, first: usize, count: usize) -> Result<Vec<Record>, Damage> {
        let range = (first * RECORD) as u64..((first + count) * RECORD) as u64;
        many(&self.pages.read(Section::Docs, range)?, count, Record::take)
    }

    fn forward(&self, doc: u32) -> Result<Vec<u8>, Damage> {
        let record = self.records(doc as usize, 1)?[0];
        let end = record.forward_at.checked_add(u64::from(record.forward_length));
        self.pages.read(Section::Forward, record.forward_at..end.ok_or(Damage("a document has no end"))?)
    }

    /// A document's counts and passages, without vectors.
    pub(super) fn document(&self, doc: u32) -> Result<Analysed, Damage> {
        forward::decode(&self.forward(doc)?)
    }

    pub(super) fn facts(&self, doc: u32) -> Result<(Facts, Vec<Trigger>), Damage> {
        forward::decode_facts(&self.forward(doc)?)
    }

    /// Gives every document that has a term, with its counts and lengths.
    pub(super) fn postings(
        &self,
        term: Term,
        mut each: impl FnMut(u32, &Counts, &[u32; FIELDS]),
    ) -> Result<(), Damage> {
        let heads = self.heads()?;
        let fences = kept(&self.fences, || terms::fences(&self.pages))?;
        let mut beyond = false;
        terms::postings(&self.pages, fences, term, |doc, counts| match heads.get(doc as usize) {
            Some(head) => each(doc, counts, &head.lengths),
            None => beyond = true,
        })?;
        if beyond { Err(Damage("a posting names no document")) } else { Ok(()) }
    }

    /// Gives every document with the likeness of its best passage, at least 0.
    pub(super) fn likeness(&self, to: &Vector, mut each: impl FnMut(u32, f32)) -> Result<(), Damage> {
        let starts = self.starts()?;
        let (mut doc, mut passage, mut best) = (0, 0_u32, 0);
        let mut give = |doc: usize, best: &mut i32| {
            each(doc as u32, std::mem::take(best) as f32 / (Vector::ONE * Vector::ONE));
        };
        self.pages.stream(Section::Vectors, |bytes| {
            for vector in bytes.as_chunks::<DIMS>().0 {
                while starts.get(doc + 1).is_some_and(|&end| end <= passage) {
                    give(doc, &mut best);
                    doc += 1;
                }
                best = best.max(product(vector, to.as_array()));
                passage += 1;
            }
            Ok(())
        })?;
        (doc..self.count()).for_each(|doc| give(doc, &mut best));
        Ok(())
    }

    /// The folders below `memories/`, with the times they had.
    pub(super) fn folders(&self) -> Result<Vec<(String, i64)>, Damage> {
        let bytes = self.pages.whole(Section::Folders)?;
        let mut cursor = Cursor::new(&bytes);
        let mut folders = Vec::new();
        while !cursor.is_empty() {
            folders.push((cursor.text()?.to_owned(), cursor.i64()?));
        }
        Ok(folders)
    }
}

/// The integer product of a stored vector and another: a plain loop over both, which compilers make wide.
fn product(stored: &[u8; DIMS], other: &[i8; DIMS]) -> i32 {
    stored.iter().zip(other).map(|(&a, &b)| i32::from(a as i8) * i32::from(b)).sum()
}

fn many<T>(
    bytes: &[u8],
    count: usize,
    take: impl Fn(&mut Cursor<'_>) -> Result<T, Damage>,
) -> Result<Vec<T>, Damage> {
    let mut cursor = Cursor::new(bytes);
    (0..count).map(|_| take(&mut cursor)).collect()
}

/// What a cell holds, loaded if it holds nothing yet.
fn kept<T>(cell: &OnceLock<T>, load: impl FnOnce() -> Result<T, Damage>) -> Result<&T, Damage> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let loaded = load()?;
    Ok(cell.get_or_init(|| loaded))
}
