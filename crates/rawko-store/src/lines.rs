//! JSON lines that many processes append to: one write a line, and a torn one harms no other.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{At, StoreError};
use crate::plain;

/// Longest line that is written or read, in bytes: small enough for one write, large enough for what is logged.
pub(crate) const LONGEST: usize = 256 * 1024;

/// A file to append to.
pub(crate) struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = plain::open(path, OpenOptions::new().read(true).append(true).create(true))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Appends one line in one write.
    ///
    /// A crash may have left a line without its end: then this one starts on a line of its own.
    pub(crate) fn append(&mut self, line: &str) -> Result<(), StoreError> {
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if self.is_torn()? {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.file.write_all(&bytes).at("write", &self.path)
    }

    fn is_torn(&mut self) -> Result<bool, StoreError> {
        let length = self.file.metadata().at("look at", &self.path)?.len();
        if length == 0 {
            return Ok(false);
        }
        let mut last = [0];
        self.file.seek(SeekFrom::Start(length - 1)).at("read", &self.path)?;
        self.file.read_exact(&mut last).at("read", &self.path)?;
        Ok(last != *b"\n")
    }
}

/// The bytes of a file from `start`, at most `most`; empty where there is none.
pub(crate) fn read_from(path: &Path, start: u64, most: u64) -> Result<Vec<u8>, StoreError> {
    let mut file = match plain::open(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(start)).at("read", path)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).at("read", path)?;
    Ok(bytes)
}
