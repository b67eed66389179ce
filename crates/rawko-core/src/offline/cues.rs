//! Whether a text is worth remembering, and as what: cues that name a reason, anchors that name a thing.
//!
//! A strength is a sum of small numbers, each for one cue; one threshold
//! decides. Cues are words of the language, never of a project.

use super::anchors::{Anchor, Sort, anchors};
use super::lesson::Lore;
use crate::run_record::Speaker;

/// What a text is worth.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) lore: Lore,
    pub(crate) strength: f32,
    pub(crate) reason: String,
}

/// Strength from which a text is a lesson.
const ENOUGH: f32 = 2.7;
/// Most words of a lesson's text.
const WORDS: usize = 120;

/// Cues of one kind: the words, and what one of them is worth.
struct Cue {
    name: &'static str,
    worth: f32,
    words: &'static [&'static str],
}

const NORM: Cue = Cue {
    name: "says what must or cannot be",
    worth: 1.6,
    words: &[
        "must",
        "must not",
        "has to",
        "have to",
        "had to",
        "need to",
        "needs",
        "need",
        "requires",
        "require",
        "required",
        "never",
        "always",
        "only",
        "cannot",
        "can't",
        "do not",
        "don't",
        "does not",
        "doesn't",
        "not allowed",
        "no longer",
        "at most",
        "at least",
        "up to",
        "limit*",
        "maximum",
        "minimum",
        "has no",
        "have no",
        "not supported",
        "unsupported",
        "should not",
        "forbidden",
        "mandatory",
        "not available",
        "no access",
        "accepts",
        "rejects",
        "refuses",
        "expects",
        "stays",
        "stay",
        "every",
        "each",
        "convention*",
        "by default",
    ],
};
const CAUSE: Cue = Cue {
    name: "gives a cause",
    worth: 1.4,
    words: &[
        "because",
        "since",
        "so",
        "therefore",
        "due to",
        "cause*",
        "reason*",
        "comes from",
        "come from",
        "means",
        "mean",
        "otherwise",
        "depends on",
        "depended on",
        "overrid*",
        "that is why",
        "which is why",
        "leads to",
        "led to",
        "hides",
        "hid",
        "turns out",
        "turned out",
        "as a result",
        "unless",
        "if",
        "without",
        "explains",
    ],
};
const FAILURE: Cue = Cue {
    name: "tells what fails",
    worth: 1.1,
    words: &[
        "fail*",
        "error*",
        "break*",
        "broke*",
        "crash*",
        "dies",
        "died",
        "race",
        "timeout*",
        "timed out",
        "times out",
        "wrong",
        "missing",
        "swallow*",
        "ignored",
        "blocked",
        "stuck",
        "leak*",
        "deadlock*",
        "hang*",
        "hung",
        "out of memory",
        "not work",
        "exception*",
        "conflict*",
        "corrupt*",
        "stale",
        "silently",
        "not found",
        "rejected",
        "unsupported",
        "cannot",
        "could not",
    ],
};
const DECISION: Cue = Cue {
    name: "tells a decision",
    worth: 1.6,
    words: &[
        "decid*",
        "chose",
        "chosen",
        "go with",
        "went with",
        "opted",
        "rejected",
        "instead of",
        "rather than",
        "prefer*",
        "trade-off*",
        "alternative*",
        "considered",
        "revisit",
        "in favour of",
        "in favor of",
        "settled on",
        "agreed",
        "we use",
    ],
};
const STRUCTURE: Cue = Cue {
    name: "tells where something is",
    worth: 1.1,
    words: &[
        "lives in",
        "live in",
        "located",
        "defined in",
        "is in",
        "are in",
        "calls",
        "loads",
        "registered",
        "entry point*",
        "handles",
        "wraps",
        "inherits",
        "configured in",
        "set in",
        "comes from",
        "reads",
        "generates",
        "generated",
        "exports",
        "imports",
        "consists of",
        "stored in",
        "kept in",
        "is set",
        "sets",
        "belongs to",
        "is the",
    ],
};
const HABIT: Cue = Cue {
    name: "tells how things are done",
    worth: 0.9,
    words: &[
        "all",
        "pattern*",
        "usually",
        "how",
        "follow*",
        "goes through",
        "together with",
        "before",
        "after",
        "first",
        "then",
        "rule",
        "order",
    ],
};
const COMMAND: Cue = Cue {
    name: "gives a command",
    worth: 2.0,
    words: &[
        "run",
        "runs",
        "build with",
        "start with",
        "started with",
        "starts with",
        "reproduce",
        "use",
        "invoke",
        "execute",
        "works with",
    ],
};
/// Doubt: what was not seen to be so.
const DOUBT: &[&str] = &[
    "might",
    "maybe",
    "perhaps",
    "probably",
    "i think",
    "i suspect",
    "seems",
    "not sure",
    "possibly",
    "i guess",
    "presumably",
    "i assume",
    "could be",
    "may be",
    "apparently",
];

/// Judges a text; `None` where it is not worth remembering.
pub(crate) fn judge(text: &str, by: Speaker) -> Option<Verdict> {
    let count = text.split_whitespace().count();
    if !(5..=WORDS).contains(&count) || text.trim_end().ends_with('?') {
        return None;
    }
    let lower = format!(" {} ", without_code(text).to_lowercase());
    let names = anchors(text);
    let hits = |cue: &Cue| if cue.words.iter().any(|word| has(&lower, word)) { cue.worth } else { 0.0 };
    let (norm, cause, failure) = (hits(&NORM), hits(&CAUSE), hits(&FAILURE));
    let (decision, mut structure, habit) = (hits(&DECISION), hits(&STRUCTURE), hits(&HABIT));
    let is = |sort: Sort| names.iter().any(|name| name.sort == sort);
    if !is(Sort::Path) {
        structure *= 0.5;
    }
    let runs = is(Sort::Command) || is(Sort::Flag) || names.iter().any(|name| name.text.contains('='));
    let command = if runs { hits(&COMMAND) } else { 0.0 };
    let anchored = (names.len() as f32 * 0.7).min(2.1);
    let cued = norm + cause + failure + decision + structure + habit + command;
    let doubt = if DOUBT.iter().any(|word| has(&lower, word)) { 1.5 } else { 0.0 };
    let act = if tells_an_act(text) { 2.0 } else { 0.0 };
    let strength = anchored + cued - doubt - act;
    let has_reason = norm + cause + decision + command + structure >= 1.0;
    let named = !names.is_empty() || (by == Speaker::Person && count >= 6);
    if strength < ENOUGH || !has_reason || !named {
        return None;
    }
    let scores = [
        (norm, Lore::Constraint),
        (decision, Lore::Decision),
        (command, Lore::Command),
        (structure, Lore::Structure),
        (habit, Lore::Pattern),
    ];
    let lore = lore(&scores, failure > 0.0 && cause > 0.0 && norm == 0.0, &names);
    let reason = reason(&[
        (norm, &NORM),
        (cause, &CAUSE),
        (failure, &FAILURE),
        (decision, &DECISION),
        (structure, &STRUCTURE),
        (command, &COMMAND),
    ]);
    Some(Verdict { lore, strength, reason })
}

fn lore(scores: &[(f32, Lore)], failed_for_a_cause: bool, names: &[Anchor]) -> Lore {
    if failed_for_a_cause {
        return Lore::Failure;
    }
    let best = scores.iter().copied().reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((worth, Lore::Constraint))
            if worth > 0.0 && names.iter().any(|name| name.sort == Sort::Version) =>
        {
            Lore::Version
        }
        Some((worth, lore)) if worth > 0.0 => lore,
        _ => Lore::Pattern,
    }
}

fn reason(cues: &[(f32, &Cue)]) -> String {
    let names: Vec<&str> = cues.iter().filter(|(worth, _)| *worth > 0.0).map(|(_, cue)| cue.name).collect();
    names.join(", ")
}

/// Begins with what was done: "Changed the line", "I tried".
fn tells_an_act(text: &str) -> bool {
    const ACTS: [&str; 40] = [
        "changed",
        "fixed",
        "added",
        "removed",
        "renamed",
        "updated",
        "moved",
        "replaced",
        "created",
        "reproduced",
        "implemented",
        "refactored",
        "deleted",
        "installed",
        "upgraded",
        "bumped",
        "set",
        "switched",
        "rewrote",
        "extended",
        "cleaned",
        "corrected",
        "adjusted",
        "introduced",
        "formatted",
        "restored",
        "reverted",
        "committed",
        "ran",
        "tested",
        "verified",
        "confirmed",
        "checked",
        "found",
        "read",
        "looked",
        "tried",
        "made",
        "wrote",
        "used",
    ];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let first = words.next().unwrap_or_default();
    ACTS.contains(&first) || matches!(first, "i" | "i've" | "i'd")
}

/// The text with its code blanked: `must` in a code span is no cue.
fn without_code(text: &str) -> String {
    text.split('`').enumerate().map(|(n, part)| if n % 2 == 1 { " # " } else { part }).collect()
}

/// Whether a phrase stands in a text in whole words; `*` at the end of a word takes any ending.
fn has(lower: &str, phrase: &str) -> bool {
    let (stem, open) = match phrase.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (phrase, false),
    };
    let mut rest = lower;
    let mut before = ' ';
    while let Some(at) = rest.find(stem) {
        let left = rest[..at].chars().next_back().unwrap_or(before);
        let after = &rest[at + stem.len()..];
        let right = after.chars().next().unwrap_or(' ');
        if !left.is_alphanumeric()
            && left != '_'
            && left != '-'
            && (open || (!right.is_alphanumeric() && right != '_'))
        {
            return true;
        }
        before = rest[..at + stem.len()].chars().next_back().unwrap_or(' ');
        rest = after;
    }
    false
}
