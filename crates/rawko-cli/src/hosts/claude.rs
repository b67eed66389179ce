//! Claude Code: hooks in `settings.json`.

use serde_json::json;

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
