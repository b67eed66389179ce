//! Why a session could not do what was asked.

use std::path::PathBuf;

use rawko_core::Problem;
use rawko_core::session::UpdateError;

/// Why a session could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No session of this name.
    #[error("no session is named `{0}`")]
    Missing(String),
    /// Several sessions begin with this.
    #[error("`{name}` is the beginning of {all} sessions: {}", found.join(", "))]
    Ambiguous {
        /// What was given.
        name: String,
        /// How many there are.
        all: usize,
        /// Some of them.
        found: Vec<String>,
    },
    /// A session that did not begin here.
    #[error("session `{0}` did not begin here: it came with the repository, or from another machine")]
    Foreign(String),
    /// No session is open.
    #[error("no session is open")]
    NoneOpen,
    /// The plan has no such step.
    #[error("the plan has {} and no step {step}", if *steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") })]
    NoStep {
        /// Which one.
        step: u64,
        /// How many it has.
        steps: usize,
    },
    /// A file is damaged.
    #[error("{}, line {}, column {}: {}", path.display(), problem.line, problem.column, problem.what)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A change cannot be made.
    #[error("cannot change {}", path.display())]
    Update {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: UpdateError,
    },
}

impl SessionError {
    pub(super) fn damaged(path: PathBuf, problem: Problem) -> Self {
        Self::Damaged { path, problem }
    }
}
