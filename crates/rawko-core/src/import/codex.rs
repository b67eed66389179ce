//! Codex's own memory: a registry, a summary, and what it was made of.

use serde_json::{Map, Value};

use super::front::{self, Front};
use super::sections::{Section, cut, name_empty};
use super::{ImportItem, Parsed, file_name, spaced, stem, text_of, texts, time};
use crate::entry::Importance;

/// Most keywords that become tags.
const MOST_TAGS: usize = 12;

pub(super) fn read(path: &str, text: &str) -> Parsed {
    let name = file_name(path).to_lowercase();
    if path.contains("skills/") {
        let mut parsed = Parsed::default();
        parsed.skip(1, file_name(path), "a skill, not a memory");
        return parsed;
    }
    match name.as_str() {
        "raw_memories.md" => raw(text),
        "memory_summary.md" => summary(path, text),
        "memory.md" => registry(path, text),
        _ => rollout(path, text),
    }
}

/// `# Task Group: …` with `scope:` below it; each `##` below that is an item.
fn registry(path: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut scope = String::new();
    let sections = cut(text, 2);
    name_empty(&sections, 1, &mut parsed);
    for section in sections {
        if section.level == 1 {
            scope = line_after(&section.body, "scope:").unwrap_or_default().to_owned();
        }
        let said = section.body.lines().filter(|line| !is_field(line)).any(|line| !line.trim().is_empty());
        if section.is_empty() || (section.level == 1 && !said) {
            continue;
        }
        let mut item = section.item(path, 1);
        if !scope.is_empty() && section.level == 2 {
            item.when(&scope);
        }
        keywords(&section, &mut item);
        parsed.items.push(item);
    }
    parsed
}

fn is_field(line: &str) -> bool {
    line.starts_with("scope:") || line.starts_with("applies_to:")
}

fn line_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

fn keywords(section: &Section<'_>, item: &mut ImportItem) {
    let below =
        section.body.lines().skip_while(|line| !line.trim().eq_ignore_ascii_case("### keywords")).skip(1);
    let words = below.take_while(|line| !line.starts_with('#')).flat_map(|line| {
        line.trim().trim_start_matches("- ").split(',').map(str::trim).map(str::to_owned).collect::<Vec<_>>()
    });
    words.filter(|word| !word.is_empty()).take(MOST_TAGS).for_each(|word| item.tag(&word));
}

fn summary(path: &str, text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut is_index = false;
    for section in cut(text, 2) {
        is_index =
            section.heading.is_some_and(|heading| heading.to_lowercase().starts_with("what's in memory"))
                || (is_index && section.level > 2);
        let item = section.item(path, 1);
        if is_index {
            parsed.skip(item.line, item.name, "a list of what the other files hold");
        } else if !section.is_empty() && section.heading.is_some() {
            parsed.items.push(item);
        } else if !section.is_empty() && section.body.trim() != "v1" {
            parsed.skip(item.line, item.name, "it has no heading, so it is the file's own preamble");
        } else if section.level == 2 {
            parsed.skip(item.line, item.name, "it says nothing");
        }
    }
    parsed
}

/// `## Thread …` with fields, and what one run left below them.
fn raw(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut threads: Vec<(usize, &str, String)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        match line.strip_prefix("## Thread ").or_else(|| line.strip_prefix("## Session ")) {
            Some(id) => threads.push((n + 1, id.trim().trim_matches('`'), String::new())),
            None => {
                if let Some((_, _, below)) = threads.last_mut() {
                    below.push_str(line);
                    below.push('\n');
                }
            }
        }
    }
    for (line, id, below) in threads {
        parsed.items.push(run(id, line, "", &below));
    }
    parsed
}

fn rollout(path: &str, text: &str) -> Parsed {
    let name = stem(path);
    // `2026-08-04T07-01-58-Kxur-what_it_was_about`
    let about = name.split_once('T').and_then(|(_, rest)| rest.splitn(5, '-').nth(4)).unwrap_or(name);
    Parsed { items: vec![run(name, 1, &spaced(about), text)], ..Parsed::default() }
}

/// One run: `key: value` lines, then its text, which may have frontmatter of its own.
fn run(name: &str, line: usize, title: &str, text: &str) -> ImportItem {
    let is_head = |line: &str| {
        line.split_once(": ").is_some_and(|(key, _)| key.chars().all(|c| c == '_' || c.is_ascii_lowercase()))
    };
    let head: usize = text.split_inclusive('\n').take_while(|line| is_head(line)).map(str::len).sum();
    let mut fields: Map<String, Value> = text[..head]
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(k, v)| (k.to_owned(), v.into()))
        .collect();
    let Front { fields: inner, body, .. } = front::split(text[head..].trim_start_matches('\n'));
    fields.extend(inner);
    let heading = body.lines().find_map(|line| line.strip_prefix("# "));
    let title = text_of(&fields, "task").or(heading).unwrap_or(title);
    let mut item = ImportItem::new(name, line, title, body);
    // The registry says the same again, better.
    item.importance = Importance::Low;
    if let Some(description) = text_of(&fields, "description") {
        item.when(description);
    }
    fields
        .get("keywords")
        .map(texts)
        .unwrap_or_default()
        .iter()
        .take(MOST_TAGS)
        .for_each(|tag| item.tag(tag));
    item.at = fields.get("updated_at").and_then(time);
    item.aliases =
        fields.get("rollout_summary_file").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    for key in ["thread_id", "task_group", "task_outcome", "git_branch"] {
        item.rest.extend(fields.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    item
}
