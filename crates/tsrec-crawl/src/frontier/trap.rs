//! What is remembered of a section whose pages are copies of each other.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A trap: a section of a host whose pages are copies of each other, or say nothing. See
/// [`Frontier::trap`](super::Frontier::trap).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Trap {
    /// The crawl requests no new URLs of the section before this date. A past date means that the
    /// section was a trap.
    pub until: Timestamp,
    /// How many checks in a row found it to be a trap.
    pub times: u32,
    /// Fingerprints of its latest pages, at most [`Trap::MOST_PRINTS`]: simhashes of their words
    /// without numbers.
    #[serde(skip)]
    pub prints: Vec<u64>,
}

impl Trap {
    /// Fingerprints kept of a trap. Judgement: more than a calendar has months, in 256 bytes.
    pub const MOST_PRINTS: usize = 32;
}
