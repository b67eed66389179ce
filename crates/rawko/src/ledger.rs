//! Never the same mistake twice: asked before a move, told after it.
//!
//! The question costs a lookup where there is nothing to say. A failure speaks
//! only while it holds: the files that it depended on are as they were, nobody
//! has supplied what was missing, and the same move has not succeeded since.

mod lesson;
mod screen;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rawko_core::ledger::{At, Because, Failure, Move, NotLearned, Outcome, Root};
use rawko_core::{Redactor, inert_line};
use rawko_store::{Calls, FileStore, Kept, Ledger, MoveTree, StoreError, Told};

use crate::engine::Engine;

pub(crate) use self::screen::Screen;

/// Most failures that are looked at before a move.
const MOST_ASKED: usize = 24;
/// How long a session's start may look for failures that still hold: a host waits for it.
const MOMENT: Duration = Duration::from_millis(200);
/// Most failures that a success is held against.
const MOST_LIVE: usize = 200;

/// What a host tells after a move.
#[derive(Clone, Debug)]
pub struct Event {
    /// The move.
    pub moved: Move,
    /// Where it was made: a folder.
    pub cwd: PathBuf,
    /// What became of it.
    pub outcome: Outcome,
    /// The session.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// The host's name for this call, as it was given to [`Engine::before`].
    pub call: Option<String>,
    /// Why it failed, where that is known.
    pub cause: Option<String>,
    /// What was learned from it.
    pub lesson: Option<String>,
}

/// What the ledger made of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The failure is kept, under this id.
    Kept(String),
    /// The failure teaches nothing.
    NotLearned(NotLearned),
    /// A success; so many failures no longer hold.
    Cleared(usize),
    /// There is no store to keep it in.
    NoStore,
}

/// What an agent should hear before it makes a move that failed before.
#[derive(Clone, Debug)]
pub struct Warning {
    /// The earlier failure.
    pub failure: Failure,
    /// Why it speaks to this move.
    pub because: Because,
}

impl Engine {
    /// The folder that moves are seen from: the project's.
    pub fn root(&self) -> Option<&Path> {
        self.home_store().map(|store| store.layout().project())
    }

    /// A command line, started in `cwd`.
    pub fn command(&self, text: &str, cwd: &Path) -> Move {
        self.seen(cwd, |at| Move::command(text, at))
    }

    /// A host's tool call.
    pub fn tool_call(&self, tool: &str, input: &serde_json::Value, cwd: &Path) -> Move {
        self.seen(cwd, |at| Move::of_tool(tool, input, at))
    }

    fn seen<T>(&self, cwd: &Path, look: impl FnOnce(At<'_>) -> T) -> T {
        let root = self.root().unwrap_or(Path::new("/")).to_string_lossy();
        look(At { root: &root, cwd: &cwd.to_string_lossy() })
    }

    /// What is known against a move that is about to be made; `call` is the host's name for it, if it has one.
    pub fn before(&self, moved: &Move, call: Option<&str>) -> Result<Option<Warning>, StoreError> {
        let Some(store) = self.home_store() else { return Ok(None) };
        if let Some(call) = call {
            // Without this mark, a file that the move itself changes is taken for what it was before.
            let _ = Calls::of(store.layout()).began(call, self.now());
        }
        let tree = MoveTree::at(store.layout().project());
        let found = Ledger::of(store).find(&moved.keys(), MOST_ASKED, self.now())?;
        let warning = found.into_iter().find_map(|kept| {
            let because =
                kept.failure.speaks_to(moved).filter(|because| holds(&tree, &kept.failure, because));
            // A file that is not there stays the reason, whatever else has changed.
            let lacks =
                || kept.failure.lacks_of(moved).filter(|because| holds(&tree, &kept.failure, because));
            let because = because.or_else(lacks)?;
            Some(Warning { failure: kept.failure, because })
        });
        Ok(warning)
    }

    /// Takes notice of what became of a move.
    pub fn record(&self, event: &Event) -> Result<Recorded, StoreError> {
        let Some(store) = self.home_store() else { return Ok(Recorded::NoStore) };
        let began = event.call.as_deref().and_then(|call| Calls::of(store.layout()).ended(call, self.now()));
        match &event.outcome {
            Outcome::Succeeded { output } => {
                self.succeeded(store, event, output, began).map(Recorded::Cleared)
            }
            Outcome::Failed { exit, error, interrupted } => {
                if let Some(why) = event.moved.not_learned(*exit, error, *interrupted) {
                    return Ok(Recorded::NotLearned(why));
                }
                self.failed(store, event, *exit, error, began).map(Recorded::Kept)
            }
        }
    }

    fn succeeded(
        &self,
        store: &FileStore,
        event: &Event,
        output: &str,
        began: Option<Timestamp>,
    ) -> Result<usize, StoreError> {
        if !event.moved.may_mend() {
            return Ok(0);
        }
        let ledger = Ledger::of(store);
        let tree = MoveTree::at(store.layout().project());
        let mut cleared = 0;
        for kept in ledger.live(MOST_LIVE, self.now())? {
            let why = if kept.failure.is_disproved_by(&event.moved) {
                // With other files it proves nothing about these.
                tree.is(&kept.failure.state).then_some("the same move succeeded")
            } else {
                // What a remedy wrote into the files that counted, the files tell: back to the old content, and it fails again.
                let written = || {
                    kept.failure.rests_on_files()
                        && tree.wrote(&kept.failure.state, began.and_then(system_time))
                };
                (kept.failure.is_mended_by(&event.moved, output) && !written())
                    .then_some("what was missing was supplied")
            };
            if let Some(why) = why {
                ledger.clear(&kept, why, self.now())?;
                cleared += 1;
            }
        }
        Ok(cleared)
    }

    fn failed(
        &self,
        store: &FileStore,
        event: &Event,
        exit: Option<i32>,
        error: &str,
        began: Option<Timestamp>,
    ) -> Result<String, StoreError> {
        let (ledger, tree) = (Ledger::of(store), MoveTree::at(store.layout().project()));
        let is_missing = |path: &str| tree.is_missing(path);
        let mut failure =
            self.seen(&event.cwd, |at| Failure::new(&event.moved, at, error, self.now(), &is_missing));
        let inputs = self.seen(&event.cwd, |at| event.moved.inputs(at, error));
        failure.state = tree.state(&inputs, began.and_then(system_time));
        if let Some(package) = tree.package_of(&inputs) {
            failure.also(&event.moved, &package.name, &package.folder, package.module.as_deref());
        }
        let missing = failure.roots.iter().filter_map(|root| match root {
            Root::Missing(path) => Some((path.clone(), "-".to_owned())),
            _ => None,
        });
        failure.state.files.extend(missing.collect::<Vec<_>>());
        failure.state.files.sort();
        failure.state.files.dedup();
        let earlier = ledger.find(&[failure.key()], MOST_ASKED, self.now())?;
        let earlier: Vec<Kept> =
            earlier.into_iter().filter(|kept| kept.failure.is_same(&event.moved)).collect();
        failure.times = earlier.first().map_or(1, |kept| kept.failure.times.saturating_add(1));
        (failure.session, failure.agent) = (event.session.clone(), event.agent.clone());
        (failure.cause, failure.lesson) = (event.cause.clone(), event.lesson.clone());
        failure.exit = exit;
        failure.id = id(&failure, self.now());
        let same: Vec<Kept> = earlier.into_iter().filter(|kept| tree.is(&kept.failure.state)).collect();
        same.iter().for_each(|old| failure.absorb(&old.failure));
        clean(&mut failure);
        // The new one first: whoever is ended in between, or finds no room for it, leaves a warning.
        if ledger.append(&failure, self.now())? {
            same.iter().try_for_each(|old| ledger.clear(old, "it failed again", self.now()))?;
        }
        Ok(failure.id)
    }

    /// Everything in the ledger, oldest first, with what became of it.
    pub fn failures(&self) -> Result<Vec<Told>, StoreError> {
        match self.home_store() {
            Some(store) => Ledger::of(store).all(self.now()),
            None => Ok(Vec::new()),
        }
    }

    /// Takes a failure out of the ledger; its line stays, with a word that it no longer counts.
    pub fn forget(&self, told: &Told) -> Result<(), StoreError> {
        match self.home_store() {
            Some(store) => Ledger::of(store).forget(told, "forgotten", self.now()),
            None => Ok(()),
        }
    }

    /// The newest failures that hold and whose files are as they were, as far as that is found out in a moment.
    pub(crate) fn standing(&self, most: usize) -> Vec<Failure> {
        let Some(store) = self.home_store() else { return Vec::new() };
        let tree = MoveTree::within(store.layout().project(), MOMENT);
        let live = Ledger::of(store).live(MOST_ASKED, self.now()).unwrap_or_default();
        let standing = live.into_iter().map(|kept| kept.failure).filter(|failure| tree.is(&failure.state));
        standing.take(most).collect()
    }

    /// Whether the files that a failure depended on are as they were.
    pub fn still_holds(&self, failure: &Failure) -> bool {
        self.root().is_some_and(|root| MoveTree::at(root).is(&failure.state))
    }
}

/// Whether a failure still speaks: what it rests on is as it was.
fn holds(tree: &MoveTree, failure: &Failure, because: &Because) -> bool {
    match because {
        Because::Same
        | Because::Root(
            Root::Inner(_)
            | Root::Script(_)
            | Root::Broken(_)
            | Root::Unready(_)
            | Root::Target(_)
            | Root::Named(_)
            | Root::Taken(_)
            | Root::Module(_),
        ) => tree.is(&failure.state),
        // What the named files and the settings say decides what there is.
        Because::Root(Root::Absent(_) | Root::Datum(_) | Root::Service(_)) => tree.are(&failure.state.files),
        Because::Root(Root::Missing(path)) => tree.is_missing(path),
        Because::Root(_) => true,
    }
}

/// What is written passes through here: the one place where secrets are taken out of commands and errors.
fn clean(failure: &mut Failure) {
    let redactor = Redactor::default();
    failure.redact(&|text| redactor.redact(text).into_owned());
    let clean = |text: &mut String| *text = inert_line(text);
    clean(&mut failure.moved);
    failure.error.iter_mut().chain(&mut failure.cause).chain(&mut failure.lesson).for_each(clean);
}

fn id(failure: &Failure, now: Timestamp) -> String {
    let hash = failure.key() ^ (now.as_millisecond() as u64).rotate_left(24);
    format!("f{hash:016x}")[..11].to_owned()
}

fn system_time(time: Timestamp) -> Option<SystemTime> {
    let millis = u64::try_from(time.as_millisecond()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

impl Warning {
    /// The words for the agent: what failed, how, when and how often, and what is known of why.
    pub fn text(&self) -> String {
        let failure = &self.failure;
        let day = failure.at.strftime("%Y-%m-%d");
        let often = if failure.times > 1 { format!("{} times, last ", failure.times) } else { String::new() };
        let mut text = match &self.because {
            Because::Same => {
                format!("This failed before ({often}{day}), and nothing it depends on has changed since:\n")
            }
            Because::Root(root) => format!("{} (seen {day}):\n", about(root)),
        };
        let screen = Screen::default();
        text.push_str(&format!("  $ {}\n", screen.command(failure)));
        text.push_str(&screen.error(failure, 2));
        for (name, said) in [("Cause", &failure.cause), ("Lesson", &failure.lesson)] {
            match said {
                Some(said) if screen.passes(said) => text.push_str(&format!("{name}: {}\n", clip(said, 300))),
                Some(_) => text.push_str(&format!("{name}: {}\n", withheld(failure))),
                None => {}
            }
        }
        text
    }
}

fn withheld(failure: &Failure) -> String {
    format!("its text is withheld, a person can read it with `rawko ledger show {}`", failure.id)
}

fn about(root: &Root) -> String {
    match root {
        Root::Missing(path) => format!("`{path}` was not there when this failed, and still is not"),
        Root::Refuses(place) => format!("{place} refused connections"),
        Root::Absent(name) | Root::Datum(name) => format!("`{name}` did not exist"),
        Root::Program(name) => format!("`{name}` is not installed"),
        Root::Service(name) => {
            let name = name.split(['\t', ' ']).next().unwrap_or_default();
            format!("What `{name}` talks to did not answer")
        }
        Root::Broken(name) => {
            let (program, path) = name.split_once(' ').unwrap_or(("", name));
            let path = path.trim_start_matches(['@', '#']).trim();
            let what = if path.is_empty() { "what it reads here".to_owned() } else { format!("`{path}`") };
            format!("{program}: {what} could not be read, and it has not changed since")
        }
        Root::Unready(name) => {
            let (program, kind) = name.split_once(' ').unwrap_or((name, ""));
            match (program, kind.split(' ').next().unwrap_or_default()) {
                ("certificate", place) => format!("The certificate of {place} was not trusted"),
                (_, "start") => format!("`{program}` could not start"),
                (_, "packages" | "install") => format!("`{program}` lacked packages of this project"),
                (_, "login") => format!("`{program}` wanted to know who asks"),
                (_, "root") => format!("`{program}` wanted more rights"),
                (_, "variables") => format!("`{program}` missed a variable"),
                (_, "surroundings") => format!("`{program}` failed for what it found here, not for what it was told"),
                _ => format!("`{program}` wanted to be set up first"),
            }
        }
        Root::Target(name) => {
            let (program, target) = name.split_once(' ').unwrap_or(("", name));
            format!("{program} knew no `{target}`")
        }
        Root::Module(name) => format!("The module `{name}` could not be found"),
        Root::Busy(port) => format!("Port {port} was taken"),
        Root::Named(name) => {
            let (program, name) = name.split_once(' ').unwrap_or(("", name));
            format!("{program} found no `{name}`")
        }
        Root::Taken(name) => {
            let (program, name) = name.split_once(' ').unwrap_or(("", name));
            format!("{program} had `{name}` already")
        }
        Root::Script(_) => "This script stopped before it looked at its arguments, and it has not changed since".to_owned(),
        Root::Inner(_) => "The same failed before inside another command or under another name, and nothing it depends on has changed since".to_owned(),
    }
}

/// The first `most` characters of a line, made harmless.
fn clip(text: &str, most: usize) -> String {
    let line = inert_line(text);
    let mut kept: String = line.chars().take(most).collect();
    if kept.len() < line.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Now;

    /// An engine, a move that fails in its project, and the ledger's file.
    fn failing(folder: &Path) -> (Engine, Event, PathBuf) {
        let now = Now::at("2026-01-23T10:30:00Z".parse().expect("a time"));
        let project = folder.join("project");
        let engine = Engine::create(&project, Some(&folder.join("home")), now).expect("a store");
        let error = "error: linking with `cc` failed: exit status: 1".to_owned();
        let event = Event {
            moved: engine.command("make release", &project),
            cwd: project.clone(),
            outcome: Outcome::Failed { exit: Some(2), error, interrupted: false },
            session: "s1".to_owned(),
            agent: String::new(),
            call: None,
            cause: None,
            lesson: None,
        };
        (engine, event, project.join(".rawko/log/failures-2026-01.jsonl"))
    }

    #[test]
    fn a_failure_that_fails_again_is_in_the_ledger_before_the_earlier_one_goes() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (engine, event, file) = failing(folder.path());
        (0..2).for_each(|_| drop(engine.record(&event).expect("recorded")));
        let text = std::fs::read_to_string(file).expect("a ledger");
        let cleared: Vec<bool> = text.lines().map(|line| line.contains("\"kind\":\"cleared\"")).collect();
        assert_eq!(cleared, [false, false, true], "{text}");
        let warning = engine.before(&event.moved, None).expect("asked").expect("a warning");
        assert_eq!(warning.failure.times, 2);
    }

    #[test]
    fn a_failure_that_finds_no_room_takes_no_warning_away() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (engine, event, file) = failing(folder.path());
        engine.record(&event).expect("recorded");
        let file = std::fs::OpenOptions::new().write(true).open(file).expect("the ledger");
        file.set_len(33 * 1024 * 1024).expect("the month is full");
        engine.record(&event).expect("recorded");
        assert!(engine.before(&event.moved, None).expect("asked").is_some());
    }
}
