//! Candidates judged by what the index has of them are judged as their files would have it.

use std::fs;
use std::time::{Duration, SystemTime};

use rawko::core::EntryId;
use rawko::{Injection, TaskContext, Whose, Wish};

use crate::rig::Rig;

const AREAS: [&str; 5] = ["billing", "checkout", "login", "search", "upload"];
const PARTS: [&str; 4] = ["retry queue", "session cache", "rate limiter", "worker"];
const FAULTS: [&str; 6] = [
    "deadlocks under load",
    "returns stale data",
    "drops the last message",
    "panics on an empty list",
    "writes rows twice",
    "rounds cents wrongly",
];
const TASKS: [&str; 5] = [
    "The checkout worker writes rows twice after a deploy, find out why",
    "Users say that the login session cache returns stale data",
    "billing retry queue",
    "Add a dark mode switch to the settings page",
    "run cargo test for src/upload/file_3.rs",
];

/// A memory with every kind of field that a verdict may hang on.
fn memory(n: usize) -> String {
    let (area, part, fault) = (AREAS[n % 5], PARTS[n / 5 % 4], FAULTS[n / 7 % 6]);
    let importance = ["low", "medium", "high", "critical"][n % 4];
    let mut more = String::new();
    match n % 11 {
        0 => more.push_str("status: pending\n"),
        1 => more.push_str("kind: procedure\n"),
        2 => more.push_str("trust: imported\n"),
        3 => more.push_str(&format!("supersedes: [memory-{}]\n", n + 20)),
        4 => more.push_str("evidence: [{file: src/queue.rs, quote: \"fn enqueue_job\"}]\n"),
        5 => more.push_str(&format!("relatedMemories: [memory-{}]\n", n.saturating_sub(20))),
        6 => more.push_str("status: deprecated\n"),
        _ => {}
    }
    let opening = match n % 13 {
        0 => "The earlier note was wrong. ",
        1 => "<!-- hidden --> ",
        _ => "",
    };
    let text = format!(
        "---\ntitle: \"{area} {part} {fault} ({n})\"\nwhenToUse: [\"{area}.*{part}\", \"When the {part} of {area} {fault}\", \
         {{path: \"src/{area}/**\"}}]\ntags: [{area}]\nimportance: {importance}\ndiscoveredAt: 2026-01-{:02}T00:00:00Z\n\
         discoveredBy: developer\n{more}---\n\n{opening}The {part} in `src/{area}/file_{n}.rs` {fault}.\n",
        1 + n % 28,
    );
    // Some have a second entry, and so no sketch.
    if n.is_multiple_of(17) {
        format!("{text}{}{text}", rawko::core::SEPARATOR).replacen("wrong", "right", 1)
    } else {
        text
    }
}

/// A store of so many memories, two thirds of them approved.
fn rig(count: usize) -> Rig {
    let rig = Rig::new();
    let mut ids: Vec<EntryId> = Vec::new();
    for n in 0..count {
        rig.file(&format!(".rawko/memories/memory-{n}.md"), &memory(n));
        let path = rig.project().join(format!(".rawko/memories/memory-{n}.md"));
        let file = fs::File::options().append(true).open(path).expect("it is there");
        file.set_modified(SystemTime::now() - Duration::from_secs(600)).expect("a time is set");
    }
    let engine = rig.engine();
    for found in engine.list(&rawko::Filter::default()).expect("a list").memories {
        let approved = !found.memory.slug.as_str().ends_with(['2', '5', '8']);
        ids.extend(found.memory.entries.iter().filter(|_| approved).map(|known| known.id));
    }
    engine.store(Whose::Project).expect("a store").approve(&ids).expect("approved");
    rig
}

fn ask(rig: &Rig, task: &str) -> Injection {
    let task = TaskContext {
        agent: "developer".to_owned(),
        files: if task.contains("src/") { vec!["src/upload/file_3.rs".to_owned()] } else { Vec::new() },
        ..TaskContext::of(task)
    };
    rig.engine().inject(&task, &Wish::default()).expect("an injection")
}

/// All that is said of an injection, in a form that can be compared.
fn said(injection: &Injection) -> Vec<String> {
    let line = |considered: &rawko::Considered| considered.json().to_string();
    injection.considered.iter().map(line).chain([injection.block.clone()]).collect()
}

#[test]
fn a_verdict_by_the_index_is_the_verdict_by_the_files() {
    let rig = rig(240);
    let index = rig.project().join(".rawko/cache/index");
    let by_files: Vec<Vec<String>> = TASKS.iter().map(|task| said(&ask(&rig, task))).collect();
    assert!(!index.exists() && by_files.iter().any(|said| !said.last().expect("a block").is_empty()));
    rig.engine().rebuild(Whose::Project, &mut |_, _| {}).expect("an index");
    for (task, by_files) in TASKS.iter().zip(by_files) {
        assert_eq!(said(&ask(&rig, task)), by_files, "{task}");
    }
    assert!(index.exists());
}

#[test]
fn what_is_shown_is_what_the_file_says_now() {
    let rig = rig(60);
    rig.engine().rebuild(Whose::Project, &mut |_, _| {}).expect("an index");
    let before = ask(&rig, TASKS[0]);
    let shown = before.considered.iter().find(|one| one.is_shown()).expect("something is shown");
    let path = rig.project().join(format!(".rawko/memories/{}.md", shown.judged.slug));
    let meta = fs::metadata(&path).expect("it is there");
    let text = fs::read_to_string(&path).expect("a text");
    // As long as before and of the same time: nothing but the text tells.
    fs::write(&path, text.replace("The ", "XXX ")).expect("written");
    let file = fs::File::options().append(true).open(&path).expect("it is there");
    file.set_modified(meta.modified().expect("a time")).expect("a time is set");
    let after = ask(&rig, TASKS[0]);
    assert!(!after.block.contains("XXX"), "nobody approved that text: {}", after.block);
    assert!(!after.considered.iter().any(|one| one.is_shown() && one.judged.slug == shown.judged.slug));
}
