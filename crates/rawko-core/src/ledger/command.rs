//! A whole command line in normal form: its steps, what its exit code proves, and the keys it is known by.

use super::place::{At, inside, join};
use super::shell::{self, Join};
use super::step::Step;

/// Programs that show less or more of what is piped into them.
const VIEWERS: &[&str] = &["tail", "head", "cat", "less", "more", "tee", "bat", "column", "nl"];

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As it was given.
    pub text: String,
    /// Where it was started, relative to the root (or absolute, outside).
    pub folder: String,
    runs: Vec<Run>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    join: Join,
    steps: Vec<Step>,
    /// Whether viewers were cut off its end: then its exit code proves nothing.
    masked: bool,
}

impl Command {
    /// Understands a command line.
    pub fn of(text: &str, at: At<'_>) -> Self {
        let start = inside(at, "", at.cwd).unwrap_or_else(|| at.cwd.to_owned());
        let mut folder = start.clone();
        let mut runs = Vec::new();
        for pipeline in shell::parse(text).unwrap_or_default() {
            if let [only] = &pipeline.commands[..] {
                if let Some(next) = changed_folder(&only.words, at, &folder) {
                    folder = next;
                    continue;
                }
                let sets = only.words.first().is_some_and(|word| matches!(word.as_str(), "set" | "export" | "source" | "." | "unset" | "ulimit"));
                let nothing = sets && only.words.len() <= 2 && !only.words.iter().any(|word| word.contains('='));
                if nothing {
                    continue;
                }
            }
            let mut steps: Vec<Step> =
                pipeline.commands.iter().filter_map(|simple| Step::of(simple, at, &folder)).collect();
            let all = steps.len();
            while steps.len() > 1 && steps.last().is_some_and(|step| VIEWERS.contains(&step.program.as_str())) {
                steps.pop();
            }
            if !steps.is_empty() {
                runs.push(Run { join: pipeline.join, masked: steps.len() < all, steps });
            }
        }
        if let Some(first) = runs.first_mut() {
            first.join = Join::First;
        }
        Self { text: text.to_owned(), folder: start, runs }
    }

    /// All its steps, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.runs.iter().flat_map(|run| &run.steps)
    }

    /// The step whose exit code is the command's, where one can tell.
    pub(super) fn last(&self) -> Option<&Step> {
        self.runs.last().filter(|run| !run.masked).and_then(|run| run.steps.last())
    }

    /// The one step that it comes down to: all before it only look, and nothing follows.
    pub(super) fn main(&self) -> Option<&Step> {
        let mut doing = self.runs.iter().filter(|run| !run.steps.iter().all(Step::only_looks));
        let run = doing.next().or(self.runs.first().filter(|_| self.runs.len() == 1))?;
        (doing.next().is_none() && run.steps.len() == 1).then(|| &run.steps[0])
    }

    /// The step that is sure to run first and not only look.
    pub(super) fn first(&self) -> Option<&Step> {
        let mut runs = self.runs.iter().skip_while(|run| run.steps.iter().all(Step::only_looks));
        let run = runs.next().filter(|run| run.join != Join::Or)?;
        (run.steps.len() == 1).then(|| &run.steps[0])
    }

    /// The steps that have succeeded where the command has.
    pub(super) fn proven(&self) -> Vec<&Step> {
        let mut proven = Vec::new();
        for (n, run) in self.runs.iter().enumerate().rev() {
            if run.join == Join::Or && n > 0 {
                break;
            }
            // A pipe's exit code is the last program's: it is the proof of that one alone.
            if let [step] = &run.steps[..] {
                if !run.masked {
                    proven.push(step);
                }
            }
            if run.join != Join::And {
                break;
            }
        }
        proven
    }

    /// Whether it ends in a way that its exit code says nothing about what failed before.
    pub(super) fn is_masked(&self) -> bool {
        self.runs.last().is_some_and(|run| run.masked || run.join == Join::Or)
    }

    /// The one step as it would be written with the package named, or in the package's own folder.
    pub(super) fn aliases(&self, name: &str, folder: &str, module: Option<&str>) -> Vec<String> {
        let Some(step) = self.main() else { return Vec::new() };
        let mut found = Vec::new();
        for flag in step.tool().package {
            let with = format!("{flag}={name}");
            let mut other = step.clone();
            if step.flags.contains(&with) {
                other.flags.retain(|flag| *flag != with);
                other.folder = folder.to_owned();
            } else if step.folder == folder && !folder.is_empty() {
                other.flags.push(with);
                other.folder = String::new();
            } else {
                continue;
            }
            found.push(other.key());
        }
        if let Some(module) = module {
            // `./a/b` is `module/a/b`.
            let mut other = step.clone();
            for word in &mut other.words {
                *word = match word.strip_prefix(module).and_then(|rest| rest.strip_prefix('/')) {
                    Some(rest) => rest.to_owned(),
                    None if word.contains('/') => format!("{module}/{word}"),
                    None => word.clone(),
                };
            }
            found.push(other.key());
        }
        found
    }

    /// What the same command shares with this one.
    pub(super) fn key(&self) -> String {
        if let Some(step) = self.main() {
            return step.key();
        }
        if self.runs.is_empty() {
            let words: Vec<&str> = self.text.split_whitespace().collect();
            return format!("{}\0{}", self.folder, words.join(" "));
        }
        let runs = self.runs.iter().map(|run| {
            let steps: Vec<String> = run.steps.iter().map(Step::key).collect();
            format!("{:?}\u{2}{}", run.join, steps.join("\u{3}"))
        });
        runs.collect::<Vec<_>>().join("\u{4}")
    }
}

/// The folder after a `cd`.
fn changed_folder(words: &[String], at: At<'_>, folder: &str) -> Option<String> {
    let [program, to] = words else { return None };
    if !matches!(program.as_str(), "cd" | "pushd") {
        return None;
    }
    Some(inside(at, folder, to).unwrap_or_else(|| if to.starts_with('/') { to.clone() } else { join(folder, to).unwrap_or_else(|| to.clone()) }))
}
