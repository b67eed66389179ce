//! Whether a command that succeeded supplies what a failure missed.

use super::super::failure::floor;
use super::super::place::looks_like_path;
use super::super::root::{
    Root, is_elsewhere, is_in_another, is_noun, kind_of, service_key, settles, step_endpoints, step_needs,
    talks,
};
use super::super::step::Step;
use super::super::tools;
use super::{Hints, versions};

/// Whether a step that succeeded shows that what a failure missed is there, or supplies it.
pub(in super::super) fn mends(
    failed: &Step,
    roots: &[Root],
    hints: &Hints,
    step: &Step,
    output: &str,
) -> bool {
    answers(failed, step, roots, hints)
        || shows(failed, roots, hints, step, output)
        || supplies(failed, roots, hints, step, output)
}

/// Whether a step that succeeded supplies what a failure missed.
pub(in super::super) fn supplies(
    failed: &Step,
    roots: &[Root],
    hints: &Hints,
    step: &Step,
    output: &str,
) -> bool {
    let does = [tools::SUPPLIES, tools::REMOVES, tools::STARTS]
        .iter()
        .any(|verbs| step.has_verb(verbs) || file_parts(step).any(|part| verbs.contains(&part)));
    if step.only_looks() {
        return false;
    }
    if clears_way(failed, hints, step)
        || is_asked(failed, hints, step)
        || takes_advice(failed, hints, step)
        || settles(step, roots)
        || sets_what_is_said(failed, hints, step)
        || prepares(failed, roots, hints, step)
    {
        return true;
    }
    if !does && !step.makes_in_code() {
        return false;
    }
    if hints.busy || roots.iter().any(|root| matches!(root, Root::Busy(_))) {
        return step.has_verb(tools::REMOVES);
    }
    if refuses(roots) && !roots.iter().any(|root| matches!(root, Root::Datum(_))) {
        return starts_it(step, roots, output, false);
    }
    if hints.refused && starts_it(step, roots, output, false) {
        return true;
    }
    let idle = roots.iter().any(|root| matches!(root, Root::Unready(name) if name.contains(" running ")));
    if idle && step.has_verb(tools::STARTS) && tools::family(&step.program) == tools::family(&failed.program)
    {
        return true;
    }
    if hints.login
        && step.has_verb(&[
            "login",
            "auth",
            "sso",
            "configure",
            "ssh-add",
            "ssh-keygen",
            "ssh-keyscan",
            "ssh-copy-id",
            "authenticate",
            "set-url",
        ])
    {
        return true;
    }
    let kin = tools::family(&step.program) == tools::family(&failed.program);
    if hints.login && kin && (step.makes_in_code() || step.has_verb(&["grant", "alter", "create"])) {
        return true;
    }
    if hints.schema && !is_sibling(failed, step) && brings_schema(step) {
        return true;
    }
    supplies_name(failed, step, roots, hints, output)
        || hints.runtime && supplies_runtime(step, hints)
        || refreshes(failed, step, roots)
        || sets_up(failed, step, roots)
        || restores(failed, step)
        || hints.packages && adds_source(failed, step)
        || supplies_part(failed, step, hints, output)
        || (hints.packages || roots.iter().any(|root| matches!(root, Root::Program(_))))
            && !is_sibling(failed, step)
            && installs_all(failed, step, hints)
}

/// Whether it takes away what was in the way, makes room, gives rights, or brings a device.
fn clears_way(failed: &Step, hints: &Hints, step: &Step) -> bool {
    const RIGHTS: &[&str] = &[
        "chmod",
        "chown",
        "usermod",
        "setfacl",
        "newgrp",
        "gpasswd",
        "adduser",
        "grant",
        "setcap",
        "icacls",
        "take-ownership",
    ];
    const BRINGS: &[&str] = &["attach", "connect", "pair", "bind", "boot", "emulator", "usbip"];
    let removes = step.has_verb(tools::REMOVES) || step.has_verb(&["rename", "gc"]);
    // What it takes away is what the failed one would make.
    let names = |word: &str| {
        failed.raw_words().any(|mine| mine == word)
            || hints.names.iter().any(|name| name.trim_start_matches('/') == word)
    };
    let as_root = step.env.iter().any(|set| set == "sudo=");
    let installs = tools::MANAGERS.contains(&step.program.as_str());
    let same = || step.raw_words().chain(step.tail.iter().map(String::as_str)).any(names);
    hints.exists && removes && same()
        || hints.room && removes
        || hints.rights && (step.has_verb(RIGHTS) || as_root && !installs)
        || hints.device && step.has_verb(BRINGS)
}

/// Whether a program that was left to run is, for all that one can tell, what a failure could not reach.
pub(in super::super) fn is_served_by(failed: &Step, roots: &[Root], hints: &Hints, started: &Step) -> bool {
    // `x-server` and `xd` serve x.
    let own = started.program.strip_prefix(failed.program.as_str());
    refuses(roots) && starts_it(started, roots, "", true)
        || hints.device && clears_way(failed, hints, started)
        || own.is_some_and(|rest| rest == "d" || rest.starts_with('-'))
}

/// Whether the error asks for it: the command itself, or the verb of a program that it names.
fn is_asked(failed: &Step, hints: &Hints, step: &Step) -> bool {
    let sub = step.sub.as_deref().unwrap_or_default();
    let elsewhere = step.folder != failed.folder && step.program == failed.program && is_project(step);
    let asked = hints.commands.iter().any(|(program, asked)| {
        let mut words = asked.split(' ');
        let first = words.next();
        *program == step.program
            && (first == Some(sub) || sub.is_empty() && first == step.words.first().map(String::as_str))
            && words.all(|word| step.words.iter().any(|mine| mine == word))
    });
    if asked && !elsewhere {
        return true;
    }
    // The failed program's own verb, or one that the error names with its program: `git commit` where changes are not committed.
    let named = |word: &str| hints.verbs.iter().any(|verb| verb == word);
    let verb = sub.split(' ').next_back().unwrap_or_default();
    // A pull is a fetch and more.
    let second = step.words.first().filter(|word| tools::SUPPLIES.contains(&word.as_str()));
    let named_verb = named(verb)
        || verb == "pull" && (named("fetch") || named("merge"))
        || second.is_some_and(|word| named(word) && failed.words.first() != Some(word));
    !elsewhere
        && named_verb
        && (named(&step.program) || step.program == failed.program)
        && (sub != failed.sub.as_deref().unwrap_or_default() || second.is_some())
}

/// Whether it is given an option that the error named and the failed one did not have.
fn takes_advice(failed: &Step, hints: &Hints, step: &Step) -> bool {
    let new = |option: &&str| !failed.options().any(|known| known == *option);
    step.program == failed.program
        && step.options().filter(new).any(|option| hints.settings.iter().any(|known| known == option))
}

/// Whether it sets what the failed program goes by, in words that the error or the failed command has: `config pull.rebase true`.
fn sets_what_is_said(failed: &Step, hints: &Hints, step: &Step) -> bool {
    let config = step.program == failed.program && step.has_verb(&["config", "configure", "set"]);
    let words = step.words.iter().filter(|word| !matches!(word.as_str(), "set" | "get" | "true" | "false"));
    let parts = words.flat_map(|word| word.split(['.', '-', '_', '='])).filter(|part| part.len() > 2);
    let verb = failed.sub.as_deref().unwrap_or_default();
    let known = |part: &str| part == verb || hints.names.iter().chain(&hints.settings).any(|name| name.contains(part));
    config && step.sub != failed.sub && parts.into_iter().any(known)
}

/// Whether the failed program itself is made ready, as a whole: `x start`, `x init`, `x install`, where something was lacking.
fn prepares(failed: &Step, roots: &[Root], hints: &Hints, step: &Step) -> bool {
    const PREPARES: &[&str] = &["start", "up", "init", "install", "setup", "bootstrap", "create", "restore", "sync"];
    let verb = step.sub.as_deref().or(step.words.first().map(String::as_str)).unwrap_or_default();
    let whole = step.words.iter().all(|word| word == verb) && PREPARES.contains(&verb);
    let lacks = roots.iter().any(|root| matches!(root, Root::Absent(_) | Root::Named(_) | Root::Target(_) | Root::Unready(_)));
    let elsewhere = step.folder != failed.folder && is_project(step);
    whole && (lacks || !hints.lacks.is_empty()) && step.program == failed.program && step.sub != failed.sub && !elsewhere
}

/// Whether it works on a project of the folder that it is in.
fn is_project(step: &Step) -> bool {
    !step.tool().manifests.is_empty() || step.reads_sources()
}

/// Whether a step that succeeded has reached what had refused.
fn answers(failed: &Step, step: &Step, roots: &[Root], hints: &Hints) -> bool {
    let reached = step_endpoints(step);
    roots.iter().any(|root| match root {
        Root::Refuses(place) if reached.contains(place) => true,
        Root::Service(key) => talks(step) && service_key(step).as_ref() == Some(key),
        // Who needed the same and succeeded shows that it is there.
        Root::Refuses(_) | Root::Unready(_) | Root::Program(_) | Root::Module(_) | Root::Script(_) => {
            step_needs(step).contains(root)
        }
        Root::Absent(_) | Root::Datum(_) | Root::Named(_) | Root::Target(_) | Root::Taken(_) => {
            step_needs(step).contains(root) && !is_elsewhere(failed, &hints.kinds, step, root)
        }
        _ => false,
    })
}

/// Whether a list of what there is has the name that was lacking: of the same kind of things, or by the same kind of program.
fn shows(failed: &Step, roots: &[Root], hints: &Hints, step: &Step, output: &str) -> bool {
    if !step.has_verb(tools::LISTS) {
        return false;
    }
    let kin = tools::family(&step.program) == tools::family(&failed.program);
    // A list of devices has a line besides its head.
    if hints.device && kin && output.lines().filter(|line| !line.trim().is_empty()).count() > 1 {
        return true;
    }
    let words = || step.sub.iter().chain(&step.words).flat_map(|word| word.split(['-', ':', ' ']));
    let speaks_of = |kind: &str| words().any(|word| word.strip_suffix('s').unwrap_or(word) == kind);
    let ends = |c: char| c.is_whitespace() || "\"'`,;()[]{}|*".contains(c);
    let listed = |name: &str| output.split(ends).any(|word| word == name);
    let lacking = roots.iter().filter(|root| matches!(root, Root::Absent(_) | Root::Named(_)));
    let mut lacking = lacking.filter_map(Root::name).filter(|name| name.len() > 2 && listed(name));
    lacking.any(|name| {
        let mut kinds = hints.kinds.iter().filter(|(_, known)| known == name).peekable();
        let known = kinds.peek().is_some();
        (kinds.any(|(kind, _)| speaks_of(kind)) || kin && !known) && !is_in_another(failed, step, name)
    })
}

fn refuses(roots: &[Root]) -> bool {
    roots.iter().any(|root| matches!(root, Root::Refuses(_) | Root::Service(_)))
}

/// Whether a command that starts something started what had refused: it names the port, or no port at all.
fn starts_it(step: &Step, roots: &[Root], output: &str, left_running: bool) -> bool {
    let cluster = tools::CLUSTERS.contains(&step.program.as_str()) && step.has_verb(&["create"]);
    if !step.has_verb(tools::STARTS) && !cluster && !left_running {
        return false;
    }
    let wanted: Vec<&str> = roots
        .iter()
        .filter_map(|root| match root {
            Root::Refuses(place) => place.rsplit_once(':').map(|(_, port)| port),
            _ => None,
        })
        .collect();
    // `up -d postgres` is not redis.
    let said = step.raw.join(" ").to_lowercase();
    let usual = tools::SERVICES.iter().filter(|(port, _)| wanted.contains(port));
    let known: Vec<&str> = usual.map(|(_, name)| *name).collect();
    let other = tools::SERVICES.iter().any(|(_, name)| said.contains(name) && !known.contains(name));
    if !known.is_empty() && other && !known.iter().any(|name| said.contains(name)) {
        return false;
    }
    // Ports stand behind a colon or the word, or alone: numbers in names and times are none.
    let text = format!("{} {}", step.raw.join(" "), output.replace("port ", ":"));
    let ends = |c: char| c.is_whitespace() || "/,;()[]'\"<>=".contains(c);
    let ports: Vec<&str> =
        text.split(ends).flat_map(|word| word.split(':').map(|part| part.trim_matches(['-', '.']))).collect();
    let is_port = |number: &&str| {
        number.parse::<u32>().is_ok_and(|port| (1024..65536).contains(&port) && !(1990..2100).contains(&port))
    };
    ports.iter().any(|number| wanted.contains(number)) || wanted.is_empty() || !ports.iter().any(is_port)
}

fn brings_schema(step: &Step) -> bool {
    let migrates = tools::MIGRATES.contains(&step.program.as_str());
    let looks = [
        "current", "history", "status", "heads", "show", "info", "list", "check", "validate", "revision",
        "new", "generate",
    ];
    !step.has_verb(&looks)
        && (migrates || step.has_verb(&["migrate", "migrations", "schema", "migration", "database"]))
}

/// Whether two runs are of one kind: the second is no remedy because it is like the first.
fn is_sibling(failed: &Step, step: &Step) -> bool {
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

/// The parts of the names of files that it runs: `grant_x.sql` grants, `create-db.sh` creates.
fn file_parts(step: &Step) -> impl Iterator<Item = &str> {
    file_stems(step).flat_map(|stem| stem.split(['_', '-', '.']))
}

fn file_stems(step: &Step) -> impl Iterator<Item = &str> {
    let files = step.raw_words().chain([step.program.as_str()]).filter(|word| looks_like_path(word));
    files.filter_map(|path| Some(path.rsplit('/').next()?.rsplit_once('.')?.0))
}

/// A name without its version: another version of the same is the same name.
fn stem(name: &str) -> &str {
    let at = name.get(1..).and_then(|rest| rest.find(['=', '@', '<', '>', '~', '^', '!'])).map(|at| at + 1);
    at.map_or(name, |at| &name[..at])
}

/// Whether a command names what was missing.
fn supplies_name(failed: &Step, step: &Step, roots: &[Root], hints: &Hints, output: &str) -> bool {
    let absent = roots.iter().filter_map(Root::name);
    let sibling = is_sibling(failed, step);
    // What both are told is not what the one lacked, unless the error says so.
    let own = |name: &str| failed.raw_words().any(|word| stem(word) == stem(name));
    let named = hints.names.iter().map(String::as_str).filter(|name| !own(name));
    let wanted: Vec<&str> = absent.filter(|name| !sibling || !own(name)).chain(named).collect();
    let words = step.words.iter().chain(&step.tail).chain(&step.flags).chain(&step.reads);
    let mut parts = words.flat_map(|word| {
        let address = word.split_once("://").and_then(|(_, place)| place.split('/').next());
        word.split(|c: char| c.is_whitespace() || "();,'\"=@:".contains(c))
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

/// Whether it installs a program, a module or a library under a package's name: `rg` is in ripgrep, `yaml` in pyyaml.
fn is_called_otherwise(failed: &Step, step: &Step, roots: &[Root], hints: &Hints) -> bool {
    let named =
        roots.iter().filter(|root| matches!(root, Root::Program(_) | Root::Module(_) | Root::Target(_)));
    let named = named.filter_map(Root::name);
    let wanted: Vec<String> =
        named.chain(hints.lacks.iter().map(String::as_str)).map(str::to_lowercase).collect();
    let packages = step.words.iter().map(|word| stem(word).to_lowercase()).filter(|word| word != "install");
    let fits = |package: &str| {
        let built = package.ends_with("-dev") || package.ends_with("-devel") || package == "pkg-config";
        let compiler = hints.compiler && (built || tools::COMPILERS.contains(&package));
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

/// Whether a command that brings things brings one whose name shares a part with what was lacking.
fn supplies_part(failed: &Step, step: &Step, hints: &Hints, output: &str) -> bool {
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

/// Whether it installs or chooses the version of a language that was wanted.
fn supplies_runtime(step: &Step, hints: &Hints) -> bool {
    const RUNTIMES: &[&str] = &[
        "python",
        "node",
        "ruby",
        "java",
        "toolchain",
        "sdk",
        "runtime",
        "jdk",
        "dotnet",
        "env",
        "interpreter",
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

/// Whether it makes a thing by a name that the error has and the failed one was not given.
fn makes_what_is_said(failed: &Step, step: &Step, error: &[String]) -> bool {
    let is_word = |word: &str| tools::SUPPLIES.contains(&word) || tools::is_known(word) || is_noun(word);
    let own = |name: &str| failed.raw_words().any(|word| stem(word) == stem(name));
    let ends = |c: char| c.is_whitespace() || "\"'`,;()[]".contains(c);
    let said = |name: &str| {
        error.iter().flat_map(|line| line.split(ends)).any(|word| word.trim_end_matches([':', '.']) == name)
    };
    let made = step.words.iter().map(String::as_str).filter(|word| word.len() > 3 && !is_word(word));
    let makes = step.has_verb(tools::CREATES) && !step.only_looks() && !is_sibling(failed, step);
    makes && made.into_iter().any(|name| !own(name) && said(name))
}

/// Whether it does, to a thing that the error names, what the error says has not been done: `x has not been pushed`.
fn does_what_is_said(failed: &Step, hints: &Hints, step: &Step, error: &[String]) -> bool {
    let verb = step.sub.as_deref().unwrap_or_default();
    let other = step.program != failed.program && tools::SUPPLIES.contains(&verb);
    if other && hints.first.iter().any(|first| first == verb) && tools::share_names(&step.program, &failed.program) {
        return true;
    }
    let said = |word: &str| error.iter().flat_map(|line| line.split_whitespace()).any(|other| other == word);
    let things = step.words.iter().flat_map(|word| word.rsplit('/').next()).filter(|word| word.len() > 3);
    other && hints.verbs.iter().any(|known| known == verb) && things.into_iter().any(said)
}

/// Whether it installs a package by a name that the error has as a part: `libtool` where AC_PROG_LIBTOOL is not defined.
pub(in super::super) fn brings_what_is_said(failed: &Step, hints: &Hints, step: &Step, error: &[String]) -> bool {
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

/// Whether it changes the surroundings that an error was about.
fn sets_up(failed: &Step, step: &Step, roots: &[Root]) -> bool {
    const SETS: &[&str] = &[
        "config",
        "configure",
        "set",
        "init",
        "login",
        "auth",
        "use",
        "add",
        "install",
        "update",
        "migrate",
        "generate",
        "accept",
        "import",
    ];
    let around =
        roots.iter().any(|root| matches!(root, Root::Unready(name) if name.contains(" surroundings ")));
    around
        && tools::family(&step.program) == tools::family(&failed.program)
        && step.has_verb(SETS)
        && !is_sibling(failed, step)
}

/// Whether the same kind of program puts a database's state right: `repair`, `baseline`, `stamp`.
fn restores(failed: &Step, step: &Step) -> bool {
    const RESTORES: &[&str] = &[
        "repair", "baseline", "resolve", "rollback", "reset", "undo", "stamp", "force", "clean", "fresh",
        "wipe", "refresh",
    ];
    let data =
        |step: &Step| kind_of(step).is_some_and(|kind| kind == "db" || tools::MIGRATES.contains(&kind));
    data(failed)
        && data(step)
        && tools::family(&step.program) == tools::family(&failed.program)
        && step.has_verb(RESTORES)
}

/// Whether the same program looks anew at what there is: `daemon-reload`, `repo update`, `repair`.
fn refreshes(failed: &Step, step: &Step, roots: &[Root]) -> bool {
    let lacks = roots.iter().any(|root| matches!(root, Root::Absent(_) | Root::Datum(_) | Root::Target(_)));
    let anew = step.has_verb(&["daemon-reload", "refresh", "repair"])
        || step.has_verb(&["update"]) && step.words.len() < 2;
    anew && lacks
        && tools::family(&step.program) == tools::family(&failed.program)
        && !is_sibling(failed, step)
}

/// Whether it says where else packages are to be had.
fn adds_source(failed: &Step, step: &Step) -> bool {
    const SOURCES: &[&str] = &[
        "source",
        "sources",
        "registry",
        "repo",
        "repository",
        "repositories",
        "index",
        "feed",
        "channel",
        "channels",
        "tap",
        "remote",
    ];
    let kin = tools::family(&step.program) == tools::family(&failed.program);
    kin && step
        .words
        .iter()
        .chain(&step.sub)
        .any(|word| SOURCES.contains(&word.split('.').next().unwrap_or_default()))
}

/// Whether it installs all that a project wants, of the failed one's kind and place.
fn installs_all(failed: &Step, step: &Step, hints: &Hints) -> bool {
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
