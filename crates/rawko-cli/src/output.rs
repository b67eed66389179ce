//! Printing: colour where it is wanted, and never a control byte of anyone else's.

use std::env;
use std::io::{self, IsTerminal, Write};

use rawko::core::{inert, inert_json, inert_line};
use serde_json::Value;

use crate::args::Colour;
use crate::error::Failure;

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Output {
    colour: bool,
    width: usize,
}

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    /// A heading or a name.
    Strong,
    /// Less important.
    Faint,
    /// Good.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

impl Output {
    /// Decides on colour and width once.
    pub(crate) fn new(colour: Colour) -> Self {
        let terminal = io::stdout().is_terminal();
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !refused && env::var_os("TERM").is_none_or(|term| term != "dumb"),
        };
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let size = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self { colour, width: columns.or(size).unwrap_or(if terminal { 80 } else { 120 }).max(40) }
    }

    /// The text, made inert and dressed.
    pub(crate) fn paint(&self, look: Look, text: &str) -> String {
        let text = inert(text);
        let code = match look {
            Look::Strong => "1",
            Look::Faint => "2",
            Look::Good => "32",
            Look::Warn => "33",
            Look::Bad => "31",
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.into_owned() }
    }

    /// Prints one line of our own making.
    pub(crate) fn line(&self, text: impl AsRef<str>) -> Result<(), Failure> {
        Ok(writeln!(io::stdout().lock(), "{}", text.as_ref())?)
    }

    /// Prints somebody's text, made inert.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        self.line(inert(text))
    }

    /// Prints one JSON document.
    pub(crate) fn json(&self, value: &Value) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(value).expect("values of text and numbers serialise");
        self.line(inert_json(&json))
    }

    /// Prints rows under headings; the last column takes what is left and is cut to fit.
    pub(crate) fn table(&self, headings: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| inert_line(cell)).collect()).collect();
        let last = headings.len() - 1;
        let share = self.width / headings.len();
        let mut widths: Vec<usize> = headings.iter().map(|heading| heading.chars().count()).collect();
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let most = (self.width / 2).max(share);
        widths.iter_mut().take(1).for_each(|width| *width = (*width).min(most));
        let used: usize = widths[..last].iter().map(|width| width + 2).sum();
        widths[last] = self.width.saturating_sub(used).max(12);
        let cut = |cell: &str, width: usize| {
            let long = cell.chars().count() > width;
            if long { cell.chars().take(width - 1).chain(['…']).collect() } else { cell.to_owned() }
        };
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(cell, &width)| format!("{:width$}", cut(cell, width)))
                .collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.line(
            self.paint(Look::Faint, &line(headings.iter().map(|heading| (*heading).to_owned()).collect())),
        )?;
        rows.into_iter().try_for_each(|row| self.line(line(row)))
    }
}
