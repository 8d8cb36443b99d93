//! The daemon: the library's crawler, with metrics, signals and the API.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use metrics_exporter_prometheus::PrometheusHandle;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use url::Url;

use super::served::{self, Orders, Served, ServedParts, Stage};
use super::{loss, telemetry};
use crate::config::Config;
use crate::crawler::{Crawler, free_space};
use tsrec_crawl::frontier::{Embedded, Frontier};
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline;
use tsrec_crawl::pipeline::{Archives, Crawl, CrawlSummary, Fetch, Reextracted, Until, Visited};
use tsrec_server::http::Pace;
use tsrec_terminal::parallel::processors;

/// A daemon that is ready and not running yet.
pub(super) struct Daemon {
    crawler: Crawler,
    metrics: PrometheusHandle,
    pace: Arc<Pace>,
    stage: watch::Sender<Stage>,
    orders: Arc<Orders>,
}

/// Numbers of URLs in the frontier: visited ones, and those still to visit.
#[derive(Clone, Copy)]
pub(super) struct UrlCounts {
    pub(super) done: u64,
    pub(super) left: u64,
}

impl Daemon {
    /// Opens the data directory and makes the client.
    pub(super) fn open(config: Config) -> Result<Daemon> {
        let crawler = Crawler::open(config)?;
        let (metrics, stage) = (telemetry::start_metrics()?, watch::Sender::new(Stage::Starting));
        Ok(Daemon { crawler, metrics, pace: Arc::default(), stage, orders: Arc::default() })
    }

    /// How many of the frontier's URLs are done.
    pub(super) async fn urls(&self) -> Result<UrlCounts> {
        let stats = self.crawler.frontier.stats().await?;
        let done = stats.known + stats.gone + stats.failed + stats.given_up + stats.skipped + stats.quarantined;
        Ok(UrlCounts { done, left: stats.discovered + stats.waiting })
    }

    /// Whether the frontier knows any URL.
    pub(super) async fn has_urls(&self) -> Result<bool> {
        Ok(self.crawler.frontier.stats().await?.queues > 0)
    }

    /// Serves the API, if the configuration enables it, and writes its address where the other
    /// commands look.
    pub(super) async fn serve(&self) -> Result<Option<Served>> {
        let crawler = &self.crawler;
        let parts = ServedParts {
            config: &crawler.config,
            memories: crawler.memories.clone(),
            frontier: Arc::clone(&crawler.frontier),
            is_crawling: true,
            orders: Arc::clone(&self.orders),
            metrics: self.metrics.clone(),
            pace: Arc::clone(&self.pace),
            stage: self.stage.subscribe(),
        };
        served::serve(parts).await
    }

    /// Extracts again all pages that are stored as fetched. Nothing is fetched. `None` if it was
    /// asked to stop before the end: what was begun is done, as far as the grace allows.
    pub(super) async fn reextract(&self, stop: impl Future<Output = ()>) -> Result<Option<Reextracted>> {
        loss::report(self.crawler.database.recovery());
        let crawl = Arc::new(self.crawler.crawl(&[]));
        let mut work = pin!(Arc::clone(&crawl).reextract());
        tokio::select! {
            done = &mut work => return Ok(Some(done?)),
            () = stop => crawl.stop(),
        }
        if let Ok(done) = tokio::time::timeout(self.crawler.config.crawl.grace, work).await {
            done?;
        }
        self.crawler.database.durable()?;
        Ok(None)
    }

    /// Crawls until it is done or asked to stop.
    pub(super) async fn crawl(
        &self,
        seeds: &[Url],
        until: Until,
        outcomes: Option<mpsc::UnboundedSender<Visited>>,
        signals: Signals<impl Future<Output = ()>, impl Fn() -> Result<Config>>,
    ) -> Result<CrawlSummary> {
        let Signals { stop: shutdown, hangup, reload, keeps_filter } = signals;
        let crawl = self.crawler.crawl(seeds);
        let crawl = Arc::new(match outcomes {
            Some(outcomes) => crawl.with_outcomes(outcomes),
            None => crawl,
        });
        self.crawler.begin(&crawl, seeds).await?;
        let watched = self.watched(&crawl);
        telemetry::notify(NotifyState::Ready);
        self.stage.send_replace(Stage::Running);
        let told = async {
            shutdown.await;
            self.stage.send_replace(Stage::Stopping);
        };
        let summary = tokio::select! {
            summary = Arc::clone(&crawl).run(until, told) => summary,
            () = take_orders(&crawl, &self.orders) => unreachable!("it never ends"),
            () = reload_on_hangup(&crawl, hangup, &self.crawler.config, reload, keeps_filter) => unreachable!("it never ends"),
        };
        telemetry::notify(NotifyState::Stopping);
        drop(watched);
        let summary = summary?;
        self.pace.note(Timestamp::now(), summary.visited);
        self.crawler.end().await?;
        Ok(summary)
    }

    /// Sends signs of life and counts measurements, as long as the returned set is held.
    fn watched<F: Frontier, A: Fetch>(&self, crawl: &Arc<Crawl<F, A>>) -> JoinSet<()> {
        let budget = &self.crawler.config.crawl;
        metrics::gauge!("tsrec_memory_budget_bytes").set(budget.memory as f64);
        metrics::gauge!("tsrec_disk_least_free_bytes").set(budget.least_free as f64);
        let mut watched = JoinSet::new();
        watched.spawn(signs_of_life(
            Arc::clone(crawl),
            Arc::clone(&self.crawler.frontier),
            self.crawler.memories.clone(),
            (self.stage.clone(), Arc::clone(&self.pace)),
        ));
        watched.spawn(telemetry::count_samples(self.metrics.clone()));
        watched
    }

    /// Opens archives. The crawl continues where the last one was interrupted.
    pub(super) fn archives(&self, files: &[PathBuf]) -> Result<Archives> {
        let Config { data_dir, fetch, .. } = &self.crawler.config;
        let (most, frontier) = (fetch.max_body_bytes, Arc::clone(&self.crawler.frontier));
        Ok(Archives::open(files, data_dir, most, self.crawler.fetcher.product_token(), frontier)?)
    }

    /// Crawls archives until they are done, or it is asked to stop. It uses no network.
    pub(super) async fn crawl_archives(
        &self,
        archives: &Archives,
        until: Until,
        stop: impl Future<Output = ()>,
    ) -> Result<CrawlSummary> {
        // With a higher limit, pages would only wait in memory.
        let concurrency = self.crawler.config.crawl.concurrency.min(2 * processors() + 2);
        let config = pipeline::Config { concurrency, ..self.crawler.config.crawl.clone() };
        let crawl = self.crawler.crawl_with((Arc::new(archives.clone()), archives.clone()), config, &[]);
        let crawl = Arc::new(crawl.with_clock(archives.clock()));
        let watched = self.watched(&crawl);
        self.stage.send_replace(Stage::Running);
        let summary = crawl.run(until, stop).await;
        drop(watched);
        let archives = archives.clone();
        let closed = tokio::task::spawn_blocking(move || archives.close()).await?;
        let summary = summary?;
        closed.context("how far the archives are done cannot be written down")?;
        Ok(summary)
    }
}

/// The interval of gauge updates.
const GAUGES_EVERY: Duration = Duration::from_secs(5);

/// Updates the gauges, and tells the service manager's watchdog that the crawl goes on, but only
/// while the crawl's loop turns.
async fn signs_of_life<F: Frontier, A: Fetch>(
    crawl: Arc<Crawl<F, A>>,
    frontier: Arc<Embedded>,
    memories: SiteMemories,
    (stage, pace): (watch::Sender<Stage>, Arc<Pace>),
) {
    pace.note(Timestamp::now(), crawl.visited());
    let watchdog = telemetry::watchdog_interval();
    let every = watchdog.map_or(GAUGES_EVERY, |interval| interval.min(GAUGES_EVERY));
    let mut turns = crawl.turns();
    let mut turned_at = std::time::Instant::now();
    loop {
        tokio::time::sleep(every).await;
        crawl.turn();
        pace.note(Timestamp::now(), crawl.visited());
        if crawl.turns() != turns {
            (turns, turned_at) = (crawl.turns(), std::time::Instant::now());
        }
        if watchdog.is_some_and(|interval| turned_at.elapsed() < interval) {
            telemetry::notify(NotifyState::Watchdog);
        }
        let now = crawl.disk_low().map_or(Stage::Running, Stage::DiskLow);
        stage.send_if_modified(|stage| !matches!(stage, Stage::Stopping) && std::mem::replace(stage, now) != now);
        metrics::gauge!("tsrec_disk_low").set(f64::from(u8::from(crawl.disk_low().is_some())));
        metrics::gauge!("tsrec_memory_taken_bytes").set(crawl.memory_taken() as f64);
        store_gauges(&memories);
        if let Ok(stats) = frontier.stats().await {
            metrics::gauge!("tsrec_frontier_queues").set(stats.queues as f64);
            metrics::gauge!("tsrec_frontier_queues_ready").set(stats.due_now as f64);
            metrics::gauge!("tsrec_frontier_oldest_seconds").set(stats.oldest_ready_ms as f64 / 1_000.0);
            metrics::gauge!("tsrec_requests_under_way").set(stats.in_flight as f64);
            let states = [
                ("discovered", stats.discovered),
                ("known", stats.known),
                ("gone", stats.gone),
                ("failed", stats.failed),
                ("given-up", stats.given_up),
                ("skipped", stats.skipped),
                ("quarantined", stats.quarantined),
                ("leased", stats.leased),
                ("waiting", stats.waiting),
            ];
            for (state, count) in states {
                metrics::gauge!("tsrec_frontier_urls", "state" => state).set(count as f64);
            }
        }
    }
}

/// Updates the gauges of the store.
pub(super) fn store_gauges(memories: &SiteMemories) {
    let (store, database) = (memories.store(), memories.store().database());
    if let Some(free) = free_space(database.path()) {
        metrics::gauge!("tsrec_disk_free_bytes").set(free as f64);
    }
    let counts = store.counts();
    metrics::gauge!("tsrec_sites_memory_bytes").set(memories.site_bytes() as f64);
    metrics::gauge!("tsrec_store_pages").set(counts.pages as f64);
    metrics::gauge!("tsrec_store_parked").set(counts.parked as f64);
    metrics::gauge!("tsrec_store_losses").set(counts.losses as f64);
    for consumer in store.consumers().unwrap_or_default() {
        metrics::gauge!("tsrec_feed_behind", "consumer" => consumer.name).set(consumer.behind as f64);
    }
    if let Ok(bytes) = database.size_on_disk() {
        metrics::gauge!("tsrec_store_bytes").set(bytes as f64);
    }
}

/// Signals to a crawl from outside.
pub(super) struct Signals<S, R> {
    /// Ends when the crawl must stop.
    pub(super) stop: S,
    /// Yields on each SIGHUP; `None` if there is no listener.
    pub(super) hangup: Option<Signal>,
    /// Reads the configuration again.
    pub(super) reload: R,
    /// Whether the command line gave the log filter. If so, it overrides the configuration.
    pub(super) keeps_filter: bool,
}

/// The settings that SIGHUP changes. All others need a restart.
const RELOADED: [&str; 2] = ["log.filter", "seeds"];

/// Listens to SIGHUP, which would otherwise end the program. Call it before opening the store,
/// which may take minutes. Signals during that time are handled afterwards.
pub(super) fn hangups() -> Option<Signal> {
    let hangup = signal(SignalKind::hangup());
    hangup
        .inspect_err(
            |error| tracing::warn!(%error, "SIGHUP cannot be listened to; a new configuration needs a restart"),
        )
        .ok()
}

/// Takes in the hosts that operators add, and lets the crawl see new URLs at once. Never ends.
async fn take_orders(crawl: &Crawl<Embedded>, orders: &Orders) {
    loop {
        let seeds = orders.next().await;
        crawl.take_in(&seeds);
        crawl.turn();
    }
}

/// Reads the configuration again on each SIGHUP, and applies what can change while the crawl runs.
/// Never ends.
async fn reload_on_hangup(
    crawl: &Crawl<Embedded>,
    hangup: Option<Signal>,
    started: &Config,
    read: impl Fn() -> Result<Config>,
    keeps_filter: bool,
) {
    let Some(mut hangup) = hangup else { return std::future::pending().await };
    let mut now = started.clone();
    while hangup.recv().await.is_some() {
        telemetry::notify(NotifyState::Reloading);
        match read() {
            Ok(mut new) => {
                if keeps_filter && new.log.filter != started.log.filter {
                    let filter = &new.log.filter;
                    tracing::warn!(filter, "log.filter changes nothing: --log (or TSREC_LOG) was given, and holds");
                }
                if keeps_filter {
                    new.log.filter.clone_from(&started.log.filter);
                } else if let Err(error) = telemetry::change_filter(&new.log.filter) {
                    tracing::error!("{error:#}");
                }
                apply(crawl, started, &now, &new).await;
                now = new;
            }
            Err(error) => tracing::error!("the configuration is not reloaded: {error:#}"),
        }
        telemetry::notify(NotifyState::Ready);
    }
    std::future::pending().await
}

async fn apply(crawl: &Crawl<Embedded>, started: &Config, old: &Config, new: &Config) {
    let is_live = |key: &String| RELOADED.contains(&key.as_str());
    let live: Vec<String> = new.differences(old).into_iter().filter(is_live).collect();
    let later: Vec<String> = new.differences(started).into_iter().filter(|key| !is_live(key)).collect();
    match crawl.seed(&new.seeds).await {
        Ok(put) => tracing::info!(changed = ?live, seeds = put.added, "the configuration is reloaded"),
        Err(error) => tracing::error!(%error, "the new seeds cannot be put into the frontier"),
    }
    let gone: Vec<&str> = old.seeds.iter().filter(|seed| !new.seeds.contains(seed)).map(Url::as_str).collect();
    if !gone.is_empty() {
        tracing::warn!(
            seeds = ?gone,
            "seeds that the configuration has no more stay in the frontier, with what was found from them: `tsrec frontier drop HOST` forgets a host"
        );
    }
    if !later.is_empty() {
        tracing::warn!(settings = ?later, "these settings change with the next start only");
    }
}

/// Ends with the first SIGTERM or SIGINT. The second ends the process at once: durable data stays,
/// and pages in work are repeated later.
pub(super) async fn told_to_stop() {
    /// The exit code that shells report for a program that SIGINT ended.
    const ENDED_BY_SIGNAL: i32 = 130;
    stop_signal().await;
    tokio::spawn(async {
        stop_signal().await;
        tracing::warn!("told to stop a second time: ending at once");
        std::process::exit(ENDED_BY_SIGNAL);
    });
}

async fn stop_signal() {
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(error) => {
            tracing::warn!(%error, "SIGTERM cannot be listened to; SIGINT still stops the crawl");
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
