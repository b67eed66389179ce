//! Serena's memories: free Markdown, named by its path.

use super::front::{self, Front};
use super::{ImportItem, Parsed, spaced, text_of, texts, wiki_links};

pub(super) fn read(path: &str, text: &str) -> Parsed {
    let below = path.rsplit_once("memories/").map_or(path, |(_, below)| below);
    let name = below.strip_suffix(".md").unwrap_or(below);
    let Front { fields, body, line } = front::split(text);
    let title = name.split('/').map(spaced).collect::<Vec<_>>().join(": ");
    let mut item = ImportItem::new(name, line, &title, body);
    item.aliases = vec![name.to_owned()];
    if let Some(description) = text_of(&fields, "description") {
        item.when(description);
    }
    fields.get("tags").map(texts).unwrap_or_default().iter().for_each(|tag| item.tag(tag));
    wiki_links(body).chain(references(body)).for_each(|link| item.relate(link));
    let known = ["description", "tags"];
    let rest = fields.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    item.rest.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    Parsed { items: vec![item], ..Parsed::default() }
}

/// The names in `mem:name`, as Serena refers to other memories.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split("mem:").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')));
        let name = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '/']);
        (!name.is_empty()).then_some(name)
    })
}
