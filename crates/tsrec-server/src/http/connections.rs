//! Connections: how many there are, and how long each may keep us waiting.
//!
//! A connection costs a descriptor, which the crawl needs too. So their number is bounded, and one
//! that sends no request or body in time, or takes no answer, is closed; more than the bound wait
//! in the listener's queue, which costs nothing.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::middleware::map_request;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep};

use super::Config;
use super::body::in_time;

/// Header fields of a request. Judgement: browsers send some 20.
const MAX_HEADERS: usize = 64;

/// Bytes of a request's head, and of what is read ahead. Judgement: a URL may have 2 KiB, three
/// times that escaped.
const MAX_HEAD_LEN: usize = 32 << 10;

/// How long a client may take nothing of an answer. Judgement: a network that loses packets
/// recovers sooner.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// The wait after a connection could not be accepted: mostly for want of descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves until told to close; then connections end with the answer under way.
pub(super) async fn serve(listener: TcpListener, router: Router, config: &Config, mut closing: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(config.max_connections));
    let idle_timeout = config.idle_timeout;
    let router = router.layer(map_request(move |request| std::future::ready(in_time(request, idle_timeout))));
    let mut connections = JoinSet::new();
    let for_each = closing.clone();
    loop {
        tokio::select! {
            // A sender that is gone means the same.
            _ = closing.wait_for(|closing| *closing) => break,
            Some(_) = connections.join_next() => {}
            (stream, slot) = accept(&listener, &slots) => {
                let serving = connection(stream, router.clone(), config.idle_timeout, for_each.clone());
                connections.spawn(async move {
                    // A connection that fails is its client's affair.
                    let _ = serving.await;
                    drop(slot);
                });
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let slot = Arc::clone(slots).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, slot),
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    router: Router,
    idle_timeout: Duration,
    mut closing: watch::Receiver<bool>,
) -> Result<(), hyper::Error> {
    let io = TokioIo::new(Patient { stream, waiting: None });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(idle_timeout)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_LEN)
        .serve_connection(io, TowerToHyperService::new(router));
    let mut serving = pin!(serving);
    tokio::select! {
        served = serving.as_mut() => return served,
        _ = closing.wait_for(|closing| *closing) => {}
    }
    serving.as_mut().graceful_shutdown();
    serving.await
}

/// A stream whose writes fail when the other side takes nothing for too long.
struct Patient {
    stream: TcpStream,
    /// While a write waits: when it has waited for too long.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Passes on what a write came to, and counts how long it waits.
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
        Pin::new(&mut self.stream).poll_read(context, into)
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
