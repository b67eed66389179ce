//! Finding and reading sessions: no lock is taken, and one that is damaged hides no other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rawko_core::Problem;
use rawko_core::session::{
    self, AgentMemory, Attempt, File, Metadata, Moment, Read, SessionId, SessionStatus,
};

use super::{SessionError, Sessions, archive, names};
use crate::error::StoreError;
use crate::plain;

/// How many names an ambiguous one is told to fit.
const SHOWN: usize = 5;

/// A file of a session, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Which one it is.
    pub file: File,
    /// How large it is, in bytes.
    pub bytes: usize,
    /// Its text, where it is text.
    pub text: String,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

impl Sessions {
    /// The sessions, the newest first. Folders whose names are no ids are passed over.
    pub fn ids(&self) -> Result<Vec<SessionId>, StoreError> {
        let names = names(&self.layout.sessions())?;
        let mut ids: Vec<SessionId> = names.iter().filter_map(|name| SessionId::parse(name).ok()).collect();
        ids.retain(|id| self.folder(id).symlink_metadata().is_ok_and(|meta| meta.is_dir()));
        ids.sort_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    /// The session of this id, or the only one whose id begins so.
    pub fn find(&self, name: &str) -> Result<SessionId, StoreError> {
        if let Ok(id) = SessionId::parse(name)
            && plain::is_folder(&self.folder(&id))?
        {
            return Ok(id);
        }
        let mut found = self.ids()?;
        found.retain(|id| !name.is_empty() && id.as_str().starts_with(name));
        if found.len() > 1 {
            let (name, all) = (name.to_owned(), found.len());
            let found = found.iter().take(SHOWN).map(SessionId::to_string).collect();
            return Err(SessionError::Ambiguous { name, all, found }.into());
        }
        found.pop().ok_or_else(|| SessionError::Missing(name.to_owned()).into())
    }

    /// The newest session that is open; one that does not say so counts as open, and one whose run was ended from
    /// outside does not.
    pub fn newest_open(&self) -> Result<SessionId, StoreError> {
        let is_open = |id: &SessionId| {
            self.metadata(id).map_or(true, |metadata| metadata.status == SessionStatus::Open)
                && !self.is_left(id)
        };
        let ids = self.ids()?;
        // One that came with a repository is meant only where there is no other.
        let ours = ids.iter().find(|id| self.is_own(id) && is_open(id));
        let found = ours.or_else(|| ids.iter().find(|id| is_open(id))).cloned();
        found.ok_or_else(|| SessionError::NoneOpen.into())
    }

    /// What a session is about.
    pub fn metadata(&self, id: &SessionId) -> Result<Metadata, StoreError> {
        let path = self.open(id)?.join(File::Metadata.name());
        let text = text(&path)?;
        session::metadata(&text).map_err(|problem| SessionError::damaged(path, problem).into())
    }

    /// Where the run of a session is, and since when.
    pub fn state(&self, id: &SessionId) -> Result<Option<(session::State, Option<String>)>, StoreError> {
        Ok(session::state(&text(&self.open(id)?.join(File::Context.name()))?))
    }

    /// What the plan, the conversation or the state of a session says; nothing where it cannot be read.
    pub fn fields(
        &self,
        id: &SessionId,
        file: File,
    ) -> Result<serde_json::Map<String, serde_json::Value>, StoreError> {
        Ok(session::fields(&text(&self.open(id)?.join(file.name()))?))
    }

    /// What the agents of a session remember, without what is archived.
    pub fn read(&self, id: &SessionId) -> Result<Read, StoreError> {
        let path = self.open(id)?.join(File::AgentMemory.name());
        Ok(session::read(&text(&path)?, id.as_str()))
    }

    /// What the agents of a session remember, with what is archived, each entry once.
    pub fn read_whole(&self, id: &SessionId) -> Result<Read, StoreError> {
        // The file first: what leaves it meanwhile is in the archive by then.
        let mut read = self.read(id)?;
        let mut old: Vec<AgentMemory> = Vec::new();
        for (_, path) in archive::archives(&self.folder(id))? {
            let Ok(text) = archive::read(&path) else { continue };
            old.extend(session::read(&text, id.as_str()).memories);
        }
        for archived in old.into_iter().rev() {
            match read.memories.iter_mut().find(|memory| memory.agent == archived.agent) {
                Some(memory) => {
                    among(&mut memory.discoveries, archived.discoveries, |entry| {
                        (&entry.id, entry.timestamp)
                    });
                    among(&mut memory.attempts, archived.attempts, |entry| (&entry.id, entry.timestamp));
                    among(&mut memory.decisions, archived.decisions, |entry| (&entry.id, entry.timestamp));
                }
                None => read.memories.push(AgentMemory { history: Vec::new(), ..archived }),
            }
        }
        Ok(read)
    }

    /// Every attempt of every session, the oldest session's first; sessions that cannot be read are passed over.
    pub fn attempts(&self) -> Result<impl Iterator<Item = (SessionId, String, Attempt)> + '_, StoreError> {
        let ids = self.ids()?.into_iter().rev();
        Ok(ids.flat_map(|id| {
            let memories = self.read_whole(&id).map(|read| read.memories).unwrap_or_default();
            memories.into_iter().flat_map(move |memory| {
                let (id, agent) = (id.clone(), memory.agent);
                memory.attempts.into_iter().map(move |attempt| (id.clone(), agent.clone(), attempt))
            })
        }))
    }

    /// The files of a session, each with what is wrong with it.
    pub fn files(&self, id: &SessionId) -> Result<Vec<SessionFile>, StoreError> {
        let folder = self.open(id)?;
        let mut names: Vec<String> = names(&folder)?;
        names.sort();
        let known = names.iter().filter_map(|name| Some((folder.join(name), File::of(name)?)));
        let mut files: Vec<SessionFile> = known.map(|(path, file)| check(path, file, id.as_str())).collect();
        let gone = File::ALL
            .into_iter()
            .filter(|file| *file != File::Archive && !names.iter().any(|name| File::of(name) == Some(*file)));
        files.extend(gone.map(|file| missing(folder.join(file.name()), file)));
        Ok(files)
    }
}

/// A file that should be there.
fn missing(path: PathBuf, file: File) -> SessionFile {
    let what = format!("{} is not there", file.name());
    let problem = match file {
        File::AgentMemory => {
            Problem::error(1, 1, what, "bring it back from a copy; the next update would begin it anew")
        }
        _ => {
            Problem::warning(1, 1, what, "bring it back from a copy; without it less is known of the session")
        }
    };
    SessionFile { path, file, bytes: 0, text: String::new(), problems: vec![problem] }
}

fn check(path: PathBuf, file: File, id: &str) -> SessionFile {
    let limit = 2 * session::MAX_BYTES as u64;
    let (bytes, text, problems) = match plain::read(&path, limit) {
        Ok(bytes) => {
            let bytes = bytes.unwrap_or_default();
            match std::str::from_utf8(&bytes) {
                Ok(text) => (bytes.len(), text.to_owned(), session::check(file, text, id)),
                Err(_) => (bytes.len(), String::new(), vec![crate::walk::not_utf8(&bytes)]),
            }
        }
        Err(error) => (0, String::new(), vec![crate::walk::unreadable(&error)]),
    };
    SessionFile { path, file, bytes, text, problems }
}

/// Puts archived entries among the others by their time, but for those that are there: of one name and time, the
/// newest counts.
fn among<T: Clone>(entries: &mut Vec<T>, archived: Vec<T>, name: fn(&T) -> (&String, Moment)) {
    let owned = |entry: &T| (name(entry).0.clone(), name(entry).1);
    let mut known: HashSet<(String, Moment)> = entries.iter().map(owned).collect();
    let mut all: Vec<T> = archived.into_iter().rev().filter(|entry| known.insert(owned(entry))).collect();
    all.reverse();
    all.append(entries);
    // An older one may have stayed because it goes on.
    all.sort_by_key(|entry| name(entry).1);
    *entries = all;
}

fn text(path: &Path) -> Result<String, StoreError> {
    let bytes = plain::read(path, session::MAX_BYTES as u64)?.unwrap_or_default();
    let text = String::from_utf8(bytes)
        .map_err(|error| SessionError::damaged(path.to_owned(), crate::walk::not_utf8(error.as_bytes())))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
