//! What a person may type: the words only, no meaning.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A long-term memory for AI coding agents, in plain Markdown files.
#[derive(Debug, Parser)]
#[command(name = "rawko", version, about, long_about = LONG, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
}

/// What may stand before and behind every command.
#[derive(Debug, Args)]
pub(crate) struct Everywhere {
    /// When to use colour.
    #[arg(long, global = true, display_order = 100, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
    /// Work as if started in this folder.
    #[arg(short = 'C', long = "directory", global = true, display_order = 101, value_name = "FOLDER")]
    pub(crate) directory: Option<PathBuf>,
}

/// `rawko inject` alone, for reading its words without building all other commands first.
#[derive(Debug, Parser)]
struct Injecting {
    #[command(subcommand)]
    command: OnlyInject,
    #[command(flatten)]
    everywhere: Everywhere,
}

#[derive(Debug, Subcommand)]
enum OnlyInject {
    Inject(Inject),
}

impl Cli {
    /// The words that the program was started with; an error where they are wrong or ask for help.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        // A prompt waits for this command. Whatever is wrong with its words, the whole reader says.
        if std::env::args_os().nth(1).is_some_and(|word| word == "inject")
            && let Ok(Injecting { command: OnlyInject::Inject(args), everywhere }) = Injecting::try_parse()
        {
            return Ok(Self { command: Command::Inject(args), everywhere });
        }
        Self::try_parse()
    }
}

const LONG: &str = "\
A long-term memory for AI coding agents, in plain Markdown files.

Memories live in `.rawko/memories/` of your project, and your own in `$RAWKO_HOME` (default `~/.rawko`). \
They only grow: nothing is ever deleted or overwritten, and you may edit every file by hand.

Exit codes: 0 all is well, 1 something is wrong, 2 used wrongly.";

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a store in this folder, or add what is missing in it.
    Init(Init),
    /// Add a memory, or an entry to one that has the same title.
    Add(Add),
    /// List memories.
    List(List),
    /// Show one memory.
    Show(Show),
    /// Find memories by words and meaning.
    Search(Search),
    /// Build the search index now; --embed: and the vectors of meaning.
    Index(Index),
    /// Print what an agent should know before a task; nothing where nothing fits.
    Inject(Inject),
    /// Learn from a finished run: what is worth remembering, and nothing else.
    Extract(Extract),
    /// Show what memories turned out to be worth, or say so of one.
    Feedback(Feedback),
    /// Explain from its receipt what reached an agent, before a task or an act, or unasked.
    Why(Why),
    /// Say what keeps a memory from reaching an agent before a task.
    WhyNot(WhyNot),
    /// Check memory files: where each problem is, and what to write instead.
    Validate(Validate),
    /// Check the health of the stores by using them.
    Doctor(Doctor),
    /// Record and read what agents find, try and choose during a task.
    Session(crate::commands::session::args::Session),
    /// Use the four layers: working, episodic, semantic and procedural memory.
    Memory(crate::commands::memory::args::Memory),
    /// Show the whole store at a glance: growth, use and health.
    Stats(Stats),
    /// Approve what a repository brings, so that it may reach your agents.
    Trust(Trust),
    /// Look at what waits for a person, one by one, and decide.
    Review(Review),
    /// Take the last action of a review back.
    Undo(Undo),
    /// Say how much of a store, or of another tool's export, is worth its place.
    Audit(Audit),
    /// Show before which past tasks a memory would have fired.
    Replay(Replay),
    /// Do a task with agents on a host, with memory before and learning after.
    Run(crate::commands::run::args::Run),
    /// Give any agent's command its memories, and learn from what it says.
    Exec(crate::commands::run::args::Exec),
    /// List the agents of runs, or write them in a host's own format.
    Agents(crate::commands::run::args::Agents),
    /// Take in what another tool remembers; it waits for your word.
    Import(crate::commands::import::args::Import),
    /// Give memories out: all of a store, or what agents may know into a host's own files.
    Export(crate::commands::export::args::Export),
    /// Give your agents' hosts their memory: hooks and MCP, in or out again.
    Setup(Setup),
    /// Answer one event of a host; `rawko setup` makes hosts call this.
    Hook(Hook),
    /// Serve the memory to an agent's host by MCP, on standard input and output.
    Mcp(Mcp),
    /// Keep the files of a model vendor's memory tool: JSON in, JSON out.
    MemoryTool(MemoryTool),
    /// Look at moves that failed, and try what would be said before one.
    Ledger(Ledger),
    /// Show it all on a scratch project that is removed again.
    Demo(Demo),
    /// Print a published JSON Schema.
    Schema(Schema),
    /// Print a completion script for your shell.
    Completions(Completions),
}

/// `rawko init`
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Also write out the files of the agents and of the memory extractor, to change what they do.
    #[arg(long)]
    pub(crate) agents: bool,
    /// Make a store here though there is one above, which it hides from this folder.
    #[arg(long)]
    pub(crate) here: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko add`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rawko add --title \"Deploy from main\" --when \"deploy|release\" --content \"Releases are cut from main.\"
  rawko add --file notes/deploy.md          Markdown with frontmatter
  some-tool | rawko add                     the same on standard input
  rawko add                                 opens $EDITOR")]
pub(crate) struct Add {
    /// What the memory is about; the same title again adds an entry to the same memory.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// When it should reach an agent: a pattern (`deploy|release`), or a sentence. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) when: Vec<String>,
    /// When one of these files is in play (a glob). May be repeated.
    #[arg(long, value_name = "GLOB")]
    pub(crate) when_path: Vec<String>,
    /// When a command like this is about to run. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) when_command: Vec<String>,
    /// When an error like this was met. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) when_error: Vec<String>,
    /// How much it matters: low, medium, high or critical. [default: as the memory has it, or medium]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) importance: Option<String>,
    /// A tag. May be repeated.
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// Who found it. [default: your user name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// The task that led to it.
    #[arg(long = "in", value_name = "TASK")]
    pub(crate) discovered_in: Option<String>,
    /// A rule to follow rather than something to know.
    #[arg(long)]
    pub(crate) procedure: bool,
    /// A memory that this one replaces. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) supersedes: Vec<String>,
    /// The text, or `-` for standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Markdown with frontmatter, from a file, or `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["title", "when", "when_path", "when_command", "when_error", "content", "importance", "tag", "by", "discovered_in", "procedure", "supersedes"])]
    pub(crate) file: Option<PathBuf>,
    /// Add it to your own store instead of the project's.
    #[arg(long)]
    pub(crate) personal: bool,
    /// Do not note which files it names, and what it repeats of them: it will not say so when they change.
    #[arg(long)]
    pub(crate) no_evidence: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko list`
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only with this text in name, title, triggers, tags or body.
    pub(crate) text: Option<String>,
    /// Only with this tag. May be repeated: all must fit.
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// Only of this importance.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) importance: Option<String>,
    /// Only of this status: active, pending, deprecated, superseded or rejected; or `waits`, for your word.
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Only found by this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko show`
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The memory's name, as `rawko list` shows it.
    pub(crate) name: String,
    /// Show every entry, oldest first, instead of what they say together.
    #[arg(long)]
    pub(crate) history: bool,
    /// Print the file as it is, byte for byte. On a terminal, control characters are shown as codes.
    #[arg(long, conflicts_with_all = ["history", "json"])]
    pub(crate) raw: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko search`
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What you are looking for, in your own words.
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Only with this tag. May be repeated: all must fit.
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// Only of this importance.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) importance: Option<String>,
    /// Only of this status: active, pending, deprecated, superseded or rejected.
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub(crate) limit: usize,
    /// Show the parts of every score.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko index`
#[derive(Debug, Args)]
#[command(after_help = "\
The index is derived, and rawko builds it by itself when it has time; this does it now. --embed has every \
passage that has no vector yet read by the sentence encoder in the program, 5 to 70 ms each; a process behind a search does the same \
for stores of up to 10,000 memories. With an embedding model in your own config.toml (`embedding.kind = \"openai\"` or `\"ollama\"`), it \
sends them there: of memories that may reach an agent, without secrets.")]
pub(crate) struct Index {
    /// Also make the vectors that are missing.
    #[arg(long)]
    pub(crate) embed: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is known before a task.
#[derive(Debug, Args)]
pub(crate) struct Task {
    /// What the agent is asked to do, or `-` for standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) task: String,
    /// The agent's name, such as developer.
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) agent: String,
    /// The current plan. A trigger met here counts 0.6 of one met by the task.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub(crate) plan: String,
    /// What happened just before. A trigger met here, or by a file's name, counts 0.4 of one met by the task: it
    /// helps a memory that the task speaks of, and seldom brings one alone.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub(crate) history: String,
    /// A file in play. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<String>,
    /// The command about to run.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub(crate) command: String,
    /// The error at hand.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub(crate) error: String,
    /// How scores are made: hybrid or classic. [default: the settings', hybrid]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Leave memories below this importance out.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) min_importance: Option<String>,
    /// At most so many memories. [default: the settings', 5]
    #[arg(long, value_name = "N")]
    pub(crate) max: Option<usize>,
}

/// `rawko inject`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rawko inject --task \"Retry failed refunds\" --agent developer
  rawko inject --task \"…\" --explain           why each memory came, and which nearly did
  rawko inject --task - --format json < prompt.txt")]
pub(crate) struct Inject {
    #[command(flatten)]
    pub(crate) task: Task,
    /// The token budget. [default: the settings', 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// What to print: prompt or json.
    #[arg(long, value_enum, default_value_t = Format::Prompt, value_name = "FORM")]
    pub(crate) format: Format,
    /// Print JSON: the same as `--format json`.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show why each memory came, and why others did not.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Leave no receipt in the log.
    #[arg(long)]
    pub(crate) no_receipt: bool,
}

/// `rawko extract`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rawko extract ~/.claude/projects/-src-shop/1f0c.jsonl --dry-run   what would be remembered, and why
  some-agent | rawko extract --agent developer --task \"Fix the login\"
  rawko extract --pending                                           runs whose provider gave no answer

Without a provider in your own config.toml the built-in rules decide: no model, no network. Every proposal goes \
through admission, which says why it refuses. Secrets are taken out before anything is sent, logged or stored.")]
pub(crate) struct Extract {
    /// A transcript, or a file with an agent's words; `-` or nothing is standard input.
    pub(crate) file: Option<PathBuf>,
    /// The agent's name, such as developer.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// What the agent was asked to do. [default: the transcript's first message]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) task: Option<String>,
    /// How the run ended: success, failure or partial. [default: success]
    #[arg(long, value_name = "WORD")]
    pub(crate) result: Option<String>,
    /// The error it ended with.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) error: Option<String>,
    /// What wrote the transcript.
    #[arg(long, value_enum, default_value_t = TranscriptFormat::Auto, value_name = "FORM")]
    pub(crate) format: TranscriptFormat,
    /// Who decides: offline, anthropic, openai, responses, ollama, claude, codex, gemini or command. [default: the settings', offline]
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Show decisions and reasons, and store nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Try the runs again whose provider gave no answer.
    #[arg(long, conflicts_with_all = ["file", "agent", "task", "result", "error", "format", "dry_run"])]
    pub(crate) pending: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko feedback`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rawko feedback                              every memory of which something is known, the most useful first
  rawko feedback deploy-from-main --helped    your word counts more than a sign of use

A memory that was injected is judged when the run is extracted: names and words of it that come back in what the \
agent did are a sign of use. With few data its usefulness stays near one half.")]
pub(crate) struct Feedback {
    /// The memory's name, as `rawko list` shows it.
    pub(crate) name: Option<String>,
    /// It helped.
    #[arg(long)]
    pub(crate) helped: bool,
    /// It did not help.
    #[arg(long, conflicts_with = "helped")]
    pub(crate) useless: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What wrote a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranscriptFormat {
    /// By what it looks like.
    Auto,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot CLI.
    Copilot,
    /// opencode: what `opencode export` writes.
    Opencode,
    /// An agent's words, and nothing else.
    Text,
}

/// What `inject` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The block for a prompt.
    Prompt,
    /// Everything, as JSON.
    Json,
}

/// `rawko why`
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The receipt's id. [default: the newest]
    pub(crate) id: Option<String>,
    /// List the newest receipts instead.
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko why-not`
#[derive(Debug, Args)]
pub(crate) struct WhyNot {
    /// The memory's name, as `rawko list` shows it.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) task: Task,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko validate`
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Files or folders. [default: all memories in reach]
    pub(crate) paths: Vec<PathBuf>,
    /// Leave warnings out.
    #[arg(long)]
    pub(crate) errors_only: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko doctor`
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Mend what can be mended; what is changed is copied to `.rawko/repaired/` first.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko stats`
#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko trust`
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The memories to approve; without any, everything that waits.
    pub(crate) names: Vec<String>,
    /// Only list what waits, a line for each memory; with names, their texts.
    #[arg(long)]
    pub(crate) list: bool,
    /// List the texts, too.
    #[arg(long, requires = "list")]
    pub(crate) full: bool,
    /// Approve all of it without asking, in a script with RAWKO_PERSON=yes; at a terminal you are asked all the same.
    #[arg(long, conflicts_with = "list")]
    pub(crate) yes: bool,
    /// Take every approval in this project back.
    #[arg(long, conflicts_with_all = ["list", "yes", "names"])]
    pub(crate) revoke: bool,
    /// Where this project was before you moved or copied it: what you wrote or approved there holds here.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["list", "yes", "names", "revoke"])]
    pub(crate) moved_from: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko review`
#[derive(Debug, Args)]
#[command(after_help = "\
Every decision is an appended entry, and `rawko undo` takes the last one back.
Only a person decides: at a terminal by a typed answer, in a script of theirs by RAWKO_PERSON=yes.

Examples:
  rawko review                              one by one, in a terminal
  rawko review --list                       only show what waits
  rawko review --approve deploy-from-main
  rawko review --merge deploy-notes deploy-from-main
  rawko review --edit deploy-from-main --content \"Releases are cut from main.\"")]
pub(crate) struct Review {
    /// Only list what waits.
    #[arg(long)]
    pub(crate) list: bool,
    /// Only of this kind: pending, contradiction, duplicate, stale, eager or unused.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Let a memory reach agents, exactly as it is; what it says otherwise than another replaces that.
    #[arg(long, value_name = "NAME", group = "action")]
    pub(crate) approve: Option<String>,
    /// With `--approve`: what it would replace or become an entry of stays as it is.
    #[arg(long, requires = "approve")]
    pub(crate) beside: bool,
    /// Keep a memory from agents for good.
    #[arg(long, value_name = "NAME", group = "action")]
    pub(crate) reject: Option<String>,
    /// Take back the newest entry of a memory; what the others say goes on.
    #[arg(long, value_name = "NAME", group = "action")]
    pub(crate) drop: Option<String>,
    /// Put what the first says into the second, and retire the first.
    #[arg(long, num_args = 2, value_names = ["FROM", "INTO"], group = "action")]
    pub(crate) merge: Option<Vec<String>>,
    /// Say that the first is replaced by the second.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], group = "action")]
    pub(crate) supersede: Option<Vec<String>>,
    /// Say how much a memory matters: low, medium, high or critical.
    #[arg(long, num_args = 2, value_names = ["NAME", "LEVEL"], group = "action")]
    pub(crate) rate: Option<Vec<String>>,
    /// Say it better: the text becomes the memory's newest entry.
    #[arg(long, value_name = "NAME", group = "action")]
    pub(crate) edit: Option<String>,
    /// The text for `--edit`, or `-` for standard input. [default: opens $EDITOR]
    #[arg(long, value_name = "TEXT", requires = "edit", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko undo`
#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko audit`
#[derive(Debug, Args)]
#[command(after_help = "\
Every item is judged as if it were proposed today. Exits 1 if a credential was found.

Examples:
  rawko audit                     the stores in reach
  rawko audit ~/.claude/memory    a folder of Markdown
  rawko audit export.json         another tool's export, JSON or JSON lines")]
pub(crate) struct Audit {
    /// A file or folder: Markdown, JSON or JSON lines. [default: the stores in reach]
    pub(crate) path: Option<PathBuf>,
    /// Show every finding, not only the numbers.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko replay`
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// A memory's name or its file, or `-` for standard input.
    #[arg(value_name = "NAME|FILE")]
    pub(crate) file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko ledger`
#[derive(Debug, Args)]
#[command(after_help = "\
A failure speaks only while it holds: until a file that it depended on changes, the same move succeeds, or a command \
supplies what was missing. Interrupts, answers (grep without a match) and passing states (a timeout) are not kept.

Examples:
  rawko ledger list
  rawko ledger check -- cargo test -p api      what an agent would hear before this command
  rawko ledger forget f3a91c20be")]
pub(crate) struct Ledger {
    #[command(subcommand)]
    pub(crate) action: LedgerAction,
}

/// What to do with the ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum LedgerAction {
    /// List failures, newest first, that nothing has cleared; those that warn nobody now are marked.
    List {
        /// Those too that no longer hold.
        #[arg(long)]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one failure: its error, what it depended on, and whether that is as it was.
    Show {
        /// Its id, as `rawko ledger list` shows it.
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Stop warning about a failure; its line stays, with a word that it was forgotten.
    Forget {
        /// Its id, as `rawko ledger list` shows it.
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Propose what a failure taught as a memory; admission decides, as for all that agents say.
    Learn {
        /// Its id, as `rawko ledger list` shows it.
        id: String,
        /// Say what would be decided, and store nothing.
        #[arg(long)]
        dry_run: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say what is known against a command before it is run; exit 1 if something is.
    Check {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The command, behind `--`.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Keep a failed command by hand, as a host's hook does after a tool; the error is read from standard input.
    Record {
        /// Its exit code.
        #[arg(long, value_name = "N")]
        exit: i32,
        /// Why it failed.
        #[arg(long, value_name = "TEXT")]
        cause: Option<String>,
        /// What was learned.
        #[arg(long, value_name = "TEXT")]
        lesson: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The command, behind `--`.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
}

/// `rawko demo`
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Keep the scratch project, and say where it is.
    #[arg(long)]
    pub(crate) keep: bool,
}

/// `rawko schema`
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Which one: without a name, the names are listed.
    pub(crate) name: Option<String>,
}

/// `rawko completions`
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Your shell.
    pub(crate) shell: clap_complete::Shell,
}

/// `rawko setup`
#[derive(Debug, Args)]
#[command(after_help = "\
Shows the change to each file, and asks before it writes. Everything else in the file stays as it is, and `--remove` \
gives back every byte. Hosts: claude, codex, gemini, copilot, cursor, opencode.")]
pub(crate) struct Setup {
    /// Which hosts; all that are on this machine if none is named.
    #[arg(value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// All hosts that rawko knows, whether they are on this machine or not.
    #[arg(long, conflicts_with = "hosts")]
    pub(crate) all: bool,
    /// Take it out again.
    #[arg(long, conflicts_with = "check")]
    pub(crate) remove: bool,
    /// Say what is missing or not trusted, and change nothing.
    #[arg(long)]
    pub(crate) check: bool,
    /// For you, in all your projects; this is the default.
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// For everybody who works on this project: files in the project.
    #[arg(long)]
    pub(crate) project: bool,
    /// Do not ask.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// With --check: print JSON.
    #[arg(long, requires = "check")]
    pub(crate) json: bool,
}

/// `rawko hook`
#[derive(Debug, Args)]
#[command(after_help = "\
Reads the host's JSON from standard input and prints what its model should hear, in the host's own form; nothing where \
there is nothing to say. Always exits 0 within a second. RAWKO_HOOK=off turns it off.")]
pub(crate) struct Hook {
    /// The host and its name for the event, such as `claude UserPromptSubmit`.
    #[arg(value_name = "HOST EVENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

/// `rawko mcp`
#[derive(Debug, Args)]
#[command(after_help = "\
Speaks MCP on standard input and output: the tools search, get, add, feedback and session, memories as resources, and \
the prompts recall and review. `rawko setup` makes hosts start it. It ends when its input ends; it opens no port. \
What agents add goes through admission, and no tool approves anything.")]
pub(crate) struct Mcp {}

/// `rawko memory-tool`
#[derive(Debug, Args)]
#[command(after_help = "\
For programs that call a model with the tool `memory_20250818`. Each line is the input of a call, or its whole \
`tool_use` block; the answer is `{\"content\", \"is_error\"}`, or a `tool_result` block. Files are memories: edits, \
deletions and renames are appended entries, and `rawko undo` takes the last one back.

Examples:
  echo '{\"command\": \"view\", \"path\": \"/memories\"}' | rawko memory-tool")]
pub(crate) struct MemoryTool {
    /// The agent's name in what is written. [default: the host you run in, or agent]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}
