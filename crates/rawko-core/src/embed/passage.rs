//! A Markdown body cut into passages of about a hundred words.
//!
//! One vector for a long text is the average of everything and near to
//! nothing; the best of its passages finds what one paragraph says. Passages
//! are whole blocks where they fit: paragraphs and code fences are joined up
//! to [`MOST_WORDS`], a heading opens a passage, and a block that is too long
//! is cut at a line or sentence, else at a word.

use std::ops::Range;

/// No passage has more words.
const MOST_WORDS: usize = 120;

/// Cuts `text` into passages: byte ranges in order that cover every word exactly once.
pub fn passages(text: &str) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let mut held: Option<Held> = None;
    for block in blocks(text) {
        for part in parts(text, block) {
            held = Some(match held {
                Some(before) if before.takes(&part) => before.with(&part),
                before => {
                    passages.extend(before.map(|held| held.range));
                    part
                }
            });
        }
    }
    passages.extend(held.map(|held| held.range));
    passages
}

/// What will be one passage, or part of one.
struct Held {
    range: Range<usize>,
    words: usize,
    opens: bool,
    only_headings: bool,
}

impl Held {
    fn takes(&self, next: &Self) -> bool {
        self.words + next.words <= MOST_WORDS && (self.only_headings || !next.opens)
    }

    fn with(self, next: &Self) -> Self {
        Self {
            range: self.range.start..next.range.end,
            words: self.words + next.words,
            opens: self.opens,
            only_headings: self.only_headings && next.only_headings,
        }
    }
}

/// A run of lines that belong together.
struct Block {
    range: Range<usize>,
    heading: bool,
}

/// Paragraphs, headings and code fences, without the blank lines between them.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false; // whether the next line may join the last block
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end().len();
        start += line.len();
        let marker = fence_marker(line);
        let heading = fence.is_none() && is_heading(line);
        let joins = fence.is_some() || (open && !heading && marker.is_none());
        let blank = line.trim().is_empty();
        open = !heading && (fence.is_some() || !blank);
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(opened), Some(closes)) if closes.starts_with(opened) && line.trim() == closes => {
                (fence, open) = (None, false);
            }
            _ => {}
        }
        match blocks.last_mut() {
            _ if blank => {}
            Some(last) if joins => last.range.end = range.end,
            _ => blocks.push(Block { range, heading }),
        }
    }
    blocks
}

/// The run of backticks or tildes that opens or closes a code fence.
fn fence_marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = &line[..line.len() - line.trim_start_matches(mark).len()];
    (run.len() >= 3).then_some(run)
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && after.starts_with([' ', '\t', '\n'])
}

/// A block whole, or in pieces of at most [`MOST_WORDS`].
fn parts(text: &str, block: Block) -> Vec<Held> {
    let words = words(text, block.range);
    let mut parts = Vec::new();
    let mut rest = &words[..];
    while let Some(first) = rest.first() {
        let (part, behind) = rest.split_at(cut(text, rest));
        let range = first.start..part.last().map_or(first.end, |last| last.end);
        let opens = block.heading && parts.is_empty();
        parts.push(Held { range, words: part.len(), opens, only_headings: block.heading });
        rest = behind;
    }
    parts
}

/// How many of `words` go into the next part: all, or up to the last line or sentence that ends in time.
fn cut(text: &str, words: &[Range<usize>]) -> usize {
    if words.len() <= MOST_WORDS {
        return words.len();
    }
    let ends_well = |count: &usize| {
        let (word, next) = (&words[count - 1], &words[*count]);
        text[word.end..next.start].contains('\n') || text[word.clone()].ends_with(['.', '!', '?', ';', ':'])
    };
    (MOST_WORDS / 2..=MOST_WORDS).rev().find(ends_well).unwrap_or(MOST_WORDS)
}

fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = range.start;
    for word in text[range].split_inclusive(char::is_whitespace) {
        let end = start + word.trim_end().len();
        if end > start {
            words.push(start..end);
        }
        start += word.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut_up(text: &str) -> Vec<&str> {
        passages(text).into_iter().map(|range| &text[range]).collect()
    }

    fn many(word: &str, count: usize) -> String {
        vec![word; count].join(" ")
    }

    #[test]
    fn short_paragraphs_are_one_passage() {
        assert_eq!(cut_up("\nOne.\n\nTwo.\n"), ["One.\n\nTwo."]);
        assert!(cut_up(" \n\n").is_empty());
    }

    #[test]
    fn a_heading_opens_a_passage_and_stays_with_what_follows() {
        let text = "Before.\n# Deploys\n## Order\nFirst this.\n\nThen that.\n## Undo\nBack.";
        assert_eq!(
            cut_up(text),
            ["Before.", "# Deploys\n## Order\nFirst this.\n\nThen that.", "## Undo\nBack."]
        );
    }

    #[test]
    fn a_code_fence_is_one_block_whatever_it_holds() {
        let text = format!("{}\n\n```sh\n# no heading\n\nrun {}\n```\nAfter.", many("a", 100), many("b", 60));
        let cut = cut_up(&text);
        assert_eq!(cut.len(), 2);
        assert!(cut[1].starts_with("```sh\n# no heading\n\nrun") && cut[1].ends_with("```\nAfter."));
    }

    #[test]
    fn a_long_paragraph_is_cut_at_a_sentence() {
        let text = format!("{}. {}", many("one", 90), many("two", 90));
        assert_eq!(cut_up(&text), [format!("{}.", many("one", 90)), many("two", 90)]);
    }

    #[test]
    fn a_long_paragraph_without_a_sentence_is_cut_at_a_word() {
        let lengths: Vec<usize> =
            cut_up(&many("word", 300)).iter().map(|passage| passage.split_whitespace().count()).collect();
        assert_eq!(lengths, [120, 120, 60]);
    }

    proptest! {
        #[test]
        fn every_word_is_in_exactly_one_passage(text in "([a-z]{1,3}[ .]|\n|# |```|~~~|é |\\PC){0,400}") {
            let joined = cut_up(&text).join(" ");
            prop_assert!(joined.split_whitespace().eq(text.split_whitespace()));
            prop_assert!(cut_up(&text).iter().all(|passage| passage.split_whitespace().count() <= MOST_WORDS));
        }
    }
}
