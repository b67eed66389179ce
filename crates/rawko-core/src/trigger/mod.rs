//! Whether a trigger calls its memory for this task, and how loudly.
//!
//! A trigger is compiled once into every way it could match: regular
//! expression, `|` alternatives, glob, substring, the words of a sentence. All
//! ways are tried, so that whatever an origin document's matcher takes is taken
//! here; what keeps that from being noise is the *strength* of a match, from 0
//! to 1. A specific pattern is strong, `fix|error` or `.*` weak, and so is `ci`
//! inside `special`.
//!
//! Nothing here can be slow: expressions run in linear time, have a size limit,
//! and draw on a counted [`Work`] allowance. When that is used up, triggers are
//! still tried as text and words. Before a prompt only those triggers are
//! compiled whose [`literals`] the [`TaskText`] may hold.
//!
//! Meaning beyond shared words is not here: see [`Compiled::natural`].

mod check;
mod literals;
mod path;
mod pattern;
mod script;
mod text;
mod words;

#[cfg(test)]
mod tests;

pub use crate::trigger::check::{USEFUL, breadth, examples, problem};
pub(crate) use crate::trigger::literals::required;
pub use crate::trigger::literals::{ENOUGH_SHARE, Literals, literals};
#[cfg(test)]
pub(crate) use crate::trigger::text::fold;
pub(crate) use crate::trigger::text::head_and_tail;
pub use crate::trigger::text::{OTHER_BYTES, Place, TASK_BYTES, TaskText};
pub use crate::trigger::words::Rarity;

use crate::entry::Trigger;
use crate::task::TaskContext;
use crate::trigger::pattern::{Expression, Expressions, Unit};
use crate::trigger::text::Part;
use crate::trigger::words::{Present, present, worth_of_literal};
use crate::words::is_sign;

/// Share of a sentence, by worth, that a text must hold in two words or more.
const ENOUGH_WORDS: f32 = 0.5;
/// The same for one word alone: the others must say little.
const ENOUGH_IN_ONE_WORD: f32 = 0.7;
/// Strength of a match that says nothing: an empty alternative, `.*`.
const NOTHING_SAID: f32 = 0.02;
/// Strength of a match of classes and wildcards alone.
const SHAPE: f32 = 0.25;
/// What compiling a trigger costs, in units of [`Work`].
const COMPILING: u64 = 1000;
/// Bytes of a text in which literals are still looked for once the allowance is used up.
const SPENT_READS: usize = 4096;
/// Bytes between an expression's first and last letter beyond which they hardly belong together.
const LONG_SPAN: usize = 200;

/// Which form of a trigger matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// As a regular expression.
    Regex,
    /// One of several `|` alternatives, as a substring.
    Alternative,
    /// As a glob.
    Glob,
    /// As a plain substring.
    Substring,
    /// By the content words of a sentence.
    Words,
    /// A `path` trigger on a file in play.
    Path,
    /// A `command` trigger on the command about to run.
    Command,
    /// An `error` trigger on the error text.
    Error,
}

/// How a trigger matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Which form.
    pub form: Form,
    /// Where.
    pub place: Place,
    /// How much the match says, from 0 to 1.
    pub strength: f32,
    /// The alternative that matched, as written.
    pub by: String,
}

/// How much expressions may still do for one task; a unit is some 20 ns.
///
/// The default allows hundreds of expressions on an ordinary task and a dozen
/// on the longest, within a tenth of a second either way.
#[derive(Clone, Debug)]
pub struct Work {
    left: u64,
}

impl Default for Work {
    fn default() -> Self {
        Self { left: 5_000_000 }
    }
}

impl Work {
    /// Whether an expression was skipped, or would be, for want of allowance.
    pub fn is_used_up(&self) -> bool {
        self.left == 0
    }

    fn spend(&mut self, amount: u64) -> bool {
        let enough = amount <= self.left;
        self.left = if enough { self.left - amount } else { 0 };
        enough
    }
}

/// A trigger, ready to match any number of tasks.
#[derive(Debug)]
pub struct Compiled {
    text: String,
    how: How,
}

#[derive(Debug)]
enum How {
    /// Looks at all texts, or at one alone.
    Units(Vec<Unit>, Option<(Place, Form)>),
    /// Looks at the files in play.
    Path(Option<regex_lite::Regex>),
}

/// Decides once how `trigger` can match. Never fails: what is no pattern is text.
pub fn compile(trigger: &Trigger) -> Compiled {
    let (text, how) = match trigger {
        Trigger::Text(text) | Trigger::Pattern(text) => (text, How::Units(pattern::units(text), None)),
        Trigger::Command(text) => {
            (text, How::Units(pattern::units(text), Some((Place::Command, Form::Command))))
        }
        Trigger::Error(text) => (text, How::Units(pattern::units(text), Some((Place::Error, Form::Error)))),
        Trigger::Path(glob) => {
            (glob, How::Path(pattern::build(&path::to_regex(glob)).ok().map(|built| built.0)))
        }
    };
    Compiled { text: text.clone(), how }
}

/// As [`compile`], charged to `work`; once that is used up, patterns are taken as text and words alone.
pub fn compile_within(trigger: &Trigger, work: &mut Work) -> Compiled {
    if work.spend(COMPILING) {
        return compile(trigger);
    }
    let plain = |text: &str, only| Compiled {
        text: text.to_owned(),
        how: How::Units(pattern::units_with(text, 0), only),
    };
    match trigger {
        Trigger::Text(text) | Trigger::Pattern(text) => plain(text, None),
        Trigger::Command(text) => plain(text, Some((Place::Command, Form::Command))),
        Trigger::Error(text) => plain(text, Some((Place::Error, Form::Error))),
        Trigger::Path(glob) => Compiled { text: glob.clone(), how: How::Path(None) },
    }
}

impl Compiled {
    /// Matches one task; for many triggers prepare a [`TaskText`] and use [`Self::matches_text`].
    pub fn matches(&self, task: &TaskContext) -> Option<Match> {
        self.matches_text(&TaskText::new(task), None, &mut Work::default())
    }

    /// The strongest match in a prepared task, with how rare stems are, where known, and within `work`.
    pub fn matches_text(&self, text: &TaskText, rarity: Option<Rarity>, work: &mut Work) -> Option<Match> {
        match &self.how {
            How::Path(glob) => self.matches_file(glob.as_ref(), text),
            How::Units(units, only) => {
                let alone = units.len() == 1;
                let mut best: Option<Match> = None;
                for part in text.parts.iter().filter(|part| looks_at(*only, part.place)) {
                    let mut ask = Ask { part, rarity, work, alone, bound: only.is_some() };
                    for unit in units {
                        let reached = best.as_ref().map_or(0.0, |best| best.strength);
                        if reached >= part.place.weight() {
                            break;
                        }
                        let Some((form, strength)) = ask.unit(unit) else { continue };
                        let strength = (strength * part.place.weight()).clamp(NOTHING_SAID / 4.0, 1.0);
                        if strength > reached {
                            let form = only.map_or(form, |(_, form)| form);
                            best = Some(Match { form, place: part.place, strength, by: unit.source.clone() });
                        }
                    }
                }
                best
            }
        }
    }

    fn matches_file(&self, glob: Option<&regex_lite::Regex>, text: &TaskText) -> Option<Match> {
        let folded = text::fold(pattern::trim(&self.text));
        let hit = |file: &String| glob.map_or(*file == folded, |glob| glob.is_match(file));
        text.files.iter().any(hit).then(|| Match {
            form: Form::Path,
            place: Place::Files,
            strength: path::worth(&self.text),
            by: self.text.clone(),
        })
    }

    /// The trigger's text where it reads as language, for whoever compares meaning.
    pub fn natural(&self) -> Option<&str> {
        match &self.how {
            How::Units(units, None) if units.len() == 1 && !units[0].words.is_empty() => {
                Some(self.text.trim())
            }
            _ => None,
        }
    }

    /// The stems of the content words of all alternatives that read as language.
    pub fn words(&self) -> Vec<&str> {
        match &self.how {
            How::Units(units, _) => units.iter().flat_map(|unit| &unit.words).map(String::as_str).collect(),
            How::Path(_) => Vec::new(),
        }
    }
}

/// A bare trigger looks at all that is said of the task, a typed one at its own text alone.
fn looks_at(only: Option<(Place, Form)>, place: Place) -> bool {
    match only {
        Some((own, _)) => own == place,
        None => !matches!(place, Place::Command | Place::Error),
    }
}

/// One text asked about one trigger.
struct Ask<'a> {
    part: &'a Part,
    rarity: Option<Rarity<'a>>,
    work: &'a mut Work,
    /// Whether the trigger has but one alternative.
    alone: bool,
    /// Whether it looks at this text alone: whoever binds a trigger to commands or errors means the word that it
    /// names, however common that is elsewhere.
    bound: bool,
}

impl Ask<'_> {
    /// The strongest way in which `unit` matches.
    fn unit(&mut self, unit: &Unit) -> Option<(Form, f32)> {
        let literal = self.literal(&unit.literal).map(|strength| match unit.fragment {
            true => (Form::Alternative, strength * 0.3),
            false if self.alone => (Form::Substring, strength),
            false => (Form::Alternative, strength),
        });
        let mut best = literal;
        let mut offer = |form: Form, strength: Option<f32>| {
            if let Some(strength) = strength
                && best.is_none_or(|(_, reached)| strength > reached)
            {
                best = Some((form, strength));
            }
        };
        if literal.is_none_or(|(_, strength)| strength < 0.9) {
            if self.may_match(&unit.expressions) {
                offer(Form::Regex, unit.expressions.regex().and_then(|regex| self.expression(regex)));
                offer(
                    Form::Glob,
                    unit.expressions.glob().and_then(|glob| Some(self.expression(glob)? * 0.9)),
                );
            }
            offer(Form::Words, self.words(&unit.words));
        }
        best
    }

    /// The strength of a substring: what it says, at its best place.
    fn literal(&mut self, literal: &str) -> Option<f32> {
        if literal.is_empty() {
            return Some(NOTHING_SAID);
        }
        let text = match self.part.text.as_str() {
            text if self.work.spend(text.len() as u64 / 64) => text,
            text => &text[..text.floor_char_boundary(SPENT_READS)],
        };
        let mut places = text.match_indices(literal).map(|(at, _)| at).take(16).peekable();
        places.peek()?;
        let names = self.bound && literal.contains(char::is_alphanumeric);
        if names && places.clone().any(|at| is_whole(text, at, literal.len())) {
            return Some(1.0);
        }
        let fit = places.map(|at| fit(text, at, literal.len())).reduce(f32::max)?;
        Some(worth_of_literal(literal, self.rarity) * fit)
    }

    /// Whether an alternative's expressions are worth compiling.
    fn may_match(&mut self, expressions: &Expressions) -> bool {
        let text = &self.part.text;
        !expressions.is_empty() && self.work.spend(text.len() as u64 / 64) && expressions.may_match(text)
    }

    /// The strength of an expression: what the letters it names say, where it matched.
    fn expression(&mut self, expression: &Expression) -> Option<f32> {
        let text = &self.part.text;
        if !self.work.spend(expression.cost * text.len().min(expression.reads) as u64) {
            return None;
        }
        let found = find(expression, text, self.part.own)?;
        let names = self.bound && expression.runs.iter().any(|run| run.contains(char::is_alphanumeric));
        if names && !expression.approximate && is_whole(text, found.start(), found.len()) {
            return Some(1.0);
        }
        let (mut silence, mut named) = (1.0, 0);
        for run in &expression.runs {
            let here = found.as_str().match_indices(run.as_str()).take(4);
            let fits = here.map(|(at, _)| fit(text, found.start() + at, run.len()));
            let Some(fit) = fits.reduce(f32::max) else { continue };
            named += run.len();
            silence *= 1.0 - worth_of_literal(run, self.rarity) * fit;
        }
        // `30[127]` names nearly all of what it found: it says as much as `301` would.
        if named < found.len() && named * 2 > found.len() {
            let fit = fit(text, found.start(), found.len());
            silence = silence.min(1.0 - worth_of_literal(found.as_str(), self.rarity) * fit);
        }
        let said: f32 = match 1.0 - silence {
            said if said > 0.0 => said,
            // Only classes and wildcards matched: a shape at best.
            _ if found.len() < 3 || found.len() * 2 >= text.len() => NOTHING_SAID,
            _ => SHAPE,
        };
        let said = if found.len() > LONG_SPAN { said * 0.7 } else { said };
        Some(if expression.approximate { said.min(0.15) } else { said })
    }

    /// The strength of a sentence whose words, or enough of them, stand together.
    fn words(&self, stems: &[String]) -> Option<f32> {
        let Present { count, share, said } = present(stems, self.part, self.rarity);
        let enough = match (self.alone, count) {
            (_, 0) => false,
            (true, 1) => share >= ENOUGH_IN_ONE_WORD,
            (true, _) => share >= ENOUGH_WORDS,
            (false, _) => count == stems.len(),
        };
        enough.then_some(0.9 * share * share * said)
    }
}

/// The first match in a text, or in the head and then the tail of one too long to read whole.
///
/// `own` is where the agent's name begins: an expression may end there as well as at the very end.
fn find<'a>(expression: &Expression, text: &'a str, own: usize) -> Option<regex_lite::Match<'a>> {
    let Expression { regex, anchored_at_end, reads, .. } = expression;
    if text.len() <= *reads {
        let without_agent = || regex.find(&text[..own]).filter(|_| *anchored_at_end);
        return regex.find(text).or_else(without_agent);
    }
    let head = &text[..text.floor_char_boundary(reads / 4 * 3)];
    let tail = text.ceil_char_boundary(text.len() - reads / 4);
    regex.find(head).filter(|_| !anchored_at_end).or_else(|| regex.find_at(text, tail))
}

/// How well a hit fits the words around it: whole words fully, short pieces of other words hardly.
fn fit(text: &str, at: usize, len: usize) -> f32 {
    let (runs_in, runs_on) = runs(text, at, len);
    match (runs_in, runs_on, len) {
        (false, false, _) => 1.0,
        (false, true, 4..) => 0.9,
        (false, true, 3) => 0.5,
        (true, _, 6..) => 0.7,
        (true, _, 4..) => 0.4,
        (false, true, _) => 0.2,
        (true, _, _) => 0.1,
    }
}

/// Whether a hit is no piece of another word; a version behind it is none (`python` in `python3`), an option is one
/// (`rm` in `--rm`).
fn is_whole(text: &str, at: usize, len: usize) -> bool {
    let (runs_in, runs_on) = runs(text, at, len);
    let dashes = text[..at].trim_end_matches('-');
    let is_option = dashes.len() < at && (dashes.is_empty() || dashes.ends_with(char::is_whitespace));
    let is_version = || text[at + len..].starts_with(|c: char| c.is_ascii_digit());
    !runs_in
        && !is_option
        && (!runs_on || is_version() && !text[..at + len].ends_with(|c: char| c.is_ascii_digit()))
}

/// Whether the word at a hit's start began before it, and whether the one at its end goes on behind it.
fn runs(text: &str, at: usize, len: usize) -> (bool, bool) {
    // Signs stand side by side: nothing tells where a word of theirs ends.
    let is_letter = |c: char| c.is_alphanumeric() && !is_sign(c);
    let inner = |a: Option<char>, b: Option<char>| a.is_some_and(is_letter) && b.is_some_and(is_letter);
    let (before, hit, after) = (&text[..at], &text[at..at + len], &text[at + len..]);
    (
        inner(before.chars().next_back(), hit.chars().next()),
        inner(hit.chars().next_back(), after.chars().next()),
    )
}
