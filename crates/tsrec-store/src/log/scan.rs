//! Scans a journal's files when the store opens: finds sound frames and damage.
//!
//! After damage it searches for the next frame, so that one flipped bit costs one frame.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::{Range, RangeInclusive};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::log::frame::{self, FORMAT, FrameHead, HEAD_LEN, MAGIC};
use crate::log::op::{JournalEntry, Op};
use crate::log::resync::{FoundFrame, resync};
use crate::log::window::FrameWindow;
use crate::log::{Place, path_of};

/// Stands for the version of programs before the release.
pub(crate) const BEFORE_RELEASE: u32 = 0;

/// Bytes searched at a time for the next frame.
const WINDOW: usize = 1 << 20;

/// Result of scanning a journal's files.
#[derive(Debug, Default)]
pub(crate) struct ScannedJournal {
    pub(crate) segments: BTreeMap<u32, Extent>,
    /// The numbers of the sound frames, as runs without a gap.
    pub(crate) runs: Vec<RangeInclusive<u64>>,
    /// The number of the first sound frame of each segment, in order.
    firsts: Vec<u64>,
    /// The number of the last sound frame; 0 if there is none.
    pub(crate) last_number: u64,
    /// The version of a segment that is of another version than this program.
    pub(crate) format: Option<u32>,
    /// The epoch in the last segment.
    pub(crate) epoch: Option<u64>,
    /// The highest sequence in any sound frame.
    pub(crate) last_sequence: u64,
    /// Segments that should exist, but do not.
    pub(crate) missing: Vec<u32>,
    /// Frames that are missing between sound ones.
    pub(crate) lost_frames: u64,
    /// The number of the first sound frame after the last missing one.
    pub(crate) lost_until: u64,
    /// Bytes after the last sound frame of the last segment.
    pub(crate) torn: u64,
}

/// The sound part of a segment.
#[derive(Debug, Default)]
pub(crate) struct Extent {
    /// The number of its first sound frame.
    pub(crate) first: Option<u64>,
    /// Where its last sound frame ends.
    pub(crate) len: u64,
    /// Where the first part ends, whose frames follow each other, and the number of its last frame.
    pub(crate) prefix_len: u64,
    pub(crate) prefix_last: u64,
    /// Numbers and offsets of the frames past that.
    pub(crate) past_damage: Vec<(u64, u64)>,
    /// Ranges before that without a sound frame.
    pub(crate) damaged: Vec<Range<u64>>,
}

impl ScannedJournal {
    /// Whether the frame with this number is sound.
    pub(crate) fn has(&self, number: u64) -> bool {
        is_in(&self.runs, number)
    }

    /// Whether frames are missing between sound ones.
    pub(crate) fn has_gaps(&self) -> bool {
        self.lost_frames > 0 || !self.missing.is_empty()
    }

    /// The number of the first frame of the segment that may have the frame with a number.
    pub(crate) fn first_before(&self, number: u64) -> u64 {
        let at = self.firsts.partition_point(|first| *first <= number);
        at.checked_sub(1).map_or(0, |at| self.firsts[at])
    }

    /// Adds the number of a sound frame, larger than all before.
    fn run(&mut self, number: u64) {
        match self.runs.last_mut() {
            Some(run) if run.end() + 1 == number => *run = *run.start()..=number,
            _ => self.runs.push(number..=number),
        }
    }

    /// Forgets the frames past a number.
    pub(crate) fn forget_after(&mut self, number: u64) {
        self.runs.retain(|run| *run.start() <= number);
        if let Some(run) = self.runs.last_mut() {
            *run = *run.start()..=number.min(*run.end());
        }
    }

    /// Whether the place that a head names has its frame, and the frame is sound.
    pub(crate) fn holds(&self, place: &Place) -> bool {
        self.segments.get(&place.segment).is_some_and(|segment| segment.holds(place))
    }
}

impl Extent {
    /// Whether a place has its frame.
    pub(crate) fn holds(&self, place: &Place) -> bool {
        let in_prefix = place.offset + u64::from(place.len) <= self.prefix_len;
        if in_prefix {
            return self.first.is_some_and(|first| (first..=self.prefix_last).contains(&place.number));
        }
        let at = self.past_damage.binary_search_by_key(&place.number, |(number, _)| *number);
        at.is_ok_and(|at| self.past_damage[at].1 == place.offset)
    }
}

/// A frame with its operation and its value.
type SoundFrame<'w> = (FrameHead, JournalEntry, &'w [u8]);

/// Scans a journal and passes each sound frame to `take`, in order. O(bytes).
pub(crate) fn scan(
    dir: &Path,
    mut take: impl FnMut(Place, JournalEntry, &[u8]) -> io::Result<()>,
) -> io::Result<ScannedJournal> {
    let mut found = ScannedJournal::default();
    let mut expected: Vec<(u32, u64)> = Vec::new();
    let mut before = 0;
    let ids = segment_ids(dir)?;
    let firsts = ids.iter().map(|id| Ok(frame::read_head(&File::open(path_of(dir, *id))?, 0)?.map(|head| head.number)));
    let firsts = firsts.collect::<io::Result<Vec<_>>>()?;
    for (at, id) in ids.into_iter().enumerate() {
        let mut window = FrameWindow::open(&path_of(dir, id))?;
        let mut extent = Extent::default();
        let mut take_in = |found: &mut ScannedJournal, extent: &mut Extent, offset, sound: SoundFrame<'_>| {
            let (head, entry, value) = sound;
            // If two segments do not follow each other, the segments between them may have been
            // collected.
            if extent.len > 0 || before + 1 == id {
                let lost = head.number - found.last_number - 1;
                found.lost_frames += lost;
                found.lost_until = if lost > 0 { head.number } else { found.lost_until };
            }
            before = id;
            extent.first.get_or_insert(head.number);
            found.run(head.number);
            found.last_number = head.number;
            found.last_sequence = found.last_sequence.max(entry.last_sequence);
            match &entry.op {
                Op::Segment { format, epoch, segments } => {
                    found.format = found.format.or(Some(*format).filter(|format| *format != FORMAT));
                    found.epoch = Some(*epoch);
                    expected.clone_from(segments);
                }
                Op::OldSegment { .. } => found.format = Some(BEFORE_RELEASE),
                Op::Collected { segment } => expected.retain(|(id, _)| id != segment),
                _ => {}
            }
            let len = head.frame_len();
            extent.len = offset + len;
            take(
                Place { segment: id, offset, len: len as u32, number: head.number, raw_len: head.raw_len },
                entry,
                value,
            )
        };
        // As long as the frames follow each other.
        while let Some(sound) = window.read(extent.len, found.last_number)?
            && (extent.len == 0 || sound.0.number == found.last_number + 1)
        {
            let offset = extent.len;
            take_in(&mut found, &mut extent, offset, sound)?;
            (extent.prefix_len, extent.prefix_last) = (extent.len, found.last_number);
        }
        if extent.len < window.len() {
            let least = found.last_number.max(extent.first.or(firsts[at]).unwrap_or(0));
            let most = firsts[at + 1..].iter().flatten().copied().find(|first| *first > least).unwrap_or(u64::MAX);
            let mut sound_to = extent.len;
            for FoundFrame { number, offset, len } in resync(&mut window, extent.len, found.last_number, most)? {
                let Some(sound) = window.read(offset, found.last_number)? else { continue };
                take_in(&mut found, &mut extent, offset, sound)?;
                if offset > sound_to {
                    extent.damaged.push(sound_to..offset);
                }
                extent.past_damage.push((number, offset));
                sound_to = offset + len;
            }
        }
        // In the last segment, half a frame may follow the last sound one. No flush acknowledged
        // it.
        found.torn = window.len() - extent.len;
        found.firsts.extend(extent.first);
        found.segments.insert(id, extent);
    }
    for (id, len) in expected {
        match found.segments.get(&id) {
            None => found.missing.push(id),
            // Its end is cut, and the next segment did not directly follow it.
            Some(segment) if segment.len < len && !found.segments.contains_key(&(id + 1)) => found.lost_frames += 1,
            Some(_) => {}
        }
    }
    Ok(found)
}

/// Whether one of these runs of numbers, which are in order, has a number.
pub(crate) fn is_in(runs: &[RangeInclusive<u64>], number: u64) -> bool {
    let at = runs.partition_point(|run| *run.end() < number);
    runs.get(at).is_some_and(|run| run.contains(&number))
}

/// The existing segments, in order.
pub(crate) fn segment_ids(dir: &Path) -> io::Result<Vec<u32>> {
    let mut ids = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        ids.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    ids.sort_unstable();
    Ok(ids)
}

/// The offset of the next head that looks sound.
pub(crate) fn next_frame(file: &File, from: u64, len: u64, after: u64) -> io::Result<Option<u64>> {
    let mut window = vec![0; WINDOW];
    let mut start = from;
    while start + HEAD_LEN as u64 <= len {
        let size = WINDOW.min((len - start) as usize);
        file.read_exact_at(&mut window[..size], start)?;
        for at in memchr::memmem::find_iter(&window[..size], &MAGIC) {
            let offset = start + at as u64;
            if frame::read_head(file, offset)?.is_some_and(|head| head.number > after) {
                return Ok(Some(offset));
            }
        }
        // A magic number may cross two windows.
        if size < WINDOW {
            break;
        }
        start += (WINDOW - MAGIC.len() + 1) as u64;
    }
    Ok(None)
}
