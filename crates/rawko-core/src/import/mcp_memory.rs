//! The knowledge graph of the MCP memory server: an entity is an item, a relation a link between two.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::elements::{elements, said};
use super::{ImportItem, Parsed, text_of, texts};

struct Relation {
    line: usize,
    from: String,
    to: String,
    kind: String,
}

pub(super) fn read(_: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut relations = Vec::new();
    if is_lines(text) {
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(Value::Object(fields)) => take(n + 1, &fields, &mut parsed, &mut relations),
                Ok(_) => parsed.damaged(n + 1, "", "neither an entity nor a relation"),
                Err(error) => parsed.damaged(n + 1, "", said(&error)),
            }
        }
    } else {
        // The answer of `read_graph` has both in lists.
        let found = elements(text);
        found.objects.iter().for_each(|(line, fields)| take(*line, fields, &mut parsed, &mut relations));
        found.damaged.into_iter().for_each(|(line, why)| parsed.damaged(line, "", why));
    }
    link(&mut parsed, relations);
    parsed
}

/// Whether each line is a document of its own: one that is whole tells.
fn is_lines(text: &str) -> bool {
    let whole = |line: &str| serde_json::from_str::<Map<String, Value>>(line).ok();
    text.lines().filter_map(whole).any(|fields| fields.contains_key("type"))
}

fn take(line: usize, fields: &Map<String, Value>, parsed: &mut Parsed, relations: &mut Vec<Relation>) {
    let word = |key: &str| text_of(fields, key).map(str::to_owned);
    if let (Some(from), Some(to)) = (word("from"), word("to")) {
        let kind = word("relationType").unwrap_or_else(|| "relates to".to_owned());
        return relations.push(Relation { line, from, to, kind });
    }
    let Some(name) = word("name") else {
        return parsed.damaged(
            line,
            "",
            "neither an entity with a `name` nor a relation with `from` and `to`",
        );
    };
    let observations = fields.get("observations").map(texts).unwrap_or_default();
    let body = observations.iter().map(|text| format!("- {}", text.trim())).collect::<Vec<_>>().join("\n");
    let mut item = ImportItem::new(name.as_str(), line, &super::spaced(&name), body);
    item.aliases = vec![name];
    if let Some(kind) = text_of(fields, "entityType") {
        item.tag(kind);
    }
    let known = ["type", "name", "entityType", "observations"];
    let rest = fields.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    item.rest.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    parsed.items.push(item);
}

/// Gives each relation to the entity that it starts from.
fn link(parsed: &mut Parsed, relations: Vec<Relation>) {
    let places: HashMap<String, usize> =
        parsed.items.iter().enumerate().map(|(n, item)| (item.name.clone(), n)).collect();
    for Relation { line, from, to, kind } in relations {
        match places.get(&from) {
            Some(&n) => {
                let item = &mut parsed.items[n];
                let said = format!("{} {to}", kind.replace('_', " "));
                item.body.push_str(if item.body.is_empty() { "- " } else { "\n- " });
                item.body.push_str(&said);
                item.relate(&to);
            }
            None => {
                let name = format!("{from} {kind} {to}");
                parsed.skip(line, name, format!("a relation of `{from}`, which is no entity here"));
            }
        }
    }
}
