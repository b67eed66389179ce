//! Text to tokens, as the encoder that the table was distilled from does it.
//!
//! Clean (no control characters, any space is a space), set apart CJK
//! characters, strip accents, lower the case; split at spaces and around every
//! punctuation mark; cut each word into the longest pieces the vocabulary has.
//! The result equals that of the `tokenizers` library, which is what the tests
//! compare with: the rows mean nothing for tokens cut in another way. That is
//! also why the character classes come from the same, old, Unicode tables.
//!
//! One thing is left out on purpose: names of special tokens, such as `[SEP]`,
//! are plain text here.

use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use super::table::{Hash, Table};

/// Longer words are one unknown token.
const MAX_CHARS: usize = 100;
const INSIDE: &[u8] = b"##";

/// Calls `each` with the row of every token of `text` and the word that it is of, in order; `None` is a word the
/// vocabulary cannot spell.
pub(super) fn tokens(table: &Table<'_>, text: &str, mut each: impl FnMut(Option<u16>, &str)) {
    let text = normalise(text);
    let mut ends = [(0, Hash::of(b"")); MAX_CHARS];
    for word in text.split(char::is_whitespace).flat_map(around_punctuation) {
        let mut rows = [0; MAX_CHARS];
        match pieces(table, word, &mut rows, &mut ends) {
            Some(count) => rows[..count].iter().for_each(|&row| each(Some(row), word)),
            None => each(None, word),
        }
    }
}

fn normalise(text: &str) -> String {
    let cleaned = text.chars().filter(|&c| !is_dropped(c)).map(|c| if c.is_whitespace() { ' ' } else { c });
    if text.is_ascii() {
        return cleaned.map(|c| c.to_ascii_lowercase()).collect();
    }
    cleaned
        .flat_map(set_apart)
        .nfd()
        .filter(|&c| c.is_ascii() || !c.is_mark_nonspacing())
        .flat_map(char::to_lowercase)
        .collect()
}

fn is_dropped(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        ' '..='~' => false,
        '\0' | '\u{fffd}' => true,
        _ => c.is_other(),
    }
}

fn set_apart(c: char) -> impl Iterator<Item = char> {
    let space = is_cjk(c).then_some(' ');
    space.into_iter().chain([c]).chain(space)
}

fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0xf900..=0xfaff
            | 0x2f800..=0x2fa1f
    )
}

/// The words of a stretch without spaces: every punctuation mark is a word of its own.
fn around_punctuation(stretch: &str) -> impl Iterator<Item = &str> {
    stretch
        .split_inclusive(is_punctuation)
        .flat_map(|part| {
            let mark = part.chars().next_back().filter(|&c| is_punctuation(c)).map_or(0, char::len_utf8);
            let (word, mark) = part.split_at(part.len() - mark);
            [word, mark]
        })
        .filter(|word| !word.is_empty())
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { c.is_punctuation() }
}

/// Fills `rows` with the pieces of `word`, longest first from the left, and returns how many there are.
fn pieces(
    table: &Table<'_>,
    word: &str,
    rows: &mut [u16; MAX_CHARS],
    ends: &mut [(usize, Hash); MAX_CHARS],
) -> Option<usize> {
    if word.chars().count() > MAX_CHARS {
        return None;
    }
    let (mut count, mut rest, mut prefix) = (0, word, &b""[..]);
    while !rest.is_empty() {
        let (row, length) = longest(table, prefix, rest, ends)?;
        rows[count] = row;
        count += 1;
        rest = &rest[length..];
        prefix = INSIDE;
    }
    Some(count)
}

/// The longest beginning of `rest` that is a token after `prefix`, and its length in bytes.
///
/// `ends` is room for every beginning with its hash, lent so that it is not cleared for each piece.
fn longest(
    table: &Table<'_>,
    prefix: &[u8],
    rest: &str,
    ends: &mut [(usize, Hash); MAX_CHARS],
) -> Option<(u16, usize)> {
    let mut hash = Hash::of(prefix);
    let mut count = 0;
    for (at, c) in rest.char_indices() {
        let end = at + c.len_utf8();
        if prefix.len() + end > table.longest() {
            break;
        }
        hash = hash.then(&rest.as_bytes()[at..end]);
        ends[count] = (end, hash);
        count += 1;
    }
    ends[..count].iter().rev().find_map(|&(end, hash)| {
        let row = table.find(hash, prefix, &rest.as_bytes()[..end])?;
        Some((row, end))
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::{Map, Value, json};
    use tokenizers::Tokenizer;

    use super::super::BUILT_IN;
    use super::*;

    const UNKNOWN: u32 = u32::MAX;

    static REFERENCE: LazyLock<Tokenizer> = LazyLock::new(|| {
        let table = Table::read(BUILT_IN).unwrap();
        let names = table.all_names().map(|name| String::from_utf8(name.to_vec()).unwrap());
        let vocabulary: Map<String, Value> = names
            .zip(0..)
            .chain([("[UNK]".to_owned(), UNKNOWN)])
            .map(|(name, id)| (name, id.into()))
            .collect();
        let description = json!({
            "version": "1.0",
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": true,
                "handle_chinese_chars": true,
                "strip_accents": null,
                "lowercase": true
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": vocabulary
            }
        });
        Tokenizer::from_bytes(description.to_string()).unwrap()
    });

    fn ours(text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        tokens(&Table::read(BUILT_IN).unwrap(), text, |row, _| ids.push(row.map_or(UNKNOWN, u32::from)));
        ids
    }

    fn theirs(text: &str) -> Vec<u32> {
        REFERENCE.encode_fast(text, false).unwrap().get_ids().to_vec()
    }

    /// Every string of a JSON file among the shared corpora; `None` where they are absent.
    #[expect(clippy::disallowed_methods, reason = "the corpora lie outside the repository")]
    fn corpus(name: &str) -> Option<Vec<String>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let places = [std::env::var_os("RAWKO_SHARED").map(PathBuf::from)];
        let places = places.into_iter().flatten().chain([root.join("../shared"), root.join("../../shared")]);
        let file = places.map(|place| place.join("corpora").join(name)).find(|file| file.exists());
        let Some(file) = file else {
            eprintln!("SKIPPED: no corpora/{name}; set RAWKO_SHARED");
            return None;
        };
        let mut strings = Vec::new();
        gather(&serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap(), &mut strings);
        assert!(strings.len() > 100);
        Some(strings)
    }

    fn gather(value: &Value, strings: &mut Vec<String>) {
        match value {
            Value::String(text) => strings.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| gather(value, strings)),
            Value::Object(fields) => fields.values().for_each(|value| gather(value, strings)),
            _ => {}
        }
    }

    #[test]
    fn tokens_equal_the_reference_on_hostile_and_markdown_strings() {
        for name in ["naughty-strings/blns.json", "commonmark/spec-examples.json"] {
            for text in corpus(name).into_iter().flatten() {
                assert_eq!(ours(&text), theirs(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn tokens_equal_the_reference_for_every_character_of_the_basic_plane() {
        for first in (0..0x10000).step_by(16) {
            let text: String = (first..first + 16)
                .filter_map(char::from_u32)
                .flat_map(|c| ['a', c, 'b', ' ', c, ' '])
                .collect();
            assert_eq!(ours(&text), theirs(&text), "from U+{first:04X}");
        }
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let table = Table::read(BUILT_IN).unwrap();
        let names: Vec<&[u8]> = table.all_names().collect();
        let cut: Vec<&str> = ours("Embeddings, [SEP]")
            .iter()
            .map(|&row| std::str::from_utf8(names[row as usize]).unwrap())
            .collect();
        assert_eq!(cut, ["em", "##bed", "##ding", "##s", ",", "[", "sep", "]"]);
    }

    #[test]
    fn a_word_past_a_hundred_characters_is_unknown() {
        assert_eq!(ours(&format!("{} a", "ä".repeat(101))).first(), Some(&UNKNOWN));
        assert!(!ours(&"ä".repeat(100)).contains(&UNKNOWN));
    }

    proptest! {
        #[test]
        fn tokens_equal_the_reference_on_any_text(text in ".{0,60}") {
            prop_assert_eq!(ours(&text), theirs(&text));
        }

        #[test]
        fn tokens_equal_the_reference_on_mixed_scripts(
            text in "([a-zA-Z]{1,9}|[À-ɏ]|[\u{300}-\u{36f}]|[一-龥]|[가-힣]|[ぁ-ヿ]|[а-я]|[ -/]|[\u{2000}-\u{206f}]|\\s){0,30}"
        ) {
            prop_assert_eq!(ours(&text), theirs(&text));
        }
    }
}
