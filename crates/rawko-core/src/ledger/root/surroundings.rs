//! Errors about a program's surroundings and not about what it was told: whatever it is told next, it meets the same.

use super::super::mend::misses_device;
use super::needs::places;
use super::program::selected;
use super::{Root, Step, looks_like_path, tools};

/// What says that something around the program is not as it has to be.
#[rustfmt::skip]
const SAYS: &[&str] = &[
    "must specify", "not currently set", "not a git repository", "are pending", "program not found", "unable to open", "quota", "no space left",
    "read-only file system", "pytest.ini", "parsing go.mod", "go.mod:", "kubeconfig",
];
/// What speaks of the work itself: it was done, and its result is not good.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    "assert", "panicked", "error[e", "error ts", "offense", " passed", "tests run", "test failed", "tests failed", "failures:", "expected", "failed in",
    "violation", "refused", "undefined", "unresolved", "mismatch", "already exists", "conflict", "forbidden",
];
/// The surroundings that an error is about.
pub(super) fn about(step: &Step, lower: &str) -> Option<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    // Of who is not known, nobody knows which of its commands would do without a device.
    let around = if tools::is_known(&step.program) {
        says(SAYS) || lower.lines().any(lacks_own)
    } else {
        lower.lines().any(|line| misses_device(line) || lacks_own(line))
    };
    let short = lower.lines().filter(|line| !line.trim().is_empty()).count() <= 8;
    // What it was told is what it is about.
    let ends = |c: char| c.is_whitespace() || "\"'`()[]{},;:=‘’“”".contains(c);
    let told = || {
        let named = |word: &str| {
            let word = word.to_lowercase();
            // A plain verb may be a part of any name.
            let part = word.contains(|c: char| !c.is_ascii_alphabetic()) && lower.contains(&word);
            part || lower.split(ends).any(|other| other == word)
        };
        step.raw_words().any(|word| word.len() > 1 && named(word))
    };
    (short && around && !says(RESULTS) && !told())
        .then(|| is_met(step).then(|| of(step, &selected(step))))
        .flatten()
}

/// Whether a line lacks a file beside it that no command names: `no x.conf found`.
fn lacks_own(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let file = |word: &str| looks_like_path(word) && !word.contains('/');
    words.windows(2).any(|pair| pair[0] == "no" && file(pair[1].trim_matches(['"', '\'', '`', '‘', '’'])))
}

/// The surroundings that a step needs: its part's, and those of the whole.
pub(super) fn needed(step: &Step) -> Vec<Root> {
    if is_met(step) { vec![of(step, ""), of(step, &selected(step))] } else { Vec::new() }
}

fn of(step: &Step, part: &str) -> Root {
    let (env, place) = (step.env.join(" "), places(step).join(" "));
    Root::Unready(format!("{} surroundings {} {env} {place} {part}", step.program, step.folder))
}

/// Whether nothing that a step is told changes what it finds around it.
fn is_met(step: &Step) -> bool {
    let sets = step.has_verb(&[
        "init", "create", "add", "config", "set", "new", "doctor", "clean", "lock", "use", "devices",
    ]);
    let lists = matches!(step.sub.as_ref().or(step.words.first()).map(String::as_str), Some("list" | "ls"));
    let script = step.program.contains('/') || tools::only_asks(&step.program, None);
    let known = !script && !step.tool().anywhere && !tools::RUNNERS.contains(&step.program.as_str());
    let compose = step.program == "docker" && step.sub.as_deref() == Some("compose") || step.program == "go";
    (known || compose) && !sets && !lists
}
