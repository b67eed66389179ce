//! What is wrong with a text, where, and what to write instead.
//!
//! Reading never fails as a whole: it yields what is good and a list of
//! problems. A problem names a line and a column of the file it was found in,
//! and its remedy is an instruction a person or a model can carry out.

use serde::Serialize;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The memory works, but somebody should look.
    Warning,
    /// The entry cannot be used.
    Error,
}

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to write or do instead.
    pub remedy: String,
    /// The required field that an entry lacks, where nothing in it was meant to be that field.
    #[serde(skip)]
    pub lacks: Option<&'static str>,
}

impl Problem {
    /// An error at a place.
    pub fn error(line: usize, column: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            line,
            column,
            what: what.into(),
            remedy: remedy.into(),
            lacks: None,
        }
    }

    /// A warning at a place.
    pub fn warning(line: usize, column: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(line, column, what, remedy) }
    }

    /// The same problem, `lines` further down: for text that is part of a larger file.
    pub(crate) fn below(mut self, lines: usize) -> Self {
        self.line += lines;
        self
    }
}
