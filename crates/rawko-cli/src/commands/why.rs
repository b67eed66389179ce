//! `rawko why`: a past injection, explained from its receipt.

use serde_json::{Value, json};

use super::inject::{by_trigger, meaning_by};
use crate::args::Why;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Why, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if args.list {
        let receipts = engine.all_receipts(20, |_| true)?;
        if args.json {
            return out.json(&json!({ "receipts": receipts }));
        }
        return receipts.iter().try_for_each(|receipt| line(receipt, out));
    }
    let wanted = |receipt: &Value| args.id.as_ref().is_none_or(|id| receipt["id"] == id.as_str());
    let Some(receipt) = engine.all_receipts(1, wanted)?.into_iter().next() else {
        return Err(Failure::wrong("there is no such receipt", "`rawko why --list` shows the newest ones"));
    };
    if args.json { out.json(&receipt) } else { show(&receipt, out) }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn line(receipt: &Value, out: &Output) -> Result<(), Failure> {
    let chosen = super::count(receipt["chosen"].as_array().map_or(0, Vec::len), "memory", "memories");
    let (what, words) = asked(receipt);
    let what = if what == "task" { String::new() } else { format!("{what}: ") };
    let task: String = rawko::core::inert_line(&format!("{what}{words}")).chars().take(60).collect();
    let session = super::short_session(text(receipt, "session"));
    out.text(&format!("{}  {}  {session}  {chosen}  {task}", text(receipt, "id"), text(receipt, "at")))
}

/// What called for memories: the task, or what a tool was about to do or ended with.
fn asked(receipt: &Value) -> (&str, &str) {
    if text(receipt, "kind") == rawko::UNASKED {
        return ("unasked", "rawko spoke by itself");
    }
    let file = || ("file", receipt["files"][0].as_str().unwrap_or_default());
    let named = ["task", "command", "error"].map(|name| (name, text(receipt, name)));
    named.into_iter().chain([file()]).find(|(_, words)| !words.is_empty()).unwrap_or(("task", ""))
}

fn show(receipt: &Value, out: &Output) -> Result<(), Failure> {
    out.line(
        out.paint(Look::Strong, &format!("Injection {} at {}", text(receipt, "id"), text(receipt, "at"))),
    )?;
    if let Some(session) = receipt["session"].as_str() {
        let said = format!("{} session {session}", text(receipt, "host"));
        out.line(format!("in: {}", rawko::core::inert_line(&said)))?;
    }
    let (what, words) = asked(receipt);
    out.line(format!("{what}: {}", rawko::core::inert_line(words)))?;
    if receipt["heldOut"] == true {
        out.line("It was held back (inject.holdOut), to measure what memory is worth.")?;
    }
    let empty = Vec::new();
    let chosen = receipt["chosen"].as_array().unwrap_or(&empty);
    if chosen.is_empty() {
        out.line("Nothing was injected.")?;
    }
    chosen.iter().try_for_each(|memory| one(memory, "in ", out))?;
    let others = receipt["out"].as_array().unwrap_or(&empty);
    if !others.is_empty() {
        out.line("")?;
        out.line("What stayed silent:")?;
    }
    others.iter().try_for_each(|memory| one(memory, "out", out))
}

fn one(memory: &Value, mark: &str, out: &Output) -> Result<(), Failure> {
    let score = memory["score"].as_f64().map_or(" ".repeat(5), |score| format!("{score:5.1}"));
    let parts = memory["parts"].as_object().into_iter().flatten();
    let parts: Vec<String> =
        parts.map(|(name, points)| format!("{name} {:+.1}", points.as_f64().unwrap_or_default())).collect();
    out.line("")?;
    out.text(&format!(
        "{mark} {score} {}  {}",
        text(memory, "slug"),
        rawko::core::inert_line(text(memory, "title"))
    ))?;
    if !parts.is_empty() {
        out.text(&format!("        = {}", rawko::core::inert_line(&parts.join("  "))))?;
    }
    let has_part = |name: &str| !memory["parts"][name].is_null();
    if let Some(by) = meaning_by(memory["meaningBy"].as_str(), memory["unread"] == true, has_part) {
        out.text(&format!("        {by}"))?;
    }
    let by_trigger = by_trigger(has_part);
    for (key, words) in [("trigger", by_trigger), ("stale", "check first:"), ("reason", "because")] {
        if let Some(value) = memory[key].as_str() {
            out.text(&format!("        {words} {}", rawko::core::inert_line(value)))?;
        }
    }
    for entry in memory["entries"].as_array().into_iter().flatten() {
        let (id, by, trust) =
            (text(entry, "id"), rawko::core::inert_line(text(entry, "by")), text(entry, "trust"));
        // Receipts of earlier versions do not tell.
        let came = Some(text(entry, "came")).filter(|came| !came.is_empty());
        let came = came.map(|came| format!(", {came}")).unwrap_or_default();
        out.text(&format!(
            "        entry {} by {by}, trust {trust}{came}",
            id.chars().take(12).collect::<String>()
        ))?;
    }
    Ok(())
}
