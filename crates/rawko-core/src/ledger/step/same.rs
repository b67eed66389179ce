//! Whether two runs with one key are the same move.

use super::super::place::{is_temporary, looks_like_path};
use super::super::tools::{self, Tool};
use super::{Near, Step};

/// Most options in doubt for which both readings are tried.
const MOST_DOUBTS: usize = 6;

/// An option's name and its value.
pub(super) fn parts(flag: &str) -> (&str, Option<&str>) {
    flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)))
}

/// Short forms that are no letter of the long one, whoever takes them.
const SHORT: &[(&str, &str)] = &[("n", "dry-run"), ("y", "assume-yes"), ("k", "insecure")];

/// Options that say on which project to work: where their value is a folder, that is where to be.
const PROJECTS: &[&str] = &["p", "project", "project-dir", "C", "cwd", "chdir", "directory", "root", "rootdir"];

fn letter(name: &str) -> Option<char> {
    name.chars().next().map(|first| first.to_ascii_lowercase())
}

/// Whether two names are of one option: equal but for dashes, or one is the first letter of the other.
fn is_one(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches('-'), b.trim_start_matches('-'));
    let short = |a: &str, b: &str| {
        a.len() == 1 && b.len() > 1 && (letter(a) == letter(b) || SHORT.contains(&(a, b)))
    };
    a == b || short(a, b) || short(b, a)
}

/// Whether two names with one value are of one option: `-F x` is `--notes-file x`, `-of x` is `--output-folder x`.
fn is_one_with(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches('-'), b.trim_start_matches('-'));
    let short = |a: &str, b: &str| {
        let initials: String = b.split(['-', '_']).filter_map(letter).collect();
        let a = a.to_ascii_lowercase();
        a.len() == 1 && b.len() > 1 && initials.contains(&a) || a.len() > 1 && a == initials
    };
    short(a, b) || short(b, a)
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

/// A run with every option in doubt read one way or the other.
struct Reading<'a> {
    options: Vec<(&'a str, Option<&'a str>)>,
    words: Vec<&'a str>,
}

impl Step {
    /// Whether two steps of one key are the same move.
    pub(in super::super) fn same(&self, other: &Self) -> bool {
        self.normal().same_normal(&other.normal())
    }

    /// Whether two steps have the same words and options, short or long.
    pub(in super::super) fn same_words(&self, other: &Self) -> bool {
        let words = |step: &Self| step.words.len() + step.flags.len() + step.near.len() + step.tail.len();
        words(self) == words(other) && self.same_normal(other)
    }

    /// It without what cannot matter: what its result is called, and whether it is sent to a folder or told to work on it.
    pub(super) fn normal(&self) -> Self {
        let mut step = self.clone();
        step.flags.retain(|flag| !matches!(parts(flag), (name, Some(value)) if self.is_output(name, value)));
        while let Some(at) = step.near.iter().position(|near| step.output_of(near).is_some()) {
            let near = step.near.remove(at);
            near.word.map(|word| step.remove_word(word));
        }
        step.writes.clear();
        step.name_folders();
        // What stands behind several letters at once is no value of theirs.
        for near in &mut step.near {
            near.word = near.word.filter(|_| near.joined || bundle(&near.flag).is_none());
        }
        let free = |at: usize| step.near.iter().all(|near| near.word != Some(at));
        let mut places = (0..step.words.len()).filter(|at| free(*at) && is_place(&step.words[*at]));
        if let (Some(at), None, true) = (places.next(), places.next(), step.may_be_placed()) {
            step.folder = super::read::joined(&step.folder, &step.words[at]);
            step.words[at] = ".".to_owned();
        }
        let here = step.words.iter().position(|word| word == ".");
        let brings = step.has_verb(&["install", "add", "require", "get", "link"]) || step.program == "git";
        if let Some(at) = here.filter(|at| !brings && step.near.iter().all(|near| near.word != Some(*at))) {
            step.remove_word(at);
        }
        step
    }

    /// A manifest that it is given is the folder where that is.
    fn name_folders(&mut self) {
        let tool = self.tool();
        let place = |path: &str| {
            let (place, file) = path.rsplit_once('/').unwrap_or(("", path));
            let stem = file.strip_suffix("proj").and_then(|stem| Some(stem.rsplit_once('.')?.0));
            let own = stem.is_some_and(|stem| place.rsplit('/').next() == Some(stem));
            let found = (tool.manifests.contains(&file) || own) && !file.starts_with('.');
            found.then(|| if place.is_empty() { ".".to_owned() } else { place.to_owned() })
        };
        for word in &mut self.words {
            if let Some(folder) = place(word) {
                *word = folder;
            }
        }
        let paths = self.words.iter().any(|word| looks_like_path(word) || word == ".");
        // `--project x` is `cd x`, where x is a folder.
        let told = |name: &str, path: &str| {
            let project = PROJECTS.contains(&name.trim_start_matches('-'));
            place(path).or_else(|| Some(path.to_owned()).filter(|path| project && is_place(path)))
        };
        let named = |flag: &String| parts(flag).1.and_then(|path| told(parts(flag).0, path));
        let near = self.near.iter().position(|near| {
            let path = near.word.and_then(|at| self.words.get(at));
            path.is_some_and(|path| PROJECTS.contains(&near.flag.trim_start_matches('-')) && is_place(path))
        });
        if let Some(at) = near.filter(|_| self.may_be_placed() && self.words.iter().filter(|word| looks_like_path(word)).count() == 1) {
            let near = self.near.remove(at);
            let folder = near.word.map(|word| self.remove_word(word)).unwrap_or_default();
            self.folder = super::read::joined(&self.folder, &folder);
        } else if let Some(at) = self.flags.iter().position(|flag| named(flag).is_some()).filter(|_| !paths && !self.rooted) {
            let folder = named(&self.flags.remove(at)).unwrap_or_default();
            self.folder = super::read::joined(&self.folder, &folder);
        }
    }

    /// How many options it has: `-ab` may be two.
    pub(super) fn count_options(&self) -> usize {
        let letters = |near: &Near| bundle(&near.flag).map_or(1, |letters| letters.len());
        self.flags.len() + self.near.iter().map(letters).sum::<usize>()
    }

    /// Whether a folder among its words is where it works, and no name of a task, a branch or an image.
    fn may_be_placed(&self) -> bool {
        let names = tools::RUNNERS.contains(&self.program.as_str()) || self.tool().far;
        !names && !self.rooted && !self.tool().anywhere && !self.tool().script && !self.folder.starts_with('/')
    }

    /// What its result is called: files that it writes to, and the tag of what it builds.
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
        let plain = name.trim_start_matches('-').to_ascii_lowercase();
        let first = plain.split(['-', '_']).next().unwrap_or_default();
        let folder = plain.starts_with("out") && (plain.ends_with("folder") || plain.ends_with("dir")) || plain == "of";
        let file = matches!(first, "o" | "out" | "output" | "outfile") && !plain.contains("format");
        let tag = matches!(plain.as_str(), "t" | "tag") && self.sub.as_deref().is_some_and(|sub| sub.starts_with("build"));
        file && (looks_like_path(value) || is_temporary(value)) || folder || tag
    }

    fn same_normal(&self, other: &Self) -> bool {
        if self.near.is_empty() && other.near.is_empty() {
            return self.reading(&|_| false).fits(&other.reading(&|_| false), self.tool());
        }
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
        let mut options: Vec<(&str, Option<&str>)> = self.flags.iter().map(|flag| parts(flag)).collect();
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

/// The letters of `-ab`, which may be two options or one.
fn bundle(name: &str) -> Option<Vec<&str>> {
    let letters = name.strip_prefix('-').filter(|rest| (2..=3).contains(&rest.len()))?;
    letters.bytes().all(|byte| byte.is_ascii_lowercase()).then(|| (0..letters.len()).map(|at| &letters[at..=at]).collect())
}

/// Options with those taken apart that the other side has one by one.
fn taken_apart<'a>(mine: &[(&'a str, Option<&'a str>)], theirs: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, Option<&'a str>)> {
    let mut found = Vec::new();
    for (name, value) in mine {
        let known = theirs.iter().any(|(other, _)| is_one(name, other) || is_one_with(name, other));
        match bundle(name).filter(|_| !known) {
            Some(letters) => {
                let last = letters.len() - 1;
                found.extend(letters.into_iter().enumerate().map(|(n, letter)| (letter, value.filter(|_| n == last))));
            }
            None => found.push((*name, *value)),
        }
    }
    found
}

/// Whether a word may be a folder below: it has a slash, and no ending.
fn is_place(word: &str) -> bool {
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
    word.contains('/')
        && looks_like_path(word)
        && !word.starts_with('/')
        && !is_temporary(word)
        && !name.contains(['.', '@', '='])
}

impl Reading<'_> {
    fn fits(&self, other: &Self, tool: &Tool) -> bool {
        // `-B` and `--build` are two where the table knows both.
        let listed = |name: &str| tool.values.contains(&name) || tool.bare.contains(&name);
        let first = |name: &str| name.trim_start_matches('-').chars().next();
        let plain = |name: &'_ str| name.trim_start_matches('-').to_owned();
        let short = |a: &str, b: &str| SHORT.iter().any(|(one, long)| plain(a) == *one && plain(b) == *long);
        let differ = |a: &str, b: &str| {
            listed(a) && listed(b) && first(a) != first(b) && !short(a, b) && !short(b, a)
        };
        let option = |a: &(&str, Option<&str>), b: &(&str, Option<&str>), exact: bool| {
            let one = || is_one(a.0, b.0) || a.1.is_some() && is_one_with(a.0, b.0);
            a.1 == b.1 && if exact { a.0 == b.0 } else { one() && !differ(a.0, b.0) }
        };
        let words = if tool.any_order {
            match_up(&self.words, &other.words, &|a, b, _| a == b)
        } else {
            self.words == other.words
        };
        let (mine, theirs) = (taken_apart(&self.options, &other.options), taken_apart(&other.options, &self.options));
        words && match_up(&mine, &theirs, &option)
    }
}
