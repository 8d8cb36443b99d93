//! The pages of a batch, one by one: their location, and the data that the input gives.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use url::Url;

use super::archive::{self, Skipped};
use super::{folder, list};
use crate::cli::file_name::{file_name, of_url};
use tsrec_core::pairing;
use tsrec_terminal::input::page_in;

/// A page to extract.
#[derive(Debug)]
pub(super) struct BatchPage {
    /// Its name.
    pub(super) id: String,
    /// Whether the input gives the name. If it does not, its output file is named by its URL.
    pub(super) is_named: bool,
    pub(super) url: Option<Url>,
    /// The page's site according to the input.
    pub(super) site: Option<String>,
    pub(super) body: PageBytes,
}

/// The location of a page's bytes.
#[derive(Debug)]
pub(super) enum PageBytes {
    /// In a file, plain or gzip.
    File(PathBuf),
    /// In memory, with their charset if known.
    Bytes(Vec<u8>, Option<String>),
}

/// A page that the input names but that cannot be read: its name, and the reason.
#[derive(Debug)]
pub(super) struct Unusable {
    pub(super) id: String,
    pub(super) why: anyhow::Error,
}

/// The pages of an input, in its order.
pub(super) struct BatchSource {
    entries: Box<dyn Iterator<Item = Result<BatchPage, Unusable>> + Send>,
    share: ReadProgress,
    skipped: Skipped,
}

/// How much of an input has been read.
#[derive(Clone, Debug)]
pub(super) struct ReadProgress {
    read: Arc<AtomicU64>,
    /// `None` if unknown.
    all: Option<u64>,
}

impl ReadProgress {
    pub(super) fn new(all: Option<u64>) -> ReadProgress {
        ReadProgress { read: Arc::default(), all }
    }

    pub(super) fn add(&self, more: u64) {
        self.read.fetch_add(more, Ordering::Relaxed);
    }

    /// From 0 to 1.
    pub(super) fn done(&self) -> Option<f64> {
        self.all.filter(|all| *all > 0).map(|all| self.read.load(Ordering::Relaxed) as f64 / all as f64)
    }
}

/// Number of first bytes that show whether a file is a list.
const HEAD: u64 = 4096;

impl BatchSource {
    /// Opens a folder, an archive, a list, or standard input. It reads at most `most` bytes of a
    /// page in an archive.
    pub(super) fn open(path: &Path, most: usize) -> Result<BatchSource> {
        let skipped = Skipped::default();
        if path == Path::new("-") {
            let share = ReadProgress::new(None);
            return Ok(BatchSource { entries: Box::new(list::lines(std::io::stdin(), share.clone())), share, skipped });
        }
        if path.is_dir() {
            let entries = folder::pages(path)?;
            let share = ReadProgress::new(Some(entries.len() as u64));
            let counted = share.clone();
            return Ok(BatchSource {
                entries: Box::new(entries.into_iter().inspect(move |_| counted.add(1)).map(Ok)),
                share,
                skipped,
            });
        }
        let cannot = || {
            format!("{} cannot be read: --batch takes a list of pages, a folder, a web archive, or -", path.display())
        };
        let mut file = File::open(path).with_context(cannot)?;
        let length = file.seek(SeekFrom::End(0)).and_then(|length| file.rewind().map(|()| length));
        let share = ReadProgress::new(length.ok());
        if archive::is_archive(path) {
            let entries = Box::new(archive::pages(path, most, share.clone(), skipped.clone())?);
            return Ok(BatchSource { entries, share, skipped });
        }
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head).with_context(cannot)?;
        if let Some(what) = list::is_none(&head) {
            bail!("{} is no list of pages but {what}: one page is extracted without --batch", path.display());
        }
        let entries: Box<dyn Iterator<Item = _> + Send> =
            Box::new(list::lines(std::io::Cursor::new(head).chain(file), share.clone()));
        Ok(BatchSource { entries, share, skipped })
    }

    /// The skipped records.
    pub(super) fn skipped(&self) -> Skipped {
        self.skipped.clone()
    }

    pub(super) fn share(&self) -> ReadProgress {
        self.share.clone()
    }
}

impl Iterator for BatchSource {
    type Item = Result<BatchPage, Unusable>;

    fn next(&mut self) -> Option<Self::Item> {
        self.entries.next()
    }
}

impl BatchPage {
    /// The page's name for people.
    pub(super) fn name(&self) -> String {
        match &self.body {
            PageBytes::File(path) => path.display().to_string(),
            PageBytes::Bytes(..) => self.id.clone(),
        }
    }

    /// The site whose memory the page uses: the named site, or its URL's registrable domain.
    pub(super) fn site_name(&self) -> Option<String> {
        self.site.clone().or_else(|| self.url.as_ref().and_then(pairing::registrable_domain))
    }

    /// Its output file below a folder.
    pub(super) fn file(&self, ending: &str) -> PathBuf {
        match self.url.as_ref().filter(|_| !self.is_named) {
            Some(url) => of_url(url, ending),
            None => file_name(&self.id, ending).into(),
        }
    }

    /// The page's bytes, unpacked, at most `most` and one.
    pub(super) fn read(&mut self, most: usize) -> Result<(Vec<u8>, Option<String>)> {
        let path = match &mut self.body {
            PageBytes::Bytes(bytes, charset) => return Ok((std::mem::take(bytes), charset.take())),
            PageBytes::File(path) => &*path,
        };
        Ok((page_in(path, &path.display().to_string(), most)?, None))
    }
}
