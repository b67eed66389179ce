//! opencode: a plugin file of our own that calls `rawko hook opencode …`.

use serde_json::json;

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("session.created", Kind::SessionStart),
    heard("chat.message", Kind::Prompt),
    heard("tool.execute.after", Kind::AfterTool),
    noted("session.compacting", Kind::Compacting),
    noted("session.idle", Kind::TurnDone),
];

const PLUGIN: &str = include_str!("opencode.js");

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let (folder, settings) = match scope {
        Scope::User => (Host::Opencode.folder(machine), Host::Opencode.folder(machine)),
        Scope::Project => (machine.project.join(".opencode"), machine.project.clone()),
    };
    let named = serde_json::to_string(program).expect("a text serialises");
    // It reads either; whichever the person has is theirs.
    let with_comments = settings.join("opencode.jsonc");
    let file = if with_comments.is_file() { with_comments } else { settings.join("opencode.json") };
    let server = json!({ "type": "local", "command": [program, "mcp"], "enabled": true });
    vec![
        Wanted {
            file: folder.join("plugins/rawko.js"),
            what: What::Whole(PLUGIN.replace("\"rawko\" /* program */", &named)),
        },
        Wanted::server(file, "mcp", server),
    ]
}
