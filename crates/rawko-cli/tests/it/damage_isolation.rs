//! One bad file never hides the good ones.

use std::fs;

use crate::sandbox::{Sandbox, corpus, full, json_lines, memory};

/// A store with so many good memories.
fn among(good: usize) -> Sandbox {
    (0..good).fold(Sandbox::new(), |sandbox, n| {
        sandbox.memory(&format!("good-{n}"), memory(&format!("Good {n}"), "# Good"))
    })
}

#[test]
fn damage_isolation_among_ten_thousand() {
    let sandbox = among(9_999).memory("damaged", memory("Odd", "x").replace("whenToUse", "\twhenToUse"));
    isolated(&sandbox, "a tab", "diagnose", 9_999);
}

#[test]
fn damage_isolation() {
    let Some(folder) = corpus("authored/frontmatter") else { return };
    let good = if full() { 9_999 } else { 499 };
    let sandbox = among(good);
    let not_text = serde_json::json!({ "file": "not UTF-8", "expect": "diagnose" });
    for case in json_lines("authored/frontmatter/manifest.jsonl").into_iter().chain([not_text]) {
        let (name, expect) =
            (case["file"].as_str().expect("a file"), case["expect"].as_str().expect("an outcome"));
        let bytes = match name {
            "not UTF-8" => [memory("Odd", "x").as_bytes(), b"\xff\xfe\n"].concat(),
            name => fs::read(folder.join(name)).expect("a damaged file"),
        };
        sandbox.write(".rawko/memories/damaged.md", &bytes);
        isolated(&sandbox, name, expect, good);
        assert_eq!(sandbox.read(".rawko/memories/damaged.md"), bytes, "{name} was changed");
    }
}

/// Runs every command over a store with one file that may be damaged.
fn isolated(sandbox: &Sandbox, name: &str, expect: &str, good: usize) {
    let listed = sandbox.run("list --json").succeeds().json();
    let memories = listed["memories"].as_array().expect("a list");
    let others = memories
        .iter()
        .filter(|memory| memory["slug"].as_str().is_some_and(|slug| slug.starts_with("good-")));
    assert_eq!(others.count(), good, "{name} hid others");
    let read = memories.iter().find(|memory| memory["slug"] == "damaged");
    let problems = sandbox.run("validate --json --errors-only").json();
    let problems = problems["problems"].as_array().expect("a list");
    match expect {
        "accept" | "accept-with-warning" | "accept-rendered-inert" | "quarantine" | "no-escalation" => {
            assert!(problems.is_empty() && read.is_some(), "{name}: {problems:?}");
        }
        "first-entry-kept" => assert!(!problems.is_empty() && read.is_some(), "{name}: {problems:?}"),
        _ => {
            assert!(!problems.is_empty() && read.is_none(), "{name} is not reported");
            let _ = sandbox.run("show damaged").fails(1);
            let _ = sandbox.run("doctor").fails(1).says("rawko validate");
        }
    }
    for problem in problems {
        assert_eq!(problem["file"], ".rawko/memories/damaged.md", "{name}");
        assert!(
            problem["line"].as_u64() > Some(0) && problem["column"].as_u64() > Some(0),
            "{name}: {problem}"
        );
        assert!(problem["remedy"].as_str().is_some_and(|remedy| remedy.len() > 8), "{name}: {problem}");
    }
    if let Some(read) = read {
        assert_eq!(read["injectable"], false, "{name}");
        let _ = sandbox.run("show damaged --history").succeeds();
    }
    let _ = sandbox.run("show good-7").succeeds();
    let _ = sandbox.run("trust --list").succeeds();
    let _ = sandbox.run("show damaged --raw").succeeds();
}

#[test]
fn a_title_whose_file_is_damaged_still_saves() {
    let sandbox = Sandbox::new().memory("deploy", "---\ntitle: [\n---\n");
    let _ = sandbox.run("add --title Deploy --content x").succeeds().says("Saved deploy-2.");
    assert_eq!(sandbox.read(".rawko/memories/deploy.md"), b"---\ntitle: [\n---\n");
}

#[test]
fn a_folder_that_cannot_be_listed_is_reported_and_hides_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new()
        .memory("good", memory("Good", "# Good"))
        .memory("locked/away", memory("Away", "x"))
        .by_a_stranger();
    let _ = sandbox.program();
    let locked = sandbox.project().join(".rawko/memories/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).expect("locked");
    let _ = sandbox.run("list").succeeds().says("good").says("1 problem");
    let _ = sandbox
        .run("validate --errors-only")
        .fails(1)
        .says("memories/locked:1:1: error: the folder cannot be listed");
}
