//! Store data in the shapes that the API promises. The command line reads the same shapes.

use serde::{Deserialize, Serialize};

use super::query::ListingQuery;
use tsrec_store::{Change, Cursor, Error, PageRecord, PageSummary, Store};

/// The records of one answer, in bytes of JSON. A larger record comes alone. Judgement: an
/// ordinary answer of a hundred records has a tenth of it, and a client can read it in one piece.
pub(super) const CONTENT_BYTES: u64 = 8 << 20;

/// Some pages of the store, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Listing {
    /// The pages.
    pub pages: Vec<PageSummary>,
    /// The URL of the last page if more pages follow, else null.
    pub next: Option<String>,
}

/// Some changes, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Feed {
    /// The changes. The list is empty only at the end of the feed.
    pub changes: Vec<ChangeRow>,
    /// The cursor to send as `since` for the next answer.
    pub next: Cursor,
}

/// A change, and the record that it changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ChangeRow {
    /// What happened to which URL.
    #[serde(flatten)]
    pub change: Change,
    /// The record of an upsert, if the request asked for content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageRecord>,
    /// Why the record cannot be read, if it cannot: it is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// Stands for a record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UnreadableRecord {
    /// Why it cannot be read.
    pub unreadable: String,
    /// The page's URL.
    pub url: String,
}

impl Listing {
    /// The pages that a query asks for. Blocks.
    ///
    /// # Errors
    ///
    /// Those of [`Store::select`].
    pub(super) fn read(store: &Store, wanted: &ListingQuery) -> Result<Listing, Error> {
        let ListingQuery { host, after, limit, selection } = wanted;
        let limit = *limit;
        // Reads one more, to know whether more follow.
        let mut pages = store.select(host.as_deref(), after.as_deref(), limit.saturating_add(1), selection)?;
        let more = pages.len() > limit;
        pages.truncate(limit);
        let next = pages.last().filter(|_| more).map(|page| page.url.clone());
        Ok(Listing { pages, next })
    }
}

impl Feed {
    /// At most `limit` changes past a cursor, or from the start. With records, as many as fit
    /// into an answer; all of them are in memory together. Blocks.
    ///
    /// # Errors
    ///
    /// Those of [`Store::changes_with_pages`].
    pub(super) fn read(store: &Store, since: Option<Cursor>, limit: usize, content: bool) -> Result<Feed, Error> {
        let (answer, pages) = match content {
            true => store.changes_with_pages(since, limit, CONTENT_BYTES)?,
            false => (store.changes(since, limit)?, Vec::new()),
        };
        let pages = pages.into_iter().chain(std::iter::repeat(None));
        let changes =
            answer.changes.into_iter().zip(pages).map(|(change, page)| ChangeRow { change, page, unreadable: None });
        Ok(Feed { changes: changes.collect(), next: answer.next })
    }
}
