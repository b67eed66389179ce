//! Fits the model of what a person denies to invented sessions.
//!
//! `rawko-eval denied evals/fixtures/corrected --out crates/rawko-core/model`: every file is one author's sessions. Each message
//! of a person is held against all that was told before it: the labelled claims of the agent, and what is known. First each
//! author's are judged by weights fitted to the others', which is what to expect of somebody new; then the weights fitted to
//! all are written.

use std::path::Path;

use rawko_core::{CLAIMED, Run, STORED, Speaker, Step, Told, replies};
use serde_json::{Value, json};

use crate::corrected::{authors, corrected, text, texts, turns};
use crate::fit::{Example, Model, Task};
use crate::set::Result;

const TASK: Task = Task {
    name: "denied",
    heard: None,
    answers: &["stands", "denied"],
    freedom: 3.0,
    used: (4, Some(3)),
    measures: None,
    pairs: &[],
    rare: None,
    label: |_| None,
};

/// A message and something that was told before it.
struct Pair {
    is_stored: bool,
    names: Vec<String>,
    example: Example,
    shown: Value,
}

pub(crate) fn run(folder: &Path, out: Option<&Path>, parts: Option<&Path>) -> Result<()> {
    let authors = authors(folder)?;
    let mut pairs = Vec::new();
    for (set, (_, cases)) in authors.iter().enumerate() {
        pairs.extend(cases.iter().flat_map(|case| pairs_of(case, set)));
    }
    if let Some(parts) = parts {
        let rows: String = pairs.iter().map(|pair| format!("{}\n", pair.shown)).collect();
        std::fs::write(parts, rows).map_err(|error| format!("{}: {error}", parts.display()))?;
    }
    println!("author      claims denied    others    memories denied    others");
    for (set, (name, _)) in authors.iter().enumerate() {
        let others = pairs.iter().filter(|pair| pair.example.set != set).map(|pair| &pair.example);
        let model = Model::fit(&TASK, &others.collect::<Vec<_>>());
        let own: Vec<&Pair> = pairs.iter().filter(|pair| pair.example.set == set).collect();
        println!("{name:10}  {}", judged(&model, &own));
    }
    if let Some(out) = out {
        let all: Vec<&Example> = pairs.iter().map(|pair| &pair.example).collect();
        let names = pairs.first().map(|pair| pair.names.clone()).unwrap_or_default();
        let path = out.join(format!("{}.txt", TASK.name));
        let text = Model::fit(&TASK, &all).to_text(&TASK, &names, "denied");
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// How many that are denied are told so, and how many others are.
fn judged(model: &Model, pairs: &[&Pair]) -> String {
    let told = |pair: &&&Pair| {
        let scores = model.scores(&model.inputs(&pair.example));
        scores[1] - scores[0] > f64::from(if pair.is_stored { STORED } else { CLAIMED })
    };
    let count = |stored: bool, label: usize| {
        let of = pairs.iter().filter(|pair| pair.is_stored == stored && pair.example.label == label);
        let of: Vec<&&Pair> = of.collect();
        format!("{}/{}", of.iter().copied().filter(told).count(), of.len())
    };
    format!("{:>8} {:>12} {:>12} {:>16}", count(false, 1), count(false, 0), count(true, 1), count(true, 0))
}

/// Every message of a session with all that was told before it.
fn pairs_of(case: &Value, set: usize) -> Vec<Pair> {
    let turns = turns(case);
    let mut run = Run::default();
    for (user, agent) in &turns {
        run.steps.push(Step::Said { by: Speaker::Person, text: user.clone() });
        run.steps.push(Step::Said { by: Speaker::Agent, text: agent.clone() });
    }
    let said = case["said"].as_str();
    let corrected = corrected(case);
    let (withdrawn, stands) = (texts(&case["withdrawn"]), texts(&case["stands"]));
    let known: Vec<(String, String)> = case["known"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|known| (text(&known["title"]), text(&known["text"])))
        .collect();
    let mut found = Vec::new();
    for (n, reply) in replies(&run).iter().rev().enumerate() {
        let mut told: Vec<(Told<'_>, Option<bool>)> = Vec::new();
        for claim in reply.claims().iter().copied() {
            let is = |all: &[String]| all.iter().any(|one| reply.says(one, claim) || reply.says(claim, one));
            let from = turns.iter().position(|(_, agent)| agent.contains(claim)).unwrap_or(0);
            let is_now = said.map_or(n == from + 1, |said| reply.message().contains(said));
            // What nobody labelled is only there to be told from.
            let label = match (is(&withdrawn), is(&stands)) {
                (true, _) => Some(is_now),
                (_, true) => Some(false),
                _ => None,
            };
            told.push((Told { title: "", text: claim, is_stored: false }, label));
        }
        for (k, (title, text)) in known.iter().enumerate() {
            let is_now = said.map_or(n + 1 == turns.len(), |said| reply.message().contains(said));
            let label = Some(corrected.contains(&k) && is_now);
            told.push((Told { title, text, is_stored: true }, label));
        }
        let (told, labels): (Vec<Told<'_>>, Vec<Option<bool>>) = told.into_iter().unzip();
        for (n, measured) in reply.measures(&told).into_iter().enumerate() {
            let Some(((_, measures), label)) = measured.zip(labels[n]) else { continue };
            let names = measures.values.iter().map(|(name, _)| format!("measure {name}")).collect();
            let shown = json!({
                "id": case["id"], "message": reply.message(), "told": told[n].text, "stored": told[n].is_stored,
                "label": label, "values": measures.values, "words": measures.words,
            });
            let example = Example {
                set,
                values: measures.values.iter().map(|(_, value)| f64::from(*value)).collect(),
                words: measures.words,
                label: usize::from(label),
                also: Vec::new(),
                reachable: true,
            };
            found.push(Pair { is_stored: told[n].is_stored, names, example, shown });
        }
    }
    found
}
