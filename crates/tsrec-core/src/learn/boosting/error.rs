//! Why training cannot learn from its input.

use std::fmt;

/// Why training cannot begin: invalid rows, labels, weights or settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(super) fn new(why: impl Into<String>) -> Error {
        Error(why.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
