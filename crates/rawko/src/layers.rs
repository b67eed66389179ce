//! Four layers over the same files: append, search, learn, recall, compact, clear.
//!
//! The layers are a way to speak of what the store keeps anyway. Working is in
//! this process, or in a session's folder; episodic is the log of episodes;
//! semantic and procedural are memories, so what is learned has a history, and
//! what an agent says is judged before it is kept. Opening reads nothing.

mod compact;
mod import;
mod lessons;
mod record;

use rawko_core::rank::{Analysed, Corpus, Document, Query};
use rawko_core::session::SessionId;
use rawko_core::{
    Channel, Circumstances, Decision, Embedder, Entry, KnowledgeEntry, LEARNED_KEY, Layer,
    MAX_WORKING_ENTRIES, Memory, MemoryEntry, MemoryStats, Proposal, Score, Slug, Status, Weights,
    entry_without_secrets, redact, terms,
};
use rawko_store::{Episodes, FileStore, Saved, Sought, Store, StoreError, WorkingFile};
use serde_json::json;

use crate::draft::Draft;
use crate::engine::{Engine, Filter, Whose};
use crate::{Kind, Trigger};

pub use self::compact::{Cleared, Compacted, SumUp, Undone, by_provider};
pub use self::import::Imported;
pub use self::lessons::LearnedFrom;

/// Candidates that are ranked by meaning.
const RANKED: usize = 400;
/// Points below which a hit has nothing to do with the query.
const FAINT: f32 = 6.0;

/// The four layers of the store that is nearest: the project's, or the person's own.
pub struct Layers<'e> {
    engine: &'e Engine,
    whose: Whose,
    channel: Channel,
    by: String,
    working: Vec<MemoryEntry>,
    /// Where the working layer is, if it is not in this process.
    session: Option<SessionId>,
    max_working_entries: usize,
}

/// How hits of a search are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// As everywhere in rawko: by words and meaning.
    #[default]
    Own,
    /// As the origin counts.
    Classic,
}

/// What a search in a layer found.
#[derive(Clone, Debug, Default)]
pub struct LayerHits {
    /// The entries with their scores, best first.
    pub hits: Vec<(Layer, MemoryEntry, Score)>,
    /// Episodes that were looked at.
    pub looked_at: usize,
    /// Episodes that may hold a word of the query and were left unread.
    pub unread: usize,
    /// Lines of the log that are no episodes.
    pub torn: usize,
}

/// What became of an entry.
#[derive(Clone, Debug)]
pub enum Appended {
    /// It is in its layer, named so.
    Entry(MemoryEntry),
    /// It is a memory, or waits to be one.
    Memory(Learned),
}

/// What became of something to be learned.
#[derive(Clone, Debug)]
pub struct Learned {
    /// What was saved; nothing where it was refused.
    pub saved: Option<Saved>,
    /// Whether it waits for a person.
    pub waits: bool,
    /// Why it was refused or waits.
    pub why: Option<String>,
}

/// What a key recalls.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The key and its newest value.
    pub entry: KnowledgeEntry,
    /// The memory that holds it.
    pub slug: Slug,
    /// How many values it has had.
    pub versions: usize,
    /// Whether it waits for a person, and reaches no agent by itself.
    pub waits: bool,
}

impl<'e> Layers<'e> {
    /// The layers of the nearest store; nothing is read yet. `by` writes, through `channel`.
    pub fn of(engine: &'e Engine, channel: Channel, by: &str) -> Result<Self, StoreError> {
        let (whose, _) = engine.stores().next().ok_or_else(|| StoreError::NoStore(".".into()))?;
        Ok(Self {
            engine,
            whose,
            channel,
            by: by.to_owned(),
            working: Vec::new(),
            session: None,
            max_working_entries: MAX_WORKING_ENTRIES,
        })
    }

    /// Keeps at most so many entries in the working layer: `maxWorkingEntries`, 50 by default.
    pub fn max_working_entries(mut self, most: usize) -> Self {
        self.max_working_entries = most;
        self
    }

    /// Keeps the working layer in a session's folder, so that it outlives this process.
    pub fn in_session(mut self, session: &SessionId) -> Result<Self, StoreError> {
        let _ = self.engine.sessions()?;
        self.session = Some(session.clone());
        Ok(self)
    }

    fn working_file(&self, session: &SessionId) -> Result<WorkingFile, StoreError> {
        Ok(WorkingFile::in_folder(&self.engine.sessions()?.folder(session)))
    }

    fn store(&self) -> &'e FileStore {
        self.engine.store(self.whose).expect("it was there when the layers were opened")
    }

    fn episodes(&self) -> Episodes {
        Episodes::of(self.store().layout())
    }

    /// Adds an entry to a layer. A name and a time are made where it has none.
    ///
    /// Semantic: the key is `metadata.key`, or the entry's id. Procedural: `metadata.condition` says when.
    pub fn append(&mut self, layer: Layer, mut entry: MemoryEntry) -> Result<Appended, StoreError> {
        if layer == Layer::Episodic {
            return self.episodes().append(&entry, self.engine.now()).map(Appended::Entry);
        }
        if entry.id.is_empty() {
            entry.id = Episodes::new_id();
        }
        if entry.timestamp == 0 {
            entry.timestamp = self.engine.now().as_millisecond();
        }
        match layer {
            Layer::Working => {
                let most = self.max_working_entries;
                let added = entry.clone();
                self.change_working(|entries| {
                    entries.push(added);
                    let over = entries.len().saturating_sub(most);
                    entries.drain(..over);
                })?;
                Ok(Appended::Entry(entry))
            }
            Layer::Semantic => {
                let key = Some(entry.text("key")).filter(|key| !key.trim().is_empty()).unwrap_or(&entry.id);
                self.learn(key, &entry.content).map(Appended::Memory)
            }
            Layer::Procedural => {
                let condition = entry.text("condition").to_owned();
                self.rule(&condition, &entry.content).map(Appended::Memory)
            }
            Layer::Episodic => unreachable!("it was dealt with above"),
        }
    }

    fn change_working<T>(
        &mut self,
        change: impl FnOnce(&mut Vec<MemoryEntry>) -> T,
    ) -> Result<T, StoreError> {
        match &self.session {
            Some(session) => self.working_file(session)?.update(change),
            None => Ok(change(&mut self.working)),
        }
    }

    /// The entries of the working layer, oldest first: `getWorkingMemory`.
    pub fn working(&self) -> Result<Vec<MemoryEntry>, StoreError> {
        match &self.session {
            Some(session) => self.working_file(session)?.read(),
            None => Ok(self.working.clone()),
        }
    }

    /// The newest episodes, oldest first: `getEpisodicMemory`, with a bound.
    pub fn episodic(&self, most: usize) -> Result<Vec<MemoryEntry>, StoreError> {
        let mut entries = self.episodes().newest(most, |_| true)?.entries;
        entries.reverse();
        Ok(entries)
    }

    /// Learns a value for a key: an entry is appended to the key's memory, and its history stays.
    pub fn learn(&self, key: &str, value: &str) -> Result<Learned, StoreError> {
        let spoken = key.replace(['-', '_', '.'], " ");
        let mut draft = Draft::new(key, value).when(key);
        if spoken != key && !spoken.trim().is_empty() {
            draft = draft.when(spoken);
        }
        let mut entry = draft.kind(Some(Kind::Knowledge)).by(&self.by).entry(self.engine.now());
        entry.frontmatter.extra.insert(LEARNED_KEY.to_owned(), json!(key));
        self.keep(&entry)
    }

    /// Learns a rule: what to do when. The condition is the memory's trigger, and the action its text.
    pub fn rule(&self, condition: &str, action: &str) -> Result<Learned, StoreError> {
        let title = rule_title(condition);
        let draft = Draft::new(&title, action).when(condition).kind(Some(Kind::Procedure));
        self.keep(&draft.by(&self.by).entry(self.engine.now()))
    }

    fn keep(&self, entry: &Entry) -> Result<Learned, StoreError> {
        let (entry, _) = entry_without_secrets(entry);
        let known = self.named(&entry.frontmatter.title)?;
        if self.channel != Channel::Agent {
            let saved = match &known {
                Some(memory) => self.engine.append(entry, self.whose, &memory.slug, self.channel)?,
                None => self.engine.add(&entry, self.whose, self.channel)?,
            };
            let waits = !self.channel.proves().may_be_injected();
            return Ok(Learned { saved: Some(saved), waits, why: None });
        }
        let update_of = known.map(|memory| memory.slug);
        let proposal = Proposal { entry, update_of, reasoning: String::new() };
        let found = self.engine.admit_to(self.whose, &proposal, &Circumstances::default(), self.channel)?;
        let waits = found.admission.decision == Decision::Hold;
        let why = (waits || found.saved.is_none()).then(|| found.admission.reason.to_string());
        Ok(Learned { saved: found.saved, waits, why })
    }

    /// The memory of this title.
    fn named(&self, title: &str) -> Result<Option<Memory>, StoreError> {
        self.store().titled(title)
    }

    /// The newest value of a key, of those of most trust; `None` where there is none, or it was retired.
    pub fn recall(&self, key: &str) -> Result<Option<Recalled>, StoreError> {
        let Some(memory) = self.named(&redact(key))? else { return Ok(None) };
        let Some(fold) = memory.now().filter(|fold| matches!(fold.status, Status::Active | Status::Pending))
        else {
            return Ok(None);
        };
        let Some(value) = fold.bodies.first() else { return Ok(None) };
        let texts = || memory.standing().rev().filter(|known| !known.entry.body.trim().is_empty());
        let (at, versions) = (texts().find(|known| known.entry.body == value.text), texts().count());
        let timestamp = at.map_or(0, |known| known.entry.frontmatter.discovered_at.as_millisecond());
        let entry = KnowledgeEntry { key: key.to_owned(), value: value.text.trim().to_owned(), timestamp };
        let waits = fold.status == Status::Pending || !at.is_some_and(|known| known.may_be_injected());
        Ok(Some(Recalled { entry, versions, waits, slug: memory.slug.clone() }))
    }

    /// Finds entries of a layer, or of all of them, best first.
    pub fn search(
        &self,
        layer: Option<Layer>,
        query: &str,
        limit: usize,
        ranking: Ranking,
    ) -> Result<LayerHits, StoreError> {
        let mut found = LayerHits::default();
        for layer in Layer::ALL.into_iter().filter(|one| layer.is_none_or(|wanted| wanted == *one)) {
            let entries = match layer {
                Layer::Working => self.rank(self.working()?, query, limit, ranking),
                Layer::Episodic => self.search_episodes(query, limit, ranking, &mut found)?,
                Layer::Semantic => self.search_memories(Kind::Knowledge, query, limit, ranking)?,
                Layer::Procedural => self.search_memories(Kind::Procedure, query, limit, ranking)?,
            };
            found.hits.extend(entries.into_iter().map(|(entry, score)| (layer, entry, score)));
        }
        found.hits.sort_by(|a, b| b.2.total().total_cmp(&a.2.total()));
        found.hits.truncate(limit);
        Ok(found)
    }

    fn search_episodes(
        &self,
        query: &str,
        limit: usize,
        ranking: Ranking,
        found: &mut LayerHits,
    ) -> Result<Vec<(MemoryEntry, Score)>, StoreError> {
        let parts = if ranking == Ranking::Classic { runs(query) } else { beginnings(query) };
        let passes = |line: &[u8]| {
            let line = String::from_utf8_lossy(line).to_lowercase();
            parts.is_empty() || parts.iter().any(|part| line.contains(part))
        };
        let terms = terms(query);
        let sought = match ranking {
            Ranking::Own => Sought::Words(&terms),
            Ranking::Classic => Sought::Parts(&terms),
        };
        let looked = self.episodes().matching(sought, passes)?;
        (found.looked_at, found.unread, found.torn) = (looked.looked_at, looked.unread, looked.torn);
        Ok(self.rank(looked.entries, query, limit, ranking))
    }

    fn search_memories(
        &self,
        kind: Kind,
        query: &str,
        limit: usize,
        ranking: Ranking,
    ) -> Result<Vec<(MemoryEntry, Score)>, StoreError> {
        let is_kind =
            |memory: &Memory| memory.now().is_some_and(|fold| fold.kind == kind && is_live(fold.status));
        if ranking == Ranking::Classic {
            let all = self.engine.list(&Filter::default())?.memories;
            let entries =
                all.iter().filter(|found| is_kind(&found.memory)).filter_map(|found| shown(&found.memory));
            return Ok(self.rank(entries.collect(), query, limit, ranking));
        }
        let hits = self.engine.search(query, limit, is_kind)?.hits;
        Ok(hits.iter().filter_map(|hit| Some((shown(&hit.memory)?, hit.score.clone()))).collect())
    }

    fn rank(
        &self,
        mut entries: Vec<MemoryEntry>,
        query: &str,
        limit: usize,
        ranking: Ranking,
    ) -> Vec<(MemoryEntry, Score)> {
        let now = self.engine.now();
        if ranking == Ranking::Own {
            // Only the most promising are looked at closely; those with most of the words, then the newest.
            if entries.len() > RANKED {
                let parts = beginnings(query);
                entries.sort_by_cached_key(|entry| {
                    let text = entry.searched().to_lowercase();
                    let shared = parts.iter().filter(|part| text.contains(part.as_str())).count();
                    (std::cmp::Reverse(shared), -entry.timestamp)
                });
                entries.truncate(RANKED);
            }
            return by_meaning(entries, query, limit);
        }
        let scored = entries.into_iter().map(|entry| (entry.classic(query, now), entry));
        let mut scored: Vec<(f64, MemoryEntry)> = scored.filter(|(points, _)| *points > 0.0).collect();
        // By the origin's own points, which know no end at 100.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.truncate(limit);
        let score = |entry: &MemoryEntry| Score::of(entry.classic_parts(query, now));
        scored.into_iter().map(|(_, entry)| (entry.clone(), score(&entry))).collect()
    }

    /// How much there is in each layer.
    pub fn stats(&self) -> Result<MemoryStats, StoreError> {
        let working = self.working()?;
        let (episodic_entry_count, mut bytes) = self.episodes().size()?;
        let mut stats = MemoryStats {
            working_memory_tokens: working
                .iter()
                .map(|entry| entry.content.chars().count().div_ceil(4))
                .sum(),
            episodic_entry_count,
            ..MemoryStats::default()
        };
        bytes += working.iter().map(|entry| json!(entry).to_string().len() as u64).sum::<u64>();
        for memory in self.store().read_all()?.memories {
            bytes += memory.entries.iter().map(|known| known.entry.to_text().len() as u64).sum::<u64>();
            match memory.now().filter(|fold| is_live(fold.status)).map(|fold| fold.kind) {
                Some(Kind::Knowledge) => stats.semantic_entry_count += 1,
                Some(Kind::Procedure) => stats.procedural_rule_count += 1,
                None => {}
            }
        }
        stats.total_storage_bytes = bytes;
        Ok(stats)
    }
}

fn is_live(status: Status) -> bool {
    matches!(status, Status::Active | Status::Pending)
}

/// A memory as an entry of its layer.
fn shown(memory: &Memory) -> Option<MemoryEntry> {
    let fold = memory.now()?;
    let name = if fold.kind == Kind::Procedure { "condition" } else { "key" };
    let trigger = |trigger: &&&Trigger| trigger.text().to_owned();
    let of = match fold.kind {
        Kind::Procedure => fold.when_to_use.first().as_ref().map(trigger).unwrap_or_default(),
        Kind::Knowledge => fold.title.to_owned(),
    };
    let content = fold.bodies.first().map_or("", |body| body.text.trim()).to_owned();
    let timestamp = fold.discovered_at.as_millisecond();
    let entry = MemoryEntry { id: memory.slug.to_string(), timestamp, ..MemoryEntry::new(content) };
    Some(entry.with(name, of).with("status", fold.status.as_str()).with("trust", fold.trust.as_str()))
}

/// The beginnings of a query's words: enough to pass over lines that have none of them in any form.
fn beginnings(query: &str) -> Vec<String> {
    let lower = query.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    words.map(|word| word.chars().take(5).collect()).collect()
}

/// Of each word of a query, the longest part that a line of JSON holds as it is; none where a word has no such part.
fn runs(query: &str) -> Vec<String> {
    let lower = query.to_lowercase();
    let longest = |word: &str| word.split(['"', '\\']).max_by_key(|run| run.len()).map(str::to_owned);
    let runs: Vec<String> = lower.split_whitespace().filter_map(longest).collect();
    if runs.iter().any(String::is_empty) { Vec::new() } else { runs }
}

/// What a rule's memory is called.
fn rule_title(condition: &str) -> String {
    let condition = condition.trim();
    let rest =
        condition.split_once(char::is_whitespace).filter(|(first, _)| first.eq_ignore_ascii_case("when"));
    format!("When {}", rest.map_or(condition, |(_, rest)| rest.trim_start()))
}

fn by_meaning(entries: Vec<MemoryEntry>, query: &str, limit: usize) -> Vec<(MemoryEntry, Score)> {
    let embedder = Embedder::built_in();
    let query = Query::of(query, &embedder);
    let mut corpus = Corpus::new();
    for entry in &entries {
        let text = entry.searched();
        let document = Document { title: "", triggers: "", tags: "", body: &text };
        corpus.add(Analysed::of(&document, &embedder), Some(entry.timestamp / 1000));
    }
    let hits = corpus.search(&query, limit, &Weights::TUNED).into_iter().filter(|hit| hit.score >= FAINT);
    hits.map(|hit| (entries[hit.doc as usize].clone(), Score::of(hit.parts))).collect()
}
