//! What is remembered of a section whose pages are copies of each other.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A section of a host that is a trap: its pages are copies of each other, or say nothing. See
/// [`Frontier::trap`](super::Frontier::trap).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Trap {
    /// New URLs of it are not asked for before this date. One that is past tells that it was a
    /// trap.
    pub until: Timestamp,
    /// How many times in a row it was found to be one.
    pub times: u32,
    /// Fingerprints of its latest pages, at most [`Trap::MOST_PRINTS`]: simhashes of their words
    /// without numbers.
    #[serde(skip)]
    pub prints: Vec<u64>,
}

impl Trap {
    /// Fingerprints that are kept of a trap. Judgement: more than a calendar has months, in 256
    /// bytes.
    pub const MOST_PRINTS: usize = 32;
}
