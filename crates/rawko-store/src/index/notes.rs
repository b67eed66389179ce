//! The change log beside the index: which memories rawko itself wrote, so that nobody has to look for them.
//!
//! Lines of text in `cache/notes`; the index remembers where the log stood
//! when it was built, and what follows is newer. Four kinds of line:
//! `w <slug>` (this memory's file was written), `l <before> <after> <folder>`
//! (that write took the folder from one time to another),
//! `f <time> <folder>` (the folder was looked through at this time, and what
//! was new in it stands above) and `b <boot>` (every file was looked at while
//! the machine ran since that start, and what was new stands below). A log that
//! is gone or not the index's own says nothing, and every file is looked at
//! instead. Only a build waits for the disk because of it: what a power cut took
//! is missed by nobody, because the machine has started anew since. Where the
//! system does not tell its starts apart, no log is relied on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rawko_core::Slug;

use crate::atomic::Temporary;
use crate::error::StoreError;
use crate::layout::Layout;
use crate::plain;

const NAME: &str = "notes";
const TITLE: &str = "rawko notes ";
/// A log of more bytes than this is replaced by the next build.
const LONG: u64 = 64 * 1024;
/// A log of more bytes than this is not read: looking at every file is cheaper.
const TOO_LONG: u64 = 4 * 1024 * 1024;

/// What a log says beyond the index.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Memories whose files are newer than the index.
    pub(super) slugs: BTreeSet<Slug>,
    /// What was said of folders' times, in order.
    folders: Vec<(String, Seen)>,
}

#[derive(Debug)]
enum Seen {
    Linked { before: i64, after: i64 },
    Looked(i64),
}

impl Notes {
    /// Takes a line in; `None` if it is none.
    fn take(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once(' ')?;
        match kind {
            "w" => {
                self.slugs.insert(Slug::parse(rest).ok()?);
            }
            "l" => {
                let mut parts = rest.splitn(3, ' ');
                let (before, after) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
                self.folders.push((parts.next()?.to_owned(), Seen::Linked { before, after }));
            }
            "f" => {
                let (time, folder) = rest.split_once(' ')?;
                self.folders.push((folder.to_owned(), Seen::Looked(time.parse().ok()?)));
            }
            _ => return None,
        }
        Some(())
    }

    /// The times at which all that is new in a folder is known, given those that the index knows.
    pub(super) fn follow(&self, known: &mut HashMap<String, HashSet<i64>>) {
        for (folder, seen) in &self.folders {
            let times = known.entry(folder.clone()).or_default();
            match seen {
                Seen::Linked { before, after } if times.contains(before) => times.insert(*after),
                Seen::Linked { .. } => false,
                Seen::Looked(at) => times.insert(*at),
            };
        }
    }
}

/// Makes sure that there is a log of moderate length, of this start of the machine; gives its id and where it stands.
pub(super) fn begin(cache: &Path) -> Result<(u64, u64), StoreError> {
    let path = cache.join(NAME);
    let boot = boot();
    if let Ok(Some(bytes)) = plain::read(&path, LONG)
        && let Some(id) = id_of(&bytes)
        && is_since(&bytes, boot.as_deref())
        // The index is synced, and must not know of more than the log has after a power cut.
        && plain::open(&path, OpenOptions::new().read(true)).is_ok_and(|log| log.sync_all().is_ok())
    {
        return Ok((id, bytes.len() as u64));
    }
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), crate::atomic::unique());
    let start = boot.map(|boot| format!("b {boot}\n")).unwrap_or_default();
    let title = format!("{TITLE}{random:016x}\n{start}");
    Temporary::write(cache, title.as_bytes())?.rename(&path)?;
    Ok((random, title.len() as u64))
}

fn id_of(bytes: &[u8]) -> Option<u64> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    u64::from_str_radix(std::str::from_utf8(line).ok()?.strip_prefix(TITLE)?, 16).ok()
}

/// Which start of the machine this is, where the system tells.
fn boot() -> Option<String> {
    let told = told_boot()?.trim().to_owned();
    (!told.is_empty()).then_some(told)
}

#[cfg(not(target_os = "macos"))]
fn told_boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

#[cfg(target_os = "macos")]
#[expect(
    unsafe_code,
    reason = "the standard library cannot ask for it, and a program that can costs more than it saves"
)]
fn told_boot() -> Option<String> {
    // A UUID as text, and the zero behind it.
    let mut text = [0_u8; 64];
    let mut length = text.len();
    let (name, to) = (c"kern.bootsessionuuid".as_ptr(), text.as_mut_ptr().cast());
    // SAFETY: the name ends with a zero, and the system writes at most `length` bytes, which `text` has.
    let failed = unsafe { libc::sysctlbyname(name, to, &mut length, std::ptr::null_mut(), 0) };
    let text = text.get(..length).filter(|_| failed == 0)?;
    std::str::from_utf8(text).ok().map(|text| text.trim_end_matches('\0').to_owned())
}

/// Whether a log has lost nothing since it was last sure: the machine has not started anew, as far as is known.
fn is_since(log: &[u8], boot: Option<&str>) -> bool {
    let newest = log.rsplit(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"b "));
    boot.is_some_and(|boot| newest == Some(boot.as_bytes()))
}

/// What the log `id` says from `offset` on; `None` if it cannot be relied on.
pub(super) fn read(cache: &Path, (id, offset): (u64, u64)) -> Option<Notes> {
    let bytes = plain::read(&cache.join(NAME), TOO_LONG).ok()??;
    if id_of(&bytes) != Some(id) || !is_since(&bytes, boot().as_deref()) {
        return None;
    }
    let (mut notes, mut is_whole) = (Notes::default(), true);
    let text = String::from_utf8_lossy(bytes.get(usize::try_from(offset).ok()?..)?);
    for line in text.lines().filter(|line| !line.is_empty()) {
        // What a damaged line said was found again by whoever looked at every file after it.
        is_whole = line.starts_with("b ") || notes.take(line).is_some() && is_whole;
    }
    is_whole.then_some(notes)
}

/// Notes what somebody found by looking at files, so that the next one need not. Best effort.
///
/// It `begins_anew` if the log could not be relied on, and every file was looked at instead. A log that ends before
/// `offset`, where the index takes it up, is gone for good: what is written there would never be read.
pub(super) fn add(
    cache: &Path,
    (id, offset): (u64, u64),
    slugs: &[&Slug],
    folders: &[(&str, i64)],
    begins_anew: bool,
) {
    let mut text = String::new();
    if begins_anew {
        // Without a start to tell it by, the next one could not rely on it either.
        let Some(boot) = boot() else { return };
        text = format!("b {boot}\n");
    }
    slugs.iter().for_each(|slug| text.push_str(&format!("w {slug}\n")));
    folders.iter().for_each(|(folder, time)| text.push_str(&format!("f {time} {folder}\n")));
    if !text.is_empty() {
        append(&cache.join(NAME), &text, Some((id, offset)));
    }
}

/// Appends lines to the log, if there is one; again if another log took its place meanwhile. With `known`, the
/// index's log and its length then, it must be that one, and a shorter one is removed.
fn append(path: &Path, text: &str, known: Option<(u64, u64)>) {
    // On a line of its own, also where the one above was cut off.
    let text = format!("\n{text}");
    for _ in 0..8 {
        let Ok(file) = plain::open(path, OpenOptions::new().append(true).read(true)) else { return };
        let Ok(length) = file.metadata().map(|meta| meta.len()) else { return };
        if length > TOO_LONG || known.is_some_and(|(id, _)| first_line(&file) != Some(id)) {
            return;
        }
        if known.is_some_and(|(_, offset)| length < offset) {
            let _ = fs::remove_file(path);
            return;
        }
        if (&file).write_all(text.as_bytes()).is_err() {
            // What is missing in it would be missed by nobody, and half a line spoils the next: without a log,
            // every file is looked at.
            let _ = fs::remove_file(path);
            return;
        }
        let still = file.metadata().ok().zip(path.symlink_metadata().ok());
        if still.is_none_or(|(ours, named)| plain::same_file(&ours, &named)) {
            return;
        }
    }
}

fn first_line(mut file: &File) -> Option<u64> {
    let mut bytes = [0; TITLE.len() + 17];
    std::io::Read::read_exact(&mut file, &mut bytes).ok()?;
    id_of(&bytes)
}

/// A write that is about to happen, and will be noted; nothing if there is no index to tell.
pub(crate) struct Note(Option<Write>);

struct Write {
    log: PathBuf,
    folder: PathBuf,
    slug: Slug,
    before: i64,
}

impl Note {
    /// Looks at the folder before a memory's file is written.
    pub(crate) fn before(layout: &Layout, slug: &Slug) -> Self {
        let log = layout.cache().join(NAME);
        let path = layout.memory(slug);
        let folder = path.parent().filter(|_| log.symlink_metadata().is_ok());
        Self(folder.map(|folder| Write {
            log,
            folder: folder.to_owned(),
            slug: slug.clone(),
            before: folder_time(folder),
        }))
    }

    /// Tells the index that the file was written. It costs a look at every file if this fails.
    pub(crate) fn written(self) {
        let Some(Write { log, folder, slug, before }) = self.0 else { return };
        let after = folder_time(&folder);
        let below = slug.as_str().rsplit_once('/').map_or("", |(below, _)| below);
        let mut text = format!("w {slug}\n");
        if after != before {
            text.push_str(&format!("l {before} {after} {below}\n"));
        }
        append(&log, &text, None);
    }
}

/// When a folder last changed, in nanoseconds since 1970; 0 if it is not there.
pub(crate) fn folder_time(folder: &Path) -> i64 {
    fs::symlink_metadata(folder)
        .ok()
        .filter(|meta| meta.is_dir())
        .map_or(0, |meta| super::stamp::nanos(&meta))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_index_is_read_and_foreign_logs_are_not() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (id, start) = begin(folder.path()).expect("a log");
        let slug = Slug::parse("deep/er/name").expect("a slug");
        add(folder.path(), (id, start), &[&slug], &[("deep/er", 7)], false);
        let notes = read(folder.path(), (id, start)).expect("our log");
        assert!(notes.slugs.contains(&slug));
        let mut known = HashMap::new();
        notes.follow(&mut known);
        assert!(known["deep/er"].contains(&7));
        assert!(read(folder.path(), (id ^ 1, start)).is_none());
        assert!(read(folder.path(), (id, start + 1000)).is_none());
        assert_eq!(begin(folder.path()).expect("the same log").0, id);
    }

    #[test]
    fn a_log_that_lost_something_is_sure_again_once_every_file_was_looked_at() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (id, start) = begin(folder.path()).expect("a log");
        let names = ["one", "two", "three"].map(|name| Slug::parse(name).expect("a slug"));
        let told = || read(folder.path(), (id, start)).map(|notes| notes.slugs.len());
        add(folder.path(), (id, start), &[&names[0]], &[], false);
        append(&folder.path().join(NAME), "l 12", Some((id, start)));
        add(folder.path(), (id, start), &[&names[2]], &[], false);
        assert_eq!(told(), None, "a line was cut off");
        add(folder.path(), (id, start), &[&names[1]], &[], true);
        assert_eq!(told(), Some(3), "what was noted below the damaged line stands on lines of its own");
        let log = fs::read_to_string(folder.path().join(NAME)).expect("text");
        fs::write(folder.path().join(NAME), log.replace(&boot().expect("a start"), "earlier"))
            .expect("written");
        assert_eq!(told(), None, "the machine has started anew");
        assert_ne!(begin(folder.path()).expect("another log").0, id);
    }

    #[test]
    fn no_log_is_sure_where_the_start_of_the_machine_is_not_known() {
        for log in
            ["rawko notes 0\n", "rawko notes 0\nb unknown\n", "rawko notes 0\nb \n", "rawko notes 0\nb 7\n"]
        {
            assert!(!is_since(log.as_bytes(), None), "{log}");
        }
        assert!(is_since(b"rawko notes 0\nb 6\nb 7\n", Some("7")));
        assert!(!is_since(b"rawko notes 0\nb 7\nb 6\n", Some("7")));
    }

    #[test]
    fn a_log_that_a_power_cut_left_shorter_than_the_index_knows_is_never_sure_again() {
        let names = ["one", "two", "three"].map(|name| Slug::parse(name).expect("a slug"));
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let log = scratch.path().join(NAME);
        let (id, start) = begin(scratch.path()).expect("a log");
        add(scratch.path(), (id, start), &[&names[0], &names[1], &names[2]], &[("deep", 7)], false);
        let whole = fs::read(&log).expect("a log");
        let (_, offset) = begin(scratch.path()).expect("the same log");
        assert_eq!(offset, whole.len() as u64);
        for length in 0..whole.len() {
            fs::write(&log, &whole[..length]).expect("as the cut left it");
            for name in &names {
                add(scratch.path(), (id, offset), &[name], &[], true);
            }
            assert!(read(scratch.path(), (id, offset)).is_none(), "cut to {length} of {offset} bytes");
        }
    }
}
