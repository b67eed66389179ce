//! `rawko trust`

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory};

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
    assert_snapshot!(sandbox.run("trust --list").text(), @r#"
    agents/reviewer.md  settings or agent  settings and agents of a repository do nothing before you approve them
        ---
        name: reviewer
        ---

        Review.
    deploy  Deploy  it came with the files, or was changed by hand
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
    2 wait, 0 are settled. Nothing was changed.
    "#);
    let _ =
        sandbox.run("trust --yes").succeeds().says("Approved 2: exactly these texts may reach your agents.");
    assert!(injectable(&sandbox));
    assert_snapshot!(sandbox.run("trust").text(), @"Nothing waits: 1 entries are yours or approved.");
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
        screen.contains("Approve these 2?") && screen.contains("Nothing was changed") && code == 0,
        "{screen}"
    );
    assert!(!injectable(&sandbox));
    let (screen, code) = sandbox.on_terminal(&["trust"], "y\n");
    assert!(screen.contains("Approved 2") && code == 0, "{screen}");
    assert!(injectable(&sandbox));
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
        let _ = sandbox.run("trust --list").says("deploy  Deploy  it");
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
