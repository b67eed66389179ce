//! What triggers look at: the task's texts, folded once and shared by all triggers.
//!
//! Folding is lower case plus one form for letters that differ only in case
//! (`ς` and `σ`), so that a pattern needs no case of its own. Long texts keep
//! their head and tail: three quarters of the allowance from the start, where
//! the request stands, the rest from the end, where the question or the error
//! usually is. The cut is a line break, so no pattern matches across it, and
//! lines that are not very long are kept whole or not at all.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::stem::stem;
use crate::task::TaskContext;
use crate::trigger::literals::{ENOUGH_SHARE, Literals};

/// Bytes of a task that triggers look at.
pub const TASK_BYTES: usize = 64 * 1024;
/// Bytes of each other text (plan, history, files, command, error) that triggers look at.
pub const OTHER_BYTES: usize = 16 * 1024;

/// Bytes of a line up to which no half of it is left at a cut: half a line of a log reads like somebody's words.
const LINE: usize = 1024;

/// Bits in the table of three-byte windows; a false hit only costs a verification.
const GRAM_BITS: usize = 1 << 18;

/// Where a trigger matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The task with the agent's name.
    Task,
    /// The current plan.
    Plan,
    /// What happened just before.
    History,
    /// The files in play.
    Files,
    /// The command about to run.
    Command,
    /// The error text.
    Error,
}

impl Place {
    /// What a match here is worth against one in the task itself.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Self::Task | Self::Command | Self::Error => 1.0,
            Self::Plan => 0.6,
            Self::History | Self::Files => 0.4,
        }
    }

    /// The word used in explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Plan => "plan",
            Self::History => "history",
            Self::Files => "files",
            Self::Command => "command",
            Self::Error => "error",
        }
    }
}

/// One text of the task, folded, with the places of its word stems.
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) text: String,
    /// Length of the text without the agent's name behind it.
    pub(crate) own: usize,
    pub(crate) stems: HashMap<String, Vec<u32>>,
}

/// The texts of one task, prepared once for any number of triggers.
pub struct TaskText {
    pub(crate) parts: Vec<Part>,
    pub(crate) files: Vec<String>,
    grams: Vec<u64>,
}

impl TaskText {
    /// Prepares the texts of `task`.
    pub fn new(task: &TaskContext) -> Self {
        let asked = head_and_tail(&task.task, TASK_BYTES);
        let mut parts = vec![Part::new(Place::Task, &asked, &format!(" {}", task.agent))];
        let others = [
            (Place::Plan, &task.plan),
            (Place::History, &task.history),
            (Place::Files, &task.files.join("\n")),
            (Place::Command, &task.command),
            (Place::Error, &task.error),
        ];
        for (place, text) in others {
            if !text.is_empty() {
                parts.push(Part::new(place, &head_and_tail(text, OTHER_BYTES), ""));
            }
        }
        let files =
            task.files.iter().take(512).map(|file| fold(&file.replace('\\', "/"))).collect::<Vec<_>>();
        let mut grams = vec![0_u64; GRAM_BITS / 64];
        for text in parts.iter().map(|part| &part.text).chain(&files) {
            for window in text.as_bytes().windows(3) {
                let bit = gram(window);
                grams[bit / 64] |= 1 << (bit % 64);
            }
        }
        Self { parts, files, grams }
    }

    /// Every text that substrings are looked for in, folded.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.text.as_str()).chain(self.files.iter().map(String::as_str))
    }

    /// The stems of every text's words.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| part.stems.keys().map(String::as_str))
    }

    /// Whether a trigger with these literals can match; `false` is certain, `true` asks for a verification.
    pub fn may_match(&self, literals: &Literals) -> bool {
        match literals {
            Literals::Always => true,
            Literals::AnyOf { substrings, words } => {
                let has = |stem: &String| self.parts.iter().any(|part| part.stems.contains_key(stem));
                let shares =
                    || words.iter().filter(|(stem, _)| has(stem)).map(|(_, share)| share).sum::<f32>();
                substrings.iter().any(|literal| self.may_contain(literal)) || shares() >= ENOUGH_SHARE
            }
        }
    }

    fn may_contain(&self, literal: &str) -> bool {
        literal.as_bytes().windows(3).all(|window| {
            let bit = gram(window);
            self.grams[bit / 64] & (1 << (bit % 64)) != 0
        })
    }
}

impl Part {
    fn new(place: Place, text: &str, agent: &str) -> Self {
        let mut stems: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, word) in (0_u32..).zip(words_of(text).into_iter().chain(words_of(agent))) {
            for form in with_pieces(word) {
                let folded = fold(&form);
                let places = stems.entry(stem(&folded).into_owned()).or_default();
                // A word at hundreds of places says nothing more than at a few dozen.
                if places.len() < 64 {
                    places.push(at);
                }
            }
        }
        let mut folded = fold(text);
        let own = folded.len();
        folded.push_str(&fold(agent));
        Self { place, text: folded, own, stems }
    }
}

/// The words of a text: runs of letters, digits, `_` and inner apostrophes.
pub(crate) fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .collect()
}

/// A word and, where it is written like `twoWords` or `two_words`, its pieces.
fn with_pieces(word: &str) -> HashSet<String> {
    let mut forms = HashSet::from([word.to_owned()]);
    if !word.contains('_') && !word.chars().skip(1).any(char::is_uppercase) {
        return forms;
    }
    let mut piece = String::new();
    let mut after_lower = false;
    for c in word.chars() {
        if c == '_' || (after_lower && c.is_uppercase()) {
            forms.insert(std::mem::take(&mut piece));
        }
        if c != '_' {
            piece.push(c);
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    forms.insert(piece);
    forms.remove("");
    forms
}

/// Lower case, and one form for non-ASCII letters that differ only in case.
pub(crate) fn fold(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.is_ascii() { lower } else { lower.chars().map(fold_char).collect() }
}

/// The form of a letter shared by its cases; ASCII stays as it is, and nothing becomes ASCII.
pub(crate) fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let upper = only(c.to_uppercase()).unwrap_or(c);
    match only(upper.to_lowercase()) {
        Some(lower) if !lower.is_ascii() => lower,
        _ => c,
    }
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

/// The whole text, or its head and tail with a line break between.
pub(crate) fn head_and_tail(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let head = &text[..text.floor_char_boundary(most / 4 * 3)];
    let tail = &text[text.ceil_char_boundary(text.len() + 1 - most / 4)..];
    let whole = head.rsplit_once('\n').filter(|(_, half)| half.len() <= LINE).map(|(lines, _)| lines);
    let rest = tail.split_once('\n').filter(|(half, _)| half.len() <= LINE).map(|(_, lines)| lines);
    Cow::Owned(format!("{}\n{}", whole.unwrap_or(head), rest.unwrap_or(tail)))
}

fn gram(window: &[u8]) -> usize {
    let packed = window.iter().fold(0_u32, |packed, &byte| packed << 8 | u32::from(byte));
    (packed.wrapping_mul(0x9E37_79B1) >> 14) as usize % GRAM_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_in_case_alone_fold_to_one() {
        assert_eq!(fold("ΟΔΟΣ Größe ÄNDERN"), fold("οδοσ GRÖßE ändern"));
    }

    #[test]
    fn a_long_task_keeps_its_head_and_its_tail() {
        let task = format!("first {} last", "é".repeat(TASK_BYTES));
        let text = TaskText::new(&TaskContext::of(task));
        let part = &text.parts[0];
        assert!(part.text.starts_with("first") && part.text.trim_end().ends_with("last"));
        assert!(part.text.len() <= TASK_BYTES + 8);
    }

    #[test]
    fn pieces_of_identifiers_count_as_words() {
        let text = TaskText::new(&TaskContext::of("BrokenPipe in max_count"));
        for stem in ["brokenpip", "broken", "pipe", "max_count", "count"] {
            assert!(text.parts[0].stems.contains_key(stem), "{stem}");
        }
    }
}
