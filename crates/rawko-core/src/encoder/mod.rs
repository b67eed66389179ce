//! What a sentence is about, by a real sentence encoder that lies in the program.
//!
//! all-MiniLM-L6-v2, six layers, with its weights in four bits each (`model/pack.py` at the root of the repository
//! makes the file). Nothing is loaded: weights are read where they lie, and only by who asks. A question of twenty words
//! takes milliseconds, a passage of a memory some tens of them, which is too much for a hook over many
//! memories and nothing to somebody who searches. The token table ([`crate::embed`]) knows words; this knows
//! sentences, and finds what was said in other words.
//!
//! No threads, no memory of earlier texts: the same text gives the same vector.

#![expect(
    clippy::needless_range_loop,
    reason = "the functions of iterators would be called, not inlined: see `product.rs`"
)]

mod product;
mod weights;
mod worded;

use self::product::{Room, forward};
use self::weights::{Dense, Norm, Weights};
pub use self::worded::{AskedWords, WORD_BYTES, Worded};
use crate::embed::Embedder;

/// Numbers in a vector.
const HIDDEN: usize = 384;
/// Numbers within a layer's wide step.
const INNER: usize = 1536;
const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD: usize = HIDDEN / HEADS;
/// Query, key and value of a token.
const ASKED: usize = 3 * HIDDEN;
/// Tokens whose likenesses are worked out at once.
const LANE: usize = 16;
/// Tokens whose sums are added up side by side.
const SOME: usize = 8;
/// Tokens of a text that are read, with the two that open and close it.
const PLACES: usize = 256;
/// What keeps a norm from dividing by nothing.
const LEAST: f32 = 1e-12;

static BUILT_IN: &[u8] = include_bytes!("../../model/encoder.bin");

/// The sentence encoder in the program.
#[derive(Clone, Copy)]
pub struct SentenceEncoder {
    weights: Weights<'static>,
    tokens: Embedder<'static>,
}

impl SentenceEncoder {
    /// Numbers in a vector.
    pub const DIMS: usize = HIDDEN;

    /// The encoder; reads nothing but the head of its weights.
    pub fn built_in() -> Self {
        let weights =
            Weights::read(BUILT_IN).expect("the weights in the program are whole: a test reads them");
        Self { weights, tokens: Embedder::built_in() }
    }

    /// Names the weights: vectors of different ids cannot be compared.
    pub fn model_id(&self) -> u64 {
        self.weights.id
    }

    /// The vector of a text, of length 1; nothing where it has no word that the encoder learned to read.
    ///
    /// Of a long text the first 254 tokens are read: embed passages.
    pub fn encode(&self, text: &str) -> Option<Vec<f32>> {
        let mut rows = self.rows(text)?;
        rows.truncate(PLACES - 2);
        Some(self.encode_rows(&rows))
    }

    /// The same, of at most so many tokens from both ends together, with the two that open and close a text.
    pub(crate) fn encode_ends(&self, text: &str, tokens: usize) -> Option<Vec<f32>> {
        let mut rows = self.rows(text)?;
        let most = tokens.min(PLACES) - 2;
        if rows.len() > most {
            rows.drain(most / 2..rows.len() - most.div_ceil(2));
        }
        Some(self.encode_rows(&rows))
    }

    /// The vector of a text of these tokens.
    fn encode_rows(&self, rows: &[usize]) -> Vec<f32> {
        Self::mean(&self.layered(rows))
    }

    /// What the last layer makes of each token, with the two that open and close a text.
    fn layered(&self, rows: &[usize]) -> Vec<f32> {
        let mut x = self.opened(rows);
        forward(&self.weights, &mut x);
        x
    }

    /// The mean of the tokens, of length 1.
    fn mean(x: &[f32]) -> Vec<f32> {
        let mut mean = vec![0.0; HIDDEN];
        for token in x.chunks_exact(HIDDEN) {
            mean.iter_mut().zip(token).for_each(|(mean, x)| *mean += x);
        }
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt().max(LEAST);
        mean.iter_mut().for_each(|x| *x /= length);
        mean
    }

    /// What the first layer gets: each token's own numbers, and those of its place; with the two that open and close a text.
    fn opened(&self, rows: &[usize]) -> Vec<f32> {
        let [_, open, close] = self.weights.special();
        let mut x = Vec::with_capacity((rows.len() + 2) * HIDDEN);
        for (place, row) in [open].iter().chain(rows).chain(&[close]).enumerate() {
            let mut sum = [0.0; HIDDEN];
            self.weights.words.add(*row, &mut sum);
            self.weights.places.add(place, &mut sum);
            x.extend(sum);
        }
        x
    }

    /// The rows of a text's tokens; nothing where none of them is known.
    fn rows(&self, text: &str) -> Option<Vec<usize>> {
        let mut rows = Vec::new();
        self.each_row(text, |row, _| rows.push(row)).then_some(rows)
    }

    /// Calls `each` with the row of every token and the word that it is of; whether any of them is known.
    fn each_row(&self, text: &str, mut each: impl FnMut(usize, &str)) -> bool {
        let [unknown, ..] = self.weights.special();
        let mut is_read = false;
        self.tokens.tokens(text, |row, word| {
            is_read |= row.is_some();
            each(row.map_or(unknown, usize::from), word);
        });
        is_read
    }
}

/// All layers over all tokens.
///
/// Inlined, as all that it calls, into a function for each width of instructions.
#[inline(always)]
fn layers(weights: &Weights<'_>, x: &mut [f32], dense: impl Fn(&Dense<'_>, (&[f32], &mut [f32]), &mut Room)) {
    let tokens = x.len() / HIDDEN;
    let (mut wide, mut narrow) = (vec![0.0; tokens * INNER], vec![0.0; tokens * HIDDEN]);
    let mut room = Room::of(tokens);
    norm(x, &weights.norm);
    for layer in &weights.layers {
        let asked = &mut wide[..tokens * ASKED];
        dense(&layer.attend, (x, asked), &mut room);
        attend(asked, &mut narrow);
        let found = &mut wide[..tokens * HIDDEN];
        dense(&layer.attended, (&narrow, found), &mut room);
        add(x, found);
        norm(x, &layer.attended_norm);
        dense(&layer.widen, (x, &mut wide), &mut room);
        for x in &mut wide {
            *x = gelu(*x);
        }
        dense(&layer.narrow, (&wide, &mut narrow), &mut room);
        add(x, &narrow);
        norm(x, &layer.narrow_norm);
    }
}

#[inline(always)]
fn add(x: &mut [f32], more: &[f32]) {
    for (x, more) in x.iter_mut().zip(more) {
        *x += more;
    }
}

/// What every token takes from the others, by head; `asked` has query, key and value of each token.
#[inline(always)]
fn attend(asked: &[f32], found: &mut [f32]) {
    let tokens = asked.len() / ASKED;
    let lanes = tokens.div_ceil(LANE);
    let (mut keys, mut shares) = (vec![[0.0; LANE]; HEAD * lanes], vec![[0.0; LANE]; lanes]);
    for head in 0..HEADS {
        let at = |token: usize, what: usize| token * ASKED + what * HIDDEN + head * HEAD;
        // By number and then by token, so that one number of a query meets all keys side by side.
        for token in 0..tokens {
            for n in 0..HEAD {
                keys[n * lanes + token / LANE][token % LANE] = asked[at(token, 1) + n];
            }
        }
        for token in 0..tokens {
            let query = &asked[at(token, 0)..][..HEAD];
            for lane in 0..lanes {
                let mut sums = [0.0; LANE];
                for n in 0..HEAD {
                    let keys = &keys[n * lanes + lane];
                    for other in 0..LANE {
                        sums[other] += query[n] * keys[other];
                    }
                }
                shares[lane] = sums;
            }
            let shares = soften(&mut shares, tokens);
            let mut sums = [0.0; HEAD];
            for other in 0..tokens {
                let (share, value) = (shares[other], &asked[at(other, 2)..][..HEAD]);
                for n in 0..HEAD {
                    sums[n] += share * value[n];
                }
            }
            found[token * HIDDEN + head * HEAD..][..HEAD].copy_from_slice(&sums);
        }
    }
}

/// Turns likenesses of queries and keys into shares that add up to 1.
#[inline(always)]
fn soften(lanes: &mut [[f32; LANE]], tokens: usize) -> &[f32] {
    let scale = 1.0 / (HEAD as f32).sqrt();
    // What lies behind the last token takes nothing.
    lanes.as_flattened_mut()[tokens..].fill(f32::NEG_INFINITY);
    let mut most = [f32::NEG_INFINITY; LANE];
    for lane in &*lanes {
        for n in 0..LANE {
            most[n] = most[n].max(lane[n]);
        }
    }
    let most = most.iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
    for lane in &mut *lanes {
        for n in 0..LANE {
            lane[n] = exp((lane[n] - most) * scale);
        }
    }
    let mut sum = 0.0;
    for share in &lanes.as_flattened()[..tokens] {
        sum += *share;
    }
    for lane in &mut *lanes {
        for n in 0..LANE {
            lane[n] /= sum;
        }
    }
    &lanes.as_flattened()[..tokens]
}

/// The exponential of a number that is not above 0, within a few millionths; none of it is a call, so that many are
/// worked out at once, and alike on every machine.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Two to the power of a whole number and of what is left, between minus a half and a half.
    let power = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = cut(power - 0.5);
    let left = (power - whole) * std::f32::consts::LN_2;
    let mut sum = 1.0 / 120.0;
    sum = sum * left + 1.0 / 24.0;
    sum = sum * left + 1.0 / 6.0;
    sum = sum * left + 0.5;
    sum = sum * left + 1.0;
    sum = sum * left + 1.0;
    sum * f32::from_bits(u32::from(bits(whole + 127.0)) << 23)
}

/// A number up to a million without what is behind its point: casts are made one by one.
#[inline(always)]
fn cut(x: f32) -> f32 {
    // So high up there are no fractions.
    const HIGH: f32 = 8_388_608.0;
    let nearest = (x.abs() + HIGH) - HIGH;
    (nearest - if nearest > x.abs() { 1.0 } else { 0.0 }).copysign(x)
}

/// The lowest bits of a small whole number.
#[inline(always)]
fn bits(whole: f32) -> u16 {
    (whole + 12_582_912.0).to_bits() as u16
}

/// Brings every token's numbers to mean 0 and deviation 1, then to the scale and shift that were learned.
#[inline(always)]
fn norm(x: &mut [f32], norm: &Norm<'_>) {
    let x = x.as_chunks_mut::<HIDDEN>().0;
    let mut first = 0;
    while first < x.len() {
        // Sums are added up number by number, so some tokens' at a time; the last one's more than once.
        let tokens: [&[f32; HIDDEN]; SOME] = std::array::from_fn(|n| &x[(first + n).min(x.len() - 1)]);
        let (mut means, mut spreads) = ([0.0; SOME], [0.0; SOME]);
        for at in 0..HIDDEN {
            for n in 0..SOME {
                means[n] += tokens[n][at];
            }
        }
        for n in 0..SOME {
            means[n] /= HIDDEN as f32;
        }
        for at in 0..HIDDEN {
            for n in 0..SOME {
                spreads[n] += (tokens[n][at] - means[n]) * (tokens[n][at] - means[n]);
            }
        }
        for n in 0..SOME.min(x.len() - first) {
            let by = 1.0 / (spreads[n] / HIDDEN as f32 + LEAST).sqrt();
            let token = &mut x[first + n];
            for at in 0..HIDDEN {
                token[at] = (token[at] - means[n]) * by * norm.scale.get(at) + norm.shift.get(at);
            }
        }
        first += SOME;
    }
}

/// The activation of the wide step: `x` times the share of a normal distribution below it.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function as a ratio of two polynomials, within a few millionths: no exponential is called.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let y = x * x;
    let mut above = -2.726_142_3e-10;
    above = above * y + 2.770_681_4e-8;
    above = above * y - 2.101_024e-6;
    above = above * y - 5.692_506_4e-5;
    above = above * y - 7.349_906_3e-4;
    above = above * y - 2.954_6e-3;
    above = above * y - 1.609_603_3e-2;
    let mut below = -1.456_607_2e-5;
    below = below * y - 2.133_740_6e-4;
    below = below * y - 1.682_827e-3;
    below = below * y - 7.373_329e-3;
    below = below * y - 1.426_473_9e-2;
    x * above / below
}

impl std::fmt::Debug for SentenceEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentenceEncoder").field("model_id", &self.model_id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn encoded(text: &str) -> Vec<f32> {
        SentenceEncoder::built_in().encode(text).expect("a text that can be read")
    }

    #[test]
    fn vectors_are_those_of_the_encoder_itself_but_for_rounding() {
        let floats = include_str!("../../tests/fixtures/encoder/floats.jsonl");
        let (mut pairs, mut near) = (Vec::new(), 0.0);
        for line in floats.lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
            let theirs: Vec<f32> = serde_json::from_value(line["vector"].clone()).expect("numbers");
            let text = line["text"].as_str().expect("a text");
            let ours = encoded(text);
            // A single word, or the same ones again and again, levels out least of what rounding does.
            assert!(alike(&ours, &theirs) > 0.85, "{text}: {}", alike(&ours, &theirs));
            assert!((alike(&ours, &ours) - 1.0).abs() < 1e-4, "{text}");
            near += alike(&ours, &theirs);
            pairs.push((ours, theirs));
        }
        assert!(near / pairs.len() as f32 > 0.94, "{}", near / pairs.len() as f32);
        for (n, (ours, theirs)) in pairs.iter().enumerate() {
            for (other, others) in &pairs[n + 1..] {
                let (ours, theirs) = (alike(ours, other), alike(theirs, others));
                assert!((ours - theirs).abs() < 0.1, "{n}: {ours} for {theirs}");
            }
        }
    }

    #[test]
    fn what_is_said_in_other_words_is_near() {
        let asked = encoded("Why was the customer billed two times?");
        let near = alike(&asked, &encoded("Without a request key a retry charges twice."));
        let far = alike(&asked, &encoded("The integration tests need Redis on port 6379."));
        assert!(near > far + 0.2, "{near} {far}");
    }

    #[test]
    fn of_what_cannot_be_read_there_is_no_vector() {
        let encoder = SentenceEncoder::built_in();
        for text in ["", "  \n", "Он сломал сборку вчера", "依存関係を更新する"] {
            assert_eq!(encoder.encode(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_of_any_length_is_read_as_far_as_there_are_places() {
        let long = "again and ".repeat(100_000);
        assert_eq!(encoded(&long), encoded(&long[..long.len() / 2]));
        assert_ne!(encoded("again"), encoded("again and"));
    }

    #[test]
    fn every_way_that_the_processor_has_gives_the_same_numbers() {
        let encoder = SentenceEncoder::built_in();
        let ways = product::ways();
        for text in ["ok", "run the tests", "five words are odd here", &"word ".repeat(61)] {
            let opened = encoder.opened(&encoder.rows(text).expect("a text that can be read"));
            let run = |way: &product::Forward| {
                let mut x = opened.clone();
                way(&encoder.weights, &mut x);
                x
            };
            let plain = run(ways.last().expect("the plain way"));
            assert!(ways.iter().all(|way| run(way) == plain), "{text}, {} ways", ways.len());
        }
    }

    #[test]
    fn the_weights_are_those_of_the_token_table_and_whole() {
        let encoder = SentenceEncoder::built_in();
        let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        assert_eq!(BUILT_IN[20..].iter().fold(0xcbf2_9ce4_8422_2325, fnv), encoder.model_id());
        assert_eq!(encoder.weights.special()[0], encoder.tokens.count(), "a row for each token of the table");
    }

    #[test]
    fn weights_that_are_torn_are_none() {
        for length in [0, 7, 20, 1_000, BUILT_IN.len() - 1] {
            assert!(Weights::read(&BUILT_IN[..length]).is_none(), "{length}");
        }
        assert!(Weights::read(&[BUILT_IN, &[0]].concat()).is_none());
        assert!(Weights::read(BUILT_IN).is_some());
    }

    #[test]
    fn the_exponential_is_near_enough() {
        for step in 0..=4_000 {
            let x = -(step as f32) / 50.0;
            assert!((exp(x) - x.exp()).abs() < 5e-6, "{x}: {} {}", exp(x), x.exp());
        }
    }

    #[test]
    fn the_error_function_is_near_enough() {
        for (x, expected) in
            [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (-2.0, -0.995_322_3), (9.0, 1.0)]
        {
            assert!((erf(x) - expected).abs() < 2e-6, "{x}: {}", erf(x));
        }
    }
}
