//! One request under the address rules: what pages and robots.txt have in common.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, COOKIE, ETAG, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER, USER_AGENT,
};
use hyper::{Request, Response, StatusCode, Version};
use jiff::Timestamp;
use tokio::time::Instant;
use url::{Position, Url};

use super::admission::admit;
use super::body::{self, BodyReader, Decoder, Floor};
use super::cause::Cause;
use super::connection::{Connection, Connector, Idle};
use super::failure::Failure;
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
    resolver: Resolver,
    turns: Turns,
    delays: Delays,
    user_agent: HeaderValue,
    connect_timeout: Duration,
    response_timeout: Duration,
    floor: Floor,
    allow_private_addresses: bool,
}

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
        Exchange {
            request: self.request.clone(),
            status_line: format!("{:?} {} {reason}", self.version, self.status.as_u16()),
            headers: headers.collect(),
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
        Ok(Self {
            connector: Connector::new().map_err(Error::client)?,
            idle: Idle::default(),
            resolver: Resolver::new(config.allow_private_addresses),
            turns: Turns::default(),
            delays,
            user_agent: user_agent.header.clone(),
            connect_timeout: config.connect_timeout,
            response_timeout: config.response_timeout,
            floor: Floor { grace: config.slow_grace, bytes_per_second: config.min_bytes_per_second },
            allow_private_addresses: config.allow_private_addresses,
        })
    }

    /// Refuses URLs that must not be requested. Makes no request.
    pub(super) fn admit(&self, url: &Url) -> Result<(), Error> {
        admit(url, self.allow_private_addresses).map_err(|refusal| Error::refused(url, refusal))
    }

    /// The addresses to try for `url`, in order; never empty.
    pub(super) async fn locate(&self, url: &Url) -> Result<Vec<IpAddr>, Error> {
        self.admit(url)?;
        match tokio::time::timeout(self.connect_timeout, self.resolver.resolve(url)).await {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(unresolved)) => Err(Error::failed(url, unresolved.into())),
            Err(_elapsed) => Err(Error::failed(url, Failure::plain(self.resolver.is_silent(url)))),
        }
    }

    /// Requests a URL once its turn has come.
    pub(super) async fn get(&self, ask: &Ask<'_>, trace: &mut Trace) -> Result<HttpAnswer, Error> {
        let url = ask.url;
        let addresses = self.locate(url).await?;
        trace.address = addresses.first().copied();
        let waiting = Instant::now();
        let turn = self.turn(ask, addresses[0]).await;
        trace.waited += waiting.elapsed();
        let turn = turn?;
        trace.requests += 1;
        let deadline = Instant::now() + ask.timeout;
        let (response, connection) =
            self.send(ask, &addresses, deadline, trace).await.map_err(|failure| Error::failed(url, failure))?;
        let status = response.status();
        match status {
            status if status.is_success() => self.success(ask, response, connection, deadline, turn),
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => redirect(url, status, response.headers()),
            StatusCode::NOT_MODIFIED if ask.validators.is_some_and(|known| !known.is_empty()) => {
                Ok(HttpAnswer::NotModified(response.into_parts().0.headers))
            }
            status => Err(Error::answered(url, status, retry_after(status, response.headers()))),
        }
    }

    async fn turn(&self, ask: &Ask<'_>, address: IpAddr) -> Result<RequestTurn, Error> {
        let Delays { origin: own, address: address_delay } = self.delays;
        let delay = ask.delay.unwrap_or(own).max(ask.crawl_delay.unwrap_or_default());
        let origin = ask.url.origin().ascii_serialization();
        let turn = self.turns.take(&origin, delay, address, address_delay.min(delay), ask.max_wait).await;
        turn.map_err(|wait| Error::busy_for(ask.url, wait))
    }

    /// Leaves the origin of `url` alone for this long from now.
    pub(super) fn leave_alone(&self, url: &Url, delay: Duration) {
        self.turns.put_off(&url.origin().ascii_serialization(), delay);
    }

    /// Sends the request on an idle or a new connection, and reads the head of the answer.
    async fn send(
        &self,
        ask: &Ask<'_>,
        addresses: &[IpAddr],
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<(Response<Incoming>, Connection), Failure> {
        let origin = ask.url.origin().ascii_serialization();
        // Close an idle connection whose address the name no longer has.
        let mut kept = self.idle.take(&origin).filter(|kept| addresses.contains(&kept.address));
        loop {
            let request = self.request(ask)?;
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => {
                    let until = deadline.min(Instant::now() + self.connect_timeout);
                    self.connector.connect(ask.url, addresses, until).await?
                }
            };
            trace.address = Some(connection.address);
            connection.meter.begin();
            let sent = Instant::now();
            let until = deadline.min(sent + self.response_timeout);
            match tokio::time::timeout_at(until, connection.sender.send_request(request)).await {
                Err(_elapsed) if until == deadline => return Err(Failure::plain(Cause::Timeout)),
                Err(_elapsed) => return Err(Failure::plain(Cause::ResponseTimeout)),
                // The server closed the connection while it was idle. This is no failure of the
                // request.
                Ok(Err(_)) if connection.reused && connection.meter.read() == 0 => {}
                Ok(Err(error)) => return Err(Failure::http(error)),
                Ok(Ok(response)) => {
                    connection.meter.head_is_there();
                    trace.response_time = Some(sent.elapsed());
                    return Ok((response, connection));
                }
            }
        }
    }

    fn request(&self, ask: &Ask<'_>) -> Result<Request<Empty<Bytes>>, Failure> {
        let url = ask.url;
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let mut request = Request::get(&url[Position::BeforePath..Position::AfterQuery])
            .header(HOST, host)
            .header(USER_AGENT, self.user_agent.clone())
            .header(ACCEPT, ask.accept)
            .header(ACCEPT_ENCODING, body::ACCEPT_ENCODING);
        let Validators { etag, last_modified } = ask.validators.cloned().unwrap_or_default();
        for (name, value) in [(IF_NONE_MATCH, etag), (IF_MODIFIED_SINCE, last_modified)] {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                request = request.header(name, value);
            }
        }
        if let Some(cookie) = ask.cookie {
            request = request.header(COOKIE, cookie.clone());
        }
        request.body(Empty::new()).map_err(|error| Failure::new(Cause::Refused, error))
    }

    fn success(
        &self,
        ask: &Ask<'_>,
        response: Response<Incoming>,
        connection: Connection,
        deadline: Instant,
        turn: RequestTurn,
    ) -> Result<HttpAnswer, Error> {
        let url = ask.url;
        let request = self.request(ask).map_err(|failure| Error::failed(url, failure))?;
        let (parts, incoming) = response.into_parts();
        let encodings = parts.headers.get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
        let encoding = String::from_utf8_lossy(&encodings.join(&b", "[..])).into_owned();
        let (decoder, unknown_encoding) = match Decoder::new(&encoding) {
            Some(decoder) => (decoder, None),
            None => (Decoder::plain(), Some(encoding)),
        };
        let body = BodyReader {
            incoming,
            before: connection.meter.read(),
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
        let (status, version, headers) = (parts.status, parts.version, parts.headers);
        let request = head_of(&request);
        let url = url.clone();
        Ok(HttpAnswer::Success(Box::new(Success { status, headers, body, unknown_encoding, url, request, version })))
    }
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

/// The head of a request, as sent.
fn head_of(request: &Request<Empty<Bytes>>) -> Vec<u8> {
    let mut head = format!("{} {} {:?}\r\n", request.method(), request.uri(), request.version()).into_bytes();
    for (name, value) in request.headers() {
        head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
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
