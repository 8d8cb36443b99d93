//! Answers that wait on disk for a client that sends everything before it reads.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::sync::{Notify, mpsc};

use crate::http::stream::AnswerPieces;

/// Bytes read from the file at a time.
const PIECE: usize = 64 << 10;

/// Pieces read before the client has taken the first.
const AHEAD: usize = 2;

/// How long a full spool waits for a client that reads nothing. Judgement: as long as a connection
/// waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answers of a batch: a file without a name, which ends with it.
pub(super) struct Spool {
    file: File,
    most: u64,
    patience: Duration,
    state: Mutex<State>,
    written: Notify,
    taken: Notify,
}

#[derive(Default)]
struct State {
    /// The end of the file, and how far it was read.
    end: u64,
    read: u64,
    /// Bytes read in all: the file begins anew, and this does not.
    taken: u64,
    is_done: bool,
    /// The client has gone.
    is_closed: bool,
}

/// Why a line cannot be added.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unspooled {
    /// The file is full, and the client reads nothing.
    Full,
    /// The client has gone.
    Gone,
}

impl Spool {
    /// In a directory, with room for so many bytes.
    pub(super) fn open(dir: &Path, most: u64) -> io::Result<Arc<Spool>> {
        let file = tempfile::tempfile_in(dir)?;
        let (written, taken) = (Notify::new(), Notify::new());
        Ok(Arc::new(Spool { file, most, patience: PATIENCE, state: Mutex::default(), written, taken }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. If the file is full, waits as long as the client reads.
    pub(super) async fn add(&self, line: &[u8]) -> Result<(), Unspooled> {
        loop {
            let taken = self.taken.notified();
            let before = match self.try_add(line, self.most) {
                Ok(()) => return Ok(()),
                Err(Full { is_closed: true, .. }) => return Err(Unspooled::Gone),
                Err(Full { taken, .. }) => taken,
            };
            let is_late = tokio::time::timeout(self.patience, taken).await.is_err();
            let state = self.state();
            if is_late && state.taken == before && !state.is_closed {
                return Err(Unspooled::Full);
            }
        }
    }

    /// Adds a last line, for which there is always room.
    pub(super) fn add_last(&self, line: &[u8]) {
        let _ = self.try_add(line, u64::MAX);
    }

    fn try_add(&self, line: &[u8], most: u64) -> Result<(), Full> {
        let mut state = self.state();
        // A single line may be longer than the room: then it comes alone.
        let is_full = state.end > 0 && state.end + line.len() as u64 > most;
        if is_full || state.is_closed {
            return Err(Full { taken: state.taken, is_closed: state.is_closed });
        }
        if let Err(error) = self.file.write_all_at(line, state.end) {
            tracing::error!(%error, "an answer of a batch cannot be written to disk");
            state.is_closed = true;
            return Err(Full { taken: state.taken, is_closed: true });
        }
        state.end += line.len() as u64;
        drop(state);
        self.written.notify_one();
        Ok(())
    }

    /// No more lines come.
    pub(super) fn end(&self) {
        self.state().is_done = true;
        self.written.notify_one();
    }

    /// The lines as a body.
    pub(super) fn body(self: &Arc<Spool>) -> Body {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let spool = Arc::clone(self);
        tokio::spawn(async move {
            spool.send(&sender).await;
            spool.state().is_closed = true;
            spool.taken.notify_one();
        });
        Body::new(AnswerPieces(receiver))
    }

    async fn send(self: &Arc<Spool>, sender: &mpsc::Sender<io::Result<Bytes>>) {
        loop {
            let written = self.written.notified();
            // Room first: what is read from the file is then with the client.
            let Ok(place) = sender.reserve().await else { return };
            let spool = Arc::clone(self);
            let piece = tokio::task::spawn_blocking(move || spool.take()).await;
            match piece {
                Ok(Ok(Some(piece))) => place.send(Ok(piece)),
                Ok(Ok(None)) => {
                    drop(place);
                    if self.state().is_done && self.is_empty() {
                        return;
                    }
                    tokio::select! {
                        () = written => {}
                        () = sender.closed() => return,
                    }
                }
                Ok(Err(error)) => return place.send(Err(error)),
                Err(_) => return,
            }
            self.taken.notify_one();
        }
    }

    fn is_empty(&self) -> bool {
        let state = self.state();
        state.read == state.end
    }

    /// The next bytes; `None` if all are read. An empty file begins anew.
    fn take(&self) -> io::Result<Option<Bytes>> {
        let mut state = self.state();
        let length = (state.end - state.read).min(PIECE as u64) as usize;
        if length == 0 {
            return Ok(None);
        }
        let mut piece = vec![0; length];
        self.file.read_exact_at(&mut piece, state.read)?;
        state.read += length as u64;
        state.taken += length as u64;
        if state.read == state.end {
            if state.end > PIECE as u64 {
                self.file.set_len(0)?;
            }
            (state.read, state.end) = (0, 0);
        }
        Ok(Some(piece.into()))
    }
}

/// A full file, how much was read in all, and whether the client has gone.
struct Full {
    taken: u64,
    is_closed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn lines_come_back_in_order_and_the_file_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), 1 << 20).unwrap();
        let body = spool.body();
        let writes = Arc::clone(&spool);
        // Ten times as much as the file may hold.
        let line = |number: usize| format!("{number} {}\n", "x".repeat(100_000));
        tokio::spawn(async move {
            for number in 0..100 {
                writes.add(line(number).as_bytes()).await.unwrap();
            }
            writes.end();
        });
        let read = body.collect().await.unwrap().to_bytes();
        assert!(read == (0..100).map(line).collect::<String>().as_bytes());
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_fills_the_file_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Arc::into_inner(Spool::open(dir.path(), 1_000_000).unwrap()).unwrap();
        let spool = Arc::new(Spool { patience: Duration::from_millis(10), ..spool });
        let line = "x".repeat(100_000);
        let mut added = 0;
        while spool.add(line.as_bytes()).await.is_ok() {
            added += 1;
        }
        assert_eq!((added, spool.file.metadata().unwrap().len()), (10, 1_000_000));
        assert_eq!(spool.add(line.as_bytes()).await, Err(Unspooled::Full));
        spool.add_last(b"the end\n");
        spool.end();
        let read = spool.body().collect().await.unwrap().to_bytes();
        assert!(read.ends_with(b"xthe end\n") && read.len() == 1_000_008);
    }

    #[tokio::test]
    async fn nothing_is_added_for_a_client_that_has_gone() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::open(dir.path(), 1_000).unwrap();
        drop(spool.body());
        while spool.add(b"x").await.is_ok() {
            tokio::task::yield_now().await;
        }
        assert_eq!(spool.add(b"x").await, Err(Unspooled::Gone));
    }
}
