//! What was lacking by its name, and a command that has the name in its words, its files or its output.

use super::super::failure::floor;
use super::super::place::looks_like_path;
use super::super::root::{Root, is_in_another};
use super::super::step::Step;
use super::super::tools;
use super::Hints;
use super::packages::is_called_otherwise;

/// A name without its version: another version of the same is the same name.
pub(super) fn stem(name: &str) -> &str {
    let at = name.get(1..).and_then(|rest| rest.find(['=', '@', '<', '>', '~', '^', '!'])).map(|at| at + 1);
    at.map_or(name, |at| &name[..at])
}

/// The parts of the names of files that it runs: `grant_x.sql` grants, `create-db.sh` creates.
pub(super) fn file_parts(step: &Step) -> impl Iterator<Item = &str> {
    file_stems(step).flat_map(|stem| stem.split(['_', '-', '.']))
}

fn file_stems(step: &Step) -> impl Iterator<Item = &str> {
    let files = step.raw_words().chain([step.program.as_str()]).filter(|word| looks_like_path(word));
    files.filter_map(|path| Some(path.rsplit('/').next()?.rsplit_once('.')?.0))
}

/// Whether a command names what was missing.
pub(super) fn supplies_name(failed: &Step, step: &Step, roots: &[Root], hints: &Hints, output: &str) -> bool {
    // What builds a file mostly names it without its folder.
    let built = roots.iter().filter_map(|root| match root {
        Root::Missing(path) => path.rsplit('/').next(),
        _ => None,
    });
    let absent = roots.iter().filter_map(Root::name).chain(built);
    let sibling = is_sibling(failed, step);
    // What both are told is not what the one lacked, unless the error says so.
    let own = |name: &str| failed.raw_words().any(|word| stem(word) == stem(name));
    let named = hints.names.iter().map(String::as_str).filter(|name| !own(name));
    let wanted: Vec<&str> = absent.filter(|name| !sibling || !own(name)).chain(named).collect();
    let words = step.words.iter().chain(&step.tail).chain(&step.flags).chain(&step.reads);
    let mut parts = words.flat_map(|word| {
        let address = word.split_once("://").and_then(|(_, place)| place.split('/').next());
        word.split(|c: char| c.is_whitespace() || "();,'\"=@:".contains(c))
            .chain(word.split('/').filter(|_| word.contains("://") || word.contains(':')))
            .chain([word.as_str()])
            .chain(address)
    });
    // What an installer says it installed: `name-1.2.3`, `name@1.2.3`.
    let installs = step.has_verb(tools::INSTALLS);
    let brings =
        installs || step.has_verb(tools::CREATES) || step.has_verb(&["apply"]) || step.makes_in_code();
    let told = || output[..floor(output, output.len().min(8192))].split_whitespace().filter(|_| brings);
    let is_told = |name: &&str| {
        told().any(|word| {
            let word = word.trim_matches(|c: char| "\"'`()[],.:;".contains(c));
            let word = word.rsplit('/').next().filter(|_| !name.contains('/')).unwrap_or(word);
            word.strip_prefix(*name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', '=', ',']))
        })
    };
    if roots.iter().filter_map(Root::name).any(|name| is_in_another(failed, step, name)) {
        return false;
    }
    if !sibling && wanted.iter().filter(|name| name.len() > 2).any(is_told) {
        return true;
    }
    if installs && !sibling && is_called_otherwise(failed, step, roots, hints) {
        return true;
    }
    let within = |stem: &str| {
        let stem = format!("_{}_", stem.replace('-', "_"));
        wanted.iter().any(|name| name.len() > 4 && stem.contains(&format!("_{}_", name.replace('-', "_"))))
    };
    if !sibling && file_stems(step).any(within) {
        return true;
    }
    parts.any(|part| {
        part.len() > 1
            && wanted.iter().any(|name| {
                *name == part
                    || name.strip_prefix(part).is_some_and(|rest| rest.starts_with(['/', '=', '@', '.']))
            })
    })
}

/// Whether a command that brings things brings one whose name shares a part with what was lacking.
pub(super) fn supplies_part(failed: &Step, step: &Step, hints: &Hints, output: &str) -> bool {
    const BRINGS: &[&str] = &[
        "apply", "create", "deploy", "build", "push", "import", "load", "generate", "gen", "release",
        "package",
    ];
    if !step.has_verb(tools::INSTALLS) && !step.has_verb(BRINGS) {
        return false;
    }
    let pieces = |text: &str| -> Vec<String> {
        // A file's ending says nothing of what is in it.
        let text = text.rsplit_once('.').filter(|_| looks_like_path(text)).map_or(text, |(stem, _)| stem);
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| part.len() >= 4);
        let named = parts.filter(|part| part.bytes().any(|byte| byte.is_ascii_alphabetic()));
        named
            .map(|part| part.to_ascii_lowercase())
            .map(|part| part.strip_suffix('s').map(str::to_owned).unwrap_or(part))
            .collect()
    };
    let sibling = is_sibling(failed, step);
    // What both are told is not what the one lacked.
    let told =
        step.raw.iter().skip(1).filter(|word| !failed.raw_words().any(|mine| stem(mine) == stem(word)));
    let mut given: Vec<String> = told.flat_map(|word| pieces(word)).collect();
    if !sibling || step.has_verb(&["apply"]) {
        given.extend(pieces(&output[..floor(output, output.len().min(4096))]));
    }
    hints.lacks.iter().flat_map(|name| pieces(name)).any(|piece| given.contains(&piece))
}

/// Whether two runs are of one kind: the second is no remedy because it is like the first.
pub(super) fn is_sibling(failed: &Step, step: &Step) -> bool {
    failed.program == step.program
        && failed.sub == step.sub
        && (step.sub.is_some() && !says_verb(failed, step) || failed.words.first() == step.words.first())
        && failed.has_verb(tools::CREATES) == step.has_verb(tools::CREATES)
}

/// Whether what follows their subcommand is a verb of one of two runs: `release create` and `release upload`.
fn says_verb(failed: &Step, step: &Step) -> bool {
    let verb =
        |word: &String| tools::CREATES.contains(&word.as_str()) || tools::REMOVES.contains(&word.as_str());
    failed.words.first().is_some_and(verb) || step.words.first().is_some_and(verb)
}
