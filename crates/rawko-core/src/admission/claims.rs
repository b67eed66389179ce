//! What a text claims of the repository, and whether it is so.
//!
//! A path, a commit, a script, an option of the project's own program, a name
//! said to stand in a file, a dependency's version: each can be looked up.
//! What a sentence says to be absent, tried or planned is no claim, and what
//! other programs offer cannot be looked up here.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::ground::Ground;
use super::prose::{is_past, is_unreal};
use super::read::{Sentence, Span, bare, has_word, spans};

mod quotes;

/// Something that a text claims and the repository does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproven {
    /// What kind of thing.
    pub kind: &'static str,
    /// As it is written.
    pub what: String,
}

/// What came of checking a text's claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// The first claim that is not so.
    pub(crate) unproven: Option<Unproven>,
    /// How many are.
    pub(crate) proved: usize,
    /// Files that it names and that are there.
    pub(crate) files: Vec<String>,
    /// Names of code that are defined in such a file: the file, and the name.
    pub(crate) symbols: Vec<(String, String)>,
    /// Words of such a file that it repeats: the file, and the words.
    pub(crate) texts: Vec<(String, String)>,
}

impl Checked {
    /// Adds what was proved to the evidence that a proposal brings; hashes are left to be filled in.
    pub(crate) fn add_evidence(&self, evidence: &mut Value) {
        let mut items = match evidence.take() {
            Value::Null => Vec::new(),
            Value::Array(items) => items,
            other => vec![other],
        };
        for (file, name) in &self.symbols {
            let same = |item: &Value| item["file"] == **file && item["symbol"] == **name;
            if items.len() < MOST_ITEMS && !items.iter().any(same) {
                items.push(json!({ "file": file, "symbol": name, "hash": "" }));
            }
        }
        for (file, words) in &self.texts {
            let same = |item: &Value| {
                item["file"] == **file && (item["text"] == **words || item["symbol"] == **words)
            };
            if items.len() < MOST_ITEMS && !items.iter().any(same) {
                items.push(json!({ "file": file, "text": words }));
            }
        }
        for file in &self.files {
            if items.len() < MOST_ITEMS && !items.iter().any(|item| item["file"] == **file) {
                items.push(json!({ "file": file }));
            }
        }
        if !items.is_empty() {
            *evidence = Value::Array(items);
        }
    }
}

/// Most things that a memory is said to rest on.
const MOST_ITEMS: usize = 8;

#[rustfmt::skip]
const ABSENT: &[&str] = &[
    "does not exist", "doesn't exist", "do not exist", "no such", "there is no", "there are no", "gone", "removed", "deleted",
    "was moved", "not in", "no longer", "nowhere", "never existed", "lacks", "missing", "not checked in", "not in the repository",
    "existiert nicht", "gibt es nicht", "nicht mehr", "no existe", "n'existe pas", "lost", "earlier", "former", "used to", "renamed",
];

/// Words by which a sentence may say so of a folder that it names; of other things they say nothing.
const GONE: &[&str] =
    &["any more", "anymore", "dissolved", "given up", "abandoned", "retired", "obsolete", "formerly"];

/// Words by which a sentence says that a file is made by something; what it is made from is there.
const MADE: &[&str] = &["generated", "creates", "created", "writes"];

/// Files by whose ends people name sources, settings and documents.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "ts", "tsx", "js", "jsx", "mjs", "py", "rs", "go", "rb", "java", "kt", "swift", "c", "h", "cpp", "hpp", "cc", "cs", "php", "scala", "ex", "exs",
    "toml", "yaml", "yml", "json", "md", "sql", "sh", "cfg", "ini", "lock", "css", "scss", "html", "vue", "proto", "tf", "gradle", "xml",
];

/// Whether this may be the end of a file's name.
fn is_end(end: &str) -> bool {
    (1..6).contains(&end.len())
        && end.starts_with(char::is_alphabetic)
        && end.chars().all(char::is_alphanumeric)
}

/// Whether a sentence in lower case says that something is absent.
fn is_of_absence(sentence: &str) -> bool {
    ABSENT.iter().any(|word| has_word(sentence, word))
}

/// Whether a sentence in lower case says that something has come to its end.
fn is_of_end(sentence: &str) -> bool {
    GONE.iter().any(|word| has_word(sentence, word))
}

/// Whether a text names a folder for itself, and not only a file in it.
fn names_folder(text: &str, folder: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '*');
    text.match_indices(folder).any(|(at, _)| {
        let behind = &text[at + folder.len()..];
        let behind = behind.strip_prefix('/').unwrap_or(behind);
        !text[..at].ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// Words that join the things of a list.
const LISTS: &[&str] = &["and", "or", "nor", "und", "oder", "y", "o", "et", "ou"];

/// A word of a sentence.
struct Placed<'t> {
    word: &'t str,
    lower: String,
    /// Whether it stands between backticks, and beside other words there.
    code: bool,
    argument: bool,
    /// How many clauses are before its own.
    clause: usize,
}

impl<'t> Placed<'t> {
    /// The path of a source, a setting or a folder that it may be.
    fn path(&self) -> Option<&'t str> {
        let word = self.word.split_once(':').map_or(self.word, |(path, _)| path);
        let end = word.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
        // In backticks and in a folder, any short end makes a file.
        let in_folder = self.code && word.trim_start_matches('/').contains('/') && is_end(&end);
        let is_source = (ENDS.contains(&end.as_str()) || in_folder) && word.len() > end.len() + 1;
        let foreign = word.starts_with(['/', '~', '$', '@', '.']) && !word.starts_with(".github")
            || word.contains("//");
        let folder = word.ends_with('/') && word.matches('/').count() > 1;
        (!foreign && (is_source || folder) && !word.contains("..")).then_some(word)
    }
}

/// The words of a sentence with their places.
fn placed(sentence: &str) -> Vec<Placed<'_>> {
    let (mut words, mut clause) = (Vec::new(), 0);
    for span in spans(sentence) {
        let (text, code) = match span {
            Span::Code(code) => (code, true),
            Span::Prose(prose) => (prose, false),
        };
        let argument = code && text.contains(' ');
        let is_between = |c: char| c.is_whitespace() || "()[]{},;\"'=<>|".contains(c);
        for piece in text.split_inclusive(is_between) {
            let word = bare(piece.trim_end_matches(is_between));
            if !word.is_empty() {
                words.push(Placed { word, lower: word.to_lowercase(), code, argument, clause });
            }
            clause += usize::from(!code && piece.contains([',', ';', '(', ')', ':']));
        }
    }
    words
}

/// The path that a phrase of absence is about: in its own clause the nearest that is not there; the last of the clause
/// before, where the phrase follows it ("`a.rs`, removed in 2.5"); the first of the main clause behind "In earlier versions,".
fn about(words: &[Placed<'_>], phrase: &Range<usize>, paths: &[usize], missing: &[usize]) -> Option<usize> {
    const BEFORE: [&str; 5] = ["in", "on", "under", "until", "with"];
    let clause = words[phrase.start].clause;
    let off = |at: &usize| if *at < phrase.start { phrase.start - at } else { at + 1 - phrase.end };
    let own = missing.iter().copied().filter(|at| words[*at].clause == clause).min_by_key(off);
    let first = words.iter().position(|word| word.clause == clause)?;
    let last = || {
        let before = paths.iter().copied().rfind(|at| *at < first)?;
        (phrase.start <= first + 2 && first == before + 1).then_some(before)
    };
    let next = || {
        let behind = paths.iter().copied().find(|at| *at >= phrase.end)?;
        (first == 0 && BEFORE.contains(&words[0].lower.as_str()) && words[behind].clause == clause + 1)
            .then_some(behind)
    };
    own.or_else(last).or_else(next)
}

/// A sentence up to the clause that says that something is made: what is made may have names that are nowhere yet.
fn before_making(sentence: &str) -> &str {
    let lower = sentence.to_ascii_lowercase();
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = |(at, word): &(usize, &str)| {
        !lower[..*at].ends_with(is_inner) && !lower[at + word.len()..].starts_with(is_inner)
    };
    let made = MADE.iter().flat_map(|word| lower.match_indices(word)).filter(is_word).map(|(at, _)| at).min();
    made.map_or(sentence, |at| &sentence[..sentence[..at].rfind([',', ';', '(', ':']).unwrap_or(0)])
}

/// A sentence without the clauses that say that something is absent, and without the clause that such a one is about: the
/// one before it where the phrase begins it, the next behind "In earlier versions,".
fn what_is(sentence: &str) -> String {
    const LEADS: [&str; 5] = ["in ", "on ", "under ", "until ", "with "];
    if !is_of_absence(&sentence.to_lowercase()) {
        return sentence.to_owned();
    }
    let mut code = false;
    let ends = |c: char| {
        code ^= c == '`';
        !code && matches!(c, ',' | ';' | '(' | ')' | ':' | '–' | '—')
    };
    let clauses: Vec<&str> = sentence.split(ends).collect();
    let is_gone = |at: usize| {
        let Some(lower) = clauses.get(at).map(|clause| clause.to_lowercase()) else { return false };
        is_of_absence(&lower)
    };
    let begins = |at: usize| {
        let first: Vec<&str> = clauses[at].split_whitespace().take(3).collect();
        is_gone(at) && is_of_absence(&first.join(" ").to_lowercase())
    };
    let leads = LEADS.iter().any(|lead| clauses[0].to_lowercase().starts_with(lead));
    let is_meant = |at: usize| {
        let behind = at + 1 < clauses.len() && begins(at + 1);
        behind || at == 1 && leads && is_gone(0)
    };
    let is_left = |at: usize| !is_gone(at) && !is_meant(at);
    let left = (0..clauses.len()).filter(|at| is_left(*at)).map(|at| clauses[at]);
    left.collect::<Vec<_>>().join(",")
}

/// Where a phrase stands among some words.
fn places<'w>(words: &'w [Placed<'_>], phrase: &str) -> impl Iterator<Item = Range<usize>> + 'w {
    let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
    let count = phrase.len();
    let is_there = move |at: &usize| {
        words[*at..].iter().map(|word| &word.lower).zip(&phrase).filter(|(a, b)| a == b).count() == count
    };
    (0..words.len()).filter(is_there).map(move |at| at..at + count)
}

/// Checks every claim in some sentences.
pub(crate) fn check(sentences: &[Sentence], ground: &Ground<'_>) -> Checked {
    let mut checked = Checked::default();
    let lower: Vec<String> = sentences.iter().map(|sentence| sentence.text.to_lowercase()).collect();
    let gone: Vec<&str> = lower
        .iter()
        .map(String::as_str)
        .filter(|sentence| is_of_absence(sentence) || is_of_end(sentence))
        .collect();
    let (whole, gone) = (lower.join(" "), gone.join(" "));
    for (sentence, lower) in sentences.iter().zip(lower) {
        Checker {
            ground,
            sentence: &sentence.text,
            lower,
            whole: &whole,
            gone: &gone,
            checked: &mut checked,
            named: Vec::new(),
        }
        .run();
    }
    checked
}

pub(super) struct Checker<'c> {
    pub(super) ground: &'c Ground<'c>,
    sentence: &'c str,
    lower: String,
    /// All sentences, lower case.
    whole: &'c str,
    /// Those of them that say that something is absent.
    gone: &'c str,
    checked: &'c mut Checked,
    /// Files that the sentence names and that are there.
    named: Vec<String>,
}

impl Checker<'_> {
    fn run(mut self) {
        let absent = is_of_absence(&self.lower);
        let made = MADE.iter().any(|word| has_word(&self.lower, word));
        let words = placed(self.sentence);
        let gone = self.said_to_be_gone(&words);
        let mut before = "";
        let mut named_file = false;
        for (at, placed) in words.iter().enumerate() {
            let excused = gone.contains(&at) || (made && before != "from");
            named_file |= self.path(placed, excused);
            self.commit(placed.word, placed.code);
            before = placed.word;
        }
        let codes = spans(self.sentence).into_iter().filter_map(|span| match span {
            Span::Code(code) => Some(code),
            Span::Prose(_) => None,
        });
        self.commands(&codes.collect::<Vec<_>>(), absent || made);
        self.versions();
        if !absent {
            self.quotes();
        }
        if named_file {
            self.located();
        } else if !made && !is_unreal(&self.lower) && !is_past(&self.lower) {
            self.members();
        }
    }

    /// The paths that the sentence says to be absent, by their places, and what is listed beside them.
    fn said_to_be_gone(&self, words: &[Placed<'_>]) -> HashSet<usize> {
        let paths: Vec<usize> = (0..words.len()).filter(|at| words[*at].path().is_some()).collect();
        let missing: Vec<usize> = paths
            .iter()
            .copied()
            .filter(|at| words[*at].path().is_some_and(|path| !self.is_there(path)))
            .collect();
        let phrases = ABSENT.iter().flat_map(|phrase| places(words, phrase));
        let mut gone: HashSet<usize> = phrases
            .filter_map(|phrase| about(words, &phrase, &paths, &missing))
            .filter(|at| missing.contains(at))
            .collect();
        // Lists are short: what stands beside something gone is gone, from both sides.
        for _ in 0..missing.len() {
            let beside = missing.windows(2).filter(|pair| {
                words[pair[0] + 1..pair[1]].iter().all(|word| LISTS.contains(&word.lower.as_str()))
            });
            let more: Vec<usize> =
                beside.filter(|pair| pair.iter().any(|at| gone.contains(at))).flatten().copied().collect();
            gone.extend(more);
        }
        gone
    }

    fn is_there(&self, path: &str) -> bool {
        self.ground.file(path).is_some() || self.ground.folder(path)
    }

    pub(super) fn so(&mut self, found: Option<bool>, kind: &'static str, what: &str) {
        match found {
            Some(true) => self.checked.proved += 1,
            Some(false) if self.checked.unproven.is_none() => {
                self.checked.unproven = Some(Unproven { kind, what: what.to_owned() });
            }
            Some(false) | None => {}
        }
    }

    /// Checks a path; says whether it names a file that is there.
    fn path(&mut self, placed: &Placed<'_>, absent: bool) -> bool {
        let Some(word) = placed.path() else {
            // In backticks a folder needs no slash at its end.
            let folder = placed.code && placed.word.contains('/') && self.ground.folder(placed.word);
            self.so(folder.then_some(true), "path", placed.word);
            return folder;
        };
        let folder = word.ends_with('/');
        let file = self.ground.file(word).map(str::to_owned);
        if file.is_some() || self.ground.folder(word) {
            self.so(Some(true), "path", word);
            self.rests_on(file);
            return !folder;
        }
        let said = match word.split_once('*') {
            Some((_, after)) => self.ground.says(after),
            None => self.ground.says(word),
        };
        let ignored = word.split('/').next().is_some_and(|first| self.is_ignored(first));
        if !absent && !ignored && said == Some(false) && !self.is_in_what_is_gone(word) {
            // A bare name may be a file of the run, and what a command is given an example of many.
            let example = placed.argument
                && word.rsplit_once('/').is_some_and(|(folder, _)| self.ground.folder(folder));
            self.so((word.contains('/') && !example).then_some(false), "path", word);
        }
        false
    }

    /// Whether some sentence says of a folder above it, which is not there, that it is absent.
    fn is_in_what_is_gone(&self, path: &str) -> bool {
        let lower = path.to_lowercase();
        let above = lower.match_indices('/').map(|(at, _)| &lower[..at]);
        above.into_iter().any(|folder| names_folder(self.gone, folder) && !self.ground.folder(folder))
    }

    /// Notes a file that a claim rests on.
    fn rests_on(&mut self, file: Option<String>) {
        let Some(file) = file else { return };
        if !self.checked.files.contains(&file) {
            self.checked.files.push(file.clone());
        }
        self.named.push(file);
    }

    /// Notes the file of the sentence that defines a name.
    fn defined(&mut self, name: &str) {
        let is_there = |file: &&String| self.ground.defines(file, name);
        let Some(file) = self.named.iter().find(is_there).cloned() else { return };
        let symbol = (file, name.to_owned());
        if !self.checked.symbols.contains(&symbol) {
            self.checked.symbols.push(symbol);
        }
    }

    fn is_ignored(&self, folder: &str) -> bool {
        let lines = self.ground.lower(".gitignore").unwrap_or_default();
        let folder = folder.to_lowercase();
        lines.lines().any(|line| line.trim().trim_matches('/') == folder)
    }

    fn commit(&mut self, word: &str, code: bool) {
        let is_id = (7..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic());
        let told = [
            "commit",
            "commits",
            "revision",
            "reverted",
            "introduced",
            "bisect",
            "blame",
            "came in with",
            "changeset",
        ];
        if is_id && (code || told.iter().any(|word| has_word(&self.lower, word))) {
            let found = self.ground.commit(word).map(|found| found || self.ground.says(word) == Some(true));
            self.so(found, "commit", word);
        }
    }

    /// Checks members of the project's own types where no file is named: `Queue.push`, where `Queue` is defined.
    fn members(&mut self) {
        for span in spans(&what_is(self.sentence)) {
            let Span::Code(code) = span else { continue };
            let Some(Name { whole, first, last }) = Name::of(code) else { continue };
            let is_type = first != last && first.starts_with(char::is_uppercase);
            if is_type && self.is_defined(first) {
                self.so(self.ground.says_word(last), "name", whole);
            }
        }
    }

    /// Whether a type or a module of this name is the project's own.
    fn is_defined(&self, name: &str) -> bool {
        // `defmodule Shop.Queue do`: the last part is the name by which it is called.
        let end = format!(".{} do", name.to_lowercase());
        let is_module = |line: &str| line.starts_with("defmodule ") && line.trim_end().ends_with(&end);
        self.ground.files().iter().any(|file| self.ground.defines(file, name))
            || self.ground.texts().any(|(_, text)| text.lines().any(is_module))
    }

    /// Checks that a name of code which a sentence puts beside a file is known at all.
    fn located(&mut self) {
        if is_unreal(&self.lower) || is_past(&self.lower) {
            return;
        }
        for span in spans(&what_is(before_making(self.sentence))) {
            let Span::Code(code) = span else { continue };
            let Some(Name { whole, first, last }) = Name::of(code) else { continue };
            let member = first != last && self.named.iter().any(|file| self.ground.defines(file, first));
            let found = if member { self.ground.says_word(last) } else { self.ground.says(last) };
            self.so(found, "name", whole);
            self.defined(last);
        }
    }

    /// Checks versions that are given to the last digit for things that the repository pins.
    fn versions(&mut self) {
        #[rustfmt::skip]
        const COMPARES: &[&str] = &[
            "fails", "fail", "failed", "breaks", "broke", "upgrade", "upgraded", "upgrading", "newer", "older", "not", "throws", "only",
            "until", "instead", "tried", "would", "since", "before", "released", "downgrade",
        ];
        let clauses: Vec<String> = self.lower.split([',', ';', ':', '(']).map(str::to_owned).collect();
        for clause in clauses.iter().filter(|clause| !COMPARES.iter().any(|word| has_word(clause, word))) {
            self.version_in(clause);
        }
    }

    fn version_in(&mut self, clause: &str) {
        let words: Vec<String> = clause
            .split(|c: char| c.is_whitespace() || "`\"'),=@".contains(c))
            .map(|word| bare(word).to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let [name, version] = pair else { continue };
            let version = version.strip_prefix('v').unwrap_or(version);
            let exact = version.split('.').count() >= 3
                && version
                    .split('.')
                    .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
            if exact && name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            {
                let pinned = self.ground.pinned(name);
                // "1.4.4 fails, so it stays at 1.4.3": a text that knows the pinned one may name others.
                let knows = pinned.iter().any(|pinned| has_word(self.whole, pinned));
                let found =
                    (!pinned.is_empty()).then(|| knows || pinned.iter().any(|known| known == version));
                self.so(found, "version", &format!("{name} {version}"));
            }
        }
    }
}

/// A name of code: `Store.append()`, `Importer#run`, `max_jobs`.
struct Name<'t> {
    whole: &'t str,
    first: &'t str,
    last: &'t str,
}

impl<'t> Name<'t> {
    /// Reads what stands between backticks, if it is one name that nobody would write in prose.
    fn of(code: &'t str) -> Option<Self> {
        // `Queue.push/2`: how many arguments it takes.
        let counted = code
            .rsplit_once('/')
            .filter(|(_, n)| matches!(n, &"0" | &"1" | &"2" | &"3" | &"4" | &"5"))
            .map(|(name, _)| name);
        let code = counted.unwrap_or(code);
        let whole = code.split(['(', ' ']).next().unwrap_or(code);
        let behind = code.rsplit(')').next().filter(|_| code.contains(')')).unwrap_or_default();
        let is_file = |name: &str| ENDS.iter().any(|end| name.ends_with(&format!(".{end}")));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.' | '#' | '?' | '!');
        let starts = whole.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if whole.len() < 4 || !starts || !whole.chars().all(plain) || is_file(whole) {
            return None;
        }
        let called = code.contains('(');
        if !called && code.contains(' ') {
            return None;
        }
        let mut pieces: Vec<&str> =
            whole.split([':', '.', '#', '?', '!']).filter(|piece| !piece.is_empty()).collect();
        // `usePattern().redo`: what follows the call is named too.
        let chained = behind.split(['.', '#', '?']).filter(|piece| !piece.is_empty());
        pieces.extend(chained.filter(|piece| piece.chars().all(|c| c.is_alphanumeric() || c == '_')));
        let (first, last) = (*pieces.first()?, *pieces.last()?);
        let made = called
            || counted.is_some()
            || whole.contains([':', '#'])
            || whole.contains('_')
            || whole.chars().skip(1).any(char::is_uppercase);
        made.then_some(Self { whole, first, last })
    }
}
