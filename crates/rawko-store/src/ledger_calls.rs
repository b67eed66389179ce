//! When a call began: a mark that lives from before a move until after it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::atomic;
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::plain;

/// Marks of more calls than this are swept.
const MOST: usize = 256;
/// Digits of a mark's name.
const DIGITS: usize = 24;

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
        self.folder().join(&blake3::hash(call.as_bytes()).to_hex()[..DIGITS])
    }

    /// A call begins.
    pub fn began(&self, call: &str, now: Timestamp) -> Result<(), StoreError> {
        atomic::make_folder(self.layout.root(), &self.folder())?;
        let path = self.file(call);
        let mut file = plain::open(&path, OpenOptions::new().write(true).create(true).truncate(true))?;
        file.write_all(now.to_string().as_bytes()).at("write", &path)
    }

    /// A call has ended: when it began, if that was marked.
    pub fn ended(&self, call: &str, now: Timestamp) -> Option<Timestamp> {
        if !plain::is_folder_of(self.layout.root(), &self.folder()).unwrap_or(false) {
            return None;
        }
        let path = self.file(call);
        let bytes = plain::read(&path, 100).ok().flatten()?;
        let _ = fs::remove_file(&path);
        self.sweep();
        let began: Timestamp = std::str::from_utf8(&bytes).ok()?.parse().ok()?;
        (began <= now).then_some(began)
    }

    /// Calls that were refused never end: their marks go when there are many.
    fn sweep(&self) {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten().take(4 * MOST);
        let marks: Vec<PathBuf> = entries
            .filter(|entry| plain::is_hash_name(&entry.file_name(), DIGITS))
            .map(|entry| entry.path())
            .collect();
        if marks.len() > MOST {
            marks.iter().for_each(|path| drop(fs::remove_file(path)));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn now() -> Timestamp {
        Timestamp::from_second(1_800_000_000).expect("a time")
    }

    /// A store, and a folder beside it with many files, some of them named as marks are.
    fn store() -> (tempfile::TempDir, Layout, PathBuf) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join("project/.rawko"));
        layout.create().expect("a store");
        let outside = folder.path().join("outside");
        fs::create_dir_all(outside.join("calls")).expect("a folder");
        for n in 0..400 {
            fs::write(outside.join(format!("photo {n}")), "x").expect("a file");
            fs::write(outside.join("calls").join(format!("{n:024x}")), "x").expect("a file");
        }
        (folder, layout, outside)
    }

    fn count(outside: &std::path::Path) -> (usize, usize) {
        let files = |folder: &std::path::Path| fs::read_dir(folder).expect("a folder").count();
        (files(outside), files(&outside.join("calls")))
    }

    #[test]
    fn marks_behind_a_link_are_neither_written_nor_swept() {
        for (link, to) in [("cache", ""), ("cache/calls", ""), ("cache/calls", "calls")] {
            let (_folder, layout, outside) = store();
            let before = count(&outside);
            let place = layout.root().join(link);
            fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
            symlink(outside.join(to), &place).expect("a link");
            let calls = Calls::of(&layout);
            let _ = calls.began("call", now());
            assert_eq!(calls.ended("call", now()), None, "{link} to {to:?}");
            assert_eq!(count(&outside), before, "{link} to {to:?}");
        }
    }

    #[test]
    fn a_mark_that_is_a_link_is_not_written_through() {
        let (_folder, layout, outside) = store();
        let calls = Calls::of(&layout);
        fs::create_dir_all(calls.folder()).expect("a folder");
        symlink(outside.join("photo 1"), calls.file("call")).expect("a link");
        assert!(calls.began("call", now()).is_err());
        assert_eq!(fs::read(outside.join("photo 1")).expect("a file"), b"x");
    }

    #[test]
    fn only_marks_are_swept() {
        let (_folder, layout, _) = store();
        let calls = Calls::of(&layout);
        fs::create_dir_all(calls.folder()).expect("a folder");
        for n in 0..300 {
            fs::write(calls.folder().join(format!("{n:024x}")), "x").expect("a file");
        }
        fs::write(calls.folder().join("notes.txt"), "x").expect("a file");
        calls.began("call", now()).expect("a mark");
        assert_eq!(calls.ended("call", now()), Some(now()));
        let left: Vec<_> = fs::read_dir(calls.folder()).expect("a folder").flatten().collect();
        assert_eq!(left.iter().map(fs::DirEntry::file_name).collect::<Vec<_>>(), ["notes.txt"]);
    }
}
