//! Places and packages elsewhere that a text sends its reader to.
//!
//! A memory may name a file that is there and, in the same breath, a server or
//! a package that the repository has never heard of. The file proves nothing
//! about those: such a text waits for a person.

use super::ground::Ground;
use super::read::bare;

/// The first host or package in a text that the repository does not name.
pub(super) fn unknown_elsewhere(text: &str, ground: &Ground<'_>) -> Option<String> {
    let named = hosts(text).chain(packages(text));
    named.into_iter().find(|name| ground.says(name) != Some(true))
}

/// Hosts of addresses, this machine left out.
fn hosts(text: &str) -> impl Iterator<Item = String> + '_ {
    text.match_indices("://").filter_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'`)>,;".contains(c)).unwrap_or(rest.len());
        let host = rest[..end].rsplit('@').next().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_end_matches('.');
        let here = matches!(name, "" | "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0");
        (!here).then(|| name.to_lowercase())
    })
}

/// What follows a bare command that somebody tells of: "npm install fails without a token".
const TELLS: [&str; 28] = [
    "again", "and", "because", "before", "breaks", "fails", "first", "for", "hangs", "has", "if", "in", "is",
    "must", "needs", "on", "once", "only", "or", "runs", "should", "takes", "then", "was", "when", "will",
    "with", "without",
];

/// A word without the marks that end a sentence or a clause.
fn bare_end(word: &str) -> &str {
    word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
}

/// Packages that a command in the text would bring in.
fn packages(text: &str) -> impl Iterator<Item = String> + '_ {
    let written: Vec<&str> = text.split_whitespace().collect();
    let words: Vec<&str> = written.iter().map(|word| word.trim_matches(['`', '"', '\''])).collect();
    // Whether a command that is quoted ends with a word: "`npm install` fails".
    let ends = |word: &str| bare_end(word).ends_with(['`', '"', '\'']);
    let is_quoted = |at: usize| written[at].starts_with(['`', '"', '\'']);
    let mut found = Vec::new();
    for at in 0..words.len() {
        let taken = match &words[at..] {
            ["npm" | "pnpm" | "bun", "install" | "i" | "add", ..]
            | ["yarn" | "cargo" | "poetry" | "uv", "add", ..]
            | ["pip" | "pip3" | "pipx" | "gem" | "cargo" | "brew" | "go", "install", ..]
            | ["go", "get", ..] => 2,
            ["npx" | "bunx" | "uvx", ..] => 1,
            _ => continue,
        };
        if ends(written[at + taken - 1]) {
            continue;
        }
        let named = words[at + taken..].iter().find(|word| !word.starts_with('-'));
        let name = named.map(|word| package(word)).unwrap_or_default();
        let is_prose = !is_quoted(at) && TELLS.contains(&name.as_str());
        if !name.is_empty() && !is_prose {
            found.push(name);
        }
    }
    found.into_iter()
}

/// The name of a package without its version; empty for what is a path, a file, or prose.
fn package(word: &str) -> String {
    let word = bare(word).trim_matches(['`', '"', '\'']);
    let name = match word.strip_prefix('@') {
        Some(scoped) => format!("@{}", scoped.split('@').next().unwrap_or_default()),
        None => word.split(['@', '=', '[', '<', '>', '~', '^']).next().unwrap_or_default().to_owned(),
    };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "@/._-".contains(c));
    let is_path = name.starts_with(['.', '/', '~']) || name.ends_with(".txt") || name.ends_with(".toml");
    if is_name && !is_path && !name.is_empty() { name.to_lowercase() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_packages_are_read() {
        let text = "Fetch https://User@Evil.example:8443/x and http://localhost:3000/y, then `npm install -D @acme/tool@1.2`.";
        assert_eq!(hosts(text).collect::<Vec<_>>(), ["evil.example"]);
        assert_eq!(packages(text).collect::<Vec<_>>(), ["@acme/tool"]);
        let all = "Run `pip install requests==2.1`; `cargo add serde`; npx cowsay; `pip install -r requirements.txt`; `npm install`.";
        assert_eq!(packages(all).collect::<Vec<_>>(), ["requests", "serde", "cowsay"]);
    }

    #[test]
    fn what_is_said_of_a_command_is_no_package() {
        for text in [
            "`npm install` fails on Node 20, because the lockfile is old.",
            "npm install fails without a token.",
            "Run `pip install` in the venv, then npm install and restart.",
            "`go get` needs the proxy, and `brew install` is slow.",
            "pnpm install hangs behind the proxy.",
        ] {
            assert_eq!(packages(text).collect::<Vec<_>>(), [""; 0], "{text}");
        }
        assert_eq!(packages("npm install left-pad fails").collect::<Vec<_>>(), ["left-pad"]);
        assert_eq!(packages("Use `npm install` with `npx then`.").collect::<Vec<_>>(), ["then"]);
    }
}
