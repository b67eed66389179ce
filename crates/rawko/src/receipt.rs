//! The record of one injection: what was eligible, every part of every score, what was cut and why.

use rawko_core::{Outcome, TaskContext, redact, tokens};
use rawko_store::{State, StoreError, UsageLog, Wanted};
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::hook::HostEvent;
use crate::inject::{Considered, Injection, MeaningBy, Origin};

/// The kind of a receipt for what rawko said by itself.
pub const UNASKED: &str = "unasked";
/// Most files that a receipt names.
const FILES: usize = 20;
/// Most entries of a memory that a receipt tells the origin of, the newest.
const ORIGINS: usize = 100;

/// Something that a session hears without having asked.
#[derive(Debug)]
pub(crate) struct Unasked {
    /// The memory's name, or the failure's.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) why: String,
}

impl Engine {
    /// Keeps the receipt of an injection.
    pub fn keep_receipt(&self, receipt: &Value) -> Result<(), StoreError> {
        match self.home_store() {
            Some(store) => UsageLog::of(store.layout()).append(receipt, self.now()),
            None => Ok(()),
        }
    }

    /// Keeps the receipt of an injection for an agent, and gives the block that it hears; nothing where it is held back.
    ///
    /// `session` is the host's name and its name for the session. Without a receipt the memories still count.
    pub fn hand_out<'i>(
        &self,
        injection: &'i Injection,
        task: &TaskContext,
        session: Option<(&str, &str)>,
    ) -> &'i str {
        let receipt = self.receipt_for(injection, task, session);
        let _ = self.keep_receipt(&receipt);
        if receipt["heldOut"] == true { "" } else { &injection.block }
    }

    /// The receipt of an injection, with its session and a word where it is to be held back.
    pub(crate) fn receipt_for(
        &self,
        injection: &Injection,
        task: &TaskContext,
        session: Option<(&str, &str)>,
    ) -> Value {
        let id = self.now().as_nanosecond().to_string();
        let mut receipt = injection.receipt(&id, task, self.now());
        let session = name_session(&mut receipt, session);
        // All that a session's prompts and tools call is held back, or nothing of it: half and half would tell nothing.
        if !injection.block.is_empty() && self.is_held_out(session.map_or(id.as_str(), |(_, name)| name)) {
            receipt["heldOut"] = true.into();
        }
        receipt
    }

    /// The receipt of what a session hears without having asked: what, called what, and why.
    pub(crate) fn receipt_unasked(&self, event: &HostEvent, unasked: &[Unasked]) -> Value {
        let chosen = unasked.iter().map(|one| {
            json!({ "slug": one.name, "title": short(&one.title, 300), "reason": short(&one.why, 300) })
        });
        // Not of the kind of injections: what nobody asked for says nothing of how useful a memory is.
        let mut receipt = json!({
            "kind": UNASKED, "id": format!("{}-unasked", self.now().as_nanosecond()), "at": self.now().to_string(),
            "agent": short(&event.agent, 200), "chosen": chosen.collect::<Vec<_>>(),
        });
        name_session(&mut receipt, Some((&event.host, &event.session)));
        receipt
    }

    /// The newest receipts, of what was asked for and of what was not, that `wanted` takes, newest first.
    pub fn all_receipts(
        &self,
        most: usize,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>, StoreError> {
        let at = |receipt: &Value| receipt["at"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
        for (_, store) in self.stores() {
            let log = UsageLog::of(store.layout());
            let mut found = log.newest("injection", most, &wanted)?;
            found.extend(log.newest(UNASKED, most, &wanted)?);
            found.sort_by_key(|receipt| std::cmp::Reverse(at(receipt)));
            found.truncate(most);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// The newest receipts that `wanted` takes, newest first.
    pub fn receipts<W: Into<Wanted>>(
        &self,
        most: usize,
        wanted: impl Fn(&Value) -> W,
    ) -> Result<Vec<Value>, StoreError> {
        for (_, store) in self.stores() {
            let found = UsageLog::of(store.layout()).newest("injection", most, &wanted)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }
}

impl Injection {
    /// The receipt of this injection: what was eligible, every part of every score, what was cut and why.
    pub fn receipt(&self, id: &str, task: &TaskContext, at: jiff::Timestamp) -> Value {
        let (chosen, out): (Vec<_>, Vec<_>) =
            self.considered.iter().partition(|verdict| verdict.has_a_place());
        let (first, agent) = (short(&task.task, TASK), short(&task.agent, 200));
        let files: Vec<String> = task.files.iter().take(FILES).map(|file| short(file, 300)).collect();
        let mut receipt = json!({
            "kind": "injection", "id": id, "at": at.to_string(), "task": first, "agent": agent,
            "called": self.considered.iter().any(Considered::is_shown),
            "tokens": tokens(&self.block), "index": self.states.iter().map(|(whose, state)| json!({ whose.as_str(): state_word(state) })).collect::<Vec<_>>(),
            "chosen": chosen.into_iter().map(Considered::json).collect::<Vec<_>>(),
            "out": out.into_iter().filter(|verdict| verdict.judged.score.total() > 0.0).take(10).map(Considered::json).collect::<Vec<_>>(),
        });
        // What else may have called a memory: `replay` asks it again.
        if !files.is_empty() {
            receipt["files"] = json!(files);
        }
        for (name, text, most) in [("command", &task.command, 500), ("error", &task.error, 1_000)] {
            if !text.is_empty() {
                receipt[name] = short(text, most).into();
            }
        }
        receipt
    }
}

/// Names a host's session in a receipt, if it is a name, exactly as the host does, by which it is found again; and gives
/// it back.
fn name_session<'s>(receipt: &mut Value, session: Option<(&'s str, &'s str)>) -> Option<(&'s str, &'s str)> {
    let session = session.filter(|(_, name)| (1..=200).contains(&name.len()))?;
    receipt["session"] = session.1.into();
    receipt["host"] = session.0.into();
    Some(session)
}

/// Letters of a prompt that a receipt keeps.
pub(crate) const TASK: usize = 300;

/// The beginning of a text, without secrets.
pub(crate) fn short(text: &str, most: usize) -> String {
    // Cut after the secrets are out: half a credential has no form to know it by.
    redact(&text[..text.floor_char_boundary(8 * 1024)]).chars().take(most).collect()
}

impl Considered {
    /// The verdict as JSON, for `--json` and receipts.
    pub fn json(&self) -> Value {
        let parts: serde_json::Map<String, Value> = self
            .judged
            .score
            .parts()
            .iter()
            .map(|part| (part.name.to_owned(), json!(tenth(part.points))))
            .collect();
        let (rank, gate, reason) = match &self.judged.outcome {
            Outcome::Chosen { rank } => {
                let heard = self.heard.then_some("the agent heard it earlier in this session");
                let crowded = self.crowded_out.then_some(Considered::CROWDED);
                let gate = self.crowded_out.then_some("budget");
                (Some(*rank), gate, heard.or(crowded).map(str::to_owned))
            }
            Outcome::Out { gate } => (None, Some(gate.name()), Some(gate.to_string())),
        };
        json!({
            "slug": self.judged.slug.as_str(), "store": self.whose.as_str(), "title": self.title, "rank": rank,
            "score": tenth(self.judged.score.total()), "parts": parts, "trigger": self.called,
            "meaningBy": self.meaning_by.map(MeaningBy::as_str), "unread": self.meaning_by == Some(MeaningBy::TableAsYet),
            "gate": gate, "reason": reason, "stale": self.stale,
            "entries": self.entries[self.entries.len().saturating_sub(ORIGINS)..].iter().map(Origin::json).collect::<Vec<_>>(),
        })
    }
}

impl Origin {
    fn json(&self) -> Value {
        json!({ "id": self.id, "by": self.by, "trust": self.trust.as_str(), "came": self.standing.as_str() })
    }
}

fn state_word(state: &State) -> String {
    match state {
        State::Fresh => "fresh".to_owned(),
        State::Overlaid { newer } => format!("{newer} newer memories read from their files"),
        State::Degraded { reason, unread } => format!("{reason}; {unread} files unread"),
    }
}

/// Points as people read them.
fn tenth(points: f32) -> f64 {
    (f64::from(points) * 10.0).round() / 10.0
}
