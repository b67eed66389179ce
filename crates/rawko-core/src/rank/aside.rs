//! What a question says beside what it is about: that something is asked for, and when something was.
//!
//! "Can you recommend a film?" is about films, and "I mentioned a race two
//! weeks ago" about a race. In a small collection the words around it are as
//! rare as those that matter, and would pull towards every document that
//! recommends or mentions something.

use std::ops::Range;

/// Words for speaking and asking; only beside one of [`SPEAKERS`], so that an engine that recommends stays one.
#[rustfmt::skip]
const ASKING: [&str; 38] = [
    "advice", "advise", "ask", "asked", "discuss", "discussed", "explain", "explained", "help", "idea", "ideas", "know",
    "mention", "mentioned", "recall", "recommend", "recommendation", "recommendations", "recommended", "remember", "remind",
    "reminded", "said", "say", "suggest", "suggested", "suggestion", "suggestions", "talk", "talked", "tell", "think",
    "thinking", "tip", "tips", "told", "wonder", "wondering",
];
/// Who asks or is asked; what is asked for is one of "any" or "some".
const SPEAKERS: [&str; 8] = ["any", "i", "me", "please", "some", "us", "we", "you"];
const UNITS: [&str; 14] = [
    "day", "days", "hour", "hours", "minute", "minutes", "month", "months", "night", "week", "weekend",
    "weeks", "year", "years",
];
const DAYS: [&str; 7] = ["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"];
const NUMBERS: [&str; 14] = [
    "a", "an", "couple", "eight", "few", "five", "four", "nine", "one", "several", "six", "ten", "three",
    "two",
];

/// A word of a question: where it stands, and in lower case.
struct Word {
    range: Range<usize>,
    text: String,
}

impl Word {
    fn is_in(&self, list: &[&str]) -> bool {
        list.binary_search(&self.text.as_str()).is_ok()
    }

    fn is_number(&self) -> bool {
        self.is_in(&NUMBERS) || self.text == "seven" || self.text.bytes().all(|b| b.is_ascii_digit())
    }

    fn is_span(&self) -> bool {
        self.is_in(&UNITS) || self.is_in(&DAYS)
    }
}

/// The words of `text` that stand beside what it is about, in order.
pub(super) fn asides(text: &str) -> Vec<Range<usize>> {
    let words = words(text);
    let mut aside = vec![false; words.len()];
    for at in 0..words.len() {
        let near = words[at.saturating_sub(2)..(at + 2).min(words.len())].iter();
        aside[at] |= words[at].is_in(&ASKING) && near.clone().any(|word| word.is_in(&SPEAKERS));
        let when = time_at(&words, at);
        aside[when].fill(true);
    }
    words.into_iter().zip(aside).filter(|(_, aside)| *aside).map(|(word, _)| word.range).collect()
}

/// A phrase that only says when, ended by or begun with the word at `at`: "two weeks ago", "last Tuesday", "yesterday".
fn time_at(words: &[Word], at: usize) -> Range<usize> {
    let number = |at: usize| words.get(at).is_some_and(Word::is_number);
    let span = |at: usize| words.get(at).is_some_and(Word::is_span);
    match words[at].text.as_str() {
        "yesterday" | "tonight" => at..at + 1,
        "ago" if at >= 2 && span(at - 1) && number(at - 2) => at - 2..at + 1,
        "ago" if at >= 1 && span(at - 1) => at - 1..at + 1,
        "ago" => at..at + 1,
        "last" | "next" | "past" | "this" if span(at + 1) => at..at + 2,
        "last" | "next" | "past" if number(at + 1) && span(at + 2) => at..at + 3,
        _ => at..at,
    }
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(Word { range: from..at, text: text[from..at].to_lowercase() });
                start = None;
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<&str> {
        asides(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn lists_are_sorted_for_the_search() {
        for list in [&ASKING[..], &SPEAKERS, &UNITS, &DAYS, &NUMBERS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn that_something_is_asked_for_is_beside_the_point() {
        assert_eq!(of("Can you recommend a film?"), ["recommend"]);
        assert_eq!(of("My phone is slow. Any tips?"), ["tips"]);
        assert_eq!(of("Remind me which port the proxy uses"), ["Remind"]);
    }

    #[test]
    fn the_same_word_as_a_thing_stays() {
        assert!(of("the recommendation engine returns stale data").is_empty());
        assert!(of("print the help of the command").is_empty());
    }

    #[test]
    fn a_phrase_that_says_when_is_beside_the_point_and_a_length_of_time_is_not() {
        assert_eq!(of("I mentioned a race two weeks ago."), ["mentioned", "two", "weeks", "ago"]);
        assert_eq!(of("Whom did I meet last Tuesday?"), ["last", "Tuesday"]);
        assert_eq!(of("What broke in the past 3 days?"), ["past", "3", "days"]);
        assert!(of("tokens expire after 30 days").is_empty());
        assert!(of("the last message of each batch").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_has_its_asides_in_order(text in "(ago|last|day|é|I|tell|[ .,\\PC]){0,40}") {
            let found = asides(&text);
            prop_assert!(found.is_sorted_by_key(|range| range.start));
            prop_assert!(found.iter().all(|range| text.get(range.clone()).is_some()));
        }
    }
}
