//! What each word of a text means where it stands: two bits a number.
//!
//! One vector for a passage tells what all of it is about. A question often asks for one thing that a passage says beside
//! others; for that each word of the question is held against the nearest word of the passage (known as late
//! interaction). A word is a token with a letter or a digit in it. How much each word of a question counts is
//! decided by who knows the collection: see [`crate::rank`].

use super::{HIDDEN, LEAST, PLACES, SentenceEncoder};
use crate::words::{Term, terms};

/// Bytes of a word.
pub const WORD_BYTES: usize = HIDDEN / 4;

/// A text as the encoder reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Worded {
    /// What all of it is about, of length 1.
    pub vector: Vec<f32>,
    /// Its words in order, [`WORD_BYTES`] each.
    pub words: Vec<u8>,
}

/// The words of a question, to be held against those of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedWords {
    /// What counts as the same word as each, for who knows how rare it is; nothing for a word that says little.
    pub terms: Vec<Vec<Term>>,
    vectors: Vec<[i16; HIDDEN]>,
}

impl SentenceEncoder {
    /// A text and each of its words; nothing where it has no word that the encoder learned to read.
    pub fn encode_words(&self, text: &str) -> Option<Worded> {
        let (tokens, vector, _) = self.read(text)?;
        Some(Worded { vector, words: tokens.iter().flat_map(coded).collect() })
    }

    /// A question and each of its words.
    pub fn encode_question(&self, text: &str) -> Option<(Vec<f32>, AskedWords)> {
        let (tokens, vector, words) = self.read(text)?;
        let vectors = tokens.iter().map(rounded).collect();
        Some((vector, AskedWords { terms: words.iter().map(|word| terms(word)).collect(), vectors }))
    }

    /// What the last layer makes of each word, what it makes of all, and the words themselves.
    #[expect(
        clippy::type_complexity,
        reason = "three things that are known of a text at once, for the two above"
    )]
    fn read(&self, text: &str) -> Option<(Vec<[f32; HIDDEN]>, Vec<f32>, Vec<String>)> {
        let (mut rows, mut places, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let is_read = self.each_row(text, |row, word| {
            if rows.len() < PLACES - 2 && word.contains(char::is_alphanumeric) {
                // Behind the token that opens the text.
                places.push(rows.len() + 1);
                words.push(word.to_owned());
            }
            rows.push(row);
        });
        rows.truncate(PLACES - 2);
        let x = is_read.then(|| self.layered(&rows))?;
        let tokens = x.as_chunks::<HIDDEN>().0;
        Some((places.iter().map(|place| tokens[*place]).collect(), Self::mean(&x), words))
    }
}

impl AskedWords {
    /// For each word of the question, how alike the nearest of a text's words is: 1 is the same; nothing where the text has none.
    pub fn nearest(&self, words: &[u8]) -> Option<Vec<f32>> {
        let words = words.as_chunks::<WORD_BYTES>().0;
        let mut nearest = vec![f32::NEG_INFINITY; self.vectors.len()];
        for word in words {
            let word = unfolded(word);
            let by = 1.0 / (dot(&word, &word) as f32).sqrt();
            for (nearest, asked) in nearest.iter_mut().zip(&self.vectors) {
                *nearest = nearest.max(dot(asked, &word) as f32 * by);
            }
        }
        let length = |asked: &[i16; HIDDEN]| (dot(asked, asked) as f32).sqrt().max(LEAST);
        nearest.iter_mut().zip(&self.vectors).for_each(|(nearest, asked)| *nearest /= length(asked));
        (!words.is_empty()).then_some(nearest)
    }
}

/// A word's numbers in two bits each: below or above 0, and by more than is usual or by less.
fn coded(token: &[f32; HIDDEN]) -> [u8; WORD_BYTES] {
    let usual = (token.iter().map(|x| x * x).sum::<f32>() / HIDDEN as f32).sqrt().max(LEAST);
    let step = |x: f32| ((x / usual).floor().clamp(-2.0, 1.0) + 2.0) as u8;
    std::array::from_fn(|at| (0..4).fold(0, |byte, n| byte | step(token[4 * at + n]) << (2 * n)))
}

/// The numbers that two bits stand for: -3, -1, 1 and 3.
fn unfolded(word: &[u8; WORD_BYTES]) -> [i16; HIDDEN] {
    std::array::from_fn(|at| 2 * i16::from(word[at / 4] >> (2 * (at % 4)) & 3) - 3)
}

/// A word's numbers as whole ones up to 127.
fn rounded(token: &[f32; HIDDEN]) -> [i16; HIDDEN] {
    let most = token.iter().fold(LEAST, |most, x| most.max(x.abs()));
    token.map(|x| (x / most * 127.0).round() as i16)
}

/// Whole numbers, so that many are multiplied at once on any processor.
fn dot(a: &[i16; HIDDEN], b: &[i16; HIDDEN]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<u8> {
        SentenceEncoder::built_in().encode_words(text).expect("a text that can be read").words
    }

    fn asked(text: &str) -> AskedWords {
        SentenceEncoder::built_in().encode_question(text).expect("a text that can be read").1
    }

    #[test]
    fn a_text_has_the_same_vector_with_its_words_and_without() {
        let (encoder, text) = (SentenceEncoder::built_in(), "Deploys are cut from main, never by hand.");
        assert_eq!(encoder.encode_words(text).map(|read| read.vector), encoder.encode(text));
        assert_eq!(encoder.encode_question(text).map(|read| read.0), encoder.encode(text));
        assert_eq!(encoder.encode_words("依存関係を更新する"), None);
    }

    #[test]
    fn marks_are_no_words() {
        assert_eq!(words("run: the tests!").len(), 3 * WORD_BYTES);
        assert_eq!(words("…").len(), 0);
        assert_eq!(asked("run it").nearest(&words("…")), None);
    }

    #[test]
    fn a_word_is_nearest_to_itself_and_then_to_one_that_means_the_same() {
        let question = asked("the customer was billed");
        let of = |text: &str| question.nearest(&words(text)).expect("words");
        assert!(
            of("the customer was billed").iter().all(|alike| *alike > 0.85),
            "{:?}",
            of("the customer was billed")
        );
        let (near, far) = (of("the client was charged"), of("the lamp was broken"));
        assert!(near[1] > far[1] + 0.1 && near[3] > far[3] + 0.1, "{near:?} {far:?}");
    }

    #[test]
    fn each_token_of_a_question_knows_what_counts_as_its_word() {
        let question = asked("Why does the tokenizer fail?");
        assert_eq!(question.terms.len(), question.vectors.len());
        assert!(question.terms.contains(&terms("tokenizer")) && question.terms.contains(&Vec::new()));
    }

    #[test]
    fn of_a_text_without_end_the_words_that_are_read_are_kept() {
        assert_eq!(words(&"again and ".repeat(10_000)).len(), (PLACES - 2) * WORD_BYTES);
    }
}
