//! Turns a YAML error into the line to write instead.
//!
//! Most broken frontmatter is one line that is nearly right: a missing pair of
//! quotes, a tab, a colon. The parser often notices late, so every suspicious
//! line up to there gets mended forms, and the first one that takes the
//! reader further is the remedy: carried out to the letter, it works. A form
//! that leaves the fault where it was is never offered.
//!
//! [`suspects`] says what may be wrong with a line, [`flow`] mends lists in
//! brackets; nothing here knows what a field means.

mod flow;
mod suspects;

use granit_parser::ScanError;

use crate::problem::Problem;
use crate::yaml::{fault_line, quote};

pub(crate) use self::flow::{bare, item_end, quoted_list};
use self::suspects::{Suspect, split, suspects, without_tabs};
pub(crate) use self::suspects::{bad_field, body_start, indent_of, value_start};

/// At most this many mended forms are tried; a file of bad lines stays cheap.
const MAX_TRIES: usize = 24;
/// At most this many lines are looked at.
const MAX_LINES: usize = 200;
/// Where trying is dear, only the likeliest form is tried.
const LARGE: usize = 256 * 1024;

/// What would make a line right.
pub(crate) enum Mend {
    /// Write this line instead.
    Instead(String),
    /// Write these two lines instead.
    Split(String, String),
    /// Add this line above.
    Above(String),
    /// The body starts here: close the frontmatter above this line.
    CloseAbove,
    /// Only a person knows which lines to keep.
    Resolve,
}

/// The remedy that replaces a line.
pub(crate) fn instead(line: &str) -> String {
    format!("write `{line}`")
}

impl Mend {
    /// What to do, in words.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Instead(line) => instead(line),
            Self::Split(first, second) => format!("write `{first}`, and below it `{second}`"),
            Self::Above(line) => format!("add the line `{line}` above this line"),
            Self::CloseAbove => "if the body starts here, write a `---` line above this line".to_owned(),
            Self::Resolve => "keep the lines that are right and delete the marker lines".to_owned(),
        }
    }

    /// The text with the remedy carried out at a line, from 0; `None` where only a person can.
    fn carried_out(&self, lines: &[&str], at: usize) -> Option<String> {
        let (above, below) = (&lines[..at], &lines[at + 1..]);
        let new: Vec<&str> = match self {
            Self::Instead(line) => vec![line],
            Self::Split(first, second) => vec![first, second],
            Self::Above(line) => vec![line, lines[at]],
            Self::CloseAbove => return Some(above.join("\n")),
            Self::Resolve => return None,
        };
        Some([above, &new, below].concat().join("\n"))
    }

    /// Whether the reader gets beyond line `reported`, from 1, once the line `at`, from 0, is mended.
    fn helps(&self, lines: &[&str], at: usize, reported: usize) -> bool {
        // Where one line is indented by tabs others are too, and they have remedies of their own.
        let blanks = |text: String| text.lines().map(without_tabs).collect::<Vec<_>>().join("\n");
        let further = |text: String| fault_line(&blanks(text)).is_none_or(|line| line > reported);
        self.carried_out(lines, at).is_none_or(further)
    }
}

/// Explains a parser error by the line that most likely caused it.
pub(crate) fn teach(text: &str, error: &ScanError) -> Problem {
    let lines: Vec<&str> = text.lines().collect();
    let mark = error.marker();
    let reported = mark.line().clamp(1, lines.len().max(1));
    let near =
        [reported - 1, reported.saturating_sub(2), reported].into_iter().filter(|&line| line < lines.len());
    let tries = if text.len() > LARGE { 1 } else { MAX_TRIES };
    let above = 0..reported.saturating_sub(2).min(lines.len());
    let looked = near.chain(above).take(MAX_LINES);
    let mut found = looked.flat_map(|line| suspects(&lines, line)).take(tries);
    match found.find(|suspect| suspect.mend.helps(&lines, suspect.line, reported)) {
        Some(suspect) => suspect.problem(),
        None => Problem::error(
            reported,
            mark.col() + 1,
            format!("this is no valid YAML ({})", error.info().replace('\n', " ")),
            "write each field as `key: value`; put values with special characters in \"double quotes\"",
        ),
    }
}

/// Explains something that YAML allows and a frontmatter does not, at or right after a place (from 1).
///
/// The `what` names the sign that has the meaning; the parser points behind tags and anchors.
pub(crate) fn refuse(text: &str, (line, column): (usize, usize), what: &str) -> Problem {
    let lines: Vec<&str> = text.lines().collect();
    let sign = what.split('`').nth(1).and_then(|sign| sign.chars().next());
    let raw = lines.get(line - 1).copied().unwrap_or_default();
    let upto = raw.chars().take(column).enumerate();
    let column = upto.filter(|&(_, c)| Some(c) == sign).last().map_or(column, |(at, _)| at + 1);
    let found = if line > lines.len() { Vec::new() } else { suspects(&lines, line - 1) };
    let whole = quoted_value(raw).map(Mend::Instead);
    let mut mends = found.into_iter().map(|suspect| suspect.mend).chain(whole);
    let mend = mends.find(|mend| !matches!(mend, Mend::CloseAbove) && mend.helps(&lines, line - 1, line));
    let remedy = mend.map_or_else(|| "put the value in quotes".to_owned(), |mend| mend.remedy());
    Problem::error(line, column, what, remedy)
}

impl Suspect {
    fn problem(&self) -> Problem {
        Problem::error(self.line + 1, self.column, self.what.clone(), self.mend.remedy())
    }
}

/// How to make one text of a list's item that is none, at a place (from 1); `flow` if it stands in brackets.
pub(crate) fn as_text(text: &str, (line, column): (usize, usize), flow: bool) -> Mend {
    let raw = text.lines().nth(line - 1).unwrap_or_default();
    if let Some(mend) = split(raw).filter(|_| !flow) {
        return mend;
    }
    if !flow {
        return Mend::Instead(quoted_item(raw));
    }
    let start = byte_at(raw, column);
    let end = start + item_end(&raw[start..]);
    Mend::Instead(format!("{}{}{}", &raw[..start], quote(bare(&raw[start..end])), &raw[end..]))
}

/// Where a column, from 1, begins in a line.
pub(crate) fn byte_at(line: &str, column: usize) -> usize {
    line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at)
}

/// The line with its value, or its whole list item, in quotes.
fn quoted_item(line: &str) -> String {
    let indent = indent_of(line);
    match line[indent..].strip_prefix("- ") {
        Some(item) => format!("{}- {}", &line[..indent], quote(bare(item))),
        None => quoted_value(line).unwrap_or_else(|| quote(line)),
    }
}

/// The line with its whole value in quotes.
pub(crate) fn quoted_value(line: &str) -> Option<String> {
    let start = value_start(line)?;
    Some(format!("{}{}", &line[..start], quote(line[start..].trim_end())))
}
