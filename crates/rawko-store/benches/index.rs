//! What the index costs: building it, its bytes, and a search by a new process.
//!
//! `cargo bench -p rawko-store --bench index -- [memories]...` (default 1000
//! 10000). Machines differ and are busy, so a search is given as a multiple of
//! starting the same program to do nothing, both measured in turns.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rawko_core::rank::Query;
use rawko_core::{Embedder, TaskContext, TaskText, Weights};
use rawko_store::{Check, FileStore, Index, Layout, Rebuilt};

const RUNS: usize = 21;
const TASK: &str = "Why does the billing retry queue drop the last message of a batch after a deploy?";

fn main() {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--nothing"] => {}
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
    generate(&store.layout().memories(), memories);
    let start = Instant::now();
    let built = Index::rebuild(&store, &mut |_, _| {}).expect("an index is built");
    let build = start.elapsed();
    assert!(matches!(built, Rebuilt::Done(found) if found == memories));
    let bytes = fs::metadata(store.layout().cache().join("index")).expect("an index").len();
    // The first search finds files of the clock's last tick, looks at all, and notes it.
    run(&["--search", &folder.path().to_string_lossy()]);
    let (mut nothing, mut searching, mut steps) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..RUNS {
        nothing.push(run(&["--nothing"]).0);
        let (time, said) = run(&["--search", &folder.path().to_string_lossy()]);
        if searching.iter().all(|best| time < *best) {
            steps = said;
        }
        searching.push(time);
    }
    let (floor, search) = (nothing.iter().min().expect("runs"), searching.iter().min().expect("runs"));
    println!(
        "{memories} memories: built in {:.2} s ({:.0} µs each), {:.1} MB ({} bytes each); a search by a new process \
         {:.2} ms, {:.1} × starting it ({:.2} ms)\n    best run, µs (read task, open, search, again with triggers), found, state: {}",
        build.as_secs_f64(),
        build.as_secs_f64() * 1e6 / memories as f64,
        bytes as f64 / 1e6,
        bytes / memories as u64,
        search.as_secs_f64() * 1e3,
        search.as_secs_f64() / floor.as_secs_f64(),
        floor.as_secs_f64() * 1e3,
        steps.trim(),
    );
}

fn run(args: &[&str]) -> (Duration, String) {
    let program = env::current_exe().expect("this program has a path");
    let start = Instant::now();
    let output = Command::new(program).args(args).stderr(Stdio::inherit()).output().expect("it runs");
    let time = start.elapsed();
    assert!(output.status.success());
    (time, String::from_utf8_lossy(&output.stdout).into_owned())
}

const AREAS: [&str; 12] = [
    "billing",
    "checkout",
    "authentication",
    "search",
    "notification",
    "upload",
    "telemetry",
    "inventory",
    "scheduling",
    "permissions",
    "export",
    "chat",
];
const PARTS: [&str; 10] = [
    "retry queue",
    "session cache",
    "rate limiter",
    "webhook handler",
    "migration runner",
    "config loader",
    "worker",
    "client",
    "event bus",
    "test fixture",
];
const FAULTS: [&str; 12] = [
    "deadlocks under load",
    "leaks memory",
    "returns stale data",
    "fails in CI",
    "drops the last message of a batch",
    "times out after 30 seconds",
    "panics on an empty list",
    "writes duplicate rows",
    "rejects valid names",
    "rounds cents wrongly",
    "loses its connection",
    "ignores the feature flag",
];
const CAUSES: [&str; 10] = [
    "a lock is taken twice",
    "the pool is never drained",
    "the cache key misses the tenant",
    "the clock is mocked",
    "an index is off by one",
    "the retry has no jitter",
    "two pods migrate at once",
    "the header is lower-cased",
    "the buffer is reused",
    "the flag is read at start",
];

/// Memories like those of a real project: a title, two triggers, tags, three sentences.
fn generate(folder: &Path, memories: usize) {
    for n in 0..memories {
        let pick = |words: &[&'static str], salt: usize| {
            let mixed = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize).rotate_left(salt as u32 * 7);
            words[mixed % words.len()]
        };
        let (area, part, fault, cause) =
            (pick(&AREAS, 1), pick(&PARTS, 2), pick(&FAULTS, 3), pick(&CAUSES, 4));
        let (file, word) = (part.replace(' ', "_"), part.split(' ').next().unwrap_or(part));
        let text = format!(
            "---\ntitle: \"T-{n}: {area} {part} {fault}\"\nwhenToUse:\n  - \"{area}.*{word}\"\n  - \"When working on the \
             {area} {part}\"\ntags: [{area}, {file}]\nimportance: medium\ndiscoveredAt: 2026-02-26T10:30:00Z\n\
             discoveredBy: tester\n---\n\n# T-{n}: {area} {part} {fault}\n\nKnown pattern: the {area} {part} \
             (`src/{area}/{file}/unit_{n}.rs`) {fault}. The reason turned out to be that {cause}. We wrapped the call \
             in a timeout of {} ms, and release {}.{} has it.\n",
            n % 900,
            n % 7,
            n % 31,
        );
        let mut file = fs::File::create(folder.join(format!("t-{n}.md"))).expect("a memory is made");
        file.write_all(text.as_bytes()).expect("a memory is written");
        // Files of the clock's last tick count as newer than any index: these are a minute old.
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).expect("a time is set");
    }
}
