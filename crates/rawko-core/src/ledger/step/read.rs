//! A program's words in their normal form.

use super::super::place::{At, inside, is_temporary, looks_like_path, seen_from, without_random};
use super::super::shell::Simple;
use super::super::tools::{self, Tool};
use super::spell;
use super::wrap::unwrapped;
use super::{Near, Step};

/// Most programs that start one another.
const MOST_WRAPPED: usize = 4;
/// Options that say in which folder to work, whoever takes them.
#[rustfmt::skip]
const FOLDERS: &[&str] = &["cwd", "chdir", "directory", "working-dir", "working-directory", "project-dir", "project-directory"];

/// Whether an option says in which folder to work, with one dash or two.
fn says_where(option: &str) -> bool {
    FOLDERS.contains(&option.trim_start_matches('-')) && option.len() > 2
}

impl Step {
    /// The normal form of one program's words, started in `folder`.
    pub(in super::super) fn of(simple: &Simple, at: At<'_>, folder: &str) -> Option<Self> {
        let mut step = Self { folder: folder.to_owned(), ..Self::default() };
        let mut env = simple.env.clone();
        let mut words = unwrapped(&simple.words, &mut env).to_vec();
        let mut wrapper = None;
        for _ in 0..=MOST_WRAPPED {
            step.name(words.first()?, at, &mut wrapper);
            let Some(inner) = step.enter(&words[1..], at) else { break };
            words = unwrapped(&inner, &mut env).to_vec();
        }
        step.raw = words.clone();
        let mut rest = words.split_off(1);
        step.respell(&mut rest);
        step.unshell(&mut rest);
        spell::words(&step.program, &mut rest);
        step.env = env
            .iter()
            .filter(|(name, value)| !tools::env_only_shows(name) && !only_shows(value))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        step.env.sort();
        step.env.dedup();
        step.rooted = step.tool().anywhere || step.tool().placeless;
        step.take(&rest, at);
        step.rename(wrapper.as_deref());
        step.spell();
        step.drop_defaults();
        let expressions = usize::from(
            step.tool().script
                && !step.flags.iter().any(|flag| flag.starts_with("-e=") || flag.starts_with("-f=")),
        );
        let place = |word: &String| spelled(word, at, &step.folder, step.rooted);
        let words: Vec<String> = step
            .words
            .iter()
            .enumerate()
            .map(|(n, word)| if n < expressions { word.clone() } else { place(word) })
            .collect();
        let tail = step
            .tail
            .iter()
            .filter(|word| !tools::only_shows(word) && !step.tool().shows.contains(&word.as_str()));
        // `--rows=9` is `--rows 9`, also behind the dashes.
        let tail = tail.flat_map(|word| match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => vec![name.to_owned(), place(&value.to_owned())],
            None => vec![place(word)],
        });
        let tail: Vec<String> = tail.collect();
        // Plain words are what they are behind the dashes, too.
        let (words, tail) = match tail.iter().any(|word| word.starts_with('-')) {
            true => (words, tail),
            false => ([words, tail].concat(), Vec::new()),
        };
        let reads = simple.reads.iter().map(place).collect();
        // What is logged is only shown elsewhere.
        let kept = simple.writes.iter().filter(|path| {
            (!is_temporary(path) || inside(at, folder, path).is_some()) && !path.ends_with(".log")
        });
        let writes = kept.map(place).collect();
        (step.words, step.tail, step.reads, step.writes) = (words, tail, reads, writes);
        step.resolve_targets();
        step.flags.sort();
        Some(step)
    }

    /// Takes the program's name; a build's own wrapper also says where the build is.
    fn name(&mut self, first: &str, at: At<'_>, wrapper: &mut Option<String>) {
        let base = first.rsplit('/').next().unwrap_or(first);
        let place = first.rsplit_once('/').map_or("", |(place, _)| place);
        let inner = inside(at, &self.folder, first).filter(|_| first.contains('/'));
        let stub = matches!(base, "gradlew" | "mvnw" | "artisan" | "manage.py")
            || matches!(place.rsplit('/').next(), Some("bin" | ".bin" | "sbin" | "exe"))
                && (tools::is_known(base)
                    || place.contains(".bin")
                    || place.contains("venv")
                    || place.contains("vendor"));
        self.program = match inner {
            Some(path) if stub => {
                if base == "gradlew" {
                    *wrapper = Some(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
                }
                tools::program(base).to_owned()
            }
            Some(path) => format!("./{}", seen_from(&self.folder, &path)),
            None => tools::program(first).to_owned(),
        };
    }

    /// The command behind a program that only starts another: `uv run x`, `bundle exec x`, `npx x`.
    fn enter(&mut self, rest: &[String], at: At<'_>) -> Option<Vec<String>> {
        let tool = self.tool();
        if tool.runs.is_empty() {
            // `x exec -- y` is y in x's surroundings, whoever x is.
            let inner = rest.strip_prefix(&["exec".to_owned(), "--".to_owned()][..]);
            let inner = inner.filter(|inner| !inner.is_empty())?.to_vec();
            self.via.push(std::mem::take(&mut self.program));
            return Some(inner);
        }
        let mut found = tool.runs.contains(&"");
        let mut own: Vec<(String, Option<String>)> = Vec::new();
        let mut n = 0;
        while let Some(word) = rest.get(n) {
            if word == "--" && found {
                n += 1;
                break;
            }
            if word.starts_with('-') && word.len() > 1 {
                for (name, value) in options(word, tool) {
                    let takes = value.is_none() && tool.values.contains(&name.as_str());
                    n += usize::from(takes);
                    own.push((name, value.or_else(|| rest.get(n).filter(|_| takes).cloned())));
                }
            } else if found {
                break;
            } else if tool.runs.contains(&word.as_str())
                || word == "run" && rest.get(n + 1).is_some_and(|next| self.has_bin(next))
            {
                found = true;
            } else if self.has_bin(word) {
                found = true;
                break;
            } else {
                return None;
            }
            n += 1;
        }
        // `mise exec tool@1 -- x`, `direnv exec . x`: what stands before is not the command.
        if tool.names.contains(&"mise") {
            let dashes = rest.iter().skip(n).position(|word| word == "--");
            n += dashes.map_or(usize::from(self.program == "direnv"), |at| at + 1);
        }
        let mut inner = rest.get(n..).filter(|inner| found && !inner.is_empty())?.to_vec();
        let program = std::mem::take(&mut self.program);
        for (name, value) in own {
            let is_folder = tool.folder.contains(&name.as_str()) || says_where(&name);
            match value.as_deref().filter(|_| is_folder).and_then(|folder| inside(at, &self.folder, folder)) {
                Some(folder) => self.folder = folder,
                None if tools::only_shows(&name) || tool.shows.contains(&name.as_str()) => {}
                None => self.flags.push(match value {
                    Some(value) => format!("{program}:{name}={value}"),
                    None => format!("{program}:{name}"),
                }),
            }
        }
        // `npx x@2` is x, of a version that may matter.
        if let Some((name, version)) = inner[0].clone().rsplit_once('@').filter(|(name, _)| !name.is_empty())
        {
            self.flags.push(format!("{program}:@{version}"));
            inner[0] = name.to_owned();
        }
        self.via.push(program);
        Some(inner)
    }

    /// Whether a package manager runs this program of its packages by its bare name: `yarn tsc`.
    fn has_bin(&self, word: &str) -> bool {
        matches!(self.program.as_str(), "yarn" | "pnpm" | "bun") && tools::is_packaged(word)
    }

    fn take(&mut self, rest: &[String], at: At<'_>) {
        let tool = self.tool();
        let mut words = rest.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                self.tail = words.map(str::to_owned).collect();
                return;
            }
            if spell::is_jobs(word, tool) {
                if word == "-j" {
                    words.next_if(|next| {
                        next.bytes().all(|byte| byte.is_ascii_digit()) || next.starts_with('$')
                    });
                }
                continue;
            }
            let numeric = word.len() > 1 && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if !word.starts_with('-') || word == "-" || numeric && !tool.sub {
                self.plain(word, tool);
                continue;
            }
            if word.len() > 2 && word.bytes().skip(1).all(|byte| byte == b'v') {
                continue;
            }
            // `-v quiet`, `--color never`: what is said and how.
            let brief = word == "-v"
                && words.peek().is_some_and(|next| {
                    ["q", "m", "n", "d"].contains(next)
                        || tool.shows.contains(&"-v") && next.parse::<u8>().is_ok()
                });
            if brief
                || words.peek().is_some_and(|next| tools::is_manner(next))
                    && (word == "-v" || tools::only_shows(word) && !tool.values.contains(&word))
            {
                words.next();
                continue;
            }
            // `-D a=b` is `-Da=b`.
            let defined =
                words.next_if(|next| word == "-D" && next.contains('=')).map(|next| format!("-D{next}"));
            let word = defined.as_deref().unwrap_or(word);
            let options = options(word, tool);
            let last = options.len() - 1;
            for (n, (name, value)) in options.into_iter().enumerate() {
                let takes = |next: &&str| {
                    tool.values.contains(&name.as_str())
                        || is_folder(&name) && !next.starts_with('-')
                        || enters(tool, &name) && is_place(next)
                };
                let value = value.or_else(|| words.next_if(takes).map(str::to_owned));
                let behind = words.peek().is_some_and(|next| n == last && !next.starts_with('-'));
                self.option(name, value, behind, tool, at);
            }
        }
    }

    fn plain(&mut self, word: &str, tool: &Tool) {
        if tool.sub && self.sub.is_none() {
            self.sub = Some(known(word, tool).to_owned());
        } else if self.words.is_empty() {
            self.words.push(if tool.sub { word } else { known(word, tool) }.to_owned());
        } else {
            self.words.push(word.to_owned());
        }
    }

    fn option(&mut self, name: String, value: Option<String>, behind: bool, tool: &Tool, at: At<'_>) {
        let is = |names: &[&str]| names.contains(&name.as_str());
        if let Some(path) = &value
            && let Some(path) = inside(at, &self.folder, path)
        {
            if is(tool.folder) || says_where(&name) && !is(tool.values) || enters(tool, &name) {
                self.folder = path;
                return;
            }
            let (place, file) = path.rsplit_once('/').unwrap_or(("", &path));
            if is(tool.manifest) && (tool.manifests.contains(&file) || file.contains('.')) {
                self.folder = place.to_owned();
                if !tool.manifests.contains(&file) {
                    self.flags.push(format!("{name}={file}"));
                }
                return;
            }
            if is(tool.manifest) {
                self.folder = path;
                return;
            }
            // The file that it would find by itself, and the folder in which it looks anyway: `--settings-dir .`
            let here = path == self.folder && is_folder(&name);
            if here || place == self.folder && tool.manifests.contains(&file) {
                return;
            }
        }
        // `x build -v`: what stands alone behind a verb, and means nothing else to this program.
        let listed = [tool.values, tool.bare, tool.folder].iter().any(|list| is(list));
        let verb = self.sub.is_some() || !self.words.is_empty();
        let brief = is(&["-v", "-q"]) && !listed && !behind && verb && value.is_none();
        let manner = value.as_deref().is_some_and(|value| ["quiet", "silent", "verbose"].contains(&value));
        if tools::only_shows(&name) || is(tool.shows) || brief || manner {
            return;
        }
        let sub = self.sub.as_deref().unwrap_or_default();
        if tool.prose.contains(&(sub, name.as_str())) {
            self.prose.extend(value);
            return;
        }
        let spell = |value: &str| spelled(value, at, &self.folder, self.rooted);
        match value {
            Some(value) if is(tool.values) => {
                let value = spell(&value);
                self.flags.push(format!("{name}={value}"));
            }
            Some(value) => {
                // Nobody knows the option: `--rows=100` is `--rows 100`.
                let value = spell(&value);
                self.near.push(Near { flag: name, word: Some(self.words.len()), joined: true });
                self.words.push(value);
            }
            None if is(tool.bare) => self.flags.push(name),
            None => {
                // A subcommand that is still to come is not its value.
                let behind = behind && !(tool.sub && self.sub.is_none());
                self.near.push(Near { flag: name, word: behind.then_some(self.words.len()), joined: false });
            }
        }
    }

    /// Takes a plain word out.
    pub(super) fn remove_word(&mut self, at: usize) -> String {
        for near in &mut self.near {
            near.word = near.word.filter(|word| *word != at).map(|word| word - usize::from(word > at));
        }
        self.words.remove(at)
    }
}

/// A subcommand in the spelling that counts.
fn known<'a>(word: &'a str, tool: &Tool) -> &'a str {
    tool.subs.iter().find(|(other, _)| *other == word).map_or(word, |(_, one)| one)
}

/// A word that may hold options, each with its value where it is attached.
fn options(word: &str, tool: &Tool) -> Vec<(String, Option<String>)> {
    let is_listed = |name: &str| {
        [tool.values, tool.bare, tool.shows, tool.folder].iter().any(|list| list.contains(&name))
    };
    let known = |name: &str| {
        if let Some((_, one)) = tool.flags.iter().find(|(other, _)| *other == name) {
            return (*one).to_owned();
        }
        // `--run` is `-run` where words have one dash.
        match name.strip_prefix('-').filter(|single| single.starts_with('-') && single.len() > 2) {
            Some(single) if !is_listed(name) && is_listed(single) => single.to_owned(),
            _ => name.to_owned(),
        }
    };
    if let Some((name, value)) = word.split_once('=') {
        return vec![(known(name), Some(value.to_owned()))];
    }
    if word.starts_with("--") || !word.is_ascii() {
        return vec![(known(word), None)];
    }
    let short = known(&word[..2.min(word.len())]);
    if word.len() > 2 && !is_listed(word) && known(word) == word {
        if tool.values.contains(&short.as_str())
            && !tool.values.iter().any(|value| value.len() > 2 && !value.starts_with("--"))
        {
            return vec![(short, Some(word[2..].to_owned()))];
        }
        let letters = word[1..].bytes().all(|byte| byte.is_ascii_alphabetic());
        // Of a program that is not known, two letters are two options.
        if tool.bundles || tool.names.is_empty() && word.len() == 3 && letters {
            let letters = word[1..].char_indices();
            return letters.map(|(_, letter)| (known(&format!("-{letter}")), None)).collect();
        }
    }
    vec![(known(word), None)]
}

/// One spelling of a word: a path as seen from where the program works, a temporary name without its random parts.
pub(super) fn spelled(word: &str, at: At<'_>, folder: &str, rooted: bool) -> String {
    if is_temporary(word) && inside(at, folder, word).is_none() {
        return without_random(word);
    }
    if word.contains("127.0.0.1") {
        return word.replace("127.0.0.1", "localhost");
    }
    let is_path = looks_like_path(word)
        || matches!(word, "." | "..")
        || ["./", "../", "/"].iter().any(|start| word.starts_with(start));
    let Some(path) =
        inside(at, folder, word).filter(|_| is_path && !word.contains('@') && !word.starts_with("//"))
    else {
        return word.to_owned();
    };
    match path.as_str() {
        "" if rooted => ".".to_owned(),
        _ if rooted => path,
        _ => seen_from(folder, &path),
    }
}

/// Whether an unknown program is sent to a folder by `-C`, as nearly all are that know it.
fn enters(tool: &Tool, option: &str) -> bool {
    tool.names.is_empty() && option == "-C"
}

/// Whether a word can only be a folder: `.`, `a/b`, and no file by its ending.
fn is_place(word: &str) -> bool {
    let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
    matches!(word, "." | "..") || word.contains('/') && !last.contains('.')
}

/// Whether an option names a folder, whoever takes it.
fn is_folder(option: &str) -> bool {
    ["-dir", "-directory", "-folder"].iter().any(|end| option.ends_with(end))
}

/// Whether a variable's value is made of options that only change what is shown: `MAKEFLAGS=--silent`.
fn only_shows(value: &str) -> bool {
    !value.trim().is_empty() && value.split_whitespace().all(tools::only_shows)
}
