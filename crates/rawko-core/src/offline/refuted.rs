//! What the agent took for true on the way and found wrong later: it is not learned.

use super::cues::{DOUBT, has};
use super::prose::sentences;

/// What a message takes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// What was said last: "That wasn't it."
    Last,
    /// Whatever was said of one of these: "It is not the pagination."
    About(Vec<String>),
}

/// What a message of the agent takes back of what it said before.
pub(super) fn taken_back(message: &str) -> Vec<Taken> {
    const LAST: [&str; 18] = [
        "isn't it",
        "wasn't it",
        "is not it",
        "was not it",
        "was wrong",
        "wrong track",
        "wrong guess",
        "red herring",
        "false lead",
        "false alarm",
        "dead end",
        "did not help",
        "didn't help",
        "does not help",
        "no difference",
        "same error",
        "still fails",
        "scratch that",
    ];
    const NOT: [&str; 12] = [
        "it's not the",
        "it is not the",
        "it was not the",
        "it isn't the",
        "it wasn't the",
        "not because of the",
        "not caused by the",
        "nothing to do with the",
        "ruled out the",
        "rules out the",
        "has nothing to do with",
        "not the fault of the",
    ];
    let mut taken = Vec::new();
    for sentence in sentences(message) {
        let lower = sentence.to_lowercase().replace('’', "'");
        if LAST.iter().any(|phrase| has(&lower, phrase)) {
            taken.push(Taken::Last);
        }
        for phrase in NOT {
            let Some((_, rest)) = lower.split_once(phrase) else { continue };
            let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 3);
            let named: Vec<String> = words.take(2).map(str::to_owned).collect();
            if !named.is_empty() {
                taken.push(Taken::About(named));
            }
        }
    }
    taken
}

/// Whether a sentence says itself that it is a guess.
pub(super) fn is_guess(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    DOUBT.iter().any(|word| has(&lower, word))
}
