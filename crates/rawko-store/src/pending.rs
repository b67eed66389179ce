//! Runs that wait to be learned from: kept whole until somebody has answered.
//!
//! One file each below `log/pending/`, written as everything is: whole, synced,
//! then named. A lock beside them lets one process at a time ask a provider.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::lock::Lock;
use crate::plain;

/// Most runs that are listed; more are left for the next time.
const LISTED: usize = 200;
const ENDING: &str = ".json";

/// The runs that wait in a store.
#[derive(Clone, Debug)]
pub struct PendingRuns {
    layout: Layout,
}

/// Held by the one process that asks a provider.
#[derive(Debug)]
pub struct Turn {
    _lock: Lock,
}

impl PendingRuns {
    /// Those of a store.
    pub fn of(layout: &Layout) -> Self {
        Self { layout: layout.clone() }
    }

    fn folder(&self) -> PathBuf {
        self.layout.log().join("pending")
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}{ENDING}"))
    }

    /// Keeps a run; when this returns it survives a power cut.
    pub fn keep(&self, run: &Value) -> Result<String, StoreError> {
        let id = atomic::unique();
        self.put(&id, run).map(|()| id)
    }

    /// Keeps a run under a name it has already.
    pub fn put(&self, id: &str, run: &Value) -> Result<(), StoreError> {
        let folder = self.folder();
        atomic::make_folder(self.layout.root(), &folder)?;
        Temporary::write(&folder, run.to_string().as_bytes())?.rename(&self.path(id))
    }

    /// The runs that wait, oldest first; what cannot be read is passed over.
    pub fn list(&self) -> Result<Vec<(String, Value)>, StoreError> {
        let folder = self.folder();
        if !plain::is_folder(&self.layout.log())? || !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).at("list", &folder)?.flatten();
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(ENDING)?.to_owned());
        let mut ids: Vec<String> = entries.filter_map(name).filter(|id| !id.starts_with('.')).collect();
        ids.sort();
        ids.truncate(LISTED);
        let read = |id: String| {
            let bytes = plain::read(&self.path(&id), plain::MAX_FILE).ok()??;
            Some((id, serde_json::from_slice(&bytes).ok()?))
        };
        Ok(ids.into_iter().filter_map(read).collect())
    }

    /// Lets a run go that has been answered.
    pub fn done(&self, id: &str) -> Result<(), StoreError> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", &path),
            _ => Ok(()),
        }
    }

    /// The turn to ask a provider, if no other process has it.
    pub fn turn(&self) -> Result<Option<Turn>, StoreError> {
        let folder = self.folder();
        atomic::make_folder(self.layout.root(), &folder)?;
        Ok(Lock::try_take(&folder.join("lock"))?.map(|lock| Turn { _lock: lock }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_waits_is_listed_oldest_first_until_it_is_done() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let pending = PendingRuns::of(&layout);
        assert!(pending.list().expect("a list").is_empty());
        let first = pending.keep(&json!({ "n": 1 })).expect("kept");
        let second = pending.keep(&json!({ "n": 2 })).expect("kept");
        fs::write(layout.log().join("pending/zz.json"), "torn {").expect("damage");
        pending.put(&first, &json!({ "n": 3 })).expect("kept again");
        let listed: Vec<i64> = pending.list().expect("a list").iter().filter_map(|(_, run)| run["n"].as_i64()).collect();
        assert_eq!(listed, [3, 2]);
        pending.done(&second).expect("done");
        pending.done(&second).expect("done twice is done");
        assert_eq!(pending.list().expect("a list").len(), 1);
    }

    #[test]
    fn one_process_at_a_time_has_the_turn() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let pending = PendingRuns::of(&layout);
        let turn = pending.turn().expect("no error");
        assert!(turn.is_some() && pending.turn().expect("no error").is_none());
        drop(turn);
        assert!(pending.turn().expect("no error").is_some());
    }
}
