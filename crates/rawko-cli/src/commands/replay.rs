//! `rawko replay`: before which past tasks a memory would have fired.

use std::path::Path;

use rawko::{By, Engine, PastTask};
use serde_json::json;

use super::add::stdin;
use super::show::missing;
use super::{count, slug};
use crate::args::Replay;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Replay, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let text = text(args, &engine, place)?;
    let Some(replayed) = engine.replay(&text)? else {
        return Err(Failure::wrong(
            format!("{} holds no memory", args.file.display()),
            "`rawko validate` says what is wrong with it",
        ));
    };
    if args.json {
        let one = |past: &PastTask| json!({ "at": past.at, "session": past.session, "task": past.task, "by": past.by.as_str() });
        let fired: Vec<_> = replayed.fired.iter().map(one).collect();
        return out.json(&json!({ "tasks": replayed.tasks, "fired": fired }));
    }
    if replayed.tasks == 0 {
        return out.line("There are no past tasks yet: `rawko inject` leaves a receipt of each.");
    }
    for past in &replayed.fired {
        let session = super::short_session(&past.session);
        let when = out.paint(Look::Faint, &format!("{}  {session}", past.at));
        out.line(format!("{when}  by {:<9}  {}", past.by.as_str(), rawko::core::inert_line(&past.task)))?;
    }
    let tasks = count(replayed.tasks, "past task", "past tasks");
    let by = |by: By| replayed.fired.iter().filter(|past| past.by == by).count();
    let how = match (by(By::Trigger), by(By::Relevance)) {
        (0, 0) => String::new(),
        (called, found) => format!(": {called} by its triggers, {found} by relevance"),
    };
    out.line(format!("It would have fired before {} of {tasks}{how}.", replayed.fired.len()))
}

/// A file that is there, or the memory of that name.
fn text(args: &Replay, engine: &Engine, place: &Place) -> Result<String, Failure> {
    if args.file.as_os_str() == "-" {
        return stdin();
    }
    let bytes = match rawko::store::read_file(&place.start.join(&args.file))? {
        Some(bytes) => bytes,
        None => named(engine, &args.file)?,
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn named(engine: &Engine, name: &Path) -> Result<Vec<u8>, Failure> {
    let Ok(slug) = slug(&name.to_string_lossy()) else {
        return Err(Failure::usage(
            format!("there is no file {}", name.display()),
            "name a memory, as `rawko list` shows it, or a file",
        ));
    };
    for (_, store) in engine.stores() {
        if let Some(bytes) = store.raw(&slug)? {
            return Ok(bytes);
        }
    }
    Err(missing(engine, &slug))
}
