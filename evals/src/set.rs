//! A question set in memory, whatever its files looked like.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What can go wrong: a message for the person who runs the program.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// One document, given to the product as the memory it could be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    /// The set's own name for it.
    pub(crate) id: String,
    /// Title, empty where the set has none.
    pub(crate) title: String,
    /// Triggers, one per line.
    pub(crate) triggers: String,
    /// Tags, separated by spaces.
    pub(crate) tags: String,
    /// The text.
    pub(crate) body: String,
}

/// The documents that a question is asked over, with their places in time where known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    /// Places in [`Set::docs`].
    pub(crate) docs: Vec<usize>,
    /// Larger is later; empty where the set has no times.
    pub(crate) times: Vec<i64>,
}

/// One question with its right answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// The set's own name for it.
    pub(crate) id: String,
    /// The row of the table it counts in.
    pub(crate) kind: String,
    /// The words asked.
    pub(crate) text: String,
    /// Place in [`Set::pools`].
    pub(crate) pool: usize,
    /// Documents that answer it.
    pub(crate) gold: Vec<String>,
    /// Documents that used to.
    pub(crate) stale: Vec<String>,
}

/// Documents and questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    /// All documents of all pools.
    pub(crate) docs: Vec<Doc>,
    /// Document collections.
    pub(crate) pools: Vec<Pool>,
    /// Questions that have an answer.
    pub(crate) questions: Vec<Question>,
}

/// The one file in `folder` whose name ends with `suffix`, whatever the split's prefix.
pub(crate) fn file(folder: &Path, suffix: &str) -> Result<PathBuf> {
    let listing = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(suffix)))
        .collect();
    found.sort();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(format!("{} has no file that ends with `{suffix}`", folder.display())),
        _ => Err(format!("{} has several files that end with `{suffix}`", folder.display())),
    }
}

/// Like [`file()`], where the file may also be packed with `xz`.
pub(crate) fn packed(folder: &Path, suffix: &str) -> Result<PathBuf> {
    file(folder, &format!("{suffix}.xz")).or_else(|_| file(folder, suffix))
}

/// A file as text, unpacked where its name ends with `.xz`.
pub(crate) fn text(path: &Path) -> Result<String> {
    let fail = |e: &dyn std::fmt::Display| format!("cannot read {}: {e}", path.display());
    let mut bytes = Vec::new();
    let mut opened = BufReader::new(fs::File::open(path).map_err(|e| fail(&e))?);
    if path.extension().is_some_and(|e| e == "xz") {
        lzma_rs::xz_decompress(&mut opened, &mut bytes).map_err(|e| fail(&format!("{e:?}")))?;
    } else {
        opened.read_to_end(&mut bytes).map_err(|e| fail(&e))?;
    }
    String::from_utf8(bytes).map_err(|e| fail(&e))
}

/// A file of JSON lines.
pub(crate) fn lines(path: &Path) -> Result<Vec<Value>> {
    let parse = |(n, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|e| format!("{}:{}: {e}", path.display(), n + 1))
    };
    text(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// A file that is one JSON value.
pub(crate) fn json(path: &Path) -> Result<Value> {
    serde_json::from_str(&text(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// A field as text; empty where it is missing.
pub(crate) fn string(value: &Value, key: &str) -> String {
    match &value[key] {
        Value::String(s) => s.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A field that is a list of texts.
pub(crate) fn strings(value: &Value, key: &str) -> Vec<String> {
    value[key].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// A field that is a list.
pub(crate) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}
