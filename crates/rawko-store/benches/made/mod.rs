//! What the benchmarks have in common: memories like those of a project, tasks, and a program that does nothing.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const AREAS: [&str; 12] = [
    "billing",
    "checkout",
    "login",
    "search",
    "upload",
    "telemetry",
    "inventory",
    "calendar",
    "permissions",
    "export",
    "sync",
    "chat",
];
const PARTS: [&str; 10] = [
    "retry queue",
    "session cache",
    "rate limiter",
    "webhook handler",
    "migration runner",
    "config loader",
    "worker",
    "client",
    "event bus",
    "fixture",
];
const FAULTS: [&str; 12] = [
    "deadlocks under load",
    "leaks memory",
    "returns stale data",
    "fails only in CI",
    "drops the last message",
    "times out after 30 seconds",
    "panics on an empty list",
    "writes rows twice",
    "rejects valid names",
    "is an hour off in spring",
    "rounds cents wrongly",
    "loses its connection at night",
];

/// What is asked: the second is answered by no memory.
pub(crate) const TASKS: [&str; 4] = [
    "The checkout webhook handler writes rows twice after a deploy, find out why",
    "Add a dark mode switch to the settings page",
    "Users say search returns stale data when the session cache is warm",
    "Refactor the login rate limiter so that it can be tested",
];

/// One of many memories, each about another place.
fn memory(n: usize) -> String {
    let (area, part, fault) = (AREAS[n % 12], PARTS[n / 12 % 10], FAULTS[n / 120 % 12]);
    let more: String = (0..8)
        .map(|k| format!("See {} and {}. ", AREAS[(n * 7 + k) % 12], FAULTS[(n * 3 + k * 5) % 12]))
        .collect();
    format!(
        "---\ntitle: \"{area} {part} {fault} (case {n})\"\nwhenToUse: [\"{area} {part}\", \"When the {part} of {area} {fault}\"]\n\
         tags: [{area}]\nimportance: medium\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: developer\n---\n\n# Case {n}\n\n\
         The {part} in `src/{area}/file_{n}.rs` {fault}. {more}\n"
    )
}

/// Writes so many memories into a folder, a minute old: files of the clock's last tick count as newer than any index.
pub(crate) fn memories(folder: &Path, count: usize) {
    fs::create_dir_all(folder).expect("a folder is made");
    let old = SystemTime::now() - Duration::from_secs(60);
    for n in 0..count {
        progress("writing", n, count);
        let mut file = fs::File::create(folder.join(format!("memory-{n}.md"))).expect("a memory is made");
        file.write_all(memory(n).as_bytes()).expect("a memory is written");
        file.set_modified(old).expect("a time is set");
    }
}

/// A line now and then while something large is made.
pub(crate) fn progress(what: &str, done: usize, all: usize) {
    if all >= 100_000 && done.is_multiple_of((all / 20).next_multiple_of(1024)) {
        eprintln!("    {what}: {done} of {all}");
    }
}

/// An empty Rust program: what starting a process costs here.
pub(crate) fn does_nothing(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("nothing.rs"), folder.join("nothing"));
    fs::write(&source, "fn main() {}\n").expect("written");
    let built = Command::new("rustc").args(["-O", "-o"]).arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|status| status.success()), "rustc is needed to build an empty program");
    program
}

/// Times that were measured in turns.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
        self.0.sort();
    }

    pub(crate) fn least(&self) -> Duration {
        self.0.first().copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.at(50)
    }

    /// What so many of a hundred do not exceed.
    pub(crate) fn at(&self, percent: usize) -> Duration {
        self.0.get(self.0.len() * percent / 100).copied().unwrap_or_default()
    }
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
