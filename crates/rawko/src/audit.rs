//! How much of a store is worth its place: any store, also another tool's export.
//!
//! Every item is put before admission as if it were proposed today, so that
//! the audit and the door judge alike; and compared with the items before it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{
    Admission, AutoApprove, Background, Circumstances, Decision, Ground, LEARNED_KEY, MEMORY_FILE, Memory,
    Proposal, Reason, Relation, Slug, Standing, Thread, Trust, Vector,
};
use rawko_store::{StoreError, WorkTree};
use serde_json::Value;

use crate::draft::Draft;
use crate::engine::{Engine, Filter};

/// Most items that are read.
const MOST_ITEMS: usize = 20_000;
/// Items among which duplicates are looked for.
const MOST_COMPARED: usize = 3_000;
/// Alike enough to be compared closely.
const ALIKE: f32 = 0.6;
/// What only rawko writes into a prompt.
const OWN_HEADING: &str = "Background Knowledge from Previous Runs";

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// How many items there are.
    pub items: usize,
    /// How many were left out because there are too many.
    pub left_out: usize,
    /// How many of them were compared with one another, the first ones.
    pub compared: usize,
    /// What is the matter with items, in their order.
    pub findings: Vec<AuditFinding>,
}

/// What is the matter with one item.
#[derive(Clone, Debug)]
pub struct AuditFinding {
    /// Its name, or its place in the file.
    pub item: String,
    /// One word: secret, duplicate, contradiction, status, echo, …
    pub kind: &'static str,
    /// A sentence.
    pub why: String,
    /// Whether the item would not be stored today because of it; otherwise it would be changed, or wait.
    pub refused: bool,
}

impl Audit {
    /// How many items have each kind of finding.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        self.findings.iter().for_each(|finding| *counts.entry(finding.kind).or_default() += 1);
        counts
    }

    /// How many items would not be stored today.
    pub fn refused(&self) -> usize {
        let refused = self.findings.iter().filter(|finding| finding.refused);
        refused.map(|finding| finding.item.as_str()).collect::<HashSet<_>>().len()
    }

    /// The share of items that would not be stored today.
    pub fn junk_share(&self) -> f64 {
        if self.items == 0 { 0.0 } else { self.refused() as f64 / self.items as f64 }
    }
}

/// One thing that somebody remembers.
struct Kept {
    name: String,
    title: String,
    body: String,
    /// It is kept as it was given: a value that was set, a file of an agent's. Nobody judges what it says.
    as_given: bool,
}

impl Engine {
    /// Audits the stores in reach.
    pub fn audit(&self) -> Result<Audit, StoreError> {
        let kept = self.list(&Filter::default())?.memories.into_iter().filter_map(|found| {
            let fold = found.memory.now()?;
            let name = found.memory.slug.to_string();
            let as_given = [LEARNED_KEY, MEMORY_FILE].iter().any(|field| fold.extra.contains_key(*field));
            Some(Kept { name, title: fold.title.to_owned(), body: fold.text(), as_given })
        });
        Ok(self.judge_all(kept.collect()))
    }

    /// Audits a file or folder of another tool: Markdown, JSON or JSON lines.
    pub fn audit_path(&self, path: &Path) -> Result<Audit, StoreError> {
        let (mut kept, mut unread) = (Vec::new(), Vec::new());
        for file in files(path)? {
            let bytes = rawko_store::read_file(&file)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let no_text = std::str::from_utf8(&bytes).is_err().then(|| "it is no text".to_owned());
            let name = file.strip_prefix(path).unwrap_or(&file).display().to_string();
            let name = if name.is_empty() { file.display().to_string() } else { name };
            let found = if no_text.is_some() { Vec::new() } else { read(&name, &file, &text) };
            if found.is_empty()
                && let Some(why) = no_text.or_else(|| no_json(&file, &text))
            {
                unread.push(AuditFinding { item: name, kind: "unreadable", why, refused: false });
            }
            kept.extend(found);
        }
        let mut audit = self.judge_all(kept);
        audit.findings.extend(unread);
        Ok(audit)
    }

    fn judge_all(&self, mut kept: Vec<Kept>) -> Audit {
        let left_out = kept.len().saturating_sub(MOST_ITEMS);
        kept.truncate(MOST_ITEMS);
        let compared = kept.len().min(MOST_COMPARED);
        let mut audit = Audit { items: kept.len(), left_out, compared, findings: Vec::new() };
        let tree =
            self.store(crate::Whose::Project).and_then(|store| WorkTree::open(store.layout().project()).ok());
        let instructions = tree.as_ref().map(crate::admit::instructions).unwrap_or_default();
        let commit = |digits: &str| tree.as_ref().and_then(|tree| tree.knows(digits));
        let ground = tree.as_ref().map(|tree| Ground::new(tree, &commit));
        let background = Background {
            known: &[],
            instructions: &instructions,
            ground: ground.as_ref(),
            approve: AutoApprove::All,
        };
        for item in &kept {
            audit.findings.extend(self.judge_kept(item, &background));
        }
        audit.findings.extend(self.repeated(&kept));
        audit
    }

    fn judge_kept(&self, item: &Kept, background: &Background<'_>) -> Vec<AuditFinding> {
        let entry = Draft::new(item.title.as_str(), item.body.as_str()).entry(self.now());
        let proposal = Proposal { entry, update_of: None, reasoning: String::new() };
        let found: Admission = rawko_core::admit(&proposal, &Circumstances::default(), background);
        let finding = |kind: &'static str, why: String, refused: bool| AuditFinding {
            item: item.name.clone(),
            kind,
            why,
            refused,
        };
        let mut findings = Vec::new();
        if !found.secrets.is_empty() {
            // Title and body may hold the same one, whole and cut: rules are named, not counted.
            let why = format!("it holds a credential ({})", found.secrets.join(", "));
            findings.push(finding("secret", why, false));
        }
        if item.as_given {
            return findings;
        }
        if item.body.contains(OWN_HEADING) {
            findings.push(finding("echo", Reason::Echo.to_string(), true));
        } else if matches!(found.decision, Decision::Refuse | Decision::Hold) {
            let kind =
                if matches!(found.reason, Reason::Unproven(_)) { "stale" } else { found.reason.name() };
            findings.push(finding(kind, found.reason.to_string(), found.decision == Decision::Refuse));
        }
        findings
    }

    /// Items that say what an earlier one says, or the opposite.
    fn repeated(&self, kept: &[Kept]) -> Vec<AuditFinding> {
        let embedder = rawko_core::Embedder::built_in();
        let memories: Vec<(Memory, Vector)> = kept
            .iter()
            .take(MOST_COMPARED)
            .filter_map(|item| Some((memory(item, self.now())?, embedder.embed(&item.body))))
            .collect();
        let mut findings = Vec::new();
        for (at, (one, vector)) in memories.iter().enumerate() {
            let near = memories[..at].iter().filter(|(_, other)| vector.dot(other) >= ALIKE);
            for (other, _) in near {
                let finding =
                    |kind, why, refused| AuditFinding { item: kept[at].name.clone(), kind, why, refused };
                match rawko_core::between(one, other) {
                    Relation::Same(_) => {
                        let why = format!("`{}` says the same", other.slug);
                        findings.push(finding("duplicate", why, true));
                        break;
                    }
                    Relation::Contradicts(_) => {
                        let why = format!("`{}` says otherwise", other.slug);
                        findings.push(finding("contradiction", why, false));
                        break;
                    }
                    Relation::Updates(_) | Relation::New => {}
                }
            }
        }
        findings
    }
}

/// An item as a memory, so that it can be compared.
fn memory(item: &Kept, now: jiff::Timestamp) -> Option<Memory> {
    let entry = Draft::new(item.title.as_str(), item.body.as_str()).entry(now);
    let thread: Thread = rawko_core::parse(&entry.to_text());
    let slug = Slug::parse(&item.name).unwrap_or_else(|_| Slug::from_title(&item.name));
    (!thread.entries.is_empty()).then(|| Memory::new(slug, thread, |_| Standing::Unknown, Trust::Imported))
}

/// The files to read: the path itself, or everything readable below it.
fn files(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let io = |source| StoreError::Io { action: "read", path: path.to_owned(), source };
    if fs::symlink_metadata(path).map_err(io)?.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(io)?.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let end =
                entry.path().extension().and_then(|end| end.to_str()).unwrap_or_default().to_lowercase();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && matches!(end.as_str(), "md" | "mdc" | "json" | "jsonl" | "txt") {
                found.push(entry.path());
            }
            if found.len() + folders.len() > MOST_ITEMS {
                break;
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Why a file that should be JSON cannot be read, if it cannot.
fn no_json(file: &Path, text: &str) -> Option<String> {
    let error = match file.extension().and_then(|end| end.to_str())? {
        "json" => serde_json::from_str::<Value>(text).err(),
        "jsonl" => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .find_map(|line| serde_json::from_str::<Value>(line).err()),
        _ => None,
    };
    error.map(|error| format!("it is no JSON: {error}"))
}

/// The items of a file: a memory's Markdown, a document's sections, or the texts in JSON.
fn read(name: &str, file: &Path, text: &str) -> Vec<Kept> {
    match file.extension().and_then(|end| end.to_str()) {
        Some("jsonl") => {
            let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            values.enumerate().flat_map(|(n, value)| texts(&format!("{name}:{}", n + 1), &value)).collect()
        }
        Some("json") => {
            serde_json::from_str(text).map_or_else(|_| Vec::new(), |value: Value| texts(name, &value))
        }
        _ => markdown(name, text),
    }
}

fn markdown(name: &str, text: &str) -> Vec<Kept> {
    let entries = rawko_core::parse(text).entries;
    if entries.is_empty() {
        let sections = text.split("\n## ").enumerate().filter(|(_, part)| !part.trim().is_empty());
        return sections
            .map(|(n, part)| {
                let (title, body) = part.split_once('\n').unwrap_or((part, part));
                let title = title.trim_start_matches('#').trim().to_owned();
                Kept { name: format!("{name}#{}", n + 1), title, body: body.to_owned(), as_given: false }
            })
            .collect();
    }
    let body = entries.iter().rev().map(|found| found.entry.body.as_str()).collect::<Vec<_>>().join("\n\n");
    let title = entries.last().map(|found| found.entry.frontmatter.title.clone()).unwrap_or_default();
    vec![Kept { name: name.trim_end_matches(".md").to_owned(), title, body, as_given: false }]
}

/// The texts in a JSON value, wherever other tools put them.
fn texts(name: &str, value: &Value) -> Vec<Kept> {
    const TEXTS: [&str; 10] = [
        "content",
        "memory",
        "text",
        "body",
        "observation",
        "observations",
        "narrative",
        "fact",
        "summary",
        "value",
    ];
    match value {
        Value::String(text) => {
            let title: String = text.chars().take(60).collect();
            vec![Kept { name: name.to_owned(), title, body: text.clone(), as_given: false }]
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(n, item)| texts(&format!("{name}[{n}]"), item)).collect()
        }
        Value::Object(fields) => {
            let title = ["title", "name", "key"].iter().find_map(|key| fields.get(*key)?.as_str());
            let own = TEXTS.iter().filter_map(|key| fields.get(*key));
            let mut found: Vec<Kept> = own.flat_map(|value| texts(name, value)).collect();
            if found.is_empty() {
                let inner = fields.iter().filter(|(_, value)| value.is_array() || value.is_object());
                return inner.flat_map(|(key, value)| texts(&format!("{name}.{key}"), value)).collect();
            }
            if let Some(title) = title {
                found.iter_mut().for_each(|kept| kept.title = title.to_owned());
            }
            found
        }
        _ => Vec::new(),
    }
}
