//! The files of sessions: changed whole, one writer at a time, readable at every moment.
//!
//! Each session has a lock of its own. Whoever holds it reads a file, makes the
//! next text from it, writes that under a temporary name, syncs it and renames
//! it over the old one: a reader sees the one or the other, a crash leaves the
//! one or the other, and what was acknowledged is on disk. What the text says
//! is decided in `rawko_core::session`.

mod archive;
mod error;
mod hold;
mod origin;
mod read;
mod start;

use std::fs::{self, Metadata as Stat};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rawko_core::session::{self, File, Message, Revision, SessionId, SessionStatus, State, Update};
use serde_json::{Map, Value};

pub use self::error::SessionError;
pub use self::hold::RunHold;
pub use self::read::SessionFile;
use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::files::FileStore;
use crate::index::Key;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::plain;

/// How long a change waits for others, unless told otherwise.
const WAIT: Duration = Duration::from_secs(10);
/// How often a change begins anew because a person saved the file meanwhile.
const ATTEMPTS: usize = 20;

/// The sessions of a store.
#[derive(Clone)]
pub struct Sessions {
    layout: Layout,
    wait: Duration,
    /// Signs what begins here; `None` where nobody is to be told of it.
    key: Option<Key>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The entry that it is about; empty for a context.
    pub id: String,
    /// Whether it was there already.
    pub already: bool,
    /// How many older entries went to the archive with it.
    pub archived: usize,
}

/// What became of an archiving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// How many entries were moved.
    pub moved: usize,
    /// How large the file is now, in bytes.
    pub bytes: usize,
}

/// The text of a file when a change began, and how the file looked.
struct Before {
    text: String,
    stat: Option<Stat>,
    /// The byte order mark of a person's editor.
    mark: bool,
}

impl Sessions {
    /// The sessions of the store at a place.
    pub fn at(layout: Layout) -> Self {
        Self { layout, wait: WAIT, key: None }
    }

    /// The sessions of a store, known from those that came with a repository.
    pub fn of(store: &FileStore) -> Self {
        let layout = store.layout().clone();
        Self { key: Some(Key::of(store.home(), layout.root())), ..Self::at(layout) }
    }

    /// The same, waiting for others so long.
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The folder of a session.
    pub fn folder(&self, id: &SessionId) -> PathBuf {
        self.layout.sessions().join(id.as_str())
    }

    /// Makes a change in one agent's memory. When this returns `Ok`, it is on disk.
    ///
    /// Where the file is past its size, what is old enough goes to the archive in the same step.
    pub fn update(
        &self,
        id: &SessionId,
        agent: &str,
        update: &Update,
        now: Timestamp,
    ) -> Result<Updated, StoreError> {
        let mut made = Updated { id: String::new(), already: false, archived: 0 };
        self.change(id, File::AgentMemory, |folder, before| {
            self.check_step(id, update)?;
            let path = folder.join(File::AgentMemory.name());
            let next = session::apply(before, id.as_str(), agent, update, now)
                .map_err(|source| SessionError::Update { path: path.clone(), source })?;
            let already = next.already || self.is_archived(folder, id, agent, update)?;
            made = Updated { id: next.id, already, archived: 0 };
            if already {
                return Ok(None);
            }
            let cutoff = session::cutoff(&next.text, now);
            if next.text.len() <= session::ARCHIVE_BYTES || !session::may_have_older(&next.text, cutoff) {
                return Ok(Some(next.text));
            }
            let archived = self.move_older(folder, id, &next.text, cutoff, now)?;
            made.archived = archived.as_ref().map_or(0, |done| done.moved);
            Ok(Some(archived.map_or(next.text, |done| done.text)))
        })?;
        Ok(made)
    }

    /// Refuses a step that the newest plan does not have; where there is no plan that can be read, any will do.
    fn check_step(&self, id: &SessionId, update: &Update) -> Result<(), StoreError> {
        let Some(step) = update.plan_step() else { return Ok(()) };
        let plan = self.fields(id, File::Plan).unwrap_or_default();
        let newest = plan.get("revisions").and_then(Value::as_array).and_then(|all| all.last());
        let steps = newest.and_then(|plan| plan["steps"].as_array()).map_or(0, Vec::len);
        if steps == 0 || (1..=steps as u64).contains(&step) {
            return Ok(());
        }
        Err(SessionError::NoStep { step, steps }.into())
    }

    /// Moves entries that are older than `before` to the archive.
    pub fn archive(&self, id: &SessionId, before: Timestamp, now: Timestamp) -> Result<Archived, StoreError> {
        let mut made = Archived { moved: 0, bytes: 0 };
        self.change(id, File::AgentMemory, |folder, text| {
            let done = self.move_older(folder, id, text, before, now)?;
            made = Archived {
                moved: done.as_ref().map_or(0, |done| done.moved),
                bytes: done.as_ref().map_or(text.len(), |done| done.text.len()),
            };
            Ok(done.map(|done| done.text))
        })?;
        Ok(made)
    }

    /// Says that a session ended, and how.
    pub fn end(
        &self,
        id: &SessionId,
        status: SessionStatus,
        summary: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut changes = Map::new();
        changes.insert("status".to_owned(), Value::from(status.as_str()));
        changes.insert("endedAt".to_owned(), Value::from(session::Moment(now).text()));
        changes.extend(summary.map(|summary| ("summary".to_owned(), Value::from(summary))));
        self.set(id, File::Metadata, &changes)
    }

    /// Says where the run of a session is.
    pub fn set_state(&self, id: &SessionId, state: &State, now: Timestamp) -> Result<(), StoreError> {
        let mut changes = Map::new();
        changes.insert("updatedAt".to_owned(), Value::from(session::Moment(now).text()));
        if let Ok(Value::Object(fields)) = serde_json::to_value(state) {
            changes.extend(fields);
        }
        self.set(id, File::Context, &changes)
    }

    /// Adds a message to the conversation, and gives its name.
    pub fn say(&self, id: &SessionId, message: &Message, now: Timestamp) -> Result<String, StoreError> {
        self.add(id, File::Conversation, message, now)
    }

    /// Adds the plan as it is from now on, and gives the revision's name.
    pub fn plan(&self, id: &SessionId, revision: &Revision, now: Timestamp) -> Result<String, StoreError> {
        self.add(id, File::Plan, revision, now)
    }

    fn set(&self, id: &SessionId, file: File, changes: &Map<String, Value>) -> Result<(), StoreError> {
        self.change(id, file, |folder, text| {
            let next = session::with_state(file, text, id.as_str(), changes);
            next.map(Some).map_err(|problem| SessionError::damaged(folder.join(file.name()), problem).into())
        })
    }

    fn add<T: serde::Serialize>(
        &self,
        id: &SessionId,
        file: File,
        item: &T,
        now: Timestamp,
    ) -> Result<String, StoreError> {
        let mut name = String::new();
        self.change(id, file, |folder, text| {
            let path = || folder.join(file.name());
            let (next, item) = session::with_item(file, text, id.as_str(), item, now)
                .map_err(|problem| SessionError::damaged(path(), problem))?;
            if next.len() > session::MAX_BYTES {
                let source = session::UpdateError::Full(next.len());
                return Err(SessionError::Update { path: path(), source }.into());
            }
            name = item;
            Ok(Some(next))
        })?;
        Ok(name)
    }

    /// Replaces a file by what `next` makes of its text, alone among processes; `None` changes nothing.
    fn change(
        &self,
        id: &SessionId,
        file: File,
        mut next: impl FnMut(&Path, &str) -> Result<Option<String>, StoreError>,
    ) -> Result<(), StoreError> {
        let folder = self.open(id)?;
        let path = folder.join(file.name());
        let _lock = Lock::take(&folder.join("lock"), self.wait)?;
        // Somebody else may be writing beside this one: the working layer has a lock of its own.
        atomic::sweep(&folder, Duration::ZERO);
        for _ in 0..ATTEMPTS {
            let before = Before::read(&path)?;
            // Whoever made it so may have died before the name was synced.
            let Some(text) = next(&folder, &before.text)? else { return atomic::sync_folder(&folder) };
            let mark = if before.mark { "\u{feff}" } else { "" };
            let written = Temporary::write(&folder, [mark, &text].concat().as_bytes())?;
            if before.is_still(&path) {
                return written.rename(&path);
            }
        }
        Err(StoreError::Busy { lock: path, milliseconds: 0 })
    }

    /// The folder of a session that is there, and is a folder.
    fn open(&self, id: &SessionId) -> Result<PathBuf, StoreError> {
        let folder = self.folder(id);
        if plain::is_folder(&self.layout.sessions())? && plain::is_folder(&folder)? {
            return Ok(folder);
        }
        Err(SessionError::Missing(id.to_string()).into())
    }
}

impl Before {
    fn read(path: &Path) -> Result<Self, StoreError> {
        let stat = path.symlink_metadata().ok();
        let bytes = plain::read(path, session::MAX_BYTES as u64)?.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|error| {
            let problem = crate::walk::not_utf8(error.as_bytes());
            SessionError::damaged(path.to_owned(), problem)
        })?;
        match text.strip_prefix('\u{feff}') {
            Some(text) => Ok(Self { text: text.to_owned(), stat, mark: true }),
            None => Ok(Self { text, stat, mark: false }),
        }
    }

    /// Whether nobody saved the file since.
    fn is_still(&self, path: &Path) -> bool {
        match (&self.stat, path.symlink_metadata()) {
            (Some(was), Ok(is)) => {
                plain::same_file(was, &is)
                    && was.len() == is.len()
                    && was.modified().ok() == is.modified().ok()
            }
            (was, is) => was.is_none() && is.is_err(),
        }
    }
}

/// Lists a folder's names; one that is not there has none.
fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    if !plain::is_folder(folder)? {
        return Ok(Vec::new());
    }
    let entries = atomic::retry(|| fs::read_dir(folder)).at("list", folder)?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_the_file_of_whoever_writes_beside_it_and_takes_what_a_killed_writer_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let (sessions, now) = (Sessions::at(layout), Timestamp::UNIX_EPOCH);
        let id = sessions.start("A task", "developer", now).expect("begun");
        let folder = sessions.folder(&id);
        let left = folder.join(format!("{}left", atomic::TEMPORARY));
        fs::write(&left, "torn").expect("written");
        let written = Temporary::write(&folder, b"an entry of the working layer").expect("written");
        sessions.end(&id, SessionStatus::Done, None, now).expect("ended");
        written.rename(&folder.join("working.jsonl")).expect("its writer was still at it");
        assert!(!left.exists());
    }
}
