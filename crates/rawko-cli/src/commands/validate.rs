//! `rawko validate`: where each problem is, and what to write instead.

use std::fs;
use std::path::{Path, PathBuf};

use rawko::{Engine, Filter, Problem, Severity, Slug, StoreError, check_file, check_store};
use serde_json::json;

use crate::args::Validate;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// A problem, its file, and the line it is on.
struct Finding {
    path: PathBuf,
    problem: Problem,
    snippet: Option<String>,
}

pub(crate) fn run(args: &Validate, place: &Place, out: &Output) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let checked = if args.paths.is_empty() {
        stores(place, &mut findings)?
    } else {
        paths(args, place, &mut findings)?
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
        findings.iter().try_for_each(|finding| show(finding, place, out))?;
        out.line(format!("{checked} files checked: {errors} errors, {} warnings.", findings.len() - errors))?;
    }
    if errors > 0 { Err(Failure::Said) } else { Ok(()) }
}

/// Checks every memory in reach, each file and what they say of each other.
fn stores(place: &Place, findings: &mut Vec<Finding>) -> Result<usize, Failure> {
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
        match fs::read(path) {
            Ok(bytes) => check(path, &bytes, Some(slug), findings),
            // Only in the spool as yet: it was checked when it was written.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => findings.push(unreadable(path, &error)),
        }
    }
    let across = check_store(&listing);
    findings.extend(across.into_iter().map(|found| {
        let path = files
            .iter()
            .find(|(slug, _)| Some(slug) == found.slug.as_ref())
            .map_or(found.path, |(_, path)| path.clone());
        Finding { path, problem: found.problem, snippet: None }
    }));
    Ok(files.len())
}

fn file(engine: &Engine, found: &rawko::Found) -> Option<(Slug, PathBuf)> {
    let store = engine.store(found.whose)?;
    Some((found.memory.slug.clone(), store.layout().memory(&found.memory.slug)))
}

fn paths(args: &Validate, place: &Place, findings: &mut Vec<Finding>) -> Result<usize, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        collect(&place.start.join(path), 0, &mut files)?;
    }
    for path in &files {
        let name = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| Slug::parse(stem).ok());
        match fs::read(path) {
            Ok(bytes) => check(path, &bytes, name.as_ref(), findings),
            Err(error) => findings.push(unreadable(path, &error)),
        }
    }
    Ok(files.len())
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

fn unreadable(path: &Path, error: &std::io::Error) -> Finding {
    let problem = Problem::error(1, 1, format!("the file cannot be read: {error}"), "check its permissions");
    Finding { path: path.to_owned(), problem, snippet: None }
}

fn check(path: &Path, bytes: &[u8], slug: Option<&Slug>, findings: &mut Vec<Finding>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
        let line = bytes[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let problem = Problem::error(line, 1, "the file is not UTF-8 text", "save it as UTF-8");
        findings.push(Finding { path: path.to_owned(), problem, snippet: None });
        return;
    };
    findings.extend(check_file(text, slug).into_iter().map(|problem| {
        let snippet = text.lines().nth(problem.line - 1).map(str::to_owned);
        Finding { path: path.to_owned(), problem, snippet }
    }));
}

fn shown(path: &Path, place: &Place) -> String {
    rawko::store::shown(path, &place.start).display().to_string()
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
        rawko::core::inert_line(&problem.what)
    ))?;
    if let Some(snippet) = finding.snippet.as_ref().filter(|_| problem.severity == Severity::Error) {
        let number = problem.line.to_string();
        let blank = " ".repeat(number.len());
        // Tabs become one blank each, so that the mark stands below its column.
        let visible: String = snippet.chars().take(100).map(|c| if c == '\t' { ' ' } else { c }).collect();
        out.line(format!(
            " {} {}",
            out.paint(Look::Faint, &format!("{number} |")),
            rawko::core::inert(&visible)
        ))?;
        let mark = " ".repeat(problem.column.saturating_sub(1).min(100));
        out.line(format!(
            " {} {mark}{}",
            out.paint(Look::Faint, &format!("{blank} |")),
            out.paint(look, "^")
        ))?;
    }
    out.line(format!("   {} {}", out.paint(Look::Good, "do:"), rawko::core::inert_line(&problem.remedy)))
}

fn in_json(finding: &Finding, place: &Place) -> serde_json::Value {
    let problem = &finding.problem;
    json!({
        "file": shown(&finding.path, place), "line": problem.line, "column": problem.column, "severity": problem.severity,
        "what": problem.what, "remedy": problem.remedy, "snippet": finding.snippet,
    })
}
