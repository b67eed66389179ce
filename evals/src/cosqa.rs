//! CoSQA: which Python function a web query looks for.

use std::path::Path;

use crate::set::{Doc, Pool, Question, Result, Set, file, json, list, string};

/// All functions are one pool; every query has one right answer.
pub(crate) fn read(folder: &Path) -> Result<Set> {
    let mut set = Set::default();
    let codes = json(&file(folder, "code_idx_map.txt")?)?;
    let mut docs: Vec<(u64, String)> = codes
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(code, index)| Some((index.as_u64()?, code.clone())))
        .collect();
    docs.sort();
    set.docs = docs.into_iter().map(|(n, body)| Doc { id: n.to_string(), body, ..Doc::default() }).collect();
    set.pools.push(Pool { docs: (0..set.docs.len()).collect(), times: Vec::new() });
    let rows = serde_json::json!({ "rows": json(&file(folder, ".json")?)? });
    for row in list(&rows, "rows") {
        set.questions.push(Question {
            id: string(row, "idx"),
            kind: "web query".to_owned(),
            text: string(row, "doc"),
            pool: 0,
            gold: vec![string(row, "retrieval_idx")],
            stale: Vec::new(),
        });
    }
    Ok(set)
}
