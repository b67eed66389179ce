//! The questions that a proposal is asked; each answer is a reason to refuse it, or nothing.

use super::claims::{self, Checked};
use super::prose;
use super::read::{Read, has_word};
use super::{Case, MOST_WORDS, Reason};
use crate::compare::Relation;

impl Case<'_> {
    /// What needs no look at anything else: emptiness, dumps, reports.
    pub(super) fn unfit(&self) -> Option<Reason> {
        let words = self.entry.body.split_whitespace().count();
        if words > MOST_WORDS {
            return Some(Reason::Dump);
        }
        if words < 3 || (words < 6 && self.body.anchors.is_empty()) {
            return Some(Reason::Empty);
        }
        self.is_report().then_some(Reason::Status)
    }

    fn is_report(&self) -> bool {
        let (reports, lasting, all) = prose::reports(&self.body);
        reports > 0 && (lasting == 0 || reports > 2 * lasting) && reports * 3 >= all
    }

    /// What the agent was given: by rawko, or by an instruction file.
    pub(super) fn borrowed(&self) -> Option<Reason> {
        let given = Read::of(&self.circumstances.injected, self.embedder);
        if self.is_told_by(&given, 0.62) {
            return Some(Reason::Echo);
        }
        let restated = |(name, text): &(String, String)| {
            self.is_told_by(&Read::of(text, self.embedder), 0.7).then(|| Reason::Instruction(name.clone()))
        };
        self.background.instructions.iter().find_map(restated)
    }

    /// Whether a text that was given says all this already.
    fn is_told_by(&self, given: &Read, enough: f32) -> bool {
        if given.sentences.is_empty() {
            return false;
        }
        let fresh = given.lacks(&self.body).len();
        let few = fresh == 0 || fresh * 5 <= self.body.anchors.len();
        few && given.covers_all(&self.body) >= enough
    }

    pub(super) fn checked(&self) -> Checked {
        match self.background.ground {
            Some(ground) => {
                let whole = Read::of(&self.whole, self.embedder);
                claims::check(&whole.sentences, ground)
            }
            None => Checked::default(),
        }
    }

    /// What is true and still not worth keeping, or was never more than a guess.
    pub(super) fn worthless(&self, relation: &Relation) -> Option<Reason> {
        if self.is_guess() {
            return Some(Reason::Hypothetical);
        }
        if *relation != Relation::New {
            return None;
        }
        if self.is_generic() {
            return Some(Reason::Generic);
        }
        self.retold()
    }

    /// The file that the text only retells.
    fn retold(&self) -> Option<Reason> {
        let ground = self.background.ground?;
        if prose::has_insight(&self.body.lower) || self.body.anchors.is_empty() {
            return None;
        }
        let known = |anchor: &&String| ground.says(anchor) == Some(true);
        let told = self.body.anchors.iter().filter(known).count();
        if told * 10 < self.body.anchors.len() * 8 {
            return None;
        }
        let file = self.body.anchors.iter().find_map(|anchor| ground.file(anchor));
        Some(Reason::Trivia(file.unwrap_or("the code").to_owned()))
    }

    /// Advice without anything particular in it.
    fn is_generic(&self) -> bool {
        let particular = self.body.anchors.iter().filter(|anchor| anchor.len() > 1).count();
        let names = self.body.sentences.iter().any(|sentence| has_name(&sentence.text));
        particular == 0 && !names
    }

    /// Whether the run said this only as a guess or a plan, and then took it back.
    fn is_guess(&self) -> bool {
        let own = self.body.lower.as_str();
        if prose::is_doubt(own) && prose::is_taken_back(own) {
            return false;
        }
        let mut doubted: f32 = 0.0;
        let mut told: f32 = 0.0;
        for sentence in &self.output.sentences {
            let lower = sentence.text.to_lowercase();
            let near = self.body.covers(sentence);
            if prose::is_doubt(&lower) && !has_word(own, lower.as_str()) {
                doubted = doubted.max(near);
            } else {
                told = told.max(near);
            }
        }
        doubted >= 0.4 && doubted > told
    }
}

/// Whether a capital letter inside a sentence names somebody or something.
fn has_name(sentence: &str) -> bool {
    let words = sentence.split_whitespace().skip(1);
    words.into_iter().any(|word| word.starts_with(char::is_uppercase) && word.len() > 2 && !word.chars().all(char::is_uppercase))
}
