//! What every session should know from its start, in few words.

use jiff::{SignedDuration, Timestamp};
use rawko_core::{Body, Budget, Memory, Shown, Slug, Waiting, cut, inert_line, render, tokens};
use rawko_store::{Check, Given, Index, State, StoreError};
use serde_json::{Value, json};

use super::tool::warned;
use super::{ALWAYS, Answer, HostEvent};
use crate::engine::Engine;
use crate::inject::notes;
use crate::ledger::Screen;
use crate::receipt::Unasked;

/// Most tokens of an orientation.
const TOKENS: usize = 600;
/// Most memories in one.
const MOST: usize = 5;
/// Memories beyond which not every file is looked at when a session starts.
const ALL_LOOKED_AT: usize = 20_000;
/// Most memories that are read to count those that wait: of most, the index tells.
const MOST_READ: usize = 500;
/// What the last session was asked for and did not come to.
const LAST: &str = "last-session";
/// Fewer tokens than this are no beginning; the whole comes with a task that calls the memory.
const BEGINNING: usize = 40;
/// What marks that a memory goes on.
const CUT: &str = "[…]";
/// Most failed moves in one.
const FAILURES: usize = 3;
/// Tokens for them.
const FAILURE_TOKENS: usize = 250;
/// Tokens for what the last session left, and how long it is worth a word.
const SESSION_TOKENS: usize = 120;
const SESSION_AGE: SignedDuration = SignedDuration::from_hours(14 * 24);
/// Most memories that are said again after the model forgot.
const REMINDED: usize = 5;
/// The token budget they share.
const REMINDED_TOKENS: usize = 1_000;

impl Engine {
    /// What matters whatever the task is, and what waits for the person.
    pub(super) fn orientation(&self, event: &HostEvent, given: &mut Given) -> Result<Answer, StoreError> {
        let mut answer = Answer::default();
        let (mut critical, mut waiting, mut is_all) = (Vec::<Memory>::new(), Waiting::default(), true);
        for (whose, store) in self.stores() {
            Given::sweep(store.layout());
            let mut index = Index::open(store, Check::Quick)?;
            let has_read_all = matches!(index.state(), State::Degraded { .. });
            if !has_read_all && index.memories() <= ALL_LOOKED_AT {
                index = Index::open(store, Check::All)?;
            }
            if index.wants_rebuild() {
                answer.wants_rebuild.push(whose);
            }
            let slugs: Vec<Slug> = index.critical()?;
            let fresh = slugs.into_iter().filter(|slug| !given.has(slug.as_str())).take(4 * MOST);
            let said = store.read_some(&fresh.collect::<Vec<_>>())?;
            let still = |memory: &Memory| memory.for_agents().is_some_and(|fold| fold.importance == ALWAYS);
            critical.extend(said.into_iter().filter(still));
            let (known, mut unknown) = index.waiting()?;
            is_all &= unknown.len() <= MOST_READ;
            unknown.truncate(MOST_READ);
            store.read_some(&unknown)?.iter().for_each(|memory| waiting.count(memory));
            waiting.review += known.review;
            waiting.approval += known.approval;
        }
        let (failures, failed) = self.known_failures(FAILURES);
        let failures = match failures.is_empty() {
            true => failures,
            false => {
                warned("These were tried before, failed, and would fail again", failures, FAILURE_TOKENS)
            }
        };
        let left = self.left_by_session().or_else(|| self.left_by_host(event));
        let others: Vec<String> = left.into_iter().chain(self.waits(&waiting, is_all)).collect();
        let spent: usize = [&failures].into_iter().chain(&others).map(|text| tokens(text)).sum();
        let (block, gives, begun) = shown(&critical, MOST, TOKENS.saturating_sub(spent));
        let names: Vec<&String> = gives.iter().chain(&begun).collect();
        let said = said(&critical, &names, "it is critical, and a session starts");
        if answer.add(&block, gives) {
            answer.unasked.extend(said);
        }
        if answer.add(&failures, []) {
            answer.unasked.extend(failed);
        }
        for text in &others {
            answer.add(text, []);
        }
        Ok(answer)
    }

    /// What waits for the person, in a line each.
    fn waits(&self, waiting: &Waiting, is_all: bool) -> Vec<String> {
        let least = if is_all { "" } else { "at least " };
        let approval = match self.is_new_here() {
            true => "approval (`rawko trust`), for this folder is new to rawko",
            false => "approval (`rawko trust`)",
        };
        let line = |(n, what): (usize, &str)| {
            let memories = if n == 1 { "memory waits" } else { "memories wait" };
            (n > 0).then(|| format!("(rawko: {least}{n} {memories} for the person's {what}.)\n"))
        };
        [(waiting.review, "review"), (waiting.approval, approval)].into_iter().filter_map(line).collect()
    }

    /// That a session is open, how its last attempt ended, and by which name its notes are found.
    ///
    /// In none of its words: agents wrote them, no door has checked them, and its full name is made of them, too.
    fn left_by_session(&self) -> Option<String> {
        let sessions = self.sessions().ok()?;
        let left = || sessions.ids().ok()?.into_iter().find(|id| sessions.is_own(id) && sessions.is_left(id));
        let id = sessions.newest_open().ok().or_else(left)?;
        let began = sessions.metadata(&id).ok()?.created_at?.0;
        if !sessions.is_own(&id) || self.now().duration_since(began) > SESSION_AGE {
            return None;
        }
        let memories = sessions.read(&id).ok()?.memories;
        let attempts = memories.iter().filter_map(|memory| memory.attempts.last());
        let last = attempts.max_by_key(|attempt| attempt.timestamp.0);
        let ended =
            last.map_or(String::new(), |last| format!("; its last attempt: {}", last.result.as_str()));
        let name = id.wordless();
        let stands = match (sessions.is_left(&id), sessions.last_sign(&id)) {
            (false, _) => format!("session {name} is open"),
            (true, None) => format!("the run of session {name} was ended from outside"),
            (true, Some(at)) => {
                let at = at.strftime("%Y-%m-%d %H:%M UTC");
                format!("the run of session {name} was ended from outside, its last sign of life is of {at}")
            }
        };
        Some(format!("(rawko: {stands}{ended}. `rawko session show {name}` tells its notes.)\n"))
    }

    /// What the last session of a host was asked for, where that ended with an error.
    ///
    /// In the person's own words alone: what an agent said passes no door that could check it.
    fn left_by_host(&self, event: &HostEvent) -> Option<String> {
        let store = self.home_store()?;
        let left: Value = serde_json::from_slice(&rawko_store::derived_signed(store, LAST)?).ok()?;
        let at: Timestamp = left["at"].as_str()?.parse().ok()?;
        let prompt = inert_line(left["prompt"].as_str().filter(|prompt| !prompt.is_empty())?).to_string();
        let is_old = self.now().duration_since(at) > SESSION_AGE;
        if left["session"] == event.session.as_str() || is_old || !Screen::default().passes(&prompt) {
            return None;
        }
        let short: String = prompt.chars().take(SESSION_TOKENS * 2).collect();
        let when = at.strftime("%Y-%m-%d %H:%M UTC");
        Some(format!(
            "(rawko: the last session here ended with an error ({when}). It was asked: \"{short}\".)\n"
        ))
    }

    /// Keeps what a turn was asked for that failed, for the session after this one, and drops it when one succeeds.
    pub(crate) fn leave(&self, event: &HostEvent, prompt: &str, failed: bool) {
        let Some(store) = self.home_store().filter(|_| event.agent.is_empty()) else { return };
        let prompt = if failed { prompt } else { "" };
        let left = json!({ "session": event.session, "at": self.now().to_string(), "prompt": prompt });
        let kept = || serde_json::from_slice::<Value>(&rawko_store::derived_signed(store, LAST)?).ok();
        if failed || kept().is_some_and(|kept| kept["prompt"] != "") {
            let _ = rawko_store::derive_signed(store, LAST, left.to_string().as_bytes());
        }
    }

    /// Says again what the model has forgotten.
    pub(super) fn remind(&self, answer: &mut Answer, given: &Given) -> Result<(), StoreError> {
        let lost: Vec<Slug> = given.lost().iter().rev().filter_map(|name| Slug::parse(name).ok()).collect();
        let lost: Vec<Slug> =
            lost.into_iter().filter(|slug| !answer.gives.contains(&slug.to_string())).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let mut memories: Vec<Memory> = Vec::new();
        for (_, store) in self.stores() {
            let found = store.read_some(&lost)?;
            memories.extend(found.into_iter().filter(|memory| memory.for_agents().is_some()));
        }
        let (block, gives, begun) = shown(&memories, REMINDED, REMINDED_TOKENS);
        let names: Vec<&String> = gives.iter().chain(&begun).collect();
        let said = said(&memories, &names, "the model heard it before its session was summed up");
        if answer.add(&block, gives) {
            answer.unasked.extend(said);
        }
        Ok(())
    }
}

/// What of these memories is said, for a receipt.
fn said(memories: &[Memory], names: &[&String], why: &str) -> Vec<Unasked> {
    let said = memories.iter().filter(|memory| names.iter().any(|name| *name == memory.slug.as_str()));
    let said = said.map(|memory| Unasked {
        name: memory.slug.to_string(),
        title: memory.for_agents().map(|fold| fold.title.to_owned()).unwrap_or_default(),
        why: why.to_owned(),
    });
    said.collect()
}

/// The block of the first memories that may enter a prompt, the names of those that it tells whole, and of one begun.
///
/// The point of a memory may be its last sentence: fewer are told whole, rather than many in part. Where room is left,
/// the first that does not fit is begun.
fn shown(memories: &[Memory], most: usize, tokens: usize) -> (String, Vec<String>, Option<String>) {
    let (mut told, mut names, mut long) = (Vec::new(), Vec::new(), None);
    for memory in memories {
        let Some(fold) = memory.for_agents().filter(|fold| fold.may_be_injected()) else { continue };
        told.push(Shown::of(&fold, notes(&fold, None)));
        if told.len() <= most && rawko_core::tokens(&whole(&told)) <= tokens {
            names.push(memory.slug.to_string());
        } else {
            let last = told.pop().map(|last| (last, memory.slug.to_string()));
            long = long.or(last);
        }
    }
    let mut also = None;
    if told.len() < most
        && let Some((long, name)) = long
        && let Some(begun) = begun(&told, &long, tokens)
    {
        told.push(begun);
        also = Some(name);
    }
    (whole(&told), names, also)
}

/// The block that tells all of these memories.
fn whole(told: &[Shown<'_>]) -> String {
    render(told, Budget { tokens: usize::MAX, characters: Budget::MOST_CHARACTERS }).0
}

/// The beginning of what stands first in a memory, up to the end of a sentence, where there is room beside the others.
fn begun<'a>(told: &[Shown<'a>], long: &Shown<'a>, tokens: usize) -> Option<Shown<'a>> {
    let first = long.bodies.first()?;
    let saying = |text: String| {
        let bodies = vec![Body { text: text.into(), ..first.clone() }];
        Shown { bodies, ..long.clone() }
    };
    let cost = |one: &Shown<'a>| rawko_core::tokens(&whole(&[told, std::slice::from_ref(one)].concat()));
    let left = tokens.checked_sub(cost(&saying(CUT.to_owned()))).filter(|left| *left >= BEGINNING)?;
    let text = |tokens: usize| {
        let text = cut(&first.text, Budget { tokens, characters: Budget::MOST_CHARACTERS });
        if text.ends_with(CUT) { text } else { format!("{text}\n\n{CUT}") }
    };
    // Estimates do not add up exactly.
    let mut tries = [left, left - left / 8, left - left / 4].into_iter().map(|left| saying(text(left)));
    tries.find(|one| cost(one) <= tokens)
}
