//! Claude Code's own memory: `MEMORY.md` lists topic files; each of those is a memory.

use serde_json::{Map, Value};

use super::front::{self, Front};
use super::sections::{cut, name_empty};
use super::{ImportItem, Parsed, file_name, spaced, stem, text_of, texts, time, wiki_links};
use crate::entry::Kind;
use crate::export::ExportedFile;

pub(super) fn read(path: &str, text: &str) -> Parsed {
    if file_name(path).eq_ignore_ascii_case("MEMORY.md") { index(path, text) } else { topic(path, text) }
}

/// Lines that name a topic file say nothing else; notes that stand between them are items.
fn index(path: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let own = crate::export::outside_markers(text);
    let mut kept = String::new();
    for (n, line) in own.lines().enumerate() {
        match named_file(line) {
            Some(file) => parsed.expects.push((n + 1, file.to_owned())),
            None => kept.push_str(line),
        }
        kept.push('\n');
    }
    let sections = cut(&kept, 2);
    parsed.items.extend(sections.iter().filter(|section| !section.is_empty()).map(|s| s.item(path, 1)));
    // A heading above names of files is not empty.
    name_empty(&cut(&own, 2), 1, &mut parsed);
    parsed
}

/// The file of `- [Title](file.md) — hook`.
fn named_file(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(['-', '*'])?.trim_start().strip_prefix('[')?;
    let (file, _) = rest.split_once("](")?.1.split_once(')')?;
    (file.ends_with(".md") && !file.contains("://")).then_some(file)
}

fn topic(path: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let Front { fields, body, line } = front::split(text);
    let name = text_of(&fields, "name").unwrap_or_else(|| stem(path));
    if ExportedFile::is_untouched(text) {
        parsed.skip(1, name, "rawko wrote it itself");
        return parsed;
    }
    let mut item = ImportItem::new(name, line, &spaced(name), body);
    item.aliases = vec![stem(path).to_owned(), file_name(path).to_owned()];
    if let Some(description) = text_of(&fields, "description") {
        item.when(description);
    }
    let nothing = Map::new();
    let metadata = fields.get("metadata").and_then(Value::as_object).unwrap_or(&nothing);
    // Older files have it at the top.
    if let Some(kind) = text_of(metadata, "type").or_else(|| text_of(&fields, "type")) {
        item.tag(kind);
        // What a person corrected is a rule; the rest is known.
        item.kind = (kind == "feedback").then_some(Kind::Procedure);
    }
    fields.get("tags").map(texts).unwrap_or_default().iter().for_each(|tag| item.tag(tag));
    wiki_links(body).for_each(|link| item.relate(link));
    item.at = ["updated", "date", "created"].iter().find_map(|key| time(fields.get(*key)?));
    let known = ["name", "description", "metadata", "type", "tags"];
    item.rest.extend(
        fields.iter().filter(|(key, _)| !known.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())),
    );
    let other =
        metadata.iter().filter(|(key, _)| *key != "type").map(|(key, value)| (key.clone(), value.clone()));
    item.rest.extend(other);
    parsed.items.push(item);
    parsed
}
