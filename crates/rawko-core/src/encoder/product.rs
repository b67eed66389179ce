//! The one loop that takes the time: a dense step over all tokens of a text, in whole numbers.
//!
//! Sixteen rows of weights are unpacked and then multiplied with all tokens, some of them at a time, so that what is
//! loaded into a register serves several products and sums are added up together. Tokens are rounded to whole numbers
//! up to 127 with a scale each, so that a processor can multiply and add many of them with one instruction. Compilers
//! do not find these instructions by themselves; they are named here for the two generations of processors that most
//! machines have, and everything else gets plain code. All three give the same numbers. Loops go by number: the
//! functions of iterators are not compiled for these instructions, and would be called.

use super::weights::{Dense, HALF, Packed, Weights};
use super::{INNER, bits, cut, layers};

/// Rows that are multiplied together.
pub(super) const ROWS: usize = 16;
/// Tokens that are multiplied together, at most: with more, sums would not stay in registers.
const TOKENS: usize = 6;

/// Numbers of one row or token that lie side by side.
pub(super) type Lane = [i8; HALF];
/// The same columns of some rows.
pub(super) type Lanes = [Lane; ROWS];
/// Sums of products of some rows with a token.
type Sums = [i32; ROWS];

/// Tokens' numbers, one token after another, rounded to whole ones with a scale for each token; and room for the rows
/// that are multiplied with them.
pub(super) struct Room {
    numbers: Vec<i8>,
    scales: Vec<f32>,
    /// What each token's numbers add up to.
    sums: Vec<i32>,
    rows: Vec<Lanes>,
}

impl Room {
    pub(super) fn of(tokens: usize) -> Self {
        Self {
            numbers: vec![0; tokens * INNER],
            scales: vec![0.0; tokens],
            sums: vec![0; tokens],
            rows: vec![[[0; HALF]; ROWS]; INNER / HALF],
        }
    }

    #[inline(always)]
    fn round(&mut self, tokens: &[f32], columns: usize) {
        for n in 0..tokens.len() / columns {
            let token = &tokens[n * columns..][..columns];
            let numbers = &mut self.numbers[n * columns..][..columns];
            // Of numbers without a sign, the bits are in the same order.
            let mut most = f32::MIN_POSITIVE.to_bits();
            for at in 0..columns {
                let bits = token[at].abs().to_bits();
                most = if bits > most { bits } else { most };
            }
            let most = f32::from_bits(most);
            let (step, mut sum) = (127.0 / most, 0);
            for at in 0..columns {
                // To the nearest, by adding a half: casts cut off.
                let rounded = bits(cut(token[at] * step + 0.5_f32.copysign(token[at]))) as i16;
                sum += i32::from(rounded);
                numbers[at] = rounded as i8;
            }
            (self.scales[n], self.sums[n]) = (most / 127.0, sum);
        }
    }
}

/// Writes what a dense step gives for each token, one after another.
///
/// `unpack` writes out some rows, `products` multiplies them with some tokens after raising each of their numbers by
/// `UP`.
#[inline(always)]
fn dense<const UP: i32>(
    step: &Dense<'_>,
    (tokens, output): (&[f32], &mut [f32]),
    room: &mut Room,
    unpack: impl Fn(&Packed<'_>, &mut [Lanes]),
    products: impl Fn(&[Lanes], &[Lane], &mut [Sums]),
) {
    let (columns, rows) = (step.matrix.columns, step.matrix.rows());
    let count = tokens.len() / columns;
    room.round(tokens, columns);
    let unpacked = &mut room.rows[..columns / HALF];
    for row in (0..rows).step_by(ROWS) {
        unpack(&step.matrix.packed(row), unpacked);
        let (scales, bias) = (step.matrix.scales::<ROWS>(row), step.bias.some::<ROWS>(row));
        let mut first = 0;
        while first < count {
            // Of seven, four and three, rather than six and one.
            let some = (count - first).div_ceil((count - first).div_ceil(TOKENS));
            let numbers = &room.numbers[first * columns..][..some * columns];
            let mut found = [[0; ROWS]; TOKENS];
            products(unpacked, numbers.as_chunks().0, &mut found[..some]);
            for n in 0..some {
                let (up, scale) = (UP * room.sums[first + n], room.scales[first + n]);
                let output = &mut output[(first + n) * rows + row..][..ROWS];
                for at in 0..ROWS {
                    output[at] = (found[n][at] - up) as f32 * scales[at] * scale + bias[at];
                }
            }
            first += some;
        }
    }
}

/// A way to run all layers over a text's tokens.
pub(super) type Forward = fn(&Weights<'_>, &mut [f32]);

/// The ways that this processor has, the quickest first; all give the same numbers.
pub(super) fn ways() -> Vec<Forward> {
    let mut ways: Vec<Forward> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    x86::add_ways(&mut ways);
    ways.push(|weights, x| layers(weights, x, dense_plain));
    ways
}

/// Runs all layers over a text's tokens, in the quickest way.
pub(super) fn forward(weights: &Weights<'_>, x: &mut [f32]) {
    ways()[0](weights, x);
}

fn dense_plain(step: &Dense<'_>, tokens: (&[f32], &mut [f32]), room: &mut Room) {
    dense::<0>(step, tokens, room, |packed, rows| packed.unpack(rows), plain);
}

fn plain(rows: &[Lanes], tokens: &[Lane], sums: &mut [Sums]) {
    for (token, sums) in tokens.chunks_exact(rows.len()).zip(sums) {
        for row in 0..ROWS {
            // In this form compilers see that many products can be made and added at once.
            let mut sum = [0; HALF / 2];
            for (rows, token) in rows.iter().zip(token) {
                let product = |at: usize| i32::from(i16::from(rows[row][at]) * i16::from(token[at]));
                for at in 0..HALF / 2 {
                    sum[at] += product(at) + product(at + HALF / 2);
                }
            }
            sums[row] = sum.iter().sum();
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use self::register::{bytes, lane, lanes, to_lane, to_lanes, to_sums};
    use super::super::weights::MEANT;
    use super::{Dense, Forward, HALF, Lane, Lanes, Packed, ROWS, Room, Sums, Weights, dense, layers};

    #[expect(unsafe_code, reason = "wide instructions may be used only where the processor has them")]
    pub(super) fn add_ways(ways: &mut Vec<Forward>) {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
        {
            // SAFETY: the processor was asked for all that the function is compiled for.
            ways.push(|weights, x| unsafe { forward_by_bytes(weights, x) });
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was asked for all that the function is compiled for.
            ways.push(|weights, x| unsafe { forward_by_pairs(weights, x) });
        }
    }

    /// The instruction for bytes wants one side without signs.
    const UP: i32 = 128;

    /// Sixty-four products of bytes at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn forward_by_bytes(weights: &Weights<'_>, x: &mut [f32]) {
        layers(weights, x, |step, tokens, room| dense_by_bytes(step, tokens, room));
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn dense_by_bytes(step: &Dense<'_>, tokens: (&[f32], &mut [f32]), room: &mut Room) {
        let products = |rows: &[Lanes], tokens: &[Lane], sums: &mut [Sums]| match sums.len() {
            6 => by_bytes::<6>(rows, tokens, sums),
            5 => by_bytes::<5>(rows, tokens, sums),
            4 => by_bytes::<4>(rows, tokens, sums),
            3 => by_bytes::<3>(rows, tokens, sums),
            2 => by_bytes::<2>(rows, tokens, sums),
            _ => by_bytes::<1>(rows, tokens, sums),
        };
        dense::<UP>(step, tokens, room, |packed, rows| unpack_wide(packed, rows), products);
    }

    /// Each quarter of a register has its own row, and all have the same columns of a token.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn by_bytes<const N: usize>(rows: &[Lanes], tokens: &[Lane], found: &mut [Sums]) {
        let up = _mm512_set1_epi8(-128);
        let mut sums = [[_mm512_setzero_si512(); 4]; N];
        let tokens: [&[Lane]; N] = std::array::from_fn(|n| &tokens[n * rows.len()..][..rows.len()]);
        for at in 0..rows.len() {
            let fours = rows[at].as_chunks::<4>().0;
            let mut weights = [up; 4];
            for four in 0..4 {
                weights[four] = _mm512_xor_si512(lanes(&fours[four]), up);
            }
            for n in 0..N {
                let token = _mm512_broadcast_i32x4(lane(&tokens[n][at]));
                for four in 0..4 {
                    sums[n][four] = _mm512_dpbusd_epi32(sums[n][four], weights[four], token);
                }
            }
        }
        let in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for n in 0..N {
            // Each quarter has four sums of its row: those of the same place are brought together and added up.
            let [a, b, c, d] = sums[n];
            let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            let sum = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            found[n] = to_sums(_mm512_permutexvar_epi32(in_order, sum));
        }
    }

    /// Sixteen products of pairs of bytes at a time.
    #[target_feature(enable = "avx2")]
    fn forward_by_pairs(weights: &Weights<'_>, x: &mut [f32]) {
        layers(weights, x, |step, tokens, room| dense_by_pairs(step, tokens, room));
    }

    #[target_feature(enable = "avx2")]
    fn dense_by_pairs(step: &Dense<'_>, tokens: (&[f32], &mut [f32]), room: &mut Room) {
        let products = |rows: &[Lanes], tokens: &[Lane], sums: &mut [Sums]| match sums.len() {
            6 => by_pairs::<6>(rows, tokens, sums),
            5 => by_pairs::<5>(rows, tokens, sums),
            4 => by_pairs::<4>(rows, tokens, sums),
            3 => by_pairs::<3>(rows, tokens, sums),
            2 => by_pairs::<2>(rows, tokens, sums),
            _ => by_pairs::<1>(rows, tokens, sums),
        };
        dense::<0>(step, tokens, room, |packed, rows| unpack(packed, rows), products);
    }

    #[target_feature(enable = "avx2")]
    fn by_pairs<const N: usize>(rows: &[Lanes], tokens: &[Lane], found: &mut [Sums]) {
        let tokens: [&[Lane]; N] = std::array::from_fn(|n| &tokens[n * rows.len()..][..rows.len()]);
        for row in (0..ROWS).step_by(2) {
            let mut sums = [[_mm256_setzero_si256(); 2]; N];
            for at in 0..rows.len() {
                let a = _mm256_cvtepi8_epi16(lane(&rows[at][row]));
                let b = _mm256_cvtepi8_epi16(lane(&rows[at][row + 1]));
                for n in 0..N {
                    let token = _mm256_cvtepi8_epi16(lane(&tokens[n][at]));
                    sums[n][0] = _mm256_add_epi32(sums[n][0], _mm256_madd_epi16(a, token));
                    sums[n][1] = _mm256_add_epi32(sums[n][1], _mm256_madd_epi16(b, token));
                }
            }
            for n in 0..N {
                let pairs = _mm256_hadd_epi32(sums[n][0], sums[n][1]);
                let four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
                let two = _mm_hadd_epi32(four, four);
                found[n][row] = _mm_extract_epi32::<0>(two);
                found[n][row + 1] = _mm_extract_epi32::<1>(two);
            }
        }
    }

    /// Looks up what steps mean, and writes it out.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn unpack(packed: &Packed<'_>, rows: &mut [Lanes]) {
        let low = _mm_set1_epi8(15);
        for row in 0..ROWS {
            let (multipliers, steps) = packed.row(row);
            let rows = &mut rows.as_chunks_mut::<2>().0[..steps.len()];
            for group in 0..steps.len() {
                expect(packed, row * steps.len() + group);
                let (meant, steps) = (meant(multipliers[group]), bytes(&steps[group]));
                let high = _mm_and_si128(_mm_srli_epi16::<4>(steps), low);
                rows[group][0][row] = to_lane(_mm_shuffle_epi8(meant, _mm_and_si128(steps, low)));
                rows[group][1][row] = to_lane(_mm_shuffle_epi8(meant, high));
            }
        }
    }

    /// Looks up what the steps of four rows at a time mean, and writes it out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn unpack_wide(packed: &Packed<'_>, rows: &mut [Lanes]) {
        let low = _mm512_set1_epi8(15);
        for four in 0..ROWS / 4 {
            let (by_a, a) = packed.row(4 * four);
            let (by_b, b) = packed.row(4 * four + 1);
            let (by_c, c) = packed.row(4 * four + 2);
            let (by_d, d) = packed.row(4 * four + 3);
            let rows = &mut rows.as_chunks_mut::<2>().0[..a.len()];
            for at in 0..a.len() {
                expect(packed, 4 * (four * a.len() + at));
                let meant = quarters(meant(by_a[at]), meant(by_b[at]), meant(by_c[at]), meant(by_d[at]));
                let steps = quarters(bytes(&a[at]), bytes(&b[at]), bytes(&c[at]), bytes(&d[at]));
                let high = _mm512_and_si512(_mm512_srli_epi16::<4>(steps), low);
                let [first, second] = &mut rows[at];
                first.as_chunks_mut().0[four] =
                    to_lanes(_mm512_shuffle_epi8(meant, _mm512_and_si512(steps, low)));
                second.as_chunks_mut().0[four] = to_lanes(_mm512_shuffle_epi8(meant, high));
            }
        }
    }

    #[inline(always)]
    fn meant(multiplier: u8) -> __m128i {
        lane(&MEANT[usize::from(multiplier)])
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn quarters(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(_mm256_set_m128i(b, a)), _mm256_set_m128i(d, c))
    }

    /// Has steps brought near that will be needed when these rows are done: what waits longest is memory.
    #[inline(always)]
    #[expect(unsafe_code, reason = "an address beyond the rows at hand is told to the processor")]
    fn expect(packed: &Packed<'_>, at: usize) {
        let next = packed.steps.as_ptr().wrapping_add(packed.steps.len() + at);
        // SAFETY: nothing is read, and of an address where nothing lies the processor makes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(next.cast()) }
    }

    /// Registers and arrays are the same bytes.
    mod register {
        #![expect(unsafe_code, reason = "the types do not say that they are the same")]

        use std::arch::x86_64::{__m128i, __m512i};
        use std::mem::transmute;

        use super::{HALF, Lane, Sums};

        #[inline(always)]
        pub(super) fn bytes(bytes: &[u8; HALF]) -> __m128i {
            // SAFETY: both are sixteen bytes, of any value.
            unsafe { transmute(*bytes) }
        }

        #[inline(always)]
        pub(super) fn lane(lane: &Lane) -> __m128i {
            // SAFETY: both are sixteen bytes, of any value.
            unsafe { transmute(*lane) }
        }

        #[inline(always)]
        pub(super) fn lanes(lanes: &[Lane; 4]) -> __m512i {
            // SAFETY: both are sixty-four bytes, of any value.
            unsafe { transmute(*lanes) }
        }

        #[inline(always)]
        pub(super) fn to_lane(register: __m128i) -> Lane {
            // SAFETY: both are sixteen bytes, of any value.
            unsafe { transmute(register) }
        }

        #[inline(always)]
        pub(super) fn to_lanes(register: __m512i) -> [Lane; 4] {
            // SAFETY: both are sixty-four bytes, of any value.
            unsafe { transmute(register) }
        }

        #[inline(always)]
        pub(super) fn to_sums(register: __m512i) -> Sums {
            // SAFETY: both are sixty-four bytes, of any value.
            unsafe { transmute(register) }
        }
    }
}
