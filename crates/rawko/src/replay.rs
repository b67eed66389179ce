//! Where a proposed memory would have fired: its triggers against the tasks in past receipts.

use rawko_core::{Slug, Standing, Trust, parse};
use rawko_store::StoreError;

use crate::engine::Engine;
use crate::queue::fires;

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
}

impl Engine {
    /// Holds the triggers of a memory's text against past tasks; `None` where the text holds no entry.
    pub fn replay(&self, text: &str) -> Result<Option<Replayed>, StoreError> {
        let thread = parse(text);
        if thread.entries.is_empty() {
            return Ok(None);
        }
        let slug = Slug::from_title(&thread.entries[0].entry.frontmatter.title);
        let memory = rawko_core::Memory::new(slug, thread, |_| Standing::Unknown, Trust::Human);
        let receipts = self.past_tasks()?;
        let past = |receipt: &serde_json::Value| {
            let told = |key| receipt[key].as_str().unwrap_or_default().to_owned();
            // Before a tool there is no task: what called is its command, its file or its error.
            let file = || receipt["files"][0].as_str().unwrap_or_default().to_owned();
            let said = [told("task"), told("command"), file(), told("error")];
            let task = said.into_iter().find(|said| !said.is_empty()).unwrap_or_default();
            PastTask { at: told("at"), session: told("session"), task }
        };
        let fired = receipts.iter().filter(|receipt| fires(&memory, receipt)).map(past).collect();
        Ok(Some(Replayed { tasks: receipts.len(), fired }))
    }
}
