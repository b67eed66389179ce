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
mod denied;
mod given;
mod joined;
mod judge;
mod lesson;
mod occasions;
mod pointing;
mod prose;
mod recovery;
mod refuted;
mod stand;
mod talk;
mod transient;
mod wishes;

use std::collections::HashSet;

use jiff::Timestamp;

pub use self::denied::{CLAIMED, Denial, Reply, STORED, Told, correction, replies};
pub use self::given::Given;
use self::judge::{Place, Verdict};
pub use self::lesson::{Lesson, Lore};
pub use self::occasions::occasions;
use self::prose::Unit;
use self::refuted::Taken;
pub use self::wishes::{LENIENCE, is_persons, said_examples, wished, wishes};
use crate::proposal::Proposal;
use crate::run_record::{Run, Speaker, Step};
use crate::words::{Term, terms};

/// Most lessons of one run: more is a sign that the rules misread it.
const MOST: usize = 12;
/// Share of the smaller text's words from which two texts say the same.
const SAME: f32 = 0.6;
/// The same from which several texts say all of one.
const WHOLE: f32 = 0.8;
/// Share of a sentence's words that stand in an injected text from which it is an echo.
const ECHO: f32 = 0.7;

/// Strength from which a line under "what I did" is more than a report.
const CHANGED: f32 = 4.0;
/// Strength from which a sentence is a lesson apart from those around it.
const FIRM: f32 = 3.2;
/// Strength that is wanted where little is to be expected: of a remark if the run was summed up well, of a short run
/// without trouble.
const REMARKABLE: f32 = 3.7;
/// Share of a remark's words that a summary repeats.
const REPEATED: f32 = 0.45;
/// Most bytes of what was said that are listened to, from the end.
const HEARD: usize = 256 * 1024;
/// Most lessons of one run that are compared with each other.
const COMPARED: usize = 300;
/// Most lessons that a later message can take back.
const TAKEN: usize = 40;
/// Most words of an answer that is no more than an answer.
const BRIEF: usize = 45;
/// So many steps before and after a remark tell what it is about.
const LOOK_BACK: usize = 4;

/// What a run taught, as proposals for admission, best first.
pub fn extract_offline(run: &Run, now: Timestamp) -> Vec<Proposal> {
    lessons(run).into_iter().map(|lesson| lesson.proposal(run, now)).collect()
}

/// What a run taught, best first.
pub fn lessons(run: &Run) -> Vec<Lesson> {
    let rules = transient::Rules::new();
    let injected = run.injected.iter().flat_map(|text| paragraphs(text)).collect();
    let hearing = Hearing { rules: &rules, injected };
    let stands = denied::without_denied(run);
    let mut found = if is_only_reading(run) { Vec::new() } else { heard(&stands, &hearing) };
    // What a person wishes to be kept needs no further sign, and no summary takes its place.
    let wishes = wishes::lessons(run).into_iter().filter(|lesson| !hearing.is_echo(&lesson.text));
    let wishes: Vec<Lesson> = wishes.collect();
    found.retain(|lesson| !is_told_by(lesson, &wishes));
    found.extend(wishes);
    strongest(&mut found);
    let mut kept = distinct(found);
    kept.sort_by(|a, b| b.by_person.cmp(&a.by_person).then(b.strength.total_cmp(&a.strength)));
    kept.truncate(MOST);
    kept.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    kept
}

/// Whether what a person said in one breath is told by several wishes, and hardly more is said in it: each stands alone.
fn is_told_by(lesson: &Lesson, wishes: &[Lesson]) -> bool {
    let words = terms(&lesson.text);
    let own = set(&words);
    let parts = wishes.iter().map(|wish| terms(&wish.text)).filter(|wish| wishes::is_same(wish, &own));
    let parts: Vec<Vec<Term>> = parts.collect();
    lesson.by_person && parts.len() > 1 && share_of(&words, &set(&parts.concat())) >= WHOLE
}

/// What was said and done in a run that lasts by what it says.
fn heard(run: &Run, hearing: &Hearing<'_>) -> Vec<Lesson> {
    let mut found = said(run, hearing);
    strongest(&mut found);
    let told: Vec<HashSet<Term>> = found.iter().map(|lesson| set(&terms(&lesson.text))).collect();
    found.extend(recovery::lessons(run, hearing.rules).into_iter().filter(|lesson| {
        let cure = terms(&lesson.cure);
        !told.iter().any(|told| share_of(&cure, told) >= SAME)
    }));
    found.retain(|lesson| !hearing.is_echo(&lesson.text));
    if is_smooth(run) {
        found.retain(|lesson| lesson.strength >= REMARKABLE);
    }
    // Who sums up well repeats what mattered.
    if found.iter().filter(|lesson| lesson.sums_up).count() >= 2 {
        found.retain(|lesson| lesson.is_meant() || lesson.strength >= REMARKABLE);
    }
    found
}

/// Puts what was meant to be kept first, the strongest first, and leaves no more than can be compared with each other.
fn strongest(found: &mut Vec<Lesson>) {
    found.sort_by(|a, b| b.is_meant().cmp(&a.is_meant()).then(b.strength.total_cmp(&a.strength)));
    found.truncate(COMPARED);
}

/// The names in a text that tie it to a project, each with whether it is a place or a command.
pub(crate) fn names_in(text: &str) -> Vec<(bool, String)> {
    use anchors::Sort;
    let place = |sort: Sort| matches!(sort, Sort::Path | Sort::Command | Sort::Flag);
    let told = |sort: Sort| place(sort) || matches!(sort, Sort::Name | Sort::Code);
    let names = anchors::anchors(text).into_iter().filter(|name| told(name.sort));
    names.map(|name| (place(name.sort), name.text)).collect()
}

/// A question that a short look answered: looking again is as cheap as remembering.
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
    let brief = run.output.split_whitespace().count() <= BRIEF && talk::is_question(&run.task);
    steps > 0 && ((read.len() <= 1 && steps <= 3) || (brief && steps <= 6))
}

/// A short run in which nothing failed and nobody objected: what is said of it is mostly what was done.
fn is_smooth(run: &Run) -> bool {
    let acts = run.steps.iter().filter(|step| !matches!(step, Step::Said { .. })).count();
    let failed = |step: &Step| matches!(step, Step::Command { exit, .. } if exit.unwrap_or(0) != 0);
    let asked = |step: &&Step| matches!(step, Step::Said { by: Speaker::Person, .. });
    (1..=6).contains(&acts) && !run.steps.iter().any(failed) && run.steps.iter().filter(asked).count() <= 1
}

fn paragraphs(text: &str) -> Vec<HashSet<Term>> {
    text.split("\n\n").map(|text| set(&terms(text))).filter(|words| words.len() >= 4).collect()
}

/// Lessons from what was said: messages that end a turn, what the agent said on the way, a person's corrections.
fn said(run: &Run, hearing: &Hearing<'_>) -> Vec<Lesson> {
    let mut found = Vec::new();
    let (mut begun, mut asked, mut last) = (false, false, 0);
    let unheard = unheard(&run.steps);
    let ear = wishes::Ear::new();
    for (at, step) in run.steps.iter().enumerate() {
        let Step::Said { by, text } = step else {
            begun = true;
            continue;
        };
        if at < unheard {
            begun = true;
            continue;
        }
        let sums_up = *by == Speaker::Agent && ends_a_turn(&run.steps[at + 1..]);
        let explains = *by == Speaker::Agent && explains_a_failure(&run.steps, at);
        let units = match by {
            Speaker::Person if begun || asked => ear.without_passing(prose::correction(text)),
            // What is said first is the task.
            Speaker::Person => {
                asked = true;
                continue;
            }
            Speaker::Agent if sums_up => prose::units(text),
            Speaker::Agent => prose::remark(text),
        };
        begun = true;
        if *by == Speaker::Agent {
            take_back(&mut found, &refuted::taken_back(text), last);
            last = found.len();
        }
        let place = Place { by: *by, sums_up, explains, under: "" };
        found.extend(units.iter().flat_map(|unit| hearing.lessons(unit, place)));
    }
    if !run.steps.iter().any(|step| matches!(step, Step::Said { by: Speaker::Agent, .. })) {
        let place = Place { by: Speaker::Agent, sums_up: true, explains: false, under: "" };
        found.extend(prose::units(&run.output).iter().flat_map(|unit| hearing.lessons(unit, place)));
    }
    found
}

/// How many first steps are passed over, because more was said than is listened to.
fn unheard(steps: &[Step]) -> usize {
    let mut left = HEARD;
    let first = steps.iter().rposition(|step| {
        let Step::Said { text, .. } = step else { return false };
        let full = text.len() > left;
        left = left.saturating_sub(text.len());
        full
    });
    first.map_or(0, |at| at + 1)
}

/// Drops what was said on the way and is taken back now; `last` is where the last remark's lessons begin.
fn take_back(found: &mut Vec<Lesson>, taken: &[Taken], last: usize) {
    if taken.is_empty() {
        return;
    }
    let recent = found.split_off(found.len().saturating_sub(TAKEN));
    let start = found.len();
    let stays = |at: usize, lesson: &Lesson| {
        let lower = lesson.text.to_lowercase();
        lesson.is_meant()
            || !taken.iter().any(|taken| match taken {
                Taken::Last => start + at >= last,
                Taken::About(names) => names.iter().any(|name| cues::has(&lower, name)),
            })
    };
    found.extend(
        recent.into_iter().enumerate().filter(|(at, lesson)| stays(*at, lesson)).map(|(_, lesson)| lesson),
    );
}

/// Whether nothing more was done before the person spoke again, or ever.
fn ends_a_turn(rest: &[Step]) -> bool {
    matches!(rest.first(), None | Some(Step::Said { by: Speaker::Person, .. }))
}

/// Whether a remark stands between a command that failed and the change that follows.
fn explains_a_failure(steps: &[Step], at: usize) -> bool {
    let failed = steps[..at].iter().rev().take(LOOK_BACK).any(|step| match step {
        Step::Command { exit, .. } => exit.unwrap_or(0) != 0,
        _ => false,
    });
    let changed = steps[at + 1..].iter().take(LOOK_BACK).any(|step| matches!(step, Step::Edit { .. }));
    failed && changed
}

/// What is needed to hear a lesson in what was said.
struct Hearing<'r> {
    rules: &'r transient::Rules,
    /// What was put into the prompt, paragraph by paragraph.
    injected: Vec<HashSet<Term>>,
}

impl Hearing<'_> {
    /// The lessons in a unit of prose: none, one, or one for each part that stands on its own.
    fn lessons(&self, unit: &Unit, place: Place<'_>) -> Vec<Lesson> {
        let place = Place { under: &unit.under, ..place };
        let Some(text) = self.rules.clean(&unit.text, |sentence| self.is_echo(sentence)) else {
            return Vec::new();
        };
        let least = if unit.done { CHANGED } else { 0.0 };
        let heard = |text: &str| judge::judge(text, place).filter(|verdict| verdict.strength >= least);
        // A remark between two acts is about one thing; a summary tells several.
        let firm = |part: &str| heard(part).is_some_and(|verdict| verdict.strength >= FIRM);
        let parts =
            if place.sums_up || place.by == Speaker::Person { stand::parts(&text, firm) } else { vec![text] };
        parts.into_iter().filter_map(|part| Some(self.lesson(heard(&part)?, part, place))).collect()
    }

    fn lesson(&self, verdict: Verdict, text: String, place: Place<'_>) -> Lesson {
        let text = match place.by {
            Speaker::Person => denied::without_no(&text).to_owned(),
            Speaker::Agent => text,
        };
        let mut lesson = Lesson::from_prose(verdict.lore, text, verdict.strength, verdict.reason);
        lesson.by_person = place.by == Speaker::Person;
        lesson.sums_up = place.sums_up;
        lesson
    }

    fn is_echo(&self, text: &str) -> bool {
        if self.injected.is_empty() {
            return false;
        }
        let words = terms(text);
        self.injected.iter().any(|known| share_of(&words, known) >= ECHO)
    }
}

/// Of lessons that say the same, the first: what was summed up or corrected comes before what was said on the way.
fn distinct(lessons: Vec<Lesson>) -> Vec<Lesson> {
    let mut kept: Vec<(Vec<Term>, HashSet<Term>, Lesson)> = Vec::new();
    for lesson in lessons {
        let words = terms(&lesson.text);
        let own = set(&words);
        let is_same = |(known, other_set, other): &(Vec<Term>, HashSet<Term>, Lesson)| {
            let told = (other.is_meant() && !lesson.is_meant()) || !lesson.cure.is_empty();
            if told {
                return share_of(&words, other_set).max(share_of(known, &own)) >= REPEATED;
            }
            wishes::is_same(&words, other_set) || wishes::is_same(known, &own)
        };
        if !kept.iter().any(is_same) {
            kept.push((words, own, lesson));
        }
    }
    kept.into_iter().map(|(.., lesson)| lesson).collect()
}

/// The share of `words` that stands in `other`.
fn share_of(words: &[Term], other: &HashSet<Term>) -> f32 {
    if words.is_empty() {
        return 0.0;
    }
    words.iter().filter(|word| other.contains(word)).count() as f32 / words.len() as f32
}

fn set(words: &[Term]) -> HashSet<Term> {
    words.iter().copied().collect()
}

#[cfg(test)]
mod tests;
