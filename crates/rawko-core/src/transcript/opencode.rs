//! opencode's messages: `{info, parts}` per line, or the document that `opencode export` writes.

use std::borrow::Cow;

use serde_json::Value;

use super::{act, exit_of_shell};
use crate::run_record::{Recorder, Speaker};

/// The tools that opencode brings along; every other is of a server or a plugin.
const OWN_TOOLS: [&str; 18] = [
    "bash",
    "edit",
    "multiedit",
    "write",
    "read",
    "list",
    "glob",
    "grep",
    "patch",
    "apply_patch",
    "todowrite",
    "todoread",
    "question",
    "skill",
    "lsp",
    "batch",
    "invalid",
    "plan_exit",
];

/// A tool's name as other hosts would have it: opencode joins a server's name and its tool's by one underscore.
pub fn opencode_tool(name: &str) -> Cow<'_, str> {
    let is_own = OWN_TOOLS.contains(&name) || super::is_foreign_tool(name) || super::is_own_tool(name);
    if is_own { Cow::Borrowed(name) } else { Cow::Owned(format!("mcp__{name}")) }
}

/// A prompt without the marks that `opencode run` puts around the words of its command line: `"Fix the build"`.
pub fn opencode_prompt(text: &str) -> &str {
    let inside = text.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.map(str::trim).filter(|inside| !inside.is_empty() && !inside.contains('"')).unwrap_or(text)
}

pub(super) fn read(line: &Value, recorder: &mut Recorder) {
    let info = &line["info"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    // A message names its session; of a document, its heading is the session.
    let session =
        text(&info["sessionID"]).or_else(|| text(&info["id"]).filter(|_| line["messages"].is_array()));
    let folder = text(&info["directory"]).or_else(|| text(&info["path"]["cwd"]));
    recorder.place(session.as_deref(), folder.as_deref());
    // An agent opened a session that has a parent, and wrote what it was asked.
    let is_asked_by_agent = info["parentID"].is_string() && line["messages"].is_array();
    for message in line["messages"].as_array().into_iter().flatten() {
        read_message(message, is_asked_by_agent, recorder);
    }
    read_message(line, false, recorder);
}

fn read_message(message: &Value, is_asked_by_agent: bool, recorder: &mut Recorder) {
    let by = match message["info"]["role"].as_str() {
        Some("user") => Speaker::Person,
        Some("assistant") => Speaker::Agent,
        _ => return,
    };
    // A message is one text, though what it consists of may lie in pieces; an agent's stand between its acts.
    let mut said: Vec<&str> = Vec::new();
    for part in message["parts"].as_array().into_iter().flatten() {
        let text = part["text"].as_str().unwrap_or_default();
        match part["type"].as_str() {
            Some("text") if part["synthetic"] == true || part["ignored"] == true => recorder.injected(text),
            Some("text") => said.push(text),
            Some("tool") if by == Speaker::Agent => {
                say(&mut said, by, recorder);
                tool(part, recorder);
            }
            _ => {}
        }
    }
    if by == Speaker::Person && is_asked_by_agent {
        recorder.asked_by_agent(&said.join("\n"));
    } else {
        say(&mut said, by, recorder);
    }
}

fn say(said: &mut Vec<&str>, by: Speaker, recorder: &mut Recorder) {
    let text = std::mem::take(said).join("\n");
    match by {
        // Only what a session begins with may stand in the marks of a command line; else they quote somebody.
        Speaker::Person if recorder.is_empty() => recorder.said(by, opencode_prompt(&text)),
        _ if text.is_empty() => {}
        by => recorder.said(by, &text),
    }
}

fn tool(part: &Value, recorder: &mut Recorder) {
    let state = &part["state"];
    let failed = match state["status"].as_str() {
        Some("completed") => false,
        Some("error") => true,
        // It was called, and never answered.
        _ => return,
    };
    let output = state["output"].as_str().or_else(|| state["error"].as_str()).unwrap_or_default();
    let exit = exit_of_shell(&state["metadata"]["exit"]).unwrap_or(i32::from(failed));
    let name = part["tool"].as_str().unwrap_or_default();
    act(recorder, &opencode_tool(name), &state["input"], Some(exit), output);
}
