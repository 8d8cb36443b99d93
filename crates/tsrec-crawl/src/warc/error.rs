//! What can be wrong with an archive.

use std::io;

/// Why an archive cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file ends early, is damaged, or cannot be read.
    #[error("at byte {offset}: {why}")]
    Read {
        /// Where the record, or the packed member that it is in, begins.
        offset: u64,
        /// What happened.
        why: io::Error,
    },
    /// What stands where a record should begin is none.
    #[error("at byte {offset}: {what}")]
    NoRecord {
        /// Where it stands, or the packed member that it is in.
        offset: u64,
        /// What is wrong.
        what: String,
    },
}
