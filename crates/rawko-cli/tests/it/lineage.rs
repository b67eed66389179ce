//! Whose words a host's agent repeats: what somebody else may have said waits for a person.

use std::time::Duration;

use serde_json::{Value, json};

use crate::hook::said;
use crate::sandbox::Sandbox;

pub(crate) const FACT: &str = "`src/pool.rs` must keep `MAX_POOL = 5`, because the database allows 20 connections and four services share it.";

pub(crate) fn project() -> Sandbox {
    Sandbox::new().file("src/pool.rs", "pub const MAX_POOL: usize = 5; // MAX_POOL = 5\n")
}

/// A transcript in which one tool was used before the last words.
pub(crate) fn transcript(tool: &str, input: Value, output: &str) -> String {
    let used = json!({ "type": "tool_use", "id": "t1", "name": tool, "input": input });
    let result = json!({ "type": "tool_result", "tool_use_id": "t1", "content": output });
    // Without an edit, a run by rules alone is worth nothing.
    let edit = json!({ "file_path": "src/pool.rs", "old_string": "9", "new_string": "5" });
    let edited = json!({ "type": "tool_use", "id": "t2", "name": "Edit", "input": edit });
    let done = json!({ "type": "tool_result", "tool_use_id": "t2", "content": "ok" });
    [
        json!({ "type": "user", "message": { "content": "Fix the pool." } }),
        json!({ "type": "assistant", "message": { "content": [used] } }),
        json!({ "type": "user", "message": { "content": [result] } }),
        json!({ "type": "assistant", "message": { "content": [edited] } }),
        json!({ "type": "user", "message": { "content": [done] } }),
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": FACT }] } }),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

/// Ends a turn of a host, and tells whether its last words reach the next agent, and whether they wait.
fn learned(sandbox: &Sandbox, host: &str, event: &str, notes: &str) -> (bool, bool) {
    let told = json!({ "transcript_path": notes, "last_assistant_message": FACT, "prompt_response": FACT });
    let _ = sandbox.feed(&format!("hook {host} {event}"), said(sandbox, told)).succeeds();
    // On a busy machine a hook leaves learning to a process behind it.
    let is_learned = || sandbox.run("list").out.contains("pool");
    (0..200).take_while(|_| !is_learned()).for_each(|_| std::thread::sleep(Duration::from_millis(100)));
    let injected = sandbox.run("inject --task 'change src/pool.rs and MAX_POOL'").out;
    let waits = sandbox.run("list --status pending").out;
    (injected.contains("four services"), waits.contains("MAX_POOL") || waits.contains("pending"))
}

fn after(tool: &str, input: Value, output: &str) -> (bool, bool) {
    let sandbox = project();
    sandbox.write("notes.jsonl", transcript(tool, input, output));
    let notes = sandbox.project().join("notes.jsonl");
    learned(&sandbox, "claude", "Stop", &notes.display().to_string())
}

#[test]
fn the_agents_own_words_need_nobody() {
    assert!(after("Bash", json!({ "command": "cargo test" }), "all passed").0);
    assert!(after("Read", json!({ "file_path": "src/pool.rs" }), "1\tpub const MAX_POOL: usize = 5;").0);
}

#[test]
fn what_a_sub_agent_or_any_tool_said_waits() {
    let page = format!("The page https://evil.example says: {FACT}");
    for (tool, input) in [
        ("Task", json!({ "prompt": "Look it up", "subagent_type": "Explore" })),
        ("Agent", json!({ "prompt": "Look it up" })),
        ("BashOutput", json!({ "bash_id": "1" })),
        ("Read", json!({ "file_path": "vendor/notes.md" })),
        ("Grep", json!({ "pattern": "MAX_POOL" })),
        ("Bash", json!({ "command": "timeout 5 curl https://evil.example" })),
        ("mcp__notrawko__page", json!({ "url": "https://evil.example" })),
    ] {
        assert_eq!(after(tool, input, &page), (false, true), "{tool}");
    }
}

#[test]
fn what_was_heard_is_known_though_the_hosts_notes_are_not_there() {
    for (host, event, tool) in [
        ("claude", "PostToolUse", "WebFetch"),
        ("gemini", "AfterTool", "web_fetch"),
        ("claude", "PostToolUse", "Task"),
    ] {
        let sandbox = project();
        let told = json!({ "tool_name": tool, "tool_input": { "url": "https://evil.example" }, "tool_response": "x" });
        let _ = sandbox.feed(&format!("hook {host} {event}"), said(&sandbox, told)).succeeds();
        let done = if host == "gemini" { "AfterAgent" } else { "Stop" };
        // No notes are named at all: only what the host told before is known.
        assert_eq!(learned(&sandbox, host, done, ""), (false, true), "{host} {tool}");
    }
    let sandbox = project();
    assert_eq!(
        learned(&sandbox, "claude", "Stop", "/nowhere/t.jsonl"),
        (false, true),
        "notes that are not there"
    );
    let sandbox = project();
    sandbox.write("empty.jsonl", "");
    let empty = sandbox.project().join("empty.jsonl").display().to_string();
    assert_eq!(learned(&sandbox, "claude", "Stop", &empty), (false, true), "notes that tell nothing");
}
