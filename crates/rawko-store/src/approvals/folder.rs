//! A store's folder, known again after it was moved or renamed.
//!
//! A path says where a folder is; its device, number and time of birth say which
//! one it is. A move keeps all three, a copy or a clone none, and a number that
//! is used again has another time of birth: so no repository can bring them
//! along. A file of the person's own names the record that belongs to them.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::name_of;
use crate::error::{At, StoreError};
use crate::plain;

/// Where it is kept which record belongs to a folder.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder at `root`; `None` where the file system cannot tell it from every other.
    pub(super) fn of(trust: &Path, root: &Path) -> Option<Self> {
        let name = name_of(OsStr::new(&identity(root)?));
        Some(Self(trust.join(format!("{name}.folder"))))
    }

    /// The record of this folder, wherever it was when that began.
    pub(super) fn record(&self) -> Option<String> {
        let name = String::from_utf8(plain::read(&self.0, 64).ok()??).ok()?;
        let is_name = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then_some(name)
    }

    /// Remembers its record, unless one is known. Not synced: where it is lost, a move costs one question.
    pub(super) fn keep(&self, record: &OsStr) -> Result<(), StoreError> {
        if self.record().is_some() {
            return Ok(());
        }
        let mut file = plain::open(&self.0, OpenOptions::new().write(true).create(true).truncate(true))?;
        file.write_all(record.as_encoded_bytes()).at("write", &self.0)
    }
}

fn identity(root: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let meta = root.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    let born = meta.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    // A file system that keeps no such time may answer with the beginning of all times.
    (!born.is_zero()).then(|| format!("{}:{}:{}", meta.dev(), meta.ino(), born.as_nanos()))
}
