//! What hooks ask an index: whom a tool's command or file calls, and what matters most.

use rawko_core::rank::Source;
use rawko_core::{Place, Slug, TaskText};

use super::Index;
use super::literals::TYPED;
use crate::error::StoreError;

impl Index<'_> {
    /// The memories that a command, a file or an error calls by a trigger of its own kind, loudest first.
    ///
    /// Hints, as everything that an index says: the memories are to be read and asked again.
    pub fn called_by(&mut self, text: &TaskText) -> Result<Vec<Slug>, StoreError> {
        let counts = |index: &Self, doc| !index.is_unrecorded(doc) && index.may_speak(doc).unwrap_or(true);
        let called =
            self.whole(|index| index.called(text, &[TYPED], Index::CALLED, &|doc| counts(index, doc)))?;
        let mut loud: Vec<(f32, u32)> = Vec::new();
        for (doc, calls) in called {
            let of_its_kind = |place| matches!(place, Place::Command | Place::Files | Place::Error);
            let strongest = calls.iter().find(|call| of_its_kind(call.how.place));
            loud.extend(strongest.map(|call| (call.how.strength, doc)));
        }
        loud.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(loud.into_iter().filter_map(|(_, doc)| self.view.slug(doc).ok()).collect())
    }

    /// The memories that call themselves critical and may speak, newest first: a hint, to be read again.
    pub fn critical(&mut self) -> Result<Vec<Slug>, StoreError> {
        self.whole(|index| {
            let mut found = Vec::new();
            for doc in index.view.critical()? {
                if index.may_speak(doc)? {
                    found.push((index.view.time(doc)?, index.view.slug(doc)?));
                }
            }
            found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.as_str().cmp(b.1.as_str())));
            Ok(found.into_iter().map(|(_, slug)| slug).collect())
        })
    }
}
