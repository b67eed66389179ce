//! Finds the stores, the person, the host and the time in the environment.

use std::env;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko::{Channel, Engine, Now};

use crate::error::Failure;

/// What the environment says.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where we are.
    pub(crate) start: PathBuf,
    /// The person's own folder, where there is one.
    pub(crate) home: Option<PathBuf>,
    /// The session that is meant where none is named.
    pub(crate) session: Option<String>,
    /// The time.
    pub(crate) now: Timestamp,
}

impl Place {
    /// Looks around, from `directory` or the working directory.
    pub(crate) fn look(directory: Option<&Path>) -> Result<Self, Failure> {
        let start = match directory {
            Some(folder) => folder.to_owned(),
            None => env::current_dir().map_err(|error| {
                Failure::wrong(
                    format!("the working directory is gone: {error}"),
                    "change to a folder that exists",
                )
            })?,
        };
        let start = start.canonicalize().map_err(|error| {
            Failure::usage(format!("cannot use {}: {error}", start.display()), "name a folder that exists")
        })?;
        let session = env::var("RAWKO_SESSION").ok().filter(|name| !name.is_empty());
        Ok(Self { start, home: home(), session, now: Timestamp::now() })
    }

    /// Opens the stores in reach.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        Ok(Engine::open(&self.start, self.home.as_deref(), Now::at(self.now))?)
    }
}

/// A variable that holds an absolute path.
pub(crate) fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The person's own folder, where there is one.
pub(crate) fn home() -> Option<PathBuf> {
    let home = folder("RAWKO_HOME").or_else(|| folder("HOME").map(|home| home.join(".rawko")))?;
    Some(home.canonicalize().unwrap_or(home))
}

/// Variables that the agents' hosts set for the commands they run.
const HOSTS: [(&str, &str); 7] = [
    ("CLAUDECODE", "claude"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("COPILOT_CLI", "copilot"),
    ("CURSOR_AGENT", "cursor"),
    ("OPENCODE", "opencode"),
];

/// An environment variable that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// A program on the search path.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Whether rawko itself started the program that started us.
pub(crate) fn is_inside() -> bool {
    env::var_os(rawko::provider::INSIDE).is_some()
}

/// The agent's host that this runs inside, if it does: a variable that is set counts, also an empty one.
pub(crate) fn agent() -> Option<&'static str> {
    let inside = [(rawko::provider::INSIDE, "rawko"), (crate::commands::hook::SWITCH, "a hook")];
    HOSTS.iter().chain(&inside).find(|(variable, _)| env::var_os(variable).is_some()).map(|(_, host)| *host)
}

/// The name that a person signs with.
pub(crate) fn person() -> String {
    let user = env::var("USER").or_else(|_| env::var("USERNAME")).ok().filter(|user| !user.trim().is_empty());
    user.unwrap_or_else(|| "person".to_owned())
}

/// Whether a person or an agent types, and the name to sign with.
pub(crate) fn writer() -> (Channel, String) {
    agent().map_or_else(|| (Channel::Person, person()), |host| (Channel::Agent, host.to_owned()))
}
