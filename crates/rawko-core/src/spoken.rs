//! What a person said, of all that a host calls a prompt.
//!
//! Hosts prompt their models themselves: a background task ended, a command was
//! typed at them, a loop woke up. And what hooks and rawko put in comes back
//! inside messages. Neither is anybody's task, and nobody learned it here.

use crate::trigger::head_and_tail;

/// Most bytes of what a person said that are looked at, from both of its ends.
const MOST_BYTES: usize = 64 * 1024;

/// What stands where the middle of a long text was left out when it was read.
pub const CUT: &str = "\n…\n";

/// Bytes of a text from which on such a line is that; in a shorter one, somebody wrote it.
const LEAST_CUT: usize = 16_000;

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
    // Taken apart first: a cut could part what was put in from the mark that says so.
    let parts = apart(prompt);
    // What nothing closes was typed: who asks about our mark is answered.
    let text = parts.own + parts.open;
    let text = head_and_tail(text.trim(), MOST_BYTES);
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

/// Takes a message apart, in time that grows with its length alone: a prompt may be as long as it likes.
pub(crate) fn apart(text: &str) -> Parts<'_> {
    let Some((head, tail)) = text.split_once(CUT).filter(|_| text.len() >= LEAST_CUT) else {
        return marked(text);
    };
    // What was put in may have lost its other mark to the cut: before it an end, behind it a beginning.
    let mut parts = marked(head);
    let begun = without_end(tail);
    parts
        .put_in
        .extend([parts.open, &tail[..tail.len() - begun.len()]].iter().filter(|text| !text.is_empty()));
    let rest = marked(begun);
    parts.own = format!("{}{CUT}{}", parts.own, rest.own);
    parts.put_in.extend(rest.put_in);
    Parts { open: rest.open, ..parts }
}

/// A text behind the mark that ends what began before it.
fn without_end(text: &str) -> &str {
    let ends = PUT_IN.iter().filter_map(|(open, close)| Some((text.find(close)?, *open, *close)));
    let Some((at, open, close)) = ends.min_by_key(|(at, ..)| *at) else { return text };
    let is_begun_here = next_mark(text).is_some_and(|(begin, ..)| begin < at);
    if is_begun_here { text } else { behind(&text[at + close.len()..], open) }
}

/// Takes a text apart that nobody cut.
fn marked(text: &str) -> Parts<'_> {
    let (mut own, mut put_in) = (String::new(), Vec::new());
    let mut left = text;
    loop {
        let Some((at, open, close)) = next_mark(left) else {
            own.push_str(left);
            return Parts { own, put_in, open: "" };
        };
        own.push_str(&left[..at]);
        let inside = &left[at + open.len()..];
        let Some(end) = inside.find(close) else { return Parts { own, put_in, open: &left[at..] } };
        put_in.push(&inside[..end]);
        left = behind(&inside[end + close.len()..], open);
    }
}

/// Where the next mark stands, and which it is.
fn next_mark(text: &str) -> Option<(usize, &'static str, &'static str)> {
    text.match_indices(['<', '[']).find_map(|(at, _)| {
        let (open, close) = PUT_IN.iter().find(|(open, _)| text[at..].starts_with(open))?;
        Some((at, *open, *close))
    })
}

/// What stands behind a closing mark; that of rawko carries a name: `[end of rawko 6d328c]`.
fn behind<'t>(text: &'t str, open: &str) -> &'t str {
    if open.starts_with('[') { text.split_once(']').map_or("", |(_, rest)| rest) } else { text }
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
    fn what_was_put_into_a_long_prompt_is_taken_out_wherever_it_was_cut() {
        let log = "a line of a log\n".repeat(3_000);
        let told = "never use npm\n".repeat(3_000);
        for prompt in [
            format!("Fix it.\n{log}<system-reminder>{told}</system-reminder>\nWhy is it slow?"),
            format!("Fix it.\n{log}{CUT}{told}</system-reminder>\nWhy is it slow?"),
            format!("Fix it.\n<system-reminder>{told}{CUT}{log}\nWhy is it slow?"),
            format!("Fix it.\n<system-reminder>{told}{CUT}{told}</system-reminder>\nWhy is it slow?"),
            format!(
                "Fix it.\n[rawko 6d328c: notes]\n{told}{CUT}{told}[end of rawko 6d328c]\nWhy is it slow?"
            ),
        ] {
            let said = said(&prompt);
            assert!(said.starts_with("Fix it.") && said.ends_with("Why is it slow?"));
            assert!(!said.contains("npm") && !said.contains("6d328c"), "a machine told it");
        }
        assert_eq!(said("a <system-reminder>?\n…\nwhat is it?"), "a <system-reminder>?\n…\nwhat is it?");
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
