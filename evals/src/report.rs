//! What a run prints and writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rawko_core::Weights;
use rawko_core::rank::Hit;
use serde_json::json;

use crate::Args;
use crate::retrieve::Bench;
use crate::score::{Mean, table};
use crate::set::{Question, Result, Set};

/// The figures that fit on a line; the rest is in `--json`.
const COLUMNS: [&str; 9] =
    ["any@1", "any@5", "all@5", "rec@5", "any@10", "rec@10", "mrr", "ndcg@10", "latest"];

/// Asks every question and reports.
pub(crate) fn retrieval(set: Set, args: &Args, weights: &Weights) -> Result<()> {
    if let Some(path) = &args.questions {
        write(path, set.questions.iter().map(question))?;
    }
    eprintln!("{}: reading {} documents", args.set, set.docs.len());
    let bench = Bench::new(set)?;
    let (mut rows, mut lines, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let count = bench.questions().len();
    for (n, question) in bench.questions().iter().enumerate() {
        let found = bench.found(n, weights);
        let ranked: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        rows.push((question.kind.clone(), crate::score::figures(question, &ranked)));
        lines.push(json!({ "id": question.id, "ranked": ranked }));
        if args.parts.is_some() {
            parts.push(made_of(question, bench.words(n), &found));
        }
        if (n + 1) % 100 == 0 || n + 1 == count {
            eprintln!("{}: {} of {count} questions", args.set, n + 1);
        }
    }
    if let Some(path) = &args.out {
        write(path, lines.iter())?;
    }
    if let Some(path) = &args.parts {
        write(path, parts.iter())?;
    }
    let table = table(&rows);
    if args.json {
        print_json(args, &table)
    } else {
        print(&table)
    }
    Ok(())
}

/// A question with what every score is made of: for studies of the weights outside the program.
fn made_of(q: &Question, words: usize, found: &[(&str, Hit)]) -> serde_json::Value {
    let points =
        |hit: &Hit| hit.parts.iter().map(|part| (part.name.to_owned(), part.points.into())).collect();
    let found = found.iter().map(|(id, hit)| json!([id, serde_json::Value::Object(points(hit))]));
    let mut row = question(q);
    row["words"] = words.into();
    row["found"] = found.collect();
    row
}

fn question(q: &Question) -> serde_json::Value {
    let mut row = json!({ "id": q.id, "type": q.kind, "question": q.text, "gold_session_ids": q.gold });
    if !q.stale.is_empty() {
        row["stale_session_ids"] = json!(q.stale);
    }
    row
}

pub(crate) fn write<T: std::fmt::Display>(path: &Path, rows: impl Iterator<Item = T>) -> Result<()> {
    let text: String = rows.map(|row| format!("{row}\n")).collect();
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

type Row = (String, BTreeMap<&'static str, Mean>);

fn print(table: &[Row]) {
    print!("{:<28} {:>5}", "kind", "n");
    for column in COLUMNS {
        print!(" {column:>8}");
    }
    println!();
    let line = |label: &str, means: &BTreeMap<&'static str, Mean>, pick: &dyn Fn(&Mean) -> f64| {
        print!("{label:<28} {:>5}", means.get("mrr").map_or(0, |m| m.n));
        for column in COLUMNS {
            match means.get(column) {
                Some(m) => print!(" {:>8.4}", pick(m)),
                None => print!(" {:>8}", "-"),
            }
        }
        println!();
    };
    for (kind, means) in table {
        line(kind, means, &|m| m.mean);
    }
    if let Some((_, means)) = table.last() {
        line("  95% from", means, &|m| m.low);
        line("  95% to", means, &|m| m.high);
    }
}

fn print_json(args: &Args, table: &[Row]) {
    let cell = |m: &Mean| json!({ "n": m.n, "mean": m.mean, "low": m.low, "high": m.high });
    let kinds: serde_json::Map<String, serde_json::Value> = table
        .iter()
        .map(|(kind, means)| {
            let cells = means
                .iter()
                .map(|(name, m)| ((*name).to_owned(), cell(m)))
                .collect::<serde_json::Map<_, _>>();
            (kind.clone(), cells.into())
        })
        .collect();
    println!("{}", json!({ "set": args.set, "setting": args.setting, "kinds": kinds }));
}
