//! Command lines that a text names: scripts and targets, and the options of the project's own programs.
//!
//! What other programs take cannot be looked up here. An option counts as the
//! project's own behind the name of a program that its manifest gives, behind a
//! file or a task of the repository, and behind the `--` or `--args` of a runner.

use super::claims::Checker;
use super::ground::Ground;
use super::read::{bare, has_word};

impl Checker<'_> {
    /// Checks the commands of a sentence; an option that stands alone belongs to the program beside it.
    pub(super) fn commands(&mut self, spans: &[&str], absent: bool) {
        let own =
            spans.iter().any(|span| span.split_whitespace().next().is_some_and(|word| self.is_own(word)));
        for span in spans {
            let words: Vec<&str> = span.split_whitespace().collect();
            match words.as_slice() {
                [flag, ..] if self.is_defined_for_cmake(flag) == Some(false) && !absent => {
                    self.so(Some(false), "option", flag);
                }
                [flag] | [flag, _] if flag.starts_with("--") && own && !absent => self.option(flag),
                [_, _, ..] => self.command(&words, absent),
                _ => {}
            }
        }
    }

    fn command(&mut self, words: &[&str], absent: bool) {
        let start = words.iter().position(|word| !word.contains('=')).unwrap_or(0);
        let words = &words[start..];
        match words {
            ["npm" | "yarn" | "pnpm" | "bun", "run", script, ..] => {
                self.so(self.ground.says(&format!("\"{script}\"")), "script", script);
            }
            ["make" | "just", target, ..] if !target.starts_with('-') => {
                self.so(self.ground.says(&format!("{target}:")), "target", target);
            }
            _ => {}
        }
        let Some(from) = self.own_part(words).filter(|_| !absent) else { return };
        let ground = self.ground;
        let task = words[..from].last().and_then(|word| declaring(ground, word));
        for word in &words[from..] {
            // `--args="--port 1 --fast"` carries options of its own.
            let flag = word.trim_start_matches("--args=").trim_matches(['"', '\'']);
            match task {
                Some(text) if flag.starts_with("--") => self.option_of(flag, text),
                _ if flag.starts_with('-') => self.option(flag),
                _ => {}
            }
        }
    }

    /// Checks an option of a task: the file that declares it says which there are, if it says so of any.
    fn option_of(&mut self, word: &str, declared: &str) {
        let flag = word.split('=').next().map(bare).unwrap_or_default();
        let name = flag.trim_start_matches('-');
        let spelled = [name.to_owned(), name.replace('-', "_"), camel(name).to_lowercase()];
        let has_options = ["option", "argument", "strict:", "switches:", "{--"];
        if !has_options.iter().any(|sign| declared.contains(sign)) {
            self.option(word);
        } else if !matches!(name, "" | "help" | "version") {
            self.so(Some(spelled.iter().any(|form| has_word(declared, form))), "option", flag);
        }
    }

    /// Where the part of a command begins that the project's own program reads.
    fn own_part(&self, words: &[&str]) -> Option<usize> {
        let runners = ["uv", "poetry", "pipenv", "hatch", "npx", "bundle"];
        let skipped = match words {
            [runner, "run" | "exec", ..] if runners.contains(runner) => 2,
            ["npx", ..] => 1,
            _ => 0,
        };
        if words.get(skipped).is_some_and(|program| self.is_own(program)) {
            return Some(skipped + 1);
        }
        let runs = words.contains(&"run") && !["npm", "yarn", "pnpm", "bun", "docker"].contains(&words[0]);
        let behind = |word: &&str| (*word == "--" || word.starts_with("--args=")) && runs;
        let handed = words.iter().position(behind);
        let is_script = |word: &&str| self.is_script(word) || self.is_task(word);
        handed.or_else(|| words.iter().position(is_script).map(|at| at + 1))
    }

    /// Whether a word is a file of the repository that is run.
    fn is_script(&self, word: &str) -> bool {
        let end = word.rsplit_once('.').map_or("", |(_, end)| end);
        let runs = matches!(end, "py" | "sh" | "rb" | "js" | "ts" | "mjs" | "pl" | "php" | "exs");
        runs && self.ground.file(bare(word)).is_some()
    }

    /// Whether a word is a task that the repository declares: `digest:send`, `shop.import`.
    fn is_task(&self, word: &str) -> bool {
        let parts: Vec<&str> = word.split([':', '.']).collect();
        let plain = |part: &&str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        if parts.len() < 2 || !parts.iter().all(plain) {
            return false;
        }
        let is_named = || {
            self.ground.says(&format!("namespace :{}", parts[0])) == Some(true)
                && self.ground.says_word(parts[1]) == Some(true)
        };
        parts.len() == 2 && word.contains(':') && is_named() || declaring(self.ground, word).is_some()
    }

    /// Whether `-DSHOP_TRACE=ON` sets something that the repository knows; `None` where its name may be another's.
    fn is_defined_for_cmake(&self, flag: &str) -> Option<bool> {
        let name = flag.strip_prefix("-D")?.split(['=', ':']).next()?;
        let (prefix, _) = name.split_once('_')?;
        let own = self.ground.says(&format!("option({prefix}_")) == Some(true);
        self.ground.says_word(name).filter(|_| own)
    }

    /// Checks an option; one dash serves for long names in some languages.
    fn option(&mut self, word: &str) {
        let flag = word.split('=').next().map(bare).unwrap_or_default();
        let name = flag.trim_start_matches('-');
        let long = flag.starts_with("--") && name.len() > 1;
        let single = !flag.starts_with("--")
            && name.len() > 3
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if !(long || single) || matches!(name, "help" | "version") {
            return;
        }
        let spelled = [name.to_owned(), name.replace('-', "_"), camel(name)];
        let says: Vec<Option<bool>> = spelled.iter().map(|form| self.ground.says_word(form)).collect();
        let found = if says.contains(&Some(true)) { Some(true) } else { says[0] };
        self.so(found, "option", flag);
    }

    /// Whether a program is the project's own: its manifest gives it this name.
    fn is_own(&self, program: &str) -> bool {
        if program.len() < 2 || !program.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            return false;
        }
        let forms = [
            format!("name = \"{program}\""),
            format!("\"name\": \"{program}\""),
            format!("name: {program}\n"),
            format!("{program} = \""),
            format!("use: \"{program}\""),
            format!("app: :{program}"),
            format!("project('{program}'"),
            format!("project({program}"),
        ];
        let module = self.ground.lower("go.mod").unwrap_or_default();
        let module = module.lines().next().unwrap_or_default().trim_end().to_owned();
        module.ends_with(&format!("/{program}"))
            || self.ground.folder(&format!("cmd/{program}"))
            || forms.iter().any(|form| self.ground.says(form) == Some(true))
    }
}

/// What the file says, lower case, that gives a task this name: in quotes beside what makes it one, or as a module.
fn declaring<'g>(ground: &'g Ground<'_>, word: &str) -> Option<&'g str> {
    if !word.contains([':', '.']) {
        return None;
    }
    let word = word.to_lowercase();
    let module = format!("mix.tasks.{word} ");
    let quoted = [format!("'{word}"), format!("\"{word}")];
    let is_it = |line: &str| {
        line.contains(&module)
            || ["command", "signature", "task"].iter().any(|sign| line.contains(sign))
                && quoted.iter().any(|name| line.contains(name.as_str()))
    };
    ground.texts().find(|(_, text)| text.lines().any(is_it)).map(|(_, text)| text)
}

/// `dry-run` as `dryRun`.
fn camel(name: &str) -> String {
    let mut parts = name.split('-');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut all, part| {
        let mut letters = part.chars();
        all.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        all.push_str(letters.as_str());
        all
    })
}
