//! No input crashes or hangs: every corpus file as a memory, a settings file, a spool record, on standard input.

use std::fs;
use std::path::{Path, PathBuf};

use crate::rig::on_two_threads;
use crate::sandbox::{Said, Sandbox, corpus, full, memory};

/// The corpus files.
fn files() -> Vec<PathBuf> {
    let Some(root) = corpus("") else { return Vec::new() };
    let (mut all, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { all.push(entry.path()) }
        }
    }
    all.sort();
    all
}

/// Runs rawko with at most 256 MB of memory and 1 s of the processor; more of either ends it by a signal.
fn limited(sandbox: &Sandbox, words: &str, input: &[u8]) -> Said {
    let program = sandbox.program();
    let mut command = sandbox.command(Path::new("/bin/sh"));
    command.args(["-c", "ulimit -v 262144 && ulimit -t 1 && exec \"$@\"", "sh"]).arg(program);
    sandbox.run_command(command.args(words.split_whitespace()), input)
}

fn sane(said: &Said, what: &str) {
    assert!((0..=2).contains(&said.code), "{what}: {}", said.text());
    assert!(!said.err.contains("panicked"), "{what}: {}", said.err);
}

/// Texts that are cheap to write and could be dear to read.
fn shapes() -> Vec<(String, Vec<u8>)> {
    let large = if full() { 2_000_000 } else { 1 << 19 };
    let many = |part: &str, bytes: usize| part.repeat(bytes / part.len()).into_bytes();
    let front = "---\ntitle: x\nwhenToUse: x\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: x\n";
    let parts = [
        "---\n",
        "```\n",
        "~~~\n",
        "\0",
        "[",
        "{a: ",
        "- ",
        "a: b\n",
        "&a *a ",
        "\r",
        "\u{202e}",
        "\\---\n",
        "<<<<<<< x\n",
        "---\ntitle: x\n",
        "| ",
        "'",
        "# \n",
    ];
    let mut all = Vec::new();
    for part in parts {
        all.push((format!("{part:?} alone"), many(part, large)));
        let in_front = [front.as_bytes(), &many(part, 60 << 10), b"\n---\n\nx\n"].concat();
        all.push((format!("{part:?} among the fields"), in_front));
        all.push((
            format!("{part:?} as a body"),
            [front.as_bytes(), b"---\n\n", &many(part, large)].concat(),
        ));
    }
    let entry = format!("{front}---\n\nx\n\n---\n\n");
    all.push(("very many entries".to_owned(), many(&entry, large)));
    let triggers = format!(
        "{}whenToUse:\n{}---\n\nx\n",
        front.replace("whenToUse: x\n", ""),
        "  - (a|b)*c{9}.*d\n".repeat(3_000)
    );
    all.push(("very many triggers".to_owned(), triggers.into_bytes()));
    all
}

fn inputs() -> Vec<(String, Vec<u8>)> {
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a corpus file"));
    shapes().into_iter().chain(files().into_iter().map(read)).collect()
}

#[test]
fn any_bytes_in_any_file_of_a_store() {
    on_two_threads(&inputs(), |(name, bytes)| {
        let sandbox = Sandbox::new().memory("good", memory("Good", "x"));
        sandbox.write(".rawko/memories/odd.md", bytes);
        sandbox.write(".rawko/config.toml", &bytes[..bytes.len().min(50_000)]);
        sandbox.write(".rawko/spool/odd.entries", bytes);
        sandbox.write(".rawko/agents/odd.md", bytes);
        for words in ["validate --json", "doctor", "show odd", "inject --task odd", "search odd"] {
            sane(&limited(&sandbox, words, b""), &format!("{name}: {words}"));
        }
        let listed = limited(&sandbox, "list", b"");
        assert!(
            listed.out.contains("good") || listed.err.contains("has format"),
            "{name}: {}",
            listed.text()
        );
    });
}

#[test]
fn any_bytes_on_standard_input() {
    on_two_threads(&inputs(), |(name, bytes)| {
        let sandbox = Sandbox::new();
        sane(&limited(&sandbox, "add", bytes), name);
        sane(&limited(&sandbox, "add --title Bytes --content -", bytes), name);
        let _ = sandbox.run("validate --errors-only").fails(0);
    });
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
