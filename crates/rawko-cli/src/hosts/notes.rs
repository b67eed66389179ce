//! Notes that a host writes down late: it tells of a turn's end before the turn is in them.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Host, tail};

/// How long a process that nobody waits for waits for notes.
pub(super) const PATIENTLY: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of the last words by which they are known again.
const ENOUGH: usize = 120;

/// How long the host is kept waiting for them. For Claude Code's not at all: what is not there when it tells of the end is
/// left to a process of its own.
pub(super) fn briefly(host: Host) -> Duration {
    if host == Host::Copilot { Duration::from_millis(300) } else { Duration::ZERO }
}

/// Waits until a host has written a turn down that ended with these words; tells whether it is there.
pub(super) fn wait(host: Host, path: &Path, said: &str, limit: Duration) -> bool {
    if !matches!(host, Host::Claude | Host::Copilot) {
        return true;
    }
    let start = Instant::now();
    loop {
        if tail(path).is_some_and(|notes| is_written_down(host, &notes, said)) {
            return true;
        }
        if start.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_written_down(host: Host, notes: &str, said: &str) -> bool {
    let last = |what: &str| notes.rfind(what);
    match host {
        // The last turn that began has ended.
        Host::Copilot => {
            let began = last("{\"type\":\"assistant.turn_start\"").or(last("{\"type\":\"user.message\""));
            last("{\"type\":\"assistant.turn_end\"") > began
        }
        // The last words are there, or what was asked before them, or was shown by a tool: the words themselves come with
        // the event.
        Host::Claude => {
            let words = said.trim();
            let words =
                serde_json::to_string(&words[..words.floor_char_boundary(ENOUGH)]).unwrap_or_default();
            last(words.trim_matches('"')).is_some()
                || last("\"type\":\"user\"") > last("\"type\":\"assistant\"")
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_copilot_is_written_down_when_its_end_is() {
        let start = "{\"type\":\"assistant.turn_start\"}\n";
        let end = "{\"type\":\"assistant.turn_end\"}\n";
        let is_there = |notes: &str| is_written_down(Host::Copilot, notes, "");
        assert!(!is_there(start) && !is_there(&format!("{start}{end}{start}")));
        assert!(is_there(&format!("{start}{end}")));
    }

    #[test]
    fn a_turn_of_claude_is_written_down_when_what_was_asked_or_said_last_is() {
        let said = format!("It \"works\" now:\n```\n{}\n```", "é".repeat(400));
        let is_there = |notes: &str| is_written_down(Host::Claude, notes, &said);
        let asked = "{\"uuid\":\"1\",\"type\":\"user\"}\n";
        let earlier = "{\"type\":\"assistant\",\"message\":{\"content\":\"Before.\"}}\n";
        let last = serde_json::json!({ "type": "assistant", "message": { "content": said } });
        assert!(!is_there("{\"type\":\"queue-operation\",\"content\":\"Fix it.\"}\n"));
        assert!(!is_there(&format!("{asked}{earlier}")), "that was another turn");
        assert!(is_there(asked) && is_there(&format!("{asked}{earlier}{asked}")));
        assert!(is_there(&format!("{asked}{last}\n")));
    }

    #[test]
    fn notes_that_are_begun_after_the_end_was_told_are_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("events.jsonl");
        assert!(!wait(Host::Copilot, &notes, "", PAUSE));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(3 * PAUSE);
                std::fs::write(&notes, "{\"type\":\"assistant.turn_end\"}\n").expect("written");
            });
            assert!(wait(Host::Copilot, &notes, "", PATIENTLY));
        });
    }
}
