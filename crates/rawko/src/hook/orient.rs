//! What every session should know from its start, in few words.

use jiff::{SignedDuration, Timestamp};
use rawko_core::{Body, Budget, Memory, Shown, Slug, Waiting, inert_line, render, tokens};
use rawko_store::{Check, Given, Index, State, StoreError};
use serde_json::{Value, json};

use super::tool::warned;
use super::{ALWAYS, Answer, HostEvent};
use crate::engine::Engine;
use crate::inject::notes;
use crate::ledger::Screen;

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
/// Characters of each that are told; the whole comes with a task that calls it.
const BRIEF: usize = 240;
/// Most failed moves in one.
const FAILURES: usize = 3;
/// Tokens for them, and for the word that something waits.
const FAILURE_TOKENS: usize = 250;
const REVIEW_TOKENS: usize = 60;
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
        let failures = self.known_failures(FAILURES);
        let failures = match failures.is_empty() {
            true => failures,
            false => {
                warned("These were tried before, failed, and would fail again", failures, FAILURE_TOKENS)
            }
        };
        let (block, gives) =
            shown(&critical, MOST, TOKENS - REVIEW_TOKENS - SESSION_TOKENS - tokens(&failures), brief);
        answer.add(&block, gives);
        answer.add(&failures, []);
        if let Some(left) = self.left_by_session().or_else(|| self.left_by_host(event)) {
            answer.add(&left, []);
        }
        let least = if is_all { "" } else { "at least " };
        let approval = match self.is_new_here() {
            true => "approval (`rawko trust`), for this folder is new to rawko",
            false => "approval (`rawko trust`)",
        };
        for (n, what) in [(waiting.review, "review"), (waiting.approval, approval)] {
            let memories = if n == 1 { "memory waits" } else { "memories wait" };
            if n > 0 {
                answer.add(&format!("(rawko: {least}{n} {memories} for the person's {what}.)\n"), []);
            }
        }
        Ok(answer)
    }

    /// That a session is open, how its last attempt ended, and by which name its notes are found.
    ///
    /// In none of its words: agents wrote them, no door has checked them, and its full name is made of them, too.
    fn left_by_session(&self) -> Option<String> {
        let sessions = self.sessions().ok()?;
        let id = sessions.newest_open().ok()?;
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
        Some(format!(
            "(rawko: session {name} is open{ended}. `rawko session show {name}` tells its notes.)\n"
        ))
    }

    /// What the last session of a host was asked for, where that ended with an error.
    ///
    /// In the person's own words alone: what an agent said passes no door that could check it.
    fn left_by_host(&self, event: &HostEvent) -> Option<String> {
        let (_, store) = self.stores().next()?;
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
        let Some((_, store)) = self.stores().next().filter(|_| event.agent.is_empty()) else { return };
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
        let (block, gives) = shown(&memories, REMINDED, REMINDED_TOKENS, |bodies| bodies);
        answer.add(&block, gives);
        Ok(())
    }
}

/// The first words of a long memory: of what stands first in it.
fn brief(bodies: Vec<Body<'_>>) -> Vec<Body<'_>> {
    let length: usize = bodies.iter().map(|body| body.text.trim().chars().count()).sum();
    if length <= BRIEF {
        return bodies;
    }
    let Some(first) = bodies.into_iter().next() else { return Vec::new() };
    let head: String = first.text.trim().chars().take(BRIEF).collect();
    // A code block that would be cut is left out.
    let head = head.split("```").next().unwrap_or_default();
    let is_cut = head.len() < first.text.trim().len();
    let end = head.rfind(char::is_whitespace).filter(|_| is_cut).unwrap_or(head.len());
    vec![Body { text: format!("{} …", head[..end].trim_end()).into(), ..first }]
}

/// The block of the first memories that may enter a prompt, and the names of those that it tells whole.
fn shown(
    memories: &[Memory],
    most: usize,
    tokens: usize,
    shorten: fn(Vec<Body<'_>>) -> Vec<Body<'_>>,
) -> (String, Vec<String>) {
    let folds = memories.iter().filter_map(|memory| Some((memory, memory.for_agents()?)));
    let folds: Vec<_> = folds.filter(|(_, fold)| fold.may_be_injected()).take(most).collect();
    let shown: Vec<Shown<'_>> = folds
        .iter()
        .map(|(_, fold)| {
            let shown = Shown::of(fold, notes(fold, None));
            Shown { bodies: shorten(shown.bodies), ..shown }
        })
        .collect();
    // Texts that cannot be cut may leave no room for any; then fewer are told.
    let budget = Budget { tokens, characters: Budget::MOST_CHARACTERS };
    let blocks = (1..=shown.len()).rev().map(|count| render(&shown[..count], budget));
    let (block, fitted) = blocks.into_iter().find(|(block, _)| !block.is_empty()).unwrap_or_default();
    // What was shortened is still to be told when a task calls it.
    let told = folds.iter().zip(&shown).take(fitted).filter(|((_, fold), shown)| shown.bodies == fold.bodies);
    (block, told.map(|((memory, _), _)| memory.slug.to_string()).collect())
}
