//! The words of `rawko run`, `rawko exec` and `rawko agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand, value_parser};

/// A year; more could not be counted in seconds for ever.
const MOST_MINUTES: u64 = 365 * 24 * 60;

/// `rawko run`
#[derive(Debug, Args)]
#[command(after_help = "\
The agents are the files in .rawko/agents (yours, or the repository's once you ran `rawko trust`), or the four that are built in:
`rawko init --agents` writes them out, with the extractor. Without a provider they go in their order; those whose whenToUse the task calls, or all.

Examples:
  rawko run \"Add a login endpoint\" --host claude
  rawko run \"Mend the flaky test\" --agent developer --agent tester --rounds 4
  rawko run \"Explain the queue\" --command './my-agent --stdin'
  rawko session show ID                   where it was, if something ended it: the first line of a run names it")]
pub(crate) struct Run {
    /// What is to be done, or `-` for standard input.
    pub(crate) task: String,
    /// The host that agents run on: claude, codex or gemini. [default: the first that is installed]
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) host: Option<String>,
    /// Any command instead: it gets the prompt on its standard input.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Only these agents. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Vec<String>,
    /// Most turns of agents.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u64).range(1..))]
    pub(crate) rounds: u64,
    /// Most minutes for everything.
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = value_parser!(u64).range(1..=MOST_MINUTES))]
    pub(crate) minutes: u64,
    /// Most dollars, as far as the host says what it costs; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    pub(crate) dollars: f64,
    /// Print the end as JSON; what agents say goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rawko exec`
#[derive(Debug, Args)]
#[command(after_help = "\
The memories for the task are in $RAWKO_MEMORIES. With --task they also come before it: in every word that is {} or the task itself,
or else before what comes on standard input. Do not give --task to a command that runs its input as a script. Without --task the
last argument of several words chooses memories, and neither words nor input are touched. What the command prints is learned from when it ends.
The exit code is the command's, or 128 and the signal that ended it.

Examples:
  rawko exec --task \"Fix the login\" -- my-agent {}
  rawko exec --task \"Fix the login\" -- my-agent --stdin < request.txt
  rawko exec -- sh -c 'my-agent --notes \"$RAWKO_MEMORIES\" \"Fix the login\"'")]
pub(crate) struct Exec {
    /// The task, and leave to put memories before it. [default: the last argument of several words, which puts none]
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    /// The agent's name, for what is learned. [default: the command's]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The command, behind `--`.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// `rawko agents`
#[derive(Debug, Args)]
pub(crate) struct Agents {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: AgentsCommand,
}

/// What to do with agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agents in force, in their order.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write the agents in a host's own format.
    Export {
        /// The host: claude.
        host: String,
        /// The folder to write to. [default: .claude/agents of the project]
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}
