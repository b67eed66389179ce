//! Searches the ranking's weights: one half of every set decides, the other half is shown.
//!
//! Coordinate ascent: each weight in turn is tried a little larger and smaller
//! and kept where the sum over all sets grows. Plain on purpose: it cannot
//! follow noise far, and every step it takes is printed.

use std::path::Path;

use rawko_core::Weights;

use crate::score::Figures;
use crate::set::Result;
use crate::suite::{Goal, Suite, print, values};

/// A step must gain this much, or it is noise.
const LEAST_GAIN: f64 = 0.000_3;

/// Tunes from the weights given and prints what it found.
pub(crate) fn run(data: &Path, mut best: Weights, rounds: usize, only: &[String]) -> Result<()> {
    let suite = Suite::read(data)?;
    let (train, check): (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool) = (&|n| n % 2 == 0, &|n| n % 2 == 1);
    let mut score = worth(&suite.ask(&best, train));
    eprintln!("start {score:.4}, other half {:.4}", worth(&suite.ask(&best, check)));
    for round in 0..rounds {
        let before = score;
        let step = 1.5f32.powf(0.6f32.powi(i32::try_from(round).unwrap_or(i32::MAX)));
        for n in 0..best.named().len() {
            let name = best.named()[n].0;
            if !only.is_empty() && !only.iter().any(|o| o == name) {
                continue;
            }
            for factor in [step, 1.0 / step] {
                let mut tried = best.clone();
                let now = *tried.named()[n].1;
                *tried.named()[n].1 = if now == 0.0 { factor - 1.0 } else { now * factor };
                let gained = worth(&suite.ask(&tried, train));
                if gained > score + LEAST_GAIN {
                    eprintln!("round {round}: {name} {now:.4} -> {:.4}: {gained:.4}", *tried.named()[n].1);
                    (score, best) = (gained, tried);
                    break;
                }
            }
        }
        eprintln!("round {round}: {score:.4}, other half {:.4}", worth(&suite.ask(&best, check)));
        if score <= before {
            break;
        }
    }
    println!("other half:");
    print(&suite.ask(&best, check));
    println!("all:");
    print(&suite.ask(&best, &|_| true));
    println!("{best:#?}");
    Ok(())
}

/// What is maximised: every set counts alike, by its own figures and by the order of its first ten.
fn worth(results: &[(&Goal, Vec<Figures>)]) -> f64 {
    let mean = |v: Vec<f64>| v.iter().sum::<f64>() / v.len().max(1) as f64;
    let one = |(goal, rows): &(&Goal, Vec<Figures>)| {
        let own: f64 =
            goal.figures.iter().map(|(f, _)| mean(values(rows, f))).sum::<f64>() / goal.figures.len() as f64;
        own + 0.5 * mean(values(rows, "ndcg@10"))
    };
    results.iter().map(one).sum::<f64>() / results.len() as f64
}
