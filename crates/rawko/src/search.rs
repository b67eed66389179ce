//! Finding memories by words and meaning, whoever wrote them.

use rawko_core::rank::Query;
use rawko_core::{Embedder, Fold, Memory, Score, Weights};
use rawko_store::{Check, FileStore, Index, State, StoreError};

use crate::engine::{Engine, Whose};

/// Points below which a search hit has nothing to do with the query.
const FAINT: f32 = 6.0;

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
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The memories, best first.
    pub hits: Vec<SearchHit>,
    /// Stores whose index should be built anew when there is time.
    pub wants_rebuild: Vec<Whose>,
}

impl Engine {
    /// Finds memories by words and meaning, best first.
    pub fn search(
        &self,
        text: &str,
        most: usize,
        takes: impl Fn(&Memory) -> bool,
    ) -> Result<SearchResult, StoreError> {
        let embedder = Embedder::built_in();
        let query = Query::of(text, &embedder);
        let (mut hits, mut wants_rebuild) = (Vec::new(), Vec::new());
        for (whose, store) in self.stores() {
            let mut index = self.whole_index(store)?;
            if index.wants_rebuild() {
                wants_rebuild.push(whose);
            }
            for found in index.candidates(&query, None, rawko_core::rank::CANDIDATES, &Weights::TUNED)? {
                let Ok(memory) = rawko_store::Store::read(store, &found.slug) else { continue };
                if found.hit.score >= FAINT && takes(&memory) {
                    let snippet =
                        memory.now().map_or(String::new(), |fold| snippet(&fold, &query, &embedder));
                    hits.push(SearchHit { whose, memory, score: Score::of(found.hit.parts), snippet });
                }
            }
        }
        hits.sort_by(|a, b| {
            b.score
                .total()
                .total_cmp(&a.score.total())
                .then_with(|| (a.whose, &a.memory.slug).cmp(&(b.whose, &b.memory.slug)))
        });
        hits.truncate(most);
        Ok(SearchResult { hits, wants_rebuild })
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

/// The passage of a memory that answers a query best.
pub(crate) fn snippet(fold: &Fold<'_>, query: &Query, embedder: &Embedder<'_>) -> String {
    let body = fold.text();
    let best = rawko_core::passages(&body).into_iter().max_by(|a, b| {
        let score = |range: &std::ops::Range<usize>| {
            let text = &body[range.clone()];
            let found = rawko_core::terms(text);
            let shared = query.terms.iter().filter(|term| found.contains(term)).count() as f32;
            shared + embedder.embed(text).dot(&query.vector)
        };
        // Of equals the first one, which is the newest.
        score(a).total_cmp(&score(b)).then(b.start.cmp(&a.start))
    });
    best.map_or(String::new(), |range| body[range].to_owned())
}
