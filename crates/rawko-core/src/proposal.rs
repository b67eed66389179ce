//! What somebody proposes to remember, before admission has looked at it.
//!
//! An extractor, an agent's tool call or an import makes proposals; only
//! admission turns one into something that is stored. Nothing here is proved.

use crate::entry::Entry;
use crate::slug::Slug;

/// One thing that may be worth remembering.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What would be stored.
    pub entry: Entry,
    /// The memory that the proposer means to bring up to date.
    pub update_of: Option<Slug>,
    /// Why the proposer thinks so; kept in the log, never stored in a memory.
    pub reasoning: String,
}
