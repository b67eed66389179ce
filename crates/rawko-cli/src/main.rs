//! The `rawko` program: reads the words, calls the library, prints the answer.

mod args;
mod commands;
mod embedding;
mod error;
mod hosts;
mod mcp;
mod open;
mod output;
mod person;

use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;

fn main() -> ExitCode {
    // A hook comes before every prompt and every tool, and must not fail on its words.
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if words.first().is_some_and(|word| word == "hook")
        && !words.iter().any(|word| word == "--help" || word == "-h")
    {
        commands::hook::run(&words[1..]);
    }
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(error::usage(&error)),
    };
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.report()),
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let out = Output::new(cli.everywhere.color);
    let place = Place::look(cli.everywhere.directory.as_deref())?;
    act(&cli.command, &place, &out)
}

/// Does what a command says.
fn act(command: &Command, place: &Place, out: &Output) -> Result<(), Failure> {
    match command {
        Command::Init(args) => commands::init::run(args, place, out),
        Command::Add(args) => commands::add::run(args, place, out),
        Command::List(args) => commands::list::run(args, place, out),
        Command::Show(args) => commands::show::run(args, place, out),
        Command::Search(args) => commands::search::run(args, place, out),
        Command::Index(args) => commands::index::run(args, place, out),
        Command::Inject(args) => commands::inject::run(args, place, out),
        Command::Extract(args) => commands::extract::run(args, place, out),
        Command::Feedback(args) => commands::feedback::run(args, place, out),
        Command::Why(args) => commands::why::run(args, place, out),
        Command::WhyNot(args) => commands::why_not::run(args, place, out),
        Command::Validate(args) => commands::validate::run(args, place, out),
        Command::Doctor(args) => commands::doctor::run(args, place, out),
        Command::Session(args) => commands::session::run(args, place, out),
        Command::Memory(args) => commands::memory::run(args, place, out),
        Command::Stats(args) => commands::stats::run(args, place, out),
        Command::Trust(args) => commands::trust::run(args, place, out),
        Command::Review(args) => commands::review::run(args, place, out),
        Command::Undo(args) => commands::undo::run(args, place, out),
        Command::Audit(args) => commands::audit::run(args, place, out),
        Command::Replay(args) => commands::replay::run(args, place, out),
        Command::Run(args) => commands::run::run(args, place, out),
        Command::Exec(args) => commands::exec::run(args, place),
        Command::Agents(args) => commands::agents::run(args, place, out),
        Command::Import(args) => commands::import::run(args, place, out),
        Command::Export(args) => commands::export::run(args, place, out),
        Command::Setup(args) => commands::setup::run(args, place, out),
        Command::Hook(args) => commands::hook::run(&args.words),
        Command::Mcp(_) => mcp::run(place),
        Command::MemoryTool(args) => commands::memory_tool::run(args, place),
        Command::Ledger(args) => commands::ledger::run(args, place, out),
        Command::Demo(args) => commands::demo::run(args, place, out),
        Command::Schema(args) => commands::schema::run(args, out),
        Command::Completions(args) => commands::completions::run(args),
    }
}
