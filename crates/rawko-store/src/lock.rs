//! One writer among processes.
//!
//! The lock is the operating system's, on an open file: it goes when its
//! holder goes, however it ends, so there is nothing to clean up and nobody to
//! ask. A reader never takes it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{At, StoreError};
use crate::plain;

/// The store's lock, held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock if it is free.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>, StoreError> {
        loop {
            // Opened before it is created: creating makes every writer of the folder wait for its turn.
            let options = || OpenOptions::new().read(true).write(true).to_owned();
            let file = match plain::open(path, &mut options()) {
                Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    plain::open(path, options().create(true))?
                }
                opened => opened?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(source)) if source.kind() == io::ErrorKind::Interrupted => continue,
                Err(TryLockError::Error(source)) => {
                    return Err(StoreError::Io { action: "lock", path: path.to_owned(), source });
                }
            }
            // Somebody may have deleted the file between opening and locking: then this lock guards nothing.
            let held = file.metadata().at("look at", path)?;
            if path.symlink_metadata().is_ok_and(|named| plain::same_file(&held, &named)) {
                return Ok(Some(Self { _file: file }));
            }
        }
    }

    /// Takes the lock, waiting up to `limit` for its holder.
    pub(crate) fn take(path: &Path, limit: Duration) -> Result<Self, StoreError> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
            if start.elapsed() >= limit {
                return Err(StoreError::Busy {
                    lock: PathBuf::from(path),
                    milliseconds: limit.as_millis() as u64,
                });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}
