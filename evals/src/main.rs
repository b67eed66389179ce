//! Runs question sets through rawko and scores them.
//!
//! `rawko-eval <set> <folder>` reads a set, asks every question of the product's
//! own search and prints a table: one row per kind of question, 95% intervals
//! by bootstrap. Progress goes to stderr.

mod cosqa;
mod devmembench;
mod inject;
mod kin;
mod locomo;
mod longmemeval;
mod memorycode;
mod report;
mod retrieve;
mod score;
mod set;
mod suite;
mod tune;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rawko_core::Weights;

use crate::set::{Result, Set};

const USAGE: &str = "usage: rawko-eval <set> <folder> [--setting NAME] [--json] [--out FILE] [--questions FILE]

       rawko-eval all <data folder>             every set, each figure beside its target

sets and their settings:
  longmemeval-full  hay50 (default), pool      locomo       turn (default), session
  longmemeval-s500                             cosqa
  devmembench                                  memorycode
  workload          1k (default), 10k, …       inject-bench [--profile classic|hybrid]

  --json            the table as JSON
  --out FILE        one line per question: {\"id\", \"ranked\"}
  --questions FILE  one line per question: {\"id\", \"type\", \"gold_session_ids\"}, for sets that have no such file";

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Args {
    set: String,
    folder: PathBuf,
    setting: String,
    profile: String,
    json: bool,
    out: Option<PathBuf>,
    questions: Option<PathBuf>,
    only: Vec<String>,
    weights: Vec<String>,
}

fn main() -> ExitCode {
    let args = match args(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn args(mut words: impl Iterator<Item = String>) -> Result<Args> {
    let mut args = Args::default();
    let mut plain = Vec::new();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--setting" => args.setting = value()?,
            "--profile" => args.profile = value()?,
            "--out" => args.out = Some(value()?.into()),
            "--questions" => args.questions = Some(value()?.into()),
            "--only" => args.only = value()?.split(',').map(str::to_owned).collect(),
            "--weight" => args.weights.push(value()?),
            "--json" => args.json = true,
            flag if flag.starts_with("--") => return Err(format!("unknown option {flag}")),
            _ => plain.push(word),
        }
    }
    let [set, folder] =
        <[String; 2]>::try_from(plain).map_err(|_| "a set and its folder are needed".to_owned())?;
    args.set = set;
    args.folder = folder.into();
    Ok(args)
}

fn run(args: &Args) -> Result<()> {
    if args.set == "inject-bench" {
        return inject::run(args);
    }
    if args.set == "kin" {
        return kin::run(&args.folder, args.out.as_deref().ok_or("kin needs --out FILE")?);
    }
    if args.set == "tune" {
        let rounds = args.setting.parse().unwrap_or(4);
        return tune::run(&args.folder, rounds, &args.only);
    }
    if args.set == "all" {
        let suite = suite::Suite::read(&args.folder)?;
        suite::print(&suite.ask(&weights(args)?, &|_| true));
        if !args.setting.is_empty() {
            for v in args.setting.split(' ') {
                let mut a = Args::default();
                a.weights = args.weights.iter().cloned().chain(v.split(',').map(str::to_owned)).collect();
                println!("== {v}");
                suite::print(&suite.ask(&weights(&a)?, &|_| true));
            }
        }
        return Ok(());
    }
    report::retrieval(load(&args.set, &args.folder, &args.setting)?, args)
}

/// The built-in weights with those that were given on the command line.
fn weights(args: &Args) -> Result<Weights> {
    let mut weights = Weights::TUNED;
    for given in &args.weights {
        let parsed = given.split_once('=').and_then(|(name, value)| Some((name, value.parse::<f32>().ok()?)));
        let (name, value) = parsed.ok_or_else(|| format!("`{given}` is no NAME=NUMBER"))?;
        let mut named = weights.named();
        let found = named.iter_mut().find(|(n, _)| *n == name);
        *found.ok_or_else(|| format!("there is no weight `{name}`"))?.1 = value;
    }
    Ok(weights)
}

/// Reads a retrieval set by its name.
fn load(set: &str, folder: &Path, setting: &str) -> Result<Set> {
    match set {
        "longmemeval-full" => longmemeval::full(folder, setting),
        "longmemeval-s500" => longmemeval::s500(folder),
        "locomo" => locomo::read(folder, setting),
        "cosqa" => cosqa::read(folder),
        "devmembench" => devmembench::read(folder),
        "memorycode" => memorycode::read(folder),
        "workload" => workload::read(folder, setting),
        other => Err(format!("there is no set `{other}`")),
    }
}
