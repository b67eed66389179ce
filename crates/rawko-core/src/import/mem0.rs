//! mem0's export: a list of texts, each with whose it is and when it was learned.

use super::elements::elements;
use super::{ImportItem, Parsed, said, text_of, texts, time};

pub(super) fn read(_: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let found = elements(text);
    for (line, row) in found.objects {
        let id = row.get("id").and_then(said).unwrap_or_else(|| format!("line {line}"));
        let Some(memory) = ["memory", "text"].iter().find_map(|key| text_of(&row, key)) else {
            let why = match row.contains_key("relationship") {
                true => "a relation of the graph, which says nothing by itself",
                false => "it has no `memory`",
            };
            parsed.skip(line, id, why);
            continue;
        };
        let mut item = ImportItem::new(id, line, "", memory);
        row.get("categories").map(texts).unwrap_or_default().iter().for_each(|tag| item.tag(tag));
        item.at = ["updated_at", "created_at"].iter().find_map(|key| time(row.get(*key)?));
        for key in ["user_id", "agent_id", "run_id", "metadata"] {
            let value = row.get(key).filter(|value| !value.is_null());
            item.rest.extend(value.map(|value| (key.to_owned(), value.clone())));
        }
        parsed.items.push(item);
    }
    found.damaged.into_iter().for_each(|(line, why)| parsed.damaged(line, "", why));
    parsed
}
