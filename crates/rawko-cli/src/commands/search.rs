//! `rawko search`: memories by words and meaning, best first.

use rawko::{Filter, SearchHit, StoreError};
use serde_json::{Value, json};

use super::{importance, inject, status, wire};
use crate::args::Search;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Search, place: &Place, out: &Output) -> Result<(), Failure> {
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
    let found = engine.search(&args.query, args.limit, |memory| filter.takes(memory))?;
    if args.json {
        let hits: Vec<Value> = found.hits.iter().map(in_json).collect();
        out.json(&json!({ "hits": hits }))?;
    } else if found.hits.is_empty() {
        out.line("Nothing found.")?;
    } else {
        found.hits.iter().try_for_each(|hit| show(hit, args.explain, out))?;
    }
    inject::rebuild(&engine, &found.wants_rebuild);
    Ok(())
}

fn show(hit: &SearchHit, explain: bool, out: &Output) -> Result<(), Failure> {
    let Some(fold) = hit.memory.now() else { return Ok(()) };
    let held = if hit.memory.for_agents().is_none() {
        out.paint(Look::Warn, "  (waits for your word)")
    } else {
        String::new()
    };
    out.line(format!(
        "{} {}  {}{held}",
        out.paint(Look::Faint, &format!("{:5.1}", hit.score.total())),
        out.paint(Look::Strong, hit.memory.slug.as_str()),
        rawko::core::inert_line(fold.title)
    ))?;
    if explain {
        let parts: Vec<String> =
            hit.score.parts().iter().map(|part| format!("{} {:+.1}", part.name, part.points)).collect();
        out.line(format!("      = {}", parts.join("  ")))?;
    }
    let snippet: String = rawko::core::inert_line(&hit.snippet).chars().take(160).collect();
    out.line(format!("      {}", out.paint(Look::Faint, &snippet)))
}

fn in_json(hit: &SearchHit) -> Value {
    let found = rawko::Found { whose: hit.whose, memory: hit.memory.clone() };
    let mut value = wire::memory(&found, false);
    let parts: serde_json::Map<String, Value> =
        hit.score.parts().iter().map(|part| (part.name.to_owned(), json!(part.points))).collect();
    value["score"] = json!(hit.score.total());
    value["parts"] = Value::Object(parts);
    value["snippet"] = json!(hit.snippet);
    value
}
