//! One file per command; each reads its words, calls the library and prints.

pub(crate) mod add;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
mod editor;
pub(crate) mod exec;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod feedback;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod inject;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod memory;
pub(crate) mod memory_tool;
pub(crate) mod replay;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod validate;
pub(crate) mod why;
pub(crate) mod why_not;
pub(crate) mod wire;

use rawko::core::Waiting;
use rawko::{Engine, Importance, Slug, Status, Whose};

use crate::error::Failure;
use crate::output::{Look, Output};

/// A memory's name, as typed.
fn slug(name: &str) -> Result<Slug, Failure> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    let name = name.rsplit_once("memories/").map_or(name, |(_, name)| name);
    Slug::parse(name).map_err(|error| Failure::usage(error.to_string(), "`rawko list` shows the names"))
}

/// The first characters of a host's session, enough to tell two apart.
fn short_session(session: &str) -> String {
    if session.is_empty() {
        "-".to_owned()
    } else {
        rawko::core::inert_line(session).chars().take(8).collect()
    }
}

/// A number with its word.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Says where something is kept, where no project's store is in reach: every project hears the person's own.
fn say_if_personal(engine: &Engine, out: &Output) {
    if engine.store(Whose::Project).is_none() {
        out.note(
            "There is no project's store here or above: this is kept in your own, which serves every project. \
             `rawko init` makes one here.",
        );
    }
}

/// Says how many memories wait for the person, and where they give their word.
fn say_what_waits(waiting: Waiting, out: &Output) -> Result<(), Failure> {
    for (n, what, command) in
        [(waiting.review, "review", "rawko review"), (waiting.approval, "approval", "rawko trust")]
    {
        let text = count(n, "memory waits", "memories wait");
        if n > 0 {
            out.line(
                out.paint(Look::Warn, &format!("{text} for your {what} before reaching an agent: {command}")),
            )?;
        }
    }
    Ok(())
}

fn importance(word: &str) -> Result<Importance, Failure> {
    Importance::parse(word).ok_or_else(|| {
        Failure::usage(format!("`{word}` is no importance"), "use low, medium, high or critical")
    })
}

fn status(word: &str) -> Result<Status, Failure> {
    Status::parse(word).ok_or_else(|| {
        Failure::usage(
            format!("`{word}` is no status"),
            "use active, pending, deprecated, superseded, rejected or waits",
        )
    })
}
