//! The command line of the lab: one file per subcommand.

mod corpus;
mod eval;
mod labels;
mod make;
mod sets;
mod train;
mod training;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tsrec_terminal::usage;

/// Measures extraction against gold text, and trains the models that tsrec ships.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 an error, named on standard error; 2 wrong arguments."
)]
pub struct Cli {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    /// Measure extraction against gold text.
    Eval(Box<eval::Args>),
    /// Make a set of pages with gold text from templates.
    Make(make::Args),
    /// Train a method on pages with gold text.
    Train(train::Args),
}

/// Runs the command. Its output goes to standard output, everything else to standard error.
///
/// # Errors
///
/// The error that stopped the command, as text for people.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        LabCommand::Eval(args) => eval::run(&args),
        LabCommand::Make(args) => make::run(&args),
        LabCommand::Train(args) => train::run(&args),
    }
}

/// The exit code of an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<usage::Usage>() { ExitCode::from(usage::WRONG_ARGUMENTS) } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_fit_together() {
        <super::Cli as clap::CommandFactory>::command().debug_assert();
    }
}
