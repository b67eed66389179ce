//! Prompts that nothing: "run it", "go on", "what is needed?".
//!
//! A word is worth the more, the fewer memories have it, and in a store of thirty
//! memories "run" is as rare as "refund". Beside words that name something that
//! does little harm. Alone it makes the whole task, and every memory that happens
//! to have it would answer. So where a task has no other words, only triggers call.

use crate::word_list::WordList;
use crate::words::analyse;

/// Whether a text has a word that says what it is about.
pub(super) fn names_a_thing(text: &str) -> bool {
    let mut names = false;
    analyse(text, |term, _| names |= !EVERYDAY.has(term));
    names
}

/// Stems of what is said of anything in any project: of doing, asking, answering, judging.
static EVERYDAY: WordList = WordList::of(
    " \
    abl actual add ahead allow alreadi alway answer anoth anyth anyway appli ask away back bad begin best better \
    bit break broken bug call chang check choos clean clear code come complet consid continu correct cool crash \
    creat currentli decid delet differ done doubt easi edit els end enough even ever everyth exact exampl exist \
    expect explain fail fast feel find fine finish first fix follow forget found full get give go goe gone good got \
    great guess happen hard help hey hi idea ignor implement improv includ inform instead issu keep kind know last late \
    later least leav left less like littl long look lot make mani mean mention mind miss mistak move much name \
    necessari need never new next nice noth ok okay old one option part perfect place point possibl \
    practic prefer pretti problem proceed put question quick quit rather rate readi realli reason rememb remov \
    replac result right run said say second see seem set share short show similar simpl sinc skip \
    slow solv someth start step still stop stuff suggest sure take talk tell thank thing think third thought time today togeth \
    total tri true turn two understand undo unless updat use usual wait want way well whole wonder word work worth write \
    wrong ye yeah yep yet ",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stem::stem;

    #[test]
    fn small_talk_names_nothing() {
        for task in [
            "run it",
            "go on",
            "what is needed?",
            "it's not needed",
            "fix it, please",
            "use that instead",
            "I need help",
            "",
        ] {
            assert!(!names_a_thing(task), "{task}");
        }
    }

    #[test]
    fn one_word_that_names_something_is_enough() {
        for task in
            ["run the tests", "push it", "fix the refund", "deploy", "edit makefile", "VAT", "запусти тесты"]
        {
            assert!(names_a_thing(task), "{task}");
        }
    }

    #[test]
    fn the_list_has_stems() {
        for word in [
            "changes",
            "removed",
            "trying",
            "fixes",
            "writing",
            "goes",
            "needed",
            "used",
            "mistakes",
            "continues",
            "quickly",
        ] {
            assert!(EVERYDAY.has(&stem(word)), "{word}: {}", stem(word));
        }
    }
}
