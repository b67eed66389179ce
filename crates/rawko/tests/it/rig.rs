//! A scratch project with a home, and proposals for it.

use std::fs;
use std::path::{Path, PathBuf};

use rawko::{Circumstances, Draft, Engine, Entry, Now, Proposal, TaskContext, Wish};
use serde_json::Value;
use tempfile::TempDir;

/// A project and the person's folder.
pub(crate) struct Rig {
    scratch: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir_all(scratch.path().join("home")).expect("a home");
        let rig = Self { scratch };
        rig.file("src/queue.rs", "pub fn enqueue_job() {}\nconst MAX_TRIES: u32 = 5;\n");
        drop(Engine::create(&rig.project(), Some(&rig.home()), now()).expect("a store"));
        rig
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.scratch.path().join("home")
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    /// The stores, opened anew.
    pub(crate) fn engine(&self) -> Engine {
        Engine::open(&self.project(), Some(&self.home()), now()).expect("stores")
    }

    /// Everything that is on disk in the project's and the person's stores.
    pub(crate) fn everything(&self) -> String {
        let mut all = String::new();
        gather(&self.project().join(".rawko"), &mut all);
        gather(&self.home(), &mut all);
        all
    }

    /// What an agent would be shown before a task.
    pub(crate) fn injected(&self, task: &str) -> String {
        let wish = Wish { max: Some(50), budget: Some(9_000), ..Wish::default() };
        self.engine().inject(&TaskContext::of(task), &wish).expect("an injection").block
    }
}

fn gather(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => gather(&entry.path(), all),
            _ => all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default())),
        }
    }
}

pub(crate) fn now() -> Now {
    Now::at("2026-05-01T10:00:00Z".parse().expect("a time"))
}

pub(crate) fn entry(title: &str, body: &str) -> Entry {
    Draft::new(title, body)
        .when("job|queue|.*")
        .by("developer")
        .entry("2026-05-01T10:00:00Z".parse().expect("a time"))
}

pub(crate) fn proposal(title: &str, body: &str) -> Proposal {
    Proposal { entry: entry(title, body), update_of: None, reasoning: "it seemed useful".to_owned() }
}

/// A run in which nobody but the agent spoke.
pub(crate) fn plain() -> Circumstances {
    Circumstances { looked_through: true, ..Circumstances::default() }
}

/// The texts of a corpus file, or nothing with a loud word.
pub(crate) fn texts(file: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("RAWKO_SHARED").map(PathBuf::from);
    let mut places = named.into_iter().chain([root.join("../shared"), root.join("../../shared")]);
    let Some(path) = places.find_map(|place| Some(place.join(file)).filter(|path| path.exists())) else {
        eprintln!("SKIPPED: shared/{file} is absent; set RAWKO_SHARED to its folder");
        return Vec::new();
    };
    let text = fs::read_to_string(path).expect("a corpus");
    let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.filter_map(|value| value["text"].as_str().map(str::to_owned)).collect()
}
