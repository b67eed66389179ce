//! Memories out: all of a store for safekeeping, or what agents may know into a host's own files.

use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{
    ExportedFile, Fold, Importance, MarkerError, Memory, Slug, agents_section, claude_file, claude_index,
    entry_json, exportable, spliced,
};
use rawko_store::{FileProblem, Store, StoreError, replace};
use serde_json::{Value, json};

use crate::engine::{Engine, Whose};

/// The schema that an export fits.
pub const EXPORT_SCHEMA: &str = "urn:rawko:schema:export:1";

/// All of a store.
#[derive(Clone, Debug)]
pub struct Exported {
    /// One document that fits [`EXPORT_SCHEMA`].
    pub document: Value,
    /// How many memories it holds.
    pub memories: usize,
    /// What could not be read, and is not in it.
    pub problems: Vec<FileProblem>,
}

/// What became of a file in Claude Code's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// It was written.
    Written,
    /// It says so already.
    Same,
    /// It is somebody's, or was changed by hand: it was left as it is.
    Left,
    /// rawko wrote it once, and its memory is no longer for agents.
    Outdated,
}

/// Why an export could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store or the file cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody changed the marks around rawko's section.
    #[error("{}, {error}", path.display())]
    Marks {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: MarkerError,
    },
    /// Somebody saved the file while it was being written anew.
    #[error("{} was changed a moment ago", .0.display())]
    Changed(PathBuf),
}

impl Engine {
    /// Every memory of a store with every entry, so that an import loses nothing.
    pub fn export_json(&self, whose: Whose) -> Result<Exported, StoreError> {
        let store = self.store(whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        let reading = store.read_all()?;
        let memory = |memory: &Memory| {
            let entries: Vec<Value> = memory.entries.iter().map(|known| entry_json(&known.entry)).collect();
            json!({ "slug": memory.slug.as_str(), "entries": entries })
        };
        let memories: Vec<Value> = reading.memories.iter().map(memory).collect();
        let document = json!({
            "$schema": EXPORT_SCHEMA, "exportedAt": self.now().to_string(), "store": whose.as_str(),
            "memories": memories,
        });
        Ok(Exported { document, memories: reading.memories.len(), problems: reading.problems })
    }

    /// The section of an `AGENTS.md`, without the marks around it, and how many memories it holds.
    pub fn export_section(&self, whose: Whose, least: Importance) -> Result<(String, usize), StoreError> {
        let memories = self.for_export(whose)?;
        let folds: Vec<Fold<'_>> = ordered(&memories, least).into_iter().map(|(_, fold)| fold).collect();
        Ok((agents_section(&folds), folds.len()))
    }

    /// Puts the section into a file, and not a byte beside it; `false` where nothing changes.
    pub fn write_section(&self, path: &Path, section: &str) -> Result<bool, ExportError> {
        put(path, section, "rawko export agents-md")
    }

    /// Writes topic files and their lines in `MEMORY.md`; files that are not rawko's are left as they are.
    pub fn export_claude(
        &self,
        whose: Whose,
        least: Importance,
        folder: &Path,
    ) -> Result<Vec<(String, FileFate)>, ExportError> {
        let memories = self.for_export(whose)?;
        let mut chosen = ordered(&memories, least);
        let mut fates = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        chosen.retain(|(slug, fold)| {
            let file = claude_file(slug, fold);
            // Folders become part of the name, and two names may become one.
            let free = !taken.contains(&file.name) && !file.name.eq_ignore_ascii_case("MEMORY.md");
            taken.push(file.name);
            free
        });
        let mut listed = Vec::new();
        for (slug, fold) in chosen {
            let file = claude_file(&slug, &fold);
            let fate = write_topic(&folder.join(&file.name), &file)?;
            fates.push((file.name, fate));
            if fate != FileFate::Left {
                listed.push((slug, fold));
            }
        }
        fates.extend(outdated(folder, &taken).into_iter().map(|name| (name, FileFate::Outdated)));
        put(&folder.join("MEMORY.md"), &claude_index(&listed), "rawko export claude")?;
        Ok(fates)
    }

    fn for_export(&self, whose: Whose) -> Result<Vec<Memory>, StoreError> {
        let store = self.store(whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        Ok(store.read_all()?.memories)
    }
}

/// What agents may know, what matters most first.
fn ordered(memories: &[Memory], least: Importance) -> Vec<(Slug, Fold<'_>)> {
    let mut found: Vec<(Slug, Fold<'_>)> = memories
        .iter()
        .filter_map(|memory| Some((memory.slug.clone(), exportable(memory, least)?)))
        .collect();
    found.sort_by(|(a, one), (b, other)| other.importance.cmp(&one.importance).then_with(|| a.cmp(b)));
    found
}

fn read(path: &Path) -> Result<Option<String>, StoreError> {
    let io = |source| StoreError::Io { action: "read", path: path.to_owned(), source };
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(error)),
    }
}

fn put(path: &Path, section: &str, by: &str) -> Result<bool, ExportError> {
    let old = read(path)?;
    let text = old.as_deref().unwrap_or_default();
    let new =
        spliced(text, section, by).map_err(|error| ExportError::Marks { path: path.to_owned(), error })?;
    if new == text {
        return Ok(false);
    }
    replace_known(path, old.as_deref(), &new)?;
    Ok(true)
}

fn write_topic(path: &Path, file: &ExportedFile) -> Result<FileFate, ExportError> {
    let old = read(path)?;
    match &old {
        Some(text) if *text == file.text => Ok(FileFate::Same),
        Some(text) if !ExportedFile::is_untouched(text) => Ok(FileFate::Left),
        _ => replace_known(path, old.as_deref(), &file.text).map(|()| FileFate::Written),
    }
}

/// Replaces a file that is as it was read: an editor may have saved it since.
fn replace_known(path: &Path, old: Option<&str>, new: &str) -> Result<(), ExportError> {
    if read(path)?.as_deref() != old {
        return Err(ExportError::Changed(path.to_owned()));
    }
    Ok(replace(path, new.as_bytes())?)
}

/// Files that rawko wrote, nobody changed, and no memory stands behind any more.
fn outdated(folder: &Path, current: &[String]) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md") && !current.contains(name))
        .filter(|name| {
            read(&folder.join(name)).ok().flatten().is_some_and(|text| ExportedFile::is_untouched(&text))
        })
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_saved_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("AGENTS.md");
        fs::write(&path, "saved by an editor").expect("written");
        for known in [Some("as it was read"), None] {
            let replaced = replace_known(&path, known, "ours");
            assert!(matches!(replaced, Err(ExportError::Changed(_))), "{replaced:?}");
        }
        assert_eq!(fs::read_to_string(&path).expect("read"), "saved by an editor");
        replace_known(&path, Some("saved by an editor"), "ours").expect("nobody else was there");
        assert_eq!(fs::read_to_string(&path).expect("read"), "ours");
    }
}
