//! What is newer than the index, read from its files and searched in memory.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use rawko_core::rank::{Analysed, Corpus, Counts, Lengths, NOBODY, Source, Statistics};
use rawko_core::{Embedder, EntryId, Sketch, Slug, Term, Vector};

use super::base::{Base, length_of};
use super::bytes::Damage;
use super::card;
use super::document::Indexed;
use super::stamp::Stamp;
use crate::FileStore;
use crate::error::StoreError;
use crate::walk;

/// Documents up to which a search reads all vectors; beyond, their signs tell which ones are read.
const READ_ALL: usize = 4 * 1024;

impl Borrow<Analysed> for Indexed {
    fn borrow(&self) -> &Analysed {
        &self.read
    }
}

/// Memories that are searched in memory, by slug.
pub(super) struct Overlay {
    corpus: Corpus<Indexed>,
    /// Per memory: how many documents of the base have a smaller slug.
    after: Vec<u64>,
    pub(super) count: u32,
}

impl Overlay {
    /// Reads the memories of these names; those that are gone are left out.
    pub(super) fn read(store: &FileStore, slugs: &[Slug]) -> Result<Self, StoreError> {
        let embedder = Embedder::built_in();
        // A file that is gone, a link or not readable is no memory; `read_all` says the same.
        let memories = store.read_some(slugs)?;
        let mut corpus = Corpus::new();
        for indexed in
            walk::in_parallel(&memories, |memory| Indexed::of(memory, &embedder)).into_iter().flatten()
        {
            let time = indexed.time;
            corpus.add(indexed, Some(time));
        }
        let count = corpus.slots() as u32;
        Ok(Self { corpus, after: vec![0; count as usize], count })
    }

    /// One memory.
    pub(super) fn get(&self, doc: u32) -> &Indexed {
        self.corpus.get(doc)
    }
}

/// The base and what is newer, as one collection: the base's numbers first.
pub(super) struct View {
    base: Option<Base>,
    /// Documents of the base that changed or are gone.
    changed: HashSet<u32>,
    /// Per document of the base: whether it is not to be found, because it is one of those or has no good entry.
    masked: OnceLock<Vec<bool>>,
    /// How many of those that were changed or are gone had a term.
    gone: HashMap<Term, u32>,
    pub(super) overlay: Overlay,
    statistics: Statistics,
}

impl View {
    /// A view of files alone.
    pub(super) fn of_files(overlay: Overlay) -> Self {
        let statistics = overlay.corpus.statistics();
        let (changed, masked, gone) = Default::default();
        Self { base: None, changed, masked, gone, overlay, statistics }
    }

    /// A view of `base`, in which `newer` memories are taken from `overlay`.
    pub(super) fn new(base: Base, newer: &BTreeSet<Slug>, mut overlay: Overlay) -> Result<Self, Damage> {
        let mut changed: HashSet<u32> = HashSet::new();
        let mut statistics = base.pages.about.statistics;
        let mut gone: HashMap<Term, u32> = HashMap::new();
        for slug in newer {
            if let Ok(doc) = base.place_of(slug)?
                && changed.insert(doc as u32)
                && length_of(&base.heads()?[doc]).is_some()
            {
                let document = base.document(doc as u32)?;
                document.terms.iter().for_each(|(term, _)| *gone.entry(*term).or_default() += 1);
                let mut counted = Statistics::default();
                counted.add(&document);
                statistics.part(&counted);
            }
        }
        for doc in 0..overlay.count {
            let (Ok(place) | Err(place)) = base.place_of(&overlay.get(doc).slug)?;
            overlay.after[doc as usize] = place as u64;
        }
        statistics.join(&overlay.corpus.statistics());
        Ok(Self { base: Some(base), changed, masked: OnceLock::new(), gone, overlay, statistics })
    }

    pub(super) fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// How many numbers the base has.
    fn base_docs(&self) -> u32 {
        self.base.as_ref().map_or(0, Base::docs)
    }

    /// Per document of the base, whether it is not to be found. A use of a tool that calls nobody never asks.
    fn masked<'a>(&'a self, base: &'a Base) -> Result<&'a [bool], Damage> {
        if let Some(known) = self.masked.get() {
            return Ok(known);
        }
        let mut masked: Vec<bool> = base.heads()?.iter().map(|head| length_of(head).is_none()).collect();
        self.changed.iter().for_each(|&doc| masked[doc as usize] = true);
        Ok(self.masked.get_or_init(|| masked))
    }

    /// Where a document is: in the base, or in the overlay.
    fn side(&self, doc: u32) -> Result<(&Base, u32), u32> {
        match &self.base {
            Some(base) if doc < self.base_docs() => Ok((base, doc)),
            _ => Err(doc - self.base_docs()),
        }
    }

    /// Whether a document of the base that has an entry is to be found.
    pub(super) fn is_shown(&self, doc: u32) -> bool {
        doc < self.base_docs() && !self.changed.contains(&doc)
    }

    /// Every document that is to be found, by number.
    pub(super) fn docs(&self) -> Result<Vec<u32>, Damage> {
        let masked = self.base.as_ref().map_or(Ok(&[][..]), |base| self.masked(base))?;
        let base = (0..).zip(masked).filter(|(_, masked)| !**masked).map(|(doc, _)| doc);
        Ok(base.chain((0..self.overlay.count).map(|doc| self.number(doc))).collect())
    }

    /// The number of an overlay's document.
    pub(super) fn number(&self, doc: u32) -> u32 {
        self.base_docs() + doc
    }

    pub(super) fn slug(&self, doc: u32) -> Result<Slug, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => card::slug(&base.card(doc)?),
            Err(doc) => Ok(self.overlay.get(doc).slug.clone()),
        }
    }

    /// The name and sketch of a document of the base whose file may still be as it was, and how that stood.
    pub(super) fn sketch(&self, doc: u32) -> Result<Option<(Slug, Sketch, Stamp)>, Damage> {
        let Ok((base, doc)) = self.side(doc) else { return Ok(None) };
        let card = base.card(doc)?;
        let (stamp, _) = card::times(&card)?;
        if stamp.is_recent(base.pages.about.built) {
            return Ok(None);
        }
        let sketch = card::sketch(&card)?;
        sketch.map(|sketch| Ok((card::slug(&card)?, sketch, stamp))).transpose()
    }

    /// The sketch of a document as it was when the index was built; `None` for several entries and for newer ones.
    pub(super) fn outline(&self, doc: u32) -> Result<Option<Sketch>, Damage> {
        let Ok((base, doc)) = self.side(doc) else { return Ok(None) };
        card::sketch(&base.card(doc)?)
    }

    /// A document's words as the index has them; `None` for newer ones.
    pub(super) fn words(&self, doc: u32) -> Result<Option<Analysed>, Damage> {
        self.side(doc).ok().map(|(base, doc)| base.words(doc)).transpose()
    }

    /// Whether a document waits for a review or is out of use, as far as the index tells: of several entries in the
    /// base it does not.
    pub(super) fn is_set_aside(&self, doc: u32) -> Result<bool, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => card::is_set_aside(&base.card(doc)?),
            Err(doc) => Ok(self.overlay.get(doc).is_set_aside),
        }
    }

    /// The ids of a document's entries.
    pub(super) fn entries(&self, doc: u32) -> Result<Vec<EntryId>, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.entries(doc),
            Err(doc) => Ok(self.overlay.get(doc).entries.clone()),
        }
    }

    /// The documents that say they replace the memory of this name.
    pub(super) fn replacing(&self, slug: &Slug) -> Result<Vec<u32>, Damage> {
        let base = self.base.as_ref().map_or(Ok(Vec::new()), |base| base.replacing(slug.as_str()))?;
        let names = |doc: &u32| self.overlay.get(*doc).supersedes.iter().any(|name| name == slug.as_str());
        let newer = (0..self.overlay.count).filter(names).map(|doc| self.number(doc));
        Ok(base.into_iter().filter(|doc| self.is_shown(*doc)).chain(newer).collect())
    }
}

impl View {
    /// The documents of which an entry says that they are critical.
    pub(super) fn critical(&self) -> Result<Vec<u32>, Damage> {
        let base = self.base.as_ref().map_or(Ok(Vec::new()), Base::critical)?;
        let newer = (0..self.overlay.count).filter(|doc| self.overlay.get(*doc).is_critical);
        let newer = newer.map(|doc| self.number(doc));
        Ok(base.into_iter().filter(|doc| self.is_shown(*doc)).chain(newer).collect())
    }
}

impl Source for View {
    type Trouble = Damage;

    fn slots(&self) -> usize {
        (self.base_docs() + self.overlay.count) as usize
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn holders(&self, term: Term) -> Result<u32, Damage> {
        let base = self.base.as_ref().map_or(Ok(0), |base| base.holders(term))?;
        let gone = self.gone.get(&term).copied().unwrap_or(0);
        let Ok(newer) = self.overlay.corpus.holders(term);
        Ok(base.saturating_sub(gone) + newer)
    }

    fn postings(&self, term: Term, mut each: impl FnMut(u32, &Counts, &Lengths)) -> Result<(), Damage> {
        if let Some(base) = &self.base {
            let masked = self.masked(base)?;
            base.postings(term, |doc, counts, lengths| {
                if !masked[doc as usize] {
                    each(doc, counts, lengths);
                }
            })?;
        }
        let first = self.base_docs();
        let Ok(()) =
            self.overlay.corpus.postings(term, |doc, counts, lengths| each(first + doc, counts, lengths));
        Ok(())
    }

    fn likeness(&self, to: &Vector, mut each: impl FnMut(u32, f32)) -> Result<(), Damage> {
        if let Some(base) = &self.base {
            let masked = self.masked(base)?;
            base.likeness(to, |doc, likeness| {
                if !masked[doc as usize] {
                    each(doc, likeness);
                }
            })?;
        }
        let first = self.base_docs();
        let Ok(()) = self.overlay.corpus.likeness(to, |doc, likeness| each(first + doc, likeness));
        Ok(())
    }

    fn estimates(&self, to: &Vector) -> Result<Option<Vec<f32>>, Damage> {
        let Some(base) = self.base.as_ref().filter(|base| base.docs() as usize > READ_ALL) else {
            return Ok(None);
        };
        let mut found = base.estimates(to, self.overlay.count as usize)?;
        for (likeness, masked) in found.iter_mut().zip(self.masked(base)?) {
            *likeness = if *masked { NOBODY } else { *likeness };
        }
        let Ok(()) = self.overlay.corpus.likeness(to, |_, likeness| found.push(likeness));
        Ok(Some(found))
    }

    fn likeness_of(&self, to: &Vector, docs: &[u32]) -> Result<Vec<f32>, Damage> {
        let wide = to.wide();
        let newer =
            |doc: u32| self.overlay.get(doc).read.passages.iter().map(|p| wide.dot(p.vector.as_array()));
        let mut found = vec![0.0; docs.len()];
        if let Some(base) = &self.base {
            let of_base = (0..docs.len()).filter(|&at| docs[at] < base.docs()).map(|at| (docs[at], at));
            base.likeness_of(&wide, of_base.collect(), |at, likeness| found[at] = likeness)?;
        }
        for (found, doc) in found.iter_mut().zip(docs) {
            if let Err(doc) = self.side(*doc) {
                *found = newer(doc).fold(0.0, f32::max);
            }
        }
        Ok(found)
    }

    fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.document(doc).map(Cow::Owned),
            Err(doc) => Ok(Cow::Borrowed(&self.overlay.get(doc).read)),
        }
    }

    fn time(&self, doc: u32) -> Result<Option<i64>, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.time(doc),
            Err(doc) => Ok(Some(self.overlay.get(doc).time)),
        }
    }

    /// By slug: a newer document stands between the base's documents that surround it.
    fn place(&self, doc: u32) -> u64 {
        match self.side(doc) {
            Ok((_, doc)) => (u64::from(doc) + 1) << 32,
            Err(doc) => self.overlay.after[doc as usize] << 32 | (u64::from(doc) + 1),
        }
    }
}
