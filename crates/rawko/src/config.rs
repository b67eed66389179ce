//! Settings, and who may set them.
//!
//! The person's `config.toml` may set everything. A repository's may set only
//! limits and tags until the person has approved exactly that file, and no limit
//! below the person's own: it must not silence what they wrote. Never a
//! provider, address, key, command or prompt.

use rawko_core::{AutoApprove, Importance, Profile};
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
    /// Why.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
}

/// A setting that is one word of a few: its key, whether a word is one of them, and all of them.
type Choice = (&'static str, fn(&str) -> bool, &'static str);

const CHOICES: [Choice; 3] = [
    ("inject.minImportance", |word| Importance::parse(word).is_some(), "low, medium, high or critical"),
    ("inject.profile", |word| Profile::parse(word).is_some(), "hybrid or classic"),
    ("extract.autoApprove", |word| AutoApprove::parse(word).is_some(), "verified, all or never"),
];

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
            Ok(table) => self.merge(file, table, all),
            Err(error) => {
                let above = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
                let line = above.matches('\n').count() + 1;
                let why = format!("it is no TOML, line {line}: {}", error.message().replace('\n', " "));
                self.ignore(file, String::new(), why, &format!("correct line {line} of the file"));
            }
        }
    }

    fn ignore(&mut self, file: &str, key: String, why: String, remedy: &str) {
        self.ignored.push(Ignored { file: file.to_owned(), key, why, remedy: remedy.to_owned() });
    }

    fn merge(&mut self, file: &str, table: Table, all: bool) {
        for (path, value) in flatten(table) {
            let key = path.join(".");
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
    if let Some((_, is_one, all)) = CHOICES.iter().find(|(key, ..)| *key == path.join("."))
        && !is_one(word)
    {
        return Some(format!("`{word}` is none of its words: {all}"));
    }
    negative.then(|| "it must not be negative".to_owned())
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
}
