//! Fits the model of what people say that lasts to invented sessions.
//!
//! `rawko-eval said crates/rawko-core/tests/fixtures/said --out crates/rawko-core/model`: every file is one author's sessions, each a
//! line with its messages and the person's sentences that last. First each author's are judged by weights fitted to the others',
//! which is what to expect of somebody new; then the weights fitted to all are written. There are two kinds: of words alone, and
//! with what the sentence encoder makes of a sentence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rawko_core::{LENIENCE, SentenceEncoder, said_examples};
use serde_json::Value;

use crate::fit::{Example, Model, Task};
use crate::set::Result;

const TASK: Task = Task {
    name: "said",
    heard: None,
    answers: &["passes", "lasts"],
    freedom: 3.0,
    used: (3, Some(2)),
    measures: None,
    pairs: &[],
    rare: None,
    label: |_| None,
};

const ENCODED: Task = Task { name: "said-encoded", ..TASK };

/// A session: its author, and its sentences.
struct Session {
    set: usize,
    sentences: Vec<Example>,
}

pub(crate) fn run(folder: &Path, out: Option<&Path>) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let encoder = SentenceEncoder::built_in();
    let (mut by_words, mut encoded) = (Vec::new(), Vec::new());
    for (set, file) in files.iter().enumerate() {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for line in text.lines() {
            let case = serde_json::from_str(line).map_err(|error| format!("{}: {error}", file.display()))?;
            by_words.push(session(&case, set, |_| Some(Vec::new())));
            encoded.push(session(&case, set, |sentence| {
                Some(encoder.encode(sentence)?.into_iter().map(f64::from).collect())
            }));
        }
    }
    let numbers: Vec<String> = (0..SentenceEncoder::DIMS).map(|at| format!("vector sentence {at}")).collect();
    for (task, sessions, measures) in [(TASK, &by_words, &[][..]), (ENCODED, &encoded, &numbers)] {
        println!("{}: heard    sessions without that stay quiet    proposals that are right", task.name);
        for (set, file) in files.iter().enumerate() {
            let others = sessions.iter().filter(|session| session.set != set).flat_map(|one| &one.sentences);
            let model = Model::fit(&task, &others.collect::<Vec<_>>());
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            println!("{name:8}  {}", judged(&model, sessions.iter().filter(|session| session.set == set)));
        }
        if let Some(out) = out {
            let all: Vec<&Example> = sessions.iter().flat_map(|session| &session.sentences).collect();
            let path = out.join(format!("{}.txt", task.name));
            let text = Model::fit(&task, &all).to_text(&task, measures, "said");
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// A session's sentences with what each is judged by; one that cannot be measured teaches nothing.
fn session(case: &Value, set: usize, measured: impl Fn(&str) -> Option<Vec<f64>>) -> Session {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let lasting = texts(&case["lasting"]);
    let messages = case["messages"].as_array().into_iter().flatten();
    let messages: Vec<&str> =
        messages.filter(|message| message[0] == "person").filter_map(|message| message[1].as_str()).collect();
    let example = |(sentence, words): (String, Vec<String>)| {
        let label = usize::from(lasting.iter().any(|lasting| says(&sentence, lasting)));
        Some(Example { set, values: measured(&sentence)?, words, label, also: Vec::new(), reachable: true })
    };
    Session { set, sentences: said_examples(&messages).into_iter().filter_map(example).collect() }
}

/// Whether most words of the shorter text stand in the longer.
pub(crate) fn says(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (mut short, mut long) = (words(one), words(other));
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    let told = short.iter().filter(|word| long.contains(word)).count();
    short.len() >= 3 && told * 10 >= short.len() * 6
}

fn judged<'s>(model: &Model, sessions: impl Iterator<Item = &'s Session>) -> String {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut note = |name: &'static str, is: bool| *count.entry(name).or_default() += usize::from(is);
    for session in sessions {
        let heard = |example: &Example| {
            let scores = model.scores(&model.inputs(example));
            scores[1] - scores[0] > -f64::from(LENIENCE)
        };
        let mut is_quiet = true;
        for example in &session.sentences {
            let (lasts, heard) = (example.label == 1, heard(example));
            is_quiet &= !heard;
            note("lasting", lasts);
            note("heard", lasts && heard);
            note("proposed", heard);
        }
        let is_empty = session.sentences.iter().all(|example| example.label == 0);
        note("without", is_empty);
        note("quiet", is_empty && is_quiet);
    }
    let of = |name: &str| count.get(name).copied().unwrap_or(0);
    format!(
        "{}/{}    {}/{}    {}/{}",
        of("heard"),
        of("lasting"),
        of("quiet"),
        of("without"),
        of("heard"),
        of("proposed")
    )
}
