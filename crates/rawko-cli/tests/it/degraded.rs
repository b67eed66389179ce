//! Works degraded: read-only, homeless, without locks, with a wrong clock; and retries do not double.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sandbox::{Said, Sandbox, memory, snapshot, which};

#[test]
fn degraded_read_only() {
    let sandbox = Sandbox::new();
    sandbox.by_table(true);
    let _ =
        sandbox.run("add --title 'Release from main' --when release --content 'Tag it first.'").succeeds();
    let sandbox = sandbox.memory("deploy", memory("Deploy", "# Deploy")).by_a_stranger();
    let _ = sandbox.program();
    let before = snapshot(&sandbox.project());
    let _ = sandbox.run("search 'release from main'").succeeds().says("release-from-main");
    for words in ["inject --task 'release from main'", "inject --no-receipt --task 'release from main'"] {
        let _ = sandbox.run(words).fails(0).says("Tag it first.");
    }
    for words in ["list", "list --json", "show deploy", "show deploy --history", "validate", "trust --list"] {
        let _ = sandbox.run(words).succeeds();
    }
    let _ = sandbox
        .run("add --title New --content x")
        .fails(1)
        .says("Permission denied")
        .says("hint: check who owns");
    assert_eq!(snapshot(&sandbox.project()), before);
    fs::set_permissions(sandbox.project().join(".rawko/memories"), fs::Permissions::from_mode(0o700))
        .expect("locked");
    let _ = sandbox.run("list").fails(1).says("cannot list");
}

#[test]
fn lock_refused() {
    let (Some(strace), true) = (which("strace"), cfg!(target_os = "linux")) else {
        return eprintln!("skipped: there is no strace on this machine");
    };
    let sandbox = Sandbox::new();
    let add = ["add", "--title", "Release from main", "--when", "release", "--content"];
    let _ = sandbox.run_words(&[&add[..], &["Tag it first."]].concat(), b"").succeeds();
    let refused = |words: &[&str]| -> Said {
        let mut command = sandbox.command(&strace);
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=flock",
            "-e",
            "inject=flock:error=ENOLCK",
        ]);
        sandbox.run_command(command.arg(sandbox.program()).args(words), b"")
    };
    // An entry of a file that is there would need the lock: it is kept, and found.
    let _ = refused(&[&add[..], &["Sign it, too."]].concat()).succeeds().says("Saved an entry");
    let _ = refused(&["add", "--title", "Another", "--content", "New."]).succeeds().says("Saved another");
    let _ = refused(&["show", "release-from-main"]).succeeds().says("Sign it, too.");
    let _ = refused(&["search", "release from main"]).succeeds().says("release-from-main");
    for words in [&["inject", "--task", "release"][..], &["inject", "--no-receipt", "--task", "release"]] {
        let _ = refused(words).succeeds().says("Tag it first.");
    }
    let _ = refused(&["doctor"]).fails(1).says("bad  project spool").says("can lock files");
    // Where locks work again, whoever comes next finishes it.
    let _ = sandbox.run("doctor --repair").succeeds();
    let file = String::from_utf8(sandbox.read(".rawko/memories/release-from-main.md")).expect("text");
    assert!(file.contains("Tag it first.") && file.contains("Sign it, too."), "{file}");
}

#[test]
fn degraded_without_a_home() {
    let sandbox = Sandbox::new().memory("deploy", memory("Deploy", "# Deploy")).homeless();
    for words in [
        "list",
        "show deploy",
        "validate",
        "doctor",
        "add --title New --content x",
        "add --title New --content y",
    ] {
        let _ = sandbox.run(words).succeeds();
    }
    let _ = sandbox.run("doctor").says("there is no folder of yours to keep approvals in");
    let _ = sandbox.run("add --personal --title New --content x").fails(1);
    // A relative RAWKO_HOME would be another store in every folder: it counts as none.
    let sandbox = sandbox.with("RAWKO_HOME", "relative");
    let _ = sandbox.run("list").succeeds();
    assert!(!sandbox.project().join("relative").exists());
}

#[test]
fn clock_jumps() {
    let entry = |year: i32, body: &str| {
        memory("Clock", body).replace("2026-01-23T10:30:00Z", &format!("{year}-06-01T00:00:00Z"))
    };
    let years = [1970, 2199, 2026, 1999, 2100, 2026];
    let thread: Vec<String> =
        years.iter().enumerate().map(|(n, &year)| entry(year, &format!("entry {n} of {year}"))).collect();
    let sandbox = Sandbox::new().memory("clock", thread.join("\n---\n\n"));
    let history = sandbox.run("show clock --history --json").succeeds().json();
    let bodies: Vec<&str> = history["history"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["body"].as_str())
        .collect();
    // The times in the file order the entries, equal times keep the file's order, and this machine's clock has no say.
    assert_eq!(
        bodies,
        [
            "entry 0 of 1970",
            "entry 3 of 1999",
            "entry 2 of 2026",
            "entry 5 of 2026",
            "entry 4 of 2100",
            "entry 1 of 2199"
        ]
    );
    let _ = sandbox.run("list").succeeds().says("clock");
    let _ = sandbox.run("validate").succeeds();
    let _ = sandbox.run("add --title Clock --content now").succeeds().says("now 7 in all");
    assert_eq!(sandbox.run("show clock --json").json()["entries"], 7);
}

#[test]
fn idempotent() {
    let sandbox = Sandbox::new();
    let text = memory("Once", "# Once\n\nOnly once.");
    let _ = sandbox.feed("add", &text).succeeds().says("Saved once.");
    let bytes = sandbox.read(".rawko/memories/once.md");
    for again in [text.clone(), text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
        let _ = sandbox.feed("add", &again).succeeds().says("Nothing to do: once says exactly this already.");
    }
    assert_eq!(sandbox.read(".rawko/memories/once.md"), bytes);
    assert_eq!(sandbox.feed("add --json", &text).json()["place"], "already");
}
