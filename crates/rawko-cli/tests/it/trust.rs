//! `rawko trust`

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory, which};

fn cloned() -> Sandbox {
    Sandbox::new()
        .memory("deploy", memory("Deploy", "# Deploy\n\nFrom main."))
        .file(".rawko/agents/reviewer.md", "---\nname: reviewer\n---\n\nReview.\n")
}

fn injectable(sandbox: &Sandbox) -> bool {
    sandbox.run("show deploy --json").succeeds().json()["injectable"] == true
}

#[test]
fn what_came_with_the_files_is_listed_and_approved() {
    let sandbox = cloned();
    assert!(!injectable(&sandbox));
    assert_snapshot!(sandbox.run("trust --list").text(), @"
    agents/reviewer.md  settings or agent  an agent of a repository does nothing before you approve it
    deploy  Deploy  1 entry by developer; this folder is new to rawko: it was cloned, or came from elsewhere
    2 texts wait, 0 are settled. `rawko trust --list <name>` or --full shows the texts.
    ");
    let _ = sandbox.run("trust --list deploy").succeeds().says("    From main.");
    assert_snapshot!(sandbox.run("trust --list --full").text(), @r#"
    agents/reviewer.md  settings or agent  an agent of a repository does nothing before you approve it
        ---
        name: reviewer
        ---

        Review.
    deploy  Deploy  this folder is new to rawko: it was cloned, or came from elsewhere
        ---
        title: "Deploy"
        whenToUse:
          - "deploy"
        importance: high
        discoveredAt: <time>
        discoveredBy: developer
        ---

        # Deploy

        From main.
    2 texts wait, 0 are settled. Nothing was changed.
    "#);
    let _ =
        sandbox.run("trust --yes").succeeds().says("Approved 2: exactly these texts may reach your agents.");
    assert!(injectable(&sandbox));
    assert_snapshot!(sandbox.run("trust").text(), @"Nothing waits: 1 entry is yours or approved.");
    let _ = sandbox.run("trust --revoke").succeeds().says("Took back 2 approvals");
    assert!(!injectable(&sandbox));
}

#[test]
fn nobody_to_ask_is_no_yes() {
    let sandbox = cloned();
    let _ = sandbox.feed("trust", "y\n").fails(2).says("nobody is here to ask");
    assert!(!injectable(&sandbox));
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let sandbox = cloned();
    let (screen, code) = sandbox.on_terminal(&["trust"], "n\n");
    assert!(
        screen.contains("Approve 2 texts as shown?") && screen.contains("Nothing was changed") && code == 0,
        "{screen}"
    );
    assert!(!injectable(&sandbox));
    let (screen, code) = sandbox.on_terminal(&["trust"], "y\n");
    assert!(screen.contains("Approved 2") && code == 0, "{screen}");
    assert!(injectable(&sandbox));
}

#[test]
fn the_rest_of_a_long_text_is_where_the_person_is_told() {
    let prompt = format!("---\nname: tester\n---\n\n{}", "Test.\n".repeat(30));
    let sandbox = Sandbox::new().file(".rawko/agents/tester.md", prompt);
    let said = sandbox.run("trust --list --full").succeeds().says("lines more: .rawko/agents/tester.md");
    assert!(!said.out.contains("rawko show"), "{}", said.out);
}

#[test]
fn a_person_approves_what_was_shown_and_no_more() {
    let sandbox = Sandbox::new();
    for n in 0..45 {
        let text = memory(&format!("Number {n}"), "x");
        sandbox.write(&format!(".rawko/memories/number-{n}.md"), text);
    }
    let (screen, code) = sandbox.on_terminal(&["trust"], "y\n");
    assert!(
        screen.contains("Approve 40 texts as shown?") && screen.contains("5 more wait") && code == 0,
        "{screen}"
    );
    assert_eq!(sandbox.run("trust --json").succeeds().json()["waiting"].as_array().map(Vec::len), Some(5));
    // A script has seen them all in the JSON.
    assert_eq!(sandbox.run("trust --yes --json").succeeds().json()["approved"], 5);
}

#[test]
fn an_agent_cannot_approve() {
    let sandbox = cloned().with("CLAUDECODE", "1");
    let _ = sandbox.run("trust --list").succeeds();
    let _ = sandbox.run("trust --yes").fails(1).says("an agent cannot approve");
    let (screen, code) = sandbox.on_terminal(&["trust"], "y\n");
    assert!(screen.contains("an agent cannot approve") && code == 1, "{screen}");
    assert!(!injectable(&sandbox));
    let sandbox = cloned().with("CLAUDECODE", "");
    let _ = sandbox.run("trust --yes").fails(1).says("an agent cannot approve");
    let sandbox = cloned().with("RAWKO_PERSON", "");
    let _ = sandbox.run("trust --yes").fails(1).says("nobody is here to ask");
    assert!(!injectable(&sandbox));
}

#[test]
fn approval_hash() {
    let sandbox = cloned();
    let _ = sandbox.run("trust --yes").succeeds();
    let approved = memory("Deploy", "# Deploy\n\nFrom main.");
    for changed in [
        approved.replace("main.", "prod."),
        approved.replace("title: Deploy", "title: Deploy "),
        approved.replace("whenToUse: deploy", "whenToUse: deploys"),
        approved.replace("high", "critical"),
        approved.replace("developer", "developer\nsupersedes: [x]"),
        approved.replace("main.", "main.\u{200b}"),
    ] {
        sandbox.write(".rawko/memories/deploy.md", &changed);
        assert!(!injectable(&sandbox), "{changed}");
        let _ = sandbox.run("trust --list").says("deploy  Deploy  1 entry by developer; it");
    }
    // The same words, as another checkout writes them, are the same text.
    sandbox.write(".rawko/memories/deploy.md", approved.replace('\n', "\r\n"));
    assert!(injectable(&sandbox));
    // The same words under another name are another memory.
    sandbox.write(".rawko/memories/other.md", &approved);
    assert_eq!(sandbox.run("show other --json").json()["injectable"], false);
}

#[test]
fn an_approval_of_one_project_is_none_for_another() {
    let sandbox = cloned();
    let _ = sandbox.run("trust --yes").succeeds();
    sandbox.write("other/.rawko/memories/deploy.md", sandbox.read(".rawko/memories/deploy.md"));
    assert_eq!(sandbox.run("show deploy --json -C other").json()["injectable"], false);
}

#[test]
fn without_a_home_there_is_nowhere_to_keep_a_word() {
    let _ = cloned()
        .homeless()
        .run("trust --yes")
        .fails(1)
        .says("there is no folder of yours to keep approvals in");
}

#[test]
fn json_lists_and_counts() {
    let sandbox = cloned();
    let json = sandbox.run("trust --json").succeeds().json();
    assert_eq!(json["waiting"][1]["slug"], "deploy");
    assert_eq!(sandbox.run("trust --yes --json").succeeds().json()["approved"], 2);
    assert_eq!(sandbox.run("trust --revoke --json").succeeds().json()["revoked"], 2);
}

#[test]
fn one_memory_can_be_approved_by_its_name() {
    let sandbox = cloned().memory("other", memory("Other", "x"));
    let _ = sandbox.run("trust nowhere --yes").fails(1).says("nothing named `nowhere` waits");
    let _ = sandbox.run("trust deploy --yes").succeeds().says("From main.").says("Approved 1");
    assert!(injectable(&sandbox));
    assert_eq!(sandbox.run("show other --json").json()["injectable"], false);
    let _ = sandbox.run("trust agents/reviewer.md --yes").succeeds().says("Approved 1");
}

#[test]
fn a_word_is_on_disk_before_it_is_said() {
    let sandbox = cloned();
    let words = ["trust", "--yes"];
    let Some((said, calls)) = sandbox.traced("fsync,write", &words) else { return };
    let _ = said.succeeds();
    let at = |part: &str| calls.iter().position(|call| call.contains(part)).unwrap_or(usize::MAX);
    let synced = calls.iter().rposition(|call| call.contains("fsync(") && call.contains("/home/trust/"));
    assert!(synced.is_some_and(|synced| synced < at("Approved")), "{calls:#?}");
    assert!(calls.iter().any(|call| call.contains("fsync(") && call.contains("/home/trust>")), "{calls:#?}");
}

#[test]
fn a_line_that_a_power_cut_tore_costs_no_other() {
    let sandbox = cloned();
    let _ = sandbox.run("trust agents/reviewer.md --yes").succeeds();
    let folder = std::fs::read_dir(sandbox.scratch().join("home/trust")).expect("a folder");
    let path = folder.flatten().next().expect("a record").path();
    let torn = std::fs::read_to_string(&path).expect("lines");
    std::fs::write(&path, &torn[..torn.len() - 9]).expect("torn");
    let _ = sandbox.run("trust deploy --yes").succeeds();
    assert!(injectable(&sandbox));
}

/// Runs git in a folder; `None`, loudly, where there is no git.
fn git(sandbox: &Sandbox, folder: &Path, words: &[&str]) -> Option<()> {
    let Some(program) = which("git") else {
        eprintln!("skipped: there is no git on this machine");
        return None;
    };
    let mut command = sandbox.command(&program);
    let settings = ["-c", "user.name=ada", "-c", "user.email=ada@example.invalid"];
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.arg("-C").arg(folder).args(settings).args(words).output().expect("git runs");
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// A repository whose one memory is this person's, with a worktree beside it.
fn with_worktree() -> Option<(Sandbox, PathBuf)> {
    let sandbox = Sandbox::empty();
    let (project, worktree) = (sandbox.project(), sandbox.scratch().join("worktree"));
    git(&sandbox, &project, &["init", "-q"])?;
    let _ = sandbox.run("init").succeeds();
    let _ = sandbox.run("add --title Deploy --when deploy --content 'From main.'").succeeds();
    git(&sandbox, &project, &["add", "-A"])?;
    git(&sandbox, &project, &["commit", "-qm", "one"])?;
    git(&sandbox, &project, &["worktree", "add", "-q", worktree.to_str().expect("a path")])?;
    Some((sandbox, worktree))
}

fn injectable_in(sandbox: &Sandbox, folder: &Path, slug: &str) -> bool {
    let words = ["show", slug, "--json", "-C", folder.to_str().expect("a path")];
    sandbox.run_words(&words, b"").succeeds().json()["injectable"] == true
}

#[test]
fn a_persons_word_holds_in_every_worktree_of_the_repository() {
    let Some((sandbox, worktree)) = with_worktree() else { return };
    assert!(injectable_in(&sandbox, &worktree, "deploy"));
    let add = ["add", "--title=There", "--when=x", "--content=Said there.", "-C"];
    let add = add.into_iter().chain(worktree.to_str()).collect::<Vec<_>>();
    let _ = sandbox.run_words(&add, b"").succeeds();
    let there = fs::read(worktree.join(".rawko/memories/there.md")).expect("written");
    sandbox.write(".rawko/memories/there.md", &there);
    assert!(injectable_in(&sandbox, &sandbox.project(), "there"));
    // Another text is another text, wherever it stands.
    let changed = String::from_utf8(there).expect("text").replace("Said there.", "Said elsewhere.");
    fs::write(worktree.join(".rawko/memories/there.md"), changed).expect("written");
    assert!(!injectable_in(&sandbox, &worktree, "there"));
}

#[test]
fn approval_hash_no_files_claim_to_be_a_worktree_of_another_repository() {
    let Some((sandbox, worktree)) = with_worktree() else { return };
    let memory = sandbox.read(".rawko/memories/deploy.md");
    let evil = sandbox.scratch().join("evil");
    fs::create_dir_all(evil.join(".rawko/memories")).expect("a store");
    fs::write(evil.join(".rawko/memories/deploy.md"), &memory).expect("a copy");
    let git = sandbox.project().join(".git");
    let names = |path: &Path| format!("gitdir: {}\n", path.display());
    let refused = |why: &str| assert!(!injectable_in(&sandbox, &evil, "deploy"), "{why}");
    for (why, named) in [
        ("the repository itself", git.clone()),
        ("the worktree's own folder", git.join("worktrees/worktree")),
        ("a folder that is not there", git.join("worktrees/evil")),
    ] {
        fs::write(evil.join(".git"), names(&named)).expect("a file");
        refused(why);
    }
    // A git folder of its own that says where the common one is.
    let own = evil.join("own/worktrees/evil");
    fs::create_dir_all(&own).expect("folders");
    fs::write(own.join("gitdir"), evil.join(".git").to_str().expect("a path")).expect("a file");
    fs::write(own.join("commondir"), git.to_str().expect("a path")).expect("a file");
    fs::write(evil.join(".git"), names(&own)).expect("a file");
    refused("a common folder that does not list it");
    // The very worktree stays one.
    assert!(injectable_in(&sandbox, &worktree, "deploy"));
}

#[test]
fn approval_hash_only_a_link_away_is_no_worktree_either() {
    let Some((sandbox, worktree)) = with_worktree() else { return };
    let evil = sandbox.scratch().join("evil");
    fs::create_dir_all(evil.join(".rawko/memories")).expect("a store");
    fs::write(evil.join(".rawko/memories/deploy.md"), sandbox.read(".rawko/memories/deploy.md"))
        .expect("a copy");
    std::os::unix::fs::symlink(worktree.join(".git"), evil.join(".git")).expect("a link");
    assert!(!injectable_in(&sandbox, &evil, "deploy"));
    fs::remove_file(evil.join(".git")).expect("gone");
    std::os::unix::fs::symlink(sandbox.project().join(".git"), evil.join(".git")).expect("a link");
    assert!(!injectable_in(&sandbox, &evil, "deploy"));
}

#[test]
fn a_folder_that_was_moved_is_known_again_and_a_copy_is_not() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("add --title Deploy --when deploy --content 'From main.'").succeeds();
    let (moved, copy) = (sandbox.scratch().join("moved"), sandbox.scratch().join("copy"));
    let memory = sandbox.read(".rawko/memories/deploy.md");
    let has_birth = fs::metadata(sandbox.project()).and_then(|meta| meta.created()).is_ok();
    fs::rename(sandbox.project(), &moved).expect("moved");
    fs::create_dir(sandbox.project()).expect("where commands start");
    if has_birth {
        assert!(injectable_in(&sandbox, &moved, "deploy"));
    } else {
        eprintln!("skipped: this file system keeps no time of birth");
    }
    fs::create_dir_all(copy.join(".rawko/memories")).expect("a store");
    fs::write(copy.join(".rawko/memories/deploy.md"), memory).expect("a copy");
    assert!(!injectable_in(&sandbox, &copy, "deploy"));
    let there = copy.to_str().expect("a path");
    let _ = sandbox
        .run_words(&["list", "-C", there], b"")
        .succeeds()
        .says("1 memory waits for your approval before reaching an agent: rawko trust")
        .says("This folder is new to rawko. If you moved it here: rawko trust --moved-from");
    let _ = sandbox.run_words(&["trust", "--list", "-C", there], b"").says("this folder is new to rawko");
    let moved_from = ["trust", "--moved-from", "../project", "-C", there];
    let _ = sandbox.run_words(&moved_from, b"").succeeds().says("holds here: 1 texts");
    assert!(injectable_in(&sandbox, &copy, "deploy"));
}

#[test]
fn what_was_done_before_a_folder_was_moved_can_be_taken_back_there() {
    let sandbox = Sandbox::new().with("RAWKO_PERSON", "yes");
    let _ = sandbox.run("add --title Deploy --when deploy --content 'From main.'").succeeds();
    let _ = sandbox.run("review --reject deploy").succeeds();
    let moved = sandbox.scratch().join("moved");
    if fs::metadata(sandbox.project()).and_then(|meta| meta.created()).is_err() {
        return eprintln!("skipped: this file system keeps no time of birth");
    }
    fs::rename(sandbox.project(), &moved).expect("moved");
    fs::create_dir(sandbox.project()).expect("where commands start");
    let there = moved.to_str().expect("a path");
    let _ = sandbox.run_words(&["undo", "-C", there], b"").succeeds().says("Took back `reject` of `deploy`");
    assert!(injectable_in(&sandbox, &moved, "deploy"));
    let _ = sandbox.run_words(&["undo", "-C", there], b"").says("nothing");
}

#[test]
fn a_worktree_does_not_take_back_what_was_done_in_another() {
    let Some((sandbox, worktree)) = with_worktree() else { return };
    let sandbox = sandbox.with("RAWKO_PERSON", "yes");
    let _ = sandbox.run("review --reject deploy").succeeds();
    let there = worktree.to_str().expect("a path");
    let _ = sandbox.run_words(&["undo", "-C", there], b"").says("nothing");
    let _ = sandbox.run("undo").succeeds().says("Took back `reject` of `deploy`");
}

#[test]
fn an_agent_cannot_say_that_a_folder_was_moved() {
    let sandbox = Sandbox::new().with("CLAUDECODE", "1");
    let _ = sandbox.run("trust --moved-from ../other").fails(1).says("an agent cannot approve");
}

#[test]
fn an_unapproved_repository_silences_nothing_of_the_persons() {
    let sandbox = Sandbox::new()
        .file(".rawko/config.toml", "[inject]\nmax = 0\nbudget = 1\nminImportance = \"critical\"\n");
    let _ = sandbox.run("add --personal --title Deploy --when deploy --content 'From main.'").succeeds();
    let _ = sandbox.run("inject --task deploy").succeeds().says("From main.");
    let doctor = sandbox.run("doctor").text();
    for key in ["inject.max", "inject.budget", "inject.minImportance"] {
        assert!(doctor.contains(&format!("{key} in ")), "{key} is not said:\n{doctor}");
    }
    let _ = sandbox.run("trust --list").says("it may set tags and wider limits than yours, and nothing else");
    let _ = sandbox.run("trust --yes").succeeds();
    assert_eq!(sandbox.run("inject --task deploy").succeeds().out, "", "approved, it may");
}
