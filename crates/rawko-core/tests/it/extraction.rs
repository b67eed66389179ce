//! Runs of invented projects with the facts that are worth remembering, each labelled before the rules first saw it.
//!
//! `tests/fixtures/extract` holds transcripts of several hosts and last messages in several voices. What the
//! rules make of them is counted as the evaluation counts it: a fact is found where one memory of its run
//! holds a word of each of its groups, and every memory stands for one fact.

use std::fs;
use std::path::PathBuf;

use rawko_core::{Run, Transcript, lessons};
use serde_json::Value;

/// What came of all runs.
#[derive(Debug, Default)]
struct Tally {
    facts: usize,
    found: usize,
    distinct: usize,
    memories: usize,
    right: usize,
    noisy: usize,
    loud: usize,
}

#[test]
fn runs_of_other_projects_teach_what_was_labelled() {
    let (runs, gold) = (lines("runs.jsonl"), lines("gold.jsonl"));
    assert_eq!(runs.len(), gold.len());
    let mut tally = Tally::default();
    for (record, gold) in runs.iter().zip(&gold) {
        assert_eq!(record["id"], gold["id"]);
        let run = read(record);
        let told = texts(&run);
        assert_eq!(told, texts(&run), "the same run teaches the same");
        count(&mut tally, &told, gold);
    }
    let share = |part: usize, whole: usize| part as f32 / whole.max(1) as f32;
    let (recall, precision) = (share(tally.distinct, tally.facts), share(tally.right, tally.memories));
    eprintln!("{tally:?} recall, distinct {recall:.3}, precision {precision:.3}");
    assert!(tally.facts >= 99, "{}", tally.facts);
    assert!(recall >= 0.88, "{recall}");
    assert!(precision >= 0.88, "{precision}");
    assert_eq!(tally.noisy, 0, "what does not last was kept");
    // One translation's choice of words reads like a decision.
    assert!(tally.loud <= 1, "runs that taught nothing left {} memories", tally.loud);
}

fn lines(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder().join(name)).expect("a fixture");
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/extract")
}

fn read(record: &Value) -> Run {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut run = match record["transcript"].as_str() {
        Some(name) => {
            let mut transcript = Transcript::new(None);
            transcript.push(&fs::read(folder().join(name)).expect("a transcript"));
            transcript.finish()
        }
        None => Run { output: text("agentOutput"), ..Run::default() },
    };
    (run.agent, run.task) = (text("agent"), text("task"));
    run
}

fn texts(run: &Run) -> Vec<String> {
    lessons(run).iter().map(|lesson| format!("{}\n{}", lesson.title, lesson.text)).collect()
}

fn count(tally: &mut Tally, told: &[String], gold: &Value) {
    let told: Vec<String> = told.iter().map(|text| text.to_lowercase()).collect();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let holds = |text: &str, word: &Value| text.contains(&word.as_str().unwrap_or_default().to_lowercase());
    let matches = |fact: &Value, text: &str| {
        list(&fact["must"]).iter().all(|group| list(group).iter().any(|word| holds(text, word)))
    };
    let edges: Vec<Vec<usize>> = list(&gold["facts"])
        .iter()
        .map(|fact| (0..told.len()).filter(|&n| matches(fact, &told[n])).collect())
        .collect();
    for (fact, _) in list(&gold["facts"]).iter().zip(&edges).filter(|(_, found)| found.is_empty()) {
        eprintln!("{} misses {} {}", gold["id"], fact["kind"], fact["must"]);
    }
    let mut owner: Vec<Option<usize>> = vec![None; told.len()];
    tally.distinct += (0..edges.len()).filter(|&n| place(n, &edges, &mut owner, &mut Vec::new())).count();
    tally.facts += edges.len();
    tally.found += edges.iter().filter(|found| !found.is_empty()).count();
    tally.memories += told.len();
    tally.right += (0..told.len()).filter(|n| edges.iter().any(|found| found.contains(n))).count();
    tally.loud += if gold["nothing"] == true { told.len() } else { 0 };
    for text in told.iter().filter(|text| list(&gold["mustNot"]).iter().any(|word| holds(text, word))) {
        eprintln!("{} keeps what does not last: {text}", gold["id"]);
        tally.noisy += 1;
    }
}

/// Gives a fact a memory of its own, moving others where they have a choice.
fn place(fact: usize, edges: &[Vec<usize>], owner: &mut [Option<usize>], seen: &mut Vec<usize>) -> bool {
    for &memory in &edges[fact] {
        if seen.contains(&memory) {
            continue;
        }
        seen.push(memory);
        if owner[memory].is_none_or(|other| place(other, edges, owner, seen)) {
            owner[memory] = Some(fact);
            return true;
        }
    }
    false
}
