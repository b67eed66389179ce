//! What the person is told when something cannot be done: message, hint, exit code.

use std::error::Error;
use std::io::{self, Write};

use clap::Parser;
use rawko::StoreError;
use rawko::core::session::UpdateError;
use rawko::core::{inert, inert_line};
use rawko::store::SessionError;

use crate::args::Cli;

/// Why a command ended without doing what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong: exit 1.
    Wrong { message: String, hint: Option<String> },
    /// Used wrongly: exit 2.
    Usage { message: String, hint: Option<String> },
    /// The output's reader went away: not an error.
    Closed,
    /// Everything was said already: exit 1.
    Said,
    /// Everything was said already: this exit code, another program's.
    Code(u8),
}

impl Failure {
    pub(crate) fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Wrong { message: message.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// Prints what there is to say, and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        let (message, hint, code) = match self {
            Self::Closed => return 0,
            Self::Said => return 1,
            Self::Code(code) => return *code,
            Self::Wrong { message, hint } => (message, hint, 1),
            Self::Usage { message, hint } => (message, hint, 2),
        };
        let mut text = format!("error: {}\n", inert_line(message));
        if let Some(hint) = hint {
            text.push_str(&format!("hint: {}\n", inert_line(hint)));
        }
        // Where nobody listens, the exit code still tells.
        let _ = io::stderr().lock().write_all(text.as_bytes());
        code
    }
}

/// Prints what clap says of the command line, and gives the exit code.
///
/// It quotes words that it was given, so it is asked once more about the same words made inert.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    let words: Vec<String> = std::env::args_os().map(|word| inert_line(&word.to_string_lossy())).collect();
    let plain = words.iter().any(|word| word == "--color=never")
        || words.windows(2).any(|pair| pair[0] == "--color" && pair[1] == "never");
    // Where nobody listens, the exit code still tells.
    if !error.use_stderr() && !plain {
        let _ = error.print();
    } else {
        let again = Cli::try_parse_from(&words).err().filter(|again| again.kind() == error.kind());
        let text = again.as_ref().unwrap_or(error).render().to_string();
        let _ = match error.use_stderr() {
            true => io::stderr().lock().write_all(inert(&text).as_bytes()),
            false => io::stdout().lock().write_all(inert(&text).as_bytes()),
        };
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        match hint(&error) {
            Some(hint) => Self::wrong(message, hint),
            None => Self::Wrong { message, hint: None },
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Wrong { message: format!("cannot write the output: {error}"), hint: None }
    }
}

fn hint(error: &StoreError) -> Option<&'static str> {
    use std::io::ErrorKind::{
        NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    Some(match error {
        StoreError::NoStore(_) => "run `rawko init` in your project, or use `--personal` for your own store",
        StoreError::Missing(_) => "`rawko list` shows the names",
        StoreError::NoName { .. } => "give it another title",
        StoreError::Unapproved(_) => "look at it and approve it first: `rawko review`",
        StoreError::NotLast(_) => "run `rawko undo` again: it says what is the last one now",
        StoreError::OutOfUse(..) => {
            "name one that is in use, or bring it back: `rawko review --approve`, `rawko undo`"
        }
        StoreError::Damaged(_) => "`rawko validate` says what to mend",
        StoreError::BadName { .. } => "names look like `deploy-from-main` or `failures/npm-install`",
        StoreError::TooNew { .. } => "install a newer rawko; nothing was changed",
        StoreError::Busy { .. } => "try again; nothing was lost",
        StoreError::TooLong { .. } => "give the part that matters",
        StoreError::NotPlain { .. } => "put a plain folder or file there",
        StoreError::Session(error) => return Some(session_hint(error)),
        StoreError::Io { source, .. } => match source.kind() {
            StorageFull | QuotaExceeded => "free some space and try again; nothing that was saved is lost",
            PermissionDenied => "check who owns the folder and may write to it",
            NotADirectory => "a file stands where a folder is wanted: is `-C`, RAWKO_HOME or HOME right?",
            ReadOnlyFilesystem => "the disk is read-only here; reading still works",
            _ => return None,
        },
    })
}

fn session_hint(error: &SessionError) -> &'static str {
    match error {
        SessionError::Missing(_) => "`rawko session list` shows the names",
        SessionError::Foreign(_) => {
            "read it with `rawko session show`; `rawko session adopt` lets agents be told of it"
        }
        SessionError::Ambiguous { .. } => "give more of the name",
        SessionError::NoneOpen => {
            "run `rawko session start \"what it is about\"`, or name one of `rawko session list`"
        }
        SessionError::NoStep { .. } => "`rawko session show --json` has the plan; nothing was changed",
        SessionError::Damaged { .. } => "`rawko session validate` says what to mend; nothing was changed",
        SessionError::Update { source, .. } => match source {
            UpdateError::Damaged(_) => "`rawko session validate` says what to mend; nothing was changed",
            UpdateError::TooNew { .. } => "install a newer rawko; nothing was changed",
            UpdateError::NoAttempt { .. } => "`rawko session show` lists the attempts",
            UpdateError::NothingGoesOn { .. } => "begin one with `rawko session attempt start`, or name one",
            UpdateError::TooLong { .. } => "give the part that matters",
            UpdateError::Full(_) => "run `rawko session archive --keep 0`: nothing is lost",
        },
    }
}
