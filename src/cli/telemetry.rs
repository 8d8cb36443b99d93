//! Output about the process itself: log lines, metrics, and messages to the service manager.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Result;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use sd_notify::NotifyState;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, reload};

use crate::config::{FILTERS, LogFormat, parse_filter};
use tsrec_core::html::printable;
use tsrec_terminal::progress;

/// Changes the filter of the running process.
static FILTER: OnceLock<reload::Handle<EnvFilter, Registry>> = OnceLock::new();

/// Whether standard error gets colours: on a terminal, unless `NO_COLOR` is set to anything
/// (no-color.org).
fn has_colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes each event as one line without control characters. Servers choose much of what is logged.
/// The formatter escapes ESC itself, so the sequences that are left are its colours.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    /// The formatter writes an event at once.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let mut line = String::with_capacity(text.len() + 1);
        for (at, part) in text.trim_end().split('\u{1b}').enumerate() {
            let colour = part.find('m').filter(|end| at > 0 && is_colour(&part[..*end]));
            let (colour, part) = part.split_at(colour.map_or(0, |end| end + 1));
            if !colour.is_empty() {
                line.push('\u{1b}');
            }
            line.push_str(colour);
            line.push_str(&printable(part).replace('\n', " "));
        }
        line.push('\n');
        self.0.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether a sequence without its ESC and its end sets a colour or a weight.
fn is_colour(sequence: &str) -> bool {
    let numbers = sequence.strip_prefix('[');
    numbers.is_some_and(|numbers| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'))
}

/// Starts logging to standard error, with colours on a terminal only. Later calls in one process
/// have no effect.
pub(super) fn start_logging(filter: &str, format: LogFormat) -> Result<()> {
    let (filter, handle) = reload::Layer::new(parse_filter(filter)?);
    let lines = tracing_subscriber::fmt::layer().with_writer(|| OneLine(progress::stderr())).with_ansi(has_colours());
    let registry = tracing_subscriber::registry().with(filter);
    let started = match format {
        LogFormat::Human => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
    if started.is_ok() {
        let _ = FILTER.set(handle);
    }
    Ok(())
}

/// Changes the log filter.
pub(super) fn change_filter(filter: &str) -> Result<()> {
    let filter = parse_filter(filter)?;
    match FILTER.get() {
        Some(handle) => Ok(handle.reload(filter)?),
        None => Ok(()),
    }
}

/// A log filter on the command line.
pub(super) fn filter(given: &str) -> Result<String, String> {
    parse_filter(given).map(|_| given.to_owned()).map_err(|error| format!("{FILTERS}: {error}"))
}

/// Buckets of the extraction histogram, in seconds. Judgement: pages take 1 to 20 ms, hostile ones
/// up to a second.
const EXTRACT_BUCKETS: [f64; 8] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0];
/// Buckets of the fetch histogram, in seconds. Judgement: pages take 0.05 to 2 s, and at most what
/// the client allows.
const FETCH_BUCKETS: [f64; 8] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 30.0];

/// Buckets of the histogram of the wait for the disk, in seconds. Judgement: a flush shared by
/// several pages takes some ten milliseconds on an idle disk, and seconds on a busy one. Twice the
/// last value means a disk that stands still.
const DURABLE_BUCKETS: [f64; 12] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0];

/// Buckets of the histogram of confidence.
const CONFIDENCE_BUCKETS: [f64; 8] = [0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0];

/// The recorder of metrics, with the buckets of each histogram.
fn recorder() -> Result<PrometheusBuilder> {
    let own: [(&str, &[f64]); 3] = [
        ("tsrec_fetch_seconds", &FETCH_BUCKETS),
        ("tsrec_durable_seconds", &DURABLE_BUCKETS),
        ("tsrec_confidence", &CONFIDENCE_BUCKETS),
    ];
    let builder = PrometheusBuilder::new().set_buckets(&EXTRACT_BUCKETS)?;
    own.into_iter().try_fold(builder, |builder, (name, buckets)| {
        Ok(builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)?)
    })
}

/// Starts collecting metrics, with a description of each. `METRICS.md` has them, too.
pub(super) fn start_metrics() -> Result<PrometheusHandle> {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    let handle = recorder()?.install_recorder()?;
    describe_counter!("tsrec_pages_total", "Pages visited, by what became of them");
    describe_counter!("tsrec_answers_total", "Requests for pages, by what came back");
    describe_counter!("tsrec_fetched_bytes_total", Unit::Bytes, "Bodies of pages, decoded");
    describe_histogram!("tsrec_fetch_seconds", Unit::Seconds, "Time of a request for a page, robots.txt included");
    describe_counter!("tsrec_extractions_total", "Pages stored, by the method that found their content");
    describe_histogram!("tsrec_confidence", "How sure extractions are, from 0 to 1");
    describe_counter!("tsrec_gates_total", "Gates that comparisons with siblings had to pass, by gate and outcome");
    describe_counter!("tsrec_extracted_again_total", "Pages extracted again when their sibling came");
    describe_histogram!("tsrec_parse_seconds", Unit::Seconds, "Time to parse a page and read its links");
    describe_histogram!("tsrec_extract_seconds", Unit::Seconds, "Time to extract a page");
    describe_histogram!("tsrec_durable_seconds", Unit::Seconds, "Time until a page that is written is on the disk");
    describe_counter!("tsrec_links_refused_total", "Links not taken into the frontier, by why");
    describe_counter!("tsrec_links_left_total", "Links not offered to the frontier, by why");
    describe_counter!("tsrec_links_cut_total", "Pages and listings with more links than are read");
    describe_counter!(
        "tsrec_links_trapped_total",
        "Links not taken into the frontier: their like were copies of each other"
    );
    describe_counter!("tsrec_pages_abandoned_total", "Pages that took too much processor time");
    describe_counter!("tsrec_log_lines_dropped_total", "Lines of the log that nobody read in time");
    describe_counter!("tsrec_templates_total", "Templates of sites, by what became of them");
    describe_counter!("tsrec_frontier_forgotten_total", "URLs that were given up or skipped long ago, and forgotten");
    describe_counter!("tsrec_service_pages_total", "Posted pages, by what became of them");
    describe_histogram!("tsrec_service_seconds", Unit::Seconds, "Time to extract a posted page");
    describe_counter!("tsrec_service_refused_total", "Requests for extraction that found no room");
    describe_gauge!("tsrec_sites_memory_bytes", Unit::Bytes, "Memory for sites that are remembered");
    describe_gauge!("tsrec_store_pages", "Pages in the store");
    describe_gauge!("tsrec_store_parked", "Bodies kept for pages that wait for a sibling or are in quarantine");
    describe_gauge!("tsrec_store_bytes", Unit::Bytes, "Size of the data directory's database");
    describe_gauge!(
        "tsrec_store_losses",
        "Times that opening the store found something lost, until somebody acknowledges it"
    );
    describe_gauge!("tsrec_feed_behind", "Sequence numbers that a consumer of the feed is behind");
    describe_gauge!("tsrec_disk_free_bytes", Unit::Bytes, "Free on the disk of the data directory");
    describe_gauge!("tsrec_disk_low", "1 while nothing is fetched, since the disk runs low");
    describe_gauge!("tsrec_disk_least_free_bytes", Unit::Bytes, "With fewer free nothing is fetched");
    describe_gauge!("tsrec_memory_budget_bytes", Unit::Bytes, "What pages in flight may take");
    describe_gauge!("tsrec_memory_taken_bytes", Unit::Bytes, "Taken of crawl.memory by pages in flight");
    describe_gauge!("tsrec_frontier_urls", "URLs in the frontier, by state");
    describe_gauge!("tsrec_frontier_queues", "Hosts in the frontier");
    describe_gauge!("tsrec_frontier_queues_ready", "Hosts that could be asked at this moment");
    describe_gauge!(
        "tsrec_frontier_oldest_seconds",
        Unit::Seconds,
        "For how long the host has been ready that was not asked for longest"
    );
    describe_gauge!("tsrec_requests_under_way", "Requests for pages under way");
    Ok(handle)
}

/// How often histogram samples are counted. Judgement: a busy daemon takes some thousands in that
/// time, eight bytes each.
const COUNT_EVERY: Duration = Duration::from_secs(5);

/// Counts the samples of histograms. Otherwise each sample would stay in memory until a client
/// reads the metrics. Never ends.
pub(super) async fn count_samples(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(COUNT_EVERY).await;
        metrics.run_upkeep();
    }
}

/// Notifies the service manager, if there is one.
pub(super) fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}

/// How often the service manager needs a sign of life, if it does: half of its deadline.
pub(super) fn watchdog_interval() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|deadline| deadline / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_that_commands_no_terminal() {
        for (event, expect) in [
            ("INFO a page\n", "INFO a page\n"),
            (
                "\u{1b}[2m10:00\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m x\n",
                "\u{1b}[2m10:00\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m x\n",
            ),
            ("a\u{9b}31mb\u{85}c\u{90}d\n", "a31mb cd\n"),
            ("a\u{1b}]0;title\u{7}b\u{1b}[2Jc\u{1b}\n", "a]0;titleb[2Jc\n"),
            ("one\nERROR two\r\nthree\n", "one ERROR two three\n"),
            ("a\u{202e}b\u{2066}c\u{7f}\0\n", "abc\n"),
        ] {
            let mut written = Vec::new();
            OneLine(&mut written).write_all(event.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), expect, "{event:?}");
        }
    }

    /// The bound of a sample's bucket; `+Inf` is past the last.
    fn bucket_of(histogram: fn() -> metrics::Histogram, seconds: f64) -> String {
        let recorder = recorder().unwrap().build_recorder();
        metrics::with_local_recorder(&recorder, || histogram().record(seconds));
        let text = recorder.handle().render();
        let mut buckets = text.lines().filter_map(|line| line.split_once("_bucket{le=\"")?.1.split_once("\"} "));
        buckets.find(|(_, count)| *count == "1").map(|(bound, _)| bound.to_owned()).unwrap()
    }

    #[test]
    fn what_takes_long_falls_into_a_bucket_that_says_how_long() {
        let durable = || metrics::histogram!("tsrec_durable_seconds");
        let extract = || metrics::histogram!("tsrec_extract_seconds");
        for (histogram, seconds, expect) in [
            (durable as fn() -> metrics::Histogram, 0.003, "0.005"),
            (durable, 1.3, "2"),
            (durable, 7.0, "10"),
            (extract, 0.7, "1"),
        ] {
            assert_eq!(bucket_of(histogram, seconds), expect, "{seconds} s");
        }
    }

    /// The resident memory of this process, in bytes.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
    }

    #[tokio::test(start_paused = true)]
    async fn samples_are_counted_though_nobody_asks_for_the_metrics() {
        const ROUNDS: u64 = 32;
        const SAMPLES: u64 = 2_000_000;
        let recorder = recorder().unwrap().build_recorder();
        let (metrics, before) = (recorder.handle(), resident());
        let counting = tokio::spawn(count_samples(metrics.clone()));
        let histogram = metrics::with_local_recorder(&recorder, || metrics::histogram!("tsrec_parse_seconds"));
        for _ in 0..ROUNDS {
            (0..SAMPLES).for_each(|_| histogram.record(0.003));
            tokio::time::sleep(COUNT_EVERY * 2).await;
        }
        // If they were kept, they would take half a gigabyte. Other tests run at the same time.
        let grown = resident().saturating_sub(before);
        assert!(grown < ROUNDS * SAMPLES * 8 / 2, "{grown} bytes more for {} samples", ROUNDS * SAMPLES);
        assert!(metrics.render().contains(&format!("tsrec_parse_seconds_count {}", ROUNDS * SAMPLES)), "none is lost");
        counting.abort();
    }
}
