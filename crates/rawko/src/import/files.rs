//! The files of an import: found, read as plain files, and known by their form.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko_core::{ImportFormat, detect_import};
use rawko_store::{StoreError, not_utf8, read_export};

use super::ImportWish;
use super::account::{Became, ImportOutcome};
use super::database;

/// Most files that one import looks at.
const MOST_FILES: usize = 50_000;
/// Folders that hold nobody's memories.
const OTHERS: [&str; 6] = [".git", ".rawko", "node_modules", "target", ".venv", "__pycache__"];

/// A file of another tool.
pub(super) struct Source {
    pub(super) format: ImportFormat,
    /// Where it is.
    place: PathBuf,
    /// As much of its path as tells where it stands, with `/`.
    pub(super) path: String,
    /// Its path below what the person named.
    pub(super) name: String,
    pub(super) text: String,
    /// When it was changed last.
    pub(super) changed: Option<Timestamp>,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) sources: Vec<Source>,
    pub(super) unreadable: Vec<ImportOutcome>,
    pub(super) passed_over: usize,
}

/// Finds and reads the files, in order.
pub(super) fn find(wish: &ImportWish) -> Result<Found, StoreError> {
    let mut found = Found::default();
    for path in &wish.paths {
        let io = |source| StoreError::Io { action: "read", path: path.clone(), source };
        let meta = fs::metadata(path).map_err(io)?;
        let is_file = meta.is_file();
        if !is_file && !meta.is_dir() {
            return Err(StoreError::NotPlain { path: path.clone(), kind: "a pipe, socket or device" });
        }
        let files = if is_file { vec![path.clone()] } else { below(path, wish, &mut found).map_err(io)? };
        for file in files {
            let name = match file.strip_prefix(path) {
                Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
                _ => file.file_name().map(PathBuf::from).unwrap_or_else(|| file.clone()),
            };
            take(wish.format, &file, &slashed(&name), is_file, &mut found);
        }
    }
    Ok(found)
}

/// Every file below a folder, links passed over; a folder in it that cannot be listed hides no other.
fn below(top: &Path, wish: &ImportWish, found: &mut Found) -> std::io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![top.to_owned()]);
    while let Some(folder) = folders.pop() {
        let listed = match fs::read_dir(&folder) {
            Err(error) if folder == top => return Err(error),
            Err(error) => {
                let name = slashed(folder.strip_prefix(top).unwrap_or(&folder));
                let why = format!("the folder cannot be read: {error}");
                found.unreadable.push(damaged(wish.format, &name, 1, why));
                continue;
            }
            Ok(listed) => listed,
        };
        for entry in listed.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && !OTHERS.iter().any(|other| name == *other) {
                folders.push(entry.path());
            } else if kind.is_file() && files.len() < MOST_FILES {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn take(format: Option<ImportFormat>, file: &Path, name: &str, named: bool, found: &mut Found) {
    let path = slashed(file);
    let may_be = match format {
        Some(format) => named || format.takes(name),
        None => ImportFormat::ALL.iter().any(|format| format.takes(name)),
    };
    if !may_be {
        found.passed_over += 1;
        return;
    }
    let wrong = |line, why| damaged(format, name, line, why);
    // A link that the person named is meant; one that merely stands in a folder is not followed.
    let place = if named { file.canonicalize().unwrap_or_else(|_| file.to_owned()) } else { file.to_owned() };
    let text = match read(format, &place, &path) {
        Ok(text) => text,
        Err((line, why)) => return found.unreadable.push(wrong(line, why)),
    };
    let Some(format) = format.or_else(|| detect_import(&path, &text)) else {
        if named {
            let why = "no form tells which tool it is from; name one, as in `rawko import mem0 FILE`";
            let mut outcome = wrong(1, why.to_owned());
            outcome.became = Became::Skipped { why: why.to_owned(), damaged: false };
            found.unreadable.push(outcome);
        }
        found.passed_over += usize::from(!named);
        return;
    };
    let changed = fs::metadata(&place).and_then(|meta| meta.modified()).ok();
    let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
    found.sources.push(Source { format, place: file.to_owned(), path, name: name.to_owned(), text, changed });
}

/// What cannot be read, and why.
fn damaged(format: Option<ImportFormat>, name: &str, line: usize, why: String) -> ImportOutcome {
    ImportOutcome {
        format: format.map_or("", ImportFormat::as_str),
        file: name.to_owned(),
        line,
        item: String::new(),
        title: String::new(),
        became: Became::Skipped { why, damaged: true },
    }
}

/// A file's text, or that of its rows; otherwise where it cannot be read, and why.
fn read(format: Option<ImportFormat>, place: &Path, path: &str) -> Result<String, (usize, String)> {
    let of_claude_mem = format.or_else(|| detect_import(path, "")) == Some(ImportFormat::ClaudeMem);
    if of_claude_mem && database::is_database(place) {
        // Named for a program that is started elsewhere.
        let whole = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        return database::rows(&whole).map_err(|why| (1, why));
    }
    let bytes = read_export(place).map_err(|error| (1, error.to_string()))?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| {
        let problem = not_utf8(error.as_bytes());
        (problem.line, problem.what)
    })
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

impl Source {
    /// Whether a file that this one names is there.
    pub(super) fn has_beside(&self, file: &str) -> bool {
        self.place.parent().is_some_and(|folder| folder.join(file).is_file())
    }

    pub(super) fn outcome(&self, line: usize, item: &str, title: &str, became: Became) -> ImportOutcome {
        let (file, item, title) = (self.name.clone(), item.to_owned(), title.to_owned());
        ImportOutcome { format: self.format.as_str(), file, line, item, title, became }
    }

    pub(super) fn skipped(&self, line: usize, item: &str, why: &str, damaged: bool) -> ImportOutcome {
        self.outcome(line, item, "", Became::Skipped { why: why.to_owned(), damaged })
    }
}
