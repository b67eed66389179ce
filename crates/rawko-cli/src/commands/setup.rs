//! `rawko setup`: hooks into the hosts' settings, shown before they are written, and out again.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use rawko::core::{inert, inert_line};
use rawko::{Check, Ignored, Outcome};
use serde_json::json;

use crate::args::Setup;
use crate::commands::doctor;
use crate::error::Failure;
use crate::hosts::settings::diff::diff;
use crate::hosts::settings::{Plan, damage, has_server, is_ours, jsonc};
use crate::hosts::{Host, Machine, Scope, What, kept_from_running_by_codex};
use crate::open::{self, Place};
use crate::output::{Look, Output};
use crate::person;

pub(crate) fn run(args: &Setup, place: &Place, out: &Output) -> Result<(), Failure> {
    let machine = machine(place)?;
    let home = place.home.clone().ok_or_else(homeless)?;
    let scope = if args.project { Scope::Project } else { Scope::User };
    let hosts = chosen(args, &machine)?;
    if args.check {
        let hosts = hosts.iter().flat_map(|host| examine(*host, &[scope], &machine));
        return check(args, hosts.chain(own_settings(place, &home)).collect(), out);
    }
    let program = program(scope);
    let mut failed = false;
    for host in hosts {
        failed |= !one(host, scope, args, &machine, &home, &program, out)?;
    }
    if failed { Err(Failure::Said) } else { Ok(()) }
}

fn homeless() -> Failure {
    Failure::wrong("there is no home folder", "set HOME to your home folder")
}

/// What this machine is like.
fn machine(place: &Place) -> Result<Machine, Failure> {
    let home = open::folder("HOME").or_else(|| open::folder("USERPROFILE")).ok_or_else(homeless)?;
    let is_top = |folder: &&Path| folder.join(".git").exists() || folder.join(".rawko/memories").exists();
    let project = place.start.ancestors().find(is_top).unwrap_or(&place.start).to_owned();
    Ok(Machine { home, project, variable: open::folder })
}

/// The hosts that are named, or those that are on this machine.
fn chosen(args: &Setup, machine: &Machine) -> Result<Vec<Host>, Failure> {
    if args.all {
        return Ok(Host::ALL.to_vec());
    }
    let named = args.hosts.iter().map(|word| {
        Host::parse(word).ok_or_else(|| {
            Failure::usage(
                format!("`{word}` is no host that rawko knows"),
                "use claude, codex, gemini, copilot, cursor or opencode",
            )
        })
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    if !named.is_empty() {
        return Ok(named);
    }
    let found: Vec<Host> = Host::ALL.into_iter().filter(|host| is_installed(*host, machine)).collect();
    if found.is_empty() {
        return Err(Failure::wrong(
            "none of the hosts that rawko knows is on this machine",
            "name one: claude, codex, gemini, copilot, cursor or opencode",
        ));
    }
    Ok(found)
}

fn is_installed(host: Host, machine: &Machine) -> bool {
    host.folder(machine).is_dir() || host.programs().iter().any(|program| open::on_path(program).is_some())
}

/// How hosts are to call this program: by its name where that finds it, otherwise by its place.
fn program(scope: Scope) -> String {
    let this = env::current_exe().and_then(|path| path.canonicalize()).ok();
    let named = open::on_path("rawko").and_then(|path| path.canonicalize().ok());
    match this {
        // A project's files go to other people's machines.
        Some(this) if scope == Scope::User && named.as_ref() != Some(&this) => this.display().to_string(),
        _ => "rawko".to_owned(),
    }
}

/// Sets up one host or takes it back; `false` if that was not possible.
fn one(
    host: Host,
    scope: Scope,
    args: &Setup,
    machine: &Machine,
    home: &Path,
    program: &str,
    out: &Output,
) -> Result<bool, Failure> {
    let mut wanted = host.wants(scope, machine, program);
    if args.remove {
        // The first file brought the folder along: it goes last.
        wanted.reverse();
    }
    let (mut good, mut plans) = (true, Vec::new());
    for wanted in &wanted {
        let plan = if args.remove { Plan::remove(host, wanted, home) } else { Plan::add(host, wanted, home) };
        match plan {
            Ok(plan) if plan.is_done() => {
                let state = if args.remove { "has nothing of rawko" } else { "is set up" };
                let shown = inert_line(&plan.file.display().to_string());
                out.line(format!("{} {state}: {shown}", host.title()))?;
            }
            Ok(plan) => {
                announce(host, &plan, out)?;
                plans.push(plan);
            }
            // What else is wrong is said, too.
            Err(failure) => {
                failure.report();
                good = false;
            }
        }
    }
    // With a part of its files a host would do half of it; what can be taken out goes.
    if !good && !args.remove {
        out.line(format!("{} was left as it is: all of its files change, or none", host.title()))?;
        return Ok(false);
    }
    if plans.is_empty() {
        return Ok(good);
    }
    if !args.yes && !agreed(args.remove, plans.len())? {
        out.line("  left as it is")?;
        return Ok(good);
    }
    for plan in plans {
        let word = if plan.after.is_none() { "removed" } else { "written" };
        let shown = inert_line(&plan.file.display().to_string());
        // One file that is refused is no reason to leave the others out.
        if let Err(failure) = plan.carry_out() {
            good = false;
            out.line(format!("  {}: {shown}", out.paint(Look::Bad, &format!("not {word}"))))?;
            failure.report();
        } else {
            out.line(format!("  {}: {shown}", out.paint(Look::Good, word)))?;
        }
    }
    if !args.remove && good {
        advise(host, scope, program, out)?;
    }
    Ok(good)
}

/// Says which file is to change, and how.
fn announce(host: Host, plan: &Plan, out: &Output) -> Result<(), Failure> {
    let shown = inert_line(&plan.file.display().to_string());
    out.line(out.paint(Look::Strong, &format!("{}: {shown}", host.title())))?;
    if plan.target != plan.file {
        let target = inert_line(&plan.target.display().to_string());
        out.line(format!("  it is a link; the file that changes is {target}"))?;
    }
    show(plan, out)
}

/// The change, line by line.
fn show(plan: &Plan, out: &Output) -> Result<(), Failure> {
    let (before, after) =
        (plan.before.as_deref().unwrap_or_default(), plan.after.as_deref().unwrap_or_default());
    match (&plan.before, &plan.after) {
        (None, _) => out.line("  a new file:")?,
        (_, None) => out.line("  the file goes, because rawko made it:")?,
        _ => {}
    }
    for line in diff(before, after) {
        let look = match line.as_bytes().first() {
            Some(b'+') => Look::Good,
            Some(b'-') => Look::Bad,
            _ => Look::Faint,
        };
        out.line(format!("  {}", out.paint(look, &inert(&line))))?;
    }
    Ok(())
}

fn agreed(remove: bool, files: usize) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nothing was written, because nobody can be asked here",
            "look at the change above, then add --yes",
        ));
    }
    // The change may be longer than a screen.
    let what = if files > 1 { format!("{files} files change as shown. ") } else { String::new() };
    let asked = if remove { "Take it out?" } else { "Write it?" };
    person::answered(&format!("  {what}{asked}"))
}

fn advise(host: Host, scope: Scope, program: &str, out: &Output) -> Result<(), Failure> {
    match (host, scope) {
        (Host::Codex, _) => {
            out.line("  One step is yours: start codex, type /hooks, and trust them. Codex runs no hook before that.")?;
        }
        (Host::Copilot | Host::Gemini | Host::Cursor, Scope::Project) => {
            out.line(format!("  {} runs a project's hooks only in a folder that you trust.", host.title()))?;
        }
        _ => {}
    }
    if program == "rawko" && open::on_path("rawko").is_none() {
        out.line("  `rawko` is not on your search path yet, so the hooks find nothing until it is.")?;
    }
    let next = format!(
        "  Next: start {} in a project with memories, and ask. `rawko why` tells what it heard.",
        host.title()
    );
    out.line(out.paint(Look::Faint, &next))
}

/// What the person's own settings say in vain: no hook would tell.
fn own_settings(place: &Place, home: &Path) -> Vec<Check> {
    let Ok(engine) = place.engine() else { return Vec::new() };
    let own = |ignored: &&Ignored| Path::new(&ignored.file).starts_with(home);
    engine.config().ignored.iter().filter(own).map(Ignored::check).collect()
}

fn check(args: &Setup, checks: Vec<Check>, out: &Output) -> Result<(), Failure> {
    let good = checks.iter().all(|check| check.outcome == Outcome::Ok);
    if args.json {
        let checks: Vec<_> = checks.iter().map(doctor::in_json).collect();
        out.json(&json!({ "ok": good, "checks": checks }))?;
    } else {
        checks.iter().try_for_each(|check| doctor::show(check, out))?;
    }
    if good { Ok(()) } else { Err(Failure::Said) }
}

/// How the hosts on this machine are set up, for `rawko doctor`.
pub(crate) fn examine_all(place: &Place) -> Vec<Check> {
    let Ok(machine) = machine(place) else { return Vec::new() };
    let installed = Host::ALL.into_iter().filter(|host| is_installed(*host, &machine));
    installed.flat_map(|host| examine(host, &[Scope::User, Scope::Project], &machine)).collect()
}

/// How a host is set up: by the first of these scopes in which it is.
fn examine(host: Host, scopes: &[Scope], machine: &Machine) -> Vec<Check> {
    let name = format!("host {}", host.name());
    let told = |outcome, found: String, remedy: &str| Check {
        name: name.clone(),
        outcome,
        found,
        remedy: remedy.to_owned(),
    };
    let set_up = format!("run `rawko setup {}`", host.name());
    let Some((scope, file, text)) = scopes.iter().find_map(|&scope| {
        let file = host.wants(scope, machine, "rawko").swap_remove(0).file;
        let text = std::fs::read_to_string(&file).ok().filter(|text| is_ours(host, text))?;
        Some((scope, file, text))
    }) else {
        let mut checks = damaged(host, scopes, machine, &told);
        checks.push(told(Outcome::Note, format!("{} is not set up", host.title()), &set_up));
        return checks;
    };
    let shown = file.display();
    let damaged = damaged(host, &[scope], machine, &told);
    if !damaged.is_empty() {
        return damaged;
    }
    let missing = missing(host, scope, machine, &text);
    if !missing.is_empty() {
        return vec![told(Outcome::Note, format!("{shown} lacks {}", missing.join(", ")), &set_up)];
    }
    let mut checks = vec![told(Outcome::Ok, format!("{} is set up in {shown}", host.title()), "")];
    let this = env::current_exe().and_then(|path| path.canonicalize()).ok();
    if let Some(called) = called(host, &text)
        && found(&called) != this
    {
        let found = format!("{shown} calls `{called}`, which is not this program");
        checks.push(told(Outcome::Note, found, &set_up));
    }
    for wanted in host.wants(scope, machine, "rawko") {
        let text = std::fs::read_to_string(&wanted.file).unwrap_or_default();
        let file = wanted.file.display();
        match has_server(&wanted.what, &text) {
            Some(true) => checks.push(told(Outcome::Ok, format!("the MCP server `rawko` is in {file}"), "")),
            Some(false) => {
                checks.push(told(Outcome::Note, format!("{file} lacks the MCP server `rawko`"), &set_up));
            }
            None => {}
        }
    }
    let stopped = match host {
        Host::Claude => turned_off(machine),
        Host::Codex => kept_from_running_by_codex(machine, &file, &text),
        _ => Vec::new(),
    };
    checks.extend(stopped.into_iter().map(|(found, remedy)| told(Outcome::Note, found, remedy)));
    checks
}

/// The files of a host that nobody can read: neither the host nor we.
fn damaged(
    host: Host,
    scopes: &[Scope],
    machine: &Machine,
    told: &impl Fn(Outcome, String, &str) -> Check,
) -> Vec<Check> {
    let wanted = scopes.iter().flat_map(|&scope| host.wants(scope, machine, "rawko"));
    let found = wanted.filter_map(|wanted| {
        let text = std::fs::read_to_string(&wanted.file).ok()?;
        let (line, what) = damage(&wanted.what, &text)?;
        Some(format!("{} line {line}: {what}", wanted.file.display()))
    });
    found.map(|found| told(Outcome::Note, found, "mend the file: the host cannot read it either")).collect()
}

/// The files in which Claude Code is told to run no hook, whoever wants one.
fn turned_off(machine: &Machine) -> Vec<(String, &'static str)> {
    let project = machine.project.join(".claude");
    let files = [
        Host::Claude.folder(machine).join("settings.json"),
        project.join("settings.json"),
        project.join("settings.local.json"),
    ];
    let turns_off = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        jsonc::member(&text, "disableAllHooks") == Some(json!(true))
    };
    let told = |file: PathBuf| {
        let found = format!("{} has disableAllHooks: no hook runs", file.display());
        (found, "take disableAllHooks out of the file")
    };
    files.into_iter().filter(turns_off).map(told).collect()
}

/// The events for which nothing of ours is in a file.
fn missing(host: Host, scope: Scope, machine: &Machine, text: &str) -> Vec<String> {
    match host.wants(scope, machine, "rawko").swap_remove(0).what {
        What::Whole(_) | What::Block(_) => Vec::new(),
        What::Entries { .. } => {
            let known = jsonc::entries(text, "hooks").unwrap_or_default();
            let has = |event: &str| {
                known.iter().any(|(list, entry)| list == event && is_ours(host, &entry.to_string()))
            };
            host.events().iter().map(|told| told.name).filter(|name| !has(name)).map(str::to_owned).collect()
        }
    }
}

/// The program that a file calls: what stands before ` hook <host> `.
fn called(host: Host, text: &str) -> Option<String> {
    if host == Host::Opencode {
        let line = text.lines().find(|line| line.starts_with("const program = "))?;
        return Some(line.split('"').nth(1)?.to_owned());
    }
    let before = text.split(&format!(" hook {} ", host.name())).next()?;
    let word = match before.strip_suffix('\'') {
        Some(quoted) => quoted.rsplit('\'').next()?,
        None => before.rsplit([' ', '"']).next()?,
    };
    Some(word.to_owned())
}

fn found(program: &str) -> Option<PathBuf> {
    let path = if program.contains('/') { PathBuf::from(program) } else { open::on_path(program)? };
    path.canonicalize().ok()
}
