//! What is worth remembering, and nothing else.
//!
//! Every door through which an agent writes leads here. A proposal is read
//! once and asked one question after the other; the first that it fails decides,
//! and the answer says why. Deciding is pure: the repository, the known
//! memories and what the session was told come in as arguments, and somebody
//! else carries the verdict out.

mod claims;
mod commands;
mod foreign;
mod ground;
mod manner;
mod manner_model;
mod orders_model;
pub(crate) mod prose;
mod quoted;
pub(crate) mod read;
mod refuse;
mod screen;
mod voice;

use std::cell::OnceCell;
use std::fmt;

use self::claims::Checked;
pub use self::claims::Unproven;
use self::foreign::unknown_elsewhere;
pub use self::ground::Ground;
use self::read::Read;
use self::screen::without_secrets;
pub use self::screen::{Screened, Screener, entry_without_secrets};
pub(crate) use self::voice::Voice;
use crate::compare::{KnownRead, Proposed, Relation, compare, measures};
use crate::embed::Embedder;
use crate::entry::{Entry, Status};
use crate::linear::{Encoded, Measures};
use crate::memory::{Change, Fold, Memory, OWN_FIELDS};
use crate::proposal::Proposal;
use crate::redact::Redactor;
use crate::slug::Slug;
use crate::trust::Trust;
use crate::words::{Term, terms};

/// Longer bodies are dumps, not memories.
const MOST_WORDS: usize = 2_000;

/// Who said what a person wishes to be kept.
pub const PERSON: &str = "person";
/// Shares of the words from which a memory says all of a text, and a text much of a memory.
const ALL: f32 = 0.8;
const MUCH: f32 = 0.5;

/// What is known of the run in which a proposal arose.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// What the agent was asked to do.
    pub task: String,
    /// What it said at the end.
    pub output: String,
    /// What rawko itself put before it.
    pub injected: String,
    /// The lowest trust among what the proposal was made from; `None` where it is the agent's own words alone.
    pub lowest: Option<Trust>,
    /// Whether the run was looked through for somebody else's words. Where it was not, nothing tells whose words a
    /// proposal repeats, and each part of it must be proved by itself.
    pub looked_through: bool,
    /// How far a person said in the run what is proposed.
    pub wished: Wished,
    /// Whether it says no more than a person said in the run, in whatever manner: they may have meant it for the moment.
    pub is_persons: bool,
}

/// How far a person wishes in a run what is proposed to be kept. They may have pasted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wished {
    /// It is not known that anybody does.
    #[default]
    No,
    /// It says more: what a rule thinks little of waits for the person instead of being lost.
    Partly,
    /// It says no more: it waits for the person in any case.
    Wholly,
}

/// What a proposal is held against.
pub struct Background<'b> {
    /// The memories that are nearest to it.
    pub known: &'b [Memory],
    /// Files that every agent is given anyway, with their names.
    pub instructions: &'b [(String, String)],
    /// The repository, where there is one.
    pub ground: Option<&'b Ground<'b>>,
    /// Which of the agent's own words need no person.
    pub approve: AutoApprove,
}

/// Which of the agent's own words become active without review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoApprove {
    /// Those whose claims could be checked.
    #[default]
    Verified,
    /// All that were admitted.
    All,
    /// None.
    Never,
}

impl AutoApprove {
    /// Reads the word used in settings.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "verified" => Some(Self::Verified),
            "all" => Some(Self::All),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

/// What becomes of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A memory of its own.
    Accept,
    /// Appended to the memory that it adds to.
    Update(Slug),
    /// Appended to the memory that it replaces, and shown in review.
    Contradict(Slug),
    /// Stored, and waits for a person.
    Hold,
    /// Not stored.
    Refuse,
}

impl Decision {
    /// The word used in logs and output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Update(_) => "update",
            Self::Contradict(_) => "contradiction",
            Self::Hold => "pending",
            Self::Refuse => "refuse",
        }
    }
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing speaks against it.
    New,
    /// It adds to a memory.
    Adds(Slug),
    /// A person took the memory that it speaks of out of use.
    Retired(Slug),
    /// A memory says otherwise.
    Otherwise(Slug),
    /// It would add to, contradict or replace a memory of somebody who is trusted more.
    Replaces(Slug),
    /// It says nothing.
    Empty,
    /// It is a dump.
    Dump,
    /// It reports one run.
    Status,
    /// It was put before the agent by rawko.
    Echo,
    /// It restates a file that every agent is given.
    Instruction(String),
    /// It is known.
    Known(Slug),
    /// It names what is not there.
    Unproven(Unproven),
    /// It retells code.
    Trivia(String),
    /// It holds everywhere.
    Generic,
    /// The run itself only guessed it, or took it back.
    Hypothetical,
    /// It reads like orders.
    Orders(String),
    /// It says as its own what the run only quotes.
    Quoted,
    /// It comes from text of little trust.
    Lineage(Trust),
    /// No claim in it could be checked.
    Unchecked,
    /// Nothing tells whose words it repeats, and one part of it could not be checked.
    PartUnchecked,
    /// It sends its reader to a host or a package that the repository does not name.
    Elsewhere(String),
    /// A person said in the run to keep it; why it would be refused otherwise.
    Wished(Option<Box<Self>>),
    /// A person wants to see everything first.
    Never,
}

impl Reason {
    /// One word for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Adds(_) => "update",
            Self::Retired(_) => "retired",
            Self::Otherwise(_) => "contradiction",
            Self::Replaces(_) => "replaces",
            Self::Empty => "empty",
            Self::Dump => "dump",
            Self::Status => "status",
            Self::Echo => "echo",
            Self::Instruction(_) => "instruction",
            Self::Known(_) => "known",
            Self::Unproven(_) => "unproven",
            Self::Trivia(_) => "trivia",
            Self::Generic => "generic",
            Self::Hypothetical => "hypothetical",
            Self::Orders(_) => "orders",
            Self::Quoted => "quoted",
            Self::Lineage(_) => "lineage",
            Self::Unchecked | Self::PartUnchecked => "unchecked",
            Self::Elsewhere(_) => "elsewhere",
            Self::Wished(_) => "wished",
            Self::Never => "review",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => write!(f, "it is new"),
            Self::Adds(slug) => write!(f, "it adds to `{slug}`"),
            Self::Retired(slug) => write!(f, "a person took `{slug}` out of use"),
            Self::Otherwise(slug) => write!(f, "`{slug}` says otherwise"),
            Self::Replaces(slug) => write!(f, "it would change `{slug}`, which is a person's"),
            Self::Empty => write!(f, "it says nothing that could help later"),
            Self::Dump => write!(f, "it is longer than {MOST_WORDS} words: a dump, not a memory"),
            Self::Status => write!(f, "it reads like a report of one run"),
            Self::Echo => write!(f, "rawko itself put it before the agent in this session"),
            Self::Instruction(file) => write!(f, "it restates {file}, which every agent is given"),
            Self::Known(slug) => write!(f, "`{slug}` says it already"),
            Self::Unproven(Unproven { kind, what }) => write!(f, "the repository has no {kind} `{what}`"),
            Self::Trivia(file) => write!(f, "it retells {file}, which is quicker read than remembered"),
            Self::Generic => write!(f, "it reads like advice for any project"),
            Self::Hypothetical => write!(f, "the run itself only supposed it, or took it back"),
            Self::Orders(why) => write!(f, "it reads like orders to an agent: {why}"),
            Self::Quoted => write!(f, "it says as its own what the run only quotes"),
            Self::Lineage(trust) => write!(f, "it comes from text of {} trust", trust.as_str()),
            Self::Unchecked => write!(f, "none of its claims could be checked against the repository"),
            Self::PartUnchecked => {
                write!(f, "a part of it could not be checked against the repository")
            }
            Self::Elsewhere(what) => {
                write!(f, "it sends its reader to `{what}`, which the repository does not name")
            }
            Self::Wished(None) => write!(f, "a person said it in the run"),
            Self::Wished(Some(why)) => write!(f, "a person said it in the run, but {why}"),
            Self::Never => write!(f, "`extract.autoApprove` is never"),
        }
    }
}

/// A decision with everything that is needed to carry it out.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What becomes of it.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
    /// The memory it is about: updated, contradicted or the same.
    pub target: Option<Slug>,
    /// What to store: without secrets, with its status and trust.
    pub entry: Entry,
    /// The rules of the secrets that were taken out.
    pub secrets: Vec<&'static str>,
}

impl Verdict {
    /// Lets what was decided wait for a person: their word carries it out.
    ///
    /// What somebody said it replaces is replaced then. Where nobody did, it may well be something else that happens to
    /// be near, and a person decides that, too.
    pub fn hold(&mut self, reason: Reason, proposal: &Proposal, wished: Wished) {
        let front = &mut self.entry.frontmatter;
        front.status = Some(Status::Pending);
        let declared = &proposal.entry.frontmatter.supersedes;
        for slug in std::mem::take(&mut front.supersedes).iter().filter_map(|name| Slug::parse(name).ok()) {
            let is_meant = wished == Wished::Wholly
                || proposal.update_of.as_ref() == Some(&slug)
                || declared.iter().any(|name| name == slug.as_str());
            match is_meant {
                true => Change::Replaces.note(front, &slug),
                false => front.related_memories.push(slug.to_string()),
            }
        }
        match &self.decision {
            Decision::Update(slug) if proposal.update_of.as_ref() == Some(slug) => {
                Change::Updates.note(front, slug);
            }
            Decision::Update(slug) => front.related_memories.push(slug.to_string()),
            _ => {}
        }
        (self.decision, self.reason) = (Decision::Hold, reason);
    }
}

/// Decides what becomes of a proposal.
pub fn admit(proposal: &Proposal, circumstances: &Circumstances, background: &Background<'_>) -> Verdict {
    let (entry, secrets) = without_secrets(&Redactor::default(), &proposal.entry);
    let embedder = Embedder::built_in();
    let case = Case::of(&entry, proposal.update_of.as_ref(), circumstances, background, &embedder);
    let Settled { decision, reason, target, waits } = case.decide();
    let mut entry = case.stored(entry.clone(), &decision);
    if decision != Decision::Refuse {
        case.checked().add_evidence(&mut entry.frontmatter.evidence);
    }
    let mut verdict = Verdict { decision, reason, target, entry, secrets };
    if let Some(reason) = waits {
        verdict.hold(reason, proposal, circumstances.wished);
    }
    verdict
}

/// What was decided, before it is carried out.
struct Settled {
    decision: Decision,
    reason: Reason,
    /// The memory it is about.
    target: Option<Slug>,
    /// Why a person must say yes first.
    waits: Option<Reason>,
}

impl Settled {
    fn refused(reason: Reason, target: Option<Slug>) -> Self {
        Self { decision: Decision::Refuse, reason, target, waits: None }
    }

    /// What follows from how a proposal stands to what is known.
    fn by(relation: Relation) -> Self {
        let (decision, reason, target) = match relation {
            Relation::New | Relation::Same(_) => (Decision::Accept, Reason::New, None),
            Relation::Updates(slug) => {
                (Decision::Update(slug.clone()), Reason::Adds(slug.clone()), Some(slug))
            }
            Relation::Contradicts(slug) => {
                (Decision::Contradict(slug.clone()), Reason::Otherwise(slug.clone()), Some(slug))
            }
        };
        Self { decision, reason, target, waits: None }
    }

    fn waiting(self, reason: Reason) -> Self {
        Self { waits: Some(reason), ..self }
    }
}

/// What a text that nobody has to judge rests on, as far as it names files and what stands in them; hashes are left to
/// be filled in.
pub fn rests_on(text: &str, ground: &Ground<'_>) -> serde_json::Value {
    let mut evidence = serde_json::Value::Null;
    claims::check(&read::sentences_of(text), ground).add_evidence(&mut evidence);
    evidence
}

/// What a proposal is judged by.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The memory that is nearest to it.
    pub nearest: Option<Slug>,
    /// How it stands to that memory.
    pub relation: Measures,
    /// In what manner it is said.
    pub manner: Measures,
}

/// What a proposal is judged by, measure by measure.
pub fn measured(proposal: &Proposal, circumstances: &Circumstances, background: &Background<'_>) -> Measured {
    let (entry, _) = without_secrets(&Redactor::default(), &proposal.entry);
    let embedder = Embedder::built_in();
    let case = Case::of(&entry, proposal.update_of.as_ref(), circumstances, background, &embedder);
    let near = measures(&case.proposed(), &case.known());
    let (nearest, relation) = near.map_or_else(Default::default, |(slug, near)| (Some(slug), near));
    let manner = case.manner_measures(&relation);
    Measured { nearest, relation, manner }
}

/// What a memory says that others may be held against; `None` where all of it waits for a person.
///
/// Of one that speaks it is what agents hear, and of one that was taken out of use all that it said.
fn spoken(memory: &Memory) -> Option<Fold<'_>> {
    let heard = memory.for_agents()?;
    match heard.status {
        // What somebody spoke against is no news, though it is not told.
        Status::Pending if memory.is_doubted() => Some(heard),
        Status::Pending => None,
        Status::Active => Some(heard),
        Status::Deprecated | Status::Superseded | Status::Rejected => memory.now(),
    }
}

fn without_headings(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

/// Whether a memory only waits for a person: nothing of it speaks, and nobody took it out of use.
pub fn only_waits(memory: &Memory) -> bool {
    spoken(memory).is_none() || memory.is_doubted()
}

/// A proposal with everything it is judged by, read once.
pub(crate) struct Case<'c> {
    title: &'c str,
    /// What it says, title left out.
    body: Read,
    /// Title and body.
    whole: String,
    entry: &'c Entry,
    update_of: Option<&'c Slug>,
    output: Read,
    circumstances: &'c Circumstances,
    background: &'c Background<'c>,
    embedder: &'c Embedder<'static>,
    voice: Voice<'c>,
    /// What the encoder hears in it and in the run.
    in_run: OnceCell<Option<Encoded>>,
    /// What its claims came to, once they were looked up.
    claims: OnceCell<Checked>,
}

impl<'c> Case<'c> {
    fn of(
        entry: &'c Entry,
        update_of: Option<&'c Slug>,
        circumstances: &'c Circumstances,
        background: &'c Background<'c>,
        embedder: &'c Embedder<'static>,
    ) -> Self {
        let title = entry.frontmatter.title.as_str();
        Self {
            title,
            body: Read::of(&entry.body, embedder),
            whole: format!("{title}.\n{}", entry.body),
            entry,
            update_of,
            output: Read::of(&circumstances.output, embedder),
            circumstances,
            background,
            embedder,
            voice: Voice::of(title, &entry.body),
            in_run: OnceCell::new(),
            claims: OnceCell::new(),
        }
    }

    fn decide(&self) -> Settled {
        let unfit = self.unfit();
        if let Some(reason) = unfit.clone().filter(|reason| !self.may_wait(reason)) {
            return Settled::refused(reason, None);
        }
        if let Some(reason) = self.ordered() {
            return Settled::by(Relation::New).waiting(reason);
        }
        let (relation, near) = compare(&self.proposed(), &self.known());
        let relation = self.as_said(self.unless_it_replaces(relation));
        if let Relation::Same(slug) = relation {
            return Settled::refused(Reason::Known(slug.clone()), Some(slug));
        }
        let settled = match unfit {
            Some(reason) => self.against(reason, relation),
            None => self.judged(relation, &near),
        };
        // What waits says nothing yet, so it stands in nobody's way, except of what would wait beside it once more.
        if settled.waits.is_some()
            && let (Relation::Same(slug), _) = compare(&self.proposed(), &self.waiting())
            && (!self.is_of_a_person() || self.is_said_by(&slug))
        {
            return Settled::refused(Reason::Known(slug.clone()), Some(slug));
        }
        settled
    }

    /// What a person says in the place of a memory is not the same, however near its words are; and nothing becomes a
    /// part of a memory that somebody spoke against.
    fn unless_it_replaces(&self, relation: Relation) -> Relation {
        match relation {
            Relation::Same(slug) | Relation::Updates(slug) if self.corrects(&slug) => {
                Relation::Contradicts(slug)
            }
            Relation::Updates(slug) | Relation::Contradicts(slug)
                if self.is_doubted(&slug) && !self.corrects(&slug) =>
            {
                Relation::New
            }
            relation => relation,
        }
    }

    /// Whether a person said it in the run, meant to last or not.
    fn is_of_a_person(&self) -> bool {
        self.circumstances.wished != Wished::No || self.circumstances.is_persons
    }

    /// A person's own words are known only where a memory says just that: what is near in words may be the opposite.
    fn as_said(&self, relation: Relation) -> Relation {
        let Relation::Same(slug) = &relation else { return relation };
        if !self.is_of_a_person() || self.is_said_by(slug) {
            return relation;
        }
        let memory = self.background.known.iter().find(|memory| memory.slug == *slug);
        match memory.is_some_and(Memory::may_speak) {
            true if self.is_denied_by(slug) => Relation::Contradicts(slug.clone()),
            true => Relation::Updates(slug.clone()),
            false => Relation::New,
        }
    }

    /// Whether a memory says all of it, and not the opposite; an agent's, not much more, because who has the words may
    /// still say something else with them.
    fn is_said_by(&self, slug: &Slug) -> bool {
        let Some(known) = self.known_text(slug) else { return false };
        let (own, theirs) = (self.body_terms(), terms(&known));
        let shared = |one: &[Term], other: &[Term]| {
            one.iter().filter(|term| other.contains(term)).count() as f32 / one.len().max(1) as f32
        };
        let is_persons = |memory: &Memory| memory.now().is_some_and(|fold| fold.discovered_by == PERSON);
        let memory = self.background.known.iter().find(|memory| memory.slug == *slug);
        let is_as_long = memory.is_some_and(is_persons) || shared(&theirs, &own) >= MUCH;
        shared(&own, &theirs) >= ALL && is_as_long && !self.is_denied_by(slug)
    }

    /// Whether one of the two says no and the other does not.
    fn is_denied_by(&self, slug: &Slug) -> bool {
        let Some(known) = self.known_text(slug) else { return false };
        prose::denies(&known.to_lowercase()) != prose::denies(&self.body.lower)
    }

    /// What a memory says, without its headings.
    fn known_text(&self, slug: &Slug) -> Option<String> {
        let memory = self.background.known.iter().find(|memory| memory.slug == *slug)?;
        Some(without_headings(&memory.now()?.text()))
    }

    fn body_terms(&self) -> Vec<Term> {
        terms(&without_headings(&self.entry.body))
    }

    /// Whether it is what a person says instead of a memory.
    fn corrects(&self, slug: &Slug) -> bool {
        self.circumstances.wished == Wished::Wholly
            && self.entry.frontmatter.supersedes.iter().any(|name| name == slug.as_str())
    }

    fn is_doubted(&self, slug: &Slug) -> bool {
        self.background.known.iter().any(|memory| memory.slug == *slug && memory.is_doubted())
    }

    /// Decides by what a proposal is worth, once it is known how it stands to what is known.
    fn judged(&self, relation: Relation, near: &Measures) -> Settled {
        if let Some(reason) = self.borrowed(&relation) {
            return Settled::refused(reason, None);
        }
        let checked = self.checked();
        if let Some(unproven) =
            checked.unproven.clone().filter(|unproven| !self.is_known(&relation, unproven))
        {
            return self.against(Reason::Unproven(unproven), relation);
        }
        if let Some(reason) = self.worthless(near) {
            return self.against(reason, relation);
        }
        self.settled(relation, checked.proved)
    }

    /// What becomes of a proposal that something speaks against: nothing, unless a person wants it kept.
    fn against(&self, reason: Reason, relation: Relation) -> Settled {
        match self.may_wait(&reason) {
            true => Settled::by(relation).waiting(Reason::Wished(Some(Box::new(reason)))),
            false => Settled::refused(reason, None),
        }
    }

    /// Whether a person's wish counts more than a reason against it.
    fn may_wait(&self, reason: &Reason) -> bool {
        let is_own_rule = self.circumstances.is_persons && *reason == Reason::Generic;
        self.circumstances.wished > Wished::No && *reason != Reason::Dump || is_own_rule
    }

    /// Whether the memory that a proposal adds to says the same unproved thing: then it is not the proposal's claim.
    fn is_known(&self, relation: &Relation, unproven: &Unproven) -> bool {
        let (Relation::Updates(slug) | Relation::Contradicts(slug)) = relation else { return false };
        let target = self.background.known.iter().find(|memory| memory.slug == *slug);
        target.and_then(spoken).is_some_and(|fold| fold.text().contains(unproven.what.as_str()))
    }

    /// An admitted proposal: active or waiting.
    fn settled(&self, relation: Relation, proved: usize) -> Settled {
        let waits = match (self.lowest(), self.background.approve) {
            (Some(trust), _) if !trust.may_be_injected() => Some(Reason::Lineage(trust)),
            (_, AutoApprove::Never) => Some(Reason::Never),
            _ if self.circumstances.wished == Wished::Wholly || self.circumstances.is_persons => {
                Some(Reason::Wished(None))
            }
            (_, AutoApprove::Verified) if proved == 0 => Some(Reason::Unchecked),
            (_, AutoApprove::Verified)
                if !self.circumstances.looked_through && !self.is_proved_throughout() =>
            {
                Some(Reason::PartUnchecked)
            }
            (_, AutoApprove::Verified) => self.elsewhere().map(Reason::Elsewhere),
            _ => None,
        };
        Settled { waits, ..Settled::by(relation) }
    }

    /// A host or a package that it names and the repository does not.
    fn elsewhere(&self) -> Option<String> {
        self.background.ground.and_then(|ground| unknown_elsewhere(&self.whole, ground))
    }

    fn lowest(&self) -> Option<Trust> {
        let claim = self.entry.frontmatter.trust;
        self.circumstances.lowest.into_iter().chain(claim).min()
    }

    fn proposed(&self) -> Proposed<'_> {
        Proposed {
            title: self.title,
            text: &self.entry.body,
            body: &self.body,
            meant: self.update_of,
            said: format!("{} {}", self.circumstances.task, self.circumstances.output).to_lowercase(),
            ground: self.background.ground,
            embedder: self.embedder,
            voice: Some(&self.voice),
        }
    }

    /// What is known: memories that speak, and those that were taken out of use.
    fn known(&self) -> Vec<KnownRead> {
        self.read(spoken)
    }

    /// What only waits for a person.
    fn waiting(&self) -> Vec<KnownRead> {
        self.read(|memory| if spoken(memory).is_none() { memory.now() } else { None })
    }

    fn read(&self, fold: impl Fn(&Memory) -> Option<Fold<'_>>) -> Vec<KnownRead> {
        let read = |memory: &Memory| {
            let fold = fold(memory)?;
            Some(KnownRead::of(memory.slug.clone(), fold.title, &fold.text(), self.embedder))
        };
        self.background.known.iter().filter_map(read).collect()
    }

    /// Whether a memory of this name is among the known ones and does not merely wait.
    fn is_spoken(&self, name: &str) -> bool {
        self.background.known.iter().any(|memory| memory.slug.as_str() == name && spoken(memory).is_some())
    }

    /// The entry as it is stored.
    fn stored(&self, mut entry: Entry, decision: &Decision) -> Entry {
        let front = &mut entry.frontmatter;
        front.trust = self.lowest();
        // Nobody approves, retires or doubts anything by proposing it.
        front.status = None;
        OWN_FIELDS.iter().for_each(|field| _ = front.extra.remove(*field));
        // What a proposal would replace it may name; what becomes of that is up to trust, where it is carried out.
        front.supersedes.retain(|name| self.is_spoken(name));
        if let Decision::Contradict(slug) = decision
            && !front.supersedes.iter().any(|name| name == slug.as_str())
        {
            front.supersedes.push(slug.to_string());
        }
        entry
    }
}
