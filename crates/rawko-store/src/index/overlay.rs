//! What is newer than the index, read from its files and searched in memory.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;

use rawko_core::rank::{Analysed, Corpus, Counts, FIELDS, Source, Statistics};
use rawko_core::{Embedder, Slug, Term, Trigger, Vector};

use super::base::Base;
use super::bytes::Damage;
use super::document::{Facts, Indexed};
use crate::error::StoreError;
use crate::walk;
use crate::{FileStore, Store};

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
        let read = walk::in_parallel(slugs, |slug| match store.read(slug) {
            Ok(memory) => Ok(Indexed::of(&memory, &embedder)),
            // A file that is gone, a link or not readable is no memory; `read_all` says the same.
            Err(StoreError::Missing(_) | StoreError::NotPlain { .. } | StoreError::Io { .. }) => Ok(None),
            Err(error) => Err(error),
        });
        let mut corpus = Corpus::new();
        for indexed in read {
            if let Some(indexed) = indexed? {
                let time = indexed.facts.discovered_at;
                corpus.add(indexed, Some(time));
            }
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
    /// Documents of the base that are not to be found: changed, gone, or without a good entry.
    masked: Vec<bool>,
    pub(super) overlay: Overlay,
    statistics: Statistics,
}

impl View {
    /// A view of files alone.
    pub(super) fn of_files(overlay: Overlay) -> Self {
        let statistics = overlay.corpus.statistics();
        Self { base: None, masked: Vec::new(), overlay, statistics }
    }

    /// A view of `base`, in which `changed` memories are taken from `overlay`.
    pub(super) fn new(base: Base, changed: &BTreeSet<Slug>, mut overlay: Overlay) -> Result<Self, Damage> {
        let mut masked: Vec<bool> = base.heads()?.iter().map(|head| head.time.is_none()).collect();
        let mut statistics = base.pages.about.statistics;
        if !changed.is_empty() {
            let names = base.names()?;
            for slug in changed {
                if let Ok(doc) = names.binary_search(slug)
                    && !std::mem::replace(&mut masked[doc], true)
                {
                    let mut gone = Statistics::default();
                    gone.add(&base.document(doc as u32)?);
                    statistics.part(&gone);
                }
            }
            for doc in 0..overlay.count {
                let slug = &overlay.get(doc).slug;
                overlay.after[doc as usize] = names.partition_point(|name| name < slug) as u64;
            }
        }
        statistics.join(&overlay.corpus.statistics());
        Ok(Self { base: Some(base), masked, overlay, statistics })
    }

    pub(super) fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// How many numbers the base has.
    fn base_docs(&self) -> u32 {
        self.masked.len() as u32
    }

    /// Where a document is: in the base, or in the overlay.
    fn side(&self, doc: u32) -> Result<(&Base, u32), u32> {
        match &self.base {
            Some(base) if doc < self.base_docs() => Ok((base, doc)),
            _ => Err(doc - self.base_docs()),
        }
    }

    /// Whether a number of the base is to be found.
    pub(super) fn is_shown(&self, doc: u32) -> bool {
        self.masked.get(doc as usize).is_some_and(|masked| !masked)
    }

    /// The number of an overlay's document.
    pub(super) fn number(&self, doc: u32) -> u32 {
        self.base_docs() + doc
    }

    pub(super) fn slug(&self, doc: u32) -> Result<Slug, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.slugs(doc as usize, 1)?.pop().ok_or(Damage("a slug is not there")),
            Err(doc) => Ok(self.overlay.get(doc).slug.clone()),
        }
    }

    pub(super) fn facts(&self, doc: u32) -> Result<(Facts, Vec<Trigger>), Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.facts(doc),
            Err(doc) => {
                let indexed = self.overlay.get(doc);
                Ok((indexed.facts.clone(), indexed.triggers.clone()))
            }
        }
    }
}

impl Source for View {
    type Trouble = Damage;

    fn slots(&self) -> usize {
        self.masked.len() + self.overlay.count as usize
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn postings(&self, term: Term, mut each: impl FnMut(u32, &Counts, &[u32; FIELDS])) -> Result<(), Damage> {
        if let Some(base) = &self.base {
            base.postings(term, |doc, counts, lengths| {
                if !self.masked[doc as usize] {
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
            base.likeness(to, |doc, likeness| {
                if !self.masked[doc as usize] {
                    each(doc, likeness);
                }
            })?;
        }
        let first = self.base_docs();
        let Ok(()) = self.overlay.corpus.likeness(to, |doc, likeness| each(first + doc, likeness));
        Ok(())
    }

    fn document(&self, doc: u32) -> Result<Cow<'_, Analysed>, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => base.document(doc).map(Cow::Owned),
            Err(doc) => Ok(Cow::Borrowed(&self.overlay.get(doc).read)),
        }
    }

    fn time(&self, doc: u32) -> Result<Option<i64>, Damage> {
        match self.side(doc) {
            Ok((base, doc)) => Ok(base.heads()?[doc as usize].time),
            Err(doc) => Ok(Some(self.overlay.get(doc).facts.discovered_at)),
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
