//! Whether a session's run goes on: its process holds a lock, which goes when it goes, however it ends.

use rawko_core::session::SessionId;

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

    /// Whether a process runs the session now.
    pub fn is_running(&self, id: &SessionId) -> bool {
        let path = self.folder(id).join(RUN);
        path.symlink_metadata().is_ok() && matches!(Lock::try_take(&path), Ok(None))
    }
}
