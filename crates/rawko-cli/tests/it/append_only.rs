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
            if names_memory
                && ["O_WRONLY", "O_RDWR"].iter().any(|flag| call.args.contains(flag))
                && !call.args.contains("O_APPEND") =>
        {
            Some("an open that can overwrite")
        }
        "creat" | "truncate" | "ftruncate" | "fallocate" if names_memory => Some("a truncation"),
        name if name.starts_with("rename") && names_memory => Some("a rename"),
        name if name.starts_with("unlink") && target.is_some_and(|path| hits(&path)) => Some("a removal"),
        _ => None,
    }
}

/// What a person or an agent does to memories that are there: nothing of it takes a byte away.
fn run_changes(rig: &Rig, run: &mut dyn FnMut(&[&str], &str)) {
    fs::remove_file(rig.memory("torn")).expect("the damaged memory is taken away");
    for title in ["Gamma", "Delta", "Epsilon"] {
        run(&["add", "--title", title, "--content", &format!("# {title}\n\nIt is kept.")], "");
    }
    run(&["trust", "--revoke"], "");
    run(&["review", "--list"], "");
    run(&["review", "--approve", "gamma"], "");
    run(&["undo"], "");
    run(&["trust", "--yes"], "");
    run(&["review", "--reject", "delta"], "");
    run(&["review", "--rate", "gamma", "critical"], "");
    run(&["review", "--edit", "gamma", "--content", "# Gamma\n\nSaid better."], "");
    run(&["undo"], "");
    run(&["review", "--supersede", "gamma", "epsilon"], "");
    run(&["review", "--merge", "alpha", "epsilon"], "");
    fs::write(rig.project().join("AGENTS.md"), "## Commands\n\nThe shop is tested by `make test`.\n")
        .expect("another tool's file");
    run(&["import", "AGENTS.md"], "");
    run(&["import", "AGENTS.md"], "");
    run(&["memory", "learn", "port", "8080"], "");
    run(&["memory", "learn", "port", "8081"], "");
    run(&["memory", "append", "procedural", "run the tests", "--condition", "before a merge"], "");
    run(&["memory", "append", "episodic", "the tests ran"], "");
    run(&["memory", "compact", "semantic", "--keep-last", "1"], "");
    run(&["memory", "clear", "--all", "--yes"], "");
    run(&["memory", "undo"], "");
    let calls = [
        r#"{"command":"create","path":"/memories/notes.txt","file_text":"one\ntwo\n"}"#,
        r#"{"command":"str_replace","path":"/memories/notes.txt","old_str":"two","new_str":"three"}"#,
        r#"{"command":"insert","path":"/memories/notes.txt","insert_line":0,"insert_text":"zero\n"}"#,
        r#"{"command":"rename","old_path":"/memories/notes.txt","new_path":"/memories/kept.txt"}"#,
        r#"{"command":"delete","path":"/memories/kept.txt"}"#,
    ];
    run(&["memory-tool"], &(calls.join("\n") + "\n"));
}

#[test]
fn append_only() {
    if !trace::is_possible() {
        return;
    }
    let rig = Rig::bare();
    let mut calls = 0;
    let mut writes = 0;
    let mut run = |args: &[&str], input: &str| {
        let (ran, trace) = rig.traced_fed(args, None, input);
        assert_eq!(
            ran.code,
            Some(i32::from(args == ["validate"] || args == ["doctor"])),
            "{args:?}: {ran:?}"
        );
        if let Some((call, why)) = trace.iter().find_map(|call| Some((call, forbidden(call)?))) {
            panic!("{args:?}: {why} below memories/: {}({})", call.name, call.args);
        }
        calls += trace.len();
        writes += trace.iter().filter(|call| call.changes() && call.is_below("/memories/")).count();
    };
    run(&["init"], "");
    for (title, body) in [("Alpha", "# One\n\nx"), ("Alpha", "# Two\n\ny"), ("ALPHA", "# Three\n\nz")] {
        run(&["add", "--title", title, "--content", body], "");
    }
    rig.add_loose("Alpha", "# Loose\n\nx");
    run(&["add", "--title", "Alpha", "--content", "# Four\n\nx", "--supersedes", "alpha-2"], "");
    run(&["add", "--title", "Alpha", "--content", "# Four\n\nx"], "");
    run(&["add", "--personal", "--title", "Mine", "--content", "# Mine\n\nx"], "");
    rig.add_loose("Alpha", "# Loose once more\n\nx");
    fs::write(rig.memory("torn"), "---\ntitle: cut o").expect("a damaged memory is written");
    for reading in
        [&["list", "--json"][..], &["show", "alpha"], &["show", "alpha", "--raw"], &["validate"], &["doctor"]]
    {
        run(reading, "");
    }
    run(&["search", "alpha"], "");
    run(&["inject", "--task", "alpha"], "");
    run(&["why"], "");
    run(&["why-not", "alpha", "--task", "alpha"], "");
    run(&["trust", "--yes"], "");
    run(&["trust", "--revoke"], "");
    run(&["demo"], "");
    run(&["schema"], "");
    run(&["completions", "bash"], "");
    run_changes(&rig, &mut run);
    // The one command that may take away, to see that it would be seen.
    let torn = fs::read_to_string(rig.memory("gamma")).expect("a memory") + "\n---\n\n---\ntitle: cut o";
    fs::write(rig.memory("gamma"), torn).expect("a torn tail");
    let (_, trace) = rig.traced(&["doctor", "--repair"], None);
    let seen: Vec<&str> = trace.iter().filter_map(forbidden).collect();
    assert_eq!(seen, ["an open that can overwrite", "a truncation"]);
    assert!(writes > 12, "the trace sees how memories are written: {writes}");
    println!(
        "append_only: {calls} system calls, {writes} that write below memories/, none of them takes away"
    );
}
