//! What a person said, of all that a host calls a prompt.
//!
//! Hosts prompt their models themselves: a background task ended, a command was
//! typed at them, a loop woke up. And what hooks and rawko put in comes back
//! inside messages. Neither is anybody's task, and nobody learned it here.

use crate::trigger::head_and_tail;

/// Most bytes of a prompt that are looked at, from both of its ends.
const MOST_BYTES: usize = 64 * 1024;

/// How prompts begin that a host made itself.
const BY_MACHINE: [&str; 12] = [
    "<task-notification",
    "<local-command-",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
    "<system-reminder>",
    "<system_reminder>",
    "<environment_context>",
    "[Request interrupted",
];

/// What hosts and rawko put into messages: opening, closing.
const PUT_IN: [(&str, &str); 4] = [
    ("[rawko ", "[end of rawko "),
    ("<system-reminder>", "</system-reminder>"),
    ("<system_reminder>", "</system_reminder>"),
    ("<hook_context>", "</hook_context>"),
];

/// The words of a prompt that a person said; `None` if nobody did.
pub fn spoken(prompt: &str) -> Option<String> {
    let prompt = head_and_tail(prompt, MOST_BYTES);
    let parts = apart(&prompt);
    // What nothing closes was typed: who asks about our mark is answered.
    let text = parts.own + parts.open;
    let text = text.trim();
    let is_command = text.starts_with('/') && !text.contains(char::is_whitespace);
    (!text.is_empty() && !is_command && !is_by_machine(text)).then(|| text.to_owned())
}

/// Whether a host made a message itself.
pub(crate) fn is_by_machine(text: &str) -> bool {
    BY_MACHINE.iter().any(|start| text.starts_with(start))
}

/// A message in its parts.
pub(crate) struct Parts<'t> {
    /// Its words without what was put in.
    pub(crate) own: String,
    /// What was put in.
    pub(crate) put_in: Vec<&'t str>,
    /// From a mark on that nothing closes; else empty.
    pub(crate) open: &'t str,
}

/// Takes a message apart.
pub(crate) fn apart(text: &str) -> Parts<'_> {
    let (mut own, mut put_in) = (String::new(), Vec::new());
    let mut left = text;
    loop {
        let marks = PUT_IN.iter().filter_map(|(open, close)| Some((left.find(open)?, *open, *close)));
        let Some((at, open, close)) = marks.min_by_key(|(at, ..)| *at) else {
            own.push_str(left);
            return Parts { own, put_in, open: "" };
        };
        own.push_str(&left[..at]);
        let inside = &left[at + open.len()..];
        let Some(end) = inside.find(close) else { return Parts { own, put_in, open: &left[at..] } };
        put_in.push(&inside[..end]);
        left = &inside[end + close.len()..];
        if open.starts_with('[') {
            // The closing line carries a mark: `[end of rawko 6d328c]`.
            left = left.split_once(']').map_or("", |(_, rest)| rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(prompt: &str) -> String {
        spoken(prompt).unwrap_or_else(|| "(nobody)".to_owned())
    }

    #[test]
    fn a_persons_words_are_taken_as_they_are() {
        assert_eq!(said("Fix the build\nof <main>"), "Fix the build\nof <main>");
        assert_eq!(said("/review the payment code"), "/review the payment code");
        assert_eq!(said("what is [rawko 1]?"), "what is [rawko 1]?");
    }

    #[test]
    fn what_was_put_in_is_taken_out() {
        let ours = "[rawko 6d328c: notes]\n## Background\n[end of rawko 6d328c]\nFix it";
        assert_eq!(said(ours), "Fix it");
        assert_eq!(said("<hook_context>a</hook_context>\n\nFix it"), "Fix it");
    }

    #[test]
    fn of_a_long_prompt_both_ends_are_taken() {
        let said = said(&format!("Fix it.\n{}Why is it slow?", "a line of a log\n".repeat(10_000)));
        assert!(said.starts_with("Fix it.\na line") && said.ends_with("a log\nWhy is it slow?"));
        assert!(said.len() <= MOST_BYTES);
    }

    #[test]
    fn nobody_said_what_a_machine_made() {
        for prompt in [
            "",
            "  ",
            "/compact",
            "<task-notification>\n<task-id>1</task-id>",
            "<command-name>/clear</command-name>",
            "<system-reminder>x</system-reminder>",
            "[Request interrupted by user]",
        ] {
            assert_eq!(spoken(prompt), None, "{prompt}");
        }
    }
}
