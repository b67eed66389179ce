//! Which tool a file comes from, by its place, its name and its first words.

use serde_json::{Map, Value};

use super::{ImportFormat, file_name, front};

/// The files of a memory bank.
const BANK: [&str; 6] = [
    "projectbrief.md",
    "productcontext.md",
    "activecontext.md",
    "systempatterns.md",
    "techcontext.md",
    "progress.md",
];

/// The form of a file; `None` where nothing tells. `path` is as much of its path as is known, with `/`.
pub fn detect_import(path: &str, text: &str) -> Option<ImportFormat> {
    let lower = format!("/{}", path.to_lowercase());
    let name = file_name(&lower).to_owned();
    by_place(&lower, &name, text).or_else(|| match name.rsplit_once('.')?.1 {
        "md" | "markdown" => by_frontmatter(text),
        "json" | "jsonl" => by_fields(text),
        "db" => (name == "claude-mem.db").then_some(ImportFormat::ClaudeMem),
        _ => None,
    })
}

fn by_place(path: &str, name: &str, text: &str) -> Option<ImportFormat> {
    let is_markdown = name.ends_with(".md");
    Some(match name {
        ".cursorrules" => ImportFormat::Cursor,
        _ if name.ends_with(".mdc") => ImportFormat::Cursor,
        "claude.md" | "claude.local.md" => ImportFormat::ClaudeMd,
        "agents.md" => ImportFormat::AgentsMd,
        "raw_memories.md" | "memory_summary.md" => ImportFormat::Codex,
        "memory.md" if text.contains("# Task Group") => ImportFormat::Codex,
        _ if is_markdown && path.contains("/.claude/rules/") => ImportFormat::ClaudeMd,
        _ if is_markdown && path.contains("/.serena/memories/") => ImportFormat::Serena,
        _ if is_markdown && path.contains("/.codex/memories/") => ImportFormat::Codex,
        _ if is_markdown && path.contains("/rollout_summaries/") => ImportFormat::Codex,
        _ if is_markdown && path.contains("/.claude/projects/") => ImportFormat::ClaudeMemory,
        "memory.md" => ImportFormat::ClaudeMemory,
        _ if BANK.contains(&name) || (is_markdown && path.contains("/memory-bank/")) => ImportFormat::Cline,
        _ => return None,
    })
}

fn by_frontmatter(text: &str) -> Option<ImportFormat> {
    let fields = front::split(text.strip_prefix('\u{feff}').unwrap_or(text)).fields;
    let has = |key: &str| fields.contains_key(key);
    if has("permalink") {
        return Some(ImportFormat::BasicMemory);
    }
    let is_memory = has("name") && has("description") && (has("metadata") || has("type"));
    is_memory.then_some(ImportFormat::ClaudeMemory)
}

/// By the first keys that a JSON text shows; it need not be whole.
fn by_fields(text: &str) -> Option<ImportFormat> {
    let lines = || text.lines().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let graph = |fields: &Map<String, Value>| {
        fields.contains_key("entityType") || fields.contains_key("relationType")
    };
    if lines().take(20).any(|fields| graph(&fields)) {
        return Some(ImportFormat::McpMemory);
    }
    let head = &text[..text.floor_char_boundary(8 * 1024)];
    let has = |key: &str| head.contains(&format!("\"{key}\""));
    let all = |keys: &[&str]| keys.iter().all(|key| has(key));
    if has("urn:rawko:schema:export:1") || all(&["memories", "entries", "slug"]) {
        Some(ImportFormat::Rawko)
    } else if has("narrative") || all(&["observations", "prompts"]) || all(&["request", "learned"]) {
        Some(ImportFormat::ClaudeMem)
    } else if all(&["entities", "relations"]) || has("entityType") {
        Some(ImportFormat::McpMemory)
    } else if has("memory") {
        Some(ImportFormat::Mem0)
    } else {
        None
    }
}
