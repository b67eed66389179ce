//! The questions that a proposal is asked; each answer is a reason to refuse it, or nothing.

use super::claims::{self, Checked};
use super::prose;
use super::read::{Read, Span, bare, is_particular, spans, told};
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
        prose::is_report(&self.body).then_some(Reason::Status)
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
        let few = fresh == 0 || fresh * 4 <= self.body.anchors.len();
        // Where every name is given too, and there are some, fewer of the other words have to be.
        let named = fresh == 0 && !self.body.anchors.is_empty();
        few && given.covers_all(&self.body) >= if named { enough - 0.08 } else { enough }
    }

    pub(super) fn checked(&self) -> &Checked {
        self.claims.get_or_init(|| match self.background.ground {
            Some(ground) => {
                let whole = Read::of(&self.whole, self.embedder);
                claims::check(&whole.sentences, ground)
            }
            None => Checked::default(),
        })
    }

    /// What is true and still not worth keeping, or was never more than a guess.
    pub(super) fn worthless(&self, relation: &Relation) -> Option<Reason> {
        if self.is_guess() {
            return Some(Reason::Hypothetical);
        }
        match relation {
            Relation::Contradicts(_) | Relation::Same(_) => None,
            Relation::Updates(_) => self.retold(),
            Relation::New if self.is_generic() => Some(Reason::Generic),
            Relation::New => self.retold(),
        }
    }

    /// The file that the text only retells.
    fn retold(&self) -> Option<Reason> {
        let ground = self.background.ground?;
        let prose = told(&self.entry.body);
        if prose::has_insight(&prose) || self.body.anchors.is_empty() {
            return None;
        }
        let known = |anchor: &&String| ground.says(anchor) == Some(true);
        let told = self.body.anchors.iter().filter(known).count();
        if told * 10 < self.body.anchors.len() * 8 {
            return None;
        }
        let file = self.body.anchors.iter().find_map(|anchor| ground.file(anchor));
        // Branches may be a rule of the project, or just the code's own.
        let own = file.is_some() || !prose::has_flow(&prose);
        own.then(|| Reason::Trivia(file.unwrap_or("the code").to_owned()))
    }

    /// Advice without anything particular in it.
    fn is_generic(&self) -> bool {
        let text = &self.entry.body;
        let code = spans(text).iter().any(|span| matches!(span, Span::Code(_)));
        let particular =
            text.split_whitespace().map(bare).any(|word| is_particular(word) && !is_acronym(word));
        let named = self.body.sentences.iter().any(|sentence| has_name(&sentence.text));
        !code && !particular && !named && prose::is_advice(&self.body)
    }

    /// Whether the run said this only as a guess or a plan, and then took it back.
    fn is_guess(&self) -> bool {
        let own = prose::doubts(&self.body.lower);
        let (mut doubted, mut told) = (0.0f32, 0.0f32);
        for sentence in &self.output.sentences {
            let lower = sentence.text.to_lowercase();
            let near = self.body.covers(sentence);
            // A guess that is told as a guess is honest.
            let honest = prose::doubts(&lower).iter().any(|word| own.contains(word));
            if prose::is_doubt(&lower) && !honest {
                doubted = doubted.max(near);
            } else {
                told = told.max(near);
            }
        }
        doubted >= 0.4 && doubted > told
    }
}

/// Capitals alone: an abbreviation that everybody uses.
fn is_acronym(word: &str) -> bool {
    word.trim_end_matches('s').chars().all(|c| c.is_uppercase() || c == '-' || c == '/')
}

/// Whether a capital letter inside a sentence names somebody or something.
fn has_name(sentence: &str) -> bool {
    let words = sentence.split_whitespace().skip(1);
    words
        .into_iter()
        .any(|word| word.starts_with(char::is_uppercase) && word.len() > 2 && !is_acronym(bare(word)))
}
