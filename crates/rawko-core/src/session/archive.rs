//! Which entries leave a file that grew large, and what stays said of them.
//!
//! The text of what leaves goes to the archive as it stands, comments and all;
//! a `history` entry sums it up. The archive is written first, so after a
//! crash an entry may be in both files: the next time it is told by its value,
//! and leaves without being written again.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::session::edit::{self, Edit};
use crate::session::prompt::{cap_at, first_line};
use crate::session::read::{self, SECTIONS, Version};
use crate::session::types::{History, Last, Moment};

/// A file past this many bytes is archived at the next update.
pub const ARCHIVE_BYTES: usize = 100 * 1024;
/// What is younger than this stays.
pub const KEEP: SignedDuration = SignedDuration::from_hours(2);
/// A file past this many bytes is archived down to half of it, however young its entries are.
pub const HARD_BYTES: usize = 1024 * 1024;
/// How many lines a summary has at most.
const SUMMARY_LINES: usize = 40;
/// How many summaries stay apart; older ones are summed up once more.
const SUMMARIES: usize = 12;

/// A file before and after its archiving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archiving {
    /// What the file says then.
    pub text: String,
    /// What is added to the archive; empty where all of it is there already.
    pub archive: String,
    /// How many entries leave.
    pub moved: usize,
}

/// Names of entries that an archive holds already, by what they say.
#[derive(Clone, Debug, Default)]
pub struct Archived(HashSet<[u8; 32]>);

impl Archived {
    /// Looks through the text of an archive.
    pub fn add(&mut self, text: &str) {
        for (range, above) in read::cut(text) {
            let Ok(Some(document)) = read::document(text, range, above) else { continue };
            for section in SECTIONS {
                let entries = document.value.get(section).and_then(Value::as_array).into_iter().flatten();
                self.0.extend(entries.map(|entry| name(document.agent(), section, entry)));
            }
        }
    }
}

fn name(agent: &str, section: &str, entry: &Value) -> [u8; 32] {
    *blake3::hash(format!("{agent}\0{section}\0{entry}").as_bytes()).as_bytes()
}

/// The moment before which entries leave: two hours ago, or later where the file is far too large.
pub fn cutoff(text: &str, now: Timestamp) -> Timestamp {
    let usual = now.checked_sub(KEEP).unwrap_or(Timestamp::MIN);
    if text.len() <= HARD_BYTES {
        return usual;
    }
    let mut sizes = Vec::new();
    for (range, above) in read::cut(text) {
        let Ok(Some(document)) = read::document(text, range, above) else { continue };
        for entry in SECTIONS.iter().filter_map(|section| document.value.get(*section)?.as_array()).flatten()
        {
            sizes.extend(time(entry).map(|at| (at, entry.to_string().len())));
        }
    }
    sizes.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut sum = 0;
    let over = sizes.iter().find(|(_, size)| {
        sum += size;
        sum > HARD_BYTES / 2
    });
    over.map_or(usual, |(at, _)| usual.max(at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(*at)))
}

/// Whether a file may hold something older than `before`: a look at its lines, without reading it as YAML.
pub fn may_have_older(text: &str, before: Timestamp) -> bool {
    let times = text.lines().filter_map(|line| line.split_once("timestamp:")).map(|(_, rest)| rest);
    times
        .map(|rest| rest.split([',', '}', '#']).next().unwrap_or_default().trim().trim_matches(['"', '\'']))
        .any(|time| Moment::parse(time).is_none_or(|moment| moment.0 < before))
}

/// Moves what is older than `before` out of the file; `None` where nothing is.
///
/// An attempt that goes on stays, however old it is.
pub fn archive(
    text: &str,
    session: &str,
    before: Timestamp,
    archived: &Archived,
    now: Timestamp,
) -> Option<Archiving> {
    let (mut out, mut archive, mut moved) = (String::with_capacity(text.len()), String::new(), 0);
    for (range, _) in read::cut(text) {
        let part = &text[range];
        match one(part, session, before, archived, now) {
            Some(done) => {
                out.push_str(&done.text);
                moved += done.moved;
                if !done.archive.is_empty() {
                    archive.push_str(if archive.is_empty() { "" } else { "\n---\n" });
                    archive.push_str(&done.archive);
                }
            }
            None => out.push_str(part),
        }
    }
    (moved > 0).then_some(Archiving { text: out, archive, moved })
}

/// One agent's document.
fn one(
    part: &str,
    session: &str,
    before: Timestamp,
    archived: &Archived,
    now: Timestamp,
) -> Option<Archiving> {
    let mut edit = Edit::of(part)?;
    match edit.document().version() {
        Ok(Version::Current) => {}
        Ok(Version::Zero) => edit = edit.migrated(session),
        _ => return None,
    }
    let agent = edit.document().agent().to_owned();
    let created = edit.value().get("createdAt").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut gone: Vec<(&str, Value)> = Vec::new();
    let mut moved_text = String::new();
    for section in SECTIONS {
        let leaves =
            |entry: &Value| time(entry).is_some_and(|at| at < before) && entry["result"] != "in_progress";
        let entries =
            || |edit: &Edit| edit.value().get(section).and_then(Value::as_array).cloned().unwrap_or_default();
        let all = entries()(&edit);
        gone.extend(all.iter().filter(|entry| leaves(entry)).map(|entry| (section, entry.clone())));
        let is_there = |entry: &Value| archived.0.contains(&name(&agent, section, entry));
        let double: Vec<bool> = all.iter().map(|entry| leaves(entry) && is_there(entry)).collect();
        if double.contains(&true) {
            (edit, _) = edit.take(section, &double);
        }
        let goes: Vec<bool> = entries()(&edit).iter().map(leaves).collect();
        if goes.contains(&true) {
            let text;
            (edit, text) = edit.take(section, &goes);
            moved_text.push('\n');
            moved_text.push_str(&text);
        }
    }
    if gone.is_empty() {
        return None;
    }
    let moved = gone.len();
    let old_summaries;
    (edit, old_summaries) = remember(edit, &gone, now);
    let mut archive = String::new();
    if !moved_text.is_empty() || !old_summaries.is_empty() {
        let mut head = edit::head(session, &agent, &created, "agent-memory-archive");
        head.insert("archivedAt".to_owned(), Value::from(Moment(now).text()));
        archive = format!("{}{moved_text}{old_summaries}", edit::whole(&head, false));
    }
    Some(Archiving { text: edit.into_text().ok()?, archive, moved })
}

/// Adds a summary of what left; where there are many, the older half becomes one and goes to the archive as it was.
fn remember(mut edit: Edit, gone: &[(&str, Value)], now: Timestamp) -> (Edit, String) {
    let known: Vec<History> = edit
        .value()
        .get("history")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|history| serde_json::from_value(history.clone()).ok())
        .collect();
    let all = edit.value().get("history").and_then(Value::as_array).map_or(0, Vec::len);
    let number = known
        .iter()
        .filter_map(|history| history.id.strip_prefix("history-")?.parse::<u64>().ok())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    if all == known.len() && all >= SUMMARIES {
        let goes: Vec<bool> = (0..all).map(|n| n < all / 2).collect();
        let merged = merge(&known[..all / 2], number + 1, now);
        (edit, text) = edit.take("history", &goes);
        edit = edit.push("history", to_value(&merged));
        text.insert(0, '\n');
    }
    let number = number + u64::from(!text.is_empty()) + 1;
    (edit.push("history", to_value(&summary(gone, number, &known, now))), text)
}

fn to_value(history: &History) -> Value {
    serde_json::to_value(history).unwrap_or(Value::Null)
}

/// What is said of entries that left.
fn summary(gone: &[(&str, Value)], number: u64, known: &[History], now: Timestamp) -> History {
    let count = |section: &str| gone.iter().filter(|(of, _)| *of == section).count() as u64;
    let times: Vec<Timestamp> = gone.iter().filter_map(|(_, entry)| time(entry)).collect();
    let mut lines: Vec<(u8, String)> = gone.iter().map(|(section, entry)| line(section, entry)).collect();
    lines.sort_by_key(|(rank, _)| *rank);
    let highest = |kind: &str| {
        let numbers = gone.iter().filter_map(|(_, entry)| {
            entry["id"].as_str()?.strip_prefix(kind)?.strip_prefix('-')?.parse().ok()
        });
        numbers.max().unwrap_or(0)
    };
    let before = last_of(known);
    History {
        id: format!("history-{number:03}"),
        archived_at: Moment(now),
        from: Moment(times.iter().min().copied().unwrap_or(now)),
        to: Moment(times.iter().max().copied().unwrap_or(now)),
        discoveries: count("discoveries"),
        attempts: count("attempts"),
        decisions: count("decisions"),
        last: Last {
            discovery: highest("discovery").max(before.discovery),
            attempt: highest("attempt").max(before.attempt),
            decision: highest("decision").max(before.decision),
        },
        summary: joined(lines.into_iter().map(|(_, line)| line).collect()),
        extra: Map::new(),
    }
}

/// Several summaries as one.
fn merge(parts: &[History], number: u64, now: Timestamp) -> History {
    let sum = |of: fn(&History) -> u64| parts.iter().map(of).sum();
    let lines = parts.iter().flat_map(|part| part.summary.lines().filter(|line| line.starts_with("- ")));
    History {
        id: format!("history-{number:03}"),
        archived_at: Moment(now),
        from: parts.iter().map(|part| part.from).min().unwrap_or(Moment(now)),
        to: parts.iter().map(|part| part.to).max().unwrap_or(Moment(now)),
        discoveries: sum(|part| part.discoveries),
        attempts: sum(|part| part.attempts),
        decisions: sum(|part| part.decisions),
        last: last_of(parts),
        summary: joined(lines.map(str::to_owned).collect()),
        extra: Map::new(),
    }
}

fn last_of(parts: &[History]) -> Last {
    parts.iter().fold(Last::default(), |last, part| Last {
        discovery: last.discovery.max(part.last.discovery),
        attempt: last.attempt.max(part.last.attempt),
        decision: last.decision.max(part.last.decision),
    })
}

fn joined(mut lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(SUMMARY_LINES);
    lines.truncate(SUMMARY_LINES);
    if more > 0 {
        lines.push(format!("and {more} more, in the archive"));
    }
    crate::session::update::tidy(&lines.join("\n"))
}

/// One entry in a line, and how early it is named: what was chosen and what failed comes first.
fn line(section: &str, entry: &Value) -> (u8, String) {
    let text = |key: &str| first_line(entry[key].as_str().unwrap_or_default());
    let id = text("id");
    let (rank, line) = match section {
        "decisions" => (0, format!("- {id} [{}] {}", text("type"), text("description"))),
        "attempts" => {
            let why =
                [text("output"), text("error"), text("lessons")].into_iter().filter(|text| !text.is_empty());
            let why: Vec<String> = why.collect();
            let rank = if entry["result"] == "success" { 3 } else { 1 };
            (rank, format!("- {id} ({}) {}: {}", text("result"), text("description"), why.join("; ")))
        }
        _ => {
            let rank = if matches!(entry["importance"].as_str(), Some("high" | "critical")) { 2 } else { 4 };
            (rank, format!("- {id} [{}] {}", text("type"), text("content")))
        }
    };
    (rank, cap_at(&line.replace('\r', " "), 200))
}

fn time(entry: &Value) -> Option<Timestamp> {
    Moment::parse(entry["timestamp"].as_str()?).map(|moment| moment.0)
}
