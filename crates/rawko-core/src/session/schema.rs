//! The published JSON Schemas, used: where a file does not fit, and what to write instead.
//!
//! The schema that `rawko schema` prints is the one that runs, so the two
//! cannot drift apart. Only the words that our schemas use are known here; a
//! test fails on a schema with any other.

use std::sync::OnceLock;

use serde_json::Value;

use crate::problem::Problem;
use crate::session::types::Moment;
use crate::yaml::{Node, Yaml};

/// The schema of one agent's memory, as published.
pub const AGENT_MEMORY: &str = include_str!("../../../../docs/schema/agent-memory.json");
/// The schema of a session's other files, as published.
pub const SESSION: &str = include_str!("../../../../docs/schema/session.json");

/// A published schema, read once.
pub(crate) struct Schema {
    root: Value,
}

/// The schema of agents' memories.
pub(crate) fn agent_memory() -> &'static Schema {
    static READ: OnceLock<Schema> = OnceLock::new();
    READ.get_or_init(|| Schema::read(AGENT_MEMORY))
}

/// The schema of a session's other files.
pub(crate) fn session() -> &'static Schema {
    static READ: OnceLock<Schema> = OnceLock::new();
    READ.get_or_init(|| Schema::read(SESSION))
}

impl Schema {
    fn read(text: &str) -> Self {
        Self { root: serde_json::from_str(text).expect("published schemas are JSON: a test reads them") }
    }

    /// Checks a whole document.
    pub(crate) fn check(&self, node: &Node) -> Vec<Problem> {
        let mut found = Vec::new();
        self.look(node, &self.root, "the document", &mut found);
        found
    }

    /// Checks a node by the definition of this name.
    pub(crate) fn check_as(&self, name: &str, node: &Node) -> Vec<Problem> {
        let mut found = Vec::new();
        self.look(node, &self.root["$defs"][name], name, &mut found);
        found
    }

    fn look(&self, node: &Node, schema: &Value, name: &str, found: &mut Vec<Problem>) {
        if let Some(definition) = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
            if let Some(schema) = self.root.pointer(definition) {
                self.look(node, schema, name, found);
            }
            return;
        }
        let forms = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
        if let Some(forms) = forms {
            return self.look_any(node, forms, name, found);
        }
        if let Some(problem) = wrong_value(node, schema, name) {
            return found.push(problem);
        }
        match &node.yaml {
            Yaml::Map(fields) => {
                for field in fields {
                    if let Some(schema) = schema["properties"].get(&field.key) {
                        self.look(&field.value, schema, &format!("`{}`", field.key), found);
                    }
                }
                self.look_required(node, schema, name, found);
            }
            Yaml::List(items) => items.iter().for_each(|item| {
                self.look(item, &schema["items"], &format!("an item of {name}"), found);
            }),
            Yaml::Scalar { .. } => {}
        }
    }

    /// The form that fits best counts; a text is measured by the form for texts.
    fn look_any(&self, node: &Node, forms: &[Value], name: &str, found: &mut Vec<Problem>) {
        let tried = forms.iter().map(|form| {
            let mut problems = Vec::new();
            self.look(node, form, name, &mut problems);
            problems
        });
        let best = tried.min_by_key(|problems| (problems.len(), problems.first().map_or(0, |_| 1)));
        found.extend(best.unwrap_or_default());
    }

    fn look_required(&self, node: &Node, schema: &Value, name: &str, found: &mut Vec<Problem>) {
        let Yaml::Map(fields) = &node.yaml else { return };
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if fields.iter().any(|field| field.key == key) {
                continue;
            }
            let of = if name.starts_with('`') || name.starts_with("an item") { name } else { "this entry" };
            let what = format!("{} has no `{key}`", if name == "the document" { name } else { of });
            let example = self.example(&schema["properties"][key]);
            found.push(Problem::error(node.line, node.column, what, format!("add `{key}: {example}`")));
        }
    }

    /// Something that would fit.
    fn example(&self, schema: &Value) -> String {
        let to = schema["$ref"].as_str().and_then(|to| self.root.pointer(to.strip_prefix('#')?));
        let schema = to.unwrap_or(schema);
        let first = |key: &str| schema[key].as_array().and_then(|all| all.first()).map(Value::to_string);
        let constant = schema.get("const").map(Value::to_string);
        first("examples").or(constant).or_else(|| first("enum")).unwrap_or_else(|| match word(schema) {
            "a list" => "[]".to_owned(),
            "a whole number" => "0".to_owned(),
            _ => "\"…\"".to_owned(),
        })
    }
}

fn wrong_value(node: &Node, schema: &Value, name: &str) -> Option<Problem> {
    let wrong = |what: String, remedy: String| Some(Problem::error(node.line, node.column, what, remedy));
    let value = match node.json() {
        Ok(value) => value,
        Err(problem) => return Some(problem),
    };
    let constant = schema.get("const").map(std::slice::from_ref);
    if let Some(words) = schema["enum"].as_array().map(Vec::as_slice).or(constant) {
        if words.contains(&value) {
            return None;
        }
        let shown: Vec<String> = words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
        let what = format!("{name} is {}, which is none of its words", brief(&value));
        return wrong(what, format!("write one of: {}", shown.join(", ")));
    }
    if !fits_type(&value, &schema["type"]) {
        let remedy = match (&value, word(schema)) {
            (Value::Number(_) | Value::Bool(_) | Value::Null, "a text") => {
                format!("put it in quotes: \"{}\"", node.text().unwrap_or_default())
            }
            (_, "a list") => "write one `- item` per line below the key".to_owned(),
            (_, kind) => format!("write {kind}"),
        };
        return wrong(format!("{name} must be {}, and is {}", word(schema), brief(&value)), remedy);
    }
    if schema["minimum"].as_i64().is_some_and(|least| value.as_i64().is_some_and(|n| n < least)) {
        return wrong(format!("{name} is below 0"), "write a number from 0".to_owned());
    }
    let text = value.as_str()?;
    if schema["minLength"].as_u64().is_some_and(|least| (text.chars().count() as u64) < least) {
        return wrong(format!("{name} is empty"), format!("write a text for {name}"));
    }
    if schema["format"] == "date-time" && Moment::parse(text).is_none() {
        let what = format!("{name} is {}, which is no time", brief(&value));
        return wrong(what, "write ISO 8601, such as \"2026-01-23T10:31:10.000Z\"".to_owned());
    }
    None
}

fn fits_type(value: &Value, types: &Value) -> bool {
    let fits = |kind: &str| match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    match types {
        Value::String(kind) => fits(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}

/// What a schema wants, in words.
fn word(schema: &Value) -> &'static str {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default();
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping of `key: value` lines",
        _ => "something else",
    }
}

/// A value, short enough for a sentence.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::Null => "empty".to_owned(),
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let short: String = text.chars().take(40).collect();
            format!("`{short}{}`", if short.len() < text.len() { "…" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word of a schema that has a meaning here, or means nothing to a validator.
    const KNOWN: [&str; 19] = [
        "$schema",
        "$id",
        "title",
        "description",
        "examples",
        "$defs",
        "$ref",
        "anyOf",
        "oneOf",
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "minimum",
        "minLength",
        "format",
    ];

    fn words(schema: &Value, is_schema: bool) {
        let Value::Object(map) = schema else {
            return schema.as_array().into_iter().flatten().for_each(|each| words(each, is_schema));
        };
        for (key, value) in map {
            assert!(
                !is_schema || KNOWN.contains(&key.as_str()),
                "`{key}` is in a schema and nobody checks it"
            );
            words(value, !is_schema || !matches!(key.as_str(), "properties" | "$defs"));
        }
    }

    #[test]
    fn every_word_of_the_published_schemas_is_known() {
        for schema in [agent_memory(), session()] {
            assert!(schema.root["$id"].is_string());
            words(&schema.root, true);
            let text = schema.root.to_string();
            for to in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(schema.root.pointer(to).is_some(), "{to}");
            }
        }
    }
}
