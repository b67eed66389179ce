//! `rawko extract`: what a finished run taught.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use rawko::core::{Format, Run, RunResult, Transcript, how_it_ended, inert_line};
use rawko::provider::{ChoiceError, KINDS, Provider, choose_provider};
use rawko::{Decision, Denied, Engine, Extracted, How, Judged, StoreError, Waits};
use serde_json::{Value, json};

use super::count;
use crate::args::{Extract, TranscriptFormat};
use crate::embedding;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

pub(crate) fn run(args: &Extract, place: &Place, out: &Output) -> Result<(), Failure> {
    if open::is_inside() {
        // A host that rawko started must not start it again: the chain has one link.
        return inside(args, out);
    }
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let provider = match provider(&engine, args) {
        Ok(provider) => provider,
        Err(failure) if args.pending || args.dry_run || args.provider.is_some() => return Err(failure),
        Err(failure) => return put_off(args, place, &engine, failure),
    };
    if args.pending {
        return pending(args, &engine, provider.as_deref(), out);
    }
    let run = read(args, place)?;
    super::say_if_personal(&engine, out);
    if run.steps.is_empty() && run.output.is_empty() {
        out.note(
            "No message was found in it. `--format` says which program wrote it; `--format text` takes it for an agent's \
             own words.",
        );
    }
    let how = How { provider: provider.as_deref(), dry_run: args.dry_run };
    let extracted = engine.extract(&run, how)?;
    if !args.dry_run && !extracted.was_known {
        engine.record_run(&run)?;
    }
    if args.json {
        out.json(&in_json(&extracted, args.dry_run))?;
    } else {
        report(&extracted, args.dry_run, out)?;
    }
    embedding::catch_up(&engine, extracted.speaking().next().is_some());
    match &extracted.waits {
        Some(waits @ (Waits::Failed(_) | Waits::Full(_) | Waits::Refused(_))) => {
            Err(waiting(waits, args.dry_run))
        }
        _ => Ok(()),
    }
}

/// Keeps the run though there is nobody to ask, and says so.
fn put_off(args: &Extract, place: &Place, engine: &Engine, failure: Failure) -> Result<(), Failure> {
    let Failure::Usage { message, hint } = failure else { return Err(failure) };
    let kept = match engine.put_off(&read(args, place)?, &message)? {
        Waits::Nobody(_) => "the run is kept, and `rawko extract --pending` tries it then",
        _ => "this run was not kept",
    };
    let hint = hint.map_or_else(|| kept.to_owned(), |hint| format!("{hint}; {kept}"));
    Err(Failure::usage(message, hint))
}

fn inside(args: &Extract, out: &Output) -> Result<(), Failure> {
    if args.json {
        return out.json(&json!({ "skipped": "started by rawko itself" }));
    }
    out.line("Nothing was extracted: this process was started by rawko itself.")
}

fn provider(engine: &Engine, args: &Extract) -> Result<Option<Box<dyn Provider>>, Failure> {
    choose_provider(engine.config(), args.provider.as_deref(), open::variable).map_err(|error| {
        let hint = match &error {
            ChoiceError::Unknown(_) => format!("there are: {}", KINDS.join(", ")),
            ChoiceError::NoKey { .. } => {
                "set it, or name another variable in `provider.keyVariable` of your own config.toml"
                    .to_owned()
            }
            ChoiceError::Missing { setting, .. } => {
                format!("set `{setting}` in your own config.toml")
            }
            ChoiceError::Provider(_) => {
                "set `provider.url` in your own config.toml to https://…, or leave it empty".to_owned()
            }
        };
        Failure::usage(error.to_string(), hint)
    })
}

/// The run, from a file or standard input, with what the flags say of it.
fn read(args: &Extract, place: &Place) -> Result<Run, Failure> {
    let mut transcript = Transcript::new(match args.format {
        TranscriptFormat::Auto => None,
        TranscriptFormat::Claude => Some(Format::Claude),
        TranscriptFormat::Codex => Some(Format::Codex),
        TranscriptFormat::Gemini => Some(Format::Gemini),
        TranscriptFormat::Copilot => Some(Format::Copilot),
        TranscriptFormat::Opencode => Some(Format::Opencode),
        TranscriptFormat::Text => Some(Format::Text),
    });
    let is_text = match args.file.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let path = if path.is_absolute() { path.to_owned() } else { place.start.join(path) };
            let no = |error: io::Error| {
                Failure::usage(
                    format!("cannot read {}: {error}", path.display()),
                    "name a transcript, or a file with an agent's words",
                )
            };
            // Looked at before it is opened: a pipe would wait for whoever writes into it.
            if !path.metadata().map_err(no)?.is_file() {
                return Err(Failure::usage(
                    format!("{} is no plain file", path.display()),
                    "name a transcript, or a file with an agent's words",
                ));
            }
            pour(File::open(&path).map_err(no)?, &mut transcript).map_err(no)?
        }
        None if io::stdin().is_terminal() => {
            return Err(Failure::usage(
                "there is no run to learn from",
                "name a transcript, or pipe an agent's words in: `… | rawko extract`",
            ));
        }
        None => pour(io::stdin().lock(), &mut transcript)?,
    };
    if !is_text {
        return Err(Failure::usage(
            "what is to be read is no text",
            "name a transcript, or a file with an agent's words",
        ));
    }
    let mut run = transcript.finish();
    run.result = how_it_ended(&run);
    said(args, &mut run)?;
    Ok(run)
}

/// Reads piece by piece: a transcript may be larger than the memory that reading it may take; whether it is text.
///
/// A zero byte at the beginning tells, as it does to git.
pub(crate) fn pour(mut from: impl Read, into: &mut Transcript) -> io::Result<bool> {
    const TELLING: usize = 8_000;
    let mut buffer = vec![0; 128 * 1024];
    let (mut is_text, mut seen) = (true, 0);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(is_text),
            Ok(count) => {
                let telling = &buffer[..count.min(TELLING - seen)];
                (is_text, seen) = (is_text && !telling.contains(&0), seen + telling.len());
                into.push(&buffer[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn said(args: &Extract, run: &mut Run) -> Result<(), Failure> {
    if let Some(word) = &args.result {
        run.result = RunResult::parse(word).ok_or_else(|| {
            Failure::usage(format!("there is no result `{word}`"), "use success, failure or partial")
        })?;
    }
    if let Some(agent) = &args.agent {
        run.agent = agent.clone();
    }
    if let Some(task) = &args.task {
        run.task = task.clone();
    }
    if let Some(error) = &args.error {
        run.error = Some(error.clone());
    }
    Ok(())
}

fn waiting(waits: &Waits, dry_run: bool) -> Failure {
    let hint = match waits {
        Waits::Refused(_) => {
            "it would refuse again, so the run does not wait: `rawko extract --provider offline` learns by the rules"
        }
        _ if dry_run => "nothing was kept, because this was a dry run",
        Waits::Full(_) => "mend the provider and run `rawko extract --pending`; then extract this run again",
        _ => "the run is kept; `rawko extract --pending` tries it again",
    };
    Failure::wrong(waits.to_string(), hint)
}

fn in_json(extracted: &Extracted, dry_run: bool) -> Value {
    let one = |judged: &Judged| {
        let mut value = judged.json();
        value["content"] = json!(judged.admission.entry.body);
        value
    };
    json!({
        "by": extracted.by, "dryRun": dry_run, "known": extracted.was_known, "reasoning": extracted.reasoning,
        "decisions": extracted.judged.iter().map(one).collect::<Vec<_>>(),
        "denied": extracted.denied.iter().map(denied_json).collect::<Vec<_>>(),
        "used": extracted.used.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "tokensIn": extracted.usage.input, "tokensOut": extracted.usage.output, "dollars": extracted.usage.dollars,
        "waits": extracted.waits.as_ref().map(ToString::to_string),
    })
}

fn report(extracted: &Extracted, dry_run: bool, out: &Output) -> Result<(), Failure> {
    match &extracted.waits {
        Some(Waits::Failed(_) | Waits::Full(_) | Waits::Refused(_)) => return Ok(()),
        Some(waits) => {
            return out.line(format!("The run waits, because {waits}: `rawko extract --pending`."));
        }
        None => {}
    }
    if extracted.was_known {
        return out.line("This very run was learned from before: nothing new.");
    }
    for denied in &extracted.denied {
        said_otherwise(denied, dry_run, out)?;
    }
    if extracted.judged.is_empty() {
        out.line("Nothing in this run is worth remembering.")?;
    }
    for judged in &extracted.judged {
        one(judged, dry_run, out)?;
    }
    if !extracted.reasoning.is_empty() {
        out.line(format!("{}: {}", extracted.by, inert_line(&extracted.reasoning)))?;
    }
    Ok(())
}

/// A memory that a person spoke against: what only agents vouch for waits from now on.
fn said_otherwise(denied: &Denied, dry_run: bool, out: &Output) -> Result<(), Failure> {
    let word = match (denied.is_held, dry_run) {
        (true, true) => "would hold",
        (true, false) => "held back",
        (false, _) => "in doubt",
    };
    let name = out.paint(Look::Strong, denied.slug.as_str());
    out.line(format!("{} {name}", out.paint(Look::Warn, &format!("{word:<10}"))))?;
    out.line(format!("           a person said: “{}”", rawko::core::in_a_line(&denied.denial.said, 300)))
}

fn denied_json(denied: &Denied) -> Value {
    json!({ "slug": denied.slug.as_str(), "said": denied.denial.said, "held": denied.is_held })
}

/// One proposal: what became of it, its name or title, and why.
fn one(judged: &Judged, dry_run: bool, out: &Output) -> Result<(), Failure> {
    let (word, look) = match judged.admission.decision {
        Decision::Accept if dry_run => ("would save", Look::Good),
        Decision::Accept => ("saved", Look::Good),
        Decision::Update(_) | Decision::Contradict(_) if dry_run => ("would add", Look::Good),
        Decision::Update(_) | Decision::Contradict(_) => ("added to", Look::Good),
        Decision::Hold if dry_run => ("would wait", Look::Warn),
        Decision::Hold => ("waits", Look::Warn),
        Decision::Refuse => ("refused", Look::Faint),
    };
    let title = inert_line(&judged.admission.entry.frontmatter.title);
    let name = judged.saved.as_ref().map_or(title, |saved| saved.slug.to_string());
    out.line(format!("{} {}", out.paint(look, &format!("{word:<10}")), out.paint(Look::Strong, &name)))?;
    out.line(format!("           {}", inert_line(&judged.admission.reason.to_string())))?;
    if dry_run {
        let body = judged
            .admission
            .entry
            .body
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        body.into_iter().try_for_each(|line| out.line(format!("           | {}", inert_line(line))))?;
    }
    Ok(())
}

fn pending(
    args: &Extract,
    engine: &Engine,
    provider: Option<&dyn Provider>,
    out: &Output,
) -> Result<(), Failure> {
    let retried = engine.extract_pending(provider)?;
    if args.json {
        let done: Vec<Value> = retried.done.iter().map(|extracted| in_json(extracted, false)).collect();
        out.json(&json!({ "done": done, "waiting": retried.waiting, "torn": retried.torn, "waits": retried.waits.as_ref().map(ToString::to_string) }))?;
    } else {
        for extracted in &retried.done {
            report(extracted, false, out)?;
        }
        let waiting = count(retried.waiting, "run waits", "runs wait");
        out.line(format!("{} answered; {waiting}.", count(retried.done.len(), "run was", "runs were")))?;
        if retried.torn > 0 {
            let torn = count(retried.torn, "kept run", "kept runs");
            out.line(format!("{torn} in `log/pending` cannot be read: `rawko doctor` says more."))?;
        }
    }
    embedding::catch_up(engine, retried.done.iter().flat_map(Extracted::speaking).next().is_some());
    match &retried.waits {
        Some(waits @ Waits::Failed(_)) => Err(waiting(waits, false)),
        _ => Ok(()),
    }
}
