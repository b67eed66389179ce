//! The texts by which the sentence encoder knows a memory, and the one by which it knows a task.
//!
//! An encoder reads a few hundred words at once, and reading takes time: a memory is known by its passages and by the
//! task in which it was found, each on its own, and of a long task the beginning and the end are read, where
//! people say what they want. What may not be said to an agent is not read, and secrets are taken out before
//! anything is cut: half a secret would not be known for one.
//! What a cut leaves of a task are its two ends, in bytes as in tokens.

use std::borrow::Cow;

use crate::encoder::SentenceEncoder;
use crate::memory::{Fold, Memory};
use crate::rank::Document;
use crate::redact::redact;

/// Most bytes of a text: models of few tokens refuse more, or cut it.
const LONGEST: usize = 2_000;
/// Bytes of a task up to which it is read whole; of a longer one, half of that from either end. And the most tokens, for
/// text that has one for every letter or two.
const TASK: usize = 320;
const TASK_TOKENS: usize = 80;

/// What the encoder reads of a memory; nothing where it may not speak.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// What it says, by passages.
    pub said: Vec<String>,
    /// The task in which it was found.
    pub found_in: Option<String>,
}

impl Speech {
    /// What the encoder reads of a memory.
    pub fn of(memory: &Memory) -> Self {
        let Some(fold) = memory.for_agents().filter(Fold::may_be_injected) else { return Self::default() };
        let body = fold.text();
        let (title, body) = (redact(fold.title), redact(&body));
        let document = Document { title: &title, body: &body, ..Document::default() };
        let found_in = fold.discovered_in.map(redact).filter(|task| !task.trim().is_empty());
        Self {
            said: document.passages().map(|text| start(text, LONGEST).to_owned()).collect(),
            found_in: found_in.map(|task| start(&task, LONGEST).to_owned()),
        }
    }
}

/// A question, as it is read: of a long one, its beginning and its end.
pub fn question(text: &str) -> String {
    ends(&redact(text), LONGEST).into_owned()
}

impl SentenceEncoder {
    /// The vector of a task, as it is read before a prompt, where nobody may be kept waiting: of a long one, of its
    /// beginning and its end.
    pub fn encode_task(&self, text: &str) -> Option<Vec<f32>> {
        self.encode_ends(&ends(text.trim(), TASK), TASK_TOKENS)
    }
}

/// A text of at most so many bytes, or half as many from either end.
fn ends(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = &text[text.ceil_char_boundary(text.len() - most / 2)..];
    let end = end.split_once(char::is_whitespace).map_or(end, |(_, rest)| rest);
    Cow::Owned(format!("{} {end}", start(text, most / 2)))
}

fn start(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_task_the_beginning_and_the_end_are_read() {
        let long = format!("Fix the login. {} Why does it loop?", "at frame ü(17)\n".repeat(4_000));
        let read = ends(&long, TASK);
        assert!(read.starts_with("Fix the login.") && read.ends_with("Why does it loop?"), "{read}");
        assert!(read.len() <= TASK + 1, "{}", read.len());
        assert_eq!(ends("Fix the login.", TASK), "Fix the login.");
    }

    #[test]
    fn a_question_behind_a_text_of_very_many_tokens_is_read() {
        let encoder = SentenceEncoder::built_in();
        let log = "1.2;3,4:5/6-7 ".repeat(40);
        let of = |asked: &str| encoder.encode_task(&format!("{log}{asked}")).expect("it is read");
        assert!(of("Why do refunds fail?") != of("Paint the shed."), "the question was not read");
    }

    #[test]
    fn of_a_long_question_to_a_model_the_beginning_and_the_end_are_read() {
        let long =
            question(&format!("Fix the login. {} Why does it loop?", "at frame ü(17)\n".repeat(4_000)));
        assert!(long.starts_with("Fix the login.") && long.ends_with("Why does it loop?"), "{long}");
        assert!(long.len() <= LONGEST + 1, "{}", long.len());
    }
}
