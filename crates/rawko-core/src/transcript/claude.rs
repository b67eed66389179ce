//! Claude Code's transcript: `user` and `assistant` lines, tools answered by id.
//!
//! `attachment` lines hold what hooks put into the prompt; everything else
//! that is not the conversation is passed over.

use serde_json::Value;

use super::{Calls, act, answered, call, exit_in, text_of};
use crate::run_record::{Recorder, Speaker};

pub(super) fn read(line: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    match line["type"].as_str() {
        Some("user") => user(line, calls, recorder),
        Some("assistant") => assistant(line, calls, recorder),
        Some("attachment") => attached(line, 0, recorder),
        _ => {}
    }
}

fn user(line: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    recorder.place(line["sessionId"].as_str(), line["cwd"].as_str());
    let content = &line["message"]["content"];
    if line["isMeta"] == true || line["isCompactSummary"] == true {
        return;
    }
    // In a sub-agent's notes, the agent that sent it stands where the person does elsewhere.
    let said = |recorder: &mut Recorder, text: &str| match line["isSidechain"] == true {
        true => recorder.asked_by_agent(text),
        false => recorder.said(Speaker::Person, text),
    };
    let Some(blocks) = content.as_array() else {
        return content.as_str().map_or((), |text| said(recorder, text));
    };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => said(recorder, block["text"].as_str().unwrap_or_default()),
            Some("tool_result") => answer(block, calls, recorder),
            _ => {}
        }
    }
}

fn answer(block: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    let Some((name, input)) = block["tool_use_id"].as_str().and_then(|id| answered(calls, id)) else {
        return;
    };
    let text = text_of(&block["content"]);
    let failed = block["is_error"] == true;
    let exit = if failed { Some(exit_in(&text).unwrap_or(1)) } else { Some(0) };
    let output = if failed { after_exit(&text) } else { &text };
    act(recorder, &name, &input, exit, output);
}

/// The output behind a first line `Exit code 1`.
fn after_exit(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("Exit code") => rest,
        _ => text,
    }
}

fn assistant(line: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    for block in line["message"]["content"].as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("text") => recorder.said(Speaker::Agent, block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => {
                let id = block["id"].as_str().unwrap_or_default();
                call(calls, id, block["name"].as_str().unwrap_or_default(), block["input"].clone());
            }
            _ => {}
        }
    }
}

/// Every text in an attachment: a hook's words, in whatever form the host keeps them.
fn attached(value: &Value, depth: usize, recorder: &mut Recorder) {
    match value {
        Value::String(text) if text.len() > 20 => recorder.injected(text),
        Value::Array(items) if depth < 6 => items.iter().for_each(|item| attached(item, depth + 1, recorder)),
        Value::Object(map) if depth < 6 => map.values().for_each(|item| attached(item, depth + 1, recorder)),
        _ => {}
    }
}
