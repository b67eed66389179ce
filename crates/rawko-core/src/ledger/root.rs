//! What an error says is missing, refusing or broken, and which commands need it.
//!
//! A root is a thing, not a command: a file that is not there, a port that
//! nobody listens on, a program that is not installed. Whoever needs the same
//! thing fails as well, until somebody supplies it. `roots` reads the error,
//! `needs` the next command; the two meet in equal roots. `lack` is
//! the grammar of what is not there, the other modules a kind of thing each.

mod absent;
mod broken;
mod endpoint;
mod inner;
mod kinds;
mod lack;
mod named;
mod needs;
mod program;
mod sources;
mod surroundings;
mod unready;

use serde::{Deserialize, Serialize};

use super::command::Command;
use super::failure::bounded;
use super::place::{At, inside, join, looks_like_path};
use super::step::Step;
use super::{Move, tools};

pub(super) use self::absent::{lacks, names_schema};
pub(super) use self::endpoint::{endpoints, refuses, step_endpoints};
pub(super) use self::kinds::{said as kinds_said, told as kinds_told};
pub(super) use self::needs::{is_elsewhere, is_in_another, kind_of, needs, service_key, step_needs, talks};
pub(super) use self::program::wants_runtime;
pub(super) use self::unready::misses_variable;

/// A thing that an error named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Root {
    /// A file or folder that is not there, relative to the root.
    Missing(String),
    /// A place that refuses connections: host and port.
    Refuses(String),
    /// A branch, container, namespace … of this name that does not exist.
    Absent(String),
    /// A database, table, role … of this name that does not exist.
    Datum(String),
    /// A program that is not installed.
    Program(String),
    /// What this kind of program talks to, with the options that say where, does not answer.
    Service(String),
    /// A script that stops before it looks at its arguments.
    Script(String),
    /// A move that failed inside the one that was made.
    Inner(String),
    /// A file or folder that this kind of program cannot read.
    Broken(String),
    /// A program that wants to be set up first: to be initialised, to know a remote, to be logged in.
    Unready(String),
    /// A task, target or script that this kind of program does not know.
    Target(String),
    /// A module that cannot be imported.
    Module(String),
    /// A port that is taken.
    Busy(String),
    /// A thing of this name that this kind of program does not find.
    Named(String),
    /// A thing of this name that this kind of program has already.
    Taken(String),
}

impl Root {
    /// The name that it has, where it is of a thing that has one.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Absent(name) | Self::Datum(name) | Self::Missing(name) | Self::Module(name) => Some(name),
            Self::Program(name) => name.rsplit(' ').next(),
            Self::Target(name) | Self::Named(name) | Self::Taken(name) => {
                name.split_once(' ').map(|(_, name)| name)
            }
            _ => None,
        }
    }

    /// The text it is looked up by; a move inside another is looked up as if it were made by itself.
    pub fn key(&self) -> String {
        match self {
            Self::Inner(key) => key.clone(),
            thing => format!("{thing:?}"),
        }
    }
}

/// Whether a line speaks of files: only then a bare name in it is a file's, and not a module's.
fn speaks_of_files(lower: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &["file", "open", "read", "stat", "directory", "access", "enoent", "rule to make", "path", "load"];
    WORDS.iter().any(|word| lower.contains(word)) && !lower.contains("module")
}

/// What an error says is missing, refusing or broken. `is_missing` knows whether a path below the root is not there.
pub(super) fn roots(moved: &Move, at: At<'_>, error: &str, is_missing: &dyn Fn(&str) -> bool) -> Vec<Root> {
    let text = bounded(error);
    let mut found = Vec::new();
    let (step, folder) = match moved {
        Move::Command(command) => {
            let step = command.blamed(&text);
            (step, step.map_or(&command.folder, |step| &step.folder).clone())
        }
        _ => (None, String::new()),
    };
    for line in text.lines().take(400) {
        let lower = line.to_lowercase();
        let gone = gone_paths(step, line, &lower).into_iter();
        found.extend(gone.filter_map(|path| resolve(at, &folder, &path, is_missing)).map(Root::Missing));
        found.extend(line_roots(step, line, &lower, &text));
        if let Some(step) = step {
            let missing = |path: &str| join(step.base(), path).is_none_or(|path| is_missing(&path));
            found.extend(named::named(step, line, &missing));
            found.extend(named::taken(step, line, &lower));
            found.extend(named::idle(step, line, &lower));
            found.extend(lost_folder(step, line, &lower).filter(|path| is_missing(path)).map(Root::Missing));
        }
    }
    found.extend(absent::described(&text).into_iter().map(Root::Absent));
    let listed = listed(&text).into_iter().filter_map(|path| resolve(at, &folder, &path, is_missing));
    found.extend(listed.map(Root::Missing));
    if let Move::Command(command) = moved {
        if let Some(step) = step {
            found.extend(step_roots(step, &text, &found));
            let gone = found.iter().filter_map(|root| match root {
                Root::Missing(path) => Some(path.clone()),
                _ => None,
            });
            let gone: Vec<String> = gone.collect();
            found.extend(broken::broken(step, at, &text, &gone, is_missing));
        }
        found.extend(inner::inner(command, at, &text));
    }
    found.retain(|root| !matches!(root, Root::Inner(key) if *key == moved.key()));
    let mut seen = Vec::new();
    found.retain(|root| {
        !seen.contains(root) && {
            seen.push(root.clone());
            true
        }
    });
    found.truncate(16);
    found
}

/// The paths in the lines below one that says that files are not there: `missing input files:`.
fn listed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().take(400).peekable();
    while let Some(line) = lines.next() {
        let lower = line.to_lowercase();
        let gone = line.trim_end().ends_with(':') && speaks_of_files(&lower) && says_gone(line);
        while gone && lines.peek().is_some_and(|next| next.starts_with([' ', '\t'])) {
            found.extend(path_tokens(lines.next().unwrap_or_default()));
        }
    }
    found.truncate(8);
    found
}

/// Whether a line says that something is not there.
pub(super) fn says_gone(line: &str) -> bool {
    lack::anywhere(&line.split_whitespace().collect::<Vec<_>>()) || line.contains("o rule to make target")
}

/// The paths that a line says are not there.
fn gone_paths(step: Option<&Step>, line: &str, lower: &str) -> Vec<String> {
    if !says_gone(line) {
        return Vec::new();
    }
    let of_files = speaks_of_files(lower);
    // A program that ran is there, whatever it says of itself.
    let ran = |path: &String| {
        let name = step.and_then(|step| step.raw.first()).filter(|name| name.ends_with(path.as_str()));
        name.is_some_and(|name| !lower.contains(&format!("{}: ", name.to_lowercase())))
    };
    let paths = path_tokens(line).into_iter();
    // Elsewhere, what has slashes and no ending is as well a key, an image or a provider.
    let ends = |path: &str| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let is_file = |path: &str| {
        let named = path.starts_with('/') || !lower.contains("module");
        path.contains('/') && named && (ends(path) || path.starts_with('.'))
    };
    let paths = paths.filter(|path| of_files || is_file(path));
    paths.filter(|path| !ran(path)).collect()
}

/// The folder that a step was sent to, where a line says that it is not there: `chdir to 'x'`, `cd: x: No such …`.
fn lost_folder(step: &Step, line: &str, lower: &str) -> Option<String> {
    if step.folder.is_empty() || !says_gone(line) && !lower.contains("can't cd") {
        return None;
    }
    let mut words = line.split_whitespace().map(|word| absent::bare(word).0);
    words
        .any(|word| step.folder == word || step.folder.ends_with(&format!("/{word}")))
        .then(|| step.folder.clone())
}

/// What a single line names.
fn line_roots(step: Option<&Step>, line: &str, lower: &str, text: &str) -> Vec<Root> {
    let missing = program::missing(lower, line, text);
    // What a starter does not find is not in its surroundings.
    let around = |name: String| match step.filter(|step| step.program == name) {
        Some(step) => needs::program_of(step),
        None => name,
    };
    let mut found: Vec<Root> = missing.map(around).map(Root::Program).into_iter().collect();
    if endpoint::refuses(lower) {
        found.extend(endpoints(line).into_iter().map(Root::Refuses));
    }
    found.extend(endpoint::unknown_host(line, lower).map(Root::Refuses));
    if endpoint::is_taken(lower) {
        found.extend(endpoint::ports(line).into_iter().map(Root::Busy));
    }
    found.extend(absent::absent(line, lower));
    found.extend(absent::addresses(line).into_iter().map(Root::Absent));
    found.extend(absent::module(line, lower).map(Root::Module));
    if let Some(step) = step {
        let target = absent::target(line, lower).into_iter().chain(absent::unpublished(step, line, lower));
        found.extend(absent::repeated(step, line, lower));
        found.extend(target.map(|name| Root::Target(needs::scoped(step, &name))));
    }
    found
}

/// What the whole error says of the one program that ran.
fn step_roots(step: &Step, text: &str, known: &[Root]) -> Vec<Root> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    // Where the error does not say whom it could not reach, the command does.
    if !known.iter().any(|root| matches!(root, Root::Refuses(_))) {
        let places = step_endpoints(step).into_iter();
        if lower.lines().any(endpoint::distrusts) {
            found.extend(places.map(|place| Root::Unready(format!("certificate {place}"))));
        } else if lower.lines().any(endpoint::refuses) {
            found.extend(places.map(Root::Refuses));
        }
    }
    found.extend(stops_early(step, &lower));
    found.extend(service(step, &lower));
    found.extend(unready::unready(step, &lower));
    found.extend(program::unstartable(step, &lower));
    found.extend(program::unresolved(step, &lower));
    found.extend(program::unset(step, &lower));
    found.extend(surroundings::about(step, &lower));
    found.extend(sources::told(step, text));
    found
}

/// The path below the root that a token means, if it is not there.
fn resolve(at: At<'_>, folder: &str, token: &str, is_missing: &dyn Fn(&str) -> bool) -> Option<String> {
    // `/x` of a build's context is x; a path of the system is nobody's.
    #[rustfmt::skip]
    const SYSTEM: &[&str] = &[
        "usr", "etc", "var", "opt", "home", "root", "tmp", "lib", "lib64", "bin", "sbin", "dev", "proc", "sys", "run", "mnt", "srv", "private",
        "Users", "Library", "nix", "snap", "app", "workspace", "src",
    ];
    let context =
        token.strip_prefix('/').filter(|rest| !SYSTEM.contains(&rest.split('/').next().unwrap_or_default()));
    let token = context.filter(|_| inside(at, folder, token).is_none()).unwrap_or(token);
    let here = inside(at, folder, token).filter(|path| !path.is_empty())?;
    let above = inside(at, "", token).filter(|path| !path.is_empty());
    // A path is often meant from the root: only what is at neither place is missing.
    (is_missing(&here) && above.as_ref().is_none_or(|path| is_missing(path))).then_some(here)
}

/// Words in a line that may name a file, without quotes and places (`:12:5`).
pub(super) fn path_tokens(line: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`()<>{},;|“”‘’".contains(c);
    let words = line.split(ends).map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?', ']']).trim_start_matches('[');
        // `file.cs:line` 12
        let word = word.strip_suffix(":line").unwrap_or(word);
        let mut word = word.split("::").next().unwrap_or(word);
        // `file.rs:12:5`, `file.ts(3`, `user-data.tmpl:`
        while let Some((head, last)) = word.rsplit_once(':') {
            if head.is_empty() || !last.bytes().all(|byte| byte.is_ascii_digit()) {
                break;
            }
            word = head;
        }
        word.rsplit_once(':').filter(|(head, _)| !head.contains('/')).map_or(word, |(_, path)| path)
    });
    words.filter(|word| looks_like_path(word)).map(str::to_owned).take(40).collect()
}

/// The script or family of tasks that stops before it looks at what it is told.
fn stops_early(step: &Step, lower: &str) -> Option<Root> {
    #[rustfmt::skip]
    const EARLY: &[&str] = &[
        "modulenotfounderror", "no module named", "cannot find module", "syntaxerror", "syntax error", "importerror", "loaderror",
        "cannot load such file", "parse error", "err_module_not_found", "cannot find package", "failed opening required", "failed to open stream",
    ];
    // `./run: Permission denied`, whatever it is told.
    let program = step.program.to_lowercase();
    if lower.lines().any(|line| line.contains(&format!("{program}: permission denied"))) {
        return executed(step);
    }
    let unset = unready::misses_variable(lower) || lower.lines().any(|line| lacks_inside(step, line));
    (unset || EARLY.iter().any(|phrase| lower.contains(phrase))).then(|| script(step)).flatten()
}

/// Whether a line says in which of a script's own lines something was lacking that the script was not told of.
fn lacks_inside(step: &Step, lower: &str) -> bool {
    let Some((script, rest)) = lower.split_once(": line ") else { return false };
    let own = |word: &String| word.len() > 1 && rest.contains(&word.to_lowercase());
    let words: Vec<&str> = rest.split_whitespace().collect();
    looks_like_path(script) && lack::anywhere(&words) && !step.words.iter().any(own)
}

/// A script that is started as a program, which a shell need not be able to.
fn executed(step: &Step) -> Option<Root> {
    let by_shell = step.via.iter().any(|via| via == "sh");
    match script(step).filter(|_| !by_shell) {
        Some(Root::Script(name)) => Some(Root::Script(format!("{name} x"))),
        _ => None,
    }
}

/// The script that an interpreter is given.
fn script(step: &Step) -> Option<Root> {
    let interprets = tools::interprets(&step.program);
    let path = step.words.first().filter(|word| interprets && looks_like_path(word));
    // `python -m x` is the script x.
    let module = step.raw.get(1).filter(|word| *word == "-m" && !tools::is_known(&step.program));
    if module.is_some() {
        let (env, via) = (step.env.join(" "), step.via.join(" "));
        return Some(Root::Script(format!("-m {} {} {env} {via}", step.program, step.folder)));
    }
    let path = path
        .map(String::as_str)
        .or_else(|| step.program.starts_with("./").then_some(step.program.as_str()))?;
    let via: Vec<&str> = step.via.iter().map(String::as_str).filter(|via| *via != "sh").collect();
    let (path, env, via) = (join(step.base(), path)?, step.env.join(" "), via.join(" "));
    Some(Root::Script(format!("{} {path} {env} {via}", step.program)))
}

/// What a program talks to, where neither its command nor its error can be asked for another.
fn service(step: &Step, lower: &str) -> Vec<Root> {
    let refuses = lower.lines().any(endpoint::refuses);
    let silent = silent(lower);
    let daemon = lower.contains("daemon")
        && (refuses || lower.contains("daemon running") || lower.contains("not running"))
        && silent.is_none_or(|family| family == tools::family(&step.program));
    // A build or a package manager talks to nobody by itself.
    let builds = tools::is_known(&step.program)
        && !step.tool().far
        && !step.tool().manifests.is_empty()
        && !step.has_verb(tools::INSTALLS);
    let general =
        step.reads_sources() || builds || tools::is_general(&step.program) || step.program.starts_with("./");
    let told = !step_endpoints(step).is_empty() && step.tool().port.is_none();
    let answers = daemon || refuses && !told && step.tool().port.is_none();
    let own = service_key(step).filter(|key| answers && (daemon || !general || key.contains(' ')));
    let other = silent.filter(|family| *family != tools::family(&step.program));
    // Whom it did not reach is the database of the project's settings.
    let data =
        |line: &str| endpoint::refuses(line) && tools::SERVICES.iter().any(|(_, name)| line.contains(name));
    let data = Some(needs::data_key(step)).filter(|_| refuses && lower.lines().any(data));
    own.into_iter().chain(other.map(|family| format!("{family}\t"))).chain(data).map(Root::Service).collect()
}

/// The kind of program whose service a line says does not answer, whoever prints it.
fn silent(lower: &str) -> Option<&'static str> {
    #[rustfmt::skip]
    const FAILS: &[&str] = &["cannot", "could not", "can't", "unable", "failed", "not running", "running?", "unreachable", "is not", "error"];
    let fails = |line: &&str| FAILS.iter().any(|word| line.contains(word));
    let says = |line: &str, phrase: &str| {
        // One word is the service itself, of which more has to be said.
        let more = phrase.contains([' ', '/', '.']) || line.contains("running") && line.contains(['?']);
        more && line.contains(phrase)
    };
    lower.lines().filter(fails).find_map(|line| {
        tools::SILENT.iter().find(|(phrase, _)| says(line, phrase)).map(|(_, family)| *family)
    })
}
