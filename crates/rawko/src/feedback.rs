//! What memories turned out to be worth: used after they were injected, or not.
//!
//! The usage log is the truth: receipts say what was injected, feedback lines
//! what became of it. Counts per memory are derived from it into one small
//! sorted file in the cache, so that whoever scores reads that and never a log.
//! With few data a memory stays near the prior.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use rawko_core::{Run, Slug, shows_use, sign_of_use};
use rawko_store::{FileStore, Store, StoreError, UsageLog, Wanted};
use serde_json::{Value, json};

use crate::engine::Engine;

/// What every memory is taken to have shown before anything is known: so many uses, so many times none.
const PRIOR: (f32, f32) = (2.0, 2.0);
/// An injection this old has nothing to do with a run.
pub(crate) const OLD: SignedDuration = SignedDuration::from_hours(24);
/// Most lines of feedback that are counted.
const LINES: usize = 100_000;
/// Most receipts that are looked at for one run.
pub(crate) const RECEIPTS: usize = 200;
/// A person's or agent's word counts as much as so many observed uses.
const WORD: u32 = 3;

/// How often a memory was used after it was injected, and what was said of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Times it was used.
    pub used: u32,
    /// Times it was not.
    pub unused: u32,
    /// Words that it helped.
    pub helped: u32,
    /// Words that it did not.
    pub useless: u32,
}

impl Tally {
    /// The chance that it is used the next time it is injected: near one half while little is known.
    pub fn usefulness(self) -> f32 {
        let (used, unused) = (self.used + WORD * self.helped, self.unused + WORD * self.useless);
        (PRIOR.0 + used as f32) / (PRIOR.0 + PRIOR.1 + (used + unused) as f32)
    }
}

/// The tallies of a store, by name; reading them touches one file.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    lines: Vec<u8>,
}

impl Tallies {
    /// Those of a store; none where the cache has none that this person's programs counted.
    pub fn of(store: &FileStore) -> Self {
        Self { lines: rawko_store::derived_signed(store, "usefulness").unwrap_or_default() }
    }

    /// What is known of a memory.
    pub fn tally(&self, slug: &Slug) -> Tally {
        // The file is sorted by name: bisect to the line instead of reading all of it.
        let (mut low, mut high) = (0, self.lines.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = self.lines[..middle].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let end = self.lines[middle..]
                .iter()
                .position(|&byte| byte == b'\n')
                .map_or(self.lines.len(), |at| middle + at);
            let Some((name, tally)) = read_line(&self.lines[start..end]) else { return Tally::default() };
            match name.cmp(slug.as_str()) {
                std::cmp::Ordering::Equal => return tally,
                std::cmp::Ordering::Less => low = end + 1,
                std::cmp::Ordering::Greater => high = start,
            }
        }
        Tally::default()
    }
}

/// Whose word on a memory a line is: one speaker's in one session, or else on one day.
fn speaker(slug: &Slug, line: &Value) -> (String, String, String) {
    let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let day: String = text("at").chars().take(10).collect();
    let session = Some(text("session")).filter(|session| !session.is_empty());
    (slug.to_string(), text("by"), session.unwrap_or(day))
}

fn read_line(line: &[u8]) -> Option<(&str, Tally)> {
    let mut parts = std::str::from_utf8(line).ok()?.split('\t');
    let name = parts.next()?;
    let mut count = || parts.next()?.parse().ok();
    // Earlier versions wrote two counts.
    let (used, unused) = (count()?, count()?);
    Some((name, Tally { used, unused, helped: count().unwrap_or(0), useless: count().unwrap_or(0) }))
}

/// What was injected before a run.
pub(crate) struct BeforeRun {
    /// The receipts' names.
    pub(crate) receipts: Vec<String>,
    /// Whether any of them called a memory.
    pub(crate) called: bool,
    /// Whether all that they called was held back.
    pub(crate) held_out: bool,
}

/// How runs ended with memory, and without it in the hold-out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lift {
    /// Runs with memory that ended well, of all with memory.
    pub with: (u32, u32),
    /// Runs whose memory was held back that ended well, of all such.
    pub without: (u32, u32),
}

impl Engine {
    /// Takes a person's or an agent's word on a memory; of what one session says of it, the newest word counts.
    ///
    /// Where no session is named, what one speaker says within a day is one word.
    pub fn rate(
        &self,
        slug: &Slug,
        helped: bool,
        by: &str,
        session: Option<&str>,
    ) -> Result<Tally, StoreError> {
        let found = self.show(slug)?;
        let Some(store) = self.store(found.whose) else { return Err(StoreError::Missing(slug.clone())) };
        let line = json!({ "kind": "feedback", "at": self.now().to_string(), "slug": slug.as_str(), "helped": helped, "by": by, "session": session });
        UsageLog::of(store.layout()).append(&line, self.now())?;
        self.count_feedback(store)?;
        Ok(Tallies::of(store).tally(slug))
    }

    /// Notes which of the memories that were injected before a run were used in it; gives how many.
    pub(crate) fn note_use(&self, run: &Run, said: &[Slug]) -> Result<usize, StoreError> {
        if said.is_empty() && !shows_use(run) {
            return Ok(0);
        }
        let receipts = self.receipts(RECEIPTS, |line| self.belongs(line, run))?;
        if receipts.is_empty() {
            return Ok(0);
        }
        let mut noted = 0;
        // A receipt names memories of both stores, and each store keeps what is said of its own.
        for (whose, store) in self.stores() {
            let log = UsageLog::of(store.layout());
            let judged = |line: &Value| receipts.iter().any(|receipt| receipt["id"] == line["receipt"]);
            let known = log.newest("feedback", LINES, judged)?;
            let mut news = 0;
            for receipt in receipts.iter().filter(|receipt| receipt["heldOut"] != true) {
                if known.iter().any(|line| line["receipt"] == receipt["id"]) {
                    continue;
                }
                for slug in chosen(receipt, whose.as_str()) {
                    let sign = if said.contains(&slug) {
                        Some("the agent says so".to_owned())
                    } else {
                        self.sign(store, &slug, run)
                    };
                    let line = json!({
                        "kind": "feedback", "at": self.now().to_string(), "receipt": receipt["id"], "slug": slug.as_str(),
                        "used": sign.is_some(), "why": sign,
                    });
                    log.append(&line, self.now())?;
                    news += 1;
                }
            }
            if news > 0 {
                self.count_feedback(store)?;
            }
            noted += news;
        }
        Ok(noted)
    }

    /// The injections before a run: their receipts, whether any called a memory, and whether it was held back.
    pub(crate) fn before_run(&self, run: &Run) -> Result<BeforeRun, StoreError> {
        let found = self.receipts(RECEIPTS, |line| self.belongs(line, run))?;
        let called: Vec<&Value> = found.iter().filter(|receipt| has_called(receipt)).collect();
        Ok(BeforeRun {
            receipts: found.iter().filter_map(|receipt| receipt["id"].as_str().map(str::to_owned)).collect(),
            called: !called.is_empty(),
            // Who was told once did not go without.
            held_out: !called.is_empty() && called.iter().all(|receipt| receipt["heldOut"] == true),
        })
    }

    /// Whether a receipt is of this run: by its session, or else by its task.
    pub(crate) fn belongs(&self, receipt: &Value, run: &Run) -> Wanted {
        let at = receipt["at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
        match at.map(|at| self.now().duration_since(at)) {
            Some(age) if age > OLD => return Wanted::NoneOlder,
            // A clock was set back.
            Some(age) if age.abs() > OLD => return Wanted::No,
            None => return Wanted::No,
            _ => {}
        }
        let is_of_run = match (receipt["session"].as_str(), run.session.as_deref()) {
            (Some(receipt), Some(run)) => receipt == run,
            _ => {
                let start: String = run.task.chars().take(300).collect();
                !start.is_empty() && receipt["task"] == start
            }
        };
        is_of_run.into()
    }

    fn sign(&self, store: &FileStore, slug: &Slug, run: &Run) -> Option<String> {
        let memory = store.read(slug).ok()?;
        sign_of_use(&memory.for_agents()?.text(), run)
    }

    /// Derives the tallies of a store anew from its log.
    pub fn count_feedback(&self, store: &FileStore) -> Result<(), StoreError> {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        let mut spoken: BTreeSet<(String, String, String)> = BTreeSet::new();
        for line in UsageLog::of(store.layout()).newest("feedback", LINES, |_| true)? {
            let Some(slug) = line["slug"].as_str().and_then(|slug| Slug::parse(slug).ok()) else { continue };
            // The newest line comes first, and what the same session said before is not counted again.
            if line["helped"].is_boolean() && !spoken.insert(speaker(&slug, &line)) {
                continue;
            }
            let tally = tallies.entry(slug.to_string()).or_default();
            match (line["helped"].as_bool(), line["used"].as_bool()) {
                (Some(true), _) => tally.helped += 1,
                (Some(false), _) => tally.useless += 1,
                (None, Some(true)) => tally.used += 1,
                (None, Some(false)) => tally.unused += 1,
                (None, None) => {}
            }
        }
        let line = |(slug, tally): (&String, &Tally)| {
            let Tally { used, unused, helped, useless } = tally;
            format!("{slug}\t{used}\t{unused}\t{helped}\t{useless}\n")
        };
        let text: String = tallies.iter().map(line).collect();
        rawko_store::derive_signed(store, "usefulness", text.as_bytes())
    }

    /// What is known of a memory's use.
    pub fn tally(&self, slug: &Slug) -> Tally {
        self.stores()
            .map(|(_, store)| Tallies::of(store).tally(slug))
            .find(|tally| *tally != Tally::default())
            .unwrap_or_default()
    }

    /// Every memory of which something is known, by name.
    pub fn tallies(&self) -> Vec<(Slug, Tally)> {
        let mut all = Vec::new();
        for (_, store) in self.stores() {
            let tallies = Tallies::of(store);
            let lines = tallies.lines.split(|&byte| byte == b'\n').filter_map(read_line);
            all.extend(lines.filter_map(|(name, tally)| Some((Slug::parse(name).ok()?, tally))));
        }
        all
    }

    /// Whether this injection is one of those that are held back, to measure what memory is worth.
    pub fn is_held_out(&self, receipt: &str) -> bool {
        let of = self.config().number("inject.holdOut");
        if of == 0 {
            return false;
        }
        // FNV-1a: the same receipt always gets the same answer. Its last byte reaches only the lower bits, so
        // these are spread once more: neighbours differ.
        let hash = receipt.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let spread = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (spread >> 33).is_multiple_of(of)
    }

    /// How runs ended with memory and without it; `None` before anything was held back.
    pub fn lift(&self) -> Result<Option<Lift>, StoreError> {
        let mut lift = Lift::default();
        for (_, store) in self.stores() {
            let log = UsageLog::of(store.layout());
            let told = |line: &Value| line["receipts"].as_array().is_some_and(|ids| !ids.is_empty());
            let lines = log.newest("extraction", LINES, told)?;
            // Lines of earlier versions do not say whether a memory was called; their receipts do.
            let is_old = lines.iter().any(|line| line["called"].is_null());
            let receipts = if is_old { log.newest("injection", LINES, has_called)? } else { Vec::new() };
            let full: BTreeSet<&str> = receipts.iter().filter_map(|receipt| receipt["id"].as_str()).collect();
            let called = |line: &&Value| {
                let ids = line["receipts"].as_array().into_iter().flatten();
                let looked_up = || ids.filter_map(Value::as_str).any(|id| full.contains(id));
                line["called"].as_bool().unwrap_or_else(looked_up)
            };
            let mut sessions = BTreeSet::new();
            for line in lines.iter().filter(called) {
                // The newest line of a session says how it ended.
                if line["session"].as_str().is_some_and(|session| !sessions.insert(session)) {
                    continue;
                }
                let side = if line["heldOut"] == true { &mut lift.without } else { &mut lift.with };
                side.0 += u32::from(line["result"] == "success");
                side.1 += 1;
            }
        }
        Ok((lift.without.1 > 0).then_some(lift))
    }
}

/// Whether an injection called a memory, also one that was held back then.
fn has_called(receipt: &Value) -> bool {
    let shown =
        || receipt["chosen"].as_array().is_some_and(|all| all.iter().any(|one| one["reason"].is_null()));
    receipt["called"].as_bool().unwrap_or_else(shown)
}

/// The memories of one store that a receipt says the agent saw.
fn chosen(receipt: &Value, whose: &str) -> Vec<Slug> {
    let all = receipt["chosen"].as_array().into_iter().flatten();
    let seen = all.filter(|memory| memory["store"] == whose && memory["reason"].is_null());
    seen.filter_map(|memory| Slug::parse(memory["slug"].as_str()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Now;
    use crate::{Channel, Draft, HostEvent, How, Moment, TaskContext, Whose, Wish};
    use rawko_core::{Speaker, Step};

    fn engine(folder: &std::path::Path) -> Engine {
        let now = Now::at("2026-01-23T10:30:00Z".parse().expect("a time"));
        Engine::create(&folder.join("project"), Some(&folder.join("home")), now).expect("a store")
    }

    fn remember(engine: &Engine, title: &str, text: &str) -> Slug {
        let entry = Draft::new(title, text).when("migration").entry(engine.now());
        engine.add(&entry, Whose::Project, Channel::Person).expect("saved").slug
    }

    fn inject(engine: &Engine, task: &str, id: &str) {
        let context = TaskContext { task: task.to_owned(), ..TaskContext::default() };
        let injection = engine.inject(&context, &Wish::default()).expect("injected");
        engine.keep_receipt(&injection.receipt(id, &context, engine.now())).expect("kept");
    }

    #[test]
    fn with_few_data_a_memory_stays_near_the_prior() {
        assert_eq!(Tally::default().usefulness(), 0.5);
        assert_eq!(Tally { used: 1, ..Tally::default() }.usefulness(), 0.6);
        assert!(Tally { unused: 96, ..Tally::default() }.usefulness() < 0.03);
        let (said, seen) = (Tally { helped: 1, ..Tally::default() }, Tally { used: 3, ..Tally::default() });
        assert_eq!(said.usefulness(), seen.usefulness());
    }

    #[test]
    fn what_was_injected_and_then_used_is_counted_once() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let used = remember(
            &engine,
            "How a migration runs",
            "Every migration runs through `bin/migrate.sh` with `lock_timeout`.",
        );
        let unused = remember(
            &engine,
            "Migration naming",
            "A migration is named after its ticket, see `docs/naming.md`.",
        );
        inject(&engine, "Write the migration", "r1");
        let run = Run {
            task: "Write the migration".to_owned(),
            output: "I ran bin/migrate.sh and it went well.".to_owned(),
            ..Run::default()
        };
        let _ = engine.extract(&run, How::default()).expect("extracted");
        assert_eq!(engine.tally(&used), Tally { used: 1, ..Tally::default() });
        assert_eq!(engine.tally(&unused), Tally { unused: 1, ..Tally::default() });
        assert_eq!(engine.note_use(&run, &[]).expect("noted"), 0, "a receipt is judged once");
        let other = Run { task: "Something else".to_owned(), ..run };
        assert_eq!(engine.note_use(&other, &[]).expect("noted"), 0, "another run's receipt says nothing");
    }

    #[test]
    fn what_a_person_keeps_for_all_projects_is_counted_too() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let text = "Every migration of mine runs through `bin/migrate.sh`.";
        let entry = Draft::new("My migrations", text).when("migration").entry(engine.now());
        let mine = engine.add(&entry, Whose::Person, Channel::Person).expect("saved").slug;
        inject(&engine, "Write the migration", "r1");
        let run = Run {
            task: "Write the migration".to_owned(),
            output: "I ran bin/migrate.sh and it went well.".to_owned(),
            ..Run::default()
        };
        assert_eq!(engine.note_use(&run, &[]).expect("noted"), 1);
        assert_eq!(engine.tally(&mine), Tally { used: 1, ..Tally::default() });
        assert_eq!(engine.note_use(&run, &[]).expect("noted"), 0, "a receipt is judged once");
    }

    #[test]
    fn a_run_that_said_and_did_nothing_tells_nothing() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let slug = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        inject(&engine, "Write the migration", "r1");
        let task = "Write the migration".to_owned();
        let steps = vec![Step::Said { by: Speaker::Person, text: task.clone() }];
        let run = Run { task, steps, ..Run::default() };
        assert_eq!(engine.note_use(&run, &[]).expect("noted"), 0);
        assert_eq!(
            engine.note_use(&run, std::slice::from_ref(&slug)).expect("noted"),
            1,
            "the agent's word counts"
        );
    }

    #[test]
    fn a_word_counts_more_than_a_sign_and_the_cache_may_go() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let slug = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        let once = Tally { helped: 1, ..Tally::default() };
        assert_eq!(engine.rate(&slug, true, "ada", None).expect("rated"), once);
        std::fs::remove_dir_all(folder.path().join("project/.rawko/cache")).expect("the cache goes");
        assert_eq!(engine.tally(&slug), Tally::default());
        engine.count_feedback(engine.store(Whose::Project).expect("a store")).expect("counted");
        assert_eq!(engine.tallies(), [(slug, once)]);
    }

    #[test]
    fn what_one_session_says_counts_once_and_its_newest_word_stands() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let slug = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        for _ in 0..8 {
            engine.rate(&slug, false, "claude", Some("s1")).expect("rated");
            engine.rate(&slug, false, "codex", None).expect("rated");
        }
        assert_eq!(engine.tally(&slug), Tally { useless: 2, ..Tally::default() });
        engine.rate(&slug, true, "claude", Some("s1")).expect("rated");
        engine.rate(&slug, true, "claude", Some("s2")).expect("rated");
        assert_eq!(engine.tally(&slug), Tally { helped: 2, useless: 1, ..Tally::default() });
    }

    #[test]
    fn counts_that_came_with_a_repository_move_no_memory() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let slug = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        let forged = format!("{slug}\t0\t900\t0\t0\n");
        std::fs::create_dir_all(folder.path().join("project/.rawko/cache")).expect("a folder");
        std::fs::write(folder.path().join("project/.rawko/cache/usefulness"), forged).expect("forged");
        assert_eq!(engine.tally(&slug), Tally::default());
    }

    #[test]
    fn bisecting_finds_every_name_and_no_other() {
        let names: Vec<String> = (0..300).map(|n| format!("m{:04}", n * 3)).collect();
        let lines: String = names.iter().enumerate().map(|(n, name)| format!("{name}\t{n}\t1\n")).collect();
        let tallies = Tallies { lines: lines.into_bytes() };
        for (n, name) in names.iter().enumerate() {
            let slug = Slug::parse(name).expect("a name");
            let known = Tally { used: n as u32, unused: 1, ..Tally::default() };
            assert_eq!(tallies.tally(&slug), known, "{name}");
        }
        for absent in ["a", "m0001", "m0500", "zz"] {
            assert_eq!(tallies.tally(&Slug::parse(absent).expect("a name")), Tally::default(), "{absent}");
        }
        let damaged = Tallies { lines: b"\xff\xfe\n\n\n".to_vec() };
        assert_eq!(damaged.tally(&Slug::parse("a").expect("a name")), Tally::default());
    }

    /// A host's session: two prompts, each learned from.
    fn session(engine: &Engine, name: &str, task: &str) {
        for turn in ["first", "second"] {
            let event = HostEvent {
                host: "claude".to_owned(),
                session: name.to_owned(),
                key: turn.to_owned(),
                hears: true,
                moment: Moment::Prompt { text: task.to_owned(), by_machine: false },
                ..HostEvent::default()
            };
            let mut heard = engine.heard(&event).expect("a store");
            let answer = engine.answer(&event, &mut heard).expect("an answer");
            engine.settle(&event, &answer, &mut heard);
            let run = Run {
                task: task.to_owned(),
                output: format!("{turn} is done"),
                session: Some(name.to_owned()),
                ..Run::default()
            };
            let _ = engine.extract(&run, How::default()).expect("extracted");
        }
    }

    #[test]
    fn only_sessions_that_called_a_memory_are_compared_and_each_once() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        std::fs::create_dir_all(folder.path().join("home")).expect("a folder");
        std::fs::write(folder.path().join("home/config.toml"), "[inject]\nholdOut = 2\n").expect("settings");
        let engine = engine(folder.path());
        let _ = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        // A receipt is named by its time.
        let at = |n: u32| {
            let time = format!("2026-01-23T11:{n:02}:00Z").parse().expect("a time");
            let (project, home) = (folder.path().join("project"), folder.path().join("home"));
            Engine::open(&project, Some(&home), Now::at(time)).expect("a store")
        };
        for n in 0..20 {
            session(&at(n), &format!("s{n}"), "Paint the bike shed");
        }
        for n in 20..30 {
            session(&at(n), &format!("s{n}"), "Write the migration");
        }
        let held = (20..30).filter(|n| engine.is_held_out(&format!("s{n}"))).count() as u32;
        let lift = engine.lift().expect("read").expect("something was held back");
        assert_eq!((lift.with.1, lift.without.1), (10 - held, held));
        // Lines of earlier versions do not say whether anything was called: their receipts do.
        let log = folder.path().join("project/.rawko/log");
        for file in std::fs::read_dir(log).expect("a log").flatten().map(|file| file.path()) {
            if file.is_file() {
                let text = std::fs::read_to_string(&file).expect("text");
                let old = text.replace(",\"called\":true", "").replace(",\"called\":false", "");
                std::fs::write(&file, old).expect("written");
            }
        }
        assert_eq!(engine.lift().expect("read"), Some(lift));
    }

    #[test]
    fn a_run_that_heard_a_memory_once_did_not_go_without() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(folder.path());
        let _ = remember(&engine, "How a migration runs", "Through `bin/migrate.sh`.");
        let held_out = |ids: &[(&str, bool)]| {
            let task = format!("Write the migration {}", ids.len());
            let context = TaskContext { task: task.clone(), ..TaskContext::default() };
            for (id, held_out) in ids {
                let injection = engine.inject(&context, &Wish::default()).expect("injected");
                let mut receipt = injection.receipt(id, &context, engine.now());
                receipt["heldOut"] = (*held_out).into();
                engine.keep_receipt(&receipt).expect("kept");
            }
            let before = engine.before_run(&Run { task, ..Run::default() }).expect("read");
            (before.called, before.held_out)
        };
        assert_eq!(held_out(&[("r1", true)]), (true, true));
        assert_eq!(held_out(&[("r2", true), ("r3", false)]), (true, false), "asked twice, and told once");
    }

    #[test]
    fn neighbours_are_not_held_back_alike() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        std::fs::create_dir_all(folder.path().join("home")).expect("a folder");
        std::fs::write(folder.path().join("home/config.toml"), "[inject]\nholdOut = 2\n").expect("settings");
        let engine = engine(folder.path());
        let held = |start: &str| (0..10).filter(|n| engine.is_held_out(&format!("{start}{n}"))).count();
        let counts: Vec<usize> = (0..20).map(|n| held(&format!("session-{n}-s"))).collect();
        assert!(counts.iter().all(|count| (1..=9).contains(count)), "{counts:?}");
    }

    #[test]
    fn one_in_so_many_is_held_back() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        std::fs::create_dir_all(folder.path().join("home")).expect("a folder");
        assert!((0..100).all(|n| !engine(folder.path()).is_held_out(&n.to_string())));
        std::fs::write(folder.path().join("home/config.toml"), "[inject]\nholdOut = 10\n").expect("settings");
        let engine = engine(folder.path());
        let held = (0..10_000_u64).filter(|n| engine.is_held_out(&(n * 7_919_333).to_string())).count();
        assert!((800..1_200).contains(&held), "{held}");
    }
}
