//! Settings, and who may set them.
//!
//! The person's `config.toml` may set everything. A repository's may set only
//! limits and tags until the person has approved exactly that file, and no limit
//! below the person's own: it must not silence what they wrote. Never a
//! provider, address, key, command or prompt.

use std::num::NonZeroUsize;

use rawko_core::{AutoApprove, Importance, Profile, distance};
use rawko_store::{FileStore, StoreError, file_id};
use toml::Table;

/// Every setting with its default and meaning; also the manual.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Config {
    values: Table,
    /// What was ignored, and why.
    pub ignored: Vec<Ignored>,
}

/// A setting that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file.
    pub file: String,
    /// The key, or empty for the whole file.
    pub key: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
}

/// How often is learned from what agents did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After every agent.
    Agent,
    /// When a session ends.
    Session,
    /// After every so many agents, and from the rest when the session ends.
    Nth(NonZeroUsize),
}

impl Every {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "agent" => Some(Self::Agent),
            "session" => Some(Self::Session),
            number => number.parse().ok().map(Self::Nth),
        }
    }

    /// Whether it is time, after so many turns of a session.
    pub fn is_due(self, turns: usize) -> bool {
        match self {
            Self::Agent => true,
            Self::Session => false,
            Self::Nth(n) => turns.is_multiple_of(n.get()),
        }
    }

    /// Whether a session that ends after so many turns has some that were not learned from.
    pub fn leaves(self, turns: usize) -> bool {
        match self {
            Self::Agent => false,
            Self::Session => true,
            Self::Nth(n) => !turns.is_multiple_of(n.get()),
        }
    }
}

/// A setting that is one word of a few.
struct Choice {
    key: &'static str,
    is_one: fn(&str) -> bool,
    all: &'static str,
}

const CHOICES: [Choice; 5] = [
    Choice {
        key: "inject.minImportance",
        is_one: |word| Importance::parse(word).is_some(),
        all: "low, medium, high or critical",
    },
    Choice { key: "inject.profile", is_one: |word| Profile::parse(word).is_some(), all: "hybrid or classic" },
    Choice {
        key: "extract.autoApprove",
        is_one: |word| AutoApprove::parse(word).is_some(),
        all: "verified, all or never",
    },
    Choice {
        key: "extract.every",
        is_one: |word| Every::parse(word).is_some(),
        all: "agent, session or a number above 0",
    },
    Choice { key: "hook.onRepeat", is_one: |word| matches!(word, "warn" | "ask"), all: "warn or ask" },
];

/// The words for `provider.kind`, each with who it is.
pub const KINDS: [&str; 9] =
    ["offline", "anthropic", "openai", "responses", "ollama", "claude", "codex", "gemini", "command"];

/// The words for `embedding.kind`.
pub const EMBEDDING_KINDS: [&str; 4] = ["built-in", "table", "openai", "ollama"];

/// Settings whose wrong words stay, for whoever needs them to refuse: to go by another would be worse. Before a prompt
/// nobody can be told, and what is in the program does no harm: it goes by the default.
const KEPT: [(&str, &[&str]); 2] = [("provider.kind", &KINDS), ("embedding.kind", &EMBEDDING_KINDS)];

impl Config {
    /// The defaults, then the person's settings, then what the project's may set.
    pub(crate) fn of(person: Option<&FileStore>, project: Option<&FileStore>) -> Result<Self, StoreError> {
        let mut config = Self::defaults();
        if let Some(store) = person {
            config.take(store, |_| true)?;
        }
        if let Some(store) = project {
            let approved = |bytes: &[u8]| {
                store.approvals().standing(&file_id("config.toml", bytes)) == rawko_core::Standing::Approved
            };
            config.take(store, approved)?;
        }
        Ok(config)
    }

    /// What holds where nobody sets anything.
    pub(crate) fn defaults() -> Self {
        let values = DEFAULTS.parse::<Table>().expect("the built-in defaults are TOML");
        Self { values, ignored: Vec::new() }
    }

    fn take(&mut self, store: &FileStore, may_set_all: impl Fn(&[u8]) -> bool) -> Result<(), StoreError> {
        let Some(bytes) = store.small_file("config.toml")? else { return Ok(()) };
        let file = store.layout().config().display().to_string();
        self.read(&file, &String::from_utf8_lossy(&bytes), may_set_all(&bytes));
        Ok(())
    }

    /// Takes what a file of this text may set: all, or what a repository may.
    pub(crate) fn read(&mut self, file: &str, text: &str, all: bool) {
        match text.parse::<Table>() {
            Ok(table) => {
                let before = self.ignored.len();
                self.merge(file, table, all);
                for ignored in &mut self.ignored[before..] {
                    ignored.line = line_of(text, &ignored.key);
                }
            }
            Err(error) => {
                let above = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
                let line = above.matches('\n').count() + 1;
                let why = format!("it is no TOML, line {line}: {}", error.message().replace('\n', " "));
                self.ignore(file, String::new(), why, &format!("correct line {line} of the file"));
                self.ignored.last_mut().expect("it was just added").line = line;
            }
        }
    }

    fn ignore(&mut self, file: &str, key: String, why: String, remedy: &str) {
        self.ignored.push(Ignored { file: file.to_owned(), key, line: 1, why, remedy: remedy.to_owned() });
    }

    fn merge(&mut self, file: &str, table: Table, all: bool) {
        for (path, value) in flatten(table) {
            let key = path.join(".");
            let value = as_word(&key, value);
            let approve = "take it out, or approve the file: run `rawko trust`";
            if !is_known(&self.values, &path) {
                let why = "there is no such setting".to_owned();
                self.ignore(file, key, why, "correct its name, or take it out");
            } else if !all && !may_be_set_by_a_repository(&key) {
                let why = "a repository may set only limits and tags until you run `rawko trust`";
                self.ignore(file, key, why.to_owned(), approve);
            } else if let Some(why) = mistyped(&self.values, &path, &value) {
                self.ignore(file, key, why, "correct the setting in the file");
            } else if !all && self.narrows(&key, &value) {
                let why = "a repository may not keep more from you than you do until you run `rawko trust`";
                self.ignore(file, key, why.to_owned(), approve);
            } else {
                if let Some((why, remedy)) = unknown_kind(&key, &value) {
                    self.ignore(file, key, why, &remedy);
                }
                set(&mut self.values, &path, value);
            }
        }
    }

    /// Whether less would reach an agent with this value of a limit than with the one in force.
    fn narrows(&self, key: &str, value: &toml::Value) -> bool {
        match key {
            "inject.max" | "inject.budget" => {
                value.as_integer() < self.get(key).and_then(toml::Value::as_integer)
            }
            "inject.minImportance" => {
                value.as_str().and_then(Importance::parse) > Importance::parse(self.text(key))
            }
            _ => false,
        }
    }

    /// A whole number, such as `inject.max`.
    pub fn number(&self, key: &str) -> u64 {
        self.get(key)
            .and_then(toml::Value::as_integer)
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or_default()
    }

    /// A text, such as `inject.profile`.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(toml::Value::as_str).unwrap_or_default()
    }

    /// How often is learned.
    pub fn every(&self) -> Every {
        Every::parse(self.text("extract.every")).unwrap_or(Every::Agent)
    }

    /// An amount, such as `provider.inputPrice`.
    pub fn amount(&self, key: &str) -> f64 {
        self.get(key).and_then(toml::Value::as_float).unwrap_or_default()
    }

    /// A list of texts, such as `agents.developer.tags`; `None` if it is not set.
    pub fn texts(&self, key: &str) -> Option<Vec<String>> {
        let values = self.get(key)?.as_array()?;
        Some(values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect())
    }

    fn get(&self, key: &str) -> Option<&toml::Value> {
        let mut parts = key.split('.');
        let first = self.values.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }
}

/// What a project's settings would set once they are approved, and not before: each with its value.
pub(crate) fn beyond_a_repository(text: &str) -> Vec<String> {
    let table = text.parse::<Table>().unwrap_or_default();
    let leaves = flatten(table).into_iter().map(|(path, value)| (path.join("."), value));
    let beyond = leaves.filter(|(key, _)| !may_be_set_by_a_repository(key));
    let shown = |value: toml::Value| serde_json::to_string(&value).unwrap_or_default();
    beyond.map(|(key, value)| format!("{key} = {}", shown(value))).collect()
}

/// What a repository that nobody has approved may set: how much and how many, not who and where.
fn may_be_set_by_a_repository(key: &str) -> bool {
    matches!(key, "format" | "inject.max" | "inject.budget" | "inject.minImportance" | "inject.profile")
        || (key.starts_with("agents.") && key.ends_with(".tags"))
}

/// Every leaf of a table with its path.
fn flatten(table: Table) -> Vec<(Vec<String>, toml::Value)> {
    let mut leaves = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => {
                leaves.extend(flatten(inner).into_iter().map(|(mut path, value)| {
                    path.insert(0, key.clone());
                    (path, value)
                }));
            }
            value => leaves.push((vec![key], value)),
        }
    }
    leaves
}

fn lookup<'a>(values: &'a Table, path: &[String]) -> Option<&'a toml::Value> {
    let mut value = values.get(path.first()?)?;
    for part in &path[1..] {
        value = value.get(part)?;
    }
    Some(value)
}

fn is_known(values: &Table, path: &[String]) -> bool {
    lookup(values, path).is_some() || (path.len() == 3 && path[0] == "agents" && path[2] == "tags")
}

fn mistyped(values: &Table, path: &[String], value: &toml::Value) -> Option<String> {
    let known = lookup(values, path)?;
    let negative = value.as_integer().is_some_and(|n| n < 0);
    if known.type_str() != value.type_str() {
        return Some(format!("it must be of type {}", known.type_str()));
    }
    let word = value.as_str().unwrap_or_default();
    if let Some(choice) = CHOICES.iter().find(|choice| choice.key == path.join("."))
        && !(choice.is_one)(word)
    {
        return Some(format!("`{word}` is none of its words: {}", choice.all));
    }
    negative.then(|| "it must not be negative".to_owned())
}

/// A number where a word or a number may stand, as its word.
fn as_word(key: &str, value: toml::Value) -> toml::Value {
    match value {
        toml::Value::Integer(number) if key == "extract.every" => toml::Value::String(number.to_string()),
        value => value,
    }
}

/// What is wrong with a word that is no kind, and what to write instead.
fn unknown_kind(key: &str, value: &toml::Value) -> Option<(String, String)> {
    let (_, kinds) = KEPT.iter().find(|(kept, _)| *kept == key)?;
    let word = value.as_str().filter(|word| !word.is_empty() && !kinds.contains(word))?;
    let far = |kind: &&&str| distance(&word.to_lowercase(), kind);
    let near = kinds.iter().min_by_key(far).filter(|kind| far(kind) <= 2);
    let remedy = match near {
        Some(kind) => format!("write `kind = \"{kind}\"`"),
        None => format!("write one of {}", kinds.join(", ")),
    };
    Some((format!("`{word}` is none of its words: {}", kinds.join(", ")), remedy))
}

/// The line in which a key is set, as far as plain tables tell.
fn line_of(text: &str, key: &str) -> usize {
    let mut table = String::new();
    for (at, line) in text.lines().map(str::trim).enumerate() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            table = format!("{name}.");
        } else if line.split_once('=').is_some_and(|(name, _)| format!("{table}{}", name.trim()) == key) {
            return at + 1;
        }
    }
    1
}

fn set(values: &mut Table, path: &[String], value: toml::Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        values.insert(first.clone(), value);
        return;
    }
    let inner = values.entry(first.clone()).or_insert_with(|| toml::Value::Table(Table::new()));
    if let toml::Value::Table(inner) = inner {
        set(inner, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings as rows of a table: each with its default, who may set it, and the comment above it.
    fn table() -> String {
        let (mut rows, mut table, mut meaning) = (String::new(), String::new(), String::new());
        for line in DEFAULTS.lines() {
            if let Some(comment) = line.strip_prefix('#') {
                meaning.push_str(comment);
            } else if let Some(name) = line.strip_prefix('[') {
                table = format!("{}.", name.trim_end_matches(']'));
            } else if let Some((key, value)) = line.split_once(" = ") {
                let key = format!("{table}{key}");
                let told = meaning.trim();
                let plain = told.trim_end_matches(" (repository)");
                assert_eq!(may_be_set_by_a_repository(&key), told != plain, "{key} is marked wrongly");
                assert!(!plain.is_empty(), "{key} has no word on what it means");
                let who = if told == plain { "you" } else { "you, a repository" };
                rows.push_str(&format!("| `{key}` | `{value}` | {who} | {plain} |\n"));
            }
            if !line.starts_with('#') {
                meaning.clear();
            }
        }
        rows
    }

    #[test]
    fn the_page_of_settings_lists_every_setting_as_it_is() {
        let page = include_str!("../../../docs/guide/settings.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let told: String =
            rows.take_while(|line| line.starts_with('|')).map(|row| format!("{row}\n")).collect();
        assert_eq!(told, table(), "the table of docs/guide/settings.md should be:\n{}", table());
        assert_eq!(told.lines().count(), flatten(Config::defaults().values).len(), "{told}");
    }

    fn merged(text: &str, all: bool) -> Config {
        let mut config = Config::defaults();
        config.read("config.toml", text, all);
        config
    }

    #[test]
    fn a_repository_sets_limits_and_nothing_that_reaches_out() {
        let config =
            merged("[inject]\nmax = 7\n[provider]\nurl = \"https://evil.invalid\"\ncommand = \"sh\"", false);
        assert_eq!(config.number("inject.max"), 7);
        assert_eq!(config.text("provider.url"), "");
        let keys: Vec<&str> = config.ignored.iter().map(|ignored| ignored.key.as_str()).collect();
        assert_eq!(keys, ["provider.command", "provider.url"]);
    }

    #[test]
    fn the_person_sets_everything_that_exists() {
        let config = merged("[provider]\nkind = \"ollama\"\n[inject]\nmaximum = 3\nmax = \"many\"", true);
        assert_eq!(config.text("provider.kind"), "ollama");
        let why: Vec<&str> = config.ignored.iter().map(|ignored| ignored.why.as_str()).collect();
        assert_eq!(why, ["it must be of type integer", "there is no such setting"]);
    }

    #[test]
    fn what_is_ignored_says_where_and_what_to_do() {
        let broken = merged("[inject]\nmax = 3\nmax 4\n", true).ignored.remove(0);
        assert!(broken.why.starts_with("it is no TOML, line 3: "), "{broken:?}");
        assert_eq!(broken.remedy, "correct line 3 of the file");
        let word = merged("[inject]\nminImportance = \"hgih\"", true);
        assert_eq!(word.text("inject.minImportance"), "low");
        assert_eq!(word.ignored[0].why, "`hgih` is none of its words: low, medium, high or critical");
        // Approving a file gives it no other words.
        assert!(!word.ignored[0].remedy.contains("trust"));
        let foreign = merged("[provider]\nurl = \"x\"", false);
        assert_eq!(foreign.ignored[0].remedy, "take it out, or approve the file: run `rawko trust`");
    }

    #[test]
    fn how_often_is_learned_is_a_word_or_a_number() {
        let every = |text: &str| merged(&format!("[extract]\nevery = {text}"), true);
        let nth = |n| Every::Nth(NonZeroUsize::new(n).expect("not 0"));
        for (text, is) in
            [("\"agent\"", Every::Agent), ("\"session\"", Every::Session), ("5", nth(5)), ("\"5\"", nth(5))]
        {
            assert_eq!(every(text).every(), is, "{text}");
            assert!(every(text).ignored.is_empty(), "{text}");
        }
        for text in ["\"sesion\"", "0", "-1", "1.5"] {
            let wrong = every(text);
            assert_eq!(
                (wrong.every(), wrong.ignored.len(), wrong.ignored[0].line),
                (Every::Agent, 1, 2),
                "{text}"
            );
        }
        assert!(nth(5).is_due(10) && !nth(5).is_due(4) && nth(5).leaves(4) && !nth(5).leaves(10));
    }

    #[test]
    fn a_kind_that_is_none_is_told_and_left_for_its_user_to_refuse() {
        let config = merged("[provider]\nkind = \"antropic\"\n[embedding]\nkind = \"olama\"", true);
        let told: Vec<(&str, usize)> =
            config.ignored.iter().map(|ignored| (ignored.key.as_str(), ignored.line)).collect();
        assert_eq!(told, [("embedding.kind", 4), ("provider.kind", 2)]);
        assert!(config.ignored[1].why.contains("anthropic"), "{:?}", config.ignored);
        assert_eq!(config.text("provider.kind"), "antropic");
    }
}
