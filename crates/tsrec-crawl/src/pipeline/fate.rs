//! The fates of pages, reported to the log, the metrics and listeners.

use url::Url;

use super::ask::without_credentials;
use super::{Crawl, Fetch};
use crate::frontier::Frontier;
use tsrec_store::{DeletionReason, NewPage};

/// A page and its fate.
#[derive(Clone, Debug)]
pub struct Visited {
    /// The page.
    pub url: Url,
    /// Its fate.
    pub fate: Fate,
}

/// The possible fates of a page.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Its content is in the store.
    Stored {
        /// The record as it was given to the store.
        page: Box<NewPage>,
        /// False if the content has not changed.
        changed: bool,
    },
    /// The server says that the stored version is up to date.
    NotModified,
    /// It is a sitemap or a feed, and was read.
    Listed {
        /// URLs that it names, within the crawl's scope.
        named: u64,
        /// Those that are new, or due again because they changed.
        news: u64,
    },
    /// It redirects permanently.
    Redirected(Url),
    /// It is gone, disallowed, unavailable, another page's duplicate, or asks not to be indexed.
    /// Its record, if any, is deleted.
    Deleted(DeletionReason),
    /// It is no page for us, and was not stored. Holds the reason.
    NotStored(String),
    /// It could not be fetched this time. Holds the reason.
    Failed(String),
    /// It was not tried, for a reason of our own. Holds the reason.
    Returned(String),
    /// The program failed on it. Holds the message.
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
            Fate::NotStored(_) => "not-stored",
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
            Fate::NotStored(why) => tracing::info!(%why, "not stored"),
            Fate::Failed(why) => tracing::warn!(%why, "failed"),
            Fate::Returned(why) => tracing::warn!(%why, "returned"),
            Fate::Quarantined(why) => tracing::error!(%why, "quarantined: the program failed on this page"),
        }
        if let Some(outcomes) = &self.outcomes {
            // The listener may be gone.
            let _ = outcomes.send(visited);
        }
    }
}
