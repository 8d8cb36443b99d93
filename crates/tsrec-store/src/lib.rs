//! The content store: the daemon writes it, indexers read it.
//!
//! One directory holds the store, and one process owns it. sled holds small entries for lookup; a
//! checksummed journal holds the records themselves. This page describes the layout and what a
//! crash leaves; for the rest see the methods of [`Store`]. The frontier keeps its entries in
//! [spaces](Space) of the same [`Database`], and the crawl the memory of each site as bytes: the
//! store does not know what they mean.
//!
//! # Layout
//!
//! | path | content |
//! |---|---|
//! | `records/` | the journal of every record and deletion, site memories, re-extraction progress and writes of spaces, in segments of up to 32 MiB; the store can fill sled again from it alone |
//! | `bodies/` | bodies, which can be had again: pages that wait, siblings, raw pages |
//! | `index/` | sled: small entries, with the places of the values in the journals |
//! | `mark` | how far the store was durable, written with each flush |
//! | `doubt` | somebody met damage: the next opening reads everything |
//! | `losses` | what openings and the verification found lost, until it is acknowledged ([`losses`]) |
//! | `lock` | locked by the process that owns the directory |
//!
//! sled has three trees, and one for each space. In the table, *key* stands for `host\0url`.
//! Numbers are big-endian, so that they sort.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `meta` | `format`, `epoch`, `flush`, `state` | version of this layout; the feed's epoch; the last flush; counters, the newest sequence, a digest of the other trees |
//! | `heads` | `p` key | a page: sequence, content hash, what a listing shows, place of its record |
//! | | `t` key | a tombstone: the sequence of its change, its time, and the place of its frame |
//! | | `b` key | a body: what it is kept for, the time of its fetch, and its place |
//! | | `h` key | lists a sibling: its order among them |
//! | | `w` key | lists a page that waits: the time of its fetch |
//! | | `m` host`\0` | the memory of a site: its place |
//! | | `f` host`\0` | re-extraction progress of the site's taught templates, and the place of its frame |
//! | `changes` | sequence | the latest change of one URL |
//! | `space_`name | any bytes | an entry of a logged space: number and weight of its frame, then the value |
//! | `derived_`name | any bytes | an entry of a derived space: the value |
//!
//! Heads are small and of bounded size, and a listing reads heads only. Records are JSON, so that
//! a field can be added without a migration. Bodies are bytes. The store
//! compresses all values with zstd. A frame is dead when a later frame supersedes its value. If
//! more than half of a segment is dead, each flush copies a piece of its live part away. Then the
//! store removes the segment. A frame with writes of spaces may be live in part.
//!
//! # What is atomic
//!
//! Every writing method appends to the journals. Then it commits its entries of the three trees:
//! the record's place, its change entry, the site's new memory, the counters, and what the page's
//! body is kept for. It removes what all this supersedes. If it fails, the store removes its frames
//! from the journals. A [`Database::write`] of spaces is one frame and one commit in the same way.
//! All readers see a commit at once. The store writes the entries of many commits to sled in one
//! transaction: at each flush, after 100 ms, or when they have 256 KiB.
//! One lock makes read-then-write safe. Readers of several keys share the lock, so a page of the
//! feed shows one moment.
//!
//! # What is durable, and when
//!
//! A write is durable after the next [`Database::durable`]. The pipeline calls it after
//! [`Store::put`] and before it acknowledges the page to the frontier. The feed shows a change
//! only once it is durable. So the store never reuses a sequence number that a reader has seen,
//! even if the power fails between a put and its flush. Until then the feed shows the previous
//! change with its record, which the store keeps in memory: readers see the feed of the last
//! flush.
//!
//! # What a crash leaves
//!
//! Everything that was durable, and perhaps some later writes, in the order of writing. Each
//! commit is there whole or not at all. If sled does not know a frame and no flush covered
//! it, the next open removes it from the journal.
//!
//! # What damage leaves
//!
//! Opening reads the mark, the heads of the segments and the last segments. If these leave a doubt,
//! it reads the journals and all of sled once. It then checks every checksum and the digest of the
//! trees, and compares all of them with each other and with the mark. It catches a panic of sled.
//! [`Database::verify_in_background`] reads the rest of a store that was opened by its mark. Every
//! read of a frame compares its checksum. If sled is damaged or behind, the store fills it again
//! from the journal, and loses no record, no entry of a logged space, and only values that can be
//! had again. A record is lost if its frame is damaged, or if the end of the journal is missing. An
//! entry of a space is lost only if sled has lost it too: otherwise the store writes it into the
//! journal again. The store logs and counts a loss ([`Database::recovery`]) and begins a new epoch,
//! so that readers start over. If both sled and the journal are damaged, some writes of spaces may
//! be among the lost frames. Then the store salvages the URLs that it finds elsewhere
//! ([`Database::salvaged`]). The store opens whichever file is damaged: it can do without sled's
//! snapshot, sled's settings and the mark. It keeps the damaged index as `index.damaged` until the
//! next one. `tests/suite/store_damage.rs` and `store_frontier.rs` test this.
//!
//! # The feed
//!
//! The feed holds one entry per URL, its latest change, in the order of sequence numbers. A
//! reader keeps the [`Cursor`] of the last answer. If the store has pruned tombstones that a
//! reader has not seen, the reader gets [`Error::is_gone`] and starts over. If a reader
//! [acknowledges](Store::acknowledge) what it has read, the store keeps tombstones until it has
//! seen them.
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

mod bodies;
mod collect;
mod database;
mod error;
mod feed;
mod index;
mod instant;
mod key;
mod log;
pub mod losses;
pub mod maintenance;
mod record;
mod records;
mod recovery;
mod verification;

use std::path::Path;

use serde::Serialize;

pub use bodies::{HeldSibling, KeptBody, Parked};
pub use database::Database;
pub use error::Error;
pub use feed::consumers::Consumer;
pub use feed::cursor::Cursor;
pub use feed::{Change, ChangeKind, ChangeWithRecord, Changes};
pub use index::stored::StoredRecord;
pub use key::MAX_URL_LEN;
pub use log::op::DeletionReason;
pub use record::{NewPage, OfTemplate, PageRecord, PageSummary, SUMMARY_TITLE_LEN};
pub use records::pages::{Put, PutExtras};
pub use records::select::{PageOrder, Selection};
pub use recovery::Recovery;
pub use verification::{BYTES_PER_SECOND, Verification};

use error::Kind;

// For the frontier, which is in the same database.
pub use index::space::{Space, SpaceBatch, SpaceEntries};
pub use key::Key;

pub use records::written::html_page;

/// The store's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Memory for sled's page cache, in bytes; at least 1 MiB. The data on disk may be larger by
    /// any factor.
    pub cache_capacity: u64,
    /// Bytes of all bodies together, compressed: pages that wait, siblings and raw pages. If there
    /// are more, the oldest raw pages go first, then the oldest siblings, and never what waits. The
    /// files may take a segment more. 0 keeps only pages that wait.
    pub bodies_bytes: u64,
    /// The number of siblings held for each host; the store drops the oldest first. 0 holds none.
    pub held_per_host: usize,
    /// The largest body that may wait, in bytes before compression. Set it above the fetcher's
    /// limit, or pages between the two limits fail here. A body of 15 MiB that does not compress
    /// stops other writers for a tenth of a second.
    pub max_parked_bytes: usize,
    /// The largest record, in bytes of its JSON.
    pub max_record_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cache_capacity: 64 << 20,
            bodies_bytes: 1_000_000_000,
            held_per_host: 16,
            max_parked_bytes: 16 << 20,
            max_record_bytes: 16 << 20,
        }
    }
}

/// The smallest cache, in bytes. Judgement: below it sled evicts pages in the middle of an
/// operation.
const MIN_CACHE: u64 = 1 << 20;

impl Config {
    /// Checks the range that a field names.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`]: the field out of its range, with the range.
    pub fn check(&self) -> Result<(), Error> {
        let (setting, value) = ("cache_capacity", self.cache_capacity);
        match value >= MIN_CACHE {
            true => Ok(()),
            false => Err(Kind::Config { setting, value, range: "at least 1048576 (1 MiB)" }.into()),
        }
    }
}

/// The content store. Clones share it. Its methods block for some reads and writes in sled's
/// cache, microseconds to a few milliseconds. Only [`Database::durable`] waits for the disk.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

/// The size of the store, read from counters without a walk over the trees.
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
    /// Openings that found something lost, and that nobody has acknowledged. 1 if the list of them
    /// cannot be read.
    pub losses: u64,
}

impl Store {
    /// Opens the store in a daemon's data directory, with the default settings. Only one program
    /// at a time may have it open. If a daemon runs, ask the daemon over HTTP.
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
    /// [`Error::is_io`] if there is no store; [`Error::is_locked`] if another program has it
    /// open; [`Error::is_format`] if another version made it; the disk's errors.
    pub fn open(data_dir: &Path) -> Result<Store, Error> {
        // Opening a database would create one: a mistyped path would give an empty store.
        if !Database::is_in(data_dir) {
            let source = std::io::Error::new(std::io::ErrorKind::NotFound, "it holds no store");
            return Err(error::io("open", data_dir, source));
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

    /// The database of the store.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Page counts and the like, for metrics.
    pub fn counts(&self) -> Counts {
        let state = self.database.base().state();
        Counts {
            pages: state.pages,
            tombstones: state.tombstones,
            changes: state.pages + state.tombstones,
            held: state.held,
            parked: state.parked,
            last_sequence: state.last_sequence,
            losses: losses::losses(self.database.path()).map_or(1, |losses| losses.len() as u64),
        }
    }
}
