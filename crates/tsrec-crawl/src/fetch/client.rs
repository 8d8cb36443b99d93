//! One request under the address rules: what pages and robots.txt have in common.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, LOCATION, RETRY_AFTER, USER_AGENT,
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

/// What is asked for, and how patiently.
pub(super) struct Ask<'a> {
    pub(super) url: &'a Url,
    /// The Accept header.
    pub(super) accept: &'static str,
    /// What a page that has not changed is known by.
    pub(super) validators: Option<&'a Validators>,
    /// From when its turn has come to the last byte.
    pub(super) timeout: Duration,
    /// How long the turn may be waited for.
    pub(super) max_wait: Duration,
    /// What the origin's robots.txt asks for, where it is known.
    pub(super) crawl_delay: Option<Duration>,
    /// How long the origin is left alone, where that is not [`Delays::origin`].
    pub(super) delay: Option<Duration>,
}

/// What is noticed on the way, whatever comes of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// Where the request went to, or was to go.
    pub(super) address: Option<IpAddr>,
    /// Requests begun, from connecting on.
    pub(super) requests: u32,
    /// From the last request to its answer's head.
    pub(super) response_time: Option<Duration>,
    /// Until its turns had come.
    pub(super) waited: Duration,
    /// What robots.txt said to the URL.
    pub(super) robots: Option<RobotsDecision>,
}

impl Trace {
    /// What was noticed later.
    pub(super) fn add(&mut self, later: &Self) {
        self.address = later.address.or(self.address);
        self.requests += later.requests;
        self.waited += later.waited;
        self.response_time = later.response_time.or(self.response_time);
    }
}

/// An answer that leads on; all others are errors.
pub(super) enum HttpAnswer {
    /// 200 to 299, its body not read yet.
    Success(Box<Success>),
    /// 301, 302, 303, 307 or 308, and where to, without fragment.
    Redirect {
        /// The `Location`, resolved against the URL asked for.
        to: Url,
        /// The status.
        status: u16,
    },
    /// 304, to a request with validators.
    NotModified(HeaderMap),
}

/// An answer with a success status.
pub(super) struct Success {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: BodyReader,
    url: Url,
    request: Vec<u8>,
    version: Version,
}

impl Success {
    /// What went over the line before the body.
    pub(super) fn exchange(&self) -> Exchange {
        let headers = self.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let reason = self.status.canonical_reason().unwrap_or_default();
        Exchange {
            request: self.request.clone(),
            status_line: format!("{:?} {} {reason}", self.version, self.status.as_u16()),
            headers: headers.collect(),
        }
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

    /// Refuses what must not be asked for, without asking.
    pub(super) fn admit(&self, url: &Url) -> Result<(), Error> {
        admit(url, self.allow_private_addresses).map_err(|refusal| Error::refused(url, refusal))
    }

    /// Where `url` would be asked for, in the order in which it is tried; never empty.
    pub(super) async fn locate(&self, url: &Url) -> Result<Vec<IpAddr>, Error> {
        self.admit(url)?;
        match tokio::time::timeout(self.connect_timeout, self.resolver.resolve(url)).await {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(unresolved)) => Err(Error::failed(url, unresolved.into())),
            Err(_elapsed) => Err(Error::failed(url, Failure::plain(self.resolver.is_silent(url)))),
        }
    }

    /// Asks for a URL, when its turn has come.
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

    /// Leaves the origin of `url` alone for so long from now.
    pub(super) fn leave_alone(&self, url: &Url, delay: Duration) {
        self.turns.put_off(&url.origin().ascii_serialization(), delay);
    }

    /// Sends the request, on a connection that is there or on a new one, and reads the answer's
    /// head.
    async fn send(
        &self,
        ask: &Ask<'_>,
        addresses: &[IpAddr],
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<(Response<Incoming>, Connection), Failure> {
        let origin = ask.url.origin().ascii_serialization();
        // One that is no longer where its name leads is closed.
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
                // The server closed it while it was idle: that says nothing.
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
        let encoding = parts.headers.get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let encoding = encoding.unwrap_or_default();
        let decoder = Decoder::new(&encoding).ok_or_else(|| Error::encoding(url, &encoding))?;
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
            _turn: turn,
        };
        let (status, version, headers) = (parts.status, parts.version, parts.headers);
        let request = head_of(&request);
        Ok(HttpAnswer::Success(Box::new(Success { status, headers, body, url: url.clone(), request, version })))
    }
}

/// A request as it goes over the line.
fn head_of(request: &Request<Empty<Bytes>>) -> Vec<u8> {
    let mut head = format!("{} {} {:?}\r\n", request.method(), request.uri(), request.version()).into_bytes();
    for (name, value) in request.headers() {
        head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    head.extend(b"\r\n");
    head
}

/// What the answer is known by later.
pub(super) fn validators(headers: &HeaderMap) -> Validators {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
    Validators { etag: text(ETAG), last_modified: text(LAST_MODIFIED) }
}

fn redirect(url: &Url, status: StatusCode, headers: &HeaderMap) -> Result<HttpAnswer, Error> {
    let location = headers.get(LOCATION).ok_or_else(|| Error::no_location(url, status))?.as_bytes();
    let to = headers::location(url, location).map_err(|source| Error::bad_location(url, status, location, source))?;
    Ok(HttpAnswer::Redirect { to, status: status.as_u16() })
}

/// Only these two statuses are about waiting; elsewhere the header means something else (RFC 9110,
/// section 10.2.3).
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    headers::retry_after(headers.get(RETRY_AFTER)?.as_bytes(), Timestamp::now())
}
