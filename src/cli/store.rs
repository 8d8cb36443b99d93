//! `tsrec store`: what an operator does with a data directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::access::{self, Access, DataDir};
use crate::config::Config;
use crate::frontier::Filter;
use crate::store::{Database, maintenance};

/// The exit code where damage or a loss was found.
const DAMAGED: u8 = 4;

/// Arguments of `tsrec store`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 sound; 1 an error, named on standard error; 4 damage was found (verify), or something is lost \
                        (repair, compact, stats)."
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Read every frame of the journals and compare its checksums. Changes nothing; a daemon may be running.
    Verify(Dir),
    /// Open the store, mend what can be mended, and tell what was found. No daemon may be running.
    Repair(Dir),
    /// Tell how large the store is and what it holds. No daemon may be running.
    Stats(Dir),
    /// Take out what is dead, and write the index anew where that makes it smaller. No daemon may be running.
    Compact(Dir),
    /// Copy the journal of records, from which a store is made again, and the frontier's URLs. A daemon may be running.
    Backup {
        /// The directory to copy into; it must not hold a backup yet.
        to: PathBuf,
        #[command(flatten)]
        dir: Dir,
    },
    /// Make a store of a backup. Readers of the feed will start over.
    Restore {
        /// The backup.
        from: PathBuf,
        #[command(flatten)]
        dir: Dir,
    },
}

#[derive(Debug, clap::Args)]
struct Dir {
    /// The daemon's data directory.
    #[arg(long, env = "TSREC_DATA_DIR", default_value = "data", value_name = "DIR")]
    data_dir: PathBuf,
}

impl Dir {
    /// The directory, which must hold a store: opening would make one.
    fn with_store(&self) -> Result<&Path> {
        let dir = self.data_dir.as_path();
        anyhow::ensure!(
            Database::is_in(dir),
            "{} holds no store: name a data directory with --data-dir",
            dir.display()
        );
        Ok(dir)
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let config = Config::default().store;
    match &args.command {
        Command::Verify(dir) => {
            let verified = maintenance::verify(dir.with_store()?)?;
            tell(&verified)?;
            Ok(code(verified.is_damaged()))
        }
        Command::Repair(dir) => {
            let database = Database::open(dir.with_store()?, &config)?;
            tell(database.recovery())?;
            Ok(code(database.recovery().has_losses()))
        }
        Command::Stats(dir) => told(&Database::open(dir.with_store()?, &config)?.stats()?),
        Command::Compact(dir) => told(&maintenance::compact(dir.with_store()?, &config)?),
        Command::Backup { to, dir } => {
            // Before the records, so that no page of a record is missing among the URLs but those found meanwhile.
            let urls = urls_of(dir.with_store()?);
            let bytes = maintenance::backup(dir.with_store()?, to)?;
            let said = match urls {
                Ok(urls) => format!("{bytes} bytes and {} URLs copied", maintenance::keep_urls(to, urls)?),
                Err(error) => format!("{bytes} bytes copied, without the URLs of the frontier: {error:#}"),
            };
            writeln!(std::io::stderr(), "tsrec: {said}, to {}", to.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Restore { from, dir } => {
            let stats = maintenance::restore(from, &dir.data_dir, &config)?;
            tell(&stats)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The URLs of the frontier; a daemon that runs is asked for them.
fn urls_of(dir: &Path) -> Result<Vec<String>> {
    access::block_on(async {
        let access = Access::open(&DataDir::at(dir)).await?;
        let listed = super::frontier::all(&access, Filter::All, None).await?;
        Ok(listed.into_iter().map(|listed| listed.url).collect())
    })
}

fn told(stats: &maintenance::Stats) -> Result<ExitCode> {
    tell(stats)?;
    Ok(code(stats.recovery.has_losses()))
}

fn tell(found: &impl Serialize) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(found)?)?;
    Ok(())
}

fn code(is_damaged: bool) -> ExitCode {
    if is_damaged { ExitCode::from(DAMAGED) } else { ExitCode::SUCCESS }
}
