//! A section of somebody's file, between two marks, and not a byte beside it.

use crate::inert::inert_line;
use crate::memory::Fold;

/// How the lines around a section begin and end.
const BEGIN: &str = "<!-- rawko:begin";
const END: &str = "<!-- rawko:end -->";

/// Why a section cannot be put into a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct MarkerError {
    /// The line of the mark, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

/// The section of an `AGENTS.md`: each memory under a heading, without the marks around it.
pub fn agents_section(memories: &[Fold<'_>]) -> String {
    let mut out = "## What earlier runs learned\n".to_owned();
    if memories.is_empty() {
        out.push_str("\nNothing yet.\n");
    }
    for fold in memories {
        let title = inert_line(fold.title);
        let title = title.trim_start_matches(['#', ' ']);
        out.push_str(&format!("\n### {title}\n\n*When: {}*\n", inert_line(&super::hook(fold))));
        let text = crate::render::told(&crate::render::Shown::of(fold, Vec::new()));
        if !text.is_empty() {
            out.push_str(&format!("\n{text}\n"));
        }
    }
    // A text that brings a mark of its own would end the section early.
    out.replace("<!--", "&lt;!--")
}

/// The text with the section between its marks, in the place where one stands already or at the end.
///
/// Line ends are those of the text. The same section twice changes nothing.
pub fn spliced(text: &str, section: &str, by: &str) -> Result<String, MarkerError> {
    let marked = format!(
        "{BEGIN} (written by `{by}`; what you write in here is lost) -->\n{}\n{END}",
        section.trim_end()
    );
    let crlf = text.contains("\r\n");
    let marked = if crlf { marked.replace('\n', "\r\n") } else { marked };
    let end = if crlf { "\r\n" } else { "\n" };
    match place(text)? {
        Some((from, to)) => Ok(format!("{}{marked}{}", &text[..from], &text[to..])),
        None if text.is_empty() => Ok(format!("{marked}{end}")),
        None => {
            let gap = if text.ends_with('\n') { end.to_owned() } else { format!("{end}{end}") };
            Ok(format!("{text}{gap}{marked}{end}"))
        }
    }
}

/// Where the section stands, marks and all, without the last line's end.
fn place(text: &str) -> Result<Option<(usize, usize)>, MarkerError> {
    let mut found: Option<(usize, usize, Option<usize>)> = None;
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let words = line.trim_end();
        let wrong = |what| MarkerError { line: n + 1, what };
        match found {
            None if words.starts_with(BEGIN) => found = Some((at, n + 1, None)),
            None if words == END => return Err(wrong("a section of rawko's ends here that does not begin")),
            Some((from, first, None)) if words == END => found = Some((from, first, Some(at + words.len()))),
            Some(_) if words.starts_with(BEGIN) => {
                return Err(wrong("a second section of rawko's begins here"));
            }
            Some((.., Some(_))) if words == END => {
                return Err(wrong("a second section of rawko's ends here"));
            }
            _ => {}
        }
        at += line.len();
    }
    match found {
        None => Ok(None),
        Some((from, _, Some(to))) => Ok(Some((from, to))),
        Some((_, line, None)) => {
            Err(MarkerError { line, what: "the section of rawko's that begins here does not end" })
        }
    }
}

/// The text without rawko's own section; its lines stay empty, so that the others keep their numbers.
pub(crate) fn outside_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        inside |= words.starts_with(BEGIN);
        out.push_str(if !inside {
            line
        } else if line.ends_with('\n') {
            "\n"
        } else {
            ""
        });
        inside &= words != END;
    }
    out
}
