//! `tsrec list`: prints the pages of the store, ordered by host, then URL, or as asked.

use std::io::Write;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use url::Host;

use super::access::{self, Access, DataDir};
use super::listing;
use tsrec_server::http::{MAX_LIMIT, ORDERS};
use tsrec_store::PageSummary;

/// Arguments of `tsrec list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only pages of this host.
    #[arg(long, value_parser = super::input::host)]
    host: Option<Host>,
    /// Only pages of this kind, such as article.
    #[arg(long)]
    kind: Option<String>,
    /// Only pages whose content this method found, such as memory.
    #[arg(long)]
    method: Option<String>,
    /// Only pages in this language, such as en.
    #[arg(long)]
    language: Option<String>,
    /// Only pages with at least this confidence, from 0 to 1.
    #[arg(long, value_name = "NUMBER")]
    least_confidence: Option<f64>,
    /// Only pages with at most this confidence, from 0 to 1.
    #[arg(long, value_name = "NUMBER")]
    most_confidence: Option<f64>,
    /// Only pages fetched at this time or later, such as 2026-11-21.
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Only pages fetched before this time.
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    /// The order [default: url]. A minus reverses it, as in --sort=-confidence.
    #[arg(long, value_parser = PossibleValuesParser::new(ORDERS), allow_hyphen_values = true)]
    sort: Option<String>,
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
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let query = [
        ("host", args.host.as_ref().map(Host::to_string)),
        ("kind", args.kind.clone()),
        ("method", args.method.clone()),
        ("language", args.language.clone()),
        ("least_confidence", number(args.least_confidence)),
        ("most_confidence", number(args.most_confidence)),
        ("from", args.from.clone()),
        ("before", args.before.clone()),
        ("sort", args.sort.clone()),
        ("limit", Some(MAX_LIMIT.to_string())),
    ];
    let part = async |after: Option<String>| {
        let query = [&query[..], &[("after", after)]].concat();
        let part = access.pages(&query).await?;
        Ok((part.pages, part.next))
    };
    listing::write(args.json, row, part).await
}

fn row(out: &mut dyn Write, page: &PageSummary) -> std::io::Result<()> {
    let PageSummary { method, confidence, kind, words, url, .. } = page;
    writeln!(out, "{method:<10} {confidence:>5.2} {:<13} {words:>7}  {url}", kind.as_deref().unwrap_or("-"))
}
