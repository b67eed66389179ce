//! G3: many processes write to one store at once, and no entry is lost or doubled.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rawko::store::contract;
use rawko::{Channel, Store, Target};

use crate::rig::{self, Rig, Said, check};
use crate::trace::{self, Call};

const WRITER: &str = "RAWKO_SWARM_WRITER";
/// Set for writers that know nothing of rawko, for comparison.
const BARE: &str = "RAWKO_SWARM_BARE";

/// What every second writer writes to.
fn title(n: usize) -> String {
    if n.is_multiple_of(2) { "Shared".to_owned() } else { format!("Own {n}") }
}

fn body(n: usize) -> String {
    format!("# Entry\n\nWriter {n} was here.")
}

/// One process of the swarm: does nothing unless it is started as one.
#[test]
fn swarm_writer() {
    let Some(job) = std::env::var_os(WRITER) else { return };
    let job = job.into_string().expect("a job in text");
    let (number, project) = job.split_once(' ').expect("a number and a project");
    let n: usize = number.parse().expect("a number");
    let store = rig::open(Path::new(project));
    let entry = contract::entry(&title(n), &body(n), 0);
    // All start together: when the pipe that they share is closed.
    let _ = std::io::stdin().read(&mut [0]);
    let (start, queued) = (Instant::now(), queued());
    if std::env::var_os(BARE).is_some() {
        bare(&Path::new(project).join("bare"), n, entry.to_text().as_bytes()).expect("bytes are saved");
    } else {
        store.append(&entry, &Target::Title, Channel::Agent).expect("an entry is saved");
    }
    let (micros, queued, end) = (start.elapsed().as_micros(), self::queued() - queued, clock());
    let report = Path::new(project).join("report");
    let mut report = File::options().append(true).open(report).expect("the report opens");
    report.write_all(format!("{micros} {queued} {end}\n").as_bytes()).expect("the report is written");
}

/// Microseconds that this thread could have run and had no processor; 0 where the system does not tell.
fn queued() -> u128 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').nth(1).and_then(|nanos| nanos.parse::<u128>().ok()).unwrap_or(0) / 1_000
}

/// The barest way to have a file whole: temporary name, sync, rename, sync of the folder.
fn bare(folder: &Path, n: usize, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = folder.join(format!(".tmp-{n}"));
    let mut file = File::create_new(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, folder.join(format!("{n}.md")))?;
    File::open(folder)?.sync_all()
}

/// Microseconds that two processes can compare.
fn clock() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_micros())
}

/// What the writers of one swarm took, in milliseconds, sorted.
struct Times {
    /// Each write.
    writes: Vec<f64>,
    /// Each write without the time in which it only waited for a processor.
    own: Vec<f64>,
    /// From the common start to the end of each.
    ends: Vec<f64>,
}

fn at(times: &[f64], share: usize) -> f64 {
    times[(times.len() * share / 100).min(times.len() - 1)]
}

/// Starts so many writers, lets them go all at once, and waits for them.
fn swarm(rig: &Rig, writers: usize, is_bare: bool) -> Times {
    let path = rig.project().join("report");
    fs::write(&path, "").expect("a report is begun");
    let (gate, opener) = std::io::pipe().expect("a pipe");
    let start = |n: usize| -> Child {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "swarm::swarm_writer", "--nocapture"]).stdout(Stdio::null());
        command.env(WRITER, format!("{n} {}", rig.project().display()));
        if is_bare {
            command.env(BARE, "1");
        }
        command.stdin(gate.try_clone().expect("one more end of the pipe")).spawn().expect("a writer starts")
    };
    let children: Vec<Child> = (0..writers).map(start).collect();
    let opened = clock();
    drop((gate, opener));
    for child in children {
        let ended = child.wait_with_output().expect("a writer ends");
        assert!(ended.status.success(), "no writer fails");
    }
    let report = fs::read_to_string(path).expect("the report");
    let mut times = Times { writes: Vec::new(), own: Vec::new(), ends: Vec::new() };
    for line in report.lines() {
        let numbers: Vec<u128> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
        let [write, queued, end] = numbers[..] else { panic!("three numbers: {line}") };
        times.writes.push(write as f64 / 1e3);
        times.own.push(write.saturating_sub(queued) as f64 / 1e3);
        times.ends.push(end.saturating_sub(opened) as f64 / 1e3);
    }
    assert_eq!(times.writes.len(), writers, "every writer reported");
    times.writes.sort_by(f64::total_cmp);
    times.own.sort_by(f64::total_cmp);
    times.ends.sort_by(f64::total_cmp);
    times
}

/// Lets a few write elsewhere: what the writers are made of comes from the disk once, before the clock runs.
fn read_the_program() {
    let elsewhere = Rig::new();
    elsewhere.add("Shared", "# Shared\n\nThe first.");
    swarm(&elsewhere, 8, false);
}

#[test]
fn swarm_2000() {
    let writers = rig::size("RAWKO_WRITERS", 2_000, 2_000);
    let rig = Rig::new();
    let mut expected: Vec<Said> = vec![rig.add("Shared", "# Shared\n\nThe first.")];
    expected.extend((0..writers).map(|n| (rig::slug(&title(n)), body(n))));
    read_the_program();
    let ours = swarm(&rig, writers, false);
    let verify = |when: &str| {
        let (found, errors) = rig.entries();
        if let Err(wrong) = check(&found, &expected, &[]) {
            panic!("{when}: {wrong}");
        }
        assert_eq!((found.len(), errors), (writers + 1, 0), "{when}");
    };
    verify("after the swarm");
    let left = rig.waiting().len();
    rig.store().settle(Duration::from_secs(5)).expect("the rest is moved");
    verify("after settling");
    assert_eq!(rig.waiting(), Vec::<String>::new());
    // Readers count the same text once; in the file, too, it stands once.
    let shared = fs::read_to_string(rig.memory("shared")).expect("the shared memory");
    assert_eq!(rawko::core::parse(&shared).entries.len(), writers.div_ceil(2) + 1);
    let say = |name: &str, times: &Times| {
        let [p50, p99, end] = [at(&times.writes, 50), at(&times.writes, 99), at(&times.ends, 99)];
        let own = at(&times.own, 99);
        println!(
            "swarm_2000: {writers} {name}: one write p50 {p50:.1} ms, p99 {p99:.1} ms, {own:.1} ms without waiting for a processor; from the common start p99 {end:.0} ms"
        );
    };
    say(&format!("writers at once, {left} records left to others"), &ours);
    if crate::sandbox::full() || std::env::var_os("RAWKO_WRITERS").is_some() {
        fs::create_dir(rig.project().join("bare")).expect("a folder");
        let bare = swarm(&rig, writers, true);
        say("bare temp+fsync+rename", &bare);
        println!("swarm_2000: p99 is {:.2} times that", at(&ours.writes, 99) / at(&bare.writes, 99));
    }
}

/// Another writer comes, and is done, at every moment of a write: the first one has stopped there.
#[test]
fn swarm_at_every_call() {
    if !trace::is_possible() {
        return;
    }
    let mut meetings = 0;
    for title in ["Alpha", "Gamma"] {
        let words = ["add", "--title", title, "--content", "# First\n\nBy the first."];
        let start = || {
            let rig = Rig::new().by_table();
            rig.add("Alpha", "# Alpha\n\nIt is there.");
            rig
        };
        let (_, calls) = start().traced(&words, None);
        let ours = |call: &&Call| call.is_below("/.rawko/spool") || call.is_below("/.rawko/memories");
        for call in trace::from_first_access(&calls).iter().filter(ours) {
            let rig = start();
            let ran = rig.stopped(&words, call, || drop(rig.add(title, "# Second\n\nBy the second.")));
            let place = format!("{title}, stopped at {} number {}: {ran:?}", call.name, call.nth);
            assert_eq!(ran.code, Some(0), "{place}");
            rig.store().settle(Duration::from_secs(1)).expect("the rest is moved");
            let file = fs::read_to_string(rig.memory(&rig::slug(title))).expect("the memory");
            for words in ["By the first.", "By the second."] {
                assert_eq!(file.matches(words).count(), 1, "{place}:\n{file}");
            }
            let entries = if title == "Alpha" { 3 } else { 2 };
            assert_eq!(rawko::core::parse(&file).entries.len(), entries, "{place}:\n{file}");
            meetings += 1;
        }
    }
    println!("swarm_at_every_call: {meetings} meetings of two writers");
}
