//! The store's errors, and predicates that tell them apart.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a call to the store failed.
///
/// The kinds are private, since they name the libraries below the store. Use the predicates.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Kind {
    #[error(
        "the store in {} is in use by another process; if that is the crawl daemon, ask it over HTTP, or stop it first",
        path.display()
    )]
    Locked { path: PathBuf },
    #[error("the store in {} has format {found}, this program reads and writes format {expected}; \
             open it with the program that made it, or crawl into a fresh directory", path.display())]
    Format { path: PathBuf, found: String, expected: u32 },
    #[error("{setting} is {value}, it must be {range}")]
    Config { setting: &'static str, value: u64, range: &'static str },
    #[error("{url:?} cannot be a key of the store: {reason}")]
    Url { url: String, reason: String },
    #[error("confidence {confidence} of {url} is not between 0 and 1")]
    Confidence { url: String, confidence: f64 },
    #[error("{name:?} cannot be a consumer: {reason}")]
    Consumer { name: String, reason: String },
    #[error("the {what} of {url} has {length} bytes, the store takes at most {most} (setting {setting})")]
    TooLarge { what: &'static str, url: String, length: usize, most: usize, setting: &'static str },
    #[error("{text:?} is not a cursor, which reads epoch:sequence, as some answer of the change feed gave it")]
    CursorText { text: String },
    #[error("cursor {cursor} is past the newest change, which is {newest}")]
    CursorAhead { cursor: String, newest: u64 },
    #[error("cursor {cursor} is from another life of this store, whose epoch is {epoch}; read the feed from its start")]
    CursorEpoch { cursor: String, epoch: String },
    #[error(
        "deletions up to {floor} are forgotten, and cursor {cursor} has not seen them; read the feed from its start"
    )]
    CursorPruned { cursor: String, floor: u64 },
    #[error("{url} was fetched anew, or deleted, while it was extracted again")]
    Superseded { url: String },
    #[error("the backup in {} is not what was written: {}", path.display(), faults.join("; "))]
    Backup { path: PathBuf, faults: Vec<String> },
    #[error("the store is damaged: {what} of {key}")]
    Damaged { what: &'static str, key: String },
    #[error("the store is damaged: {what} cannot be read")]
    Decode { what: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("{what} cannot be encoded")]
    Encode { what: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("the store failed to {doing}")]
    Sled { doing: &'static str, source: sled::Error },
    #[error("the store failed to {doing} {}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

impl Error {
    /// Another process, or another part of this one, has the directory open.
    pub fn is_locked(&self) -> bool {
        matches!(*self.0, Kind::Locked { .. })
    }

    /// The cursor was valid once, but the store has forgotten what follows it. Read the feed
    /// again from its start. HTTP calls this 410 Gone.
    pub fn is_gone(&self) -> bool {
        matches!(*self.0, Kind::CursorEpoch { .. } | Kind::CursorPruned { .. })
    }

    /// The caller's input is wrong, and a retry will not help: a URL, a cursor, a confidence or a
    /// setting.
    pub fn is_invalid(&self) -> bool {
        matches!(
            *self.0,
            Kind::Config { .. }
                | Kind::Url { .. }
                | Kind::Confidence { .. }
                | Kind::Consumer { .. }
                | Kind::CursorText { .. }
                | Kind::CursorAhead { .. }
        )
    }

    /// A second extraction came too late: the page's record is of a newer fetch, or gone.
    pub fn is_superseded(&self) -> bool {
        matches!(*self.0, Kind::Superseded { .. })
    }

    /// The value is larger than the configured bound.
    pub fn is_too_large(&self) -> bool {
        matches!(*self.0, Kind::TooLarge { .. })
    }

    /// A newer version of this program, or another program, wrote the directory.
    pub fn is_format(&self) -> bool {
        matches!(*self.0, Kind::Format { .. })
    }

    /// A backup does not match its manifest, or has none. [`crate::maintenance::restore`] can
    /// accept the loss.
    pub fn is_backup(&self) -> bool {
        matches!(*self.0, Kind::Backup { .. })
    }

    /// The bytes read differ from the bytes written. Opening the store again finds other damage,
    /// repairs what it can, and reports what is lost.
    pub fn is_damaged(&self) -> bool {
        match &*self.0 {
            Kind::Damaged { .. } | Kind::Decode { .. } => true,
            Kind::Sled { source, .. } => matches!(source, sled::Error::Corruption { .. }),
            _ => false,
        }
    }

    /// The disk or the database under the store failed. Whether a retry helps depends on the disk.
    pub fn is_io(&self) -> bool {
        matches!(*self.0, Kind::Io { .. } | Kind::Sled { .. }) && !self.is_damaged()
    }

    /// sled failed in any way.
    pub(crate) fn is_sled(&self) -> bool {
        matches!(*self.0, Kind::Sled { .. })
    }

    /// Wraps an error of sled, with the action that failed.
    #[doc(hidden)]
    pub fn sled(doing: &'static str) -> impl FnOnce(sled::Error) -> Error {
        move |source| Kind::Sled { doing, source }.into()
    }

    pub(crate) fn decode<E: std::error::Error + Send + Sync + 'static>(what: &'static str) -> impl FnOnce(E) -> Error {
        move |source| Kind::Decode { what, source: Box::new(source) }.into()
    }

    /// A value that could not be encoded.
    #[doc(hidden)]
    pub fn encode<E: std::error::Error + Send + Sync + 'static>(what: &'static str) -> impl FnOnce(E) -> Error {
        move |source| Kind::Encode { what, source: Box::new(source) }.into()
    }
}

/// An error of the disk.
pub(crate) fn io(doing: &'static str, path: &Path, source: std::io::Error) -> Error {
    Kind::Io { doing, path: path.to_owned(), source }.into()
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
