//! `rawko undo`: the last action of a review, taken back by another entry.

use rawko::Engine;
use serde_json::json;

use super::review::{person, sentence};
use crate::args::Undo;
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;

pub(crate) fn run(args: &Undo, place: &Place, out: &Output) -> Result<(), Failure> {
    take_back(&place.engine()?, args.json, out)
}

pub(super) fn take_back(engine: &Engine, json: bool, out: &Output) -> Result<(), Failure> {
    let Some(done) = engine.undo(&person()?)? else {
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
