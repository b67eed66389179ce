//! What a text claims of the repository, and whether it is so.
//!
//! A path, a commit, a script, an option of the project's own program, a name
//! said to stand in a file, a dependency's version: each can be looked up.
//! What a sentence says to be absent, tried or planned is no claim, and what
//! other programs offer cannot be looked up here.

use serde_json::{Value, json};

use super::ground::Ground;
use super::prose::{is_doubt, is_taken_back};
use super::read::{Sentence, Span, bare, has_word, spans};

/// Something that a text claims and the repository does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproven {
    /// What kind of thing.
    pub kind: &'static str,
    /// As it is written.
    pub what: String,
}

/// What came of checking a text's claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// The first claim that is not so.
    pub(crate) unproven: Option<Unproven>,
    /// How many are.
    pub(crate) proved: usize,
    /// Files that it names and that are there.
    pub(crate) files: Vec<String>,
    /// Names of code that are defined in such a file: the file, and the name.
    pub(crate) symbols: Vec<(String, String)>,
}

impl Checked {
    /// Adds what was proved to the evidence that a proposal brings; hashes are left to be filled in.
    pub(crate) fn add_evidence(&self, evidence: &mut Value) {
        let mut items = match evidence.take() {
            Value::Null => Vec::new(),
            Value::Array(items) => items,
            other => vec![other],
        };
        for (file, name) in &self.symbols {
            let same = |item: &Value| item["file"] == **file && item["symbol"] == **name;
            if items.len() < MOST_ITEMS && !items.iter().any(same) {
                items.push(json!({ "file": file, "symbol": name, "hash": "" }));
            }
        }
        for file in &self.files {
            if items.len() < MOST_ITEMS && !items.iter().any(|item| item["file"] == **file) {
                items.push(json!({ "file": file }));
            }
        }
        if !items.is_empty() {
            *evidence = Value::Array(items);
        }
    }
}

/// Most things that a memory is said to rest on.
const MOST_ITEMS: usize = 8;

#[rustfmt::skip]
const ABSENT: &[&str] = &[
    "does not exist", "doesn't exist", "do not exist", "no such", "there is no", "there are no", "gone", "removed", "deleted",
    "was moved", "not in", "no longer", "nowhere", "never existed", "lacks", "missing", "not checked in", "not in the repository", "generated", "creates", "created", "writes",
    "existiert nicht", "gibt es nicht", "no existe", "n'existe pas", "lost", "earlier", "former", "used to", "renamed",
];

/// Files by whose ends people name sources, settings and documents.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "ts", "tsx", "js", "jsx", "mjs", "py", "rs", "go", "rb", "java", "kt", "swift", "c", "h", "cpp", "hpp", "cc", "cs", "php", "scala", "ex", "exs",
    "toml", "yaml", "yml", "json", "md", "sql", "sh", "cfg", "ini", "lock", "css", "scss", "html", "vue", "proto", "tf", "gradle", "xml",
];

/// Checks every claim in some sentences.
pub(crate) fn check(sentences: &[Sentence], ground: &Ground<'_>) -> Checked {
    let mut checked = Checked::default();
    for sentence in sentences {
        Checker {
            ground,
            sentence: &sentence.text,
            lower: sentence.text.to_lowercase(),
            checked: &mut checked,
            named: Vec::new(),
        }
        .run();
    }
    checked
}

struct Checker<'c> {
    ground: &'c Ground<'c>,
    sentence: &'c str,
    lower: String,
    checked: &'c mut Checked,
    /// Files that the sentence names and that are there.
    named: Vec<String>,
}

impl Checker<'_> {
    fn run(mut self) {
        let absent = ABSENT.iter().any(|word| has_word(&self.lower, word));
        let mut named_file = false;
        for span in spans(self.sentence) {
            let (text, code) = match span {
                Span::Code(code) => (code, true),
                Span::Prose(prose) => (prose, false),
            };
            if code && text.contains(' ') {
                self.command(text);
            }
            for word in text.split(|c: char| c.is_whitespace() || "()[]{},;\"'=<>|".contains(c)).map(bare) {
                named_file |= self.path(word, absent, code && text.contains(' '));
                self.commit(word, code);
            }
        }
        self.versions();
        if named_file && !absent {
            self.located();
        }
    }

    fn so(&mut self, found: Option<bool>, kind: &'static str, what: &str) {
        match found {
            Some(true) => self.checked.proved += 1,
            Some(false) if self.checked.unproven.is_none() => {
                self.checked.unproven = Some(Unproven { kind, what: what.to_owned() });
            }
            Some(false) | None => {}
        }
    }

    /// Checks a path; says whether it names a file that is there.
    fn path(&mut self, word: &str, absent: bool, argument: bool) -> bool {
        let word = word.split_once(':').map_or(word, |(path, _)| path);
        let end = word.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
        let is_source = ENDS.contains(&end.as_str()) && word.len() > end.len() + 1;
        let foreign = word.starts_with(['/', '~', '$', '@', '.']) && !word.starts_with(".github")
            || word.contains("//");
        let folder = word.ends_with('/') && word.matches('/').count() > 1;
        if foreign || !(is_source || folder) || word.contains("..") {
            return false;
        }
        let file = self.ground.file(word).map(str::to_owned);
        if file.is_some() || self.ground.folder(word) {
            self.so(Some(true), "path", word);
            self.rests_on(file);
            return !folder;
        }
        let said = match word.split_once('*') {
            Some((_, after)) => self.ground.says(after),
            None => self.ground.says(word),
        };
        let ignored = word.split('/').next().is_some_and(|first| self.is_ignored(first));
        if !absent && !ignored && said == Some(false) {
            // A bare name may be a file of the run, and what a command is given an example of many.
            let example =
                argument && word.rsplit_once('/').is_some_and(|(folder, _)| self.ground.folder(folder));
            self.so((word.contains('/') && !example).then_some(false), "path", word);
        }
        false
    }

    /// Notes a file that a claim rests on.
    fn rests_on(&mut self, file: Option<String>) {
        let Some(file) = file else { return };
        if !self.checked.files.contains(&file) {
            self.checked.files.push(file.clone());
        }
        self.named.push(file);
    }

    /// Notes the file of the sentence that defines a name.
    fn defined(&mut self, name: &str) {
        let is_there = |file: &&String| self.ground.defines(file, name);
        let Some(file) = self.named.iter().find(is_there).cloned() else { return };
        let symbol = (file, name.to_owned());
        if !self.checked.symbols.contains(&symbol) {
            self.checked.symbols.push(symbol);
        }
    }

    fn is_ignored(&self, folder: &str) -> bool {
        let lines = self.ground.lower(".gitignore").unwrap_or_default();
        let folder = folder.to_lowercase();
        lines.lines().any(|line| line.trim().trim_matches('/') == folder)
    }

    fn commit(&mut self, word: &str, code: bool) {
        let is_id = (7..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic());
        let told = [
            "commit",
            "commits",
            "revision",
            "reverted",
            "introduced",
            "bisect",
            "blame",
            "came in with",
            "changeset",
        ];
        if is_id && (code || told.iter().any(|word| has_word(&self.lower, word))) {
            let found = self.ground.commit(word).map(|found| found || self.ground.says(word) == Some(true));
            self.so(found, "commit", word);
        }
    }

    /// Checks a command line: scripts, and the options of the project's own program.
    fn command(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().skip_while(|word| word.contains('=')).collect();
        let own = match words.as_slice() {
            ["npm" | "yarn" | "pnpm" | "bun", "run", script, ..] => {
                self.so(self.ground.says(&format!("\"{script}\"")), "script", script);
                true
            }
            ["make" | "just", target, ..] if !target.starts_with('-') => {
                self.so(self.ground.says(&format!("{target}:")), "target", target);
                true
            }
            ["uv" | "poetry" | "pipenv" | "hatch", "run", program, ..] | ["npx", program, ..] => {
                self.is_own(program)
            }
            [program, ..] => self.is_own(program),
            [] => false,
        };
        if own {
            for flag in words.iter().map(|word| word.split('=').next().unwrap_or(word)).map(bare) {
                if flag.len() > 3 && flag.starts_with("--") {
                    self.option(flag);
                }
            }
        }
    }

    fn option(&mut self, flag: &str) {
        let name = flag.trim_start_matches('-');
        let spelled = [flag.to_owned(), format!("\"{name}\""), name.replace('-', "_")];
        let says: Vec<Option<bool>> = spelled.iter().map(|form| self.ground.says(form)).collect();
        let found = if says.contains(&Some(true)) { Some(true) } else { says[0] };
        self.so(found, "option", flag);
    }

    /// Whether a program is the project's own: its manifest gives it this name.
    fn is_own(&self, program: &str) -> bool {
        if program.len() < 2 || program.contains(['/', '-', '.']) && program.starts_with(['/', '-', '.']) {
            return false;
        }
        let forms = [
            format!("name = \"{program}\""),
            format!("\"name\": \"{program}\""),
            format!("{program} = \""),
            format!("use: \"{program}\""),
            format!("project('{program}'"),
            format!("project({program}"),
        ];
        let module = self.ground.lower("go.mod").unwrap_or_default();
        let module = module.lines().next().unwrap_or_default().trim_end().to_owned();
        module.ends_with(&format!("/{program}"))
            || self.ground.folder(&format!("cmd/{program}"))
            || forms.iter().any(|form| self.ground.says(form) == Some(true))
    }

    /// Checks that a name of code which a sentence puts beside a file is known at all.
    fn located(&mut self) {
        if is_doubt(&self.lower) || is_taken_back(&self.lower) || is_past(&self.lower) {
            return;
        }
        for span in spans(self.sentence) {
            let Span::Code(code) = span else { continue };
            let name = code.split('(').next().unwrap_or(code);
            let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.'));
            let named = name.len() > 3
                && plain
                && !name.contains(' ')
                && !ENDS.iter().any(|end| name.ends_with(&format!(".{end}")));
            let made = name.contains('_')
                || name.contains(':')
                || code.contains('(')
                || name.chars().skip(1).any(char::is_uppercase);
            if named && made && name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                let last = name.rsplit("::").next().unwrap_or(name);
                let last = last.rsplit('.').next().unwrap_or(last);
                self.so(self.ground.says(last), "name", name);
                self.defined(last);
            }
        }
    }

    /// Checks versions that are given to the last digit for things that the repository pins.
    fn versions(&mut self) {
        #[rustfmt::skip]
        const COMPARES: &[&str] = &[
            "fails", "fail", "failed", "breaks", "broke", "upgrade", "upgraded", "upgrading", "newer", "older", "not", "throws", "only",
            "until", "instead", "tried", "would", "since", "before", "released", "downgrade",
        ];
        let clauses: Vec<String> = self.lower.split([',', ';', ':', '(']).map(str::to_owned).collect();
        for clause in clauses.iter().filter(|clause| !COMPARES.iter().any(|word| has_word(clause, word))) {
            self.version_in(clause);
        }
    }

    fn version_in(&mut self, clause: &str) {
        let words: Vec<String> = clause
            .split(|c: char| c.is_whitespace() || "`\"'),=@".contains(c))
            .map(|word| bare(word).to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let [name, version] = pair else { continue };
            let exact = version.split('.').count() >= 3
                && version
                    .split('.')
                    .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
            if exact && name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            {
                let pinned = self.ground.pinned(name);
                let found = (!pinned.is_empty()).then(|| pinned.contains(version));
                self.so(found, "version", &format!("{name} {version}"));
            }
        }
    }
}

/// Whether a sentence tells what somebody did, not what is.
fn is_past(lower: &str) -> bool {
    let tells = |word: &str| word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed");
    let words: Vec<&str> = lower.split_whitespace().map(bare).collect();
    let told = words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("i", |at| words[at]);
        tells(word) && ["i", "we", "they", "he", "she", "then", "also", "first", "and"].contains(&before)
    });
    told || has_word(lower, "was") || has_word(lower, "were") || has_word(lower, "made")
}
