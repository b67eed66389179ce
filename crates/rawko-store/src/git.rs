//! Git keeps appended entries whole when branches are merged.
//!
//! `.gitattributes` asks for `merge=union`, which keeps the lines of both
//! sides. Git's own union first looks for lines that both sides share, and two
//! entries share many (`---`, the title, the importance), so it would weave two
//! entries into one. This clone's settings therefore say how `union` is done
//! here: by git itself, with the sides kept apart. No rawko is needed to merge.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{At, StoreError};
use crate::evidence::git_folders;
use crate::layout::Layout;
use crate::plain;

const SECTION: &str = "[merge \"union\"]";
const DRIVER: &str = "\
\tname = keep both sides whole (set by rawko)
\tdriver = git merge-file --diff3 --union %A %O %B
";
/// Largest settings file of git that is read, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;

/// The words that tell git to keep entries whole, for where rawko cannot.
pub const GIT_ADVICE: &str =
    "run `git config merge.union.driver 'git merge-file --diff3 --union %A %O %B'` yourself";

/// What git does with the entries of two branches when it merges them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merging {
    /// There is no git here.
    NoGit,
    /// It keeps them whole.
    Whole,
    /// It would weave them into one; these settings can tell it otherwise.
    Weaves(PathBuf),
    /// This `.git` leads to no folder that is surely the project's, so nobody looked.
    Unknown(PathBuf),
}

impl Layout {
    /// What git does with entries when it merges.
    pub fn merging(&self) -> Result<Merging, StoreError> {
        let mut above = self.project().ancestors().filter(|folder| is_there(&folder.join(".git")));
        let Some(root) = above.next() else { return Ok(Merging::NoGit) };
        let Some(path) = settings(root) else { return Ok(Merging::Unknown(root.join(".git"))) };
        let bytes = plain::read(&path, MAX_CONFIG)?.unwrap_or_default();
        let told = String::from_utf8_lossy(&bytes).lines().any(|line| line.trim() == SECTION);
        Ok(if told { Merging::Whole } else { Merging::Weaves(path) })
    }

    /// Tells git, in this clone's settings, to keep entries whole; gives their file if something was to be told.
    pub fn tell_git(&self) -> Result<Option<PathBuf>, StoreError> {
        let Merging::Weaves(path) = self.merging()? else { return Ok(None) };
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
        written.map(|()| Some(path))
    }
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The settings of the repository at `root`, also where it is a worktree or a submodule of another.
///
/// A `.git` file may come with files that somebody sent, and name any folder. Only one that knows this place is
/// taken (see `git_folders`), and its settings only where git's own layout has them: in itself, or two above.
fn settings(root: &Path) -> Option<PathBuf> {
    let (own, common) = git_folders(root)?;
    ((own == common || is_worktree(&own, &common)) && is_git(&common)).then(|| common.join("config"))
}

fn is_worktree(own: &Path, common: &Path) -> bool {
    own.parent().is_some_and(|above| *above == common.join("worktrees"))
}

fn is_git(common: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| is_there(&common.join(name)))
}

/// The place that stands for a store in every worktree of its repository: the main worktree's, whether it exists or not.
///
/// A `.git` file is believed only where the repository that it names lists this very worktree, in its own folder: no
/// files that somebody sent can bring that about. Anything else stands for itself.
pub(crate) fn in_main_worktree(store: &Path) -> PathBuf {
    let main = || {
        let top = store.ancestors().skip(1).find(|folder| is_there(&folder.join(".git")))?;
        let (own, common) = git_folders(top)?;
        let below = store.strip_prefix(top).ok()?;
        // A bare repository has no main worktree; its own folder is as good a name.
        let main = common.parent().filter(|_| common.ends_with(".git")).unwrap_or(&common);
        (is_worktree(&own, &common) && is_git(&common)).then(|| main.join(below))
    };
    main().unwrap_or_else(|| store.to_owned())
}
