//! `tsrec pair URL CANDIDATE…`: shows which page a page would be compared with, and why.

use std::io::Write;

use anyhow::Result;
use url::Url;

use tsrec_core::pairing::{Similarity, rank, similarity};

/// Arguments of `tsrec pair`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page's URL.
    #[arg(value_parser = super::input::url)]
    url: Url,
    /// URLs of pages to compare it with.
    #[arg(required = true, value_name = "CANDIDATE", value_parser = super::input::url)]
    candidates: Vec<Url>,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>5} {:>9} {:>5} {:>5}  url", "score", "same host", "path", "query")?;
    for rated in rank(&args.url, &args.candidates, |candidate| candidate) {
        let Similarity { score, same_host, path, query } = rated.similarity;
        let same_host = if same_host { "yes" } else { "no" };
        writeln!(out, "{score:>5.2} {same_host:>9} {path:>5.2} {query:>5.2}  {}", rated.candidate)?;
    }
    for stranger in args.candidates.iter().filter(|candidate| similarity(&args.url, candidate).is_none()) {
        writeln!(
            out,
            "{:>5} {:>9} {:>5} {:>5}  {stranger}  (the page itself, or of another domain)",
            "-", "-", "-", "-"
        )?;
    }
    Ok(())
}
