//! An append-only file in segments. It holds the large values, and the rest can be made again
//! from it.
//!
//! There are two. `records` holds every record and every deletion, each in a checksummed frame
//! that names its operation. The store can fill sled again from it alone. `bodies` holds
//! pages as fetched, which can be had again. sled holds small entries only, with the [`Place`] of
//! the value.
//!
//! A frame is dead when its value is superseded. If a segment is mostly dead, [`crate::collect`]
//! copies its live frames to the end and removes it.

pub(crate) mod check;
pub(crate) mod doubt;
pub(crate) mod frame;
pub(crate) mod mark;
pub(crate) mod op;
pub(crate) mod order;
pub(crate) mod packed;
pub(crate) mod resync;
pub(crate) mod scan;
pub(crate) mod skim;
pub(crate) mod value;
pub(crate) mod window;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind};
use crate::log::packed::Packed;
use frame::FORMAT;
use op::{JournalEntry, Op};

/// The directory of the journal of records.
pub(crate) const RECORDS: &str = "records";

/// The directory of the journal of bodies, which can be had again.
pub(crate) const BODIES: &str = "bodies";

/// The store closes a segment past this length, in bytes; one more frame may exceed it.
/// Judgement: small enough to collect quickly, and large enough that 100 GB has only some
/// thousands.
#[cfg(not(test))]
pub(crate) const SEGMENT_LEN: u64 = 32 << 20;
/// Short, so that tests see many.
#[cfg(test)]
pub(crate) const SEGMENT_LEN: u64 = 64 << 10;

/// The same for bodies. Many die within days. A segment is collected once closed, so the dead part
/// of the last segment stays. Judgement: a small store should not consist mostly of dead data.
pub(crate) const BODIES_SEGMENT_LEN: u64 = SEGMENT_LEN / 8;

/// If a journal has fewer segments than this, its segments are shorter, down to a fraction of the
/// full length. The dead part of the last segment stays, and a small store should not consist
/// mostly of that. Calibration: `cargo bench --bench disk` with 5,000 pages in one segment of
/// records took 6,171 bytes a page, 2,640 of them live.
const LEAST_SEGMENTS: u64 = 8;
const SHORTEST_PART: u64 = 32;

/// Segments kept open for reading. Judgement: readers follow the feed, whose records are close
/// together.
const OPEN_FILES: usize = 16;

/// Where a value is stored. Its head in sled keeps the place, and reading compares it with the
/// frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) segment: u32,
    pub(crate) offset: u64,
    /// The length of the frame.
    pub(crate) len: u32,
    pub(crate) number: u64,
    /// The unpacked length of the value.
    pub(crate) raw_len: u32,
}

/// One of the two journals. Only a writer appends, and there is only one writer at a time.
pub(crate) struct Journal {
    dir: PathBuf,
    segment_len: u64,
    inner: Mutex<Inner>,
    /// How many reads of frames failed.
    unreadable: Arc<AtomicU64>,
}

struct Inner {
    segments: BTreeMap<u32, Segment>,
    /// The segments by the numbers of their first frames.
    by_number: BTreeMap<u64, u32>,
    current: u32,
    file: Arc<File>,
    next_number: u64,
    /// Something was appended since the last sync.
    is_dirty: bool,
    /// A write failed and could not be undone.
    is_broken: bool,
    /// The files read last, the latest at the end.
    open: Vec<(u32, Arc<File>)>,
}

/// The length of a segment, and the length of its live part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) len: u64,
    pub(crate) live: u64,
}

/// The end of a journal, to rewind to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    segment: u32,
    len: u64,
    next_number: u64,
}

impl Journal {
    /// Opens a journal for appending after the scanned part. If there is no segment, `epoch` goes
    /// into the first. Segments close past `segment_len` bytes.
    pub(crate) fn open(
        dir: &Path,
        (name, segment_len): (&'static str, u64),
        found: &scan::ScannedJournal,
        epoch: u64,
    ) -> Result<Journal, Error> {
        let io = |doing| move |source| Error::from(Kind::Io { doing, path: dir.join(name), source });
        let lens = found.segments.iter().map(|(&id, segment)| (id, Segment { len: segment.len, live: 0 }));
        let segments: BTreeMap<u32, Segment> = lens.collect();
        let by_number = found.segments.iter().filter_map(|(&id, segment)| Some((segment.first?, id))).collect();
        let current = segments.last_key_value().map(|(&id, _)| id);
        let dir = dir.join(name);
        let mut options = File::options();
        options.read(true).write(true);
        // If there is no segment, the code below makes this one again.
        let file = match current {
            Some(id) => options.open(path_of(&dir, id)).map_err(io("open"))?,
            None => options.create(true).truncate(true).open(path_of(&dir, 1)).map_err(io("make"))?,
        };
        let inner = Inner {
            segments,
            by_number,
            current: current.unwrap_or(0),
            file: Arc::new(file),
            next_number: found.last_number + 1,
            is_dirty: true,
            is_broken: false,
            open: Vec::new(),
        };
        let journal = Journal { dir, segment_len, inner: Mutex::new(inner), unreadable: Arc::default() };
        match current {
            // No flush acknowledged what follows the last sound frame.
            Some(id) if journal.inner().segments[&id].len > 0 => {
                journal.truncate(id, journal.inner().segments[&id].len)?;
            }
            // A crash left it empty, or with half a frame: it begins again.
            Some(id) => {
                journal.inner().current = id - 1;
                journal.begin_segment(epoch, found.last_sequence, 0)?;
            }
            None => journal.begin_segment(epoch, 0, 0)?,
        }
        Ok(journal)
    }

    /// Appends a frame. It is durable after the next [`Journal::sync`].
    pub(crate) fn append(&self, entry: &JournalEntry, packed: &Packed) -> Result<Place, Error> {
        self.append_bytes(entry, packed.bytes(), packed.raw_len())
    }

    pub(crate) fn append_bytes(&self, entry: &JournalEntry, value: &[u8], raw_len: usize) -> Result<Place, Error> {
        let mut inner = self.inner();
        if inner.is_broken {
            return Err(self.io("write to", io::Error::other("an earlier write failed; open the store again")));
        }
        let number = inner.next_number;
        let (head, bytes) = frame::encode(entry, value, raw_len, number).map_err(Error::encode("a frame"))?;
        let (segment, offset) = (inner.current, inner.segments[&inner.current].len);
        inner.is_dirty = true;
        if let Err(source) = inner.file.write_all_at(&bytes, offset) {
            // Half a frame at the end does no harm, but it takes space on a full disk.
            inner.is_broken = inner.file.set_len(offset).is_err();
            return Err(self.io("write to", source));
        }
        inner.next_number += 1;
        let entry = inner.segments.entry(segment).or_default();
        entry.len += head.frame_len();
        entry.live += head.frame_len();
        Ok(Place { segment, offset, len: head.frame_len() as u32, number, raw_len: head.raw_len })
    }

    /// Where the next frame goes.
    pub(crate) fn end(&self) -> End {
        let inner = self.inner();
        End { segment: inner.current, len: inner.segments[&inner.current].len, next_number: inner.next_number }
    }

    /// Removes what was appended after an end. No segment may have begun since.
    pub(crate) fn rewind(&self, end: End) {
        let mut inner = self.inner();
        if inner.current != end.segment || inner.next_number == end.next_number {
            return;
        }
        inner.next_number = end.next_number;
        let segment = inner.segments.entry(end.segment).or_default();
        segment.live = segment.live.saturating_sub(segment.len - end.len);
        segment.len = end.len;
        inner.is_broken |= inner.file.set_len(end.len).is_err();
    }

    /// The number of the last frame.
    pub(crate) fn last_number(&self) -> u64 {
        self.inner().next_number - 1
    }

    /// Returns when everything appended before survives a power cut.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        let file = {
            let mut inner = self.inner();
            if !std::mem::take(&mut inner.is_dirty) {
                return Ok(());
            }
            Arc::clone(&inner.file)
        };
        file.sync_data().map_err(|source| {
            self.inner().is_dirty = true;
            self.io("sync", source)
        })
    }

    /// Whether the last segment is long enough to begin a new one.
    pub(crate) fn is_full(&self) -> bool {
        let inner = self.inner();
        let whole: u64 = inner.segments.values().map(|segment| segment.len).sum();
        let len = (whole / LEAST_SEGMENTS).clamp(self.segment_len / SHORTEST_PART, self.segment_len);
        inner.segments[&inner.current].len >= len
    }

    /// Closes the last segment and begins a new one.
    pub(crate) fn begin_segment(&self, epoch: u64, last_sequence: u64, floor: u64) -> Result<(), Error> {
        self.sync()?;
        {
            let mut inner = self.inner();
            let id = inner.current + 1;
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(true);
            let file = options.open(path_of(&self.dir, id)).map_err(|source| self.io("make a segment of", source))?;
            File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(|source| self.io("sync", source))?;
            inner.segments.insert(id, Segment::default());
            let first = inner.next_number;
            inner.by_number.insert(first, id);
            inner.current = id;
            inner.file = Arc::new(file);
        }
        let segments = self.segments().into_iter().filter(|(_, segment)| segment.len > 0);
        let segments = segments.map(|(id, segment)| (id, segment.len)).collect();
        let entry = JournalEntry { last_sequence, floor, op: Op::Segment { format: FORMAT, epoch, segments } };
        let place = self.append_bytes(&entry, &[], 0)?;
        self.bury(place);
        Ok(())
    }

    /// Marks the frame at this place as dead.
    pub(crate) fn bury(&self, place: Place) {
        if let Some(segment) = self.inner().segments.get_mut(&place.segment) {
            segment.live = segment.live.saturating_sub(u64::from(place.len));
        }
    }

    /// The segment of the frame with this number.
    pub(crate) fn segment_of(&self, number: u64) -> Option<u32> {
        self.inner().by_number.range(..=number).next_back().map(|(_, &id)| id)
    }

    /// Marks this many bytes of the frame with a number as dead.
    pub(crate) fn bury_part(&self, number: u64, len: u64) {
        let mut inner = self.inner();
        let Some(id) = inner.by_number.range(..=number).next_back().map(|(_, &id)| id) else { return };
        if let Some(segment) = inner.segments.get_mut(&id) {
            segment.live = segment.live.saturating_sub(len);
        }
    }

    /// Counts the live frames of a segment found when the store was opened.
    pub(crate) fn revive(&self, segment: u32, len: u64) {
        if let Some(segment) = self.inner().segments.get_mut(&segment) {
            segment.live += len;
        }
    }

    /// The length of a segment; `None` if there is none.
    pub(crate) fn len_of(&self, segment: u32) -> Option<u64> {
        self.inner().segments.get(&segment).map(|segment| segment.len)
    }

    /// Sets the live bytes of all segments; those that are not given have none.
    pub(crate) fn set_live(&self, live: &BTreeMap<u32, u64>) {
        for (id, segment) in &mut self.inner().segments {
            segment.live = live.get(id).copied().unwrap_or(0);
        }
    }

    /// How many reads of frames failed since the journal was opened.
    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }

    pub(crate) fn unreadable_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.unreadable)
    }

    /// The file of a place.
    pub(crate) fn file(&self, place: Place) -> Result<Arc<File>, Error> {
        self.file_of(place.segment)
    }

    pub(crate) fn file_of(&self, segment: u32) -> Result<Arc<File>, Error> {
        let mut inner = self.inner();
        if segment == inner.current {
            return Ok(Arc::clone(&inner.file));
        }
        if let Some(at) = inner.open.iter().position(|(id, _)| *id == segment) {
            let entry = inner.open.remove(at);
            let file = Arc::clone(&entry.1);
            inner.open.push(entry);
            return Ok(file);
        }
        let file = File::open(path_of(&self.dir, segment)).map_err(|source| self.io("open a segment of", source))?;
        let file = Arc::new(file);
        if inner.open.len() >= OPEN_FILES {
            inner.open.remove(0);
        }
        inner.open.push((segment, Arc::clone(&file)));
        Ok(file)
    }

    /// The segments, the oldest first. The journal appends to the last.
    pub(crate) fn segments(&self) -> Vec<(u32, Segment)> {
        self.inner().segments.iter().map(|(&id, &segment)| (id, segment)).collect()
    }

    /// Removes a segment that has no live frame.
    pub(crate) fn remove_segment(&self, id: u32) -> Result<(), Error> {
        let mut inner = self.inner();
        inner.segments.remove(&id);
        inner.by_number.retain(|_, of| *of != id);
        inner.open.retain(|(open, _)| *open != id);
        std::fs::remove_file(path_of(&self.dir, id)).map_err(|source| self.io("remove a segment of", source))
    }

    /// The bytes of the files, and of their live frames.
    pub(crate) fn size(&self) -> (u64, u64) {
        let inner = self.inner();
        let sum = |of: fn(&Segment) -> u64| inner.segments.values().map(of).sum();
        (sum(|segment| segment.len), sum(|segment| segment.live))
    }

    fn truncate(&self, id: u32, len: u64) -> Result<(), Error> {
        let file = File::options().write(true).open(path_of(&self.dir, id));
        file.and_then(|file| file.set_len(len)).map_err(|source| self.io("cut the end of", source))
    }

    fn io(&self, doing: &'static str, source: io::Error) -> Error {
        Kind::Io { doing, path: self.dir.clone(), source }.into()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of a segment.
pub(crate) fn path_of(dir: &Path, id: u32) -> PathBuf {
    dir.join(format!("{id:08}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_journal_has_short_segments() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("records")).unwrap();
        let journal = Journal::open(dir.path(), ("records", SEGMENT_LEN), &scan::ScannedJournal::default(), 1).unwrap();
        let mut whole_and_longest = Vec::new();
        for _ in 0..16_000 {
            let entry =
                JournalEntry { last_sequence: 0, floor: 0, op: Op::Forget { keys: vec!["a\0http://a/".to_owned()] } };
            journal.append_bytes(&entry, &[7; 60], 60).unwrap();
            if journal.is_full() {
                let segments = journal.segments();
                whole_and_longest.push((journal.size().0, segments[segments.len() - 1].1.len));
                journal.begin_segment(1, 0, 0).unwrap();
            }
        }
        let (shortest, frame) = (SEGMENT_LEN / SHORTEST_PART, 200);
        for (whole, len) in &whole_and_longest {
            let expect = (whole / LEAST_SEGMENTS).clamp(shortest, SEGMENT_LEN);
            assert!((expect..expect + frame).contains(len), "a segment of {len} bytes of {whole}");
        }
        let (first, last) = (whole_and_longest[0].1, whole_and_longest[whole_and_longest.len() - 1].1);
        assert!(first < shortest + frame && last >= SEGMENT_LEN, "{first} to {last}");
    }
}
