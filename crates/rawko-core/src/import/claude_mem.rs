//! claude-mem's export: `observations` and `summaries`, with the prompts and sessions they came from.
//!
//! Its database is SQLite; the tool's own export, and `sqlite3 -json` over its
//! tables, give the same rows as JSON. Rows are told apart by their fields.

use serde_json::{Map, Value};

use super::elements::elements;
use super::{ImportItem, Parsed, said, text_of, texts, time};
use crate::entry::{Importance, Trigger};

/// Most files that become triggers.
const MOST_PATHS: usize = 8;

type Row = Map<String, Value>;

pub(super) fn read(_: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let found = elements(text);
    for (line, row) in found.objects {
        let id = row.get("id").and_then(said).unwrap_or_default();
        if ["narrative", "facts", "text"].iter().any(|key| row.contains_key(*key)) {
            parsed.items.push(observation(&id, line, &row));
        } else if ["request", "learned", "investigated"].iter().any(|key| row.contains_key(*key)) {
            parsed.items.push(summary(&id, line, &row));
        } else if row.contains_key("prompt_text") {
            parsed.skip(line, format!("prompt {id}"), "what a person asked, not a memory");
        } else if row.contains_key("content_session_id") {
            parsed.skip(line, format!("session {id}"), "a session's record, which says nothing by itself");
        } else {
            parsed.skip(line, format!("row {id}"), "no observation and no summary");
        }
    }
    found.damaged.into_iter().for_each(|(line, why)| parsed.damaged(line, "", why));
    parsed
}

fn observation(id: &str, line: usize, row: &Row) -> ImportItem {
    let mut body: Vec<String> = Vec::new();
    body.extend(text_of(row, "narrative").map(str::to_owned));
    let facts = row.get("facts").map(list).unwrap_or_default();
    body.extend(
        (!facts.is_empty())
            .then(|| facts.iter().map(|fact| format!("- {fact}")).collect::<Vec<_>>().join("\n")),
    );
    body.extend(text_of(row, "text").map(str::to_owned));
    let mut item = ImportItem::new(
        format!("observation {id}"),
        line,
        text_of(row, "title").unwrap_or(""),
        body.join("\n\n"),
    );
    if let Some(subtitle) = text_of(row, "subtitle") {
        item.when(subtitle);
    }
    if let Some(kind) = text_of(row, "type") {
        item.tag(kind);
    }
    row.get("concepts").map(list).unwrap_or_default().iter().for_each(|concept| item.tag(concept));
    let files = row.get("files_modified").map(list).unwrap_or_default();
    let inside =
        files.into_iter().filter(|file| !file.starts_with(['/', '~']) && !file.contains([':', '\\']));
    item.when.extend(inside.take(MOST_PATHS).map(Trigger::Path));
    finish(item, row)
}

fn summary(id: &str, line: usize, row: &Row) -> ImportItem {
    let parts = [
        ("Investigated", "investigated"),
        ("Learned", "learned"),
        ("Completed", "completed"),
        ("Next steps", "next_steps"),
        ("Notes", "notes"),
    ];
    let said =
        parts.iter().filter_map(|(name, key)| Some(format!("**{name}:** {}", text_of(row, key)?.trim())));
    let body = said.collect::<Vec<_>>().join("\n\n");
    let title = text_of(row, "request").unwrap_or("");
    let mut item = ImportItem::new(format!("summary {id}"), line, title, body);
    item.tag("summary");
    // What one session did is seldom worth as much as what it found.
    item.importance = Importance::Low;
    finish(item, row)
}

fn finish(mut item: ImportItem, row: &Row) -> ImportItem {
    item.at = ["created_at_epoch", "created_at"].iter().find_map(|key| time(row.get(*key)?));
    for key in ["project", "memory_session_id", "content_hash", "agent_type"] {
        item.rest.extend(text_of(row, key).map(|text| (key.to_owned(), text.into())));
    }
    item
}

/// A list, also one that a column holds as text; a text that is no list is one item, commas and all.
fn list(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if !text.trim_start().starts_with('[') => {
            Some(text.clone()).filter(|text| !text.trim().is_empty()).into_iter().collect()
        }
        value => texts(value),
    }
}
