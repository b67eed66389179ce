//! Cursor: `hooks.json`. Before a prompt it only lets through or blocks, so memories come with a session's start and with tools.

use serde_json::json;

use super::{Host, Kind, Machine, Scope, Told, Wanted, command, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("sessionStart", Kind::SessionStart),
    noted("beforeSubmitPrompt", Kind::Prompt),
    heard("postToolUse", Kind::AfterTool),
    noted("postToolUseFailure", Kind::ToolFailed),
    noted("subagentStop", Kind::SubagentStop),
    noted("preCompact", Kind::Compacting),
    noted("stop", Kind::TurnDone),
    noted("sessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let folder = match scope {
        Scope::User => Host::Cursor.folder(machine),
        Scope::Project => machine.project.join(".cursor"),
    };
    let entry = |told: &Told| {
        let command = command(Host::Cursor, program, told);
        (vec!["hooks", told.name], json!({ "command": command }))
    };
    let mut entries = vec![(vec!["version"], json!(1))];
    entries.extend(EVENTS.iter().map(entry));
    let server = json!({ "command": program, "args": ["mcp"] });
    vec![
        Wanted::hooks(folder.join("hooks.json"), entries),
        Wanted::server(folder.join("mcp.json"), "mcpServers", server),
    ]
}
