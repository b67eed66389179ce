//! Whether two texts say the same of different things: one shape, another subject.
//!
//! "Service A listens on port 8001" and "Service B listens on port 8002" have nearly all their words in
//! common and are two facts, of which neither says the other, adds to it or denies it. What sets them apart
//! is that something stands in the place of something else near the beginning, where a sentence says what it
//! is about, and that neither text speaks of the other's. What stands in another's place later, or is a number, is a
//! value, and may be one that has changed.

use std::collections::HashSet;

use crate::admission::read::{Read, bare};
use crate::words::{Term, terms};

/// The share of their words that two sentences of one shape have in common, in order.
const ONE_SHAPE: f32 = 0.6;
/// Shorter sentences have no shape.
const LEAST: usize = 4;
/// Most words of a sentence, and most sentences of a text, that are looked at.
const WORDS: usize = 40;
const SENTENCES: usize = 24;

/// Whether a proposal says of its subject what a memory says of another one.
pub(super) fn is_of_another((title, text): (&str, &Read), (known_title, known): (&str, &Read)) -> bool {
    // Under one title things are about one subject.
    if title.trim().eq_ignore_ascii_case(known_title.trim()) {
        return false;
    }
    let (own, theirs) = (Text::of(title, text), Text::of(known_title, known));
    let pairs = own.sentences.iter().flat_map(|one| theirs.sentences.iter().map(move |other| (one, other)));
    let shapes = pairs.map(|(one, other)| (one, other, common(one, other)));
    let alike = |one: &[Word], other: &[Word], common: &[(usize, usize)]| {
        2.0 * common.len() as f32 / (one.len() + other.len()) as f32
    };
    let nearest = shapes
        .map(|(one, other, common)| (alike(one, other, &common), one, other, common))
        .max_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let Some((_, one, other, common)) = nearest.filter(|(alike, ..)| *alike >= ONE_SHAPE) else {
        return false;
    };
    swaps(&common, one.len(), other.len()).any(|(here, there)| {
        let is_subject = 2 * here.start < one.len();
        is_subject
            && one[here].iter().any(|word| word.is_named() && !theirs.has(word))
            && other[there].iter().any(|word| word.is_named() && !own.has(word))
    })
}

/// A text in words.
struct Text {
    sentences: Vec<Vec<Word>>,
    words: HashSet<String>,
    terms: HashSet<Term>,
}

struct Word {
    lower: String,
    terms: Vec<Term>,
    /// One capital letter inside a sentence: "service A".
    letter: bool,
}

impl Text {
    fn of(title: &str, text: &Read) -> Self {
        let sentences = text.sentences.iter().take(SENTENCES).map(|sentence| words(&sentence.text));
        let sentences: Vec<Vec<Word>> = sentences.filter(|words| words.len() >= LEAST).collect();
        let all = || sentences.iter().flatten();
        let title = words(title);
        let words = all().chain(&title).map(|word| word.lower.clone()).collect();
        let terms = all().chain(&title).flat_map(|word| word.terms.iter().copied()).collect();
        Self { sentences, words, terms }
    }

    fn has(&self, word: &Word) -> bool {
        self.words.contains(&word.lower) || word.terms.first().is_some_and(|term| self.terms.contains(term))
    }
}

impl Word {
    /// Whether it can say what a sentence is about: no little word, and no number.
    fn is_named(&self) -> bool {
        let digits = self.lower.starts_with(|c: char| c.is_ascii_digit());
        self.letter || (!self.terms.is_empty() && !digits)
    }
}

fn words(sentence: &str) -> Vec<Word> {
    let cut = sentence.split(|c: char| c.is_whitespace() || "`\"'()[]{},;=:<>|".contains(c)).map(bare);
    let word = |(at, word): (usize, &str)| Word {
        lower: word.to_lowercase(),
        terms: terms(word),
        letter: at > 0 && word.len() == 1 && word.starts_with(char::is_uppercase),
    };
    let said = cut.filter(|word| word.contains(char::is_alphanumeric));
    said.take(WORDS).enumerate().map(word).collect()
}

/// The longest row of words that two sentences have in common, in order: where each stands in both.
fn common(one: &[Word], other: &[Word]) -> Vec<(usize, usize)> {
    let same = |a: usize, b: usize| one[a].lower == other[b].lower;
    // From here on to the end of both sentences.
    let mut longest = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for a in (0..one.len()).rev() {
        for b in (0..other.len()).rev() {
            longest[a][b] = match same(a, b) {
                true => longest[a + 1][b + 1] + 1,
                false => longest[a + 1][b].max(longest[a][b + 1]),
            };
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < one.len() && b < other.len() {
        if same(a, b) {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if longest[a + 1][b] >= longest[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

/// The stretches that stand in each other's place.
fn swaps(
    common: &[(usize, usize)],
    one: usize,
    other: usize,
) -> impl Iterator<Item = (std::ops::Range<usize>, std::ops::Range<usize>)> {
    let ends = common.iter().copied().chain([(one, other)]);
    let starts = std::iter::once((0, 0)).chain(common.iter().map(|(a, b)| (a + 1, b + 1)));
    let gaps = starts.zip(ends).map(|((a, b), (a_end, b_end))| (a..a_end, b..b_end));
    gaps.filter(|(here, there)| !here.is_empty() && !there.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Embedder;

    fn of_another(one: (&str, &str), other: (&str, &str)) -> bool {
        let embedder = Embedder::built_in();
        let read = |text: &str| Read::of(text, &embedder);
        is_of_another((one.0, &read(one.1)), (other.0, &read(other.1)))
    }

    #[test]
    fn the_same_said_of_something_else_is_of_another_subject() {
        for (one, other) in [
            ("Service A listens on port 8001.", "Service B listens on port 8002."),
            ("The Ruby client retries twice.", "The Go client retries twice."),
            (
                "`src/a.rs` must not use the store, it is pure.",
                "`src/b.rs` must not use the store, it is pure.",
            ),
            (
                "Rows of the table `orders` are kept for 30 days.",
                "Rows of the table `users` are kept for 30 days.",
            ),
            ("Der Dienst Alpha lauscht auf Port 1.", "Der Dienst Beta lauscht auf Port 2."),
        ] {
            assert!(of_another(("One", one), ("Another", other)), "{one} {other}");
        }
    }

    #[test]
    fn another_value_of_the_same_is_not() {
        for (one, other) in [
            ("Service A listens on port 8001.", "Service A listens on port 9001."),
            ("Uploads of reports go to the bucket `cold`.", "Uploads of reports go to the bucket `warm`."),
            ("Retries of a job are 3, then it fails.", "Retries of a job are 5, then it fails."),
            (
                "Service B, formerly service A, listens on port 8001.",
                "Service A listens on port 8001 of the host.",
            ),
            ("Build results are cached on the runner.", "The runner stores compilation output."),
        ] {
            assert!(!of_another(("One", one), ("Another", other)), "{one} {other}");
        }
    }

    #[test]
    fn under_one_title_is_one_subject() {
        let (one, other) = ("Use pnpm for every install here.", "Use yarn for every install here.");
        assert!(!of_another(("Package manager", one), ("Package manager", other)));
    }
}
