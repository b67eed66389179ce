//! The admission set: what happens to a memory that somebody proposes.
//!
//! Each fixture becomes a project with a store of its own, and every candidate
//! is judged by the product's own door, which is asked and writes nothing, so
//! that no line sees what an earlier one would have stored. Run on the copy that
//! the scorer's `expand` writes.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rawko::{Circumstances, Decision, Engine, Importance, Now, Proposal, Slug, Trigger};
use rawko_core::Encoded;
use serde_json::{Value, json};

use crate::set::Result;

/// Judges every candidate of every fixture, in the scorer's result form.
pub(crate) fn run(folder: &Path, out: Option<&Path>, parts: Option<&Path>) -> Result<()> {
    let lines = each(folder, &result)?;
    table(&lines);
    if let Some(out) = out {
        write(out, lines.iter().map(|line| &line.result))?;
    }
    if let Some(parts) = parts {
        write(parts, measured(folder)?.iter())?;
    }
    Ok(())
}

/// What every candidate of a set is judged by.
pub(crate) fn measured(folder: &Path) -> Result<Vec<Value>> {
    each(folder, &measures)
}

/// What becomes of a candidate in its project, after what the session was told.
type Ask<'a, T> = &'a dyn Fn(&Engine, &Value, &str) -> Result<T>;

/// Asks something of every candidate of a set.
fn each<T>(folder: &Path, ask: Ask<'_, T>) -> Result<Vec<T>> {
    let inner = folder.join("admission-bench");
    let folder = if inner.is_dir() { inner } else { folder.to_owned() };
    let mut fixtures: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("candidates.jsonl").is_file())
        .collect();
    fixtures.sort();
    let mut lines = Vec::new();
    for fixture in fixtures {
        lines.extend(each_of(&fixture, ask)?);
    }
    Ok(lines)
}

pub(crate) fn write<'l>(out: &Path, mut lines: impl Iterator<Item = &'l Value>) -> Result<()> {
    let mut file = fs::File::create(out).map_err(|error| format!("{}: {error}", out.display()))?;
    lines.try_for_each(|line| writeln!(file, "{line}")).map_err(|error| error.to_string())
}

/// What became of one candidate.
struct Judged {
    /// In the scorer's form.
    result: Value,
    /// The category that the set gives it.
    category: String,
}

/// One fixture's results.
fn each_of<T>(fixture: &Path, ask: Ask<'_, T>) -> Result<Vec<T>> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let engine = project(fixture, scratch.path())?;
    let injected = fs::read_to_string(fixture.join("injected.txt")).unwrap_or_default();
    let text = fs::read_to_string(fixture.join("candidates.jsonl")).map_err(|error| error.to_string())?;
    let mut results = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        results.push(ask(&engine, &case, &injected)?);
    }
    eprintln!("{}: {} candidates", fixture.display(), results.len());
    Ok(results)
}

/// A project with the fixture's files, and its memories approved by the person.
fn project(fixture: &Path, scratch: &Path) -> Result<Engine> {
    let (work, home) = (scratch.join("work"), scratch.join("home"));
    copy(&fixture.join("repo"), &work)?;
    copy(&fixture.join("memories"), &work.join(".rawko/memories"))?;
    fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    fs::write(home.join("config.toml"), "[extract]\nautoApprove = \"all\"\n")
        .map_err(|error| error.to_string())?;
    let now = Now::at("2026-10-01T00:00:00Z".parse().map_err(|_| "a time".to_owned())?);
    let engine = Engine::create(&work, Some(&home), now).map_err(|error| error.to_string())?;
    let waiting = engine.questions().map_err(|error| error.to_string())?;
    engine.trust(&waiting).map_err(|error| error.to_string())?;
    Engine::open(&work, Some(&home), now).map_err(|error| error.to_string())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target).map_err(failed)?;
        }
    }
    Ok(())
}

/// The proposal of a case, and the run that it comes from.
fn proposed(case: &Value, injected: &str) -> Result<(Proposal, Circumstances)> {
    let (input, candidate) = (&case["input"], &case["candidate"]);
    let proposal = Proposal {
        entry: entry(candidate)?,
        update_of: candidate["updateOf"].as_str().and_then(|slug| Slug::parse(slug).ok()),
        reasoning: text_of(&candidate["reasoning"]),
    };
    let circumstances = Circumstances {
        is_persons: false,
        task: text_of(&input["task"]),
        output: text_of(&input["agentOutput"]),
        injected: injected.to_owned(),
        lowest: None,
        looked_through: true,
        wished: rawko_core::Wished::No,
    };
    Ok((proposal, circumstances))
}

fn result(engine: &Engine, case: &Value, injected: &str) -> Result<Judged> {
    let (proposal, circumstances) = proposed(case, injected)?;
    let found = engine.consider(&proposal, &circumstances).map_err(|error| error.to_string())?;
    let stored = (found.decision != Decision::Refuse).then(|| found.entry.to_text());
    let result = json!({
        "id": case["id"], "decision": found.decision.as_str(), "target": found.target.map(|slug| slug.to_string()),
        "stored": stored, "reason": found.reason.name(), "why": found.reason.to_string(),
    });
    Ok(Judged { result, category: text_of(&case["reason"]) })
}

/// What a case is judged by, beside what the set says of it.
fn measures(engine: &Engine, case: &Value, injected: &str) -> Result<Value> {
    let (proposal, circumstances) = proposed(case, injected)?;
    let found = engine.measured(&proposal, &circumstances).map_err(|error| error.to_string())?;
    let heard = |encoded: Option<Encoded>| {
        encoded.map(|encoded| json!({ "values": encoded.values, "vectors": encoded.vectors }))
    };
    Ok(json!({
        "id": case["id"], "expect": case["expect"], "reason": case["reason"], "target": case["target"],
        "alsoOk": case["alsoOk"], "nearest": found.nearest.map(|slug| slug.to_string()),
        "measures": found.relation.values, "near": heard(found.relation.encoded),
        "manner": found.manner.values, "words": found.manner.words, "heard": heard(found.manner.encoded),
    }))
}

fn entry(candidate: &Value) -> Result<rawko::Entry> {
    let front = &candidate["frontmatter"];
    let mut draft = rawko::Draft::new(text_of(&candidate["memoryTitle"]), text_of(&candidate["content"]))
        .by(text_of(&front["discoveredBy"]))
        .importance(Importance::parse(&text_of(&front["importance"])).unwrap_or(Importance::Medium));
    for trigger in front["whenToUse"].as_array().into_iter().flatten() {
        draft = match trigger {
            Value::Object(map) => match map.iter().next() {
                Some((kind, value)) => draft.trigger(typed(kind, text_of(value))),
                None => draft,
            },
            text => draft.when(text_of(text)),
        };
    }
    for tag in front["tags"].as_array().into_iter().flatten() {
        draft = draft.tag(text_of(tag));
    }
    let at = text_of(&front["discoveredAt"])
        .parse()
        .map_err(|_| "a candidate's time cannot be read".to_owned())?;
    Ok(draft.entry(at))
}

fn typed(kind: &str, text: String) -> Trigger {
    match kind {
        "path" => Trigger::Path(text),
        "command" => Trigger::Command(text),
        "error" => Trigger::Error(text),
        _ => Trigger::Pattern(text),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Decisions per category, for people; the scorer has the figures.
fn table(lines: &[Judged]) {
    let mut rows: std::collections::BTreeMap<&str, std::collections::BTreeMap<String, usize>> =
        Default::default();
    for line in lines {
        *rows.entry(&line.category).or_default().entry(text_of(&line.result["decision"])).or_default() += 1;
    }
    for (category, decisions) in rows {
        let told: Vec<String> =
            decisions.iter().map(|(decision, count)| format!("{decision} {count}")).collect();
        println!("{category:24} {}", told.join(", "));
    }
}
