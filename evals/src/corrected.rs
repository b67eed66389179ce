//! Sessions in which a person corrects something: is what they deny still told afterwards?
//!
//! `rawko-eval corrected evals/fixtures/corrected`: every file is one author's sessions. Each is played in a scratch
//! repository that has the session's files and knows its memories; before each turn the session is given what fits, with a
//! receipt, and after it rawko learns from the session so far, as hooks let it. Labels are read when all turns have been played.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use rawko::core::{Change, Run, RunResult, Speaker, Step, TaskContext};
use rawko::{Channel, Draft, Engine, Filter, How, Memory, Now, Slug, Whose, Wish};
use serde_json::{Value, json};

use crate::said::says;
use crate::set::Result;

/// What is counted, in the order of the table.
const COUNTED: [&str; 9] = [
    "denied, told before",
    "denied, told still",
    "stands, told before",
    "stands, told still",
    "corrected memories",
    "named by what waits",
    "others named in vain",
    "corrections",
    "kept or waiting",
];

pub(crate) fn run(folder: &Path, out: Option<&Path>) -> Result<()> {
    let mut rows = String::new();
    println!("{:8}{}", "author", COUNTED.map(|name| format!("{name:>22}")).concat());
    for (name, cases) in authors(folder)? {
        let mut total: BTreeMap<&str, usize> = BTreeMap::new();
        for case in &cases {
            let (counts, shown) = play(case).map_err(|error| format!("{}: {error}", case["id"]))?;
            for (name, count) in &counts {
                *total.entry(name).or_default() += count;
            }
            rows.push_str(&json!({ "id": case["id"], "counts": counts, "memories": shown }).to_string());
            rows.push('\n');
        }
        let cells = COUNTED.map(|name| format!("{:>22}", total.get(name).copied().unwrap_or(0)));
        println!("{name:8}{}", cells.concat());
    }
    match out {
        Some(out) => fs::write(out, rows).map_err(|error| format!("{}: {error}", out.display())),
        None => Ok(()),
    }
}

/// The sessions of every author in a folder.
pub(crate) fn authors(folder: &Path) -> Result<Vec<(String, Vec<Value>)>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let cases = text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, cases.map_err(|error| format!("{}: {error}", file.display()))?))
    };
    files.into_iter().map(read).collect()
}

/// What the person and the agent said, turn by turn.
pub(crate) fn turns(case: &Value) -> Vec<(String, String)> {
    let turns = case["turns"].as_array().into_iter().flatten();
    turns.map(|turn| (text(&turn["user"]), text(&turn["agent"]))).collect()
}

/// The memories that the person says are not true, by their place.
pub(crate) fn corrected(case: &Value) -> Vec<usize> {
    let places = case["corrected"].as_array().into_iter().flatten();
    places.filter_map(|n| usize::try_from(n.as_u64()?).ok()).collect()
}

/// Plays a session, and counts.
fn play(case: &Value) -> Result<(BTreeMap<&'static str, usize>, Vec<Value>)> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let stage = Stage::set(scratch.path(), case)?;
    let known = stage.tell(case)?;
    let mut run = Run { agent: "claude".to_owned(), session: Some("s".to_owned()), ..Run::default() };
    let (withdrawn, stands) = (texts(&case["withdrawn"]), texts(&case["stands"]));
    let (mut denied, mut standing) = (vec![false; withdrawn.len()], vec![false; stands.len()]);
    let mut wish = Wish::default();
    for (n, (user, agent)) in turns(case).into_iter().enumerate() {
        let engine = stage.engine(n)?;
        let task = TaskContext::of(user.clone());
        let told = engine.inject(&task, &wish).map_err(|error| error.to_string())?;
        let block = engine.hand_out(&told, &task, Some(("claude", "s"))).to_owned();
        run.injected.extend(Some(block).filter(|block| !block.is_empty()));
        let shown = told.considered.into_iter().filter(|one| one.is_shown()).map(|one| one.judged.slug);
        wish.heard.extend(shown);
        if n == 0 {
            run.task.clone_from(&user);
        }
        run.steps.push(Step::Said { by: Speaker::Person, text: user });
        run.steps.push(Step::Said { by: Speaker::Agent, text: agent.clone() });
        (run.output, run.result) = (agent, RunResult::Success);
        engine.extract(&run, How::default()).map_err(|error| error.to_string())?;
        let now = stage.learned(&known)?;
        let is_told = |sentence: &String| now.iter().any(|memory| speaks(memory, sentence));
        withdrawn.iter().zip(&mut denied).for_each(|(sentence, was)| *was |= is_told(sentence));
        stands.iter().zip(&mut standing).for_each(|(sentence, was)| *was |= is_told(sentence));
    }
    let now = stage.learned(&known)?;
    let is_told = |sentence: &&String| now.iter().any(|memory| speaks(memory, sentence));
    let changed: Vec<Slug> = now.iter().flat_map(Memory::would_change).map(|(_, slug)| slug).collect();
    let is_named = |slug: &Slug| {
        changed.contains(slug) || stage.show(slug).is_some_and(|memory| memory.entries.len() > 1)
    };
    let corrected = corrected(case);
    let said = case["said"].as_str();
    let is_kept =
        |said: &&str| now.iter().any(|memory| memory.now().is_some_and(|fold| says(&fold.text(), said)));
    let (right, wrong): (Vec<_>, Vec<_>) =
        known.iter().enumerate().filter(|(_, slug)| is_named(slug)).partition(|(n, _)| corrected.contains(n));
    let counts = COUNTED.into_iter().zip([
        denied.iter().filter(|was| **was).count(),
        withdrawn.iter().filter(is_told).count(),
        standing.iter().filter(|was| **was).count(),
        stands.iter().filter(is_told).count(),
        corrected.len(),
        right.len(),
        wrong.len(),
        usize::from(said.is_some()),
        said.iter().filter(|said| is_kept(said)).count(),
    ]);
    let shown = |memory: &Memory| {
        let fold = memory.now();
        let changes = memory.would_change();
        let changes = changes.iter().map(|(change, slug)| match change {
            Change::Replaces => format!("replaces {slug}"),
            Change::Updates => format!("updates {slug}"),
        });
        json!({
            "slug": memory.slug.as_str(), "speaks": memory.may_speak(), "changes": changes.collect::<Vec<_>>(),
            "text": fold.map(|fold| fold.text()),
        })
    };
    Ok((counts.collect(), now.iter().map(shown).collect()))
}

/// Whether a memory tells agents what a sentence says.
fn speaks(memory: &Memory, sentence: &str) -> bool {
    let told = memory.for_agents().filter(|fold| fold.may_be_injected());
    told.is_some_and(|fold| fold.bodies.iter().any(|body| says(&body.text, sentence)))
}

/// A scratch repository and a home.
struct Stage {
    repo: PathBuf,
    home: PathBuf,
}

impl Stage {
    fn set(scratch: &Path, case: &Value) -> Result<Self> {
        let stage = Self { repo: scratch.join("repo"), home: scratch.join("home") };
        let write = |path: PathBuf, text: &str| -> std::io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(scratch))?;
            fs::write(path, text)
        };
        let files = case["files"].as_object().into_iter().flatten();
        for (name, content) in files {
            write(stage.repo.join(name), content.as_str().unwrap_or_default())
                .map_err(|error| error.to_string())?;
        }
        for folder in [&stage.home, &stage.repo.join(".git")] {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        Engine::create(&stage.repo, Some(&stage.home), at(0)).map_err(|error| error.to_string())?;
        Ok(stage)
    }

    fn engine(&self, turn: usize) -> Result<Engine> {
        Engine::open(&self.repo, Some(&self.home), at(turn + 1)).map_err(|error| error.to_string())
    }

    /// Stores what is known before the session.
    fn tell(&self, case: &Value) -> Result<Vec<Slug>> {
        let engine = Engine::open(&self.repo, Some(&self.home), at(0)).map_err(|error| error.to_string())?;
        let add = |known: &Value| {
            let (title, said, by) = (text(&known["title"]), text(&known["text"]), text(&known["by"]));
            let channel = if by == "person" { Channel::Person } else { Channel::Agent };
            let draft = Draft::new(title.clone(), format!("# {title}\n\n{said}\n")).by(by).when(title);
            let entry = draft.entry(engine.now());
            engine.add(&entry, Whose::Project, channel).map(|saved| saved.slug)
        };
        let known = case["known"].as_array().into_iter().flatten();
        known.map(add).collect::<std::result::Result<_, _>>().map_err(|error| error.to_string())
    }

    /// The memories that the session brought.
    fn learned(&self, known: &[Slug]) -> Result<Vec<Memory>> {
        let all = self.engine(9)?.list(&Filter::default()).map_err(|error| error.to_string())?;
        let memories = all.memories.into_iter().map(|found| found.memory);
        Ok(memories.filter(|memory| !known.contains(&memory.slug)).collect())
    }

    fn show(&self, slug: &Slug) -> Option<Memory> {
        Some(self.engine(9).ok()?.show(slug).ok()?.memory)
    }
}

fn at(minute: usize) -> Now {
    let start: Timestamp = "2026-05-01T10:00:00Z".parse().unwrap_or(Timestamp::UNIX_EPOCH);
    Now::at(start + SignedDuration::from_mins(minute as i64))
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}
