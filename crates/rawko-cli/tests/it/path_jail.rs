//! No title, name, link or file makes rawko open anything outside the store.
//!
//! Canary files outside must stay as they are and unseen; where the machine has
//! `strace`, every path that is opened or made is checked, links resolved.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::sandbox::{Said, Sandbox, corpus, full, memory, snapshot};

const CALLS: &str = "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate,mknod,mknodat";
const CANARY: &str = "canary-7f3a";

/// Where a program may look: its own libraries and the system's words about itself.
const SYSTEM: [&str; 7] = ["/lib", "/usr/lib", "/etc/ld.so", "/proc/", "/sys/", "/dev/null", "/dev/tty"];

/// Every quoted path and every resolved one (`3</path>`) of a traced call.
fn paths(line: &str) -> Vec<String> {
    let mut paths: Vec<String> = line.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    if let Some((_, result)) = line.rsplit_once(") = ")
        && let Some((_, path)) = result.split_once('<')
    {
        paths.push(path.trim_end_matches('>').to_owned());
    }
    paths
}

/// Runs words under a trace, and insists that every path is the store's, the person's or the system's.
fn jailed(sandbox: &Sandbox, words: &[OsString]) -> Said {
    let Some((said, trace)) = sandbox.traced(CALLS, words) else {
        return sandbox.run_words(words, b"");
    };
    let inside = [sandbox.project().join(".rawko"), sandbox.scratch().join("home")];
    for line in &trace {
        for path in paths(line) {
            let known = SYSTEM.iter().any(|prefix| path.starts_with(prefix));
            let own = inside.iter().any(|folder| Path::new(&path).starts_with(folder));
            assert!(known || (own && !path.contains("/../")), "rawko {words:?} touched {path}: {line}");
        }
    }
    assert!((0..=2).contains(&said.code), "rawko {words:?}: {}", said.text());
    assert!(!said.text().contains(CANARY), "rawko {words:?} showed a file outside:\n{}", said.text());
    said
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

/// How many shapes of payload a short run tries.
const SAMPLE: usize = 60;

/// The payloads, or one of each shape in short runs.
fn payloads() -> Vec<String> {
    let mut shapes = HashSet::new();
    let mut all = Vec::new();
    for name in ["path-traversal.txt", "path-traversal-dotdotpwn-sample.txt"] {
        let Some(path) = corpus(&format!("payloads/{name}")) else { continue };
        let bytes = fs::read(path).expect("payloads");
        for line in String::from_utf8_lossy(&bytes).lines().filter(|line| !line.contains('\0')) {
            if full() || (shapes.len() < SAMPLE && shapes.insert(shape(line))) {
                all.push(line.to_owned());
            }
        }
    }
    all
}

/// A payload without its letters and digits, each part once.
fn shape(line: &str) -> String {
    let blank = |part: &str| part.chars().filter(|c| !c.is_ascii_alphanumeric()).collect::<String>();
    let parts: HashSet<String> = line.split_inclusive(['/', '\\']).map(blank).collect();
    let mut parts: Vec<String> = parts.into_iter().collect();
    parts.sort();
    parts.concat()
}

fn with_canary() -> Sandbox {
    let sandbox = Sandbox::new().memory("good", memory("Good", "# Good"));
    let outside = sandbox.scratch().join("outside");
    fs::create_dir(&outside).expect("a folder outside");
    for name in ["secret.md", "x.md"] {
        fs::write(outside.join(name), memory("Secret", CANARY)).expect("a canary");
    }
    fs::write(outside.join("config.toml"), format!("[provider]\nurl = \"{CANARY}\"\n")).expect("a canary");
    fs::write(outside.join("1.entries"), CANARY).expect("a canary");
    sandbox
}

/// Everything outside the store and the person's folder.
fn outside(sandbox: &Sandbox) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let own =
        [sandbox.project().join(".rawko"), sandbox.scratch().join("home"), sandbox.scratch().join("tmp")];
    snapshot(sandbox.scratch())
        .into_iter()
        .filter(|(path, _)| !own.iter().any(|own| path.starts_with(own)))
        .collect()
}

#[test]
fn path_jail_names() {
    let sandbox = with_canary();
    let before = outside(&sandbox);
    let payloads = payloads();
    for (n, payload) in payloads.iter().enumerate() {
        let doors = [
            vec!["add".into(), format!("--title={payload}"), "--content=x".into()],
            vec!["show".into(), "--".into(), payload.clone()],
            vec!["show".into(), "--raw".into(), "--".into(), payload.clone()],
            vec!["add".into(), "--title=T".into(), "--content=x".into(), format!("--supersedes={payload}")],
        ];
        // Each door is traced for a part of the payloads: a trace costs ten times the command.
        for (door, words) in doors.iter().enumerate() {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            if full() || n % 8 == door {
                let _ = jailed(&sandbox, &words);
            } else {
                let said = sandbox.run_words(&words, b"");
                assert!(
                    (0..=2).contains(&said.code) && !said.text().contains(CANARY),
                    "{words:?}: {}",
                    said.text()
                );
            }
        }
    }
    let names: Vec<String> =
        payloads.iter().map(|payload| serde_json::to_string(payload).expect("JSON")).collect();
    for (n, chunk) in names.chunks(200).enumerate() {
        let related = format!("relatedMemories: [{}]\nimportance", chunk.join(", "));
        sandbox.write(
            &format!(".rawko/memories/related-{n}.md"),
            memory(&format!("Related {n}"), "x").replace("importance", &related),
        );
    }
    for line in ["validate", "list", "doctor", "show related-0"] {
        let _ = jailed(&sandbox, &words(line));
    }
    assert_eq!(outside(&sandbox), before, "something outside the store changed");
    for (path, _) in snapshot(&sandbox.project().join(".rawko/memories")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.'),
            "{name}"
        );
    }
}

const COMMANDS: [&str; 20] = [
    "list",
    "list --json",
    "show x",
    "show --raw x",
    "show folder/secret",
    "show --raw folder/secret",
    "show secret",
    "show --raw secret",
    "validate",
    "validate .rawko/memories/x.md",
    "validate .rawko",
    "doctor",
    "trust --list",
    "trust --yes",
    "add --title=x --content=y",
    "add --title=Secret --content=y",
    "add --title=Good --content=y",
    "doctor --repair",
    "init",
    "list",
];

/// Sets a trap in a store, runs every command over it, and insists that it is reported by one of them.
fn trapped(name: &str, report: &str, set: impl Fn(&Path, &Path)) {
    let sandbox = with_canary();
    set(&sandbox.project().join(".rawko"), &sandbox.scratch().join("outside"));
    let before = outside(&sandbox);
    let said: Vec<String> = COMMANDS.iter().map(|line| jailed(&sandbox, &words(line)).text()).collect();
    assert!(said.iter().any(|text| text.contains(report)), "{name} is not reported:\n{}", said.join("\n"));
    assert_eq!(outside(&sandbox), before, "{name}: something outside the store changed");
}

fn replaced(path: &Path, target: &Path) {
    let _ = fs::remove_dir_all(path);
    let _ = fs::remove_file(path);
    symlink(target, path).expect("a link");
}

#[test]
fn path_jail_links() {
    let link = "symbolic link";
    trapped("a memory", link, |store, outside| replaced(&store.join("memories/x.md"), &outside.join("x.md")));
    trapped("a folder", link, |store, outside| replaced(&store.join("memories/folder"), outside));
    trapped("memories", link, |store, outside| replaced(&store.join("memories"), outside));
    trapped("the spool", link, |store, outside| replaced(&store.join("spool"), outside));
    trapped("a spool file", "no spool file", |store, outside| {
        replaced(&store.join("spool/1.entries"), &outside.join("1.entries"))
    });
    trapped("the lock", link, |store, outside| replaced(&store.join("spool/lock"), &outside.join("lock")));
    trapped("agents", link, |store, outside| replaced(&store.join("agents"), outside));
    trapped("an agent", "x.md is not rawko's", |store, outside| {
        replaced(&store.join("agents/x.md"), &outside.join("x.md"))
    });
    trapped("the settings", link, |store, outside| {
        replaced(&store.join("config.toml"), &outside.join("config.toml"))
    });
    trapped("the store", link, replaced);
    trapped("a loop", link, |store, _| replaced(&store.join("memories/x.md"), Path::new("x.md")));
    trapped("a loop of folders", link, |store, _| replaced(&store.join("memories/folder"), Path::new(".")));
    trapped("the root", link, |store, _| replaced(&store.join("memories/folder"), Path::new("/")));
    trapped("repaired", "", |store, outside| {
        replaced(&store.join("repaired"), outside);
        fs::write(store.join("spool/1.entries"), "half").expect("a damaged record");
    });
}

#[test]
fn path_jail_special_files() {
    let pipe =
        |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("a pipe");
    let special = "pipe, socket or device";
    trapped("a pipe", special, |store, _| pipe(&store.join("memories/x.md")));
    trapped("a pipe for settings", special, |store, _| pipe(&store.join("config.toml")));
    trapped("a pipe for an agent", "x.md is not rawko's", |store, _| pipe(&store.join("agents/x.md")));
    trapped("a pipe in the spool", "no spool file", |store, _| pipe(&store.join("spool/1.entries")));
    trapped("a socket", special, |store, _| {
        std::os::unix::net::UnixListener::bind(store.join("memories/x.md")).expect("a socket");
    });
    trapped("a folder", "a folder", |store, _| {
        fs::create_dir(store.join("memories/x.md")).expect("a folder")
    });
    if rustix::process::geteuid().is_root() {
        let zero = |path: &Path| {
            mknodat(
                CWD,
                path,
                FileType::CharacterDevice,
                Mode::from_raw_mode(0o644),
                rustix::fs::makedev(1, 5),
            )
        };
        if tempfile::tempdir().is_ok_and(|folder| zero(&folder.path().join("zero")).is_ok()) {
            trapped("a device", special, |store, _| zero(&store.join("memories/x.md")).expect("a device"));
        }
    }
}
