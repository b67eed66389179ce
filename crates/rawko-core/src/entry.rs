//! One frontmatter block with its body: the unit that is written.
//!
//! The types are here; `frontmatter.rs` turns fields into YAML and back, and
//! `thread.rs` finds the entries in a file.

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
    /// Every other field, kept as it is; a key of one of the fields above is not written.
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

impl Entry {
    /// The entry as the bytes of a new file: `---`, fields, `---`, body.
    ///
    /// Reading gives exactly this entry again, for every text, also when
    /// another entry follows in the same file: a body that would be mistaken
    /// for entries is written with its `---` and fence lines guarded. What
    /// [`parse`](crate::parse) refuses (a blank title, fields past the size
    /// limits) does not read back; parse the text before saving it.
    pub fn to_text(&self) -> String {
        crate::thread::write(self)
    }
}

/// Names an exact text in a memory's file, whatever its line ends.
///
/// Approvals are bound to it: one changed letter is another id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId([u8; 16]);

impl EntryId {
    /// The id of an entry's text in the memory named `slug`.
    pub fn of(slug: &crate::Slug, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(slug.as_str().as_bytes());
        hasher.update(b"\0");
        // A git checkout may change line ends and editors the last one; the words are the same.
        for line in text.trim_end_matches(['\r', '\n']).split('\n') {
            hasher.update(line.strip_suffix('\r').unwrap_or(line).as_bytes());
            hasher.update(b"\n");
        }
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(id)
    }

    /// Its bytes, for tables that are looked up by id.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Takes back what [`EntryId::to_bytes`] gave.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads an id as [`EntryId`] prints it.
    pub fn parse(hex: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let hex: &[u8; 32] = hex.as_bytes().try_into().ok()?;
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(id))
    }
}

impl std::fmt::Display for EntryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

macro_rules! words {
    ($type:ident: $($variant:ident = $word:literal),+) => {
        impl $type {
            /// The word used in files and output.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the word used in files.
            pub fn parse(word: &str) -> Option<Self> {
                match word.to_ascii_lowercase().as_str() { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(Importance: Low = "low", Medium = "medium", High = "high", Critical = "critical");
words!(Kind: Knowledge = "knowledge", Procedure = "procedure");
words!(Status: Active = "active", Pending = "pending", Deprecated = "deprecated", Superseded = "superseded", Rejected = "rejected");

impl Trigger {
    /// The pattern or sentence, without its kind.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text)
            | Self::Pattern(text)
            | Self::Path(text)
            | Self::Command(text)
            | Self::Error(text) => text,
        }
    }

    pub(crate) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Text(text)
            | Self::Pattern(text)
            | Self::Path(text)
            | Self::Command(text)
            | Self::Error(text) => text,
        }
    }
}
