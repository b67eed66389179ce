//! What the store costs, in ratio to what the disk costs in the same run.
//!
//! Absolute times say little on a shared machine. So each round saves the same
//! bytes in the barest safe way and then with the store, and the medians are
//! compared. Prints a Markdown table for `docs/benchmarks.md`.
//!
//! `RAWKO_BENCH_ROUNDS` (200) and `RAWKO_BENCH_FILES` (100000) set the size. `RAWKO_PROGRAM`, a path to
//! `rawko`, has the whole commands `list` and `validate` measured over the same files.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rawko_core::{Channel, Entry};
use rawko_store::{FileStore, Layout, Store, Target, contract};

fn size(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

fn timed<T>(act: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(act());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn open(folder: &Path) -> FileStore {
    let layout = Layout::at(folder.join("project/.rawko"));
    FileStore::project(layout, Some(&folder.join("home")), jiff::Timestamp::UNIX_EPOCH)
        .expect("the store opens")
}

/// A typical memory: about 700 bytes.
fn entry(title: &str, n: usize) -> Entry {
    let line = "Releases are cut from main, and the pipeline refuses anything that is not tagged there.\n";
    contract::entry(title, &format!("# Deploy {n}\n\n{}", line.repeat(6)), n as i64)
}

/// The barest way to have a file whole: temporary name, sync, rename.
fn bare(folder: &Path, n: usize, bytes: &[u8], sync_folder: bool) {
    let temporary = folder.join(format!(".tmp-{n}"));
    let mut file = File::create_new(&temporary).expect("a temporary file");
    file.write_all(bytes).and_then(|()| file.sync_all()).expect("bytes on disk");
    fs::rename(&temporary, folder.join(format!("{n}.md"))).expect("a name");
    if sync_folder {
        File::open(folder).and_then(|folder| folder.sync_all()).expect("a name on disk");
    }
}

fn writing(folder: &Path) {
    let rounds = size("RAWKO_BENCH_ROUNDS", 200);
    let store = open(folder);
    let add =
        |entry: &Entry| store.append(entry, &Target::Title, Channel::Person).expect("an entry is saved");
    add(&entry("Shared 0", 0));
    let plain = folder.join("plain");
    fs::create_dir(&plain).expect("a folder");
    let mut times: [Vec<Duration>; 4] = Default::default();
    for n in 1..=rounds {
        // A memory of up to ten entries, as they are in practice.
        let shared = format!("Shared {}", n / 10);
        if n % 10 == 0 {
            add(&entry(&shared, n));
        }
        let new = entry(&format!("Memory {n}"), n);
        let bytes = new.to_text().into_bytes();
        times[0].push(timed(|| bare(&plain, 2 * n, &bytes, false)));
        times[1].push(timed(|| bare(&plain, 2 * n + 1, &bytes, true)));
        times[2].push(timed(|| add(&new)));
        times[3].push(timed(|| add(&entry(&shared, n + 1_000_000))));
    }
    let [bare, with_folder, new, append] = times.map(median);
    println!(
        "| writing one entry ({rounds} rounds, median) | time | to temp+fsync+rename | to the same and fsync of the folder |"
    );
    println!("|---|---|---|---|");
    for (name, time) in [
        ("temp+fsync+rename", bare),
        ("temp+fsync+rename+fsync of the folder", with_folder),
        ("a new memory", new),
        ("an entry of an existing memory", append),
    ] {
        let ratio = |to: Duration| time.as_secs_f64() / to.as_secs_f64();
        println!("| {name} | {} µs | {:.2} | {:.2} |", time.as_micros(), ratio(bare), ratio(with_folder));
    }
}

fn reading(folder: &Path) {
    let most = size("RAWKO_BENCH_FILES", 100_000);
    let memories = folder.join("project/.rawko/memories");
    fs::create_dir_all(&memories).expect("a folder");
    let mut made = 0;
    println!("\n| files | open | read, parse and check | for one file | `rawko list` | `rawko validate` |");
    println!("|---|---|---|---|---|---|");
    for count in [1_000, 10_000, 100_000].into_iter().filter(|count| *count <= most) {
        for n in made..count {
            fs::write(memories.join(format!("memory-{n}.md")), entry(&format!("Memory {n}"), n).to_text())
                .expect("a memory");
        }
        made = count;
        let open_time = median((0..5).map(|_| timed(|| open(folder))).collect());
        let store = open(folder);
        let read = || {
            let reading = store.read_all().expect("the store is read");
            assert_eq!((reading.memories.len(), reading.problems.len()), (count, 0));
        };
        let read_time = median((0..3).map(|_| timed(read)).collect());
        println!(
            "| {count} | {} µs | {} ms | {:.1} µs | {} | {} |",
            open_time.as_micros(),
            read_time.as_millis(),
            read_time.as_secs_f64() * 1e6 / count as f64,
            command(folder, "list"),
            command(folder, "validate")
        );
    }
}

/// What a whole command takes, if there is a program to start.
fn command(folder: &Path, word: &str) -> String {
    let Some(program) = std::env::var_os("RAWKO_PROGRAM") else { return "not measured".to_owned() };
    let run = || {
        let mut command = Command::new(&program);
        command.arg(word).current_dir(folder.join("project")).env("RAWKO_HOME", folder.join("home"));
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{word}: {}", String::from_utf8_lossy(&output.stderr));
    };
    format!("{} ms", median((0..3).map(|_| timed(run)).collect()).as_millis())
}

fn main() {
    let folder = std::env::temp_dir().join(format!("rawko-bench-{}", std::process::id()));
    for (name, part) in [("writing", writing as fn(&Path)), ("reading", reading)] {
        let place = folder.join(name);
        fs::create_dir_all(&place).expect("a scratch folder");
        part(&place);
    }
    fs::remove_dir_all(folder).expect("the scratch folder is removed");
}
