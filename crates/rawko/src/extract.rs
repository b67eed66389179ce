//! The write pipe: what a finished run taught, decided, admitted, logged.
//!
//! Secrets leave the run before anything else happens, so neither a provider
//! nor the log nor the files of waiting runs ever see one. The rules decide, or
//! a provider; either way every proposal goes through admission. A provider
//! that fails loses nothing: the run waits in the store until it is answered.

use jiff::{SignedDuration, Timestamp};
use rawko_core::{
    Admission, Agent, Channel, Circumstances, Decided, Decision, Entry, EntryId, Extractor, Frontmatter,
    Lineage, Proposal, Run, Slug, Standing, Tree, Trigger, Wished, extract_offline, is_persons, occasions,
    redact, sample, strict_decision_schema, wished, wishes, within,
};
use rawko_store::{FileStore, PendingRuns, Saved, StoreError, UsageLog, WorkTree, file_id};
use serde_json::{Value, json};
use std::time::Duration;

use crate::denied::{Denied, with_corrections};
use crate::engine::{Engine, Whose};
use crate::provider::{Provider, ProviderError, Question, Usage};

/// The extractor's file that is built in.
pub const EXTRACTOR: &str = include_str!("../prompts/memory-extractor.md");
/// Where a repository or a person has their own.
const EXTRACTOR_FILE: &str = "agents/memory-extractor.md";
/// How many existing memories the extractor is told of.
const MEMORIES: usize = 20;
/// Most bytes of a run that waits.
const WAITING: usize = 512 * 1024;
/// Most runs that may wait at once.
const MOST_WAITING: usize = 200;
/// Longest time between two tries, in minutes.
const LONGEST: i64 = 6 * 60;

/// How to extract.
#[derive(Clone, Copy, Default)]
pub struct How<'a> {
    /// Who decides; `None` is the rules.
    pub provider: Option<&'a dyn Provider>,
    /// Decide, and store nothing.
    pub dry_run: bool,
}

/// What a run taught, and what became of it.
#[derive(Debug, Default)]
pub struct Extracted {
    /// Who decided: `offline` or the provider's name.
    pub by: String,
    /// Why, in the decider's words.
    pub reasoning: String,
    /// Every proposal with admission's verdict.
    pub judged: Vec<Judged>,
    /// Memories that a person spoke against in the run.
    pub denied: Vec<Denied>,
    /// Memories that the agent used, as the provider says.
    pub used: Vec<Slug>,
    /// What it cost.
    pub usage: Usage,
    /// The very same run was learned from before, so nothing was done.
    pub was_known: bool,
    /// Why nothing was decided, and the run waits.
    pub waits: Option<Waits>,
}

impl Extracted {
    /// What was saved and may speak.
    pub fn speaking(&self) -> impl Iterator<Item = &Saved> {
        let speaking = self.judged.iter().filter(|judged| judged.admission.decision != Decision::Hold);
        speaking.filter_map(|judged| judged.saved.as_ref())
    }
}

/// A proposal and what became of it.
#[derive(Debug)]
pub struct Judged {
    /// What was proposed.
    pub proposal: Proposal,
    /// Admission's verdict.
    pub admission: Admission,
    /// What was saved.
    pub saved: Option<Saved>,
}

/// Why nothing was decided.
#[derive(Debug)]
pub enum Waits {
    /// The provider will not answer this, now or later: the run does not wait.
    Refused(ProviderError),
    /// There is nobody to ask: what is chosen cannot be used as it is.
    Nobody(String),
    /// The provider gave no answer that could be used.
    Failed(ProviderError),
    /// Another process is asking.
    Busy,
    /// The hour's limit is reached.
    Limit(u64),
    /// It was not kept, because too many wait already; why it would have waited.
    Full(String),
}

impl std::fmt::Display for Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(error) | Self::Refused(error) => write!(f, "{error}"),
            Self::Nobody(why) => write!(f, "{why}"),
            Self::Busy => write!(f, "another process is asking the provider"),
            Self::Limit(most) => write!(f, "the provider was asked {most} times within an hour"),
            Self::Full(why) => {
                write!(f, "{why}; and {MOST_WAITING} runs wait already, so this one was not kept")
            }
        }
    }
}

/// What became of the runs that waited.
#[derive(Debug, Default)]
pub struct Retried {
    /// Runs that were answered.
    pub done: Vec<Extracted>,
    /// Runs that still wait.
    pub waiting: usize,
    /// Kept runs that nobody can read any more.
    pub torn: usize,
    /// Why the last one does.
    pub waits: Option<Waits>,
}

impl Engine {
    /// Learns from a run: decides what is worth remembering and puts it before admission.
    pub fn extract(&self, run: &Run, how: How<'_>) -> Result<Extracted, StoreError> {
        let run = without_secrets(run);
        let name = fingerprint(&run);
        if !how.dry_run && self.was_learned(&name)? {
            return Ok(Extracted { was_known: true, by: by(how), ..Extracted::default() });
        }
        // Kept before anybody is asked, so that whoever ends this process meanwhile loses nothing.
        let asks = how.provider.is_some() && !how.dry_run;
        let kept = if asks { self.keep(&run, &name, "the provider was being asked")? } else { None };
        let (decided, usage) = match self.decide(&run, how)? {
            Ok(decided) => decided,
            Err(waits) => {
                let waits = if how.dry_run { waits } else { self.put_by(&run, &name, kept, waits, how)? };
                return Ok(Extracted { waits: Some(waits), by: by(how), ..Extracted::default() });
            }
        };
        let extracted = self.learn(&name, &run, decided, usage, how)?;
        if let (Some((id, _)), Some(store)) = (kept, self.home_store()) {
            PendingRuns::of(store).done(&id)?;
        }
        Ok(extracted)
    }

    /// Keeps a run that nobody can be asked about, and says why: it is tried again once somebody can.
    pub fn put_off(&self, run: &Run, why: &str) -> Result<Waits, StoreError> {
        let run = without_secrets(run);
        let name = fingerprint(&run);
        let kept = if self.was_learned(&name)? { None } else { self.keep(&run, &name, why)? };
        Ok(if kept.is_some() { Waits::Nobody(why.to_owned()) } else { Waits::Full(why.to_owned()) })
    }

    /// Tries the runs that wait, oldest first, while they can be answered.
    pub fn extract_pending(&self, provider: Option<&dyn Provider>) -> Result<Retried, StoreError> {
        let mut retried = Retried::default();
        // A run is learned where it was: what waits in the person's store belongs to no project.
        let Some(store) = self.home_store() else { return Ok(retried) };
        let pending = PendingRuns::of(store);
        retried.torn += pending.torn()?;
        for (id, record) in pending.list()? {
            let due = record["next"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
            // A clock that jumped back must not make a run wait for years.
            let is_far = |at: Timestamp| at.duration_since(self.now()) > SignedDuration::from_mins(LONGEST);
            if due.is_some_and(|at| at > self.now() && !is_far(at)) || retried.waits.is_some() {
                retried.waiting += 1;
                continue;
            }
            let Ok(run) = serde_json::from_value::<Run>(record["run"].clone()) else {
                retried.torn += 1;
                continue;
            };
            let name = record["name"].as_str().map_or_else(|| fingerprint(&run), str::to_owned);
            // Somebody was asked about it directly in the meantime, or is being asked now.
            if self.was_learned(&name)? {
                pending.done(&id)?;
                continue;
            }
            let how = How { provider, dry_run: false };
            match self.decide(&run, how)? {
                Ok((decided, usage)) => {
                    let extracted = self.learn(&name, &run, decided, usage, how)?;
                    pending.done(&id)?;
                    retried.done.push(extracted);
                }
                Err(waits) => {
                    let tries =
                        record["tries"].as_u64().unwrap_or(1) + u64::from(matches!(waits, Waits::Failed(_)));
                    let waits = self.put_by(&run, &name, Some((id, tries)), waits, how)?;
                    if !matches!(waits, Waits::Refused(_)) {
                        retried.waiting += 1;
                        retried.waits = Some(waits);
                    }
                }
            }
        }
        Ok(retried)
    }

    /// Puts what was decided of a run before admission, and logs it.
    fn learn(
        &self,
        name: &str,
        run: &Run,
        decided: Decided,
        usage: Usage,
        how: How<'_>,
    ) -> Result<Extracted, StoreError> {
        let denied = self.denied(run)?;
        let _alone = if how.dry_run { None } else { self.alone(self.home())? };
        // Another process may have learned it while this one decided.
        if !how.dry_run && self.was_learned(name)? {
            return Ok(Extracted { was_known: true, by: by(how), usage, ..Extracted::default() });
        }
        if !how.dry_run {
            let shown = denied.iter().filter(|denied| denied.is_held || denied.is_marked);
            shown.into_iter().try_for_each(|denied| self.doubt(denied))?;
        }
        let judged = self.judge(run, decided.proposals, &denied, how.dry_run)?;
        let (reasoning, used) = (decided.reasoning, decided.used);
        let extracted =
            Extracted { by: by(how), reasoning, judged, denied, used, usage, ..Extracted::default() };
        if !how.dry_run {
            self.conclude(name, run, &extracted)?;
        }
        Ok(extracted)
    }

    /// How many runs wait.
    pub fn runs_waiting(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        for (_, store) in self.stores() {
            count += PendingRuns::of(store).list()?.len();
        }
        Ok(count)
    }

    /// What the run is worth, by the rules or by a provider.
    fn decide(&self, run: &Run, how: How<'_>) -> Result<Result<(Decided, Usage), Waits>, StoreError> {
        let Some(provider) = how.provider else {
            let proposals = extract_offline(run, self.now());
            let reasoning = if proposals.is_empty() { "the rules found nothing that lasts" } else { "" };
            let decided = Decided { proposals, reasoning: reasoning.to_owned(), used: Vec::new() };
            return Ok(Ok((decided, Usage::default())));
        };
        let Some(store) = self.home_store() else { return Err(StoreError::NoStore(".".into())) };
        let most = self.config().number("extract.perHour");
        if self.asked_within_an_hour(store, most)? >= most {
            return Ok(Err(Waits::Limit(most)));
        }
        // Held until the answer is there: one question at a time per store.
        let Some(_turn) = PendingRuns::of(store).turn()? else { return Ok(Err(Waits::Busy)) };
        Ok(self.ask(provider, run, store)?.map_err(Waits::Failed))
    }

    /// Asks a provider, and once more where its answer does not fit the schema.
    fn ask(
        &self,
        provider: &dyn Provider,
        run: &Run,
        store: &FileStore,
    ) -> Result<Result<(Decided, Usage), ProviderError>, StoreError> {
        let extractor = self.extractor()?;
        let schema = strict_decision_schema();
        let output = sample(run, self.config().number("extract.budget") as usize);
        let prompt = extractor.fill(run, &output, &self.known_memories(run)?, &schema.to_string());
        let mut usage = Usage::default();
        let mut text = prompt.clone();
        for round in 1.. {
            let question = Question {
                prompt: &text,
                schema: &schema,
                max_tokens: extractor.max_tokens,
                timeout: Duration::from_millis(extractor.timeout_ms),
            };
            let answer = provider.ask(&question);
            self.log_question(store, provider, &answer)?;
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return Ok(Err(error)),
            };
            usage = usage.plus(answer.usage);
            match Decided::read(&answer.text, run, self.now()) {
                Ok(decided) => return Ok(Ok((decided, self.priced(usage)))),
                Err(problems) if round >= extractor.rounds => {
                    return Ok(Err(ProviderError::Form(problems.join("; "))));
                }
                Err(problems) => {
                    let problems = problems.join("\n- ");
                    text = format!(
                        "{prompt}\n\nAn earlier answer did not fit:\n- {problems}\n\nAnswer again, with one JSON object that fits the schema and nothing else."
                    );
                }
            }
        }
        unreachable!("a round ends by its answer or by the limit")
    }

    fn priced(&self, mut usage: Usage) -> Usage {
        let (input, output) =
            (self.config().amount("provider.inputPrice"), self.config().amount("provider.outputPrice"));
        let is_counted = usage.input + usage.output > 0;
        if usage.dollars.is_none() && is_counted && (input > 0.0 || output > 0.0) {
            usage.dollars = Some((usage.input as f64 * input + usage.output as f64 * output) / 1e6);
        }
        usage
    }

    /// The extractor in force: the repository's where a person approved exactly that file, the person's, the built-in.
    pub fn extractor(&self) -> Result<Extractor, StoreError> {
        Ok(Extractor::read(&self.extractor_file()?))
    }

    /// The extractor as an agent that is told in words what its prompt has places for.
    pub fn extractor_agent(&self) -> Result<Agent, StoreError> {
        let mut agent = Agent::read("memory-extractor", &self.extractor_file()?);
        for place in ["{agent}", "{result}", "{error}", "{task}", "{agentOutput}", "{existingMemories}"] {
            agent.prompt = agent.prompt.replace(place, "(as you are told)");
        }
        agent.prompt = agent.prompt.replace("{schema}", &strict_decision_schema().to_string());
        Ok(agent)
    }

    fn extractor_file(&self) -> Result<String, StoreError> {
        for (whose, store) in self.stores() {
            let Some(bytes) = store.small_file(EXTRACTOR_FILE)? else { continue };
            let approved =
                || store.approvals().standing(&file_id(EXTRACTOR_FILE, &bytes)) == Standing::Approved;
            if whose == Whose::Person || approved() {
                return Ok(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(EXTRACTOR.to_owned())
    }

    /// The memories nearest to a run that may reach agents: name and title, a line each.
    fn known_memories(&self, run: &Run) -> Result<String, StoreError> {
        let text = format!("{}\n{}", run.task, run.output);
        let query = &text[..text.floor_char_boundary(4 * 1024)];
        let found = self.search(query, MEMORIES, |memory| memory.for_agents().is_some())?;
        let line = |hit: &crate::search::SearchHit| {
            let fold = hit.memory.for_agents()?;
            Some(format!("{}: {}", hit.memory.slug, redact(&rawko_core::inert_line(fold.title))))
        };
        let lines: Vec<String> = found.hits.iter().filter_map(line).collect();
        Ok(if lines.is_empty() { "none".to_owned() } else { lines.join("\n") })
    }

    /// Puts proposals before admission, one after the other, so that each knows what the ones before it brought.
    fn judge(
        &self,
        run: &Run,
        proposals: Vec<Proposal>,
        denied: &[Denied],
        dry_run: bool,
    ) -> Result<Vec<Judged>, StoreError> {
        let lineage = Lineage::of(run);
        let mut circumstances = Circumstances {
            task: run.task.clone(),
            output: run.output.clone(),
            injected: run.injected.join("\n\n"),
            lowest: None,
            looked_through: true,
            wished: Wished::No,
            is_persons: false,
        };
        let wishes = wishes(run);
        let mut judged = Vec::new();
        for (mut proposal, corrects) in with_corrections(run, denied, proposals, self.now()) {
            let Entry { frontmatter, body } = &mut proposal.entry;
            circumstances.lowest = lineage.lowest(&format!("{}\n{body}", frontmatter.title));
            circumstances.wished = if corrects { Wished::Wholly } else { wished(body, &wishes) };
            circumstances.is_persons = is_persons(body, run);
            if circumstances.wished > Wished::No {
                self.call_before_acts(frontmatter, body);
            }
            // What always waits bears the person's name; what may speak at once does not: it may have been pasted.
            if circumstances.wished == Wished::Wholly {
                rawko_core::PERSON.clone_into(&mut frontmatter.discovered_by);
            }
            let (admission, saved) = if dry_run {
                (self.foresee(self.home(), &proposal, &circumstances, Channel::Agent)?, None)
            } else {
                let admitted = self.admit_alone(self.home(), &proposal, &circumstances, Channel::Agent)?;
                (admitted.admission, admitted.saved)
            };
            judged.push(Judged { proposal, admission, saved });
        }
        Ok(judged)
    }

    /// Lets the commands and files that a rule's words name call it, where nothing of the kind does yet.
    fn call_before_acts(&self, front: &mut Frontmatter, body: &str) {
        let is_act = |trigger: &Trigger| matches!(trigger, Trigger::Command(_) | Trigger::Path(_));
        if front.when_to_use.iter().any(is_act) {
            return;
        }
        let tree = self.store(Whose::Project).and_then(|store| WorkTree::open(store.layout().project()).ok());
        let files = tree.map(|tree| tree.files()).unwrap_or_default();
        front.when_to_use.extend(occasions(body, &files));
    }

    /// Keeps a run, and gives its name in the store and how often it was tried; `None` where too many wait already.
    fn keep(&self, run: &Run, name: &str, why: &str) -> Result<Option<(String, u64)>, StoreError> {
        let Some(store) = self.home_store() else { return Ok(None) };
        let pending = PendingRuns::of(store);
        let listed = pending.list()?;
        // The same run again waits once.
        if let Some((id, record)) = listed.iter().find(|(_, record)| record["name"] == name) {
            return Ok(Some((id.clone(), record["tries"].as_u64().unwrap_or(1))));
        }
        // A store whose provider is gone for good does not fill the disk.
        if listed.len() >= MOST_WAITING {
            return Ok(None);
        }
        let id = pending.keep(&self.waiting(run, name, why, 0, Duration::ZERO))?;
        Ok(Some((id, 0)))
    }

    /// Puts a kept run by after nothing was decided; one that is refused for good is let go, and that is logged.
    fn put_by(
        &self,
        run: &Run,
        name: &str,
        kept: Option<(String, u64)>,
        waits: Waits,
        how: How<'_>,
    ) -> Result<Waits, StoreError> {
        let Some(store) = self.home_store() else { return Ok(waits) };
        let pending = PendingRuns::of(store);
        let waits = match waits {
            Waits::Failed(error) if error.is_final() => {
                let (reasoning, usage) = (error.to_string(), self.priced(error.usage()));
                let nothing = Extracted { by: by(how), reasoning, usage, ..Extracted::default() };
                self.conclude(name, run, &nothing)?;
                if let Some((id, _)) = &kept {
                    pending.done(id)?;
                }
                return Ok(Waits::Refused(error));
            }
            waits => waits,
        };
        let Some((id, tries)) = kept else { return Ok(Waits::Full(waits.to_string())) };
        let (tries, pause) = match &waits {
            Waits::Failed(error) => (tries.max(1), until_next(tries.max(1), error)),
            _ => (tries, Duration::ZERO),
        };
        pending.put(&id, &self.waiting(run, name, &waits.to_string(), tries, pause))?;
        Ok(waits)
    }

    /// A run that waits, why, and when to try it next.
    fn waiting(&self, run: &Run, name: &str, why: &str, tries: u64, pause: Duration) -> Value {
        let next = self.now().checked_add(pause).unwrap_or(self.now());
        json!({
            "name": name, "tries": tries, "next": next.to_string(), "why": redact(why),
            "run": within(run, WAITING),
        })
    }

    /// Why the newest of the runs that wait does, in the words of whoever kept it.
    pub fn why_runs_wait(store: &FileStore) -> Result<Option<(usize, String)>, StoreError> {
        let listed = PendingRuns::of(store).list()?;
        let why = listed.last().map(|(_, record)| record["why"].as_str().unwrap_or_default().to_owned());
        Ok(why.map(|why| (listed.len(), why)))
    }

    /// Whether the very same run was learned from before.
    fn was_learned(&self, name: &str) -> Result<bool, StoreError> {
        let Some(store) = self.home_store() else { return Ok(false) };
        let same = |line: &Value| line["run"] == name;
        Ok(!UsageLog::of(store.layout()).newest("extraction", 1, same)?.is_empty())
    }

    fn asked_within_an_hour(&self, store: &FileStore, most: u64) -> Result<u64, StoreError> {
        let recent = |line: &Value| {
            let at = line["at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
            let age = at.map(|at| self.now().duration_since(at));
            age.is_some_and(|age| age.abs() < SignedDuration::from_hours(1))
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(10_000);
        Ok(UsageLog::of(store.layout()).newest("question", most, recent)?.len() as u64)
    }

    /// Every question to a provider, also one without an answer: it counts, and it may have cost.
    fn log_question(
        &self,
        store: &FileStore,
        provider: &dyn Provider,
        answer: &Result<crate::provider::Answer, ProviderError>,
    ) -> Result<(), StoreError> {
        let (usage, error) = match answer {
            Ok(answer) => (self.priced(answer.usage), None),
            Err(error) => (self.priced(error.usage()), Some(redact(&error.to_string()).into_owned())),
        };
        let line = json!({
            "kind": "question", "at": self.now().to_string(), "provider": provider.name(),
            "tokensIn": usage.input, "tokensOut": usage.output, "dollars": usage.dollars, "error": error,
        });
        UsageLog::of(store.layout()).append(&line, self.now())
    }

    /// Logs a decision, also a "no", and what became of the memories that the run was given.
    fn conclude(&self, name: &str, run: &Run, extracted: &Extracted) -> Result<(), StoreError> {
        let Some(store) = self.home_store() else { return Ok(()) };
        self.note_use(run, &extracted.used)?;
        let before = self.before_run(run)?;
        let task: String = run.task.chars().take(300).collect();
        let line = json!({
            "kind": "extraction", "at": self.now().to_string(), "run": name, "session": run.session,
            "agent": run.agent, "task": task, "result": run.result.as_str(), "by": extracted.by,
            "reasoning": redact(&extracted.reasoning).chars().take(1_000).collect::<String>(),
            "decisions": extracted.judged.iter().map(Judged::json).collect::<Vec<_>>(),
            "denied": extracted.denied.iter().map(|denied| denied.slug.as_str()).collect::<Vec<_>>(),
            "used": extracted.used.iter().map(|slug| redact(slug.as_str())).collect::<Vec<_>>(),
            "tokensIn": extracted.usage.input, "tokensOut": extracted.usage.output, "dollars": extracted.usage.dollars,
            "receipts": before.receipts, "called": before.called, "heldOut": before.held_out,
        });
        UsageLog::of(store.layout()).append(&line, self.now())
    }
}

impl Judged {
    /// The verdict as JSON, for `--json` and the log.
    pub fn json(&self) -> Value {
        json!({
            "title": self.admission.entry.frontmatter.title,
            "decision": self.admission.decision.as_str(),
            "reason": self.admission.reason.name(), "why": self.admission.reason.to_string(),
            "target": self.admission.target.as_ref().map(Slug::as_str),
            "slug": self.saved.as_ref().map(|saved| saved.slug.as_str()),
            "proposedBecause": redact(&self.proposal.reasoning),
        })
    }
}

fn by(how: How<'_>) -> String {
    how.provider.map_or("offline", |provider| provider.name()).to_owned()
}

/// How long to wait after so many failures: a minute, doubled with each, and no less than the provider asks for.
fn until_next(tries: u64, error: &ProviderError) -> Duration {
    let minutes = 1_i64.checked_shl(tries.saturating_sub(1).min(30) as u32).unwrap_or(LONGEST).min(LONGEST);
    let own = Duration::from_secs(minutes as u64 * 60);
    own.max(error.after().unwrap_or_default()).min(Duration::from_secs(LONGEST as u64 * 60))
}

fn without_secrets(run: &Run) -> Run {
    run.map(|text| redact(text).into_owned())
}

/// Names a run by what happened in it.
fn fingerprint(run: &Run) -> String {
    let text = serde_json::to_string(run).unwrap_or_default();
    EntryId::of(&Slug::from_title("run"), &text).to_string()
}

#[cfg(test)]
mod tests;
