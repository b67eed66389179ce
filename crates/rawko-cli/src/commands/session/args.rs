//! The words of `rawko session`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `rawko session`
#[derive(Debug, Args)]
#[command(after_help = "\
A session is named by its id, by the beginning of its id, by $RAWKO_SESSION, or not at all: then the newest open one is meant.

Examples:
  rawko session start \"Add a login endpoint\" --agent developer
  rawko session discover \"Middleware sets req.user\" --type code_pattern --file src/api/middleware.ts
  rawko session attempt start \"Write the login route\" --step 2
  rawko session attempt finish --result failure --error \"no session store\" --lessons \"use the JWT helper\"
  rawko session prompt --agent developer      what the agent should know of this session")]
pub(crate) struct Session {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Which session.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The session's id, or the beginning of one. [default: $RAWKO_SESSION, or the newest open one]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// Which session, and whose memory of it.
#[derive(Debug, Args)]
pub(crate) struct Whom {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Whose memory. [default: the agent that began the session]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begin a session.
    Start(Start),
    /// List sessions, the newest first.
    List(List),
    /// Show what the agents of a session found, tried and chose.
    Show(Show),
    /// Print an agent's prompt with what it knows of the session.
    Prompt(Prompt),
    /// Print the last attempt of every agent, for whoever chooses the next one.
    Arbiter(Arbiter),
    /// Add something that was learned.
    Discover(Discover),
    /// Record what is tried: start, update, finish.
    Attempt(Attempt),
    /// Add a choice and its reasons.
    Decide(Decide),
    /// Set what the agent understands now, and where it is.
    Context(Context),
    /// Say that a session ended, and how.
    End(End),
    /// Let agents be told of a session that did not begin here. For people.
    Adopt(Adopt),
    /// Move older entries to the archive; nothing is lost.
    Archive(Archive),
    /// Check a session's files: where each problem is, and what to write instead.
    Validate(Validate),
    /// Find what agents found, tried and chose, by words and meaning.
    Search(Search),
}

/// `rawko session start`
#[derive(Debug, Args)]
pub(crate) struct Start {
    /// What the session is about, or `-` for standard input.
    pub(crate) task: String,
    /// The agent that begins it. [default: the host you run in, or your user name]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// A step of the plan. May be repeated, in order.
    #[arg(long, value_name = "TEXT")]
    pub(crate) step: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session adopt`
#[derive(Debug, Args)]
pub(crate) struct Adopt {
    /// The session's id, or the beginning of one.
    #[arg(value_name = "ID")]
    pub(crate) session: String,
}

/// `rawko session list`
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those that are open.
    #[arg(long)]
    pub(crate) open: bool,
    /// At most so many.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session show`
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session's id, or the beginning of one. [default: $RAWKO_SESSION, or the newest open one]
    pub(crate) session: Option<String>,
    /// Only this agent's memory.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// With what is in the archive.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session prompt`
#[derive(Debug, Args)]
pub(crate) struct Prompt {
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// The agent's own prompt, to stand first, or `-` for standard input.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) system: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session arbiter`
#[derive(Debug, Args)]
pub(crate) struct Arbiter {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session discover`
#[derive(Debug, Args)]
pub(crate) struct Discover {
    /// What was learned, or `-` for standard input.
    pub(crate) content: String,
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// What it is about: codebase_structure, dependency_check, code_pattern, api_surface, data_model, complexity_assessment, failure_cause or solution_verified.
    #[arg(long = "type", value_name = "WORD", default_value = "codebase_structure")]
    pub(crate) kind: String,
    /// How much it matters: low, medium, high or critical.
    #[arg(long, value_name = "LEVEL", default_value = "medium")]
    pub(crate) importance: String,
    /// A file that it speaks of. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<String>,
    /// What follows from it. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) action: Vec<String>,
    /// A name of your own; the same name again adds nothing. [default: discovery-001 and so on]
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session attempt`
#[derive(Debug, Args)]
pub(crate) struct Attempt {
    /// What to record.
    #[command(subcommand)]
    pub(crate) command: AttemptCommand,
}

/// What to record of an attempt.
#[derive(Debug, Subcommand)]
pub(crate) enum AttemptCommand {
    /// Something is about to be tried.
    Start(AttemptStart),
    /// Something more is known of it.
    Update(AttemptUpdate),
    /// It ended.
    Finish(AttemptFinish),
}

/// `rawko session attempt start`
#[derive(Debug, Args)]
pub(crate) struct AttemptStart {
    /// What is tried, in a line.
    pub(crate) description: String,
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// Which step in the plan.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) step: Option<u64>,
    /// A name of your own; the same name again adds nothing. [default: attempt-001 and so on]
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) fields: AttemptFields,
}

/// What may be said of an attempt at any time.
#[derive(Debug, Args)]
pub(crate) struct AttemptFields {
    /// How it is tried, or `-` for standard input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) approach: Option<String>,
    /// What is run or done, added to what is there. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) command: Vec<String>,
    /// What is going on, such as working.
    #[arg(long, value_name = "TEXT")]
    pub(crate) status: Option<String>,
    /// How far it is, such as 60%.
    #[arg(long, value_name = "TEXT")]
    pub(crate) progress: Option<String>,
    /// A part of it and how far that is: `Create the route=complete`. One that is there is changed, a new one added. May be repeated.
    #[arg(long, value_name = "TEXT=STATUS")]
    pub(crate) sub_task: Vec<String>,
    /// What is in the way.
    #[arg(long, value_name = "TEXT")]
    pub(crate) issue: Option<String>,
    /// What comes next.
    #[arg(long, value_name = "TEXT")]
    pub(crate) next: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session attempt update`
#[derive(Debug, Args)]
pub(crate) struct AttemptUpdate {
    /// The attempt's id. [default: the newest that goes on]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) whom: Whom,
    #[command(flatten)]
    pub(crate) fields: AttemptFields,
}

/// `rawko session attempt finish`
#[derive(Debug, Args)]
pub(crate) struct AttemptFinish {
    /// The attempt's id. [default: the newest that goes on]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// How it went: success, failure or partial.
    #[arg(long, value_name = "WORD")]
    pub(crate) result: String,
    /// What happened, or `-` for standard input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) output: Option<String>,
    /// Why it failed.
    #[arg(long, value_name = "TEXT")]
    pub(crate) error: Option<String>,
    /// What was learned.
    #[arg(long, value_name = "TEXT")]
    pub(crate) lessons: Option<String>,
    /// What will be tried instead.
    #[arg(long, value_name = "TEXT")]
    pub(crate) next_attempt: Option<String>,
    /// A file that was made or changed, and how: `src/login.ts=create`; added to those that are there. May be repeated.
    #[arg(long, value_name = "PATH=ACTION")]
    pub(crate) artifact: Vec<String>,
    /// How long it took, in milliseconds.
    #[arg(long, value_name = "N")]
    pub(crate) duration_ms: Option<u64>,
    /// How many iterations it had.
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u64>,
    /// Tokens read.
    #[arg(long, value_name = "N")]
    pub(crate) tokens_in: Option<u64>,
    /// Tokens written.
    #[arg(long, value_name = "N")]
    pub(crate) tokens_out: Option<u64>,
    #[command(flatten)]
    pub(crate) fields: AttemptFields,
}

/// `rawko session decide`
#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// What was chosen, in a line.
    pub(crate) description: String,
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// What kind of choice: architectural, implementation, skip, workaround or compromise.
    #[arg(long = "type", value_name = "WORD", default_value = "implementation")]
    pub(crate) kind: String,
    /// Why, or `-` for standard input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reasoning: Option<String>,
    /// What was not chosen, with or without its reason: `OAuth2=too large`. May be repeated.
    #[arg(long, value_name = "TEXT[=REASON]")]
    pub(crate) alternative: Vec<String>,
    /// How far it reaches: low, medium, high or critical.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) impact: Option<String>,
    /// Whether it can be taken back: true or false.
    #[arg(long, value_name = "BOOL")]
    pub(crate) reversible: Option<bool>,
    /// A discovery that it rests on. May be repeated.
    #[arg(long, value_name = "ID")]
    pub(crate) related: Vec<String>,
    /// A name of your own; the same name again adds nothing. [default: decision-001 and so on]
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session context`
#[derive(Debug, Args)]
#[command(after_help = "\
Without an option, the context is shown. A list that is given replaces the one that was there; `--clear` empties one. \
What --know and --task say is added to what is there.")]
pub(crate) struct Context {
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// The step of the plan that is being worked on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) step: Option<u64>,
    /// How far that step is, such as in_progress.
    #[arg(long, value_name = "WORD")]
    pub(crate) step_status: Option<String>,
    /// A file in scope, how far it is, and what it is for: `src/login.ts=in_progress=Login`. May be repeated.
    #[arg(long, value_name = "PATH[=STATUS[=PURPOSE]]")]
    pub(crate) file: Vec<String>,
    /// Something understood of the codebase: `runtime=Deno`. May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) know: Vec<String>,
    /// Something that belongs to the task: `authType=JWT`. May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) task: Vec<String>,
    /// A known limitation. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) constraint: Vec<String>,
    /// Something that needs validation. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Vec<String>,
    /// What comes next. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) next: Vec<String>,
    /// What is in the way. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) blocker: Vec<String>,
    /// What is taken for granted. May be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) assumption: Vec<String>,
    /// A list to empty: constraints, openQuestions, nextSteps, blockers, assumptions or filesInScope. May be repeated.
    #[arg(long, value_name = "FIELD")]
    pub(crate) clear: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session end`
#[derive(Debug, Args)]
pub(crate) struct End {
    #[command(flatten)]
    pub(crate) which: Which,
    /// How it ended: done, failed or stopped.
    #[arg(long, value_name = "WORD", default_value = "done")]
    pub(crate) status: String,
    /// What came of it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session archive`
#[derive(Debug, Args)]
pub(crate) struct Archive {
    #[command(flatten)]
    pub(crate) which: Which,
    /// What is younger stays. [default: 2]
    #[arg(long, value_name = "HOURS")]
    pub(crate) keep: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session validate`
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// A session, or a file such as agent-memory.yaml. [default: $RAWKO_SESSION, or the newest open session]
    pub(crate) what: Option<PathBuf>,
    /// Check every session.
    #[arg(long, conflicts_with = "what")]
    pub(crate) all: bool,
    /// Leave warnings out.
    #[arg(long)]
    pub(crate) errors_only: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko session search`
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What you are looking for, in your own words.
    pub(crate) query: String,
    /// Only in this session. [default: all of them]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Show the parts of every score.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
