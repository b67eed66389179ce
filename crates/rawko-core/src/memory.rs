//! A memory: a thread of entries, and what it says now.
//!
//! What a memory says now is the fold of its entries. The fold is where trust
//! bites: an entry changes what stands only where it is worth at least as much
//! as every entry above it in the file and before it in time, so nobody can
//! raise importance, widen triggers, activate or supersede beyond their own
//! trust. History is never dropped, and the same text twice counts once.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::entry::{Entry, EntryId, Frontmatter, Importance, Kind, Status, Trigger};
use crate::hidden::hidden;
use crate::score::says_correction;
use crate::slug::Slug;
use crate::thread::{Found, Thread};
use crate::trust::{Standing, Trust};

/// The field that names the file of an agent's memory tool; an entry that has it holds the file's whole text.
pub const MEMORY_FILE: &str = "memoryFile";

/// The field that names the key of a learned value; an entry that has it holds the key's whole value.
pub const LEARNED_KEY: &str = "learnedKey";

/// The field that names entries above in the same file, by their ids, that say nothing any more.
///
/// Where its entry's trust allows, that is all the entry says; elsewhere it is an entry like any other.
pub const WITHDRAWS: &str = "withdraws";

/// The fields of an entry that waits: which memories its approval takes out of use, and which it becomes an entry of.
const WOULD_REPLACE: &str = "wouldReplace";
const WOULD_UPDATE: &str = "wouldUpdate";

/// The field that keeps what a person said against a memory, in the entry that holds it back for that.
pub const DENIED_BY: &str = "deniedBy";

/// The fields that only rawko writes, about what a person has to decide.
pub(crate) const OWN_FIELDS: [&str; 3] = [WOULD_REPLACE, WOULD_UPDATE, DENIED_BY];

/// What approving an entry does to another memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It stands in the other's place.
    Replaces,
    /// It becomes an entry of the other.
    Updates,
}

/// Lets an entry that waits be merely related to those of the memories that it would change for which `is_so`.
pub fn relate(front: &mut Frontmatter, is_so: impl Fn(&Slug) -> bool) {
    for change in [Change::Replaces, Change::Updates] {
        let Some(Value::Array(named)) = front.extra.get_mut(change.field()) else { continue };
        let slug = |name: &Value| Slug::parse(name.as_str()?).ok();
        let (away, here): (Vec<Value>, Vec<Value>) =
            std::mem::take(named).into_iter().partition(|name| slug(name).is_some_and(|slug| is_so(&slug)));
        *named = here;
        if named.is_empty() {
            front.extra.remove(change.field());
        }
        front.related_memories.extend(away.iter().filter_map(|name| name.as_str().map(str::to_owned)));
    }
}

impl Change {
    fn field(self) -> &'static str {
        match self {
            Self::Replaces => WOULD_REPLACE,
            Self::Updates => WOULD_UPDATE,
        }
    }

    /// Notes in an entry that waits what its approval would change.
    pub fn note(self, front: &mut Frontmatter, slug: &Slug) {
        let named = front.extra.entry(self.field()).or_insert_with(|| Value::Array(Vec::new()));
        match named {
            Value::Array(named) => named.push(slug.as_str().into()),
            other => *other = Value::from(vec![slug.as_str()]),
        }
    }
}

/// One distinct concept: a thread of one or more entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its permanent name.
    pub slug: Slug,
    /// Its entries, oldest first: by `discoveredAt`, then as they stand in the file.
    pub entries: Vec<Known>,
}

/// An entry, and what is known of how it came to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The entry.
    pub entry: Entry,
    /// Names exactly this text.
    pub id: EntryId,
    /// How it came to be.
    pub standing: Standing,
    /// What it is worth: never more than its standing proves.
    pub trust: Trust,
    /// The line of its opening `---`, from 1.
    pub line: usize,
    waits: Option<String>,
    /// Whether it takes others back, and says nothing besides.
    takes_back: bool,
    /// Whether its title and body say that they put something right, where that is known without the body.
    corrects: Option<bool>,
}

/// Whose word a memory waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// A reviewer's: rawko itself stored what waits.
    Review,
    /// The person's approval of what came with the files, or was changed by hand.
    Approval,
}

/// How many memories wait, and for whose word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// For a reviewer's.
    pub review: usize,
    /// For the person's approval.
    pub approval: usize,
}

/// An entry without its body, for an index: all that decides whether it is chosen, and nothing that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// Names exactly the entry's text.
    pub id: EntryId,
    /// The line of its opening `---`, from 1.
    pub line: usize,
    /// Its fields; what only people and checks ask for (`extra`, `shouldFire`, …) may be left out.
    pub front: Frontmatter,
    /// Whether its title and body say that they put something right.
    pub corrects: bool,
    /// What a person should see before it speaks.
    pub doubts: Doubts,
}

/// What keeps an entry waiting, depending on who wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// An unresolved merge is in it.
    pub conflict: bool,
    /// Fields of another entry are in it.
    pub woven: bool,
    /// Text that a reader would not see, in words.
    pub hidden: Option<String>,
}

impl Sketch {
    /// The sketch of an entry in the memory named `slug`.
    pub fn of(slug: &Slug, found: &Found) -> Self {
        let Found { entry, text, woven, line, .. } = found;
        let front = Frontmatter {
            should_fire: Vec::new(),
            should_not_fire: Vec::new(),
            extra: Map::new(),
            discovered_in: None,
            source: None,
            ..entry.frontmatter.clone()
        };
        let doubts = Doubts {
            conflict: crate::thread::has_conflict(&entry.body),
            woven: woven.is_some(),
            hidden: hidden_in(entry),
        };
        let corrects = says_correction(&front.title, &entry.body);
        Self { id: EntryId::of(slug, text), line: *line, front, corrects, doubts }
    }
}

/// What one entry of a memory says, and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// Who wrote it, as the entry says itself.
    pub by: &'a str,
    /// The words.
    pub text: Cow<'a, str>,
    /// It was said before something that stands above it.
    pub is_earlier: bool,
}

/// What a memory says now.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold<'a> {
    /// Its title.
    pub title: &'a str,
    /// All its triggers, without doubles.
    pub when_to_use: Vec<&'a Trigger>,
    /// How much it matters.
    pub importance: Importance,
    /// When the newest entry was found that could change what stands.
    pub discovered_at: Timestamp,
    /// Who found that entry.
    pub discovered_by: &'a str,
    /// All its tags, without doubles.
    pub tags: Vec<&'a str>,
    /// Slugs of related memories.
    pub related_memories: Vec<&'a str>,
    /// The task that led to the newest entry that names one.
    pub discovered_in: Option<&'a str>,
    /// Where the newest entry that says so comes from.
    pub source: Option<&'a str>,
    /// Knowledge or procedure.
    pub kind: Kind,
    /// Where it stands in its life.
    pub status: Status,
    /// Slugs that it replaces.
    pub supersedes: Vec<&'a str>,
    /// What it rests on: the newest list that an entry gave.
    pub evidence: &'a Value,
    /// When that entry was found: as things were then, it held.
    pub evidence_at: Timestamp,
    /// Bodies, those of most trust first, newest first among equals; empty ones left out.
    pub bodies: Vec<Body<'a>>,
    /// The lowest trust among the entries that it is made of.
    pub trust: Trust,
    /// Fields that rawko does not know, newest value each, from entries of enough trust.
    pub extra: Map<String, Value>,
    /// Why one of its entries waits for a person, if one does.
    pub waits: Option<String>,
    /// Whether its words say that they put something right, where that is known without the bodies.
    pub(crate) corrects: Option<bool>,
}

impl Memory {
    /// Puts a file's entries in order, with what each is worth.
    ///
    /// `standing` looks an entry up in the record that is kept outside the
    /// repository; `unknown` is what an entry without a record is worth here.
    pub fn new(slug: Slug, thread: Thread, standing: impl Fn(&EntryId) -> Standing, unknown: Trust) -> Self {
        let mut seen = HashSet::new();
        let mut entries: Vec<Known> = Vec::with_capacity(thread.entries.len());
        for found in thread.entries {
            let id = EntryId::of(&slug, &found.text);
            if seen.insert(id) {
                let standing = standing(&id);
                let trust = standing.trust(found.entry.frontmatter.trust, unknown);
                let waits = waits(&found.entry, found.woven.is_some(), standing);
                entries.push(Known {
                    entry: found.entry,
                    id,
                    standing,
                    trust,
                    line: found.line,
                    waits,
                    takes_back: false,
                    corrects: None,
                });
            }
        }
        take_back(&mut entries);
        entries.sort_by_key(|known| known.entry.frontmatter.discovered_at);
        Self { slug, entries }
    }

    /// A memory of one entry, as a sketch has it: its body is empty, and what hangs on the body is known.
    pub fn sketched(
        slug: Slug,
        sketch: Sketch,
        standing: impl Fn(&EntryId) -> Standing,
        unknown: Trust,
    ) -> Self {
        let Sketch { id, line, front, corrects, doubts } = sketch;
        let standing = standing(&id);
        let trust = standing.trust(front.trust, unknown);
        let waits = why_waits(standing, || doubts.conflict, doubts.woven, || doubts.hidden);
        let entry = Entry { frontmatter: front, body: String::new() };
        let corrects = Some(corrects);
        // With nothing above it, it takes nothing back.
        let known = Known { entry, id, standing, trust, line, waits, takes_back: false, corrects };
        Self { slug, entries: vec![known] }
    }

    /// Whether two readings of a memory are of the same texts.
    pub fn is_same(&self, other: &Self) -> bool {
        let ids = |memory: &Self| memory.entries.iter().map(|known| known.id).collect::<Vec<_>>();
        self.slug == other.slug && ids(self) == ids(other)
    }

    /// What the memory says now, from all its entries that nobody took back; `None` if it has no entry at all.
    pub fn now(&self) -> Option<Fold<'_>> {
        let standing: Vec<&Known> = self.standing().collect();
        if !standing.is_empty() {
            return fold(&standing);
        }
        // One of which everything was taken back still has a name and a history to show, and is out of use.
        let all = fold(&self.entries.iter().collect::<Vec<_>>())?;
        Some(Fold { status: Status::Deprecated, waits: None, ..all })
    }

    /// The entries that say something: nobody took them back, and they do more than take others back. Oldest first.
    pub fn standing(&self) -> impl DoubleEndedIterator<Item = &Known> {
        self.entries.iter().filter(|known| known.standing != Standing::Withdrawn && !known.takes_back)
    }

    /// The memory as it is without these entries.
    pub fn without(&self, ids: &[EntryId]) -> Self {
        let mut memory = self.clone();
        memory.entries.iter_mut().filter(|known| ids.contains(&known.id)).for_each(Known::withdraw);
        memory
    }

    /// The newest entry with a text, where an older one has a text, too: without it, the memory still speaks.
    pub fn newest_of_several(&self) -> Option<&Known> {
        let mut texts = self.standing().rev().filter(|known| !known.entry.body.trim().is_empty());
        texts.next().filter(|_| texts.next().is_some())
    }

    /// What the memory may say to an agent: from the entries that may be injected alone.
    ///
    /// Words on a text that waits say nothing: without the text there is only its name.
    pub fn for_agents(&self) -> Option<Fold<'_>> {
        let said = fold(&self.injectable())?;
        let is_mute = said.status == Status::Active
            && said.bodies.is_empty()
            && self.standing().any(|known| !known.entry.body.trim().is_empty());
        (!is_mute).then_some(said)
    }

    /// Whether it may say anything to an agent as it stands: text that waits or is out of use may not.
    pub fn may_speak(&self) -> bool {
        self.for_agents().is_some_and(|fold| fold.may_be_injected())
    }

    fn injectable(&self) -> Vec<&Known> {
        let mut entries: Vec<&Known> = self.standing().filter(|known| known.may_be_injected()).collect();
        let outranked = outranked(&entries);
        // An entry that cannot set the memory's status still must not speak before its own review.
        entries.retain(|known| {
            known.status().unwrap_or_default() == Status::Active || !outranked.contains(&known.line)
        });
        entries
    }

    /// The entries that say something, and not to agents before somebody's word.
    pub fn held_back(&self) -> Vec<&Known> {
        let spoken = self.injectable();
        self.standing().filter(|known| !spoken.iter().any(|said| said.id == known.id)).collect()
    }

    /// Whether it waits because a person spoke against it.
    pub fn is_doubted(&self) -> bool {
        self.now().is_some_and(|fold| fold.status == Status::Pending) && !self.doubts().is_empty()
    }

    /// The entries that hold it back because a person spoke against it.
    pub fn doubts(&self) -> Vec<EntryId> {
        let doubts = |known: &&Known| {
            known.status() == Some(Status::Pending) && known.entry.frontmatter.extra.contains_key(DENIED_BY)
        };
        self.standing().filter(doubts).map(|known| known.id).collect()
    }

    /// What approving its entries that wait would change, each memory once, as they say themselves.
    pub fn would_change(&self) -> Vec<(Change, Slug)> {
        let waiting = self.standing().filter(|known| known.status() == Some(Status::Pending));
        let named = |known: &Known| {
            let of = |change: Change| {
                let names = known.entry.frontmatter.extra.get(change.field()).and_then(Value::as_array);
                let slugs = names.into_iter().flatten().filter_map(|name| Slug::parse(name.as_str()?).ok());
                slugs.map(|slug| (change, slug)).collect::<Vec<_>>()
            };
            [Change::Replaces, Change::Updates].into_iter().flat_map(of).collect::<Vec<_>>()
        };
        let mut changes: Vec<(Change, Slug)> = Vec::new();
        for (change, slug) in waiting.flat_map(named) {
            if slug != self.slug && !changes.iter().any(|(_, other)| *other == slug) {
                changes.push((change, slug));
            }
        }
        changes
    }

    /// Whose word it waits for, if it does.
    pub fn awaits(&self) -> Option<Awaits> {
        let held = self.held_back();
        let ours = |known: &&Known| matches!(known.standing, Standing::Wrote(_));
        match self.now()?.status {
            Status::Pending => Some(Awaits::Review),
            Status::Active if held.iter().any(ours) => Some(Awaits::Review),
            Status::Active if !held.is_empty() => Some(Awaits::Approval),
            _ => None,
        }
    }
}

impl Waiting {
    /// Counts a memory in, where it waits.
    pub fn count(&mut self, memory: &Memory) {
        match memory.awaits() {
            Some(Awaits::Review) => self.review += 1,
            Some(Awaits::Approval) => self.approval += 1,
            None => {}
        }
    }

    /// How many of these wait.
    pub fn among<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Self {
        let mut waiting = Self::default();
        memories.into_iter().for_each(|memory| waiting.count(memory));
        waiting
    }
}

impl Known {
    /// Whether this entry's text may enter a prompt.
    pub fn may_be_injected(&self) -> bool {
        self.trust.may_be_injected() && self.waits.is_none()
    }

    /// Why this text waits for a person, if it does.
    pub fn waits(&self) -> Option<String> {
        self.waits.clone()
    }

    /// The entries that it names as taken back, whether or not its trust allows that.
    pub fn withdraws(&self) -> Vec<EntryId> {
        let named = self.entry.frontmatter.extra.get(WITHDRAWS).and_then(Value::as_array);
        named.into_iter().flatten().filter_map(|id| EntryId::parse(id.as_str()?)).collect()
    }

    fn withdraw(&mut self) {
        (self.standing, self.trust) =
            (Standing::Withdrawn, Standing::Withdrawn.trust(None, Trust::Untrusted));
    }

    /// The status it sets: a person's approval of this very text ends its waiting.
    fn status(&self) -> Option<Status> {
        match self.entry.frontmatter.status {
            Some(Status::Pending) if self.standing == Standing::Approved => Some(Status::Active),
            status => status,
        }
    }
}

/// Why a text waits for a person, if it does.
///
/// Text that a reader would not see waits until a person has approved
/// exactly that text; an unresolved merge waits until it is resolved.
fn waits(entry: &Entry, is_woven: bool, standing: Standing) -> Option<String> {
    why_waits(standing, || crate::thread::has_conflict(&entry.body), is_woven, || hidden_in(entry))
}

fn why_waits(
    standing: Standing,
    conflict: impl FnOnce() -> bool,
    is_woven: bool,
    hidden: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if conflict() {
        return Some("an unresolved merge conflict".to_owned());
    }
    if standing == Standing::Approved {
        return None;
    }
    if standing == Standing::Unknown && is_woven {
        return Some("fields of another entry, as if git had woven two together".to_owned());
    }
    hidden()
}

/// Text of an entry that a reader would not see.
fn hidden_in(entry: &Entry) -> Option<String> {
    let front = &entry.frontmatter;
    [&entry.body, &front.title, &front.discovered_by].into_iter().find_map(|text| hidden(text))
}

/// Takes back what entries name that stand below it in the file, are worth as much as all above them, and were not
/// taken back themselves. Entries are in the file's order.
fn take_back(entries: &mut [Known]) {
    if !entries.iter().any(|known| known.entry.frontmatter.extra.contains_key(WITHDRAWS)) {
        return;
    }
    let outranked = outranked(&entries.iter().collect::<Vec<_>>());
    // From the end: whether a word still stands is known before it is obeyed.
    for n in (0..entries.len()).rev() {
        let (above, known) = entries.split_at_mut(n);
        if known[0].standing == Standing::Withdrawn || outranked.contains(&known[0].line) {
            continue;
        }
        let named = known[0].withdraws();
        for one in above.iter_mut().filter(|one| named.contains(&one.id)) {
            one.withdraw();
            known[0].takes_back = true;
        }
    }
}

/// Folds entries that stand in order of time.
fn fold<'a>(entries: &[&'a Known]) -> Option<Fold<'a>> {
    let outranked = outranked(entries);
    let first = entries.iter().position(|known| !outranked.contains(&known.line))?;
    let mut folding = Folding::start(entries[first]);
    for known in entries {
        folding.add(known, !outranked.contains(&known.line));
    }
    Some(folding.finish())
}

/// The lines of entries that were appended below one of higher trust.
///
/// The file's order tells what stood there when an entry came: `discoveredAt`
/// is only what the entry says, and a date in the past buys nothing.
fn outranked(entries: &[&Known]) -> HashSet<usize> {
    let mut by_line = entries.to_vec();
    by_line.sort_by_key(|known| known.line);
    let mut highest = Trust::Untrusted;
    let below = by_line.iter().filter(|known| {
        highest = highest.max(known.trust);
        known.trust < highest
    });
    below.map(|known| known.line).collect()
}

/// A fold under way.
struct Folding<'a> {
    fold: Fold<'a>,
    /// The bodies so far, oldest first, and what each is worth.
    bodies: Vec<(Trust, Body<'a>)>,
    /// The highest trust so far: who may change what stands.
    authority: Trust,
    /// Whether any entry that changed what stands is in plain sight.
    clear: bool,
}

impl<'a> Folding<'a> {
    fn start(known: &'a Known) -> Self {
        let front = &known.entry.frontmatter;
        let fold = Fold {
            title: &front.title,
            when_to_use: Vec::new(),
            importance: front.importance,
            discovered_at: front.discovered_at,
            discovered_by: &front.discovered_by,
            tags: Vec::new(),
            related_memories: Vec::new(),
            discovered_in: None,
            source: None,
            kind: Kind::default(),
            status: Status::default(),
            supersedes: Vec::new(),
            evidence: &Value::Null,
            evidence_at: front.discovered_at,
            bodies: Vec::new(),
            trust: known.trust,
            extra: Map::new(),
            waits: None,
            corrects: known.corrects,
        };
        Self { fold, bodies: Vec::new(), authority: known.trust, clear: false }
    }

    fn add(&mut self, known: &'a Known, may_change: bool) {
        let fold = &mut self.fold;
        fold.trust = fold.trust.min(known.trust);
        if !known.entry.body.trim().is_empty() {
            // A file's new text stands for all of the file, a key's new value for the ones before it, and one that
            // brings a memory back for what was taken out of use, where it may change what stands.
            let extra = &known.entry.frontmatter.extra;
            let is_whole = [MEMORY_FILE, LEARNED_KEY].iter().any(|field| extra.contains_key(*field));
            let is_out = matches!(fold.status, Status::Deprecated | Status::Rejected)
                || fold.status == Status::Pending && fold.extra.contains_key(DENIED_BY);
            let is_back = is_out && known.status() == Some(Status::Active);
            if (is_whole || is_back) && may_change && known.trust >= self.authority {
                self.bodies.clear();
            }
            let body = Body {
                by: &known.entry.frontmatter.discovered_by,
                text: Cow::Borrowed(known.entry.body.as_str()),
                is_earlier: false,
            };
            self.bodies.push((known.trust, body));
        }
        let waits = known.waits();
        let clear = waits.is_none();
        fold.waits = fold.waits.take().or(waits);
        if may_change && known.trust >= self.authority {
            self.authority = known.trust;
            self.clear |= clear;
            self.change(known);
        }
    }

    /// What only an entry of enough trust may change.
    fn change(&mut self, known: &'a Known) {
        let front = &known.entry.frontmatter;
        let fold = &mut self.fold;
        fold.title = &front.title;
        fold.importance = front.importance;
        fold.discovered_at = front.discovered_at;
        fold.discovered_by = &front.discovered_by;
        fold.discovered_in = front.discovered_in.as_deref().or(fold.discovered_in);
        fold.source = front.source.as_deref().or(fold.source);
        fold.kind = front.kind.unwrap_or(fold.kind);
        fold.status = known.status().unwrap_or(fold.status);
        if !front.evidence.is_null() {
            fold.evidence = &front.evidence;
            fold.evidence_at = front.discovered_at;
        }
        unite(&mut fold.when_to_use, front.when_to_use.iter());
        unite(&mut fold.tags, front.tags.iter().map(String::as_str));
        unite(&mut fold.related_memories, front.related_memories.iter().map(String::as_str));
        unite(&mut fold.supersedes, front.supersedes.iter().map(String::as_str));
        fold.extra.extend(front.extra.clone());
    }

    fn finish(mut self) -> Fold<'a> {
        // A word of little trust neither hides nor leads one of more.
        let mut bodies: Vec<_> = self.bodies.into_iter().enumerate().collect();
        bodies.sort_by_key(|(at, (trust, _))| Reverse((*trust, *at)));
        // Said again word for word, a text is no more than it was: the newest of most trust stands for all.
        let mut said = HashSet::new();
        let mut above = 0;
        for (at, (_, body)) in bodies {
            if said.insert(body.text.trim().to_owned()) {
                self.fold.bodies.push(Body { is_earlier: at < above, ..body });
                above = above.max(at);
            }
        }
        if !self.clear && self.fold.status == Status::Active {
            self.fold.status = Status::Pending;
        }
        self.fold
    }
}

fn unite<T: PartialEq>(all: &mut Vec<T>, more: impl Iterator<Item = T>) {
    for item in more {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

impl Fold<'_> {
    /// Whether the memory may enter a prompt, as far as its own file tells.
    pub fn may_be_injected(&self) -> bool {
        self.status == Status::Active && self.trust.may_be_injected()
    }

    /// The bodies, in their order, as one text.
    pub fn text(&self) -> String {
        self.bodies.iter().map(|body| body.text.as_ref()).collect::<Vec<_>>().join("\n\n")
    }
}
