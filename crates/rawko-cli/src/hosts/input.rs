//! Reads a host's JSON from standard input: to its end, but never more than we can use.
//!
//! A tool's output may have a hundred megabytes. Long strings are cut while they
//! are read, so that what is kept is small and still JSON; the rest is read and
//! dropped, because a host must not meet a closed pipe. Reading ends with the
//! JSON value, so a host that forgets to close the pipe is answered all the same.

use std::io::Read;

/// Most bytes of one string that are kept.
const MOST_OF_A_STRING: usize = 64 * 1024;
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

#[derive(Default)]
struct Skim {
    kept: Vec<u8>,
    /// Brackets that are open.
    depth: usize,
    /// The string that is being read.
    string: Option<InString>,
}

#[derive(Clone, Copy, Default)]
struct InString {
    /// Bytes of it so far.
    length: usize,
    /// How much of an escape is still to come.
    escape: Escape,
    /// Whether what is being read is kept no more, or was kept already.
    dropped: bool,
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
        let mut taken = 1;
        match (string.escape, bytes[0]) {
            (Escape::None, b'"') => {
                self.keep(b"\"");
                self.string = None;
                return &bytes[1..];
            }
            (Escape::None, b'\\') => {
                // An escape is kept whole or not at all.
                string.dropped = string.length >= MOST_OF_A_STRING;
                string.escape = Escape::Letter;
            }
            (Escape::None, _) => {
                taken = bytes.iter().position(|&byte| byte == b'"' || byte == b'\\').unwrap_or(bytes.len());
                self.keep(&bytes[..MOST_OF_A_STRING.saturating_sub(string.length).min(taken)]);
                string.dropped = true;
            }
            (Escape::Letter, b'u') => string.escape = Escape::Digits(4),
            (Escape::Letter | Escape::Digits(..2), _) => string.escape = Escape::None,
            (Escape::Digits(left), _) => string.escape = Escape::Digits(left - 1),
        }
        if !string.dropped {
            self.keep(&bytes[..taken]);
        }
        string.length += taken;
        self.string = Some(string);
        &bytes[taken..]
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
    fn what_is_no_value_is_read_to_its_end_and_dropped() {
        for text in ["", "   ", "hello", "{\"a\":", "[1,2", "\"x"] {
            assert_eq!(skim(text.as_bytes()), None, "{text}");
        }
        let many = format!("[{}1]", "1,".repeat(MOST_BYTES));
        assert_eq!(skim(many.as_bytes()), None);
    }
}
