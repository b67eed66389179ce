//! G1: what was said to be saved survives `kill -9` at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use crate::rig::{self, Rig, Said, check, on_two_threads};
use crate::trace::{self, Call, from_first_access};

/// A writing command, from a store in which it has work to do.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) rig: Rig,
    pub(crate) args: Vec<&'static str>,
    /// What was acknowledged before.
    pub(crate) before: Vec<Said>,
    /// What the command adds.
    pub(crate) adds: Vec<Said>,
    /// How many files are damaged before.
    pub(crate) errors: usize,
}

const NEW: &str = "# New\n\nIt is kept whole:\n\n```\nor not at all\n```";

fn said(slug: &str, body: &str) -> Said {
    (slug.to_owned(), body.to_owned())
}

fn scenario(name: &'static str, rig: Rig, before: Vec<Said>, args: &[&'static str], slug: &str) -> Scenario {
    let adds = if slug.is_empty() { Vec::new() } else { vec![said(slug, NEW)] };
    Scenario { name, rig, args: args.to_vec(), before, adds, errors: 0 }
}

/// Every writing command.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let add = ["add", "--title", "Alpha", "--content", NEW];
    let started = || {
        let rig = Rig::new().by_table();
        let before = vec![
            rig.add("Alpha", "# One\n\nFirst."),
            rig.add("Alpha", "# Two\n\nSecond."),
            rig.add("Beta", "# B\n\nOther."),
        ];
        (rig, before)
    };
    let mut all = vec![scenario("init", Rig::bare(), Vec::new(), &["init"], "")];
    let (rig, before) = started();
    all.push(scenario("add new", rig, before, &["add", "--title", "Gamma", "--content", NEW], "gamma"));
    let (rig, before) = started();
    all.push(scenario("add to an existing memory", rig, before, &add, "alpha"));
    let (rig, mut before) = started();
    before.push(rig.add_loose("Alpha", "# Loose\n\nIt waits."));
    before.push(rig.add_loose("Beta", "# Loose\n\nIt waits, too."));
    all.push(scenario("add while records wait", rig, before, &add, "alpha"));
    let (rig, before) = started();
    all.push(scenario("trust", rig.copy(), before, &["trust", "--yes"], ""));
    let (rig, mut before) = started();
    before.push(rig.add_loose("Alpha", "# Loose\n\nIt waits."));
    let mut torn = fs::OpenOptions::new().append(true).open(rig.memory("beta")).expect("a memory opens");
    torn.write_all(b"\n---\n\n---\ntitle: cut o").expect("a torn tail is written");
    fs::write(rig.root().join("spool/.tmp-000000000000-left"), "half").expect("a leftover is written");
    fs::remove_dir(rig.root().join("agents")).expect("a part of the store is removed");
    let doctor = scenario("doctor --repair", rig, before, &["doctor", "--repair"], "");
    all.push(Scenario { errors: 1, ..doctor });
    all
}

/// The calls at which a kill can make a difference: those that change something, and what comes after.
pub(crate) fn points(calls: &[Call]) -> Vec<&Call> {
    let calls: Vec<&Call> = if std::env::var_os("RAWKO_FULL").is_some() {
        return calls.iter().filter(|call| call.name != "execve").collect();
    } else {
        from_first_access(calls).iter().collect()
    };
    let after_change = |n: usize| n > 0 && calls[n - 1].changes();
    let kept = calls.iter().enumerate().filter(|(n, call)| call.changes() || after_change(*n));
    kept.map(|(_, call)| *call).collect()
}

#[test]
fn crash_syscalls() {
    if !trace::is_possible() {
        return;
    }
    let mut kills = 0;
    for scenario in scenarios() {
        let (ran, calls) = scenario.rig.copy().traced(&scenario.args, None);
        assert_eq!(ran.code, Some(0), "{}: {ran:?}", scenario.name);
        let points = points(&calls);
        kills += points.len();
        on_two_threads(&points, |call| kill_at(&scenario, call));
    }
    println!("crash_syscalls: {kills} kills, nothing lost");
}

fn kill_at(scenario: &Scenario, call: &Call) {
    let place = format!("{}, killed at {} number {}", scenario.name, call.name, call.nth);
    let rig = scenario.rig.copy();
    let (ran, _) =
        rig.traced(&scenario.args, Some(&format!("{}:signal=SIGKILL:when={}", call.name, call.nth)));
    let mut sure = scenario.before.clone();
    if ran.acknowledged() {
        sure.extend(scenario.adds.clone());
    }
    let look = |rig: &Rig, sure: &[Said], errors: usize| {
        let (found, bad) = rig.entries();
        if let Err(wrong) = check(&found, sure, &scenario.adds) {
            panic!("{place}: {wrong}");
        }
        assert!(bad <= errors, "{place}: {bad} damaged files");
    };
    look(&rig, &sure, scenario.errors);
    if !sure.is_empty() {
        shown(&rig, &sure, &scenario.adds, &place);
    } else {
        assert_eq!(rig.run(&["init"]).code, Some(0), "{place}: init works after that");
    }
    sure.push(rig.add("Alpha", "# After\n\nStill works."));
    look(&rig, &sure, scenario.errors);
    let mended = rig.run(&["doctor", "--repair"]);
    assert_eq!(mended.code, Some(0), "{place}: {mended:?}");
    look(&rig, &sure, 0);
    assert_eq!(rig.waiting(), Vec::<String>::new(), "{place}: the spool is empty");
}

/// The program shows exactly what the library reads.
fn shown(rig: &Rig, sure: &[Said], possible: &[Said], place: &str) {
    let ran = rig.run(&["show", "alpha", "--history", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("show prints JSON");
    let mut found: BTreeMap<Said, usize> = BTreeMap::new();
    for entry in value["history"].as_array().expect("a history") {
        *found.entry(said("alpha", entry["body"].as_str().expect("a body"))).or_default() += 1;
    }
    let sure: Vec<Said> = sure.iter().filter(|(slug, _)| slug == "alpha").cloned().collect();
    if let Err(wrong) = check(&found, &sure, possible) {
        panic!("{place}, as shown: {wrong}");
    }
}

/// Small, fast, and the same for the same seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn crash_random() {
    let kills = rig::size("RAWKO_KILLS", 300, 20_000);
    let rig = Rig::new();
    let mut journal = vec![rig.add("Shared", "# Shared\n\nThe first.")];
    let acknowledged: Mutex<Vec<Said>> = Mutex::new(Vec::new());
    let unsure: Mutex<Vec<Said>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (rig, acknowledged, unsure) = (&rig, &acknowledged, &unsure);
            scope.spawn(move || {
                let mut dice = Dice(writer as u64 + 1);
                for n in 0..kills.div_ceil(8) {
                    let title = if dice.below(2) == 0 {
                        "Shared".to_owned()
                    } else {
                        format!("Own {writer} {}", n / 3)
                    };
                    let body = format!("# Entry\n\nWriter {writer}, number {n}.");
                    let said = (rig::slug(&title), body.clone());
                    let to = if killed(rig, &title, &body, &mut dice) { acknowledged } else { unsure };
                    to.lock().expect("no writer panicked").push(said);
                }
            });
        }
    });
    journal.extend(acknowledged.into_inner().expect("no writer panicked"));
    let unsure = unsure.into_inner().expect("no writer panicked");
    let verify = |when: &str| {
        let (found, errors) = rig.entries();
        if let Err(wrong) = check(&found, &journal, &unsure) {
            panic!("{when}: {wrong}");
        }
        assert_eq!(errors, 0, "{when}");
    };
    verify("after the kills");
    assert_eq!(rig.run(&["doctor", "--repair"]).code, Some(0));
    verify("after the repair");
    assert_eq!(rig.waiting(), Vec::<String>::new());
    println!(
        "crash_random: {} acknowledged and {} killed in time, nothing lost",
        journal.len(),
        unsure.len()
    );
}

/// Adds, and kills the program after a random while; whether it had said that it saved.
fn killed(rig: &Rig, title: &str, body: &str, dice: &mut Dice) -> bool {
    let mut command = rig.command(trace::PROGRAM, &["add", "--title", title, "--content", body]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    let output = child.stdout.take().expect("its output");
    // Nothing is waited for here: the moment of the kill is the input.
    std::thread::sleep(Duration::from_micros(dice.below(60_000) as u64));
    let _ = child.kill();
    child.wait().expect("it ended");
    BufReader::new(output).lines().map_while(Result::ok).any(|line| line.starts_with("Saved"))
}
