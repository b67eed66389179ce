//! opencode: a plugin file of our own that calls `rawko hook opencode …`.

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("session.created", Kind::SessionStart),
    heard("chat.message", Kind::Prompt),
    heard("tool.execute.after", Kind::AfterTool),
    noted("session.compacting", Kind::Compacting),
    noted("session.idle", Kind::TurnDone),
];

const PLUGIN: &str = include_str!("opencode.js");

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Wanted {
    let folder = match scope {
        Scope::User => Host::Opencode.folder(machine),
        Scope::Project => machine.project.join(".opencode"),
    };
    let program = serde_json::to_string(program).expect("a text serialises");
    Wanted {
        file: folder.join("plugins/rawko.js"),
        what: What::Whole(PLUGIN.replace("\"rawko\" /* program */", &program)),
    }
}
