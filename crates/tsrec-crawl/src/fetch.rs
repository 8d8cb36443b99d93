//! The only HTTP client: one page at a time, under robots.txt, address rules and limits.
//!
//! ```text
//! Fetcher::follow ── Fetcher::visit ─┬─ admission   scheme, credentials, length, IP literals
//!  (redirects)        (one hop)      ├─ robots      the origin's rules, cached: cache, rules, octets
//!                                    ├─ client      one GET: resolver, turns, connection, wire; status and headers
//!                                    └─ page        media type, sniffing, the body up to its cap
//! ```
//!
//! Invariants:
//! - Nothing is sent to an address that [`Config::allow_private_addresses`] does not cover, on any
//!   hop, robots.txt included: IP literals are judged in the URL, names by the resolver, whose
//!   answer is what is connected to. There is no proxy.
//! - No page is asked for before the robots.txt of its origin (scheme, host, port) allows it.
//! - Every request takes its turn at its origin and at its address ([`Delays`]), those for
//!   robots.txt and those that it redirects to with the rest.
//! - Every answer is bounded in time ([`Config::timeout`]), in how slowly it may come
//!   ([`Config::min_bytes_per_second`]), in the bytes before and in its head, and in decoded bytes
//!   ([`Config::max_body_bytes`]).
//! - Every failure has a [`Cause`], and a cause a [`Fault`]: what is our own fault is nobody
//!   else's.
//! - Nothing is remembered between requests but robots.txt, addresses for a minute, whose turn it
//!   is, and idle connections: no cookies, no referrers. User names and passwords are neither sent
//!   nor shown.
//!
//! When a host is asked next is the frontier's business; what robots.txt says about it is told with
//! every [`FetchResult::crawl_delay`].
//!
//! # RFC 9309, and where it is read in a way of our own
//!
//! Groups and rules: sections 2.2.1 to 2.2.4; `Crawl-delay`, which it does not know, is reported
//! and changes no group. The outcomes of asking for the file: section 2.3.1. Caching: 2.4. Limits:
//! 2.5.
//! - 408 and 429 count as unreachable (everything waits), not as "no robots.txt" (everything
//!   allowed): section 2.3.1.3 lumps them with 404, but a server that says "not now" has not said
//!   "do as you please".
//! - An unreachable robots.txt disallows everything (2.3.1.4) as a *transient* error, for as long
//!   as it stays unreachable: neither a stale copy nor, after thirty days, "all allowed" takes its
//!   place, both of which the RFC leaves open.
//! - A robots.txt that redirects to a refused address is unreachable, not absent.
//! - The product token is what the user agent begins with, and may be followed by `/`, a space, or
//!   nothing.
//! - 500 KiB are parsed, the least that section 2.5 allows.
//!
//! # HTTP (RFC 9110), and the like
//!
//! - 300 and 305 are errors: there is nothing to choose from, and proxies are not used. So is 304
//!   to a request without [`Validators`].
//! - HTTP/1.1 alone is spoken, and gzip and brotli are understood.
//! - `Retry-After` is read with 429 and 503; its date in the preferred format only.
//! - Whatever the content type says, the bytes are looked at ([`tsrec_core::html::sniff`]): PDF
//!   sent as `text/html` is not HTML. What has no content type and is text is taken for HTML.

mod address;
mod admission;
mod archived;
mod body;
mod cause;
mod client;
mod connection;
mod directives;
mod error;
mod failure;
mod headers;
pub mod listing;
mod media_type;
mod page;
mod resolver;
pub mod robots;
mod turns;
mod user_agent;
mod visit;
mod wire;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use url::Url;

pub(crate) use self::admission::is_bad_port;
pub use self::archived::{Archived, ArchivedPage, archived};
pub use self::cause::{Cause, Fault};
pub use self::directives::unavailable_from;
pub use self::error::Error;
pub use self::media_type::MediaType;
pub(crate) use self::visit::MAX_WAIT;
pub use self::visit::{
    Delays, Exchange, FetchRequest, FetchResult, Fetched, FetchedPage, Hop, Validators, is_permanent,
};

use self::client::{Ask, HttpAnswer, HttpClient, Success, Trace};
use self::listing::SiteListing;
use self::robots::{Robots, RobotsDecision};
use self::user_agent::UserAgent;

/// Longest time that a robots.txt may be cached (RFC 9309, section 2.4).
const MAX_ROBOTS_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Limits of the HTTP client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Time to resolve a name, and as much again to connect and agree on TLS. More than 0; by
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
    /// Bytes of a body, as the transport carries them, that must come in a second on the average
    /// once `slow_grace` is over. 0 for any rate; by default 1,000.
    pub min_bytes_per_second: u32,
    /// How long a body may come as slowly as it likes. By default 5 s.
    #[serde(with = "humantime_serde")]
    pub slow_grace: Duration,
    /// Bytes of a decoded body that are read; the rest is left with the server, and
    /// [`FetchedPage::truncated`] says so. More than 0; by default 10 MiB.
    pub max_body_bytes: usize,
    /// Redirects that [`Fetcher::follow`] follows for one page; 0 makes every redirect an error. By
    /// default 5.
    pub max_redirects: usize,
    /// Whether loopback, private, link-local and other addresses that are not globally reachable
    /// may be asked, as for an intranet. Whoever can place a link can then make the crawler read
    /// what only its host can reach. By default false.
    pub allow_private_addresses: bool,
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
            robots_ttl: MAX_ROBOTS_TTL,
        }
    }
}

impl Config {
    /// Checks the ranges that the fields name.
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
        if self.robots_ttl > MAX_ROBOTS_TTL {
            return Err(Error::setup(format!(
                "`robots_ttl` is {}; RFC 9309 allows at most 24h",
                humantime::format_duration(self.robots_ttl)
            )));
        }
        Ok(())
    }
}

/// The name that robots.txt knows a user agent by: the letters, `-` and `_` that it begins with.
///
/// # Errors
/// The user agent is one that [`Fetcher::new`] refuses.
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
    /// (+https://example.org/bot)`. The letters, `-` and `_` it begins with are the name that
    /// robots.txt knows it by.
    ///
    /// # Errors
    /// A configuration out of range; a user agent that is empty, too long, not printable ASCII, or
    /// does not begin with such a name; a system without CA certificates.
    pub fn new(config: &Config, user_agent: &str) -> Result<Self, Error> {
        Self::with_delays(config, user_agent, Delays::default())
    }

    /// A client whose requests keep their distance, whoever makes them.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn with_delays(config: &Config, user_agent: &str, delays: Delays) -> Result<Self, Error> {
        config.check()?;
        let user_agent = UserAgent::parse(user_agent)?;
        let client = HttpClient::new(config, &user_agent, delays)?;
        let robots = Robots::new(client.clone(), config, &user_agent);
        let shared = SharedClient {
            client,
            robots,
            product_token: user_agent.product_token,
            timeout: config.timeout,
            max_body_bytes: config.max_body_bytes,
            max_redirects: config.max_redirects,
        };
        Ok(Self { shared: Arc::new(shared), keeps_exchanges: false })
    }

    /// Pages come with what was asked and what came before their body: see
    /// [`FetchedPage::exchange`].
    pub fn with_exchanges(self) -> Self {
        Self { keeps_exchanges: true, ..self }
    }

    /// The name that robots.txt, `X-Robots-Tag` and `<meta>` know this crawler by.
    pub fn product_token(&self) -> &str {
        &self.shared.product_token
    }

    /// Asks for one URL, its robots.txt first unless that is cached; each takes at most
    /// [`Config::timeout`], and the wait for its turn. It may be dropped at any time, which ends
    /// the request.
    ///
    /// # Errors
    /// Whatever is not an HTML page with a success status, nor a redirect; see [`Error::cause`].
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, Error> {
        self.visit(&FetchRequest::new(url)).await.result
    }

    /// Like [`fetch`](Self::fetch), with all that was noticed on the way.
    pub async fn visit(&self, request: &FetchRequest<'_>) -> FetchResult {
        let SharedClient { max_body_bytes, product_token, .. } = &*self.shared;
        self.visit_as(request, page::ACCEPT, |answer| {
            let exchange = self.keeps_exchanges.then(|| Box::new(answer.exchange()));
            let page = page::read_page(request.url, answer, *max_body_bytes, product_token);
            async { page.await.map(|page| FetchedPage { exchange, ..page }) }
        })
        .await
    }

    /// Like [`visit`](Self::visit), for a sitemap, a feed, or a list of URLs.
    pub async fn visit_listing(&self, request: &FetchRequest<'_>) -> FetchResult<SiteListing> {
        let most = self.shared.max_body_bytes;
        self.visit_as(request, listing::ACCEPT, |answer| listing::read_answer(request.url, answer, most)).await
    }

    /// `read` makes of a success what is wanted.
    async fn visit_as<T, F: Future<Output = Result<T, Error>>>(
        &self,
        request: &FetchRequest<'_>,
        accept: &'static str,
        read: impl FnOnce(Success) -> F,
    ) -> FetchResult<T> {
        let (began, mut trace) = (Instant::now(), Trace::default());
        let result = match self.ask(request, accept, &mut trace).await {
            Ok(HttpAnswer::Success(answer)) => read(*answer).await.map(Fetched::Page),
            Ok(HttpAnswer::Redirect { to, status }) => Ok(Fetched::Redirect { to, status }),
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
        };
        let answer = client.get(&ask, trace).await;
        match answer.as_ref().err().and_then(Error::busy) {
            Some(_) => robots.turn_is_to_come(url),
            None => robots.turn_has_come(url),
        }
        answer
    }

    /// Asks for one URL and follows its redirects, up to [`Config::max_redirects`], each as
    /// [`fetch`](Self::fetch) would: under the address rules, and the robots.txt of where it leads.
    /// [`FetchedPage::via`] says which way it went.
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

    /// Where the URL would be asked for first. The answer is kept for a minute, so that a request
    /// soon after goes there.
    ///
    /// # Errors
    /// The URL is one that is not asked for, or its name cannot be resolved.
    pub async fn locate(&self, url: &Url) -> Result<IpAddr, Error> {
        self.shared.client.locate(url).await.map(|addresses| addresses[0])
    }

    /// What the robots.txt of the URL's origin says to it; it is asked for unless it is cached.
    ///
    /// # Errors
    /// The URL is one that is not asked for, or its robots.txt cannot be read.
    pub async fn robots(&self, url: &Url) -> Result<RobotsDecision, Error> {
        self.shared.client.admit(url)?;
        self.shared.robots.decide(url, MAX_WAIT, &mut Trace::default()).await
    }

    /// The sitemaps that the robots.txt of the URL's origin names, as far as it has been read.
    /// Nothing is asked for.
    pub fn sitemaps(&self, url: &Url) -> Vec<Url> {
        self.shared.robots.known_sitemaps(url)
    }

    /// The `Crawl-delay` that the robots.txt of the URL's origin asks of this crawler, at most 60
    /// s; it is asked for unless it is cached. `None` when it names none, cannot be read, or the
    /// URL is one that is not asked for.
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
