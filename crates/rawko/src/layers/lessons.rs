//! What did we learn? Knowledge from episodes, through the same door as everything that agents say.

use rawko_core::{
    Channel, Circumstances, MemoryEntry, Run, RunResult, Speaker, Step, Trust, extract_offline,
};
use rawko_store::StoreError;

use super::Layers;
use crate::extract::Judged;

/// What episodes taught.
#[derive(Debug, Default)]
pub struct LearnedFrom {
    /// Episodes that were read.
    pub episodes: usize,
    /// Every proposal with admission's verdict.
    pub judged: Vec<Judged>,
}

impl Layers<'_> {
    /// Proposes knowledge from the newest episodes; admission decides. With `dry_run` nothing is stored.
    pub fn learn_from_episodes(&self, most: usize, dry_run: bool) -> Result<LearnedFrom, StoreError> {
        let mut entries = self.episodes().newest(most, tells)?.entries;
        entries.reverse();
        let mut learned = LearnedFrom { episodes: entries.len(), judged: Vec::new() };
        for entry in &entries {
            let run = run(entry);
            // A line of the log does not tell whose words its agent repeats: a person looks first.
            let lowest = Some(Trust::Untrusted);
            let circumstances = Circumstances {
                is_persons: false,
                task: run.task.clone(),
                output: run.output.clone(),
                injected: String::new(),
                lowest,
                looked_through: true,
                wished: rawko_core::Wished::No,
            };
            for proposal in extract_offline(&run, self.engine.now()) {
                let judged = if dry_run {
                    let admission =
                        self.engine.foresee(self.whose, &proposal, &circumstances, Channel::Agent)?;
                    Judged { proposal, admission, saved: None }
                } else {
                    let done = self.engine.admit_to(self.whose, &proposal, &circumstances, Channel::Agent)?;
                    Judged { proposal, admission: done.admission, saved: done.saved }
                };
                learned.judged.push(judged);
            }
        }
        Ok(learned)
    }
}

/// Whether an episode says what came of something: what was asked for is nobody's finding.
fn tells(entry: &MemoryEntry) -> bool {
    !matches!(entry.text("kind"), "started" | "summary")
}

/// The run that an episode tells of.
fn run(entry: &MemoryEntry) -> Run {
    let said = Some(entry.text("result")).filter(|said| !said.is_empty()).unwrap_or(&entry.content);
    let failed = entry.text("kind") == "failed";
    Run {
        is_for_agent: false,
        agent: entry.text("agent").to_owned(),
        task: entry.text("prompt").to_owned(),
        output: said.to_owned(),
        result: if failed { RunResult::Failure } else { RunResult::Success },
        error: Some(entry.text("error").to_owned()).filter(|error| !error.is_empty()),
        steps: vec![Step::Said { by: Speaker::Agent, text: said.to_owned() }],
        injected: Vec::new(),
        strangers: false,
        heard: Vec::new(),
        foreign: Vec::new(),
        session: Some(entry.text("session").to_owned()).filter(|session| !session.is_empty()),
    }
}
