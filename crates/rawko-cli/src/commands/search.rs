//! `rawko search`: memories by words and meaning, best first.

use std::io::{self, IsTerminal};

use rawko::provider::Encoder;
use rawko::{Filter, SearchHit, Status, StoreError, Whose};
use serde_json::{Value, json};

use super::{count, importance, inject, status, wire};
use crate::args::Search;
use crate::embedding;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Search, place: &Place, out: &Output) -> Result<(), Failure> {
    if args.query.iter().all(|word| word.trim().is_empty()) {
        return Err(Failure::usage(
            "there is nothing to look for",
            "rawko search WORDS; `rawko list` shows all",
        ));
    }
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let filter = Filter {
        tags: args.tag.clone(),
        importance: args.importance.as_deref().map(importance).transpose()?,
        status: args.status.as_deref().map(status).transpose()?,
        ..Filter::default()
    };
    let (encoder, unasked) = embedding::chosen(&engine);
    let takes = |memory: &_| filter.takes(memory);
    let found = engine.search_by(encoder.as_ref(), &args.query.join(" "), args.limit, takes)?;
    let model = encoder.as_ref().map(Encoder::name);
    let trouble = encoder.as_ref().zip(found.trouble.as_ref());
    let degraded = unasked.or(trouble.map(|(encoder, error)| embedding::degraded(encoder, error)));
    if args.json {
        let hits: Vec<Value> = found.hits.iter().map(|hit| in_json(hit, model.as_deref())).collect();
        out.json(&json!({ "hits": hits, "degraded": degraded, "withoutVector": found.without_vector }))?;
    } else {
        if found.hits.is_empty() {
            out.line(match engine.store(Whose::Project) {
                Some(_) => "Nothing found.",
                None => "Nothing found, and no store in this folder or above it: rawko init",
            })?;
        }
        found.hits.iter().try_for_each(|hit| show(hit, args.explain, model.as_deref(), out))?;
        note(degraded.as_deref(), found.without_vector.saturating_sub(found.read_behind), found.read_behind);
    }
    inject::rebuild(&engine, &found.wants_rebuild);
    embedding::catch_up(&engine, found.wants_reading);
    Ok(())
}

/// A line beside the answer: what went wrong with the embedding model, or what it has not read.
fn note(degraded: Option<&str>, without_vector: usize, read_behind: usize) {
    if let Some(degraded) = degraded {
        eprintln!("note: {degraded}");
    } else if without_vector > 0 {
        let memories = count(without_vector, "memory was", "memories were");
        eprintln!("note: {memories} compared by the token table, having no vector yet: rawko index --embed");
    } else if read_behind > 0 && io::stderr().is_terminal() {
        let memories = count(read_behind, "memory is", "memories are");
        eprintln!(
            "note: {memories} compared by the token table until a process behind this search has read them"
        );
    }
}

fn show(hit: &SearchHit, explain: bool, model: Option<&str>, out: &Output) -> Result<(), Failure> {
    let Some(fold) = hit.memory.now() else { return Ok(()) };
    let held = match fold.status {
        _ if hit.memory.for_agents().is_some() => String::new(),
        Status::Active | Status::Pending => "  (waits for your word)".to_owned(),
        out_of_use => format!("  ({})", out_of_use.as_str()),
    };
    let held = out.paint(Look::Warn, &held);
    out.line(format!(
        "{} {}  {}{held}",
        out.paint(Look::Faint, &format!("{:5.1}", hit.score.total())),
        out.paint(Look::Strong, hit.memory.slug.as_str()),
        rawko::core::inert_line(fold.title)
    ))?;
    if explain {
        let by = model.map_or(String::new(), |_| format!(" ({})", meaning_by(hit, model)));
        let by = |name: &str| if name == "meaning" { by.as_str() } else { "" };
        let part =
            |part: &rawko::core::rank::Part| format!("{}{} {:+.1}", part.name, by(part.name), part.points);
        let parts: Vec<String> = hit.score.parts().iter().map(part).collect();
        out.line(format!("      = {}", rawko::core::inert_line(&parts.join("  "))))?;
    }
    let snippet: String = rawko::core::inert_line(&hit.snippet).chars().take(160).collect();
    out.line(format!("      {}", out.paint(Look::Faint, &snippet)))
}

/// Who told how alike a memory and the query are.
fn meaning_by<'m>(hit: &SearchHit, model: Option<&'m str>) -> &'m str {
    model.filter(|_| hit.by_model).unwrap_or("table")
}

fn in_json(hit: &SearchHit, model: Option<&str>) -> Value {
    let found = rawko::Found { whose: hit.whose, memory: hit.memory.clone() };
    let mut value = wire::memory(&found, false);
    value["score"] = json!(hit.score.total());
    value["parts"] = wire::parts(&hit.score);
    value["meaningBy"] = json!(meaning_by(hit, model));
    value["snippet"] = json!(hit.snippet);
    value
}
