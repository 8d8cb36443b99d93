//! The API that indexers use: records, listings, the change feed. And what operators ask of a daemon: health, readiness, metrics.
//!
//! It only reads, and it knows no users: whoever can connect can read everything. Listen on a loopback address, or put a proxy in front.
//!
//! | request | answer |
//! |---|---|
//! | `GET /v1/pages?url=URL` | the page's [record](crate::store::PageRecord), or 404 |
//! | `GET /v1/pages?after=URL&limit=N` | pages of all hosts, ordered by host, then URL; `after` or `limit` must be there |
//! | `GET /v1/hosts/HOST/pages?after=URL&limit=N` | pages of a host, ordered by URL |
//! | `GET /v1/changes?since=CURSOR&limit=N&wait=SECONDS&content=BOOL` | the [feed](Feed) past a cursor, or from its start |
//! | `GET /v1/lessons?after=URL&limit=N` | URLs of pages with a [lesson](Lessons), ordered by host, then URL; `after` or `limit` must be there |
//! | `GET /v1/lessons?url=URL` | the page's lesson, as bytes for `tsrec train mss --from-store`, or 404 |
//! | `GET /healthz` | 200 while the process serves |
//! | `GET /readyz` | 200, or 503 while the daemon starts or stops |
//! | `GET /metrics` | Prometheus text, version 0.0.4 |
//!
//! `limit` is 1 to 1000 (100 with `content=true`), by default 100. `wait` is 0 to [`Config::max_wait`] in whole seconds, or `max`; by
//! default 0. Parameters that are not in the table are refused, and so are values out of range.
//!
//! # A record
//!
//! Times are those of RFC 3339, in UTC. `seq` is the number of the latest change of title or text.
//!
//! ```json
//! {"url": "http://example.com/a", "host": "example.com", "seq": 7, "title": "A", "canonical_url": null, "text": "what the page says",
//!  "words": 4, "method": "template", "confidence": 0.9, "sibling": "http://example.com/b", "gates": [], "labels": {"common": 12, "content": 3},
//!  "content_hash": "6ee1…", "fetched_at": "2026-11-21T00:00:00Z", "changed_at": "2026-11-20T00:00:00Z", "status": 200, "charset": "UTF-8",
//!  "cut": []}
//! ```
//!
//! # A listing
//!
//! `next` goes into `after` for the pages that follow; null after the last. `title` is cut to 512 bytes.
//!
//! ```json
//! {"pages": [{"url": "http://example.com/a", "seq": 7, "title": "A", "method": "template", "confidence": 0.9, "words": 4,
//!             "fetched_at": "2026-11-21T00:00:00Z"}],
//!  "next": "http://example.com/a"}
//! ```
//!
//! # Changes
//!
//! The latest change of each URL, oldest first. An indexer keeps `next` as it is and gives it back in `since`; an empty answer has one too.
//! `reason` (`gone`, `disallowed`, `redirected`, `noindex`) comes with a `delete`, `content_hash` with an `upsert`, and with `content=true` its record as
//! `page`. An answer may be shorter than `limit` though more follows: only an empty one means that the end is reached.
//!
//! ```json
//! {"changes": [{"seq": 7, "url": "http://example.com/a", "kind": "upsert", "reason": null, "content_hash": "6ee1…", "at": "2026-11-21T00:00:00Z"},
//!              {"seq": 9, "url": "http://example.com/b", "kind": "delete", "reason": "gone", "content_hash": null, "at": "2026-11-21T00:00:05Z"}],
//!  "next": "00c0ffee00c0ffee:9"}
//! ```
//!
//! With `wait`, an answer that would be empty is held back until something is newer than `since`, the time is over, or the daemon stops.
//! 410 says that the cursor's past is forgotten: drop the index, and read from the start, without `since`.
//!
//! # Errors
//!
//! Problem details, RFC 9457, also for unknown paths and methods. `type` is stable; `detail` is for people.
//!
//! ```json
//! {"type": "urn:tsrec:problem:invalid-request", "title": "Bad Request", "status": 400,
//!  "detail": "limit is \"0\", it must be a whole number from 1 to 1000"}
//! ```
//!
//! | `type` | `status` |
//! |---|---|
//! | `urn:tsrec:problem:invalid-request` | 400 |
//! | `urn:tsrec:problem:no-such-page` | 404 |
//! | `urn:tsrec:problem:cursor-gone` | 410 |
//! | `urn:tsrec:problem:not-ready` | 503, of `/readyz` |
//! | `about:blank` | 404 for an unknown path, 405, 500 |
//!
//! # How it works
//!
//! ```text
//! routes ── query      parameters, checked against their ranges
//!       ├── answers    what is read from the store, the same for the command line
//!       └── problem    everything else
//! address              where the command line finds a daemon
//! ```
//!
//! The store's calls block, so they run on tokio's blocking threads, at most [`READERS`] at a time: that bounds the records in memory, and leaves
//! threads to the crawl.

pub mod address;
mod answers;
mod listen;
pub mod problem;
mod query;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use self::routes::Context;
use crate::store::Store;

pub use self::answers::{ChangeRow, Feed, Lessons, Listing};
pub use self::listen::{InvalidListen, Listen};
pub use self::query::{MAX_LIMIT, MAX_LIMIT_WITH_CONTENT};

/// The longest that [`Config::max_wait`] may be. Judgement: proxies and clients give up on a silent connection sooner than this.
pub const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Store calls that run at a time. Judgement: they take a thread each, and the disk answers no faster to more.
pub const READERS: usize = 8;

/// How long open connections may take to finish once the shutdown has begun. Judgement: long polls are answered at once, so what is left is a
/// client that does not read.
const PATIENCE: Duration = Duration::from_secs(5);

/// The API's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where to listen: an IP address and a port, or `none` for no API. By default `127.0.0.1:7717`. Port 0 takes a free one.
    pub listen: Listen,
    /// The longest that a request for changes may wait for them. 1 s to 10 min; by default 60 s.
    #[serde(with = "humantime_serde")]
    pub max_wait: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config { listen: Listen::default(), max_wait: Duration::from_secs(60) }
    }
}

impl Config {
    /// Checks the range of `max_wait`.
    ///
    /// # Errors
    ///
    /// A value out of range, with the range.
    pub fn check(&self) -> Result<(), InvalidConfig> {
        match self.max_wait {
            wait if wait < Duration::from_secs(1) || wait > LONGEST_WAIT => Err(InvalidConfig { max_wait: wait }),
            _ => Ok(()),
        }
    }
}

/// A setting out of its range.
#[derive(Debug, thiserror::Error)]
#[error("`max_wait` is {}, it must be from 1s to {}", humantime::format_duration(*max_wait), humantime::format_duration(LONGEST_WAIT))]
pub struct InvalidConfig {
    max_wait: Duration,
}

/// What the API speaks for.
#[derive(Clone)]
pub struct Api {
    /// The store it reads.
    pub store: Store,
    /// Whether the daemon is ready, for `/readyz`. It must not block.
    pub ready: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The metrics as Prometheus text. It must not block.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// See [`Config::max_wait`].
    pub max_wait: Duration,
}

/// The API as a service, for a server of one's own: its long polls go on until their time is over.
pub fn router(api: Api) -> axum::Router {
    routes::router(context(api))
}

/// Serves the API until the shutdown, then answers what is being asked, long polls with what there is, and returns; at the latest after five
/// seconds.
///
/// # Errors
///
/// None at present: failed connections are the clients' affair.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let context = context(api);
    let closing = context.closing.clone();
    let mut closed = closing.subscribe();
    let serving = axum::serve(listener, routes::router(context)).with_graceful_shutdown(async move {
        shutdown.await;
        closing.send_replace(true);
    });
    let out_of_patience = async move {
        // An error would say that nobody is left to close anything; then `serving` has ended too.
        let _ = closed.wait_for(|closed| *closed).await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        result = serving => result,
        () = out_of_patience => Ok(()),
    }
}

fn context(api: Api) -> Context {
    Context { api, closing: watch::Sender::new(false), readers: Arc::new(Semaphore::new(READERS)) }
}
