//! A session begins: its folder is there with all its files, or not at all.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rawko_core::session::{self, File, Message, Metadata, Moment, Role, SessionId, SessionStatus};
use serde_json::{Map, Value};

use super::origin::ORIGIN;
use super::{SessionError, Sessions, names};
use crate::atomic::{self, TEMPORARY, Temporary};
use crate::error::{At, StoreError};

impl Sessions {
    /// Begins a session, and gives its name.
    pub fn start(&self, task: &str, agent: &str, now: Timestamp) -> Result<SessionId, StoreError> {
        let sessions = self.layout.sessions();
        atomic::make_folder(self.layout.root(), &sessions)?;
        self.sweep_begun(&sessions)?;
        let folder = Making(sessions.join(format!("{TEMPORARY}{}", atomic::unique())));
        fs::create_dir(&folder.0).at("create", &folder.0)?;
        loop {
            let id = self.next_id(task, now)?;
            for (file, text) in files(&id, task, agent, now)? {
                Temporary::write(&folder.0, text.as_bytes())?.rename(&folder.0.join(file.name()))?;
            }
            if let Some(signature) = self.signature(&id) {
                Temporary::write(&folder.0, signature.as_bytes())?.rename(&folder.0.join(ORIGIN))?;
            }
            let to = self.folder(&id);
            if to.symlink_metadata().is_ok() {
                continue;
            }
            match atomic::retry(|| fs::rename(&folder.0, &to)) {
                // Somebody else began one of this name meanwhile.
                Err(_) if to.symlink_metadata().is_ok() => continue,
                renamed => renamed.at("rename to", &to)?,
            }
            atomic::sync_folder(&sessions)?;
            return Ok(id);
        }
    }

    /// An id behind those of all sessions that began in the same second, so that ids sort as sessions began.
    ///
    /// Its eight digits are the microseconds of that second and a random rest, or one more than the newest id has.
    fn next_id(&self, task: &str, now: Timestamp) -> Result<SessionId, StoreError> {
        let random = RandomState::new().hash_one(now.as_nanosecond()) as u32;
        let micros = now.subsec_nanosecond().unsigned_abs() / 1_000;
        let id = SessionId::new(task, now, micros << 12 | random & 0xfff);
        let digits = |id: &SessionId| u32::from_str_radix(id.as_str().get(16..24)?, 16).ok();
        let second = &id.as_str()[..15];
        let names = names(&self.layout.sessions())?;
        let begun = names.iter().filter(|name| name.starts_with(second));
        let newest = begun.filter_map(|name| digits(&SessionId::parse(name).ok()?)).max();
        match newest.and_then(|newest| newest.checked_add(1)) {
            Some(next) if digits(&id).is_some_and(|own| own < next) => Ok(SessionId::new(task, now, next)),
            _ => Ok(id),
        }
    }

    /// Removes what killed processes began and did not finish, once it is surely left.
    fn sweep_begun(&self, sessions: &Path) -> Result<(), StoreError> {
        for name in names(sessions)?.iter().filter(|name| name.starts_with(TEMPORARY)) {
            let path = sessions.join(name);
            let age = path
                .symlink_metadata()
                .and_then(|meta| meta.modified())
                .map(|at| at.elapsed().unwrap_or_default());
            if age.is_ok_and(|age| age > Duration::from_secs(3_600)) {
                let _ = fs::remove_dir_all(path);
            }
        }
        Ok(())
    }
}

/// A folder in the making: removed again unless it got its name.
struct Making(PathBuf);

impl Drop for Making {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The five files of a session that begins.
fn files(id: &SessionId, task: &str, agent: &str, now: Timestamp) -> Result<Vec<(File, String)>, StoreError> {
    let metadata = Metadata {
        task: task.to_owned(),
        agent: Some(agent.to_owned()),
        status: SessionStatus::Open,
        created_at: Some(Moment(now)),
        ended_at: None,
        summary: None,
    };
    let damaged = |problem| StoreError::from(SessionError::damaged(PathBuf::new(), problem));
    let mut state = Map::new();
    state.insert("updatedAt".to_owned(), Value::from(Moment(now).text()));
    state.insert("state".to_owned(), Value::from("started"));
    let asked = Message { role: Role::User, agent: None, content: task.to_owned() };
    let conversation =
        session::with_item(File::Conversation, "", id.as_str(), &asked, now).map_err(damaged)?.0;
    Ok(vec![
        (File::Metadata, metadata.to_text(id.as_str())),
        (File::Context, session::with_state(File::Context, "", id.as_str(), &state).map_err(damaged)?),
        (File::Plan, session::with_state(File::Plan, "", id.as_str(), &Map::new()).map_err(damaged)?),
        (File::Conversation, conversation),
        (File::AgentMemory, session::begin(id.as_str(), agent, now)),
    ])
}
