//! Vectors in two thirds of their bytes, and none of them lost.
//!
//! A vector's numbers crowd around zero, so small ones get short codes (Rice
//! codes: the lower bits as they are, the rest counted out). How many bits are
//! kept as they are is chosen for each vector.

use rawko_core::{DIMS, Vector};

use super::bytes::{Cursor, Damage, put_varint};

/// How many lower bits may be kept as they are.
const WIDTHS: std::ops::Range<u32> = 1..7;

/// Small for numbers near zero, whichever side they are on.
fn folded(number: i8) -> u32 {
    u32::from((number << 1 ^ number >> 7).cast_unsigned())
}

pub(super) fn put_vector(out: &mut Vec<u8>, vector: &Vector) {
    let numbers = vector.as_array().map(folded);
    let bits = |width: &u32| numbers.iter().map(|number| (number >> width) + 1 + width).sum::<u32>();
    let width = WIDTHS.min_by_key(bits).unwrap_or(WIDTHS.start);
    let mut bytes = vec![width as u8];
    let (mut held, mut count) = (0_u64, 0);
    for number in numbers {
        // At most 127 ones, which do not fit with the rest: they go out in two turns.
        let mut ones = number >> width;
        while ones > 0 {
            let now = ones.min(32);
            held |= ((1_u64 << now) - 1) << count;
            count += now;
            ones -= now;
            spill(&mut bytes, &mut held, &mut count);
        }
        held |= u64::from(number & ((1 << width) - 1)) << (count + 1);
        count += 1 + width;
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

pub(super) fn take_vector(cursor: &mut Cursor<'_>) -> Result<Vector, Damage> {
    const WRONG: Damage = Damage("a vector's code is wrong");
    let length = cursor.count()?;
    let (&width, mut rest) = cursor.take(length)?.split_first().ok_or(WRONG)?;
    let width = u32::from(width);
    if !WIDTHS.contains(&width) {
        return Err(WRONG);
    }
    let mask = (1_u32 << width) - 1;
    let (mut held, mut count) = (0_u64, 0_u32);
    let mut numbers = [0_i8; DIMS];
    for number in &mut numbers {
        let mut ones = 0;
        loop {
            while count <= 56
                && let Some((&byte, behind)) = rest.split_first()
            {
                held |= u64::from(byte) << count;
                count += 8;
                rest = behind;
            }
            let run = (!held).trailing_zeros().min(count);
            if run + 1 + width <= count {
                ones += run;
                held >>= run + 1;
                count -= run + 1;
                break;
            }
            if run == 0 {
                return Err(WRONG);
            }
            ones += run;
            held = held.checked_shr(run).unwrap_or(0);
            count -= run;
        }
        let folded = ones << width | held as u32 & mask;
        held >>= width;
        count -= width;
        let folded = u8::try_from(folded).map_err(|_| WRONG)?;
        *number = (folded >> 1).cast_signed() ^ -((folded & 1).cast_signed());
    }
    Ok(Vector::from_array(numbers))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rawko_core::Embedder;

    use super::*;

    fn round_trip(vector: &Vector) -> usize {
        let mut bytes = Vec::new();
        put_vector(&mut bytes, vector);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(take_vector(&mut cursor).as_ref(), Ok(vector));
        assert!(cursor.is_empty());
        bytes.len()
    }

    #[test]
    fn a_sentence_s_vector_takes_two_thirds() {
        let embedder = Embedder::built_in();
        for text in ["The retry queue drops the last message of a batch.", "cache", "Lunch is at noon."] {
            assert!(round_trip(&embedder.embed(text)) < DIMS * 3 / 4, "{text}");
        }
        round_trip(&Vector::ZERO);
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
