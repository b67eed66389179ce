//! An entry as JSON: every field, by the names that the file has for them.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::entry::{Entry, Frontmatter, Importance, Kind, Status, Trigger};
use crate::trust::Trust;

/// The entry as JSON; fields that rawko does not know stand below `extra`.
pub fn entry_json(entry: &Entry) -> Value {
    let front = &entry.frontmatter;
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| {
        let is_empty = value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty);
        // Triggers must be there, and evidence that is an empty list is not the same as none.
        if !is_empty || key == "whenToUse" || (key == "evidence" && !value.is_null()) {
            fields.insert(key.to_owned(), value);
        }
    };
    put("title", json!(front.title));
    put("whenToUse", front.when_to_use.iter().map(trigger_json).collect());
    put("importance", json!(front.importance.as_str()));
    put("discoveredAt", json!(front.discovered_at.to_string()));
    put("discoveredBy", json!(front.discovered_by));
    put("tags", json!(front.tags));
    put("discoveredIn", json!(front.discovered_in));
    put("source", json!(front.source));
    put("relatedMemories", json!(front.related_memories));
    put("kind", json!(front.kind.map(Kind::as_str)));
    put("status", json!(front.status.map(Status::as_str)));
    put("supersedes", json!(front.supersedes));
    put("evidence", front.evidence.clone());
    put("shouldFire", json!(front.should_fire));
    put("shouldNotFire", json!(front.should_not_fire));
    put("trust", json!(front.trust.map(Trust::as_str)));
    put("extra", Value::Object(front.extra.clone()));
    put("body", json!(entry.body));
    Value::Object(fields)
}

fn trigger_json(trigger: &Trigger) -> Value {
    match trigger {
        Trigger::Text(text) => json!(text),
        Trigger::Pattern(text) => json!({ "pattern": text }),
        Trigger::Path(text) => json!({ "path": text }),
        Trigger::Command(text) => json!({ "command": text }),
        Trigger::Error(text) => json!({ "error": text }),
    }
}

/// Reads what [`entry_json`] wrote; the error says which field is wrong.
pub fn entry_from_json(value: &Value) -> Result<Entry, String> {
    let fields = value.as_object().ok_or("an entry is an object")?;
    let front = Frontmatter {
        title: required(fields, "title")?,
        when_to_use: triggers(fields.get("whenToUse").unwrap_or(&Value::Null))?,
        importance: word(fields, "importance", Importance::parse)?.ok_or("`importance` is missing")?,
        discovered_at: at(&required(fields, "discoveredAt")?)?,
        discovered_by: required(fields, "discoveredBy")?,
        tags: texts(fields, "tags")?,
        discovered_in: optional(fields, "discoveredIn")?,
        source: optional(fields, "source")?,
        related_memories: texts(fields, "relatedMemories")?,
        kind: word(fields, "kind", Kind::parse)?,
        status: word(fields, "status", Status::parse)?,
        supersedes: texts(fields, "supersedes")?,
        evidence: fields.get("evidence").filter(|value| value.is_array()).cloned().unwrap_or_default(),
        should_fire: texts(fields, "shouldFire")?,
        should_not_fire: texts(fields, "shouldNotFire")?,
        trust: word(fields, "trust", trust)?,
        extra: fields.get("extra").and_then(Value::as_object).cloned().unwrap_or_default(),
    };
    let entry = Entry { frontmatter: front, body: optional(fields, "body")?.unwrap_or_default() };
    // What a file could not hold must not be written into one.
    let back = crate::thread::parse(&entry.to_text());
    match (back.entries.as_slice(), back.problems.first()) {
        ([found], _) if found.entry == entry => Ok(entry),
        (_, Some(problem)) => Err(problem.what.clone()),
        _ => Err("its fields cannot be kept in a file as they are".to_owned()),
    }
}

fn trust(word: &str) -> Option<Trust> {
    [Trust::Human, Trust::Agent, Trust::Imported, Trust::Untrusted]
        .into_iter()
        .find(|trust| trust.as_str() == word)
}

fn at(text: &str) -> Result<Timestamp, String> {
    crate::frontmatter::time(text).ok_or_else(|| format!("`discoveredAt` is no time: {text}"))
}

fn required(fields: &Map<String, Value>, key: &str) -> Result<String, String> {
    optional(fields, key)?.filter(|text| !text.trim().is_empty()).ok_or_else(|| format!("`{key}` is missing"))
}

fn optional(fields: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is no text")),
    }
}

fn texts(fields: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| {
                item.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is no list of texts"))
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is no list of texts")),
    }
}

fn word<T>(
    fields: &Map<String, Value>,
    key: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(text) = optional(fields, key)? else { return Ok(None) };
    parse(&text).map(Some).ok_or_else(|| format!("`{text}` is no {key}"))
}

fn triggers(value: &Value) -> Result<Vec<Trigger>, String> {
    let items = value.as_array().ok_or("`whenToUse` is no list")?;
    items.iter().map(|item| trigger(item).ok_or_else(|| format!("`{item}` is no trigger"))).collect()
}

fn trigger(item: &Value) -> Option<Trigger> {
    if let Value::String(text) = item {
        return Some(Trigger::Text(text.clone()));
    }
    let (key, text) = item.as_object().filter(|fields| fields.len() == 1)?.iter().next()?;
    let text = text.as_str()?.to_owned();
    match key.as_str() {
        "pattern" => Some(Trigger::Pattern(text)),
        "path" => Some(Trigger::Path(text)),
        "command" => Some(Trigger::Command(text)),
        "error" => Some(Trigger::Error(text)),
        _ => None,
    }
}
