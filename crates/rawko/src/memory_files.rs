//! A model vendor's file-style memory tool, kept as memories: nothing that it edits, deletes or renames is lost.
//!
//! A file is one memory whose entries bear its path. An edit appends the whole
//! new text, a deletion and a rename append a word; the newest text is the file,
//! and the rest is its history. Paths are names and never reach the disk. What
//! the tool writes is an agent's: it goes through admission, and what admission
//! would not let through unseen waits for a person. Such a file can be read by
//! the tool that wrote it, unless it reads like orders.

mod command;
mod path;
mod text;

use rawko_core::{
    Channel, Circumstances, Decision, Entry, Lint, MEMORY_FILE, Memory, Proposal, Slug, Standing, Status,
    hidden,
};
use rawko_store::{FileStore, Store, StoreError, Target};
use serde_json::json;

pub use self::command::FileCommand;
use self::path::FilePath;
use crate::draft::Draft;
use crate::engine::{Engine, Whose};

/// What a command says: the tool's answer, or the tool's error.
type Said = Result<String, String>;

/// The files of a memory tool.
#[derive(Debug)]
pub struct MemoryFiles<'e> {
    engine: &'e Engine,
    whose: Whose,
    by: String,
}

/// A file that is there now.
struct File {
    path: FilePath,
    memory: Memory,
    text: String,
    /// Whether its text reads like orders, and no person has approved it.
    withheld: bool,
}

impl<'e> MemoryFiles<'e> {
    /// The files in the project's store, or in the person's where there is no project; `by` signs what is written.
    pub fn new(engine: &'e Engine, by: impl Into<String>) -> Self {
        Self { engine, whose: engine.home(), by: rawko_core::redact(&by.into()).into_owned() }
    }

    /// Carries out a command; the inner error is the tool's own, for the model.
    pub fn run(&self, command: &FileCommand) -> Result<Said, StoreError> {
        match command {
            FileCommand::View { path, range } => self.view(path, *range),
            FileCommand::Create { path, text } => self.create(path, text),
            FileCommand::Replace { path, old, new } => self.replace(path, old, new),
            FileCommand::Insert { path, line, text } => self.insert(path, *line, text),
            FileCommand::Delete { path } => self.delete(path),
            FileCommand::Rename { from, to } => self.rename(from, to),
        }
    }

    fn store(&self) -> Result<&FileStore, StoreError> {
        self.engine.store(self.whose).ok_or_else(|| StoreError::NoStore(".".into()))
    }

    fn view(&self, given: &str, range: Option<(i64, i64)>) -> Result<Said, StoreError> {
        let path = match FilePath::parse(given) {
            Ok(path) => path,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(file) = self.file(&path)? {
            return Ok(readable(&file, given).and_then(|()| text::numbered(given, &file.text, range)));
        }
        let below = self.below(&path)?;
        if below.is_empty() && !path.is_root() {
            return Ok(Err(missing(given)));
        }
        let sizes: Vec<(&FilePath, usize)> = below.iter().map(|file| (&file.path, file.text.len())).collect();
        Ok(Ok(text::listing(given, &path, &sizes)))
    }

    fn create(&self, given: &str, text: &str) -> Result<Said, StoreError> {
        let path = match FilePath::file(given) {
            Ok(path) => path,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let is_folder_above = path
            .above()
            .try_fold(false, |found, above| Ok::<_, StoreError>(found || self.file(&above)?.is_some()))?;
        if is_folder_above || self.file(&path)?.is_some() || !self.below(&path)?.is_empty() {
            return Ok(Err(format!("File {given} already exists")));
        }
        let known = self.memory(&path)?;
        self.write(&path, known.as_ref(), text, "create")?;
        Ok(Ok(format!("File created successfully at: {given}")))
    }

    fn replace(&self, given: &str, old: &str, new: &str) -> Result<Said, StoreError> {
        let file = match self.editable(given)? {
            Ok(file) => file,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (edited, snippet) = match text::replaced(given, &file.text, old, new) {
            Ok(done) => done,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.write(&file.path, Some(&file.memory), &edited, "edit")?;
        Ok(Ok(format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )))
    }

    fn insert(&self, given: &str, line: i64, inserted: &str) -> Result<Said, StoreError> {
        let file = match self.editable(given)? {
            Ok(file) => file,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let edited = match text::inserted(&file.text, line, inserted) {
            Ok(edited) => edited,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.write(&file.path, Some(&file.memory), &edited, "edit")?;
        Ok(Ok(format!("The file {given} has been edited.")))
    }

    fn delete(&self, given: &str) -> Result<Said, StoreError> {
        let path = match FilePath::parse(given) {
            Ok(path) if path.is_root() => {
                return Ok(Err("Cannot delete the /memories directory itself".to_owned()));
            }
            Ok(path) => path,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let gone = self.at_or_below(&path)?;
        if gone.is_empty() {
            return Ok(Err(format!("The path {given} does not exist")));
        }
        for file in &gone {
            self.word(file, Status::Deprecated, None, "delete")?;
        }
        Ok(Ok(format!("Successfully deleted {given}")))
    }

    fn rename(&self, from: &str, to: &str) -> Result<Said, StoreError> {
        let (old, new) = match (FilePath::parse(from), FilePath::file(to)) {
            (Ok(old), _) if old.is_root() => {
                return Ok(Err("Cannot rename the /memories directory itself".to_owned()));
            }
            (Ok(old), Ok(new)) => (old, new),
            (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
        };
        let moved = self.at_or_below(&old)?;
        if moved.is_empty() {
            return Ok(Err(format!("The path {from} does not exist")));
        }
        if !self.at_or_below(&new)?.is_empty() {
            return Ok(Err(format!("The destination {to} already exists")));
        }
        if new.is_below(&old) {
            return Ok(Err(format!("Cannot rename {from} to a path below itself")));
        }
        for file in &moved {
            let path = file.path.moved(&old, &new);
            let known = self.memory(&path)?;
            // The new name first: a crash in between leaves two, never none.
            let slug = self.write(&path, known.as_ref(), &file.text, "rename")?;
            self.word(file, Status::Superseded, Some(&slug), "rename")?;
        }
        Ok(Ok(format!("Successfully renamed {from} to {to}")))
    }

    /// The file that a command wants to change.
    fn editable(&self, given: &str) -> Result<Result<File, String>, StoreError> {
        let path = match FilePath::parse(given) {
            Ok(path) => path,
            Err(refusal) => return Ok(Err(refusal)),
        };
        Ok(match self.file(&path)? {
            Some(file) => readable(&file, given).map(|()| file),
            None if !self.below(&path)?.is_empty() => Err(format!("The path {given} is not a file.")),
            None => Err(missing(given)),
        })
    }

    /// The memory of a path, also of a file that is gone.
    fn memory(&self, path: &FilePath) -> Result<Option<Memory>, StoreError> {
        let names = path.slugs();
        let is_it = |memory: &Memory| path_of(memory).as_ref() == Some(path);
        let found = self.store()?.read_some(&names)?;
        let are_all_taken = found.len() == names.len();
        match found.into_iter().find(is_it) {
            None if are_all_taken => Ok(self.store()?.read_all()?.memories.into_iter().find(is_it)),
            found => Ok(found),
        }
    }

    fn file(&self, path: &FilePath) -> Result<Option<File>, StoreError> {
        Ok(self.memory(path)?.and_then(file_of))
    }

    /// Every file below a folder, by path.
    fn below(&self, folder: &FilePath) -> Result<Vec<File>, StoreError> {
        let all = self.store()?.read_all()?.memories;
        let mut found: Vec<File> = all.into_iter().filter_map(file_of).collect();
        found.retain(|file| file.path.is_below(folder));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn at_or_below(&self, path: &FilePath) -> Result<Vec<File>, StoreError> {
        match self.file(path)? {
            Some(file) => Ok(vec![file]),
            None => self.below(path),
        }
    }

    /// Appends a file's new text, judged as every agent's words are.
    fn write(
        &self,
        path: &FilePath,
        known: Option<&Memory>,
        text: &str,
        action: &str,
    ) -> Result<Slug, StoreError> {
        let entry = self.entry(path, known, text);
        let proposal = Proposal { entry: entry.clone(), update_of: None, reasoning: String::new() };
        let judged = self.engine.consider(&proposal, &Circumstances::default())?;
        let passes =
            matches!(judged.decision, Decision::Accept | Decision::Update(_) | Decision::Contradict(_));
        let mut entry = Entry { frontmatter: entry.frontmatter, body: judged.entry.body };
        entry.frontmatter.title = judged.entry.frontmatter.title;
        // Said in every entry: an earlier deletion must not outlive the file's return.
        entry.frontmatter.status = Some(if passes { Status::Active } else { Status::Pending });
        if passes {
            entry.frontmatter.evidence = judged.entry.frontmatter.evidence;
        }
        self.append(known, entry, action)
    }

    /// Appends a word about a file: that it is gone, or has another name.
    fn word(&self, file: &File, status: Status, by: Option<&Slug>, action: &str) -> Result<(), StoreError> {
        let mut entry = self.entry(&file.path, Some(&file.memory), "");
        entry.frontmatter.status = Some(status);
        entry.frontmatter.related_memories = by.map(Slug::to_string).into_iter().collect();
        self.append(Some(&file.memory), entry, action).map(drop)
    }

    fn entry(&self, path: &FilePath, known: Option<&Memory>, text: &str) -> Entry {
        let draft = Draft::new(path.as_str(), text).when(path.words()).by(self.by.clone());
        let mut entry = draft.entry(self.engine.now());
        let extra = &mut entry.frontmatter.extra;
        extra.insert(MEMORY_FILE.to_owned(), json!(path.as_str()));
        // The same text again within a moment is still an edit of its own.
        extra.insert("memoryEdit".to_owned(), json!(known.map_or(0, |memory| memory.entries.len())));
        entry
    }

    /// Appends an entry, and notes it so that `undo` can take it back.
    fn append(&self, known: Option<&Memory>, entry: Entry, action: &str) -> Result<Slug, StoreError> {
        let saved = match known {
            Some(memory) => self.engine.append(entry, self.whose, &memory.slug, Channel::Agent)?,
            None => self.store()?.append(&entry, &Target::Title, Channel::Agent)?,
        };
        let line = json!({
            "kind": "review", "action": format!("memory tool {action}"), "at": self.engine.now().to_string(),
            "by": self.by, "slug": saved.slug.as_str(), "other": null,
            "entries": [[self.whose.as_str(), saved.id.to_string()]], "approved": [],
        });
        self.engine.log_review(self.whose, line)?;
        Ok(saved.slug)
    }
}

/// The path that a memory's entries of this machine bear.
fn path_of(memory: &Memory) -> Option<FilePath> {
    let known = memory.entries.iter().find(|known| is_ours(known.standing));
    let path = known?.entry.frontmatter.extra.get(MEMORY_FILE)?.as_str()?;
    FilePath::file(path).ok()
}

/// Whether an entry was written here, or a person vouches for it: a clone brings no files.
fn is_ours(standing: Standing) -> bool {
    matches!(standing, Standing::Wrote(Channel::Agent | Channel::Person) | Standing::Approved)
}

/// What a memory is as a file now; `None` where it is none, or is gone.
fn file_of(memory: Memory) -> Option<File> {
    let path = path_of(&memory)?;
    let (mut text, mut approved, mut gone): (Option<String>, bool, bool) = (None, false, true);
    let ours = memory.standing().filter(|known| is_ours(known.standing));
    for known in ours {
        let front = &known.entry.frontmatter;
        match front.status {
            Some(Status::Deprecated | Status::Superseded | Status::Rejected) => gone = true,
            Some(Status::Active | Status::Pending) => gone = false,
            None => {}
        }
        let is_text = front.extra.contains_key(MEMORY_FILE) && !is_word(front.status);
        if is_text {
            text = Some(known.entry.body.clone());
            approved = known.standing == Standing::Approved;
        } else if known.standing == Standing::Wrote(Channel::Person) && !known.entry.body.trim().is_empty() {
            // A person's correction is the file's text, too.
            text = Some(known.entry.body.clone());
            approved = true;
        }
    }
    let text = text.filter(|_| !gone)?;
    let withheld = !approved && (hidden(&text).is_some() || Lint::default().look(&text).is_some());
    Some(File { path, memory, text, withheld })
}

/// Whether an entry only says what became of a file.
fn is_word(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Deprecated | Status::Superseded | Status::Rejected))
}

fn readable(file: &File, given: &str) -> Result<(), String> {
    match file.withheld {
        true => {
            Err(format!("The path {given} waits for a person's review, and its text is withheld until then."))
        }
        false => Ok(()),
    }
}

fn missing(given: &str) -> String {
    format!("The path {given} does not exist. Please provide a valid path.")
}
