//! The origin's own files: `episodic.json`, `semantic.json`, `procedural.json`, read as they are.
//!
//! What another tool wrote waits for the person: memories come in as imports,
//! and episodes are marked, so that nothing learned from them is worth more.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko_core::{
    Channel, Entry, KnowledgeEntry, MemoryEntry, ProceduralRule, Status, entry_without_secrets, redact,
};
use rawko_store::{Episodes, StoreError};
use serde_json::Value;

use super::{Layers, rule_title};
use crate::Kind;
use crate::draft::{Draft, stamp};

/// What an import brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Episodes.
    pub episodic: usize,
    /// Things known.
    pub semantic: usize,
    /// Rules.
    pub procedural: usize,
    /// What was there already.
    pub known: usize,
    /// What could not be read: the file, and why.
    pub unread: Vec<(PathBuf, String)>,
    /// Files that were found.
    pub files: usize,
}

impl Layers<'_> {
    /// Imports a folder of the origin's files; a second time brings nothing new.
    pub fn import(&self, folder: &Path) -> Result<Imported, StoreError> {
        let below = folder.join(".rlm-data").join("memory");
        let folder = if below.is_dir() { below } else { folder.to_owned() };
        let mut done = Imported::default();
        let items = read(&folder.join("episodic.json"), &mut done);
        self.import_episodes(items, &folder.join("episodic.json"), &mut done)?;
        for item in read(&folder.join("semantic.json"), &mut done) {
            // A map's entries: the key, and what is known; the latter may have the key, too.
            let mut value = item.get(1).cloned().unwrap_or_else(|| item.clone());
            if let (Some(key), Some(fields)) = (item.get(0), value.as_object_mut()) {
                fields.entry("key").or_insert_with(|| key.clone());
            }
            match serde_json::from_value::<KnowledgeEntry>(value) {
                Ok(known) => {
                    let draft = Draft::new(&known.key, &known.value).when(known.key.replace(['-', '_'], " "));
                    let came = self.bring(draft.kind(Some(Kind::Knowledge)), known.timestamp)?;
                    count(came, &mut done.semantic, &mut done.known);
                }
                Err(error) => done.unread.push((folder.join("semantic.json"), error.to_string())),
            }
        }
        for item in read(&folder.join("procedural.json"), &mut done) {
            match serde_json::from_value::<ProceduralRule>(item) {
                Ok(rule) => {
                    let draft = Draft::new(rule_title(&rule.condition), &rule.action).when(&rule.condition);
                    let came = self.bring(draft.kind(Some(Kind::Procedure)), rule.timestamp)?;
                    count(came, &mut done.procedural, &mut done.known);
                }
                Err(error) => done.unread.push((folder.join("procedural.json"), error.to_string())),
            }
        }
        Ok(done)
    }

    fn import_episodes(&self, items: Vec<Value>, file: &Path, done: &mut Imported) -> Result<(), StoreError> {
        if items.is_empty() {
            return Ok(());
        }
        let episodes = self.episodes();
        let mut known: HashSet<String> = episodes.names()?;
        for item in items {
            let name = Episodes::name_for(&item.to_string());
            match serde_json::from_value::<MemoryEntry>(item) {
                Ok(mut entry) => {
                    // A name that holds a secret is not kept, and the same entry must be known again.
                    if entry.id.is_empty() || redact(&entry.id) != entry.id {
                        entry.id = name;
                    }
                    if !known.insert(entry.id.clone()) {
                        done.known += 1;
                        continue;
                    }
                    episodes.import(&entry.with("imported", "rlm"), self.engine.now())?;
                    done.episodic += 1;
                }
                Err(error) => done.unread.push((file.to_owned(), error.to_string())),
            }
        }
        Ok(())
    }

    /// Adds a memory as an import that waits; `false` if its text is there already.
    fn bring(&self, draft: Draft, timestamp: i64) -> Result<bool, StoreError> {
        let at = Timestamp::from_millisecond(timestamp)
            .ok()
            .filter(|at| timestamp > 0 && *at <= self.engine.now());
        let draft = draft.by("import").source(Some("rlm".to_owned())).status(Some(Status::Pending));
        let mut entry: Entry = draft.entry(at.unwrap_or(self.engine.now()));
        entry.frontmatter.discovered_at = stamp(at.unwrap_or(self.engine.now()));
        let (mut entry, _) = entry_without_secrets(&entry);
        let title = entry.frontmatter.title.clone();
        if title.trim().is_empty() || self.named(&title)?.is_some_and(|memory| has(&memory, &entry)) {
            return Ok(false);
        }
        // Beside a memory of the same title, never inside it: what waits must not silence what is known.
        if self.named(&title)?.is_some() {
            entry.frontmatter.title = format!("{title} (imported)");
            if self.named(&entry.frontmatter.title)?.is_some_and(|memory| has(&memory, &entry)) {
                return Ok(false);
            }
        }
        self.engine.add(&entry, self.whose, Channel::Import).map(|_| true)
    }
}

fn has(memory: &rawko_core::Memory, entry: &Entry) -> bool {
    memory.entries.iter().any(|known| known.entry.body.trim() == entry.body.trim())
}

fn count(came: bool, new: &mut usize, known: &mut usize) {
    *if came { new } else { known } += 1;
}

/// The items of a file; what cannot be read is noted, what is not there is nothing.
fn read(path: &Path, done: &mut Imported) -> Vec<Value> {
    let bytes = match rawko_store::read_export(path) {
        Ok(None) => return Vec::new(),
        Ok(Some(bytes)) => bytes,
        Err(error) => {
            done.unread.push((path.to_owned(), error.to_string()));
            return Vec::new();
        }
    };
    done.files += 1;
    match serde_json::from_slice::<Vec<Value>>(&bytes) {
        Ok(items) => items,
        Err(error) => {
            done.unread.push((path.to_owned(), error.to_string()));
            Vec::new()
        }
    }
}
