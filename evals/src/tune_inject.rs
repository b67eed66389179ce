//! Searches the weights of choosing, each project judged by what the others chose.
//!
//! The same plain ascent as [`crate::tune`]. A hundred tasks are few, so the figures that count
//! are those of a project that had no say: every project is left out once, and only then are the
//! weights tuned on all of them.

use std::path::Path;

use rawko_core::{Candidate, Inject, Weights};

use crate::inject::{Bench, Figures, Project, projects, report};
use crate::set::Result;

/// A step must gain this much, or it is noise.
const LEAST_GAIN: f64 = 0.002;

/// What precision, as a mean of the projects, should not fall below.
const LEAST_PRECISION: f64 = 0.60;
/// The same for the share of tasks that need nothing and get nothing; few projects have enough of them to ask for more.
const LEAST_QUIET: f64 = 0.89;
/// What falling short of either costs, against nDCG.
const SHORT: f64 = 3.0;

/// A project with the candidates of its tasks.
struct Asked<'b> {
    name: &'b str,
    bench: &'b Bench<'b>,
    candidates: Vec<Vec<Candidate<'b>>>,
}

/// Tunes from the weights given and prints what it found.
pub(crate) fn run(
    folder: &Path,
    weights: &Weights,
    start: Inject,
    rounds: usize,
    only: &[String],
) -> Result<()> {
    let mut read = Vec::new();
    for (name, folder) in projects(folder)? {
        read.push((name, Project::read(&folder)?));
    }
    let benches: Vec<(&str, Bench<'_>)> =
        read.iter().map(|(name, p)| Ok((name.as_str(), p.bench()?))).collect::<Result<_>>()?;
    let asked: Vec<Asked<'_>> = benches
        .iter()
        .map(|(name, bench)| Asked { name, bench, candidates: bench.candidates(weights) })
        .collect();
    println!("as it is:");
    tell(asked.iter(), &start);
    for (out, left) in asked.iter().enumerate() {
        let others: Vec<&Asked<'_>> =
            asked.iter().enumerate().filter(|(n, _)| *n != out).map(|(_, a)| a).collect();
        if others.is_empty() {
            continue;
        }
        let found = ascend(&others, start.clone(), rounds, only);
        println!("\ntuned without {}:", left.name);
        tell(std::iter::once(left), &found);
    }
    let all: Vec<&Asked<'_>> = asked.iter().collect();
    let found = ascend(&all, start, rounds, only);
    println!("\ntuned on all, which nobody checks:");
    tell(asked.iter(), &found);
    println!("{found:#?}");
    Ok(())
}

fn ascend(asked: &[&Asked<'_>], mut best: Inject, rounds: usize, only: &[String]) -> Inject {
    let mut score = worth(asked, &best);
    for round in 0..rounds {
        let before = score;
        let step = 1.4f32.powf(0.6f32.powi(i32::try_from(round).unwrap_or(i32::MAX)));
        for n in 0..best.named().len() {
            let name = best.named()[n].0;
            if !only.is_empty() && !only.iter().any(|o| o == name) {
                continue;
            }
            for factor in [step, 1.0 / step] {
                let mut tried = best.clone();
                let now = *tried.named()[n].1;
                *tried.named()[n].1 = now * factor;
                let gained = worth(asked, &tried);
                if gained > score + LEAST_GAIN {
                    eprintln!("round {round}: {name} {now:.3} -> {:.3}: {gained:.4}", now * factor);
                    (score, best) = (gained, tried);
                    break;
                }
            }
        }
        if score <= before {
            break;
        }
    }
    best
}

fn tell<'a>(asked: impl Iterator<Item = &'a Asked<'a>>, w: &Inject) {
    let rows = |a: &Asked<'_>| (a.name.to_owned(), a.bench.figures(&a.candidates, w));
    report(&asked.map(rows).collect::<Vec<_>>(), false);
}

/// What is maximised: the right ones first. Precision and silence are limits, not aims: where they are met, more of
/// them is bought with right memories that stay away.
fn worth(asked: &[&Asked<'_>], w: &Inject) -> f64 {
    let one = |a: &&Asked<'_>| {
        let rows = a.bench.figures(&a.candidates, w);
        ["ndcg@5", "precision", "quiet"].map(|name| mean(&rows, name))
    };
    let all: Vec<[f64; 3]> = asked.iter().map(one).collect();
    let [ndcg, precision, quiet] =
        [0, 1, 2].map(|n| all.iter().map(|f| f[n]).sum::<f64>() / all.len() as f64);
    ndcg - SHORT * ((LEAST_PRECISION - precision).max(0.0) + (LEAST_QUIET - quiet).max(0.0))
}

fn mean(rows: &[Figures], name: &str) -> f64 {
    let values: Vec<f64> = rows.iter().flatten().filter(|(n, _)| *n == name).map(|(_, v)| *v).collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
