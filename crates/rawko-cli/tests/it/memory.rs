//! `rawko memory`

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The month's file of episodes.
fn log(sandbox: &Sandbox) -> String {
    let folder = sandbox.project().join(".rawko/log");
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("episodes-2")))
        .collect();
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).expect("a log")).collect()
}

fn hits(said: &Value) -> Vec<String> {
    let hits = said["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["content"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn episodes_are_written_as_the_origin_has_them_and_found_again() {
    let sandbox = Sandbox::new();
    let said = sandbox
        .run("memory append episodic 'Agent analyzed security vulnerabilities in src/' --meta agentId=agent-001 --meta task=security-scan --json")
        .succeeds()
        .json();
    let line: Value = serde_json::from_str(log(&sandbox).trim()).expect("one line");
    assert_eq!(line["id"], said["id"]);
    assert!(line["timestamp"].as_i64().expect("a time") > 1_600_000_000_000);
    assert_eq!(line["content"], "Agent analyzed security vulnerabilities in src/");
    assert_eq!(line["metadata"]["task"], "security-scan");
    assert_eq!((&line["metadata"]["kind"], &line["metadata"]["agent"]), (&json!("note"), &json!("ada")));
    let _ =
        sandbox.run("memory append episodic 'Lunch was good'").succeeds().says("Added to the episodic layer");
    for words in ["--layer episodic", "--layer episodic --classic", ""] {
        let found = sandbox
            .run(&format!("memory search 'security vulnerabilities' {words} --json"))
            .succeeds()
            .json();
        assert_eq!(hits(&found), ["Agent analyzed security vulnerabilities in src/"], "{words}");
    }
    let found = sandbox.run("memory search 'security vulnerabilities' --classic --json").succeeds().json();
    let score = found["hits"][0]["score"].as_f64().expect("a score");
    assert!((8.4..=8.5).contains(&score), "{score}");
    assert_eq!(found["episodes"], json!({ "lookedAt": 2, "unread": 0, "torn": 0 }));
    let parts: f64 = found["hits"][0]["parts"]
        .as_object()
        .expect("parts")
        .values()
        .filter_map(serde_json::Value::as_f64)
        .sum();
    assert!((parts - found["hits"][0]["score"].as_f64().expect("a score")).abs() < 0.01, "{found}");
    let _ = sandbox
        .run("memory search 'security vulnerabilities' --classic --explain")
        .succeeds()
        .says("= occurrences +");
    let _ = sandbox.run("memory search 'kubernetes'").succeeds().says("Nothing fits.");
}

#[test]
fn a_secret_never_reaches_the_log() {
    let sandbox = Sandbox::new();
    let key = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let _ =
        sandbox.run(&format!("memory append episodic 'pushed with {key}' --meta 'token={key}'")).succeeds();
    let _ = sandbox.run(&format!("memory learn deploy-key 'it is {key}'")).succeeds();
    assert!(!log(&sandbox).contains(key) && log(&sandbox).contains("secret"));
    let memory = String::from_utf8(sandbox.read(".rawko/memories/deploy-key.md")).expect("text");
    assert!(!memory.contains(key), "{memory}");
}

#[test]
fn a_torn_line_is_passed_over_and_said_and_the_next_one_stands_alone() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory append episodic 'first thing about queues'").succeeds();
    let folder = sandbox.project().join(".rawko/log");
    let path = fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .find(|file| file.file_name().to_string_lossy().starts_with("episodes-"))
        .expect("a file")
        .path();
    let text = fs::read_to_string(&path).expect("read") + "{\"id\":\"torn\",\"content\":\"que";
    fs::write(&path, text).expect("torn");
    let _ = sandbox.run("memory append episodic 'second thing about queues'").succeeds();
    let said = sandbox.run("memory search queues").succeeds().says("1 line of the log cannot be read");
    assert!(said.out.contains("first thing") && said.out.contains("second thing"), "{}", said.out);
}

#[test]
fn a_key_is_learned_again_and_its_history_stays() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory recall dataset-format").fails(1).says("nothing is known of `dataset-format`");
    assert!(sandbox.run("memory recall dataset-format --json").fails(1).json().is_null());
    let _ = sandbox.run("memory learn dataset-format 'CSV with headers, semicolon-delimited'").succeeds();
    let _ = sandbox.run("memory learn dataset-format 'Parquet since March'").succeeds().says("Added to");
    let said = sandbox.run("memory recall dataset-format --json").succeeds().json();
    assert_eq!((&said["value"], &said["versions"]), (&json!("Parquet since March"), &json!(2)));
    assert_eq!(sandbox.run("memory recall dataset-format").succeeds().out, "Parquet since March\n");
    let file = String::from_utf8(sandbox.read(".rawko/memories/dataset-format.md")).expect("text");
    assert!(file.contains("semicolon-delimited") && file.contains("Parquet"), "{file}");
    let _ = sandbox.run("memory append semantic 'Fifty rows a page' --key page-size").succeeds();
    let _ = sandbox.run("memory recall page-size").succeeds().says("Fifty rows");
    let found = sandbox.run("memory search 'dataset format' --layer semantic --json").succeeds().json();
    assert_eq!(hits(&found), ["Parquet since March"]);
    let _ = sandbox.run("inject --task 'change the dataset format'").succeeds().says("Parquet since March");
}

#[test]
fn a_rule_is_injected_where_its_condition_holds() {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .run("memory append procedural 'Run the migrations first.'")
        .fails(2)
        .says("needs a condition");
    let _ = sandbox
        .run("memory append procedural 'Run the migrations first.' --condition 'deploying the billing service'")
        .succeeds();
    let block = sandbox.run("inject --task 'deploy the billing service to production'").succeeds().out;
    assert!(block.contains("*Rule: follow this where it applies*"), "{block}");
    assert!(block.contains("Run the migrations first."), "{block}");
    assert!(!sandbox.run("inject --task 'rename a variable'").succeeds().out.contains("migrations"));
    let found = sandbox.run("memory search 'billing deployment' --layer procedural --json").succeeds().json();
    assert_eq!(found["hits"][0]["metadata"]["condition"], "deploying the billing service");
}

#[test]
fn the_working_layer_lives_in_a_session_and_keeps_the_newest() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory append working 'x'").fails(1).says("rawko session start");
    let _ = sandbox.run("session start 'Look around'").succeeds();
    for n in 1..=4 {
        let _ = sandbox.run(&format!("memory append working 'note {n}' --max-working-entries 3")).succeeds();
    }
    let said = sandbox.run("memory search note --layer working --classic --json").succeeds().json();
    let mut found = hits(&said);
    found.sort();
    assert_eq!(found, ["note 2", "note 3", "note 4"]);
    let stats = sandbox.run("memory stats --json").succeeds().json();
    assert_eq!(stats["workingMemoryTokens"], 6);
    let said = sandbox.run("memory compact working --keep-last 1").succeeds().says("[Summary of 2 entries]");
    assert!(said.out.contains("- note 2\n- note 3"), "{}", said.out);
    let _ = sandbox.run("memory undo").succeeds().says("working: 2 entries are back");
    let said = sandbox.run("memory search note --layer working --classic --json").succeeds().json();
    assert_eq!(said["hits"].as_array().expect("hits").len(), 3);
}

#[test]
fn compacting_sums_up_in_the_origins_form_and_undo_brings_all_back() {
    let sandbox = Sandbox::new();
    for n in 1..=15 {
        let _ = sandbox
            .run(&format!("memory append episodic 'Agent analyzed file{n}.csv' --meta task=analysis"))
            .succeeds();
    }
    let before = log(&sandbox);
    let _ = sandbox.run("memory compact episodic --keep-last 15").succeeds().says("nothing was changed");
    let said = sandbox.run("memory compact episodic").succeeds().says("5 entries moved to");
    assert!(said.out.starts_with("[Summary of 5 entries]\n- Agent analyzed file1.csv ["), "{}", said.out);
    assert!(said.out.contains("task=analysis"), "{}", said.out);
    assert_eq!(log(&sandbox).lines().count(), 11);
    assert_eq!(sandbox.run("memory stats --json").succeeds().json()["episodicEntryCount"], 11);
    let _ = sandbox.run("memory compact semantic").succeeds().says("concise already");
    let _ = sandbox.run("memory undo").succeeds().says("episodic: 5 entries are back");
    assert_eq!(log(&sandbox), before);
    let _ = sandbox.run("memory undo").fails(1).says("nothing to take back");
    let said = sandbox.run("memory compact episodic --no-summary --keep-last 2 --json").succeeds().json();
    assert_eq!((&said["entries"], &said["summary"]), (&json!(13), &Value::Null));
    assert_eq!(log(&sandbox).lines().count(), 2);
}

#[test]
fn clearing_asks_leaves_a_tombstone_and_can_be_undone() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory append episodic 'it happened'").succeeds();
    let _ = sandbox.run("memory learn page-size 'Fifty rows'").succeeds();
    let _ = sandbox.run("memory append procedural 'Ask first.' --condition 'changing the schema'").succeeds();
    let _ = sandbox.run("memory clear --all").fails(2).says("there is nobody to ask");
    let (screen, code) = sandbox.on_terminal(&["memory", "clear", "--all"], "n\n");
    assert!(code == 0 && screen.contains("Empty all four layers?"), "{screen}");
    let before = sandbox.run("memory stats --json").succeeds().json();
    let cleared = sandbox.run("memory clear --all --yes --json").succeeds().json();
    let layers: Vec<&Value> =
        cleared["cleared"].as_array().expect("layers").iter().map(|one| &one["entries"]).collect();
    assert_eq!(layers, [0, 1, 1, 1]);
    let _ = sandbox.run("memory recall page-size").fails(1);
    assert!(!sandbox.run("inject --task 'change the schema'").succeeds().out.contains("Ask first"));
    let after = sandbox.run("memory stats --json").succeeds().json();
    for name in ["episodicEntryCount", "semanticEntryCount", "proceduralRuleCount"] {
        assert_eq!((&before[name], &after[name]), (&json!(1), &json!(0)), "{name}");
    }
    // Nothing was deleted: the memory's file has grown.
    assert!(String::from_utf8_lossy(&sandbox.read(".rawko/memories/page-size.md")).contains("Fifty rows"));
    let _ = sandbox.run("memory undo").succeeds().says("semantic: 1 entry is back");
    let _ = sandbox.run("memory recall page-size").succeeds().says("Fifty rows");
    let _ = sandbox.run("inject --task 'change the schema'").succeeds().says("Ask first");
    assert_eq!(log(&sandbox).lines().count(), 1);
    let agent = sandbox.with("CLAUDECODE", "1");
    let _ = agent.run("memory clear --all --yes").fails(1).says("an agent cannot clear a layer");
}

#[test]
fn the_origins_files_are_imported_as_they_are_and_wait_for_the_person() {
    let sandbox = Sandbox::new()
        .file(
            "old/.rlm-data/memory/episodic.json",
            json!([{ "id": "entry-1", "timestamp": 1_700_000_000_000_i64, "content": "Agent found the retry loop", "metadata": { "agentId": "agent-001" } },
                { "id": "entry-2", "timestamp": 1_700_000_000_001_i64, "content": "Agent gave up" }]).to_string(),
        )
        .file(
            "old/.rlm-data/memory/semantic.json",
            json!([["dataset-format", { "key": "dataset-format", "value": "CSV with headers", "timestamp": 1_700_000_000_000_i64 }]]).to_string(),
        )
        .file(
            "old/.rlm-data/memory/procedural.json",
            json!([{ "condition": "exporting the dataset", "action": "Write a header row." }]).to_string(),
        );
    let said = sandbox.run("memory import old").succeeds();
    assert!(said.out.contains("2 episodes, 1 thing known and 1 rule"), "{}", said.out);
    assert!(sandbox.project().join(".rawko/log/episodes-2023-11.jsonl").exists());
    let said = sandbox.run("memory recall dataset-format --json").succeeds().json();
    assert_eq!((&said["value"], &said["waits"]), (&json!("CSV with headers"), &json!(true)));
    assert_eq!(said["timestamp"], 1_700_000_000_001_i64, "never a whole second");
    let _ = sandbox.run("memory search 'retry loop' --layer episodic").succeeds().says("entry-1");
    let block = sandbox.run("inject --task 'export the dataset in the dataset format'").succeeds().out;
    assert!(!block.contains("header"), "{block}");
    let _ = sandbox.run("review --approve dataset-format").succeeds();
    let block = sandbox.run("inject --task 'change the dataset format'").succeeds().out;
    assert!(block.contains("CSV with headers"), "{block}");
    let again = sandbox.run("memory import old/.rlm-data/memory --json").succeeds().json();
    assert_eq!(
        (&again["episodic"], &again["semantic"], &again["procedural"], &again["known"]),
        (&json!(0), &json!(0), &json!(0), &json!(4))
    );
    let _ = sandbox.run("memory import .").fails(1).says("none of episodic.json");
    sandbox.write("old/.rlm-data/memory/semantic.json", "{nonsense");
    let _ = sandbox.run("memory import old").fails(1).says("not read:");
}

#[test]
fn runs_are_recorded_without_being_asked() {
    let sandbox = Sandbox::new();
    let session = "5b1f";
    let cwd = sandbox.project().canonicalize().expect("it is there");
    let tell = |event: &str, more: Value| {
        let mut said = json!({ "session_id": session, "hook_event_name": event, "cwd": cwd });
        said.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let _ = sandbox.feed(&format!("hook claude {event}"), said.to_string()).succeeds();
    };
    tell("UserPromptSubmit", json!({ "prompt": "Make the importer retry failed rows" }));
    tell("Stop", json!({ "last_assistant_message": "The importer now retries failed rows three times." }));
    // The same event told twice is one.
    tell("Stop", json!({ "last_assistant_message": "The importer now retries failed rows three times." }));
    let lines: Vec<Value> =
        log(&sandbox).lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let kinds: Vec<&str> =
        lines.iter().map(|line| line["metadata"]["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["started", "finished"], "{lines:?}");
    let done = &lines[1]["metadata"];
    assert_eq!((&done["agent"], &done["session"]), (&json!("claude"), &json!(session)));
    assert_eq!(done["prompt"], "Make the importer retry failed rows");
    assert_eq!(done["result"], "The importer now retries failed rows three times.");
    let _ = sandbox
        .run_words(
            &[
                "extract",
                "--agent",
                "developer",
                "--task",
                "Deploy",
                "--result",
                "failure",
                "--error",
                "no route to host",
            ],
            b"It did not work.",
        )
        .succeeds();
    let last: Value = serde_json::from_str(log(&sandbox).lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["metadata"]["kind"], &last["metadata"]["error"]),
        (&json!("failed"), &json!("no route to host"))
    );
    assert_eq!(last["content"], "developer failed: no route to host");
}

#[test]
fn knowledge_is_proposed_from_episodes_through_admission() {
    let sandbox = Sandbox::new().file("src/queue.rs", "const MAX_TRIES: u32 = 5;\n");
    let told = "The queue worker lives in src/queue.rs, and `MAX_TRIES` must stay below 6 because the broker drops a \
                message after the sixth delivery.";
    let _ = sandbox
        .run_words(&["memory", "append", "episodic", told, "--kind", "finished", "--agent", "developer"], b"")
        .succeeds();
    let _ = sandbox.run("memory append episodic 'All tests pass.' --kind finished").succeeds();
    let _ = sandbox.run("memory append episodic 'Look at the queue' --kind started").succeeds();
    let dry = sandbox.run("memory learn --from-episodes --dry-run --json").succeeds().json();
    assert_eq!(dry["episodes"], 2);
    let proposals = dry["proposals"].as_array().expect("proposals");
    assert!(!proposals.is_empty(), "{dry}");
    assert!(fs::read_dir(sandbox.project().join(".rawko/memories")).expect("a folder").next().is_none());
    let done = sandbox.run("memory learn --from-episodes --json").succeeds().json();
    let kept: Vec<&Value> = done["proposals"]
        .as_array()
        .expect("proposals")
        .iter()
        .filter(|one| one["slug"].is_string())
        .collect();
    assert!(!kept.is_empty() && kept.iter().all(|one| one["decision"] == "pending"), "{done}");
    // A second time everything is known.
    let again = sandbox.run("memory learn --from-episodes --json").succeeds().json();
    assert!(
        again["proposals"].as_array().expect("proposals").iter().all(|one| one["slug"].is_null()),
        "{again}"
    );
    assert_eq!(sandbox.run("memory learn").fails(2).out, "");
}

#[test]
fn processes_that_append_at_once_never_mix_their_lines() {
    let sandbox = Sandbox::new();
    const WRITERS: usize = 24;
    let text = "long ".repeat(3_000);
    let children: Vec<_> = (0..WRITERS)
        .map(|n| {
            let mut command = sandbox.command(&sandbox.program());
            command.args(["memory", "append", "episodic", &format!("w{n}w {text}")]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let log = log(&sandbox);
    // A writer that sees another's line half-way starts on a new line: an empty one may stand between two.
    let lines: Vec<Value> = log
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a whole line"))
        .collect();
    for n in 0..WRITERS {
        let start = format!("w{n}w ");
        let own =
            lines.iter().filter(|line| line["content"].as_str().is_some_and(|text| text.starts_with(&start)));
        assert_eq!(own.count(), 1, "{n}");
    }
}

#[test]
fn what_was_cleared_or_compacted_can_be_learned_again() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory learn page-size v1").succeeds();
    let rule = "memory append procedural 'Ask first.' --condition 'changing the schema'";
    let _ = sandbox.run(rule).succeeds();
    let _ = sandbox.run("memory clear --all --yes").succeeds();
    let _ = sandbox.run("memory learn page-size v2").succeeds();
    let said = sandbox.run("memory recall page-size --json").succeeds().json();
    assert_eq!((&said["value"], &said["waits"]), (&json!("v2"), &json!(false)));
    let block = sandbox.run("inject --task 'change the page-size'").succeeds().says("v2").out;
    assert!(!block.contains("v1"), "what was cleared stays cleared: {block}");
    for gone in ["memory clear procedural --yes", "memory compact procedural --keep-last 0"] {
        let _ = sandbox.run(rule).succeeds();
        assert_eq!(sandbox.run("memory stats --json").succeeds().json()["proceduralRuleCount"], 1);
        let _ = sandbox.run("inject --task 'change the schema'").succeeds().says("Ask first");
        let _ = sandbox.run(gone).succeeds();
        assert_eq!(sandbox.run("memory stats --json").succeeds().json()["proceduralRuleCount"], 0);
    }
    let _ = sandbox.run("memory clear semantic --yes").succeeds();
    // An agent does not bring back what a person took out of use: its word waits.
    let agent = sandbox.with("CLAUDECODE", "1");
    let told = "The page size is 50 rows because the export service times out beyond that.";
    let said = agent.run_words(&["memory", "learn", "page-size", told, "--json"], b"").succeeds().json();
    assert_eq!((&said["waits"], &said["isNew"]), (&json!(true), &json!(true)), "{said}");
    let _ = agent.run("memory recall page-size").fails(1);
    let block = agent.run("inject --task 'change the page-size'").succeeds().out;
    assert!(!block.contains("export service"), "{block}");
}

#[test]
fn a_working_layer_comes_back_where_it_was_or_it_is_said_why_not() {
    let sandbox = Sandbox::new();
    let started = |task: &str| {
        let said = sandbox.run(&format!("session start {task} --json")).succeeds().json();
        said["session"].as_str().expect("an id").to_owned()
    };
    let notes = |id: &str| {
        let words = format!("memory search note --layer working --classic --session {id} --json");
        hits(&sandbox.run(&words).succeeds().json())
    };
    let first = started("first");
    let _ = sandbox.run("memory append working 'note of the first'").succeeds();
    let _ = sandbox.run("memory clear working --yes").succeeds();
    let second = started("second");
    let _ = sandbox.run("memory undo").succeeds().says("working: 1 entry is back");
    assert_eq!((notes(&first).len(), notes(&second).len()), (1, 0));
    // No session is open any more.
    let _ = sandbox.run(&format!("memory clear working --yes --session {first}")).succeeds();
    for id in [&first, &second] {
        let _ = sandbox.run(&format!("session end --session {id}")).succeeds();
    }
    let _ = sandbox.run("memory undo").succeeds().says("working: 1 entry is back");
    assert_eq!(notes(&first), ["note of the first"]);
    let _ = sandbox.run(&format!("memory clear working --yes --session {first}")).succeeds();
    fs::remove_dir_all(sandbox.project().join(".rawko/sessions").join(&first)).expect("removed");
    let said = sandbox.run("memory undo").succeeds().says("nothing is back: session");
    let kept = said.out.trim().trim_end_matches('.').rsplit('/').next().expect("a name").to_owned();
    let kept = sandbox.read(&format!(".rawko/log/archive/{kept}"));
    assert!(String::from_utf8_lossy(&kept).contains("note of the first"));
}

#[test]
fn a_secret_settles_in_no_title_trigger_or_name() {
    let sandbox = Sandbox::new();
    let key = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for words in [
        vec!["memory", "learn", &format!("k {key}"), "v"],
        vec!["memory", "append", "procedural", "Ask.", "--condition", &format!("using {key}")],
        vec!["memory", "append", "episodic", "x", "--id", key, "--meta", &format!("{key}=1")],
        vec![
            "add",
            "--title",
            &format!("About {key}"),
            "--content",
            &format!("Say {key} here."),
            "--when",
            key,
        ],
    ] {
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    let _ = sandbox.run_words(&["memory", "recall", &format!("k {key}")], b"").succeeds().says("v");
    let (mut all, mut folders) = (String::new(), vec![sandbox.project().join(".rawko")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            all.push_str(&entry.path().display().to_string().to_lowercase());
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => all.push_str(
                    &String::from_utf8_lossy(&fs::read(entry.path()).expect("a file")).to_lowercase(),
                ),
            }
        }
    }
    let (key, slug) = (key.to_lowercase(), key.to_lowercase().replace('_', "-"));
    assert!(all.contains("secret") && !all.contains(&key) && !all.contains(&slug), "{all}");
}

#[test]
fn what_was_not_done_is_not_said_to_be_done() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory learn page-size v1").succeeds();
    let _ = sandbox.run("memory clear semantic --yes").succeeds();
    // There is nothing in it: what undo takes back is another action.
    let said = sandbox.run("memory clear episodic --yes").succeeds().says("Nothing was changed.");
    assert!(!said.out.contains("undo"), "{}", said.out);
    let _ = sandbox.run("memory append procedural 'Ask first.' --condition 'changing the schema'").succeeds();
    let agent = sandbox.with("CLAUDECODE", "1");
    let said = agent.run("memory compact procedural --keep-last 0").succeeds().says("1 rule is a person's");
    assert!(said.out.contains("Nothing was changed."), "{}", said.out);
    assert_eq!(agent.run("memory stats --json").succeeds().json()["proceduralRuleCount"], 1);
    let sandbox = agent.with("CLAUDECODE", "");
    for n in 0..3 {
        let _ = sandbox.run(&format!("memory append episodic 'note {n}'")).succeeds();
    }
    let sandbox = sandbox.with("PATH", "/nowhere");
    let said = sandbox.run("memory compact episodic --keep-last 1 --provider claude").succeeds();
    assert!(said.out.contains("`claude` gave no summary"), "{}", said.out);
}

#[test]
fn a_second_import_of_the_origins_files_brings_nothing_however_they_are_written() {
    let sandbox = Sandbox::new()
        .file(
            "old/episodic.json",
            json!([{ "content": "no name" }, { "id": "e", "content": "named" }]).to_string(),
        )
        .file("old/semantic.json", json!([["k3", { "value": "three" }]]).to_string())
        .file(
            "old/procedural.json",
            json!([{ "condition": "when deploying the service", "action": "Ask." }]).to_string(),
        );
    let said = sandbox.run("memory import old --json").succeeds().json();
    assert_eq!(
        (&said["episodic"], &said["semantic"], &said["procedural"]),
        (&json!(2), &json!(1), &json!(1))
    );
    let _ = sandbox.run("memory recall k3").succeeds().says("three");
    assert!(sandbox.project().join(".rawko/memories/when-deploying-the-service.md").exists());
    for _ in 0..2 {
        let again = sandbox.run("memory import old --json").succeeds().json();
        assert_eq!((&again["episodic"], &again["known"]), (&json!(0), &json!(4)), "{again}");
        let _ = sandbox.run("memory compact episodic --keep-last 0").succeeds();
    }
}

#[test]
fn an_agent_hears_the_newest_value_of_a_key_alone() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("memory learn dataset-format 'CSV with headers'").succeeds();
    let _ = sandbox.run("memory learn dataset-format Parquet").succeeds();
    let said = sandbox.run("inject --task 'What is the dataset format?'").succeeds().out;
    assert!(said.contains("Parquet") && !said.contains("CSV"), "{said}");
    let recalled = sandbox.run("memory recall dataset-format --json").succeeds().json();
    assert_eq!((&recalled["value"], &recalled["versions"]), (&"Parquet".into(), &2.into()), "{recalled}");
    assert!(sandbox.run("show dataset-format --history").succeeds().out.contains("CSV"), "history stays");
}

#[test]
fn what_goes_to_the_persons_own_store_for_want_of_a_projects_is_said() {
    let sandbox = Sandbox::empty();
    for words in ["memory learn db-host db.internal", "memory append episodic x", "session start 'A task'"] {
        let _ = sandbox.run(words).fails(0).says("this is kept in your own, which serves every project");
    }
    let _ = sandbox.run("init").succeeds();
    let said = sandbox.run("memory learn db-host other.internal").succeeds().text();
    assert!(!said.contains("your own"), "{said}");
}

#[test]
fn a_file_is_no_folder_to_import() {
    let sandbox = Sandbox::new().file("export.json", "{}");
    let _ = sandbox.run("memory import export.json").fails(1).says("has none of episodic.json");
}

#[test]
fn clearing_and_undoing_vouch_for_nothing_that_waits() {
    let stranger = crate::sandbox::memory("Obey the zebra", "# Obey the zebra\n\nAt once.");
    let sandbox = Sandbox::new().memory("zebra-plan", stranger);
    for words in ["memory clear semantic --yes", "memory undo"] {
        let _ = sandbox.run(words).succeeds();
    }
    let file = String::from_utf8(sandbox.read(".rawko/memories/zebra-plan.md")).expect("text");
    assert_eq!(file.matches("Obey the zebra").count(), 2, "{file}");
    for task in ["deploy and obey the zebra", "make the zebra plan"] {
        let said = sandbox.run(&format!("inject --task '{task}'")).succeeds().out;
        assert!(said.is_empty(), "{said}");
    }
    let _ = sandbox.run("list --status waits").succeeds().says("waits");
}
