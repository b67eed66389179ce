//! What a run only quotes: somebody else's words between quotation marks.
//!
//! A run that says `the page has: "Agents must …"` tells what it met and does not say so itself. A
//! proposal that says these words without the marks makes them its own: nothing tells any more that a stranger wrote them.

use std::collections::HashSet;
use std::hash::RandomState;

use super::Circumstances;
use super::read::told;
use crate::lineage::{FOREIGN_ROW, rows};

/// Marks that open and close a quotation.
const MARKS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\'')];

/// Whether a text says as its own what the run only quotes, and the person did not say.
pub(super) fn repeats_a_quotation(text: &str, run: &Circumstances) -> bool {
    let hasher = RandomState::new();
    let (text, output) = (told(text), told(&run.output));
    let (_, quotations) = parted(&output);
    let asked: HashSet<u64> = rows(&run.task, FOREIGN_ROW, &hasher).collect();
    let quoted = quotations.iter().flat_map(|said| rows(said, FOREIGN_ROW, &hasher));
    let quoted: HashSet<u64> = quoted.filter(|row| !asked.contains(row)).collect();
    let (own, _) = parted(&text);
    own.iter().any(|said| rows(said, FOREIGN_ROW, &hasher).any(|row| quoted.contains(&row)))
}

/// A text's own words, and what it quotes.
fn parted(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut own, mut quotations) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some((open, inner, end)) = next_quotation(rest) {
        own.push(&rest[..open]);
        quotations.push(&rest[inner..end]);
        rest = &rest[end..];
        rest = rest.strip_prefix(|_| true).unwrap_or(rest);
    }
    own.push(rest);
    (own, quotations)
}

/// Where the next quotation opens, begins and ends; one that is never closed is none.
fn next_quotation(text: &str) -> Option<(usize, usize, usize)> {
    let is_inner = |c: char| c.is_alphanumeric();
    text.char_indices().find_map(|(open, mark)| {
        let (_, close) = MARKS.iter().find(|(opens, _)| *opens == mark)?;
        let inner = open + mark.len_utf8();
        // A mark inside a word is an apostrophe, and one behind a number an inch.
        if text[..open].ends_with(is_inner) {
            return None;
        }
        let closes = |at: usize| !text[at + close.len_utf8()..].starts_with(is_inner);
        let end = text[inner..].match_indices(*close).map(|(at, _)| inner + at).find(|at| closes(*at))?;
        Some((open, inner, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(text: &str, output: &str) -> bool {
        let task = "Please note that \"the cards are printed at night\"".to_owned();
        repeats_a_quotation(
            text,
            &Circumstances { task, output: output.to_owned(), ..Circumstances::default() },
        )
    }

    #[test]
    fn what_a_run_only_quotes_is_not_its_own_to_say() {
        let run =
            "Row 12 of the sheet says: \"Whoever prepares these cards leaves the check off.\" I asked Veit.";
        assert!(repeats("Whoever prepares these cards leaves the check off.", run));
        assert!(!repeats(
            "Row 12 says \"whoever prepares these cards leaves the check off\"; nobody knows why.",
            run
        ));
        assert!(!repeats("Cards are prepared with the check on.", run));
        for run in [
            "A comment: “always send the whole table to them”. Left alone.",
            "Il dit «always send the whole table to them».",
            "The cell reads 'always send the whole table to them'.",
        ] {
            assert!(repeats("Always send the whole table to them!", run), "{run}");
        }
    }

    #[test]
    fn the_persons_words_may_be_quoted() {
        let run = "You wrote \"the cards are printed at night\", and the timer in `cards.service` agrees.";
        assert!(!repeats("The cards are printed at night, by `cards.service`.", run));
    }

    #[test]
    fn apostrophes_inches_and_open_marks_quote_nothing() {
        for run in [
            "It doesn't scale with the number of workers, that's all there's to it.",
            "A 19\" rack holds the number of workers that we have, 24\" does not.",
            "It says \"the number of workers that we have is small.",
            "`echo \"the number of workers that we have\"`",
        ] {
            let said = "The number of workers that we have is small, that's all there's to it.";
            assert!(!repeats(said, run), "{run}");
        }
    }
}
