//! Connections. Each is a reqwest client of its own, which knows one address: the one whose turn
//! was taken. It carries one request after the other to one origin.
//!
//! A client for all would choose among its idle connections by the name of the host alone. It could
//! neither be limited in how many it keeps, nor be told to which address a request goes.
//!
//! `docs/decisions/079-a-connection-is-a-client-of-its-own.md` has the cost.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Request, Response, Version, redirect, retry};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::sync::watch;
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use super::cause::Cause;
use super::failure::{Failure, wants_http1};
use super::proxy::{NamesResolvedBy, ProxyUrl};

/// Most header fields of an answer. Judgement: policies and cookies take some hundred.
const MAX_HEADERS: usize = 256;

/// Largest head that is accepted. Judgement: browsers take 256 KiB, servers send a few.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// What HTTP/2 counts for a field beside its name and its value (RFC 9113, section 6.5.2).
const FIELD_BYTES: usize = 32;

/// Bytes of a body that HTTP/2 lets a server send before we have read them. Judgement: the socket
/// buffers of HTTP/1.1 hold as much.
const HTTP2_WINDOW_BYTES: u32 = 1 << 20;

/// Idle connections are closed after this time. Judgement: a robots.txt and its page share one
/// connection, while polite delays between pages do not keep thousands of sockets open.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(20);

/// The same for HTTP/2. Judgement: enough for a robots.txt and its page. We do not see what a
/// server sends on an idle connection, and HTTP/2 lets it send PING without end.
const IDLE_HTTP2_TIMEOUT: Duration = Duration::from_secs(3);

/// Idle connections kept in all. Judgement: a quarter of the descriptors that a process has by
/// default.
const MAX_IDLE_CONNECTIONS: usize = 256;

/// A connection to one origin, open or to be opened, with no request under way.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    phase: Arc<watch::Sender<Phase>>,
    /// The address of the origin; `None` if a proxy resolves its name.
    pub(super) address: Option<IpAddr>,
    /// Whether it has carried a request before. If so, the server may have closed it by now.
    is_reused: bool,
    proxied: Option<NamesResolvedBy>,
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// It goes out on an open connection, or will begin to connect.
    Begun,
    /// A connection is being made, with TLS.
    Connecting,
    /// The connection is made, and the request goes out.
    Connected,
}

/// How long a request may take up to the head of its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// To connect and agree on TLS.
    pub(super) connect: Duration,
    /// From then to the end of the head.
    pub(super) response: Duration,
    /// The end of the whole request.
    pub(super) deadline: Instant,
}

/// Why no head came.
pub(super) enum NoHead {
    /// No connection was made: another address may answer.
    NotConnected(Failure),
    /// The server closed the connection while it was idle. This is no failure of the request.
    ClosedWhileIdle,
    /// The server wants the request over HTTP/1.1.
    WantsHttp1,
    /// Anything else.
    Failed(Failure),
}

impl Connection {
    /// Sends a request, and reads the head of its answer. Also returns the time from the request
    /// to the head.
    pub(super) async fn send(&self, request: Request, patience: Patience) -> Result<(Response, Duration), NoHead> {
        let is_https = request.url().scheme() == "https";
        self.phase.send_replace(Phase::Begun);
        let mut phases = self.phase.subscribe();
        let mut answer = std::pin::pin!(self.client.execute(request));
        let (mut phase, mut since) = (Phase::Begun, Instant::now());
        loop {
            let until = patience.deadline.min(since + patience.for_phase(phase));
            tokio::select! {
                answer = &mut answer => {
                    // The phase may have changed in the same moment.
                    let phase = *phases.borrow();
                    return match answer {
                        Ok(response) => check_head(response).map(|response| (response, since.elapsed())),
                        Err(error) => Err(self.failed(error, phase, is_https)),
                    };
                }
                Ok(()) = phases.changed() => (phase, since) = (*phases.borrow_and_update(), Instant::now()),
                () = tokio::time::sleep_until(until) => return Err(late(phase, until == patience.deadline)),
            }
        }
    }

    fn failed(&self, error: reqwest::Error, phase: Phase, is_https: bool) -> NoHead {
        match (phase, self.proxied) {
            (Phase::Connecting, None) => NoHead::NotConnected(Failure::connecting(error)),
            (Phase::Connecting, Some(by)) => {
                NoHead::NotConnected(Failure::proxied(error, is_https || by == NamesResolvedBy::Us))
            }
            (..) if wants_http1(&error) => NoHead::WantsHttp1,
            (phase, _) => match Failure::http(error) {
                Failure { cause: Cause::Reset | Cause::Incomplete, .. } if self.is_reused && phase == Phase::Begun => {
                    NoHead::ClosedWhileIdle
                }
                failure => NoHead::Failed(failure),
            },
        }
    }
}

impl Patience {
    fn for_phase(&self, phase: Phase) -> Duration {
        match phase {
            Phase::Connecting => self.connect,
            Phase::Begun | Phase::Connected => self.response,
        }
    }
}

fn late(phase: Phase, is_deadline: bool) -> NoHead {
    match phase {
        Phase::Connecting => NoHead::NotConnected(Failure::plain(Cause::ConnectTimeout)),
        _ if is_deadline => NoHead::Failed(Failure::plain(Cause::Timeout)),
        _ => NoHead::Failed(Failure::plain(Cause::ResponseTimeout)),
    }
}

/// Refuses heads that are too large. The library bounds what it reads of a head less closely.
fn check_head(response: Response) -> Result<Response, NoHead> {
    let headers = response.headers();
    let size = |(name, value): (&reqwest::header::HeaderName, &reqwest::header::HeaderValue)| {
        name.as_str().len() + value.len() + FIELD_BYTES
    };
    match headers.len() > MAX_HEADERS || headers.iter().map(size).sum::<usize>() > MAX_HEAD_BYTES {
        true => Err(NoHead::Failed(Failure::plain(Cause::HeaderFlood))),
        false => Ok(response),
    }
}

/// The versions that a connection with TLS offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    Http2AndHttp1,
    Http1,
}

/// Opens connections.
#[derive(Clone)]
pub(super) struct Connector {
    tls: ClientConfig,
    proxy: Option<ProxyUrl>,
}

impl Connector {
    /// Fails on a system without CA certificates.
    pub(super) fn new(proxy: Option<ProxyUrl>) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
        Ok(Self::with_tls(tls, proxy))
    }

    /// A connector with these certificates.
    pub(super) fn with_tls(mut tls: ClientConfig, proxy: Option<ProxyUrl>) -> Self {
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { tls, proxy }
    }

    /// A connection to an origin at `address`, which is made with its first request. By way of the
    /// proxy, which is at `proxy`, if there is one.
    pub(super) fn open(
        &self,
        address: Option<IpAddr>,
        proxy: Option<IpAddr>,
        offered: Offered,
    ) -> Result<Connection, Failure> {
        let setup = |error| Failure::new(Cause::Setup, error);
        let missing = || Failure::plain(Cause::Setup);
        let phase = Arc::new(watch::Sender::new(Phase::Begun));
        let mut tls = self.tls.clone();
        if offered == Offered::Http1 {
            tls.alpn_protocols.retain(|protocol| protocol != b"h2");
        }
        let builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .pool_idle_timeout(None)
            .pool_max_idle_per_host(1)
            .connector_layer(PhaseLayer(Arc::clone(&phase)))
            // Accept what browsers accept.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEAD_BYTES as u32)
            .http2_initial_stream_window_size(HTTP2_WINDOW_BYTES)
            .http2_initial_connection_window_size(HTTP2_WINDOW_BYTES);
        let builder = match &self.proxy {
            None => builder,
            Some(url) => {
                let url = url.at(proxy.ok_or_else(missing)?);
                builder.proxy(reqwest::Proxy::all(url).map_err(setup)?)
            }
        };
        let proxied = self.proxy.as_ref().map(ProxyUrl::names_resolved_by);
        // reqwest looks up the target, but if the proxy resolves its name: then the proxy.
        let looked_up = if proxied == Some(NamesResolvedBy::Proxy) { proxy } else { address };
        let builder = builder.dns_resolver(OneAddress(looked_up.ok_or_else(missing)?));
        let client = builder.build().map_err(setup)?;
        Ok(Connection { client, phase, address, is_reused: false, proxied })
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connector")
    }
}

/// Resolves every name to the address whose turn was taken. Literal addresses never come here.
#[derive(Clone, Copy)]
struct OneAddress(IpAddr);

impl Resolve for OneAddress {
    fn resolve(&self, _name: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(SocketAddr::new(self.0, 0)));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Notices when a connection begins to be made, and when it is made.
#[derive(Clone)]
struct PhaseLayer(Arc<watch::Sender<Phase>>);

/// A connector whose phases are noticed.
#[derive(Clone)]
struct PhaseService<S> {
    connector: S,
    phase: Arc<watch::Sender<Phase>>,
}

impl<S> Layer<S> for PhaseLayer {
    type Service = PhaseService<S>;

    fn layer(&self, connector: S) -> Self::Service {
        PhaseService { connector, phase: Arc::clone(&self.0) }
    }
}

impl<S, R> Service<R> for PhaseService<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let phase = Arc::clone(&self.phase);
        phase.send_replace(Phase::Connecting);
        let connecting = self.connector.call(target);
        Box::pin(async move {
            let connection = connecting.await?;
            phase.send_replace(Phase::Connected);
            Ok(connection)
        })
    }
}

/// Idle connections, one for each origin.
#[derive(Clone, Default)]
pub(super) struct Idle {
    origins: Arc<Mutex<HashMap<String, PooledConnection>>>,
}

struct PooledConnection {
    connection: Connection,
    until: Instant,
}

impl Idle {
    /// The address of the origin's connection, if there is one.
    pub(super) fn address(&self, origin: &str) -> Option<IpAddr> {
        self.lock().get(origin).and_then(|kept| kept.connection.address)
    }

    /// Takes the origin's connection, if there is one to this address.
    pub(super) fn take(&self, origin: &str, address: Option<IpAddr>) -> Option<Connection> {
        let PooledConnection { connection, .. } = self.lock().remove(origin)?;
        (connection.address == address).then_some(connection)
    }

    /// Keeps a connection for a while. Its last answer was read to the end.
    pub(super) fn keep(&self, origin: String, mut connection: Connection, version: Version) {
        connection.is_reused = true;
        let is_http2 = version == Version::HTTP_2;
        let until = Instant::now() + if is_http2 { IDLE_HTTP2_TIMEOUT } else { IDLE_CONNECTION_TIMEOUT };
        {
            let mut origins = self.lock();
            if origins.len() >= MAX_IDLE_CONNECTIONS {
                return;
            }
            origins.insert(origin.clone(), PooledConnection { connection, until });
        }
        let idle = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            let mut origins = idle.lock();
            // Another connection may have replaced it.
            if origins.get(&origin).is_some_and(|kept| kept.until <= until) {
                origins.remove(&origin);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, PooledConnection>> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Idle({})", self.lock().len())
    }
}

#[cfg(test)]
mod tests;
