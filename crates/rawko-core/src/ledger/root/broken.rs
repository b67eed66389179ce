//! Files that a kind of program cannot read.

use super::absent::bare;
use super::{At, Root, Step, inside, join, lack, looks_like_path, path_tokens, tools};

/// What says that a file itself is wrong, and not what it describes.
#[rustfmt::skip]
const BROKEN: &[&str] = &[
    "parse error", "syntax error", "syntaxerror", "unexpected token", "unclosed", "could not parse", "failed to parse", "error parsing",
    "cannot parse", "unable to parse", "malformed", "unmarshal", "error converting yaml", "invalid json", "ejsonparse", "yaml: line",
    "mapping values are not allowed", "did not find expected", "not well-formed", "parsererror", "invalid yaml", "invalid toml", "toml parse",
    "unexpected end of", "invalid character", "expected a newline", "unterminated", "unexpected eof", "invalid block definition",
    "argument or block definition required", "unsupported argument", "unknown directive", "invalid directive", "could not load config", "failed to load config", "invalid syntax",
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
        // Where the error says in which line, the file is what is wrong.
        let is_placed = |line: &str| {
            let names = |token: &String| inside(at, &step.folder, token).as_ref() == Some(&path);
            line.contains("line ") && path_tokens(line).iter().any(names)
        };
        let placed = tools::declares(family) && text.lines().take(400).any(is_placed);
        if (is_broken || placed) && !is_missing(&path) || holds {
            found.push(Root::Broken(format!("{family} {path}")));
        }
    }
    if lacks_manifest(step, &lower) {
        found.extend(kin(step).map(|kin| Root::Broken(format!("{kin} @{}", step.folder))));
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
            found.extend(kin(step).map(|kin| Root::Broken(format!("{kin} @{place}"))));
        }
        found.push(Root::Broken(format!("{family} {path}")));
    }
    // Where no file is named, it is the one that the program always reads.
    let names_none = found.is_empty()
        && tools::declares(family)
        && text.lines().count() <= 3
        && text.lines().all(|line| path_tokens(line).is_empty() && !line.contains("://"));
    found.extend(kin(step).filter(|_| names_none).map(|kin| Root::Broken(format!("{kin} @{}", step.folder))));
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

/// Whether the manifest or the settings are not there that a program always reads.
fn lacks_manifest(step: &Step, lower: &str) -> bool {
    const NONE: &[&str] = &[
        "no configuration file",
        "no config file",
        "invalid compose project",
        "could not find profile",
        "no project found",
    ];
    let is_manifest = |word: &str| {
        let names = step.tool().manifests.iter().filter(|name| name.contains('.') || name.ends_with("file"));
        names.into_iter().any(|name| bare(word).0 == name.to_lowercase())
    };
    let lacks = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().take(60).collect();
        let at = words.iter().position(|word| is_manifest(word));
        let near = |at: usize| (&words[at.saturating_sub(4)..at], &words[at + 1..words.len().min(at + 5)]);
        at.map(near).is_some_and(|(before, behind)| {
            lack::before(before) || lack::behind(behind) || behind.starts_with(&["no", "such"])
        })
    };
    NONE.iter().any(|phrase| lower.contains(phrase)) || lower.lines().take(400).any(lacks)
}

/// Whose manifest a step reads: of docker's many, a build and a composition have their own.
pub(super) fn kin(step: &Step) -> Option<String> {
    let family = tools::family(&step.program);
    match step.sub.as_deref() {
        _ if step.tool().manifests.is_empty() => None,
        Some("compose") if family == "docker" => Some("docker compose".to_owned()),
        Some("build" | "buildx") if family == "docker" => Some("docker build".to_owned()),
        _ if family == "docker" => None,
        _ => Some(family.to_owned()),
    }
}
