//! A session's other files: metadata, the run's state, the plan as it changed, the conversation.
//!
//! Each is one YAML document with the same head. They are edited like the
//! agents' memories: what a person wrote stays.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::session::edit::{self, Edit};
use crate::session::read::{self, Version};
use crate::session::schema;
use crate::session::types::{Moment, SessionStatus};

/// The files of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum File {
    /// Quick reference: the task, whether it is open.
    Metadata,
    /// The state of the run.
    Context,
    /// The plan and how it changed.
    Plan,
    /// Every message.
    Conversation,
    /// What the agents found, tried and chose.
    AgentMemory,
    /// What left the agents' memories.
    Archive,
}

impl File {
    /// Every one of them.
    pub const ALL: [Self; 6] =
        [Self::Metadata, Self::Context, Self::Plan, Self::Conversation, Self::AgentMemory, Self::Archive];

    /// Its name in the session's folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata.yaml",
            Self::Context => "context.yaml",
            Self::Plan => "plan.yaml",
            Self::Conversation => "conversation.yaml",
            Self::AgentMemory => "agent-memory.yaml",
            Self::Archive => "agent-memory-archive.yaml",
        }
    }

    /// The file of a name; archives may be numbered.
    pub fn of(name: &str) -> Option<Self> {
        let is_archive = name.starts_with("agent-memory-archive") && name.ends_with(".yaml");
        let known = Self::ALL.into_iter().find(|file| file.name() == name);
        known.or(is_archive.then_some(Self::Archive))
    }

    fn schema(self) -> &'static str {
        self.name().trim_end_matches(".yaml")
    }
}

/// Quick reference to a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// What it is about.
    pub task: String,
    /// The agent that began it.
    pub agent: Option<String>,
    /// Where it stands.
    pub status: SessionStatus,
    /// When it began.
    pub created_at: Option<Moment>,
    /// When it ended.
    pub ended_at: Option<Moment>,
    /// How it ended.
    pub summary: Option<String>,
}

/// Where a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Such as choosing, running, extracting or stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The agent that is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How many agents ran before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// An agent.
    Agent,
    /// Who chooses the agents.
    Arbiter,
    /// A prompt.
    System,
    /// What a tool gave back.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// Which agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What it says.
    pub content: String,
}

/// The plan, as it is from a moment on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Who changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its steps, the first one first.
    pub steps: Vec<Step>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What to do.
    pub description: String,
    /// How far it is: `pending`, `in_progress` or `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The text of a session's `metadata.yaml`.
impl Metadata {
    /// The file of a session that begins.
    pub fn to_text(&self, session: &str) -> String {
        let mut map = head(File::Metadata, session);
        let mut put = |key: &str, value: Option<String>| {
            map.extend(value.map(|value| (key.to_owned(), Value::from(value))));
        };
        put("task", Some(self.task.clone()));
        put("agent", self.agent.clone());
        put("status", Some(self.status.as_str().to_owned()));
        put("createdAt", self.created_at.map(Moment::text));
        put("endedAt", self.ended_at.map(Moment::text));
        put("summary", self.summary.clone());
        edit::whole(&map, false)
    }
}

/// The text of one of the other files, before anything is in it.
pub(crate) fn head(file: File, session: &str) -> Map<String, Value> {
    let fields = [("version", "1"), ("schema", file.schema()), ("sessionId", session)];
    fields.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect()
}

/// Reads a session's `metadata.yaml`.
pub fn metadata(text: &str) -> Result<Metadata, Problem> {
    let document = read::document(text, 0..text.len(), 0)?.ok_or_else(|| {
        Problem::error(1, 1, "there is nothing in this file", "end the session and start another")
    })?;
    newer(&document)?;
    let text = |key: &str| document.value.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(Metadata {
        task: text("task").unwrap_or_default(),
        agent: text("agent"),
        status: text("status").and_then(|word| SessionStatus::parse(&word)).unwrap_or(SessionStatus::Open),
        created_at: text("createdAt").and_then(|at| Moment::parse(&at)),
        ended_at: text("endedAt").and_then(|at| Moment::parse(&at)),
        summary: text("summary"),
    })
}

fn newer(document: &read::Document) -> Result<(), Problem> {
    match document.version()? {
        Version::Newer(found) => {
            let at = document.field("version").map_or(&document.root, |field| &field.value);
            let what = format!("this file has version {found}, and this rawko reads up to {}", read::VERSION);
            Err(Problem::error(at.line, at.column, what, "install a newer rawko; nothing was changed"))
        }
        _ => Ok(()),
    }
}

/// What one of the other files says below its head; nothing where it cannot be read.
pub fn fields(text: &str) -> Map<String, Value> {
    let mut value = match read::document(text, 0..text.len(), 0) {
        Ok(Some(document)) => document.value,
        _ => Map::new(),
    };
    value.retain(|key, _| !["version", "schema", "sessionId"].contains(&key.as_str()));
    value
}

/// Where a run is, as a context's text says it.
pub fn state(text: &str) -> Option<(State, Option<String>)> {
    let fields = crate::yaml::parse(text).ok()?;
    let of = |key: &str| fields.iter().find(|field| field.key == key)?.value.json().ok();
    let word = |key: &str| of(key).and_then(|value| value.as_str().map(str::to_owned));
    let state =
        State { state: word("state"), agent: word("agent"), round: of("round").and_then(|n| n.as_u64()) };
    Some((state, word("updatedAt")))
}

/// The text of a file with these fields set at its top; a file that is empty gets its head.
pub fn with_state(
    file: File,
    text: &str,
    session: &str,
    changes: &Map<String, Value>,
) -> Result<String, Problem> {
    let mut edit = open(file, text, session)?;
    for (key, value) in changes {
        edit = edit.set_top(key, value);
    }
    edit.into_text().map_err(full)
}

/// The text of a file with one more item in its list; gives the item's name as well.
pub fn with_item<T: Serialize>(
    file: File,
    text: &str,
    session: &str,
    item: &T,
    now: Timestamp,
) -> Result<(String, String), Problem> {
    let (section, kind) = if file == File::Plan { ("revisions", "plan") } else { ("messages", "message") };
    let edit = open(file, text, session)?;
    let count = edit.value().get(section).and_then(Value::as_array).map_or(0, Vec::len);
    let id = format!("{kind}-{:03}", count + 1);
    let mut map = Map::new();
    map.insert("id".to_owned(), Value::from(id.clone()));
    map.insert("timestamp".to_owned(), Value::from(Moment(now).text()));
    if let Ok(Value::Object(fields)) = serde_json::to_value(item) {
        map.extend(fields);
    }
    Ok((edit.push(section, Value::Object(map)).into_text().map_err(full)?, id))
}

fn full(bytes: usize) -> Problem {
    let what = format!(
        "the file would have {bytes} bytes, and {} is the limit: nothing was changed",
        read::MAX_BYTES
    );
    Problem::error(1, 1, what, "begin a new session, or `rawko session archive` this one")
}

fn open(file: File, text: &str, session: &str) -> Result<Edit, Problem> {
    let empty = || Edit::of(&edit::whole(&head(file, session), false));
    match read::document(text, 0..text.len(), 0)? {
        Some(document) => {
            newer(&document)?;
            Edit::of(text)
        }
        None => empty(),
    }
    .ok_or_else(|| {
        Problem::error(1, 1, "this file cannot be changed", "`rawko session validate` says what to mend")
    })
}

/// What is wrong with a file of a session.
pub fn check(file: File, text: &str, session: &str) -> Vec<Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if matches!(file, File::AgentMemory | File::Archive) {
        let mut problems = read::read(text, session).problems;
        for (range, above) in read::cut(text) {
            if let Ok(Some(document)) = read::document(text, range, above) {
                warn(&document, session, file, &mut problems);
            }
        }
        problems.sort_by_key(|problem| (problem.line, problem.column));
        return problems;
    }
    let document = match read::document(text, 0..text.len(), 0) {
        Ok(Some(document)) => document,
        Ok(None) => {
            return vec![Problem::error(
                1,
                1,
                "there is nothing in this file",
                "delete it: rawko makes it anew",
            )];
        }
        Err(problem) => return vec![problem],
    };
    if let Err(problem) = newer(&document) {
        return vec![problem];
    }
    schema::session().check_as(file.schema(), &document.root)
}

/// What is right by the schema and still odd.
fn warn(document: &read::Document, session: &str, file: File, problems: &mut Vec<Problem>) {
    let mut add = |at: (usize, usize), what: String, remedy: &str| {
        problems.push(Problem::warning(at.0 + document.above, at.1, what, remedy));
    };
    if let Some(field) = document.field("sessionId").filter(|field| field.value.text() != Some(session)) {
        let what = format!("`sessionId` is not the folder's name, `{session}`");
        add((field.value.line, field.value.column), what, "write the name of the folder");
    }
    if document.version() == Ok(Version::Zero) {
        add(
            (1, 1),
            "this document says no version".to_owned(),
            "write `version: \"1\"`; rawko does so at its next update",
        );
    }
    let mut names = HashSet::new();
    for section in read::SECTIONS {
        let Some(field) = document.field(section) else { continue };
        let crate::yaml::Yaml::List(items) = &field.value.yaml else { continue };
        for item in items {
            let Ok(value) = item.json() else { continue };
            let id = value["id"].as_str().unwrap_or_default().to_owned();
            if !id.is_empty() && !names.insert((section, id.clone())) {
                add(
                    (item.line, item.column),
                    format!("`{id}` is here a second time"),
                    "give one of them another id",
                );
            }
            for to in value["relatedDiscoveries"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let moved = file == File::Archive || document.field("history").is_some();
                if !moved && !names.contains(&("discoveries", to.to_owned())) {
                    add(
                        (item.line, item.column),
                        format!("there is no discovery `{to}`"),
                        "name one of this agent's discoveries",
                    );
                }
            }
        }
    }
}
