//! Things that a command asked for by name and that an error says are not there, in any program's words.
//!
//! The grammar is that of sentences, not of tools: a name that the command was
//! given stands next to words of lack. What the command was not given (a symbol
//! of its sources, say) is no root.

use super::absent::{bare, is_notice, is_of_a_phrase, lacks_part};
use super::needs::{given, made, scoped};
use super::{Root, Step, lack, looks_like_path, tools};

/// How far from a quoted name the words may stand, and how far from a bare one.
const FAR: usize = 9;
const NEAR: usize = 3;

/// What a line says is not there and the command was given by name.
pub(super) fn named(step: &Step, line: &str, is_missing: &dyn Fn(&str) -> bool) -> Vec<Root> {
    if is_notice(&line.to_lowercase()) {
        return Vec::new();
    }
    let words: Vec<&str> = line.split_whitespace().take(60).collect();
    let given = given(step);
    // `git-lfs` is what `git lfs` wants.
    let verb = step.sub.as_ref().or(step.words.first());
    let plugin = verb.map(|verb| format!("{}-{verb}", step.program));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (name, quoted) = bare(word);
        // What follows a colon at the end of a line is what the line is about.
        let rest = words[at + 1..].iter().all(|word| !word.contains(|c: char| c.is_alphanumeric()));
        let about = rest && at > 0 && words[at - 1].ends_with(':');
        let reach = if quoted || about { FAR } else { NEAR };
        // What is said of another name is not said of this one.
        let named = |word: &&str| bare(word).1;
        let lists = |word: &&str| bare(word).1 || ["or", "and", "nor"].contains(word);
        let own = words[..at].iter().rposition(|word| !lists(word)).map_or(0, |word| word + 1);
        let start = words[..own].iter().rposition(named).map_or(0, |other| other + 1);
        let before = &words[at.saturating_sub(reach).max(start)..at];
        let end = words[at + 1..].iter().position(named).map_or(words.len(), |other| at + 1 + other);
        let behind = &words[at + 1..end.min(at + 1 + reach)];
        // A bare name behind the words of lack ends what they say: `no such thing: x`.
        let told =
            quoted || before.last().is_none_or(|last| last.ends_with([':', 'd', 't', 's', 'n', 'r', 'e']));
        let lacks = lack::before(before) && told || lack::behind(behind) && !lacks_part(behind);
        if is_of_a_phrase(word) || !lacks {
            continue;
        }
        if plugin.as_deref() == Some(name) {
            return vec![Root::Program(name.to_owned())];
        }
        let forms = [name, after(name, '/'), after(name, ':'), name.trim_end_matches(".service")];
        let form = forms.into_iter().find(|form| form.len() > 1 && given.contains(form));
        // A file that is there is where the error was met, not what is lacking.
        let found_in = |form: &&str| looks_like_path(form) && !is_missing(form);
        found.extend(form.filter(|form| !found_in(form)).map(str::to_owned));
    }
    if found.is_empty() {
        found.extend(unnamed(step, &words));
    }
    found.into_iter().map(|name| Root::Named(scoped(step, &name))).collect()
}

/// What a line says does not run and the command was given by name.
pub(super) fn idle(step: &Step, line: &str, lower: &str) -> Vec<Root> {
    if !lower.contains("not running") {
        return Vec::new();
    }
    let given = given(step);
    let words = line.split_whitespace().take(60).map(|word| bare(word).0);
    let names = words.map(|word| word.trim_end_matches(".service")).filter(|word| given.contains(word));
    names.take(2).map(|name| running(step, name)).collect()
}

/// A thing of this name, which has to run.
fn running(step: &Step, name: &str) -> Root {
    Root::Unready(format!("{} running {name}", tools::family(&step.program)))
}

/// What has to run for a step that goes into it.
pub(super) fn runs(step: &Step) -> Vec<Root> {
    const ENTERS: &[&str] =
        &["exec", "attach", "ssh", "shell", "console", "connect", "enter", "top", "rsh", "port-forward"];
    if !step.has_verb(ENTERS) {
        return Vec::new();
    }
    given(step).into_iter().map(|name| running(step, name)).collect()
}

/// What a line says is there already and the command would make.
pub(super) fn taken(step: &Step, line: &str, lower: &str) -> Vec<Root> {
    const TAKEN: &[&str] =
        &["already exist", "already in use", "already used", "already taken", "already checked out"];
    if !TAKEN.iter().any(|phrase| lower.contains(phrase)) {
        return Vec::new();
    }
    let made = made(step);
    let words = line.split_whitespace().take(60).map(|word| bare(word).0);
    let names = words.flat_map(|word| [word, word.trim_start_matches('/'), after(word, '/')]);
    let mut found: Vec<&str> = names.filter(|name| name.len() > 1 && made.contains(name)).collect();
    found.dedup();
    found.into_iter().take(2).map(|name| Root::Taken(scoped(step, name))).collect()
}

/// Where the line has only the noun, the command has the name: `release not found` of `release edit v1`.
fn unnamed(step: &Step, words: &[&str]) -> Option<String> {
    const MOST: usize = 10;
    if words.len() > MOST {
        return None;
    }
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let (at, noun) = words.iter().enumerate().find_map(|(at, word)| {
        let lacks = lack::behind(&words[at + 1..words.len().min(at + 4)])
            || at > 0 && lack::anywhere(&words[at.saturating_sub(2)..at]) && at + 1 == words.len();
        (lacks && plain(word).len() > 3 && !word.starts_with('-')).then(|| (at, plain(word)))
    })?;
    let is_noun = |word: &str| word == noun || word.strip_suffix('s') == Some(noun.as_str());
    if step.sub.as_deref().is_some_and(is_noun) {
        return step.words.get(1).cloned();
    }
    // `log group` is what `--log-group-name` names.
    let long = at.checked_sub(1).map(|before| format!("{}-{noun}", plain(words[before])));
    let option = step.values().find(|(name, _)| {
        let name = name.trim_start_matches('-').trim_end_matches("-name");
        name == noun || long.as_deref() == Some(name)
    });
    option.map(|(_, value)| value.to_owned())
}

fn after(name: &str, c: char) -> &str {
    name.rsplit(c).next().unwrap_or(name)
}
