//! Gemini CLI: hooks in `settings.json`, behind a guard.
//!
//! Any exit code but 0 and 1 stops the turn there, a missing program's 127
//! included, so the command looks for the program first and always ends well.
//! Its `PreCompress` comes before every turn of the model and says nothing.

use serde_json::json;

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, groups, heard, noted, quoted};

pub(super) const EVENTS: &[Told] = &[
    heard("SessionStart", Kind::SessionStart),
    heard("BeforeAgent", Kind::Prompt),
    heard("AfterTool", Kind::AfterTool),
    noted("AfterAgent", Kind::TurnDone),
    noted("SessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let folder = match scope {
        Scope::User => Host::Gemini.folder(machine),
        Scope::Project => machine.project.join(".gemini"),
    };
    let entry = |_: &Told, command: String| {
        let guarded =
            format!("command -v {} >/dev/null 2>&1 && {command} 2>/dev/null || true", quoted(program));
        json!({ "type": "command", "name": "rawko", "command": guarded, "timeout": 10_000 })
    };
    let server = Some(("mcpServers", json!({ "command": program, "args": ["mcp"] })));
    let what = What::Entries { lists: groups(Host::Gemini, program, entry), server };
    vec![Wanted { file: folder.join("settings.json"), what }]
}
