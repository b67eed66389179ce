//! `rawko hook <host> <event>`: what a host's model should hear, and never a reason for the host to stop.
//!
//! Whatever happens here, the exit code is 0, nothing is said on standard error,
//! and it is over within a second: panics are caught, errors are silence, and a
//! watchdog ends the process when the disk, a lock or the host itself does not
//! answer. The words are read before any command-line library is. What takes longer is left to a process of its own,
//! for which nobody waits.

use std::env;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rawko::{Engine, HostEvent, Now, Whose};

use crate::embedding;
use crate::hosts::learning::{self, LEARN};
use crate::hosts::{Host, input, reading};
use crate::open;

/// When the process ends at the latest. The rest of a second is for starting and for a busy machine.
const LIMIT: Duration = Duration::from_millis(700);
/// How long it may take to leave the rest to another process.
const HANDING_OVER: Duration = Duration::from_millis(100);
/// Set to `off` for every program that rawko starts, so that a host among them does not start rawko again.
pub(crate) const SWITCH: &str = "RAWKO_HOOK";
/// The hook that a hook starts: builds indexes that have become old, and ends.
const REBUILD: &str = "--rebuild";

/// The hook that searches, additions and other hooks start: encodes memories that the sentence encoder has not read, and
/// ends.
pub(crate) const ENCODE: &str = "--encode";
/// When that stops; the rest is done by the next. And when it ends at the latest, whatever does not answer.
const ENCODING: Duration = Duration::from_secs(300);
const ENCODED: Duration = Duration::from_secs(360);

/// Answers one event, and ends the process.
pub(crate) fn run(words: &[String]) -> ! {
    panic::set_hook(Box::new(|_| {}));
    if words.first().is_some_and(|word| word.starts_with("--")) {
        // A host that ends takes its group of processes with it.
        let _ = rustix::process::setsid();
        let _ = panic::catch_unwind(AssertUnwindSafe(|| detached(words)));
        process::exit(0);
    }
    // Without a watchdog a hook is still worth having.
    let _ = thread::Builder::new().stack_size(64 * 1024).spawn(|| {
        thread::sleep(LIMIT);
        // Starting a process may wait for the very disk that does not answer: it is given a moment.
        let (done, is_done) = mpsc::channel();
        let hand_over = move || {
            learning::hand_over();
            let _ = done.send(());
        };
        let _ = thread::Builder::new().stack_size(64 * 1024).spawn(hand_over);
        let _ = is_done.recv_timeout(HANDING_OVER);
        process::exit(0);
    });
    let _ = panic::catch_unwind(AssertUnwindSafe(|| answer(words)));
    process::exit(0);
}

fn answer(words: &[String]) -> Option<()> {
    let raw = input::skim(io::stdin().lock());
    if env::var_os(SWITCH).is_some_and(|value| value == "off") || open::is_inside() {
        return None;
    }
    let raw = raw?;
    let host = Host::parse(words.first()?)?;
    let told = host.event(words.get(1)?)?;
    let json = String::from_utf8_lossy(&raw);
    let said = serde_json::from_str(&json).or_else(|_| serde_json::from_str(&input::with_whole_pairs(&json)));
    let said = said.ok()?;
    let mut event = reading::event(host, told, &said, &raw);
    let folder = folder(&event)?;
    event.folder.clone_from(&folder);
    let engine = Engine::open(&folder, open::home().as_deref(), Now::at(jiff::Timestamp::now())).ok()?;
    learning::provide(&engine, host, &event);
    let mut heard = engine.heard(&event)?;
    let answer = engine.answer(&event, &mut heard).ok()?;
    if !answer.text.is_empty() {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", host.say(told.name, &answer.text, answer.asks.as_deref()))
            .and_then(|()| out.flush())
            .ok()?;
    }
    // The answer is out; what follows may fail.
    engine.settle(&event, &answer, &mut heard);
    if !answer.wants_rebuild.is_empty() {
        let _ = learning::detached(&folder, REBUILD, &[]).spawn();
    }
    embedding::catch_up(&engine, answer.read_behind > 0);
    learning::learn(&engine, host, &event, &answer);
    Some(())
}

/// What a hook leaves to a process of its own.
fn detached(words: &[String]) -> Option<()> {
    match words.first()?.as_str() {
        REBUILD => rebuild(),
        ENCODE => encode(),
        LEARN => learning::learn_now(&words[1..]),
        _ => None,
    }
}

/// Where the host works: what it says, or where it started us.
fn folder(event: &HostEvent) -> Option<PathBuf> {
    let said = Some(event.folder.clone()).filter(|folder| folder.is_absolute());
    said.and_then(|folder| folder.canonicalize().ok())
        .or_else(|| env::current_dir().ok()?.canonicalize().ok())
}

/// Builds the indexes that have become old; one process at a time does so.
fn rebuild() -> Option<()> {
    let folder = env::current_dir().ok()?;
    let engine = Engine::open(&folder, open::home().as_deref(), Now::at(jiff::Timestamp::now())).ok()?;
    for whose in [Whose::Project, Whose::Person] {
        let _ = engine.rebuild(whose, &mut |_, _| {});
    }
    Some(())
}

/// Encodes memories behind whoever met or made them, out of everybody's way.
pub(crate) fn encode() -> Option<()> {
    let _ = rustix::process::nice(19);
    let _ = thread::Builder::new().stack_size(64 * 1024).spawn(|| {
        thread::sleep(ENCODED);
        process::exit(0);
    });
    let folder = env::current_dir().ok()?;
    let engine = Engine::open(&folder, open::home().as_deref(), Now::at(jiff::Timestamp::now())).ok()?;
    engine.embed_unasked(Instant::now() + ENCODING).ok()
}
