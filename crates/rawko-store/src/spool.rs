//! The write-ahead spool: an entry is saved before it is appended, and finished by whoever comes next.
//!
//! An append to a memory is first a file in `spool/`: whole, synced, named.
//! From then on it is saved, and readers count it as part of its memory.
//! Whoever holds the lock moves it into the memory's file and then removes it.
//! A *based* part says at which length of the file its bytes begin, so a crash
//! in the middle leaves nothing to guess: what stands there is nothing, a
//! beginning, or the whole of a text that is still at hand. A record of one
//! part says in its name whose it is, so that a writer among thousands need
//! not read what all the others left.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{EntryId, SEPARATOR, Slug};
use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::error::{At, StoreError};
use crate::plain::{self, MAX_FILE};

const ENDING: &str = ".entries";
/// The ending of a record whose parts must be appended once more: a sync of their files failed.
const AGAIN: &str = ".again.entries";
/// Largest spool file that is read, in bytes.
const MAX_RECORD: u64 = 64 * 1024 * 1024;

/// One entry on its way into a memory's file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// The memory it goes to.
    pub(crate) slug: Slug,
    /// The entry's text.
    pub(crate) text: String,
    /// Where its bytes begin, once that is decided.
    pub(crate) base: Option<Base>,
    /// Append it even if the file seems to hold it: an earlier sync of that file failed.
    pub(crate) again: bool,
}

/// Where a part begins in its file, and what stands before its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Base {
    pub(crate) length: u64,
    pub(crate) prefix: String,
}

/// A spool file: its parts go into their files together.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) path: PathBuf,
    pub(crate) parts: Vec<Part>,
}

/// What waits for one memory.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) parts: Vec<Part>,
    /// Whether a record went while they were read: what it held is in its file, or in a newer record.
    pub(crate) is_old: bool,
}

/// What is in the spool.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The records, oldest first.
    pub(crate) records: Vec<Record>,
    /// Whether a record went before it was read.
    is_old: bool,
    /// Records that are none any more.
    pub(crate) damaged: Vec<PathBuf>,
    /// Records that we may not read: somebody else's saved entries, perhaps.
    pub(crate) closed: Vec<PathBuf>,
    /// What is none of ours.
    pub(crate) foreign: Vec<PathBuf>,
}

/// How a file stands to a part that is meant for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The whole part is there.
    Done,
    /// From this length on there is nothing, or a part of the part: cut short, or with zero bytes
    /// where a power cut took what was not synced.
    Unfinished(usize),
    /// The file has changed under us; the base means nothing any more.
    Foreign,
}

#[derive(Serialize, Deserialize)]
struct Header {
    rawko: u32,
    slug: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<u64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    prefix: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    again: bool,
    bytes: usize,
    hash: String,
}

impl Part {
    /// A part whose place is not decided yet.
    pub(crate) fn loose(slug: &Slug, text: &str) -> Self {
        Self { slug: slug.clone(), text: text.to_owned(), base: None, again: false }
    }

    /// The bytes that go into the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let prefix = self.base.as_ref().map_or("", |base| &base.prefix);
        [prefix.as_bytes(), self.text.as_bytes()].concat()
    }

    /// How `file` stands to this part.
    pub(crate) fn progress(&self, file: &[u8]) -> Progress {
        if let Some(base) = &self.base
            && let Some((length, there)) =
                usize::try_from(base.length).ok().and_then(|length| Some((length, file.get(length..)?)))
        {
            let bytes = self.bytes();
            if there.starts_with(&bytes) {
                return Progress::Done;
            }
            if there.iter().zip(&bytes).all(|(found, meant)| found == meant || *found == 0) {
                return Progress::Unfinished(length);
            }
        }
        let id = self.id();
        let is_there = !self.again && ids(&self.slug, file).any(|found| found == id);
        if is_there { Progress::Done } else { Progress::Foreign }
    }

    /// Whether what stands above its place is still such that it is read there: what somebody saved meanwhile
    /// may be just as long, and end in an open fence.
    pub(crate) fn fits(&self, file: &[u8]) -> bool {
        let above =
            |base: &Base| file.get(..usize::try_from(base.length).ok()?).filter(|above| !above.is_empty());
        let fits = |base: &Base| {
            above(base).is_none_or(|above| prefix(above, &self.text).as_ref() == Some(&base.prefix))
        };
        self.base.as_ref().is_none_or(fits)
    }

    /// Names its text.
    pub(crate) fn id(&self) -> EntryId {
        EntryId::of(&self.slug, &self.text)
    }

    fn write(&self, out: &mut Vec<u8>) {
        let header = Header {
            rawko: 1,
            slug: self.slug.to_string(),
            base: self.base.as_ref().map(|base| base.length),
            prefix: self.base.as_ref().map_or(String::new(), |base| base.prefix.clone()),
            again: self.again,
            bytes: self.text.len(),
            hash: hash(&self.text),
        };
        out.extend(serde_json::to_vec(&header).expect("a header of plain fields serialises"));
        out.push(b'\n');
        out.extend(self.text.as_bytes());
        out.push(b'\n');
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// The ids of a file's entries.
pub(crate) fn ids(slug: &Slug, file: &[u8]) -> impl Iterator<Item = EntryId> {
    let entries =
        std::str::from_utf8(file).map_or_else(|_| Vec::new(), |text| rawko_core::parse(text).entries);
    entries.into_iter().map(move |found| EntryId::of(slug, &found.text))
}

/// Whether a memory's file holds an entry of this text.
pub(crate) fn holds(slug: &Slug, file: &[u8], text: &str) -> bool {
    let exact = text.trim_end_matches(['\r', '\n']);
    // With one kind of line end, an entry that is there stands there letter by letter: most files need no parsing.
    let absent = |file: &str| !exact.contains('\r') && !file.contains('\r') && !file.contains(exact);
    if std::str::from_utf8(file).is_ok_and(absent) {
        return false;
    }
    let id = EntryId::of(slug, text);
    ids(slug, file).any(|found| found == id)
}

/// Saves parts in `spool`: on disk when this returns.
pub(crate) fn save(spool: &Path, parts: &[Part]) -> Result<PathBuf, StoreError> {
    let mut bytes = Vec::new();
    parts.iter().for_each(|part| part.write(&mut bytes));
    let label = match parts {
        [part] => format!("-{}-{}", label(&part.slug), part.id()),
        _ => String::new(),
    };
    let path = spool.join(format!("{}{label}{ENDING}", atomic::unique()));
    atomic::put(spool, &bytes, &path)?;
    Ok(path)
}

/// How a record's name speaks of a memory.
fn label(slug: &Slug) -> String {
    blake3::hash(slug.as_str().as_bytes()).to_hex()[..8].to_owned()
}

/// The parts that wait for one memory; with `text`, only those of this very text.
pub(crate) fn waiting(names: &[PathBuf], slug: &Slug, text: Option<&str>) -> Result<Waiting, StoreError> {
    let (label, id) = (label(slug), text.map(|text| EntryId::of(slug, text)));
    let id_label = id.map(|id| id.to_string());
    // What a name says is only a hint: where it fits, the record itself is asked.
    let fits = |path: &Path| {
        let Some(stem) = name(path).strip_suffix(ENDING) else { return false };
        let mut labels = stem.trim_end_matches(".again").split('-').skip(4);
        let (memory, entry) = (labels.next(), labels.next());
        memory.is_none_or(|memory| memory == label)
            && entry.is_none_or(|entry| id_label.as_ref().is_none_or(|id| id == entry))
    };
    let mut paths: Vec<&PathBuf> = names.iter().filter(|path| fits(path)).collect();
    paths.sort();
    let mut listing = Listing::default();
    for path in paths {
        listing.take(path.clone(), name(path).ends_with(AGAIN), text)?;
    }
    let is_old = listing.is_old;
    let parts = listing.records.into_iter().flat_map(|record| record.parts);
    let parts = parts.filter(|part| part.slug == *slug && id.is_none_or(|id| part.id() == id)).collect();
    Ok(Waiting { parts, is_old })
}

/// Marks a record: its parts are appended once more, further down, whatever their files seem to hold.
///
/// After a failed sync the file may look whole and be lost, until the machine starts anew; so the
/// mark need not outlive that, and a rename suffices, also on a disk that takes no more bytes.
pub(crate) fn mark_again(record: &Path) -> Result<(), StoreError> {
    let name = record.to_string_lossy();
    let marked = PathBuf::from(format!("{}{AGAIN}", name.strip_suffix(ENDING).unwrap_or(&name)));
    atomic::retry(|| fs::rename(record, &marked)).at("rename to", &marked)
}

/// What is in the spool.
pub(crate) fn list(spool: &Path) -> Result<Listing, StoreError> {
    let (mut listing, mut seen) = (Listing::default(), HashSet::new());
    loop {
        let fresh = names(spool)?.into_iter().filter(|path| seen.insert(path.clone())).collect();
        listing.is_old = false;
        listing.extend(fresh)?;
        if !listing.is_old {
            listing.records.sort_by(|one, other| one.path.cmp(&other.path));
            return Ok(listing);
        }
        // What a record held that went meanwhile may be in one that was saved before it went: look once more.
    }
}

impl Listing {
    fn extend(&mut self, names: Vec<PathBuf>) -> Result<(), StoreError> {
        for path in names {
            let name = name(&path);
            if name.ends_with(ENDING) {
                let again = name.ends_with(AGAIN);
                self.take(path, again, None)?;
            } else if name != "lock" && !name.starts_with(atomic::TEMPORARY) {
                self.foreign.push(path);
            }
        }
        Ok(())
    }
}

/// The files in the spool, in no order.
pub(crate) fn names(spool: &Path) -> Result<Vec<PathBuf>, StoreError> {
    if !plain::is_folder(spool)? {
        return Ok(Vec::new());
    }
    match atomic::retry(|| fs::read_dir(spool)) {
        Ok(entries) => {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().at("list", spool)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::Io { action: "list", path: spool.to_owned(), source }),
    }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

impl Listing {
    /// Reads a record; with `text`, only if that stands in it.
    fn take(&mut self, path: PathBuf, again: bool, text: Option<&str>) -> Result<(), StoreError> {
        let bytes = match plain::read(&path, MAX_RECORD) {
            Ok(None) => {
                self.is_old = true;
                return Ok(());
            }
            Ok(Some(bytes)) => bytes,
            Err(error) if matches!(error, StoreError::NotPlain { .. }) || plain::is_too_large(&error) => {
                self.damaged.push(path);
                return Ok(());
            }
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::PermissionDenied => {
                self.closed.push(path);
                return Ok(());
            }
            // A record that cannot be read now is not a record that is not there.
            Err(error) => return Err(error),
        };
        if let (Some(text), Ok(record)) = (text, std::str::from_utf8(&bytes))
            && !text.contains('\r')
            && !record.contains(text)
        {
            return Ok(());
        }
        match parse(&bytes) {
            Some(mut parts) => {
                parts.iter_mut().filter(|_| again).for_each(|part| (part.base, part.again) = (None, true));
                self.records.push(Record { path, parts });
            }
            None => self.damaged.push(path),
        }
        Ok(())
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<Part>> {
    let mut rest = bytes;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let header: Header = serde_json::from_slice(&rest[..end]).ok()?;
        let text = std::str::from_utf8(rest.get(end + 1..end + 1 + header.bytes)?).ok()?;
        if header.rawko != 1 || header.hash != hash(text) {
            return None;
        }
        let base = header.base.map(|length| Base { length, prefix: header.prefix });
        parts.push(Part {
            slug: Slug::parse(&header.slug).ok()?,
            text: text.to_owned(),
            base,
            again: header.again,
        });
        rest = rest.get(end + 1 + header.bytes + 1..)?;
    }
    Some(parts)
}

/// A memory's file without what is half written; the parts hold that whole.
pub(crate) fn without_halves<'a>(mut file: Vec<u8>, parts: impl Iterator<Item = &'a Part>) -> Vec<u8> {
    for part in parts.filter(|part| part.base.is_some()) {
        if let Progress::Unfinished(length) = part.progress(&file) {
            file.truncate(length);
        }
    }
    file
}

/// What to write where, so that `file` holds all parts whose places are still theirs.
///
/// Never changes a byte that is not zero: a part is begun, or it was torn by a power cut.
pub(crate) fn completion(file: &[u8], parts: &[&Part]) -> Option<(usize, Vec<u8>)> {
    let mut whole = file.to_vec();
    let mut start = file.len();
    for part in parts {
        if let Progress::Unfinished(length) = part.progress(&whole) {
            start = start.min(length);
            whole.truncate(length);
            whole.extend(part.bytes());
        }
    }
    if whole.starts_with(file) {
        start = file.len();
    }
    let theirs = file.iter().zip(&whole).all(|(found, meant)| found == meant || *found == 0);
    (theirs && whole.len() >= file.len() && start < whole.len()).then(|| (start, whole.split_off(start)))
}

/// Whether a file of so many bytes can take an entry and still be read.
pub(crate) fn has_room(length: u64, text: &str) -> bool {
    /// The longest [`prefix`], and some.
    const PREFIX: u64 = 32;
    length + text.len() as u64 + PREFIX <= MAX_FILE
}

/// What must stand between a file and an entry appended to it; `None` if it would not be read as one.
///
/// An empty file takes nothing: an editor may be about to fill it.
pub(crate) fn prefix(file: &[u8], text: &str) -> Option<String> {
    let existing = std::str::from_utf8(file).ok()?;
    let newline = if existing.ends_with('\n') { "" } else { "\n" };
    if rawko_core::glance(existing).is_some() && joins(PROBE, SEPARATOR, text) {
        return Some(format!("{newline}{SEPARATOR}"));
    }
    // A hand-written body may leave a code fence open, which would swallow what follows: close it.
    let closings = ["", "```\n", "~~~\n", "````\n", "~~~~\n", "`````\n"];
    let mut prefixes = closings.into_iter().map(|close| format!("{newline}{close}{SEPARATOR}"));
    prefixes.find(|prefix| joins(existing, prefix, text))
}

/// Whether `text` is read as one more entry below `existing`.
fn joins(existing: &str, prefix: &str, text: &str) -> bool {
    let entries = rawko_core::parse(existing).entries.len();
    let joined = rawko_core::parse(&format!("{existing}{prefix}{text}")).entries;
    entries > 0
        && joined.len() == entries + 1
        && joined.last().is_some_and(|found| found.text.trim_end() == text.trim_end())
}

/// The least that is an entry.
pub(crate) const PROBE: &str = "---\ntitle: probe\nwhenToUse: probe\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: probe\n---\n\nprobe\n";

#[cfg(test)]
mod tests {
    use super::*;

    /// Files as people leave them: each way to be asked must give the same answer.
    #[test]
    fn a_glance_never_promises_what_a_whole_reading_does_not_keep() {
        let more = [
            "",
            "```\ncode\n```\n",
            "```\nopen\n",
            "~~~\nopen\n```\n",
            "---\n",
            "\n---\n\n---\ntitle: cut",
            "---\ntitle: x\n---\n",
            "  ```\n---\n```\n",
            "no newline",
        ];
        for (first, second) in more.iter().flat_map(|first| more.iter().map(move |second| (first, second))) {
            let file = format!("{PROBE}{first}{SEPARATOR}{PROBE}{second}");
            let newline = if file.ends_with('\n') { "" } else { "\n" };
            let promised = rawko_core::glance(&file).is_some();
            assert!(!promised || joins(&file, &format!("{newline}{SEPARATOR}"), PROBE), "{file}");
        }
        assert!(rawko_core::glance(&format!("{PROBE}{SEPARATOR}{PROBE}")).is_some());
    }

    #[test]
    fn the_same_text_is_found_whatever_its_line_ends() {
        let slug = Slug::from_title("probe");
        let file = format!("{PROBE}{SEPARATOR}{}", PROBE.replace("low", "high"));
        for text in [PROBE.to_owned(), PROBE.trim_end().to_owned(), PROBE.replace('\n', "\r\n")] {
            assert!(
                holds(&slug, file.as_bytes(), &text)
                    && holds(&slug, file.replace('\n', "\r\n").as_bytes(), &text)
            );
        }
        assert!(!holds(&slug, file.as_bytes(), &PROBE.replace("low", "medium")));
        // The words alone, within a longer body, are another text.
        assert!(!holds(&slug, format!("{PROBE}more\n").as_bytes(), PROBE));
    }

    #[test]
    fn a_record_is_found_by_its_name_and_believed_by_its_text() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (slug, other) = (Slug::from_title("probe"), Slug::from_title("other"));
        let path = save(folder.path(), &[Part::loose(&slug, PROBE)]).expect("saved");
        let found = |slug: &Slug, text| {
            waiting(&names(folder.path()).expect("listed"), slug, text).expect("read").parts.len()
        };
        assert_eq!(
            (found(&slug, None), found(&slug, Some(PROBE)), found(&other, None), found(&slug, Some("x"))),
            (1, 1, 0, 0)
        );
        // A name that says what its record does not hold is not believed, and one that says nothing is no loss.
        fs::write(&path, "junk").expect("written");
        assert_eq!(found(&slug, Some(PROBE)), 0);
        save(folder.path(), &[Part::loose(&other, PROBE), Part::loose(&slug, PROBE)]).expect("saved");
        assert_eq!((found(&slug, None), found(&other, Some(PROBE))), (1, 1));
    }

    /// A reader lists, and opens what it listed; meanwhile what it listed is saved under another name and removed.
    #[test]
    fn a_record_that_gets_another_name_is_always_found() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let folder = tempfile::tempdir().expect("a scratch folder");
        let part = Part::loose(&Slug::from_title("probe"), PROBE);
        let mut last = save(folder.path(), &[part]).expect("saved");
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let mover = scope.spawn(|| {
                for n in 0.. {
                    let next = folder.path().join(format!("{n}{ENDING}"));
                    fs::hard_link(&last, &next).expect("another name");
                    fs::remove_file(std::mem::replace(&mut last, next)).expect("removed");
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let found = (0..20_000).all(|_| !list(folder.path()).expect("listed").records.is_empty());
            ended.store(true, Ordering::Relaxed);
            mover.join().expect("it moved");
            assert!(found, "an entry that was saved was not seen");
        });
    }
}
