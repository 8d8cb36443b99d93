//! Standard error that never blocks. If nobody reads the pipe of a daemon's log, a line of log
//! would stop the thread that writes it, then all others, and SIGTERM would be ignored.
//!
//! While a [`LogPipe`] exists, file descriptor 2 is a pipe of our own. One thread reads it at once,
//! whoever wrote: the log, panics, the summary. Another thread passes it on and may wait. What
//! waits too long is dropped by whole lines, and counted.

use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stderr, stderr};

/// Pieces that wait to be passed on. Judgement: with a piece of 64 KB each, some minutes of log.
const MOST_WAITING: usize = 16;

/// Bytes read at a time: what a pipe holds.
const PIECE: usize = 64 << 10;

/// How long the end of the program waits for the log's reader. Judgement: a reader that lives takes
/// milliseconds.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// Passes on what is written to standard error, until it is dropped.
pub(super) struct LogPipe {
    /// The real standard error.
    out: Arc<File>,
    done: Arc<(Mutex<bool>, Condvar)>,
}

impl LogPipe {
    /// Begins, unless standard error is a terminal, whose reader is a person.
    pub(super) fn start() -> Result<Option<LogPipe>> {
        if std::io::stderr().is_terminal() {
            return Ok(None);
        }
        LogPipe::begin().map(Some).context("standard error cannot be passed on")
    }

    fn begin() -> Result<LogPipe> {
        let out = Arc::new(File::from(fcntl_dupfd_cloexec(stderr(), 3)?));
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let (sender, pieces) = sync_channel(MOST_WAITING);
        let done = Arc::new((Mutex::new(false), Condvar::new()));
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        named("log-reader").spawn(move || read(File::from(reader), &sender))?;
        let (to, told) = (Arc::clone(&out), Arc::clone(&done));
        named("log-writer").spawn(move || {
            pass_on(&pieces, &to);
            *told.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            told.1.notify_all();
        })?;
        dup2_stderr(&writer)?;
        Ok(LogPipe { out, done })
    }
}

impl Drop for LogPipe {
    /// Waits a moment for what was written, and gives standard error back. If nobody reads it, what
    /// comes later is dropped: it must not block either.
    fn drop(&mut self) {
        let nowhere = File::options().write(true).open("/dev/null");
        // This closes the last end to write to.
        let Ok(()) = nowhere.map_err(drop).and_then(|nowhere| dup2_stderr(&nowhere).map_err(drop)) else { return };
        let until = Instant::now() + LAST_PATIENCE;
        let mut is_done = self.done.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_done && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            is_done = self.done.1.wait_timeout(is_done, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if *is_done {
            let _ = dup2_stderr(&*self.out);
        }
    }
}

/// Reads pieces of whole lines until the end, and never waits for their reader.
fn read(mut from: File, to: &SyncSender<Vec<u8>>) {
    let (mut piece, mut dropped) = (Vec::new(), 0);
    let mut bytes = vec![0; PIECE];
    loop {
        let len = from.read(&mut bytes).unwrap_or(0);
        piece.extend_from_slice(&bytes[..len]);
        let end = piece.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let is_end = len == 0 || piece.len() > PIECE;
        let rest = if is_end { Vec::new() } else { piece.split_off(end) };
        let whole = std::mem::replace(&mut piece, rest);
        if !whole.is_empty() {
            send(whole, &mut dropped, to);
        }
        if len == 0 {
            return;
        }
    }
}

fn send(mut piece: Vec<u8>, dropped: &mut u64, to: &SyncSender<Vec<u8>>) {
    let lines = piece.iter().filter(|byte| **byte == b'\n').count() as u64;
    if *dropped > 0 {
        let said = format!("tsrec: {dropped} lines of the log are dropped: nobody read them in time\n");
        piece.splice(..0, said.into_bytes());
    }
    match to.try_send(piece) {
        Ok(()) => *dropped = 0,
        Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
            *dropped += lines;
            metrics::counter!("tsrec_log_lines_dropped_total").increment(lines);
        }
    }
}

fn pass_on(pieces: &Receiver<Vec<u8>>, mut to: &File) {
    for piece in pieces {
        // If the reader has gone, go on reading, so that nobody gets a signal for the pipe.
        let _ = to.write_all(&piece);
    }
}
