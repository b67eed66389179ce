//! What was in the way, or not as it has to be: rights, room, surroundings, a schema.

use super::super::inputs::is_built;
use super::super::root::{Root, kind_of, step_endpoints};
use super::super::step::Step;
use super::super::tools;
use super::names::is_sibling;
use super::{Hints, Matter};

/// Whether it takes away what was in the way, makes room, gives rights, or brings a device.
pub(super) fn clears_way(failed: &Step, hints: &Hints, step: &Step) -> bool {
    #[rustfmt::skip]
    const RIGHTS: &[&str] = &[
        "chmod", "chown", "usermod", "setfacl", "newgrp", "gpasswd", "adduser", "grant", "setcap", "icacls", "take-ownership",
        "iam", "policy", "acl", "permission", "permissions", "role", "roles", "authorize",
    ];
    const BRINGS: &[&str] = &[
        "attach",
        "connect",
        "pair",
        "bind",
        "boot",
        "emulator",
        "emulators",
        "simulator",
        "simulators",
        "usbip",
    ];
    let removes = step.has_verb(tools::REMOVES) || step.has_verb(&["rename", "gc"]);
    // What it takes away is what the failed one would make.
    let names = |word: &str| {
        failed.raw_words().any(|mine| mine == word)
            || hints.names.iter().any(|name| name.trim_start_matches('/') == word)
    };
    let as_root = step.env.iter().any(|set| set == "sudo=");
    let installs = tools::MANAGERS.contains(&step.program.as_str());
    let same = || step.raw_words().chain(step.tail.iter().map(String::as_str)).any(names);
    let settles = step.program == "git"
        && step.has_verb(&["stash", "commit", "restore", "reset", "checkout", "clean", "add"]);
    // A name of what is known elsewhere may be known here after a look there.
    let fetches = step.program == "git" && step.has_verb(&["fetch", "pull"]);
    hints.is_about(Matter::Dirty) && settles
        || fetches && hints.is_about(Matter::Lack) && hints.kinds.iter().any(|(kind, _)| kind == "ref")
        || hints.is_about(Matter::Exists) && removes && same()
        || hints.is_about(Matter::Room) && removes
        || hints.is_about(Matter::Rights) && (step.has_verb(RIGHTS) || as_root && !installs)
        || hints.is_about(Matter::Device) && step.has_verb(BRINGS)
}

/// Whether it builds, where what a build makes was not there.
pub(super) fn builds(failed: &Step, roots: &[Root], step: &Step) -> bool {
    const BUILDS: &[&str] = &["build", "compile", "make", "all", "assemble", "package", "bundle", "dist"];
    let lacks = roots.iter().any(|root| matches!(root, Root::Missing(path) if is_built(path)));
    lacks && step.has_verb(BUILDS) && !is_sibling(failed, step)
}

/// Whether it brings something new to where the failed one looked, on a device or at an address: `flash`, `deploy`.
pub(super) fn renews(failed: &Step, step: &Step) -> bool {
    const RENEWS: &[&str] = &["flash", "deploy", "upload", "rollout", "restart", "redeploy"];
    let looked =
        !step_endpoints(failed).is_empty() || failed.raw_words().any(|word| word.starts_with("/dev/"));
    looked && step.has_verb(RENEWS) && !is_sibling(failed, step)
}

/// Whether the same kind of program puts a database's state right: `repair`, `baseline`, `stamp`.
pub(super) fn restores(failed: &Step, step: &Step) -> bool {
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
pub(super) fn refreshes(failed: &Step, step: &Step, hints: &Hints) -> bool {
    let anew = step.has_verb(&["daemon-reload", "refresh", "repair"])
        || step.has_verb(&["update"]) && step.sub.iter().chain(&step.words).count() < 3;
    anew && hints.is_about(Matter::Lack)
        && tools::family(&step.program) == tools::family(&failed.program)
        && !is_sibling(failed, step)
}

pub(super) fn brings_schema(step: &Step) -> bool {
    let migrates = tools::MIGRATES.contains(&step.program.as_str());
    let looks = [
        "current", "history", "status", "heads", "show", "info", "list", "check", "validate", "revision",
        "new", "generate",
    ];
    !step.has_verb(&looks)
        && (migrates || step.has_verb(&["migrate", "migrations", "schema", "migration", "database"]))
}
