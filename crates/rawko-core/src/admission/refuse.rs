//! The questions that a proposal is asked; each answer is a reason to refuse it, or nothing.

use super::claims::{self, Checked};
use super::manner_model::Kind;
use super::read::Read;
use super::{Case, MOST_WORDS, Reason};
use crate::compare::Relation;

/// How far a passage must say what is proposed for it to be taken from there.
const TOLD: f32 = 0.83;

impl Case<'_> {
    /// What needs no look at anything else: emptiness and dumps.
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

    /// Whether every part of the text makes a claim that is so, or plainly goes on about one that does.
    pub(super) fn is_proved_throughout(&self) -> bool {
        let Some(ground) = self.background.ground else { return false };
        let heading = format!("# {}", self.title);
        let said = self.entry.body.lines().filter(|line| line.trim() != heading.trim());
        let said = said.collect::<Vec<_>>().join("\n");
        // What stands in backticks is one thing, whatever marks are in it.
        let mut code = false;
        let marked: String = said
            .chars()
            .map(|c| {
                code ^= c == '`';
                if !code && matches!(c, ';' | ':') { '\n' } else { c }
            })
            .collect();
        let parts = Read::of(&marked, self.embedder).sentences;
        let mut parts =
            parts.iter().flat_map(|sentence| sentence.text.split('\n')).filter(|part| !is_label(part));
        let is_proved =
            |part: &str| claims::check(&Read::of(part, self.embedder).sentences, ground).proved > 0;
        parts.next().is_some_and(is_proved) && parts.all(|part| goes_on(part) || is_proved(part))
    }

    /// What is true and still not worth keeping, holds for one run only, or was never more than a guess.
    pub(super) fn worthless(&self, relation: &Relation) -> Option<Reason> {
        match self.manner(relation) {
            Kind::Knowledge => None,
            Kind::Status => Some(Reason::Status),
            Kind::Generic => Some(Reason::Generic),
            Kind::Guess => Some(Reason::Hypothetical),
            Kind::Trivia => Some(Reason::Trivia(
                self.retelling().map_or_else(|| "the repository".to_owned(), |(file, _)| file),
            )),
        }
    }
}

/// Whether a part says a little more of what stands before it, in plain words: nothing in it could be run or opened.
fn goes_on(part: &str) -> bool {
    const BACK: [&str; 4] = ["it", "its", "they", "otherwise"];
    /// More words than this say something of their own.
    const MOST: usize = 12;
    let words: Vec<&str> = part.split_whitespace().collect();
    let begins = words.first().is_some_and(|first| {
        BACK.contains(&first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str())
    });
    begins && words.len() <= MOST && words.into_iter().all(is_plain)
}

/// Whether a word could be neither code nor an address.
fn is_plain(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '!', '?', ')']).trim_start_matches('(');
    word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '%'))
}

/// Whether a part is a word before a colon, such as `Note`, or nothing.
fn is_label(part: &str) -> bool {
    let word = part.trim_matches(|c: char| !c.is_alphanumeric());
    word.len() <= 20 && word.chars().all(char::is_alphabetic)
}
