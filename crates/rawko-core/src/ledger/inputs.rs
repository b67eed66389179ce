//! Which files a command depends on: those it names, those its error names, and what its program always reads.

use super::Move;
use super::failure::bounded;
use super::place::{At, inside, looks_like_path};
use super::root::{Root, misses_variable, path_tokens, roots};
use super::step::{Step, manifest_folder};

/// Where to look for what a move depends on; all paths are relative to the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Files or folders that the command names, whether they are there or not.
    pub named: Vec<String>,
    /// Of these, the ones that say what to work on, and not how.
    pub picked: Vec<String>,
    /// Plain words that are paths if something of that name is there.
    pub words: Vec<String>,
    /// Paths that the error may name.
    pub told: Vec<String>,
    /// Names of manifests, lock files and settings, to be found in the folder or above.
    pub manifests: Vec<&'static str>,
    /// Where the program works.
    pub folder: String,
    /// Whether the sources in its scope count.
    pub sources: Sources,
    /// It brings packages: of the project, only what says which they are matters.
    pub brings: bool,
    /// It runs what was built from the sources.
    pub built: bool,
    /// The package of a workspace that it is told to work on.
    pub package: Option<String>,
}

/// Which sources count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// None but what is named.
    #[default]
    Named,
    /// The package's, or what the named files lead to.
    Package,
    /// The package's, if nothing that is named is there.
    Unless,
    /// Nobody knows: the package's or what the named files lead to, and all that lies beside where it works.
    Guessed,
}

/// What a failed move depends on.
pub(super) fn inputs(moved: &Move, at: At<'_>, error: &str) -> Inputs {
    let command = match moved {
        Move::Command(command) => command,
        Move::Edit { path, .. } | Move::Read { path } | Move::Write { path, .. } => {
            return Inputs { named: vec![path.clone()], ..Inputs::default() };
        }
        Move::Other { .. } => return Inputs::default(),
    };
    let text = bounded(error);
    let mut found = Inputs { folder: command.folder.clone(), ..Inputs::default() };
    let unknown = if is_elsewhere(moved, at, &text) { Sources::Unless } else { Sources::Guessed };
    for step in command.steps() {
        found.take(step, at, unknown);
    }
    if misses_variable(&text.to_lowercase()) {
        found.manifests.extend([".env", ".env.local", ".envrc"]);
    }
    let folder = found.folder.clone();
    for token in text.lines().take(400).flat_map(path_tokens) {
        found.told.extend(inside(at, &folder, &token));
        found.told.extend(inside(at, "", &token));
    }
    for list in [&mut found.named, &mut found.told] {
        list.retain(|path| !path.is_empty());
        list.sort();
        list.dedup();
        list.truncate(200);
    }
    found
}

/// Whether an error is about what no file of the project brings: a server, a database, a program, who one is.
fn is_elsewhere(moved: &Move, at: At<'_>, text: &str) -> bool {
    let roots = roots(moved, at, text, &|_| false);
    // Tasks, modules and what has to be set up stand in the project.
    let outside = |root: &Root| match root {
        Root::Unready(name) => name.contains(" login "),
        Root::Inner(_) | Root::Script(_) | Root::Broken(_) | Root::Module(_) => false,
        _ => true,
    };
    roots.iter().any(outside) && !roots.iter().any(|root| matches!(root, Root::Target(_)))
}

/// Whether a program may read any file of the project, for all that is known of it.
fn may_read(step: &Step) -> bool {
    let tool = step.tool();
    !tool.anywhere && !tool.far && tool.port.is_none() && step.program != "git"
}

/// Whether git works on the files as they are.
fn takes_tree(step: &Step) -> bool {
    #[rustfmt::skip]
    let subs = [
        "commit", "add", "merge", "rebase", "stash", "apply", "am", "revert", "cherry-pick", "checkout", "switch", "pull",
    ];
    step.program == "git" && step.sub.as_deref().is_some_and(|sub| subs.contains(&sub))
}

/// Whether a path is of what a build makes: in its folder, and no script.
pub(super) fn is_built(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["build", "target", "out", ".build", "dist", "zig-out", "_build", "release", "debug"];
    const SCRIPTS: &[&str] = &["sh", "py", "rb", "pl", "ts", "php", "lua", "R", "jl"];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let script = name.rsplit_once('.').is_some_and(|(_, ending)| SCRIPTS.contains(&ending));
    let made = folder.split('/').any(|part| FOLDERS.contains(&part));
    made && !script && !path.contains("://") && !path.starts_with('/') && looks_like_path(path)
}

/// The folder whose sources are built in another: `ninja -C build` builds those beside it.
fn sources_of(folder: &str) -> &str {
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    let made = ["build", "builddir", "_build", "out"].contains(&name) || name.starts_with("cmake-build");
    if made { above } else { folder }
}

impl Inputs {
    fn take(&mut self, step: &Step, at: At<'_>, unknown: Sources) {
        if step.only_looks() {
            return;
        }
        let tool = step.tool();
        self.folder = sources_of(&step.folder).to_owned();
        let values = step.values().map(|(_, value)| value);
        let words = step.words.iter().chain(&step.tail).chain(&step.reads).map(String::as_str).chain(values);
        // `git show HEAD:src/x`, `pytest tests/x.py::name`
        let words = words.chain(step.sub.as_deref()).filter(|word| !word.contains("://"));
        let path = |word: &str| {
            // `//a/b:c` is in a/b.
            if let Some(label) = word.strip_prefix("//") {
                return Some(
                    label
                        .split(':')
                        .next()
                        .unwrap_or(label)
                        .trim_end_matches("...")
                        .trim_end_matches('/')
                        .to_owned(),
                );
            }
            if let Some(folder) = manifest_folder(tool, word) {
                return inside(at, step.base(), &folder);
            }
            let word =
                word.split("::").next().unwrap_or(word).trim_end_matches("/...").trim_end_matches("...");
            // `src/**/*.kt` is below src.
            let open = word.find(['*', '?', '[', '{']).map(|at| &word[..at]);
            let word = open.map_or(word, |open| open.rsplit_once('/').map_or("", |(folder, _)| folder));
            let may_be = looks_like_path(word) || tool.anywhere && !word.contains(char::is_whitespace);
            may_be.then(|| inside(at, step.base(), word)).flatten()
        };
        self.named.extend(words.filter_map(path));
        self.picked.extend(step.words.iter().filter_map(|word| path(word)));
        let plain =
            step.words.iter().filter(|word| !looks_like_path(word) && !word.contains(char::is_whitespace));
        self.words
            .extend(plain.filter(|_| step.program != "git").filter_map(|word| inside(at, step.base(), word)));
        self.brings |= step.has_verb(super::tools::INSTALLS);
        if step.program.starts_with("./") {
            self.named.extend(inside(at, &step.folder, &step.program));
        }
        let runs = step.program.starts_with("./") || !tool.anywhere && step.program != "git";
        let mut given = step.words.iter().chain([&step.program]).filter(|_| runs);
        self.built |= given.any(|word| is_built(word));
        self.manifests.extend(tool.manifests);
        let package = |flag: &String| {
            tool.package.iter().find_map(|name| flag.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
        };
        // `:a:b:task` is of the project in a/b.
        let project = |word: &String| {
            let (project, _) = word.strip_prefix(':')?.rsplit_once(':')?;
            Some(project.replace(':', "/"))
        };
        let project = step.words.iter().filter(|_| step.program == "gradle").find_map(project);
        self.package = self.package.take().or(project).or_else(|| step.flags.iter().find_map(package));
        if step.reads_sources() {
            self.sources = Sources::Package;
        } else if self.sources == Sources::Named && may_read(step) {
            self.sources = unknown;
        } else if self.sources == Sources::Named && takes_tree(step) {
            self.sources = Sources::Unless;
        }
    }
}
