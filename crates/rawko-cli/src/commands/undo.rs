//! `rawko undo`: the last action of a review, taken back by another entry.

use rawko::Engine;
use serde_json::json;

use super::review::sentence;
use crate::args::Undo;
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;
use crate::person;

pub(crate) fn run(args: &Undo, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let by = person::says_yes("undo", "Take the last action of a review back?")?;
    take_back(&engine, &by, args.json, out)
}

pub(super) fn take_back(engine: &Engine, by: &str, json: bool, out: &Output) -> Result<(), Failure> {
    let Some(done) = engine.undo(by)? else {
        return Err(Failure::wrong(
            "there is nothing to take back",
            "`rawko review` shows what waits for you",
        ));
    };
    if json {
        return out.json(&json!({ "undone": done.action, "slug": done.slug.as_str(), "said": done.said }));
    }
    out.line(format!("{}.", sentence(&done.said)))
}
