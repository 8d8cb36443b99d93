//! Reads of a journal only what an opening needs: the head of each segment, and the last segment
//! whole. What it cannot explain is a reason to read all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

use crate::log::frame::{self, FORMAT};
use crate::log::op::Op;
use crate::log::path_of;
use crate::log::scan::{Extent, ScannedJournal, next_frame, segment_ids};

/// A journal whose earlier segments are as the last one lists them. Only the last was read whole.
pub(crate) struct SkimmedJournal {
    pub(crate) found: ScannedJournal,
    /// The frames of the last segment.
    pub(crate) tail: Vec<TailFrame>,
}

/// A frame of the last segment.
pub(crate) struct TailFrame {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) last_sequence: u64,
    /// Whether it begins the segment, and so holds no operation of the store.
    pub(crate) is_first: bool,
}

impl SkimmedJournal {
    /// Whether the frame with this number is in the last segment, and so are all past it.
    pub(crate) fn is_in_tail(&self, number: u64) -> bool {
        self.tail.first().is_some_and(|first| (first.number..=self.found.last_number).contains(&number))
    }

    /// Forgets the frames past one of the last segment. Returns how many operations they are.
    pub(crate) fn forget_after(&mut self, number: u64) -> u64 {
        let kept = self.tail.partition_point(|frame| frame.number <= number);
        let forgotten = self.tail.split_off(kept);
        if let (Some(first), Some(mut last)) = (forgotten.first(), self.found.segments.last_entry()) {
            last.get_mut().len = first.offset;
            self.found.last_number = number;
            // No reader has seen the forgotten numbers.
            self.found.last_sequence = self.tail.iter().map(|frame| frame.last_sequence).max().unwrap_or(0);
        }
        forgotten.iter().filter(|frame| !frame.is_first).count() as u64
    }
}

/// Skims a journal. `None` if anything is not as the last segment says, or is damaged; a torn end
/// is neither. O(segments), and the last segment's bytes.
pub(crate) fn skim(dir: &Path) -> io::Result<Option<SkimmedJournal>> {
    let mut ids = segment_ids(dir)?;
    let Some(last) = ids.pop() else { return Ok(None) };
    let Some((mut skimmed, listed, collected)) = read_last(dir, last)? else { return Ok(None) };
    let mut before = 0;
    for &id in &ids {
        let file = File::open(path_of(dir, id))?;
        let len = file.metadata()?.len();
        if len == 0 && !listed.contains_key(&id) {
            // An opening cut a damaged frame off that was its only one.
            skimmed.found.segments.insert(id, Extent::default());
            continue;
        }
        // Damage at the end may have made the file longer than its last sound frame.
        let Some(listed_len) = listed.get(&id).filter(|listed| **listed <= len) else { return Ok(None) };
        let Some(head) = frame::read_head(&file, 0)?.filter(|head| head.number > before) else { return Ok(None) };
        before = head.number;
        let extent = Extent { first: Some(head.number), len: *listed_len, ..Extent::default() };
        skimmed.found.segments.insert(id, extent);
    }
    let is_there = |id: &u32| ids.binary_search(id).is_ok() || collected.contains(id);
    let is_whole = listed.keys().all(is_there);
    let is_after = skimmed.tail.first().is_some_and(|first| first.number > before);
    Ok((is_whole && is_after).then_some(skimmed))
}

/// The segments before the last one with their lengths, as it lists them.
type Listed = BTreeMap<u32, u64>;

/// Reads the last segment: its frames, the segments that it lists, and those that have gone since.
fn read_last(dir: &Path, id: u32) -> io::Result<Option<(SkimmedJournal, Listed, BTreeSet<u32>)>> {
    let file = File::open(path_of(dir, id))?;
    let len = file.metadata()?.len();
    let mut skimmed = SkimmedJournal { found: ScannedJournal::default(), tail: Vec::new() };
    let (mut listed, mut collected) = (BTreeMap::new(), BTreeSet::new());
    let (mut offset, found) = (0, &mut skimmed.found);
    while let Some((head, entry, _)) = frame::read(&file, offset)? {
        let is_first = offset == 0;
        if !is_first && head.number != found.last_number + 1 {
            return Ok(None);
        }
        match entry.op {
            Op::Segment { format: FORMAT, epoch, segments } if is_first => {
                (found.epoch, listed) = (Some(epoch), segments.into_iter().collect());
            }
            Op::Collected { segment } => drop(collected.insert(segment)),
            _ if is_first => return Ok(None),
            _ => {}
        }
        found.last_number = head.number;
        found.last_sequence = found.last_sequence.max(entry.last_sequence);
        skimmed.tail.push(TailFrame { number: head.number, offset, last_sequence: entry.last_sequence, is_first });
        offset += head.frame_len();
    }
    // Half a frame may follow, but no whole one.
    if offset == 0 || next_frame(&file, offset, len, found.last_number)?.is_some() {
        return Ok(None);
    }
    found.torn = len - offset;
    let first = skimmed.tail.first().map(|first| first.number);
    found.segments.insert(id, Extent { first, len: offset, ..Extent::default() });
    Ok(Some((skimmed, listed, collected)))
}
