//! What the store costs, in ratio to what the disk costs in the same run.
//!
//! Absolute times say little on a shared machine. So each round saves the same
//! bytes in the barest safe way and then with the store, and the medians are
//! compared. Prints a Markdown table for `docs/benchmarks.md`.
//!
//! On a loaded machine even the ratio of two times is noise where one of them is long, so whole readings are
//! told in processor time as well.
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

/// What this process and the programs that it started have taken of the processor so far.
///
/// From `/proc`, in hundredths of a second; nothing where there is none.
fn processor() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = text.rsplit(')').next().unwrap_or_default();
    let hundredths = behind_name.split_whitespace().skip(11).take(4).filter_map(|n| n.parse::<u64>().ok());
    Duration::from_millis(10 * hundredths.sum::<u64>())
}

/// The medians of three runs, by the clock and by the processor.
fn thrice(act: impl Fn()) -> String {
    let (mut clock, mut work) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let before = processor();
        clock.push(timed(&act));
        work.push(processor().saturating_sub(before));
    }
    format!("{} ms, {:.2} s", median(clock).as_millis(), median(work).as_secs_f64())
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

/// What an append must sync, and nothing else: a record and its name, the memory's file and its name.
fn four_syncs(folder: &Path, n: usize, bytes: &[u8]) {
    bare(folder, n, bytes, true);
    let memory = folder.join("shared");
    let mut file = File::options().create(true).append(true).open(memory).expect("a file");
    file.write_all(bytes).and_then(|()| file.sync_all()).expect("bytes on disk");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("a name on disk");
    fs::remove_file(folder.join(format!("{n}.md"))).expect("the record goes");
}

fn writing(folder: &Path) {
    let rounds = size("RAWKO_BENCH_ROUNDS", 200);
    let store = open(folder);
    let add =
        |entry: &Entry| store.append(entry, &Target::Title, Channel::Person).expect("an entry is saved");
    add(&entry("Shared 0", 0));
    let plain = folder.join("plain");
    fs::create_dir(&plain).expect("a folder");
    let mut times: [Vec<Duration>; 5] = Default::default();
    for n in 1..=rounds {
        // A memory of up to ten entries, as they are in practice.
        let shared = format!("Shared {}", n / 10);
        if n % 10 == 0 {
            add(&entry(&shared, n));
        }
        let new = entry(&format!("Memory {n}"), n);
        let bytes = new.to_text().into_bytes();
        times[0].push(timed(|| bare(&plain, 3 * n, &bytes, false)));
        times[1].push(timed(|| bare(&plain, 3 * n + 1, &bytes, true)));
        times[2].push(timed(|| four_syncs(&plain, 3 * n + 2, &bytes)));
        times[3].push(timed(|| add(&new)));
        times[4].push(timed(|| add(&entry(&shared, n + 1_000_000))));
    }
    let [bare, with_folder, syncs, new, append] = times.map(median);
    println!(
        "| writing one entry ({rounds} rounds, median) | time | to temp+fsync+rename | to the same and fsync of the folder |"
    );
    println!("|---|---|---|---|");
    for (name, time) in [
        ("temp+fsync+rename", bare),
        ("temp+fsync+rename+fsync of the folder", with_folder),
        ("the four syncs of an append, alone", syncs),
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
    println!("\nWhere there are two numbers, the second is processor time.\n");
    println!("| files | open | read, parse and check | `rawko list` | `rawko validate` |");
    println!("|---|---|---|---|---|");
    for count in [1_000, 10_000, 100_000].into_iter().filter(|count| *count <= most) {
        for n in made..count {
            fs::write(memories.join(format!("memory-{n}.md")), entry(&format!("Memory {n}"), n).to_text())
                .expect("a memory");
        }
        made = count;
        let open_time = median((0..5).map(|_| timed(|| open(folder))).collect());
        let store = open(folder);
        let read = thrice(|| {
            let reading = store.read_all().expect("the store is read");
            assert_eq!((reading.memories.len(), reading.problems.len()), (count, 0));
        });
        let [list, validate] = ["list", "validate"].map(|word| command(folder, word));
        println!("| {count} | {} µs | {read} | {list} | {validate} |", open_time.as_micros());
    }
}

/// What a whole command takes, if there is a program to start.
fn command(folder: &Path, word: &str) -> String {
    let Some(program) = std::env::var_os("RAWKO_PROGRAM") else { return "not measured".to_owned() };
    thrice(|| {
        let mut command = Command::new(&program);
        command.arg(word).current_dir(folder.join("project")).env("RAWKO_HOME", folder.join("home"));
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{word}: {}", String::from_utf8_lossy(&output.stderr));
    })
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
