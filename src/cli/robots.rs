//! `tsrec robots`: shows what robots.txt says to a crawler, and which of its lines.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use url::Url;

use crate::cli::input::FetchArgs;
use tsrec_crawl::fetch::robots::Rules;
use tsrec_crawl::fetch::{Fetcher, product_token};

/// Arguments of `tsrec robots`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// URLs to check, each against the robots.txt of its site. With --robots, all are checked
    /// against that file.
    #[arg(required = true, value_name = "URL", value_parser = super::input::url)]
    urls: Vec<Url>,
    /// A robots.txt file to check against. Nothing is fetched.
    #[arg(long, value_name = "FILE")]
    robots: Option<PathBuf>,
    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let config = args.fetch.configuration()?;
    let user_agent = args.fetch.user_agent(&config)?;
    let mut out = std::io::stdout().lock();
    match &args.robots {
        Some(file) => {
            let text = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
            let rules = Rules::parse(&text, &product_token(user_agent)?);
            for url in &args.urls {
                writeln!(out, "{}", rules.decide(url))?;
            }
        }
        None => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let fetcher = Fetcher::new(&config.fetch, user_agent)?;
            for url in &args.urls {
                writeln!(out, "{}", runtime.block_on(fetcher.robots(url))?)?;
            }
        }
    }
    Ok(())
}
