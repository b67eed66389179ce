//! G2: what was said to be saved survives a power cut at any moment.
//!
//! The real program runs under strace; its calls are played on a disk that
//! keeps only what was synced; every state that a cut can leave is opened.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rawko::store::contract;
use rawko::{Channel, Store, Target};

use crate::crash::Dice;
use crate::disk::{Disk, Image, restore};
use crate::rig::{self, Rig, Said, check, on_two_threads};
use crate::trace::{self, Call};

/// One process of a workload.
#[derive(Clone, Copy)]
enum Step {
    /// Adds to the memory of this title.
    Add(&'static str),
    /// Adds to it while the lock is held by another process.
    Loose(&'static str),
}

/// What was played, and what was promised by then.
struct Moment {
    disk: Disk,
    acknowledged: Vec<Said>,
    possible: Vec<Said>,
    name: String,
}

fn body(n: usize) -> String {
    format!("# Step {n}\n\nA body of more than one line,\nwith a `---` below:\n\n---\n\nend {n}.")
}

/// Runs the steps, the first one killed at `kill` if given; gives every moment at which the disk differs.
fn moments(steps: &[Step], kill: Option<&Call>, out: &mut Vec<Moment>) -> Vec<Call> {
    let rig = Rig::new();
    let mut acknowledged = vec![rig.add("Alpha", "# One\n\nFirst."), rig.add("Alpha", "# Two\n\nSecond.")];
    let mut possible = Vec::new();
    let mut disk = Disk::of(&rig.project());
    let mut first = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let (Step::Add(title) | Step::Loose(title)) = *step;
        let lock = matches!(step, Step::Loose(_)).then(|| rig.hold_lock());
        let inject =
            kill.filter(|_| n == 0).map(|call| format!("{}:signal=SIGKILL:when={}", call.name, call.nth));
        let body = body(n);
        let said = (rig::slug(title), body.clone());
        let (ran, calls) = rig.traced(&["add", "--title", title, "--content", &body], inject.as_deref());
        drop(lock);
        assert!(kill.is_some() && n == 0 || ran.code == Some(0), "{ran:?}");
        disk.begin_process();
        possible.push(said.clone());
        for call in &calls {
            let says = call.name == "write" && call.args.starts_with("1<") && call.result.is_some();
            if says {
                acknowledged.push(said.clone());
            }
            if disk.play(call) || says && acknowledged.last() == Some(&said) {
                let name = format!("step {n} of {}, after {} number {}", steps.len(), call.name, call.nth);
                let (acknowledged, possible) = (acknowledged.clone(), possible.clone());
                out.push(Moment { disk: disk.clone(), acknowledged, possible, name });
            }
        }
        if n == 0 {
            first = calls;
        }
    }
    first
}

/// All moments of all workloads of up to three operations.
fn all_moments() -> Vec<Moment> {
    use Step::{Add, Loose};
    let mut moments_seen = Vec::new();
    let workloads: [&[Step]; 8] = [
        &[Add("Gamma")],
        &[Add("Alpha")],
        &[Add("Alpha"), Add("Alpha")],
        &[Add("Gamma"), Add("Gamma"), Add("Alpha")],
        &[Loose("Alpha"), Add("Alpha")],
        &[Loose("Alpha"), Loose("Alpha"), Add("Alpha")],
        &[Add("Gamma"), Loose("Gamma"), Add("Alpha")],
        &[Loose("Alpha"), Add("Gamma"), Add("Gamma")],
    ];
    for steps in workloads {
        let first = moments(steps, None, &mut moments_seen);
        // The first process is killed at each of its changes, and the next one goes on from there.
        if steps.len() == 2 || matches!(steps[0], Add("Gamma")) && steps.len() == 3 {
            let kills = trace::from_first_access(&first).iter().filter(|call| call.changes());
            kills.for_each(|call| drop(moments(&steps[..2], Some(call), &mut moments_seen)));
        }
    }
    moments_seen
}

/// How many states a crash at this moment can leave, as subsets of names and lengths of files.
fn ways(moment: &Moment) -> (u64, usize) {
    (1 << moment.disk.pending_names().min(20), moment.disk.pending_bytes() + 1)
}

fn count(moment: &Moment) -> usize {
    let (subsets, lengths) = ways(moment);
    subsets as usize * lengths * 2
}

/// Which states of a moment to open: all of them, or an even sample of `most`.
fn states(moment: &Moment, most: usize) -> Vec<(u64, usize, bool)> {
    let (_, lengths) = ways(moment);
    let all = count(moment);
    let nth = |n: usize| ((n / (lengths * 2)) as u64, n / 2 % lengths, n % 2 == 1);
    if all <= most {
        return (0..all).map(nth).collect();
    }
    let mut dice = Dice(all as u64);
    // The corners always: nothing kept and everything kept.
    let corners = [0, 1, lengths * 2 - 1, all - lengths * 2, all - 1];
    corners.into_iter().chain((0..most).map(|_| dice.below(all))).map(nth).collect()
}

/// How many states of one moment to open at most, so that there are about `wanted` in all.
fn share(moments: &[Moment], wanted: usize) -> usize {
    let opened = |most: usize| moments.iter().map(|moment| count(moment).min(most)).sum::<usize>();
    (0..24).map(|power| 1 << power).find(|most| opened(*most) >= wanted).unwrap_or(usize::MAX)
}

#[test]
fn powercut_sim() {
    if !trace::is_possible() {
        return;
    }
    let wanted = rig::size("RAWKO_STATES", 50_000, 1_000_000);
    let moments = all_moments();
    let most = share(&moments, wanted + wanted / 10);
    let seen = Mutex::new(HashSet::new());
    let opened = AtomicUsize::new(0);
    on_two_threads(&moments, |moment| {
        let folder = rig::scratch();
        for (kept, bytes, zeros) in states(moment, most) {
            let image = moment.disk.crashed(kept, bytes, zeros);
            let mut hasher = DefaultHasher::new();
            (&image, &moment.acknowledged).hash(&mut hasher);
            if !seen.lock().expect("no check panicked").insert(hasher.finish()) {
                continue;
            }
            let n = opened.fetch_add(1, Ordering::Relaxed);
            let place = folder.path().join(n.to_string());
            if let Err(wrong) = survive(moment, &image, &place) {
                panic!(
                    "{}, kept {kept:b}, {bytes} bytes, zeros {zeros}: {wrong}\n{}",
                    moment.name,
                    shown(&image)
                );
            }
            std::fs::remove_dir_all(place).expect("a state is removed");
        }
    });
    println!(
        "powercut_sim: {} moments, {} different states, nothing lost",
        moments.len(),
        opened.into_inner()
    );
}

fn survive(moment: &Moment, image: &Image, place: &std::path::Path) -> Result<(), String> {
    restore(image, place);
    let store = rig::open(place);
    let look = |acknowledged: &[Said], when: &str| {
        let (found, errors) = rig::entries(&rig::open(place));
        check(&found, acknowledged, &moment.possible).map_err(|wrong| format!("{when}: {wrong}"))?;
        if errors == 0 { Ok(()) } else { Err(format!("{when}: {errors} damaged files")) }
    };
    look(&moment.acknowledged, "right after")?;
    let entry = contract::entry("Alpha", "# After\n\nGoes on.", 0);
    let saved =
        store.append(&entry, &Target::Title, Channel::Person).map_err(|error| format!("append: {error}"))?;
    let mut sure = moment.acknowledged.clone();
    sure.push((saved.slug.to_string(), entry.body));
    store.settle(Duration::from_secs(1)).map_err(|error| format!("settle: {error}"))?;
    look(&sure, "after settling")?;
    let left = std::fs::read_dir(place.join(".rawko/spool")).into_iter().flatten().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".entries")).count();
    if left == 0 { Ok(()) } else { Err(format!("{left} records are left")) }
}

fn shown(image: &Image) -> String {
    let files = image.iter().filter_map(|(path, content)| Some((path, content.as_ref()?)));
    files
        .map(|(path, bytes)| format!("{path}:\n{}\n", String::from_utf8_lossy(bytes).escape_debug()))
        .collect()
}
