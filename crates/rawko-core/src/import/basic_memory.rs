//! The notes of basic-memory: observations and relations in a Markdown list.

use super::front::{self, Front};
use super::{ImportItem, Parsed, spaced, stem, text_of, texts, time, wiki_links};

pub(super) fn read(path: &str, text: &str) -> Parsed {
    let Front { fields, body, line } = front::split(text);
    let title = text_of(&fields, "title").map_or_else(|| spaced(stem(path)), str::to_owned);
    let mut item = ImportItem::new(title.as_str(), line, &title, body);
    item.aliases = vec![stem(path).to_owned()];
    item.aliases.extend(text_of(&fields, "permalink").map(str::to_owned));
    // Every note is a `note` unless it says otherwise.
    if let Some(kind) = text_of(&fields, "type").filter(|kind| *kind != "note") {
        item.tag(kind);
    }
    fields.get("tags").map(texts).unwrap_or_default().iter().for_each(|tag| item.tag(tag));
    body.lines().filter_map(observation).flat_map(tags).for_each(|tag| item.tag(tag));
    wiki_links(body).for_each(|link| item.relate(link));
    item.at = ["modified", "updated", "created", "date"].iter().find_map(|key| time(fields.get(*key)?));
    let known = ["title", "type", "tags"];
    let rest = fields.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    item.rest.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    Parsed { items: vec![item], ..Parsed::default() }
}

/// The text of `- [category] text`; boxes to tick and links are none.
fn observation(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (category, text) = rest.split_once(']')?;
    let is_box = matches!(category, "" | " " | "x" | "X" | "-");
    (!is_box && !category.starts_with('[') && !text.starts_with(['(', '['])).then_some(text)
}

fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .filter_map(|word| word.strip_prefix('#'))
        .filter(|tag| tag.chars().any(char::is_alphanumeric))
}
