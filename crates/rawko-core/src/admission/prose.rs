//! What kind of sentence a sentence is: a report of one run, advice for everyone, a guess, an insight.
//!
//! Function words, words of reporting, of the office and the calendar: they tell
//! how something is said, whatever it is about. No list decides alone; each is a measure.

use super::read::{bare, has_word};

/// Words by which a sentence gives a reason, a limit, a consequence or an exception.
#[rustfmt::skip]
pub(super) const INSIGHT: &[&str] = &[
    "because", "since", "so", "therefore", "why", "although", "however", "instead", "except", "exception", "only", "never", "not", "no",
    "none", "nothing", "neither", "nor", "every", "cannot", "can't", "doesn't", "don't", "won't", "isn't", "must", "need", "needs", "needed", "require", "requires", "required",
    "fail", "fails", "failed", "failing", "breaks", "broke", "broken", "silently", "wrong", "avoid", "rejected", "beware", "too", "slower", "faster",
    "lost", "missing", "ignored", "ignores", "yet", "rather", "decided", "agreed", "decision", "means", "limit", "limited", "but", "still",
    "weil", "nur", "nicht", "muss", "sonst", "kein", "keine", "ohne", "aber", "deshalb", "scheitert", "damit",
    "porque", "pero", "solo", "sin", "debe", "deben", "nunca", "aunque", "car", "mais", "seulement", "sans", "doit", "jamais", "pas", "donc",
];

/// Words by which work is reported to have gone through.
#[rustfmt::skip]
pub(super) const REPORT: &[&str] = &[
    "successfully", "succeeded", "passed", "passes", "pass", "green", "done", "completed", "finished", "implemented", "added", "updated", "merged", "pushed",
    "committed", "deployed", "released", "published", "resolved", "reviewed", "approved", "works now", "in place", "all good", "clean",
    "no warnings", "no errors", "no findings", "no issues", "no failures", "0 failures", "no regressions", "without errors", "has been", "have been", "ran",
    "pull request", "reviewer", "as expected", "went from", "went through",
];

/// Words that are true for a day, or point at the moment of writing.
#[rustfmt::skip]
pub(super) const MOMENT: &[&str] = &[
    "today", "yesterday", "tonight", "tomorrow", "this morning", "last night", "at the moment", "right now", "just now", "for now", "so far", "currently",
    "this run", "this session", "this time", "this change", "next session", "next time", "next step", "next steps", "later today",
    "remaining", "remains", "is left", "are left", "left open", "still open", "in progress", "half done", "halfway", "to do", "todo", "wip", "follow once", "follows once",
    "ready for review", "waiting for", "waits for", "not finished", "not done", "the branch", "this branch", "my branch",
    "i", "my", "i'll", "i'm", "we'll",
];

/// Words by which a sentence gives a rule or a cause that holds tomorrow too.
#[rustfmt::skip]
pub(super) const LASTING: &[&str] = &[
    "because", "therefore", "otherwise", "unless", "always", "never", "must", "needs", "needed", "requires", "required", "cannot", "every", "each", "whenever", "depends",
    "caused", "cause", "instead", "only", "avoid", "so that", "means", "that is why", "if", "when", "weil", "muss", "nur", "porque", "debe", "car", "doit", "without", "until",
];

/// Words that give advice to everyone.
#[rustfmt::skip]
pub(super) const ADVICE: &[&str] = &[
    "use", "keep", "prefer", "write", "avoid", "document", "validate", "test", "review", "measure", "think", "choose", "process", "always", "never", "make", "ensure",
    "consider", "check", "read", "follow", "handle", "log", "delete", "split", "start", "profile", "when", "do", "don't", "try", "add", "run", "good", "be", "return",
];

/// Judgements that hold anywhere.
#[rustfmt::skip]
pub(super) const PRAISE: &[&str] = &[
    "important", "valuable", "good", "best", "better", "should", "safer", "easier", "helps", "help", "useful", "essential", "recommended", "hard to", "practice", "practices", "your",
];

/// Words of believing, and of planning: what was only believed, and what only might be.
#[rustfmt::skip]
pub(super) const DOUBT: &[&str] = &[
    "suspect", "suspected", "suspicion", "thought", "assume", "assumed", "assumption", "guess", "guessed", "theory", "hypothesis", "convinced", "believed",
    "plausible", "seemed", "expected", "looked like", "look like", "looks like", "first", "perhaps", "maybe", "probably", "possibly",
    "would", "could", "might", "should", "idea", "ideas", "option", "options", "plan", "plans", "planned", "propose", "proposed", "proposal",
    "suggest", "suggested", "suggestion", "consider", "considered", "one way", "later", "wanted to",
];

/// Words by which a sentence says that something was wrong, or of no use.
#[rustfmt::skip]
pub(super) const REFUTES: &[&str] = &[
    "no difference", "did not help", "didn't help", "does not help", "doesn't help", "changed nothing", "no effect", "did not change", "didn't change", "not the cause", "not the reason",
    "not the limit", "not the bottleneck", "not the problem", "not to blame", "was not it", "wasn't it", "not it", "ruled out", "rules out", "rule out", "disprove", "disproves", "disproved",
    "refuted", "refutes", "did not hold", "didn't hold", "does not hold", "turned out", "was wrong", "is wrong", "were wrong", "wrong guess", "wrong track", "made it worse", "is worse",
    "nothing to do with", "innocent", "red herring", "false lead", "dead end", "is out", "real cause", "actual cause", "root cause was", "the cause was", "reverted", "took it out", "took it back",
    "rolled back", "undone", "no improvement", "still fails", "still failing", "still failed", "still red", "same result", "same error", "same as before", "could not reproduce", "unrelated", "nope",
    "in vain", "to no avail", "not confirmed", "unfounded", "mistaken", "does its job", "is fine", "was fine", "were fine", "is correct", "was correct",
];

/// Words of what may be one day.
#[rustfmt::skip]
pub(super) const PLANS: &[&str] = &[
    "would", "could", "might", "may", "one could", "we could", "idea", "option", "options", "plan", "plans", "planned", "proposal", "proposed", "propose", "suggest", "suggested", "suggestion", "sketched",
    "sketch", "next year", "next quarter", "next month", "next sprint", "some day", "one day", "in future", "in the future", "later", "eventually", "roadmap", "not implemented", "did not implement", "not built", "not yet", "nothing is",
    "wish", "wishes", "would like", "considered", "considering", "consider", "alternative", "alternatives", "discussed", "if we", "should we", "for discussion", "draft", "brainstorm", "maybe", "perhaps",
];

/// Days and hours: what they date is past the next day.
#[rustfmt::skip]
pub(super) const CALENDAR: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "today", "yesterday", "tomorrow", "this week", "last week", "next week", "this month", "this afternoon",
    "am", "pm", "o'clock", "minutes ago", "hours ago", "days ago",
];

/// Words of the office: where the work is told, not what it taught.
#[rustfmt::skip]
pub(super) const OFFICE: &[&str] = &[
    "ticket", "attached", "screenshot", "screenshots", "photos", "video", "informed", "apology", "meeting", "standup", "demo", "handed over", "to be continued", "continue", "continued", "assigned", "review",
    "reviewer", "pull request", "merge request", "pr", "branch", "linked", "announced", "signed off", "estimate", "effort", "follow-up", "sprint", "milestone", "deadline",
];

/// Words by which a text speaks of this very project.
#[rustfmt::skip]
pub(super) const HERE: &[&str] = &[
    "here", "our", "we", "us", "this project", "this repository", "this repo", "this service", "this codebase", "in this", "the team", "staging", "production", "our own",
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
pub(super) fn tells_a_deed(lower: &str) -> bool {
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

pub(super) fn count(text: &str, words: &[&str]) -> usize {
    words.iter().filter(|word| has_word(text, word)).count()
}

/// Whether a text says more than what is plainly there: why, only, never.
pub(crate) fn has_insight(lower: &str) -> bool {
    has_any(lower, INSIGHT) || lower.contains("n't ")
}

/// Whether a sentence begins as advice does.
pub(super) fn advises(lower: &str) -> bool {
    let first =
        lower.trim_start().split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    ADVICE.contains(&first)
}

/// Whether a sentence says what might be, not what is.
pub(crate) fn is_unreal(lower: &str) -> bool {
    has_any(lower, &["would", "could", "might", "may", "if we", "tried", "instead of", "rather than"])
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

/// Whether a sentence tells what happened, not what is: a verb in the past that is no participle.
pub(super) fn is_past(lower: &str) -> bool {
    // What a side clause tells ("as long as nothing was sent") says nothing of the main one.
    let main = lower.split([',', ';', ':']).next().unwrap_or(lower);
    let words: Vec<&str> = main
        .split_whitespace()
        .map(bare)
        .filter(|word| !word.is_empty())
        .take_while(|word| {
            !["if", "when", "because", "since", "which", "that", "as", "until", "unless"].contains(word)
        })
        .collect();
    let at = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let told = words.iter().enumerate().any(|(n, word)| {
        let verb = word.len() > 4
            && word.ends_with("ed")
            && !word.ends_with("eed")
            && word.chars().all(char::is_alphabetic);
        let (before, after) = (at(n.checked_sub(1)), at(Some(n + 1)));
        verb && !BEFORE_PARTICIPLE.contains(&before) && !AFTER_PARTICIPLE.contains(&after)
    });
    told || ["was", "were", "made"].iter().any(|verb| words.contains(verb))
}

/// Words behind which "…ed" is a participle or an adjective: "is stored", "a repeated key", "for encrypted files".
#[rustfmt::skip]
const BEFORE_PARTICIPLE: &[&str] = &[
    "is", "are", "be", "being", "gets", "get", "a", "an", "the", "not", "as", "and", "or", "all", "only", "no", "any", "each", "every", "its",
    "for", "of", "with", "in", "to", "from", "by", "on", "at",
];

/// Words before which it is one too: "defined in", "keyed by".
const AFTER_PARTICIPLE: &[&str] =
    &["in", "by", "with", "from", "as", "at", "on", "to", "for", "through", "under", ""];
