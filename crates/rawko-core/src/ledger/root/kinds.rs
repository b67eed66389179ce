//! Kinds of things: two programs speak of the same thing where its name and its kind are the same.

use super::absent::{bare, noun_of};
use super::{Step, tools};

/// Most things of an error whose kinds are kept.
const MOST: usize = 16;

/// The kinds of the things that an error names, with their names: `profile (x)`, `clusters/x`.
pub(in super::super) fn told(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines().take(200) {
        let words: Vec<&str> = line.split_whitespace().take(80).collect();
        let pairs = words.windows(2).filter_map(|pair| Some((noun_of(pair[0])?, bare(pair[1]).0)));
        let paths = words.iter().flat_map(|word| in_path(bare(word).0));
        for (kind, name) in pairs.chain(paths).filter(|(_, name)| name.len() > 1) {
            let pair = (kind, name.to_owned());
            if !found.contains(&pair) && found.len() < MOST {
                found.push(pair);
            }
        }
    }
    found
}

/// `zones/a/clusters/b` is the zone a and the cluster b.
fn in_path(word: &str) -> Vec<(String, &str)> {
    let parts: Vec<&str> = word.split('/').collect();
    parts.windows(2).filter_map(|pair| Some((noun_of(pair[0])?, pair[1]))).collect()
}

/// The kinds of which a step says that a thing of this name is: by an option, a word before it, or `kind/name`.
pub(in super::super) fn said(step: &Step, name: &str) -> Vec<String> {
    let option = |option: &str| {
        let plain = option.trim_start_matches('-').trim_end_matches("-name").trim_end_matches("-id");
        noun_of(plain.rsplit(['-', '.']).next().unwrap_or(plain))
    };
    let values: Vec<(&str, &str)> = step.values().collect();
    let mut found: Vec<String> =
        values.iter().filter(|(_, value)| *value == name).filter_map(|(name, _)| option(name)).collect();
    let mut last = None;
    for word in step.sub.iter().flat_map(|sub| sub.split(' ')).chain(step.words.iter().map(String::as_str)) {
        if word == name && !values.iter().any(|(_, value)| *value == name) {
            found.extend(last.clone());
        }
        found.extend(in_path(word).into_iter().filter(|(_, part)| *part == name).map(|(kind, _)| kind));
        last = noun_of(tools::kind(word)).or(last);
    }
    found.sort();
    found.dedup();
    found
}

/// Whether two programs mean different things by one name, as far as they say what they mean.
pub(in super::super) fn differ(failed: &Step, kinds: &[(String, String)], step: &Step, name: &str) -> bool {
    let mut mine: Vec<String> =
        kinds.iter().filter(|(_, known)| known == name).map(|(kind, _)| kind.clone()).collect();
    if mine.is_empty() {
        mine = said(failed, name);
    }
    let other = said(step, name);
    !mine.is_empty() && !other.is_empty() && !other.iter().any(|kind| mine.contains(kind))
}
