//! G15: what runs for long stays as large as it was. `RAWKO_SOAK_SECONDS=3600` lets it run for an hour.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::rig;
use crate::sandbox::{Sandbox, memory};

/// What may lie beside the memories: logs, cache, receipts, sessions.
const BESIDE: u64 = 256 << 20;

/// A day of one agent after another: a server that stays, and hooks that come and go.
#[test]
fn soak() {
    let length = Duration::from_secs(rig::size("RAWKO_SOAK_SECONDS", 20, 3600) as u64);
    let sandbox = (0..200).fold(Sandbox::new().file("src/queue.py", "RETRIES = 3\n"), |sandbox, n| {
        let body =
            format!("# Queue {n}\n\nQueue {n} retries three times, because worker {n} loses its lease.");
        sandbox.memory(&format!("queue-{n}"), memory(&format!("Queue {n}"), &body))
    });
    let _ = sandbox.run("trust --yes").succeeds();
    let mut client = Client::older(&sandbox, "2025-06-18");
    let (mut sizes, mut files, mut round) = (Vec::new(), Vec::new(), 0_usize);
    let start = Instant::now();
    while start.elapsed() < length || round < 180 {
        work(&sandbox, &mut client, round);
        sizes.push(kilobytes(client.id()));
        files.push(fs::read_dir(format!("/proc/{}/fd", client.id())).map_or(0, Iterator::count));
        round += 1;
    }
    let of = |part: &[u64]| -> u64 {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    // It takes a while until every page was touched that ever will be.
    let third = sizes.len() / 3;
    let (early, late) = (of(&sizes[third..2 * third]), of(&sizes[2 * third..]));
    println!("soak: {round} rounds, the server had {early} kB early and {late} kB late");
    // A twentieth, or what the system gives out at a time to threads that a busy machine starts together.
    assert!(
        late <= early + (early / 20).max(1024),
        "the server grew from {early} to {late} kB in {round} rounds"
    );
    assert!(late <= 64 * 1024, "the server has {late} kB");
    assert_eq!(files.get(5), files.last(), "it keeps files open");
    assert_eq!(client.end().0, "");
    let beside: u64 = [sandbox.project().join(".rawko"), sandbox.scratch().join("home")]
        .iter()
        .map(|folder| weight(folder))
        .sum();
    assert!(beside <= BESIDE, "{beside} bytes lie beside the memories");
}

/// One agent's session: what it asks the server, and what its host tells.
fn work(sandbox: &Sandbox, client: &mut Client, round: usize) {
    let found = client.call("search", json!({ "query": format!("why does queue {} retry", round % 200) }));
    let id = found["hits"][0]["id"].clone();
    assert!(id.is_string(), "{found}");
    let _ = client.call("get", json!({ "ids": [id] }));
    let _ = client.call("session", json!({ "action": "failures" }));
    let hook = |event: &str, said: Value| {
        let mut said = said;
        said["session_id"] = format!("s{round}").into();
        said["cwd"] = sandbox.project().display().to_string().into();
        said["hook_event_name"] = event.into();
        let _ = sandbox.feed(&format!("hook claude {event}"), said.to_string()).succeeds();
    };
    let command = json!({ "command": format!("python src/queue.py --job {}", round % 50) });
    hook("SessionStart", json!({ "source": "startup" }));
    hook("UserPromptSubmit", json!({ "prompt": format!("mend queue {}", round % 200) }));
    hook("PreToolUse", json!({ "tool_name": "Bash", "tool_input": command }));
    hook(
        "PostToolUseFailure",
        json!({ "tool_name": "Bash", "tool_input": command, "error": format!("Exit code 1\nlease {round} lost") }),
    );
    hook("SessionEnd", json!({ "reason": "exit" }));
}

/// The memory that a process has now; 0 where the system does not tell.
fn kilobytes(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn weight(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => weight(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}
