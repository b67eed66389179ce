//! The cache may be deleted, cut short, changed or replaced at any moment: answers stay right.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use rawko_store::{Check, Index, State};

use crate::index::{Dice, Sandbox, ask, task};

/// 1,000 rounds, or 50,000 where `RAWKO_FULL` is set.
fn rounds() -> u64 {
    if std::env::var_os("RAWKO_FULL").is_some() { 50_000 } else { 1_000 }
}

/// A store with its index and with the right answers to a few tasks.
struct Scene {
    sandbox: Sandbox,
    good: Vec<u8>,
    notes: Vec<u8>,
    tasks: Vec<(String, Vec<String>)>,
}

impl Scene {
    fn new(dice: &mut Dice) -> Self {
        let sandbox = Sandbox::with_memories(dice, 10);
        sandbox.age();
        sandbox.rebuild();
        let good = fs::read(sandbox.index_file()).expect("an index");
        let notes = fs::read(sandbox.notes_file()).expect("notes");
        let mut files = Index::without_cache(&sandbox.store).expect("files are read");
        let tasks = (0..8).map(|_| task(dice)).map(|task| (ask(&mut files, &task), task));
        let tasks = tasks.map(|(answer, task)| (task, answer)).collect();
        drop(files);
        Self { sandbox, good, notes, tasks }
    }

    /// Asks one task, and gives how the index stood.
    fn ask(&self, dice: &mut Dice, harm: impl FnOnce()) -> State {
        let (task, right) = &self.tasks[dice.roll(self.tasks.len())];
        let mut index = Index::open(&self.sandbox.store, Check::Quick).expect("an index opens");
        harm();
        assert_eq!(&ask(&mut index, task), right, "{task}");
        index.state().clone()
    }

    fn put(&self, index: &[u8]) {
        fs::write(self.sandbox.index_file(), index).expect("the index is written");
        fs::write(self.sandbox.notes_file(), &self.notes).expect("the notes are written");
    }
}

/// The index with some harm done to it.
fn harmed(good: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let at = dice.roll(bytes.len());
    match dice.roll(5) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << dice.roll(8),
        2 => {
            let end = (at + 1 + dice.roll(9000)).min(bytes.len());
            bytes[at..end].fill(dice.roll(256) as u8);
        }
        3 => {
            let from = dice.roll(bytes.len());
            let count = (1 + dice.roll(4096)).min(bytes.len() - at.max(from));
            bytes.copy_within(from..from + count, at);
        }
        _ => bytes.extend_from_slice(&good[..at]),
    }
    bytes
}

#[test]
fn harm_to_the_index_changes_no_answer() {
    let mut dice = Dice::new(11);
    let scene = Scene::new(&mut dice);
    let mut dropped = 0;
    for round in 0..rounds() {
        scene.put(&harmed(&scene.good, &mut dice));
        let state = scene.ask(&mut dice, || {});
        dropped += u64::from(matches!(state, State::Degraded { .. }));
        if round % 100 == 0 {
            scene.sandbox.rebuild();
            assert_eq!(scene.ask(&mut dice, || {}), State::Fresh);
        }
    }
    assert!(dropped > rounds() / 4, "harm was noticed {dropped} times");
}

#[test]
fn harm_while_the_index_is_open_changes_no_answer() {
    let mut dice = Dice::new(12);
    let scene = Scene::new(&mut dice);
    for _ in 0..rounds() / 4 {
        scene.put(&scene.good);
        let bytes = harmed(&scene.good, &mut dice);
        // Written in place: the open file itself changes, or shrinks.
        scene.ask(&mut dice, || fs::write(scene.sandbox.index_file(), &bytes).expect("harm is done"));
    }
}

#[test]
fn an_index_that_goes_away_or_is_no_file_is_no_index() {
    let mut dice = Dice::new(13);
    let scene = Scene::new(&mut dice);
    let path = scene.sandbox.index_file();
    fs::remove_file(&path).expect("it is removed");
    assert!(matches!(scene.ask(&mut dice, || {}), State::Degraded { .. }));
    fs::create_dir(&path).expect("a folder in its place");
    assert!(matches!(scene.ask(&mut dice, || {}), State::Degraded { .. }));
    fs::remove_dir(&path).expect("it is removed");
    {
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link in its place");
        assert!(matches!(scene.ask(&mut dice, || {}), State::Degraded { .. }));
        fs::remove_file(&path).expect("it is removed");
    }
    fs::remove_dir_all(scene.sandbox.store.layout().cache()).expect("the cache is removed");
    scene.ask(&mut dice, || {});
    scene.sandbox.rebuild();
    assert_eq!(scene.ask(&mut dice, || {}), State::Fresh);
}

#[test]
fn harm_to_the_notes_changes_no_answer() {
    let mut dice = Dice::new(14);
    let scene = Scene::new(&mut dice);
    for _ in 0..rounds() / 10 {
        scene.put(&scene.good);
        let more = [&scene.notes[..], b"w memory-0001\nl 5 6 \nf 7 gone\nw memory-0002\n"].concat();
        fs::write(scene.sandbox.notes_file(), harmed(&more, &mut dice)).expect("the notes are written");
        scene.ask(&mut dice, || {});
    }
}

#[test]
fn a_damaged_index_is_removed_so_that_the_next_process_knows() {
    let mut dice = Dice::new(15);
    let scene = Scene::new(&mut dice);
    let mut bytes = scene.good.clone();
    // Behind the header every block is damaged, and the checksums are not.
    let blocks = bytes.len() / 1024 - 1;
    (1..blocks).for_each(|block| bytes[block * 1024] ^= 1);
    scene.put(&bytes);
    scene.ask(&mut dice, || {});
    assert!(Index::open(&scene.sandbox.store, Check::Quick).expect("it opens").wants_rebuild());
}

#[test]
fn readers_are_right_while_others_rebuild() {
    let mut dice = Dice::new(16);
    let scene = Scene::new(&mut dice);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|n| {
                let (scene, done) = (&scene, &done);
                scope.spawn(move || {
                    let mut dice = Dice::new(100 + n);
                    let mut asked = 0;
                    while !done.load(Ordering::Relaxed) || asked == 0 {
                        scene.ask(&mut dice, || {});
                        asked += 1;
                    }
                })
            })
            .collect();
        for _ in 0..10 {
            Index::rebuild(&scene.sandbox.store, &mut |_, _| {}).expect("it is built");
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().expect("a reader is right"));
    });
}
