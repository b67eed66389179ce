//! What happened, one JSON line each, a file a month: the episodic layer.
//!
//! An episode is on disk before its writer goes on: one append, one sync. Files
//! are never read to be opened. A reader comes from the end, in pieces; one
//! that looks for words asks a small derived index which pieces may hold them,
//! reads the most promising within a limit, and says what it left unread.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rawko_core::{MemoryEntry, Redactor, Term, episode_line, read_episode};

use crate::atomic;
use crate::episodes_index::{self, Piece};
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::lines::{self, Lines};
use crate::plain;

/// Bytes that a search reads at most, besides the index; the index does not help to find a part of a word.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
const MOST_BYTES_FOR_PARTS: u64 = 32 * 1024 * 1024;
/// How long a writer waits for somebody who compacts.
const PATIENCE: Duration = Duration::from_millis(250);

/// The episodes of a store.
pub struct Episodes {
    pub(crate) layout: Layout,
    redactor: std::cell::OnceCell<Redactor>,
}

/// What a search looks for.
#[derive(Clone, Copy, Debug)]
pub enum Sought<'a> {
    /// Whole words, in any form: a piece that has none of them is passed over.
    Words(&'a [Term]),
    /// Parts of words, such as these words: every piece may hold them.
    Parts(&'a [Term]),
}

/// What looking through episodes found.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// What was found, newest first.
    pub entries: Vec<MemoryEntry>,
    /// Episodes that were looked at.
    pub looked_at: usize,
    /// Episodes that may hold a word of the question and were left unread, because there were too many.
    pub unread: usize,
    /// Lines that are no episodes: torn by a crash, or somebody else's.
    pub torn: usize,
}

impl Episodes {
    /// The episodes of a store. Nothing is read or made.
    pub fn of(layout: &Layout) -> Self {
        Self { layout: layout.clone(), redactor: std::cell::OnceCell::new() }
    }

    /// A name that no other episode has.
    pub fn new_id() -> String {
        atomic::unique()
    }

    /// A name that the same text always has.
    pub fn name_for(text: &str) -> String {
        format!("text-{}", &blake3::hash(text.as_bytes()).to_hex()[..16])
    }

    /// Writes an episode, without secrets, and gives it as it was named; when this returns, it is on disk.
    pub fn append(&self, entry: &MemoryEntry, now: Timestamp) -> Result<MemoryEntry, StoreError> {
        self.append_to(entry, now, now)
    }

    /// As [`Episodes::append`], into the file of the month in which it happened.
    pub fn import(&self, entry: &MemoryEntry, now: Timestamp) -> Result<MemoryEntry, StoreError> {
        let at = entry.time().filter(|at| *at <= now && entry.timestamp > 0).unwrap_or(now);
        self.append_to(entry, at, now)
    }

    fn append_to(
        &self,
        entry: &MemoryEntry,
        month: Timestamp,
        now: Timestamp,
    ) -> Result<MemoryEntry, StoreError> {
        let mut entry = entry.clone();
        let redactor = self.redactor.get_or_init(Redactor::default);
        // A name that holds a secret is none.
        if entry.id.is_empty() || !redactor.secrets(&entry.id).is_empty() {
            entry.id = atomic::unique();
        }
        if entry.timestamp == 0 {
            entry.timestamp = now.as_millisecond();
        }
        let line = episode_line(&entry, redactor);
        self.write(&self.file(month), &line)?;
        Ok(entry)
    }

    fn write(&self, path: &Path, line: &str) -> Result<(), StoreError> {
        let start = Instant::now();
        loop {
            let file = self.open_or_make(path)?;
            wait_shared(&file, path, start)?;
            // Whoever compacts puts another file in the place of this one.
            let held = file.metadata().at("look at", path)?;
            if path.symlink_metadata().is_ok_and(|named| plain::same_file(&held, &named)) {
                let mut lines = Lines::on(path, file);
                lines.append(line)?;
                return lines.sync();
            }
        }
    }

    fn open_or_make(&self, path: &Path) -> Result<File, StoreError> {
        let options = || OpenOptions::new().read(true).append(true).to_owned();
        match plain::open(path, &mut options()) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.layout.create()?;
                atomic::make_folder(self.layout.root(), &self.layout.log())?;
                let file = plain::open(path, options().create(true))?;
                atomic::sync_parent(path)?;
                Ok(file)
            }
            opened => opened,
        }
    }

    pub(crate) fn file(&self, at: Timestamp) -> PathBuf {
        self.layout.log().join(format!("episodes-{}.jsonl", at.strftime("%Y-%m")))
    }

    /// The months' files, oldest first.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.layout.log();
        if !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).at("list", &folder)?.flatten();
        let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_month));
        let mut files: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
        files.sort();
        Ok(files)
    }

    /// The newest episodes that `wanted` takes, newest first, at most `most`; reads from the end, and no further
    /// than it must.
    pub fn newest(&self, most: usize, wanted: impl Fn(&MemoryEntry) -> bool) -> Result<Looked, StoreError> {
        let mut looked = Looked::default();
        for path in self.files()?.iter().rev() {
            let mut end = size(path);
            let mut carry = Vec::new();
            while end > 0 && looked.entries.len() < most {
                let start = end.saturating_sub(episodes_index::PIECE);
                let mut bytes = lines::read_from(path, start, end - start)?;
                bytes.append(&mut carry);
                let whole = if start == 0 { 0 } else { after_first_line(&bytes) };
                for line in bytes[whole..].rsplit(|&byte| byte == b'\n') {
                    if looked.entries.len() < most {
                        looked.take(line, &wanted);
                    }
                }
                bytes.truncate(whole);
                // A line without an end is no line.
                carry = if bytes.len() > lines::LONGEST { Vec::new() } else { bytes };
                end = start;
            }
        }
        Ok(looked)
    }

    /// The newest episode that `wanted` takes, of those at the end of the newest file: one read, however many there are.
    pub fn last(&self, wanted: impl Fn(&MemoryEntry) -> bool) -> Result<Option<MemoryEntry>, StoreError> {
        let Some(path) = self.files()?.pop() else { return Ok(None) };
        let start = size(&path).saturating_sub(episodes_index::PIECE);
        let bytes = lines::read_from(&path, start, episodes_index::PIECE)?;
        let mut entries = bytes.rsplit(|&byte| byte == b'\n').filter_map(read_episode);
        Ok(entries.find(|entry| wanted(entry)))
    }

    /// Episodes that may speak of these words, newest first within each piece; `passes` sees a line before it is
    /// parsed.
    ///
    /// At most 4 MiB are read, or 32 MiB for parts of words: pieces that hold the rarest of the words first, then the
    /// newest.
    pub fn matching(&self, sought: Sought<'_>, passes: impl Fn(&[u8]) -> bool) -> Result<Looked, StoreError> {
        let most = match sought {
            Sought::Words(_) => MOST_BYTES,
            Sought::Parts(_) => MOST_BYTES_FOR_PARTS,
        };
        self.looked_through(sought, most, passes)
    }

    fn looked_through(
        &self,
        sought: Sought<'_>,
        most: u64,
        passes: impl Fn(&[u8]) -> bool,
    ) -> Result<Looked, StoreError> {
        let (terms, anywhere) = match sought {
            // A question without a word that tells pieces apart may be answered by any of them.
            Sought::Words(terms) => (terms, terms.is_empty()),
            Sought::Parts(terms) => (terms, true),
        };
        let mut pieces = Vec::new();
        for path in self.files()?.iter().rev() {
            let mut of_file = episodes_index::pieces(&self.layout, path)?;
            of_file.reverse();
            pieces.extend(of_file);
        }
        let worth = worth(&pieces, terms);
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
        let (mut looked, mut left) = (Looked::default(), most);
        let mut chosen = Vec::new();
        for at in order {
            let length = pieces[at].end - pieces[at].start;
            if !anywhere && worth[at] == 0.0 {
                continue;
            }
            if length <= left {
                left -= length;
                chosen.push(at);
            } else {
                looked.unread += pieces[at].count as usize;
            }
        }
        chosen.sort_unstable();
        for at in chosen {
            let piece = &pieces[at];
            let bytes = lines::read_from(&piece.path, piece.start, piece.end - piece.start)?;
            for line in bytes.rsplit(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                if passes(line) {
                    looked.take(line, &|_| true);
                } else {
                    looked.looked_at += 1;
                    // What does not open and close is torn, whatever it speaks of.
                    looked.torn += usize::from(!line.starts_with(b"{") || !line.ends_with(b"}"));
                }
            }
        }
        Ok(looked)
    }

    /// How many episodes there are, and how many bytes they take.
    pub fn size(&self) -> Result<(usize, u64), StoreError> {
        let (mut count, mut bytes) = (0, 0);
        for path in self.files()? {
            for piece in episodes_index::pieces(&self.layout, &path)? {
                count += piece.count as usize;
                bytes += piece.end - piece.start;
            }
        }
        Ok((count, bytes))
    }
}

impl Looked {
    fn take(&mut self, line: &[u8], wanted: &dyn Fn(&MemoryEntry) -> bool) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.looked_at += 1;
        match read_episode(line) {
            Some(entry) if wanted(&entry) => self.entries.push(entry),
            Some(_) => {}
            None => self.torn += 1,
        }
    }
}

/// What each piece is worth reading for: the words that it may hold, rare ones more.
fn worth(pieces: &[Piece], terms: &[Term]) -> Vec<f32> {
    let mut worth = vec![0.0; pieces.len()];
    for term in terms {
        let holders: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at].may_hold(*term)).collect();
        let rare = (1.0 + pieces.len() as f32 / holders.len().max(1) as f32).ln();
        holders.into_iter().for_each(|at| worth[at] += rare);
    }
    worth
}

/// Whether this is the name of a month's file, and no way out of the folder.
pub(crate) fn is_month(name: &str) -> bool {
    let middle = name.strip_prefix("episodes-").and_then(|name| name.strip_suffix(".jsonl"));
    middle.is_some_and(|month| {
        month.len() == 7 && month.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

/// Where the second line starts; the whole length where there is no end of a line.
fn after_first_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1)
}

/// The size of a plain file; 0 where there is none.
pub(crate) fn size(path: &Path) -> u64 {
    path.symlink_metadata().ok().filter(|meta| meta.is_file()).map_or(0, |meta| meta.len())
}

/// Shares the file with other writers, but not with somebody who compacts.
fn wait_shared(file: &File, path: &Path, start: Instant) -> Result<(), StoreError> {
    loop {
        match file.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) if start.elapsed() >= PATIENCE => {
                let milliseconds = PATIENCE.as_millis() as u64;
                return Err(StoreError::Busy { lock: path.to_owned(), milliseconds });
            }
            Err(fs::TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            // Where the file system has no locks, nobody compacts while others write.
            Ok(()) | Err(fs::TryLockError::Error(_)) => return Ok(()),
        }
    }
}

/// Reads a part of a file in pieces that end with a line, each with its offset; the last may be torn.
pub(crate) fn each_piece(
    path: &Path,
    (start, end): (u64, u64),
    mut each: impl FnMut(u64, &[u8]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut file = match plain::open(path, OpenOptions::new().read(true)) {
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    file.seek(SeekFrom::Start(start)).at("read", path)?;
    let (mut at, mut read, mut bytes) = (start, start, Vec::new());
    while read < end {
        let want = episodes_index::PIECE.min(end - read);
        let got = (&mut file).take(want).read_to_end(&mut bytes).at("read", path)? as u64;
        if got == 0 {
            break;
        }
        read += got;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        // A line that does not end within reason is passed on in parts.
        let whole = if whole == 0 && bytes.len() > 2 * lines::LONGEST { bytes.len() } else { whole };
        if whole > 0 {
            each(at, &bytes[..whole])?;
            bytes.drain(..whole);
            at += whole as u64;
        }
    }
    if bytes.is_empty() { Ok(()) } else { each(at, &bytes) }
}

#[cfg(test)]
mod tests;
