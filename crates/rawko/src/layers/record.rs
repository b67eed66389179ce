//! Runs are recorded without being asked: when one starts, when it is done, when it failed.

use rawko_core::{Happened, MemoryEntry, Run, RunResult, gist};
use rawko_store::{Episodes, StoreError};

use crate::engine::Engine;
use crate::hook::{HostEvent, Moment, spoken};

impl Engine {
    /// The error with which the last turn of a host's session failed, if it did.
    pub fn turn_failed(&self, session: &str) -> Option<String> {
        let store = self.home_store()?;
        let of_turn = |entry: &MemoryEntry| {
            entry.text("session") == session && ["started", "failed"].contains(&entry.text("kind"))
        };
        let newest = Episodes::of(store.layout()).last(of_turn).ok().flatten()?;
        (newest.text("kind") == "failed").then(|| newest.text("error").to_owned())
    }

    /// Writes an episode where an event starts or ends a run; what fails is not missed.
    pub(crate) fn note_run(&self, event: &HostEvent) {
        let Some(store) = self.home_store() else { return };
        let agent = if event.agent.is_empty() { &event.host } else { &event.agent };
        let episodes = Episodes::of(store.layout());
        let entry = match &event.moment {
            Moment::Prompt { text, by_machine: false } => match spoken(text) {
                Some(prompt) => Happened::Started.episode(agent, &prompt).with("prompt", gist(&prompt)),
                None => return,
            },
            Moment::SubagentStarted { task } => match spoken(task) {
                Some(task) => Happened::Started.episode(agent, &task).with("prompt", gist(&task)),
                None => Happened::Started.episode(agent, "a sub-agent"),
            },
            Moment::TurnDone(said) | Moment::SubagentStopped(said) | Moment::TurnFailed(said) => {
                let begun = |entry: &MemoryEntry| {
                    entry.text("kind") == "started"
                        && entry.text("session") == event.session
                        && entry.text("agent") == agent
                };
                let prompt = episodes.last(begun).ok().flatten();
                let prompt = prompt.map_or(String::new(), |entry| entry.text("prompt").to_owned());
                let failed = matches!(event.moment, Moment::TurnFailed(_));
                self.leave(event, &prompt, failed);
                let (what, field) =
                    if failed { (Happened::Failed, "error") } else { (Happened::Finished, "result") };
                what.episode(agent, said).with("prompt", prompt).with(field, said.trim())
            }
            _ => return,
        };
        let _ = episodes.append(&entry.with("session", event.session.as_str()), self.now());
    }

    /// Writes the episode of a run that begins, so that one that never ends has left a trace.
    pub fn record_start(&self, agent: &str, task: &str, session: Option<&str>) -> Result<(), StoreError> {
        let Some(store) = self.home_store() else { return Ok(()) };
        let mut entry = Happened::Started.episode(agent, task).with("prompt", gist(task));
        if let Some(session) = session {
            entry = entry.with("session", session);
        }
        Episodes::of(store.layout()).append(&entry, self.now()).map(drop)
    }

    /// Writes the episode of a run that is over, whoever ran it.
    pub fn record_run(&self, run: &Run) -> Result<(), StoreError> {
        let Some(store) = self.home_store() else { return Ok(()) };
        let agent = if run.agent.is_empty() { "agent" } else { &run.agent };
        let error = run.error.as_deref().unwrap_or_default();
        let (what, text) = match run.result {
            RunResult::Failure if !error.is_empty() => (Happened::Failed, error),
            RunResult::Failure => (Happened::Failed, run.output.as_str()),
            RunResult::Success | RunResult::Partial => (Happened::Finished, run.output.as_str()),
        };
        let mut entry = what
            .episode(agent, text)
            .with("prompt", gist(&run.task))
            .with("result", run.output.trim())
            .with("ended", run.result.as_str());
        if !error.is_empty() {
            entry = entry.with("error", gist(error));
        }
        if let Some(session) = &run.session {
            entry = entry.with("session", session.as_str());
        }
        Episodes::of(store.layout()).append(&entry, self.now()).map(drop)
    }
}
