//! `rawko exec`: memory for any agent's command, without a run.

use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rawko::core::{Recorder, RunResult, Speaker, TaskContext};
use rawko::{Engine, How, Now, Wish};

use super::run::args::Exec;
use crate::error::Failure;
use crate::open::Place;

/// Most output that is learned from.
const MOST_BYTES: usize = 1024 * 1024;
/// Pieces of output that may wait to be shown.
const WAITING: usize = 16;
/// How often a command that says nothing is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// The word that stands for the task.
const PLACE: &str = "{}";

pub(crate) fn run(args: &Exec, place: &Place) -> Result<(), Failure> {
    let engine = place.engine()?;
    let mut words = args.command.clone();
    let guess = words.iter().rfind(|word| word.trim().contains(char::is_whitespace)).cloned();
    // A memory gets into a command only where the person says so: a word or an input that merely looks
    // like a task may be a script, and a memory's text would be run.
    let is_marked = |word: &String| args.task.as_ref().is_some_and(|task| word == PLACE || word == task);
    let marked: Vec<usize> = (1..words.len()).filter(|&at| is_marked(&words[at])).collect();
    // Nothing is guessed from standard input: who waits for its first word may wait for ever.
    let is_fed = args.task.is_some() && marked.is_empty() && !io::stdin().is_terminal();
    let task = args.task.clone().or(guess);
    let task = task.filter(|task| !task.trim().is_empty()).unwrap_or_default();
    let agent = args.agent.clone().unwrap_or_else(|| name_of(&words[0]));
    let session = format!("exec-{}", place.now.as_nanosecond());
    let context = TaskContext { task: task.clone(), agent: agent.clone(), ..TaskContext::default() };
    let block = if task.is_empty() {
        String::new()
    } else {
        let injection = engine.inject(&context, &Wish::default())?;
        engine.hand_out(&injection, &context, Some((&agent, &session))).to_owned()
    };
    let before = if block.is_empty() { String::new() } else { format!("{block}\n") };
    for at in marked {
        words[at] = format!("{before}{task}");
    }
    // That it began is worth a line, and no reason not to begin.
    let _ = engine.record_start(&agent, &task, Some(&session));
    let (code, said) = through(&words, is_fed.then_some(before.as_bytes()), &block)?;
    learn(place, &session, &agent, &task, &said, code);
    match code {
        0 => Ok(()),
        code => Err(Failure::Code(u8::try_from(code).unwrap_or(1))),
    }
}

fn name_of(program: &str) -> String {
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

/// Runs the command; what it prints goes on at once, and comes back as far as it is learned from.
///
/// It reads `first` and then all of our standard input; where there is no `first`, standard input is its own.
fn through(words: &[String], first: Option<&[u8]>, block: &str) -> Result<(i32, String), Failure> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("RAWKO_MEMORIES", block).env(rawko::provider::INSIDE, "1");
    command.stdin(if first.is_some() { Stdio::piped() } else { Stdio::inherit() }).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        Failure::wrong(
            format!("`{}` cannot be started: {error}", words[0]),
            "is it installed, and on the search path?",
        )
    })?;
    if let (Some(first), Some(mut stdin)) = (first.map(<[u8]>::to_vec), child.stdin.take()) {
        // A command may answer before it has read everything: neither side may wait for the other.
        std::thread::spawn(move || {
            stdin.write_all(&first).and_then(|()| io::copy(&mut io::stdin().lock(), &mut stdin))
        });
    }
    let (sender, said) = mpsc::sync_channel(WAITING);
    let stdout = child.stdout.take();
    std::thread::spawn(move || hand_on(stdout?, &sender));
    let mut kept = Vec::new();
    loop {
        match said.recv_timeout(LOOK) {
            Ok(bytes) => {
                let mut screen = io::stdout().lock();
                let _ = screen.write_all(&bytes).and_then(|()| screen.flush());
                kept.extend_from_slice(&bytes[..bytes.len().min(MOST_BYTES - kept.len())]);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            // What the command left behind may hold its output open; the command itself has said all.
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    let status = child.wait()?;
    let killed = || status.signal().map(|signal| 128 + signal);
    Ok((status.code().or_else(killed).unwrap_or(1), String::from_utf8_lossy(&kept).into_owned()))
}

/// Hands on what is printed, piece by piece.
fn hand_on(mut stdout: ChildStdout, sender: &mpsc::SyncSender<Vec<u8>>) -> Option<()> {
    let mut buffer = [0; 8192];
    loop {
        match stdout.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => sender.send(buffer[..count].to_vec()).ok()?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Writes the run down and learns from it; the command's end counts more than whether that succeeds.
fn learn(place: &Place, session: &str, agent: &str, task: &str, said: &str, code: i32) {
    let mut recorder = Recorder::default();
    recorder.said(Speaker::Person, task);
    recorder.said(Speaker::Agent, said);
    let mut run = recorder.finish();
    run.agent = agent.to_owned();
    run.session = Some(session.to_owned());
    if code != 0 {
        run.result = RunResult::Failure;
        run.error = Some(format!("exit code {code}"));
    }
    let now = Now::at(jiff::Timestamp::now());
    let learned = Engine::open(&place.start, place.home.as_deref(), now).and_then(|engine| {
        engine.record_run(&run)?;
        engine.extract(&run, How::default())
    });
    if let Err(error) = learned {
        let _ = writeln!(io::stderr(), "rawko: nothing was learned from this: {error}");
    }
}
