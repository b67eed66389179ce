//! One document's record: counts, passages and sentences in one or two thousand bytes.
//!
//! A passage names its terms by their place among the document's, and its
//! neighbours by two such places. The passages' vectors lie in a section of
//! their own, because every search looks at all of them.

use std::collections::HashMap;

use rawko_core::rank::{Analysed, Counts, FIELDS, Passage};
use rawko_core::{Term, Vector};

use super::bytes::{Cursor, Damage, put_varint};
use super::document::Indexed;
use super::rice::{put_plain, put_vector, take_vector};

/// Writes a document's record.
///
/// Its sentences' vectors are kept as they are, or coded without their lowest `dropped` bits.
pub(super) fn encode(indexed: &Indexed, dropped: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let read = &indexed.read;
    read.lengths.iter().for_each(|&length| put_varint(&mut out, u64::from(length)));
    put_varint(&mut out, read.terms.len() as u64);
    for (term, counts) in &read.terms {
        out.extend(term.0.to_le_bytes());
        put_counts(&mut out, counts);
    }
    put_varint(&mut out, read.passages.len() as u64);
    for passage in &read.passages {
        put_passage(&mut out, passage, &read.terms);
    }
    put_varint(&mut out, read.sentences.len() as u64);
    for sentence in &read.sentences {
        match dropped {
            0 => put_plain(&mut out, sentence),
            _ => put_vector(&mut out, sentence, dropped),
        }
    }
    out
}

/// A document's counts, passages without their vectors, and sentences.
pub(super) fn decode(record: &[u8]) -> Result<Analysed, Damage> {
    let mut cursor = Cursor::new(record);
    let mut read = take_words(&mut cursor)?;
    for _ in 0..cursor.count()? {
        read.sentences.push(take_vector(&mut cursor)?);
    }
    Ok(read)
}

/// As [`decode`], without the sentences.
pub(super) fn decode_words(record: &[u8]) -> Result<Analysed, Damage> {
    take_words(&mut Cursor::new(record))
}

fn take_words(cursor: &mut Cursor<'_>) -> Result<Analysed, Damage> {
    let mut read = Analysed::default();
    for length in &mut read.lengths {
        *length = cursor.varint()? as u16;
    }
    let count = cursor.count()?;
    read.terms.reserve(count);
    for _ in 0..count {
        read.terms.push((Term(cursor.u64()?), take_counts(cursor)?));
    }
    for _ in 0..cursor.count()? {
        read.passages.push(take_passage(cursor, &read.terms)?);
    }
    Ok(read)
}

/// Counts in one byte where they are alike and small: which fields, and how often; else a number per field.
pub(super) fn put_counts(out: &mut Vec<u8>, counts: &Counts) {
    let mask = (0..FIELDS).filter(|&field| counts[field] > 0).fold(0_u8, |mask, field| mask | 1 << field);
    let most = counts.iter().copied().max().unwrap_or(0);
    let alike = counts.iter().all(|&count| count == 0 || count == most);
    if alike && most < 16 {
        return out.push(mask | (most as u8) << 4);
    }
    out.push(mask);
    counts.iter().filter(|&&count| count > 0).for_each(|&count| put_varint(out, u64::from(count)));
}

#[inline(always)]
pub(super) fn take_counts(cursor: &mut Cursor<'_>) -> Result<Counts, Damage> {
    let tag = cursor.u8()?;
    // A search takes as many as there are postings: the four numbers of a small one are one multiplication.
    if tag >= 16 {
        let lanes = LANES[usize::from(tag & 15)] * u64::from(tag >> 4);
        return Ok(std::array::from_fn(|field| (lanes >> (16 * field)) as u16));
    }
    take_long_counts(cursor, tag)
}

#[inline(never)]
fn take_long_counts(cursor: &mut Cursor<'_>, tag: u8) -> Result<Counts, Damage> {
    let mut counts = Counts::default();
    for (field, count) in counts.iter_mut().enumerate() {
        if tag & 1 << field != 0 {
            *count = cursor.varint()? as u16;
        }
    }
    Ok(counts)
}

/// Per mask of fields, a 1 in the sixteen bits of each.
const LANES: [u64; 1 << FIELDS] = {
    let mut lanes = [0; 1 << FIELDS];
    let mut mask = 0;
    while mask < lanes.len() {
        let mut field = 0;
        while field < FIELDS {
            lanes[mask] |= (mask as u64 >> field & 1) << (16 * field);
            field += 1;
        }
        mask += 1;
    }
    lanes
};

type Terms = [(Term, Counts)];

fn place(terms: &Terms, term: Term) -> Option<usize> {
    terms.binary_search_by_key(&term, |(known, _)| *known).ok()
}

fn put_passage(out: &mut Vec<u8>, passage: &Passage, terms: &Terms) {
    put_varint(out, u64::from(passage.length));
    put_varint(out, passage.terms.len() as u64);
    let mut places = Vec::with_capacity(passage.terms.len());
    for (term, count) in &passage.terms {
        let place = place(terms, *term);
        places.extend(place);
        // 0 stands for a term that the document does not have: its hash follows.
        put_varint(out, place.map_or(0, |place| place as u64 + 1));
        if place.is_none() {
            out.extend(term.0.to_le_bytes());
        }
        put_varint(out, u64::from(*count));
    }
    put_varint(out, passage.pairs.len() as u64);
    let sides = sides(passage, &places, terms);
    for pair in &passage.pairs {
        match sides.get(pair) {
            Some((a, b)) => put_varint(out, (a * terms.len() + b) as u64 + 1),
            None => {
                put_varint(out, 0);
                out.extend(pair.0.to_le_bytes());
            }
        }
    }
}

/// The places of both terms of a passage's pairs; a long passage is not worth the search for them.
fn sides(passage: &Passage, places: &[usize], terms: &Terms) -> HashMap<Term, (usize, usize)> {
    const WORTH_IT: usize = 128;
    let mut sides = HashMap::with_capacity(passage.pairs.len());
    if places.len() > WORTH_IT {
        return sides;
    }
    for &a in places {
        for &b in places {
            let pair = terms[a].0.pair(terms[b].0);
            if passage.pairs.binary_search(&pair).is_ok() {
                sides.insert(pair, (a, b));
            }
        }
    }
    sides
}

fn take_passage(cursor: &mut Cursor<'_>, terms: &Terms) -> Result<Passage, Damage> {
    const NO_TERM: Damage = Damage("a passage names a term that is not there");
    let length = cursor.varint()? as u32;
    let count = cursor.count()?;
    let mut passage =
        Passage { terms: Vec::with_capacity(count), pairs: Vec::new(), length, vector: Vector::ZERO };
    for _ in 0..count {
        let term = match cursor.varint()? {
            0 => Term(cursor.u64()?),
            place => terms.get(place as usize - 1).ok_or(NO_TERM)?.0,
        };
        passage.terms.push((term, cursor.varint()? as u16));
    }
    let count = cursor.count()?;
    passage.pairs.reserve(count);
    for _ in 0..count {
        passage.pairs.push(match cursor.varint()? {
            0 => Term(cursor.u64()?),
            code => {
                let code = code as usize - 1;
                let (a, b) = (code / terms.len().max(1), code % terms.len().max(1));
                let (a, b) = (terms.get(a).ok_or(NO_TERM)?, terms.get(b).ok_or(NO_TERM)?);
                a.0.pair(b.0)
            }
        });
    }
    passage.terms.sort_unstable();
    passage.pairs.sort_unstable();
    Ok(passage)
}

#[cfg(test)]
mod tests {
    use rawko_core::rank::Document;
    use rawko_core::{Embedder, Memory, Slug, Standing, Trust};

    use super::*;

    #[test]
    fn a_record_has_the_neighbouring_words_of_its_document() {
        let long = "Rows are written twice by the billing worker. ".repeat(40);
        for (title, body) in [
            ("The queue retries", "Retry the queue. Retry the queue again, then stop."),
            ("Über den Dächern", "日本語のテキスト and `src/lib.rs` side by side.\n\nAnother paragraph."),
            ("x", &long),
        ] {
            let text = format!(
                "---\ntitle: \"{title}\"\nwhenToUse: [\"always\"]\ntags: [a]\nimportance: low\n\
                 discoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: tester\n---\n\n{body}\n"
            );
            let thread = rawko_core::parse(&text);
            let body = thread.entries[0].entry.body.clone();
            let memory = Memory::new(Slug::from_title("a"), thread, |_| Standing::Unknown, Trust::Imported);
            let indexed = Indexed::of(&memory, &Embedder::built_in()).expect("an entry");
            let pairs = Document { title, body: &body, ..Document::default() }.pairs();
            assert!(!pairs.is_empty());
            for dropped in [0, 2] {
                let read = decode_words(&encode(&indexed, dropped)).expect("a record");
                assert_eq!(read.pairs(), pairs, "{title}");
            }
        }
    }
}
