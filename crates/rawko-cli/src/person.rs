//! Who may give a person's word: approve, rate, edit, merge, take back, trust.
//!
//! A person types their answer at a terminal. A script of theirs has no
//! terminal, so it carries their word in `RAWKO_PERSON=yes`. Whatever runs
//! inside an agent's host has neither say: the host's variable counts even
//! where it is empty. Nothing here stops a program that acts as the person;
//! what an agent runs by default is refused, with a sentence for the person.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::error::Failure;
use crate::open;

/// The variable that carries a person's word into their scripts.
pub(crate) const WORD: &str = "RAWKO_PERSON";

/// The person's name, where one can be asked or has given their word.
pub(crate) fn here(command: &str) -> Result<String, Failure> {
    if let Some(host) = open::agent() {
        return Err(Failure::wrong(
            format!("an agent cannot approve or review: this runs inside {host}"),
            format!("a person runs `rawko {command}` in a terminal of their own"),
        ));
    }
    if has_given_word() || is_at_terminal() {
        return Ok(open::person());
    }
    Err(Failure::wrong(
        "nobody is here to ask: there is no terminal",
        format!("a person runs `rawko {command}` in a terminal, or sets {WORD}=yes in a script of their own"),
    ))
}

/// As [`here`], and the person says yes to `what`: by a typed answer, or by the word in their script.
pub(crate) fn says_yes(command: &str, what: &str) -> Result<String, Failure> {
    let name = here(command)?;
    if has_given_word() || answered(what)? {
        return Ok(name);
    }
    Err(Failure::wrong("nothing was changed", "answer `y` to do it"))
}

/// Asks at the terminal.
pub(crate) fn answered(what: &str) -> Result<bool, Failure> {
    answered_on(io::stdout(), what)
}

/// As [`answered`], asked on standard error where the output is for a program.
pub(crate) fn answered_on(mut screen: impl Write, what: &str) -> Result<bool, Failure> {
    write!(screen, "{what} [y/N] ")?;
    screen.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

pub(crate) fn has_given_word() -> bool {
    std::env::var_os(WORD).is_some_and(|value| value == "yes")
}

/// Whether somebody reads and types: both ends are a terminal, and it is this process's own.
fn is_at_terminal() -> bool {
    let own = || std::fs::File::options().read(true).write(true).open("/dev/tty").is_ok();
    io::stdin().is_terminal() && io::stdout().is_terminal() && own()
}
