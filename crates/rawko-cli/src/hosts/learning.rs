//! Learning after a turn: the host's transcript is read, and what the run taught is extracted.
//!
//! The rules take milliseconds and run at once. A long transcript or a
//! configured provider takes longer than a host should wait, so a process of
//! its own does that, and ends.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use rawko::core::{Format, Run, RunResult, Transcript, how_it_ended};
use rawko::provider::choose_provider;
use rawko::{Answer, Engine, Every, Extracted, HostEvent, How, Moment, Now, Whose};

use super::{Host, notes};
use crate::commands::extract::pour;
use crate::commands::hook::{self, SWITCH};
use crate::embedding;
use crate::open;

/// A transcript up to this size is read at once.
const AT_ONCE: u64 = 512 * 1024;
/// Most bytes of a run that is handed on.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// The hook that a hook starts: learns from a run, and ends.
pub(crate) const LEARN: &str = "--learn";

/// Learns from the run that an event ends, if it ends one.
pub(crate) fn learn(engine: &Engine, host: Host, event: &HostEvent, answer: &Answer) -> Option<()> {
    let later = LATER.lock().ok()?.take();
    if !answer.is_first || !is_due(engine, event, answer.turns) {
        return None;
    }
    let written = event.transcript.as_deref();
    set_later(Some(later.or_else(|| Later::of(host, event))?));
    let told = told(host, event);
    let is_written = written.is_none_or(|path| notes::wait(host, path, &told.output, notes::briefly(host)));
    let length = written.and_then(|path| fs::metadata(path).ok()).map_or(0, |meta| meta.len());
    if engine.config().text("provider.kind") != "offline" || length > AT_ONCE || !is_written {
        return hand_over();
    }
    let learned = engine.extract(&run(engine, host, written, told), How::default());
    set_later(None);
    let learned = learned.ok()?;
    engine.knows(event, &learned);
    embedding::catch_up(engine, learned.speaking().next().is_some());
    Some(())
}

/// Sees to it that the run is learned from though this process should run out of time first.
pub(crate) fn provide(engine: &Engine, host: Host, event: &HostEvent) {
    // Whether it is the turn's turn is known later, where not every turn is.
    if is_due(engine, event, 1) && is_due(engine, event, 2) {
        set_later(Later::of(host, event));
    }
}

/// Whether it is time to learn, after so many turns of the session: in a project that wants memories, and nowhere else.
fn is_due(engine: &Engine, event: &HostEvent, turns: usize) -> bool {
    if engine.store(Whose::Project).is_none() {
        return false;
    }
    let every = engine.config().every();
    match &event.moment {
        Moment::TurnDone(_) | Moment::TurnFailed(_) => every.is_due(turns),
        Moment::SubagentStopped(_) => every != Every::Session,
        Moment::SessionEnded => every.leaves(turns),
        _ => false,
    }
}

/// What is still to be learned should this process run out of time.
static LATER: Mutex<Option<Later>> = Mutex::new(None);

fn set_later(later: Option<Later>) {
    if let Ok(mut kept) = LATER.lock() {
        *kept = later;
    }
}

/// Leaves what is not learned yet to a process of its own: this one ends now.
pub(crate) fn hand_over() -> Option<()> {
    let later = LATER.try_lock().ok()?.take()?;
    later.start()
}

/// The run, from the host's own notes, or from what it tells.
fn run(engine: &Engine, host: Host, written: Option<&Path>, told: Run) -> Run {
    let noted = written.and_then(|path| read(host, path));
    // What comes with an event may have been shortened: then the marks of the session tell what is missing.
    let has_notes = noted.is_some();
    let noted = noted.or_else(|| (!told.steps.is_empty()).then(|| told.clone()));
    // Where the host names its notes and none are there, nothing tells whose words its last ones are.
    let unknown = Run { strangers: written.is_some(), ..Run::default() };
    let mut run = judged(engine, with_what_was_told(noted.unwrap_or(unknown), told));
    run.strangers |= run.session.as_deref().is_some_and(|session| engine.heard_strangers(session, has_notes));
    run
}

/// What the host itself tells of a run: who ran, in which session, the last words, and from some all that happened.
fn told(host: Host, event: &HostEvent) -> Run {
    let run = event.run.as_deref().cloned().unwrap_or_default();
    let output = match &event.moment {
        Moment::TurnDone(said) | Moment::SubagentStopped(said) if !said.is_empty() => said.clone(),
        _ => run.output,
    };
    let agent = if event.agent.is_empty() { host.name().to_owned() } else { event.agent.clone() };
    // Nothing but notes of its own tells whose words a sub-agent's are.
    let strangers =
        run.strangers || matches!(event.moment, Moment::SubagentStopped(_)) && event.transcript.is_none();
    let error = match &event.moment {
        Moment::TurnFailed(error) => Some(error.clone()),
        _ => None,
    };
    let result = if error.is_some() { RunResult::Failure } else { RunResult::Success };
    let is_for_agent = matches!(event.moment, Moment::SubagentStopped(_));
    let session = Some(event.session.clone());
    Run { agent, output, result, error, session, strangers, is_for_agent, ..run }
}

/// The run with how it ended: as the host told, or as what happened in it shows.
fn judged(engine: &Engine, mut run: Run) -> Run {
    if run.error.is_none() {
        run.error = run.session.as_deref().and_then(|session| engine.turn_failed(session));
    }
    run.result = if run.error.is_some() { RunResult::Failure } else { how_it_ended(&run) };
    run
}

fn with_what_was_told(mut run: Run, told: Run) -> Run {
    if run.output.is_empty() {
        run.output = told.output;
    }
    let session = told.session.or(run.session.take());
    let strangers = run.strangers || told.strangers;
    if told.is_for_agent {
        run = run.of_sub_agent();
    }
    Run { agent: told.agent, session, result: told.result, error: told.error.or(run.error), strangers, ..run }
}

fn read(host: Host, path: &Path) -> Option<Run> {
    let format = match host {
        Host::Claude => Some(Format::Claude),
        Host::Codex => Some(Format::Codex),
        Host::Gemini => Some(Format::Gemini),
        Host::Copilot => Some(Format::Copilot),
        _ => None,
    };
    // Looked at before it is opened: a pipe would wait for whoever writes into it.
    if !path.is_absolute() || !fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let mut transcript = Transcript::new(format);
    // Bytes that are no text are nobody's words.
    pour(File::open(path).ok()?, &mut transcript).ok().filter(|is_text| *is_text)?;
    let run = transcript.finish();
    // Notes that tell nothing leave open whose words were heard.
    Some(Run { strangers: run.strangers || run.steps.is_empty(), ..run })
}

/// A process that learns from a run: it outlives this one, and ends by itself.
struct Later {
    command: Command,
    input: Vec<u8>,
}

impl Later {
    fn of(host: Host, event: &HostEvent) -> Option<Self> {
        let path = event.transcript.as_deref().map(|path| path.display().to_string());
        let words: Vec<&str> = [host.name()].into_iter().chain(path.as_deref()).collect();
        let input = serde_json::to_vec(&told(host, event)).ok()?;
        Some(Self { command: detached(&event.folder, LEARN, &words), input })
    }

    fn start(mut self) -> Option<()> {
        let mut child = self.command.stdin(Stdio::piped()).spawn().ok()?;
        child.stdin.take()?.write_all(&self.input).ok()
    }
}

/// This program as a process of its own, that no host waits for.
pub(crate) fn detached(folder: &Path, what: &str, words: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "rawko".into()));
    command.args(["hook", what]).args(words).current_dir(folder).env(SWITCH, "off");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What the started process does: `words` are the host and, where it has one, its transcript; what it tells comes in.
pub(crate) fn learn_now(words: &[String]) -> Option<()> {
    let host = Host::parse(words.first()?)?;
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let nothing = || Run { agent: host.name().to_owned(), ..Run::default() };
    let told = if bytes.is_empty() { nothing() } else { serde_json::from_slice(&bytes).ok()? };
    let folder = std::env::current_dir().ok()?;
    let engine = Engine::open(&folder, open::home().as_deref(), Now::at(jiff::Timestamp::now())).ok()?;
    let written = words.get(1).map(Path::new);
    if let Some(path) = written {
        notes::wait(host, path, &told.output, notes::PATIENTLY);
    }
    let run = run(&engine, host, written, told);
    let provider = match choose_provider(engine.config(), None, open::variable) {
        Ok(provider) => provider,
        // Nobody reads what a hook says: the run waits, and `rawko doctor` tells why.
        Err(error) => return engine.put_off(&run, &error.to_string()).ok().map(drop),
    };
    let learned = engine.extract(&run, How { provider: provider.as_deref(), dry_run: false }).ok()?;
    if let Some(session) = run.session.clone().filter(|_| !run.is_for_agent) {
        engine.knows(&HostEvent { host: host.name().to_owned(), session, ..HostEvent::default() }, &learned);
    }
    // Whoever asks a provider anyway asks for those that wait, too.
    let retried = engine.extract_pending(provider.as_deref());
    let others = retried.iter().flat_map(|retried| &retried.done).flat_map(Extracted::speaking);
    // This process may take its time: it reads itself what it learned.
    let has_news = learned.speaking().chain(others).next().is_some();
    if has_news && engine.begin_unasked() { hook::encode() } else { Some(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_are_no_text_teach_nothing() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let notes = folder.path().join("t.jsonl");
        let line =
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Jobs run at night."}]}}"#;
        fs::write(&notes, format!("{line}\n")).expect("written");
        assert_eq!(read(Host::Claude, &notes).expect("a run").output, "Jobs run at night.");
        fs::write(&notes, format!("\0\0\n{line}\n")).expect("written");
        assert!(read(Host::Claude, &notes).is_none());
    }
}
