//! What may be wrong with a line of frontmatter, likeliest first, and what would mend it.

use crate::frontmatter::{FIELDS, REQUIRED};
use crate::yaml::quote;

use super::Mend;
use super::flow::{bare, quoted_list};

/// One suspicious line (from 0), and what would mend it.
pub(super) struct Suspect {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) what: String,
    pub(super) mend: Mend,
}

/// What may be wrong with a line, likeliest first.
pub(super) fn suspects(lines: &[&str], at: usize) -> Vec<Suspect> {
    let line = lines[at];
    let indent = indent_of(line);
    let mut found = Vec::new();
    let mut suspect = |byte: usize, what: &str, mend: Mend| {
        let changes = !matches!(&mend, Mend::Instead(mended) if mended == line);
        let column = line[..byte].chars().count() + 1;
        found.extend(changes.then(|| Suspect { line: at, column, what: what.to_owned(), mend }));
    };
    if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) {
        suspect(0, "a merge conflict is not resolved", Mend::Resolve);
    }
    if let Some(tab) = line[..indent].find('\t') {
        let what = "a tab in the indentation, which YAML does not allow";
        suspect(tab, what, Mend::Instead(without_tabs(line)));
    }
    if let Some(mend) = split(line) {
        suspect(indent, "two lines stand on one", mend);
    }
    if let Some((what, mended)) = bad_item(lines, at) {
        suspect(indent, what, Mend::Instead(mended));
    }
    if let Some((byte, what, mended)) = value_start(line).and_then(|start| bad_value(line, start)) {
        suspect(byte, &what, Mend::Instead(mended));
    }
    if let Some((what, mended)) = bad_field(line) {
        suspect(0, what, Mend::Instead(mended));
    }
    if let Some(mended) = bad_indentation(lines, at) {
        suspect(indent, "this line is not indented like its neighbours", Mend::Instead(mended));
    }
    if line[indent..].starts_with("- ") && !lines.iter().any(|line| known_field(line) == Some("whenToUse")) {
        suspect(indent, "a list without its field", Mend::Above("whenToUse:".to_owned()));
    }
    // What still has fields below it is no body.
    if found.is_empty() && is_prose(line) && !lines[at..].iter().any(|line| known_field(line).is_some()) {
        let what = "this line is no `key: value`".to_owned();
        found.push(Suspect { line: body_start(lines, at), column: 1, what, mend: Mend::CloseAbove });
    }
    found
}

/// Where a body begins that a line is part of: empty lines and headings, which YAML passes over, belong to it.
pub(crate) fn body_start(lines: &[&str], at: usize) -> usize {
    let is_passed_over = |line: &&&str| line.trim().is_empty() || line.starts_with('#');
    let above = lines[..at].iter().rev().take_while(is_passed_over).count();
    let blanks = lines[at - above..at].iter().take_while(|line| line.trim().is_empty()).count();
    at - above + blanks
}

/// How far a line is indented, in bytes.
pub(crate) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The line with blanks in place of tabs before its text.
pub(super) fn without_tabs(line: &str) -> String {
    let (indent, text) = line.split_at(indent_of(line));
    format!("{}{text}", indent.replace('\t', "  "))
}

/// The field of ours that a line at the margin begins with.
fn known_field(line: &str) -> Option<&'static str> {
    let (key, rest) = line.split_once(':')?;
    let is_key = rest.is_empty() || rest.starts_with([' ', '\t', '\r']);
    FIELDS.iter().copied().find(|field| is_key && *field == key)
}

/// Two lines whose line end was lost: a field right behind a value, or an item on the line of another.
pub(super) fn split(line: &str) -> Option<Mend> {
    let indent = indent_of(line);
    let parts = |at: usize, before: &str| {
        let second = format!("{before}{}", &line[at..].trim_end());
        Some(Mend::Split(line[..at].trim_end().to_owned(), second))
    };
    let glued = |field: &&'static str| {
        let at = line.find(&format!("{field}:"))?;
        let (before, behind) = (&line[..at], &line[at + field.len() + 1..]);
        // `resource: x` is no `source: x` behind a `re`.
        let is_whole = REQUIRED.contains(field) || !before.ends_with(char::is_alphanumeric);
        (ends_a_value(before) && is_whole && (behind.is_empty() || behind.starts_with(' '))).then_some(at)
    };
    if let Some(at) = FIELDS.iter().filter_map(glued).min() {
        return parts(at, "");
    }
    let is_item = line[indent..].starts_with("- ");
    if let Some(at) = line[indent..].find("  - ").filter(|at| *at > 0 && is_item) {
        return parts(indent + at + 2, &line[..indent]);
    }
    let (key, value) = line.split_once(':')?;
    let item = value.trim_start().starts_with("- ") && key.chars().all(char::is_alphanumeric);
    if item { parts(line.len() - value.trim_start().len(), "  ") } else { None }
}

/// Whether a text ends with a sign that a value may end with.
fn ends_a_value(text: &str) -> bool {
    match text.chars().next_back() {
        Some(mark @ ('"' | '\'')) => text.matches(mark).count() % 2 == 0,
        Some(c) => !c.is_whitespace() && !matches!(c, '[' | '{' | '('),
        None => false,
    }
}

/// A line of a list that lacks its dash, or the blank behind it.
fn bad_item(lines: &[&str], at: usize) -> Option<(&'static str, String)> {
    let line = lines[at];
    let text = line.trim_start();
    if let Some(item) = text.strip_prefix('-').filter(|item| !item.starts_with([' ', '-'])) {
        let item = format!("{}- {item}", &line[..indent_of(line)]);
        return (!item.trim_end().ends_with('-')).then_some(("the blank after the `-` is missing", item));
    }
    let is_item = |line: &&&str| line.trim_start().starts_with("- ");
    let filled = |line: &&&str| !line.trim().is_empty();
    let above = lines[..at].iter().rev().find(filled).filter(is_item);
    let neighbour = above.or_else(|| lines[at + 1..].iter().find(filled).filter(is_item))?;
    let is_ours = known_field(text).is_some() || text.starts_with("- ") || indent_of(line) == 0;
    let mended = format!("{}- {text}", &neighbour[..indent_of(neighbour)]);
    (!is_ours && !text.is_empty()).then_some(("the `-` of this item is missing", mended))
}

/// What is wrong with the value that starts at a byte: where, what, and the mended line.
fn bad_value(line: &str, start: usize) -> Option<(usize, String, String)> {
    let (before, value) = (&line[..start], line[start..].trim_end());
    let mended = |value: String| format!("{before}{value}");
    let first = value.chars().next()?;
    match first {
        '"' | '\'' => {
            let (what, value) = bad_quotes(value, first)?;
            Some((start, what, mended(value)))
        }
        '[' => {
            let (what, value) = bad_list(value);
            Some((start, what.into(), mended(value)))
        }
        '{' if !value.contains('}') => {
            Some((start, "the `{` is not closed".into(), mended(format!("{value}}}"))))
        }
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2018}' | '\u{2019}' => {
            Some((start, "curly quotes mean nothing in YAML".into(), mended(quote(bare(value)))))
        }
        '{' | '*' | '&' | '!' | '%' | '@' | '`' | ',' | ']' | '}' => {
            let what = format!("a value that starts with `{first}` has a meaning of its own in YAML");
            Some((start, what, mended(quote(value))))
        }
        '|' | '>' if !is_block_header(&value[1..]) => {
            let what = format!("a value that starts with `{first}` has a meaning of its own in YAML");
            Some((start, what, mended(quote(value))))
        }
        _ => {
            let colon = value.find(": ").or_else(|| value.ends_with(':').then(|| value.len() - 1))?;
            let what = "a colon inside a value without quotes".into();
            Some((start + colon, what, mended(quote(bare(value)))))
        }
    }
}

/// What is wrong with a value that starts with a bracket: a list, or a pattern such as `[0-9]+ errors`.
fn bad_list(value: &str) -> (&'static str, String) {
    let (list, rest) = quoted_list(value);
    match rest {
        "" if value.ends_with(']') => ("this list is not written right", list),
        _ if rest.starts_with('#') => ("this list is not written right", format!("{list} {rest}")),
        _ if rest.chars().all(|c| c == ']') => ("the `[` is not closed", list),
        _ => ("a value that starts with `[` is a list in YAML", quote(value)),
    }
}

/// What may follow the sign of a block of text: how to indent it and treat its end, and a comment.
fn is_block_header(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit()).trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// A value in quotes that do not end where they should, or with a backslash that YAML does not know.
pub(super) fn bad_quotes(value: &str, mark: char) -> Option<(String, String)> {
    let Some(end) = closing_quote(value, mark) else {
        let inner = bare(value).replace(if mark == '\'' { "''" } else { "\\\"" }, &mark.to_string());
        return Some((format!("the quote `{mark}` is not closed"), quote(&inner)));
    };
    let rest = value[end + 1..].trim();
    if rest.starts_with(',') {
        return Some(("a list without its brackets".into(), quoted_list(value).0));
    }
    if !rest.is_empty() && !rest.starts_with('#') {
        let inner = value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).unwrap_or(value);
        let inner = if mark == '"' { inner.replace("\\\"", "\"") } else { inner.to_owned() };
        return Some(("the text goes on after its closing quote".into(), quote(&inner)));
    }
    let inner = &value[1..end];
    (mark == '"' && has_unknown_escape(inner)).then(|| {
        let what = "a backslash in double quotes starts an escape that YAML does not know";
        (what.into(), format!("'{}'{}", inner.replace('\'', "''"), &value[end + 1..]))
    })
}

fn has_unknown_escape(inner: &str) -> bool {
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && !chars.next().is_some_and(|c| "0abt\tnvfre \"/\\N_LPxuU".contains(c)) {
            return true;
        }
    }
    false
}

pub(super) fn closing_quote(value: &str, mark: char) -> Option<usize> {
    let mut chars = value.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if mark == '"' => drop(chars.next()),
            '\'' if mark == '\'' && chars.next_if(|&(_, next)| next == '\'').is_some() => {}
            c if c == mark => return Some(at),
            _ => {}
        }
    }
    None
}

/// `key:value`, `key = value`, `key value` and `key`, for keys that rawko knows (the first for any).
pub(crate) fn bad_field(line: &str) -> Option<(&'static str, String)> {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let known = FIELDS.iter().any(|field| field.eq_ignore_ascii_case(key));
    let value = match rest.strip_prefix(':') {
        Some(value) if !key.is_empty() && !value.trim().is_empty() => value,
        None if known => rest.trim_start().trim_start_matches(['=', ';', '\u{ff1a}']),
        _ => return None,
    };
    if rest.starts_with(':') && value.starts_with([' ', '\t', '/', ':']) {
        return None;
    }
    let what =
        if rest.starts_with(':') { "the blank after the colon is missing" } else { "the colon is missing" };
    Some((what, format!("{key}: {}", value.trim()).trim_end().to_owned()))
}

/// A list item or a field that stands further in or out than the one above it.
fn bad_indentation(lines: &[&str], at: usize) -> Option<String> {
    let line = without_tabs(lines[at]);
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if text.starts_with("- ") {
        let above = lines[..at].iter().rev().find(|line| line.trim_start().starts_with("- "))?;
        let expected = above.len() - above.trim_start().len();
        return (expected != indent).then(|| format!("{}{text}", " ".repeat(expected)));
    }
    let is_field = value_start(text).is_some() || known_field(text).is_some();
    (indent > 0 && is_field).then(|| text.to_owned())
}

/// Whether a line at the margin is neither field, item, comment nor bracket.
fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| {
        !c.is_whitespace() && !matches!(c, '#' | '-' | '"' | '\'' | '[' | ']' | '{' | '}')
    }) && value_start(line).is_none()
        && !line.trim_end().ends_with(':')
}

/// Where the value of a `key: value` or `- value` line starts.
pub(crate) fn value_start(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let item = if rest.starts_with("- ") { 2 } else { 0 };
    let rest = &rest[item..];
    let key = rest.find(": ").filter(|&at| rest[..at].chars().all(|c| c.is_alphanumeric() || c == '_'));
    let skip = key.map_or(0, |at| at + 2);
    if item == 0 && skip == 0 {
        return None;
    }
    let start = indent + item + skip;
    Some(start + (line[start..].len() - line[start..].trim_start().len()))
}
