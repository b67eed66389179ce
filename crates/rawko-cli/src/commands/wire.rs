//! The shapes of `--json`: a promise to scripts, so they are made by hand.

use rawko::core::Score;
use rawko::{Fold, Found, Known, Trigger};
use serde_json::{Map, Value, json};

/// The parts of a score, by their names.
pub(crate) fn parts(score: &Score) -> Value {
    score.parts().iter().map(|part| (part.name.to_owned(), json!(part.points))).collect::<Map<_, _>>().into()
}

/// The same in a line.
pub(crate) fn parts_in_a_line(score: &Score) -> String {
    let parts: Vec<String> =
        score.parts().iter().map(|part| format!("{} {:+.1}", part.name, part.points)).collect();
    parts.join("  ")
}

/// A memory as `list` and `show` print it.
pub(crate) fn memory(found: &Found, with_bodies: bool) -> Value {
    let mut value = Map::new();
    value.insert("slug".into(), json!(found.memory.slug.as_str()));
    value.insert("store".into(), json!(found.whose.as_str()));
    value.insert("entries".into(), json!(found.memory.entries.len()));
    if let Some(fold) = found.memory.now() {
        value.extend(folded(&fold));
        value.insert(
            "injectable".into(),
            json!(found.memory.for_agents().is_some_and(|fold| fold.may_be_injected())),
        );
        if with_bodies {
            value.insert("body".into(), json!(fold.text()));
        }
    }
    Value::Object(value)
}

fn folded(fold: &Fold<'_>) -> Map<String, Value> {
    let value = json!({
        "title": fold.title,
        "whenToUse": fold.when_to_use.iter().map(|trigger| one_trigger(trigger)).collect::<Vec<_>>(),
        "importance": fold.importance.as_str(),
        "discoveredAt": fold.discovered_at.to_string(),
        "discoveredBy": fold.discovered_by,
        "tags": fold.tags,
        "relatedMemories": fold.related_memories,
        "discoveredIn": fold.discovered_in,
        "source": fold.source,
        "kind": fold.kind.as_str(),
        "status": fold.status.as_str(),
        "supersedes": fold.supersedes,
        "evidence": fold.evidence,
        "trust": fold.trust.as_str(),
        "waits": fold.waits,
    });
    let Value::Object(mut map) = value else { return Map::new() };
    for (key, value) in &fold.extra {
        map.entry(key.clone()).or_insert_with(|| value.clone());
    }
    map
}

/// An entry as `show --history` prints it.
pub(crate) fn entry(known: &Known) -> Value {
    let front = &known.entry.frontmatter;
    let mut value = json!({
        "id": known.id.to_string(),
        "line": known.line,
        "title": front.title,
        "whenToUse": front.when_to_use.iter().map(one_trigger).collect::<Vec<_>>(),
        "importance": front.importance.as_str(),
        "discoveredAt": front.discovered_at.to_string(),
        "discoveredBy": front.discovered_by,
        "tags": front.tags,
        "discoveredIn": front.discovered_in,
        "source": front.source,
        "status": front.status.map(|status| status.as_str()),
        "trust": known.trust.as_str(),
        "came": known.standing.as_str(),
        "waits": known.waits(),
        "body": known.entry.body,
    });
    if let Value::Object(map) = &mut value {
        for (key, extra) in &front.extra {
            map.entry(key.clone()).or_insert_with(|| extra.clone());
        }
    }
    value
}

fn one_trigger(trigger: &Trigger) -> Value {
    match trigger {
        Trigger::Text(text) => json!(text),
        Trigger::Pattern(text) => json!({ "pattern": text }),
        Trigger::Path(text) => json!({ "path": text }),
        Trigger::Command(text) => json!({ "command": text }),
        Trigger::Error(text) => json!({ "error": text }),
    }
}
