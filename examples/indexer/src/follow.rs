//! How the index follows the store.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::api::{Daemon, Failed, Wait};
use crate::index::{Pages, Writer};

/// Pause before asking an unreachable daemon again: the first and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// When to commit changes. A commit costs a disk flush and makes a segment that must be merged
/// later.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// After this many changes.
    pub changes: usize,
    /// Or when the first change has waited this long.
    pub time: Duration,
}

/// Follows the store of a daemon.
pub struct Follower {
    /// The daemon to follow.
    pub daemon: Daemon,
    /// The index to update.
    pub pages: Pages,
    /// When to commit.
    pub policy: Policy,
    /// The reader's name at the daemon, which keeps deletions for it; empty for none.
    pub name: String,
    /// Whether to stop at the end of the feed.
    pub once: bool,
}

impl Follower {
    /// Follows the store, to the current end of the feed or forever. If the daemon does not answer,
    /// it asks again and keeps everything that it has read.
    ///
    /// # Errors
    ///
    /// If the index cannot be read or written, or the daemon refuses. With
    /// [`once`](Follower::once), also if the daemon does not answer.
    pub fn run(&self) -> Result<()> {
        let (mut pause, mut anew) = (PAUSES.0, false);
        loop {
            // The previous writer's uncommitted changes are gone. Read them again from the cursor
            // of the last commit.
            let mut writer = Writer::new(&self.pages)?;
            let Err(stopped) = self.read(&mut writer, anew, &mut pause) else { return Ok(()) };
            anew = matches!(stopped, Stopped::Api(Failed::Gone));
            match stopped {
                Stopped::Index(error) | Stopped::Api(Failed::Refused(error)) => return Err(error),
                Stopped::Api(Failed::Later(error)) if self.once => return Err(error),
                Stopped::Api(Failed::Later(error)) => {
                    eprintln!("tsrec-indexer: {error:#}; it is asked again in {pause:?}");
                    drop(writer);
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(PAUSES.1);
                }
                Stopped::Api(Failed::Gone) => {
                    eprintln!(
                        "tsrec-indexer: the daemon no longer knows what changed since the last commit: the index is made anew"
                    );
                }
            }
        }
    }

    /// Reads on from the last commit, or from a snapshot.
    fn read(&self, writer: &mut Writer, anew: bool, pause: &mut Duration) -> Result<(), Stopped> {
        let mut cursor = match self.pages.cursor()?.filter(|_| !anew) {
            Some(cursor) => cursor,
            None => self.begin(writer)?,
        };
        let mut entered = 0;
        let mut first = Instant::now();
        loop {
            let wait = match entered {
                _ if self.once => Wait::No,
                0 => Wait::Most,
                _ => Wait::Second,
            };
            let feed = self.daemon.changes(&cursor, wait)?;
            *pause = PAUSES.0;
            if entered == 0 {
                first = Instant::now();
            }
            for change in &feed.changes {
                writer.enter(change)?;
            }
            entered += feed.changes.len();
            cursor = feed.next;
            let is_end = feed.changes.is_empty();
            let is_due = entered >= self.policy.changes || first.elapsed() >= self.policy.time;
            if entered > 0 && (is_due || (is_end && self.once)) {
                writer.commit(&cursor)?;
                self.tell(&cursor);
                entered = 0;
            }
            if is_end && self.once {
                return Ok(());
            }
        }
    }

    /// Rebuilds the index from all records in one commit. Returns the cursor from which the feed
    /// goes on.
    fn begin(&self, writer: &mut Writer) -> Result<String, Stopped> {
        let (cursor, records) = self.daemon.snapshot()?;
        writer.clear()?;
        for record in records {
            writer.add(&record?)?;
        }
        writer.commit(&cursor)?;
        self.tell(&cursor);
        Ok(cursor)
    }

    /// Tells the daemon how far the index is. If that fails, the next call repeats it.
    fn tell(&self, cursor: &str) {
        if !self.name.is_empty()
            && let Err(Failed::Later(error) | Failed::Refused(error)) = self.daemon.acknowledge(&self.name, cursor)
        {
            eprintln!("tsrec-indexer: {error:#}");
        }
    }
}

/// Why reading stopped.
enum Stopped {
    Index(anyhow::Error),
    Api(Failed),
}

impl From<anyhow::Error> for Stopped {
    fn from(error: anyhow::Error) -> Stopped {
        Stopped::Index(error)
    }
}

impl From<Failed> for Stopped {
    fn from(failed: Failed) -> Stopped {
        Stopped::Api(failed)
    }
}
