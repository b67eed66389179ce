//! What an agent is told before its turn: who it is, what is known, what was planned and said, what to do.
//!
//! Every part has a cap of its own, so the whole has one. What other agents
//! said is data: it stands in a marked block that it cannot close.

use std::path::Path;

use rawko_core::arbiter::Turn;
use rawko_core::{Agent, Budget, Run, TaskContext, quoted, redact, sample};
use rawko_store::StoreError;

use super::Going;
use crate::engine::Engine;
use crate::inject::Wish;

/// Most bytes of an agent's last words that reach the others.
const SAID: usize = 4_000;
/// How many turns the next agent hears of.
const TURNS: usize = 3;
/// What plan and last words may take together.
const WORDS: Budget = Budget { tokens: 4_500, characters: 16_000 };
/// Most bytes of an agent's own prompt, and of a task.
const OWN: usize = 64 * 1024;
const TASK: usize = 256 * 1024;
/// Most characters of what an attempt is called.
const NAME: usize = 200;

/// A text of at most so many bytes: its head, its tail, and what tells most between them.
pub(super) fn short(text: &str, most: usize) -> String {
    sample(&Run { output: text.to_owned(), ..Run::default() }, most)
}

/// What an agent said last, as the others hear it.
pub(super) fn last_words(output: &str) -> String {
    short(redact(output).trim(), SAID)
}

/// Whether what an agent says is the plan: planning is what it is about.
pub(super) fn plans(engine: &Engine, agent: &Agent) -> bool {
    let own = Some(agent.memory.tags.clone()).filter(|tags| !tags.is_empty());
    let tags = own.or_else(|| engine.config().texts(&format!("agents.{}.tags", agent.name)));
    tags.unwrap_or_default().iter().any(|tag| tag == "planning")
}

impl Going<'_> {
    /// System prompt, memories and rules, what failed before, the session's memory, plan and last words, the task.
    pub(super) fn prompt(&self, agent: &Agent) -> Result<String, StoreError> {
        let engine = (self.open)()?;
        let context = TaskContext {
            task: self.wanted.task.to_owned(),
            agent: agent.name.clone(),
            agent_display_name: agent.display_name.clone(),
            plan: self.plan().map(|turn| turn.said.clone()).unwrap_or_default(),
            history: history(self.newest()),
            ..TaskContext::default()
        };
        let injection = engine.inject(&context, &Wish::default())?;
        let block = engine.hand_out(&injection, &context, Some(("rawko", self.session.as_str())));
        let root = engine.root().map(Path::to_owned).unwrap_or_default();
        let failures = engine.tell_failures(None, &root).unwrap_or_default();
        let system = engine.session_prompt(&self.session, &agent.name, &short(&agent.prompt, OWN))?;
        let work = if self.turns.is_empty() { String::new() } else { engine.session_work(&self.session)? };
        let said = self.said();
        let parts = [system.as_str(), block, failures.as_str(), work.as_str(), said.as_str()];
        let known: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
        Ok(format!("{}\n\n# Task\n\n{}\n", known.join("\n\n"), short(self.wanted.task, TASK)))
    }

    /// What the turn that begins is about: what was found wanting, or the task.
    pub(super) fn about(&self) -> String {
        let complaint = self.turns.last().and_then(Turn::complaint);
        let lines = complaint.into_iter().chain([self.wanted.task]).flat_map(str::lines).map(str::trim);
        lines.filter(|line| !line.is_empty()).take(1).flat_map(str::chars).take(NAME).collect()
    }

    fn plan(&self) -> Option<&Turn> {
        self.plan.map(|at| &self.turns[at])
    }

    fn newest(&self) -> &[Turn] {
        &self.turns[self.turns.len().saturating_sub(TURNS)..]
    }

    /// The plan, and what the agents said last, the newest first: it fits for sure.
    fn said(&self) -> String {
        let plan = self.plan().map(|turn| ("Plan".to_owned(), turn.said.as_str()));
        let is_plan = |turn: &Turn| self.plan().is_some_and(|plan| std::ptr::eq(plan, turn));
        let turns = self.newest().iter().rev().filter(|turn| !turn.said.is_empty() && !is_plan(turn));
        let others = turns.map(|turn| {
            (format!("What {} said last ({})", turn.agent, turn.result.as_str()), turn.said.as_str())
        });
        let words: Vec<(String, &str)> = plan.into_iter().chain(others).collect();
        quoted("what this run's agents planned and said", &words, WORDS)
    }
}

/// The last turns as the origin writes them.
fn history(turns: &[Turn]) -> String {
    turns.iter().map(|turn| format!("{}: {}", turn.agent, turn.said)).collect::<Vec<_>>().join("\n")
}
