//! Connections with TLS, against servers on loopback whose certificate is ours.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use url::Url;

use super::Connector;
use crate::fetch::client::HttpClient;
use crate::fetch::user_agent::UserAgent;
use crate::fetch::{Config, Delays, Fetcher};

mod floods;
mod frames;
mod proxies;
mod versions;

const MS: Duration = Duration::from_millis(1);

/// A certificate for 127.0.0.1 and localhost.
struct Identity {
    server: ServerConfig,
    client: ClientConfig,
}

impl Identity {
    /// A server with this certificate offers these protocols.
    fn new(protocols: &[&str]) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let versions = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let mut server = versions.unwrap().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        server.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let client = versions.unwrap().with_root_certificates(roots).with_no_client_auth();
        Self { server, client }
    }

    /// A fetcher that trusts this certificate, with the test's other settings.
    fn fetcher(&self, set: impl FnOnce(&mut Config)) -> Fetcher {
        let mut config = Config { allow_private_addresses: true, ..Config::default() };
        set(&mut config);
        let user_agent = UserAgent::parse("examplebot/1.0").unwrap();
        let connector = Connector::with_tls(self.client.clone(), config.proxy.clone());
        let client = HttpClient::with_connector(connector, &config, &user_agent, Delays::default());
        Fetcher::with_client(client, &config, user_agent)
    }
}

/// A server with TLS on a free port of 127.0.0.1. It stops when dropped.
struct TlsServer {
    port: u16,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl TlsServer {
    /// Serves each connection with `serve`.
    async fn start<F: Future<Output = ()> + Send>(
        identity: &Identity,
        serve: impl Fn(TlsStream<TcpStream>) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(Arc::new(identity.server.clone()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (counted, serve) = (Arc::clone(&connections), Arc::new(serve));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let (acceptor, serve) = (acceptor.clone(), Arc::clone(&serve));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream).await;
                    }
                });
            }
        });
        Self { port, connections, task }
    }

    /// A path that no robots.txt can forbid, so that a test has one request.
    fn url(&self) -> Url {
        Url::parse(&format!("https://127.0.0.1:{}/robots.txt?page", self.port)).unwrap()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
