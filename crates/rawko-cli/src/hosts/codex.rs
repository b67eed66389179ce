//! Codex: Claude Code's form in `hooks.json`. Hooks do not run before the person trusts them in `/hooks`.
//!
//! One field that Codex does not know would void an answer, so answers carry
//! nothing but the text.

use std::path::Path;

use serde_json::{Value, json};

use super::settings::{is_ours, jsonc};
use super::{Host, Kind, Machine, Scope, Told, Wanted, What, groups, heard, noted};

pub(super) const EVENTS: &[Told] = &[
    heard("SessionStart", Kind::SessionStart),
    heard("UserPromptSubmit", Kind::Prompt),
    heard("PreToolUse", Kind::BeforeTool),
    noted("PostToolUse", Kind::AfterTool),
    heard("SubagentStart", Kind::SubagentStart),
    noted("SubagentStop", Kind::SubagentStop),
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

/// Why Codex would not run the hooks of a `hooks.json`, and what to do about each reason.
///
/// Codex keeps `[hooks.state."<file>:<event>:<group>:<hook>"]` with a hash for
/// each hook that was trusted. Only that there is one is looked at: the hash is Codex's own.
pub(crate) fn kept_from_running(machine: &Machine, file: &Path, hooks: &str) -> Vec<(String, &'static str)> {
    let mut reasons = Vec::new();
    let mut own = toml::Table::new();
    let folders = [Host::Codex.folder(machine), machine.project.join(".codex")];
    for (n, settings) in folders.map(|folder| folder.join("config.toml")).into_iter().enumerate() {
        let text = std::fs::read_to_string(&settings).unwrap_or_default();
        let shown = settings.display();
        let Ok(read) = text.parse::<toml::Table>() else {
            reasons.push((format!("{shown} is no TOML, so Codex cannot read it"), "mend the file"));
            continue;
        };
        let features = read.get("features");
        if ["hooks", "codex_hooks"]
            .iter()
            .any(|name| at(features, name) == Some(&toml::Value::Boolean(false)))
        {
            let found = format!("{shown} has [features] hooks = false: no hook runs");
            reasons.push((found, "take it out of the file"));
        }
        if n == 0 {
            own = read;
        }
    }
    let state = own.get("hooks").and_then(|hooks| hooks.get("state"));
    let is_trusted = |told: &Told| {
        place(hooks, told.name).is_some_and(|(group, hook)| {
            let key = format!("{}:{}:{group}:{hook}", file.display(), snake(told.name));
            let known = at(state, &key);
            at(known, "trusted_hash").is_some() && at(known, "enabled") != Some(&toml::Value::Boolean(false))
        })
    };
    let untrusted: Vec<&str> = EVENTS.iter().filter(|told| !is_trusted(told)).map(|told| told.name).collect();
    if !untrusted.is_empty() {
        let found = format!("not trusted yet, so Codex does not run them: {}", untrusted.join(", "));
        reasons.push((found, "start codex, type /hooks, and trust them"));
    }
    reasons
}

fn at<'t>(value: Option<&'t toml::Value>, name: &str) -> Option<&'t toml::Value> {
    value?.get(name)
}

/// The numbers of our entry among an event's groups, and in its group.
fn place(hooks: &str, event: &str) -> Option<(usize, usize)> {
    let known = jsonc::entries(hooks, "hooks").unwrap_or_default();
    let mut groups = known.iter().filter(|(list, _)| list == event).map(|(_, group)| group).enumerate();
    groups.find_map(|(n, group)| {
        let mut entries = group["hooks"].as_array()?.iter();
        Some((n, entries.position(|entry| is_ours(Host::Codex, &entry.to_string()))?))
    })
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
