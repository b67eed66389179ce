//! The questions that a proposal is asked; each answer is a reason to refuse it, or nothing.

use super::claims::{self, Checked};
use super::prose;
use super::read::{Read, Span, bare, is_particular, spans, told};
use super::{Case, MOST_WORDS, Reason};
use crate::compare::Relation;
use crate::words::{Term, terms};

/// How far a passage must say what is proposed for it to be taken from there.
const TOLD: f32 = 0.83;
/// The share of its words that a file must have for a text to be its retelling.
const RETOLD: f32 = 0.38;

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
        None
    }

    /// What holds for one run or one day only.
    pub(super) fn passing(&self, relation: &Relation) -> Option<Reason> {
        let settled = matches!(relation, Relation::Contradicts(_));
        (!settled && prose::is_report(&self.body)).then_some(Reason::Status)
    }

    /// What the agent was given: by rawko, or by an instruction file.
    ///
    /// What says otherwise than a memory shares most words with it, and is no echo of it.
    pub(super) fn borrowed(&self, relation: &Relation) -> Option<Reason> {
        if matches!(relation, Relation::Contradicts(_)) {
            return None;
        }
        let is_told = |text: &str| self.body.told_by(&Read::of(text, self.embedder), self.embedder) >= TOLD;
        if is_told(&self.circumstances.injected) {
            return Some(Reason::Echo);
        }
        let restated =
            |(name, text): &(String, String)| is_told(text).then(|| Reason::Instruction(name.clone()));
        self.background.instructions.iter().find_map(restated)
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
        let generic = *relation == Relation::New && self.is_generic();
        if generic { Some(Reason::Generic) } else { self.retold() }
    }

    /// The file that the text only retells: it has the names, most of the words, and the text gives no reason,
    /// limit or consequence.
    fn retold(&self) -> Option<Reason> {
        let ground = self.background.ground?;
        if self.body.anchors.is_empty() || prose::has_insight(&told(&self.entry.body)) {
            return None;
        }
        let names = |path: &str, text: &str| {
            let path = path.to_lowercase();
            let known = |anchor: &&String| text.contains(anchor.as_str()) || path.contains(anchor.as_str());
            let known = self.body.anchors.iter().filter(known).count();
            known * 10 >= self.body.anchors.len() * 8
        };
        let tells = |text: &str| self.body.covered_by(&terms(text).into_iter().collect()) >= RETOLD;
        let file = ground.texts().find(|(path, text)| names(path, text) && tells(text));
        file.map(|(path, _)| Reason::Trivia(path.to_owned()))
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

    /// Whether the run said this only as a guess or a plan, or took it back.
    ///
    /// What counts is how the run's own words speak of it: a belief told in the past, a "would", or a "no" beside
    /// it that the proposal leaves out. Where the run plainly says what is proposed, it is no guess.
    fn is_guess(&self) -> bool {
        let sentences = &self.output.sentences;
        let lower: Vec<String> = sentences.iter().map(|sentence| sentence.text.to_lowercase()).collect();
        let told: Vec<f32> = sentences.iter().map(|s| self.share_told(&s.terms)).collect();
        let doubted: Vec<bool> =
            lower.iter().map(|lower| prose::doubts_beyond(lower, &self.body.lower)).collect();
        let plainly = |but: Option<usize>| {
            let plain = sentences.iter().enumerate().filter(|(at, _)| !doubted[*at] && Some(*at) != but);
            self.share_told_by(plain.flat_map(|(_, sentence)| sentence.terms.iter().copied()))
        };
        let asserted = plainly(None);
        (0..sentences.len()).any(|at| {
            let near = self.body.covers(&sentences[at]);
            if doubted[at] && near >= 0.4 && asserted < told[at] + 0.1 {
                return true;
            }
            if !(0.25..0.9).contains(&near) || plainly(Some(at)) >= 0.5 {
                return false;
            }
            let denied = near >= 0.5 && prose::takes_back_beyond(&lower[at], &self.body.lower);
            let behind = sentences.get(at + 1).filter(|next| self.body.covers(next) < 0.5);
            denied || behind.is_some() && prose::denies(&lower[at + 1])
        })
    }

    /// The share of the proposal's words that are among some terms.
    fn share_told(&self, terms: &[Term]) -> f32 {
        self.share_told_by(terms.iter().copied())
    }

    fn share_told_by(&self, terms: impl Iterator<Item = Term>) -> f32 {
        self.body.covered_by(&terms.collect())
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
