//! `tsrec config`: a configuration before it is used.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use crate::config::{self, Config};
use crate::fetch::Fetcher;

/// Arguments of `tsrec config`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check a configuration as `tsrec crawl` would before it begins: exit code 78 where it cannot be used, and why.
    Check {
        /// The configuration.
        file: PathBuf,
    },
    /// Print every setting as it holds, as TOML: that of a file, or the defaults.
    Show {
        /// The configuration; without one, the defaults.
        file: Option<PathBuf>,
        /// Only what is not as it is by default.
        #[arg(long)]
        changed: bool,
    },
}

pub(super) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Check { file } => {
            let config = Config::load(file)?;
            let of_file = |what: String| {
                config::Error::new(format!("the configuration {} cannot be used: {what}", file.display()))
            };
            let token = config.http.token();
            token.map_err(|error| of_file(with_causes(&error)))?;
            let mut err = std::io::stderr().lock();
            match &config.user_agent {
                Some(user_agent) => {
                    drop(Fetcher::new(&config.fetch, user_agent).map_err(|error| of_file(with_causes(&error)))?)
                }
                None => writeln!(
                    err,
                    "tsrec: {} sets no user_agent: tsrec crawl wants --user-agent beside it",
                    file.display()
                )?,
            }
            writeln!(err, "tsrec: {} can be used", file.display())?;
        }
        Command::Show { file, changed } => {
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

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
}
