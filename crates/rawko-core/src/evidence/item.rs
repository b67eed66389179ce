//! The `evidence` field as values that can be judged.
//!
//! Reading is lenient: an item that is not understood is kept as it is and
//! not judged, and what is wrong with one is said in a sentence.

use serde_json::{Map, Value};

use super::words::Passage;

/// A path below the repository: relative, without `..`, in forward slashes.
///
/// Holding one is proof that the text cannot lead out of the repository;
/// links on the way are the opener's to refuse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

impl RepoPath {
    /// Takes a path as written in a memory.
    pub fn new(text: &str) -> Result<Self, String> {
        let trimmed = text.strip_prefix("./").unwrap_or(text);
        let sound = |part: &str| !part.is_empty() && part != "." && part != "..";
        let hidden_git = |part: &str| part.eq_ignore_ascii_case(".git");
        if trimmed.len() > 1024 || trimmed.chars().any(|c| c.is_control() || c == '\\') {
            return Err(format!("`{}` is not a path that can be checked", text.escape_default()));
        }
        if !trimmed.split('/').all(sound) || trimmed.split('/').any(hidden_git) || has_drive(trimmed) {
            return Err(format!("`{text}` is not a path inside the repository"));
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `C:` and streams of other file systems.
fn has_drive(path: &str) -> bool {
    path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic()
}

/// How an item looks at its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Words that must still stand there.
    Text(String),
    /// A name that is defined there, and what its definition says if that matters.
    Symbol(String, Option<Passage>),
    /// A passage, by its content.
    Lines(Passage),
    /// The whole file, by its git blob id.
    Blob(String),
    /// The file is there.
    Exists,
}

/// One thing that a memory rests on and that can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The file.
    pub file: RepoPath,
    /// What to look for in it.
    pub look: Look,
    /// The git blob id that the whole file had, if it was recorded.
    pub blob: Option<String>,
}

/// A memory's evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What can be judged.
    pub items: Vec<Item>,
    /// The commit that was checked out when it was written.
    pub commit: Option<String>,
    /// What is wrong with the rest, for people.
    pub problems: Vec<String>,
}

impl Evidence {
    /// Reads the value of the `evidence` field.
    pub fn parse(value: &Value) -> Self {
        let mut evidence = Self::default();
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| evidence.add(item)),
            other => evidence.add(other),
        }
        evidence
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Object(map) => self.add_map(map),
            Value::String(path) => self.add_item(path, Ok(Look::Exists), None),
            _ => self.problems.push(format!("evidence item {value} is not a map")),
        }
    }

    fn add_map(&mut self, map: &Map<String, Value>) {
        if let Some(commit) = map.get("commit").and_then(Value::as_str) {
            match is_git_id(commit) {
                true => self.commit = Some(commit.to_ascii_lowercase()),
                false => self.problems.push(format!("`{commit}` is not a git id")),
            }
        }
        let Some(file) = map.get("file") else { return };
        let Some(path) = file.as_str() else {
            return self.problems.push(format!("evidence file {file} is not a string"));
        };
        let blob = map.get("blob").and_then(Value::as_str).filter(|id| is_git_id(id));
        self.add_item(path, look(map), blob.map(str::to_ascii_lowercase));
    }

    fn add_item(&mut self, path: &str, look: Result<Look, String>, blob: Option<String>) {
        let item = RepoPath::new(path).and_then(|file| Ok(Item { file, look: look?, blob }));
        match item {
            Ok(item) => self.items.push(item),
            Err(problem) => self.problems.push(problem),
        }
    }
}

fn look(map: &Map<String, Value>) -> Result<Look, String> {
    let hash = match map.get("hash") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.parse::<Passage>()?),
        Some(other) => return Err(format!("evidence hash {other} is not a string")),
    };
    if let Some(text) = map.get("text") {
        let text = scalar(text).filter(|text| !text.trim().is_empty());
        return text.map(Look::Text).ok_or_else(|| "evidence text is empty".to_owned());
    }
    if let Some(symbol) = map.get("symbol") {
        let symbol = scalar(symbol).filter(|symbol| !symbol.trim().is_empty());
        return symbol.map(|s| Look::Symbol(s, hash)).ok_or_else(|| "evidence symbol is empty".to_owned());
    }
    if let Some(hash) = hash {
        return Ok(Look::Lines(hash));
    }
    if map.contains_key("lines") {
        return Err("evidence lines need a hash".to_owned());
    }
    match map.get("blob") {
        None => Ok(Look::Exists),
        Some(Value::String(id)) if is_git_id(id) => Ok(Look::Blob(id.to_ascii_lowercase())),
        Some(other) => Err(format!("evidence blob {other} is not a git id")),
    }
}

/// A string, or a number as it was written.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn is_git_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}
