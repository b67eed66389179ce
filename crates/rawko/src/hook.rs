//! What a host tells us of its session, and what its model should hear.
//!
//! Every host's dialect becomes one [`HostEvent`]; [`Engine::answer`] decides
//! from it and from what the session has heard already. An answer is text or
//! nothing. Writing things down comes after the answer is out, in
//! [`Engine::settle`], because a prompt waits for the one and nobody for the other.

mod orient;
pub(crate) mod tool;

use std::path::PathBuf;

use rawko_core::{Importance, Run, Slug, Surroundings, TaskContext, is_fetching, is_foreign_tool};
use rawko_store::{Given, LASTING, StoreError};
use serde_json::Value;

use crate::engine::{Engine, Whose};
use crate::extract::Extracted;
use crate::inject::{Considered, Injection, Wish};
use crate::receipt::Unasked;

pub use rawko_core::spoken;

/// Most characters that a host takes from one hook.
pub const MOST_CHARACTERS: usize = 9_500;

/// How the key of an event begins that ends a turn.
pub const TURN: &str = LASTING;

/// The mark of a session that somebody else's words reached.
const STRANGERS: &str = "strangers";
/// A tool showed what nobody wrote for this repository: only who kept its words can tell what was made of them.
const FOREIGN: &str = "foreign";

/// Something that happens in a host.
#[derive(Clone, Debug, Default)]
pub struct HostEvent {
    /// The host's name, such as `claude`.
    pub host: String,
    /// The host's own name for its session.
    pub session: String,
    /// Where the host works.
    pub folder: PathBuf,
    /// Where it writes the session down, where it says so.
    pub transcript: Option<PathBuf>,
    /// The run so far, where the host tells it with the event itself.
    pub run: Option<Box<Run>>,
    /// The sub-agent, if it is one that acts.
    pub agent: String,
    /// Which of several sub-agents of the same name.
    pub agent_id: String,
    /// Names this event: the same event told twice has the same key.
    pub key: String,
    /// Whether the host takes an answer to this event.
    pub hears: bool,
    /// What happens.
    pub moment: Moment,
}

/// What happens.
#[derive(Clone, Debug, Default)]
pub enum Moment {
    /// A session starts.
    SessionStarted(Start),
    /// Somebody asks for something.
    Prompt {
        /// The words.
        text: String,
        /// Whether the host made them itself.
        by_machine: bool,
    },
    /// A tool is about to be used.
    BeforeTool(ToolUse),
    /// A tool was used.
    AfterTool(ToolUse, ToolResult),
    /// A tool was used and failed.
    ToolFailed(ToolUse, ToolResult),
    /// A sub-agent starts.
    SubagentStarted {
        /// What it was told to do, as far as the host tells.
        task: String,
    },
    /// A sub-agent is done, and said this.
    SubagentStopped(String),
    /// The host is about to sum up what its model has heard.
    Compacting,
    /// The model is done, and said this.
    TurnDone(String),
    /// The turn ended with this error.
    TurnFailed(String),
    /// The session ends.
    SessionEnded,
    /// Something that is nothing to us.
    #[default]
    Other,
}

/// How a session starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Anew.
    #[default]
    New,
    /// Where it stopped.
    Resumed,
    /// After its model's memory was summed up.
    Compacted,
    /// After the person wiped it.
    Cleared,
}

/// A tool that is used.
#[derive(Clone, Debug, Default)]
pub struct ToolUse {
    /// The host's name for the tool.
    pub name: String,
    /// The command, where the tool runs one.
    pub command: String,
    /// The files that it reads or writes.
    pub files: Vec<String>,
    /// What it was given, as the host tells.
    pub input: Value,
    /// The host's name for this use.
    pub call: String,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct ToolResult {
    /// What it printed, or the host's error.
    pub output: String,
    /// Its exit code, where the host tells.
    pub exit: Option<i32>,
    /// Whether somebody stopped it.
    pub interrupted: bool,
}

/// What the model should hear, and what is to be written down then.
#[derive(Debug, Default)]
pub struct Answer {
    /// The text; empty where there is nothing to say.
    pub text: String,
    /// Why the person should be asked first, where they want that; for hosts that can ask.
    pub asks: Option<String>,
    /// Names of what the text tells.
    pub(crate) gives: Vec<String>,
    /// What is said that nobody asked for.
    pub(crate) unasked: Vec<Unasked>,
    /// Receipts of injections.
    pub(crate) receipts: Vec<Value>,
    /// Stores whose index should be built anew.
    pub wants_rebuild: Vec<Whose>,
    /// Memories that were looked at and that the sentence encoder has not read.
    pub read_behind: usize,
    /// Whether the event was told for the first time.
    pub is_first: bool,
    /// How many turns the session has had, with this one.
    pub turns: usize,
}

/// What a session has heard, between two events.
#[derive(Debug)]
pub struct Heard {
    given: Given,
}

impl Engine {
    /// What the session of an event has heard; `None` if there is no store, and so nothing to say.
    pub fn heard(&self, event: &HostEvent) -> Option<Heard> {
        let store = self.home_store()?;
        // One session may be told by two hosts, where one loads the other's hooks.
        let host = if event.session.is_empty() { event.host.as_str() } else { "" };
        // A sub-agent has heard nothing of what its parent heard, nor its twin.
        let name = format!("{host}\n{}\n{}\n{}", event.session, event.agent, event.agent_id);
        Some(Heard { given: Given::open(store.layout(), &name) })
    }

    /// Notes that a session knows what was just learned from it: its own words are not put before it again.
    pub fn knows(&self, event: &HostEvent, learned: &Extracted) {
        let Some(mut heard) = self.heard(event) else { return };
        heard.given.give(learned.speaking().map(|saved| saved.slug.to_string()));
    }

    /// Whether somebody else's words reached a host's session, as far as the host told of its tools.
    ///
    /// Where the host keeps notes, what others wrote in files, logs and databases stands in them and is told apart there.
    pub fn heard_strangers(&self, session: &str, has_notes: bool) -> bool {
        let (false, Some(store)) = (session.is_empty(), self.home_store()) else { return false };
        let marks = Given::known_marks(store.layout(), session);
        marks.is_some_and(|marks| marks.events().any(|key| key == STRANGERS || key == FOREIGN && !has_notes))
    }

    /// Notes that a tool brought somebody else's words: the host's own notes may not be there to tell it later.
    fn note_strangers(&self, event: &HostEvent) {
        let (Moment::AfterTool(tool, _) | Moment::ToolFailed(tool, _) | Moment::BeforeTool(tool)) =
            &event.moment
        else {
            return;
        };
        let folder = event.folder.display().to_string();
        let mut surroundings = Surroundings::of(&folder);
        let mark = if is_foreign_tool(&tool.name) || is_fetching(&tool.command) {
            STRANGERS
        } else if tool.files.iter().any(|file| surroundings.is_foreign(file))
            || surroundings.shows_foreign(&tool.command, "")
        {
            FOREIGN
        } else {
            return;
        };
        if let Some(mut marks) = self.strangers_of(&event.session) {
            marks.is_first(mark);
        }
    }

    /// One for the session and all its sub-agents: what one of them read, the others may be told.
    fn strangers_of(&self, session: &str) -> Option<Given> {
        let store = self.home_store()?;
        Some(Given::marks(store.layout(), session))
    }

    /// What the host's model should hear now.
    pub fn answer(&self, event: &HostEvent, heard: &mut Heard) -> Result<Answer, StoreError> {
        self.note_strangers(event);
        let given = &mut heard.given;
        let turns = |given: &Given| given.events().filter(|key| key.starts_with(TURN)).count();
        // A host that tells an event twice, or two that tell the same, hear one answer. A prompt is the same within
        // one turn: whoever sends it again after that means it.
        let key = match &event.moment {
            Moment::Prompt { .. } => format!("{}-{}", event.key, turns(given)),
            // Two turns may end in the same words; only one that nothing came after is the same.
            Moment::TurnDone(_) | Moment::TurnFailed(_) => match given.last_event() {
                Some(last) if last.starts_with(&event.key) => last.to_owned(),
                _ => format!("{}-{}", event.key, turns(given)),
            },
            _ => event.key.clone(),
        };
        let forgets = matches!(event.moment, Moment::Compacting);
        if !forgets && !given.is_first(&key) {
            return Ok(Answer::default());
        }
        let turns = turns(given);
        let answer = self.respond(event, given)?;
        Ok(Answer { is_first: true, turns, ..answer })
    }

    fn respond(&self, event: &HostEvent, given: &mut Given) -> Result<Answer, StoreError> {
        match &event.moment {
            Moment::Compacting => {
                given.forget();
                Ok(Answer::default())
            }
            _ if !event.hears => Ok(Answer::default()),
            Moment::SessionStarted(Start::Resumed) => Ok(Answer::default()),
            Moment::SessionStarted(Start::Compacted) => {
                given.forget();
                given.is_first(&event.key);
                let mut answer = self.orientation(event, given)?;
                self.remind(&mut answer, given)?;
                Ok(answer)
            }
            Moment::SessionStarted(Start::Cleared) => {
                given.clear();
                given.is_first(&event.key);
                self.orientation(event, given)
            }
            Moment::SessionStarted(Start::New) => self.orientation(event, given),
            Moment::SubagentStarted { task } => {
                let mut answer = self.orientation(event, given)?;
                let more = self.before_prompt(event, task, &answer.gives, given)?;
                answer.take(more);
                Ok(answer)
            }
            Moment::Prompt { by_machine: true, .. } => Ok(Answer::default()),
            Moment::Prompt { text, .. } => self.before_prompt(event, text, &[], given),
            // Where a host takes no answer before a tool is used, it takes one after.
            Moment::AfterTool(tool, _) => self.called_by(event, tool, "", given),
            Moment::BeforeTool(tool) => self.before_tool(event, tool, given),
            Moment::ToolFailed(tool, result) => self.called_by(event, tool, &result.output, given),
            _ => Ok(Answer::default()),
        }
    }

    /// Writes down what was said and what happened. Nobody waits for it, and what fails is not missed.
    pub fn settle(&self, event: &HostEvent, answer: &Answer, heard: &mut Heard) {
        if !answer.is_first {
            return;
        }
        heard.given.give(answer.gives.iter().cloned());
        let in_project = self.store(Whose::Project).is_some();
        // Elsewhere the person's own memories may speak, and nothing else is written down.
        if in_project || !answer.text.is_empty() {
            let unasked = (!answer.unasked.is_empty()).then(|| self.receipt_unasked(event, &answer.unasked));
            for receipt in unasked.iter().chain(&answer.receipts) {
                let _ = self.keep_receipt(receipt);
            }
        }
        if in_project {
            // What may take longest comes last.
            self.take_notice(event);
        }
    }

    fn before_prompt(
        &self,
        event: &HostEvent,
        text: &str,
        just_given: &[String],
        given: &mut Given,
    ) -> Result<Answer, StoreError> {
        let Some(task) = spoken(text) else { return Ok(Answer::default()) };
        let task = TaskContext { task, agent: event.agent.clone(), ..TaskContext::default() };
        let mut heard = heard(given);
        heard.extend(just_given.iter().filter_map(|name| Slug::parse(name).ok()));
        let wish = Wish { heard, ..Wish::default() };
        let injection = self.inject(&task, &wish)?;
        let mut answer = self.told(event, injection, &task);
        self.remind(&mut answer, given)?;
        Ok(answer)
    }

    /// An injection as an answer, and a receipt that names the host's session.
    fn told(&self, event: &HostEvent, injection: Injection, task: &TaskContext) -> Answer {
        let receipt = self.receipt_for(&injection, task, Some((&event.host, &event.session)));
        let (wants_rebuild, read_behind) = (injection.wants_rebuild, injection.read_behind);
        if receipt["heldOut"] == true {
            return Answer { receipts: vec![receipt], wants_rebuild, read_behind, ..Answer::default() };
        }
        let shown = injection.considered.iter().filter(|considered| considered.is_shown());
        Answer {
            gives: shown.map(|considered: &Considered| considered.judged.slug.to_string()).collect(),
            receipts: vec![receipt],
            wants_rebuild,
            read_behind,
            text: injection.block,
            ..Answer::default()
        }
    }
}

/// The memories that a session has heard.
fn heard(given: &Given) -> Vec<Slug> {
    given.given().iter().filter_map(|name| Slug::parse(name).ok()).collect()
}

impl Answer {
    /// Says another answer behind this one.
    fn take(&mut self, more: Self) {
        self.wants_rebuild.extend(more.wants_rebuild);
        self.read_behind += more.read_behind;
        // What found no room was not said, and gets no receipt.
        if more.text.is_empty() || self.add(&more.text, more.gives) {
            self.receipts.extend(more.receipts);
            self.unasked.extend(more.unasked);
        }
    }

    /// Adds a text, if there is room for it; otherwise nothing of it was said, and that is told.
    fn add(&mut self, text: &str, gives: impl IntoIterator<Item = String>) -> bool {
        let room = MOST_CHARACTERS.saturating_sub(self.text.chars().count() + 1);
        if text.is_empty() || text.chars().count() > room {
            return false;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.gives.extend(gives);
        true
    }
}

/// What every session should know from the start.
const ALWAYS: Importance = Importance::Critical;
