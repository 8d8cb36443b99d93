//! `tsrec crawl`: the daemon.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::mpsc;
use url::Url;

use super::daemon::{Daemon, Served, Signals, hangups, told_to_stop};
use super::seeds::Seeds;
use super::telemetry;
use crate::config;
use crate::config::Config;
use tsrec_core::words::number_of;
use tsrec_crawl::pipeline::{ArchiveReport, CrawlSummary, Until};
use tsrec_server::http::{Listen, delay};
use tsrec_terminal::show::Show;

/// Arguments of `tsrec crawl`. What the configuration says, a flag overrides.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to begin; links are followed within the hosts of these. With none, the configuration's
    /// seeds, or what the frontier knows.
    #[arg(value_name = "URL", value_parser = super::input::url)]
    seeds: Vec<Url>,
    /// Crawl web archives instead of the network (WARC 1.0 and 1.1; plain, gzip, zstd; WACZ): their
    /// HTML pages go through the same pairing, extraction and store. Nothing is asked of any
    /// server, and no link is followed. A crawl that was broken off goes on where it was.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["seeds", "warc_dir"])]
    from_warc: Vec<PathBuf>,
    /// Archive what is fetched in this folder, as WARC 1.1: for each page that is stored the
    /// request, the response, and what was extracted.
    #[arg(long, value_name = "DIR")]
    warc_dir: Option<PathBuf>,
    /// The configuration; keys left out keep their defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What the crawler calls itself, such as 'YourBot/1.0 (+https://your.example/bot)'.
    #[arg(long, value_name = "UA")]
    user_agent: Option<String>,
    /// Where the store and the frontier lie [default: data].
    #[arg(long, value_name = "DIR", env = "TSREC_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Delay between two requests to a host, such as 500ms or 2s [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = delay)]
    delay: Option<Duration>,
    /// Fetch from loopback, private and other special addresses too.
    #[arg(long)]
    allow_private_addresses: bool,
    /// End when the frontier is drained.
    #[arg(long)]
    once: bool,
    /// End when so many pages are stored.
    #[arg(long, value_name = "N")]
    max_pages: Option<u64>,
    /// Where to serve the HTTP API, or none [default: 127.0.0.1:7717; none under --once].
    #[arg(long, value_name = "ADDR|none")]
    listen: Option<Listen>,
}

impl Args {
    /// The configuration with the flags over it.
    fn configuration(&self) -> Result<Config> {
        let mut config = self.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
        if !self.seeds.is_empty() {
            config.seeds.clone_from(&self.seeds);
        }
        if self.user_agent.is_some() {
            config.user_agent.clone_from(&self.user_agent);
        }
        if let Some(data_dir) = &self.data_dir {
            config.data_dir.clone_from(data_dir);
        }
        if let Some(delay) = self.delay {
            config.frontier.delay = delay;
        }
        config.fetch.allow_private_addresses |= self.allow_private_addresses;
        if self.warc_dir.is_some() {
            config.warc.dir.clone_from(&self.warc_dir);
        }
        if !self.from_warc.is_empty() {
            config.warc.dir = None;
            // Pages may name who they speak to, though nobody is asked.
            config.user_agent.get_or_insert_with(|| concat!("tsrec/", env!("CARGO_PKG_VERSION")).to_owned());
        }
        if self.once || !self.from_warc.is_empty() {
            config.http.listen = Listen::None;
        }
        if let Some(listen) = &self.listen {
            config.http.listen = *listen;
        }
        config.check()?;
        Ok(config)
    }
}

pub(super) fn run(args: &Args, log: Option<&str>) -> Result<()> {
    let config = args.configuration()?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    if args.from_warc.is_empty() {
        telemetry::start_logging(log.unwrap_or(&config.log.filter), config.log.format)?;
        return runtime.block_on(crawl(args, config, log.is_some()));
    }
    // A line a page would be one for each of some ten thousand.
    let filter = log.unwrap_or(if args.config.is_some() { &config.log.filter } else { "warn" });
    telemetry::start_logging(filter, config.log.format)?;
    runtime.block_on(crawl_archives(args, config))
}

async fn crawl_archives(args: &Args, config: Config) -> Result<()> {
    let daemon = Daemon::open(config)?;
    let archives = daemon.archives(&args.from_warc)?;
    let served = daemon.serve().await?;
    let until = Until { drained: true, pages: args.max_pages };
    let mut show = Show::new("pages read", false);
    let summary = {
        let mut crawl = std::pin::pin!(daemon.crawl_archives(&archives, until, told_to_stop()));
        loop {
            tokio::select! {
                summary = &mut crawl => break summary?,
                () = tokio::time::sleep(Duration::from_millis(250)) => {
                    let ArchiveReport { pages, share, .. } = archives.report();
                    show.step(pages, 0, Some(share));
                }
            }
        }
    };
    show.end();
    close(served).await?;
    let ArchiveReport { pages, passed_over, unreadable, share } = archives.report();
    let passed_over: Vec<String> = passed_over.iter().map(|(what, count)| format!("{count} by {what}")).collect();
    let passed_over = match passed_over.is_empty() {
        true => String::new(),
        false => format!("; passed over {}", passed_over.join(", ")),
    };
    let part = if share < 1.0 { format!(" ({:.0} % of the archives)", share * 100.0) } else { String::new() };
    let pages = number_of(pages, "page");
    writeln!(std::io::stderr(), "tsrec: {pages} read{part}, {} stored{passed_over}", summary.stored)?;
    if let Some((path, why)) = unreadable.first() {
        let others = match unreadable.len() {
            1 => String::new(),
            more => format!("; nor can {}", number_of(more - 1, "other")),
        };
        bail!("{} cannot be read on: {why}{others}. What stands before is in the store", path.display());
    }
    Ok(())
}

/// Waits for a crawl that has an end, and shows how far it is: of the URLs that are known by now,
/// which may be more in a moment.
async fn shown(daemon: &Daemon, crawl: impl Future<Output = Result<CrawlSummary>>) -> Result<CrawlSummary> {
    let mut show = Show::new("URLs visited", false);
    let mut crawl = std::pin::pin!(crawl);
    let before = daemon.urls().await?;
    let summary = loop {
        tokio::select! {
            summary = &mut crawl => break summary,
            () = tokio::time::sleep(Duration::from_millis(250)) => {
                let now = daemon.urls().await?;
                let done = now.done.saturating_sub(before.done);
                show.step(done, 0, Some(done as f64 / (done + now.left).max(1) as f64));
            }
        }
    };
    show.end();
    summary
}

async fn crawl(args: &Args, config: Config, keeps_filter: bool) -> Result<()> {
    let (seeds, has_sitemaps) = (config.seeds.clone(), !config.crawl.sitemaps.is_empty());
    let data_dir = config.data_dir.clone();
    let hangup = hangups();
    let daemon = Daemon::open(config)?;
    if seeds.is_empty() && !has_sitemaps && !daemon.has_urls().await? {
        return Err(config::Error::new(
            "there is nothing to crawl: give URLs to begin with, or set seeds in the configuration",
        )
        .into());
    }
    let served = daemon.serve().await?;
    let until = Until { drained: args.once, pages: args.max_pages };
    let signals = Signals { stop: told_to_stop(), hangup, reload: || args.configuration(), keeps_filter };
    if !args.once {
        let summary = daemon.crawl(&seeds, until, None, signals).await?;
        close(served).await?;
        return tell(summary);
    }
    let (sender, outcomes) = mpsc::unbounded_channel();
    let heard = tokio::spawn(Seeds::new(&seeds).hear(outcomes));
    let summary = shown(&daemon, daemon.crawl(&seeds, until, Some(sender), signals)).await?;
    close(served).await?;
    tell(summary)?;
    conclude(&heard.await?, &data_dir)
}

/// Tells of seeds that nothing came of: an error where nothing came of the crawl.
fn conclude(seeds: &Seeds, data_dir: &Path) -> Result<()> {
    let told = seeds.told();
    if seeds.are_in_vain() {
        bail!("{told}. No page was stored; tsrec why URL --data-dir {} says more", data_dir.display());
    }
    if !told.is_empty() {
        writeln!(std::io::stderr(), "tsrec: {told}")?;
    }
    Ok(())
}

async fn close(served: Option<Served>) -> Result<()> {
    match served {
        Some(served) => served.close().await,
        None => Ok(()),
    }
}

fn tell(CrawlSummary { visited, stored }: CrawlSummary) -> Result<()> {
    Ok(writeln!(std::io::stderr(), "tsrec: {} visited, {stored} stored", number_of(visited, "page"))?)
}
