//! One request under the address rules: what pages and robots.txt have in common.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, COOKIE, ETAG, HOST, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER, USER_AGENT,
};
use reqwest::{Method, Request, Response, StatusCode, Version};
use tokio::time::Instant;
use url::{Position, Url};

use super::address;
use super::admission::{Refusal, admit};
use super::body::{BodyReader, Floor};
use super::cause::Cause;
use super::connection::{Connection, Connector, Idle, NoHead, Offered, Patience};
use super::decode::{ACCEPT_ENCODING as ENCODINGS, Decoder};
use super::failure::Failure;
use super::proxy::{NamesResolvedBy, ProxyUrl};
use super::resolver::Resolver;
use super::robots::RobotsDecision;
use super::turns::{RequestTurn, Turns};
use super::user_agent::UserAgent;
use super::{Config, Delays, Error, Exchange, Validators, headers};
use tsrec_core::html::sniff::is_text;

/// The HTTP client behind pages and robots.txt. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub(super) struct HttpClient {
    connector: Connector,
    idle: Idle,
    pub(super) resolver: Resolver,
    proxy: Option<ReachedProxy>,
    turns: Turns,
    delays: Delays,
    user_agent: HeaderValue,
    connect_timeout: Duration,
    response_timeout: Duration,
    floor: Floor,
    allow_private_addresses: bool,
}

/// The proxy, and a resolver for its name, whose addresses are no matter of the rules.
#[derive(Clone, Debug)]
struct ReachedProxy {
    url: ProxyUrl,
    resolver: Resolver,
}

/// The addresses to try, in order; never empty. `None` if the proxy resolves the name.
type Addresses = Vec<Option<IpAddr>>;

/// What to request, and how long to wait.
pub(super) struct Ask<'a> {
    pub(super) url: &'a Url,
    /// The Accept header.
    pub(super) accept: &'static str,
    /// The validators of the version we have, for a conditional request.
    pub(super) validators: Option<&'a Validators>,
    /// Limit from the turn to the last byte.
    pub(super) timeout: Duration,
    /// Limit on the wait for the turn.
    pub(super) max_wait: Duration,
    /// The delay that the origin's robots.txt asks for, if known.
    pub(super) crawl_delay: Option<Duration>,
    /// How long to leave the origin alone, in place of [`Delays::origin`].
    pub(super) delay: Option<Duration>,
    /// A cookie that the same URL has just set.
    pub(super) cookie: Option<&'a HeaderValue>,
}

/// What was noticed on the way, whether the request succeeds or fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// The address that was asked, or would have been.
    pub(super) address: Option<IpAddr>,
    /// Requests begun, counted from connecting.
    pub(super) requests: u32,
    /// From the last request to its answer's head.
    pub(super) response_time: Option<Duration>,
    /// Time waited for turns.
    pub(super) waited: Duration,
    /// Whether robots.txt was tried, and not taken from the cache.
    pub(super) robots_tried: bool,
    /// The decision of robots.txt on the URL.
    pub(super) robots: Option<RobotsDecision>,
}

impl Trace {
    /// Adds what a later request noticed.
    pub(super) fn add(&mut self, later: &Self) {
        self.address = later.address.or(self.address);
        self.requests += later.requests;
        self.waited += later.waited;
        self.response_time = later.response_time.or(self.response_time);
    }
}

/// An answer to go on with; all others are errors.
pub(super) enum HttpAnswer {
    /// 200 to 299, its body not read yet.
    Success(Box<Success>),
    /// 301, 302, 303, 307 or 308, and the target, without fragment.
    Redirect {
        /// The `Location`, resolved against the URL asked for.
        to: Url,
        /// The status.
        status: u16,
        /// The cookies that the answer sets, as a request sends them.
        cookie: Option<HeaderValue>,
    },
    /// 304 to a request with validators.
    NotModified(HeaderMap),
}

/// An answer with a success status.
pub(super) struct Success {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: BodyReader,
    /// The content encoding, if it is none that we know.
    unknown_encoding: Option<String>,
    url: Url,
    request: Vec<u8>,
    version: Version,
}

impl Success {
    /// Refuses a status that says that the body is not the whole page.
    pub(super) fn check_status(&self) -> Result<(), Error> {
        match has_whole_page(self.status.as_u16()) {
            true => Ok(()),
            false => Err(Error::answered(&self.url, self.status, None)),
        }
    }

    /// The request and the head of the answer, as sent.
    pub(super) fn exchange(&self) -> Exchange {
        let headers = self.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let reason = self.status.canonical_reason().unwrap_or_default();
        // Archives have no form for HTTP/2; readers take heads in that of HTTP/1.1.
        let is_http2 = self.version == Version::HTTP_2;
        let version = if is_http2 { Version::HTTP_11 } else { self.version };
        Exchange {
            request: self.request.clone(),
            status_line: format!("{version:?} {} {reason}", self.status.as_u16()),
            headers: headers.collect(),
            is_http2,
        }
    }

    /// Whether the body ends without the end of its compression.
    pub(super) fn is_cut(&self) -> bool {
        self.body.is_cut()
    }

    /// Like [`read`](Self::read), for a body that must be text. In an encoding that we do not know
    /// it is read as it comes, as browsers do, and must be text all the same.
    pub(super) async fn read_text(&mut self, enough: usize, most: usize) -> Result<&mut Vec<u8>, Error> {
        let (url, unknown) = (self.url.clone(), self.unknown_encoding.clone());
        let bytes = self.read(enough, most).await?;
        match unknown {
            Some(encoding) if !is_text(bytes) => Err(Error::encoding(&url, &encoding)),
            _ => Ok(bytes),
        }
    }

    /// See [`BodyReader::next_decoded`].
    pub(super) async fn next(&mut self, most: usize) -> Result<Option<Vec<u8>>, Error> {
        self.body.next_decoded(most).await.map_err(|failure| Error::failed(&self.url, failure))
    }

    /// See [`BodyReader::pause`].
    pub(super) fn pause(&mut self, pause: Duration) {
        self.body.pause(pause);
    }

    /// The content encoding, if it is none that we know.
    pub(super) fn unknown_encoding(&self) -> Option<&str> {
        self.unknown_encoding.as_deref()
    }

    /// See [`BodyReader::read`].
    pub(super) async fn read(&mut self, enough: usize, most: usize) -> Result<&mut Vec<u8>, Error> {
        self.body.read(enough, most).await.map_err(|failure| Error::failed(&self.url, failure))
    }
}

impl HttpClient {
    pub(super) fn new(config: &Config, user_agent: &UserAgent, delays: Delays) -> Result<Self, Error> {
        let connector = Connector::new(config.proxy.clone()).map_err(Error::client)?;
        Ok(Self::with_connector(connector, config, user_agent, delays))
    }

    pub(super) fn with_connector(
        connector: Connector,
        config: &Config,
        user_agent: &UserAgent,
        delays: Delays,
    ) -> Self {
        let proxy = config.proxy.clone().map(|url| ReachedProxy { url, resolver: Resolver::new(true) });
        Self {
            connector,
            idle: Idle::default(),
            resolver: Resolver::new(config.allow_private_addresses),
            proxy,
            turns: Turns::default(),
            delays,
            user_agent: user_agent.header.clone(),
            connect_timeout: config.connect_timeout,
            response_timeout: config.response_timeout,
            floor: Floor { grace: config.slow_grace, bytes_per_second: config.min_bytes_per_second },
            allow_private_addresses: config.allow_private_addresses,
        }
    }

    /// Refuses URLs that must not be requested. Makes no request.
    pub(super) fn admit(&self, url: &Url) -> Result<(), Error> {
        admit(url, self.allow_private_addresses).map_err(|refusal| Error::refused(url, refusal))
    }

    /// The addresses to try for `url`, in order.
    pub(super) async fn locate(&self, url: &Url) -> Result<Addresses, Error> {
        self.admit(url)?;
        if let Some(name) = url.domain().filter(|_| self.proxy_resolves_names()) {
            return match self.local_name(name) {
                Some(refusal) => Err(Error::refused(url, refusal)),
                None => Ok(vec![None]),
            };
        }
        match tokio::time::timeout(self.connect_timeout, self.resolver.resolve(url)).await {
            Ok(Ok(addresses)) => Ok(addresses.into_iter().map(Some).collect()),
            Ok(Err(unresolved)) => Err(Error::failed(url, unresolved.into())),
            Err(_elapsed) => Err(Error::failed(url, Failure::plain(self.resolver.is_silent(url)))),
        }
    }

    fn proxy_resolves_names(&self) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| proxy.url.names_resolved_by() == NamesResolvedBy::Proxy)
    }

    /// Refuses names that are loopback addresses everywhere (RFC 6761, section 6.3). No other name
    /// tells its addresses.
    fn local_name(&self, name: &str) -> Option<Refusal> {
        let name = name.trim_end_matches('.');
        let is_local = name == "localhost" || name.ends_with(".localhost");
        let address = IpAddr::from(Ipv4Addr::LOCALHOST);
        let what = address::refusal(address).filter(|_| is_local && !self.allow_private_addresses)?;
        Some(Refusal::Address(address, what))
    }

    /// The address of the proxy, if there is one.
    async fn locate_proxy(&self) -> Result<Option<IpAddr>, Failure> {
        let Some(ReachedProxy { url, resolver }) = &self.proxy else { return Ok(None) };
        match tokio::time::timeout(self.connect_timeout, resolver.resolve(url.url())).await {
            Ok(Ok(addresses)) => Ok(addresses.first().copied()),
            Ok(Err(unresolved)) => Err(Failure { cause: Cause::Proxy, ..unresolved.into() }),
            Err(_elapsed) => Err(Failure::plain(Cause::Proxy)),
        }
    }

    /// Requests a URL once its turn has come.
    pub(super) async fn get(&self, ask: &Ask<'_>, trace: &mut Trace) -> Result<HttpAnswer, Error> {
        let url = ask.url;
        let mut addresses = self.locate(url).await?;
        // An open connection is used again if its name still has the address.
        let open = self.idle.address(&url.origin().ascii_serialization());
        addresses.sort_by_key(|&address| address != open);
        trace.address = addresses[0];
        let waiting = Instant::now();
        let turn = self.turn(ask, addresses[0]).await;
        trace.waited += waiting.elapsed();
        let turn = turn?;
        trace.requests += 1;
        let deadline = Instant::now() + ask.timeout;
        let (response, connection) = self.send(ask, &addresses, deadline, trace).await?;
        let status = response.status();
        match status {
            status if status.is_success() => self.success(ask, response, connection, deadline, turn),
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => redirect(url, status, response.headers()),
            StatusCode::NOT_MODIFIED if ask.validators.is_some_and(|known| !known.is_empty()) => {
                Ok(HttpAnswer::NotModified(response.headers().clone()))
            }
            StatusCode::PROXY_AUTHENTICATION_REQUIRED if self.proxy_resolves_names() && url.scheme() == "http" => {
                Err(Error::failed(url, Failure::plain(Cause::Proxy)))
            }
            status => Err(Error::answered(url, status, retry_after(status, response.headers()))),
        }
    }

    fn delay(&self, ask: &Ask<'_>) -> Duration {
        ask.delay.unwrap_or(self.delays.origin).max(ask.crawl_delay.unwrap_or_default())
    }

    async fn turn(&self, ask: &Ask<'_>, address: Option<IpAddr>) -> Result<RequestTurn, Error> {
        let delay = self.delay(ask);
        let origin = ask.url.origin().ascii_serialization();
        let turn = self.turns.take(&origin, delay, address, self.delays.address.min(delay), ask.max_wait).await;
        turn.map_err(|wait| Error::busy_for(ask.url, wait))
    }

    /// Leaves the origin of `url` alone for this long from now.
    pub(super) fn leave_alone(&self, url: &Url, delay: Duration) {
        self.turns.put_off(&url.origin().ascii_serialization(), delay);
    }

    /// Sends the request on an idle or a new connection, and reads the head of the answer. If the
    /// first address cannot be connected to, the next has its turn.
    async fn send(
        &self,
        ask: &Ask<'_>,
        addresses: &[Option<IpAddr>],
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<(Response, Connection), Error> {
        let failed = |failure| Error::failed(ask.url, failure);
        let mut kept = self.idle.take(&ask.url.origin().ascii_serialization(), addresses[0]);
        let (mut connect_until, mut offered) = (None, Offered::Http2AndHttp1);
        let mut failure = Failure::plain(Cause::Unreachable);
        for (at, &address) in addresses.iter().enumerate() {
            if let Some(further) = address.filter(|_| at > 0) {
                self.turn_at(ask, further).await?;
            }
            trace.address = address;
            loop {
                let connection = match kept.take() {
                    Some(connection) => connection,
                    None => {
                        let proxy = self.locate_proxy().await.map_err(failed)?;
                        self.connector.open(address, proxy, offered).map_err(failed)?
                    }
                };
                let now = Instant::now();
                let until = *connect_until.get_or_insert(now + self.connect_timeout);
                let left = until.min(deadline).saturating_duration_since(now);
                let connect = left / u32::try_from(addresses.len() - at).unwrap_or(u32::MAX);
                let patience = Patience { connect, response: self.response_timeout, deadline };
                match connection.send(self.request(ask), patience).await {
                    Ok((response, took)) => {
                        trace.response_time = Some(took);
                        return Ok((response, connection));
                    }
                    Err(NoHead::ClosedWhileIdle) => connect_until = None,
                    // Browsers do the same. Over HTTP/1.1 no server can say so again.
                    Err(NoHead::WantsHttp1) => {
                        (connect_until, offered) = (None, Offered::Http1);
                        trace.requests += 1;
                    }
                    Err(NoHead::NotConnected(found)) => {
                        failure = found;
                        break;
                    }
                    Err(NoHead::Failed(found)) => return Err(failed(found)),
                }
            }
        }
        Err(failed(failure))
    }

    async fn turn_at(&self, ask: &Ask<'_>, further: IpAddr) -> Result<(), Error> {
        let turn = self.turns.take_address(further, self.delays.address.min(self.delay(ask)), ask.max_wait).await;
        turn.map_err(|wait| Error::busy_for(ask.url, wait))
    }

    fn request(&self, ask: &Ask<'_>) -> Request {
        let mut url = ask.url.clone();
        url.set_fragment(None);
        let mut request = Request::new(Method::GET, url);
        let headers = request.headers_mut();
        // HTTP/1.1 wants it first (RFC 9110, section 7.2). With TLS the version is not known yet.
        if let Some(host) = host_of(ask.url).filter(|_| ask.url.scheme() == "http") {
            headers.insert(HOST, host);
        }
        headers.insert(USER_AGENT, self.user_agent.clone());
        headers.insert(ACCEPT, HeaderValue::from_static(ask.accept));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ENCODINGS));
        let Validators { etag, last_modified } = ask.validators.cloned().unwrap_or_default();
        for (name, value) in [(IF_NONE_MATCH, etag), (IF_MODIFIED_SINCE, last_modified)] {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        }
        if let Some(cookie) = ask.cookie {
            headers.insert(COOKIE, cookie.clone());
        }
        request
    }

    fn success(
        &self,
        ask: &Ask<'_>,
        mut response: Response,
        connection: Connection,
        deadline: Instant,
        turn: RequestTurn,
    ) -> Result<HttpAnswer, Error> {
        let url = ask.url;
        let (status, version, headers) =
            (response.status(), response.version(), std::mem::take(response.headers_mut()));
        let encodings = headers.get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
        let encoding = String::from_utf8_lossy(&encodings.join(&b", "[..])).into_owned();
        let (decoder, unknown_encoding) = match Decoder::new(&encoding) {
            Some(decoder) => (decoder, None),
            None => (Decoder::plain(), Some(encoding)),
        };
        let body = BodyReader {
            response,
            connection: Some(connection),
            origin: url.origin().ascii_serialization(),
            idle: self.idle.clone(),
            floor: self.floor,
            began: Instant::now(),
            deadline,
            decoder,
            taken: 0,
            is_cut: false,
            _turn: turn,
        };
        let request = head_of(&self.request(ask));
        let url = url.clone();
        Ok(HttpAnswer::Success(Box::new(Success { status, headers, body, unknown_encoding, url, request, version })))
    }
}

/// The `Host` of a request.
fn host_of(url: &Url) -> Option<HeaderValue> {
    HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]).ok()
}

/// Whether a success status comes with a whole page. 202: the page is not made yet; 204 and 205:
/// there is none; 206: a part that nobody asked for (RFC 9110, section 15.3).
pub(super) fn has_whole_page(status: u16) -> bool {
    (200..300).contains(&status) && !matches!(status, 202 | 204 | 205 | 206)
}

/// Whether a body says nothing: white space and byte order marks alone.
pub(super) fn is_blank(body: &[u8]) -> bool {
    body.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0xFE | 0xFF))
}

/// The head of a request in the form of HTTP/1.1.
fn head_of(request: &Request) -> Vec<u8> {
    let url = request.url();
    let target = &url[Position::BeforePath..Position::AfterQuery];
    let mut head = format!("{} {target} {:?}\r\n", request.method(), Version::HTTP_11).into_bytes();
    let mut write = |name: &HeaderName, value: &HeaderValue| {
        head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    };
    if let Some(host) = host_of(url).filter(|_| !request.headers().contains_key(HOST)) {
        write(&HOST, &host);
    }
    request.headers().iter().for_each(|(name, value)| write(name, value));
    head.extend(b"\r\n");
    head
}

/// The validators of the answer.
pub(super) fn validators(headers: &HeaderMap) -> Validators {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
    Validators { etag: text(ETAG), last_modified: text(LAST_MODIFIED) }
}

fn redirect(url: &Url, status: StatusCode, headers: &HeaderMap) -> Result<HttpAnswer, Error> {
    let location = headers.get(LOCATION).ok_or_else(|| Error::no_location(url, status))?.as_bytes();
    let to = headers::location(url, location).map_err(|source| Error::bad_location(url, status, location, source))?;
    Ok(HttpAnswer::Redirect { to, status: status.as_u16(), cookie: headers::cookie(headers) })
}

/// Only with these two statuses is the header about waiting. Elsewhere it means something else (RFC
/// 9110, section 10.2.3).
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    headers::retry_after(headers.get(RETRY_AFTER)?.as_bytes(), Timestamp::now())
}
