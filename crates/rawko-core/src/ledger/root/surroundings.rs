//! Errors about a program's surroundings and not about what it was told: whatever it is told next, it meets the same.

use super::needs::places;
use super::{Root, Step, tools};

/// What speaks of surroundings: settings, keys, devices, what has to be done before.
#[rustfmt::skip]
const SURROUNDINGS: &[&str] = &[
    "config", "profile", "credential", "plugin", "manifest", "parsing go.mod", "go.mod:", "pom ", "pom.xml", "build file", "not currently set", "must specify",
    "no devices", "no such kernel", "encryption key", "not a git repository", "are pending", "java version", "no cuda", "env file", ".kube", "kubeconfig",
    "cmake_root", "program not found", "pytest.ini", "conftest", "project.yml", "could not find podfile", "podfile", "tsconfig", "secret key", "data key",
    "unable to open", "workspace member", "compose", "settings", "rc file", ".rc", "license", "quota", "no space left", "read-only file system",
];
/// What speaks of the work itself: it was done, and its result is not good.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    "assert", "panicked", "error[e", "error ts", "offense", " passed", "tests run", "test failed", "tests failed", "failures:", "expected", "failed in",
    "violation", "refused", "undefined", "unresolved", "mismatch", "already exists", "conflict", "forbidden",
];
/// Programs that run whatever they are told, each time something else.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "deno", "make", "just", "task", "python", "node", "ruby", "php", "sh", "bash", "zsh", "perl", "npx", "rake", "rails", "git",
    "curl", "wget", "ssh", "scp", "rsync", "turbo", "nx", "bazel", "pre-commit", "tox", "nox", "invoke", "mage", "docker", "composer", "java", "go",
];

/// The surroundings that an error is about.
pub(super) fn about(step: &Step, lower: &str) -> Option<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let short = lower.lines().filter(|line| !line.trim().is_empty()).count() <= 8;
    // What it was told is what it is about.
    let told = || step.raw_words().any(|word| word.len() > 1 && lower.contains(&word.to_lowercase()));
    (short && says(SURROUNDINGS) && !says(RESULTS) && !told()).then(|| needed(step)).flatten()
}

/// The surroundings that a step needs.
pub(super) fn needed(step: &Step) -> Option<Root> {
    let sets =
        step.has_verb(&["init", "create", "add", "config", "set", "new", "doctor", "clean", "lock", "use"]);
    let known =
        tools::is_known(&step.program) && !step.tool().anywhere && !RUNNERS.contains(&step.program.as_str());
    let compose = step.program == "docker" && step.sub.as_deref() == Some("compose") || step.program == "go";
    ((known || compose) && !sets).then(|| {
        let place = places(step).join(" ");
        Root::Unready(format!("{} surroundings {} {} {place}", step.program, step.folder, step.env.join(" ")))
    })
}
