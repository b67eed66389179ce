//! What is known when an agent is about to act.
//!
//! The read pipe starts here: triggers, search and scores look at nothing of
//! the outside world but a [`TaskContext`].

use std::borrow::Cow;

use crate::trigger::{OTHER_BYTES, TASK_BYTES, head_and_tail};

/// What is known when an agent is about to act. Every field but `task` may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskContext {
    /// What the agent is asked to do, in the words of whoever asks.
    pub task: String,
    /// The agent's name, such as `developer`.
    pub agent: String,
    /// The agent's name for people, such as `Developer Agent`.
    pub agent_display_name: String,
    /// The current plan, as text.
    pub plan: String,
    /// What happened just before, as text.
    pub history: String,
    /// Files in play, relative to the project.
    pub files: Vec<String>,
    /// The command about to run.
    pub command: String,
    /// The error text at hand.
    pub error: String,
}

impl TaskContext {
    /// A context that knows the task alone.
    pub fn of(task: impl Into<String>) -> Self {
        Self { task: task.into(), ..Self::default() }
    }

    /// What is looked at of it: of a text that somebody pasted, its head and its tail.
    pub fn bounded(&self) -> Cow<'_, Self> {
        let others = [&self.plan, &self.history, &self.command, &self.error];
        if self.task.len() <= TASK_BYTES && others.iter().all(|text| text.len() <= OTHER_BYTES) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            task: head_and_tail(&self.task, TASK_BYTES),
            plan: head_and_tail(&self.plan, OTHER_BYTES),
            history: head_and_tail(&self.history, OTHER_BYTES),
            command: head_and_tail(&self.command, OTHER_BYTES),
            error: head_and_tail(&self.error, OTHER_BYTES),
            agent: self.agent.clone(),
            agent_display_name: self.agent_display_name.clone(),
            files: self.files.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_pasted_is_looked_at_from_both_ends() {
        let log = "ä line of a log\n".repeat(100_000);
        let task = TaskContext {
            error: log.clone(),
            ..TaskContext::of(format!("Why is this?\n{log}Mind the pool."))
        };
        let bounded = task.bounded();
        assert!(bounded.task.starts_with("Why is this?") && bounded.task.ends_with("Mind the pool."));
        assert!(bounded.task.len() <= TASK_BYTES && bounded.error.len() <= OTHER_BYTES);
        assert_eq!(bounded.bounded().into_owned(), bounded.clone().into_owned(), "once is enough");
        assert!(matches!(TaskContext::of("Short").bounded(), Cow::Borrowed(_)));
    }
}
