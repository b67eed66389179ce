//! Streams of an agent's tool calls: is it warned before it repeats what failed, and left alone otherwise?
//!
//! Each stream is played in a scratch repository: its files are written with
//! the stream's own times, each call is asked about before and told of after.
//! Labels are read only when everything has been answered.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rawko::core::ledger::{Outcome, exit_code};
use rawko::{Engine, Event, Now};
use serde_json::{Value, json};

use crate::set::Result;

/// One call that was asked about.
struct Asked {
    stream: String,
    event: String,
    text: Option<String>,
    label: Value,
}

/// Plays every stream, prints the figures and writes one line per call to `out`.
pub(crate) fn run(folder: &Path, out: Option<&Path>) -> Result<()> {
    let mut files: Vec<PathBuf> = read_dir(&folder.join("streams"))?;
    files.sort();
    let mut asked = Vec::new();
    for file in &files {
        asked.extend(play(file)?);
    }
    if let Some(out) = out {
        let row = |asked: &Asked| json!({ "stream": asked.stream, "event": asked.event, "warned": asked.text.is_some(), "text": asked.text });
        let text: String = asked.iter().map(|asked| format!("{}\n", row(asked))).collect();
        fs::write(out, text).map_err(|error| format!("cannot write {}: {error}", out.display()))?;
    }
    print(&asked);
    Ok(())
}

fn read_dir(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect())
}

fn play(file: &Path) -> Result<Vec<Asked>> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let stage = Stage { repo: scratch.path().join("repo"), home: scratch.path().join("home") };
    fs::create_dir_all(stage.repo.join(".git")).map_err(|error| error.to_string())?;
    fs::create_dir_all(&stage.home).map_err(|error| error.to_string())?;
    let stream = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut asked = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", file.display()))?;
        let time: Timestamp = match row["t"].as_str().map(str::parse) {
            Some(Ok(time)) => time,
            _ => continue,
        };
        match row["type"].as_str() {
            Some("fs") => stage.change(&row, time).map_err(|error| error.to_string())?,
            Some("hook") => {
                let found = stage.hook(&row["event"], time).map_err(|error| error.to_string())?;
                if row["event"]["hook_event_name"] == "PreToolUse" {
                    let event = row["id"].as_str().unwrap_or_default().to_owned();
                    asked.push(Asked { stream: stream.to_owned(), event, text: found, label: row["label"].clone() });
                }
            }
            _ => {}
        }
    }
    Ok(asked)
}

/// The scratch repository that a stream is played in.
struct Stage {
    repo: PathBuf,
    home: PathBuf,
}

impl Stage {
    fn filled(&self, text: &str) -> String {
        text.replace("{repo}", &self.repo.to_string_lossy()).replace("{transcripts}", &self.home.to_string_lossy())
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.filled(text).into(),
            Value::Array(all) => all.iter().map(|value| self.value(value)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.value(value))).collect::<serde_json::Map<_, _>>().into(),
            other => other.clone(),
        }
    }

    fn change(&self, row: &Value, time: Timestamp) -> std::io::Result<()> {
        let text = |name: &str| self.filled(row[name].as_str().unwrap_or_default());
        let path = self.repo.join(text("path"));
        match row["op"].as_str() {
            Some("delete") => fs::remove_file(&path),
            Some("rename") => {
                let to = self.repo.join(text("to"));
                fs::create_dir_all(to.parent().unwrap_or(&self.repo))?;
                fs::rename(&path, to)
            }
            _ => {
                fs::create_dir_all(path.parent().unwrap_or(&self.repo))?;
                fs::write(&path, text("content"))?;
                let seconds = Duration::from_millis(time.as_millisecond().unsigned_abs());
                File::options().append(true).open(&path)?.set_modified(SystemTime::UNIX_EPOCH + seconds)
            }
        }
    }

    /// What the hook says to one event.
    fn hook(&self, event: &Value, time: Timestamp) -> std::result::Result<Option<String>, rawko::StoreError> {
        let event = self.value(event);
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let name = text("hook_event_name");
        if !matches!(name.as_str(), "PreToolUse" | "PostToolUse" | "PostToolUseFailure") {
            return Ok(None);
        }
        let engine = Engine::create(&self.repo, Some(&self.home), Now::at(time))?;
        let cwd = PathBuf::from(text("cwd"));
        let moved = engine.tool_call(&text("tool_name"), &event["tool_input"], &cwd);
        let call = text("tool_use_id");
        if name == "PreToolUse" {
            return Ok(engine.before(&moved, Some(&call))?.map(|warning| warning.text()));
        }
        let outcome = if name == "PostToolUse" {
            let said = &event["tool_response"];
            let output = [&said["stdout"], &said["stderr"]].iter().filter_map(|part| part.as_str()).collect::<Vec<_>>().join("\n");
            Outcome::Succeeded { output }
        } else {
            let error = text("error");
            let (exit, error) = exit_code(&error);
            Outcome::Failed { exit, error: error.to_owned(), interrupted: event["is_interrupt"] == true }
        };
        let (session, agent) = (text("session_id"), text("agent_id"));
        engine.record(&Event { moved, cwd, outcome, session, agent, call: Some(call), cause: None, lesson: None })?;
        Ok(None)
    }
}

/// The figures, by stream and by class.
fn print(asked: &[Asked]) {
    let mut rows: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for asked in asked {
        let (expect, class) = (asked.label["expect"].as_str().unwrap_or_default(), asked.label["class"].as_str().unwrap_or_default());
        let cells = match expect {
            "warn" => [1, usize::from(asked.text.is_some()), 0, 0],
            "quiet" => [0, 0, 1, usize::from(asked.text.is_some())],
            _ => continue,
        };
        for name in [format!("stream {}", asked.stream), format!("{expect} {class}"), "ALL".to_owned()] {
            let row = rows.entry(name).or_default();
            row.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        }
    }
    println!("{:<28} {:>12} {:>12}", "", "warned", "false");
    for (name, [warn, warned, quiet, wrong]) in &rows {
        println!("{name:<28} {:>12} {:>12}", format!("{warned}/{warn}"), format!("{wrong}/{quiet}"));
    }
}
