//! `tsrec train mss --from-store`: a model of what a crawl's template diff labelled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::access::{self, Access};
use crate::cli::progress::progress;
use crate::cli::whole_file;
use crate::config::Config;
use crate::crawl::training::{Lessons, Outcome, train};
use crate::http::MAX_LIMIT;

/// Arguments of `--from-store`.
#[derive(Debug, clap::Args)]
pub(super) struct FromStore {
    /// mss: learn from what the crawl's template diff labelled, in place of sets of pages. A daemon that owns the store
    /// is asked.
    #[arg(long, conflicts_with = "sets")]
    pub(super) from_store: bool,
    /// --from-store: the configuration, for its [training] and the data directory.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// --from-store: the daemon's data directory, whatever the configuration says [default: data].
    #[arg(long, env = "TSREC_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// Trains, writes the model, and tells how it did.
pub(super) fn run(args: &FromStore, out: &Path) -> Result<()> {
    let config = args.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
    let data_dir = args.data_dir.as_deref().unwrap_or(&config.data_dir);
    let lessons = access::block_on(lessons(data_dir))?;
    let urls: Vec<String> = lessons.keys().cloned().collect();
    progress(&format!("{} lessons\n", urls.len()));
    let mut lessons = Lessons::new(urls, config.training.hold_out, |url| Ok(lessons.get(url).cloned()));
    let trained = train(&mut lessons, None, &config.training)
        .with_context(|| format!("no model can be made of the lessons in {}", data_dir.display()))?;
    let file = trained.file();
    whole_file::write(out, &file)?;
    let Outcome { learned, judged, untrained, new, .. } = trained;
    progress(&format!(
        "judged on {judged} lessons held out: F1 {untrained:.4} without a model, {:.4} with this one, {:.4} with this one on the {} hosts where \
         it does better\n",
        new.alone,
        new.as_used,
        new.sites.len()
    ));
    progress(&format!("{}: {} bytes, from {learned} lessons\n", out.display(), file.len()));
    Ok(())
}

/// All lessons, by URL. They are few and small, by the store's settings.
async fn lessons(data_dir: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let access = Access::open(&access::DataDir::at(data_dir)).await?;
    let mut lessons = BTreeMap::new();
    let mut after: Option<String> = None;
    loop {
        let listing = access.lessons(after.as_deref(), MAX_LIMIT).await?;
        for url in listing.lessons {
            progress(&format!("reading lesson {}", lessons.len() + 1));
            // One that went in the meantime is not missed.
            if let Some(lesson) = access.lesson(&url).await? {
                lessons.insert(url, lesson);
            }
        }
        after = listing.next;
        if after.is_none() {
            return Ok(lessons);
        }
    }
}
