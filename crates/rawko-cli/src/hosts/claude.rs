//! Claude Code: hooks in `settings.json`.

use serde_json::json;

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, groups, heard, noted};

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
    noted("SessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Wanted {
    let folder = match scope {
        Scope::User => Host::Claude.folder(machine),
        Scope::Project => machine.project.join(".claude"),
    };
    let entry = |_: &Told, command| json!({ "type": "command", "command": command, "timeout": 10 });
    Wanted { file: folder.join("settings.json"), what: What::Entries(groups(Host::Claude, program, entry)) }
}
