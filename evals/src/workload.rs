//! The speed workload: synthetic memories, and queries with one right answer each.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::set::{Doc, Pool, Question, Result, Set, json, lines, list, string};

/// Generates `count` memories with the folder's own `gen.py`; gold is the memory with the ticket.
pub(crate) fn read(folder: &Path, setting: &str) -> Result<Set> {
    let count: usize = match setting {
        "" => 1_000,
        n => n.replace('k', "000").parse().map_err(|_| format!("`{n}` is no number of memories"))?,
    };
    let scratch = std::env::temp_dir().join(format!("rawko-eval-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
    let made = make(folder, count, &scratch);
    let removed = fs::remove_dir_all(&scratch);
    removed.map_err(|e| format!("cannot remove {}: {e}", scratch.display())).and(made)
}

fn make(folder: &Path, count: usize, scratch: &Path) -> Result<Set> {
    let (corpus, queries) = (scratch.join("corpus.jsonl"), scratch.join("queries.json"));
    let script = folder.join("gen.py");
    run(Command::new("python3").arg(&script).args(["corpus", &count.to_string()]).arg(&corpus))?;
    run(Command::new("python3").arg(&script).arg("queries").arg(&queries))?;
    let mut set = Set::default();
    for row in lines(&corpus)? {
        let tags: Vec<&str> = list(&row, "tags").filter_map(|t| t.as_str()).collect();
        let (title, id) = (string(&row, "title"), string(&row, "id"));
        set.docs.push(Doc {
            id,
            triggers: triggers(&title, &tags),
            tags: tags.join(" "),
            body: format!("# {title}\n\n{}", string(&row, "body")),
            title,
        });
    }
    set.pools.push(Pool { docs: (0..set.docs.len()).collect(), times: Vec::new() });
    let rows = serde_json::json!({ "rows": json(&queries)? });
    for row in list(&rows, "rows") {
        set.questions.push(Question {
            id: string(row, "id"),
            kind: string(row, "type"),
            text: string(row, "q"),
            pool: 0,
            gold: vec![string(row, "gold")],
            stale: Vec::new(),
        });
    }
    Ok(set)
}

/// The triggers that `gen.py rawko` writes for the same memory.
fn triggers(title: &str, tags: &[&str]) -> String {
    let (area, part) = (tags.first().unwrap_or(&""), tags.get(1).unwrap_or(&""));
    let words: Vec<String> = title
        .split_once(':')
        .map_or(title, |(_, rest)| rest)
        .split_whitespace()
        .filter(|w| w.len() > 4)
        .take(3)
        .map(|w| w.trim_matches(['.', ',', ':', ';', '(', ')']).to_lowercase())
        .collect();
    let last = &words[words.len().saturating_sub(2)..];
    let stump = part.split('-').next().unwrap_or(part);
    format!("{area}.*{stump}|{}\nWhen working on the {area} {}", last.join("|"), part.replace('-', " "))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}
