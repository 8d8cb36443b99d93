//! The operations of a journal: what its frames say.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::instant;

/// SHA-256 of the content that a reader of the page sees.
pub(crate) type ContentHash = [u8; 32];

/// The operation of a frame. Stored by position: add new ones at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Op {
    /// The first frame of a segment, as programs before the release wrote it. A store that has one
    /// is refused.
    OldSegment { epoch: u64, segments: Vec<(u32, u64)> },
    /// A page has this record; the record is the value.
    Put { key: String, page: PageInfo, sort: PageSort },
    /// A page is deleted.
    Delete {
        key: String,
        seq: u64,
        reason: DeletionReason,
        #[serde(with = "instant")]
        at: Timestamp,
    },
    /// Tombstones of these pages are forgotten.
    Forget { keys: Vec<String> },
    /// A segment is removed: its frames are dead or copied.
    Collected { segment: u32 },
    /// The body of a page, and what it was kept for when this was written.
    Body {
        key: String,
        #[serde(with = "instant")]
        fetched_at: Timestamp,
        uses: Uses,
    },
    /// The memory of a host's site; the memory is the value.
    Memory { host: String },
    /// The memory of a host's site is removed.
    NoMemory { host: String },
    /// The templates of a host whose pages are being extracted again after teaching; empty if
    /// none.
    Following { host: String, entries: Vec<FollowingEntry> },
    /// Writes of logged spaces; they are the value.
    Spaces,
    /// The first frame of a segment: the version of the layout, the feed's epoch, and the segments
    /// before it with their lengths.
    Segment { format: u32, epoch: u64, segments: Vec<(u32, u64)> },
}

impl Op {
    /// The keys of its pages.
    pub(crate) fn pages(&self) -> &[String] {
        match self {
            Op::Put { key, .. } | Op::Delete { key, .. } | Op::Body { key, .. } => std::slice::from_ref(key),
            Op::Forget { keys } => keys,
            Op::OldSegment { .. } | Op::Segment { .. } | Op::Collected { .. } => &[],
            Op::Memory { .. } | Op::NoMemory { .. } | Op::Following { .. } | Op::Spaces => &[],
        }
    }
}

/// An operation, and the feed's state at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JournalEntry {
    pub(crate) last_sequence: u64,
    pub(crate) floor: u64,
    pub(crate) op: Op,
}

/// What a body is kept for. If it is not raw, its frame has it only as long as the page waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Uses {
    /// The page waits for another extraction.
    pub(crate) waits: bool,
    /// Pages of its host are compared with it.
    pub(crate) sibling: bool,
    /// It may stay as it came.
    pub(crate) raw: bool,
}

impl Uses {
    /// Whether the bytes of the page are needed, and not only its tag sequence.
    pub(crate) fn needs_body(self) -> bool {
        self.waits || self.raw
    }

    /// Whether it is a sibling that may go when others need its room.
    pub(crate) fn is_only_sibling(self) -> bool {
        self.sibling && !self.waits
    }

    pub(crate) fn is_none(self) -> bool {
        self == Uses::default()
    }
}

/// As written in the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FollowingEntry {
    pub(crate) number: u32,
    pub(crate) lesson: u64,
    pub(crate) after: Option<String>,
}

/// Why a page was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeletionReason {
    // Stored by position: add new reasons at the end.
    /// The server says that the page is gone (404 or 410).
    Gone,
    /// robots.txt no longer allows the page.
    Disallowed,
    /// The page has moved. Its new URL has its own record.
    Redirected,
    /// The page asks not to be indexed.
    Noindex,
    /// The crawl could not get the page for days. Its server refuses it, fails, sends something
    /// else, or does not answer.
    Unavailable,
    /// The content is also at the page's canonical URL. Or it is also at two URLs of other
    /// patterns, as with a soft 404.
    Duplicate,
}

/// Page data outside the record: all that a listing and the next put need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageInfo {
    pub(crate) seq: u64,
    pub(crate) content_hash: ContentHash,
    #[serde(with = "instant")]
    pub(crate) changed_at: Timestamp,
    pub(crate) title: Option<String>,
    pub(crate) method: String,
    pub(crate) confidence: f64,
    pub(crate) words: u64,
    #[serde(with = "instant")]
    pub(crate) fetched_at: Timestamp,
}

/// Kind and language of a page, as one text: the kind, and past a zero byte the language. Stores
/// that an earlier version wrote have the kind alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageSort(pub(crate) Option<String>);
