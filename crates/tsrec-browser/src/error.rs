//! The error type of this crate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::connection::BrowserFault;

/// Why a page was not rendered. At most one of the predicates is true.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("{0}")]
    Setup(String),
    #[error("there is no {0}: install Chromium (Debian's package is `chromium`), or name the path of its binary")]
    Missing(String),
    #[error("{} cannot be started", path.display())]
    Start { path: PathBuf, source: std::io::Error },
    #[error("the browser ended before it was ready{0}")]
    NotReady(Said),
    #[error("the browser was not ready within {0:?}")]
    Slow(Duration),
    #[error("the page could not be rendered within {0:?}: it is too large, or its scripts do not end")]
    Timeout(Duration),
    #[error("the page broke the browser: {what}{said}")]
    Crashed { what: &'static str, said: Said },
    #[error("what the browser has to say of the page is longer than {0} bytes")]
    TooLarge(usize),
    #[error("the page put another in its place before it could be described")]
    Left,
    #[error("the browser refused {command}: {message}")]
    Refused { command: &'static str, message: String },
    #[error("the browser's answer cannot be understood: {0}")]
    Answer(String),
}

/// The browser's last output, for error messages.
#[derive(Debug)]
pub(super) struct Said(pub(super) String);

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.is_empty() {
            true => Ok(()),
            false => write!(f, "; its last words: {}", self.0),
        }
    }
}

impl Error {
    /// The browser binary was not found. The message says what to install.
    pub fn is_missing(&self) -> bool {
        matches!(&*self.0, Kind::Missing(_))
    }

    /// The page took longer than [`Config::timeout`](super::Config::timeout).
    pub fn is_timeout(&self) -> bool {
        matches!(&*self.0, Kind::Timeout(_))
    }

    /// The page's process or the whole browser ended during rendering: by its own fault, out of
    /// memory, or killed.
    pub fn is_crash(&self) -> bool {
        matches!(&*self.0, Kind::Crashed { .. })
    }

    /// The page's tree exceeds the longest message read from a browser.
    pub fn is_too_large(&self) -> bool {
        matches!(&*self.0, Kind::TooLarge(_))
    }

    pub(super) fn setup(message: String) -> Self {
        Kind::Setup(message).into()
    }

    pub(super) fn missing(looked_for: String) -> Self {
        Kind::Missing(looked_for).into()
    }

    pub(super) fn start(path: &Path, source: std::io::Error) -> Self {
        Kind::Start { path: path.to_owned(), source }.into()
    }

    /// A fault before the browser was ready; `limit` is the time it had.
    pub(super) fn of_start(fault: BrowserFault, limit: Duration, said: Said) -> Self {
        match fault {
            BrowserFault::Closed | BrowserFault::PageCrashed => Kind::NotReady(said).into(),
            BrowserFault::Late => Kind::Slow(limit).into(),
            other => Self::of_page(other, limit, said),
        }
    }

    /// A fault during a page; `limit` is the time it had.
    pub(super) fn of_page(fault: BrowserFault, limit: Duration, said: Said) -> Self {
        match fault {
            BrowserFault::Closed => Kind::Crashed { what: "it ended", said },
            BrowserFault::PageCrashed => Kind::Crashed { what: "the page's process ended", said },
            BrowserFault::Late => Kind::Timeout(limit),
            BrowserFault::TooLarge(limit) => Kind::TooLarge(limit),
            BrowserFault::Left => Kind::Left,
            BrowserFault::Refused { command, message } => Kind::Refused { command, message },
            BrowserFault::Answer(what) => Kind::Answer(what),
        }
        .into()
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}
