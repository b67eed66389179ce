//! LoCoMo: which turn, or which session, of a conversation holds the evidence.

use std::path::Path;

use serde_json::Value;

use crate::set::{Doc, Pool, Question, Result, Set, file, json, list, string};

/// Reads every conversation of the folder's JSON file; one pool each.
pub(crate) fn read(folder: &Path, setting: &str) -> Result<Set> {
    let by_turn = match setting {
        "" | "turn" => true,
        "session" => false,
        other => return Err(format!("`{other}` is no setting of locomo: turn or session")),
    };
    let path = if folder.is_file() { folder.to_owned() } else { file(folder, ".json")? };
    let mut set = Set::default();
    for (c, sample) in json(&path)?.as_array().into_iter().flatten().enumerate() {
        let sessions = sessions(&sample["conversation"]);
        let mut pool = Pool::default();
        let mut add = |id: String, body: String, time: i64| {
            pool.docs.push(set.docs.len());
            pool.times.push(time);
            set.docs.push(Doc { id, body, ..Doc::default() });
        };
        for (n, turns) in &sessions {
            if by_turn {
                for (t, (id, text)) in turns.iter().enumerate() {
                    add(format!("c{c}:{id}"), text.clone(), n * 10_000 + t as i64);
                }
            } else {
                let texts: Vec<&str> = turns.iter().map(|(_, text)| text.as_str()).collect();
                add(format!("c{c}:D{n}"), texts.join("\n\n"), *n);
            }
        }
        set.pools.push(pool);
        for (q, row) in list(sample, "qa").enumerate() {
            let gold = gold(row, &sessions, by_turn, c);
            if !gold.is_empty() {
                set.questions.push(question(format!("c{c}:q{q}"), row, c, gold));
            }
        }
    }
    Ok(set)
}

fn question(id: String, row: &Value, pool: usize, gold: Vec<String>) -> Question {
    let kind = match row["category"].as_i64() {
        Some(1) => "multi-hop",
        Some(2) => "temporal",
        Some(3) => "open-domain",
        Some(4) => "single-hop",
        Some(5) => "adversarial",
        _ => "other",
    };
    Question { id, kind: kind.to_owned(), text: string(row, "question"), pool, gold, stale: Vec::new() }
}

/// A session's number and its turns, each with its id.
type Session = (i64, Vec<(String, String)>);

/// Sessions in order.
fn sessions(conversation: &Value) -> Vec<Session> {
    let mut found: Vec<Session> = Vec::new();
    for (key, turns) in conversation.as_object().into_iter().flatten() {
        let number = key.strip_prefix("session_").and_then(|n| n.parse::<i64>().ok());
        if let (Some(number), Some(turns)) = (number, turns.as_array()) {
            found.push((number, turns.iter().map(turn).collect()));
        }
    }
    found.sort_by_key(|(number, _)| *number);
    found
}

/// A turn as a person would note it: who said what, and what a shared picture shows.
fn turn(row: &Value) -> (String, String) {
    let mut text = format!("{}: {}", string(row, "speaker"), string(row, "text"));
    let caption = string(row, "blip_caption");
    if !caption.is_empty() {
        text.push_str(&format!(" [shares {caption}]"));
    }
    (string(row, "dia_id"), text)
}

/// Evidence ids that exist; some rows hold two in one string, or leading zeros.
fn gold(row: &Value, sessions: &[Session], by_turn: bool, c: usize) -> Vec<String> {
    let mut gold: Vec<String> = Vec::new();
    for evidence in list(row, "evidence").filter_map(Value::as_str) {
        for (session, turn) in ids(evidence) {
            let id = format!("D{session}:{turn}");
            let known =
                sessions.iter().any(|(n, turns)| *n == session && turns.iter().any(|(t, _)| *t == id));
            let name = if by_turn { format!("c{c}:{id}") } else { format!("c{c}:D{session}") };
            if known && !gold.contains(&name) {
                gold.push(name);
            }
        }
    }
    gold
}

/// Every `D3:7` or `D:3:7` in a text.
fn ids(text: &str) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    for piece in text.split('D').skip(1) {
        let numbers = piece.strip_prefix(':').unwrap_or(piece);
        let mut halves = numbers.splitn(2, ':');
        let digits = |s: Option<&str>| -> Option<i64> {
            let s = s?;
            s[..s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len())].parse().ok()
        };
        if let (Some(session), Some(turn)) = (digits(halves.next()), digits(halves.next())) {
            found.push((session, turn));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::ids;

    #[test]
    fn evidence_with_two_ids_or_leading_zeros_is_read() {
        assert_eq!(ids("D1:3; D:10:07"), [(1, 3), (10, 7)]);
        assert_eq!(ids("D"), []);
    }
}
