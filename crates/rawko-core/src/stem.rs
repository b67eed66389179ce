//! English words cut to their stems, so that `implementing` meets `implementation`.
//!
//! The English stemmer of the Snowball project ("Porter2"), written from its
//! published description. It cuts suffixes only inside two regions: R1 starts
//! after the first consonant that follows a vowel, R2 is the same once more
//! within R1. A stem is a key to compare, not a word to show.
//!
//! Words must come in lower case. A word of another alphabet is cut to its
//! beginning: nothing is known of its language but that words end in many ways.
//! Whatever else has anything but `a`–`z` and apostrophes is a name or a
//! number, and stays as it is.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

use crate::words::is_sign;

/// Returns the stem of a lower-case word; names and numbers come back unchanged.
pub fn stem(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() {
        return Cow::Borrowed(beginning(word));
    }
    if word.len() <= 2 || !word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'') {
        return Cow::Borrowed(word);
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word) {
        return Cow::Borrowed(stem);
    }
    let mut cut = Cut::new(word);
    cut.steps();
    cut.into_stem(word)
}

/// Letters of another alphabet that are kept of a word.
const BEGINNING: usize = 5;
/// Cyrillic and Greek letters that endings are made of …
const OF_ENDINGS: &str = "аеёиоуыэюяійьъїєαεηιοςυωάέήίόύώ";
/// … and those that end them behind another one.
const BEHIND_ONE: &str = "мхвν";

/// The beginning of a word in an alphabet that is not ours, without its ending.
fn beginning(word: &str) -> &str {
    if !word.chars().all(|c| (c.is_alphabetic() || is_combining_mark(c)) && !c.is_ascii() && !is_sign(c)) {
        return word;
    }
    let mut kept = word;
    while let Some((last, before)) = last_two(kept) {
        let ends = OF_ENDINGS.contains(last) || (BEHIND_ONE.contains(last) && OF_ENDINGS.contains(before));
        if !ends || kept.chars().nth(2).is_none() {
            break;
        }
        kept = &kept[..kept.len() - last.len_utf8()];
    }
    kept.char_indices().nth(BEGINNING).map_or(kept, |(end, _)| &kept[..end])
}

fn last_two(word: &str) -> Option<(char, char)> {
    let mut back = word.chars().rev();
    back.next().zip(back.next())
}

/// Words that the rules would cut wrongly, with the stems they get.
const IRREGULAR: [(&str, &str); 18] = [
    ("skis", "ski"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];

/// Words that are whole once their plural is cut.
const WHOLE_AFTER_PLURAL: [&[u8]; 8] =
    [b"inning", b"outing", b"canning", b"herring", b"earring", b"proceed", b"exceed", b"succeed"];

/// Suffixes cut in R1, with what replaces them; a longer one stands before the shorter it ends in.
const STEP_2: [(&str, &str); 22] = [
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
];

/// As [`STEP_2`], for the step after it.
const STEP_3: [(&str, &str); 8] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

/// Suffixes dropped in R2, longer ones first.
const STEP_4: [&str; 17] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic",
];

/// A word on its way to its stem. A `y` that acts as a consonant is kept as `Y`.
struct Cut {
    letters: Vec<u8>,
    r1: usize,
    r2: usize,
}

impl Cut {
    fn new(word: &str) -> Self {
        let mut letters = word.as_bytes().to_vec();
        if letters.first() == Some(&b'\'') {
            letters.remove(0);
        }
        for i in 0..letters.len() {
            if letters[i] == b'y' && (i == 0 || is_vowel(letters[i - 1])) {
                letters[i] = b'Y';
            }
        }
        let r1 = [&b"gener"[..], b"commun", b"arsen"]
            .iter()
            .find(|prefix| letters.starts_with(prefix))
            .map_or_else(|| region_after(&letters, 0), |prefix| prefix.len());
        let r2 = region_after(&letters, r1);
        Self { letters, r1, r2 }
    }

    fn steps(&mut self) {
        self.possessive();
        self.plural();
        if WHOLE_AFTER_PLURAL.contains(&self.letters.as_slice()) {
            return;
        }
        self.past_and_gerund();
        self.final_y();
        self.step_2();
        self.step_3();
        self.step_4();
        self.final_e_or_l();
    }

    fn into_stem(mut self, word: &str) -> Cow<'_, str> {
        self.letters.make_ascii_lowercase();
        if word.as_bytes().starts_with(&self.letters) {
            return Cow::Borrowed(&word[..self.letters.len()]);
        }
        Cow::Owned(self.letters.into_iter().map(char::from).collect())
    }

    /// Where `suffix` starts, if the word ends in it.
    fn ends(&self, suffix: &str) -> Option<usize> {
        self.letters.ends_with(suffix.as_bytes()).then(|| self.letters.len() - suffix.len())
    }

    fn replace_from(&mut self, start: usize, with: &str) {
        self.letters.truncate(start);
        self.letters.extend_from_slice(with.as_bytes());
    }

    fn has_vowel_before(&self, end: usize) -> bool {
        self.letters[..end].iter().any(|&b| is_vowel(b))
    }

    /// The letter before position `at`, or 0 at the start.
    fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |i| self.letters[i])
    }

    fn possessive(&mut self) {
        if let Some(at) = ["'s'", "'s", "'"].iter().find_map(|suffix| self.ends(suffix)) {
            self.letters.truncate(at);
        }
    }

    fn plural(&mut self) {
        if let Some(at) = self.ends("sses") {
            self.replace_from(at, "ss");
        } else if let Some(at) = self.ends("ied").or_else(|| self.ends("ies")) {
            self.replace_from(at, if at > 1 { "i" } else { "ie" });
        } else if self.ends("us").is_none()
            && self.ends("ss").is_none()
            && let Some(at) = self.ends("s")
            && self.has_vowel_before(at.saturating_sub(1))
        {
            self.letters.truncate(at);
        }
    }

    fn past_and_gerund(&mut self) {
        if let Some(at) = self.ends("eedly").or_else(|| self.ends("eed")) {
            if at >= self.r1 {
                self.replace_from(at, "ee");
            }
            return;
        }
        let Some(at) = ["ingly", "edly", "ing", "ed"].iter().find_map(|suffix| self.ends(suffix)) else {
            return;
        };
        if !self.has_vowel_before(at) {
            return;
        }
        self.letters.truncate(at);
        if ["at", "bl", "iz"].iter().any(|suffix| self.ends(suffix).is_some()) {
            self.letters.push(b'e');
        } else if self.ends_in_double() {
            self.letters.pop();
        } else if self.r1 >= self.letters.len() && ends_in_short_syllable(&self.letters) {
            self.letters.push(b'e');
        }
    }

    fn ends_in_double(&self) -> bool {
        matches!(self.letters.as_slice(), [.., a, b] if a == b && b"bdfgmnprt".contains(a))
    }

    fn final_y(&mut self) {
        let last = self.letters.len().saturating_sub(1);
        if last >= 2 && matches!(self.letters[last], b'y' | b'Y') && !is_vowel(self.letters[last - 1]) {
            self.letters[last] = b'i';
        }
    }

    fn step_2(&mut self) {
        if let Some((at, with)) = STEP_2.iter().find_map(|(suffix, with)| Some((self.ends(suffix)?, with))) {
            if at >= self.r1 {
                self.replace_from(at, with);
            }
        } else if let Some(at) = self.ends("ogi") {
            if at >= self.r1 && self.before(at) == b'l' {
                self.letters.truncate(at + 2);
            }
        } else if let Some(at) = self.ends("li")
            && at >= self.r1
            && b"cdeghkmnrt".contains(&self.before(at))
        {
            self.letters.truncate(at);
        }
    }

    fn step_3(&mut self) {
        if let Some((at, with)) = STEP_3.iter().find_map(|(suffix, with)| Some((self.ends(suffix)?, with))) {
            if at >= self.r1 {
                self.replace_from(at, with);
            }
        } else if let Some(at) = self.ends("ative")
            && at >= self.r2
        {
            self.letters.truncate(at);
        }
    }

    fn step_4(&mut self) {
        if let Some(at) = STEP_4.iter().find_map(|suffix| self.ends(suffix)) {
            if at >= self.r2 {
                self.letters.truncate(at);
            }
        } else if let Some(at) = self.ends("ion")
            && at >= self.r2
            && matches!(self.before(at), b's' | b't')
        {
            self.letters.truncate(at);
        }
    }

    fn final_e_or_l(&mut self) {
        if let Some(at) = self.ends("e") {
            if at >= self.r2 || (at >= self.r1 && !ends_in_short_syllable(&self.letters[..at])) {
                self.letters.truncate(at);
            }
        } else if let Some(at) = self.ends("l")
            && at >= self.r2
            && self.before(at) == b'l'
        {
            self.letters.truncate(at);
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Where the region after the first consonant that follows a vowel begins, looking from `from`.
fn region_after(letters: &[u8], from: usize) -> usize {
    let end = letters.len();
    (from + 1..end).find(|&i| is_vowel(letters[i - 1]) && !is_vowel(letters[i])).map_or(end, |i| i + 1)
}

/// A short syllable is consonant, vowel, consonant other than `w`, `x`, `Y`; or, at the start, vowel, consonant.
fn ends_in_short_syllable(letters: &[u8]) -> bool {
    match letters {
        [vowel, last] => is_vowel(*vowel) && !is_vowel(*last),
        [.., first, vowel, last] => {
            !is_vowel(*first) && is_vowel(*vowel) && !is_vowel(*last) && !matches!(last, b'w' | b'x' | b'Y')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::stem;

    /// `word stem` pairs must hold.
    fn check(pairs: &str) {
        let words: Vec<&str> = pairs.split_whitespace().collect();
        for pair in words.chunks(2) {
            assert_eq!(stem(pair[0]), pair[1], "stem of {}", pair[0]);
        }
    }

    #[test]
    fn the_published_sample_vocabulary_is_stemmed_as_published() {
        check(
            "consign consign   consigned consign   consigning consign   consignment consign
            consist consist   consisted consist   consistency consist   consistent consist
            consistently consist   consisting consist   consists consist   consolation consol
            consolations consol   consolatory consolatori   console consol   consoled consol
            consoles consol   consolidate consolid   consolidated consolid   consolidating consolid
            consoling consol   consolingly consol   consols consol   consonant conson   consort consort
            consorted consort   consorting consort   conspicuous conspicu   conspicuously conspicu
            conspiracy conspiraci   conspirator conspir   conspirators conspir   conspire conspir
            conspired conspir   conspiring conspir   constable constabl   constables constabl
            constance constanc   constancy constanc   constant constant   knack knack   knackeries knackeri
            knacks knack   knag knag   knave knave   knaves knave   knavish knavish   kneaded knead
            kneading knead   knee knee   kneel kneel   kneeled kneel   kneeling kneel   kneels kneel
            knees knee   knell knell   knelt knelt   knew knew   knick knick   knif knif   knife knife
            knight knight   knightly knight   knights knight   knit knit   knits knit   knitted knit
            knitting knit   knives knive   knob knob   knobs knob   knock knock   knocked knock
            knocker knocker   knockers knocker   knocking knock   knocks knock   knopp knopp   knot knot
            knots knot",
        );
    }

    #[test]
    fn each_rule_of_the_description_holds_on_its_own_examples() {
        check(
            "ties tie   cries cri   gas gas   this this   gaps gap   kiwis kiwi   luxuriated luxuri
            hopping hop   hoping hope   bed bed   shed shed   cry cri   by by   say say   generate generat
            generically generic   communism communism   beautiful beauti   dying die   skies sky
            news news   innings inning   exceeds exceed   proceeding proceed   national nation
            hopefulness hope   relational relat   sensibilities sensibl   theology theolog   roll roll
            dog's dog",
        );
    }

    #[test]
    fn forms_of_one_word_meet() {
        for (a, b) in [
            ("implementing", "implementation"),
            ("authentication", "authenticate"),
            ("searches", "searching"),
            ("configured", "configuration"),
            ("tests", "testing"),
            ("dependencies", "dependency"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} and {b}");
        }
    }

    #[test]
    fn names_numbers_and_other_languages_stay_as_they_are() {
        for word in ["s390x", "größe", "utf-8", "doc_long", "ci", "", "認証"] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn a_stem_that_begins_its_word_is_borrowed() {
        assert!(matches!(stem("testing"), Cow::Borrowed("test")));
    }

    proptest! {
        #[test]
        fn no_word_panics_or_grows_by_more_than_a_letter(word in "[a-z']{0,12}|\\PC{0,12}") {
            prop_assert!(stem(&word).len() <= word.len() + 1);
        }
    }
}
