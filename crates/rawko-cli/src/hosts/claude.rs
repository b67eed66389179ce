//! Claude Code: hooks in `settings.json`.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Host, Kind, Machine, Scope, Told, Wanted, groups, heard, noted};

/// Tools that run commands or touch files.
const TOOLS: &str = "Bash|Read|Edit|MultiEdit|Write|NotebookEdit";

pub(super) const EVENTS: &[Told] = &[
    heard("SessionStart", Kind::SessionStart),
    heard("UserPromptSubmit", Kind::Prompt),
    heard("PreToolUse", Kind::BeforeTool).of(TOOLS),
    noted("PostToolUse", Kind::AfterTool).of(TOOLS),
    heard("PostToolUseFailure", Kind::ToolFailed).of(TOOLS),
    heard("SubagentStart", Kind::SubagentStart),
    noted("SubagentStop", Kind::SubagentStop),
    noted("PreCompact", Kind::Compacting),
    noted("Stop", Kind::TurnDone),
    noted("StopFailure", Kind::TurnFailed),
    noted("SessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let folder = Host::Claude.folder(machine);
    // Its file of servers is in the home, unless another folder is named for all its files.
    let is_moved = (machine.variable)("CLAUDE_CONFIG_DIR").is_some();
    let (folder, servers) = match scope {
        Scope::User if is_moved => (folder.clone(), folder.join(".claude.json")),
        Scope::User => (folder, machine.home.join(".claude.json")),
        Scope::Project => (machine.project.join(".claude"), machine.project.join(".mcp.json")),
    };
    let entry = |_: &Told, command| json!({ "type": "command", "command": command, "timeout": 10 });
    let server = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
    vec![
        Wanted::hooks(folder.join("settings.json"), groups(Host::Claude, program, entry)),
        Wanted::server(servers, "mcpServers", server),
    ]
}

/// What a sub-agent was told to do, from Claude Code's own notes: the event of its start does not tell.
///
/// One that works in the background is named in the answer to the call that started it, which comes at once. Of
/// others only the kind is known: theirs are the calls that nothing answered yet. Claude Code writes both a moment
/// after it tells of the start, so what is not there is waited for.
pub(super) fn task_of(transcript: &str, agent: &str, id: &str) -> String {
    let look = || noted_task(transcript, agent, id);
    let mut task = look();
    for _ in 0..LOOKS {
        if !task.is_empty() {
            break;
        }
        std::thread::sleep(MOMENT);
        task = look();
    }
    task
}

fn noted_task(transcript: &str, agent: &str, id: &str) -> String {
    let notes = super::tail(Path::new(transcript)).unwrap_or_default();
    let (mut answered, mut tasks) = (Vec::new(), Vec::new());
    let lines = notes.lines().rev().filter(|line| line.contains("tool_use"));
    for noted in lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let started = &noted["toolUseResult"];
        if let Some(task) = started["prompt"].as_str().filter(|_| started["agentId"] == id) {
            return task.to_owned();
        }
        let blocks = noted["message"]["content"].as_array().cloned().unwrap_or_default();
        for block in blocks {
            let input = &block["input"];
            let starts = matches!(block["name"].as_str(), Some("Agent" | "Task"))
                && input["subagent_type"].as_str().unwrap_or(ANY_AGENT) == agent;
            if block["type"] == "tool_result" {
                answered.push(block["tool_use_id"].clone());
            } else if starts && !answered.contains(&block["id"]) {
                tasks.extend(input["prompt"].as_str().map(str::to_owned));
            }
        }
        if !tasks.is_empty() && noted["type"] == "user" {
            break;
        }
    }
    tasks.truncate(MOST_TASKS);
    tasks.join("\n\n")
}

/// How long to wait for Claude Code's notes between two looks, and how often: a quarter of a second in all.
const MOMENT: Duration = Duration::from_millis(10);
const LOOKS: usize = 25;
/// The kind of sub-agent that is started where none is named.
const ANY_AGENT: &str = "general-purpose";
/// Most sub-agents of one kind whose tasks are told apart by nothing, and so told to each.
const MOST_TASKS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agents_task_is_the_call_that_waits_for_its_answer() {
        let call = |id: &str, kind: &str, prompt: &str| {
            let input = json!({ "subagent_type": kind, "prompt": prompt, "description": "x" });
            let block = json!({ "type": "tool_use", "id": id, "name": "Task", "input": input });
            json!({ "type": "assistant", "message": { "content": [block] } }).to_string()
        };
        let answer = |id: &str| {
            let block = json!({ "type": "tool_result", "tool_use_id": id, "content": "tool_use done" });
            json!({ "type": "user", "message": { "content": [block] } }).to_string()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("s.jsonl");
        let lines = [
            call("1", "explorer", "Find the old worker"),
            answer("1"),
            call("2", "explorer", "Read the queue"),
            call("3", "writer", "Write the docs"),
            json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "4" }] },
                "toolUseResult": { "agentId": "a4", "prompt": "Tidy the attic" } })
            .to_string(),
            "not JSON, tool_use".to_owned(),
        ];
        std::fs::write(&notes, lines.join("\n")).expect("written");
        let told = |agent: &str| noted_task(notes.to_str().expect("a path"), agent, "a1");
        assert_eq!(told("explorer"), "Read the queue");
        assert_eq!(told("writer"), "Write the docs");
        assert_eq!(told("general-purpose"), "");
        assert_eq!(noted_task(notes.to_str().expect("a path"), "explorer", "a4"), "Tidy the attic");
        assert_eq!(noted_task("/nowhere", "explorer", "a1"), "");
    }
    #[test]
    fn notes_that_come_a_moment_later_are_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("notes.jsonl");
        let call = json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "1", "name": "Agent",
            "input": { "subagent_type": "writer", "prompt": "Write the docs" } }] } });
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(3 * MOMENT);
                std::fs::write(&notes, call.to_string()).expect("written");
            });
            assert_eq!(task_of(notes.to_str().expect("a path"), "writer", "a1"), "Write the docs");
        });
    }
}
