//! The search index: derived, disposable, and never trusted more than the files.
//!
//! One immutable file in `cache/` answers searches without parsing anything;
//! what is newer than it is read from the memories' files and searched in
//! memory by the same ranking, so an index changes how long an answer takes
//! and not what it is. `cache/` may come from anywhere: the file is signed,
//! every block is checked as it is read, and whatever fails is dropped and the
//! files are read instead. A prompt never waits for a rebuild.
//!
//! No word of who may be believed is in here: see `document.rs`.

mod base;
mod build;
mod bytes;
mod calls;
mod card;
mod document;
mod forward;
mod fresh;
mod key;
mod literals;
mod notes;
mod overlay;
mod pages;
mod rice;
mod signs;
mod stamp;
mod table;
mod terms;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::rc::Rc;

use rawko_core::rank::{Hit, Likened, NearWords, Query, Source, Wanted, search, skim};
use rawko_core::{
    Compiled, Embedder, Match, Memory, Rarity, Slug, TaskText, Term, Trigger, Waiting, Weights, Work,
    compile_within,
};

use self::base::Base;
pub use self::build::Rebuilt;
use self::bytes::Damage;
use self::document::sort_key;
pub use self::fresh::Check;
pub(crate) use self::key::Key;
use self::literals::{BARE, TYPED, is_typed};
pub(crate) use self::notes::{Note, folder_time};
use self::overlay::{Overlay, View};
use self::pages::Pages;
use self::stamp::Stamp;
use crate::error::StoreError;
use crate::layout::Layout;
use crate::plain;
use crate::vectors::TextKey;
use crate::walk;
use crate::{FileStore, Store};

/// Most files that are read before a prompt.
const MOST_READ: usize = 2000;
/// Where fewer entries are recorded than one of so many memories, their memories are looked up, and not the other way round.
const FEW_OF: usize = 16;
/// From how many newer memories on a rebuild is due, whatever the size of the store.
const FEW: usize = 64;

/// Memories below which their own words do not tell how rare a word is.
const TELLING: usize = rawko_core::Shelf::ENOUGH;

/// How an index stands to its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The files are as the index has them.
    Fresh,
    /// So many memories are newer, and were read from their files.
    Overlaid {
        /// How many.
        newer: usize,
    },
    /// There is no index that helps; files were read instead.
    Degraded {
        /// Why, in words.
        reason: &'static str,
        /// How many files were not read for want of time: 0 means that answers are complete.
        unread: usize,
    },
}

/// A memory that answers a query or is called by a trigger.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub slug: Slug,
    /// How well it answers.
    pub hit: Hit,
    /// The triggers that call it, strongest first.
    pub calls: Vec<Called>,
    /// Whether any of its entries may speak to an agent, as far as their standing tells.
    pub may_speak: bool,
    /// Whether it is one of the [`Index::NEAREST`] by the likeness that was asked for.
    pub is_near: bool,
}

/// How alike something is to what a memory may say; nothing where that is not known.
pub type Likeness<'a> = dyn Fn(&TextKey) -> Option<f32> + 'a;

/// The words of a question as an encoder knows them: what counts as the same as each, and, per passage of what a memory
/// may say, how alike the nearest of its words is to each.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Per word of the question, its terms.
    pub asked: &'a [Vec<Term>],
    /// By the key of what a memory may say; nothing where the encoder has not read it.
    pub nearest: &'a dyn Fn(&TextKey) -> Option<Vec<Vec<f32>>>,
}

/// What another model than the token table tells of a question and the memories.
pub struct Sentences<'a> {
    /// How alike the question is to each.
    pub likeness: &'a Likeness<'a>,
    /// The same word by word, where it tells that.
    pub words: Option<Words<'a>>,
    /// Whether it is the encoder in the program, of which it is known how alike things usually are.
    pub is_built_in: bool,
}

/// A trigger that matches.
#[derive(Clone, Debug)]
pub struct Called {
    /// The trigger.
    pub trigger: Trigger,
    /// How it matches.
    pub how: Match,
    /// Ready to match again; `None` where the allowance was used up, and it was taken as text.
    pub compiled: Option<Rc<Compiled>>,
}

/// The memories of a store, ready to be searched.
pub struct Index<'s> {
    store: &'s FileStore,
    check: Check,
    view: View,
    state: State,
    folders: RefCell<Folders>,
    /// Per document of the index on disk, whether any of its entries is recorded, where few are.
    recorded: OnceCell<Option<Vec<bool>>>,
}

impl Index<'_> {
    /// Most memories that triggers call, the loudest, where loudness decides: each is judged, which costs a look at its
    /// file.
    pub const CALLED: usize = 64;
    /// Most memories that are found by a likeness of somebody else's alone.
    pub const NEAREST: usize = 20;
}

impl<'s> Index<'s> {
    /// Opens a store's index, and reads what is newer. Never builds one.
    pub fn open(store: &'s FileStore, check: Check) -> Result<Self, StoreError> {
        match Self::open_base(store, check)? {
            Ok(index) => Ok(index),
            Err(damage) => Self::of_files(store, check, damage.0),
        }
    }

    fn open_base(store: &'s FileStore, check: Check) -> Result<Result<Self, Damage>, StoreError> {
        const NONE: Damage = Damage("there is no index");
        let path = build::index_path(store.layout());
        if !matches!(path.symlink_metadata(), Ok(meta) if meta.is_file()) {
            return Ok(Err(NONE));
        }
        let key = Key::of(store.home(), store.layout().root());
        let pages = match Pages::open(&path, &key) {
            Ok(Ok(pages)) => pages,
            Ok(Err(damage)) => return Ok(Err(damage)),
            Err(_) => return Ok(Err(NONE)),
        };
        if pages.about.model != Embedder::built_in().model_id() {
            return Ok(Err(Damage("it was made with another embedding")));
        }
        let base = Base::new(pages);
        let changed = match fresh::changed(store, &base, check)? {
            Ok(changed) => changed,
            Err(damage) => return Ok(Err(damage)),
        };
        let slugs: Vec<Slug> = changed.iter().take(most(check)).cloned().collect();
        let unread = changed.len() - slugs.len();
        let overlay = Overlay::read(store, &slugs)?;
        let state = match (unread, changed.len()) {
            (0, 0) => State::Fresh,
            (0, newer) => State::Overlaid { newer },
            _ => State::Degraded { reason: "too many files are newer than the index", unread },
        };
        let view = View::new(base, &slugs.into_iter().collect(), overlay);
        Ok(view.map(|view| Self::new(store, check, view, state)))
    }

    /// Reads every file and uses no index: what any index must agree with.
    pub fn without_cache(store: &'s FileStore) -> Result<Self, StoreError> {
        Self::of_files(store, Check::All, "no index was wanted")
    }

    /// Reads the files themselves.
    fn of_files(store: &'s FileStore, check: Check, reason: &'static str) -> Result<Self, StoreError> {
        let spooled = store.spooled_slugs()?;
        let files = walk::memories(&store.layout().memories())?.files;
        let all: BTreeSet<Slug> = files.into_iter().map(|(slug, _)| slug).chain(spooled).collect();
        let slugs: Vec<Slug> = all.iter().take(most(check)).cloned().collect();
        let unread = all.len() - slugs.len();
        let view = View::of_files(Overlay::read(store, &slugs)?);
        let state = State::Degraded { reason, unread };
        Ok(Self::new(store, check, view, state))
    }

    fn new(store: &'s FileStore, check: Check, view: View, state: State) -> Self {
        Self { store, check, view, state, folders: RefCell::default(), recorded: OnceCell::new() }
    }

    /// Builds the index anew, unless another process is at it; `progress` is told files done and all.
    pub fn rebuild(store: &FileStore, progress: &mut dyn FnMut(usize, usize)) -> Result<Rebuilt, StoreError> {
        build::rebuild(store, &Key::of(store.home(), store.layout().root()), progress)
    }

    /// How the index stands to its files.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How many memories can be found.
    pub fn memories(&self) -> usize {
        self.view.statistics().documents as usize
    }

    /// How rare a stem is: 1 where one memory has it, 0 where all do; `None` where too few memories tell.
    pub fn rarity(&self, stem: &str) -> Option<f32> {
        let all = self.memories();
        if all < TELLING {
            return None;
        }
        let holders = self.view.holders(Term::of(stem)).ok()?;
        let all = all as f32;
        Some((all / holders.max(1) as f32).ln() / all.ln())
    }

    /// Whether a rebuild is due: for whoever has time, after the answer is given.
    pub fn wants_rebuild(&self) -> bool {
        match self.state {
            State::Fresh => false,
            State::Overlaid { newer } => newer > FEW.max(self.memories() / 50),
            State::Degraded { .. } => true,
        }
    }

    /// The best `k` memories for a query and all that `text` calls by a trigger; best first, ties by slug.
    pub fn candidates(
        &mut self,
        query: &Query,
        text: Option<&TaskText>,
        k: usize,
        weights: &Weights,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.whole(|index| {
            let mut calls = index.called_for(text, Index::CALLED, &|_| true)?;
            let called: Vec<u32> = calls.keys().copied().collect();
            let wanted = Wanted { k, called: &called, counts: &|_| true };
            index.named(search(&index.view, query, &wanted, weights)?, &mut calls, &|_| true)
        })
    }

    /// The best `k` memories for a query of those that `takes` takes by what they say besides their texts, and some that
    /// it does not take.
    pub fn candidates_among(
        &mut self,
        query: &Query,
        k: usize,
        weights: &Weights,
        takes: &dyn Fn(&Memory) -> bool,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.whole(|index| {
            let counts = remembered(|doc| index.takes(doc, takes));
            let hits = search(&index.view, query, &Wanted { k, called: &[], counts: &counts }, weights)?;
            index.named(hits, &mut BTreeMap::new(), &counts)
        })
    }

    /// As [`Self::candidates_among`], with another model's likeness of a memory wherever it has one; and whether it had.
    pub fn candidates_like(
        &mut self,
        query: &Query,
        k: usize,
        weights: &Weights,
        takes: &dyn Fn(&Memory) -> bool,
        told: &Sentences<'_>,
    ) -> Result<Vec<(Candidate, bool)>, StoreError> {
        self.whole(|index| {
            let mut likenesses = vec![None; index.view.slots()];
            for doc in index.view.docs()? {
                likenesses[doc as usize] = (told.likeness)(&index.speech(doc)?.1);
            }
            let counts = remembered(|doc| index.takes(doc, takes));
            let wanted = Wanted { k, called: &[], counts: &counts };
            let of = if told.is_built_in { Likened::new } else { Likened::of_any };
            let nearest = |doc| (told.words?.nearest)(&index.speech(doc).ok()?.1);
            let words = told.words.map(|words| NearWords { asked: words.asked, nearest: &nearest });
            let likened = of(&index.view, likenesses.clone(), query, weights).with_words(words);
            let hits = search(&likened, query, &wanted, weights)?;
            let found = index.named(hits, &mut BTreeMap::new(), &counts)?;
            let likened = |one: &Candidate| likenesses[one.hit.doc as usize].is_some();
            Ok(found
                .into_iter()
                .map(|one| {
                    let likened = likened(&one);
                    (one, likened)
                })
                .collect())
        })
    }

    /// The memories of which an entry may speak to an agent, as far as its standing tells, each with the key of what
    /// it may say.
    pub fn speaking(&mut self) -> Result<Vec<(Slug, TextKey)>, StoreError> {
        self.whole(|index| {
            let mut speaking = Vec::new();
            for doc in index.view.docs()? {
                if let (true, key) = index.speech(doc)? {
                    speaking.push((index.view.slug(doc)?, key));
                }
            }
            Ok(speaking)
        })
    }

    /// How many memories wait for a person, as far as the index tells, and those of which only the file does.
    pub fn waiting(&mut self) -> Result<(Waiting, Vec<Slug>), StoreError> {
        self.whole(|index| {
            let (mut waiting, mut unknown) = (Waiting::default(), Vec::new());
            for doc in index.view.docs()? {
                let slug = index.view.slug(doc)?;
                match index.view.outline(doc)? {
                    Some(sketch) => waiting.count(&index.store.sketched(slug, sketch)),
                    None => unknown.push(slug),
                }
            }
            Ok((waiting, unknown))
        })
    }

    /// Whether a memory may speak to an agent, and the key of what it may say.
    fn speech(&self, doc: u32) -> Result<(bool, TextKey), Damage> {
        let entries = self.view.entries(doc)?;
        let entries: Vec<(_, u8)> = entries.into_iter().map(|id| (id, self.store.say(&id))).collect();
        Ok((entries.iter().any(|(_, say)| *say > 0), TextKey::of_entries(entries.into_iter())))
    }

    /// As [`Self::candidates`], by words and meaning alone; of those that `text` calls, the loudest so many; and text
    /// that may not speak to an agent takes no place from text that may. Where a `likeness` is told, the nearest by it are
    /// among them.
    ///
    /// Choosing what an agent hears asks for no more of a search, so no document of usual length is taken apart.
    pub fn candidates_for_agents(
        &mut self,
        query: &Query,
        text: Option<(&TaskText, usize)>,
        k: usize,
        weights: &Weights,
        likeness: Option<&Likeness<'_>>,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.whole(|index| {
            let known = remembered(|doc| index.may_speak(doc).unwrap_or(true));
            let counts = |doc| !index.is_unrecorded(doc) && known(doc);
            let (text, loudest) = text.unzip();
            let mut calls = index.called_for(text, loudest.unwrap_or(0), &counts)?;
            let near = likeness.map_or(Ok(Vec::new()), |likeness| index.nearest(likeness))?;
            let called: Vec<u32> = calls.keys().chain(&near).copied().collect();
            let wanted = Wanted { k, called: &called, counts: &counts };
            let mut found = index.named(skim(&index.view, query, &wanted, weights)?, &mut calls, &counts)?;
            found.iter_mut().for_each(|one| one.is_near = near.contains(&one.hit.doc));
            Ok(found)
        })
    }

    /// The documents that may speak and are most alike, by a likeness of somebody else's.
    fn nearest(&self, likeness: &Likeness<'_>) -> Result<Vec<u32>, Damage> {
        let mut alike = Vec::new();
        for doc in self.view.docs()? {
            let (speaks, key) = self.speech(doc)?;
            if speaks && !self.view.is_set_aside(doc)? {
                alike.extend(likeness(&key).map(|likeness| (doc, likeness)));
            }
        }
        alike.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        alike.truncate(Index::NEAREST);
        Ok(alike.into_iter().map(|(doc, _)| doc).collect())
    }

    /// A memory as the index has it, without its body, where its file stands as it did.
    ///
    /// Enough to judge it by. Before any word of it is shown, its file is to be read.
    pub fn sketch(&self, doc: u32) -> Option<Memory> {
        let (slug, sketch, stamp) = self.view.sketch(doc).ok()??;
        let layout = self.store.layout();
        let is_plain = self.folders.borrow_mut().are_plain(layout, &slug);
        (is_plain && Stamp::of(&layout.memory(&slug)) == stamp).then(|| self.store.sketched(slug, sketch))
    }

    /// The neighbouring words of a memory of which there is a sketch: what [`Whole::pairs`](rawko_core::Whole::pairs)
    /// wants, without opening its file.
    pub fn pairs(&self, doc: u32) -> Option<Vec<Term>> {
        Some(self.view.words(doc).ok()??.pairs())
    }

    /// The memories that may speak and say that they replace one of these.
    pub fn replacing(&mut self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        self.whole(|index| {
            let mut found = Vec::new();
            for slug in slugs {
                for doc in index.view.replacing(slug)? {
                    if index.may_speak(doc)? {
                        found.push(index.view.slug(doc)?);
                    }
                }
            }
            Ok(found)
        })
    }

    /// Whether nothing is recorded of any entry of a document, as far as that is known without looking at each.
    ///
    /// In a repository of which little was approved, those that may speak would otherwise be looked for among all.
    fn is_unrecorded(&self, doc: u32) -> bool {
        let recorded = self.recorded.get_or_init(|| {
            let base = self.view.base()?;
            let ids = self.store.recorded_at_most(base.docs() as usize / FEW_OF)?;
            let mut recorded = vec![false; base.docs() as usize];
            base.having(ids.into_iter()).ok()?.into_iter().for_each(|doc| recorded[doc as usize] = true);
            Some(recorded)
        });
        recorded.as_ref().and_then(|recorded| recorded.get(doc as usize)).is_some_and(|recorded| !recorded)
    }

    fn may_speak(&self, doc: u32) -> Result<bool, Damage> {
        Ok(self.view.entries(doc)?.iter().any(|id| self.store.may_speak(id)))
    }

    /// Whether `takes` takes a memory, by its sketch or its file.
    fn takes(&self, doc: u32, takes: &dyn Fn(&Memory) -> bool) -> bool {
        let read = || self.store.read(&self.view.slug(doc).ok()?).ok();
        self.sketch(doc).or_else(read).is_some_and(|memory| takes(&memory))
    }

    /// What is asked of the index; of the files alone, where the index is damaged.
    fn whole<T: Default>(&mut self, ask: impl Fn(&Self) -> Result<T, Damage>) -> Result<T, StoreError> {
        match ask(self) {
            Ok(found) => Ok(found),
            Err(damage) => {
                self.drop_base(damage)?;
                // Files alone have no blocks that could be damaged.
                Ok(ask(self).unwrap_or_default())
            }
        }
    }

    fn called_for(
        &self,
        text: Option<&TaskText>,
        most: usize,
        counts: &dyn Fn(u32) -> bool,
    ) -> Result<BTreeMap<u32, Vec<Called>>, Damage> {
        text.map_or(Ok(BTreeMap::new()), |text| self.called(text, &[BARE, TYPED], most, counts))
    }

    /// What was found, by name, each with the triggers that call it.
    fn named(
        &self,
        hits: Vec<Hit>,
        calls: &mut BTreeMap<u32, Vec<Called>>,
        counts: &dyn Fn(u32) -> bool,
    ) -> Result<Vec<Candidate>, Damage> {
        hits.into_iter()
            .map(|hit| {
                let calls = calls.remove(&hit.doc).unwrap_or_default();
                let may_speak = counts(hit.doc);
                Ok(Candidate { slug: self.view.slug(hit.doc)?, hit, calls, may_speak, is_near: false })
            })
            .collect()
    }

    /// The documents that a task calls loudest, with the triggers that match, strongest first.
    ///
    /// Those that count are kept first; of the others as many.
    fn called(
        &self,
        text: &TaskText,
        sorts: &[literals::Sort],
        most: usize,
        counts: &dyn Fn(u32) -> bool,
    ) -> Result<BTreeMap<u32, Vec<Called>>, Damage> {
        let mut matcher = Matcher { text, work: Default::default(), known: HashMap::new(), met: Vec::new() };
        let is_heard = |doc: u32| counts(doc) && !self.view.is_set_aside(doc).unwrap_or(false);
        // Per trigger that matches, by its place in `met`, the documents that have it, in order.
        let mut having: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        if let Some(base) = self.view.base() {
            let found = sorts.iter().map(|sort| literals::candidates(&base.pages, text, *sort));
            for (trigger, docs) in found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
                let docs = docs.into_iter().filter_map(|doc| u32::try_from(doc).ok());
                let docs: Vec<u32> = docs.filter(|doc| self.view.is_shown(*doc)).collect();
                let Some(called) = matcher.called(&trigger, docs.iter().any(|doc| is_heard(*doc))) else {
                    continue;
                };
                having.entry(called).or_default().extend(docs);
            }
        }
        for doc in 0..self.view.overlay.count {
            let wanted = |trigger: &&Trigger| sorts.contains(&BARE) || is_typed(trigger);
            let number = self.view.number(doc);
            for trigger in self.view.overlay.get(doc).triggers.iter().filter(wanted) {
                if let Some(called) = matcher.called(trigger, is_heard(number)) {
                    having.entry(called).or_default().push(number);
                }
            }
        }
        let met = matcher.met;
        let strength = |called: usize| met[called].how.strength;
        let mut having: Vec<(usize, Vec<u32>)> = having.into_iter().collect();
        having.sort_by(|(a, _), (b, _)| {
            let by_text = || sort_key(&met[*a].trigger).cmp(&sort_key(&met[*b].trigger));
            strength(*b).total_cmp(&strength(*a)).then_with(by_text)
        });
        let loudest = self.loudest(&having, most, strength, counts);
        let mut calls: BTreeMap<u32, Vec<Called>> =
            loudest.into_iter().map(|doc| (doc, Vec::new())).collect();
        // Of those that are kept, every trigger that calls them, the strongest first.
        for (called, docs) in &having {
            for doc in docs {
                if let Some(calling) = calls.get_mut(doc) {
                    calling.push(met[*called].clone());
                }
            }
        }
        Ok(calls)
    }

    /// The documents that are called loudest, by their strongest trigger; `having` is sorted by strength.
    fn loudest(
        &self,
        having: &[(usize, Vec<u32>)],
        most: usize,
        strength: impl Fn(usize) -> f32,
        counts: &dyn Fn(u32) -> bool,
    ) -> Vec<u32> {
        let (mut kept, mut seen, mut counted, mut beside) = (Vec::new(), HashSet::new(), 0, 0);
        for alike in having.chunk_by(|(a, _), (b, _)| strength(*a).total_cmp(&strength(*b)).is_eq()) {
            let mut docs: Vec<u32> = alike.iter().flat_map(|(_, docs)| docs).copied().collect();
            docs.sort_unstable_by_key(|doc| self.view.place(*doc));
            docs.dedup();
            for doc in docs {
                if counted >= most {
                    return kept;
                }
                if seen.insert(doc) {
                    let taken = if counts(doc) { &mut counted } else { &mut beside };
                    *taken += 1;
                    if *taken <= most {
                        kept.push(doc);
                    }
                }
            }
        }
        kept
    }

    /// Goes on without the index on disk, and removes it, so that the next process does not meet it.
    fn drop_base(&mut self, damage: Damage) -> Result<(), StoreError> {
        let path = build::index_path(self.store.layout());
        let named = path.symlink_metadata().ok();
        let ours = self.view.base().and_then(|base| base.pages.metadata().ok());
        if named.zip(ours).is_some_and(|(named, ours)| plain::same_file(&named, &ours)) {
            let _ = fs::remove_file(&path);
        }
        *self = Self::of_files(self.store, self.check, damage.0)?;
        Ok(())
    }
}

/// Matches triggers against one task, each distinct one once.
struct Matcher<'t> {
    text: &'t TaskText,
    /// By whether a memory that may be heard has the trigger: others must not use up its allowance.
    work: [Work; 2],
    /// Each trigger's place in `met`, if it matches.
    known: HashMap<(Trigger, bool), Option<usize>>,
    met: Vec<Called>,
}

impl Matcher<'_> {
    fn called(&mut self, trigger: &Trigger, is_heard: bool) -> Option<usize> {
        let key = (trigger.clone(), is_heard);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let work = &mut self.work[usize::from(is_heard)];
        let compiled = compile_within(trigger, work);
        let place = compiled.matches_text(self.text, None::<Rarity>, work).map(|how| {
            let compiled = (!work.is_used_up()).then(|| Rc::new(compiled));
            self.met.push(Called { trigger: trigger.clone(), how, compiled });
            self.met.len() - 1
        });
        self.known.insert(key, place);
        place
    }
}

/// An answer per document, asked for once.
fn remembered(ask: impl Fn(u32) -> bool) -> impl Fn(u32) -> bool {
    let known: RefCell<HashMap<u32, bool>> = RefCell::default();
    move |doc| *known.borrow_mut().entry(doc).or_insert_with(|| ask(doc))
}

/// Folders that were looked at: many memories share one.
#[derive(Default)]
struct Folders(HashMap<String, bool>);

impl Folders {
    /// Whether none of the folders of a memory's file is a link.
    fn are_plain(&mut self, layout: &Layout, slug: &Slug) -> bool {
        let folder = slug.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        if let Some(known) = self.0.get(folder) {
            return *known;
        }
        let is_plain = layout.check_folders(slug).is_ok();
        self.0.insert(folder.to_owned(), is_plain);
        is_plain
    }
}

fn most(check: Check) -> usize {
    match check {
        Check::Quick => MOST_READ,
        Check::All => usize::MAX,
    }
}
