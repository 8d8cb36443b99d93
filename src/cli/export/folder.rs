//! Records as a folder of Markdown.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use url::Url;

use super::RecordSink;
use crate::cli::file_name;
use crate::cli::page_index::PageIndex;
use tsrec_core::render::Along;
use tsrec_store::PageRecord;
use tsrec_terminal::whole_file;

/// A folder with one subfolder per host, folders as the site has them, and one file per page.
pub(super) struct Folder {
    root: PathBuf,
    index: PageIndex,
}

impl Folder {
    pub(super) fn open(root: &Path) -> Result<Folder> {
        let is_none = root.is_file() || whole_file::is_stream(root);
        ensure!(!is_none, "{} is no folder: --format markdown-dir wants one, such as pages", root.display());
        std::fs::create_dir_all(root).with_context(|| format!("{} cannot be made", root.display()))?;
        Ok(Folder { root: root.to_owned(), index: PageIndex::open(root)? })
    }

    /// The file of a page, below the root.
    fn file(&self, url: &str) -> Result<PathBuf> {
        let url = Url::parse(url).with_context(|| format!("{url:?} is no URL"))?;
        Ok(file_name::of_url(&url, "md"))
    }
}

impl RecordSink for Folder {
    fn put(&mut self, record: PageRecord) -> Result<()> {
        let file = self.file(&record.url)?;
        let path = self.root.join(&file);
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let text = record.front_matter() + &record.markdown(Along::default()) + "\n";
        whole_file::write(&path, text.as_bytes())?;
        self.index.add(&file, Some(&record.url))
    }

    fn remove(&mut self, url: &str) -> Result<()> {
        let file = self.file(url)?;
        let path = self.root.join(&file);
        self.index.remove(&file);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be removed", path.display()))
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.index.close()
    }
}
