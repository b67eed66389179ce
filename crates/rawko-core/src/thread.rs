//! Finds the entries in a memory's file, and writes an entry so that they stay apart.
//!
//! A `---` line opens an entry only where a mapping with a `title` follows and
//! a `---` line closes it, outside code fences; every other `---` is body. One
//! byte scan finds the blocks, YAML is parsed only inside them, and one bad
//! entry does not hide its neighbours.
//!
//! A body that would not read back as it is (it looks like an entry itself, or
//! leaves a code fence open) is stored *guarded*: each of its lines that start
//! with `---` or a fence, or with backslashes before them, gets one more
//! backslash, and a field in the frontmatter says so. Undoing it needs no context.

use crate::entry::Entry;
use crate::fence::{Fence, Unclosed};
use crate::frontmatter;
use crate::problem::{Problem, Severity};
use crate::teach::Mend;

/// What stands between two entries of one file.
pub const SEPARATOR: &str = "\n---\n\n";
/// What is said of an entry that nobody finished writing.
pub const CUT_OFF: &str = "an entry is cut off here; the entries above it are fine";
/// Most problems that are told of one file.
const MAX_PROBLEMS: usize = 1_000;
/// The same after git or an editor has changed the line ends.
const SEPARATOR_CRLF: &str = "\r\n---\r\n\r\n";

/// The entries of a file, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// The good entries, in file order.
    pub entries: Vec<Found>,
    /// Everything that is wrong, in file order.
    pub problems: Vec<Problem>,
}

/// An entry with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The entry.
    pub entry: Entry,
    /// Its text, from the opening `---` to the end of its body: what an approval is bound to.
    pub text: String,
    /// The line of the opening `---`, from 1.
    pub line: usize,
    /// The line of the body, from 0, at which the fields of another entry stand, as after a merge that wove two together.
    pub woven: Option<usize>,
}

/// Reads a whole file.
pub fn parse(text: &str) -> Thread {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lines = Lines::of(&text[start..]);
    let mut thread = Thread::default();
    if let Some(problem) = no_entry(lines.text, &lines) {
        thread.problems.push(problem);
        return thread;
    }
    let openers = scan(&lines).blocks;
    for (n, block) in openers.iter().enumerate() {
        let end = openers.get(n + 1).map_or(lines.count(), |next| next.open);
        match block.close {
            Some(close) => read_entry(&lines, block.open, close, end, n + 1 == openers.len(), &mut thread),
            None => thread.problems.push(unclosed(&lines, block.open, n)),
        }
        // Nobody reads more, and a file can be made of nothing else.
        thread.problems.truncate(MAX_PROBLEMS);
    }
    thread
}

/// What a file's first entry is and whether nothing is open at its end, without reading its other entries.
///
/// `None` where that takes a whole reading: the first entry is damaged, or the end is not clean. Otherwise an
/// entry that is written below a [`SEPARATOR`] there is read as it is, and changes no other.
pub fn glance(text: &str) -> Option<Found> {
    let lines = Lines::of(text.strip_prefix('\u{feff}').unwrap_or(text));
    if no_entry(lines.text, &lines).is_some() {
        return None;
    }
    let Scan { blocks, open_fence } = scan(&lines);
    if open_fence || blocks.last().is_some_and(|last| last.close.is_none()) {
        return None;
    }
    let first = blocks.first()?;
    let end = blocks.get(1).map_or(lines.count(), |next| next.open);
    let mut thread = Thread::default();
    read_entry(&lines, first.open, first.close?, end, blocks.len() == 1, &mut thread);
    thread.entries.pop()
}

/// The title of the first entry of a text of which this is at least the beginning; `None` if it is not told there.
pub fn first_title(beginning: &str) -> Option<String> {
    let lines = Lines::of(beginning.strip_prefix('\u{feff}').unwrap_or(beginning));
    let close = (1..lines.count()).find(|&n| lines.is_rule(n)).filter(|_| lines.is_rule(0))?;
    frontmatter::read(lines.range(1, close), "").ok().map(|read| read.frontmatter.title)
}

/// Where a file's last entry was cut off in its fields as they were written, in bytes; `None` if it was not.
///
/// An entry that a person wrote and forgot to close is not cut off: its text would go with it.
pub fn torn_at(text: &str) -> Option<usize> {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lines = Lines::of(&text[bom..]);
    let last = scan(&lines).blocks.into_iter().skip(1).next_back()?;
    if last.close.is_some() || unwritten(&lines, last.open).is_some() || parse(text).entries.is_empty() {
        return None;
    }
    let before = &text[..bom + lines.start(last.open)];
    Some(before.strip_suffix(SEPARATOR).unwrap_or(before).len())
}

/// The line, from 0, that closes the fields of each entry of a text.
pub fn closing_lines(text: &str) -> Vec<usize> {
    let lines = Lines::of(text.strip_prefix('\u{feff}').unwrap_or(text));
    if no_entry(lines.text, &lines).is_some() {
        return Vec::new();
    }
    scan(&lines).blocks.iter().filter_map(|block| block.close).collect()
}

/// Writes an entry; see [`Entry::to_text`].
pub(crate) fn write(entry: &Entry) -> String {
    let plain = assemble(entry, &entry.body, false);
    if stays_body(&plain, &entry.body) { plain } else { assemble(entry, &guard(&entry.body), true) }
}

fn assemble(entry: &Entry, body: &str, guarded: bool) -> String {
    format!("---\n{}---\n\n{body}\n", frontmatter::write(&entry.frontmatter, guarded))
}

/// Whether the text is one entry, whatever is appended to it.
fn stays_body(text: &str, body: &str) -> bool {
    // Most bodies have no line that could mislead anyone.
    if !body.split('\n').any(|line| is_guardable(line.trim_start_matches(' '))) {
        return true;
    }
    let found = scan(&Lines::of(text));
    found.blocks.len() == 1 && !found.open_fence
}

fn is_guardable(line: &str) -> bool {
    let rest = line.trim_start_matches('\\');
    rest.starts_with("---") || rest.starts_with("```") || rest.starts_with("~~~")
}

fn is_conflict(line: &str) -> bool {
    line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")
}

fn guard(body: &str) -> String {
    map_lines(body, |line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        is_guardable(&line[indent..]).then(|| format!("{}\\{}", &line[..indent], &line[indent..]))
    })
}

fn unguard(body: &str) -> String {
    map_lines(body, |line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line[indent..].strip_prefix('\\').filter(|rest| is_guardable(rest))?;
        Some(format!("{}{rest}", &line[..indent]))
    })
}

fn map_lines(body: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let lines: Vec<String> =
        body.split('\n').map(|line| change(line).unwrap_or_else(|| line.to_owned())).collect();
    lines.join("\n")
}

/// The lines of a text, with their byte ranges.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1));
        Self { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    /// Line `n` without its line end.
    fn line(&self, n: usize) -> &'a str {
        let line = &self.text[self.starts[n]..self.start(n + 1)];
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn start(&self, n: usize) -> usize {
        self.starts.get(n).copied().unwrap_or(self.text.len())
    }

    fn range(&self, from: usize, to: usize) -> &'a str {
        &self.text[self.start(from)..self.start(to)]
    }

    fn is_rule(&self, n: usize) -> bool {
        self.line(n).strip_prefix("---").is_some_and(|rest| rest.chars().all(|c| c == ' ' || c == '\t'))
    }
}

struct Block {
    open: usize,
    close: Option<usize>,
}

/// Why a text holds no entry at all.
fn no_entry(text: &str, lines: &Lines<'_>) -> Option<Problem> {
    const START: &str = "start the file with a `---` line, then `title: …` and the other fields, then `---`";
    if text.trim().is_empty() {
        return Some(Problem::error(1, 1, "the file is empty", START));
    }
    if text.starts_with('\0') {
        let remedy = "restore the file from git or a backup, or delete it";
        return Some(Problem::error(
            1,
            1,
            "the file is filled with zero bytes, as after a power loss",
            remedy,
        ));
    }
    if !text.contains('\n') && text.contains('\r') {
        let what = "the lines end with a carriage return alone, as on very old systems";
        return Some(Problem::error(1, 1, what, "save the file with LF or CRLF line ends"));
    }
    if lines.is_rule(0) {
        return None;
    }
    let first = (0..lines.count()).find(|&n| !lines.line(n).trim().is_empty()).unwrap_or(0);
    if lines.is_rule(first) {
        let remedy = "delete the blank lines above the first `---`".to_owned();
        return Some(Problem::error(1, 1, "blank lines stand before the frontmatter", remedy));
    }
    if let Some(conflict) = conflict(lines, first, first + 1) {
        return Some(Problem { severity: Severity::Error, ..conflict });
    }
    let seen = lines
        .line(first)
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}'));
    if is_nearly_rule(seen.trim_end()) && looks_like_fields(lines, first + 1, lines.count()) {
        let what = "the line that opens the frontmatter is not `---` alone";
        return Some(Problem::error(first + 1, 1, what, "write `---`"));
    }
    if looks_like_fields(lines, first, lines.count()) {
        let what = "the `---` line above the first field is missing";
        return Some(Problem::error(first + 1, 1, what, "write a `---` line above this line"));
    }
    Some(Problem::error(first + 1, 1, "the file has no frontmatter", START))
}

struct Scan {
    blocks: Vec<Block>,
    /// A fence that never closes hides nothing here, but would hide what is appended.
    open_fence: bool,
}

/// Finds every line that opens an entry: the first line, and blocks with a title further down.
fn scan(lines: &Lines<'_>) -> Scan {
    let closing = |from: usize| (from..lines.count()).find(|&n| lines.is_rule(n));
    let first = Block { open: 0, close: closing(1) };
    let mut n = first.close.map_or(lines.count(), |close| close + 1);
    let mut found = Scan { blocks: vec![first], open_fence: false };
    let mut unclosed = Unclosed::default();
    let mut fence: Option<Fence> = None;
    while n < lines.count() {
        let line = lines.line(n);
        n += 1;
        match fence {
            Some(open) if open.closed_by(line) => fence = None,
            Some(_) => {}
            None if lines.is_rule(n - 1) => {
                let close = closing(n);
                if looks_like_fields(lines, n, close.unwrap_or(lines.count())) {
                    found.blocks.push(Block { open: n - 1, close });
                    n = close.map_or(lines.count(), |close| close + 1);
                }
            }
            None => {
                fence = Fence::opened_by(line);
                if fence
                    .is_some_and(|open| !unclosed.is_closed(open, (n..lines.count()).map(|n| lines.line(n))))
                {
                    fence = None;
                    found.open_fence = true;
                }
            }
        }
    }
    found
}

/// Whether the lines start like `key:` and hold a `title:`.
fn looks_like_fields(lines: &Lines<'_>, from: usize, to: usize) -> bool {
    let is_title = |line: &str| {
        ["title:", "\"title\":", "'title':"].iter().any(|key| {
            line.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        })
    };
    let mut meaningful =
        (from..to).map(|n| lines.line(n)).filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let Some(first) = meaningful.next() else { return false };
    let starts_like_field = first.split_once(':').is_some_and(|(key, rest)| {
        !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '\''))
            && (rest.is_empty() || rest.starts_with([' ', '\t']))
    });
    (starts_like_field || is_conflict(first)) && (is_title(first) || meaningful.any(is_title))
}

fn read_entry(lines: &Lines<'_>, open: usize, close: usize, end: usize, last: bool, thread: &mut Thread) {
    match frontmatter::read(lines.range(open + 1, close), lines.range(close + 1, end)) {
        Err(problems) => thread.problems.extend(problems.into_iter().map(|problem| problem.below(open + 1))),
        Ok(read) => {
            let crlf = lines.range(open, open + 1).ends_with("\r\n");
            let below = lines.range(close + 1, end);
            let body = body(below, last, crlf);
            // The text up to the body's end, with the blank line above it.
            let blank = &below[..below.find(body).unwrap_or(0)];
            let text = format!("{}{blank}{body}", lines.range(open, close + 1));
            let stored = body;
            let body = if read.guarded { unguard(body) } else { body.to_owned() };
            thread.problems.extend(conflict(lines, close + 1, end));
            thread.entries.push(Found {
                entry: Entry { frontmatter: read.frontmatter, body },
                text,
                line: open + 1,
                woven: woven(stored),
            });
        }
    }
}

/// Takes the blank line below the frontmatter and the separator above the next entry off.
fn body(text: &str, last: bool, crlf: bool) -> &str {
    let text = text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n")).unwrap_or(text);
    let text = if last {
        text
    } else if let Some(exact) = text.strip_suffix(SEPARATOR).or_else(|| text.strip_suffix(SEPARATOR_CRLF)) {
        exact
    } else {
        // Written by hand: any blank lines and one lone `---` before the next entry belong to nobody.
        let trimmed = text.trim_end();
        trimmed
            .strip_suffix("---")
            .filter(|rest| rest.is_empty() || rest.ends_with('\n'))
            .unwrap_or(trimmed)
            .trim_end()
    };
    let end = if crlf { "\r\n" } else { "\n" };
    text.strip_suffix(end).or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

/// The line of a body as it is stored, from 0, at which the fields of another entry stand.
///
/// Git's own `merge=union` drops lines that both sides have, also those that open an entry. A time to the
/// thousandth is rawko's own writing; any other may be an example, if it stands in a code fence.
fn woven(body: &str) -> Option<usize> {
    if !body.contains("discoveredAt:") {
        return None;
    }
    let lines = Lines::of(body);
    let (mut fence, mut unclosed) = (None::<Fence>, Unclosed::default());
    for n in 0..lines.count() {
        let line = lines.line(n);
        let time = line.strip_prefix("discoveredAt:");
        match fence {
            _ if time.is_some_and(|time| fence.is_none() || time.contains('.')) => return Some(n),
            Some(open) if open.closed_by(line) => fence = None,
            Some(_) => {}
            None => {
                let below = || (n + 1..lines.count()).map(|n| lines.line(n));
                fence = Fence::opened_by(line).filter(|&open| unclosed.is_closed(open, below()));
            }
        }
    }
    None
}

/// Whether git left a conflict in the text.
pub(crate) fn has_conflict(body: &str) -> bool {
    body.split('\n').any(is_conflict)
}

fn conflict(lines: &Lines<'_>, from: usize, to: usize) -> Option<Problem> {
    let n = (from..to).find(|&n| is_conflict(lines.line(n)))?;
    let remedy =
        "keep the lines that are right and delete the marker lines; until then this memory is not injected";
    Some(Problem::warning(n + 1, 1, "a merge conflict is not resolved", remedy))
}

fn unclosed(lines: &Lines<'_>, open: usize, number: usize) -> Problem {
    let below = open + 1..lines.count();
    if let Some(n) = below.clone().find(|&n| is_nearly_rule(lines.line(n).trim())) {
        let what = format!("the frontmatter is closed with `{}`", lines.line(n).trim());
        return Problem::error(n + 1, 1, what, "write `---`");
    }
    let ends = |n: &usize| lines.line(*n).trim_end().ends_with("---") && is_field(lines.line(*n));
    if let Some(n) = below.clone().take_while(|&n| is_field(lines.line(n))).find(ends) {
        let field = lines.line(n).trim_end().trim_end_matches('-').trim_end().to_owned();
        let what = "the `---` that closes the frontmatter stands behind a field";
        return Problem::error(n + 1, 1, what, Mend::Split(field, "---".to_owned()).remedy());
    }
    let body = match number {
        0 => {
            let last = below.clone().rev().find(|&n| !lines.line(n).trim().is_empty()).unwrap_or(open);
            match below.clone().find(|&n| !is_field(lines.line(n))).filter(|&n| n <= last) {
                Some(n) => n,
                None => {
                    let remedy = "write a `---` line below this line, and the text below that";
                    return Problem::error(last + 1, 1, "the frontmatter is not closed", remedy);
                }
            }
        }
        _ => match unwritten(lines, open) {
            Some(n) => n,
            None => {
                let remedy = "finish its fields and close them with a `---` line, or run `rawko doctor --repair`, which keeps a copy and cuts it off";
                return Problem::error(open + 1, 1, CUT_OFF, remedy);
            }
        },
    };
    Problem::error(body + 1, 1, "the frontmatter is not closed", "write a `---` line above this line")
}

/// The first line below an opening `---` that is no field as rawko writes them: the text of a person.
///
/// The last line may be the beginning of one, or of the closing `---`.
fn unwritten(lines: &Lines<'_>, open: usize) -> Option<usize> {
    let is_known = |key: &str| frontmatter::FIELDS.contains(&key);
    let is_item = |line: &str| line.starts_with("  ") && !line.trim().is_empty();
    let is_field = |line: &str| is_item(line) || line.split_once(':').is_some_and(|(key, _)| is_known(key));
    let begins = |line: &str| {
        "---".starts_with(line)
            || "  - ".starts_with(line)
            || frontmatter::FIELDS.iter().any(|key| key.starts_with(line))
    };
    let last = lines.count() - 1;
    let fits =
        |n: usize| is_field(lines.line(n)) || n == last && begins(lines.line(n).trim_end_matches('\0'));
    (open + 1..=last).find(|&n| !fits(n))
}

/// Whether a line may stand in a frontmatter.
fn is_field(line: &str) -> bool {
    line.starts_with([' ', '\t', '-', '#']) || line.contains(':')
}

/// Whether a line is what people write for `---`.
fn is_nearly_rule(line: &str) -> bool {
    line == "..." || line.len() > 1 && line.chars().all(|c| matches!(c, '-' | '\u{2013}' | '\u{2014}'))
}
