//! What `rawko setup` does to a host's file, planned before it is done.
//!
//! A plan holds the file as it is and as it will be. What was put in is noted
//! in the person's own folder, so that taking it out gives back every byte; and
//! where the file was changed since, our entries are taken out and the rest is
//! left alone.

pub(crate) mod diff;
pub(crate) mod jsonc;
mod toml;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::jsonc::{Insertion, Trouble};
use super::{Host, Wanted, What};
use crate::error::Failure;

/// Largest file that is read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A change to one file.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The file as the host names it.
    pub(crate) file: PathBuf,
    /// Where it really is.
    pub(crate) target: PathBuf,
    /// What it holds; `None` if there is none.
    pub(crate) before: Option<String>,
    /// What it will hold; `None` if it is to go.
    pub(crate) after: Option<String>,
    note: Note,
    noted_in: PathBuf,
}

/// What was put into a file, to be taken out again.
#[derive(Clone, Debug, Default)]
struct Note {
    is_known: bool,
    /// Whether the file came to be with it.
    created: bool,
    /// Folders that came to be with it, outermost first.
    folders: Vec<PathBuf>,
    /// Hashes of the file without and with it.
    before: String,
    after: String,
    /// In the order in which they were made.
    steps: Vec<Insertion>,
}

impl Plan {
    /// Plans to put in what a host wants.
    pub(crate) fn add(host: Host, wanted: &Wanted, home: &Path) -> Result<Self, Failure> {
        let mut plan = Self::look(wanted, home)?;
        let clean = plan.clean(host, &wanted.what)?;
        match &wanted.what {
            What::Whole(text) => {
                plan.note.steps = vec![Insertion { at: 0, text: text.clone() }];
                plan.after = Some(text.clone());
            }
            what => {
                // Entries that are there as they should be stay where they are, whoever put them there.
                let now = plan.before.clone().unwrap_or_default();
                let mut text = now.clone();
                if put(&mut text, what).is_ok_and(|steps| steps.is_empty()) && !now.is_empty() {
                    plan.after = plan.before.clone();
                    return Ok(plan);
                }
                let mut text = clean.clone().unwrap_or_default();
                plan.note.steps = put(&mut text, what).map_err(|trouble| plan.refusal(&trouble))?;
                plan.after = Some(text);
            }
        }
        plan.note.created = clean.is_none();
        plan.note.before = hash(clean.as_deref().unwrap_or_default());
        plan.note.after = hash(plan.after.as_deref().unwrap_or_default());
        Ok(plan)
    }

    /// Plans to take it out again.
    pub(crate) fn remove(host: Host, wanted: &Wanted, home: &Path) -> Result<Self, Failure> {
        let mut plan = Self::look(wanted, home)?;
        plan.after = plan.clean(host, &wanted.what)?;
        Ok(plan)
    }

    /// Whether there is anything to do.
    pub(crate) fn is_done(&self) -> bool {
        self.before == self.after
    }

    /// Looks at a file and at what was put into it.
    fn look(wanted: &Wanted, home: &Path) -> Result<Self, Failure> {
        let file = wanted.file.clone();
        let target = match file.symlink_metadata() {
            Ok(_) => file.canonicalize().map_err(|error| cannot("follow", &file, &error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => real(&file),
            Err(error) => return Err(cannot("look at", &file, &error)),
        };
        let before = read(&target)?;
        let name = hash(&target.display().to_string());
        let noted_in = home.join("setup").join(format!("{}.json", &name[..24]));
        let note = Note::read(&noted_in);
        Ok(Self { file, target, after: before.clone(), before, note, noted_in })
    }

    /// The file without what is ours in it.
    fn clean(&self, host: Host, what: &What) -> Result<Option<String>, Failure> {
        let Some(text) = &self.before else { return Ok(None) };
        if let What::Whole(wanted) = what {
            if text != wanted && hash(text) != self.note.after && !is_ours(host, text) {
                return Err(Failure::wrong(
                    format!("{} is somebody else's file", self.target.display()),
                    "move it elsewhere, then try again",
                ));
            }
            return Ok(None);
        }
        let text = self.note.undo(text);
        let text = match what {
            What::Block(_) => toml::without(&text),
            What::Whole(_) => text,
            What::Entries { server, .. } => {
                let text = jsonc::without(&text, "hooks", |entry| is_ours(host, entry));
                let text = text.and_then(|text| match server {
                    Some((holder, _)) => jsonc::without_member(&text, holder, SERVER, is_our_server),
                    None => Ok(text),
                });
                text.map_err(|trouble| self.refusal(&trouble))?
            }
        };
        Ok((!(self.note.created && is_empty(&text))).then_some(text))
    }

    fn refusal(&self, trouble: &Trouble) -> Failure {
        Failure::wrong(
            format!("{} line {}: {}", self.target.display(), trouble.line, trouble.what),
            "this file is as it was; mend it and try again",
        )
    }

    /// Does it, whole or not at all.
    pub(crate) fn carry_out(mut self) -> Result<(), Failure> {
        if fs::metadata(&self.target).is_ok_and(|known| known.permissions().readonly()) {
            return Err(Failure::wrong(
                format!("{} is read-only, and somebody will have a reason", self.target.display()),
                "this file is as it was; allow writing to it, or put the change in where it comes from",
            ));
        }
        if read(&self.target)? != self.before {
            return Err(Failure::wrong(
                format!("{} was changed a moment ago", self.target.display()),
                "nothing was changed; try again",
            ));
        }
        match &self.after {
            Some(text) => {
                let is_addition = !self.note.steps.is_empty() && self.note.after == hash(text);
                if is_addition {
                    let folders = missing_folders(&self.target);
                    self.note.folders.extend(folders);
                    // Noted first: what is not noted could not be taken out exactly.
                    self.note.write(&self.noted_in, &self.target)?;
                } else {
                    self.forget();
                }
                write(&self.target, text).inspect_err(|_| {
                    // Nothing came of it, so there is nothing to take out.
                    if is_addition && !self.note.is_known {
                        self.forget();
                    }
                })
            }
            None => {
                fs::remove_file(&self.target).map_err(|error| cannot("remove", &self.target, &error))?;
                for folder in self.note.folders.iter().rev() {
                    // One that holds something else stays.
                    let _ = fs::remove_dir(folder);
                }
                self.forget();
                Ok(())
            }
        }
    }

    fn forget(&self) {
        let _ = fs::remove_file(&self.noted_in);
        let _ = self.noted_in.parent().map(fs::remove_dir);
    }
}

/// Puts what is wanted into a text, and tells how.
fn put(text: &mut String, what: &What) -> Result<Vec<Insertion>, Trouble> {
    let mut steps = Vec::new();
    let mut take = |text: &mut String, step: Option<Insertion>| {
        if let Some(step) = step {
            text.insert_str(step.at, &step.text);
            steps.push(step);
        }
    };
    match what {
        What::Whole(_) => {}
        What::Block(block) => {
            let step = toml::insert(text, block)?;
            take(text, step);
        }
        What::Entries { lists, server } => {
            for (path, value) in lists {
                let step = jsonc::insert(text, path, value)?;
                take(text, step);
            }
            if let Some((holder, value)) = server {
                let step = jsonc::insert_member(text, &[*holder, SERVER], value)?;
                take(text, step);
            }
        }
    }
    Ok(steps)
}

/// The name of our server in every host's settings.
pub(crate) const SERVER: &str = "rawko";

/// Whether a server's entry starts this program.
fn is_our_server(text: &str) -> bool {
    text.contains("rawko") && text.contains("\"mcp\"")
}

/// Whether a file has our server as it should be: an entry that starts a program of our name.
pub(crate) fn has_server(what: &What, text: &str) -> Option<bool> {
    match what {
        What::Whole(_) | What::Entries { server: None, .. } => None,
        What::Block(_) => Some(toml::has(text)),
        What::Entries { server: Some((holder, _)), .. } => {
            let found = jsonc::inner_member(text, holder, SERVER);
            Some(found.is_some_and(|found| is_our_server(&found.to_string())))
        }
    }
}

/// What is wrong with a file that should be JSON, and in which line.
pub(crate) fn damage(what: &What, text: &str) -> Option<(usize, String)> {
    let What::Entries { .. } = what else { return None };
    let trouble = jsonc::entries(text, "hooks").err()?;
    Some((trouble.line, trouble.what))
}

/// Whether an entry, or a whole file, calls this program for a host.
pub(crate) fn is_ours(host: Host, text: &str) -> bool {
    let name = host.name();
    text.contains("rawko")
        && (text.contains(&format!(" hook {name} ")) || text.contains(&format!("\"hook\", \"{name}\"")))
}

/// Whether nothing is left that a person could have written.
fn is_empty(text: &str) -> bool {
    let rest: String = text.trim_start_matches('\u{feff}').split_whitespace().collect();
    matches!(rest.as_str(), "" | "{}" | "{\"version\":1}" | "{\"version\":1,}")
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Note {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let Ok(value) = serde_json::from_str::<Value>(&text) else { return Self::default() };
        let word = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let step = |step: &Value| {
            Some(Insertion {
                at: usize::try_from(step[0].as_u64()?).ok()?,
                text: step[1].as_str()?.to_owned(),
            })
        };
        Self {
            is_known: true,
            created: value["created"] == true,
            folders: list("folders").iter().filter_map(Value::as_str).map(PathBuf::from).collect(),
            before: word("before"),
            after: word("after"),
            steps: list("steps").iter().filter_map(step).collect(),
        }
    }

    fn write(&self, path: &Path, file: &Path) -> Result<(), Failure> {
        let steps: Vec<Value> = self.steps.iter().map(|step| json!([step.at, step.text])).collect();
        let folders: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        let value = json!({
            "file": file.display().to_string(), "created": self.created, "folders": folders,
            "before": self.before, "after": self.after, "steps": steps,
        });
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| cannot("create", folder, &error))?;
        }
        write(path, &format!("{value:#}\n"))
    }

    /// The text without what was put in: by place where nothing changed since, otherwise by the words themselves.
    fn undo(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !self.is_known {
            return text;
        }
        let is_untouched = hash(&text) == self.after;
        for step in self.steps.iter().rev() {
            let at = match is_untouched {
                true => {
                    text.get(step.at..).is_some_and(|rest| rest.starts_with(&step.text)).then_some(step.at)
                }
                false => text.find(&step.text).filter(|at| text.rfind(&step.text) == Some(*at)),
            };
            if let Some(at) = at {
                text.replace_range(at..at + step.text.len(), "");
            }
        }
        text
    }
}

fn cannot(action: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::wrong(format!("cannot {action} {}: {error}", path.display()), "this file is as it was")
}

/// Where a file that is not there yet will be: no folder above it is a link.
fn real(file: &Path) -> PathBuf {
    let there = file.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let moved = there.and_then(|(folder, real)| Some(real.join(file.strip_prefix(folder).ok()?)));
    moved.unwrap_or_else(|| file.to_owned())
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST => {}
        Ok(_) => {
            return Err(Failure::wrong(
                format!("{} is no settings file", path.display()),
                "nothing was changed; put a plain file there",
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot("read", path, &error)),
    }
    let bytes = fs::read(path).map_err(|error| cannot("read", path, &error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(Failure::wrong(
            format!("{} is no UTF-8", path.display()),
            "nothing was changed; mend the file",
        )),
    }
}

/// The folders above a file that are not there, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    let mut missing: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes a file under another name, syncs it, and gives it its own: whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| cannot("create", folder, &error))?;
    let temporary = folder.join(format!(".rawko-setup-{}", std::process::id()));
    // One that is there already is not ours, and not ours to remove.
    let mut file = File::create_new(&temporary).map_err(|error| cannot("create", &temporary, &error))?;
    let written = (|| {
        if let Ok(known) = fs::metadata(path) {
            file.set_permissions(known.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        File::open(folder)?.sync_all()
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        cannot("write", path, &error)
    })
}
