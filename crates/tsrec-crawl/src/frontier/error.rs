//! Errors of a frontier.

use std::fmt;

/// Why a call to a frontier failed: a setting was out of range, or the storage or service behind it
/// failed.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug, thiserror::Error)]
pub(super) enum Kind {
    #[error("{setting} is {value}, it must be at least {least}")]
    Config { setting: &'static str, value: String, least: String },
    #[error("{name:?} is no host")]
    Queue { name: String },
    #[error("the frontier could not {doing}")]
    Store { doing: &'static str, source: tsrec_store::Error },
}

impl Error {
    /// A setting is out of range, or the name of a queue is no host.
    pub fn is_invalid(&self) -> bool {
        matches!(*self.0, Kind::Config { .. } | Kind::Queue { .. })
    }

    pub(super) fn store(doing: &'static str) -> impl FnOnce(tsrec_store::Error) -> Error {
        move |source| Kind::Store { doing, source }.into()
    }
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
