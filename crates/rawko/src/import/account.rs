//! The account of an import: what became of every item, so that the numbers add up.

use rawko_core::Slug;

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// A memory, or an entry of one.
    Imported {
        /// The memory.
        slug: Slug,
        /// Why it waits, beyond being imported: it reads like orders, or hides something.
        waits: Option<String>,
        /// How many secrets were taken out.
        secrets: usize,
    },
    /// Nothing: this memory says it already.
    Known(Slug),
    /// Nothing, for this reason.
    Skipped {
        /// Why.
        why: String,
        /// Whether the file is damaged there.
        damaged: bool,
    },
}

/// An item, where it stands, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The form of its file; empty where the file could not be read.
    pub format: &'static str,
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What the other tool calls it; may be empty.
    pub item: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// What became of it.
    pub became: Became,
}

/// What an import found and did.
#[derive(Clone, Debug, Default)]
pub struct ImportAccount {
    /// Every item, in the order of the files.
    pub outcomes: Vec<ImportOutcome>,
    /// How many files were read.
    pub files: usize,
    /// How many files of no known form stood among them.
    pub passed_over: usize,
}

impl ImportAccount {
    /// How many items became memories.
    pub fn imported(&self) -> usize {
        self.count(|became| matches!(became, Became::Imported { .. }))
    }

    /// How many items were known already.
    pub fn known(&self) -> usize {
        self.count(|became| matches!(became, Became::Known(_)))
    }

    /// How many items were skipped.
    pub fn skipped(&self) -> usize {
        self.count(|became| matches!(became, Became::Skipped { .. }))
    }

    /// How many of the skipped ones are damaged.
    pub fn damaged(&self) -> usize {
        self.count(|became| matches!(became, Became::Skipped { damaged: true, .. }))
    }

    fn count(&self, wanted: impl Fn(&Became) -> bool) -> usize {
        self.outcomes.iter().filter(|outcome| wanted(&outcome.became)).count()
    }
}
