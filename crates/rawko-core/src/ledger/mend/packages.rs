//! What was not installed, by whatever name it is brought: packages, libraries, versions of a language.

use super::super::root::Root;
use super::super::step::Step;
use super::super::tools;
use super::asked::{does_what_is_said, makes_what_is_said};
use super::names::stem;
use super::{Hints, Matter, versions};

/// Whether it installs a program, a module or a library under a package's name: `rg` is in ripgrep, `yaml` in pyyaml.
pub(super) fn is_called_otherwise(failed: &Step, step: &Step, roots: &[Root], hints: &Hints) -> bool {
    let named =
        roots.iter().filter(|root| matches!(root, Root::Program(_) | Root::Module(_) | Root::Target(_)));
    let named = named.filter_map(Root::name);
    let wanted: Vec<String> =
        named.chain(hints.lacks.iter().map(String::as_str)).map(str::to_lowercase).collect();
    let packages = step.words.iter().map(|word| stem(word).to_lowercase()).filter(|word| word != "install");
    let fits = |package: &str| {
        let built = package.ends_with("-dev") || package.ends_with("-devel") || package == "pkg-config";
        let compiler = hints.is_about(Matter::Compiler) && (built || tools::COMPILERS.contains(&package));
        // The program itself, in another version.
        let own = hints.verbs.contains(&failed.program)
            && package.split('-').next() == Some(failed.program.as_str());
        compiler || own || wanted.iter().any(|name| is_short_for(name, package))
    };
    packages.into_iter().any(|package| fits(&package))
}

/// Whether a name is a part of a package's, is made of its letters, or begins as it does.
fn is_short_for(name: &str, package: &str) -> bool {
    let mut letters = package.chars();
    let spelled = name.chars().all(|c| letters.any(|other| other == c))
        && name.chars().next() == package.chars().next();
    let shared = name.bytes().zip(package.bytes()).take_while(|(a, b)| a == b).count();
    let (own, other) = (core(name), core(package));
    let kin = own.len() >= 3 && other.starts_with(own);
    name.len() > 1 && (package.contains(name) || spelled || shared >= 5 || kin)
}

/// The part of a library's, header's or package's name that they share: `ssl` of `libssl-dev` and `openssl/ssl.h`.
fn core(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base.strip_prefix("lib").filter(|rest| rest.len() > 2).unwrap_or(base);
    base.split('.').next().unwrap_or(base)
}

/// Whether it installs or chooses the version of a language that was wanted.
pub(super) fn supplies_runtime(step: &Step, hints: &Hints) -> bool {
    #[rustfmt::skip]
    const RUNTIMES: &[&str] = &[
        "python", "node", "ruby", "java", "toolchain", "sdk", "runtime", "jdk", "dotnet", "env", "interpreter",
    ];
    let runtime = step.sub.iter().chain(&step.words).any(|word| RUNTIMES.contains(&word.as_str()));
    let told = versions(&step.raw.get(1..).unwrap_or_default().join(" "));
    let fits = |one: &String| {
        hints.versions.iter().any(|other| other.starts_with(one) || one.starts_with(other.as_str()))
    };
    let installs =
        step.has_verb(&["install", "use", "pin", "select", "switch", "default", "global", "local"]);
    installs
        && (runtime || tools::MANAGERS.contains(&step.program.as_str()))
        && (told.is_empty() || told.iter().any(fits))
}

/// Whether it says where else packages are to be had.
pub(super) fn adds_source(failed: &Step, step: &Step) -> bool {
    #[rustfmt::skip]
    const SOURCES: &[&str] = &[
        "source", "sources", "registry", "repo", "repository", "repositories", "index", "feed", "channel", "channels", "tap", "remote",
    ];
    let kin = tools::family(&step.program) == tools::family(&failed.program);
    kin && step
        .words
        .iter()
        .chain(&step.sub)
        .any(|word| SOURCES.contains(&word.split('.').next().unwrap_or_default()))
}

/// Whether it installs all that a project wants, of the failed one's kind and place.
pub(super) fn installs_all(failed: &Step, step: &Step, hints: &Hints) -> bool {
    #[rustfmt::skip]
    const ALL: &[&str] = &["install", "ci", "sync", "restore", "download", "deps.get", "tidy", "vendor", "get", "bootstrap", "setup", "i", "init"];
    let verb = step.sub.as_deref().or(step.words.first().map(String::as_str)).unwrap_or_default();
    let rest = step.words.iter().filter(|word| word.as_str() != verb && !ALL.contains(&word.as_str()));
    let names_some = rest.count() > 0;
    let here = step.folder == failed.folder
        || step.folder.is_empty()
        || failed.folder.strip_prefix(&step.folder).is_some_and(|rest| rest.starts_with('/'))
        || hints
            .names
            .iter()
            .any(|name| name.strip_prefix(&step.folder).is_some_and(|rest| rest.starts_with('/')));
    let kin = tools::family(&step.program) == tools::family(&failed.program)
        || failed.via.iter().any(|via| tools::family(via) == tools::family(&step.program))
        || !tools::is_known(&failed.program)
        || matches!(failed.program.as_str(), "make" | "just" | "task" | "git" | "node" | "sh" | "bash");
    !names_some && here && kin && step.has_verb(ALL)
}

/// Whether it installs a package by a name that the error has as a part: `libtool` where AC_PROG_LIBTOOL is not defined.
pub(in super::super) fn brings_what_is_said(
    failed: &Step,
    hints: &Hints,
    step: &Step,
    error: &[String],
) -> bool {
    #[rustfmt::skip]
    const PLAIN: &[&str] = &[
        "lib", "dev", "devel", "tools", "utils", "common", "core", "all", "the", "error", "install", "php", "python", "node", "ruby", "java", "file",
    ];
    if makes_what_is_said(failed, step, error) || does_what_is_said(failed, hints, step, error) {
        return true;
    }
    let manages = tools::MANAGERS.contains(&step.program.as_str());
    let own = step.program == failed.program && step.sub != failed.sub;
    if !(manages || own) || !step.has_verb(tools::INSTALLS) {
        return false;
    }
    // `pyenv install 3.12`, where the error wants 3.12.
    let is_version = |word: &&String| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let wanted = |word: &String| error.iter().any(|line| line.contains(word.as_str()));
    if manages && step.words.iter().filter(is_version).any(wanted) {
        return true;
    }
    let parts = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
        let parts = parts.flat_map(|part| [Some(part), part.strip_prefix("lib")]).flatten();
        let named = |part: &&str| part.len() > 1 && part.bytes().any(|byte| byte.is_ascii_alphabetic());
        parts.filter(named).map(str::to_owned).collect()
    };
    let own: Vec<String> = failed.raw_words().flat_map(parts).collect();
    let said: Vec<String> = error.iter().flat_map(|line| parts(line)).collect();
    let is_said =
        |part: &String| !PLAIN.contains(&part.as_str()) && !own.contains(part) && said.contains(part);
    step.words.iter().flat_map(|word| parts(word)).any(|part| part != failed.program && is_said(&part))
}
