//! Answers with records. They are sent while they are unpacked, so that no answer is ever whole
//! in memory.

use std::io::{self, Read, Write};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use tsrec_store::{ChangeWithRecord, Cursor, StoredRecord};

/// Bytes sent at a time. Judgement: as much as a socket takes at once.
const PIECE: usize = 64 << 10;

/// Pieces built before the client has taken the first.
const AHEAD: usize = 2;

/// The most time for a client to read one answer. Judgement: the largest, of some 24 MB, then
/// needs 400 KB/s; on loopback it takes a second. A slower client requests less with `limit`.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a client may hold a piece back while others wait to be served. Judgement: the network's
/// hiccups are shorter.
const PATIENCE_IF_OTHERS_WAIT: Duration = Duration::from_secs(2);

/// Room for a number of answers at a time.
pub(super) struct Lane {
    permits: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// The place of an answer in a lane.
pub(super) struct LanePermit {
    _permit: Option<OwnedSemaphorePermit>,
    waiting: Arc<AtomicUsize>,
}

/// One that waits for a place. Its client may go away.
struct Waiting<'l>(&'l AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    /// Room for so many answers.
    pub(super) fn new(most: usize) -> Lane {
        Lane { permits: Arc::new(Semaphore::new(most)), waiting: Arc::default() }
    }

    /// Waits for a place.
    pub(super) async fn enter(&self) -> LanePermit {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waits = Waiting(&self.waiting);
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        drop(waits);
        LanePermit { _permit: permit, waiting: Arc::clone(&self.waiting) }
    }

    /// A place, if there is one now.
    pub(super) fn try_enter(&self) -> Option<LanePermit> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        Some(LanePermit { _permit: Some(permit), waiting: Arc::clone(&self.waiting) })
    }
}

/// A record as an answer.
pub(super) fn record(record: StoredRecord, permit: LanePermit) -> Response {
    // Weak, since the tag ignores the answer's compression.
    let tag = format!("W/\"{}\"", record.version());
    let answer = body(permit, "application/json", Patience::WithAll, move |out| copy(record, out));
    ([(ETAG, tag)], answer).into_response()
}

/// Changes as an answer, in the shape of a [`Feed`](super::Feed).
pub(super) fn feed(rows: Vec<ChangeWithRecord>, next: Cursor, permit: LanePermit) -> Response {
    body(permit, "application/json", Patience::WithAll, move |out| {
        out.write_all(b"{\"changes\":[")?;
        for (index, (change, page)) in rows.into_iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            let mut row = serde_json::to_vec(&change)?;
            let Some(page) = page else {
                out.write_all(&row)?;
                continue;
            };
            // The object continues where its last brace stood.
            row.pop();
            out.write_all(&row)?;
            if let Err(error) = page.check() {
                tracing::error!(url = change.url, %error, "a record cannot be read");
                out.write_all(b",\"unreadable\":")?;
                serde_json::to_writer(&mut *out, &error.to_string())?;
                out.write_all(b"}")?;
                continue;
            }
            out.write_all(b",\"page\":")?;
            copy(page, out)?;
            out.write_all(b"}")?;
        }
        out.write_all(b"],\"next\":")?;
        serde_json::to_writer(&mut *out, &next)?;
        out.write_all(b"}")
    })
}

pub(super) fn copy(record: StoredRecord, out: &mut dyn Write) -> io::Result<()> {
    let mut json = record.into_json().map_err(io::Error::other)?;
    let mut piece = vec![0; PIECE];
    loop {
        match json.read(&mut piece)? {
            0 => return Ok(()),
            len => out.write_all(&piece[..len])?,
        }
    }
}

/// JSON Lines of any number.
pub(super) fn lines(
    permit: LanePermit,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Response {
    body(permit, "application/x-ndjson", Patience::WithEach, write)
}

/// How long to wait for a client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// [`PATIENCE`] for the whole answer.
    WithAll,
    /// As long for each piece.
    WithEach,
}

/// Writes the answer on a blocking thread, as fast as the client takes it. An error breaks the
/// connection, so that no client takes a part for the whole. It holds the permit to the end.
fn body(
    permit: LanePermit,
    content_type: &'static str,
    patience: Patience,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Response {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let mut out = AnswerSender {
        piece: Vec::with_capacity(PIECE),
        sender: sender.clone(),
        runtime: Handle::current(),
        deadline: Instant::now() + PATIENCE,
        patience,
        permit,
    };
    tokio::task::spawn_blocking(move || {
        if let Err(error) = write(&mut out).and_then(|()| out.flush()) {
            tracing::debug!(%error, "an answer was broken off");
            // If there is no room for the error, the client does not read, or has gone.
            let _ = sender.try_send(Err(error));
        }
    });
    ([(CONTENT_TYPE, content_type)], Body::new(AnswerPieces(receiver))).into_response()
}

/// The writer of an answer.
struct AnswerSender {
    piece: Vec<u8>,
    sender: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
    deadline: Instant,
    patience: Patience,
    permit: LanePermit,
}

impl Write for AnswerSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        let len = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        if self.patience == Patience::WithEach {
            self.deadline = Instant::now() + PATIENCE;
        }
        let piece = Bytes::from(std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE)));
        match self.runtime.block_on(self.send(piece)) {
            Some(true) => Ok(()),
            Some(false) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the client has gone")),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes too long")),
        }
    }
}

impl AnswerSender {
    /// Sends a piece. False if the client has gone; `None` if it takes too long, which is sooner if
    /// others wait.
    async fn send(&self, piece: Bytes) -> Option<bool> {
        let mut sending = pin!(self.sender.send(Ok(piece)));
        loop {
            let soon = Instant::now() + PATIENCE_IF_OTHERS_WAIT;
            if let Ok(sent) = tokio::time::timeout_at(soon.min(self.deadline), sending.as_mut()).await {
                return Some(sent.is_ok());
            }
            if Instant::now() >= self.deadline || self.permit.waiting.load(Ordering::Relaxed) > 0 {
                return None;
            }
        }
    }
}

/// The pieces as the body of an answer.
pub(super) struct AnswerPieces(pub(super) mpsc::Receiver<io::Result<Bytes>>);

impl hyper::body::Body for AnswerPieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
