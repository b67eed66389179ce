//! One file per command; each reads its words, calls the library and prints.

pub(crate) mod add;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
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

use rawko::{Importance, Slug, Status};

use crate::error::Failure;

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

fn importance(word: &str) -> Result<Importance, Failure> {
    Importance::parse(word).ok_or_else(|| {
        Failure::usage(format!("`{word}` is no importance"), "use low, medium, high or critical")
    })
}

fn status(word: &str) -> Result<Status, Failure> {
    Status::parse(word).ok_or_else(|| {
        Failure::usage(
            format!("`{word}` is no status"),
            "use active, pending, deprecated, superseded or rejected",
        )
    })
}
