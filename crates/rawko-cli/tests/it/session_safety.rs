//! What a session was told is there: among many processes, killed at random and at every system call.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rawko::core::session::{SessionId, read};
use rawko::store::{Layout, Sessions};

use crate::crash::{Dice, points};
use crate::rig::{self, Rig, Said, on_two_threads};
use crate::trace;

fn begun() -> (Rig, SessionId) {
    let rig = Rig::new();
    assert_eq!(rig.run(&["session", "start", "A task", "--agent", "developer"]).code, Some(0));
    let id = sessions(&rig).newest_open().expect("an open session");
    (rig, id)
}

fn sessions(rig: &Rig) -> Sessions {
    Sessions::at(Layout::at(rig.root()))
}

/// Everything that was said with how often it is there, archive included, by agent and text.
fn found(rig: &Rig, id: &SessionId) -> BTreeMap<(String, String), usize> {
    let read = sessions(rig).read_whole(id).expect("a session");
    assert_eq!(read.problems, [], "the file is sound");
    let mut found = BTreeMap::new();
    for memory in read.memories {
        let mut said: Vec<String> = memory.discoveries.into_iter().map(|entry| entry.content).collect();
        said.extend(memory.decisions.into_iter().map(|entry| entry.description));
        for attempt in memory.attempts {
            said.push(attempt.description);
            said.extend(attempt.commands);
            said.extend(attempt.lessons);
        }
        let context = memory.context.unwrap_or_default();
        let known = context.codebase_understanding.into_iter().chain(context.task_context);
        said.extend(known.map(|(key, _)| key));
        for text in said {
            *found.entry((memory.agent.clone(), text)).or_default() += 1;
        }
    }
    found
}

/// The next thing that a writer says, each kind in its turn: how, and the text that tells it from all others.
///
/// `open` is the attempt of this writer that goes on, as far as it was told.
fn next(writer: usize, n: usize, open: Option<&str>) -> (Vec<String>, String) {
    let text = format!("writer-{writer}-{n}");
    let words = match (n % 8, open) {
        (0 | 4, _) => vec!["discover".into(), text.clone()],
        (1, _) => vec!["decide".into(), text.clone()],
        (2, _) => vec!["context".into(), "--know".into(), format!("{text}=1")],
        (3, _) => vec!["attempt".into(), "start".into(), text.clone(), "--id".into(), text.clone()],
        (5 | 6, Some(id)) => {
            vec!["attempt".into(), "update".into(), id.into(), "--command".into(), text.clone()]
        }
        (7, Some(id)) => {
            let ends = ["--result", "partial", "--lessons"].map(str::to_owned);
            [vec!["attempt".into(), "finish".into(), id.into()], ends.to_vec(), vec![text.clone()]].concat()
        }
        _ => vec!["context".into(), "--task".into(), format!("{text}=1")],
    };
    (words, text)
}

fn leftovers(rig: &Rig, id: &SessionId) -> Vec<String> {
    let entries = fs::read_dir(sessions(rig).folder(id)).expect("a folder").flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".tmp-"))
        .collect()
}

/// Reads a session's memory over and over, and asserts that it is valid and only grows; how often it was read.
fn look_until(ended: &AtomicBool, path: &std::path::Path, id: &SessionId) -> usize {
    let (mut most, mut looks) = (0, 0);
    while !ended.load(Ordering::Relaxed) {
        let text = fs::read_to_string(path).expect("there at every moment, and text");
        let seen = read(&text, id.as_str());
        assert_eq!(seen.problems, [], "valid at every moment:\n{text}");
        let count = seen.memories.iter().map(|memory| memory.discoveries.len()).sum::<usize>();
        assert!(count >= most, "{count} entries after {most}");
        (most, looks) = (count, looks + 1);
    }
    looks
}

#[test]
fn session_swarm() {
    let processes = rig::size("RAWKO_SESSION_PROCESSES", 16, 64);
    let lasts = Duration::from_secs(rig::size("RAWKO_SESSION_SECONDS", 2, 10) as u64);
    let (rig, id) = begun();
    let path = sessions(&rig).folder(&id).join("agent-memory.yaml");
    let (acknowledged, unsure) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let (ended, looks, refused) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| looks.store(look_until(&ended, &path, &id), Ordering::Relaxed));
        let writers: Vec<_> = (0..processes)
            .map(|writer| {
                let (rig, acknowledged, unsure, refused) = (&rig, &acknowledged, &unsure, &refused);
                scope.spawn(move || {
                    let mut dice = Dice(writer as u64 + 1);
                    let agent = format!("agent-{}", writer % 4);
                    let mut open: Option<String> = None;
                    for n in 0.. {
                        if start.elapsed() >= lasts {
                            break;
                        }
                        let (words, content) = next(writer, n, open.as_deref());
                        let kill =
                            (dice.below(3) == 0).then(|| Duration::from_micros(dice.below(80_000) as u64));
                        let said = told(rig, &agent, &words, kill);
                        match n % 8 {
                            3 => open = matches!(said, Told::Saved).then(|| content.clone()),
                            7 => open = None,
                            _ => {}
                        }
                        match said {
                            Told::Saved => {
                                acknowledged.lock().expect("no panic").push((agent.clone(), content))
                            }
                            Told::Nothing => unsure.lock().expect("no panic").push((agent.clone(), content)),
                            Told::Refused => drop(refused.fetch_add(1, Ordering::Relaxed)),
                        }
                    }
                })
            })
            .collect();
        let fine = writers.into_iter().all(|writer| writer.join().is_ok());
        ended.store(true, Ordering::Relaxed);
        assert!(reader.join().is_ok() && fine, "nobody panicked");
    });
    let (acknowledged, unsure) =
        (acknowledged.into_inner().expect("no panic"), unsure.into_inner().expect("no panic"));
    let found = found(&rig, &id);
    judge(&found, &acknowledged, &unsure);
    assert_eq!(refused.load(Ordering::Relaxed), 0, "a writer waits for the others, and is not refused");
    assert!(!acknowledged.is_empty() && looks.load(Ordering::Relaxed) > 0);
    assert_eq!(rig.run(&["session", "discover", "The last"]).code, Some(0));
    assert_eq!(leftovers(&rig, &id), Vec::<String>::new());
    println!(
        "session_swarm: {processes} processes, {} acknowledged, {} killed before, {} refused, {} looks of a reader",
        acknowledged.len(),
        unsure.len(),
        refused.into_inner(),
        looks.into_inner()
    );
}

/// Everything acknowledged is there once, and besides it only what a killed writer may have saved.
fn judge(found: &BTreeMap<Said, usize>, acknowledged: &[Said], unsure: &[Said]) {
    for said in acknowledged {
        assert_eq!(found.get(said), Some(&1), "{said:?} was acknowledged");
    }
    for (said, times) in found {
        assert!(
            *times == 1 && (acknowledged.contains(said) || unsure.contains(said)),
            "{said:?}, {times} times"
        );
    }
}

enum Told {
    Saved,
    Nothing,
    Refused,
}

/// Says something to the session, and kills the program after a while where one is given.
fn told(rig: &Rig, agent: &str, words: &[String], kill: Option<Duration>) -> Told {
    let words: Vec<&str> =
        ["session"].into_iter().chain(words.iter().map(String::as_str)).chain(["--agent", agent]).collect();
    let mut command = rig.command(trace::PROGRAM, &words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let output = child.stdout.take().expect("its output");
    if let Some(after) = kill {
        // Nothing is waited for here: the moment of the kill is the input.
        std::thread::sleep(after);
        let _ = child.kill();
    }
    let saved = BufReader::new(output).lines().map_while(Result::ok).any(|line| line.starts_with("Saved"));
    let code = child.wait().expect("it ended").code();
    match (saved, code) {
        (true, _) => Told::Saved,
        (false, None) => Told::Nothing,
        (false, Some(_)) => Told::Refused,
    }
}

/// A session with this much old text in each of four old discoveries.
fn old(bytes: usize) -> (Rig, SessionId, Vec<(String, String)>) {
    let (rig, id) = begun();
    let path = sessions(&rig).folder(&id).join("agent-memory.yaml");
    let mut text = fs::read_to_string(&path).expect("a file");
    text.push_str("discoveries:\n");
    let mut said = Vec::new();
    for n in 1..=4 {
        let content = format!("Old {n} {}", "x".repeat(bytes));
        text.push_str(&format!("  - {{id: discovery-00{n}, timestamp: 2026-01-0{n}, type: data_model, importance: low, content: {content}}}\n"));
        said.push(("developer".to_owned(), content));
    }
    fs::write(&path, text).expect("a file");
    (rig, id, said)
}

#[test]
fn session_crash_syscalls() {
    if !trace::is_possible() {
        return;
    }
    let add = ["session", "discover", "New", "--type", "data_model"];
    let new = ("developer".to_owned(), "New".to_owned());
    let mut kills = 0;
    for (name, bytes, args, adds) in [
        ("discover", 10, &add[..], Some(&new)),
        ("discover past 100 KB", 30_000, &add[..], Some(&new)),
        ("archive", 10, &["session", "archive"][..], None),
        ("end", 10, &["session", "end"][..], None),
    ] {
        let (rig, id, before) = old(bytes);
        let (ran, calls) = rig.copy().traced(args, None);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        let points = points(&calls);
        kills += points.len();
        on_two_threads(&points, |call| {
            let place = format!("{name}, killed at {} number {}", call.name, call.nth);
            let rig = rig.copy();
            let (ran, _) = rig.traced(args, Some(&format!("{}:signal=SIGKILL:when={}", call.name, call.nth)));
            let acknowledged = adds.filter(|_| ran.out.starts_with("Saved"));
            let look = |sure: &[&(String, String)]| {
                let found = found(&rig, &id);
                sure.iter()
                    .for_each(|said| assert_eq!(found.get(*said), Some(&1), "{place}: {:.20}", said.1));
                let known = |said: &(String, String)| before.contains(said) || adds == Some(said);
                found.iter().for_each(|(said, times)| {
                    assert!(known(said) && *times == 1, "{place}: {:.20} {times} times", said.1)
                });
            };
            let sure: Vec<&(String, String)> = before.iter().chain(acknowledged).collect();
            look(&sure);
            // Whoever comes next finishes it, and nothing is in the archive twice.
            let next = rig.run(&["session", "archive", "--session", id.as_str()]);
            assert_eq!(next.code, Some(0), "{place}: {next:?}");
            look(&sure);
            let folder = sessions(&rig).folder(&id);
            let archive = fs::read_to_string(folder.join("agent-memory-archive.yaml")).expect("an archive");
            let main = fs::read_to_string(folder.join("agent-memory.yaml")).expect("a file");
            for n in 1..=4 {
                assert_eq!(
                    archive.matches(&format!("id: discovery-00{n}")).count(),
                    1,
                    "{place}:\n{archive:.300}"
                );
                assert!(!main.contains(&format!("id: discovery-00{n}")), "{place}");
            }
            assert_eq!(leftovers(&rig, &id), Vec::<String>::new(), "{place}");
            assert_eq!(rig.run(&["session", "validate", id.as_str()]).code, Some(0), "{place}");
        });
    }
    kills += killed_starts();
    println!("session_crash_syscalls: {kills} kills, nothing lost, nothing doubled");
}

/// A session that was killed while it began is there whole or not at all.
fn killed_starts() -> usize {
    let args = ["session", "start", "A task"];
    let rig = Rig::new();
    let (ran, calls) = rig.copy().traced(&args, None);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let points = points(&calls);
    on_two_threads(&points, |call| {
        let rig = rig.copy();
        let (ran, _) = rig.traced(&args, Some(&format!("{}:signal=SIGKILL:when={}", call.name, call.nth)));
        let ids = sessions(&rig).ids().expect("a list");
        assert!(!ran.out.starts_with("Started") || ids.len() == 1, "{call:?}");
        for id in &ids {
            let files = sessions(&rig).files(id).expect("files");
            assert_eq!(files.len(), 5, "{call:?}");
            assert!(files.iter().all(|file| file.problems.is_empty()), "{call:?}: {files:?}");
        }
        assert_eq!(rig.run(&args).code, Some(0), "{call:?}");
    });
    points.len()
}

/// The first one may have died after it gave the file its name, and before it synced that.
#[test]
fn what_is_there_already_is_on_disk_before_it_is_said() {
    if !trace::is_possible() {
        return;
    }
    let (rig, _) = begun();
    let words = ["session", "discover", "Sets req.user", "--id", "mine"];
    assert_eq!(rig.run(&words).code, Some(0));
    let (ran, calls) = rig.traced(&words, None);
    assert!(ran.out.contains("already"), "{ran:?}");
    let synced = |call: &trace::Call| call.name == "fsync" && call.is_below("/.rawko/sessions/");
    assert!(calls.iter().any(synced), "the folder is synced");
}
