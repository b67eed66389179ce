//! What admission of one proposal costs, beside one search of the same store in the same run.
//!
//! `cargo bench -p rawko --bench admit [-- SIZE]`; the size is 10,000 memories where none is given.

use std::fs;
use std::time::{Duration, Instant};

use rawko::{Circumstances, Draft, Engine, Now, Proposal, Whose};

const ROUNDS: usize = 15;

fn main() {
    let size = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10_000);
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (project, home) = (scratch.path().join("project"), scratch.path().join("home"));
    fs::create_dir_all(&home).expect("a home");
    let now = Now::at("2026-05-01T10:00:00Z".parse().expect("a time"));
    let engine = Engine::create(&project, Some(&home), now).expect("a store");
    fill(&engine, size);
    let waiting = engine.questions().expect("questions");
    engine.trust(&waiting).expect("approved");
    engine.rebuild(Whose::Project, &mut |_, _| ()).expect("an index");
    let engine = Engine::open(&project, Some(&home), now).expect("stores");
    let body =
        "`handler_77` in `src/part_77.rs` must not be called before the pool is open, otherwise it hangs.";
    let proposal = Proposal {
        entry: Draft::new("Handlers wait for the pool", body).when("handler|pool").entry(engine.now()),
        update_of: None,
        reasoning: String::new(),
    };
    let text = format!("Handlers wait for the pool\n{body}");
    let (mut search, mut admit) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        search.push(timed(|| drop(engine.search(&text, 10, |_| true).expect("found"))));
        admit.push(timed(|| drop(engine.consider(&proposal, &Circumstances::default()).expect("judged"))));
    }
    let (search, admit) = (median(search), median(admit));
    let ratio = admit.as_secs_f64() / search.as_secs_f64();
    println!("{size} memories: one search {search:.1?}, one admission {admit:.1?}, ratio {ratio:.2}");
}

/// Writes memories and the sources that they speak of.
fn fill(engine: &Engine, size: usize) {
    let root = engine.store(Whose::Project).expect("a store").layout().project().to_owned();
    fs::create_dir_all(root.join("src")).expect("a folder");
    for n in 0..200 {
        let text = format!("pub fn handler_{n}() {{\n    // part {n}\n}}\n").repeat(20);
        fs::write(root.join(format!("src/part_{n}.rs")), text).expect("written");
    }
    let topics =
        ["queue", "cache", "login", "invoice", "search", "report", "upload", "worker", "schema", "deploy"];
    for n in 0..size {
        let (topic, other) = (topics[n % 10], topics[(n / 10) % 10]);
        let body = format!(
            "`handler_{}` of the {topic} waits {n} ms for the {other}, because step {} of {topic}-{n} is slow.",
            n % 200,
            n % 17
        );
        let entry = Draft::new(format!("The {topic} and the {other} {n}"), body).when(format!("{topic} {n}"));
        let path = root.join(format!(".rawko/memories/{topic}/note-{n}.md"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, entry.entry(engine.now()).to_text()).expect("written");
    }
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
