//! Words that mean nearly the same, so that a question finds an answer in other words.
//!
//! The table is made from the embedding's own token table (`rawko-eval kin`)
//! and lies in the program: for each stem, the few nearest other stems with
//! their likeness. A whole sentence's vector blurs what one word says; its
//! nearest words do not, and looking them up costs one binary search.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | id of the token table it was made from |
//! | u32 | stems *n* |
//! | u64 × *n* | the stems' hashes, sorted |
//! | (u16, u8) × [`MOST`] × *n* | nearest stems by place, with likeness × 255; 0 likeness ends the row |
//!
//! All numbers are little-endian.

use crate::words::Term;

/// Most kin of one stem.
pub const MOST: usize = 12;
/// Less alike than this is no kin.
pub const LEAST: f32 = 0.4;

const ROW: usize = MOST * 3;

static BUILT_IN: &[u8] = include_bytes!("../../model/kin.bin");

/// A table of kin over borrowed bytes.
#[derive(Clone, Copy, Debug)]
pub struct Kin<'a> {
    terms: &'a [[u8; 8]],
    rows: &'a [[u8; ROW]],
}

impl Kin<'static> {
    /// The table in the program.
    pub fn built_in() -> Self {
        Self::read(BUILT_IN).unwrap_or(Self { terms: &[], rows: &[] })
    }
}

impl<'a> Kin<'a> {
    /// A table from bytes as [`Kin::write`] gives them; `None` where they are no such table.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (count, rest) = bytes.get(8..)?.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (terms, rows) = rest.split_at_checked(count.checked_mul(8)?)?;
        let (terms, rows) = (terms.as_chunks().0, rows.as_chunks::<ROW>().0);
        (terms.len() == rows.len()).then_some(Self { terms, rows })
    }

    /// A term's kin with their likeness, nearest first; nothing for a term the table does not know.
    pub fn of(&self, term: Term) -> impl Iterator<Item = (Term, f32)> + 'a {
        let (terms, rows) = (self.terms, self.rows);
        let place = terms.binary_search_by_key(&term.0, |t| u64::from_le_bytes(*t)).ok();
        let row: &[u8] = place.and_then(|at| rows.get(at)).map_or(&[], |row| row);
        row.as_chunks::<3>().0.iter().take_while(|cell| cell[2] > 0).filter_map(move |[low, high, alike]| {
            let kin = terms.get(usize::from(u16::from_le_bytes([*low, *high])))?;
            Some((Term(u64::from_le_bytes(*kin)), f32::from(*alike) / 255.0))
        })
    }

    /// The bytes of a table; `rows` are sorted by term, and their kin are places in it.
    pub fn write(model: u64, rows: &[(Term, Vec<(u16, f32)>)]) -> Vec<u8> {
        let count = u32::try_from(rows.len()).expect("a vocabulary has fewer than 2^16 stems");
        let mut bytes = Vec::with_capacity(12 + rows.len() * (8 + ROW));
        bytes.extend(model.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        rows.iter().for_each(|(term, _)| bytes.extend(term.0.to_le_bytes()));
        for (_, kin) in rows {
            let mut row = [0; ROW];
            for (cell, (place, alike)) in row.as_chunks_mut::<3>().0.iter_mut().zip(kin) {
                let [low, high] = place.to_le_bytes();
                *cell = [low, high, (alike.clamp(0.0, 1.0) * 255.0) as u8];
            }
            bytes.extend(row);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Embedder;
    use crate::words::terms;

    fn kin(word: &str) -> Vec<Term> {
        Kin::built_in().of(terms(word)[0]).map(|(term, _)| term).collect()
    }

    #[test]
    fn the_table_was_made_from_the_embedders_own() {
        assert_eq!(BUILT_IN[..8], Embedder::built_in().model_id().to_le_bytes());
        assert!(Kin::read(BUILT_IN).is_some());
    }

    #[test]
    fn words_of_nearly_the_same_meaning_are_kin() {
        for (word, like) in [("movie", "film"), ("children", "kids"), ("modify", "alter")] {
            assert!(kin(word).contains(&terms(like)[0]), "{word} and {like}");
        }
        assert!(kin("zzyzx").is_empty());
    }

    #[test]
    fn what_is_written_reads_back() {
        let rows = [(Term(3), vec![(1, 1.0)]), (Term(9), vec![])];
        let bytes = Kin::write(7, &rows);
        let read = Kin::read(&bytes).unwrap();
        assert_eq!(read.of(Term(3)).collect::<Vec<_>>(), [(Term(9), 1.0)]);
        assert_eq!(read.of(Term(9)).count(), 0);
    }

    #[test]
    fn a_table_cut_short_is_refused() {
        let bytes = Kin::write(7, &[(Term(3), vec![])]);
        assert!((0..bytes.len()).all(|length| Kin::read(&bytes[..length]).is_none()));
    }
}
