//! `rawko memory compact`, `clear` and `undo`.

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use rawko::core::{CompactOptions, Layer, MemoryEntry};
use rawko::provider::choose_provider;
use rawko::{Engine, Layers, SumUp, by_provider};
use serde_json::json;

use super::args::{Clear, Compact, Undo, Which};
use super::{in_session, layer, refuse_agents};
use crate::commands::count;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::Output;
use crate::person;

/// The layers; with a session where the working layer is meant.
fn of<'e>(
    engine: &'e Engine,
    which: &Which,
    place: &Place,
    wanted: Option<Layer>,
) -> Result<Layers<'e>, Failure> {
    in_session(engine, which, place, wanted == Some(Layer::Working))
}

pub(super) fn compact(args: &Compact, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    let layer = layer(args.layer);
    let provider = choose_provider(engine.config(), Some(&args.provider), open::variable)
        .map_err(|error| Failure::usage(error.to_string(), "`rawko extract --help` names the providers"))?;
    let asked = provider.as_deref().map(by_provider);
    let silent = Cell::new(false);
    let heard = asked.as_ref().map(|asked| {
        |count: usize, sample: &[MemoryEntry]| {
            let said = asked(count, sample);
            silent.set(said.is_none());
            said
        }
    });
    let by: Option<SumUp<'_>> = heard.as_ref().map(|heard| heard as SumUp<'_>);
    let options = CompactOptions { keep_last: args.keep_last, summarize_older: !args.no_summary };
    let done = of(engine, &args.which, place, Some(layer))?.compact(layer, options, by)?;
    if args.json {
        return out.json(&json!({ "layer": layer.as_str(), "entries": done.entries,
            "archive": shown(done.archive.as_ref(), engine), "summary": done.summary,
            "providerSilent": silent.get(), "beyondTrust": done.beyond }));
    }
    if done.beyond > 0 {
        let rules = count(done.beyond, "rule is a person's", "rules are a person's");
        out.say(format!("{rules}: only a person takes them out of use."))?;
    }
    if layer == Layer::Semantic {
        return out.line("What is known by key is concise already: nothing was changed.");
    }
    let Some(archive) = shown(done.archive.as_ref(), engine) else {
        if done.beyond > 0 {
            return out.line("Nothing was changed.");
        }
        return out.line(format!("There are no more than {}: nothing was changed.", args.keep_last));
    };
    if let Some(summary) = &done.summary {
        out.text(summary)?;
    }
    if silent.get() {
        out.say(format!("`{}` gave no summary: this one was made here.", args.provider))?;
    }
    out.line(format!(
        "{} moved to {archive}; `rawko memory undo` brings them back.",
        count(done.entries, "entry", "entries")
    ))
}

pub(super) fn clear(args: &Clear, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    refuse_agents("clear a layer")?;
    let wanted = args.layer.map(layer);
    let name = wanted.map_or("all four layers".to_owned(), |layer| format!("the {} layer", layer.as_str()));
    if !args.yes && !asked(&name)? {
        return out.line("Nothing was changed.");
    }
    let cleared = of(engine, &args.which, place, wanted)?.clear(wanted)?;
    if args.json {
        let row = |cleared: &rawko::Cleared| {
            json!({ "layer": cleared.layer.as_str(), "entries": cleared.entries,
                "archive": shown(cleared.archive.as_ref(), engine) })
        };
        return out.json(&json!({ "cleared": cleared.iter().map(row).collect::<Vec<_>>() }));
    }
    for cleared in &cleared {
        let entries = count(cleared.entries, "entry", "entries");
        match shown(cleared.archive.as_ref(), engine) {
            Some(archive) => out.line(format!("{}: {entries}, kept in {archive}", cleared.layer.as_str()))?,
            None => out.line(format!("{}: it was empty", cleared.layer.as_str()))?,
        }
    }
    if cleared.iter().all(|cleared| cleared.archive.is_none()) {
        return out.line("Nothing was changed.");
    }
    out.line("`rawko memory undo` brings it back.")
}

fn asked(name: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(
            format!("{name} would be emptied, and there is nobody to ask"),
            "add --yes; `rawko memory undo` takes it back",
        ));
    }
    person::answered_on(io::stderr(), &format!("Empty {name}? It is kept in an archive."))
}

pub(super) fn undo(args: &Undo, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    refuse_agents("take a clearing back")?;
    let undone = of(engine, &args.which, place, None)?.undo()?;
    if undone.is_empty() {
        return Err(Failure::wrong("there is nothing to take back", "no layer was compacted or cleared"));
    }
    if args.json {
        let row = |undone: &rawko::Undone| {
            json!({ "undone": undone.what, "layer": undone.layer, "entries": undone.entries,
                "whyNot": undone.why_not })
        };
        return out.json(&json!({ "undone": undone.iter().map(row).collect::<Vec<_>>() }));
    }
    undone.iter().try_for_each(|undone| {
        if let Some(why) = &undone.why_not {
            return out.text(&format!("{}: nothing is back: {why}.", undone.layer));
        }
        let entries = count(undone.entries, "entry is", "entries are");
        out.text(&format!("{}: {entries} back.", undone.layer))
    })
}

/// An archive's path as a person sees it from the project.
fn shown(path: Option<&PathBuf>, engine: &Engine) -> Option<String> {
    let project = engine.root().unwrap_or(Path::new("/"));
    path.map(|path| rawko::store::shown(path, project).display().to_string())
}
