//! The words of `rawko export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `rawko export`
#[derive(Debug, Args)]
#[command(after_help = "\
`json` holds everything: every memory with every entry, also those that wait or were rejected. `rawko import` reads it \
back without loss; `rawko schema export` prints its schema. `claude` and `agents-md` hold only what may reach an agent; \
what else stands in those files stays as it is, byte for byte.

Examples:
  rawko export json --out backup.json
  rawko export agents-md --out AGENTS.md
  rawko export claude --out ~/.claude/projects/-home-ada-shop/memory")]
pub(crate) struct Export {
    /// The form.
    #[arg(value_enum)]
    pub(crate) form: Form,
    /// The file, or the folder for `claude`. [default: standard output]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file, where `json` finds one.
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave memories below this importance out: low, medium, high or critical.
    #[arg(long, value_name = "LEVEL", default_value = "low")]
    pub(crate) min_importance: String,
    /// Export your own store instead of the project's.
    #[arg(long)]
    pub(crate) personal: bool,
}

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// All of a store, in one document.
    Json,
    /// Topic files and lines in `MEMORY.md`, as Claude Code keeps them.
    Claude,
    /// A section for `AGENTS.md`, between two marks.
    AgentsMd,
}
