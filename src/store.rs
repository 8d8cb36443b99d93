//! The content store: what the daemon keeps, and what indexers read.
//!
//! sled holds it, in one directory with one owner. This chapter says what lies where and what a crash leaves; the methods of [`Store`]
//! say the rest. The frontier keeps its own trees in the same [`Database`].
//!
//! # Layout
//!
//! Four trees. `host\0url` is written *key* below; numbers are big-endian, so that they sort.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `meta` | `format`, `epoch`, `state` | version of this layout; the feed's epoch; counters and the newest sequence |
//! | `heads` | `p` key | a page: sequence, content hash, what a listing shows, extent of its record |
//! | | `t` key | a tombstone: the sequence of its change, and its time |
//! | | `h` key | a held sibling: its order among the held, and its extent |
//! | | `w` key | a parked page: its fetch metadata, and its body's extent |
//! | | `l` key | a lesson: its order among the lessons, and its extent |
//! | | `o` order | the key of the lesson with that order |
//! | `chunks` | the head's key, `\0`, number | at most 5 KiB of the compressed value |
//! | `changes` | sequence | the latest change of one URL |
//!
//! Heads are small and of a bounded size, so a listing reads heads only. Records are JSON (a field can be added without a migration),
//! held siblings, lessons and bodies are bytes; all are compressed with zstd and cut into chunks, since sled wants small entries.
//! How many chunks there are stands in the head.
//!
//! # What is atomic
//!
//! Every method that writes is one transaction over the four trees: a record, its chunks, its change entry, what it taught, the removal of the
//! change it supersedes and of the parked body, the counters. One lock makes read-then-write safe; readers of several keys share it, so
//! a record is never joined from two versions, and a page of the feed is of one moment.
//!
//! # What is durable, and when
//!
//! A write is durable after the next [`Database::durable`]. The pipeline calls it after [`Store::put`] and before it acknowledges the
//! page to the frontier. The feed shows a change only once it is durable: a sequence number that a reader has seen is never given twice,
//! not even when the power fails between a put and its flush. Until then it shows the change before, with its record, which memory keeps: readers
//! see the feed as the last flush left it.
//!
//! # What a crash leaves
//!
//! All that was durable, and perhaps some of what came after, in the order it was written, each transaction whole or not at all. Parked
//! bodies and held siblings are kept like everything else. A directory that no longer opens is for the backup to replace; a store restored
//! from one gives sequence numbers again that readers may have seen, so let them start over.
//!
//! # The feed
//!
//! The feed holds one entry per URL, its latest change, in the order of sequence numbers. A reader keeps the [`Cursor`] of the last answer.
//! A reader that comes back after tombstones were pruned which it has not seen is told so ([`Error::is_gone`]) and starts over.
//!
//! ```
//! use tsrec::store::{Config, Database, NewPage, Store};
//!
//! # let dir = tempfile::tempdir()?;
//! let database = Database::open(dir.path(), &Config::default())?;
//! let store = Store::new(&database);
//! store.put(&NewPage {
//!     url: "http://example.com/a".into(),
//!     title: Some("A".into()),
//!     canonical_url: None,
//!     text: "what the page says".into(),
//!     words: 4,
//!     method: "template".into(),
//!     confidence: 0.9,
//!     sibling: None,
//!     gates: serde_json::Value::Null,
//!     labels: Default::default(),
//!     fetched_at: "2026-11-21T00:00:00Z".parse()?,
//!     status: 200,
//!     charset: None,
//!     cut: vec![],
//! })?;
//! database.durable()?;
//!
//! let feed = store.changes(None, 100)?;
//! assert_eq!(feed.changes[0].url, "http://example.com/a");
//! assert!(store.changes(Some(feed.next), 100)?.changes.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunks;
mod cursor;
mod database;
mod error;
mod feed;
mod held;
mod key;
mod lessons;
mod pages;
mod parked;
mod record;
mod superseded;
mod writer;

use serde::{Deserialize, Serialize};

pub use cursor::Cursor;
pub use database::Database;
pub use error::Error;
pub use feed::{Change, ChangeKind, ChangeWithRecord, Changes};
pub use key::MAX_URL_LEN;
pub use pages::{Put, Reason, StoredRecord};
pub use parked::Parked;
pub use record::{NewPage, PageRecord, SUMMARY_TITLE_LEN, Summary};

pub(crate) use key::Key;
pub(crate) use writer::failed;

/// The store's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Memory for sled's page cache, in bytes; at least 1 MiB. What is on disk may be larger by any factor.
    pub cache_capacity: u64,
    /// How many siblings are held for each host; the oldest goes first. 0 holds none.
    pub held_per_host: usize,
    /// The largest sibling that is held, in bytes after compression.
    pub max_held_bytes: usize,
    /// The largest body that is parked, in bytes before compression. Above what the fetcher lets through, or its pages fail here.
    /// A body of 15 MiB that does not compress stops other writers for a tenth of a second.
    pub max_parked_bytes: usize,
    /// The largest record, in bytes of its JSON.
    pub max_record_bytes: usize,
    /// Lessons that are kept in all; the oldest goes first. 0 keeps none.
    pub max_lessons: usize,
    /// Lessons that are kept for each host, so that no site outweighs the others. 0 keeps none.
    pub lessons_per_host: usize,
    /// The largest lesson, in bytes after compression.
    pub max_lesson_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cache_capacity: 64 << 20,
            held_per_host: 16,
            max_held_bytes: 512 << 10,
            max_parked_bytes: 16 << 20,
            max_record_bytes: 16 << 20,
            max_lessons: 1_000,
            lessons_per_host: 50,
            max_lesson_bytes: 64 << 10,
        }
    }
}

/// The content store. Clones share it. Its methods block for the time of some reads and writes in sled's cache, microseconds to a few
/// milliseconds; only [`Database::durable`] waits for the disk.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

/// How much there is. Read from counters, without a walk over the trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Pages with a record.
    pub pages: u64,
    /// Deleted pages whose tombstone has not been pruned.
    pub tombstones: u64,
    /// Entries of the feed: one for each page and each tombstone.
    pub changes: u64,
    /// Siblings held for pairing.
    pub held: u64,
    /// Pages parked until a sibling comes.
    pub parked: u64,
    /// Lessons kept for training.
    pub lessons: u64,
    /// Lessons that were ever kept: larger than before if and only if there is a new one.
    pub lessons_ever: u64,
    /// The newest sequence number, durable or not.
    pub last_sequence: u64,
}

impl Store {
    /// The store in a database.
    pub fn new(database: &Database) -> Store {
        Store { database: database.clone() }
    }

    /// How much there is, for metrics.
    pub fn counts(&self) -> Counts {
        let state = self.database.state();
        Counts {
            pages: state.pages,
            tombstones: state.tombstones,
            changes: state.pages + state.tombstones,
            held: state.held,
            parked: state.parked,
            lessons: state.lessons,
            lessons_ever: state.lesson_order,
            last_sequence: state.last_sequence,
        }
    }
}
