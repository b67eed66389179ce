//! What a prompt waits for: a new process that answers one injection, against a program that does nothing.
//!
//! `cargo bench -p rawko-cli --bench cold -- 1000 10000` prints a Markdown table; with `--svg FILE` it draws the
//! cost against the size of the store. Runs are interleaved; medians and, in brackets, minima are compared,
//! because no absolute time is stable on a shared machine: read the ratios. Beside it: the hooks before a prompt
//! and before a tool that calls nothing, a search in a new process and in one that runs already, what one more
//! memory costs the next prompt, building the index, its size, and the memory that is used. `--rounds N` measures
//! longer. Up to 10,000 memories the sentence encoder has read all of them, which takes it some minutes.

#[path = "../../rawko-store/benches/made/mod.rs"]
mod made;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::made::{TASKS, Times, does_nothing, millis};

const ROUNDS: usize = 40;
/// Memories of a store up to which the sentence encoder reads all of them: beyond, it would take an hour.
const READ: usize = 10_000;

/// The numbers of one store size.
struct Row {
    memories: usize,
    nothing: Times,
    inject: Times,
    prompt: Times,
    tool: Times,
    search: Times,
    warm: Times,
    after_add: Times,
    kilobytes: Option<u64>,
    index_bytes: u64,
    build: Duration,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    let rounds = after("--rounds").and_then(|count| count.parse().ok()).unwrap_or(ROUNDS);
    let sizes = words.iter().enumerate().filter(|(at, _)| *at == 0 || words[at - 1] != "--rounds");
    let mut sizes: Vec<usize> = sizes.filter_map(|(_, word)| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000];
    }
    let folder = std::env::temp_dir().join(format!("rawko-cold-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a scratch folder");
    let nothing = does_nothing(&folder);
    let rows: Vec<Row> = sizes.iter().map(|&memories| measure(&folder, &nothing, memories, rounds)).collect();
    print(&rows);
    let program = fs::metadata(env!("CARGO_BIN_EXE_rawko")).map_or(0, |meta| meta.len());
    println!("\nThe program has {:.1} MB. {rounds} rounds.", program as f64 / 1e6);
    if let Some(path) = after("--svg") {
        // A bench runs in its own folder; the path is meant from the root.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::write(root.join(path), plot(&rows)).expect("the picture is written");
    }
    let _ = fs::remove_dir_all(&folder);
}

fn print(rows: &[Row]) {
    println!("| memories | does nothing | inject | ratio | prompt hook | tool hook, silent | search |");
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        let of =
            |times: &Times, least: fn(&Times) -> Duration| millis(least(times)) / millis(least(&row.nothing));
        let ratio =
            |times: &Times| format!("{:.1} × ({:.1} ×)", of(times, Times::median), of(times, Times::least));
        println!(
            "| {} | {:.2} ms | {:.2} ms | {} | {} | {} | {} |",
            row.memories,
            millis(row.nothing.median()),
            millis(row.inject.median()),
            ratio(&row.inject),
            ratio(&row.prompt),
            ratio(&row.tool),
            ratio(&row.search),
        );
    }
    println!("\n| memories | after one more | warm search p50 / p95 | index | build | memory used |");
    println!("|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {:.2} ms | {:.2} / {:.2} ms | {:.1} MB | {:.1} s | {} |",
            row.memories,
            millis(row.after_add.median()),
            millis(row.warm.median()),
            millis(row.warm.at(95)),
            row.index_bytes as f64 / 1e6,
            row.build.as_secs_f64(),
            row.kilobytes.map_or("?".to_owned(), |kilobytes| format!("{:.0} MB", kilobytes as f64 / 1e3)),
        );
    }
}

/// A project of the measurement.
struct Project {
    folder: PathBuf,
}

impl Project {
    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn rawko(&self, words: &[&str]) -> Command {
        let mut command = self.program(Path::new(env!("CARGO_BIN_EXE_rawko")));
        command.args(words);
        command
    }

    /// Any program, started as all are: what starting costs depends on what the child is given.
    fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("RAWKO_HOME", self.home()).env("RAWKO_PERSON", "yes");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn inject(&self, round: usize) -> Command {
        self.rawko(&["inject", "--no-receipt", "--task", TASKS[round % TASKS.len()]])
    }

    /// A hook of Claude Code, with what the host says on standard input; every call is of a session of its own.
    fn hook(&self, event: &str, round: usize, said: &str) -> Duration {
        let mut command = self.rawko(&["hook", "claude", event]);
        let folder = self.folder.display();
        let said = format!(
            "{{\"session_id\":\"{event}-{round}\",\"cwd\":\"{folder}\",\"hook_event_name\":\"{event}\",{said}}}"
        );
        let start = Instant::now();
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a hook starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(said.as_bytes()).expect("it listens");
        drop(stdin);
        assert!(child.wait().is_ok_and(|status| status.success()));
        start.elapsed()
    }

    fn engine(&self) -> rawko::Engine {
        let now = rawko::Now::at(jiff::Timestamp::now());
        rawko::Engine::open(&self.folder, Some(&self.home()), now).expect("the stores open")
    }
}

fn run(mut command: Command) -> Duration {
    let start = Instant::now();
    assert!(command.status().is_ok_and(|status| status.success()));
    start.elapsed()
}

fn measure(folder: &Path, nothing: &Path, memories: usize, rounds: usize) -> Row {
    eprintln!("{memories} memories");
    let project = Project { folder: folder.join(memories.to_string()) };
    fs::create_dir_all(&project.folder).expect("a project");
    run(project.rawko(&["init"]));
    made::memories(&project.folder.join(".rawko/memories"), memories);
    run(project.rawko(&["trust", "--yes"]));
    // By a process of its own: one that has built an index is large, and starts others slower.
    let build = run(project.rawko(&["index"]));
    if memories <= READ {
        run(project.rawko(&["index", "--embed"]));
    }
    // What was just written goes to the disk first: that is no part of what a prompt waits for.
    let _ = Command::new("sync").status();
    // The first one finds a folder of the clock's last tick, looks at all files, and notes it.
    run(project.inject(0));
    let mut row = Row {
        memories,
        nothing: Times::default(),
        inject: Times::default(),
        prompt: Times::default(),
        tool: Times::default(),
        search: Times::default(),
        warm: Times::default(),
        after_add: Times::default(),
        kilobytes: kilobytes(project.inject(0)),
        index_bytes: fs::metadata(project.folder.join(".rawko/cache/index")).map_or(0, |meta| meta.len()),
        build,
    };
    for round in 0..rounds {
        row.nothing.add(run(project.program(nothing)));
        row.inject.add(run(project.inject(round)));
        let prompt = format!("\"prompt\":\"{}\"", TASKS[round % TASKS.len()]);
        row.prompt.add(project.hook("UserPromptSubmit", round, &prompt));
        let tool = "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls -la\"}";
        row.tool.add(project.hook("PreToolUse", round, tool));
        row.search.add(run(project.rawko(&["search", TASKS[round % TASKS.len()]])));
    }
    let engine = project.engine();
    for round in 0..60 {
        let start = Instant::now();
        engine.search(TASKS[round % TASKS.len()], 5, |_| true).expect("a search ends");
        row.warm.add(start.elapsed());
    }
    for n in 0..10 {
        let title = format!("One more thing about exports, {n}");
        let words = ["--when", "export", "--importance", "low", "--content", "It is late."];
        run(project.rawko(&[&["add", "--title", &title][..], &words].concat()));
        row.after_add.add(run(project.inject(n)));
    }
    let _ = fs::remove_dir_all(&project.folder);
    row
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
        ("inject", "#c33", (|row: &Row| row.inject.median()) as fn(&Row) -> Duration),
        ("does nothing", "#888", |row| row.nothing.median()),
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
