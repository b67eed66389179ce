//! Lists in brackets on one line, as people write them: with patterns that hold commas, colons and brackets.

use crate::yaml::quote;

use super::suspects::{bad_quotes, closing_quote};

/// How much of a list may be looked through for the bracket that closes one of an item's own.
const NESTED: usize = 4_096;

/// A list on one line with every item in quotes and the brackets closed, and what stands behind it.
pub(crate) fn quoted_list(value: &str) -> (String, &str) {
    let mut rest = value.strip_prefix('[').unwrap_or(value).trim_start();
    let mut items = Vec::new();
    while !rest.is_empty() && !rest.starts_with(']') {
        let end = item_end(rest);
        let item = rest[..end].trim();
        if !item.is_empty() {
            items.push(as_item(item));
        }
        rest = rest[end..].trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    (format!("[{}]", items.join(", ")), rest.strip_prefix(']').unwrap_or(rest).trim())
}

/// One item so that it can stand in brackets: a map or a right text as it is, anything else in quotes.
fn as_item(item: &str) -> String {
    let is_map = item.starts_with('{') && item.ends_with('}') && item.contains(": ");
    let is_text = quoted_end(item) == Some(item.len());
    match item.chars().next() {
        Some(mark) if is_text => bad_quotes(item, mark).map_or_else(|| item.to_owned(), |(_, mended)| mended),
        _ if is_map => item.to_owned(),
        _ => quote(bare(item)),
    }
}

/// Where the item ends with which a text begins: at a comma or a bracket that is not part of it.
pub(crate) fn item_end(text: &str) -> usize {
    let behind = |end: usize| text[end..].trim_start();
    let quoted = quoted_end(text)
        .filter(|&end| behind(end).is_empty() || behind(end).starts_with([',', ']', '"', '\'']));
    let nested = || if text.len() > NESTED { None } else { plain_end(text, true) };
    quoted.or_else(nested).or_else(|| plain_end(text, false)).unwrap_or(text.len())
}

/// The end of the text in quotes with which a text begins.
fn quoted_end(text: &str) -> Option<usize> {
    let mark = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    closing_quote(text, mark).map(|at| at + 1)
}

/// The end of an item without quotes; `nested` if commas between its own brackets are its own.
///
/// `None` if the brackets do not come out even.
fn plain_end(text: &str, nested: bool) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            ',' | ']' if depth == 0 => return Some(at),
            '[' | '{' | '(' if nested => depth += 1,
            ']' | '}' | ')' if depth > 0 => depth -= 1,
            _ => {}
        }
    }
    (depth == 0).then_some(text.len())
}

/// A text without the quotes it stands in, or the one that has no other.
pub(crate) fn bare(text: &str) -> &str {
    const CURLY: [char; 5] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}'];
    let text = text.trim();
    for mark in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark)) {
            return inner;
        }
    }
    let odd = |mark: char| text.matches(mark).count() % 2 == 1;
    match text.strip_prefix(['"', '\'']) {
        Some(inner) if odd('"') || odd('\'') => inner,
        _ if odd('"') => text.strip_suffix('"').unwrap_or(text),
        _ if text.starts_with(CURLY) && text.ends_with(CURLY) => text.trim_matches(CURLY),
        _ => text,
    }
}
