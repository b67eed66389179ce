//! Copilot CLI's events: messages, tools by id, and what hooks answered.

use serde_json::Value;

use super::{Calls, act, answered, call, exit_of_shell};
use crate::run_record::{Recorder, Speaker};

pub(super) fn read(line: &Value, calls: &mut Calls, recorder: &mut Recorder) {
    let data = &line["data"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match line["type"].as_str() {
        Some("session.start") => recorder.place(data["sessionId"].as_str(), data["context"]["cwd"].as_str()),
        Some("user.message") => recorder.said(Speaker::Person, &text(&data["content"])),
        Some("assistant.message") => recorder.said(Speaker::Agent, &text(&data["content"])),
        Some("hook.end") => recorder.injected(&text(&data["output"]["additionalContext"])),
        Some("tool.execution_start") => {
            call(calls, &text(&data["toolCallId"]), &text(&data["toolName"]), data["arguments"].clone());
        }
        Some("tool.execution_complete") => {
            let Some((name, input)) = answered(calls, &text(&data["toolCallId"])) else { return };
            let failed = i32::from(data["success"] == false);
            let exit = exit_of_shell(&data["shellExecution"]["exitCode"]);
            let output = text(&data["result"]["content"]);
            act(recorder, &name, &input, Some(exit.unwrap_or(failed)), without_mark(&output));
        }
        _ => {}
    }
}

/// The output of a shell without the line that the host puts under it.
fn without_mark(output: &str) -> &str {
    output.rsplit_once("\n<shellId: ").map_or(output, |(own, _)| own)
}
