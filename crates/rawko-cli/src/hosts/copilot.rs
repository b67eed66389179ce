//! Copilot CLI: a hooks file of our own.

use serde_json::{Map, Value, json};

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, command, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("sessionStart", Kind::SessionStart),
    heard("userPromptSubmitted", Kind::Prompt),
    heard("postToolUse", Kind::AfterTool),
    noted("preCompact", Kind::Compacting),
    noted("agentStop", Kind::TurnDone),
    noted("sessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let folder = match scope {
        Scope::User => Host::Copilot.folder(machine).join("hooks"),
        Scope::Project => machine.project.join(".github/hooks"),
    };
    let mut hooks = Map::new();
    for told in EVENTS {
        let command = command(Host::Copilot, program, told);
        let entry = json!({ "type": "command", "bash": command, "powershell": command, "timeoutSec": 10 });
        hooks.insert(told.name.to_owned(), json!([entry]));
    }
    let file = json!({ "version": 1, "hooks": Value::Object(hooks) });
    let text = serde_json::to_string_pretty(&file).expect("values of text and numbers serialise");
    let mut wanted = vec![Wanted { file: folder.join("rawko.json"), what: What::Whole(format!("{text}\n")) }];
    if scope == Scope::User {
        let server = json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] });
        let file = Host::Copilot.folder(machine).join("mcp-config.json");
        wanted.push(Wanted::server(file, "mcpServers", server));
    }
    wanted
}
