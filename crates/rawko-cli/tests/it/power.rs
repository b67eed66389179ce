//! G2: what was said to be saved survives a power cut at any moment.
//!
//! The real program runs under strace; its calls are played on a disk that
//! keeps only what was synced; every state that a cut can leave is opened.
//! And a real file system, in a file: a copy of that file is what a cut leaves.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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
    let rig = Rig::new().by_table();
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

/// All moments of all workloads of up to three operations, to a memory that is there and to a new one.
///
/// And of those whose first process is killed: a few of them, or every one of two and three operations.
fn all_moments(every_killed: bool) -> Vec<Moment> {
    use Step::{Add, Loose};
    let mut moments_seen = Vec::new();
    let steps = [Add("Alpha"), Add("Gamma"), Loose("Alpha"), Loose("Gamma")];
    let longer = |shorter: &[Vec<Step>]| -> Vec<Vec<Step>> {
        let all = shorter.iter().flat_map(|begun| steps.iter().map(move |step| (begun, *step)));
        all.map(|(begun, step)| [&begun[..], &[step]].concat()).collect()
    };
    let one = longer(&[Vec::new()]);
    let two = longer(&one);
    let three = longer(&two);
    for steps in one.iter().chain(&two).chain(&three) {
        drop(moments(steps, None, &mut moments_seen));
    }
    let few = [
        vec![Add("Alpha"); 2],
        vec![Add("Gamma"); 2],
        vec![Loose("Alpha"), Add("Alpha")],
        vec![Add("Gamma"), Loose("Gamma")],
    ];
    let killed = if every_killed { [two, three].concat() } else { few.to_vec() };
    // The first process is killed at each of its changes, and the next ones go on from there.
    for steps in &killed {
        let first = moments(steps, None, &mut Vec::new());
        let kills = trace::from_first_access(&first).iter().filter(|call| call.changes());
        kills.for_each(|call| drop(moments(steps, Some(call), &mut moments_seen)));
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
    let mut dice = Dice((all ^ most) as u64);
    // The corners always: nothing kept and everything kept.
    let corners = [0, 1, lengths * 2 - 1, all - lengths * 2, all - 1];
    corners.into_iter().chain((0..most).map(|_| dice.below(all))).map(nth).collect()
}

/// How many states of one moment to open at most, so that there are about `wanted` in all.
fn share(moments: &[Moment], wanted: usize) -> usize {
    let opened = |most: usize| moments.iter().map(|moment| count(moment).min(most)).sum::<usize>();
    (0..24).map(|power| 1 << power).find(|most| opened(*most) >= wanted).unwrap_or(usize::MAX)
}

/// As many states as the workloads have of which few are killed.
const FEW_STATES: usize = 50_000;

#[test]
fn powercut_sim() {
    if !trace::is_possible() {
        return;
    }
    let wanted = rig::size("RAWKO_STATES", FEW_STATES, 1_000_000);
    let moments = all_moments(wanted > FEW_STATES);
    let largest = moments.iter().map(count).max().unwrap_or(0);
    let (seen, opened) = (Mutex::new(HashSet::new()), AtomicUsize::new(0));
    // Many states look alike, and one that was opened is not opened again: more are drawn until there are enough.
    let mut most = share(&moments, wanted);
    loop {
        on_two_threads(&moments, |moment| open_states(moment, most, &seen, &opened));
        if opened.load(Ordering::Relaxed) >= wanted || most >= largest {
            break;
        }
        most += most / 2 + 1;
    }
    let (opened, all) = (opened.into_inner(), if most >= largest { ", which are all" } else { "" });
    assert!(opened >= wanted.min(FEW_STATES), "only {opened} different states of {wanted} were opened{all}");
    println!("powercut_sim: {} moments, {opened} different states{all}, nothing lost", moments.len());
}

/// An import waits for the disk once for many memories, and says that they are saved when all of them are.
#[test]
fn powercut_sim_of_an_import() {
    if !trace::is_possible() {
        return;
    }
    let rig = Rig::new().by_table();
    let mut acknowledged = vec![rig.add("Alpha", "# One\n\nFirst.")];
    let item = |n: usize| {
        let seen = format!("Worker {n} keeps its lease for {n} seconds.");
        serde_json::json!({ "type": "entity", "name": format!("Worker {n}"), "entityType": "part", "observations": [seen] })
    };
    let lines: Vec<String> = (0..4).map(|n| item(n).to_string()).collect();
    std::fs::write(rig.project().join("memory.jsonl"), lines.join("\n")).expect("written");
    let mut disk = Disk::of(&rig.project());
    let (ran, calls) = rig.traced(&["import", "mcp-memory", "memory.jsonl"], None);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let possible: Vec<Said> =
        rig.entries().0.into_keys().filter(|said| !acknowledged.contains(said)).collect();
    assert_eq!(possible.len(), 4);
    disk.begin_process();
    let (seen, opened, mut moments) = (Mutex::new(HashSet::new()), AtomicUsize::new(0), 0);
    for call in &calls {
        let says = call.name == "write" && call.args.starts_with("1<") && call.result.is_some();
        if says && acknowledged.len() == 1 {
            acknowledged.extend(possible.clone());
        }
        if disk.play(call) || says {
            let name = format!("an import, after {} number {}", call.name, call.nth);
            let (acknowledged, possible) = (acknowledged.clone(), possible.clone());
            let moment = Moment { disk: disk.clone(), acknowledged, possible, name };
            open_states(&moment, 200, &seen, &opened);
            moments += 1;
        }
    }
    assert!(acknowledged.len() == 5 && moments > 10, "{moments} moments");
}

/// Opens the states of a moment that nobody has seen.
fn open_states(moment: &Moment, most: usize, seen: &Mutex<HashSet<u64>>, opened: &AtomicUsize) {
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
            let name = &moment.name;
            panic!("{name}, kept {kept:b}, {bytes} bytes, zeros {zeros}: {wrong}\n{}", shown(&image));
        }
        std::fs::remove_dir_all(place).expect("a state is removed");
    }
}

fn survive(moment: &Moment, image: &Image, place: &Path) -> Result<(), String> {
    restore(image, place);
    goes_on(&moment.acknowledged, &moment.possible, place)
}

/// Checks that a project after a cut has all that was acknowledged, nothing half, and can be written to.
fn goes_on(acknowledged: &[Said], possible: &[Said], place: &Path) -> Result<(), String> {
    let store = rig::open(place);
    let look = |acknowledged: &[Said], when: &str| {
        let (found, errors) = rig::entries(&rig::open(place));
        check(&found, acknowledged, possible).map_err(|wrong| format!("{when}: {wrong}"))?;
        if errors == 0 { Ok(()) } else { Err(format!("{when}: {errors} damaged files")) }
    };
    look(acknowledged, "right after")?;
    let entry = contract::entry("Alpha", "# After\n\nGoes on.", 0);
    let saved =
        store.append(&entry, &Target::Title, Channel::Person).map_err(|error| format!("append: {error}"))?;
    let mut sure = acknowledged.to_vec();
    sure.push((saved.slug.to_string(), entry.body));
    store.settle(Duration::from_secs(1)).map_err(|error| format!("settle: {error}"))?;
    look(&sure, "after settling")?;
    let left = std::fs::read_dir(place.join(".rawko/spool")).into_iter().flatten().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".entries")).count();
    if left == 0 { Ok(()) } else { Err(format!("{left} records are left")) }
}

/// The index's log is not synced, and a cut may take what was noted of an append; the machine has started anew since.
#[test]
fn after_a_power_cut_a_search_misses_no_append() {
    let rig = Rig::new().by_table();
    rig.add("Alpha", "# One\n\nx");
    // So many that few of them are looked at before each search.
    let alpha = std::fs::read(rig.memory("alpha")).expect("it is there");
    for n in 0..2_000 {
        std::fs::write(rig.memory(&format!("other-{n}")), &alpha).expect("written");
    }
    // Files that are older than the index are not looked at because of their times.
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    for entry in std::fs::read_dir(rig.root().join("memories")).expect("a folder").flatten() {
        let file = std::fs::File::options().append(true).open(entry.path()).expect("it opens");
        file.set_modified(old).expect("it is older");
    }
    let folder = std::fs::File::open(rig.root().join("memories")).expect("it opens");
    folder.set_modified(old).expect("it is older");
    assert_eq!(rig.run(&["index"]).code, Some(0));
    let notes = rig.root().join("cache/notes");
    let log = || std::fs::read_to_string(&notes).expect("a log");
    let synced = log();
    rig.add("Alpha", "# Two\n\nThe zeppelin lands.");
    assert!(log().starts_with(&synced) && log() != synced, "the index is told: {}", log());
    let earlier = |line: &str| match line.starts_with("b ") {
        true => "b 00000000-0000-0000-0000-000000000000\n".to_owned(),
        false => line.to_owned(),
    };
    let before: String = synced.split_inclusive('\n').map(earlier).collect();
    assert_ne!(before, synced, "a log says when the machine started");
    std::fs::write(&notes, before).expect("as the cut left it");
    for _ in 0..2 {
        let found = rig.run(&["search", "zeppelin"]);
        assert!(found.out.contains("alpha"), "{found:?}");
    }
    let (told, boots) = (log().matches("w alpha\n").count(), log().matches("\nb ").count());
    assert_eq!((told, boots), (1, 2), "the second search was told, and had no need to look: {}", log());
}

fn shown(image: &Image) -> String {
    let files = image.iter().filter_map(|(path, content)| Some((path, content.as_ref()?)));
    files
        .map(|(path, bytes)| format!("{path}:\n{}\n", String::from_utf8_lossy(bytes).escape_debug()))
        .collect()
}

/// A file system in a file; `None`, loudly, where this machine or person may not mount one.
struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    /// Makes an empty one.
    fn new() -> Option<Self> {
        let folder = rig::scratch();
        let disk = folder.path().join("disk");
        std::fs::File::create(&disk).and_then(|file| file.set_len(DISK)).expect("an empty disk");
        // Everything is laid out at once: later the kernel would write to it by itself.
        let layout = "lazy_itable_init=0,lazy_journal_init=0";
        if !did(Command::new("mkfs.ext4").args(["-q", "-F", "-E", layout]).arg(&disk)) {
            eprintln!("SKIPPED: there is no mkfs.ext4 on this machine");
            return None;
        }
        Self::mount(folder)
    }

    /// Mounts what is in `folder` as `disk`.
    fn mount(folder: tempfile::TempDir) -> Option<Self> {
        let mounted = Self { folder };
        std::fs::create_dir(mounted.place()).expect("a folder to mount it on");
        if !did(Command::new("mount").args(["-o", "loop"]).args([mounted.disk(), mounted.place()])) {
            eprintln!(
                "SKIPPED: a disk image cannot be mounted here, as a container or another person than root"
            );
            return None;
        }
        Some(mounted)
    }

    fn disk(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    /// The disk as a power cut would leave it now.
    ///
    /// Read until two readings are the same: then nothing was written between them, and it is one moment's.
    fn cut(&self) -> Option<Self> {
        let read = || std::fs::read(self.disk()).expect("the disk is read");
        let mut now = read();
        loop {
            let again = read();
            if now == again {
                break;
            }
            now = again;
        }
        let folder = rig::scratch();
        std::fs::write(folder.path().join("disk"), now).expect("a copy of the disk");
        Self::mount(folder)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = did(Command::new("umount").arg(self.place()));
    }
}

/// Size of the disk, in bytes.
const DISK: u64 = 12 * 1024 * 1024;

fn did(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A writer on its way.
struct Writer {
    child: Child,
    said: Said,
    heard: PathBuf,
}

impl Writer {
    /// Starts one that says what it has to say into a file outside the disk.
    fn start(rig: &Rig, n: usize, outside: &Path, program: &[&str]) -> Self {
        let title =
            ["Alpha", "Beta", "Gamma"][n % 3].to_owned() + if n.is_multiple_of(5) { " apart" } else { "" };
        let body = body(n);
        let heard = outside.join(n.to_string());
        let mut words = program.to_vec();
        words.extend(["add", "--title", &title, "--content", &body]);
        let mut command = rig.command(words[0], &words[1..]);
        let out = std::fs::File::create(&heard).expect("a file for what it says");
        let child = command.stdout(out).stderr(Stdio::null()).spawn().expect("a writer starts");
        Self { child, said: (rig::slug(&title), body), heard }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        // It may have ended by now.
        let _ = rustix::process::kill_process(process, signal);
    }

    fn is_saved(&self) -> bool {
        std::fs::read_to_string(&self.heard).is_ok_and(|heard| heard.starts_with("Saved"))
    }
}

/// Cuts the power `cuts` times while two write at once; gives what was wrong after a cut.
fn cut_often(disk: &Mounted, cuts: usize, program: &[&str]) -> Option<Vec<String>> {
    let outside = rig::scratch();
    let rig = Rig::with_store(tempfile::tempdir_in(disk.place()).expect("a folder on the disk"));
    let below = rig.project().strip_prefix(disk.place()).expect("on the disk").to_owned();
    let (mut sure, mut maybe, mut wrong, mut dice) = (Vec::new(), Vec::new(), Vec::new(), Dice(11));
    for n in 0..cuts {
        let mut writers = [2 * n, 2 * n + 1].map(|n| Writer::start(&rig, n, outside.path(), program));
        std::thread::sleep(Duration::from_micros(dice.below(60_000) as u64));
        writers.iter().for_each(|writer| writer.signal(rustix::process::Signal::STOP));
        maybe.extend(writers.iter().map(|writer| writer.said.clone()));
        let heard = writers.iter().filter(|writer| writer.is_saved()).map(|writer| writer.said.clone());
        let acknowledged: Vec<Said> = sure.iter().cloned().chain(heard).collect();
        // The kernel may have written anything that was not synced, or nothing of it.
        if dice.below(4) == 0 {
            assert!(did(Command::new("sync").arg("-f").arg(disk.place())), "sync runs");
        }
        let copy = disk.cut()?;
        let found = goes_on(&acknowledged, &maybe, &copy.place().join(&below));
        wrong.extend(found.err().map(|wrong| format!("cut {n}: {wrong}")));
        for writer in &mut writers {
            writer.signal(rustix::process::Signal::CONT);
            assert!(writer.child.wait().expect("a writer ends").success(), "{:?}", writer.said);
            assert!(writer.is_saved(), "{:?}", writer.said);
            sure.push(writer.said.clone());
        }
    }
    Some(wrong)
}

#[test]
fn powercut_image() {
    let cuts = rig::size("RAWKO_CUTS", 50, 2_000);
    let Some(disk) = Mounted::new() else { return };
    let Some(wrong) = cut_often(&disk, cuts, &[trace::PROGRAM]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("powercut_image: {cuts} cuts, nothing lost");
}

/// A disk that did not take an append, and then not the word that it must be made once more.
///
/// The system has the bytes in memory and holds them for written: syncing them again says yes, and writes nothing.
#[test]
fn a_failed_sync_is_not_made_good_by_a_later_one() {
    use std::os::unix::fs::FileExt;
    if !trace::is_possible() {
        return;
    }
    let Some(disk) = Mounted::new() else { return };
    let rig = Rig::with_store(tempfile::tempdir_in(disk.place()).expect("a folder on the disk"));
    let one = rig.add("Alpha", "# One\n\nx");
    let whole = std::fs::read(rig.memory("alpha")).expect("a file");
    let add = ["add", "--title", "Alpha", "--content", "# Two\n\nThe zeppelin lands."];
    let (_, calls) = rig.copy().traced(&add, None);
    let sync = calls.iter().find(|call| call.name == "fsync" && call.is_below("/memories/alpha.md"));
    let sync = sync.expect("the append is synced").nth;
    let (ran, _) = rig.traced(&add, Some(&format!("fsync:error=EIO:when={sync} rename:error=EIO:when=1")));
    assert!(ran.acknowledged(), "it is saved in the spool: {ran:?}");
    let left = rig.waiting();
    assert!(left.len() == 1 && !left[0].contains(".again"), "nothing tells of the failure: {left:?}");
    // What the system has in memory goes from the disk below it.
    assert!(did(Command::new("sync").arg("-f").arg(disk.place())), "sync runs");
    let now = std::fs::read(rig.memory("alpha")).expect("a file");
    let image = std::fs::read(disk.disk()).expect("the disk");
    let at = image.windows(now.len()).position(|part| part == now).expect("the file lies in one piece");
    let lost = vec![0; now.len() - whole.len()];
    let written = std::fs::File::options().write(true).open(disk.disk()).expect("the disk opens");
    written.write_all_at(&lost, (at + whole.len()) as u64).expect("lost");
    assert_eq!(std::fs::read(rig.memory("alpha")).expect("a file"), now, "nobody who reads sees it");

    rig.store().settle(Duration::from_secs(1)).expect("it is moved on");
    assert!(rig.waiting().is_empty(), "{:?}", rig.waiting());
    assert!(did(Command::new("sync").arg("-f").arg(disk.place())), "sync runs");
    let Some(copy) = disk.cut() else { return };
    let below = rig.project().strip_prefix(disk.place()).expect("on the disk").to_owned();
    let two = ("alpha".to_owned(), "# Two\n\nThe zeppelin lands.".to_owned());
    let found = goes_on(&[one, two], &[], &copy.place().join(below));
    assert!(found.is_ok(), "{found:?}");
}

/// The same with every sync taken out: the cuts must be seen, or they show nothing.
#[test]
fn powercut_image_sees_what_is_not_synced() {
    if !trace::is_possible() {
        return;
    }
    let Some(disk) = Mounted::new() else { return };
    let program =
        ["strace", "-f", "-o", "/dev/null", "-e", "inject=fsync,fdatasync:retval=0", trace::PROGRAM];
    let Some(wrong) = cut_often(&disk, 8, &program) else { return };
    assert!(!wrong.is_empty(), "eight cuts without a sync, and nothing was lost");
}
