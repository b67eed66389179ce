//! The block for the prompt: the chosen memories within the budget, with what must be known before they are believed.

use rawko_core::rank::Query;
use rawko_core::{Budget, Embedder, Fold, Kind, Shown, TaskContext, Whole, render, rest_of, tokens};

use super::gather::Gathered;
use super::{Considered, Injection};
use crate::search::best_passage;

/// A text from the passage on that a task asks for, where that lies beyond the text's share of the budget.
pub(super) fn from_passage(
    text: String,
    share: usize,
    task: &TaskContext,
    embedder: &Embedder<'_>,
) -> String {
    let asked = if task.task.trim().is_empty() { rest_of(task) } else { task.task.clone() };
    let query = Query::of(&asked, embedder);
    let (all, best) = best_passage(&text, &query, embedder);
    let best = best.filter(|best| tokens(&text[..best.end]) > share);
    // Within a fence, the text goes on from before it.
    let is_outside =
        |at: &usize| text[..*at].lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 0;
    let starts = all.into_iter().map(|passage| passage.start);
    let start =
        best.and_then(|best| starts.take_while(|start| *start <= best.start).filter(is_outside).last());
    match start {
        Some(start) if start > 0 => format!("[…]\n\n{}", &text[start..]),
        _ => text,
    }
}

/// Puts the chosen memories into the block, within the budget; `part` gives what is shown of a text that is too long for
/// it, by its share.
pub(super) fn rendered(
    mut verdicts: Vec<Considered>,
    reads: &[Gathered<'_>],
    budget: Budget,
    part: &dyn Fn(String, usize) -> String,
) -> Injection {
    let to_be_shown = |verdict: &&Considered| verdict.is_to_be_shown();
    let memory = |verdict: &Considered| {
        let read = reads.iter().find(|read| read.memory.slug == verdict.judged.slug)?;
        Some((read.whole()?, verdict.stale.clone()))
    };
    let told: Vec<_> = verdicts.iter().filter(to_be_shown).filter_map(memory).collect();
    let mut shown = Vec::new();
    for (memory, stale) in &told {
        let Some(fold) = memory.for_agents().or_else(|| memory.now()) else { continue };
        let mut one = Shown::of(&fold, notes(&fold, stale.as_deref()));
        for body in one.bodies.iter_mut().filter(|body| tokens(&body.text) > budget.tokens) {
            body.text = part(body.text.to_string(), budget.tokens / told.len()).into();
        }
        shown.push(one);
    }
    let (block, fitted) = render(&shown, budget);
    let chosen = verdicts.iter_mut().filter(|verdict| verdict.is_to_be_shown());
    chosen.skip(fitted).for_each(|verdict| verdict.crowded_out = true);
    Injection { block, considered: verdicts, ..Injection::default() }
}

/// What the agent must know about a memory before it believes it.
pub(crate) fn notes(fold: &Fold<'_>, stale: Option<&str>) -> Vec<String> {
    let mut notes = Vec::new();
    if fold.tags.iter().any(|tag| tag.eq_ignore_ascii_case("failures") || tag.eq_ignore_ascii_case("failure"))
    {
        notes.push("Avoid: this was tried and failed".to_owned());
    }
    if fold.kind == Kind::Procedure {
        notes.push("Rule: follow this where it applies".to_owned());
    }
    if let Some(reason) = stale {
        notes.push(format!("Check first: {reason} since this was learned"));
    }
    notes
}
