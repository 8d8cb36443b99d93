//! `tsrec-indexer`: follows a daemon and serves a search page.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use tokio::net::TcpListener;
use tsrec_indexer::api::Daemon;
use tsrec_indexer::follow::{Follower, Policy};
use tsrec_indexer::index::Pages;
use tsrec_indexer::page;

/// A full-text index that follows the store of a tsrec daemon, with a search page.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The daemon's URL.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7717")]
    daemon: String,
    /// A file with the token that the daemon requires (its http.token_file).
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The folder of the index, created if missing.
    #[arg(long, value_name = "DIR", default_value = "index")]
    index: PathBuf,
    /// The address of the search page, or none. The page has no login: use loopback or a proxy that
    /// authenticates.
    #[arg(long, value_name = "ADDR|none", default_value = "127.0.0.1:7718")]
    listen: String,
    /// Stop when the index has everything that the daemon has, and serve no page.
    #[arg(long)]
    once: bool,
    /// Commit after this many changes.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    commit_changes: usize,
    /// Commit when a change has waited for this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    commit_seconds: u64,
    /// The name of this index at the daemon, which keeps deletions until the index has seen them.
    /// Give each index its own name. With an empty name the daemon does not know of the index.
    #[arg(long, value_name = "NAME", default_value = "indexer")]
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args = Args::parse();
    let token = args.token_file.as_ref().map(|file| {
        let token = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()));
        token.map(|token| token.trim().to_owned())
    });
    let pages = Pages::open(&args.index)?;
    let follower = Follower {
        daemon: Daemon::new(&args.daemon, token.transpose()?),
        pages: pages.clone(),
        policy: Policy { changes: args.commit_changes, time: Duration::from_secs(args.commit_seconds) },
        name: args.name,
        once: args.once,
    };
    let follows = tokio::task::spawn_blocking(move || follower.run());
    if args.once || args.listen == "none" {
        return follows.await?;
    }
    let listener = TcpListener::bind(&args.listen).await.with_context(|| {
        format!("nothing can be served at {}: give an address that is free with --listen, or none", args.listen)
    })?;
    eprintln!("tsrec-indexer: search at http://{}/", listener.local_addr()?);
    tokio::select! {
        followed = follows => followed?,
        served = axum::serve(listener, page::routes(pages)) => Ok(served?),
        // The next start reads uncommitted changes again.
        _ = tokio::signal::ctrl_c() => std::process::exit(130),
    }
}
