//! No input crashes or hangs: every corpus file as a memory, a settings file, a spool record, on standard input.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sandbox::{Said, Sandbox, corpus, full, memory};

/// The corpus files, or every seventh of them in short runs.
fn files() -> Vec<PathBuf> {
    let Some(root) = corpus("") else { return Vec::new() };
    let (mut all, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { all.push(entry.path()) }
        }
    }
    all.sort();
    all.into_iter().step_by(if full() { 1 } else { 7 }).collect()
}

fn sane(said: &Said, started: Instant, what: &Path) {
    assert!((0..=2).contains(&said.code), "{}: {}", what.display(), said.text());
    assert!(!said.err.contains("panicked"), "{}: {}", what.display(), said.err);
    // Far above what it takes: this is about hanging.
    assert!(started.elapsed() < Duration::from_secs(20), "{} took too long", what.display());
}

#[test]
fn any_bytes_in_any_file_of_a_store() {
    let sandbox = Sandbox::new().memory("good", memory("Good", "x"));
    for path in files() {
        let bytes = fs::read(&path).expect("a corpus file");
        sandbox.write(".rawko/memories/odd.md", &bytes);
        sandbox.write(".rawko/config.toml", &bytes[..bytes.len().min(50_000)]);
        sandbox.write(".rawko/spool/odd.entries", &bytes);
        sandbox.write(".rawko/agents/odd.md", &bytes);
        for words in ["validate --json", "doctor", "show odd"] {
            let started = Instant::now();
            sane(&sandbox.run(words), started, &path);
        }
        let listed = sandbox.run("list");
        assert!(
            listed.out.contains("good") || listed.err.contains("has format"),
            "{}: {}",
            path.display(),
            listed.text()
        );
    }
}

#[test]
fn any_bytes_on_standard_input() {
    for path in files() {
        let sandbox = Sandbox::new();
        let bytes = fs::read(&path).expect("a corpus file");
        let started = Instant::now();
        sane(&sandbox.feed("add", &bytes), started, &path);
        sane(&sandbox.feed("add --title Bytes --content -", &bytes), started, &path);
        let _ = sandbox.run("validate --errors-only").succeeds();
    }
}

#[test]
fn huge_files_are_reported_and_not_read() {
    let sandbox = Sandbox::new().memory("good", memory("Good", "x"));
    for (slug, size) in [("huge", 4 << 30), ("large", 9 << 20)] {
        let file =
            fs::File::create(sandbox.project().join(format!(".rawko/memories/{slug}.md"))).expect("a file");
        file.set_len(size).expect("a hole");
    }
    let _ = sandbox.run("list").succeeds().says("good").says("2 problems");
    let _ = sandbox.run("validate").fails(1).says("huge.md:1:1: error: the file cannot be read");
    let _ = sandbox.run("validate .rawko/memories/huge.md").fails(1).says("the file cannot be read");
    let _ = sandbox.run("show huge").fails(1);
    let _ = sandbox.run("add --file .rawko/memories/huge.md").fails(1).says("split it");
}
