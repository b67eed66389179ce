//! Linear models over named measures and common words: what small labelled sets can teach, and a person can read.
//!
//! A model is a text in `model/` that `rawko-eval fit` or `said` writes. Each line is `bias`, a measure, a pair of measures (their
//! product: what one means may depend on the other) or a word, with a
//! weight for each answer but the first, whose score is 0 throughout: a weight says how far it speaks for the other answer.

use std::collections::{HashMap, HashSet};

/// What a proposal is judged by.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// Every measure by its name, brought to about 0 to 1.
    pub values: Vec<(&'static str, f32)>,
    /// The words of its prose, each once, and those of the run beside it as `run:because`; the models know some hundred
    /// common ones.
    pub words: Vec<String>,
}

impl Measures {
    /// A measure; 0 where it was not taken.
    pub(crate) fn get(&self, name: &str) -> f32 {
        self.values.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, value)| *value)
    }
}

/// What a word counts beside a measure of 1; less, as there are many.
pub const WORD: f32 = 0.3;
/// What a pair counts; there are many, too.
pub const PAIR: f32 = 0.3;

/// The score of each answer but the first.
pub(crate) fn scores<const K: usize>(model: &str, measures: &Measures) -> [f32; K] {
    let words: HashSet<&str> = measures.words.iter().map(String::as_str).collect();
    let (mut scores, mut found) = ([0.0; K], 0);
    for line in model.lines() {
        let mut cells = line.split_whitespace();
        let value = match (cells.next(), cells.next()) {
            (Some("bias"), _) => 1.0,
            (Some("word"), Some(word)) if words.contains(word) => WORD,
            (Some("pair"), Some(name)) => {
                PAIR * measures.get(name) * cells.next().map_or(0.0, |other| measures.get(other))
            }
            (Some("measure"), Some(name)) => {
                let value = measures.values.iter().find(|(known, _)| *known == name);
                found += usize::from(value.is_some());
                value.map_or(0.0, |(_, value)| *value)
            }
            _ => continue,
        };
        for (score, weight) in scores.iter_mut().zip(cells) {
            *score += value * weight.parse::<f32>().unwrap_or_default();
        }
    }
    debug_assert_eq!(found, measures.values.len(), "a new measure asks for a new fit");
    scores
}

/// A model of two answers that knows words alone, read once.
pub(crate) struct WordModel {
    bias: f32,
    weights: HashMap<&'static str, f32>,
}

impl WordModel {
    pub(crate) fn read(model: &'static str) -> Self {
        let mut read = Self { bias: 0.0, weights: HashMap::new() };
        for line in model.lines() {
            let mut cells = line.split_whitespace();
            let (Some(sort), Some(word)) = (cells.next(), cells.next()) else { continue };
            let Some(weight) = cells.next().and_then(|weight| weight.parse::<f32>().ok()) else { continue };
            match sort {
                "bias" => read.bias = weight,
                "word" => _ = read.weights.insert(word, weight),
                _ => {}
            }
        }
        read
    }

    /// The score of the second answer; every word is there once.
    pub(crate) fn score(&self, words: &[String]) -> f32 {
        self.bias + WORD * words.iter().filter_map(|word| self.weights.get(word.as_str())).sum::<f32>()
    }
}

/// A count as a share of the most that matters.
pub(crate) fn capped(count: usize, most: usize) -> f32 {
    count.min(most) as f32 / most as f32
}

/// 1 where something is so.
pub(crate) fn flag(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "bias all 1.0 -1.0\nmeasure near 2.0 0.5\npair near near 0.0 0.0\nword instead 0.0 10.0\nword also 10.0 0.0\n";

    fn judged(near: f32, words: &[&str]) -> [f32; 2] {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        scores(MODEL, &Measures { values: vec![("near", near)], words })
    }

    #[test]
    fn measures_and_known_words_are_added_to_the_bias() {
        assert_eq!(judged(0.0, &[]), [1.0, -1.0]);
        assert_eq!(judged(0.5, &["unknown"]), [2.0, -0.75]);
        assert_eq!(judged(0.0, &["instead"]), [1.0, -1.0 + 10.0 * WORD]);
    }
}
