//! The API for indexers: records, listings, the change feed. For operators it has health,
//! readiness and metrics.
//!
//! The API only reads the store's records. An operator can also change the frontier's hosts and
//! URLs, and the site memories, by PUT, DELETE and POST. On a loopback address anyone who can
//! connect may do all of it, unless a token is set. On any other address a token must be set.
//! Every request except health and readiness must then carry it (`Authorization: Bearer TOKEN`,
//! RFC 6750). Requests must name a host that the API answers for: its own address, this machine's
//! names on loopback, or one of [`Config::hosts`].
//!
//! | request | answer |
//! |---|---|
//! | `GET /v1/pages?url=URL` | the page's [record](tsrec_store::PageRecord), or 404; as `Accept` asks for it, see [below](self#a-record) |
//! | `GET /v1/pages?after=URL&limit=N&…` | pages of all hosts, ordered by host, then URL; one parameter must be there. `host`, `kind`, `method`, `language`, `least_confidence`, `most_confidence`, `from` and `before` (times of the fetch) select; `sort` orders |
//! | `GET /v1/hosts/HOST/pages?after=URL&limit=N` | pages of a host, ordered by URL |
//! | `GET /v1/changes?since=CURSOR&limit=N&wait=SECONDS&content=BOOL` | the [feed](Feed) past a cursor, or from its start |
//! | `GET /v1/changes/stream?since=CURSOR` | the feed as server-sent events, see below |
//! | `GET /v1/snapshot?host=HOST` | all records, or those of a host, one JSON object a line; the first line is the cursor where the feed continues |
//! | `PUT /v1/consumers/NAME?cursor=CURSOR` | reports that a feed reader has seen it up to there: deletions are kept until all readers have seen them, up to a limit |
//! | `GET /v1/consumers`, `GET /v1/consumers/NAME` | [readers](tsrec_store::Consumer) that have acknowledged, and how far behind they are |
//! | `DELETE /v1/consumers/NAME` | forgets a reader: deletions no longer wait for it |
//! | `GET /v1/templates?after=HOST&limit=N` | [hosts](templates::RememberedHosts) whose templates are remembered |
//! | `GET /v1/hosts/HOST/templates` | [a host's templates](templates::Templates): pages, places, bytes, whether they serve, were taught, or were replaced by a redesign |
//! | `DELETE /v1/hosts/HOST/templates/NUMBER` | forgets a template |
//! | `GET /v1/hosts/HOST/memory` | a host's memory, as the file that `tsrec extract --memory` reads |
//! | `PUT /v1/hosts/HOST/memory?replace=BOOL` | stores such a file; with `replace` it replaces an existing memory |
//! | `POST /v1/hosts/HOST/teach?force=BOOL&preview=BOOL` | enters [a lesson](teach::Lesson), JSON: a person's labels for a whole page (`annotation`) or some elements (`marks`); returns [the effects](teach::Taught). 409 if there are objections, unless forced; with `preview` nothing is entered |
//! | `DELETE /v1/hosts/HOST/templates/NUMBER/taught` | removes what a template was taught |
//! | `GET /v1/why?url=URL` | [everything known](Why) about a URL: where it was found, what robots.txt said, its last requests with cause and time, how its content was found |
//! | `GET /v1/frontier?state=STATE&host=HOST&after=URL&limit=N` | [URLs](Urls) of the frontier; the states are those of `tsrec frontier list` |
//! | `POST /v1/frontier?seed=BOOL` | puts URLs into the crawl, JSON lines (`{"url": URL}`), and [counts](Added) new, known and refused ones |
//! | `PUT /v1/frontier?url=URL` | makes a URL due at once; returns [how many](Changed) were |
//! | `GET /v1/frontier/sections?refusing=BOOL&host=HOST&after=SECTION&limit=N` | [sections](Sections) of hosts, with the number of links each refused, and the last of them |
//! | `GET /v1/frontier/hosts?after=HOST&limit=N` | [hosts](Hosts) of the frontier, as in backups: operator settings, and what their answers taught |
//! | `GET /v1/frontier/hosts/HOST` | [the status of a host](tsrec_crawl::frontier::HostStatus), or 404 |
//! | `PUT /v1/frontier/hosts/HOST?paused=BOOL` or `?delay=TIME` | stops requests to a host, starts them again, or sets the delay between them (`default`: the configured one); 404 if the frontier does not know the host |
//! | `DELETE /v1/frontier/hosts/HOST` | forgets the URLs of a host, and refuses new ones until it is resumed; 404 as before |
//! | `POST /v1/extract?url=URL&learn=BOOL&store=BOOL` | extracts a page: HTML, or [JSON](PostedPage) with siblings; as `Accept` asks for it. Without siblings the memory of its host is used, and learns |
//! | `POST /v1/extract/batch?learn=BOOL&store=BOOL` | the same for JSON lines, one page each, answered in order while they come |
//! | `GET /openapi.json`, `GET /docs` | the API's description, as OpenAPI 3.1 and for people, from the router's own table |
//! | `GET /?q=WORDS&host=HOST&after=URL`, `GET /page?url=URL&sibling=URL`, `GET /template?host=HOST&number=NUMBER` | the inspector: the store for people |
//! | `POST /teach`, `POST /teach/undo` | the inspector's forms, accepted only from its own pages |
//! | `GET /healthz` | 200 while the process serves |
//! | `GET /readyz` | 200; if the disk runs low and the daemon fetches nothing, a line says so. 503 while the daemon starts or stops |
//! | `GET /metrics` | Prometheus text, version 0.0.4 |
//!
//! `limit` is 1 to 1000 (100 with `content=true`), by default 100. `wait` is 0 to
//! [`Config::max_wait`] in whole seconds, or `max`; by default 0. The API refuses parameters that
//! are not in the table, and values out of range.
//!
//! # A record
//!
//! `kind` is `article`, `forum`, `product`, `collection`, `listing`, `documentation` or
//! `service`. If the page is none of these, `kind` is `empty`, `error` or `consent-wall`.
//! `template` names the page's template in its host. It also says from how many other pages that
//! was known when the content was found, and which template it replaced in a redesign. Unknown
//! values are null or empty. Times follow RFC 3339, in UTC. `seq` is the number of the latest
//! change of title or text.
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
//! `html` is the content with meaningful markup, from a closed list of elements and attributes.
//! It runs nothing, wherever it is shown. It is null if it was too long to keep (`cut` says
//! `html`).
//!
//! The API answers one record in the format of its `Accept`: `application/json` (the default),
//! `text/markdown` (after the page's metadata as YAML), `text/html` (a complete page),
//! `text/plain`, `application/tei+xml`. It answers 406 if `Accept` allows none of these. A record
//! without `html` has only paragraphs.
//!
//! # A listing
//!
//! To get the following pages, pass `next` as `after`; it is null after the last. `title` is cut
//! to 512 bytes.
//!
//! ```json
//! {"pages": [{"url": "http://example.com/a", "seq": 7, "title": "A", "method": "template", "confidence": 0.9, "kind": "article", "language": "en", "words": 4,
//!             "fetched_at": "2026-11-21T00:00:00Z"}],
//!  "next": "http://example.com/a"}
//! ```
//!
//! # Changes
//!
//! The latest change of each URL, oldest first. A change is a change of title or text. If only
//! other metadata changes, the record shows it, but the feed does not. An indexer keeps `next`
//! unchanged and passes it in `since`; an empty answer has one too. A `delete` has a `reason`
//! (`gone`, `disallowed`, `redirected`, `noindex`, `unavailable`, `duplicate`). An `upsert` has a
//! `content_hash`, and with `content=true` its record as `page`. An answer may be shorter than
//! `limit` though more follows: only an empty one means the end.
//!
//! ```json
//! {"changes": [{"seq": 7, "url": "http://example.com/a", "kind": "upsert", "reason": null, "content_hash": "6ee1…", "at": "2026-11-21T00:00:00Z"},
//!              {"seq": 9, "url": "http://example.com/b", "kind": "delete", "reason": "gone", "content_hash": null, "at": "2026-11-21T00:00:05Z"}],
//!  "next": "00c0ffee00c0ffee:9"}
//! ```
//!
//! With `wait`, the API holds back an empty answer until something is newer than `since`, the
//! time is over, or the daemon stops. 410 means that the store has forgotten the cursor's past.
//! Then drop the index, and read from the start, without `since`.
//!
//! As server-sent events, each change is an event `upsert` or `delete` with the change as its
//! data. The last event of each batch has the cursor as its `id`, which a browser returns by
//! itself in `Last-Event-ID`. A comment every fifteen seconds keeps the stream alive. At most
//! [`FOLLOWERS`] streams are open. A stream ends when the daemon stops, and when the store has
//! forgotten its past: the next request then gets 410.
//!
//! A record, a listing and any other answer that is whole in memory has an `ETag`. The API
//! answers 304 if `If-None-Match` has it. It compresses answers with gzip or brotli if
//! `Accept-Encoding` allows.
//!
//! # Errors
//!
//! Problem details, RFC 9457, also for unknown paths and methods. `type` is stable; `detail` is
//! for people.
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
//! | `urn:tsrec:problem:not-ready` | 503, for `/readyz`, and if too many connections, streams or snapshots are open |
//! | `urn:tsrec:problem:busy` | 503, with `Retry-After`: there is no room for a posted page now |
//! | `urn:tsrec:problem:no-crawl` | 409: `tsrec serve` does not change a frontier |
//! | `urn:tsrec:problem:unauthorized` | 401 |
//! | `urn:tsrec:problem:wrong-host` | 421 |
//! | `urn:tsrec:problem:lesson-refused` | 409 |
//! | `urn:tsrec:problem:store-damaged` | 500 |
//! | `about:blank` | 403 for a form from another origin, 404 for an unknown path, 405, 406, 413, 415, 422, 500 |
//!
//! # How it works
//!
//! ```text
//! connections ── guard ── routes ── query      parameters, checked against their ranges
//!                               ├── answers    store data, also for the command line
//!                               ├── stream     records, sent while being unpacked
//!                               ├── follow     the feed as events, snapshots
//!                               ├── consumers  positions of feed readers
//!                               ├── extract    posted pages, with room of their own
//!                               ├── inspect    pages for people
//!                               ├── reference  the API's description, from the same routes
//!                               └── problem    everything else
//! address                                      how the command line finds a daemon
//! ```
//!
//! The store's calls block, so they run on tokio's blocking threads: at most [`READERS`] at a
//! time, [`STREAMS`] answers with records and [`RECORDS`] single records. A client that reads
//! nothing for two seconds while others wait is broken off. That bounds the memory for any
//! requests, and leaves threads to the crawl. Connections are bounded too, and closed when idle.

mod accept;
pub mod address;
mod answers;
mod body;
mod connections;
mod consumers;
mod extract;
mod flusher;
mod follow;
mod frontier;
mod guard;
mod inspect;
mod lines;
mod listen;
mod openapi;
mod pace;
pub mod problem;
mod query;
mod reading;
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
use url::Url;

use self::flusher::Flusher;
use self::guard::Guard;
use self::reading::PageReader;
use self::reference::Reference;
use self::routes::ApiContext;
use self::stream::Lane;
use tsrec_core::evidence::favor::Favor;
use tsrec_core::html::Limits;
use tsrec_crawl::frontier::Embedded;
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline::StoredTexts;
use tsrec_store::Store;

pub use self::answers::{ChangeRow, Feed, Listing, UnreadableRecord};
pub use self::consumers::Consumers;
pub use self::extract::page::{PostedPage, PostedSibling, line};
pub use self::follow::{FOLLOWERS, SNAPSHOTS};
pub use self::frontier::{
    Added, AddedUrl, Changed, HostChange, Hosts, HowFound, RefusedLine, RefusedLines, Sections, Urls, Why, delay,
};
pub use self::guard::{InvalidToken, Token};
pub use self::inspect::annotate;
pub use self::listen::{InvalidListen, Listen};
pub use self::pace::Pace;
pub use self::query::{MAX_LIMIT, MAX_LIMIT_WITH_CONTENT, ORDERS};

/// The upper limit of [`Config::max_wait`]. Judgement: proxies and clients give up on a silent
/// connection sooner than this.
pub const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Store calls that run at a time. Judgement: each takes a thread, and more calls do not make the
/// disk faster.
pub const READERS: usize = 8;

/// Answers with records sent at a time; others wait. Judgement: each takes a thread and some
/// megabytes.
pub const STREAMS: usize = 4;

/// Single records sent at a time. They have room of their own. Judgement: as for [`STREAMS`].
pub const RECORDS: usize = 4;

/// The lower limit of [`Config::max_answers_bytes`]. Judgement: a hundred answers.
const LEAST_ANSWERS: u64 = 1 << 20;

/// How long open connections may take to finish once the shutdown has begun. Judgement: long
/// polls are answered at once, so only clients that do not read remain.
const PATIENCE: Duration = Duration::from_secs(5);

/// The API's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where to listen: an IP address and a port, or `none` for no API. By default
    /// `127.0.0.1:7717`. Port 0 takes a free one.
    pub listen: Listen,
    /// The longest wait of a request for changes. 1 s to 10 min; by default 60 s.
    #[serde(with = "humantime_serde")]
    pub max_wait: Duration,
    /// A file with the token that requests must carry. It is required if `listen` is not a
    /// loopback address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// Names accepted in a request's `Host`, besides the address itself and, on loopback, this
    /// machine's own names.
    pub hosts: Vec<String>,
    /// Connections at a time; more wait until one ends, or take the place of one that has asked for
    /// nothing. Eight more are for health, metrics and single records. At least 1; by default 128.
    pub max_connections: usize,
    /// How long a connection may be silent: before its first request, between two requests, and
    /// before a body. 100 ms to 10 min; by default 10 s.
    #[serde(with = "humantime_serde")]
    pub idle_timeout: Duration,
    /// Posted pages that are extracted at a time. 0, the default, is as many as there are
    /// processors.
    pub max_extractions: usize,
    /// Bytes of answers of one batch that wait on disk until the client reads them. At least 1 MiB;
    /// by default 1 GiB.
    pub max_answers_bytes: u64,
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
            max_extractions: 0,
            max_answers_bytes: 1 << 30,
        }
    }
}

impl Config {
    /// Checks the settings' ranges, and that a token is set if others can connect.
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
        if self.max_answers_bytes < LEAST_ANSWERS {
            return Err(InvalidConfig::AnswersBytes(self.max_answers_bytes));
        }
        match self.listen {
            Listen::Addr(address) if !address.ip().is_loopback() && self.token_file.is_none() => {
                Err(InvalidConfig::NoToken(address))
            }
            _ => Ok(()),
        }
    }

    /// The required token, if one is set.
    ///
    /// # Errors
    ///
    /// If its file cannot be read, or has no token.
    pub fn token(&self) -> Result<Option<Token>, InvalidToken> {
        self.token_file.as_deref().map(Token::read).transpose()
    }
}

/// A setting out of its range.
#[derive(Debug, thiserror::Error)]
pub enum InvalidConfig {
    /// A time out of range.
    #[error(
        "`{setting}` is {}, it must be from {} to {}",
        humantime::format_duration(*value), humantime::format_duration(*least), humantime::format_duration(*most)
    )]
    Duration {
        /// Its name.
        setting: &'static str,
        /// Its value.
        value: Duration,
        /// The lower limit.
        least: Duration,
        /// The upper limit.
        most: Duration,
    },
    /// No connections are allowed.
    #[error("`max_connections` is 0, it must be at least 1")]
    NoConnections,
    /// Too few bytes for answers of a batch.
    #[error("`max_answers_bytes` is {0}, it must be at least {LEAST_ANSWERS} (1 MiB)")]
    AnswersBytes(u64),
    /// Others can connect, but no token is set.
    #[error(
        "`listen` is {0}, where other machines can connect: set `token_file` to a file that holds a token, or listen on 127.0.0.1"
    )]
    NoToken(std::net::SocketAddr),
}

/// Takes the hosts of URLs into a crawl.
pub type TakeIn = Arc<dyn Fn(&[Url]) + Send + Sync>;

/// What the API serves.
#[derive(Clone)]
pub struct Api {
    /// What the sites of the store have taught; it reads that store.
    pub memories: SiteMemories,
    /// The frontier that it shows and changes, if any.
    pub frontier: Option<Arc<Embedded>>,
    /// Text for `/readyz`: that the daemon is ready, or why it is not. It must not block.
    pub ready: Arc<dyn Fn() -> Result<String, String> + Send + Sync>,
    /// The metrics as Prometheus text. It must not block.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// The speed of the crawl, as the crawl reports it.
    pub pace: Arc<Pace>,
    /// Whether a crawl uses the frontier. If none does, requests cannot change it.
    pub is_crawling: bool,
    /// Takes the hosts of these URLs into the running crawl. It must not block.
    pub seeded: TakeIn,
    /// Tells the running crawl of new URLs. It must not block.
    pub added: Arc<dyn Fn() + Send + Sync>,
    /// What extractions favour, unless a request says otherwise.
    pub favor: Favor,
    /// The crawler's name in `<meta name=robots>`.
    pub product_token: Option<String>,
    /// The required token, if any.
    pub token: Option<Token>,
    /// The limits on pages that are posted or read again.
    pub limits: Limits,
    /// The settings, checked.
    pub config: Config,
}

impl Api {
    /// The store it reads.
    fn store(&self) -> &Store {
        self.memories.store()
    }

    /// What it reads pages with.
    fn reader(&self) -> PageReader<'_> {
        PageReader { memories: &self.memories, frontier: self.frontier.as_deref(), limits: &self.limits }
    }
}

/// Serves the API until the shutdown. Then it finishes open requests, ends long polls with what
/// there is, and returns after at most five seconds.
///
/// # Errors
///
/// If the listener has no address. Failed connections are no error here.
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

/// The router for requests to an address.
fn router(api: Api, address: SocketAddr, closing: watch::Sender<bool>) -> Router {
    let table = routes::table(&api.config, api.limits.bytes);
    let guard = Guard::new(address, &api.config.hosts, api.token.clone(), &table);
    let (room, flusher) = (extract::room(&api.config), Flusher::new(&api.memories));
    let context = ApiContext {
        api,
        room,
        flusher,
        texts: StoredTexts::default(),
        closing,
        readers: Arc::new(Semaphore::new(READERS)),
        streams: Arc::new(Lane::new(STREAMS)),
        records: Arc::new(Lane::new(RECORDS)),
        snapshots: Arc::new(Lane::new(SNAPSHOTS)),
        followers: Arc::new(Semaphore::new(FOLLOWERS)),
        reference: Arc::new(Reference::new(&table)),
        catalogue: Arc::default(),
    };
    routes::router(table, context, guard)
}

/// The API without a socket, for a program that has the store open itself. Its requests name
/// `localhost` as their host.
pub struct LocalApi {
    service: TowerToHyperService<Router>,
}

impl LocalApi {
    /// For the store of these memories and a frontier, with the default limits and without a token.
    pub fn new(memories: SiteMemories, frontier: Option<Arc<Embedded>>) -> LocalApi {
        let api = Api {
            memories,
            frontier,
            ready: Arc::new(|| Ok("no daemon runs".to_owned())),
            metrics: Arc::new(String::new),
            pace: Arc::default(),
            is_crawling: true,
            seeded: Arc::new(|_| {}),
            added: Arc::new(|| {}),
            favor: Favor::Balance,
            product_token: None,
            token: None,
            limits: Limits::default(),
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
