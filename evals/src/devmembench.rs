//! DevMemBench: which session with a coding assistant answers a question.

use std::path::Path;

use crate::set::{Doc, Pool, Question, Result, Set, file, json, lines, list, packed, string, strings};

/// All sessions are one pool, in the order of their dates.
pub(crate) fn read(folder: &Path) -> Result<Set> {
    let mut set = Set::default();
    let rows = serde_json::json!({ "rows": json(&file(folder, "sessions.json")?)? });
    let mut dated: Vec<(String, usize)> = Vec::new();
    for session in list(&rows, "rows") {
        let messages: Vec<String> = list(session, "messages").map(|m| string(m, "content")).collect();
        dated.push((string(&session["metadata"], "date"), set.docs.len()));
        set.docs.push(Doc {
            id: string(session, "sessionId"),
            title: string(&session["metadata"], "project"),
            body: messages.join("\n\n"),
            ..Doc::default()
        });
    }
    let mut times = vec![0; set.docs.len()];
    dated.sort();
    for (time, (_, doc)) in (0..).zip(&dated) {
        times[*doc] = time;
    }
    set.pools.push(Pool { docs: (0..set.docs.len()).collect(), times });
    for row in lines(&packed(folder, "questions.jsonl")?)? {
        let gold = strings(&row, "gold_session_ids");
        if !gold.is_empty() {
            set.questions.push(Question {
                id: string(&row, "id"),
                kind: string(&row, "type"),
                text: string(&row, "question"),
                pool: 0,
                gold,
                stale: Vec::new(),
            });
        }
    }
    Ok(set)
}
