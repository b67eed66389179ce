//! `rawko session validate`: where each problem is, and what to write instead.

use std::path::{Path, PathBuf};

use rawko::core::inert_line;
use rawko::core::session::{self, File, SessionId};
use rawko::store::{SessionFile, not_utf8, read_export};
use rawko::{Problem, Severity};
use serde_json::json;

use super::Scene;
use super::args::Validate;
use crate::commands::count;
use crate::error::Failure;
use crate::output::Look;

impl Scene<'_> {
    pub(super) fn validate(&self, args: &Validate) -> Result<(), Failure> {
        let files = self.checked(args)?;
        let mut found: Vec<(&SessionFile, &Problem)> =
            files.iter().flat_map(|file| file.problems.iter().map(move |problem| (file, problem))).collect();
        found.retain(|(_, problem)| !args.errors_only || problem.severity == Severity::Error);
        let errors = found.iter().filter(|(_, problem)| problem.severity == Severity::Error).count();
        if args.json {
            let problems: Vec<_> = found.iter().map(|(file, problem)| json!({
                "file": self.shown(&file.path), "line": problem.line, "column": problem.column, "severity": problem.severity,
                "what": problem.what, "remedy": problem.remedy,
            })).collect();
            self.out.json(&json!({ "files": files.len(), "errors": errors, "warnings": found.len() - errors, "problems": problems }))?;
        } else {
            found.iter().try_for_each(|(file, problem)| self.problem(file, problem))?;
            self.out.line(format!(
                "{}: {}, {}.",
                count(files.len(), "file checked", "files checked"),
                count(errors, "error", "errors"),
                count(found.len() - errors, "warning", "warnings")
            ))?;
        }
        if errors > 0 { Err(Failure::Said) } else { Ok(()) }
    }

    fn checked(&self, args: &Validate) -> Result<Vec<SessionFile>, Failure> {
        let sessions = self.engine.sessions()?;
        if args.all {
            let mut all = Vec::new();
            for id in sessions.ids()? {
                all.extend(sessions.files(&id)?);
            }
            return Ok(all);
        }
        if let Some(path) = args
            .what
            .as_ref()
            .filter(|what| what.components().count() > 1 || File::of(&what.to_string_lossy()).is_some())
        {
            return Ok(vec![one(&self.place.start.join(path))?]);
        }
        let name = args.what.as_ref().map(|what| what.to_string_lossy().into_owned());
        Ok(sessions.files(&self.session(name.as_deref())?)?)
    }

    fn problem(&self, file: &SessionFile, problem: &Problem) -> Result<(), Failure> {
        let out = self.out;
        let (look, word) = match problem.severity {
            Severity::Error => (Look::Bad, "error"),
            Severity::Warning => (Look::Warn, "warning"),
        };
        let at = format!("{}:{}:{}", self.shown(&file.path), problem.line, problem.column);
        out.line(format!(
            "{}: {}: {}",
            out.paint(Look::Strong, &at),
            out.paint(look, word),
            inert_line(&problem.what)
        ))?;
        let line = file
            .text
            .lines()
            .nth(problem.line.saturating_sub(1))
            .filter(|_| problem.severity == Severity::Error);
        if let Some(line) = line {
            let short: String = line.chars().take(100).collect();
            out.line(format!(
                " {} {}",
                out.paint(Look::Faint, &format!("{} |", problem.line)),
                rawko::core::inert(&short)
            ))?;
        }
        out.line(format!("   {} {}", out.paint(Look::Good, "do:"), inert_line(&problem.remedy)))
    }

    fn shown(&self, path: &Path) -> String {
        inert_line(&rawko::store::shown(path, &self.place.start).display().to_string())
    }
}

/// A file that a person names; its folder's name is the session it should speak of.
fn one(path: &Path) -> Result<SessionFile, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(file) = File::of(&name) else {
        let names: Vec<&str> = File::ALL.iter().map(|file| file.name()).collect();
        let hint = format!("a session's files are: {}", names.join(", "));
        return Err(Failure::usage(format!("`{name}` is no file of a session"), hint));
    };
    let missing = || {
        Failure::usage(format!("there is no file {}", path.display()), "name a session, or one of its files")
    };
    let bytes = read_export(path)?.ok_or_else(missing)?;
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let id = folder.and_then(|name| SessionId::parse(&name).ok());
    let problems = match std::str::from_utf8(&bytes) {
        Err(_) => vec![not_utf8(&bytes)],
        Ok(text) => match id {
            Some(id) => session::check(file, text, id.as_str()),
            None => without_session(session::check(file, text, "")),
        },
    };
    Ok(SessionFile { path: PathBuf::from(path), file, bytes: bytes.len(), text, problems })
}

/// Outside a session's folder, nothing says which session a file should speak of.
fn without_session(problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().filter(|problem| !problem.what.contains("not the folder's name")).collect()
}
