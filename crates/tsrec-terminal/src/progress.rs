//! Progress of long work.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::show::Show;

/// Whether a progress line is shown, which the next one overwrites.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows progress on a line of standard error that the next one overwrites. If standard error is
/// no terminal, it prints only whole lines.
pub fn progress(line: &str) {
    let mut err = std::io::stderr().lock();
    let shown = match (err.is_terminal(), line.ends_with('\n')) {
        (true, is_whole) => {
            IS_SHOWN.store(!is_whole, Ordering::Relaxed);
            write!(err, "\r\x1b[2Ktsrec: {line}")
        }
        (false, true) => write!(err, "tsrec: {line}"),
        (false, false) => Ok(()),
    };
    // Ignore errors: progress is optional.
    let _ = shown.and_then(|()| err.flush());
}

/// Removes the line of [`progress`], before other output.
pub fn clear() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
    }
}

/// Standard error for log lines, which replace the line of [`progress`].
pub fn stderr() -> std::io::Stderr {
    clear();
    std::io::stderr()
}

/// Counts work on several threads.
pub struct Counter {
    done: AtomicUsize,
    all: usize,
    show: Mutex<Show>,
}

impl Counter {
    /// Counts `what`, such as "pages judged", up to `all`.
    pub fn new(what: impl Into<String>, all: usize) -> Self {
        Counter { done: AtomicUsize::new(0), all, show: Mutex::new(Show::new(what, false)) }
    }

    /// Counts one more.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let share = done as f64 / self.all.max(1) as f64;
        self.show.lock().unwrap_or_else(PoisonError::into_inner).step(done as u64, 0, Some(share));
    }
}
