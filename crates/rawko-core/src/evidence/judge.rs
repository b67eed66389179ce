//! The verdict: fresh, moved, changed or gone.
//!
//! Each item is a probe that holds, differs or is lost in a given text. In the
//! named file that alone decides, in most cases; a probe that is lost there is
//! tried on other files, and counts as moved only where it did not already
//! hold when the memory was written.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::definition::{Strength, definitions};
use super::item::{Evidence, Item, Look, RepoPath};
use super::lang::ending;
use super::search::{Found, Snippet, holds_passage, is_page, likeness};
use super::words::{Lexed, Passage, View, Word};
use super::{Content, Tree, When};

/// Most files that are read when the named one lost what it held.
const MOST_OTHERS: usize = 4_000;
/// Below this likeness, another file stands at the old path.
const SAME_FILE: f32 = 0.3;
/// Below this likeness, two definitions share no more than a name.
const SAME_DEFINITION: f32 = 0.25;
/// From this share of a passage on, it is still there and was changed.
const SAME_PASSAGE: f32 = 0.6;

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

/// What became of a probe in one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Holds,
    Differs,
    Lost,
}

enum Probe<'i> {
    Text(Snippet),
    Symbol(&'i str, Option<Passage>),
    Lines(Passage),
    Blob(&'i str),
    Exists,
}

/// Judges memories against one tree; reads each named file once.
pub struct Judge<'t> {
    tree: &'t dyn Tree,
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
        let case = Case { judge: self, item, probe, when, old: OnceCell::new() };
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

    /// The other files in which something from `from` may now stand, likeliest first.
    fn others(&self, from: &RepoPath) -> Vec<&RepoPath> {
        let files = self.files.get_or_init(|| self.tree.files());
        let page = is_page(from.as_str());
        let mut others: Vec<&RepoPath> =
            files.iter().filter(|path| *path != from && is_page(path.as_str()) == page).collect();
        others.sort_by_key(|path| (nearness(from, path), (*path).clone()));
        others.truncate(MOST_OTHERS);
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

/// One item under judgement.
struct Case<'c, 't> {
    judge: &'c Judge<'t>,
    item: &'c Item,
    probe: Probe<'c>,
    when: When<'c>,
    old: OnceCell<Option<Lexed>>,
}

impl Case<'_, '_> {
    fn verdict_in(&self, file: &Lexed) -> Verdict {
        match self.state(file) {
            State::Holds => Verdict::Fresh,
            State::Differs if self.is_replaced(file) => match self.elsewhere() {
                Some(moved @ Verdict::Moved { .. }) => moved,
                _ => Verdict::Changed,
            },
            State::Differs => Verdict::Changed,
            State::Lost if matches!(self.probe, Probe::Lines(_)) && self.keeps_most(file) => Verdict::Changed,
            State::Lost => self.elsewhere().unwrap_or(match self.probe {
                Probe::Lines(_) => Verdict::Changed,
                _ => Verdict::Gone,
            }),
        }
    }

    fn state(&self, file: &Lexed) -> State {
        match &self.probe {
            Probe::Text(snippet) => match snippet.find_in(file) {
                Found::Whole => State::Holds,
                Found::Extended { surely } if self.was_extended(snippet).unwrap_or(!surely) => State::Holds,
                Found::Extended { .. } | Found::Key => State::Differs,
                Found::Nothing => State::Lost,
            },
            Probe::Symbol(name, hash) => self.symbol_state(file, name, *hash),
            Probe::Lines(passage) if holds_passage(file, *passage) => State::Holds,
            Probe::Lines(_) => State::Lost,
            Probe::Blob(_) => match self.old() {
                Some(old) if same_words(old, file) => State::Holds,
                _ => State::Differs,
            },
            Probe::Exists => State::Holds,
        }
    }

    /// Whether the value went on behind the snippet when it was written, too.
    fn was_extended(&self, snippet: &Snippet) -> Option<bool> {
        self.old().map(|old| matches!(snippet.find_in(old), Found::Extended { .. }))
    }

    fn symbol_state(&self, file: &Lexed, name: &str, hash: Option<Passage>) -> State {
        let found = definitions(file, name);
        let Some(strength) = found.first().map(|d| d.strength) else { return State::Lost };
        if let Some(hash) = hash {
            let same = found.iter().any(|d| definition_hashes(file, &d.tokens).contains(&hash));
            return if same { State::Holds } else { State::Differs };
        }
        let was = |old: &Lexed| definitions(old, name).first().map(|d| d.strength);
        match self.old().filter(|_| strength == Strength::Weak).and_then(was) {
            Some(Strength::Strong) => State::Lost,
            _ => State::Holds,
        }
    }

    /// What the named file held when the memory was written, where that is known.
    fn old(&self) -> Option<&Lexed> {
        let item = self.item;
        let find = || {
            let tree = self.judge.tree;
            let blob = item.blob.as_deref().and_then(|id| tree.blob_text(id));
            let text = blob.or_else(|| match tree.held_then(self.when, &item.file) {
                Some(Content::Text(text)) => Some(text),
                _ => None,
            });
            text.map(|text| Lexed::new(item.file.as_str(), text))
        };
        self.old.get_or_init(find).as_ref()
    }

    /// Whether another file stands at the old path.
    fn is_replaced(&self, file: &Lexed) -> bool {
        let like = |old: &Lexed| likeness(&old.all_names(), &file.all_names());
        self.old().is_some_and(|old| like(old) < SAME_FILE)
    }

    /// Whether most of a passage still stands in the file it was taken from.
    fn keeps_most(&self, file: &Lexed) -> bool {
        let (Probe::Lines(passage), Some(old)) = (&self.probe, self.old()) else { return false };
        let words = old.all_words(View::Code);
        let Some(start) = passage.places(&words).first().copied() else { return false };
        let then = &words[start..start + passage.count()];
        let triples = |words: &[Word]| -> Vec<[u64; 3]> {
            words.windows(3).map(|w| [w[0].hash, w[1].hash, w[2].hash]).collect()
        };
        let mut now = triples(&file.all_words(View::Code));
        now.sort_unstable();
        let then = triples(then);
        let kept = then.iter().filter(|triple| now.binary_search(triple).is_ok()).count();
        !then.is_empty() && kept as f32 >= SAME_PASSAGE * then.len() as f32
    }

    /// Looks in the other files; `None` where nothing of it stands anywhere.
    fn elsewhere(&self) -> Option<Verdict> {
        let mut moved: Vec<(&RepoPath, bool)> = Vec::new();
        let mut is_elsewhere_changed = false;
        for path in self.judge.others(&self.item.file) {
            let Content::Text(text) = self.judge.tree.read(path) else { continue };
            if !self.may_hold(&text) {
                continue;
            }
            let file = Lexed::new(path.as_str(), text);
            let state = self.state_elsewhere(path, &file);
            if state == State::Lost {
                continue;
            }
            let then = self.judge.tree.held_then(self.when, path);
            match (state, then) {
                (State::Holds, None) => moved.push((path, false)),
                (State::Holds, Some(then)) if !self.held(path, &then) => moved.push((path, true)),
                (State::Differs, Some(Content::Missing)) => is_elsewhere_changed = true,
                _ => {}
            }
        }
        // Without knowing what other files held then, only a single place is believed.
        let is_known = moved.iter().any(|(_, known)| *known);
        if is_known || moved.len() == 1 {
            return self.likeliest(&moved).map(|to| Verdict::Moved { to });
        }
        is_elsewhere_changed.then_some(Verdict::Changed)
    }

    /// A quick look before a text is split into words.
    fn may_hold(&self, text: &str) -> bool {
        match &self.probe {
            Probe::Text(snippet) => text.contains(snippet.rarest()),
            Probe::Symbol(name, _) => {
                name.split(['.', ':', '#']).filter(|part| !part.is_empty()).all(|part| text.contains(part))
            }
            Probe::Lines(_) | Probe::Blob(_) | Probe::Exists => true,
        }
    }

    fn state_elsewhere(&self, path: &RepoPath, file: &Lexed) -> State {
        match &self.probe {
            Probe::Blob(id) => match self.old() {
                Some(old) if same_words(old, file) => State::Holds,
                Some(old) if like_files(old, file) => State::Differs,
                None if self.judge.tree.is_blob(path, id) => State::Holds,
                _ => State::Lost,
            },
            Probe::Exists => match self.old() {
                Some(old) if like_files(old, file) => State::Holds,
                _ => State::Lost,
            },
            Probe::Symbol(name, None) => self.bare_symbol_elsewhere(file, name),
            _ => self.state(file),
        }
    }

    /// A name alone proves little in another file: the definition must be of the same kind and alike.
    fn bare_symbol_elsewhere(&self, file: &Lexed, name: &str) -> State {
        let found = definitions(file, name);
        let Some(first) = found.first() else { return State::Lost };
        let old = self.old().map(|old| (old, definitions(old, name)));
        let Some((old, old_first)) = old.as_ref().and_then(|(old, all)| Some((old, all.first()?))) else {
            let is_constant = !name.contains(char::is_lowercase);
            return if first.strength == Strength::Strong || is_constant {
                State::Holds
            } else {
                State::Lost
            };
        };
        if first.strength < old_first.strength {
            return State::Lost;
        }
        let then = old.names(old_first.tokens.clone());
        let alike =
            |tokens: &std::ops::Range<usize>| likeness(&then, &file.names(tokens.clone())) >= SAME_DEFINITION;
        if found.iter().any(|d| alike(&d.tokens)) { State::Holds } else { State::Differs }
    }

    /// Whether the probe already held in `path` when the memory was written.
    fn held(&self, path: &RepoPath, then: &Content) -> bool {
        match then {
            Content::Text(text) => {
                self.state_elsewhere(path, &Lexed::new(path.as_str(), text.clone())) == State::Holds
            }
            Content::Missing => false,
            Content::Unjudged => true,
        }
    }

    /// Of several places, the one most like the file that is gone.
    fn likeliest(&self, moved: &[(&RepoPath, bool)]) -> Option<RepoPath> {
        let is_known = moved.iter().any(|(_, known)| *known);
        let mut best: Option<(f32, &RepoPath)> = None;
        for (path, known) in moved {
            if *known != is_known {
                continue;
            }
            let score = if moved.len() == 1 { 0.0 } else { self.likeness_to_old(path) };
            // Places come nearest first, so only a clearly more alike file wins.
            if best.is_none_or(|(top, _)| score > top + 0.05) {
                best = Some((score, path));
            }
        }
        best.map(|(_, path)| path.clone())
    }

    fn likeness_to_old(&self, path: &RepoPath) -> f32 {
        match (self.old(), self.judge.tree.read(path)) {
            (Some(old), Content::Text(text)) => {
                let file = Lexed::new(path.as_str(), text);
                likeness(&old.all_names(), &file.all_names())
            }
            _ => 0.0,
        }
    }
}

/// The hashes that a definition may have been recorded with.
pub(super) fn definition_hashes(file: &Lexed, tokens: &std::ops::Range<usize>) -> [Passage; 2] {
    let mut code = file.words(View::Code, tokens.clone());
    // The comma behind a member comes and goes with its neighbours.
    if code.last().is_some_and(|w| matches!(file.word(w.token as usize), "," | ";")) {
        code.pop();
    }
    [Passage::of(&code), Passage::of(&file.words(View::Lines, tokens.clone()))]
}

fn same_words(a: &Lexed, b: &Lexed) -> bool {
    let (a, b) = (a.all_words(View::Code), b.all_words(View::Code));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.hash == b.hash)
}

fn like_files(a: &Lexed, b: &Lexed) -> bool {
    likeness(&a.all_names(), &b.all_names()) >= SAME_PASSAGE
}
