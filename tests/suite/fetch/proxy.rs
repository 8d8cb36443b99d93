//! Requests by way of a proxy.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tsrec_crawl::fetch::{Cause, Config, Delays, FetchRequest, Fetcher, ProxyUrl};
use url::Url;

use crate::fetch::server::{Server, page, status};

const USER_AGENT: &str = "examplebot/1.0 (+https://example.org/bot)";

fn config(proxy: &str) -> Config {
    Config { proxy: Some(ProxyUrl::parse(proxy).unwrap()), ..Config::default() }
}

fn fetcher(config: &Config) -> Fetcher {
    Fetcher::new(config, USER_AGENT).unwrap()
}

fn url(url: &str) -> Url {
    Url::parse(url).unwrap()
}

/// A socks5 proxy on loopback (RFC 1928) that leads everywhere to one server.
struct Socks {
    port: u16,
    /// The addresses that clients asked for, as the protocol has them.
    asked: Arc<Mutex<Vec<Target>>>,
    /// The names and passwords that clients gave.
    logins: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    Address(SocketAddr),
    Name(String),
}

impl Socks {
    /// Answers each request with this code: 0 is success. Then it leads to the server.
    async fn start(code: u8, leads_to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, logins) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (targets, names) = (Arc::clone(&asked), Arc::clone(&logins));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (targets, names) = (Arc::clone(&targets), Arc::clone(&names));
                tokio::spawn(async move {
                    let _ = lead(stream, code, leads_to, &targets, &names).await;
                });
            }
        });
        Self { port, asked, logins, task }
    }

    fn url(&self) -> String {
        format!("socks5://127.0.0.1:{}", self.port)
    }

    fn asked(&self) -> Vec<Target> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Socks {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn lead(
    mut client: TcpStream,
    code: u8,
    leads_to: u16,
    targets: &Mutex<Vec<Target>>,
    logins: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    assert_eq!(client.read_u8().await?, 5);
    let mut methods = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut methods).await?;
    let has_login = methods.contains(&2);
    client.write_all(&[5, if has_login { 2 } else { 0 }]).await?;
    if has_login {
        assert_eq!(client.read_u8().await?, 1);
        let login = [text(&mut client).await?, text(&mut client).await?].join(":");
        logins.lock().unwrap().push(login);
        client.write_all(&[1, 0]).await?;
    }
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let target = match head[3] {
        1 => Ok(IpAddr::from(client.read_u32().await?.to_be_bytes())),
        4 => Ok(IpAddr::from(client.read_u128().await?.to_be_bytes())),
        _ => Err(text(&mut client).await?),
    };
    let port = client.read_u16().await?;
    targets.lock().unwrap().push(match target {
        Ok(address) => Target::Address(SocketAddr::new(address, port)),
        Err(name) => Target::Name(name),
    });
    client.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    if code == 0 {
        let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, leads_to)).await?;
        tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    }
    Ok(())
}

async fn text(client: &mut TcpStream) -> std::io::Result<String> {
    let mut text = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut text).await?;
    Ok(String::from_utf8(text).unwrap())
}

fn port(server: &Server) -> u16 {
    server.url("/").port().unwrap()
}

/// A port where nobody listens.
async fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn a_socks_proxy_gets_checked_addresses_and_no_names() {
    let server = Server::without_robots(|_| page()).await;
    let socks = Socks::start(0, port(&server)).await;
    // The proxy itself is on loopback: the rules are not about it.
    let fetcher = fetcher(&config(&socks.url()));
    for (target, expect) in [
        ("http://93.184.215.14/page", "93.184.215.14:80"),
        ("http://93.184.215.14:8080/page", "93.184.215.14:8080"),
        ("http://[2606:4700::1111]/page", "[2606:4700::1111]:80"),
    ] {
        let before = socks.asked().len();
        assert_eq!(fetcher.follow(&url(target)).await.unwrap().body, b"<p>Hello", "{target}");
        assert_eq!(socks.asked()[before], Target::Address(expect.parse().unwrap()), "{target}");
    }
    let asked = socks.asked().len();
    for refused in [
        "http://localhost/page",
        "http://127.0.0.1/page",
        "http://10.0.0.1/page",
        "http://169.254.169.254/latest",
        "http://[::1]/page",
        "http://0x7f.1/page",
    ] {
        assert!(fetcher.follow(&url(refused)).await.unwrap_err().is_refused(), "{refused}");
    }
    assert_eq!(socks.asked().len(), asked, "what is refused never reaches the proxy");
}

#[tokio::test]
async fn names_are_resolved_here_before_a_socks_proxy_is_asked() {
    let server = Server::without_robots(|_| page()).await;
    let socks = Socks::start(0, port(&server)).await;
    let proxy = socks.url().replace("socks5://", "socks5://user:secret@");
    let fetcher = fetcher(&Config { allow_private_addresses: true, ..config(&proxy) });
    fetcher.follow(&url("http://localhost:81/page")).await.unwrap();
    for target in socks.asked() {
        let Target::Address(address) = target else { panic!("{target:?}") };
        assert!(address.ip().is_loopback() && address.port() == 81, "{address}");
    }
    assert_eq!(socks.logins.lock().unwrap()[0], "user:secret");
}

/// What a proxy says, and whose fault it is.
#[tokio::test]
async fn failures_of_the_proxy_are_nobodys_and_failures_behind_it_the_hosts() {
    for (code, expect) in [
        (1, Cause::Unreachable),
        (2, Cause::Proxy),
        (3, Cause::Unreachable),
        (4, Cause::Unreachable),
        (5, Cause::ConnectionRefused),
        (6, Cause::Unreachable),
        (7, Cause::Proxy),
        (8, Cause::Unreachable),
    ] {
        let socks = Socks::start(code, 0).await;
        let error = fetcher(&config(&socks.url())).follow(&url("http://93.184.215.14/robots.txt")).await.unwrap_err();
        assert_eq!(error.cause(), expect, "{code}: {error} {:?}", std::error::Error::source(&error));
        assert_eq!(error.fault().is_none(), expect == Cause::Proxy, "{code}");
    }
    let dead = dead_port().await;
    for scheme in ["socks5", "http", "https"] {
        let config = Config { proxy_resolves_names: true, ..config(&format!("{scheme}://127.0.0.1:{dead}")) };
        for target in ["http://93.184.215.14/page", "https://93.184.215.14/page"] {
            let error = fetcher(&config).follow(&url(target)).await.unwrap_err();
            assert_eq!((error.cause(), error.fault()), (Cause::Proxy, None), "{scheme} {target}: {error}");
        }
    }
    let unknown = config("socks5://no-such-proxy.invalid:1080");
    let error = fetcher(&unknown).follow(&url("http://93.184.215.14/page")).await.unwrap_err();
    assert_eq!(error.cause(), Cause::Proxy, "{error}");
}

#[tokio::test]
async fn a_proxy_that_resolves_names_must_be_allowed() {
    for proxy in ["http://user:secret@127.0.0.1:3128", "https://proxy.example"] {
        let error = Fetcher::new(&config(proxy), USER_AGENT).unwrap_err().to_string();
        assert!(error.contains("proxy_resolves_names = true") && !error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn an_http_proxy_gets_names_and_no_address_that_is_refused() {
    let proxy = Server::start(|target| match target {
        "http://site.example/robots.txt" => status("404 Not Found"),
        "http://site.example/page" => page(),
        "http://closed.example/robots.txt" => status("407 Proxy Authentication Required"),
        _ => status("502 Bad Gateway"),
    })
    .await;
    let config = Config { proxy_resolves_names: true, ..config(&format!("http://127.0.0.1:{}", port(&proxy))) };
    let fetcher = fetcher(&config);
    let target = url("http://site.example/page");
    let visit = fetcher.visit(&FetchRequest::new(&target)).await;
    assert!(visit.result.is_ok() && visit.address.is_none(), "{visit:?}");
    assert!(fetcher.locate(&target).await.is_err());
    assert_eq!(proxy.paths(), ["http://site.example/robots.txt", "http://site.example/page"]);
    let error = fetcher.follow(&url("http://closed.example/page")).await.unwrap_err();
    assert_eq!((error.cause(), error.fault()), (Cause::Proxy, None), "{error}");
    let asked = proxy.paths().len();
    for refused in [
        "http://127.0.0.1/page",
        "http://10.0.0.1/page",
        "http://[::1]/page",
        "http://localhost/page",
        "http://a.localhost/page",
        "http://localhost./page",
    ] {
        assert!(fetcher.follow(&url(refused)).await.unwrap_err().is_refused(), "{refused}");
    }
    assert_eq!(proxy.paths().len(), asked);
}

/// An https page needs a tunnel through the proxy.
#[tokio::test]
async fn a_tunnel_that_is_refused_is_no_fault_of_the_proxy() {
    for (answer, expect) in [
        ("502 Bad Gateway", Cause::Unreachable),
        ("403 Forbidden", Cause::Unreachable),
        ("407 Proxy Authentication Required", Cause::Proxy),
    ] {
        let proxy = Server::start(move |_| status(answer)).await;
        let config = Config { proxy_resolves_names: true, ..config(&format!("http://127.0.0.1:{}", port(&proxy))) };
        let error = fetcher(&config).follow(&url("https://site.example/robots.txt")).await.unwrap_err();
        assert_eq!(error.cause(), expect, "{answer}: {error}");
        assert!(proxy.requests()[0].starts_with("CONNECT site.example:443 "), "{:?}", proxy.requests());
    }
}

/// Two hosts on one address have one turn after the other, where we know the address.
#[tokio::test]
async fn turns_go_by_the_target_and_not_by_the_proxy() {
    let server = Server::without_robots(|_| page()).await;
    let socks = Socks::start(0, port(&server)).await;
    let delays = Delays { origin: Duration::from_secs(600), address: Duration::from_secs(600) };
    let fetcher = Fetcher::with_delays(&config(&socks.url()), USER_AGENT, delays).unwrap();
    let robots = |host: &str| url(&format!("http://{host}/robots.txt"));
    fetcher.fetch(&robots("93.184.215.14")).await.unwrap_err();
    assert_eq!(fetcher.fetch(&robots("93.184.215.14:8080")).await.unwrap_err().cause(), Cause::Busy);
    // The proxy's own address has no turns: another target can be asked at once.
    assert_ne!(fetcher.fetch(&robots("93.184.215.15")).await.unwrap_err().cause(), Cause::Busy);
    let proxy = Server::start(|_| status("404 Not Found")).await;
    let config = Config { proxy_resolves_names: true, ..config(&format!("http://127.0.0.1:{}", port(&proxy))) };
    let fetcher = Fetcher::with_delays(&config, USER_AGENT, delays).unwrap();
    for host in ["a.example", "b.example"] {
        assert_eq!(fetcher.fetch(&robots(host)).await.unwrap_err().cause(), Cause::Gone, "{host}");
    }
    assert_eq!(fetcher.fetch(&robots("a.example")).await.unwrap_err().cause(), Cause::Busy);
}
