//! The write pipe's door: what an agent proposes is judged, and the judgement carried out.
//!
//! Judging is [`rawko_core::admit`], which touches nothing. Here is what it
//! is told (the nearest memories by the index, the instruction files, the
//! repository) and what follows: one appended entry, or none, and always one
//! line in the usage log that says what was decided and why.

use rawko_core::rank::Query;
use rawko_core::{
    Admission, AutoApprove, Background, Channel, Circumstances, Decision, Embedder, Entry, Evidence, Ground,
    Judge, Measured, Memory, Proposal, Reason, Redactor, RepoPath, Slug, Standing, Tree, Verdict, Weights,
    complete, only_waits,
};
use rawko_store::{
    FileStore, PendingRuns, Place, Saved, Store, StoreError, Target, Turn, UsageLog, WorkTree,
};
use serde_json::{Value, json};

use crate::engine::{Engine, Whose, is_retired};

/// How many of the nearest memories a proposal is compared with.
const NEAREST: usize = 12;
/// Most instruction files that are read, and the most bytes of one.
const MOST_FILES: usize = 40;
const MOST_BYTES: usize = 64 * 1024;

/// What became of a proposal.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The judgement.
    pub admission: Admission,
    /// The entry that was saved, unless it was refused.
    pub saved: Option<Saved>,
}

impl Engine {
    /// Judges what a proposal says, whoever says it; writes nothing.
    pub fn consider(
        &self,
        proposal: &Proposal,
        circumstances: &Circumstances,
    ) -> Result<Admission, StoreError> {
        self.held_against(proposal, |background, tree| {
            let mut verdict = rawko_core::admit(proposal, circumstances, background);
            let evidence = &mut verdict.entry.frontmatter.evidence;
            if let Some(tree) = tree.filter(|_| verdict.decision != Decision::Refuse && !evidence.is_null()) {
                let commit = tree.commit();
                *evidence =
                    held_now(complete(evidence, tree, &|path| tree.blob_id(path), commit.as_deref()).0, tree);
            }
            verdict
        })
    }

    /// What would become of words that come through this door, for one of the stores; writes nothing.
    pub(crate) fn foresee(
        &self,
        whose: Whose,
        proposal: &Proposal,
        circumstances: &Circumstances,
        channel: Channel,
    ) -> Result<Admission, StoreError> {
        let mut admission = self.consider(proposal, circumstances)?;
        if let Some(reason) = self.reaches_beyond(&admission, whose, channel)? {
            admission.hold(reason, proposal, circumstances.wished);
        }
        // What waits here changes nothing elsewhere: what a person knows everywhere holds in other projects.
        if let Some(store) = self.store(whose).filter(|_| admission.decision == Decision::Hold) {
            let is_elsewhere = |slug: &Slug| matches!(store.read(slug), Err(StoreError::Missing(_)));
            rawko_core::relate(&mut admission.entry.frontmatter, is_elsewhere);
        }
        Ok(admission)
    }

    /// What a proposal is judged by, measure by measure.
    pub fn measured(
        &self,
        proposal: &Proposal,
        circumstances: &Circumstances,
    ) -> Result<Measured, StoreError> {
        self.held_against(proposal, |background, _| rawko_core::measured(proposal, circumstances, background))
    }

    /// Puts a proposal before what it is held against.
    fn held_against<T>(
        &self,
        proposal: &Proposal,
        judge: impl FnOnce(&Background<'_>, Option<&WorkTree>) -> T,
    ) -> Result<T, StoreError> {
        let known = self.nearest(proposal)?;
        let approve = AutoApprove::parse(self.config().text("extract.autoApprove")).unwrap_or_default();
        let tree = self.store(Whose::Project).and_then(|store| WorkTree::open(store.layout().project()).ok());
        let Some(tree) = tree else {
            let background = Background { known: &known, instructions: &[], ground: None, approve };
            return Ok(judge(&background, None));
        };
        let instructions = instructions(&tree);
        let commit = |digits: &str| tree.knows(digits);
        let ground = Ground::new(&tree, &commit);
        let background =
            Background { known: &known, instructions: &instructions, ground: Some(&ground), approve };
        Ok(judge(&background, Some(&tree)))
    }

    /// Judges a proposal and carries the judgement out; the decision is logged, also a "no".
    ///
    /// The channel is the door that the words came through: an agent's words are [`Channel::Agent`].
    /// What is new goes to the project's store, where there is one.
    pub fn admit(
        &self,
        proposal: &Proposal,
        circumstances: &Circumstances,
        channel: Channel,
    ) -> Result<Admitted, StoreError> {
        self.admit_to(self.home(), proposal, circumstances, channel)
    }

    /// As [`Engine::admit`], for one of the stores.
    pub fn admit_to(
        &self,
        whose: Whose,
        proposal: &Proposal,
        circumstances: &Circumstances,
        channel: Channel,
    ) -> Result<Admitted, StoreError> {
        let _alone = self.alone(whose)?;
        self.admit_alone(whose, proposal, circumstances, channel)
    }

    /// The turn to judge and keep, which one process of a store has at a time: between the two, nobody else's is kept.
    ///
    /// `None` where it does not come in time: to keep something twice is better than not at all.
    pub(crate) fn alone(&self, whose: Whose) -> Result<Option<Turn>, StoreError> {
        let turn = self.store(whose).and_then(|store| PendingRuns::of(store).alone().ok());
        self.catch_up()?;
        Ok(turn)
    }

    /// As [`Engine::alone`], for what a person can do again: where the turn does not come in time, that is an error.
    pub(crate) fn turn(&self, whose: Whose) -> Result<Option<Turn>, StoreError> {
        let turn = self.store(whose).map(|store| PendingRuns::of(store).alone()).transpose()?;
        self.catch_up()?;
        Ok(turn)
    }

    /// Whose words are whose was read before the turn came, and in every store somebody may have had a word since.
    fn catch_up(&self) -> Result<(), StoreError> {
        self.stores().try_for_each(|(_, store)| store.approvals().catch_up())
    }

    /// As [`Engine::admit_to`], by whoever has the turn.
    pub(crate) fn admit_alone(
        &self,
        whose: Whose,
        proposal: &Proposal,
        circumstances: &Circumstances,
        channel: Channel,
    ) -> Result<Admitted, StoreError> {
        let admission = self.foresee(whose, proposal, circumstances, channel)?;
        let saved = match &admission.decision {
            Decision::Refuse => None,
            Decision::Accept => {
                Some(self.add(&apart(&admission.entry, self.store(whose))?, whose, channel)?)
            }
            Decision::Hold => Some(self.hold(&admission, whose, channel)?),
            Decision::Update(slug) => {
                let found = self.show(slug)?;
                Some(self.append(titled(&admission.entry, &found.memory), found.whose, slug, channel)?)
            }
            Decision::Contradict(slug) => {
                let found = self.show(slug)?;
                Some(self.append(retitled(&admission.entry, &found.memory), found.whose, slug, channel)?)
            }
        };
        // The log helps to explain; a decision does not fail for want of it.
        let _ = self.log_decision(whose, proposal, &admission, saved.as_ref());
        Ok(Admitted { admission, saved })
    }

    /// Why an entry waits that would add to, contradict or replace a memory in which somebody of more trust spoke:
    /// that is theirs to decide.
    fn reaches_beyond(
        &self,
        admission: &Admission,
        whose: Whose,
        channel: Channel,
    ) -> Result<Option<Reason>, StoreError> {
        let mut touched: Vec<Memory> = Vec::new();
        match &admission.decision {
            Decision::Update(slug) | Decision::Contradict(slug) => {
                let found = self.show(slug)?;
                // What a person knows everywhere is not for one project's agent to change.
                if found.whose == Whose::Person && channel != Channel::Person {
                    return Ok(Some(beyond(&found.memory)));
                }
                touched.push(found.memory);
            }
            Decision::Accept => {
                let titled = |store: &FileStore| store.titled(&admission.entry.frontmatter.title);
                touched.extend(self.store(whose).map(titled).transpose()?.flatten());
                let named = admission.entry.frontmatter.supersedes.iter();
                for slug in named.filter_map(|name| Slug::parse(name).ok()) {
                    touched.push(self.show(&slug)?.memory);
                }
            }
            Decision::Hold | Decision::Refuse => {}
        }
        let outranks = |memory: &&Memory| memory.standing().any(|known| known.trust > channel.proves());
        Ok(touched.iter().find(outranks).map(beyond))
    }

    /// Saves what waits for a person beside what is known, never inside it: an
    /// entry that waits must not silence the memory that it speaks of.
    fn hold(&self, admission: &Admission, whose: Whose, channel: Channel) -> Result<Saved, StoreError> {
        let mut entry = admission.entry.clone();
        let title = entry.frontmatter.title.clone();
        let store = self.store(whose).ok_or_else(|| StoreError::NoStore(".".into()))?;
        for n in 2..100 {
            let slug = Slug::from_title(&entry.frontmatter.title);
            match store.read(&slug) {
                Err(StoreError::Missing(_)) => break,
                Ok(memory) => {
                    if let Some(known) = memory.entries.iter().find(|known| known.entry.body == entry.body) {
                        // It waits already, or was decided: once is enough.
                        return Ok(Saved { slug, id: known.id, place: Place::Already, is_new: false });
                    }
                    entry.frontmatter.title = format!("{title} (proposal {n})");
                }
                Err(error) => return Err(error),
            }
        }
        store.append(&entry, &Target::Title, channel)
    }

    fn log_decision(
        &self,
        whose: Whose,
        proposal: &Proposal,
        admission: &Admission,
        saved: Option<&Saved>,
    ) -> Result<(), StoreError> {
        let Some(store) = self.store(whose) else { return Ok(()) };
        let line = json!({
            "kind": "admission", "at": self.now().to_string(),
            "title": admission.entry.frontmatter.title, "by": admission.entry.frontmatter.discovered_by,
            "decision": admission.decision.as_str(), "reason": admission.reason.name(),
            "why": admission.reason.to_string(), "target": admission.target.as_ref().map(Slug::as_str),
            "slug": saved.map(|saved| saved.slug.as_str()), "id": saved.map(|saved| saved.id.to_string()),
            "secrets": admission.secrets,
            "reasoning": short(&Redactor::default().redact(&proposal.reasoning)),
        });
        UsageLog::of(store.layout()).append(&line, self.now())
    }

    /// The newest decisions of admission, newest first.
    pub fn decisions(&self, most: usize) -> Result<Vec<Value>, StoreError> {
        let mut found = Vec::new();
        for (_, store) in self.stores() {
            found.extend(UsageLog::of(store.layout()).newest("admission", most, |_| true)?);
        }
        found.truncate(most);
        Ok(found)
    }

    /// The memories that speak of what a proposal speaks of, with those that it names.
    fn nearest(&self, proposal: &Proposal) -> Result<Vec<Memory>, StoreError> {
        let front = &proposal.entry.frontmatter;
        let text = format!("{}\n{}", front.title, proposal.entry.body);
        let mut named: Vec<Slug> = proposal.update_of.clone().into_iter().collect();
        named.extend(front.supersedes.iter().filter_map(|name| Slug::parse(name).ok()));
        named.push(Slug::from_title(&front.title));
        self.speaking_of(&text, &named)
    }

    /// The memories that speak of what a text speaks of, by the index, and those that are named.
    ///
    /// A text of unknown origin is left out: nobody's clone makes the agent forget.
    pub(crate) fn speaking_of(&self, text: &str, named: &[Slug]) -> Result<Vec<Memory>, StoreError> {
        let query = Query::of(&text[..text.floor_char_boundary(4 * 1024)], &Embedder::built_in());
        let mut found: Vec<Memory> = Vec::new();
        for (_, store) in self.stores() {
            let mut slugs: Vec<Slug> = self
                .whole_index(store)?
                .candidates(&query, None, NEAREST, &Weights::TUNED)?
                .into_iter()
                .map(|candidate| candidate.slug)
                .collect();
            slugs.extend_from_slice(named);
            slugs.sort();
            slugs.dedup();
            found.extend(slugs.iter().filter_map(|slug| store.read(slug).ok()).filter(is_ours));
        }
        Ok(found)
    }
}

/// Why nobody of less trust changes a memory.
fn beyond(memory: &Memory) -> Reason {
    let slug = memory.slug.clone();
    if is_retired(memory) { Reason::Retired(slug) } else { Reason::Replaces(slug) }
}

/// Whether a memory came to be on this machine, or a person vouches for it.
fn is_ours(memory: &Memory) -> bool {
    let own = |standing: Standing| matches!(standing, Standing::Wrote(_) | Standing::Approved);
    let vouched = memory.now().is_some_and(|fold| fold.trust.may_be_injected());
    vouched || memory.entries.iter().any(|known| own(known.standing))
}

/// The entry under a title that no memory has which only waits: what waits must not silence what speaks.
fn apart(entry: &Entry, store: Option<&FileStore>) -> Result<Entry, StoreError> {
    let Some(store) = store else { return Ok(entry.clone()) };
    let mut apart = entry.clone();
    for n in 2..100 {
        match store.titled(&apart.frontmatter.title)? {
            Some(memory) if only_waits(&memory) => {
                apart.frontmatter.title = format!("{} ({n})", entry.frontmatter.title);
            }
            _ => break,
        }
    }
    Ok(apart)
}

/// The entry under the title, triggers and importance of the memory that it is appended to.
///
/// An update adds to what a memory says; what it is called and how much it matters stays. Only what agents hear of
/// the memory counts: what waits in it gives nothing to what speaks.
fn titled(entry: &Entry, memory: &Memory) -> Entry {
    let mut entry = entry.clone();
    if let Some(fold) = memory.for_agents() {
        entry.frontmatter.title = fold.title.to_owned();
        entry.frontmatter.importance = entry.frontmatter.importance.max(fold.importance);
    }
    entry
}

/// The entry with the importance of the memory that it contradicts, under its own title: the old one may say what is
/// not so any more.
fn retitled(entry: &Entry, memory: &Memory) -> Entry {
    let title = entry.frontmatter.title.clone();
    let mut entry = titled(entry, memory);
    entry.frontmatter.title = title;
    entry
}

/// Evidence without what does not hold even now: a memory must not be stale from its first day on.
pub(crate) fn held_now(evidence: Value, tree: &WorkTree) -> Value {
    let judge = Judge::new(tree);
    let holds = |item: &Value| {
        let report = judge.memory(&Evidence::parse(&json!([item])), None);
        report.worst().is_none_or(|worst| worst.verdict == Verdict::Fresh)
    };
    match evidence {
        Value::Array(items) => {
            let items: Vec<Value> = items.into_iter().filter(holds).collect();
            if items.is_empty() { Value::Null } else { Value::Array(items) }
        }
        other => other,
    }
}

fn short(text: &str) -> String {
    text.chars().take(500).collect()
}

/// How the names of documents begin that a project has at its top for whoever works on it.
#[rustfmt::skip]
const TOLD: [&str; 14] = [
    "architecture", "building", "changelog", "changes", "code_style", "contributing", "conventions", "design", "development",
    "hacking", "install", "readme", "style", "testing",
];

/// The files that every agent is given, and the documents beside them.
pub(crate) fn instructions(tree: &WorkTree) -> Vec<(String, String)> {
    let is_document = |path: &RepoPath| {
        let lower = path.as_str().to_lowercase();
        let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let rules = matches!(name, ".cursorrules" | ".windsurfrules" | ".clinerules");
        let text = [".md", ".mdc", ".rst", ".txt"].iter().any(|end| name.ends_with(end));
        let given = matches!(name, "agents.md" | "claude.md" | "gemini.md" | "readme.md");
        // Anything may lie at the top, the notes of this very run, too.
        let told = folder.is_empty() && TOLD.iter().any(|start| name.starts_with(start));
        let docs = ["docs", "doc", ".github", ".cursor", ".claude"]
            .iter()
            .any(|top| folder.split('/').next() == Some(top));
        rules || (text && (given || told || docs))
    };
    let mut paths: Vec<RepoPath> = tree.files().into_iter().filter(is_document).collect();
    paths.sort_by_key(|path| path.as_str().matches('/').count());
    let read = |path: RepoPath| match tree.read(&path) {
        rawko_core::Content::Text(mut text) => {
            text.truncate(text.floor_char_boundary(MOST_BYTES));
            Some((path.as_str().to_owned(), text))
        }
        _ => None,
    };
    paths.into_iter().take(MOST_FILES).filter_map(read).collect()
}
