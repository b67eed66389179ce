//! What a command line hands over to prove who one is: the words that must never be written down.
//!
//! A secret in a command is known by where it stands, not by how it looks: a
//! short password is a plain word anywhere else.

use super::Move;
use super::shell::assignment;
use super::step::Step;

/// Parts of a name that say that its value is a credential.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "password", "passwd", "passphrase", "pass", "pwd", "pw", "secret", "token", "apikey", "auth", "bearer", "credential", "credentials",
];
/// Ends of a name without parts, such as `PGPASSWORD`.
const ENDS: &[&str] = &["password", "passwd", "passphrase", "secret", "token", "apikey", "pwd"];
/// Names of two parts.
const PAIRS: &[&str] = &["api-key", "access-key", "secret-key", "private-key", "auth-key"];
/// Programs whose `-p` takes a password, attached or as the next word.
const ATTACHED: &[&str] = &["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"];
const NEXT: &[&str] = &["sshpass", "login"];
/// What is shorter hides nothing, and would blot out half of the text.
const SHORTEST: usize = 3;

/// What stands where a credential stood.
const HIDDEN: &str = "[redacted]";

/// A text without these credentials.
pub(super) fn hidden(text: &str, credentials: &[String]) -> String {
    credentials.iter().fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN))
}

/// A step without its credentials, as one is kept that had some.
pub(super) fn without(step: &Step) -> Step {
    let mut found = Vec::new();
    of_step(step, &mut found);
    let found = in_order(found);
    step.changed(&|text| hidden(text, &found))
}

/// Whether a step has been kept without its credentials.
pub(super) fn is_without(step: &Step) -> bool {
    !step.all(&|text| !text.contains(HIDDEN))
}

/// The credentials in a command, the longest first.
pub(super) fn credentials(moved: &Move) -> Vec<String> {
    let Move::Command(command) = moved else { return Vec::new() };
    let mut found = Vec::new();
    command.steps().for_each(|step| of_step(step, &mut found));
    // What the shell's grammar hides from us still stands in the text.
    let words: Vec<&str> = command
        .text
        .split([' ', '\t', '\n', ';', '&', '|', '(', ')', '\'', '"'])
        .filter(|word| !word.is_empty())
        .collect();
    look(&words, &mut found);
    in_order(found)
}

fn of_step(step: &Step, found: &mut Vec<String>) {
    let words: Vec<&str> = step.raw.iter().map(String::as_str).collect();
    look(&words, found);
    found.extend(step.env.iter().filter_map(|set| assignment(set)).filter_map(named));
}

/// Whether a step hands credentials over: `--password x`, `-p $TOKEN`.
pub(super) fn are_given(step: &Step) -> bool {
    let mut found = Vec::new();
    of_step(step, &mut found);
    let variable = |word: &String| word.strip_prefix('$').is_some_and(is_credential);
    !found.is_empty() || step.raw.iter().any(variable)
}

fn in_order(mut found: Vec<String>) -> Vec<String> {
    found.retain(|value| value.len() >= SHORTEST);
    found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    found.dedup();
    found
}

fn look(words: &[&str], found: &mut Vec<String>) {
    let is_among = |programs: &[&str]| {
        words.iter().any(|word| programs.contains(&word.rsplit('/').next().unwrap_or_default()))
    };
    let (attached, next_is) = (is_among(ATTACHED), is_among(NEXT));
    for (n, word) in words.iter().enumerate() {
        let next = || words.get(n + 1).copied().unwrap_or_default();
        if let Some((name, value)) = word.split_once('=') {
            found.extend(named((name, value)));
            found.extend(login(name, value));
        } else if word.starts_with('-') && is_credential(word) {
            found.push(next().to_owned());
        } else if attached && word.starts_with("-p") {
            found.push(word[2..].to_owned());
        } else if next_is && *word == "-p" {
            found.push(next().to_owned());
        } else if let Some(value) = word.strip_prefix("-u").filter(|value| value.contains(':')) {
            found.extend(login("-u", value));
        } else {
            found.extend(login(word, next()));
        }
    }
}

/// The value of a name that says that it is a credential.
fn named((name, value): (&str, &str)) -> Option<String> {
    is_credential(name).then(|| value.to_owned())
}

/// The password in `-u name:password`.
fn login(name: &str, value: &str) -> Option<String> {
    let takes = matches!(name, "-u" | "--user" | "--proxy-user" | "-U" | "-a");
    takes.then(|| value.split_once(':')).flatten().map(|(_, password)| password.to_owned())
}

fn is_credential(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase().replace('_', "-");
    name.split('-').any(|part| PARTS.contains(&part))
        || ENDS.iter().any(|end| name.ends_with(end))
        || PAIRS.iter().any(|pair| name.ends_with(pair))
}
