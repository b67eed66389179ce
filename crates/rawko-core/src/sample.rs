//! A run within a budget, for a reader who pays by the word.
//!
//! What tells most goes in first: the task, the last message, what a person
//! said, what failed and what was changed; the rest while it fits. All of it
//! is shown in the order in which it happened, with a mark where something
//! was left out. A single long text keeps its head, its tail and the windows
//! around errors, paths and decisions.

use std::collections::HashSet;

use crate::run_record::{Run, Speaker, Step, shorten, speaks_of_an_error, whole_head, whole_tail};

/// The run as text of at most `budget` bytes.
pub fn sample(run: &Run, budget: usize) -> String {
    let mut pieces: Vec<(u8, String)> = run.steps.iter().map(|step| (rank(step), shown(step))).collect();
    if pieces.is_empty() {
        return windows(&run.output, budget);
    }
    let last = run.steps.iter().rposition(|step| matches!(step, Step::Said { .. }));
    if let Some((rank, _)) = last.and_then(|at| pieces.get_mut(at)) {
        *rank = 0;
    }
    let most = (budget / pieces.len().min(4)).saturating_sub(32).max(400);
    for (_, text) in &mut pieces {
        *text = windows(text, most);
    }
    let chosen = choose(&pieces, budget);
    let mut out = String::new();
    let mut gap = false;
    for ((_, text), chosen) in pieces.iter().zip(chosen) {
        if !chosen {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push_str("…\n");
        }
        out.push_str(text);
        out.push('\n');
    }
    out
}

/// The run with the steps that tell most, of at most about `budget` bytes, and texts cut to match.
pub fn within(run: &Run, budget: usize) -> Run {
    let pieces: Vec<(u8, String)> = run.steps.iter().map(|step| (rank(step), shown(step))).collect();
    let chosen = choose(&pieces, budget);
    let steps = run.steps.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(step, _)| step.clone());
    let mut kept = Run { steps: steps.collect(), output: windows(&run.output, budget), ..run.clone() };
    kept.injected.truncate(50);
    kept
}

/// Which pieces fit, the most telling first, early ones before late ones.
fn choose(pieces: &[(u8, String)], budget: usize) -> Vec<bool> {
    /// What a piece costs beside its text: its line end, and the mark of a gap before it.
    const MARKS: usize = 5;
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&at| pieces[at].0);
    let mut chosen = vec![false; pieces.len()];
    let mut left = budget;
    for at in order {
        let cost = pieces[at].1.len() + MARKS;
        if cost <= left {
            left -= cost;
            chosen[at] = true;
        }
    }
    chosen
}

/// How little a step tells: 0 is the most.
fn rank(step: &Step) -> u8 {
    match step {
        Step::Said { by: Speaker::Person, .. } => 1,
        Step::Command { exit, .. } if exit.unwrap_or(0) != 0 => 2,
        Step::Said { by: Speaker::Agent, .. } => 3,
        Step::Edit { .. } => 4,
        Step::Command { .. } => 5,
        Step::Read { .. } => 6,
    }
}

fn shown(step: &Step) -> String {
    match step {
        Step::Said { by: Speaker::Person, text } => format!("PERSON: {text}"),
        Step::Said { by: Speaker::Agent, text } => format!("AGENT: {text}"),
        Step::Command { command, exit, output } => {
            let exit = exit.map_or("unknown".to_owned(), |code| code.to_string());
            format!("COMMAND: {command}\nEXIT: {exit}\n{}", shorten(output, 3_000))
        }
        Step::Edit { file, before, after } if before.is_empty() => {
            format!("WROTE {file}:\n{}", shorten(after, 1_500))
        }
        Step::Edit { file, before, after } => {
            format!("CHANGED {file}:\n- {}\n+ {}", shorten(before, 800), shorten(after, 800))
        }
        Step::Read { file } => format!("READ {file}"),
    }
}

/// A text of at most `most` bytes: its head, its tail, and between them the lines that tell.
pub(crate) fn windows(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let third = most / 3;
    let (start, end) = (whole_head(text, third), whole_tail(text, third));
    let middle = &text[start.len()..text.len() - end.len()];
    let mut told: Vec<(u8, usize, &str)> = Vec::new();
    let mut seen = HashSet::new();
    for (at, line) in middle.lines().flat_map(sentences).enumerate() {
        // What is said over and over with other numbers tells once.
        if let Some(rank) = tells(line)
            && seen.insert(line.chars().filter(|c| !c.is_ascii_digit()).collect::<String>())
        {
            told.push((rank, at, whole_head(line, 300)));
        }
    }
    told.sort_unstable();
    let mut left = third.saturating_sub(16);
    told.retain(|(_, _, line)| {
        let fits = line.len() < left;
        left -= if fits { line.len() + 1 } else { 0 };
        fits
    });
    told.sort_unstable_by_key(|(_, at, _)| *at);
    let telling: String = told.iter().map(|(_, _, line)| format!("{line}\n")).collect();
    format!("{start}\n…\n{telling}…\n{end}")
}

/// A line as it is, or the sentences of a very long one.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> =
        if line.len() > 600 { line.split_inclusive(". ").map(str::trim).collect() } else { vec![line] };
    parts.into_iter()
}

/// Lines about errors and decisions tell most (0), then those that name a path (1).
fn tells(line: &str) -> Option<u8> {
    const SIGNS: [&str; 10] = [
        "because",
        "decided",
        "instead of",
        "rejected",
        "must ",
        "never ",
        "always ",
        "cause",
        "therefore",
        "version",
    ];
    let path = line
        .split_whitespace()
        .any(|word| word.len() < 200 && word.contains('/') && word.contains('.') && !word.contains("://"));
    let says = || line.len() < 2_000 && SIGNS.iter().any(|sign| line.to_lowercase().contains(sign));
    match speaks_of_an_error(line) || says() {
        true => Some(0),
        false => (line.len() < 2_000 && path).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(by: Speaker, text: &str) -> Step {
        Step::Said { by, text: text.to_owned() }
    }

    #[test]
    fn what_tells_most_fits_first_and_stays_in_order() {
        let noise = Step::Command { command: "ls".to_owned(), exit: Some(0), output: "x".repeat(900) };
        let failed =
            Step::Command { command: "make".to_owned(), exit: Some(2), output: "error: no rule".to_owned() };
        let mut steps = vec![said(Speaker::Person, "Fix it.")];
        steps.extend(std::iter::repeat_n(noise, 50));
        steps.push(failed);
        steps.push(said(Speaker::Agent, "Done: the rule was missing."));
        let text = sample(&Run { steps, ..Run::default() }, 2_500);
        assert!(text.len() <= 2_500, "{}", text.len());
        let places: Vec<Option<usize>> =
            ["PERSON: Fix it.", "COMMAND: make", "AGENT: Done"].iter().map(|part| text.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
        assert!(text.contains('…'));
    }

    #[test]
    fn a_long_text_keeps_head_tail_and_what_tells() {
        let noise = "nothing to see here\n".repeat(5_000);
        let text = format!("HEAD {noise}error: the linker is missing\n{noise} TAIL");
        let run = Run { output: text, ..Run::default() };
        let sampled = sample(&run, 3_000);
        assert!(sampled.len() <= 3_100 && sampled.starts_with("HEAD") && sampled.ends_with("TAIL"));
        assert!(sampled.contains("the linker is missing"));
    }

    #[test]
    fn the_middle_of_one_long_message_reaches_whoever_learns() {
        let noise: String =
            (0..3_000).map(|n| format!("step {n} of the build in out/step{n}.o went well\n")).collect();
        let (wrong, decided) = (
            "error[E0432]: unresolved import `crate::pool`",
            "We decided to keep `MAX_POOL` at 5, because the database allows 20 connections.",
        );
        let text = format!("{noise}{wrong}\n{noise}{decided}\n{noise}");
        assert!(text.len() > 170_000);
        for format in [crate::Format::Text, crate::Format::Claude] {
            let mut transcript = crate::Transcript::new(Some(format));
            let line = serde_json::json!({ "type": "assistant", "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] } });
            match format {
                crate::Format::Text => transcript.push(text.as_bytes()),
                _ => transcript.push(format!("{line}\n").as_bytes()),
            }
            let run = transcript.finish();
            for told in [sample(&run, 24_000), run.output.clone()] {
                assert!(told.contains(wrong) && told.contains(decided), "{format:?}");
                assert!(told.len() <= 24_000, "{}", told.len());
            }
        }
    }

    #[test]
    fn every_budget_is_kept() {
        let steps = (0..300).map(|n| said(Speaker::Agent, &format!("é{n} ").repeat(200))).collect();
        let run = Run { steps, ..Run::default() };
        for budget in [0, 100, 1_000, 20_000] {
            assert!(sample(&run, budget).len() <= budget + 4, "{budget}");
        }
    }
}
