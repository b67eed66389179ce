//! How a run ended, told from what happened in it.
//!
//! Hosts say that a turn is over, not whether it was any good. A check that
//! failed and was not made again, a last command that failed, or an agent that
//! says it gives up is a failure; where something was changed after the check
//! and nobody looked again, the run is half done. Everything else is taken for
//! a success, because most runs are.

use crate::run_record::{Run, RunResult, Speaker, Step};

/// What agents say who did not get there.
const GAVE_UP: [&str; 14] = [
    "i give up",
    "i gave up",
    "i am giving up",
    "i'm giving up",
    "i am stuck",
    "i'm stuck",
    "i was unable to",
    "i am unable to",
    "i'm unable to",
    "i was not able to",
    "i wasn't able to",
    "i could not get it",
    "i couldn't get it",
    "could not be completed",
];

/// Words of commands that check something.
#[rustfmt::skip]
const CHECKS: [&str; 17] = [
    "test", "tests", "check", "build", "lint", "clippy", "pytest", "jest", "vitest", "tsc", "make", "mypy", "ruff",
    "eslint", "compile", "verify", "rspec",
];

/// Programs that say no with an exit code, and nothing is wrong.
const ASKS: [&str; 12] =
    ["grep", "rg", "ls", "cat", "find", "diff", "which", "test", "[", "stat", "pgrep", "command"];

/// How a run ended.
pub fn how_it_ended(run: &Run) -> RunResult {
    if gave_up(run) {
        return RunResult::Failure;
    }
    let commands = run.steps.iter().enumerate().rev().filter_map(|(at, step)| match step {
        Step::Command { command, exit: Some(exit), .. } => Some((at, command.as_str(), *exit)),
        _ => None,
    });
    let told: Vec<(usize, &str, i32)> = commands.filter(|(_, command, _)| !only_asks(command)).collect();
    let last = told.first();
    let check = told.iter().find(|(_, command, _)| is_check(command));
    let failed = [last, check].into_iter().flatten().filter(|(_, _, exit)| *exit != 0);
    let Some(at) = failed.map(|(at, ..)| *at).max() else { return RunResult::Success };
    let changed = run.steps[at..].iter().any(|step| matches!(step, Step::Edit { .. }));
    if changed { RunResult::Partial } else { RunResult::Failure }
}

fn gave_up(run: &Run) -> bool {
    let said = run.steps.iter().rev().find_map(|step| match step {
        Step::Said { by: Speaker::Agent, text } => Some(text.as_str()),
        _ => None,
    });
    let said = said.unwrap_or(&run.output).to_lowercase().replace('’', "'");
    GAVE_UP.iter().any(|words| said.contains(words))
}

/// The program of the last part of a command line, without its folder.
fn program(command: &str) -> &str {
    let last = command.rsplit(['|', ';', '&', '\n']).find(|part| !part.trim().is_empty()).unwrap_or(command);
    let word = last.split_whitespace().find(|word| !word.contains('=')).unwrap_or("");
    word.rsplit('/').next().unwrap_or(word)
}

fn only_asks(command: &str) -> bool {
    ASKS.contains(&program(command))
}

fn is_check(command: &str) -> bool {
    command.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| CHECKS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(command: &str, exit: i32) -> Step {
        Step::Command { command: command.to_owned(), exit: Some(exit), output: String::new() }
    }

    fn said(text: &str) -> Step {
        Step::Said { by: Speaker::Agent, text: text.to_owned() }
    }

    fn edit() -> Step {
        Step::Edit { file: "a.rs".to_owned(), before: "a".to_owned(), after: "b".to_owned() }
    }

    fn ended(steps: Vec<Step>) -> RunResult {
        how_it_ended(&Run { steps, ..Run::default() })
    }

    #[test]
    fn a_check_that_failed_last_is_a_failure_until_something_mends_it() {
        use RunResult::{Failure, Partial, Success};
        let fails = || command("cargo test", 101);
        assert_eq!(ended(vec![fails(), fails(), fails(), said("Hm.")]), Failure);
        assert_eq!(ended(vec![fails(), command("git status", 0)]), Failure);
        assert_eq!(ended(vec![fails(), edit(), command("cargo test -q", 0), said("Done.")]), Success);
        assert_eq!(ended(vec![fails(), edit(), said("That should do.")]), Partial);
        assert_eq!(ended(vec![command("git push", 1)]), Failure);
        assert_eq!(ended(vec![command("git push", 1), command("git push --force-with-lease", 0)]), Success);
    }

    #[test]
    fn a_question_that_is_answered_no_is_no_failure() {
        assert_eq!(ended(vec![command("grep -rn foo src", 1), said("It is nowhere.")]), RunResult::Success);
        assert_eq!(ended(vec![command("cd x && /usr/bin/test -f y", 1)]), RunResult::Success);
        assert_eq!(ended(vec![]), RunResult::Success);
    }

    #[test]
    fn an_agent_that_gives_up_has_failed() {
        assert_eq!(
            ended(vec![command("ls", 0), said("I give up: the linker is missing.")]),
            RunResult::Failure
        );
        assert_eq!(ended(vec![said("I’m stuck here."), said("Found it. Done.")]), RunResult::Success);
        let output = "I was unable to reproduce it.".to_owned();
        assert_eq!(how_it_ended(&Run { output, ..Run::default() }), RunResult::Failure);
    }
}
