//! Words in front of a command that start it and change nothing about it.

use super::super::shell::assignment;
use super::super::tools;

/// The words behind `env`, `time`, `timeout` and the like, which change nothing.
pub(super) fn unwrapped<'a>(words: &'a [String], env: &mut Vec<(String, String)>) -> &'a [String] {
    let mut rest = words;
    loop {
        let Some(first) = rest.first() else { return rest };
        // What stands behind the wrapper's own options, of which these take a word.
        let behind = |valued: &[&str]| {
            let mut at = 1;
            while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
                at += if valued.contains(&word.as_str()) { 2 } else { 1 };
            }
            rest.get(at..).unwrap_or_default()
        };
        rest = match first.as_str() {
            "command" if rest.get(1).is_some_and(|word| word.starts_with('-')) => return rest,
            "time" | "command" | "exec" | "nohup" | "builtin" | "setsid" | "chronic" | "unbuffer"
            | "caffeinate" | "noglob" | "winpty" => behind(&["-o", "-f"]),
            "nice" | "ionice" | "stdbuf" | "taskset" | "xvfb-run" => {
                behind(&["-n", "-c", "-i", "-o", "-e", "-s"])
            }
            "timeout" | "gtimeout" => behind(&["-k", "-s"]).get(1..).unwrap_or_default(),
            "sudo" | "doas" if rest.len() > 1 => {
                env.push((first.clone(), String::new()));
                assigned(behind(&["-u", "-g", "-h", "-p"]), env)
            }
            "env" if rest.len() > 1 => assigned(behind(&["-u", "-C", "-S"]), env),
            "corepack" if rest.get(1).is_some_and(|word| tools::is_known(word)) => &rest[1..],
            _ => return rest,
        };
        // `time` alone, or `env` that only shows what is set.
        if rest.is_empty() {
            return words;
        }
    }
}

/// What stands behind `NAME=value`, which is set for it.
fn assigned<'a>(mut words: &'a [String], env: &mut Vec<(String, String)>) -> &'a [String] {
    while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
        env.push((name.to_owned(), value.to_owned()));
        words = &words[1..];
    }
    words
}

/// The command line that a shell is given: `bash -lc '…'`.
pub(in super::super) fn shell_text(words: &[String]) -> Option<&str> {
    let mut env = Vec::new();
    let words = unwrapped(words, &mut env);
    let (program, rest) = words.split_first()?;
    let shell = matches!(program.rsplit('/').next()?, "sh" | "bash" | "zsh" | "dash" | "ksh");
    let at = rest
        .iter()
        .position(|word| !word.starts_with('-') || word.contains('c') && !word.starts_with("--"))?;
    let takes = rest[at].starts_with('-');
    (shell && takes && env.is_empty() && rest.len() == at + 2).then(|| rest[at + 1].as_str())
}
