//! Linear models over named measures and common words: what small labelled sets can teach, and a person can read.
//!
//! A model is a text in `model/` that `rawko-eval` writes (`fit`, `said`, `denied`, `errand`). Each line is `bias`, a measure, a pair of measures (their
//! product: what one means may depend on the other), a word or a number of a vector, with a
//! weight for each answer but the first, whose score is 0 throughout: a weight says how far it speaks for the other answer.
//! Where the sentence encoder read everything that a question asks for, other weights answer it, fitted with what it heard;
//! everywhere else those that know nothing of it.

use std::collections::{HashMap, HashSet};

/// What a proposal is judged by.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// Every measure by its name, brought to about 0 to 1.
    pub values: Vec<(&'static str, f32)>,
    /// The words of its prose, each once, and those of the run beside it as `run:because`; the models know some hundred
    /// common ones.
    pub words: Vec<String>,
    /// What the sentence encoder heard, where it was asked and could read it.
    pub encoded: Option<Encoded>,
}

/// What the sentence encoder heard.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Further measures.
    pub values: Vec<(&'static str, f32)>,
    /// Vectors by their names.
    pub vectors: Vec<(&'static str, Vec<f32>)>,
}

/// The weights of one question: without and with what the encoder heard.
pub(crate) struct Weighed {
    pub(crate) plain: &'static str,
    pub(crate) encoded: &'static str,
}

impl Weighed {
    /// The score of each answer but the first.
    pub(crate) fn scores<const K: usize>(&self, measures: &Measures) -> [f32; K] {
        scores(if measures.encoded.is_some() { self.encoded } else { self.plain }, measures)
    }
}

impl Measures {
    /// A measure; 0 where it was not taken.
    pub(crate) fn get(&self, name: &str) -> f32 {
        self.values.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, value)| *value)
    }

    fn any(&self, name: &str) -> Option<f32> {
        let heard = self.encoded.iter().flat_map(|encoded| &encoded.values);
        self.values.iter().chain(heard).find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// A number of a vector by its place.
    fn number(&self, name: &str, at: &str) -> Option<f32> {
        let mut vectors = self.encoded.iter().flat_map(|encoded| &encoded.vectors);
        let (_, vector) = vectors.find(|(known, _)| *known == name)?;
        vector.get(at.parse::<usize>().ok()?).copied()
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
                let value = measures.any(name);
                found += usize::from(value.is_some());
                value.unwrap_or_default()
            }
            (Some("vector"), Some(name)) => {
                cells.next().and_then(|at| measures.number(name, at)).unwrap_or_default()
            }
            _ => continue,
        };
        for (score, weight) in scores.iter_mut().zip(cells) {
            *score += value * weight.parse::<f32>().unwrap_or_default();
        }
    }
    let heard = measures.encoded.as_ref().map_or(0, |encoded| encoded.values.len());
    debug_assert_eq!(found, measures.values.len() + heard, "a new measure asks for a new fit");
    scores
}

/// A model of two answers that knows words, and perhaps one vector, read once.
pub(crate) struct WordModel {
    bias: f32,
    weights: HashMap<&'static str, f32>,
    /// The weights of the vector's numbers, in order.
    vector: Vec<f32>,
}

impl WordModel {
    pub(crate) fn read(model: &'static str) -> Self {
        let mut read = Self { bias: 0.0, weights: HashMap::new(), vector: Vec::new() };
        for line in model.lines() {
            let mut cells = line.split_whitespace();
            let (Some(sort), Some(word)) = (cells.next(), cells.next()) else { continue };
            let Some(weight) = cells.last().and_then(|weight| weight.parse::<f32>().ok()) else { continue };
            match sort {
                "bias" => read.bias = weight,
                "word" => _ = read.weights.insert(word, weight),
                "vector" => read.vector.push(weight),
                _ => {}
            }
        }
        read
    }

    /// What the numbers of a vector add to a score.
    pub(crate) fn sense(&self, vector: &[f32]) -> f32 {
        self.vector.iter().zip(vector).map(|(weight, number)| weight * number).sum()
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
        scores(MODEL, &Measures { values: vec![("near", near)], words, encoded: None })
    }

    #[test]
    fn measures_and_known_words_are_added_to_the_bias() {
        assert_eq!(judged(0.0, &[]), [1.0, -1.0]);
        assert_eq!(judged(0.5, &["unknown"]), [2.0, -0.75]);
        assert_eq!(judged(0.0, &["instead"]), [1.0, -1.0 + 10.0 * WORD]);
    }

    #[test]
    fn what_the_encoder_heard_is_weighed_by_weights_of_its_own() {
        let weighed = Weighed {
            plain: "bias all 1.0\n",
            encoded: "bias all 2.0\nmeasure alike 10.0\nvector body 0 1.0\nvector body 1 -1.0\n",
        };
        let judged = |encoded| weighed.scores::<1>(&Measures { encoded, ..Measures::default() });
        let vectors = vec![("body", vec![0.5, 0.25])];
        assert_eq!(judged(None), [1.0]);
        assert_eq!(judged(Some(Encoded { values: vec![("alike", 0.5)], vectors })), [7.25]);
    }
}
