//! Files that a kind of program cannot read, and programs that want to be set up first.

use super::{At, Root, Step, inside, join, looks_like_path, path_tokens, tools};

/// What says that a file itself is wrong, and not what it describes.
#[rustfmt::skip]
const BROKEN: &[&str] = &[
    "parse error", "syntax error", "syntaxerror", "unexpected token", "unclosed", "could not parse", "failed to parse", "error parsing",
    "cannot parse", "unable to parse", "malformed", "unmarshal", "error converting yaml", "invalid json", "ejsonparse", "yaml: line",
    "mapping values are not allowed", "did not find expected", "not well-formed", "parsererror", "invalid yaml", "invalid toml", "toml parse",
    "unexpected end of", "invalid character", "expected a newline", "unterminated", "unexpected eof", "invalid block definition",
    "argument or block definition required", "unsupported argument", "could not load config", "failed to load config", "invalid syntax",
];

/// What the failed command was given and cannot be read: for others of its kind it cannot be read either.
pub(super) fn broken(
    step: &Step,
    at: At<'_>,
    text: &str,
    gone: &[String],
    is_missing: &dyn Fn(&str) -> bool,
) -> Vec<Root> {
    let lower = text.to_lowercase();
    let is_broken = BROKEN.iter().any(|phrase| lower.contains(phrase));
    let family = tools::family(&step.program);
    if step.program == "git" || step.only_looks() || step.tool().anywhere {
        return Vec::new();
    }
    let mut found = Vec::new();
    for path in paths(step) {
        let holds = gone.iter().any(|missing| {
            let below = missing.strip_prefix(&path).is_some_and(|rest| rest.starts_with('/'));
            below || tools::declares(family) && !is_missing(&path)
        });
        if is_broken && !is_missing(&path) || holds {
            found.push(Root::Broken(format!("{family} {path}")));
        }
    }
    if !is_broken {
        return found;
    }
    let lines = text.lines().take(400).filter(|line| {
        let lower = line.to_lowercase();
        BROKEN.iter().any(|phrase| lower.contains(phrase))
    });
    for token in lines.flat_map(path_tokens) {
        let here = inside(at, &step.folder, &token).filter(|path| !path.is_empty() && !is_missing(path));
        let Some(path) =
            here.or_else(|| inside(at, "", &token).filter(|path| !path.is_empty() && !is_missing(path)))
        else {
            continue;
        };
        let (place, name) = path.rsplit_once('/').unwrap_or(("", &path));
        if step.tool().manifests.contains(&name) {
            found.push(Root::Broken(format!("{family} @{place}")));
        }
        found.push(Root::Broken(format!("{family} {path}")));
    }
    if step.reads_sources() && paths(step).is_empty() {
        found.push(Root::Broken(whole(step)));
    }
    found
}

/// The paths that a command names, relative to the root.
pub(super) fn paths(step: &Step) -> Vec<String> {
    let values =
        step.values().filter(|(name, _)| !name.contains("out") && *name != "-o").map(|(_, value)| value);
    let words = step.words.iter().map(String::as_str).chain(values).filter(|word| !word.contains("://"));
    let mut found: Vec<String> = words
        .filter(|word| looks_like_path(word) && !word.starts_with('/'))
        .filter_map(|word| join(step.base(), word))
        .filter(|path| !path.is_empty())
        .take(20)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// All sources of one run that names none.
pub(super) fn whole(step: &Step) -> String {
    let package =
        step.values().filter(|(name, _)| step.tool().package.contains(name)).map(|(_, value)| value);
    format!(
        "{} #{} {} {}",
        step.program,
        step.folder,
        package.collect::<Vec<_>>().join(" "),
        step.words.join(" ")
    )
}

/// What a program asks for before it can work: to be initialised, to know a remote, to be logged in.
pub(super) fn unready(step: &Step, lower: &str) -> Option<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let init =
        says(&["not initialized", "not been initialized", "initialization required", "not initialised"])
            || lower.contains(&format!("{} init", step.program)) && step.sub.as_deref() != Some("init");
    let remote = says(&[
        "no remote",
        "no default remote",
        "no configured push destination",
        "no upstream",
        "no tracking information",
    ]);
    let login = says(&[
        "not logged in",
        "not logged into",
        "login required",
        "must log in",
        "please log in",
        "please login",
        "need to log in",
        "must be logged in",
        "unable to locate credentials",
        "could not load credentials",
        "could not find default credentials",
        "no credentials",
        "token has expired",
        "session has expired",
        "sso session",
        "authentication required",
        "not authenticated",
    ]);
    let kind = if init {
        "init"
    } else if remote {
        "remote"
    } else if login {
        "login"
    } else {
        return None;
    };
    Some(Root::Unready(needs_of(step, kind)))
}

/// One program, one place, one thing to be done first.
pub(super) fn needs_of(step: &Step, kind: &str) -> String {
    let place = if kind == "login" { super::needs::places(step).join(" ") } else { step.folder.clone() };
    format!("{} {kind} {place}", step.program)
}
