//! What hooks ask an index: whom a tool's command or file calls, and what matters most.

use rawko_core::rank::Source;
use rawko_core::{Importance, Place, Slug, Status, TaskText, Trigger};

use super::Index;
use super::bytes::Damage;
use super::overlay::View;
use crate::error::StoreError;

/// Memories beyond which nobody goes through all of them before a session.
const MOST_LISTED: usize = 200_000;

impl Index<'_> {
    /// The memories that a command, a file or an error calls by a trigger of its own kind, loudest first.
    ///
    /// Hints, as everything that an index says: the memories are to be read and asked again.
    pub fn called_by(&mut self, text: &TaskText) -> Result<Vec<Slug>, StoreError> {
        let called = match self.called(text) {
            Ok(called) => called,
            Err(damage) => {
                self.drop_base(damage)?;
                self.called(text).unwrap_or_default()
            }
        };
        let mut loud: Vec<(f32, u32)> = Vec::new();
        for (doc, calls) in called {
            let of_its_kind = |place| matches!(place, Place::Command | Place::Files | Place::Error);
            let strongest = calls.iter().find(|call| is_typed(&call.trigger) && of_its_kind(call.how.place));
            loud.extend(strongest.map(|call| (call.how.strength, doc)));
        }
        loud.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(loud.into_iter().filter_map(|(_, doc)| self.view.slug(doc).ok()).collect())
    }

    /// The memories of one importance that seem to be in use, newest first.
    pub fn of_importance(&self, importance: Importance) -> Vec<Slug> {
        of_importance(&self.view, importance).unwrap_or_default()
    }
}

/// Whether a trigger looks at one kind of text alone.
fn is_typed(trigger: &Trigger) -> bool {
    matches!(trigger, Trigger::Path(_) | Trigger::Command(_) | Trigger::Error(_))
}

fn of_importance(view: &View, importance: Importance) -> Result<Vec<Slug>, Damage> {
    let mut found = Vec::new();
    for doc in 0..view.slots().min(MOST_LISTED) as u32 {
        let is_there = view.base().is_none_or(|base| doc >= base.docs() || view.is_shown(doc));
        if !is_there || view.time(doc)?.is_none() {
            continue;
        }
        let (facts, _) = view.facts(doc)?;
        if facts.importance == importance && facts.status == Status::Active {
            found.push((facts.discovered_at, view.slug(doc)?));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.as_str().cmp(b.1.as_str())));
    Ok(found.into_iter().map(|(_, slug)| slug).collect())
}
