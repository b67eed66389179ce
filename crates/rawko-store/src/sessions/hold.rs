//! Whether a session's run goes on: its process holds a lock, which goes when it goes, however it ends.

use std::fs;

use jiff::Timestamp;
use rawko_core::session::{SessionId, SessionStatus};

use super::Sessions;
use crate::error::StoreError;
use crate::lock::Lock;

/// The lock's file.
const RUN: &str = "run.lock";

/// Held by the process that runs a session.
#[derive(Debug)]
pub struct RunHold {
    _lock: Lock,
}

impl Sessions {
    /// Says that this process runs the session, until the hold is dropped.
    pub fn hold_run(&self, id: &SessionId) -> Result<RunHold, StoreError> {
        let path = self.open(id)?.join(RUN);
        Ok(RunHold { _lock: Lock::take(&path, self.wait)? })
    }

    /// Whether a session is open though its run was ended from outside: nothing holds any more what it held.
    pub fn is_left(&self, id: &SessionId) -> bool {
        let is_open = || self.metadata(id).is_ok_and(|metadata| metadata.status == SessionStatus::Open);
        self.folder(id).join(RUN).symlink_metadata().is_ok() && !self.is_running(id) && is_open()
    }

    /// When something of a session was last written.
    pub fn last_sign(&self, id: &SessionId) -> Option<Timestamp> {
        let files = fs::read_dir(self.folder(id)).ok()?.flatten();
        let written = files
            .filter(|file| file.file_name() != RUN)
            .filter_map(|file| file.metadata().ok()?.modified().ok());
        Timestamp::try_from(written.max()?).ok()
    }

    /// Whether a process runs the session now.
    pub fn is_running(&self, id: &SessionId) -> bool {
        let path = self.folder(id).join(RUN);
        path.symlink_metadata().is_ok() && matches!(Lock::try_take(&path), Ok(None))
    }
}
