//! `tsrec export`: all records of the store, in the order of their changes.

use std::io::{BufWriter, Write};

use anyhow::Result;

use super::access::{self, Access, DataDir, Wanted};
use super::output;
use crate::http::MAX_LIMIT_WITH_CONTENT;

/// Arguments of `tsrec export`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "One JSON object a line, oldest change first. A page that a running daemon changes meanwhile comes a second time; \
                        the later line counts."
)]
pub(super) struct Args {
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<()> {
    access::block_on(export(args))
}

/// One answer of the feed is in memory at a time.
async fn export(args: &Args) -> Result<()> {
    let access = Access::open(&args.data_dir).await?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut since = None;
    loop {
        let wanted = Wanted { since, limit: MAX_LIMIT_WITH_CONTENT, content: true, wait: false };
        let feed = access.changes(&wanted).await?;
        for page in feed.changes.iter().filter_map(|row| row.page.as_ref()) {
            output::json_line(&mut out, page)?;
        }
        out.flush()?;
        if feed.changes.is_empty() {
            return Ok(());
        }
        since = Some(feed.next);
    }
}
