//! The sections of files that every agent is given: `CLAUDE.md`, `.claude/rules/*.md`, `AGENTS.md`.

use serde_json::Value;

use super::Parsed;
use super::cursor::globs;
use super::front::{self, Front};
use super::sections::{cut, name_empty};
use crate::entry::{Kind, Trigger};

pub(super) fn read(path: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let Front { fields, body, line } = front::split(text);
    let own = crate::export::outside_markers(body);
    if own != body {
        parsed.skip(line, "rawko's own section", "rawko wrote it itself");
    }
    let paths = globs(fields.get("paths").unwrap_or(&Value::Null));
    let sections = cut(&own, 2);
    name_empty(&sections, line, &mut parsed);
    for section in sections.iter().filter(|section| !section.is_empty()) {
        let mut item = section.item(path, line);
        item.kind = Some(Kind::Procedure);
        item.when.extend(paths.iter().cloned().map(Trigger::Path));
        parsed.items.push(item);
    }
    parsed
}
