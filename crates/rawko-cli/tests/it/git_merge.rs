//! Git is safe: branches merge with every entry readable, conflicts reach no agent, derived files stay out.

use std::fs;
use std::path::Path;

use crate::sandbox::{Said, Sandbox, full, memory, which};

fn git(sandbox: &Sandbox, words: &[&str]) -> Option<String> {
    let mut command = sandbox.command(&which("git")?);
    command.args([
        "-c",
        "user.name=ada",
        "-c",
        "user.email=ada@example.invalid",
        "-c",
        "init.defaultBranch=main",
    ]);
    let output =
        command.args(words).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output();
    let output = output.expect("git runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "git {words:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

/// A repository with a store; `None`, loudly, where there is no git.
fn repository() -> Option<Sandbox> {
    let sandbox = Sandbox::empty();
    if git(&sandbox, &["init", "-q"]).is_none() {
        eprintln!("skipped: there is no git on this machine");
        return None;
    }
    Some(sandbox)
}

fn add(sandbox: &Sandbox, title: &str, content: &str) -> Said {
    sandbox.run_words(&["add", "--when=deploy", "--title", title, "--content", content], b"").succeeds()
}

fn commit(sandbox: &Sandbox, message: &str) {
    let _ = git(sandbox, &["add", "-A"]);
    let _ = git(sandbox, &["commit", "-qm", message]);
}

/// Appends `count` entries: two thirds to memories that both branches know, one third to new ones.
fn work(sandbox: &Sandbox, branch: &str, count: usize) {
    for n in 0..count {
        let title = match n % 3 {
            0 => format!("Only in {branch} {n}"),
            1 => "Shared one".to_owned(),
            _ => "Both make it".to_owned(),
        };
        let _ = add(
            sandbox,
            &title,
            &format!(
                "The same first line.\n\n```\nsame\ncode\nin\nboth\n```\n\nWord {n} of {branch}.\n\nThe same last line."
            ),
        );
    }
    commit(sandbox, branch);
}

#[test]
fn git_merge() {
    let Some(sandbox) = repository() else { return };
    let _ = sandbox
        .run("init")
        .succeeds()
        .says("Told git, in .git/config, to keep entries whole when it merges.");
    let _ = add(&sandbox, "Shared one", "The base.");
    commit(&sandbox, "base");
    let count = if full() { 500 } else { 50 };
    let _ = git(&sandbox, &["checkout", "-qb", "left"]);
    work(&sandbox, "left", count);
    let _ = git(&sandbox, &["checkout", "-q", "main"]);
    work(&sandbox, "right", count);
    let _ = git(&sandbox, &["merge", "-q", "--no-edit", "left"]);
    let _ = sandbox.run("validate --errors-only").succeeds();
    let listed = sandbox.run("list --json").succeeds().json();
    let memories = listed["memories"].as_array().expect("a list");
    assert_eq!(
        memories.iter().filter_map(|memory| memory["entries"].as_u64()).sum::<u64>(),
        2 * count as u64 + 1
    );
    // Each entry is the very text that was written: what this person wrote is still known as theirs.
    assert!(memories.iter().all(|memory| memory["trust"] == "human"), "{listed}");
}

#[test]
fn git_merge_in_a_clone_that_was_not_told_is_noted_and_can_be_told() {
    let Some(sandbox) = repository() else { return };
    let _ = sandbox.run("init").succeeds();
    let config = sandbox.project().join(".git/config");
    let told = fs::read_to_string(&config).expect("settings");
    let (before, _) = told.split_once("[merge").expect("a section");
    fs::write(&config, before).expect("as a clone has it");
    let _ =
        sandbox.run("doctor").succeeds().says("weave entries of two branches into one").says("rawko init");
    let _ = sandbox.run("init").succeeds().says("Told git");
    assert_eq!(fs::read_to_string(&config).expect("settings"), told);
    let _ = sandbox.run("init").succeeds().says("Nothing to do");
    assert!(!sandbox.run("doctor").out.contains("weave"));
}

#[test]
fn conflict_markers_are_reported_and_never_injectable() {
    let body = "<<<<<<< HEAD\nfrom main\n=======\nfrom a branch\n>>>>>>> topic";
    let sandbox = Sandbox::new().memory("in-body", memory("In body", body)).memory(
        "in-fields",
        memory("In fields", "x").replace(
            "importance: high",
            "<<<<<<< HEAD\nimportance: high\n=======\nimportance: low\n>>>>>>> topic",
        ),
    );
    let said = sandbox.run("validate").fails(1).text();
    assert!(
        said.contains("in-body.md:9:1: warning: a merge conflict")
            && said.contains("in-fields.md:4:1: error"),
        "{said}"
    );
    // Not even a person's word lets an unresolved conflict through.
    let _ = sandbox.run("trust --yes").succeeds();
    assert_eq!(sandbox.run("show in-body --json").json()["injectable"], false);
    let _ = sandbox.run("show in-fields").fails(1);
}

#[test]
fn git_ignore_first() {
    let Some(sandbox) = repository() else { return };
    let untracked =
        |sandbox: &Sandbox| git(sandbox, &["status", "--porcelain", "-uall"]).expect("git is here");
    // Not even an `init`: the first write brings what git needs.
    fs::create_dir(sandbox.project().join(".rawko")).expect("a bare store");
    let _ = add(&sandbox, "Deploy", "x");
    let _ = add(&sandbox, "Deploy", "y");
    for name in ["sessions/a/context.yaml", "log/usage-2026-01.jsonl", "cache/index", "spool/1.entries"] {
        sandbox.write(&format!(".rawko/{name}"), "derived");
    }
    assert_eq!(
        untracked(&sandbox),
        "?? .rawko/.gitattributes\n?? .rawko/.gitignore\n?? .rawko/memories/deploy.md\n"
    );
    fs::remove_file(sandbox.project().join(".rawko/spool/1.entries")).expect("removed");
    commit(&sandbox, "memories");
    let clone = Sandbox::empty();
    let from = sandbox.project().display().to_string();
    let _ = git(&clone, &["clone", "-q", &from, "."]);
    assert!(!clone.project().join(".rawko/spool").exists());
    let _ = add(&clone, "Deploy", "from the clone");
    let _ = clone.run("doctor").succeeds();
    assert_eq!(untracked(&clone), " M .rawko/memories/deploy.md\n");
    assert!(Path::new(&from).exists());
}
