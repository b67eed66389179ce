//! Git is safe: branches merge with every entry readable, conflicts reach no agent, derived files stay out.

use std::fs;
use std::path::Path;

use crate::crash::Dice;
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
    let count = 500;
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

/// One branch's entries, with bodies and fields that other entries share in part or in whole.
fn branch(dice: &mut Dice, side: usize) -> Vec<String> {
    let lines = ["The same line.", "", "```", "code", "```", "---", "Another line.", "- item", "x"];
    let entry = |n: usize, dice: &mut Dice| {
        let mut body: Vec<&str> = (0..dice.below(7)).map(|_| lines[dice.below(lines.len())]).collect();
        let own = format!("Word {n} of {side}.");
        if dice.below(3) > 0 {
            body.insert(dice.below(body.len() + 1), &own);
        }
        let importance = ["low", "high"][dice.below(2)];
        let text = memory("Shared", "").replace("high", importance);
        // As rawko writes it: no two entries of two branches have the same thousandth.
        let time = format!("10:30:{:02}.{:03}Z", dice.below(3), 1 + side * 500 + n);
        let mut entry = rawko::core::parse(&text.replace("10:30:00Z", &time)).entries.remove(0).entry;
        entry.body = body.join("\n");
        entry.to_text()
    };
    (0..1 + dice.below(4)).map(|n| entry(n, dice)).collect()
}

/// What git's own union makes of two branches that rawko wrote, in a clone where rawko never told it otherwise.
#[test]
fn git_weave_is_never_silent() {
    let Some(program) = which("git") else { return eprintln!("skipped: there is no git on this machine") };
    let sandbox = Sandbox::empty();
    let (mut dice, mut woven) = (Dice(7), 0);
    let rounds = if full() { 5_000 } else { 400 };
    for round in 0..rounds {
        let base = memory("Shared", "The base.");
        let sides = [branch(&mut dice, 0), branch(&mut dice, 1)];
        let file =
            |side: &[String]| side.iter().fold(base.clone(), |file, text| format!("{file}\n---\n\n{text}"));
        sandbox.write("base", &base);
        sandbox.write("ours", file(&sides[0]));
        sandbox.write("theirs", file(&sides[1]));
        let merged = |words: &[&str]| {
            let mut command = sandbox.command(&program);
            command.arg("merge-file").args(words).args(["--union", "-p", "ours", "base", "theirs"]);
            String::from_utf8(command.output().expect("git runs").stdout).expect("text")
        };
        let texts: Vec<String> = std::iter::once(&base).chain(sides.iter().flatten()).cloned().collect();
        let whole = |text: &str| {
            let found: Vec<String> =
                rawko::core::parse(text).entries.into_iter().map(|found| found.text).collect();
            texts.iter().all(|text| found.iter().any(|found| found.trim_end() == text.trim_end()))
                && found.iter().all(|found| texts.iter().any(|text| found.trim_end() == text.trim_end()))
        };
        let told = merged(&["--diff3"]);
        assert!(whole(&told), "round {round}: told by rawko, git keeps all entries whole:\n{told}");
        let plain = merged(&[]);
        if !whole(&plain) {
            woven += 1;
            let said = rawko::check_file(&plain, None, jiff::Timestamp::MAX);
            let seen = said.iter().any(|problem| problem.remedy.contains("rawko init"));
            assert!(seen, "round {round}: mixed, and nothing is said of it:\n{plain}\n{said:?}");
        }
    }
    assert!(woven > rounds / 10, "git wove only {woven} of {rounds}: this test shows nothing");
    println!("git_weave_is_never_silent: {woven} of {rounds} merges woven by git's own union, each one seen");
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
    let _ = sandbox.run("validate").succeeds().says("weave entries of two branches").says("rawko init");
    let _ = sandbox.run("init").succeeds().says("Told git");
    assert_eq!(fs::read_to_string(&config).expect("settings"), told);
    let _ = sandbox.run("init").succeeds().says("Nothing to do");
    assert!(!sandbox.run("doctor").out.contains("weave"));
}

#[test]
fn git_is_told_in_a_worktree_and_in_a_submodule() {
    let Some(sandbox) = repository() else { return };
    sandbox.write("readme", "x");
    commit(&sandbox, "base");
    let told = |config: &str| String::from_utf8(sandbox.read(config)).expect("text").contains("merge-file");
    let _ = git(&sandbox, &["worktree", "add", "-q", "-b", "left", "../beside"]);
    let _ = sandbox.run("init -C ../beside").succeeds().says("Told git, in <scratch>/project/.git/config");
    assert!(told(".git/config"));
    let _ = sandbox.run("init -C ../beside").succeeds().says("Nothing to do");
    let said = sandbox.run("doctor -C ../beside").out + &sandbox.run("validate -C ../beside").out;
    assert!(!said.contains("git"), "{said}");
    let other = repository().expect("git is here");
    other.write("readme", "x");
    commit(&other, "base");
    let from = other.project().display().to_string();
    let _ =
        git(&sandbox, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "part"]);
    assert!(sandbox.project().join("part/.git").is_file());
    let _ = sandbox.run("init -C part").succeeds().says("Told git");
    assert!(told(".git/modules/part/config"));
}

#[test]
fn a_git_file_that_leads_astray_is_not_followed_and_that_is_said() {
    let sandbox = Sandbox::empty();
    // A folder with settings of its own, which nobody's git made a worktree of this project.
    fs::create_dir_all(sandbox.scratch().join("other/objects")).expect("folders");
    fs::create_dir_all(sandbox.scratch().join("other/refs")).expect("folders");
    fs::write(sandbox.scratch().join("other/HEAD"), "ref: refs/heads/main\n").expect("written");
    fs::write(sandbox.scratch().join("other/config"), "[theirs]\n").expect("written");
    // One that points back here, and says that its settings are somebody else's.
    fs::create_dir_all(sandbox.scratch().join("liar")).expect("a folder");
    let dot = sandbox.project().join(".git").canonicalize().unwrap_or(sandbox.project().join(".git"));
    fs::write(sandbox.scratch().join("liar/gitdir"), format!("{}\n", dot.display())).expect("written");
    fs::write(sandbox.scratch().join("liar/commondir"), "../other\n").expect("written");
    for leads in ["gitdir: ../other\n", "gitdir: ../liar\n", "gitdir: ../nowhere\n", "no such word\n"] {
        sandbox.write(".git", leads);
        let advice = "git config merge.union.driver";
        let _ = sandbox.run("init").succeeds().says("Git could not be told").says(advice);
        let _ = sandbox.run("validate").succeeds().says("git").says(advice);
        let _ = sandbox.run("doctor").succeeds().says("note project git").says(advice);
        assert_eq!(sandbox.run("init --json").json()["toldGit"], false);
        let theirs = fs::read(sandbox.scratch().join("other/config")).expect("read");
        assert_eq!(theirs, b"[theirs]\n", "{leads}");
    }
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
    for name in [
        "sessions/a/context.yaml",
        "log/usage-2026-01.jsonl",
        "cache/index",
        "repaired/1-x.md",
        "spool/1.entries",
    ] {
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
