//! The read pipe: what the agent should know before a task, and why.
//!
//! An index names candidates, how well each answers, and the fields of those
//! whose files stand as they did. What each is worth is looked up outside the
//! repository, evidence is checked against the working tree, and only then is
//! anything chosen. What is shown is read from its file: where that says
//! anything else than the index did, the index is not asked again. Every
//! candidate gets a verdict, so that silence can be explained too.

mod alike;
mod block;
mod gather;
mod stale;
mod triggers;

use std::collections::HashMap;
use std::path::Path;

use rawko_core::{
    Budget, Candidate, Embedder, Fold, Importance, Judged, Profile, Settings, Shelf, Slug, Standing,
    TaskContext, TaskText, Trust, Verdict, choose,
};
use rawko_store::{Check, Index, Rebuilt, State, StoreError};

use self::alike::Alike;
pub(crate) use self::block::notes;
use self::block::{from_passage, rendered};
use self::gather::{Asked, Closely, Gathered, Sketches, candidate, from_index, join, liken, on_a_shelf};
use crate::engine::{Engine, Whose};
use crate::feedback::Tallies;
use crate::provider::Encoder;

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
    /// Memories that were looked at and that the sentence encoder has not read: [`Engine::embed_unasked`] would.
    pub read_behind: usize,
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
    /// Who told how alike the task and the memory are; nobody by the origin's rules.
    pub meaning_by: Option<MeaningBy>,
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

/// Who told how alike a task and a memory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeaningBy {
    /// The sentence encoder in the program.
    Encoder,
    /// The token table.
    Table,
    /// The token table, until the sentence encoder has read the memory.
    TableAsYet,
}

impl MeaningBy {
    /// The word used in output, the same as a search has.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Encoder => Encoder::BUILT_IN,
            Self::Table | Self::TableAsYet => "table",
        }
    }
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

/// What was gathered, the indexes by whose store it is, and how many memories the sentence encoder has not read.
type Found<'a> = (Vec<Gathered<'a>>, Vec<(Whose, Index<'a>)>, usize);

impl Engine {
    /// Chooses what the agent should know before `task`.
    pub fn inject(&self, task: &TaskContext, wish: &Wish) -> Result<Injection, StoreError> {
        let injection = self.inject_once(&task.bounded(), wish)?;
        let is_silent = !injection.considered.iter().any(Considered::has_a_place);
        // What was typed is looked for in the whole text: it may stand where the bounded one is cut.
        if is_silent && let Some(request) = task.request() {
            let asked = self.inject_once(&request.bounded(), wish)?;
            return Ok(if asked.considered.iter().any(Considered::has_a_place) { asked } else { injection });
        }
        Ok(injection)
    }

    fn inject_once(&self, task: &TaskContext, wish: &Wish) -> Result<Injection, StoreError> {
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
        let asked = Asked { task, text: &text, wish, profile: settings.profile, sketches };
        let (mut reads, indexes, read_behind) = self.gather(&asked, &embedder)?;
        let index_of = |of: Whose| indexes.iter().find(|(whose, _)| *whose == of).map(|(_, index)| index);
        if let Some(only) = &wish.only {
            reads.retain(|read| only.contains(&read.memory.slug));
        }
        let folds: Vec<Option<Fold<'_>>> =
            reads.iter().map(|read| read.memory.for_agents().or_else(|| read.memory.now())).collect();
        let closely: Vec<Closely<'_, '_>> =
            reads.iter().map(|read| Closely { read, index: index_of(read.whose) }).collect();
        let with_folds = closely.iter().zip(&folds).filter_map(|(read, fold)| Some((read, fold.as_ref()?)));
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
            verdict.meaning_by = verdict.meaning_by.filter(|_| settings.profile == Profile::Hybrid);
            verdict.heard = verdict.judged.outcome.is_chosen() && wish.heard.contains(&verdict.judged.slug);
        });
        let budget = Budget {
            tokens: wish.budget.unwrap_or(self.config().number("inject.budget") as usize),
            characters: Budget::MOST_CHARACTERS,
        };
        let injection =
            rendered(verdicts, &reads, budget, &|text, share| from_passage(text, share, task, &embedder));
        let states = indexes.iter().map(|(whose, index)| (*whose, index.state().clone())).collect();
        let late = indexes.iter().filter(|(_, index)| index.wants_rebuild());
        let wants_rebuild = late.map(|(whose, _)| *whose).collect();
        let injection = Injection { states, wants_rebuild, read_behind, ..injection };
        Ok(reads.iter().all(Gathered::is_as_judged).then_some(injection))
    }

    /// What may matter in every store, and the indexes that found it.
    fn gather(&self, asked: &Asked<'_>, embedder: &Embedder) -> Result<Found<'_>, StoreError> {
        let (mut reads, mut indexes, mut read_behind) = (Vec::new(), Vec::new(), 0);
        let alike = Alike::new(self, asked.task, asked.wish, asked.profile);
        for (whose, store) in self.stores() {
            let mut index = Index::open(store, Check::Quick)?;
            let told = alike.of(store, index.memories());
            // With files unread, few good memories do not mean a small store.
            let whole = !matches!(index.state(), State::Degraded { unread, .. } if *unread > 0);
            let mut found = match whole && index.memories() < Shelf::ENOUGH {
                true if index.memories() == 0 => Vec::new(),
                true => on_a_shelf(store, whose, asked.task, embedder)?,
                false => from_index(&mut index, store, whose, asked, embedder, told.as_ref())?,
            };
            if let Some(told) = &told {
                read_behind += liken(&mut found, store, told);
            }
            join(&mut reads, found);
            indexes.push((whose, index));
        }
        Ok((reads, indexes, read_behind))
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
    fn weigh_use(&self, candidates: &mut [Candidate<'_>], reads: &[Gathered<'_>]) {
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

fn verdicts(
    judged: Vec<Judged>,
    reads: &[Gathered<'_>],
    folds: &[Option<Fold<'_>>],
    called: &HashMap<&Slug, String>,
    stale: &HashMap<Slug, (Verdict, String)>,
) -> Vec<Considered> {
    let known: HashMap<&Slug, (&Gathered<'_>, &Option<Fold<'_>>)> =
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
                meaning_by: Some(read.meaning_by()),
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
