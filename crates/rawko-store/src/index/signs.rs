//! Binary sketches of the vectors, one bit of each number: the prefilter of a search by meaning.
//!
//! Two vectors that are alike differ in few signs, and counting those costs an
//! eighth of the bytes and a fraction of the work. It is no answer, but it
//! tells the few hundred whose vectors are worth reading.

use std::f32::consts::PI;

use rawko_core::DIMS;

use super::bytes::Damage;
use super::pages::{Pages, STRIDE, Section};

/// Bytes of a vector's signs.
pub(super) const SIGNS: usize = DIMS / 8;
/// Strides for each of which a thread pays.
const WORTH_A_THREAD: usize = 64;

type Bits = [u64; DIMS / 64];

/// In how many signs every passage differs; one byte each, because every search counts all.
pub(super) fn all_apart(pages: &Pages, to: &Bits) -> Result<Vec<u8>, Damage> {
    let length = pages.length(Section::Signs) as usize;
    let mut found = vec![0; length / SIGNS];
    let strides = length.div_ceil(STRIDE);
    let threads = match strides.div_ceil(WORTH_A_THREAD) {
        // Asking for the processors reads several files of the system.
        0 | 1 => 1,
        paid => std::thread::available_parallelism().map_or(1, usize::from).min(4).min(paid),
    };
    let share = strides.div_ceil(threads).max(1);
    let scan = |part: usize, found: &mut [u8]| scan(pages, to, part * share, found);
    let parts = found.chunks_mut(share * STRIDE / SIGNS).enumerate();
    if threads == 1 {
        parts.into_iter().try_for_each(|(part, found)| scan(part, found))?;
        return Ok(found);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = parts.map(|(part, found)| scope.spawn(move || scan(part, found))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("counting does not panic"))
    })?;
    Ok(found)
}

/// How alike two vectors are that differ in so many signs.
pub(super) fn likeness(apart: u8) -> f32 {
    (PI * f32::from(apart) / DIMS as f32).cos()
}

/// The passages from a stride on, as many as there is room for.
fn scan(pages: &Pages, to: &Bits, first: usize, found: &mut [u8]) -> Result<(), Damage> {
    let mut buffer = vec![0; STRIDE];
    for (stride, found) in (first..).zip(found.chunks_mut(STRIDE / SIGNS)) {
        let bytes = &mut buffer[..(found.len() * SIGNS).next_multiple_of(super::pages::BLOCK)];
        pages.read_into(Section::Signs, (stride * STRIDE) as u64, bytes)?;
        for (found, signs) in found.iter_mut().zip(bytes.as_chunks::<SIGNS>().0) {
            *found = u8::try_from(apart(signs, to)).unwrap_or(u8::MAX);
        }
    }
    Ok(())
}

/// In how many signs two vectors differ.
fn apart(signs: &[u8; SIGNS], to: &Bits) -> u32 {
    let words = signs.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    words.zip(to).map(|(one, two)| (one ^ two).count_ones()).sum()
}
