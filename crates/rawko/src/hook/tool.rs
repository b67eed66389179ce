//! Before a tool is used, and after it failed: what its command, files or error call.
//!
//! Most uses call nothing, so the index is asked first, and only for triggers
//! that look at a command, a file or an error. A warning is never a refusal.

use std::path::Path;

use rawko_core::{Slug, TaskContext, TaskText};
use rawko_store::{Check, Given, Index, StoreError};

use super::{Answer, ToolResult, ToolUse, heard};
use crate::engine::{Engine, Whose};
use crate::inject::Wish;

/// Most memories that one use of a tool brings.
const MOST: usize = 3;
/// The token budget they share.
const TOKENS: usize = 700;

impl Engine {
    /// What should be known about the use of a tool.
    pub(super) fn about_tool(&self, tool: &ToolUse, given: &mut Given) -> Result<Answer, StoreError> {
        self.called(&self.context(tool, ""), given)
    }

    /// What should be known after a tool failed.
    pub(super) fn after_failure(
        &self,
        tool: &ToolUse,
        result: &ToolResult,
        given: &mut Given,
    ) -> Result<Answer, StoreError> {
        self.called(&self.context(tool, &result.output), given)
    }

    fn context(&self, tool: &ToolUse, error: &str) -> TaskContext {
        let project = self.store(Whose::Project).map(|store| store.layout().project());
        TaskContext {
            command: tool.command.clone(),
            files: tool.files.iter().map(|file| relative(file, project)).collect(),
            error: error.to_owned(),
            ..TaskContext::default()
        }
    }

    fn called(&self, task: &TaskContext, given: &mut Given) -> Result<Answer, StoreError> {
        if task.command.is_empty() && task.files.is_empty() && task.error.is_empty() {
            return Ok(Answer::default());
        }
        let text = TaskText::new(task);
        let (mut only, mut wants_rebuild): (Vec<Slug>, Vec<Whose>) = (Vec::new(), Vec::new());
        for (whose, store) in self.stores() {
            let mut index = Index::open(store, Check::Quick)?;
            only.extend(index.called_by(&text)?);
            wants_rebuild.extend(index.wants_rebuild().then_some(whose));
        }
        only.retain(|slug| !given.has(slug.as_str()));
        if only.is_empty() {
            return Ok(Answer { wants_rebuild, ..Answer::default() });
        }
        let wish = Wish {
            only: Some(only),
            heard: heard(given),
            max: Some(MOST),
            budget: Some(TOKENS),
            ..Wish::default()
        };
        let injection = self.inject(task, &wish)?;
        Ok(self.told(injection, task))
    }
}

/// A file as memories name it: from the project's folder.
fn relative(file: &str, project: Option<&Path>) -> String {
    let inside = project.and_then(|project| Path::new(file).strip_prefix(project).ok());
    inside.map_or_else(|| file.to_owned(), |inside| inside.display().to_string())
}
