//! From the text of a file of agents' memories to what it says.
//!
//! A `---` line at the margin starts a document whatever stands around it, so
//! the stream is cut there first and each document is read on its own: one that
//! is damaged, or of a newer version, hides none of the others. Within a
//! document, an entry that does not fit the schema is reported and left out.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::session::schema;
use crate::session::types::{AgentMemory, Moment};
use crate::yaml::{self, Field, Limits, Node, Yaml};

/// Largest file of agents' memories that is read, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The version of the format that is written.
pub const VERSION: u32 = 1;

pub(crate) const LIMITS: Limits = Limits {
    bytes: MAX_BYTES,
    depth: 32,
    nodes: 500_000,
    noun: "document",
    smaller: "archive it with `rawko session archive`, or split it",
};

/// The sections that hold entries.
pub(crate) const SECTIONS: [&str; 3] = ["discoveries", "attempts", "decisions"];

/// What a file of agents' memories says.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// The memories, one for each agent, in the file's order.
    pub memories: Vec<AgentMemory>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// The agents whose documents have a version that is newer than this rawko, each with that version.
    pub newer: Vec<(String, u32)>,
}

/// One document of a stream.
#[derive(Debug)]
pub(crate) struct Document {
    /// How many lines stand before it.
    pub(crate) above: usize,
    pub(crate) root: Node,
    pub(crate) value: Map<String, Value>,
}

/// How a document's version stands to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Before versions were written down.
    Zero,
    Current,
    Newer(u32),
}

/// Reads a file of agents' memories, or its archive.
pub fn read(text: &str, session: &str) -> Read {
    let mut read = Read::default();
    for (range, above) in cut(text) {
        match document(text, range, above) {
            Ok(Some(document)) => read.take(document, session),
            Ok(None) => {}
            Err(problem) => read.problems.push(problem),
        }
    }
    read
}

/// Where the documents of a stream are, and how many lines stand before each.
pub(crate) fn cut(text: &str) -> Vec<(Range<usize>, usize)> {
    let is_start = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
    };
    let (mut all, mut start, mut above, mut at) = (Vec::new(), 0, 0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_start(line) && at > start {
            all.push((start..at, above));
            (start, above) = (at, number);
        }
        at += line.len();
    }
    all.push((start..at, above));
    all
}

/// Reads the document at a place; `None` where there are only comments.
pub(crate) fn document(text: &str, range: Range<usize>, above: usize) -> Result<Option<Document>, Problem> {
    let part = &text[range];
    let below = |problem: Problem| problem.below(above);
    let Some(root) = yaml::document(part, &LIMITS).map_err(below)? else { return Ok(None) };
    match root.json().map_err(below)? {
        Value::Object(value) => Ok(Some(Document { above, root, value })),
        // A lone `---` line holds nothing.
        Value::Null => Ok(None),
        _ => Err(below(Problem::error(
            root.line,
            root.column,
            "the document is no mapping of `key: value` lines",
            "start it with `version: \"1\"` and `schema: \"agent-memory\"`",
        ))),
    }
}

impl Document {
    pub(crate) fn fields(&self) -> &[Field] {
        match &self.root.yaml {
            Yaml::Map(fields) => fields,
            _ => &[],
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.key == key)
    }

    pub(crate) fn version(&self) -> Result<Version, Problem> {
        let Some(field) = self.field("version") else { return Ok(Version::Zero) };
        let text = field.value.text().unwrap_or_default();
        let major = text.split('.').next().unwrap_or_default();
        match major.parse::<u32>() {
            Ok(0) => Ok(Version::Zero),
            Ok(VERSION) => Ok(Version::Current),
            Ok(newer) => Ok(Version::Newer(newer)),
            Err(_) => Err(Problem::error(
                field.value.line,
                field.value.column,
                format!("`{text}` is no version"),
                "write `version: \"1\"`",
            )
            .below(self.above)),
        }
    }

    /// The agent whose memory it is.
    pub(crate) fn agent(&self) -> &str {
        self.value.get("agent").and_then(Value::as_str).unwrap_or(UNKNOWN)
    }
}

/// The agent of a document that names none.
const UNKNOWN: &str = "unknown";

impl Read {
    fn take(&mut self, document: Document, session: &str) {
        match document.version() {
            Ok(Version::Newer(found)) => {
                let at = document.field("version").map_or(&document.root, |field| &field.value);
                self.newer.push((document.agent().to_owned(), found));
                self.problems.push(
                    Problem::error(
                        at.line,
                        at.column,
                        format!("this document has version {found}, and this rawko reads up to {VERSION}"),
                        "install a newer rawko; nothing was changed",
                    )
                    .below(document.above),
                );
            }
            Err(problem) => self.problems.push(problem),
            Ok(version) => {
                let memory = self.memory(&document, version, session);
                match self.memories.iter_mut().find(|known| known.agent == memory.agent) {
                    Some(known) => join(known, memory),
                    None => self.memories.push(memory),
                }
            }
        }
    }

    fn memory(&mut self, document: &Document, version: Version, session: &str) -> AgentMemory {
        let mut value = document.value.clone();
        if version == Version::Zero {
            migrate(&mut value, session);
        } else {
            self.head(document);
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let memory = AgentMemory {
            session_id: text("sessionId"),
            agent: document.agent().to_owned(),
            created_at: Moment::parse(&text("createdAt")),
            discoveries: self.entries(document, "discoveries", "discovery"),
            attempts: self.entries(document, "attempts", "attempt"),
            decisions: self.entries(document, "decisions", "decision"),
            context: self.context(document),
            history: self.entries(document, "history", "history"),
            extra: Map::new(),
        };
        let known = ["version", "schema", "sessionId", "agent", "createdAt", "context", "history"];
        value.retain(|key, _| !known.contains(&key.as_str()) && !SECTIONS.contains(&key.as_str()));
        AgentMemory { extra: value, ..memory }
    }

    /// What is wrong with the fields above the sections.
    fn head(&mut self, document: &Document) {
        let Yaml::Map(fields) = &document.root.yaml else { return };
        let is_head = |field: &&Field| !matches!(field.value.yaml, Yaml::List(_) | Yaml::Map(_));
        let head: Vec<Field> = fields.iter().filter(is_head).cloned().collect();
        let root = Node { yaml: Yaml::Map(head), ..document.root.clone() };
        let found = schema::agent_memory().check(&root);
        self.problems.extend(found.into_iter().map(|problem| problem.below(document.above)));
    }

    fn entries<T: DeserializeOwned>(&mut self, document: &Document, section: &str, name: &str) -> Vec<T> {
        let Some(field) = document.field(section) else { return Vec::new() };
        let Yaml::List(items) = &field.value.yaml else {
            if document.value[section] != Value::Null && !matches!(field.value.yaml, Yaml::Scalar { .. }) {
                let what = format!("`{section}` must be a list");
                let remedy = "write one `- id: …` per entry below the key";
                self.problems
                    .push(Problem::error(field.line, field.column, what, remedy).below(document.above));
            }
            return Vec::new();
        };
        items.iter().filter_map(|item| self.entry(document, item, name)).collect()
    }

    fn context<T: DeserializeOwned>(&mut self, document: &Document) -> Option<T> {
        let field = document.field("context")?;
        if document.value["context"] == Value::Null {
            return None;
        }
        self.entry(document, &field.value, "context")
    }

    fn entry<T: DeserializeOwned>(&mut self, document: &Document, node: &Node, name: &str) -> Option<T> {
        let found = schema::agent_memory().check_as(name, node);
        if !found.is_empty() {
            self.problems.extend(found.into_iter().map(|problem| problem.below(document.above)));
            return None;
        }
        let value = without_nulls(node.json().ok()?);
        match serde_json::from_value(value) {
            Ok(entry) => Some(entry),
            Err(error) => {
                let what = format!("this {name} cannot be read: {error}");
                let problem = Problem::error(
                    node.line,
                    node.column,
                    what,
                    "`rawko schema agent-memory` shows the form",
                );
                self.problems.push(problem.below(document.above));
                None
            }
        }
    }
}

/// A field that is there and empty says what a missing one says.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

/// Two documents of one agent are one memory; the later one's context counts.
fn join(known: &mut AgentMemory, more: AgentMemory) {
    known.discoveries.extend(more.discoveries);
    known.attempts.extend(more.attempts);
    known.decisions.extend(more.decisions);
    known.history.extend(more.history);
    known.context = more.context.or(known.context.take());
    known.extra.extend(more.extra);
}

/// Brings a document of version 0 to version 1: it has a head.
///
/// Version 0 is what was written before there were versions: the sections
/// alone, or with a part of the head.
pub(crate) fn migrate(value: &mut Map<String, Value>, session: &str) {
    let mut head = Map::new();
    head.insert("version".to_owned(), Value::from(VERSION.to_string()));
    head.insert("schema".to_owned(), Value::from("agent-memory"));
    for (key, default) in
        [("sessionId", session.to_owned()), ("agent", UNKNOWN.to_owned()), ("createdAt", oldest(value))]
    {
        let known = value.get(key).filter(|value| value.is_string()).cloned();
        head.insert(key.to_owned(), known.unwrap_or(Value::from(default)));
    }
    for (key, value) in std::mem::take(value) {
        head.entry(key).or_insert(value);
    }
    *value = head;
}

/// When the first entry of a document was written.
fn oldest(value: &Map<String, Value>) -> String {
    let entries = SECTIONS.iter().filter_map(|section| value.get(*section)?.as_array()).flatten();
    let times = entries.filter_map(|entry| Moment::parse(entry["timestamp"].as_str()?));
    times.min().unwrap_or(Moment(jiff::Timestamp::UNIX_EPOCH)).text()
}
