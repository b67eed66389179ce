//! The injection set: which memories are chosen before a task, and when none should be.
//!
//! Any folder with `<project>/memories/*.md` and `<project>/tasks.jsonl`. The
//! memories go through the product's own reading, search and choosing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rawko_core::{
    Alike, Candidate, Channel, Inject, Judged, Memory, Profile, Settings, Shelf, Slug, Speech, Standing,
    TaskContext, Trust, Weights, choose_by,
};
use serde_json::{Value, json};

use crate::Args;
use crate::encoder;
use crate::report::write;
use crate::score::{Mean, mean};
use crate::set::{Result, lines, string, strings, text};

/// The figures of the table, in its order.
pub(crate) const FIGURES: [&str; 5] = ["ndcg@5", "precision", "recall", "quiet", "injected"];

/// One task's figures: those that apply to it.
pub(crate) type Figures = Vec<(&'static str, f64)>;

/// Runs every project below the folder and reports.
pub(crate) fn run(args: &Args, weights: &Weights, inject: &Inject) -> Result<()> {
    let profile = match args.profile.as_str() {
        "" => Profile::default(),
        word => Profile::parse(word).ok_or_else(|| format!("there is no profile `{word}`"))?,
    };
    let settings = Settings { profile, ..Settings::default() };
    let (mut results, mut parts) = (Vec::new(), Vec::new());
    let mut table: Vec<(String, Vec<Figures>)> = Vec::new();
    for (name, folder) in projects(&args.folder)? {
        let project = Project::read(&folder)?;
        eprintln!("{name}: {} memories, {} tasks", project.memories.len(), project.tasks.len());
        let mut rows = Vec::new();
        let bench = project.bench()?;
        for (task, judged) in
            project.tasks.iter().zip(bench.judge(&bench.candidates(weights), &settings, inject))
        {
            let injected = chosen(&judged);
            rows.push(figures(&task["relevant"], &injected));
            results.push(json!({ "project": name, "id": task["id"], "injected": injected }));
            parts.push(made_of(&name, task, &judged));
        }
        table.push((name, rows));
    }
    if let Some(path) = &args.out {
        write(path, results.iter())?;
    }
    if let Some(path) = &args.parts {
        write(path, parts.iter())?;
    }
    report(&table, args.json);
    Ok(())
}

/// The folders that hold tasks, by name.
pub(crate) fn projects(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let listing = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut found: Vec<(String, PathBuf)> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("tasks.jsonl").is_file())
        .filter_map(|path| Some((path.file_name()?.to_string_lossy().into_owned(), path)))
        .collect();
    found.sort();
    match found.is_empty() {
        true => Err(format!("{} has no project with a tasks.jsonl", folder.display())),
        false => Ok(found),
    }
}

/// One project's memories and tasks.
pub(crate) struct Project {
    memories: Vec<Memory>,
    tasks: Vec<Value>,
}

impl Project {
    /// Reads a project's folder.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("memories");
        let listing = fs::read_dir(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let mut files: Vec<PathBuf> = listing
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "md"))
            .collect();
        files.sort();
        let memories = files.iter().map(|file| memory(file)).collect::<Result<_>>()?;
        Ok(Self { memories, tasks: lines(&folder.join("tasks.jsonl"))? })
    }

    /// The memories, ready to be asked.
    pub(crate) fn bench(&self) -> Result<Bench<'_>> {
        // All memories are there before any task is asked: now is after the newest.
        let newest = self.memories.iter().filter_map(|m| Some(m.now()?.discovered_at)).max();
        let tasks: Vec<_> = self.tasks.iter().map(|task| (context(task), &task["relevant"])).collect();
        let asked: Vec<&str> = tasks.iter().map(|(task, _)| task.task.as_str()).collect();
        let texts: Vec<Speech> = self.memories.iter().map(Speech::of).collect();
        Ok(Bench {
            shelf: Shelf::new(&self.memories, crate::table::embedder()),
            alike: encoder::alike(&asked, &texts)?,
            tasks,
            now: newest.unwrap_or_default(),
        })
    }
}

/// A project whose memories and tasks have been read.
pub(crate) struct Bench<'p> {
    shelf: Shelf<'p>,
    /// By task and memory, what the sentence encoder tells.
    alike: Vec<Vec<Option<Alike>>>,
    tasks: Vec<(TaskContext, &'p Value)>,
    now: Timestamp,
}

impl Bench<'_> {
    /// Every task's candidates, by the product's own search.
    pub(crate) fn candidates(&self, weights: &Weights) -> Vec<Vec<Candidate<'_>>> {
        let likened = |((task, _), alike): (&(TaskContext, &Value), &Vec<Option<Alike>>)| {
            let mut candidates = self.shelf.candidates(task, weights);
            candidates.iter_mut().zip(alike).for_each(|(candidate, alike)| candidate.alike = *alike);
            candidates
        };
        self.tasks.iter().zip(&self.alike).map(likened).collect()
    }

    /// Every task's judged candidates, the chosen ones first.
    fn judge(&self, candidates: &[Vec<Candidate<'_>>], settings: &Settings, w: &Inject) -> Vec<Vec<Judged>> {
        let ask = |((task, _), candidates): (&(TaskContext, &Value), &Vec<Candidate<'_>>)| {
            choose_by(candidates, task, settings, self.now, w)
        };
        self.tasks.iter().zip(candidates).map(ask).collect()
    }

    /// Every task's figures.
    pub(crate) fn figures(&self, candidates: &[Vec<Candidate<'_>>], w: &Inject) -> Vec<Figures> {
        let judged = self.judge(candidates, &Settings::default(), w);
        self.tasks
            .iter()
            .zip(judged)
            .map(|((_, relevant), judged)| figures(relevant, &chosen(&judged)))
            .collect()
    }
}

/// The names of what is chosen, best first.
fn chosen(judged: &[Judged]) -> Vec<String> {
    judged.iter().filter(|one| one.outcome.is_chosen()).map(|one| one.slug.to_string()).collect()
}

/// A task with what every candidate's score is made of, and what became of it.
fn made_of(project: &str, task: &Value, judged: &[Judged]) -> Value {
    let of = |one: &Judged| {
        let parts = one.score.parts().iter().filter(|part| part.points != 0.0);
        let parts: serde_json::Map<String, Value> =
            parts.map(|part| (part.name.to_owned(), part.points.into())).collect();
        json!({ "slug": one.slug.to_string(), "parts": parts, "outcome": format!("{:?}", one.outcome) })
    };
    json!({
        "project": project, "id": task["id"], "task": task["task"], "relevant": task["relevant"],
        "judged": judged.iter().map(of).collect::<Vec<_>>(),
    })
}

/// A memory's file as this person's own writing.
fn memory(path: &Path) -> Result<Memory> {
    let fail = |what: String| format!("{}: {what}", path.display());
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let slug = Slug::parse(&stem).map_err(|e| fail(e.to_string()))?;
    let thread = rawko_core::parse(&text(path)?);
    if thread.entries.is_empty() {
        return Err(fail("holds no entry".to_owned()));
    }
    Ok(Memory::new(slug, thread, |_| Standing::Wrote(Channel::Person), Trust::Human))
}

fn context(task: &Value) -> TaskContext {
    TaskContext {
        task: string(task, "task"),
        agent: string(task, "agent"),
        agent_display_name: string(task, "agent"),
        plan: string(task, "plan"),
        history: string(task, "history"),
        files: strings(task, "files"),
        command: string(task, "command"),
        error: string(task, "error"),
    }
}

/// One task's figures, as the shared scorer counts them.
fn figures(relevant: &Value, injected: &[String]) -> Figures {
    let injected = &injected[..injected.len().min(5)];
    let grade = |slug: &str| relevant[slug].as_f64().unwrap_or(0.0);
    let mut gold: Vec<f64> = relevant
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, g)| g.as_f64())
        .filter(|g| *g > 0.0)
        .collect();
    let mut out = vec![("injected", injected.len() as f64)];
    if gold.is_empty() {
        out.push(("quiet", f64::from(u8::from(injected.is_empty()))));
        return out;
    }
    gold.sort_by(|a, b| b.total_cmp(a));
    gold.truncate(5);
    let hits = injected.iter().filter(|slug| grade(slug) > 0.0).count() as f64;
    let dcg = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
        grades.enumerate().map(|(n, g)| (g.exp2() - 1.0) / ((n + 2) as f64).log2()).sum()
    };
    out.push(("recall", hits / gold.len() as f64));
    out.push(("ndcg@5", dcg(&mut injected.iter().map(|slug| grade(slug))) / dcg(&mut gold.iter().copied())));
    if !injected.is_empty() {
        out.push(("precision", hits / injected.len() as f64));
    }
    out
}

/// Each project's means with intervals, and the mean of the projects.
pub(crate) fn report(table: &[(String, Vec<Figures>)], as_json: bool) {
    let values = |rows: &[Figures], name: &str| -> Vec<f64> {
        rows.iter().flatten().filter(|(n, _)| *n == name).map(|(_, v)| *v).collect()
    };
    let means = |rows: &[Figures]| -> BTreeMap<&'static str, Mean> {
        let of = |name: &&'static str| {
            Some(values(rows, name)).filter(|v| !v.is_empty()).map(|v| (*name, mean(&v)))
        };
        FIGURES.iter().filter_map(of).collect()
    };
    let projects: Vec<(&str, BTreeMap<&str, Mean>)> =
        table.iter().map(|(name, rows)| (name.as_str(), means(rows))).collect();
    let together = |name: &str| {
        let of: Vec<f64> = projects.iter().filter_map(|(_, m)| m.get(name).map(|m| m.mean)).collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    };
    if as_json {
        let cell = |m: &Mean| json!({ "n": m.n, "mean": m.mean, "low": m.low, "high": m.high });
        let row = |m: &BTreeMap<&str, Mean>| {
            m.iter().map(|(k, m)| ((*k).to_owned(), cell(m))).collect::<serde_json::Map<_, _>>()
        };
        let by: serde_json::Map<String, Value> =
            projects.iter().map(|(name, m)| ((*name).to_owned(), row(m).into())).collect();
        let all: serde_json::Map<String, Value> =
            FIGURES.iter().map(|f| ((*f).to_owned(), json!(together(f)))).collect();
        println!("{}", json!({ "set": "inject-bench", "projects": by, "all": all }));
        return;
    }
    println!("{:<16} {}", "project", FIGURES.map(|f| format!("{f:>22}")).concat());
    for (name, means) in &projects {
        let cell = |f: &str| match means.get(f) {
            Some(m) => format!("{:>8.4} ({:.2}-{:.2})", m.mean, m.low, m.high),
            None => "-".to_owned(),
        };
        println!("{name:<16} {}", FIGURES.map(|f| format!("{:>22}", cell(f))).concat());
    }
    let cell = |f: &str| together(f).map_or("-".to_owned(), |v| format!("{v:.4}            "));
    println!("{:<16} {}", "all", FIGURES.map(|f| format!("{:>22}", cell(f))).concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(relevant: &Value, injected: &[&str], name: &str) -> Option<f64> {
        let injected: Vec<String> = injected.iter().map(|slug| (*slug).to_owned()).collect();
        figures(relevant, &injected).into_iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    #[test]
    fn a_task_without_labels_counts_for_quiet_alone() {
        assert_eq!(value(&json!({}), &[], "quiet"), Some(1.0));
        assert_eq!(value(&json!({}), &["a"], "quiet"), Some(0.0));
        assert_eq!(value(&json!({}), &["a"], "precision"), None);
    }

    #[test]
    fn the_best_first_is_worth_most() {
        let relevant = json!({ "a": 2, "b": 1 });
        assert_eq!(value(&relevant, &["a", "b"], "ndcg@5"), Some(1.0));
        assert!(value(&relevant, &["b", "a"], "ndcg@5") < Some(1.0));
        assert_eq!(value(&relevant, &["x", "a"], "precision"), Some(0.5));
        assert_eq!(value(&relevant, &["x", "a"], "recall"), Some(0.5));
        assert_eq!(value(&relevant, &[], "precision"), None);
        assert_eq!(value(&relevant, &[], "ndcg@5"), Some(0.0));
    }
}
