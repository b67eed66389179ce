//! `rawko inject`: what an agent should know before a task.

use std::io::{self, IsTerminal, Read, Write};

use rawko::core::{Gate, Outcome, Profile, tokens};
use rawko::{Considered, Engine, Injection, MeaningBy, Status, StoreError, TaskContext, Whose, Wish};
use serde_json::{Value, json};

use super::{count, importance};
use crate::args::{Format, Inject, Task};
use crate::embedding;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// Relevance from which a memory would probably have come.
const LIKELY: f32 = 20.0;
/// Most text that is taken as a task from either of its ends, in bytes.
const END_OF_TASK: usize = 512 * 1024;

pub(crate) fn run(args: &Inject, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let (task, mut wish) = asked(&args.task, &engine, place)?;
    wish.budget = args.budget;
    let mut injection = whole(&engine, &task, &wish)?;
    let id = place.now.as_nanosecond().to_string();
    let held_out = !args.explain && !injection.block.is_empty() && engine.is_held_out(&id);
    if held_out {
        injection.block.clear();
    }
    if args.json || args.format == Format::Json {
        out.json(&in_json(&injection, &id))?;
    } else if args.explain {
        explain(&injection, out)?;
    } else if !injection.block.is_empty() {
        write!(io::stdout().lock(), "{}", injection.block)?;
    }
    io::stdout().flush()?;
    hint(&injection);
    // The answer is out; what follows may take its time and may fail.
    if !args.no_receipt {
        let mut receipt = injection.receipt(&id, &task, engine.now());
        if held_out {
            receipt["heldOut"] = true.into();
        }
        let _ = engine.keep_receipt(&receipt);
    }
    rebuild(&engine, &injection.wants_rebuild);
    embedding::catch_up(&engine, injection.read_behind > 0);
    Ok(())
}

/// Tells a person at the terminal what would have come, had they approved it.
fn hint(injection: &Injection) {
    let waits = |considered: &&Considered| {
        let held = match &considered.judged.outcome {
            Outcome::Out { gate } => matches!(gate, Gate::Trust(_) | Gate::Status(Status::Pending)),
            Outcome::Chosen { .. } => false,
        };
        held && (considered.judged.relevance >= LIKELY || considered.called.is_some())
    };
    let waiting = injection.considered.iter().filter(waits).count();
    if waiting > 0 && io::stderr().is_terminal() {
        let text = count(waiting, "relevant memory waits", "relevant memories wait");
        eprintln!("{text} for your word: rawko trust");
    }
}

/// An injection for which every file was looked at, if need be through a new index.
pub(super) fn whole(engine: &Engine, task: &TaskContext, wish: &Wish) -> Result<Injection, Failure> {
    let injection = engine.inject(task, wish)?;
    if injection.is_complete() {
        return Ok(injection);
    }
    rebuild(engine, &injection.wants_rebuild);
    let injection = engine.inject(task, wish)?;
    if let Some(unread) = injection.unread() {
        let memories = count(unread, "memory was", "memories were");
        eprintln!("warning: {memories} not looked at, because no index could be built");
        eprintln!("hint: `rawko index` says why, and `rawko doctor` what else is wrong");
    }
    Ok(injection)
}

/// Builds indexes anew, with a line of progress where somebody looks.
pub(super) fn rebuild(engine: &Engine, wanted: &[Whose]) {
    for &whose in wanted {
        let shown = io::stderr().is_terminal();
        let mut progress = |done: usize, all: usize| {
            if shown && all >= 1_000 && (done.is_multiple_of(500) || done == all) {
                eprint!("\rbuilding the index: {done} of {all}{}", if done == all { "\n" } else { "" });
            }
        };
        // An index is a help and no more: what cannot be built now is built another time.
        let _ = engine.rebuild(whose, &mut progress);
    }
}

/// What the flags say of a task.
pub(super) fn asked(args: &Task, engine: &Engine, place: &Place) -> Result<(TaskContext, Wish), Failure> {
    let mut task = args.task.clone();
    if task == "-" {
        task = both_ends(io::stdin().lock())?;
    }
    let profile = args.profile.as_deref().map(|name| {
        Profile::parse(name)
            .ok_or_else(|| Failure::usage(format!("there is no profile `{name}`"), "use hybrid or classic"))
    });
    let context = TaskContext {
        task,
        agent: args.agent.clone(),
        agent_display_name: String::new(),
        plan: args.plan.clone(),
        history: args.history.clone(),
        files: args.file.iter().map(|file| engine.in_project(file, &place.start)).collect(),
        command: args.command.clone(),
        error: args.error.clone(),
    };
    let wish = Wish {
        profile: profile.transpose()?,
        max: args.max,
        min_importance: args.min_importance.as_deref().map(importance).transpose()?,
        budget: None,
        ..Wish::default()
    };
    Ok((context, wish))
}

/// The text that comes in: of a very long one the beginning and the end, where people say what they want.
fn both_ends(mut input: impl Read) -> io::Result<String> {
    let (mut head, mut tail, mut cut) = (Vec::new(), Vec::new(), "");
    input.by_ref().take(END_OF_TASK as u64).read_to_end(&mut head)?;
    while input.by_ref().take(END_OF_TASK as u64).read_to_end(&mut tail)? > 0 {
        if tail.len() > END_OF_TASK {
            tail.drain(..tail.len() - END_OF_TASK);
            cut = "\n";
        }
    }
    Ok(String::from_utf8_lossy(&[&head, cut.as_bytes(), &tail].concat()).into_owned())
}

fn in_json(injection: &Injection, id: &str) -> Value {
    let (chosen, out): (Vec<_>, Vec<_>) =
        injection.considered.iter().partition(|considered| considered.has_a_place());
    json!({
        "receipt": id, "block": injection.block, "tokens": tokens(&injection.block),
        "chosen": chosen.into_iter().map(Considered::json).collect::<Vec<_>>(),
        "out": out.into_iter().map(Considered::json).collect::<Vec<_>>(),
        "complete": injection.is_complete(),
    })
}

fn explain(injection: &Injection, out: &Output) -> Result<(), Failure> {
    let (chosen, others): (Vec<_>, Vec<_>) =
        injection.considered.iter().partition(|considered| considered.has_a_place());
    if chosen.is_empty() {
        out.line("Nothing would reach the agent.")?;
    } else {
        out.line(format!(
            "{} of {} memories looked at would reach the agent, {} tokens:",
            chosen.len(),
            injection.considered.len(),
            tokens(&injection.block)
        ))?;
        chosen.into_iter().try_for_each(|considered| one(considered, out))?;
    }
    let near: Vec<_> = others.into_iter().take(5).collect();
    if !near.is_empty() {
        out.line("")?;
        out.line("Nearest of those that stay silent:")?;
        near.into_iter().try_for_each(|considered| one(considered, out))?;
    }
    Ok(())
}

/// One memory with its score, the parts that add up to it, and what became of it.
pub(super) fn one(considered: &Considered, out: &Output) -> Result<(), Failure> {
    let judged = &considered.judged;
    let (mark, look) = if considered.has_a_place() { ("in ", Look::Good) } else { ("out", Look::Faint) };
    out.line("")?;
    out.line(format!(
        "{} {} {}  {}",
        out.paint(look, mark),
        out.paint(Look::Strong, &format!("{:5.1}", judged.score.total())),
        out.paint(Look::Strong, judged.slug.as_str()),
        rawko::core::inert_line(&considered.title)
    ))?;
    let parts: Vec<String> =
        judged.score.parts().iter().map(|part| format!("{} {:+.1}", part.name, part.points)).collect();
    out.line(format!(
        "        = {}",
        if parts.is_empty() { "nothing in common".to_owned() } else { parts.join("  ") }
    ))?;
    let has_part = |name: &str| judged.score.parts().iter().any(|part| part.name == name);
    let by = considered.meaning_by.map(MeaningBy::as_str);
    if let Some(by) = meaning_by(by, considered.meaning_by == Some(MeaningBy::TableAsYet), has_part) {
        out.line(format!("        {by}"))?;
    }
    if let Some(called) = &considered.called {
        let how = by_trigger(has_part);
        out.line(format!("        {how} {}", rawko::core::inert_line(called)))?;
    }
    if let Some(stale) = &considered.stale {
        out.line(format!(
            "        {} {}",
            out.paint(Look::Warn, "check first:"),
            rawko::core::inert_line(stale)
        ))?;
    }
    match &judged.outcome {
        Outcome::Out { gate } => out.line(format!("        stays out: {gate}")),
        Outcome::Chosen { .. } if considered.crowded_out => {
            out.line(format!("        stays out: {}", Considered::CROWDED))
        }
        Outcome::Chosen { .. } => Ok(()),
    }
}

/// Who told the meaning, as a line: by the word of [`MeaningBy`], and by the parts of the score.
pub(super) fn meaning_by(
    by: Option<&str>,
    is_unread: bool,
    has_part: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let has_meaning = has_part("meaning") || has_part("found in");
    match by? {
        _ if is_unread => {
            Some("meaning by the token table: the sentence encoder has not read this memory yet")
        }
        "table" if has_meaning => Some("meaning by the token table"),
        _ => has_meaning.then_some("meaning by the sentence encoder"),
    }
}

/// How a trigger that matched is told, by the parts of the score: only a loud one calls its memory by itself.
pub(super) fn by_trigger(has_part: impl Fn(&str) -> bool) -> &'static str {
    // By the origin's rules every match calls, and none of them is a part.
    match has_part("trigger") && !has_part("called") {
        true => "matched by its trigger",
        false => "called by its trigger",
    }
}
