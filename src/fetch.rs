//! The only HTTP client: one page at a time, under robots.txt, address rules and limits.
//!
//! ```text
//! Fetcher::follow ── Fetcher::fetch ─┬─ admission   scheme, credentials, length, IP literals
//!  (redirects)        (one hop)      ├─ robots      the origin's rules, cached: cache, rules
//!                                    ├─ client      one GET; resolver and address rules; status, Location, Retry-After
//!                                    └─ page        media type, sniffing, the body up to its cap
//! ```
//!
//! Invariants:
//! - Nothing is sent to an address that [`Config::allow_private_addresses`] does not cover, on any hop, robots.txt
//!   included: IP literals are judged in the URL, names by the resolver, whose answer is what is connected to. There is
//!   no proxy.
//! - No page is asked for before the robots.txt of its origin (scheme, host, port) allows it.
//! - Every answer is bounded in time ([`Config::timeout`]) and in decoded bytes ([`Config::max_body_bytes`]).
//! - Nothing is remembered between requests but robots.txt and idle connections: no cookies, no referrers.
//!
//! The delay between two requests to a host is the frontier's business; what robots.txt says about it is told by
//! [`Fetcher::crawl_delay`].
//!
//! # RFC 9309, and where it is read in a way of our own
//!
//! Groups and rules: sections 2.2.1 to 2.2.4; `Crawl-delay`, which it does not know, is reported and changes no group.
//! The outcomes of asking for the file: section 2.3.1. Caching: 2.4. Limits: 2.5.
//! - 408 and 429 count as unreachable (everything waits), not as "no robots.txt" (everything allowed): section 2.3.1.3
//!   lumps them with 404, but a server that says "not now" has not said "do as you please".
//! - An unreachable robots.txt disallows everything (2.3.1.4) as a *transient* error, for as long as it stays
//!   unreachable: neither a stale copy nor, after thirty days, "all allowed" takes its place, both of which the RFC
//!   leaves open.
//! - A robots.txt that redirects to a refused address is unreachable, not absent.
//! - The product token is what the user agent begins with, and may be followed by `/`, a space, or nothing.
//! - 500 KiB are parsed, the least that section 2.5 allows.
//!
//! # HTTP (RFC 9110), and the like
//!
//! - 300, 304 and 305 are errors: there is nothing to choose from, nothing was conditional, and proxies are not used.
//! - `Retry-After` is read with 429 and 503; its date in the preferred format only.
//! - A missing or malformed content type is sniffed for binary data bytes only; what is then text is taken for HTML.

mod address;
mod admission;
mod client;
mod error;
mod headers;
mod media_type;
mod page;
mod resolver;
pub mod robots;
mod user_agent;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

pub use self::error::Error;

use self::client::{Answer, Client};
use self::robots::{Decision, Robots};
use self::user_agent::UserAgent;

/// Longest time that a robots.txt may be cached (RFC 9309, section 2.4).
const MAX_ROBOTS_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Limits of the HTTP client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Time to resolve a name, connect and agree on TLS. More than 0; by default 10 s.
    #[serde(with = "humantime_serde")]
    pub connect_timeout: Duration,
    /// Time for one request, from resolving the name to the last byte of the body; also for a robots.txt with all its
    /// redirects. More than 0; by default 30 s.
    #[serde(with = "humantime_serde")]
    pub timeout: Duration,
    /// Bytes of a decoded body that are read; the rest is left with the server, and [`Page::truncated`] says so. More
    /// than 0; by default 10 MiB.
    pub max_body_bytes: usize,
    /// Redirects that [`Fetcher::follow`] follows for one page; 0 makes every redirect an error. By default 5.
    pub max_redirects: usize,
    /// Whether loopback, private, link-local and other addresses that are not globally reachable may be asked, as for
    /// an intranet. Whoever can place a link can then make the crawler read what only its host can reach. By default
    /// false.
    pub allow_private_addresses: bool,
    /// How long a robots.txt is used before it is asked for again. 0 to 24 h (RFC 9309, section 2.4); by default 24 h.
    /// 0 asks before every page.
    #[serde(with = "humantime_serde")]
    pub robots_ttl: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
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
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    client: Client,
    robots: Robots,
    max_body_bytes: usize,
    max_redirects: usize,
}

/// What one request gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetched {
    /// A page.
    Page(Page),
    /// The page is elsewhere.
    Redirect {
        /// Where to, without fragment. Not checked yet: asking for it checks it.
        to: Url,
        /// 301, 302, 303, 307 or 308; 301 and 308 are permanent.
        status: u16,
    },
}

/// An HTML page as it came, its content encoding undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The URL that gave it: after redirects, the last.
    pub url: Url,
    /// 200 to 299.
    pub status: u16,
    /// `text/html` or `application/xhtml+xml`; `None` when the server did not say.
    pub content_type: Option<String>,
    /// The charset parameter of the content type, as given: a label, not checked to be one that exists.
    pub charset: Option<String>,
    /// The body, at most [`Config::max_body_bytes`] long.
    pub body: Vec<u8>,
    /// Whether the body went on.
    pub truncated: bool,
}

impl Fetcher {
    /// A client that calls itself `user_agent`, such as `examplebot/1.0 (+https://example.org/bot)`. The letters, `-`
    /// and `_` it begins with are the name that robots.txt knows it by.
    ///
    /// # Errors
    /// A configuration out of range; a user agent that is empty, too long, not printable ASCII, or does not begin with
    /// such a name; a system without CA certificates.
    pub fn new(config: &Config, user_agent: &str) -> Result<Self, Error> {
        config.check()?;
        let user_agent = UserAgent::parse(user_agent)?;
        let client = Client::new(config, &user_agent)?;
        let robots = Robots::new(client.clone(), config, &user_agent);
        let (max_body_bytes, max_redirects) = (config.max_body_bytes, config.max_redirects);
        Ok(Self { shared: Arc::new(Shared { client, robots, max_body_bytes, max_redirects }) })
    }

    /// Asks for one URL, its robots.txt first unless that is cached; each takes at most [`Config::timeout`]. It may be
    /// dropped at any time, which ends the request.
    ///
    /// # Errors
    /// Whatever is not an HTML page with a success status, nor a redirect; see the predicates of [`Error`].
    pub async fn fetch(&self, url: &Url) -> Result<Fetched, Error> {
        let Shared { client, robots, max_body_bytes, .. } = &*self.shared;
        client.admit(url)?;
        robots.permit(url).await?;
        match client.get(url, page::ACCEPT).await? {
            Answer::Redirect { to, status } => Ok(Fetched::Redirect { to, status }),
            Answer::Success(response) => page::read_page(url, response, *max_body_bytes).await.map(Fetched::Page),
        }
    }

    /// Asks for one URL and follows its redirects, up to [`Config::max_redirects`], each as [`fetch`](Self::fetch)
    /// would: under the address rules, and the robots.txt of where it leads. There is no delay between the hops.
    ///
    /// # Errors
    /// Those of [`fetch`](Self::fetch) for any of the hops, too many redirects, or redirects in a circle.
    pub async fn follow(&self, url: &Url) -> Result<Page, Error> {
        let mut asked = HashSet::new();
        let mut next = url.clone();
        next.set_fragment(None);
        loop {
            asked.insert(next.clone());
            let to = match self.fetch(&next).await? {
                Fetched::Page(page) => return Ok(page),
                Fetched::Redirect { to, .. } => to,
            };
            if asked.contains(&to) {
                return Err(Error::redirect_loop(url, &to));
            }
            if asked.len() > self.shared.max_redirects {
                return Err(Error::too_many_redirects(url, self.shared.max_redirects, &to));
            }
            next = to;
        }
    }

    /// What the robots.txt of the URL's origin says to it; it is asked for unless it is cached.
    ///
    /// # Errors
    /// The URL is one that is not asked for, or its robots.txt cannot be read.
    pub async fn robots(&self, url: &Url) -> Result<Decision, Error> {
        self.shared.client.admit(url)?;
        self.shared.robots.decide(url).await
    }

    /// The `Crawl-delay` that the robots.txt of the URL's origin asks of this crawler, at most 60 s; it is asked for
    /// unless it is cached. `None` when it names none, cannot be read, or the URL is one that is not asked for.
    pub async fn crawl_delay(&self, url: &Url) -> Option<Duration> {
        self.shared.client.admit(url).ok()?;
        self.shared.robots.crawl_delay(url).await
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
