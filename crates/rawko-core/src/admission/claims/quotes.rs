//! What a sentence says of a file that stands in it, word for word: what a change of the file would make untrue.
//!
//! Code in backticks and quoted words are looked for as they are. A value is
//! looked for beside its name: where both stand in one line of the file and in
//! the sentence, the stretch between them is what the sentence rests on.

use std::collections::HashSet;

use super::super::read::{Span, spans};
use super::Checker;

/// Longest words that are quoted, in bytes; a single one has at least so many.
const LONGEST: usize = 200;
const SHORTEST: usize = 4;
/// Most lines of a file that are looked at, and the longest, in bytes.
const LINES: usize = 5_000;
const LONG_LINE: usize = 500;
/// Most that one sentence is said to rest on.
const MOST: usize = 4;

impl Checker<'_> {
    /// Notes the words of the sentence's files that it repeats.
    pub(super) fn quotes(&mut self) {
        let mut found = Vec::new();
        for file in &self.named {
            let Some(text) = self.ground.text(file) else { continue };
            let squeezed = squeeze(&text);
            let stands = |words: &&str| squeezed.contains(&squeeze(words)) && !file.ends_with(words.trim());
            let quoted: Vec<String> =
                quoted(self.sentence).into_iter().filter(stands).map(str::to_owned).collect();
            let is_quoted =
                |value: &String| quoted.iter().any(|known| squeeze(known).contains(&squeeze(value)));
            let values = values(self.sentence, &text).into_iter().filter(|value| !is_quoted(value)).collect();
            found.extend([quoted, values].concat().into_iter().take(MOST).map(|words| (file.clone(), words)));
        }
        for pair in found {
            if !self.checked.texts.contains(&pair) {
                self.checked.texts.push(pair);
            }
        }
    }
}

/// Code in backticks and words in quotes that are long enough to mean something in a file.
fn quoted(sentence: &str) -> Vec<&str> {
    let of = |span| match span {
        Span::Code(code) => vec![code],
        Span::Prose(prose) => prose.split('"').skip(1).step_by(2).collect(),
    };
    let means = |words: &&str| {
        let length = squeeze(words).len();
        (SHORTEST..=LONGEST).contains(&length) && words.chars().any(char::is_alphanumeric)
    };
    spans(sentence).into_iter().flat_map(of).map(str::trim).filter(means).collect()
}

/// A text without what no comparison of words sees.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !"\"'`;,".contains(*c)).collect()
}

/// The stretches of a file's lines from a name to its value, where the sentence says both.
fn values(sentence: &str, text: &str) -> Vec<String> {
    let said: HashSet<String> = words(sentence).map(|(_, word)| word.to_lowercase()).collect();
    let lines = text.lines().take(LINES).filter(|line| line.len() <= LONG_LINE);
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        let words: Vec<(usize, &str)> =
            words(line).filter(|(_, word)| said.contains(&word.to_lowercase())).collect();
        let stretch = words.windows(2).find_map(|pair| {
            let [(start, name), (at, value)] = pair else { return None };
            let stretch = &line[*start..at + value.len()];
            is_set(name, value, &stretch[name.len()..stretch.len() - value.len()]).then_some(stretch)
        });
        if let Some(stretch) = stretch.filter(|stretch| !found.iter().any(|known| known == stretch)) {
            found.push(stretch.to_owned());
        }
    }
    found
}

/// Whether a name is given a value: by what stands between them, or by a version behind it.
fn is_set(name: &str, value: &str, between: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_version = has_digit && value.matches('.').count() >= 2;
    let is_name = name.len() > 1 && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_value = has_digit || between.ends_with(['"', '\'']);
    is_name && is_value && (between.contains(['=', ':']) || is_version && between.trim().is_empty())
}

/// The words of a line with their places: letters, digits, and the marks within versions and names.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + line[rest..].find(is_part)?;
        let end = line[start..].find(|c| !is_part(c)).map_or(line.len(), |at| start + at);
        rest = end;
        Some((start, &line[start..end]))
    })
    .map(|(start, word)| {
        let word_start = word.len() - word.trim_start_matches(['.', '-']).len();
        (start + word_start, word.trim_matches(['.', '-']))
    })
    .filter(|(_, word)| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_beside_its_name() {
        let set = |sentence: &str, text: &str| values(sentence, text).join("|");
        assert_eq!(
            set("`retry.ts` tries MAX_RETRIES 5 times.", "export const MAX_RETRIES: number = 5;\n"),
            "MAX_RETRIES: number = 5"
        );
        assert_eq!(set("The API listens on port 4000.", "HOST=x\nPORT=4000\nPORT=40001\n"), "PORT=4000");
        assert_eq!(
            set("The project pins stripe 14.2.0.", "  \"stripe\": \"14.2.0\",\n"),
            "stripe\": \"14.2.0"
        );
        assert_eq!(set("MODE must be half-up.", "MODE = 'half-up'\n"), "MODE = 'half-up");
        assert_eq!(set("It needs go 1.22.1.", "go 1.22.1\n"), "go 1.22.1");
        // Not beside it, another value, and words that set nothing.
        for (sentence, text) in [
            ("The port is 4000.", "PORT=3000\nSIZE=4000\n"),
            ("Read the page, it is short.", "page: short and sweet\n"),
            ("Version 2 of the plan.", "the plan 2\n"),
        ] {
            assert_eq!(set(sentence, text), "", "{sentence}");
        }
    }

    #[test]
    fn code_and_quoted_words_are_taken_as_they_are() {
        assert_eq!(
            quoted("`a` sets `MAX = 5` and says \"no such key\" or \"x\"."),
            ["MAX = 5", "no such key"]
        );
    }
}
