//! The one loop that takes the time: a dense step over all tokens of a text, in whole numbers.
//!
//! A row of weights is unpacked once and multiplied with every token. Tokens are rounded to whole numbers up to 127
//! with a scale each, so that a processor can multiply and add many of them with one instruction. Compilers do not
//! find these instructions by themselves; they are named here for the two generations of processors that most
//! machines have, and everything else gets plain code. All three give the same numbers. Loops go by number: the
//! functions of iterators are not compiled for these instructions, and would be called.

use super::weights::{Dense, Weights};
use super::{INNER, layers};

/// Tokens whose products with one row are made together: the row is read once for all of them.
const TOGETHER: usize = 4;

/// Multiplies one row with some tokens.
pub(super) trait Products: Fn(&[i8], [&[i8]; TOGETHER]) -> [i32; TOGETHER] + Copy {}

impl<F: Fn(&[i8], [&[i8]; TOGETHER]) -> [i32; TOGETHER] + Copy> Products for F {}

/// Tokens' numbers, one token after another, rounded to whole ones with a scale for each token.
pub(super) struct Rounded {
    /// Filled up with zeros to a multiple of [`TOGETHER`] tokens.
    numbers: Vec<i8>,
    scales: Vec<f32>,
    /// What each token's numbers add up to.
    sums: Vec<i32>,
    columns: usize,
}

impl Rounded {
    #[inline(always)]
    pub(super) fn of(tokens: &[f32], columns: usize) -> Self {
        let count = tokens.len() / columns;
        let (mut numbers, mut scales) = (Vec::with_capacity(tokens.len()), Vec::with_capacity(count));
        for token in tokens.chunks_exact(columns) {
            let most = token.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
            let step = 127.0 / most;
            // To the nearest, by adding a half: casts cut off, and saturate.
            numbers.extend(token.iter().map(|x| (x * step + 0.5_f32.copysign(*x)) as i8));
            scales.push(most / 127.0);
        }
        numbers.resize(count.next_multiple_of(TOGETHER) * columns, 0);
        let sums =
            numbers.chunks_exact(columns).map(|token| token.iter().map(|x| i32::from(*x)).sum()).collect();
        Self { numbers, scales, sums, columns }
    }
}

/// What a dense step gives for each token, one after another; `products` raises each number of a row by `UP`.
#[inline(always)]
pub(super) fn dense<const UP: i32>(step: &Dense<'_>, input: &Rounded, products: impl Products) -> Vec<f32> {
    let (columns, rows) = (input.columns, step.matrix.rows());
    let mut output = vec![0.0; input.scales.len() * rows];
    let mut weights = [0; INNER];
    let weights = &mut weights[..columns];
    for row in 0..rows {
        step.matrix.row(row, weights);
        let (scale, bias) = (step.matrix.scale(row), step.bias.get(row));
        let mut first = 0;
        while first < input.scales.len() {
            let (ab, cd) = input.numbers[first * columns..][..TOGETHER * columns].split_at(2 * columns);
            let ((a, b), (c, d)) = (ab.split_at(columns), cd.split_at(columns));
            let found = products(weights, [a, b, c, d]);
            for token in first..input.scales.len().min(first + TOGETHER) {
                let product = found[token - first] - UP * input.sums[token];
                output[token * rows + row] = product as f32 * scale * input.scales[token] + bias;
            }
            first += TOGETHER;
        }
    }
    output
}

/// A way to run all layers over a text's tokens.
pub(super) type Forward = fn(&Weights<'_>, &mut [f32]);

/// The ways that this processor has, the quickest first; all give the same numbers.
pub(super) fn ways() -> Vec<Forward> {
    let mut ways: Vec<Forward> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    x86::add_ways(&mut ways);
    ways.push(|weights, x| layers::<0>(weights, x, plain));
    ways
}

/// Runs all layers over a text's tokens, in the quickest way.
pub(super) fn forward(weights: &Weights<'_>, x: &mut [f32]) {
    ways()[0](weights, x);
}

fn plain(row: &[i8], tokens: [&[i8]; TOGETHER]) -> [i32; TOGETHER] {
    let product = |(a, b): (&i8, &i8)| i32::from(i16::from(*a) * i16::from(*b));
    tokens.map(|token| row.iter().zip(token).map(product).sum())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Forward, TOGETHER, Weights, layers};

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
    pub(super) fn forward_by_bytes(weights: &Weights<'_>, x: &mut [f32]) {
        let up = _mm512_set1_epi8(-128);
        layers::<UP>(weights, x, |row: &[i8], tokens: [&[i8]; TOGETHER]| {
            let mut sums = [_mm512_setzero_si512(); TOGETHER];
            let row = row.as_chunks::<64>().0;
            let [a, b, c, d] = tokens;
            let (a, b) = (&a.as_chunks::<64>().0[..row.len()], &b.as_chunks::<64>().0[..row.len()]);
            let (c, d) = (&c.as_chunks::<64>().0[..row.len()], &d.as_chunks::<64>().0[..row.len()]);
            for at in 0..row.len() {
                let weights = _mm512_xor_si512(wide(&row[at]), up);
                sums[0] = _mm512_dpbusd_epi32(sums[0], weights, wide(&a[at]));
                sums[1] = _mm512_dpbusd_epi32(sums[1], weights, wide(&b[at]));
                sums[2] = _mm512_dpbusd_epi32(sums[2], weights, wide(&c[at]));
                sums[3] = _mm512_dpbusd_epi32(sums[3], weights, wide(&d[at]));
            }
            let [a, b, c, d] = sums;
            let half =
                |sum| _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum));
            added(half(a), half(b), half(c), half(d))
        });
    }

    /// Sixteen products of pairs of bytes at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn forward_by_pairs(weights: &Weights<'_>, x: &mut [f32]) {
        layers::<0>(weights, x, |row: &[i8], tokens: [&[i8]; TOGETHER]| {
            let mut sums = [_mm256_setzero_si256(); TOGETHER];
            let row = row.as_chunks::<16>().0;
            let [a, b, c, d] = tokens;
            let (a, b) = (&a.as_chunks::<16>().0[..row.len()], &b.as_chunks::<16>().0[..row.len()]);
            let (c, d) = (&c.as_chunks::<16>().0[..row.len()], &d.as_chunks::<16>().0[..row.len()]);
            for at in 0..row.len() {
                let weights = _mm256_cvtepi8_epi16(narrow(&row[at]));
                let times = |token| _mm256_madd_epi16(weights, _mm256_cvtepi8_epi16(narrow(token)));
                sums[0] = _mm256_add_epi32(sums[0], times(&a[at]));
                sums[1] = _mm256_add_epi32(sums[1], times(&b[at]));
                sums[2] = _mm256_add_epi32(sums[2], times(&c[at]));
                sums[3] = _mm256_add_epi32(sums[3], times(&d[at]));
            }
            let [a, b, c, d] = sums;
            added(a, b, c, d)
        });
    }

    /// What each of four registers adds up to.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn added(a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> [i32; TOGETHER] {
        let pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
        [
            _mm_extract_epi32::<0>(four),
            _mm_extract_epi32::<1>(four),
            _mm_extract_epi32::<2>(four),
            _mm_extract_epi32::<3>(four),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    #[expect(unsafe_code, reason = "a register is filled by an address")]
    fn wide(bytes: &[i8; 64]) -> __m512i {
        // SAFETY: the address is that of sixty-four bytes, and need not be aligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "a register is filled by an address")]
    fn narrow(bytes: &[i8; 16]) -> __m128i {
        // SAFETY: the address is that of sixteen bytes, and need not be aligned.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }
}
