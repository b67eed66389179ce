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
    let mut sentences = told_sentences(&without_quotes(message)).into_iter().peekable();
    let mut before: Option<String> = None;
    while let Some(sentence) = sentences.next() {
        if found.len() == OF_A_MESSAGE {
            break;
        }
        let rule = match wish(&sentence) {
            // "Remember this: …", "For next time." and what comes after it.
            Some(kept) if kept.is_empty() => sentences.next_if(|next| !next.ends_with('?')),
            Some(kept) => Some(kept),
            // "No heap after init. That's a hard rule."
            None if is_seal(&sentence) => match (before.take(), found.pop()) {
                (Some(before), last) => {
                    found.extend(last);
                    Some(format!("{before} {sentence}"))
                }
                (None, last) => last.map(|last| format!("{last} {sentence}")),
            },
            None => lasts(&sentence).then(|| sentence.clone()),
        };
        let rule = rule.filter(|rule| rule.split_whitespace().count() <= WORDS);
        before = rule.is_none().then_some(sentence);
        found.extend(rule.map(capital));
    }
    found
}

/// A message without what somebody else says in it: a row of words between quotation marks.
fn without_quotes(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    for (at, part) in message.split(['"', '“', '”', '„']).enumerate() {
        match at % 2 == 1 && part.split_whitespace().count() >= 4 {
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

/// Cues of one kind each: that a sentence says how things are, not what is to be done now.
#[rustfmt::skip]
const GROUPS: [&[&str]; 5] = [
    // It holds for all, or for none.
    &[
        "always", "never", "every", "everywhere", "everything", "everybody", "everyone", "each", "all our", "all the",
        "in all", "any", "nobody", "no one", "noone", "nothing", "none", "only", "unless", "until", "without",
        "whenever", "by default", "whatever", "at most", "at least", "as a rule", "in general", "no matter",
    ],
    // It is so with us.
    &[
        "we", "our", "ours", "us", "in this repo*", "in this project", "in this codebase", "in this app", "here",
        "on this board", "on this team", "my ok", "for me", "to me", "me first", "the team",
    ],
    // It must not be.
    &[
        "don't", "do not", "must not", "mustn't", "may not", "may change", "can't", "cannot", "not allowed", "banned",
        "forbid*", "forbidden", "prohibit*", "off limits", "hands off", "frozen", "read only", "read-only", "immutable",
        "no go", "no-go", "taboo", "avoid", "deprecated", "and not", ", not", "not in", "have no", "has no",
    ],
    // It must be, or belongs somewhere.
    &[
        "must", "has to", "have to", "need", "needs", "should", "belong*", "go through", "goes through", "go to",
        "goes to", "go against", "go in", "goes in", "go into", "goes into", "come from", "comes from", "start with",
        "starts with", "end with", "ends with", "live in", "lives in", "lives on", "own", "owns", "owned by", "is for",
        "are for", "use", "uses", "instead of", "rather than", "prefer", "run by", "made by", "are made",
    ],
    // It gives a reason.
    &["because", "bc", "otherwise", "or else", ", they are", ", it is", ", it's", "so that", ", so", "depend*", "that's why"],
];
/// How many kinds of cues make a sentence one that lasts.
const KINDS: usize = 2;
/// It comes again.
const AGAIN: [&str; 6] =
    ["next time", "from now on", "in future", "in the future", "going forward", "for the future"];
/// What makes a request one for every time.
#[rustfmt::skip]
const EVERY_TIME: [&str; 11] = [
    "always", "never", "every time", "each time", "unless", "whenever", "until i", "without my", "without asking",
    "in this repo*", "as a rule",
];
/// Verbs with which people ask for something now.
#[rustfmt::skip]
const REQUESTS: [&str; 72] = [
    "add", "answer", "apply", "bump", "build", "change", "check", "clean", "close", "comment", "compare", "convert",
    "copy", "create", "cut", "delete", "deploy", "do", "draft", "drop", "explain", "extend", "find", "finish", "fix",
    "generate", "get", "give", "go", "help", "implement", "improve", "install", "leave", "let", "list", "look", "make",
    "merge", "migrate", "move", "need", "open", "port", "pull", "push", "put", "raise", "read", "rebase", "refactor",
    "remove", "rename", "replace", "report", "revert", "rewrite", "run", "set", "show", "split", "start", "switch",
    "take", "tell", "test", "try", "undo", "update", "upgrade", "use", "write",
];
/// Words of this very moment, of doubt and of feeling: what is said with them passes.
#[rustfmt::skip]
const PASSING: [&str; 46] = [
    "now", "today", "tomorrow", "yesterday", "tonight", "for now", "right now", "this time", "at the moment", "currently",
    "maybe", "perhaps", "probably", "i think", "i guess", "i hope", "i wonder", "i'm wondering", "not sure", "i mean",
    "don't know", "dunno", "who knows", "we should", "should we", "we need", "i need", "sorry", "honestly", "lol", "thanks",
    "thx", "was", "were", "did", "didn't", "had", "still", "yet", "i like", "i love", "i will", "i'll", "let me", "looks",
    "we could",
];
/// "It never works": of something that was just spoken of.
#[rustfmt::skip]
const LEANING: [&str; 16] = [
    "it", "it's", "its", "this", "that", "that's", "these", "those", "they", "he", "she", "i", "i'm", "you're", "what", "how",
];

/// Whether a sentence says how things are done here, whoever does them, or how they are for good.
fn lasts(sentence: &str) -> bool {
    let lower = plain(sentence);
    let lower = without_label(&lower);
    let any = |cues: &[&str]| cues.iter().any(|cue| has(lower, cue));
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!'])).collect();
    if lower.ends_with('?') || words.len() < 3 {
        return false;
    }
    if any(&AGAIN) || is_command_for_all(&words) && !any(&PASSING) {
        return true;
    }
    let bound = any(&["has to", "have to"]);
    if any(&PASSING) || LEANING.contains(&words[0]) && !bound {
        return false;
    }
    if REQUESTS.contains(&words[0]) {
        return any(&EVERY_TIME);
    }
    let stops = words[0] == "stop" && words[1].ends_with("ing");
    let kinds = GROUPS.iter().filter(|group| any(group)).count();
    kinds + usize::from(stops) + usize::from(speaks_of_a_kind(&words)) >= KINDS
}

/// What is said behind a few words and a colon: "A few things to know: …".
fn without_label(lower: &str) -> &str {
    let label = lower.split_once(": ").filter(|(label, rest)| {
        label.split_whitespace().count() <= 5 && rest.split_whitespace().count() >= 3
    });
    label.map_or(lower, |(_, rest)| rest)
}

/// "Never push to main", "always run the linter": nobody is meant in particular. "No heap after init", too.
fn is_command_for_all(words: &[&str]) -> bool {
    match words {
        ["never", next, ..] => !is_past(next) && *next != "mind",
        ["always", next, ..] => {
            !matches!(*next, "the" | "a" | "an" | "this" | "that" | "it" | "same" | "been" | "has")
        }
        ["don't", "ever", ..] | ["do", "not", "ever", ..] => true,
        ["no", _, "after" | "before" | "in" | "on" | "without" | "outside" | "inside" | "at", ..] => true,
        ["we", "are", "a" | "an", ..] => true,
        ["we", habit, rest @ ..] if !rest.is_empty() => is_habit(habit) && !is_opinion(rest[0]),
        _ => false,
    }
}

/// "Amounts are cents", "prod deploys go through Bob": said of all things of a kind, without an article.
fn speaks_of_a_kind(words: &[&str]) -> bool {
    const VERBS: [&str; 19] = [
        "are", "go", "come", "need", "belong", "have", "get", "start", "end", "live", "use", "run",
        "require", "stay", "take", "return", "must", "may", "that",
    ];
    let is_plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    words.iter().take(4).zip(words.iter().skip(1)).any(|(noun, verb)| is_plural(noun) && VERBS.contains(verb))
        && !matches!(words[0], "the" | "these" | "those" | "your" | "there")
}

fn is_habit(word: &str) -> bool {
    const HABITS: [&str; 20] = [
        "use", "don't", "never", "always", "only", "prefer", "avoid", "pin", "deploy", "store", "target",
        "require", "forbid", "support", "write", "name", "commit", "say", "call", "ship",
    ];
    HABITS.contains(&word)
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

fn is_past(word: &str) -> bool {
    word.ends_with("ed") || matches!(word, "seen" | "had" | "been" | "did" | "was" | "got" | "thought")
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
