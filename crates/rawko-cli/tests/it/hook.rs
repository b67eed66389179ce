//! `rawko hook`: real host JSON in, what the model should hear out.

use std::time::Duration;

use serde_json::{Value, json};

use crate::inject::stack_trace;
use crate::lineage;
use crate::sandbox::{Said, Sandbox};

/// What a host says, with where it works filled in.
pub(crate) fn said(sandbox: &Sandbox, more: Value) -> String {
    let folder = sandbox.project().canonicalize().expect("a project");
    let mut all = json!({ "session_id": "s1", "cwd": folder, "transcript_path": "/nowhere/t.jsonl" });
    for (name, value) in more.as_object().expect("an object") {
        all[name] = value.clone();
    }
    all.to_string()
}

fn hook(sandbox: &Sandbox, words: &str, more: Value) -> Said {
    sandbox.feed(&format!("hook {words}"), said(sandbox, more)).succeeds()
}

/// The text that a wrapped answer carries; empty where there is none.
fn context(said: &Said) -> String {
    if said.raw.is_empty() {
        return String::new();
    }
    let text = said.json()["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| panic!("no answer in {}", said.out))
}

/// The lines of all logs of a store.
fn logged(store: &std::path::Path) -> Vec<Value> {
    let files = crate::sandbox::snapshot(&store.join("log"));
    let logs = files.iter().filter(|(path, _)| path.extension().is_some_and(|ending| ending == "jsonl"));
    logs.flat_map(|(_, bytes)| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| serde_json::from_str(&line).expect("a line of JSON"))
        .collect()
}

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for words in [
        "add --title 'Integration tests need Redis' --when 'integration test' --importance high --content 'Start redis-test.'",
        "add --title 'Releases have a script' --when-command 'make deploy' --importance high --content 'Use bin/release.'",
        "add --title 'Generated code' --when-path 'src/gen/**' --importance high --content 'Edit the template.'",
        "add --title 'Port taken' --when-error 'address already in use' --importance high --content 'Stop the old server.'",
    ] {
        let _ = sandbox.run(words).succeeds();
    }
    sandbox
}

#[test]
fn a_prompt_brings_its_memory_once_in_a_session() {
    let sandbox = project();
    let ask = |session: &str, prompt: &str| {
        let more = json!({ "session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": prompt });
        context(&hook(&sandbox, "claude UserPromptSubmit", more))
    };
    assert!(ask("a", "Run the integration tests").contains("Start redis-test."));
    assert_eq!(ask("a", "Run the integration tests once more"), "");
    assert!(
        ask("b", "Run the integration tests").contains("Start redis-test."),
        "another session heard nothing yet"
    );
    assert_eq!(ask("a", "Paint the shed"), "");
}

#[test]
fn what_a_prompt_asks_before_or_behind_a_long_log_is_heard() {
    let sandbox = project();
    let asked = "run the integration tests and find out why they hang";
    for length in [20_000, 70_000, 79_042, 200_000, 3_000_000] {
        let log = stack_trace(length);
        for (place, prompt) in [("before", format!("{asked}\n{log}")), ("behind", format!("{log}\n{asked}"))]
        {
            let session = format!("{place} {length}");
            let heard = context(&hook(
                &sandbox,
                "claude UserPromptSubmit",
                json!({ "session_id": session, "prompt": prompt }),
            ));
            assert!(heard.contains("Start redis-test."), "{place} {length} bytes: {heard}");
        }
    }
}

#[test]
fn two_questions_behind_one_long_log_are_two_prompts() {
    let sandbox = project();
    let log = stack_trace(200_000);
    let ask = |asked: &str| {
        context(&hook(&sandbox, "claude UserPromptSubmit", json!({ "prompt": format!("{log}\n{asked}") })))
    };
    assert_eq!(ask("what does this mean, and where is it from?"), "");
    assert!(ask("run the integration tests and find out why they hang").contains("Start redis-test."));
}

#[test]
fn a_prompt_that_is_sent_again_after_its_turn_is_heard() {
    let sandbox = project();
    let tell = |event: &str, more: Value| hook(&sandbox, &format!("claude {event}"), more);
    let ask = || context(&tell("UserPromptSubmit", json!({ "prompt": "Balance the ledger" })));
    assert_eq!(ask(), "");
    let learned =
        "add --title 'The ledger' --when 'balance the ledger' --importance high --content 'Run bin/balance.'";
    let _ = sandbox.run(learned).succeeds();
    assert_eq!(ask(), "", "the same prompt of the same turn");
    let _ = tell("StopFailure", json!({ "error": "server_error" }));
    assert!(ask().contains("Run bin/balance."));
    // Without notes: those that are named and not there are waited for, by a process of its own.
    let _ = tell("Stop", json!({ "last_assistant_message": "It is balanced.", "transcript_path": "" }));
    let log = logged(&sandbox.project().join(".rawko"));
    let told: Vec<&str> = log.iter().filter_map(|line| line["metadata"]["kind"].as_str()).collect();
    assert_eq!(told, ["started", "failed", "started", "finished"]);
    let ended = log.iter().rfind(|line| line["kind"] == "extraction").expect("the run was looked at");
    assert_eq!(ended["result"], "success", "{ended}");
}

#[test]
fn outside_a_project_ones_own_memories_speak_and_nothing_is_written_down() {
    let sandbox = Sandbox::new();
    let mine =
        "add --personal --title 'My shells' --when 'shell script' --importance high --content 'Use set -eu.'";
    let _ = sandbox.run(mine).succeeds();
    std::fs::remove_dir_all(sandbox.project().join(".rawko")).expect("no project's store");
    let tell = |event: &str, more: Value| hook(&sandbox, &format!("claude {event}"), more);
    let secret = json!({ "prompt": "Paint the shed" });
    assert_eq!(context(&tell("UserPromptSubmit", secret)), "");
    let asked = json!({ "prompt": "Write a shell script" });
    assert!(context(&tell("UserPromptSubmit", asked)).contains("Use set -eu."));
    let failed = json!({ "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_use_id": "t", "error": "Exit code 2" });
    let _ = tell("PostToolUseFailure", failed);
    let fact = "`src/shed.py` must be painted twice, because the first coat is thin.";
    let _ = tell("Stop", json!({ "last_assistant_message": fact }));
    let kept = logged(&sandbox.scratch().join("home"));
    assert!(
        kept.iter().all(|line| line["kind"] == "injection" && line["task"] != "Paint the shed"),
        "{kept:?}"
    );
    assert_eq!(sandbox.run("list --json").succeeds().json()["memories"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_receipt_names_the_hosts_session() {
    let sandbox = project();
    let ask = |session: &str, event: &str, more: Value| {
        let mut all = json!({ "session_id": session, "hook_event_name": event, "tool_name": "Bash" });
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let _ = hook(&sandbox, &format!("claude {event}"), all);
    };
    ask("first-session", "UserPromptSubmit", json!({ "prompt": "Run the integration tests" }));
    ask("other-session", "UserPromptSubmit", json!({ "prompt": "Run the integration tests" }));
    ask(
        "other-session",
        "PreToolUse",
        json!({ "tool_input": { "command": "make deploy" }, "tool_use_id": "t" }),
    );
    let receipts = sandbox.run("why --list --json").succeeds().json();
    let sessions: Vec<&str> = receipts["receipts"]
        .as_array()
        .expect("receipts")
        .iter()
        .filter_map(|receipt| receipt["session"].as_str().filter(|_| receipt["host"] == "claude"))
        .collect();
    assert_eq!(sessions, ["other-session", "other-session", "first-session"]);
    let _ = sandbox.run("why").succeeds().says("in: claude session other-session");
    let _ = sandbox.run("why --list").succeeds().says("first-se");
    let replayed =
        sandbox.run("replay .rawko/memories/integration-tests-need-redis.md --json").succeeds().json();
    assert_eq!(replayed["fired"][0]["session"], "other-session", "{replayed}");
    assert_eq!(replayed["fired"][1]["session"], "first-session", "{replayed}");
}

#[test]
fn what_a_session_heard_at_any_prompt_is_judged_when_it_ends_a_turn() {
    let sandbox = project();
    let tell = |session: &str, event: &str, more: Value| {
        let mut all = json!({ "session_id": session, "hook_event_name": event });
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let _ = hook(&sandbox, &format!("claude {event}"), all);
    };
    tell("a", "UserPromptSubmit", json!({ "prompt": "Hello there" }));
    tell("a", "UserPromptSubmit", json!({ "prompt": "Run the integration tests" }));
    tell("b", "UserPromptSubmit", json!({ "prompt": "Run the integration tests" }));
    let said = "I did start redis-test, and all is well.";
    tell("a", "Stop", json!({ "last_assistant_message": said, "transcript_path": "" }));
    let value = sandbox.run("feedback --json").succeeds().json();
    let known = value["memories"].as_array().expect("memories");
    assert_eq!(known.len(), 1, "{value}");
    // The other session heard it too, and has not ended.
    let counted =
        known[0]["used"].as_u64().unwrap_or_default() + known[0]["unused"].as_u64().unwrap_or_default();
    assert_eq!(counted, 1, "{value}");
}

#[test]
fn a_session_that_is_held_out_hears_no_memory_and_the_receipt_says_so() {
    let sandbox = project();
    std::fs::write(sandbox.scratch().join("home/config.toml"), "[inject]\nholdOut = 2\n").expect("settings");
    let heard: Vec<bool> = (0..40)
        .map(|n| {
            let more = |prompt: &str| json!({ "session_id": format!("session {n}"), "prompt": prompt });
            let tool = json!({ "session_id": format!("session {n}"), "tool_name": "Bash", "tool_use_id": "t",
                               "tool_input": { "command": "make deploy" } });
            let prompted =
                !hook(&sandbox, "claude UserPromptSubmit", more("Run the integration tests")).raw.is_empty();
            let called = !hook(&sandbox, "claude PreToolUse", tool).raw.is_empty();
            assert_eq!(prompted, called, "a session is held back whole");
            prompted
        })
        .collect();
    let held = heard.iter().filter(|heard| !**heard).count();
    assert!((8..=32).contains(&held), "{held} of 40");
    let receipts = sandbox.run("why --list --json").succeeds().json();
    for receipt in receipts["receipts"].as_array().expect("receipts") {
        let n: usize = receipt["session"]
            .as_str()
            .and_then(|name| name.split(' ').nth(1)?.parse().ok())
            .expect("a number");
        assert_eq!(receipt["heldOut"] == true, !heard[n], "{receipt}");
    }
}

#[test]
fn each_host_gets_its_own_form() {
    let sandbox = project();
    let answer = |words: &str| {
        let prompt = json!({ "prompt": "Run the integration tests", "session_id": words, "sessionId": words, "sessionID": words });
        let said = hook(&sandbox, words, prompt);
        if said.raw.is_empty() { Value::Null } else { said.json() }
    };
    for words in ["claude UserPromptSubmit", "codex UserPromptSubmit", "gemini BeforeAgent"] {
        let answer = answer(words);
        let event = words.split(' ').nth(1).expect("an event");
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
        assert!(
            answer["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .is_some_and(|text| text.contains("redis"))
        );
        // One field that Codex does not know voids the answer.
        assert_eq!(answer.as_object().expect("an object").len(), 1);
    }
    assert!(answer("copilot userPromptSubmitted")["additionalContext"].is_string());
    assert!(answer("opencode chat.message")["text"].is_string());
    // Cursor takes no answer to a prompt, so nothing counts as said: it may load Claude Code's hooks beside its own.
    assert_eq!(answer("cursor beforeSubmitPrompt"), Value::Null);
    let told = |words: &str| {
        let said = json!({ "prompt": "Run the integration tests", "session_id": "both" });
        hook(&sandbox, words, said).raw.len()
    };
    assert_eq!(told("cursor beforeSubmitPrompt"), 0);
    assert!(told("claude UserPromptSubmit") > 0);
    assert_eq!(told("codex UserPromptSubmit"), 0, "the same prompt of the same session");
}

/// What Cursor sends, as its documentation has it: an id of the conversation, workspace folders, a result within a text.
fn from_cursor(sandbox: &Sandbox, event: &str, more: Value) -> Said {
    let folder = sandbox.project().canonicalize().expect("a project");
    let mut all = json!({
        "conversation_id": "c1", "generation_id": "g1", "model": "some-model", "hook_event_name": event,
        "cursor_version": "3.12.17", "workspace_roots": [folder], "user_email": null, "transcript_path": null, "cwd": "",
    });
    more.as_object().expect("an object").iter().for_each(|(name, value)| all[name] = value.clone());
    sandbox.feed(&format!("hook cursor {event}"), all.to_string()).succeeds()
}

#[test]
fn cursors_json_is_read_and_answered_in_its_own_form() {
    let sandbox = project();
    let add =
        "add --title 'Never push to main' --when push --importance critical --content 'Open a request.'";
    let _ = sandbox.run(add).succeeds();
    let said = |event: &str, more: Value| from_cursor(&sandbox, event, more);
    let start = json!({ "session_id": "c1", "is_background_agent": false, "composer_mode": "agent" });
    let started = said("sessionStart", start).json();
    assert_eq!(started.as_object().expect("an object").len(), 1, "{started}");
    assert!(started["additional_context"].as_str().is_some_and(|text| text.contains("Open a request.")));
    // It only lets a prompt through or blocks it: silence lets it through.
    let prompt = json!({ "prompt": "Ship it", "attachments": [] });
    assert!(said("beforeSubmitPrompt", prompt).raw.is_empty());
    let tool = |id: &str, command: &str, result: Value| {
        let more = json!({ "tool_name": "Shell", "tool_input": { "command": command, "working_directory": "/" },
            "tool_output": result.to_string(), "tool_use_id": id, "duration": 12 });
        said("postToolUse", more)
    };
    let failed =
        tool("t1", "make deploy", json!({ "exitCode": 2, "output": "no rule to make target" })).json();
    assert!(failed["additional_context"].as_str().is_some_and(|text| text.contains("Use bin/release.")));
    let _ = tool("t2", "make lint", json!({ "exitCode": 0, "stdout": "error: none" }));
    let refused = |id: &str, command: &str, kind: &str| {
        let more = json!({ "tool_name": "Shell", "tool_input": { "command": command }, "tool_use_id": id,
            "error_message": "it did not go on", "failure_type": kind, "is_interrupt": false });
        assert!(said("postToolUseFailure", more).raw.is_empty(), "no answer is taken here");
    };
    refused("t3", "make image", "error");
    refused("t4", "make clean", "permission_denied");
    let is_warned = |command: &str| sandbox.run(&format!("ledger check -- {command}")).code == 1;
    let warned = ["make deploy", "make lint", "make image", "make clean"].map(is_warned);
    assert_eq!(warned, [true, false, true, false], "a command that a person refused did not fail");
    assert!(said("stop", json!({ "status": "error", "loop_count": 0 })).raw.is_empty());
    let ended = json!({ "session_id": "c1", "reason": "error", "duration_ms": 1, "final_status": "error" });
    assert!(said("sessionEnd", ended).raw.is_empty());
    let next = said("sessionStart", json!({ "session_id": "c2", "conversation_id": "c2" })).json();
    let told = next["additional_context"].as_str().expect("a text");
    assert!(told.contains("make deploy") && told.contains("It was asked: \"Ship it\""), "{told}");
}

#[test]
fn that_a_session_is_open_is_said_and_nothing_that_an_agent_noted_in_it() {
    let sandbox = project();
    let _ = sandbox.run("session start 'Move the queue to the blue cluster' --agent developer").succeeds();
    let _ = sandbox.run("session attempt start 'Copy rows by hand'").succeeds();
    let finish =
        "session attempt finish --result failure --error lost --lessons 'The mirror at blue.example is fast'";
    let _ = sandbox.run(finish).succeeds();
    let said = context(&hook(&sandbox, "claude SessionStart", json!({ "source": "startup" })));
    assert!(said.contains("is open; its last attempt: failure"), "{said}");
    for word in ["queue", "rows", "mirror"] {
        assert!(!said.contains(word), "no door has checked this: {said}");
    }
    let name = said.split("`rawko session show ").nth(1).and_then(|rest| rest.split('`').next());
    let _ = sandbox.run(&format!("session show {}", name.expect("a name"))).succeeds().says("The mirror at");
}

#[test]
fn a_sub_agent_is_learned_from_by_its_own_notes() {
    let notes = |said: &str| {
        let asked = json!({ "type": "user", "message": { "role": "user", "content": "Look into it" } });
        let answered =
            json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": said }] } });
        format!("{asked}\n{answered}\n")
    };
    let parents = "`make seed` must run before `make serve`, because it fills the table that serve reads.";
    let own = "`pnpm test` fails unless `pnpm db:up` ran before, because the tests need the database.";
    let sandbox = project().file("t.jsonl", notes(parents)).file("agent-1.jsonl", notes(own));
    let folder = sandbox.project().canonicalize().expect("a project");
    let known = || sandbox.run("list --json").succeeds().out;
    for host in ["claude", "codex"] {
        let stopped = json!({
            "agent_id": "1", "agent_type": "explorer", "last_assistant_message": own, "session_id": host,
            "transcript_path": folder.join("t.jsonl"), "agent_transcript_path": folder.join("agent-1.jsonl"),
        });
        assert!(hook(&sandbox, &format!("{host} SubagentStop"), stopped).raw.is_empty());
        assert!(known().contains("pnpm test") && !known().contains("make seed"), "{}", known());
    }
    // Without notes of its own nobody knows what it read: what it says waits.
    let said = "`yarn lint` fails unless `yarn codegen` ran before, because it reads what that writes.";
    let stopped = json!({ "agent_id": "2", "agent_type": "explorer", "last_assistant_message": said, "transcript_path": folder.join("t.jsonl") });
    assert!(hook(&sandbox, "claude SubagentStop", stopped).raw.is_empty());
    let listed = sandbox.run("list").succeeds().out;
    assert!(listed.lines().any(|line| line.contains("yarn lint") && line.contains("waits")), "{listed}");
}

#[test]
fn a_tool_brings_what_its_command_file_or_error_calls() {
    let sandbox = project();
    let file = sandbox.project().canonicalize().expect("a project").join("src/gen/a.rs");
    let use_of = |event: &str, id: &str, more: Value| {
        let mut all = json!({ "tool_use_id": id, "tool_name": "Bash" });
        more.as_object().expect("an object").iter().for_each(|(name, value)| all[name] = value.clone());
        context(&hook(&sandbox, &format!("claude {event}"), all))
    };
    let deploy = json!({ "tool_input": { "command": "make deploy" } });
    assert!(use_of("PreToolUse", "1", deploy.clone()).contains("Use bin/release."));
    assert_eq!(use_of("PreToolUse", "2", deploy), "", "it was said in this session");
    assert!(
        use_of("PreToolUse", "3", json!({ "tool_input": { "file_path": file } }))
            .contains("Edit the template.")
    );
    assert_eq!(use_of("PreToolUse", "4", json!({ "tool_input": { "command": "ls" } })), "");
    let failed =
        json!({ "tool_input": { "command": "serve" }, "error": "Exit code 1\naddress already in use" });
    assert!(use_of("PostToolUseFailure", "5", failed).contains("Stop the old server."));
}

#[test]
fn every_repeat_of_a_failed_move_is_warned_and_others_of_its_root_once_each() {
    let sandbox = project();
    let tool = |event: &str, id: &str, command: &str, error: &str| {
        let input = json!({ "command": command });
        let more = json!({ "tool_use_id": id, "tool_name": "Bash", "tool_input": input, "error": error });
        context(&hook(&sandbox, &format!("claude {event}"), more))
    };
    let error = "Exit code 2\npython3: can't open file 'tools/vat.py': [Errno 2] No such file or directory";
    let _ = tool("PostToolUseFailure", "1", "python3 tools/vat.py", error);
    let warns = |id: &str, command: &str| !tool("PreToolUse", id, command, "").is_empty();
    // Another move that needs the same file comes first: it takes nothing away from the failed one.
    assert!(warns("2", "cat tools/vat.py"));
    assert!(!warns("3", "cat tools/vat.py"));
    assert!(warns("4", "wc -l tools/vat.py"));
    for id in ["5", "6", "7"] {
        assert!(warns(id, "python3 ./tools/vat.py"), "{id}");
    }
}

#[test]
fn who_wants_to_be_asked_before_a_repeat_is_asked_where_the_host_can() {
    let sandbox = project();
    let settings = sandbox.scratch().join("home/config.toml");
    let tool = |host: &str, session: &str, command: &str, error: &str| {
        let event = if error.is_empty() { "PreToolUse" } else { "PostToolUseFailure" };
        let more = json!({ "session_id": session, "tool_use_id": format!("{session}{command}"), "tool_name": "Bash",
            "tool_input": { "command": command }, "error": error });
        hook(&sandbox, &format!("{host} {event}"), more).raw
    };
    let decision = |raw: &[u8]| {
        let said: serde_json::Value = serde_json::from_slice(raw).unwrap_or_default();
        said["hookSpecificOutput"]["permissionDecision"].clone()
    };
    let failed = "Exit code 2\npython3: can't open file 'tools/gen.py': [Errno 2] No such file or directory";
    let _ = tool("claude", "a", "python3 tools/gen.py", failed);
    assert_eq!(
        decision(&tool("claude", "b", "python3 tools/gen.py", "")),
        json!(null),
        "by default it is told"
    );
    std::fs::write(settings, "[hook]\nonRepeat = \"ask\"\n").expect("settings");
    let asked = tool("claude", "c", "python3 tools/gen.py", "");
    assert_eq!(decision(&asked), "ask", "{}", String::from_utf8_lossy(&asked));
    assert!(String::from_utf8_lossy(&asked).contains("\"permissionDecisionReason\":\"rawko: "));
    assert_eq!(decision(&tool("claude", "d", "ls", "")), json!(null), "another move");
    let codex = tool("codex", "e", "python3 tools/gen.py", "");
    assert!(!codex.is_empty() && decision(&codex).is_null(), "{}", String::from_utf8_lossy(&codex));
}

#[test]
fn what_failed_is_warned_about_in_a_later_session_until_it_works() {
    let sandbox = project();
    let tool = |session: &str, event: &str, id: &str, error: &str| {
        let input = json!({ "command": "python3 tools/gen.py" });
        let more = json!({ "session_id": session, "tool_use_id": id, "tool_name": "Bash", "tool_input": input, "error": error });
        context(&hook(&sandbox, &format!("claude {event}"), more))
    };
    assert_eq!(tool("a", "PreToolUse", "1", ""), "");
    let error = "Exit code 2\npython3: can't open file 'tools/gen.py': [Errno 2] No such file or directory";
    let _ = tool("a", "PostToolUseFailure", "1", error);
    let warning = tool("b", "PreToolUse", "2", "");
    assert!(
        warning.contains("tried before and failed") && warning.contains("python3 tools/gen.py"),
        "{warning}"
    );
    let why = sandbox.run("why").succeeds().text();
    assert!(why.contains("python3 tools/gen.py") && why.contains("the very same was tried before"), "{why}");
    assert_eq!(tool("b", "PreToolUse", "3", ""), warning, "a repeat is warned every time");
    sandbox.write("tools/gen.py", "print('made')");
    assert_eq!(tool("c", "PreToolUse", "4", ""), "", "what it missed is there now");
}

#[test]
fn a_session_starts_with_what_is_critical() {
    let sandbox = project();
    let add = "add --title 'Never push to main' --when 'push' --importance critical --content 'Open a merge request.'";
    let _ = sandbox.run(add).succeeds();
    let start = |session: &str, source: &str| {
        context(&hook(&sandbox, "claude SessionStart", json!({ "session_id": session, "source": source })))
    };
    assert!(start("a", "startup").contains("Open a merge request."));
    assert_eq!(start("a", "resume"), "", "its model has not forgotten");
    let prompt = json!({ "session_id": "a", "prompt": "push this to main" });
    assert_eq!(context(&hook(&sandbox, "claude UserPromptSubmit", prompt)), "", "it was said at the start");
}

#[test]
fn a_start_tells_few_memories_whole_rather_than_many_in_part() {
    let sandbox = Sandbox::new();
    let add = |title: &str, text: &str| {
        let words =
            ["add", "--title", title, "--when", "deploy", "--importance", "critical", "--content", text];
        let _ = sandbox.run_words(&words, b"").succeeds();
    };
    let start = |session: &str| {
        context(&hook(&sandbox, "claude SessionStart", json!({ "session_id": session, "source": "startup" })))
    };
    let long = "The images are pushed before anybody looks at the branch they are built from. ".repeat(4);
    add("Deploy", &format!("{long}Check out `release` first."));
    assert!(start("a").contains("Check out `release` first."), "{}", start("b"));
    for n in 2..7 {
        add(&format!("Deploy {n}"), &format!("{long}The point of {n} comes last."));
    }
    let said = start("c");
    let points = (2..7).filter(|n| said.contains(&format!("The point of {n} comes last."))).count();
    let heads = said.matches("### Deploy").count();
    let whole = points + usize::from(said.contains("Check out `release` first."));
    assert!(whole >= 3 && heads <= whole + 1, "{said}");
    // What is begun ends with a sentence, and says that it goes on.
    assert!(heads == whole || said.contains("built from.\n\n[…]"), "{said}");
    assert!(rawko::core::tokens(&said) <= 600, "{said}");
    // A memory that is too long for any start is begun all the same.
    let sandbox = Sandbox::new();
    let words = ["add", "--title", "Long", "--importance", "critical", "--content", &long.repeat(12)];
    let _ = sandbox.run_words(&words, b"").succeeds();
    let said = context(&hook(&sandbox, "claude SessionStart", json!({ "source": "startup" })));
    assert!(said.contains("built from.\n\n[…]") && rawko::core::tokens(&said) > 400, "{said}");
    let _ = sandbox.run("why").succeeds().says("long  Long").says("it is critical, and a session starts");
}

#[test]
fn what_was_lost_in_a_compaction_is_said_again() {
    let sandbox = project();
    let prompt = |text: &str| context(&hook(&sandbox, "claude UserPromptSubmit", json!({ "prompt": text })));
    assert!(prompt("Run the integration tests").contains("redis"));
    let _ = hook(&sandbox, "claude PreCompact", json!({ "trigger": "auto" }));
    let again = || context(&hook(&sandbox, "claude SessionStart", json!({ "source": "compact" })));
    assert!(again().contains("Start redis-test."));
    let _ = sandbox.run("why").succeeds().says("heard it before its session was summed up");
    assert_eq!(again(), "", "the same event told twice");
    assert_eq!(prompt("Run the integration tests, please"), "");
    // The second time, in the same words.
    let _ = hook(&sandbox, "claude PreCompact", json!({ "trigger": "auto" }));
    assert!(again().contains("Start redis-test."), "what was said again is lost again");
    let _ = sandbox.run("add --title Main --when main --importance critical --content 'Never push to it.'");
    let clear = || context(&hook(&sandbox, "claude SessionStart", json!({ "source": "clear" })));
    let wiped = clear();
    assert!(wiped.contains("Never push") && !wiped.contains("redis"), "a wiped model is reminded of nothing");
    assert_eq!(clear(), "", "the same event told twice");
    assert!(prompt("Run the integration tests").contains("Start redis-test."), "it may be called again");
}

#[test]
fn every_sub_agent_hears_what_its_own_task_calls() {
    let sandbox = project();
    let input = json!({ "subagent_type": "Explore", "prompt": "Run the integration tests and sum them up" });
    let block = json!({ "type": "tool_use", "id": "t1", "name": "Task", "input": input });
    let line = json!({ "type": "assistant", "message": { "content": [block] } });
    sandbox.write("notes.jsonl", format!("{line}\n"));
    let start = |id: &str, kind: &str| {
        let notes = sandbox.project().join("notes.jsonl");
        let more = json!({ "agent_id": id, "agent_type": kind, "transcript_path": notes });
        context(&hook(&sandbox, "claude SubagentStart", more))
    };
    assert!(start("a1", "Explore").contains("Start redis-test."));
    assert!(start("a2", "Explore").contains("Start redis-test."), "its twin has heard nothing");
    assert_eq!(start("a1", "Explore"), "", "it was told before");
    assert_eq!(start("a3", "Plan"), "", "nobody knows its task");
}

#[test]
fn a_session_starts_with_what_the_last_one_did_not_come_to() {
    let sandbox = project();
    let tell = |event: &str, session: &str, more: Value| {
        let mut all = json!({ "session_id": session });
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        context(&hook(&sandbox, &format!("claude {event}"), all))
    };
    let start = |session: &str| tell("SessionStart", session, json!({ "source": "startup" }));
    assert_eq!(start("a"), "");
    let _ = tell("UserPromptSubmit", "a", json!({ "prompt": "Move the invoices to the new ledger" }));
    let _ = tell("StopFailure", "a", json!({ "error": "rate_limit" }));
    let left = start("b");
    let said = "ended with an error";
    assert!(left.contains(said) && left.contains("\"Move the invoices to the new ledger\""), "{left}");
    // What comes with a repository says nothing.
    let kept = sandbox.project().join(".rawko/cache/last-session");
    let text = std::fs::read_to_string(&kept).expect("kept");
    std::fs::write(&kept, text.replace("invoices", "secrets")).expect("written");
    assert_eq!(start("c"), "");
    std::fs::write(&kept, text).expect("written");
    assert!(start("d").contains(said));
    let _ = tell("Stop", "a", json!({ "last_assistant_message": "Done." }));
    assert_eq!(start("e"), "", "it came to its end");
}

#[test]
fn a_session_starts_with_how_many_memories_wait() {
    let sandbox = project();
    for n in 0..600 {
        let text = format!(
            "---\ntitle: Stranger {n}\nwhenToUse: [thing {n}]\nimportance: low\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: x\n---\nText {n}.\n"
        );
        sandbox.write(&format!(".rawko/memories/stranger-{n}.md"), text);
    }
    let _ = sandbox.run("search thing").succeeds();
    let start = |session: &str| {
        context(&hook(&sandbox, "claude SessionStart", json!({ "source": "startup", "session_id": session })))
    };
    let said = start("a");
    assert!(said.contains("600 memories wait for the person's approval"), "{said}");
    // Those of an agent wait by their own word, once the others are approved.
    let idea = "---\ntitle: An idea\nwhenToUse: [idea]\nimportance: low\nstatus: pending\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: x\n---\nIt may be so.\n";
    let _ = sandbox.run("trust --yes").succeeds();
    let _ = sandbox.feed("add --file -", idea).succeeds();
    let _ = sandbox.run("index").succeeds();
    let said = start("b");
    assert!(said.contains("(rawko: 1 memory waits"), "{said}");
}

#[test]
fn machine_made_prompts_and_our_own_words_bring_nothing() {
    let sandbox = project();
    let prompt = |more: Value| context(&hook(&sandbox, "claude UserPromptSubmit", more));
    let task = "<task-notification>\nthe integration tests are done</task-notification>";
    assert_eq!(prompt(json!({ "prompt": task })), "");
    assert_eq!(prompt(json!({ "prompt": "run the integration tests", "source": "loop_wakeup" })), "");
    let ours = "[rawko 123456: notes]\nintegration tests\n[end of rawko 123456]\nPaint the shed";
    assert_eq!(prompt(json!({ "prompt": ours })), "");
}

#[test]
fn a_codex_failure_is_found_in_its_own_notes() {
    let sandbox = project();
    let notes = sandbox.project().join("rollout.jsonl");
    let item = json!({ "type": "CommandExecution", "id": "call_1", "exit_code": 2, "status": "failed" });
    let line = json!({ "type": "event_msg", "payload": { "type": "item_completed", "item": item } });
    sandbox.write("rollout.jsonl", format!("{{\"type\":\"session_meta\"}}\n{line}\n"));
    let tool = |session: &str, event: &str, id: &str| {
        let more = json!({ "session_id": session, "tool_use_id": id, "tool_name": "Bash", "transcript_path": notes,
            "tool_input": { "command": "python3 tools/gen.py" },
            "tool_response": "python3: can't open file 'tools/gen.py': [Errno 2] No such file or directory" });
        context(&hook(&sandbox, &format!("codex {event}"), more))
    };
    let _ = tool("a", "PostToolUse", "call_0");
    assert_eq!(tool("b", "PreToolUse", "x"), "", "nobody knows what became of call_0");
    let _ = tool("a", "PostToolUse", "call_1");
    assert!(tool("c", "PreToolUse", "y").contains("tried before and failed"));
}

#[test]
fn what_would_fail_again_is_told_at_the_start() {
    let sandbox = project();
    let failed = json!({ "tool_name": "run_shell_command", "timestamp": "1", "tool_input": { "command": "python3 tools/gen.py" },
        "tool_response": { "llmContent": "Output: can't open file 'tools/gen.py': No such file or directory\nExit Code: 2\n" } });
    let _ = hook(&sandbox, "gemini AfterTool", failed);
    let start = |host: &str| {
        let more = json!({ "source": "startup", "session_id": format!("{host}-2") });
        context(&hook(&sandbox, &format!("{host} SessionStart"), more))
    };
    for host in ["gemini", "claude", "codex"] {
        let said = start(host);
        assert!(said.contains("tried before") && said.contains("python3 tools/gen.py"), "{host}: {said}");
    }
}

#[test]
fn a_start_says_what_is_critical_however_much_has_failed_among_many_files() {
    let sandbox = Sandbox::new().file("Cargo.toml", "[package]\nname = \"many\"\n");
    let _ = sandbox.run("add --title Main --when main --importance critical --content 'Never push to it.'");
    for n in 0..1_500 {
        sandbox.write(&format!("src/part{}/m{n}.rs", n % 30), format!("pub fn f{n}() {{}}\n").repeat(40));
    }
    for n in 0..24 {
        let command = format!("cargo test --lib case_{n}");
        let more = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": format!("c{n}"),
            "error": format!("Exit code 101\ntest case_{n} ... FAILED\nassertion failed: left == right") });
        let _ = hook(&sandbox, "claude PostToolUseFailure", more);
    }
    let start = |session: &str| {
        let more = json!({ "source": "startup", "session_id": session });
        context(&hook(&sandbox, "claude SessionStart", more))
    };
    // What failed is looked at as long as there is time: on a busy machine there may be none.
    let told = ["a", "c", "d"].map(start);
    assert!(told.iter().all(|said| said.contains("Never push to it.")), "{told:?}");
    assert!(told.iter().any(|said| said.contains("case_23")), "{told:?}");
    // None of them holds any more, and each would have to be looked at.
    sandbox.write("src/part1/m1.rs", "pub fn other() {}\n");
    let said = start("b");
    assert!(said.contains("Never push to it.") && !said.contains("case_"), "{said}");
}

#[test]
fn an_answer_never_has_more_than_9_500_characters() {
    let sandbox = Sandbox::new();
    let body = "Deploying needs care, and a second look.\n\n".repeat(40);
    for n in 0..8 {
        let title = format!("Deploy rule number {n}");
        let words =
            ["add", "--title", &title, "--when", "deploy", "--importance", "critical", "--content", &body];
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    // Long texts are read slowly without an index, and a hook does not wait.
    let _ = sandbox.run("search deploy").succeeds();
    for (event, more) in
        [("SessionStart", json!({})), ("UserPromptSubmit", json!({ "prompt": "deploy the service" }))]
    {
        let text = context(&hook(&sandbox, &format!("claude {event}"), more));
        assert!(!text.is_empty() && text.chars().count() <= 9_500, "{event}: {}", text.chars().count());
    }
}

#[test]
fn what_a_tool_called_is_listed_by_its_command() {
    let sandbox = Sandbox::new();
    let words = ["add", "--title", "Deploys", "--when-command", "deploy", "--content", "Ask ops first."];
    let _ = sandbox.run_words(&words, b"").succeeds();
    let input = json!({ "command": "./deploy.sh --now" });
    let more = json!({ "tool_use_id": "1", "tool_name": "Bash", "tool_input": input });
    assert!(context(&hook(&sandbox, "claude PreToolUse", more)).contains("Ask ops first."));
    let _ = sandbox.run("why --list").succeeds().says("1 memory  command: ./deploy.sh --now");
    let _ = sandbox.run("why").succeeds().says("\ncommand: ./deploy.sh --now");
}

#[test]
fn turns_that_end_in_the_same_words_are_all_learned_from() {
    let sandbox = Sandbox::new();
    let path = sandbox.scratch().join("session.jsonl");
    let mut notes = String::new();
    for said in
        ["we use tabs here, not spaces", "never push to main", "remember: staging is called blackbird"]
    {
        let _ = hook(&sandbox, "claude UserPromptSubmit", json!({ "prompt": said }));
        let asked = json!({ "type": "user", "message": { "role": "user", "content": said } });
        let answered =
            json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": "Noted." }] } });
        notes.push_str(&format!("{asked}\n{answered}\n"));
        std::fs::write(&path, &notes).expect("notes");
        for _ in 0..2 {
            let more = json!({ "transcript_path": path, "last_assistant_message": "Noted." });
            let _ = hook(&sandbox, "claude Stop", more);
        }
    }
    let waits = sandbox.run("review --list").succeeds().text();
    for kept in ["tabs", "never-push-to-main", "blackbird"] {
        assert!(waits.contains(kept), "{kept}: {waits}");
    }
}

#[test]
fn a_receipt_of_what_nobody_asked_for_has_no_secret_and_no_endless_name() {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .run("add --title Main --when main --importance critical --content 'Never push to it.'")
        .succeeds();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).chars().take(36).collect::<String>());
    // Opencode's names of sessions look like tokens, and must stay what they are.
    let opencodes = "ses_5f3ae0c2dffe8XkQm2Lr9TzY1b";
    for session in [opencodes, &"s".repeat(5_000)] {
        let more = json!({ "source": "startup", "session_id": session, "agent_type": token });
        assert!(context(&hook(&sandbox, "claude SessionStart", more)).contains("Never push"));
    }
    let files = std::fs::read_dir(sandbox.project().join(".rawko/log")).expect("a log").flatten();
    let log: String = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    assert!(log.contains(&format!("\"session\":\"{opencodes}\"")), "{log}");
    assert!(
        log.contains("\"unasked\"") && !log.contains(&token) && log.lines().all(|line| line.len() < 2_000),
        "{log}"
    );
}

#[test]
fn notes_that_claude_writes_after_it_told_of_the_end_are_learned_from() {
    let sandbox = Sandbox::new();
    let path = sandbox.scratch().join("session.jsonl");
    let queued = "{\"type\":\"queue-operation\",\"content\":\"never push to main\"}\n";
    std::fs::write(&path, queued).expect("notes");
    let _ =
        hook(&sandbox, "claude Stop", json!({ "transcript_path": path, "last_assistant_message": "Noted." }));
    let asked = json!({ "type": "user", "message": { "role": "user", "content": "never push to main" } });
    std::fs::write(&path, format!("{queued}{asked}\n")).expect("notes");
    let waits = || sandbox.run("review --list").succeeds().text();
    let is_there = || waits().contains("never-push-to-main");
    (0..100).take_while(|_| !is_there()).for_each(|_| std::thread::sleep(Duration::from_millis(100)));
    assert!(is_there(), "{}", waits());
}

#[test]
fn opencode_tells_a_run_by_its_messages() {
    let sandbox = lineage::project();
    let edit = json!({ "filePath": "src/pool.rs", "oldString": "9", "newString": "5" });
    let used = json!({ "type": "tool", "tool": "edit", "callID": "1",
                       "state": { "status": "completed", "input": edit, "output": "" } });
    let message = |role: &str, parts: Value| json!({ "info": { "role": role }, "parts": parts });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let run = |tools: Vec<Value>| {
        let asked = text("\"Why do connections run out? Never push to main.\"");
        let own = [tools, vec![text(lineage::FACT)]].concat();
        json!({ "sessionID": "o1", "directory": sandbox.project(), "transcript_path": "",
                "messages": [message("user", json!([asked])), message("assistant", json!(own))] })
    };
    let _ = hook(&sandbox, "opencode session.idle", run(vec![used.clone()]));
    let known = sandbox.run("list pool --json").succeeds().json();
    let fact = &known["memories"][0];
    assert_eq!(fact["discoveredIn"], "Task: Why do connections run out? Never push to main.", "{known}");
    assert_eq!((&fact["discoveredBy"], &fact["trust"]), (&json!("opencode"), &json!("agent")), "{known}");
    let waits = sandbox.run("review --list").succeeds().text();
    assert!(waits.contains("never-push-to-main"), "{waits}");

    let fetched = json!({ "type": "tool", "tool": "tracker_get_issue", "callID": "2",
                          "state": { "status": "completed", "input": {}, "output": "words" } });
    let other = lineage::project();
    let _ = hook(&other, "opencode session.idle", run(vec![fetched, used]));
    let known = other.run("list pool --json").succeeds().json();
    assert_eq!(known["memories"].as_array().map(Vec::len), Some(1), "{known}");
    assert_ne!(known["memories"][0]["injectable"], true, "a server's words were heard before: {known}");
}
