//! One memory, one concept: which sentences belong together, and which stand on their own.
//!
//! A sentence that leans on the one before ("It must…") stays with it, unless
//! both say something that lasts: then its pronoun gets the name it stands for.

use super::anchors::{Sort, anchors, proper_names};
use super::cues::{CAUSE, FAILURE, NORM, has};
use super::prose::sentences;
use super::talk::{is_announcement, without_opening};
use super::{SAME, set, share_of};
use crate::words::terms;

/// Words that open a sentence which means little without the one before it.
const LEANING: [&str; 23] = [
    "it",
    "this",
    "these",
    "those",
    "they",
    "that",
    "otherwise",
    "therefore",
    "thus",
    "so",
    "reason",
    "reasons",
    "hence",
    "there",
    "its",
    "their",
    "because",
    "both",
    "else",
    "see",
    "neither",
    "which",
    "instead",
];
/// Words that open a sentence which leans if a pronoun follows: "Without it".
const PREPOSITIONS: [&str; 10] =
    ["without", "with", "after", "before", "if", "when", "unless", "until", "for", "in"];
/// Pronouns that a name can stand for.
const PRONOUNS: [&str; 4] = ["It ", "This ", "That ", "it "];

/// Most bytes to which sentences are added: nothing longer becomes a memory.
const GROUP: usize = 1_200;
/// So many places in a sentence are looked at where two statements may be joined.
const JOINTS: usize = 3;

/// The sentences of a paragraph, each with those after it that lean on it.
pub(super) fn grouped(paragraph: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for sentence in sentences(paragraph) {
        match groups.last_mut() {
            Some(group)
                if group.len() < GROUP && leans_on(&sentence, group) && !is_announcement(&sentence) =>
            {
                group.push(' ');
                group.push_str(&sentence);
            }
            _ => groups.push(without_opening(&sentence).to_owned()),
        }
    }
    groups
}

/// Whether a sentence means little without what was said before it.
fn leans_on(sentence: &str, before: &str) -> bool {
    leans(sentence)
        || speaks_of_the_same(sentence, before)
        || (is_short(before) && leaves_names_out(sentence))
}

fn is_short(text: &str) -> bool {
    sentences(text).len() <= 2
}

/// "The label was missing": which one, the sentence before says.
fn speaks_of_the_same(sentence: &str, before: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let the = words.next().is_some_and(|word| matches!(word, "The" | "the"));
    let noun = words.next().unwrap_or_default().to_lowercase();
    (the && noun.len() > 3 && has(&before.to_lowercase(), &noun)) || repeats(sentence, before)
}

/// Most of what a sentence speaks of stands in what was said before.
fn repeats(sentence: &str, before: &str) -> bool {
    let own = terms(sentence);
    own.len() >= 3 && share_of(&own, &set(&terms(before))) >= SAME
}

/// "The symptom is a timeout": of what, the sentence before says.
fn leaves_names_out(sentence: &str) -> bool {
    anchors(sentence).is_empty() && proper_names(sentence) == 0 && tells(&sentence.to_lowercase())
}

/// Whether a sentence opens with a word that points back, or says what follows from the one before.
fn leans(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let first = first.split('\'').next().unwrap_or_default();
    let near: Vec<&str> = words.take(8).collect();
    LEANING.contains(&first)
        || near.iter().any(|word| matches!(*word, "therefore" | "hence" | "thus" | "former" | "latter"))
        || near.first().is_some_and(|word| is_pronoun(word) && PREPOSITIONS.contains(&first))
        || near.windows(2).any(|pair| matches!(pair, ["that" | "this", "one"]))
}

fn is_pronoun(word: &str) -> bool {
    matches!(word, "it" | "this" | "that" | "them" | "these" | "those")
}

fn tells(lower: &str) -> bool {
    [NORM, CAUSE, FAILURE].iter().any(|cue| cue.worth_in(lower) > 0.0)
}

/// The parts of a text that hold on their own by `holds`; the text itself where fewer than two do.
///
/// What holds nothing stays with the part before it.
pub(super) fn parts(text: &str, holds: impl Fn(&str) -> bool) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut subject: Option<String> = None;
    for sentence in sentences(text).iter().flat_map(|sentence| clauses(sentence, &holds)) {
        let own = resolved(&sentence, subject.as_deref());
        subject = subject_of(&own).or(subject);
        let alone = (own != sentence || !leans(&sentence)) && has_a_name(&own) && holds(&own);
        match parts.last_mut() {
            Some(last) if !alone || !holds(last) || !has_a_name(last) || repeats(&own, last) => {
                last.push(' ');
                last.push_str(&sentence);
            }
            _ => parts.push(own),
        }
    }
    if parts.iter().filter(|part| holds(part)).count() < 2 { vec![text.to_owned()] } else { parts }
}

/// Whether something of the project is named, not only a number.
fn has_a_name(text: &str) -> bool {
    let says = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).count() >= 2;
    anchors(text).iter().any(|name| !matches!(name.sort, Sort::Version | Sort::Limit) && says(&name.text))
}

/// The halves of a sentence that joins two statements about two names, if each holds.
fn clauses(sentence: &str, holds: &impl Fn(&str) -> bool) -> Vec<String> {
    // A chain of clauses tells one story.
    if sentence.matches("; ").count() > 1 {
        return vec![sentence.to_owned()];
    }
    for joint in ["; ", ", and ", " - "] {
        for (at, _) in sentence.match_indices(joint).take(JOINTS) {
            let (left, right) = (&sentence[..at], &sentence[at + joint.len()..]);
            let in_code = left.matches('`').count() % 2 == 1;
            let names = right.starts_with('`')
                && anchors(left).iter().all(|name| !right.starts_with(&format!("`{}`", name.text)));
            let back = ["them", "they", "their"].iter().any(|word| has(right, word));
            if !in_code && names && !back && holds(left) && holds(right) {
                return vec![format!("{left}."), right.to_owned()];
            }
        }
    }
    vec![sentence.to_owned()]
}

/// The sentence with its opening pronoun replaced by what it stands for.
fn resolved(sentence: &str, subject: Option<&str>) -> String {
    let Some(subject) = subject else { return sentence.to_owned() };
    let pronoun = PRONOUNS.iter().find(|pronoun| sentence.starts_with(**pronoun));
    let Some(rest) = pronoun.map(|pronoun| &sentence[pronoun.len()..]) else { return sentence.to_owned() };
    // "It is X that…" points forward, "This file" names itself.
    let verb = rest.split_whitespace().next().unwrap_or_default();
    let finite =
        matches!(verb, "is" | "was" | "has" | "must" | "cannot" | "can" | "does" | "only" | "never" | "may")
            || (verb.len() > 3 && verb.ends_with('s') && verb.chars().all(|c| c.is_ascii_lowercase()));
    let cleft = matches!(verb, "is" | "was") && (rest.contains(" that ") || rest.contains(" to "));
    if !finite || cleft { sentence.to_owned() } else { format!("{subject} {rest}") }
}

/// The name a sentence is about: the first, if it stands near the beginning.
fn subject_of(sentence: &str) -> Option<String> {
    let first =
        anchors(sentence).into_iter().find(|name| !matches!(name.sort, Sort::Version | Sort::Limit))?;
    let coded = format!("`{}`", first.text);
    let at = sentence.find(&coded).or_else(|| sentence.find(&first.text))?;
    let near = sentence[..at].split_whitespace().count() <= 2;
    near.then_some(if sentence[at..].starts_with('`') { coded } else { first.text })
}
