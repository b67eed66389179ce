//! What the triggers of memories say of one task, each distinct one tried once.

use std::cell::RefCell;
use std::collections::HashMap;

use rawko_core::rank::Query;
use rawko_core::{Called, Compiled, Embedder, Fold, Match, TaskText, Trigger, Work, compile_within};
use rawko_store::Index;

use super::gather::Signs;

/// How loud a trigger must call a memory that the search does not put among these.
const LOUD: f32 = 0.3;

/// What triggers say of one task; many memories share a trigger, and each distinct one is tried once.
pub(super) struct Triggers<'a, 's> {
    index: &'a Index<'s>,
    text: &'a TaskText,
    query: &'a Query,
    embedder: &'a Embedder<'a>,
    /// By whether an entry that may speak has it: triggers that nobody approved must not use up the
    /// allowance of others.
    work: [Work; 2],
    known: Known,
    /// Many triggers share their words.
    counted: RefCell<HashMap<String, f32>>,
}

/// What distinct triggers say, by whether an entry that may speak has them.
pub(super) type Known = HashMap<(Trigger, bool), Told>;

/// What one trigger says of a task.
#[derive(Clone, Default)]
pub(super) struct Told {
    near: f32,
    how: Option<Match>,
}

impl<'a, 's> Triggers<'a, 's> {
    /// With what is known already of this task.
    pub(super) fn knowing(
        known: Known,
        index: &'a Index<'s>,
        text: &'a TaskText,
        query: &'a Query,
        embedder: &'a Embedder<'a>,
    ) -> Self {
        let (work, counted) = Default::default();
        Self { index, text, query, embedder, work, known, counted }
    }

    pub(super) fn into_known(self) -> Known {
        self.known
    }

    /// What a memory's triggers say: those of entries that may speak, not those that an index saw.
    pub(super) fn of(&mut self, fold: &Fold<'_>, speaks: bool) -> Signs {
        let mut signs = Signs::default();
        for trigger in &fold.when_to_use {
            let told = self.told(trigger, speaks);
            signs.near_trigger = signs.near_trigger.max(told.near);
            let strength = |called: &Called| called.how.strength;
            if let Some(how) = told.how
                && signs.called.as_ref().is_none_or(|known| how.strength > strength(known))
            {
                signs.called = Some(Called { trigger: trigger.text().to_owned(), how });
            }
        }
        signs
    }

    pub(super) fn is_loud(&mut self, call: &rawko_store::Called, speaks: bool) -> bool {
        self.of_call(call, speaks).how.is_some_and(|how| how.strength >= LOUD)
    }

    /// What a trigger says that the index compiled and matched already.
    fn of_call(&mut self, call: &rawko_store::Called, speaks: bool) -> Told {
        let Some(compiled) = &call.compiled else { return self.told(&call.trigger, speaks) };
        let key = (call.trigger.clone(), speaks);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let told = self.heard(compiled, Some(call.how.clone()), speaks);
        self.known.insert(key, told.clone());
        told
    }

    fn told(&mut self, trigger: &Trigger, speaks: bool) -> Told {
        let key = (trigger.clone(), speaks);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let work = &mut self.work[usize::from(speaks)];
        let compiled = compile_within(trigger, work);
        let how = compiled.matches_text(self.text, None, work);
        let told = self.heard(&compiled, how, speaks);
        self.known.insert(key, told.clone());
        told
    }

    /// What a compiled trigger says, given how it matches where nobody counts words.
    fn heard(&mut self, compiled: &Compiled, mut how: Option<Match>, speaks: bool) -> Told {
        let near =
            compiled.natural().map_or(0.0, |natural| self.embedder.embed(natural).dot(&self.query.vector));
        if let Some(how) = &mut how {
            // As loud as the quieter count has it: common in programming, or common here.
            let (index, counted, work) = (self.index, &self.counted, &mut self.work[usize::from(speaks)]);
            let rarity = |stem: &str| rarity(index, counted, stem);
            let here = compiled.matches_text(self.text, Some(&rarity), work);
            how.strength = how.strength.min(here.map_or(0.0, |how| how.strength));
        }
        Told { near, how }
    }
}

fn rarity(index: &Index<'_>, counted: &RefCell<HashMap<String, f32>>, stem: &str) -> f32 {
    let known = counted.borrow().get(stem).copied();
    known.unwrap_or_else(|| {
        let rarity = index.rarity(stem).unwrap_or(1.0);
        counted.borrow_mut().insert(stem.to_owned(), rarity);
        rarity
    })
}
