//! Evidence at injection: what of it no longer holds in the working tree, within bounds.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use rawko_core::{Content, Evidence, Fold, Judge, Judged, RepoPath, Slug, Tree, Verdict, When};
use rawko_store::WorkTree;

use super::gather::Gathered;
use crate::engine::{Engine, Whose};

/// How many memories that were not chosen have their evidence checked too: they may take a stale one's place.
const NEARLY: usize = 12;
/// How much is read, at most, to find where evidence has moved to, in bytes …
const ELSEWHERE: usize = 4 << 20;
/// … of which each file costs some by being opened.
const OPENING: usize = 2 << 10;

/// How often, at most, the history is asked what a file held.
const LOOKS_BACK: usize = 64;

impl Engine {
    /// What evidence says of the chosen and of those that nearly were; text that may not enter asks for no work.
    pub(super) fn check_evidence(
        &self,
        judged: &[Judged],
        reads: &[Gathered<'_>],
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
