//! No title, name, link or file makes rawko open anything outside the store.
//!
//! Canary files outside must stay as they are and unseen; where the machine has
//! `strace`, every path that is opened or made is checked, links resolved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::rig::on_two_threads;
use crate::sandbox::{Said, Sandbox, corpus, memory, snapshot};

const CALLS: &str = "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate,mknod,mknodat";
const CANARY: &str = "canary-7f3a";

/// Where a program may look: its own libraries and the system's words about itself.
const SYSTEM: [&str; 8] =
    ["/lib", "/usr/lib", "/etc/ld.so", "/proc/", "/sys/", "/dev/null", "/dev/tty", "/dev/urandom"];

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
    jailed_to(sandbox, &sandbox.project().join(".rawko"), words, "")
}

/// As [`jailed`], with all of `own` open to it, and with standard input.
fn jailed_to(sandbox: &Sandbox, own: &Path, words: &[OsString], input: &str) -> Said {
    let Some((said, trace)) = sandbox.traced_fed(CALLS, words, input) else {
        return sandbox.run_words(words, input.as_bytes());
    };
    let inside = [own.to_owned(), sandbox.scratch().join("home")];
    for line in &trace {
        for path in paths(line) {
            let known = SYSTEM.iter().any(|prefix| path.starts_with(prefix));
            // What holds the person's folder is synced when that is new.
            let own = inside.iter().any(|folder| Path::new(&path).starts_with(folder))
                || Path::new(&path) == sandbox.scratch();
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

/// The payloads, but for those that no argument can hold.
fn payloads() -> Vec<String> {
    let mut all = Vec::new();
    for name in ["path-traversal.txt", "path-traversal-dotdotpwn-sample.txt"] {
        let Some(path) = corpus(&format!("payloads/{name}")) else { continue };
        let bytes = fs::read(path).expect("payloads");
        let text = String::from_utf8_lossy(&bytes);
        all.extend(text.lines().filter(|line| !line.contains('\0')).map(str::to_owned));
    }
    all
}

/// As many payloads as share a store: titles that make one name are tried one number after the other, and
/// among thousands of them that would be most of the work.
const PORTION: usize = 60;

fn with_canary() -> Sandbox {
    let sandbox = Sandbox::in_memory().memory("good", memory("Good", "# Good"));
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
    let payloads = payloads();
    let portions: Vec<&[String]> = payloads.chunks(PORTION).collect();
    on_two_threads(&portions, |portion| names_stay_inside(portion));
    println!("path_jail_names: {} payloads at each of 5 doors", payloads.len());
}

fn names_stay_inside(payloads: &[String]) {
    let sandbox = with_canary();
    let before = outside(&sandbox);
    for payload in payloads {
        for words in [
            vec!["add".into(), format!("--title={payload}"), "--content=x".into()],
            vec!["show".into(), "--".into(), payload.clone()],
            vec!["show".into(), "--raw".into(), "--".into(), payload.clone()],
            vec!["add".into(), "--title=T".into(), "--content=x".into(), format!("--supersedes={payload}")],
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            // What a title says of the code is looked up there, so the repository is open to it.
            let _ = jailed_to(&sandbox, &sandbox.project(), &words, "");
        }
    }
    let related = format!("relatedMemories: [{}]\nimportance", quoted(payloads).join(", "));
    sandbox.write(".rawko/memories/related.md", memory("Related", "x").replace("importance", &related));
    for line in ["validate", "list", "doctor", "show related"] {
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

/// Payloads as JSON, which is YAML as well.
fn quoted(payloads: &[String]) -> Vec<String> {
    payloads.iter().map(|payload| serde_json::to_string(payload).expect("JSON")).collect()
}

#[test]
fn path_jail_tool_calls() {
    let payloads = payloads();
    let portions: Vec<&[String]> = payloads.chunks(PORTION).collect();
    on_two_threads(&portions, |portion| calls_stay_inside(portion));
}

fn calls_stay_inside(payloads: &[String]) {
    let sandbox = with_canary();
    let before = outside(&sandbox);
    // What is said of the code is looked up there, so the repository is open to it.
    let project = sandbox.project();
    let mut calls = String::new();
    for (n, payload) in payloads.iter().enumerate() {
        for path in [payload.clone(), format!("/memories/{payload}"), format!("/memories/a/../{payload}")] {
            calls += &format!("{}\n", json!({ "command": "view", "path": path }));
            // What is made stays, and a thousand files of it would be slow to look through.
            if n % 20 == 0 {
                calls += &format!("{}\n", json!({ "command": "create", "path": path, "file_text": "x" }));
                calls += &format!(
                    "{}\n",
                    json!({ "command": "rename", "old_path": "/memories/good", "new_path": path })
                );
            }
        }
    }
    let said = jailed_to(&sandbox, &project, &words("memory-tool"), &calls);
    assert_eq!(said.out.lines().count(), calls.lines().count(), "every call is answered");
    let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    let mut calls =
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client }));
    calls += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    for (n, payload) in payloads.iter().enumerate() {
        let call = json!({ "name": "get", "arguments": { "ids": [payload] } });
        calls += &format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": n + 1, "method": "tools/call", "params": call })
        );
    }
    let said = jailed_to(&sandbox, &project, &words("mcp"), &calls);
    assert_eq!(said.out.lines().count(), payloads.len() + 1, "every call is answered");
    assert_eq!(outside(&sandbox), before, "something outside the store changed");
}

#[test]
fn path_jail_evidence_and_imports() {
    let payloads = payloads();
    let portions: Vec<&[String]> = payloads.chunks(PORTION).collect();
    on_two_threads(&portions, |portion| {
        let sandbox = with_canary();
        let before = outside(&sandbox);
        let project = sandbox.project();
        let outside_by_link = sandbox.scratch().join("outside/secret.md");
        symlink(outside_by_link, project.join("link")).expect("a link");
        let named: Vec<String> = quoted(portion).into_iter().chain(["link".to_owned()]).collect();
        let claims = named.iter().map(|name| format!("  - {{file: {name}, text: \"root:\"}}\n"));
        let claims = format!("evidence:\n{}importance", claims.collect::<String>());
        sandbox.write(".rawko/memories/proved.md", memory("Proved", "x").replace("importance", &claims));
        let _ = sandbox.run("trust --yes").succeeds();
        for line in ["why-not proved --task deploy", "inject --task deploy"] {
            let _ = jailed_to(&sandbox, &project, &words(line), "");
        }
        let rows: Vec<_> = portion
            .iter()
            .map(|path| json!({ "memory": "x", "id": path, "name": path, "file": path }))
            .collect();
        sandbox.write("mem0.json", serde_json::Value::from(rows).to_string());
        let _ = jailed_to(&sandbox, &project, &words("import mem0.json"), "");
        fs::remove_file(project.join("mem0.json"))
            .and_then(|()| fs::remove_file(project.join("link")))
            .expect("removed");
        assert_eq!(outside(&sandbox), before, "something outside the store changed");
    });
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
