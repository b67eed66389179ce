//! Rules that one sentence joins: "always run the linter, and never touch generated/ by hand".
//!
//! Each is wanted at another moment, so each becomes a memory of its own. A rule stays whole with its reason, its
//! exception, its steps and what it is chosen over; where it is doubtful whether a part means the same without the other, the sentence stays as it is.

use super::cues::has;
use super::wishes::{plain, speaks_of_a_kind};

/// What may join two rules, and whether it joins nothing closer than that.
const JOINTS: [(&str, bool); 8] = [
    ("; also ", true),
    (", and also ", true),
    (" and also ", true),
    (", also ", true),
    ("; and ", true),
    ("; ", true),
    (", and ", false),
    (" and ", false),
];
/// What a rule is said for: it holds for both parts.
#[rustfmt::skip]
const SCOPES: [&str; 19] = [
    "when", "whenever", "if", "before", "after", "for", "in", "on", "while", "once", "unless", "until", "with", "within", "during", "as", "since", "because",
    "without",
];
/// What leads into a reason or a relative clause: what is joined there is joined to that.
#[rustfmt::skip]
const REASONS: [&str; 11] =
    ["because", "since", "otherwise", "so that", "which", "where", "that", "as", "so", "unless", "when"];
/// What stands for something in the other part.
#[rustfmt::skip]
const BACK: [&str; 14] = [
    "it", "them", "they", "its", "their", "those", "these", "there", "both", "either", "instead", "then", "the same", "this",
];
/// What people tell each other to do at work.
#[rustfmt::skip]
const VERBS: [&str; 118] = [
    "add", "annotate", "answer", "ask", "assert", "avoid", "bind", "break", "build", "bump", "bypass", "cache", "call", "catch", "change", "check", "checkout", "clean",
    "close", "comment", "commit", "compile", "configure", "connect", "copy", "create", "cut", "declare", "delete", "deploy", "disable", "document", "downgrade",
    "drop", "edit", "enable", "export", "expose", "extend", "fetch", "fix", "force", "force-push", "format", "generate", "give", "go", "hardcode", "hard-code", "ignore",
    "implement", "import", "increase", "inline", "install", "invent", "keep", "leave", "link", "lint", "load", "lock", "log", "make", "merge", "migrate", "mix", "mock",
    "modify", "move", "name", "open", "overwrite", "patch", "pin", "prefer", "prefix", "print", "publish", "pull", "push", "put", "raise", "read", "rebase", "refactor", "regenerate",
    "release", "remove", "rename", "replace", "require", "reset", "restart", "return", "reuse", "revert", "review", "rewrite", "rotate", "run", "send", "set", "share",
    "ship", "sign", "skip", "sort", "squash", "start", "stop", "store", "tag", "test", "throw", "touch", "use", "write",
];
/// What says how something must be or is for good.
#[rustfmt::skip]
const STATES: [&str; 14] =
    ["is", "are", "must", "has", "have", "needs", "need", "belongs", "belong", "goes", "go", "lives", "live", "may"];
/// So many words in may a statement say of what it is.
const NEAR: usize = 6;
/// Fewest words of a rule.
const LEAST: usize = 3;

/// The rules of a sentence, each as a sentence; the sentence itself where it is one.
pub(super) fn rules(sentence: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = sentence;
    while let Some((one, rest)) = first_rule(left) {
        found.push(format!("{}.", one.trim_end_matches([',', ';', ' '])));
        left = rest;
    }
    found.push(left.to_owned());
    found
}

/// The first of several rules, and the others.
fn first_rule(sentence: &str) -> Option<(&str, &str)> {
    let mut places: Vec<(usize, &str, bool)> = Vec::new();
    for (joint, apart) in JOINTS {
        places.extend(sentence.match_indices(joint).map(|(at, _)| (at, joint, apart)));
    }
    places.sort_by_key(|(at, joint, _)| (*at, std::cmp::Reverse(joint.len())));
    places.into_iter().find_map(|(at, joint, apart)| {
        let (left, right) = (&sentence[..at], &sentence[at + joint.len()..]);
        let in_code = left.matches('`').count() % 2 == 1 || is_open(left);
        (!in_code && are_two(left, right, apart, joint.starts_with([',', ';']))).then_some((left, right))
    })
}

/// Whether a bracket is open at the end of a text.
fn is_open(text: &str) -> bool {
    text.matches('(').count() > text.matches(')').count()
}

/// Whether two parts are a rule each, of which neither needs the other.
fn are_two(left: &str, right: &str, apart: bool, marked: bool) -> bool {
    let (left, right) = (plain(left), plain(right));
    let (one, other) = (words(&left), words(&right));
    let first = one.first().copied().unwrap_or_default();
    if one.len() < LEAST || other.len() < LEAST || SCOPES.contains(&first) || points_back(&right) {
        return false;
    }
    if !marked && is_bounded(&other) {
        return false;
    }
    let explains = REASONS.iter().any(|word| has(&left, word));
    let holds = orders(&other) || apart && is_imperative(&other);
    let states = states(&other) && states_left(&one) && marked && !explains;
    is_rule(&one) && (holds && (!explains || marked) || states)
}

/// Whether a part says when or where it holds: with no mark between them, that may be meant of the one before it, too.
fn is_bounded(words: &[&str]) -> bool {
    const WHEN: [&str; 8] = ["unless", "except", "when", "if", "while", "during", "until", "outside"];
    const WHERE: [&str; 4] = ["in", "on", "for", "within"];
    let is_named = |word: &str| word.contains(['.', '/', '_', '`']);
    words.iter().any(|word| WHEN.contains(word))
        || words.windows(2).any(|pair| WHERE.contains(&pair[0]) && !is_named(pair[1]))
}

/// Whether a part stands for something in the one before it.
fn points_back(part: &str) -> bool {
    BACK.iter().any(|word| has(part, word))
}

fn words(part: &str) -> Vec<&str> {
    part.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '!', '"'])).collect()
}

/// "Never touch …", "don't push …", "we always use …".
fn orders(words: &[&str]) -> bool {
    match words {
        ["please", rest @ ..] => orders(rest),
        ["we" | "you", "always" | "never" | "use" | "don't" | "only" | "prefer" | "must", _, ..] => true,
        ["don't", "ever", verb, ..] | ["do", "not", verb, ..] => VERBS.contains(verb),
        ["always" | "never" | "don't" | "only", verb, ..] => VERBS.contains(verb),
        _ => false,
    }
}

/// "Run the linter first".
fn is_imperative(words: &[&str]) -> bool {
    matches!(words, [verb, _, ..] if VERBS.contains(verb))
}

/// "The port is 8088", "amounts are cents".
fn states(words: &[&str]) -> bool {
    let is_named =
        matches!(words.first(), Some(&"the" | &"our" | &"all" | &"every" | &"each" | &"any" | &"no"));
    let says = words.iter().take(NEAR).skip(1).any(|word| STATES.contains(word));
    is_named && says || speaks_of_a_kind(words)
}

/// The same, or an order: what comes first may be either.
fn states_left(words: &[&str]) -> bool {
    states(words) || orders(words)
}

/// Whether what comes first is a rule.
fn is_rule(words: &[&str]) -> bool {
    orders(words) || is_imperative(words) || states(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_stand_on_their_own_are_taken_apart() {
        for (said, parts) in [
            (
                "Always run ruff before committing, and never touch generated/ by hand.",
                &["Always run ruff before committing.", "never touch generated/ by hand."][..],
            ),
            (
                "never push to main and always squash your commits",
                &["never push to main.", "always squash your commits"],
            ),
            (
                "We use tabs here, not spaces, and never commit without running the tests; also don't touch the vendor folder.",
                &[
                    "We use tabs here, not spaces.",
                    "never commit without running the tests.",
                    "don't touch the vendor folder.",
                ],
            ),
            (
                "Use uv instead of pip and always pin versions in requirements.txt.",
                &["Use uv instead of pip.", "always pin versions in requirements.txt."],
            ),
            (
                "Timestamps are stored in UTC, and amounts are integers in cents.",
                &["Timestamps are stored in UTC.", "amounts are integers in cents."],
            ),
            (
                "use pnpm because npm breaks the lockfile, and never commit package-lock.json",
                &["use pnpm because npm breaks the lockfile.", "never commit package-lock.json"],
            ),
            (
                "Don't log tokens; the api must answer in JSON.",
                &["Don't log tokens.", "the api must answer in JSON."],
            ),
        ] {
            assert_eq!(rules(said), parts, "{said}");
        }
    }

    #[test]
    fn a_rule_stays_whole_with_what_belongs_to_it() {
        for said in [
            "Use pnpm, because npm breaks the lockfile.",
            "always run make lint and make test before you push",
            "When you add an endpoint, update openapi.yaml and run the generator.",
            "never edit generated/ and always regenerate it with make gen",
            "Use tabs and never spaces.",
            "Use pnpm and never npm in ci.",
            "deploys go through Bob, and never on Fridays",
            "Prod migrations need two approvals and they only run on tuesdays.",
            "Never edit a merged migration, write a new one instead.",
            "In tests never use sleep and always use factories.",
            "Always use the logger, never print, because stdout is parsed by the runner.",
            "Run `make fmt; make lint` first.",
            "use tabs, but never in yaml files",
            "Never push to main, because the deploy is automatic and the on-call is asleep.",
            "run ruff and fix the warnings before each commit",
            "We use postgres and redis in tests.",
            "Never deploy on Fridays and always ask ops first unless somebody is on call",
            "Always use mocks and never call the API in unit tests",
            "never delete rows and never drop tables in production",
        ] {
            assert_eq!(rules(said), [said], "{said}");
        }
    }
}
