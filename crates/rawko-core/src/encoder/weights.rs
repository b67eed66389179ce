//! The encoder's weights as they lie in the file: read in place, nothing is built.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic `rawkoenc` |
//! | u32 | format version, 1 |
//! | u64 | model id: FNV-1a over everything that follows it |
//! | u32 | tokens: those of the token table in its order, then `[UNK]`, `[CLS]`, `[SEP]` |
//! | matrix | a row per token |
//! | matrix | a row per place in the text, 256 |
//! | f32 × 384, twice | scale and shift of the first norm |
//! | six layers | query, key and value; what attention found; norm; the wide step; the narrow step; norm |
//!
//! A dense step is a matrix with a row for each number it gives, then an `f32` for each to add. A matrix of *r* rows
//! by *c* columns is `f32` × *r* scales, `u8` × *r c* / 32 multipliers, and *r c* / 2 bytes of two steps each: of 32
//! numbers, the lower halves of sixteen bytes are the first sixteen. A step *q* with the multiplier *m* of its 32
//! means ((2 *q* − 15) *m* + 8) >> 4, from −127 to 127, times the scale of its row.

use super::product::{Lanes, ROWS};
use super::{HIDDEN, INNER, LAYERS, PLACES};

const MAGIC: &[u8] = b"rawkoenc";
const VERSION: u32 = 1;
/// Numbers that share a multiplier, and the bytes of their steps.
const GROUP: usize = 32;
pub(super) const HALF: usize = GROUP / 2;
/// Tokens behind those of the table.
const SPECIAL: usize = 3;

/// What each step means with each multiplier.
#[cfg(target_arch = "x86_64")]
pub(super) static MEANT: [[i8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut at = 0;
    while at < 256 * 16 {
        table[at / 16][at % 16] = meant(at as u8 % 16, (at / 16) as u8);
        at += 1;
    }
    table
};

#[inline(always)]
const fn meant(step: u8, multiplier: u8) -> i8 {
    (((2 * step as i16 - 15) * multiplier as i16 + 8) >> 4) as i8
}

/// Rows of numbers in four bits each.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) columns: usize,
    scales: &'a [[u8; 4]],
    multipliers: &'a [u8],
    steps: &'a [[u8; HALF]],
}

impl Matrix<'_> {
    pub(super) fn rows(&self) -> usize {
        self.scales.len()
    }

    /// What the whole numbers of some rows are to be multiplied with.
    #[inline(always)]
    pub(super) fn scales<const N: usize>(&self, row: usize) -> [f32; N] {
        Numbers(self.scales).some(row)
    }

    /// Some rows as they lie in the file.
    #[inline(always)]
    pub(super) fn packed(&self, row: usize) -> Packed<'_> {
        let groups = self.columns / GROUP;
        let (multipliers, steps) = (&self.multipliers[row * groups..], &self.steps[row * groups..]);
        Packed { groups, multipliers: &multipliers[..ROWS * groups], steps: &steps[..ROWS * groups] }
    }

    /// Adds a row to `sum`; a row that is not there adds nothing.
    pub(super) fn add(&self, row: usize, sum: &mut [f32; HIDDEN]) {
        if row < self.rows() && self.columns == HIDDEN {
            let [scale] = self.scales(row);
            let groups = row * HIDDEN / GROUP..(row + 1) * HIDDEN / GROUP;
            let packed = self.multipliers[groups.clone()].iter().zip(&self.steps[groups]);
            for ((multiplier, steps), sum) in packed.zip(sum.as_chunks_mut::<GROUP>().0) {
                for n in 0..HALF {
                    sum[n] += scale * f32::from(meant(steps[n] & 15, *multiplier));
                    sum[n + HALF] += scale * f32::from(meant(steps[n] >> 4, *multiplier));
                }
            }
        }
    }
}

/// Some rows in four bits a number.
pub(super) struct Packed<'a> {
    groups: usize,
    multipliers: &'a [u8],
    pub(super) steps: &'a [[u8; HALF]],
}

impl Packed<'_> {
    /// A row's multipliers and steps, one each for a group.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> (&[u8], &[[u8; HALF]]) {
        let (from, groups) = (row * self.groups, self.groups);
        (&self.multipliers[from..][..groups], &self.steps[from..][..groups])
    }

    /// Writes whole numbers, from −127 to 127, the first columns of all rows first.
    #[inline(always)]
    pub(super) fn unpack(&self, into: &mut [Lanes]) {
        for row in 0..ROWS {
            let (multipliers, steps) = self.row(row);
            let into = &mut into.as_chunks_mut::<2>().0[..steps.len()];
            for group in 0..steps.len() {
                let [first, second] = &mut into[group];
                for n in 0..HALF {
                    first[row][n] = meant(steps[group][n] & 15, multipliers[group]);
                    second[row][n] = meant(steps[group][n] >> 4, multipliers[group]);
                }
            }
        }
    }
}

/// One number for each of a step's results.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a>(&'a [[u8; 4]]);

impl Numbers<'_> {
    #[inline(always)]
    pub(super) fn get(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.0[at])
    }

    #[inline(always)]
    pub(super) fn some<const N: usize>(&self, from: usize) -> [f32; N] {
        let numbers = &self.0[from..from + N];
        std::array::from_fn(|at| f32::from_le_bytes(numbers[at]))
    }
}

/// A matrix, and what is added to what it gives.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a> {
    pub(super) matrix: Matrix<'a>,
    pub(super) bias: Numbers<'a>,
}

/// How a text's numbers are brought back to one size.
#[derive(Clone, Copy)]
pub(super) struct Norm<'a> {
    pub(super) scale: Numbers<'a>,
    pub(super) shift: Numbers<'a>,
}

/// One layer.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) attend: Dense<'a>,
    pub(super) attended: Dense<'a>,
    pub(super) attended_norm: Norm<'a>,
    pub(super) widen: Dense<'a>,
    pub(super) narrow: Dense<'a>,
    pub(super) narrow_norm: Norm<'a>,
}

/// All weights, over borrowed bytes.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) id: u64,
    pub(super) words: Matrix<'a>,
    pub(super) places: Matrix<'a>,
    pub(super) norm: Norm<'a>,
    pub(super) layers: [Layer<'a>; LAYERS],
}

impl<'a> Weights<'a> {
    /// Checks the head and the lengths; nothing where they do not fit together.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Rest(bytes.strip_prefix(MAGIC)?);
        if u32::from_le_bytes(*rest.take(1)?.first()?) != VERSION {
            return None;
        }
        let id = u64::from_le_bytes(*rest.take(1)?.first()?);
        let tokens = u32::from_le_bytes(*rest.take(1)?.first()?) as usize;
        let words = rest.matrix(tokens, HIDDEN)?;
        let places = rest.matrix(PLACES, HIDDEN)?;
        let norm = rest.norm()?;
        let layers: Vec<Layer<'a>> = (0..LAYERS).map_while(|_| rest.layer()).collect();
        let layers = layers.try_into().ok()?;
        (rest.0.is_empty() && tokens > SPECIAL).then_some(Self { id, words, places, norm, layers })
    }

    /// The row of a word that the vocabulary cannot spell, and those that open and close a text.
    pub(super) fn special(&self) -> [usize; SPECIAL] {
        std::array::from_fn(|at| self.words.rows() - SPECIAL + at)
    }
}

/// What of the file has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take<const N: usize>(&mut self, count: usize) -> Option<&'a [[u8; N]]> {
        let (taken, rest) = self.0.split_at_checked(count.checked_mul(N)?)?;
        self.0 = rest;
        Some(taken.as_chunks().0)
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Option<Matrix<'a>> {
        let groups = rows.checked_mul(columns)? / GROUP;
        let scales = self.take(rows)?;
        let multipliers = self.take::<1>(groups)?.as_flattened();
        Some(Matrix { columns, scales, multipliers, steps: self.take(groups)? })
    }

    fn numbers(&mut self, count: usize) -> Option<Numbers<'a>> {
        self.take(count).map(Numbers)
    }

    fn dense(&mut self, rows: usize, columns: usize) -> Option<Dense<'a>> {
        Some(Dense { matrix: self.matrix(rows, columns)?, bias: self.numbers(rows)? })
    }

    fn norm(&mut self) -> Option<Norm<'a>> {
        Some(Norm { scale: self.numbers(HIDDEN)?, shift: self.numbers(HIDDEN)? })
    }

    fn layer(&mut self) -> Option<Layer<'a>> {
        Some(Layer {
            attend: self.dense(3 * HIDDEN, HIDDEN)?,
            attended: self.dense(HIDDEN, HIDDEN)?,
            attended_norm: self.norm()?,
            widen: self.dense(INNER, HIDDEN)?,
            narrow: self.dense(HIDDEN, INNER)?,
            narrow_norm: self.norm()?,
        })
    }
}
