//! Compressed vectors: two thirds of their bytes, without loss.
//!
//! A vector's numbers crowd around zero, so small ones get short codes (Rice
//! codes: the lower bits as they are, the rest counted out). How many bits are
//! kept as they are is chosen for each vector. A large store may drop the
//! lowest bits first: that loses a little, and halves the bytes again. Taking
//! the codes apart costs more than reading what they save, so a store that is
//! small either way keeps its numbers as they are.

use rawko_core::{DIMS, Vector};

use super::bytes::{Cursor, Damage, put_varint};

/// How many lower bits may be kept as they are.
const WIDTHS: std::ops::Range<u32> = 1..7;
/// More bytes than any vector's code has.
const LONGEST: usize = 2 * DIMS;
/// Heads a vector whose numbers are kept as they are.
const PLAIN: u8 = 0;
/// Most ones that are counted out.
const MOST_ONES: u32 = 40;

/// Small for numbers near zero, whichever side they are on.
fn folded(number: i8) -> u32 {
    u32::from((number << 1 ^ number >> 7).cast_unsigned())
}

/// Writes a vector as it is.
pub(super) fn put_plain(out: &mut Vec<u8>, vector: &Vector) {
    put_varint(out, DIMS as u64 + 1);
    out.push(PLAIN);
    out.extend(vector.as_array().iter().map(|number| number.cast_unsigned()));
}

/// Writes a vector's code without the lowest `dropped` bits of its numbers.
pub(super) fn put_vector(out: &mut Vec<u8>, vector: &Vector, dropped: u32) {
    let half = (1_i16 << dropped) >> 1;
    let nearest = |number: i8| ((i16::from(number) + half) >> dropped).min(127 >> dropped) as i8;
    let numbers = vector.as_array().map(|number| folded(nearest(number)));
    let bits = |width: &u32| numbers.iter().map(|number| (number >> width) + 1 + width).sum::<u32>();
    let fits = |width: &u32| numbers.iter().all(|number| number >> width < MOST_ONES);
    let width = WIDTHS.filter(fits).min_by_key(bits).unwrap_or(WIDTHS.end - 1);
    let mut bytes = vec![width as u8 | (dropped as u8) << 4];
    let (mut held, mut count) = (0_u64, 0);
    for number in numbers {
        let ones = number >> width;
        held |= ((1_u64 << ones) - 1) << count;
        held |= u64::from(number & ((1 << width) - 1)) << (count + ones + 1);
        count += ones + 1 + width;
        spill(&mut bytes, &mut held, &mut count);
    }
    if count > 0 {
        bytes.push(held as u8);
    }
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn spill(bytes: &mut Vec<u8>, held: &mut u64, count: &mut u32) {
    while *count >= 8 {
        bytes.push(*held as u8);
        *held >>= 8;
        *count -= 8;
    }
}

/// Reads a vector.
pub(super) fn take_vector(cursor: &mut Cursor<'_>) -> Result<Vector, Damage> {
    const WRONG: Damage = Damage("a vector's code is wrong");
    let length = cursor.count()?;
    let (&head, code) = cursor.take(length)?.split_first().ok_or(WRONG)?;
    if head == PLAIN {
        let numbers = <&[u8; DIMS]>::try_from(code).map_err(|_| WRONG)?;
        return Ok(Vector::from_array(numbers.map(u8::cast_signed)));
    }
    let (width, dropped) = (u32::from(head & 15), u32::from(head >> 4));
    if !WIDTHS.contains(&width) || dropped > 7 || code.len() > LONGEST {
        return Err(WRONG);
    }
    // Room behind the end, so that eight bytes can be taken anywhere.
    let mut bytes = [0; LONGEST + 8];
    bytes[..code.len()].copy_from_slice(code);
    let mask = (1_u32 << width) - 1;
    let mut at = 0_usize;
    let mut numbers = [0_i8; DIMS];
    for number in &mut numbers {
        let held = bytes.get(at / 8..).and_then(|rest| rest.first_chunk()).ok_or(WRONG)?;
        let held = u64::from_le_bytes(*held) >> (at % 8);
        let ones = held.trailing_ones();
        if ones >= MOST_ONES {
            return Err(WRONG);
        }
        let folded = ones << width | (held >> (ones + 1)) as u32 & mask;
        at += (ones + 1 + width) as usize;
        let folded = folded as u8;
        let unfolded = (folded >> 1).cast_signed() ^ -((folded & 1).cast_signed());
        *number = unfolded << dropped;
    }
    if at > code.len() * 8 { Err(WRONG) } else { Ok(Vector::from_array(numbers)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rawko_core::Embedder;

    use super::*;

    fn round_trip(vector: &Vector) -> usize {
        let (mut bytes, mut coded) = (Vec::new(), Vec::new());
        put_plain(&mut bytes, vector);
        put_vector(&mut coded, vector, 0);
        let length = coded.len();
        bytes.extend(coded);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(take_vector(&mut cursor).as_ref(), Ok(vector));
        assert_eq!(take_vector(&mut cursor).as_ref(), Ok(vector));
        assert!(cursor.is_empty());
        length
    }

    #[test]
    fn a_sentence_s_vector_takes_two_thirds() {
        let embedder = Embedder::built_in();
        for text in ["The retry queue drops the last message of a batch.", "cache", "Lunch is at noon."] {
            assert!(round_trip(&embedder.embed(text)) < DIMS * 3 / 4, "{text}");
        }
        round_trip(&Vector::ZERO);
    }

    #[test]
    fn without_its_lowest_bits_a_vector_is_nearly_the_same() {
        let embedder = Embedder::built_in();
        let vector = embedder.embed("The retry queue drops the last message of a batch.");
        let mut bytes = Vec::new();
        put_vector(&mut bytes, &vector, 2);
        let coarse = take_vector(&mut Cursor::new(&bytes)).unwrap();
        let other = embedder.embed("Messages of a queue are lost.");
        assert!(bytes.len() < DIMS / 2 && (coarse.dot(&other) - vector.dot(&other)).abs() < 0.02);
    }

    proptest! {
        #[test]
        fn any_vector_reads_back(numbers in proptest::collection::vec(any::<i8>(), DIMS), narrow: bool) {
            let numbers: Vec<i8> = numbers.into_iter().map(|n| if narrow { n / 16 } else { n }).collect();
            round_trip(&Vector::from_array(numbers.try_into().unwrap()));
        }

        #[test]
        fn any_bytes_give_a_vector_or_damage(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = take_vector(&mut Cursor::new(&bytes));
        }
    }
}
