//! Writes values as YAML that people like to read, and that reads back exactly.
//!
//! Block style, texts in quotes, text of several lines as a literal block where
//! a block can hold it to the byte. Whatever a block cannot hold is quoted, so
//! there is no value that cannot be written.

use serde_json::{Map, Value};

use crate::yaml::{flow, quote, word};

/// YAML looks for a key's colon within 1,024 characters.
const LONGEST_KEY: usize = 1_000;

/// The fields of a mapping, one below the other, each line `indent` blanks in.
pub(crate) fn fields(map: &Map<String, Value>, indent: usize) -> String {
    let mut out = String::new();
    map.iter().for_each(|(key, value)| field(&mut out, key, value, indent));
    out
}

/// The items of a list, one below the other, each dash `indent` blanks in.
pub(crate) fn items(list: &[Value], indent: usize) -> String {
    let mut out = String::new();
    list.iter().for_each(|value| item(&mut out, value, indent));
    out
}

/// One `key: value`, with all its lines.
pub(crate) fn field(out: &mut String, key: &str, value: &Value, indent: usize) {
    blanks(out, indent);
    let key = word(key);
    if key.len() >= LONGEST_KEY {
        out.push_str(&format!("? {key}\n"));
        blanks(out, indent);
        return out.push_str(&format!(": {}\n", flow(value)));
    }
    out.push_str(&key);
    out.push(':');
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            out.push_str(&fields(map, indent + 2));
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            out.push_str(&items(list, indent + 2));
        }
        value => {
            out.push(' ');
            scalar(out, value, indent + 2);
        }
    }
}

fn item(out: &mut String, value: &Value, indent: usize) {
    blanks(out, indent);
    out.push('-');
    match value {
        // The first field stands on the dash's own line.
        Value::Object(map) if !map.is_empty() => {
            let inner = fields(map, indent + 2);
            out.push(' ');
            out.push_str(inner.get(indent + 2..).unwrap_or_default());
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            out.push_str(&items(list, indent + 2));
        }
        value => {
            out.push(' ');
            scalar(out, value, indent + 2);
        }
    }
}

fn scalar(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) if is_block(text) => {
            out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                if !line.is_empty() {
                    blanks(out, indent);
                    out.push_str(line);
                }
                out.push('\n');
            }
        }
        value => {
            out.push_str(&flow(value));
            out.push('\n');
        }
    }
}

/// Whether a literal block holds the text exactly: several lines, none of which could be taken for
/// indentation, nothing invisible, and at most one line end at its end.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with(['\n', ' ', '\t'])
        && !body.lines().any(|line| !line.is_empty() && line.trim_start().is_empty())
        && !body.contains('\r')
        && body.chars().filter(|c| !matches!(c, '\n' | '\t')).all(is_visible)
}

/// Whether `quote` would leave the character as it is.
fn is_visible(c: char) -> bool {
    matches!(c, '"' | '\\')
        || (' '..'\u{7f}').contains(&c)
        || quote(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() + 2
}

fn blanks(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
