//! What people and agents say around what they tell: plans, acts, requests, politeness.

use super::cues::{CAUSE, DECISION, has};

/// Words that open a message and say nothing: `Done.`, `Okay, so`.
const OPENINGS: [&str; 26] = [
    "ok",
    "okay",
    "done",
    "great",
    "good",
    "perfect",
    "thanks",
    "thank you",
    "hm",
    "hmm",
    "no",
    "yes",
    "but",
    "also",
    "and",
    "well",
    "actually",
    "stop",
    "wait",
    "hold on",
    "ah",
    "right",
    "sure",
    "nice",
    "understood",
    "yes but",
];
/// Labels that announce a remark without naming its subject: `Note: …`.
const LABELS: [&str; 18] = [
    "note",
    "one thing",
    "one more thing",
    "fyi",
    "btw",
    "by the way",
    "careful",
    "hint",
    "remember",
    "important",
    "for next time",
    "for the future",
    "before you go on",
    "fixed",
    "fix",
    "solved",
    "solution",
    "result",
];

/// Words before what is said that only join it to what was said before.
const LEADS: [&str; 9] = ["ok ", "okay ", "btw ", "fyi ", "but ", "and ", "also ", "so please ", "please "];

/// Says what the agent is about to do; no more than that.
pub(super) fn is_announcement(sentence: &str) -> bool {
    const PLANS: [&str; 22] = [
        "i'll",
        "i’ll",
        "i will",
        "i am going",
        "i'm",
        "i am",
        "let me",
        "let's",
        "let us",
        "going to",
        "then i",
        "time to",
        "i need to",
        "i want to",
        "i should",
        "i'd like",
        "i would like",
        "one moment",
        "here is",
        "here are",
        "i ran",
        "next i",
    ];
    const DOING: [&str; 5] = ["now", "next", "first", "then", "also"];
    let lower = sentence.to_lowercase();
    let starts = |phrase: &str| {
        lower.strip_prefix(phrase).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.' && rest.len() > 1)
        })
    };
    // "Then it must happen on the server": what follows for this task.
    let then = lower.starts_with("then ")
        && ["must", "should", "has to", "have to"].iter().any(|word| has(&lower, word));
    if then || PLANS.iter().any(|plan| starts(plan)) {
        return true;
    }
    let mut words = lower.split_whitespace().map(|word| word.trim_end_matches([',', ':', ';', '.']));
    let mut first = words.next().unwrap_or_default();
    if DOING.contains(&first) {
        first = words.next().unwrap_or_default();
    }
    // "Renaming it to …": an act, unless the gerund is what the sentence is about, or it says why.
    const NO_ACTS: [&str; 14] = [
        "string",
        "strings",
        "spring",
        "during",
        "according",
        "missing",
        "existing",
        "following",
        "remaining",
        "incoming",
        "outgoing",
        "ceiling",
        "settings",
        "pending",
    ];
    let gerund = first.ends_with("ing")
        && first.len() > 5
        && first.chars().all(char::is_alphabetic)
        && !first.ends_with("thing")
        && !NO_ACTS.contains(&first);
    gerund && !words.any(is_predicate) && !gives_a_reason(&lower)
}

/// A word that says something of a gerund before it: "Setting X breaks Y".
fn is_predicate(word: &str) -> bool {
    let finite = ["is", "are", "must", "does", "would", "will", "can", "cannot", "has", "needs"];
    finite.contains(&word)
        || (word.len() >= 5
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("'s")
            && is_verb_like(word))
}

/// The third person of verbs that tell an effect.
fn is_verb_like(word: &str) -> bool {
    [
        "fails", "breaks", "means", "requires", "takes", "makes", "gives", "leads", "causes", "leaves",
        "hides", "helps",
    ]
    .contains(&word)
}

fn gives_a_reason(lower: &str) -> bool {
    let lower = format!(" {lower} ");
    CAUSE.worth_in(&lower) > 0.0 || DECISION.worth_in(&lower) > 0.0
}

/// Tells what was done: "Changed the line", "There was one conflict", "I tried".
pub(super) fn tells_an_act(text: &str) -> bool {
    const IRREGULAR: [&str; 14] = [
        "set", "rewrote", "ran", "found", "read", "tried", "made", "wrote", "put", "took", "cut", "built",
        "got", "kept",
    ];
    const OBJECTS: [&str; 22] = [
        "the", "a", "an", "it", "this", "that", "these", "all", "both", "and", "to", "in", "from", "on",
        "its", "every", "two", "three", "with", "onto", "as", "also",
    ];
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let next = words.next().unwrap_or_default();
    let bare = first.trim_end_matches([',', '.', ':']);
    let object = next.starts_with('`') || OBJECTS.contains(&next) || bare.len() < first.len();
    let past = bare.len() >= 5 && bare.ends_with("ed") && bare.chars().all(char::is_alphabetic);
    let told = lower.split_whitespace().any(|word| matches!(word, "i" | "i've" | "i'd" | "i’ve" | "i’d"));
    let was = bare == "there" && matches!(next, "was" | "were");
    told || was || reports_a_change(&lower) || (object && (past || IRREGULAR.contains(&bare)))
}

/// "14 imports were updated", "the flag is gone": the outcome of a change, in the passive.
fn reports_a_change(lower: &str) -> bool {
    const CHANGED: [&str; 22] = [
        "added",
        "adjusted",
        "adapted",
        "changed",
        "cleaned",
        "converted",
        "deleted",
        "done",
        "extended",
        "extracted",
        "fixed",
        "gone",
        "implemented",
        "merged",
        "migrated",
        "moved",
        "removed",
        "renamed",
        "replaced",
        "split",
        "updated",
        "upgraded",
    ];
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';', ':'])).collect();
    words.windows(2).any(|pair| match pair[0] {
        "was" | "were" | "been" => CHANGED.contains(&pair[1]),
        "is" | "are" => matches!(pair[1], "gone" | "done"),
        _ => false,
    }) || has(lower, "had to be")
}

/// Asks for something, or is only polite.
pub(super) fn is_request(sentence: &str) -> bool {
    const ASKS: [&str; 6] = ["please", "can you", "could you", "would you", "will you", "go ahead"];
    let lower = sentence.to_lowercase();
    let lasting = ["never", "always", "only", "not", "don't", "must"].iter().any(|word| has(&lower, word));
    let brief = lower.split_whitespace().count() <= 3 && !lasting;
    lower.ends_with('?')
        || brief
        || ASKS.iter().any(|ask| lower.starts_with(ask)) && !lasting && !gives_a_reason(&lower)
}

/// A sentence without the small talk that opens it: `One thing: …`, `No, …`.
pub(super) fn without_opening(sentence: &str) -> &str {
    opened(sentence, true)
}

/// The same, but what the words before a colon wish for stays: `Remember: …`.
pub(super) fn without_talk(sentence: &str) -> &str {
    opened(sentence, false)
}

fn opened(sentence: &str, labels: bool) -> &str {
    let mut left = sentence.trim_start_matches(|c: char| !(c.is_alphanumeric() || opens_a_name(c)));
    for _ in 0..3 {
        let label = left
            .split_once(": ")
            .filter(|(label, _)| labels && LABELS.contains(&label.to_lowercase().as_str()));
        let word = || {
            left.split_once([',', '!', '.'])
                .filter(|(word, _)| OPENINGS.contains(&word.to_lowercase().as_str()))
        };
        let Some((_, rest)) = label.or_else(word) else { break };
        left = rest.trim_start_matches(['!', '.', ',', ' ']);
    }
    for _ in 0..3 {
        let opening =
            |lead: &&&str| left.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead));
        let Some(lead) = LEADS.iter().find(opening) else { break };
        left = &left[lead.len()..];
    }
    left
}

fn opens_a_name(c: char) -> bool {
    matches!(c, '`' | '"' | '\'' | '(' | '/' | '.' | '@' | '$' | '<' | '-' | '~' | '_' | '*')
}

/// Whether a task only asks for an answer.
pub(super) fn is_question(task: &str) -> bool {
    const ASKING: [&str; 14] = [
        "where", "what", "which", "who", "how", "why", "does", "do", "is", "are", "can", "explain", "tell",
        "show",
    ];
    let lower = task.trim().to_lowercase();
    let first = lower.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    ASKING.contains(&first) || lower.ends_with('?')
}
