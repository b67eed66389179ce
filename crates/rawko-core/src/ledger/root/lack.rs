//! How sentences say that something is not there, whoever prints them.
//!
//! A denial (`not`, `cannot`, `no`) and, soon behind it, a word of seeking or
//! of being there. Who seeks names its object behind (`cannot find x`), what
//! is not there stands before (`x does not exist`): so the two are told apart.

/// How far behind a denial the word may stand: `could not be found`.
const REACH: usize = 4;
/// Words that say it alone.
const ALONE: &[&str] = &["unknown", "undefined", "nonexistent", "unrecognized", "enoent", "missing"];
/// What one does to a thing that has to be there.
#[rustfmt::skip]
const SEEKS: &[&str] = &[
    "find", "locate", "resolve", "open", "read", "access", "stat", "load", "get", "provide", "contain", "have", "such",
];
/// What a thing does that is there.
#[rustfmt::skip]
const IS: &[&str] = &[
    "found", "exist", "exists", "match", "matches", "matching", "defined", "known", "available", "present", "registered", "recognized", "resolve",
    "valid", "appear", "something",
];
/// What is no such thing.
const FALSE: &[&str] = &["bad", "invalid", "ambiguous"];
const THINGS: &[&str] = &["revision", "object", "reference", "upstream", "argument", "device"];

/// Whether words that stand before a name say that there is none.
pub(super) fn before(words: &[&str]) -> bool {
    let plain = plain(words);
    let is_none = |pair: &[String]| is_false(pair) || pair[0] == "not" && pair[1] == "a";
    plain.iter().any(|word| word == "no" || word != "missing" && ALONE.contains(&word.as_str()))
        || plain.windows(2).any(is_none)
        || denies(&plain, &[SEEKS, IS])
}

/// Whether words that stand behind a name say that there is none.
pub(super) fn behind(words: &[&str]) -> bool {
    let plain = plain(words);
    let has_no = |pair: &[String]| ["has", "have"].contains(&&*pair[0]) && pair[1] == "no";
    let is_none = |pair: &[String]| pair[0] == "a" && ["file", "commit"].contains(&&*pair[1]);
    let gone = |pair: &[String]| pair[1] == "missing" || pair[1] == "unknown";
    plain.windows(2).any(|pair| has_no(pair) || gone(pair))
        || plain.windows(3).any(|three| three[0] == "not" && is_none(&three[1..]))
        || plain.first().is_some_and(|word| ALONE.contains(&word.as_str()))
        || denies(&plain, &[IS])
}

/// Whether a whole line says that something is not there.
pub(super) fn anywhere(words: &[&str]) -> bool {
    let plain = plain(words);
    plain.iter().any(|word| ALONE.contains(&word.as_str()) || word.contains("notfound"))
        || plain.windows(2).any(is_false)
        || denies(&plain, &[SEEKS, IS])
}

/// `invalid reference`, `bad revision`.
fn is_false(pair: &[String]) -> bool {
    FALSE.contains(&&*pair[0]) && THINGS.contains(&&*pair[1])
}

/// The words without stops and quotes, in one case.
fn plain(words: &[&str]) -> Vec<String> {
    let ends = |c: char| !c.is_alphanumeric() && c != '\'';
    let bare = |word: &str| word.to_lowercase().replace('’', "'").trim_matches(ends).to_owned();
    words.iter().flat_map(|word| word.split(['=', ':'])).map(bare).filter(|word| !word.is_empty()).collect()
}

fn denies(words: &[String], kinds: &[&[&str]]) -> bool {
    let is_denial = |word: &String| {
        ["no", "not", "cannot", "unable", "failed"].contains(&word.as_str()) || word.ends_with("n't")
    };
    let is_met = |word: &String| kinds.iter().any(|kind| kind.contains(&word.trim_matches('\'')));
    let next = |at: usize| &words[at + 1..words.len().min(at + 1 + REACH)];
    words.iter().enumerate().any(|(at, word)| is_denial(word) && next(at).iter().any(is_met))
}
