//! Printing: colour where it is wanted, and never a control byte of anyone else's.

use std::env;
use std::io::{self, IsTerminal, Write};

use rawko::core::{inert, inert_json, inert_line};
use serde_json::Value;

use crate::args::Colour;
use crate::error::Failure;

/// The narrowest a name or a title is cut to, in columns.
const NARROWEST: usize = 12;

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
        Self { colour, width: columns.or(size).unwrap_or(if terminal { 80 } else { 120 }).max(60) }
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

    /// Prints rows under headings; the first is never cut, and the last has what the others leave.
    pub(crate) fn table(&self, headings: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| inert_line(cell)).collect()).collect();
        let widths = self.widths(headings, &rows);
        let line = |cells: Vec<String>| {
            let cells: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, &width)| fit(cell, width)).collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.line(
            self.paint(Look::Faint, &line(headings.iter().map(|heading| (*heading).to_owned()).collect())),
        )?;
        rows.into_iter().try_for_each(|row| self.line(line(row)))
    }

    fn widths(&self, headings: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
        let last = headings.len() - 1;
        let mut widths: Vec<usize> = headings.iter().map(|heading| width(heading)).collect();
        for row in rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(cell));
            }
        }
        let others: usize = widths[1..last].iter().sum::<usize>() + 2 * last;
        let free = self.width.saturating_sub(others).max(2 * NARROWEST);
        // A name that is cut is no name: what is left goes to the last column, and that may be little.
        widths[last] = free.saturating_sub(widths[0]).max(NARROWEST);
        widths
    }
}

/// How many columns of a terminal a text takes: wide letters and pictures take two, accents none.
pub(crate) fn width(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
            '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3fffd}' => 2,
            _ => 1,
        })
        .sum()
}

/// The cell, cut or filled up to `columns`.
fn fit(cell: &str, columns: usize) -> String {
    let mut cell = cell.to_owned();
    if width(&cell) > columns {
        while width(&cell) >= columns {
            cell.pop();
        }
        cell.push('…');
    }
    cell.push_str(&" ".repeat(columns - width(&cell)));
    cell
}
