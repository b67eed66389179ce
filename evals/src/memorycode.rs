//! MemoryCode: which session holds a convention as it is now, among those that hold it as it was.

use std::collections::BTreeMap;
use std::path::Path;

use crate::set::{Doc, Pool, Question, Result, Set, lines, packed, string, strings};

/// One pool per dialogue, its sessions in their order in time.
pub(crate) fn read(folder: &Path) -> Result<Set> {
    let mut set = Set::default();
    let mut pools: BTreeMap<String, usize> = BTreeMap::new();
    for row in lines(&packed(folder, "sessions.jsonl")?)? {
        let pool = *pools.entry(string(&row, "dialogue")).or_insert_with(|| {
            set.pools.push(Pool::default());
            set.pools.len() - 1
        });
        set.pools[pool].docs.push(set.docs.len());
        set.pools[pool].times.push(row["order"].as_i64().unwrap_or(0));
        set.docs.push(Doc { id: string(&row, "id"), body: string(&row, "text"), ..Doc::default() });
    }
    for row in lines(&packed(folder, "questions.jsonl")?)? {
        let dialogue = string(&row, "dialogue");
        set.questions.push(Question {
            id: string(&row, "id"),
            kind: string(&row, "type"),
            text: string(&row, "question"),
            pool: *pools.get(&dialogue).ok_or_else(|| format!("no sessions of dialogue {dialogue}"))?,
            gold: strings(&row, "gold_session_ids"),
            stale: strings(&row, "stale_session_ids"),
        });
    }
    Ok(set)
}
