//! Which failures teach something, and what an error says without its accidents.

use super::Move;
use super::command::Command;

/// Longest error text that is looked at, in bytes: its head and its tail.
pub(super) const LONGEST: usize = 16 * 1024;

/// Why a failure is not learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLearned {
    /// Somebody stopped it, or did not allow it.
    Stopped,
    /// The exit code was the answer to a question.
    Answer,
    /// The host only wanted something else done first.
    Precondition,
    /// It passes by itself: a timeout, a lock that somebody else holds.
    Passing,
}

#[rustfmt::skip]
const STOPPED: &[&str] = &[
    "doesn't want to proceed", "user rejected", "user denied", "permission to use", "keyboardinterrupt", "operation was aborted", "requires approval",
    "blocked by policy", "has been denied",
];
#[rustfmt::skip]
const PRECONDITION: &[&str] = &[
    "has not been read yet", "read it first", "must be read before", "modified since read", "has been unexpectedly modified",
    "changed since it was last read", "must read the file",
];
/// What passes by itself.
#[rustfmt::skip]
const PASSING: &[&str] = &[
    "timed out", "time-out", "etimedout", "deadline exceeded", "econnreset", "reset by peer", "hang up", "hung up", "socket error", "intermittent",
    "eai_again", "try again later", "try again in", "retry later", "please retry", "too many requests", "toomanyrequests", "rate limit", "rate-limit",
    "rate exceeded", "currently unavailable", "early eof", "unexpected eof", "broken pipe", "network is unreachable", "tls handshake",
    "no response from", "overloaded", "econnaborted", "enetunreach", "ehostunreach", "no route to host", "not closed cleanly", "unexpected disconnect",
    "quota exceeded for", "throttl", "slowdown", "transient", "ssl_error_syscall",
    // What somebody else is busy with.
    "resource busy", "text file busy", "deadlock detected", "could not serialize access", "is already running", "conflict with other",
];
/// Who else there may be.
const OTHERS: &[&str] =
    &["another process", "another git process", "another instance", "another operation", "by another"];
/// What one says of a lock that somebody else holds.
const HELD: &[&str] =
    &["held", "acqui", "obtain", "get lock", "is locked", "already", "exists", "unable to lock"];
/// What a server says that is not well, for a while.
const UNWELL: &[&str] = &["bad gateway", "service unavailable", "internal server error", "gateway time"];
/// Notices of a wait: they count only where nothing else went wrong.
const WAITS: &[&str] = &["waiting for file lock", "blocking waiting for", "waiting for lock"];

/// Whether a text says that a person did not want it: `denied by user`, `Permission denied by the user`.
fn is_refused(text: &str) -> bool {
    #[rustfmt::skip]
    const DEEDS: &[&str] = &[
        "interrupted", "rejected", "denied", "cancelled", "canceled", "aborted", "declined", "refused", "stopped", "blocked", "skipped", "disallowed",
    ];
    let ends = |start: &str| DEEDS.iter().any(|deed| start.trim_end().ends_with(deed));
    ["by user", "by the user", "by a user", "by a person", "by the operator", "by the person"]
        .iter()
        .any(|who| text.match_indices(who).any(|(at, _)| ends(&text[..at])))
}

/// Whether a line says that somebody stopped the program.
fn is_stopped(line: &str) -> bool {
    const WORDS: &[&str] = &["interrupt", "interrupted", "sigint", "interruptexception", "keyboardinterrupt"];
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    // `Apply cancelled.`; that a test's order is cancelled is something else.
    let last = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    let cancelled = ["cancelled", "canceled"].iter().any(|word| last.ends_with(word))
        && line.split_whitespace().count() <= 4
        && !line.contains(['"', '\'', ':', '=']);
    // A test run that stops by itself says why: `Interrupted: 1 error`.
    let by_itself = line.contains("interrupted: ") || line.contains("interrupted system call");
    line.starts_with("^c") || cancelled || !by_itself && words.any(|word| WORDS.contains(&word))
}

/// Whether a line is the title of a test, or says what it wanted: what it is called says nothing of why it failed.
fn is_title(line: &str) -> bool {
    const STARTS: &[&str] = &["●", "✕", "×", "✗", "✘", "test ", "--- fail", "fail ", "not ok", "≫"];
    STARTS.iter().any(|start| line.trim_start().starts_with(start))
        || line.starts_with("failed ") && line.contains("::")
        || ["expected", "assert", "received:"].iter().any(|word| line.contains(word))
}

/// Whether a line gives the status of a server that is not well: `HTTP 503`, `status code: 500`, `returned error: 502`.
fn is_server_error(line: &str) -> bool {
    const CODES: &[&str] = &["500", "502", "503", "504", "429", "408", "522", "524"];
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let near = &words[at.saturating_sub(4)..at];
        let told = near
            .iter()
            .any(|word| ["http", "https", "status", "code", "error", "returned", "response"].contains(word));
        CODES.contains(word) && told
    })
}

/// Why this failure teaches nothing; `None` if it does.
pub(super) fn not_learned(
    moved: &Move,
    exit: Option<i32>,
    error: &str,
    interrupted: bool,
) -> Option<NotLearned> {
    let text = error.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    // Who is stopped says so first or last; in between it may be what the program is about.
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let ends = lines.iter().take(2).chain(lines.iter().rev().take(4));
    let stopped = ends.into_iter().any(|line| !is_title(line) && is_stopped(line));
    if interrupted || says(STOPPED) || is_refused(&text) || matches!(exit, Some(130 | 143)) || stopped {
        return Some(NotLearned::Stopped);
    }
    if !matches!(moved, Move::Command(_)) && says(PRECONDITION) {
        return Some(NotLearned::Precondition);
    }
    if let Move::Command(command) = moved {
        // Without an exit code, a question that complains of nothing was answered with no.
        let answered = match exit {
            Some(exit) => is_answer(command, exit, error),
            None => is_answer(command, 1, error) && !complains(command, &text),
        };
        if answered {
            return Some(NotLearned::Answer);
        }
    }
    let plain = || text.lines().filter(|line| !is_title(line));
    // `Net::OpenTimeout`, `TimeoutError`: kinds of errors are written large, fields of settings are not.
    let is_timeout = |word: &str| word.starts_with(char::is_uppercase) && word.contains("Timeout");
    let raised = || error.lines().any(|line| line.split(|c: char| !c.is_alphanumeric()).any(is_timeout));
    let times_out = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '=').any(|word| word == "timeout")
    };
    // What a test wanted and did not get is no accident: the server that it asked is its own.
    let asserts = text.lines().any(|line| line.contains("assert") || line.contains("not equal to"));
    let unwell = |line: &str| UNWELL.iter().any(|phrase| line.contains(phrase)) || is_server_error(line);
    let passes = |line: &str| {
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| line.contains(phrase));
        let is_lock = |word: &str| {
            ["lock", "lease", "mutex"].iter().any(|lock| word.starts_with(lock)) || word.ends_with(".lock")
        };
        let locked =
            line.split(|c: char| c.is_whitespace() || "\"'`(".contains(c)).any(is_lock) && says(HELD);
        let cut = says(&["connection"]) && says(&["reset", "closed", "aborted", "lost"]);
        // To be told to do something for a while is no state.
        let for_a_while = says(&["temporar"]) && !says(&["to temporar"]);
        !line.contains("refused") && (says(PASSING) || says(OTHERS) || locked || cut || for_a_while)
            || times_out(line)
            || !asserts && unwell(line)
    };
    let waits = || says(WAITS) && !text.lines().any(|line| line.starts_with("error"));
    (exit == Some(124) || plain().any(passes) || waits() || !asserts && raised())
        .then_some(NotLearned::Passing)
}

/// Whether the program that gave this exit code meant it as an answer.
fn is_answer(command: &Command, exit: i32, error: &str) -> bool {
    let answers = |step: &super::step::Step| {
        let has = |word: &&str| step.sub.as_deref() == Some(word) || step.raw.iter().any(|raw| raw == word);
        let mut known = step.tool().answers.iter();
        // A list of what could be newer ends with 1 where there is something to list.
        let mut verbs = step.sub.iter().chain(step.words.iter().take(2)).chain(&step.flags);
        let lists =
            exit == 1 && verbs.any(|word| word.split(['.', ':', '-', ' ']).any(|part| part == "outdated"));
        // Who is told to put the answer into the exit code does so.
        let told = |word: &String| {
            (word.contains("exit-code") || word.contains("exitcode")) && !word.contains("error")
        };
        let coded = matches!(exit, 1 | 2) && step.raw.iter().any(told) && !is_trouble(error, exit);
        let answered = |answer: &super::tools::Answer| {
            let asks = answer.with.is_empty() || answer.with.iter().all(&has);
            answer.codes.contains(&exit) && asks && (answer.with.is_empty() || !is_trouble(error, exit))
        };
        // What is asked for differences says by 1 that there are some.
        let differs = exit == 1 && says_diff(step) && !is_trouble(error, exit);
        lists || coded || differs || known.any(answered)
    };
    // `[ -f x ] && cat x` says nothing where the question was answered with no.
    let silent = error.trim().is_empty();
    let elsewhere = || {
        let command = command.last().and_then(super::step::Step::remote)?;
        Some(is_answer(&command, exit, error))
    };
    command.last().is_some_and(answers)
        || silent && command.steps().any(answers)
        || elsewhere().unwrap_or_default()
}

/// Whether a program is asked for differences: `x diff`.
fn says_diff(step: &super::step::Step) -> bool {
    step.sub.as_ref().or(step.words.first()).is_some_and(|verb| verb == "diff") && step.program != "git"
}

/// Whether a program says in its own name that something is wrong: `grep: x: No such file or directory`.
fn complains(command: &Command, lower: &str) -> bool {
    let mut programs = command.steps().map(|step| format!("{}: ", step.program.to_lowercase()));
    is_trouble(lower, 1) || programs.any(|start| lower.lines().any(|line| line.starts_with(&start)))
}

/// Whether the program says that it could not even find out.
fn is_trouble(error: &str, exit: i32) -> bool {
    let first = error.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_lowercase();
    exit == 1 && ["error: error", "error: ", "fatal: "].iter().any(|start| first.starts_with(start))
}

/// Head and tail of a long text, whole lines where it can be.
pub(super) fn bounded(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let head = floor(text, LONGEST / 2);
    let tail = ceil(text, text.len() - LONGEST / 2);
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}

pub(super) fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The lines of an error that say what went wrong, at most `most`.
pub fn gist(error: &str, most: usize) -> Vec<String> {
    #[rustfmt::skip]
    const TELLS: &[&str] = &[
        "error", "fail", "cannot", "can't", "could not", "not found", "no such", "denied", "refused", "missing", "invalid", "undefined", "unknown",
        "unable", "fatal", "panick", "exception", "does not", "doesn't", "expected", "rejected", "unresolved", "not allowed", "must ", "no rule",
    ];
    let text = bounded(error);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| line.len() > 3).collect();
    let tells = |line: &&&str| {
        let lower = line.to_lowercase();
        TELLS.iter().any(|word| lower.contains(word))
    };
    let mut chosen: Vec<&str> = lines.iter().filter(tells).take(most).copied().collect();
    if chosen.is_empty() {
        chosen = lines.iter().rev().take(most).rev().copied().collect();
    }
    chosen.iter().map(|line| line[..floor(line, line.len().min(240))].to_owned()).collect()
}

/// What stays of an error when times, counts, addresses, process ids, line numbers and temporary names are taken out.
pub fn signature(error: &str) -> String {
    gist(error, 3).iter().map(|line| line_signature(line)).collect::<Vec<_>>().join("\n")
}

fn line_signature(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        if super::place::is_temporary(word.trim_start_matches(['"', '\'', '(', '`'])) {
            return "<tmp>".to_owned();
        }
        let mut out = String::with_capacity(word.len());
        for part in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let stem = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let digits = stem.bytes().filter(u8::is_ascii_digit).count();
            let hex = stem.len() >= 6 && digits > 0 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
            let starts = stem.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
            if hex || starts {
                out.push('#');
            } else {
                out.push_str(stem);
            }
            out.push_str(&part[stem.len()..]);
        }
        // `3.2` is as much a number as `3`.
        while out.contains("#.#") {
            out = out.replace("#.#", "#");
        }
        out
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A host's failure text as exit code and output: `Exit code 2`, then the rest.
pub fn exit_code(text: &str) -> (Option<i32>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let lower = first.trim().to_ascii_lowercase();
    let code =
        lower.strip_prefix("exit code").or_else(|| lower.strip_prefix("command failed with exit code"));
    let code = code.and_then(|code| code.trim().trim_matches([':', '.', ' ']).parse().ok());
    if code.is_some() { (code, rest) } else { (None, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_are_not_part_of_an_error() {
        let a = "error: worker 4711 died after 3.2s at 0x7ffe12ab90 (src/main.rs:10:5)\nlog: /tmp/run.Ab12/x.log failed";
        let b = "error: worker 99 died after 12s at 0x55aa00cc11 (src/main.rs:88:1)\nlog: /tmp/run.Zz93/x.log failed";
        assert_eq!(signature(a), signature(b));
        assert_ne!(signature(a), signature("error: worker 4711 was refused"));
    }

    #[test]
    fn the_exit_code_comes_first() {
        assert_eq!(exit_code("Exit code 2\nno such file"), (Some(2), "no such file"));
        assert_eq!(exit_code("Exit code 1"), (Some(1), ""));
        assert_eq!(exit_code("String to replace not found"), (None, "String to replace not found"));
    }
}
