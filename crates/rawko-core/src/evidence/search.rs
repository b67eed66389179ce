//! Whether given words still stand in a text, and what is left of them.

use super::lang::Lang;
use super::words::{Lexed, Passage, View, Word, is_word};

/// What became of a snippet in one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Its words stand there.
    Whole,
    /// They do, but the value goes on: `3` became `3 * 10`. `surely` if that needs no older text to tell.
    Extended { surely: bool },
    /// Only the key does.
    Key,
    /// Nothing does.
    Nothing,
}

/// Words to look for.
#[derive(Debug)]
pub(crate) struct Snippet {
    lexed: Lexed,
    view: View,
    words: Vec<Word>,
}

impl Snippet {
    /// Reads a snippet in the language of the file it was taken from.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let lexed = Lexed::new(path, text.to_owned());
        let view = if lexed.is_comment() { View::All } else { View::Code };
        let mut words = lexed.all_words(view);
        // The comma behind the last member of a list comes and goes.
        if words.len() > 1 && words.last().is_some_and(|w| lexed.word(w.token as usize) == ",") {
            words.pop();
        }
        Self { lexed, view, words }
    }

    /// A word that every text with this snippet or its key must contain.
    pub(crate) fn rarest(&self) -> &str {
        let key = &self.words[..self.key_length()];
        let words = key.iter().map(|w| self.lexed.word(w.token as usize));
        words.max_by_key(|w| w.len()).unwrap_or("")
    }

    /// Looks for the snippet in a text.
    pub(crate) fn find_in(&self, file: &Lexed) -> Found {
        let words = file.all_words(self.view);
        let mut best = Found::Nothing;
        for at in self.starts(&words, &self.words) {
            let Some(end) = self.matches(file, &words, at) else { continue };
            match self.extension(file, &words, end) {
                None => return Found::Whole,
                Some(surely) => best = Found::Extended { surely },
            }
        }
        let key = self.key();
        if best == Found::Nothing && self.starts(&words, key).any(|at| has_prefix(&words[at..], key)) {
            best = Found::Key;
        }
        best
    }

    fn starts<'w>(&self, words: &'w [Word], of: &[Word]) -> impl Iterator<Item = usize> + 'w {
        let first = of.first().map(|w| w.hash);
        words.iter().enumerate().filter(move |(_, w)| Some(w.hash) == first).map(|(at, _)| at)
    }

    /// The index behind the match that begins at `at`. A type may have come between a name and its `=`.
    fn matches(&self, file: &Lexed, words: &[Word], at: usize) -> Option<usize> {
        if continues_a_name(file, words, at) {
            return None;
        }
        let mut here = at;
        for (count, want) in self.words.iter().enumerate() {
            let is_equals = self.word(count) == "=" && count > 0 && is_word(self.word(count - 1));
            if words.get(here)?.hash != want.hash && is_equals {
                here = behind_annotation(file, words, here)?;
            }
            if words.get(here)?.hash != want.hash {
                return None;
            }
            here += 1;
        }
        Some(here)
    }

    /// Whether the value that ends before `end` goes on there.
    fn extension(&self, file: &Lexed, words: &[Word], end: usize) -> Option<bool> {
        let has_value = self.words.iter().enumerate().any(|(i, _)| matches!(self.word(i), "=" | ":"));
        let last = self.word(self.words.len().checked_sub(1)?);
        if !has_value || !(is_word(last) || matches!(last, "\"" | "'" | "`" | ")" | "]")) {
            return None;
        }
        let (before, next) = (words[end - 1].token as usize, words.get(end)?.token as usize);
        if file.tokens[before].line != file.tokens[next].line {
            return None;
        }
        let glued = file.tokens[before].end == file.tokens[next].start;
        let is_number = last.starts_with(|c: char| c.is_ascii_digit());
        match file.word(next) {
            "-" | "." | "/" | "@" | ":" | "+" if glued => {
                let more = file.tokens.get(next + 1);
                let is_more =
                    more.is_some_and(|t| t.start == file.tokens[next].end) && is_word(file.word(next + 1));
                is_more.then_some(is_number)
            }
            "%" if glued => Some(true),
            "(" | "[" if glued && is_word(last) => Some(false),
            "*" | "/" | "+" | "-" | "%" | "<" | "^" => Some(is_number),
            "|" | "&" | "?" | "or" | "and" | "if" => Some(false),
            _ => None,
        }
    }

    /// What names the value: up to and with the first `=` or `:`, else the first half.
    fn key(&self) -> &[Word] {
        &self.words[..self.key_length()]
    }

    fn key_length(&self) -> usize {
        let separator = (1..self.words.len()).find(|&i| matches!(self.word(i), "=" | ":"));
        match separator {
            Some(at) if at > 1 && is_word(self.word(at - 1)) => at,
            Some(at) => at + 1,
            None => self.words.len().div_ceil(2),
        }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |w| self.lexed.word(w.token as usize))
    }
}

/// Whether the word at `at` is the end of a name with dashes: `max` in `idle-max`.
fn continues_a_name(file: &Lexed, words: &[Word], at: usize) -> bool {
    let token = words[at].token as usize;
    let glued = |a: usize| file.tokens[a].end == file.tokens[a + 1].start;
    token >= 2
        && is_word(file.word(token))
        && file.word(token - 1) == "-"
        && is_word(file.word(token - 2))
        && glued(token - 1)
        && glued(token - 2)
}

/// The index of the `=` behind `: Type`.
fn behind_annotation(file: &Lexed, words: &[Word], at: usize) -> Option<usize> {
    let line = |i: usize| words.get(i).map(|w| file.tokens[w.token as usize].line);
    let word = |i: usize| words.get(i).map_or("", |w| file.word(w.token as usize));
    if word(at) != ":" {
        return None;
    }
    (at + 1..at + 12).take_while(|i| line(*i) == line(at)).find(|i| word(*i) == "=")
}

fn has_prefix(words: &[Word], prefix: &[Word]) -> bool {
    words.len() >= prefix.len() && words.iter().zip(prefix).all(|(a, b)| a.hash == b.hash)
}

/// Whether a passage stands in a text.
pub(crate) fn holds_passage(file: &Lexed, passage: Passage) -> bool {
    let stands = |view| !passage.places(&file.all_words(view)).is_empty();
    if stands(View::Code) || stands(View::Lines) {
        return true;
    }
    // A passage that is itself a comment; code that was put between comment marks is not meant.
    let all = file.all_words(View::All);
    let opens_comment = |at: &usize| {
        let token = &file.tokens[all[*at].token as usize];
        matches!(file.word(all[*at].token as usize), "/" | "#" | "*" | "-" | "<" | ";")
            && !is_code_line(file, token.line)
    };
    passage.places(&all).iter().any(opens_comment)
}

fn is_code_line(file: &Lexed, line: u32) -> bool {
    file.tokens.iter().any(|t| t.line == line && t.place == super::words::Place::Code)
}

/// How much two texts share, from 0 to 1, order aside.
pub(crate) fn likeness(a: &[Word], b: &[Word]) -> f32 {
    let sorted = |words: &[Word]| {
        let mut hashes: Vec<u64> = words.iter().map(|w| w.hash).collect();
        hashes.sort_unstable();
        hashes
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut i, mut j, mut shared) = (0, 0, 0_usize);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    let total = a.len() + b.len();
    if total == 0 { 1.0 } else { 2.0 * shared as f32 / total as f32 }
}

/// Whether a file is meant for people rather than machines.
pub(crate) fn is_page(path: &str) -> bool {
    Lang::of(path).page
}
