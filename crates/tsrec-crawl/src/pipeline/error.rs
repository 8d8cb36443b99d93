//! Why a crawl ends that was to go on.

/// What may go wrong with the crawl itself, as opposed to one page: the store or the frontier fail,
/// or this machine does.
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
