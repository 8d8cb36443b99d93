//! `tsrec listing URL`: the addresses of a sitemap or a feed.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result, bail};
use url::Url;

use crate::cli::input::FetchArgs;
use tsrec_crawl::fetch::listing::SiteListing;
use tsrec_crawl::fetch::{FetchRequest, Fetched, Fetcher};

/// The most redirects to a listing. Judgement: to https, to www, and to a file elsewhere.
const MOST_REDIRECTS: usize = 5;

/// Arguments of `tsrec listing`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A sitemap, a sitemap index, a feed (RSS, Atom), or a plain list of URLs. It may be
    /// compressed.
    #[arg(value_name = "URL", value_parser = super::input::url)]
    url: Url,
    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let config = args.fetch.configuration()?;
    let fetcher = Fetcher::new(&config.fetch, args.fetch.user_agent(&config)?)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listing = runtime.block_on(read(&fetcher, &args.url))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for entry in listing.sitemaps.iter().chain(&listing.pages) {
        writeln!(out, "{}", entry.url)?;
    }
    out.flush()?;
    if listing.cut {
        writeln!(std::io::stderr(), "tsrec: {} is longer than is read, or broken at its end", args.url)?;
    }
    Ok(())
}

async fn read(fetcher: &Fetcher, url: &Url) -> Result<SiteListing> {
    let mut at = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        match fetcher
            .visit_listing(&FetchRequest::new(&at))
            .await
            .result
            .with_context(|| format!("{at} is no listing"))?
        {
            Fetched::Page(listing) => return Ok(listing),
            Fetched::Redirect { to, .. } => at = to,
            Fetched::NotModified { .. } => bail!("{at} says that it has not changed, though nobody asked"),
        }
    }
    bail!("{url} redirects more than {MOST_REDIRECTS} times")
}
