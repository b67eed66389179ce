//! What would mend a failure without a file changing: a command that supplies what the error missed.
//!
//! `hints` keeps what the error says would help; `supply` puts the question
//! of a command that succeeded to the other modules: was it asked for, does it
//! bring the name, the package, the server, the right state?

use serde::{Deserialize, Serialize};

use super::command::Command;
use super::failure::{bounded, gist};
use super::place::{At, is_temporary};
use super::root::{
    endpoints, kinds_told, lacks, names_schema, path_tokens, refuses, says_gone, wants_runtime,
};
use super::tools;

mod asked;
mod names;
mod packages;
mod serve;
mod state;
mod supply;

pub(super) use self::packages::brings_what_is_said;
pub(super) use self::serve::is_served_by;
pub(super) use self::supply::{mends, supplies};

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
    /// Of these, what could be installed, published or made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lacks: Vec<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) about: Vec<Matter>,
    /// Verbs of what has to be done first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) first: Vec<String>,
    /// Options and variables that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) settings: Vec<String>,
    /// The kinds of the things that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kinds: Vec<(String, String)>,
    /// The numbers of the versions that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) versions: Vec<String>,
}

impl Hints {
    pub(super) fn is_about(&self, matter: Matter) -> bool {
        self.about.contains(&matter)
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        unite(&mut self.commands, &other.commands, 24);
        unite(&mut self.verbs, &other.verbs, 48);
        unite(&mut self.names, &other.names, 80);
        unite(&mut self.lacks, &other.lacks, 48);
        unite(&mut self.about, &other.about, 16);
        unite(&mut self.first, &other.first, 12);
        unite(&mut self.settings, &other.settings, 24);
        unite(&mut self.kinds, &other.kinds, 24);
        unite(&mut self.versions, &other.versions, 24);
    }
}

fn unite<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T], most: usize) {
    for item in more {
        if !all.contains(item) && all.len() < most {
            all.push(item.clone());
        }
    }
}

/// What an error may be about, of all that a command can put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Matter {
    /// It misses what a migration would bring.
    Schema,
    /// It wants to know who one is.
    Login,
    /// It misses packages.
    Packages,
    /// It wants another version of a language.
    Runtime,
    /// It misses what compiles or links.
    Compiler,
    /// What it would make is there already.
    Exists,
    /// There is no room.
    Room,
    /// It may not.
    Rights,
    /// An address is taken.
    Busy,
    /// Something did not answer.
    Refused,
    /// It misses a device.
    Device,
    /// There are changes that are not committed.
    Dirty,
    /// It says that something is not there, whatever it is.
    Lack,
}

/// What says so.
#[rustfmt::skip]
const SAYS: &[(Matter, &[&str])] = &[
    (Matter::Login, &[
        "unauthorized", "unauthenticated", "log in", "login", "logged in", "credential", "authenticat", "eneedauth", "401", "403", "forbidden",
        "access denied", "denied:", "active account", "token", "permission denied (publickey", "expired", "host key",
    ]),
    (Matter::Packages, &[
        "no module named", "cannot find module", "cannot find package", "cannot load such file", "could not find gem", "can't resolve",
        "module not found", "dependencies", "dependency", "not installed", "node_modules", "err_module_not_found", "no required module provides",
        "unresolved import", "could not resolve", "unchecked dependencies", "class not found", "vendor/autoload", "restore", "no package named",
        "missing go.sum entry", "unable to find package", "no packages exist", "could not find artifact", "no matching package",
        "not found on the path", "could not be found on the path", "not found in path", "cannot find type definition", "package not found", "bundler::", "command not found", "vendor/bin", ".venv/", "venv/bin", "site-packages", "no such module",
    ]),
    (Matter::Exists, &[
        "already exist", "already in use", "still in use", "file exists", "alreadyexists", "already been taken", "is already used", "already checked out", "not empty",
    ]),
    (Matter::Room, &[
        "no space left", "disk full", "disk quota", "not enough space", "enospc", "insufficient space", "not enough free",
    ]),
    (Matter::Rights, &[
        "permission denied", "not permitted", "eacces", "access is denied", "must be owner", "permission to", "error_access", "access denied", "insufficient p",
    ]),
    (Matter::Compiler, &[
        "linker `", "no compiler", "compiler not", "cc: not found", "gcc: not found", "cc: command not found", "gcc: command not found", "g++: command not found", "make: command not found", "native extension", "cmake_c_compiler", "custom build command", "pkg-config", "pkg_config", "pg_config", "mysql_config", "fatal error: ", "could not find directory of", "cannot find -l",
    ]),
    (Matter::Dirty, &["dirty", "uncommitted", "unstaged", "not clean", "local changes", "untracked"]),
    (Matter::Busy, &["address already in use", "eaddrinuse", "address in use"]),
];

/// What an error is about.
fn about(lower: &str) -> Vec<Matter> {
    // `PERMISSION_DENIED` says what `permission denied` does.
    let spaced = lower.replace('_', " ");
    let says =
        |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase) || spaced.contains(phrase));
    let mut found: Vec<Matter> =
        SAYS.iter().filter(|(_, phrases)| says(phrases)).map(|(matter, _)| *matter).collect();
    found.extend(names_schema(lower).then_some(Matter::Schema));
    found.extend(wants_runtime(lower).then_some(Matter::Runtime));
    found.extend(lower.lines().any(misses_device).then_some(Matter::Device));
    found.extend(lower.lines().any(refuses).then_some(Matter::Refused));
    found.extend(lower.lines().any(says_gone).then_some(Matter::Lack));
    found
}

/// What an error says would help.
pub(super) fn hints(error: &str) -> Hints {
    let text = bounded(error);
    let lower = text.to_lowercase();
    let mut hints = Hints {
        commands: commands(&text),
        verbs: verbs(&lower),
        lacks: lacks(&text),
        about: about(&lower),
        first: lower.lines().filter(|line| asks_first(line)).flat_map(verbs).take(12).collect(),
        settings: settings(&text),
        kinds: kinds_told(&text),
        ..Hints::default()
    };
    if hints.is_about(Matter::Runtime) {
        hints.versions = versions(&lower);
    }
    for line in gist(&text, 6) {
        hints.names.extend(quoted(&line).into_iter().chain(path_tokens(&line)).chain(endpoints(&line)));
    }
    hints.names.extend(endpoints(&text));
    for name in &mut hints.names {
        *name = name.trim_start_matches("./").to_owned();
    }
    hints.names.sort();
    hints.names.dedup();
    hints.names.retain(|name| name.len() > 1 && name.len() < 120 && !is_temporary(name));
    hints.names.truncate(40);
    hints
}

/// Whether a line says that something has to be done first, or was not done.
fn asks_first(line: &str) -> bool {
    #[rustfmt::skip]
    const ASKS: &[&str] = &["must first", "first ", "before ", "please ", "need to", "not been", "not yet", "have to", "make sure"];
    ASKS.iter().any(|word| line.contains(word))
}

/// The options and variables that a text names: who sets one of them next has read it.
fn settings(text: &str) -> Vec<String> {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
    let is_variable = |word: &&str| {
        word.len() > 3
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let is_option = |word: &&str| word.len() > 4 && word.starts_with("--") && !word.ends_with('-');
    let mut found: Vec<String> = Vec::new();
    for word in text.split(ends).filter(|word| is_variable(word) || is_option(word)) {
        if !found.iter().any(|known| known == word) && found.len() < 40 {
            found.push(word.to_owned());
        }
    }
    found
}

/// The programs and verbs that a text names.
fn verbs(lower: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let stem = word.strip_suffix("ed").or(word.strip_suffix("ted")).or(word.strip_suffix("ing"));
        let means =
            |verb: &str| stem.is_some_and(|stem| stem == verb || stem.strip_prefix("un") == Some(verb));
        let word = if word == "disabled" { "enable" } else { word };
        let verb = tools::SUPPLIES.iter().find(|verb| word == **verb || means(verb));
        let named =
            verb.map(|verb| (*verb).to_owned()).or_else(|| tools::is_known(word).then(|| word.to_owned()));
        found.extend(named.filter(|word| !found.contains(word)));
        if found.len() > 24 {
            break;
        }
    }
    found
}

/// Whether a line says that no device is there: `no devices found`, `no connected probes`.
pub(super) fn misses_device(line: &str) -> bool {
    let lacks = ["no ", "not ", "cannot", "unable"].iter().any(|word| line.contains(word));
    lacks && ["device", "emulator", "simulator", "probe", "plugged"].iter().any(|word| line.contains(word))
}

/// The numbers in a text, without their dots: `3.13` and `py313` are the same.
pub(super) fn versions(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`(),;:=@".contains(c));
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut found: Vec<String> = words.map(digits).filter(|number| !number.is_empty()).take(24).collect();
    found.sort();
    found.dedup();
    found
}

/// Command lines that a text asks for: in quotes, or at the end of a line.
fn commands(text: &str) -> Vec<(String, String)> {
    let at = At { root: "/", cwd: "/" };
    let mut found = Vec::new();
    let mut take = |line: &str| {
        let command = Command::of(line.trim(), at);
        if let Some(step) = command.main() {
            let sub = step.sub.clone().or_else(|| step.words.first().cloned()).unwrap_or_default();
            let sub = if step.program == "npx" {
                step.words.iter().fold(sub, |all, word| format!("{all} {word}"))
            } else {
                sub
            };
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
        if let Some(at) = ["run: ", "run ", "running: ", "try: ", "try ", "with: "]
            .iter()
            .find_map(|word| Some(lower.rfind(word)? + word.len()))
        {
            take(line.get(at..).unwrap_or_default().trim_end_matches('.'));
        }
        let trimmed = line.trim().trim_start_matches("$ ");
        if line.starts_with("  ") && is_bare_command(trimmed) {
            take(trimmed);
        }
    }
    found.dedup();
    found.truncate(24);
    found
}

/// Whether a line may be a command and nothing else: few words, none of them with the marks of a sentence.
fn is_bare_command(line: &str) -> bool {
    let words = || line.split_whitespace();
    let plain = |word: &str| {
        !word.starts_with(['*', '|', '^', '(', '"']) && !word.ends_with([':', ',', ';', '.', ')'])
    };
    (2..=8).contains(&words().count())
        && words().all(plain)
        && line.starts_with(|c: char| c.is_ascii_lowercase() || "./".contains(c))
}

/// What stands between quotes in a line.
fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    // An apostrophe is no quote.
    let bytes = line.as_bytes();
    let inner = |at: usize| {
        at > 0
            && bytes[at - 1].is_ascii_alphabetic()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
    };
    let plain: String =
        line.char_indices().map(|(at, c)| if c == '\'' && inner(at) { '’' } else { c }).collect();
    for quote in ['"', '\'', '`'] {
        let parts: Vec<&str> = plain.split(quote).collect();
        let inner = parts.iter().enumerate().filter(|(n, _)| n % 2 == 1 && *n + 1 < parts.len());
        found.extend(
            inner.map(|(_, part)| part.trim().to_owned()).filter(|part| !part.is_empty() && part.len() < 120),
        );
    }
    found
}
