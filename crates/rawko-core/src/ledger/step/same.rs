//! Whether two runs with one key are the same move.

use super::super::tools::Tool;
use super::{Near, Step};

/// Most options in doubt for which both readings are tried.
const MOST_DOUBTS: usize = 6;

/// An option's name and its value.
pub(super) fn parts(flag: &str) -> (&str, Option<&str>) {
    flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)))
}

/// What the short and the long form of an option share: the first letter.
pub(super) fn letter(name: &str) -> String {
    name.trim_start_matches('-').chars().take(1).flat_map(char::to_lowercase).collect()
}

/// Whether two names are of one option: equal but for dashes, or one is the first letter of the other.
fn is_one(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches('-'), b.trim_start_matches('-'));
    let short = |a: &str, b: &str| a.len() == 1 && b.len() > 1 && letter(a) == letter(b);
    a == b || short(a, b) || short(b, a)
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

impl Reading<'_> {
    fn fits(&self, other: &Self, tool: &Tool) -> bool {
        // `-B` and `--build` are two where the table knows both.
        let listed = |name: &str| tool.values.contains(&name) || tool.bare.contains(&name);
        let first = |name: &str| name.trim_start_matches('-').chars().next();
        let differ = |a: &str, b: &str| listed(a) && listed(b) && first(a) != first(b);
        let option = |a: &(&str, Option<&str>), b: &(&str, Option<&str>), exact: bool| {
            a.1 == b.1 && if exact { a.0 == b.0 } else { is_one(a.0, b.0) && !differ(a.0, b.0) }
        };
        let words = if tool.any_order {
            match_up(&self.words, &other.words, &|a, b, _| a == b)
        } else {
            self.words == other.words
        };
        words && match_up(&self.options, &other.options, &option)
    }
}
