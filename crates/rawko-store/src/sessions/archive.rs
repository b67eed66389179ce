//! The archive is written and synced before the file it comes from shrinks.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko_core::session::{self, Archived, Archiving, SessionId, Update};

use super::{Sessions, names};
use crate::atomic::Temporary;
use crate::error::StoreError;
use crate::plain;

/// An archive past this many bytes is followed by another, so that adding to it stays cheap.
const LARGEST: usize = 4 * 1024 * 1024;

impl Sessions {
    /// Adds to the archive what leaves `text`, and gives what stays; the caller holds the session's lock.
    pub(super) fn move_older(
        &self,
        folder: &Path,
        id: &SessionId,
        text: &str,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Archiving>, StoreError> {
        let archives = archives(folder)?;
        let mut archived = Archived::default();
        // What a crash left in both files is in the newest archive, or in the one before it where that was full.
        for (_, path) in archives.iter().rev().take(2) {
            archived.add(&read(path)?);
        }
        let Some(done) = session::archive(text, id.as_str(), before, &archived, now) else { return Ok(None) };
        if !done.archive.is_empty() {
            self.add_to_archive(folder, archives.last(), &done.archive)?;
        }
        Ok(Some(done))
    }

    /// Whether the entry that is to be added was archived under the name that it was given.
    pub(super) fn is_archived(
        &self,
        folder: &Path,
        id: &SessionId,
        agent: &str,
        update: &Update,
    ) -> Result<bool, StoreError> {
        if update.given_name().is_empty() {
            return Ok(false);
        }
        for (_, path) in archives(folder)? {
            // One that cannot be read stops nobody from going on; `doctor` tells of it.
            let Ok(text) = read(&path) else { continue };
            let memories = session::read(&text, id.as_str()).memories;
            if memories.iter().any(|memory| memory.agent == agent && update.is_in(memory)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_to_archive(
        &self,
        folder: &Path,
        newest: Option<&(u32, PathBuf)>,
        text: &str,
    ) -> Result<(), StoreError> {
        let (number, old) = match newest {
            Some((number, path)) => (*number, read(path)?),
            None => (1, String::new()),
        };
        let is_full = !old.is_empty() && old.len() + text.len() > LARGEST;
        let (number, old) = if is_full { (number + 1, String::new()) } else { (number, old) };
        let whole = if old.is_empty() {
            text.to_owned()
        } else {
            format!("{}\n\n---\n{text}", old.trim_end_matches('\n'))
        };
        Temporary::write(folder, whole.as_bytes())?.rename(&folder.join(name(number)))
    }
}

/// The archives of a session, the oldest first.
pub(super) fn archives(folder: &Path) -> Result<Vec<(u32, PathBuf)>, StoreError> {
    let number = |file: &str| {
        let rest = file.strip_prefix("agent-memory-archive")?.strip_suffix(".yaml")?;
        if rest.is_empty() { Some(1) } else { rest.strip_prefix('-')?.parse().ok() }
    };
    let all = names(folder)?;
    let mut found: Vec<(u32, PathBuf)> =
        all.iter().filter_map(|file| number(file).map(|number| (number, folder.join(file)))).collect();
    found.sort();
    Ok(found)
}

fn name(number: u32) -> String {
    if number == 1 {
        "agent-memory-archive.yaml".to_owned()
    } else {
        format!("agent-memory-archive-{number:03}.yaml")
    }
}

pub(super) fn read(path: &Path) -> Result<String, StoreError> {
    let bytes = plain::read(path, 2 * session::MAX_BYTES as u64)?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| {
        super::SessionError::damaged(path.to_owned(), crate::walk::not_utf8(error.as_bytes())).into()
    })
}
