//! When a call began: a mark that lives from before a move until after it.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::atomic;
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::plain;

/// Marks of more calls than this are swept.
const MOST: usize = 256;

/// The calls that are under way, in `cache/calls`.
#[derive(Debug)]
pub struct Calls {
    layout: Layout,
}

impl Calls {
    /// The calls of a store.
    pub fn of(layout: &Layout) -> Self {
        Self { layout: layout.clone() }
    }

    fn folder(&self) -> PathBuf {
        self.layout.cache().join("calls")
    }

    fn file(&self, call: &str) -> PathBuf {
        self.folder().join(&blake3::hash(call.as_bytes()).to_hex()[..24])
    }

    /// A call begins.
    pub fn began(&self, call: &str, now: Timestamp) -> Result<(), StoreError> {
        let path = self.file(call);
        let text = now.to_string();
        if std::fs::write(&path, &text).is_ok() {
            return Ok(());
        }
        atomic::make_folder(self.layout.root(), &self.folder())?;
        std::fs::write(&path, text).at("write", &path)
    }

    /// A call has ended: when it began, if that was marked.
    pub fn ended(&self, call: &str, now: Timestamp) -> Option<Timestamp> {
        let path = self.file(call);
        let bytes = plain::read(&path, 100).ok().flatten()?;
        let _ = std::fs::remove_file(&path);
        self.sweep();
        let began: Timestamp = std::str::from_utf8(&bytes).ok()?.parse().ok()?;
        (began <= now).then_some(began)
    }

    /// Calls that were refused never end: their marks go when there are many.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(self.folder()) else { return };
        let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(4 * MOST).collect();
        if paths.len() > MOST {
            paths.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }
}
