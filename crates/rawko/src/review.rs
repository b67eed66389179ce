//! Review actions: approve, reject, rate, correct, merge, supersede, drop, and taking the last one back.
//!
//! Every action is an appended entry in the person's name, and one line in the
//! log of the person's own folder that remembers what it wrote, so that the last
//! action can be taken back: no repository can bring such a line. Taking back
//! appends an entry, too: it names what says nothing any more, so that whoever
//! has the file has it as this person has. Nothing is rewritten, what is made of other entries is worth no more than the
//! least of them, and a word about a memory repeats of it only what may reach
//! agents already.

use std::path::Path;

use rawko_core::{
    Change, Channel, Entry, EntryId, Frontmatter, Importance, Memory, Slug, Standing, Status, WITHDRAWS,
    only_waits,
};
use rawko_store::{FileStore, Store, StoreError, UsageLog, file_id, standing_of, standing_word};
use serde_json::{Value, json};

use crate::engine::{Engine, Found, Whose};

/// How many actions back `undo` looks.
const MOST_ACTIONS: usize = 500;

/// What a reviewer may do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Lets a memory reach agents: exactly the entries that the person was shown, with what that changes.
    Approve(Slug, Vec<EntryId>, Vec<(Change, Slug)>),
    /// Keeps a memory from agents for good.
    Reject(Slug),
    /// Takes one entry of a memory back, exactly the one that the person was shown; the others go on speaking.
    Drop(Slug, EntryId),
    /// Puts what the first says into the second, and retires the first.
    Merge(Slug, Slug),
    /// The first is replaced by the second.
    Supersede(Slug, Slug),
    /// Says how much a memory matters.
    Rate(Slug, Importance),
    /// Says it better: the text becomes the memory's newest entry.
    Correct(Slug, String),
}

impl Action {
    /// The word used in the log and in output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Approve(..) => "approve",
            Self::Reject(_) => "reject",
            Self::Drop(..) => "drop",
            Self::Merge(..) => "merge",
            Self::Supersede(..) => "supersede",
            Self::Rate(..) => "rate",
            Self::Correct(..) => "edit",
        }
    }

    /// The memory that changes, and the other one where there are two.
    pub fn slugs(&self) -> (&Slug, Option<&Slug>) {
        match self {
            Self::Approve(slug, ..)
            | Self::Reject(slug)
            | Self::Drop(slug, _)
            | Self::Rate(slug, _)
            | Self::Correct(slug, _) => (slug, None),
            Self::Merge(one, other) | Self::Supersede(one, other) => (one, Some(other)),
        }
    }
}

/// What was done, or taken back.
#[derive(Clone, Debug)]
pub struct Done {
    /// What kind of action.
    pub action: String,
    /// The memory it was about.
    pub slug: Slug,
    /// One sentence for the person.
    pub said: String,
}

/// An action that can be taken back.
#[derive(Clone, Debug)]
pub struct Undoable {
    /// In words.
    pub what: String,
    name: EntryId,
}

/// What an action wrote, and the texts it approved with how they stood before.
type Made = (Vec<(Whose, EntryId)>, Vec<(EntryId, Standing)>);

impl Engine {
    /// Carries out a reviewer's action in the name of `by`.
    pub fn act(&self, action: &Action, by: &str) -> Result<Done, StoreError> {
        let _turn = self.turn(Whose::Person)?;
        let (slug, other) = action.slugs();
        let found = self.show(slug)?;
        let second = other.map(|other| self.show(other)).transpose()?;
        // To rate a text or to put it in another's place is to vouch for it.
        let vouched = match action {
            Action::Rate(..) => Some(&found),
            Action::Supersede(..) => second.as_ref(),
            _ => None,
        };
        let speaks = |found: &Found| match action {
            Action::Supersede(..) => found.memory.may_speak() || !only_waits(&found.memory),
            _ => found.memory.for_agents().is_some(),
        };
        if let Some(found) = vouched.filter(|found| !speaks(found)) {
            return Err(StoreError::Unapproved(found.memory.slug.clone()));
        }
        // What replaces or takes in another must speak itself: otherwise neither does.
        let status = second.as_ref().and_then(|second| Some(second.memory.now()?.status));
        let out_of_use = status.filter(|status| !matches!(status, Status::Active | Status::Pending));
        if let Some((slug, status)) = other.zip(out_of_use) {
            return Err(StoreError::OutOfUse(slug.clone(), status));
        }
        // What becomes of other memories beside the two.
        let mut changed: Vec<(Change, Slug)> = Vec::new();
        let (made, approved): Made = match (action, &second) {
            (Action::Approve(_, seen, changes), _) => {
                let others = self.in_use(&found, changes)?;
                changed.extend(others.iter().map(|(change, other)| (*change, other.memory.slug.clone())));
                self.approve_memory(&found, seen, &others, by)?
            }
            (Action::Reject(_), _) => {
                let mut made =
                    vec![(found.whose, self.say(&found, by, |front| front.status = Some(Status::Rejected))?)];
                // What was held back for its sake speaks again.
                for (change, other) in self.in_use(&found, &found.memory.would_change())? {
                    let doubts = other.memory.doubts();
                    if !doubts.is_empty() {
                        made.push((other.whose, self.withdraw(&other, &doubts, by)?));
                        changed.push((change, other.memory.slug.clone()));
                    }
                }
                (made, vec![])
            }
            (Action::Drop(_, entry), _) => {
                (vec![(found.whose, self.withdraw(&found, &[*entry], by)?)], vec![])
            }
            (Action::Rate(_, importance), _) => {
                (vec![(found.whose, self.say(&found, by, |front| front.importance = *importance)?)], vec![])
            }
            (Action::Correct(_, text), _) => (vec![(found.whose, self.correct(&found, by, text)?)], vec![]),
            (Action::Merge(..), Some(into)) => (self.merge(&found, into, by)?, vec![]),
            (Action::Supersede(..), Some(new)) => (self.replace(&found, new, by)?, vec![]),
            (Action::Merge(..) | Action::Supersede(..), None) => (vec![], vec![]),
        };
        let said = said(action, &changed);
        let line = json!({
            "kind": "review", "action": action.as_str(), "at": self.now().to_string(), "by": by,
            "slug": slug.as_str(), "other": other.map(Slug::as_str), "changed": changed.iter().map(|(_, slug)| slug.as_str()).collect::<Vec<_>>(),
            "entries": made.iter().map(|(whose, id)| json!([whose.as_str(), id.to_string()])).collect::<Vec<_>>(),
            "approved": approved.iter().map(|(id, stood)| json!([id.to_string(), standing_word(*stood)])).collect::<Vec<_>>(),
        });
        self.log_review(found.whose, line)?;
        Ok(Done { action: action.as_str().to_owned(), slug: slug.clone(), said })
    }

    /// Takes the newest action back that is not taken back yet; `None` where there is none.
    pub fn undo(&self, by: &str) -> Result<Option<Done>, StoreError> {
        // Two at once would take the same action back.
        let _turn = self.turn(Whose::Person)?;
        let last = self.last_action()?;
        last.map(|(whose, line)| self.take_back(whose, &line, by)).transpose()
    }

    /// As [`Engine::undo`], where the newest action is still the one that the person said yes to.
    pub fn undo_only(&self, confirmed: &Undoable, by: &str) -> Result<Done, StoreError> {
        let _turn = self.turn(Whose::Person)?;
        match self.last_action()? {
            Some((whose, line)) if name_of(&line) == confirmed.name => self.take_back(whose, &line, by),
            _ => Err(StoreError::NotLast(confirmed.what.clone())),
        }
    }

    /// Takes an action back, by whoever has the turn.
    fn take_back(&self, whose: Whose, line: &Value, by: &str) -> Result<Done, StoreError> {
        let slug = slug_of(line)?;
        let store = self.store(whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        let action = line["action"].as_str().unwrap_or_default().to_owned();
        store.restore(&stood(&line["approved"]))?;
        let changed = line["changed"].as_array().into_iter().flatten().chain([&line["other"]]);
        let others = changed.filter_map(|name| Slug::parse(name.as_str()?).ok());
        for slug in std::iter::once(slug.clone()).chain(others) {
            self.withdraw_all(&slug, &line["entries"], by)?;
        }
        let undone = json!({
            "kind": "review", "action": "undo", "at": self.now().to_string(), "by": by,
            "slug": slug.as_str(), "of": line["at"], "takesBack": name_of(line).to_string(),
        });
        self.log_review(whose, undone)?;
        let said = format!("took back `{action}` of `{slug}`");
        Ok(Done { action, slug, said })
    }

    /// What [`Engine::undo`] would take back; `None` where there is nothing.
    pub fn undoable(&self) -> Result<Option<Undoable>, StoreError> {
        let Some((_, line)) = self.last_action()? else { return Ok(None) };
        let action = line["action"].as_str().unwrap_or_default();
        let what = format!("`{action}` of `{}`", slug_of(&line)?);
        Ok(Some(Undoable { what, name: name_of(&line) }))
    }

    /// The newest action in the stores at hand that no `undo` belongs to.
    ///
    /// An `undo` names its action: another may be logged before it while it goes on. One of an older rawko names none,
    /// and took back the last before it.
    fn last_action(&self) -> Result<Option<(Whose, Value)>, StoreError> {
        let Some(person) = self.store(Whose::Person) else { return Ok(None) };
        let whose = |line: &Value| {
            [Whose::Project, Whose::Person].into_iter().find(|whose| self.was_done_in(*whose, line))
        };
        let wanted = |line: &Value| whose(line).is_some();
        let (mut named, mut unnamed) = (Vec::new(), 0);
        for line in UsageLog::of(person.layout()).newest("review", MOST_ACTIONS, wanted)? {
            if line["action"] == "undo" {
                match line["takesBack"].as_str().and_then(EntryId::parse) {
                    Some(name) => named.push(name),
                    None => unnamed += 1,
                }
                continue;
            }
            // The same may be done, taken back and done again in one moment: each undo is for one of them.
            if let Some(at) = named.iter().position(|name| *name == name_of(&line)) {
                named.swap_remove(at);
            } else if unnamed > 0 {
                unnamed -= 1;
            } else {
                return Ok(whose(&line).map(|whose| (whose, line)));
            }
        }
        Ok(None)
    }

    /// Whether a line of the log tells of this store: of its place, or of where it was before it was moved.
    ///
    /// What is still there is another worktree of the repository, with memories of its own.
    fn was_done_in(&self, whose: Whose, line: &Value) -> bool {
        let Some((store, place)) = self.store(whose).zip(line["store"].as_str()) else { return false };
        let is_same = line["record"].as_str().is_some_and(|record| store.approvals().name() == Some(record));
        place == place_of(store) || (is_same && !Path::new(place).exists())
    }

    /// Notes what was done in one of the stores, for `undo`.
    pub(crate) fn log_review(&self, whose: Whose, mut line: Value) -> Result<(), StoreError> {
        let Some((log, store)) = self.store(Whose::Person).zip(self.store(whose)) else { return Ok(()) };
        line["store"] = place_of(store).into();
        line["record"] = store.approvals().name().into();
        UsageLog::of(log.layout()).append(&line, self.now())
    }

    /// Approves exactly the texts that wait and were shown, says so in an entry, and changes what it would change.
    fn approve_memory(
        &self,
        found: &Found,
        seen: &[EntryId],
        others: &[(Change, Found)],
        by: &str,
    ) -> Result<Made, StoreError> {
        let waits = |known: &&rawko_core::Known| {
            known.standing != Standing::Approved
                && (!known.may_be_injected() || known.entry.frontmatter.status == Some(Status::Pending))
        };
        let stood: Vec<(EntryId, Standing)> =
            found.memory.standing().filter(waits).map(|known| (known.id, known.standing)).collect();
        if stood.iter().any(|(id, _)| !seen.contains(id)) {
            return Err(StoreError::Unapproved(found.memory.slug.clone()));
        }
        let store = self.store(found.whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        store.approve(&stood.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
        let read = || -> Result<Found, StoreError> {
            Ok(Found { whose: found.whose, memory: store.read(&found.memory.slug)? })
        };
        let word = self.say(&read()?, by, |front| front.status = Some(Status::Active))?;
        let mut made = vec![(found.whose, word)];
        for (change, other) in others {
            made.extend(match change {
                Change::Replaces => self.replace(other, &read()?, by)?,
                Change::Updates => self.merge(&read()?, other, by)?,
            });
        }
        Ok((made, stood))
    }

    /// Those of the memories that an approval changes which can be: of the same store, and not out of use. What is to get
    /// an entry must speak itself.
    fn in_use(&self, found: &Found, changes: &[(Change, Slug)]) -> Result<Vec<(Change, Found)>, StoreError> {
        let store = self.store(found.whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        let mut others = Vec::new();
        for (change, slug) in changes {
            let memory = match store.read(slug) {
                Err(StoreError::Missing(_)) => continue,
                read => read?,
            };
            let status = memory.now().map(|fold| fold.status);
            let is_in_use = match change {
                Change::Replaces => matches!(status, Some(Status::Active | Status::Pending)),
                Change::Updates => memory.may_speak(),
            };
            if is_in_use {
                others.push((*change, Found { whose: found.whose, memory }));
            }
        }
        Ok(others)
    }

    /// Takes back what an action wrote into memories of this name: it stays in the files, and says nothing any more.
    fn withdraw_all(&self, slug: &Slug, entries: &Value, by: &str) -> Result<(), StoreError> {
        for (whose, store) in self.stores() {
            let made: Vec<EntryId> = entries_of(entries, whose).collect();
            let memory = match store.read(slug) {
                Err(StoreError::Missing(_)) => continue,
                read => read?,
            };
            let here = memory.entries.iter().map(|known| known.id).filter(|id| made.contains(id));
            let here: Vec<EntryId> = here.collect();
            if !here.is_empty() {
                self.withdraw(&Found { whose, memory }, &here, by)?;
            }
        }
        Ok(())
    }

    /// Appends the word that these entries say nothing any more.
    ///
    /// It tells how the memory stands without them, for readers that do not know the field.
    fn withdraw(&self, found: &Found, entries: &[EntryId], by: &str) -> Result<EntryId, StoreError> {
        let missing = || StoreError::Missing(found.memory.slug.clone());
        if !entries.iter().all(|id| found.memory.entries.iter().any(|known| known.id == *id)) {
            return Err(missing());
        }
        let memory = found.memory.without(entries);
        let status = memory.now().map(|fold| fold.status);
        let names: Vec<String> = entries.iter().map(EntryId::to_string).collect();
        self.say(&Found { whose: found.whose, memory }, by, |front| {
            front.status = status;
            front.extra.insert(WITHDRAWS.to_owned(), json!(names));
        })
    }

    /// Appends a word of the person's: the memory as it is, with one change.
    fn say(
        &self,
        found: &Found,
        by: &str,
        change: impl FnOnce(&mut Frontmatter),
    ) -> Result<EntryId, StoreError> {
        let mut entry = word(&found.memory, by, self.now());
        change(&mut entry.frontmatter);
        Ok(self.append(entry, found.whose, &found.memory.slug, Channel::Person)?.id)
    }

    fn correct(&self, found: &Found, by: &str, text: &str) -> Result<EntryId, StoreError> {
        let mut entry = word(&found.memory, by, self.now());
        entry.body = text.to_owned();
        Ok(self.append(entry, found.whose, &found.memory.slug, Channel::Person)?.id)
    }

    /// The text of one memory as an entry of the other, worth no more than it was.
    fn merge(&self, from: &Found, into: &Found, by: &str) -> Result<Vec<(Whose, EntryId)>, StoreError> {
        let old = from.memory.now().ok_or_else(|| StoreError::Missing(into.memory.slug.clone()))?;
        let mut entry = word(&into.memory, by, self.now());
        let same = into.memory.now().is_some_and(|fold| fold.text().trim() == old.text().trim());
        entry.body = if same { String::new() } else { old.text() };
        let front = &mut entry.frontmatter;
        front.trust = Some(old.trust);
        front.when_to_use.extend(old.when_to_use.iter().map(|&trigger| trigger.clone()));
        front.tags = old.tags.iter().map(|&tag| tag.to_owned()).collect();
        front.related_memories = vec![from.memory.slug.to_string()];
        let merged = self.append(entry, into.whose, &into.memory.slug, Channel::Person)?.id;
        let retired = self.retired(from, &into.memory.slug, by)?;
        Ok(vec![(into.whose, merged), (from.whose, retired)])
    }

    fn replace(&self, old: &Found, new: &Found, by: &str) -> Result<Vec<(Whose, EntryId)>, StoreError> {
        let slug = old.memory.slug.to_string();
        let told = self.say(new, by, |front| front.supersedes = vec![slug])?;
        Ok(vec![(new.whose, told), (old.whose, self.retired(old, &new.memory.slug, by)?)])
    }

    fn retired(&self, old: &Found, by_slug: &Slug, by: &str) -> Result<EntryId, StoreError> {
        let name = by_slug.to_string();
        self.say(old, by, |front| {
            front.status = Some(Status::Superseded);
            front.related_memories = vec![name];
        })
    }
}

/// The memory that a line of the log tells of.
fn slug_of(line: &Value) -> Result<Slug, StoreError> {
    Slug::parse(line["slug"].as_str().unwrap_or_default())
        .map_err(|_| StoreError::Missing(Slug::from_title("review")))
}

/// Names an action by its line in the log.
fn name_of(line: &Value) -> EntryId {
    file_id("review", line.to_string().as_bytes())
}

/// Names a store in the log.
fn place_of(store: &FileStore) -> String {
    let root = store.layout().root();
    root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string()
}

/// An entry that repeats what agents may know a memory by, and says nothing else.
///
/// Where they may know nothing of it, it is called by its name and has no triggers: a word must not vouch for more.
pub(crate) fn word(memory: &Memory, by: &str, now: jiff::Timestamp) -> Entry {
    let fold = memory.for_agents();
    let name = memory.slug.as_str().replace('-', " ");
    let title = fold.as_ref().map_or(name.as_str(), |fold| fold.title);
    let importance = fold.as_ref().map_or(Importance::Medium, |fold| fold.importance);
    let mut entry = crate::Draft::new(title, "").by(by).importance(importance).entry(now);
    let triggers = fold.iter().flat_map(|fold| &fold.when_to_use);
    entry.frontmatter.when_to_use = triggers.map(|&trigger| trigger.clone()).collect();
    entry
}

fn said(action: &Action, changed: &[(Change, Slug)]) -> String {
    match action {
        Action::Approve(slug, ..) => {
            let told = changed.iter().map(|(change, other)| match change {
                Change::Replaces => format!(", in place of `{other}`"),
                Change::Updates => format!(", as an entry of `{other}`"),
            });
            format!("approved `{slug}`: it may reach your agents{}", told.collect::<String>())
        }
        Action::Reject(slug) => {
            let back = changed.iter().map(|(_, other)| format!("; `{other}` speaks again"));
            format!(
                "rejected `{slug}`: it stays in the history and reaches no agent{}",
                back.collect::<String>()
            )
        }
        Action::Drop(slug, _) => {
            format!("dropped the newest entry of `{slug}`: it stays in the history and says nothing any more")
        }
        Action::Merge(from, into) => format!("merged `{from}` into `{into}`"),
        Action::Supersede(old, new) => format!("`{new}` replaces `{old}`"),
        Action::Rate(slug, importance) => format!("`{slug}` is of {} importance", importance.as_str()),
        Action::Correct(slug, _) => format!("corrected `{slug}`"),
    }
}

/// The texts that an action approved, and how they stood before.
fn stood(value: &Value) -> Vec<(EntryId, Standing)> {
    let one = |pair: &Value| Some((EntryId::parse(pair[0].as_str()?)?, standing_of(pair[1].as_str()?)?));
    value.as_array().into_iter().flatten().filter_map(one).collect()
}

/// The entries that an action wrote into a store.
fn entries_of(value: &Value, whose: Whose) -> impl Iterator<Item = EntryId> {
    let own = value.as_array().into_iter().flatten().filter(move |pair| pair[0] == whose.as_str());
    own.filter_map(|pair| EntryId::parse(pair[1].as_str()?))
}
