//! The words of `rawko memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `rawko memory`
#[derive(Debug, Args)]
#[command(after_help = "\
Four layers over the same files: working (a session's, the newest 50), episodic (what happened: .rawko/log/episodes-*.jsonl), \
semantic (memories) and procedural (memories that are rules).

Examples:
  rawko memory append episodic \"Analyzed src/ for vulnerabilities\" --meta task=security-scan
  rawko memory append procedural \"Run the migrations first\" --condition \"deploying the service\"
  rawko memory learn dataset-format \"CSV with headers, semicolon-delimited\"
  rawko memory recall dataset-format
  rawko memory search \"security vulnerabilities\" --layer episodic
  rawko memory compact episodic --keep-last 100
  rawko memory undo                        takes the last compact or clear back")]
pub(crate) struct Memory {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerName {
    /// What is at hand in a session.
    Working,
    /// What happened.
    Episodic,
    /// What is known, by key.
    Semantic,
    /// What to do when.
    Procedural,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an entry to a layer.
    Append(Append),
    /// Find entries in one layer or all of them.
    Search(Search),
    /// Learn a value for a key; earlier values stay as its history.
    Learn(Learn),
    /// Print the newest value of a key; exit 1 if there is none.
    Recall(Recall),
    /// Sum up older entries, and move them into an archive.
    Compact(Compact),
    /// Show how much is in each layer.
    Stats(Stats),
    /// Empty a layer, or all of them; an archive brings it back.
    Clear(Clear),
    /// Take the last compact or clear back.
    Undo(Undo),
    /// Import episodic.json, semantic.json and procedural.json of an RLM memory manager.
    Import(Import),
}

/// Whose working layer.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The session whose working layer is meant. [default: $RAWKO_SESSION, or the newest open one]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// `rawko memory append`
#[derive(Debug, Args)]
pub(crate) struct Append {
    /// The layer.
    #[arg(value_enum)]
    pub(crate) layer: LayerName,
    /// What it says, or `-` for standard input.
    pub(crate) content: String,
    /// The key, in the semantic layer. [default: the entry's id]
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// When the rule applies, in the procedural layer.
    #[arg(long, value_name = "WHEN")]
    pub(crate) condition: Option<String>,
    /// What else is known of it. May be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) meta: Vec<String>,
    /// What happened, in the episodic layer: started, finished, failed or note.
    #[arg(long, value_name = "WORD", default_value = "note")]
    pub(crate) kind: String,
    /// The agent. [default: your user name, or the host's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Its name. [default: made]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Most entries that the working layer keeps.
    #[arg(long, value_name = "N", default_value_t = rawko::core::MAX_WORKING_ENTRIES)]
    pub(crate) max_working_entries: usize,
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory search`
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What you are looking for, in your own words.
    pub(crate) query: String,
    /// Only in this layer.
    #[arg(long, value_enum)]
    pub(crate) layer: Option<LayerName>,
    /// At most so many.
    #[arg(long, default_value_t = rawko::core::SEARCH_LIMIT, value_name = "N")]
    pub(crate) limit: usize,
    /// Count as the origin did: 2 points for each occurrence, 1 for a partial match, up to 0.5 for the last 24 hours.
    #[arg(long)]
    pub(crate) classic: bool,
    /// Show the parts of every score.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory learn`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rawko memory learn dataset-format \"CSV with headers, semicolon-delimited\"
  rawko memory learn --from-episodes --dry-run     what the last runs taught, and why it would be kept")]
pub(crate) struct Learn {
    /// The key.
    #[arg(required_unless_present = "from_episodes")]
    pub(crate) key: Option<String>,
    /// The value, or `-` for standard input.
    #[arg(required_unless_present = "from_episodes")]
    pub(crate) value: Option<String>,
    /// Propose knowledge from the newest episodes; admission decides.
    #[arg(long, conflicts_with_all = ["key", "value"])]
    pub(crate) from_episodes: bool,
    /// Episodes that are read.
    #[arg(long, value_name = "N", default_value_t = 200, requires = "from_episodes")]
    pub(crate) last: usize,
    /// Show decisions and reasons, and store nothing.
    #[arg(long, requires = "from_episodes")]
    pub(crate) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory recall`
#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// The key.
    pub(crate) key: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory compact`
#[derive(Debug, Args)]
pub(crate) struct Compact {
    /// The layer.
    #[arg(value_enum)]
    pub(crate) layer: LayerName,
    /// The newest entries that stay as they are.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) keep_last: usize,
    /// Leave no summary in the place of the older ones.
    #[arg(long)]
    pub(crate) no_summary: bool,
    /// Who sums up: offline, anthropic, openai, responses, ollama, claude, codex, gemini or command.
    #[arg(long, value_name = "NAME", default_value = "offline")]
    pub(crate) provider: String,
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory stats`
#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory clear`
#[derive(Debug, Args)]
pub(crate) struct Clear {
    /// The layer.
    #[arg(value_enum, required_unless_present = "all")]
    pub(crate) layer: Option<LayerName>,
    /// All four layers.
    #[arg(long, conflicts_with = "layer")]
    pub(crate) all: bool,
    /// Do not ask.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory undo`
#[derive(Debug, Args)]
pub(crate) struct Undo {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko memory import`
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The folder with the files, or one that has them in `.rlm-data/memory`.
    pub(crate) folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
