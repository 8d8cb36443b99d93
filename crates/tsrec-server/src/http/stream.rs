//! Answers that carry records: they go out while they are unpacked, so that no answer is ever whole
//! in memory.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::Instant;

use tsrec_store::{ChangeWithRecord, Cursor, StoredRecord};

/// What is sent at a time, in bytes. Judgement: as much as a socket takes at once.
const PIECE: usize = 64 << 10;

/// Pieces made before the client has taken the first.
const AHEAD: usize = 2;

/// How long a client may take for one answer. Judgement: the largest, of some 24 MB, then asks for
/// 400 KB/s; on loopback it takes a second. A client that is slower asks for less with `limit`.
const PATIENCE: Duration = Duration::from_secs(60);

/// A record as it is answered.
pub(super) fn record(record: StoredRecord, permit: OwnedSemaphorePermit) -> Response {
    // Weak, since it says nothing of how the answer is packed.
    let tag = format!("W/\"{}\"", record.version());
    let answer = body(permit, "application/json", Patience::WithAll, move |out| copy(record, out));
    ([(ETAG, tag)], answer).into_response()
}

/// Changes as they are answered, in the shape of a [`Feed`](super::Feed).
pub(super) fn feed(rows: Vec<ChangeWithRecord>, next: Cursor, permit: OwnedSemaphorePermit) -> Response {
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
            // An object goes on where its last brace stood.
            row.pop();
            out.write_all(&row)?;
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

/// Lines of JSON, however many there are.
pub(super) fn lines(
    permit: OwnedSemaphorePermit,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Response {
    body(permit, "application/x-ndjson", Patience::WithEach, write)
}

/// How a client is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// [`PATIENCE`] for all of the answer.
    WithAll,
    /// As long for each piece.
    WithEach,
}

/// Writes the answer on a blocking thread, as fast as the client takes it. What fails under way
/// breaks the connection off, so that no client takes a part for the whole. The permit is kept to
/// the end.
fn body(
    permit: OwnedSemaphorePermit,
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
    };
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        if let Err(error) = write(&mut out).and_then(|()| out.flush()) {
            tracing::debug!(%error, "an answer was broken off");
            // If there is no room for it, the client does not read, or is gone.
            let _ = sender.try_send(Err(error));
        }
    });
    ([(CONTENT_TYPE, content_type)], Body::new(AnswerPieces(receiver))).into_response()
}

/// Where the answer is written to.
struct AnswerSender {
    piece: Vec<u8>,
    sender: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
    deadline: Instant,
    patience: Patience,
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
        let sending = async { tokio::time::timeout_at(self.deadline, self.sender.send(Ok(piece))).await };
        match self.runtime.block_on(sending) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the client has gone")),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes too long")),
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
