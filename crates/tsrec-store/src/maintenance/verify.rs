//! Reads a whole store, and tells what is damaged. It mends nothing.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::Config;
use crate::database::lock_within;
use crate::error::Error;
use crate::error::io as io_error;
use crate::index::{self, Journals, Unsound};
use crate::log::mark::{MarkFile, MarkRead};
use crate::log::scan::{self, ScannedJournal};
use crate::log::{BODIES, RECORDS};
use crate::recovery::{MOVED, is_of_earlier_segment};

/// What is wrong with an index that lacks acknowledged operations.
const OLDER: &str = "it is older than the journal";

/// Result of checking a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Sound frames.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Missing or damaged frames, at least this many; live or not.
    pub damaged_frames: u64,
    /// Segments that are missing.
    pub missing_segments: u64,
    /// Bytes after the last sound frame: a write in progress, or damage.
    pub torn_bytes: u64,
    /// What the index says; `None` if another program uses the store. A daemon checks its index
    /// itself.
    pub index: Option<VerifiedIndex>,
}

/// Result of checking the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VerifiedIndex {
    /// Why it cannot be used, if it cannot: the next opening fills it again from the journal.
    pub fault: Option<String>,
    /// Pages whose frames are damaged or missing: the next opening counts them as lost.
    pub lost_pages: u64,
    /// The same for siblings, pages that wait, and what is remembered of sites.
    pub lost_values: u64,
    /// Entries of the frontier whose frames are damaged or missing. The index has them, and the
    /// next opening writes them again.
    pub unlogged: u64,
}

impl Verified {
    /// Whether anything differs from what was written. A torn end may be a write in progress.
    pub fn is_damaged(&self) -> bool {
        let is_index_damaged = self.index.as_ref().is_some_and(|index| *index != VerifiedIndex::default());
        self.damaged_frames > 0 || self.missing_segments > 0 || is_index_damaged
    }
}

/// Reads every frame of the journals and every entry of the index, and compares checksums, digest
/// and each with the other. A daemon may be running; then it reads the journals only.
///
/// # Errors
///
/// The disk's errors.
pub fn verify(dir: &Path) -> Result<Verified, Error> {
    let mut verified = Verified::default();
    // Held to the end, so that no program opens the index meanwhile.
    let lock = match lock_within(dir, Duration::ZERO) {
        Ok(lock) => Some(lock),
        Err(error) if error.is_locked() => None,
        Err(error) => return Err(error),
    };
    let [records, bodies] = [RECORDS, BODIES].map(|name| read(&dir.join(name), &mut verified));
    let (records, bodies) = (records?, bodies?);
    if lock.is_some() {
        verified.index = Some(read_index(dir, &records, &bodies)?);
    }
    Ok(verified)
}

fn read(dir: &Path, verified: &mut Verified) -> Result<ScannedJournal, Error> {
    let found = scan::scan(dir, |place, _, _| {
        verified.frames += 1;
        verified.bytes += u64::from(place.len);
        Ok(())
    });
    let found = found.map_err(|source| io_error("read", dir, source))?;
    verified.damaged_frames += found.lost_frames;
    verified.missing_segments += found.missing.len() as u64;
    verified.torn_bytes += found.torn;
    Ok(found)
}

fn read_index(dir: &Path, records: &ScannedJournal, bodies: &ScannedJournal) -> Result<VerifiedIndex, Error> {
    let faulty = |why: &str| Ok(VerifiedIndex { fault: Some(why.to_owned()), ..VerifiedIndex::default() });
    if !dir.join(index::DIR).join(index::LOG_FILE).exists() {
        return faulty("it is missing");
    }
    let journals = Journals { records, bodies };
    let index = match index::check(dir, Config::default().cache_capacity, journals) {
        Ok(index) => index,
        Err(Unsound::Damaged(why)) => return faulty(&why),
        Err(Unsound::Error(error)) => return Err(error),
    };
    let mark = MarkFile::read(dir).map_err(|source| io_error("read the mark of", dir, source))?;
    match mark {
        MarkRead::Found(mark) if mark.flush > index.flush => return faulty(OLDER),
        _ if is_of_earlier_segment(&index, records) => return faulty(OLDER),
        MarkRead::Found(mark) if mark.number > records.last_number => {
            return faulty("the end of the journal is missing");
        }
        _ => {}
    }
    if !index.heads.moved.is_empty() {
        return faulty(MOVED);
    }
    let lost = &index.heads.lost;
    Ok(VerifiedIndex {
        fault: None,
        lost_pages: (lost.pages.len() + lost.tombstones.len()) as u64,
        lost_values: lost.values.len() as u64,
        unlogged: index.heads.unlogged,
    })
}
