//! `rawko completions`: a script for the person's shell.

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::error::Failure;

pub(crate) fn run(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rawko", &mut script);
    Ok(std::io::Write::write_all(&mut std::io::stdout().lock(), &script)?)
}
