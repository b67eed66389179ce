//! The frontmatter of other tools, which is often no YAML.
//!
//! Where YAML refuses (`globs: **/*.ts` is an alias to it), the lines are read
//! for what their writer meant: `key: value`, `- item`, one level of nesting.

use serde_json::{Map, Value};

/// A text's frontmatter and what stands below it.
pub(super) struct Front<'t> {
    pub(super) fields: Map<String, Value>,
    pub(super) body: &'t str,
    /// The line of the body, from 1.
    pub(super) line: usize,
}

/// Splits a text; one without frontmatter is all body.
pub(super) fn split(text: &str) -> Front<'_> {
    let whole = Front { fields: Map::new(), body: text, line: 1 };
    let Some(rest) = text.strip_prefix("---").and_then(after_line_end) else { return whole };
    let mut at = 0;
    for (n, line) in rest.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            return Front { fields: fields(&rest[..at]), body: &rest[at + line.len()..], line: n + 3 };
        }
        at += line.len();
    }
    whole
}

fn after_line_end(rest: &str) -> Option<&str> {
    rest.trim_start_matches([' ', '\t']).strip_prefix('\n')
}

/// The fields of a block, by YAML where it is YAML.
pub(super) fn fields(block: &str) -> Map<String, Value> {
    let strict = crate::yaml::parse(block).ok().and_then(|fields| {
        fields.into_iter().map(|field| Some((field.key, field.value.json().ok()?))).collect()
    });
    strict.unwrap_or_else(|| by_lines(block))
}

fn by_lines(block: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut open = String::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            add(fields.entry(open.clone()).or_insert(Value::Null), unquoted(item));
        } else if let Some((key, value)) = trimmed.split_once(':').filter(|(key, _)| is_key(key)) {
            let value = value.trim();
            if line.starts_with([' ', '\t']) && !open.is_empty() {
                let inner = fields.entry(open.clone()).or_insert(Value::Null);
                if inner.is_null() {
                    *inner = Value::Object(Map::new());
                }
                if let Value::Object(inner) = inner {
                    inner.insert(key.to_owned(), read(value));
                }
            } else {
                open = key.to_owned();
                fields.insert(open.clone(), if value.is_empty() { Value::Null } else { read(value) });
            }
        }
    }
    fields.remove("");
    fields
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
}

fn add(to: &mut Value, item: String) {
    match to {
        Value::Array(items) => items.push(Value::String(item)),
        _ => *to = Value::Array(vec![Value::String(item)]),
    }
}

fn read(value: &str) -> Value {
    match value {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner.split(',').map(|item| Value::String(unquoted(item))).collect(),
            None => Value::String(unquoted(value)),
        },
    }
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|&mark| value.strip_prefix(mark)?.strip_suffix(mark));
    inner.unwrap_or(value).to_owned()
}
