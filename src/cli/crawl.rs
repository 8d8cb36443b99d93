//! `tsrec crawl`: the daemon.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use url::Url;

use super::daemon::{Daemon, Signals, told_to_stop};
use super::telemetry;
use crate::config::{self, Config};
use crate::crawl::Until;
use crate::http::Listen;

/// Arguments of `tsrec crawl`. What the configuration says, a flag overrides.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to begin; links are followed within the hosts of these. With none, the configuration's seeds, or what the frontier knows.
    #[arg(value_name = "URL")]
    seeds: Vec<Url>,
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
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
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
        if self.once {
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
    telemetry::start_logging(log.unwrap_or(&config.log.filter), config.log.format)?;
    tokio::runtime::Runtime::new().context("the async runtime cannot be started")?.block_on(crawl(args, config))
}

async fn crawl(args: &Args, config: Config) -> Result<()> {
    let (seeds, has_sitemaps) = (config.seeds.clone(), !config.crawl.sitemaps.is_empty());
    let daemon = Daemon::open(config)?;
    if seeds.is_empty() && !has_sitemaps && !daemon.has_urls().await? {
        return Err(config::Error::new(
            "there is nothing to crawl: give URLs to begin with, or set seeds in the configuration",
        )
        .into());
    }
    let served = daemon.serve().await?;
    let until = Until { drained: args.once, pages: args.max_pages };
    let signals = Signals { stop: told_to_stop(), reload: || args.configuration() };
    let summary = daemon.crawl(&seeds, until, None, signals).await?;
    if let Some(served) = served {
        served.close().await?;
    }
    writeln!(std::io::stderr(), "tsrec: {} pages visited, {} stored", summary.visited, summary.stored)?;
    Ok(())
}
