//! Patterns are linear: neither their number nor their malice makes them slow.
//!
//! Work is counted, not timed: candidates left by the literals, and states
//! times bytes that expressions may spend.

use std::path::PathBuf;

use super::*;

/// Patterns that hang, blow up or break a careless matcher.
fn hostile() -> Vec<String> {
    let mut patterns: Vec<String> = [
        "(a|aa)+$",
        "(a|a?)+$",
        "(.*a){25}",
        "(?:a{0,1000}){0,1000}",
        "a{1000}{1000}",
        r"\w{1000}\w{1000}\w{1000}",
        "((((((((((a?)?)?)?)?)?)?)?)?)?)?",
        "(?:){1000}{1000}{1000}",
        ".{1,65535}.{1,65535}",
        "(?P<n>a)(?P<n>b)",
        "(?R)",
        "a++b",
        "[z-a]",
        r"(\d+)*\1",
        "a{99999999999999999999}",
        "(x+x+)+y",
    ]
    .map(str::to_owned)
    .into();
    patterns.extend(["[".repeat(5000), "(?:".repeat(5000), "|".repeat(50_000), "a|".repeat(50_000)]);
    patterns.extend([
        "*".repeat(5000),
        "?".repeat(5000),
        "{".repeat(5000),
        "(a".repeat(3000) + &"){2}".repeat(3000),
    ]);
    patterns.push((0..20_000).map(|n| format!("w{n}|")).collect());
    patterns.extend(shared_hostile());
    patterns
}

/// The authored list, where it is at hand.
#[allow(clippy::disallowed_methods, reason = "tests read reference data")]
fn shared_hostile() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = [std::env::var_os("RAWKO_SHARED").map(PathBuf::from), Some(root.join("../shared"))];
    let places = places.into_iter().flatten().chain([root.join("../../shared")]);
    let mut lists = places.map(|place| place.join("corpora/authored/regex-hostile.jsonl"));
    let Some(list) = lists.find_map(|list| std::fs::read_to_string(list).ok()) else {
        eprintln!("SKIPPED the authored hostile patterns: set RAWKO_SHARED to the reference data");
        return Vec::new();
    };
    let patterns = list.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    patterns.map(|value| value["pattern"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_hostile_pattern_is_used_as_text_and_stops_nothing() {
    let context = task(&"aaaa aaab ".repeat(200));
    for pattern in hostile() {
        let trigger = text(&pattern);
        let _ = (compile(&trigger).matches(&context), literals(&trigger), problem(&trigger));
        let quoted = task(&format!("see {pattern} here"));
        if pattern.len() < 1000 {
            assert!(compile(&trigger).matches(&quoted).is_some(), "{pattern} as plain text");
        }
    }
}

#[test]
fn expressions_spend_no_more_than_their_allowance() {
    let text_of_1_mb = TaskText::new(&task(&"aaaaaaaaab".repeat(100_000)));
    let mut work = Work::default();
    let most = work.left;
    let patterns = hostile();
    let mut ran = 0;
    for pattern in patterns.iter().cycle().take(1000) {
        let before = work.left;
        let trigger = text(&pattern[..pattern.floor_char_boundary(200)]);
        let _ = compile_within(&trigger, &mut work).matches_text(&text_of_1_mb, None, &mut work);
        ran += usize::from(work.left < before);
    }
    assert!(work.is_used_up() && ran < 100, "{ran} expressions ran on {most}");
}

#[test]
fn trigger_limits() {
    let words =
        ["cache", "proxy", "socket", "parser", "token", "schema", "thread", "buffer", "kernel", "widget"];
    let triggers: Vec<Trigger> = (0..10_000)
        .map(|n| {
            let (one, two) = (words[n % 10], words[n / 10 % 10]);
            match n % 4 {
                0 => text(&format!("{one}{n}.*{two}|{two}-{n}")),
                1 => text(&format!("When changing {one}x{n} or {two}y{n}")),
                2 => Trigger::Path(format!("src/{one}/{two}{n}/**/*.rs")),
                _ => text(&format!("({one}|{two})_{n}_[a-z]+")),
            }
        })
        .collect();
    let found: Vec<Literals> = triggers.iter().map(literals).collect();
    let always = found.iter().filter(|literals| **literals == Literals::Always).count();
    assert_eq!(always, 0, "each of these has a literal");

    let asked = "the cache4200 of the proxy and parser-7032 are wrong; ".to_owned()
        + &"lorem ipsum dolor ".repeat(60_000);
    assert!(asked.len() > 1_000_000);
    let prepared = TaskText::new(&task(&asked));
    assert!(prepared.parts[0].text.len() <= TASK_BYTES + 64, "a long text is cut");
    let candidates: Vec<usize> = (0..triggers.len()).filter(|&n| prepared.may_match(&found[n])).collect();
    assert!(candidates.contains(&4200), "{candidates:?}");
    assert!(candidates.len() < 100, "{} of 10,000 are left to compile", candidates.len());
    let mut work = Work::default();
    let met = candidates
        .iter()
        .filter(|&&n| compile(&triggers[n]).matches_text(&prepared, None, &mut work).is_some());
    assert!(met.count() >= 1 && !work.is_used_up());
}
