//! One item under judgement: what its probe finds in the named file, in others, and in the past.

use std::cell::OnceCell;

use super::definition::{Strength, definitions};
use super::item::{Item, RepoPath};
use super::judge::{Judge, Probe, Verdict};
use super::search::{Found, Snippet, holds_passage, likeness};
use super::words::{Lexed, Passage, View, Word};
use super::{Content, When};

/// Below this likeness, another file stands at the old path.
const SAME_FILE: f32 = 0.3;
/// Below this likeness, two definitions share no more than a name.
const SAME_DEFINITION: f32 = 0.25;
/// From this share of a passage on, it is still there and was changed.
const SAME_PASSAGE: f32 = 0.6;

/// What became of a probe in one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Holds,
    Differs,
    Lost,
}

/// One item under judgement.
pub(super) struct Case<'c, 't> {
    judge: &'c Judge<'t>,
    item: &'c Item,
    probe: Probe<'c>,
    when: When<'c>,
    old: OnceCell<Option<Lexed>>,
}

impl<'c, 't> Case<'c, 't> {
    pub(super) fn new(judge: &'c Judge<'t>, item: &'c Item, probe: Probe<'c>, when: When<'c>) -> Self {
        Self { judge, item, probe, when, old: OnceCell::new() }
    }

    pub(super) fn verdict_in(&self, file: &Lexed) -> Verdict {
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
    pub(super) fn elsewhere(&self) -> Option<Verdict> {
        let mut moved: Vec<(&RepoPath, bool)> = Vec::new();
        let mut is_elsewhere_changed = false;
        for path in self.judge.others(&self.item.file, self.when) {
            let Content::Text(text) = self.judge.tree.read(path) else { continue };
            if !self.may_hold(path, &text) {
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
    fn may_hold(&self, path: &RepoPath, text: &str) -> bool {
        match &self.probe {
            Probe::Text(snippet) => text.contains(snippet.rarest()),
            Probe::Symbol(name, _) => {
                name.split(['.', ':', '#']).filter(|part| !part.is_empty()).all(|part| text.contains(part))
            }
            Probe::Blob(id) => self.old().is_some() || self.judge.tree.is_blob(path, id),
            Probe::Exists => self.old().is_some(),
            Probe::Lines(_) => true,
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
