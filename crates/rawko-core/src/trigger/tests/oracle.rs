//! Whatever an origin document's matcher takes is taken.
//!
//! Both matchers are written down as they stand there. JavaScript's expressions
//! are stood in for by the `regex` crate, which differs so: it refuses what
//! JavaScript reads leniently (a lone `{`), has no lookaround or backreference
//! (those have tests of their own), takes a repeated repetition (`a**`, refused
//! here as JavaScript does), and its `\w` and `\b` know Unicode (rewritten to
//! ASCII). Its `.` stops only at `\n`, as ours does; JavaScript's also at `\r`
//! and U+2028, which matches less.

use proptest::prelude::*;
use regex::{Regex, RegexBuilder};

use super::*;

/// `new RegExp(pattern, "i")`.
fn js(pattern: &str) -> Option<Regex> {
    let repeats = ["**", "*+", "+*", "++", "?*", "?+", "??", "}{", "*{", "+{", "?{", "}*", "}+"];
    if repeats.iter().any(|twice| pattern.contains(twice)) {
        return None;
    }
    // What a backslash means before other characters differs, and `(?` opens what JavaScript does not have.
    let escapes: Vec<char> = pattern.split('\\').skip(1).filter_map(|rest| rest.chars().next()).collect();
    if pattern.contains("(?") || escapes.iter().any(|c| !"sSwb.".contains(*c)) {
        return None;
    }
    let ascii = pattern.replace(r"\w", "[0-9A-Za-z_]").replace(r"\b", r"(?-u:\b)");
    RegexBuilder::new(&ascii).case_insensitive(true).build().ok()
}

fn searched(task: &TaskContext) -> String {
    format!("{} {}", task.task, task.agent).to_lowercase()
}

fn origin_000(pattern: &str, task: &TaskContext) -> bool {
    let text = searched(task);
    if pattern.contains('|') || pattern.contains('*') {
        return js(pattern).is_some_and(|regex| regex.is_match(&text));
    }
    text.contains(&pattern.to_lowercase())
}

fn origin_003(pattern: &str, task: &TaskContext) -> bool {
    let text = searched(task);
    let lower = pattern.to_lowercase();
    let normalized = lower.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if normalized.contains('|') {
        return normalized.split('|').map(str::trim).any(|alternative| text.contains(alternative));
    }
    if (normalized.contains('*') || normalized.contains('?'))
        && let Some(regex) = js(&normalized.replace('*', ".*").replace('?', "."))
    {
        return regex.is_match(&text);
    }
    if normalized.contains('.')
        && normalized.contains('{')
        && let Some(regex) = js(normalized)
    {
        return regex.is_match(&text);
    }
    text.contains(normalized)
}

fn patterns() -> impl Strategy<Value = String> {
    let pieces = [
        "auth", "login", "Special", "ci", "é", "ΣΑΣ", " ", "|", "|", ".*", "*", "?", ".", "{0,3}", "{", "}",
        "(", ")", "(", ")", "[a-z]", "[^a]", r"\s", r"\S", r"\b", r"\w+", "$", "^", "+", r"\.", "\u{feff}",
        "İ", "a-", "[",
    ];
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..9).prop_map(|pieces| pieces.concat()),
        1 => prop::collection::vec(prop::sample::select(&["auth", "When", "using", "log", "|", " "][..]), 1..8)
            .prop_map(|words| words.join(" ")),
        1 => "\\PC{0,8}",
    ]
}

fn tasks() -> impl Strategy<Value = TaskContext> {
    let pieces = [
        "auth",
        "Login",
        "special",
        "ci",
        "É",
        "ΣΑΣ",
        "σας",
        " ",
        " ",
        ".",
        "*",
        "?",
        "{0,3}",
        "(",
        ")",
        "|",
        "\n",
        "\u{a0}",
        "İ",
        "implementing",
        "a-",
        "[",
        "$",
    ];
    let text = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..10)
        .prop_map(|pieces| pieces.concat());
    (prop_oneof![4 => text, 1 => "\\PC{0,12}"], prop::sample::select(&["developer", "", "Login"][..]))
        .prop_map(|(task, agent)| TaskContext { agent: agent.into(), ..TaskContext::of(task) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_origin_matches_is_matched(pattern in patterns(), task in tasks()) {
        let ours = compile(&text(&pattern)).matches(&task);
        prop_assert!(ours.is_some() || !origin_000(&pattern, &task), "000 takes {pattern:?} on {task:?}");
        prop_assert!(ours.is_some() || !origin_003(&pattern, &task), "003 takes {pattern:?} on {task:?}");
        if let Some(found) = ours {
            prop_assert!(found.strength > 0.0 && found.strength <= 1.0);
        }
    }

    #[test]
    fn a_match_is_never_lost_by_its_literals(pattern in patterns(), task in tasks(), kind in 0..5) {
        let trigger = match kind {
            0 => Trigger::Path(pattern),
            1 => Trigger::Command(pattern),
            2 => Trigger::Error(pattern),
            _ => Trigger::Text(pattern),
        };
        let context = TaskContext {
            files: vec![task.task.clone()],
            command: task.task.clone(),
            error: task.task.clone(),
            ..task
        };
        let prepared = TaskText::new(&context);
        if compile(&trigger).matches(&context).is_some() {
            prop_assert!(prepared.may_match(&literals(&trigger)), "{trigger:?} gave {:?}", literals(&trigger));
        }
    }

    #[test]
    fn no_trigger_panics_anywhere(pattern in "\\PC{0,40}|[-a-c\\[\\](){}|*+?.^$\\\\,0-9<>=!:]{0,30}") {
        for trigger in [text(&pattern), Trigger::Path(pattern.clone())] {
            let _ = compile(&trigger).matches(&task(&pattern));
            let _ = (literals(&trigger), problem(&trigger));
        }
    }
}

#[test]
fn the_origins_own_examples_match() {
    for (pattern, asked) in [
        ("auth|authentication|login|security", "Fix login"),
        ("implement.*auth", "implement user auth"),
        ("implement.{0,5}auth", "implement an auth layer"),
        ("find.*file|locate.*module", "locate the parser module"),
        ("oauth|social.*auth|third.*party.*auth", "third party auth"),
        ("exploring the codebase", "start by exploring the codebase"),
    ] {
        assert!(origin_000(pattern, &task(asked)) || origin_003(pattern, &task(asked)), "{pattern}");
        assert!(strength(pattern, asked) >= USEFUL, "{pattern}");
    }
    // 003 lowers the pattern, and this letter becomes two.
    assert!(origin_003("[a-z]{0,3}.İ", &task("authİ")) && strength("[a-z]{0,3}.İ", "authİ") > 0.0);
    for (sentence, asked) in [
        ("When task mentions authentication", "Implement user authentication"),
        ("When implementing security features", "Implement a security feature for uploads"),
        ("When needing to understand project structure", "Explain the structure of this project"),
        ("Working with authentication", "Rework authentication"),
    ] {
        assert!(!origin_000(sentence, &task(asked)) && !origin_003(sentence, &task(asked)), "{sentence}");
        assert!(strength(sentence, asked) >= USEFUL, "{sentence}");
    }
}
