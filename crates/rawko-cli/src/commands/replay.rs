//! `rawko replay`: before which past tasks a memory would have fired.

use rawko::{By, PastTask};
use serde_json::json;

use super::add::stdin;
use super::count;
use crate::args::Replay;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Replay, place: &Place, out: &Output) -> Result<(), Failure> {
    let text = text(args, place)?;
    let Some(replayed) = place.engine()?.replay(&text)? else {
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

fn text(args: &Replay, place: &Place) -> Result<String, Failure> {
    if args.file.as_os_str() == "-" {
        return stdin();
    }
    let bytes = rawko::store::read_file(&place.start.join(&args.file))?;
    let missing =
        || Failure::usage(format!("there is no file {}", args.file.display()), "name a memory's file");
    Ok(String::from_utf8_lossy(&bytes.ok_or_else(missing)?).into_owned())
}
