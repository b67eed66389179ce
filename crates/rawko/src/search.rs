//! Finding memories by words and meaning, whoever wrote them.

use std::cell::Cell;
use std::ops::Range;

use rawko_core::rank::{CANDIDATES, Query};
use rawko_core::{Embedder, Fold, Memory, Score, Weights};
use rawko_store::{Candidate, Check, FileStore, Index, Sentences, State, StoreError, Words};

use crate::embedding::Meant;
use crate::engine::{Engine, Whose};
use crate::provider::{Encoder, ProviderError};

/// Points below which a search hit has nothing to do with the query. Which words stand nearest to the query's is no sign of
/// that: among memories that have nothing to do with it, some are above their average all the same.
const FAINT: f32 = 6.0;
/// Bytes of a text in which its best passage is looked for.
const LOOKED_THROUGH: usize = 64 * 1024;
/// Bytes of single words that a search reads: some forty thousand words, where fifty usual memories have five.
const MOST_WORDS: usize = 4 * 1024 * 1024;

/// A memory found by a search.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Whose store it is in.
    pub whose: Whose,
    /// The memory.
    pub memory: Memory,
    /// How well it answers: the sum of its parts.
    pub score: Score,
    /// The passage that answers best.
    pub snippet: String,
    /// Whether the chosen embedding model told how alike it is, and not the token table.
    pub by_model: bool,
}

/// What a search found.
#[derive(Debug)]
pub struct SearchResult {
    /// The memories, best first.
    pub hits: Vec<SearchHit>,
    /// Stores whose index should be built anew when there is time.
    pub wants_rebuild: Vec<Whose>,
    /// What went wrong with the chosen embedding model: where it gave no vector, the token table answered.
    pub trouble: Option<ProviderError>,
    /// Memories that have no vector of that model yet, so that the token table answered for them.
    pub without_vector: usize,
    /// Those of them that [`Engine::embed_unasked`] would encode.
    pub read_behind: usize,
    /// Whether it would encode anything: these, or the single words of what was found.
    pub wants_reading: bool,
}

impl Engine {
    /// Finds memories by words and meaning, best first: no network. What `takes` refuses by its fields takes no place.
    pub fn search(
        &self,
        text: &str,
        most: usize,
        takes: impl Fn(&Memory) -> bool,
    ) -> Result<SearchResult, StoreError> {
        self.search_by(None, text, most, takes)
    }

    /// As [`Self::search`], with another embedding model in place of the token table, as far as it answers.
    pub fn search_by(
        &self,
        encoder: Option<&Encoder>,
        text: &str,
        most: usize,
        takes: impl Fn(&Memory) -> bool,
    ) -> Result<SearchResult, StoreError> {
        let embedder = Embedder::built_in();
        let query = Query::of(text, &embedder);
        let (mut meant, mut trouble) = (None, None);
        if let Some(encoder) = encoder.filter(|_| !text.trim().is_empty()) {
            match Meant::ask(self, encoder, text) {
                Ok(asked) => meant = asked,
                Err(error) => trouble = Some(error),
            }
        }
        let (mut hits, mut wants_rebuild) = (Vec::new(), Vec::new());
        for (whose, store) in self.stores() {
            let mut index = self.whole_index(store)?;
            if index.wants_rebuild() {
                wants_rebuild.push(whose);
            }
            for (found, by_model) in candidates(self, store, &mut index, &query, meant.as_mut(), &takes)? {
                let Ok(memory) = rawko_store::Store::read(store, &found.slug) else { continue };
                if found.hit.plain >= FAINT && takes(&memory) {
                    let snippet =
                        memory.now().map_or(String::new(), |fold| snippet(&fold, &query, &embedder));
                    let points = found.hit.score;
                    let score = Score::of(found.hit.parts);
                    hits.push((points, SearchHit { whose, memory, score, snippet, by_model }));
                }
            }
        }
        // By all of their points: a score ends at 100.
        hits.sort_by(|(a_points, a), (b_points, b)| {
            b_points
                .total_cmp(a_points)
                .then_with(|| (a.whose, &a.memory.slug).cmp(&(b.whose, &b.memory.slug)))
        });
        let hits = hits.into_iter().take(most).map(|(_, hit)| hit).collect();
        let (without_vector, read_behind) =
            meant.as_ref().map_or((0, 0), |meant| (meant.waiting, meant.read_behind));
        let wants_reading = meant.as_ref().is_some_and(|meant| meant.wants_reading);
        let trouble = trouble.or(meant.and_then(|meant| meant.trouble));
        Ok(SearchResult { hits, wants_rebuild, trouble, without_vector, read_behind, wants_reading })
    }

    /// An index that leaves no file unread.
    pub(crate) fn whole_index<'s>(&self, store: &'s FileStore) -> Result<Index<'s>, StoreError> {
        let index = Index::open(store, Check::Quick)?;
        if matches!(index.state(), State::Degraded { unread, .. } if *unread > 0) {
            return Index::open(store, Check::All);
        }
        Ok(index)
    }
}

/// The memories of a store that answer best of those that are taken, each with whether another model told how alike it is.
fn candidates(
    engine: &Engine,
    store: &FileStore,
    index: &mut Index<'_>,
    query: &Query,
    meant: Option<&mut Meant<'_>>,
    takes: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<(Candidate, bool)>, StoreError> {
    let Some(meant) = meant else {
        let found = index.candidates_among(query, CANDIDATES, &Weights::TUNED, takes)?;
        return Ok(found.into_iter().map(|found| (found, false)).collect());
    };
    let mut vectors = meant.vectors(engine, store, index)?;
    let likeness = |key: &_| Some(vectors.likeness(key, &meant.question)?.said);
    let (left, is_missed) = (Cell::new(MOST_WORDS), Cell::new(false));
    let nearest = |key: &_| {
        let said = vectors.words(key, left.get());
        // One without a vector is told of as waiting, or waits for a person.
        let is_lacking = said.is_none() && vectors.has_memory(key) && !vectors.has_all(key);
        is_missed.set(is_missed.get() || is_lacking);
        let said = said?;
        left.set(left.get() - said.iter().map(|words| words.len()).sum::<usize>());
        Some(said.iter().filter_map(|words| meant.words.as_ref()?.nearest(words)).collect())
    };
    let words = meant.words.as_ref().map(|asked| Words { asked: &asked.terms, nearest: &nearest });
    let told = Sentences { likeness: &likeness, words, is_built_in: meant.encoder.is_built_in() };
    let found = index.candidates_like(query, CANDIDATES, &Weights::TUNED, takes, &told);
    // What cannot be mended now is found damaged again.
    is_missed.set(vectors.mend_words().unwrap_or(false) || is_missed.get());
    if is_missed.get() {
        meant.miss_words(vectors.memories());
    }
    found
}

/// The passage of a memory that answers a query best.
pub(crate) fn snippet(fold: &Fold<'_>, query: &Query, embedder: &Embedder<'_>) -> String {
    let body = fold.text();
    let (_, best) = best_passage(&body, query, embedder);
    best.map_or(String::new(), |range| body[range].to_owned())
}

/// The passages of a text, and which of them answers a query best; of one without end, those of its beginning.
pub(crate) fn best_passage(
    body: &str,
    query: &Query,
    embedder: &Embedder<'_>,
) -> (Vec<Range<usize>>, Option<Range<usize>>) {
    let all = rawko_core::passages(&body[..body.floor_char_boundary(LOOKED_THROUGH)]);
    let best = all.iter().cloned().max_by(|a, b| {
        let score = |range: &Range<usize>| {
            let text = &body[range.clone()];
            let found = rawko_core::terms(text);
            let shared = query.terms.iter().filter(|term| found.contains(term)).count() as f32;
            shared + embedder.embed(text).dot(&query.vector)
        };
        // Of equals the first one, which is the newest.
        score(a).total_cmp(&score(b)).then(b.start.cmp(&a.start))
    });
    (all, best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Now;
    use crate::{Channel, Draft};

    #[test]
    fn a_memory_that_waits_for_a_person_has_nothing_read_behind_a_search() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let now = Now::at("2026-01-23T10:30:00Z".parse().expect("a time"));
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        let engine = Engine::create(&project, Some(&home), now).expect("a store");
        let entry = Draft::new("Freeze", "Deploys are frozen in December.").entry(engine.now());
        engine.add(&entry, Whose::Project, Channel::Import).expect("saved");
        let search = || {
            let found = engine.search_by(Some(&Encoder::built_in()), "deploys in December", 5, |_| true);
            found.expect("searched")
        };
        let found = search();
        assert_eq!((found.hits.len(), found.without_vector, found.wants_reading), (1, 0, false));
    }
}
