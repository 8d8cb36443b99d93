//! https by way of proxies that work, and addresses of a name of which some do not.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Mutex;

use super::versions::serve_http1;
use super::*;
use crate::fetch::{FetchRequest, ProxyUrl};

/// A proxy on loopback, for socks5 (RFC 1928) and CONNECT (RFC 9110, section 9.3.6). It leads to
/// one server.
struct Tunnel {
    port: u16,
    /// What clients asked for.
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Tunnel {
    async fn start(leads_to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let targets = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let targets = Arc::clone(&targets);
                tokio::spawn(async move {
                    let _ = lead(client, leads_to, &targets).await;
                });
            }
        });
        Self { port, asked, task }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn lead(mut client: TcpStream, leads_to: u16, targets: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let first = client.read_u8().await?;
    let target = match first {
        5 => socks_target(&mut client).await?,
        _ => connect_target(&mut client, first).await?,
    };
    targets.lock().unwrap().push(target);
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, leads_to)).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop)
}

async fn socks_target(client: &mut TcpStream) -> std::io::Result<String> {
    let mut methods = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut methods).await?;
    client.write_all(&[5, 0]).await?;
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let address = match head[3] {
        1 => IpAddr::from(client.read_u32().await?.to_be_bytes()),
        4 => IpAddr::from(client.read_u128().await?.to_be_bytes()),
        other => panic!("a socks5 proxy gets addresses, and no kind {other}"),
    };
    let port = client.read_u16().await?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(format!("socks {} {port}", if address.is_loopback() { "loopback" } else { "elsewhere" }))
}

async fn connect_target(client: &mut TcpStream, first: u8) -> std::io::Result<String> {
    let mut head = vec![first];
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    let head = String::from_utf8_lossy(&head);
    Ok(head.lines().next().unwrap_or_default().to_owned())
}

/// Each kind of proxy, each way to write the host, and both versions.
#[tokio::test]
async fn https_goes_through_tunnels_of_proxies() {
    for (protocols, is_http2) in [(&["http/1.1"][..], false), (&["h2"], true)] {
        let identity = Identity::new(protocols);
        let server = TlsServer::start(&identity, move |stream| serve_either(stream, is_http2)).await;
        for (scheme, host) in
            [("socks5", "127.0.0.1"), ("socks5", "localhost"), ("http", "127.0.0.1"), ("http", "localhost")]
        {
            let tunnel = Tunnel::start(server.port).await;
            let proxy = ProxyUrl::parse(&format!("{scheme}://127.0.0.1:{}", tunnel.port)).unwrap();
            let fetcher = identity.fetcher(|config| {
                config.proxy = Some(proxy);
                config.proxy_resolves_names = scheme == "http";
            });
            let fetcher = fetcher.with_exchanges();
            let port = server.port;
            let url = Url::parse(&format!("https://{host}:{port}/robots.txt?page")).unwrap();
            let page = fetcher.follow(&url).await.unwrap_or_else(|error| panic!("{scheme} {url}: {error}"));
            assert!(page.body == b"<p>Hello" && page.exchange.unwrap().is_http2 == is_http2, "{scheme} {url}");
            let expect = match scheme {
                "http" => format!("CONNECT {host}:{port} HTTP/1.1"),
                _ => format!("socks loopback {port}"),
            };
            assert_eq!(tunnel.asked(), [expect], "{url}");
            // The tunnel is used again.
            fetcher.follow(&url).await.unwrap();
            assert_eq!(tunnel.asked().len(), 1, "{url}");
            // Whoever is behind the tunnel must have a certificate that we trust.
            let proxy = ProxyUrl::parse(&format!("{scheme}://127.0.0.1:{}", tunnel.port)).unwrap();
            let other = Identity::new(protocols).fetcher(|config| {
                config.proxy = Some(proxy);
                config.proxy_resolves_names = scheme == "http";
            });
            let error = other.follow(&url).await.unwrap_err();
            assert_eq!(error.cause(), crate::fetch::Cause::Tls, "{scheme} {url}: {error}");
        }
    }
}

async fn serve_either(stream: TlsStream<TcpStream>, is_http2: bool) {
    match is_http2 {
        true => super::frames::serve_pages(stream).await,
        false => serve_http1(stream).await,
    }
}

/// Nobody listens at the first addresses of the name.
#[tokio::test]
async fn the_next_address_is_tried_where_one_cannot_be_connected_to() {
    let identity = Identity::new(&["http/1.1"]);
    let server = TlsServer::start(&identity, serve_http1).await;
    let url = Url::parse(&format!("https://localhost:{}/robots.txt?page", server.port)).unwrap();
    let address = |last| IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
    for (addresses, expect) in [
        (vec![address(1)], Ok(address(1))),
        (vec![address(2), address(1)], Ok(address(1))),
        (vec![address(2), address(3), address(1)], Ok(address(1))),
        (vec![address(1), address(2)], Ok(address(1))),
        (vec![address(2), address(3)], Err(crate::fetch::Cause::ConnectionRefused)),
    ] {
        let fetcher = identity.fetcher(|_| ());
        fetcher.shared.client.resolver.learn("localhost", &addresses);
        let visit = fetcher.visit(&FetchRequest::new(&url)).await;
        let found = visit.result.map(|_| visit.address.unwrap()).map_err(|error| error.cause());
        assert_eq!(found, expect, "{addresses:?}");
    }
}
