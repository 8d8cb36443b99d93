//! The only HTTP client. It fetches one page at a time, under robots.txt, address rules and limits.
//!
//! ```text
//! Fetcher::follow ── Fetcher::visit ─┬─ admission   scheme, credentials, length, IP literals
//!  (redirects)        (one hop)      ├─ robots      rules of the origin: cache, rules, octets
//!                                    ├─ client      GET, head: resolver, turns, connection
//!                                    └─ page        media type, sniffing, the body up to its cap
//! ```
//!
//! Invariants:
//! - No hop, robots.txt included, sends anything to an address that
//!   [`Config::allow_private_addresses`] does not cover. IP literals are checked in the URL. Names
//!   are checked by the resolver, and the client connects to exactly what the resolver returns.
//!   Only [`Config::proxy_resolves_names`] changes that, for names.
//! - A page is requested only after the robots.txt of its origin (scheme, host, port) allows it.
//! - Every request takes a turn at its origin and at its address ([`Delays`]). Requests for
//!   robots.txt and its redirects do so too.
//! - Every answer has limits: time ([`Config::timeout`]), rate ([`Config::min_bytes_per_second`]),
//!   bytes of its head, and decoded bytes ([`Config::max_body_bytes`]).
//! - Every failure has a [`Cause`], and a cause has a [`Fault`](crate::Fault). Our own failures are
//!   neither the URL's nor the host's fault.
//! - Between requests the client keeps only robots.txt, addresses for a minute, turns, and idle
//!   connections. It keeps no cookies and no referrers. (A cookie of a redirect to the same URL
//!   goes into the next request and is forgotten.) It neither sends nor shows user names and
//!   passwords.
//!
//! The frontier decides when a host is asked next. Every [`FetchResult::crawl_delay`] reports the
//! delay that robots.txt asks for.
//!
//! # RFC 9309, and where it is read in a way of our own
//!
//! Groups and rules: sections 2.2.1 to 2.2.4. `Crawl-delay` is not in the RFC; it is reported and
//! changes no group. Outcomes of requesting the file: section 2.3.1. Caching: 2.4. Limits: 2.5.
//! - 408 and 429 count as unreachable (everything waits), not as "no robots.txt" (everything
//!   allowed). Section 2.3.1.3 treats them like 404, but a server that says "not now" has not
//!   allowed everything.
//! - An unreachable robots.txt disallows everything (2.3.1.4), as a *transient* error, for as long
//!   as it stays unreachable. A stale copy does not replace it, nor does "all allowed" after thirty
//!   days. The RFC permits both.
//! - A robots.txt that redirects to a refused address is unreachable, not absent.
//! - The user agent begins with the product token. A `/`, a space, or nothing follows it.
//! - 500 KiB are parsed, the least that section 2.5 allows.
//!
//! # HTTP (RFC 9110), and the like
//!
//! - 300 and 305 are errors: the client cannot choose, and it uses no proxies. 304 is an error if
//!   the request had no [`Validators`].
//! - The client speaks HTTP/1.1, and HTTP/2 where TLS agrees on it. It decodes gzip (of several
//!   members, too), brotli, zstd and deflate. A body in an encoding that it does not know counts as
//!   it comes, if that is text. A gzip body without its checksum is kept, and counts as cut off.
//! - It reads `Retry-After` with 429 and 503.
//! - A redirect to the same URL that sets a cookie is followed once, with that cookie. Any other
//!   redirect to the same URL is an error.
//! - 202, 204, 205, an unsolicited 206 and a blank body are errors: there is no page, or not all of
//!   it.
//! - It looks at the bytes whatever the content type says ([`tsrec_core::html::sniff`]): PDF sent
//!   as `text/html` is not HTML. Text without a content type, or with one that says that the server
//!   does not know, counts as HTML, and XML whose root is `html` as XHTML.

mod address;
mod admission;
mod archived;
mod body;
mod cause;
mod client;
mod connection;
mod dates;
mod decode;
mod directives;
mod error;
mod failure;
mod headers;
mod link_header;
pub mod listing;
mod media_type;
mod page;
mod proxy;
mod resolver;
pub mod robots;
mod turns;
mod user_agent;
mod visit;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use url::{Position, Url};

pub(crate) use self::admission::is_bad_port;
pub use self::archived::{Archived, ArchivedPage, archived};
pub use self::cause::Cause;
pub use self::directives::unavailable_from;
pub use self::error::Error;
pub use self::media_type::MediaType;
pub use self::proxy::ProxyUrl;
pub(crate) use self::visit::MAX_WAIT;
pub use self::visit::{
    Delays, Exchange, FetchRequest, FetchResult, Fetched, FetchedPage, Hop, Validators, is_permanent,
};

use self::client::{Ask, HttpAnswer, HttpClient, Success, Trace};
use self::listing::{EntrySender, ListingEnd, SiteListing};
use self::proxy::NamesResolvedBy;
pub(crate) use self::robots::MOST_CRAWL_DELAY;
use self::robots::{Robots, RobotsDecision};
use self::user_agent::UserAgent;

/// Longest time that a robots.txt may be cached (RFC 9309, section 2.4).
const MAX_ROBOTS_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether a redirect leads to the URL that was asked for.
fn is_same(url: &Url, to: &Url) -> bool {
    url[..Position::AfterQuery] == to[..Position::AfterQuery]
}

/// Limits of the HTTP client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Time to resolve a name, and the same again to connect and agree on TLS. More than 0; by
    /// default 10 s.
    #[serde(with = "humantime_serde")]
    pub connect_timeout: Duration,
    /// Time from the request to the end of the answer's head. More than 0; by default 20 s.
    #[serde(with = "humantime_serde")]
    pub response_timeout: Duration,
    /// Time for one request, from connecting to the last byte of the body; also for a robots.txt
    /// with all its redirects. More than 0; by default 30 s.
    #[serde(with = "humantime_serde")]
    pub timeout: Duration,
    /// Least average rate of a body in bytes a second, before it is decoded, after `slow_grace`. 0
    /// for any rate; by default 1,000.
    pub min_bytes_per_second: u32,
    /// How long a body may come at any rate. By default 5 s.
    #[serde(with = "humantime_serde")]
    pub slow_grace: Duration,
    /// Bytes read of a decoded body. The client leaves the rest with the server and sets
    /// [`FetchedPage::truncated`]. More than 0; by default 10 MiB.
    pub max_body_bytes: usize,
    /// Redirects that [`Fetcher::follow`] follows for one page; 0 makes every redirect an error. By
    /// default 5.
    pub max_redirects: usize,
    /// Whether to fetch from loopback, private, link-local and other addresses that are not
    /// globally reachable, as for an intranet. Then anyone who can place a link can make the
    /// crawler read what only its machine can reach. By default false.
    pub allow_private_addresses: bool,
    /// The proxy for all requests, such as `socks5://127.0.0.1:1080`. The rules on addresses do not
    /// apply to its own. With socks5 they apply to those of the hosts. By default none.
    pub proxy: Option<ProxyUrl>,
    /// Whether an http or https proxy may be used. It resolves names itself, so that no address of
    /// a name is checked, and names have no turns by address. By default false.
    pub proxy_resolves_names: bool,
    /// How long a robots.txt is used before it is asked for again. 0 to 24 h (RFC 9309, section
    /// 2.4); by default 24 h. 0 asks before every page.
    #[serde(with = "humantime_serde")]
    pub robots_ttl: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(20),
            timeout: Duration::from_secs(30),
            min_bytes_per_second: 1_000,
            slow_grace: Duration::from_secs(5),
            max_body_bytes: 10 << 20,
            max_redirects: 5,
            allow_private_addresses: false,
            proxy: None,
            proxy_resolves_names: false,
            robots_ttl: MAX_ROBOTS_TTL,
        }
    }
}

impl Config {
    /// Checks that the fields are in their ranges.
    ///
    /// # Errors
    /// The first field out of its range, with the range.
    pub fn check(&self) -> Result<(), Error> {
        for (field, is_zero) in [
            ("connect_timeout", self.connect_timeout.is_zero()),
            ("response_timeout", self.response_timeout.is_zero()),
            ("timeout", self.timeout.is_zero()),
            ("max_body_bytes", self.max_body_bytes == 0),
        ] {
            if is_zero {
                return Err(Error::setup(format!("`{field}` is 0, which would fetch nothing; set it to more than 0")));
            }
        }
        let resolves = |proxy: &&ProxyUrl| proxy.names_resolved_by() == NamesResolvedBy::Proxy;
        if let Some(proxy) = self.proxy.as_ref().filter(resolves)
            && !self.proxy_resolves_names
        {
            return Err(Error::setup(format!(
                "the proxy {proxy} resolves names itself, so that links could lead to private addresses behind it; set \
                 `proxy_resolves_names = true` if the proxy refuses those, or use a socks5 proxy"
            )));
        }
        if self.robots_ttl > MAX_ROBOTS_TTL {
            return Err(Error::setup(format!(
                "`robots_ttl` is {}; RFC 9309 allows at most 24h",
                humantime::format_duration(self.robots_ttl)
            )));
        }
        Ok(())
    }
}

/// The name by which robots.txt knows a user agent: its leading letters, `-` and `_`.
///
/// # Errors
/// [`Fetcher::new`] refuses the user agent.
pub fn product_token(user_agent: &str) -> Result<String, Error> {
    UserAgent::parse(user_agent).map(|user_agent| user_agent.product_token)
}

/// The client. Clones are cheap and share connections and robots.txt files.
#[derive(Clone, Debug)]
pub struct Fetcher {
    shared: Arc<SharedClient>,
    keeps_exchanges: bool,
}

#[derive(Debug)]
struct SharedClient {
    client: HttpClient,
    robots: Robots,
    product_token: String,
    timeout: Duration,
    max_body_bytes: usize,
    max_redirects: usize,
}

impl Fetcher {
    /// A client that calls itself `user_agent`, such as `examplebot/1.0
    /// (+https://example.org/bot)`. robots.txt knows it by its leading letters, `-` and `_`.
    ///
    /// # Errors
    /// A configuration out of range; a user agent that is empty, too long, not printable ASCII, or
    /// does not begin with such a name; a system without CA certificates.
    pub fn new(config: &Config, user_agent: &str) -> Result<Self, Error> {
        Self::with_delays(config, user_agent, Delays::default())
    }

    /// A client whose requests keep these delays, clones included.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with_delays(config: &Config, user_agent: &str, delays: Delays) -> Result<Self, Error> {
        config.check()?;
        let user_agent = UserAgent::parse(user_agent)?;
        let client = HttpClient::new(config, &user_agent, delays)?;
        Ok(Self::with_client(client, config, user_agent))
    }

    fn with_client(client: HttpClient, config: &Config, user_agent: UserAgent) -> Self {
        let robots = Robots::new(client.clone(), config, &user_agent);
        let shared = SharedClient {
            client,
            robots,
            product_token: user_agent.product_token,
            timeout: config.timeout,
            max_body_bytes: config.max_body_bytes,
            max_redirects: config.max_redirects,
        };
        Self { shared: Arc::new(shared), keeps_exchanges: false }
    }

    /// Cuts the crawl delays that robots.txt files ask for to this; by default to five minutes.
    /// Call it before the client is cloned.
    pub fn with_most_crawl_delay(mut self, most: Duration) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.robots.most_crawl_delay = most;
        }
        self
    }

    /// Pages also have the request and the head of the answer: see [`FetchedPage::exchange`].
    pub fn with_exchanges(self) -> Self {
        Self { keeps_exchanges: true, ..self }
    }

    /// The name by which robots.txt, `X-Robots-Tag` and `<meta>` know this crawler.
    pub fn product_token(&self) -> &str {
        &self.shared.product_token
    }

    /// Fetches one URL, after its robots.txt unless that is cached. Each takes at most
    /// [`Config::timeout`], plus the wait for its turn. Dropping the future at any time ends the
    /// request.
    ///
    /// # Errors
    /// Anything but an HTML page with a success status or a redirect; see [`Error::cause`].
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, Error> {
        self.visit(&FetchRequest::new(url)).await.result
    }

    /// Like [`fetch`](Self::fetch), with timings and everything else noticed on the way.
    pub async fn visit(&self, request: &FetchRequest<'_>) -> FetchResult {
        let SharedClient { max_body_bytes, product_token, .. } = &*self.shared;
        self.visit_as(request, page::ACCEPT, |answer| {
            let exchange = self.keeps_exchanges.then(|| Box::new(answer.exchange()));
            let page = page::read_page(request.url, answer, *max_body_bytes, product_token);
            async { page.await.map(|page| FetchedPage { exchange, ..page }) }
        })
        .await
    }

    /// Like [`visit`](Self::visit), for a sitemap, a feed, or a list of URLs. Its entries are
    /// handed on as they arrive, also if the answer breaks off later.
    pub async fn visit_entries(&self, request: &FetchRequest<'_>, entries: &EntrySender) -> FetchResult<ListingEnd> {
        self.visit_as(request, listing::ACCEPT, |answer| listing::read_answer(request.url, answer, entries)).await
    }

    /// Like [`visit_entries`](Self::visit_entries), with the listing as a whole: 200 MB at worst.
    pub async fn visit_listing(&self, request: &FetchRequest<'_>) -> FetchResult<SiteListing> {
        let (sender, entries) = mpsc::channel(1);
        let visit = async move { self.visit_entries(request, &sender).await };
        let (visit, listing) = tokio::join!(visit, SiteListing::collect(entries));
        visit.map(|end| SiteListing { cut: end.cut, ..listing })
    }

    /// `read` turns a successful answer into the result.
    async fn visit_as<T, F: Future<Output = Result<T, Error>>>(
        &self,
        request: &FetchRequest<'_>,
        accept: &'static str,
        read: impl FnOnce(Success) -> F,
    ) -> FetchResult<T> {
        let (began, mut trace) = (Instant::now(), Trace::default());
        let result = match self.ask(request, accept, &mut trace).await {
            Ok(HttpAnswer::Success(answer)) => read(*answer).await.map(Fetched::Page),
            Ok(HttpAnswer::Redirect { to, status, .. }) => Ok(Fetched::Redirect { to, status }),
            Ok(HttpAnswer::NotModified(headers)) => {
                let directives = directives::directives(&headers, &self.shared.product_token, jiff::Timestamp::now());
                Ok(Fetched::NotModified { validators: client::validators(&headers), directives })
            }
            Err(error) => Err(error),
        };
        FetchResult {
            result,
            took: began.elapsed(),
            waited: trace.waited,
            response_time: trace.response_time,
            address: trace.address,
            requests: trace.requests,
            robots_tried: trace.robots_tried,
            crawl_delay: self.shared.robots.known_delay(request.url),
            robots: trace.robots,
        }
    }

    async fn ask(
        &self,
        request: &FetchRequest<'_>,
        accept: &'static str,
        trace: &mut Trace,
    ) -> Result<HttpAnswer, Error> {
        let SharedClient { client, robots, timeout, .. } = &*self.shared;
        let url = request.url;
        client.admit(url)?;
        robots.permit(url, request.max_wait, trace).await?;
        let ask = Ask {
            url,
            accept,
            validators: request.validators,
            timeout: request.timeout.map_or(*timeout, |shorter| shorter.min(*timeout)),
            max_wait: request.max_wait,
            crawl_delay: robots.known_delay(url),
            delay: request.delay,
            cookie: None,
        };
        let answer = match client.get(&ask, trace).await {
            Ok(HttpAnswer::Redirect { to, cookie: Some(cookie), .. }) if is_same(url, &to) => {
                client.get(&Ask { cookie: Some(&cookie), ..ask }, trace).await
            }
            answer => answer,
        };
        let answer = match answer {
            Ok(HttpAnswer::Redirect { to, .. }) if is_same(url, &to) => Err(Error::redirect_loop(url, &to)),
            answer => answer,
        };
        match answer.as_ref().err().and_then(Error::busy) {
            Some(_) => robots.turn_is_to_come(url),
            None => robots.turn_has_come(url),
        }
        answer
    }

    /// Fetches one URL and follows its redirects, up to [`Config::max_redirects`]. Each hop works
    /// like [`fetch`](Self::fetch): under the address rules and the robots.txt of its target.
    /// [`FetchedPage::via`] lists the hops.
    ///
    /// # Errors
    /// Those of [`fetch`](Self::fetch) for any of the hops, too many redirects, or redirects in a
    /// circle.
    pub async fn follow(&self, url: &Url) -> Result<FetchedPage, Error> {
        let (mut asked, mut via) = (HashSet::new(), Vec::new());
        let mut next = url.clone();
        next.set_fragment(None);
        loop {
            asked.insert(next.clone());
            let (to, status) = match self.fetch(&next).await? {
                Fetched::Page(page) => return Ok(FetchedPage { via, ..page }),
                Fetched::Redirect { to, status } => (to, status),
                Fetched::NotModified { .. } => return Err(Error::not_modified(&next)), // Nothing was conditional.
            };
            if asked.contains(&to) {
                return Err(Error::redirect_loop(url, &to));
            }
            if asked.len() > self.shared.max_redirects {
                return Err(Error::too_many_redirects(url, self.shared.max_redirects, &to));
            }
            via.push(Hop { url: std::mem::replace(&mut next, to), status });
        }
    }

    /// The first address that a request for the URL would try. The answer is kept for a minute, so
    /// that a request soon after goes there.
    ///
    /// # Errors
    /// The client refuses the URL, or cannot resolve its name, or leaves that to its proxy.
    pub async fn locate(&self, url: &Url) -> Result<IpAddr, Error> {
        let addresses = self.shared.client.locate(url).await?;
        addresses[0].ok_or_else(|| Error::setup(format!("the proxy resolves the name of {}", url.authority())))
    }

    /// The decision of the robots.txt of the URL's origin. The file is fetched unless it is cached.
    ///
    /// # Errors
    /// The client refuses the URL, or cannot read its robots.txt.
    pub async fn robots(&self, url: &Url) -> Result<RobotsDecision, Error> {
        self.shared.client.admit(url)?;
        self.shared.robots.decide(url, MAX_WAIT, &mut Trace::default()).await
    }

    /// The sitemaps that the robots.txt of the URL's origin names, if that file is cached. Makes no
    /// request.
    pub fn sitemaps(&self, url: &Url) -> Vec<Url> {
        self.shared.robots.known_sitemaps(url)
    }

    /// The `Crawl-delay` that the robots.txt of the URL's origin asks of this crawler, cut as
    /// [`with_most_crawl_delay`](Self::with_most_crawl_delay) says. The file is fetched unless it
    /// is cached. `None` if it names no delay, cannot be read, or the client refuses the URL.
    pub async fn crawl_delay(&self, url: &Url) -> Option<Duration> {
        self.shared.client.admit(url).ok()?;
        self.shared.robots.rules(url, MAX_WAIT).await?;
        self.shared.robots.known_delay(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_configuration_is_in_range_and_survives_a_round_trip() {
        let config = Config::default();
        config.check().unwrap();
        let text = toml::to_string(&config).unwrap();
        assert!(text.contains("timeout = \"30s\""), "{text}");
        assert_eq!(toml::from_str::<Config>(&text).unwrap(), config);
        assert_eq!(toml::from_str::<Config>("").unwrap(), config);
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (text, expect) in [
            ("connect_timeout = '0s'", "`connect_timeout`"),
            ("response_timeout = '0s'", "`response_timeout`"),
            ("timeout = '0s'", "`timeout`"),
            ("max_body_bytes = 0", "`max_body_bytes`"),
            ("robots_ttl = '2days'", "`robots_ttl` is 2days"),
        ] {
            let error = Fetcher::new(&toml::from_str(text).unwrap(), "examplebot").unwrap_err().to_string();
            assert!(error.contains(expect), "{text}: {error}");
        }
        assert!(toml::from_str::<Config>("obey_robots = false").is_err());
    }
}
