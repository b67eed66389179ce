//! Proof that a store works, and mending what does not.
//!
//! Health is not asked, it is tried: bytes are written, synced and read back.
//! Mending copies a file to `.rawko/repaired/` before it changes it; this is
//! the only place in rawko that changes bytes already in a memory's file, and
//! only a person's `doctor --repair` comes here.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

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

const KNOWN: [&str; 13] = [
    "config.toml",
    "agents",
    "memories",
    "sessions",
    "log",
    "spool",
    "cache",
    "repaired",
    "trust",
    "setup",
    "cache-key",
    ".gitignore",
    ".gitattributes",
];

impl FileStore {
    /// Writes, syncs and reads back.
    pub fn prove_writable(&self) -> Result<(), StoreError> {
        let folder = self.layout().spool();
        atomic::make_folder(self.layout().root(), &folder)?;
        let text = format!("rawko doctor {}", atomic::unique());
        // A name of its own: another doctor may do the same just now. And a temporary one, held as long as it is
        // needed: what a killed doctor leaves is swept away like any other.
        let path = folder.join(format!("{}{}", atomic::TEMPORARY, atomic::unique()));
        let temporary = Temporary::write(&folder, text.as_bytes())?;
        let _held = temporary.handle()?;
        temporary.rename(&path)?;
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
        let spool::Listing { records, damaged, closed, foreign, .. } = spool::list(&layout.spool())?;
        probe.waiting = records.iter().map(|record| record.parts.len()).sum();
        probe.damaged = [damaged, closed].concat();
        probe.foreign = foreign;
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
            if !KNOWN.iter().any(|known| name == *known) {
                probe.foreign.push(entry.path());
            }
        }
        let agents = walk::memories(&layout.agents())?;
        probe.foreign.extend(agents.problems.into_iter().map(|skipped| skipped.path).chain(agents.foreign));
        probe.foreign.extend(walk::memories(&layout.memories())?.foreign);
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
        if self.layout().tell_git()?.is_some() {
            done.push("told git to keep entries whole when it merges".to_owned());
        }
        let spool::Listing { records, damaged, .. } = spool::list(&self.layout().spool())?;
        atomic::sweep(&self.layout().spool(), Duration::ZERO);
        atomic::sweep(self.layout().root(), Duration::ZERO);
        if !records.is_empty() {
            self.settle(Duration::from_secs(5))?;
            let left = spool::list(&self.layout().spool())?.records.len();
            done.push(format!(
                "moved {} spool files into their memories",
                records.len() - left.min(records.len())
            ));
        }
        for path in damaged {
            // Whatever it is, and however large: it is not opened.
            let kept = self.place_for(&path)?;
            atomic::retry(|| fs::rename(&path, &kept)).at("rename to", &kept)?;
            done.push(format!("moved {} to {}", path.display(), kept.display()));
        }
        done.extend(self.cut_torn_tails()?);
        Ok(done)
    }

    /// A free name in `repaired/` for what a file holds.
    fn place_for(&self, path: &Path) -> Result<PathBuf, StoreError> {
        let folder = self.layout().root().join("repaired");
        atomic::make_folder(self.layout().root(), &folder)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(folder.join(format!("{}-{name}", atomic::unique())))
    }

    /// Takes entries that were cut off in the middle from the end of their files.
    fn cut_torn_tails(&self) -> Result<Vec<String>, StoreError> {
        let _lock = Lock::take(&self.layout().lock(), Duration::from_secs(5))?;
        let mut done = Vec::new();
        for memory in self.read_all()?.memories {
            let path = self.layout().memory(&memory.slug);
            let Some(bytes) = plain::read(&path, u64::MAX)? else { continue };
            let Some(keep) = std::str::from_utf8(&bytes).ok().and_then(rawko_core::torn_at) else { continue };
            let kept = self.place_for(&path)?;
            atomic::put(&self.layout().root().join("repaired"), &bytes, &kept)?;
            let (path_shown, kept) = (path.display(), kept.display());
            done.push(match cut(&path, &bytes, keep)? {
                true => format!("cut an unfinished entry off {path_shown} (the file as it was: {kept})"),
                false => format!("left {path_shown} as it is: somebody changed it just now"),
            });
        }
        Ok(done)
    }
}

/// Shortens a file to its first `keep` bytes if it still is the one that held `bytes`; whether it was.
fn cut(path: &Path, bytes: &[u8], keep: usize) -> Result<bool, StoreError> {
    let file = plain::open(path, OpenOptions::new().read(true).write(true))?;
    let mut now = Vec::new();
    (&file).read_to_end(&mut now).at("read", path)?;
    let meta = file.metadata().at("look at", path)?;
    let is_named = path.symlink_metadata().is_ok_and(|named| plain::same_file(&named, &meta));
    if now != bytes || !is_named {
        return Ok(false);
    }
    file.set_len(keep as u64).at("shorten", path)?;
    file.sync_all().at("sync", path)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_names_everything_that_may_be_in_a_store() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format.md");
        let page = fs::read_to_string(page).expect("the page of the format");
        let lines = page.split("```").skip(1).step_by(2).flat_map(str::lines);
        let listed: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
        for name in KNOWN {
            let is_listed = listed.iter().any(|path| path.split('/').next() == Some(name));
            assert!(is_listed, "docs/format.md does not list `{name}`");
        }
    }

    #[test]
    fn a_file_is_cut_only_while_it_is_the_one_that_was_copied() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.md");
        for now in ["kept, torn, and what a person added", "kept, othr", "k"] {
            fs::write(&path, now).expect("written");
            assert!(!cut(&path, b"kept, torn", 4).expect("looked at"), "{now}");
            assert_eq!(fs::read_to_string(&path).expect("read"), now);
        }
        fs::write(&path, "kept, torn").expect("written");
        assert!(cut(&path, b"kept, torn", 4).expect("cut"));
        assert_eq!(fs::read_to_string(&path).expect("read"), "kept");
    }
}
