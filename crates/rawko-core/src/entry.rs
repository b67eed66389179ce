//! One frontmatter block with its body: the unit that is written.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::trust::Trust;

/// How much a memory matters, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// Enters only on an exact match.
    Low,
    /// Enters for moderately related tasks.
    Medium,
    /// Enters for closely matching tasks.
    High,
    /// Enters when even slightly relevant.
    Critical,
}

/// Whether a memory states something or tells how to act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something that is so.
    #[default]
    Knowledge,
    /// A rule: the triggers are its condition, the body its action.
    Procedure,
}

/// Where a memory stands in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In use.
    #[default]
    Active,
    /// Waits for review.
    Pending,
    /// No longer recommended.
    Deprecated,
    /// Replaced by another memory.
    Superseded,
    /// Refused in review.
    Rejected,
}

/// One item of `whenToUse`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A bare string: regular expression, alternatives, glob, substring or natural language.
    Text(String),
    /// `{pattern: …}`: as a bare string.
    Pattern(String),
    /// `{path: …}`: a glob over the files in play.
    Path(String),
    /// `{command: …}`: looks at the command about to run.
    Command(String),
    /// `{error: …}`: looks at the error text.
    Error(String),
}

/// The frontmatter of one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontmatter {
    /// Distinct, descriptive title.
    pub title: String,
    /// When the memory should reach an agent; any match is enough.
    pub when_to_use: Vec<Trigger>,
    /// How much it matters.
    pub importance: Importance,
    /// When it was found.
    pub discovered_at: Timestamp,
    /// The agent or person who found it.
    pub discovered_by: String,
    /// Categories.
    pub tags: Vec<String>,
    /// The task that led to it.
    pub discovered_in: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Slugs of related memories, as written.
    pub related_memories: Vec<String>,
    /// Knowledge or procedure; `None` leaves what earlier entries said.
    pub kind: Option<Kind>,
    /// `None` leaves what earlier entries said.
    pub status: Option<Status>,
    /// Slugs that this entry replaces.
    pub supersedes: Vec<String>,
    /// What the memory rests on: a list of maps as written, or `Null`.
    pub evidence: Value,
    /// Example tasks that must fire the triggers.
    pub should_fire: Vec<String>,
    /// Example tasks that must not.
    pub should_not_fire: Vec<String>,
    /// What the entry claims to be worth: can lower its trust, never raise it.
    pub trust: Option<Trust>,
    /// Every other field, kept as it is.
    pub extra: Map<String, Value>,
}

/// One entry: frontmatter and body.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The fields between the `---` lines.
    pub frontmatter: Frontmatter,
    /// The Markdown below them, exact to the byte.
    pub body: String,
}
