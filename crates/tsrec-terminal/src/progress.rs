//! What is being done, for whom it takes long.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::show::Show;

/// Whether a line is shown that the next one overwrites.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows what is being done, on a line of standard error that the next one overwrites; where nobody
/// watches, nothing but whole lines.
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
    // Who cannot be told goes without.
    let _ = shown.and_then(|()| err.flush());
}

/// Takes away what [`progress`] shows, before something else is printed.
pub fn clear() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
    }
}

/// Standard error for lines of a log, which take the place of what [`progress`] shows.
pub fn stderr() -> std::io::Stderr {
    clear();
    std::io::stderr()
}

/// Counts work that is done on several threads.
pub struct Counter {
    done: AtomicUsize,
    all: usize,
    show: Mutex<Show>,
}

impl Counter {
    /// Of things that are counted, such as "pages judged"; so many are to be done.
    pub fn new(what: impl Into<String>, all: usize) -> Self {
        Counter { done: AtomicUsize::new(0), all, show: Mutex::new(Show::new(what, false)) }
    }

    /// One more is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let share = done as f64 / self.all.max(1) as f64;
        self.show.lock().unwrap_or_else(PoisonError::into_inner).step(done as u64, 0, Some(share));
    }
}
