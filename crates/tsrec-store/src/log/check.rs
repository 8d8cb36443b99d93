//! Reads a segment that is in use, a frame at a time, and finds what is damaged.

use std::fs::File;
use std::io;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::frame;
use super::scan::{is_in, next_frame};

/// How far the reading of a segment has come, and what it found.
pub(crate) struct SegmentCheck {
    file: Arc<File>,
    len: u64,
    offset: u64,
    last_number: u64,
    /// The numbers of the sound frames, as runs without a gap.
    runs: Vec<RangeInclusive<u64>>,
    /// Ranges without a sound frame.
    damaged: Vec<Range<u64>>,
}

impl SegmentCheck {
    /// Reads the first `len` bytes, which end with a frame.
    pub(crate) fn new(file: Arc<File>, len: u64) -> SegmentCheck {
        SegmentCheck { file, len, offset: 0, last_number: 0, runs: Vec::new(), damaged: Vec::new() }
    }

    /// Reads a frame, or searches for the next sound one. Returns the bytes read; `None` at the
    /// end.
    pub(crate) fn step(&mut self) -> io::Result<Option<u64>> {
        let from = self.offset;
        if from >= self.len {
            return Ok(None);
        }
        let sound = frame::read(&self.file, from)?.filter(|(head, ..)| head.number > self.last_number);
        if let Some((head, ..)) = sound {
            match self.runs.last_mut() {
                Some(run) if run.end() + 1 == head.number => *run = *run.start()..=head.number,
                _ => self.runs.push(head.number..=head.number),
            }
            (self.last_number, self.offset) = (head.number, from + head.frame_len());
        } else {
            let next = next_frame(&self.file, from + 1, self.len, self.last_number)?;
            self.offset = next.unwrap_or(self.len);
            self.damaged.push(from..self.offset);
        }
        Ok(Some(self.offset - from))
    }

    pub(crate) fn is_damaged(&self) -> bool {
        !self.damaged.is_empty()
    }

    /// Frames that are missing or damaged, at least so many.
    pub(crate) fn lost_frames(&self) -> u64 {
        let gaps = self.runs.windows(2).map(|runs| runs[1].start() - runs[0].end() - 1).sum::<u64>();
        gaps.max(self.damaged.len() as u64)
    }

    /// Whether bytes of the segment are sound.
    pub(crate) fn holds(&self, bytes: &Range<u64>) -> bool {
        bytes.end <= self.len && !self.damaged.iter().any(|of| of.start < bytes.end && bytes.start < of.end)
    }

    /// Whether the frame with a number is sound.
    pub(crate) fn has(&self, number: u64) -> bool {
        is_in(&self.runs, number)
    }
}
