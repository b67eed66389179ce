//! Where a proposed memory would have fired: it alone before the tasks in past receipts, by the choice that injects.

use rawko_core::{Embedder, Memory, Shelf, Slug, Standing, Status, Trust, Weights, choose, parse};
use rawko_store::StoreError;
use serde_json::Value;

use crate::engine::Engine;
use crate::inject::Wish;
use crate::queue::asked_in;

/// What a replay found.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// How many past tasks there are.
    pub tasks: usize,
    /// Before what it would have fired, newest first.
    pub fired: Vec<PastTask>,
}

/// A past task.
#[derive(Clone, Debug, Default)]
pub struct PastTask {
    /// When it was asked for.
    pub at: String,
    /// The host's session; empty where no host asked.
    pub session: String,
    /// Its first words.
    pub task: String,
    /// What would have brought the memory in.
    pub by: By,
}

/// What brings a memory into a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// One of its triggers.
    #[default]
    Trigger,
    /// What it says, by words and meaning.
    Relevance,
}

impl By {
    /// The word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trigger => "trigger",
            Self::Relevance => "relevance",
        }
    }
}

impl Engine {
    /// Puts a memory's text before past tasks, as if a person had approved it; `None` where the text holds no entry.
    pub fn replay(&self, text: &str) -> Result<Option<Replayed>, StoreError> {
        let mut thread = parse(text);
        if thread.entries.is_empty() {
            return Ok(None);
        }
        for known in &mut thread.entries {
            let status = &mut known.entry.frontmatter.status;
            *status = status.filter(|status| *status != Status::Pending);
        }
        let slug = Slug::from_title(&thread.entries[0].entry.frontmatter.title);
        let memory = Memory::new(slug, thread, |_| Standing::Approved, Trust::Human);
        let shelf = Shelf::new([&memory], Embedder::built_in());
        let receipts = self.past_tasks()?;
        let past = |receipt: &Value| Some(PastTask { by: self.brings(&shelf, receipt)?, ..told_of(receipt) });
        let fired = receipts.iter().filter_map(past).collect();
        Ok(Some(Replayed { tasks: receipts.len(), fired }))
    }

    /// What brings the memory on a shelf in before a past task; `None` where it stays out.
    fn brings(&self, shelf: &Shelf<'_>, receipt: &Value) -> Option<By> {
        let task = asked_in(receipt);
        let candidates = shelf.candidates(&task, &Weights::TUNED);
        let judged = choose(&candidates, &task, &self.settings(&task, &Wish::default()), self.now());
        let is_called = candidates.first()?.called.is_some();
        judged.first()?.outcome.is_chosen().then_some(if is_called { By::Trigger } else { By::Relevance })
    }
}

fn told_of(receipt: &Value) -> PastTask {
    let told = |key| receipt[key].as_str().unwrap_or_default().to_owned();
    // Before a tool there is no task: what called is its command, its file or its error.
    let file = || receipt["files"][0].as_str().unwrap_or_default().to_owned();
    let said = [told("task"), told("command"), file(), told("error")];
    let task = said.into_iter().find(|said| !said.is_empty()).unwrap_or_default();
    PastTask { at: told("at"), session: told("session"), task, by: By::default() }
}
