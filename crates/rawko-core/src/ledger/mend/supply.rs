//! Whether a command that succeeded supplies what a failure missed.

use super::super::credentials;
use super::super::root::{Root, is_elsewhere, is_in_another, service_key, step_endpoints, step_needs, talks};
use super::super::step::Step;
use super::super::tools;
use super::asked::{is_asked, makes_the_thing, prepares, sets_what_is_said};
use super::names::{file_parts, is_sibling, supplies_name, supplies_part};
use super::packages::{adds_source, installs_all, supplies_runtime};
use super::serve::{refuses, restarts, starts_it};
use super::state::{brings_schema, builds, clears_way, refreshes, renews, restores};
use super::{Hints, Matter};

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
        || sets_what_is_said(failed, hints, step)
        || prepares(failed, roots, hints, step)
        || makes_the_thing(failed, roots, hints, step)
        || renews(failed, step)
        || restarts(failed, step, output)
        || builds(failed, roots, step)
    {
        return true;
    }
    if !does && !step.makes_in_code() {
        return false;
    }
    if hints.is_about(Matter::Busy) || roots.iter().any(|root| matches!(root, Root::Busy(_))) {
        return step.has_verb(tools::REMOVES);
    }
    if refuses(roots) && !roots.iter().any(|root| matches!(root, Root::Datum(_))) {
        return starts_it(step, roots, output, false);
    }
    if hints.is_about(Matter::Refused) && starts_it(step, roots, output, false) {
        return true;
    }
    let idle = roots.iter().any(|root| matches!(root, Root::Unready(name) if name.contains(" running ")));
    if idle && step.has_verb(tools::STARTS) && tools::family(&step.program) == tools::family(&failed.program)
    {
        return true;
    }
    if hints.is_about(Matter::Login) && logs_in(failed, step) {
        return true;
    }
    if hints.is_about(Matter::Schema) && !is_sibling(failed, step) && brings_schema(step) {
        return true;
    }
    supplies_name(failed, step, roots, hints, output)
        || hints.is_about(Matter::Runtime) && supplies_runtime(step, hints)
        || refreshes(failed, step, hints)
        || restores(failed, step)
        || hints.is_about(Matter::Packages) && adds_source(failed, step)
        || supplies_part(failed, step, hints, output)
        || (hints.is_about(Matter::Packages) || roots.iter().any(|root| matches!(root, Root::Program(_))))
            && !is_sibling(failed, step)
            && installs_all(failed, step, hints)
}

/// Whether it says who one is, or gives somebody the right to be it.
fn logs_in(failed: &Step, step: &Step) -> bool {
    #[rustfmt::skip]
    const LOGINS: &[&str] = &[
        "login", "auth", "sso", "configure", "ssh-add", "ssh-keygen", "ssh-keyscan", "ssh-copy-id", "authenticate", "set-url",
    ];
    let kin = tools::family(&step.program) == tools::family(&failed.program);
    let grants = step.makes_in_code() || step.has_verb(&["grant", "alter", "create"]);
    step.has_verb(LOGINS) || kin && (grants || credentials::are_given(step))
}

/// Whether it works on a project of the folder that it is in.
pub(super) fn is_project(step: &Step) -> bool {
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
    if hints.is_about(Matter::Device)
        && kin
        && output.lines().filter(|line| !line.trim().is_empty()).count() > 1
    {
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
