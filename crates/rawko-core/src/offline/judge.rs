//! Whether a text is worth remembering, and as what: cues that name a reason, anchors that name a thing.
//!
//! A strength is a sum of small numbers, each for one sign; one threshold
//! decides. What is named matters as much as what is said of it, because a rule
//! about nothing in particular is advice, and a name without a rule is a mention.

use super::anchors::{Anchor, Sort, anchors, proper_names, with_names_blanked};
use super::cues::{
    CALLED, CAUSE, COMMAND, CONDITION, Cue, DECISION, DOUBT, FAILURE, NORM, ORDER, STRUCTURE, has,
};
use super::lesson::Lore;
use super::talk::tells_an_act;
use crate::run_record::Speaker;

/// What a text is worth.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) lore: Lore,
    pub(crate) strength: f32,
    pub(crate) reason: String,
}

/// Where in a run a text was said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'t> {
    /// Who said it.
    pub(crate) by: Speaker,
    /// It ends a turn: what is said there is meant to be kept.
    pub(crate) sums_up: bool,
    /// It stands between a command that failed and a change: it says why.
    pub(crate) explains: bool,
    /// The heading or the line above it.
    pub(crate) under: &'t str,
}

/// Strength from which a text is a lesson.
const ENOUGH: f32 = 2.7;
/// Most words of a lesson's text.
const WORDS: usize = 120;

/// Judges a text; `None` where it is not worth remembering.
pub(crate) fn judge(text: &str, place: Place<'_>) -> Option<Verdict> {
    let count = text.split_whitespace().count();
    if !(5..=WORDS).contains(&count) || text.trim_end().ends_with('?') {
        return None;
    }
    let blank = with_names_blanked(text);
    let lower = format!(" {} ", blank.to_lowercase());
    let under = format!(" {} ", place.under.to_lowercase());
    let names = anchors(text);
    let hits = |cue: &Cue| cue.worth_in(&lower).max(cue.worth_in(&under));
    let (norm, failure, order) = (hits(&NORM), hits(&FAILURE), hits(&ORDER));
    let cause = hits(&CAUSE).max(CONDITION.worth_in(&lower));
    let mut decision =
        hits(&DECISION).max(if has(&lower, ", not") || has(&lower, "and not") { 1.2 } else { 0.0 });
    if decision > 0.0 && cause == 0.0 && lower.contains(": ") {
        // "We keep X and leave Y: two people run it all" gives its reason behind the colon.
        decision += 0.5;
    }
    let is = |sort: Sort| names.iter().any(|name| name.sort == sort);
    let mut structure = hits(&STRUCTURE);
    if !is(Sort::Path) && names.len() < 2 {
        structure *= 0.5;
    }
    let tells = if tells_of_a_name(&lower) { 0.8 } else { 0.0 };
    let runs = is(Sort::Command) || is(Sort::Flag) || names.iter().any(|name| name.text.contains('='));
    let called = if is(Sort::Command) { CALLED.worth_in(&lower) } else { 0.0 };
    let command = if runs { COMMAND.worth_in(&lower).max(called) } else { 0.0 };
    let named = (names.len() as f32 * 0.7 + proper_names(text) as f32 * 0.35).min(2.1);
    let person = place.by == Speaker::Person;
    let doubt = if DOUBT.iter().any(|word| has(&lower, word)) { 1.5 } else { 0.0 };
    let act = if !tells_an_act(text) {
        0.0
    } else if cause.max(decision) >= 1.4 {
        1.0
    } else {
        2.0
    };
    let stands = [(person, 1.0), (place.explains, 0.7), (place.sums_up, 0.4)];
    let stands: f32 = stands.iter().filter(|(so, _)| *so).map(|(_, worth)| worth).sum();
    let strength = named + norm + cause + failure + decision + structure + order + command + tells + stands
        - doubt
        - act;
    let stated = if person { tells + failure } else { 0.0 };
    let explained = if place.explains { failure } else { 0.0 };
    let ordered = if place.sums_up && is_sequence(&lower) { order } else { 0.0 };
    // "What did not work: `x` (the tool ignores it)": a dead end, with its reason in brackets or behind a colon.
    let dead_end = if place.sums_up && names.len() >= 2 && text.contains(['(', ':']) { failure } else { 0.0 };
    let reasons = norm + cause + decision + command + structure + stated + explained + ordered + dead_end;
    let is_named = named > 0.0 || (person && count >= 6);
    if strength < ENOUGH || reasons < 0.8 || !is_named {
        return None;
    }
    let scores = [
        (norm, Lore::Constraint),
        (decision, Lore::Decision),
        (command, Lore::Command),
        (structure, Lore::Structure),
        (order, Lore::Pattern),
    ];
    let lore = lore(&scores, failure > 0.0 && cause > 0.0 && norm == 0.0, &names);
    let reason = reason(&[
        (norm, &NORM),
        (cause, &CAUSE),
        (failure, &FAILURE),
        (decision, &DECISION),
        (structure, &STRUCTURE),
        (command, &COMMAND),
    ]);
    Some(Verdict { lore, strength, reason })
}

/// An order that is told for its own sake, not only when something happened.
fn is_sequence(lower: &str) -> bool {
    ["order", "then", "in step", "together with"].iter().any(|word| has(lower, word))
}

fn lore(scores: &[(f32, Lore)], failed_for_a_cause: bool, names: &[Anchor]) -> Lore {
    if failed_for_a_cause {
        return Lore::Failure;
    }
    let best = scores.iter().copied().reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((worth, Lore::Constraint))
            if worth > 0.0 && names.iter().any(|name| name.sort == Sort::Version) =>
        {
            Lore::Version
        }
        Some((worth, lore)) if worth > 0.0 => lore,
        _ => Lore::Pattern,
    }
}

fn reason(cues: &[(f32, &Cue)]) -> String {
    let names: Vec<&str> = cues.iter().filter(|(worth, _)| *worth > 0.0).map(|(_, cue)| cue.name).collect();
    names.join(", ")
}

/// Whether something is said of a named thing in the present: `# reads`, `# is written`.
fn tells_of_a_name(blank: &str) -> bool {
    let mut words = blank.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let Some(next) = words.peek().filter(|_| word.ends_with('#')) else { continue };
        let verb = next.trim_end_matches([',', '.', ';']);
        let present = verb.len() >= 4 && verb.ends_with('s') && verb.chars().all(|c| c.is_ascii_lowercase());
        if present || matches!(verb, "is" | "are" | "has" | "have") {
            return true;
        }
    }
    false
}
