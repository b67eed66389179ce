//! Candidates of an injection: what may matter, by the index or on a small store's shelf, with what speaks for each.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use rawko_core::rank::{Hit, Query};
use rawko_core::{
    Alike, Called, Candidate, Embedder, Facts, Fold, Gist, Inject, Memory, Profile, Shelf, Slug, TaskContext,
    TaskText, Term, Weights, Whole, rest_of,
};
use rawko_store::{FileStore, Index, Likeness, Store, StoreError};

use super::alike::Told;
use super::triggers::{Known, Triggers};
use super::{MeaningBy, Wish};
use crate::engine::Whose;

/// How many candidates of each store are looked at closely.
const LOOKED_AT: usize = 40;
/// How many of those, best first, are looked at.
const LOUDEST: usize = 40;
/// How many of them, best first, are compared with each other.
const COMPARED: usize = 20;

/// A candidate's memory with what searches and triggers say of it.
pub(super) struct Gathered<'e> {
    pub(super) whose: Whose,
    /// Without its bodies, where an index gave it.
    pub(super) memory: Memory,
    /// Where the bodies are, if they are not in `memory`.
    file: Option<Unread<'e>>,
    signs: Signs,
}

/// A file that is read when it is asked for.
struct Unread<'e> {
    store: &'e FileStore,
    read: OnceCell<Option<Memory>>,
}

impl Gathered<'_> {
    /// Whether the file says what was judged, as far as it was read.
    pub(super) fn is_as_judged(&self) -> bool {
        let read = self.file.as_ref().and_then(|file| file.read.get());
        read.is_none_or(|read| read.as_ref().is_some_and(|read| read.is_same(&self.memory)))
    }

    /// Who told how alike the task and the memory are.
    pub(super) fn meaning_by(&self) -> MeaningBy {
        match self.signs {
            Signs { alike: Some(_), .. } => MeaningBy::Encoder,
            Signs { unread: true, .. } => MeaningBy::TableAsYet,
            _ => MeaningBy::Table,
        }
    }
}

impl Whole for Gathered<'_> {
    fn whole(&self) -> Option<&Memory> {
        let Some(file) = &self.file else { return Some(&self.memory) };
        let read = || file.store.read_file(&self.memory.slug).ok().flatten();
        file.read.get_or_init(read).as_ref()
    }
}

/// A candidate that is looked at closely: as its index has it, where that has what is asked for.
pub(super) struct Closely<'a, 'e> {
    pub(super) read: &'a Gathered<'e>,
    pub(super) index: Option<&'a Index<'e>>,
}

impl Whole for Closely<'_, '_> {
    fn whole(&self) -> Option<&Memory> {
        self.read.whole()
    }

    fn pairs(&self) -> Option<Vec<Term>> {
        let Signs { hit, context, .. } = &self.read.signs;
        let doc = hit.as_ref().or(context.as_ref())?.doc;
        // Of what is no sketch, the index has another text, or none.
        self.read.file.as_ref().and(self.index)?.pairs(doc)
    }
}

/// What speaks for a memory before a task.
#[derive(Default)]
pub(super) struct Signs {
    hit: Option<Hit>,
    context: Option<Hit>,
    /// By the sentence encoder.
    alike: Option<Alike>,
    /// Whether that is still to read it.
    unread: bool,
    pub(super) called: Option<Called>,
    pub(super) near_trigger: f32,
    /// What it is about, where that is known already.
    gist: Gist<'static>,
    /// Whether it is read closely where the choice depends on it.
    compared: bool,
}

/// Adds what another store has. A name stands for one memory: the first that may say anything to an agent.
///
/// So a memory of the project goes before one of the person's, but a file that
/// came with a repository and that nobody approved silences nothing.
pub(super) fn join<'e>(reads: &mut Vec<Gathered<'e>>, found: Vec<Gathered<'e>>) {
    let places: HashMap<Slug, usize> =
        reads.iter().enumerate().map(|(n, read)| (read.memory.slug.clone(), n)).collect();
    for read in found {
        match places.get(&read.memory.slug) {
            None => reads.push(read),
            Some(&n) if reads[n].memory.for_agents().is_none() => reads[n] = read,
            Some(_) => {}
        }
    }
}

/// What is asked, and what the caller wishes.
pub(super) struct Asked<'a> {
    pub(super) task: &'a TaskContext,
    pub(super) text: &'a TaskText,
    pub(super) wish: &'a Wish,
    pub(super) profile: Profile,
    pub(super) sketches: Sketches,
}

/// Whether memories may be judged by what an index has of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sketches {
    Welcome,
    Refused,
}

/// All memories of a small store, measured among neutral sentences: few memories tell nothing of words.
///
/// Those that may say nothing to an agent stand on a shelf of their own, so that
/// they change neither what a word is worth nor what is left of an allowance.
pub(super) fn on_a_shelf<'e>(
    store: &'e FileStore,
    whose: Whose,
    task: &TaskContext,
    embedder: &Embedder<'_>,
) -> Result<Vec<Gathered<'e>>, StoreError> {
    let memories = store.read_all()?.memories;
    let (speaking, silent): (Vec<&Memory>, Vec<&Memory>) =
        memories.iter().partition(|memory| memory.may_speak());
    let mut signs: HashMap<Slug, Signs> = HashMap::new();
    for shelf in [speaking, silent] {
        let shelf = Shelf::new(shelf, *embedder);
        signs.extend(shelf.candidates(task, &Weights::TUNED).into_iter().map(|found| {
            let Candidate { slug, called, near_trigger, hit, context, gist, .. } = found;
            let gist = gist.known();
            (slug.clone(), Signs { hit, context, called, near_trigger, gist, ..Signs::default() })
        }));
    }
    let read = |memory: Memory| {
        let signs = signs.remove(&memory.slug).unwrap_or_default();
        Gathered { whose, memory, file: None, signs }
    };
    Ok(memories.into_iter().map(read).collect())
}

/// The memories of a store that may matter, named by its index, and as the index or their files have them.
pub(super) fn from_index<'e>(
    index: &mut Index<'_>,
    store: &'e FileStore,
    whose: Whose,
    asked: &Asked<'_>,
    embedder: &Embedder<'_>,
    told: Option<&Told<'_>>,
) -> Result<Vec<Gathered<'e>>, StoreError> {
    let query = Query::of(&asked.task.task, embedder);
    // Origin's rules know no loudness: whom they call, they call.
    let loudest = if asked.profile == Profile::Classic { usize::MAX } else { Index::CALLED };
    let likeness = |key: &_| Some(told?.likeness(key)?.said);
    let likeness: Option<&Likeness<'_>> = if told.is_some_and(Told::finds) { Some(&likeness) } else { None };
    let called = Some((asked.text, loudest));
    let found = index.candidates_for_agents(&query, called, LOOKED_AT, &Weights::TUNED, likeness)?;
    let (mut slugs, mut hits, mut context) = (Vec::new(), HashMap::new(), HashMap::new());
    let mut triggers = Triggers::knowing(Known::new(), index, asked.text, &query, embedder);
    // Behind the best answers only a loud call can still bring a memory in.
    let (mut places, mut loudest) = ([0, 0], [0, 0]);
    for found in found {
        let speaks = usize::from(found.may_speak);
        places[speaks] += 1;
        let near = places[speaks] <= LOOKED_AT || found.is_near || asked.profile == Profile::Classic;
        let mut is_loud = false;
        for call in &found.calls {
            // What triggers of the nearest say is asked for anyway: here they are compiled already.
            is_loud |= (near || !is_loud) && triggers.is_loud(call, found.may_speak);
        }
        loudest[speaks] += usize::from(is_loud && !near);
        if near || (is_loud && loudest[speaks] <= LOUDEST) {
            slugs.push(found.slug.clone());
            hits.insert(found.slug, found.hit);
        }
    }
    let known = triggers.into_known();
    let rest = rest_of(asked.task);
    if !rest.trim().is_empty() {
        let rest = Query::of(&rest, embedder);
        let found = index.candidates_for_agents(&rest, None, LOOKED_AT, &Weights::TUNED, None)?;
        slugs.extend(found.iter().map(|found| found.slug.clone()));
        context = found.into_iter().map(|found| (found.slug, found.hit)).collect();
    }
    slugs.extend(asked.wish.ask_about.iter().cloned());
    slugs.extend(index.replacing(&slugs)?);
    let mut seen = HashSet::new();
    slugs.retain(|slug| seen.insert(slug.clone()));
    let doc = |slug: &Slug| hits.get(slug).or_else(|| context.get(slug)).map(|hit: &Hit| hit.doc);
    let mut memories = memories(index, store, &slugs, doc, asked.sketches)?;
    let mut triggers = Triggers::knowing(known, index, asked.text, &query, embedder);
    let mut reads = Vec::new();
    let mut compared = 0;
    for slug in &slugs {
        let Some((memory, is_sketch)) = memories.remove(slug) else { continue };
        let (hit, context) = (hits.remove(slug), context.remove(slug));
        let speaks = memory.may_speak();
        compared += usize::from(speaks);
        let signs = match memory.for_agents().or_else(|| memory.now()) {
            // Reading a memory closely costs most; only what may be chosen is compared.
            Some(fold) => {
                Signs { hit, context, compared: speaks && compared <= COMPARED, ..triggers.of(&fold, speaks) }
            }
            None => Signs::default(),
        };
        let file = is_sketch.then(|| Unread { store, read: OnceCell::new() });
        reads.push(Gathered { whose, memory, file, signs });
    }
    Ok(reads)
}

/// Tells how alike the task is to each, as far as the sentence encoder knows; and how many of them it has not read.
pub(super) fn liken(found: &mut [Gathered<'_>], store: &FileStore, told: &Told<'_>) -> usize {
    let mut unread = 0;
    for read in found.iter_mut() {
        let key = store.speech_key(&read.memory);
        read.signs.alike = told.likeness(&key).filter(|_| read.memory.may_speak());
        read.signs.unread = told.is_unread(&read.memory, &key);
        unread += usize::from(read.signs.unread);
    }
    compare_nearest(found);
    unread
}

/// Has those read closely that are nearest by words and by the encoder, where it was asked.
fn compare_nearest(found: &mut [Gathered<'_>]) {
    let near = |signs: &Signs| {
        let alike = signs.alike.map_or(0.0, |alike| Inject::TUNED.sentences * alike.said);
        alike + signs.hit.as_ref().map_or(0.0, |hit| hit.score)
    };
    // On a shelf all has been read closely.
    let mut nearest: Vec<&mut Signs> = found
        .iter_mut()
        .filter(|read| read.memory.may_speak() && read.signs.gist.is_unknown())
        .map(|read| &mut read.signs)
        .collect();
    if nearest.iter().any(|signs| signs.alike.is_some()) {
        nearest.sort_by(|a, b| near(b).total_cmp(&near(a)));
        (0..).zip(nearest).for_each(|(place, signs)| signs.compared = place < COMPARED);
    }
}

/// Memories by name, each with whether it is a sketch: what the index cannot say is read from the files.
fn memories(
    index: &Index<'_>,
    store: &FileStore,
    slugs: &[Slug],
    doc: impl Fn(&Slug) -> Option<u32>,
    sketches: Sketches,
) -> Result<HashMap<Slug, (Memory, bool)>, StoreError> {
    let (mut known, mut to_read) = (HashMap::with_capacity(slugs.len()), Vec::new());
    for slug in slugs {
        let doc = doc(slug).filter(|_| sketches == Sketches::Welcome);
        match doc.and_then(|doc| index.sketch(doc)).filter(|sketch| sketch.slug == *slug) {
            Some(sketch) => drop(known.insert(slug.clone(), (sketch, true))),
            None => to_read.push(slug.clone()),
        }
    }
    if !to_read.is_empty() {
        let read = store.read_some(&to_read)?;
        known.extend(read.into_iter().map(|memory| (memory.slug.clone(), (memory, false))));
    }
    Ok(known)
}

pub(super) fn candidate<'a>(
    closely: &'a Closely<'_, '_>,
    fold: &'a Fold<'a>,
    embedder: Embedder<'a>,
) -> Candidate<'a> {
    let read = closely.read;
    let signs = &read.signs;
    let gist = match (signs.compared, &read.file) {
        (false, _) => signs.gist.clone(),
        (true, None) => Gist::of(fold, embedder),
        (true, Some(_)) => Gist::later(closely, embedder),
    };
    Candidate {
        slug: &read.memory.slug,
        facts: Facts::of(fold),
        called: signs.called.clone(),
        near_trigger: signs.near_trigger,
        alike: signs.alike,
        hit: signs.hit.clone(),
        context: signs.context.clone(),
        gist,
        staleness: None,
        usefulness: 0.0,
    }
}
