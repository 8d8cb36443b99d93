//! Commands that another program has by now, so that whoever types them learns where they are.

use std::ffi::OsString;

use anyhow::Result;
use tsrec_terminal::usage;

/// Arguments of a command that is elsewhere: any.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

pub(super) fn run(command: &str, _: &Args) -> Result<()> {
    let said = format!("`tsrec {command}` is `tsrec-lab {command}` by now: cargo install --path crates/tsrec-lab");
    Err(usage::wrong(said))
}
