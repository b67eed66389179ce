//! A scratch project and a scratch home: given these files, run these words, these lines come out.
//!
//! Nothing of the machine's environment is passed on, so that no test depends
//! on who runs it or on the host it runs in.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

/// A complete frontmatter with this title, and a body.
pub(crate) fn memory(title: &str, body: &str) -> String {
    format!(
        "---\ntitle: {title}\nwhenToUse: deploy\nimportance: high\n\
         discoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: developer\n---\n\n{body}\n"
    )
}

/// A scratch folder with a project, a home, and an environment of its own.
#[derive(Debug)]
pub(crate) struct Sandbox {
    scratch: TempDir,
    variables: Vec<(String, String)>,
    home: bool,
    stranger: bool,
}

impl Sandbox {
    /// An empty project, without a store.
    pub(crate) fn empty() -> Self {
        Self::at(tempfile::tempdir().expect("a scratch folder"))
    }

    fn at(scratch: TempDir) -> Self {
        for folder in ["project", "home", "tmp"] {
            fs::create_dir(scratch.path().join(folder)).expect("a folder in it");
        }
        Self { scratch, variables: Vec::new(), home: true, stranger: false }
    }

    /// A project with a store.
    pub(crate) fn new() -> Self {
        let sandbox = Self::empty();
        let _ = sandbox.run("init").succeeds();
        sandbox
    }

    /// A project with a store on no disk, where the machine has such a place: for thousands of writes.
    pub(crate) fn in_memory() -> Self {
        let sandbox = Self::at(crate::rig::scratch());
        let _ = sandbox.run("init").succeeds();
        sandbox
    }

    /// With a file in the project.
    pub(crate) fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(path, bytes);
        self
    }

    /// With a memory file.
    pub(crate) fn memory(self, slug: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.file(&format!(".rawko/memories/{slug}.md"), bytes)
    }

    /// With an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without an environment variable that was set before.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(set, _)| set != name);
        self
    }

    /// With neither RAWKO_HOME nor HOME.
    pub(crate) fn homeless(mut self) -> Self {
        self.home = false;
        self
    }

    /// Run by somebody who owns nothing here: root is above permissions, so a test needs another.
    pub(crate) fn by_a_stranger(mut self) -> Self {
        self.stranger = true;
        self
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    /// The folder that holds project, home and temporary files.
    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Lets the token table alone tell meaning, or the encoder, too: by the table, nothing is read behind anything, and two
    /// answers can be compared.
    pub(crate) fn by_table(&self, is_wanted: bool) {
        let settings = self.scratch.path().join("home/config.toml");
        match is_wanted {
            true => fs::write(&settings, "[embedding]\nkind = \"table\"\n").expect("settings"),
            false => fs::remove_file(&settings).expect("removed"),
        }
    }

    /// Writes a file in the project.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, bytes).expect("a file is written");
    }

    /// Reads a file of the project.
    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.project().join(path)).expect("a file is read")
    }

    /// Runs `rawko` with words that are split at blanks, except between single quotes.
    pub(crate) fn run(&self, words: &str) -> Said {
        self.run_words(&split(words), b"")
    }

    /// As [`Sandbox::run`], with standard input.
    pub(crate) fn feed(&self, words: &str, input: impl AsRef<[u8]>) -> Said {
        self.run_words(&split(words), input.as_ref())
    }

    /// Runs `rawko` with exactly these words.
    pub(crate) fn run_words(&self, words: &[impl AsRef<std::ffi::OsStr>], input: &[u8]) -> Said {
        self.run_command(self.command(&self.program()).args(words), input)
    }

    /// Runs a command of this sandbox.
    pub(crate) fn run_command(&self, command: &mut Command, input: &[u8]) -> Said {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("rawko starts");
        // A command that does not read its input is fine.
        let _ = child.stdin.take().expect("piped").write_all(input);
        self.said(&child.wait_with_output().expect("rawko ends"))
    }

    /// Any program in the sandbox's project and environment.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // Tests have no terminal: their person's word is given, as in any script.
        command.env("RAWKO_PERSON", "yes").env("USER", "ada").env("TMPDIR", self.scratch.path().join("tmp"));
        if self.home {
            command.env("RAWKO_HOME", self.scratch.path().join("home"));
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if self.stranger && rustix::process::geteuid().is_root() {
            std::os::unix::process::CommandExt::uid(&mut command, 65_534);
        }
        command
    }

    /// The program, where whoever runs it may reach it.
    pub(crate) fn program(&self) -> PathBuf {
        let built = PathBuf::from(env!("CARGO_BIN_EXE_rawko"));
        if !self.stranger {
            return built;
        }
        let copy = self.scratch.path().join("rawko");
        if !copy.exists() {
            // By another process: a file that this one has open for writing, in any thread, cannot be run.
            let copied = Command::new("cp").args([&built, &copy]).status().expect("cp runs");
            assert!(copied.success(), "a copy of the program");
            open_to_all(self.scratch.path());
        }
        copy
    }

    /// Runs `rawko` on a terminal, and gives every byte that it shows.
    pub(crate) fn on_terminal(&self, words: &[impl AsRef<std::ffi::OsStr>], typed: &str) -> (String, i32) {
        let mut command = self.command(&self.program());
        command.args(words);
        show(command, typed)
    }

    /// As [`Sandbox::on_terminal`], on one that is the process's own; `None`, loudly, where there is no `setsid`.
    pub(crate) fn on_own_terminal(
        &self,
        words: &[impl AsRef<std::ffi::OsStr>],
        typed: &str,
    ) -> Option<(String, i32)> {
        let Some(setsid) = which("setsid") else {
            eprintln!("skipped: there is no setsid on this machine");
            return None;
        };
        let mut command = self.command(&setsid);
        command.args(["--ctty", "--wait"]).arg(self.program()).args(words);
        Some(show(command, typed))
    }

    /// Runs `rawko` under a system-call trace, for at most a minute; `None`, loudly, where there is no `strace`.
    ///
    /// The words `timeout` and `strace` are those programs: exit code 124 means that rawko hung.
    pub(crate) fn traced(
        &self,
        calls: &str,
        words: &[impl AsRef<std::ffi::OsStr>],
    ) -> Option<(Said, Vec<String>)> {
        self.traced_fed(calls, words, "")
    }

    /// As [`Sandbox::traced`], with standard input.
    pub(crate) fn traced_fed(
        &self,
        calls: &str,
        words: &[impl AsRef<std::ffi::OsStr>],
        input: &str,
    ) -> Option<(Said, Vec<String>)> {
        let (Some(timeout), Some(strace)) = (which("timeout"), which("strace")) else {
            eprintln!("skipped: there is no strace on this machine");
            return None;
        };
        let (log, fed) = (self.scratch.path().join("tmp/trace"), self.scratch.path().join("tmp/fed"));
        fs::write(&fed, input).expect("the input is written");
        let mut command = self.command(&timeout);
        // The filter lets every other call run at full speed.
        command.arg("60").arg(strace).args([
            "--seccomp-bpf",
            "-f",
            "-y",
            "-qq",
            "-s",
            "4096",
            "-e",
            &format!("trace={calls}"),
            "-o",
        ]);
        let input = fs::File::open(fed).expect("the input is opened");
        command.arg(&log).arg(self.program()).args(words).stdin(input);
        let said = self.said(&command.output().expect("strace runs"));
        let trace = String::from_utf8_lossy(&fs::read(&log).expect("a trace")).into_owned();
        let _ = fs::remove_file(log);
        Some((said, trace.lines().map(str::to_owned).collect()))
    }

    fn said(&self, output: &Output) -> Said {
        let scratch = self.scratch.path().canonicalize().expect("it exists");
        let clean = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).replace(&scratch.display().to_string(), "<scratch>");
            let time =
                regex_lite::Regex::new(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z").expect("a pattern");
            time.replace_all(&text, "<time>").into_owned()
        };
        Said {
            code: output.status.code().unwrap_or(-1),
            out: clean(&output.stdout),
            err: clean(&output.stderr),
            raw: output.stdout.clone(),
        }
    }
}

/// Runs a command on a terminal, with these keys.
fn show(mut command: Command, typed: &str) -> (String, i32) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    let name = ptsname(&master, Vec::new()).expect("a name");
    let slave = fs::File::options()
        .read(true)
        .write(true)
        .open(name.to_str().expect("ASCII"))
        .expect("the other end");
    let copy = || Stdio::from(slave.try_clone().expect("a copy"));
    if !typed.is_empty() {
        // The echo of what is typed ahead would stand anywhere, also in the middle of a question.
        let quiet = Command::new("stty").arg("-echo").stdin(copy()).status();
        assert!(quiet.is_ok_and(|status| status.success()), "stty takes the echo off");
    }
    command.env("TERM", "xterm").stdin(copy()).stdout(copy()).stderr(copy());
    let mut child = command.spawn().expect("rawko starts");
    drop(command);
    let mut screen = fs::File::from(master);
    screen.write_all(typed.as_bytes()).expect("typed");
    drop(slave);
    let mut bytes = Vec::new();
    // The end of a terminal is an error on some systems.
    let _ = screen.read_to_end(&mut bytes);
    let code = child.wait().expect("rawko ends").code().unwrap_or(-1);
    (String::from_utf8_lossy(&bytes).replace("\r\n", "\n"), code)
}

/// What a command said, with paths and times filtered.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Standard output, byte for byte.
    pub(crate) raw: Vec<u8>,
}

impl Said {
    /// Everything: output, then errors, then the exit code unless it is 0.
    pub(crate) fn text(&self) -> String {
        let code = if self.code == 0 { String::new() } else { format!("[exit {}]", self.code) };
        format!("{}{}{code}", self.out, self.err)
    }

    /// Insists on exit code 0 and silence on standard error.
    pub(crate) fn succeeds(self) -> Self {
        assert!(self.code == 0 && self.err.is_empty(), "{}", self.text());
        self
    }

    /// Insists on an exit code.
    pub(crate) fn fails(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.text());
        self
    }

    /// Insists that the text holds this.
    pub(crate) fn says(self, part: &str) -> Self {
        assert!(self.text().contains(part), "`{part}` is not in:\n{}", self.text());
        self
    }

    /// The output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.raw).unwrap_or_else(|error| panic!("{error} in:\n{}", self.text()))
    }
}

/// A program on the search path.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The workspace's folder.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two levels up").to_owned()
}

/// A file or folder of the corpora; `None`, loudly, where they are not on this machine.
pub(crate) fn corpus(name: &str) -> Option<PathBuf> {
    let beside = |up: &str| workspace().join(up).join("shared");
    let given = std::env::var_os("RAWKO_SHARED").map(PathBuf::from);
    let found = given.into_iter().chain([beside(".."), beside("../..")]).map(|shared| shared.join("corpora"));
    let found = found.map(|corpora| corpora.join(name)).find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: corpora/{name} is not on this machine (set RAWKO_SHARED)");
    }
    found
}

/// The JSON lines of a corpus file, but for those that no Rust text can hold.
pub(crate) fn json_lines(name: &str) -> Vec<serde_json::Value> {
    let Some(path) = corpus(name) else { return Vec::new() };
    let text = fs::read_to_string(path).expect("a corpus is read");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Whether the long versions of tests are wanted.
pub(crate) fn full() -> bool {
    std::env::var_os("RAWKO_FULL").is_some_and(|value| !value.is_empty())
}

/// Every file below a folder with its bytes, links and folders by name alone.
pub(crate) fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().expect("a kind");
            let bytes = if kind.is_file() { fs::read(entry.path()).unwrap_or_default() } else { Vec::new() };
            if kind.is_dir() {
                folders.push(entry.path());
            }
            all.push((entry.path(), bytes));
        }
    }
    all.sort();
    all
}

/// Lets everybody read a folder and the folders in it, not their files' contents more than before.
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("allowed");
    set(folder, 0o755);
    set(&folder.join("rawko"), 0o755);
    set(&folder.join("tmp"), 0o777);
}

fn split(words: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (n, part) in words.split('\'').enumerate() {
        if n % 2 == 1 {
            all.push(part.to_owned());
        } else {
            all.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    all
}
