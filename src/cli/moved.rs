//! Commands that moved: the error tells users where they are now.

use std::ffi::OsString;

use anyhow::Result;
use tsrec_terminal::usage;

/// The place of the lab's commands.
pub(super) const LAB: &str = "the program tsrec-lab (cargo install --path crates/tsrec-lab)";

/// Arguments of a command that has moved: any.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

/// The error that names a command's new place.
pub(super) fn run(command: &str, place: &str, _: &Args) -> Result<()> {
    Err(usage::wrong(format!("the command {command} has moved: see {place}")))
}
