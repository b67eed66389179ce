//! Reads a host's JSON from standard input: to its end, but never more than we can use.
//!
//! A tool's output may have a hundred megabytes. Long strings are cut while they
//! are read, so that what is kept is small and still JSON; the rest is read and
//! dropped, because a host must not meet a closed pipe. Of a long string its
//! beginning and its end are kept, with a line `…` between: whoever pastes a
//! log asks before it or behind it. Reading ends with the JSON value, so a
//! host that forgets to close the pipe is answered all the same.

use std::io::Read;

use rawko::core::CUT;

/// Most bytes of the beginning of a string that are kept; and of a piece of its end, of which there are two.
const HEAD: usize = 32 * 1024;
const TAIL: usize = 16 * 1024;
/// Bytes of a line up to which no half of it is left at a cut: half a line of a log reads like somebody's words.
const LINE: usize = 1024;
/// Most bytes that are kept; what has more structure than that is read and not used.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// What is kept of the JSON value on `input`; `None` if there is none that can be used.
pub(crate) fn skim(mut input: impl Read) -> Option<Vec<u8>> {
    let mut skim = Skim::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return None,
            Ok(length) if skim.take(&chunk[..length]) => {
                return (skim.kept.len() <= MOST_BYTES).then_some(skim.kept);
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The JSON of a host that cut its texts between the halves of a pair: such a half becomes the mark for what is unknown.
pub(crate) fn with_whole_pairs(json: &str) -> String {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut out, mut kept, mut at) = (String::with_capacity(json.len()), 0, 0);
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        at = match unit(start) {
            Some(0xD800..=0xDBFF) if matches!(unit(start + 6), Some(0xDC00..=0xDFFF)) => start + 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&json[kept..start]);
                out.push_str("\\ufffd");
                kept = start + 6;
                kept
            }
            // A backslash and what it escapes, whatever that is.
            _ => json.len().min(start + 1 + json[start + 1..].chars().next().map_or(0, char::len_utf8)),
        };
    }
    out.push_str(&json[kept..]);
    out
}

#[derive(Default)]
struct Skim {
    kept: Vec<u8>,
    /// Brackets that are open.
    depth: usize,
    /// The string that is being read.
    string: Option<InString>,
    /// Its end so far.
    tail: Tail,
}

#[derive(Clone, Copy, Default)]
struct InString {
    /// Bytes of its beginning so far, and of the whole lines among them.
    head: usize,
    lines: usize,
    /// Whether the beginning is full.
    in_tail: bool,
    /// How much of an escape is still to come.
    escape: Escape,
    /// Whether the escape is the first half of a pair, as far as it was read: the other half must follow it.
    is_half: bool,
}

/// The end of a string, as far as it was read: the piece that grows, and the one before it.
#[derive(Default)]
struct Tail {
    grows: Piece,
    before: Piece,
    /// Whether anything between the beginning and these was dropped.
    is_cut: bool,
}

#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    /// Where its first whole line begins.
    line: Option<usize>,
}

impl Piece {
    fn clear(&mut self) {
        self.bytes.clear();
        self.line = None;
    }
}

impl Tail {
    /// Adds text, which may be cut anywhere.
    fn add(&mut self, mut text: &[u8]) {
        while !text.is_empty() {
            self.turn();
            let (more, rest) = text.split_at(text.len().min(TAIL - self.grows.bytes.len()));
            self.grows.bytes.extend_from_slice(more);
            text = rest;
        }
    }

    /// Begins another piece where this one is full.
    fn turn(&mut self) {
        if self.grows.bytes.len() >= TAIL {
            self.is_cut |= !self.before.bytes.is_empty();
            std::mem::swap(&mut self.before, &mut self.grows);
            self.grows.clear();
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Escape {
    #[default]
    None,
    /// The letter behind the backslash.
    Letter,
    /// So many digits of a `\u`.
    Digits(u8),
}

/// Whether the escape that `string` is in by this byte is the first half of a pair: `\uD800` to `\uDBFF`.
fn is_half(string: InString, byte: u8) -> bool {
    match string.escape {
        Escape::Letter | Escape::Digits(4) => false,
        Escape::Digits(3) => byte.eq_ignore_ascii_case(&b'd'),
        Escape::Digits(2) => string.is_half && matches!(byte.to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b'),
        Escape::Digits(_) | Escape::None => string.is_half,
    }
}

impl Skim {
    /// Takes bytes; `true` when the value is complete.
    fn take(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(&byte) = bytes.first() {
            if let Some(string) = self.string {
                bytes = self.within(string, bytes);
                continue;
            }
            bytes = &bytes[1..];
            match byte {
                b'"' => self.string = Some(InString::default()),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.keep(&[byte]);
            if self.depth == 0 && matches!(byte, b'}' | b']') {
                return true;
            }
        }
        false
    }

    /// Takes the next part of a string, and gives what follows it.
    fn within<'a>(&mut self, mut string: InString, bytes: &'a [u8]) -> &'a [u8] {
        let may_be_cut = string.escape == Escape::None && !string.is_half;
        let ends_line = string.escape == Escape::Letter && bytes[0] == b'n';
        string.in_tail |= may_be_cut && string.head >= HEAD;
        match (string.escape, bytes[0]) {
            (Escape::None, b'"') => {
                self.close(string);
                return &bytes[1..];
            }
            (Escape::None, byte) if byte != b'\\' => return self.text(string, bytes),
            (Escape::None, _) => string.escape = Escape::Letter,
            (Escape::Letter, b'u') => string.escape = Escape::Digits(4),
            (Escape::Letter | Escape::Digits(..2), _) => string.escape = Escape::None,
            (Escape::Digits(left), _) => string.escape = Escape::Digits(left - 1),
        }
        string.is_half = is_half(string, bytes[0]);
        match string.in_tail {
            true => {
                if may_be_cut {
                    self.tail.turn();
                }
                self.tail.grows.bytes.push(bytes[0]);
                if ends_line {
                    self.tail.grows.line.get_or_insert(self.tail.grows.bytes.len());
                }
            }
            false => {
                self.keep(&bytes[..1]);
                string.head += 1;
                string.lines = if ends_line { string.head } else { string.lines };
            }
        }
        self.string = Some(string);
        &bytes[1..]
    }

    /// Takes text without escapes.
    fn text<'a>(&mut self, mut string: InString, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.iter().position(|&byte| byte == b'"' || byte == b'\\').unwrap_or(bytes.len());
        let (text, rest) = bytes.split_at(end);
        let (head, tail) = text.split_at(HEAD.saturating_sub(string.head).min(text.len()));
        self.keep(head);
        self.tail.add(tail);
        string.head += head.len();
        self.string = Some(InString { is_half: false, in_tail: string.head >= HEAD, ..string });
        rest
    }

    /// Ends a string.
    fn close(&mut self, string: InString) {
        let (mut tail, mut from) = (std::mem::take(&mut self.tail), 0);
        if tail.is_cut {
            let half = Some(string.head - string.lines).filter(|half| *half <= LINE).unwrap_or(0);
            self.kept.truncate(self.kept.len() - half);
            self.keep(CUT.replace('\n', "\\n").as_bytes());
            from = tail.before.line.filter(|line| *line <= LINE).unwrap_or(0);
        }
        self.keep(&tail.before.bytes[from..]);
        self.keep(&tail.grows.bytes);
        self.keep(b"\"");
        tail.before.clear();
        tail.grows.clear();
        self.tail = Tail { is_cut: false, ..tail };
        self.string = None;
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.kept.len() <= MOST_BYTES {
            self.kept.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const MOST_OF_A_STRING: usize = HEAD + 2 * TAIL;

    /// Gives its bytes a few at a time, then fails the test if it is asked for more than there are.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(!self.0.is_empty(), "the value was complete");
            let length = self.1.min(buffer.len()).min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn value(bytes: &[u8]) -> Value {
        let text = String::from_utf8_lossy(bytes).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn a_value_comes_back_as_it_was_however_it_arrives() {
        let given = json!({ "a": ["x\"y\\", "\u{1}é\u{1f600}", { "b": "}]{[" }], "c": 1.5, "d": null });
        let text = given.to_string().replace('é', "\\u00e9");
        for size in 1..9 {
            let kept = skim(Slow(text.as_bytes(), size)).expect("a value");
            assert_eq!(value(&kept), given, "{size}");
        }
    }

    #[test]
    fn a_long_string_is_cut_and_the_rest_is_there() {
        for filler in ["a", "é", "\\n", "\\u00e9", "\\\\", "\\\""] {
            let long = filler.repeat(MOST_OF_A_STRING);
            let text = format!("{{\"long\":\"{long}\",\"after\":\"here\"}}");
            let kept = skim(text.as_bytes()).expect("a value");
            assert!(kept.len() < 2 * MOST_OF_A_STRING, "{filler}: {}", kept.len());
            assert_eq!(value(&kept)["after"], "here", "{filler}");
        }
    }

    #[test]
    fn of_a_long_string_both_ends_are_kept_and_what_is_cut_is_shown() {
        for filler in ["a", "é", "\\n", "\\u00e9", "\\\\", "\\\"", "\\ud83d\\ude00", "ab\\\\uD83D"] {
            // However the cuts fall upon what belongs together.
            for shift in 0..14 {
                let long = filler.repeat(2 * MOST_OF_A_STRING / filler.len());
                let text =
                    format!("{{\"long\":\"first {}{long} last\",\"after\":\"here\"}}", "x".repeat(shift));
                for size in [CHUNK, 1_001] {
                    let kept = skim(Slow(text.as_bytes(), size)).expect("a value");
                    let kept = value(&kept);
                    let long = kept["long"].as_str().expect("a string");
                    assert!(long.starts_with("first ") && long.ends_with(" last"), "{filler} {shift}");
                    assert!(long.contains(CUT), "{filler} {shift}");
                    assert_eq!(kept["after"], "here", "{filler} {shift}");
                }
            }
        }
    }

    #[test]
    fn no_half_of_a_line_is_left_at_a_cut() {
        for shift in 0..40 {
            let long =
                format!("{}\n{}", "x".repeat(shift), "a line of a log, and \\n in it\n".repeat(10_000));
            let kept = skim(json!([long]).to_string().as_bytes()).expect("a value");
            let kept = value(&kept);
            let lines = kept[0].as_str().expect("a string").lines().skip(1);
            let halves: Vec<&str> = lines.filter(|line| *line != "a line of a log, and \\n in it").collect();
            // But for the line that shows where it was cut, and what stands before its line break.
            assert!(halves.iter().all(|line| line.is_empty() || *line == "…"), "{shift}: {halves:?}");
        }
    }

    #[test]
    fn half_a_pair_costs_no_more_than_itself() {
        for (told, meant) in [
            (r#"["a\ud83d"]"#, "a\u{fffd}"),
            (r#"["\ude00b"]"#, "\u{fffd}b"),
            (r#"["\ud83d\ud83d\ude00"]"#, "\u{fffd}\u{1f600}"),
            (r#"["\\ud83d"]"#, "\\ud83d"),
            (r#"["\ud83d\n…"]"#, "\u{fffd}\n…"),
        ] {
            assert_eq!(value(with_whole_pairs(told).as_bytes())[0], meant, "{told}");
        }
        for torn in ["\\", "\"\\", "\"\\u", "\"\\ud83d", "\"\\ud8é", "é\\é"] {
            let _ = with_whole_pairs(torn);
        }
    }

    #[test]
    fn a_string_that_is_not_too_long_is_kept_whole() {
        for length in [HEAD - 1, HEAD, HEAD + 1, HEAD + TAIL, MOST_OF_A_STRING] {
            let text = json!(["x".repeat(length)]);
            assert_eq!(value(&skim(text.to_string().as_bytes()).expect("a value")), text, "{length}");
        }
    }

    #[test]
    fn what_is_no_value_is_read_to_its_end_and_dropped() {
        for text in ["", "   ", "hello", "{\"a\":", "[1,2", "\"x"] {
            assert_eq!(skim(text.as_bytes()), None, "{text}");
        }
        let many = format!("[{}1]", "1,".repeat(MOST_BYTES));
        assert_eq!(skim(many.as_bytes()), None);
    }
}
