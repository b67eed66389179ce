//! What kind of sentence a sentence is: a report of one run, advice for everyone, a guess, an insight.
//!
//! Only function words and words of reporting are looked at, never subjects:
//! they tell how something is said, whatever it is about.

use super::read::{Read, has_word};

/// Words by which a sentence gives a reason, a limit, a consequence or an exception.
#[rustfmt::skip]
const INSIGHT: &[&str] = &[
    "because", "since", "so", "therefore", "why", "otherwise", "unless", "until", "although", "but", "however",
    "instead", "except", "exception", "only", "never", "not", "no", "none", "cannot", "can't", "doesn't", "don't", "won't", "isn't",
    "must", "need", "needs", "needed", "require", "requires", "required", "without", "fail", "fails", "failed", "failing", "breaks", "broke", "broken",
    "silently", "wrong", "avoid", "rejected", "beware", "even", "too", "slower", "faster", "lost", "missing", "ignored",
    "ignores", "however,", "yet", "rather", "purpose", "decided", "agreed", "decision", "means", "still", "limit", "limited",
    "weil", "nur", "nicht", "muss", "sonst", "kein", "keine", "ohne", "aber", "deshalb", "scheitert", "damit",
    "porque", "pero", "solo", "sin", "debe", "deben", "nunca", "aunque",
    "car", "mais", "seulement", "sans", "doit", "jamais", "pas", "donc",
];

/// Words by which somebody reports what was done and how it went.
#[rustfmt::skip]
const REPORT: &[&str] = &[
    "successfully", "succeeded", "passed", "passes", "pass", "green", "done", "completed", "complete", "finished",
    "implemented", "added", "updated", "merged", "pushed", "committed", "restarted", "deployed", "clean", "resolved", "reviewed",
    "currently", "remaining", "today", "yesterday", "tonight", "tomorrow", "next session", "last night", "so far",
    "in progress", "left open", "all good", "went through", "still need", "still needs", "to do", "todo",
    "ready for review", "up to date", "works now", "was fixed", "is fixed", "ran",
];

/// Words of guessing, planning and trying.
#[rustfmt::skip]
const DOUBT: &[&str] = &[
    "suspect", "suspected", "suspicion", "thought", "assume", "assumed", "assumption", "guess", "guessed", "perhaps", "maybe", "might", "could",
    "would", "should", "idea", "plan", "planned", "plans", "propose", "proposed", "proposal", "option", "options", "considered", "consider",
    "hypothesis", "first i", "at first", "looked like", "seemed", "probably", "possibly", "expected", "wanted to", "one could",
    "discussed", "evaluate", "prototype", "sketch",
];

/// Words by which a guess is taken back, or a plan left undone.
#[rustfmt::skip]
const TAKEN_BACK: &[&str] = &[
    "but", "however", "turned out", "no difference", "not the", "is not", "was not", "wasn't", "isn't", "reverted", "ruled out", "wrong",
    "instead", "real cause", "actual cause", "in fact", "actually", "nothing was", "not merged", "not done", "unchanged", "stopped",
    "gave up", "did not", "didn't", "has no", "have no", "showed", "not yet", "open question", "undecided", "nothing is", "no code", "left",
];

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

fn count(text: &str, words: &[&str]) -> usize {
    words.iter().filter(|word| has_word(text, word)).count()
}

/// Whether a text says more than what is plainly there: why, unless, only, never.
pub(crate) fn has_insight(lower: &str) -> bool {
    has_any(lower, INSIGHT) || lower.contains("n't ")
}

/// Whether a sentence reports what one run did.
pub(crate) fn is_report(lower: &str) -> bool {
    let counted = lower.split(' ').any(|word| word == "of") && has_any(lower, &["pass", "passed", "passes", "done", "tests"]);
    let person = lower.starts_with("i ") || has_any(lower, &["i", "my side", "we are now"]);
    has_any(lower, REPORT) || counted || person
}

/// Whether a sentence gives a reason or a rule that holds tomorrow too.
pub(crate) fn is_lasting(lower: &str) -> bool {
    #[rustfmt::skip]
    const LASTING: &[&str] = &[
        "because", "so", "therefore", "why", "otherwise", "unless", "until", "always", "never", "must", "needs", "need to", "requires", "required",
        "cannot", "only", "every", "whenever", "when", "if", "since", "depends", "instead", "without", "means", "cause", "caused", "fails", "breaks",
        "not", "avoid", "compare", "keep", "use", "kept", "weil", "muss", "nur", "porque", "debe", "car", "doit", "slower", "faster", "takes", "limit",
    ];
    has_any(lower, LASTING)
}

/// How much of a text reports one run, by sentences: reports, lasting ones, all.
pub(crate) fn reports(text: &Read) -> (usize, usize, usize) {
    let lower: Vec<String> = text.sentences.iter().map(|sentence| sentence.text.to_lowercase()).collect();
    let lasting = lower.iter().filter(|text| is_lasting(text) && !is_plain_report(text)).count();
    let reports = lower.iter().filter(|text| is_report(text) && (!is_lasting(text) || is_plain_report(text))).count();
    (reports, lasting, lower.len())
}

/// Several signs of a report in one sentence outweigh a stray "not".
fn is_plain_report(lower: &str) -> bool {
    count(lower, REPORT) >= 2 && !has_any(lower, &["because", "must", "never", "otherwise", "unless", "therefore"])
}

/// Whether a sentence guesses or plans.
pub(crate) fn is_doubt(lower: &str) -> bool {
    has_any(lower, DOUBT)
}

/// Whether a guess is taken back in it.
pub(crate) fn is_taken_back(lower: &str) -> bool {
    has_any(lower, TAKEN_BACK)
}
