//! The statistics of a batch.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::archive::Skipped;
use super::work::{BatchResult, Cost};
use tsrec_core::words::number_of;
use tsrec_terminal::json::json_line;

/// Counts of pages, and their cost.
pub(super) struct BatchStats {
    /// Extracted pages.
    pub(super) pages: u64,
    /// Failed pages.
    pub(super) errors: u64,
    skipped: Skipped,
    cost: Cost,
    jobs: usize,
    began: Instant,
}

impl BatchStats {
    pub(super) fn new(jobs: usize, skipped: Skipped) -> BatchStats {
        BatchStats { pages: 0, errors: 0, skipped, cost: Cost::default(), jobs, began: Instant::now() }
    }

    pub(super) fn add(&mut self, done: &BatchResult) {
        match done.line {
            Ok(_) => self.pages += 1,
            Err(_) => self.errors += 1,
        }
        let Cost { bytes, parse, extract } = done.cost;
        self.cost.bytes += bytes;
        self.cost.parse += parse;
        self.cost.extract += extract;
    }

    /// The time since the start.
    pub(super) fn time(&self) -> Duration {
        self.began.elapsed()
    }

    /// Prints the statistics on standard error, for a machine or a person.
    pub(super) fn tell(&self, machine: bool) -> Result<()> {
        let BatchStats { pages, errors, cost: Cost { bytes, parse, extract }, jobs, .. } = self;
        let skipped = self.skipped.counts();
        let wall = self.time().as_secs_f64();
        let mut err = std::io::stderr().lock();
        if machine {
            return json_line(
                &mut err,
                &json!({
                    "pages": pages,
                    "errors": errors,
                    "skipped": skipped,
                    "bytes": bytes,
                    "parse_seconds": parse.as_secs_f64(),
                    "extract_seconds": extract.as_secs_f64(),
                    "wall_seconds": wall,
                    "jobs": jobs,
                    "peak_rss_bytes": peak_rss_bytes(),
                }),
            );
        }
        let failed = if *errors == 0 { String::new() } else { format!(", {errors} could not be extracted") };
        let passed_over: Vec<String> = skipped.iter().map(|(why, count)| format!("{count} by {why}")).collect();
        let passed_over = match passed_over.is_empty() {
            true => String::new(),
            false => format!(", passed over {}", passed_over.join(", ")),
        };
        writeln!(err, "tsrec: {} in {wall:.1} s{failed}{passed_over}", number_of(pages, "page"))?;
        Ok(())
    }
}

/// This process's peak memory, if the system reports it (Linux).
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
