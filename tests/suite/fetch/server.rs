use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tsrec_crawl::fetch::{Config, Fetcher};
use url::Url;

/// Longest request read, in bytes. The client's requests are far shorter.
const MAX_REQUEST_BYTES: usize = 64 << 10;

/// What the server does with a request.
pub(crate) enum Reply {
    /// Sends these bytes and closes the connection.
    Send(Vec<u8>),
    /// Sends these bytes and then nothing more.
    Stall(Vec<u8>),
    /// Sends the first bytes, then the others again and again, as fast as the client reads.
    Flood(Vec<u8>, Vec<u8>),
    /// Sends the first bytes, then the others again and again, with this pause between.
    Drip(Vec<u8>, Vec<u8>, Duration),
    /// Sends these bytes and resets the connection.
    Reset(Vec<u8>),
    /// Answers after a while.
    Late(Duration, Vec<u8>),
    /// Sends these bytes and accepts further requests on the same connection.
    KeepAlive(Vec<u8>),
}

/// A server on a free port of 127.0.0.1 that stops when dropped. One request per connection.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<(Instant, String)>>>,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers every request with the result of `reply` for its path and query.
    pub(crate) async fn start(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", reply).await
    }

    /// A server at another loopback address.
    pub(crate) async fn start_at(host: &str, reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(host, move |path: &str, _: &str| reply(path)).await
    }

    /// Answers every request with the result of `reply` for its path and query, and its head.
    pub(crate) async fn start_hearing(reply: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen("127.0.0.1", reply).await
    }

    async fn listen(host: &str, reply: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (connections, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let reply = Arc::new(reply);
        let (log, accepted, counted) = (Arc::clone(&requests), Arc::clone(&connections), Arc::clone(&sent));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, Arc::clone(&reply), Arc::clone(&log), Arc::clone(&counted)));
            }
        });
        Self { port, requests, connections, sent, task }
    }

    /// A server without robots.txt.
    pub(crate) async fn without_robots(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(move |path| if path == "/robots.txt" { status("404 Not Found") } else { reply(path) }).await
    }

    /// A server with this robots.txt, and a page everywhere else.
    pub(crate) async fn with_robots(robots: &'static str) -> Self {
        Self::start(move |path| if path == "/robots.txt" { ok("text/plain", robots) } else { page() }).await
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    /// The URL of the same server with a host name that resolves to a loopback address.
    pub(crate) fn url_by_name(&self, path: &str) -> Url {
        Url::parse(&format!("http://localhost:{}{path}", self.port)).unwrap()
    }

    /// The heads of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|(_, head)| head.clone()).collect()
    }

    /// When the requests arrived.
    pub(crate) fn times(&self) -> Vec<Instant> {
        self.requests.lock().unwrap().iter().map(|(time, _)| *time).collect()
    }

    /// How many connections were accepted.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// How many bytes the clients took.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// The paths of all requests so far.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.requests().iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    reply: Arc<impl Fn(&str, &str) -> Reply + Send + Sync + 'static>,
    log: Arc<Mutex<Vec<(Instant, String)>>>,
    sent: Arc<AtomicUsize>,
) {
    while let Some(head) = request(&mut stream).await {
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let reply = reply(&path, &head);
        log.lock().unwrap().push((Instant::now(), head));
        let keep = matches!(reply, Reply::KeepAlive(_));
        // If the client closes early because it has read enough, writing fails.
        let _ = answer(&mut stream, reply, &sent).await;
        if !keep {
            return;
        }
    }
}

/// The head of the next request, or `None` if the client closed an unused connection.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        assert!(head.len() < MAX_REQUEST_BYTES);
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

async fn answer(stream: &mut TcpStream, reply: Reply, sent: &AtomicUsize) -> std::io::Result<()> {
    match reply {
        Reply::Send(bytes) | Reply::KeepAlive(bytes) => stream.write_all(&bytes).await?,
        Reply::Stall(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(Duration::from_secs(60)).await; // Ends with the test's runtime.
        }
        Reply::Flood(first, more) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&more).await?;
                sent.fetch_add(more.len(), Ordering::Relaxed);
            }
        }
        Reply::Drip(first, more, pause) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&more).await?;
                tokio::time::sleep(pause).await;
            }
        }
        Reply::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            tokio::time::sleep(Duration::from_millis(50)).await; // Let them be read before.
            stream.set_zero_linger()?;
        }
        Reply::Late(wait, bytes) => {
            tokio::time::sleep(wait).await;
            stream.write_all(&bytes).await?;
        }
    }
    Ok(())
}

/// A response with these header lines.
pub(crate) fn response(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|header| head.extend([header, "\r\n"]));
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

/// 200 with a body of this type.
pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Reply {
    Reply::Send(response("200 OK", &[&format!("Content-Type: {content_type}")], body.as_ref()))
}

pub(crate) fn page() -> Reply {
    ok("text/html", "<p>Hello")
}

/// A status without a body.
pub(crate) fn status(status: &str) -> Reply {
    Reply::Send(response(status, &[], b""))
}

/// A redirect.
pub(crate) fn redirect(status: &str, location: &str) -> Reply {
    Reply::Send(response(status, &[&format!("Location: {location}")], b""))
}

/// A fetcher that may request 127.0.0.1, with the test's other settings.
pub(crate) fn fetcher(set: impl FnOnce(&mut Config)) -> Fetcher {
    let mut config = Config { allow_private_addresses: true, ..Config::default() };
    set(&mut config);
    Fetcher::new(&config, "examplebot/1.0 (+https://example.org/bot)").unwrap()
}
