//! `tsrec config`: shows and checks a configuration before use.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::config::Config;

/// Arguments of `tsrec config`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// Check a configuration file, as `tsrec crawl` does at its start. If it cannot be used, tsrec
    /// prints why and exits with code 78.
    Check {
        /// The configuration file.
        file: PathBuf,
    },
    /// Print every setting in effect, as TOML. Shows the settings of a file, or the defaults.
    Show {
        /// The configuration file. Without it, the defaults.
        file: Option<PathBuf>,
        /// Only settings that differ from their defaults.
        #[arg(long)]
        changed: bool,
    },
}

pub(super) fn run(args: &Args) -> Result<()> {
    match &args.command {
        ConfigCommand::Check { file } => {
            let config = Config::load(file)?;
            config.check_files().with_context(|| format!("the configuration {} cannot be used", file.display()))?;
            let mut err = std::io::stderr().lock();
            if config.user_agent.is_none() {
                let wants = "tsrec crawl wants --user-agent beside it";
                writeln!(err, "tsrec: {} sets no user_agent: {wants}", file.display())?;
            }
            writeln!(err, "tsrec: {} can be used", file.display())?;
        }
        ConfigCommand::Show { file, changed } => {
            let config = file.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
            let text = match changed {
                true => config.changed_toml(),
                false => config.to_toml(),
            };
            write!(std::io::stdout().lock(), "{text}")?;
        }
    }
    Ok(())
}
