//! G4: no command deletes, truncates or replaces a memory's file.

use std::fs;

use crate::rig::Rig;
use crate::trace::{self, Call};

/// Why a call must not be made below `memories/`, if it must not.
fn forbidden(call: &Call) -> Option<&'static str> {
    let target = call.strings().last().map(|path| String::from_utf8_lossy(path).into_owned());
    let hits = |path: &str| path.contains("/.rawko/memories/");
    let names_memory = call.paths().iter().any(|path| hits(path));
    match call.name.as_str() {
        "open" | "openat" if names_memory && call.args.contains("O_TRUNC") => Some("a truncating open"),
        "open" | "openat"
            if names_memory && call.args.contains("O_WRONLY") && !call.args.contains("O_APPEND") =>
        {
            Some("an open that can overwrite")
        }
        "creat" | "truncate" | "ftruncate" | "fallocate" if names_memory => Some("a truncation"),
        name if name.starts_with("rename") && names_memory => Some("a rename"),
        name if name.starts_with("unlink") && target.is_some_and(|path| hits(&path)) => Some("a removal"),
        _ => None,
    }
}

#[test]
fn append_only() {
    if !trace::is_possible() {
        return;
    }
    let rig = Rig::bare();
    let mut calls = 0;
    let mut writes = 0;
    let mut run = |args: &[&str]| {
        let (ran, trace) = rig.traced(args, None);
        assert!(ran.code.is_some(), "{args:?}: {ran:?}");
        if let Some((call, why)) = trace.iter().find_map(|call| Some((call, forbidden(call)?))) {
            panic!("{args:?}: {why} below memories/: {}({})", call.name, call.args);
        }
        calls += trace.len();
        writes += trace.iter().filter(|call| call.changes() && call.is_below("/memories/")).count();
    };
    run(&["init"]);
    for (title, body) in [("Alpha", "# One\n\nx"), ("Alpha", "# Two\n\ny"), ("ALPHA", "# Three\n\nz")] {
        run(&["add", "--title", title, "--content", body]);
    }
    rig.add_loose("Alpha", "# Loose\n\nx");
    run(&["add", "--title", "Alpha", "--content", "# Four\n\nx", "--supersedes", "alpha-2"]);
    run(&["add", "--title", "Alpha", "--content", "# Four\n\nx"]);
    run(&["add", "--personal", "--title", "Mine", "--content", "# Mine\n\nx"]);
    rig.add_loose("Alpha", "# Loose once more\n\nx");
    fs::write(rig.memory("torn"), "---\ntitle: cut o").expect("a damaged memory is written");
    for reading in
        [&["list", "--json"][..], &["show", "alpha"], &["show", "alpha", "--raw"], &["validate"], &["doctor"]]
    {
        run(reading);
    }
    run(&["search", "alpha"]);
    run(&["inject", "--task", "alpha"]);
    run(&["why"]);
    run(&["why-not", "alpha", "--task", "alpha"]);
    run(&["trust", "--yes"]);
    run(&["trust", "--revoke"]);
    run(&["demo"]);
    run(&["schema"]);
    run(&["completions", "bash"]);
    assert!(writes > 4, "the trace sees how memories are written");
    println!(
        "append_only: {calls} system calls, {writes} that write below memories/, none of them takes away"
    );
}
