//! `tsrec store`: an operator's commands for a data directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::access::{self, Access, DataDir};
use super::daemon::{Daemon, told_to_stop};
use super::{listing, loss, telemetry};
use crate::config::Config;
use tsrec_core::words::number_of;
use tsrec_crawl::frontier;
use tsrec_crawl::frontier::{Embedded, Filter, Frontier, KeptHost, ListedUrl};
use tsrec_crawl::pipeline::Reextracted;
use tsrec_store::maintenance::{BackupContents, CheckedBackup, FrontierCopy, FrontierPart};
use tsrec_store::{Database, losses, maintenance};

/// Arguments of `tsrec store`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 sound; 1 an error, named on standard error; 4 damage was found (verify, backup), or something is \
                        lost: found by this command, or earlier and not acknowledged (stats, compact)."
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, clap::Subcommand)]
enum StoreCommand {
    /// Check the checksum of every frame in the journals and every entry of the index, or every
    /// file of a backup. This mends nothing. A daemon may be running: it has the index, and
    /// verifies it in the background.
    Verify {
        /// The backup, if one is to be checked.
        #[arg(value_name = "BACKUP")]
        backup: Option<PathBuf>,
        #[command(flatten)]
        dir: Dir,
    },
    /// Open the store and read all of it, repair what can be repaired, and report what was found.
    /// No daemon may be running.
    Repair(Dir),
    /// Print the size of the store, what it holds, and what was lost of it until somebody
    /// acknowledges that. No daemon may be running.
    Stats(Dir),
    /// Acknowledge what was lost, so that it is no longer reported. Prints the losses. A daemon may
    /// be running.
    Acknowledge(Dir),
    /// Remove dead data, and rewrite the index if that makes it smaller. No daemon may be running.
    Compact(Dir),
    /// Extract again the pages whose fetched bytes are kept, for instance with a newer program.
    /// [store] bodies_bytes in the configuration bounds them. Nothing is fetched. If the content
    /// differs, the feed has a change. No daemon may be running.
    Reextract {
        /// The daemon's configuration file.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// The crawler's user agent, if the configuration does not set it. Robots directives in
        /// pages may name it.
        #[arg(long, value_name = "UA")]
        user_agent: Option<String>,
        /// The daemon's data directory [default: data_dir of the configuration, which is data by
        /// default].
        #[arg(long, env = "TSREC_DATA_DIR", value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// Copy the frontier and the journal of records, and write a manifest of them. A store can be
    /// rebuilt from that journal. A daemon may be running.
    Backup {
        /// The folder to copy into. It must not hold a backup yet.
        to: PathBuf,
        #[command(flatten)]
        dir: Dir,
    },
    /// Make a store from a backup that matches its manifest. Readers of the feed then start over.
    Restore {
        /// The backup.
        from: PathBuf,
        /// Restore what is left of a damaged backup, or of one without a manifest. The command then
        /// says what is missing, and exits with 4.
        #[arg(long)]
        accept_loss: bool,
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
    /// The directory. It must hold a store, since opening would create one.
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

pub(super) fn run(args: &Args) -> Result<()> {
    let config = tsrec_store::Config::default();
    match &args.command {
        StoreCommand::Verify { backup, dir } => verify(backup.as_deref().unwrap_or(&dir.data_dir)),
        StoreCommand::Repair(dir) => {
            let database = Database::open_and_verify(dir.with_store()?, &config)?;
            loss::report(database.recovery());
            tell(database.recovery())
        }
        StoreCommand::Stats(dir) => {
            let database = Database::open_and_verify(dir.with_store()?, &config)?;
            loss::report(database.recovery());
            tell_stats(&database.stats()?)
        }
        StoreCommand::Acknowledge(dir) => tell(&losses::acknowledge(dir.with_store()?)?),
        StoreCommand::Compact(dir) => tell_stats(&maintenance::compact(dir.with_store()?, &config)?),
        StoreCommand::Reextract { config, user_agent, data_dir } => {
            reextract(config.as_deref(), user_agent.as_ref(), data_dir.as_deref())
        }
        StoreCommand::Backup { to, dir } => {
            let dir = dir.with_store()?;
            maintenance::not_yet(to)?;
            // Copy it before the records, so that every record's page is among the URLs, except
            // pages found meanwhile.
            let frontier = copy_frontier(dir, to);
            let copied = maintenance::backup(dir, to)?;
            frontier.with_context(|| {
                let records = number_of(copied.records, "record");
                format!(
                    "{records} are copied to {}, and not the frontier, without which a crawl begins anew",
                    to.display()
                )
            })?;
            tell_backup(&copied, to)
        }
        StoreCommand::Restore { from, accept_loss, dir } => {
            let (stats, checked) =
                maintenance::restore(from, &dir.data_dir, &config, *accept_loss).map_err(say_way_out)?;
            let unread = restore_frontier(from, &dir.data_dir, &config, *accept_loss)?;
            tell(&stats)?;
            tell_missing(&checked, unread)
        }
    }
}

fn verify(dir: &Path) -> Result<()> {
    if maintenance::is_backup(dir) {
        let checked = maintenance::check_backup(dir)?;
        if !checked.is_sound() {
            loss::note();
        }
        return tell(&checked);
    }
    let verified = maintenance::verify(Dir { data_dir: dir.to_owned() }.with_store()?)?;
    if verified.is_damaged() {
        loss::note();
    }
    tell(&verified)
}

fn tell_backup(copied: &BackupContents, to: &Path) -> Result<()> {
    let BackupContents { records, urls, hosts, files, damaged_frames, .. } = copied;
    let (urls, hosts) = (number_of(urls.unwrap_or(0), "URL"), number_of(hosts.unwrap_or(0), "host"));
    let (records, bytes) =
        (number_of(records, "record"), number_of(files.values().map(|file| file.bytes).sum::<u64>(), "byte"));
    let mut out = std::io::stderr();
    writeln!(out, "tsrec: {records}, {urls} and {hosts} copied in {bytes}, to {}", to.display())?;
    if *damaged_frames > 0 {
        loss::note();
        let frames = number_of(damaged_frames, "frame");
        writeln!(
            out,
            "tsrec: {frames} of the journal are damaged or missing, and so they are in the backup; `tsrec store repair` mends the store"
        )?;
    }
    Ok(())
}

fn say_way_out(error: tsrec_store::Error) -> anyhow::Error {
    match error.is_backup() {
        true => anyhow::anyhow!("{error}. Nothing is restored; --accept-loss restores what is left"),
        false => error.into(),
    }
}

/// Says what a restored backup lacks.
fn tell_missing(checked: &CheckedBackup, unread: u64) -> Result<()> {
    let CheckedBackup { faults, listed, found } = checked;
    let mut out = std::io::stderr();
    for fault in faults {
        writeln!(out, "tsrec: {fault}")?;
    }
    if unread > 0 {
        writeln!(out, "tsrec: {} of the backup's frontier cannot be read", number_of(unread, "line"))?;
    }
    if faults.is_empty() && unread == 0 {
        return Ok(());
    }
    loss::note();
    let records = number_of(found.records, "record");
    match listed {
        Some(listed) => {
            let urls = found.urls.unwrap_or(0).saturating_sub(unread);
            let of = |now: u64, then: u64, what| format!("{now} of {}", number_of(then, what));
            let (records, urls) =
                (of(found.records, listed.records, "record"), of(urls, listed.urls.unwrap_or(0), "URL"));
            writeln!(out, "tsrec: restored {records} and {urls}")?;
        }
        None => writeln!(out, "tsrec: restored {records}; without a manifest nobody can tell how many are missing")?,
    }
    Ok(())
}

fn reextract(file: Option<&Path>, user_agent: Option<&String>, data_dir: Option<&Path>) -> Result<()> {
    let mut config = file.map_or_else(|| Ok(Config::default()), Config::load)?;
    config.user_agent = user_agent.cloned().or(config.user_agent);
    config.data_dir = data_dir.map_or(config.data_dir, Path::to_owned);
    Dir { data_dir: config.data_dir.clone() }.with_store()?;
    telemetry::start_logging("warn", config.log.format)?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    let done = runtime.block_on(async {
        let stop = told_to_stop();
        Daemon::open(config)?.reextract(stop).await
    });
    runtime.shutdown_timeout(LAST_PATIENCE);
    let Some(done) = done? else {
        writeln!(std::io::stderr(), "tsrec: told to stop; the same command does all pages anew")?;
        return Ok(());
    };
    tell(&done)?;
    if done == Reextracted::default() {
        writeln!(
            std::io::stderr(),
            "tsrec: no page is kept as it was fetched: set bodies_bytes in [store] of the configuration"
        )?;
    }
    Ok(())
}

/// Copies the hosts and the URLs of the frontier with their data, one per line. If a daemon runs,
/// it gives them. Returns the number of URLs and hosts.
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

/// How long the end of the program waits for threads that still work on pages.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// Number of lines of a backup that are restored at a time.
const BATCH: usize = 1_000;

/// Restores the frontier of a backup. Returns how many of its lines cannot be read: an error unless
/// the loss is accepted.
fn restore_frontier(from: &Path, to: &Path, config: &tsrec_store::Config, accept_loss: bool) -> Result<u64> {
    let database = Database::open(to, config)?;
    // No limit: limits applied when the URLs were first added.
    let frontier_config =
        frontier::Config { max_urls: u64::MAX, max_urls_per_queue: u64::MAX, ..frontier::Config::default() };
    let frontier = Embedded::new(&database, &frontier_config)?;
    // Hosts first: a host that an operator dropped takes no URLs.
    let hosts = put_back(from, FrontierPart::Hosts, |batch: &[KeptHost]| frontier.put_back_hosts(batch))?;
    let urls = put_back(from, FrontierPart::Urls, |batch: &[ListedUrl]| frontier.put_back(batch))?;
    database.durable()?;
    let unread = hosts.unread + urls.unread;
    anyhow::ensure!(
        unread == 0 || accept_loss,
        "{} of the backup's frontier cannot be read",
        number_of(unread, "line")
    );
    // The journal of records has most of them, so few are put back.
    let stats = access::block_on(async { Ok(frontier.stats().await?) })?;
    let frontier::FrontierStats { discovered, known, gone, failed, given_up, skipped, quarantined, .. } = stats;
    let urls = discovered + known + gone + failed + given_up + skipped + quarantined;
    let (urls, hosts) = (number_of(urls, "URL"), number_of(frontier.queues().len() as u64, "host"));
    writeln!(std::io::stderr(), "tsrec: in the frontier again: {urls} and {hosts}")?;
    Ok(unread)
}

/// What became of the lines of a part of the backup's frontier.
#[derive(Default)]
struct PutBack {
    put: u64,
    unread: u64,
}

/// Restores a part of the backup's frontier.
fn put_back<T: DeserializeOwned>(
    from: &Path,
    kept: FrontierPart,
    put: impl Fn(&[T]) -> Result<u64, frontier::Error>,
) -> Result<PutBack> {
    let (mut batch, mut done) = (Vec::new(), PutBack::default());
    for line in maintenance::kept_frontier(from, kept)? {
        match serde_json::from_slice(&line?) {
            Ok(row) => batch.push(row),
            Err(_) => done.unread += 1,
        }
        if batch.len() >= BATCH {
            done.put += put(&batch)?;
            batch.clear();
        }
    }
    done.put += put(&batch)?;
    Ok(done)
}

fn tell_stats(stats: &maintenance::StoreStats) -> Result<()> {
    if !stats.losses.is_empty() {
        loss::note();
    }
    tell(stats)
}

fn tell(found: &impl Serialize) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(found)?)?;
    Ok(())
}
