//! One page of a batch, from its file to its result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::entry::{BatchPage, Unusable};
use super::sites::{SiteTurn, Slot, Slots};
use crate::cli::file_name::file_name;
use crate::cli::output::{Format, OutputShape, ShownExtraction};
use tsrec_core::extract::beside::stated;
use tsrec_core::extract::cascade::from_memory;
use tsrec_core::extract::report::Report;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Extraction, Page};
use tsrec_core::html;
use tsrec_core::html::Limits;
use tsrec_core::html::sniff::not_html;
use tsrec_core::metadata::Stated;
use tsrec_core::template::Site;
use tsrec_papers::registry::Tool;

/// How pages are extracted.
pub(super) struct BatchSettings<'a> {
    pub(super) tool: Tool,
    pub(super) memory: Option<Site>,
    pub(super) limits: &'a Limits,
    pub(super) format: Format,
    pub(super) shape: OutputShape,
    /// The folder that gets a file a page.
    pub(super) folder: Option<PathBuf>,
    pub(super) slots: Slots,
}

/// A page to be extracted, and its turn at its site where that is remembered.
pub(super) struct BatchJob {
    pub(super) entry: Result<BatchPage, Unusable>,
    pub(super) turn: Option<SiteTurn>,
}

/// What came of a page.
pub(super) struct BatchResult {
    pub(super) id: String,
    /// The line that says it; `None` where it was written to a file.
    pub(super) line: Result<Option<String>>,
    pub(super) cost: Cost,
}

/// What a page cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Bytes that were parsed.
    pub(super) bytes: u64,
    /// Processor time from bytes to document.
    pub(super) parse: Duration,
    /// Processor time from bytes to content, parsing included.
    pub(super) extract: Duration,
}

impl BatchResult {
    /// Bytes that it holds while it waits.
    pub(super) fn size(&self) -> usize {
        self.id.len() + self.line.as_ref().map_or(0, |line| line.as_ref().map_or(0, String::len))
    }
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

impl BatchSettings<'_> {
    /// Extracts a page. Whatever is wrong with it is in the result, a failure of the program
    /// included.
    pub(super) fn work(&self, job: BatchJob) -> BatchResult {
        let BatchJob { entry, turn } = job;
        let mut cost = Cost::default();
        let entry = match entry {
            Ok(entry) => entry,
            Err(Unusable { id, why }) => return BatchResult { id, line: Err(why), cost },
        };
        let id = entry.id.clone();
        let line = catch_unwind(AssertUnwindSafe(|| self.page(entry, turn, &mut cost)));
        let line = line.unwrap_or_else(|_| Err(anyhow!("the program failed on this page; please report it")));
        BatchResult { id, line, cost }
    }

    fn page(&self, mut entry: BatchPage, turn: Option<SiteTurn>, cost: &mut Cost) -> Result<Option<String>> {
        let (bytes, charset) = entry.read(self.limits.bytes)?;
        if let Some(what) = not_html(&bytes, charset.as_deref()) {
            bail!("{}: this is no HTML but {what}", entry.name());
        }
        cost.bytes = bytes.len() as u64;
        let mut slot = self.slots.take();
        let began = processor_time();
        let document = html::parse(&bytes, charset.as_deref(), self.limits);
        drop(bytes);
        cost.parse = processor_time() - began;
        let page = Page::new(&document).at(entry.url.as_ref());
        let (extraction, siblings) = self.extract(&page, turn, &mut slot)?;
        let name = entry.name();
        let report = Report {
            name: &name,
            url: entry.url.as_ref(),
            page: &page,
            extraction: &extraction,
            explain: false,
            siblings: &siblings,
        };
        let shown = ShownExtraction { report, with: &[], shape: self.shape };
        let content = shown.content(self.format);
        cost.extract = processor_time() - began;
        match &self.folder {
            Some(folder) => self.write(folder, &entry.id, &report, content).map(|()| None),
            None => self.line(&entry, &report, content).map(Some),
        }
    }

    fn extract(&self, page: &Page<'_>, turn: Option<SiteTurn>, slot: &mut Slot<'_>) -> Result<(Extraction, Stated)> {
        let Some(turn) = turn else {
            let extractor = self.tool.extractor(Vec::new(), self.memory.as_ref());
            let extraction = extractor.context("the method needs a sibling")?.extract(page);
            return Ok((extraction, self.memory.as_ref().map(Site::stated).unwrap_or_default()));
        };
        let reading = Scored::shipped().read(page);
        let (known, siblings) = turn.learn(reading.memory(), &stated(std::iter::once(page)), slot);
        Ok((from_memory(&reading, &known).unwrap_or_else(|| reading.extract()), siblings))
    }

    fn write(&self, folder: &Path, id: &str, report: &Report<'_>, content: String) -> Result<()> {
        let path = folder.join(file_name(id, self.format.ending()));
        let content = match self.format {
            Format::Json => serde_json::to_string_pretty(&report.json())?,
            _ => content,
        };
        std::fs::write(&path, content + "\n").with_context(|| format!("{} cannot be written", path.display()))
    }

    fn line(&self, entry: &BatchPage, report: &Report<'_>, content: String) -> Result<String> {
        let mut line = match self.format {
            Format::Json => report.json(),
            _ => report.fields(),
        };
        line["id"] = json!(entry.id);
        line["site"] = json!(entry.site_name());
        if self.format != Format::Json {
            line[self.format.field()] = Value::String(content);
        }
        Ok(serde_json::to_string(&line)?)
    }
}
