//! What tests share: the corpora, the clock, entries and random values.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rawko_core::{Entry, Frontmatter, Importance, Trigger};
use serde_json::{Map, Value};

/// The folder or file below `shared/`, or a loud `None`.
pub(crate) fn find(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("RAWKO_SHARED").map(PathBuf::from);
    let places = named.into_iter().chain([root.join("../shared"), root.join("../../shared")]);
    let found = places.map(|place| place.join(path)).find(|place| place.exists());
    if found.is_none() {
        eprintln!("SKIPPED: shared/{path} is absent; set RAWKO_SHARED to its folder");
    }
    found
}

/// Every file of a corpus folder, by name; bytes that are no UTF-8 are replaced as a reader would.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let Some(folder) = find(folder) else { return Vec::new() };
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned())
        })
        .collect();
    files.sort();
    files
}

/// The lines of a corpus file.
pub(crate) fn lines(file: &str) -> Vec<String> {
    let Some(file) = find(file) else { return Vec::new() };
    let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// The values of a JSON-lines file; lines that JSON for Rust cannot hold (lone surrogates) are left out.
pub(crate) fn json_lines(file: &str) -> Vec<Value> {
    lines(file).iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The value of a JSON file; an empty list where it is absent.
pub(crate) fn json(file: &str) -> Vec<Value> {
    find(file).map_or_else(Vec::new, |file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap())
}

/// Runs something within the time that any text may take: a second, or ten where nothing is optimised.
pub(crate) fn in_time<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });
    assert!(start.elapsed() < limit, "{:?} for {} bytes: {:.80}", start.elapsed(), what.len(), what);
    result
}

/// Whether the whole promised number of cases shall run, not only a share for every day.
pub(crate) fn full() -> bool {
    std::env::var_os("RAWKO_FULL").is_some()
}

/// Texts that break parsers: naughty strings, CommonMark examples, payloads.
pub(crate) fn nasty_texts() -> Vec<String> {
    let mut texts: Vec<String> = json("corpora/naughty-strings/blns.json")
        .iter()
        .chain(json("corpora/commonmark/spec-examples.json").iter().map(|example| &example["markdown"]))
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect();
    for file in ["command-injection", "crlf", "path-traversal", "sql-injection", "xss"] {
        texts.extend(lines(&format!("corpora/payloads/{file}.txt")));
    }
    texts
}

/// The fields of a small valid entry.
pub(crate) fn frontmatter() -> Frontmatter {
    Frontmatter {
        title: "Example memory".to_owned(),
        when_to_use: vec![Trigger::Text("example".to_owned())],
        importance: Importance::Medium,
        discovered_at: "2026-01-02T03:04:05Z".parse().unwrap(),
        discovered_by: "developer".to_owned(),
        tags: Vec::new(),
        discovered_in: None,
        source: None,
        related_memories: Vec::new(),
        kind: None,
        status: None,
        supersedes: Vec::new(),
        evidence: Value::Null,
        should_fire: Vec::new(),
        should_not_fire: Vec::new(),
        trust: None,
        extra: Map::new(),
    }
}

/// A small valid entry with this body.
pub(crate) fn entry(body: &str) -> Entry {
    Entry { frontmatter: frontmatter(), body: body.to_owned() }
}

/// Numbers that look random and are the same in every run (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
