//! What is known, outside any repository, of how entries came to be.
//!
//! One text file per store in the person's own folder: a line for each entry
//! that rawko wrote (through which door) or that the person approved. A line
//! names the exact text by its hash, so changed text has no line. A store is
//! known by its path, one for all worktrees of its repository, or by being the
//! very folder that was known under another path (`approvals/folder.rs`). The file
//! only grows, the last line about a text counts, and a broken line is
//! skipped. A long record is kept sorted beside it (`approvals/sorted.rs`).

mod folder;
mod sorted;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use jiff::Timestamp;
use rawko_core::{Channel, EntryId, Slug, Standing};

use self::folder::Folder;
use self::sorted::{Damaged, Sorted, Stood};
use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::git::in_main_worktree;
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
    /// The folder itself, where the file system can tell it from every other.
    folder: Option<Folder>,
    /// What is sorted, of all that stood there …
    sorted: Option<Sorted>,
    /// … and what is newer, or all where nothing is sorted.
    known: RwLock<Table>,
    /// All, read when what is sorted turned out to be damaged.
    instead: OnceLock<Table>,
    /// How much of the record is known.
    read: AtomicU64,
}

/// Bytes from which on a record is worth sorting, and beyond which what is newer makes it worth it again.
const LONG: usize = 64 * 1024;

impl Approvals {
    /// A record that knows nothing and keeps nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Opens the record of the store at `root` in the person's folder.
    pub fn open(home: &Path, root: &Path) -> Result<Self, StoreError> {
        let root = in_main_worktree(&real(root));
        let trust = home.join("trust");
        let (folder, mut path) = (Folder::of(&trust, &root), trust.join(name_of(root.as_os_str())));
        if !path.exists()
            && let Some(moved) = folder.as_ref().and_then(Folder::record)
        {
            path = trust.join(moved);
        }
        // How it stands is looked at first: what comes meanwhile shows as a change.
        let stood = Stood::of(&path);
        let sorted = stood.filter(|stood| stood.size() >= LONG as u64).and_then(|_| Sorted::open(&path));
        if sorted.as_ref().is_some_and(|sorted| Some(sorted.stood) == stood) {
            let read = AtomicU64::new(stood.map_or(0, |stood| stood.size()));
            return Ok(Self { path: Some(path), folder, sorted, read, ..Self::default() });
        }
        let bytes = plain::read(&path, u64::MAX)?.unwrap_or_default();
        let mut sorted = sorted.filter(|sorted| sorted.begins(&bytes));
        let done = sorted.as_ref().map_or(0, |sorted| sorted.stood.size() as usize);
        if bytes.len() - done > LONG.max(done / 8) {
            sorted = None;
        }
        let done = if sorted.is_some() { done } else { 0 };
        let known = read_lines(&bytes[done..]);
        if sorted.is_none() && bytes.len() >= LONG {
            Sorted::keep(&path, &bytes, stood, &known);
        }
        let read = AtomicU64::new(whole_lines(&bytes));
        Ok(Self { path: Some(path), folder, sorted, known: RwLock::new(known), read, ..Self::default() })
    }

    /// Reads what other processes have recorded since: whoever has waited for its turn judges by what stands now.
    pub fn catch_up(&self) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut file = match plain::open(path, OpenOptions::new().read(true)) {
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(());
            }
            opened => opened?,
        };
        let read = self.read.load(Ordering::Relaxed);
        let start = if file.metadata().at("look at", path)?.len() < read { 0 } else { read };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start)).at("read", path)?;
        file.read_to_end(&mut bytes).at("read", path)?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(read_lines(&bytes));
        self.read.store(start + whole_lines(&bytes), Ordering::Relaxed);
        Ok(())
    }

    /// What is known of a text.
    pub fn standing(&self, id: &EntryId) -> Standing {
        let newer = self.known.read().unwrap_or_else(PoisonError::into_inner).get(id).copied();
        let sorted = || match self.sorted.as_ref()?.find(id) {
            Ok(found) => found,
            Err(Damaged) => self.instead.get_or_init(|| self.all()).get(id).copied(),
        };
        newer.or_else(sorted).unwrap_or(Standing::Unknown)
    }

    /// The texts of which anything is known; `None` where those are more than `most`, or the table of them is damaged.
    pub(crate) fn at_most(&self, most: usize) -> Option<Vec<EntryId>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let sorted = self.sorted.as_ref();
        if self.instead.get().is_some() || known.len() + sorted.map_or(0, Sorted::len) > most {
            return None;
        }
        let mut ids = sorted.map_or(Some(Vec::new()), Sorted::ids)?;
        ids.extend(known.keys());
        Some(ids)
    }

    /// The whole record, read because the table beside it is damaged; that goes, so that nobody meets it again.
    fn all(&self) -> Table {
        let Some(path) = &self.path else { return Table::default() };
        // A record that cannot be read vouches for nobody; the table stays, for whoever can read the record later.
        let Ok(Some(bytes)) = plain::read(path, u64::MAX) else { return Table::default() };
        Sorted::remove(path);
        read_lines(&bytes)
    }

    /// The record's name: one folder has the same wherever it is moved to, and so have all worktrees of its repository.
    pub fn name(&self) -> Option<&str> {
        self.path.as_ref()?.file_name()?.to_str()
    }

    /// Whether nothing was ever recorded of this store: it was cloned, copied, or moved to where it is.
    pub fn is_new(&self) -> bool {
        self.path.as_ref().is_some_and(|path| !path.exists())
    }

    /// Whether there is a place to keep the record.
    pub fn is_kept(&self) -> bool {
        self.path.is_some()
    }

    /// Proves that it can be written: without it nothing can be added. Leaves nothing behind.
    pub fn prove_writable(&self) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        if path.exists() {
            plain::open(path, OpenOptions::new().append(true))?;
        }
        // The nearest folder that is there: looking makes none.
        let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
        folder.map_or(Ok(()), |folder| Temporary::write(folder, b"rawko doctor").map(drop))
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
            text.push_str(&format!("{id} {} {now}\n", standing_word(*standing)));
        }
        let mut file = plain::open(path, OpenOptions::new().read(true).append(true).create(true))?;
        if !ends_with_a_line(&mut file).at("read", path)? {
            // A power cut took the end of the last line: what follows must not be lost with it.
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes()).at("write", path)?;
        // Where it cannot be kept, a move costs one question.
        if let Some((folder, name)) = self.folder.as_ref().zip(path.file_name()) {
            let _ = folder.keep(name);
        }
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(lines.iter().copied());
        Ok(())
    }
}

/// The path without links, also of what is not there any more.
fn real(path: &Path) -> PathBuf {
    let from = |above: &Path| Some(above.canonicalize().ok()?.join(path.strip_prefix(above).ok()?));
    let real = path.ancestors().find_map(from).unwrap_or_else(|| path.to_owned());
    real.components().collect()
}

/// The name of the record of what these bytes stand for.
fn name_of(bytes: &OsStr) -> String {
    blake3::hash(bytes.as_encoded_bytes()).to_hex()[..32].to_owned()
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

const WORDS: [(Standing, &str); 7] = [
    (Standing::Approved, "approved"),
    (Standing::Wrote(Channel::Person), "person"),
    (Standing::Wrote(Channel::Agent), "agent"),
    (Standing::Wrote(Channel::Import), "import"),
    (Standing::Wrote(Channel::Foreign), "foreign"),
    (Standing::Unknown, "unknown"),
    (Standing::Withdrawn, "withdrawn"),
];

/// The word for how a text came to be.
pub fn standing_word(standing: Standing) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == standing).map_or("unknown", |(_, word)| word)
}

/// Reads the word.
pub fn standing_of(word: &str) -> Option<Standing> {
    WORDS.iter().find(|(_, known)| *known == word).map(|(standing, _)| *standing)
}

/// Bytes up to the end of the last whole line.
fn whole_lines(bytes: &[u8]) -> u64 {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at as u64 + 1)
}

fn read_lines(bytes: &[u8]) -> Table {
    let mut known = Table::default();
    known.reserve(bytes.len() / 60);
    // A line that is no text is no line; the others count.
    let lines = bytes.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    known.extend(lines.filter_map(read_line));
    known
}

fn read_line(line: &str) -> Option<(EntryId, Standing)> {
    let mut parts = line.split(' ');
    let id = EntryId::parse(parts.next()?)?;
    let word = parts.next()?;
    Some((id, standing_of(word)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> EntryId {
        EntryId::of(&Slug::from_title("a"), &n.to_string())
    }

    /// A record of so many approvals, old enough that its time tells whether it changed.
    fn record(home: &Path, ids: std::ops::Range<usize>) -> PathBuf {
        let root = home.join("store");
        let approvals = Approvals::open(home, &root).unwrap();
        let lines: Vec<_> = ids.map(|n| (id(n), Standing::Approved)).collect();
        approvals.record(&lines, &root, Timestamp::UNIX_EPOCH).unwrap();
        let path = approvals.path.unwrap();
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
        path
    }

    fn check(home: &Path, sorted: bool, expected: impl Fn(usize) -> Standing) {
        assert_eq!(answers(home, expected).sorted.is_some(), sorted);
    }

    fn answers(home: &Path, expected: impl Fn(usize) -> Standing) -> Approvals {
        let approvals = Approvals::open(home, &home.join("store")).unwrap();
        for n in (0..3000).step_by(7).chain([2999]) {
            assert_eq!(approvals.standing(&id(n)), expected(n), "{n}");
        }
        approvals
    }

    #[test]
    fn a_long_record_is_found_sorted_and_says_the_same() {
        let home = tempfile::tempdir().unwrap();
        let known = |n: usize| if n < 2000 { Standing::Approved } else { Standing::Unknown };
        record(home.path(), 0..2000);
        check(home.path(), false, known);
        check(home.path(), true, known);
    }

    #[test]
    fn what_is_newer_than_the_sorted_record_counts_and_takes_back() {
        let home = tempfile::tempdir().unwrap();
        record(home.path(), 0..2000);
        check(home.path(), false, |n| if n < 2000 { Standing::Approved } else { Standing::Unknown });
        let approvals = Approvals::open(home.path(), &home.path().join("store")).unwrap();
        let lines = [(id(7), Standing::Unknown), (id(2999), Standing::Approved)];
        approvals.record(&lines, home.path(), Timestamp::UNIX_EPOCH).unwrap();
        let expected = |n: usize| match n {
            7 => Standing::Unknown,
            2999 => Standing::Approved,
            n if n < 2000 => Standing::Approved,
            _ => Standing::Unknown,
        };
        assert_eq!(approvals.standing(&id(7)), Standing::Unknown);
        check(home.path(), true, expected);
    }

    #[test]
    fn a_record_that_somebody_edited_is_read_anew() {
        let home = tempfile::tempdir().unwrap();
        let path = record(home.path(), 0..2000);
        check(home.path(), false, |n| if n < 2000 { Standing::Approved } else { Standing::Unknown });
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(&format!("{} approved", id(7)), &format!("{} agent   ", id(7))))
            .unwrap();
        let expected = |n: usize| match n {
            7 => Standing::Wrote(Channel::Agent),
            n if n < 2000 => Standing::Approved,
            _ => Standing::Unknown,
        };
        check(home.path(), false, expected);
    }

    #[test]
    fn a_damaged_table_grants_nothing_and_loses_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = record(home.path(), 0..2000).with_extension("sorted");
        let known = |n: usize| if n < 2000 { Standing::Approved } else { Standing::Unknown };
        let root = home.path().join("store");
        let approvals = Approvals::open(home.path(), &root).unwrap();
        approvals
            .record(
                &[(id(7), Standing::Unknown), (id(2999), Standing::Wrote(Channel::Foreign))],
                &root,
                Timestamp::UNIX_EPOCH,
            )
            .unwrap();
        record(home.path(), 0..0);
        let _ = fs::remove_file(&path);
        let expected = |n: usize| match n {
            7 => Standing::Unknown,
            2999 => Standing::Wrote(Channel::Foreign),
            n => known(n),
        };
        check(home.path(), false, expected);
        let whole = fs::read(&path).unwrap();
        let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            fs::write(&path, &bytes).unwrap();
            answers(home.path(), expected);
            assert_ne!(fs::read(&path).ok(), Some(bytes), "damage is noticed, and does not stay");
        };
        for tail in [1, 17, 4096, whole.len() / 2] {
            damaged(&|bytes| bytes.truncate(whole.len() - tail));
            damaged(&|bytes| bytes[whole.len() - tail..].fill(0));
        }
        // Every place of one line, and some of the head.
        for at in (whole.len() - 40..whole.len()).chain([0, 9, 41, 60, 16_500]) {
            damaged(&|bytes| bytes[at] ^= 1 << (at % 8));
        }
        fs::write(&path, &whole).unwrap();
        check(home.path(), true, expected);
    }
}
