//! robots.txt (RFC 9309): who may be asked for what, and the answers kept for a while.
//!
//! What became of a robots.txt, and what follows from it (RFC 9309, section 2.3.1):
//!
//! | outcome | rules | kept for |
//! |---|---|---|
//! | 200 to 299 | its first 500 KiB | [`Config::robots_ttl`] |
//! | up to five redirects, to any host | those of where they end | [`Config::robots_ttl`] |
//! | more redirects, or one without a usable `Location` | all allowed | [`Config::robots_ttl`] |
//! | 4xx but 408 and 429, other odd statuses | all allowed | [`Config::robots_ttl`] |
//! | 5xx, 408, 429, time-outs, network, name service | all disallowed, for now | `UNREACHABLE_TTL` or `Retry-After` |
//! | an encoding that was not offered | all disallowed, for now | `UNREACHABLE_TTL` |
//! | our own faults, a turn that has not come | all disallowed, for now | not kept |
//! | a redirect to a refused address | all disallowed, for now | `UNREACHABLE_TTL` |
//! | the site's own address is refused | the page is refused like it | `UNREACHABLE_TTL` |

mod cache;
mod octets;
mod rules;

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use self::cache::{Fresh, RobotsCache};
pub use self::rules::{MAX_ROBOTS_BYTES, RobotsDecision, Rule, Rules};
use super::admission::Refusal;
use super::cause::{Cause, Fault};
use super::client::{Ask, HttpAnswer, HttpClient, Success, Trace};
use super::failure::Failure;
use super::user_agent::UserAgent;
use super::{Config, Error};

/// Redirects followed from a robots.txt (RFC 9309, section 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: usize = 5;

/// How long a robots.txt that cannot be read is not asked for again. Judgement: long enough to
/// spare a server in trouble, short enough that a restart of it costs little crawling.
const UNREACHABLE_TTL: Duration = Duration::from_secs(5 * 60);

/// Longest crawl delay reported. Judgement: longer ones are mistakes (milliseconds, or a way to say
/// "go away", for which there is `Disallow`), and a site would never be finished.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(60);

/// Files longer than this are parsed, and rules heavier than this matched, on a thread where it
/// holds up nobody. Measured in a test build: 500 KiB of hostile rules take some 20 ms to parse and
/// to match. Judgement: an eighth of that is a pause that other tasks can bear.
const MAX_BYTES_IN_PLACE: usize = 64 << 10;

const ACCEPT: &str = "text/plain,*/*;q=0.1";

/// The robots.txt files of all origins.
#[derive(Debug)]
pub(super) struct Robots {
    client: HttpClient,
    product_token: String,
    ttl: Duration,
    timeout: Duration,
    cache: RobotsCache<Verdict>,
}

/// What an origin's robots.txt says.
#[derive(Clone, Debug)]
enum Verdict {
    /// It was read, or there is none.
    Rules(Arc<Rules>),
    /// It cannot be read at the moment.
    Unreachable(Arc<Error>),
    /// The origin itself is not asked for anything.
    Refused(Refusal),
}

impl Robots {
    pub(super) fn new(client: HttpClient, config: &Config, user_agent: &UserAgent) -> Self {
        Self {
            client,
            product_token: user_agent.product_token.clone(),
            ttl: config.robots_ttl,
            timeout: config.timeout,
            cache: RobotsCache::new(),
        }
    }

    /// Whether `url` may be asked for; it must be one that the client admits. `max_wait` is how
    /// long the turn may be waited for of each request that this takes.
    pub(super) async fn permit(&self, url: &Url, max_wait: Duration, trace: &mut Trace) -> Result<(), Error> {
        if url.path() == "/robots.txt" {
            return Ok(()); // It need not be read to know that: see `Rules::decide`.
        }
        let decision = self.decide(url, max_wait, trace).await?;
        trace.robots = Some(decision.clone());
        match decision {
            RobotsDecision { allowed: true, .. } => Ok(()),
            RobotsDecision { rule, .. } => Err(Error::disallowed(url, &self.product_token, rule)),
        }
    }

    /// What is said to `url`, which must be one that the client admits.
    pub(super) async fn decide(
        &self,
        url: &Url,
        max_wait: Duration,
        trace: &mut Trace,
    ) -> Result<RobotsDecision, Error> {
        match self.verdict(url, max_wait, trace).await {
            Verdict::Rules(rules) => decide(rules, url).await,
            Verdict::Unreachable(source) => Err(Error::robots_unreachable(url, source)),
            Verdict::Refused(refusal) => Err(Error::refused(url, refusal)),
        }
    }

    /// The rules of the site of `url`, read now unless they are known; `None` where they cannot be
    /// read.
    pub(super) async fn rules(&self, url: &Url, max_wait: Duration) -> Option<Arc<Rules>> {
        match self.verdict(url, max_wait, &mut Trace::default()).await {
            Verdict::Rules(rules) => Some(rules),
            Verdict::Unreachable(_) | Verdict::Refused(_) => None,
        }
    }

    /// The sitemaps that the robots.txt of the site of `url` names, as far as it is known. Nothing
    /// is asked for.
    pub(super) fn known_sitemaps(&self, url: &Url) -> Vec<Url> {
        match self.cache.peek(&url.origin().ascii_serialization()) {
            Some(Verdict::Rules(rules)) => rules.sitemaps(url),
            Some(Verdict::Unreachable(_) | Verdict::Refused(_)) | None => Vec::new(),
        }
    }

    /// The crawl delay that the site of `url` asks for, as far as its robots.txt is known. Nothing
    /// is asked for.
    pub(super) fn known_delay(&self, url: &Url) -> Option<Duration> {
        match self.cache.peek(&url.origin().ascii_serialization())? {
            Verdict::Rules(rules) => rules.crawl_delay().map(|delay| delay.min(MAX_CRAWL_DELAY)),
            Verdict::Unreachable(_) | Verdict::Refused(_) => None,
        }
    }

    /// Who was to ask for `url` has to come again, since it was not the turn of its origin: what
    /// robots.txt says is known then still. A file that asks for a long delay would be asked for
    /// again and again otherwise, where it is not kept, and no page ever.
    pub(super) fn turn_is_to_come(&self, url: &Url) {
        self.cache.hold(&url.origin().ascii_serialization());
    }

    /// The turn of the origin of `url` has come.
    pub(super) fn turn_has_come(&self, url: &Url) {
        self.cache.let_go(&url.origin().ascii_serialization());
    }

    async fn verdict(&self, url: &Url, max_wait: Duration, trace: &mut Trace) -> Verdict {
        let origin = url.origin().ascii_serialization();
        self.cache.get(&origin, || self.retrieve(url, max_wait, trace)).await
    }

    /// Retrieves the robots.txt of the origin of `url`, all its redirects within one request's
    /// time.
    async fn retrieve(&self, url: &Url, max_wait: Duration, trace: &mut Trace) -> Fresh<Verdict> {
        let mut location = url.clone();
        location.set_path("/robots.txt");
        location.set_query(None);
        location.set_fragment(None);
        let outcome = self.follow(&location, max_wait, trace).await;
        if let Verdict::Rules(rules) = &outcome {
            // Reading it was a request to the site; the next waits as the site asks.
            self.client
                .leave_alone(url, rules.crawl_delay().map_or(Duration::ZERO, |delay| delay.min(MAX_CRAWL_DELAY)));
        }
        let (weight, lifetime) = match &outcome {
            Verdict::Rules(rules) => (rules.weight(), self.ttl),
            Verdict::Unreachable(error) if error.fault() == Fault::Own => (0, Duration::ZERO),
            Verdict::Unreachable(error) => (0, error.retry_after().unwrap_or_default().max(UNREACHABLE_TTL)),
            Verdict::Refused(_) => (0, UNREACHABLE_TTL),
        };
        Fresh { value: outcome, weight, lifetime }
    }

    /// Waiting for a turn does not count as the site's time.
    async fn follow(&self, first: &Url, max_wait: Duration, trace: &mut Trace) -> Verdict {
        let mut location = first.clone();
        let mut left = self.timeout;
        for _ in 0..=MAX_ROBOTS_REDIRECTS {
            let mut hop = Trace::default();
            let crawl_delay = self.known_delay(&location);
            let (url, accept) = (&location, ACCEPT);
            let ask = Ask { url, accept, validators: None, timeout: left, max_wait, crawl_delay, delay: None };
            let answer = self.client.get(&ask, &mut hop).await;
            if location == *first {
                trace.add(&hop);
            }
            left = left.saturating_sub(hop.response_time.unwrap_or_default());
            match answer {
                Ok(HttpAnswer::Redirect { to, .. }) => location = to,
                Ok(HttpAnswer::Success(answer)) => {
                    return match self.read(&location, *answer).await {
                        Ok(rules) => Verdict::Rules(Arc::new(rules)),
                        Err(error) => Verdict::Unreachable(Arc::new(error)),
                    };
                }
                Ok(HttpAnswer::NotModified(_)) => break, // To a request without validators this is no answer but an error.
                Err(error) => return judge(error, location == *first),
            }
        }
        Verdict::Rules(Arc::new(Rules::allow_all()))
    }

    async fn read(&self, location: &Url, mut answer: Success) -> Result<Rules, Error> {
        // One byte more than is parsed shows that the last line may be cut.
        let most = MAX_ROBOTS_BYTES + 1;
        let text = std::mem::take(answer.read(most, most).await?);
        let (length, product_token) = (text.len(), self.product_token.clone());
        work(location, length, move || Rules::parse(&text, &product_token)).await
    }
}

async fn decide(rules: Arc<Rules>, url: &Url) -> Result<RobotsDecision, Error> {
    let (weight, asked) = (rules.weight(), url.clone());
    work(url, weight, move || rules.decide(&asked)).await
}

/// Does work on so many bytes of rules: here, or on a thread of its own.
async fn work<T: Send + 'static>(
    url: &Url,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    if bytes <= MAX_BYTES_IN_PLACE {
        return Ok(work());
    }
    let interrupted = |error| Error::failed(url, Failure::new(Cause::Interrupted, error));
    tokio::task::spawn_blocking(work).await.map_err(interrupted)
}

/// What follows when a robots.txt could not be got.
fn judge(error: Error, at_the_origin: bool) -> Verdict {
    match error.refusal() {
        Some(refusal) if at_the_origin => Verdict::Refused(refusal.clone()),
        Some(_) => Verdict::Unreachable(Arc::new(error)),
        // An answer that cannot be read forbids, as one that does not come: it may have rules.
        None if error.is_transient() || error.cause() == Cause::UnknownEncoding => {
            Verdict::Unreachable(Arc::new(error))
        }
        None => Verdict::Rules(Arc::new(Rules::allow_all())),
    }
}
