//! What kind of sentence a sentence is: a report of one run, advice for everyone, a guess, an insight.
//!
//! Only function words and words of reporting are looked at, never subjects:
//! they tell how something is said, whatever it is about.

use super::read::{Read, has_word, told};

/// Words by which a sentence gives a reason, a limit, a consequence or an exception.
#[rustfmt::skip]
const INSIGHT: &[&str] = &[
    "because", "since", "so", "therefore", "why", "although", "however", "instead", "except", "exception", "only", "never", "not", "no",
    "none", "nothing", "neither", "nor", "every", "cannot", "can't", "doesn't", "don't", "won't", "isn't", "must", "need", "needs", "needed", "require", "requires", "required",
    "without", "fail", "fails", "failed", "failing", "breaks", "broke", "broken", "silently", "wrong", "avoid", "rejected", "beware", "too", "slower", "faster",
    "lost", "missing", "ignored", "ignores", "yet", "rather", "decided", "agreed", "decision", "means", "limit", "limited", "but", "still",
    "weil", "nur", "nicht", "muss", "sonst", "kein", "keine", "ohne", "aber", "deshalb", "scheitert", "damit",
    "porque", "pero", "solo", "sin", "debe", "deben", "nunca", "aunque", "car", "mais", "seulement", "sans", "doit", "jamais", "pas", "donc",
];

/// Words by which somebody reports what was done and how it went.
#[rustfmt::skip]
const REPORT: &[&str] = &[
    "successfully", "succeeded", "passed", "passes", "pass", "green", "done", "completed", "finished", "implemented", "added", "updated", "merged", "pushed",
    "committed", "restarted", "deployed", "clean", "resolved", "reviewed", "all good", "went through", "in place", "works now", "tagged", "published", "announced",
    "attached", "regenerated", "opened", "closed", "answered", "marked", "ran", "no warnings", "no errors", "no findings", "no issues", "no failures", "no regressions", "without errors", "went from", "currently", "today", "at the moment", "for now",
];

/// Words that are true for a day.
#[rustfmt::skip]
const MOMENT: &[&str] = &[
    "remaining", "yesterday", "tonight", "tomorrow", "this morning", "next session", "next time", "next step", "next steps", "yet to come", "still to come", "later today", "last night", "so far",
    "in progress", "left open", "is left", "still need", "still needs", "still needed", "still open", "to do", "todo", "ready for review", 
    "the branch", "this branch", "my branch", "pull request", "half done", "halfway", "waiting for", "not finished", "not done", "work in progress", "wip", "i",
];

/// Words by which a sentence gives a rule or a cause that holds tomorrow too.
#[rustfmt::skip]
const LASTING: &[&str] = &[
    "because", "therefore", "otherwise", "unless", "always", "never", "must", "needs", "requires", "required", "cannot", "every", "whenever", "depends", "caused", "cause",
    "instead", "only", "avoid", "so that", "means", "that is why", "if", "when", "weil", "muss", "nur", "porque", "debe", "car", "doit", "without", "until",
];

/// Control flow, told in words.
const FLOW: &[&str] = &["otherwise", "unless", "until", "when", "if", "even", "then"];

/// Words that give advice to everyone.
#[rustfmt::skip]
const ADVICE: &[&str] = &[
    "use", "keep", "prefer", "write", "avoid", "document", "validate", "test", "review", "measure", "think", "choose", "process", "always", "never", "make", "ensure",
    "consider", "check", "read", "follow", "handle", "log", "delete", "split", "start", "profile", "when", "do", "don't", "try", "add", "run", "good", "be", "return",
];

/// Judgements that hold anywhere.
#[rustfmt::skip]
const PRAISE: &[&str] = &[
    "important", "valuable", "good", "best", "better", "should", "safer", "easier", "helps", "help", "useful", "essential", "recommended", "hard to", "practice", "practices", "your",
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
    "gave up", "did not", "didn't", "has no", "have no", "not yet", "open question", "undecided", "nothing is", "no code",
];

/// Verbs of doing whose past does not end in "ed".
const DID: &[&str] = &[
    "wrote", "sent", "ran", "made", "built", "took", "did", "began", "found", "gave", "kept", "went", "fixed",
];

/// What stands between a verb and its object.
#[rustfmt::skip]
const OBJECT: &[&str] = &[
    "the", "a", "an", "all", "some", "both", "my", "our", "its", "their", "this", "that", "these", "those", "it", "them", "every", "each", "more", "several", "one", "two",
    "three", "four", "five", "six", "new", "up", "out", "and",
];

/// Whether a sentence tells what its writer did: "Added the …", "I removed …", "We then ran …".
///
/// What was decided, learned or needed is no deed: it is told because it lasts.
fn tells_a_deed(lower: &str) -> bool {
    const SETTLED: &[&str] = &[
        "decided", "agreed", "rejected", "learned", "needed", "wanted", "tried", "used", "allowed",
        "required", "based",
    ];
    let mut words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).peekable();
    let by_me = words
        .next_if(|word| matches!(*word, "i" | "we" | "i've" | "we've" | "have" | "successfully"))
        .is_some();
    let _ = words.next_if(|word| matches!(*word, "then" | "also" | "now" | "just" | "have" | "successfully"));
    let Some(verb) = words.next() else { return false };
    let past = DID.contains(&verb) || (verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed"));
    let object = words
        .next()
        .is_some_and(|word| OBJECT.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit()));
    past && !SETTLED.contains(&verb) && (by_me || object)
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

fn count(text: &str, words: &[&str]) -> usize {
    words.iter().filter(|word| has_word(text, word)).count()
}

/// Whether a text says more than what is plainly there: why, only, never.
pub(crate) fn has_insight(lower: &str) -> bool {
    has_any(lower, INSIGHT) || lower.contains("n't ")
}

/// Whether a text tells branches and loops.
pub(crate) fn has_flow(lower: &str) -> bool {
    has_any(lower, FLOW)
}

/// Whether a text reports how one run went or how things stand today.
pub(crate) fn is_report(text: &Read) -> bool {
    let (mut report, mut lasting) = (0, 0);
    for sentence in &text.sentences {
        let lower = told(&sentence.text);
        let counted = has_word(&lower, "of")
            && lower.contains(char::is_numeric)
            && has_any(&lower, &["pass", "tests", "done"]);
        report += 2 * usize::from(tells_a_deed(lower.trim_start()));
        report += count(&lower, REPORT) + 2 * count(&lower, MOMENT) + usize::from(counted);
        lasting += count(&lower, LASTING);
    }
    report >= 2 && report > 2 * lasting
}

/// Whether most sentences give advice that holds anywhere.
pub(crate) fn is_advice(text: &Read) -> bool {
    let advises = |lower: &String| {
        let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
        ADVICE.contains(&first) || has_any(lower, PRAISE)
    };
    let lower: Vec<String> = text.sentences.iter().map(|sentence| sentence.text.to_lowercase()).collect();
    lower.iter().filter(|lower| advises(lower)).count() * 2 >= lower.len()
}

/// The words of guessing that a sentence has, modal verbs left out.
pub(crate) fn doubts(lower: &str) -> Vec<&'static str> {
    DOUBT
        .iter()
        .copied()
        .filter(|word| !["could", "would", "should", "might"].contains(word) && has_word(lower, word))
        .collect()
}

/// Whether a sentence guesses or plans.
pub(crate) fn is_doubt(lower: &str) -> bool {
    has_any(lower, DOUBT)
}

/// Whether a guess is taken back in it.
pub(crate) fn is_taken_back(lower: &str) -> bool {
    has_any(lower, TAKEN_BACK)
}
