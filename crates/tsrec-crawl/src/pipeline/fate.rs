//! What becomes of pages, as it is told: to the log, the metrics and whoever listens.

use url::Url;

use super::ask::without_credentials;
use super::{Crawl, Fetch};
use crate::frontier::Frontier;
use tsrec_store::{DeletionReason, NewPage};

/// What became of a page.
#[derive(Clone, Debug)]
pub struct Visited {
    /// The page.
    pub url: Url,
    /// What became of it.
    pub fate: Fate,
}

/// What can become of a page.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Its content is in the store.
    Stored {
        /// The record as it was handed to the store.
        page: Box<NewPage>,
        /// False when the content is what it was before.
        changed: bool,
    },
    /// The server says that what is stored is up to date.
    NotModified,
    /// It is a sitemap or a feed, and was read.
    Listed {
        /// URLs that it names, within the crawl's scope.
        named: u64,
        /// Those of them that are new, or are due again since they changed.
        news: u64,
    },
    /// It led elsewhere, for good.
    Redirected(Url),
    /// It is gone, disallowed, unavailable, another's duplicate, or asks not to be indexed; a
    /// record it had is deleted.
    Deleted(DeletionReason),
    /// It is no page for us, and was not stored: why.
    Skipped(String),
    /// It could not be fetched this time: why.
    Failed(String),
    /// It was not tried, for reasons of our own: why.
    Returned(String),
    /// The program failed on it: how.
    Quarantined(String),
}

impl Fate {
    /// A word for logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Fate::Stored { changed: true, .. } => "stored",
            Fate::Stored { changed: false, .. } | Fate::NotModified => "unchanged",
            Fate::Listed { .. } => "listed",
            Fate::Redirected(_) => "redirected",
            Fate::Deleted(_) => "deleted",
            // Not the frontier's word: that is for what is never asked for again.
            Fate::Skipped(_) => "not-stored",
            Fate::Failed(_) => "failed",
            Fate::Returned(_) => "returned",
            Fate::Quarantined(_) => "quarantined",
        }
    }
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    pub(super) fn tell(&self, visited: Visited) {
        metrics::counter!("tsrec_pages_total", "fate" => visited.fate.as_str()).increment(1);
        match &visited.fate {
            Fate::Stored { page, changed } => {
                metrics::counter!("tsrec_extractions_total", "method" => page.method.clone()).increment(1);
                let (template, known) = page.template.map_or((0, 0), |template| (template.number, template.pages));
                tracing::info!(method = %page.method, template, known, words = page.words, confidence = page.confidence, changed, "stored");
            }
            Fate::NotModified => tracing::info!("not modified"),
            Fate::Listed { named, news } => tracing::info!(named, news, "a sitemap or a feed"),
            Fate::Redirected(to) => tracing::info!(to = %without_credentials(to), "redirected"),
            Fate::Deleted(reason) => tracing::info!(?reason, "deleted"),
            Fate::Skipped(why) => tracing::info!(%why, "not stored"),
            Fate::Failed(why) => tracing::warn!(%why, "failed"),
            Fate::Returned(why) => tracing::warn!(%why, "returned"),
            Fate::Quarantined(why) => tracing::error!(%why, "quarantined: the program failed on this page"),
        }
        if let Some(outcomes) = &self.outcomes {
            // Who no longer listens need not be told.
            let _ = outcomes.send(visited);
        }
    }
}
