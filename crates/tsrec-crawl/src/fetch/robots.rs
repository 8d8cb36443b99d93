//! robots.txt (RFC 9309): checks whether a URL may be requested, and caches the files.
//!
//! Outcomes of requesting a robots.txt, and their effect (RFC 9309, section 2.3.1):
//!
//! | outcome | rules | kept for |
//! |---|---|---|
//! | 200 to 299 | its first 500 KiB | [`Config::robots_ttl`] |
//! | up to five redirects, to any host | those of where they end | [`Config::robots_ttl`] |
//! | more redirects, or one without a usable `Location` | all allowed | [`Config::robots_ttl`] |
//! | 4xx but 408 and 429, other odd statuses | all allowed | [`Config::robots_ttl`] |
//! | 5xx, 408, 429, time-outs, network, name service | all disallowed, for now | `UNREACHABLE_TTL` or `Retry-After` |
//! | bytes that are no text, in whatever encoding | all disallowed, for now | `UNREACHABLE_TTL` |
//! | our own faults, a turn that has not come | all disallowed, for now | not kept |
//! | a redirect to a refused address | all disallowed, for now | `UNREACHABLE_TTL` |
//! | the site's own address is refused | the page is refused like it | `REFUSED_TTL` |

mod cache;
mod octets;
mod rules;

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use self::cache::{Fresh, RobotsCache};
use self::rules::is_utf_16;
pub use self::rules::{MAX_ROBOTS_BYTES, RobotsDecision, Rule, Rules};
use super::admission::Refusal;
use super::cause::Cause;
use super::client::{Ask, HttpAnswer, HttpClient, Success, Trace};
use super::failure::Failure;
use super::user_agent::UserAgent;
use super::{Config, Error};
use tsrec_core::html::sniff;

/// Redirects followed from a robots.txt (RFC 9309, section 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: usize = 5;

/// Time before an unreadable robots.txt is requested again. Judgement: less than the shortest
/// back-off of a host in the frontier, so that each attempt after a back-off asks the server again.
const UNREACHABLE_TTL: Duration = Duration::from_secs(30);

/// Time before an origin is resolved again whose address is refused. Judgement: it costs its server
/// nothing, and rarely changes.
const REFUSED_TTL: Duration = Duration::from_secs(5 * 60);

/// The longest crawl delay that is obeyed, unless the caller sets another. Judgement: longer ones
/// are mistakes (milliseconds, or a way to say "go away", for which there is `Disallow`), and the
/// crawl would never finish the site.
pub(crate) const MOST_CRAWL_DELAY: Duration = Duration::from_secs(5 * 60);

/// Files longer than this are parsed, and rules heavier than this matched, on a blocking thread.
/// Measured in a test build: 500 KiB of hostile rules take some 20 ms to parse and to match.
/// Judgement: an eighth of that is a pause that other tasks can bear.
const MAX_BYTES_IN_PLACE: usize = 64 << 10;

const ACCEPT: &str = "text/plain,*/*;q=0.1";

/// The robots.txt files of all origins.
#[derive(Debug)]
pub(super) struct Robots {
    client: HttpClient,
    product_token: String,
    ttl: Duration,
    timeout: Duration,
    /// Longer crawl delays are cut to this.
    pub(super) most_crawl_delay: Duration,
    cache: RobotsCache<Verdict>,
}

/// The outcome of an origin's robots.txt.
#[derive(Clone, Debug)]
enum Verdict {
    /// The file was read, or there is none.
    Rules(Arc<Rules>),
    /// The file cannot be read at the moment.
    Unreachable(Arc<Error>),
    /// The client refuses the origin itself.
    Refused(Refusal),
}

impl Robots {
    pub(super) fn new(client: HttpClient, config: &Config, user_agent: &UserAgent) -> Self {
        Self {
            client,
            product_token: user_agent.product_token.clone(),
            ttl: config.robots_ttl,
            timeout: config.timeout,
            most_crawl_delay: MOST_CRAWL_DELAY,
            cache: RobotsCache::new(),
        }
    }

    /// Whether `url` may be requested; the client must have admitted it. `max_wait` limits the wait
    /// for the turn of each request that this takes.
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

    /// The decision for `url`, which the client must have admitted.
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

    /// The rules of the site of `url`, fetched unless they are cached. `None` if they cannot be
    /// read.
    pub(super) async fn rules(&self, url: &Url, max_wait: Duration) -> Option<Arc<Rules>> {
        match self.verdict(url, max_wait, &mut Trace::default()).await {
            Verdict::Rules(rules) => Some(rules),
            Verdict::Unreachable(_) | Verdict::Refused(_) => None,
        }
    }

    /// The sitemaps that the robots.txt of the site of `url` names, if it is cached. Makes no
    /// request.
    pub(super) fn known_sitemaps(&self, url: &Url) -> Vec<Url> {
        match self.cache.peek(&url.origin().ascii_serialization()) {
            Some(Verdict::Rules(rules)) => rules.sitemaps(url),
            Some(Verdict::Unreachable(_) | Verdict::Refused(_)) | None => Vec::new(),
        }
    }

    /// The crawl delay that the site of `url` asks for, if its robots.txt is cached. Makes no
    /// request.
    pub(super) fn known_delay(&self, url: &Url) -> Option<Duration> {
        match self.cache.peek(&url.origin().ascii_serialization())? {
            Verdict::Rules(rules) => rules.crawl_delay().map(|delay| delay.min(self.most_crawl_delay)),
            Verdict::Unreachable(_) | Verdict::Refused(_) => None,
        }
    }

    /// The origin's turn has not come, so the caller for `url` must come again. Holds the
    /// robots.txt in the cache until then. Without this, a file that is not kept and asks for a
    /// long delay would be fetched again and again, and no page ever.
    pub(super) fn turn_is_to_come(&self, url: &Url) {
        self.cache.hold(&url.origin().ascii_serialization());
    }

    /// The turn of the origin of `url` has come. Ends the hold.
    pub(super) fn turn_has_come(&self, url: &Url) {
        self.cache.let_go(&url.origin().ascii_serialization());
    }

    async fn verdict(&self, url: &Url, max_wait: Duration, trace: &mut Trace) -> Verdict {
        let origin = url.origin().ascii_serialization();
        self.cache.get(&origin, || self.retrieve(url, max_wait, trace)).await
    }

    /// Fetches the robots.txt of the origin of `url`, with all its redirects, within one request's
    /// time-out.
    async fn retrieve(&self, url: &Url, max_wait: Duration, trace: &mut Trace) -> Fresh<Verdict> {
        trace.robots_tried = true;
        let mut location = url.clone();
        location.set_path("/robots.txt");
        location.set_query(None);
        location.set_fragment(None);
        let outcome = self.follow(&location, max_wait, trace).await;
        if let Verdict::Rules(rules) = &outcome {
            // Reading the file was a request to the site, so the next one waits as the site asks.
            self.client
                .leave_alone(url, rules.crawl_delay().map_or(Duration::ZERO, |delay| delay.min(self.most_crawl_delay)));
        }
        let (weight, lifetime) = match &outcome {
            Verdict::Rules(rules) => (rules.weight(), self.ttl),
            Verdict::Unreachable(error) if error.fault().is_none() => (0, Duration::ZERO),
            Verdict::Unreachable(error) => (0, error.retry_after().unwrap_or_default().max(UNREACHABLE_TTL)),
            Verdict::Refused(_) => (0, REFUSED_TTL),
        };
        Fresh { value: outcome, weight, lifetime }
    }

    /// Follows redirects. Waits for turns do not count towards the time-out.
    async fn follow(&self, first: &Url, max_wait: Duration, trace: &mut Trace) -> Verdict {
        let mut location = first.clone();
        let mut left = self.timeout;
        for _ in 0..=MAX_ROBOTS_REDIRECTS {
            let mut hop = Trace::default();
            let crawl_delay = self.known_delay(&location);
            let (url, accept) = (&location, ACCEPT);
            let ask =
                Ask { url, accept, validators: None, timeout: left, max_wait, crawl_delay, delay: None, cookie: None };
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
        // One byte beyond the limit shows that the last line may be cut.
        let most = MAX_ROBOTS_BYTES + 1;
        let text = std::mem::take(answer.read_text(most, most).await?);
        if is_no_text(&text) {
            return Err(Error::no_text(location));
        }
        let (length, product_token) = (text.len(), self.product_token.clone());
        work(location, length, move || Rules::parse(&text, &product_token)).await
    }
}

async fn decide(rules: Arc<Rules>, url: &Url) -> Result<RobotsDecision, Error> {
    let (weight, asked) = (rules.weight(), url.clone());
    work(url, weight, move || rules.decide(&asked)).await
}

/// Runs work on this many bytes of rules: here, or on a blocking thread.
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

/// Whether the bytes of a robots.txt are no text, and so may say anything.
fn is_no_text(bytes: &[u8]) -> bool {
    !is_utf_16(bytes) && (sniff::is_no_text(bytes, None) || bytes.starts_with(GZIP))
}

/// How a compressed file begins.
const GZIP: &[u8] = b"\x1F\x8B";

/// The verdict if a robots.txt could not be fetched.
fn judge(error: Error, at_the_origin: bool) -> Verdict {
    match error.refusal() {
        Some(refusal) if at_the_origin => Verdict::Refused(refusal.clone()),
        Some(_) => Verdict::Unreachable(Arc::new(error)),
        // An unreadable answer may have rules. So it forbids everything, like a missing answer.
        None if error.is_transient() || error.cause() == Cause::UnknownEncoding => {
            Verdict::Unreachable(Arc::new(error))
        }
        None => Verdict::Rules(Arc::new(Rules::allow_all())),
    }
}
