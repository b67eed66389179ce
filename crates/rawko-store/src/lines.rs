//! JSON lines that many processes append to: one write a line, and a torn one harms no other.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::atomic;
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

    /// Appends to a file that is open already.
    pub(crate) fn on(path: &Path, file: File) -> Self {
        Self { path: path.to_owned(), file }
    }

    /// Makes what was appended last.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().at("sync", &self.path)
    }

    /// Appends one line in one write; one that is too long is refused, and nothing of it written.
    ///
    /// A crash may have left a line without its end: then this one starts on a line of its own.
    /// A line that another process is just writing looks the same: then there is an empty line, which is nothing.
    pub(crate) fn append(&mut self, line: &str) -> Result<(), StoreError> {
        if line.len() > LONGEST {
            return Err(StoreError::TooLong { path: self.path.clone(), bytes: line.len(), most: LONGEST });
        }
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if self.is_torn()? {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        // Never the rest in a second write: somebody else's line could stand between the two.
        let written = atomic::retry(|| self.file.write(&bytes)).at("write", &self.path)?;
        if written == bytes.len() {
            return Ok(());
        }
        let source = io::Error::new(io::ErrorKind::StorageFull, "there was room for a part of the line only");
        Err(StoreError::Io { action: "write", path: self.path.clone(), source })
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

/// The line that starts at `start`, and no more of the file than a small buffer holds besides.
pub(crate) fn read_at(path: &Path, start: u64) -> Result<Vec<u8>, StoreError> {
    let mut file = plain::open(path, OpenOptions::new().read(true))?;
    file.seek(SeekFrom::Start(start)).at("read", path)?;
    let mut line = Vec::new();
    BufReader::new(file).take(LONGEST as u64).read_until(b'\n', &mut line).at("read", path)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_behind_a_torn_one_stands_alone_and_one_too_long_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, "{\"torn").expect("written");
        let mut lines = Lines::open(&path).expect("open");
        lines.append("{}").expect("appended");
        lines.append("{}").expect("appended");
        let refused = lines.append(&"x".repeat(LONGEST + 1));
        assert!(matches!(refused, Err(StoreError::TooLong { bytes, .. }) if bytes == LONGEST + 1));
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"torn\n{}\n{}\n");
    }
}
