//! Where things are in a `.rawko` folder, and how one comes to be.

use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::Slug;

use crate::atomic;
use crate::error::{At, StoreError};
use crate::plain;

/// The newest on-disk format that this rawko reads and the one it writes.
pub const FORMAT: u32 = 1;
/// The name of a project's store folder.
pub const FOLDER: &str = ".rawko";

const GITIGNORE: &str = "\
# Written by rawko: what belongs to one machine or can be rebuilt stays out of git.
/sessions/
/log/
/spool/
/cache/
/repaired/
";
const GITATTRIBUTES: &str = "\
# Written by rawko: memories only grow, so both sides of a merge are kept.
/memories/** merge=union
";

/// The paths of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The store whose `.rawko` folder is `root`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Finds the project's store: the nearest `.rawko` folder from `start` upwards, but not `home`.
    pub fn find(start: &Path, home: Option<&Path>) -> Result<Self, StoreError> {
        for folder in start.ancestors() {
            let root = folder.join(FOLDER);
            if home.is_some_and(|home| home == root) {
                continue;
            }
            // A link or file of this name is refused, not passed over: the store above it is another one.
            if plain::is_folder(&root)? {
                return Ok(Self::at(root));
            }
        }
        Err(StoreError::NoStore(start.to_owned()))
    }

    /// The `.rawko` folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the memories speak of: the one that holds `.rawko`.
    pub fn project(&self) -> &Path {
        self.root.parent().unwrap_or(&self.root)
    }

    /// Long-term memory.
    pub fn memories(&self) -> PathBuf {
        self.root.join("memories")
    }

    /// Refuses a memory one of whose folders is a link: a file below it is outside the store.
    pub(crate) fn check_folders(&self, slug: &Slug) -> Result<(), StoreError> {
        let mut folder = self.memories();
        for name in slug.as_str().split('/') {
            if !plain::is_folder(&folder)? {
                break;
            }
            folder.push(name);
        }
        Ok(())
    }

    /// The file of one memory.
    pub fn memory(&self, slug: &Slug) -> PathBuf {
        self.memories().join(format!("{slug}.md"))
    }

    /// Entries that are safe on disk and not yet in their file.
    pub fn spool(&self) -> PathBuf {
        self.root.join("spool")
    }

    /// The lock of whoever moves spooled entries into their files.
    pub fn lock(&self) -> PathBuf {
        self.spool().join("lock")
    }

    /// Derived files: may be deleted at any time.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Episodes, receipts, feedback and decisions.
    pub fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    /// The memory of sessions, a folder for each.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Agent definitions.
    pub fn agents(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// The settings file.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// Makes what is missing, and says what it made, relative to the store.
    pub fn create(&self) -> Result<Vec<&'static str>, StoreError> {
        let mut made = Vec::new();
        if !plain::is_folder(&self.root)? {
            atomic::retry(|| fs::create_dir_all(&self.root)).at("create", &self.root)?;
            made.push("");
        }
        // Git must ignore derived files from the first write on, so these two come first.
        for (name, text) in [(".gitignore", GITIGNORE), (".gitattributes", GITATTRIBUTES)] {
            let path = self.root.join(name);
            if path.symlink_metadata().is_err()
                && atomic::Temporary::write(&self.root, text.as_bytes())?.link(&path)?
            {
                made.push(name);
            }
        }
        // `agents` comes last: whoever sees it knows that the names of the others are on disk, even if
        // the process that made them was killed right after.
        for name in ["memories", "spool", "agents"] {
            let folder = self.root.join(name);
            if !plain::is_folder(&folder)? {
                if name == "agents" {
                    atomic::sync_folder(&self.root)?;
                    atomic::sync_parent(&self.root)?;
                }
                atomic::make_folder(&self.root, &folder)?;
                made.push(name);
            }
        }
        Ok(made)
    }

    /// Writes a file of the store that is not there yet; says whether it did. What is there stays as it is.
    pub fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(&self.root);
        if !plain::is_folder(folder)? || path.symlink_metadata().is_ok() {
            return Ok(false);
        }
        atomic::Temporary::write(folder, bytes)?.link(&path)
    }

    /// Refuses a store of a newer format.
    pub fn check_format(&self) -> Result<(), StoreError> {
        let path = self.config();
        plain::is_folder(&self.root)?;
        let Some(bytes) = plain::read(&path, 1024 * 1024)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes);
        let top = text.lines().take_while(|line| !line.trim_start().starts_with('['));
        let found = top.filter_map(format_line).next().unwrap_or(FORMAT);
        if found > FORMAT { Err(StoreError::TooNew { path, found, known: FORMAT }) } else { Ok(()) }
    }
}

/// `format = 1`, before the first table: read without a TOML parser, because every hook does.
fn format_line(line: &str) -> Option<u32> {
    let rest = line.trim_start().strip_prefix("format")?.trim_start().strip_prefix('=')?;
    let number = rest.split('#').next()?.trim().replace('_', "");
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| number.parse().unwrap_or(u32::MAX))
}
