//! The memory of sessions, as callers use it: name one, change it, ask what to tell an agent.

use std::path::Path;

use jiff::Timestamp;
use rawko_core::ledger::Outcome as Came;
use rawko_core::rank::{Analysed, Corpus, Document, Query};
use rawko_core::session::{
    self, AgentMemory, AttemptResult, File, Message, Metadata, Revision, SessionId, SessionStatus, State,
    Step, Update, build_agent_system_prompt, build_arbiter_select_prompt, previous_agent_work,
};
use rawko_core::{Embedder, Score, Severity, Weights, redact};
use rawko_store::{Archived, FileStore, Sessions, StoreError, Updated};

use crate::doctor::{Outcome, count};
use crate::engine::Engine;
use crate::ledger::Event;

/// Points below which an entry has nothing to do with the query.
const FAINT: f32 = 6.0;
/// What a session's memory should have at most, by how long it lasts: the origin's guidelines.
const SMALL: (f64, usize) = (2.0, 50 * 1024);
const MEDIUM: usize = 100 * 1024;
/// How a session is ended whose run cannot do it any more.
pub const END_LEFT: &str = "run `rawko session end --session <id> --status stopped`";
/// How many sessions `doctor` looks at, the newest.
const EXAMINED: usize = 200;

/// A session in a list.
#[derive(Clone, Debug)]
pub struct SessionSummary {
    /// Its name.
    pub id: SessionId,
    /// What it is about, where that can be read.
    pub metadata: Option<Metadata>,
    /// When something of it was last written.
    pub last_sign: Option<Timestamp>,
    /// Whether it is open though its run was ended from outside.
    pub is_left: bool,
}

/// An entry of a session that answers a query.
#[derive(Clone, Debug)]
pub struct SessionHit {
    /// The session.
    pub session: SessionId,
    /// Whose entry.
    pub agent: String,
    /// `discovery`, `attempt` or `decision`.
    pub kind: &'static str,
    /// The entry's name.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What it is, in a line.
    pub title: String,
    /// All that it says.
    pub text: String,
    /// How well it answers: the sum of its parts.
    pub score: Score,
}

impl Engine {
    /// The sessions of the project, or of the person where there is no project.
    pub fn sessions(&self) -> Result<Sessions, StoreError> {
        let store = self.home_store().ok_or_else(|| StoreError::NoStore(Path::new(".").to_owned()))?;
        Ok(Sessions::of(store))
    }

    /// The session that a name or the beginning of one means; without a name, the newest open one.
    pub fn session(&self, name: Option<&str>) -> Result<SessionId, StoreError> {
        let sessions = self.sessions()?;
        name.map_or_else(|| sessions.newest_open(), |name| sessions.find(name))
    }

    /// Begins a session.
    pub fn start_session(&self, task: &str, agent: &str) -> Result<SessionId, StoreError> {
        self.sessions()?.start(&clean(&session::tidy(task)), &clean(agent), self.now())
    }

    /// Every session, the newest first.
    pub fn list_sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        let sessions = self.sessions()?;
        Ok(sessions.ids()?.into_iter().map(|id| summary(&sessions, id)).collect())
    }

    /// One session, as in the list.
    pub fn summarize_session(&self, id: SessionId) -> Result<SessionSummary, StoreError> {
        Ok(summary(&self.sessions()?, id))
    }

    /// Changes one agent's memory of a session; secrets leave the text before it is written.
    pub fn update_session(&self, id: &SessionId, agent: &str, update: Update) -> Result<Updated, StoreError> {
        let root = self.root().unwrap_or(Path::new("."));
        // Who finishes an attempt stands where its commands ran.
        let folder = Some(self.start()).filter(|start| start.starts_with(root)).unwrap_or(root);
        self.update_session_in(folder, id, agent, update)
    }

    /// As [`Engine::update_session`], for an agent whose commands are started in `folder`.
    pub fn update_session_in(
        &self,
        folder: &Path,
        id: &SessionId,
        agent: &str,
        update: Update,
    ) -> Result<Updated, StoreError> {
        let update = session::cleaned(update, &|text| clean(text));
        let agent = &clean(agent);
        let sessions = self.sessions()?;
        let done = sessions.update(id, agent, &update, self.now())?;
        let ends = match &update {
            Update::Attempt { changes, .. } => changes.contains_key("result"),
            Update::Start(attempt) => !matches!(attempt.result, AttemptResult::InProgress),
            _ => false,
        };
        if ends && !done.already {
            // The session's own files are what counts; the ledger may miss one.
            let _ = self.tell_ledger(&sessions, folder, id, agent, &done.id);
        }
        Ok(done)
    }

    /// Tells the ledger what an attempt's commands came to, so that they do not fail twice.
    fn tell_ledger(
        &self,
        sessions: &Sessions,
        folder: &Path,
        id: &SessionId,
        agent: &str,
        attempt: &str,
    ) -> Result<(), StoreError> {
        let memories = sessions.read(id)?.memories;
        let memory = memories.into_iter().find(|memory| memory.agent == agent);
        let attempts = memory.map(|memory| memory.attempts).unwrap_or_default();
        let Some(attempt) = attempts.into_iter().rev().find(|one| one.id == attempt) else { return Ok(()) };
        let event = |command: &str, outcome: Came, lesson: Option<String>| Event {
            moved: self.command(command, folder),
            cwd: folder.to_owned(),
            outcome,
            session: id.to_string(),
            agent: agent.to_owned(),
            call: None,
            cause: None,
            lesson,
        };
        match attempt.result {
            AttemptResult::Success => {
                for command in &attempt.commands {
                    let output = attempt.output.clone().unwrap_or_default();
                    self.record(&event(command, Came::Succeeded { output }, None))?;
                }
            }
            // The last command is the one that it ended with.
            AttemptResult::Failure => {
                let error = attempt.error.or(attempt.output).unwrap_or_default();
                if let Some(command) = attempt.commands.last() {
                    let failed = Came::Failed { exit: None, error, interrupted: false };
                    self.record(&event(command, failed, attempt.lessons))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes over a session that did not begin here, by a person's word.
    pub fn adopt_session(&self, id: &SessionId) -> Result<(), StoreError> {
        self.sessions()?.adopt(id)
    }

    /// Adds the plan as it is from now on, and gives the revision's name.
    pub fn plan_session(&self, id: &SessionId, revision: &Revision) -> Result<String, StoreError> {
        let step = |step: &Step| Step {
            description: clean(&step.description),
            status: step.status.as_deref().map(clean),
        };
        let revision = Revision {
            agent: revision.agent.as_deref().map(clean),
            reason: revision.reason.as_deref().map(clean),
            steps: revision.steps.iter().map(step).collect(),
        };
        self.sessions()?.plan(id, &revision, self.now())
    }

    /// Adds a message to the conversation, and gives its name.
    pub fn say_in_session(&self, id: &SessionId, message: &Message) -> Result<String, StoreError> {
        let message = Message {
            content: clean(&message.content),
            agent: message.agent.as_deref().map(clean),
            ..message.clone()
        };
        self.sessions()?.say(id, &message, self.now())
    }

    /// Says where the run of a session is.
    pub fn set_session_state(&self, id: &SessionId, state: &State) -> Result<(), StoreError> {
        let state = State {
            state: state.state.as_deref().map(clean),
            agent: state.agent.as_deref().map(clean),
            ..state.clone()
        };
        self.sessions()?.set_state(id, &state, self.now())
    }

    /// Says that a session ended, and how.
    pub fn end_session(
        &self,
        id: &SessionId,
        status: SessionStatus,
        summary: Option<&str>,
    ) -> Result<(), StoreError> {
        let summary = summary.map(|summary| clean(&session::tidy(summary)));
        self.sessions()?.end(id, status, summary.as_deref(), self.now())
    }

    /// Moves entries to the archive that are older than so many hours; usually two.
    pub fn archive_session(&self, id: &SessionId, keep_hours: Option<u32>) -> Result<Archived, StoreError> {
        let keep = keep_hours.map_or(session::KEEP, |hours| jiff::SignedDuration::from_hours(hours.into()));
        let before = self.now().checked_sub(keep).unwrap_or(Timestamp::MIN);
        self.sessions()?.archive(id, before, self.now())
    }

    /// The agent's prompt with what it knows of a session; the prompt alone where it knows nothing.
    pub fn session_prompt(
        &self,
        id: &SessionId,
        agent: &str,
        system_prompt: &str,
    ) -> Result<String, StoreError> {
        let known = self.remembered(id)?;
        if let Some((_, found)) = known.newer.into_iter().find(|(of, _)| of == agent) {
            let path = self.sessions()?.folder(id).join(File::AgentMemory.name());
            return Err(StoreError::TooNew { path, found, known: session::VERSION });
        }
        let memory = known.memories.into_iter().find(|memory| memory.agent == agent);
        let known = memory.filter(|memory| !session::format_memory_context(memory).is_empty());
        Ok(known.map_or_else(
            || system_prompt.to_owned(),
            |memory| build_agent_system_prompt(system_prompt, &memory),
        ))
    }

    /// The last attempt of every agent, for whoever chooses the next one.
    pub fn session_arbiter(&self, id: &SessionId) -> Result<String, StoreError> {
        let known = self.remembered(id)?;
        Ok(build_arbiter_select_prompt(&known.memories, &known.newer))
    }

    /// The last attempt of every agent, for one of them at work.
    pub fn session_work(&self, id: &SessionId) -> Result<String, StoreError> {
        let known = self.remembered(id)?;
        Ok(previous_agent_work(&known.memories, &known.newer))
    }

    /// What the agents remember, and whose memory is too new to be read; with the archive where something is in it,
    /// since its entries may be the newest.
    fn remembered(&self, id: &SessionId) -> Result<session::Read, StoreError> {
        let sessions = self.sessions()?;
        sessions.own(id)?;
        let mut read = sessions.read(id)?;
        if read.memories.iter().any(|memory| !memory.history.is_empty()) {
            read.memories = sessions.read_whole(id)?.memories;
        }
        Ok(read)
    }

    /// Finds what agents found, tried and chose, in one session or in all, archives included.
    pub fn search_sessions(
        &self,
        query: &str,
        only: Option<&SessionId>,
        most: usize,
    ) -> Result<Vec<SessionHit>, StoreError> {
        let sessions = self.sessions()?;
        let ids = only.map_or_else(|| sessions.ids(), |id| Ok(vec![id.clone()]))?;
        let embedder = Embedder::built_in();
        let query = Query::of(query, &embedder);
        let (mut corpus, mut entries) = (Corpus::new(), Vec::new());
        for id in ids {
            let Ok(read) = sessions.read_whole(&id) else { continue };
            for entry in read.memories.iter().flat_map(|memory| entries_of(&id, memory)) {
                let document = Document { title: &entry.title, body: &entry.text, ..Document::default() };
                corpus.add(Analysed::of(&document, &embedder), Some(entry.at.as_second()));
                entries.push(entry);
            }
        }
        let hits = corpus.search(&query, most, &Weights::TUNED).into_iter().filter(|hit| hit.score >= FAINT);
        let found =
            hits.map(|hit| SessionHit { score: Score::of(hit.parts), ..entries[hit.doc as usize].clone() });
        Ok(found.collect())
    }
}

fn summary(sessions: &Sessions, id: SessionId) -> SessionSummary {
    let (metadata, last_sign) = (sessions.metadata(&id).ok(), sessions.last_sign(&id));
    SessionSummary { is_left: sessions.is_left(&id), metadata, last_sign, id }
}

/// The one place that every text for a session's files passes: what must not settle on disk leaves here.
fn clean(text: &str) -> String {
    redact(text).into_owned()
}

/// The entries of one agent, as texts.
fn entries_of(id: &SessionId, memory: &AgentMemory) -> Vec<SessionHit> {
    let hit = |kind, entry: &str, at: session::Moment, title: String, text: Vec<&str>| SessionHit {
        session: id.clone(),
        agent: memory.agent.clone(),
        kind,
        id: entry.to_owned(),
        at: at.0,
        title,
        text: text.join("\n"),
        score: Score::of(Vec::new()),
    };
    let mut all = Vec::new();
    for entry in &memory.discoveries {
        let title = entry.content.lines().next().unwrap_or_default().to_owned();
        let text =
            std::iter::once(entry.content.as_str()).chain(entry.action_items.iter().map(String::as_str));
        all.push(hit("discovery", &entry.id, entry.timestamp, title, text.collect()));
    }
    for entry in &memory.attempts {
        let texts = [&entry.approach, &entry.output, &entry.error, &entry.lessons, &entry.next_attempt];
        let texts = texts.into_iter().filter_map(|text| text.as_deref());
        let text = texts.chain(entry.commands.iter().map(String::as_str)).collect();
        all.push(hit("attempt", &entry.id, entry.timestamp, entry.description.clone(), text));
    }
    for entry in &memory.decisions {
        let text = entry.reasoning.as_deref().into_iter().collect();
        all.push(hit("decision", &entry.id, entry.timestamp, entry.description.clone(), text));
    }
    all
}

/// Whether the newest sessions' files are sound and of a good size; `None` where there are none.
pub(crate) fn health(store: &FileStore) -> Result<Option<(Outcome, String, &'static str)>, StoreError> {
    let sessions = Sessions::at(store.layout().clone());
    let ids = sessions.ids()?;
    if ids.is_empty() {
        return Ok(None);
    }
    let (mut large, mut left, mut bad) = (Vec::new(), Vec::new(), 0);
    for id in ids.iter().take(EXAMINED) {
        let Ok(files) = sessions.files(id) else { continue };
        let errors = files
            .iter()
            .flat_map(|file| &file.problems)
            .filter(|problem| problem.severity == Severity::Error);
        bad += errors.count();
        let memory = files.iter().find(|file| file.file == File::AgentMemory);
        if let Some(file) = memory.filter(|file| file.bytes > guideline(&sessions, id)) {
            large.push(format!("{id} ({} KB)", file.bytes / 1024));
        }
        if sessions.is_left(id) {
            let at = sessions
                .last_sign(id)
                .map_or("unknown".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M UTC").to_string());
            left.push(format!("{id} (last sign of life: {at})"));
        }
    }
    let all = count(ids.len(), "session", "sessions");
    Ok(Some(if bad > 0 {
        (
            Outcome::Bad,
            format!("{all}, {}", count(bad, "problem", "problems")),
            "run `rawko session validate --all`",
        )
    } else if !left.is_empty() {
        let shown = left[..left.len().min(3)].join(", ");
        let found = format!("{} open though its run was ended from outside: {shown}", left.len());
        (Outcome::Note, found, END_LEFT)
    } else if large.is_empty() {
        (Outcome::Ok, all, "")
    } else {
        let found =
            format!("{} larger than they should be: {}", large.len(), large[..large.len().min(3)].join(", "));
        let remedy = "run `rawko session archive --session <id>`, with `--keep 0` where all of it is younger than \
                      two hours: nothing is lost";
        (Outcome::Note, found, remedy)
    }))
}

/// The size that a session's memory should have: the longer it lasts, the more.
fn guideline(sessions: &Sessions, id: &SessionId) -> usize {
    let memories = sessions.read(id).map(|read| read.memories).unwrap_or_default();
    let times = memories.iter().flat_map(|memory| {
        let attempts = memory.attempts.iter().map(|entry| entry.timestamp.0);
        attempts
            .chain(memory.discoveries.iter().map(|entry| entry.timestamp.0))
            .chain(memory.created_at.map(|at| at.0))
    });
    let times: Vec<Timestamp> = times.collect();
    let (Some(first), Some(last)) = (times.iter().min(), times.iter().max()) else { return MEDIUM };
    if last.duration_since(*first).as_secs_f64() < SMALL.0 * 3600.0 { SMALL.1 } else { MEDIUM }
}
