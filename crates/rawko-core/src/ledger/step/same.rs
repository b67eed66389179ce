//! Whether two runs are the same move.
//!
//! Both are first stripped of what cannot matter. Then each option finds its
//! own in the other run, short or long; and where the one is sent to a folder
//! in which the other stands, the folder is taken from its words.

use super::super::place::{is_temporary, join, looks_like_path, seen_from};
use super::super::tools::{self, Tool};
use super::{Near, Step};

/// Most options in doubt for which both readings are tried.
const MOST_DOUBTS: usize = 6;
/// Short forms that are no letter of the long one, whoever takes them.
const SHORT: &[(&str, &str)] = &[("n", "dry-run"), ("y", "assume-yes"), ("k", "insecure")];

/// Forms in which programs tell their results.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "json", "jsonl", "yaml", "yml", "xml", "table", "text", "plain", "pretty", "wide", "csv", "tsv", "short", "long", "full", "compact", "junit", "tap", "dot", "spec",
    "list", "progress", "github", "sarif", "stylish", "unix", "human", "concise", "documentation", "expanded", "line", "tree", "none", "default",
];

/// An option's name and its value.
type Named<'a> = (&'a str, Option<&'a str>);

/// An option's name and its value.
pub(super) fn parts(flag: &str) -> Named<'_> {
    flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)))
}

fn plain(name: &str) -> &str {
    name.trim_start_matches('-')
}

fn letter(name: &str) -> Option<char> {
    name.chars().next().map(|first| first.to_ascii_lowercase())
}

/// Whether two names are of one option: equal but for dashes, or one is the first letter of the other.
fn is_one(a: &str, b: &str) -> bool {
    let short =
        |a: &str, b: &str| a.len() == 1 && b.len() > 1 && (letter(a) == letter(b) || SHORT.contains(&(a, b)));
    // `--no-input` is `--noinput`.
    let joined = |name: &str| name.replace(['-', '_'], "");
    let (a, b) = (plain(a), plain(b));
    a == b || short(a, b) || short(b, a) || a.len() > 3 && joined(a) == joined(b)
}

/// Whether two names with one value are of one option: `-F x` is `--notes-file x`, `-of x` is `--output-folder x`.
fn is_one_with(a: &str, b: &str) -> bool {
    let short = |a: &str, b: &str| {
        let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
        let initials: String = b.split(['-', '_']).filter_map(letter).collect();
        b.len() > 2 && (a.len() == 1 && b.contains(&a) || a.len() > 1 && a == initials)
    };
    short(plain(a), plain(b)) || short(plain(b), plain(a))
}

/// The letters of `-ab`, which may be two options or one.
fn bundle(name: &str) -> Option<Vec<&str>> {
    let letters = name.strip_prefix('-').filter(|rest| (2..=3).contains(&rest.len()))?;
    let lower = letters.bytes().all(|byte| byte.is_ascii_lowercase());
    lower.then(|| (0..letters.len()).map(|at| &letters[at..=at]).collect())
}

/// Options with those taken apart that the other side has one by one.
fn taken_apart<'a>(mine: &[Named<'a>], theirs: &[Named<'a>]) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    for (name, value) in mine {
        let known = theirs.iter().any(|(other, _)| is_one(name, other) || is_one_with(name, other));
        let letters = bundle(name).filter(|_| !known).unwrap_or_else(|| vec![name]);
        let last = letters.len() - 1;
        let each = letters.into_iter().enumerate();
        found.extend(each.map(|(n, letter)| (letter, value.filter(|_| n == last))));
    }
    found
}

/// Whether each of the one finds its own among the others.
fn match_up<T>(mine: &[T], theirs: &[T], fits: &dyn Fn(&T, &T, bool) -> bool) -> bool {
    if mine.len() != theirs.len() {
        return false;
    }
    let mut open: Vec<&T> = theirs.iter().collect();
    mine.iter().all(|one| {
        // What is spelled alike first, so that a short form is left for the long one.
        let at = open
            .iter()
            .position(|other| fits(one, other, true))
            .or_else(|| open.iter().position(|other| fits(one, other, false)));
        at.map(|at| open.swap_remove(at)).is_some()
    })
}

/// Whether an option says yes before it is asked: that matters only where the error is about a question.
fn agrees(option: &str) -> bool {
    #[rustfmt::skip]
    const AGREES: &[&str] = &["y", "yes", "assumeyes", "assume-yes", "noconfirm", "noinput", "no-input", "non-interactive", "no-interaction"];
    AGREES.contains(&plain(option))
}

fn is_verb(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a word is short for a verb, and no verb itself: `up` is not `upload`.
fn is_short_for(short: &str, verb: &str) -> bool {
    let own = [tools::SUPPLIES, tools::STARTS, tools::REMOVES, tools::LISTS];
    is_verb(short)
        && is_verb(verb)
        && short.len() < verb.len()
        && verb.starts_with(short)
        && verb.len() > 3
        && !own.iter().any(|verbs| verbs.contains(&short))
}

/// A run with every option in doubt read one way or the other.
struct Reading<'a> {
    options: Vec<Named<'a>>,
    words: Vec<&'a str>,
}

impl Step {
    /// Whether two steps are the same move.
    pub(in super::super) fn same(&self, other: &Self) -> bool {
        let (mut one, mut two) = (self.normal(), other.normal());
        one.spell_out(&mut two);
        if one.base() != two.base() {
            if !one.sent_to(&two.folder) && !two.sent_to(&one.folder) {
                return false;
            }
            (one, two) = (one.without_here(), two.without_here());
        }
        one.same_words(&two) || one.without_here().same_words(&two.without_here())
    }

    /// Gives two runs one verb, where the one's is short for the other's: `req` is `require`.
    fn spell_out(&mut self, other: &mut Self) {
        let (Some(mine), Some(theirs)) = (self.verb_mut(), other.verb_mut()) else { return };
        if is_short_for(mine, theirs) {
            mine.clone_from(theirs);
        } else if is_short_for(theirs, mine) {
            theirs.clone_from(mine);
        }
    }

    fn verb_mut(&mut self) -> Option<&mut String> {
        if self.tool().sub {
            return self.sub.as_mut();
        }
        let is_value = self.near.iter().any(|near| near.word == Some(0));
        self.words.first_mut().filter(|_| !is_value)
    }

    /// Whether two steps have the same words and options, short or long.
    pub(in super::super) fn same_words(&self, other: &Self) -> bool {
        let alike = |one: &Self| {
            (one.program.clone(), one.sub.clone(), one.env.clone(), one.tail.clone(), one.reads.clone())
        };
        alike(self) == alike(other) && self.base() == other.base() && self.same_options(other)
    }

    /// What two runs of the same move share, wherever they are and however they are spelled: enough to find one by the other.
    pub(in super::super) fn loose_key(&self) -> String {
        let step = self.normal();
        // Of what may be a verb, what its short form has as well.
        let short = |word| if is_verb(word) { str::get(word, ..1).unwrap_or(word) } else { word };
        let sub = short(self.sub.as_deref().unwrap_or_default());
        let texts =
            step.words.iter().map(String::as_str).chain(step.flags.iter().filter_map(|flag| parts(flag).1));
        let texts = texts.chain([step.base()]);
        let mut words: Vec<&str> =
            texts.flat_map(|text| text.split('/')).filter(|part| !matches!(*part, "" | ".")).collect();
        words.retain(|word| !step.tool().manifests.contains(word));
        words.iter_mut().for_each(|word| *word = short(word));
        words.sort_unstable();
        format!("loose\0{}\0{sub}\0{}\0{}", self.program, words.join("\0"), self.env.join("\0"))
    }

    /// It without what cannot matter: what its result is called, and a manifest where its folder would do.
    pub(super) fn normal(&self) -> Self {
        let mut step = self.clone();
        step.flags.retain(|flag| !matches!(parts(flag), (name, Some(value)) if self.is_output(name, value)));
        while let Some(at) = step.near.iter().position(|near| step.output_of(near).is_some()) {
            let near = step.near.remove(at);
            near.word.map(|word| step.remove_word(word));
        }
        step.flags.retain(|flag| !agrees(flag));
        step.near.retain(|near| near.joined || !agrees(&near.flag));
        step.writes.clear();
        // What stands behind several letters at once is no value of theirs.
        for near in &mut step.near {
            near.word = near.word.filter(|_| near.joined || bundle(&near.flag).is_none());
        }
        for word in &mut step.words {
            if let Some(folder) = manifest_folder(self.tool(), word) {
                *word = folder;
            }
        }
        step
    }

    /// It without the word that says: here.
    fn without_here(mut self) -> Self {
        let brings = self.has_verb(&["install", "add", "require", "get", "link"]) || self.program == "git";
        let free = |at: &usize| self.near.iter().all(|near| near.word != Some(*at));
        let here = self.words.iter().position(|word| word == ".").filter(free);
        if let Some(at) = here.filter(|_| !brings) {
            self.remove_word(at);
        }
        self
    }

    /// Whether it is told to work in a folder below its own, by a word or an option, and then as if it stood there.
    fn sent_to(&mut self, folder: &str) -> bool {
        let below = match self.folder.as_str() {
            "" => folder,
            own => folder.strip_prefix(own).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default(),
        };
        if below.is_empty() || self.rooted {
            return false;
        }
        let means = |path: &str| {
            join("", path).as_deref() == Some(below)
                || manifest_folder(self.tool(), path).as_deref() == Some(below)
        };
        if let Some(at) = self.flags.iter().position(|flag| parts(flag).1.is_some_and(means)) {
            self.flags.remove(at);
        } else {
            let Some(word) = self.words.iter().position(|word| means(word)) else { return false };
            let near = self.near.iter().position(|near| near.word == Some(word));
            if near.is_none() && !self.may_be_placed() {
                return false;
            }
            near.map(|near| self.near.remove(near));
            self.remove_word(word);
        }
        // What else it is given is seen from there.
        for word in self.words.iter_mut().filter(|word| looks_like_path(word) && !word.starts_with('/')) {
            *word = seen_from(below, word);
        }
        self.folder = folder.to_owned();
        true
    }

    /// Whether a folder among its words is where it works, and no name of a task, a branch or an image.
    fn may_be_placed(&self) -> bool {
        let names = tools::RUNNERS.contains(&self.program.as_str()) && self.sub.as_deref() != Some("build");
        !names
            && !self.tool().far
            && !self.tool().anywhere
            && !self.tool().script
            && !self.has_verb(&["install", "add"])
    }

    /// What its result is called: files that it writes to, and the tag of an image.
    pub(in super::super) fn outputs(&self) -> Vec<&str> {
        let known = self.flags.iter().filter_map(|flag| match parts(flag) {
            (name, Some(value)) if self.is_output(name, value) => Some(value),
            _ => None,
        });
        let near = self.near.iter().filter_map(|near| self.output_of(near));
        let mut found: Vec<&str> = known.chain(near).chain(self.writes.iter().map(String::as_str)).collect();
        found.sort_unstable();
        found
    }

    fn output_of(&self, near: &Near) -> Option<&str> {
        self.words.get(near.word?).map(String::as_str).filter(|value| self.is_output(&near.flag, value))
    }

    fn is_output(&self, name: &str, value: &str) -> bool {
        let name = plain(name).to_ascii_lowercase();
        let first = name.split(['-', '_']).next().unwrap_or_default();
        let folder =
            name.starts_with("out") && (name.ends_with("folder") || name.ends_with("dir")) || name == "of";
        let file = matches!(first, "o" | "out" | "output" | "outfile") && !name.contains("format");
        let image = tools::family(&self.program) == "docker"
            && self.sub.as_deref().is_some_and(|sub| sub.starts_with("build"));
        // `-o json`, `--reporter=dot`: how it is told.
        let last = name.rsplit(['-', '_']).next().unwrap_or_default();
        let form = FORMS.contains(&value)
            && (matches!(first, "o" | "output" | "out")
                || matches!(last, "format" | "reporter" | "formatter"));
        file && (looks_like_path(value) || is_temporary(value))
            || form
            || folder
            || image && matches!(first, "t" | "tag")
    }

    fn same_options(&self, other: &Self) -> bool {
        let all =
            || self.near.iter().map(|near| (self, near)).chain(other.near.iter().map(|near| (other, near)));
        // One occurrence can tell: with `=` it takes a value, with nothing behind it it takes none.
        let takes = |name: &str| {
            all().any(|(_, near)| near.joined && is_one(&near.flag, name))
                || self.flags.iter().chain(&other.flags).any(|flag| {
                    let (known, value) = parts(flag);
                    value.is_some() && is_one(known, name)
                })
        };
        let bare = |name: &str| all().any(|(_, near)| near.word.is_none() && is_one(&near.flag, name));
        let mut doubts: Vec<&str> = Vec::new();
        for (_, near) in all() {
            if !takes(&near.flag)
                && !bare(&near.flag)
                && !doubts.iter().any(|known| is_one(known, &near.flag))
            {
                doubts.push(&near.flag);
            }
        }
        doubts.truncate(MOST_DOUBTS);
        (0..1_usize << doubts.len()).any(|choice| {
            let valued = |near: &Near| {
                let doubt = doubts.iter().position(|known| is_one(known, &near.flag));
                near.joined || takes(&near.flag) || doubt.is_some_and(|at| choice >> at & 1 == 0)
            };
            self.reading(&valued).fits(&other.reading(&valued), self.tool())
        })
    }

    fn reading(&self, valued: &dyn Fn(&Near) -> bool) -> Reading<'_> {
        let mut options: Vec<Named<'_>> = self.flags.iter().map(|flag| parts(flag)).collect();
        let mut taken = Vec::new();
        for near in &self.near {
            let at = near.word.filter(|_| valued(near));
            let value = at.and_then(|at| self.words.get(at));
            options.push((&near.flag, value.map(String::as_str)));
            taken.extend(at);
        }
        let left = self.words.iter().enumerate().filter(|(at, _)| !taken.contains(at));
        Reading { options, words: left.map(|(_, word)| word.as_str()).collect() }
    }
}

/// The folder of a manifest that a program finds by itself where it works.
pub(in super::super) fn manifest_folder(tool: &Tool, path: &str) -> Option<String> {
    let (place, file) = path.rsplit_once('/').unwrap_or(("", path));
    // Where a folder has one project, it is mostly called as the folder is.
    let stem = file.strip_suffix("proj").and_then(|stem| Some(stem.rsplit_once('.')?.0));
    let own = stem.is_some_and(|stem| place.rsplit('/').next() == Some(stem));
    let found = (tool.manifests.contains(&file) || own) && !file.starts_with('.');
    found.then(|| if place.is_empty() { ".".to_owned() } else { place.to_owned() })
}

impl Reading<'_> {
    fn fits(&self, other: &Self, tool: &Tool) -> bool {
        // `-B` and `--build` are two where the table knows both.
        let listed = |name: &str| tool.values.contains(&name) || tool.bare.contains(&name);
        let first = |name: &str| plain(name).chars().next();
        let differ = |a: &str, b: &str| {
            listed(a) && listed(b) && first(a) != first(b) && letter(plain(a)) == letter(plain(b))
        };
        let option = |a: &Named<'_>, b: &Named<'_>, exact: bool| {
            let one = || is_one(a.0, b.0) || a.1.is_some() && is_one_with(a.0, b.0);
            a.1 == b.1 && if exact { a.0 == b.0 } else { one() && !differ(a.0, b.0) }
        };
        let words = if tool.any_order {
            match_up(&self.words, &other.words, &|a, b, _| a == b)
        } else {
            self.words == other.words
        };
        let mine = taken_apart(&self.options, &other.options);
        words && match_up(&mine, &taken_apart(&other.options, &self.options), &option)
    }
}
