//! The API that indexers use: records, listings, the change feed. And what operators ask of a
//! daemon: health, readiness, metrics.
//!
//! The store's records it only reads; the frontier's hosts and URLs, and what is remembered of
//! sites, an operator can also change, by PUT, DELETE and POST. On a loopback address whoever can
//! connect may do all of it, unless a token is set; anywhere else one must be set, and every
//! request but those for health and readiness must bear it (`Authorization: Bearer TOKEN`, RFC
//! 6750). Requests must name a host that it answers for: its own address, this machine's names on
//! loopback, or one of [`Config::hosts`].
//!
//! | request | answer |
//! |---|---|
//! | `GET /v1/pages?url=URL` | the page's [record](tsrec_store::PageRecord), or 404; as `Accept` asks for it, see [below](self#a-record) |
//! | `GET /v1/pages?after=URL&limit=N` | pages of all hosts, ordered by host, then URL; `after` or `limit` must be there |
//! | `GET /v1/hosts/HOST/pages?after=URL&limit=N` | pages of a host, ordered by URL |
//! | `GET /v1/changes?since=CURSOR&limit=N&wait=SECONDS&content=BOOL` | the [feed](Feed) past a cursor, or from its start |
//! | `GET /v1/changes/stream?since=CURSOR` | the feed as server-sent events, see below |
//! | `GET /v1/snapshot?host=HOST` | all records, or those of a host, a JSON object a line, behind a line with the cursor from which the feed goes on |
//! | `PUT /v1/consumers/NAME?cursor=CURSOR` | says that a reader of the feed has seen it up to there: deletions are kept until all have, up to a limit |
//! | `GET /v1/consumers`, `GET /v1/consumers/NAME` | [readers](tsrec_store::Consumer) that have acknowledged, and how far they are behind |
//! | `DELETE /v1/consumers/NAME` | forgets one: nothing waits for it any more |
//! | `GET /v1/templates?after=HOST&limit=N` | [hosts](templates::RememberedHosts) whose templates are remembered |
//! | `GET /v1/hosts/HOST/templates` | [a host's templates](templates::Templates): pages, places, bytes, whether they serve, were taught, or were replaced by a redesign |
//! | `DELETE /v1/hosts/HOST/templates/NUMBER` | forgets one |
//! | `GET /v1/hosts/HOST/memory` | what is remembered of a host, as the file that `tsrec extract --memory` reads |
//! | `PUT /v1/hosts/HOST/memory?replace=BOOL` | takes such a file; with `replace` in the place of what is there |
//! | `POST /v1/hosts/HOST/teach?force=BOOL&preview=BOOL` | enters [a lesson](teach::Lesson), JSON: what a person labelled of a page, all of it (`annotation`) or some elements (`marks`); says [what follows](teach::Taught). 409 where something speaks against it, unless forced; with `preview` nothing is entered |
//! | `DELETE /v1/hosts/HOST/templates/NUMBER/taught` | takes back what a template was taught |
//! | `GET /v1/why?url=URL` | [all that is known](Why) of a URL: found where, what robots.txt said, its last requests with cause and time, how its content was found |
//! | `GET /v1/frontier?state=STATE&host=HOST&after=URL&limit=N` | [URLs](Urls) of the frontier; the states are those of `tsrec frontier list` |
//! | `PUT /v1/frontier?url=URL` | makes a URL due at once; says [how many](Changed) were |
//! | `GET /v1/frontier/sections?refusing=BOOL&host=HOST&after=SECTION&limit=N` | [sections](Sections) of hosts, with how many links each refused, and the last of them |
//! | `GET /v1/frontier/hosts?after=HOST&limit=N` | [hosts](Hosts) of the frontier, as backups keep them: what an operator set, what their answers taught |
//! | `GET /v1/frontier/hosts/HOST` | [how a host does](tsrec_crawl::frontier::HostStatus), or 404 |
//! | `PUT /v1/frontier/hosts/HOST?paused=BOOL` or `?delay=TIME` | stops requests to a host, starts them again, or sets the delay between them (`default`: the configured one); 404 for one that the frontier does not know |
//! | `DELETE /v1/frontier/hosts/HOST` | forgets the URLs of a host, and takes no new ones until it is resumed; 404 as before |
//! | `GET /openapi.json`, `GET /docs` | all that can be asked, as OpenAPI 3.1 and for people, from the table that the router is made of |
//! | `GET /?q=WORDS&host=HOST&after=URL`, `GET /page?url=URL&sibling=URL`, `GET /template?host=HOST&number=NUMBER` | the inspector: the store for people |
//! | `POST /teach`, `POST /teach/undo` | the inspector's forms, taken from its own pages alone |
//! | `GET /healthz` | 200 while the process serves |
//! | `GET /readyz` | 200, with a line that says so where the disk runs low and nothing is fetched; 503 while the daemon starts or stops |
//! | `GET /metrics` | Prometheus text, version 0.0.4 |
//!
//! `limit` is 1 to 1000 (100 with `content=true`), by default 100. `wait` is 0 to
//! [`Config::max_wait`] in whole seconds, or `max`; by default 0. Parameters that are not in the
//! table are refused, and so are values out of range.
//!
//! # A record
//!
//! `kind` is `article`, `forum`, `product`, `collection`, `listing`, `documentation`, `service`, or
//! of a page that is none `empty`, `error` or `consent-wall`. `template` says which template of its
//! host the page is of, from how many other pages that was known when the content was found, and
//! which template it replaced where a redesign was noticed. What a record of an older program does
//! not know (of the metadata all but `title`, `canonical_url`, `authors` and `published`; maybe
//! `comments`, `kind` and `template`) is null or empty, until its page is fetched again. Times are
//! those of RFC 3339, in UTC. `seq` is the number of the latest change of title or text.
//!
//! ```json
//! {"url": "http://example.com/a", "host": "example.com", "seq": 7, "title": "A", "authors": ["Ann Orr"],
//!  "published": "2026-11-19", "modified": null, "language": "en", "language_confidence": 0.98, "site_name": "The Courier", "description": null, "image": null,
//!  "canonical_url": null, "tags": ["ferry"], "license": null, "comments": "", "text": "what the page says",
//!  "html": "<p>what the <em>page</em> says</p>", "words": 4, "method": "template", "confidence": 0.9,
//!  "kind": "article", "kind_probability": 0.95, "sibling": null, "template": {"number": 1, "pages": 12, "replaces": null}, "gates": [], "labels": {"common": 12, "content": 3},
//!  "content_hash": "6ee1…", "simhash": "8f1c…", "fetched_at": "2026-11-21T00:00:00Z", "changed_at": "2026-11-20T00:00:00Z", "status": 200, "charset": "UTF-8",
//!  "cut": []}
//! ```
//!
//! `html` is the content in the markup that carries meaning, from a closed list of elements and
//! attributes: it runs nothing, wherever it is shown. It is null where it was too long to be kept
//! (`cut` says `html`).
//!
//! One record is answered as its `Accept` asks for it: `application/json` (also by default),
//! `text/markdown` (behind what is known of the page, as YAML), `text/html` (a page of its own),
//! `text/plain`, `application/tei+xml`; 406 where it takes none of these. A record without `html`
//! has paragraphs alone.
//!
//! # A listing
//!
//! `next` goes into `after` for the pages that follow; null after the last. `title` is cut to 512
//! bytes.
//!
//! ```json
//! {"pages": [{"url": "http://example.com/a", "seq": 7, "title": "A", "method": "template", "confidence": 0.9, "kind": "article", "words": 4,
//!             "fetched_at": "2026-11-21T00:00:00Z"}],
//!  "next": "http://example.com/a"}
//! ```
//!
//! # Changes
//!
//! The latest change of each URL, oldest first. What changes is title or text: of other metadata
//! that change alone the record tells, and the feed does not. An indexer keeps `next` as it is and
//! gives it back in `since`; an empty answer has one too. `reason` (`gone`, `disallowed`,
//! `redirected`, `noindex`, `unavailable`, `duplicate`) comes with a `delete`, `content_hash` with
//! an `upsert`, and with `content=true` its record as `page`. An answer may be shorter than `limit`
//! though more follows: only an empty one means that the end is reached.
//!
//! ```json
//! {"changes": [{"seq": 7, "url": "http://example.com/a", "kind": "upsert", "reason": null, "content_hash": "6ee1…", "at": "2026-11-21T00:00:00Z"},
//!              {"seq": 9, "url": "http://example.com/b", "kind": "delete", "reason": "gone", "content_hash": null, "at": "2026-11-21T00:00:05Z"}],
//!  "next": "00c0ffee00c0ffee:9"}
//! ```
//!
//! With `wait`, an answer that would be empty is held back until something is newer than `since`,
//! the time is over, or the daemon stops. 410 says that the cursor's past is forgotten: drop the
//! index, and read from the start, without `since`.
//!
//! As server-sent events each change is an event `upsert` or `delete` with the change as its data;
//! the last of those that are sent together has the cursor as its `id`, which a browser gives back
//! by itself in `Last-Event-ID`. A comment every fifteen seconds says that the stream lives. At
//! most [`FOLLOWERS`] are open; a stream ends when the daemon stops, and when its past is
//! forgotten: asked again, it says 410.
//!
//! A record, a listing, and what else is whole in memory has an `ETag`, and is answered 304 where
//! `If-None-Match` has it. Answers are packed by gzip or brotli where `Accept-Encoding` says so.
//!
//! # Errors
//!
//! Problem details, RFC 9457, also for unknown paths and methods. `type` is stable; `detail` is for
//! people.
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
//! | `urn:tsrec:problem:not-ready` | 503, of `/readyz`, and where too many streams or snapshots are open |
//! | `urn:tsrec:problem:unauthorized` | 401 |
//! | `urn:tsrec:problem:wrong-host` | 421 |
//! | `urn:tsrec:problem:lesson-refused` | 409 |
//! | `about:blank` | 403 of a form that was sent from elsewhere, 404 for an unknown path, 405, 406, 500 |
//!
//! # How it works
//!
//! ```text
//! connections ── guard ── routes ── query      parameters, checked against their ranges
//!                               ├── answers    what is read from the store, the same for the command line
//!                               ├── stream     records, sent while they are unpacked
//!                               ├── follow     the feed as events, snapshots
//!                               ├── consumers  who has read how far
//!                               ├── inspect    pages for people
//!                               ├── reference  what can be asked, from the same table of routes
//!                               └── problem    everything else
//! address                                      where the command line finds a daemon
//! ```
//!
//! The store's calls block, so they run on tokio's blocking threads, at most [`READERS`] at a time,
//! and [`STREAMS`] answers with records: that bounds the memory, whatever is asked, and leaves
//! threads to the crawl. Connections are bounded too, and closed when idle.

mod accept;
pub mod address;
mod answers;
mod body;
mod connections;
mod consumers;
mod follow;
mod frontier;
mod guard;
mod inspect;
mod listen;
mod openapi;
mod pace;
pub mod problem;
mod query;
mod reference;
mod route;
mod routes;
mod stream;
pub mod teach;
pub mod templates;
mod validators;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use self::guard::Guard;
use self::reference::Reference;
use self::routes::ApiContext;
use tsrec_crawl::frontier::Embedded;
use tsrec_store::Store;

pub use self::answers::{ChangeRow, Feed, Listing};
pub use self::consumers::Consumers;
pub use self::follow::{FOLLOWERS, SNAPSHOTS};
pub use self::frontier::{Changed, HostChange, Hosts, HowFound, Sections, Urls, Why, delay};
pub use self::guard::{InvalidToken, Token};
pub use self::inspect::annotate;
pub use self::listen::{InvalidListen, Listen};
pub use self::pace::Pace;
pub use self::query::{MAX_LIMIT, MAX_LIMIT_WITH_CONTENT};

/// The longest that [`Config::max_wait`] may be. Judgement: proxies and clients give up on a silent
/// connection sooner than this.
pub const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Store calls that run at a time. Judgement: they take a thread each, and the disk answers no
/// faster to more.
pub const READERS: usize = 8;

/// Answers with records that are sent at a time; others wait. Judgement: each takes a thread and
/// some megabytes.
pub const STREAMS: usize = 4;

/// How long open connections may take to finish once the shutdown has begun. Judgement: long polls
/// are answered at once, so what is left is a client that does not read.
const PATIENCE: Duration = Duration::from_secs(5);

/// The API's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where to listen: an IP address and a port, or `none` for no API. By default
    /// `127.0.0.1:7717`. Port 0 takes a free one.
    pub listen: Listen,
    /// The longest that a request for changes may wait for them. 1 s to 10 min; by default 60 s.
    #[serde(with = "humantime_serde")]
    pub max_wait: Duration,
    /// A file that holds the token which requests must bear. It must be set where `listen` is no
    /// loopback address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// Names in requests' `Host` that are answered, besides the address itself and on loopback this
    /// machine's own names.
    pub hosts: Vec<String>,
    /// Connections at a time; more wait until one ends. At least 1; by default 128.
    pub max_connections: usize,
    /// How long a connection may be silent, before its first request, between two, and before the
    /// body of one. 100 ms to 10 min; by default 10 s.
    #[serde(with = "humantime_serde")]
    pub idle_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: Listen::default(),
            max_wait: Duration::from_secs(60),
            token_file: None,
            hosts: Vec::new(),
            max_connections: 128,
            idle_timeout: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Checks the settings' ranges, and that there is a token where others can connect.
    ///
    /// # Errors
    ///
    /// A value out of range, with the range.
    pub fn check(&self) -> Result<(), InvalidConfig> {
        let duration = |setting, value: Duration, least, most| match value {
            value if value < least || value > most => Err(InvalidConfig::Duration { setting, value, least, most }),
            _ => Ok(()),
        };
        duration("max_wait", self.max_wait, Duration::from_secs(1), LONGEST_WAIT)?;
        duration("idle_timeout", self.idle_timeout, Duration::from_millis(100), LONGEST_WAIT)?;
        if self.max_connections == 0 {
            return Err(InvalidConfig::NoConnections);
        }
        match self.listen {
            Listen::Addr(address) if !address.ip().is_loopback() && self.token_file.is_none() => {
                Err(InvalidConfig::NoToken(address))
            }
            _ => Ok(()),
        }
    }

    /// The token that requests must bear, if one is set.
    ///
    /// # Errors
    ///
    /// Its file cannot be read, or holds none.
    pub fn token(&self) -> Result<Option<Token>, InvalidToken> {
        self.token_file.as_deref().map(Token::read).transpose()
    }
}

/// A setting out of its range.
#[derive(Debug, thiserror::Error)]
pub enum InvalidConfig {
    /// A time.
    #[error(
        "`{setting}` is {}, it must be from {} to {}",
        humantime::format_duration(*value), humantime::format_duration(*least), humantime::format_duration(*most)
    )]
    Duration {
        /// Its name.
        setting: &'static str,
        /// What it is.
        value: Duration,
        /// The least it may be.
        least: Duration,
        /// The most it may be.
        most: Duration,
    },
    /// No connection is allowed.
    #[error("`max_connections` is 0, it must be at least 1")]
    NoConnections,
    /// Others can connect, and no token is set.
    #[error(
        "`listen` is {0}, where other machines can connect: set `token_file` to a file that holds a token, or listen on 127.0.0.1"
    )]
    NoToken(std::net::SocketAddr),
}

/// What the API speaks for.
#[derive(Clone)]
pub struct Api {
    /// The store it reads.
    pub store: Store,
    /// The frontier that it shows and changes, if there is one.
    pub frontier: Option<Arc<Embedded>>,
    /// That the daemon is ready, in words, for `/readyz`, or why it is not. It must not block.
    pub ready: Arc<dyn Fn() -> Result<String, String> + Send + Sync>,
    /// The metrics as Prometheus text. It must not block.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// How fast the crawl is, as whoever runs it says.
    pub pace: Arc<Pace>,
    /// What requests must bear.
    pub token: Option<Token>,
    /// The settings, checked.
    pub config: Config,
}

/// Serves the API until the shutdown, then answers what is being asked, long polls with what there
/// is, and returns; at the latest after five seconds.
///
/// # Errors
///
/// The listener has no address; failed connections are the clients' affair.
pub async fn serve(
    listener: TcpListener,
    api: Api,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let config = api.config.clone();
    let closing = watch::Sender::new(false);
    let router = router(api, listener.local_addr()?, closing.clone());
    let serving = connections::serve(listener, router, &config, closing.subscribe());
    let out_of_patience = async {
        shutdown.await;
        closing.send_replace(true);
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        () = serving => {}
        () = out_of_patience => {}
    }
    Ok(())
}

/// What answers requests that come to an address.
fn router(api: Api, address: SocketAddr, closing: watch::Sender<bool>) -> Router {
    let table = routes::table(&api.config);
    let guard = Guard::new(address, &api.config.hosts, api.token.clone(), &table);
    let context = ApiContext {
        api,
        closing,
        readers: Arc::new(Semaphore::new(READERS)),
        streams: Arc::new(Semaphore::new(STREAMS)),
        snapshots: Arc::new(Semaphore::new(SNAPSHOTS)),
        followers: Arc::new(Semaphore::new(FOLLOWERS)),
        reference: Arc::new(Reference::new(&table)),
        catalogue: Arc::default(),
    };
    routes::router(table, context, guard)
}

/// The API without a socket, for a program that has the store open itself. Requests name
/// `localhost` as their host.
pub struct LocalApi {
    service: TowerToHyperService<Router>,
}

impl LocalApi {
    /// Over this store and frontier, without a token.
    pub fn new(store: Store, frontier: Option<Arc<Embedded>>) -> LocalApi {
        let api = Api {
            store,
            frontier,
            ready: Arc::new(|| Ok("no daemon runs".to_owned())),
            metrics: Arc::new(String::new),
            pace: Arc::default(),
            token: None,
            config: Config::default(),
        };
        let router = router(api, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), watch::Sender::new(false));
        LocalApi { service: TowerToHyperService::new(router) }
    }

    /// Answers a request.
    pub async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let Ok(response) = self.service.call(request).await;
        response
    }
}
