//! One program's run in its normal form: what must be equal for two runs to be the same move.
//!
//! Two steps are compared in two looks. [`Step::loose_key`] has what does not
//! depend on order, place or spelling, so that a lookup finds candidates;
//! [`Step::same`] then sees which value belongs to which option, and where.

mod read;
mod remote;
mod same;
mod spell;
mod targets;
mod wrap;

use serde::{Deserialize, Serialize};

use super::place::{is_temporary, looks_like_path};
use super::tools::{self, Reads, Tool};

pub(super) use self::same::manifest_folder;
pub(super) use self::wrap::shell_text;

/// One program's run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Step {
    pub(super) program: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sub: Option<String>,
    /// Where it works, relative to the root.
    pub(super) folder: String,
    /// Its words say all about where: paths are relative to the root, whatever the folder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) rooted: bool,
    /// The programs that started it, which choose its surroundings (`uv`, `bundle`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) via: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) env: Vec<String>,
    /// Options that the table knows; with their value if they take one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) flags: Vec<String>,
    /// Plain words, and those that may be values of options in `near`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) words: Vec<String>,
    /// Options that nobody knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) near: Vec<Near>,
    /// What stands behind `--`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tail: Vec<String>,
    /// Input that is redirected to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reads: Vec<String>,
    /// Files in the repository that its output goes to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) writes: Vec<String>,
    /// Prose: a commit's message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) prose: Vec<String>,
    /// The words as they came, without quotes.
    #[serde(skip)]
    pub(super) raw: Vec<String>,
}

/// An option that nobody knows: the word behind it may be its value, or may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Near {
    pub(super) flag: String,
    /// Which of the words stands behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) word: Option<usize>,
    /// It is joined to it by `=`, so it is its value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) joined: bool,
}

impl Step {
    /// What is known of its program.
    pub(super) fn tool(&self) -> &'static Tool {
        tools::tool(&self.program)
    }

    /// The folder that its paths are relative to.
    pub(super) fn base(&self) -> &str {
        if self.rooted { "" } else { &self.folder }
    }

    /// What two runs share that are the same for sure, whatever the order of their words.
    pub(super) fn key(&self) -> String {
        let step = self.normal();
        let mut words: Vec<&str> = step.words.iter().map(String::as_str).collect();
        words.extend(step.flags.iter().filter_map(|flag| same::parts(flag).1));
        words.sort_unstable();
        let (sub, options) = (self.sub.as_deref().unwrap_or_default(), step.flags.len() + step.near.len());
        let mut text = format!("{}\0{sub}\0{}\0{options}", self.program, step.base());
        for word in words {
            text.push('\0');
            text.push_str(word);
        }
        for list in [&self.env, &self.tail, &self.reads] {
            text.push('\u{1}');
            text.push_str(&list.join("\0"));
        }
        text
    }

    /// Whether nothing but its program is known, because its words held a secret: its key has to do.
    pub(super) fn is_bare(&self) -> bool {
        [&self.env, &self.flags, &self.words, &self.tail, &self.reads].iter().all(|list| list.is_empty())
            && self.near.is_empty()
    }

    /// Whether every text of it passes.
    pub(super) fn all(&self, passes: &dyn Fn(&str) -> bool) -> bool {
        let lists = [&self.env, &self.flags, &self.words, &self.tail, &self.reads, &self.writes, &self.prose];
        lists.iter().all(|list| list.iter().all(|text| passes(text)))
            && self.near.iter().all(|near| {
                let value = near.word.and_then(|at| self.words.get(at)).map_or("", String::as_str);
                passes(&near.flag) && passes(&format!("{}={value}", near.flag))
            })
    }

    /// It with every text of it changed.
    pub(super) fn changed(&self, change: &dyn Fn(&str) -> String) -> Self {
        let all = |list: &[String]| list.iter().map(|text| change(text)).collect();
        Self {
            program: change(&self.program),
            sub: self.sub.as_deref().map(change),
            folder: change(&self.folder),
            env: all(&self.env),
            flags: all(&self.flags),
            words: all(&self.words),
            near: self.near.iter().map(|near| Near { flag: change(&near.flag), ..near.clone() }).collect(),
            tail: all(&self.tail),
            reads: all(&self.reads),
            writes: all(&self.writes),
            prose: all(&self.prose),
            raw: all(&self.raw),
            ..self.clone()
        }
    }

    /// The values of its options, with the options' names.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = self.flags.iter().filter_map(|flag| flag.split_once('='));
        let near = self.near.iter().filter_map(|near| {
            let word = self.words.get(near.word?)?;
            Some((near.flag.as_str(), word.as_str()))
        });
        known.chain(near)
    }

    /// The names of its options.
    pub(super) fn options(&self) -> impl Iterator<Item = &str> {
        let known = self.flags.iter().map(|flag| same::parts(flag).0);
        known.chain(self.near.iter().map(|near| near.flag.as_str()))
    }

    /// All words that it was given, as they are kept.
    pub(super) fn raw_words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).chain(self.values().map(|(_, value)| value))
    }

    /// Whether it reads its package's sources.
    pub(super) fn reads_sources(&self) -> bool {
        let sub = self.sub.as_deref().unwrap_or_default();
        match self.tool().reads {
            Reads::Named => false,
            Reads::Sources => true,
            Reads::SourcesFor(subs) => {
                let first = sub.split(' ').next().unwrap_or_default();
                // What is migrated to stands in sources, too.
                let parts = || first.split([':', '.']);
                subs.contains(&first)
                    || parts().next().is_some_and(|part| subs.contains(&part))
                    || parts().any(|part| part == "migrate")
            }
        }
    }

    /// Whether it only looks.
    pub(super) fn only_looks(&self) -> bool {
        tools::only_looks(&self.program, self.sub.as_deref()) && !self.changes()
    }

    /// Whether what others depend on is the same after it: it asks, fetches or tries.
    pub(super) fn leaves_all(&self) -> bool {
        let git = matches!(self.sub.as_deref(), Some("fetch" | "log" | "diff" | "show"));
        let tries = self.has_verb(&["test", "lint", "check", "vet", "typecheck", "clippy"]);
        let fixes = self.options().any(|option| ["--fix", "--write", "-w", "-i"].contains(&option));
        // A folder that is made is lacking to nobody who was there before.
        let folder = self.program == "mkdir";
        folder || self.only_looks() || self.only_ends() || self.program == "git" && git || tries && !fixes
    }

    /// Whether it only shows what another has left, or hands its exit code on: `tail x.log; exit $rc`.
    pub(super) fn only_ends(&self) -> bool {
        let logs = |word: &String| is_temporary(word) || word.ends_with(".log");
        let shows = matches!(self.program.as_str(), "tail" | "head" | "cat");
        shows
            && self.words.iter().any(logs)
            && self.words.iter().all(|word| logs(word) || word.parse::<i64>().is_ok())
            || matches!(self.program.as_str(), "exit" | "return" | "wait")
    }

    /// Whether it asks if something is there.
    pub(super) fn only_asks(&self) -> bool {
        tools::only_asks(&self.program, self.sub.as_deref()) && !self.changes()
    }

    /// `git branch x` and `git remote add x` do more than to look.
    fn changes(&self) -> bool {
        const LOOKS: &[&str] = &["show", "get-url", "list", "exists", "prune"];
        let named = self.words.first().is_some_and(|word| !LOOKS.contains(&word.as_str()));
        self.program == "git"
            && matches!(self.sub.as_deref(), Some("branch" | "remote"))
            && named
            && self.near.iter().all(|near| near.word.is_none())
    }

    /// Whether one of its first words is among these: its program, its subcommand, or what that is told to do.
    pub(super) fn has_verb(&self, verbs: &[&str]) -> bool {
        let says = |word: &str| {
            verbs.contains(&word)
                || word.split([' ', ':', '-', '/', '.']).any(|part| {
                    verbs.contains(&part) || first_hump(part).is_some_and(|first| verbs.contains(&first))
                })
        };
        says(&self.program)
            || self.sub.as_deref().is_some_and(says)
            || self.words.iter().take(3).any(|word| !looks_like_path(word) && says(word))
            || self.options().any(|option| {
                // `git switch -c x` says `-c`; `psql -c x` does not.
                let makes = matches!(option, "--create" | "--install") && verbs.contains(&&option[2..]);
                makes || verbs.contains(&option) && (self.program == "git" || option.starts_with("--"))
            })
            || self.statements().any(|verb| verbs.contains(&verb.as_str()))
    }

    /// Whether a program's text that it is given makes or brings something: `-e 'install.packages("x")'`.
    pub(super) fn makes_in_code(&self) -> bool {
        #[rustfmt::skip]
        const MAKES: &[&str] = &["create", "add", "install", "insert", "instantiate", "restore", "init", "migrate", "mkdir", "bootstrap", "grant", "alter"];
        // `curl -X PUT x` makes x.
        if self.values().any(|(name, value)| matches!((name, value), ("-X" | "--request", "PUT" | "POST"))) {
            return true;
        }
        let texts = self
            .words
            .iter()
            .chain(&self.reads)
            .map(String::as_str)
            .chain(self.values().map(|(_, value)| value));
        let code = texts.filter(|text| text.contains('(') || text.trim().contains(' '));
        code.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric())).take(400).any(|word| {
            let lower = word.to_ascii_lowercase();
            MAKES.contains(&lower.as_str()) || first_hump(word).is_some_and(|first| MAKES.contains(&first))
        })
    }

    /// What the statements do that a client is given: `create` of `-c 'CREATE TABLE x'`.
    fn statements(&self) -> impl Iterator<Item = String> {
        let texts = self
            .values()
            .filter(|(name, _)| matches!(*name, "-c" | "-e" | "-Q" | "--eval" | "--query"))
            .map(|(_, text)| text);
        let read = self.reads.iter().map(String::as_str).filter(|text| text.trim().contains(' '));
        let texts = texts.chain(read).filter(|_| self.tool().port.is_some()).flat_map(|text| text.split(';'));
        texts.filter_map(|text| Some(text.split_whitespace().next()?.to_ascii_lowercase()))
    }
}

/// `publish` of `publishToLocal`.
fn first_hump(word: &str) -> Option<&str> {
    word.find(|c: char| c.is_ascii_uppercase()).filter(|at| *at > 1).map(|at| &word[..at])
}
