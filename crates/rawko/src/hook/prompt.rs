//! What a person said, of all that a host calls a prompt.
//!
//! Hosts prompt their models themselves: a background task ended, a command was
//! typed at them, a loop woke up. And what we said earlier may come back inside
//! a prompt. Neither is a task that anybody asks help with.

/// Most bytes of a prompt that are looked at.
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

/// What hosts and rawko put into prompts: opening, closing.
const PUT_IN: [(&str, &str); 4] = [
    ("<hook_context>", "</hook_context>"),
    ("<system-reminder>", "</system-reminder>"),
    ("<system_reminder>", "</system_reminder>"),
    ("[rawko ", "[end of rawko "),
];

/// The words of a prompt that a person said; `None` if nobody did.
pub fn spoken(prompt: &str) -> Option<String> {
    let end = (0..=MOST_BYTES.min(prompt.len())).rev().find(|&at| prompt.is_char_boundary(at))?;
    let text = without_what_was_put_in(&prompt[..end]);
    let text = text.trim();
    let is_command = text.starts_with('/') && !text.contains(char::is_whitespace);
    let by_machine = BY_MACHINE.iter().any(|start| text.starts_with(start));
    (!text.is_empty() && !is_command && !by_machine).then(|| text.to_owned())
}

fn without_what_was_put_in(text: &str) -> String {
    let mut left = text;
    let mut out = String::with_capacity(text.len());
    while let Some((at, (open, close))) =
        PUT_IN.iter().filter_map(|pair| left.find(pair.0).map(|at| (at, *pair))).min_by_key(|(at, _)| *at)
    {
        let inside = &left[at + open.len()..];
        let Some(closes) = inside.find(close) else { break };
        let mut rest = &inside[closes + close.len()..];
        if open.starts_with('[') {
            // The closing line carries a mark: `[end of rawko 6d328c]`.
            rest = rest.split_once(']').map_or("", |(_, rest)| rest);
        }
        out.push_str(&left[..at]);
        left = rest;
    }
    out.push_str(left);
    out
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
