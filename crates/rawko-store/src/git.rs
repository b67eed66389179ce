//! Git keeps appended entries whole when branches are merged.
//!
//! `.gitattributes` asks for `merge=union`, which keeps the lines of both
//! sides. Git's own union first looks for lines that both sides share, and two
//! entries share many (`---`, the title, the importance), so it would weave two
//! entries into one. This clone's settings therefore say how `union` is done
//! here: by git itself, with the sides kept apart. No rawko is needed to merge.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::plain;

const SECTION: &str = "[merge \"union\"]";
const DRIVER: &str = "\
\tname = keep both sides whole (set by rawko)
\tdriver = git merge-file --diff3 --union %A %O %B
";
/// Largest settings file of git that is read, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;

impl Layout {
    /// Whether git keeps entries whole when it merges; `None` where there is no git folder.
    pub fn git_keeps_entries_whole(&self) -> Result<Option<bool>, StoreError> {
        let Some(path) = self.git_config() else { return Ok(None) };
        let bytes = plain::read(&path, MAX_CONFIG)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(Some(text.lines().any(|line| line.trim() == SECTION)))
    }

    /// Tells git, in this clone's settings, to keep entries whole; whether something was to be told.
    pub fn tell_git(&self) -> Result<bool, StoreError> {
        let Some(path) = self.git_config() else { return Ok(false) };
        if self.git_keeps_entries_whole()? != Some(false) {
            return Ok(false);
        }
        // Git's own way to change its settings: under a lock file, which then takes the name.
        let lock = path.with_extension("lock");
        let mut file = plain::open(&lock, OpenOptions::new().write(true).create_new(true))?;
        let mut write = || {
            let mut bytes = plain::read(&path, MAX_CONFIG)?.unwrap_or_default();
            if !bytes.is_empty() && !bytes.ends_with(b"\n") {
                bytes.push(b'\n');
            }
            bytes.extend(format!("{SECTION}\n{DRIVER}").as_bytes());
            file.write_all(&bytes).at("write", &lock)?;
            file.sync_all().at("sync", &lock)?;
            if let Ok(meta) = path.metadata() {
                file.set_permissions(meta.permissions()).at("write", &lock)?;
            }
            fs::rename(&lock, &path).at("rename to", &path)
        };
        let written = write();
        if written.is_err() {
            let _ = fs::remove_file(&lock);
        }
        written.map(|()| true)
    }

    /// The settings of the git folder that the project is in. A `.git` file points elsewhere, and is not followed.
    fn git_config(&self) -> Option<PathBuf> {
        let folder = self.project().ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
        plain::is_folder(&folder).is_ok_and(|is| is).then(|| folder.join("config"))
    }
}
