//! Programs that want something done first: to be initialised, to know a remote, who asks, a variable.

use super::needs::{given, kind_of, places};
use super::{Root, Step, step_endpoints, tools};

const INIT: &[&str] =
    &["not initialized", "not been initialized", "initialization required", "not initialised"];
const REMOTE: &[&str] = &[
    "no remote",
    "no default remote",
    "no configured push destination",
    "no upstream",
    "no tracking information",
];
/// What says that one has to prove who one is.
#[rustfmt::skip]
const LOGIN: &[&str] = &[
    "expiredtoken", "access denied for user", "denied: requested access", "eneedauth", "active account", "unauthorized", "permission denied (publickey",
    "could not read username", "auth login",
];
const SUPERUSER: &[&str] =
    &["are you root", "must be root", "be run as root", "superuser", "root privileges", "need to be root"];
#[rustfmt::skip]
const UNSET: &[&str] = &[
    "environment variable", "env var", "keyerror", "must be set", "is not set", "unbound variable", "parameter not set",
];

/// Whether an error misses a variable.
pub(in super::super) fn misses_variable(lower: &str) -> bool {
    // A key of the program's own data is no variable.
    let own = |line: &str| line.contains("keyerror") && !line.contains('_');
    let unset = |line: &str| UNSET.iter().any(|phrase| line.contains(phrase));
    lower.lines().any(|line| unset(line) && !line.contains("deprecat") && !own(line))
}

/// Whether a line says that what proves who asks is lacking or no longer good.
fn wants_login(line: &str) -> bool {
    #[rustfmt::skip]
    const PROOFS: &[&str] = &[
        " sso ", "access token", "api token", "auth token", "refresh token", "signed in", "log in", "login", "logged in", "credential", "authenticat", "token has",
        "token is", "session has",
    ];
    #[rustfmt::skip]
    const TROUBLES: &[&str] = &[
        "expired", "missing", "not ", "required", "invalid", "bad ", "no ", "unable", "could not", "must ", "please ", "need to", "failed",
    ];
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| line.contains(phrase));
    says(PROOFS) && says(TROUBLES)
}

/// What a program asks for before it can work.
pub(super) fn unready(step: &Step, lower: &str) -> Vec<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let asks =
        |verb: &str| lower.contains(&format!("{} {verb}", step.program)) && step.sub.as_deref() != Some(verb);
    let mut found = Vec::new();
    if says(INIT) || asks("init") {
        found.push(needs_of(step, "init"));
    } else if says(REMOTE) {
        found.push(needs_of(step, "remote"));
    } else if says(LOGIN) || asks("login") || lower.lines().any(wants_login) {
        found.push(needs_of(step, "login"));
        found.extend(is_of_data(step).then(|| format!("{} data", needs_of(step, "login"))));
    }
    if says(SUPERUSER) {
        found.push(format!("{} root", step.program));
    }
    if misses_variable(lower) {
        found.push(variables(step));
    }
    if kind_of(step).is_some() && lower.lines().any(|line| lacks_database(step, line)) {
        found.push(database(step));
    }
    found.into_iter().map(Root::Unready).collect()
}

/// What of this a step needs that talks to others.
pub(super) fn readiness(step: &Step) -> Vec<Root> {
    let transfers = step.has_verb(tools::TRANSFERS);
    let mut needs: Vec<String> =
        Some(needs_of(step, "init")).filter(|_| !step.has_verb(&["init"])).into_iter().collect();
    let tries = step.raw.iter().any(|word| word == "--dry-run")
        || step.has_verb(&["login", "logout", "auth", "configure", "signin"]);
    // Of who is not known, what it lists is mostly kept elsewhere.
    let lists = !tools::is_known(&step.program) && step.has_verb(tools::LISTS);
    if (step.tool().far || transfers || lists) && !tries {
        needs.push(needs_of(step, "login"));
    } else if is_of_data(step) {
        needs.push(format!("{} data", needs_of(step, "login")));
    }
    let makes =
        step.has_verb(&["create", "prepare", "setup", "reset", "recreate", "drop", "fresh", "init", "new"]);
    if kind_of(step).is_some() && !makes {
        needs.push(database(step));
    }
    if transfers && step.words.is_empty() && step.values().next().is_none() {
        needs.push(needs_of(step, "remote"));
    }
    if (step.has_verb(tools::SUPPLIES) || step.has_verb(tools::REMOVES))
        && !step.env.iter().any(|set| set.starts_with("sudo="))
    {
        needs.push(format!("{} root", step.program));
    }
    if step.env.is_empty() && (step.tool().far || lists || kind_of(step).is_some()) {
        needs.push(variables(step));
    }
    needs.into_iter().map(Root::Unready).collect()
}

/// Whether a line lacks a database, a role or a driver that the command did not name: it is the one of its settings.
fn lacks_database(step: &Step, line: &str) -> bool {
    let nouns = ["database \"", "database '", "database `", "role \"", "role '"];
    let named = nouns.iter().any(|noun| line.contains(noun)) && line.contains("does not exist");
    let says =
        ["unknown database", "could not find your database", "could not find driver", "no suitable driver"];
    (named || says.iter().any(|phrase| line.contains(phrase)))
        && !given(step).iter().any(|name| line.contains(&name.to_lowercase()))
}

/// The database of a program's settings, with the variables that choose them.
fn database(step: &Step) -> String {
    let kind = kind_of(step).unwrap_or_default();
    format!("{} {kind} database {} {}", step.program, places(step).join(" "), step.env.join(" "))
}

/// Whether a task is one of a program's that speak to its database.
fn is_of_data(step: &Step) -> bool {
    kind_of(step) == Some("db")
}

/// One kind of program, one thing that it does, and no variable of its own.
fn variables(step: &Step) -> String {
    format!("{} variables {}", tools::family(&step.program), kind_of(step).unwrap_or_default())
}

/// One program, one place, one thing to be done first.
fn needs_of(step: &Step, kind: &str) -> String {
    if kind != "login" {
        return format!("{} {kind} {}", step.program, step.folder);
    }
    // The remote's name, or the host before an image's.
    let first = step.words.first().map_or("origin", String::as_str);
    let host = step
        .words
        .iter()
        .find_map(|word| word.split_once('/').map(|(host, _)| host).filter(|host| host.contains('.')));
    let shell = (tools::family(&step.program) == "ssh").then(|| step_endpoints(step).join(" "));
    let whom = if step.program == "git" { first } else { shell.as_deref().or(host).unwrap_or_default() };
    format!("{} login {whom} {}", tools::family(&step.program), identity(step).join(" "))
}

/// Of where it works, what says who asks.
fn identity(step: &Step) -> Vec<&str> {
    let elsewhere = |value: &&str| {
        step.values().any(|(name, told)| {
            told == *value
                && matches!(name.trim_start_matches('-'), "region" | "project" | "cluster" | "limit")
        })
    };
    places(step).into_iter().filter(|value| !elsewhere(value)).collect()
}
