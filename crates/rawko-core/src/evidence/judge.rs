//! The verdict: fresh, moved, changed or gone.
//!
//! Each item is a probe that holds, differs or is lost in a given text. In the
//! named file that alone decides, in most cases; a probe that is lost there is
//! tried on other files, and counts as moved only where it did not already
//! hold when the memory was written.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::case::Case;
use super::item::{Evidence, Item, Look, RepoPath};
use super::lang::ending;
use super::search::{Snippet, is_page};
use super::words::{Lexed, Passage};
use super::{Content, Tree, When};

/// Most files that are read when the named one lost what it held.
const MOST_OTHERS: usize = 4_000;

/// What became of what a memory rests on, best first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It stands as it stood.
    Fresh,
    /// It stands in another file.
    Moved {
        /// That file.
        to: RepoPath,
    },
    /// It is there and says something else.
    Changed,
    /// It is not there any more.
    Gone,
}

impl Verdict {
    /// Whether the memory may no longer be true.
    pub fn is_stale(&self) -> bool {
        *self >= Self::Changed
    }

    /// The word used in files and output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Moved { .. } => "moved",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Fresh => 0,
            Self::Moved { .. } => 1,
            Self::Changed => 2,
            Self::Gone => 3,
        }
    }
}

/// The verdict on one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file that the memory names.
    pub file: RepoPath,
    /// What became of it.
    pub verdict: Verdict,
    /// The same in one line for people.
    pub reason: String,
}

/// The verdict on a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One for each item that could be judged, in order.
    pub findings: Vec<Finding>,
    /// What could not be judged and why.
    pub problems: Vec<String>,
}

impl Report {
    /// The item that decides: the worst, and the first of those. `None` where nothing could be judged.
    pub fn worst(&self) -> Option<&Finding> {
        self.findings.iter().rev().max_by_key(|finding| finding.verdict.rank())
    }

    /// The memory's verdict; what rests on nothing is fresh.
    pub fn verdict(&self) -> Verdict {
        self.worst().map_or(Verdict::Fresh, |finding| finding.verdict.clone())
    }
}

/// What is looked for, ready to be looked for.
pub(super) enum Probe<'i> {
    Text(Snippet),
    Symbol(&'i str, Option<Passage>),
    Lines(Passage),
    Blob(&'i str),
    Exists,
}

/// Judges memories against one tree; reads each named file once.
pub struct Judge<'t> {
    pub(super) tree: &'t dyn Tree,
    read: RefCell<HashMap<RepoPath, Known>>,
    files: OnceCell<Vec<RepoPath>>,
}

#[derive(Clone)]
enum Known {
    Text(Rc<Lexed>),
    Missing,
    Unjudged,
}

impl<'t> Judge<'t> {
    /// A judge over the tree as it is now.
    pub fn new(tree: &'t dyn Tree) -> Self {
        Self { tree, read: RefCell::default(), files: OnceCell::new() }
    }

    /// The verdict on a memory. `seconds` is when it was written, for evidence that names no commit.
    pub fn memory(&self, evidence: &Evidence, seconds: Option<i64>) -> Report {
        let when = When { commit: evidence.commit.as_deref(), seconds };
        let mut report = Report { findings: Vec::new(), problems: evidence.problems.clone() };
        for item in &evidence.items {
            match self.item(item, when) {
                Some(verdict) => report.findings.push(Finding {
                    file: item.file.clone(),
                    reason: self.reason(item, &verdict),
                    verdict,
                }),
                None => report.problems.push(format!("{} cannot be judged", item.file.as_str())),
            }
        }
        report
    }

    fn item(&self, item: &Item, when: When<'_>) -> Option<Verdict> {
        if let Some(id) = &item.blob
            && self.tree.is_blob(&item.file, id)
        {
            return Some(Verdict::Fresh);
        }
        let probe = match &item.look {
            Look::Text(text) => Probe::Text(Snippet::new(item.file.as_str(), text)),
            Look::Symbol(name, hash) => Probe::Symbol(name, *hash),
            Look::Lines(passage) => Probe::Lines(*passage),
            Look::Blob(id) => Probe::Blob(id),
            Look::Exists => Probe::Exists,
        };
        let case = Case::new(self, item, probe, when);
        match self.known(&item.file) {
            Known::Unjudged => None,
            Known::Missing => Some(case.elsewhere().unwrap_or(Verdict::Gone)),
            Known::Text(file) => Some(case.verdict_in(&file)),
        }
    }

    fn known(&self, path: &RepoPath) -> Known {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let known = match self.tree.read(path) {
            Content::Text(text) => Known::Text(Rc::new(Lexed::new(path.as_str(), text))),
            Content::Missing => Known::Missing,
            Content::Unjudged => Known::Unjudged,
        };
        self.read.borrow_mut().insert(path.clone(), known.clone());
        known
    }

    fn reason(&self, item: &Item, verdict: &Verdict) -> String {
        let file = item.file.as_str();
        // Asked only of what is stale, which has been read: a fresh file may not even have been opened.
        let missing = verdict.is_stale() && matches!(self.known(&item.file), Known::Missing);
        let symbol = match &item.look {
            Look::Symbol(name, _) => {
                Some(name.chars().filter(|c| !c.is_control()).take(80).collect::<String>())
            }
            _ => None,
        };
        match (verdict, symbol) {
            (Verdict::Fresh, _) => format!("{file} still says so"),
            (Verdict::Moved { to }, Some(name)) => format!("{name} moved from {file} to {}", to.as_str()),
            (Verdict::Moved { to }, None) => format!("{file} moved to {}", to.as_str()),
            (Verdict::Gone, _) if missing => format!("{file} is gone"),
            (Verdict::Gone, Some(name)) => format!("{name} is gone from {file}"),
            (Verdict::Gone, None) => format!("{file} changed: what it said is gone"),
            (Verdict::Changed, _) if missing => format!("{file} is gone, and what took its place differs"),
            (Verdict::Changed, Some(name)) => format!("{name} in {file} changed"),
            (Verdict::Changed, None) => format!("{file} changed"),
        }
    }

    /// The other files in which something from `from` may now stand: those that were not there then, of which a renamed
    /// one is one, and before each lot of others the nearest.
    pub(super) fn others(&self, from: &RepoPath, when: When<'_>) -> Vec<&RepoPath> {
        let files = self.files.get_or_init(|| self.tree.files());
        let page = is_page(from.as_str());
        let mut others: Vec<&RepoPath> =
            files.iter().filter(|path| *path != from && is_page(path.as_str()) == page).collect();
        others.sort_by_key(|path| (nearness(from, path), (*path).clone()));
        others.truncate(MOST_OTHERS);
        others.sort_by_cached_key(|path| self.tree.was_there(when, path) == Some(true));
        others
    }
}

/// How far a path is from another: ending, file name, then folders that differ.
fn nearness(from: &RepoPath, to: &RepoPath) -> (bool, bool, usize) {
    let (from, to) = (from.as_str(), to.as_str());
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let shared = from.split('/').zip(to.split('/')).take_while(|(a, b)| a == b).count();
    let apart = from.split('/').count() + to.split('/').count() - 2 * shared;
    (ending(from) != ending(to), name(from) != name(to), apart)
}
