//! rawko's own export, read back without loss.

use serde_json::{Map, Value};

use super::elements::elements;
use super::{OwnEntry, Parsed, text_of};
use crate::export::entry_from_json;
use crate::slug::Slug;

pub(super) fn read(_: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let found = elements(text);
    for (line, memory) in found.objects {
        take(line, &memory, &mut parsed);
    }
    found.damaged.into_iter().for_each(|(line, why)| parsed.damaged(line, "", why));
    parsed
}

fn take(line: usize, memory: &Map<String, Value>, parsed: &mut Parsed) {
    let name = text_of(memory, "slug").unwrap_or_default();
    let slug = match Slug::parse(name) {
        Ok(slug) => slug,
        Err(error) => return parsed.damaged(line, name, format!("no memory's name: {error}")),
    };
    let Some(entries) = memory.get("entries").and_then(Value::as_array) else {
        return parsed.damaged(line, name, "it has no list of `entries`");
    };
    for (n, entry) in entries.iter().enumerate() {
        match entry_from_json(entry) {
            Ok(entry) => parsed.own.push(OwnEntry { slug: slug.clone(), entry, line }),
            Err(why) => parsed.damaged(line, format!("{name}, entry {}", n + 1), why),
        }
    }
}
