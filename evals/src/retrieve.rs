//! A set through the product's own search: read once, asked as often as wanted.

use rawko_core::Weights;
use rawko_core::rank::{Analysed, Corpus, Document, Hit, Likened, NearWords, Query, Wanted, search};

use crate::encoder::Vectors;
use crate::score::{Figures, figures};
use crate::set::{Question, Result, Set};

/// How many documents a ranking holds.
const DEPTH: usize = 100;

/// A set whose documents and questions have been analysed.
pub(crate) struct Bench {
    set: Set,
    queries: Vec<Query>,
    corpora: Vec<Corpus<std::rc::Rc<Analysed>>>,
    /// Another model's vectors, where one was chosen.
    vectors: Option<Vectors>,
}

impl Bench {
    /// Reads every document and question once.
    pub(crate) fn new(set: Set) -> Result<Self> {
        let vectors = Vectors::of(&set)?;
        let embedder = crate::table::embedder();
        let read = |doc: &crate::set::Doc| {
            let document =
                Document { title: &doc.title, triggers: &doc.triggers, tags: &doc.tags, body: &doc.body };
            std::rc::Rc::new(Analysed::of(&document, &embedder))
        };
        let docs: Vec<_> = set.docs.iter().map(read).collect();
        let mut corpora = Vec::new();
        for pool in &set.pools {
            let mut corpus = Corpus::new();
            for (n, doc) in pool.docs.iter().enumerate() {
                corpus.add(docs[*doc].clone(), pool.times.get(n).copied());
            }
            corpora.push(corpus);
        }
        let queries = set.questions.iter().map(|q| Query::of(&q.text, &embedder)).collect();
        Ok(Self { set, queries, corpora, vectors })
    }

    /// The questions, in their order.
    pub(crate) fn questions(&self) -> &[Question] {
        &self.set.questions
    }

    /// The ids found for the `n`th question, best first.
    pub(crate) fn ranked(&self, n: usize, weights: &Weights) -> Vec<&str> {
        self.found(n, weights).into_iter().map(|(id, _)| id).collect()
    }

    /// What is found for the `n`th question, best first, with what each score is made of.
    pub(crate) fn found(&self, n: usize, weights: &Weights) -> Vec<(&str, Hit)> {
        let pool = self.set.questions[n].pool;
        let (corpus, query, docs) = (&self.corpora[pool], &self.queries[n], &self.set.pools[pool].docs);
        let hits = match &self.vectors {
            None => corpus.search(query, DEPTH, weights),
            Some(vectors) => {
                let likenesses = docs.iter().map(|doc| vectors.likeness(*doc, n)).collect();
                let wanted = Wanted { k: DEPTH, called: &[], counts: &|_| true };
                let asked = vectors.asked(n);
                let nearest = |doc: u32| Some(vectors.nearest(docs[doc as usize], asked?));
                let words = asked.map(|asked| NearWords { asked: &asked.terms, nearest: &nearest });
                let likened = Likened::new(corpus, likenesses, query, weights).with_words(words);
                let Ok(hits) = search(&likened, query, &wanted, weights);
                hits
            }
        };
        let id = |hit: &Hit| self.set.docs[docs[hit.doc as usize]].id.as_str();
        hits.into_iter().map(|hit| (id(&hit), hit)).collect()
    }

    /// How many distinct words the `n`th question has.
    pub(crate) fn words(&self, n: usize) -> usize {
        self.queries[n].terms.len()
    }

    /// The `n`th question's figures.
    pub(crate) fn figures(&self, n: usize, weights: &Weights) -> Figures {
        figures(&self.set.questions[n], &self.ranked(n, weights))
    }
}
