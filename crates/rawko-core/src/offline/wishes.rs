//! What a person wishes to be kept: "remember: …", "we use …, not …", "never …".
//!
//! Whoever says so once does not want to say it again. The rules that hear a lesson ask for names and reasons,
//! which people leave out where they correct somebody; here the manner in which a thing is said is enough: an outright
//! wish, or what a linear model learned from invented sessions (`rawko-eval said`). A person may have pasted it, so
//! whatever is heard so waits for one. Weights are changed by fitting again, never by hand.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::anchors::is_path;
use super::cues::has;
use super::denied::without_no;
use super::joined;
use super::lesson::{Lesson, Lore};
use super::occasions::{names_a_program, occasions};
use super::pointing::{is_coded, number};
use super::prose::{Unit, sentences, typed_sentences};
use super::{SAME, set, share_of};
use crate::admission::Wished;
use crate::encoder::SentenceEncoder;
use crate::linear::WordModel;
use crate::run_record::{Run, Speaker, Step};
use crate::words::{Term, terms};

/// Most rules of one message, and most wishes and rules of one run: more is a pasted text, not somebody's word.
const OF_A_MESSAGE: usize = 3;
const OF_A_RUN: usize = 8;
/// Most bytes of a message that are listened to, and of all messages.
const MESSAGE_BYTES: usize = 16 * 1024;
const ALL_BYTES: usize = 128 * 1024;
/// Share of a text's words from which a message has all of it; and the newest messages that are asked.
const WHOLE: f32 = 0.9;
const NEWEST: usize = 100;
/// Most words of a wish; and fewer words than this say nothing that lasts, unless a person wishes so outright.
const WORDS: usize = 80;
const LEAST: usize = 3;
/// What a wish is worth beside other lessons.
const STRENGTH: f32 = 3.4;
/// Fewer words than this are the same only where all of them are.
const FEW: usize = 3;

/// The weights, by words alone and with what the sentence encoder makes of the sentence: for what lasts.
const MODEL: &str = include_str!("../../model/said.txt");
const ENCODED: &str = include_str!("../../model/said-encoded.txt");
/// What words alone say of a sentence that leaves nothing to ask the encoder: hardly, and surely.
const HARDLY: f32 = -2.0;
const SURELY: f32 = 1.0;
/// What the encoder must make of a sentence that words alone would not hear.
const SURER: f32 = -0.3;
/// Most bytes of one run that the encoder reads: a hook waits for it.
const READ: usize = 2 * 1024;
/// What is said of the work at hand, though a person says to remember it: "the comma there".
const OFF_HAND: f32 = -2.2;
/// How far "it passes" may lead: what is heard in vain waits for a person and is not believed.
pub const LENIENCE: f32 = 0.8;
/// The same for what has other signs of a lesson, too.
const PASSING: f32 = 1.0;
/// And for a rule that is meant for all.
const FOR_ALL: f32 = 2.0;

/// How an outright wish opens a sentence; what is to be kept follows.
#[rustfmt::skip]
const OPENINGS: [&str; 29] = [
    "remember to", "remember that", "remember this", "remember", "keep in mind that", "keep in mind",
    "bear in mind that", "bear in mind", "don't forget to", "don't forget that", "don't forget", "dont forget to",
    "dont forget that", "dont forget", "do not forget to", "do not forget that", "do not forget", "for next time",
    "for the next time", "for the future", "for future reference", "in future", "in the future", "from now on",
    "going forward", "make a note that", "note for later", "save to memory", "next time",
];
/// How one asks for it: `could you note down somewhere that …`.
const ASKS: [&str; 4] = ["could you ", "can you ", "would you ", "will you "];
const NOTES: [&str; 3] = ["note down ", "write down ", "make a note "];

/// What is to be done once, at the end of the task.
const AT_THE_END: [&str; 11] = [
    "when you are done",
    "when you're done",
    "when youre done",
    "when done",
    "when you are finished",
    "when you're finished",
    "when finished",
    "at the end",
    "afterwards",
    "once you are done",
    "before you finish",
];
/// What tells that a sentence about tools holds for good.
const OF_TOOLS: [&str; 9] = [
    ", not",
    "instead of",
    "rather than",
    "never",
    "always",
    "before each",
    "before every",
    "after each",
    "after every",
];
/// How one says that somebody is wrong who was just told of.
const DISAGREES: [&str; 7] = [
    "i disagree",
    "i don't agree",
    "i do not agree",
    "i don't think so",
    "i think that's wrong",
    "which is nonsense",
    "that's nonsense",
];

/// Where in a session a sentence stands.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    /// In the first message: the task.
    in_task: bool,
    begins_message: bool,
    ends_message: bool,
}

/// What a person wishes to be kept, in their words, oldest first.
pub fn wishes(run: &Run) -> Vec<String> {
    let person = |step| match step {
        &Step::Said { by: Speaker::Person, ref text } => Some(text.as_str()),
        _ => None,
    };
    let mut messages: Vec<&str> = run.steps.iter().filter_map(person).collect();
    if messages.is_empty() && !run.is_for_agent {
        messages.push(&run.task);
    }
    // Of more than anybody says, the first, which is the task, and the newest.
    let mut left = ALL_BYTES;
    let unheard = messages.iter().rposition(|message| {
        let length = message.len().min(MESSAGE_BYTES);
        let full = length > left;
        left = left.saturating_sub(length);
        full
    });
    if let Some(unheard @ 1..) = unheard {
        messages[1..=unheard].fill("");
    }
    let mut found = heard(&spoken(&messages));
    found.drain(..found.len().saturating_sub(OF_A_RUN));
    found
}

/// Whether a text says no more than a person said in one message of the run, in whatever manner.
pub fn is_persons(text: &str, run: &Run) -> bool {
    let words = terms(text);
    let says = |step: &Step| match step {
        Step::Said { by: Speaker::Person, text } => {
            let said = &text[..text.floor_char_boundary(MESSAGE_BYTES)];
            share_of(&words, &set(&terms(said))) >= WHOLE
        }
        _ => false,
    };
    run.steps.iter().rev().filter(|step| matches!(step, Step::Said { .. })).take(NEWEST).any(says)
}

/// How far a text says what a person wishes to be kept.
pub fn wished(text: &str, wishes: &[String]) -> Wished {
    let words = terms(text);
    let own = set(&words);
    let of = |wish: &String| {
        let wish = terms(wish);
        match is_same(&wish, &own) {
            false => Wished::No,
            true if share_of(&words, &set(&wish)) >= SAME => Wished::Wholly,
            true => Wished::Partly,
        }
    };
    wishes.iter().map(of).max().unwrap_or_default()
}

/// Whether a text has what these words say: most of them, or all where they are few.
pub(super) fn is_same(words: &[Term], text: &HashSet<Term>) -> bool {
    let least = if words.len() < FEW { 1.0 } else { SAME };
    !words.is_empty() && share_of(words, text) >= least
}

/// What a person wishes to be kept, each as a lesson.
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
    wishes(run).into_iter().map(lesson).collect()
}

/// The sentences of a person's messages with what each is judged by: what the model is fitted to.
pub fn said_examples(messages: &[&str]) -> Vec<(String, Vec<String>)> {
    spoken(messages).into_iter().map(|(sentence, spot)| (sentence.clone(), signs(&sentence, spot))).collect()
}

/// The sentences of a person's messages, and where each stands.
fn spoken(messages: &[&str]) -> Vec<(String, Spot)> {
    let mut found = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let sentences = typed_sentences(&message[..message.floor_char_boundary(MESSAGE_BYTES)]);
        let last = sentences.len().saturating_sub(1);
        let spot = |at: usize| Spot { in_task: n == 0, begins_message: at == 0, ends_message: at == last };
        found.extend(sentences.into_iter().enumerate().map(|(at, sentence)| (sentence, spot(at))));
    }
    found
}

/// The wishes and rules among what a person said, oldest first.
fn heard(sentences: &[(String, Spot)]) -> Vec<String> {
    let ear = Ear::new();
    let mut found: Vec<String> = Vec::new();
    // The sentence before in this message, and how many rules it was taken for.
    let mut before: Option<(&str, usize)> = None;
    let mut rules = 0;
    let mut sentences = sentences.iter().peekable();
    while let Some((sentence, spot)) = sentences.next() {
        if spot.begins_message {
            (before, rules) = (None, 0);
        }
        let is_short = |text: &str| text.split_whitespace().count() <= WORDS;
        let kept = match wish(sentence) {
            // "Remember this: …", "For next time." and what comes after it.
            Some(kept) if kept.is_empty() => sentences
                .next_if(|(next, spot)| !spot.begins_message && !next.ends_with('?'))
                .map(|(next, _)| next.clone()),
            Some(kept) => Some(kept).filter(|kept| !(may_be_off_hand(sentence) && ear.is_off_hand(kept))),
            // "No heap after init. That's a hard rule."
            None if is_seal(sentence) => match before {
                Some((last, 1)) if is_short(&format!("{last} {sentence}")) => {
                    found.pop();
                    Some(format!("{last} {sentence}"))
                }
                Some((last, 0)) if ear.may_last(last, PASSING) => Some(format!("{last} {sentence}")),
                _ => None,
            },
            None if rules == OF_A_MESSAGE => None,
            None if sentences.peek().is_some_and(|(next, spot)| !spot.begins_message && disagrees(next)) => {
                None
            }
            None if is_for_the_moment(sentence) => None,
            None => (ear.is_of_tools(sentence) || states_a_value(sentence) || ear.lasts(sentence, *spot))
                .then(|| {
                    rules += 1;
                    sentence.clone()
                }),
        };
        let kept = kept.filter(|kept| is_short(kept)).map(|kept| without_count(without_no(&kept)).to_owned());
        let kept: Vec<String> = kept.iter().flat_map(|kept| joined::rules(kept)).map(capital).collect();
        before = Some((sentence, kept.len()));
        found.extend(kept);
    }
    found
}

/// What a sentence wishes outright to have kept; empty where the next one says it.
fn wish(sentence: &str) -> Option<String> {
    let lower = sentence.to_ascii_lowercase();
    let noted = ASKS.iter().find_map(|ask| lower.strip_prefix(ask));
    let noted = noted.and_then(|rest| NOTES.iter().find_map(|note| rest.strip_prefix(note)));
    if let Some(kept) = noted.map(|rest| rest.strip_prefix("somewhere ").unwrap_or(rest))
        && let Some(kept) = kept.strip_prefix("that ")
    {
        return Some(sentence[sentence.len() - kept.len()..].trim_end_matches('?').to_owned());
    }
    if sentence.ends_with('?') {
        return None;
    }
    let opening = OPENINGS.iter().find(|opening| {
        lower.strip_prefix(**opening).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })?;
    let kept = sentence[opening.len()..].trim_start_matches([' ', ':', ',', '-', '–', '—']);
    // "From now on I will be in a meeting", "remember to push when you are done".
    let lower = plain(kept);
    let is_own = ["i will ", "i'll ", "i'm ", "i am ", "i've ", "i have ", "i was "];
    let is_once = opening.ends_with(" to")
        && AT_THE_END.iter().any(|end| lower.trim_end_matches(['.', '!', ' ']).ends_with(end));
    if is_once || !opening.starts_with("remember") && is_own.iter().any(|start| lower.starts_with(start)) {
        return None;
    }
    // "Don't forget to push".
    let is_one_word = (opening.ends_with(" to") || opening.contains("forget")) && !kept.trim().contains(' ');
    if is_one_word && kept.contains(char::is_alphanumeric) {
        return None;
    }
    Some(if kept.contains(char::is_alphanumeric) { kept.to_owned() } else { String::new() })
}

/// "Remember to close the bracket": so one also speaks of what is to be done now. Who writes "remember:" does not.
fn may_be_off_hand(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let opens = ["remember", "don't forget", "dont forget", "do not forget"];
    opens.iter().any(|open| lower.strip_prefix(open).is_some_and(|rest| !rest.trim_start().starts_with(':')))
}

fn disagrees(sentence: &str) -> bool {
    let lower = plain(sentence);
    DISAGREES.iter().any(|start| lower.starts_with(start))
}

/// "That's a hard rule here", "that goes for the other one, too": what the sentence before says holds further than here.
fn is_seal(sentence: &str) -> bool {
    let lower = plain(sentence);
    let said = ["that's", "that is", "this is", "it's", "it is"].iter().any(|start| lower.starts_with(start));
    let rule = [
        "a rule",
        "a hard rule",
        "the rule",
        "our rule",
        "policy",
        "convention",
        "agreement",
        "our standard",
    ];
    let further = ["that goes for", "same goes for", "the same for", "this goes for"];
    (said && rule.iter().any(|word| has(&lower, word)))
        || further.iter().any(|start| lower.starts_with(start))
}

/// Tells by its signs whether a sentence says how things are done here, whoever does them, or how they are for good.
pub(super) struct Ear {
    by_words: WordModel,
    encoded: WordModel,
    encoder: SentenceEncoder,
    /// What the encoder makes of the sentences so far: several things are asked of one. Nothing where it cannot read it.
    heard: RefCell<HashMap<String, Option<f32>>>,
    /// Bytes that it may still read.
    left: Cell<usize>,
}

impl Ear {
    pub(super) fn new() -> Self {
        Self {
            by_words: WordModel::read(MODEL),
            encoded: WordModel::read(ENCODED),
            encoder: SentenceEncoder::built_in(),
            heard: RefCell::default(),
            left: Cell::new(READ),
        }
    }

    /// How far a sentence says what lasts: the log of the odds.
    fn score(&self, sentence: &str, spot: Spot) -> f32 {
        let signs = signs(sentence, spot);
        let by_words = self.by_words.score(&signs);
        if !(HARDLY..SURELY).contains(&by_words) {
            return by_words;
        }
        let encoded = self.sense(sentence).map(|sense| self.encoded.score(&signs) + sense);
        let is_unheard = by_words <= -LENIENCE;
        encoded.filter(|encoded| !is_unheard || *encoded > SURER).unwrap_or(by_words)
    }

    /// Whether it is plainly said of the work at hand: nothing is, where the encoder cannot tell.
    fn is_off_hand(&self, sentence: &str) -> bool {
        let score = |sense| self.encoded.score(&signs(sentence, Spot::default())) + sense;
        self.sense(sentence).is_some_and(|sense| score(sense) < OFF_HAND)
    }

    fn sense(&self, sentence: &str) -> Option<f32> {
        let mut heard = self.heard.borrow_mut();
        if let Some(sense) = heard.get(sentence) {
            return *sense;
        }
        self.left.set(self.left.get().checked_sub(sentence.len())?);
        let sense = self.encoder.encode(sentence).map(|vector| self.encoded.sense(&vector));
        heard.insert(sentence.to_owned(), sense);
        sense
    }

    fn lasts(&self, sentence: &str, spot: Spot) -> bool {
        sentence.split_whitespace().count() >= LEAST
            && (self.score(sentence, spot) > -LENIENCE
                || (is_for_all(sentence) || forbids_a_kind(sentence, spot))
                    && self.may_last(sentence, FOR_ALL))
    }

    /// "Use uv, not pip", "run ruff before each commit": how tools are used, which nobody says for one time.
    fn is_of_tools(&self, sentence: &str) -> bool {
        let lower = plain(sentence);
        let names = lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(names_a_program);
        let is_own =
            ["i ", "i'm ", "i've ", "my ", "can ", "could "].iter().any(|start| lower.starts_with(start));
        let happened = words_of(&lower).windows(2).any(|pair| pair[0] == "never" && is_past(pair[1]));
        names
            && !is_own
            && !happened
            && OF_TOOLS.iter().any(|word| has(&lower, word))
            && self.may_last(sentence, FOR_ALL)
    }

    /// Whether it may, wherever it stands.
    fn may_last(&self, sentence: &str, lenience: f32) -> bool {
        self.by_words.score(&signs(sentence, Spot::default())) > -lenience && !sentence.ends_with('?')
    }

    /// Whether it is not plainly for the moment.
    pub(super) fn may_stay(&self, sentence: &str) -> bool {
        self.may_last(sentence, PASSING)
    }

    /// What a person explains, without what is plainly for the moment.
    pub(super) fn without_passing(&self, mut units: Vec<Unit>) -> Vec<Unit> {
        units.retain(|unit| sentences(&unit.text).iter().any(|sentence| self.may_last(sentence, PASSING)));
        units
    }
}

/// "Never mind", "don't run that yet", "leave it for now": what is said of this very moment, or of what is at hand.
fn is_for_the_moment(sentence: &str) -> bool {
    const NOW: [&str; 5] = ["for now", "right now", "at the moment", "this time", "for this one"];
    const TILL_I_SAY: [&str; 2] = ["before i", "until i"];
    const AT_HAND: [&str; 6] = ["that", "this", "it", "these", "those", "them"];
    let lower = plain(sentence);
    let words: Vec<&str> = words_of(&lower);
    let is_of_all_times = matches!(words.first(), Some(&"never" | &"always"));
    let is_at_hand = match words.as_slice() {
        ["never", "mind", ..] | ["nevermind", ..] | ["don't", "forget", ..] => true,
        ["never", verb, ..] => is_past(verb),
        // What somebody never did is no rule; what they never do is.
        ["i" | "i've", "never", verb, ..] => is_past(verb),
        ["don't", _, object, ..] | ["do", "not", _, object, ..] => AT_HAND.contains(object),
        _ => false,
    };
    let denies = words.iter().any(|word| matches!(*word, "don't" | "not" | "never"));
    let ends = words.iter().rev().find(|word| **word != "please");
    let not_yet = denies && words.contains(&"yet") && !is_of_all_times;
    let today = ends.is_some_and(|word| matches!(*word, "today" | "tonight")) && !is_of_all_times;
    let till = TILL_I_SAY.iter().any(|phrase| has(&lower, phrase)) && !is_of_all_times;
    is_at_hand || not_yet || today || till || NOW.iter().any(|phrase| has(&lower, phrase))
}

/// The words of a sentence in lower case, without the marks around them.
fn words_of(lower: &str) -> Vec<&str> {
    lower.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!', '"', '`'])).collect()
}

/// "Don't read .env files": said by itself, of things of a kind or of a place, and so of every time.
fn forbids_a_kind(sentence: &str, spot: Spot) -> bool {
    let lower = plain(sentence);
    let words = words_of(&lower);
    let (["don't", rest @ ..] | ["do", "not", rest @ ..]) = words.as_slice() else { return false };
    let is_kind = |word: &&str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    let is_of_a_kind = match rest {
        [_, object, ..] if is_article(object) => false,
        [_, objects @ ..] => objects.iter().take(2).any(|word| is_kind(word) || is_path(word)),
        [] => false,
    };
    let is_alone = spot.begins_message && spot.ends_message && !spot.in_task;
    is_alone && (is_of_a_kind || !occasions(sentence, &[]).is_empty())
}

fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "my" | "your" | "any" | "that" | "this" | "it")
}

/// A sentence without the words that count what comes: "two things: …".
fn without_count(sentence: &str) -> &str {
    const COUNTED: [&str; 8] = ["thing", "things", "rule", "rules", "note", "notes", "point", "points"];
    let Some((label, rest)) = sentence.split_once(": ") else { return sentence };
    let words: Vec<&str> = label.split_whitespace().collect();
    let counts =
        words.len() <= 3 && words.last().is_some_and(|word| COUNTED.contains(&word.to_lowercase().as_str()));
    if counts { rest } else { sentence }
}

/// "The port is 8088, not 8080": what it is, and what somebody took it for.
fn states_a_value(sentence: &str) -> bool {
    const IS: [&str; 6] = ["is", "are", "uses", "listens", "runs", "lives"];
    let lower = plain(sentence).replace(',', " ");
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(['.', '!', '`', ':'])).collect();
    let is_value = |word: &str| number(word).is_some() || is_coded(word) || names_a_program(word);
    let chosen = words.windows(3).position(|three| {
        three[1] == "not"
            && is_value(three[0])
            && is_value(three[2])
            && number(three[0]).is_some() == number(three[2]).is_some()
    });
    let opens = words.first().is_some_and(|word| !matches!(*word, "it" | "that" | "this" | "i"));
    opens
        && !lower.ends_with('?')
        && chosen.is_some_and(|at| words[..at].iter().any(|word| IS.contains(word)))
}

/// "Never push to main", "always run the linter", "we don't mock the database": nobody is meant in particular.
fn is_for_all(sentence: &str) -> bool {
    let lower = plain(sentence);
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!'])).collect();
    match words.as_slice() {
        ["never", next, _, ..] => !is_past(next) && *next != "mind",
        ["always", next, _, ..] => {
            !next.ends_with('s') && !matches!(*next, "the" | "a" | "an" | "that" | "it" | "same")
        }
        ["don't", "ever", ..] | ["do", "not", "ever", ..] => true,
        // "Every endpoint needs an entry in openapi.yaml".
        ["every" | "each" | "all", _, rest @ ..] => {
            rest.iter().take(4).any(|word| matches!(*word, "needs" | "need" | "requires" | "require"))
        }
        ["we", "use" | "always" | "prefer", ..] => words.len() >= 4,
        ["when" | "whenever", "you" | "we", rest @ ..] => {
            rest.iter().any(|word| matches!(*word, "also" | "always" | "must" | "never"))
        }
        ["we", "don't" | "never", next, _, ..] => {
            !matches!(*next, "know" | "have" | "think" | "see" | "want" | "need" | "got" | "had")
        }
        _ => false,
    }
}

/// What was never so: "never had", "never tried".
fn is_past(verb: &str) -> bool {
    let is_stem = verb.ends_with("eed") || matches!(verb, "embed" | "shed" | "wed" | "sled" | "bed");
    verb.ends_with("ed") && !is_stem
        || matches!(verb, "saw" | "seen" | "had" | "been" | "was" | "got" | "did" | "ran" | "went" | "took")
}

/// What a sentence is judged by, wherever it stands.
pub(super) fn signs_of(sentence: &str) -> Vec<String> {
    signs(sentence, Spot::default())
}

/// What a sentence is judged by: its words, each alone and with the next, how it begins, and where it stands.
fn signs(sentence: &str, spot: Spot) -> Vec<String> {
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
        (spot.in_task, "is:task"),
        (spot.in_task && spot.begins_message, "is:opening"),
        (spot.begins_message, "is:first"),
        (spot.ends_message, "is:last"),
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
    signs.sort();
    signs.dedup();
    signs
}

/// "Amounts are cents", "prod deploys go through Bob": said of all things of a kind, without an article.
pub(super) fn speaks_of_a_kind(words: &[&str]) -> bool {
    const VERBS: [&str; 18] = [
        "are", "go", "come", "need", "belong", "have", "get", "start", "end", "live", "use", "run",
        "require", "stay", "take", "return", "must", "may",
    ];
    let is_plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    words.iter().take(4).zip(words.iter().skip(1)).any(|(noun, verb)| is_plural(noun) && VERBS.contains(verb))
        && !matches!(words[0], "the" | "these" | "those" | "your" | "there")
}

/// A sentence in lower case, with the apostrophes that people leave out.
pub(super) fn plain(sentence: &str) -> String {
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
    let lower = sentence.to_lowercase();
    let words = lower.split(' ').map(|word| match SHORT.iter().find(|(short, _)| *short == word) {
        Some((_, whole)) => whole,
        None => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn capital(text: String) -> String {
    let mut letters = text.chars();
    let first = text.split_whitespace().next().unwrap_or_default();
    match letters.next() {
        // A name in code stays as it is written.
        Some(letter) if first.chars().all(|c| c.is_lowercase() || c == '\'' || c == ',') => {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => text,
    }
}
