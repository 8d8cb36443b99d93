//! Archives what a crawl fetches: for each stored page its request, its response, its content as
//! text, and its metadata.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::Frontier;
use crate::warc::{ArchiveFolder, NewRecord, digest, fields};
use tsrec_store::{NewPage, Parked};

/// The settings of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Archiving {
    /// The folder for web archives. Without it, none are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Bytes after which a file is closed and the next one begins.
    pub max_bytes: u64,
}

impl Default for Archiving {
    fn default() -> Self {
        // The size that the guidelines for WARC files ask for (ISO 28500, annex C).
        Archiving { dir: None, max_bytes: 1 << 30 }
    }
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Archives each page that is stored. The client must
    /// [keep](crate::fetch::Fetcher::with_exchanges) requests and heads.
    pub fn with_archive(mut self, folder: Arc<ArchiveFolder>) -> Self {
        self.archive = Some(folder);
        self
    }

    /// Archives a page. If this fails, the log says so, and the page is stored anyway.
    pub(super) async fn archive(
        &self,
        visit: &mut PageVisit<'_>,
        page: &Arc<Parked>,
        record: &NewPage,
    ) -> Result<(), Error> {
        let (Some(folder), Some((exchange, address))) = (self.archive.clone(), visit.exchange.take()) else {
            return Ok(());
        };
        let (page, record) = (Arc::clone(page), record.clone());
        let target = visit.lease.url.to_string();
        let written = blocking(move || {
            let about = |kind, content_type| NewRecord {
                target: Some(&target),
                content_type,
                fields: address.iter().map(|address| ("WARC-IP-Address", address.to_string())).collect(),
                ..NewRecord::new(kind, page.fetched_at)
            };
            let mut response = about("response", "application/http;msgtype=response");
            if exchange.is_http2 {
                response.fields.push(("WARC-Protocol", "h2".to_owned()));
            }
            response.block = [exchange.head(page.body.len()), page.body.clone()].concat().into();
            response.fields.push(("WARC-Payload-Digest", digest(&page.body)));
            if page.truncated {
                response.fields.push(("WARC-Truncated", "length".to_owned()));
            }
            let mut request = about("request", "application/http;msgtype=request");
            request.block = exchange.request.into();
            request.fields.push(("WARC-Concurrent-To", response.id()));
            let mut conversion = about("conversion", "text/plain");
            conversion.date = date_before(page.fetched_at);
            conversion.block = record.text.as_bytes().to_owned().into();
            conversion.fields = vec![("WARC-Refers-To", response.id())];
            // Other readers take a record of another type for the page.
            let mut metadata = about("metadata", "application/warc-fields");
            metadata.block = serde_json::to_value(&record)?.as_object().map(fields).unwrap_or_default().into();
            metadata.fields = vec![("WARC-Refers-To", response.id())];
            folder.append(&[request, response, conversion, metadata])
        });
        if let Err(error) = written.await? {
            tracing::error!(%error, "the page is not in the archive");
        }
        Ok(())
    }
}

/// The date of the content of a page. pywb takes a conversion for a capture of its page. Of two in
/// one second it replays the one whose media type comes first in the alphabet, and of others the
/// later one, which must be the response.
fn date_before(fetched_at: Timestamp) -> Timestamp {
    fetched_at.checked_sub(SignedDuration::from_secs(1)).unwrap_or(fetched_at)
}
