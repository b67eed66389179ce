//! A scratch project with a store, and the real program run in it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rawko::core::Severity;
use rawko::store::{FileStore, Layout, Store};
use tempfile::TempDir;

use crate::trace::{self, Call};

/// An entry as tests know it: the memory's slug and the entry's body.
pub(crate) type Said = (String, String);

/// A project and a person's folder, removed in the end.
pub(crate) struct Rig {
    folder: TempDir,
}

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None`: ended by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Whether the program said that the entry is saved.
    pub(crate) fn acknowledged(&self) -> bool {
        self.code == Some(0) || self.out.starts_with("Saved")
    }
}

/// A scratch folder, in memory where there is such a place: these tests sync thousands of times.
///
/// `RAWKO_SCRATCH` names another place, to see how a real disk does.
pub(crate) fn scratch() -> TempDir {
    if let Some(place) = std::env::var_os("RAWKO_SCRATCH") {
        return tempfile::tempdir_in(place).expect("a scratch folder in RAWKO_SCRATCH");
    }
    let memory = Path::new("/dev/shm");
    if memory.is_dir() && tempfile::tempdir_in(memory).is_ok() {
        return tempfile::tempdir_in(memory).expect("a scratch folder in memory");
    }
    tempfile::tempdir().expect("a scratch folder")
}

/// How large a run is: what the variable says, else the large size where `RAWKO_FULL` is set, else the usual one.
pub(crate) fn size(variable: &str, usual: usize, large: usize) -> usize {
    let otherwise = if crate::sandbox::full() { large } else { usual };
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

impl Rig {
    /// An empty project without a store.
    pub(crate) fn bare() -> Self {
        Self::bare_in(scratch())
    }

    fn bare_in(folder: TempDir) -> Self {
        let rig = Self { folder };
        fs::create_dir(rig.project()).expect("a project folder");
        fs::create_dir(rig.folder.path().join("home")).expect("a person's folder");
        rig
    }

    /// A project with an empty store.
    pub(crate) fn new() -> Self {
        Self::with_store(scratch())
    }

    /// A project with an empty store in this folder.
    pub(crate) fn with_store(folder: TempDir) -> Self {
        let rig = Self::bare_in(folder);
        assert_eq!(rig.run(&["init"]).code, Some(0), "a store is made");
        rig
    }

    /// By the token table alone: nothing is read behind what is added, and no calls but the program's own are counted.
    pub(crate) fn by_table(self) -> Self {
        let settings = self.folder.path().join("home/config.toml");
        fs::write(settings, "[embedding]\nkind = \"table\"\n").expect("settings");
        self
    }

    /// The same project once more.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self { folder: scratch() };
        copy_folder(self.folder.path(), copy.folder.path());
        copy
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.project().join(".rawko")
    }

    pub(crate) fn memory(&self, slug: &str) -> PathBuf {
        self.root().join(format!("memories/{slug}.md"))
    }

    /// The program, ready to run in the project.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.project()).stdin(Stdio::null()).env_clear();
        command
            .env("RAWKO_HOME", self.folder.path().join("home"))
            .env("USER", "tester")
            .env("RAWKO_PERSON", "yes");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ended(&mut self.command(trace::PROGRAM, args))
    }

    /// Runs the program under strace; `inject` is an argument such as `write:signal=SIGKILL:when=3`, or several with
    /// blanks between.
    pub(crate) fn traced(&self, args: &[&str], inject: Option<&str>) -> (Ran, Vec<Call>) {
        self.traced_fed(args, inject, "")
    }

    /// As [`Rig::traced`], with standard input.
    pub(crate) fn traced_fed(&self, args: &[&str], inject: Option<&str>, input: &str) -> (Ran, Vec<Call>) {
        let fed = self.folder.path().join("input");
        fs::write(&fed, input).expect("the input is written");
        let log = self.folder.path().join("trace");
        let log_name = log.to_string_lossy().into_owned();
        let inject: Vec<String> =
            inject.into_iter().flat_map(str::split_whitespace).map(|one| format!("inject={one}")).collect();
        let mut words = vec!["-f", "-y", "-xx", "-s", "1000000", "-o", &log_name];
        words.extend(inject.iter().flat_map(|inject| ["-e", inject.as_str()]));
        words.push(trace::PROGRAM);
        words.extend(args);
        let mut command = self.command("strace", &words);
        let ran = ended(command.stdin(File::open(&fed).expect("the input opens")));
        fs::remove_file(fed).expect("the input is removed");
        let calls = trace::parse(&fs::read(&log).expect("strace leaves its log"));
        fs::remove_file(&log).expect("the log is removed");
        (ran, calls)
    }

    /// Runs the program, stops it after one call, lets `meanwhile` happen, and lets it go on.
    pub(crate) fn stopped(&self, args: &[&str], call: &Call, meanwhile: impl FnOnce()) -> Ran {
        let log = self.folder.path().join("stops");
        let inject = format!("inject={}:signal=SIGSTOP:when={}", call.name, call.nth);
        let log_name = log.to_string_lossy().into_owned();
        let mut words = vec!["-f", "-o", &log_name, "-e", &inject, trace::PROGRAM];
        words.extend(args);
        let mut command = self.command("strace", &words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("strace starts");
        let stopped = loop {
            let text = fs::read_to_string(&log).unwrap_or_default();
            let line = text.lines().find(|line| line.contains("stopped by SIGSTOP")).map(str::to_owned);
            if line.is_some() || child.try_wait().expect("a state").is_some() {
                break line;
            }
            std::thread::yield_now();
        };
        let process = stopped.as_ref().and_then(|line| line.split(' ').next()?.parse().ok());
        let process = process.and_then(rustix::process::Pid::from_raw).expect("the program is stopped");
        meanwhile();
        rustix::process::kill_process(process, rustix::process::Signal::CONT).expect("it goes on");
        let output = child.wait_with_output().expect("it ends");
        fs::remove_file(&log).expect("the log is removed");
        said(&output)
    }

    pub(crate) fn store(&self) -> FileStore {
        open(&self.project())
    }

    /// Every entry that a reader sees, and the number of errors in files.
    pub(crate) fn entries(&self) -> (BTreeMap<Said, usize>, usize) {
        entries(&self.store())
    }

    /// Adds with the program, which must save it, and gives the entry.
    pub(crate) fn add(&self, title: &str, body: &str) -> Said {
        let ran = self.run(&["add", "--title", title, "--content", body]);
        assert!(ran.acknowledged(), "{ran:?}");
        (slug(title), body.to_owned())
    }

    /// Adds while somebody else holds the lock: the entry stays in the spool.
    pub(crate) fn add_loose(&self, title: &str, body: &str) -> Said {
        let lock = self.hold_lock();
        let said = self.add(title, body);
        drop(lock);
        assert!(!self.waiting().is_empty(), "the entry waits in the spool");
        said
    }

    pub(crate) fn hold_lock(&self) -> File {
        let path = self.root().join("spool/lock");
        let lock = File::options().create(true).append(true).open(path).expect("the lock file opens");
        lock.lock().expect("the lock is free");
        lock
    }

    /// What is in the spool besides the lock file.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root().join("spool")).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name != "lock")
            .collect()
    }
}

/// The slug of a plain title.
pub(crate) fn slug(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

/// Opens the store of a project.
pub(crate) fn open(project: &Path) -> FileStore {
    FileStore::project(Layout::at(project.join(".rawko")), None, jiff::Timestamp::UNIX_EPOCH)
        .expect("the store opens")
}

/// Every entry that a reader sees, with how often, and the number of errors in files.
pub(crate) fn entries(store: &FileStore) -> (BTreeMap<Said, usize>, usize) {
    let reading = store.read_all().expect("the store is read");
    let mut found = BTreeMap::new();
    for memory in &reading.memories {
        for known in &memory.entries {
            *found.entry((memory.slug.to_string(), known.entry.body.clone())).or_default() += 1;
        }
    }
    let errors =
        reading.problems.iter().filter(|problem| problem.problem.severity == Severity::Error).count();
    (found, errors)
}

/// Checks that exactly the `acknowledged` entries are there, each once, and at most the `possible` ones besides.
pub(crate) fn check(
    found: &BTreeMap<Said, usize>,
    acknowledged: &[Said],
    possible: &[Said],
) -> Result<(), String> {
    for said in acknowledged {
        if found.get(said) != Some(&1) {
            return Err(format!("{said:?} is there {} times", found.get(said).unwrap_or(&0)));
        }
    }
    for (said, times) in found {
        if *times != 1 || !(acknowledged.contains(said) || possible.contains(said)) {
            return Err(format!("{said:?}, which nobody wrote, is there {times} times"));
        }
    }
    Ok(())
}

fn ended(command: &mut Command) -> Ran {
    said(&command.output().expect("the program starts"))
}

fn said(output: &std::process::Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the folder is listed").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a folder is made");
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file is copied");
        }
    }
}

/// Does the work on two threads.
pub(crate) fn on_two_threads<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}
