//! Limits on connections: their number, and how long each may make us wait.
//!
//! A connection costs a file descriptor, which the crawl needs too. So their number is bounded.
//! The server closes a connection that sends no request or body in time, or reads no answer.
//! If all are taken, a new connection takes the place of the one that was silent longest. If none
//! is silent, it gets one of a few places for health, metrics and single records. Further
//! connections wait in the listener's queue, which costs nothing.

use std::collections::VecDeque;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::map_request;
use axum::response::IntoResponse;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep};

use super::Config;
use super::body::in_time;
use super::problem::{NOT_READY, Problem};

/// The most header fields of a request. Judgement: browsers send some 20.
const MAX_HEADERS: usize = 64;

/// The most bytes of a request's head, and of read-ahead. Judgement: a URL may have 2 KiB, three
/// times that escaped.
const MAX_HEAD_LEN: usize = 32 << 10;

/// How long a client may read nothing of an answer. Judgement: a network that loses packets
/// recovers sooner.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// The pause after a failed accept, mostly for lack of file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Connections beyond the limit, for requests that need [reserved room](is_reserved). Judgement: a
/// monitor, a load balancer and some readers of single records.
pub(super) const RESERVED: usize = 8;

/// How long a connection may be silent before it gives way. Judgement: a client that means to ask
/// sends its request at once.
const GRACE: Duration = Duration::from_millis(100);

/// How long a new connection waits for the slot of a silent one that is being closed. Judgement:
/// closing takes microseconds.
const EVICTION: Duration = Duration::from_millis(200);

/// Serves until closing; then each connection ends after its current answer.
pub(super) async fn serve(listener: TcpListener, router: Router, config: &Config, mut closing: watch::Receiver<bool>) {
    let mut room = Room::new(config.max_connections);
    let idle_timeout = config.idle_timeout;
    let router = router.layer(map_request(move |request| std::future::ready(in_time(request, idle_timeout))));
    let mut connections = JoinSet::new();
    let for_each = closing.clone();
    loop {
        let stream = tokio::select! {
            // A dropped sender means the same.
            _ = closing.wait_for(|closing| *closing) => break,
            Some(_) = connections.join_next() => continue,
            stream = accept(&listener) => stream,
        };
        // A client waits: nobody is evicted for nobody.
        let place = tokio::select! {
            _ = closing.wait_for(|closing| *closing) => break,
            place = room.place() => place,
        };
        let serving = connection(stream, router.clone(), config.idle_timeout, for_each.clone(), place);
        connections.spawn(async move {
            // Ignore a failed connection: that is its client's problem.
            let _ = serving.await;
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The room for connections.
struct Room {
    slots: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
    /// Those that have asked for nothing yet, the oldest first.
    silent: VecDeque<Weak<Silence>>,
}

/// The state of a connection that may not have asked for anything yet.
struct Silence {
    since: Instant,
    is_reserved: bool,
    has_asked: AtomicBool,
    evicted: Notify,
}

/// The place of a connection.
struct ConnectionPlace {
    silence: Arc<Silence>,
    /// It may only make requests that have reserved room.
    is_reserved: bool,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Room {
    fn new(most: usize) -> Room {
        let [slots, reserved] = [most, RESERVED].map(|most| Arc::new(Semaphore::new(most)));
        Room { slots, reserved, silent: VecDeque::new() }
    }

    /// Waits for a place. If all are taken, the connection that has been silent longest goes.
    async fn place(&mut self) -> ConnectionPlace {
        let (slot, is_reserved) = loop {
            self.silent
                .retain(|silent| silent.upgrade().is_some_and(|silence| !silence.has_asked.load(Ordering::Relaxed)));
            let oldest = self.silent.front().and_then(Weak::upgrade);
            let grace_ends = oldest.as_ref().map_or_else(Instant::now, |oldest| oldest.since + GRACE);
            // The semaphores are never closed.
            tokio::select! {
                biased;
                slot = Arc::clone(&self.slots).acquire_owned() => break (slot.ok(), false),
                () = tokio::time::sleep_until(grace_ends), if oldest.is_some() => {}
                slot = Arc::clone(&self.reserved).acquire_owned() => break (slot.ok(), true),
            }
            self.silent.pop_front();
            let Some(oldest) = oldest.filter(|oldest| !oldest.has_asked.load(Ordering::Relaxed)) else { continue };
            oldest.evicted.notify_one();
            if !oldest.is_reserved
                && let Ok(slot) = tokio::time::timeout(EVICTION, Arc::clone(&self.slots).acquire_owned()).await
            {
                break (slot.ok(), false);
            }
        };
        let silence = Arc::new(Silence {
            since: Instant::now(),
            is_reserved,
            has_asked: AtomicBool::new(false),
            evicted: Notify::new(),
        });
        self.silent.push_back(Arc::downgrade(&silence));
        ConnectionPlace { silence, is_reserved, _slot: slot }
    }
}

/// The next connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Whether a request has reserved room: health, metrics, and single records.
fn is_reserved(request: &Request<Incoming>) -> bool {
    match request.uri().path() {
        "/healthz" | "/readyz" | "/metrics" => true,
        "/v1/pages" => request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("url="))),
        _ => false,
    }
}

async fn connection(
    stream: TcpStream,
    router: Router,
    idle_timeout: Duration,
    mut closing: watch::Receiver<bool>,
    place: ConnectionPlace,
) -> Result<(), hyper::Error> {
    let io = TokioIo::new(Patient { stream, waiting: None });
    let (silence, is_in_reserve) = (Arc::clone(&place.silence), place.is_reserved);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        silence.has_asked.store(true, Ordering::Relaxed);
        let answer = (!is_in_reserve || is_reserved(&request)).then(|| router.call(request));
        async move {
            match answer {
                Some(answer) => answer.await,
                None => {
                    let detail = "all connections are taken: come again later, or raise http.max_connections";
                    Ok(Problem::new(StatusCode::SERVICE_UNAVAILABLE, NOT_READY, detail).into_response())
                }
            }
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(idle_timeout)
        .keep_alive(!is_in_reserve)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_LEN)
        .serve_connection(io, service);
    let mut serving = pin!(serving);
    let evicted = async {
        place.silence.evicted.notified().await;
        // It may have asked in the meantime.
        if place.silence.has_asked.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        served = serving.as_mut() => return served,
        () = evicted => return Ok(()),
        _ = closing.wait_for(|closing| *closing) => {}
    }
    serving.as_mut().graceful_shutdown();
    serving.await
}

/// A stream whose writes fail if the other side reads nothing for too long.
struct Patient {
    stream: TcpStream,
    /// While a write waits: its deadline.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Passes on the result of a write, and times its wait.
    fn watch<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let until = Instant::now() + WRITE_PATIENCE;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, into);
        if into.filled().len() > before {
            // A client that still sends its batch reads later.
            self.waiting = None;
        }
        polled
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
