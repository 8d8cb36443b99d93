//! `tsrec crawl`: the daemon.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::mpsc;
use url::Url;

use super::daemon::{Daemon, Signals, hangups, told_to_stop};
use super::log_pipe::LogPipe;
use super::seeds::Seeds;
use super::served::Served;
use super::telemetry;
use crate::config;
use crate::config::Config;
use tsrec_core::words::number_of;
use tsrec_crawl::pipeline::{ArchiveReport, CrawlSummary, Until};
use tsrec_server::http::{Listen, delay};
use tsrec_terminal::show::Show;

/// Arguments of `tsrec crawl`. Flags override the configuration.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Start URLs. The crawl follows links within their hosts. Without any, it starts from the
    /// configuration's seeds, or from the URLs that the frontier knows.
    #[arg(value_name = "URL", value_parser = super::input::url)]
    seeds: Vec<Url>,
    /// Crawl web archives instead of the network. Formats: WARC 1.0 and 1.1 (plain, gzip, zstd) and
    /// WACZ. HTML pages go through the same pairing, extraction and store. No request is sent, and
    /// no link is followed. An interrupted crawl continues where it stopped.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["seeds", "warc_dir"])]
    from_warc: Vec<PathBuf>,
    /// Archive fetched pages in this folder, as WARC 1.1. For each stored page, the archive has the
    /// request, the response, and what was extracted.
    #[arg(long, value_name = "DIR")]
    warc_dir: Option<PathBuf>,
    /// The configuration file. Missing keys keep their defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The crawler's user agent, such as 'YourBot/1.0 (+https://your.example/bot)'.
    #[arg(long, value_name = "UA")]
    user_agent: Option<String>,
    /// The folder of the store and the frontier [default: data].
    #[arg(long, value_name = "DIR", env = "TSREC_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Follow only links to URLs that match a pattern, in which * stands for any letters. Repeat it
    /// for several patterns.
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Do not follow links to URLs that match a pattern. Repeat it for several patterns.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Follow at most N links from a start URL.
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Delay between two requests to a host, such as 500ms or 2s [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = delay)]
    delay: Option<Duration>,
    /// Also fetch from loopback, private and other special addresses.
    #[arg(long)]
    allow_private_addresses: bool,
    /// Exit when the frontier has nothing left to fetch.
    #[arg(long)]
    once: bool,
    /// Exit when N pages are stored.
    #[arg(long, value_name = "N")]
    max_pages: Option<u64>,
    /// The address of the HTTP API, or none [default: 127.0.0.1:7717; none with --once].
    #[arg(long, value_name = "ADDR|none")]
    listen: Option<Listen>,
}

impl Args {
    /// The configuration, with the flags applied.
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
        if !self.include.is_empty() {
            config.crawl.include.clone_from(&self.include);
        }
        if !self.exclude.is_empty() {
            config.crawl.exclude.clone_from(&self.exclude);
        }
        if let Some(depth) = self.max_depth {
            config.crawl.max_depth = depth;
        }
        config.fetch.allow_private_addresses |= self.allow_private_addresses;
        if self.warc_dir.is_some() {
            config.warc.dir.clone_from(&self.warc_dir);
        }
        if !self.from_warc.is_empty() {
            config.warc.dir = None;
            // Robots directives in pages may name a user agent, though no server is asked.
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

/// How long the end of the program waits for threads that still work on pages. Judgement: whatever
/// was to be kept is durable by then.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Args, log: Option<&str>) -> Result<()> {
    let config = args.configuration()?;
    // Before the threads that it may not have room for.
    config.check_files()?;
    // Dropped last: all that is said goes through it.
    let _log = LogPipe::start()?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    if args.from_warc.is_empty() {
        telemetry::start_logging(log.unwrap_or(&config.log.filter), config.log.format)?;
        let done = runtime.block_on(crawl(args, config, log.is_some()));
        runtime.shutdown_timeout(LAST_PATIENCE);
        return done;
    }
    // One line per page would be too much: archives have some ten thousand pages each.
    let filter = log.unwrap_or(if args.config.is_some() { &config.log.filter } else { "warn" });
    telemetry::start_logging(filter, config.log.format)?;
    let done = runtime.block_on(crawl_archives(args, config));
    runtime.shutdown_timeout(LAST_PATIENCE);
    done
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

/// Waits for a crawl that has an end, and shows its progress: the share of the URLs known so far.
/// More URLs may be found later.
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

/// Reports failed seeds. If the crawl stored nothing, this is an error.
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
