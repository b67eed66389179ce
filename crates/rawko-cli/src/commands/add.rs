//! `rawko add`: from flags, a file, standard input or an editor.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use rawko::{
    Channel, Draft, Engine, Entry, Importance, Kind, Place as Where, Saved, Severity, Trigger, Whose,
};
use serde_json::json;

use super::importance;
use crate::args::Add;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// Most text that is taken for one memory, in bytes.
const MAX_INPUT: u64 = 1024 * 1024;

pub(crate) fn run(args: &Add, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let whose = if args.personal { Whose::Person } else { Whose::Project };
    if engine.store(whose).is_none() {
        return Err(rawko::StoreError::NoStore(place.start.clone()).into());
    }
    let (channel, name) = open::writer();
    let entries = entries(args, &engine, &name, place)?;
    for entry in &entries {
        let saved = engine.add(entry, whose, channel)?;
        report(args, &engine, whose, channel, &saved, out)?;
    }
    Ok(())
}

fn entries(args: &Add, engine: &Engine, name: &str, place: &Place) -> Result<Vec<Entry>, Failure> {
    if args.title.is_some() || args.content.is_some() {
        return from_flags(args, engine, name).map(|entry| vec![entry]);
    }
    match &args.file {
        Some(path) if path.as_os_str() == "-" => from_markdown(&stdin()?, "standard input"),
        Some(path) => {
            let path = if path.is_absolute() { path.clone() } else { place.start.join(path) };
            from_markdown(&read_file(&path)?, &path.display().to_string())
        }
        None if io::stdin().is_terminal() => from_editor(engine, name, place),
        None => from_markdown(&stdin()?, "standard input"),
    }
}

fn from_flags(args: &Add, engine: &Engine, name: &str) -> Result<Entry, Failure> {
    let Some(title) = args.title.as_ref().filter(|title| !title.trim().is_empty()) else {
        return Err(Failure::usage("a memory needs a title", "add --title \"What it is about\""));
    };
    let content = match args.content.as_deref() {
        Some("-") => stdin()?,
        Some(text) => text.to_owned(),
        None if io::stdin().is_terminal() => String::new(),
        None => stdin()?,
    };
    if content.trim().is_empty() {
        return Err(Failure::usage(
            "a memory needs a text",
            "add --content \"…\", or `--content -` and pipe it in",
        ));
    }
    let content = content.trim_end();
    let body = if content.trim_start().starts_with('#') {
        content.to_owned()
    } else {
        format!("# {}\n\n{content}", title.trim())
    };
    let mut draft = Draft::new(title.clone(), body)
        .by(args.by.clone().unwrap_or_else(|| name.to_owned()))
        .importance(args.importance.as_deref().map_or(Ok(Importance::Medium), importance)?)
        .discovered_in(args.discovered_in.clone())
        .kind(args.procedure.then_some(Kind::Procedure));
    draft = args.when.iter().fold(draft, |draft, when| draft.when(when));
    draft = args.when_path.iter().fold(draft, |draft, when| draft.trigger(Trigger::Path(when.clone())));
    draft = args.when_command.iter().fold(draft, |draft, when| draft.trigger(Trigger::Command(when.clone())));
    draft = args.when_error.iter().fold(draft, |draft, when| draft.trigger(Trigger::Error(when.clone())));
    draft = args.tag.iter().fold(draft, |draft, tag| draft.tag(tag));
    draft = args.supersedes.iter().fold(draft, |draft, slug| draft.supersedes(slug));
    Ok(draft.entry(engine.now()))
}

/// Every entry of a Markdown text; a text with an error adds nothing.
fn from_markdown(text: &str, from: &str) -> Result<Vec<Entry>, Failure> {
    let thread = rawko::core::parse(text);
    if let Some(problem) = thread.problems.iter().find(|problem| problem.severity == Severity::Error) {
        let message = format!("{from}, line {}, column {}: {}", problem.line, problem.column, problem.what);
        return Err(Failure::wrong(message, format!("{}; nothing was added", problem.remedy)));
    }
    Ok(thread.entries.into_iter().map(|found| found.entry).collect())
}

fn from_editor(engine: &Engine, name: &str, place: &Place) -> Result<Vec<Entry>, Failure> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|variable| env::var(variable).ok().filter(|value| !value.is_empty()));
    let Some(editor) = editor else {
        return Err(Failure::usage(
            "there is nothing to add",
            "use --title and --content, --file, or set $EDITOR",
        ));
    };
    let draft =
        Draft::new("What this memory is about", "# What this memory is about\n\nWhere, why and how.\n")
            .when("pattern|other pattern")
            .when("When doing this or that")
            .by(name);
    let template = draft.entry(engine.now()).to_text();
    let path = env::temp_dir().join(format!("rawko-{}.md", std::process::id()));
    fs::write(&path, &template).map_err(|error| {
        Failure::wrong(format!("cannot write {}: {error}", path.display()), "check TMPDIR")
    })?;
    let ended = edit(&editor, &path, place);
    let text = read_file(&path);
    let result = ended.and(text).and_then(|text| {
        if text == template {
            return Err(Failure::wrong(
                "nothing was changed, so nothing was added",
                "save the file in the editor",
            ));
        }
        from_markdown(&text, "what you wrote")
    });
    match result {
        Ok(entries) => {
            let _ = fs::remove_file(&path);
            Ok(entries)
        }
        Err(Failure::Wrong { message, hint }) => {
            let hint = hint.unwrap_or_default();
            Err(Failure::wrong(
                message,
                format!("{hint} (your text is kept: rawko add --file {})", path.display()),
            ))
        }
        Err(failure) => Err(failure),
    }
}

fn edit(editor: &str, path: &PathBuf, place: &Place) -> Result<(), Failure> {
    // An editor may be set with flags, such as `code --wait`.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or(editor);
    let status = Command::new(program).args(words).arg(path).current_dir(&place.start).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::wrong(format!("the editor ended with {status}"), "try again")),
        Err(error) => {
            Err(Failure::wrong(format!("cannot start `{editor}`: {error}"), "set $EDITOR to a program"))
        }
    }
}

fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    text(bytes, "standard input")
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let unreadable = |error: io::Error| {
        Failure::wrong(format!("cannot read {}: {error}", path.display()), "name a Markdown file")
    };
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    text(bytes, &path.display().to_string())
}

fn text(bytes: Vec<u8>, from: &str) -> Result<String, Failure> {
    if bytes.len() as u64 > MAX_INPUT {
        let message = format!("{from} has over {MAX_INPUT} bytes");
        return Err(Failure::wrong(message, "a memory is one concept: split it"));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::wrong(format!("{from} is not UTF-8 text"), "save it as UTF-8"))
}

fn report(
    args: &Add,
    engine: &Engine,
    whose: Whose,
    channel: Channel,
    saved: &Saved,
    out: &Output,
) -> Result<(), Failure> {
    let found = engine.show(&saved.slug)?;
    let waits =
        found.memory.entries.iter().find(|known| known.id == saved.id).and_then(|known| known.waits());
    let path = engine.store(whose).map(|store| store.layout().memory(&saved.slug));
    let place = match saved.place {
        Where::File => "file",
        Where::Spool => "spool",
        Where::Already => "already",
    };
    if args.json {
        return out.json(&json!({
            "slug": saved.slug.as_str(), "id": saved.id.to_string(), "store": whose.as_str(), "new": saved.is_new,
            "place": place, "path": path, "trust": channel.proves().as_str(), "waits": waits,
        }));
    }
    let name = out.paint(Look::Strong, saved.slug.as_str());
    match (saved.place, saved.is_new) {
        (Where::Already, _) => out.line(format!("Nothing to do: {name} says exactly this already."))?,
        (Where::Spool, _) => {
            out.line(format!("Saved an entry of {name}; another process moves it into its file."))?
        }
        (Where::File, true) => out.line(format!("Saved {name}."))?,
        (Where::File, false) => {
            out.line(format!("Saved an entry of {name}, now {} in all.", found.memory.entries.len()))?
        }
    }
    match waits {
        Some(waits) => out.line(format!("It waits for your word, because it holds {waits}: `rawko trust`.")),
        None => Ok(()),
    }
}
