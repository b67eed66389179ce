//! What is known when an agent is about to act.
//!
//! The read pipe starts here: triggers, search and scores look at nothing of
//! the outside world but a [`TaskContext`].

use std::borrow::Cow;
use std::collections::HashMap;

use crate::fence::{Fence, Unclosed};
use crate::trigger::{OTHER_BYTES, TASK_BYTES, head_and_tail};

/// Fewer words ask for nothing.
const ASKED: usize = 3;
/// So many lines of one form are a log.
const LOGGED: usize = 4;
/// Bytes of a task in which is looked for what somebody typed.
const REQUEST_BYTES: usize = 1024 * 1024;

/// What is known when an agent is about to act. Every field but `task` may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskContext {
    /// What the agent is asked to do, in the words of whoever asks.
    pub task: String,
    /// The agent's name, such as `developer`.
    pub agent: String,
    /// The agent's name for people, such as `Developer Agent`.
    pub agent_display_name: String,
    /// The current plan, as text.
    pub plan: String,
    /// What happened just before, as text.
    pub history: String,
    /// Files in play, relative to the project.
    pub files: Vec<String>,
    /// The command about to run.
    pub command: String,
    /// The error text at hand.
    pub error: String,
}

impl TaskContext {
    /// A context that knows the task alone.
    pub fn of(task: impl Into<String>) -> Self {
        Self { task: task.into(), ..Self::default() }
    }

    /// The same without what a machine printed, where somebody pasted that below what they ask for: many words that nobody
    /// chose would drown the few that say what is wanted. `None` where nothing was pasted, or nothing else is said.
    pub fn request(&self) -> Option<Self> {
        let text = head_and_tail(&self.task, REQUEST_BYTES);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let typed = typed(&lines);
        let says = typed.iter().flat_map(|line| line.split_whitespace()).count() >= ASKED;
        (typed.len() < lines.len() && says).then(|| Self { task: typed.join("\n"), ..self.clone() })
    }

    /// What is looked at of it: of a text that somebody pasted, its head and its tail.
    pub fn bounded(&self) -> Cow<'_, Self> {
        let others = [&self.plan, &self.history, &self.command, &self.error];
        if self.task.len() <= TASK_BYTES && others.iter().all(|text| text.len() <= OTHER_BYTES) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            task: head_and_tail(&self.task, TASK_BYTES).into_owned(),
            plan: head_and_tail(&self.plan, OTHER_BYTES).into_owned(),
            history: head_and_tail(&self.history, OTHER_BYTES).into_owned(),
            command: head_and_tail(&self.command, OTHER_BYTES).into_owned(),
            error: head_and_tail(&self.error, OTHER_BYTES).into_owned(),
            agent: self.agent.clone(),
            agent_display_name: self.agent_display_name.clone(),
            files: self.files.clone(),
        })
    }
}

/// The lines that somebody typed: those in no fence and of no log. A fence that nothing closes is none, for its other end
/// may have been cut off.
fn typed<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let mut forms: HashMap<String, usize> = HashMap::new();
    lines.iter().filter_map(|line| form(line)).for_each(|form| *forms.entry(form).or_default() += 1);
    let is_logged = |line: &str| form(line).is_some_and(|form| forms[&form] >= LOGGED);
    let (mut fence, mut unclosed): (Option<Fence>, Unclosed) = Default::default();
    let mut typed = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(open) = fence {
            fence = Some(open).filter(|open| !open.closed_by(line));
            continue;
        }
        let opened = Fence::opened_by(line);
        fence = opened.filter(|open| unclosed.is_closed(*open, lines[at + 1..].iter().copied()));
        if opened.is_none() && !is_printed(line) && !is_logged(line) {
            typed.push(*line);
        }
    }
    typed
}

/// What a line has in common with the others of its log: how it begins and where it has more than words in it or, where
/// there are words alone, all but its numbers. Items of a list have nothing: people write them.
fn form(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let is_item = matches!(first, "-" | "*" | "+" | "•")
        || first.trim_end_matches(['.', ')']).chars().all(|c| c.is_ascii_digit());
    let rest: String = words.map(|word| if is_word(word) { 'a' } else { '0' }).collect();
    let numberless = |text: &str| -> String { text.split(|c: char| c.is_ascii_digit()).collect() };
    // A line that is mostly words is a sentence: people write several of one shape.
    let is_sentence = rest.matches('a').count() * 2 > rest.len();
    let form: String = match rest.contains('0') && !is_sentence {
        true => numberless(first) + " " + &rest,
        false => numberless(line.trim()),
    };
    (!is_item).then_some(form)
}

/// Whether it is a word of a sentence, and no name or number.
fn is_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
    word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
}

/// Whether a line is of a log, a stack trace, a listing or a quotation, and not somebody's sentence.
fn is_printed(line: &str) -> bool {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let levels = ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL"];
    let stack = line.starts_with("at ") && line.contains(['(', ':']) || line.starts_with("File \"");
    // A clock or a place in a file, before anything is said.
    let first = words.first().copied().unwrap_or_default();
    let stamp =
        first.chars().filter(char::is_ascii_digit).count() >= 2 && first.contains([':', '-', '/', '.']);
    let said = words.iter().filter(|word| is_word(word)).count();
    line.starts_with('>')
        || stack
        || stamp
        || words.iter().take(4).any(|word| levels.contains(&word.trim_matches(['[', ']', ':'])))
        || words.len() >= 4 && said * 10 < words.len() * 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_printed_is_no_part_of_a_request() {
        let asked = "Run the tests and find out why they hang. Here is the output:";
        for pasted in [
            "2026-01-01T10:18 INFO GET /api/users/583 handled in 9ms",
            "    at Object.<anonymous> (src/app.ts:12:4)",
            "```\nwhatever it is\nthat stands here\n```",
            "[ERROR] the pool is exhausted again",
            "> as the ticket says",
            "src/pool.rs:12: warning: unused",
        ] {
            let request = TaskContext::of(format!("{asked}\n{pasted}\n{pasted}")).request();
            assert_eq!(request.map(|request| request.task).as_deref(), Some(asked), "{pasted}");
        }
        for whole in [asked, "Fix `src/pool.rs`.\nThen add a test for it, please.", "```\ncode\n```"] {
            assert_eq!(TaskContext::of(whole).request(), None, "{whole}");
        }
    }

    #[test]
    fn lines_of_one_form_are_no_part_of_a_request() {
        let asked = "Why does the worker hang at night?";
        for log in [
            "   Compiling serde v1.0.2\n   Compiling tokio v1.4.0\n   Compiling regex v1.9.0\n   Compiling clap v4.0.1\n",
            &"{\"level\":\"info\",\"msg\":\"request handled\"}\n".repeat(4),
            "worker 1 waits\nworker 2 waits\nworker 13 waits\nworker 4 waits\n",
            &"cache miss, loading from disk again\n".repeat(4),
        ] {
            for task in [format!("{asked}\n{log}"), format!("{log}{asked}")] {
                let request = TaskContext::of(task).request().map(|request| request.task);
                assert_eq!(request.as_deref(), Some(asked), "{log}");
            }
        }
        let said =
            ["auth", "mail", "pay", "log"].map(|name| format!("the {name}_svc timeout is 30s and not 10s"));
        let typed = format!("some corrections for you:\n{}", said.join("\n"));
        assert_eq!(TaskContext::of(typed).request(), None, "sentences of one shape are none of a log");
        let list = "Please do this:\n- rename `a` now\n- rename `b` now\n- rename `c` now\n- rename `d` now";
        assert_eq!(TaskContext::of(list).request(), None);
    }

    #[test]
    fn a_fence_whose_other_end_is_cut_off_hides_no_question() {
        let asked = "Why does the worker hang at night?";
        for pasted in ["INFO started\n```\n", "```\nINFO started\n"] {
            let request = TaskContext::of(format!("{pasted}{asked}")).request();
            let typed = request.map(|request| request.task).unwrap_or_default();
            assert!(typed.ends_with(asked), "{pasted}: {typed}");
        }
    }

    #[test]
    fn half_a_line_of_a_log_is_not_left_where_it_is_cut() {
        for shift in 0..60 {
            let log = "2026-01-01T10:18 INFO GET /api/users/583 handled well\n".repeat(4_000);
            let task = TaskContext::of(format!("{}\n{log}Why is it so slow at night?", "x".repeat(shift)));
            let bounded = task.bounded();
            let lines = bounded.task.lines().skip(1);
            let halves: Vec<&str> = lines
                .filter(|line| !log.contains(&format!("{line}\n")) || !line.starts_with("2026"))
                .collect();
            assert_eq!(halves, ["Why is it so slow at night?"], "{shift}");
        }
    }

    #[test]
    fn what_somebody_pasted_is_looked_at_from_both_ends() {
        let log = "ä line of a log\n".repeat(100_000);
        let task = TaskContext {
            error: log.clone(),
            ..TaskContext::of(format!("Why is this?\n{log}Mind the pool."))
        };
        let bounded = task.bounded();
        assert!(bounded.task.starts_with("Why is this?") && bounded.task.ends_with("Mind the pool."));
        assert!(bounded.task.len() <= TASK_BYTES && bounded.error.len() <= OTHER_BYTES);
        assert_eq!(bounded.bounded().into_owned(), bounded.clone().into_owned(), "once is enough");
        assert!(matches!(TaskContext::of("Short").bounded(), Cow::Borrowed(_)));
    }
}
