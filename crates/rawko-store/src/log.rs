//! The usage log: receipts, admissions, feedback and more, one JSON line each, a file a month, within a quota.
//!
//! The log helps to explain and to learn; nothing depends on it. A line is one
//! append, unsynced; a log that cannot be written is no reason to fail. A file
//! past its limit moves aside, and when a new one begins the oldest go, so that
//! all of them together stay within theirs.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::Value;

use crate::atomic;
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::plain;

/// A month's file that would grow past this size moves aside.
const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// When a file begins, this many times that size may lie before it.
const MOST_FILES: u64 = 2;

/// What whoever looks through the log makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is one of those that are looked for.
    Yes,
    /// It is not.
    No,
    /// It is not, and neither is any that is older.
    NoneOlder,
}

impl From<bool> for Wanted {
    fn from(wanted: bool) -> Self {
        if wanted { Self::Yes } else { Self::No }
    }
}

/// Receipts, feedback and decisions: `log/usage-YYYY-MM.jsonl`.
#[derive(Clone, Debug)]
pub struct UsageLog {
    layout: Layout,
    most: u64,
}

impl UsageLog {
    /// The log of a store.
    pub fn of(layout: &Layout) -> Self {
        Self { layout: layout.clone(), most: MOST_BYTES }
    }

    /// Appends one line.
    pub fn append(&self, line: &Value, now: Timestamp) -> Result<(), StoreError> {
        let text = line.to_string();
        debug_assert!(text.starts_with("{\"kind\":\""), "a line begins with its kind: {text}");
        let folder = self.layout.log();
        atomic::make_folder(self.layout.root(), &folder)?;
        let month = now.strftime("%Y-%m").to_string();
        let path = folder.join(format!("usage-{month}.jsonl"));
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = plain::open(&path, &mut options)?;
        let mut size = file.metadata().at("look at", &path)?.len();
        if size > 0 && size + text.len() as u64 + 2 > self.most {
            // By its name it comes after those that moved before it, and before the file that goes on.
            let aside = folder.join(format!("usage-{month}-{}.jsonl", atomic::unique()));
            or_gone(fs::rename(&path, aside)).at("move aside", &path)?;
            (file, size) = (plain::open(&path, &mut options)?, 0);
        }
        if size == 0 {
            self.make_room()?;
        }
        // A line that a crash cut must not swallow the next one.
        let mut last = [b'\n'];
        if size > 0 {
            file.read_exact_at(&mut last, size - 1).at("read", &path)?;
        }
        let torn = if last == [b'\n'] { "" } else { "\n" };
        file.write_all(format!("{torn}{text}\n").as_bytes()).at("write", &path)
    }

    /// Removes the oldest files while all of them together are too large.
    fn make_room(&self) -> Result<(), StoreError> {
        let mut kept = 0;
        for path in self.files()? {
            kept += path.symlink_metadata().map_or(0, |meta| meta.len());
            if kept > MOST_FILES * self.most {
                or_gone(atomic::retry(|| fs::remove_file(&path))).at("remove", &path)?;
            }
        }
        Ok(())
    }

    /// The newest lines of a kind that `wanted` takes, newest first, at most `most`.
    ///
    /// A line begins with its kind, so a long log costs little more than reading it; and `wanted` may end the search.
    pub fn newest<W: Into<Wanted>>(
        &self,
        kind: &str,
        most: usize,
        wanted: impl Fn(&Value) -> W,
    ) -> Result<Vec<Value>, StoreError> {
        let start = format!("{{\"kind\":\"{kind}\"");
        let mut found = Vec::new();
        for path in self.files()? {
            // One that somebody else made is not read.
            let Ok(bytes) = plain::read(&path, 2 * self.most) else { continue };
            let bytes = bytes.unwrap_or_default();
            let lines = bytes.rsplit(|&byte| byte == b'\n').filter(|line| line.starts_with(start.as_bytes()));
            // A line cut by a crash is no JSON, and no loss.
            for line in lines.filter_map(|line| serde_json::from_slice(line).ok()) {
                if found.len() == most {
                    return Ok(found);
                }
                match wanted(&line).into() {
                    Wanted::Yes => found.push(line),
                    Wanted::No => {}
                    Wanted::NoneOlder => return Ok(found),
                }
            }
        }
        Ok(found)
    }

    /// The months' files, newest first.
    fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.layout.log();
        if !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).at("list", &folder)?.flatten().map(|entry| entry.path());
        let is_usage = |path: &PathBuf| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with("usage-2") && name.ends_with(".jsonl"))
        };
        let mut files: Vec<PathBuf> = entries.filter(is_usage).collect();
        files.sort();
        files.reverse();
        Ok(files)
    }
}

/// Well done, too, where another process has done it.
fn or_gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_oldest_lines_go_when_there_are_too_many_and_the_newest_stay() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let log = UsageLog { most: 4_000, ..UsageLog::of(&layout) };
        fs::create_dir(layout.log()).expect("made");
        fs::write(layout.log().join("episodes-2025-01.jsonl"), "{}\n").expect("written");
        let size = || {
            let files = fs::read_dir(layout.log()).expect("a folder").flatten();
            files.map(|entry| entry.metadata().expect("there").len()).sum::<u64>()
        };
        let mut largest = 0;
        for n in 0..2_000_i64 {
            // A line every day: some years, and most of them in one month.
            let day = if n < 1_000 { n } else { 1_000 };
            let at = Timestamp::from_second(1_700_000_000 + day * 86_400).expect("a time");
            log.append(&json!({ "kind": "a", "n": n, "text": "x".repeat(40) }), at).expect("written");
            largest = largest.max(size());
        }
        assert!(largest < 4 * 4_000, "{largest}");
        let newest = log.newest("a", 9_999, |_| true).expect("read");
        let numbers: Vec<i64> = newest.iter().filter_map(|line| line["n"].as_i64()).collect();
        // None is missing among those that stay, and they are in order.
        let expected: Vec<i64> = (0..2_000).rev().take(numbers.len()).collect();
        assert!(numbers.len() > 60 && numbers.len() < 400, "{}", numbers.len());
        assert_eq!(numbers, expected);
        assert!(layout.log().join("episodes-2025-01.jsonl").exists());
    }

    #[test]
    fn a_search_ends_where_nothing_older_is_wanted() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let log = UsageLog::of(&layout);
        for n in 0..60_i64 {
            let at = Timestamp::from_second(1_700_000_000 + n * 86_400).expect("a time");
            log.append(&json!({ "kind": "a", "n": n }), at).expect("written");
        }
        let asked = std::cell::Cell::new(0);
        let newest = log.newest("a", 9, |line| {
            asked.set(asked.get() + 1);
            match line["n"].as_i64() {
                Some(58) => Wanted::No,
                Some(56) => Wanted::NoneOlder,
                _ => Wanted::Yes,
            }
        });
        let found: Vec<i64> = newest.expect("read").iter().filter_map(|line| line["n"].as_i64()).collect();
        assert_eq!((found, asked.get()), (vec![59, 57], 4));
        assert!(log.newest("a", 0, |_| true).expect("read").is_empty());
    }

    #[test]
    fn the_newest_line_comes_first_and_a_torn_one_is_passed_over() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let log = UsageLog::of(&layout);
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        log.append(&json!({ "kind": "a", "n": 1 }), at("2026-01-31T00:00:00Z")).expect("written");
        log.append(&json!({ "kind": "a", "n": 2 }), at("2026-02-01T00:00:00Z")).expect("written");
        log.append(&json!({ "kind": "a", "n": 3 }), at("2026-02-01T00:00:01Z")).expect("written");
        let path = layout.log().join("usage-2026-02.jsonl");
        let mut text = fs::read_to_string(&path).expect("read");
        text.push_str("{\"kind\":\"a\",\"n\": 4");
        fs::write(&path, text).expect("torn");
        let newest: Vec<i64> = log
            .newest("a", 2, |_| true)
            .expect("read")
            .iter()
            .filter_map(|line| line["n"].as_i64())
            .collect();
        assert_eq!(newest, [3, 2]);
        assert_eq!(log.newest("a", 9, |line| line["n"] == 1).expect("read").len(), 1);
        log.append(&json!({ "kind": "b", "n": 5 }), at("2026-02-01T00:00:02Z")).expect("written");
        let next = log.newest("b", 1, |_| true).expect("read");
        assert_eq!(next.len(), 1, "a torn line does not swallow the next one");
    }
}
