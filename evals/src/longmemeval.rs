//! LongMemEval: which session of a long history answers a question.

use std::collections::HashMap;
use std::path::Path;

use crate::set::{Doc, Pool, Question, Result, Set, lines, list, packed, string, strings};

/// Full sessions. `hay50` asks over a question's own fifty, `pool` over all of them.
pub(crate) fn full(folder: &Path, setting: &str) -> Result<Set> {
    let mut set = Set::default();
    for session in lines(&packed(folder, "sessions.jsonl")?)? {
        let turns: Vec<String> = list(&session, "turns").map(|turn| string(turn, "content")).collect();
        set.docs.push(Doc { id: string(&session, "id"), body: turns.join("\n\n"), ..Doc::default() });
    }
    let whole = match setting {
        "pool" => true,
        "" | "hay50" => false,
        other => return Err(format!("`{other}` is no setting of longmemeval-full: hay50 or pool")),
    };
    if whole {
        set.pools.push(Pool { docs: (0..set.docs.len()).collect(), times: Vec::new() });
    }
    ask(&mut set, folder, !whole, false)?;
    Ok(set)
}

/// The first 500 characters of every session, over each question's own haystack in time order.
pub(crate) fn s500(folder: &Path) -> Result<Set> {
    let mut set = Set::default();
    for doc in lines(&packed(folder, "docs.jsonl")?)? {
        set.docs.push(Doc { id: string(&doc, "id"), body: string(&doc, "text"), ..Doc::default() });
    }
    ask(&mut set, folder, true, true)?;
    Ok(set)
}

fn ask(set: &mut Set, folder: &Path, own: bool, in_time_order: bool) -> Result<()> {
    let places: HashMap<String, usize> =
        set.docs.iter().enumerate().map(|(n, d)| (d.id.clone(), n)).collect();
    for row in lines(&packed(folder, "questions.jsonl")?)? {
        if own {
            let docs: Vec<usize> = strings(&row, "haystack_session_ids")
                .iter()
                .filter_map(|id| places.get(id).copied())
                .collect();
            let times = if in_time_order { (0..docs.len() as i64).collect() } else { Vec::new() };
            set.pools.push(Pool { docs, times });
        }
        let abstention = row["abstention"].as_bool().unwrap_or(false);
        set.questions.push(Question {
            id: string(&row, "id"),
            kind: if abstention { "abstention".to_owned() } else { string(&row, "type") },
            text: string(&row, "question"),
            pool: set.pools.len() - 1,
            gold: strings(&row, "gold_session_ids"),
            stale: Vec::new(),
        });
    }
    Ok(())
}
