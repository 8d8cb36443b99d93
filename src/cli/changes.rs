//! `tsrec changes`: prints the change feed, for an indexer.

use std::io::{BufWriter, Write};

use anyhow::Result;

use super::access::{self, Access, ChangesRequest, DataDir};
use tsrec_server::http::MAX_LIMIT;
use tsrec_store::Cursor;

/// Arguments of `tsrec changes`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The last line on standard error is a cursor. To continue from there, pass it to --since.")]
pub(super) struct Args {
    /// Only changes after this cursor.
    #[arg(long, value_name = "CURSOR")]
    since: Option<Cursor>,
    /// Print at most N changes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Wait for new changes, until interrupted. Needs a running daemon.
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    data_dir: DataDir,
}

pub(super) fn run(args: &Args) -> Result<()> {
    access::block_on(async {
        let access = Access::open(&args.data_dir).await?;
        let mut cursor = args.since;
        let printed = tokio::select! {
            printed = print(&access, args, &mut cursor) => printed,
            interrupted = tokio::signal::ctrl_c(), if args.follow => Ok(interrupted?),
        };
        // Print the cursor in any case, so that an interrupted reader can go on.
        if let Some(cursor) = cursor {
            writeln!(std::io::stderr(), "{cursor}")?;
        }
        printed
    })
}

/// Prints changes. It moves the cursor after each printed answer.
async fn print(access: &Access, args: &Args, cursor: &mut Option<Cursor>) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut left = args.limit.unwrap_or(u64::MAX);
    let wait = args.follow && access.can_wait();
    while left > 0 {
        let limit = left.min(MAX_LIMIT as u64);
        let feed =
            access.changes(&ChangesRequest { since: *cursor, limit: limit as usize, content: false, wait }).await?;
        for row in &feed.changes {
            tsrec_terminal::json::json_line(&mut out, &row.change)?;
        }
        out.flush()?;
        *cursor = Some(feed.next);
        left -= feed.changes.len() as u64;
        if feed.changes.is_empty() && !wait {
            if args.follow {
                writeln!(std::io::stderr(), "tsrec: no daemon runs here, so there is nothing to follow")?;
            }
            break;
        }
    }
    Ok(())
}
