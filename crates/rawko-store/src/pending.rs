//! Runs that wait to be learned from: kept whole until somebody has answered.
//!
//! One file each below `log/pending/`, written as everything is: whole, synced,
//! then named. Each is signed with the person's key, so that a run which came
//! with a repository teaches nobody. A lock beside them lets one process at a
//! time ask a provider.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::files::FileStore;
use crate::index::Key;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::plain;

/// Most runs that are listed; more are left for the next time.
const LISTED: usize = 200;
/// Most files that are looked at.
const LOOKED_AT: usize = 10 * LISTED;
/// Bytes that are read at most of files whose names this person's rawko did not make.
const MOST_FOREIGN: u64 = 16 * 1024 * 1024;
const ENDING: &str = ".json";
/// How long one waits for the turn to judge: a judgement takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// The runs that wait in a store.
#[derive(Clone)]
pub struct PendingRuns {
    layout: Layout,
    key: Key,
}

/// Held by the one process that does what one at a time does: asks a provider, or encodes behind a search.
#[derive(Debug)]
pub struct Turn {
    _lock: Lock,
}

impl Turn {
    pub(crate) fn of(lock: Lock) -> Self {
        Self { _lock: lock }
    }
}

impl PendingRuns {
    /// Those of a store.
    pub fn of(store: &FileStore) -> Self {
        let layout = store.layout().clone();
        Self { key: Key::of(store.home(), layout.root()), layout }
    }

    fn folder(&self) -> PathBuf {
        self.layout.log().join("pending")
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}{ENDING}"))
    }

    /// Keeps a run; when this returns it survives a power cut.
    pub fn keep(&self, run: &Value) -> Result<String, StoreError> {
        let name = atomic::unique();
        let id = format!("{name}-{}", self.mark(&name));
        self.put(&id, run).map(|()| id)
    }

    /// The end of a name that nobody without the key can make: what has it is worth reading.
    fn mark(&self, name: &str) -> String {
        self.key.sign(&[b"name of a pending run", name.as_bytes()]).to_hex()[..8].to_owned()
    }

    fn is_marked(&self, id: &str) -> bool {
        id.rsplit_once('-').is_some_and(|(name, mark)| mark == self.mark(name))
    }

    /// Keeps a run under a name it has already.
    pub fn put(&self, id: &str, run: &Value) -> Result<(), StoreError> {
        let folder = self.folder();
        atomic::make_folder(self.layout.root(), &folder)?;
        let signed = json!({ "mac": self.mac(run), "run": run });
        Temporary::write(&folder, signed.to_string().as_bytes())?.rename(&self.path(id))
    }

    fn mac(&self, run: &Value) -> String {
        // When it is tried next may change; what is learned from may not.
        let mut said = run.clone();
        said.as_object_mut().map(|fields| fields.remove("next"));
        self.key.sign(&[b"pending run", said.to_string().as_bytes()]).to_hex().to_string()
    }

    /// The runs that wait, oldest first; what cannot be read or is not signed is passed over.
    pub fn list(&self) -> Result<Vec<(String, Value)>, StoreError> {
        let own = |(id, mut signed): (String, Value)| {
            let run = signed["run"].take();
            (signed["mac"] == self.mac(&run)).then_some((id, run))
        };
        Ok(self.files()?.into_iter().filter_map(own).take(LISTED).collect())
    }

    /// How many files lie there that this person's rawko did not write.
    pub fn foreign(&self) -> Result<usize, StoreError> {
        Ok(self.files()?.len().saturating_sub(self.list()?.len()))
    }

    /// How many files lie there that nobody can read any more: cut off, or no JSON.
    pub fn torn(&self) -> Result<usize, StoreError> {
        Ok(self.ids()?.len().saturating_sub(self.files()?.len()))
    }

    fn ids(&self) -> Result<Vec<String>, StoreError> {
        let folder = self.folder();
        if !plain::is_folder(&self.layout.log())? || !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).at("list", &folder)?.flatten();
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(ENDING)?.to_owned());
        let names = entries.filter_map(name).filter(|id| !id.starts_with('.'));
        let (mut ids, mut others): (Vec<String>, Vec<String>) = names.partition(|id| self.is_marked(id));
        ids.sort();
        others.sort();
        // Foreign files must not crowd out the person's own, whatever they are called, nor cost more than a moment.
        let mut left = MOST_FOREIGN;
        others.retain(|id| {
            let length = self.path(id).symlink_metadata().map_or(0, |meta| meta.len());
            left.checked_sub(length).is_some_and(|rest| {
                left = rest;
                true
            })
        });
        ids.append(&mut others);
        ids.truncate(LOOKED_AT);
        Ok(ids)
    }

    fn files(&self) -> Result<Vec<(String, Value)>, StoreError> {
        let read = |id: String| {
            let bytes = plain::read(&self.path(&id), plain::MAX_KEPT).ok()??;
            Some((id, serde_json::from_slice(&bytes).ok()?))
        };
        Ok(self.ids()?.into_iter().filter_map(read).collect())
    }

    /// Lets a run go that has been answered.
    pub fn done(&self, id: &str) -> Result<(), StoreError> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", &path),
            _ => Ok(()),
        }
    }

    /// The turn to judge proposals and keep them: whoever has it sees all that was kept before. Waits for its holder.
    pub fn alone(&self) -> Result<Turn, StoreError> {
        let folder = self.folder();
        atomic::make_folder(self.layout.root(), &folder)?;
        Lock::take(&folder.join("admitting"), PATIENCE).map(Turn::of)
    }

    /// The turn to ask a provider, if no other process has it.
    pub fn turn(&self) -> Result<Option<Turn>, StoreError> {
        let folder = self.folder();
        atomic::make_folder(self.layout.root(), &folder)?;
        Ok(Lock::try_take(&folder.join("lock"))?.map(Turn::of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &std::path::Path) -> FileStore {
        let layout = Layout::at(folder.join(".rawko"));
        layout.create().expect("a store");
        FileStore::project(layout, Some(&folder.join("home")), jiff::Timestamp::UNIX_EPOCH).expect("it opens")
    }

    #[test]
    fn what_waits_is_listed_oldest_first_until_it_is_done() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pending = PendingRuns::of(&store(folder.path()));
        let layout = pending.layout.clone();
        assert!(pending.list().expect("a list").is_empty());
        let first = pending.keep(&json!({ "n": 1 })).expect("kept");
        let second = pending.keep(&json!({ "n": 2 })).expect("kept");
        fs::write(layout.log().join("pending/zz.json"), "torn {").expect("damage");
        pending.put(&first, &json!({ "n": 3 })).expect("kept again");
        let listed: Vec<i64> =
            pending.list().expect("a list").iter().filter_map(|(_, run)| run["n"].as_i64()).collect();
        assert_eq!(listed, [3, 2]);
        assert_eq!((pending.torn().expect("a count"), pending.foreign().expect("a count")), (1, 0));
        pending.done(&second).expect("done");
        pending.done(&second).expect("done twice is done");
        assert_eq!(pending.list().expect("a list").len(), 1);
    }

    #[test]
    fn a_run_that_came_with_a_repository_is_passed_over() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pending = PendingRuns::of(&store(folder.path()));
        let own = pending.keep(&json!({ "n": 1 })).expect("kept");
        let text = fs::read_to_string(pending.path(&own)).expect("the file");
        for (id, forged) in
            [("00", "{\"n\":2}"), ("01", "{\"mac\":\"\",\"run\":{\"n\":2}}"), ("02", &text.replace('1', "2"))]
        {
            fs::write(pending.path(id), forged).expect("forged");
        }
        assert_eq!(pending.list().expect("a list"), [(own, json!({ "n": 1 }))]);
        assert_eq!(pending.foreign().expect("a count"), 3);
    }

    #[test]
    fn runs_that_came_with_a_repository_crowd_nobody_out() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pending = PendingRuns::of(&store(folder.path()));
        let own = pending.keep(&json!({ "n": 1 })).expect("kept");
        // In the form of names that rawko makes, and before them all.
        for n in 0..=LOOKED_AT {
            let id = format!("000000000000-00000000-{n:04x}-00000000");
            fs::File::create(pending.path(&id)).and_then(|file| file.set_len(1024 * 1024)).expect("forged");
        }
        assert_eq!(pending.list().expect("a list"), [(own, json!({ "n": 1 }))]);
        assert!(pending.ids().expect("names").len() < 100, "nobody reads gigabytes of them");
    }

    #[test]
    fn one_process_at_a_time_has_the_turn() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pending = PendingRuns::of(&store(folder.path()));
        let turn = pending.turn().expect("no error");
        assert!(turn.is_some() && pending.turn().expect("no error").is_none());
        drop(turn);
        assert!(pending.turn().expect("no error").is_some());
    }
}
