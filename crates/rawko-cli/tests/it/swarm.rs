//! G3: many processes write to one store at once, and no entry is lost or doubled.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rawko::store::contract;
use rawko::{Channel, Store, Target};

use crate::rig::{self, Rig, Said, check};

const WRITER: &str = "RAWKO_SWARM_WRITER";

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
    // All start together: when the pipe that they share is closed.
    let _ = std::io::stdin().read(&mut [0]);
    let start = Instant::now();
    store
        .append(&contract::entry(&title(n), &body(n), 0), &Target::Title, Channel::Agent)
        .expect("an entry is saved");
    let (micros, end) = (start.elapsed().as_micros(), clock());
    let report = Path::new(project).join("report");
    let mut report = File::options().append(true).open(report).expect("the report opens");
    report.write_all(format!("{micros} {end}\n").as_bytes()).expect("the report is written");
}

/// Microseconds that two processes can compare.
fn clock() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_micros())
}

#[test]
fn swarm_2000() {
    let writers = rig::size("RAWKO_WRITERS", 300, 2_000);
    let rig = Rig::new();
    let mut expected: Vec<Said> = vec![rig.add("Shared", "# Shared\n\nThe first.")];
    fs::write(rig.project().join("report"), "").expect("a report is begun");
    let (gate, opener) = std::io::pipe().expect("a pipe");
    let start = |n: usize| -> Child {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "swarm::swarm_writer", "--nocapture"]).stdout(Stdio::null());
        command.env(WRITER, format!("{n} {}", rig.project().display()));
        command.stdin(gate.try_clone().expect("one more end of the pipe")).spawn().expect("a writer starts")
    };
    let children: Vec<Child> = (0..writers).map(start).collect();
    expected.extend((0..writers).map(|n| (rig::slug(&title(n)), body(n))));
    let (begun, opened) = (Instant::now(), clock());
    drop((gate, opener));
    for child in children {
        let ended = child.wait_with_output().expect("a writer ends");
        assert!(ended.status.success(), "no writer fails");
    }
    let took = begun.elapsed();
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
    let report = fs::read_to_string(rig.project().join("report")).expect("the report");
    let mut times: [Vec<u128>; 2] = Default::default();
    for (write, end) in report.lines().filter_map(|line| line.split_once(' ')) {
        times[0].push(write.parse().expect("microseconds"));
        times[1].push(end.parse::<u128>().expect("a time").saturating_sub(opened));
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let [writes, ends] = &times;
    assert_eq!(writes.len(), writers, "every writer reported");
    let at =
        |times: &[u128], share: usize| times[(times.len() * share / 100).min(times.len() - 1)] as f64 / 1e3;
    println!(
        "swarm_2000: {writers} writers at once in {} ms; one write p50 {:.1} ms, p99 {:.1} ms; from the common start to its end p50 {:.0} ms, p99 {:.0} ms; {left} records left to others",
        took.as_millis(),
        at(writes, 50),
        at(writes, 99),
        at(ends, 50),
        at(ends, 99)
    );
}
