//! What a person says against what was told before: "no, it is 80", "the freeze is over", "that is not why".
//!
//! People seldom say that they correct something; they say how it is. So everything that may be meant is held against
//! the sentence of their message that is nearest to it, by the measures that admission has for two memories and by the words
//! of the message. A linear model over both, fitted to invented sessions (`rawko-eval denied`), tells whether the one denies the other.
//! Weights are changed by fitting again, never by hand.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::cues::has;
use super::lesson::{self, Lesson, Lore};
use super::pointing::{points_at_what_is_over, speaks_of_a_note, unnamed};
use super::prose::typed_sentences;
use super::talk::is_request;
use super::wishes::{Ear, capital, is_same, signs_of};
use super::{set, share_of};
use crate::admission::prose::denies;
use crate::admission::read::Read;
use crate::compare::{KnownRead, Proposed, measures};
use crate::embed::{Embedder, Vector};
use crate::linear::{Measures, capped, flag, scores};
use crate::proposal::Proposal;
use crate::rank::{clauses, sentences};
use crate::run_record::{Run, Speaker, Step};
use crate::slug::Slug;
use crate::task::TaskContext;
use crate::words::{Term, terms};

/// Most messages of a run that are listened to, the newest.
const REPLIES: usize = 8;
/// Most messages of both that are looked at, the newest; most sentences of one: more is pasted.
const MESSAGES: usize = 400;
const MOST: usize = 30;
/// Most bytes of a message.
const MESSAGE_BYTES: usize = 4 * 1024;
/// So many of what was told are held against a message closely: those that are nearest.
const CLOSELY: usize = 12;
/// Most sentences of the agent that a message may deny, the newest; and the least words of one.
const CLAIMS: usize = 40;
const LEAST: usize = 4;
/// Most of them that one message denies: more is a sign that it is about something else.
const OF_CLAIMS: usize = 2;
/// So many words of something name it, whatever "it" is called.
const NAMED: usize = 2;
/// Most sentences that tell what is true instead.
const SENTENCES: usize = 4;
/// What a correction is worth beside other lessons.
const STRENGTH: f32 = 3.6;

/// How sure the model must be of what the agent said: what is held in vain is not told on.
pub const CLAIMED: f32 = 0.0;
/// The same for what is stored.
pub const STORED: f32 = 0.3;
/// Share of a text's words from which a message says all of it.
const SAID_ON: f32 = 0.9;
/// How far ahead something counts that was told alone.
const ALONE: f32 = 0.1;

/// What says no by itself; what does with a not before it; the nots; and what may stand beside them.
#[rustfmt::skip]
const NO: [&str; 9] = ["no", "nope", "nah", "wrong", "false", "incorrect", "nonsense", "untrue", "bullshit"];
const SO: [&str; 3] = ["true", "right", "correct"];
const NOT: [&str; 4] = ["not", "isn't", "isnt", "ain't"];
#[rustfmt::skip]
const FILLERS: [&str; 13] = [
    "that", "that's", "thats", "this", "is", "it", "it's", "its", "sorry", "just", "completely", "plain", "quite",
];
/// How a message opens that agrees.
const YES: [&str; 8] = ["yes", "yeah", "yep", "yup", "right", "exactly", "correct", "indeed"];
/// Share of a sentence's words from which another message speaks of it.
const SPOKEN_OF: f32 = 0.3;
/// How an agent takes back what it said.
#[rustfmt::skip]
const OWNS_UP: [&str; 10] = [
    "you're right", "you are right", "i was wrong", "i was mistaken", "my mistake", "i misread", "i assumed", "i take that back",
    "sorry", "i stand corrected",
];
/// How one says what is to be done.
#[rustfmt::skip]
const DOING: [&str; 40] = [
    "add", "adjust", "bump", "build", "change", "check", "commit", "convert", "create", "delete", "do", "document", "drop",
    "extend", "fix", "give", "go", "leave", "look", "make", "merge", "move", "open", "put", "raise", "remove", "rename",
    "replace", "revert", "rewrite", "run", "set", "show", "switch", "take", "throw", "try", "turn", "update", "write",
];

/// The weights: for what denies.
const MODEL: &str = include_str!("../../model/denied.txt");

/// Something that was told before a person spoke.
#[derive(Clone, Copy, Debug)]
pub struct Told<'t> {
    /// What it is called; nothing where the agent said it on the way.
    pub title: &'t str,
    /// What it says.
    pub text: &'t str,
    /// Whether it is known from before the session.
    pub is_stored: bool,
}

/// A person's message in a run, read once.
pub struct Reply<'r> {
    talk: Rc<Talk<'r>>,
    /// Its place in the talk, and that of what the agent said last before it.
    at: usize,
    answered: Option<usize>,
    /// What the agent said before it, sentence by sentence, oldest first.
    claims: Vec<&'r str>,
    sentences: Vec<String>,
    clauses: Vec<Clause>,
    vector: Vector,
    embedder: Embedder<'static>,
}

/// What was said in a run, with the words of each message.
struct Talk<'r> {
    said: Vec<(Speaker, &'r str)>,
    words: Vec<HashSet<Term>>,
    /// Tells what lasts, once it is asked.
    ear: OnceCell<Ear>,
}

/// A clause of a message.
struct Clause {
    /// The place of its sentence.
    sentence: usize,
    text: String,
    words: Vec<Term>,
    vector: Vector,
    /// What it is judged by.
    signs: Vec<String>,
}

/// What a person denies, and what they say instead.
#[derive(Clone, Debug)]
pub struct Denial {
    /// How sure the model is.
    pub sure: f32,
    /// What the person said, as they did.
    pub said: String,
    /// What is said in short.
    pub title: String,
    /// The words that say how it is; none where no more is said than that it is not so.
    pub text: String,
}

/// The newest messages of a person in a run.
pub fn replies(run: &Run) -> Vec<Reply<'_>> {
    let said = run.steps.iter().rev().filter_map(|step| match step {
        Step::Said { by, text } => Some((*by, &text[..text.floor_char_boundary(MESSAGE_BYTES)])),
        _ => None,
    });
    let mut said: Vec<(Speaker, &str)> = said.take(MESSAGES).collect();
    said.reverse();
    let words = said.iter().map(|(_, text)| set(&terms(text))).collect();
    let talk = Rc::new(Talk { said, words, ear: OnceCell::new() });
    let persons = (0..talk.said.len()).rev().filter(|at| talk.said[*at].0 == Speaker::Person);
    persons.take(REPLIES).map(|at| Reply::of(&talk, at)).collect()
}

/// "That's wrong", "nope": no, and nothing else.
fn is_bare_no(message: &str) -> bool {
    let lower = message.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .collect();
    match words.as_slice() {
        [no] => NO.contains(no),
        // "No, that's wrong" and "not true", and neither "not wrong" nor "no, that's right".
        [first, second] => {
            NO.contains(first) && NO.contains(second) || NOT.contains(first) && SO.contains(second)
        }
        [no, first, second] => NO.contains(no) && NOT.contains(first) && SO.contains(second),
        _ => false,
    }
}

/// "You are right, I was mistaken": what follows is told as wrong.
fn owns_up(message: &str) -> bool {
    let lower = message.to_lowercase().replace('’', "'");
    OWNS_UP.iter().any(|words| has(&lower, words))
}

/// Whether a sentence may say anything that lasts.
fn is_claim(sentence: &str) -> bool {
    sentence.split_whitespace().count() >= LEAST && !sentence.ends_with('?')
}

impl<'r> Reply<'r> {
    fn of(talk: &Rc<Talk<'r>>, at: usize) -> Self {
        let embedder = Embedder::built_in();
        let told: Vec<usize> = (0..at).filter(|n| talk.said[*n].0 == Speaker::Agent).collect();
        let answered = told.last().copied();
        // What was said long ago is only meant where it is named.
        let is_meant = |n: usize, text: &str| {
            Some(n) == answered || terms(text).iter().any(|term| talk.words[at].contains(term))
        };
        let mut claims: Vec<&'r str> = Vec::new();
        for n in told.into_iter().rev() {
            let own = sentences(talk.said[n].1).map(str::trim).filter(|text| is_claim(text));
            let own: Vec<&'r str> = own.filter(|text| is_meant(n, text)).collect();
            claims.extend(own.into_iter().rev().take(CLAIMS.saturating_sub(claims.len())));
            if claims.len() == CLAIMS {
                break;
            }
        }
        claims.reverse();
        let typed = TaskContext::of(talk.said[at].1)
            .request()
            .map_or_else(|| talk.said[at].1.to_owned(), |task| task.task);
        let mut sentences = typed_sentences(&typed);
        sentences.truncate(MOST);
        let clause = |sentence: usize, text: &str| Clause {
            sentence,
            text: text.to_owned(),
            words: terms(text),
            vector: embedder.embed(text),
            signs: signs_of(text),
        };
        let parts = sentences
            .iter()
            .enumerate()
            .flat_map(|(n, text)| clauses(text).map(move |text| (n, text.trim())));
        let clauses = parts.take(2 * MOST).map(|(n, text)| clause(n, text)).collect();
        let vector = embedder.embed(talk.said[at].1);
        Self { talk: Rc::clone(talk), at, answered, claims, sentences, clauses, vector, embedder }
    }

    /// The words of the message.
    pub fn message(&self) -> &'r str {
        self.talk.said[self.at].1
    }

    /// What the agent said last before it; nothing where it comes first.
    pub fn answered(&self) -> &'r str {
        self.answered.map_or("", |n| self.talk.said[n].1)
    }

    /// What the person said last before it; nothing where it comes first.
    pub(super) fn asked(&self) -> &'r str {
        let asked = self.talk.said[..self.at].iter().rev().find(|(by, _)| *by == Speaker::Person);
        asked.map_or("", |(_, text)| text)
    }

    /// The sentences of the message, as they were typed.
    pub(super) fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// Whether the agent said all of this in one message before.
    pub fn was_said(&self, text: &str) -> bool {
        let words = terms(text);
        let says = |n: usize| {
            self.talk.said[n].0 == Speaker::Agent && share_of(&words, &self.talk.words[n]) >= SAID_ON
        };
        (0..self.at).any(says)
    }

    /// Whether a text has what a claim says.
    pub fn says(&self, text: &str, claim: &str) -> bool {
        share_of(&terms(claim), &set(&terms(text))) >= SAID_ON
    }

    /// The sentences of the agent's before the message.
    pub fn claims(&self) -> &[&'r str] {
        &self.claims
    }

    /// Those that the message denies.
    pub fn denied_claims(&self) -> Vec<(&'r str, Denial)> {
        if is_bare_no(self.message()) || self.is_owned_up() {
            return self.taken_back();
        }
        let told = |claim: &&'r str| Told { title: "", text: claim, is_stored: false };
        let told: Vec<Told<'_>> = self.claims.iter().map(told).collect();
        let mut denied = self.denies(&told);
        denied.sort_by(|(_, a), (_, b)| b.sure.total_cmp(&a.sure));
        denied.truncate(OF_CLAIMS);
        denied.into_iter().map(|(n, denial)| (self.claims[n], denial)).collect()
    }

    /// Whether the agent's answer owns up to a mistake, to a message that tells nothing itself: "are you sure?".
    fn is_owned_up(&self) -> bool {
        let asks = self.sentences.iter().all(|sentence| sentence.ends_with('?') || is_bare_no(sentence));
        asks && !self.sentences.is_empty() && self.answer().is_some_and(owns_up)
    }

    /// What the agent answered to it.
    pub(super) fn answer(&self) -> Option<&'r str> {
        let next = self.talk.said.get(self.at + 1)?;
        (next.0 == Speaker::Agent).then_some(next.1)
    }

    /// What the agent said last, where somebody only says no to it: what its answer says on stands, and of several
    /// sentences those that the answer speaks of are meant.
    fn taken_back(&self) -> Vec<(&'r str, Denial)> {
        let last: Vec<&'r str> =
            self.claims.iter().copied().filter(|claim| self.answered().contains(claim)).collect();
        let answer = set(&terms(self.answer().unwrap_or_default()));
        let is_meant = |claim: &str| last.len() == 1 || share_of(&terms(claim), &answer) >= SPOKEN_OF;
        let said = self.message().to_owned();
        let denial =
            || Denial { sure: CLAIMED, said: said.clone(), title: String::new(), text: String::new() };
        let meant = last.iter().filter(|claim| is_meant(claim) && !self.is_said_on(claim));
        meant.map(|claim| (*claim, denial())).collect()
    }

    /// Whether something was said after the message, or in it: then it cannot be what the message denies. To own up to a
    /// mistake is not to say it again.
    fn is_said_on(&self, text: &str) -> bool {
        let words = terms(text);
        let is_no = |text: &str| denies(&text.to_lowercase());
        let says = |n: usize| {
            let said = self.talk.said[n].1;
            share_of(&words, &self.talk.words[n]) >= SAID_ON && is_no(text) == is_no(said) && !owns_up(said)
        };
        (self.at..self.talk.said.len()).any(says)
    }

    /// What the message denies of what was told before it: each by its place.
    pub fn denies(&self, told: &[Told<'_>]) -> Vec<(usize, Denial)> {
        let denial = |(n, judged): (usize, Option<(usize, Measures)>)| {
            let is_open = || self.leaves_unnamed(&told[n]) && !speaks_of_a_note(&self.sentences);
            let is_out = || is_open() || self.may_mean_any(&told[n]) || self.agrees_with(&told[n]);
            let (at, measures) = judged.filter(|_| !self.is_said_on(told[n].text) && !is_out())?;
            let [sure]: [f32; 1] = scores(MODEL, &measures);
            let least = if told[n].is_stored { STORED } else { CLAIMED };
            let instead = (sure > least).then(|| self.instead(at, &told[n])).flatten();
            instead.map(|(title, text)| (n, Denial { sure, said: self.message().to_owned(), title, text }))
        };
        self.measures(told).into_iter().enumerate().filter_map(denial).collect()
    }

    /// Whether the message speaks of nothing but "it", and so may mean anything that is stored: "it's merged now".
    pub fn leaves_unnamed(&self, told: &Told<'_>) -> bool {
        let words = set(&terms(&format!("{} {}", told.title, told.text)));
        let shares = |clause: &str| terms(clause).iter().filter(|term| words.contains(term)).count();
        let only_denies = is_bare_no(self.message()) || self.is_owned_up();
        told.is_stored
            && !only_denies
            && unnamed(&self.sentences).is_some_and(|said| said.iter().all(|clause| shares(clause) < NAMED))
    }

    /// Whether the message says that something is over, and has no word in common with this: "this is outdated, we raised it
    /// to 50" may mean anything.
    fn may_mean_any(&self, told: &Told<'_>) -> bool {
        let words = set(&terms(&format!("{} {}", told.title, told.text)));
        let shares = |clause: &Clause| clause.words.iter().any(|term| words.contains(term));
        told.is_stored && points_at_what_is_over(&self.sentences) && !self.clauses.iter().any(shares)
    }

    /// Whether the message says yes, and then no more than this does: "yes, we use pnpm here, not npm".
    fn agrees_with(&self, told: &Told<'_>) -> bool {
        let lower = self.message().to_lowercase();
        let says_yes = YES
            .iter()
            .any(|yes| lower.strip_prefix(yes).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
        let words = set(&terms(&format!("{} {}", told.title, told.text)));
        let mut tells = self.clauses.iter().filter(|clause| !clause.words.is_empty()).peekable();
        says_yes && tells.peek().is_some() && tells.all(|clause| share_of(&clause.words, &words) >= SAID_ON)
    }

    /// What is judged by whether the message denies each of these, and the place of the sentence that is nearest to it.
    pub fn measures(&self, told: &[Told<'_>]) -> Vec<Option<(usize, Measures)>> {
        let near: Vec<Option<(usize, f32)>> = told.iter().map(|told| self.nearest(*told)).collect();
        let mut order: Vec<usize> = (0..told.len()).filter(|n| near[*n].is_some()).collect();
        let nearness = |n: &usize| near[*n].map_or(0.0, |(_, near)| near);
        order.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)));
        order.truncate(CLOSELY);
        let mut all: Vec<Option<(usize, Measures)>> = told.iter().map(|_| None).collect();
        for n in order {
            all[n] = near[n].and_then(|near| self.measured(told[n], near));
        }
        // Of two that speak of the same thing, the nearer is meant.
        for name in ["near", "whole"] {
            let values: Vec<Option<f32>> =
                all.iter().map(|judged| Some(judged.as_ref()?.1.get(name))).collect();
            for (n, judged) in all.iter_mut().enumerate() {
                let others = values
                    .iter()
                    .enumerate()
                    .filter(|(m, _)| *m != n && told[*m].is_stored == told[n].is_stored);
                let next = others.filter_map(|(_, value)| *value).reduce(f32::max);
                let Some(((_, measures), own)) = judged.as_mut().zip(values[n]) else { continue };
                let ahead = next.map_or(ALONE, |next| own - next);
                measures.values.push(if name == "near" { ("nearer", ahead) } else { ("wholly", ahead) });
                if name == "near" {
                    measures.values.push(("nearest", flag(ahead > 0.0)));
                }
            }
        }
        all
    }

    /// The place of the clause that is nearest to something, and how near it is.
    fn nearest(&self, told: Told<'_>) -> Option<(usize, f32)> {
        let whole = format!("{} {}", told.title, told.text);
        let (theirs, vector) = (terms(&whole), self.embedder.embed(&whole));
        let theirs_set = set(&theirs);
        let near = |clause: &Clause| {
            let shared = share_of(&clause.words, &theirs_set) + share_of(&theirs, &set(&clause.words));
            shared + clause.vector.dot(&vector)
        };
        self.clauses.iter().map(near).enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    fn measured(&self, told: Told<'_>, (nearest, nearness): (usize, f32)) -> Option<(usize, Measures)> {
        let vector = self.embedder.embed(&format!("{} {}", told.title, told.text));
        let clause = &self.clauses[nearest];
        let slug = Slug::from_title("told");
        let known = KnownRead::of(slug.clone(), told.title, told.text, &self.embedder);
        let proposed = Proposed {
            title: "",
            text: &clause.text,
            body: &Read::of(&clause.text, &self.embedder),
            meant: Some(&slug),
            said: String::new(),
            ground: None,
            embedder: &self.embedder,
            voice: None,
        };
        let (_, mut found) = measures(&proposed, &[known])?;
        let words = terms(told.text);
        let is_told = |said: &HashSet<Term>| is_same(&words, said);
        found.values.retain(|(name, _)| !matches!(*name, "meant" | "ahead" | "rare"));
        found.values.extend([
            ("just", flag(self.answered.is_some_and(|n| is_told(&self.talk.words[n])))),
            ("stored", flag(told.is_stored)),
            ("opens", flag(self.answered.is_none())),
            ("whole", self.vector.dot(&vector)),
            ("at", capped(clause.sentence, 4)),
            ("near", nearness),
        ]);
        found.words = self.words(nearest);
        Some((clause.sentence, found))
    }

    /// The signs of the clause at a place, of the others, and how the message begins.
    fn words(&self, at: usize) -> Vec<String> {
        let mut words = self.clauses[at].signs.clone();
        let others = self.clauses.iter().enumerate().filter(|(n, _)| *n != at);
        words.extend(others.flat_map(|(_, clause)| &clause.signs).map(|sign| format!("beside:{sign}")));
        let lower = self.message().to_lowercase();
        let opening =
            lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
        words.extend(opening.take(3).enumerate().map(|(n, word)| format!("opens{n}:{word}")));
        words.sort();
        words.dedup();
        words
    }

    /// What the message tells near the sentence at a place, in short and in full: not what it asks for. Nothing where it
    /// only asks.
    fn instead(&self, at: usize, told: &Told<'_>) -> Option<(String, String)> {
        let ear = self.talk.ear.get_or_init(Ear::new);
        let words = set(&terms(&format!("{} {}", told.title, told.text)));
        let is_about = |text: &str| share_of(&terms(text), &words) > 0.0;
        let tells = |sentence: &String| {
            let asks =
                is_request(sentence) || is_order(sentence) || self.answered.is_none() && orders(sentence);
            !asks && (ear.may_stay(sentence) || is_about(sentence))
        };
        let mut telling: Vec<usize> =
            (0..self.sentences.len()).filter(|n| tells(&self.sentences[*n])).collect();
        // What is only for the moment corrects nothing that is known for good.
        if told.is_stored && !self.sentences.iter().any(|sentence| ear.may_stay(sentence)) {
            return None;
        }
        if telling.is_empty() {
            // What is asked for at first is the task.
            let is_task = |sentence: &str| self.answered.is_none() && orders(sentence);
            let tells = |sentence: &str| !sentence.ends_with('?') && !is_task(sentence);
            telling.extend(Some(at).filter(|at| tells(&self.sentences[*at])));
        }
        telling.sort_by_key(|n| n.abs_diff(at));
        telling.truncate(SENTENCES);
        let mut title = without_no(&self.sentences[*telling.first()?]);
        // "Heads up before you start: …"
        if let Some((_, rest)) = title.split_once(": ").filter(|(lead, _)| !is_about(lead)) {
            title = rest;
        }
        telling.sort_unstable();
        let text = telling.iter().map(|n| self.sentences[*n].as_str()).collect::<Vec<_>>().join(" ");
        Some((lesson::title(title), capital(without_no(&text).to_owned())))
    }
}

/// A text without the no before what it tells: "no thats wrong, the queue is ordered".
pub(super) fn without_no(text: &str) -> &str {
    const NOES: [&str; 3] = ["no", "nope", "nah"];
    const WRONG: [&str; 12] = [
        "that's wrong",
        "thats wrong",
        "that is wrong",
        "this is wrong",
        "it's wrong",
        "that's not true",
        "thats not true",
        "that's not right",
        "thats not right",
        "not true",
        "not quite",
        "wrong",
    ];
    const SUBJECTS: [&str; 13] =
        ["it", "it's", "its", "that", "that's", "thats", "the", "we", "this", "they", "you", "there", "i"];
    let marks = |c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '-' | '–' | '—' | ' ');
    // Where what follows a word begins; nothing where it does not stand there as a word.
    let after = |text: &str, start: &str| -> Option<usize> {
        let rest = text.get(start.len()..)?;
        let left = rest.trim_start_matches(marks);
        (text[..start.len()].eq_ignore_ascii_case(start) && left.len() < rest.len())
            .then(|| text.len() - left.len())
    };
    let mut left = text;
    for _ in 0..2 {
        // "No rate limit is needed" tells something; "no it is not" only answers.
        let no = NOES.iter().find_map(|no| after(left, no)).filter(|at| {
            let next = left[*at..].split_whitespace().next().unwrap_or_default().to_lowercase();
            left[..*at].contains(|c: char| c != ' ' && marks(c)) || SUBJECTS.contains(&next.as_str())
        });
        let wrong = || {
            let cut =
                |start: &&str| after(left, start).filter(|at| left[start.len()..*at].contains(|c| c != ' '));
            WRONG.iter().find_map(cut)
        };
        let Some(at) = no.or_else(wrong) else { break };
        left = &left[at..];
    }
    if left.split_whitespace().count() >= LEAST { left } else { text }
}

/// "Write that as a comment pls", "so go to 30": what is to be done now.
pub(super) fn is_order(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while words
        .next_if(|word| ["so", "and", "then", "now", "just", "also", "ok", "yes"].contains(word))
        .is_some()
    {}
    let first = words.next().unwrap_or_default();
    let last = lower.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
    DOING.contains(&first) || matches!(last, Some("pls" | "please" | "plz" | "thx" | "thanks"))
}

/// "Lower the rate limit", "deploy this branch": something is to be done to a thing, as in a task. No sentence that says how
/// something is opens with a word and then an article, but for some small words.
fn orders(sentence: &str) -> bool {
    #[rustfmt::skip]
    const THINGS: [&str; 18] = [
        "the", "a", "an", "this", "that", "these", "those", "our", "my", "all", "each", "every", "some", "another", "it", "them", "its", "their",
    ];
    #[rustfmt::skip]
    const NO_VERBS: [&str; 56] = [
        "is", "are", "was", "were", "be", "has", "have", "had", "do", "does", "did", "can", "could", "will", "would", "should", "must", "may",
        "in", "on", "at", "of", "to", "for", "from", "with", "by", "as", "about", "after", "before", "since", "until", "when", "while", "if", "because",
        "and", "or", "but", "so", "that", "what", "which", "who", "where", "why", "how", "not", "only", "all", "both", "now", "then", "unlike", "never",
    ];
    let opens = |words: &[&str]| match words {
        [verb, thing, ..] => !NO_VERBS.contains(verb) && THINGS.contains(thing),
        _ => false,
    };
    let is_one = |clause: &str| {
        let lower = clause.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .filter(|word| !word.is_empty())
            .collect();
        is_order(clause) || opens(words.strip_prefix(&["please"]).unwrap_or(&words))
    };
    clauses(sentence).all(is_one)
}

/// The run without what the agent said in it and the person denied later.
pub(super) fn without_denied(run: &Run) -> Cow<'_, Run> {
    let denied: Vec<&str> =
        replies(run).iter().flat_map(Reply::denied_claims).map(|(claim, _)| claim).collect();
    if denied.is_empty() {
        return Cow::Borrowed(run);
    }
    let mut run = run.clone();
    for step in &mut run.steps {
        if let Step::Said { by: Speaker::Agent, text } = step {
            denied.iter().for_each(|claim| *text = text.replace(claim, ""));
        }
    }
    denied.iter().for_each(|claim| run.output = run.output.replace(claim, ""));
    Cow::Owned(run)
}

/// A person's correction as a proposal that would replace a memory.
pub fn correction(run: &Run, denial: &Denial, replaced: &Slug, now: jiff::Timestamp) -> Proposal {
    let reason = "a person said otherwise".to_owned();
    let mut lesson = Lesson::from_prose(Lore::Constraint, denial.text.clone(), STRENGTH, reason);
    lesson.title.clone_from(&denial.title);
    lesson.by_person = true;
    let mut proposal = lesson.proposal(run, now);
    proposal.entry.frontmatter.supersedes = vec![replaced.to_string()];
    proposal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_no_is_told_from_a_yes() {
        for said in [
            "no",
            "Nope.",
            "that's wrong",
            "That is not true!",
            "no, thats wrong",
            "no, that's not right",
            "it isn't true",
        ] {
            assert!(is_bare_no(said), "{said}");
        }
        for said in [
            "right",
            "that's right",
            "true",
            "not wrong",
            "no, that's right",
            "it is",
            "not yet",
            "no problem",
            "",
        ] {
            assert!(!is_bare_no(said), "{said}");
        }
    }

    #[test]
    fn the_no_before_what_is_told_is_left_out() {
        for (said, told) in [
            ("no thats wrong, the queue is ordered by day", "the queue is ordered by day"),
            ("No it is not dropped any more", "it is not dropped any more"),
            ("nope, the broker keeps them", "the broker keeps them"),
            ("No rate limit is needed here", "No rate limit is needed here"),
            ("nothing is dropped any more", "nothing is dropped any more"),
            ("no, never", "no, never"),
        ] {
            assert_eq!(without_no(said), told);
        }
    }
}
