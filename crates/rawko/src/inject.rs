//! The read pipe: what the agent should know before a task, and why.
//!
//! An index names candidates, how well each answers, and the fields of those
//! whose files stand as they did. What each is worth is looked up outside the
//! repository, evidence is checked against the working tree, and only then is
//! anything chosen. What is shown is read from its file: where that says
//! anything else than the index did, the index is not asked again. Every
//! candidate gets a verdict, so that silence can be explained too.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::Path;

use rawko_core::rank::{Hit, Query};
use rawko_core::{
    Budget, Called, Candidate, Compiled, Content, Embedder, Evidence, Facts, Fold, Gist, Importance, Judge,
    Judged, Kind, Match, Memory, Profile, RepoPath, Settings, Shelf, Shown, Slug, Standing, TaskContext,
    TaskText, Tree, Trigger, Trust, Verdict, Weights, When, Whole, Work, choose, compile_within, render,
    rest_of, tokens,
};
use rawko_store::{Check, FileStore, Index, Rebuilt, State, Store, StoreError, WorkTree};

use crate::engine::{Engine, Whose};
use crate::feedback::Tallies;
use crate::search::best_passage;

/// How many candidates of each store are looked at closely.
const LOOKED_AT: usize = 40;
/// How loud a trigger must call a memory that the search does not put among these.
const LOUD: f32 = 0.3;
/// How many of those, best first, are looked at.
const LOUDEST: usize = 40;
/// How many of them, best first, are compared with each other.
const COMPARED: usize = 20;
/// How many memories that were not chosen have their evidence checked too: they may take a stale one's place.
const NEARLY: usize = 12;
/// How much is read, at most, to find where evidence has moved to, in bytes …
const ELSEWHERE: usize = 4 << 20;
/// … of which each file costs some by being opened.
const OPENING: usize = 2 << 10;

/// How often, at most, the history is asked what a file held.
const LOOKS_BACK: usize = 64;

/// What a caller may set for one injection; `None` leaves what the settings say.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// How scores are made.
    pub profile: Option<Profile>,
    /// At most so many memories.
    pub max: Option<usize>,
    /// Nothing less important enters.
    pub min_importance: Option<Importance>,
    /// The token budget.
    pub budget: Option<usize>,
    /// Memories to judge even if no search finds them.
    pub ask_about: Vec<Slug>,
    /// Where it is set, no others are looked at.
    pub only: Option<Vec<Slug>>,
    /// Memories that the agent has heard: they keep their place, and are not shown again.
    pub heard: Vec<Slug>,
}

/// What an agent gets before a task, and why.
#[derive(Clone, Debug, Default)]
pub struct Injection {
    /// The block for the prompt; empty where nothing is relevant.
    pub block: String,
    /// A verdict on every candidate, chosen ones first.
    pub considered: Vec<Considered>,
    /// How the indexes stood to their files, by store.
    pub states: Vec<(Whose, State)>,
    /// Stores whose index should be built anew when there is time.
    pub wants_rebuild: Vec<Whose>,
}

/// What became of one candidate.
#[derive(Clone, Debug)]
pub struct Considered {
    /// Whose store it is in.
    pub whose: Whose,
    /// Its title.
    pub title: String,
    /// Its score and its place, or the gate that kept it out.
    pub judged: Judged,
    /// The trigger that called it, and how.
    pub called: Option<String>,
    /// What its evidence says, where that is not that all is fresh.
    pub stale: Option<String>,
    /// The entries it is made of.
    pub entries: Vec<Origin>,
    /// Whether it was chosen and then did not fit the budget.
    pub crowded_out: bool,
    /// Whether it was chosen and the agent has heard it before.
    pub heard: bool,
}

/// An entry that a memory is made of, and where it comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Names exactly its text.
    pub id: String,
    /// Who wrote it, as it says itself.
    pub by: String,
    /// What it is worth.
    pub trust: Trust,
    /// By which door it came, or that this person approved it.
    pub standing: Standing,
}

/// A candidate's memory with what searches and triggers say of it.
struct Read<'e> {
    whose: Whose,
    /// Without its bodies, where an index gave it.
    memory: Memory,
    /// Where the bodies are, if they are not in `memory`.
    file: Option<Unread<'e>>,
    signs: Signs,
}

/// A file that is read when it is asked for.
struct Unread<'e> {
    store: &'e FileStore,
    read: OnceCell<Option<Memory>>,
}

impl Read<'_> {
    /// Whether the file says what was judged, as far as it was read.
    fn is_as_judged(&self) -> bool {
        let read = self.file.as_ref().and_then(|file| file.read.get());
        read.is_none_or(|read| read.as_ref().is_some_and(|read| read.is_same(&self.memory)))
    }
}

impl Whole for Read<'_> {
    fn whole(&self) -> Option<&Memory> {
        let Some(file) = &self.file else { return Some(&self.memory) };
        let read = || file.store.read_file(&self.memory.slug).ok().flatten();
        file.read.get_or_init(read).as_ref()
    }
}

/// What speaks for a memory before a task.
#[derive(Default)]
struct Signs {
    hit: Option<Hit>,
    context: Option<Hit>,
    called: Option<Called>,
    near_trigger: f32,
    /// What it is about, where that is known already.
    gist: Gist<'static>,
    /// Whether it is read closely where the choice depends on it.
    compared: bool,
}

impl Engine {
    /// Chooses what the agent should know before `task`.
    pub fn inject(&self, task: &TaskContext, wish: &Wish) -> Result<Injection, StoreError> {
        if let Some(injection) = self.inject_by(task, wish, Sketches::Welcome)? {
            return Ok(injection);
        }
        // A file was changed in this very moment: they are all read.
        Ok(self.inject_by(task, wish, Sketches::Refused)?.unwrap_or_default())
    }

    /// As [`Self::inject`]; `None` where a file says anything else than the sketch that was judged.
    fn inject_by(
        &self,
        task: &TaskContext,
        wish: &Wish,
        sketches: Sketches,
    ) -> Result<Option<Injection>, StoreError> {
        let embedder = Embedder::built_in();
        let settings = self.settings(task, wish);
        let text = TaskText::new(task);
        let mut reads: Vec<Read<'_>> = Vec::new();
        let (mut states, mut wants_rebuild) = (Vec::new(), Vec::new());
        for (whose, store) in self.stores() {
            let mut index = Index::open(store, Check::Quick)?;
            // With files unread, few good memories do not mean a small store.
            let whole = !matches!(index.state(), State::Degraded { unread, .. } if *unread > 0);
            let found = match whole && index.memories() < Shelf::ENOUGH {
                true if index.memories() == 0 => Vec::new(),
                true => on_a_shelf(store, whose, task, &embedder)?,
                false => from_index(
                    &mut index,
                    store,
                    whose,
                    &Asked { task, text: &text, wish, profile: settings.profile, sketches },
                    &embedder,
                )?,
            };
            join(&mut reads, found);
            states.push((whose, index.state().clone()));
            if index.wants_rebuild() {
                wants_rebuild.push(whose);
            }
        }
        if let Some(only) = &wish.only {
            reads.retain(|read| only.contains(&read.memory.slug));
        }
        let folds: Vec<Option<Fold<'_>>> =
            reads.iter().map(|read| read.memory.for_agents().or_else(|| read.memory.now())).collect();
        let with_folds = reads.iter().zip(&folds).filter_map(|(read, fold)| Some((read, fold.as_ref()?)));
        let mut candidates: Vec<Candidate<'_>> =
            with_folds.map(|(read, fold)| candidate(read, fold, embedder)).collect();
        self.weigh_use(&mut candidates, &reads);
        let first = choose(&candidates, task, &settings, self.now());
        let stale = self.check_evidence(&first, &reads, &folds);
        for candidate in &mut candidates {
            candidate.staleness = stale.get(candidate.slug).map(|(verdict, _)| verdict.clone());
        }
        let judged = if stale.is_empty() { first } else { choose(&candidates, task, &settings, self.now()) };
        let called: HashMap<&Slug, String> = candidates
            .iter()
            .filter_map(|candidate| {
                candidate.called.as_ref().map(|called| {
                    (candidate.slug, format!("{} ({})", called.trigger, called.how.place.as_str()))
                })
            })
            .collect();
        let mut verdicts = verdicts(judged, &reads, &folds, &called, &stale);
        verdicts.iter_mut().for_each(|verdict| {
            verdict.heard = verdict.judged.outcome.is_chosen() && wish.heard.contains(&verdict.judged.slug);
        });
        let budget = Budget {
            tokens: wish.budget.unwrap_or(self.config().number("inject.budget") as usize),
            characters: Budget::MOST_CHARACTERS,
        };
        let injection =
            rendered(verdicts, &reads, budget, &|text, share| from_passage(text, share, task, &embedder));
        let injection = Injection { states, wants_rebuild, ..injection };
        Ok(reads.iter().all(Read::is_as_judged).then_some(injection))
    }

    /// A file as memories name it, from the project's folder, where somebody in the folder `from` names one that is there.
    pub fn in_project(&self, file: &str, from: &Path) -> String {
        let project =
            self.store(Whose::Project).and_then(|store| store.layout().project().canonicalize().ok());
        let named = from.join(file).canonicalize().ok();
        let inside = named
            .zip(project)
            .and_then(|(named, project)| Some(named.strip_prefix(project).ok()?.to_owned()));
        inside.map_or_else(|| file.to_owned(), |inside| inside.display().to_string())
    }

    pub(crate) fn settings(&self, task: &TaskContext, wish: &Wish) -> Settings {
        let config = self.config();
        let agent =
            Some(&task.agent).filter(|name| !name.is_empty()).and_then(|name| self.agent_called(name));
        let hears = agent.map(|agent| agent.memory).unwrap_or_default();
        let max = hears.max_injected.unwrap_or(config.number("inject.max"));
        let tags = Some(hears.tags).filter(|tags| !tags.is_empty());
        Settings {
            profile: wish.profile.or(Profile::parse(config.text("inject.profile"))).unwrap_or_default(),
            max: wish.max.unwrap_or(max as usize),
            min_importance: wish
                .min_importance
                .or(hears.min_importance)
                .or(Importance::parse(config.text("inject.minImportance")))
                .unwrap_or(Importance::Low),
            agent_tags: tags.or_else(|| config.texts(&format!("agents.{}.tags", task.agent))),
            score_bonus: hears.score_bonus as f32,
        }
    }

    /// What use has taught of each candidate: one derived file per store that has any, never a log.
    fn weigh_use(&self, candidates: &mut [Candidate<'_>], reads: &[Read<'_>]) {
        let whose: HashMap<&Slug, Whose> = reads.iter().map(|read| (&read.memory.slug, read.whose)).collect();
        for (owner, store) in self.stores().filter(|(owner, _)| reads.iter().any(|read| read.whose == *owner))
        {
            let tallies = Tallies::of(store);
            for candidate in candidates.iter_mut().filter(|one| whose.get(one.slug) == Some(&owner)) {
                // One half is what every memory starts with, and says nothing.
                candidate.usefulness = 2.0 * tallies.tally(candidate.slug).usefulness() - 1.0;
            }
        }
    }

    /// What evidence says of the chosen and of those that nearly were; text that may not enter asks for no work.
    fn check_evidence(
        &self,
        judged: &[Judged],
        reads: &[Read<'_>],
        folds: &[Option<Fold<'_>>],
    ) -> HashMap<Slug, (Verdict, String)> {
        let (chosen, others): (Vec<&Judged>, Vec<&Judged>) =
            judged.iter().partition(|judged| judged.outcome.is_chosen());
        let near = others.into_iter().filter(|judged| judged.relevance > 0.0).take(NEARLY);
        let asked: HashSet<&Slug> = chosen.into_iter().chain(near).map(|judged| &judged.slug).collect();
        let with_evidence = reads.iter().zip(folds).filter_map(|(read, fold)| {
            let fold = fold.as_ref().filter(|fold| fold.may_be_injected() && !fold.evidence.is_null())?;
            (read.whose == Whose::Project && asked.contains(&read.memory.slug)).then_some((read, fold))
        });
        let with_evidence: Vec<_> =
            with_evidence.map(|(read, fold)| (read.memory.slug.clone(), fold)).collect();
        self.no_longer_holds(&with_evidence)
    }

    /// What no longer holds of what these memories of the project rest on, with the reason.
    pub(crate) fn no_longer_holds(&self, asked: &[(Slug, &Fold<'_>)]) -> HashMap<Slug, (Verdict, String)> {
        let mut found = HashMap::new();
        let Some(store) = self.store(Whose::Project).filter(|_| !asked.is_empty()) else { return found };
        let Ok(tree) = WorkTree::open(store.layout().project()) else { return found };
        let evidence: Vec<Evidence> = asked.iter().map(|(_, fold)| Evidence::parse(fold.evidence)).collect();
        let items = evidence.iter().flat_map(|evidence| &evidence.items);
        let named = items.map(|item| item.file.clone()).collect();
        let bounded = Bounded { tree, named, left: Cell::new(ELSEWHERE), looks_back: Cell::new(LOOKS_BACK) };
        let judge = Judge::new(&bounded);
        for ((slug, fold), evidence) in asked.iter().zip(&evidence) {
            let report = judge.memory(evidence, Some(fold.evidence_at.as_second()));
            if let Some(worst) = report.worst().filter(|worst| worst.verdict != Verdict::Fresh) {
                found.insert(slug.clone(), (worst.verdict.clone(), worst.reason.clone()));
            }
        }
        found
    }

    /// Builds the index of a store anew; `progress` is told files done and all.
    pub fn rebuild(
        &self,
        whose: Whose,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Rebuilt, StoreError> {
        match self.store(whose) {
            Some(store) => Index::rebuild(store, progress),
            None => Ok(Rebuilt::Done(0)),
        }
    }
}

/// Adds what another store has. A name stands for one memory: the first that may say anything to an agent.
///
/// So a memory of the project goes before one of the person's, but a file that
/// came with a repository and that nobody approved silences nothing.
fn join<'e>(reads: &mut Vec<Read<'e>>, found: Vec<Read<'e>>) {
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
struct Asked<'a> {
    task: &'a TaskContext,
    text: &'a TaskText,
    wish: &'a Wish,
    profile: Profile,
    sketches: Sketches,
}

/// Whether memories may be judged by what an index has of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sketches {
    Welcome,
    Refused,
}

/// All memories of a small store, measured among neutral sentences: few memories tell nothing of words.
///
/// Those that may say nothing to an agent stand on a shelf of their own, so that
/// they change neither what a word is worth nor what is left of an allowance.
fn on_a_shelf<'e>(
    store: &'e FileStore,
    whose: Whose,
    task: &TaskContext,
    embedder: &Embedder<'_>,
) -> Result<Vec<Read<'e>>, StoreError> {
    let memories = store.read_all()?.memories;
    let (speaking, silent): (Vec<&Memory>, Vec<&Memory>) =
        memories.iter().partition(|memory| memory.may_speak());
    let mut signs: HashMap<Slug, Signs> = HashMap::new();
    for shelf in [speaking, silent] {
        let shelf = Shelf::new(shelf, *embedder);
        signs.extend(shelf.candidates(task, &Weights::TUNED).into_iter().map(|found| {
            let Candidate { slug, called, near_trigger, hit, context, gist, .. } = found;
            (slug.clone(), Signs { hit, context, called, near_trigger, gist: gist.known(), compared: false })
        }));
    }
    let read = |memory: Memory| {
        let signs = signs.remove(&memory.slug).unwrap_or_default();
        Read { whose, memory, file: None, signs }
    };
    Ok(memories.into_iter().map(read).collect())
}

/// The memories of a store that may matter, named by its index, and as the index or their files have them.
fn from_index<'e>(
    index: &mut Index<'_>,
    store: &'e FileStore,
    whose: Whose,
    asked: &Asked<'_>,
    embedder: &Embedder<'_>,
) -> Result<Vec<Read<'e>>, StoreError> {
    let query = Query::of(&asked.task.task, embedder);
    // Origin's rules know no loudness: whom they call, they call.
    let loudest = if asked.profile == Profile::Classic { usize::MAX } else { Index::CALLED };
    let found =
        index.candidates_for_agents(&query, Some((asked.text, loudest)), LOOKED_AT, &Weights::TUNED)?;
    let (mut slugs, mut hits, mut context) = (Vec::new(), HashMap::new(), HashMap::new());
    let mut triggers = Triggers::new(index, asked.text, &query, embedder);
    // Behind the best answers only a loud call can still bring a memory in.
    let (mut places, mut loudest) = ([0, 0], [0, 0]);
    for found in found {
        let speaks = usize::from(found.may_speak);
        places[speaks] += 1;
        let near = places[speaks] <= LOOKED_AT || asked.profile == Profile::Classic;
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
    let known = std::mem::take(&mut triggers.known);
    let rest = rest_of(asked.task);
    if !rest.trim().is_empty() {
        let rest = Query::of(&rest, embedder);
        let found = index.candidates_for_agents(&rest, None, LOOKED_AT, &Weights::TUNED)?;
        slugs.extend(found.iter().map(|found| found.slug.clone()));
        context = found.into_iter().map(|found| (found.slug, found.hit)).collect();
    }
    slugs.extend(asked.wish.ask_about.iter().cloned());
    slugs.extend(index.replacing(&slugs)?);
    let mut seen = HashSet::new();
    slugs.retain(|slug| seen.insert(slug.clone()));
    let doc = |slug: &Slug| hits.get(slug).or_else(|| context.get(slug)).map(|hit: &Hit| hit.doc);
    let mut memories = memories(index, store, &slugs, doc, asked.sketches)?;
    let mut triggers = Triggers { known, ..Triggers::new(index, asked.text, &query, embedder) };
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
        reads.push(Read { whose, memory, file, signs });
    }
    Ok(reads)
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

/// What triggers say of one task; many memories share a trigger, and each distinct one is tried once.
struct Triggers<'a, 's> {
    index: &'a Index<'s>,
    text: &'a TaskText,
    query: &'a Query,
    embedder: &'a Embedder<'a>,
    /// By whether an entry that may speak has it: triggers that nobody approved must not use up the
    /// allowance of others.
    work: [Work; 2],
    known: HashMap<(Trigger, bool), Told>,
    /// Many triggers share their words.
    counted: RefCell<HashMap<String, f32>>,
}

/// What one trigger says of a task.
#[derive(Clone, Default)]
struct Told {
    near: f32,
    how: Option<Match>,
}

impl<'a, 's> Triggers<'a, 's> {
    fn new(index: &'a Index<'s>, text: &'a TaskText, query: &'a Query, embedder: &'a Embedder<'a>) -> Self {
        let (work, known, counted) = Default::default();
        Self { index, text, query, embedder, work, known, counted }
    }

    /// What a memory's triggers say: those of entries that may speak, not those that an index saw.
    fn of(&mut self, fold: &Fold<'_>, speaks: bool) -> Signs {
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

    fn is_loud(&mut self, call: &rawko_store::Called, speaks: bool) -> bool {
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

fn candidate<'a>(read: &'a Read<'_>, fold: &'a Fold<'a>, embedder: Embedder<'a>) -> Candidate<'a> {
    let signs = &read.signs;
    let gist = match (signs.compared, &read.file) {
        (false, _) => signs.gist.clone(),
        (true, None) => Gist::of(fold, embedder),
        (true, Some(_)) => Gist::later(read, embedder),
    };
    Candidate {
        slug: &read.memory.slug,
        facts: Facts::of(fold),
        called: signs.called.clone(),
        near_trigger: signs.near_trigger,
        hit: signs.hit.clone(),
        context: signs.context.clone(),
        gist,
        staleness: None,
        usefulness: 0.0,
    }
}

fn verdicts(
    judged: Vec<Judged>,
    reads: &[Read<'_>],
    folds: &[Option<Fold<'_>>],
    called: &HashMap<&Slug, String>,
    stale: &HashMap<Slug, (Verdict, String)>,
) -> Vec<Considered> {
    let known: HashMap<&Slug, (&Read<'_>, &Option<Fold<'_>>)> =
        reads.iter().zip(folds).map(|(read, fold)| (&read.memory.slug, (read, fold))).collect();
    judged
        .into_iter()
        .filter_map(|judged| {
            let (read, fold) = known.get(&judged.slug)?;
            let entries = read.memory.entries.iter();
            let entries = entries.map(|known| Origin {
                id: known.id.to_string(),
                by: known.entry.frontmatter.discovered_by.clone(),
                trust: known.trust,
                standing: known.standing,
            });
            Some(Considered {
                whose: read.whose,
                title: fold.as_ref().map_or(String::new(), |fold| fold.title.to_owned()),
                called: called.get(&judged.slug).cloned(),
                stale: stale.get(&judged.slug).map(|(_, reason)| reason.clone()),
                entries: entries.collect(),
                crowded_out: false,
                heard: false,
                judged,
            })
        })
        .collect()
}

/// A text from the passage on that a task asks for, where that lies beyond the text's share of the budget.
fn from_passage(text: String, share: usize, task: &TaskContext, embedder: &Embedder<'_>) -> String {
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
fn rendered(
    mut verdicts: Vec<Considered>,
    reads: &[Read<'_>],
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

impl Considered {
    fn is_to_be_shown(&self) -> bool {
        self.judged.outcome.is_chosen() && !self.heard
    }

    /// What keeps a memory out that was chosen.
    pub const CROWDED: &str = "it did not fit the budget";

    /// Whether it has a place in the block, or had one earlier in the session.
    pub fn has_a_place(&self) -> bool {
        self.judged.outcome.is_chosen() && !self.crowded_out
    }

    /// Whether it stands in the block.
    pub fn is_shown(&self) -> bool {
        self.is_to_be_shown() && !self.crowded_out
    }
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

impl Injection {
    /// Whether every memory was looked at.
    pub fn is_complete(&self) -> bool {
        self.unread().is_none()
    }

    /// How many memories were not looked at, if any.
    pub fn unread(&self) -> Option<usize> {
        let of = |(_, state): &(Whose, State)| match state {
            State::Degraded { unread, .. } => *unread,
            _ => 0,
        };
        Some(self.states.iter().map(of).sum()).filter(|unread| *unread > 0)
    }
}

/// A working tree in which only so much is read to look elsewhere.
struct Bounded {
    tree: WorkTree,
    /// The files that evidence names: one memory's long search must not leave another's own file unread.
    named: HashSet<RepoPath>,
    left: Cell<usize>,
    /// How often the history is still asked: each time may unpack a commit, folders and a file.
    looks_back: Cell<usize>,
}

impl Tree for Bounded {
    fn read(&self, path: &RepoPath) -> Content {
        match self.left.get() {
            _ if self.named.contains(path) => self.tree.read(path),
            0 => Content::Unjudged,
            left => {
                let content = self.tree.read(path);
                let length = if let Content::Text(text) = &content { text.len() } else { 0 };
                self.left.set(left.saturating_sub(OPENING + length));
                content
            }
        }
    }

    fn is_blob(&self, path: &RepoPath, id: &str) -> bool {
        self.tree.is_blob(path, id)
    }

    fn files(&self) -> Vec<RepoPath> {
        self.tree.files()
    }

    fn blob_text(&self, id: &str) -> Option<String> {
        self.tree.blob_text(id)
    }

    fn held_then(&self, when: When<'_>, path: &RepoPath) -> Option<Content> {
        let left = self.looks_back.get().checked_sub(1)?;
        self.looks_back.set(left);
        self.tree.held_then(when, path)
    }

    fn was_there(&self, when: When<'_>, path: &RepoPath) -> Option<bool> {
        self.tree.was_there(when, path)
    }
}
