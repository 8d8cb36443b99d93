//! What the process says of itself: log lines, metrics, and word to the service manager.

use std::time::Duration;

use anyhow::{Context, Result};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use sd_notify::NotifyState;
use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Starts logging to standard error. Later calls in one process change nothing.
pub(super) fn start_logging(filter: &str, format: LogFormat) -> Result<()> {
    let filter = EnvFilter::try_new(filter).with_context(|| {
        format!("log filter {filter:?} is no level (error, warn, info, debug, trace) nor directives")
    })?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let _ = match format {
        LogFormat::Human => subscriber.try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    };
    Ok(())
}

/// Buckets of the extraction histogram, in seconds. Judgement: pages take 1 to 20 ms, hostile ones up to a second.
const EXTRACT_BUCKETS: [f64; 8] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0];

/// Starts collecting metrics, with a description of each.
pub(super) fn start_metrics() -> Result<PrometheusHandle> {
    let handle = PrometheusBuilder::new().set_buckets(&EXTRACT_BUCKETS)?.install_recorder()?;
    metrics::describe_counter!("tsrec_pages_total", "Pages visited, by what became of them");
    metrics::describe_counter!("tsrec_extractions_total", "Pages stored, by the method that found their content");
    metrics::describe_histogram!("tsrec_extract_seconds", metrics::Unit::Seconds, "Time to extract a page");
    metrics::describe_gauge!("tsrec_store_pages", "Pages in the store");
    metrics::describe_gauge!("tsrec_store_parked", "Pages that wait for a sibling");
    metrics::describe_gauge!("tsrec_store_bytes", metrics::Unit::Bytes, "Size of the data directory's database");
    metrics::describe_gauge!("tsrec_frontier_urls", "URLs in the frontier, by state");
    metrics::describe_gauge!("tsrec_frontier_queues", "Queues in the frontier");
    Ok(handle)
}

/// Tells the service manager, if there is one.
pub(super) fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}

/// How often the service manager wants a sign of life, if it does: half of its deadline.
pub(super) fn watchdog_interval() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|deadline| deadline / 2)
}
