//! Before a tool is used, and after it failed: what its command, files or error call.
//!
//! Most uses call nothing, so the index is asked first, and only for triggers
//! that look at a command, a file or an error. A warning is never a refusal.

use std::path::Path;

use rawko_core::ledger::{Because, Failure, Move, Outcome, exit_code};
use rawko_core::{Body, Budget, Importance, Shown, Slug, TaskContext, TaskText, in_a_line, render};
use rawko_store::{Check, Given, Index, StoreError};

use super::{Answer, HostEvent, Moment, ToolUse, heard};
use crate::engine::{Engine, Whose};
use crate::inject::Wish;
use crate::ledger::{Event, Screen};
use crate::receipt::Unasked;

/// Most memories that one use of a tool brings.
const MOST: usize = 3;
/// The token budget they share.
const TOKENS: usize = 700;
/// Most characters of what a person is asked.
const REASON: usize = 300;

impl Engine {
    /// What should be known before a tool is used: what failed before comes first.
    pub(super) fn before_tool(
        &self,
        event: &HostEvent,
        tool: &ToolUse,
        given: &mut Given,
    ) -> Result<Answer, StoreError> {
        let mut answer = Answer::default();
        let call = Some(tool.call.as_str()).filter(|call| !call.is_empty());
        // A ledger that cannot be read is no reason to keep memories back.
        let moved = self.moved(event, tool);
        if let Ok(Some(warning)) = self.before(&moved, call) {
            // Of what stands behind it, each move hears once; the failed move itself hears it every time.
            let name = format!("failure {} {:x}", warning.failure.id, moved.fingerprint());
            if warning.because == Because::Same && self.config().text("hook.onRepeat") == "ask" {
                answer.asks = Some(format!("rawko: {}", in_a_line(&warning.text(), REASON)));
            }
            if warning.because == Because::Same || !given.has(&name) {
                let text = warned("This was tried before and failed", warning.text(), TOKENS);
                let why = match warning.because {
                    Because::Same => "the very same was tried before and failed",
                    Because::Root(_) => "it needs what was not there when this failed",
                };
                if answer.add(&text, [name]) {
                    answer.unasked.push(failed(&warning.failure, why));
                }
            }
        }
        let called = self.called_by(event, tool, "", given)?;
        answer.take(called);
        Ok(answer)
    }

    /// What a tool's command, files and error call.
    pub(super) fn called_by(
        &self,
        event: &HostEvent,
        tool: &ToolUse,
        error: &str,
        given: &mut Given,
    ) -> Result<Answer, StoreError> {
        self.called(event, &self.context(tool, error), given)
    }

    /// Takes notice of what became of a tool's use.
    pub(super) fn take_notice(&self, event: &HostEvent) {
        self.note_run(event);
        let (tool, outcome) = match &event.moment {
            Moment::AfterTool(tool, result) => (tool, Outcome::Succeeded { output: result.output.clone() }),
            Moment::ToolFailed(tool, result) => {
                let error = exit_code(&result.output).1.to_owned();
                (tool, Outcome::Failed { exit: result.exit, error, interrupted: result.interrupted })
            }
            _ => return,
        };
        let told = Event {
            moved: self.moved(event, tool),
            cwd: event.folder.clone(),
            outcome,
            session: event.session.clone(),
            agent: if event.agent.is_empty() { event.host.clone() } else { event.agent.clone() },
            call: Some(tool.call.clone()).filter(|call| !call.is_empty()),
            cause: None,
            lesson: None,
        };
        let _ = self.record(&told);
    }

    /// What failed here and would fail again: told at the start, because a host hands on what is said before a tool
    /// only with the tool's result.
    pub(crate) fn known_failures(&self, most: usize) -> (String, Vec<Unasked>) {
        let screen = Screen::default();
        let line = |failure: &Failure| {
            format!("- `{}`\n{}", screen.command(failure), screen.error(failure, 1).trim_end())
        };
        let known = self.standing(most);
        let told = known.iter().map(|failure| failed(failure, "it would fail again"));
        (known.iter().map(line).collect::<Vec<_>>().join("\n"), told.collect())
    }

    fn moved(&self, event: &HostEvent, tool: &ToolUse) -> Move {
        match tool.command.is_empty() {
            true => self.tool_call(&tool.name, &tool.input, &event.folder),
            false => self.command(&tool.command, &event.folder),
        }
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

    fn called(&self, event: &HostEvent, task: &TaskContext, given: &mut Given) -> Result<Answer, StoreError> {
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
        Ok(self.told(event, injection, task))
    }
}

/// That a session was warned of a failed move, and why.
fn failed(failure: &Failure, why: &str) -> Unasked {
    let name = format!("failure {}", failure.id);
    Unasked { name, title: Screen::default().command(failure), why: why.to_owned() }
}

/// A warning as a block of its own: what failed tools printed is data, too.
pub(crate) fn warned(title: &str, text: String, tokens: usize) -> String {
    let (by, importance) = ("rawko", Importance::High);
    let bodies = vec![Body { by, text: text.into(), is_earlier: false }];
    let shown = Shown { title, importance, discovered_by: by, bodies, notes: Vec::new() };
    render(&[shown], Budget { tokens, characters: Budget::MOST_CHARACTERS }).0
}

/// A file as memories name it: from the project's folder.
fn relative(file: &str, project: Option<&Path>) -> String {
    let inside = project.and_then(|project| Path::new(file).strip_prefix(project).ok());
    inside.map_or_else(|| file.to_owned(), |inside| inside.display().to_string())
}
