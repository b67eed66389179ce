//! What one update of a session costs, in ratio to the barest safe replacement of the same bytes.
//!
//! Absolute times say little on a shared machine: each round does both, and the
//! medians are compared. `RAWKO_BENCH_FOLDER` names a folder on the disk to measure.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use rawko_core::session::{SessionId, Update};
use rawko_store::{Layout, Sessions};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Temporary file, sync, rename, sync of the folder.
fn bare(folder: &Path, bytes: &[u8]) {
    let temporary = folder.join("bare.tmp");
    let mut file = File::create(&temporary).expect("a file");
    file.write_all(bytes).expect("written");
    file.sync_all().expect("synced");
    fs::rename(&temporary, folder.join("bare.yaml")).expect("renamed");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("synced");
}

fn discover(content: &str) -> Update {
    let entry = serde_json::json!({
        "id": "", "timestamp": "2026-01-23", "type": "data_model", "importance": "low", "content": content,
    });
    Update::Discover(serde_json::from_value(entry).expect("a discovery"))
}

fn finish() -> Update {
    let changes = serde_json::json!({ "result": "failure", "error": "no store", "lessons": "read first", "duration_ms": 12 });
    Update::Attempt { id: Some("a".to_owned()), changes: changes.as_object().cloned().expect("fields") }
}

fn main() {
    let place = std::env::var_os("RAWKO_BENCH_FOLDER").map(std::path::PathBuf::from);
    let folder = place.map_or_else(tempfile::tempdir, tempfile::tempdir_in).expect("a folder");
    let layout = Layout::at(folder.path().join(".rawko"));
    layout.create().expect("a store");
    println!(
        "| file | bare replacement | discover | ratio | finish an attempt | ratio |\n|---|---|---|---|---|---|"
    );
    for kilobytes in [1, 10, 50, 95] {
        let sessions = Sessions::at(layout.clone());
        let now = jiff::Timestamp::now();
        let id: SessionId = sessions.start("Bench", "developer", now).expect("a session");
        let path = sessions.folder(&id).join("agent-memory.yaml");
        let attempt = serde_json::json!({ "id": "a", "timestamp": "2026-01-23", "description": "x", "result": "in_progress" });
        let start = Update::Start(serde_json::from_value(attempt).expect("an attempt"));
        sessions.update(&id, "developer", &start, now).expect("an attempt");
        while fs::metadata(&path).expect("a file").len() < kilobytes * 1024 {
            let text = "A line of what was learned about the code.\n".repeat(6);
            sessions.update(&id, "developer", &discover(&text), now).expect("an update");
        }
        let base = fs::read(&path).expect("a file");
        let (mut bares, mut discovers, mut finishes) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..100 {
            fs::write(&path, &base).expect("reset");
            let start = Instant::now();
            bare(folder.path(), &base);
            bares.push(start.elapsed());
            let start = Instant::now();
            sessions.update(&id, "developer", &discover("One more line"), now).expect("an update");
            discovers.push(start.elapsed());
            let start = Instant::now();
            sessions.update(&id, "developer", &finish(), now).expect("an update");
            finishes.push(start.elapsed());
        }
        let (bare, one, two) = (median(bares), median(discovers), median(finishes));
        let ratio = |time: Duration| time.as_secs_f64() / bare.as_secs_f64();
        println!(
            "| {} KB | {bare:.0?} | {one:.0?} | {:.1} | {two:.0?} | {:.1} |",
            base.len() / 1024,
            ratio(one),
            ratio(two)
        );
    }
}
