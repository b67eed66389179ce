//! What a prompt waits for: a new process that answers one injection, against a program that does nothing.
//!
//! `cargo bench -p rawko-cli --bench cold -- 1000 10000` prints a Markdown table; with `--svg FILE` it draws the
//! cost against the size of the store. Runs are interleaved and the medians compared, because no absolute
//! time is stable on a shared machine: read the ratios. Beside it: a search in a process that runs already,
//! what one more memory costs the next prompt, building the index, its size, and the memory that is used.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 40;
const AREAS: [&str; 12] = [
    "billing",
    "checkout",
    "login",
    "search",
    "upload",
    "telemetry",
    "inventory",
    "calendar",
    "permissions",
    "export",
    "sync",
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
    "fixture",
];
const FAULTS: [&str; 12] = [
    "deadlocks under load",
    "leaks memory",
    "returns stale data",
    "fails only in CI",
    "drops the last message",
    "times out after 30 seconds",
    "panics on an empty list",
    "writes rows twice",
    "rejects valid names",
    "is an hour off in spring",
    "rounds cents wrongly",
    "loses its connection at night",
];
const TASKS: [&str; 4] = [
    "The checkout webhook handler writes rows twice after a deploy, find out why",
    "Add a dark mode switch to the settings page",
    "Users say search returns stale data when the session cache is warm",
    "Refactor the login rate limiter so that it can be tested",
];

/// The numbers of one store size.
struct Row {
    memories: usize,
    nothing: Duration,
    inject: Duration,
    warm: [Duration; 2],
    after_add: Duration,
    kilobytes: Option<u64>,
    index_bytes: u64,
    build: Duration,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let svg = words.iter().position(|word| word == "--svg").and_then(|at| words.get(at + 1)).cloned();
    let mut sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000];
    }
    let folder = std::env::temp_dir().join(format!("rawko-cold-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a scratch folder");
    let nothing = does_nothing(&folder);
    let rows: Vec<Row> = sizes.iter().map(|&memories| measure(&folder, &nothing, memories)).collect();
    println!(
        "| memories | does nothing | inject | ratio | after one more | warm search p50 / p95 | index | build | memory used |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in &rows {
        println!(
            "| {} | {:.2} ms | {:.2} ms | {:.1} × | {:.2} ms | {:.2} / {:.2} ms | {:.1} MB | {:.1} s | {} |",
            row.memories,
            millis(row.nothing),
            millis(row.inject),
            millis(row.inject) / millis(row.nothing),
            millis(row.after_add),
            millis(row.warm[0]),
            millis(row.warm[1]),
            row.index_bytes as f64 / 1e6,
            row.build.as_secs_f64(),
            row.kilobytes.map_or("?".to_owned(), |kilobytes| format!("{:.0} MB", kilobytes as f64 / 1e3)),
        );
    }
    let program = fs::metadata(env!("CARGO_BIN_EXE_rawko")).map_or(0, |meta| meta.len());
    println!("\nThe program has {:.1} MB.", program as f64 / 1e6);
    if let Some(path) = svg {
        // A bench runs in its own folder; the path is meant from the root.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::write(root.join(path), plot(&rows)).expect("the picture is written");
    }
    let _ = fs::remove_dir_all(&folder);
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// An empty Rust program: what starting a process costs here.
fn does_nothing(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("nothing.rs"), folder.join("nothing"));
    fs::write(&source, "fn main() {}\n").expect("written");
    let built = Command::new("rustc").args(["-O", "-o"]).arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|status| status.success()), "rustc is needed to build an empty program");
    program
}

fn measure(folder: &Path, nothing: &Path, memories: usize) -> Row {
    eprintln!("{memories} memories: writing and indexing");
    let project = folder.join(memories.to_string());
    fs::create_dir_all(&project).expect("a project");
    let rawko = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rawko"));
        command.args(words).current_dir(&project).env("RAWKO_HOME", project.join("home"));
        command.env("RAWKO_PERSON", "yes");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let run = |mut command: Command| {
        let start = Instant::now();
        assert!(command.status().is_ok_and(|status| status.success()));
        start.elapsed()
    };
    run(rawko(&["init"]));
    (0..memories).for_each(|n| {
        fs::write(project.join(format!(".rawko/memories/memory-{n}.md")), memory(n)).expect("written")
    });
    run(rawko(&["trust", "--yes"]));
    let build = run(rawko(&["search", "warm up"]));
    let (mut empty, mut inject) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        empty.push(run(Command::new(nothing)));
        inject.push(run(rawko(&["inject", "--no-receipt", "--task", TASKS[round % TASKS.len()]])));
    }
    let index = fs::metadata(project.join(".rawko/cache/index")).map_or(0, |meta| meta.len());
    let kilobytes = kilobytes(rawko(&["inject", "--no-receipt", "--task", TASKS[0]]));
    let warm = warm(&project);
    let more = |n: usize| {
        let title = format!("One more thing about exports, {n}");
        run(rawko(&[
            "add",
            "--title",
            &title,
            "--when",
            "export",
            "--importance",
            "low",
            "--content",
            "It is late.",
        ]));
        run(rawko(&["inject", "--no-receipt", "--task", TASKS[n % TASKS.len()]]))
    };
    let after_add = median((0..10).map(more).collect());
    Row {
        memories,
        nothing: median(empty),
        inject: median(inject),
        warm,
        after_add,
        kilobytes,
        index_bytes: index,
        build,
    }
}

/// Searches in a process that runs already: the median, and what one in twenty exceeds.
fn warm(project: &Path) -> [Duration; 2] {
    let home = project.join("home");
    let engine =
        rawko::Engine::open(project, Some(&home), rawko::Now::at(jiff::Timestamp::now())).expect("opens");
    let mut times: Vec<Duration> = (0..60)
        .map(|round| {
            let start = Instant::now();
            engine.search(TASKS[round % TASKS.len()], 5, |_| true).expect("a search ends");
            start.elapsed()
        })
        .collect();
    times.sort();
    [times[times.len() / 2], times[times.len() * 95 / 100]]
}

/// The most memory that a command used, where GNU time can tell.
fn kilobytes(command: Command) -> Option<u64> {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M"]).arg(command.get_program()).args(command.get_args());
    timed.current_dir(command.get_current_dir()?).stdin(Stdio::null()).stdout(Stdio::null());
    timed.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = timed.stderr(Stdio::piped()).output().ok()?;
    String::from_utf8_lossy(&said.stderr).lines().last()?.trim().parse().ok()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// One of many memories, each about another place.
fn memory(n: usize) -> String {
    let (area, part, fault) = (AREAS[n % 12], PARTS[n / 12 % 10], FAULTS[n / 120 % 12]);
    let more: String = (0..8)
        .map(|k| format!("See {} and {}. ", AREAS[(n * 7 + k) % 12], FAULTS[(n * 3 + k * 5) % 12]))
        .collect();
    format!(
        "---\ntitle: \"{area} {part} {fault} (case {n})\"\nwhenToUse: [\"{area} {part}\", \"When the {part} of {area} {fault}\"]\n\
         tags: [{area}]\nimportance: medium\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: developer\n---\n\n# Case {n}\n\n\
         The {part} in `src/{area}/file_{n}.rs` {fault}. {more}\n"
    )
}

/// The cost against the size of the store, both on scales of powers of ten.
fn plot(rows: &[Row]) -> String {
    let x = |memories: usize| 60.0 + ((memories.max(1) as f64).log10() - 2.0) * 130.0;
    let y = |time: Duration| 260.0 - (millis(time).max(0.1).log10() + 1.0) * 70.0;
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"300\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"640\" height=\"300\" fill=\"white\"/>\n",
    );
    for power in -1..=3 {
        let at = 260.0 - f64::from(power + 1) * 70.0;
        let _ = writeln!(
            out,
            "<line x1=\"60\" x2=\"620\" y1=\"{at}\" y2=\"{at}\" stroke=\"#ddd\"/><text x=\"8\" y=\"{}\">{} ms</text>",
            at + 4.0,
            10_f64.powi(power)
        );
    }
    for (name, colour, of) in [
        ("inject", "#c33", (|row: &Row| row.inject) as fn(&Row) -> Duration),
        ("does nothing", "#888", |row| row.nothing),
    ] {
        let points: Vec<String> =
            rows.iter().map(|row| format!("{:.0},{:.0}", x(row.memories), y(of(row)))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        if let Some(row) = rows.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{name}</text>",
                x(row.memories) + 6.0,
                y(of(row)) - 6.0
            );
        }
    }
    for row in rows {
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"285\" text-anchor=\"middle\">{}</text>",
            x(row.memories),
            row.memories
        );
    }
    out.push_str("</svg>\n");
    out
}
