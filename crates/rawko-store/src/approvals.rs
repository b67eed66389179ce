//! What is known, outside any repository, of how entries came to be.
//!
//! One text file per store in the person's own folder: a line for each entry
//! that rawko wrote (through which door) or that the person approved. A line
//! names the exact text by its hash, so changed text has no line. The file
//! only grows, the last line about a text counts, and a broken line is
//! skipped.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use jiff::Timestamp;
use rawko_core::{Channel, EntryId, Slug, Standing};

use crate::atomic;
use crate::error::{At, StoreError};
use crate::plain;

/// Ids are hashes themselves, so nothing is hashed again: every hook reads this table.
type Table = HashMap<EntryId, Standing, BuildHasherDefault<Taken>>;

/// Takes eight bytes of an id for its hash.
#[derive(Debug, Default)]
struct Taken(u64);

impl Hasher for Taken {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(eight);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The record of one store.
#[derive(Debug, Default)]
pub struct Approvals {
    /// `None`: there is no place to keep a record, so nothing is known.
    path: Option<PathBuf>,
    known: RwLock<Table>,
}

impl Approvals {
    /// A record that knows nothing and keeps nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Opens the record of the store at `root` in the person's folder.
    pub fn open(home: &Path, root: &Path) -> Result<Self, StoreError> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let path = home.join("trust").join(&name.as_str()[..32]);
        let bytes = plain::read(&path, u64::MAX)?.unwrap_or_default();
        let mut known = Table::default();
        known.reserve(bytes.len() / 60);
        // A line that is no text is no line; the others count.
        let lines = bytes.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        known.extend(lines.filter_map(read_line));
        Ok(Self { path: Some(path), known: RwLock::new(known) })
    }

    /// What is known of a text.
    pub fn standing(&self, id: &EntryId) -> Standing {
        self.known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .copied()
            .unwrap_or(Standing::Unknown)
    }

    /// Whether there is a place to keep the record.
    pub fn is_kept(&self) -> bool {
        self.path.is_some()
    }

    /// Records the person's word, to stay: on disk when this returns.
    pub fn record_for_good(
        &self,
        lines: &[(EntryId, Standing)],
        root: &Path,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.record(lines, root, now)?;
        let Some(path) = &self.path else { return Ok(()) };
        plain::open(path, OpenOptions::new().read(true))?.sync_all().at("sync", path)?;
        atomic::sync_parent(path)?;
        path.parent().map_or(Ok(()), atomic::sync_parent)
    }

    /// Records how entries came to be. Not synced: a lost line costs one question, not an entry.
    pub fn record(
        &self,
        lines: &[(EntryId, Standing)],
        root: &Path,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = String::new();
        if !path.exists() {
            let folder = path.parent().unwrap_or(Path::new("."));
            atomic::retry(|| fs::create_dir_all(folder)).at("create", folder)?;
            text.push_str(&format!(
                "# rawko: what you wrote or approved in {}\n",
                root.display().to_string().escape_debug()
            ));
        }
        let now = now.round(jiff::Unit::Second).unwrap_or(now);
        for (id, standing) in lines {
            text.push_str(&format!("{id} {} {now}\n", word(*standing)));
        }
        let mut file = plain::open(path, OpenOptions::new().read(true).append(true).create(true))?;
        if !ends_with_a_line(&mut file).at("read", path)? {
            // A power cut took the end of the last line: what follows must not be lost with it.
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes()).at("write", path)?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(lines.iter().copied());
        Ok(())
    }
}

fn ends_with_a_line(file: &mut File) -> std::io::Result<bool> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last == [b'\n'])
}

/// The id under which a settings or agent file is approved.
pub fn file_id(name: &str, bytes: &[u8]) -> EntryId {
    // A name with a colon is no slug, so a file can never stand for a memory's entry.
    let place = Slug::from_title("rawko settings");
    EntryId::of(&place, &format!("{name}:\n{}", String::from_utf8_lossy(bytes)))
}

const WORDS: [(Standing, &str); 6] = [
    (Standing::Approved, "approved"),
    (Standing::Wrote(Channel::Person), "person"),
    (Standing::Wrote(Channel::Agent), "agent"),
    (Standing::Wrote(Channel::Import), "import"),
    (Standing::Wrote(Channel::Foreign), "foreign"),
    (Standing::Unknown, "unknown"),
];

fn word(standing: Standing) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == standing).map_or("unknown", |(_, word)| word)
}

fn read_line(line: &str) -> Option<(EntryId, Standing)> {
    let mut parts = line.split(' ');
    let id = EntryId::parse(parts.next()?)?;
    let word = parts.next()?;
    let standing = WORDS.iter().find(|(_, known)| *known == word).map(|(standing, _)| *standing)?;
    Some((id, standing))
}
