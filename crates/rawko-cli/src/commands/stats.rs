//! `rawko stats`: the whole store at a glance.

use rawko::{Stats, Weeks};
use serde_json::json;

use super::count;
use crate::args;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

/// From nothing to the most.
const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(crate) fn run(args: &args::Stats, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(rawko::StoreError::NoStore(place.start.clone()).into());
    }
    let stats = engine.stats()?;
    if args.json {
        return out.json(&json!(stats));
    }
    growth(&stats, out)?;
    usage(&stats, out)?;
    health(&stats, out)
}

fn growth(stats: &Stats, out: &Output) -> Result<(), Failure> {
    out.line(out.paint(Look::Strong, "Growth, the last 12 weeks"))?;
    chart("entries added", &stats.added, out)?;
    chart("episodes", &stats.happened, out)?;
    let named = |words: &std::collections::BTreeMap<&'static str, usize>| {
        words.iter().map(|(word, n)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")
    };
    let memories = count(stats.memories, "memory", "memories");
    let entries = count(stats.entries, "entry", "entries");
    if stats.memories == 0 {
        out.line(format!("  {memories} in {entries}"))?;
    } else {
        out.line(format!("  {memories} in {entries}: {}", named(&stats.by_status)))?;
        out.line(format!("  {}; {}", named(&stats.by_importance), count(stats.rules, "rule", "rules")))?;
    }
    out.line(format!("  {}", count(stats.episodes, "episode", "episodes")))
}

fn usage(stats: &Stats, out: &Output) -> Result<(), Failure> {
    out.line("")?;
    out.line(out.paint(Look::Strong, "Use"))?;
    chart("injections", &stats.injected, out)?;
    out.line(format!(
        "  {} brought; {} had nothing to say",
        count(stats.brought, "memory", "memories"),
        count(stats.silent, "task", "tasks")
    ))?;
    let judged = stats.used + stats.unused;
    if judged == 0 {
        return out.line("  nothing is known yet of whether they helped");
    }
    let share = f64::from(stats.used) / f64::from(judged);
    let full = (share * 20.0).round() as usize;
    let bar = format!("{}{}", "█".repeat(full), "·".repeat(20 - full));
    out.line(format!("  used       {bar}  {} of {judged} ({:.0} %)", stats.used, share * 100.0))
}

fn health(stats: &Stats, out: &Output) -> Result<(), Failure> {
    out.line("")?;
    out.line(out.paint(Look::Strong, "Health"))?;
    let rows = [
        (stats.problems, "problem in files", "problems in files", "rawko validate", Look::Bad),
        (stats.waiting, "memory waits for review", "memories wait for review", "rawko review", Look::Warn),
        (stats.unapproved, "memory is unapproved", "memories are unapproved", "rawko trust", Look::Warn),
        (stats.failures, "failure still warns", "failures still warn", "rawko ledger list", Look::Faint),
    ];
    for (n, one, many, command, look) in rows {
        let text = count(n, one, many);
        let text = if n == 0 { out.paint(Look::Good, &text) } else { out.paint(look, &text) };
        out.line(format!("  {text}{}", if n == 0 { String::new() } else { format!(": `{command}`") }))?;
    }
    let bytes = stats.bytes;
    out.line(format!(
        "  on disk: memories {}, log {}, derived {}",
        size(bytes.memories),
        size(bytes.log),
        size(bytes.cache)
    ))
}

/// One bar a week, the newest last.
fn chart(name: &str, weeks: &Weeks, out: &Output) -> Result<(), Failure> {
    let most = weeks.iter().copied().max().unwrap_or(0);
    let bar = |&n: &usize| match n {
        0 => BARS[0],
        n => BARS[(n * 8).div_ceil(most.max(1)).clamp(1, 8)],
    };
    let bars: String = weeks.iter().map(bar).collect();
    let (sum, newest) = (weeks.iter().sum::<usize>(), weeks.last().copied().unwrap_or(0));
    out.line(format!("  {name:<14} {bars}  {sum}, {newest} this week"))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}
