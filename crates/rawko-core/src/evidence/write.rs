//! Evidence at the moment of writing: hashes are filled in from the files.

use serde_json::{Map, Value, json};

use super::case::definition_hashes;
use super::definition::definitions;
use super::item::{Evidence, RepoPath};
use super::judge::{Judge, Verdict};
use super::words::{Lexed, Passage, View};
use super::{Content, Tree};

/// A file of at most so many bytes is about one thing.
const SMALL: usize = 1024;
/// What an item may say of its file.
const LOOKS: [&str; 5] = ["text", "symbol", "lines", "hash", "blob"];

/// The hash of the definition of `symbol` in a file's text; `None` where it is not defined there.
pub fn hash_of_symbol(path: &str, text: &str, symbol: &str) -> Option<Passage> {
    let file = Lexed::new(path, text.to_owned());
    let found = definitions(&file, symbol);
    found.first().map(|definition| definition_hashes(&file, &definition.tokens)[0])
}

/// The hash of the lines `first` to `last` (from 1, both included); `None` where nothing stands there.
pub fn hash_of_lines(path: &str, text: &str, first: usize, last: usize) -> Option<Passage> {
    let file = Lexed::new(path, text.to_owned());
    let inside = |line: u32| (first..=last).contains(&(line as usize + 1));
    let start = file.tokens.iter().position(|t| inside(t.line))?;
    let count = file.tokens[start..].iter().take_while(|t| inside(t.line)).count();
    let code = file.words(View::Code, start..start + count);
    let words = if code.is_empty() { file.words(View::All, start..start + count) } else { code };
    (!words.is_empty()).then(|| Passage::of(&words))
}

/// Fills in the hashes that evidence asks for, and the commit it was written on.
///
/// `lines` without a hash get one; so do a `symbol` whose `hash`, and a `blob`, that is `true` or empty
/// (`blob_id` gives a file's), and a small file of which nothing more is said: whatever changes in it may be what the
/// memory is about. Nothing else is touched. The sentences say what does not hold even now.
pub fn complete(
    evidence: &Value,
    tree: &dyn Tree,
    blob_id: &dyn Fn(&RepoPath) -> Option<String>,
    commit: Option<&str>,
) -> (Value, Vec<String>) {
    let mut items = match evidence {
        Value::Array(items) => items.clone(),
        Value::Null => return (Value::Null, Vec::new()),
        other => vec![other.clone()],
    };
    let mut problems = Vec::new();
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        if let Err(problem) = fill(item, tree, blob_id) {
            problems.push(problem);
        }
    }
    let has_commit = items.iter().any(|item| item.get("commit").is_some());
    if let Some(commit) = commit.filter(|_| !has_commit && !items.is_empty()) {
        items.push(json!({ "commit": commit }));
    }
    let completed = Value::Array(items);
    let report = Judge::new(tree).memory(&Evidence::parse(&completed), None);
    problems.extend(report.problems);
    let untrue = report.findings.iter().filter(|finding| finding.verdict != Verdict::Fresh);
    problems.extend(untrue.map(|finding| finding.reason.clone()));
    (completed, problems)
}

fn fill(
    item: &mut Map<String, Value>,
    tree: &dyn Tree,
    blob_id: &dyn Fn(&RepoPath) -> Option<String>,
) -> Result<(), String> {
    let Some(file) = item.get("file").and_then(Value::as_str) else { return Ok(()) };
    let path = RepoPath::new(file)?;
    let asks = |value: Option<&Value>| matches!(value, Some(Value::Bool(true))) || value == Some(&json!(""));
    let is_small = || matches!(tree.read(&path), Content::Text(text) if text.len() <= SMALL);
    let is_asked = asks(item.get("blob"));
    if is_asked || !LOOKS.iter().any(|look| item.contains_key(*look)) && is_small() {
        match blob_id(&path) {
            Some(id) => drop(item.insert("blob".into(), Value::String(id))),
            None if is_asked => return Err(format!("{} cannot be read", path.as_str())),
            None => {}
        }
    }
    let needs_hash = asks(item.get("hash")) || (item.contains_key("lines") && !item.contains_key("hash"));
    if !needs_hash {
        return Ok(());
    }
    let Content::Text(text) = tree.read(&path) else {
        return Err(format!("{} cannot be read", path.as_str()));
    };
    let hash = match (item.get("symbol").and_then(Value::as_str), item.get("lines")) {
        (Some(symbol), _) => hash_of_symbol(path.as_str(), &text, symbol)
            .ok_or_else(|| format!("{symbol} is not defined in {}", path.as_str()))?,
        (None, Some(lines)) => span(lines)
            .and_then(|(first, last)| hash_of_lines(path.as_str(), &text, first, last))
            .ok_or_else(|| format!("lines {lines} are not in {}", path.as_str()))?,
        (None, None) => return Err(format!("a hash of {} needs a symbol or lines", path.as_str())),
    };
    item.insert("hash".into(), Value::String(hash.to_string()));
    Ok(())
}

/// `8-11`, `8` or the number 8.
fn span(value: &Value) -> Option<(usize, usize)> {
    if let Some(line) = value.as_u64() {
        return Some((line as usize, line as usize));
    }
    let text = value.as_str()?;
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
