//! What would mend a failure without a file changing: a command that supplies what the error missed.

use serde::{Deserialize, Serialize};

use super::command::Command;
use super::failure::{bounded, floor, gist};
use super::place::At;
use super::root::{Root, endpoints, path_tokens, step_endpoints, talks};
use super::step::Step;
use super::tools;

/// What an error says would help.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Hints {
    /// Commands it asks for: program and subcommand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) commands: Vec<(String, String)>,
    /// Programs and verbs that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) verbs: Vec<String>,
    /// Names of what is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) names: Vec<String>,
}

impl Hints {
    pub(super) fn absorb(&mut self, other: &Self) {
        unite(&mut self.commands, &other.commands, 24);
        unite(&mut self.verbs, &other.verbs, 48);
        unite(&mut self.names, &other.names, 80);
    }
}

fn unite<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T], most: usize) {
    for item in more {
        if !all.contains(item) && all.len() < most {
            all.push(item.clone());
        }
    }
}

/// What an error says would help.
pub(super) fn hints(error: &str) -> Hints {
    let text = bounded(error);
    let mut hints = Hints { commands: commands(&text), ..Hints::default() };
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let verb = tools::SUPPLIES.iter().find(|verb| word == **verb || word.strip_suffix("ed").or(word.strip_suffix("ted")).or(word.strip_suffix("ing")).is_some_and(|stem| stem == **verb || stem.strip_prefix("un") == Some(verb)));
        let named = verb.map(|verb| (*verb).to_owned()).or_else(|| tools::is_known(word).then(|| word.to_owned()));
        hints.verbs.extend(named.filter(|word| !hints.verbs.contains(word)));
        if hints.verbs.len() > 24 {
            break;
        }
    }
    for line in gist(&text, 6) {
        hints.names.extend(quoted(&line).into_iter().chain(path_tokens(&line)).chain(endpoints(&line)));
    }
    hints.names.extend(endpoints(&text));
    hints.names.sort();
    hints.names.dedup();
    hints.names.retain(|name| name.len() > 1 && name.len() < 120);
    hints.names.truncate(40);
    hints
}

/// Command lines that a text asks for: in quotes, or at the end of a line.
fn commands(text: &str) -> Vec<(String, String)> {
    let at = At { root: "/", cwd: "/" };
    let mut found = Vec::new();
    let mut take = |line: &str| {
        let command = Command::of(line.trim(), at);
        if let Some(step) = command.main().filter(|step| tools::is_known(&step.program)) {
            let sub = step.sub.clone().or_else(|| step.words.first().cloned()).unwrap_or_default();
            let sub = if step.program == "npx" { step.words.iter().fold(sub, |all, word| format!("{all} {word}")) } else { sub };
            if !sub.is_empty() {
                found.push((step.program.clone(), sub));
            }
        }
    };
    for line in text.lines().filter(|line| line.len() < 400).take(200) {
        for part in quoted(line) {
            if part.contains(' ') {
                take(&part);
            }
        }
        let lower = line.to_ascii_lowercase();
        if let Some(at) = ["run: ", "run ", "running: ", "try: ", "try ", "with: "].iter().find_map(|word| Some(lower.rfind(word)? + word.len())) {
            take(line.get(at..).unwrap_or_default().trim_end_matches('.'));
        }
        let trimmed = line.trim().trim_start_matches("$ ");
        if line.starts_with("  ") && tools::is_known(trimmed.split(' ').next().unwrap_or_default()) {
            take(trimmed);
        }
    }
    found.dedup();
    found.truncate(12);
    found
}

/// What stands between quotes in a line.
fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '\'', '`'] {
        let parts: Vec<&str> = line.split(quote).collect();
        let inner = parts.iter().enumerate().filter(|(n, _)| n % 2 == 1 && *n + 1 < parts.len());
        found.extend(inner.map(|(_, part)| part.trim().to_owned()).filter(|part| !part.is_empty() && part.len() < 120));
    }
    found
}

/// Whether a step that succeeded supplies what a failure missed.
pub(super) fn mends(failed: &Step, roots: &[Root], hints: &Hints, step: &Step, output: &str) -> bool {
    if answers(step, failed, roots) {
        return true;
    }
    if step.only_looks() || !step.has_verb(tools::SUPPLIES) {
        return false;
    }
    let elsewhere = step.folder != failed.folder && !step.tool().folder.is_empty() && step.program == failed.program && step.reads_sources();
    let sub = step.sub.as_deref().unwrap_or_default();
    let asked = hints.commands.iter().any(|(program, asked)| {
        let mut words = asked.split(' ');
        *program == step.program && words.next() == Some(sub) && words.all(|word| step.words.iter().any(|mine| mine == word))
    });
    if asked && !elsewhere {
        return true;
    }
    // The failed program's own verb, or one that the error names with its program: `git commit` where changes are not committed.
    let named = |word: &str| hints.verbs.iter().any(|verb| verb == word);
    let verb = sub.split(' ').next_back().unwrap_or_default();
    // A pull is a fetch and more.
    let named_verb = named(verb) || verb == "pull" && (named("fetch") || named("merge"));
    if !elsewhere && named_verb && (named(&step.program) || step.program == failed.program) && sub != failed.sub.as_deref().unwrap_or_default() {
        return true;
    }
    if refuses(roots) {
        return starts_it(step, roots, output);
    }
    supplies_name(step, roots, hints, output)
}

/// Whether a step that succeeded has reached what had refused.
fn answers(step: &Step, failed: &Step, roots: &[Root]) -> bool {
    let reached = step_endpoints(step);
    roots.iter().any(|root| match root {
        Root::Refuses(place) => reached.contains(place),
        Root::Service(_) => step.program == failed.program && talks(step),
        _ => false,
    })
}

fn refuses(roots: &[Root]) -> bool {
    roots.iter().any(|root| matches!(root, Root::Refuses(_) | Root::Service(_)))
}

/// Whether a command that starts something started what had refused: it names the port, or no port at all.
fn starts_it(step: &Step, roots: &[Root], output: &str) -> bool {
    if !step.has_verb(tools::STARTS) {
        return false;
    }
    let wanted: Vec<&str> = roots.iter().filter_map(|root| match root {
        Root::Refuses(place) => place.rsplit_once(':').map(|(_, port)| port),
        _ => None,
    }).collect();
    let text = format!("{} {}", step.raw.join(" "), output);
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() >= 4 && number.len() <= 5).collect();
    let ports = |number: &&&str| number.parse::<u32>().is_ok_and(|port| (1024..65536).contains(&port));
    numbers.iter().any(|number| wanted.contains(number)) || wanted.is_empty() || numbers.iter().filter(ports).count() == 0
}

/// Whether a command names what was missing.
fn supplies_name(step: &Step, roots: &[Root], hints: &Hints, output: &str) -> bool {
    let absent = roots.iter().filter_map(|root| match root {
        Root::Absent(name) | Root::Program(name) | Root::Missing(name) => Some(name.as_str()),
        _ => None,
    });
    let wanted: Vec<&str> = absent.chain(hints.names.iter().map(String::as_str)).collect();
    let words = step.words.iter().chain(&step.tail).chain(&step.flags);
    let mut parts = words.flat_map(|word| word.split(|c: char| c.is_whitespace() || "();,'\"=@:".contains(c)).chain([word.as_str()]));
    // What an installer says it installed: `name-1.2.3`, `name@1.2.3`.
    let installs = step.has_verb(&["install", "add", "ci", "sync", "restore", "download", "pull"]);
    let told = || output[..floor(output, output.len().min(8192))].split_whitespace().filter(|_| installs);
    let is_told = |name: &&str| told().any(|word| word.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', '=', ','])));
    if wanted.iter().filter(|name| name.len() > 2).any(|name| is_told(name)) {
        return true;
    }
    parts.any(|part| part.len() > 1 && wanted.iter().any(|name| *name == part || name.strip_prefix(part).is_some_and(|rest| rest.starts_with(['/', '=', '@', '.']))))
}
