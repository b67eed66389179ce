//! What waits for the person's word, and giving it.
//!
//! A repository's memories, settings and agents are worth something only once
//! the person has approved exactly those texts. The approvals are kept in the
//! person's own folder, so no repository can grant them to itself.

use std::path::Path;

use rawko_core::{EntryId, Known, Slug, Standing, inert_line, redact};
use rawko_store::{FileStore, Store, StoreError, file_id};

use crate::config::beyond_a_repository;
use crate::engine::Engine;

/// Most characters of the settings that a question names.
const SETS: usize = 400;

/// A text that waits for the person's word.
#[derive(Clone, Debug)]
pub struct Question {
    /// The memory, or `None` for a settings or agent file.
    pub slug: Option<Slug>,
    /// The memory's title, or the file's path below the store.
    pub title: String,
    /// Who wrote it, as it says itself; empty for a file.
    pub by: String,
    /// Why it waits.
    pub why: String,
    /// What is approved: the file's text, or the entry with its fields.
    pub text: String,
    /// Names the text.
    pub id: EntryId,
}

/// Everything in a project's store that waits for the person's word.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// What waits, files first, then memories by name.
    pub waiting: Vec<Question>,
    /// How many entries need no word.
    pub settled: usize,
}

impl Engine {
    /// What waits for the person's word in the project's store.
    pub fn questions(&self) -> Result<Questions, StoreError> {
        let Some(store) = self.store(crate::Whose::Project) else { return Ok(Questions::default()) };
        let mut questions = Questions::default();
        for (name, id, text) in settings(store)? {
            if store.approvals().standing(&id) != Standing::Approved {
                let mut why = if name == "config.toml" {
                    "before you approve it, it may set tags and wider limits than yours, and nothing else"
                } else {
                    "an agent of a repository does nothing before you approve it"
                }
                .to_owned();
                let sets = if name == "config.toml" { beyond_a_repository(&text) } else { Vec::new() };
                if !sets.is_empty() {
                    // Commands and addresses among them: whoever approves must not have to open the file.
                    let sets: String = redact(&inert_line(&sets.join(", "))).chars().take(SETS).collect();
                    why = format!("{why}; approved, it also sets {sets}");
                }
                questions.waiting.push(Question {
                    slug: None,
                    title: name,
                    by: String::new(),
                    why,
                    text,
                    id,
                });
            }
        }
        for memory in store.read_all()?.memories {
            for known in &memory.entries {
                match waits(known, store.approvals().is_new()) {
                    None => questions.settled += 1,
                    Some(why) => questions.waiting.push(Question {
                        slug: Some(memory.slug.clone()),
                        title: known.entry.frontmatter.title.clone(),
                        by: known.entry.frontmatter.discovered_by.clone(),
                        why,
                        text: known.entry.to_text(),
                        id: known.id,
                    }),
                }
            }
        }
        Ok(questions)
    }

    /// Whether rawko knows nothing of the project's folder: it was cloned, or moved where it could not be followed.
    pub fn is_new_here(&self) -> bool {
        self.store(crate::Whose::Project).is_some_and(|store| store.approvals().is_new())
    }

    /// Records the person's approval of exactly these texts.
    pub fn trust(&self, questions: &Questions) -> Result<(), StoreError> {
        let ids: Vec<EntryId> = questions.waiting.iter().map(|question| question.id).collect();
        match self.store(crate::Whose::Project) {
            Some(store) => store.approve(&ids),
            None => Ok(()),
        }
    }

    /// Lets stand here what stood for the project when it was at `old`; gives the number of texts.
    ///
    /// Only texts that are here, exactly as they were there, and of which nothing else is known.
    pub fn adopt(&self, old: &Path) -> Result<usize, StoreError> {
        let Some(store) = self.store(crate::Whose::Project) else { return Ok(0) };
        let there = store.approvals_at(&old.join(rawko_store::FOLDER))?;
        let unknown =
            self.texts(store)?.into_iter().filter(|id| store.approvals().standing(id) == Standing::Unknown);
        let known = unknown.map(|id| (id, there.standing(&id)));
        let known: Vec<_> = known.filter(|(_, standing)| *standing != Standing::Unknown).collect();
        store.restore(&known)?;
        Ok(known.len())
    }

    /// Everything in a store that a person may say a word about.
    fn texts(&self, store: &FileStore) -> Result<Vec<EntryId>, StoreError> {
        let mut ids: Vec<EntryId> = settings(store)?.into_iter().map(|(_, id, _)| id).collect();
        let memories = store.read_all()?.memories;
        ids.extend(memories.iter().flat_map(|memory| memory.entries.iter().map(|known| known.id)));
        Ok(ids)
    }

    /// Takes back every approval in the project's store; gives the number of texts.
    pub fn distrust(&self) -> Result<usize, StoreError> {
        let Some(store) = self.store(crate::Whose::Project) else { return Ok(0) };
        let mut ids = self.texts(store)?;
        // What the person took back does not wait for another word.
        ids.retain(|id| !matches!(store.approvals().standing(id), Standing::Unknown | Standing::Withdrawn));
        store.revoke(&ids)?;
        Ok(ids.len())
    }
}

fn waits(known: &Known, is_new: bool) -> Option<String> {
    if known.standing == Standing::Withdrawn {
        return None;
    }
    if let Some(why) = known.waits() {
        return Some(format!("its text holds {why}"));
    }
    let why = match known.standing {
        _ if known.trust.may_be_injected() => return None,
        Standing::Unknown if !known.withdraws().is_empty() => {
            "it came with the files, and takes back what another entry of the memory says"
        }
        Standing::Unknown if is_new => "this folder is new to rawko: it was cloned, or came from elsewhere",
        Standing::Unknown => "it came with the files, or was changed by hand",
        Standing::Wrote(_) | Standing::Approved | Standing::Withdrawn => "it was imported, or says so itself",
    };
    Some(why.to_owned())
}

/// The settings and agent files of a store, with the ids under which they are approved, and their texts.
fn settings(store: &FileStore) -> Result<Vec<(String, EntryId, String)>, StoreError> {
    let mut names = vec!["config.toml".to_owned()];
    names.extend(store.agent_files()?);
    let mut found = Vec::new();
    for name in names {
        if let Some(bytes) = store.small_file(&name)? {
            let id = file_id(&name, &bytes);
            found.push((name, id, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(found)
}
