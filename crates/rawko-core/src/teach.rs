//! Turns a YAML error into the line to write instead.
//!
//! Most broken frontmatter is one line that is nearly right: a missing pair of
//! quotes, a tab, a colon. The parser often notices late, so every suspicious
//! line up to there gets a mended form, and the first one that takes the
//! parser further is the remedy: carried out to the letter, it works.

use granit_parser::{Parser, ScanError};

use crate::frontmatter::FIELDS;
use crate::problem::Problem;
use crate::yaml::{quote, strict};

/// At most this many mended forms are tried; a file of bad lines stays cheap.
const MAX_TRIES: usize = 16;
/// Where trying is dear, only the likeliest form is tried.
const LARGE: usize = 256 * 1024;

/// One suspicious line (from 0), and what would mend it.
struct Suspect {
    line: usize,
    column: usize,
    what: String,
    mend: Mend,
}

enum Mend {
    /// Write this line instead.
    Instead(String),
    /// The body starts here: close the frontmatter above this line.
    CloseAbove,
    /// Only a person knows which lines to keep.
    Resolve,
}

/// The remedy that replaces a line.
pub(crate) fn instead(line: &str) -> String {
    format!("write `{line}`")
}

/// Explains a parser error by the line that most likely caused it.
pub(crate) fn teach(text: &str, error: &ScanError) -> Problem {
    let lines: Vec<&str> = text.lines().collect();
    let mark = error.marker();
    let reported = mark.line().clamp(1, lines.len().max(1));
    let near =
        [reported - 1, reported.saturating_sub(2), reported].into_iter().filter(|&line| line < lines.len());
    let tries = if text.len() > LARGE { 1 } else { MAX_TRIES };
    let above = 0..reported.saturating_sub(2).min(lines.len());
    let suspects: Vec<Suspect> =
        near.chain(above).flat_map(|line| suspects(&lines, line)).take(tries).collect();
    let best = suspects.iter().find(|suspect| mends(&lines, suspect, reported)).or(suspects.first());
    match best {
        Some(suspect) => suspect.problem(),
        None => Problem::error(
            reported,
            mark.col() + 1,
            format!("this is no valid YAML ({})", error.info().replace('\n', " ")),
            "write `key: value`; put values with special characters in \"double quotes\"",
        ),
    }
}

/// Explains something that YAML allows and a frontmatter does not, at or right after a place (from 1).
///
/// The `what` names the sign that has the meaning; the parser points behind tags and anchors.
pub(crate) fn refuse(text: &str, (line, column): (usize, usize), what: &str) -> Problem {
    let lines: Vec<&str> = text.lines().collect();
    let sign = what.split('`').nth(1).and_then(|sign| sign.chars().next());
    let upto = lines.get(line - 1).map_or("", |line| line).chars().take(column).enumerate();
    let column = upto.filter(|&(_, c)| Some(c) == sign).last().map_or(column, |(at, _)| at + 1);
    let found = lines.get(line - 1).map_or_else(Vec::new, |_| suspects(&lines, line - 1));
    let mended = found.into_iter().find_map(|suspect| match suspect.mend {
        Mend::Instead(line) => Some(line),
        _ => None,
    });
    let mended = mended.or_else(|| quoted_value(lines.get(line - 1)?));
    let remedy = mended.map_or_else(|| "put the value in quotes".to_owned(), |line| instead(&line));
    Problem::error(line, column, what, remedy)
}

/// The line with its value, or its whole list item, in quotes.
pub(crate) fn quoted_item(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    match line[indent..].strip_prefix("- ") {
        Some(item) => format!("{}- {}", &line[..indent], quote(item.trim())),
        None => quoted_value(line).unwrap_or_else(|| quote(line)),
    }
}

impl Suspect {
    fn problem(&self) -> Problem {
        let remedy = match &self.mend {
            Mend::Instead(line) => instead(line),
            Mend::CloseAbove => "if the body starts here, write a `---` line above this line".to_owned(),
            Mend::Resolve => "keep the lines that are right and delete the marker lines".to_owned(),
        };
        Problem::error(self.line + 1, self.column, self.what.clone(), remedy)
    }
}

/// Whether the parser gets further when the suspect is mended.
fn mends(lines: &[&str], suspect: &Suspect, reported: usize) -> bool {
    let mut mended = lines.to_vec();
    match &suspect.mend {
        Mend::Instead(line) => mended[suspect.line] = line,
        Mend::CloseAbove => mended.truncate(suspect.line),
        Mend::Resolve => return true,
    }
    let text = mended.join("\n");
    let mut parser = Parser::new_from_str_with_options(&text, strict());
    loop {
        match parser.next_event() {
            Some(Ok(_)) => {}
            Some(Err(error)) => return error.marker().line() > reported,
            None => return true,
        }
    }
}

/// What may be wrong with a line, likeliest first.
fn suspects(lines: &[&str], at: usize) -> Vec<Suspect> {
    let line = lines[at];
    let column = |byte: usize| line[..byte].chars().count() + 1;
    let suspect = |byte, what: String, mend| Suspect { line: at, column: column(byte), what, mend };
    let mut found = Vec::new();
    if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) {
        found.push(suspect(0, "a merge conflict is not resolved".into(), Mend::Resolve));
    }
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    if let Some(tab) = line[..indent].find('\t') {
        let mended = format!("{}{}", line[..indent].replace('\t', "  "), &line[indent..]);
        let what = "a tab in the indentation, which YAML does not allow";
        found.push(suspect(tab, what.into(), Mend::Instead(mended)));
    }
    if let Some((byte, what, mended)) = value_start(line).and_then(|start| bad_value(line, start)) {
        found.push(suspect(byte, what, Mend::Instead(mended)));
    }
    if let Some((what, mended)) = bad_field(line) {
        found.push(suspect(0, what, Mend::Instead(mended)));
    }
    if let Some(mended) = bad_indentation(lines, at) {
        let what = "this line is not indented like its neighbours";
        found.push(suspect(indent, what.into(), Mend::Instead(mended)));
    }
    if found.is_empty() && is_prose(line) {
        found.push(suspect(0, "this line is no `key: value`".into(), Mend::CloseAbove));
    }
    found
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
            let what =
                if brackets(value) == 0 { "this list is not written right" } else { "the `[` is not closed" };
            Some((start, what.into(), mended(quoted_list(value))))
        }
        '{' if brackets(value) != 0 && !value.contains('}') => {
            Some((start, "the `{` is not closed".into(), mended(format!("{value}}}"))))
        }
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2018}' | '\u{2019}' => {
            let plain = value.trim_matches(['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}']);
            Some((start, "curly quotes mean nothing in YAML".into(), mended(quote(plain))))
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
            Some((start + colon, "a colon inside a value without quotes".into(), mended(quote(value))))
        }
    }
}

/// What may follow the sign of a block of text: how to indent it and treat its end, and a comment.
fn is_block_header(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit()).trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// A value in quotes that do not end where they should, or with a backslash that YAML does not know.
fn bad_quotes(value: &str, mark: char) -> Option<(String, String)> {
    let Some(end) = closing_quote(value, mark) else {
        let open = value.strip_prefix(mark).unwrap_or(value);
        return Some((format!("the quote `{mark}` is not closed"), requoted(open)));
    };
    let rest = value[end + 1..].trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        let inner = value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).unwrap_or(value);
        return Some(("the text goes on after its closing quote".into(), quote(inner)));
    }
    let inner = &value[1..end];
    (mark == '"' && inner.contains('\\')).then(|| {
        let what = "a backslash in double quotes starts an escape that YAML does not know";
        (what.into(), format!("'{}'", inner.replace('\'', "''")))
    })
}

fn closing_quote(value: &str, mark: char) -> Option<usize> {
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

/// Open minus closed brackets, outside quotes.
fn brackets(value: &str) -> i32 {
    let (mut depth, mut quoted) = (0, None);
    for c in value.chars() {
        match (quoted, c) {
            (Some(mark), c) if c == mark => quoted = None,
            (None, '"' | '\'') => quoted = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    depth
}

/// A list on one line with every item in quotes and the brackets closed.
fn quoted_list(value: &str) -> String {
    let mut rest = value.strip_prefix('[').unwrap_or(value);
    rest = rest.strip_suffix(']').unwrap_or(rest);
    let mut items = Vec::new();
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        let quoted =
            rest.starts_with(['"', '\'']).then(|| closing_quote(rest, rest.chars().next()?)).flatten();
        let end = quoted.map_or(0, |end| end + 1);
        let end = rest[end..].find(',').map_or(rest.len(), |comma| end + comma);
        items.push(requoted(rest[..end].trim()));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    format!("[{}]", items.join(", "))
}

/// A text in double quotes, without the straight or curly quotes it stands in now.
fn requoted(text: &str) -> String {
    quote(text.trim_matches(['"', '\'', '\u{201c}', '\u{201d}', '\u{201e}']))
}

/// `key:value`, `key = value` and `key value`, for keys that rawko knows (the first for any).
fn bad_field(line: &str) -> Option<(String, String)> {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (key, rest) = line.split_at(end);
    let known = FIELDS.iter().any(|field| field.eq_ignore_ascii_case(key));
    let value = match rest.strip_prefix(':') {
        Some(value) if !key.is_empty() && !value.starts_with([' ', '\t', '/', ':']) => value,
        None if known => rest.trim_start().trim_start_matches('=').trim_start(),
        _ => return None,
    };
    let what =
        if rest.starts_with(':') { "the blank after the colon is missing" } else { "the colon is missing" };
    Some((what.into(), format!("{key}: {value}")))
}

/// A list item or a field that stands further in or out than the one above it.
fn bad_indentation(lines: &[&str], at: usize) -> Option<String> {
    let line = lines[at];
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if text.starts_with("- ") {
        let above = lines[..at].iter().rev().find(|line| line.trim_start().starts_with("- "))?;
        let expected = above.len() - above.trim_start().len();
        return (expected != indent).then(|| format!("{}{text}", " ".repeat(expected)));
    }
    (indent > 0 && value_start(text).is_some()).then(|| text.to_owned())
}

/// Whether a line at the margin is neither field, item, comment nor bracket.
fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| {
        !c.is_whitespace() && !matches!(c, '#' | '-' | '"' | '\'' | '[' | ']' | '{' | '}')
    }) && value_start(line).is_none()
        && !line.trim_end().ends_with(':')
}

/// The line with its whole value in quotes.
fn quoted_value(line: &str) -> Option<String> {
    let start = value_start(line)?;
    Some(format!("{}{}", &line[..start], quote(line[start..].trim_end())))
}

/// Where the value of a `key: value` or `- value` line starts.
fn value_start(line: &str) -> Option<usize> {
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
