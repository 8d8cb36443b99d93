//! `tsrec list`: prints the pages of the store, ordered by host, then URL.

use std::io::Write;

use anyhow::Result;
use url::Host;

use super::access::{self, Access, DataDir};
use super::listing;
use tsrec_server::http::MAX_LIMIT;
use tsrec_store::PageSummary;

/// Arguments of `tsrec list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only pages of this host.
    #[arg(long, value_parser = super::input::host)]
    host: Option<Host>,
    /// Print one JSON object per page. Without it, a line has method, confidence, kind, words and
    /// URL. JSON adds title, sequence number and time of fetch.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<()> {
    access::block_on(list(args))
}

async fn list(args: &Args) -> Result<()> {
    let access = Access::open(&args.data_dir).await?;
    let host = args.host.as_ref().map(Host::to_string);
    let part = async |after: Option<String>| {
        let part = access.pages(host.as_deref(), after.as_deref(), MAX_LIMIT).await?;
        Ok((part.pages, part.next))
    };
    listing::write(args.json, row, part).await
}

fn row(out: &mut dyn Write, page: &PageSummary) -> std::io::Result<()> {
    let PageSummary { method, confidence, kind, words, url, .. } = page;
    writeln!(out, "{method:<10} {confidence:>5.2} {:<13} {words:>7}  {url}", kind.as_deref().unwrap_or("-"))
}
