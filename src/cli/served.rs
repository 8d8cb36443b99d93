//! The API of a process that owns a data directory: the crawl, or the service alone.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use url::Url;

use crate::config::Config;
use tsrec_crawl::fetch::product_token;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_server::http;
use tsrec_server::http::{Api, Listen, Pace, address};

/// The state that `/readyz` reports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Starting,
    Running,
    /// The disk has only this many free bytes: nothing is fetched.
    DiskLow(u64),
    Stopping,
}

/// The running API. It ends when this is dropped or [closed](Self::close).
pub(super) struct Served {
    pub(super) address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<std::io::Result<()>>,
    _published: address::Published,
}

/// Hosts that operators take into a crawl, until the crawl hears of them.
#[derive(Default)]
pub(super) struct Orders {
    seeds: Mutex<Vec<Url>>,
    come: Notify,
}

impl Orders {
    fn add(&self, seeds: &[Url]) {
        self.seeds.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(seeds);
        self.come.notify_one();
    }

    /// Waits for an order, and returns a URL of each host that is taken in.
    pub(super) async fn next(&self) -> Vec<Url> {
        self.come.notified().await;
        std::mem::take(&mut *self.seeds.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the API serves.
pub(super) struct ServedParts<'c> {
    pub(super) config: &'c Config,
    pub(super) memories: SiteMemories,
    pub(super) frontier: Arc<Embedded>,
    /// Whether a crawl uses the frontier.
    pub(super) is_crawling: bool,
    /// What operators add to the crawl.
    pub(super) orders: Arc<Orders>,
    pub(super) metrics: PrometheusHandle,
    pub(super) pace: Arc<Pace>,
    pub(super) stage: watch::Receiver<Stage>,
}

/// Serves the API, if the configuration enables it, and writes its address where the other
/// commands look.
pub(super) async fn serve(parts: ServedParts<'_>) -> Result<Option<Served>> {
    let ServedParts { config, memories, frontier, is_crawling, orders, metrics, pace, stage } = parts;
    let told = Arc::clone(&orders);
    let Listen::Addr(wanted) = config.http.listen else { return Ok(None) };
    let token = config.http.token()?;
    let listener = TcpListener::bind(wanted)
        .await
        .with_context(|| format!("cannot listen on {wanted}: choose another address with --listen"))?;
    let address = listener.local_addr()?;
    let published = address::publish(&config.data_dir, address, token.as_ref())?;
    let (stop, mut stopped) = watch::channel(false);
    let api = Api {
        memories,
        frontier: Some(frontier),
        ready: Arc::new(move || match *stage.borrow() {
            Stage::Starting => Err("the daemon starts".to_owned()),
            Stage::Running => Ok("ready".to_owned()),
            Stage::DiskLow(free) => Ok(format!("ready; nothing is fetched: the disk has {free} bytes free")),
            Stage::Stopping => Err("the daemon stops".to_owned()),
        }),
        metrics: Arc::new(move || metrics.render()),
        pace,
        is_crawling,
        seeded: Arc::new(move |seeds| orders.add(seeds)),
        added: Arc::new(move || told.come.notify_one()),
        limits: config.html.clone(),
        favor: config.extract.favor,
        product_token: config.user_agent.as_deref().and_then(|agent| product_token(agent).ok()),
        token,
        config: config.http.clone(),
    };
    let shutdown = async move {
        // If the sender is gone, stop too.
        let _ = stopped.wait_for(|&stop| stop).await;
    };
    let task = tokio::spawn(http::serve(listener, api, shutdown));
    tracing::info!(%address, "the API is served");
    Ok(Some(Served { address, stop, task, _published: published }))
}

impl Served {
    /// Stops serving, and waits for the current answers.
    pub(super) async fn close(self) -> Result<()> {
        self.stop.send_replace(true);
        self.task.await??;
        Ok(())
    }
}
