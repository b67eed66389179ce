//! Text as words: what no formatter changes.
//!
//! A text becomes a list of tokens, each marked as code, string or comment.
//! Two texts say the same when their tokens are equal in one [`View`], and a
//! passage is a rolling hash over them, so that one pass over a file finds it
//! wherever it now stands.

use std::fmt;
use std::str::FromStr;

use super::lang::Lang;

const PRIME: u64 = 0x0100_0000_01b3;

/// What a token is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Code,
    Text,
    Comment,
}

/// One word, number or mark, by its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub start: u32,
    pub end: u32,
    pub line: u32,
    pub place: Place,
    /// Lies in a string or comment that began on an earlier line.
    pub carried: bool,
}

/// A text and its tokens.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub text: String,
    pub tokens: Vec<Token>,
    pub lang: &'static Lang,
}

/// Which tokens count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Everything but comments, wherever on a line they stand; what hashes are written from.
    Code,
    /// Everything but lines that hold only a comment, told by their first characters: the published
    /// form of the hash, which other programs may have written.
    Lines,
    /// Everything.
    All,
}

/// A token that counts, as its hash, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub hash: u64,
    pub token: u32,
}

impl Lexed {
    /// Splits `text` into tokens, with the marks of the language that `path` stands for.
    pub(crate) fn new(path: &str, text: String) -> Self {
        let lang = Lang::of(path);
        let tokens = Lexer { text: &text, bytes: text.as_bytes(), lang }.run();
        Self { text, tokens, lang }
    }

    /// The characters of a token.
    pub(crate) fn word(&self, token: usize) -> &str {
        self.tokens.get(token).map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// The tokens that count in `view`, those of `range` only.
    pub(crate) fn words(&self, view: View, range: std::ops::Range<usize>) -> Vec<Word> {
        let comment_lines = if view == View::Lines { self.comment_lines() } else { Vec::new() };
        let counts = |t: &Token| match view {
            View::Code => t.place != Place::Comment,
            View::Lines => !comment_lines.get(t.line as usize).copied().unwrap_or(false),
            View::All => true,
        };
        let kept: Vec<usize> = range.filter(|&i| self.tokens.get(i).is_some_and(counts)).collect();
        let mut words = Vec::with_capacity(kept.len());
        let mut is_lone_parameter = false;
        for (at, &i) in kept.iter().enumerate() {
            let is_form = match self.mark(i) {
                b'(' if view == View::Code && self.lang.arrows => {
                    is_lone_parameter = self.opens_lone_parameter(&kept[at..]);
                    is_lone_parameter
                }
                b')' => std::mem::take(&mut is_lone_parameter),
                mark @ (b',' | b';' | b'\\') => self.is_only_form(mark, i, kept.get(at + 1).copied(), view),
                _ => false,
            };
            if !is_form {
                words.push(Word { hash: self.hash(i), token: i as u32 });
            }
        }
        words
    }

    /// The first byte of a token: all of it, where it is a mark.
    fn mark(&self, token: usize) -> u8 {
        self.text.as_bytes()[self.tokens[token].start as usize]
    }

    /// FNV-1a of a token; the three quotes are one.
    fn hash(&self, token: usize) -> u64 {
        let token = &self.tokens[token];
        let bytes = &self.text.as_bytes()[token.start as usize..token.end as usize];
        let bytes = if matches!(bytes, b"'" | b"`") { b"\"" } else { bytes };
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(PRIME))
    }

    /// All tokens that count in `view`.
    pub(crate) fn all_words(&self, view: View) -> Vec<Word> {
        self.words(view, 0..self.tokens.len())
    }

    /// The identifiers and numbers that count: what a text is about, without its marks.
    pub(crate) fn names(&self, range: std::ops::Range<usize>) -> Vec<Word> {
        let mut words = self.words(View::Code, range);
        words.retain(|word| is_word(self.word(word.token as usize)));
        words
    }

    /// All identifiers and numbers that count.
    pub(crate) fn all_names(&self) -> Vec<Word> {
        self.names(0..self.tokens.len())
    }

    /// Whether a mark is there only because of how lines were broken.
    fn is_only_form(&self, mark: u8, token: usize, next: Option<usize>, view: View) -> bool {
        let next_mark = next.map_or(0, |n| self.mark(n));
        let ends_line = next.is_none_or(|n| self.tokens[n].line != self.tokens[token].line);
        match mark {
            b',' => matches!(next_mark, b')' | b']' | b'}') || (view == View::Code && next_mark == b'{'),
            b';' => ends_line || (view == View::Code && next_mark == b'}'),
            _ => view == View::Code && ends_line && next.is_some(),
        }
    }

    /// `( x ) = >` at the head of `kept`.
    fn opens_lone_parameter(&self, kept: &[usize]) -> bool {
        let [open, name, close, eq, gt, ..] = kept else { return false };
        self.word(*open) == "("
            && self.word(*close) == ")"
            && self.word(*eq) == "="
            && self.word(*gt) == ">"
            && is_word(self.word(*name))
    }

    /// For every line, whether its first characters say that it is a comment.
    fn comment_lines(&self) -> Vec<bool> {
        self.text.split('\n').map(|line| !self.lang.page && looks_like_comment(line)).collect()
    }

    /// Whether nothing here counts as code, though something is written.
    pub(crate) fn is_comment(&self) -> bool {
        let mut lines = self.text.lines().filter(|line| !line.trim().is_empty()).peekable();
        !self.lang.page
            && lines.peek().is_some()
            && (self.tokens.iter().all(|t| t.place == Place::Comment) || lines.all(looks_like_comment))
    }
}

/// Whether a line, seen alone, holds only a comment in one of the usual languages.
fn looks_like_comment(line: &str) -> bool {
    let line = line.trim();
    let before_space = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    line.starts_with("//")
        || line.starts_with("/*")
        || line.strip_prefix('*').is_some_and(|rest| before_space(rest) || rest.starts_with('/'))
        || line.strip_prefix('#').is_some_and(before_space)
        || line.strip_prefix("--").is_some_and(before_space)
}

/// Whether a token is an identifier or a number.
pub(crate) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphanumeric())
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    lang: &'static Lang,
}

impl Lexer<'_> {
    fn run(&self) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(self.bytes.len() / 4);
        let (mut at, mut line) = (0, 0_u32);
        let (mut place, mut region_end, mut region_line) = (Place::Code, 0, 0_u32);
        while let Some(&byte) = self.bytes.get(at) {
            if byte == b'\n' || byte == b' ' || byte == b'\t' || byte == b'\r' {
                line += u32::from(byte == b'\n');
                at += 1;
                continue;
            }
            let c = if byte.is_ascii() { char::from(byte) } else { self.char_at(at) };
            if c.is_whitespace() || c == '\u{feff}' {
                at += c.len_utf8();
                continue;
            }
            if at >= region_end {
                (place, region_end) = self.region(at);
                region_line = line;
            }
            let end = self.token_end(at, c);
            let carried = place != Place::Code && region_line != line;
            tokens.push(Token { start: at as u32, end: end as u32, line, place, carried });
            at = end;
        }
        tokens
    }

    fn char_at(&self, at: usize) -> char {
        self.text[at..].chars().next().unwrap_or(' ')
    }

    /// What begins at `at`, and where it ends.
    fn region(&self, at: usize) -> (Place, usize) {
        let c = self.bytes[at];
        if c == b'_' || c.is_ascii_alphanumeric() || self.lang.page {
            return (Place::Code, at);
        }
        if let Some(end) = self.comment_end(at) {
            return (Place::Comment, end);
        }
        self.string_end(at, c).map_or((Place::Code, at), |end| (Place::Text, end))
    }

    fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        if let Some((open, close)) = self.lang.block
            && rest.starts_with(open.as_bytes())
            && let Some(length) = find(&rest[open.len()..], close.as_bytes())
        {
            return Some(at + open.len() + length + close.len());
        }
        let mark = self.lang.line.iter().find(|mark| rest.starts_with(mark.as_bytes()))?;
        let before = at.checked_sub(1).map_or(b'\n', |i| self.bytes[i]);
        let after = rest.get(mark.len()).copied().unwrap_or(b'\n');
        let opens = match *mark {
            "//" => before != b':',
            "#" => before.is_ascii_whitespace() && !(at == 0 && after == b'!'),
            _ => before.is_ascii_whitespace(),
        };
        let spaced = !self.lang.wary || *mark == "//" || after.is_ascii_whitespace();
        (opens && spaced).then(|| at + find(rest, b"\n").unwrap_or(rest.len()))
    }

    fn string_end(&self, at: usize, quote: u8) -> Option<usize> {
        if !matches!(quote, b'"' | b'\'' | b'`') {
            return None;
        }
        let rest = &self.bytes[at..];
        for mark in self.lang.long {
            if rest.starts_with(mark.as_bytes())
                && let Some(length) = find(&rest[mark.len()..], mark.as_bytes())
            {
                return Some(at + length + 2 * mark.len());
            }
        }
        let reach = if quote == b'\'' && self.lang.chars { self.char_reach(at) } else { rest.len() };
        let mut i = 1;
        while i < reach.min(rest.len()) && rest[i] != b'\n' {
            match rest[i] {
                b'\\' => i += 2,
                c if c == quote => return Some(at + i + 1),
                _ => i += 1,
            }
        }
        None
    }

    /// How far the closing mark of a character can be: one character, or an escape.
    fn char_reach(&self, at: usize) -> usize {
        let inner = self.text[at + 1..].chars().next();
        inner.map_or(0, |c| if c == '\\' { 12 } else { c.len_utf8() + 2 })
    }

    fn token_end(&self, at: usize, first: char) -> usize {
        if first == '_' || first.is_ascii_alphabetic() {
            return self.word_end(at);
        }
        if !first.is_ascii_digit() {
            return at + first.len_utf8();
        }
        let mut end = self.word_end(at);
        while self.bytes.get(end) == Some(&b'.') && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end = self.word_end(end + 1);
        }
        end
    }

    fn word_end(&self, at: usize) -> usize {
        let is_part = |c: char| c == '_' || c.is_alphanumeric();
        let ascii = self.bytes[at..].iter().take_while(|b| **b == b'_' || b.is_ascii_alphanumeric()).count();
        let end = at + ascii;
        if self.bytes.get(end).is_none_or(u8::is_ascii) {
            return end;
        }
        self.text[end..].find(|c| !is_part(c)).map_or(self.text.len(), |length| end + length)
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, rest) = needle.split_first()?;
    let mut from = 0;
    while let Some(step) = haystack[from..].iter().position(|b| b == first) {
        let at = from + step;
        if haystack[at + 1..].starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// The content of a passage: how many tokens, and their rolling hash. Written `t<n>-<16 hex>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passage {
    count: u32,
    hash: u64,
}

impl Passage {
    pub(crate) fn of(words: &[Word]) -> Self {
        let hash = words.iter().fold(0_u64, |h, w| h.wrapping_mul(PRIME).wrapping_add(w.hash));
        Self { count: words.len() as u32, hash }
    }

    /// How many words it has.
    pub(crate) fn count(self) -> usize {
        self.count as usize
    }

    /// Where in `words` this passage begins, everywhere it stands.
    pub(crate) fn places(self, words: &[Word]) -> Vec<usize> {
        let n = self.count as usize;
        if n == 0 || words.len() < n {
            return Vec::new();
        }
        let top = (1..n).fold(1_u64, |p, _| p.wrapping_mul(PRIME));
        let mut hash = Self::of(&words[..n]).hash;
        let mut found = Vec::new();
        for start in 0..=words.len() - n {
            if hash == self.hash {
                found.push(start);
            }
            if let Some(next) = words.get(start + n) {
                hash = hash.wrapping_sub(words[start].hash.wrapping_mul(top));
                hash = hash.wrapping_mul(PRIME).wrapping_add(next.hash);
            }
        }
        found
    }
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}-{:016x}", self.count, self.hash)
    }
}

impl FromStr for Passage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.trim().strip_prefix('t').and_then(|rest| rest.split_once('-'));
        let parsed = parts.and_then(|(count, hash)| {
            let hash = (hash.len() == 16).then(|| u64::from_str_radix(hash, 16).ok())??;
            Some(Self { count: count.parse().ok().filter(|n| *n > 0)?, hash })
        });
        parsed.ok_or_else(|| format!("`{text}` is not a hash of the form t<count>-<16 hex digits>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(path: &str, text: &str) -> String {
        Passage::of(&Lexed::new(path, text.into()).all_words(View::Code)).to_string()
    }

    #[test]
    fn published_examples_give_their_hashes() {
        assert_eq!(hash("a.ts", "f(a, b)"), "t6-b12960bd9dfb033c");
        assert_eq!(hash("a.ts", "f(\n  a,\n  b,\n)"), "t6-b12960bd9dfb033c");
        assert_eq!(hash("a.ts", "const TTL_SECONDS = 900;"), "t4-ac3a54cc2a66e821");
        assert_eq!(hash("a.py", "x = 'a'"), "t5-65d8e4a3dfc47e05");
    }

    #[track_caller]
    fn same(path: &str, a: &str, b: &str) {
        assert_eq!(hash(path, a), hash(path, b), "{a:?} and {b:?}");
    }

    #[test]
    fn form_does_not_count() {
        same("a.ts", "const f = (t) => t.x;\r\n", "const f = t => t.x");
        same("a.ts", "if (a) { return 1; }", "if (a) {\n  return 1;\n}");
        same("a.rs", "fn a<'x>(b: &'x str) {} // why", "fn a<'x>(b: &'x str) {\n}");
        same("a.py", "x = 1 + \\\n  2", "x = 1 + 2");
        same("a.py", "x = 7 // 2", "x = 7 \\\n  // 2");
        same("a.c", "a = b\n  * c;", "a = b * c;");
        same("a.sh", "#!/bin/sh\nset -e # stop", "#!/bin/sh\nset   -e");
        same("a.yaml", "\u{feff}a: \"x # y\" # z\n", "a: 'x # y'");
        same("a.go", "a /* b */ c", "a c");
    }

    #[test]
    fn values_count() {
        assert_ne!(hash("a.ts", "max: 10"), hash("a.ts", "max: 100"));
        assert_ne!(hash("a.toml", "v = 1.34.1"), hash("a.toml", "v = 1.34.10"));
        assert_ne!(hash("a.ts", "u = 'http://a'"), hash("a.ts", "u = 'http://b'"));
        assert_ne!(hash("a.py", "x = 7 // 2"), hash("a.py", "x = 7 // 3"));
        assert_ne!(hash("a.md", "# one"), hash("a.md", "# two"));
    }

    #[test]
    fn a_passage_is_found_wherever_it_stands() {
        let file = Lexed::new("a.ts", "a();\nb(1, 2);\nc();\nb(1, 2)".into());
        let passage = Passage::of(&Lexed::new("a.ts", "b(1,\n 2,\n);".into()).all_words(View::Code));
        assert_eq!(passage.places(&file.all_words(View::Code)).len(), 2);
        assert_eq!(passage.to_string().parse(), Ok(passage));
        assert!("t0-0000000000000000".parse::<Passage>().is_err());
        assert!("sha1".parse::<Passage>().is_err());
    }
}
