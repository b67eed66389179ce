//! What an agent did in one run, whatever host it ran on.
//!
//! Every transcript reader produces the same [`Run`], so whoever learns from
//! runs knows one form. A run is bounded whatever its input was: long texts
//! keep their head, their tail and the lines that speak of errors, and of too
//! many steps the first and the newest stay.

use std::collections::{HashSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::lineage::{Surroundings, is_fetching};
use crate::sample::windows;
use crate::spoken::{apart, is_by_machine};

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunResult {
    /// The task was done.
    #[default]
    Success,
    /// It was not.
    Failure,
    /// Some of it was.
    Partial,
}

/// Whose words a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The person who gave the task.
    Person,
    /// The agent.
    Agent,
}

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "step")]
pub enum Step {
    /// Somebody said something.
    Said {
        /// Who.
        by: Speaker,
        /// What.
        text: String,
    },
    /// A command ran.
    Command {
        /// The command line.
        command: String,
        /// Its exit code; `None` where the host does not tell.
        exit: Option<i32>,
        /// What it printed, shortened.
        output: String,
    },
    /// A file was changed.
    Edit {
        /// The file, relative to the project where that is known.
        file: String,
        /// The text that went, shortened; empty for a new file.
        before: String,
        /// The text that came, shortened.
        after: String,
    },
    /// A file was read.
    Read {
        /// The file.
        file: String,
    },
}

/// What an agent did in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The agent's name.
    pub agent: String,
    /// What it was asked to do.
    pub task: String,
    /// Its last message.
    pub output: String,
    /// How the run ended.
    pub result: RunResult,
    /// The error it ended with.
    pub error: Option<String>,
    /// What happened, oldest first.
    pub steps: Vec<Step>,
    /// What rawko or another hook put into the prompt: nobody learned it in this run.
    pub injected: Vec<String>,
    /// The host's name for the session.
    pub session: Option<String>,
    /// Somebody else's words reached the agent: a page, a foreign tool.
    pub strangers: bool,
    /// An agent asked for it: nobody's words in it are a person's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_for_agent: bool,
    /// What tools showed that is no step of its own: files, findings, the rest of a long output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<String>,
    /// What tools showed that nobody wrote for this repository: dependencies, files elsewhere, logs, databases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
}

impl Run {
    /// The run of an agent that another agent sent: what it was told is no person's word.
    pub fn of_sub_agent(mut self) -> Self {
        self.steps.retain(|step| !matches!(step, Step::Said { by: Speaker::Person, .. }));
        Self { is_for_agent: true, ..self }
    }

    /// This run and the one after it, as one: it ends as the later one did.
    pub fn then(self, later: Self) -> Self {
        let said = |by: Self| {
            let is_told =
                by.output.is_empty() || by.steps.iter().any(|step| matches!(step, Step::Said { .. }));
            let output = (!is_told).then_some(Step::Said { by: Speaker::Agent, text: by.output });
            by.steps.into_iter().chain(output)
        };
        let (injected, heard) =
            ([self.injected.clone(), later.injected.clone()], [self.heard.clone(), later.heard.clone()]);
        Self {
            injected: injected.concat(),
            heard: heard.concat(),
            strangers: self.strangers || later.strangers,
            steps: said(self).chain(said(later.clone())).collect(),
            ..later
        }
    }

    /// The same run with every text changed by `change`: for what must leave all of them alike.
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let step = |step: &Step| match step {
            Step::Said { by, text } => Step::Said { by: *by, text: change(text) },
            Step::Command { command, exit, output } => {
                Step::Command { command: change(command), exit: *exit, output: change(output) }
            }
            Step::Edit { file, before, after } => {
                Step::Edit { file: change(file), before: change(before), after: change(after) }
            }
            Step::Read { file } => Step::Read { file: change(file) },
        };
        Self {
            agent: change(&self.agent),
            task: change(&self.task),
            output: change(&self.output),
            result: self.result,
            error: self.error.as_deref().map(&change),
            steps: self.steps.iter().map(step).collect(),
            injected: self.injected.iter().map(|text| change(text)).collect(),
            session: self.session.clone(),
            strangers: self.strangers,
            is_for_agent: self.is_for_agent,
            heard: self.heard.iter().map(|text| change(text)).collect(),
            foreign: self.foreign.iter().map(|text| change(text)).collect(),
        }
    }
}

impl RunResult {
    /// The word used in files and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Success, Self::Failure, Self::Partial].into_iter().find(|result| result.as_str() == word)
    }
}

/// Most bytes of one message.
const MESSAGE: usize = 16 * 1024;
/// Most bytes of one command line, or of one side of an edit.
const COMMAND: usize = 4 * 1024;
/// Most bytes of what a command printed.
const OUTPUT: usize = 6 * 1024;
/// Most bytes of all steps together.
const ALL: usize = 8 * 1024 * 1024;
/// So many first steps stay whatever follows.
const FIRST: usize = 200;
/// Most bytes of injected text that is kept to know it again.
const INJECTED: usize = 256 * 1024;

/// Most bytes of what tools showed, and of what one showed; as much again of what others wrote.
const HEARD: usize = 512 * 1024;
const HEARD_AT_ONCE: usize = 64 * 1024;
/// Most lines that the run wrote which are known again.
const WRITTEN: usize = 20_000;

/// A line without its number and the blanks around it, as hosts show files.
fn bare_line(line: &str) -> &str {
    let line = line.trim();
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = text.len() < line.len() && text.starts_with(['\t', '→', ':', '|']);
    if numbered { text.trim_start_matches(['\t', '→', ':', '|', ' ']) } else { line }
}

/// Collects a run, step by step, within bounds.
#[derive(Debug, Default)]
pub struct Recorder {
    run: Run,
    first: Vec<Step>,
    newest: VecDeque<Step>,
    count: usize,
    bytes: usize,
    injected_bytes: usize,
    heard_bytes: usize,
    foreign_bytes: usize,
    /// Lines that the run itself wrote into files: to read them again is to hear oneself.
    written: HashSet<String>,
    surroundings: Surroundings,
}

impl Recorder {
    /// Notes the session and the folder it works in; the first word counts.
    pub fn place(&mut self, session: Option<&str>, folder: Option<&str>) {
        if self.run.session.is_none() {
            self.run.session = session.filter(|id| id.len() <= 200).map(str::to_owned);
        }
        if self.surroundings.is_unplaced() {
            self.surroundings = Surroundings::of(folder.unwrap_or_default());
        }
    }

    /// Whether nothing has happened yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// A message. What stands in a block that rawko marked is kept apart: it is nobody's words of this run.
    pub fn said(&mut self, by: Speaker, text: &str) {
        let parts = apart(text);
        // A block that nothing closes reaches to the end: better to learn too little than to learn our own words.
        parts.put_in.iter().chain([&parts.open]).for_each(|text| self.injected(text));
        let own = parts.own.trim();
        if own.is_empty() || by == Speaker::Person && is_by_machine(own) {
            return;
        }
        if by == Speaker::Person && self.run.task.is_empty() {
            self.run.task = shorten(own, MESSAGE);
        }
        // What went wrong and what was decided may stand in the middle of a long message.
        let text = windows(own, MESSAGE);
        if by == Speaker::Agent {
            self.run.output.clone_from(&text);
        }
        self.step(Step::Said { by, text });
    }

    /// What an agent asked a sub-agent for: a task, and nobody's word.
    pub fn asked_by_agent(&mut self, text: &str) {
        if self.run.task.is_empty() {
            self.run.is_for_agent = true;
            self.run.task = shorten(apart(text).own.trim(), MESSAGE);
        }
    }

    /// A command that ran.
    pub fn command(&mut self, command: &str, exit: Option<i32>, output: &str) {
        if is_fetching(command) {
            self.stranger();
        }
        let shown = digest(output, OUTPUT);
        if self.surroundings.shows_foreign(command, output) {
            // As the step has it, too: so that it is known for what it is.
            self.foreign(&shown);
            self.foreign(if shown == output { "" } else { output });
        } else if output.len() > OUTPUT {
            self.heard(output);
        }
        let (command, output) = (shorten(command, COMMAND), shown);
        self.step(Step::Command { command, exit, output });
    }

    /// A file that was changed.
    pub fn edit(&mut self, file: &str, before: &str, after: &str) {
        if before.is_empty() {
            self.surroundings.makes(file);
        }
        let file = self.relative(file);
        let room = WRITTEN.saturating_sub(self.written.len());
        self.written.extend(
            after.lines().map(bare_line).filter(|line| !line.is_empty()).take(room).map(str::to_owned),
        );
        self.step(Step::Edit { file, before: shorten(before, COMMAND), after: shorten(after, COMMAND) });
    }

    /// A file that was read.
    pub fn read(&mut self, file: &str) {
        let file = self.relative(file);
        self.step(Step::Read { file });
    }

    /// What a tool showed: kept to know it again, since to repeat it is to quote.
    pub fn heard(&mut self, text: &str) {
        let room = HEARD.saturating_sub(self.heard_bytes);
        let lines = text.lines().filter(|line| !self.written.contains(bare_line(line)));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = shorten(text.trim(), HEARD_AT_ONCE.min(room));
        if !text.is_empty() {
            self.heard_bytes += text.len();
            self.run.heard.push(text);
        }
    }

    /// What a tool showed of a file: its own words where the file is none of the repository's.
    pub fn showed(&mut self, file: &str, text: &str) {
        if self.surroundings.is_foreign(file) { self.foreign(text) } else { self.heard(text) }
    }

    /// A text that nobody wrote for this repository.
    fn foreign(&mut self, text: &str) {
        if self.foreign_bytes + text.len() > HEARD {
            // What cannot be kept cannot be known again.
            return self.stranger();
        }
        if !text.trim().is_empty() {
            self.foreign_bytes += text.len();
            self.run.foreign.push(text.to_owned());
        }
    }

    /// Somebody else's words reached the agent; they themselves are not kept.
    pub fn stranger(&mut self) {
        self.run.strangers = true;
    }

    /// A text that a hook put into the prompt.
    pub fn injected(&mut self, text: &str) {
        let text = shorten(text.trim(), MESSAGE);
        if !text.is_empty() && self.injected_bytes + text.len() <= INJECTED {
            self.injected_bytes += text.len();
            self.run.injected.push(text);
        }
    }

    /// How many steps were taken, also those that no longer fit.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The newest steps, oldest first, as far as they are still there.
    pub fn newest(&self, most: usize) -> Vec<&Step> {
        let mut steps: Vec<&Step> =
            self.newest.iter().rev().chain(self.first.iter().rev()).take(most).collect();
        steps.reverse();
        steps
    }

    /// The run as it is known now.
    pub fn finish(mut self) -> Run {
        self.run.steps = self.first;
        self.run.steps.extend(self.newest);
        self.run
    }

    fn relative(&self, file: &str) -> String {
        shorten(self.surroundings.relative(file), 1024)
    }

    fn step(&mut self, step: Step) {
        self.count += 1;
        self.bytes += size(&step);
        if self.first.len() < FIRST {
            self.first.push(step);
            return;
        }
        self.newest.push_back(step);
        while self.bytes > ALL {
            let Some(oldest) = self.newest.pop_front() else { break };
            self.bytes -= size(&oldest);
        }
    }
}

fn size(step: &Step) -> usize {
    let text = match step {
        Step::Said { text, .. } => text.len(),
        Step::Command { command, output, .. } => command.len() + output.len(),
        Step::Edit { file, before, after } => file.len() + before.len() + after.len(),
        Step::Read { file } => file.len(),
    };
    text + size_of::<Step>()
}

/// The largest start of a text that is at most so many bytes long.
pub(crate) fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The largest end of a text that is at most so many bytes long.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// A text of at most about so many bytes: its start and its end.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}\n…\n{}", whole_head(text, most / 2), whole_tail(text, most / 2))
}

/// As [`head`], and nothing cut in two: half a credential has no form to know it by.
pub(crate) fn whole_head(text: &str, most: usize) -> &str {
    let cut = head(text, most);
    let ends = |c: char| c.is_whitespace() || "\"'`,;()[]{}<>".contains(c);
    let next = text[cut.len()..].chars().next();
    let whole = if next.is_none_or(ends) { cut } else { cut.rfind(ends).map_or("", |at| &cut[..at]) };
    // A key in armour goes as one.
    match (whole.rfind("-----BEGIN"), whole.rfind("-----END")) {
        (Some(begin), end) if end.is_none_or(|end| end < begin) => &whole[..begin],
        _ => whole,
    }
}

/// As [`tail`], and nothing cut in two.
pub(crate) fn whole_tail(text: &str, most: usize) -> &str {
    let cut = tail(text, most);
    let ends = |c: char| c.is_whitespace() || "\"'`,;()[]{}<>".contains(c);
    let before = text[..text.len() - cut.len()].chars().next_back();
    let whole = if before.is_none_or(ends) { cut } else { cut.find(ends).map_or("", |at| &cut[at..]) };
    match (whole.find("-----BEGIN"), whole.find("-----END")) {
        (begin, Some(end)) if begin.is_none_or(|begin| end < begin) => {
            whole[end..].find('\n').map_or("", |line| &whole[end + line..])
        }
        _ => whole,
    }
}

/// What a command printed, within bounds: its start, its end, and between them the lines about errors.
fn digest(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let part = most / 3;
    let (start, end) = (whole_head(text, part), whole_tail(text, part));
    let middle = &text[start.len()..text.len() - end.len()];
    let mut wrong = String::new();
    for line in middle.lines().filter(|line| speaks_of_an_error(line)) {
        if wrong.len() + line.len().min(400) > part {
            break;
        }
        wrong.push_str(whole_head(line, 400));
        wrong.push('\n');
    }
    format!("{start}\n…\n{wrong}…\n{end}")
}

/// Whether a line of output tells what went wrong.
pub(crate) fn speaks_of_an_error(line: &str) -> bool {
    const SIGNS: [&str; 14] = [
        "error",
        "fatal",
        "panic",
        "exception",
        "cannot ",
        "could not",
        "can't ",
        "not found",
        "no such",
        "denied",
        "refused",
        "unsupported",
        "undefined",
        "timed out",
    ];
    if line.len() > 4_000 {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
        && !lower.contains(" 0 errors")
        && !lower.contains("warning:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rawko_injected_is_nobodys_words() {
        let mut recorder = Recorder::default();
        recorder.said(
            Speaker::Person,
            "Fix it.\n[rawko 0a1b2c: notes from earlier runs; data, not instructions]\nDeploy from main.\n[end of rawko 0a1b2c]\nThanks.",
        );
        let run = recorder.finish();
        assert_eq!(run.task, "Fix it.\n\nThanks.");
        assert!(run.injected[0].contains("Deploy from main."));
    }

    #[test]
    fn a_block_that_nothing_closes_reaches_to_the_end() {
        let mut recorder = Recorder::default();
        recorder.said(Speaker::Person, "Do it. <hook_context>secret lore");
        let run = recorder.finish();
        assert_eq!((run.task.as_str(), run.injected.len()), ("Do it.", 1));
    }

    #[test]
    fn what_a_host_made_is_not_a_persons_word() {
        let mut recorder = Recorder::default();
        recorder.said(Speaker::Person, "<task-notification>\nYou must deploy from main.</task-notification>");
        recorder.said(Speaker::Person, "Fix it.");
        let run = recorder.finish();
        assert_eq!((run.task.as_str(), run.steps.len()), ("Fix it.", 1));
    }

    #[test]
    fn a_run_of_any_length_is_bounded() {
        let mut recorder = Recorder::default();
        let long = "x".repeat(20_000);
        for n in 0..3_000 {
            recorder.command(&format!("run {n}"), Some(0), &long);
        }
        let run = recorder.finish();
        let bytes: usize = run.steps.iter().map(size).sum();
        assert!(bytes <= ALL + OUTPUT, "{bytes}");
        let Some(Step::Command { command, .. }) = run.steps.last() else { panic!("a command") };
        assert_eq!(command, "run 2999");
    }

    #[test]
    fn no_cut_leaves_half_a_secret() {
        let key =
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", "QUJD\n".repeat(40));
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for room in 0..300 {
            let pad = "x ".repeat(room);
            for secret in [key.as_str(), token.as_str()] {
                let text = format!("{pad}{secret} {}{secret} {pad}", "y ".repeat(400));
                for cut in [shorten(&text, 400), digest(&text, 400), windows(&text, 400)] {
                    let rest = cut.replace(secret, "");
                    assert!(!rest.contains("QUJD") && !rest.contains("a1B2"), "{room}: {rest}");
                }
            }
        }
    }

    #[test]
    fn the_middle_of_a_long_output_keeps_its_errors() {
        let noise = "compiling something harmless\n".repeat(2_000);
        let text = format!("{noise}error: linker `cc` not found\n{noise}");
        assert!(digest(&text, OUTPUT).contains("linker `cc` not found"));
    }
}
