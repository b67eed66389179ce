//! What a host's session was given before each message of a person, by its receipts.
//!
//! A receipt names the session and the prompt that it was made for, so that what was said when can be told without the
//! host's help. Without receipts nothing is known to be given, and nothing follows.

use rawko_core::{Run, Slug, Speaker, Step};
use rawko_store::{StoreError, UsageLog, Wanted};
use serde_json::Value;

use crate::engine::Engine;
use crate::feedback::RECEIPTS;
use crate::receipt::{TASK, UNASKED, short};

/// Most memories that a message is held against, the newest.
const MOST: usize = 40;

/// What a session was given from one of its prompts to the next.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// How the prompt begins; nothing where the session had none yet.
    asked: String,
    given: Vec<Slug>,
}

impl Engine {
    /// What the session of a run was given, turn by turn, oldest first.
    pub(crate) fn given_to(&self, run: &Run) -> Result<Vec<Turn>, StoreError> {
        let (Some(store), true) = (self.home_store(), run.session.is_some()) else { return Ok(Vec::new()) };
        let log = UsageLog::of(store.layout());
        let is_own = |line: &Value| match self.belongs(line, run) {
            Wanted::Yes => Wanted::from(line["session"].as_str() == run.session.as_deref()),
            other => other,
        };
        let mut receipts = log.newest(UNASKED, RECEIPTS, is_own)?;
        receipts.extend(log.newest("injection", RECEIPTS, is_own)?);
        let at = |line: &Value| line["at"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
        // Oldest first; of one moment, what was asked for before what nobody asked for.
        receipts.reverse();
        receipts.sort_by_key(at);
        let mut turns = vec![Turn::default()];
        for receipt in &receipts {
            if is_prompt(receipt) {
                turns.push(Turn { asked: text(&receipt["task"]), given: Vec::new() });
            }
            turns.last_mut().into_iter().for_each(|turn| turn.given.extend(shown(receipt)));
        }
        Ok(turns)
    }
}

/// What was given before the person's message at a place among their messages of a run, newest first: each with whether it was since the
/// message before. What comes with the message itself the person did not know of.
pub(crate) fn before(turns: &[Turn], messages: &[&str], at: usize) -> Vec<(Slug, bool)> {
    let own = begins(messages[at]);
    let later = messages[at + 1..].iter().filter(|message| begins(message) == own).count();
    let same: Vec<usize> = (0..turns.len()).rev().filter(|n| turns[*n].asked == own).collect();
    let Some(turn) = same.get(later).filter(|n| **n > 0) else { return Vec::new() };
    let mut found: Vec<(Slug, bool)> = Vec::new();
    for n in (0..*turn).rev() {
        for slug in &turns[n].given {
            if found.len() < MOST && !found.iter().any(|(known, _)| known == slug) {
                found.push((slug.clone(), n + 1 == *turn));
            }
        }
    }
    found
}

/// The person's messages in a run.
pub(crate) fn messages(run: &Run) -> Vec<&str> {
    let said = run.steps.iter().filter_map(|step| match step {
        Step::Said { by: Speaker::Person, text } => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

/// Whether a receipt is of what somebody asked, and not of a tool's use or a sub-agent.
fn is_prompt(receipt: &Value) -> bool {
    let has = |name: &str| receipt.get(name).is_some();
    receipt["kind"] != UNASKED
        && !text(&receipt["task"]).is_empty()
        && text(&receipt["agent"]).is_empty()
        && !has("command")
        && !has("files")
        && !has("error")
}

/// The memories that the model heard by a receipt.
fn shown(receipt: &Value) -> Vec<Slug> {
    let chosen = receipt["chosen"].as_array().filter(|_| receipt["heldOut"] != true);
    let is_shown =
        |one: &&Value| receipt["kind"] == UNASKED || one["gate"].is_null() && one["reason"].is_null();
    let names = chosen.into_iter().flatten().filter(is_shown).filter_map(|one| one["slug"].as_str());
    names.filter_map(|name| Slug::parse(name).ok()).collect()
}

/// How a message begins, as a receipt has it.
fn begins(message: &str) -> String {
    short(message, TASK)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
