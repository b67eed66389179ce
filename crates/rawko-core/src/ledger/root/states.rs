//! States of a working tree, of its sources and of its tests that stop every command of a kind, whatever it is told.

use super::super::tools::Reads;
use super::needs::places;
use super::program::selected;
use super::{Root, Step, looks_like_path, tools};

const DIRTY: &[&str] = &[
    "unstaged changes",
    "uncommitted changes",
    "working directory not clean",
    "working tree is not clean",
    "working tree is dirty",
    "index contains uncommitted",
];
const UNMERGED: &[&str] = &[
    "unmerged files",
    "unmerged paths",
    "unresolved conflict",
    "needs merge",
    "not concluded your merge",
    "resolve your current index",
];
/// What says that a test could not even begin.
const LACKS: &[&str] = &[
    "has been specified",
    "has been configured",
    "has been set",
    "is not configured",
    "is not set",
    "must be set",
    "is not specified",
];

/// What an error says of the tree, the sources and the tests.
pub(super) fn told(step: &Step, text: &str, lower: &str) -> Vec<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let mut found = Vec::new();
    found.extend(says(DIRTY).then(dirty));
    found.extend(says(UNMERGED).then(unmerged));
    // What only checks may speak of style.
    let checks = step.has_verb(&["check"]);
    let told = |line: &str| is_of_a_compiler(line).is_some_and(|error| error || !checks);
    if compiles(step) && text.lines().take(400).any(told) {
        found.push(Root::Broken(sources(step)));
    }
    let lacks = |line: &str| {
        let negated =
            line.trim_start().starts_with("no ") || line.contains(" not ") || line.contains("must be");
        negated && LACKS.iter().any(|phrase| line.contains(phrase))
    };
    if is_test(step) && lower.lines().any(lacks) {
        found.push(tests(step));
    }
    found
}

/// What of this a step needs.
pub(super) fn needed(step: &Step) -> Vec<Root> {
    let mut needs = Vec::new();
    let git =
        |subs: &[&str]| step.program == "git" && step.sub.as_deref().is_some_and(|sub| subs.contains(&sub));
    let has = |options: &[&str]| step.raw.iter().any(|word| options.contains(&word.as_str()));
    let ends = has(&["--abort", "--quit", "--skip"]);
    let rebases = git(&["rebase", "cherry-pick", "revert"]) || git(&["pull"]) && has(&["--rebase", "-r"]);
    if rebases && !ends && !has(&["--autostash"]) {
        needs.push(dirty());
    }
    if git(&["commit", "merge", "pull", "rebase", "cherry-pick", "revert", "checkout", "stash"]) && !ends {
        needs.push(unmerged());
    }
    if has_sources(step) && builds(step) && !chooses(step) {
        needs.push(Root::Broken(sources(step)));
    }
    if is_test(step) {
        needs.push(tests(step));
    }
    needs
}

/// Whether a step puts away what keeps others from working on the tree.
pub(in super::super) fn settles(step: &Step, roots: &[Root]) -> bool {
    let settled = matches!(
        step.sub.as_deref(),
        Some("add" | "rm" | "reset" | "restore" | "checkout" | "stash" | "commit" | "mergetool" | "clean")
    ) || step.raw.iter().any(|word| matches!(word.as_str(), "--abort" | "--quit" | "--skip"));
    let unsettled = roots.contains(&unmerged())
        || roots.contains(&dirty()) && !matches!(step.sub.as_deref(), Some("add" | "mergetool"));
    step.program == "git" && settled && unsettled
}

fn dirty() -> Root {
    Root::Unready("tree changes".to_owned())
}

fn unmerged() -> Root {
    Root::Unready("tree conflicts".to_owned())
}

fn tests(step: &Step) -> Root {
    let (family, env) = (tools::family(&step.program), step.env.join(" "));
    Root::Unready(format!("{family} tests {} {env} {}", step.folder, places(step).join(" ")))
}

/// Whether it runs a project's tests.
fn is_test(step: &Step) -> bool {
    let name = step.program.rsplit('/').next().unwrap_or_default();
    let runner =
        ["test", "spec", "unit"].iter().any(|part| name.contains(part)) || matches!(name, "pest" | "jest");
    (runner || step.has_verb(&["test", "tests", "spec"])) && !step.program.starts_with("./")
}

/// Whether it does nothing but compile: who does more with the same sources has to compile them as well.
fn compiles(step: &Step) -> bool {
    step.has_verb(&["build", "check", "compile", "assemble", "classes"])
        && has_sources(step)
        && is_plain(step)
}

/// Whether it works on the sources of its place, and is no script of somebody's.
fn has_sources(step: &Step) -> bool {
    let script = step.sub.as_deref().is_some_and(|sub| sub.starts_with("run "))
        || matches!(step.program.as_str(), "make" | "just" | "task" | "rake" | "sh" | "bash")
        || step.program.starts_with("./");
    let named = step.words.iter().any(|word| looks_like_path(word));
    let unknown = step.tool().reads == Reads::Named && !step.tool().far;
    !script && (step.reads_sources() || unknown && !named)
}

fn builds(step: &Step) -> bool {
    step.has_verb(&[
        "build", "check", "compile", "assemble", "classes", "test", "run", "bench", "package", "publish",
        "vet", "clippy",
    ])
}

/// Whether no option changes how it compiles (`-Werror`): what stops it stops others, too.
fn is_plain(step: &Step) -> bool {
    step.options().all(|option| step.tool().package.contains(&option) || is_kind(option))
}

/// Whether an option says which of the builds it is.
fn is_kind(option: &str) -> bool {
    ["release", "configuration", "profile"].iter().any(|word| option.contains(word))
}

/// Whether it chooses a part of the sources, or compiles them otherwise.
fn chooses(step: &Step) -> bool {
    const CHOOSES: &[&str] =
        &["feature", "target", "tags", "bin", "lib", "example", "cfg", "product", "scheme"];
    step.options().any(|option| CHOOSES.iter().any(|word| option.contains(word)))
}

/// The sources that a step compiles.
fn sources(step: &Step) -> String {
    // A label or a path; not a phase, a task or the name of a test.
    let part = |word: &&str| word.contains(['/', ':']) && !word.starts_with(':');
    let paths: Vec<&str> = step.words.iter().map(String::as_str).filter(part).collect();
    let kinds: Vec<&str> = step.flags.iter().map(String::as_str).filter(|flag| is_kind(flag)).collect();
    let family = tools::family(&step.program);
    format!("{family} sources {} {} {} {}", step.folder, selected(step), kinds.join(" "), paths.join(" "))
}

/// Whether a line that is a compiler's calls it an error: `a.c:3:5: error: …`, `a.ts(3,5): error …`, `--> a.rs:3:5`.
fn is_of_a_compiler(line: &str) -> Option<bool> {
    let mut words =
        line.split_whitespace().filter(|word| !matches!(*word, "[ERROR]" | "e:" | "error:" | "ERROR:"));
    let first = words.next()?;
    let arrow = first == "-->";
    let place = if arrow { words.next()? } else { first };
    let place = place.strip_prefix("file://").unwrap_or(place);
    let (file, rest) = place.split_once([':', '('])?;
    let numbered = rest.trim_start_matches('[').bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let tested = ["test", "spec"].iter().any(|part| file.to_lowercase().contains(part));
    let warned = line.contains("warning");
    (looks_like_path(file) && numbered && !tested && !warned)
        .then(|| arrow || line.to_lowercase().contains("error"))
}
