//! Codex's rollout: `response_item` holds the conversation, `event_msg` the exit codes.

use serde_json::Value;

use super::{Calls, act, answered, call, exit_in, exit_of_shell, text_of};
use crate::run_record::{Recorder, Speaker};

pub(super) fn read(line: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    let payload = &line["payload"];
    match line["type"].as_str() {
        Some("session_meta") => recorder.place(payload["id"].as_str(), payload["cwd"].as_str()),
        Some("response_item") => item(payload, calls, recorder),
        Some("event_msg") if payload["type"] == "item_completed" => {
            completed(&payload["item"], calls, recorder);
        }
        _ => {}
    }
}

fn item(payload: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    let id = payload["call_id"].as_str().or_else(|| payload["id"].as_str()).unwrap_or_default();
    match payload["type"].as_str() {
        Some("message") => message(payload, recorder),
        Some("function_call") => {
            let arguments = payload["arguments"].as_str().unwrap_or_default();
            let input = serde_json::from_str(arguments).unwrap_or(Value::Null);
            call(calls, id, payload["name"].as_str().unwrap_or_default(), input);
        }
        Some("custom_tool_call") => {
            let input = payload["input"].clone();
            call(calls, id, payload["name"].as_str().unwrap_or_default(), input);
        }
        // The host's own search: its pages go to the model and are not kept.
        Some("web_search_call") => recorder.stranger(),
        Some("local_shell_call") => call(calls, id, "shell", payload["action"].clone()),
        Some("function_call_output" | "custom_tool_call_output") => {
            if let Some((name, input)) = answered(calls, id) {
                answer(&name, &input, &payload["output"], recorder);
            }
        }
        _ => {}
    }
}

fn message(payload: &Value, recorder: &mut Recorder) {
    let text = text_of(&payload["content"]);
    match payload["role"].as_str() {
        Some("assistant") => recorder.said(Speaker::Agent, &text),
        // The host's own preamble comes as a user's words in tags of its own.
        Some("user") if text.trim_start().starts_with('<') => {}
        Some("user") => recorder.said(Speaker::Person, &text),
        // What hooks add comes as a developer's message.
        Some("developer") => recorder.injected(&text),
        _ => {}
    }
}

/// A finished command as an event: it knows the exit code that the conversation leaves out.
fn completed(item: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    if item["type"] != "CommandExecution" {
        return;
    }
    let id = item["id"].as_str().unwrap_or_default();
    let input = answered(calls, id).map_or_else(|| item.clone(), |(_, input)| input);
    let exit = exit_of_shell(&item["exit_code"]);
    let output = item["aggregated_output"].as_str().or_else(|| item["output"].as_str()).unwrap_or_default();
    act(recorder, "shell", &input, exit, output);
}

fn answer(name: &str, input: &Value, output: &Value, recorder: &mut Recorder) {
    let text = text_of(output);
    let inner: Option<Value> = serde_json::from_str(&text).ok();
    let (exit, shown) = match &inner {
        Some(inner) if inner.get("output").is_some() => {
            let exit = exit_of_shell(&inner["metadata"]["exit_code"]);
            (exit, text_of(&inner["output"]))
        }
        _ => (exit_in(&text), text),
    };
    if name == "apply_patch" || input.as_str().is_some_and(|text| text.starts_with("*** Begin Patch")) {
        let patch = input.as_str().or_else(|| input["input"].as_str()).unwrap_or_default();
        if exit.unwrap_or(0) == 0 {
            patched(patch, recorder);
        }
        return;
    }
    act(recorder, name, input, exit, &shown);
}

/// The files of a patch, with what went and what came.
fn patched(patch: &str, recorder: &mut Recorder) {
    let mut file = "";
    let (mut before, mut after) = (String::new(), String::new());
    for line in patch.lines().chain(["*** End Patch"]) {
        let next = ["*** Update File: ", "*** Add File: ", "*** End Patch"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        if let Some(next) = next {
            if !file.is_empty() {
                recorder.edit(file, &before, &after);
            }
            (file, before, after) = (next, String::new(), String::new());
        } else if let Some(gone) = line.strip_prefix('-') {
            before.push_str(gone);
            before.push('\n');
        } else if let Some(come) = line.strip_prefix('+') {
            after.push_str(come);
            after.push('\n');
        }
    }
}
