//! Programs that are not there, cannot start, or cannot get their packages.

use super::absent::bare;
use super::{Root, Step, tools};

/// The program that a line says is not installed.
pub(super) fn missing(lower: &str, line: &str, text: &str) -> Option<String> {
    #[rustfmt::skip]
    const BEFORE: &[&str] = &[
        ": command not found", ": executable file not found", " is not recognized as an internal", " enoent", ": program not found",
        " not found in path", " not found on path", " not found in $path", " was not found on the path", " not in path",
        " is not installed", " is installed and", " must be installed", " executable not found",
    ];
    #[rustfmt::skip]
    const BEHIND: &[&str] = &[
        "command not found: ", "could not be found on the path: ", "executable not found: ", "could not find executable ",
        "unable to locate executable ", "cannot find executable ", "cannot run program ", "no such file or directory: exec ", "failed to execute ",
        "failed to spawn: ", "failed to spawn ", "unable to find executable ", "could not find program ", "missing executable ",
    ];
    // What exited was there.
    if ["exited", "exit status", "exit code"].iter().any(|word| lower.contains(word))
        && !lower.contains("127")
    {
        return None;
    }
    for phrase in BEHIND {
        if let Some(at) = lower.find(phrase) {
            let rest = line.get(at + phrase.len()..)?;
            let first = rest.split_whitespace().next()?;
            // `failed to execute goal x` speaks of no program.
            let alone = rest.len() == first.len() || first.ends_with([':', ',']) || phrase.ends_with(": ");
            return name(first).filter(|_| alone || bare(first).1);
        }
    }
    for phrase in BEFORE {
        if let Some(at) = lower.find(phrase) {
            return name(line.get(..at)?);
        }
    }
    // A runner says it its own way, and its exit code tells.
    if let Some(before) = lower
        .strip_suffix(": no such file or directory")
        .filter(|before| text.contains("127") && !before.contains('/'))
    {
        return name(line.get(..before.len())?);
    }
    let at = lower.strip_suffix(": not found")?.len();
    let before = lower.get(..at)?;
    let shell = ["sh:", "/bin/sh:", "bash:"].iter().any(|shell| before.starts_with(shell));
    (shell || before.contains(": line ")).then(|| name(line.get(..at)?)).flatten()
}

/// The last word of a text, if a program may be called so.
fn name(text: &str) -> Option<String> {
    let quotes = ['"', '\'', '`', ':', ' ', ',', ';', '(', ')', '[', ']'];
    let word = text.trim_matches(quotes).rsplit([' ', ':']).next()?.trim_matches(quotes);
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte));
    (word.len() > 1 && plain && !word.contains("..")).then(|| word.to_owned())
}

/// What an error says keeps a program from starting: the family that shares the reason, or nothing.
fn unstartable_for(lower: &str) -> Option<&'static str> {
    let toolchain = lower.lines().any(|line| line.contains("toolchain '") && line.contains("not installed"));
    let said = tools::UNSTARTABLE.iter().find(|(phrase, _)| lower.contains(phrase));
    said.map(|(_, family)| *family).or(toolchain.then_some(""))
}

/// Whether an error wants another version of a language, or the language at all.
pub(in super::super) fn wants_runtime(lower: &str) -> bool {
    #[rustfmt::skip]
    const RUNTIMES: &[&str] = &[
        "interpreter", "toolchain", "runtime", "jdk", "sdk", "engine", "xcode", "python", "node", "ruby", "java", "php", "go",
    ];
    #[rustfmt::skip]
    const WANTS: &[&str] = &[
        "not find", "not found", "no such", "not installed", "unsupported", "requires", "required", "incompatible", "not supported", "is missing",
        "not target", "invalid source release", "class file version",
    ];
    let wants = |line: &str| {
        let mut words = line.split(|c: char| !c.is_ascii_alphabetic());
        words.any(|word| RUNTIMES.contains(&word)) && WANTS.iter().any(|phrase| line.contains(phrase))
    };
    unstartable_for(lower).is_some() || lower.lines().any(wants)
}

/// A program that will not run as it is installed, and whoever starts from the same.
pub(super) fn unstartable(step: &Step, lower: &str) -> Vec<Root> {
    let Some(family) = unstartable_for(lower) else { return Vec::new() };
    let own = step.via.first().unwrap_or(&step.program).as_str();
    let shared = Some(family).filter(|family| !family.is_empty());
    [own].into_iter().chain(shared).map(|name| Root::Unready(starter(name))).collect()
}

/// What a run of a program needs that does more than to tell of itself: that it can start.
pub(super) fn starts(step: &Step) -> impl Iterator<Item = Root> {
    step.via.iter().chain([&step.program]).map(|program| Root::Unready(starter(program)))
}

/// What every run of a program needs, even one that asks for its version: the machine that it runs on.
pub(super) fn stands_on(step: &Step) -> impl Iterator<Item = Root> {
    tools::runtimes(&step.program).map(|name| Root::Unready(starter(name)))
}

/// What says that a project's packages have to be installed first.
pub(super) fn unset(step: &Step, lower: &str) -> Option<Root> {
    const VERBS: &[&str] =
        &["install", "sync", "restore", "deps.get", "pub get", "bootstrap", "deps", "ci", "dependency build"];
    let mut programs = step.via.iter().chain([&step.program]);
    let asked = |program: &&String| VERBS.iter().any(|verb| lower.contains(&format!("{program} {verb}")));
    programs.find(asked).filter(|_| !step.has_verb(tools::INSTALLS)).map(|program| set_up(program, step))
}

/// What a run needs that uses its project's packages.
pub(super) fn is_set(step: &Step) -> Vec<Root> {
    let wants = step.reads_sources()
        || tools::EQUIPPED.contains(&step.program.as_str()) && !step.has_verb(tools::LISTS);
    let own = Some(&step.program).filter(|_| wants && !step.has_verb(tools::INSTALLS));
    step.via.iter().chain(own).map(|program| set_up(program, step)).collect()
}

fn set_up(program: &str, step: &Step) -> Root {
    Root::Unready(format!("{program} install {}", step.folder))
}

fn starter(program: &str) -> String {
    format!("{program} start")
}

/// What says that packages cannot be had from where they are looked for.
#[rustfmt::skip]
const UNRESOLVED: &[&str] = &[
    "unable to find package", "no packages exist", "could not find artifact", "could not resolve all", "could not resolve dependencies",
    "no matching package", "no matching version", "failed to select a version", "could not find a version", "couldn't find any versions",
    "unable to resolve dependency", "version solving failed", "no versions of", "unknown revision", "no solution found when resolving",
    "dependencies could not be resolved", "unsatisfiable", "failed to resolve dependencies", "could not resolve package", "failed to clone",
    "linker `", "failed to run custom build command", "no compiler found", "not found in registry", "module lookup", "failed to get `", "missing package product", "target may not be installed",
];

/// The packages of a project that its build brings, where they cannot be had.
pub(super) fn unresolved(step: &Step, lower: &str) -> Vec<Root> {
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let kind = if says(UNRESOLVED) {
        packages(step)
    } else {
        Some("modules").filter(|_| says(&["no such module"]) && builds(step))
    };
    // Of a package that was asked for by name, no other run knows.
    let parts = |word: &str| word.to_lowercase().split([':', '@', '=']).all(|part| lower.contains(part));
    if step.raw_words().any(|word| word.len() > 4 && word.contains([':', '@', '=']) && parts(word)) {
        return Vec::new();
    }
    let own = selected(step);
    // Who works on the whole meets what one of its parts lacks; who works on another part does not.
    let parts = match told_part(lower).filter(|_| own.is_empty()) {
        Some(part) => vec![part, WHOLE.to_owned()],
        None => vec![own],
    };
    kind.into_iter().flat_map(|kind| parts.iter().map(move |part| of_packages(step, kind, part))).collect()
}

/// What stands for a project as a whole, where an error is about one of its parts.
const WHOLE: &str = "*";

/// The part of a project that an error says it is about: `project :web`, `on project web:`.
fn told_part(lower: &str) -> Option<String> {
    let words: Vec<&str> = lower.split_whitespace().take(400).collect();
    let named = |pair: &[&str]| {
        let (name, quoted) = bare(pair[1]);
        let told = quoted || name.starts_with(':') || pair[1].ends_with(':');
        (pair[0] == "project" && told).then(|| name.trim_start_matches(':').to_owned())
    };
    words.windows(2).find_map(named).filter(|name| !name.is_empty())
}

fn of_packages(step: &Step, kind: &str, part: &str) -> Root {
    Root::Unready(format!("{} {kind} {} {part}", step.program, step.folder))
}

/// What a run needs of its project's packages: who works on a part meets what the whole lacks.
pub(super) fn packaged(step: &Step) -> Vec<Root> {
    let kinds = packages(step).into_iter().chain(Some("modules").filter(|_| builds(step)));
    let part = Some(selected(step)).filter(|part| !part.is_empty()).unwrap_or_else(|| WHOLE.to_owned());
    kinds.flat_map(|kind| [of_packages(step, kind, ""), of_packages(step, kind, &part)]).collect()
}

fn builds(step: &Step) -> bool {
    tools::RESOLVES.contains(&step.program.as_str()) && step.reads_sources()
}

/// The part of a project that a run is told to work on.
pub(super) fn selected(step: &Step) -> String {
    let told = step.values().filter(|(name, _)| step.tool().package.contains(name)).map(|(_, value)| value);
    // `:a:test` is of a.
    let project = step.words.iter().filter_map(|word| Some(word.strip_prefix(':')?.rsplit_once(':')?.0));
    told.chain(project).collect::<Vec<_>>().join(" ")
}

/// What a run needs that brings its project's packages, by itself or because it is told to.
fn packages(step: &Step) -> Option<&'static str> {
    const BRINGS: &[&str] = &["restore", "fetch", "resolve", "download", "get", "sync", "install", "lock"];
    const SPARES: &[&str] = &["--no-restore", "--no-deps", "--upgrade", "--no-sync", "--frozen", "-U"];
    let told = step.words.iter().all(|word| BRINGS.contains(&word.as_str()))
        && step.has_verb(BRINGS)
        && !step.tool().manifests.is_empty();
    let spared =
        step.flags.iter().any(|flag| SPARES.contains(&flag.as_str())) || step.folder.starts_with('/');
    ((told || builds(step)) && !spared).then_some("packages")
}
