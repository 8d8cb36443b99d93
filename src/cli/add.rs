//! `tsrec add`: puts URLs into a crawl, through the daemon or into its directory.

use std::io::{BufRead, BufReader, Read, Write};

use anyhow::{Context, Result, bail};

use super::access::{self, Access, DataDir};
use tsrec_core::words::number_of;
use tsrec_server::http::{Added, AddedUrl};
use tsrec_terminal::json::json_line;

/// URLs sent at a time. Judgement: the daemon takes some seconds for them.
const SENT_AT_A_TIME: usize = 10_000;

/// Arguments of `tsrec add`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The URLs, or - to read them from standard input, one on each line.
    #[arg(required = true, value_name = "URL|-")]
    urls: Vec<String>,
    /// Take the hosts of the URLs into the crawl. Without it, URLs of hosts that the crawl does not
    /// have are refused.
    #[arg(long)]
    seed: bool,
    /// Print the counts as a JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let lines: Box<dyn Iterator<Item = Result<String>>> = match &args.urls[..] {
        [name] if name == "-" => Box::new(lines(std::io::stdin().lock())),
        urls if urls.iter().any(|url| url == "-") => bail!("- reads the URLs from standard input: give it alone"),
        urls => Box::new(urls.iter().cloned().map(Ok)),
    };
    let added = access::block_on(add(args, lines))?;
    match args.json {
        true => json_line(&mut std::io::stdout().lock(), &added)?,
        false => tell(&added)?,
    }
    let taken = added.new + added.revived + added.known;
    anyhow::ensure!(taken > 0 || added.refused.sum() == 0, "no URL was taken");
    Ok(())
}

/// The lines of an input without blank ones.
fn lines(input: impl Read) -> impl Iterator<Item = Result<String>> {
    let lines = BufReader::new(input).split(b'\n').map(|line| {
        let line = line.context("standard input cannot be read")?;
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    });
    lines.filter(|line| line.as_ref().map_or(true, |line| !line.is_empty()))
}

async fn add(args: &Args, mut lines: Box<dyn Iterator<Item = Result<String>> + '_>) -> Result<Added> {
    let access = Access::open_with_frontier(&args.data_dir).await?;
    let (mut added, mut sent) = (Added::default(), 0);
    loop {
        let part: Vec<String> = lines.by_ref().take(SENT_AT_A_TIME).collect::<Result<_>>()?;
        if part.is_empty() {
            return Ok(added);
        }
        let number = part.len() as u64;
        let mut body = Vec::new();
        part.into_iter().try_for_each(|url| json_line(&mut body, &AddedUrl { url }))?;
        added.add(access.add(body, args.seed).await?, sent);
        sent += number;
    }
}

fn tell(added: &Added) -> Result<()> {
    let Added { new, revived, known, refused, examples } = added;
    let mut out = std::io::stdout().lock();
    let revived = if *revived > 0 { format!(", {revived} due again") } else { String::new() };
    writeln!(out, "{} new{revived}, {known} known, {} refused", number_of(*new, "URL"), refused.sum())?;
    for (why, count) in refused.by_reason().into_iter().filter(|(_, count)| *count > 0) {
        writeln!(out, "refused: {count} {why}")?;
    }
    let mut err = std::io::stderr().lock();
    for one in examples {
        writeln!(err, "tsrec: line {}: {}", one.line, one.reason)?;
    }
    Ok(())
}
