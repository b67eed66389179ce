//! A session's working layer: a few entries in one small file, replaced whole.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rawko_core::{MemoryEntry, Redactor, episode_line, read_episode};

use crate::atomic::{self, Temporary};
use crate::error::StoreError;
use crate::lock::Lock;
use crate::plain;

/// Largest file that is read.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

/// The file of a session's working layer.
#[derive(Clone, Debug)]
pub struct WorkingFile {
    path: PathBuf,
}

impl WorkingFile {
    /// The one in a session's folder, which must exist.
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("working.jsonl") }
    }

    /// What it holds, oldest first.
    pub fn read(&self) -> Result<Vec<MemoryEntry>, StoreError> {
        let bytes = plain::read(&self.path, MOST_BYTES)?.unwrap_or_default();
        Ok(bytes.split(|&byte| byte == b'\n').filter_map(read_episode).collect())
    }

    /// Changes what it holds, one process at a time; when this returns, it is on disk.
    pub fn update<T>(&self, change: impl FnOnce(&mut Vec<MemoryEntry>) -> T) -> Result<T, StoreError> {
        let _one = Lock::take(&self.path.with_extension("lock"), PATIENCE)?;
        let mut entries = self.read()?;
        for entry in &mut entries {
            if entry.id.is_empty() {
                entry.id = atomic::unique();
            }
        }
        let done = change(&mut entries);
        let redactor = Redactor::default();
        let text: String = entries.iter().map(|entry| episode_line(entry, &redactor) + "\n").collect();
        let folder = self.path.parent().unwrap_or(Path::new("."));
        Temporary::write(folder, text.as_bytes())?.rename(&self.path)?;
        Ok(done)
    }
}
