//! Fits the two linear models of admission to labelled proposals.
//!
//! `rawko-eval fit crates/rawko/tests/fixtures/admission <set>…`: every folder in the first is a lot
//! of projects, and further sets may follow. First each set is judged by weights fitted to all others, which
//! is what to expect of a new one; then the weights fitted to all are
//! printed as they stand in `compare/model.rs` and `admission/manner_model.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::admission;
use crate::set::Result;

const STEPS: usize = 8_000;

/// One labelled proposal.
struct Example {
    set: usize,
    values: Vec<f64>,
    label: usize,
    /// Other answers that are right as well.
    also: Vec<usize>,
    /// Whether the answer can be given at all: the nearest memory is the one that is meant.
    reachable: bool,
}

/// A model to fit: its answers, and what a line of measures teaches it.
struct Task {
    name: &'static str,
    answers: &'static [&'static str],
    /// How far the weights may grow.
    freedom: f64,
    measures: &'static str,
    label: fn(&str) -> Option<usize>,
}

const TASKS: [Task; 2] = [
    Task {
        name: "relation (compare/model.rs)",
        answers: &["accept", "refuse", "update", "contradiction"],
        freedom: 1.0,
        measures: "measures",
        label: |reason| match reason {
            "update" => Some(2),
            "contradiction" => Some(3),
            _ if reason.starts_with("keep") => Some(0),
            _ if reason.starts_with("dup") => Some(1),
            _ => None,
        },
    },
    Task {
        name: "manner (admission/manner_model.rs)",
        answers: &["knowledge", "status", "generic", "guess", "trivia"],
        freedom: 3.0,
        measures: "manner",
        label: |reason| match reason {
            "update" | "contradiction" => Some(0),
            "status" | "too-short" => Some(1),
            "generic" => Some(2),
            "hypothetical" | "dead-end" => Some(3),
            "trivia" => Some(4),
            _ if reason.starts_with("keep") => Some(0),
            _ => None,
        },
    },
];

pub(crate) fn run(folder: &Path, more: &[PathBuf]) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut sets: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    sets.sort();
    sets.extend(more.iter().cloned());
    let lines: Vec<Vec<Value>> = sets.iter().map(|set| admission::measured(set)).collect::<Result<_>>()?;
    for task in &TASKS {
        println!("\n{}", task.name);
        let (names, examples) = examples(task, &lines);
        for (n, set) in sets.iter().enumerate() {
            let (test, rest): (Vec<&Example>, Vec<&Example>) = examples.iter().partition(|e| e.set == n);
            let told = tally(task, &fit(task, &rest), &test);
            println!("  {:20} {told}", set.file_name().unwrap_or_default().to_string_lossy());
        }
        let weights = fit(task, &examples.iter().collect::<Vec<_>>());
        print(task, &names, &weights);
    }
    Ok(())
}

fn examples(task: &Task, lines: &[Vec<Value>]) -> (Vec<String>, Vec<Example>) {
    let mut names = Vec::new();
    let mut examples = Vec::new();
    for (set, line) in lines.iter().enumerate().flat_map(|(n, set)| set.iter().map(move |line| (n, line))) {
        let Some(label) = line["reason"].as_str().and_then(task.label) else { continue };
        let Some(measures) = line[task.measures].as_array().filter(|all| !all.is_empty()) else { continue };
        names = measures.iter().map(|pair| pair[0].as_str().unwrap_or_default().to_owned()).collect();
        let also = line["alsoOk"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let also = also.filter_map(|word| task.answers.iter().position(|answer| *answer == word)).collect();
        let meant = task.measures != "measures" || label == 0 || line["nearest"] == line["target"];
        let values = measures.iter().map(|pair| pair[1].as_f64().unwrap_or(0.0)).collect();
        examples.push(Example { set, values, label, also, reachable: meant });
    }
    (names, examples)
}

/// For every answer, its weight where nothing is measured and one for every measure.
type Weights = Vec<Vec<f64>>;

/// Multinomial logistic regression, by gradient descent with momentum.
fn fit(task: &Task, examples: &[&Example]) -> Weights {
    let used: Vec<&&Example> = examples.iter().filter(|example| example.reachable).collect();
    let width = used.first().map_or(0, |example| example.values.len()) + 1;
    let mut weights = vec![vec![0.0; width]; task.answers.len()];
    let mut speed = weights.clone();
    let rate = 1.0 / (task.freedom * used.len() as f64);
    for _ in 0..STEPS {
        let mut slope: Weights = weights
            .iter()
            .map(|row| row.iter().enumerate().map(|(n, w)| if n == 0 { 0.0 } else { *w }).collect())
            .collect();
        for example in &used {
            for (answer, chance) in chances(&weights, &example.values).into_iter().enumerate() {
                let off = task.freedom * (chance - f64::from(u8::from(answer == example.label)));
                slope[answer][0] += off;
                for (value, slope) in example.values.iter().zip(&mut slope[answer][1..]) {
                    *slope += off * value;
                }
            }
        }
        for ((row, speed), slope) in weights.iter_mut().zip(&mut speed).zip(&slope) {
            for ((weight, speed), slope) in row.iter_mut().zip(speed).zip(slope) {
                *speed = 0.9 * *speed - rate * slope;
                *weight += *speed;
            }
        }
    }
    weights
}

fn scores(weights: &Weights, values: &[f64]) -> Vec<f64> {
    let score = |row: &Vec<f64>| row[0] + row[1..].iter().zip(values).map(|(w, v)| w * v).sum::<f64>();
    weights.iter().map(score).collect()
}

fn chances(weights: &Weights, values: &[f64]) -> Vec<f64> {
    let scores = scores(weights, values);
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let all: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / all).collect()
}

/// How many of each answer are told right.
fn tally(task: &Task, weights: &Weights, examples: &[&Example]) -> String {
    let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for example in examples {
        let scores = scores(weights, &example.values);
        let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let right = (best == example.label && example.reachable) || example.also.contains(&best);
        let count = found.entry(example.label).or_default();
        *count = (count.0 + usize::from(right), count.1 + 1);
    }
    let told = found.iter().map(|(label, (right, all))| format!("{} {right}/{all}", task.answers[*label]));
    told.collect::<Vec<_>>().join(", ")
}

/// The weights as code: the first answer's are taken off all others'.
fn print(task: &Task, names: &[String], weights: &Weights) {
    let row = |n: usize| {
        let cells = (1..task.answers.len()).map(|a| format!("{:>5.2}", weights[a][n] - weights[0][n]));
        format!("[{}]", cells.collect::<Vec<_>>().join(", "))
    };
    println!("\nconst BIAS = {};", row(0));
    for (n, name) in names.iter().enumerate() {
        println!("    ({:<13} {}),", format!("\"{name}\","), row(n + 1));
    }
}
