//! Runs of agents through the offline extractor: one line per run, as the scorer reads them.
//!
//! `proposed` is what the extractor says; `admitted` is what admission then leaves of it. The runs come
//! without their repositories, so no claim is looked up: admission judges by the words alone.

use std::fs;
use std::io::Write;
use std::path::Path;

use rawko_core::{
    AutoApprove, Background, Circumstances, Decision, Lineage, Memory, Proposal, Run, RunResult, Slug,
    Standing, Transcript, Trust, Wished, extract_offline, wished, wishes,
};
use serde_json::{Value, json};

use crate::set::Result;

/// Extracts from every run of `folder` and writes `{"id", "memories": [{"title", "content"}]}` lines.
pub(crate) fn run(folder: &Path, setting: &str, out: Option<&Path>) -> Result<()> {
    let admitted = match setting {
        "" | "proposed" => false,
        "admitted" => true,
        other => return Err(format!("extract has no setting `{other}`")),
    };
    let path = folder.join("runs.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = String::new();
    let (mut runs, mut memories) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let record: Value =
            serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let kept = extracted(folder, &record, admitted)?;
        (runs, memories) = (runs + 1, memories + kept.len());
        lines.push_str(&json!({ "id": record["id"], "memories": kept }).to_string());
        lines.push('\n');
    }
    match out {
        Some(out) => fs::write(out, lines).map_err(|error| format!("{}: {error}", out.display()))?,
        None => std::io::stdout().write_all(lines.as_bytes()).map_err(|error| error.to_string())?,
    }
    eprintln!("{runs} runs, {memories} memories");
    Ok(())
}

fn extracted(folder: &Path, record: &Value, admitted: bool) -> Result<Vec<Value>> {
    let mut run = match record["transcript"].as_str() {
        Some(name) => {
            let path = folder.join(name);
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let mut transcript = Transcript::new(None);
            transcript.push(&bytes);
            transcript.finish()
        }
        None => {
            Run { output: record["agentOutput"].as_str().unwrap_or_default().to_owned(), ..Run::default() }
        }
    };
    run.agent = record["agent"].as_str().unwrap_or_default().to_owned();
    run.task = record["task"].as_str().unwrap_or_default().to_owned();
    run.result = record["result"].as_str().and_then(RunResult::parse).unwrap_or_default();
    run.error = record["error"].as_str().map(str::to_owned);
    let now = jiff::Timestamp::UNIX_EPOCH;
    let proposals = extract_offline(&run, now);
    let entries = if admitted {
        through_admission(&run, proposals)
    } else {
        proposals.into_iter().map(|proposal| proposal.entry).collect()
    };
    let told = |entry: &rawko_core::Entry| json!({ "title": entry.frontmatter.title, "content": entry.body });
    Ok(entries.iter().map(told).collect())
}

/// What admission would store of a run's proposals, each compared with those before it.
fn through_admission(run: &Run, proposals: Vec<Proposal>) -> Vec<rawko_core::Entry> {
    let mut circumstances = Circumstances {
        task: run.task.clone(),
        output: run.output.clone(),
        injected: run.injected.join("\n\n"),
        lowest: None,
        looked_through: true,
        wished: Wished::No,
        is_persons: false,
    };
    let wishes = wishes(run);
    let lineage = Lineage::of(run);
    let (mut known, mut kept): (Vec<Memory>, Vec<rawko_core::Entry>) = (Vec::new(), Vec::new());
    for proposal in proposals {
        let background =
            Background { known: &known, instructions: &[], ground: None, approve: AutoApprove::All };
        circumstances.wished = wished(&proposal.entry.body, &wishes);
        let verdict = rawko_core::admit(&proposal, &circumstances, &background);
        if verdict.decision == Decision::Refuse {
            eprintln!("refused ({}): {}", verdict.reason.name(), proposal.entry.body);
            continue;
        }
        if lineage.lowest(&verdict.entry.body).is_some() {
            eprintln!("waits, it may be a stranger's word: {}", proposal.entry.body);
        }
        let slug = Slug::from_title(&verdict.entry.frontmatter.title);
        let thread = rawko_core::parse(&verdict.entry.to_text());
        known.push(Memory::new(slug, thread, |_| Standing::Unknown, Trust::Agent));
        kept.push(verdict.entry);
    }
    kept
}
