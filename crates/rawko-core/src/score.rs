//! Which memories reach the agent before a task, which stay silent, and why.
//!
//! A score is its list of named parts and nothing else: what `--explain`
//! prints is what was added up, so the two cannot drift apart. [`choose`] looks
//! at [`Candidate`]s, which carry what any index can give, and says of every
//! one either its place or the gate that kept it out. Time arrives as an
//! argument; nothing here reads a clock.
//!
//! Two profiles. *classic* is origin `003` to the letter. *hybrid* puts
//! relevance first, lets importance set how much of it is needed, and stays
//! silent when nothing is relevant.

mod background;
mod candidate;
mod choose;
mod classic;
mod everyday;
mod hybrid;
mod related;
mod replace;
mod shelf;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::entry::{Importance, Status};
use crate::rank::Part;
use crate::slug::Slug;
use crate::trust::Trust;

pub use self::candidate::{Alike, Called, Candidate, Facts, Gist, Whole, rest_of};
pub use self::choose::{choose, choose_by};
pub use self::classic::default_tags;
pub(crate) use self::replace::says_correction;
pub use self::shelf::Shelf;

/// How scores are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Origin `003`'s rules.
    Classic,
    /// Relevance first.
    #[default]
    Hybrid,
}

impl Profile {
    /// The word used in settings and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Hybrid => "hybrid",
        }
    }

    /// Reads the word used in settings.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Classic, Self::Hybrid].into_iter().find(|profile| profile.as_str() == word)
    }
}

/// What an agent or a person may set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How scores are made.
    pub profile: Profile,
    /// At most so many memories.
    pub max: usize,
    /// Nothing less important enters.
    pub min_importance: Importance,
    /// The agent's own tags; `None` takes [`default_tags`].
    pub agent_tags: Option<Vec<String>>,
    /// Points that this agent's memories get on top.
    pub score_bonus: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            max: 5,
            min_importance: Importance::Low,
            agent_tags: None,
            score_bonus: 0.0,
        }
    }
}

/// A score from 0 to 100: the sum of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    parts: Vec<Part>,
}

impl Score {
    /// A score of these parts; one that leaves 0 to 100 gets a last part, `limit`, that brings it back.
    pub fn of(parts: impl IntoIterator<Item = Part>) -> Self {
        let mut parts: Vec<Part> = parts.into_iter().filter(|part| part.points != 0.0).collect();
        let sum: f32 = parts.iter().map(|part| part.points).sum();
        if !(0.0..=100.0).contains(&sum) {
            parts.push(Part { name: "limit", points: sum.clamp(0.0, 100.0) - sum });
        }
        Self { parts }
    }

    /// What it is made of; parts without points are left out.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The sum of the parts.
    pub fn total(&self) -> f32 {
        // Adding and taking away may leave a rounding error at the ends.
        self.parts.iter().map(|part| part.points).sum::<f32>().clamp(0.0, 100.0)
    }
}

/// What became of one candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Which memory.
    pub slug: Slug,
    /// What it scored.
    pub score: Score,
    /// How relevant it is, in points; what [`Gate::Relevance`] looks at.
    pub relevance: f32,
    /// Whether it enters.
    pub outcome: Outcome,
}

/// Whether a candidate enters.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It enters.
    Chosen {
        /// Its place, from 1.
        rank: usize,
    },
    /// It stays silent.
    Out {
        /// What kept it out.
        gate: Gate,
    },
}

impl Outcome {
    /// Whether the candidate enters.
    pub fn is_chosen(&self) -> bool {
        matches!(self, Self::Chosen { .. })
    }
}

/// What kept a candidate out.
#[derive(Clone, Debug, PartialEq)]
pub enum Gate {
    /// It is not in use.
    Status(Status),
    /// Its words are not worth being injected.
    Trust(Trust),
    /// Another memory replaces it.
    Superseded {
        /// That memory.
        by: Slug,
    },
    /// It is less important than the settings ask for.
    MinImportance {
        /// What they ask for.
        needed: Importance,
        /// What it has.
        had: Importance,
    },
    /// No trigger matches (classic).
    Trigger,
    /// It is not relevant enough for its importance.
    Relevance {
        /// What its importance asks for, in points.
        needed: f32,
        /// What it has.
        had: f32,
        /// How much of what is needed is because of the task itself: more for an errand, less for what asks for experience.
        errand: f32,
    },
    /// A newer memory says that it was wrong.
    Corrected {
        /// That memory.
        by: Slug,
    },
    /// A better candidate says the same.
    Duplicate {
        /// That candidate.
        of: Slug,
    },
    /// Better ones filled all places.
    Full {
        /// How many places there are.
        max: usize,
    },
}

impl Gate {
    /// The gate's name, for JSON and receipts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status(_) => "status",
            Self::Trust(_) => "trust",
            Self::Superseded { .. } => "superseded",
            Self::MinImportance { .. } => "min-importance",
            Self::Trigger => "trigger",
            Self::Relevance { .. } => "relevance",
            Self::Corrected { .. } => "corrected",
            Self::Duplicate { .. } => "duplicate",
            Self::Full { .. } => "full",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "its status is {}", status.as_str()),
            Self::Trust(_) => {
                write!(
                    f,
                    "nobody has approved this text yet: it was imported, came with the files or was changed by hand (`rawko trust`)"
                )
            }
            Self::Superseded { by } => write!(f, "`{by}` replaces it"),
            Self::MinImportance { needed, had } => {
                write!(f, "its importance is {}, and at least {} is asked for", had.as_str(), needed.as_str())
            }
            Self::Trigger => write!(f, "none of its triggers matches"),
            Self::Relevance { needed, had, errand } => {
                write!(
                    f,
                    "it needs {needed:.1} points of relevance (trigger, words, meaning, found in) and has {had:.1}"
                )?;
                match *errand {
                    more if more >= 1.0 => {
                        write!(f, "; the task reads like an errand, which asks for {more:.1} more")
                    }
                    less if less <= -1.0 => {
                        write!(f, "; {:.1} less than usual, as the task asks for experience", -less)
                    }
                    _ => Ok(()),
                }
            }
            Self::Corrected { by } => write!(f, "`{by}` is newer and corrects it"),
            Self::Duplicate { of } => write!(f, "`{of}` says the same and scores higher"),
            Self::Full { max } => write!(f, "better ones filled all {max} places"),
        }
    }
}
