//! The sentence encoder in the program, as a search uses it.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sandbox::{Sandbox, snapshot};

/// Memories, and none of their words in the question.
const MEMORIES: [(&str, &str); 8] = [
    ("Refund retries", "Without an idempotency key the payment provider debits the card a second time."),
    ("Redis for tests", "The integration suite needs a cache server on port 6379 before it starts."),
    ("Node version", "The bundler only builds with release 20 of the runtime."),
    ("Time zones", "Dates are stored in UTC and shown in the zone of the account."),
    ("Feature flags", "A toggle is read once at start, so changing it needs a restart."),
    ("Migrations", "Schema changes are applied by the deploy job and never by hand."),
    ("Log levels", "Debug output is off in production because it fills the volume."),
    ("Uploads", "Pictures above ten megabytes are refused by the proxy."),
];
const QUESTION: &str = "'why was our customer billed twice' --json";

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for (title, body) in MEMORIES {
        let words = ["add", "--title", title, "--when", "zzyzx", "--content", body];
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    sandbox
}

fn search(sandbox: &Sandbox) -> Value {
    sandbox.run(&format!("search {QUESTION}")).succeeds().json()
}

/// Waits until the process behind a search has read everything.
fn read_behind(sandbox: &Sandbox) -> Value {
    let start = Instant::now();
    loop {
        let found = search(sandbox);
        if found["withoutVector"] == 0 {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "never read: {found}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_search_finds_what_was_said_in_other_words() {
    let sandbox = project();
    let _ = sandbox
        .run("index --embed")
        .succeeds()
        .says("8 memories have vectors of built-in encoder; 16 passages were new and read.");
    let found = search(&sandbox);
    assert_eq!(found["hits"][0]["slug"], "refund-retries", "{found}");
    assert_eq!(found["hits"][0]["meaningBy"], "built-in encoder");
    assert_eq!(found["degraded"], Value::Null);
    let _ = sandbox.run("search 'billed twice' --explain").succeeds().says("meaning (built-in encoder) +");
    // Nothing was asked of anybody.
    let log = snapshot(&sandbox.project().join(".rawko/log"));
    assert!(!log.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\"kind\":\"embedding\"")));
}

#[test]
fn what_a_search_met_unread_is_read_behind_it() {
    let sandbox = project();
    let first = search(&sandbox);
    assert_eq!(first["withoutVector"], 6, "a search reads few itself: {first}");
    let found = read_behind(&sandbox);
    assert_eq!(found["hits"][0]["slug"], "refund-retries", "{found}");
    assert!(found["hits"].as_array().expect("hits").iter().all(|hit| hit["meaningBy"] == "built-in encoder"));
    let said = sandbox.run(&format!("search {}", QUESTION.replace(" --json", ""))).succeeds();
    assert_eq!(said.err, "", "nobody is told to do what is done by itself");
}

#[test]
fn by_the_table_alone_nothing_is_read_and_nothing_is_kept() {
    let sandbox = project();
    fs::write(sandbox.scratch().join("home/config.toml"), "[embedding]\nkind = \"table\"\n")
        .expect("settings");
    let found = search(&sandbox);
    assert_eq!((&found["hits"][0]["meaningBy"], &found["withoutVector"]), (&"table".into(), &0.into()));
    let kept = fs::read_dir(sandbox.project().join(".rawko/cache")).into_iter().flatten().flatten();
    let kept: Vec<_> = kept.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert!(!kept.iter().any(|name| name.contains("vectors")), "{kept:?}");
}

#[test]
fn a_question_that_the_encoder_cannot_read_is_answered_by_the_table() {
    let sandbox = project();
    let found = sandbox.run("search 'почему клиент' --json").succeeds().json();
    assert_eq!(found["degraded"], Value::Null, "{found}");
    let mixed = sandbox.run("search 'refund почему' --json").succeeds().json();
    assert_eq!(mixed["hits"][0]["slug"], "refund-retries", "{mixed}");
}

#[test]
fn damaged_vectors_are_made_anew() {
    let sandbox = project();
    let _ = sandbox.run("index --embed").succeeds();
    let cache = sandbox.project().join(".rawko/cache");
    let is_vectors = |name: &str| name.starts_with("vectors-");
    let files = fs::read_dir(&cache).expect("a cache").flatten();
    let file = files
        .map(|file| file.path())
        .find(|path| path.file_name().is_some_and(|name| is_vectors(&name.to_string_lossy())));
    let file = file.expect("a file of vectors");
    let whole = fs::read(&file).expect("its bytes");
    for damaged in [&whole[..whole.len() / 2], b"", &[&whole[..60], &[0xff; 40], &whole[100..]].concat()] {
        fs::write(&file, damaged).expect("damage");
        assert_eq!(read_behind(&sandbox)["hits"][0]["slug"], "refund-retries");
    }
}
