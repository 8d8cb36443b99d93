//! Connections: connect to a checked address, agree on TLS, carry one request after the other,
//! close when idle.
//!
//! HTTP/1.1 only. The crawler makes one request to a host at a time, so HTTP/2's streams do not
//! help it. Every flood that HTTP/2 frames allow would need a limit of its own.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use url::Url;

use super::cause::Cause;
use super::failure::Failure;
use super::wire::{MAX_HEAD_BYTES, Meter, Wire};

/// Most header fields of an answer. Judgement: policies and cookies take some hundred.
const MAX_HEADERS: usize = 256;

/// Idle connections are closed after this time. Judgement: a robots.txt and its page share one
/// connection, while polite delays between pages do not keep thousands of sockets open.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(20);

/// Idle connections kept in all. Judgement: a quarter of the descriptors that a process has by
/// default.
const MAX_IDLE_CONNECTIONS: usize = 256;

/// An open connection with no request under way.
pub(super) struct Connection {
    pub(super) sender: SendRequest<Empty<Bytes>>,
    pub(super) meter: Arc<Meter>,
    pub(super) address: IpAddr,
    /// Whether it has carried a request before. If so, the server may have closed it by now.
    pub(super) reused: bool,
}

/// Makes connections.
#[derive(Clone)]
pub(super) struct Connector {
    tls: TlsConnector,
    http: http1::Builder,
}

impl Connector {
    /// Fails on a system without CA certificates.
    pub(super) fn new() -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut http = http1::Builder::new();
        // Accept what browsers accept.
        http.allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD_BYTES);
        Ok(Self { tls: TlsConnector::from(Arc::new(tls)), http })
    }

    /// Connects to the first of `addresses` that answers. Each gets its share of the time until
    /// `deadline`.
    pub(super) async fn connect(
        &self,
        url: &Url,
        addresses: &[IpAddr],
        deadline: Instant,
    ) -> Result<Connection, Failure> {
        let mut failure = Failure::plain(Cause::Unreachable);
        for (at, &address) in addresses.iter().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(addresses.len() - at).unwrap_or(u32::MAX);
            failure = match tokio::time::timeout(share, self.connect_to(url, address)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(failure)) => failure,
                Err(_elapsed) => Failure::plain(Cause::ConnectTimeout),
            };
        }
        Err(failure)
    }

    async fn connect_to(&self, url: &Url, address: IpAddr) -> Result<Connection, Failure> {
        let port = url.port_or_known_default().unwrap_or(80);
        let stream = TcpStream::connect(SocketAddr::new(address, port)).await.map_err(not_connected)?;
        let _ = stream.set_nodelay(true); // A matter of speed alone.
        if url.scheme() == "http" {
            return self.agree(stream, address).await;
        }
        let name = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(|error| Failure::new(Cause::Tls, error))?;
        let stream = self.tls.connect(name, stream).await.map_err(not_secured)?;
        self.agree(stream, address).await
    }

    async fn agree(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        address: IpAddr,
    ) -> Result<Connection, Failure> {
        let meter = Arc::new(Meter::default());
        let wire = Wire::new(stream, Arc::clone(&meter));
        let (sender, driver) = self.http.handshake(TokioIo::new(wire)).await.map_err(Failure::http)?;
        // The task ends with the connection, which closes when its sender and its last body are
        // dropped.
        tokio::spawn(async move {
            let _ = driver.await; // The request has the same error.
        });
        Ok(Connection { sender, meter, address, reused: false })
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connector")
    }
}

fn not_connected(error: io::Error) -> Failure {
    let cause = match error.kind() {
        _ if is_exhausted(&error) => Cause::Exhausted,
        io::ErrorKind::ConnectionRefused => Cause::ConnectionRefused,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => Cause::Reset,
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => Cause::Offline,
        io::ErrorKind::TimedOut => Cause::ConnectTimeout,
        _ => Cause::Unreachable,
    };
    Failure::new(cause, error)
}

fn not_secured(error: io::Error) -> Failure {
    let cause = match error.kind() {
        io::ErrorKind::ConnectionReset => Cause::Reset,
        _ => Cause::Tls,
    };
    Failure::new(cause, error)
}

/// Whether this machine, and not the host, ran out: EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL
/// on Linux.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(24 | 23 | 105 | 12 | 99))
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
    /// Takes the origin's connection, if one is still open.
    pub(super) fn take(&self, origin: &str) -> Option<Connection> {
        let PooledConnection { connection, .. } = self.lock().remove(origin)?;
        (!connection.sender.is_closed()).then_some(connection)
    }

    /// Keeps a connection for a while, once it is ready for another request. Its last answer was
    /// read to the end.
    pub(super) fn keep(&self, origin: String, mut connection: Connection) {
        connection.reused = true;
        let idle = self.clone();
        tokio::spawn(async move {
            let until = Instant::now() + IDLE_CONNECTION_TIMEOUT;
            if !matches!(tokio::time::timeout_at(until, connection.sender.ready()).await, Ok(Ok(()))) {
                return;
            }
            {
                let mut origins = idle.lock();
                if origins.len() >= MAX_IDLE_CONNECTIONS {
                    return;
                }
                origins.insert(origin.clone(), PooledConnection { connection, until });
            }
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
