//! What other tools remember, read into items that rawko can keep.
//!
//! One file per form, text in and items out. A reader never fails: what it
//! cannot read is an item of its own in the account, with its line and the
//! reason, and costs no other item. Nothing here decides whether an item is
//! worth keeping or may reach an agent; that is trust, and a person's word.

mod basic_memory;
mod claude_mem;
mod claude_memory;
mod cline;
mod codex;
mod cursor;
mod detect;
mod elements;
mod front;
mod instructions;
mod mcp_memory;
mod mem0;
mod own;
mod sections;
mod serena;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::entry::{Entry, Importance, Kind, Trigger};
use crate::slug::Slug;

pub use self::detect::detect_import;

/// Longest title that is taken over, in characters.
const LONGEST_TITLE: usize = 120;
/// Longest title that is made of a text, in characters.
const MADE_TITLE: usize = 72;

/// Most tags and links of one item: more is a text made to be slow, and no memory.
const MOST_WORDS: usize = 64;

/// A form in which a tool keeps its memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportFormat {
    /// Claude Code's own memory: `MEMORY.md` and topic files.
    ClaudeMemory,
    /// Codex's own memory: `MEMORY.md`, `memory_summary.md`, `raw_memories.md`, `rollout_summaries/`.
    Codex,
    /// claude-mem's export: observations and summaries in JSON.
    ClaudeMem,
    /// The knowledge graph of the MCP memory server: JSON lines.
    McpMemory,
    /// The notes of basic-memory: Markdown.
    BasicMemory,
    /// mem0's export: JSON.
    Mem0,
    /// Cursor's rules: `.mdc` files and `.cursorrules`.
    Cursor,
    /// Serena's memories: Markdown.
    Serena,
    /// Cline's memory bank: six Markdown files.
    Cline,
    /// The sections of `CLAUDE.md` and of `.claude/rules`.
    ClaudeMd,
    /// The sections of `AGENTS.md`.
    AgentsMd,
    /// rawko's own export: JSON.
    Rawko,
}

impl ImportFormat {
    /// Every form.
    pub const ALL: [Self; 12] = [
        Self::ClaudeMemory,
        Self::Codex,
        Self::ClaudeMem,
        Self::McpMemory,
        Self::BasicMemory,
        Self::Mem0,
        Self::Cursor,
        Self::Serena,
        Self::Cline,
        Self::ClaudeMd,
        Self::AgentsMd,
        Self::Rawko,
    ];

    /// The word used on the command line and in `source`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeMemory => "claude-memory",
            Self::Codex => "codex",
            Self::ClaudeMem => "claude-mem",
            Self::McpMemory => "mcp-memory",
            Self::BasicMemory => "basic-memory",
            Self::Mem0 => "mem0",
            Self::Cursor => "cursor",
            Self::Serena => "serena",
            Self::Cline => "cline",
            Self::ClaudeMd => "claude-md",
            Self::AgentsMd => "agents-md",
            Self::Rawko => "rawko",
        }
    }

    /// Reads the word used on the command line.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// Whether a file of this name may be of this form.
    pub fn takes(self, path: &str) -> bool {
        let name = file_name(path).to_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match self {
            Self::ClaudeMem => ends(&[".json", ".jsonl", ".db"]),
            Self::McpMemory => ends(&[".json", ".jsonl"]),
            Self::Mem0 | Self::Rawko => ends(&[".json"]),
            Self::Cursor => ends(&[".mdc", ".cursorrules"]),
            _ => ends(&[".md", ".markdown"]),
        }
    }
}

/// One thing that another tool remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportItem {
    /// What the tool calls it: an id, a name, a heading.
    pub name: String,
    /// The line at which it stands, from 1.
    pub line: usize,
    /// What it is about.
    pub title: String,
    /// What it says.
    pub body: String,
    /// When it should be thought of; nothing where the tool does not tell.
    pub when: Vec<Trigger>,
    /// Its categories.
    pub tags: Vec<String>,
    /// Other items that it points to, by whatever name the tool has for them.
    pub related: Vec<String>,
    /// Further names under which others point to it.
    pub aliases: Vec<String>,
    /// Whether it states something or tells how to act.
    pub kind: Option<Kind>,
    /// How much it matters.
    pub importance: Importance,
    /// When it was found, where the tool tells.
    pub at: Option<Timestamp>,
    /// What else the tool knows of it.
    pub rest: Map<String, Value>,
}

/// One entry of rawko's own export, with the memory that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnEntry {
    /// The memory.
    pub slug: Slug,
    /// Its entry, exact.
    pub entry: Entry,
    /// The line at which its memory stands, from 1.
    pub line: usize,
}

/// An item that is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedItem {
    /// The line at which it stands, from 1.
    pub line: usize,
    /// What it is called, where that can be told.
    pub name: String,
    /// Why.
    pub why: String,
    /// Whether the file is damaged here; otherwise the item is no memory.
    pub damaged: bool,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What can be imported.
    pub items: Vec<ImportItem>,
    /// The entries of rawko's own export.
    pub own: Vec<OwnEntry>,
    /// What is not imported.
    pub skipped: Vec<SkippedItem>,
    /// Files beside this one that it says are there, with the line.
    pub expects: Vec<(usize, String)>,
}

impl Parsed {
    fn skip(&mut self, line: usize, name: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(SkippedItem { line, name: name.into(), why: why.into(), damaged: false });
    }

    fn damaged(&mut self, line: usize, name: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(SkippedItem { line, name: name.into(), why: why.into(), damaged: true });
    }
}

impl ImportItem {
    fn new(name: impl Into<String>, line: usize, title: &str, body: impl Into<String>) -> Self {
        let body: String = body.into();
        let title = one_line(title, LONGEST_TITLE);
        let title = if title.is_empty() { made_title(&body) } else { title };
        Self {
            name: name.into(),
            line,
            title,
            body: body.trim().to_owned(),
            when: Vec::new(),
            tags: Vec::new(),
            related: Vec::new(),
            aliases: Vec::new(),
            kind: None,
            importance: Importance::Medium,
            at: None,
            rest: Map::new(),
        }
    }

    fn tag(&mut self, tag: &str) {
        let tag = one_line(tag.trim_start_matches('#'), 60);
        if !tag.is_empty() && self.tags.len() < MOST_WORDS && !self.tags.contains(&tag) {
            self.tags.push(tag);
        }
    }

    fn when(&mut self, text: &str) {
        let text = one_line(text, 400);
        if !text.is_empty() {
            self.when.push(Trigger::Text(text));
        }
    }

    fn relate(&mut self, name: &str) {
        let name = one_line(name, LONGEST_TITLE);
        if !name.is_empty() && self.related.len() < MOST_WORDS && !self.related.contains(&name) {
            self.related.push(name);
        }
    }
}

/// Reads a file of another tool. `path` is its path as far as it is known, with `/`.
pub fn parse_import(format: ImportFormat, path: &str, text: &str) -> Parsed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let read = match format {
        ImportFormat::ClaudeMemory => claude_memory::read,
        ImportFormat::Codex => codex::read,
        ImportFormat::ClaudeMem => claude_mem::read,
        ImportFormat::McpMemory => mcp_memory::read,
        ImportFormat::BasicMemory => basic_memory::read,
        ImportFormat::Mem0 => mem0::read,
        ImportFormat::Cursor => cursor::read,
        ImportFormat::Serena => serena::read,
        ImportFormat::Cline => cline::read,
        ImportFormat::ClaudeMd | ImportFormat::AgentsMd => instructions::read,
        ImportFormat::Rawko => own::read,
    };
    let mut parsed = read(path, &text);
    let (said, silent) =
        std::mem::take(&mut parsed.items).into_iter().partition(|item| !item.body.is_empty());
    parsed.items = said;
    let silent: Vec<ImportItem> = silent;
    for item in silent {
        parsed.skip(item.line, item.name, "it says nothing");
    }
    parsed
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The last part of a path, without its ending.
fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// A name made of words with marks between them, as a person would write it.
fn spaced(name: &str) -> String {
    if name.contains(' ') {
        return name.trim().to_owned();
    }
    let words = name.split(['-', '_']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A text on one line, at most so many characters.
fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most).collect();
    if let Some((whole, _)) = cut.rsplit_once(' ') {
        cut.truncate(whole.len());
    }
    cut
}

/// A title for a text that has none: its first line, without its marks.
fn made_title(body: &str) -> String {
    let first = body.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    let first = first.unwrap_or_default().trim_start_matches(['#', '-', '*', '>', ' ']);
    let sentence = first.split_once(". ").map_or(first, |(sentence, _)| sentence);
    one_line(sentence.trim_end_matches(['.', ':']), MADE_TITLE)
}

/// The targets of `[[…]]` links, in their order.
fn wiki_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("[[").skip(1).filter_map(|rest| {
        let (link, _) = rest.split_once("]]")?;
        let link = link.split(['|', '#']).next()?.trim();
        (!link.is_empty() && !link.contains('\n')).then_some(link)
    })
}

/// A time as tools write it: a text in ISO 8601, or seconds or milliseconds since 1970.
fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => crate::frontmatter::time(&text.trim().replacen(' ', "T", 1)),
        Value::Number(number) => {
            let number = number.as_i64()?;
            // No tool has memories from before 1973 in milliseconds, nor from after 5138 in seconds.
            if number.abs() >= 100_000_000_000 {
                Timestamp::from_millisecond(number).ok()
            } else {
                Timestamp::from_second(number).ok()
            }
        }
        _ => None,
    }
}

/// The texts of a list, of JSON that is written as a text, or of a text with commas.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(said).collect(),
        Value::String(text) if text.trim_start().starts_with('[') => serde_json::from_str::<Vec<Value>>(text)
            .map_or_else(|_| vec![text.clone()], |items| items.iter().filter_map(said).collect()),
        Value::String(text) => {
            text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

fn said(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field that is a text and says something.
fn text_of<'v>(fields: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    fields.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}
