//! How far an entry's words may reach, from the channel that wrote it.
//!
//! Trust is proved, not claimed: the channel that wrote an entry (kept outside
//! the repository) sets what it is worth at most, and the entry's own `trust`
//! field can lower that, never raise it. A person's approval of the very text
//! is the one thing that lifts both.

use serde::{Deserialize, Serialize};

/// What an entry's words are worth, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Web pages, other tools' output: never enters a prompt.
    Untrusted,
    /// Imports, pulls, cloned repositories: waits for a person.
    Imported,
    /// The own agent's words about the own repository.
    Agent,
    /// Written or approved by this person.
    Human,
}

/// The door through which an entry was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// This person's terminal or page.
    Person,
    /// The own agent, about the own repository.
    Agent,
    /// Another tool's memories, a pull, a cloned repository.
    Import,
    /// A web page, other tool output: anything else.
    Foreign,
}

impl Channel {
    /// The most that this door proves.
    pub fn proves(self) -> Trust {
        match self {
            Self::Person => Trust::Human,
            Self::Agent => Trust::Agent,
            Self::Import => Trust::Imported,
            Self::Foreign => Trust::Untrusted,
        }
    }
}

/// What is known, outside the repository, of how an entry came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// rawko wrote it on this machine, through this door.
    Wrote(Channel),
    /// This person approved exactly this text.
    Approved,
    /// Nothing is known: it came with the files.
    Unknown,
    /// It was taken back, by a later entry or by this person: it stays in the history and says nothing any more.
    Withdrawn,
}

impl Standing {
    /// How a text came to be, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wrote(Channel::Person) => "written here by a person",
            Self::Wrote(Channel::Agent) => "written here by an agent",
            Self::Wrote(Channel::Import) => "imported here",
            Self::Wrote(Channel::Foreign) => "written here from foreign words",
            Self::Approved => "approved by this person",
            Self::Unknown => "came with the files",
            Self::Withdrawn => "taken back",
        }
    }

    /// Effective trust: the lower of what the channel proves and what the entry claims.
    ///
    /// `unknown` is what a text of unknown origin is worth in this store: the
    /// person's own store vouches for its files, a repository does not.
    pub fn trust(self, claim: Option<Trust>, unknown: Trust) -> Trust {
        let proved = match self {
            Self::Approved => return Trust::Human,
            Self::Wrote(channel) => channel.proves(),
            Self::Unknown => unknown,
            Self::Withdrawn => Trust::Untrusted,
        };
        claim.map_or(proved, |claim| claim.min(proved))
    }
}

impl Trust {
    /// Whether text of this trust may enter a prompt at all.
    pub fn may_be_injected(self) -> bool {
        self >= Self::Agent
    }

    /// The word used in files and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Imported => "imported",
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }
}
