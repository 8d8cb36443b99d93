//! What is being done, for whom it takes long.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shows what is being done, on a line of standard error that the next one overwrites; where nobody watches, nothing
/// but whole lines.
pub(super) fn progress(line: &str) {
    let mut err = std::io::stderr().lock();
    let shown = match (err.is_terminal(), line.ends_with('\n')) {
        (true, _) => write!(err, "\r\x1b[2Ktsrec: {line}"),
        (false, true) => write!(err, "tsrec: {line}"),
        (false, false) => Ok(()),
    };
    // Who cannot be told goes without.
    let _ = shown.and_then(|()| err.flush());
}

/// Takes away what [`progress`] shows, before something else is printed.
pub(super) fn clear() {
    let mut err = std::io::stderr().lock();
    if err.is_terminal() {
        let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
    }
}

/// Counts work that is done on several threads.
pub(super) struct Counter<'n> {
    what: &'n str,
    done: AtomicUsize,
    all: usize,
}

impl<'n> Counter<'n> {
    pub(super) fn new(what: &'n str, all: usize) -> Self {
        Counter { what, done: AtomicUsize::new(0), all }
    }

    /// One more is done.
    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(&format!("{}: {done} of {}", self.what, self.all));
    }
}
