//! Why a store could not do what was asked.

use std::io;
use std::path::{Path, PathBuf};

use rawko_core::{Slug, SlugError, Status};

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No store here, nor above.
    #[error("there is no store (a `.rawko` folder) in {} or above it", .0.display())]
    NoStore(PathBuf),
    /// No memory of this name.
    #[error("no memory is named `{0}`")]
    Missing(Slug),
    /// No name is left for a new memory of this title.
    #[error("every name for this title is taken, from `{first}` to `{last}`")]
    NoName {
        /// The name that the title makes.
        first: Slug,
        /// The last that was tried.
        last: Slug,
    },
    /// What a memory says has not been approved.
    #[error("`{0}` has not been approved, or says something else than what was shown")]
    Unapproved(Slug),
    /// An action is no longer the last, so that another would be taken back than the person said.
    #[error("{0} is no longer the last action, and nothing was taken back")]
    NotLast(String),
    /// A memory is no longer in use, and nothing can be put in its care.
    #[error("`{}` is {} itself, so that neither of the two would reach an agent", .0, .1.as_str())]
    OutOfUse(Slug, Status),
    /// A memory's file is damaged so that an appended entry would not be read.
    #[error("{} is damaged, and an entry appended to it would not be read", .0.display())]
    Damaged(PathBuf),
    /// A name that cannot be a path below `memories/`.
    #[error("`{name}` is no name for a memory")]
    BadName {
        /// The name as given.
        name: String,
        /// Why not.
        source: SlugError,
    },
    /// The store was made by a newer rawko.
    #[error("{} has format {found}, and this rawko reads up to {known}", path.display())]
    TooNew {
        /// The file that says so.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// Another process holds the store's lock.
    #[error("another process has held {} for {milliseconds} ms", lock.display())]
    Busy {
        /// The lock file.
        lock: PathBuf,
        /// How long we waited.
        milliseconds: u64,
    },
    /// Something that must be a plain folder or file is a link or a device.
    #[error("{} is {kind}, and rawko follows none", path.display())]
    NotPlain {
        /// What was found.
        path: PathBuf,
        /// A word for what it is.
        kind: &'static str,
    },
    /// A text that no file of its kind takes.
    #[error("a text of {bytes} bytes is too long for {}, which takes {most}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The text's length.
        bytes: usize,
        /// The longest that is taken.
        most: usize,
    },
    /// A session could not do what was asked.
    #[error(transparent)]
    Session(#[from] crate::sessions::SessionError),
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Gives an I/O error its place.
pub(crate) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io { action, path: path.to_owned(), source })
    }
}
