//! Which memory stands in for which: superseding, corrections, near-duplicates.
//!
//! A memory may say so (`supersedes`), or its words may: a newer memory that
//! calls an earlier note wrong corrects the one nearest to it in meaning.

use super::candidate::Candidate;
use crate::weights::Inject;

/// Words of a memory, title first, in which it says that it puts something right.
const OPENING: usize = 80;
/// Words between "earlier" and "note".
const WINDOW: usize = 4;

/// Words that say of something that it does not hold.
const WRONG: &[&str] = &[
    "corrects",
    "corrected",
    "correction",
    "corrections",
    "obsolete",
    "outdated",
    "supersedes",
    "superseded",
    "invalidates",
    "retracted",
];
/// Two words in a row that say the same.
const WRONG_PAIRS: &[[&str; 2]] = &[
    ["no", "longer"],
    ["was", "wrong"],
    ["were", "wrong"],
    ["is", "wrong"],
    ["not", "anymore"],
    ["any", "more"],
];
/// Words for what came before …
const EARLIER: &[&str] = &[
    "earlier",
    "older",
    "old",
    "previous",
    "previously",
    "prior",
    "former",
    "before",
    "original",
    "originally",
];
/// … and for what was written then.
const WRITTEN: &[&str] = &[
    "advice",
    "assumption",
    "claim",
    "claimed",
    "described",
    "documented",
    "entry",
    "finding",
    "memory",
    "note",
    "noted",
    "notes",
    "record",
    "recorded",
    "said",
    "statement",
    "stated",
    "wrote",
    "written",
];

/// Whether a memory's opening words say that it puts an earlier one right.
pub(crate) fn says_correction(title: &str, body: &str) -> bool {
    let opening = title.split_whitespace().chain(body.split_whitespace()).take(OPENING);
    let words: Vec<&str> = opening
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let is = |list: &[&str], word: &&str| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    let pair =
        |two: &[&str]| WRONG_PAIRS.iter().any(|pair| is(&pair[..1], &two[0]) && is(&pair[1..], &two[1]));
    let earlier: Vec<bool> = words.iter().map(|word| is(EARLIER, word)).collect();
    let near_earlier =
        |at: usize| earlier[at.saturating_sub(WINDOW - 1)..(at + WINDOW).min(words.len())].contains(&true);
    words.iter().any(|word| is(WRONG, word))
        || words.windows(2).any(pair)
        || (earlier.contains(&true) && words.len() >= WINDOW)
            && words.iter().enumerate().any(|(at, word)| is(WRITTEN, word) && near_earlier(at))
}

/// For each candidate, which other one supersedes it.
pub(super) fn superseded(candidates: &[Candidate<'_>]) -> Vec<Option<usize>> {
    let names = |by: &Candidate<'_>, it: &Candidate<'_>| {
        by.facts.may_be_injected()
            && by.facts.trust >= it.facts.trust
            && by.slug != it.slug
            && by.facts.supersedes.contains(&it.slug.as_str())
    };
    // Where two name each other, the newer one stands, or neither would be heard.
    let newer = |by: &Candidate<'_>, it: &Candidate<'_>| {
        (by.facts.discovered_at, it.slug) > (it.facts.discovered_at, by.slug)
    };
    let replaces =
        |by: &Candidate<'_>, it: &Candidate<'_>| names(by, it) && (newer(by, it) || !names(it, by));
    candidates.iter().map(|it| candidates.iter().position(|by| replaces(by, it))).collect()
}

/// For each candidate, which other one corrects it.
pub(super) fn corrected(candidates: &[Candidate<'_>], w: &Inject) -> Vec<Option<usize>> {
    let mut by = vec![None; candidates.len()];
    for (n, newer) in candidates.iter().enumerate() {
        if newer.facts.corrects
            && newer.facts.may_be_injected()
            && let Some(older) = corrects(newer, candidates, w)
        {
            by[older] = Some(n);
        }
    }
    by
}

/// The older candidate that is nearest to what `newer` says, where it is near enough to be meant.
fn corrects(newer: &Candidate<'_>, candidates: &[Candidate<'_>], w: &Inject) -> Option<usize> {
    let mut nearest: Option<(usize, (bool, f32))> = None;
    for (n, older) in candidates.iter().enumerate() {
        let outranks = older.facts.trust > newer.facts.trust;
        // What calls a memory calls the one that corrects it: text that may not enter must not call.
        let silent = !older.facts.trust.may_be_injected();
        if older.facts.discovered_at >= newer.facts.discovered_at || outranks || silent {
            continue;
        }
        let named = newer.facts.related.contains(&older.slug.as_str());
        let near = newer.gist.near(&older.gist);
        let enough = if named { w.corrects_named } else { w.corrects_near };
        if near >= enough && nearest.is_none_or(|(_, best)| (named, near) > best) {
            nearest = Some((n, (named, near)));
        }
    }
    nearest.map(|(n, _)| n)
}

/// Whether two memories say nearly the same in nearly the same words.
pub(super) fn is_duplicate(one: &Candidate<'_>, other: &Candidate<'_>, w: &Inject) -> bool {
    one.gist.shared(&other.gist) >= w.duplicate
}
