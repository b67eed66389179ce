//! The stale set: is a memory still true of the code, and is it said when it is not?
//!
//! Each repository of the set is replayed step by step in a scratch git
//! repository; after every step the product's own rules judge every memory
//! over the product's own working tree. Only the replay starts git.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rawko_core::{Evidence, Judge, RepoPath, Verdict, complete};
use rawko_store::WorkTree;
use serde::Deserialize;
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

#[derive(Deserialize)]
struct Step {
    commit: u32,
    parent: Option<u32>,
    checkout: Option<u32>,
    #[serde(default)]
    dirty: bool,
    #[serde(default)]
    ops: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Operation {
    Write { path: String, content: String },
    Rename { path: String, to: String },
    Delete { path: String },
}

#[derive(Deserialize)]
struct Memory {
    memory: String,
    written: u32,
    evidence: Value,
}

#[derive(Deserialize)]
struct Label {
    memory: String,
    commit: u32,
    verdict: String,
    location: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    file: String,
}

/// Counts over one or several repositories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Labels judged.
    pub(crate) labels: usize,
    /// Labels changed or gone, and how many of them were called one of the two.
    pub(crate) invalidated: (usize, usize),
    /// Labels fresh, and how many of them were called changed or gone.
    pub(crate) fresh: (usize, usize),
    /// Labels moved, and how many of them were called moved with the right file.
    pub(crate) moved: (usize, usize),
    /// Verdicts that are the label's word.
    pub(crate) exact: usize,
    /// One sentence for each label that was not met.
    pub(crate) misses: Vec<String>,
}

impl Report {
    fn count(&mut self, repo: &str, label: &Label, verdict: &Verdict) {
        self.labels += 1;
        let right_place = match (verdict, &label.location) {
            (Verdict::Moved { to }, Some(place)) => to.as_str() == place.file,
            _ => false,
        };
        let (cell, hit, is_met) = match label.verdict.as_str() {
            "fresh" => (&mut self.fresh, verdict.is_stale(), *verdict == Verdict::Fresh),
            "moved" => (&mut self.moved, right_place, right_place),
            _ => (&mut self.invalidated, verdict.is_stale(), verdict.is_stale()),
        };
        cell.0 += 1;
        cell.1 += usize::from(hit);
        self.exact += usize::from(verdict.as_str() == label.verdict);
        if !is_met {
            let (memory, step, want) = (&label.memory, label.commit, &label.verdict);
            self.misses.push(format!("{repo} {memory} at {step}: {want}, got {verdict:?}"));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |(of, hit): (usize, usize)| if of == 0 { 0.0 } else { hit as f64 / of as f64 };
        writeln!(f, "labels               {}", self.labels)?;
        writeln!(f, "invalidated flagged  {:.4}", share(self.invalidated))?;
        writeln!(f, "false-stale rate     {:.4}", share(self.fresh))?;
        writeln!(f, "moved relocated      {:.4}", share(self.moved))?;
        writeln!(f, "exact                {:.4}", share((self.labels, self.exact)))?;
        self.misses.iter().try_for_each(|miss| writeln!(f, "  {miss}"))
    }
}

/// How much a memory is allowed to know of when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The commit is recorded, as the product does.
    Commit,
    /// Nothing is.
    Unknown,
}

/// Replays every repository of a folder, with what memories know of their origin.
pub(crate) fn run_with(folder: &Path, out: Option<&Path>, origin: Origin) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut lines = Vec::new();
    let mut repos: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    repos.retain(|path| path.join("labels.jsonl").is_file());
    repos.sort();
    for repo in &repos {
        replay(repo, origin, &mut report, &mut lines)?;
    }
    if let Some(out) = out {
        fs::write(out, lines)?;
    }
    Ok(report)
}

fn replay(folder: &Path, origin: Origin, report: &mut Report, lines: &mut Vec<u8>) -> Result<(), Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let memories: Vec<Memory> = read_lines(&folder.join("memories.jsonl"))?;
    let labels: Vec<Label> = read_lines(&folder.join("labels.jsonl"))?;
    let mut scratch = Scratch::new()?;
    let mut stored: HashMap<String, Evidence> = HashMap::new();
    for step in read_lines::<Step>(&folder.join("commits.jsonl"))? {
        scratch.take(&step)?;
        let tree = WorkTree::open(scratch.root())?;
        let judge = Judge::new(&tree);
        for label in labels.iter().filter(|label| label.commit == step.commit) {
            let evidence =
                stored.get(&label.memory).ok_or_else(|| format!("{} has no memory", label.memory))?;
            let verdict = judge.memory(evidence, None).verdict();
            report.count(&name, label, &verdict);
            let mut line = json!({
                "repo": name, "memory": label.memory, "commit": label.commit, "verdict": verdict.as_str(),
            });
            if let Verdict::Moved { to } = &verdict {
                line["location"] = json!({ "file": to.as_str() });
            }
            writeln!(lines, "{line}")?;
        }
        for memory in memories.iter().filter(|memory| memory.written == step.commit) {
            let commit = tree.commit().filter(|_| origin == Origin::Commit);
            let blob_id = |path: &RepoPath| tree.blob_id(path);
            let asked = ask_for_hashes(&memory.evidence);
            let (evidence, problems) = complete(&asked, &tree, &blob_id, commit.as_deref());
            report
                .misses
                .extend(problems.iter().map(|problem| format!("{name} {}: {problem}", memory.memory)));
            stored.insert(memory.memory.clone(), Evidence::parse(&evidence));
        }
    }
    Ok(())
}

/// The same evidence with its hashes to be computed here, as a product that writes memories does.
fn ask_for_hashes(evidence: &Value) -> Value {
    let mut evidence = evidence.clone();
    for item in evidence.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if item.contains_key("hash") {
            item.insert("hash".into(), json!(true));
        }
    }
    evidence
}

fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// A git repository that follows the steps.
struct Scratch {
    folder: tempfile::TempDir,
    commits: HashMap<u32, String>,
}

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let scratch = Self { folder: tempfile::tempdir()?, commits: HashMap::new() };
        scratch.git(&["init", "-q", "."])?;
        Ok(scratch)
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let settings = ["user.name=eval", "user.email=eval@localhost", "core.autocrlf=false", "gc.auto=0"];
        let mut command = Command::new("git");
        for setting in settings {
            command.args(["-c", setting]);
        }
        let output = command.args(arguments).current_dir(self.root()).output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("git {}: {text}", arguments.join(" ")).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    fn take(&mut self, step: &Step) -> Result<(), Failure> {
        if let Some(base) = step.checkout.or(step.parent) {
            let id = self.commits.get(&base).ok_or_else(|| format!("step {base} is not known"))?.clone();
            self.git(&["checkout", "-q", "-f", "--detach", &id])?;
            self.git(&["clean", "-q", "-fd"])?;
        }
        step.ops.iter().try_for_each(|operation| self.apply(operation))?;
        if step.dirty {
            return Ok(());
        }
        if step.checkout.is_none() {
            self.git(&["add", "-A"])?;
            self.git(&["commit", "-q", "--allow-empty", "-m", "step"])?;
        }
        self.commits.insert(step.commit, self.git(&["rev-parse", "HEAD"])?);
        Ok(())
    }

    fn apply(&self, operation: &Operation) -> Result<(), Failure> {
        let at = |path: &str| RepoPath::new(path).map(|path| self.root().join(path.as_str()));
        match operation {
            Operation::Write { path, content } => {
                make_parent(&at(path)?)?;
                fs::write(at(path)?, content)?;
            }
            Operation::Rename { path, to } => {
                make_parent(&at(to)?)?;
                fs::rename(at(path)?, at(to)?)?;
            }
            Operation::Delete { path } => fs::remove_file(at(path)?)?,
        }
        Ok(())
    }
}

fn make_parent(path: &Path) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), |folder| Ok(fs::create_dir_all(folder)?))
}
