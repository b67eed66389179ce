//! What `validate` finds beyond broken text: memories that work but could be better.

use std::collections::HashSet;

use rawko_core::{Entry, Found, Problem, Severity, Slug, TaskContext, Trigger};
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
        problems.extend(check_fields(found));
        if let Some(hidden) = rawko_core::hidden(&found.entry.body) {
            let what = format!("the text holds {hidden}");
            let remedy = "take it out; otherwise the memory waits until you approve it with `rawko trust`";
            problems.push(Problem::warning(body_line(found), 1, what, remedy));
        }
        if let Some(line) = found.woven {
            let what = "fields of another entry stand in the text, as if git had woven two together";
            let remedy = "undo the merge, run `rawko init` so that git keeps entries whole, and merge again; an example belongs in a code fence";
            problems.push(Problem::warning(body_line(found) + line, 1, what, remedy));
        }
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

/// What is wrong with an entry's triggers.
pub fn check_entry(entry: &Entry) -> Vec<Problem> {
    rawko_core::parse(&entry.to_text()).entries.iter().flat_map(check_triggers).collect()
}

/// The line of the frontmatter that holds `part`, or the one that opens it.
fn line_of(found: &Found, part: &str) -> usize {
    let end = found.text.lines().skip(1).position(|line| line.starts_with("---")).map_or(0, |at| at + 1);
    let at = found.text.lines().take(end).position(|line| line.contains(part));
    found.line + at.unwrap_or(0)
}

/// The line at which an entry's body begins.
fn body_line(found: &Found) -> usize {
    let end = found.text.lines().skip(1).position(|line| line.starts_with("---")).map_or(0, |at| at + 2);
    let blank = found.text.lines().nth(end).is_some_and(|line| line.trim().is_empty());
    found.line + end + usize::from(blank && found.text.lines().count() > end + 1)
}

/// Names fields that are nearly fields of ours: a misspelt one is kept, and does nothing.
fn check_fields(found: &Found) -> Vec<Problem> {
    let known = rawko_core::FIELDS;
    let nearly = |key: &str| {
        let near =
            |field: &&&str| distance(&key.to_lowercase(), &field.to_lowercase()) <= 2 && field.len() > 4;
        known.iter().filter(near).min_by_key(|field| distance(key, field)).copied()
    };
    let mut problems = Vec::new();
    for key in found.entry.frontmatter.extra.keys() {
        if let Some(field) = nearly(key) {
            let what = format!("`{key}` is no field that rawko knows, so it has no effect");
            let remedy = format!("write `{field}` if that is what you mean");
            problems.push(Problem::warning(line_of(found, key), 1, what, remedy));
        }
    }
    problems
}

/// How many letters must be added, taken away, changed or swapped with their neighbour to make one word the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().take(40).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swapped = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                changed.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}

fn check_first(found: &Found, slug: Option<&Slug>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let (title_line, body_line) = (line_of(found, "title"), body_line(found));
    let mut warn =
        |line: usize, what: String, remedy: String| problems.push(Problem::warning(line, 1, what, remedy));
    let title = &found.entry.frontmatter.title;
    let words = found.entry.body.split_whitespace().count();
    if words < *WORDS.start() {
        warn(
            body_line,
            format!("the body has {words} {}", if words == 1 { "word" } else { "words" }),
            "say where, why and how: 200 to 500 words serve best".to_owned(),
        );
    } else if words > *WORDS.end() {
        warn(body_line, format!("the body has {words} words"), "split it into several memories".to_owned());
    }
    if !found.entry.body.trim_start().starts_with('#') {
        warn(body_line, "the body has no heading".to_owned(), format!("start it with `# {title}`"));
    }
    if let Some(slug) = slug.filter(|slug| !fits(slug, title)) {
        let wanted = Slug::from_title(title);
        warn(
            title_line,
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
    let warn = |part: &str, what: String, remedy: &str| {
        Problem::warning(line_of(found, part).max(line_of(found, "whenToUse")), 1, what, remedy)
    };
    let mut problems = Vec::new();
    if front.when_to_use.is_empty() {
        problems.push(warn(
            "whenToUse",
            "`whenToUse` is empty".to_owned(),
            "add a pattern or a sentence that says when it helps",
        ));
    }
    for trigger in &front.when_to_use {
        if matches_everything(trigger) {
            let what = format!("the trigger `{}` matches everything", trigger.text());
            problems.push(warn(trigger.text(), what, "name the words of the tasks that need this memory"));
        } else if let Some(wrong) = rawko_core::problem(trigger) {
            let what = format!("the trigger `{}` is tried as plain text", trigger.text());
            problems.push(warn(trigger.text(), what, &wrong));
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
