//! `tsrec store`: what an operator does with a data directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::access::{self, Access, DataDir};
use super::daemon::Daemon;
use super::{listing, telemetry};
use crate::config::Config;
use tsrec_core::words::number_of;
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::{Embedded, Filter, KeptHost, ListedUrl};
use tsrec_crawl::pipeline::Reextracted;
use tsrec_store::maintenance::{FrontierCopy, FrontierPart};
use tsrec_store::{Database, maintenance};

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
    command: StoreCommand,
}

#[derive(Debug, clap::Subcommand)]
enum StoreCommand {
    /// Read every frame of the journals and compare its checksums. Changes nothing; a daemon may be
    /// running.
    Verify(Dir),
    /// Open the store, mend what can be mended, and tell what was found. No daemon may be running.
    Repair(Dir),
    /// Tell how large the store is and what it holds. No daemon may be running.
    Stats(Dir),
    /// Take out what is dead, and write the index anew where that makes it smaller. No daemon may
    /// be running.
    Compact(Dir),
    /// Extract the pages again that are kept as they were fetched ([store] raw_bytes in the
    /// configuration), for instance with a newer program. Nothing is fetched; the feed has a change
    /// where the content differs. No daemon may be running.
    Reextract {
        /// The daemon's configuration.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// What the crawler calls itself, where the configuration does not say: pages may speak to
        /// it by name.
        #[arg(long, value_name = "UA")]
        user_agent: Option<String>,
        /// The daemon's data directory [default: what the configuration says, which is data].
        #[arg(long, env = "TSREC_DATA_DIR", value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// Copy the journal of records, from which a store is made again, and the frontier. A daemon
    /// may be running.
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
        StoreCommand::Verify(dir) => {
            let verified = maintenance::verify(dir.with_store()?)?;
            tell(&verified)?;
            Ok(code(verified.is_damaged()))
        }
        StoreCommand::Repair(dir) => {
            let database = Database::open(dir.with_store()?, &config)?;
            tell(database.recovery())?;
            Ok(code(database.recovery().has_losses()))
        }
        StoreCommand::Stats(dir) => told(&Database::open(dir.with_store()?, &config)?.stats()?),
        StoreCommand::Compact(dir) => told(&maintenance::compact(dir.with_store()?, &config)?),
        StoreCommand::Reextract { config, user_agent, data_dir } => {
            reextract(config.as_deref(), user_agent.as_ref(), data_dir.as_deref())
        }
        StoreCommand::Backup { to, dir } => {
            let dir = dir.with_store()?;
            maintenance::not_yet(to)?;
            // Before the records, so that no page of a record is missing among the URLs but those
            // found meanwhile.
            let frontier = copy_frontier(dir, to);
            let bytes = maintenance::backup(dir, to)?;
            let (urls, hosts) = frontier.with_context(|| {
                format!("{bytes} bytes of records are copied to {}, and not the frontier, without which a crawl begins anew", to.display())
            })?;
            writeln!(
                std::io::stderr(),
                "tsrec: {}, {} and {} copied, to {}",
                number_of(bytes, "byte"),
                number_of(urls, "URL"),
                number_of(hosts, "host"),
                to.display()
            )?;
            Ok(ExitCode::SUCCESS)
        }
        StoreCommand::Restore { from, dir } => {
            let stats = maintenance::restore(from, &dir.data_dir, &config)?;
            restore_frontier(from, &dir.data_dir, &config)?;
            tell(&stats)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn reextract(file: Option<&Path>, user_agent: Option<&String>, data_dir: Option<&Path>) -> Result<ExitCode> {
    let mut config = file.map_or_else(|| Ok(Config::default()), Config::load)?;
    config.user_agent = user_agent.cloned().or(config.user_agent);
    config.data_dir = data_dir.map_or(config.data_dir, Path::to_owned);
    Dir { data_dir: config.data_dir.clone() }.with_store()?;
    telemetry::start_logging("warn", config.log.format)?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    let done = runtime.block_on(async { Daemon::open(config)?.reextract().await })?;
    tell(&done)?;
    if done == Reextracted::default() {
        writeln!(
            std::io::stderr(),
            "tsrec: no page is kept as it was fetched: set raw_bytes in [store] of the configuration"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the hosts and the URLs of the frontier with what is known of each, a line each; a daemon
/// that runs is asked for them. Gives how many URLs and hosts.
fn copy_frontier(dir: &Path, to: &Path) -> Result<(u64, u64)> {
    access::block_on(async {
        let access = Access::open_with_frontier(&DataDir::at(dir)).await?;
        let hosts = copy(to, FrontierPart::Hosts, async |after| super::frontier::hosts(&access, after).await).await?;
        let urls = async |after| super::frontier::urls(&access, Filter::All, None, after).await;
        Ok((copy(to, FrontierPart::Urls, urls).await?, hosts))
    })
}

async fn copy<T: Serialize>(
    to: &Path,
    kept: FrontierPart,
    part: impl AsyncFnMut(Option<String>) -> Result<listing::ListingPart<T>>,
) -> Result<u64> {
    let mut copy = FrontierCopy::begin(to, kept)?;
    listing::each(part, |row| Ok(copy.add(&serde_json::to_string(&row)?)?)).await?;
    Ok(copy.end()?)
}

/// Lines of a backup that are put back at a time.
const BATCH: usize = 1_000;

fn restore_frontier(from: &Path, to: &Path, config: &tsrec_store::Config) -> Result<()> {
    let database = Database::open(to, config)?;
    // No bound but the one that they were taken in by.
    let frontier_config =
        frontier::Config { max_urls: u64::MAX, max_urls_per_queue: u64::MAX, ..frontier::Config::default() };
    let frontier = Embedded::new(&database, &frontier_config)?;
    // Hosts first: one that an operator dropped takes no URLs.
    let hosts = put_back(from, FrontierPart::Hosts, |batch: &[KeptHost]| frontier.put_back_hosts(batch))?;
    let urls = put_back(from, FrontierPart::Urls, |batch: &[ListedUrl]| frontier.put_back(batch))?;
    database.durable()?;
    let (urls, hosts) = (number_of(urls, "URL"), number_of(hosts, "host"));
    writeln!(std::io::stderr(), "tsrec: in the frontier again: {urls} and {hosts}")?;
    Ok(())
}

/// Puts a part of the backup's frontier back. Gives how many of its lines.
fn put_back<T: DeserializeOwned>(
    from: &Path,
    kept: FrontierPart,
    put: impl Fn(&[T]) -> Result<u64, frontier::Error>,
) -> Result<u64> {
    let (mut batch, mut count) = (Vec::new(), 0);
    for line in maintenance::kept_frontier(from, kept)? {
        batch.push(serde_json::from_str(&line?).context("a line of the backup's frontier cannot be read")?);
        if batch.len() >= BATCH {
            count += put(&batch)?;
            batch.clear();
        }
    }
    Ok(count + put(&batch)?)
}

fn told(stats: &maintenance::StoreStats) -> Result<ExitCode> {
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
