//! The index changes how long an answer takes, and not what it is.

use std::fs;
use std::path::Path;

use rawko_core::rank::Query;
use rawko_core::{Channel, Embedder, Slug, Standing, TaskContext, TaskText, Trigger, Weights};
use rawko_store::contract::entry;
use rawko_store::{Candidate, Check, FileStore, Index, Layout, Rebuilt, State, Store, Target};

/// Small numbers that look random and are the same every time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len())]
    }
}

const WORDS: [&str; 40] = [
    "deploy",
    "queue",
    "retry",
    "session",
    "cache",
    "token",
    "login",
    "schema",
    "migration",
    "worker",
    "invoice",
    "timeout",
    "deadlock",
    "memory",
    "leak",
    "parser",
    "unicode",
    "index",
    "vector",
    "ranking",
    "release",
    "branch",
    "merge",
    "conflict",
    "test",
    "fixture",
    "flaky",
    "network",
    "socket",
    "proxy",
    "header",
    "cookie",
    "currently",
    "upload",
    "image",
    "resize",
    "backup",
    "restore",
    "snapshot",
    "src/auth/token_store.rs",
];

fn sentence(dice: &mut Dice, words: usize) -> String {
    (0..words).map(|_| dice.of(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// A store in a scratch folder, with a home beside it.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    pub(crate) store: FileStore,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = open(folder.path(), "home");
        Self { folder, store }
    }

    pub(crate) fn with_memories(dice: &mut Dice, count: usize) -> Self {
        let sandbox = Self::new();
        sandbox.store.layout().create().expect("an empty store");
        (0..count).for_each(|n| sandbox.write(&format!("memory-{n:04}"), dice));
        sandbox
    }

    /// Writes a memory's file as an editor would.
    pub(crate) fn write(&self, slug: &str, dice: &mut Dice) {
        let path = self.path(slug);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        fs::write(path, text(dice)).expect("a file is written");
    }

    fn approve_all(&self) {
        let memories = self.store.read_all().expect("files are read").memories;
        let entries = memories.iter().flat_map(|memory| &memory.entries);
        let lines: Vec<_> = entries.map(|known| (known.id, Standing::Approved)).collect();
        let root = self.store.layout().root();
        self.store.approvals().record(&lines, root, jiff::Timestamp::UNIX_EPOCH).expect("recorded");
    }

    pub(crate) fn path(&self, slug: &str) -> std::path::PathBuf {
        self.store.layout().memory(&Slug::parse(slug).expect("a slug"))
    }

    pub(crate) fn rebuild(&self) {
        let rebuilt = Index::rebuild(&self.store, &mut |_, _| {}).expect("an index is built");
        assert!(matches!(rebuilt, Rebuilt::Done(_)));
    }

    pub(crate) fn index_file(&self) -> std::path::PathBuf {
        self.store.layout().cache().join("index")
    }

    pub(crate) fn notes_file(&self) -> std::path::PathBuf {
        self.store.layout().cache().join("notes")
    }

    /// Asserts that the index answers as the files do; gives its state.
    pub(crate) fn check(&self, dice: &mut Dice, check: Check) -> State {
        let mut index = Index::open(&self.store, check).expect("an index opens");
        let mut files = Index::without_cache(&self.store).expect("files are read");
        for _ in 0..3 {
            let task = task(dice);
            assert_eq!(ask(&mut index, &task), ask(&mut files, &task), "{task} ({:?})", index.state());
        }
        index.state().clone()
    }
}

fn open(folder: &Path, home: &str) -> FileStore {
    let layout = Layout::at(folder.join("project/.rawko"));
    FileStore::project(layout, Some(&folder.join(home)), jiff::Timestamp::UNIX_EPOCH).expect("a store opens")
}

fn text(dice: &mut Dice) -> String {
    let mut text = String::new();
    for n in 0..1 + dice.roll(3) / 2 {
        let mut entry = entry(&sentence(dice, 4), &body(dice), (n * 1000 + dice.roll(1000)) as i64);
        entry.frontmatter.tags = vec![dice.of(&WORDS).to_owned()];
        entry.frontmatter.when_to_use = vec![
            Trigger::Text(format!("{}.*{}", dice.of(&WORDS), dice.of(&WORDS))),
            Trigger::Text(format!("When working on the {} {}", dice.of(&WORDS), dice.of(&WORDS))),
            Trigger::Path(format!("src/{}/**", dice.of(&WORDS))),
        ];
        text.push_str(if n > 0 { rawko_core::SEPARATOR } else { "" });
        text.push_str(&entry.to_text());
    }
    text
}

fn body(dice: &mut Dice) -> String {
    let lines = 1 + dice.roll(4);
    let line = |dice: &mut Dice| {
        let words = 3 + dice.roll(20);
        sentence(dice, words)
    };
    (0..lines).map(|_| line(dice)).collect::<Vec<_>>().join("\n\n")
}

pub(crate) fn task(dice: &mut Dice) -> String {
    let words = 1 + dice.roll(7);
    sentence(dice, words)
}

/// What a search says, in a form that can be compared.
pub(crate) fn ask(index: &mut Index<'_>, task: &str) -> Vec<String> {
    let query = Query::of(task, &Embedder::built_in());
    let text =
        TaskText::new(&TaskContext { files: vec!["src/cache/mod.rs".into()], ..TaskContext::of(task) });
    let found = index.candidates(&query, Some(&text), 20, &Weights::TUNED).expect("a search ends");
    found.iter().map(line).collect()
}

fn line(found: &Candidate) -> String {
    let parts: Vec<String> =
        found.hit.parts.iter().map(|part| format!("{} {:.4}", part.name, part.points)).collect();
    let calls: Vec<String> = found.calls.iter().map(|call| format!("{call:?}")).collect();
    format!("{} {} {:?}", found.slug, parts.join(", "), calls)
}

#[test]
fn an_index_answers_as_the_files_do() {
    let mut dice = Dice::new(1);
    let sandbox = Sandbox::with_memories(&mut dice, 150);
    assert!(matches!(sandbox.check(&mut dice, Check::Quick), State::Degraded { unread: 0, .. }));
    sandbox.rebuild();
    for check in [Check::Quick, Check::All] {
        let state = sandbox.check(&mut dice, check);
        assert!(!matches!(state, State::Degraded { .. }), "{state:?}");
    }
}

/// A word that hardly another memory has.
fn rare(dice: &mut Dice) -> String {
    (0..3)
        .map(|_| dice.of(&["ba", "cro", "di", "fle", "gu", "ha", "jo", "kem", "lu", "mi", "no", "pra"]))
        .collect()
}

#[test]
fn triggers_are_found_in_whatever_part_of_their_tables_they_are() {
    let mut dice = Dice::new(7);
    let sandbox = Sandbox::with_memories(&mut dice, 0);
    let mut tasks = vec!["something about everything".to_owned(), "src/cache/mod.rs".to_owned()];
    for n in 0..800 {
        let words: Vec<String> = (0..6).map(|_| rare(&mut dice)).collect();
        let mut entry = entry(&format!("Memory {n}"), "Of no matter.", 0);
        entry.frontmatter.when_to_use = vec![
            Trigger::Text(format!("{}.*{}", words[0], words[1])),
            Trigger::Text(format!("When {} meets {}", words[2], words[3])),
            Trigger::Command(format!("{} --{}", words[4], words[5])),
            // One that all have: its list of memories is longer than what is read at first.
            Trigger::Text("everything".to_owned()),
        ];
        fs::write(sandbox.path(&format!("memory-{n:04}")), entry.to_text()).expect("written");
        if n % 40 == 0 {
            tasks.push(words.join(" "));
        }
    }
    // As long as all that is said, so that every part of every table is asked for.
    tasks.push((0..3000).map(|_| rare(&mut dice)).collect::<Vec<_>>().join(" "));
    sandbox.age();
    sandbox.rebuild();
    let mut index = Index::open(&sandbox.store, Check::Quick).expect("an index opens");
    let mut files = Index::without_cache(&sandbox.store).expect("files are read");
    for task in &tasks {
        let (found, wanted) = (ask(&mut index, task), ask(&mut files, task));
        assert_eq!(found, wanted, "{:.80} ({:?})", task, index.state());
    }
    assert_eq!(*index.state(), State::Fresh);
}

#[test]
fn an_empty_store_has_an_index_too() {
    let mut dice = Dice::new(2);
    let sandbox = Sandbox::new();
    sandbox.check(&mut dice, Check::Quick);
    sandbox.rebuild();
    assert!(!matches!(sandbox.check(&mut dice, Check::Quick), State::Degraded { .. }));
}

#[test]
fn every_edit_shows_at_once_in_a_full_check() {
    let mut dice = Dice::new(3);
    let sandbox = Sandbox::with_memories(&mut dice, 80);
    sandbox.rebuild();
    for round in 0..30 {
        edit(&sandbox, &mut dice, round);
        sandbox.check(&mut dice, Check::All);
        if round % 10 == 9 {
            sandbox.rebuild();
        }
    }
}

fn edit(sandbox: &Sandbox, dice: &mut Dice, round: usize) {
    let some = format!("memory-{:04}", dice.roll(80));
    match dice.roll(7) {
        0 => sandbox.write(&format!("new-{round}"), dice),
        1 => sandbox.write(&format!("folder-{}/new-{round}", dice.roll(3)), dice),
        2 => sandbox.write(&some, dice),
        3 => drop(fs::remove_file(sandbox.path(&some))),
        4 => drop(fs::rename(sandbox.path(&some), sandbox.path(&format!("moved-{round}")))),
        5 => fs::write(sandbox.path(&some), "---\ntitle: [\n---\nno memory\n").expect("a file is written"),
        _ => {
            let entry = entry(&format!("Title {}", dice.roll(20)), &body(dice), round as i64);
            sandbox.store.append(&entry, &Target::Title, Channel::Person).expect("an entry is saved");
        }
    }
}

#[test]
fn own_writes_and_new_or_removed_files_show_in_a_quick_check() {
    let mut dice = Dice::new(4);
    let sandbox = Sandbox::with_memories(&mut dice, 100);
    sandbox.rebuild();
    for round in 0..20 {
        match dice.roll(3) {
            0 => sandbox.write(&format!("new-{round}"), &mut dice),
            1 => drop(fs::remove_file(sandbox.path(&format!("memory-{:04}", dice.roll(100))))),
            _ => {
                let entry = entry(&format!("Title {}", dice.roll(5)), &body(&mut dice), round);
                sandbox.store.append(&entry, &Target::Title, Channel::Person).expect("an entry is saved");
            }
        }
        sandbox.check(&mut dice, Check::Quick);
    }
}

#[test]
fn an_entry_that_waits_in_the_spool_is_found() {
    let mut dice = Dice::new(5);
    let sandbox = Sandbox::with_memories(&mut dice, 20);
    sandbox.rebuild();
    let layout = sandbox.store.layout();
    let lock = fs::File::create(layout.lock()).expect("the lock file");
    lock.lock().expect("the lock is free");
    let slug = Slug::parse("memory-0003").expect("a slug");
    let waiting = entry("Waiting", "a zebra waits in the spool", 5000);
    let saved =
        sandbox.store.append(&waiting, &Target::Memory(slug.clone()), Channel::Person).expect("saved");
    assert_eq!(saved.place, rawko_store::Place::Spool);
    let mut index = Index::open(&sandbox.store, Check::Quick).expect("it opens");
    assert!(ask(&mut index, "zebra")[0].starts_with("memory-0003 "));
    sandbox.check(&mut dice, Check::Quick);
    drop(lock);
    sandbox.store.settle(std::time::Duration::from_secs(5)).expect("it is moved");
    let mut index = Index::open(&sandbox.store, Check::Quick).expect("it opens");
    assert!(ask(&mut index, "zebra")[0].starts_with("memory-0003 "));
}

#[test]
fn an_index_made_with_another_key_is_not_believed() {
    let mut dice = Dice::new(6);
    let sandbox = Sandbox::with_memories(&mut dice, 20);
    sandbox.rebuild();
    let stranger = open(sandbox.folder.path(), "another-home");
    let index = Index::open(&stranger, Check::Quick).expect("it opens");
    assert_eq!(index.state(), &State::Degraded { reason: "it was not made here", unread: 0 });
    assert!(index.wants_rebuild());
}

#[test]
fn an_index_moved_to_another_store_is_not_believed() {
    let mut dice = Dice::new(7);
    let sandbox = Sandbox::with_memories(&mut dice, 20);
    sandbox.rebuild();
    let moved = sandbox.folder.path().join("moved");
    fs::rename(sandbox.folder.path().join("project"), &moved).expect("a folder is moved");
    let layout = Layout::at(moved.join(".rawko"));
    let home = sandbox.folder.path().join("home");
    let store = FileStore::project(layout, Some(&home), jiff::Timestamp::UNIX_EPOCH).expect("it opens");
    let index = Index::open(&store, Check::Quick).expect("it opens");
    assert!(matches!(index.state(), State::Degraded { reason: "it was not made here", .. }));
}

#[test]
fn the_key_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mut dice = Dice::new(8);
    let sandbox = Sandbox::with_memories(&mut dice, 1);
    sandbox.rebuild();
    let key = fs::metadata(sandbox.folder.path().join("home/cache-key")).expect("a key was made");
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_old_index_asks_for_a_rebuild_when_much_is_newer() {
    let mut dice = Dice::new(9);
    let sandbox = Sandbox::with_memories(&mut dice, 10);
    sandbox.age();
    sandbox.rebuild();
    let wants = || Index::open(&sandbox.store, Check::All).expect("it opens").wants_rebuild();
    (0..64).for_each(|n| sandbox.write(&format!("new-{n}"), &mut dice));
    assert!(!wants());
    (0..10).for_each(|n| sandbox.write(&format!("more-{n}"), &mut dice));
    assert!(wants());
    sandbox.age();
    sandbox.rebuild();
    assert!(!wants());
}

impl Sandbox {
    /// Makes all files a minute old: those of the clock's last tick count as newer than any index.
    pub(crate) fn age(&self) {
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        for file in fs::read_dir(self.store.layout().memories()).expect("a folder").flatten() {
            let file = fs::File::options().write(true).open(file.path()).expect("a file");
            file.set_modified(old).expect("a time is set");
        }
    }
}

/// A memory that says `title`, called by one word, and replacing `supersedes`.
fn called(title: &str, supersedes: &[&str]) -> rawko_core::Entry {
    let mut entry = entry(title, "What the deploy needs.", 0);
    entry.frontmatter.when_to_use = vec![Trigger::Text("deploy".into())];
    entry.frontmatter.supersedes = supersedes.iter().map(|slug| (*slug).to_owned()).collect();
    entry
}

#[test]
fn text_that_nobody_approved_takes_no_place_from_text_that_somebody_did() {
    let sandbox = Sandbox::with_memories(&mut Dice::new(31), 0);
    for n in 0..250 {
        fs::write(sandbox.path(&format!("foreign-{n:03}")), called("Deploy", &[]).to_text())
            .expect("written");
    }
    let own = called("Words of one's own, at some length, on how a deploy goes", &[]);
    let own = sandbox.store.append(&own, &Target::Title, Channel::Person).expect("saved").slug;
    let query = Query::of("deploy", &Embedder::built_in());
    let text = TaskText::new(&TaskContext::of("deploy"));
    for rebuild in [false, true] {
        if rebuild {
            sandbox.rebuild();
        }
        let mut index = Index::open(&sandbox.store, Check::Quick).expect("an index opens");
        let all = index.candidates(&query, Some(&text), 20, &Weights::TUNED).expect("a search ends");
        assert!(!all.iter().any(|found| found.slug == own), "the crowd is large enough to hide it");
        let found = index
            .candidates_for_agents(&query, Some((&text, Index::CALLED)), 20, &Weights::TUNED, None)
            .expect("a search ends");
        assert!(found.iter().any(|found| found.slug == own && found.may_speak), "{:?}", index.state());
        assert!(found.iter().any(|found| !found.may_speak), "what waits for a person is still told");
    }
}

#[test]
fn where_little_is_approved_the_index_answers_as_the_files_do() {
    let mut dice = Dice::new(35);
    let sandbox = Sandbox::with_memories(&mut dice, 300);
    sandbox.age();
    sandbox.rebuild();
    let memories = sandbox.store.read_all().expect("files are read").memories;
    let root = sandbox.store.layout().root();
    let ask = |index: &mut Index<'_>, task: &str| {
        let (query, text) = (Query::of(task, &Embedder::built_in()), TaskText::new(&TaskContext::of(task)));
        let found = index.candidates_for_agents(&query, Some((&text, 8)), 10, &Weights::TUNED, None);
        let lines = found.expect("a search ends").into_iter();
        lines.map(|found| format!("{} {}", found.may_speak, line(&found))).collect::<Vec<_>>()
    };
    // So few that their memories are looked up, and then so many that each candidate is.
    for (approved, speaking) in [(0, 0), (6, 6), (60, 10)] {
        let first = memories.iter().step_by(memories.len() / approved.max(1)).take(approved);
        let lines: Vec<_> = first.map(|memory| (memory.entries[0].id, Standing::Approved)).collect();
        sandbox.store.approvals().record(&lines, root, jiff::Timestamp::UNIX_EPOCH).expect("recorded");
        let mut index = Index::open(&sandbox.store, Check::Quick).expect("an index opens");
        let mut files = Index::without_cache(&sandbox.store).expect("files are read");
        for _ in 0..5 {
            let task = task(&mut dice);
            let found = ask(&mut index, &task);
            assert_eq!(found, ask(&mut files, &task), "{task} ({approved}, {:?})", index.state());
            assert!(found.iter().filter(|line| line.starts_with("true")).count() >= speaking, "{found:#?}");
        }
    }
}

#[test]
fn a_memory_is_found_by_the_task_in_which_it_was_found() {
    let sandbox = Sandbox::with_memories(&mut Dice::new(33), 40);
    let mut entry = called("Another matter", &[]);
    entry.frontmatter.discovered_in = Some("Task: zebras arrive in bursts".to_owned());
    let slug = sandbox.store.append(&entry, &Target::Title, Channel::Person).expect("saved").slug;
    for rebuild in [false, true] {
        if rebuild {
            sandbox.rebuild();
        }
        let mut index = Index::open(&sandbox.store, Check::Quick).expect("an index opens");
        assert_eq!(first_five(&mut index, "a burst of zebras")[0], slug.as_str());
    }
}

#[test]
fn who_replaces_a_memory_is_known_without_finding_it() {
    let mut dice = Dice::new(32);
    let sandbox = Sandbox::with_memories(&mut dice, 40);
    let by = called("Another matter", &["memory-0007"]);
    let by = sandbox.store.append(&by, &Target::Title, Channel::Person).expect("saved").slug;
    let foreign = called("Foreign", &["memory-0007"]).to_text();
    fs::write(sandbox.path("foreign"), foreign).expect("written");
    let replaced = Slug::parse("memory-0007").expect("a slug");
    for rebuild in [false, true] {
        if rebuild {
            sandbox.rebuild();
        }
        let mut index = Index::open(&sandbox.store, Check::Quick).expect("an index opens");
        let found = index.replacing(std::slice::from_ref(&replaced)).expect("asked");
        assert_eq!(found, std::slice::from_ref(&by));
        assert!(index.replacing(std::slice::from_ref(&by)).expect("asked").is_empty());
    }
}

#[test]
fn many_documents_are_found_by_the_signs_of_their_vectors() {
    if std::env::var_os("RAWKO_FULL").is_none() {
        return eprintln!("SKIPPED the large stores: set RAWKO_FULL=1");
    }
    for count in [5_000, 17_000] {
        let mut dice = Dice::new(33);
        let sandbox = Sandbox::with_memories(&mut dice, count);
        sandbox.approve_all();
        sandbox.rebuild();
        let mut index = Index::open(&sandbox.store, Check::All).expect("an index opens");
        let mut files = Index::without_cache(&sandbox.store).expect("files are read");
        let (mut same, mut all) = ([0, 0], [0, 0]);
        for _ in 0..20 {
            let task = task(&mut dice);
            for (n, best) in [first_five, first_five_for_agents].into_iter().enumerate() {
                let (by_signs, exact) = (best(&mut index, &task), best(&mut files, &task));
                all[n] += exact.len();
                same[n] += exact.iter().filter(|slug| by_signs.contains(slug)).count();
            }
        }
        eprintln!("{count} memories: {same:?} of {all:?}");
        for (same, all) in same.into_iter().zip(all) {
            assert!(same * 100 >= all * 95, "{count} memories: {same} of {all}");
        }
    }
}

fn first_five(index: &mut Index<'_>, task: &str) -> Vec<String> {
    let lines = ask(index, task).into_iter().take(5);
    lines.filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
}

fn first_five_for_agents(index: &mut Index<'_>, task: &str) -> Vec<String> {
    let query = Query::of(task, &Embedder::built_in());
    let found = index.candidates_for_agents(&query, None, 40, &Weights::TUNED, None).expect("a search ends");
    assert!(found.iter().all(|found| found.may_speak), "all are approved");
    found.into_iter().take(5).map(|found| found.slug.as_str().to_owned()).collect()
}
