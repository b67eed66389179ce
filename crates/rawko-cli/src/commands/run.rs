//! `rawko run`: a task, done by agents on a host, with memory.

pub(crate) mod args;

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use rawko::core::arbiter::Phase;
use rawko::core::{Agent, inert, inert_line};
use rawko::provider::{Provider, choose_provider};
use rawko::{Decision, Engine, Extracted, News, Now, Program, Ran, Seen, StoreError, Wanted};
use serde_json::json;

use self::args::Run;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// Longest task that is read from standard input.
const MOST_BYTES: u64 = 256 * 1024;

pub(crate) fn run(args: &Run, place: &Place, out: &Output) -> Result<(), Failure> {
    if open::is_inside() {
        return Err(Failure::wrong(
            "this process was started by rawko itself, and the chain has one link",
            "run it from a terminal of your own",
        ));
    }
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let task = if args.task == "-" { from_input()? } else { args.task.clone() };
    if task.trim().is_empty() {
        return Err(Failure::usage("there is no task", "say what is to be done"));
    }
    super::say_if_personal(&engine, out);
    let agents = chosen(&engine, &args.agent)?;
    let worker = worker(args)?;
    let provider = provider(&engine)?;
    let wanted = Wanted {
        task: task.trim(),
        agents,
        worker: &worker,
        arbiter: provider.as_deref(),
        extractor: provider.as_deref(),
        rounds: args.rounds,
        time: Duration::from_secs(args.minutes * 60),
        dollars: args.dollars,
    };
    let open = || {
        let now = Now::at(jiff::Timestamp::now());
        Engine::open(&place.start, place.home.as_deref(), now)
    };
    let ran = rawko::run(&open, &wanted, &mut |news| tell(&news, args.json, out))?;
    if args.json {
        out.json(&in_json(&ran))?;
    } else {
        let name = out.paint(Look::Strong, ran.phase.as_str());
        out.line(format!(
            "{name}: {}. `rawko session show {}` tells all of it.",
            inert_line(&ran.why),
            ran.session
        ))?;
    }
    if ran.phase == Phase::Done { Ok(()) } else { Err(Failure::Said) }
}

/// What is told while it goes on; nobody's closed pipe ends a run.
fn tell(news: &News<'_>, aside: bool, out: &Output) {
    let line = match news {
        News::Began(session) => format!("session {session}"),
        News::Phase(phase, "", "") => format!("· {phase}"),
        News::Phase(phase, "", why) => format!("· {phase}: {}", inert_line(why)),
        News::Phase(phase, agent, "") => format!("· {phase} {}", inert_line(agent)),
        News::Phase(phase, agent, why) => format!("· {phase} {}: {}", inert_line(agent), inert_line(why)),
        News::Line(Seen::Said(line)) => inert(line).to_string(),
        News::Line(Seen::Ran { .. }) => String::new(),
        News::Failed(why) => format!("· did not succeed: {}", inert_line(why)),
        News::Learned(extracted) => learned(extracted),
    };
    if line.is_empty() {
        return;
    }
    let painted = match news {
        News::Line(_) => line,
        _ => out.paint(Look::Faint, &line),
    };
    if aside {
        let _ = writeln!(io::stderr(), "{painted}");
    } else {
        let _ = out.line(painted);
    }
}

fn learned(extracted: &Extracted) -> String {
    let kept = extracted.judged.iter().filter(|judged| judged.saved.is_some());
    let (mut active, mut waiting) = (0, 0);
    for judged in kept {
        match judged.admission.decision {
            Decision::Hold => waiting += 1,
            _ => active += 1,
        }
    }
    match (active, waiting, &extracted.waits) {
        (_, _, Some(waits)) => format!("· to be learned from later: {}", inert_line(&waits.to_string())),
        (0, 0, None) => String::new(),
        (active, 0, None) => format!("· learned {active}"),
        (active, waiting, None) => format!("· learned {active}, and {waiting} wait for review"),
    }
}

fn in_json(ran: &Ran) -> serde_json::Value {
    let turns = ran.turns.iter().map(|turn| json!({ "agent": turn.agent, "result": turn.result.as_str() }));
    json!({
        "session": ran.session.as_str(), "state": ran.phase.as_str(), "why": ran.why,
        "turns": turns.collect::<Vec<_>>(), "dollars": ran.dollars,
    })
}

fn from_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The agents in force, or those of them that are named.
fn chosen(engine: &Engine, names: &[String]) -> Result<Vec<Agent>, Failure> {
    let all = engine.agents()?;
    if names.is_empty() {
        return Ok(all);
    }
    if let Some(name) = names.iter().find(|name| !all.iter().any(|agent| agent.name == **name)) {
        let there: Vec<&str> = all.iter().map(|agent| agent.name.as_str()).collect();
        return Err(Failure::usage(
            format!("there is no agent `{name}`"),
            format!("there are: {}", there.join(", ")),
        ));
    }
    Ok(all.into_iter().filter(|agent| names.contains(&agent.name)).collect())
}

fn worker(args: &Run) -> Result<Program, Failure> {
    if let Some(command) = &args.command {
        return of_command(command);
    }
    let known = ["claude", "codex", "gemini"];
    let name = match &args.host {
        Some(name) => known.into_iter().find(|known| known == name).ok_or_else(|| {
            let hint = "use claude, codex or gemini, or `--command`";
            Failure::usage(format!("`{name}` is no host that runs agents"), hint)
        })?,
        None => known.into_iter().find(|name| open::on_path(name).is_some()).ok_or_else(|| {
            let hint = "install one, or give any command that takes a prompt with `--command`";
            Failure::wrong("neither claude, codex nor gemini is installed", hint)
        })?,
    };
    if open::on_path(name).is_none() {
        let hint = "install it, or use another `--host`, or `--command`";
        return Err(Failure::wrong(format!("`{name}` is not installed"), hint));
    }
    Ok(match name {
        "claude" => Program::claude(name),
        "codex" => Program::codex(name),
        _ => Program::gemini(name),
    })
}

/// Any command, by the shell; one that the shell would not find is refused before anything begins.
fn of_command(command: &str) -> Result<Program, Failure> {
    let first = command.split_whitespace().next().unwrap_or_default();
    let is_plain = |c: char| c.is_alphanumeric() || "_./-+".contains(c);
    // Whatever has syntax in it, only the shell itself can judge.
    if first.chars().all(is_plain) {
        let mut shell = Command::new("sh");
        let asked = shell.args(["-c", "command -v -- \"$0\"", first]).stdin(Stdio::null()).output();
        if asked.is_ok_and(|answer| !answer.status.success()) {
            return Err(Failure::wrong(
                format!("`{first}` cannot be started: there is no such command"),
                "correct `--command`, which is run by `sh -c`",
            ));
        }
    }
    Ok(Program::command(["sh", "-c", command].map(str::to_owned).to_vec()))
}

fn provider(engine: &Engine) -> Result<Option<Box<dyn Provider>>, Failure> {
    choose_provider(engine.config(), None, open::variable)
        .map_err(|error| Failure::wrong(error.to_string(), "see `provider` in your own config.toml"))
}
