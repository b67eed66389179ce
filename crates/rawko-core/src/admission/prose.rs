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
    "fail", "fails", "failed", "failing", "breaks", "broke", "broken", "silently", "wrong", "avoid", "rejected", "beware", "too", "slower", "faster",
    "lost", "missing", "ignored", "ignores", "yet", "rather", "decided", "agreed", "decision", "means", "limit", "limited", "but", "still",
    "weil", "nur", "nicht", "muss", "sonst", "kein", "keine", "ohne", "aber", "deshalb", "scheitert", "damit",
    "porque", "pero", "solo", "sin", "debe", "deben", "nunca", "aunque", "car", "mais", "seulement", "sans", "doit", "jamais", "pas", "donc",
];

/// Words by which work is reported to have gone through.
#[rustfmt::skip]
const REPORT: &[&str] = &[
    "successfully", "succeeded", "passed", "passes", "pass", "green", "done", "completed", "finished", "implemented", "added", "updated", "merged", "pushed",
    "committed", "deployed", "released", "published", "resolved", "reviewed", "approved", "works now", "in place", "all good", "clean",
    "no warnings", "no errors", "no findings", "no issues", "no failures", "0 failures", "no regressions", "without errors", "has been", "have been", "ran",
    "pull request", "reviewer", "as expected", "went from", "went through",
];

/// Words that are true for a day, or point at the moment of writing.
#[rustfmt::skip]
const MOMENT: &[&str] = &[
    "today", "yesterday", "tonight", "tomorrow", "this morning", "last night", "at the moment", "right now", "just now", "for now", "so far", "currently",
    "this run", "this session", "this time", "this change", "next session", "next time", "next step", "next steps", "later today",
    "remaining", "remains", "is left", "are left", "left open", "still open", "in progress", "half done", "halfway", "to do", "todo", "wip", "follow once", "follows once",
    "ready for review", "waiting for", "waits for", "not finished", "not done", "the branch", "this branch", "my branch",
    "i", "my", "i'll", "i'm", "we'll",
];

/// Words by which a sentence gives a rule or a cause that holds tomorrow too.
#[rustfmt::skip]
const LASTING: &[&str] = &[
    "because", "therefore", "otherwise", "unless", "always", "never", "must", "needs", "needed", "requires", "required", "cannot", "every", "each", "whenever", "depends",
    "caused", "cause", "instead", "only", "avoid", "so that", "means", "that is why", "if", "when", "weil", "muss", "nur", "porque", "debe", "car", "doit", "without", "until",
];

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

/// Words of believing, and of planning: what was only believed, and what only might be.
#[rustfmt::skip]
const DOUBT: &[&str] = &[
    "suspect", "suspected", "suspicion", "thought", "assume", "assumed", "assumption", "guess", "guessed", "theory", "hypothesis", "convinced", "believed",
    "plausible", "seemed", "expected", "looked like", "look like", "looks like", "first", "perhaps", "maybe", "probably", "possibly",
    "would", "could", "might", "should", "idea", "ideas", "option", "options", "plan", "plans", "planned", "propose", "proposed", "proposal",
    "suggest", "suggested", "suggestion", "consider", "considered", "one way", "later", "wanted to",
];

/// Words that say no to what stands beside them.
#[rustfmt::skip]
const DENIAL: &[&str] = &[
    "not", "no", "nothing", "never", "none", "nobody", "neither", "nor", "wrong", "same", "reverted", "without", "undone", "ruled out",
    "can't", "cannot", "don't", "doesn't", "didn't", "isn't", "wasn't", "aren't", "weren't", "hasn't", "haven't", "won't", "wouldn't", "couldn't",
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
        "decided",
        "agreed",
        "rejected",
        "considered",
        "discussed",
        "learned",
        "needed",
        "wanted",
        "tried",
        "used",
        "allowed",
        "required",
        "based",
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

/// Whether a text reports how one run went or how things stand today.
pub(crate) fn is_report(text: &Read) -> bool {
    let (report, lasting) = weigh(text);
    report >= 2 && report > 2 * lasting
}

/// How much in a text reports, and how much of it lasts.
pub(crate) fn weigh(text: &Read) -> (usize, usize) {
    let (mut report, mut lasting) = (0, 0);
    for sentence in &text.sentences {
        let lower = told(&sentence.text);
        let counted = has_word(&lower, "of")
            && lower.contains(char::is_numeric)
            && has_any(&lower, &["pass", "tests", "done"]);
        // What code does is no deed of the writer.
        report += 2 * usize::from(!sentence.text.starts_with('`') && tells_a_deed(lower.trim_start()));
        report += count(&lower, REPORT) + 2 * count(&lower, MOMENT) + usize::from(counted);
        lasting += count(&lower, LASTING);
    }
    (report, lasting)
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

/// Whether a sentence says what might be, not what is.
pub(crate) fn is_unreal(lower: &str) -> bool {
    has_any(lower, &["would", "could", "might", "may", "if we", "tried", "instead of", "rather than"])
}

/// Whether a sentence guesses or plans in words that a text leaves out: a guess told as a guess is honest.
pub(crate) fn doubts_beyond(lower: &str, text: &str) -> bool {
    DOUBT.iter().any(|word| has_word(lower, word) && !has_word(text, word))
}

/// Whether a sentence says no to something, in words that a text leaves out.
///
/// What is told in the present ("does not help") still holds: that is no taking back.
pub(crate) fn takes_back_beyond(lower: &str, text: &str) -> bool {
    let mut lower = lower.to_owned();
    for present in ["does not", "do not", "is not", "are not", "can not", "will not", "must not"] {
        lower = lower.replace(present, "");
    }
    let holds = ["can't", "cannot", "don't", "doesn't", "isn't", "aren't", "won't", "without"];
    DENIAL
        .iter()
        .filter(|word| !holds.contains(word))
        .any(|word| has_word(&lower, word) && !has_word(text, word))
}

/// Whether a sentence says no.
pub(crate) fn denies(lower: &str) -> bool {
    has_any(lower, DENIAL)
}
