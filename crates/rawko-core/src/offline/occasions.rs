//! The moments at which a rule matters: the commands and the files that its plain words name.
//!
//! People say "we use pnpm, not npm" and "never edit a merged migration", not `npm install` and `migrations/**`. A rule that
//! only the words of a task call comes too late, or never; so the programs that it names call it before
//! they run, and the folders and files of the repository before they are changed.

use std::collections::{BTreeMap, HashSet};

use super::lesson::escaped;
use crate::entry::Trigger;
use crate::evidence::RepoPath;
use crate::stem::stem;

/// Most commands and most paths that a rule gets.
const COMMANDS: usize = 3;
const PATHS: usize = 2;
/// Least letters of a word that may name a folder or a file.
const LEAST: usize = 4;
/// A folder with more of the repository's files than this share is no occasion, where there are more than a few.
const BROAD: f32 = 0.5;
const FEW: usize = 20;

/// Programs whose names are hardly ever everyday words.
#[rustfmt::skip]
const PROGRAMS: [&str; 76] = [
    "alembic", "ansible", "ansible-playbook", "apt-get", "autopep8", "bazel", "brew", "bundler", "bun", "cabal", "cargo", "clippy", "clang-format", "cmake",
    "conda", "ctest", "curl", "cypress", "deno", "docker", "docker-compose", "dotnet", "esbuild", "eslint", "ffmpeg", "flake8", "flyway", "gcloud",
    "golangci-lint", "gradle", "gradlew", "helm", "isort", "jest", "kubectl", "liquibase", "mvn", "mypy", "mysqldump", "ninja", "npm", "npx",
    "nuget", "phpunit", "pip", "pip3", "pipenv", "playwright", "pnpm", "podman", "poetry", "prettier", "psql", "pylint", "pyright", "pytest",
    "rsync", "rspec", "rubocop", "ruff", "rustfmt", "sbt", "sqlx", "swiftlint", "terraform", "terragrunt", "tofu", "tox", "tsc", "uv",
    "vitest", "webpack", "wget", "xcodebuild", "yarn", "zig",
];
/// Those of them that are everyday words after all: as a command they are what they are, in a sentence they may not be.
const EVERYDAY: [&str; 9] = ["brew", "bun", "cypress", "helm", "jest", "ninja", "poetry", "prettier", "tofu"];
/// What is done with git, as people call it.
const GIT: [(&str, &str); 5] = [
    ("push", "git push"),
    ("force-push", "git push"),
    ("commit", "git commit"),
    ("rebase", "git rebase"),
    ("cherry-pick", "git cherry-pick"),
];
/// Behind these stands what is not to be used.
const INSTEAD: [&str; 5] = ["not", "instead", "rather", "never", "without"];
/// So many words behind "before" may name what something comes first to.
const BEFORE: usize = 4;
/// What tells that a push is one of git.
const PUSHED: [&str; 14] = [
    "main", "master", "branch", "branches", "remote", "origin", "upstream", "git", "github", "gitlab",
    "force", "commits", "tags", "asking",
];
/// What a commit is of elsewhere.
const NO_COMMIT: [&str; 5] = ["transaction", "transactions", "offset", "offsets", "database"];
/// Folders whose names say nothing of what is in them, and words that name no file.
#[rustfmt::skip]
const VAGUE: [&str; 34] = [
    "app", "apps", "bin", "build", "code", "common", "core", "data", "dist", "example", "examples", "file", "files", "general", "index", "internal", "lib",
    "libs", "main", "misc", "module", "modules", "node_modules", "other", "package", "packages", "project", "shared", "source", "src", "target", "util",
    "utils", "vendor",
];

/// The triggers by which a rule is called before a command runs or a file is changed.
pub fn occasions(text: &str, files: &[RepoPath]) -> Vec<Trigger> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .map(|word| word.trim_matches(['.', '-']))
        .filter(|word| !word.is_empty())
        .collect();
    let commands = commands(&words).into_iter().take(COMMANDS).map(Trigger::Command);
    let paths = paths(&words, files).into_iter().take(PATHS).map(Trigger::Path);
    commands.chain(paths).collect()
}

/// Whether a word is the name of a program that people use at work.
pub(super) fn names_a_program(word: &str) -> bool {
    PROGRAMS.contains(&word) && !EVERYDAY.contains(&word)
}

/// Whether a word may be the name of one, though it be an everyday word, too.
pub(super) fn may_name_a_program(word: &str) -> bool {
    PROGRAMS.contains(&word)
}

/// Expressions for the commands that words name.
///
/// Where one is named instead of another, the other is what calls; and what is to be done before a commit is called by that.
fn commands(words: &[&str]) -> Vec<String> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_git = |name: &str| match name {
        "push" => has(&PUSHED),
        "commit" => !has(&NO_COMMIT),
        _ => true,
    };
    let known = |word: &str| {
        let known = GIT.iter().find(|(name, _)| word == *name || stem(word) == stem(name));
        known.filter(|(name, _)| is_git(name)).map(|(_, command)| *command)
    };
    let (mut git, mut programs): (Vec<String>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        match known(word) {
            Some(command) if git.iter().all(|found| found != command) => git.push(command.to_owned()),
            None if PROGRAMS.contains(word) && programs.iter().all(|(_, found)| found != word) => {
                programs.push((at, (*word).to_owned()));
            }
            _ => {}
        }
    }
    let turn = words.iter().position(|word| INSTEAD.contains(word));
    let unwanted: Vec<(usize, String)> =
        programs.iter().filter(|(at, _)| turn.is_some_and(|turn| *at > turn)).cloned().collect();
    let before = words.iter().position(|word| *word == "before");
    let comes_first =
        before.is_some_and(|at| words[at + 1..].iter().take(BEFORE).any(|word| known(word).is_some()));
    if comes_first {
        programs.clear();
    } else if !unwanted.is_empty() {
        programs = unwanted;
    }
    // At the head of a command, not within its words.
    let calls = programs.into_iter().map(|(_, word)| format!("(^|[;&|] *){}( |$)", escaped(&word)));
    calls.chain(git).collect()
}

/// Globs for the folders and files of the repository that words name.
fn paths(words: &[&str], files: &[RepoPath]) -> Vec<String> {
    // By stem: a folder and how many files are below one of its name; a file's name without its ending.
    let mut folders: BTreeMap<String, (String, usize)> = BTreeMap::new();
    let mut names: BTreeMap<String, Vec<&RepoPath>> = BTreeMap::new();
    for file in files {
        let lower = file.as_str().to_lowercase();
        let mut parts: Vec<&str> = lower.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let seen: HashSet<&str> = parts.into_iter().filter(|part| is_telling(part)).collect();
        for part in seen {
            folders.entry(stem(part).into_owned()).or_insert_with(|| (part.to_owned(), 0)).1 += 1;
        }
        let bare = name.trim_start_matches('.').rsplit_once('.').map_or(name, |(bare, _)| bare);
        if is_telling(bare) {
            names.entry(stem(bare).into_owned()).or_default().push(file);
        }
    }
    let broad = if files.len() > FEW { (files.len() as f32 * BROAD) as usize } else { files.len() };
    let mut found: Vec<String> = Vec::new();
    for word in words.iter().filter(|word| is_telling(word)) {
        let stem = stem(word);
        let folder = folders.get(stem.as_ref()).filter(|(_, count)| *count <= broad);
        let glob = match (folder, names.get(stem.as_ref()).map(Vec::as_slice)) {
            (Some((name, _)), _) => Some(format!("**/{name}/**")),
            (None, Some([file])) => Some(file.as_str().to_owned()),
            _ => None,
        };
        found.extend(glob.filter(|glob| !found.contains(glob)));
    }
    found
}

fn is_telling(word: &str) -> bool {
    word.chars().count() >= LEAST && !VAGUE.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let files = [
            "migrations/001_init.sql",
            "migrations/002_more.sql",
            "src/app.ts",
            "src/load.ts",
            "tests/load.test.ts",
            "openapi.yaml",
            "Makefile",
            "docs/api.md",
        ];
        let files: Vec<RepoPath> = files.iter().map(|path| RepoPath::new(path).expect("a path")).collect();
        occasions(text, &files).iter().map(|trigger| trigger.text().to_owned()).collect()
    }

    #[test]
    fn a_rule_is_called_by_the_programs_that_it_names() {
        assert_eq!(told("We use pnpm here, not npm."), ["(^|[;&|] *)npm( |$)"]);
        assert_eq!(told("Never push to main without asking me."), ["git push"]);
        assert_eq!(told("You must run ruff before each commit."), ["git commit"]);
        assert_eq!(told("Always run ruff before committing."), ["git commit"]);
        assert_eq!(told("Run terraform plan before a push to main."), ["git push"]);
        assert_eq!(
            told("terraform and kubectl are run by the pipeline alone."),
            ["(^|[;&|] *)terraform( |$)", "(^|[;&|] *)kubectl( |$)"]
        );
        assert_eq!(told("Squash before pushing a branch, no rebasing."), ["git push", "git rebase"]);
    }

    #[test]
    fn words_that_only_sound_like_a_command_call_nothing() {
        assert_eq!(told("Push notifications are sent by the worker."), [""; 0]);
        assert_eq!(told("Commit the transaction before you answer."), [""; 0]);
        assert_eq!(told("Make it go black."), [""; 0]);
    }

    #[test]
    fn a_rule_is_called_by_the_folders_and_files_that_it_names() {
        assert_eq!(told("Never edit a migration that is merged."), ["**/migrations/**"]);
        assert_eq!(told("When you add an endpoint, add it to the openapi file."), ["openapi.yaml"]);
        assert_eq!(told("Next time please check the Makefile first."), ["Makefile"]);
        assert_eq!(told("Tests must not touch the network."), ["**/tests/**"]);
        assert_eq!(told("The source is generated."), [""; 0]);
    }
}
