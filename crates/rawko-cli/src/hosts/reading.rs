//! A host's JSON as a [`HostEvent`].
//!
//! Hosts change weekly and differ in spelling more than in meaning, so every
//! field is looked for under all its names, and one that is missing or of
//! another type is as good as empty. Nothing here can fail.

use std::path::PathBuf;

use rawko::core::{Format, Run, Transcript, opencode_prompt, opencode_tool};
use rawko::{HostEvent, Moment, Start, ToolResult, ToolUse};
use serde_json::Value;

use super::{Host, Kind, Told, claude, codex};

/// Most bytes of a tool's output that are kept.
const MOST_OUTPUT: usize = 32 * 1024;
/// Most files of one use.
const MOST_FILES: usize = 64;

/// Reads what a host says.
pub(crate) fn event(host: Host, told: Told, said: &Value, raw: &[u8]) -> HostEvent {
    let Told { kind, hears, .. } = told;
    let folder = text(said, &["cwd", "directory"]);
    let folder = if folder.is_empty() { first(said, &["workspace_roots"]) } else { folder };
    // A sub-agent has notes of its own; those of its parent are not what it did.
    let transcript = match kind {
        Kind::SubagentStop => text(said, &["agent_transcript_path"]),
        _ => text(said, &["transcript_path", "transcriptPath"]),
    };
    let moment = moment(host, kind, said);
    HostEvent {
        host: host.name().to_owned(),
        session: text(said, &["session_id", "sessionId", "sessionID", "conversation_id", "thread-id"]),
        folder: PathBuf::from(folder),
        transcript: (!transcript.is_empty()).then(|| PathBuf::from(transcript)),
        run: (host == Host::Opencode && kind == Kind::TurnDone).then(|| run_of(said)).flatten(),
        agent: text(said, &["agent_type", "agentType", "agentName", "subagent_type"]),
        agent_id: text(said, &["agent_id", "agentId", "subagent_id"]),
        key: key(told, &moment, raw),
        hears,
        moment,
    }
}

/// The run that opencode tells by its messages.
fn run_of(said: &Value) -> Option<Box<Run>> {
    let messages = said["messages"].as_array()?;
    let mut transcript = Transcript::new(Some(Format::Opencode));
    for message in messages {
        transcript.push(message.to_string().as_bytes());
        transcript.push(b"\n");
    }
    Some(Box::new(transcript.finish()))
}

/// The same event told twice has the same key. A prompt is its words: two hosts may tell of one.
fn key(told: Told, moment: &Moment, raw: &[u8]) -> String {
    let hash = match moment {
        Moment::Prompt { text, .. } => blake3::hash(text.trim().as_bytes()),
        _ => blake3::hash(raw),
    };
    let start = match told.kind {
        Kind::TurnDone | Kind::TurnFailed => rawko::TURN.to_owned(),
        // Whoever takes no answer has not heard it for the one who does.
        Kind::Prompt if !told.hears => "noted-".to_owned(),
        kind => format!("{}-", kind as u8),
    };
    format!("{start}{}", &hash.to_hex()[..16])
}

fn moment(host: Host, kind: Kind, said: &Value) -> Moment {
    match kind {
        Kind::SessionStart => Moment::SessionStarted(match text(said, &["source"]).as_str() {
            "resume" | "fork" => Start::Resumed,
            "compact" | "compress" => Start::Compacted,
            "clear" => Start::Cleared,
            _ => Start::New,
        }),
        Kind::Prompt => {
            let source = text(said, &["source"]);
            let by_machine =
                matches!(source.as_str(), "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event");
            let text = text(said, &["prompt", "user_prompt", "text"]);
            let text = if host == Host::Opencode { opencode_prompt(&text).to_owned() } else { text };
            Moment::Prompt { text, by_machine }
        }
        Kind::BeforeTool => Moment::BeforeTool(tool(host, said)),
        // What nobody let it do neither failed nor went well.
        Kind::AfterTool | Kind::ToolFailed if was_refused(said) => Moment::Other,
        Kind::AfterTool => after_tool(host, said),
        Kind::ToolFailed => Moment::ToolFailed(tool(host, said), result(host, said)),
        Kind::SubagentStart => Moment::SubagentStarted { task: sub_task(host, said) },
        Kind::SubagentStop => Moment::SubagentStopped(last_words(said)),
        Kind::Compacting => Moment::Compacting,
        Kind::TurnDone => match text(said, &["status"]).as_str() {
            "error" | "failed" => Moment::TurnFailed(trouble(said)),
            _ => Moment::TurnDone(last_words(said)),
        },
        Kind::TurnFailed => Moment::TurnFailed(trouble(said)),
        Kind::SessionEnd => Moment::SessionEnded,
    }
}

fn after_tool(host: Host, said: &Value) -> Moment {
    let (tool, mut result) = (tool(host, said), result(host, said));
    if host == Host::Codex && !tool.command.is_empty() {
        // Codex tells what was printed, and only its own notes tell what that meant.
        let exit = codex::exit_of(&text(said, &["transcript_path"]), &tool.call);
        let Some(exit) = exit else { return Moment::Other };
        result.exit = Some(exit);
    }
    match has_failed(said) || result.exit.is_some_and(|exit| exit != 0) {
        true => Moment::ToolFailed(tool, result),
        false => Moment::AfterTool(tool, result),
    }
}

/// What a sub-agent is told to do.
fn sub_task(host: Host, said: &Value) -> String {
    let told = text(said, &["task", "prompt", "description"]);
    if !told.is_empty() || host != Host::Claude {
        return told;
    }
    claude::task_of(
        &text(said, &["transcript_path"]),
        &text(said, &["agent_type"]),
        &text(said, &["agent_id"]),
    )
}

/// The error that a turn ended with.
fn trouble(said: &Value) -> String {
    let (error, details) =
        (text(said, &["error", "error_message", "errorMessage"]), text(said, &["error_details"]));
    match (error.is_empty(), details.is_empty()) {
        (false, false) => format!("{error}: {details}"),
        (true, true) => "the host says no more".to_owned(),
        _ => error + &details,
    }
}

fn last_words(said: &Value) -> String {
    text(
        said,
        &[
            "last_assistant_message",
            "prompt_response",
            "last-assistant-message",
            "lastMessage",
            "text",
            "summary",
        ],
    )
}

fn tool(host: Host, said: &Value) -> ToolUse {
    let input =
        ["tool_input", "toolArgs", "args"].iter().map(|name| &said[*name]).find(|value| !value.is_null());
    let input = input.cloned().unwrap_or_default();
    // Copilot CLI gives the arguments as a string of JSON.
    let input = match &input {
        Value::String(inner) => serde_json::from_str(inner).unwrap_or_default(),
        _ => input,
    };
    let mut command = text(&input, &["command", "cmd", "script"]);
    if command.is_empty() {
        command = words(&input["command"]);
    }
    if command.is_empty() {
        command = text(said, &["command"]);
    }
    let mut files: Vec<String> = FILES.iter().map(|name| text(&input, &[name])).collect();
    files.extend(patched(&command));
    files.extend(patched(&text(&input, &["patch", "input"])));
    files.retain(|file| !file.is_empty());
    files.truncate(MOST_FILES);
    let name = text(said, &["tool_name", "toolName", "tool"]);
    ToolUse {
        name: if host == Host::Opencode { opencode_tool(&name).into_owned() } else { name },
        command,
        files,
        input,
        call: text(said, &["tool_use_id", "toolCallId", "callID"]),
    }
}

const FILES: [&str; 8] =
    ["file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "file", "filename"];

/// The files that a patch of Codex's form changes.
fn patched(text: &str) -> Vec<String> {
    let starts = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let lines = text.lines().filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
    lines.map(|file| file.trim().to_owned()).take(MOST_FILES).collect()
}

fn result(host: Host, said: &Value) -> ToolResult {
    let answer = ["tool_response", "toolResult", "output", "tool_output"]
        .iter()
        .map(|name| &said[*name])
        .find(|value| !value.is_null())
        .cloned()
        .unwrap_or_default();
    // Cursor gives the result as a string of JSON; elsewhere a string is what was printed.
    let answer = match &answer {
        Value::String(inner) if host == Host::Cursor => serde_json::from_str(inner).unwrap_or(answer),
        _ => answer,
    };
    let mut output = match &answer {
        Value::String(text) => text.clone(),
        _ => text(&answer, &["llmContent", "textResultForLlm", "output", "stdout"]),
    };
    for more in
        [text(&answer, &["stderr"]), text(&answer, &["error"]), text(said, &["error", "error_message"])]
    {
        if !more.is_empty() && !output.contains(&more) {
            output = if output.is_empty() { more } else { format!("{output}\n{more}") };
        }
    }
    let number = |value: &Value| value.as_i64().and_then(|code| i32::try_from(code).ok());
    let told = ["exit_code", "exitCode", "exit"].iter().find_map(|name| {
        number(&answer[*name]).or_else(|| number(&answer["metadata"][*name])).or_else(|| number(&said[*name]))
    });
    let exit = told.or_else(|| exit_in(host, &output));
    let interrupted = said["is_interrupt"] == true || answer["interrupted"] == true;
    ToolResult { output: head_and_tail(output), exit, interrupted }
}

/// The exit code that a host writes into the text: only where it does so, since any program may print such words.
fn exit_in(host: Host, output: &str) -> Option<i32> {
    let rest = match host {
        Host::Claude => output.strip_prefix("Exit code ")?,
        Host::Gemini => output.rsplit_once("\nExit Code: ")?.1,
        Host::Copilot => output.rsplit_once(" completed with exit code ")?.1,
        _ => return None,
    };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Whether the person, or a rule of theirs, kept the tool from being used.
fn was_refused(said: &Value) -> bool {
    let kind = said["toolResult"]["resultType"].as_str().or_else(|| said["failure_type"].as_str());
    matches!(kind, Some("rejected" | "denied" | "permission_denied"))
}

fn has_failed(said: &Value) -> bool {
    let answer = [&said["tool_response"], &said["toolResult"]];
    answer.iter().any(|value| {
        matches!(value["resultType"].as_str(), Some("failure" | "error"))
            || value.get("error").is_some_and(|error| !error.is_null())
    })
}

fn head_and_tail(text: String) -> String {
    if text.len() <= MOST_OUTPUT {
        return text;
    }
    let near = |at: usize| (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    format!("{}\n…\n{}", &text[..near(MOST_OUTPUT / 2)], &text[near(text.len() - MOST_OUTPUT / 2)..])
}

/// The first of these fields that is a text.
fn text(said: &Value, names: &[&str]) -> String {
    names.iter().find_map(|name| said[*name].as_str()).unwrap_or_default().to_owned()
}

fn first(said: &Value, names: &[&str]) -> String {
    names.iter().find_map(|name| said[*name][0].as_str()).unwrap_or_default().to_owned()
}

fn words(list: &Value) -> String {
    let words = list.as_array().map(Vec::as_slice).unwrap_or_default();
    words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(host: Host, kind: Kind, said: &Value) -> HostEvent {
        let told = Told { name: "", kind, hears: true, tools: "" };
        event(host, told, said, said.to_string().as_bytes())
    }

    #[test]
    fn a_failure_is_told_by_its_event_its_exit_code_or_its_words() {
        let failed = |host, said: &Value| match read(host, Kind::AfterTool, said).moment {
            Moment::ToolFailed(_, result) => Some(result.exit),
            _ => None,
        };
        assert_eq!(failed(Host::Claude, &json!({ "tool_response": { "stdout": "x\nExit Code: 2" } })), None);
        let gemini = json!({ "tool_response": { "llmContent": "<untrusted_context>\nOutput: x\nExit Code: 2\nPGID: 1" } });
        assert_eq!(failed(Host::Gemini, &gemini), Some(Some(2)));
        let copilot = json!({ "toolResult": { "resultType": "success", "textResultForLlm": "x\n<shellId: 0 completed with exit code 3>" } });
        assert_eq!(failed(Host::Copilot, &copilot), Some(Some(3)));
        assert_eq!(failed(Host::Copilot, &json!({ "toolResult": { "resultType": "failure" } })), Some(None));
        assert_eq!(
            failed(Host::Opencode, &json!({ "output": { "output": "x", "metadata": { "exit": 1 } } })),
            Some(Some(1))
        );
        let claude = json!({ "error": "Exit code 4\nno such file", "tool_input": { "command": "ls x" } });
        let Moment::ToolFailed(_, result) = read(Host::Claude, Kind::ToolFailed, &claude).moment else {
            panic!()
        };
        assert_eq!(result.exit, Some(4));
    }

    #[test]
    fn what_a_person_refused_is_nothing_to_learn_from() {
        let copilot =
            |kind: &str| json!({ "toolArgs": { "command": "make" }, "toolResult": { "resultType": kind } });
        for kind in ["rejected", "denied"] {
            assert!(matches!(read(Host::Copilot, Kind::AfterTool, &copilot(kind)).moment, Moment::Other));
        }
        assert!(matches!(
            read(Host::Copilot, Kind::AfterTool, &copilot("success")).moment,
            Moment::AfterTool(..)
        ));
    }

    #[test]
    fn only_cursor_tells_a_result_within_a_text() {
        let said = json!({ "tool_output": "{\"exitCode\":2,\"stdout\":\"x\"}", "tool_response": null });
        let Moment::ToolFailed(_, result) = read(Host::Cursor, Kind::AfterTool, &said).moment else {
            panic!()
        };
        assert_eq!((result.exit, result.output.as_str()), (Some(2), "x"));
        let said = json!({ "tool_response": "{\"exitCode\":2}" });
        assert!(matches!(read(Host::Gemini, Kind::AfterTool, &said).moment, Moment::AfterTool(..)));
        let said = json!({ "tool_output": "no JSON" });
        assert!(matches!(read(Host::Cursor, Kind::AfterTool, &said).moment, Moment::AfterTool(..)));
    }

    #[test]
    fn what_became_of_a_command_that_codex_does_not_tell_is_nothing_to_learn_from() {
        let said =
            json!({ "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_response": "error" });
        assert!(matches!(read(Host::Codex, Kind::AfterTool, &said).moment, Moment::Other));
    }

    #[test]
    fn commands_and_files_are_found_under_all_their_names() {
        let used = |said: Value| match read(Host::Claude, Kind::BeforeTool, &said).moment {
            Moment::BeforeTool(tool) => (tool.command, tool.files),
            other => panic!("{other:?}"),
        };
        assert_eq!(used(json!({ "tool_input": { "command": "make" } })).0, "make");
        assert_eq!(used(json!({ "tool_input": { "command": ["make", "all"] } })).0, "make all");
        assert_eq!(used(json!({ "toolArgs": "{\"command\":\"make\"}" })).0, "make");
        assert_eq!(used(json!({ "args": { "filePath": "src/a.rs" } })).1, ["src/a.rs"]);
        let patch = "*** Begin Patch\n*** Update File: src/b.rs\n@@\n*** End Patch";
        assert_eq!(used(json!({ "tool_input": { "command": patch } })).1, ["src/b.rs"]);
    }

    #[test]
    fn any_json_is_an_event() {
        for said in [json!(null), json!(1), json!([]), json!({ "cwd": 1, "prompt": {}, "tool_input": "x" })] {
            for told in Host::Claude.events() {
                let _ = read(Host::Claude, told.kind, &said);
            }
        }
    }
}
