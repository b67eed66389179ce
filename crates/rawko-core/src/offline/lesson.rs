//! One thing a run taught, and how it becomes a proposal.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::anchors::{Anchor, Sort, anchors};
use crate::entry::{Entry, Frontmatter, Importance, Trigger};
use crate::evidence::RepoPath;
use crate::proposal::Proposal;
use crate::run_record::{Run, head};
use crate::trust::Trust;

/// What a lesson is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lore {
    /// Where something is, how parts hang together.
    Structure,
    /// How things are done here.
    Pattern,
    /// What fits which version.
    Version,
    /// A command that does it.
    Command,
    /// What must or cannot be.
    Constraint,
    /// What fails, and why.
    Failure,
    /// What was decided, and why.
    Decision,
}

impl Lore {
    /// The tag that such a memory carries.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Structure => "codebase-structure",
            Self::Pattern => "code-patterns",
            Self::Version => "versions",
            Self::Command => "commands",
            Self::Constraint => "constraints",
            Self::Failure => "failures",
            Self::Decision => "decisions",
        }
    }
}

/// One thing a run taught.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// What it is about.
    pub lore: Lore,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// How sure the rules are; only the order matters.
    pub strength: f32,
    /// Which rules found it.
    pub reason: String,
    /// A person said it.
    pub by_person: bool,
    /// It was said at the end of a turn, to be kept.
    pub sums_up: bool,
    /// Commands with the exit code they gave.
    pub commands: Vec<(String, i32)>,
    /// The error it is about.
    pub error: Option<String>,
    /// What helped, for a failure that was cured.
    pub cure: String,
    /// Files that were changed for it.
    pub files: Vec<String>,
}

impl Lesson {
    pub(super) fn from_prose(lore: Lore, text: String, strength: f32, reason: String) -> Self {
        Self {
            lore,
            title: title(&text),
            text,
            strength,
            reason,
            by_person: false,
            sums_up: false,
            commands: Vec::new(),
            error: None,
            cure: String::new(),
            files: Vec::new(),
        }
    }

    /// Whether somebody meant it to be kept: a summary, or a person's word.
    pub(super) fn is_meant(&self) -> bool {
        self.by_person || self.sums_up
    }

    /// The proposal that goes to admission.
    pub fn proposal(self, run: &Run, now: Timestamp) -> Proposal {
        let names = anchors(&self.text);
        let agent = if run.agent.is_empty() { "agent" } else { &run.agent };
        let task = run.task.lines().next().unwrap_or_default().trim();
        let frontmatter = Frontmatter {
            when_to_use: self.triggers(&names),
            importance: self.importance(),
            discovered_at: now.round(jiff::Unit::Second).unwrap_or(now),
            discovered_by: head(agent, 60).to_owned(),
            tags: vec![self.lore.tag().to_owned()],
            discovered_in: (!task.is_empty()).then(|| format!("Task: {}", head(task, 200))),
            source: None,
            related_memories: Vec::new(),
            kind: None,
            status: None,
            supersedes: Vec::new(),
            evidence: self.evidence(&names),
            should_fire: Vec::new(),
            should_not_fire: Vec::new(),
            // What a command printed is quoted, not said by the agent.
            trust: self.error.is_some().then_some(Trust::Untrusted),
            extra: Map::new(),
            title: self.title.clone(),
        };
        let body = format!("# {}\n\n{}\n", self.title, self.text);
        let reasoning = format!("offline rules: {}", self.reason);
        Proposal { entry: Entry { frontmatter, body }, update_of: None, reasoning }
    }

    /// A person's own words and what fails for a known cause matter more.
    fn importance(&self) -> Importance {
        match self.lore {
            _ if self.by_person => Importance::High,
            Lore::Failure | Lore::Constraint | Lore::Decision => Importance::High,
            Lore::Structure | Lore::Pattern | Lore::Version | Lore::Command => Importance::Medium,
        }
    }

    fn triggers(&self, names: &[Anchor]) -> Vec<Trigger> {
        let mut triggers = Vec::new();
        let literal = |name: &&Anchor| {
            matches!(name.sort, Sort::Name | Sort::Flag | Sort::Code)
                && (4..=40).contains(&name.text.len())
                && !name.text.contains(char::is_whitespace)
        };
        let words: Vec<String> =
            names.iter().filter(literal).take(4).map(|name| escaped(&name.text)).collect();
        if !words.is_empty() {
            triggers.push(Trigger::Pattern(words.join("|")));
        }
        let inside = |path: &str| {
            path.trim_end_matches('/').len() > 3 && RepoPath::new(path.trim_end_matches('/')).is_ok()
        };
        let paths = names.iter().filter(|name| name.sort == Sort::Path).map(|name| name.text.as_str());
        let mut paths: Vec<&str> =
            paths.chain(self.files.iter().map(String::as_str)).filter(|path| inside(path)).collect();
        paths.dedup();
        triggers.extend(paths.into_iter().take(3).map(|path| Trigger::Path(glob(path))));
        let commands = names.iter().filter(|name| name.sort == Sort::Command).map(|name| name.text.as_str());
        let commands = commands.chain(self.commands.iter().map(|(command, _)| command.as_str()));
        let mut heads: Vec<String> =
            commands.filter_map(super::recovery::head_of).map(|head| escaped(&head)).collect();
        heads.dedup();
        triggers.extend(heads.into_iter().take(2).map(Trigger::Command));
        triggers.extend(self.error.as_deref().map(|error| Trigger::Error(escaped(head(error, 80)))));
        triggers.push(Trigger::Text(self.title.trim_end_matches([' ', '…']).to_owned()));
        triggers
    }

    /// The files that are named, and the commands that ran with the exit code they gave.
    fn evidence(&self, names: &[Anchor]) -> Value {
        let paths = names.iter().filter(|name| name.sort == Sort::Path).map(|name| name.text.as_str());
        let mut seen: Vec<&str> = Vec::new();
        for path in paths.chain(self.files.iter().map(String::as_str)) {
            let is_file =
                path.rsplit('/').next().is_some_and(|last| last.contains('.')) && !path.contains('*');
            if is_file && RepoPath::new(path).is_ok() && !seen.contains(&path) {
                seen.push(path);
            }
        }
        let files = seen.into_iter().take(5).map(|path| json!({ "file": path }));
        let commands = self
            .commands
            .iter()
            .take(4)
            .map(|(command, exit)| json!({ "command": head(command, 200), "exit": exit }));
        let items: Vec<Value> = files.chain(commands).collect();
        if items.is_empty() { Value::Null } else { Value::Array(items) }
    }
}

/// A path as a trigger: a file wherever the project's root is, a folder with all below it.
fn glob(path: &str) -> String {
    match path.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None if path.contains('/') || path.starts_with('.') => path.to_owned(),
        None => format!("**/{path}"),
    }
}

/// A text that a pattern takes literally.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The gist of a text as a title: its first clause, or its first words.
pub(super) fn title(text: &str) -> String {
    /// Most words of a title.
    const LONGEST: usize = 12;
    const LOOSE: [&str; 24] = [
        "with", "to", "of", "in", "on", "at", "by", "for", "from", "and", "or", "the", "a", "an", "is",
        "are", "was", "be", "it", "that", "which", "as", "has", "first",
    ];
    let first = super::prose::sentences(text).into_iter().next().unwrap_or_default();
    let masked = masked(&first);
    let clause =
        [": ", "; ", ", so ", ", because ", " because ", ", which ", ", therefore ", ", otherwise ", " ("]
            .iter()
            .filter_map(|cut| masked.find(cut))
            .filter(|&at| (4..=14).contains(&masked[..at].split_whitespace().count()))
            .min();
    let short: String =
        first[..clause.unwrap_or(first.len())].chars().filter(|c| !matches!(c, '`' | '*' | '#')).collect();
    let mut words: Vec<&str> = short.split_whitespace().collect();
    let mut is_cut = words.len() > LONGEST;
    words.truncate(LONGEST);
    while words.len() > 3 && words.last().is_some_and(|word| LOOSE.contains(&word.to_lowercase().as_str())) {
        words.pop();
    }
    let title = words.join(" ");
    let whole = title.trim_end_matches(['.', ',', ';', ':', '(', ' ']);
    let title = head(whole, 100);
    is_cut |= title.len() < whole.len();
    // Half a sentence must not look like a whole one.
    let title = if is_cut { format!("{title} …") } else { title.to_owned() };
    let mut letters = title.chars();
    match letters.next() {
        Some(letter)
            if !first.starts_with('`')
                && !title.split(' ').next().is_some_and(|word| {
                    word.contains(['/', '_', '.', '-', '=']) || word.contains(char::is_uppercase)
                }) =>
        {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => title,
    }
}

/// The text with every byte of code in backticks as a dot: the same places, nothing to cut at.
fn masked(text: &str) -> String {
    let mut in_code = false;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        in_code ^= c == '`';
        match in_code {
            true => (0..c.len_utf8()).for_each(|_| out.push('.')),
            false => out.push(c),
        }
    }
    out
}
