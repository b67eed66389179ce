//! An extractor's answer: what it must look like, and what is proposed by it.
//!
//! A model's words are untrusted text. They are read leniently (text around
//! the object, `null` for what is absent), checked against the published
//! schema, and every problem is said in a sentence, so that a second round can
//! mend them. What is sound becomes proposals; only admission stores anything.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::entry::{Entry, Frontmatter, Importance, Trigger};
use crate::proposal::Proposal;
use crate::run_record::{Run, head};
use crate::slug::Slug;

/// The published schema of a decision.
pub const DECISION_SCHEMA: &str = include_str!("../../../docs/schema/decision.json");

/// Most memories of one decision.
const MEMORIES: usize = 12;
/// Most bytes of one text in a decision.
const TEXT: usize = 20_000;
/// Most triggers, tags or names in one list.
const LIST: usize = 30;

/// What an extractor decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// What it proposes to remember; empty for a "no".
    pub proposals: Vec<Proposal>,
    /// Why.
    pub reasoning: String,
    /// Memories that the agent used.
    pub used: Vec<Slug>,
}

impl Decided {
    /// Reads an answer: the first JSON object in it, checked against the schema.
    pub fn read(answer: &str, run: &Run, now: Timestamp) -> Result<Self, Vec<String>> {
        let Some(value) = first_object(answer) else {
            return Err(vec!["the answer holds no JSON object".to_owned()]);
        };
        Self::of(&value, run, now)
    }

    /// Checks a decision against the schema, and takes it.
    pub fn of(value: &Value, run: &Run, now: Timestamp) -> Result<Self, Vec<String>> {
        let value = without_nulls(value);
        let problems = check(&value);
        if !problems.is_empty() {
            return Err(problems);
        }
        let reasoning = text(&value["reasoning"]);
        let used = names(&value["usedMemories"]);
        if value["shouldCreateMemory"] != true {
            return Ok(Self { proposals: Vec::new(), reasoning, used });
        }
        let several = value["memories"].as_array().filter(|memories| !memories.is_empty());
        let one = std::slice::from_ref(&value);
        let proposals = several.map_or(one, Vec::as_slice).iter().take(MEMORIES);
        Ok(Self { proposals: proposals.map(|memory| proposal(memory, &reasoning, run, now)).collect(), reasoning, used })
    }
}

/// The schema in the form that strict structured output wants: nothing beside it, every property
/// required, what is optional may be null, no references.
pub fn strict_decision_schema() -> Value {
    let schema: Value = serde_json::from_str(DECISION_SCHEMA).expect("the built-in schema is JSON");
    let mut strict = strictly(&schema, &schema["$defs"]);
    for key in ["$schema", "$id", "$defs", "title"] {
        strict.as_object_mut().expect("the schema is an object").shift_remove(key);
    }
    strict
}

fn strictly(schema: &Value, defs: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return strictly(&defs[name], defs);
    }
    let Some(map) = schema.as_object() else { return schema.clone() };
    let mut out: Map<String, Value> = map.clone();
    out.shift_remove("maxItems");
    if let Some(items) = map.get("items") {
        out.insert("items".to_owned(), strictly(items, defs));
    }
    if let Some(properties) = map.get("properties").and_then(Value::as_object) {
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut strict = Map::new();
        for (name, property) in properties {
            let inner = strictly(property, defs);
            strict.insert(name.clone(), if required.contains(&name.as_str()) { inner } else { nullable(inner) });
        }
        out.insert("required".to_owned(), json!(strict.keys().collect::<Vec<_>>()));
        out.insert("properties".to_owned(), Value::Object(strict));
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Value::Object(out)
}

fn nullable(mut schema: Value) -> Value {
    if let Some(kind) = schema["type"].as_str().map(str::to_owned) {
        schema["type"] = json!([kind, "null"]);
    }
    schema
}

/// The first balanced JSON object in a text, whatever stands around it.
fn first_object(answer: &str) -> Option<Value> {
    // Each opening bracket may be the one; a bound keeps hostile answers linear enough.
    for (at, _) in answer.match_indices('{').take(50) {
        let mut stream = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        if let Some(Ok(value @ Value::Object(_))) = stream.next() {
            return Some(value);
        }
    }
    None
}

/// What is absent may come as null.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

fn check(value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    if !value["shouldCreateMemory"].is_boolean() {
        problems.push("`shouldCreateMemory` must be true or false".to_owned());
    }
    if !value["reasoning"].is_string() {
        problems.push("`reasoning` must be a string".to_owned());
    }
    check_names(value, "usedMemories", "", &mut problems);
    if value["shouldCreateMemory"] != true {
        return problems;
    }
    match &value["memories"] {
        Value::Array(memories) if !memories.is_empty() => {
            for (n, memory) in memories.iter().enumerate().take(MEMORIES) {
                check_memory(memory, &format!("memories[{n}]."), &mut problems);
            }
        }
        Value::Null | Value::Array(_) => check_memory(value, "", &mut problems),
        _ => problems.push("`memories` must be a list".to_owned()),
    }
    problems
}

fn check_memory(memory: &Value, at: &str, problems: &mut Vec<String>) {
    for field in ["memoryTitle", "content"] {
        match memory[field].as_str() {
            Some(text) if text.trim().is_empty() => problems.push(format!("`{at}{field}` must not be empty")),
            Some(text) if text.len() > TEXT => problems.push(format!("`{at}{field}` is longer than {TEXT} bytes")),
            Some(_) => {}
            None => problems.push(format!("`{at}{field}` must be a string")),
        }
    }
    let front = &memory["frontmatter"];
    if !front.is_object() {
        return problems.push(format!("`{at}frontmatter` must be an object with whenToUse, tags and importance"));
    }
    if front["importance"].as_str().and_then(Importance::parse).is_none() {
        problems.push(format!("`{at}frontmatter.importance` must be low, medium, high or critical"));
    }
    let has_trigger = match &front["whenToUse"] {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(|item| trigger(item).is_some()),
        _ => false,
    };
    if !has_trigger {
        problems.push(format!("`{at}frontmatter.whenToUse` must be a list of patterns or sentences"));
    }
    check_names(front, "tags", &format!("{at}frontmatter."), problems);
    check_names(memory, "supersedes", at, problems);
    if memory.get("updateOf").is_some_and(|name| !name.is_string()) {
        problems.push(format!("`{at}updateOf` must be the name of a memory"));
    }
}

fn check_names(value: &Value, field: &str, at: &str, problems: &mut Vec<String>) {
    let sound = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    if value.get(field).is_some_and(|value| !sound(value)) {
        problems.push(format!("`{at}{field}` must be a list of strings"));
    }
}

fn text(value: &Value) -> String {
    head(value.as_str().unwrap_or_default(), TEXT).to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).take(LIST).map(|text| head(text, 300).to_owned()).collect()
}

fn names(value: &Value) -> Vec<Slug> {
    texts(value).iter().filter_map(|name| Slug::parse(name).ok()).collect()
}

/// One trigger: a sentence or pattern, or a map with its kind.
fn trigger(value: &Value) -> Option<Trigger> {
    let text = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(|text| head(text, 300).to_owned());
    match value {
        Value::String(_) => text(value).map(Trigger::Text),
        Value::Object(map) => {
            let (key, value) = map.iter().next()?;
            let text = text(value)?;
            match key.as_str() {
                "pattern" => Some(Trigger::Pattern(text)),
                "path" => Some(Trigger::Path(text)),
                "command" => Some(Trigger::Command(text)),
                "error" => Some(Trigger::Error(text)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn proposal(memory: &Value, reasoning: &str, run: &Run, now: Timestamp) -> Proposal {
    let front = &memory["frontmatter"];
    let when = match &front["whenToUse"] {
        Value::Array(items) => items.iter().filter_map(trigger).take(LIST).collect(),
        one => trigger(one).into_iter().collect(),
    };
    let title: String = text(&memory["memoryTitle"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let content = text(&memory["content"]);
    let body = if content.trim_start().starts_with('#') { content } else { format!("# {title}\n\n{content}") };
    let task = run.task.lines().next().unwrap_or_default().trim();
    let frontmatter = Frontmatter {
        title: head(&title, 200).to_owned(),
        when_to_use: when,
        importance: front["importance"].as_str().and_then(Importance::parse).unwrap_or(Importance::Medium),
        discovered_at: now.round(jiff::Unit::Second).unwrap_or(now),
        // Who found it is the run's to say, not the model's.
        discovered_by: head(if run.agent.is_empty() { "agent" } else { &run.agent }, 60).to_owned(),
        tags: texts(&front["tags"]),
        discovered_in: (!task.is_empty()).then(|| format!("Task: {}", head(task, 200))),
        source: None,
        related_memories: Vec::new(),
        kind: None,
        status: None,
        supersedes: names(&memory["supersedes"]).iter().map(Slug::to_string).collect(),
        evidence: Value::Null,
        should_fire: Vec::new(),
        should_not_fire: Vec::new(),
        trust: None,
        extra: Map::new(),
    };
    let own = memory["reasoning"].as_str().unwrap_or(reasoning);
    Proposal {
        entry: Entry { frontmatter, body: format!("{}\n", body.trim_end()) },
        update_of: memory["updateOf"].as_str().and_then(|name| Slug::parse(name).ok()),
        reasoning: head(own, 2_000).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<Decided, Vec<String>> {
        let run = Run { agent: "developer".to_owned(), task: "Fix logins".to_owned(), ..Run::default() };
        Decided::read(answer, &run, "2026-01-23T10:30:00Z".parse().expect("a time"))
    }

    #[test]
    fn the_origins_form_is_one_proposal() {
        let decision = read(
            r##"Here you are: {"shouldCreateMemory": true, "memoryTitle": "Auth lives in src/auth", "frontmatter":
            {"title": "x", "whenToUse": ["auth|login", "When changing logins"], "tags": ["auth"], "importance": "high", "discoveredBy": "root"},
            "content": "All of it.", "reasoning": "structure", "updateOf": "auth-module", "supersedes": ["old-auth"], "usedMemories": ["a", "b"]} Bye."##,
        )
        .expect("a decision");
        let proposal = &decision.proposals[0];
        let front = &proposal.entry.frontmatter;
        assert_eq!((front.title.as_str(), front.discovered_by.as_str()), ("Auth lives in src/auth", "developer"));
        assert_eq!(proposal.entry.body, "# Auth lives in src/auth\n\nAll of it.\n");
        assert_eq!(proposal.update_of.as_ref().map(Slug::as_str), Some("auth-module"));
        assert_eq!((front.supersedes.len(), decision.used.len()), (1, 2));
    }

    #[test]
    fn a_no_needs_only_its_reason() {
        let decision = read(r#"{"shouldCreateMemory": false, "reasoning": "status only", "memoryTitle": null}"#).expect("a decision");
        assert_eq!((decision.proposals.len(), decision.reasoning.as_str()), (0, "status only"));
    }

    #[test]
    fn several_memories_come_from_one_run() {
        let memory = r#"{"memoryTitle": "T", "frontmatter": {"whenToUse": ["x"], "importance": "low", "tags": []}, "content": "c", "reasoning": "r"}"#;
        let decision = read(&format!(r#"{{"shouldCreateMemory": true, "reasoning": "", "memories": [{memory}, {memory}]}}"#)).expect("a decision");
        assert_eq!(decision.proposals.len(), 2);
    }

    #[test]
    fn every_problem_is_said() {
        assert_eq!(read("I refuse."), Err(vec!["the answer holds no JSON object".to_owned()]));
        let problems = read(r#"{"shouldCreateMemory": true, "content": 7, "frontmatter": {"importance": "huge", "tags": "x"}}"#).expect_err("problems");
        assert_eq!(problems.len(), 6, "{problems:#?}");
    }

    #[test]
    fn no_answer_breaks_the_reader() {
        for answer in ["", "{", "{{{{{{", "{\"a\":", &"{".repeat(100_000), "{\"memories\": 3, \"shouldCreateMemory\": true}", "\u{0}{}"] {
            assert!(read(answer).is_err());
        }
    }

    #[test]
    fn the_strict_schema_requires_everything_and_allows_nothing_else() {
        fn walk(schema: &Value) {
            if let Some(properties) = schema["properties"].as_object() {
                assert_eq!(schema["required"].as_array().map(Vec::len), Some(properties.len()));
                assert_eq!(schema["additionalProperties"], false);
                properties.values().for_each(walk);
            }
            if !schema["items"].is_null() {
                walk(&schema["items"]);
            }
            assert!(schema["$ref"].is_null());
        }
        let strict = strict_decision_schema();
        walk(&strict);
        assert_eq!(strict["properties"]["updateOf"]["type"], json!(["string", "null"]));
    }
}
