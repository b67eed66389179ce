//! What a prompt waits for, counted in instructions: times change with the machine, these do not.
//!
//! The real program answers from a store of its own making under callgrind;
//! the count must not be a tenth above the recorded one. Counts depend on the
//! compiler, so its version is recorded beside, and under another one the
//! figure is only printed. `RAWKO_RECORD=1` writes a new record.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::sandbox::{Sandbox, which, workspace};

const RECORD: &str = "crates/rawko-cli/tests/it/instructions.txt";
const MEMORIES: usize = 400;
/// One that several memories answer, and one that none does.
const TASKS: [(&str, &str); 2] = [
    ("answered", "The checkout worker writes rows twice after a deploy, find out why"),
    ("silent", "Add a dark mode switch to the settings page"),
];

const AREAS: [&str; 7] = ["billing", "checkout", "login", "search", "upload", "export", "chat"];
const PARTS: [&str; 5] = ["retry queue", "session cache", "rate limiter", "worker", "event bus"];
const FAULTS: [&str; 6] = [
    "deadlocks under load",
    "returns stale data",
    "drops the last message",
    "panics on an empty list",
    "writes rows twice",
    "rounds cents wrongly",
];

fn memory(n: usize) -> String {
    let (area, part, fault) = (AREAS[n % 7], PARTS[n / 7 % 5], FAULTS[n / 35 % 6]);
    format!(
        "---\ntitle: \"{area} {part} {fault} ({n})\"\nwhenToUse: [\"{area}.*{part}|case-{n}\", \"When the {part} of {area} {fault}\"]\n\
         tags: [{area}]\nimportance: medium\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: developer\n---\n\n\
         The {part} in `src/{area}/file_{n}.rs` {fault}. See {} and {}. It came with release {}.{}.\n",
        AREAS[(n * 3 + 1) % 7],
        FAULTS[(n * 5 + 2) % 6],
        n % 9,
        n % 31,
    )
}

/// A store with an index that is newer than all its files.
fn indexed() -> Sandbox {
    let sandbox = Sandbox::new();
    let old = SystemTime::now() - Duration::from_secs(600);
    for n in 0..MEMORIES {
        let path = format!(".rawko/memories/memory-{n}.md");
        sandbox.write(&path, memory(n));
        let file = fs::File::options().append(true).open(sandbox.project().join(path)).expect("it is there");
        file.set_modified(old).expect("a time is set");
    }
    let _ = sandbox.run("trust --yes").succeeds();
    // Nothing is read behind a search: what is counted would depend on how far that is.
    let sandbox = sandbox.with("RAWKO_HOOK", "off");
    let _ = sandbox.run("search anything").succeeds();
    // The folder itself was changed in the clock's last tick: a look at all files, noted for the next.
    let _ = sandbox.run("search anything").succeeds();
    sandbox
}

fn count(sandbox: &Sandbox, valgrind: &std::path::Path, task: &str) -> u64 {
    let mut command = sandbox.command(valgrind);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(sandbox.program());
    command.args(["inject", "--no-receipt", "--task", task]);
    let said = command.output().expect("valgrind runs");
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let counted = said.lines().find_map(|line| line.split("Collected : ").nth(1));
    counted.and_then(|number| number.trim().parse().ok()).unwrap_or_else(|| panic!("no count in {said}"))
}

#[test]
fn the_hot_path_costs_what_was_recorded() {
    let Some(valgrind) = which("valgrind") else {
        return eprintln!("SKIPPED the count of instructions: valgrind is not installed");
    };
    let version = Command::new("rustc").arg("-V").output().map(|said| said.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    let sandbox = indexed();
    let mut now = format!("{version}\n");
    for (by, kind) in [("", "table"), (" by the encoder", "built-in")] {
        let settings = format!("[embedding]\nkind = \"{kind}\"\n");
        fs::write(sandbox.scratch().join("home/config.toml"), settings).expect("settings");
        if kind == "built-in" {
            let _ = sandbox.run("index --embed").succeeds();
        }
        for (name, task) in TASKS {
            let _ = writeln!(now, "{name}{by} {}", count(&sandbox, &valgrind, task));
        }
    }
    let path = workspace().join(RECORD);
    if std::env::var_os("RAWKO_RECORD").is_some() {
        return fs::write(path, now).expect("the record is written");
    }
    let record = fs::read_to_string(path).expect("a record");
    if record.lines().next() != Some(&version) {
        return eprintln!("SKIPPED the comparison: recorded\n{record}and counted\n{now}");
    }
    let number = |line: &str| line.split(' ').next_back().and_then(|word| word.parse::<u64>().ok());
    for (was, is) in record.lines().zip(now.lines()).skip(1) {
        let (Some(was_count), Some(count)) = (number(was), number(is)) else { panic!("{was} / {is}") };
        assert!(count * 10 <= was_count * 11, "{is} instructions, and {was} were recorded");
    }
}
