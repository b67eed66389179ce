//! Copilot CLI: a hooks file of our own.

use std::path::Path;
use std::time::{Duration, Instant};

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

/// How long its notes are waited for: as long as nobody notices while the host waits, and longer where nobody does.
pub(super) const BRIEFLY: Duration = Duration::from_millis(300);
pub(super) const PATIENTLY: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until Copilot CLI has written a turn down: it tells of the end before, at times before it has begun its notes.
/// Tells whether the turn is there.
pub(super) fn wait_for_notes(path: &Path, limit: Duration) -> bool {
    let start = Instant::now();
    loop {
        if super::tail(path).is_some_and(|text| is_written_down(&text)) {
            return true;
        }
        if start.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether the last turn that began has ended.
fn is_written_down(notes: &str) -> bool {
    let last = |what: &str| notes.rfind(&format!("{{\"type\":\"{what}\""));
    last("assistant.turn_end") > last("assistant.turn_start").or(last("user.message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_written_down_when_its_end_is() {
        let start = "{\"type\":\"assistant.turn_start\"}\n";
        let end = "{\"type\":\"assistant.turn_end\"}\n";
        assert!(!is_written_down(start) && !is_written_down(&format!("{start}{end}{start}")));
        assert!(is_written_down(&format!("{start}{end}")));
    }
    #[test]
    fn notes_that_are_begun_after_the_end_was_told_are_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("events.jsonl");
        assert!(!wait_for_notes(&notes, PAUSE));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(3 * PAUSE);
                std::fs::write(&notes, "{\"type\":\"assistant.turn_end\"}\n").expect("written");
            });
            assert!(wait_for_notes(&notes, PATIENTLY));
        });
    }
}
