//! One change to an agent's memory: from the file's text to the next one.
//!
//! Pure: the store reads and writes, this decides. A change touches only its
//! own agent's document, and a document that cannot be read is never written
//! over.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::session::edit::{self, Edit};
use crate::session::read::{self, Document, Version};
use crate::session::types::{AgentMemory, Attempt, AttemptResult, Decision, Discovery, Moment};

/// Longest text that one field takes, in bytes.
pub const MAX_TEXT: usize = 256 * 1024;
/// Most items that one list of an entry takes.
pub const MAX_ITEMS: usize = 1_000;

/// A change to one agent's memory.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one is made for each change and lives as long as that")]
pub enum Update {
    /// Something was learned. An empty `id` gets the next one; so for all that follow.
    Discover(Discovery),
    /// Something is about to be tried.
    Start(Attempt),
    /// Something more is known of an attempt; without a name, of the newest that goes on.
    Attempt {
        /// Which one.
        id: Option<String>,
        /// The fields that change. Commands, sub-tasks and artifacts are added to those that are there.
        changes: Map<String, Value>,
    },
    /// A choice was made.
    Decide(Decision),
    /// The agent's understanding changed: maps are united with what is there, all else takes its place.
    Context(Map<String, Value>),
}

impl Update {
    /// Whether the entry that is to be added is among these by its name; never where it has none yet.
    pub fn is_in(&self, memory: &AgentMemory) -> bool {
        let (id, found) = match self {
            Self::Discover(new) => (&new.id, memory.discoveries.iter().any(|known| known.id == new.id)),
            Self::Start(new) => (&new.id, memory.attempts.iter().any(|known| known.id == new.id)),
            Self::Decide(new) => (&new.id, memory.decisions.iter().any(|known| known.id == new.id)),
            Self::Attempt { .. } | Self::Context(_) => return false,
        };
        found && !id.is_empty()
    }

    /// The name that the entry to be added was given; empty where it has none yet.
    pub fn given_name(&self) -> &str {
        match self {
            Self::Discover(new) => &new.id,
            Self::Start(new) => &new.id,
            Self::Decide(new) => &new.id,
            Self::Attempt { .. } | Self::Context(_) => "",
        }
    }

    /// The step of the plan that it says it is about.
    pub fn plan_step(&self) -> Option<u64> {
        match self {
            Self::Start(attempt) => attempt.plan_step,
            Self::Context(changes) => changes.get("currentPlanStep").and_then(Value::as_u64),
            Self::Discover(_) | Self::Decide(_) | Self::Attempt { .. } => None,
        }
    }
}

/// Lists of an attempt that grow, and the field that tells one item from another.
const GROWING: [(&str, Option<&str>); 3] =
    [("commands", None), ("subTasks", Some("description")), ("artifacts", Some("path"))];

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The file's new text.
    pub text: String,
    /// The entry that it is about; empty for the context.
    pub id: String,
    /// Whether an entry of this name was there already, so that nothing changed.
    pub already: bool,
}

/// Why a change cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UpdateError {
    /// The agent's document is damaged.
    #[error("line {}, column {}: {}", .0.line, .0.column, .0.what)]
    Damaged(Problem),
    /// The agent's document is of a newer version.
    #[error("the memory of `{agent}` has version {found}, and this rawko reads up to {}", read::VERSION)]
    TooNew {
        /// Whose.
        agent: String,
        /// Its version.
        found: u32,
    },
    /// No attempt of this name.
    #[error("`{agent}` has no attempt `{id}` in this session")]
    NoAttempt {
        /// Whose.
        agent: String,
        /// The name.
        id: String,
    },
    /// No attempt goes on.
    #[error("no attempt of `{agent}` goes on in this session")]
    NothingGoesOn {
        /// Whose.
        agent: String,
    },
    /// A text or list beyond any use.
    #[error("`{field}` is too large: at most {MAX_TEXT} bytes in a text and {MAX_ITEMS} items in a list")]
    TooLong {
        /// Which field.
        field: String,
    },
    /// The file would become larger than any file that is read.
    #[error("the file would have {0} bytes, and {max} is the limit: nothing was changed; `rawko session archive` makes room", max = read::MAX_BYTES)]
    Full(usize),
}

/// Makes a change in the text of a file of agents' memories.
pub fn apply(
    text: &str,
    session: &str,
    agent: &str,
    update: &Update,
    now: Timestamp,
) -> Result<Updated, UpdateError> {
    check_sizes(update)?;
    let place = find(text, agent)?;
    let (place, edit) = match place {
        Some((range, is_last, document)) => {
            let edit = Edit::read(&text[range.clone()], document);
            (Some((range, is_last)), edit)
        }
        None => (None, Edit::of(&begin(session, agent, now))),
    };
    let Some(mut edit) = edit else { return Err(UpdateError::Full(text.len())) };
    if edit.document().version() == Ok(Version::Zero) {
        edit = edit.migrated(session);
    }
    let (edit, id, already) = change(edit, agent, update, now)?;
    let document = edit.into_text().map_err(UpdateError::Full)?;
    let text = match place {
        Some((range, is_last)) => {
            let gap = if is_last { "" } else { "\n" };
            let after = &text[range.end..];
            let gap = if document.ends_with("\n\n") { "" } else { gap };
            [&text[..range.start], &document, gap, after].concat()
        }
        None if text.trim().is_empty() => document,
        None => format!("{}\n---\n{document}", with_line_end(text)),
    };
    if text.len() > read::MAX_BYTES {
        Err(UpdateError::Full(text.len()))
    } else {
        Ok(Updated { text, id, already })
    }
}

/// Every text of a change through `clean`, before it is written anywhere: secrets go here.
///
/// A name that `clean` changes is none: the entry gets the next one.
pub fn cleaned(update: Update, clean: &dyn Fn(&str) -> String) -> Update {
    fn value(of: Value, clean: &dyn Fn(&str) -> String) -> Value {
        match of {
            Value::String(text) => Value::String(clean(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| value(item, clean)).collect()),
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(key, of)| (clean(&key), value(of, clean))).collect())
            }
            other => other,
        }
    }
    fn entry<T: serde::Serialize + serde::de::DeserializeOwned>(of: T, clean: &dyn Fn(&str) -> String) -> T {
        let Ok(Value::Object(map)) = serde_json::to_value(&of) else { return of };
        // Times and words of the format are rawko's own.
        let own = ["timestamp", "type", "importance", "result", "impact"];
        let map: Map<String, Value> = map
            .into_iter()
            .map(|(key, of)| match (key.as_str(), of) {
                ("id", Value::String(id)) if clean(&id) != id => (key, Value::from("")),
                (name, of) if own.contains(&name) || name == "id" => (key, of),
                (_, of) => (clean(&key), value(of, clean)),
            })
            .collect();
        serde_json::from_value(Value::Object(map)).unwrap_or(of)
    }
    let fields = |map: Map<String, Value>| match value(Value::Object(map), clean) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    match update {
        Update::Discover(discovery) => Update::Discover(entry(discovery, clean)),
        Update::Start(attempt) => Update::Start(entry(attempt, clean)),
        Update::Decide(decision) => Update::Decide(entry(decision, clean)),
        Update::Attempt { id, changes } => Update::Attempt { id, changes: fields(changes) },
        Update::Context(changes) => Update::Context(fields(changes)),
    }
}

fn with_line_end(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Where the agent's document is, and whether it is the last one.
///
/// Only a document that says so in a plain line, or in no plain line, is read:
/// with many agents in a file, most of it is passed over.
fn find(text: &str, agent: &str) -> Result<Option<(Range<usize>, bool, Document)>, UpdateError> {
    let all = read::cut(text);
    let last = all.len() - 1;
    for (n, (range, above)) in all.into_iter().enumerate().rev() {
        let part = &text[range.clone()];
        let mut named = part.lines().filter_map(|line| line.strip_prefix("agent:")).map(plain_name);
        if named.next().flatten().is_some_and(|name| name != agent) {
            continue;
        }
        let document = match read::document(text, range.clone(), above) {
            Ok(Some(document)) => document,
            Ok(None) => continue,
            Err(problem) => return Err(UpdateError::Damaged(problem)),
        };
        if document.agent() != agent || document.value.get("agent").is_none() {
            continue;
        }
        return match document.version() {
            Ok(Version::Newer(found)) => Err(UpdateError::TooNew { agent: agent.to_owned(), found }),
            Ok(_) => Ok(Some((range, n == last, document))),
            Err(problem) => Err(UpdateError::Damaged(problem)),
        };
    }
    Ok(None)
}

/// The value of an `agent:` line, where it is as simple as such a line nearly always is.
fn plain_name(value: &str) -> Option<&str> {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!inner.is_empty() && inner.chars().all(simple)).then_some(inner)
}

fn change(
    edit: Edit,
    agent: &str,
    update: &Update,
    now: Timestamp,
) -> Result<(Edit, String, bool), UpdateError> {
    Ok(match update {
        Update::Discover(entry) => add(edit, "discoveries", "discovery", entry, now),
        Update::Start(entry) => add(edit, "attempts", "attempt", entry, now),
        Update::Decide(entry) => add(edit, "decisions", "decision", entry, now),
        Update::Context(changes) => {
            let changes = united(edit.value().get("context"), changes);
            check_size(&changes)?;
            (edit.set("context", None, &changes), String::new(), false)
        }
        Update::Attempt { id, changes } => {
            let (n, id) = attempt(&edit, agent, id.as_deref())?;
            let changes = united(entries(&edit, "attempts").get(n), changes);
            check_size(&changes)?;
            (edit.set("attempts", Some(n), &changes), id, false)
        }
    })
}

/// Changes as they must be made where something is known: maps are united, some lists grow, all else is replaced.
fn united(known: Option<&Value>, changes: &Map<String, Value>) -> Map<String, Value> {
    let one = |key: &str, change: &Value| match (known.and_then(|known| known.get(key)), change) {
        (Some(Value::Object(known)), Value::Object(more)) => {
            let mut all = known.clone();
            all.extend(more.clone());
            Value::Object(all)
        }
        (Some(Value::Array(known)), Value::Array(more)) => match GROWING.iter().find(|(of, _)| *of == key) {
            Some((_, name)) => Value::Array(grown(known, more, *name)),
            None => change.clone(),
        },
        _ => change.clone(),
    };
    changes.iter().map(|(key, change)| (key.clone(), one(key, change))).collect()
}

/// A list with more items; one of the same name is changed in its place.
fn grown(known: &[Value], more: &[Value], name: Option<&str>) -> Vec<Value> {
    let mut all = known.to_vec();
    for item in more {
        let same = name.and_then(|name| all.iter().position(|known| known[name] == item[name]));
        match (same.and_then(|at| all[at].as_object_mut()), item.as_object()) {
            (Some(known), Some(item)) => known.extend(item.clone()),
            _ => all.push(item.clone()),
        }
    }
    all
}

fn add<T: serde::Serialize>(
    edit: Edit,
    section: &str,
    kind: &str,
    entry: &T,
    now: Timestamp,
) -> (Edit, String, bool) {
    let Ok(Value::Object(mut entry)) = serde_json::to_value(entry) else {
        return (edit, String::new(), false);
    };
    let given = entry.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !given.is_empty() && entries(&edit, section).iter().any(|known| known["id"] == given.as_str()) {
        return (edit, given, true);
    }
    let id =
        if given.is_empty() { format!("{kind}-{:03}", highest(&edit, section, kind) + 1) } else { given };
    entry.insert("id".to_owned(), Value::from(id.clone()));
    entry.insert("timestamp".to_owned(), Value::from(after_all(&edit, section, now).text()));
    (edit.push(section, Value::Object(entry)), id, false)
}

fn entries<'a>(edit: &'a Edit, section: &str) -> &'a [Value] {
    edit.value().get(section).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The highest number among the names of a kind, also of those that are archived.
fn highest(edit: &Edit, section: &str, kind: &str) -> u64 {
    let number =
        |entry: &Value| entry["id"].as_str()?.strip_prefix(kind)?.strip_prefix('-')?.parse::<u64>().ok();
    let here = entries(edit, section).iter().filter_map(number);
    let archived = entries(edit, "history").iter().filter_map(|history| history["last"][kind].as_u64());
    here.chain(archived).max().unwrap_or(0)
}

/// Now, or a moment after the newest entry where a clock went back: order comes from the file.
fn after_all(edit: &Edit, section: &str, now: Timestamp) -> Moment {
    let times = entries(edit, section).iter().filter_map(|entry| Moment::parse(entry["timestamp"].as_str()?));
    let now = Moment::parse(&Moment(now).text()).unwrap_or(Moment(now));
    let Some(newest) = times.max().filter(|newest| *newest >= now) else { return now };
    newest.0.checked_add(SignedDuration::from_millis(1)).map_or(newest, Moment)
}

fn attempt(edit: &Edit, agent: &str, id: Option<&str>) -> Result<(usize, String), UpdateError> {
    let all = entries(edit, "attempts");
    let found = match id {
        Some(id) => all.iter().rposition(|attempt| attempt["id"] == id),
        None => all.iter().rposition(|attempt| attempt["result"] == AttemptResult::InProgress.as_str()),
    };
    let agent = agent.to_owned();
    match (found, id) {
        (Some(n), _) => Ok((n, all[n]["id"].as_str().unwrap_or_default().to_owned())),
        (None, Some(id)) => Err(UpdateError::NoAttempt { agent, id: id.to_owned() }),
        (None, None) => Err(UpdateError::NothingGoesOn { agent }),
    }
}

fn check_size(changes: &Map<String, Value>) -> Result<(), UpdateError> {
    changes.iter().try_for_each(|(key, value)| fits(key, value))
}

fn fits(key: &str, value: &Value) -> Result<(), UpdateError> {
    let fine = match value {
        Value::String(text) => text.len() <= MAX_TEXT,
        Value::Array(items) => {
            items.iter().try_for_each(|item| fits(key, item))?;
            items.len() <= MAX_ITEMS
        }
        Value::Object(map) => {
            map.iter().try_for_each(|(key, value)| fits(key, value))?;
            map.len() <= MAX_ITEMS && map.keys().all(|key| key.len() <= 200)
        }
        _ => true,
    };
    if fine { Ok(()) } else { Err(UpdateError::TooLong { field: key.to_owned() }) }
}

fn check_sizes(update: &Update) -> Result<(), UpdateError> {
    let value = match update {
        Update::Discover(entry) => serde_json::to_value(entry),
        Update::Start(entry) => serde_json::to_value(entry),
        Update::Decide(entry) => serde_json::to_value(entry),
        Update::Attempt { changes, .. } | Update::Context(changes) => Ok(Value::Object(changes.clone())),
    };
    value.map_or(Ok(()), |value| fits("", &value))
}

/// A text as the files hold it: without blanks at its end, and with a line end where it has several lines.
pub fn tidy(text: &str) -> String {
    let text = text.trim_end();
    if text.contains('\n') { format!("{text}\n") } else { text.to_owned() }
}

/// The text of a file in which one agent has nothing yet.
pub fn begin(session: &str, agent: &str, now: Timestamp) -> String {
    edit::whole(&edit::head(session, agent, &Moment(now).text(), "agent-memory"), false)
}
