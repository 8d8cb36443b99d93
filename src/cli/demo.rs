//! `tsrec demo`: the real daemon crawls a small built-in site on loopback.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use url::Url;

use super::daemon::{Daemon, Signals, told_to_stop};
use super::telemetry;
use crate::config::{Config, LogFormat};
use tsrec_crawl::pipeline::{Fate, Until};
use tsrec_store::NewPage;

/// Arguments of `tsrec demo`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Exit after printing the table. By default the demo serves the API until interrupted.
    #[arg(long)]
    once: bool,
}

macro_rules! site {
    ($($path:literal),* $(,)?) => {
        &[$((concat!("/", $path), include_bytes!(concat!("../../fixtures/demo/", $path)) as &[u8])),*]
    };
}

/// The site, compiled in, so that the demo runs anywhere.
const SITE: &[(&str, &[u8])] = site![
    "index.html",
    "about.html",
    "robots.txt",
    "drafts/unfinished.html",
    "news/index.html",
    "news/2026/01/chandlers-row-post-office-reopens-as-cooperative.html",
    "news/2026/02/lifeboat-crew-finds-drifting-sauna.html",
    "news/2026/03/ferry-timetable-returns-to-winter-hours.html",
    "news/2026/03/harbour-dredging-to-start-after-easter.html",
    "news/2026/03/print/ferry-timetable-returns-to-winter-hours.html",
    "news/2026/04/school-roof-will-collect-rain.html",
    "culture/index.html",
    "culture/2026/02/choir-records-the-sound-of-the-boatyard.html",
    "culture/2026/03/museum-puts-a-century-of-knots-on-show.html",
    "culture/2026/04/film-club-moves-into-the-ice-house.html",
];

pub(super) fn run(args: &Args, log: Option<&str>) -> Result<()> {
    telemetry::start_logging(log.unwrap_or("warn"), LogFormat::Human)?;
    tokio::runtime::Runtime::new().context("the async runtime cannot be started")?.block_on(demo(args))
}

async fn demo(args: &Args) -> Result<()> {
    let site = TcpListener::bind("127.0.0.1:0").await.context("the demo site cannot be served on 127.0.0.1")?;
    let seed = Url::parse(&format!("http://{}/", site.local_addr()?))?;
    tokio::spawn(async move { axum::serve(site, Router::new().fallback(page)).await });
    writeln!(std::io::stderr(), "tsrec: crawling our own demo site at {seed}")?;

    let data_dir = tempfile::tempdir().context("no temporary directory can be made")?;
    let daemon = Daemon::open(configuration(data_dir.path()))?;
    let served = daemon.serve().await?;
    let (sender, mut outcomes) = mpsc::unbounded_channel();
    let until = Until { drained: true, pages: None };
    let signals = Signals {
        stop: std::future::pending(),
        hangup: None,
        reload: || Ok(configuration(data_dir.path())),
        keeps_filter: true,
    };
    daemon.crawl(std::slice::from_ref(&seed), until, Some(sender), signals).await?;

    let mut stored = BTreeMap::new();
    while let Some(visited) = outcomes.recv().await {
        if let Fate::Stored { page, .. } = visited.fate {
            stored.insert(visited.url, page);
        }
    }
    print_table(&stored.values().map(|page| &**page).collect::<Vec<_>>())?;
    if let Some(served) = served {
        if !args.once {
            let api = served.address;
            let mut out = std::io::stderr().lock();
            writeln!(
                out,
                "tsrec: look at it in a browser: http://{api}/; the API is at http://{api}/v1/changes?content=true until you press Ctrl-C; try also"
            )?;
            writeln!(out, "       tsrec list --data-dir {}", data_dir.path().display())?;
            drop(out);
            told_to_stop().await;
        }
        served.close().await?;
    }
    Ok(())
}

fn configuration(data_dir: &std::path::Path) -> Config {
    let mut config = Config {
        user_agent: Some("tsrec-demo (a crawl of its own fixtures)".to_owned()),
        data_dir: data_dir.to_owned(),
        ..Config::default()
    };
    config.http.listen = "127.0.0.1:0".parse().expect("a socket address");
    config.fetch.allow_private_addresses = true;
    // The site runs in this process, so a short delay is fine.
    config.frontier.delay = Duration::from_millis(10);
    config
}

/// The site's pages; `/` redirects to the front page.
async fn page(uri: Uri) -> Response {
    if uri.path() == "/" {
        return Redirect::permanent("/index.html").into_response();
    }
    match SITE.iter().find(|(path, _)| *path == uri.path()) {
        Some((path, body)) => {
            let kind = if path.ends_with(".txt") { "text/plain; charset=utf-8" } else { "text/html; charset=utf-8" };
            ([(header::CONTENT_TYPE, kind)], *body).into_response()
        }
        None => (StatusCode::NOT_FOUND, "not here").into_response(),
    }
}

/// Number of characters of a page's text in its row.
const FIRST_WORDS: usize = 40;

fn print_table(pages: &[&NewPage]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let width = pages.iter().map(|page| page.url.len()).max().unwrap_or(0);
    writeln!(out, "{:<width$}  {:<10} {:>10} {:>6}  first words", "url", "method", "confidence", "words")?;
    for NewPage { url, method, confidence, words, text, .. } in pages {
        let first: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(FIRST_WORDS).collect();
        writeln!(out, "{url:<width$}  {method:<10} {confidence:>10.2} {words:>6}  {first}")?;
    }
    out.flush()?;
    Ok(())
}
