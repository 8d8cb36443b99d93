//! `tsrec serve`: the API without a crawl, for crawlers of others.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use sd_notify::NotifyState;
use tokio::sync::watch;

use super::daemon::{store_gauges, told_to_stop};
use super::log_pipe::LogPipe;
use super::served::{ServedParts, Stage};
use super::{loss, served, telemetry};
use crate::config;
use crate::config::Config;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_server::http::Listen;
use tsrec_store::{Database, Store, maintenance};

/// Arguments of `tsrec serve`. Flags override the configuration.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The configuration file. Missing keys keep their defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder of the store, as for tsrec crawl [default: data]. One process at a time may use
    /// it.
    #[arg(long, value_name = "DIR", env = "TSREC_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// The address of the HTTP API [default: 127.0.0.1:7717].
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
}

/// The interval of gauge updates and signs of life. Judgement: as for a crawl.
const EVERY: Duration = Duration::from_secs(5);

/// How long the end of the program waits for threads that still work on pages.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

impl Args {
    /// The configuration, with the flags applied.
    fn configuration(&self) -> Result<Config> {
        let mut config = self.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
        if let Some(data_dir) = &self.data_dir {
            config.data_dir.clone_from(data_dir);
        }
        if let Some(listen) = self.listen {
            config.http.listen = listen;
        }
        if config.http.listen == Listen::None {
            return Err(
                config::Error::new("listen is none: tsrec serve needs an address, such as 127.0.0.1:7717").into()
            );
        }
        config.check()?;
        config.check_files()?;
        Ok(config)
    }
}

pub(super) fn run(args: &Args, log: Option<&str>) -> Result<()> {
    let config = args.configuration()?;
    // Dropped last: all that is said goes through it.
    let _log = LogPipe::start()?;
    telemetry::start_logging(log.unwrap_or(&config.log.filter), config.log.format)?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime cannot be started")?;
    let done = runtime.block_on(serve(&config));
    runtime.shutdown_timeout(LAST_PATIENCE);
    done
}

async fn serve(config: &Config) -> Result<()> {
    let dir = &config.data_dir;
    maintenance::make_private(dir).with_context(|| format!("data directory {} cannot be made", dir.display()))?;
    let database = Database::open(dir, &config.store.of_store())?;
    loss::report(database.recovery());
    let verification = database.verify_in_background()?;
    let frontier = Arc::new(Embedded::new(&database, &config.frontier)?);
    let memories = SiteMemories::over(&Store::new(&database), config.store.of_memories());
    let metrics = telemetry::start_metrics()?;
    let stage = watch::Sender::new(Stage::Running);
    let parts = ServedParts {
        config,
        memories: memories.clone(),
        frontier,
        is_crawling: false,
        orders: Arc::default(),
        metrics: metrics.clone(),
        pace: Arc::default(),
        stage: stage.subscribe(),
    };
    let served = served::serve(parts).await?;
    telemetry::notify(NotifyState::Ready);
    let counted = tokio::spawn(telemetry::count_samples(metrics));
    let mut stop = std::pin::pin!(told_to_stop());
    let every = telemetry::watchdog_interval().map_or(EVERY, |interval| interval.min(EVERY));
    while tokio::time::timeout(every, stop.as_mut()).await.is_err() {
        telemetry::notify(NotifyState::Watchdog);
        store_gauges(&memories);
    }
    drop(verification);
    stage.send_replace(Stage::Stopping);
    telemetry::notify(NotifyState::Stopping);
    if let Some(served) = served {
        served.close().await?;
    }
    counted.abort();
    tokio::task::spawn_blocking(move || memories.save_sites().and_then(|()| database.durable())).await??;
    Ok(())
}
