//! Sources that do not compile: whoever has to compile them fails as well, whatever it is told besides.

use super::super::tools::Reads;
use super::program::selected;
use super::{Root, Step, looks_like_path, tools};

/// The sources that an error says do not compile.
pub(super) fn told(step: &Step, text: &str) -> Option<Root> {
    // What only checks may speak of style.
    let checks = step.has_verb(&["check"]);
    let told = |line: &str| is_of_a_compiler(line).is_some_and(|error| error || !checks);
    (compiles(step) && text.lines().take(400).any(told)).then(|| Root::Broken(sources(step)))
}

/// The sources that a step has to compile.
pub(super) fn needed(step: &Step) -> Option<Root> {
    (has_sources(step) && builds(step) && is_plain(step)).then(|| Root::Broken(sources(step)))
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
