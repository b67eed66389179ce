//! What `validate` finds beyond broken text: memories that work but could be better.

use std::collections::HashSet;

use rawko_core::{Found, Problem, Severity, Slug, TaskContext, Trigger};
use rawko_store::FileProblem;

use crate::engine::Listing;

/// Words below which a memory hardly says anything, and above which it should be split.
const WORDS: std::ops::RangeInclusive<usize> = 50..=2_000;

/// Checks one file's text, with warnings; `slug` is its name, where it has one.
pub fn check_file(text: &str, slug: Option<&Slug>) -> Vec<Problem> {
    let thread = rawko_core::parse(text);
    let mut problems = thread.problems;
    for (n, found) in thread.entries.iter().enumerate() {
        problems.extend(check_triggers(found));
        // Later entries may be a word on status; the first one is the memory.
        if n == 0 {
            problems.extend(check_first(found, slug));
        }
        if let Some(hidden) = rawko_core::hidden(&found.entry.body) {
            let what = format!("the text holds {hidden}");
            let remedy = "take it out; otherwise the memory waits until you approve it with `rawko trust`";
            problems.push(Problem::warning(found.line, 1, what, remedy));
        }
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

fn check_first(found: &Found, slug: Option<&Slug>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut warn =
        |what: String, remedy: String| problems.push(Problem::warning(found.line, 1, what, remedy));
    let title = &found.entry.frontmatter.title;
    let words = found.entry.body.split_whitespace().count();
    if words < *WORDS.start() {
        warn(
            format!("the body has {words} words"),
            "say where, why and how: 200 to 500 words serve best".to_owned(),
        );
    } else if words > *WORDS.end() {
        warn(format!("the body has {words} words"), "split it into several memories".to_owned());
    }
    if !found.entry.body.trim_start().starts_with('#') {
        warn("the body has no heading".to_owned(), format!("start it with `# {title}`"));
    }
    if let Some(slug) = slug.filter(|slug| !fits(slug, title)) {
        let wanted = Slug::from_title(title);
        warn(
            format!("the file name `{slug}` does not fit the title"),
            format!("rename the file to `{wanted}.md`, or change the title"),
        );
    }
    problems
}

/// Whether a file name is the title's slug, in any folder, or shares half of its words.
fn fits(slug: &Slug, title: &str) -> bool {
    let name = slug.as_str().rsplit('/').next().unwrap_or_default();
    let wanted = Slug::from_title(title);
    let has: HashSet<&str> = name.split('-').collect();
    let words: Vec<&str> = wanted.as_str().split('-').collect();
    let shared = words.iter().filter(|word| has.contains(*word)).count();
    name == wanted.as_str() || 2 * shared >= words.len().min(has.len())
}

fn check_triggers(found: &Found) -> Vec<Problem> {
    let front = &found.entry.frontmatter;
    let warn = |what: String, remedy: &str| Problem::warning(found.line, 1, what, remedy);
    let mut problems = Vec::new();
    if front.when_to_use.is_empty() {
        problems.push(warn(
            "`whenToUse` is empty".to_owned(),
            "add a pattern or a sentence that says when it helps",
        ));
    }
    for trigger in &front.when_to_use {
        if matches_everything(trigger) {
            let what = format!("the trigger `{}` matches everything", trigger.text());
            problems.push(warn(what, "name the words of the tasks that need this memory"));
        } else if let Some(wrong) = rawko_core::problem(trigger) {
            let what = format!("the trigger `{}` is tried as plain text", trigger.text());
            problems.push(warn(what, &wrong));
        }
    }
    let failing = rawko_core::examples(&front.when_to_use, &front.should_fire, &front.should_not_fire);
    let wrong = |what: String| Problem::error(found.line, 1, what, "change the triggers, or the example");
    problems.extend(failing.into_iter().map(wrong));
    problems
}

/// Whether a trigger calls its memory for tasks that have nothing in common.
fn matches_everything(trigger: &Trigger) -> bool {
    const TASKS: [&str; 3] = ["zq", "Plumb the gneiss vat", "7 0 7"];
    let is_pattern = matches!(trigger, Trigger::Text(_) | Trigger::Pattern(_));
    let compiled = rawko_core::compile(trigger);
    is_pattern && TASKS.iter().all(|task| compiled.matches(&TaskContext::of(*task)).is_some())
}

/// Checks all memories together: what they say of each other.
pub fn check_store(listing: &Listing) -> Vec<FileProblem> {
    let known: HashSet<&str> = listing.memories.iter().map(|found| found.memory.slug.as_str()).collect();
    let mut problems = Vec::new();
    for found in &listing.memories {
        let Some(fold) = found.memory.now() else { continue };
        let line = found.memory.entries.last().map_or(1, |known| known.line);
        let named = fold.related_memories.iter().chain(&fold.supersedes);
        for name in named.filter(|name| !known.contains(name.trim_end_matches(".md"))) {
            let problem = Problem {
                severity: Severity::Warning,
                line,
                column: 1,
                what: format!("the memory `{name}` that it names does not exist"),
                remedy: "correct the name, or take it out".to_owned(),
            };
            let path = std::path::PathBuf::from(format!("{}.md", found.memory.slug));
            problems.push(FileProblem { slug: Some(found.memory.slug.clone()), path, problem });
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(when: &str, more: &str) -> Vec<(Severity, String)> {
        let body = "word ".repeat(60);
        let text = format!(
            "---\ntitle: x\nwhenToUse: [{when}]\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: dev\n{more}---\n\n# x\n\n{body}"
        );
        check_file(&text, None).into_iter().map(|problem| (problem.severity, problem.what)).collect()
    }

    #[test]
    fn a_trigger_that_matches_everything_is_named() {
        for pattern in ["\".*\"", "\"a*\"", "\"\\\\w|x|\""] {
            let found = problems(pattern, "");
            assert!(
                found.iter().any(|(_, what)| what.contains("matches everything")),
                "{pattern}: {found:?}"
            );
        }
        assert_eq!(problems("deploy|release", ""), []);
    }

    #[test]
    fn an_invalid_or_hostile_pattern_is_a_warning() {
        for pattern in ["\"(unclosed|x\"", "\"(a{999}){999}\""] {
            let found = problems(pattern, "");
            assert!(
                found.iter().all(|(severity, _)| *severity == Severity::Warning) && !found.is_empty(),
                "{pattern}: {found:?}"
            );
        }
    }

    #[test]
    fn examples_are_tests_of_the_triggers() {
        assert_eq!(
            problems("deploy", "shouldFire: [\"deploy the shop\"]\nshouldNotFire: [\"paint it\"]\n"),
            []
        );
        let failing = problems("deploy", "shouldFire: [\"ship the shop\"]\n");
        assert_eq!(failing.first().map(|(severity, _)| *severity), Some(Severity::Error));
    }
}
