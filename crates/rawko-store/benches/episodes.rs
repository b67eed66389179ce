//! What an episode costs: appending in ratio to one bare append and sync of the same bytes; opening and searching
//! in ratio to a smaller log. Each round does both sides, and medians are compared.
//!
//! `RAWKO_BENCH_FOLDER` names a folder on the disk to measure; `RAWKO_FULL=1` adds a million episodes.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use rawko_core::{Happened, MemoryEntry, Redactor, episode_line, terms};
use rawko_store::{Episodes, Layout, Sought};

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed<T>(times: &mut Vec<Duration>, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = act();
    times.push(start.elapsed());
    done
}

fn entry(n: usize) -> MemoryEntry {
    let text = format!(
        "Changed handler number {n} of module m{} so that it validates its input; the tests of suite s{} pass again",
        n % 700,
        n % 31
    );
    Happened::Finished.episode("developer", &text).with("session", format!("20260123-{:06}", n / 7))
}

fn append(folder: &Path) {
    let layout = Layout::at(folder.join("append/.rawko"));
    layout.create().expect("a store");
    let (episodes, now) = (Episodes::of(&layout), jiff::Timestamp::now());
    let named = episodes.append(&entry(0), now).expect("written");
    let line = episode_line(&named, &Redactor::default()) + "\n";
    let mut bare: File =
        OpenOptions::new().append(true).create(true).open(folder.join("bare.jsonl")).expect("a file");
    let (mut bares, mut owns) = (Vec::new(), Vec::new());
    for n in 0..400 {
        timed(&mut bares, || {
            bare.write_all(line.as_bytes()).expect("written");
            bare.sync_data().expect("synced");
        });
        timed(&mut owns, || episodes.append(&entry(n), now).expect("written"));
    }
    let (bare, own) = (median(bares), median(owns));
    println!(
        "append: bare {bare:.0?}, episode {own:.0?}, ratio {:.2}",
        own.as_secs_f64() / bare.as_secs_f64()
    );
}

/// A log of so many episodes over a few months.
fn log(folder: &Path, count: usize) -> Layout {
    let layout = Layout::at(folder.join(format!("{count}/.rawko")));
    layout.create().expect("a store");
    fs::create_dir_all(layout.log()).expect("a folder");
    let redactor = Redactor::default();
    for month in 0..5 {
        let path = layout.log().join(format!("episodes-2026-{:02}.jsonl", month + 1));
        let mut file = std::io::BufWriter::new(File::create(path).expect("a file"));
        for n in (0..count).filter(|n| n * 5 / count == month) {
            let mut entry = if n == count / 3 {
                Happened::Note.episode("developer", "The zeppelin importer needs a licence file")
            } else {
                entry(n)
            };
            (entry.id, entry.timestamp) = (format!("{n:08}"), 1_770_000_000_000 + n as i64);
            writeln!(file, "{}", episode_line(&entry, &redactor)).expect("written");
        }
    }
    layout
}

fn search(layout: &Layout, word: &str) -> (usize, usize, usize) {
    let part = word.to_owned();
    let passes = |line: &[u8]| String::from_utf8_lossy(line).contains(&part);
    let looked = Episodes::of(layout).matching(Sought::Words(&terms(word)), passes).expect("searched");
    (looked.entries.len(), looked.looked_at, looked.unread)
}

fn sizes(folder: &Path, sizes: &[usize]) {
    println!(
        "\n| episodes | open | newest 10 | first search | rare word | common word | found, looked at, unread |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut rows: Vec<(usize, [Duration; 4])> = Vec::new();
    for &count in sizes {
        let layout = log(folder, count.max(1));
        if count == 0 {
            fs::remove_dir_all(layout.log()).expect("removed");
        }
        let mut first = Vec::new();
        timed(&mut first, || search(&layout, "zeppelin"));
        let (mut opens, mut newest, mut rare, mut common) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut seen = (0, 0, 0);
        // On their own: behind a search nothing of them would be in the processor's cache.
        (0..1000).for_each(|_| drop(timed(&mut opens, || Episodes::of(&layout))));
        for _ in 0..15 {
            timed(&mut newest, || Episodes::of(&layout).newest(10, |_| true).expect("read"));
            let found = timed(&mut rare, || search(&layout, "zeppelin"));
            assert!(found.0 >= usize::from(count > 0), "the rare word is found");
            seen = timed(&mut common, || search(&layout, "handler"));
        }
        let row = [median(opens), median(newest), median(rare), median(common)];
        println!(
            "| {count} | {:.1?} | {:.1?} | {:.1?} | {:.1?} | {:.1?} | {seen:?} |",
            row[0], row[1], first[0], row[2], row[3]
        );
        rows.push((count, row));
    }
    let of = |size: usize| rows.iter().find(|row| row.0 == size).map(|row| row.1);
    if let (Some(small), Some(large)) = (of(10_000), of(100_000)) {
        let ratio = |at: usize| large[at].as_secs_f64() / small[at].as_secs_f64();
        println!("\n100,000 to 10,000: newest {:.2}, rare {:.2}, common {:.2}", ratio(1), ratio(2), ratio(3));
    }
}

fn main() {
    let place = std::env::var_os("RAWKO_BENCH_FOLDER").map(std::path::PathBuf::from);
    let folder = place.map_or_else(tempfile::tempdir, tempfile::tempdir_in).expect("a folder");
    append(folder.path());
    let full = std::env::var_os("RAWKO_FULL").is_some();
    sizes(folder.path(), if full { &[0, 10_000, 100_000, 1_000_000] } else { &[0, 10_000, 100_000] });
}
