//! How the index follows the store.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::api::{Daemon, Failed, Wait};
use crate::index::{Pages, Writer};

/// How long is waited for a daemon that does not answer: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// When changes are committed: a commit costs a flush of the disk, and makes a segment that has to
/// be merged.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// After so many.
    pub changes: usize,
    /// Or when the first of them has waited so long.
    pub time: Duration,
}

/// What follows.
pub struct Follower {
    /// Whom it follows.
    pub daemon: Daemon,
    /// What follows.
    pub pages: Pages,
    /// When it commits.
    pub policy: Policy,
    /// The name by which the daemon knows it, so that deletions wait for it; empty for none.
    pub name: String,
    /// Whether it ends where the feed ends.
    pub once: bool,
}

impl Follower {
    /// Follows the store: to the end that there is now, or without end. A daemon that does not
    /// answer is asked again; nothing that was read is lost meanwhile.
    ///
    /// # Errors
    ///
    /// The index cannot be read or written; the daemon refuses to be asked; with
    /// [`once`](Follower::once) also that it does not answer.
    pub fn run(&self) -> Result<()> {
        let (mut pause, mut anew) = (PAUSES.0, false);
        loop {
            // What another one had entered and not committed went with it: it is read again, from
            // the cursor of the last commit.
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

    /// Makes the index anew of all records there are, in one commit; gives the cursor from which
    /// the feed goes on.
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

    /// Tells the daemon how far the index is. If it does not hear it, the next time will do.
    fn tell(&self, cursor: &str) {
        if !self.name.is_empty()
            && let Err(Failed::Later(error) | Failed::Refused(error)) = self.daemon.acknowledge(&self.name, cursor)
        {
            eprintln!("tsrec-indexer: {error:#}");
        }
    }
}

/// Why it reads no further.
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
