//! What `validate` finds beyond broken text: memories that work but could be better.

use std::collections::HashSet;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use rawko_core::{
    Entry, Found, Frontmatter, Kind, LEARNED_KEY, MEMORY_FILE, Problem, Slug, TaskContext, TaskText, Trigger,
    Trust, Work,
};
use rawko_store::{FileProblem, FileStore, GIT_ADVICE, Merging};
use serde_json::Value;

use crate::engine::Listing;

/// Words below which a memory hardly says anything, and above which it should be split.
const WORDS: std::ops::RangeInclusive<usize> = 50..=2_000;

/// Most entries of a file whose fields are read a second time, for slips: nobody writes more by hand.
const MAX_LOOKED: usize = 200;

/// Most characters of a title: no list or block shows more.
const TITLE: usize = 200;
/// What to do about a memory that says little: of many it is worth telling once.
pub const SHORT_BODY: &str = "say where, why and how: 200 to 500 words serve best";

/// How far ahead a clock may be, and a date where it is tomorrow already.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// A file's name among the others of its store.
#[derive(Clone, Copy)]
pub struct Name<'a> {
    /// The name.
    pub slug: &'a Slug,
    /// Whether there is another memory of a name.
    pub is_taken: &'a dyn Fn(&Slug) -> bool,
}

impl std::fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.slug.fmt(f)
    }
}

/// Checks one file's text as of `now`, with warnings; `name` is its own, where it has one.
pub fn check_file(text: &str, name: Option<Name<'_>>, now: Timestamp) -> Vec<Problem> {
    let thread = rawko_core::parse(text);
    let mut problems = thread.problems;
    let mut seen = HashSet::new();
    for (n, found) in thread.entries.iter().enumerate() {
        problems.extend(check_triggers(found, &mut seen));
        // Later entries may be a word on status; the first one is the memory.
        if n == 0 {
            problems.extend(check_first(found, name));
        }
        if n < MAX_LOOKED {
            problems.extend(rawko_core::near_misses(found));
        }
        let Frontmatter { title, discovered_at, .. } = &found.entry.frontmatter;
        if discovered_at.duration_since(now) > AHEAD {
            let what = "`discoveredAt` is in the future: until then this entry counts as the newest";
            let remedy = "write when it was found";
            problems.push(Problem::warning(line_of(found, "discoveredAt"), 1, what, remedy));
        }
        if let Some(hidden) = rawko_core::hidden(title) {
            let what = format!("the title holds {hidden}");
            problems.push(Problem::warning(line_of(found, "title"), 1, what, "take it out"));
        }
        if let Some(hidden) = rawko_core::hidden(&found.entry.body) {
            let what = format!("the text holds {hidden}");
            let remedy = "take it out; otherwise the memory waits until you approve it with `rawko trust`";
            let at = found.entry.body.lines().position(|line| rawko_core::hidden(line).is_some());
            problems.push(Problem::warning(body_line(found) + at.unwrap_or(0), 1, what, remedy));
        }
        if let Some(line) = found.woven {
            let what = "fields of another entry stand in the text, as if git had woven two together";
            let remedy = "undo the merge, run `rawko init` so that git keeps entries whole (or says what to do), and merge again; an example belongs in a code fence";
            problems.push(Problem::warning(body_line(found) + line, 1, what, remedy));
        }
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

/// What is wrong with an entry's triggers.
pub fn check_entry(entry: &Entry) -> Vec<Problem> {
    let thread = rawko_core::parse(&entry.to_text());
    let problems = |found| check_title(found).into_iter().chain(check_triggers(found, &mut HashSet::new()));
    thread.entries.iter().flat_map(problems).collect()
}

/// A title that nobody would read.
fn check_title(found: &Found) -> Option<Problem> {
    let count = found.entry.frontmatter.title.chars().count();
    (count > TITLE).then(|| {
        let what = format!("the title has {count} characters");
        let remedy = format!("say it in {TITLE} at most; the rest belongs into the text");
        Problem::warning(line_of(found, "title"), 1, what, remedy)
    })
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

fn check_first(found: &Found, name: Option<Name<'_>>) -> Vec<Problem> {
    let mut problems: Vec<Problem> = check_title(found).into_iter().collect();
    let (title_line, body_line) = (line_of(found, "title"), body_line(found));
    let mut warn =
        |line: usize, what: String, remedy: String| problems.push(Problem::warning(line, 1, what, remedy));
    let title = &found.entry.frontmatter.title;
    let words = found.entry.body.split_whitespace().count();
    if words < *WORDS.start() {
        warn(
            body_line,
            format!("the body has {words} {}", if words == 1 { "word" } else { "words" }),
            SHORT_BODY.to_owned(),
        );
    } else if words > *WORDS.end() {
        warn(body_line, format!("the body has {words} words"), "split it into several memories".to_owned());
    }
    if !found.entry.body.trim_start().starts_with('#') && !is_kept_as_given(&found.entry) {
        warn(body_line, "the body has no heading".to_owned(), format!("start it with `# {title}`"));
    }
    if let Some(name) = name.filter(|name| !fits(name.slug, title)) {
        warn(
            title_line,
            format!("the file name `{}` does not fit the title", name.slug),
            rename(&name, title),
        );
    }
    problems
}

/// How a file and its title come together: never by a name that is another memory's.
fn rename(name: &Name<'_>, title: &str) -> String {
    let (slug, wanted) = (name.slug, Slug::from_title(title));
    let wanted = match slug.as_str().rsplit_once('/') {
        Some((folder, _)) => Slug::parse(&format!("{folder}/{wanted}")).unwrap_or(wanted),
        None => wanted,
    };
    if (name.is_taken)(&wanted) {
        format!(
            "change the title: `{wanted}` is another memory (`rawko review --merge {slug} {wanted}` puts this one into it)"
        )
    } else {
        format!("rename the file to `{wanted}.md`, or change the title")
    }
}

/// Whether the text is kept as it was given: a rule, a value, a file of an agent's, what another tool remembers.
fn is_kept_as_given(entry: &Entry) -> bool {
    let front = &entry.frontmatter;
    let is_whole = [MEMORY_FILE, LEARNED_KEY].iter().any(|field| front.extra.contains_key(*field));
    is_whole || front.kind == Some(Kind::Procedure) || front.trust == Some(Trust::Imported)
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

/// What is wrong with the triggers of an entry; those that were `seen` in one above it are told there.
fn check_triggers<'a>(found: &'a Found, seen: &mut HashSet<&'a Trigger>) -> Vec<Problem> {
    let front = &found.entry.frontmatter;
    let warn = |part: &str, what: String, remedy: &str| {
        Problem::warning(line_of(found, part).max(line_of(found, "whenToUse")), 1, what, remedy)
    };
    let mut problems = Vec::new();
    // One without a text is a word on the memory, which has triggers already.
    if front.when_to_use.is_empty() && !found.entry.body.trim().is_empty() {
        problems.push(warn(
            "whenToUse",
            "`whenToUse` is empty".to_owned(),
            "add a pattern or a sentence that says when it helps",
        ));
    }
    for trigger in front.when_to_use.iter().filter(|trigger| seen.insert(trigger)) {
        if matches_everything(trigger) {
            let what = format!("the trigger `{}` matches everything", trigger.text());
            problems.push(warn(
                trigger.text(),
                what,
                "name what is special about the tasks that need this memory",
            ));
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

/// Whether a trigger calls its memory for tasks, or for commands, errors or files, that have nothing in common.
fn matches_everything(trigger: &Trigger) -> bool {
    const TEXTS: [&str; 3] = ["zq", "Plumb the gneiss vat", "7 0 7"];
    const FILES: [&str; 3] = ["zq.h", "plumb/gneiss.vat", "7/0/7.x"];
    let compiled = rawko_core::compile(trigger);
    let (none, takes) = (TaskContext::default(), |task: &TaskContext| compiled.matches(task).is_some());
    let texts = TEXTS.map(str::to_owned).into_iter();
    match trigger {
        Trigger::Text(_) | Trigger::Pattern(_) => texts.map(TaskContext::of).all(|task| takes(&task)),
        Trigger::Command(_) => {
            texts.map(|command| TaskContext { command, ..none.clone() }).all(|task| takes(&task))
        }
        Trigger::Error(_) => {
            texts.map(|error| TaskContext { error, ..none.clone() }).all(|task| takes(&task))
        }
        Trigger::Path(_) => {
            FILES.map(|file| TaskContext { files: vec![file.into()], ..none.clone() }).iter().all(takes)
        }
    }
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
            let what = format!("the memory `{name}` that it names does not exist");
            let problem = Problem::warning(line, 1, what, "correct the name, or take it out");
            let path = PathBuf::from(format!("{}.md", found.memory.slug));
            problems.push(FileProblem { slug: Some(found.memory.slug.clone()), path, problem });
        }
    }
    problems
}

/// What is wrong with how git merges the entries of a project's store, and the file to look at.
pub fn check_merging(store: &FileStore) -> Option<(PathBuf, Problem)> {
    let (path, what, remedy) = match store.layout().merging() {
        Ok(Merging::Weaves(path)) => (
            path,
            "in this clone git would weave entries of two branches into one",
            "run `rawko init`: it tells git to keep them whole",
        ),
        Ok(Merging::Unknown(path)) => (
            path,
            "it leads to no git folder that knows this one: git may weave entries of two branches into one",
            GIT_ADVICE,
        ),
        Ok(Merging::NoGit | Merging::Whole) | Err(_) => return None,
    };
    Some((path, Problem::warning(1, 1, what, remedy)))
}

/// Distinct past tasks from which a history tells anything of a trigger.
const HISTORY: usize = 40;
/// The share of them that is nearly all.
const NEARLY_ALL: f32 = 0.8;
/// Most memories that are named because no past task called them.
const NEVER_CALLED: usize = 20;

/// Holds triggers against the tasks of a store's own receipts: those that nearly every task meets, and memories
/// that none of the tasks since they were written called.
///
/// Triggers on paths, commands and errors are left out: receipts keep what was asked, not what was run.
pub fn check_history(listing: &Listing, receipts: &[Value]) -> Vec<FileProblem> {
    let mut seen = HashSet::new();
    let told = receipts.iter().filter_map(|receipt| {
        let (task, at) = (receipt["task"].as_str()?, receipt["at"].as_str()?.parse().ok()?);
        (!task.trim().is_empty() && seen.insert(task)).then(|| (at, TaskText::new(&TaskContext::of(task))))
    });
    let tasks: Vec<(Timestamp, TaskText)> = told.collect();
    let mut problems = Vec::new();
    let mut never = 0;
    for found in &listing.memories {
        let Some(fold) = found.memory.now().filter(|fold| fold.may_be_injected()) else { continue };
        let written = found.memory.entries.first().map(|known| known.entry.frontmatter.discovered_at);
        let since: Vec<&TaskText> = tasks
            .iter()
            .filter(|(at, _)| written.is_none_or(|written| *at > written))
            .map(|(_, t)| t)
            .collect();
        let bare = fold.when_to_use.iter().filter(|t| matches!(t, Trigger::Text(_) | Trigger::Pattern(_)));
        let bare: Vec<&Trigger> = bare.copied().collect();
        if since.len() < HISTORY || bare.is_empty() {
            continue;
        }
        let mut tell = |what: String, remedy: &str| {
            let line = found.memory.entries.last().map_or(1, |known| known.line);
            let path = PathBuf::from(format!("{}.md", found.memory.slug));
            let problem = Problem::warning(line, 1, what, remedy);
            problems.push(FileProblem { slug: Some(found.memory.slug.clone()), path, problem });
        };
        let all = since.len();
        let met: Vec<usize> = bare.iter().map(|trigger| met(trigger, &since).len()).collect();
        for (trigger, met) in bare.iter().zip(&met).filter(|(_, met)| **met as f32 >= NEARLY_ALL * all as f32)
        {
            let what = format!("the trigger `{}` matched {met} of the last {all} tasks here", trigger.text());
            tell(what, "name the words of the tasks that need this memory");
        }
        // A path, a command or an error may have called it.
        if met.iter().all(|met| *met == 0) && bare.len() == fold.when_to_use.len() {
            never += 1;
            if never <= NEVER_CALLED {
                let what = format!("none of its triggers matched any of the last {all} tasks here");
                tell(what, "use the words that people ask in, or retire the memory if nobody needs it");
            }
        }
    }
    problems
}

/// Which of these tasks a trigger matches, by their place; it is compiled once, where it may match any.
pub(crate) fn met(trigger: &Trigger, tasks: &[&TaskText]) -> Vec<usize> {
    let asked = rawko_core::literals(trigger);
    let compiled = std::cell::LazyCell::new(|| rawko_core::compile(trigger));
    let matches = |task: &TaskText| {
        task.may_match(&asked) && compiled.matches_text(task, None, &mut Work::default()).is_some()
    };
    (0..tasks.len()).filter(|&at| matches(tasks[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rawko_core::Severity;

    fn problems(when: &str, more: &str) -> Vec<(Severity, String)> {
        let body = "word ".repeat(60);
        let text = format!(
            "---\ntitle: x\nwhenToUse: [{when}]\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: dev\n{more}---\n\n# x\n\n{body}"
        );
        checked(&text).into_iter().map(|problem| (problem.severity, problem.what)).collect()
    }

    fn checked(text: &str) -> Vec<Problem> {
        check_file(text, None, "2026-02-01T12:00:00Z".parse().expect("a time"))
    }

    #[test]
    fn a_time_to_come_and_what_no_reader_sees_are_named_by_their_line() {
        let body = "word ".repeat(60);
        let entry = |title: &str, at: &str, last: &str| {
            format!(
                "---\ntitle: {title}\nwhenToUse: deploy\nimportance: low\ndiscoveredAt: {at}\ndiscoveredBy: dev\n---\n\n# x\n\n{body}\n\n{last}\n"
            )
        };
        let told = |text: String| -> Vec<(usize, String)> {
            checked(&text).into_iter().map(|problem| (problem.line, problem.what)).collect()
        };
        assert_eq!(told(entry("x", "2026-02-02", "end")), [], "tomorrow, somewhere");
        let late = "`discoveredAt` is in the future: until then this entry counts as the newest".to_owned();
        assert_eq!(told(entry("x", "2036-01-01", "end")), [(5, late.clone())]);
        let second =
            format!("{}\n---\n\n{}", entry("x", "2026-01-01", "end"), entry("x", "2036-01-01", "end"));
        assert_eq!(told(second), [(21, late)]);
        let in_title = "the title holds an invisible character (U+2060)".to_owned();
        assert_eq!(told(entry("x\u{2060}", "2026-01-01", "end")), [(2, in_title)]);
        let in_text = "the text holds an invisible character (U+2060)".to_owned();
        assert_eq!(told(entry("x", "2026-01-01", "e\u{2060}nd")), [(13, in_text)]);
    }

    #[test]
    fn a_trigger_that_later_entries_repeat_is_named_once() {
        let entry = "---\ntitle: x\nwhenToUse: '.*'\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: dev\n---\n\n# x\n\n";
        let text = format!("{entry}{}\n\n---\n\n{entry}More.\n", "word ".repeat(60));
        let told: Vec<(usize, String)> =
            checked(&text).into_iter().map(|problem| (problem.line, problem.what)).collect();
        assert_eq!(told, [(3, "the trigger `.*` matches everything".to_owned())]);
    }

    #[test]
    fn half_a_bracket_in_a_path_is_named() {
        for path in ["src/[a", "src/{a,b", "src/a]"] {
            let found = problems(&format!("{{path: \"{path}\"}}"), "");
            assert!(found.len() == 1 && found[0].1.contains("as plain text"), "{path}: {found:?}");
        }
        assert_eq!(problems("{path: \"app/[id]/{a,b}.ts\"}", ""), []);
    }

    #[test]
    fn a_trigger_that_matches_everything_is_named() {
        for pattern in [
            "\".*\"",
            "\"a*\"",
            "\"\\\\w|x|\"",
            "{path: \"**\"}",
            "{path: \"*.*\"}",
            "{command: \".*\"}",
            "{command: \"\\\\S+\"}",
            "{error: \"make|.*\"}",
        ] {
            let found = problems(pattern, "");
            assert!(
                found.iter().any(|(_, what)| what.contains("matches everything")),
                "{pattern}: {found:?}"
            );
        }
        for pattern in ["deploy|release", "{path: \"*.rs\"}", "{command: make}", "{error: \"E\\\\d+\"}"] {
            assert_eq!(problems(pattern, ""), [], "{pattern}");
        }
    }

    /// What a history of `tasks`, one an hour from the start of 2026 on, says of a memory with these triggers.
    fn by_history(when: &str, written: &str, tasks: &[String]) -> Vec<String> {
        let text = format!(
            "---\ntitle: x\nwhenToUse: [{when}]\nimportance: low\ndiscoveredAt: {written}\ndiscoveredBy: dev\n---\n\n# x\n"
        );
        let thread = rawko_core::parse(&text);
        let slug = Slug::from_title("x");
        let standing = |_: &_| rawko_core::Standing::Approved;
        let memory = rawko_core::Memory::new(slug, thread, standing, rawko_core::Trust::Human);
        let found = crate::Found { whose: crate::Whose::Project, memory };
        let listing = Listing { memories: vec![found], ..Listing::default() };
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        let receipt = |(n, task): (i64, &String)| {
            let at = start + jiff::SignedDuration::from_hours(n);
            serde_json::json!({ "task": task, "at": at.to_string() })
        };
        let receipts: Vec<Value> = (0..).zip(tasks).map(receipt).collect();
        check_history(&listing, &receipts).into_iter().map(|found| found.problem.what).collect()
    }

    #[test]
    fn a_history_of_tasks_names_triggers_that_meet_nearly_all_or_none() {
        let mut tasks: Vec<String> = (0..60).map(|n| format!("Fix the parser of module {n}")).collect();
        tasks[7] = "Feed the zebra".to_owned();
        let old = "2025-12-01";
        assert_eq!(by_history("zebra", old, &tasks), [""; 0]);
        let broad = by_history("\"fix|error\", zebra", old, &tasks);
        assert_eq!(broad, ["the trigger `fix|error` matched 59 of the last 60 tasks here"]);
        let never = by_history("jemalloc", old, &tasks);
        assert_eq!(never, ["none of its triggers matched any of the last 60 tasks here"]);
    }

    #[test]
    fn a_history_says_nothing_of_young_memories_few_tasks_or_commands() {
        let tasks: Vec<String> = (0..60).map(|n| format!("Fix the parser of module {n}")).collect();
        assert_eq!(by_history("jemalloc", "2026-01-02T00:00:00Z", &tasks), [""; 0]);
        assert_eq!(by_history("jemalloc", "2025-12-01", &tasks[..39]), [""; 0]);
        assert_eq!(by_history("jemalloc", "2025-12-01", &vec![tasks[0].clone(); 60]), [""; 0]);
        assert_eq!(by_history("jemalloc, {command: \"make\"}", "2025-12-01", &tasks), [""; 0]);
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
