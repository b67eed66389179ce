//! An agent at work: a host's own program, or any command that takes a prompt on its standard input.
//!
//! What it prints is shown while it is printed, and read as a transcript where
//! the host has a form for that. The program is told that rawko started it, so
//! that hooks inside do nothing: the run injects and learns itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rawko_core::{Agent, Format, Recorder, Run, Speaker, Step, Transcript};
use serde_json::Value;

use crate::group::Group;
use crate::provider::INSIDE;

/// Most bytes of one line that is kept.
const LINE: u64 = 1024 * 1024;
/// Most bytes of plain output that are kept.
const OUTPUT: usize = 1024 * 1024;
/// Most bytes of what it says on standard error.
const ERROR: usize = 4 * 1024;

/// Lines that may wait to be heard.
const WAITING: usize = 1024;
/// How often a program that speaks is looked at, and one that is silent.
const LOOK: Duration = Duration::from_millis(100);
const MOMENT: Duration = Duration::from_millis(5);
/// How long a program that has ended is listened to where its output stays open.
const LINGER: Duration = Duration::from_millis(500);

/// Who does an agent's work.
pub trait Worker {
    /// Does it; `show` sees what happens when it happens.
    fn work(&self, agent: &Agent, prompt: &str, limit: Duration, show: &mut dyn FnMut(Seen<'_>)) -> Worked;
}

/// What is seen of an agent at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen<'a> {
    /// A line for people.
    Said(&'a str),
    /// A command ended.
    Ran {
        /// The command line.
        command: &'a str,
        /// Its exit code, where the host tells.
        exit: Option<i32>,
        /// What it printed.
        output: &'a str,
    },
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Worked {
    /// What happened.
    pub run: Run,
    /// Why it failed, if it did.
    pub failed: Option<String>,
    /// Whether it could not even be started: another try would not be, either.
    pub never_began: bool,
    /// What it cost, where the host says so.
    pub dollars: f64,
}

/// How a program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Claude,
    Codex,
    Plain,
}

/// A program that does an agent's work.
#[derive(Clone, Debug)]
pub struct Program {
    words: Vec<String>,
    manner: Manner,
}

impl Program {
    /// `claude -p`, streaming.
    pub fn claude(program: &str) -> Self {
        let words = [
            program,
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "acceptEdits",
        ];
        Self { words: words.map(str::to_owned).to_vec(), manner: Manner::Claude }
    }

    /// `codex exec`, streaming, writing inside the project only.
    pub fn codex(program: &str) -> Self {
        let words = [program, "exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-"];
        Self { words: words.map(str::to_owned).to_vec(), manner: Manner::Codex }
    }

    /// `gemini -p`.
    pub fn gemini(program: &str) -> Self {
        let words = [program, "--approval-mode", "auto_edit", "-p", "Follow the instructions above."];
        Self { words: words.map(str::to_owned).to_vec(), manner: Manner::Plain }
    }

    /// Any command.
    pub fn command(words: Vec<String>) -> Self {
        Self { words, manner: Manner::Plain }
    }

    fn start(&self, agent: &Agent) -> Result<(Group, Child), String> {
        let Some((program, rest)) = self.words.split_first() else {
            return Err("no program is named".to_owned());
        };
        let mut command = Command::new(program);
        command.args(rest);
        if self.manner == Manner::Claude {
            for (flag, tools) in [("--allowedTools", &agent.allowed), ("--disallowedTools", &agent.blocked)] {
                if !tools.is_empty() {
                    command.arg(flag).arg(tools.join(","));
                }
            }
            if let Some(most) = agent.max_turns {
                command.arg("--max-turns").arg(most.to_string());
            }
        }
        command.env(INSIDE, "1").env("RAWKO_HOOK", "off").env("RAWKO_AGENT", &agent.name);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Whatever it starts ends with it.
        let group = Group::new();
        let started = group.and_then(|group| group.start(&mut command).map(|child| (group, child)));
        started.map_err(|error| format!("`{program}` cannot be started: {error}"))
    }
}

impl Worker for Program {
    fn work(&self, agent: &Agent, prompt: &str, limit: Duration, show: &mut dyn FnMut(Seen<'_>)) -> Worked {
        let (group, mut child) = match self.start(agent) {
            Ok(started) => started,
            Err(why) => return Worked { failed: Some(why), never_began: true, ..Worked::default() },
        };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let text = prompt.to_owned();
        // A program may speak before it has read everything: neither side may wait for the other.
        std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let (tell, said_wrong) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut stderr = stderr?;
            let _ = stderr.by_ref().take(ERROR as u64).read_to_end(&mut bytes);
            let _ = tell.send(String::from_utf8_lossy(&bytes).trim().to_owned());
            std::io::copy(&mut stderr, &mut std::io::sink()).ok()
        });
        let (sender, lines) = mpsc::sync_channel(WAITING);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout?);
            loop {
                let mut line = Vec::new();
                let count = reader.by_ref().take(LINE).read_until(b'\n', &mut line).ok()?;
                if count == 0 {
                    return Some(());
                }
                sender.send(String::from_utf8_lossy(&line).into_owned()).ok()?;
            }
        });
        let mut heard = Heard::new(self.manner);
        let in_time = listen(&mut child, &lines, limit, |line| heard.line(line, show));
        // What it left behind ends here, too, and may have held its output open.
        drop((group, lines));
        let status = child.wait();
        if !in_time {
            return heard.finish(Some(format!("it took longer than {} s, and was ended", limit.as_secs())));
        }
        let failed = match status {
            Ok(status) if status.success() => None,
            Ok(status) => {
                let said = said_wrong.recv_timeout(LINGER).unwrap_or_default();
                Some(format!("it ended with {status}: {said}"))
            }
            Err(error) => Some(format!("it was lost: {error}")),
        };
        heard.finish(failed)
    }
}

/// Hears a program out until it ends; whether it did within the limit.
///
/// The end of its output is not its end, nor the other way round: what it left behind may go on, and hold the output
/// open.
fn listen(
    child: &mut Child,
    lines: &mpsc::Receiver<String>,
    limit: Duration,
    mut hear: impl FnMut(&str),
) -> bool {
    let start = Instant::now();
    let (mut looked, mut ended, mut is_silent) = (start, None, false);
    loop {
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return false;
        }
        if is_silent || looked.elapsed() >= LOOK {
            looked = Instant::now();
            ended = ended.or_else(|| matches!(child.try_wait(), Ok(Some(_))).then_some(looked));
        }
        if ended.is_some_and(|at| is_silent || at.elapsed() >= LINGER) {
            return true;
        }
        match lines.recv_timeout(left.min(LOOK)) {
            Ok(line) => hear(&line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if is_silent => std::thread::sleep(MOMENT),
            Err(RecvTimeoutError::Disconnected) => is_silent = true,
        }
    }
}

/// What a program has said so far.
struct Heard {
    manner: Manner,
    transcript: Transcript,
    recorder: Recorder,
    plain: String,
    dollars: f64,
    failed: Option<String>,
}

impl Heard {
    fn new(manner: Manner) -> Self {
        Self {
            manner,
            transcript: Transcript::new(Some(Format::Claude)),
            recorder: Recorder::default(),
            plain: String::new(),
            dollars: 0.0,
            failed: None,
        }
    }

    fn line(&mut self, line: &str, show: &mut dyn FnMut(Seen<'_>)) {
        let before = self.steps().count();
        match self.manner {
            Manner::Plain => {
                if self.plain.len() < OUTPUT {
                    self.plain.push_str(line);
                }
                show(Seen::Said(line.trim_end()));
            }
            Manner::Claude => {
                self.transcript.push(line.as_bytes());
                if let Ok(value) = serde_json::from_str::<Value>(line) {
                    self.claude(&value, show);
                }
            }
            Manner::Codex => {
                if let Ok(value) = serde_json::from_str::<Value>(line) {
                    self.codex(&value, show);
                }
            }
        }
        let steps = self.steps();
        for step in steps.newest(steps.count() - before) {
            if let Step::Command { command, exit, output } = step {
                show(Seen::Ran { command, exit: *exit, output });
            }
        }
    }

    /// What it has done so far.
    fn steps(&self) -> &Recorder {
        match self.manner {
            Manner::Claude => self.transcript.recorder(),
            Manner::Codex | Manner::Plain => &self.recorder,
        }
    }

    fn claude(&mut self, value: &Value, show: &mut dyn FnMut(Seen<'_>)) {
        match value["type"].as_str() {
            Some("assistant") => {
                for block in value["message"]["content"].as_array().into_iter().flatten() {
                    match block["type"].as_str() {
                        Some("text") => show(Seen::Said(block["text"].as_str().unwrap_or_default())),
                        Some("tool_use") => show(Seen::Said(&tool(block))),
                        _ => {}
                    }
                }
            }
            Some("result") => {
                self.dollars += value["total_cost_usd"].as_f64().unwrap_or_default();
                if value["is_error"] == true {
                    self.failed = Some(value["result"].as_str().unwrap_or("it says `is_error`").to_owned());
                }
            }
            _ => {}
        }
    }

    fn codex(&mut self, value: &Value, show: &mut dyn FnMut(Seen<'_>)) {
        let item = &value["item"];
        match (value["type"].as_str(), item["type"].as_str()) {
            (Some("item.completed"), Some("agent_message")) => {
                let text = item["text"].as_str().unwrap_or_default();
                self.recorder.said(Speaker::Agent, text);
                show(Seen::Said(text));
            }
            (Some("item.completed"), Some("command_execution")) => {
                let command = item["command"].as_str().unwrap_or_default();
                let exit = item["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
                let output = item["aggregated_output"].as_str().unwrap_or_default();
                self.recorder.command(command, exit, output);
                show(Seen::Said(&format!("→ {command}")));
            }
            (Some("item.completed"), Some("web_search" | "mcp_tool_call")) => self.recorder.stranger(),
            (Some("turn.failed"), _) => {
                let why = value["error"]["message"].as_str().unwrap_or("its turn failed");
                self.failed = Some(why.to_owned());
            }
            _ => {}
        }
    }

    fn finish(mut self, failed: Option<String>) -> Worked {
        let run = match self.manner {
            Manner::Claude => self.transcript.finish(),
            Manner::Codex => self.recorder.finish(),
            Manner::Plain => {
                self.recorder.said(Speaker::Agent, &self.plain);
                self.recorder.finish()
            }
        };
        Worked { run, failed: failed.or(self.failed), dollars: self.dollars, ..Worked::default() }
    }
}

/// A tool call in a line.
fn tool(block: &Value) -> String {
    let input = &block["input"];
    let words = ["command", "file_path", "path", "pattern", "description"];
    let about = words.iter().find_map(|key| input[*key].as_str()).unwrap_or_default();
    let name = block["name"].as_str().unwrap_or_default();
    format!("→ {name} {}", about.lines().next().unwrap_or_default())
}
