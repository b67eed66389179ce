//! Whether the stores are healthy, proved by using them.

use std::time::Duration;

use rawko_core::{Severity, Waiting};
use rawko_store::{FileStore, Probe, Store, StoreError};

use crate::config::Ignored;
use crate::engine::{Engine, Whose};

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As it should be.
    Ok,
    /// Works, but somebody should look.
    Note,
    /// Broken.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// How it went.
    pub outcome: Outcome,
    /// What was seen.
    pub found: String,
    /// What to do, where something is to be done.
    pub remedy: String,
}

/// Everything that was looked at.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// The checks, in the order in which they build on each other.
    pub checks: Vec<Check>,
}

impl Health {
    /// Whether nothing is broken.
    pub fn is_good(&self) -> bool {
        self.checks.iter().all(|check| check.outcome != Outcome::Bad)
    }

    fn add(&mut self, name: &str, outcome: Outcome, found: impl Into<String>, remedy: &str) {
        self.checks.push(Check {
            name: name.to_owned(),
            outcome,
            found: found.into(),
            remedy: remedy.to_owned(),
        });
    }

    fn tell(&mut self, name: &str, result: Result<String, StoreError>, remedy: &str) {
        match result {
            Ok(found) => self.add(name, Outcome::Ok, found, ""),
            Err(error) => {
                let cause =
                    std::error::Error::source(&error).map_or(String::new(), |cause| format!(": {cause}"));
                self.add(name, Outcome::Bad, format!("{error}{cause}"), remedy);
            }
        }
    }
}

impl Engine {
    /// Looks at everything; with `repair`, first mends what can be mended, keeping a copy of what it changes.
    pub fn doctor(&self, repair: bool) -> Health {
        let mut health = Health::default();
        if self.store(Whose::Project).is_none() {
            health.add(
                "project store",
                Outcome::Note,
                "there is none here",
                "run `rawko init` in your project",
            );
        }
        for (whose, store) in self.stores() {
            if whose == Whose::Person && !store.layout().memories().is_dir() {
                health.add(
                    "person's store",
                    Outcome::Note,
                    "it is empty",
                    "`rawko add --personal` starts it",
                );
                continue;
            }
            if repair {
                let mended = store.repair().map(|mended| match mended.len() {
                    0 => "nothing to mend".to_owned(),
                    _ => mended.join("; "),
                });
                health.tell(&format!("{} repair", whose.as_str()), mended, "mend it by hand");
            }
            examine(&mut health, whose, store);
        }
        health.checks.extend(self.config().ignored.iter().map(Ignored::check));
        health
    }
}

impl Ignored {
    /// What to tell of it where health is asked for.
    pub fn check(&self) -> Check {
        let key = if self.key.is_empty() { "all" } else { &self.key };
        let found = format!("{key} in {}:{}: {}", self.file, self.line, self.why);
        Check { name: "settings".to_owned(), outcome: Outcome::Note, found, remedy: self.remedy.clone() }
    }
}

/// What to do with entries that were cut off.
const TORN: &str = "run `rawko doctor --repair`: it cuts the unfinished entry off and keeps a copy";

pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn examine(health: &mut Health, whose: Whose, store: &FileStore) {
    let name = |what: &str| format!("{} {what}", whose.as_str());
    let root = store.layout().root().display().to_string();
    health.add(&name("store"), Outcome::Ok, format!("{root}, format {}", rawko_store::FORMAT), "");
    let written = store.prove_writable().map(|()| "wrote, synced and read back".to_owned());
    health.tell(&name("disk"), written, "check free space, quota and permissions");
    match store.probe(Duration::from_millis(500)) {
        Ok(probe) => {
            examine_probe(health, &name("spool"), &probe);
            examine_files(health, &name("files"), &probe);
        }
        Err(error) => health.tell(
            &name("spool"),
            Err(error),
            "check permissions, and whether the file system can lock files; what you add is kept and found all the same",
        ),
    }
    examine_memories(health, &name, store);
    match crate::sessions::health(store) {
        Ok(None) => {}
        Ok(Some((outcome, found, remedy))) => health.add(&name("sessions"), outcome, found, remedy),
        Err(error) => health.tell(&name("sessions"), Err(error), "check permissions"),
    }
    if whose == Whose::Project
        && let Some((_, problem)) = crate::check_merging(store)
    {
        health.add(&name("git"), Outcome::Note, problem.what, &problem.remedy);
    }
    // Asked only where runs wait: telling whose they are takes a key, and looking must not make one.
    if store.layout().log().join("pending").is_dir() {
        examine_runs(health, &name("runs"), store);
    }
    if let Err(error) = store.approvals().prove_writable() {
        health.tell(
            &name("trust"),
            Err(error),
            "see who owns your own folder and may write to it: nothing can be added",
        );
    }
    if !store.approvals().is_kept() {
        let found = "there is no folder of yours to keep approvals in";
        health.add(&name("trust"), Outcome::Note, found, "set RAWKO_HOME or HOME");
    }
}

/// What the memories' files hold, and what of it waits for a person.
fn examine_memories(health: &mut Health, name: &dyn Fn(&str) -> String, store: &FileStore) {
    match store.read_all() {
        Ok(reading) => {
            let bad = reading.problems.iter().filter(|p| p.problem.severity == Severity::Error).count();
            let waiting = Waiting::among(&reading.memories);
            let torn = reading.problems.iter().filter(|p| p.problem.what == rawko_core::CUT_OFF).count();
            let skipped = reading.problems.iter().filter(|p| p.is_skipped()).count();
            let mut found = format!(
                "{}, {}",
                count(reading.memories.len(), "memory", "memories"),
                count(bad, "problem", "problems")
            );
            if skipped > 0 {
                found.push_str(&format!(", {} passed over", count(skipped, "file", "files")));
            }
            let (outcome, remedy) = match (bad, torn, skipped) {
                (0, _, 0) => (Outcome::Ok, ""),
                (0, _, _) => (Outcome::Note, "run `rawko validate`: it says why"),
                _ if bad == torn => (Outcome::Bad, TORN),
                _ => (Outcome::Bad, "run `rawko validate`"),
            };
            health.add(&name("memories"), outcome, found, remedy);
            let trust = match store.approvals().is_new() {
                true => {
                    "run `rawko trust`, or, where you moved the project, `rawko trust --moved-from <where it was>`"
                }
                false => "run `rawko trust`",
            };
            for (n, what, remedy) in
                [(waiting.review, "review", "run `rawko review`"), (waiting.approval, "trust", trust)]
            {
                if n > 0 {
                    let found = count(n, "memory waits for your word", "memories wait for your word");
                    health.add(&name(what), Outcome::Note, found, remedy);
                }
            }
        }
        Err(error) => health.tell(&name("memories"), Err(error), "check permissions"),
    }
}

/// The runs that wait to be learned from.
fn examine_runs(health: &mut Health, name: &str, store: &FileStore) {
    let pending = rawko_store::PendingRuns::of(store);
    if let Ok(foreign @ 1..) = pending.foreign() {
        let found = format!("{foreign} waiting runs were not written by you, and teach nothing");
        health.add(name, Outcome::Note, found, "delete them from `log/pending`");
    }
    if let Ok(torn @ 1..) = pending.torn() {
        let found = format!("{} in `log/pending` cannot be read", count(torn, "kept run", "kept runs"));
        health.add(
            name,
            Outcome::Bad,
            found,
            "look at the file: what is left of the run is in it; then delete it",
        );
    }
    if let Ok(Some((waiting, why))) = Engine::why_runs_wait(store) {
        let found = format!(
            "{}: {why}",
            count(waiting, "run waits to be learned from", "runs wait to be learned from")
        );
        health.add(name, Outcome::Note, found, "see to what it says, then run `rawko extract --pending`");
    }
}

fn examine_probe(health: &mut Health, name: &str, probe: &Probe) {
    let mut add = |outcome, found: String, remedy| health.add(name, outcome, found, remedy);
    match (probe.is_locked, probe.waiting) {
        (false, 0) => add(Outcome::Ok, "empty, lock free".to_owned(), ""),
        (false, n) => add(
            Outcome::Note,
            format!("{} to be moved into their files", count(n, "entry waits", "entries wait")),
            "run `rawko doctor --repair`",
        ),
        (true, n) => {
            let waiting = count(n, "entry waits", "entries wait");
            let found = format!("another process is writing; {waiting}");
            add(Outcome::Note, found, "wait for it, or end it: nothing is lost either way");
        }
    }
    for path in &probe.damaged {
        let found = format!("{} is no spool file that rawko wrote whole", path.display());
        add(Outcome::Bad, found, "run `rawko doctor --repair`: it is kept in `.rawko/repaired/`");
    }
}

/// What is in a store that does not belong there, and what is not though it should be.
fn examine_files(health: &mut Health, name: &str, probe: &Probe) {
    let mut add = |outcome, found: String, remedy| health.add(name, outcome, found, remedy);
    for path in &probe.foreign {
        add(Outcome::Note, format!("{} is not rawko's", path.display()), "move it elsewhere");
    }
    for name in &probe.missing {
        add(Outcome::Note, format!("`{name}` is missing"), "run `rawko init`: it adds what is missing");
    }
}
