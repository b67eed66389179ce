//! The index file: sections in checked blocks, read on demand.
//!
//! Every block has a checksum, the checksums lie in blocks of their own, and
//! the checksums of those are signed with the header: opening reads two small
//! pieces however large the index is, and a block is checked against the table
//! when it is read. Blocks are read into our own memory and not mapped: what
//! was checked is what is used, whatever happens to the file meanwhile, and a
//! file that is cut short is an error and not a signal that ends the process.
//! Single blocks are kept once they were read, because records lie close
//! together.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rawko_core::rank::{FIELDS, Statistics};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::bytes::{Cursor, Damage};
use super::key::Key;
use crate::error::{At, StoreError};
use crate::plain;

/// Bytes of a block: what is looked up has fewer, and every byte that is read is checked.
pub(super) const BLOCK: usize = 1024;
/// Bytes that are read at once from a long section; a buffer of twice as many would get pages of its own from the
/// system, and give them back.
pub(super) const STRIDE: usize = 64 * BLOCK;
/// Bytes of a block of checksums, and how many are in it.
const SUM_BLOCK: usize = 4096;
const SUMS: usize = SUM_BLOCK / 8;
/// Blocks that are read one by one; more are read at once and not kept.
const FEW: u64 = 16;
/// Single blocks that are kept, and as many as one injection reads: room for them from the start is cheaper than growing.
const KEPT: usize = 8192;
const USUAL: usize = 512;
const MAGIC: &[u8; 8] = b"rawkoidx";
/// Changes with the layout of the file.
const VERSION: u32 = 8;
/// Changes whenever the same text would give other terms, passages or literals.
const ANALYSER: u32 = 4;
const SIGNATURE: usize = BLOCK - 32;

/// What an index file holds, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Per document: its counts, passages and triggers.
    Forward,
    /// Per document: a record of fixed size.
    Docs,
    /// The slugs, one after the other.
    Slugs,
    /// Per document: its lengths.
    Heads,
    /// Per document: its first passage; and the end.
    Starts,
    /// Per passage: the signs of its vector's numbers.
    Signs,
    /// Per passage: its vector.
    Vectors,
    /// Per block of `Terms`: its first term.
    Fences,
    /// The term dictionary.
    Terms,
    /// The postings of all terms.
    Postings,
    /// Literals of triggers that look at everything, by one of their three-byte windows.
    Grams,
    /// The literals' texts and triggers.
    Literals,
    /// Stems of triggers, by hash.
    Stems,
    /// Triggers that are always verified.
    Always,
    /// The same four for triggers that look at a command, a file or an error.
    TypedGrams,
    TypedLiterals,
    TypedStems,
    TypedAlways,
    /// Per document: how its file stood, its name, the ids of its entries, and what decides about it.
    Cards,
    /// Per document: where its card begins; and the end.
    Places,
    /// Ids of entries, by their first bytes: the documents that have them.
    Ids,
    /// Slugs that a document says it replaces, by hash.
    Replaced,
    /// The documents of which an entry says that they are critical.
    Critical,
    /// The folders below `memories/` with their times.
    Folders,
}

/// How many sections there are.
const SECTIONS: usize = 24;

/// What the header says besides where the sections are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct About {
    /// The embedding table that made the vectors.
    pub(super) model: u64,
    /// When building began, in nanoseconds since 1970.
    pub(super) built: i64,
    /// Names the log of notes, and where it stood when building began.
    pub(super) log: u64,
    pub(super) log_offset: u64,
    /// Documents in the tables, those without a good entry included.
    pub(super) docs: u32,
    pub(super) statistics: Statistics,
}

/// Writes an index file section by section.
pub(super) struct Writer {
    file: BufWriter<File>,
    seed: u64,
    sums: Vec<u64>,
    block: Vec<u8>,
    sections: Vec<(u64, u64)>,
    begun: u64,
    written: u64,
}

impl Writer {
    pub(super) fn new(mut file: File, key: &Key) -> std::io::Result<Self> {
        file.write_all(&[0; BLOCK])?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 20, file),
            seed: key.seed(),
            sums: Vec::new(),
            block: Vec::with_capacity(BLOCK),
            sections: Vec::new(),
            begun: BLOCK as u64,
            written: BLOCK as u64,
        })
    }

    /// Adds to the section at hand.
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        self.written += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend(now);
            bytes = rest;
            if self.block.len() == BLOCK {
                self.flush_block()?;
            }
        }
        Ok(())
    }

    /// Ends the section at hand; sections come in the order of [`Section`].
    pub(super) fn end(&mut self, section: Section) -> std::io::Result<()> {
        assert_eq!(section as usize, self.sections.len(), "sections are written in order");
        self.sections.push((self.begun, self.written - self.begun));
        if !self.block.is_empty() {
            self.block.resize(BLOCK, 0);
            self.flush_block()?;
        }
        self.begun = (1 + self.sums.len() as u64) * BLOCK as u64;
        self.written = self.begun;
        Ok(())
    }

    fn flush_block(&mut self) -> std::io::Result<()> {
        self.sums.push(xxh3_64_with_seed(&self.block, self.seed));
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes the checksums and the signed header, and syncs the file.
    pub(super) fn finish(mut self, about: &About, key: &Key) -> std::io::Result<()> {
        assert_eq!(self.sections.len(), SECTIONS, "every section is written");
        let mut table: Vec<u8> = self.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        table.resize(table.len().next_multiple_of(SUM_BLOCK), 0);
        let tops = table.chunks_exact(SUM_BLOCK).map(|block| xxh3_64_with_seed(block, self.seed));
        let tops: Vec<u8> = tops.flat_map(|sum| sum.to_le_bytes()).collect();
        self.file.write_all(&table)?;
        self.file.write_all(&tops)?;
        let mut header = Vec::with_capacity(BLOCK);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend(ANALYSER.to_le_bytes());
        for number in [about.model, about.built as u64, about.log, about.log_offset, u64::from(about.docs)] {
            header.extend(number.to_le_bytes());
        }
        let counted = &about.statistics;
        let numbers = [u64::from(counted.documents), counted.passages, counted.passage_terms];
        for number in numbers.iter().chain(&counted.terms) {
            header.extend(number.to_le_bytes());
        }
        header.extend((self.sums.len() as u64).to_le_bytes());
        for (at, length) in &self.sections {
            header.extend(at.to_le_bytes());
            header.extend(length.to_le_bytes());
        }
        header.resize(SIGNATURE, 0);
        let signature = key.sign(&[&header, &tops]);
        header.extend(signature.as_bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

/// Numbers of blocks, which nobody chooses: any few operations spread them.
type Numbered<T> = HashMap<u64, T, BuildHasherDefault<Spread>>;

/// Spreads a number over all its bits.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A block among those that were read with it.
#[derive(Clone)]
struct Block {
    run: Arc<Vec<u8>>,
    at: usize,
}

impl Block {
    fn bytes(&self) -> &[u8] {
        &self.run[self.at..self.at + BLOCK]
    }
}

/// An open index file.
pub(super) struct Pages {
    file: File,
    seed: u64,
    /// How many blocks have a checksum; the table of checksums lies behind them.
    count: u64,
    /// The checksums of the table's own blocks.
    tops: Vec<u64>,
    kept: Mutex<Numbered<Block>>,
    kept_sums: Mutex<Numbered<Arc<Vec<u8>>>>,
    sections: Vec<(u64, u64)>,
    pub(super) about: About,
}

impl Pages {
    /// Opens an index file and checks that it is this person's, of this store, and of this version.
    pub(super) fn open(path: &Path, key: &Key) -> Result<Result<Self, Damage>, StoreError> {
        let file = plain::open(path, OpenOptions::new().read(true))?;
        let length = file.metadata().at("look at", path)?.len();
        Ok(Self::read_header(file, length, key))
    }

    fn read_header(file: File, length: u64, key: &Key) -> Result<Self, Damage> {
        let mut header = [0; BLOCK];
        read_at(&file, &mut header, 0)?;
        let mut cursor = Cursor::new(&header);
        if cursor.take(8)? != MAGIC {
            return Err(Damage("it is no index"));
        }
        if (cursor.u32()?, cursor.u32()?) != (VERSION, ANALYSER) {
            return Err(Damage("it was made by another version"));
        }
        let mut about = About {
            model: cursor.u64()?,
            built: cursor.i64()?,
            log: cursor.u64()?,
            log_offset: cursor.u64()?,
            docs: cursor.u64()? as u32,
            statistics: Statistics::default(),
        };
        let counted = &mut about.statistics;
        counted.documents = cursor.u64()? as u32;
        (counted.passages, counted.passage_terms) = (cursor.u64()?, cursor.u64()?);
        for field in 0..FIELDS {
            counted.terms[field] = cursor.u64()?;
        }
        let blocks = cursor.u64()?;
        let tops = blocks.div_ceil(SUMS as u64);
        let end = blocks.checked_add(1).and_then(|all| all.checked_mul(BLOCK as u64));
        let end = end.and_then(|end| end.checked_add(tops * SUM_BLOCK as u64));
        let whole = end.and_then(|end| end.checked_add(tops * 8)).is_some_and(|whole| whole == length);
        let Some(end) = end.filter(|_| whole) else { return Err(Damage("its length is wrong")) };
        let mut table = vec![0; tops as usize * 8];
        read_at(&file, &mut table, end)?;
        let signature = blake3::Hash::from_bytes(*header.last_chunk().expect("a block has 32 bytes"));
        if key.sign(&[&header[..SIGNATURE], &table]) != signature {
            return Err(Damage("it was not made here"));
        }
        let tops = table.as_chunks::<8>().0.iter().map(|sum| u64::from_le_bytes(*sum)).collect();
        let sections = (0..SECTIONS).map(|_| Ok((cursor.u64()?, cursor.u64()?))).collect::<Result<_, _>>()?;
        let (kept, kept_sums) = (
            Mutex::new(Numbered::with_capacity_and_hasher(USUAL, BuildHasherDefault::default())),
            Mutex::default(),
        );
        Ok(Self { file, seed: key.seed(), count: blocks, tops, kept, kept_sums, sections, about })
    }

    /// The file, as the system knows it.
    pub(super) fn metadata(&self) -> std::io::Result<std::fs::Metadata> {
        self.file.metadata()
    }

    /// How many bytes a section has.
    pub(super) fn length(&self, section: Section) -> u64 {
        self.sections[section as usize].1
    }

    /// Bytes of a section, checked.
    pub(super) fn read(&self, section: Section, range: Range<u64>) -> Result<Vec<u8>, Damage> {
        let (begun, length) = self.sections[section as usize];
        if range.start > range.end || range.end > length {
            return Err(Damage("a record lies outside its section"));
        }
        let first = (begun + range.start) / BLOCK as u64;
        let behind = (begun + range.end).div_ceil(BLOCK as u64).max(first);
        let skipped = (begun + range.start - first * BLOCK as u64) as usize;
        let wanted = (range.end - range.start) as usize;
        if behind - first > FEW {
            let mut bytes = vec![0; (behind - first) as usize * BLOCK];
            self.fill(first, &mut bytes)?;
            bytes.truncate(skipped + wanted);
            bytes.drain(..skipped);
            return Ok(bytes);
        }
        let mut bytes = Vec::with_capacity(wanted);
        for number in first..behind {
            let block = self.block(number, behind)?;
            let from = if number == first { skipped } else { 0 };
            bytes.extend(&block.bytes()[from..(from + wanted - bytes.len()).min(BLOCK)]);
        }
        Ok(bytes)
    }

    /// One block, read and checked with those up to `behind` unless it is at hand.
    fn block(&self, number: u64, behind: u64) -> Result<Block, Damage> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&number) {
            return Ok(known.clone());
        }
        let mut run = vec![0; (behind - number) as usize * BLOCK];
        self.fill(number, &mut run)?;
        let run = Arc::new(run);
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        for (at, number) in (number..behind).enumerate() {
            kept.insert(number, Block { run: Arc::clone(&run), at: at * BLOCK });
        }
        Ok(Block { run, at: 0 })
    }

    /// A whole section.
    pub(super) fn whole(&self, section: Section) -> Result<Vec<u8>, Damage> {
        self.read(section, 0..self.length(section))
    }

    /// Gives a section in pieces, each but the last a multiple of a block.
    pub(super) fn stream(
        &self,
        section: Section,
        mut each: impl FnMut(&[u8]) -> Result<(), Damage>,
    ) -> Result<(), Damage> {
        let (begun, length) = self.sections[section as usize];
        let mut buffer = vec![0; STRIDE.min((length as usize).next_multiple_of(BLOCK))];
        let mut done = 0;
        while done < length {
            let now = (length - done).min(STRIDE as u64) as usize;
            let padded = &mut buffer[..now.next_multiple_of(BLOCK)];
            self.fill((begun + done) / BLOCK as u64, padded)?;
            each(&padded[..now])?;
            done += now as u64;
        }
        Ok(())
    }

    /// Bytes of a section into a buffer of whole blocks; `at` is a multiple of a block.
    pub(super) fn read_into(&self, section: Section, at: u64, bytes: &mut [u8]) -> Result<(), Damage> {
        self.fill(self.sections[section as usize].0 / BLOCK as u64 + at / BLOCK as u64, bytes)
    }

    /// Reads whole blocks, and checks each.
    fn fill(&self, first: u64, bytes: &mut [u8]) -> Result<(), Damage> {
        const CHANGED: Damage = Damage("a block has changed since it was written");
        read_at(&self.file, bytes, first * BLOCK as u64)?;
        // The header is block 0 and has a signature of its own.
        let begin = first.checked_sub(1).ok_or(CHANGED)?;
        let mut sums = self.sums(begin / SUMS as u64)?;
        for (at, block) in (begin..).zip(bytes.chunks_exact(BLOCK)) {
            if at >= self.count {
                return Err(CHANGED);
            }
            let place = (at % SUMS as u64) as usize;
            if place == 0 {
                sums = self.sums(at / SUMS as u64)?;
            }
            if xxh3_64_with_seed(block, self.seed).to_le_bytes()[..] != sums[place * 8..place * 8 + 8] {
                return Err(CHANGED);
            }
        }
        Ok(())
    }

    /// A block of checksums, itself checked against what is signed.
    fn sums(&self, number: u64) -> Result<Arc<Vec<u8>>, Damage> {
        const CHANGED: Damage = Damage("its checksums have changed since they were written");
        let kept = || self.kept_sums.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&number) {
            return Ok(Arc::clone(known));
        }
        let top = self.tops.get(number as usize).ok_or(CHANGED)?;
        let mut bytes = vec![0; SUM_BLOCK];
        read_at(&self.file, &mut bytes, (1 + self.count) * BLOCK as u64 + number * SUM_BLOCK as u64)?;
        if xxh3_64_with_seed(&bytes, self.seed) != *top {
            return Err(CHANGED);
        }
        let sums = Arc::new(bytes);
        kept().insert(number, Arc::clone(&sums));
        Ok(sums)
    }
}

fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Result<(), Damage> {
    plain::read_at(file, bytes, at).map_err(|_| Damage("it cannot be read"))
}
