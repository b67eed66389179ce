//! `rawko validate`: where each problem is, and what to write instead.

use std::fs;
use std::path::{Path, PathBuf};

use rawko::core::{Waiting, inert, inert_line};
use rawko::store::{not_utf8, read_file, unreadable};
use rawko::{
    Engine, Filter, Name, Problem, SHORT_BODY, Severity, Slug, StoreError, Whose, check_file, check_history,
    check_merging, check_store,
};
use serde_json::json;

use super::{count, say_what_waits};
use crate::args::Validate;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output, width};

/// How many memories a remark names.
const NAMED: usize = 3;

/// A problem, its file, and the line it is on.
struct Finding {
    path: PathBuf,
    problem: Problem,
    snippet: Option<String>,
}

pub(crate) fn run(args: &Validate, place: &Place, out: &Output) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let (checked, waiting) = if args.paths.is_empty() {
        stores(place, &mut findings)?
    } else {
        (paths(args, place, &mut findings)?, Waiting::default())
    };
    findings.retain(|finding| !args.errors_only || finding.problem.severity == Severity::Error);
    findings.sort_by(|a, b| {
        (&a.path, a.problem.line, a.problem.column).cmp(&(&b.path, b.problem.line, b.problem.column))
    });
    let errors = findings.iter().filter(|finding| finding.problem.severity == Severity::Error).count();
    if args.json {
        let problems: Vec<_> = findings.iter().map(|finding| in_json(finding, place)).collect();
        out.json(&json!({ "files": checked, "errors": errors, "warnings": findings.len() - errors, "problems": problems }))?;
    } else {
        // What is asked about by name is told in full; of a whole store, that many memories are short is one remark.
        let is_remark = |finding: &&Finding| args.paths.is_empty() && finding.problem.remedy == SHORT_BODY;
        let (short, told): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(is_remark);
        told.into_iter().try_for_each(|finding| show(finding, place, out))?;
        remark(&short, out)?;
        out.line(format!(
            "{}: {}, {}.",
            count(checked, "file checked", "files checked"),
            count(errors, "error", "errors"),
            count(findings.len() - errors, "warning", "warnings")
        ))?;
        say_what_waits(waiting, out)?;
    }
    if errors > 0 { Err(Failure::Said) } else { Ok(()) }
}

/// Checks every memory in reach, each file and what they say of each other; gives how many files there are, and how
/// many memories wait for the person.
fn stores(place: &Place, findings: &mut Vec<Finding>) -> Result<(usize, Waiting), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let listing = engine.list(&Filter::default())?;
    let mut files: Vec<(Slug, PathBuf)> =
        listing.memories.iter().filter_map(|found| file(&engine, found)).collect();
    for problem in &listing.problems {
        match &problem.slug {
            Some(slug) => files.push((slug.clone(), problem.path.clone())),
            None => findings.push(Finding {
                path: problem.path.clone(),
                problem: problem.problem.clone(),
                snippet: None,
            }),
        }
    }
    files.sort();
    files.dedup();
    for (slug, path) in &files {
        check(path, Some(slug), place, findings);
    }
    if let Some((path, problem)) = engine.store(Whose::Project).and_then(check_merging) {
        findings.push(Finding { path, problem, snippet: None });
    }
    findings.extend(engine.config().ignored.iter().map(|ignored| {
        let what = format!("{}: {}", if ignored.key.is_empty() { "all" } else { &ignored.key }, ignored.why);
        let problem = Problem::warning(ignored.line, 1, what, ignored.remedy.as_str());
        Finding { path: PathBuf::from(&ignored.file), problem, snippet: None }
    }));
    let across = check_store(&listing);
    let by_history = check_history(&listing, &engine.past_tasks()?);
    findings.extend(across.into_iter().chain(by_history).map(|found| {
        let path = files
            .iter()
            .find(|(slug, _)| Some(slug) == found.slug.as_ref())
            .map_or(found.path, |(_, path)| path.clone());
        Finding { path, problem: found.problem, snippet: None }
    }));
    Ok((files.len(), Waiting::among(listing.memories.iter().map(|found| &found.memory))))
}

fn file(engine: &Engine, found: &rawko::Found) -> Option<(Slug, PathBuf)> {
    let store = engine.store(found.whose)?;
    Some((found.memory.slug.clone(), store.layout().memory(&found.memory.slug)))
}

fn paths(args: &Validate, place: &Place, findings: &mut Vec<Finding>) -> Result<usize, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        let path = place.start.join(path);
        if let Some(link) = link_in_store(&path) {
            return Err(StoreError::NotPlain { path: link, kind: "a symbolic link" }.into());
        }
        collect(&path, 0, &mut files)?;
    }
    for path in &files {
        let name = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| Slug::parse(stem).ok());
        check(path, name.as_ref(), place, findings);
    }
    Ok(files.len())
}

/// A folder of a store that is a link, on the way to `path`: what lies behind it is not the store's.
fn link_in_store(path: &Path) -> Option<PathBuf> {
    let folders = path
        .parent()?
        .ancestors()
        .filter(|folder| folder.components().any(|part| part.as_os_str() == rawko::store::FOLDER));
    folders.filter(|folder| folder.is_symlink()).last().map(Path::to_owned)
}

/// The Markdown files that a path names; links are not followed below it.
fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let meta = path.symlink_metadata().map_err(|error| {
        Failure::usage(
            format!("cannot look at {}: {error}", path.display()),
            "name files or folders that exist",
        )
    })?;
    if !meta.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    inside.sort();
    for path in inside {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_dir() && depth < 16 {
            collect(&path, depth + 1, files)?;
        } else if meta.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            files.push(path);
        }
    }
    Ok(())
}

fn check(path: &Path, slug: Option<&Slug>, place: &Place, findings: &mut Vec<Finding>) {
    let mut bare = |problem| findings.push(Finding { path: path.to_owned(), problem, snippet: None });
    let bytes = match read_file(path) {
        Ok(Some(bytes)) => bytes,
        // Only in the spool as yet: it was checked when it was written.
        Ok(None) => return,
        Err(error) => return bare(unreadable(&error)),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else { return bare(not_utf8(&bytes)) };
    // The reader takes one byte order mark off; a second one is a problem that it tells.
    let shown = text.strip_prefix('\u{feff}').unwrap_or(text);
    let folder = slug.and_then(|slug| path.ancestors().nth(1 + slug.as_str().matches('/').count()));
    let is_taken = |other: &Slug| folder.is_some_and(|folder| folder.join(format!("{other}.md")).exists());
    let name = slug.map(|slug| Name { slug, is_taken: &is_taken });
    findings.extend(check_file(text, name, place.now).into_iter().map(|problem| {
        let snippet = shown.lines().nth(problem.line - 1).map(str::to_owned);
        Finding { path: path.to_owned(), problem, snippet }
    }));
}

/// One line for all memories that say little.
fn remark(short: &[&Finding], out: &Output) -> Result<(), Failure> {
    if short.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = short
        .iter()
        .take(NAMED)
        .filter_map(|finding| Some(inert_line(&finding.path.file_stem()?.to_string_lossy())))
        .collect();
    let more = if short.len() > names.len() { ", …" } else { "" };
    let memories = count(short.len(), "memory has", "memories have");
    let text = format!("{memories} fewer than 50 words ({}{more}): {SHORT_BODY}", names.join(", "));
    out.say(format!("{}: {text}.", out.paint(Look::Warn, "warning")))
}

fn shown(path: &Path, place: &Place) -> String {
    inert_line(&rawko::store::shown(path, &place.start).display().to_string())
}

fn show(finding: &Finding, place: &Place, out: &Output) -> Result<(), Failure> {
    let problem = &finding.problem;
    let (look, word) = match problem.severity {
        Severity::Error => (Look::Bad, "error"),
        Severity::Warning => (Look::Warn, "warning"),
    };
    let at = format!("{}:{}:{}", shown(&finding.path, place), problem.line, problem.column);
    out.line(format!(
        "{}: {}: {}",
        out.paint(Look::Strong, &at),
        out.paint(look, word),
        inert_line(&problem.what)
    ))?;
    if let Some(snippet) = finding.snippet.as_ref().filter(|snippet| !snippet.trim().is_empty()) {
        let number = problem.line.to_string();
        let wide = number.len();
        let (visible, before) = window(snippet, problem.column);
        let margin = |text: &str| out.paint(Look::Faint, &format!("{text:>wide$} |"));
        out.line(format!(" {} {visible}", margin(&number)))?;
        out.line(format!(" {} {}{}", margin(""), " ".repeat(before), out.paint(look, "^")))?;
    }
    out.line(format!("   {} {}", out.paint(Look::Good, "do:"), inert(&problem.remedy).replace('\n', " ")))
}

/// The part of a line around a column, and how far into it a mark must stand.
fn window(line: &str, column: usize) -> (String, usize) {
    // Tabs become one blank each, so that the mark stands below its column.
    let letters: Vec<char> = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    let at = column.saturating_sub(1).min(letters.len());
    let from = if at > 80 { at - 60 } else { 0 };
    let visible = |part: &[char]| inert(&part.iter().collect::<String>()).into_owned();
    let start = if from > 0 { "…" } else { "" };
    let shown = visible(&letters[from..letters.len().min(from + 100)]);
    (format!("{start}{shown}"), width(start) + width(&visible(&letters[from..at])))
}

fn in_json(finding: &Finding, place: &Place) -> serde_json::Value {
    let problem = &finding.problem;
    json!({
        "file": rawko::store::shown(&finding.path, &place.start).display().to_string(), "line": problem.line, "column": problem.column, "severity": problem.severity,
        "what": problem.what, "remedy": problem.remedy, "snippet": finding.snippet,
    })
}
