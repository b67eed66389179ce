//! Older episodes out of the way, into an archive that gives them back.
//!
//! The order makes a crash harmless: the archive is whole and synced before
//! the first live line goes, and the file that holds the summary is replaced
//! before older files are removed. In between, lines are in two places, never in
//! none; taking the archive back passes over what is still live.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rawko_core::{MemoryEntry, Redactor, episode_line, read_episode};
use serde_json::{Value, json};

use crate::atomic::{self, Temporary};
use crate::episodes::{Episodes, each_piece, is_month, size};
use crate::error::{At, StoreError};
use crate::lines;
use crate::lock::Lock;
use crate::plain;

/// Older episodes that whoever sums up gets to read: the newest of them.
const SAMPLE: usize = 200;
/// How long somebody else who compacts is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest first line of an archive that is read: a tombstone names what it took.
const MOST_HEAD: u64 = 16 * 1024 * 1024;

/// What was taken out of the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// How many episodes.
    pub entries: usize,
    /// The archive that has them.
    pub archive: PathBuf,
    /// The summary that stands in their place.
    pub summary: Option<MemoryEntry>,
}

/// An archive, newest first in lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// Its file.
    pub path: PathBuf,
    /// What it says of itself: `archive` (compacted, cleared), `layer`, `at`, `entries`.
    pub head: Value,
}

/// The part of a file that goes.
struct Part {
    path: PathBuf,
    end: u64,
    /// Whether the file ends there.
    whole: bool,
}

impl Episodes {
    /// Takes all but the newest `keep` episodes out of the way; `sum_up` gets how many and the newest of them,
    /// oldest first, and gives the text that stands in their place, or none.
    pub fn take_out(
        &self,
        keep: usize,
        why: &str,
        now: Timestamp,
        sum_up: &mut dyn FnMut(usize, &[MemoryEntry]) -> Option<String>,
    ) -> Result<Option<Taken>, StoreError> {
        let _one = self.compacting()?;
        let Some((parts, entries)) = self.parts(keep)? else { return Ok(None) };
        let text = sum_up(entries, &sample(&parts)?);
        let summary = text.map(|text| self.summary(&text, entries, now));
        let head = json!({ "archive": why, "layer": "episodic", "at": now.to_string(), "entries": entries,
            "summary": summary.as_ref().map(|summary| &summary.id) });
        let archive = self.archive(&head, &parts, now)?;
        let line = summary.as_ref().map(|entry| episode_line(entry, &Redactor::default()));
        let (last, older) = parts.split_last().expect("something goes");
        self.cut(last, line.as_deref())?;
        older.iter().try_for_each(|part| self.cut(part, None))?;
        atomic::sync_folder(&self.layout.log())?;
        Ok(Some(Taken { entries, archive, summary }))
    }

    /// Keeps a tombstone of what is taken out of use elsewhere.
    pub fn entomb(&self, head: &Value, now: Timestamp) -> Result<PathBuf, StoreError> {
        self.archive(head, &[], now)
    }

    fn compacting(&self) -> Result<Lock, StoreError> {
        self.layout.create()?;
        atomic::make_folder(self.layout.root(), &self.layout.log())?;
        Lock::take(&self.layout.log().join("episodes.lock"), PATIENCE)
    }

    fn summary(&self, text: &str, entries: usize, now: Timestamp) -> MemoryEntry {
        let entry = MemoryEntry::new(text).with("kind", "summary").with("entries", entries);
        MemoryEntry { id: format!("summary-{}", atomic::unique()), timestamp: now.as_millisecond(), ..entry }
    }

    /// The beginnings of files that hold all but the newest `keep` episodes, oldest first, and how many they hold.
    fn parts(&self, keep: usize) -> Result<Option<(Vec<Part>, usize)>, StoreError> {
        let mut files = Vec::new();
        for path in self.files()? {
            let (length, mut count) = (size(&path), 0);
            each_line(&path, length, |_, _| count += 1)?;
            files.push((path, length, count));
        }
        let all: usize = files.iter().map(|(_, _, count)| count).sum();
        let goes = all.saturating_sub(keep);
        let (mut left, mut parts) = (goes, Vec::new());
        for (path, length, count) in files {
            if left == 0 {
                break;
            }
            let mut end = length;
            if left < count {
                let mut seen = 0;
                each_line(&path, length, |at, line| {
                    seen += 1;
                    if seen == left {
                        end = at + line.len() as u64;
                    }
                })?;
            }
            left = left.saturating_sub(count);
            parts.push(Part { whole: end == length, path, end });
        }
        Ok((goes > 0 && !parts.is_empty()).then_some((parts, goes)))
    }

    /// Writes the archive: what it is, then each file's name and lines, byte for byte.
    fn archive(&self, head: &Value, parts: &[Part], now: Timestamp) -> Result<PathBuf, StoreError> {
        let folder = self.layout.log().join("archive");
        atomic::make_folder(self.layout.root(), &folder)?;
        let temporary = Temporary::new(&folder)?;
        let mut file = temporary.handle()?;
        let name = format!("{}-{}.jsonl", now.strftime("%Y%m%d-%H%M%S"), atomic::unique());
        let to = folder.join(name);
        writeln!(file, "{head}").at("write", &to)?;
        for part in parts {
            let name = part.path.file_name().unwrap_or_default().to_string_lossy();
            writeln!(file, "{}", json!({ "file": name })).at("write", &to)?;
            each_piece(&part.path, (0, part.end), |_, bytes| {
                file.write_all(bytes).at("write", &to)?;
                if bytes.ends_with(b"\n") { Ok(()) } else { file.write_all(b"\n").at("write", &to) }
            })?;
        }
        file.sync_all().at("sync", &to)?;
        temporary.link(&to)?;
        Ok(to)
    }

    /// Puts what is behind the part, after `line`, in the place of the file.
    fn cut(&self, part: &Part, line: Option<&str>) -> Result<(), StoreError> {
        let mut file = plain::open(&part.path, OpenOptions::new().read(true))?;
        // Where the file system has no locks this is as good as it gets.
        let _ = file.lock();
        let length = file.metadata().at("look at", &part.path)?.len();
        if part.whole && length == part.end && line.is_none() {
            return fs::remove_file(&part.path).at("remove", &part.path);
        }
        file.seek(SeekFrom::Start(part.end)).at("read", &part.path)?;
        self.replace(&part.path, |new| {
            if let Some(line) = line {
                writeln!(new, "{line}").at("write", &part.path)?;
            }
            std::io::copy(&mut file, new).at("write", &part.path).map(drop)
        })
    }

    fn replace(
        &self,
        path: &Path,
        write: impl FnOnce(&mut File) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let temporary = Temporary::new(&self.layout.log())?;
        let mut new = temporary.handle()?;
        write(&mut new)?;
        new.sync_all().at("sync", path)?;
        temporary.rename(path)
    }

    /// The archives that were not taken back, newest first.
    pub fn archives(&self) -> Result<Vec<Archive>, StoreError> {
        let folder = self.layout.log().join("archive");
        if !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).at("list", &folder)?.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
        paths.sort();
        paths.reverse();
        let head = |path: PathBuf| {
            let file = plain::open(&path, OpenOptions::new().read(true)).ok()?;
            let mut line = String::new();
            BufReader::new(file).take(MOST_HEAD).read_line(&mut line).ok()?;
            Some(Archive { head: serde_json::from_str(&line).ok()?, path })
        };
        Ok(paths.into_iter().filter_map(head).collect())
    }

    /// The names of all episodes, of those in archives too.
    pub fn names(&self) -> Result<HashSet<String>, StoreError> {
        let mut names = HashSet::new();
        let archives = self.archives()?.into_iter().map(|archive| archive.path);
        for path in self.files()?.into_iter().chain(archives) {
            each_line(&path, size(&path), |_, line| names.extend(read_episode(line).map(|entry| entry.id)))?;
        }
        Ok(names)
    }

    /// Puts an archive's episodes back where they were, and takes its summary out again; gives how many came back.
    pub fn take_back(&self, archive: &Archive) -> Result<usize, StoreError> {
        let _one = self.compacting()?;
        let summary = archive.head["summary"].as_str().unwrap_or_default();
        let mut back = 0;
        for (name, start, end) in sections(&archive.path)? {
            let path = self.layout.log().join(&name);
            if is_month(&name) {
                back += self.put_back(&archive.path, (start, end), &path, summary)?;
            }
        }
        let undone = archive.path.with_extension("undone");
        fs::rename(&archive.path, &undone).at("rename to", &undone)?;
        atomic::sync_parent(&undone)?;
        Ok(back)
    }

    fn put_back(
        &self,
        archive: &Path,
        (start, end): (u64, u64),
        path: &Path,
        summary: &str,
    ) -> Result<usize, StoreError> {
        // Made where it is not there: whoever writes meanwhile then waits for this file, and sees that it was replaced.
        let held = plain::open(path, OpenOptions::new().append(true).create(true))?;
        let _ = held.lock();
        let mut live = HashSet::new();
        each_line(path, size(path), |_, line| live.extend(read_episode(line).map(|entry| entry.id)))?;
        let mut back = 0;
        self.replace(path, |new| {
            let mut failed = Ok(());
            each_line_of(archive, (start, end), |_, line| {
                let is_live = read_episode(line).is_some_and(|entry| live.contains(&entry.id));
                if !is_live && failed.is_ok() {
                    back += 1;
                    failed = new.write_all(line).at("write", path);
                }
            })?;
            each_line(path, size(path), |_, line| {
                let is_summary = read_episode(line).is_some_and(|entry| entry.id == summary);
                if !is_summary && failed.is_ok() {
                    failed = new.write_all(line).at("write", path);
                }
            })?;
            failed
        })?;
        Ok(back)
    }
}

/// The files in an archive: name, and where its lines start and end.
fn sections(archive: &Path) -> Result<Vec<(String, u64, u64)>, StoreError> {
    let length = size(archive);
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    each_line(archive, length, |at, line| {
        let is_mark = line.starts_with(b"{\"file\":") && line.len() < 200;
        let mark = is_mark.then(|| serde_json::from_slice::<Value>(line).ok()).flatten();
        if let Some(name) = mark.as_ref().and_then(|mark| mark["file"].as_str()) {
            found.iter_mut().rev().take(1).for_each(|last| last.2 = at);
            found.push((name.to_owned(), at + line.len() as u64, length));
        }
    })?;
    Ok(found)
}

/// The newest episodes of the parts, oldest first.
fn sample(parts: &[Part]) -> Result<Vec<MemoryEntry>, StoreError> {
    let mut newest = std::collections::VecDeque::new();
    for part in parts {
        each_line(&part.path, part.end, |_, line| {
            if newest.len() == SAMPLE {
                newest.pop_front();
            }
            newest.push_back(line.to_vec());
        })?;
    }
    Ok(newest.iter().filter_map(|line| read_episode(line)).collect())
}

/// Every line up to `end` that says something, with its offset.
fn each_line(path: &Path, end: u64, each: impl FnMut(u64, &[u8])) -> Result<(), StoreError> {
    each_line_of(path, (0, end), each)
}

fn each_line_of(path: &Path, span: (u64, u64), mut each: impl FnMut(u64, &[u8])) -> Result<(), StoreError> {
    each_piece(path, span, |mut at, bytes| {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if line.len() > 1 && line.len() <= lines::LONGEST + 1 {
                each(at, line);
            }
            at += line.len() as u64;
        }
        Ok(())
    })
}
