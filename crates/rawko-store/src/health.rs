//! Proof that a store works, and mending what does not.
//!
//! Health is not asked, it is tried: bytes are written, synced and read back.
//! Mending copies a file to `.rawko/repaired/` before it changes it; this is
//! the only place in rawko that changes bytes already in a memory's file, and
//! only a person's `doctor --repair` comes here.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rawko_core::Severity;

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::files::FileStore;
use crate::lock::Lock;
use crate::{Store, plain, spool, walk};

/// What the spool and the folder look like.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Whether another process holds the lock.
    pub is_locked: bool,
    /// How many entries wait to be moved into their files.
    pub waiting: usize,
    /// Spool files that cannot be read.
    pub damaged: Vec<PathBuf>,
    /// Files in the store that rawko did not put there.
    pub foreign: Vec<PathBuf>,
    /// Parts of a store that are not there.
    pub missing: Vec<&'static str>,
}

const KNOWN: [&str; 11] = [
    "config.toml",
    "agents",
    "memories",
    "sessions",
    "log",
    "spool",
    "cache",
    "repaired",
    "trust",
    ".gitignore",
    ".gitattributes",
];

impl FileStore {
    /// Writes, syncs and reads back.
    pub fn prove_writable(&self) -> Result<(), StoreError> {
        let folder = self.layout().spool();
        atomic::make_folder(self.layout().root(), &folder)?;
        let text = format!("rawko doctor {}", atomic::unique());
        let path = folder.join(format!("{}probe", atomic::TEMPORARY));
        Temporary::write(&folder, text.as_bytes())?.rename(&path)?;
        let back = plain::read(&path, 4096)?;
        fs::remove_file(&path).at("remove", &path)?;
        if back.as_deref() == Some(text.as_bytes()) {
            return Ok(());
        }
        let source = std::io::Error::other("what was read is not what was written");
        Err(StoreError::Io { action: "read back", path, source })
    }

    /// Looks at lock, spool and folder.
    pub fn probe(&self, wait: Duration) -> Result<Probe, StoreError> {
        let layout = self.layout();
        let mut probe = Probe::default();
        let spool::Listing { records, damaged, .. } = spool::list(&layout.spool())?;
        probe.waiting = records.iter().map(|record| record.parts.len()).sum();
        probe.damaged = damaged;
        if layout.spool().is_dir() {
            match Lock::take(&layout.lock(), wait) {
                Err(StoreError::Busy { .. }) => probe.is_locked = true,
                // A file system that cannot lock: entries are safe in the spool, and stay there.
                Err(error @ StoreError::Io { action: "lock", .. }) => return Err(error),
                // Who may not write takes no lock, and needs none.
                _ => {}
            }
        }
        for entry in atomic::retry(|| fs::read_dir(layout.root())).at("list", layout.root())?.flatten() {
            let name = entry.file_name();
            if !KNOWN.iter().any(|known| name == *known) && name != "cache-key" {
                probe.foreign.push(entry.path());
            }
        }
        let agents = walk::memories(&layout.agents())?.problems;
        probe.foreign.extend(agents.into_iter().map(|skipped| skipped.path));
        probe.missing = ["memories", ".gitignore", ".gitattributes"]
            .into_iter()
            .filter(|name| !layout.root().join(name).exists())
            .collect();
        Ok(probe)
    }

    /// Mends what can be mended, and says what was done.
    pub fn repair(&self) -> Result<Vec<String>, StoreError> {
        let mut done: Vec<String> =
            self.layout().create()?.into_iter().map(|name| format!("made `{name}`")).collect();
        if self.layout().tell_git()? {
            done.push("told git to keep entries whole when it merges".to_owned());
        }
        let spool::Listing { records, damaged, temporaries } = spool::list(&self.layout().spool())?;
        atomic::sweep(&temporaries, Duration::ZERO);
        atomic::sweep(&spool::list(self.layout().root())?.temporaries, Duration::ZERO);
        if !records.is_empty() {
            self.settle(Duration::from_secs(5))?;
            let left = spool::list(&self.layout().spool())?.records.len();
            done.push(format!(
                "moved {} spool files into their memories",
                records.len() - left.min(records.len())
            ));
        }
        for path in damaged {
            let kept = self.keep_copy(&path)?;
            fs::remove_file(&path).at("remove", &path)?;
            done.push(format!("moved {} to {}", path.display(), kept.display()));
        }
        done.extend(self.cut_torn_tails()?);
        Ok(done)
    }

    fn keep_copy(&self, path: &Path) -> Result<PathBuf, StoreError> {
        let folder = self.layout().root().join("repaired");
        atomic::make_folder(self.layout().root(), &folder)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let copy = folder.join(format!("{}-{name}", atomic::unique()));
        let bytes = plain::read(path, u64::MAX)?.unwrap_or_default();
        Temporary::write(&folder, &bytes)?.rename(&copy)?;
        Ok(copy)
    }

    /// Takes entries that were cut off in the middle from the end of their files.
    fn cut_torn_tails(&self) -> Result<Vec<String>, StoreError> {
        let _lock = Lock::take(&self.layout().lock(), Duration::from_secs(5))?;
        let mut done = Vec::new();
        for memory in self.read_all()?.memories {
            let path = self.layout().memory(&memory.slug);
            let Some(bytes) = plain::read(&path, u64::MAX)? else { continue };
            let Some(keep) = std::str::from_utf8(&bytes).ok().and_then(torn_at) else { continue };
            let kept = self.keep_copy(&path)?;
            let file = plain::open(&path, OpenOptions::new().write(true))?;
            file.set_len(keep as u64).at("shorten", &path)?;
            file.sync_all().at("sync", &path)?;
            done.push(format!(
                "cut an unfinished entry off {} (the file as it was: {})",
                path.display(),
                kept.display()
            ));
        }
        Ok(done)
    }
}

/// Where a file's last entry was cut off inside its frontmatter, in bytes.
fn torn_at(text: &str) -> Option<usize> {
    let thread = rawko_core::parse(text);
    let torn = thread.problems.iter().rfind(|problem| problem.severity == Severity::Error)?;
    let start: usize = text.split_inclusive('\n').take(torn.line - 1).map(str::len).sum();
    let tail = &text[start..];
    let unclosed = tail.starts_with("---") && !tail[3..].contains("\n---");
    (unclosed && !thread.entries.is_empty()).then(|| {
        let before = &text[..start];
        before.strip_suffix(rawko_core::SEPARATOR).unwrap_or(before).len()
    })
}
