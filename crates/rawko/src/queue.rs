//! What waits for a reviewer: pending entries, contradictions, duplicates, stale, unused and over-eager memories.

use std::collections::{HashMap, HashSet};

use rawko_core::rank::Query;
use rawko_core::{
    Awaits, Change, Embedder, Evidence, Judge, Memory, Relation, Slug, Status, TaskContext, TaskText,
    Verdict, Weights,
};
use rawko_store::{Store, StoreError, UsageLog, WorkTree};
use serde_json::Value;

use crate::check::met;
use crate::engine::{Engine, Filter, Found, Whose};

/// Memories among which duplicates are looked for.
const MOST_COMPARED: usize = 2_000;
/// Receipts that are looked through.
const MOST_RECEIPTS: usize = 500;
/// Receipts below which nothing is said about use.
const ENOUGH_RECEIPTS: usize = 20;
/// Days before a memory that no task called counts as unused.
const UNUSED_DAYS: i64 = 30;

/// Why something is shown to a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concern {
    /// It waits for a person.
    Pending,
    /// Its newest entry says otherwise than the ones before.
    Contradiction,
    /// Another memory says the same.
    Duplicate,
    /// What it rests on changed.
    Stale,
    /// Its triggers call it before most tasks.
    Eager,
    /// No task has called it.
    Unused,
}

impl Concern {
    /// The word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Contradiction => "contradiction",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::Eager => "eager",
            Self::Unused => "unused",
        }
    }
}

/// One thing for a reviewer.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is the matter.
    pub concern: Concern,
    /// The memory, and whose it is.
    pub found: Found,
    /// The other memory, where there are two.
    pub other: Option<Slug>,
    /// Why, in a sentence.
    pub why: String,
}

impl Engine {
    /// Everything that a reviewer should look at, the most urgent first.
    pub fn review(&self) -> Result<Vec<Item>, StoreError> {
        let memories = self.list(&Filter::default())?.memories;
        let live: Vec<&Found> = memories.iter().filter(|found| is_live(&found.memory)).collect();
        let mut items = self.pending(&memories)?;
        items.extend(memories.iter().filter_map(contradiction));
        items.extend(self.duplicates(&live)?);
        items.extend(self.stale(&live));
        items.extend(self.by_use(&live)?);
        items.sort_by(|a, b| (a.concern, &a.found.memory.slug).cmp(&(b.concern, &b.found.memory.slug)));
        Ok(items)
    }

    /// What rawko stored and holds back; what came with the files waits for `rawko trust`.
    fn pending(&self, memories: &[Found]) -> Result<Vec<Item>, StoreError> {
        let mut decisions: HashMap<String, String> = HashMap::new();
        // Newest first: what was decided last tells why it waits.
        for line in self.decisions(MOST_RECEIPTS)? {
            if let (Some(slug), Some(why)) = (line["slug"].as_str(), line["why"].as_str()) {
                decisions.entry(slug.to_owned()).or_insert_with(|| why.to_owned());
            }
        }
        let waits = |found: &&Found| found.memory.awaits() == Some(Awaits::Review);
        let item = |found: &Found| {
            let fold = found.memory.now();
            let hidden =
                fold.as_ref().and_then(|fold| fold.waits.clone()).map(|what| format!("it holds {what}"));
            let logged = decisions.get(found.memory.slug.as_str()).cloned();
            let trust = fold.map(|fold| format!("its text is of {} trust", fold.trust.as_str()));
            let why = hidden.or(logged).or(trust).unwrap_or_else(|| "it waits".to_owned());
            let why = format!("{why}{}", would_change(&found.memory));
            Item { concern: Concern::Pending, found: found.clone(), other: None, why }
        };
        Ok(memories.iter().filter(waits).map(item).collect())
    }

    fn duplicates(&self, live: &[&Found]) -> Result<Vec<Item>, StoreError> {
        let (mut items, mut told) = (Vec::new(), HashSet::new());
        let embedder = Embedder::built_in();
        for (whose, store) in self.stores() {
            let own: Vec<&&Found> =
                live.iter().filter(|found| found.whose == whose).take(MOST_COMPARED).collect();
            let names: HashSet<&Slug> = own.iter().map(|found| &found.memory.slug).collect();
            let mut index = self.whole_index(store)?;
            for found in own {
                let Some(fold) = found.memory.now() else { continue };
                let query = Query::of(&format!("{}\n{}", fold.title, fold.text()), &embedder);
                for near in index.candidates(&query, None, 3, &Weights::TUNED)? {
                    let slug = near.slug;
                    let pair = (
                        found.memory.slug.clone().min(slug.clone()),
                        found.memory.slug.clone().max(slug.clone()),
                    );
                    if slug == found.memory.slug || !names.contains(&slug) || told.contains(&pair) {
                        continue;
                    }
                    let Ok(other) = store.read(&slug) else { continue };
                    if say_the_same(&found.memory, &other) {
                        told.insert(pair);
                        let why = format!("`{slug}` says the same");
                        items.push(Item {
                            concern: Concern::Duplicate,
                            found: (**found).clone(),
                            other: Some(slug),
                            why,
                        });
                    }
                }
            }
        }
        Ok(items)
    }

    fn stale(&self, live: &[&Found]) -> Vec<Item> {
        let tree = self.store(Whose::Project).and_then(|store| WorkTree::open(store.layout().project()).ok());
        let Some(tree) = tree else { return Vec::new() };
        let judge = Judge::new(&tree);
        let stale = |found: &&&Found| {
            let fold = found.memory.now().filter(|fold| !fold.evidence.is_null())?;
            let report = judge.memory(&Evidence::parse(fold.evidence), Some(fold.evidence_at.as_second()));
            let worst = report.worst().filter(|worst| worst.verdict != Verdict::Fresh)?;
            let why = worst.reason.clone();
            Some(Item { concern: Concern::Stale, found: (**found).clone(), other: None, why })
        };
        live.iter().filter(|found| found.whose == Whose::Project).filter_map(|found| stale(&found)).collect()
    }

    /// What receipts tell: who is never called, and who is called too often.
    fn by_use(&self, live: &[&Found]) -> Result<Vec<Item>, StoreError> {
        let receipts = self.past_tasks()?;
        if receipts.len() < ENOUGH_RECEIPTS {
            return Ok(Vec::new());
        }
        let mut used: HashMap<&str, usize> = HashMap::new();
        for chosen in receipts.iter().flat_map(|receipt| receipt["chosen"].as_array().into_iter().flatten()) {
            *used.entry(chosen["slug"].as_str().unwrap_or_default()).or_default() += 1;
        }
        let asked: Vec<TaskText> = receipts.iter().map(|receipt| TaskText::new(&asked_in(receipt))).collect();
        let asked: Vec<&TaskText> = asked.iter().collect();
        let mut items = Vec::new();
        for found in live {
            let Some(fold) = found.memory.now() else { continue };
            let times = used.get(found.memory.slug.as_str()).copied().unwrap_or_default();
            let fired: HashSet<usize> = fold.when_to_use.iter().flat_map(|when| met(when, &asked)).collect();
            let fired = fired.len();
            let age = (self.now().as_second() - fold.discovered_at.as_second()) / 86_400;
            if fired * 5 > receipts.len() * 2 {
                let why = format!("its triggers fit {fired} of the last {} tasks", receipts.len());
                items.push(Item { concern: Concern::Eager, found: (*found).clone(), other: None, why });
            } else if times == 0 && age >= UNUSED_DAYS {
                let why = format!("none of the last {} tasks called it in {age} days", receipts.len());
                items.push(Item { concern: Concern::Unused, found: (*found).clone(), other: None, why });
            }
        }
        Ok(items)
    }

    /// The receipts of past tasks, newest first.
    pub fn past_tasks(&self) -> Result<Vec<Value>, StoreError> {
        let mut found = Vec::new();
        for (_, store) in self.stores() {
            found.extend(UsageLog::of(store.layout()).newest("injection", MOST_RECEIPTS, |_| true)?);
        }
        Ok(found)
    }
}

/// What was known before a past task.
pub(crate) fn asked_in(receipt: &Value) -> TaskContext {
    let told = |name: &str| receipt[name].as_str().unwrap_or_default().to_owned();
    let files = receipt["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    TaskContext {
        task: told("task"),
        agent: told("agent"),
        files: files.map(str::to_owned).collect(),
        command: told("command"),
        error: told("error"),
        ..TaskContext::default()
    }
}

/// What approving a memory would do to others, and what it is beside.
fn would_change(memory: &Memory) -> String {
    let changes = memory.would_change();
    let mut told: Vec<String> = changes
        .iter()
        .map(|(change, other)| match change {
            Change::Replaces => format!("; approving it replaces `{other}`"),
            Change::Updates => format!("; approving it makes it an entry of `{other}`"),
        })
        .collect();
    if changes.is_empty() {
        let related = memory.now().map(|fold| fold.related_memories).unwrap_or_default();
        told.extend(
            related
                .iter()
                .take(1)
                .map(|other| format!("; `{other}` speaks of it, see --supersede and --merge")),
        );
    }
    told.concat()
}

/// Whether each of two memories says all that the other says: where one only has a part of it, the rest would be lost.
fn say_the_same(one: &Memory, other: &Memory) -> bool {
    let says = |a: &Memory, b: &Memory| matches!(rawko_core::between(a, b), Relation::Same(_));
    says(one, other) && says(other, one)
}

fn is_live(memory: &Memory) -> bool {
    memory.now().is_some_and(|fold| fold.status == Status::Active)
}

/// A memory whose entry replaces what the memory itself said, and no person has spoken since.
fn contradiction(found: &Found) -> Option<Item> {
    let slug = found.memory.slug.as_str();
    let newest = found.memory.standing().next_back()?;
    let replaces = newest.entry.frontmatter.supersedes.iter().any(|name| name == slug);
    let by = &newest.entry.frontmatter.discovered_by;
    let why = format!("the newest entry, by {by}, says otherwise than those before it");
    replaces.then(|| Item { concern: Concern::Contradiction, found: found.clone(), other: None, why })
}
