//! Errors in an archive.

use std::io;

/// Why an archive cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file ends early, is damaged, or cannot be read.
    #[error("at byte {offset}: {why}")]
    Read {
        /// The offset of the record, or of the packed member around it.
        offset: u64,
        /// The error.
        why: io::Error,
    },
    /// There is no record where one should begin.
    #[error("at byte {offset}: {what}")]
    NoRecord {
        /// Its offset, or that of the packed member around it.
        offset: u64,
        /// What is wrong.
        what: String,
    },
}
