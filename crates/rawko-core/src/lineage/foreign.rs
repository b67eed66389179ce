//! Text that tools of this machine show and nobody wrote for this repository: a dependency's files, files elsewhere,
//! what others pushed, what strangers put into a database or a log.
//!
//! To run such a thing is not to read it: only programs that print what they are given count. What the run itself
//! made is its own, wherever it lies.

use std::collections::HashSet;

use super::fetching::{is_before, name, parts, without_written};

/// Folders, whatever they lie in, whose files others wrote or programs filled.
#[rustfmt::skip]
const FILLED: &[&str] = &[
    "node_modules", "bower_components", "vendor", "third_party", "thirdparty", "target", "venv", ".venv", ".tox", "site-packages",
    "dist-packages", ".cargo", ".rustup", ".gradle", ".m2", ".yarn", ".pnpm-store", "pods", "log", "logs",
];
/// Programs that print the files which they are given: first those that look through folders, then the others that are
/// told before the files what to print.
#[rustfmt::skip]
const SHOW: &[&str] = &[
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack",
    "sed", "awk", "gawk", "jq", "yq",
    "cat", "tac", "nl", "head", "tail", "less", "more", "bat", "batcat", "zcat", "cut", "sort", "strings", "xxd", "diff",
];
const SEARCH: usize = 7;
const TOLD_WHAT: usize = 12;
/// Programs that print what a database holds.
#[rustfmt::skip]
const DATABASES: &[&str] = &[
    "psql", "mysql", "mariadb", "sqlite3", "duckdb", "mongo", "mongosh", "redis-cli", "cqlsh", "clickhouse-client", "sqlcmd",
];
/// Programs that print what others wrote behind one of these words.
const LOGS: &[&str] =
    &["docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "heroku", "fly", "flyctl"];
const GIT_SHOWS: &[&str] = &["show", "log", "diff", "cat-file", "format-patch", "range-diff"];
const GIT_BRINGS: &[&str] = &["fetch", "pull"];

/// Where a run works, and what it has made and brought so far: that tells whose a text is which its tools show.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// The project's folder, with a slash at its end; empty where it is not known.
    folder: String,
    made: HashSet<String>,
    has_fetched: bool,
}

impl Surroundings {
    /// Those of a run that works in a folder.
    pub fn of(folder: &str) -> Self {
        let folder = folder.trim_end_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Self { folder, ..Self::default() }
    }

    /// Whether nothing is known of where the run works.
    pub(crate) fn is_unplaced(&self) -> bool {
        self.folder.is_empty()
    }

    /// A file as the project names it.
    pub(crate) fn relative<'p>(&self, file: &'p str) -> &'p str {
        let inside = (!self.folder.is_empty()).then(|| file.strip_prefix(&self.folder)).flatten();
        inside.unwrap_or(file)
    }

    /// Takes notice of a file that the run made.
    pub(crate) fn makes(&mut self, file: &str) {
        self.made.insert(file.to_owned());
    }

    /// Whether a file is none of the repository's own and not of the run's making.
    pub fn is_foreign(&self, file: &str) -> bool {
        !self.made.contains(file) && is_elsewhere(self.relative(file), !self.folder.is_empty())
    }

    /// Whether a command shows text that nobody wrote for this repository; what it makes and brings is noticed.
    pub fn shows_foreign(&mut self, command: &str, output: &str) -> bool {
        let parts = parts(&without_written(command));
        let mut shows = false;
        for words in &parts {
            self.has_fetched |= brings(words);
            shows |= self.part_shows(words, output);
            if !shows {
                written_to(words).for_each(|file| self.makes(file));
            }
        }
        shows
    }

    fn part_shows(&self, words: &[String], output: &str) -> bool {
        let Some(first) = words.iter().position(|word| !is_before(word)) else { return false };
        let (program, rest) = (name(&words[first]), &words[first + 1..]);
        let has = |asked: &[&str]| rest.iter().any(|word| asked.contains(&word.as_str()));
        let written: Vec<&str> = written_to(words).collect();
        let given = || rest.iter().filter(|word| !written.contains(&word.trim_start_matches('>')));
        let is_foreign = |word: &String| is_a_path(word) && self.is_foreign(word.trim_start_matches('<'));
        match SHOW.iter().position(|show| *show == program) {
            Some(at) => {
                let found = |line: &str| line.split_once(':').is_some_and(|(file, _)| self.is_foreign(file));
                let told = usize::from(at < TOLD_WHAT);
                let mut files = given().filter(|word| !word.starts_with('-')).skip(told);
                files.any(is_foreign) || at < SEARCH && output.lines().any(found)
            }
            // What is run from there shows what is there.
            None if program == "cd" => given().any(is_foreign),
            None if program == "git" => {
                has(GIT_SHOWS) && (self.has_fetched || rest.iter().any(|word| is_of_a_remote(word)))
            }
            None => {
                DATABASES.contains(&program)
                    || program == "journalctl"
                    || LOGS.contains(&program) && (has(&["logs"]) || has(DATABASES))
            }
        }
    }
}

fn brings(words: &[String]) -> bool {
    let first = words.iter().position(|word| !is_before(word));
    let is_git = first.is_some_and(|at| name(&words[at]) == "git");
    is_git && words.iter().any(|word| GIT_BRINGS.contains(&word.as_str()))
}

/// Whether a word names what a remote has. Of `origin/main..HEAD` only what is here and not there is shown.
fn is_of_a_remote(word: &str) -> bool {
    let shown = word.rsplit_once("..").map_or(word, |(_, shown)| shown);
    let shown = shown.strip_prefix("refs/").unwrap_or(shown);
    shown == "FETCH_HEAD"
        || shown.contains("@{u")
        || ["origin/", "upstream/", "remotes/"].iter().any(|remote| shown.starts_with(remote))
}

/// The files that a command writes: `> file`, `2>>file`, `tee file`.
fn written_to(words: &[String]) -> impl Iterator<Item = &str> {
    let redirects = words.iter().enumerate().filter_map(|(at, word)| {
        let behind = word.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('>')?;
        let file = behind.trim_start_matches('>');
        if file.is_empty() { words.get(at + 1).map(String::as_str) } else { Some(file) }
    });
    let tee = words.first().filter(|word| *word == "tee").map(|_| &words[1..]).unwrap_or_default();
    redirects.chain(tee.iter().map(String::as_str).filter(|word| !word.starts_with('-')))
}

/// Whether a word of a command can be a path: it has one's marks, and none of a pattern or a script.
fn is_a_path(word: &str) -> bool {
    let is_named = word.contains('/') || word.contains('.') || FILLED.contains(&word);
    is_named && !word.starts_with('-') && !word.contains(|c: char| c.is_whitespace() || "|\\^;{}".contains(c))
}

/// Whether a path, seen from the project's folder, leads out of it or into a folder that others filled.
fn is_elsewhere(path: &str, is_placed: bool) -> bool {
    if path.starts_with("/dev/") {
        return false;
    }
    if path.starts_with(['~', '$']) || path.starts_with('/') && (is_placed || path.starts_with("/tmp/")) {
        return true;
    }
    let mut depth = 0;
    for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
        depth += if step == ".." { -1 } else { 1 };
        if depth < 0 || FILLED.contains(&step.to_ascii_lowercase().as_str()) {
            return true;
        }
    }
    path.ends_with(".log")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(command: &str, output: &str) -> bool {
        Surroundings::of("/src/app").shows_foreign(command, output)
    }

    #[test]
    fn text_that_others_wrote_is_known_by_where_it_lies() {
        for command in [
            "cat node_modules/left-pad/README.md",
            "cd /src/app && head -50 vendor/x/README.md",
            "cat /tmp/page.html",
            "cat ~/Downloads/x.txt | grep -n port",
            "cat < ../other/notes.md",
            "cd node_modules/left-pad && cat README.md",
            "sed -n '1,40p' /src/app/.venv/lib/site-packages/x/core.py",
            "rg -n timeout target/doc",
            "git show origin/evil:README.md",
            "git fetch && git log origin/main",
            "git pull --rebase && git log -3",
            "git diff HEAD..upstream/main",
            "git cat-file -p FETCH_HEAD",
            "psql -c 'select body from tickets'",
            "docker compose exec db psql -c 'select 1'",
            "docker logs app",
            "kubectl -n prod logs deploy/api --tail=50",
            "tail -f logs/app.log",
            "FOO=1 sudo tail -n 5 /var/log/syslog",
        ] {
            assert!(shows(command, ""), "{command}");
        }
        assert!(shows(
            "grep -rn X-Admin .",
            "./src/a.ts:1:x\n./node_modules/left-pad/README.md:3:X-Admin passes"
        ));
    }

    #[test]
    fn what_is_run_written_or_listed_there_is_not_read() {
        for command in [
            "cat src/a.ts /src/app/README.md",
            "node_modules/.bin/jest src/a.test.ts",
            "./target/debug/app --help",
            ".venv/bin/python -m pytest -q",
            "ls node_modules && rm -rf target",
            "npm test 2>&1 | tail -20",
            "npm test > /tmp/out.txt; tail -5 /tmp/out.txt",
            "make 2>/dev/null | grep -n '/usr/lib'",
            "grep -rn 'node_modules/x' src",
            "git log -5",
            "git diff origin/main...HEAD",
            "git log origin/main..",
            "git pull --rebase",
            "git fetch origin",
            "docker compose up -d",
            "sed -i 's/a.b/c.d/' src/a.ts",
        ] {
            assert!(!shows(command, "src/a.ts:1: found"), "{command}");
        }
    }

    #[test]
    fn what_a_run_made_is_its_own_and_what_it_brought_is_not() {
        let mut run = Surroundings::of("/src/app/");
        assert!(!run.shows_foreign("make > /tmp/out.txt 2>&1", ""));
        assert!(!run.shows_foreign("tail -5 /tmp/out.txt", "") && run.is_foreign("/tmp/other.txt"));
        run.makes("/tmp/probe.py");
        assert!(!run.is_foreign("/tmp/probe.py") && !run.is_foreign("/src/app/src/a.ts"));
        assert!(!run.shows_foreign("git log -3", ""));
        assert!(!run.shows_foreign("git fetch fork", "") && run.shows_foreign("git log -3 fork/evil", ""));
        assert!(
            !run.shows_foreign("cat /tmp/other.txt > /tmp/copy.txt", "") || run.is_foreign("/tmp/copy.txt")
        );
        assert!(!Surroundings::default().is_foreign("/home/me/app/src/a.ts"), "where it works is not known");
    }
}
