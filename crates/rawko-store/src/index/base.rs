//! The index on disk, as tables of documents.
//!
//! A document's number is its place by slug. Nothing is loaded before it is
//! asked for; what every search needs is kept once it was read.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

use rawko_core::rank::{Analysed, Counts, FIELDS, Lengths};
use rawko_core::{DIMS, EntryId, Slug, Term, Vector, Wide};

use super::bytes::{Cursor, Damage};
use super::pages::{BLOCK, Pages, STRIDE, Section};
use super::stamp::Stamp;
use super::{card, forward, signs, table, terms};

/// Bytes between two documents' vectors that are read with them: dearer than these is asking twice.
const GAP: usize = 4 * BLOCK;

/// Bytes of a document's record in `Docs`.
const RECORD: usize = 44;
/// Bytes of a document's record in `Places`.
const PLACE: usize = 4;
/// Bytes of a document's record in `Heads`.
const HEAD: usize = 2 * FIELDS;
/// Stands for the lengths of a document that has no good entry, and so is never found.
const SILENT: [u8; HEAD] = [u8::MAX; HEAD];

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
        out.extend(self.forward_length.to_le_bytes());
        out.extend(self.stamp.to_bytes());
        out.try_into().expect("the fields make up a record")
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(Self {
            slug_at: cursor.u32()?,
            slug_length: cursor.u32()?,
            forward_at: cursor.u64()?,
            forward_length: cursor.u32()?,
            stamp: Stamp::take(cursor)?,
        })
    }
}

/// The lengths in a head; nothing where the document has no good entry.
#[inline]
pub(super) fn length_of(head: &[u8; HEAD]) -> Option<Lengths> {
    let numbers = head.as_chunks().0;
    (*head != SILENT).then(|| std::array::from_fn(|field| u16::from_le_bytes(numbers[field])))
}

/// A head of these lengths, which are [`LONGEST`](rawko_core::rank::LONGEST) at most.
pub(super) fn head_of(lengths: Option<Lengths>) -> [u8; HEAD] {
    let mut head = SILENT;
    if let Some(lengths) = lengths {
        head.as_chunks_mut().0.iter_mut().zip(lengths).for_each(|(two, length)| *two = length.to_le_bytes());
    }
    head
}

/// The tables of one index file.
pub(super) struct Base {
    pub(super) pages: Pages,
    heads: OnceLock<Vec<u8>>,
    fences: OnceLock<Vec<u64>>,
    starts: OnceLock<Vec<u8>>,
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

    /// Every document's lengths.
    pub(super) fn heads(&self) -> Result<&[[u8; HEAD]], Damage> {
        let bytes = kept(&self.heads, || self.table(Section::Heads, self.count() * HEAD))?;
        Ok(bytes.as_chunks().0)
    }

    /// A document's place in time, if its file has a good entry.
    pub(super) fn time(&self, doc: u32) -> Result<Option<i64>, Damage> {
        match length_of(&self.heads()?[doc as usize]) {
            Some(_) => Ok(Some(card::times(&self.card(doc)?)?.1)),
            None => Ok(None),
        }
    }

    /// Per document its first passage, and the end.
    fn starts(&self) -> Result<&[[u8; 4]], Damage> {
        let bytes = kept(&self.starts, || self.table(Section::Starts, (self.count() + 1) * 4))?;
        Ok(bytes.as_chunks().0)
    }

    /// A whole section that has so many bytes.
    fn table(&self, section: Section, length: usize) -> Result<Vec<u8>, Damage> {
        let bytes = self.pages.whole(section)?;
        if bytes.len() == length { Ok(bytes) } else { Err(Damage("a table has another length")) }
    }

    /// A document's place by its slug, or the place where it would be.
    pub(super) fn place_of(&self, slug: &Slug) -> Result<Result<usize, usize>, Damage> {
        let (mut from, mut to) = (0, self.count());
        while from < to {
            let middle = from.midpoint(to);
            let name = self.slugs(middle, 1)?.pop().ok_or(Damage("a slug is not there"))?;
            match name.cmp(slug) {
                Ordering::Equal => return Ok(Ok(middle)),
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        Ok(Err(from))
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

    /// As [`Self::document`], without its sentences.
    pub(super) fn words(&self, doc: u32) -> Result<Analysed, Damage> {
        forward::decode_words(&self.forward(doc)?)
    }

    /// How many documents have a term.
    pub(super) fn holders(&self, term: Term) -> Result<u32, Damage> {
        terms::holders(&self.pages, self.fences()?, term)
    }

    fn fences(&self) -> Result<&[u64], Damage> {
        Ok(kept(&self.fences, || terms::fences(&self.pages))?)
    }

    /// Gives every document that has a term, with its counts and lengths.
    pub(super) fn postings(
        &self,
        term: Term,
        mut each: impl FnMut(u32, &Counts, &Lengths),
    ) -> Result<(), Damage> {
        let heads = self.heads()?;
        let mut beyond = false;
        terms::postings(&self.pages, self.fences()?, term, |doc, counts| match heads.get(doc as usize) {
            Some(head) => each(doc, counts, &length_of(head).unwrap_or_default()),
            None => beyond = true,
        })?;
        if beyond { Err(Damage("a posting names no document")) } else { Ok(()) }
    }

    /// Where a document's passages begin and end.
    fn passages_of(&self, doc: usize) -> Result<Range<u32>, Damage> {
        let starts = self.starts()?;
        let start = |at: usize| starts.get(at).map(|start| u32::from_le_bytes(*start));
        let range = start(doc).zip(start(doc + 1)).map(|(from, to)| from..to);
        range.filter(|range| range.start <= range.end).ok_or(Damage("a document's passages are not there"))
    }

    /// Gives every document with the likeness of its best passage, at least 0.
    pub(super) fn likeness(&self, to: &Vector, mut each: impl FnMut(u32, f32)) -> Result<(), Damage> {
        let to = to.wide();
        let mut passages = Vec::with_capacity((self.pages.length(Section::Vectors) / DIMS as u64) as usize);
        self.pages.stream(Section::Vectors, |bytes| {
            passages.extend(bytes.as_chunks::<DIMS>().0.iter().map(|vector| to.dot_bytes(vector)));
            Ok(())
        })?;
        self.of_passages(&passages, |doc, own| each(doc, own.iter().copied().fold(0.0, f32::max)))
    }

    /// As [`Self::likeness`], by document, from the signs of the vectors' numbers; with room for some `more`.
    pub(super) fn estimates(&self, to: &Vector, more: usize) -> Result<Vec<f32>, Damage> {
        let likeness: [f32; 256] = std::array::from_fn(|apart| signs::likeness(apart as u8).max(0.0));
        let nearest = |own: &[u8]| own.iter().min().map_or(0.0, |apart| likeness[usize::from(*apart)]);
        let mut found = Vec::with_capacity(self.count() + more);
        self.of_passages(&signs::all_apart(&self.pages, &to.signs())?, |_, own| found.push(nearest(own)))?;
        Ok(found)
    }

    /// Gives every document with what is known of its passages.
    fn of_passages<T>(&self, passages: &[T], mut each: impl FnMut(u32, &[T])) -> Result<(), Damage> {
        let mut starts = self.starts()?.iter().map(|start| u32::from_le_bytes(*start) as usize);
        let mut from = starts.next().unwrap_or(0);
        for (doc, to) in (0..).zip(starts) {
            let own = passages.get(from..to).ok_or(Damage("a document's passages are not there"))?;
            each(doc, own);
            from = to;
        }
        Ok(())
    }

    /// Gives the likeness of the best passage of some documents, each with the number that came with it.
    ///
    /// They are read in the order in which they lie, near ones together, into one buffer.
    pub(super) fn likeness_of(
        &self,
        to: &Wide,
        mut docs: Vec<(u32, usize)>,
        mut each: impl FnMut(usize, f32),
    ) -> Result<(), Damage> {
        docs.sort_unstable();
        let ranges = docs.iter().map(|(doc, _)| self.bytes_of(*doc)).collect::<Result<Vec<_>, _>>()?;
        let mut buffer = Vec::new();
        let mut done = 0;
        while let Some(first) = ranges.get(done) {
            let start = first.start / BLOCK * BLOCK;
            let (mut end, mut behind) = (first.end.next_multiple_of(BLOCK), done + 1);
            while let Some(next) =
                ranges.get(behind).filter(|next| next.start <= end + GAP && end - start < STRIDE)
            {
                end = end.max(next.end.next_multiple_of(BLOCK));
                behind += 1;
            }
            buffer.resize(end - start, 0);
            self.pages.read_into(Section::Vectors, start as u64, &mut buffer)?;
            for (range, (_, number)) in ranges[done..behind].iter().zip(&docs[done..behind]) {
                let own = buffer[range.start - start..range.end - start].as_chunks().0.iter();
                each(*number, own.map(|vector| to.dot_bytes(vector)).fold(0.0, f32::max));
            }
            done = behind;
        }
        Ok(())
    }

    /// Where the vectors of a document's passages lie.
    fn bytes_of(&self, doc: u32) -> Result<Range<usize>, Damage> {
        let passages = self.passages_of(doc as usize)?;
        let bytes = passages.start as usize * DIMS..passages.end as usize * DIMS;
        let is_there = bytes.end as u64 <= self.pages.length(Section::Vectors);
        is_there.then_some(bytes).ok_or(Damage("a document's vectors are not there"))
    }

    /// A document's card.
    pub(super) fn card(&self, doc: u32) -> Result<Vec<u8>, Damage> {
        let at = u64::from(doc) * PLACE as u64;
        let places = self.pages.read(Section::Places, at..at + 2 * PLACE as u64)?;
        let mut cursor = Cursor::new(&places);
        self.pages.read(Section::Cards, cursor.u32()?.into()..cursor.u32()?.into())
    }

    /// The ids of a document's entries.
    pub(super) fn entries(&self, doc: u32) -> Result<Vec<EntryId>, Damage> {
        card::entries(&self.card(doc)?)
    }

    /// The documents that say they replace the memory of this name.
    pub(super) fn replacing(&self, slug: &str) -> Result<Vec<u32>, Damage> {
        let docs = table::places(&self.pages, Section::Replaced, &[Term::of(slug).0])?;
        Ok(docs.into_iter().map(|doc| doc as u32).filter(|doc| *doc < self.docs()).collect())
    }

    /// The documents that may have one of these entries: all that have one, and hardly any other.
    pub(super) fn having(&self, entries: impl Iterator<Item = EntryId>) -> Result<Vec<u32>, Damage> {
        let mut keys: Vec<u64> = entries.map(key_of).collect();
        keys.sort_unstable();
        keys.dedup();
        let docs = table::places(&self.pages, Section::Ids, &keys)?;
        Ok(docs.into_iter().map(|doc| doc as u32).filter(|doc| *doc < self.docs()).collect())
    }

    /// The documents of which an entry says that they are critical.
    pub(super) fn critical(&self) -> Result<Vec<u32>, Damage> {
        let bytes = self.pages.whole(Section::Critical)?;
        let docs = bytes.as_chunks().0.iter().map(|doc| u32::from_le_bytes(*doc));
        Ok(docs.filter(|doc| *doc < self.docs()).collect())
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

/// An entry's key in `Ids`: eight bytes of a hash.
pub(super) fn key_of(id: EntryId) -> u64 {
    u64::from_le_bytes(*id.to_bytes().first_chunk().expect("an id has sixteen bytes"))
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
