//! Processes one page of a batch, from its file to its result.

use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use rustc_hash::FxBuildHasher;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use super::entry::{BatchPage, Unusable};
use super::sites::{SiteTurn, Slots};
use crate::cli::filter::FilterTraits;
use crate::cli::output::{Format, OutputShape, ShownExtraction};
use tsrec_core::extract::{Extract, Extractor};
use tsrec_core::html;
use tsrec_core::html::Limits;
use tsrec_core::html::sniff::not_html;
use tsrec_core::template::Site;
use tsrec_core::words::simhash::simhash;
use tsrec_server::http::line;

/// The settings of the extraction.
pub(super) struct BatchSettings<'a> {
    pub(super) method: Box<dyn Extractor>,
    pub(super) memory: Option<Site>,
    pub(super) limits: &'a Limits,
    pub(super) format: Format,
    pub(super) shape: OutputShape,
    /// The folder that gets one file per page.
    pub(super) folder: Option<PathBuf>,
    pub(super) slots: Slots,
    /// Whether pages may be dropped for what they are.
    pub(super) has_filter: bool,
}

/// A page to extract, and its turn at its site if the site has a memory.
pub(super) struct BatchJob {
    pub(super) entry: Result<BatchPage, Unusable>,
    pub(super) turn: Option<SiteTurn>,
}

/// The result for a page.
pub(super) struct BatchResult {
    pub(super) id: String,
    /// Its output file, below the folder for such files, and its URL.
    pub(super) file: Option<(PathBuf, Option<String>)>,
    /// The output line; `None` if the result was written to a file.
    pub(super) line: Result<Option<String>>,
    /// What the filter reads, if there is one.
    pub(super) traits: Option<FilterTraits>,
    pub(super) cost: Cost,
}

/// The cost of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Number of parsed bytes.
    pub(super) bytes: u64,
    /// Processor time from bytes to document.
    pub(super) parse: Duration,
    /// Processor time from bytes to content, parsing included.
    pub(super) extract: Duration,
}

impl BatchResult {
    /// Its size in bytes while it waits.
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
    /// Extracts a page. Every error of the page is in the result, a panic included.
    pub(super) fn work(&self, job: BatchJob) -> BatchResult {
        let BatchJob { entry, turn } = job;
        let mut cost = Cost::default();
        let entry = match entry {
            Ok(entry) => entry,
            Err(Unusable { id, why }) => return BatchResult { id, file: None, line: Err(why), traits: None, cost },
        };
        let id = entry.id.clone();
        let address = || entry.url.as_ref().map(ToString::to_string);
        let file = self.folder.as_ref().map(|_| (entry.file(self.format.ending()), address()));
        let mut traits = None;
        let line = catch_unwind(AssertUnwindSafe(|| self.page(entry, turn, (&mut cost, &mut traits))));
        let line = line.unwrap_or_else(|_| Err(anyhow!("the program failed on this page; please report it")));
        BatchResult { id, file, line, traits, cost }
    }

    fn page(
        &self,
        mut entry: BatchPage,
        turn: Option<SiteTurn>,
        (cost, traits): (&mut Cost, &mut Option<FilterTraits>),
    ) -> Result<Option<String>> {
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
        let mut request = Extract::new(&document).name(entry.name()).method(&*self.method);
        if let Some(url) = &entry.url {
            request = request.url(url);
        }
        request = match (turn, &self.memory) {
            (Some(turn), _) => request.site_by(|page, memory| turn.learn(page, memory, &mut slot)),
            (None, Some(site)) => request.site(site),
            (None, None) => request,
        };
        let found = request.run()?;
        let shown = ShownExtraction { found: &found, with: &[], shape: self.shape };
        // JSON has the text among its fields.
        let content = (self.format != Format::Json).then(|| shown.content(self.format));
        if self.has_filter {
            *traits = Some(FilterTraits {
                language: found.described().metadata.language.clone(),
                simhash: simhash(&found.text()),
                id: FxBuildHasher.hash_one(&entry.id),
            });
        }
        cost.extract = processor_time() - began;
        match &self.folder {
            Some(folder) => self.write(folder, &entry.file(self.format.ending()), &shown, content).map(|()| None),
            None => self.line(&entry, &shown, content).map(Some),
        }
    }

    /// Removes the file of a page that is dropped after all.
    pub(super) fn remove(&self, done: &BatchResult) -> Result<()> {
        let (Some(folder), Some((file, _))) = (&self.folder, &done.file) else { return Ok(()) };
        let path = folder.join(file);
        std::fs::remove_file(&path).with_context(|| format!("{} cannot be removed", path.display()))
    }

    fn write(&self, folder: &Path, file: &Path, shown: &ShownExtraction<'_>, content: Option<String>) -> Result<()> {
        let path = folder.join(file);
        let folder = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let content = match content {
            None => serde_json::to_string_pretty(&shown.json())?,
            Some(content) => content,
        };
        std::fs::write(&path, content + "\n").with_context(|| format!("{} cannot be written", path.display()))
    }

    fn line(&self, entry: &BatchPage, shown: &ShownExtraction<'_>, content: Option<String>) -> Result<String> {
        let site = entry.site_name();
        let line = match content {
            None => {
                let mut line = shown.json();
                line["id"] = json!(entry.id);
                line["site"] = json!(site);
                line
            }
            Some(content) => line(shown.found, Some(&entry.id), site.as_deref(), (self.format.field(), content)),
        };
        Ok(serde_json::to_string(&line)?)
    }
}
