//! Fits the model of which tasks ask for what was found out earlier.
//!
//! `rawko-eval errand evals/fixtures/errand <injection set>… --out crates/rawko-core/model`: every file of the folder is one author's
//! prompts, a line each with what it needs (0: complete in itself, 1: in between, which teaches nothing, 2: experience); of an
//! injection set, each project's tasks are taken with whether any memory is relevant. First each file and each
//! set is judged by weights fitted to all others, which is what to expect of somebody new; then the weights fitted to all are written.

use std::path::{Path, PathBuf};

use rawko_core::SentenceEncoder;

use crate::fit::{Example, Model, Task};
use crate::inject::projects;
use crate::set::{Result, lines, string};

const TASK: Task = Task {
    name: "errand",
    heard: None,
    answers: &["errand", "asks"],
    freedom: 1.0,
    used: (usize::MAX, None),
    measures: None,
    pairs: &[],
    rare: None,
    label: |_| None,
};

pub(crate) fn run(folder: &Path, more: &[PathBuf], out: Option<&Path>) -> Result<()> {
    let listing = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_prompts = |path: &PathBuf| path.extension().is_some_and(|e| e == "jsonl");
    let mut files: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).filter(is_prompts).collect();
    files.sort();
    let mut sets = Vec::new();
    for file in &files {
        let of = |need: i64| (need != 1).then_some(usize::from(need > 1));
        let told = |line: &serde_json::Value| Some((string(line, "prompt"), of(line["need"].as_i64()?)?));
        sets.push((named(file), lines(file)?.iter().filter_map(told).collect::<Vec<_>>()));
    }
    for folder in more {
        let mut tasks = Vec::new();
        for (_, project) in projects(folder)? {
            for line in lines(&project.join("tasks.jsonl"))? {
                let wanted = line["relevant"].as_object().is_some_and(|relevant| !relevant.is_empty());
                tasks.push((string(&line, "task"), usize::from(wanted)));
            }
        }
        sets.push((named(folder), tasks));
    }
    let examples: Vec<Vec<Example>> =
        sets.iter().enumerate().map(|(set, (_, tasks))| evenly(set, tasks)).collect();
    println!(
        "each by weights fitted to the others: errands told, what asks told, pairs of the two in the right order"
    );
    for (set, (name, _)) in sets.iter().enumerate() {
        let others = examples.iter().enumerate().filter(|(n, _)| *n != set).flat_map(|(_, all)| all);
        println!("{name:20} {}", judged(&Model::fit(&TASK, &others.collect::<Vec<_>>()), &examples[set]));
    }
    if let Some(out) = out {
        let path = out.join(format!("{}.txt", TASK.name));
        let model = Model::fit(&TASK, &examples.iter().flatten().collect::<Vec<_>>());
        let names: Vec<String> = (0..SentenceEncoder::DIMS).map(|at| format!("vector task {at}")).collect();
        let text = model.to_text(&TASK, &names, "errand");
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn named(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A set's tasks, those of the rarer answer as often as makes the two about as many: how many errands a set has is its
/// author's choice.
fn evenly(set: usize, tasks: &[(String, usize)]) -> Vec<Example> {
    let count = |label: usize| tasks.iter().filter(|(_, of)| *of == label).count().max(1);
    let most = count(0).max(count(1));
    let encoder = SentenceEncoder::built_in();
    let mut examples = Vec::new();
    for (task, label) in tasks {
        let Some(vector) = encoder.encode_task(task) else { continue };
        for _ in 0..(most + count(*label) / 2) / count(*label) {
            let values = vector.iter().map(|number| f64::from(*number)).collect();
            examples.push(Example {
                set,
                values,
                words: Vec::new(),
                label: *label,
                also: Vec::new(),
                reachable: true,
            });
        }
    }
    examples
}

fn judged(model: &Model, examples: &[Example]) -> String {
    let (mut errands, mut asks) = (Vec::new(), Vec::new());
    for example in examples {
        let scores = model.scores(&model.inputs(example));
        if example.label == 0 { &mut errands } else { &mut asks }.push(scores[1] - scores[0]);
    }
    let share = |all: &[f64], is: fn(f64) -> bool| {
        all.iter().filter(|score| is(**score)).count() as f64 / all.len().max(1) as f64
    };
    let right = asks.iter().map(|ask| errands.iter().filter(|errand| *errand < ask).count()).sum::<usize>();
    format!(
        "{:.2}  {:.2}  {:.2}",
        share(&errands, |score| score < 0.0),
        share(&asks, |score| score > 0.0),
        right as f64 / (asks.len() * errands.len()).max(1) as f64
    )
}
