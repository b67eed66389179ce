//! Runs of agents through the offline extractor: one line per run, as the scorer reads them.

use std::fs;
use std::io::Write;
use std::path::Path;

use rawko_core::{Run, RunResult, Transcript, extract_offline};
use serde_json::{Value, json};

use crate::set::Result;

/// Extracts from every run of `folder` and writes `{"id", "memories": [{"title", "content"}]}` lines.
pub(crate) fn run(folder: &Path, out: Option<&Path>) -> Result<()> {
    let path = folder.join("runs.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = String::new();
    let (mut runs, mut memories) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let record: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let kept = extracted(folder, &record)?;
        (runs, memories) = (runs + 1, memories + kept.len());
        lines.push_str(&json!({ "id": record["id"], "memories": kept }).to_string());
        lines.push('\n');
    }
    match out {
        Some(out) => fs::write(out, lines).map_err(|error| format!("{}: {error}", out.display()))?,
        None => std::io::stdout().write_all(lines.as_bytes()).map_err(|error| error.to_string())?,
    }
    eprintln!("{runs} runs, {memories} memories");
    Ok(())
}

fn extracted(folder: &Path, record: &Value) -> Result<Vec<Value>> {
    let mut run = match record["transcript"].as_str() {
        Some(name) => {
            let path = folder.join(name);
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let mut transcript = Transcript::new(None);
            transcript.push(&bytes);
            transcript.finish()
        }
        None => Run { output: record["agentOutput"].as_str().unwrap_or_default().to_owned(), ..Run::default() },
    };
    run.agent = record["agent"].as_str().unwrap_or_default().to_owned();
    run.task = record["task"].as_str().unwrap_or_default().to_owned();
    run.result = record["result"].as_str().and_then(RunResult::parse).unwrap_or_default();
    run.error = record["error"].as_str().map(str::to_owned);
    let now = jiff::Timestamp::UNIX_EPOCH;
    let entries = extract_offline(&run, now).into_iter().map(|proposal| proposal.entry);
    Ok(entries.map(|entry| json!({ "title": entry.frontmatter.title, "content": entry.body })).collect())
}
