//! One program's run in its normal form: what must be equal for two runs to be the same move.
//!
//! Two steps are compared in two looks. Their keys hash what does not depend on
//! order, so that a lookup finds candidates; [`Step::same`] then sees to what
//! order can mean: which value belongs to which option.

use serde::{Deserialize, Serialize};

use super::place::{At, inside, is_temporary, looks_like_path, seen_from, without_random};
use super::shell::{Simple, assignment};
use super::tools::{self, Reads, Tool};

/// One program's run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Step {
    pub(super) program: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sub: Option<String>,
    /// Where it works, relative to the root.
    pub(super) folder: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) env: Vec<String>,
    /// Options; with a value where it is certain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) flags: Vec<String>,
    /// Plain words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) words: Vec<String>,
    /// An option nobody knows, and the word behind it, which may be its value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) near: Vec<(String, String)>,
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

impl Step {
    /// The normal form of one program's words, started in `folder`.
    pub(super) fn of(simple: &Simple, at: At<'_>, folder: &str) -> Option<Self> {
        let mut step = Self { folder: folder.to_owned(), ..Self::default() };
        let mut env = simple.env.clone();
        let words = unwrapped(&simple.words, &mut env);
        let (first, rest) = words.split_first()?;
        step.env = env
            .iter()
            .filter(|(name, _)| !tools::env_only_shows(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        step.env.sort();
        step.raw = words.to_vec();
        step.program = match inside(at, folder, first).filter(|_| first.contains('/')) {
            Some(path) if !tools::is_known(first.rsplit('/').next().unwrap_or_default()) => {
                format!("./{}", seen_from(folder, &path))
            }
            _ => tools::program(first).to_owned(),
        };
        let mut rest = rest.to_vec();
        step.respell(&mut rest);
        step.take(&rest, at);
        step.rename_subcommand();
        let place =
            |step: &Self, word: &String| spelled(word, at, &step.folder, tools::tool(&step.program).anywhere);
        let scripts = usize::from(
            step.tool().script
                && !step.flags.iter().any(|flag| flag.starts_with("-e=") || flag.starts_with("-f=")),
        );
        step.words = step
            .words
            .iter()
            .enumerate()
            .map(|(n, word)| if n < scripts { word.clone() } else { place(&step, word) })
            .collect();
        step.tail = step.tail.iter().map(|word| place(&step, word)).collect();
        step.reads = simple.reads.iter().map(|word| place(&step, word)).collect();
        let kept =
            simple.writes.iter().filter(|path| !is_temporary(path) || inside(at, folder, path).is_some());
        step.writes = kept.map(|word| place(&step, word)).collect();
        if tools::tool(&step.program).anywhere {
            step.folder = String::new();
        }
        step.flags.sort();
        Some(step)
    }

    /// What is known of its program.
    pub(super) fn tool(&self) -> &'static Tool {
        tools::tool(&self.program)
    }

    /// `python -m pytest` is `pytest`; `docker-compose` is `docker compose`.
    fn respell(&mut self, rest: &mut Vec<String>) {
        if self.program == "python" && rest.first().is_some_and(|word| word == "-m") && rest.len() > 1 {
            self.program = tools::program(&rest[1]).to_owned();
            rest.drain(..2);
        } else if self.program == "docker-compose" {
            self.program = "docker".to_owned();
            rest.insert(0, "compose".to_owned());
        }
    }

    fn take(&mut self, rest: &[String], at: At<'_>) {
        let tool = self.tool();
        let mut words = rest.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                self.tail = words.map(str::to_owned).collect();
                return;
            }
            let numeric = word.len() > 1 && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if !word.starts_with('-') || word == "-" || numeric && !tool.sub {
                self.plain(word, tool);
                continue;
            }
            let options = options(word, tool);
            let last = options.len() - 1;
            for (n, (name, value)) in options.into_iter().enumerate() {
                let takes = tool.values.contains(&name.as_str());
                let value = value.or_else(|| if takes { words.next().map(str::to_owned) } else { None });
                let near = words.peek().filter(|next| {
                    n == last && value.is_none() && tool.values.is_empty() && !next.starts_with('-')
                });
                let near = near.map(|next| (*next).to_owned());
                self.option(name, value, near, tool, at);
            }
        }
    }

    fn plain(&mut self, word: &str, tool: &Tool) {
        if tool.sub && self.sub.is_none() {
            let known = tool.subs.iter().find(|(short, _)| *short == word);
            self.sub = Some(known.map_or(word, |(_, long)| long).to_owned());
        } else {
            self.words.push(word.to_owned());
        }
    }

    fn option(&mut self, name: String, value: Option<String>, near: Option<String>, tool: &Tool, at: At<'_>) {
        if let Some(folder) = value.as_ref().filter(|_| tool.folder.contains(&name.as_str()))
            && let Some(folder) = inside(at, &self.folder, folder)
        {
            self.folder = folder;
            return;
        }
        if tools::only_shows(&name) || tool.shows.contains(&name.as_str()) {
            return;
        }
        let sub = self.sub.as_deref().unwrap_or_default();
        if tool.prose.contains(&(sub, name.as_str())) {
            self.prose.extend(value);
            return;
        }
        match value {
            Some(value) if !tool.values.contains(&name.as_str()) => {
                // Nobody knows whether it takes a value: `--rows=100` is `--rows 100`.
                let value = spelled(&value, at, &self.folder, tool.anywhere);
                self.near.push((name.clone(), value.clone()));
                self.flags.push(name);
                self.words.push(value);
            }
            Some(value) => {
                self.flags.push(format!("{name}={}", spelled(&value, at, &self.folder, tool.anywhere)))
            }
            None => {
                self.near
                    .extend(near.map(|next| (name.clone(), spelled(&next, at, &self.folder, tool.anywhere))));
                self.flags.push(name);
            }
        }
    }

    /// `npm run test` is `npm test`; `yarn build` is `yarn run build`.
    fn rename_subcommand(&mut self) {
        let runs = matches!(self.program.as_str(), "npm" | "pnpm" | "yarn" | "bun");
        if runs && self.sub.as_deref() == Some("run") && !self.words.is_empty() {
            let script = self.words.remove(0);
            self.sub = Some(format!("run {script}"));
        } else if runs && matches!(self.sub.as_deref(), Some("test" | "start" | "stop" | "restart")) {
            self.sub = self.sub.take().map(|script| format!("run {script}"));
        } else if let Some(script) = self.sub.clone().filter(|sub| runs && is_script(&self.program, sub)) {
            self.sub = Some(format!("run {script}"));
        }
        if self.program == "git" && self.sub.as_deref() == Some("push") {
            // `git push origin :x` deletes x; `HEAD:refs/heads/x` is x.
            for word in &mut self.words {
                *word = word.replace("refs/heads/", "");
                let to = word.split_once(':').filter(|(from, to)| *from == "HEAD" || from == to);
                if let Some(to) = to.map(|(_, to)| to.to_owned()) {
                    *word = to;
                }
                if let Some(name) = word.strip_prefix(':').filter(|name| !name.is_empty()).map(str::to_owned)
                {
                    *word = name;
                    self.flags.push("--delete".to_owned());
                }
            }
        }
    }

    /// What two runs of the same move share, whatever the order of their words.
    pub(super) fn key(&self) -> String {
        let mut all: Vec<&str> = self.flags.iter().chain(&self.words).map(String::as_str).collect();
        all.sort_unstable();
        let lists: [&[&str]; 1] = [&all];
        let mut text =
            format!("{}\0{}\0{}", self.program, self.sub.as_deref().unwrap_or_default(), self.folder);
        for word in lists.iter().flat_map(|list| list.iter()) {
            text.push('\0');
            text.push_str(word);
        }
        for list in [&self.env, &self.tail, &self.reads, &self.writes] {
            text.push('\u{1}');
            text.push_str(&list.join("\0"));
        }
        text
    }

    /// Whether nothing but its program is known, because its words held a secret: its key has to do.
    pub(super) fn is_bare(&self) -> bool {
        [&self.env, &self.flags, &self.words, &self.tail, &self.reads].iter().all(|list| list.is_empty())
    }

    /// Whether every text of it passes.
    pub(super) fn all(&self, passes: &dyn Fn(&str) -> bool) -> bool {
        let lists = [&self.env, &self.flags, &self.words, &self.tail, &self.reads, &self.writes, &self.prose];
        lists.iter().all(|list| list.iter().all(|text| passes(text)))
            && self
                .near
                .iter()
                .all(|(flag, value)| passes(flag) && passes(value) && passes(&format!("{flag}={value}")))
    }

    /// Whether two steps of one key are the same move.
    pub(super) fn same(&self, other: &Self) -> bool {
        let clash = self.near.iter().any(|(flag, value)| {
            let theirs = || other.near.iter().filter(|(name, _)| name == flag);
            theirs().next().is_some() && theirs().all(|(_, next)| next != value)
        });
        let certain = self.near.is_empty() && other.near.is_empty();
        !clash && (!certain || self.tool().any_order || self.words == other.words)
    }

    /// Whether it reads its package's sources.
    pub(super) fn reads_sources(&self) -> bool {
        let sub = self.sub.as_deref().unwrap_or_default();
        match self.tool().reads {
            Reads::Named => false,
            Reads::Sources => true,
            Reads::SourcesFor(subs) => subs.contains(&sub.split(' ').next().unwrap_or_default()),
        }
    }

    /// Whether it only looks.
    pub(super) fn only_looks(&self) -> bool {
        tools::only_looks(&self.program, self.sub.as_deref())
    }

    /// Whether one of its first words is among these: its program, its subcommand, or what that is told to do.
    pub(super) fn has_verb(&self, verbs: &[&str]) -> bool {
        let says = |word: &str| {
            word.split([' ', ':', '-', '/', '.']).any(|part| verbs.contains(&part)) || verbs.contains(&word)
        };
        says(&self.program)
            || self.sub.as_deref().is_some_and(says)
            || self.words.iter().take(3).any(|word| !looks_like_path(word) && says(word))
            || self.flags.iter().any(|flag| verbs.contains(&flag.as_str()))
    }
}

/// Whether a package manager's word is a script of the package rather than a command of its own.
fn is_script(program: &str, sub: &str) -> bool {
    const OWN: &[&str] = &[
        "install",
        "add",
        "remove",
        "update",
        "up",
        "list",
        "exec",
        "dlx",
        "create",
        "init",
        "outdated",
        "audit",
        "publish",
        "pack",
        "why",
        "store",
        "config",
        "view",
        "link",
        "unlink",
        "import",
        "patch",
        "fetch",
        "prune",
        "rebuild",
        "root",
        "bin",
        "workspace",
        "workspaces",
        "dedupe",
        "set",
        "info",
        "login",
        "logout",
        "whoami",
        "ci",
        "version",
        "x",
        "env",
        "explain",
        "cache",
        "deploy",
        "setup",
        "server",
        "-r",
        "licenses",
        "approve-builds",
        "doctor",
        "upgrade",
        "global",
    ];
    matches!(program, "pnpm" | "yarn" | "bun") && !OWN.contains(&sub) && !sub.starts_with("run")
}

/// The words behind `env`, `time`, `command` and the like, which change nothing.
fn unwrapped<'a>(words: &'a [String], env: &mut Vec<(String, String)>) -> &'a [String] {
    let mut rest = words;
    loop {
        match rest.first().map(String::as_str) {
            Some("time" | "command" | "exec" | "nohup" | "builtin") => rest = &rest[1..],
            Some("timeout" | "nice") => {
                rest = &rest[1..];
                while rest.len() > 1 && rest[0].starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
                    rest = &rest[1..];
                }
            }
            Some("env") if rest.len() > 1 => {
                rest = &rest[1..];
                while let Some((name, value)) = rest.first().and_then(|word| assignment(word)) {
                    env.push((name.to_owned(), value.to_owned()));
                    rest = &rest[1..];
                }
            }
            _ => return rest,
        }
    }
}

/// A word that may hold options, each with its value where it is attached.
fn options(word: &str, tool: &Tool) -> Vec<(String, Option<String>)> {
    let known = |name: &str| {
        tool.flags.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long).to_owned()
    };
    if let Some((name, value)) = word.split_once('=') {
        return vec![(known(name), Some(value.to_owned()))];
    }
    if word.starts_with("--") || !word.is_ascii() {
        return vec![(known(word), None)];
    }
    let short = known(&word[..2.min(word.len())]);
    if word.len() > 2 && !tool.values.contains(&word) && !tool.shows.contains(&word) {
        if tool.values.contains(&short.as_str())
            && !tool.values.iter().any(|value| value.len() > 2 && !value.starts_with("--"))
        {
            return vec![(short, Some(word[2..].to_owned()))];
        }
        if tool.bundles {
            let letters = word[1..].char_indices();
            return letters.map(|(_, letter)| (known(&format!("-{letter}")), None)).collect();
        }
    }
    vec![(known(word), None)]
}

/// One spelling of a word: a path as seen from where the program works, a temporary name without its random parts.
fn spelled(word: &str, at: At<'_>, folder: &str, anywhere: bool) -> String {
    if is_temporary(word) && inside(at, folder, word).is_none() {
        return without_random(word);
    }
    let is_path =
        looks_like_path(word) || word.starts_with("./") || word.starts_with("../") || word.starts_with('/');
    // `./...` is every package of a Go module, not a file.
    let Some(path) = inside(at, folder, word).filter(|_| is_path && !word.contains('@')) else {
        return word.to_owned();
    };
    if anywhere { path } else { seen_from(folder, &path) }
}
