//! What a person told the agent to keep: "remember: …", "we use …, not …", "never …".
//!
//! Whoever says so once does not want to say it again. The rules that hear a lesson ask for names and reasons,
//! which people leave out where they correct somebody; here the manner in which a thing is said is enough: an outright
//! wish, or what a linear model learned from invented sessions (`rawko-eval said`). What is heard so need not be worth
//! keeping, but a person decides that, not a rule. Weights are changed by fitting again, never by hand.

use std::collections::{HashMap, HashSet};

use super::cues::has;
use super::lesson::{Lesson, Lore};
use super::prose::{Unit, sentences, told_sentences};
use super::{SAME, set, share_of};
use crate::linear::WORD;
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
    let person = |step| match step {
        &Step::Said { by: Speaker::Person, ref text } => Some(text.as_str()),
        _ => None,
    };
    let mut messages: Vec<&str> = run.steps.iter().filter_map(person).collect();
    if messages.is_empty() {
        messages.push(&run.task);
    }
    // Of more than anybody says, the first, which is the task, and the newest.
    let mut left = OF_ALL;
    let unheard = messages.iter().rposition(|message| {
        let full = message.len().min(HEARD) > left;
        left = left.saturating_sub(message.len().min(HEARD));
        full
    });
    if let Some(unheard @ 1..) = unheard {
        messages[1..=unheard].fill("");
    }
    let mut found = rules(&person_sentences(&messages));
    found.drain(..found.len().saturating_sub(OF_A_RUN));
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

/// The rules among what a person said, oldest first.
fn rules(sentences: &[(String, Stand)]) -> Vec<String> {
    let ear = Ear::new();
    let mut found: Vec<String> = Vec::new();
    let mut sentences = sentences.iter().peekable();
    let (mut before, mut of_message): (Option<&str>, usize) = (None, 0);
    while let Some((sentence, stand)) = sentences.next() {
        if stand.begins {
            (before, of_message) = (None, 0);
        }
        let rule = match wish(sentence) {
            // "Remember this: …", "For next time." and what comes after it.
            Some(kept) if kept.is_empty() => {
                sentences.next_if(|(next, _)| !next.ends_with('?')).map(|(next, _)| next.clone())
            }
            Some(kept) => Some(kept),
            // "No heap after init. That's a hard rule."
            None if is_seal(sentence) => match (before, found.pop()) {
                (Some(before), last) => {
                    found.extend(last);
                    Some(format!("{before} {sentence}"))
                }
                (None, last) => last.map(|last| format!("{last} {sentence}")),
            },
            None if of_message == OF_A_MESSAGE => None,
            None => (is_for_all(sentence) || ear.lasts(sentence, *stand)).then(|| sentence.clone()),
        };
        let rule = rule.filter(|rule| rule.split_whitespace().count() <= WORDS);
        before = rule.is_none().then_some(sentence.as_str());
        of_message += usize::from(rule.is_some());
        found.extend(rule.map(capital));
    }
    found
}

/// A message without what somebody else says in it: a row of words between quotation marks.
fn without_quotes(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let parts: Vec<&str> = message.split(['"', '“', '”', '„']).collect();
    for (at, part) in parts.iter().enumerate() {
        // A mark that nothing closes opens nothing: 5" is a length.
        let is_closed = at + 1 < parts.len();
        match at % 2 == 1 && is_closed && part.split_whitespace().count() >= 4 {
            true => out.push('…'),
            false if at > 0 => {
                out.push('"');
                out.push_str(part);
            }
            false => out.push_str(part),
        }
    }
    out
}

/// What a sentence wishes to have kept; empty where the next one says it.
fn wish(sentence: &str) -> Option<String> {
    // "Could you note down somewhere that …?"
    let lower = sentence.to_ascii_lowercase();
    for noted in
        ["note down", "write down", "make a note", "remember", "keep in mind", "memorize", "memorise"]
    {
        let asked = ["could you ", "can you ", "would you ", "will you ", "please "];
        let after =
            asked.iter().find_map(|ask| lower.strip_prefix(ask)).and_then(|rest| rest.strip_prefix(noted));
        if let Some((_, kept)) = after.and_then(|after| after.split_once("that ")) {
            let kept = &sentence[sentence.len() - kept.len()..];
            return Some(kept.trim_end_matches('?').to_owned());
        }
    }
    if sentence.ends_with('?') {
        return None;
    }
    let wish = WISHES.iter().find(|wish| {
        lower.strip_prefix(**wish).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })?;
    let kept = sentence[wish.len()..].trim_start_matches([' ', ':', ',', '-', '–', '—']);
    Some(if kept.contains(char::is_alphanumeric) { kept.to_owned() } else { String::new() })
}

/// "That's a hard rule here", "that goes for the other one, too": what the sentence before says holds further than here.
fn is_seal(sentence: &str) -> bool {
    let lower = plain(sentence);
    let said = ["that's", "that is", "this is", "it's", "it is"].iter().any(|start| lower.starts_with(start));
    let rule =
        ["rule", "policy", "convention", "agreement", "standard", "law"].iter().any(|word| has(&lower, word));
    let further = ["that goes for", "same goes for", "the same for", "this goes for"];
    (said && rule) || further.iter().any(|start| lower.starts_with(start))
}

/// "Never push to main", "always run the linter", "we don't mock the database": nobody is meant in particular.
fn is_for_all(sentence: &str) -> bool {
    let lower = plain(sentence);
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!'])).collect();
    !lower.ends_with('?')
        && match words.as_slice() {
            ["never", next, _, ..] => {
                !next.ends_with("ed") && !matches!(*next, "mind" | "seen" | "had" | "been")
            }
            ["always", next, _, ..] => {
                !matches!(*next, "the" | "a" | "an" | "this" | "that" | "it" | "same" | "has")
            }
            ["don't", "ever", ..] | ["do", "not", "ever", ..] => true,
            ["we", "use" | "never" | "always" | "only" | "prefer", ..] => words.len() >= 4,
            ["we", "don't", next, _, ..] => {
                !matches!(*next, "know" | "have" | "think" | "see" | "want" | "need")
            }
            _ => false,
        }
}

/// The weights: for what lasts.
const MODEL: &str = include_str!("../../model/said.txt");
/// Fewer words say nothing that lasts, unless a person wishes so.
const LEAST: usize = 3;
/// Most bytes of a message that are listened to.
const HEARD: usize = 16 * 1024;
/// Most bytes of all messages.
const OF_ALL: usize = 128 * 1024;
/// How far "it passes" may lead: what is heard in vain waits for a person and is not believed.
pub const LENIENCE: f32 = 0.8;

/// The same for what has other signs of a lesson, too.
const PASSING: f32 = 2.0;

/// Where in a session a sentence stands.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    /// In the first message: the task.
    pub in_task: bool,
    /// It begins its message.
    pub begins: bool,
    /// It ends its message.
    pub ends: bool,
}

/// A sentence of a person's, and where it stands, as it is judged.
pub fn person_sentences(messages: &[&str]) -> Vec<(String, Stand)> {
    let mut found = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let sentences = told_sentences(&without_quotes(&message[..message.floor_char_boundary(HEARD)]));
        let last = sentences.len().saturating_sub(1);
        let stand = |at: usize| Stand { in_task: n == 0, begins: at == 0, ends: at == last };
        found.extend(sentences.into_iter().enumerate().map(|(at, sentence)| (sentence, stand(at))));
    }
    found
}

/// What each sign of a sentence weighs.
pub(super) struct Ear {
    weights: HashMap<&'static str, f32>,
    bias: f32,
}

impl Ear {
    pub(super) fn new() -> Self {
        let weight = |line: &'static str| {
            let mut cells = line.split_whitespace();
            let (sort, name) = (cells.next()?, cells.next()?);
            Some((sort, name, cells.next()?.parse::<f32>().ok()?))
        };
        let lines = MODEL.lines().filter_map(weight);
        let (bias, words): (Vec<_>, Vec<_>) = lines.partition(|(sort, ..)| *sort == "bias");
        Self {
            weights: words.into_iter().map(|(_, word, weight)| (word, weight)).collect(),
            bias: bias.iter().map(|(.., weight)| weight).sum(),
        }
    }

    /// How far it speaks for a sentence that it says how things are done here, or how they are for good.
    fn score(&self, sentence: &str, stand: Stand) -> f32 {
        let signs: HashSet<String> = signs(sentence, stand).into_iter().collect();
        self.bias + WORD * signs.iter().filter_map(|sign| self.weights.get(sign.as_str())).sum::<f32>()
    }

    fn lasts(&self, sentence: &str, stand: Stand) -> bool {
        sentence.split_whitespace().count() >= LEAST && self.score(sentence, stand) > -LENIENCE
    }

    /// What a person explains, without what is plainly for the moment.
    pub(super) fn without_passing(&self, mut units: Vec<Unit>) -> Vec<Unit> {
        let last = units.len().saturating_sub(1);
        let mut at = 0;
        units.retain(|unit| {
            let stand = Stand { in_task: false, begins: at == 0, ends: at == last };
            at += 1;
            sentences(&unit.text).iter().any(|sentence| self.score(sentence, stand) > -PASSING)
        });
        units
    }
}

/// What a sentence is judged by: its words, each alone and with the next, how it begins, and where it stands.
pub fn signs(sentence: &str, stand: Stand) -> Vec<String> {
    let lower = plain(sentence);
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .collect();
    let mut signs: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    signs.extend(words.windows(2).map(|pair| format!("{}+{}", pair[0], pair[1])));
    signs.extend(words.iter().take(2).enumerate().map(|(at, word)| format!("{}:{word}", at + 1)));
    let long = match words.len() {
        0..=3 => "length:3",
        4..=6 => "length:6",
        7..=11 => "length:11",
        12..=19 => "length:19",
        _ => "length:more",
    };
    let is_past = |word: &&str| word.len() > 4 && word.ends_with("ed");
    let marks = [
        (true, long),
        (stand.in_task, "is:task"),
        (stand.in_task && stand.begins, "is:opening"),
        (stand.begins, "is:first"),
        (stand.ends, "is:last"),
        (lower.ends_with('?'), "has:?"),
        (lower.contains('!'), "has:!"),
        (lower.contains(','), "has:,"),
        (lower.contains(':'), "has::"),
        (lower.contains('…'), "has:quote"),
        (lower.contains(|c: char| c.is_ascii_digit()), "has:digit"),
        (words.iter().any(is_past), "has:past"),
        (words.first().is_some_and(|word| word.ends_with("ing")), "begins:ing"),
        (speaks_of_a_kind(&words), "says:kind"),
    ];
    signs.extend(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| (*mark).to_owned()));
    signs
}

/// "Amounts are cents", "prod deploys go through Bob": said of all things of a kind, without an article.
fn speaks_of_a_kind(words: &[&str]) -> bool {
    const VERBS: [&str; 18] = [
        "are", "go", "come", "need", "belong", "have", "get", "start", "end", "live", "use", "run",
        "require", "stay", "take", "return", "must", "may",
    ];
    let is_plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    words.iter().take(4).zip(words.iter().skip(1)).any(|(noun, verb)| is_plural(noun) && VERBS.contains(verb))
        && !matches!(words[0], "the" | "these" | "those" | "your" | "there")
}

/// A sentence in lower case, with the apostrophes that people leave out.
fn plain(sentence: &str) -> String {
    const SHORT: [(&str, &str); 9] = [
        ("dont", "don't"),
        ("thats", "that's"),
        ("cant", "can't"),
        ("wont", "won't"),
        ("isnt", "isn't"),
        ("doesnt", "doesn't"),
        ("didnt", "didn't"),
        ("im", "i'm"),
        ("youre", "you're"),
    ];
    let lower = sentence.to_lowercase().replace('’', "'");
    let words = lower
        .split(' ')
        .map(|word| SHORT.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long));
    words.collect::<Vec<_>>().join(" ")
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
