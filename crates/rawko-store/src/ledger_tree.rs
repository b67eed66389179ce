//! The state of the files that a failed move depended on, then and now.
//!
//! Content counts, not the time of a change. What a tool made (caches, logs) and
//! pages that only people read are no inputs unless they are named.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rawko_core::ledger::{Inputs, Sources, State};

use crate::evidence::{open_inside, read_bounded, walk};

mod kinds;

use kinds::{called, folder_or_kind, is_made, is_noise, is_of, language, one_spelling, subject};

/// Largest file that is hashed whole; of larger ones, size and time count.
const LARGEST: u64 = 8 * 1024 * 1024;
/// Most files of one folder that are hashed.
const MOST_FILES: usize = 4000;
/// Most files among which imports are followed.
const MOST_LINKED: usize = 600;

/// Most files beside the place where an unknown program works that count.
const MOST_BESIDE: usize = 200;

/// What a folder is said to hold when there was no time to look: no state that was kept says so.
const LATE: &str = "late";

/// The working tree as moves see it. It is looked at once: of one that changes meanwhile, make another.
pub struct MoveTree {
    root: PathBuf,
    files: OnceCell<Vec<String>>,
    hashes: RefCell<HashMap<String, String>>,
    folders: RefCell<HashMap<(String, Vec<String>), String>>,
    until: Option<Instant>,
}

/// A package of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// What its manifest calls it.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// The path that a Go module's packages are imported by.
    pub module: Option<String>,
}

impl MoveTree {
    /// The tree of the repository at `root`.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: OnceCell::new(),
            hashes: RefCell::default(),
            folders: RefCell::default(),
            until: None,
        }
    }

    /// The tree of the repository at `root`, of which nothing is said that takes longer to find out.
    pub fn within(root: &Path, time: Duration) -> Self {
        Self { until: Some(Instant::now() + time), ..Self::at(root) }
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() > until)
    }

    /// Whether there is nothing at a path below the root.
    pub fn is_missing(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_err()
    }

    fn is_folder(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir())
    }

    fn is_file(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_file())
    }

    /// All files that people write, ignored and made ones left out.
    fn files(&self) -> &[String] {
        self.files.get_or_init(|| {
            let mut files: Vec<String> =
                walk(&self.root).iter().map(|path| path.as_str().to_owned()).collect();
            files.retain(|path| !is_noise(path));
            files.sort();
            files
        })
    }

    fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a String> {
        self.files().iter().filter(move |path| is_below(path, folder))
    }

    /// The state of what a move depends on; what changed after it `began` is marked, for nobody knows what it was.
    pub fn state(&self, inputs: &Inputs, began: Option<SystemTime>) -> State {
        let (files, folders) = self.depends(inputs);
        let kinds = self.kinds(inputs);
        let files = files.into_iter().map(|path| {
            let hash = if self.changed_since(&path, began) { "?".to_owned() } else { self.hash(&path) };
            (path, hash)
        });
        let folders = folders.into_iter().map(|folder| {
            let is_changed = |path: &String| is_of(path, &kinds) && self.changed_since(path, began);
            let changed = self.below(&folder).any(is_changed);
            let hash = if changed { "?".to_owned() } else { self.hash_folder(&folder, &kinds) };
            (folder, hash)
        });
        let (files, folders) = (files.collect(), folders.collect());
        State { files, folders, kinds }
    }

    /// The languages of the files that an error names.
    fn kinds(&self, inputs: &Inputs) -> Vec<String> {
        let told = inputs.told.iter().filter(|path| self.is_file(path) && !is_made(path));
        let mut kinds: Vec<String> = told.filter_map(|path| language(path)).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// Whether everything is as it was.
    pub fn is(&self, state: &State) -> bool {
        self.are(&state.files)
            && state.folders.iter().all(|(folder, hash)| *hash == self.hash_folder(folder, &state.kinds))
    }

    /// Whether these files are as they were.
    pub fn are(&self, files: &[(String, String)]) -> bool {
        files.iter().all(|(path, hash)| *hash == self.hash(path))
    }

    /// Whether one of the files of a state was written after a move `began`.
    pub fn wrote(&self, state: &State, began: Option<SystemTime>) -> bool {
        let in_folder = |folder: &str| {
            self.below(folder).any(|path| is_of(path, &state.kinds) && self.changed_since(path, began))
        };
        began.is_some()
            && (state.files.iter().any(|(path, _)| self.changed_since(path, began))
                || state.folders.iter().any(|(folder, _)| in_folder(folder)))
    }

    /// The files and the folders that count.
    fn depends(&self, inputs: &Inputs) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        let told: Vec<String> = inputs.told.iter().flat_map(|path| self.told(path)).collect();
        for path in &inputs.named {
            if self.is_folder(path) {
                folders.insert(path.clone());
            } else {
                files.insert(path.clone());
            }
        }
        for path in inputs.words.iter().filter(|path| !self.is_missing(path)) {
            if self.is_folder(path) {
                folders.insert(path.clone())
            } else {
                files.insert(path.clone())
            };
        }
        let is_named = inputs.picked.iter().any(|path| !self.is_missing(path));
        files.extend(told);
        files.extend(self.manifests(inputs));
        let settings = inputs.manifests.iter().map(|name| joined(&inputs.folder, name));
        folders.extend(settings.filter(|path| self.is_folder(path)));
        match inputs.sources {
            Sources::Package if is_named => self.follow(inputs, &mut files, &mut folders),
            Sources::Package => folders.extend(self.packages(inputs).1),
            Sources::Unless if files.is_empty() && folders.is_empty() => {
                folders.insert(self.package(inputs, &inputs.folder));
            }
            Sources::Guessed if self.lacks(inputs) => {}
            Sources::Guessed => {
                files.extend(self.beside(&inputs.folder));
                // Only a language's sources say by their words what they lead to.
                let told = |path: &String| self.is_folder(path) || language(path).is_some();
                if is_named && inputs.picked.iter().all(told) {
                    self.follow(inputs, &mut files, &mut folders);
                } else if !inputs.brings && !self.is_within(inputs) {
                    folders.extend(self.told_packages(inputs));
                }
            }
            Sources::Named | Sources::Unless => {}
        }
        if inputs.built {
            folders.insert(self.package(inputs, &inputs.folder));
        }
        (files, folders)
    }

    /// Whether an error names a file that the command was to work on and that is not there: nothing else matters then.
    fn lacks(&self, inputs: &Inputs) -> bool {
        inputs.picked.iter().any(|path| inputs.told.contains(path) && self.is_missing(path))
    }

    /// The files that a path in an error means: the one that is there, or those whose paths end so.
    fn told(&self, path: &str) -> Vec<String> {
        if is_made(path) {
            return Vec::new();
        }
        if self.is_file(path) {
            return vec![path.to_owned()];
        }
        if !self.is_missing(path) {
            return Vec::new();
        }
        let end = format!("/{path}");
        self.files().iter().filter(|file| file.ends_with(&end)).take(8).cloned().collect()
    }

    /// Manifests and settings in the folder and above it.
    fn manifests(&self, inputs: &Inputs) -> Vec<String> {
        let mut found = Vec::new();
        for folder in upwards(&inputs.folder) {
            let paths = inputs.manifests.iter().map(|name| joined(folder, name));
            found.extend(paths.filter(|path| {
                self.is_file(path)
                    || folder == inputs.folder && path.matches('/').count() <= 1 && self.is_missing(path)
            }));
        }
        found
    }

    /// The files that lie in a folder and in those above it: where settings are.
    fn beside(&self, folder: &str) -> Vec<String> {
        let lies = |path: &&String| upwards(folder).any(|above| above == folder_of(path));
        self.files().iter().filter(lies).take(MOST_BESIDE).cloned().collect()
    }

    /// The nearest folder above `folder` that has a manifest, or `folder` itself.
    fn package(&self, inputs: &Inputs, folder: &str) -> String {
        let names = manifest_names(inputs);
        let has = |folder: &&str| names.iter().any(|name| self.is_file(&joined(folder, name)));
        upwards(folder).find(has).unwrap_or(folder).to_owned()
    }

    /// Whether an error places itself in the files that the command named, and nowhere else.
    fn is_within(&self, inputs: &Inputs) -> bool {
        let mut told = inputs.told.iter().filter(|path| self.is_file(path)).peekable();
        told.peek().is_some() && told.all(|path| inputs.picked.contains(path))
    }

    /// The packages of the sources that an error names, with what they use; the one of the folder where it names none.
    fn told_packages(&self, inputs: &Inputs) -> BTreeSet<String> {
        let sources = inputs.told.iter().filter(|path| self.is_file(path) && language(path).is_some());
        let told: BTreeSet<String> = sources.map(|path| self.package(inputs, folder_of(path))).collect();
        let starts =
            if told.is_empty() { BTreeSet::from([self.package(inputs, &inputs.folder)]) } else { told };
        self.used_by(starts, &self.all_packages(manifest_names(inputs)))
    }

    /// The package that a command works on, with what others call it.
    pub fn package_of(&self, inputs: &Inputs) -> Option<Package> {
        let manifest = inputs.manifests.first()?;
        let folder = match inputs.package {
            Some(_) => self.packages(inputs).0,
            None => self.package(inputs, &inputs.folder),
        };
        let text = self.text(&joined(&folder, manifest))?;
        let module = (*manifest == "go.mod" && folder == inputs.folder).then(|| name_of(&text)).flatten();
        Some(Package { name: inputs.package.clone().or_else(|| name_of(&text))?, folder, module })
    }

    /// The package that is meant, and the packages of this repository that its manifest names.
    fn packages(&self, inputs: &Inputs) -> (String, BTreeSet<String>) {
        let all = self.all_packages(&inputs.manifests);
        let meant =
            inputs.package.as_deref().map(|name| name.trim_start_matches("./").trim_end_matches("..."));
        let meant = meant.and_then(|name| all.iter().find(|(folder, text)| is_called(folder, text, name)));
        let start = meant.map_or_else(|| self.package(inputs, &inputs.folder), |(folder, _)| folder.clone());
        let found = self.used_by(BTreeSet::from([start.clone()]), &all);
        (start, found)
    }

    /// The folders with a manifest of one of these names, and what it says.
    fn all_packages(&self, names: &[&str]) -> Vec<(String, String)> {
        let is_manifest = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or_default();
            (name == "Makefile" || kinds::MANIFESTS.contains(&name)) && names.contains(&name)
        };
        let paths = self.files().iter().filter(is_manifest).take(300);
        paths.map(|path| (folder_of(path).to_owned(), self.text(path).unwrap_or_default())).collect()
    }

    /// These packages, and those among all that their manifests name.
    fn used_by(&self, mut found: BTreeSet<String>, all: &[(String, String)]) -> BTreeSet<String> {
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(folder) = open.pop() {
            let Some((_, text)) = all.iter().find(|(known, _)| *known == folder) else { continue };
            for (other, manifest) in all {
                let path = format!(":{}", other.replace('/', ":"));
                let uses = text.contains(&format!("/{other}"))
                    || name_of(manifest).is_some_and(|name| mentions(text, &name))
                    || ["\"", "'"].iter().any(|quote| text.contains(&format!("{quote}{path}{quote}")));
                if *other != folder && !other.is_empty() && uses && found.insert(other.clone()) {
                    open.push(other.clone());
                }
            }
        }
        found
    }

    /// What the named files lead to by their imports, as far as their words tell.
    fn follow(&self, inputs: &Inputs, files: &mut BTreeSet<String>, folders: &mut BTreeSet<String>) {
        let package = self.package(inputs, &inputs.folder);
        let sources: Vec<&String> = self.below(&package).collect();
        if sources.len() > MOST_LINKED {
            folders.insert(package);
            return;
        }
        let in_folders = |path: &String| folders.iter().any(|folder| is_below(path, folder));
        let mut open: Vec<String> = sources
            .iter()
            .filter(|path| files.contains(**path) || in_folders(path))
            .map(|path| (*path).clone())
            .collect();
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        let named = seen.len();
        while let Some(path) = open.pop() {
            let text = self.text(&path).unwrap_or_default();
            let mut words: BTreeSet<String> = text
                .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .map(one_spelling)
                .collect();
            words.extend(subject(&path).map(one_spelling));
            for source in &sources {
                if words.contains(&one_spelling(called(source)))
                    && folder_or_kind(&path, source)
                    && seen.insert((*source).clone())
                {
                    open.push((*source).clone());
                }
            }
        }
        if seen.len() == named && named > 0 {
            // Nothing tells what they lead to: then it may be anything in their packages.
            let picked = inputs.picked.iter().filter(|path| !self.is_missing(path));
            let starts = picked
                .map(|path| self.package(inputs, if self.is_folder(path) { path } else { folder_of(path) }));
            folders.extend(self.used_by(starts.collect(), &self.all_packages(manifest_names(inputs))));
            return;
        }
        files.extend(seen.into_iter().filter(|path| !folders.iter().any(|folder| is_below(path, folder))));
    }

    fn text(&self, path: &str) -> Option<String> {
        let file = open_inside(&self.root, Path::new(path)).ok()?;
        let bytes = read_bounded(file, 256 * 1024).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn changed_since(&self, path: &str, began: Option<SystemTime>) -> bool {
        let changed = self.root.join(path).symlink_metadata().and_then(|meta| meta.modified());
        began.zip(changed.ok()).is_some_and(|(began, changed)| changed > began)
    }

    fn hash(&self, path: &str) -> String {
        if let Some(known) = self.hashes.borrow().get(path) {
            return known.clone();
        }
        let hash = self.look(path);
        self.hashes.borrow_mut().insert(path.to_owned(), hash.clone());
        hash
    }

    fn look(&self, path: &str) -> String {
        let Ok(meta) = self.root.join(path).symlink_metadata() else { return "-".to_owned() };
        let whole =
            open_inside(&self.root, Path::new(path)).ok().and_then(|file| read_bounded(file, LARGEST).ok());
        match whole {
            Some(bytes) => short(blake3::hash(&bytes)),
            None => short(blake3::hash(format!("{} {:?}", meta.len(), meta.modified().ok()).as_bytes())),
        }
    }

    fn hash_folder(&self, folder: &str, kinds: &[String]) -> String {
        let name = (folder.to_owned(), kinds.to_vec());
        if let Some(known) = self.folders.borrow().get(&name) {
            return known.clone();
        }
        let hash = self.look_into(folder, kinds);
        self.folders.borrow_mut().insert(name, hash.clone());
        hash
    }

    fn look_into(&self, folder: &str, kinds: &[String]) -> String {
        let mut hasher = blake3::Hasher::new();
        for (n, path) in self.below(folder).filter(|path| is_of(path, kinds)).enumerate() {
            if self.is_late() {
                return LATE.to_owned();
            }
            let hash = if n < MOST_FILES {
                self.hash(path)
            } else {
                let meta = self.root.join(path).symlink_metadata().ok();
                format!("{:?}", meta.map(|meta| (meta.len(), meta.modified().ok())))
            };
            hasher.update(format!("{path}\0{hash}\n").as_bytes());
        }
        short(hasher.finalize())
    }
}

/// What a move's program knows a package by; anybody's manifests, where nobody knows its own.
fn manifest_names(inputs: &Inputs) -> &[&'static str] {
    if inputs.manifests.is_empty() { kinds::MANIFESTS } else { &inputs.manifests }
}

fn short(hash: blake3::Hash) -> String {
    hash.to_hex()[..16].to_owned()
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder and those above it, down to the root.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// The name that a manifest gives its package.
fn name_of(manifest: &str) -> Option<String> {
    let line = manifest.lines().find(|line| {
        let line = line.trim_start().trim_start_matches('"');
        line.starts_with("name") || line.starts_with("module ") || line.starts_with("<artifactId>")
    })?;
    let value = line
        .split_once([':', '='])
        .map(|(_, value)| value)
        .or_else(|| line.trim().strip_prefix("module "))?;
    let name = value.trim().trim_matches([',', '"', '\'', ' ']);
    let name = name.split(['"', '\'', ',']).next().unwrap_or(name);
    (!name.is_empty()).then(|| name.to_owned())
}

fn is_called(folder: &str, manifest: &str, name: &str) -> bool {
    name_of(manifest).is_some_and(|known| known == name)
        || !folder.is_empty() && (folder == name || folder.rsplit('/').next() == Some(name))
}

/// Whether a manifest names a package.
fn mentions(text: &str, name: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_' && c != '/');
    text.match_indices(name)
        .any(|(at, _)| ends(text[..at].chars().next_back()) && ends(text[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_settings_counts_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("roles")).unwrap();
        write("roles/web.yml", "one");
        write("other.yml", "one");
        let inputs = Inputs { manifests: vec!["roles"], ..Inputs::default() };
        let state = MoveTree::at(folder.path()).state(&inputs, None);
        write("other.yml", "two");
        assert!(MoveTree::at(folder.path()).is(&state));
        write("roles/web.yml", "two");
        assert!(!MoveTree::at(folder.path()).is(&state));
    }

    #[test]
    fn sources_of_another_language_than_the_errors_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for name in ["a.c", "b.h", "gen.py", "rules.json"] {
            write(name, "one");
        }
        let told = |told: Vec<String>| {
            let inputs = Inputs { sources: Sources::Package, told, ..Inputs::default() };
            MoveTree::at(folder.path()).state(&inputs, None)
        };
        let (state, whole) = (told(vec!["a.c".to_owned()]), told(Vec::new()));
        write("gen.py", "two");
        assert!(MoveTree::at(folder.path()).is(&state));
        assert!(!MoveTree::at(folder.path()).is(&whole));
        write("rules.json", "two");
        assert!(!MoveTree::at(folder.path()).is(&state));
        write("rules.json", "one");
        write("b.h", "two");
        assert!(!MoveTree::at(folder.path()).is(&state));
    }

    /// Which of these files, each changed by itself, a move that nobody knows depends on.
    fn counted(files: &[(&str, &str)], inputs: Inputs) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        files.iter().for_each(|(name, text)| write(name, text));
        let inputs = Inputs { sources: Sources::Guessed, ..inputs };
        let state = MoveTree::at(folder.path()).state(&inputs, None);
        let counts = |(name, text): &&(&str, &str)| {
            write(name, "changed");
            let is = MoveTree::at(folder.path()).is(&state);
            write(name, text);
            !is
        };
        files.iter().filter(counts).map(|(name, _)| (*name).to_owned()).collect()
    }

    #[test]
    fn a_program_that_nobody_knows_reads_what_it_is_given_what_that_leads_to_and_what_lies_beside() {
        let files = [
            ("zorp.toml", ""),
            ("lib/cart.py", ""),
            ("lib/mail.py", ""),
            ("test/cart_test.py", "import cart"),
            ("docs/cart.md", ""),
        ];
        let picked = vec!["test/cart_test.py".to_owned()];
        let inputs = Inputs { named: picked.clone(), picked, ..Inputs::default() };
        assert_eq!(counted(&files, inputs), ["zorp.toml", "lib/cart.py", "test/cart_test.py"]);
        assert_eq!(
            counted(&files, Inputs::default()),
            ["zorp.toml", "lib/cart.py", "lib/mail.py", "test/cart_test.py"]
        );
        let gone = vec!["test/gone.py".to_owned()];
        let lacks = Inputs { named: gone.clone(), picked: gone.clone(), told: gone, ..Inputs::default() };
        assert!(counted(&files, lacks).is_empty());
        let brings = Inputs { brings: true, ..Inputs::default() };
        assert_eq!(counted(&files, brings), ["zorp.toml"]);
    }

    #[test]
    fn the_sources_that_an_error_names_are_of_the_package_that_counts() {
        let files = [
            ("core/Cargo.toml", "name = \"core\""),
            ("core/src/lib.rs", ""),
            ("cli/Cargo.toml", "name = \"cli\"\ncore = { path = \"../core\" }"),
            ("cli/src/main.rs", ""),
            ("wire/Cargo.toml", "name = \"wire\""),
            ("wire/src/lib.rs", ""),
        ];
        let inputs = Inputs { told: vec!["cli/src/main.rs".to_owned()], ..Inputs::default() };
        assert_eq!(
            counted(&files, inputs),
            ["core/Cargo.toml", "core/src/lib.rs", "cli/Cargo.toml", "cli/src/main.rs"]
        );
    }

    #[test]
    fn a_plain_word_is_a_path_where_something_is_called_so() {
        let files = [("chart/values.yaml", ""), ("other/values.yaml", "")];
        let words = vec!["lint".to_owned(), "chart".to_owned()];
        let inputs = Inputs { words, brings: true, ..Inputs::default() };
        assert_eq!(counted(&files, inputs), ["chart/values.yaml"]);
    }

    #[test]
    fn what_runs_a_built_program_depends_on_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.c"), "one").unwrap();
        let state = |built: bool| {
            let inputs = Inputs { built, named: vec!["build/a".to_owned()], ..Inputs::default() };
            MoveTree::at(folder.path()).state(&inputs, None)
        };
        let (built, script) = (state(true), state(false));
        std::fs::write(folder.path().join("a.c"), "two").unwrap();
        assert!(!MoveTree::at(folder.path()).is(&built));
        assert!(MoveTree::at(folder.path()).is(&script));
    }
}
