//! `rawko show`: one memory, folded, with its history, or raw.

use std::io::{self, IsTerminal, Write};

use rawko::core::{Awaits, inert_line};
use rawko::{Engine, Filter, Fold, Found, Known, Slug, Standing, Store, StoreError, Trigger};
use serde_json::{Value, json};

use super::{slug, wire};
use crate::args::Show;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Show, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let slug = named(&engine, &args.name)?;
    if args.raw {
        return raw(&engine, &slug, out);
    }
    let found = match engine.show(&slug) {
        Ok(found) => found,
        Err(StoreError::Missing(slug)) => return Err(missing(&engine, &slug)),
        Err(error) => return Err(error.into()),
    };
    if args.json {
        let mut value = wire::memory(&found, true);
        value["use"] = super::feedback::in_json(slug.as_str(), engine.tally(&slug));
        if args.history {
            value["history"] = Value::Array(found.memory.entries.iter().map(wire::entry).collect());
        }
        return out.json(&json!(value));
    }
    let Some(fold) = found.memory.now() else {
        return Err(Failure::wrong(
            format!("no entry of `{slug}` can be read"),
            "`rawko validate` says what to mend",
        ));
    };
    head(&found, &fold, out)?;
    let tally = engine.tally(&slug);
    if tally != rawko::Tally::default() {
        out.line(format!(
            "{} {}",
            out.paint(Look::Faint, &format!("{:<13}", "use")),
            super::feedback::words(tally)
        ))?;
    }
    if args.history {
        found.memory.entries.iter().enumerate().try_for_each(|(n, known)| past(n + 1, known, out))
    } else {
        out.line("")?;
        out.text(&fold.text())
    }
}

/// The memory of a name, or the only one whose title these are the words of.
fn named(engine: &Engine, name: &str) -> Result<Slug, Failure> {
    let slug = slug(name);
    if slug.as_ref().is_ok_and(|slug| !matches!(engine.show(slug), Err(StoreError::Missing(_)))) {
        return slug;
    }
    let listing = engine.list(&Filter::default())?.memories;
    let is_titled = |found: &&Found| found.memory.now().is_some_and(|fold| fold.title == name);
    let mut titled = listing.iter().filter(is_titled);
    match (titled.next(), titled.next()) {
        (Some(found), None) => Ok(found.memory.slug.clone()),
        _ => slug,
    }
}

fn head(found: &Found, fold: &Fold<'_>, out: &Output) -> Result<(), Failure> {
    let field = |name: &str, value: &str| {
        out.line(format!(
            "{} {}",
            out.paint(Look::Faint, &format!("{:<13}", inert_line(name))),
            inert_line(value)
        ))
    };
    out.line(out.paint(Look::Strong, &inert_line(fold.title)))?;
    field("name", found.memory.slug.as_str())?;
    field("store", found.whose.as_str())?;
    field("importance", fold.importance.as_str())?;
    field("status", fold.status.as_str())?;
    field("trust", fold.trust.as_str())?;
    fold.when_to_use.iter().try_for_each(|trigger| field("when", &trigger_text(trigger)))?;
    if !fold.tags.is_empty() {
        field("tags", &fold.tags.join(", "))?;
    }
    field("found", &format!("{} by {}", fold.discovered_at, fold.discovered_by))?;
    for (name, value) in [("during", fold.discovered_in), ("source", fold.source)] {
        if let Some(value) = value {
            field(name, value)?;
        }
    }
    if !fold.related_memories.is_empty() {
        field("related", &fold.related_memories.join(", "))?;
    }
    if let Some(waits) = &fold.waits {
        field("waits", &format!("its text holds {waits}"))?;
    }
    fold.extra.iter().try_for_each(|(key, value)| field(key, &value.to_string()))?;
    let (all, held) = (found.memory.entries.len(), found.memory.held_back().len());
    if held > 0 {
        let command =
            if found.memory.awaits() == Some(Awaits::Review) { "rawko review" } else { "rawko trust" };
        field("held back", &format!("{held} of {all} entries do not reach an agent before `{command}`"))?;
    }
    Ok(())
}

fn trigger_text(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Text(text) | Trigger::Pattern(text) => text.clone(),
        Trigger::Path(text) => format!("file {text}"),
        Trigger::Command(text) => format!("command {text}"),
        Trigger::Error(text) => format!("error {text}"),
    }
}

fn past(number: usize, known: &Known, out: &Output) -> Result<(), Failure> {
    let front = &known.entry.frontmatter;
    let status = front.status.map_or(String::new(), |status| format!(", {}", status.as_str()));
    let line = format!(
        "entry {number}: {} by {}, {}{status}, {}",
        front.discovered_at,
        front.discovered_by,
        front.importance.as_str(),
        match known.standing {
            Standing::Withdrawn => known.standing.as_str().to_owned(),
            _ => format!("trust {}", known.trust.as_str()),
        }
    );
    out.line("")?;
    out.line(out.paint(Look::Strong, &inert_line(&line)))?;
    out.text(&known.entry.body)
}

fn raw(engine: &Engine, slug: &Slug, out: &Output) -> Result<(), Failure> {
    for (_, store) in engine.stores() {
        if let Some(bytes) = store.raw(slug)? {
            if io::stdout().is_terminal() {
                return out.text(&String::from_utf8_lossy(&bytes));
            }
            return Ok(io::stdout().lock().write_all(&bytes)?);
        }
    }
    Err(missing(engine, slug))
}

/// Says which name comes nearest, or that the file is there and damaged.
pub(super) fn missing(engine: &Engine, slug: &Slug) -> Failure {
    let message = format!("no memory is named `{slug}`");
    let damaged = engine.stores().any(|(_, store)| {
        store.layout().memory(slug).exists() && store.read(slug).is_ok_and(|memory| memory.entries.is_empty())
    });
    if damaged {
        return Failure::wrong(
            format!("no entry of `{slug}` can be read"),
            "`rawko validate` says what to mend",
        );
    }
    let names = engine.list(&Filter::default()).map(|listing| listing.memories).unwrap_or_default();
    let names = names.iter().map(|found| found.memory.slug.as_str());
    // A part of a name is meant before one with other letters.
    let nearest =
        names.map(|name| (!name.contains(slug.as_str()), distance(name, slug.as_str()), name)).min();
    let is_near = |(is_other, far, _): &(bool, usize, &str)| !is_other || *far <= 1 + slug.as_str().len() / 4;
    match nearest.filter(is_near).map(|(.., name)| name) {
        Some(name) => Failure::wrong(message, format!("the nearest name is `{name}`")),
        None => Failure::wrong(message, "`rawko list` shows the names"),
    }
}

/// How many letters must change to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
