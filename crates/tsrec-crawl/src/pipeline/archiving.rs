//! What a crawl fetches, archived as it came: for each page that is stored its request, its
//! response, and what was extracted.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::visit::PageVisit;
use super::{Crawl, Error, Fetch, blocking};
use crate::frontier::Frontier;
use crate::warc::{ArchiveFolder, NewRecord, digest};
use tsrec_store::{NewPage, Parked};

/// The settings of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Archiving {
    /// The folder that web archives are written to; none are without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Bytes past which a file is done, and the next one begins.
    pub max_bytes: u64,
}

impl Default for Archiving {
    fn default() -> Self {
        // What the guidelines for WARC files ask for (ISO 28500, annex C).
        Archiving { dir: None, max_bytes: 1 << 30 }
    }
}

impl<F: Frontier, A: Fetch> Crawl<F, A> {
    /// Archives each page that is stored. The client must
    /// [keep](crate::fetch::Fetcher::with_exchanges) what goes over the line.
    pub fn with_archive(mut self, folder: Arc<ArchiveFolder>) -> Self {
        self.archive = Some(folder);
        self
    }

    /// Archives a page. One that cannot be is stored all the same, and the log says so.
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
            response.block = [exchange.head(page.body.len()), page.body.clone()].concat().into();
            response.fields.push(("WARC-Payload-Digest", digest(&page.body)));
            if page.truncated {
                response.fields.push(("WARC-Truncated", "length".to_owned()));
            }
            let mut request = about("request", "application/http;msgtype=request");
            request.block = exchange.request.into();
            request.fields.push(("WARC-Concurrent-To", response.id()));
            let mut metadata = about("metadata", "application/json");
            metadata.block = serde_json::to_vec(&record)?.into();
            metadata.fields.push(("WARC-Refers-To", response.id()));
            folder.append(&[request, response, metadata])
        });
        if let Err(error) = written.await? {
            tracing::error!(%error, "the page is not in the archive");
        }
        Ok(())
    }
}
