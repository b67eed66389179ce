//! What the index costs: building it, its bytes, and a search by a new process.
//!
//! `cargo bench -p rawko-store --bench index -- [memories]...` (default 1000
//! 10000). Machines differ and are busy, so a search is given as a multiple of
//! starting a program that does nothing, both measured in turns.

mod made;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rawko_core::rank::Query;
use rawko_core::{Embedder, TaskContext, TaskText, Weights};
use rawko_store::{Check, FileStore, Index, Layout, Rebuilt};

use crate::made::{TASKS, Times, does_nothing, millis, progress};

const RUNS: usize = 21;
const TASK: &str = TASKS[0];

fn main() {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--search", folder] => search(Path::new(folder)),
        ["--build", folder] => build(Path::new(folder)),
        [] => [1_000, 10_000].into_iter().for_each(measure),
        _ => args.iter().filter_map(|arg| arg.parse().ok()).for_each(measure),
    }
}

fn store(folder: &Path) -> FileStore {
    let layout = Layout::at(folder.join("project/.rawko"));
    FileStore::project(layout, Some(&folder.join("home")), jiff::Timestamp::UNIX_EPOCH)
        .expect("a store opens")
}

/// What a hook does before a prompt, printed in microseconds a step.
fn search(folder: &Path) {
    let start = Instant::now();
    let store = store(folder);
    let embedder = Embedder::built_in();
    let query = Query::of(TASK, &embedder);
    let text = TaskText::new(&TaskContext::of(TASK));
    let read = start.elapsed();
    let mut index = Index::open(&store, Check::Quick).expect("an index opens");
    let open = start.elapsed();
    let words = index.candidates(&query, None, 10, &Weights::TUNED).expect("a search ends");
    let cold = start.elapsed();
    let found = index.candidates(&query, Some(&text), 10, &Weights::TUNED).expect("a search ends");
    let warm = start.elapsed();
    assert!(found.len() >= words.len());
    let steps = [read, open - read, cold - open, warm - cold].map(|step| step.as_micros());
    println!("{} {} {} {} {} {:?}", steps[0], steps[1], steps[2], steps[3], found.len(), index.state());
}

/// Builds the index of `<folder>/project/.rawko`, for a profiler.
fn build(folder: &Path) {
    let start = Instant::now();
    let built = Index::rebuild(&store(folder), &mut |_, _| {}).expect("an index is built");
    println!("{built:?} in {:?}", start.elapsed());
}

fn measure(memories: usize) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let store = store(folder.path());
    store.layout().create().expect("an empty store");
    made::memories(&store.layout().memories(), memories);
    let start = Instant::now();
    let told = &mut |done, all| progress("indexing", done, all);
    let built = Index::rebuild(&store, told).expect("an index is built");
    let build = start.elapsed();
    assert!(matches!(built, Rebuilt::Done(found) if found == memories));
    let bytes = fs::metadata(store.layout().cache().join("index")).expect("an index").len();
    // The first search finds a folder of the clock's last tick, looks at all, and notes it.
    let program = env::current_exe().expect("this program has a path");
    let place = folder.path().to_string_lossy();
    run(&program, &["--search", &place]);
    let nothing = does_nothing(folder.path());
    let (mut empty, mut searching, mut steps) = (Times::default(), Times::default(), String::new());
    for _ in 0..RUNS {
        empty.add(run(&nothing, &[]).0);
        let (time, said) = run(&program, &["--search", &place]);
        searching.add(time);
        if searching.least() == time {
            steps = said;
        }
    }
    println!(
        "{memories} memories: built in {:.2} s ({:.0} µs each), {:.1} MB ({} bytes each); a search by a new process \
         {:.2} ms at best, {:.1} × an empty one ({:.1} × by medians)\n    best run, µs (read task, open, search, again \
         with triggers), found, state: {}",
        build.as_secs_f64(),
        build.as_secs_f64() * 1e6 / memories as f64,
        bytes as f64 / 1e6,
        bytes / memories as u64,
        millis(searching.least()),
        millis(searching.least()) / millis(empty.least()),
        millis(searching.median()) / millis(empty.median()),
        steps.trim(),
    );
}

fn run(program: &Path, args: &[&str]) -> (Duration, String) {
    let start = Instant::now();
    let output = Command::new(program).args(args).stderr(Stdio::inherit()).output().expect("it runs");
    let time = start.elapsed();
    assert!(output.status.success());
    (time, String::from_utf8_lossy(&output.stdout).into_owned())
}
