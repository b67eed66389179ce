//! `rawko import`: what another tool remembers.

pub(crate) mod args;

use std::path::{Path, PathBuf};

use rawko::core::ImportFormat;
use rawko::{Became, ImportAccount, ImportOutcome, ImportWish, Whose};
use serde_json::{Value, json};

use self::args::Import;
use super::count;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// How many skipped items of one reason are named before the rest is only counted.
const SHOWN: usize = 5;

pub(crate) fn run(args: &Import, place: &Place, out: &Output) -> Result<(), Failure> {
    let (format, paths) = words(args, &place.start)?;
    let into = if args.personal { Whose::Person } else { Whose::Project };
    let wish = ImportWish { format, paths, into, dry_run: args.dry_run };
    let account = place.engine()?.import(&wish)?;
    if args.json {
        out.json(&in_json(&account, args.dry_run))?;
    } else {
        told(&account, args, out)?;
    }
    // What is damaged was not imported: something is wrong, and it was said where.
    if account.damaged() > 0 { Err(Failure::Said) } else { Ok(()) }
}

/// The format, where the first word names one, and the paths.
fn words(args: &Import, start: &Path) -> Result<(Option<ImportFormat>, Vec<PathBuf>), Failure> {
    let first = args.words.first().and_then(|word| word.to_str()).and_then(ImportFormat::parse);
    // A folder may be called `codex`, too: alone, it is a path.
    let is_path = args.words.len() == 1 && start.join(&args.words[0]).exists();
    let format = first.filter(|_| !is_path);
    let paths: Vec<PathBuf> =
        args.words.iter().skip(usize::from(format.is_some())).map(|path| start.join(path)).collect();
    if let Some(format) = format.filter(|_| paths.is_empty()) {
        let hint = "`rawko import --help` says where each tool keeps its memories";
        return Err(Failure::usage(format!("which files of {}? None is named", format.as_str()), hint));
    }
    if let Some(path) = paths.iter().find(|path| !path.exists()) {
        let names: Vec<&str> = ImportFormat::ALL.iter().map(|format| format.as_str()).collect();
        let hint = format!("name a file or a folder; the formats are {}", names.join(", "));
        return Err(Failure::usage(format!("there is no {}", path.display()), hint));
    }
    Ok((format, paths))
}

fn told(account: &ImportAccount, args: &Import, out: &Output) -> Result<(), Failure> {
    if account.outcomes.is_empty() {
        return out.line(format!(
            "There is nothing to import: {} of a known form, {} passed over.",
            count(account.files, "file", "files"),
            account.passed_over
        ));
    }
    let did = if args.dry_run { "Would import" } else { "Imported" };
    let numbers = format!(
        "{did} {}, {} known already, {} skipped",
        account.imported(),
        account.known(),
        account.skipped()
    );
    let found = count(account.outcomes.len(), "item", "items");
    let files = count(account.files, "file", "files");
    let passed = match account.passed_over {
        0 => String::new(),
        n => format!(" ({} of no known form passed over)", count(n, "file", "files")),
    };
    out.line(format!("{}: {found} in {files}{passed}", out.paint(Look::Strong, &numbers)))?;
    for outcome in &account.outcomes {
        if let Some(line) = line_of(outcome, args.all || args.dry_run) {
            out.text(&line)?;
        }
    }
    skipped(account, args.all, out)?;
    if account.imported() > 0 && !args.dry_run {
        out.line("They can be searched now, and reach no agent before you approve them: `rawko review`.")?;
    }
    Ok(())
}

/// A line for an item that was taken or known; without `all`, only where somebody should look.
fn line_of(outcome: &ImportOutcome, all: bool) -> Option<String> {
    let from = format!("{}:{}", outcome.file, outcome.line);
    match &outcome.became {
        Became::Imported { slug, waits, secrets } => {
            let mut notes = Vec::new();
            notes.extend(waits.as_ref().map(|why| format!("waits: {why}")));
            notes.extend(
                (*secrets > 0).then(|| format!("{} taken out", count(*secrets, "secret", "secrets"))),
            );
            let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) };
            (all || !notes.is_empty()).then(|| format!("  + {slug}  {from}{notes}"))
        }
        Became::Known(slug) => all.then(|| format!("  = {slug}  {from}")),
        Became::Skipped { .. } => None,
    }
}

/// What was skipped, by its reason.
fn skipped(account: &ImportAccount, all: bool, out: &Output) -> Result<(), Failure> {
    let mut reasons: Vec<(&str, bool, Vec<&ImportOutcome>)> = Vec::new();
    for outcome in &account.outcomes {
        let Became::Skipped { why, damaged } = &outcome.became else { continue };
        match reasons.iter_mut().find(|(known, ..)| known == why) {
            Some((.., outcomes)) => outcomes.push(outcome),
            None => reasons.push((why, *damaged, vec![outcome])),
        }
    }
    for (why, damaged, outcomes) in reasons {
        let look = if damaged { Look::Bad } else { Look::Warn };
        let word = if damaged { "damaged" } else { "skipped" };
        out.line(format!(
            "{} {}",
            out.paint(look, &format!("{word} {}:", outcomes.len())),
            rawko::core::inert_line(why)
        ))?;
        let most = if all { outcomes.len() } else { SHOWN };
        for outcome in outcomes.iter().take(most) {
            let name = rawko::core::inert_line(&outcome.item);
            out.text(format!("  {}:{}  {name}", outcome.file, outcome.line).trim_end())?;
        }
        if outcomes.len() > most {
            out.line(out.paint(Look::Faint, &format!("  … and {} more (--all)", outcomes.len() - most)))?;
        }
    }
    Ok(())
}

fn in_json(account: &ImportAccount, dry_run: bool) -> Value {
    let item = |outcome: &ImportOutcome| {
        let (result, slug, why, damaged, secrets) = match &outcome.became {
            Became::Imported { slug, waits, secrets } => {
                ("imported", Some(slug), waits.as_deref(), false, *secrets)
            }
            Became::Known(slug) => ("known", Some(slug), None, false, 0),
            Became::Skipped { why, damaged } => ("skipped", None, Some(why.as_str()), *damaged, 0),
        };
        json!({
            "format": outcome.format, "file": outcome.file, "line": outcome.line, "item": outcome.item,
            "title": outcome.title, "result": result, "slug": slug.map(|slug| slug.as_str()), "why": why,
            "damaged": damaged, "secrets": secrets,
        })
    };
    json!({
        "dryRun": dry_run, "found": account.outcomes.len(), "imported": account.imported(),
        "known": account.known(), "skipped": account.skipped(), "damaged": account.damaged(),
        "files": account.files, "passedOver": account.passed_over,
        "items": account.outcomes.iter().map(item).collect::<Vec<_>>(),
    })
}
