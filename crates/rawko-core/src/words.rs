//! Text into terms: what counts as the same word.
//!
//! Memories mix prose with code, so a token such as `retry_queue`,
//! `retryQueue` or `src/auth/mod.rs` is kept whole *and* in parts: the whole
//! finds the exact name, the parts find the words in it. The three spellings of
//! one name give the same whole. Prose is folded, freed of stop words and
//! stemmed; of a word in an alphabet other than ours the beginning is kept. The same function reads queries and bodies, cold, before every
//! prompt, so it allocates nothing per word once its buffers have grown.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::stem::stem;
use crate::word_list::WordList;

/// Longest chunk that is analysed as one name; longer ones are data, not words.
const MAX_CHUNK: usize = 200;

/// A term's identity: a 64-bit FNV-1a hash of its text, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

impl Term {
    /// The identity of an analysed term.
    pub fn of(text: &str) -> Self {
        Self(
            text.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    /// The identity of two terms that stand side by side, in order.
    pub fn pair(self, next: Self) -> Self {
        Self((self.0.rotate_left(5) ^ next.0).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Calls `emit(term, position)` for every term of `text`, in order.
///
/// Positions count words, stop words too, so that neighbours are real
/// neighbours. A compound's whole shares the position of its first part.
pub fn analyse(text: &str, mut emit: impl FnMut(&str, u32)) {
    let mut reader = Reader { position: 0, word: String::new(), whole: String::new(), emit: &mut emit };
    let mut rest = text;
    while let Some(start) = rest.find(is_inner) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        reader.chunk(chunk, after);
        rest = after;
    }
}

/// The distinct terms of `text` in their order of first appearance.
pub fn terms(text: &str) -> Vec<Term> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    analyse(text, |term, _| {
        let term = Term::of(term);
        if seen.insert(term) {
            found.push(term);
        }
    });
    found
}

/// Characters that can stand inside a chunk: letters, digits, and what joins names.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '.' | '/' | '\\' | '\'' | '\u{2019}')
        || (!c.is_ascii() && is_combining_mark(c))
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}')
}

fn is_joint(c: char) -> bool {
    matches!(c, '_' | '-' | '.')
}

/// Whether a character is a sign of a script without spaces, as much as a syllable or a word.
pub(crate) fn is_sign(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// The letters of Japanese grammar: endings and particles.
fn is_ending(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

struct Reader<'e, E> {
    position: u32,
    /// The part at hand, folded.
    word: String,
    /// The compound at hand, its parts joined.
    whole: String,
    emit: &'e mut E,
}

impl<E: FnMut(&str, u32)> Reader<'_, E> {
    fn chunk(&mut self, chunk: &str, after: &str) {
        let chunk = chunk.trim_matches(|c: char| !c.is_alphanumeric());
        if chunk.is_empty() || chunk.len() > MAX_CHUNK {
            return;
        }
        if chunk.len() == 1 && (after.starts_with("++") || after.starts_with('#')) {
            return self.sharp(chunk, after);
        }
        let segments = || chunk.split(['/', '\\']).filter(|s| s.contains(char::is_alphanumeric));
        if segments().nth(1).is_some() {
            self.whole.clear();
            for segment in segments() {
                if !self.whole.is_empty() {
                    self.whole.push('/');
                }
                fold_into(segment, &mut self.whole);
            }
            (self.emit)(&self.whole, self.position);
        }
        for segment in segments() {
            self.name(segment.trim_matches(|c: char| !c.is_alphanumeric()));
        }
    }

    /// Languages named by one letter and a sign: `C++`, `C#`, `F#`.
    fn sharp(&mut self, letter: &str, after: &str) {
        self.whole.clear();
        self.whole.push_str(&letter.to_ascii_lowercase());
        self.whole.push_str(if after.starts_with('#') { "#" } else { "++" });
        (self.emit)(&self.whole, self.position);
        self.position += 1;
    }

    /// A name without slashes: its whole, where it has several parts, then the parts.
    fn name(&mut self, name: &str) {
        let mut parts = Parts { rest: name };
        let Some(first) = parts.next() else { return };
        if parts.rest.is_empty() {
            return self.part(first);
        }
        self.whole.clear();
        // Digits keep their dots and dashes: 1.2.3 is not 12.3, and a date is not a number.
        let numeric = name.chars().all(|c| c.is_ascii_digit() || is_joint(c));
        for part in (Parts { rest: name }) {
            if numeric && !self.whole.is_empty() {
                self.whole.push('.');
            }
            fold_into(part, &mut self.whole);
        }
        (self.emit)(&stem(&self.whole), self.position);
        for part in (Parts { rest: name }) {
            self.part(part);
        }
    }

    fn part(&mut self, part: &str) {
        // A possessive or contraction says nothing that its stem does not.
        let part = part.split(['\'', '\u{2019}']).next().unwrap_or(part);
        if part.contains(is_sign) {
            return self.ideographs(part);
        }
        self.word.clear();
        fold_into(part, &mut self.word);
        let stem = stem(&self.word);
        // In alphabets for which there is no list of them, function words are known by what is left of them.
        let is_telling = stem.is_ascii() || stem.chars().nth(2).is_some();
        if !stem.is_empty() && is_telling && !is_stop(&self.word) {
            (self.emit)(&stem, self.position);
        }
        self.position += 1;
    }

    /// Scripts without spaces: overlapping pairs, or the sign itself when it stands alone.
    fn ideographs(&mut self, run: &str) {
        let mut previous: Option<char> = None;
        let mut paired = false;
        let flush = |reader: &mut Self, last: Option<char>, paired: bool| {
            if let (Some(c), false) = (last, paired) {
                reader.word.clear();
                reader.word.push(c);
                (reader.emit)(&reader.word, reader.position);
                reader.position += 1;
            }
        };
        for c in run.chars() {
            if !is_sign(c) || is_ending(c) {
                flush(self, previous.take(), paired);
                paired = false;
                continue;
            }
            if let Some(before) = previous {
                self.word.clear();
                self.word.extend([before, c]);
                (self.emit)(&self.word, self.position);
                self.position += 1;
                paired = true;
            }
            previous = Some(c);
        }
        flush(self, previous, paired);
        let other = run.split(is_sign).filter(|s| !s.is_empty());
        for latin in other {
            self.part(latin);
        }
    }
}

/// Lower case without accents; ASCII takes the short way.
fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|b| char::from(b.to_ascii_lowercase())));
    } else {
        out.extend(text.nfkd().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase));
    }
}

/// The parts of a name: cut at `_`, `-`, `.` and where the case turns.
struct Parts<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Parts<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        self.rest = self.rest.trim_start_matches(is_joint);
        if self.rest.is_empty() {
            return None;
        }
        let end = cut(self.rest);
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start_matches(is_joint);
        Some(part)
    }
}

/// Where the first part of a name ends.
fn cut(name: &str) -> usize {
    let mut before: Option<char> = None;
    let mut chars = name.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if is_joint(c) {
            return at;
        }
        if let Some(before) = before
            && c.is_uppercase()
        {
            let next_lower = chars.peek().is_some_and(|(_, n)| n.is_lowercase());
            if before.is_lowercase() || (before.is_uppercase() && next_lower && at > 0) {
                return at;
            }
        }
        before = Some(c);
    }
    name.len()
}

/// Whether a folded word is too common to find anything by.
fn is_stop(word: &str) -> bool {
    STOP.has(word)
}

/// English function words, question words and the stumps of contractions.
static STOP: WordList = WordList::of(
    " \
    a about above after again against ain all also am an and any are aren as at be because been \
    before being below between both but by can cannot could couldn d did didn do does doesn doing \
    don down during each few for from further had hadn has hasn have haven having he her here hers \
    herself him himself his how i if in into is isn it its itself just let ll m may me might \
    mightn more most must mustn my myself needn no nor not now o of off on once only or other our \
    ours ourselves out over own please re s same shall shan she should shouldn so some such t than \
    that the their theirs them themselves then there these they this those through to too under \
    until up us ve very was wasn we were weren what when where which while who whom whose why will \
    with won would wouldn y you your yours yourself yourselves ",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut out = Vec::new();
        analyse(text, |term, at| out.push(format!("{term}@{at}")));
        out.join(" ")
    }

    #[test]
    fn prose_is_folded_stemmed_and_freed_of_stop_words() {
        assert_eq!(read("What did the Cafés open?"), "cafe@3 open@4");
    }

    #[test]
    fn three_spellings_of_a_name_share_their_whole_and_their_parts() {
        let snake = terms("retry_queue");
        assert_eq!(snake, terms("retryQueue"));
        assert_eq!(snake, terms("retry-queue"));
        assert_eq!(snake.len(), 3);
    }

    #[test]
    fn a_path_is_kept_whole_and_in_parts() {
        assert_eq!(read("src/auth/mod_7.rs"), "src/auth/mod_7.rs@0 src@0 auth@1 mod7rs@2 mod@2 7@3 rs@4");
    }

    #[test]
    fn versions_and_dates_keep_their_joints() {
        assert_eq!(read("1.2.3"), "1.2.3@0 1@0 2@1 3@2");
        assert_eq!(terms("2024-05-07")[0], Term::of("2024.05.07"));
    }

    #[test]
    fn capitals_in_a_row_are_one_word() {
        assert_eq!(read("HTTPServer"), "httpserver@0 http@0 server@1");
    }

    #[test]
    fn contractions_and_possessives_lose_their_tail() {
        assert_eq!(read("Caroline's don't"), "carolin@0");
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        assert_eq!(read("東京都"), "東京@0 京都@1");
        assert_eq!(read("猫"), "猫@0");
    }

    #[test]
    fn endings_in_japanese_join_nothing() {
        assert_eq!(read("テストを実行する"), "テス@0 スト@1 実行@2");
        assert_eq!(read("書いて"), "書@0");
    }

    #[test]
    fn forms_of_a_word_meet_in_other_alphabets_and_function_words_do_not_count() {
        for (one, other) in
            [("миграция", "миграциями"), ("тестов", "тесты"), ("ошибка", "ошибке"), ("परीक्षण", "परीक्षणों")]
        {
            assert_eq!(terms(one), terms(other), "{one} {other}");
            assert_eq!(terms(one).len(), 1, "{one}");
        }
        assert_ne!(terms("миграция"), terms("авторизация"));
        assert_eq!(read("это для нас"), "нас@2");
    }

    #[test]
    fn languages_with_a_sign_stay_apart() {
        assert_eq!(read("C++ and C#"), "c++@0 c#@2");
    }
}
