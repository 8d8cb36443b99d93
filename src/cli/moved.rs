//! Commands that are elsewhere by now, so that whoever types them learns where.

use std::ffi::OsString;

use anyhow::Result;
use tsrec_terminal::usage;

/// Where the commands of the lab are.
pub(super) const LAB: &str = "the program tsrec-lab (cargo install --path crates/tsrec-lab)";

/// Arguments of a command that is elsewhere: any.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

/// The error that says where a command is.
pub(super) fn run(command: &str, place: &str, _: &Args) -> Result<()> {
    Err(usage::wrong(format!("the command {command} has moved: see {place}")))
}
