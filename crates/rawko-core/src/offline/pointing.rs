//! Words that point back at a statement, and say that it is over or how it is now: "that rule is gone", "it's 50 now".
//!
//! The same pronouns open remarks about the work ("it works now", "that's gone"), so only what can be said of a statement
//! counts: that it does not hold any more, or the value that it has now. What is said for the moment, asked or doubted points at nothing.

use super::cues::{DOUBT, has};
use super::denied::is_order;
use super::occasions::names_a_program;
use super::talk::is_request;

/// How a message points back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Points {
    /// What was said does not hold any more.
    Over {
        /// Whether a rule, a note or the like is named, or only "that" is; and what it is called besides.
        named: Option<Vec<String>>,
    },
    /// This is the value now.
    Now(Value),
}

/// What something is now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number, and what it counts where that is said.
    Number(String, Option<String>),
    /// A program.
    Program(String),
    /// A name as code and machines have it.
    Coded(String),
}

/// A message that points back: where, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointing {
    pub(super) points: Points,
    /// What is said before the clause that does.
    pub(super) before: String,
    /// What is said besides in it and after it; with it, where it tells a value.
    pub(super) told: Vec<String>,
    /// Whether nothing else is said.
    pub(super) is_all: bool,
}

/// Most words of a message that points back: who says more names what is meant.
const WORDS: usize = 30;
/// Most words between "the" and what it belongs to: "the two approvals rule".
const BETWEEN: usize = 3;

/// What opens a message and says nothing of what is meant.
#[rustfmt::skip]
const LEADS: [&str; 27] = [
    "no", "nope", "nah", "ok", "okay", "oh", "hey", "hi", "hello", "hm", "hmm", "well", "actually", "sorry", "but", "and", "btw", "fyi", "also",
    "yeah", "yes", "ah", "eh", "so", "thanks", "please", "wait",
];
/// What says no, where a bare value follows.
const NOES: [&str; 3] = ["no", "nope", "nah"];
/// What agents are told by, in a person's words.
#[rustfmt::skip]
const NOTED: [&str; 20] = [
    "rule", "rules", "note", "memory", "convention", "policy", "guideline", "restriction", "requirement", "ban", "advice", "reminder", "tip",
    "limit", "limitation", "constraint", "instruction", "agreement", "info", "information",
];
/// Those of them that hardly anything else is called by.
const KEPT: [&str; 6] = ["rule", "note", "memory", "convention", "guideline", "reminder"];
/// What is done with one that is over.
const FORGET: [&str; 6] = ["forget", "disregard", "ignore", "scrap", "drop", "delete"];
/// What can be said of a statement alone.
const STALE: [&str; 8] =
    ["outdated", "obsolete", "stale", "out of date", "old news", "ancient history", "old", "history"];
/// What a statement is no longer.
#[rustfmt::skip]
const HOLDS: [&str; 16] = [
    "necessary", "required", "true", "valid", "the case", "so", "current", "correct", "right", "accurate", "relevant", "in force", "applicable", "needed", "a thing", "a rule",
];
/// What a statement no longer does.
const STANDS: [&str; 8] = ["apply", "applies", "hold", "holds", "count", "counts", "stand", "stands"];
/// What becomes of a rule.
#[rustfmt::skip]
const GONE: [&str; 18] = [
    "gone", "dead", "over", "history", "lifted", "void", "dropped", "abolished", "retired", "withdrawn", "cancelled", "canceled", "scrapped", "deprecated",
    "superseded", "removed", "old", "off",
];
/// What a rule may turn out to be.
const WRONG: [&str; 7] = ["wrong", "nonsense", "rubbish", "garbage", "false", "incorrect", "untrue"];
const BE: [&str; 8] = ["is", "are", "was", "were", "has", "have", "got", "been"];
/// How much so.
#[rustfmt::skip]
const ADVERBS: [&str; 15] = [
    "long", "already", "completely", "totally", "pretty", "quite", "so", "way", "very", "all", "now", "really", "just", "actually", "only",
];
/// What may follow without saying of something else that it is over: "outdated docs" are.
#[rustfmt::skip]
const TRAIL: [&str; 22] = [
    "last", "now", "by", "since", "as", "already", "anyway", "though", "here", "for", "any", "too", "i", "btw", "tbh", "please", "pls", "after", "in", "you", "we", "these",
];
/// When it is so.
const NOW: [&str; 7] = ["now", "nowadays", "these days", "by now", "since", "as of", "meanwhile"];
/// How a value comes to be another, besides "raised", "moved" and the like.
const CHANGED: [&str; 5] = ["went", "rose", "grew", "cut", "set"];
/// What holds for a while, or here alone.
#[rustfmt::skip]
const PASSING: [&str; 24] = [
    "for now", "right now", "at the moment", "tonight", "this time", "once", "temporarily", "for a moment", "for a while", "for this", "until", "till",
    "yesterday", "in this", "on my", "in my", "locally", "on this", "for today", "this morning", "this week", "in the test", "in the diff", "today",
];
/// What is not said to be so.
const OPEN: [&str; 9] = ["if", "unless", "whether", "should", "would", "could", "might", "when", "i mean"];
/// Numbers in words.
#[rustfmt::skip]
const NUMBERS: [(&str, &str); 17] = [
    ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"), ("ten", "10"),
    ("eleven", "11"), ("twelve", "12"), ("fifteen", "15"), ("twenty", "20"), ("thirty", "30"), ("fifty", "50"), ("hundred", "100"),
];

impl Pointing {
    /// What a message points back at, where it does; its sentences are without the small talk before them.
    pub(super) fn of(message: &str, sentences: &[String]) -> Option<Self> {
        let whole = sentences.join(" ").to_lowercase().replace('’', "'");
        let is_short = whole.split_whitespace().count() <= WORDS;
        let passes = PASSING.iter().any(|phrase| has(&whole.replace("as of today", ""), phrase));
        if !is_short || passes || DOUBT.iter().any(|word| has(&whole, word)) {
            return None;
        }
        let said: Vec<&str> = sentences.iter().flat_map(|sentence| clauses(sentence)).collect();
        let says_no = words(message).first().is_some_and(|word| NOES.contains(&word.as_str()));
        let pointed = |(at, clause): (usize, &&str)| Some((at, points(clause, says_no && at == 0)?));
        let (at, points) = said.iter().enumerate().find_map(pointed)?;
        let from = if matches!(points, Points::Now(_)) { at } else { at + 1 };
        Some(Self {
            points,
            before: said[..at].join(" "),
            told: said[from..].iter().map(|clause| (*clause).to_owned()).collect(),
            is_all: said.len() == at + 1,
        })
    }
}

/// What is said in a message that names nothing: each clause opens with a pronoun, or only asks for something. `None` where
/// one names what it is about.
pub(super) fn unnamed(sentences: &[String]) -> Option<Vec<&str>> {
    let said: Vec<&str> = sentences.iter().flat_map(|sentence| clauses(sentence)).collect();
    let (open, rest): (Vec<&str>, Vec<&str>) = said.into_iter().partition(|clause| is_unnamed(clause));
    let asks =
        |clause: &&str| clause.split_whitespace().count() < 2 || is_request(clause) || is_order(clause);
    (!open.is_empty() && rest.iter().all(asks)).then_some(open)
}

/// Whether a message speaks of a rule, a note or the like.
pub(super) fn speaks_of_a_note(sentences: &[String]) -> bool {
    sentences.iter().flat_map(|sentence| words(sentence)).any(|word| NOTED.contains(&word.as_str()))
}

/// Whether a clause of a message points back and says that what it points at is over: "this is outdated, we raised it to 50".
pub(super) fn points_at_what_is_over(sentences: &[String]) -> bool {
    let is_over = |clause: &&str| matches!(points(clause, false), Some(Points::Over { .. }));
    sentences.iter().flat_map(|sentence| clauses(sentence)).any(|clause| is_over(&clause))
}

/// Whether a clause says something of "it" or "that rule", and not of what it names.
fn is_unnamed(clause: &str) -> bool {
    let all = words(clause);
    let said: Vec<&str> = all.iter().map(String::as_str).collect();
    let said = without_leads(&said);
    let said =
        after(said, &["maybe", "perhaps", "probably", "possibly", "i think", "i guess"]).unwrap_or(said);
    match pointer(said, &NOTED) {
        Some((Some(between), _)) => between.is_empty(),
        Some((None, [verb, ..])) => {
            [&BE[..], &CHANGED].iter().any(|verbs| verbs.contains(verb))
                || matches!(*verb, "no" | "does" | "now")
        }
        _ => is_not_so(said),
    }
}

/// The words behind any that open a message and say nothing.
fn without_leads<'w>(mut words: &'w [&'w str]) -> &'w [&'w str] {
    while let [lead, rest @ ..] = words
        && LEADS.contains(lead)
        && !matches!((*lead, rest.first()), ("no", Some(&"longer")))
    {
        words = rest;
    }
    words
}

/// The clauses of a sentence, at their marks and where another begins.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut left = sentence;
    while let Some((at, length)) = joint(left) {
        found.push(&left[..at]);
        left = &left[at + length..];
    }
    found.push(left);
    let says = |clause: &&str| clause.contains(char::is_alphanumeric);
    found.into_iter().map(str::trim).filter(says).collect()
}

/// The next place at which a clause ends.
fn joint(text: &str) -> Option<(usize, usize)> {
    const JOINTS: [&str; 10] = [", ", "; ", ": ", ". ", "! ", " - ", " – ", " — ", " and ", " but "];
    JOINTS.iter().filter_map(|joint| Some((text.find(joint)?, joint.len()))).min()
}

/// How a clause points back; a bare value does where a no stands before it.
fn points(clause: &str, says_no: bool) -> Option<Points> {
    let all = words(clause);
    let whole = all.join(" ");
    if clause.ends_with('?') || OPEN.iter().any(|phrase| has(&whole, phrase)) {
        return None;
    }
    let words: Vec<&str> = all.iter().map(String::as_str).collect();
    let words = without_leads(&words);
    over(words).or_else(|| Some(Points::Now(value(words, says_no)?)))
}

/// The words of a clause in lower case, short forms in full.
fn words(clause: &str) -> Vec<String> {
    let lower = clause.to_lowercase().replace('’', "'");
    let mut found: Vec<String> = Vec::new();
    for word in lower.split_whitespace() {
        let word = word.trim_matches(['.', ',', '!', ';', ':', '"', '(', ')', '`', '~']);
        let (bare, rest) = match word {
            "thats" => ("that", "is"),
            "its" => ("it", "is"),
            "isnt" => ("is", "not"),
            "doesnt" => ("does", "not"),
            "dont" => ("do", "not"),
            "anymore" => ("any", "more"),
            _ => match word.split_once('\'') {
                Some((bare, "s")) => (bare, "is"),
                Some((bare, "re")) => (bare, "are"),
                Some((bare, "ve")) => (bare, "have"),
                Some((bare, "t")) => (bare.trim_end_matches('n'), "not"),
                _ => (word, ""),
            },
        };
        found.extend([bare, rest].into_iter().filter(|word| !word.is_empty()).map(str::to_owned));
    }
    found
}

/// Whether words begin with a phrase of a list; the words behind it.
fn after<'w>(words: &'w [&'w str], list: &[&str]) -> Option<&'w [&'w str]> {
    list.iter().find_map(|phrase| {
        let count = phrase.split(' ').count();
        let is_so = words.len() >= count && phrase.split(' ').zip(words).all(|(one, word)| one == *word);
        is_so.then(|| &words[count..])
    })
}

/// The words behind any that only say how much so.
fn without_adverbs<'w>(mut words: &'w [&'w str]) -> &'w [&'w str] {
    while let Some(rest) = after(words, &ADVERBS).filter(|rest| !rest.is_empty()) {
        words = rest;
    }
    words
}

/// "That is outdated", "that rule is gone", "no longer true", "forget that rule", "we don't do that any more".
fn over(words: &[&str]) -> Option<Points> {
    let over = |named: Option<Vec<String>>| Some(Points::Over { named });
    let told = after(words, &["you can", "you may", "just", "let us", "lets"]).unwrap_or(words);
    if let Some(rest) = after(told, &FORGET) {
        let (named, rest) = pointer(after(rest, &["about"]).unwrap_or(rest), &KEPT)?;
        let left = after(rest, &["now", "then", "please", "pls"]).unwrap_or(rest);
        return over(Some(named?)).filter(|_| left.is_empty());
    }
    if is_given_up(words) {
        return over(None);
    }
    let Some((named, rest)) = pointer(words, &NOTED) else {
        return if is_not_so(words) { over(None) } else { None };
    };
    let is_over = is_not_so(rest) || named.is_some() && is_gone(rest) || named.is_none() && was_so(rest);
    if is_over { over(named) } else { None }
}

/// What is pointed at: "that", or "the two approvals rule" with what is between; and the words behind it.
fn pointer<'w>(words: &'w [&'w str], nouns: &[&str]) -> Option<(Option<Vec<String>>, &'w [&'w str])> {
    let [first, rest @ ..] = words else { return None };
    let points = matches!(*first, "that" | "this" | "those" | "these" | "it");
    if points || matches!(*first, "the" | "your" | "our") {
        let noun = rest.iter().take(BETWEEN + 1).position(|word| nouns.contains(word));
        let between = |at: usize| rest[..at].iter().all(|word| !BE.contains(word) && *word != "no");
        if let Some(at) = noun.filter(|at| between(*at)) {
            return Some((Some(rest[..at].iter().map(|word| (*word).to_owned()).collect()), &rest[at + 1..]));
        }
    }
    points.then_some((None, rest))
}

/// Whether nothing follows that would say it of something else.
fn ends(words: &[&str]) -> bool {
    // "In May", and not "in the readme".
    let elsewhere = matches!(words, ["in", "the" | "this" | "that" | "my" | "your" | "our", ..]);
    let is_trail = words.first().is_none_or(|word| TRAIL.contains(word)) || words.last() == Some(&"ago");
    is_trail && !elsewhere
}

/// "(is) no longer true", "is not so any more", "is outdated", "no longer applies", "not any more".
fn is_not_so(words: &[&str]) -> bool {
    let is = words.first().is_some_and(|word| BE.contains(word));
    let rest =
        without_adverbs(after(words, &BE).map_or(words, |rest| after(rest, &["been"]).unwrap_or(rest)));
    if let Some(rest) = after(rest, &["no longer"]) {
        return after(rest, &HOLDS).or_else(|| after(rest, &STANDS)).is_some_and(ends);
    }
    let not = after(rest, &["not", "does not", "do not", "did not"]);
    if let Some(rest) = not {
        let rest = after(rest, &["been"]).unwrap_or(rest);
        let left = after(rest, &HOLDS).or_else(|| after(rest, &STANDS)).unwrap_or(rest);
        return after(left, &["any more", "any longer"]).is_some_and(ends)
            || left.len() < rest.len() && matches!(left, ["now"] | ["since", ..]);
    }
    (is || words.len() <= 2) && after(rest, &STALE).is_some_and(ends)
}

/// "Is gone", "was dropped", "went away": of a rule.
fn is_gone(words: &[&str]) -> bool {
    let Some(rest) = after(words, &BE) else {
        let left = after(words, &["went away", "fell", "no longer exists"]);
        let left = left.or_else(|| after(words, &["does not exist any more", "does not exist any longer"]));
        return left.is_some_and(ends);
    };
    let rest = without_adverbs(after(rest, &["been"]).unwrap_or(rest));
    after(rest, &GONE).or_else(|| after(rest, &WRONG)).is_some_and(ends)
}

/// "Was before the move", "used to be so".
fn was_so(words: &[&str]) -> bool {
    after(words, &["was before"]).is_some_and(|rest| !rest.is_empty())
        || after(words, &["used to be"]).and_then(|rest| after(rest, &HOLDS)).is_some_and(ends)
}

/// "We don't do that any more", "we stopped doing that", "nobody does that any more".
fn is_given_up(words: &[&str]) -> bool {
    const THAT: [&str; 4] = ["that", "this", "it that way", "it like that"];
    let Some(rest) = after(words, &["we", "nobody", "they"]) else { return false };
    if let Some(rest) = after(rest, &["no longer do", "stopped doing", "no longer follow"]) {
        return after(rest, &THAT).is_some_and(ends);
    }
    let left = after(rest, &["do not do", "do not follow", "does"]).and_then(|rest| after(rest, &THAT));
    left.and_then(|left| after(left, &["any more", "any longer"])).is_some_and(ends)
}

/// The value that a clause says something has now.
fn value(words: &[&str], denied: bool) -> Option<Value> {
    let is_now = NOW.iter().any(|phrase| has(&words.join(" "), phrase));
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "now").collect();
    if let Some(rest) = after(&words, &["it is been", "it has been", "that has been"]) {
        return if is_now { read(rest) } else { None };
    }
    // "The limit is 50 now": which, the words do not say.
    let noted = match pointer(&words, &NOTED) {
        Some((Some(between), rest)) if between.is_empty() => after(rest, &["is", "are"]),
        _ => None,
    };
    let is =
        noted.or_else(|| after(&words, &["it is", "that is", "this is", "we are on", "we use", "we run"]));
    if let Some(rest) = is
        && (is_now || denied)
        && let Some(value) = read(without_adverbs(rest))
    {
        return Some(value);
    }
    if let Some(rest) =
        after(&words, &["it is", "that is"]).and_then(|rest| after(rest, &["up to", "down to"]))
    {
        return read(rest);
    }
    if let Some(rest) = becomes(&words) {
        return read(rest);
    }
    // "No, 12", "50 now".
    let is_bare = words.len() <= 2 && (denied || is_now);
    if is_bare { read(&words) } else { None }
}

/// "Went up to 50", "was raised to 50", "we moved to pnpm": the words behind it.
fn becomes<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let others = after(words, &["it", "that", "they", "we", "this", "ops"])?;
    let at = words.len() - others.len() + others.iter().take(3).position(|word| is_change(word))?;
    let passive = words[1..at].iter().all(|word| BE.contains(word) || ADVERBS.contains(word));
    let to = words.iter().skip(at).take(6).position(|word| *word == "to")? + at;
    let object = words[at + 1..to].iter().all(|word| {
        matches!(*word, "it" | "that" | "this" | "over" | "up" | "down" | "from" | "back" | "everything")
            || words[at..to].contains(&"from")
    });
    (passive && object).then(|| &words[to + 1..])
}

/// "Raised", "moved", "went": what was done to a value, or what it did.
fn is_change(word: &str) -> bool {
    CHANGED.contains(&word) || word.len() > 4 && word.ends_with("ed")
}

/// Reads a value at the start of words; nothing may follow that makes it another's.
fn read(words: &[&str]) -> Option<Value> {
    let [first, rest @ ..] = words else { return None };
    if let Some((number, suffix)) = number(first) {
        let unit = rest.first().filter(|word| !ends(&[word])).map(|word| (*word).to_owned());
        let left = if unit.is_some() { &rest[1..] } else { rest };
        return ends(left).then(|| Value::Number(number, suffix.or(unit)));
    }
    let name = (*first).to_owned();
    match () {
        () if !ends(rest) => None,
        () if names_a_program(first) => Some(Value::Program(name)),
        () if is_coded(first) => Some(Value::Coded(name)),
        () => None,
    }
}

/// A number, and what stands at its end: `50`, `1_000`, `20%`, `30s`, "five".
pub(super) fn number(word: &str) -> Option<(String, Option<String>)> {
    if let Some((_, digits)) = NUMBERS.iter().find(|(name, _)| *name == word) {
        return Some(((*digits).to_owned(), None));
    }
    let bare = word.strip_prefix('v').unwrap_or(word);
    let end =
        bare.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))).unwrap_or(bare.len());
    let (digits, suffix) = bare.split_at(end);
    let is_suffix = suffix.len() <= 3 && suffix.chars().all(|c| c.is_ascii_alphabetic() || c == '%');
    let digits: String =
        digits.trim_matches(['.', ',']).chars().filter(|c| !matches!(c, ',' | '_')).collect();
    (is_suffix && !digits.is_empty()).then(|| (digits, Some(suffix.to_owned()).filter(|s| !s.is_empty())))
}

/// Whether machines have such a name: `eu-central-1`, `src/x.rs`, `pool_size`.
pub(super) fn is_coded(word: &str) -> bool {
    let has_letter = word.contains(|c: char| c.is_ascii_alphabetic());
    let joined = word.contains(['/', '_']) || word.trim_matches('.').contains('.');
    let counted = word.contains(|c: char| c.is_ascii_digit());
    word.len() >= 3 && has_letter && (joined || counted) && !word.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::prose::typed_sentences;

    fn read(message: &str) -> Option<Points> {
        Pointing::of(message, &typed_sentences(message)).map(|pointing| pointing.points)
    }

    #[test]
    fn that_a_statement_is_over_is_heard() {
        for message in [
            "that's outdated",
            "thats no longer true",
            "no longer true, we moved to pnpm",
            "That isn't the case anymore.",
            "that rule is gone, go",
            "forget that rule",
            "please disregard the old note",
            "the two approvals rule was dropped in may",
            "nope, that hasn't been true since the rewrite. it does not apply any more",
            "we don't do that anymore",
            "this convention no longer applies",
            "not any more",
            "that note is nonsense, throw it away",
            "that was before the migration",
        ] {
            assert!(matches!(read(message), Some(Points::Over { .. })), "{message}: {:?}", read(message));
        }
    }

    #[test]
    fn the_value_that_something_has_now_is_heard() {
        let number = |digits: &str| Points::Now(Value::Number(digits.to_owned(), None));
        for (message, points) in [
            ("it's 50 now", number("50")),
            ("its 50 now", number("50")),
            ("no, 12", number("12")),
            ("that is now 1,000", number("1000")),
            ("it went up to 50", number("50")),
            ("they raised it to 90 in may", number("90")),
            ("it's been five since march", number("5")),
            ("it's pnpm now", Points::Now(Value::Program("pnpm".to_owned()))),
            ("we moved to uv", Points::Now(Value::Program("uv".to_owned()))),
            ("it moved to eu-central-1", Points::Now(Value::Coded("eu-central-1".to_owned()))),
            ("it's 90 seconds now", Points::Now(Value::Number("90".to_owned(), Some("seconds".to_owned())))),
        ] {
            assert_eq!(read(message), Some(points), "{message}");
        }
    }

    #[test]
    fn remarks_about_the_work_point_at_nothing() {
        for message in [
            "it's 50 degrees outside",
            "it works now",
            "it's green now",
            "that's gone",
            "the error is gone",
            "the order row was locked yesterday",
            "forget that",
            "forget about it",
            "it's merged now, thanks",
            "it's in main now",
            "is that outdated?",
            "that's outdated docs you are reading",
            "ignore that rule for this file",
            "maybe that's outdated",
            "it's up-to-date now",
            "that no longer works",
            "i moved it to utils.rs",
            "it's 50 right now",
            "delete that file",
            "if that's outdated, tell me",
            "that's not right",
            "no, the other one",
            "it's 11:30 now",
        ] {
            assert_eq!(read(message), None, "{message}");
        }
    }
}
