//! The objects in a JSON document's lists, also where the document is damaged.
//!
//! An export is one document, and one bad byte makes all of it unreadable to a
//! parser. So the objects are found by their brackets first and parsed one by
//! one: what is damaged is told with its line, and the others are read.

use serde_json::{Map, Value};

/// How often reading starts over behind damage.
const MOST_STARTS: usize = 100;

/// What was found.
#[derive(Default)]
pub(super) struct Elements {
    /// The outermost objects that stand in a list, with the line of each.
    pub(super) objects: Vec<(usize, Map<String, Value>)>,
    /// What cannot be read: the line, and why.
    pub(super) damaged: Vec<(usize, String)>,
}

/// Finds the objects of a document's lists.
pub(super) fn elements(text: &str) -> Elements {
    let mut found = Elements::default();
    let mut start = scan(text, 0, Vec::new(), &mut found);
    for _ in 0..MOST_STARTS {
        let Some(at) = start else { break };
        start = scan(text, at, vec![b'['], &mut found);
    }
    if found.damaged.is_empty()
        && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text)
    {
        found.damaged.push(place(1, &error));
    }
    found
}

/// Reads from `start` on, within what is open there; behind damage, gives the place to go on from.
fn scan(text: &str, start: usize, mut stack: Vec<u8>, found: &mut Elements) -> Option<usize> {
    // Where it opens, its line, and how deep that is.
    let mut element: Option<(usize, usize, usize)> = None;
    let (mut quoted, mut escaped, mut line) = (false, false, line_of(text, start));
    for (n, byte) in text.as_bytes()[start..].iter().enumerate() {
        let at = start + n;
        line += usize::from(*byte == b'\n');
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => {
                if element.is_none() && stack.last() == Some(&b'[') {
                    element = Some((at, line, stack.len()));
                }
                stack.push(b'{');
            }
            b'[' => stack.push(b'['),
            b'}' | b']' => {
                stack.pop();
                if let Some((open, line, _)) = element.take_if(|(.., depth)| stack.len() <= *depth) {
                    match serde_json::from_str(&text[open..=at]) {
                        Ok(object) => found.objects.push((line, object)),
                        Err(error) => {
                            found.damaged.push(place(line, &error));
                            // A bracket too few, and the next object was taken for a part of this one.
                            if let Some(next) = next_object(text, open).filter(|next| *next < at) {
                                return Some(next);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let (open, line, _) = element?;
    let error = serde_json::from_str::<serde::de::IgnoredAny>(&text[open..]).err();
    found.damaged.push(error.map_or((line, "it does not end".to_owned()), |error| place(line, &error)));
    next_object(text, open)
}

/// The next line below that begins with an object.
fn next_object(text: &str, open: usize) -> Option<usize> {
    let mut lines = text[open..].match_indices('\n').map(|(n, _)| open + n + 1);
    lines.find(|&start| text[start..].trim_start_matches([' ', '\t']).starts_with('{'))
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}

fn place(first: usize, error: &serde_json::Error) -> (usize, String) {
    (first + error.line().saturating_sub(1), said(error))
}

/// What a parser says, without its own count of lines.
pub(super) fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("this is no JSON: {what}")
}
