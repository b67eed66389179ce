//! Origin `003`'s scores and matching, translated line by line.
//!
//! Where the origin's prose and its code disagree, the code holds. Two things
//! differ on purpose: an expression that linear time cannot do counts as
//! invalid, and of a very long task only the head and the tail are matched, so
//! that no pattern can be slow.

use jiff::Timestamp;
use regex_lite::RegexBuilder;

use super::candidate::Facts;
use super::{Part, Score, Settings};
use crate::entry::Importance;
use crate::task::TaskContext;
use crate::trigger::head_and_tail;

/// Bytes of a task that patterns look at.
const MOST_TEXT: usize = 16 << 10;
/// Compiled size beyond which a pattern counts as invalid.
const MOST_PATTERN: usize = 16 << 10;

/// The tags of an agent whose file sets none.
pub fn default_tags(agent: &str) -> &'static [&'static str] {
    match agent {
        "planner" => &["planning", "structure", "analysis"],
        "developer" => &["implementation", "code", "patterns"],
        "tester" => &["testing", "validation", "quality"],
        "reviewer" => &["review", "quality", "standards"],
        _ => &[],
    }
}

/// The origin's score: how much the memory matters to this agent, whatever it is about.
pub(super) fn score(facts: &Facts<'_>, task: &TaskContext, settings: &Settings, now: Timestamp) -> Score {
    Score::of([
        Part { name: "importance", points: importance(facts.importance) },
        Part { name: "recency", points: recency(facts.discovered_at, now) },
        Part { name: "title words", points: title_words(facts.title, &task.task) },
        Part { name: "agent tags", points: agent_tags(facts, task, settings) },
        Part { name: "same agent", points: same_agent(facts, task) },
        Part { name: "bonus", points: settings.score_bonus },
    ])
}

/// 5, 15, 25 or 30.
pub(super) fn importance(importance: Importance) -> f32 {
    match importance {
        Importance::Low => 5.0,
        Importance::Medium => 15.0,
        Importance::High => 25.0,
        Importance::Critical => 30.0,
    }
}

/// 10 under a day, 5 under three.
pub(super) fn recency(discovered_at: Timestamp, now: Timestamp) -> f32 {
    let age_hours = (now.as_millisecond() - discovered_at.as_millisecond()) as f64 / 3_600_000.0;
    match age_hours {
        ..24.0 => 10.0,
        ..72.0 => 5.0,
        _ => 0.0,
    }
}

/// 5 for each word of the task that is part of the title, up to 20.
pub(super) fn title_words(title: &str, task: &str) -> f32 {
    let (title, task) = (title.to_lowercase(), task.to_lowercase());
    // Like the origin's split: a run of spaces parts two words, also at the ends.
    let starts = |at: usize| !task[..at].ends_with(char::is_whitespace);
    let mut matched = 0_u8;
    let mut from = 0;
    for (at, space) in task.char_indices().filter(|(_, c)| c.is_whitespace()) {
        if starts(at) || at == 0 {
            matched = matched.saturating_add(u8::from(title.contains(&task[from..at])));
        }
        from = at + space.len_utf8();
    }
    matched = matched.saturating_add(u8::from(title.contains(&task[from..])));
    (f32::from(matched) * 5.0).min(20.0)
}

/// 5 for each tag that memory and agent share, up to 15.
pub(super) fn agent_tags(facts: &Facts<'_>, task: &TaskContext, settings: &Settings) -> f32 {
    let shared = |tag: &&&str| match &settings.agent_tags {
        Some(own) => own.iter().any(|own| own == *tag),
        None => default_tags(&task.agent).contains(*tag),
    };
    (facts.tags.iter().filter(shared).count() as f32 * 5.0).min(15.0)
}

/// 10 for what the same agent found.
pub(super) fn same_agent(facts: &Facts<'_>, task: &TaskContext) -> f32 {
    if facts.discovered_by == task.agent { 10.0 } else { 0.0 }
}

/// Whether any trigger matches task and agent name by the origin's rules.
pub(super) fn matches(facts: &Facts<'_>, task: &TaskContext) -> bool {
    let text = looked_at(task);
    facts.when_to_use.iter().any(|trigger| matches_pattern(trigger.text(), &text))
}

/// What patterns look at, in lower case.
fn looked_at(task: &TaskContext) -> String {
    format!("{} {}", head_and_tail(&task.task, MOST_TEXT), task.agent).to_lowercase()
}

/// The origin's `matchPattern`; `text` is in lower case.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern = pattern.to_lowercase();
    let pattern = pattern.trim();
    if pattern.contains('|') {
        return pattern.split('|').any(|alternative| text.contains(alternative.trim()));
    }
    let glob = || regex(&pattern.replace('*', ".*").replace('?', "."), text);
    if pattern.contains(['*', '?'])
        && let Some(found) = glob()
    {
        return found;
    }
    if pattern.contains('.')
        && pattern.contains('{')
        && let Some(found) = regex(pattern, text)
    {
        return found;
    }
    text.contains(pattern)
}

/// Whether an expression matches; `None` where it is no expression.
fn regex(source: &str, text: &str) -> Option<bool> {
    let built = RegexBuilder::new(source).case_insensitive(true).size_limit(MOST_PATTERN).build();
    built.ok().map(|regex| regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_looked_for_at_both_ends_of_a_long_task() {
        let task = format!("deploy it\n{}and login", "a line of a log\n".repeat(10_000));
        let looked_at = looked_at(&TaskContext::of(task));
        assert!(looked_at.contains("deploy") && looked_at.contains("login"));
        assert!(looked_at.len() <= MOST_TEXT + 8, "{}", looked_at.len());
    }

    #[test]
    fn a_pattern_matches_as_the_origin_has_it() {
        let text = "implement oauth login developer";
        for pattern in [
            "auth",
            "saml | LOGIN",
            "implement*login",
            "implement.*auth",
            "implement.{0,5}auth",
            "o?uth",
            "x|",
        ] {
            assert!(matches_pattern(pattern, text), "{pattern}");
        }
        for pattern in ["When implementing authentication", "logout", "login*implement", "(auth*", "a.{9}{9"]
        {
            assert!(!matches_pattern(pattern, text), "{pattern}");
        }
    }

    #[test]
    fn title_words_are_counted_as_the_origin_splits_them() {
        assert_eq!(title_words("OAuth2 was too broad", "Add  OAuth to it"), 10.0);
        assert_eq!(title_words("abcd", "a b c d ab bc"), 20.0);
        assert_eq!(title_words("zzz", ""), 5.0, "an empty word is part of every title");
        assert_eq!(title_words("zzz", " a "), 10.0);
    }
}
