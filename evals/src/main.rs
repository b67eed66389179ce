//! Runs question sets through rawko and scores them.
//!
//! `rawko-eval <set> <folder>` reads a set, asks every question of the product's
//! own search and prints a table: one row per kind of question, 95% intervals
//! by bootstrap. Progress goes to stderr.

mod admission;
mod corrected;
mod cosqa;
mod denied;
mod devmembench;
mod encoder;
mod errand;
mod extract;
mod fit;
mod inject;
mod kin;
mod locomo;
mod longmemeval;
mod memorycode;
mod repeat;
mod report;
mod retrieve;
mod said;
mod score;
mod set;
mod stale;
mod suite;
mod table;
mod tune;
mod tune_inject;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rawko_core::{Inject, Weights};

use crate::set::{Result, Set};

const USAGE: &str = "usage: rawko-eval <set> <folder> [--setting NAME] [--json] [--out FILE] [--questions FILE]
       rawko-eval all <data folder>             every retrieval set, each figure beside its target
       rawko-eval tune <data folder> [--rounds N] [--only NAME,NAME]
       rawko-eval tune-inject <inject-bench folder> [--rounds N] [--only NAME,NAME]
       rawko-eval fit <folder of lots> [<set>…] [--out FOLDER] [--parts FILE]
                                                 admission's three models, each lot judged by the others; --out
                                                 writes the weights, --parts what they are fitted to
       rawko-eval said <folder of sessions> [--out FOLDER]
                                                 the model of what people say that lasts, each author judged by the others
       rawko-eval denied <folder of sessions> [--out FOLDER] [--parts FILE]
                                                 the model of what people deny, each author judged by the others
       rawko-eval errand <folder of prompts> [<injection set>…] [--out FOLDER]
                                                 the model of which tasks ask for experience, each file and set judged by the others
       rawko-eval kin <static.bin> --out FILE   the table of kin words of a token table

sets and their settings:
  longmemeval-full  hay50 (default), pool      locomo       turn (default), session
  longmemeval-s500                             cosqa
  devmembench                                  memorycode
  workload          1k (default), 10k, …       inject-bench [--profile classic|hybrid]
  repeat            streams of tool calls; --out FILE for score_action.py
  corrected         sessions in which a person corrects what was told; --out FILE for one line per session
  extract           proposed (default), admitted: what the offline extractor proposes, or what admission leaves of it
  stale             commit (default), unknown: whether the memory says on which commit it was written

  admission         on the copy that the scorer's `expand` writes; --out gives its result form

  --json            the table as JSON
  --out FILE        one line per question: {\"id\", \"ranked\"}
  --parts FILE      one line per question: what was found, and what each score is made of
  --questions FILE  one line per question: {\"id\", \"type\", \"gold_session_ids\"}, for sets that have no such file
  --weight NAME=N   another value for one of the ranking's weights; may be repeated
  --inject NAME=N   the same, for one of the weights of choosing
  --table FILE      another token table than the one in the program; kin words stay the program's
  --embedding WHICH  built-in (default: the sentence encoder in the program), table (the token table alone), or a server:
                    KIND,URL,MODEL, with the kind openai or ollama; as `rawko search` can have them
  --try NAME=N,…    (all) the table once more with these weights; may be repeated";

/// What was asked for.
#[derive(Debug, Default)]
struct Args {
    set: String,
    folder: PathBuf,
    /// Further folders, for `fit` and `errand`.
    more: Vec<PathBuf>,
    setting: String,
    profile: String,
    json: bool,
    out: Option<PathBuf>,
    parts: Option<PathBuf>,
    questions: Option<PathBuf>,
    rounds: usize,
    only: Vec<String>,
    weights: Vec<String>,
    inject: Vec<String>,
    tries: Vec<String>,
}

fn main() -> ExitCode {
    let args = match args(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(message) if message.is_empty() => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
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
    let mut args = Args { rounds: 2, ..Args::default() };
    let mut plain = Vec::new();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--setting" => args.setting = value()?,
            "--profile" => args.profile = value()?,
            "--out" => args.out = Some(value()?.into()),
            "--parts" => args.parts = Some(value()?.into()),
            "--questions" => args.questions = Some(value()?.into()),
            "--rounds" => args.rounds = value()?.parse().map_err(|_| "--rounds needs a number".to_owned())?,
            "--only" => args.only = value()?.split(',').map(str::to_owned).collect(),
            "--weight" => args.weights.push(value()?),
            "--inject" => args.inject.push(value()?),
            "--table" => table::use_file(Path::new(&value()?))?,
            "--embedding" => encoder::use_model(&value()?)?,
            "--try" => args.tries.push(value()?),
            "--json" => args.json = true,
            "--help" | "-h" => return Err(String::new()),
            flag if flag.starts_with("--") => return Err(format!("unknown option {flag}")),
            _ => plain.push(word),
        }
    }
    let mut plain = plain.into_iter();
    let (Some(set), Some(folder)) = (plain.next(), plain.next()) else {
        return Err("a set and its folder are needed".to_owned());
    };
    let more: Vec<PathBuf> = plain.map(PathBuf::from).collect();
    if !more.is_empty() && !["fit", "errand"].contains(&set.as_str()) {
        return Err(format!("{set} takes one folder"));
    }
    Ok(Args { set, folder: folder.into(), more, ..args })
}

/// One line per program; what ranks documents for questions is [`load`]ed and reported alike.
fn run(args: &Args) -> Result<()> {
    let weights = weighed(Weights::TUNED, &args.weights)?;
    let inject = set(Inject::TUNED, Inject::named, &args.inject)?;
    match args.set.as_str() {
        "all" => suite::run(&args.folder, &weights, &args.tries),
        // The weights that are looked for are the hooks', too, which have the table.
        "tune" => {
            encoder::use_table().and_then(|()| tune::run(&args.folder, weights, args.rounds, &args.only))
        }
        "extract" => extract::run(&args.folder, &args.setting, args.out.as_deref()),
        "tune-inject" => tune_inject::run(&args.folder, &weights, inject, args.rounds, &args.only),
        "inject-bench" => inject::run(args, &weights, &inject),
        "stale" => {
            let origin =
                if args.setting == "unknown" { stale::Origin::Unknown } else { stale::Origin::Commit };
            let report = stale::run_with(&args.folder, args.out.as_deref(), origin)
                .map_err(|error| error.to_string())?;
            println!("{report}");
            Ok(())
        }
        "repeat" => repeat::run(&args.folder, args.out.as_deref()),
        "fit" => fit::run(&args.folder, &args.more, args.out.as_deref(), args.parts.as_deref()),
        "corrected" => corrected::run(&args.folder, args.out.as_deref()),
        "denied" => denied::run(&args.folder, args.out.as_deref(), args.parts.as_deref()),
        "errand" => errand::run(&args.folder, &args.more, args.out.as_deref()),
        "said" => said::run(&args.folder, args.out.as_deref()),
        "admission" => admission::run(&args.folder, args.out.as_deref(), args.parts.as_deref()),
        "kin" => kin::run(&args.folder, args.out.as_deref().ok_or("kin needs --out FILE")?),
        set => report::retrieval(load(set, &args.folder, &args.setting)?, args, &weights),
    }
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

/// Weights with those that were given as NAME=NUMBER.
fn weighed<S: AsRef<str>>(weights: Weights, given: &[S]) -> Result<Weights> {
    set(weights, Weights::named, given)
}

fn set<W, S: AsRef<str>>(
    mut weights: W,
    named: impl Fn(&mut W) -> Vec<(&'static str, &mut f32)>,
    given: &[S],
) -> Result<W> {
    for given in given.iter().map(AsRef::as_ref) {
        let parsed = given.split_once('=').and_then(|(name, value)| Some((name, value.parse::<f32>().ok()?)));
        let (name, value) = parsed.ok_or_else(|| format!("`{given}` is no NAME=NUMBER"))?;
        let mut named = named(&mut weights);
        let found = named.iter_mut().find(|(n, _)| *n == name);
        *found.ok_or_else(|| format!("there is no weight `{name}`"))?.1 = value;
    }
    Ok(weights)
}
