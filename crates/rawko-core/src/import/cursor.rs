//! Cursor's rules: a description, globs, and what to do.

use serde_json::Value;

use super::front::{self, Front};
use super::sections::{cut, name_empty};
use super::{ImportItem, Parsed, file_name, spaced, stem, text_of};
use crate::entry::{Importance, Kind, Trigger};

pub(super) fn read(path: &str, text: &str) -> Parsed {
    if file_name(path) == ".cursorrules" {
        return legacy(text);
    }
    let Front { fields, body, line } = front::split(text);
    let name = stem(path);
    let mut item = ImportItem::new(name, line, &spaced(name), body);
    item.kind = Some(Kind::Procedure);
    if let Some(description) = text_of(&fields, "description") {
        item.when(description);
    }
    item.when.extend(globs(fields.get("globs").unwrap_or(&Value::Null)).into_iter().map(Trigger::Path));
    if fields.get("alwaysApply") == Some(&Value::Bool(true)) {
        item.importance = Importance::High;
    }
    let known = ["description", "globs", "alwaysApply"];
    let rest = fields.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    item.rest.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    Parsed { items: vec![item], ..Parsed::default() }
}

fn legacy(text: &str) -> Parsed {
    let sections = cut(text, 2);
    let items = sections.iter().filter(|section| !section.is_empty()).map(|section| {
        let mut item = section.item("Cursor rules", 1);
        item.kind = Some(Kind::Procedure);
        item.importance = Importance::High;
        item
    });
    let mut parsed = Parsed { items: items.collect(), ..Parsed::default() };
    name_empty(&sections, 1, &mut parsed);
    parsed
}

/// Globs in a list or between commas; a comma within `{a,b}` is part of its glob.
pub(super) fn globs(value: &Value) -> Vec<String> {
    let all: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        _ => Vec::new(),
    };
    let mut globs = Vec::new();
    for text in all {
        let (mut depth, mut glob) = (0_usize, String::new());
        for c in text.chars().chain([',']) {
            match c {
                ',' if depth == 0 => globs.push(std::mem::take(&mut glob)),
                c => {
                    depth = if c == '{' { depth + 1 } else { depth.saturating_sub(usize::from(c == '}')) };
                    glob.push(c);
                }
            }
        }
        globs.push(glob);
    }
    let trimmed = globs.iter().map(|glob| glob.trim().trim_matches(['"', '\'']).to_owned());
    trimmed.filter(|glob| !glob.is_empty()).collect()
}
