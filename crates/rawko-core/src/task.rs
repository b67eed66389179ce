//! What is known when an agent is about to act.
//!
//! The read pipe starts here: triggers, search and scores look at nothing of
//! the outside world but a [`TaskContext`].

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
}
