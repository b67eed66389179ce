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

use rawko_core::{SEPARATOR, Slug};
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::plain;

const ENDING: &str = ".entries";
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

/// How a file stands to a part that is meant for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The whole part is there.
    Done,
    /// The file ends in the part's first `n` bytes, at its base.
    Begun(usize),
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
        let Some(base) = &self.base else {
            let whole = !self.again && contains(file, self.text.trim_end().as_bytes());
            return if whole { Progress::Done } else { Progress::Foreign };
        };
        let bytes = self.bytes();
        let there = usize::try_from(base.length).ok().and_then(|length| file.get(length..));
        match there {
            Some(there) if there.starts_with(&bytes) => Progress::Done,
            Some(there) if bytes.starts_with(there) => Progress::Begun(there.len()),
            _ if contains(file, self.text.trim_end().as_bytes()) => Progress::Done,
            _ => Progress::Foreign,
        }
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

fn contains(file: &[u8], text: &[u8]) -> bool {
    !text.is_empty() && file.windows(text.len()).any(|window| window == text)
}

/// Saves parts in `spool`: on disk when this returns.
pub(crate) fn save(spool: &Path, parts: &[Part]) -> Result<PathBuf, StoreError> {
    let mut bytes = Vec::new();
    parts.iter().for_each(|part| part.write(&mut bytes));
    let path = spool.join(format!("{}{ENDING}", atomic::unique()));
    Temporary::write(spool, &bytes)?.rename(&path)?;
    Ok(path)
}

/// What is in the spool, oldest first, and the files in it that are no records.
pub(crate) fn list(spool: &Path) -> Result<(Vec<Record>, Vec<PathBuf>), StoreError> {
    if !plain::is_folder(spool)? {
        return Ok((Vec::new(), Vec::new()));
    }
    let entries = fs::read_dir(spool).at("list", spool)?;
    let mut names: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    names.retain(|path| {
        path.extension().is_some_and(|ending| format!(".{}", ending.to_string_lossy()) == ENDING)
    });
    names.sort();
    let (mut records, mut damaged) = (Vec::new(), Vec::new());
    for path in names {
        match plain::read(&path, MAX_RECORD) {
            // Gone since it was listed: its entry is in its file by now.
            Ok(None) => {}
            Ok(Some(bytes)) => match parse(&bytes) {
                Some(parts) => records.push(Record { path, parts }),
                None => damaged.push(path),
            },
            Err(_) => damaged.push(path),
        }
    }
    Ok((records, damaged))
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

/// A memory's file without what is half written, and the texts that are on their way into it.
pub(crate) fn overlay<'a>(
    mut file: Vec<u8>,
    parts: impl Iterator<Item = &'a Part>,
) -> (Vec<u8>, Vec<&'a str>) {
    let mut coming: Vec<&str> = Vec::new();
    for part in parts {
        let progress = part.progress(&file);
        if let (Progress::Begun(begun), Some(base)) = (progress, &part.base)
            && begun > 0
        {
            file.truncate(base.length as usize);
        }
        let whole = progress == Progress::Done || contains(&file, part.text.trim_end().as_bytes());
        if !whole && !coming.contains(&part.text.as_str()) {
            coming.push(&part.text);
        }
    }
    (file, coming)
}

/// What must stand between a file and an entry appended to it; `None` if it would not be read as one.
pub(crate) fn prefix(file: &[u8], text: &str) -> Option<String> {
    let existing = std::str::from_utf8(file).ok()?;
    if existing.trim_start_matches('\u{feff}').trim().is_empty() {
        return file.is_empty().then(String::new);
    }
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

/// Removes temporary files that a crash left behind; the caller holds the lock.
pub(crate) fn sweep(spool: &Path) -> Result<(), StoreError> {
    let entries = fs::read_dir(spool).at("list", spool)?;
    let leftovers =
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(atomic::TEMPORARY));
    for entry in leftovers {
        let old = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age.as_secs() > 3600));
        if old {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
