//! What an error says is missing, refusing or broken, and which commands need it.
//!
//! A root is a thing, not a command: a file that is not there, a port that
//! nobody listens on, a program that is not installed. Whoever needs the same
//! thing fails as well, until somebody supplies it.

use serde::{Deserialize, Serialize};

use super::command::Command;
use super::failure::bounded;
use super::place::{At, inside, is_temporary, join, looks_like_path};
use super::step::Step;
use super::{Move, tools};

/// A thing that an error named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Root {
    /// A file or folder that is not there, relative to the root.
    Missing(String),
    /// A place that refuses connections: host and port.
    Refuses(String),
    /// A database, branch, table … of this name that does not exist.
    Absent(String),
    /// A program that is not installed.
    Program(String),
    /// What this program talks to does not answer.
    Service(String),
    /// A script that stops before it looks at its arguments.
    Script(String),
    /// A move that failed inside the one that was made.
    Inner(String),
}

impl Root {
    /// The text it is looked up by.
    pub fn key(&self) -> String {
        match self {
            Self::Missing(path) => format!("missing\0{path}"),
            Self::Refuses(place) => format!("refuses\0{place}"),
            Self::Absent(name) => format!("absent\0{name}"),
            Self::Program(name) => format!("program\0{name}"),
            Self::Service(name) => format!("service\0{name}"),
            Self::Script(path) => format!("script\0{path}"),
            Self::Inner(key) => key.clone(),
        }
    }
}

const GONE: &[&str] = &[
    "no such file", "does not exist", "doesn't exist", "not found", "cannot find", "can't find", "could not find", "can't open",
    "cannot open", "enoent", "cannot stat", "can't read", "unable to open", "failed to open", "could not open", "no rule to make target",
    "not exist", "cannot access", "couldn't open", "unable to find", "could not read", "missing",
];
const REFUSES: &[&str] = &["connection refused", "econnrefused", "couldn't connect", "could not connect", "failed to connect", "can't connect", "cannot connect", "unable to connect", "actively refused", "was refused", "connect failed"];
const NOUNS: &[&str] = &[
    "database", "role", "user", "relation", "table", "schema", "column", "view", "sequence", "type", "pathspec", "branch", "ref", "revision", "argument", "remote",
    "tag", "container", "image", "network", "volume", "service", "workspace", "namespace", "context", "upstream", "extension", "index", "collection", "bucket", "queue", "topic", "secret", "cluster", "profile", "pod", "deployment", "environment", "commit", "stash", "worktree", "submodule",
];
const ABSENT: &[&str] = &["does not exist", "doesn't exist", "not found", "unknown", "no such", "did not match", "couldn't find", "could not find", "cannot find", "not a valid", "does not appear", "not exist", "ambiguous argument", "is not a commit", "undefined"];

/// What an error says is missing, refusing or broken. `is_missing` knows whether a path below the root is not there.
pub(super) fn roots(moved: &Move, at: At<'_>, error: &str, is_missing: &dyn Fn(&str) -> bool) -> Vec<Root> {
    let text = bounded(error);
    let mut found = Vec::new();
    let folder = moved.folder();
    for line in text.lines().take(400) {
        let lower = line.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        if says(GONE) {
            // A bare name may be a module's: it is a file's where the line speaks of files.
            let of_files = ["file", "open", "read", "stat", "directory", "access", "enoent", "rule to make"].iter().any(|word| lower.contains(word)) && !lower.contains("module");
            let paths = path_tokens(line).into_iter().filter(|path| of_files || path.contains('/') && !lower.contains("module"));
            let paths = paths.filter_map(|path| resolve(at, &folder, &path, is_missing));
            found.extend(paths.map(Root::Missing));
            found.extend(missing_program(&lower, line, &text).map(Root::Program));
        }
        if says(REFUSES) {
            found.extend(endpoints(line).into_iter().map(Root::Refuses));
        }
        if says(ABSENT) {
            found.extend(absent(line).into_iter().map(Root::Absent));
        }
    }
    if let Move::Command(command) = moved {
        found.extend(command.main().and_then(|step| stops_early(step, &text.to_lowercase())));
        found.extend(service(command, &text.to_lowercase()));
        found.extend(inner(command, at, &text));
    }
    found.retain(|root| !matches!(root, Root::Inner(key) if *key == moved.key()));
    let mut seen = Vec::new();
    found.retain(|root| !seen.contains(root) && { seen.push(root.clone()); true });
    found.truncate(12);
    found
}

/// The path below the root that a token means, if it is not there.
fn resolve(at: At<'_>, folder: &str, token: &str, is_missing: &dyn Fn(&str) -> bool) -> Option<String> {
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
    words.filter(|word| looks_like_path(word) && !is_temporary(word)).map(str::to_owned).take(40).collect()
}

/// `x: command not found`, `command not found: x`, `exec: "x": executable file not found`.
fn missing_program(lower: &str, line: &str, text: &str) -> Option<String> {
    let name = |text: &str| {
        let word = text.trim().trim_matches(['"', '\'', '`', ':', ' ']).rsplit([' ', ':']).next()?.trim_matches(['"', '\'', '`']).to_owned();
        let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte));
        (!word.is_empty() && plain).then_some(word)
    };
    if let Some((_, after)) = lower.split_once("command not found: ") {
        return name(after.split_whitespace().next()?);
    }
    for phrase in [": command not found", ": executable file not found"] {
        if let Some(at) = lower.find(phrase) {
            return name(line.get(..at)?);
        }
    }
    // A runner says it its own way, and its exit code tells.
    if let Some(before) = lower.strip_suffix(": no such file or directory").filter(|before| text.contains("127") && !before.contains('/')) {
        return name(line.get(..before.len())?);
    }
    let at = lower.strip_suffix(": not found")?.len();
    let before = lower.get(..at)?;
    (before.starts_with("sh:") || before.starts_with("/bin/sh:") || before.starts_with("bash:") || before.contains(": line ")).then(|| name(line.get(..at)?)).flatten()
}

/// Hosts with ports in a text: `localhost:5432`, `at "db", port 5432`.
pub(super) fn endpoints(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let ends = |c: char| c.is_whitespace() || "\"'`()<>{},;|/@".contains(c);
    let words: Vec<&str> = text.split(ends).filter(|word| !word.is_empty()).collect();
    for (n, word) in words.iter().enumerate() {
        let word = word.trim_end_matches(['.', ':', '?', ']']);
        if let Some((host, port)) = word.rsplit_once(':') {
            let host = host.trim_matches(['[', ']']);
            let named = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte)) && !looks_like_source(host);
            if let Some(port) = port.parse::<u16>().ok().filter(|&port| named && port > 9) {
                found.push(endpoint(host, port));
            }
        }
        if word.eq_ignore_ascii_case("port") {
            let port = words.get(n + 1).and_then(|next| next.trim_end_matches([':', '.']).parse::<u16>().ok());
            let is_host = |word: &&&str| word.contains('.') && word.bytes().any(|byte| byte.is_ascii_digit()) || word.eq_ignore_ascii_case("localhost");
            let host = words[..n].iter().rev().take(6).find(is_host).copied();
            let told = n.checked_sub(1).map(|before| words[before]).filter(|word| word.contains('.'));
            found.extend(port.map(|port| endpoint(told.or(host).unwrap_or("localhost"), port)));
        }
    }
    found
}

fn looks_like_source(host: &str) -> bool {
    let ending = host.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "rs" | "py" | "ts" | "js" | "tsx" | "jsx" | "go" | "c" | "h" | "cpp" | "java" | "rb" | "sql" | "sh" | "tf" | "yml" | "yaml" | "json" | "toml" | "md")
        || host.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn endpoint(host: &str, port: u16) -> String {
    let host = match host.to_ascii_lowercase().as_str() {
        "127.0.0.1" | "0.0.0.0" | "::1" | "::" | "localhost" => "localhost".to_owned(),
        other => other.to_owned(),
    };
    format!("{host}:{port}")
}

/// Names that stand in quotes (or bare) behind a noun: `database "x" does not exist`.
fn absent(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let noun = |word: &str| NOUNS.contains(&word.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase().as_str());
    let quoted = |word: &str| {
        let word = word.trim_end_matches([':', ',', '.', ';']);
        let inner = word.trim_matches(['"', '\'', '`', '“', '”']);
        (inner.len() + 2 <= word.len() && inner.len() > 1).then(|| inner.to_owned())
    };
    let mut found = Vec::new();
    for pair in words.windows(2) {
        if noun(pair[0]) {
            found.extend(quoted(pair[1]));
            let bare = pair[1].trim_end_matches([':', ',', '.']);
            let unquoted = pair[0].eq_ignore_ascii_case("ref") && bare.len() > 1;
            found.extend(unquoted.then(|| bare.to_owned()));
        }
        // `'x' does not appear to be a git repository`, `Unknown database 'x'`
        let rest = line.to_lowercase();
        if rest.contains("does not appear to be a git repository") {
            found.extend(quoted(pair[0]));
        }
    }
    found
}

/// The script that an interpreter could not even load.
fn stops_early(step: &Step, lower: &str) -> Option<Root> {
    const EARLY: &[&str] = &["modulenotfounderror", "no module named", "cannot find module", "syntaxerror", "syntax error", "importerror", "loaderror", "cannot load such file", "parse error"];
    EARLY.iter().any(|phrase| lower.contains(phrase)).then(|| script(step)).flatten()
}

/// The script that an interpreter is given.
fn script(step: &Step) -> Option<Root> {
    let interprets = matches!(step.program.as_str(), "python" | "node" | "ruby" | "php" | "sh" | "bash" | "zsh" | "perl" | "tsx" | "ts-node" | "deno" | "Rscript" | "lua");
    let path = step.words.first().filter(|word| interprets && looks_like_path(word))?;
    Some(Root::Script(format!("{} {}", step.program, join(&step.folder, path)?)))
}

/// What a program talks to, where neither its command nor its error can be asked for another.
fn service(command: &Command, lower: &str) -> Option<Root> {
    let step = command.main()?;
    let refuses = REFUSES.iter().any(|phrase| lower.contains(phrase));
    let daemon = lower.contains("daemon") && (refuses || lower.contains("daemon running") || lower.contains("not running"));
    let general = step.reads_sources() || matches!(step.program.as_str(), "python" | "node" | "sh" | "bash" | "curl" | "wget" | "make");
    let told = step_endpoints(step).iter().any(|_| true) && step.tool().port.is_none();
    (daemon || refuses && !general && !told && step.tool().port.is_none()).then(|| Root::Service(step.program.clone()))
}

/// Moves that ran inside this one: lines that a runner echoed, and the target or script it says had failed.
fn inner(command: &Command, at: At<'_>, text: &str) -> Vec<Root> {
    const RUNNERS: &[&str] = &["make", "just", "task", "npm", "pnpm", "yarn", "bun", "npx", "git", "sh", "bash", "tox", "nox", "nx", "turbo", "rake"];
    let Some(step) = command.main() else { return Vec::new() };
    if !RUNNERS.contains(&step.program.as_str()) && !step.program.starts_with("./") {
        return Vec::new();
    }
    let folder = step.folder.clone();
    let here = At { root: at.root, cwd: &folder };
    let key = |text: &str| Root::Inner(Command::of(text, here).key());
    let mut found = Vec::new();
    let echoed = text.lines().take(400).filter_map(|line| {
        let line = line.strip_prefix("> ").or_else(|| line.strip_prefix("$ ")).or_else(|| line.strip_prefix("+ ")).unwrap_or(line);
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let more = words.next().is_some();
        (more && !line.starts_with(' ') && line.len() < 300 && tools::is_known(tools::program(first)) && !line.ends_with(['.', ':', ','])).then_some(line)
    });
    found.extend(echoed.last().map(key));
    for line in text.lines().rev().take(60) {
        if let Some((_, rest)) = line.split_once("*** [") {
            let target = rest.split(']').next().unwrap_or_default().rsplit(": ").next().unwrap_or_default();
            found.push(key(&format!("make {target}")));
        }
        let script = line.strip_prefix("> ").and_then(|rest| {
            let mut words = rest.split_whitespace();
            words.next().filter(|name| name.contains('@'))?;
            words.next()
        });
        for program in ["npm", "pnpm", "yarn"] {
            found.extend(script.map(|script| key(&format!("{program} run {script}"))));
        }
    }
    found.truncate(8);
    found
}

/// Where a step connects to, as far as its words tell.
pub(super) fn step_endpoints(step: &Step) -> Vec<String> {
    let mut found: Vec<String> = step.words.iter().chain(&step.flags).chain(&step.tail).chain(&step.env).flat_map(|word| endpoints(word)).collect();
    if let Some(port) = step.tool().port {
        let value = |name: &str| step.flags.iter().find_map(|flag| flag.strip_prefix(name)?.strip_prefix('='));
        let env = |name: &str| step.env.iter().find_map(|set| set.strip_prefix(name)?.strip_prefix('='));
        let port = value("-p").or(value("-P")).or(value("--port")).or(env("PGPORT")).and_then(|port| port.parse().ok()).unwrap_or(port);
        let host = value("-h").or(value("--host")).or(env("PGHOST")).unwrap_or("localhost");
        if found.is_empty() {
            found.push(endpoint(host, port));
        }
    }
    found
}

/// Whether a step reaches for what its program talks to: asking for its version or its settings does not.
pub(super) fn talks(step: &Step) -> bool {
    let at_home = |word: &str| matches!(word, "version" | "help" | "config" | "completion" | "context" | "--version" | "--help");
    let asks = step.flags.iter().any(|flag| at_home(flag) || flag == "-h" && step.tool().port.is_none());
    !asks && !step.sub.as_deref().is_some_and(at_home) && (step.sub.is_some() || !step.tool().sub)
}

/// The things that a move needs, by the keys of their roots.
pub(super) fn needs(moved: &Move) -> Vec<Root> {
    match moved {
        Move::Command(command) => command.first().map(step_needs).unwrap_or_default(),
        Move::Edit { path, .. } | Move::Read { path } => with_folders(path),
        Move::Write { .. } | Move::Other { .. } => Vec::new(),
    }
}

fn with_folders(path: &str) -> Vec<Root> {
    let mut all = vec![Root::Missing(path.to_owned())];
    let ends = path.char_indices().rev().filter(|(_, c)| *c == '/').take(3);
    all.extend(ends.map(|(at, _)| Root::Missing(path[..at].to_owned())));
    all
}

fn step_needs(step: &Step) -> Vec<Root> {
    let mut needs = vec![Root::Program(step.program.clone())];
    if step.only_looks() {
        return Vec::new();
    }
    let words: Vec<&str> = step.words.iter().chain(&step.tail).chain(&step.reads).map(String::as_str).collect();
    let values = step.flags.iter().filter_map(|flag| flag.split_once('='));
    let values = values.filter(|(name, _)| !name.contains("out") && *name != "-o").map(|(_, value)| value);
    let words: Vec<&str> = words.into_iter().chain(values).take(60).collect();
    let says = |verbs: &[&str]| step.has_verb(verbs) || step.tail.iter().take(3).any(|word| verbs.contains(&word.as_str()));
    if !step.has_verb(tools::STARTS) {
        needs.extend(step_endpoints(step).into_iter().map(Root::Refuses));
    }
    if talks(step) {
        needs.push(Root::Service(step.program.clone()));
    }
    needs.extend(script(step));
    let supplies = says(tools::CREATES);
    let all = || words.iter().flat_map(|word| word.split(|c: char| c.is_whitespace() || "();,'\"=".contains(c)));
    let makes = all().any(|word| ["create", "add", "-b", "init", "insert"].contains(&word.to_ascii_lowercase().as_str()));
    if !supplies && !makes {
        for word in &words {
            if looks_like_path(word) && !word.starts_with('/') && step.program != "git" {
                needs.extend(join(&step.folder, word).map(|path| with_folders(&path)).unwrap_or_default());
            }
        }
        let names = all().flat_map(|word| [word, word.rsplit('/').next().unwrap_or(word), word.rsplit("..").next().unwrap_or(word)]);
        let names = names.filter(|name| name.len() > 1 && !name.starts_with('-'));
        needs.extend(names.take(120).map(|name| Root::Absent(name.to_owned())));
    }
    needs
}
