//! What the sentence encoder costs for a text of so many tokens, in a process that runs already and in a new one.
//!
//! `cargo bench -p rawko-store --bench encode -- [tokens]...` (default 8 16 32 64 200). A new process is given beside
//! the same program that does nothing. With `--beside PROGRAM` another build of this program is measured in turns with
//! this one, first: no absolute time is stable on a shared machine.

#[expect(dead_code, reason = "memories and tasks are for other benchmarks")]
mod made;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rawko_core::SentenceEncoder;

use crate::made::{Times, millis};

/// New processes of each kind, and how often one is asked that runs already.
const COLD: usize = 100;
const WARM: usize = 10;
/// Each is one token.
const WORDS: [&str; 8] = ["the", "table", "was", "made", "of", "wood", "and", "water"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--nothing"] => {}
        ["--cold", tokens] => encode(&text(tokens)),
        ["--warm", tokens] => println!("{}", warm(&text(tokens)).as_nanos()),
        ["--beside", other, ref sizes @ ..] => measure(&[other.into(), this()], sizes),
        ref sizes => measure(&[this()], sizes),
    }
}

fn this() -> PathBuf {
    std::env::current_exe().expect("this program has a path")
}

/// A text of so many tokens, with the two that open and close it.
fn text(tokens: &str) -> String {
    let words = tokens.parse::<usize>().expect("a number of tokens").saturating_sub(2);
    WORDS.iter().cycle().take(words).copied().collect::<Vec<_>>().join(" ")
}

fn encode(text: &str) {
    black_box(SentenceEncoder::built_in().encode(black_box(text)));
}

/// The median of some, after one that is not counted.
fn warm(text: &str) -> Duration {
    encode(text);
    let mut times = Times::default();
    for _ in 0..WARM {
        let start = Instant::now();
        encode(text);
        times.add(start.elapsed());
    }
    times.median()
}

fn measure(programs: &[PathBuf], sizes: &[&str]) {
    println!("| tokens | program | warm | a new process | the same that does nothing | its share |");
    println!("|---|---|---|---|---|---|");
    let sizes = if sizes.is_empty() { &["8", "16", "32", "64", "200"] } else { sizes };
    for size in sizes {
        let mut rows: Vec<[Times; 3]> = programs.iter().map(|_| Default::default()).collect();
        for _ in 0..COLD {
            for (program, [warm, cold, nothing]) in programs.iter().zip(&mut rows) {
                nothing.add(run(program, &["--nothing"]).0);
                cold.add(run(program, &["--cold", size]).0);
                let said = run(program, &["--warm", size]).1;
                warm.add(Duration::from_nanos(said.trim().parse().expect("nanoseconds")));
            }
        }
        for (program, [warm, cold, nothing]) in programs.iter().zip(&rows) {
            let name = if *program == this() { "this" } else { "beside" };
            let told =
                |times: &Times| format!("{:.2} ms ({:.2})", millis(times.median()), millis(times.least()));
            let share = |of: fn(&Times) -> Duration| millis(of(cold)) - millis(of(nothing));
            println!(
                "| {size} | {name} | {} | {} | {} | {:.2} ms ({:.2}) |",
                told(warm),
                told(cold),
                told(nothing),
                share(Times::median),
                share(Times::least)
            );
        }
    }
}

fn run(program: &Path, args: &[&str]) -> (Duration, String) {
    let start = Instant::now();
    let output = Command::new(program).args(args).stderr(Stdio::inherit()).output().expect("it runs");
    let time = start.elapsed();
    assert!(output.status.success());
    (time, String::from_utf8_lossy(&output.stdout).into_owned())
}
