//! What a run taught, by rules alone: no model, the same answer every time.
//!
//! Two sources. What was *said*: sentences that tie something named (a path,
//! a flag, a limit) to a reason it will still matter tomorrow (a constraint, a
//! cause, a decision). And what was *done*: a command that failed until
//! something was changed. What holds only for this run (counts, durations,
//! ids, status, plans, small talk) is cut away first; a run that leaves nothing
//! teaches nothing.

mod anchors;
mod cues;
mod lesson;
mod prose;
mod recovery;
mod transient;

use jiff::Timestamp;

pub use self::lesson::{Lesson, Lore};
use self::prose::Unit;
use crate::proposal::Proposal;
use crate::run_record::{Run, Speaker, Step};
use crate::words::{Term, terms};

/// Most lessons of one run: more is a sign that the rules misread it.
const MOST: usize = 12;
/// Share of the smaller text's words from which two texts say the same.
const SAME: f32 = 0.6;
/// Share of a sentence's words that stand in an injected text from which it is an echo.
const ECHO: f32 = 0.7;

/// What a run taught, as proposals for admission, best first.
pub fn extract_offline(run: &Run, now: Timestamp) -> Vec<Proposal> {
    lessons(run).into_iter().map(|lesson| lesson.proposal(run, now)).collect()
}

/// What a run taught, best first.
pub fn lessons(run: &Run) -> Vec<Lesson> {
    if is_only_reading(run) {
        return Vec::new();
    }
    let rules = transient::Rules::new();
    let mut found = said(run, &rules);
    let told: Vec<Vec<Term>> = found.iter().map(|lesson| terms(&lesson.text)).collect();
    found.extend(recovery::lessons(run, &rules).into_iter().filter(|lesson| {
        let cure = terms(&lesson.cure);
        !told.iter().any(|told| share_of(&cure, told) >= SAME)
    }));
    let injected: Vec<Vec<Term>> = run.injected.iter().flat_map(|text| paragraphs(text)).collect();
    found.retain(|lesson| {
        let words = terms(&lesson.text);
        !injected.iter().any(|known| share_of(&words, known) >= ECHO)
    });
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    let mut kept = distinct(found);
    kept.truncate(MOST);
    kept
}

/// The names in a text that tie it to a project, each with whether it is a place or a command.
pub(crate) fn names_in(text: &str) -> Vec<(bool, String)> {
    use anchors::Sort;
    let place = |sort: Sort| matches!(sort, Sort::Path | Sort::Command | Sort::Flag);
    let told = |sort: Sort| place(sort) || matches!(sort, Sort::Name | Sort::Code);
    let names = anchors::anchors(text).into_iter().filter(|name| told(name.sort));
    names.map(|name| (place(name.sort), name.text)).collect()
}

/// A question that one look into one file answered: looking again is as cheap as remembering.
fn is_only_reading(run: &Run) -> bool {
    let mut read: Vec<&str> = Vec::new();
    let mut steps = 0;
    for step in &run.steps {
        match step {
            Step::Edit { .. } => return false,
            Step::Command { exit, .. } if exit.unwrap_or(0) != 0 => return false,
            Step::Command { .. } => steps += 1,
            Step::Read { file } => {
                steps += 1;
                if !read.contains(&file.as_str()) {
                    read.push(file);
                }
            }
            Step::Said { .. } => {}
        }
    }
    steps > 0 && read.len() <= 1 && steps <= 3
}

fn paragraphs(text: &str) -> Vec<Vec<Term>> {
    text.split("\n\n").map(terms).filter(|words| words.len() >= 4).collect()
}

/// Lessons from what was said: messages that end a turn, what the agent said on the way, a person's corrections.
fn said(run: &Run, rules: &transient::Rules) -> Vec<Lesson> {
    let mut found = Vec::new();
    let mut begun = false;
    for (at, step) in run.steps.iter().enumerate() {
        let Step::Said { by, text } = step else {
            begun = true;
            continue;
        };
        let sums_up = *by == Speaker::Agent && ends_a_turn(&run.steps[at + 1..]);
        let (units, bonus) = match by {
            Speaker::Person if begun => (prose::correction(text), 1.0),
            Speaker::Person => continue,
            Speaker::Agent if sums_up => (prose::units(text), 0.5),
            Speaker::Agent => (prose::remark(text), 0.0),
        };
        begun = true;
        found.extend(units.into_iter().filter_map(|unit| judged(unit, *by, bonus, rules)));
    }
    if !run.steps.iter().any(|step| matches!(step, Step::Said { by: Speaker::Agent, .. })) {
        let units = prose::units(&run.output);
        found.extend(units.into_iter().filter_map(|unit| judged(unit, Speaker::Agent, 0.5, rules)));
    }
    found
}

/// Whether nothing more was done before the person spoke again, or ever.
fn ends_a_turn(rest: &[Step]) -> bool {
    matches!(rest.first(), None | Some(Step::Said { by: Speaker::Person, .. }))
}

/// A unit of prose as a lesson, if it is one.
fn judged(unit: Unit, by: Speaker, bonus: f32, rules: &transient::Rules) -> Option<Lesson> {
    let text = rules.clean(&unit.text)?;
    let verdict = cues::judge(&text, by)?;
    let mut lesson = Lesson::from_prose(verdict.lore, text, verdict.strength + bonus, verdict.reason);
    lesson.by_person = by == Speaker::Person;
    Some(lesson)
}

/// Of lessons that say the same, the strongest; of equals, the one said last.
fn distinct(lessons: Vec<Lesson>) -> Vec<Lesson> {
    let mut kept: Vec<(Vec<Term>, Lesson)> = Vec::new();
    for lesson in lessons {
        let words = terms(&lesson.text);
        if !kept.iter().any(|(known, _)| share_of(&words, known).max(share_of(known, &words)) >= SAME) {
            kept.push((words, lesson));
        }
    }
    kept.into_iter().map(|(_, lesson)| lesson).collect()
}

/// The share of `words` that stands in `other`.
fn share_of(words: &[Term], other: &[Term]) -> f32 {
    if words.is_empty() {
        return 0.0;
    }
    let other: std::collections::HashSet<Term> = other.iter().copied().collect();
    words.iter().filter(|word| other.contains(word)).count() as f32 / words.len() as f32
}

#[cfg(test)]
mod tests;
