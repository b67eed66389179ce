//! What an agent's memory of one session is made of, as the file format names it.
//!
//! The structs are a view: what a file says besides them is in `extra`, and
//! writing edits the file's text, so that a field nobody here knows survives.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::entry::Importance;

/// An enumeration of the format, with its words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$each])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word in the file.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one that a word names.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }
    };
}

words! {
    /// What a discovery is about.
    DiscoveryType {
        /// Layout and organization.
        CodebaseStructure = "codebase_structure",
        /// Available libraries and versions.
        DependencyCheck = "dependency_check",
        /// Recurring patterns and conventions.
        CodePattern = "code_pattern",
        /// Available functions, classes, interfaces.
        ApiSurface = "api_surface",
        /// Schema, types, interfaces.
        DataModel = "data_model",
        /// Task difficulty and risks.
        ComplexityAssessment = "complexity_assessment",
        /// Why previous attempts failed.
        FailureCause = "failure_cause",
        /// Approach tested and works.
        SolutionVerified = "solution_verified",
    }
}

words! {
    /// How an attempt went.
    AttemptResult {
        /// It worked.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// Some of it did.
        Partial = "partial",
        /// It goes on.
        InProgress = "in_progress",
    }
}

words! {
    /// What kind of choice a decision is.
    DecisionType {
        /// High-level design choices.
        Architectural = "architectural",
        /// Technical approach choices.
        Implementation = "implementation",
        /// Intentionally skipped something.
        Skip = "skip",
        /// Working around limitation.
        Workaround = "workaround",
        /// Trade-off decision.
        Compromise = "compromise",
    }
}

words! {
    /// Where a session stands.
    SessionStatus {
        /// It goes on.
        Open = "open",
        /// The task is done.
        Done = "done",
        /// The task was given up.
        Failed = "failed",
        /// Somebody stopped it.
        Stopped = "stopped",
    }
}

/// A time in a session's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(pub Timestamp);

impl Moment {
    /// The time as the files have it: UTC, to the millisecond.
    pub fn text(self) -> String {
        self.0.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
    }

    /// Reads ISO 8601: a time with offset, a time in UTC, or a date.
    pub fn parse(text: &str) -> Option<Self> {
        crate::frontmatter::time(text).map(Self)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no ISO 8601 time"))
    }
}

fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

/// Something that an agent learned about the codebase or the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Discovery {
    /// Its name in this agent's memory.
    pub id: String,
    /// When.
    pub timestamp: Moment,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: DiscoveryType,
    /// How much it matters.
    pub importance: Importance,
    /// What was learned.
    pub content: String,
    /// Files that it speaks of.
    #[serde(default, skip_serializing_if = "is_empty::<String>")]
    pub related_files: Vec<String>,
    /// What follows from it.
    #[serde(default, skip_serializing_if = "is_empty::<String>")]
    pub action_items: Vec<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Something that an agent tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Its name in this agent's memory.
    pub id: String,
    /// When it began.
    pub timestamp: Moment,
    /// Which step in the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_step: Option<u64>,
    /// What it is, in a line.
    pub description: String,
    /// What was attempted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// What was run or done.
    #[serde(default, skip_serializing_if = "is_empty::<String>")]
    pub commands: Vec<String>,
    /// How it went.
    pub result: AttemptResult,
    /// What happened; for failures, error details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Files created or modified.
    #[serde(default, skip_serializing_if = "is_empty::<Artifact>")]
    pub artifacts: Vec<Artifact>,
    /// How long it took.
    #[serde(rename = "duration_ms", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How many iterations it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_used: Option<TokensUsed>,
    /// What is going on, while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How far it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// Its parts.
    #[serde(default, skip_serializing_if = "is_empty::<SubTask>")]
    pub sub_tasks: Vec<SubTask>,
    /// What is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_issue: Option<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// What was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons: Option<String>,
    /// What will be tried instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt: Option<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A file that an attempt made or changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Where it is.
    pub path: String,
    /// What was done to it, such as `create` or `modify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How that went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A part of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubTask {
    /// What it is.
    pub description: String,
    /// How far it is: `pending`, `in_progress` or `complete`.
    pub status: String,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What an attempt cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokensUsed {
    /// Read.
    #[serde(default)]
    pub input: u64,
    /// Written.
    #[serde(default)]
    pub output: u64,
}

/// A significant choice and its reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Its name in this agent's memory.
    pub id: String,
    /// When.
    pub timestamp: Moment,
    /// What kind of choice.
    #[serde(rename = "type")]
    pub kind: DecisionType,
    /// What was chosen.
    pub description: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What was not chosen.
    #[serde(default, skip_serializing_if = "is_empty::<Alternative>")]
    pub alternatives: Vec<Alternative>,
    /// How far it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<Importance>,
    /// Whether it can be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// The discoveries that it rests on.
    #[serde(default, skip_serializing_if = "is_empty::<String>")]
    pub related_discoveries: Vec<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Something that was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Alternative {
    /// In one line.
    Text(String),
    /// With its reason.
    Named {
        /// What it is called.
        name: String,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// What else the file says.
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
}

/// What an agent understands now, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Context {
    /// The step of the plan that is being worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_plan_step: Option<u64>,
    /// How far that step is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_step_status: Option<String>,
    /// Files that the agent is working with.
    #[serde(skip_serializing_if = "is_empty::<FileInScope>")]
    pub files_in_scope: Vec<FileInScope>,
    /// Key understanding of the codebase: `mainLanguage`, `runtime`, `framework`, `existingPatterns`, and more.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub codebase_understanding: Map<String, Value>,
    /// What belongs to this task.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub task_context: Map<String, Value>,
    /// Known limitations.
    #[serde(skip_serializing_if = "is_empty::<String>")]
    pub constraints: Vec<String>,
    /// What needs validation.
    #[serde(skip_serializing_if = "is_empty::<String>")]
    pub open_questions: Vec<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "is_empty::<String>")]
    pub next_steps: Vec<String>,
    /// What is in the way.
    #[serde(skip_serializing_if = "is_empty::<String>")]
    pub blockers: Vec<String>,
    /// What is taken for granted.
    #[serde(skip_serializing_if = "is_empty::<String>")]
    pub assumptions: Vec<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A file that an agent is working with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileInScope {
    /// Where it is.
    pub path: String,
    /// How far it is: `pending`, `in_progress` or `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What older entries said, in short; the entries themselves are in the archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Its name in this agent's memory.
    pub id: String,
    /// When they were archived.
    pub archived_at: Moment,
    /// The oldest of them.
    pub from: Moment,
    /// The newest of them.
    pub to: Moment,
    /// How many discoveries.
    #[serde(default)]
    pub discoveries: u64,
    /// How many attempts.
    #[serde(default)]
    pub attempts: u64,
    /// How many decisions.
    #[serde(default)]
    pub decisions: u64,
    /// The highest numbers that their names had, so that no name is given twice.
    #[serde(default)]
    pub last: Last,
    /// A line for each that matters.
    pub summary: String,
    /// What else the file says.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The highest number of each kind of entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Last {
    /// Of discoveries.
    pub discovery: u64,
    /// Of attempts.
    pub attempt: u64,
    /// Of decisions.
    pub decision: u64,
}

/// One agent's memory of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentMemory {
    /// The session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// When the memory was begun.
    pub created_at: Option<Moment>,
    /// What it learned.
    pub discoveries: Vec<Discovery>,
    /// What it tried.
    pub attempts: Vec<Attempt>,
    /// What it chose.
    pub decisions: Vec<Decision>,
    /// Where it is.
    pub context: Option<Context>,
    /// What older entries said, in short.
    pub history: Vec<History>,
    /// What else the file says.
    pub extra: Map<String, Value>,
}
