//! Reads a segment that is in use, a frame at a time, and finds what is damaged.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::Place;
use super::resync::resync;
use super::scan::{Extent, is_in};
use super::window::FrameWindow;

/// How far the reading of a segment has come, and what it found.
pub(crate) struct SegmentCheck {
    window: FrameWindow,
    found: Extent,
    last_number: u64,
    is_damaged: bool,
    /// The numbers of the sound frames, as runs without a gap.
    runs: Vec<RangeInclusive<u64>>,
}

impl SegmentCheck {
    /// Reads the first `len` bytes, which end with a frame.
    pub(crate) fn new(file: Arc<File>, len: u64) -> SegmentCheck {
        let (window, found) = (FrameWindow::new(file, len), Extent::default());
        SegmentCheck { window, found, last_number: 0, is_damaged: false, runs: Vec::new() }
    }

    /// Reads a frame, or past damage all that is left. Returns the bytes read; `None` at the end.
    pub(crate) fn step(&mut self) -> io::Result<Option<u64>> {
        let (from, len) = (self.found.prefix_len, self.window.len());
        if from >= len || self.is_damaged {
            return Ok(None);
        }
        let head = self.window.read(from, self.last_number)?.map(|(head, ..)| head);
        if let Some(head) = head.filter(|head| from == 0 || head.number == self.last_number + 1) {
            self.found.first.get_or_insert(head.number);
            self.run(head.number);
            (self.found.prefix_len, self.found.prefix_last) = (from + head.frame_len(), head.number);
            return Ok(Some(head.frame_len()));
        }
        self.is_damaged = true;
        for frame in resync(&mut self.window, from, self.last_number, u64::MAX)? {
            self.run(frame.number);
            self.found.past_damage.push((frame.number, frame.offset));
        }
        Ok(Some(len - from))
    }

    fn run(&mut self, number: u64) {
        self.last_number = number;
        match self.runs.last_mut() {
            Some(run) if run.end() + 1 == number => *run = *run.start()..=number,
            _ => self.runs.push(number..=number),
        }
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// Frames that are missing or damaged, at least so many.
    pub(crate) fn lost_frames(&self) -> u64 {
        let gaps = self.runs.windows(2).map(|runs| runs[1].start() - runs[0].end() - 1).sum::<u64>();
        gaps.max(self.is_damaged.into())
    }

    /// Whether a place of the segment has its frame, and the frame is sound.
    pub(crate) fn holds(&self, place: &Place) -> bool {
        self.found.holds(place)
    }

    /// Whether the frame with a number is sound.
    pub(crate) fn has(&self, number: u64) -> bool {
        is_in(&self.runs, number)
    }
}
