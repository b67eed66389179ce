//! Other tools' memories, taken in: every item is accounted for, and none reaches an agent before a person has seen it.
//!
//! Reading a form is [`rawko_core::parse_import`]. Here is what follows: files
//! are found, names become slugs and links, what is known already is passed
//! over, secrets go, and the rest is written through the import's own door,
//! with its source. Nothing is judged by what it is worth: that is `rawko audit`.

mod account;
mod database;
mod files;

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use rawko_core::{
    Channel, Entry, ImportFormat, ImportItem, OwnEntry, Screener, Slug, Standing, Status, Trust, parse_import,
};
use rawko_store::{Store, StoreError, Target, UsageLog};
use serde_json::json;

pub use self::account::{Became, ImportAccount, ImportOutcome};
use self::files::Source;
use crate::draft::Draft;
use crate::engine::{Engine, Filter, Whose};

/// What to import.
#[derive(Clone, Debug)]
pub struct ImportWish {
    /// The form; `None` to tell it from each file.
    pub format: Option<ImportFormat>,
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Into which store.
    pub into: Whose,
    /// Whether to write nothing.
    pub dry_run: bool,
}

impl Engine {
    /// Imports other tools' memories; the same again adds nothing.
    pub fn import(&self, wish: &ImportWish) -> Result<ImportAccount, StoreError> {
        if self.store(wish.into).is_none() {
            return Err(StoreError::NoStore(".".into()));
        }
        let found = files::find(wish)?;
        let mut account = ImportAccount { passed_over: found.passed_over, ..ImportAccount::default() };
        account.outcomes.extend(found.unreadable);
        account.files = found.sources.len();
        let mut import = Import::new(self, wish)?;
        let mut parsed: Vec<_> = found
            .sources
            .iter()
            .map(|source| (source, parse_import(source.format, &source.path, &source.text)))
            .collect();
        for (_, parsed) in &parsed {
            parsed.items.iter().for_each(|item| import.learn_names(item));
        }
        for (source, parsed) in &mut parsed {
            let expected = std::mem::take(&mut parsed.expects).into_iter();
            for (line, file) in expected.filter(|(_, file)| !source.has_beside(file)) {
                account.outcomes.push(source.skipped(
                    line,
                    &file,
                    "the index names it, and it is not there",
                    true,
                ));
            }
            for skipped in &parsed.skipped {
                account.outcomes.push(source.skipped(
                    skipped.line,
                    &skipped.name,
                    &skipped.why,
                    skipped.damaged,
                ));
            }
            for item in &parsed.items {
                let became = import.take(source, item, account.outcomes.len());
                account.outcomes.push(source.outcome(item.line, &item.name, &item.title, became));
            }
            for own in &parsed.own {
                let became = import.take_own(source, own)?;
                let title = &own.entry.frontmatter.title;
                account.outcomes.push(source.outcome(own.line, own.slug.as_str(), title, became));
            }
        }
        import.save(&mut account)?;
        Ok(account)
    }
}

/// An import under way.
struct Import<'e> {
    engine: &'e Engine,
    into: Whose,
    dry_run: bool,
    screener: Screener,
    /// Who says a text already.
    known: HashMap<String, Slug>,
    /// The entries of each memory, and whether a person or the own agent wrote one of them.
    memories: HashMap<Slug, (Vec<Entry>, bool)>,
    /// What other tools call an item.
    names: HashMap<String, Slug>,
    /// What is to be saved when all is judged: the disk is waited for once for many.
    new: Vec<New>,
}

/// An item that is worth saving.
struct New {
    entry: Entry,
    waits: Option<String>,
    /// Which outcome tells of it.
    outcome: usize,
}

impl<'e> Import<'e> {
    fn new(engine: &'e Engine, wish: &ImportWish) -> Result<Self, StoreError> {
        let mut import = Self {
            engine,
            into: wish.into,
            dry_run: wish.dry_run,
            screener: Screener::default(),
            known: HashMap::new(),
            memories: HashMap::new(),
            names: HashMap::new(),
            new: Vec::new(),
        };
        for found in engine.list(&Filter::default())?.memories {
            for known in &found.memory.entries {
                import.remember(&found.memory.slug, &known.entry.body);
            }
            if found.whose == wish.into {
                let ours = |known: &rawko_core::Known| {
                    known.trust > Trust::Imported
                        || !matches!(known.standing, Standing::Wrote(Channel::Import))
                };
                let taken = found.memory.entries.iter().any(ours);
                let entries = found.memory.entries.into_iter().map(|known| known.entry).collect();
                import.memories.insert(found.memory.slug, (entries, taken));
            }
        }
        Ok(import)
    }

    fn remember(&mut self, slug: &Slug, body: &str) {
        if !body.trim().is_empty() {
            self.known.entry(body.trim().to_owned()).or_insert_with(|| slug.clone());
        }
    }

    fn learn_names(&mut self, item: &ImportItem) {
        let slug = Slug::from_title(&item.title);
        for name in [&item.name, &item.title].into_iter().chain(&item.aliases) {
            self.names.entry(name.to_lowercase()).or_insert_with(|| slug.clone());
        }
    }

    fn take(&mut self, source: &Source, item: &ImportItem, outcome: usize) -> Became {
        let screened = self.screener.screen(&self.entry(source, item));
        let mut entry = screened.entry;
        if let Some(slug) = self.known.get(entry.body.trim()) {
            return Became::Known(slug.clone());
        }
        entry.frontmatter.title = self.free_title(&entry);
        let slug = Slug::from_title(&entry.frontmatter.title);
        self.remember(&slug, &entry.body);
        self.memories.entry(slug.clone()).or_default().0.push(entry.clone());
        self.new.push(New { entry, waits: screened.waits.clone(), outcome });
        Became::Imported { slug, waits: screened.waits, secrets: screened.secrets.len() }
    }

    /// Saves what is new, and tells the account under which names.
    fn save(&mut self, account: &mut ImportAccount) -> Result<(), StoreError> {
        let new = std::mem::take(&mut self.new);
        if self.dry_run || new.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = new.iter().map(|new| new.entry.clone()).collect();
        let saved = self.engine.add_all(&entries, self.into, Channel::Import)?;
        for (new, saved) in new.iter().zip(saved) {
            let from = new.entry.frontmatter.source.as_deref().unwrap_or_default();
            self.log(&saved.slug, &new.entry, from, new.waits.as_deref());
            if let Became::Imported { slug, .. } = &mut account.outcomes[new.outcome].became {
                *slug = saved.slug;
            }
        }
        Ok(())
    }

    /// An entry of rawko's own: the same memory, the same fields, and of an import's trust all the same.
    fn take_own(&mut self, source: &Source, own: &OwnEntry) -> Result<Became, StoreError> {
        let screened = self.screener.screen(&own.entry);
        let entry = screened.entry;
        let has = |(entries, _): &(Vec<Entry>, bool)| entries.contains(&entry);
        if self.memories.get(&own.slug).is_some_and(has) {
            return Ok(Became::Known(own.slug.clone()));
        }
        if !self.dry_run
            && let Some(store) = self.engine.store(self.into)
        {
            store.append(&entry, &Target::Name(own.slug.clone()), Channel::Import)?;
        }
        self.memories.entry(own.slug.clone()).or_default().0.push(entry.clone());
        self.log(&own.slug, &entry, &source.name, screened.waits.as_deref());
        Ok(Became::Imported {
            slug: own.slug.clone(),
            waits: screened.waits,
            secrets: screened.secrets.len(),
        })
    }

    /// The item as an entry.
    fn entry(&self, source: &Source, item: &ImportItem) -> Entry {
        let now = self.engine.now();
        let at =
            item.at.or(source.changed).filter(|at| *at <= now && *at > Timestamp::UNIX_EPOCH).unwrap_or(now);
        let mut draft = Draft::new(item.title.as_str(), item.body.as_str())
            .importance(item.importance)
            .by(source.format.as_str())
            .source(Some(format!("{}: {}#{}", source.format.as_str(), source.name, item.name)))
            .kind(item.kind);
        draft = item.when.iter().fold(draft, |draft, trigger| draft.trigger(trigger.clone()));
        draft = item.tags.iter().fold(draft, |draft, tag| draft.tag(tag.as_str()));
        let own = Slug::from_title(&item.title);
        let mut related: Vec<Slug> = item.related.iter().map(|name| self.named(name)).collect();
        related.retain(|slug| *slug != own);
        related.sort();
        related.dedup();
        draft = related.iter().fold(draft, |draft, slug| draft.related(slug.as_str()));
        let mut entry = draft.entry(at);
        // Said in the file as well: where the record of how it came to be is lost, it still waits.
        entry.frontmatter.trust = Some(Trust::Imported);
        if !item.rest.is_empty() {
            entry.frontmatter.extra.insert("imported".to_owned(), json!(item.rest));
        }
        entry
    }

    fn named(&self, name: &str) -> Slug {
        let known = self.names.get(&name.to_lowercase()).or_else(|| {
            let last = name.rsplit('/').next().unwrap_or(name);
            self.names.get(&last.to_lowercase())
        });
        known.cloned().unwrap_or_else(|| Slug::from_title(name))
    }

    /// The title, or another where a memory has it that does not come from the same item.
    ///
    /// Beside it, never inside: what waits must not silence what is known.
    fn free_title(&self, entry: &Entry) -> String {
        let title = &entry.frontmatter.title;
        let same = |known: &Entry| known.frontmatter.source == entry.frontmatter.source;
        let is_free = |title: &String| {
            let known = self.memories.get(&Slug::from_title(title));
            known.is_none_or(|(entries, taken)| !taken && entries.iter().any(same))
        };
        let others = (2..1_000).map(|n| format!("{title} (imported {n})"));
        let mut names = [title.clone(), format!("{title} (imported)")].into_iter().chain(others);
        names.find(is_free).unwrap_or_else(|| title.clone())
    }

    /// Tells a reviewer where it comes from. The log helps to explain; an import does not fail for want of it.
    fn log(&self, slug: &Slug, entry: &Entry, from: &str, waits: Option<&str>) {
        let Some(store) = self.engine.store(self.into).filter(|_| !self.dry_run) else { return };
        let why = match waits {
            Some(why) => format!("it was imported from {from}, and {why}"),
            None => format!("it was imported from {from}"),
        };
        let pending = entry.frontmatter.status == Some(Status::Pending);
        let line = json!({
            "kind": "admission", "at": self.engine.now().to_string(), "title": entry.frontmatter.title,
            "by": entry.frontmatter.discovered_by, "decision": if pending { "pending" } else { "import" },
            "reason": "imported", "why": why, "slug": slug.as_str(),
        });
        let _ = UsageLog::of(store.layout()).append(&line, self.engine.now());
    }
}
