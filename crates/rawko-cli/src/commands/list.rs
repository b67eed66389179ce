//! `rawko list`: the memories in reach, as a table or JSON.

use rawko::core::Waiting;
use rawko::{Filter, Found, Severity};
use serde_json::{Value, json};

use super::{count, importance, say_what_waits, status, wire};
use crate::args::List;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// The status of a memory of which nothing reaches an agent before a person's word.
const WAITS: &str = "waits";

pub(crate) fn run(args: &List, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(rawko::StoreError::NoStore(place.start.clone()).into());
    }
    let filter = Filter {
        tags: args.tag.clone(),
        importance: args.importance.as_deref().map(importance).transpose()?,
        status: args.status.as_deref().filter(|word| *word != WAITS).map(status).transpose()?,
        agent: args.agent.clone(),
        text: args.text.clone(),
    };
    let mut listing = engine.list(&filter)?;
    if args.status.as_deref() == Some(WAITS) {
        listing.memories.retain(|found| found.memory.awaits().is_some());
    }
    let bad = listing.problems.iter().filter(|problem| problem.problem.severity == Severity::Error).count();
    let skipped = listing.problems.iter().filter(|problem| problem.is_skipped()).count();
    if args.json {
        let memories: Vec<Value> = listing.memories.iter().map(|found| wire::memory(found, false)).collect();
        return out.json(&json!({ "memories": memories, "problems": bad + skipped }));
    }
    if listing.memories.is_empty() {
        let all = takes_all(args);
        out.line(match engine.store(rawko::Whose::Project) {
            _ if !all => "No memory fits.",
            Some(_) => "No memories yet: rawko add",
            None => "No memories, and no store in this folder or above it: rawko init",
        })?;
    } else {
        let rows: Vec<Vec<String>> = listing.memories.iter().map(row).collect();
        out.table(&["name", "importance", "status", "store", "title"], &rows)?;
    }
    let waiting = Waiting::among(listing.memories.iter().map(|found| &found.memory));
    say_what_waits(waiting, out)?;
    if waiting.approval > 0 && engine.is_new_here() {
        out.line(
            "This folder is new to rawko. If you moved it here: rawko trust --moved-from <where it was>",
        )?;
    }
    if bad > 0 {
        let text = count(bad, "problem", "problems");
        out.line(out.paint(Look::Warn, &format!("{text} in memory files: rawko validate")))?;
    }
    if skipped > 0 {
        let text = count(skipped, "file is", "files are");
        out.line(out.paint(Look::Warn, &format!("{text} passed over: rawko validate")))?;
    }
    Ok(())
}

fn takes_all(args: &List) -> bool {
    let text = args.text.is_none() && args.tag.is_empty();
    text && args.importance.is_none() && args.status.is_none() && args.agent.is_none()
}

fn row(found: &Found) -> Vec<String> {
    let Some(fold) = found.memory.now() else { return Vec::new() };
    let waits = found.memory.awaits().is_some() && found.memory.for_agents().is_none();
    let status = if waits { WAITS } else { fold.status.as_str() };
    vec![
        found.memory.slug.to_string(),
        fold.importance.as_str().to_owned(),
        status.to_owned(),
        found.whose.as_str().to_owned(),
        fold.title.to_owned(),
    ]
}
