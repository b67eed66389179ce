//! Ways in which an entry could be lost or a store could stop, each seen once.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use rawko_core::{Channel, Slug};
use rawko_store::{FileStore, Layout, Place, Store, StoreError, Target, contract};

fn open(project: &Path) -> FileStore {
    FileStore::project(Layout::at(project.join(".rawko")), None, jiff::Timestamp::UNIX_EPOCH)
        .expect("it opens")
}

fn add(project: &Path, title: &str, body: &str) -> Place {
    let saved = open(project).append(&contract::entry(title, body, 0), &Target::Title, Channel::Person);
    saved.expect("an entry is saved").place
}

fn held(project: &Path) -> File {
    let path = project.join(".rawko/spool/lock");
    let lock = File::options().create(true).append(true).open(path).expect("the lock file");
    lock.lock().expect("the lock");
    lock
}

fn bodies(project: &Path, slug: &str) -> Vec<String> {
    let memory = open(project).read(&Slug::parse(slug).expect("a name")).expect("a memory");
    memory.entries.into_iter().map(|known| known.entry.body).collect()
}

#[test]
fn an_entry_that_another_one_begins_with_is_kept() {
    let project = tempfile::tempdir().expect("a folder");
    add(project.path(), "Alpha", "# Steps\n\nstep 10");
    let lock = held(project.path());
    assert_eq!(add(project.path(), "Alpha", "# Steps\n\nstep 1"), Place::Spool);
    assert_eq!(bodies(project.path(), "alpha").len(), 2);
    drop(lock);
    open(project.path()).settle(Duration::from_secs(1)).expect("the spool is moved");
    assert_eq!(bodies(project.path(), "alpha"), ["# Steps\n\nstep 10", "# Steps\n\nstep 1"]);
}

#[test]
fn a_memory_that_takes_nothing_does_not_stop_the_others() {
    let project = tempfile::tempdir().expect("a folder");
    add(project.path(), "Alpha", "# One\n\nx");
    add(project.path(), "Beta", "# One\n\nx");
    let lock = held(project.path());
    add(project.path(), "Alpha", "# Two\n\nwaits");
    drop(lock);
    let path = project.path().join(".rawko/memories/alpha.md");
    fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).expect("a folder in its place");
    assert_eq!(add(project.path(), "Beta", "# Two\n\nx"), Place::File);
    fs::remove_dir(&path).expect("the folder goes");
    assert_eq!(bodies(project.path(), "alpha"), ["# Two\n\nwaits"]);
    add(project.path(), "Beta", "# Three\n\nx");
    assert!(fs::read_to_string(path).expect("the memory is back").contains("waits"));
}

#[test]
fn without_a_lock_an_entry_stays_in_the_spool() {
    let project = tempfile::tempdir().expect("a folder");
    add(project.path(), "Alpha", "# One\n\nx");
    let lock = project.path().join(".rawko/spool/lock");
    let _ = fs::remove_file(&lock);
    fs::create_dir(&lock).expect("a folder in its place");
    assert_eq!(add(project.path(), "Alpha", "# Two\n\nx"), Place::Spool);
    assert_eq!(bodies(project.path(), "alpha"), ["# One\n\nx", "# Two\n\nx"]);
}

#[test]
fn a_tail_with_zeros_after_a_power_cut_is_completed_in_place() {
    let project = tempfile::tempdir().expect("a folder");
    let path = project.path().join(".rawko/memories/alpha.md");
    add(project.path(), "Alpha", "# One\n\nx");
    let before = fs::read(&path).expect("the memory");
    add(project.path(), "Alpha", "# Two\n\nx");
    let after = fs::read(&path).expect("the memory");
    let text = contract::entry("Alpha", "# Two\n\nx", 0).to_text();
    let header = format!(
        r#"{{"rawko":1,"slug":"alpha","base":{},"prefix":"\n---\n\n","bytes":{},"hash":"{}"}}"#,
        before.len(),
        text.len(),
        &blake3::hash(text.as_bytes()).to_hex()[..32]
    );
    fs::write(project.path().join(".rawko/spool/1.entries"), format!("{header}\n{text}\n"))
        .expect("a record");
    for kept in before.len()..after.len() {
        let mut torn = after[..kept].to_vec();
        torn.resize(after.len(), 0);
        fs::write(&path, &torn).expect("a torn file");
        assert_eq!(bodies(project.path(), "alpha"), ["# One\n\nx", "# Two\n\nx"], "read at {kept}");
    }
    open(project.path()).settle(Duration::from_secs(1)).expect("the spool is moved");
    assert_eq!(fs::read(&path).expect("the memory"), after);
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others_asked_for() {
    let project = tempfile::tempdir().expect("a folder");
    add(project.path(), "Alpha", "one");
    let huge = project.path().join(".rawko/memories/huge.md");
    File::create(huge).and_then(|file| file.set_len(1 << 30)).expect("a huge file");
    let slugs = ["huge", "gone", "alpha"].map(|name| Slug::parse(name).expect("a name"));
    let read = open(project.path()).read_some(&slugs).expect("the others are read");
    assert_eq!(read.iter().map(|memory| memory.slug.as_str()).collect::<Vec<_>>(), ["alpha"]);
}

#[test]
fn a_memory_never_outgrows_what_is_read_of_it() {
    let project = tempfile::tempdir().expect("a folder");
    let body = |n: usize| format!("# Part {n}\n\n{}", "word ".repeat(150_000));
    for n in 0..4 {
        add(project.path(), "Alpha", &body(n));
    }
    // Also where somebody else holds the lock, and where they wait for it together.
    let lock = held(project.path());
    for n in 4..8 {
        add(project.path(), "Alpha", &body(n));
    }
    drop(lock);
    for when in ["waiting", "settled"] {
        let reading = open(project.path()).read_all().expect("the store is read");
        let found: usize = reading.memories.iter().map(|memory| memory.entries.len()).sum();
        assert_eq!((found, reading.problems.len()), (8, 0), "{when}");
        open(project.path()).settle(Duration::from_secs(1)).expect("the spool is moved");
    }
    let huge = contract::entry("Beta", &"word ".repeat(500_000), 0);
    let refused = open(project.path()).append(&huge, &Target::Title, Channel::Person);
    assert!(matches!(refused, Err(StoreError::TooLong { .. })), "{refused:?}");
}

#[test]
fn a_record_that_cannot_be_read_hides_nothing_and_is_moved_away() {
    let project = tempfile::tempdir().expect("a folder");
    add(project.path(), "Alpha", "one");
    let spool = project.path().join(".rawko/spool");
    File::create(spool.join("1.entries")).and_then(|file| file.set_len(1 << 40)).expect("a huge record");
    fs::create_dir(spool.join("2.entries")).expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", spool.join("3.entries")).expect("a link");
    assert_eq!(bodies(project.path(), "alpha"), ["one"]);
    assert_eq!(open(project.path()).read_all().expect("all are read").memories.len(), 1);
    assert_eq!(add(project.path(), "Alpha", "two"), Place::File);
    assert_eq!(open(project.path()).probe(Duration::ZERO).expect("a look").damaged.len(), 3);
    open(project.path()).repair().expect("the store is mended");
    assert_eq!(open(project.path()).probe(Duration::ZERO).expect("a look").damaged, [] as [&Path; 0]);
    assert_eq!(fs::read_dir(project.path().join(".rawko/repaired")).expect("a folder").count(), 3);
}
