//! Every hook exits 0 within a second and says nothing on standard error, whatever happens.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hook_promises::is_left_alone;
use crate::sandbox::{Sandbox, full, which};

/// What hosts tell, and whom.
pub(crate) const EVENTS: [(&str, &[&str]); 6] = [
    (
        "claude",
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "Stop",
            "StopFailure",
            "SessionEnd",
        ],
    ),
    (
        "codex",
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "Stop",
            "SessionEnd",
        ],
    ),
    ("gemini", &["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"]),
    (
        "copilot",
        &["sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "agentStop", "sessionEnd"],
    ),
    (
        "cursor",
        &[
            "sessionStart",
            "beforeSubmitPrompt",
            "postToolUse",
            "postToolUseFailure",
            "subagentStop",
            "preCompact",
            "stop",
            "sessionEnd",
        ],
    ),
    (
        "opencode",
        &["session.created", "chat.message", "tool.execute.after", "session.compacting", "session.idle"],
    ),
];

/// Enough for every event of every host, each time another one.
pub(crate) fn input(sandbox: &Sandbox, n: usize) -> Value {
    json!({
        "session_id": format!("s{n}"), "sessionId": format!("s{n}"), "sessionID": format!("s{n}"),
        "cwd": sandbox.project(), "directory": sandbox.project(), "workspace_roots": [sandbox.project()],
        "prompt": "deploy the service", "source": "startup", "n": n, "tool_name": "Bash", "toolName": "bash",
        "tool_use_id": format!("t{n}"), "tool_input": { "command": "make deploy" }, "toolArgs": { "command": "make deploy" },
        "error": "Exit code 2\nmake: *** No rule to make target 'deploy'.", "last_assistant_message": "Done.",
    })
}

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let add = "add --title 'Deploy from main' --when deploy --when-command 'make deploy' --importance critical --content 'Never from a branch.'";
    let _ = sandbox.run(add).succeeds();
    sandbox
}

/// How long a process takes here that does next to nothing: a busy machine must not fail a test.
fn nothing(sandbox: &Sandbox) -> Duration {
    let start = Instant::now();
    let _ = sandbox.run("--version").succeeds();
    start.elapsed()
}

fn start(sandbox: &Sandbox, words: &[&str]) -> Child {
    let mut command = sandbox.command(&sandbox.program());
    command.arg("hook").args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("rawko starts")
}

/// Waits for a hook that began at `start`, and holds it to its promise.
fn ends_well(child: Child, start: Instant, slack: Duration, what: &str) {
    let output = child.wait_with_output().expect("rawko ends");
    let took = start.elapsed();
    assert_eq!(output.status.code(), Some(0), "{what}");
    // The tracer of some tests has words of its own.
    let errors = String::from_utf8_lossy(&output.stderr);
    let ours: Vec<&str> =
        errors.lines().filter(|line| !line.is_empty() && !line.contains("strace: ")).collect();
    assert!(ours.is_empty(), "{what}: {ours:?}");
    assert!(took <= Duration::from_secs(1) + 4 * slack, "{what} took {took:?}");
    let is_valid = output.stdout.is_empty() || serde_json::from_slice::<Value>(&output.stdout).is_ok();
    assert!(is_valid, "{what}: {}", String::from_utf8_lossy(&output.stdout));
}

type Fault = (&'static str, fn() -> Sandbox);

/// What may be wrong with a machine.
const FAULTS: [Fault; 9] = [
    ("nothing", project),
    ("a broken config", || project().file(".rawko/config.toml", "[[[\nformat = \"x\"")),
    ("a newer format", || project().file(".rawko/config.toml", "format = 99")),
    ("no home", || project().homeless()),
    ("a store that cannot be written", || {
        let sandbox = project();
        sandbox.by_a_stranger()
    }),
    ("a cache that is a file", || {
        let sandbox = project();
        let _ = fs::remove_dir_all(sandbox.project().join(".rawko/cache"));
        sandbox.file(".rawko/cache", "no folder")
    }),
    ("memories that are a file", || {
        let sandbox = project();
        fs::remove_dir_all(sandbox.project().join(".rawko/memories")).expect("removed");
        sandbox.file(".rawko/memories", "no folder")
    }),
    ("damaged memories", || project().file(".rawko/memories/x.md", "---\ntitle: [\n\u{0}")),
    ("no store", Sandbox::empty),
];

#[test]
fn hook_always_returns() {
    for (f, (fault, make)) in FAULTS.iter().enumerate() {
        let sandbox = make();
        let slack = nothing(&sandbox);
        let all = EVENTS.iter().flat_map(|(host, events)| events.iter().map(move |event| (*host, *event)));
        for (n, (host, event)) in all.enumerate() {
            // Every fault meets every event when there is time for it.
            if !full() && n % FAULTS.len() != f && f > 0 {
                continue;
            }
            let begun = Instant::now();
            let mut child = start(&sandbox, &[host, event]);
            let text = input(&sandbox, n).to_string();
            let _ = child.stdin.take().expect("piped").write_all(text.as_bytes());
            ends_well(child, begun, slack, &format!("{fault}: {host} {event}"));
        }
    }
}

#[test]
fn hook_always_returns_whatever_its_words_and_input_are() {
    let sandbox = project();
    let slack = nothing(&sandbox);
    for words in [
        &[][..],
        &["claude"],
        &["nobody", "Stop"],
        &["claude", "Nothing"],
        &["--json"],
        &["claude", "Stop", "--x"],
    ] {
        for text in [
            "",
            "{",
            "null",
            "[]",
            "{\"prompt\": 1}",
            "\u{0}",
            "{\"cwd\": \"/nowhere\", \"prompt\": \"deploy\"}",
        ] {
            let begun = Instant::now();
            let mut child = start(&sandbox, words);
            let _ = child.stdin.take().expect("piped").write_all(text.as_bytes());
            ends_well(child, begun, slack, &format!("{words:?} {text:?}"));
        }
    }
}

#[test]
fn hook_always_returns_from_a_host_that_never_closes_the_pipe() {
    let sandbox = project();
    let slack = nothing(&sandbox);
    for text in ["", "{\"prompt\": \"deploy", &input(&sandbox, 0).to_string()] {
        let begun = Instant::now();
        let mut child = start(&sandbox, &["claude", "UserPromptSubmit"]);
        let mut pipe = child.stdin.take().expect("piped");
        pipe.write_all(text.as_bytes()).expect("written");
        ends_well(child, begun, slack, &format!("an open pipe with {text:?}"));
        drop(pipe);
    }
}

#[test]
fn hook_always_returns_from_a_store_that_somebody_holds() {
    let sandbox = project();
    let slack = nothing(&sandbox);
    let say = |n: usize, event: &str| {
        let begun = Instant::now();
        let mut child = start(&sandbox, &["claude", event]);
        let text = input(&sandbox, n).to_string();
        let _ = child.stdin.take().expect("piped").write_all(text.as_bytes());
        ends_well(child, begun, slack, event);
    };
    say(1, "UserPromptSubmit");
    assert!(is_left_alone(&sandbox), "what it started is done");
    // As a stopped process would: every lock there is, held and never given back.
    let files = crate::sandbox::snapshot(&sandbox.project().join(".rawko"));
    let files = files.iter().map(|(path, _)| path).filter(|path| path.is_file());
    let held: Vec<fs::File> = files.map(|path| fs::File::open(path).expect("opened")).collect();
    held.iter().for_each(|file| file.lock().expect("locked"));
    for event in EVENTS[0].1 {
        say(1, event);
    }
}

#[test]
fn hook_always_returns_from_a_full_disk_and_from_a_slow_one() {
    let (Some(strace), true) = (which("strace"), cfg!(target_os = "linux")) else {
        return eprintln!("skipped: there is no strace on this machine");
    };
    let faults = [
        ("a full disk", "inject=fsync,mkdir,mkdirat,ftruncate,rename,write:error=ENOSPC"),
        ("a failing disk", "inject=fsync,flock,getdents64,rename,unlink:error=EIO"),
        ("a slow disk", "inject=fsync,flock,getdents64,mkdir:delay_enter=400000"),
    ];
    for (fault, injected) in faults {
        let sandbox = project();
        for (n, event) in EVENTS[0].1.iter().enumerate() {
            let mut command = sandbox.command(&strace);
            // What a slow disk keeps it from learning is left to a process that `strace -f` would wait for.
            command.args((!fault.contains("slow")).then_some("-f"));
            command
                .args(["-qq", "-o", "/dev/null", "-e", "trace=all", "-e", injected])
                .arg(sandbox.program());
            command.args(["hook", "claude", event]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let slack = nothing(&sandbox).max(Duration::from_millis(250));
            let begun = Instant::now();
            let mut child = command.spawn().expect("strace starts");
            let _ = child.stdin.take().expect("piped").write_all(input(&sandbox, n).to_string().as_bytes());
            ends_well(child, begun, slack, &format!("{fault}: {event}"));
        }
    }
}

#[test]
fn what_a_slow_disk_keeps_a_hook_from_learning_is_learned_behind_it() {
    let (Some(strace), true) = (which("strace"), cfg!(target_os = "linux")) else {
        return eprintln!("skipped: there is no strace on this machine");
    };
    let sandbox = project();
    let fact =
        "Fixed. `pnpm test` fails unless `pnpm db:up` ran before, because the tests need the database.";
    let said = serde_json::json!({
        "session_id": "slow", "cwd": sandbox.project(), "hook_event_name": "Stop", "last_assistant_message": fact,
    });
    let mut command = sandbox.command(&strace);
    let slow = "inject=fsync,fdatasync,flock:delay_enter=400000";
    command.args(["-qq", "-o", "/dev/null", "-e", "trace=all", "-e", slow]).arg(sandbox.program());
    command.args(["hook", "claude", "Stop"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let slack = nothing(&sandbox).max(Duration::from_millis(250));
    let begun = Instant::now();
    let mut child = command.spawn().expect("strace starts");
    let _ = child.stdin.take().expect("piped").write_all(said.to_string().as_bytes());
    ends_well(child, begun, slack, "a disk that is far too slow");
    let known = || crate::sandbox::snapshot(&sandbox.project().join(".rawko/memories")).len();
    let until = Instant::now() + Duration::from_secs(30);
    while known() == 1 {
        assert!(Instant::now() < until, "nothing was learned");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn hook_always_returns_also_where_starting_another_process_waits_for_the_disk() {
    let (Some(strace), true) = (which("strace"), cfg!(target_os = "linux")) else {
        return eprintln!("skipped: there is no strace on this machine");
    };
    let sandbox = project();
    let said = serde_json::json!({
        "session_id": "stuck", "cwd": sandbox.project(), "hook_event_name": "Stop",
        "last_assistant_message": "Fixed. `pnpm test` fails unless `pnpm db:up` ran before, because of the database.",
    });
    let trace = sandbox.project().join("../trace");
    let mut command = sandbox.command(&strace);
    command.args(["-f", "-qq", "-ttt", "-e", "trace=fsync,fdatasync,flock,chdir,exit_group,execve"]);
    command.args(["-e", "inject=fsync,fdatasync,flock:delay_enter=400000"]);
    command.args(["-e", "inject=chdir:delay_enter=3000000", "-o"]).arg(&trace).arg(sandbox.program());
    command.args(["hook", "claude", "Stop"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let slack = nothing(&sandbox).max(Duration::from_millis(250));
    let mut child = command.spawn().expect("strace starts");
    let _ = child.stdin.take().expect("piped").write_all(said.to_string().as_bytes());
    assert!(child.wait_with_output().expect("it ends").status.success());
    // The tracer waits for the other process, so the hook's own end is read from its words.
    let trace = fs::read_to_string(&trace).expect("a trace");
    let time = |line: &str| line.split_whitespace().nth(1).and_then(|at| at.parse::<f64>().ok());
    let begun = trace.lines().next().and_then(time).expect("a beginning");
    // The first that ends is the hook; the line may be cut by another thread's.
    let end = trace.lines().find(|line| line.contains("exit_group(0")).and_then(time).expect("an end");
    assert!(trace.contains("chdir("), "another process was started: {trace}");
    assert!(end - begun <= 1.0 + 4.0 * slack.as_secs_f64(), "it took {} s", end - begun);
}
