//! Whose a session is: signed when it begins, so that one which came with a repository speaks to no agent.

use rawko_core::session::SessionId;

use super::{SessionError, Sessions};
use crate::atomic::Temporary;
use crate::error::StoreError;
use crate::plain;

/// The file with the signature, beside the session's own.
pub(super) const ORIGIN: &str = "origin";

impl Sessions {
    /// Whether this person began the session here, or took it over.
    pub fn is_own(&self, id: &SessionId) -> bool {
        let signed = plain::read(&self.folder(id).join(ORIGIN), 4096).ok().flatten();
        let wanted = self.signature(id);
        wanted.is_some() && signed.and_then(|bytes| String::from_utf8(bytes).ok()) == wanted
    }

    /// Fails where a session is not this person's: its words are nobody's that an agent should hear.
    pub fn own(&self, id: &SessionId) -> Result<(), StoreError> {
        if self.is_own(id) { Ok(()) } else { Err(SessionError::Foreign(id.to_string()).into()) }
    }

    /// Takes a session over, by a person's word.
    pub fn adopt(&self, id: &SessionId) -> Result<(), StoreError> {
        let folder = self.open(id)?;
        let Some(signature) = self.signature(id) else { return Ok(()) };
        Temporary::write(&folder, signature.as_bytes())?.rename(&folder.join(ORIGIN))
    }

    pub(super) fn signature(&self, id: &SessionId) -> Option<String> {
        let key = self.key.as_ref()?;
        Some(key.sign(&[b"session", id.as_str().as_bytes()]).to_hex().to_string())
    }
}
