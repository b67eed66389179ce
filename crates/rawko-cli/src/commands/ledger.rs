//! `rawko ledger`: moves that failed, and what would be said before one.

use std::io::{self, Read};

use rawko::core::ledger::{Because, Failure as Failed, Outcome};
use rawko::store::Told;
use rawko::{Engine, Event, Recorded};
use serde_json::{Value, json};

use crate::args::{Ledger, LedgerAction};
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// What is said of a failure that nobody cleared and that warns nobody at the moment.
const SILENT: &str = "silent now: a file it depends on has changed";

/// Longest error text that is read from standard input.
const MOST_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(args: &Ledger, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    match &args.action {
        LedgerAction::List { all, json } => list(&engine, *all, *json, out),
        LedgerAction::Show { id, json } => show(&engine, id, *json, out),
        LedgerAction::Forget { id, json } => forget(&engine, id, *json, out),
        LedgerAction::Learn { id, dry_run, json } => learn(&engine, id, *dry_run, *json, out),
        LedgerAction::Check { json, command } => check(&engine, place, &line(command)?, *json, out),
        LedgerAction::Record { exit, cause, lesson, json, command } => {
            let event = failed(&engine, place, &line(command)?, *exit, (cause.clone(), lesson.clone()))?;
            record(&engine, &event, *json, out)
        }
    }
}

/// One word is a command line as it is; several are quoted into one.
fn line(words: &[String]) -> Result<String, Failure> {
    if words.iter().all(|word| word.trim().is_empty()) {
        return Err(Failure::usage("there is no command", "write it behind `--`: -- cargo test"));
    }
    let quoted = |word: &String| {
        let plain = !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&byte));
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    Ok(match words {
        [only] => only.clone(),
        words => words.iter().map(quoted).collect::<Vec<_>>().join(" "),
    })
}

fn list(engine: &Engine, all: bool, as_json: bool, out: &Output) -> Result<(), Failure> {
    let mut told = engine.failures()?;
    told.retain(|told| all || told.cleared.is_none());
    told.reverse();
    if as_json {
        return out
            .json(&json!({ "failures": told.iter().map(|told| in_json(engine, told)).collect::<Vec<_>>() }));
    }
    if told.is_empty() {
        return out.line("No failures are kept.");
    }
    for told in &told {
        let failure = &told.failure;
        let state = match &told.cleared {
            Some((_, why)) => format!(" ({why})"),
            None if engine.still_holds(failure) => String::new(),
            None => format!(" ({SILENT})"),
        };
        let often = if failure.times > 1 { format!(" {}×", failure.times) } else { String::new() };
        out.line(format!(
            "{}  {}{often}  {}{}",
            out.paint(Look::Faint, &failure.id),
            failure.at.strftime("%Y-%m-%d %H:%M"),
            out.paint(Look::Strong, &rawko::core::inert_line(&failure.moved)),
            out.paint(Look::Faint, &state)
        ))?;
        if let Some(first) = failure.error.first() {
            out.text(&format!("    {first}"))?;
        }
    }
    Ok(())
}

fn show(engine: &Engine, id: &str, as_json: bool, out: &Output) -> Result<(), Failure> {
    let told = find(engine, id)?;
    if as_json {
        return out.json(&in_json(engine, &told));
    }
    let failure = &told.failure;
    out.line(out.paint(Look::Strong, &failure.moved))?;
    let code = failure.exit.map_or(String::new(), |exit| format!(", exit {exit}"));
    out.line(format!(
        "failed {}{code}, {} so far",
        failure.at,
        super::count(failure.times as usize, "time", "times")
    ))?;
    failure.error.iter().try_for_each(|line| out.text(&format!("  {line}")))?;
    for (name, said) in [("cause", &failure.cause), ("lesson", &failure.lesson)] {
        if let Some(said) = said {
            out.text(&format!("{name}: {said}"))?;
        }
    }
    let paths = failure.state.files.iter().chain(&failure.state.folders).map(|(path, _)| path.as_str());
    let paths = paths.map(|path| if path.is_empty() { "." } else { path }).collect::<Vec<_>>().join(", ");
    out.text(&format!("depends on: {}", if paths.is_empty() { "no file" } else { &paths }))?;
    out.line(standing(engine, &told))
}

/// Whether a failure still speaks, in words.
fn standing(engine: &Engine, told: &Told) -> String {
    match &told.cleared {
        Some((at, why)) => format!("no longer holds: {why} ({at})"),
        None if engine.still_holds(&told.failure) => "holds: nothing it depends on has changed".to_owned(),
        None => SILENT.to_owned(),
    }
}

fn forget(engine: &Engine, id: &str, as_json: bool, out: &Output) -> Result<(), Failure> {
    let told = find(engine, id)?;
    let already = told.cleared.is_some();
    if !already {
        engine.forget(&told)?;
    }
    if as_json {
        return out.json(&json!({ "forgotten": told.failure.id, "already": already }));
    }
    out.line(if already {
        "It no longer held already."
    } else {
        "Forgotten: nobody is warned of it any more."
    })
}

fn learn(engine: &Engine, id: &str, dry_run: bool, as_json: bool, out: &Output) -> Result<(), Failure> {
    let told = find(engine, id)?;
    let Some(judged) = engine.learn_failure(&told.failure, dry_run)? else {
        return Err(Failure::wrong(
            "nobody has said why it failed or what helps, so it teaches nothing yet",
            "record it with `--cause` or `--lesson`, or finish the attempt in its session with `--lessons`",
        ));
    };
    if as_json {
        return out.json(&judged.json());
    }
    let (decision, reason) = (&judged.admission.decision, &judged.admission.reason);
    out.line(format!("{}: {reason}.", out.paint(Look::Strong, decision.as_str())))?;
    match &judged.saved {
        Some(saved) => out.line(format!("Kept as {}.", saved.slug)),
        None => Ok(()),
    }
}

fn check(engine: &Engine, place: &Place, command: &str, as_json: bool, out: &Output) -> Result<(), Failure> {
    let warning = engine.before(&engine.command(command, &place.start), None)?;
    let Some(warning) = warning else {
        return if as_json {
            out.json(&json!({ "warning": null }))
        } else {
            out.line("Nothing is known against it.")
        };
    };
    if as_json {
        let because = match &warning.because {
            Because::Same => json!("same"),
            Because::Root(root) => serde_json::to_value(root).unwrap_or_default(),
        };
        out.json(&json!({ "warning": warning.text(), "because": because, "id": warning.failure.id }))?;
    } else {
        out.text(warning.text().trim_end())?;
    }
    Err(Failure::Said)
}

fn failed(
    engine: &Engine,
    place: &Place,
    command: &str,
    exit: i32,
    (cause, lesson): (Option<String>, Option<String>),
) -> Result<Event, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| {
        Failure::wrong(format!("standard input cannot be read: {error}"), "pipe the error text into it")
    })?;
    let error = String::from_utf8_lossy(&bytes).into_owned();
    let outcome = if exit == 0 {
        Outcome::Succeeded { output: error }
    } else {
        Outcome::Failed { exit: Some(exit), error, interrupted: false }
    };
    let moved = engine.command(command, &place.start);
    let (cwd, agent) = (place.start.clone(), open::writer().1);
    Ok(Event { moved, cwd, outcome, session: String::new(), agent, call: None, cause, lesson })
}

fn record(engine: &Engine, event: &Event, as_json: bool, out: &Output) -> Result<(), Failure> {
    let recorded = engine.record(event)?;
    if as_json {
        let value = match &recorded {
            Recorded::Kept(id) => json!({ "kept": id }),
            Recorded::NotLearned(why) => json!({ "notLearned": format!("{why:?}").to_lowercase() }),
            Recorded::Cleared(count) => json!({ "cleared": count }),
            Recorded::NoStore => json!({ "kept": null }),
        };
        return out.json(&value);
    }
    out.line(match recorded {
        Recorded::Kept(id) => format!("Kept as {id}."),
        Recorded::NotLearned(why) => {
            format!("Not kept: it teaches nothing ({}).", format!("{why:?}").to_lowercase())
        }
        Recorded::Cleared(count) => format!("{} no longer hold.", super::count(count, "failure", "failures")),
        Recorded::NoStore => "There is no store to keep it in.".to_owned(),
    })
}

fn find(engine: &Engine, id: &str) -> Result<Told, Failure> {
    let is_meant = |known: &str| !id.is_empty() && known.starts_with(id);
    let mut fitting: Vec<Told> =
        engine.failures()?.into_iter().filter(|told| is_meant(&told.failure.id)).collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(Failure::wrong(
            format!("no failure has the id `{id}`"),
            "`rawko ledger list --all` shows the ids",
        )),
        many => Err(Failure::usage(format!("`{id}` fits {many} failures"), "type more of the id")),
    }
}

fn in_json(engine: &Engine, told: &Told) -> Value {
    let failure: &Failed = &told.failure;
    json!({
        "id": failure.id, "at": failure.at.to_string(), "move": failure.moved, "exit": failure.exit, "error": failure.error,
        "signature": failure.signature, "cause": failure.cause, "lesson": failure.lesson, "times": failure.times,
        "session": failure.session, "agent": failure.agent,
        "files": failure.state.files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        "folders": failure.state.folders.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        "cleared": told.cleared.as_ref().map(|(at, why)| json!({ "at": at, "why": why })),
        "holds": told.cleared.is_none() && engine.still_holds(failure),
    })
}
