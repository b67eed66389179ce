//! Printing: colour where it is wanted, and never a control byte of anyone else's.

use std::env;
use std::io::{self, IsTerminal, Write};

use rawko::core::{inert, inert_json, inert_line};
use serde_json::Value;

use crate::args::Colour;
use crate::error::Failure;

/// Wider than anything that is shown.
const UNCUT: usize = 1 << 20;
/// The narrowest a name or a title is cut to, in columns.
const NARROWEST: usize = 12;

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Output {
    colour: bool,
    width: usize,
    /// Where sentences are broken; what is not for a terminal stays one line.
    columns: Option<usize>,
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
        let asked: Option<usize> = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        // What goes to another program is not cut: it is searched there.
        let fits = || if terminal { size().unwrap_or(80) } else { UNCUT };
        let width = asked.unwrap_or_else(fits);
        let columns = (terminal || asked.is_some()).then_some(width.max(NARROWEST));
        Self { colour, width: width.max(60), columns }
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

    /// Prints a sentence of our own, broken between words where the terminal is narrower than it.
    pub(crate) fn say(&self, text: impl AsRef<str>) -> Result<(), Failure> {
        self.line(broken(text.as_ref(), self.columns.unwrap_or(usize::MAX)))
    }

    /// Tells a person something beside the answer, which a script reads.
    pub(crate) fn note(&self, text: &str) {
        // An answer that nobody can be told about is an answer all the same.
        let _ = writeln!(io::stderr(), "{text}");
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
        widths[last] = widths[last].min(free.saturating_sub(widths[0]).max(NARROWEST));
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

/// The text in lines of at most `columns`, the later ones set in further than the first; no word is cut.
fn broken(text: &str, columns: usize) -> String {
    let set_in = text.len() - text.trim_start_matches(' ').len();
    let mut lines = " ".repeat(set_in);
    let (mut taken, mut begun) = (set_in, false);
    for word in text[set_in..].split(' ') {
        let wide = width(&undressed(word));
        if begun && taken + 1 + wide > columns {
            lines.push('\n');
            lines.push_str(&" ".repeat(set_in + 2));
            taken = set_in + 2;
        } else if begun {
            lines.push(' ');
            taken += 1;
        }
        lines.push_str(word);
        taken += wide;
        begun = true;
    }
    lines
}

/// The text without the colours of [`Output::paint`].
fn undressed(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once('m').map_or(part, |(_, rest)| rest))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_broken_between_words_and_a_long_word_is_left_whole() {
        assert_eq!(broken("one two three", 7), "one two\n  three");
        assert_eq!(broken("  do: one two", 10), "  do: one\n    two");
        assert_eq!(broken("a-name-that-is-long is saved", 8), "a-name-that-is-long\n  is\n  saved");
        assert_eq!(broken("漢字 漢字", 8), "漢字\n  漢字");
        assert_eq!(broken("as  it is ", usize::MAX), "as  it is ");
    }

    #[test]
    fn colours_take_no_columns() {
        let text = "\u{1b}[1mone\u{1b}[0m two";
        assert_eq!(broken(text, 7), text);
        assert_eq!(broken(text, 6), "\u{1b}[1mone\u{1b}[0m\n  two");
    }
}
