//! A command that failed until something was changed: the error, and what cured it.
//!
//! Failing tests that an edit of the code makes pass are everyday work and
//! teach nothing; a cure in how things are built, configured or called does.

use super::lesson::{Lesson, Lore, title};
use super::prose;
use super::transient::{Rules, has_a_hash};
use crate::lineage::is_fetching;
use crate::run_record::{Run, Speaker, Step, head, speaks_of_an_error};

/// Most steps between a failure and its cure.
const SPAN: usize = 40;

/// What cured a failed command.
enum Cure<'a> {
    /// Another command.
    Command(&'a str),
    /// A change of how things are built or configured.
    Setting { file: &'a str, after: &'a str },
}

/// Lessons from commands that failed first.
pub(super) fn lessons(run: &Run, rules: &Rules) -> Vec<Lesson> {
    let mut found = Vec::new();
    for (at, step) in run.steps.iter().enumerate() {
        let Step::Command { command, exit: Some(exit), output } = step else { continue };
        if *exit == 0 || *exit > 128 || is_elsewhere(command) || is_looking(command) || is_git(command) {
            continue;
        }
        let Some(error) = error_line(output, rules) else { continue };
        let lesson = cured(run, at, command, *exit, &error, rules);
        found.extend(lesson.filter(|lesson| !rules.is_measured(&lesson.text)));
    }
    found
}

/// What happened between a failure and the next run of the same command that did not fail so.
fn cured(run: &Run, at: usize, command: &str, exit: i32, error: &str, rules: &Rules) -> Option<Lesson> {
    let rest = &run.steps[at + 1..run.steps.len().min(at + 1 + SPAN)];
    let wanted = head_of(command)?;
    let again = rest.iter().position(|step| match step {
        Step::Command { command: next, exit: Some(code), output } => {
            head_of(next).as_deref() == Some(&wanted) && (*code == 0 || !output.contains(error))
        }
        _ => false,
    })?;
    let between = &rest[..again];
    let Step::Command { command: worked, exit: Some(worked_exit), .. } = &rest[again] else { return None };
    let cures: Vec<Cure<'_>> = between.iter().filter_map(|step| cure(step, &wanted)).collect();
    match cures.as_slice() {
        [] if *worked_exit == 0 && differs_in_words(command, worked) && !between.iter().any(is_edit) => {
            Some(variant(command, exit, worked, error))
        }
        [] => None,
        // Many changes at once: nobody can say which one helped.
        cures if cures.len() <= 3 => {
            let called =
                differs_in_words(command, worked).then_some(worked.as_str()).filter(|_| *worked_exit == 0);
            Some(lesson(command, exit, error, cures, called, remarks(between, rules)))
        }
        _ => None,
    }
}

/// A change in between may be what helped, whatever the call looked like.
fn is_edit(step: &Step) -> bool {
    matches!(step, Step::Edit { .. })
}

fn cure<'s>(step: &'s Step, failed: &str) -> Option<Cure<'s>> {
    match step {
        // The same program called in another way is one more attempt.
        Step::Command { command, exit: Some(0), .. }
            if !is_elsewhere(command)
                && !is_looking(command)
                && !is_git(command)
                && head_of(command).as_deref() != Some(failed) =>
        {
            Some(Cure::Command(command))
        }
        Step::Edit { file, after, .. } if is_setting(file) => Some(Cure::Setting { file, after }),
        _ => None,
    }
}

fn remarks(between: &[Step], rules: &Rules) -> String {
    let said = between.iter().filter_map(|step| match step {
        Step::Said { by: Speaker::Agent, text } => Some(prose::remark(text)),
        _ => None,
    });
    let texts: Vec<String> = said.flatten().filter_map(|unit| rules.clean(&unit.text, |_| false)).collect();
    head(&texts.join(" "), 400).to_owned()
}

fn lesson(
    command: &str,
    exit: i32,
    error: &str,
    cures: &[Cure<'_>],
    called: Option<&str>,
    said: String,
) -> Lesson {
    let short = told(command);
    let (mut cure_text, mut helped) = (String::new(), Vec::new());
    let (mut files, mut commands) = (Vec::new(), vec![(short.clone(), exit)]);
    for cure in cures {
        match cure {
            Cure::Command(command) => {
                cure_text.push_str(&format!("Run `{}` first. ", told(command)));
                helped.push(told(command));
                commands.push((told(command), 0));
            }
            Cure::Setting { file, after } => {
                cure_text
                    .push_str(&format!("It needs this in `{file}`: `{}`. ", head(&one_line(after), 200)));
                files.push((*file).to_owned());
                helped.push(one_line(after));
            }
        }
    }
    if let Some(called) = called {
        cure_text.push_str(&format!("Then `{}` works. ", told(called)));
        helped.push(told(called));
        commands.push((told(called), 0));
    }
    let said = if said.is_empty() { said } else { format!("{said} ") };
    let text = format!("`{short}` failed with \"{error}\". {said}{}", cure_text.trim_end());
    let lore = if files.is_empty() { Lore::Command } else { Lore::Constraint };
    let mut lesson =
        Lesson::from_prose(lore, text, 3.0, "a command failed until something was changed".to_owned());
    lesson.title = title(&format!("{} fails with {error}", head_of(command).unwrap_or(short)));
    (lesson.files, lesson.commands, lesson.error, lesson.cure) =
        (files, commands, Some(error.to_owned()), helped.join(" "));
    lesson
}

/// The same program worked when it was called in another way.
fn variant(command: &str, exit: i32, worked: &str, error: &str) -> Lesson {
    let (short, worked) = (told(command), told(worked));
    let text = format!("`{short}` fails with \"{error}\". `{worked}` works.");
    let mut lesson =
        Lesson::from_prose(Lore::Command, text, 3.0, "a command worked in another form".to_owned());
    lesson.title = title(&format!("Use {worked} instead of {short}"));
    lesson.cure = worked.clone();
    lesson.commands = vec![(short, exit), (worked, 0)];
    lesson.error = Some(error.to_owned());
    lesson
}

fn one_line(text: &str) -> String {
    head(&text.split_whitespace().collect::<Vec<_>>().join(" "), 300).replace('`', "'")
}

/// A command as it is told: without what shortens its output, and without what is of one machine or person only.
fn told(command: &str) -> String {
    let words: Vec<String> = bare(command).split_whitespace().map(impersonal).collect();
    one_line(&words.join(" "))
}

/// A word of a command; serial numbers and the values of keys are left out.
fn impersonal(word: &str) -> String {
    const KEYS: [&str; 6] = ["TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH"];
    if let Some((name, _)) = word.split_once('=')
        && KEYS.iter().any(|key| name.to_ascii_uppercase().contains(key))
    {
        return format!("{name}=…");
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let serial = word.len() >= 6
        && digits >= 4
        && digits * 2 > word.len()
        && word.bytes().all(|b| b.is_ascii_alphanumeric());
    if serial || has_a_hash(word) { "<id>".to_owned() } else { word.to_owned() }
}

/// The line that says best what went wrong, without what is of this run only.
fn error_line(output: &str, rules: &Rules) -> Option<String> {
    let sound = |line: &&str| (10..=300).contains(&line.len()) && !rules.is_measured(line);
    let lines: Vec<&str> = output.lines().map(str::trim).filter(sound).collect();
    let all: Vec<&str> = lines.iter().copied().filter(|line| speaks_of_an_error(line)).collect();
    let own: Vec<&str> = all.iter().copied().filter(|line| !is_passed_on(line)).collect();
    let telling = if own.is_empty() { all } else { own };
    // The last error is what the tool gave up for; a line with a cause behind a colon tells most.
    let told = telling.iter().rev().find(|line| line.contains(": ")).or(telling.last());
    // A tool that says little says it in its first line.
    let line = told.or_else(|| lines.first().filter(|_| lines.len() <= 6))?;
    Some(head(line, 160).replace('"', "'"))
}

/// A line that only says that something called failed: `make: *** [all] Error 2`.
fn is_passed_on(line: &str) -> bool {
    let lower = line.to_lowercase();
    let code = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end();
    lower.starts_with("make") && lower.contains("***")
        || lower.contains("exit code")
        || lower.contains("exit status")
        || lower.contains("exited with")
        || (code.len() < lower.len() && code.ends_with("error"))
}

/// Words in which the two calls differ must be few: another flag, another prefix.
fn differs_in_words(first: &str, second: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (bare(first).split_whitespace().collect(), bare(second).split_whitespace().collect());
    let added = b.iter().filter(|word| !a.contains(word)).count();
    let gone = a.iter().filter(|word| !b.contains(word)).count();
    (1..=4).contains(&added) && gone <= 2 && a != b
}

/// A command without what only shortens its output.
fn bare(command: &str) -> &str {
    let ends = [" | ", " 2>", " >"].iter().filter_map(|mark| command.find(mark));
    command[..ends.min().unwrap_or(command.len())].trim()
}

/// Program and sub-command of what a command line is about: `cargo build` of `cd x && RUST=1 cargo build --release | tail`.
pub(super) fn head_of(command: &str) -> Option<String> {
    let plain = without_substitutions(bare(command));
    let last = plain.rsplit("&& ").next().unwrap_or(&plain);
    let last = last.rsplit("; ").next().unwrap_or(last);
    let mut words = last.split_whitespace().filter(|word| !word.contains('=') || word.starts_with('-'));
    let mut program = words.next()?;
    while matches!(program, "sudo" | "env" | "time" | "npx" | "nice" | "timeout" | "command" | "exec") {
        program = words.next()?;
    }
    let program = program.trim_matches(['\'', '"', '(', ')']);
    let mut words = after_options(words).into_iter();
    let mut sub = || {
        words.next().filter(|word| {
            word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
                && !word.starts_with('-')
                && word.len() <= 24
        })
    };
    let text = match sub() {
        // What `npm run` runs is the next word.
        Some(run @ ("run" | "exec" | "run-script")) => match sub() {
            Some(script) => format!("{program} {run} {script}"),
            None => format!("{program} {run}"),
        },
        Some(sub) => format!("{program} {sub}"),
        None => program.to_owned(),
    };
    (2..=80).contains(&text.len()).then_some(text)
}

/// A command without what a shell puts in first: `$(brew --prefix x)`.
fn without_substitutions(command: &str) -> String {
    let mut parts = command.split("$(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| out.push_str(part.split_once(')').map_or(part, |(_, rest)| rest)));
    out
}

/// The words behind the options that stand before a sub-command: `-C dir`, `--verbose`, `-Dx=y`.
fn after_options<'c>(words: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let mut words: Vec<&str> = words.take(12).collect();
    while let Some(first) = words.first().filter(|word| word.starts_with('-')) {
        let takes_a_value = first.len() == 2 && *first != "-m";
        words.drain(..words.len().min(1 + usize::from(takes_a_value)));
    }
    words
}

/// Commands that only look: they cure nothing, and their exit code is an answer.
fn is_looking(command: &str) -> bool {
    const LOOKING: [&str; 40] = [
        "grep",
        "rg",
        "ag",
        "ls",
        "cat",
        "head",
        "tail",
        "find",
        "fd",
        "which",
        "type",
        "echo",
        "printf",
        "env",
        "printenv",
        "pwd",
        "wc",
        "diff",
        "file",
        "stat",
        "du",
        "df",
        "ps",
        "tree",
        "less",
        "test",
        "jq",
        "awk",
        "sed",
        "cd",
        "sleep",
        "true",
        "false",
        "[",
        "history",
        "date",
        "git status",
        "git log",
        "git diff",
        "git show",
    ];
    let looks = [
        "ls",
        "list",
        "get",
        "describe",
        "logs",
        "log",
        "view",
        "show",
        "info",
        "status",
        "why",
        "outdated",
        "--version",
        "version",
    ];
    let Some(head) = head_of(command) else { return true };
    let program = head.split(' ').next().unwrap_or_default();
    let sub = head.split(' ').nth(1).unwrap_or_default();
    program.starts_with("ls")
        || LOOKING.contains(&program)
        || LOOKING.contains(&head.as_str())
        || looks.contains(&sub)
}

/// Commands about another machine or about data: their errors are not of this repository.
fn is_elsewhere(command: &str) -> bool {
    let head = head_of(command).unwrap_or_default();
    is_fetching(command)
        || matches!(head.split(' ').next(), Some("gh" | "glab" | "ssh" | "psql" | "mysql" | "curl" | "wget"))
}

/// What git does is about one clone; only what it fetches for a build helps others too.
fn is_git(command: &str) -> bool {
    head_of(command).is_some_and(|head| {
        head.split(' ').next() == Some("git") && !matches!(head.as_str(), "git submodule" | "git lfs")
    })
}

/// Files that say how things are built, configured, run or kept apart.
fn is_setting(file: &str) -> bool {
    const NAMES: [&str; 16] = [
        "build",
        "workspace",
        "meson.build",
        "pom.xml",
        "mix.exs",
        "setup.py",
        "dockerfile",
        "makefile",
        "justfile",
        "gemfile",
        "rakefile",
        "procfile",
        "jenkinsfile",
        "vagrantfile",
        "cmakelists.txt",
        "containerfile",
    ];
    const ENDS: [&str; 26] = [
        "bzl",
        "bazel",
        "csproj",
        "props",
        "sbt",
        "gemspec",
        "toml",
        "yaml",
        "yml",
        "json",
        "json5",
        "lock",
        "cfg",
        "ini",
        "conf",
        "env",
        "properties",
        "gradle",
        "kts",
        "mod",
        "sh",
        "cmake",
        "tf",
        "nix",
        "rc",
        "mk",
    ];
    let name = file.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let end = name.rsplit('.').next().unwrap_or_default();
    NAMES.contains(&name.as_str())
        || name.starts_with('.')
        || ENDS.contains(&end)
        || name.contains(".config.")
        || name.ends_with("rc")
}
