//! The content store: what the daemon keeps, and what indexers read.
//!
//! sled holds what is asked for, a checksummed journal the records themselves, in one directory
//! with one owner. This chapter says what lies where and what a crash leaves; the methods of
//! [`Store`] say the rest. The frontier keeps its own trees in the same [`Database`].
//!
//! # Layout
//!
//! | in the directory | what it is |
//! |---|---|
//! | `records/` | the journal: every record and deletion, what is remembered of sites and what their pages follow, in segments of up to 32 MiB; from it alone sled can be filled again |
//! | `values/` | the journal of what can be had again: held siblings and parked pages; in segments of up to 4 MiB |
//! | `raw/` | pages as they were fetched, where the setting `raw_bytes` asks for them |
//! | `index/` | sled: small entries, with the places of the values in the journals |
//! | `mark` | how far all that was durable, written with each flush |
//! | `lock` | locked by the process that owns the directory |
//!
//! sled has three trees. `host\0url` is written *key* below; numbers are big-endian, so that they
//! sort.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `meta` | `format`, `epoch`, `flush`, `state` | version of this layout; the feed's epoch; the last flush; counters, the newest sequence, a digest of the other trees |
//! | `heads` | `p` key | a page: sequence, content hash, what a listing shows, place of its record |
//! | | `t` key | a tombstone: the sequence of its change, its time, and the place of its frame |
//! | | `h` key | a held sibling: its order among the held, and its place |
//! | | `w` key | a parked page: its fetch metadata, and its body's place |
//! | | `m` host`\0` | what is remembered of a site's templates: its place |
//! | | `f` host`\0` | templates of the site whose pages follow a lesson, how far they have, and the place of the frame that says so |
//! | `changes` | sequence | the latest change of one URL |
//!
//! Heads are small and of a bounded size, so a listing reads heads only. Records are JSON (a field
//! can be added without a migration), held siblings and bodies are bytes; all are compressed with
//! zstd. A frame whose value is superseded is dead; a segment that is more than half dead is
//! emptied, a piece with each flush, and removed.
//!
//! # What is atomic
//!
//! Every method that writes appends to the journals and then is one transaction over the three
//! trees: a record's place, its change entry, what it taught, what is held and parked of the page
//! until its template is known, the removal of what all this supersedes, the counters. What fails
//! is taken back from the journals. One lock makes read-then-write safe; readers of several keys
//! share it, so a page of the feed is of one moment.
//!
//! # What is durable, and when
//!
//! A write is durable after the next [`Database::durable`]. The pipeline calls it after
//! [`Store::put`] and before it acknowledges the page to the frontier. The feed shows a change only
//! once it is durable: a sequence number that a reader has seen is never given twice, not even when
//! the power fails between a put and its flush. Until then it shows the change before, with its
//! record, which memory keeps: readers see the feed as the last flush left it.
//!
//! # What a crash leaves
//!
//! All that was durable, and perhaps some of what came after, in the order it was written, each
//! transaction whole or not at all. What sled does not know of and no flush covered leaves the
//! journal again when the store is opened.
//!
//! # What damage leaves
//!
//! Opening reads the journals and all of sled once, checks every checksum and the digest of the
//! trees, and compares them with each other and with the mark; a panic of sled is caught. sled that
//! is damaged, or behind, is filled again from the journal, and no record is lost; of the frontier
//! its URLs are salvaged. A record whose frame is damaged, or the journal's end when it is missing,
//! is lost: that is logged, counted ([`Database::recovery`]) and begins a new epoch, so that
//! readers start over. Whatever one file suffers, the store opens: sled's snapshot, its settings
//! and the mark can be done without. The damaged index is kept as `index.damaged` until the next.
//! `tests/suite/store_damage.rs` shows it.
//!
//! # The feed
//!
//! The feed holds one entry per URL, its latest change, in the order of sequence numbers. A reader
//! keeps the [`Cursor`] of the last answer. A reader that comes back after tombstones were pruned
//! which it has not seen is told so ([`Error::is_gone`]) and starts over. One that
//! [acknowledges](Store::acknowledge) what it has read has tombstones wait for it.
//!
//! ```
//! use tsrec_store::{Config, Database, NewPage, Store};
//!
//! # let dir = tempfile::tempdir()?;
//! let database = Database::open(dir.path(), &Config::default())?;
//! let store = Store::new(&database);
//! store.put(&NewPage {
//!     url: "http://example.com/a".into(),
//!     metadata: tsrec_core::metadata::Metadata { title: Some("A".into()), ..Default::default() },
//!     comments: String::new(),
//!     text: "what the page says".into(),
//!     html: Some("<p>what the <em>page</em> says</p>".into()),
//!     words: 4,
//!     method: "template".into(),
//!     confidence: 0.9,
//!     kind: Some("article".into()),
//!     kind_probability: Some(0.95),
//!     sibling: None,
//!     template: None,
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

mod apply;
mod collect;
mod consumers;
mod cursor;
mod database;
mod error;
mod feed;
mod following;
mod guarded;
mod held;
mod index;
mod instant;
mod journal;
mod key;
mod look_again;
pub mod maintenance;
mod mark;
mod memories;
mod packed;
mod pages;
mod parked;
mod raw;
mod record;
mod recovery;
mod stored;
mod superseded;
mod value;
mod writer;
mod written;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use consumers::Consumer;
pub use cursor::Cursor;
pub use database::Database;
pub use error::Error;
pub use feed::{Change, ChangeKind, ChangeWithRecord, Changes};
pub use key::MAX_URL_LEN;
pub use pages::{Learning, Put, UntilKnown};
pub use parked::Parked;
pub use record::{NewPage, OfTemplate, PageRecord, PageSummary, SUMMARY_TITLE_LEN};
pub use recovery::Recovery;
pub use stored::{DeletionReason, StoredRecord};

use error::Kind;
use tsrec_core::template::Bounds;

// For the frontier, which lies in the same database.
pub use key::Key;
pub use writer::failed;

/// The store's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Memory for sled's page cache, in bytes; at least 1 MiB. What is on disk may be larger by any
    /// factor.
    pub cache_capacity: u64,
    /// How many siblings are held for each host; the oldest goes first. 0 holds none.
    pub held_per_host: usize,
    /// The largest sibling that is held, in bytes after compression.
    pub max_held_bytes: usize,
    /// The largest body that is parked, in bytes before compression. Above what the fetcher lets
    /// through, or its pages fail here. A body of 15 MiB that does not compress stops other writers
    /// for a tenth of a second.
    pub max_parked_bytes: usize,
    /// The largest record, in bytes of its JSON.
    pub max_record_bytes: usize,
    /// Pages that are kept as they were fetched, to be extracted again by a later version: bytes of
    /// all of them, compressed; the oldest go first. 0 keeps none.
    pub raw_bytes: u64,
    /// Templates that are remembered of a host; at least 1. Beyond, the one goes that was longest
    /// not served.
    pub templates_per_host: usize,
    /// What is remembered of a template, in bytes before compression; at least 8 KiB. Beyond, the
    /// places with the fewest words go.
    pub max_template_bytes: usize,
    /// Memory for what is remembered of sites, in bytes, about. Others are read when a page of
    /// theirs comes.
    pub site_cache_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cache_capacity: 64 << 20,
            held_per_host: 16,
            max_held_bytes: 512 << 10,
            max_parked_bytes: 16 << 20,
            max_record_bytes: 16 << 20,
            raw_bytes: 0,
            templates_per_host: Bounds::default().templates,
            max_template_bytes: Bounds::default().template_bytes,
            site_cache_bytes: 64 << 20,
        }
    }
}

/// The least cache, in bytes. Judgement: below it sled evicts pages in the middle of an operation.
const MIN_CACHE: u64 = 1 << 20;

impl Config {
    /// Checks the ranges that the fields name.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`]: the first field out of its range, with the range.
    pub fn check(&self) -> Result<(), Error> {
        let least = |setting, value, least, range| match value >= least {
            true => Ok(()),
            false => Err(Kind::Config { setting, value, range }.into()),
        };
        least("cache_capacity", self.cache_capacity, MIN_CACHE, "at least 1048576 (1 MiB)")?;
        least("templates_per_host", self.templates_per_host as u64, 1, "at least 1")?;
        let (bytes, least_bytes) = (self.max_template_bytes as u64, Bounds::LEAST_TEMPLATE_BYTES as u64);
        least("max_template_bytes", bytes, least_bytes, "at least 8192 (8 KiB)")
    }
}

/// The content store. Clones share it. Its methods block for the time of some reads and writes in
/// sled's cache, microseconds to a few milliseconds; only [`Database::durable`] waits for the disk.
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
    /// The newest sequence number, durable or not.
    pub last_sequence: u64,
    /// How often opening the store found something lost that readers may have seen.
    pub losses: u64,
}

impl Store {
    /// Opens the store in a daemon's data directory, with the settings that there are by default.
    /// One program at a time may have it open: beside a daemon, ask that by HTTP.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # drop(tsrec_store::Database::open(dir.path(), &Default::default())?);
    /// let store = tsrec_store::Store::open(dir.path())?;
    /// let mut since = None; // or what the last reader kept: a Cursor is text
    /// loop {
    ///     let (changes, records) = store.changes_with_pages(since, 1_000, 16 << 20)?;
    ///     for (change, record) in changes.changes.iter().zip(&records) {
    ///         match record {
    ///             Some(record) => println!("{}: {:?}", change.url, record.metadata.title),
    ///             None => println!("{}: gone", change.url),
    ///         }
    ///     }
    ///     if changes.changes.is_empty() {
    ///         break;
    ///     }
    ///     since = Some(changes.next);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::is_io`] where there is none; [`Error::is_locked`] where another program has it
    /// open; [`Error::is_format`] where another version made it; the disk's.
    pub fn open(data_dir: &Path) -> Result<Store, Error> {
        // Opening a database would make one: a path that is mistyped would be an empty store.
        if !Database::is_in(data_dir) {
            let source = std::io::Error::new(std::io::ErrorKind::NotFound, "it holds no store");
            return Err(database::io("open", data_dir, source));
        }
        Ok(Store::new(&Database::open(data_dir, &Config::default())?))
    }
}

#[doc(hidden)]
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
            last_sequence: state.last_sequence,
            losses: state.losses,
        }
    }
}
