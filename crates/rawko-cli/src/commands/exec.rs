//! `rawko exec`: memory for any agent's command, without a run.

use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, Stdio};

use rawko::core::{Recorder, RunResult, Speaker, TaskContext};
use rawko::{Engine, How, Now, Wish};

use super::run::args::Exec;
use crate::error::Failure;
use crate::open::Place;

/// Longest input that is passed on with memories, and most output that is learned from.
const MOST_BYTES: usize = 1024 * 1024;

pub(crate) fn run(args: &Exec, place: &Place) -> Result<(), Failure> {
    let engine = place.engine()?;
    let (mut words, mut input) = (args.command.clone(), None);
    let at = words.iter().rposition(|word| word.trim().contains(char::is_whitespace));
    if !io::stdin().is_terminal() && (at.is_none() || args.task.is_some()) {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MOST_BYTES as u64).read_to_end(&mut bytes)?;
        input = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    let task = args.task.clone().or_else(|| at.map(|at| words[at].clone())).or_else(|| input.clone());
    let task = task.filter(|task| !task.trim().is_empty()).unwrap_or_default();
    let agent = args.agent.clone().unwrap_or_else(|| name_of(&words[0]));
    let context = TaskContext { task: task.clone(), agent: agent.clone(), ..TaskContext::default() };
    let block =
        if task.is_empty() { String::new() } else { engine.inject(&context, &Wish::default())?.block };
    let with = |text: &str| if block.is_empty() { text.to_owned() } else { format!("{block}\n{text}") };
    match (at, &mut input) {
        (Some(at), _) if words[at] == task => words[at] = with(&task),
        (_, Some(text)) => *text = with(text),
        _ => {}
    }
    engine.record_start(&agent, &task, None)?;
    let (code, said) = through(&words, input.as_deref(), &block)?;
    learn(place, &agent, &task, &said, code);
    match code {
        0 => Ok(()),
        code => Err(Failure::Code(u8::try_from(code).unwrap_or(1))),
    }
}

fn name_of(program: &str) -> String {
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

/// Runs the command; what it prints goes on at once, and comes back as far as it is learned from.
fn through(words: &[String], input: Option<&str>, block: &str) -> Result<(i32, String), Failure> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("RAWKO_MEMORIES", block).env(rawko::provider::INSIDE, "1");
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::inherit() }).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        Failure::wrong(
            format!("`{}` cannot be started: {error}", words[0]),
            "is it installed, and on the search path?",
        )
    })?;
    if let (Some(text), Some(mut stdin)) = (input.map(str::to_owned), child.stdin.take()) {
        // A command may answer before it has read everything: neither side may wait for the other.
        std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let mut kept = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        let mut buffer = [0; 8192];
        loop {
            let count = match stdout.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let mut screen = io::stdout().lock();
            let _ = screen.write_all(&buffer[..count]).and_then(|()| screen.flush());
            kept.extend_from_slice(&buffer[..count.min(MOST_BYTES - kept.len().min(MOST_BYTES))]);
        }
    }
    let status = child.wait()?;
    Ok((status.code().unwrap_or(1), String::from_utf8_lossy(&kept).into_owned()))
}

/// Writes the run down and learns from it; the command's end counts more than whether that succeeds.
fn learn(place: &Place, agent: &str, task: &str, said: &str, code: i32) {
    let mut recorder = Recorder::default();
    recorder.said(Speaker::Person, task);
    recorder.said(Speaker::Agent, said);
    let mut run = recorder.finish();
    run.agent = agent.to_owned();
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
