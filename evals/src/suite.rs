//! All retrieval sets at once: the one table that a change of the ranking is judged by.

use std::path::Path;

use rawko_core::Weights;

use crate::retrieve::Bench;
use crate::score::{Figures, mean};
use crate::set::Result;

/// A set with the figure that counts in it and what it should reach.
pub(crate) struct Goal {
    /// Name of the set, as on the command line.
    pub(crate) set: &'static str,
    /// Its folder below the data folder.
    pub(crate) folder: &'static str,
    /// Its setting.
    pub(crate) setting: &'static str,
    /// Figures with their targets.
    pub(crate) figures: &'static [(&'static str, f64)],
}

/// Every retrieval set, and where the product should stand.
pub(crate) const GOALS: &[Goal] = &[
    Goal { set: "locomo", folder: "locomo", setting: "turn", figures: &[("rec@10", 0.67)] },
    Goal { set: "locomo", folder: "locomo", setting: "session", figures: &[("rec@5", 0.88)] },
    Goal {
        set: "longmemeval-full",
        folder: "longmemeval_full",
        setting: "pool",
        figures: &[("any@5", 0.93), ("ndcg@10", 0.83)],
    },
    Goal {
        set: "longmemeval-full",
        folder: "longmemeval_full",
        setting: "hay50",
        figures: &[("any@5", 0.94)],
    },
    Goal {
        set: "longmemeval-s500",
        folder: "longmemeval_s500",
        setting: "",
        figures: &[("any@1", 0.87), ("any@5", 0.97), ("all@5", 0.88)],
    },
    Goal { set: "cosqa", folder: "cosqa", setting: "", figures: &[("mrr", 0.40)] },
    Goal { set: "devmembench", folder: "devmembench", setting: "", figures: &[("mrr", 0.90)] },
    Goal {
        set: "memorycode",
        folder: "memorycode50",
        setting: "",
        figures: &[("mrr", 0.76), ("latest", 0.60)],
    },
    Goal { set: "workload", folder: "workload", setting: "1k", figures: &[("rec@5", 0.90)] },
    Goal { set: "workload", folder: "workload", setting: "10k", figures: &[("rec@5", 0.70)] },
];

/// Prints the table, and once more for each trial of other weights.
pub(crate) fn run(data: &Path, weights: &Weights, tries: &[String]) -> Result<()> {
    let suite = Suite::read(data)?;
    print(&suite.ask(weights, &|_| true));
    for tried in tries {
        let given: Vec<&str> = tried.split(',').collect();
        let tried_weights = crate::weighed(weights.clone(), &given)?;
        println!("\n== {tried}");
        print(&suite.ask(&tried_weights, &|_| true));
    }
    Ok(())
}

/// The sets, read and analysed.
pub(crate) struct Suite(Vec<(&'static Goal, Bench)>);

impl Suite {
    /// Reads every set below the data folder.
    pub(crate) fn read(data: &Path) -> Result<Self> {
        let mut benches = Vec::new();
        for goal in GOALS {
            eprintln!("reading {} {}", goal.set, goal.setting);
            let set = crate::load(goal.set, &data.join(goal.folder), goal.setting)?;
            benches.push((goal, Bench::new(set)?));
        }
        Ok(Self(benches))
    }

    /// Every goal's figures for every question that `keep` takes.
    pub(crate) fn ask(
        &self,
        weights: &Weights,
        keep: &dyn Fn(usize) -> bool,
    ) -> Vec<(&'static Goal, Vec<Figures>)> {
        let ask = |bench: &Bench| {
            (0..bench.questions().len()).filter(|n| keep(*n)).map(|n| bench.figures(n, weights)).collect()
        };
        self.0.iter().map(|(goal, bench)| (*goal, ask(bench))).collect()
    }
}

/// Prints each figure with its interval beside its target.
pub(crate) fn print(results: &[(&Goal, Vec<Figures>)]) {
    println!("{:<26} {:<8} {:>5} {:>7} {:>17} {:>7}", "set", "figure", "n", "mean", "95%", "target");
    for (goal, rows) in results {
        for (figure, target) in goal.figures {
            let m = mean(&values(rows, figure));
            let name = format!("{} {}", goal.set, goal.setting);
            let interval = format!("{:.4}-{:.4}", m.low, m.high);
            let short = if m.mean < *target { "  short" } else { "" };
            println!("{name:<26} {figure:<8} {:>5} {:>7.4} {interval:>17} {target:>7.2}{short}", m.n, m.mean);
        }
    }
}

/// One figure of every row that has it.
pub(crate) fn values(rows: &[Figures], figure: &str) -> Vec<f64> {
    rows.iter().flat_map(|row| row.iter().find(|(name, _)| *name == figure)).map(|(_, v)| *v).collect()
}
