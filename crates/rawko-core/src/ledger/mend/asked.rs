//! What an error asks for: a command, a verb, an option, a setting.

use super::super::root::{Root, is_in_another, kinds_said};
use super::super::step::Step;
use super::super::tools;
use super::Hints;
use super::names::{is_sibling, stem};
use super::supply::is_project;

/// Whether the error asks for it: the command itself, or the verb of a program that it names.
pub(super) fn is_asked(failed: &Step, hints: &Hints, step: &Step) -> bool {
    let sub = step.sub.as_deref().unwrap_or_default();
    let elsewhere = step.folder != failed.folder && step.program == failed.program && is_project(step);
    let asked = hints.commands.iter().any(|(program, asked)| {
        let mut words = asked.split(' ');
        let first = words.next();
        *program == step.program
            && (first == Some(sub) || sub.is_empty() && first == step.words.first().map(String::as_str))
            && words.all(|word| step.words.iter().any(|mine| mine == word))
    });
    if asked && !elsewhere {
        return true;
    }
    // The failed program's own verb, or one that the error names with its program: `git commit` where changes are not committed.
    let named = |word: &str| hints.verbs.iter().any(|verb| verb == word);
    let verb = sub.split(' ').next_back().unwrap_or_default();
    // A pull is a fetch and more.
    let second = step.words.first().filter(|word| tools::SUPPLIES.contains(&word.as_str()));
    let named_verb = named(verb)
        || verb == "pull" && (named("fetch") || named("merge"))
        || second.is_some_and(|word| named(word) && failed.words.first() != Some(word));
    !elsewhere
        && named_verb
        && (named(&step.program) || step.program == failed.program)
        && (sub != failed.sub.as_deref().unwrap_or_default() || second.is_some())
}

/// Whether it sets what the failed program goes by, in words that the error or the failed command has: `config pull.rebase true`.
pub(super) fn sets_what_is_said(failed: &Step, hints: &Hints, step: &Step) -> bool {
    let config = step.program == failed.program && step.has_verb(&["config", "configure", "set"]);
    let words = step.words.iter().filter(|word| !matches!(word.as_str(), "set" | "get" | "true" | "false"));
    let parts = words.flat_map(|word| word.split(['.', '-', '_', '='])).filter(|part| part.len() > 2);
    let verb = failed.sub.as_deref().unwrap_or_default();
    let known = |part: &str| {
        part == verb || hints.names.iter().chain(&hints.settings).any(|name| name.contains(part))
    };
    config && step.sub != failed.sub && parts.into_iter().any(known)
}

/// Whether it does, to a thing that the error names, what the error says has not been done: `x has not been pushed`.
pub(super) fn does_what_is_said(failed: &Step, hints: &Hints, step: &Step, error: &[String]) -> bool {
    let verb = step.sub.as_deref().unwrap_or_default();
    let other = step.program != failed.program && tools::SUPPLIES.contains(&verb);
    if other
        && hints.first.iter().any(|first| first == verb)
        && tools::share_names(&step.program, &failed.program)
    {
        return true;
    }
    let said = |word: &str| error.iter().flat_map(|line| line.split_whitespace()).any(|other| other == word);
    let things = step.words.iter().flat_map(|word| word.rsplit('/').next()).filter(|word| word.len() > 3);
    other && hints.verbs.iter().any(|known| known == verb) && things.into_iter().any(said)
}

/// Whether it makes a thing by a name that the error has and the failed one was not given.
pub(super) fn makes_what_is_said(failed: &Step, step: &Step, error: &[String]) -> bool {
    let is_word = |word: &str| tools::SUPPLIES.contains(&word) || tools::is_known(word);
    let own = |name: &str| failed.raw_words().any(|word| stem(word) == stem(name));
    let ends = |c: char| c.is_whitespace() || "\"'`,;()[]".contains(c);
    let said = |name: &str| {
        error.iter().flat_map(|line| line.split(ends)).any(|word| word.trim_end_matches([':', '.']) == name)
    };
    let made = step.words.iter().map(String::as_str).filter(|word| word.len() > 3 && !is_word(word));
    let makes = step.has_verb(tools::CREATES) && !step.only_looks() && !is_sibling(failed, step);
    makes && made.into_iter().any(|name| !own(name) && said(name))
}

/// Whether it makes the thing that the error says is lacking, of the kind that the error says it is: `create namespace x`.
pub(super) fn makes_the_thing(failed: &Step, roots: &[Root], hints: &Hints, step: &Step) -> bool {
    let lacking = |name: &str| roots.iter().filter_map(Root::name).any(|lacking| lacking == name);
    let made = |kind: &String, name: &String| lacking(name) && kinds_said(step, name).contains(kind);
    let plain = |name: &str| step.words.iter().any(|word| word == name) && !is_in_another(failed, step, name);
    step.has_verb(tools::CREATES) && hints.kinds.iter().any(|(kind, name)| plain(name) && made(kind, name))
}

/// Whether the failed program itself is made ready, as a whole: `x start`, `x init`, `x install`, where something was lacking.
pub(super) fn prepares(failed: &Step, roots: &[Root], hints: &Hints, step: &Step) -> bool {
    const PREPARES: &[&str] =
        &["start", "up", "init", "install", "setup", "bootstrap", "create", "restore", "sync"];
    let verb = step.sub.as_deref().or(step.words.first().map(String::as_str)).unwrap_or_default();
    let whole = step.words.iter().all(|word| word == verb) && PREPARES.contains(&verb);
    let lacks = roots
        .iter()
        .any(|root| matches!(root, Root::Absent(_) | Root::Named(_) | Root::Target(_) | Root::Unready(_)));
    let elsewhere = step.folder != failed.folder && is_project(step);
    whole
        && (lacks || !hints.lacks.is_empty())
        && step.program == failed.program
        && step.sub != failed.sub
        && !elsewhere
}
