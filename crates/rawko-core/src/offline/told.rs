//! What a person told the agent to keep: "remember: …", "we use …, not …", "never …".
//!
//! Whoever says so once does not want to say it again. The rules that hear a lesson ask for names and reasons,
//! which people leave out where they correct somebody; here the manner in which a thing is said is enough. What is
//! heard so need not be worth keeping, but a person decides that, not a rule.

use super::cues::has;
use super::lesson::{Lesson, Lore};
use super::prose::told_sentences;
use super::{SAME, set, share_of};
use crate::run_record::{Run, Speaker, Step};
use crate::words::terms;

/// Most of one message and of one run: more is a pasted text, not somebody's word.
const OF_A_MESSAGE: usize = 3;
const OF_A_RUN: usize = 8;
/// Most words of a rule.
const WORDS: usize = 80;
/// What a rule is worth beside other lessons.
const STRENGTH: f32 = 3.4;

/// A wish to have something kept, as it opens a sentence; what is to be kept follows.
const WISHES: [&str; 25] = [
    "remember to",
    "remember that",
    "remember this",
    "remember",
    "keep in mind that",
    "keep in mind",
    "bear in mind that",
    "bear in mind",
    "don't forget to",
    "don't forget that",
    "don't forget",
    "do not forget to",
    "do not forget that",
    "do not forget",
    "for next time",
    "for the next time",
    "for the future",
    "for future reference",
    "in future",
    "in the future",
    "from now on",
    "going forward",
    "make a note that",
    "note for later",
    "save to memory",
];

/// What a person told the agent to keep, in their words, oldest first.
pub fn told(run: &Run) -> Vec<String> {
    let person = |step: &'_ Step| match step {
        Step::Said { by: Speaker::Person, text } => Some(text.clone()),
        _ => None,
    };
    let mut messages: Vec<String> = run.steps.iter().filter_map(person).collect();
    if messages.is_empty() {
        messages.push(run.task.clone());
    }
    let mut found: Vec<String> =
        messages.iter().rev().flat_map(|message| rules(message)).take(OF_A_RUN).collect();
    found.reverse();
    found
}

/// Whether a text says what a person told the agent to keep.
pub fn says_told(text: &str, told: &[String]) -> bool {
    let words = set(&terms(text));
    told.iter().any(|told| share_of(&terms(told), &words) >= SAME)
}

/// The same as lessons.
pub(super) fn lessons(run: &Run) -> Vec<Lesson> {
    let lesson = |text: String| {
        let lower = text.to_lowercase();
        let chosen = [", not", "instead of", "rather than", "prefer"].iter().any(|word| has(&lower, word));
        let bound =
            ["never", "always", "only", "must", "don't", "do not"].iter().any(|word| has(&lower, word));
        let lore = match (chosen, bound) {
            (true, _) => Lore::Decision,
            (_, true) => Lore::Constraint,
            _ => Lore::Pattern,
        };
        let mut lesson = Lesson::from_prose(lore, text, STRENGTH, "a person said so".to_owned());
        lesson.by_person = true;
        lesson
    };
    told(run).into_iter().map(lesson).collect()
}

/// The rules in a message, first ones first.
fn rules(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut sentences = told_sentences(message).into_iter().peekable();
    while let Some(sentence) = sentences.next() {
        if found.len() == OF_A_MESSAGE {
            break;
        }
        let rule = match wish(&sentence) {
            // "Remember this: …", "For next time." and what comes after it.
            Some("") => sentences.next_if(|next| !next.ends_with('?')),
            Some(kept) => Some(kept.to_owned()),
            None => is_rule(&sentence).then_some(sentence),
        };
        found.extend(rule.filter(|rule| rule.split_whitespace().count() <= WORDS).map(capital));
    }
    found
}

/// What a sentence wishes to have kept; empty where the next one says it.
fn wish(sentence: &str) -> Option<&str> {
    if sentence.ends_with('?') {
        return None;
    }
    let lower = sentence.to_ascii_lowercase();
    let wish = WISHES.iter().find(|wish| {
        lower.strip_prefix(**wish).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })?;
    let kept = sentence[wish.len()..].trim_start_matches([' ', ':', ',', '-', '–', '—']);
    Some(if kept.contains(char::is_alphanumeric) { kept } else { "" })
}

/// Whether a sentence says how things are done here, whoever does them.
fn is_rule(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    if lower.ends_with('?') {
        return false;
    }
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!'])).collect();
    let (first, rest) = match words.as_slice() {
        [
            "in" | "on" | "for",
            "this" | "our",
            "repo" | "repository" | "project" | "codebase" | "team",
            rest @ ..,
        ] => {
            return rest.len() >= 3 && (is_habit(rest) || rest.iter().any(|word| is_binding(word)));
        }
        [first, rest @ ..] => (*first, rest),
        [] => return false,
    };
    rest.len() >= 2
        && match first {
            "never" => !is_past(rest[0]) && rest[0] != "mind",
            "always" => {
                !matches!(rest[0], "the" | "a" | "an" | "this" | "that" | "it" | "same" | "been" | "has")
            }
            "don't" | "dont" => rest[0] == "ever",
            "do" => rest.starts_with(&["not", "ever"]),
            _ => is_habit(&words),
        }
}

/// "We use …", "we don't …": what is so for everybody who works here.
fn is_habit(words: &[&str]) -> bool {
    const HABITS: [&str; 18] = [
        "use", "don't", "dont", "never", "always", "only", "prefer", "avoid", "pin", "deploy", "store",
        "target", "require", "forbid", "support", "write", "name", "commit",
    ];
    match words {
        ["we", "do", "not", ..] => words.len() >= 5,
        ["we", "have" | "keep", "a" | "the" | "all" | "our", ..] => false,
        ["we", verb, rest @ ..] => HABITS.contains(verb) && !rest.is_empty() && !is_opinion(rest[0]),
        _ => false,
    }
}

/// "We don't know", "we don't have": no habit.
fn is_opinion(word: &str) -> bool {
    const OPINIONS: [&str; 12] = [
        "know",
        "have",
        "think",
        "see",
        "want",
        "need",
        "care",
        "understand",
        "get",
        "seem",
        "believe",
        "remember",
    ];
    OPINIONS.contains(&word)
}

fn is_binding(word: &str) -> bool {
    matches!(word, "must" | "never" | "always" | "only" | "not" | "use" | "don't")
}

fn is_past(word: &str) -> bool {
    word.ends_with("ed") || matches!(word, "seen" | "had" | "been" | "did" | "worked" | "was" | "got")
}

fn capital(text: String) -> String {
    let mut letters = text.chars();
    let first = text.split_whitespace().next().unwrap_or_default();
    match letters.next() {
        Some(letter) if first.chars().all(|c| c.is_alphabetic() || c == '\'' || c == ',') => {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => text,
    }
}
