//! Codex: Claude Code's form in `hooks.json`. Hooks do not run before the person trusts them in `/hooks`.
//!
//! One field that Codex does not know would void an answer, so answers carry
//! nothing but the text.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Host, Kind, Machine, Scope, Told, Wanted, What, groups, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("SessionStart", Kind::SessionStart),
    heard("UserPromptSubmit", Kind::Prompt),
    heard("PreToolUse", Kind::BeforeTool),
    noted("PostToolUse", Kind::AfterTool),
    noted("PreCompact", Kind::Compacting),
    noted("Stop", Kind::TurnDone),
    noted("SessionEnd", Kind::SessionEnd),
];

pub(super) fn wants(scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
    let folder = match scope {
        Scope::User => Host::Codex.folder(machine),
        Scope::Project => machine.project.join(".codex"),
    };
    // Our own limit is lower than Codex's in letters, but not always in bytes: without one of its own, nothing is cut.
    let entry = |told: &Told, command| {
        let mut entry = json!({ "type": "command", "command": command, "timeout": 10 });
        // A session's end is not waited for longer.
        if told.kind == Kind::SessionEnd {
            entry["timeout"] = json!(3);
        }
        if told.hears {
            entry["additionalContextLimit"] = json!(0);
        }
        entry
    };
    let command = serde_json::to_string(program).expect("a text serialises");
    let block = format!("[mcp_servers.rawko]\ncommand = {command}\nargs = [\"mcp\"]\n");
    vec![
        Wanted::hooks(folder.join("hooks.json"), groups(Host::Codex, program, entry)),
        Wanted { file: folder.join("config.toml"), what: What::Block(block) },
    ]
}

/// The events of a `hooks.json` that the person has not trusted, as Codex's settings tell.
///
/// Codex keeps `[hooks.state."<file>:<event>:<group>:<hook>"]` with a hash for
/// each hook that was trusted. Only that there is one is looked at: the hash is Codex's own.
pub(crate) fn untrusted(machine: &Machine, file: &Path) -> Vec<&'static str> {
    let settings: PathBuf = Host::Codex.folder(machine).join("config.toml");
    let settings = std::fs::read_to_string(settings).unwrap_or_default();
    let file = file.display().to_string();
    let is_trusted = |told: &Told| {
        let key = format!("{file}:{}:", snake(told.name));
        let mut lines =
            settings.lines().skip_while(|line| !(line.contains("hooks.state.") && line.contains(&key)));
        lines.next().is_some()
            && lines
                .take_while(|line| !line.starts_with('['))
                .any(|line| line.trim_start().starts_with("trusted_hash"))
    };
    EVENTS.iter().filter(|told| !is_trusted(told)).map(|told| told.name).collect()
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (n, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && n > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The exit code of a command, from Codex's own notes of the session.
pub(super) fn exit_of(transcript: &str, call: &str) -> Option<i32> {
    let notes = super::tail(Path::new(transcript)).filter(|_| !call.is_empty())?;
    notes.lines().rev().filter(|line| line.contains(call) && line.contains("exit_code")).find_map(|line| {
        let noted: Value = serde_json::from_str(line).ok()?;
        let item = &noted["payload"]["item"];
        let exit = item["exit_code"].as_i64().filter(|_| item["id"] == call)?;
        i32::try_from(exit).ok()
    })
}
