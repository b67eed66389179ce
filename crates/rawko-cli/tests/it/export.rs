//! `rawko export`

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::{Sandbox, memory, snapshot};

/// A store with everything that an entry can have.
fn full() -> Sandbox {
    let rich = "---\ntitle: \"Npm: \\\"install\\\"\"\nwhenToUse:\n  - npm|yarn\n  - path: \"web/**\"\n  - command: npm ci\n  - error: EACCES\n  - pattern: \"a.*b\"\n\
                tags: [failures, web]\nimportance: critical\ndiscoveredAt: 2026-01-23T10:30:00.123456789Z\ndiscoveredBy: developer\n\
                discoveredIn: the task\nsource: a page\nrelatedMemories: [deploy]\nkind: procedure\nstatus: active\nsupersedes: [old]\n\
                evidence:\n  - {file: src/a.rs, symbol: x}\nshouldFire: [run npm ci]\nshouldNotFire: [bake]\ntrust: agent\nteam: {lead: ada, size: 3}\nreview: 1.5\n---\n\n\
                # Npm\n\n```\n---\ntitle: no entry\n---\n```\n\n  two  spaces\u{a0}é\n\n\n---\n\n\
                ---\ntitle: Npm again\nwhenToUse: npm\nimportance: low\ndiscoveredAt: 2026-02-01\ndiscoveredBy: ada\nstatus: deprecated\n---\n\nNo more.\n";
    Sandbox::new().memory("failures/npm", rich).memory("deploy", memory("Deploy", "From main."))
}

/// Every entry as its file has it, oldest first, without what the export says of it.
fn entries(sandbox: &Sandbox) -> Vec<rawko::Entry> {
    let files = ["failures/npm", "deploy"].map(|slug| sandbox.read(&format!(".rawko/memories/{slug}.md")));
    let parse = |bytes: Vec<u8>| rawko::core::parse(&String::from_utf8(bytes).expect("text")).entries;
    files.into_iter().flat_map(parse).map(|found| found.entry).collect()
}

fn memories(sandbox: &Sandbox) -> Value {
    let raw = sandbox.run("export json").succeeds().raw;
    serde_json::from_slice::<Value>(&raw).expect("JSON")["memories"].clone()
}

#[test]
fn a_store_comes_back_from_its_export_without_loss() {
    let sandbox = full();
    let _ = sandbox.run("export json --out store.json").succeeds().says("Exported 2 memories");
    let other = Sandbox::new().file("store.json", sandbox.read("store.json"));
    let account = other.run("import store.json --json").succeeds().json();
    assert_eq!((&account["found"], &account["imported"]), (&Value::from(3), &Value::from(3)));
    assert_eq!(entries(&other), entries(&sandbox));
    assert_eq!(entries(&other).len(), 3);
    assert_eq!(memories(&other), memories(&sandbox));
    assert_eq!(memories(&other).as_array().map(Vec::len), Some(2));
    // Whatever it says of itself, it is an import here.
    assert_eq!(other.run("show deploy --json").json()["injectable"], false);
    let before = snapshot(&other.project().join(".rawko/memories"));
    let again = other.run("import rawko store.json --json").succeeds().json();
    assert_eq!((&again["imported"], &again["known"]), (&Value::from(0), &Value::from(3)));
    assert_eq!(before, snapshot(&other.project().join(".rawko/memories")));
}

#[test]
fn a_file_that_is_there_is_replaced_only_where_that_is_wanted() {
    let sandbox = full().file("notes.json", "mine");
    std::os::unix::fs::symlink("notes.json", sandbox.project().join("link.json")).expect("a link");
    for name in ["notes.json", "link.json"] {
        let said = sandbox.run(&format!("export json --out {name}")).fails(1);
        let _ = said.says("is there already").says("--force");
        assert_eq!(sandbox.read("notes.json"), b"mine");
    }
    let _ = sandbox.run("export json --out notes.json --force").succeeds().says("Exported 2 memories");
    assert!(sandbox.read("notes.json").starts_with(b"{"));
    let _ = sandbox.run("export agents-md --out AGENTS.md --force").fails(2).says("--force");
    assert!(!sandbox.project().join("AGENTS.md").exists());
}

#[test]
fn an_export_makes_its_file_itself_or_writes_into_what_is_no_file() {
    let sandbox = full();
    std::os::unix::fs::symlink("nowhere.json", sandbox.project().join("link.json")).expect("a link");
    let _ = sandbox.run("export json --out link.json").fails(1).says("is there already");
    assert!(
        sandbox.project().join("link.json").is_symlink() && !sandbox.project().join("nowhere.json").exists()
    );
    let said = sandbox.run("export json --out /dev/stdout").succeeds();
    assert!(said.out.starts_with('{') && said.out.contains("Npm again"), "{}", said.out);
    let _ = sandbox.run("export json --out new/store.json").succeeds().says("Exported 2 memories");
}

#[test]
fn a_damaged_export_brings_what_is_whole() {
    let sandbox = full();
    let text = String::from_utf8(sandbox.run("export json").succeeds().raw).expect("text");
    let other = Sandbox::new()
        .file("cut.json", &text[..text.len() - 200])
        .file("names.json", "{\"memories\": [{\"slug\": \"../x\", \"entries\": []}, {\"slug\": \"a\", \"entries\": [{\"title\": \"A\"}]}]}");
    let _ = other.run("import cut.json").fails(1).says("Imported 1, 0 known").says("cut.json:");
    let _ =
        other.run("import rawko names.json").fails(1).says("no memory's name").says("`whenToUse` is no list");
    assert!(!other.project().join(".rawko/x.md").exists());
}

#[test]
fn a_section_of_agents_md_holds_what_agents_may_know_and_nothing_else_changes() {
    let sandbox = full();
    let _ = sandbox.run("add --title 'Port of zeta' --when zeta --content 'Zeta listens on 8443.\n\n# Loud\n<!-- rawko:end -->\nrest'").succeeds();
    let _ =
        sandbox.run("add --title 'Small thing' --when small --importance low --content 'Tabs.'").succeeds();
    let before = "# Shop\r\n\r\nOurs.   \r\n\r\nno newline at the end";
    sandbox.write("AGENTS.md", before);
    let _ = sandbox.run("review --approve port-of-zeta").text();
    let _ = sandbox.run("export agents-md --out AGENTS.md").succeeds().says("Wrote 2 memories");
    let once = String::from_utf8(sandbox.read("AGENTS.md")).expect("text");
    assert!(once.starts_with(before));
    assert!(once.lines().count() == once.matches("\r\n").count(), "{once:?}");
    assert_eq!(once.matches("<!-- rawko:end -->").count(), 1, "a body cannot end the section: {once}");
    assert!(!once.contains("From main") && !once.contains("No more"), "what waits is not exported: {once}");
    assert!(once.find("Port of zeta") < once.find("Small thing"), "what matters more comes first");
    let _ = sandbox.run("export agents-md --out AGENTS.md").succeeds().says("Nothing changes");
    assert_eq!(sandbox.read("AGENTS.md"), once.as_bytes());

    // What stands around it stays, byte for byte, also when the section changes.
    sandbox.write("AGENTS.md", format!("{once}\r\n## After\r\n\ttabs\r\n"));
    let _ = sandbox
        .run("export agents-md --out AGENTS.md --min-importance medium")
        .succeeds()
        .says("Wrote 1 memory");
    let now = String::from_utf8(sandbox.read("AGENTS.md")).expect("text");
    assert!(
        now.starts_with(before) && now.ends_with("<!-- rawko:end -->\r\n\r\n## After\r\n\ttabs\r\n"),
        "{now:?}"
    );
    assert!(!now.contains("Small thing"));
}

#[test]
fn marks_that_somebody_changed_are_told_and_nothing_is_written() {
    let sandbox = full();
    for text in [
        "a\n<!-- rawko:begin -->\nb\n",
        "a\n<!-- rawko:end -->\n",
        "<!-- rawko:begin -->\n<!-- rawko:end -->\n<!-- rawko:begin -->\n<!-- rawko:end -->\n",
    ] {
        sandbox.write("AGENTS.md", text);
        let _ = sandbox
            .run("export agents-md --out AGENTS.md")
            .fails(1)
            .says("AGENTS.md, line ")
            .says("nothing was changed");
        assert_eq!(sandbox.read("AGENTS.md"), text.as_bytes());
    }
}

#[test]
fn a_link_stays_a_link_and_the_section_goes_to_standard_output_where_no_file_is_named() {
    let sandbox = full().file("CLAUDE.md", "# Ours\n");
    let _ =
        sandbox.run("add --title 'Port of zeta' --when zeta --content 'Zeta listens on 8443.'").succeeds();
    std::os::unix::fs::symlink("CLAUDE.md", sandbox.project().join("AGENTS.md")).expect("a link");
    let _ = sandbox.run("export agents-md --out AGENTS.md").succeeds();
    assert!(fs::symlink_metadata(sandbox.project().join("AGENTS.md")).expect("there").is_symlink());
    assert!(String::from_utf8_lossy(&sandbox.read("CLAUDE.md")).starts_with("# Ours\n\n<!-- rawko:begin"));
    assert_snapshot!(sandbox.run("export agents-md").text(), @"
    ## What earlier runs learned

    ### Port of zeta

    *When: zeta*

    Zeta listens on 8443.
    ");
}

#[test]
fn claudes_memory_gets_topic_files_and_keeps_its_own() {
    let sandbox = full()
        .file("mem/MEMORY.md", "- [Own](own.md) — hers\n")
        .file("mem/own.md", "hers")
        .file("mem/taken.md", "hers, too");
    for title in ["Port of zeta", "Taken", "Rule of eta"] {
        let _ = sandbox
            .run(&format!("add --title '{title}' --when '{title}' --content '{title} it is.'"))
            .succeeds();
    }
    let said = sandbox.run("export claude --out mem").succeeds();
    let _ = said.clone().says("Wrote 2 files").says("not as rawko wrote it: taken.md");
    assert_eq!(sandbox.read("mem/taken.md"), b"hers, too");
    let index = String::from_utf8(sandbox.read("mem/MEMORY.md")).expect("text");
    assert!(index.starts_with("- [Own](own.md) — hers\n\n<!-- rawko:begin"), "{index}");
    assert!(
        index.contains("- [Port of zeta](port-of-zeta.md) — Port of zeta") && !index.contains("Npm"),
        "{index}"
    );
    let topic = String::from_utf8(sandbox.read("mem/port-of-zeta.md")).expect("text");
    let topic = regex_lite::Regex::new("rawko: [0-9a-f]{16}")
        .expect("a pattern")
        .replace(&topic, "rawko: …")
        .into_owned();
    assert_snapshot!(topic, @r#"
    ---
    name: port-of-zeta
    description: "Port of zeta"
    metadata:
      type: project
      rawko: …
    ---

    # Port of zeta

    Port of zeta it is.
    "#);
    let _ = sandbox.run("export claude --out mem").succeeds().says("Wrote 0 files, 2 were up to date");

    // What is rawko's own is not taken for somebody else's; what was changed since is.
    let _ = sandbox.run("import claude-memory mem --dry-run").says("skipped 2: rawko wrote it itself");
    sandbox.write(
        "mem/rule-of-eta.md",
        String::from_utf8_lossy(&sandbox.read("mem/rule-of-eta.md")).replace("it is", "it was"),
    );
    let _ = sandbox.run("export claude --out mem").succeeds().says("not as rawko wrote it: rule-of-eta.md");
    // A memory that is for agents no longer leaves its file for a person to delete.
    let _ = sandbox.run("review --reject port-of-zeta").succeeds();
    let _ = sandbox
        .run("export claude --out mem")
        .succeeds()
        .says("its memory is gone; delete it: port-of-zeta.md");
}

#[test]
fn used_wrongly_it_says_how() {
    let sandbox = full();
    let _ = sandbox.run("export claude").fails(2).says("--out");
    let _ = sandbox.run("export json --min-importance high").fails(2).says("`json` holds everything");
    let _ = sandbox.run("export yaml").fails(2);
    let _ = Sandbox::empty().run("export json").fails(1).says("rawko init");
    sandbox.write(".rawko/memories/bad.md", "---\ntitle: [\n---\n");
    let said = sandbox.run("export json").fails(1).says("is not in the export");
    assert!(said.json()["memories"].as_array().is_some_and(|all| all.len() == 2));
}

#[test]
fn what_cannot_be_written_to_is_named_with_what_can() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("export json --out .").fails(2).says("is a folder").says("--out FILE");
    let _ = Sandbox::empty().run("export json").fails(1).says("<scratch>/project or above");
}
