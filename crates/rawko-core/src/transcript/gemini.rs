//! Gemini CLI's chats: a message per line, or one document with `messages`.

use serde_json::Value;

use super::{act, exit_in, text_of};
use crate::run_record::{Recorder, Speaker};

pub(super) fn read(line: &Value, recorder: &mut Recorder) {
    recorder.place(line["sessionId"].as_str(), line["directories"][0].as_str());
    for message in line["messages"].as_array().into_iter().flatten() {
        one(message, recorder);
    }
    // Later lines may set fields of the whole chat again: `{"$set": {"messages": […]}}` repeats, so it is passed over.
    one(line, recorder);
}

fn one(message: &Value, recorder: &mut Recorder) {
    match message["type"].as_str() {
        Some("user") => recorder.said(Speaker::Person, &text_of(&message["content"])),
        Some("gemini") => {
            recorder.said(Speaker::Agent, &text_of(&message["content"]));
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                tool(call, recorder);
            }
        }
        _ => {}
    }
}

fn tool(call: &Value, recorder: &mut Recorder) {
    let output = text_of(&call["result"]);
    let failed = matches!(call["status"].as_str(), Some("error" | "cancelled"));
    let exit = exit_in(&output).or(Some(i32::from(failed)));
    act(recorder, call["name"].as_str().unwrap_or_default(), &call["args"], exit, &output);
}
