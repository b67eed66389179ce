//! A text as admission sees it: sentences, their words, and what in them is particular.
//!
//! Anchors are the particular things: names of code, paths, numbers, commands.
//! They say the same in every language and every wording, so they carry most
//! of what tells one memory from another.

use std::collections::{BTreeSet, HashSet};

use crate::embed::{Embedder, Vector};
use crate::rank::kin::Kin;
use crate::rank::sentences;
use crate::words::{Term, terms};

/// Bytes of a text that are read.
const MOST: usize = 24 * 1024;

/// Sentences of a given text that are held against a proposal at once.
const PASSAGE: usize = 8;

/// A text, read once.
pub(crate) struct Read {
    /// Its sentences.
    pub(crate) sentences: Vec<Sentence>,
    /// All its terms.
    pub(crate) terms: HashSet<Term>,
    /// All its anchors, lower case, without doubles, in order.
    pub(crate) anchors: Vec<String>,
    /// Its words as they stand, lower case.
    pub(crate) lower: String,
    /// What it is about.
    pub(crate) vector: Vector,
}

/// One sentence.
pub(crate) struct Sentence {
    /// As it stands.
    pub(crate) text: String,
    /// Its distinct terms.
    pub(crate) terms: Vec<Term>,
}

/// The sentences of a text, as far as it is read.
pub(crate) fn sentences_of(text: &str) -> Vec<Sentence> {
    let text = &text[..text.floor_char_boundary(MOST)];
    sentences(text).map(|text| Sentence { text: text.trim().to_owned(), terms: terms(text) }).collect()
}

impl Read {
    pub(crate) fn of(text: &str, embedder: &Embedder<'_>) -> Self {
        let text = &text[..text.floor_char_boundary(MOST)];
        let sentences = sentences_of(text);
        let terms = sentences.iter().flat_map(|sentence| sentence.terms.iter().copied()).collect();
        let lower = text.to_lowercase();
        Self { sentences, terms, anchors: anchors(text), lower, vector: embedder.embed(text) }
    }

    /// The share of a sentence's words that this text has too, in these or nearly these words.
    pub(crate) fn covers(&self, sentence: &Sentence) -> f32 {
        covered(&sentence.terms, &self.terms)
    }

    /// The share of another text's words that this text has too.
    pub(crate) fn covers_all(&self, other: &Read) -> f32 {
        other.covered_by(&self.terms)
    }

    /// The share of this text's words that are among some terms.
    pub(crate) fn covered_by(&self, among: &HashSet<Term>) -> f32 {
        let weigh = |sentence: &Sentence| sentence.terms.len() as f32;
        let all: f32 = self.sentences.iter().map(weigh).sum();
        let found: f32 = self.sentences.iter().map(|s| covered(&s.terms, among) * weigh(s)).sum();
        if all > 0.0 { found / all } else { 0.0 }
    }

    /// How far one passage of a text says all this already: its words and its meaning, less what it does not name.
    ///
    /// A passage, not the whole: a long document has most words somewhere.
    pub(crate) fn told_by(&self, given: &Read, embedder: &Embedder<'_>) -> f32 {
        let fresh = given.lacks(self).len().min(4) as f32;
        let share = |passage: &&[Sentence]| {
            let terms: HashSet<Term> = passage.iter().flat_map(|s| s.terms.iter().copied()).collect();
            self.covered_by(&terms)
        };
        let passages = (0..given.sentences.len())
            .step_by(PASSAGE / 2)
            .map(|from| &given.sentences[from..given.sentences.len().min(from + PASSAGE)]);
        let best = passages.map(|passage| (share(&passage), passage)).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((covered, passage)) = best.filter(|(covered, _)| *covered > 0.4) else { return 0.0 };
        let meaning = |sentence: &Sentence| embedder.embed(&sentence.text).dot(&self.vector);
        covered + 0.5 * passage.iter().map(meaning).fold(0.0, f32::max) - 0.2 * fresh
    }

    /// Anchors of another text that are nowhere in this one.
    pub(crate) fn lacks<'o>(&self, other: &'o Read) -> Vec<&'o str> {
        other.anchors.iter().map(String::as_str).filter(|anchor| !self.has_anchor(anchor)).collect()
    }

    pub(crate) fn has_anchor(&self, anchor: &str) -> bool {
        has_word(&self.lower, anchor) || (anchor.len() > 3 && self.lower.contains(anchor))
    }
}

/// The share of some words that are among others, in these or nearly these words.
fn covered(terms: &[Term], among: &HashSet<Term>) -> f32 {
    if terms.is_empty() {
        return 0.0;
    }
    let kin = Kin::built_in();
    let has = |term: &Term| {
        if among.contains(term) {
            return 1.0;
        }
        let near = kin.of(*term).filter(|(other, _)| among.contains(other));
        near.map(|(_, alike)| alike).fold(0.0, f32::max)
    };
    terms.iter().map(has).sum::<f32>() / terms.len() as f32
}

/// Whether a text has `word` between other signs than letters and digits.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| !text[..at].ends_with(is_inner) && !text[at + word.len()..].starts_with(is_inner))
}

/// A stretch of a text: code in backticks, or prose.
pub(crate) enum Span<'t> {
    /// Between backticks.
    Code(&'t str),
    /// Everything else.
    Prose(&'t str),
}

/// Cuts a text at its backticks; an odd one counts as prose.
pub(crate) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let after = after.trim_start_matches('`');
        let Some((code, behind)) = after.split_once('`') else { break };
        spans.extend([Span::Prose(before), Span::Code(code)]);
        rest = behind.trim_start_matches('`');
    }
    spans.push(Span::Prose(rest));
    spans
}

/// The prose of a text, lower case: what code says is no word of the writer.
pub(crate) fn told(text: &str) -> String {
    let of = |span: Span<'_>| match span {
        Span::Prose(prose) => prose.to_lowercase(),
        Span::Code(_) => " ".to_owned(),
    };
    spans(text).into_iter().map(of).collect()
}

/// The words of a text's prose, lower case, each once.
pub(crate) fn prose_words(text: &str) -> Vec<String> {
    let prose = told(text);
    let words = prose.split(|c: char| !c.is_alphabetic() && c != '\'').map(|word| word.trim_matches('\''));
    let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
    words.into_iter().map(str::to_owned).collect()
}

/// The particular things that a text names, lower case.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut add = |word: &str| {
        let word = word.to_lowercase();
        if !word.is_empty() && seen.insert(word.clone()) {
            found.push(word);
        }
    };
    for span in spans(text) {
        let (words, all) = match span {
            Span::Code(code) => (code, true),
            Span::Prose(prose) => (prose, false),
        };
        for word in words.split(|c: char| c.is_whitespace() || "()[]{},;\"'=<>|".contains(c)) {
            let word = bare(word);
            let told = word.len() > 1 && word.contains(char::is_alphanumeric);
            if told && (all || is_particular(word)) || word.parse::<u32>().is_ok() {
                add(cardinal(word.trim_start_matches("./")));
            }
        }
    }
    found
}

/// `12th` is 12.
fn cardinal(word: &str) -> &str {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let end = &word[digits.len()..];
    let ordinal =
        matches!(end, "st" | "nd" | "rd" | "th") && digits.bytes().all(|byte| byte.is_ascii_digit());
    if ordinal && !digits.is_empty() { digits } else { word }
}

/// A word without the marks of its sentence.
pub(crate) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.' | '*' | '~' | '@'))
        .trim_end_matches(['.', '-'])
}

/// Whether a word of prose names something particular: code, a path, a number, a name in capitals.
pub(crate) fn is_particular(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let capitals = chars.len() > 2 && chars.iter().filter(|c| c.is_uppercase()).count() > 2;
    let digit = chars.iter().any(char::is_ascii_digit);
    let joined = word.contains('_') || word.starts_with("--") || word.contains("::");
    let pathlike = word.trim_matches('/').contains('/') && word.len() > 4;
    let dotted = word.split_once('.').is_some_and(|(stem, end)| {
        stem.len() > 1 && (1..6).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    });
    camel || capitals || digit || joined || pathlike || dotted
}
