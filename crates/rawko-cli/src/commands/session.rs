//! `rawko session`: what agents find, try and choose while a task goes on.

pub(crate) mod args;
mod read;
mod validate;
mod write;

use std::io::Read as _;

use rawko::core::session::{SessionId, tidy};
use rawko::{Engine, StoreError};

use self::args::{AttemptCommand, Command, Session};
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;

/// Most text that is taken from standard input, in bytes.
const MAX_INPUT: u64 = 1024 * 1024;

/// A command's surroundings.
struct Scene<'a> {
    engine: Engine,
    place: &'a Place,
    out: &'a Output,
}

pub(crate) fn run(args: &Session, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.store(rawko::Whose::Project).is_none() && engine.store(rawko::Whose::Person).is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let scene = Scene { engine, place, out };
    match &args.command {
        Command::Start(args) => scene.start(args),
        Command::List(args) => scene.list(args),
        Command::Show(args) => scene.show(args),
        Command::Prompt(args) => scene.prompt(args),
        Command::Arbiter(args) => scene.arbiter(args),
        Command::Discover(args) => scene.discover(args),
        Command::Attempt(args) => match &args.command {
            AttemptCommand::Start(args) => scene.attempt_start(args),
            AttemptCommand::Update(args) => scene.attempt_update(args),
            AttemptCommand::Finish(args) => scene.attempt_finish(args),
        },
        Command::Decide(args) => scene.decide(args),
        Command::Context(args) => scene.context(args),
        Command::End(args) => scene.end(args),
        Command::Adopt(args) => scene.adopt(args),
        Command::Archive(args) => scene.archive(args),
        Command::Validate(args) => scene.validate(args),
        Command::Search(args) => scene.search(args),
    }
}

impl Scene<'_> {
    /// The session that is meant.
    fn session(&self, name: Option<&str>) -> Result<SessionId, Failure> {
        Ok(self.engine.session(name.or(self.place.session.as_deref()))?)
    }

    /// The agent that is meant: the one named, or the one that began the session.
    fn agent(&self, id: &SessionId, name: Option<&str>) -> Result<String, Failure> {
        if let Some(name) = name {
            return agent_name(name);
        }
        let began = self.engine.sessions()?.metadata(id).ok().and_then(|metadata| metadata.agent);
        Ok(began.unwrap_or_else(|| crate::open::writer().1))
    }
}

/// An agent's name, as typed.
fn agent_name(name: &str) -> Result<String, Failure> {
    one_line(name).ok_or_else(|| Failure::usage("an agent needs a name of one line", "use --agent developer"))
}

/// The name that an entry was given; empty where it gets the next one.
fn entry_name(given: Option<&str>) -> Result<String, Failure> {
    given.map_or(Some(String::new()), one_line).ok_or_else(|| {
        Failure::usage("an entry's name is one line of at most 200 bytes", "leave --id out, and it gets one")
    })
}

fn one_line(name: &str) -> Option<String> {
    let name = name.trim();
    let fits = !name.is_empty() && name.len() <= 200 && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned())
}

/// A text as given, or standard input for `-`.
fn text(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(tidy(given));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(Failure::wrong(
            format!("standard input has over {MAX_INPUT} bytes"),
            "give the part that matters",
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::wrong("standard input is not UTF-8 text", "give text"))?;
    Ok(tidy(&text))
}

/// The word of an enumeration, as typed.
fn word<T>(word: &str, parsed: Option<T>, what: &str, words: &[&str]) -> Result<T, Failure> {
    parsed.ok_or_else(|| {
        Failure::usage(format!("`{word}` is no {what}"), format!("use one of: {}", words.join(", ")))
    })
}
