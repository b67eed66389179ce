//! The memory of one session: what each agent found, tried, chose, and where it is.
//!
//! A session's files are YAML that people read and edit, so nothing here holds
//! a file's only copy: reading gives a typed view with problems ([`read`]), and
//! a change is text in, text out ([`apply`], [`archive`]). What is said of a
//! session in prompts is word for word the origin's
//! ([`build_agent_system_prompt`], [`build_arbiter_select_prompt`]).

mod archive;
mod edit;
mod emit;
mod files;
mod id;
mod plan;
mod prompt;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod types;
mod update;

pub use self::archive::{
    ARCHIVE_BYTES, Archived, Archiving, HARD_BYTES, KEEP, archive, cutoff, may_have_older,
};
pub use self::files::{
    File, Message, Metadata, Revision, Role, State, Step, check, fields, metadata, state, with_item,
    with_state,
};
pub use self::id::{BadSessionId, SessionId};
pub use self::plan::steps_in;
pub use self::prompt::{
    build_agent_system_prompt, build_arbiter_select_prompt, format_memory_context, previous_agent_work,
};
pub use self::read::{MAX_BYTES, Read, VERSION, read};
pub use self::schema::{AGENT_MEMORY, SESSION};
pub use self::types::{
    AgentMemory, Alternative, Artifact, Attempt, AttemptResult, Context, Decision, DecisionType, Discovery,
    DiscoveryType, FileInScope, History, Last, Moment, SessionStatus, SubTask, TokensUsed,
};
pub use self::update::{MAX_ITEMS, MAX_TEXT, Update, UpdateError, Updated, apply, begin, cleaned, tidy};
