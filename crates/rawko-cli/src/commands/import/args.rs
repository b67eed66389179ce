//! The words of `rawko import`.

use std::path::PathBuf;

use clap::Args;

/// `rawko import`
#[derive(Debug, Args)]
#[command(after_help = "\
Formats, where a file does not tell its own:
  claude-memory  Claude Code's own memory       ~/.claude/projects/<project>/memory/
  codex          Codex's own memory             ~/.codex/memories/
  claude-mem     claude-mem's database          claude-mem.db (by `sqlite3`), or JSON
  mcp-memory     the MCP memory server          memory.jsonl ($MEMORY_FILE_PATH)
  basic-memory   basic-memory's notes           Markdown with a permalink
  mem0           mem0's export                  JSON
  cursor         Cursor's rules                 .cursor/rules/**/*.mdc, .cursorrules
  serena         Serena's memories              .serena/memories/
  cline          Cline's memory bank            memory-bank/
  claude-md      sections of CLAUDE.md          and of .claude/rules/*.md
  agents-md      sections of AGENTS.md
  rawko          rawko's own export             `rawko export json`

Every item is accounted for: imported, known already, or skipped with the reason. Secrets are taken out. What is \
imported can be searched at once and reaches no agent before you approve it: `rawko review`, or `rawko trust`.

Examples:
  rawko import ~/.claude/projects/-home-ada-shop/memory
  rawko import mem0 export.json --dry-run
  rawko import .cursor/rules AGENTS.md memory.jsonl")]
pub(crate) struct Import {
    /// A format, and files or folders of another tool; without a format, each file tells its own.
    #[arg(required = true, value_name = "FORMAT|PATH")]
    pub(crate) words: Vec<PathBuf>,
    /// Write nothing, and say what would come of it.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Import into your own store instead of the project's.
    #[arg(long)]
    pub(crate) personal: bool,
    /// Name every item, not only what needs a look.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
