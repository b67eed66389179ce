//! Failed moves, one JSON line each in `log/failures-YYYY-MM.jsonl`, and a small table to find them by.
//!
//! Lines are only added: that a failure no longer holds is a line of its own. When a month begins, the oldest go
//! by whole months where all together are too large.
//! Each is signed with the person's key, so that a ledger which came with a
//! repository warns nobody. `cache/ledger` is a sorted table from the hash of a
//! move to where its line stands; it says how much of the newest file it has
//! seen, and whoever asks reads the rest from the file itself.

mod table;

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use rawko_core::ledger::Failure;
use serde_json::{Value, json};

use crate::atomic;
use crate::derived::{derive, derived};
use crate::error::{At as _, StoreError};
use crate::files::FileStore;
use crate::index::Key;
use crate::layout::Layout;
use crate::lines::{self, Lines};
use crate::plain;

use table::{Spot, Table};

/// Most of one month's file that is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// A month's file past this size takes no more failures; when one begins, those before it keep as much together.
const MOST_KEPT: u64 = 32 * 1024 * 1024;
/// The table's name in the cache.
const TABLE: &str = "ledger";
/// How many months are read.
const MONTHS: usize = 24;

/// The failed moves of one store.
pub struct Ledger<'s> {
    store: &'s FileStore,
    key: Key,
    most: u64,
}

/// A failure that holds, and where its line is.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The failure.
    pub failure: Failure,
    spot: Spot,
}

/// A failure with what became of it.
#[derive(Clone, Debug)]
pub struct Told {
    /// The failure.
    pub failure: Failure,
    /// When and why it was taken back.
    pub cleared: Option<(String, String)>,
    spot: Spot,
}

impl<'s> Ledger<'s> {
    /// The ledger of a store.
    pub fn of(store: &'s FileStore) -> Self {
        Self { store, key: Key::of(store.home(), store.layout().root()), most: MOST_KEPT }
    }

    fn layout(&self) -> &Layout {
        self.store.layout()
    }

    fn file(&self, month: u32) -> PathBuf {
        self.layout().log().join(format!("failures-{:04}-{:02}.jsonl", month / 100, month % 100))
    }

    /// The failures that may speak to a move with these keys, newest first, at most `most`.
    pub fn find(&self, keys: &[u64], most: usize, now: Timestamp) -> Result<Vec<Kept>, StoreError> {
        let table = self.table(now)?;
        let mut spots: Vec<Spot> = keys.iter().flat_map(|key| table.find(*key)).collect();
        spots.sort_unstable();
        spots.dedup();
        Ok(spots.into_iter().rev().take(most).filter_map(|spot| self.at(spot)).collect())
    }

    /// The failures that hold, newest first, at most `most`.
    pub fn live(&self, most: usize, now: Timestamp) -> Result<Vec<Kept>, StoreError> {
        let spots = self.table(now)?.spots();
        Ok(spots.into_iter().rev().take(most).filter_map(|spot| self.at(spot)).collect())
    }

    /// Keeps a failure, unless its month has told more than anybody will ask for; whether it did.
    pub fn append(&self, failure: &Failure, now: Timestamp) -> Result<bool, StoreError> {
        let mut line = serde_json::to_value(failure).expect("a failure is plain data");
        line["kind"] = json!("failed");
        self.keep(&line, now)
    }

    fn keep(&self, line: &Value, now: Timestamp) -> Result<bool, StoreError> {
        let size = self.size(month(now));
        if size > self.most {
            return Ok(false);
        }
        if size == 0 {
            self.make_room(now)?;
        }
        self.write(line, now).map(|()| true)
    }

    fn size(&self, month: u32) -> u64 {
        self.file(month).symlink_metadata().map_or(0, |meta| meta.len())
    }

    /// Removes the months that nobody reads any more, and those before the newest while all together are too large.
    fn make_room(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut kept = 0;
        for (n, month) in self.all_months(now)?.into_iter().rev().enumerate() {
            kept += self.size(month);
            if n >= MONTHS || n > 0 && kept > self.most {
                let path = self.file(month);
                match atomic::retry(|| std::fs::remove_file(&path)) {
                    // Another process was first.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    removed => removed.at("remove", &path)?,
                }
            }
        }
        Ok(())
    }

    /// Says that a failure no longer holds.
    pub fn clear(&self, kept: &Kept, why: &str, now: Timestamp) -> Result<(), StoreError> {
        self.clear_spot(kept.spot, &kept.failure.id, why, now)
    }

    /// Says that a failure no longer holds.
    pub fn forget(&self, told: &Told, why: &str, now: Timestamp) -> Result<(), StoreError> {
        self.clear_spot(told.spot, &told.failure.id, why, now)
    }

    fn clear_spot(&self, spot: Spot, id: &str, why: &str, now: Timestamp) -> Result<(), StoreError> {
        let line = json!({ "kind": "cleared", "id": id, "at": now.to_string(), "why": why,
            "month": spot.month, "offset": spot.offset });
        self.write(&line, now)
    }

    fn write(&self, line: &Value, now: Timestamp) -> Result<(), StoreError> {
        let folder = self.layout().log();
        atomic::make_folder(self.layout().root(), &folder)?;
        let line = self.signed(&line.to_string());
        Lines::open(&self.file(month(now)))?.append(&line)?;
        let table = self.table(now)?;
        derive(self.layout(), &self.key, TABLE, &table.bytes())
    }

    /// Everything that was kept, oldest first, with what became of it.
    pub fn all(&self, now: Timestamp) -> Result<Vec<Told>, StoreError> {
        let mut told: Vec<Told> = Vec::new();
        let mut places: HashMap<(u64, u64), usize> = HashMap::new();
        for month in self.months(now)? {
            for (offset, line) in self.lines(month, 0)?.0 {
                if line["kind"] == "cleared" {
                    let spot = line["month"].as_u64().zip(line["offset"].as_u64());
                    let found = spot.and_then(|spot| places.get(&spot)).and_then(|at| told.get_mut(*at));
                    if let Some(found) = found {
                        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
                        found.cleared = Some((text("at"), text("why")));
                    }
                } else if let Ok(failure) = serde_json::from_value(line) {
                    places.insert((u64::from(month), offset), told.len());
                    told.push(Told { failure, cleared: None, spot: Spot { month, offset } });
                }
            }
        }
        Ok(told)
    }

    /// The table, with what the newest file holds beyond it.
    fn table(&self, now: Timestamp) -> Result<Table, StoreError> {
        let known = derived(self.layout(), &self.key, TABLE).and_then(|bytes| Table::read(&bytes));
        let mut table = match known {
            Some(table) => table,
            None => {
                let mut table = Table::default();
                for month in self.months(now)? {
                    self.add(&mut table, month, 0)?;
                }
                table
            }
        };
        let month = month(now);
        let seen = if table.month == month { table.seen } else { 0 };
        let size = self.size(month);
        if size > seen {
            self.add(&mut table, month, seen)?;
        } else if size < seen {
            // The file was taken away: what the table says of it is no longer so.
            table = Table::default();
            for month in self.months(now)? {
                self.add(&mut table, month, 0)?;
            }
        }
        Ok(table)
    }

    fn add(&self, table: &mut Table, month: u32, start: u64) -> Result<(), StoreError> {
        let (lines, end) = self.lines(month, start)?;
        for (offset, line) in lines {
            if line["kind"] == "cleared" {
                let spot = line["month"].as_u64().zip(line["offset"].as_u64());
                let spot = spot.map(|(month, offset)| Spot { month: month as u32, offset });
                spot.into_iter().for_each(|spot| table.remove(spot));
            } else if let Ok(failure) = serde_json::from_value::<Failure>(line) {
                table.insert(&failure.keys(), Spot { month, offset });
            }
        }
        (table.month, table.seen) = (month, end);
        Ok(())
    }

    /// The signed lines of one month from `start`, each with its offset, and where the last whole line ends.
    ///
    /// What is torn or foreign is passed over.
    fn lines(&self, month: u32, start: u64) -> Result<(Vec<(u64, Value)>, u64), StoreError> {
        let bytes = lines::read_from(&self.file(month), start, MOST_BYTES)?;
        let (mut offset, mut found) = (start, Vec::new());
        for line in bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            found.extend(checked(&self.key, line).map(|value| (offset, value)));
            offset += line.len() as u64;
        }
        Ok((found, offset))
    }

    fn at(&self, spot: Spot) -> Option<Kept> {
        let line = lines::read_at(&self.file(spot.month), spot.offset).ok()?;
        let value = checked(&self.key, &line)?;
        Some(Kept { failure: serde_json::from_value(value).ok()?, spot })
    }

    fn signed(&self, text: &str) -> String {
        let body = text.trim_end_matches('}');
        let body = &text[..body.len() + (text.len() - body.len()) - 1];
        format!("{body},\"mac\":\"{}\"}}", mac(&self.key, text.as_bytes()))
    }

    /// The months that are read, oldest first.
    fn months(&self, now: Timestamp) -> Result<Vec<u32>, StoreError> {
        let mut months = self.all_months(now)?;
        Ok(months.split_off(months.len().saturating_sub(MONTHS)))
    }

    /// The months that have a file, oldest first.
    fn all_months(&self, now: Timestamp) -> Result<Vec<u32>, StoreError> {
        let folder = self.layout().log();
        if !plain::is_folder(&folder)? {
            return Ok(Vec::new());
        }
        let names = std::fs::read_dir(&folder).at("list", &folder)?.flatten().map(|entry| entry.file_name());
        let month_of = |name: std::ffi::OsString| -> Option<u32> {
            let name = name.to_str()?.strip_prefix("failures-")?.strip_suffix(".jsonl")?.to_owned();
            let (year, month) = name.split_once('-')?;
            Some(year.parse::<u32>().ok()? * 100 + month.parse::<u32>().ok()?)
        };
        let mut months: Vec<u32> = names.filter_map(month_of).filter(|found| *found <= month(now)).collect();
        months.sort_unstable();
        Ok(months)
    }
}

fn month(now: Timestamp) -> u32 {
    now.strftime("%Y%m").to_string().parse().unwrap_or_default()
}

fn mac(key: &Key, text: &[u8]) -> String {
    key.sign(&[b"ledger", text]).to_hex()[..32].to_owned()
}

/// A line's value, where this person's key has signed it.
fn checked(key: &Key, line: &[u8]) -> Option<Value> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let (body, end) = line.rsplit_once(",\"mac\":\"")?;
    let text = format!("{body}}}");
    let fits = end.strip_suffix("\"}").is_some_and(|found| found == mac(key, text.as_bytes()));
    fits.then(|| serde_json::from_str(&text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_failure_is_read_without_those_behind_it() {
        use rawko_core::ledger::{At, Move};
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let now = Timestamp::UNIX_EPOCH;
        let store = FileStore::project(layout, Some(&folder.path().join("home")), now).expect("it opens");
        for n in 0..100 {
            let at = At { root: "/r", cwd: "/r" };
            let moved = Move::command(&format!("make target{n}"), at);
            let failure = Failure::new(&moved, at, &format!("error: {}", "x".repeat(2_000)), now, &|_| false);
            Ledger::of(&store).append(&failure, now).expect("kept");
        }
        let log = Ledger::of(&store).size(month(now));
        // What this thread has read so far.
        let read = || {
            let told = std::fs::read_to_string("/proc/thread-self/io").ok()?;
            told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse::<u64>().ok())
        };
        let Some(before) = read() else {
            eprintln!("skipped: this system does not tell what a thread reads");
            return;
        };
        assert_eq!(Ledger::of(&store).live(100, now).expect("read").len(), 100);
        let cost = read().unwrap_or_default() - before;
        assert!(cost < 20 * log, "{cost} bytes were read of a ledger of {log}");
    }

    /// A failure that is kept.
    fn failed(store: &FileStore) -> Failure {
        use rawko_core::ledger::{At, Move};
        let at = At { root: "/r", cwd: "/r" };
        let failure = Failure::new(&Move::command("make all", at), at, "error: no rule", NOW, &|_| false);
        Ledger::of(store).append(&failure, NOW).expect("kept");
        failure
    }

    #[test]
    fn a_table_that_is_not_this_persons_hides_no_failure() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let store =
            FileStore::project(layout.clone(), Some(&folder.path().join("home")), NOW).expect("it opens");
        let failure = failed(&store);
        let found = || Ledger::of(&store).find(&failure.keys(), 9, NOW).expect("read").len();
        // It says that it has seen the whole file, and nothing in it.
        let mut empty = Table::default();
        (empty.month, empty.seen) = (month(NOW), Ledger::of(&store).size(month(NOW)));
        for table in [empty.bytes(), vec![0; 500], Vec::new()] {
            std::fs::write(layout.cache().join(TABLE), table).expect("written");
            assert_eq!(found(), 1);
        }
    }

    #[test]
    fn the_ledger_stays_within_its_size_and_keeps_the_newest_months() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let store =
            FileStore::project(layout.clone(), Some(&folder.path().join("home")), Timestamp::UNIX_EPOCH);
        let store = store.expect("it opens");
        let ledger = Ledger { most: 1_500, ..Ledger::of(&store) };
        let size = || {
            let files = std::fs::read_dir(layout.log()).expect("a folder").flatten();
            files.map(|entry| entry.metadata().expect("there").len()).sum::<u64>()
        };
        // A line every fifth day for three years, then very many in one day.
        let at = |n: i64| Timestamp::from_second(1_700_000_000 + n.min(220) * 5 * 86_400).expect("a time");
        for n in 0..300 {
            ledger.keep(&json!({ "kind": "failed", "n": n }), at(n)).expect("kept");
            assert!(size() < 3_200, "{}", size());
        }
        let months = ledger.all_months(at(220)).expect("months");
        let lines = |month: &u32| ledger.lines(*month, 0).expect("lines").0;
        let told: Vec<i64> =
            months.iter().flat_map(lines).filter_map(|(_, line)| line["n"].as_i64()).collect();
        assert!(months.len() > 1 && told.contains(&220), "{months:?} {told:?}");
        // Whole months went, and none between those that stayed.
        let expected: Vec<i64> = (told[0]..).take(told.len()).collect();
        assert_eq!(told, expected);
        // A month that got full stays when the next begins.
        let next = Timestamp::from_second(1_700_000_000 + 235 * 5 * 86_400).expect("a time");
        ledger.keep(&json!({ "kind": "failed", "n": 300 }), next).expect("kept");
        let months = ledger.all_months(next).expect("months");
        let told: Vec<i64> =
            months.iter().flat_map(lines).filter_map(|(_, line)| line["n"].as_i64()).collect();
        assert!(told.contains(&220) && told.contains(&300), "{months:?} {told:?}");
    }
}
