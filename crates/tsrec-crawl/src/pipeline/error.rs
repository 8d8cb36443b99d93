//! Why a crawl ends early.

/// A failure of the crawl itself, and not of one page: of the store, the frontier, or this machine.
#[derive(Debug)]
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the crawl cannot go on: {}", self.0)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Error {
    pub(super) fn because(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error(error.into())
    }
}
