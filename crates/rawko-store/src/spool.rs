//! Saved before it is appended, finished by whoever comes next.
//!
//! An append to a memory is first a file in `spool/`: whole, synced, named.
//! From then on it is saved, and readers count it as part of its memory.
//! Whoever holds the lock moves it into the memory's file and then removes it.
//! A *based* part says at which length of the file its bytes begin, so a crash
//! in the middle leaves nothing to guess: what stands there is nothing, a
//! beginning, or the whole of a text that is still at hand.

use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{EntryId, SEPARATOR, Slug};
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::plain;

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

/// What is in the spool.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The records, oldest first.
    pub(crate) records: Vec<Record>,
    /// Records that cannot be read.
    pub(crate) damaged: Vec<PathBuf>,
    /// Temporary files, in use or left behind.
    pub(crate) temporaries: Vec<PathBuf>,
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

/// Saves parts in `spool`: on disk when this returns.
pub(crate) fn save(spool: &Path, parts: &[Part]) -> Result<PathBuf, StoreError> {
    let mut bytes = Vec::new();
    parts.iter().for_each(|part| part.write(&mut bytes));
    let path = spool.join(format!("{}{ENDING}", atomic::unique()));
    Temporary::write(spool, &bytes)?.rename(&path)?;
    Ok(path)
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
    if !plain::is_folder(spool)? {
        return Ok(Listing::default());
    }
    let mut names: Vec<PathBuf> = match atomic::retry(|| fs::read_dir(spool)) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .at("list", spool)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Listing::default()),
        Err(source) => return Err(StoreError::Io { action: "list", path: spool.to_owned(), source }),
    };
    names.sort();
    let mut listing = Listing::default();
    for path in names {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if name.starts_with(atomic::TEMPORARY) {
            listing.temporaries.push(path);
        } else if name.ends_with(ENDING) {
            listing.take(path, name.ends_with(AGAIN))?;
        }
    }
    Ok(listing)
}

impl Listing {
    fn take(&mut self, path: PathBuf, again: bool) -> Result<(), StoreError> {
        let bytes = match plain::read(&path, MAX_RECORD) {
            // Gone since it was listed: its entry is in its file by now.
            Ok(None) => return Ok(()),
            Ok(Some(bytes)) => bytes,
            Err(StoreError::NotPlain { .. }) => {
                self.damaged.push(path);
                return Ok(());
            }
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::PermissionDenied => {
                self.damaged.push(path);
                return Ok(());
            }
            // A record that cannot be read now is not a record that is not there.
            Err(error) => return Err(error),
        };
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

/// What must stand between a file and an entry appended to it; `None` if it would not be read as one.
///
/// An empty file takes nothing: an editor may be about to fill it.
pub(crate) fn prefix(file: &[u8], text: &str) -> Option<String> {
    let existing = std::str::from_utf8(file).ok()?;
    let entries = rawko_core::parse(existing).entries.len();
    let newline = if existing.ends_with('\n') { "" } else { "\n" };
    // A hand-written body may leave a code fence open, which would swallow what follows: close it.
    ["", "```\n", "~~~\n", "````\n", "~~~~\n", "`````\n"].iter().find_map(|close| {
        let prefix = format!("{newline}{close}{SEPARATOR}");
        let thread = rawko_core::parse(&format!("{existing}{prefix}{text}"));
        let joined = entries > 0
            && thread.entries.len() == entries + 1
            && thread.entries.last().is_some_and(|found| found.text.trim_end() == text.trim_end());
        joined.then_some(prefix)
    })
}
