//! `rawko undo`: the last action of a review, taken back by another entry.

use rawko::core::inert_line;
use rawko::{Done, Engine};
use serde_json::json;

use super::review::sentence;
use crate::args::Undo;
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;
use crate::person;

pub(crate) fn run(args: &Undo, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    person::here("undo")?;
    let last = engine.undoable()?.ok_or_else(nothing)?;
    let by = person::says_yes("undo", &format!("Take back {}?", inert_line(&last.what)))?;
    // A script's word was for whatever is the last; a person's answer is for what stood there.
    if person::has_given_word() {
        return take_back(&engine, &by, args.json, out);
    }
    told(&engine.undo_only(&last, &by)?, args.json, out)
}

pub(super) fn take_back(engine: &Engine, by: &str, json: bool, out: &Output) -> Result<(), Failure> {
    told(&engine.undo(by)?.ok_or_else(nothing)?, json, out)
}

fn told(done: &Done, json: bool, out: &Output) -> Result<(), Failure> {
    if json {
        return out.json(&json!({ "undone": done.action, "slug": done.slug.as_str(), "said": done.said }));
    }
    out.line(format!("{}.", sentence(&done.said)))
}

fn nothing() -> Failure {
    Failure::wrong("there is nothing to take back", "`rawko review` shows what waits for you")
}
