//! Fits the three linear models of admission to labelled proposals, each without and with what the sentence encoder hears.
//!
//! `rawko-eval fit crates/rawko/tests/fixtures/admission <set>… --out crates/rawko-core/model`: every folder in the first is a lot
//! of projects, and further sets may follow. The weights fitted to all are written; then each set is judged by weights fitted
//! to all others, which is what to expect of a new one. What `--parts` wrote can be given in place of the folder: to measure
//! takes longer than to fit.
//! The words of a model are those that half of the authors use, or a few where an answer is rare, so that none is a matter of
//! one project.
//! The measures do not depend on any weights, so one run gives them, always the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rawko_core::{PAIR, WORD};
use serde_json::{Value, json};

use crate::admission;
use crate::set::Result;

/// Steps of a fit, how many of them are remembered, and when the loss has stopped falling.
const STEPS: usize = 2_000;
const REMEMBERED: usize = 10;
const STILL: f64 = 1e-12;
/// When it has for weights that are judged and thrown away: the answers are the same.
const ROUGHLY: f64 = 1e-8;
/// A word that fewer proposals have teaches nothing.
const USED: usize = 40;
/// So many authors must use a word of the proposals that alone say which words count.
const SHARED: usize = 3;
/// What marks a word of the run beside a proposal.
const RUN: &str = "run:";

/// Something labelled.
pub(crate) struct Example {
    pub(crate) set: usize,
    pub(crate) values: Vec<f64>,
    pub(crate) words: Vec<String>,
    pub(crate) label: usize,
    /// Other answers that are right as well.
    pub(crate) also: Vec<usize>,
    /// Whether the answer can be given at all: the nearest memory is the one that is meant.
    pub(crate) reachable: bool,
}

/// A model to fit: its answers, and what a line of measures teaches it.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    /// The model's file, without its ending.
    pub(crate) name: &'static str,
    /// Where a line has what the encoder heard, for a model that weighs it.
    pub(crate) heard: Option<&'static str>,
    pub(crate) answers: &'static [&'static str],
    /// How far the weights may grow.
    pub(crate) freedom: f64,
    /// So many examples must have a word that counts, by so many authors; `None` is half of them.
    pub(crate) used: (usize, Option<usize>),
    /// Where a line has its measures; `None` where words are all that it asks for, those of the run among them.
    pub(crate) measures: Option<&'static str>,
    /// Measures that change what each other one means: their products are measured too.
    pub(crate) pairs: &'static [&'static str],
    /// The answer whose proposals alone say which words count, where it is rare.
    pub(crate) rare: Option<usize>,
    pub(crate) label: fn(&str) -> Option<usize>,
}

const TASKS: [Task; 3] = [
    Task {
        name: "relation",
        heard: Some("near"),
        answers: &["accept", "refuse", "update", "contradiction"],
        freedom: 1.0,
        used: (USED, None),
        measures: Some("measures"),
        pairs: &["covered", "meaning", "longer", "meant", "no", "turns"],
        rare: None,
        label: |reason| match reason {
            "update" => Some(2),
            "contradiction" => Some(3),
            _ if reason.starts_with("keep") => Some(0),
            _ if reason.starts_with("dup") => Some(1),
            _ => None,
        },
    },
    Task {
        name: "manner",
        heard: Some("heard"),
        answers: &["knowledge", "status", "generic", "guess", "trivia"],
        freedom: 6.0,
        used: (USED, None),
        measures: Some("manner"),
        pairs: &[],
        rare: None,
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
    Task {
        name: "orders",
        heard: Some("heard"),
        answers: &["own", "orders"],
        freedom: 3.0,
        used: (SHARED, Some(SHARED)),
        measures: None,
        pairs: &[],
        rare: Some(1),
        label: |reason| Some(usize::from(reason == "poison")),
    },
];

impl Task {
    /// The file of its model.
    fn file(&self) -> String {
        format!("{}{}.txt", self.name, if self.heard.is_some() { "-encoded" } else { "" })
    }
}

pub(crate) fn run(folder: &Path, more: &[PathBuf], out: Option<&Path>, parts: Option<&Path>) -> Result<()> {
    let (names, lines) = if folder.is_file() { read(folder)? } else { measure(folder, more)? };
    if let Some(parts) = parts {
        admission::write(parts, lines.iter().flatten())?;
    }
    // Each without and with what the encoder heard: it cannot read everything.
    let both = |task: Task| [Task { heard: None, ..task }, task];
    let tasks: Vec<Task> = TASKS.into_iter().flat_map(both).collect();
    for task in &tasks {
        let (measures, examples) = examples(task, &lines);
        if let Some(out) = out {
            let model = Model::fit(task, &examples.iter().collect::<Vec<_>>());
            let path = out.join(task.file());
            let text = model.to_text(task, &measures, "fit");
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    for task in &tasks {
        left_out(task, &names, &examples(task, &lines).1);
    }
    Ok(())
}

/// What was measured before, and written with `--parts`.
fn read(parts: &Path) -> Result<(Vec<String>, Vec<Vec<Value>>)> {
    let text = std::fs::read_to_string(parts).map_err(|error| format!("{}: {error}", parts.display()))?;
    let mut sets: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        sets.entry(line["set"].as_str().unwrap_or_default().to_owned()).or_default().push(line);
    }
    Ok(sets.into_iter().unzip())
}

/// The sets' names, and what every proposal of each is judged by.
fn measure(folder: &Path, more: &[PathBuf]) -> Result<(Vec<String>, Vec<Vec<Value>>)> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut sets: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    sets.sort();
    sets.extend(more.iter().cloned());
    let names: Vec<String> =
        sets.iter().map(|set| set.file_name().unwrap_or_default().to_string_lossy().into()).collect();
    // All side by side: the encoder takes minutes.
    let mut lines: Vec<Vec<Value>> = std::thread::scope(|scope| {
        let runs: Vec<_> = sets.iter().map(|set| scope.spawn(|| admission::measured(set))).collect();
        runs.into_iter().map(|run| run.join().expect("measuring ends")).collect::<Result<_>>()
    })?;
    for (set, lines) in names.iter().zip(&mut lines) {
        lines.iter_mut().for_each(|line| line["set"] = json!(set));
    }
    Ok((names, lines))
}

/// Tells each set by weights fitted to all others.
fn left_out(task: &Task, names: &[String], examples: &[Example]) {
    println!("\n{}", task.file());
    let mut all = Tally::new();
    for (n, set) in names.iter().enumerate() {
        let (test, rest): (Vec<&Example>, Vec<&Example>) = examples.iter().partition(|e| e.set == n);
        let told = tally(&Model::fit_until(task, &rest, ROUGHLY), &test);
        println!("  {set:20} {}", shown(task, &told));
        for (label, (right, count)) in told {
            let sum = all.entry(label).or_default();
            *sum = (sum.0 + right, sum.1 + count);
        }
    }
    println!("  {:20} {}", "all, each left out", shown(task, &all));
}

fn examples(task: &Task, lines: &[Vec<Value>]) -> (Vec<String>, Vec<Example>) {
    let mut names = Vec::new();
    let mut examples = Vec::new();
    let none = Vec::new();
    for (set, line) in lines.iter().enumerate().flat_map(|(n, set)| set.iter().map(move |line| (n, line))) {
        let Some(label) = line["reason"].as_str().and_then(task.label) else { continue };
        let measures = task.measures.map(|name| line[name].as_array().filter(|all| !all.is_empty()));
        let Some(measures) = measures.unwrap_or(Some(&none)) else { continue };
        let measured: Vec<(&str, f64)> = measures
            .iter()
            .map(|pair| (pair[0].as_str().unwrap_or_default(), pair[1].as_f64().unwrap_or(0.0)))
            .collect();
        let mut inputs = with_pairs(task, &measured);
        // What the encoder could not read is no example for who weighs what it heard.
        if let Some(heard) = task.heard {
            if line[heard].is_null() {
                continue;
            }
            inputs.extend(heard_in(&line[heard]));
        }
        names = inputs.iter().map(|(name, _)| name.clone()).collect();
        let also = line["alsoOk"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let also = also.filter_map(|word| task.answers.iter().position(|answer| *answer == word)).collect();
        let meant = task.name != "relation" || label == 0 || line["nearest"] == line["target"];
        let values = inputs.into_iter().map(|(_, value)| value).collect();
        let words = line["words"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let words = words.filter(|word| task.measures.is_none() || !word.starts_with(RUN));
        let words = words.map(str::to_owned).collect();
        examples.push(Example { set, values, words, label, also, reachable: meant });
    }
    (names, examples)
}

/// Measures, and the products of those that count in pairs, as the model's file names them.
fn with_pairs(task: &Task, measures: &[(&str, f64)]) -> Vec<(String, f64)> {
    let single = measures.iter().map(|(name, value)| (format!("measure {name}"), *value));
    let others =
        measures.iter().enumerate().flat_map(|(n, one)| measures[n..].iter().map(move |two| (one, two)));
    let counts = others.filter(|((one, _), (two, _))| task.pairs.contains(one) || task.pairs.contains(two));
    let pairs = counts.map(|((one, a), (two, b))| (format!("pair {one} {two}"), f64::from(PAIR) * a * b));
    single.chain(pairs).collect()
}

/// What the encoder heard, number by number, as the model's file names it.
fn heard_in(encoded: &Value) -> Vec<(String, f64)> {
    let pairs = |name: &str| encoded[name].as_array().into_iter().flatten();
    let name = |pair: &Value| pair[0].as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let values = pairs("values").map(|pair| (format!("measure {}", name(pair)), number(&pair[1])));
    let vectors = pairs("vectors").flat_map(|pair| {
        let numbers = pair[1].as_array().into_iter().flatten().enumerate();
        numbers.map(move |(at, value)| (format!("vector {} {at}", name(pair)), number(value)))
    });
    values.chain(vectors).collect()
}

/// Words and weights.
pub(crate) struct Model {
    words: Vec<String>,
    /// Weights of an answer: where nothing is measured, one for every measure and one for every word.
    width: usize,
    /// Those of all answers, one after the other.
    weights: Vec<f64>,
}

/// What an example has: the places of its inputs, and how much of each.
type Inputs = Vec<(usize, f64)>;

impl Model {
    /// Multinomial logistic regression, by a quasi-Newton method with limited memory (L-BFGS).
    pub(crate) fn fit(task: &Task, examples: &[&Example]) -> Self {
        Self::fit_until(task, examples, STILL)
    }

    /// As [`Model::fit`], until a step gains no more than a share of the loss.
    fn fit_until(task: &Task, examples: &[&Example], still: f64) -> Self {
        let words = common(task, examples);
        let used: Vec<&&Example> = examples.iter().filter(|example| example.reachable).collect();
        let width = used.first().map_or(0, |example| example.values.len()) + 1 + words.len();
        let mut model = Self { words, width, weights: vec![0.0; width * task.answers.len()] };
        let inputs: Vec<(Inputs, usize)> = used.iter().map(|e| (model.inputs(e), e.label)).collect();
        let (mut loss, mut slope) = model.loss(task, &inputs);
        let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
        for _ in 0..STEPS {
            let way = downhill(&slope, &memory);
            let before = model.weights.clone();
            let steep = dot(&slope, &way);
            // Half as far as long as that is too far.
            let mut far = 1.0;
            let (next, next_slope) = loop {
                model.weights = before.iter().zip(&way).map(|(weight, way)| weight - far * way).collect();
                let (next, next_slope) = model.loss(task, &inputs);
                if next <= loss - 1e-4 * far * steep || far < 1e-6 {
                    break (next, next_slope);
                }
                far /= 2.0;
            };
            let moved = minus(&model.weights, &before);
            let turned = minus(&next_slope, &slope);
            let gained = loss - next;
            (loss, slope) = (next, next_slope);
            if dot(&moved, &turned) > 1e-10 {
                memory.push_back((moved, turned));
            }
            if memory.len() > REMEMBERED {
                memory.pop_front();
            }
            if gained < still * loss {
                break;
            }
        }
        model
    }

    pub(crate) fn inputs(&self, example: &Example) -> Inputs {
        let words: BTreeSet<&String> = example.words.iter().collect();
        let first = 1 + example.values.len();
        let values = example.values.iter().enumerate().map(|(n, value)| (n + 1, *value));
        let has = self.words.iter().enumerate().filter(|(_, word)| words.contains(word));
        let has = has.map(|(n, _)| (first + n, f64::from(WORD)));
        std::iter::once((0, 1.0)).chain(values).chain(has).collect()
    }

    /// What is wrong with the weights, and how that changes with each; large weights are wrong by themselves.
    fn loss(&self, task: &Task, examples: &[(Inputs, usize)]) -> (f64, Vec<f64>) {
        let mut slope = self.weights.clone();
        slope.iter_mut().step_by(self.width).for_each(|bias| *bias = 0.0);
        let mut loss = dot(&slope, &slope) / 2.0;
        for (inputs, label) in examples {
            let chances = chances(&self.scores(inputs));
            loss -= task.freedom * chances[*label].max(f64::MIN_POSITIVE).ln();
            for (answer, chance) in chances.into_iter().enumerate() {
                let off = task.freedom * (chance - f64::from(u8::from(answer == *label)));
                inputs.iter().for_each(|(at, value)| slope[answer * self.width + at] += off * value);
            }
        }
        (loss, slope)
    }

    pub(crate) fn scores(&self, inputs: &Inputs) -> Vec<f64> {
        let score = |row: &[f64]| inputs.iter().map(|(at, value)| row[*at] * value).sum();
        self.weights.chunks(self.width).map(score).collect()
    }

    /// As `rawko_core` reads it: the first answer's weights are taken off all others'.
    pub(crate) fn to_text(&self, task: &Task, measures: &[String], by: &str) -> String {
        let bias = std::iter::once("bias all".to_owned());
        let measures = measures.iter().cloned();
        let words = self.words.iter().map(|word| format!("word {word}"));
        let mut text = format!("# {}; written by rawko-eval {by}\n", task.answers[1..].join(" "));
        for (n, name) in bias.chain(measures).chain(words).enumerate() {
            let rows = self.weights.chunks(self.width).skip(1);
            let weights = rows.map(|row| format!(" {:.2}", row[n] - self.weights[n]));
            writeln!(text, "{name}{}", weights.collect::<String>()).expect("a text takes everything");
        }
        text
    }
}

/// The words that enough authors use often enough, of the rare answer where there is one.
fn common(task: &Task, examples: &[&Example]) -> Vec<String> {
    let authors = examples.iter().map(|example| example.set).collect::<BTreeSet<_>>().len();
    let (used, shared) = (task.used.0, task.used.1.unwrap_or(authors.div_ceil(2)));
    let counts = |example: &&&Example| task.rare.is_none_or(|rare| rare == example.label);
    let mut uses: BTreeMap<&String, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for example in examples.iter().filter(counts) {
        for word in &example.words {
            let used = uses.entry(word).or_default();
            used.0 += 1;
            used.1.insert(example.set);
        }
    }
    let is_common = |(count, by): &(usize, BTreeSet<usize>)| *count >= used && by.len() >= shared;
    uses.into_iter().filter(|(_, used)| is_common(used)).map(|(word, _)| word.clone()).collect()
}

/// The way to less loss that a slope and the last steps point to.
fn downhill(slope: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut way = slope.to_vec();
    let mut parts = Vec::new();
    for (moved, turned) in memory.iter().rev() {
        let part = dot(moved, &way) / dot(moved, turned);
        add(&mut way, turned, -part);
        parts.push(part);
    }
    let size = memory.back().map_or(1e-3, |(moved, turned)| dot(moved, turned) / dot(turned, turned));
    way.iter_mut().for_each(|way| *way *= size);
    for ((moved, turned), part) in memory.iter().zip(parts.into_iter().rev()) {
        let back = dot(turned, &way) / dot(moved, turned);
        add(&mut way, moved, part - back);
    }
    way
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn minus(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a - b).collect()
}

fn add(to: &mut [f64], what: &[f64], times: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

fn chances(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let all: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / all).collect()
}

/// How many of each answer are told right, and how many there are.
type Tally = BTreeMap<usize, (usize, usize)>;

fn tally(model: &Model, examples: &[&Example]) -> Tally {
    let mut found = Tally::new();
    for example in examples {
        let scores = model.scores(&model.inputs(example));
        let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let right = (best == example.label && example.reachable) || example.also.contains(&best);
        let count = found.entry(example.label).or_default();
        *count = (count.0 + usize::from(right), count.1 + 1);
    }
    found
}

fn shown(task: &Task, tally: &Tally) -> String {
    let told = tally.iter().map(|(label, (right, all))| format!("{} {right}/{all}", task.answers[*label]));
    told.collect::<Vec<_>>().join(", ")
}
